"""Figures 5.1 to 5.4."""

from hedgerow.workflow.jobs import declared_plan, job, present

with job(snakemake):
    import pandas as pd

    from hedgerow.data import read_tidy
    from hedgerow.experiments.structure import figures as structure_figures
    from hedgerow.experiments.structure.plan import StructurePlan
    from hedgerow.reporting.figures import save

    inputs = dict(snakemake.input.items())
    table = read_tidy(present(inputs.pop("table"))[0])
    results = {name: pd.read_parquet(present(paths)[0]) for name, paths in inputs.items()}
    plan = declared_plan(StructurePlan, snakemake.params.plan)
    # Outputs and functions share the figure's id.
    for name, path in snakemake.output.items():
        save(getattr(structure_figures, name.removesuffix("_png"))(results, table, plan), path)
