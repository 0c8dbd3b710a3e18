# Readings of the papers: jobs of the experiments made again under the alternatives that
# config/readings.yaml names, in one process for each data set, and judged by the same rules. Which
# jobs these are, and what they read, follows from the rules of the experiments and of the audit,
# which stand above.

try:
    readings_read = Readings(workflow, config)
except HedgerowError as error:
    sys.exit(str(error))


# Rows of one data set under all alternatives that its experiment's readings need.
rule readings_run:
    input:
        readings_read.files,
    output:
        "data/results/readings/runs/{dataset}/{word}.tar.xz",
    log:
        "data/logs/readings/run/{dataset}_{word}.log",
    conda:
        "../../environment.yml"
    params:
        **readings_read.params("run"),
        script=script_digest("readings"),
    message:
        "Readings of {wildcards.word} on {wildcards.dataset}"
    script:
        "../scripts/readings.py"


# Claims of one experiment under each of its readings.
rule readings_judge:
    input:
        runs=readings_read.runs,
        rows=readings_read.rows,
    output:
        "data/results/readings/judged/{word}.parquet",
        "data/results/readings/cells/{word}.parquet",
    log:
        "data/logs/readings/judge/{word}.log",
    conda:
        "../../environment.yml"
    params:
        **readings_read.params("judge"),
        script=script_digest("readings"),
    message:
        "Claims of {wildcards.word} under each reading"
    script:
        "../scripts/readings.py"


rule readings_statistics:
    input:
        judged=expand(
            "data/results/readings/judged/{word}.parquet", word=readings_read.words
        ),
        cells=expand(
            "data/results/readings/cells/{word}.parquet", word=readings_read.words
        ),
        choices="config/readings.yaml",
    output:
        claims="data/results/readings/claims_by_reading.parquet",
        points="data/results/readings/points.parquet",
        taken="data/results/readings/taken.parquet",
        shares="data/results/readings/shares.parquet",
        nearest="data/results/readings/nearest.parquet",
    log:
        "data/logs/readings/statistics.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "readings.statistics:summarise"),
    message:
        "Verdicts over all readings"
    script:
        "../scripts/step.py"


rule readings_tables:
    input:
        claims=rules.readings_statistics.output.claims,
        points=rules.readings_statistics.output.points,
        nearest=rules.readings_statistics.output.nearest,
        choices="config/readings.yaml",
    output:
        **items(
            config,
            "readings.tables",
            "readings_verdicts",
            "readings_points",
            "readings_choices",
            "readings_nearest",
        ),
    log:
        "data/logs/readings/tables.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "readings.tables"),
    message:
        "Tables of the readings"
    script:
        "../scripts/step.py"


rule readings_figures:
    input:
        claims=rules.readings_statistics.output.claims,
        points=rules.readings_statistics.output.points,
        taken=rules.readings_statistics.output.taken,
    output:
        **items(
            config,
            "readings.figures",
            "readings_curves",
        ),
    log:
        "data/logs/readings/figures.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "readings.figures"),
    message:
        "Curves of the readings"
    script:
        "../scripts/step.py"


rule readings_page:
    input:
        tables=rules.readings_tables.output,
        figures=rules.readings_figures.output,
        captions=[rules.readings_tables.output, rules.readings_figures.output],
    output:
        "data/results/readings/section.json",
    log:
        "data/logs/readings/section.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "readings.page:section"),
    message:
        "Readings in the report"
    script:
        "../scripts/step.py"


# For the manifest, as in report.smk.
readings_reported = {
    "datasets": readings_read.datasets,
    "read": ["config/readings.yaml", "config/claims.yaml", "data/published/claims.csv"],
    "made": [
        [readings_read.runs_of(word) for word in readings_read.words],
        rules.readings_statistics.input.judged,
        rules.readings_statistics.input.cells,
        rules.readings_statistics.output,
        rules.readings_tables.output,
        rules.readings_figures.output,
        rules.readings_page.output,
    ],
}
