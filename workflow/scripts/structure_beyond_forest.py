"""Two forests whose decision patterns are drawn."""

from hedgerow.workflow.jobs import absence, declared_plan, job, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.errors import DataError
    from hedgerow.experiments.structure_beyond import plan as structure_beyond_plan
    from hedgerow.experiments.structure_beyond import steps as structure_beyond_steps

    reason = absence(snakemake.input.table)
    if reason is not None:
        raise DataError(
            f"the data set of `structure_beyond.patterns_dataset` could not be had: {reason}",
            remedy="name another one, such as wdbc",
        )
    plan = declared_plan(structure_beyond_plan.StructureBeyondPlan, snakemake.params.plan)
    table = read_tidy(snakemake.input.table)
    write_parquet(snakemake.output.patterns, structure_beyond_steps.patterns(table, plan))
