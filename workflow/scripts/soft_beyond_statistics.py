"""Join all chunks, so that nothing tells how they were cut, and test every cell."""

from hedgerow.workflow.jobs import job, present, write_each, write_parquet

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments.soft_beyond import statistics as soft_beyond_statistics
    from hedgerow.experiments.soft_beyond import steps as soft_beyond_steps

    whole = soft_beyond_steps.merge(
        {
            name: [pd.read_parquet(path) for path in present(getattr(snakemake.input, name))]
            for name in ("rows", "draws", "multiples")
        }
    )
    tests = soft_beyond_statistics.statistics(whole["rows"])
    write_each(snakemake.output, {**whole, "statistics": tests}, write_parquet)
