"""Prune the trees of one data set with its calibrated confidence."""

from hedgerow.workflow.jobs import declared_plan, job, read_each, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.experiments.soft import plan as soft_plan
    from hedgerow.experiments.soft import steps as soft_steps

    inputs = read_each(snakemake.input, "trees", "calibration", "tuning")
    pruned = soft_steps.prune_trees(
        inputs["trees"],
        read_each(snakemake.input, "splits", "samples", "seeds"),
        inputs["calibration"],
        inputs["tuning"],
        read_tidy(snakemake.input.table),
        declared_plan(soft_plan.SoftPlan, snakemake.params.plan, [snakemake.wildcards.dataset]),
    )
    write_parquet(snakemake.output[0], pruned)
