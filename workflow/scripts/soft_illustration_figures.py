"""Figures 3.1 to 3.4, 3.7 and 3.8."""

from hedgerow.workflow.jobs import declared_plan, job

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments.soft_illustration import figures as soft_illustration_figures
    from hedgerow.experiments.soft_illustration.plan import SoftIllustrationPlan
    from hedgerow.reporting.figures import save

    plan = declared_plan(SoftIllustrationPlan, snakemake.params.plan)
    # Inputs, outputs and functions share the figure's id.
    for name, path in snakemake.output.items():
        identifier = name.removesuffix("_png")
        data = pd.read_parquet(getattr(snakemake.input, identifier))
        save(getattr(soft_illustration_figures, identifier)(data, plan), path)
