"""Seconds of the anytime curves, and the curves against them."""

from hedgerow.workflow.jobs import absence, declared_plan, job, write_csv

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments.search_beyond import figures as search_beyond_figures
    from hedgerow.experiments.search_beyond import tables as search_beyond_tables
    from hedgerow.experiments.search_beyond.plan import SearchBeyondPlan
    from hedgerow.experiments.search_beyond.steps import merge
    from hedgerow.reporting.figures import save

    plan = declared_plan(SearchBeyondPlan, snakemake.params.plan)
    there = [path for path in snakemake.input.times if absence(path) is None]
    times = merge([pd.read_parquet(path) for path in there], "times")
    seconds = search_beyond_tables.running_times(times, plan)
    write_csv(snakemake.output.times, seconds)
    tables = {"search_beyond_progress": pd.read_csv(snakemake.input.progress)}
    figure = search_beyond_figures.curves_by_seconds(tables, seconds, plan)
    save(figure, snakemake.output.svg)
    save(figure, snakemake.output.png)
