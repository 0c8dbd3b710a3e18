"""The report: one page that opens from disk, composed of the sections of the experiments."""

from hedgerow.workflow.jobs import job, write_text

with job(snakemake):
    import json
    from pathlib import Path

    from hedgerow.reporting import html

    sections = [
        html.Section.from_dict(json.loads(Path(path).read_text(encoding="utf-8")))
        for path in snakemake.input.sections
    ]
    write_text(snakemake.output[0], html.page(sections, snakemake.params.configuration))
