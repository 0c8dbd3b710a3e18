"""Prune the trees of one data set at every confidence and evaluate them."""

from hedgerow.workflow.jobs import declared_plan, job, read_each, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.experiments.soft.plan import SoftPlan
    from hedgerow.experiments.soft_sweep import plan as soft_sweep_plan
    from hedgerow.experiments.soft_sweep import steps as soft_sweep_steps

    datasets = [snakemake.wildcards.dataset]
    rows = soft_sweep_steps.evaluate(
        read_each(snakemake.input, "trees")["trees"],
        read_each(snakemake.input, "splits", "samples", "seeds"),
        read_tidy(snakemake.input.table),
        declared_plan(soft_sweep_plan.SweepPlan, snakemake.params.plan, datasets),
        declared_plan(SoftPlan, snakemake.params.learners, datasets),
    )
    write_parquet(snakemake.output[0], rows)
