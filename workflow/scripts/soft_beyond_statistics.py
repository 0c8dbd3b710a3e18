"""Join all chunks, so that nothing tells how they were cut, and test every cell."""

from hedgerow.workflow.jobs import job, present, write_each, write_parquet

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments import soft_beyond

    whole = soft_beyond.merge(
        {
            name: [pd.read_parquet(path) for path in present(getattr(snakemake.input, name))]
            for name in ("rows", "draws", "multiples")
        }
    )
    tests = soft_beyond.statistics(whole["rows"])
    write_each(snakemake.output, {**whole, "statistics": tests}, write_parquet)
