"""Figures 3.11 and 3.12."""

from hedgerow.workflow.jobs import declared_plan, job, present

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments.soft_sweep import figures as soft_sweep_figures
    from hedgerow.experiments.soft_sweep.plan import SweepPlan
    from hedgerow.reporting.figures import save

    rows = pd.concat(map(pd.read_parquet, present(snakemake.input.rows)), ignore_index=True)
    sweep = declared_plan(SweepPlan, snakemake.params.plan)
    # Outputs and functions share the figure's id.
    for name, path in snakemake.output.items():
        save(getattr(soft_sweep_figures, name.removesuffix("_png"))(rows, sweep), path)
