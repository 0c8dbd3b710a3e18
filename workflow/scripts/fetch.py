"""Fetch the file of one data set from the first source that answers."""

from hedgerow.workflow.jobs import job

with job(snakemake):
    from pathlib import Path

    from hedgerow.data import fetch, load_registry

    entry = load_registry(snakemake.params.registry)[snakemake.wildcards.dataset]
    fetch(entry, Path(snakemake.output[0]).parent, mirror=snakemake.config["mirror"])
