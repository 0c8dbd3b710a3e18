# Which learner answers which doubt: all of them on the same data, in the conditions of the registered
# suite (config/suite.yaml).

uncertainty_benchmark_datasets = config["uncertainty_benchmark"]["datasets"]
uncertainty_benchmark_people = config["uncertainty_benchmark"]["people_dataset"]

# Repeats are run in chunks; results do not depend on how they are cut.
uncertainty_benchmark_repeats = chunks(
    config["uncertainty_benchmark"]["n_repeats"],
    config["uncertainty_benchmark"]["chunk"],
)

# What splits of persons gave, chunk by chunk.
uncertainty_benchmark_people_rows = expand(
    "data/results/uncertainty_benchmark/people/{dataset}_{chunk}.parquet",
    dataset=uncertainty_benchmark_people,
    chunk=chunks(
        config["uncertainty_benchmark"]["n_people"],
        config["uncertainty_benchmark"]["chunk"],
    ),
)


rule uncertainty_benchmark_run:
    input:
        table="data/tidy/{dataset}.parquet",
        suite="config/suite.yaml",
    output:
        "data/results/uncertainty_benchmark/chunks/{dataset}_{chunk}.parquet",
    log:
        "data/logs/uncertainty_benchmark/run/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "uncertainty_benchmark.steps:run"),
    message:
        "All answers to doubt on {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule uncertainty_benchmark_people:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/uncertainty_benchmark/people/{dataset}_{chunk}.parquet",
    log:
        "data/logs/uncertainty_benchmark/people/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "uncertainty_benchmark.repeated_recordings:people"),
    message:
        "Recordings of the same person in {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


# What the rule of thumb is, and how honest.
uncertainty_benchmark_thumb = {
    name: f"data/results/uncertainty_benchmark/{name}.parquet"
    for name in ("leaves", "honesty")
}

tails["uncertainty_benchmark"] = Tail(
    "uncertainty_benchmark",
    "all answers",
    sorted({*uncertainty_benchmark_datasets, uncertainty_benchmark_people}),
    parts={
        "rows": expand(
            "data/results/uncertainty_benchmark/chunks/{dataset}_{chunk}.parquet",
            dataset=uncertainty_benchmark_datasets,
            chunk=uncertainty_benchmark_repeats,
        )
    },
    files={
        **uncertainty_benchmark_thumb,
        "people": uncertainty_benchmark_people_rows,
        "suite": "config/suite.yaml",
    },
    read=["config/suite.yaml"],
    made=[*uncertainty_benchmark_thumb.values(), *uncertainty_benchmark_people_rows],
)


rule uncertainty_benchmark_rule:
    input:
        rows=tails["uncertainty_benchmark"].statistics["rows"],
        suite="config/suite.yaml",
    output:
        **uncertainty_benchmark_thumb,
    log:
        "data/logs/uncertainty_benchmark/rule.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "uncertainty_benchmark.rule:rule"),
    message:
        "The rule of thumb, and how honest it is"
    script:
        "../scripts/step.py"
