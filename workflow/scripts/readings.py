"""Run the experiments' jobs under other readings, or judge what came out, as the rule says."""

from hedgerow_study.workflow.jobs import readings

getattr(readings, snakemake.params.work)(snakemake)
