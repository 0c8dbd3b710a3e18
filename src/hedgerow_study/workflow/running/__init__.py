"""How is Snakemake run, on this machine and on a cluster, and what does it report meanwhile?"""
