"""Find the pruning confidence of one data set (thesis 3.3.1)."""

from hedgerow.workflow.jobs import declared_plan, job, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.experiments import soft

    plan = declared_plan(soft.SoftPlan, snakemake.params.plan, [snakemake.wildcards.dataset])
    calibration = soft.calibrate(read_tidy(snakemake.input.table), plan)
    write_parquet(snakemake.output[0], calibration)
