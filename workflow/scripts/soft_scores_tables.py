"""Scores beside accuracy, and mean ranks."""

from hedgerow.workflow.jobs import declared_plan, job, present, read_each, write_csv

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments.soft.plan import SoftPlan
    from hedgerow.experiments.soft_scores import tables as soft_scores_tables

    rows = pd.concat(map(pd.read_parquet, present(snakemake.input.rows)), ignore_index=True)
    tested = read_each(snakemake.input, "scores", "comparison")
    plan = declared_plan(SoftPlan, snakemake.params.plan, rows["dataset"].unique())
    table = soft_scores_tables.soft_scores(rows, tested["scores"], plan)
    write_csv(snakemake.output.soft_scores, table)
    write_csv(snakemake.output.soft_ranks, soft_scores_tables.soft_ranks(tested["comparison"]))
