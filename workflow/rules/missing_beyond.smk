# Beyond the paper of EIG: mechanisms, imputers, other learners, pruning, values missing by nature,
# noise.

missing_beyond_datasets = config["missing_beyond"]["datasets"]
missing_beyond_natural_datasets = config["missing_beyond"]["natural_datasets"]

# Repeats are run in chunks; results do not depend on how they are cut.
missing_beyond_repeats = chunks(
    config["missing_beyond"]["n_repeats"], config["missing_beyond"]["chunk"]
)


rule missing_beyond_run:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/missing_beyond/chunks/{dataset}_{chunk}.parquet",
    log:
        "data/logs/missing_beyond/run/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "missing_beyond.steps:run"),
    message:
        "Beyond EIG on {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule missing_beyond_natural:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/missing_beyond/natural/{dataset}_{chunk}.parquet",
    log:
        "data/logs/missing_beyond/natural/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "missing_beyond.steps:natural"),
    message:
        "Values missing by nature on {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule missing_beyond_statistics:
    input:
        rows=expand(
            "data/results/missing_beyond/chunks/{dataset}_{chunk}.parquet",
            dataset=missing_beyond_datasets,
            chunk=missing_beyond_repeats,
        ),
        natural=expand(
            "data/results/missing_beyond/natural/{dataset}_{chunk}.parquet",
            dataset=missing_beyond_natural_datasets,
            chunk=missing_beyond_repeats,
        ),
    output:
        rows="data/results/missing_beyond/rows.parquet",
        statistics="data/results/missing_beyond/statistics.parquet",
    log:
        "data/logs/missing_beyond/statistics.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "missing_beyond.statistics:merged"),
    message:
        "Significance tests of what goes beyond EIG"
    script:
        "../scripts/step.py"


rule missing_beyond_tables:
    input:
        rows=rules.missing_beyond_statistics.output.rows,
        statistics=rules.missing_beyond_statistics.output.statistics,
    output:
        **items(
            config,
            "missing_beyond.tables",
            "missing_beyond_mechanisms",
            "missing_beyond_imputers",
            "missing_beyond_agreement",
            "missing_beyond_learners",
            "missing_beyond_pruning",
            "missing_beyond_natural",
            "missing_beyond_sets",
            "missing_beyond_noise",
        ),
    log:
        "data/logs/missing_beyond/tables.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "missing_beyond.tables"),
    message:
        "Tables of what goes beyond EIG"
    script:
        "../scripts/step.py"


rule missing_beyond_figures:
    input:
        rows=rules.missing_beyond_statistics.output.rows,
    output:
        **items(
            config,
            "missing_beyond.figures",
            "missing_beyond_gains",
            "missing_beyond_guesses",
        ),
    log:
        "data/logs/missing_beyond/figures.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "missing_beyond.figures"),
    message:
        "Figures of what goes beyond EIG"
    script:
        "../scripts/step.py"


rule missing_beyond_claims:
    input:
        rows=rules.missing_beyond_statistics.output.rows,
        statistics=rules.missing_beyond_statistics.output.statistics,
        specification="config/claims.yaml",
        stated="data/published/claims.csv",
    output:
        "data/results/missing_beyond/claims.parquet",
    log:
        "data/logs/missing_beyond/claims.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "missing_beyond.claims:claims"),
    message:
        "Questions beyond EIG"
    script:
        "../scripts/step.py"


rule missing_beyond_page:
    input:
        tables=rules.missing_beyond_tables.output,
        figures=rules.missing_beyond_figures.output,
        captions=[
            rules.missing_beyond_tables.output,
            rules.missing_beyond_figures.output,
        ],
        claims=rules.missing_beyond_claims.output,
    output:
        "data/results/missing_beyond/section.json",
    log:
        "data/logs/missing_beyond/section.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "missing_beyond.page:section"),
    message:
        "What goes beyond EIG in the report"
    script:
        "../scripts/step.py"


# For the manifest, as in report.smk.
missing_beyond_reported = {
    "datasets": sorted({*missing_beyond_datasets, *missing_beyond_natural_datasets}),
    "read": ["config/claims.yaml", "data/published/claims.csv"],
    "made": [
        rules.missing_beyond_statistics.output,
        rules.missing_beyond_tables.output,
        rules.missing_beyond_figures.output,
        rules.missing_beyond_claims.output,
        rules.missing_beyond_page.output,
    ],
}
