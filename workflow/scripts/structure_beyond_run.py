"""All parts of what goes beyond chapter 5 on one data set."""

from hedgerow.workflow.jobs import declared_plan, job, write_each, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.experiments import structure_beyond
    from hedgerow.experiments.structure import StructurePlan
    from hedgerow.workflow.config import permutations_of

    dataset = [snakemake.wildcards.dataset]
    done = structure_beyond.run(
        read_tidy(snakemake.input.table),
        declared_plan(structure_beyond.StructureBeyondPlan, snakemake.params.plan, dataset),
        declared_plan(StructurePlan, snakemake.params.protocol, dataset),
        permutations_of(snakemake.wildcards.chunk),
    )
    write_each(snakemake.output, done, write_parquet)
