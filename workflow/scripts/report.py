"""The report: one page that opens from disk, composed of the sections of the experiments."""

from hedgerow.workflow.jobs import job

with job(snakemake):
    from hedgerow.files import read_json, write_text
    from hedgerow.reporting import html

    sections = [html.Section.from_dict(read_json(path)) for path in snakemake.input.sections]
    write_text(snakemake.output[0], html.page(sections, snakemake.params.configuration))
