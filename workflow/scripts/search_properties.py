"""Properties of one data set (thesis 4.5.2)."""

from hedgerow.workflow.jobs import declared_plan, job, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.experiments.search import properties as search_properties
    from hedgerow.experiments.search.plan import SearchPlan

    plan = declared_plan(SearchPlan, snakemake.params.plan, [snakemake.wildcards.dataset])
    found = search_properties.properties(read_tidy(snakemake.input.table), plan)
    write_parquet(snakemake.output[0], found)
