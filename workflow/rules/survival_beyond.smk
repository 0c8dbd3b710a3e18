# Beyond chapter 6 of the thesis: other models of survival, weights for the censored. Divisions and
# trees are those of `survival`.

survival_beyond_datasets = config["survival_beyond"]["datasets"]

# What makes cohorts of data sets, by their keys.
survival_beyond_cohorts = cohort_facts(registry, survival_beyond_datasets)

# An optional library grows random survival forests: installing it runs their jobs again.
survival_beyond_library = version_of("scikit-survival")

# Divisions are run in chunks; results do not depend on how they are cut.
survival_beyond_chunks = chunks(
    config["survival_beyond"]["n_splits"], config["survival_beyond"]["chunk"]
)

# What is measured of each cohort, by name.
survival_beyond_measured = ["scores", "weights"]


rule survival_beyond_scores:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/survival_beyond/chunks/{dataset}_{chunk}_scores.parquet",
    log:
        "data/logs/survival_beyond/scores/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(
            config,
            "survival_beyond.steps:scores",
            cohorts=survival_beyond_cohorts,
            library=survival_beyond_library,
        ),
    message:
        "Models of survival on {wildcards.dataset}, divisions {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule survival_beyond_weights:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/survival_beyond/chunks/{dataset}_{chunk}_weights.parquet",
    log:
        "data/logs/survival_beyond/weights/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "survival_beyond.steps:weights", cohorts=survival_beyond_cohorts),
    message:
        "Weights for the censored of {wildcards.dataset}, divisions {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule survival_beyond_statistics:
    input:
        **{
            name: expand(
                f"data/results/survival_beyond/chunks/{{dataset}}_{{chunk}}_{name}.parquet",
                dataset=survival_beyond_datasets,
                chunk=survival_beyond_chunks,
            )
            for name in survival_beyond_measured
        },
    output:
        **{
            name: f"data/results/survival_beyond/{name}.parquet"
            for name in survival_beyond_measured
        },
        statistics="data/results/survival_beyond/statistics.parquet",
    log:
        "data/logs/survival_beyond/statistics.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "survival_beyond.statistics:merged"),
    message:
        "Significance tests of what goes beyond chapter 6"
    script:
        "../scripts/step.py"


rule survival_beyond_tables:
    input:
        measured=[
            rules.survival_beyond_statistics.output.scores,
            rules.survival_beyond_statistics.output.weights,
        ],
        statistics=rules.survival_beyond_statistics.output.statistics,
    output:
        **items(
            config,
            "survival_beyond.tables",
            "survival_beyond_scores",
            "survival_beyond_weights",
            "survival_beyond_comparisons",
        ),
    log:
        "data/logs/survival_beyond/tables.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "survival_beyond.tables", library=survival_beyond_library),
    message:
        "Tables of what goes beyond chapter 6"
    script:
        "../scripts/step.py"


rule survival_beyond_figures:
    input:
        measured=[
            rules.survival_beyond_statistics.output.scores,
            rules.survival_beyond_statistics.output.weights,
        ],
    output:
        **items(
            config,
            "survival_beyond.figures",
            "survival_beyond_models",
        ),
    log:
        "data/logs/survival_beyond/figures.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "survival_beyond.figures", library=survival_beyond_library),
    message:
        "Figures of what goes beyond chapter 6"
    script:
        "../scripts/step.py"


rule survival_beyond_claims:
    input:
        scores=rules.survival_beyond_statistics.output.scores,
        weights=rules.survival_beyond_statistics.output.weights,
        statistics=rules.survival_beyond_statistics.output.statistics,
        specification="config/claims.yaml",
        stated="data/published/claims.csv",
    output:
        "data/results/survival_beyond/claims.parquet",
    log:
        "data/logs/survival_beyond/claims.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "survival_beyond.claims:claims"),
    message:
        "Questions beyond chapter 6"
    script:
        "../scripts/step.py"


rule survival_beyond_page:
    input:
        tables=rules.survival_beyond_tables.output,
        figures=rules.survival_beyond_figures.output,
        captions=[
            rules.survival_beyond_tables.output,
            rules.survival_beyond_figures.output,
        ],
        claims=rules.survival_beyond_claims.output,
    output:
        "data/results/survival_beyond/section.json",
    log:
        "data/logs/survival_beyond/section.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "survival_beyond.page:section", library=survival_beyond_library),
    message:
        "What goes beyond chapter 6 in the report"
    script:
        "../scripts/step.py"


# For the manifest, as in report.smk.
survival_beyond_reported = {
    "datasets": survival_beyond_datasets,
    "read": ["config/claims.yaml", "data/published/claims.csv"],
    "made": [
        rules.survival_beyond_statistics.output,
        rules.survival_beyond_tables.output,
        rules.survival_beyond_figures.output,
        rules.survival_beyond_claims.output,
        rules.survival_beyond_page.output,
    ],
}
