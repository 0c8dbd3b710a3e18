# Beyond chapter 3 of the thesis: noise that is not Gaussian and models that match it or not, class
# noise, noise on categories. Divisions, folds and pruning confidence are those of `soft`. Sets with
# a promise where test values carry errors.

soft_beyond_datasets = config["soft_beyond"]["datasets"]
soft_beyond_categorical = config["soft_beyond"]["categorical_datasets"]
soft_beyond_sets = config["soft_beyond"]["set_datasets"]

# Permutations, and divisions for sets, are run in chunks; results do not depend on how they are cut.
soft_beyond_chunks = chunks(
    config["soft_beyond"]["n_permutations"], config["soft_beyond"]["chunk"]
)
soft_beyond_divisions = chunks(
    config["soft_beyond"]["n_divisions"], config["soft_beyond"]["chunk"]
)


# Noise on numeric variables and on classes: the same data sets, one job for both.
rule soft_beyond_numeric:
    input:
        table="data/tidy/{dataset}.parquet",
        splits="data/noised/soft/{dataset}/chunks/{chunk}/splits.parquet",
        calibration="data/calibrated/soft/{dataset}.parquet",
    output:
        rows="data/results/soft_beyond/chunks/numeric/{dataset}_{chunk}_rows.parquet",
        draws="data/results/soft_beyond/chunks/numeric/{dataset}_{chunk}_draws.parquet",
        multiples="data/results/soft_beyond/chunks/numeric/{dataset}_{chunk}_multiples.parquet",
    log:
        "data/logs/soft_beyond/numeric/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_beyond.steps:numeric"),
    message:
        "Other noise on {wildcards.dataset}, permutations {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule soft_beyond_categories:
    input:
        table="data/tidy/{dataset}.parquet",
        splits="data/noised/soft/{dataset}/chunks/{chunk}/splits.parquet",
        calibration="data/calibrated/soft/{dataset}.parquet",
    output:
        rows="data/results/soft_beyond/chunks/categories/{dataset}_{chunk}_rows.parquet",
        draws="data/results/soft_beyond/chunks/categories/{dataset}_{chunk}_draws.parquet",
        multiples="data/results/soft_beyond/chunks/categories/{dataset}_{chunk}_multiples.parquet",
    log:
        "data/logs/soft_beyond/categories/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_beyond.steps:categories"),
    message:
        "Noise on categories of {wildcards.dataset}, permutations {wildcards.chunk}"
    script:
        "../scripts/step.py"


# Sets with a promise have divisions of their own.
rule soft_beyond_sets:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/soft_beyond/sets/{dataset}_{chunk}.parquet",
    log:
        "data/logs/soft_beyond/sets/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_beyond.sets:sets"),
    message:
        "Sets with a promise on {wildcards.dataset}, divisions {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule soft_beyond_set_statistics:
    input:
        sets=expand(
            "data/results/soft_beyond/sets/{dataset}_{chunk}.parquet",
            dataset=soft_beyond_sets,
            chunk=soft_beyond_divisions,
        ),
    output:
        sets="data/results/soft_beyond/sets.parquet",
        statistics="data/results/soft_beyond/set_statistics.parquet",
    log:
        "data/logs/soft_beyond/set_statistics.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_beyond.statistics:of_sets"),
    message:
        "Significance tests of sets with a promise"
    script:
        "../scripts/step.py"


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
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_beyond.statistics:merged"),
    message:
        "Significance tests of other noise"
    script:
        "../scripts/step.py"


rule soft_beyond_tables:
    input:
        rows=rules.soft_beyond_statistics.output.rows,
        statistics=rules.soft_beyond_statistics.output.statistics,
        sets=rules.soft_beyond_set_statistics.output.sets,
        set_statistics=rules.soft_beyond_set_statistics.output.statistics,
    output:
        **items(
            config,
            "soft_beyond.tables",
            "soft_beyond_noise_models",
            "soft_beyond_class_noise",
            "soft_beyond_categorical_noise",
            "soft_beyond_sets",
        ),
    log:
        "data/logs/soft_beyond/tables.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_beyond.tables"),
    message:
        "Tables of other noise"
    script:
        "../scripts/step.py"


rule soft_beyond_figures:
    input:
        tables=rules.soft_beyond_tables.output,
        rows=rules.soft_beyond_statistics.output.rows,
        sets=rules.soft_beyond_set_statistics.output.sets,
    output:
        **items(
            config,
            "soft_beyond.figures",
            "soft_beyond_matching",
            "soft_beyond_labels",
            "soft_beyond_promises",
        ),
    log:
        "data/logs/soft_beyond/figures.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_beyond.figures"),
    message:
        "Figures of other noise"
    script:
        "../scripts/step.py"


rule soft_beyond_claims:
    input:
        rows=rules.soft_beyond_statistics.output.rows,
        statistics=rules.soft_beyond_statistics.output.statistics,
        sets=rules.soft_beyond_set_statistics.output.sets,
        set_statistics=rules.soft_beyond_set_statistics.output.statistics,
        specification="config/claims.yaml",
        stated="data/published/claims.csv",
    output:
        "data/results/soft_beyond/claims.parquet",
    log:
        "data/logs/soft_beyond/claims.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_beyond.claims:claims"),
    message:
        "Questions about other noise"
    script:
        "../scripts/step.py"


rule soft_beyond_page:
    input:
        tables=rules.soft_beyond_tables.output,
        figures=rules.soft_beyond_figures.output,
        captions=[rules.soft_beyond_tables.output, rules.soft_beyond_figures.output],
        rows=rules.soft_beyond_statistics.output.rows,
        claims=rules.soft_beyond_claims.output,
    output:
        "data/results/soft_beyond/section.json",
    log:
        "data/logs/soft_beyond/section.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_beyond.page:section"),
    message:
        "Other noise in the report"
    script:
        "../scripts/step.py"


# For the manifest: data sets, what was read and not made, and what was made.
soft_beyond_reported = {
    "datasets": sorted(
        {*soft_beyond_datasets, *soft_beyond_categorical, *soft_beyond_sets}
    ),
    "read": ["config/claims.yaml", "data/published/claims.csv"],
    "made": [
        expand(
            "data/calibrated/soft/{dataset}.parquet",
            dataset=sorted({*soft_beyond_datasets, *soft_beyond_categorical}),
        ),
        rules.soft_beyond_statistics.output,
        rules.soft_beyond_set_statistics.output,
        rules.soft_beyond_tables.output,
        rules.soft_beyond_figures.output,
        rules.soft_beyond_claims.output,
        rules.soft_beyond_page.output,
    ],
}
