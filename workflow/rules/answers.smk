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


rule answers_statistics:
    input:
        rows=expand(
            "data/results/answers/chunks/{dataset}_{chunk}.parquet",
            dataset=answers_datasets,
            chunk=answers_repeats,
        ),
    output:
        rows="data/results/answers/rows.parquet",
        statistics="data/results/answers/statistics.parquet",
    log:
        "data/logs/answers/statistics.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "answers.statistics:merged"),
    message:
        "Significance tests of all answers"
    script:
        "../scripts/step.py"


rule answers_rule:
    input:
        rows=rules.answers_statistics.output.rows,
        suite="config/suite.yaml",
    output:
        leaves="data/results/answers/leaves.parquet",
        honesty="data/results/answers/honesty.parquet",
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


rule answers_tables:
    input:
        rows=rules.answers_statistics.output.rows,
        statistics=rules.answers_statistics.output.statistics,
        leaves=rules.answers_rule.output.leaves,
        honesty=rules.answers_rule.output.honesty,
        people=answers_people_rows,
    output:
        **items(
            config,
            "answers.tables",
            "answers_effects",
            "answers_rule",
            "answers_honesty",
            "answers_people",
        ),
    log:
        "data/logs/answers/tables.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "answers.tables"),
    message:
        "Tables of all answers"
    script:
        "../scripts/step.py"


rule answers_figures:
    input:
        rows=rules.answers_statistics.output.rows,
    output:
        **items(config, "answers.figures", "answers_gains"),
    log:
        "data/logs/answers/figures.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "answers.figures"),
    message:
        "Figures of all answers"
    script:
        "../scripts/step.py"


rule answers_claims:
    input:
        rows=rules.answers_statistics.output.rows,
        statistics=rules.answers_statistics.output.statistics,
        specification="config/claims.yaml",
        stated="data/published/claims.csv",
    output:
        "data/results/answers/claims.parquet",
    log:
        "data/logs/answers/claims.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "answers.claims:claims"),
    message:
        "Questions about all answers"
    script:
        "../scripts/step.py"


rule answers_page:
    input:
        tables=rules.answers_tables.output,
        figures=rules.answers_figures.output,
        captions=[rules.answers_tables.output, rules.answers_figures.output],
        claims=rules.answers_claims.output,
        suite="config/suite.yaml",
    output:
        "data/results/answers/section.json",
    log:
        "data/logs/answers/section.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "answers.page:section"),
    message:
        "All answers in the report"
    script:
        "../scripts/step.py"


# For the manifest: data sets, what was read and not made, and what was made.
answers_reported = {
    "datasets": sorted({*answers_datasets, answers_people}),
    "read": ["config/suite.yaml", "config/claims.yaml", "data/published/claims.csv"],
    "made": [
        rules.answers_statistics.output,
        rules.answers_rule.output,
        answers_people_rows,
        rules.answers_tables.output,
        rules.answers_figures.output,
        rules.answers_claims.output,
        rules.answers_page.output,
    ],
}
