"""The critical-difference diagram."""

from hedgerow.workflow.jobs import declared_plan, job

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments.soft import SoftPlan
    from hedgerow.reporting import soft_scores
    from hedgerow.reporting.figures import save

    ranks = soft_scores.soft_ranks(pd.read_parquet(snakemake.input.comparison))
    plan = declared_plan(SoftPlan, snakemake.params.plan)
    # Outputs and functions share the figure's id.
    for name, path in snakemake.output.items():
        save(getattr(soft_scores, name.removesuffix("_png"))(ranks, plan), path)
