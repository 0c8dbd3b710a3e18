# Beyond chapter 3 of the thesis: noise that is not Gaussian and models that match it or not.
# Divisions, folds and pruning confidence are those of `soft`.

soft_beyond_datasets = config["soft_beyond"]["datasets"]

# Permutations are run in chunks; results do not depend on how they are cut.
soft_beyond_rows = expand(
    "data/results/soft_beyond/chunks/{dataset}_{chunk}.parquet",
    dataset=soft_beyond_datasets,
    chunk=chunks(
        config["soft_beyond"]["n_permutations"], config["soft_beyond"]["chunk"]
    ),
)


rule soft_beyond_numeric:
    input:
        table="data/tidy/{dataset}.parquet",
        splits="data/noised/soft/{dataset}/chunks/{chunk}/splits.parquet",
        calibration="data/calibrated/soft/{dataset}.parquet",
    output:
        "data/results/soft_beyond/chunks/{dataset}_{chunk}.parquet",
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


rule soft_beyond_statistics:
    input:
        rows=soft_beyond_rows,
    output:
        rows="data/results/soft_beyond/rows.parquet",
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
    output:
        **items(config, "soft_beyond.tables", "soft_beyond_noise_models"),
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
    output:
        **items(config, "soft_beyond.figures", "soft_beyond_matching"),
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
    "datasets": sorted(soft_beyond_datasets),
    "read": ["config/claims.yaml", "data/published/claims.csv"],
    "made": [
        expand("data/calibrated/soft/{dataset}.parquet", dataset=soft_beyond_datasets),
        rules.soft_beyond_statistics.output,
        rules.soft_beyond_tables.output,
        rules.soft_beyond_figures.output,
        rules.soft_beyond_claims.output,
        rules.soft_beyond_page.output,
    ],
}
