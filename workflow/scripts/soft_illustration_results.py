"""The numbers behind the illustrations of chapter 3."""

from hedgerow.workflow.jobs import declared_plan, job, write_each, write_parquet

with job(snakemake):
    from hedgerow.data import read_tidy
    from hedgerow.experiments.soft_illustration import plan as soft_illustration_plan
    from hedgerow.experiments.soft_illustration import steps as soft_illustration_steps

    plan = declared_plan(soft_illustration_plan.SoftIllustrationPlan, snakemake.params.plan)
    results = soft_illustration_steps.results(read_tidy(snakemake.input.table), plan)
    write_each(snakemake.output, results, write_parquet)
