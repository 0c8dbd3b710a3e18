"""Prune the trees of one data set at every confidence and evaluate them."""

from hedgerow.workflow.jobs import declared_plan, job, read_each, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.experiments import soft_sweep
    from hedgerow.experiments.soft import SoftPlan

    datasets = [snakemake.wildcards.dataset]
    rows = soft_sweep.evaluate(
        read_each(snakemake.input, "trees")["trees"],
        read_each(snakemake.input, "splits", "samples", "seeds"),
        read_tidy(snakemake.input.table),
        declared_plan(soft_sweep.SweepPlan, snakemake.params.plan, datasets),
        declared_plan(SoftPlan, snakemake.params.learners, datasets),
    )
    write_parquet(snakemake.output[0], rows)
