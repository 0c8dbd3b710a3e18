"""Test every score against C4.5, and the methods of each experiment against each other."""

from hedgerow.workflow.jobs import declared_plan, job, present, write_parquet

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments.soft.plan import SoftPlan
    from hedgerow.experiments.soft_scores import statistics as soft_scores_statistics

    rows = pd.concat(map(pd.read_parquet, present(snakemake.input.rows)), ignore_index=True)
    plan = declared_plan(SoftPlan, snakemake.params.plan, rows["dataset"].unique())
    write_parquet(snakemake.output.scores, soft_scores_statistics.scores(rows, plan))
    write_parquet(snakemake.output.comparison, soft_scores_statistics.comparison(rows, plan))
