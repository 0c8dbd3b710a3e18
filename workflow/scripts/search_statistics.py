"""The tests of tables 4.2, 4.4 and 4.6."""

from hedgerow.workflow.jobs import declared_plan, job, present, write_parquet

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments import search

    rows = pd.concat(map(pd.read_parquet, present(snakemake.input.rows)), ignore_index=True)
    plan = declared_plan(search.SearchPlan, snakemake.params.plan)
    write_parquet(snakemake.output[0], search.statistics(rows, plan))
