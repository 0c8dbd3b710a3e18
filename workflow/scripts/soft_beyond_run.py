"""Noise beyond the thesis on one data set, some of its permutations."""

from hedgerow.workflow.jobs import declared_plan, job, read_each, write_each, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.experiments import soft_beyond
    from hedgerow.workflow.config import permutations_of

    dataset = [snakemake.wildcards.dataset]
    inputs = read_each(snakemake.input, "splits", "calibration")
    done = soft_beyond.run_parts(
        snakemake.params.parts,
        read_tidy(snakemake.input.table),
        inputs["splits"],
        inputs["calibration"],
        declared_plan(soft_beyond.SoftBeyondPlan, snakemake.params.plan, dataset),
        permutations_of(snakemake.wildcards.chunk),
    )
    write_each(snakemake.output, done, write_parquet)
