"""All parts of what goes beyond chapter 5 on one data set."""

from hedgerow.workflow.jobs import declared_plan, job, write_each, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.experiments.structure.plan import StructurePlan
    from hedgerow.experiments.structure_beyond import plan as structure_beyond_plan
    from hedgerow.experiments.structure_beyond import steps as structure_beyond_steps
    from hedgerow.workflow.config import permutations_of

    dataset = [snakemake.wildcards.dataset]
    done = structure_beyond_steps.run(
        read_tidy(snakemake.input.table),
        declared_plan(structure_beyond_plan.StructureBeyondPlan, snakemake.params.plan, dataset),
        declared_plan(StructurePlan, snakemake.params.protocol, dataset),
        permutations_of(snakemake.wildcards.chunk),
    )
    write_each(snakemake.output, done, write_parquet)
