"""Fetch the file of one data set from the first source that answers, or say that none did."""

from hedgerow.workflow.jobs import job, note_attempt, write_absence

with job(snakemake):
    import sys
    from pathlib import Path

    from hedgerow.data import NoSourceError, fetch, load_registry

    name = snakemake.wildcards.dataset
    entry = load_registry(snakemake.params.registry, only=name)[name]
    path = Path(snakemake.output[0])
    try:
        fetch(entry, path.parent, mirror=snakemake.config["mirror"])
    except NoSourceError as error:
        # Every table names the set as absent; the next run tries again.
        print(f"fetch: {error}", file=sys.stderr)
        note_attempt(path)
        write_absence(path, error.message)
