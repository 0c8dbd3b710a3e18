"""Clusters of trees by every variant of the distance, and their scores (thesis 5.4.2)."""

from hedgerow.workflow.jobs import declared_plan, job, read_each, write_each, write_parquet

with job(snakemake):
    from hedgerow.experiments.structure import plan as structure_plan
    from hedgerow.experiments.structure import steps as structure_steps

    dataset = snakemake.wildcards.dataset
    plan = declared_plan(structure_plan.StructurePlan, snakemake.params.plan, [dataset])
    read = read_each(snakemake.input, "forests", "distances", "examples")
    done = structure_steps.cluster_forests(read, read["forests"], plan)
    write_each(snakemake.output, done, write_parquet)
