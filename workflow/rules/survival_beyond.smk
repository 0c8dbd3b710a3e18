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


tails["survival_beyond"] = Tail(
    "survival_beyond",
    "what goes beyond chapter 6",
    survival_beyond_datasets,
    parts={
        name: expand(
            f"data/results/survival_beyond/chunks/{{dataset}}_{{chunk}}_{name}.parquet",
            dataset=survival_beyond_datasets,
            chunk=survival_beyond_chunks,
        )
        for name in survival_beyond_measured
    },
    files={
        "measured": expand(
            "data/results/survival_beyond/{name}.parquet", name=survival_beyond_measured
        )
    },
    given={"library": survival_beyond_library},
)
