# Whether the best tree of a depth pays: beside C4.5, CART and UCT-DT of the same depth, in training
# and test data, and under noise.

optimal_datasets = config["optimal"]["datasets"]

# Divisions are run in chunks; results do not depend on how they are cut.
optimal_divisions = chunks(config["optimal"]["n_splits"], config["optimal"]["chunk"])


rule optimal_run:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/optimal/chunks/{dataset}_{chunk}.parquet",
    log:
        "data/logs/optimal/run/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "optimal.steps:run"),
    message:
        "Best trees beside grown ones on {wildcards.dataset}, divisions {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule optimal_statistics:
    input:
        rows=expand(
            "data/results/optimal/chunks/{dataset}_{chunk}.parquet",
            dataset=optimal_datasets,
            chunk=optimal_divisions,
        ),
    output:
        rows="data/results/optimal/rows.parquet",
        statistics="data/results/optimal/statistics.parquet",
    log:
        "data/logs/optimal/statistics.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "optimal.statistics:merged"),
    message:
        "Significance tests of best trees"
    script:
        "../scripts/step.py"


rule optimal_tables:
    input:
        rows=rules.optimal_statistics.output.rows,
        statistics=rules.optimal_statistics.output.statistics,
    output:
        **items(
            config,
            "optimal.tables",
            "optimal_training",
            "optimal_proof",
            "optimal_clean",
            "optimal_noise",
            "optimal_levels",
        ),
    log:
        "data/logs/optimal/tables.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "optimal.tables"),
    message:
        "Tables of best trees"
    script:
        "../scripts/step.py"


rule optimal_figures:
    input:
        rows=rules.optimal_statistics.output.rows,
    output:
        **items(
            config,
            "optimal.figures",
            "optimal_gains",
            "optimal_sizes",
        ),
    log:
        "data/logs/optimal/figures.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "optimal.figures"),
    message:
        "Figures of best trees"
    script:
        "../scripts/step.py"


rule optimal_claims:
    input:
        rows=rules.optimal_statistics.output.rows,
        statistics=rules.optimal_statistics.output.statistics,
        specification="config/claims.yaml",
        stated="data/published/claims.csv",
    output:
        "data/results/optimal/claims.parquet",
    log:
        "data/logs/optimal/claims.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "optimal.claims:claims"),
    message:
        "Questions about best trees"
    script:
        "../scripts/step.py"


rule optimal_page:
    input:
        tables=rules.optimal_tables.output,
        figures=rules.optimal_figures.output,
        captions=[rules.optimal_tables.output, rules.optimal_figures.output],
        claims=rules.optimal_claims.output,
    output:
        "data/results/optimal/section.json",
    log:
        "data/logs/optimal/section.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "optimal.page:section"),
    message:
        "Best trees in the report"
    script:
        "../scripts/step.py"


# For the manifest, as in report.smk.
optimal_reported = {
    "datasets": optimal_datasets,
    "read": ["config/claims.yaml", "data/published/claims.csv"],
    "made": [
        rules.optimal_statistics.output,
        rules.optimal_tables.output,
        rules.optimal_figures.output,
        rules.optimal_claims.output,
        rules.optimal_page.output,
    ],
}
