"""The illustrations of chapter 3 on the report page."""

from hedgerow.workflow.jobs import declared_plan, job, write_json

with job(snakemake):
    from pathlib import Path

    import pandas as pd

    from hedgerow.experiments.soft_illustration import page as soft_illustration_page
    from hedgerow.experiments.soft_illustration.plan import SoftIllustrationPlan

    section = soft_illustration_page.section(
        {Path(path).stem: pd.read_csv(path) for path in snakemake.input.tables},
        {Path(f).stem: f for f in snakemake.input.figures if f.endswith(".svg")},
        {Path(path).stem: pd.read_parquet(path) for path in snakemake.input.results},
        declared_plan(SoftIllustrationPlan, snakemake.params.plan),
    )
    write_json(snakemake.output[0], section.to_dict())
