"""Seconds of every method, beside the times of table 4.3."""

from hedgerow.workflow.jobs import declared_plan, job, present, write_csv

with job(snakemake):
    from pathlib import Path

    import pandas as pd

    from hedgerow.experiments.search.plan import SearchPlan
    from hedgerow.experiments.search.tables import search_running_times

    times = pd.concat(map(pd.read_parquet, present(snakemake.input.times)), ignore_index=True)
    published = {Path(path).stem: pd.read_csv(path) for path in snakemake.input.published}
    plan = declared_plan(SearchPlan, snakemake.params.plan)
    write_csv(snakemake.output[0], search_running_times(times, published, plan))
