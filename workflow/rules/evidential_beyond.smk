# Beyond the paper of E2M: other answers to doubt, intervals, votes, doubts that are misjudged.
# Noise, growth and pruning are those of `evidential`.

evidential_beyond_datasets = config["evidential_beyond"]["datasets"]

# Repeats are run in chunks; results do not depend on how they are cut.
evidential_beyond_repeats = chunks(
    config["evidential_beyond"]["n_repeats"], config["evidential_beyond"]["chunk"]
)


rule evidential_beyond_run:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/evidential_beyond/chunks/{dataset}_{chunk}.parquet",
    log:
        "data/logs/evidential_beyond/run/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "evidential_beyond.steps:run"),
    message:
        "Beyond E2M on {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule evidential_beyond_statistics:
    input:
        rows=expand(
            "data/results/evidential_beyond/chunks/{dataset}_{chunk}.parquet",
            dataset=evidential_beyond_datasets,
            chunk=evidential_beyond_repeats,
        ),
    output:
        rows="data/results/evidential_beyond/rows.parquet",
        statistics="data/results/evidential_beyond/statistics.parquet",
    log:
        "data/logs/evidential_beyond/statistics.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "evidential_beyond.statistics:merged"),
    message:
        "Significance tests of what goes beyond E2M"
    script:
        "../scripts/step.py"


rule evidential_beyond_tables:
    input:
        rows=rules.evidential_beyond_statistics.output.rows,
        statistics=rules.evidential_beyond_statistics.output.statistics,
    output:
        **items(
            config,
            "evidential_beyond.tables",
            "evidential_beyond_sweep",
            "evidential_beyond_repeated",
            "evidential_beyond_annotators",
            "evidential_beyond_misjudged",
        ),
    log:
        "data/logs/evidential_beyond/tables.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "evidential_beyond.tables"),
    message:
        "Tables of what goes beyond E2M"
    script:
        "../scripts/step.py"


rule evidential_beyond_figures:
    input:
        rows=rules.evidential_beyond_statistics.output.rows,
    output:
        **items(
            config,
            "evidential_beyond.figures",
            "evidential_beyond_levels",
            "evidential_beyond_doubts",
        ),
    log:
        "data/logs/evidential_beyond/figures.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "evidential_beyond.figures"),
    message:
        "Figures of what goes beyond E2M"
    script:
        "../scripts/step.py"


rule evidential_beyond_claims:
    input:
        rows=rules.evidential_beyond_statistics.output.rows,
        statistics=rules.evidential_beyond_statistics.output.statistics,
        specification="config/claims.yaml",
        stated="data/published/claims.csv",
    output:
        "data/results/evidential_beyond/claims.parquet",
    log:
        "data/logs/evidential_beyond/claims.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "evidential_beyond.claims:claims"),
    message:
        "Questions beyond E2M"
    script:
        "../scripts/step.py"


rule evidential_beyond_page:
    input:
        tables=rules.evidential_beyond_tables.output,
        figures=rules.evidential_beyond_figures.output,
        captions=[
            rules.evidential_beyond_tables.output,
            rules.evidential_beyond_figures.output,
        ],
        claims=rules.evidential_beyond_claims.output,
    output:
        "data/results/evidential_beyond/section.json",
    log:
        "data/logs/evidential_beyond/section.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "evidential_beyond.page:section"),
    message:
        "What goes beyond E2M in the report"
    script:
        "../scripts/step.py"


# For the manifest, as in report.smk.
evidential_beyond_reported = {
    "datasets": evidential_beyond_datasets,
    "read": ["config/claims.yaml", "data/published/claims.csv"],
    "made": [
        rules.evidential_beyond_statistics.output,
        rules.evidential_beyond_tables.output,
        rules.evidential_beyond_figures.output,
        rules.evidential_beyond_claims.output,
        rules.evidential_beyond_page.output,
    ],
}
