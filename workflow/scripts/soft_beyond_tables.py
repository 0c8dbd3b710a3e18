"""Tables of what goes beyond chapter 3."""

from hedgerow.workflow.jobs import declared_plan, job, read_each, write_csv

with job(snakemake):
    from hedgerow.experiments.soft_beyond import tables as soft_beyond_tables
    from hedgerow.experiments.soft_beyond.plan import SoftBeyondPlan

    plan = declared_plan(SoftBeyondPlan, snakemake.params.plan)
    made = read_each(snakemake.input, "rows", "statistics")
    # Output and function share the table's id.
    for name, path in snakemake.output.items():
        write_csv(path, getattr(soft_beyond_tables, name)(made["rows"], made["statistics"], plan))
