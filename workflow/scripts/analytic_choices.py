"""Run the experiments' jobs in other analyses, or judge what came out, as the rule says."""

from hedgerow_study.workflow.jobs import analytic_choices

getattr(analytic_choices, snakemake.params.work)(snakemake)
