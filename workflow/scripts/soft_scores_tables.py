"""Scores beside accuracy, and mean ranks."""

from hedgerow.workflow.jobs import declared_plan, job, present, read_each, write_csv

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments.soft import SoftPlan
    from hedgerow.reporting import soft_scores

    rows = pd.concat(map(pd.read_parquet, present(snakemake.input.rows)), ignore_index=True)
    tested = read_each(snakemake.input, "scores", "comparison")
    plan = declared_plan(SoftPlan, snakemake.params.plan, rows["dataset"].unique())
    table = soft_scores.soft_scores(rows, tested["scores"], plan)
    write_csv(snakemake.output.soft_scores, table)
    write_csv(snakemake.output.soft_ranks, soft_scores.soft_ranks(tested["comparison"]))
