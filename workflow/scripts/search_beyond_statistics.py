"""Join all chunks, so that nothing tells how they were cut, and test every comparison."""

from hedgerow.workflow.jobs import job, present, write_each, write_parquet

with job(snakemake):
    import pandas as pd

    from hedgerow.experiments.search_beyond import statistics as search_beyond_statistics
    from hedgerow.experiments.search_beyond import steps as search_beyond_steps

    there = set(present(list(snakemake.input)))  # an error if no data set of any part is
    whole = {
        name: search_beyond_steps.merge([pd.read_parquet(p) for p in paths if p in there], name)
        for name, paths in snakemake.input.items()
    }
    tests = search_beyond_statistics.statistics(whole)
    write_each(snakemake.output, {**whole, "statistics": tests}, write_parquet)
