"""Grow the trees of one data set for the sweep of the pruning confidence."""

from hedgerow.workflow.jobs import declared_plan, job, read_each, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.experiments import soft_sweep
    from hedgerow.experiments.soft import SoftPlan

    datasets = [snakemake.wildcards.dataset]
    trees = soft_sweep.grow(
        read_tidy(snakemake.input.table),
        read_each(snakemake.input, "splits", "samples", "seeds"),
        declared_plan(soft_sweep.SweepPlan, snakemake.params.plan, datasets),
        declared_plan(SoftPlan, snakemake.params.learners, datasets),
    )
    write_parquet(snakemake.output[0], trees)
