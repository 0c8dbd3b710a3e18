"""Tables of what goes beyond chapter 4."""

from hedgerow.workflow.jobs import declared_plan, job, read_each, write_csv

with job(snakemake):
    from hedgerow.experiments.search_beyond import tables as search_beyond_tables
    from hedgerow.experiments.search_beyond.plan import SearchBeyondPlan

    plan = declared_plan(SearchBeyondPlan, snakemake.params.plan)
    made = read_each(snakemake.input, "optimum", "selection", "anytime", "statistics")
    statistics = made.pop("statistics")
    # Output and function share the table's id.
    for name, path in snakemake.output.items():
        write_csv(path, getattr(search_beyond_tables, name)(made, statistics, plan))
