"""Tables of what goes beyond chapter 5."""

from hedgerow.workflow.jobs import declared_plan, job, read_each, write_csv

with job(snakemake):
    from hedgerow.experiments.structure_beyond import tables as structure_beyond_tables
    from hedgerow.experiments.structure_beyond.plan import StructureBeyondPlan

    plan = declared_plan(StructureBeyondPlan, snakemake.params.plan)
    made = read_each(snakemake.input, "closeness", "scores", "ensembles", "stability", "statistics")
    statistics = made.pop("statistics")
    # Output and function share the table's id.
    for name, path in snakemake.output.items():
        write_csv(path, getattr(structure_beyond_tables, name)(made, statistics, plan))
