"""Tables 5.1 and 5.2, example pairs, rank correlations and statements, beside published."""

from hedgerow.workflow.jobs import declared_plan, job, present, write_csv

with job(snakemake):
    from pathlib import Path

    import pandas as pd

    from hedgerow.experiments.structure import claims as structure_claims
    from hedgerow.experiments.structure import tables as structure_tables
    from hedgerow.experiments.structure.plan import StructurePlan

    plan = declared_plan(StructurePlan, snakemake.params.plan)
    inputs = dict(snakemake.input.items())
    published = {Path(path).stem: pd.read_csv(path) for path in inputs.pop("published")}
    results = {
        name: pd.concat(map(pd.read_parquet, present(paths)), ignore_index=True)
        for name, paths in inputs.items()
    }
    # Output and function share the table's id.
    made = {
        "thesis_table_5_1": structure_tables.thesis_table_5_1,
        "thesis_table_5_2": structure_tables.thesis_table_5_2,
        "structure_examples": structure_tables.structure_examples,
        "structure_closeness": structure_tables.structure_closeness,
        "structure_claims": structure_claims.structure_claims,
    }
    for name, make in made.items():
        write_csv(snakemake.output.get(name), make(results, published, plan))
