"""Rules of selection of UCT-DT on one data set."""

from hedgerow.workflow.jobs import declared_plan, job, write_each, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.experiments.search.plan import SearchPlan
    from hedgerow.experiments.search_beyond import plan as search_beyond_plan
    from hedgerow.experiments.search_beyond import steps as search_beyond_steps
    from hedgerow.workflow.config import permutations_of

    dataset = [snakemake.wildcards.dataset]
    done = search_beyond_steps.selection(
        read_tidy(snakemake.input.table),
        declared_plan(search_beyond_plan.SearchBeyondPlan, snakemake.params.plan, dataset),
        declared_plan(SearchPlan, snakemake.params.protocol, dataset),
        permutations_of(snakemake.wildcards.chunk),
    )
    write_each(snakemake.output, done, write_parquet)
