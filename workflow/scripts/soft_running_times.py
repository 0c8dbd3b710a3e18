"""Running times of the methods, beside the published differences to C4.5."""

from hedgerow.workflow.jobs import job, present, write_csv

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments.soft.tables import soft_running_times

    times = pd.concat(map(pd.read_parquet, present(snakemake.input.times)), ignore_index=True)
    published = pd.concat(map(pd.read_csv, snakemake.input.published), ignore_index=True)
    write_csv(snakemake.output[0], soft_running_times(times, published))
