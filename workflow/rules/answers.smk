# Which learner answers which doubt: all of them on the same data, in the conditions of the registered
# suite (config/suite.yaml).

answers_datasets = config["answers"]["datasets"]
answers_people = config["answers"]["people_dataset"]

# Repeats are run in chunks; results do not depend on how they are cut.
answers_repeats = chunks(config["answers"]["n_repeats"], config["answers"]["chunk"])

# What divisions of persons gave, chunk by chunk.
answers_people_rows = expand(
    "data/results/answers/people/{dataset}_{chunk}.parquet",
    dataset=answers_people,
    chunk=chunks(config["answers"]["n_people"], config["answers"]["chunk"]),
)


rule answers_run:
    input:
        table="data/tidy/{dataset}.parquet",
        suite="config/suite.yaml",
    output:
        "data/results/answers/chunks/{dataset}_{chunk}.parquet",
    log:
        "data/logs/answers/run/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "answers.steps:run"),
    message:
        "All answers to doubt on {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule answers_people:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/answers/people/{dataset}_{chunk}.parquet",
    log:
        "data/logs/answers/people/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "answers.people:people"),
    message:
        "Recordings of the same person in {wildcards.dataset}, divisions {wildcards.chunk}"
    script:
        "../scripts/step.py"


# What the rule of thumb is, and how honest.
answers_thumb = {
    name: f"data/results/answers/{name}.parquet" for name in ("leaves", "honesty")
}

tails["answers"] = Tail(
    "answers",
    "all answers",
    sorted({*answers_datasets, answers_people}),
    parts={
        "rows": expand(
            "data/results/answers/chunks/{dataset}_{chunk}.parquet",
            dataset=answers_datasets,
            chunk=answers_repeats,
        )
    },
    files={
        **answers_thumb,
        "people": answers_people_rows,
        "suite": "config/suite.yaml",
    },
    read=["config/suite.yaml"],
    made=[*answers_thumb.values(), *answers_people_rows],
)


rule answers_rule:
    input:
        rows=tails["answers"].statistics["rows"],
        suite="config/suite.yaml",
    output:
        **answers_thumb,
    log:
        "data/logs/answers/rule.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "answers.rule:rule"),
    message:
        "The rule of thumb, and how honest it is"
    script:
        "../scripts/step.py"
