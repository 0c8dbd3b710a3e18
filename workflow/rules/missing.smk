# EIG (Schreckenberger, Bartelt and Stuckenschmidt): trees from data with missing values.

missing_datasets = config["missing"]["datasets"]

# Draws are run in chunks; results do not depend on how they are cut.
missing_repeats = chunks(config["missing"]["n_repeats"], config["missing"]["chunk"])

# The data sets of the paper, by their names there.
missing_printed = registry.published("eig")

missing_published = ["data/published/eig_text_numbers.csv"]


# Removed values, folds, imputation, trees of each method, their accuracies and sizes.
rule missing_learn:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        rows="data/results/missing/chunks/{dataset}_{chunk}_rows.parquet",
        trees="data/results/missing/chunks/{dataset}_{chunk}_trees.parquet",
        kept="data/trees/missing/{dataset}_{chunk}.parquet",
        sets="data/results/missing/chunks/{dataset}_{chunk}_sets.parquet",
    log:
        "data/logs/missing/learn/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "missing.steps:learnt"),
    message:
        "EIG on {wildcards.dataset}, draws {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule missing_statistics:
    input:
        rows=expand(
            "data/results/missing/chunks/{dataset}_{chunk}_rows.parquet",
            dataset=missing_datasets,
            chunk=missing_repeats,
        ),
        trees=expand(
            "data/results/missing/chunks/{dataset}_{chunk}_trees.parquet",
            dataset=missing_datasets,
            chunk=missing_repeats,
        ),
        sets=expand(
            "data/results/missing/chunks/{dataset}_{chunk}_sets.parquet",
            dataset=missing_datasets,
            chunk=missing_repeats,
        ),
    output:
        rows="data/results/missing/rows.parquet",
        trees="data/results/missing/trees.parquet",
        sets="data/results/missing/sets.parquet",
        levels="data/results/missing/levels.parquet",
        means="data/results/missing/means.parquet",
        tests="data/results/missing/tests.parquet",
        runs="data/results/missing/runs.parquet",
        depths="data/results/missing/depths.parquet",
    log:
        "data/logs/missing/statistics.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "missing.statistics:merged", printed=missing_printed),
    message:
        "Significance tests of EIG"
    script:
        "../scripts/step.py"


rule missing_claims:
    input:
        levels=rules.missing_statistics.output.levels,
        means=rules.missing_statistics.output.means,
        tests=rules.missing_statistics.output.tests,
        runs=rules.missing_statistics.output.runs,
        depths=rules.missing_statistics.output.depths,
        sets=rules.missing_statistics.output.sets,
        specification="config/claims.yaml",
        stated="data/published/claims.csv",
    output:
        "data/results/missing/claims.parquet",
    log:
        "data/logs/missing/claims.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "missing.claims:claims", printed=missing_printed),
    message:
        "Claims of EIG"
    script:
        "../scripts/step.py"


rule missing_readings:
    input:
        levels=rules.missing_statistics.output.levels,
        means=rules.missing_statistics.output.means,
        tests=rules.missing_statistics.output.tests,
        runs=rules.missing_statistics.output.runs,
        depths=rules.missing_statistics.output.depths,
        sets=rules.missing_statistics.output.sets,
        specification="config/claims.yaml",
        stated="data/published/claims.csv",
    output:
        "data/results/missing/readings.parquet",
    log:
        "data/logs/missing/readings.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "missing.claims:readings", printed=missing_printed),
    message:
        "Claims of EIG as described and as coded"
    script:
        "../scripts/step.py"


rule missing_tables:
    input:
        sets=rules.missing_statistics.output.sets,
        levels=rules.missing_statistics.output.levels,
        means=rules.missing_statistics.output.means,
        tests=rules.missing_statistics.output.tests,
        runs=rules.missing_statistics.output.runs,
        depths=rules.missing_statistics.output.depths,
        readings=rules.missing_readings.output,
        published=missing_published,
    output:
        **items(
            config,
            "missing.tables",
            "missing_sets",
            "missing_means",
            "missing_levels",
            "missing_tests",
            "missing_depth",
            "missing_text",
            "missing_readings",
        ),
    log:
        "data/logs/missing/tables.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "missing.tables", printed=missing_printed),
    message:
        "Tables of EIG"
    script:
        "../scripts/step.py"


rule missing_figures:
    input:
        means=rules.missing_statistics.output.means,
        tables=rules.missing_tables.output,
    output:
        **items(
            config,
            "missing.figures",
            "eig_figure_1",
            "eig_figure_2",
            "eig_figure_3",
            "missing_gains",
        ),
    log:
        "data/logs/missing/figures.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "missing.figures", printed=missing_printed),
    message:
        "Figures of EIG"
    script:
        "../scripts/step.py"


rule missing_page:
    input:
        tables=rules.missing_tables.output,
        figures=rules.missing_figures.output,
        captions=[rules.missing_tables.output, rules.missing_figures.output],
        claims=rules.missing_claims.output,
    output:
        "data/results/missing/section.json",
    log:
        "data/logs/missing/section.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "missing.page:section", printed=missing_printed),
    message:
        "EIG in the report"
    script:
        "../scripts/step.py"


# For the manifest, as in report.smk.
missing_reported = {
    "datasets": missing_datasets,
    "read": ["config/claims.yaml", "data/published/claims.csv", *missing_published],
    "made": [
        rules.missing_statistics.output,
        rules.missing_tables.output,
        rules.missing_figures.output,
        rules.missing_claims.output,
        rules.missing_readings.output,
        rules.missing_page.output,
    ],
}
