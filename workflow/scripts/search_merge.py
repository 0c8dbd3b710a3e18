"""Put the chunks of one data set together."""

from hedgerow.workflow.jobs import job, write_parquet

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments.search import plan as search_plan
    from hedgerow.experiments.search import steps as search_steps

    for name, path in snakemake.output.items():
        parts = [pd.read_parquet(part) for part in snakemake.input.get(name)]
        write_parquet(path, search_steps.merge(parts, search_plan.ORDER[name]))
