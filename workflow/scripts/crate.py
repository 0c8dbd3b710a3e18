"""The run as an RO-Crate: workflow, data with licences and citations, settings, outputs."""

from hedgerow_study.workflow.jobs.frame import absence, job

with job(snakemake):
    from pathlib import Path

    from hedgerow.files import read_yaml, write_text
    from hedgerow_study.reporting.crate import crate

    inputs = dict.fromkeys(snakemake.input.read)
    present = (path for path in snakemake.input.raw if absence(path) is None)
    inputs |= {path: Path(path).parent.name for path in present}
    text = crate(
        ".",
        inputs,
        [*snakemake.input.sources, *snakemake.input.made, *snakemake.params.site],
        snakemake.params.configuration,
        read_yaml(snakemake.input.registry)["datasets"],
        read_yaml(snakemake.input.citation),
        snakemake.params.state,
    )
    write_text(snakemake.output[0], text)
