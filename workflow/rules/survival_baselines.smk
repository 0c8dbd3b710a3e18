# Beyond chapter 6 of the thesis: other models of survival, weights for the censored. Splits and
# trees are those of `survival`.

survival_baselines_datasets = config["survival_baselines"]["datasets"]

# What makes cohorts of data sets, by their keys.
survival_baselines_cohorts = cohort_facts(registry, survival_baselines_datasets)

# An optional library grows random survival forests: installing it runs their jobs again.
survival_baselines_library = version_of("scikit-survival")

# Repeats are run in chunks; results do not depend on how they are cut.
survival_baselines_chunks = chunks(
    config["survival_baselines"]["n_repeats"], config["survival_baselines"]["chunk"]
)

# What is measured of each cohort, by name.
survival_baselines_measured = ["scores", "weights"]


rule survival_baselines_scores:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/survival_baselines/chunks/{dataset}_{chunk}_scores.parquet",
    log:
        "data/logs/survival_baselines/scores/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(
            config,
            "survival_baselines.steps:scores",
            cohorts=survival_baselines_cohorts,
            library=survival_baselines_library,
        ),
    message:
        "Models of survival on {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule survival_baselines_weights:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/survival_baselines/chunks/{dataset}_{chunk}_weights.parquet",
    log:
        "data/logs/survival_baselines/weights/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(
            config,
            "survival_baselines.steps:weights",
            cohorts=survival_baselines_cohorts,
        ),
    message:
        "Weights for the censored of {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


tails["survival_baselines"] = Tail(
    "survival_baselines",
    "what goes beyond chapter 6",
    survival_baselines_datasets,
    parts={
        name: expand(
            f"data/results/survival_baselines/chunks/{{dataset}}_{{chunk}}_{name}.parquet",
            dataset=survival_baselines_datasets,
            chunk=survival_baselines_chunks,
        )
        for name in survival_baselines_measured
    },
    files={
        "measured": expand(
            "data/results/survival_baselines/{name}.parquet",
            name=survival_baselines_measured,
        )
    },
    given={"library": survival_baselines_library},
)
