"""The report: a small site that opens from disk, composed of the sections of the experiments."""

from hedgerow_study.workflow.jobs.frame import job, written_by

with job(snakemake) as record:
    from pathlib import Path

    from hedgerow.data import load_registry
    from hedgerow.files import read_json, write_json, write_text
    from hedgerow_study.reporting.html import Section
    from hedgerow_study.reporting.manifest import checksums
    from hedgerow_study.reporting.site import pages
    from hedgerow_study.workflow.showing.site import FOLDER, content

    sections = [Section.from_dict(read_json(path)) for path in snakemake.input.sections]
    params = snakemake.params
    made = pages(
        content(
            sections,
            load_registry(snakemake.input.registry),
            params.used,
            params.configuration,
            params.seed,
            snakemake.input.cells,
            params.checkout,
            params.local_data,
        )
    )
    files = [path for path in written_by(snakemake) if path != snakemake.output.pages]
    paths = {Path(path).relative_to(FOLDER).as_posix(): path for path in files}
    if set(paths) != set(made):
        raise KeyError(f"planned and made differ: {sorted(set(paths) ^ set(made))[:5]}")
    for name, text in made.items():
        write_text(paths[name], text)
    write_json(snakemake.output.pages, checksums(Path(), params.pages))
    record["kept"] = params.pages
