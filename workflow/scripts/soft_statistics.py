"""Test every cell of tables 3.4 and 3.5 against C4.5."""

from hedgerow.workflow.jobs import declared_plan, job, present, write_parquet

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments.soft import plan as soft_plan
    from hedgerow.experiments.soft import statistics as soft_statistics

    rows = pd.concat(map(pd.read_parquet, present(snakemake.input.rows)), ignore_index=True)
    plan = declared_plan(soft_plan.SoftPlan, snakemake.params.plan, rows["dataset"].unique())
    write_parquet(snakemake.output[0], soft_statistics.statistics(rows, plan))
