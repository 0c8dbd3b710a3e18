"""Tables 3.1, 3.4 and 3.5: measured beside published."""

from hedgerow.workflow.jobs import declared_plan, job, present, write_csv

with job(snakemake):
    import pandas as pd

    from hedgerow.data import read_tidy
    from hedgerow.experiments.soft import tables as soft_tables
    from hedgerow.experiments.soft.plan import SoftPlan

    plan = declared_plan(SoftPlan, snakemake.params.plan)
    sizes = soft_tables.sizes(map(read_tidy, present(snakemake.input.tidy)))
    calibrated = pd.concat(
        map(pd.read_parquet, present(snakemake.input.calibrated)), ignore_index=True
    )
    rows = pd.concat(map(pd.read_parquet, present(snakemake.input.rows)), ignore_index=True)
    statistics = pd.read_parquet(snakemake.input.statistics)
    write_csv(snakemake.output.soft_combined, soft_tables.soft_combined(rows, statistics))
    # Output, published file and function share the table's id.
    measured = {
        "thesis_table_3_1": (sizes, calibrated),
        "thesis_table_3_4": (rows, statistics),
        "thesis_table_3_5": (rows, statistics),
    }
    for name, inputs in measured.items():
        published = pd.read_csv(getattr(snakemake.input, name))
        write_csv(snakemake.output.get(name), getattr(soft_tables, name)(*inputs, published, plan))
