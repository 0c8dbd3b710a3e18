"""What goes beyond chapter 4 on the report page."""

from hedgerow.workflow.jobs import declared_plan, job, write_json

with job(snakemake):
    from pathlib import Path

    import pandas as pd

    from hedgerow.experiments.search_beyond import page as search_beyond_page
    from hedgerow.experiments.search_beyond.plan import SearchBeyondPlan

    section = search_beyond_page.section(
        {Path(table).stem: pd.read_csv(table) for table in snakemake.input.tables},
        {Path(f).stem: f for f in snakemake.input.figures if f.endswith(".svg")},
        declared_plan(SearchBeyondPlan, snakemake.params.plan),
    )
    write_json(snakemake.output[0], section.to_dict())
