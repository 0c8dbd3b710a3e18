"""Noise beyond the thesis on one data set, some of its permutations."""

from hedgerow.workflow.jobs import declared_plan, job, read_each, write_each, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.experiments.soft_beyond import plan as soft_beyond_plan
    from hedgerow.experiments.soft_beyond import steps as soft_beyond_steps
    from hedgerow.workflow.config import permutations_of

    dataset = [snakemake.wildcards.dataset]
    inputs = read_each(snakemake.input, "splits", "calibration")
    done = soft_beyond_steps.run_parts(
        snakemake.params.parts,
        read_tidy(snakemake.input.table),
        inputs["splits"],
        inputs["calibration"],
        declared_plan(soft_beyond_plan.SoftBeyondPlan, snakemake.params.plan, dataset),
        permutations_of(snakemake.wildcards.chunk),
    )
    write_each(snakemake.output, done, write_parquet)
