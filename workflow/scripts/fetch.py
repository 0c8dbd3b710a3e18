"""Fetch the file of one data set from the first source that answers, or say that none did."""

from hedgerow_study.workflow.jobs.frame import job, write_absence

# A user may edit the data file: no record holds its checksum.
with job(snakemake, apart=[snakemake.output.data]):
    import sys
    from pathlib import Path

    from hedgerow.data import NoSourceError, load_registry
    from hedgerow.data.versions import fetch_version, local_versions

    name, registry = snakemake.wildcards.source, snakemake.params.registry
    entry = load_registry(registry, only=name)[name]
    folder = Path(snakemake.output.record).parent
    try:
        local = local_versions(registry).get(name)
        fetch_version(entry, folder, snakemake.config["mirror"], local)
    except NoSourceError as error:
        print(f"fetch: {error}", file=sys.stderr)
        write_absence(snakemake.output.record, error.message)
        Path(snakemake.output.registered).write_bytes(b"")
        # What a user has put there is not emptied.
        Path(snakemake.output.data).touch()
