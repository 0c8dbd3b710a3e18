"""Hierarchical forests of one data set (thesis 5.4)."""

from hedgerow.workflow.jobs import declared_plan, job, write_each, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.experiments.structure import plan as structure_plan
    from hedgerow.experiments.structure import steps as structure_steps
    from hedgerow.workflow.config import permutations_of

    dataset, chunk = snakemake.wildcards.dataset, snakemake.wildcards.chunk
    plan = declared_plan(structure_plan.StructurePlan, snakemake.params.plan, [dataset])
    table = read_tidy(snakemake.input.table)
    done = structure_steps.learn(table, plan, permutations_of(chunk))
    write_each(snakemake.output, done, write_parquet)
