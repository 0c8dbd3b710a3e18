"""Figures of what goes beyond chapter 3, as svg and png."""

from hedgerow.workflow.jobs import declared_plan, job

with job(snakemake):
    from pathlib import Path

    import pandas as pd

    from hedgerow.experiments.soft_beyond import figures as soft_beyond_figures
    from hedgerow.experiments.soft_beyond.plan import SoftBeyondPlan
    from hedgerow.reporting.figures import save

    plan = declared_plan(SoftBeyondPlan, snakemake.params.plan)
    tables = {Path(path).stem: pd.read_csv(path) for path in snakemake.input.tables}
    # Outputs and functions share the figure's id.
    for name, path in snakemake.output.items():
        save(getattr(soft_beyond_figures, name.removesuffix("_png"))(tables, plan), path)
