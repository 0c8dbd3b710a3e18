"""The report: one page that opens from disk."""

from hedgerow.workflow.jobs import declared_plan, job, present, write_text

with job(snakemake):
    from pathlib import Path

    import pandas as pd

    from hedgerow.experiments.soft import SoftPlan
    from hedgerow.reporting import html

    page = html.build(
        {Path(table).stem: pd.read_csv(table) for table in snakemake.input.tables},
        {Path(f).stem: f for f in snakemake.input.figures if f.endswith(".svg")},
        pd.concat(map(pd.read_parquet, present(snakemake.input.rows)), ignore_index=True),
        pd.read_csv(snakemake.input.claims),
        declared_plan(SoftPlan, snakemake.params.plan),
    )
    write_text(snakemake.output[0], page)
