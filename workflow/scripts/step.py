"""Run the function that the rule names."""

from hedgerow.workflow.steps import run

run(snakemake)
