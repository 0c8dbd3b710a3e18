"""Seconds of the anytime curves, and the curves against them."""

from hedgerow.workflow.jobs import declared_plan, job, present, write_csv

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments.search_beyond import SearchBeyondPlan
    from hedgerow.reporting import search_beyond
    from hedgerow.reporting.figures import save

    plan = declared_plan(SearchBeyondPlan, snakemake.params.plan)
    times = pd.concat(map(pd.read_parquet, present(snakemake.input.times)), ignore_index=True)
    seconds = search_beyond.running_times(times, plan)
    write_csv(snakemake.output.times, seconds)
    tables = {"search_beyond_progress": pd.read_csv(snakemake.input.progress)}
    figure = search_beyond.curves_by_seconds(tables, seconds, plan)
    save(figure, snakemake.output.svg)
    save(figure, snakemake.output.png)
