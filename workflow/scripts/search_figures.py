"""Figures 4.3 to 4.5."""

from hedgerow.workflow.jobs import declared_plan, job, present

with job(snakemake):
    from pathlib import Path

    import pandas as pd

    from hedgerow.experiments.search import figures as search_figures
    from hedgerow.experiments.search.plan import SearchPlan
    from hedgerow.reporting.figures import save

    rows = pd.concat(map(pd.read_parquet, present(snakemake.input.rows)), ignore_index=True)
    published = {Path(path).stem: pd.read_csv(path) for path in snakemake.input.published}
    plan = declared_plan(SearchPlan, snakemake.params.plan)
    # Outputs and functions share the figure's id.
    for name, path in snakemake.output.items():
        save(getattr(search_figures, name.removesuffix("_png"))(rows, published, plan), path)
