"""The manifest: checksums of everything read and made, versions, code, settings and seeds."""

from hedgerow.workflow.jobs import absence, job

with job(snakemake):
    from pathlib import Path

    from hedgerow.errors import DataError
    from hedgerow.files import read_json, write_text
    from hedgerow.reporting.manifest import manifest, sums, to_json

    sources, raw, absent = {}, [], []
    for path in map(Path, snakemake.input.sources):
        source = read_json(path)
        if absence(path) is not None:
            absent.append(source["dataset"])
            continue
        sources[source["dataset"]] = source
        raw.append(path.with_name(source["file"]))
        if not raw[-1].is_file():
            raise DataError(
                f"{raw[-1]}: no such file", remedy="delete the folder and fetch the set again"
            )
    content = manifest(
        ".",
        inputs=[*raw, *snakemake.input.read],
        outputs=[*snakemake.input.sources, *snakemake.input.made],
        configuration=snakemake.params.configuration,
        sources=sources,
        absent=absent,
        jobs=snakemake.params.jobs,
        given=snakemake.params.given,
        code=snakemake.params.state,
    )
    text = to_json(content)
    write_text(snakemake.output.sums, sums(content, text))
    write_text(snakemake.output.manifest, text)
