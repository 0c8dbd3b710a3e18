"""Bring one data set into its typed form, compare its fingerprint and check its values."""

from hedgerow_study.workflow.jobs.frame import job

with job(snakemake, apart=list(snakemake.input)):
    from hedgerow.data import load_registry, write_tidy
    from hedgerow.data.versions import read_version

    name, registry = snakemake.wildcards.dataset, snakemake.params.registry
    entry = load_registry(registry, only=name)[name]
    write_tidy(snakemake.output[0], read_version(entry, registry))
