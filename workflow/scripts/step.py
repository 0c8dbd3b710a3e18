"""Run the function that the rule names."""

from hedgerow_study.workflow.jobs.steps import run

run(snakemake)
