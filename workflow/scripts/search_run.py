"""Tune, learn and evaluate on some splits of one data set (thesis 4.5.1)."""

from hedgerow.workflow.jobs import declared_plan, job, write_each, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.experiments.search import plan as search_plan
    from hedgerow.experiments.search import steps as search_steps
    from hedgerow.workflow.config import permutations_of

    plan = declared_plan(
        search_plan.SearchPlan, snakemake.params.plan, [snakemake.wildcards.dataset]
    )
    table = read_tidy(snakemake.input.table)
    done = search_steps.run(table, plan, permutations_of(snakemake.wildcards.chunk))
    write_each(snakemake.output, done, write_parquet)
