"""What goes beyond chapter 3 on the report page."""

from hedgerow.workflow.jobs import declared_plan, job, write_json

with job(snakemake):
    from pathlib import Path

    import pandas as pd

    from hedgerow.experiments.soft_beyond import page as soft_beyond_page
    from hedgerow.experiments.soft_beyond.plan import SoftBeyondPlan

    section = soft_beyond_page.section(
        {Path(table).stem: pd.read_csv(table) for table in snakemake.input.tables},
        {Path(f).stem: f for f in snakemake.input.figures if f.endswith(".svg")},
        pd.read_parquet(snakemake.input.rows),
        declared_plan(SoftBeyondPlan, snakemake.params.plan),
    )
    write_json(snakemake.output[0], section.to_dict())
