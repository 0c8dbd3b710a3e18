# Beyond the paper of ConfDTree: parts of the gain, other learners, categories, probabilities, settings.
# Folds and base trees are those of `confidence`.

confidence_beyond_datasets = config["confidence_beyond"]["datasets"]
confidence_beyond_categorical = config["confidence_beyond"]["categorical_datasets"]

# Cross validations are run in chunks; results do not depend on how they are cut.
confidence_beyond_repeats = chunks(
    config["confidence_beyond"]["n_repeats"], config["confidence_beyond"]["chunk"]
)


rule confidence_beyond_run:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        rows="data/results/confidence_beyond/chunks/{dataset}_{chunk}_rows.parquet",
        bins="data/results/confidence_beyond/chunks/{dataset}_{chunk}_bins.parquet",
    log:
        "data/logs/confidence_beyond/run/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "confidence_beyond.steps:run"),
    message:
        "Beyond ConfDTree on {wildcards.dataset}, cross validations {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule confidence_beyond_categories:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/confidence_beyond/chunks/{dataset}_{chunk}_categories.parquet",
    log:
        "data/logs/confidence_beyond/categories/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "confidence_beyond.steps:categories"),
    message:
        "Doubts of categories on {wildcards.dataset}, cross validations {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule confidence_beyond_statistics:
    input:
        rows=expand(
            "data/results/confidence_beyond/chunks/{dataset}_{chunk}_rows.parquet",
            dataset=confidence_beyond_datasets,
            chunk=confidence_beyond_repeats,
        ),
        categories=expand(
            "data/results/confidence_beyond/chunks/{dataset}_{chunk}_categories.parquet",
            dataset=confidence_beyond_categorical,
            chunk=confidence_beyond_repeats,
        ),
        bins=expand(
            "data/results/confidence_beyond/chunks/{dataset}_{chunk}_bins.parquet",
            dataset=confidence_beyond_datasets,
            chunk=confidence_beyond_repeats,
        ),
    output:
        rows="data/results/confidence_beyond/rows.parquet",
        bins="data/results/confidence_beyond/bins.parquet",
        statistics="data/results/confidence_beyond/statistics.parquet",
    log:
        "data/logs/confidence_beyond/statistics.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "confidence_beyond.statistics:merged"),
    message:
        "Significance tests of what goes beyond ConfDTree"
    script:
        "../scripts/step.py"


rule confidence_beyond_tables:
    input:
        rows=rules.confidence_beyond_statistics.output.rows,
        statistics=rules.confidence_beyond_statistics.output.statistics,
    output:
        **items(
            config,
            "confidence_beyond.tables",
            "confidence_beyond_answers",
            "confidence_beyond_learners",
            "confidence_beyond_categories",
            "confidence_beyond_probabilities",
            "confidence_beyond_settings",
        ),
    log:
        "data/logs/confidence_beyond/tables.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "confidence_beyond.tables"),
    message:
        "Tables of what goes beyond ConfDTree"
    script:
        "../scripts/step.py"


rule confidence_beyond_figures:
    input:
        rows=rules.confidence_beyond_statistics.output.rows,
        bins=rules.confidence_beyond_statistics.output.bins,
        statistics=rules.confidence_beyond_statistics.output.statistics,
    output:
        **items(
            config,
            "confidence_beyond.figures",
            "confidence_beyond_parts",
            "confidence_beyond_gradients",
            "confidence_beyond_calibration",
        ),
    log:
        "data/logs/confidence_beyond/figures.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "confidence_beyond.figures"),
    message:
        "Figures of what goes beyond ConfDTree"
    script:
        "../scripts/step.py"


rule confidence_beyond_claims:
    input:
        rows=rules.confidence_beyond_statistics.output.rows,
        statistics=rules.confidence_beyond_statistics.output.statistics,
        specification="config/claims.yaml",
        stated="data/published/claims.csv",
    output:
        "data/results/confidence_beyond/claims.parquet",
    log:
        "data/logs/confidence_beyond/claims.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "confidence_beyond.claims:claims"),
    message:
        "Questions beyond ConfDTree"
    script:
        "../scripts/step.py"


rule confidence_beyond_page:
    input:
        tables=rules.confidence_beyond_tables.output,
        figures=rules.confidence_beyond_figures.output,
        captions=[
            rules.confidence_beyond_tables.output,
            rules.confidence_beyond_figures.output,
        ],
        claims=rules.confidence_beyond_claims.output,
    output:
        "data/results/confidence_beyond/section.json",
    log:
        "data/logs/confidence_beyond/section.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "confidence_beyond.page:section"),
    message:
        "What goes beyond ConfDTree in the report"
    script:
        "../scripts/step.py"


# For the manifest, as in report.smk.
confidence_beyond_reported = {
    "datasets": sorted({*confidence_beyond_datasets, *confidence_beyond_categorical}),
    "read": ["config/claims.yaml", "data/published/claims.csv"],
    "made": [
        rules.confidence_beyond_statistics.output,
        rules.confidence_beyond_tables.output,
        rules.confidence_beyond_figures.output,
        rules.confidence_beyond_claims.output,
        rules.confidence_beyond_page.output,
    ],
}
