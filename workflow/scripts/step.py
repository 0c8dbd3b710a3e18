"""Run the function that the rule names."""

from hedgerow_study.workflow.steps import run

run(snakemake)
