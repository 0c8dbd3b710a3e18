"""Chapter 5 on the report page."""

from hedgerow.workflow.jobs import declared_plan, job, write_json

with job(snakemake):
    from pathlib import Path

    import pandas as pd

    from hedgerow.experiments.structure import page as structure_page
    from hedgerow.experiments.structure.plan import StructurePlan

    section = structure_page.section(
        {Path(table).stem: pd.read_csv(table) for table in snakemake.input.tables},
        {Path(f).stem: f for f in snakemake.input.figures if f.endswith(".svg")},
        pd.read_csv(snakemake.input.claims),
        declared_plan(StructurePlan, snakemake.params.plan),
    )
    write_json(snakemake.output[0], section.to_dict())
