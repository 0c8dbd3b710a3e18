"""Distances between trees, and the pairs that the qualitative criteria ask for (thesis 5.4)."""

from hedgerow.workflow.jobs import declared_plan, job, read_each, write_each, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.experiments.structure import plan as structure_plan
    from hedgerow.experiments.structure import steps as structure_steps

    dataset = snakemake.wildcards.dataset
    plan = declared_plan(structure_plan.StructurePlan, snakemake.params.plan, [dataset])
    table = read_tidy(snakemake.input.table)
    learned = read_each(snakemake.input, "forests", "trees")
    done = structure_steps.compare(table, learned, plan)
    done["scripts"] = structure_steps.edit_scripts(table, learned, done["examples"], plan)
    write_each(snakemake.output, done, write_parquet)
