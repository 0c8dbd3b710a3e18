"""Tables 4.1 to 4.7, the spread over splits and the statements: measured beside published."""

from hedgerow.workflow.jobs import declared_plan, job, present, write_csv

with job(snakemake):
    from pathlib import Path

    import pandas as pd

    from hedgerow.experiments.search import claims as search_claims
    from hedgerow.experiments.search import tables as search_tables
    from hedgerow.experiments.search.plan import SearchPlan

    plan = declared_plan(SearchPlan, snakemake.params.plan)
    rows, properties = (
        pd.concat(map(pd.read_parquet, present(paths)), ignore_index=True)
        for paths in (snakemake.input.rows, snakemake.input.properties)
    )
    published = {Path(path).stem: pd.read_csv(path) for path in snakemake.input.published}
    statistics = pd.read_parquet(snakemake.input.statistics)
    claims = search_claims.search_claims(rows, properties, published, plan)
    write_csv(snakemake.output.search_claims, claims)
    # Output and function share the table's id.
    measured = {
        "thesis_table_4_1": (rows,),
        "thesis_table_4_2": (statistics,),
        "thesis_table_4_3": (rows,),
        "thesis_table_4_4": (statistics,),
        "thesis_table_4_5": (rows,),
        "thesis_table_4_6": (statistics,),
        "thesis_table_4_7": (rows, properties),
        "search_splits": (rows,),
    }
    for name, inputs in measured.items():
        write_csv(
            snakemake.output.get(name), getattr(search_tables, name)(*inputs, published, plan)
        )
