"""The tests of tables 4.2, 4.4 and 4.6."""

from hedgerow.workflow.jobs import declared_plan, job, present, write_parquet

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments.search import plan as search_plan
    from hedgerow.experiments.search import statistics as search_statistics

    rows = pd.concat(map(pd.read_parquet, present(snakemake.input.rows)), ignore_index=True)
    plan = declared_plan(search_plan.SearchPlan, snakemake.params.plan)
    write_parquet(snakemake.output[0], search_statistics.statistics(rows, plan))
