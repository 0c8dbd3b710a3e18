"""Put the chunks of one data set together, so that nothing tells how it was cut."""

from hedgerow.workflow.jobs import job, write_parquet

with job(snakemake):
    import pandas as pd

    trees = pd.concat(map(pd.read_parquet, snakemake.input.trees), ignore_index=True)
    tuning = pd.concat(map(pd.read_parquet, snakemake.input.tuning), ignore_index=True)
    cell = ["experiment", "permutation", "noise", "method", "factor"]
    # The chunks come in the order of the permutations, which is that of the trees.
    write_parquet(snakemake.output.trees, trees)
    write_parquet(snakemake.output.tuning, tuning.sort_values(cell, ignore_index=True))
