"""The sweep on the report page."""

from hedgerow.workflow.jobs import declared_plan, job, present, write_json

with job(snakemake):
    from pathlib import Path

    import pandas as pd

    from hedgerow.experiments.soft_sweep import page as soft_sweep_page
    from hedgerow.experiments.soft_sweep.plan import SweepPlan

    section = soft_sweep_page.section(
        {Path(table).stem: pd.read_csv(table) for table in snakemake.input.tables},
        {Path(f).stem: f for f in snakemake.input.figures if f.endswith(".svg")},
        pd.concat(map(pd.read_parquet, present(snakemake.input.rows)), ignore_index=True),
        pd.read_csv(snakemake.input.claims),
        declared_plan(SweepPlan, snakemake.params.plan),
    )
    write_json(snakemake.output[0], section.to_dict())
