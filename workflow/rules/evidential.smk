# E2M (Sutton-Charani, Destercke and Denoeux): trees learnt from evidential data, against CART.

evidential_datasets = config["evidential"]["datasets"]

# Tests are run in chunks; results do not depend on how they are cut.
evidential_repeats = chunks(
    config["evidential"]["n_repeats"], config["evidential"]["chunk"]
)

# The data sets of the paper, by their keys in data/published.
evidential_printed = registry.published("e2m")

evidential_published = [f"data/published/e2m_table_{n}.csv" for n in (1, 2)]


# Noise, thirds, growth and pruning of both trees, and their errors.
rule evidential_learn:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        rows="data/results/evidential/chunks/{dataset}_{chunk}_rows.parquet",
        sizes="data/results/evidential/chunks/{dataset}_{chunk}_sizes.parquet",
        trees="data/trees/evidential/{dataset}_{chunk}.parquet",
    log:
        "data/logs/evidential/learn/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "evidential.steps:learnt"),
    message:
        "E2M on {wildcards.dataset}, tests {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule evidential_statistics:
    input:
        rows=expand(
            "data/results/evidential/chunks/{dataset}_{chunk}_rows.parquet",
            dataset=evidential_datasets,
            chunk=evidential_repeats,
        ),
        sizes=expand(
            "data/results/evidential/chunks/{dataset}_{chunk}_sizes.parquet",
            dataset=evidential_datasets,
            chunk=evidential_repeats,
        ),
    output:
        rows="data/results/evidential/rows.parquet",
        sizes="data/results/evidential/sizes.parquet",
        tests="data/results/evidential/tests.parquet",
        curve="data/results/evidential/curve.parquet",
    log:
        "data/logs/evidential/statistics.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "evidential.statistics:merged", printed=evidential_printed),
    message:
        "Significance tests of E2M"
    script:
        "../scripts/step.py"


rule evidential_tables:
    input:
        rows=rules.evidential_statistics.output.rows,
        sizes=rules.evidential_statistics.output.sizes,
        tests=rules.evidential_statistics.output.tests,
        curve=rules.evidential_statistics.output.curve,
        published=evidential_published,
    output:
        **items(
            config,
            "evidential.tables",
            "e2m_table_1",
            "e2m_table_2",
            "evidential_sizes",
            "evidential_clean",
            "evidential_tests",
            "evidential_curve",
        ),
    log:
        "data/logs/evidential/tables.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "evidential.tables", printed=evidential_printed),
    message:
        "Tables of E2M"
    script:
        "../scripts/step.py"


rule evidential_figures:
    input:
        rows=rules.evidential_statistics.output.rows,
        tables=rules.evidential_tables.output,
    output:
        **items(
            config,
            "evidential.figures",
            "e2m_figure_1",
            "evidential_errors",
        ),
    log:
        "data/logs/evidential/figures.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "evidential.figures", printed=evidential_printed),
    message:
        "Figures of E2M"
    script:
        "../scripts/step.py"


rule evidential_claims:
    input:
        rows=rules.evidential_statistics.output.rows,
        tests=rules.evidential_statistics.output.tests,
        curve=rules.evidential_statistics.output.curve,
        specification="config/claims.yaml",
        stated="data/published/claims.csv",
    output:
        "data/results/evidential/claims.parquet",
    log:
        "data/logs/evidential/claims.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "evidential.claims:claims", printed=evidential_printed),
    message:
        "Claims of E2M"
    script:
        "../scripts/step.py"


rule evidential_page:
    input:
        tables=rules.evidential_tables.output,
        figures=rules.evidential_figures.output,
        captions=[rules.evidential_tables.output, rules.evidential_figures.output],
        claims=rules.evidential_claims.output,
    output:
        "data/results/evidential/section.json",
    log:
        "data/logs/evidential/section.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "evidential.page:section", printed=evidential_printed),
    message:
        "E2M in the report"
    script:
        "../scripts/step.py"


# For the manifest, as in report.smk.
evidential_reported = {
    "datasets": evidential_datasets,
    "read": ["config/claims.yaml", "data/published/claims.csv", *evidential_published],
    "made": [
        rules.evidential_statistics.output,
        rules.evidential_tables.output,
        rules.evidential_figures.output,
        rules.evidential_claims.output,
        rules.evidential_page.output,
    ],
}
