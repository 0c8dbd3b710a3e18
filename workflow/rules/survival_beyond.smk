# Beyond chapter 6 of the thesis: other models of survival, weights for the censored, repeated
# measurements, trees of bootstrap samples. Divisions and trees are those of `survival`.

survival_beyond_datasets = config["survival_beyond"]["datasets"]

# What makes cohorts of data sets, by their keys.
survival_beyond_cohorts = cohort_facts(registry, survival_beyond_datasets)

# An optional library grows random survival forests: installing it runs their jobs again.
survival_beyond_library = version_of("scikit-survival")

# Divisions are run in chunks; results do not depend on how they are cut.
survival_beyond_chunks = chunks(
    config["survival_beyond"]["n_splits"], config["survival_beyond"]["chunk"]
)

# What is measured of each cohort, by name: on its divisions, and on all patients.
survival_beyond_divided = ["scores", "weights", "measurement"]
survival_beyond_whole = ["stability", "roots"]


# The trees of the divisions, and the settings that were tuned on the first.
rule survival_beyond_learn:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        trees="data/trees/survival_beyond/{dataset}_{chunk}.parquet",
        tuning="data/results/survival_beyond/tuning/{dataset}_{chunk}.parquet",
    log:
        "data/logs/survival_beyond/learn/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "survival_beyond.steps:learn", cohorts=survival_beyond_cohorts),
    message:
        "Risk groups of {wildcards.dataset}, divisions {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule survival_beyond_scores:
    input:
        table="data/tidy/{dataset}.parquet",
        trees="data/trees/survival_beyond/{dataset}_{chunk}.parquet",
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


rule survival_beyond_measurement:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/survival_beyond/chunks/{dataset}_{chunk}_measurement.parquet",
    log:
        "data/logs/survival_beyond/measurement/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(
            config,
            "survival_beyond.steps:measurement",
            cohorts=survival_beyond_cohorts,
        ),
    message:
        "Repeated measurements of {wildcards.dataset}, divisions {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule survival_beyond_stability:
    input:
        table="data/tidy/{dataset}.parquet",
        # Of the first division, which other chunks do not hold.
        tuning=f"data/results/survival_beyond/tuning/{{dataset}}_{survival_beyond_chunks[0]}.parquet",
    output:
        stability="data/results/survival_beyond/cohorts/{dataset}_stability.parquet",
        roots="data/results/survival_beyond/cohorts/{dataset}_roots.parquet",
    log:
        "data/logs/survival_beyond/stability/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        **step(
            config, "survival_beyond.steps:stability", cohorts=survival_beyond_cohorts
        ),
    message:
        "Bootstrap samples of {wildcards.dataset}"
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
            for name in survival_beyond_divided
        },
        **{
            name: expand(
                f"data/results/survival_beyond/cohorts/{{dataset}}_{name}.parquet",
                dataset=survival_beyond_datasets,
            )
            for name in survival_beyond_whole
        },
    output:
        **{
            name: f"data/results/survival_beyond/{name}.parquet"
            for name in [*survival_beyond_divided, *survival_beyond_whole]
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
            rules.survival_beyond_statistics.output.measurement,
            rules.survival_beyond_statistics.output.stability,
        ],
        statistics=rules.survival_beyond_statistics.output.statistics,
    output:
        **items(
            config,
            "survival_beyond.tables",
            "survival_beyond_scores",
            "survival_beyond_weights",
            "survival_beyond_errors",
            "survival_beyond_measurement",
            "survival_beyond_stability",
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
            rules.survival_beyond_statistics.output.measurement,
            rules.survival_beyond_statistics.output.stability,
        ],
        roots=rules.survival_beyond_statistics.output.roots,
    output:
        **items(
            config,
            "survival_beyond.figures",
            "survival_beyond_models",
            "survival_beyond_calibration",
            "survival_beyond_repeats",
            "survival_beyond_roots",
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
        measurement=rules.survival_beyond_statistics.output.measurement,
        stability=rules.survival_beyond_statistics.output.stability,
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
        expand(
            [
                "data/trees/survival_beyond/{dataset}_{chunk}.parquet",
                "data/results/survival_beyond/tuning/{dataset}_{chunk}.parquet",
            ],
            dataset=survival_beyond_datasets,
            chunk=survival_beyond_chunks,
        ),
        rules.survival_beyond_statistics.output,
        rules.survival_beyond_tables.output,
        rules.survival_beyond_figures.output,
        rules.survival_beyond_claims.output,
        rules.survival_beyond_page.output,
    ],
}
