"""Divide one data set, and add noise to the parts (thesis 3.3.2)."""

from hedgerow.workflow.jobs import declared_plan, job, write_each, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.experiments.soft import plan as soft_plan
    from hedgerow.experiments.soft import steps as soft_steps

    plan = declared_plan(soft_plan.SoftPlan, snakemake.params.plan, [snakemake.wildcards.dataset])
    noised = soft_steps.noise(read_tidy(snakemake.input.table), plan)
    write_each(snakemake.output, noised, write_parquet)
