"""Figures 3.5, 3.6, 3.9 and 3.10."""

from hedgerow.workflow.jobs import declared_plan, job, present

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments.soft import figures as soft_figures
    from hedgerow.experiments.soft.plan import SoftPlan
    from hedgerow.reporting.figures import save

    rows = pd.concat(map(pd.read_parquet, present(snakemake.input.rows)), ignore_index=True)
    plan = declared_plan(SoftPlan, snakemake.params.plan)
    # Outputs and functions share the figure's id.
    for name, path in snakemake.output.items():
        figure = getattr(soft_figures, name.removesuffix("_png"))(rows, plan)
        save(figure, path)
