"""What goes beyond chapter 5 on the report page."""

from hedgerow.workflow.jobs import declared_plan, job, write_json

with job(snakemake):
    from pathlib import Path

    import pandas as pd

    from hedgerow.experiments.structure_beyond import StructureBeyondPlan
    from hedgerow.reporting import structure_beyond_section

    section = structure_beyond_section.section(
        {Path(table).stem: pd.read_csv(table) for table in snakemake.input.tables},
        {Path(f).stem: f for f in snakemake.input.figures if f.endswith(".svg")},
        declared_plan(StructureBeyondPlan, snakemake.params.plan),
    )
    write_json(snakemake.output[0], section.to_dict())
