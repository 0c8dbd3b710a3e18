"""Bring one data set into its typed form, compare its fingerprint and check its values."""

from hedgerow.workflow.jobs import job

with job(snakemake):
    from pathlib import Path

    from hedgerow.data import check_table, load_registry, read_fetched, tidy, write_tidy

    name = snakemake.wildcards.dataset
    entry = load_registry(snakemake.params.registry, only=name)[name]
    table = tidy(entry, read_fetched(entry, Path(snakemake.input[0]).parent))
    check_table(table)
    write_tidy(snakemake.output[0], table)
