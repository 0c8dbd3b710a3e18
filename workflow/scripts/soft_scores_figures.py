"""The critical-difference diagram."""

from hedgerow.workflow.jobs import declared_plan, job

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments.soft.plan import SoftPlan
    from hedgerow.experiments.soft_scores import figures as soft_scores_figures
    from hedgerow.experiments.soft_scores import tables as soft_scores_tables
    from hedgerow.reporting.figures import save

    ranks = soft_scores_tables.soft_ranks(pd.read_parquet(snakemake.input.comparison))
    plan = declared_plan(SoftPlan, snakemake.params.plan)
    # Outputs and functions share the figure's id.
    for name, path in snakemake.output.items():
        save(getattr(soft_scores_figures, name.removesuffix("_png"))(ranks, plan), path)
