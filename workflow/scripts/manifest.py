"""The manifest: checksums of everything read and made, versions, code, settings and seeds."""

from hedgerow_study.workflow.jobs.frame import absence, job

with job(snakemake) as record:
    from dataclasses import asdict
    from pathlib import Path

    from hedgerow.data.versions import local_versions
    from hedgerow.files import read_json, write_text
    from hedgerow_study.reporting.manifest import manifest, sums, to_json

    params = snakemake.params
    records = {Path(path).parent.name: read_json(path) for path in params.sources}
    raw = [path for path in params.raw if absence(path) is None]
    present = {Path(path).parent.name for path in raw}
    datasets = params.datasets.items()
    content = manifest(
        ".",
        inputs=[*raw, *params.read],
        outputs=[*params.sources, *params.made],
        configuration=params.configuration,
        sources={name: records[source] for name, source in datasets if source in present},
        absent=[name for name, source in datasets if source not in present],
        local={
            name: {**asdict(version), "sentence": version.sentence(name)}
            for name, version in local_versions(params.configuration["registry"]).items()
        },
        jobs=params.jobs,
        given=params.given,
        code=params.state,
    )
    # The manifest says that they are kept: where one goes, it is written again.
    record["kept"] = [path for path, kept in content["between"].items() if kept is not None]
    text = to_json(content)
    write_text(snakemake.output.sums, sums(content, text))
    write_text(snakemake.output.manifest, text)
