"""The numbers behind the illustrations of chapter 3."""

from hedgerow.workflow.jobs import declared_plan, job, write_each, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.experiments import soft_illustration

    plan = declared_plan(soft_illustration.SoftIllustrationPlan, snakemake.params.plan)
    results = soft_illustration.results(read_tidy(snakemake.input.table), plan)
    write_each(snakemake.output, results, write_parquet)
