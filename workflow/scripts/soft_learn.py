"""Tune the factors and grow the trees of some permutations of one data set."""

from hedgerow.workflow.jobs import declared_plan, job, read_each, write_each, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.experiments.soft import plan as soft_plan
    from hedgerow.experiments.soft import steps as soft_steps
    from hedgerow.workflow.config import permutations_of

    plan = declared_plan(soft_plan.SoftPlan, snakemake.params.plan, [snakemake.wildcards.dataset])
    learnt = soft_steps.learn(
        read_tidy(snakemake.input.table),
        read_each(snakemake.input, "splits", "samples", "seeds"),
        read_each(snakemake.input, "calibration")["calibration"],
        plan,
        permutations=permutations_of(snakemake.wildcards.chunk),
    )
    write_each(snakemake.output, learnt, write_parquet)
