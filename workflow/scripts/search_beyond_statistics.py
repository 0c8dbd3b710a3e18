"""Join all chunks, so that nothing tells how they were cut, and test every comparison."""

from hedgerow.workflow.jobs import job, present, write_each, write_parquet

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments import search_beyond

    whole = {
        name: search_beyond.merge(
            [pd.read_parquet(path) for path in present(getattr(snakemake.input, name))], name
        )
        for name in ("optimum", "thresholds", "selection", "anytime")
    }
    tests = search_beyond.statistics(whole)
    write_each(snakemake.output, {**whole, "statistics": tests}, write_parquet)
