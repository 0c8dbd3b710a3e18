"""Figures of what goes beyond chapter 5, as svg and png."""

from hedgerow.workflow.jobs import declared_plan, job

with job(snakemake):
    from pathlib import Path

    import pandas as pd

    from hedgerow.data import read_tidy
    from hedgerow.experiments.structure_beyond import figures as structure_beyond_figures
    from hedgerow.experiments.structure_beyond.plan import StructureBeyondPlan
    from hedgerow.reporting.figures import save

    plan = declared_plan(StructureBeyondPlan, snakemake.params.plan)
    made = {Path(path).stem: pd.read_csv(path) for path in snakemake.input.tables}
    made["table"] = read_tidy(snakemake.input.table)
    made["patterns"] = pd.read_parquet(snakemake.input.patterns)
    drawn = {}
    # Outputs and functions share the figure's id.
    for name, path in snakemake.output.items():
        figure = name.removesuffix("_png")
        if figure not in drawn:
            drawn[figure] = getattr(structure_beyond_figures, figure)(made, plan)
        save(drawn[figure], path)
