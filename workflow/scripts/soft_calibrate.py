"""Find the pruning confidence of one data set (thesis 3.3.1)."""

from hedgerow.workflow.jobs import declared_plan, job, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.experiments.soft import plan as soft_plan
    from hedgerow.experiments.soft import steps as soft_steps

    plan = declared_plan(soft_plan.SoftPlan, snakemake.params.plan, [snakemake.wildcards.dataset])
    calibration = soft_steps.calibrate(read_tidy(snakemake.input.table), plan)
    write_parquet(snakemake.output[0], calibration)
