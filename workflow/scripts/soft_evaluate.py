"""Evaluate the trees of one data set on its test parts."""

from hedgerow.workflow.jobs import declared_plan, job, read_each, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.experiments.soft import plan as soft_plan
    from hedgerow.experiments.soft import steps as soft_steps

    inputs = read_each(snakemake.input, "trees", "tuning")
    rows = soft_steps.evaluate(
        inputs["trees"],
        inputs["tuning"],
        read_each(snakemake.input, "splits", "samples", "seeds"),
        read_tidy(snakemake.input.table),
        declared_plan(soft_plan.SoftPlan, snakemake.params.plan, [snakemake.wildcards.dataset]),
    )
    write_parquet(snakemake.output[0], rows)
