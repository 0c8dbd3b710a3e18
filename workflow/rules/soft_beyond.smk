# Beyond chapter 3 of the thesis: noise that is not Gaussian and models that match it or not, class
# noise, noise on categories. Divisions, folds and pruning confidence are those of `soft`.

soft_beyond_datasets = config["soft_beyond"]["datasets"]
soft_beyond_categorical = config["soft_beyond"]["categorical_datasets"]

# Permutations are run in chunks; results do not depend on how they are cut.
soft_beyond_chunks = chunks(
    config["soft_beyond"]["n_permutations"], config["soft_beyond"]["chunk"]
)

# The protocol of experiments 1 and 2.
soft_beyond_protocol = settings(
    config, "soft", "gate_at", "min_samples_split", "step", "window"
)

# What a table or caption may state: all settings, but not how the work was cut into jobs.
soft_beyond_stated = settings(
    config,
    "soft_beyond",
    *({*config["soft_beyond"], "configuration", "seed"} - {"chunk"}),
)


# Noise on numeric variables and on classes: the same data sets, one job for both.
rule soft_beyond_numeric:
    input:
        table="data/tidy/{dataset}.parquet",
        splits="data/noised/soft/{dataset}/splits.parquet",
        calibration="data/calibrated/soft/{dataset}.parquet",
    output:
        rows="data/results/soft_beyond/chunks/numeric/{dataset}_{chunk}_rows.parquet",
        draws="data/results/soft_beyond/chunks/numeric/{dataset}_{chunk}_draws.parquet",
        multiples="data/results/soft_beyond/chunks/numeric/{dataset}_{chunk}_multiples.parquet",
    log:
        "data/logs/soft_beyond/numeric/{dataset}_{chunk}.log",
    benchmark:
        "data/jobs/soft_beyond/numeric/{dataset}_{chunk}.tsv"
    conda:
        "../../environment.yml"
    params:
        parts=["noise_models", "class_noise"],
        plan={
            **soft_beyond_protocol,
            **settings(
                config,
                "soft_beyond",
                "class_noise",
                "factors",
                "families",
                "noise_factors",
                "seed",
            ),
        },
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.soft_beyond.plan:SoftBeyondPlan",
            "experiments.soft_beyond.steps:run_parts",
        ),
    message:
        "Other noise on {wildcards.dataset}, permutations {wildcards.chunk}"
    script:
        "../scripts/soft_beyond_run.py"


rule soft_beyond_categories:
    input:
        table="data/tidy/{dataset}.parquet",
        splits="data/noised/soft/{dataset}/splits.parquet",
        calibration="data/calibrated/soft/{dataset}.parquet",
    output:
        rows="data/results/soft_beyond/chunks/categories/{dataset}_{chunk}_rows.parquet",
        draws="data/results/soft_beyond/chunks/categories/{dataset}_{chunk}_draws.parquet",
        multiples="data/results/soft_beyond/chunks/categories/{dataset}_{chunk}_multiples.parquet",
    log:
        "data/logs/soft_beyond/categories/{dataset}_{chunk}.log",
    benchmark:
        "data/jobs/soft_beyond/categories/{dataset}_{chunk}.tsv"
    conda:
        "../../environment.yml"
    params:
        parts=["categorical_noise"],
        plan={
            **soft_beyond_protocol,
            **settings(config, "soft_beyond", "category_noise", "factors", "seed"),
        },
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.soft_beyond.plan:SoftBeyondPlan",
            "experiments.soft_beyond.steps:run_parts",
        ),
    message:
        "Noise on categories of {wildcards.dataset}, permutations {wildcards.chunk}"
    script:
        "../scripts/soft_beyond_run.py"


rule soft_beyond_statistics:
    input:
        rows=[
            expand(
                "data/results/soft_beyond/chunks/numeric/{dataset}_{chunk}_rows.parquet",
                dataset=soft_beyond_datasets,
                chunk=soft_beyond_chunks,
            ),
            expand(
                "data/results/soft_beyond/chunks/categories/{dataset}_{chunk}_rows.parquet",
                dataset=soft_beyond_categorical,
                chunk=soft_beyond_chunks,
            ),
        ],
        draws=[
            expand(
                "data/results/soft_beyond/chunks/numeric/{dataset}_{chunk}_draws.parquet",
                dataset=soft_beyond_datasets,
                chunk=soft_beyond_chunks,
            ),
            expand(
                "data/results/soft_beyond/chunks/categories/{dataset}_{chunk}_draws.parquet",
                dataset=soft_beyond_categorical,
                chunk=soft_beyond_chunks,
            ),
        ],
        multiples=expand(
            "data/results/soft_beyond/chunks/numeric/{dataset}_{chunk}_multiples.parquet",
            dataset=soft_beyond_datasets,
            chunk=soft_beyond_chunks,
        ),
    output:
        rows="data/results/soft_beyond/rows.parquet",
        draws="data/results/soft_beyond/draws.parquet",
        multiples="data/results/soft_beyond/multiples.parquet",
        statistics="data/results/soft_beyond/statistics.parquet",
    log:
        "data/logs/soft_beyond/statistics.log",
    benchmark:
        "data/jobs/soft_beyond/statistics.tsv"
    conda:
        "../../environment.yml"
    params:
        code=digest_of(
            "experiments.soft_beyond.steps:merge",
            "experiments.soft_beyond.statistics:statistics",
        ),
    message:
        "Significance tests of other noise"
    script:
        "../scripts/soft_beyond_statistics.py"


rule soft_beyond_tables:
    input:
        rows=rules.soft_beyond_statistics.output.rows,
        statistics=rules.soft_beyond_statistics.output.statistics,
    output:
        soft_beyond_noise_models=report(
            "reports/tables/soft_beyond_noise_models.csv",
            caption="../report/soft_beyond_noise_models.rst",
            category="soft_beyond",
            labels={
                "table": "table of noise families and noise models",
                "paper": "none: beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        soft_beyond_class_noise=report(
            "reports/tables/soft_beyond_class_noise.csv",
            caption="../report/soft_beyond_class_noise.rst",
            category="soft_beyond",
            labels={
                "table": "table of class noise",
                "paper": "none: beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        soft_beyond_categorical_noise=report(
            "reports/tables/soft_beyond_categorical_noise.csv",
            caption="../report/soft_beyond_categorical_noise.rst",
            category="soft_beyond",
            labels={
                "table": "table of noise on categories",
                "paper": "none: beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
    log:
        "data/logs/soft_beyond/tables.log",
    benchmark:
        "data/jobs/soft_beyond/tables.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=soft_beyond_stated,
        code=digest_of(
            "experiments.soft_beyond.plan:SoftBeyondPlan",
            "experiments.soft_beyond.tables:soft_beyond_categorical_noise",
            "experiments.soft_beyond.tables:soft_beyond_class_noise",
            "experiments.soft_beyond.tables:soft_beyond_noise_models",
        ),
    message:
        "Tables of other noise"
    script:
        "../scripts/soft_beyond_tables.py"


rule soft_beyond_figures:
    input:
        tables=rules.soft_beyond_tables.output,
    output:
        soft_beyond_matching=report(
            "reports/figures/soft_beyond_matching.svg",
            caption="../report/soft_beyond_matching.rst",
            category="soft_beyond",
            labels={
                "table": "figure of noise families and noise models",
                "paper": "none: beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        soft_beyond_labels=report(
            "reports/figures/soft_beyond_labels.svg",
            caption="../report/soft_beyond_labels.rst",
            category="soft_beyond",
            labels={
                "table": "figure of class noise and noise on categories",
                "paper": "none: beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        soft_beyond_matching_png="reports/figures/soft_beyond_matching.png",
        soft_beyond_labels_png="reports/figures/soft_beyond_labels.png",
    log:
        "data/logs/soft_beyond/figures.log",
    benchmark:
        "data/jobs/soft_beyond/figures.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=soft_beyond_stated,
        code=digest_of(
            "experiments.soft_beyond.plan:SoftBeyondPlan",
            "reporting.figures:save",
            "experiments.soft_beyond.figures:soft_beyond_labels",
            "experiments.soft_beyond.figures:soft_beyond_matching",
        ),
    message:
        "Figures of other noise"
    script:
        "../scripts/soft_beyond_figures.py"


rule soft_beyond_section:
    input:
        tables=rules.soft_beyond_tables.output,
        figures=rules.soft_beyond_figures.output,
        rows=rules.soft_beyond_statistics.output.rows,
    output:
        "data/results/soft_beyond/section.json",
    log:
        "data/logs/soft_beyond/section.log",
    benchmark:
        "data/jobs/soft_beyond/section.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=soft_beyond_stated,
        code=digest_of(
            "experiments.soft_beyond.plan:SoftBeyondPlan",
            "experiments.soft_beyond.page:section",
        ),
    message:
        "Other noise in the report"
    script:
        "../scripts/soft_beyond_section.py"


# For the manifest: data sets, what was read and not made, and what was made.
soft_beyond_reported = {
    "datasets": sorted({*soft_beyond_datasets, *soft_beyond_categorical}),
    "read": [],
    "made": [
        expand(
            "data/noised/soft/{dataset}/splits.parquet",
            dataset=sorted({*soft_beyond_datasets, *soft_beyond_categorical}),
        ),
        expand(
            "data/calibrated/soft/{dataset}.parquet",
            dataset=sorted({*soft_beyond_datasets, *soft_beyond_categorical}),
        ),
        rules.soft_beyond_statistics.output,
        rules.soft_beyond_tables.output,
        rules.soft_beyond_figures.output,
        rules.soft_beyond_section.output,
    ],
}
