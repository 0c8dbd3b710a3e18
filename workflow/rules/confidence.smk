# ConfDTree (Katz and others): trees that doubt unusual values, against C4.5 and a random forest.

confidence_datasets = config["confidence"]["datasets"]

# Cross validations and divisions are run in chunks; results do not depend on how they are cut.
confidence_repeats = chunks(
    config["confidence"]["n_repeats"], config["confidence"]["chunk"]
)
confidence_divisions = chunks(
    config["confidence"]["n_divisions"], config["confidence"]["chunk"]
)

# The data sets of the paper, by their keys in data/published; two fit one row.
confidence_printed = registry.published("confdtree")

confidence_published = [f"data/published/confdtree_table_{n}.csv" for n in (1, 2, 3)]


# Ten-fold cross validation of trees, of what ConfDTree makes of them, and of a random forest.
rule confidence_validate:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        rows="data/results/confidence/chunks/{dataset}_{chunk}_rows.parquet",
        facts="data/results/confidence/chunks/{dataset}_{chunk}_facts.parquet",
        trees="data/trees/confidence/{dataset}_{chunk}.parquet",
    log:
        "data/logs/confidence/validate/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "confidence.steps:validated"),
    message:
        "ConfDTree on {wildcards.dataset}, cross validations {wildcards.chunk}"
    script:
        "../scripts/step.py"


# Training parts of growing size.
rule confidence_size:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/confidence/chunks/{dataset}_{chunk}_sizes.parquet",
    log:
        "data/logs/confidence/size/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "confidence.steps:sized"),
    message:
        "ConfDTree on small parts of {wildcards.dataset}, divisions {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule confidence_statistics:
    input:
        rows=expand(
            "data/results/confidence/chunks/{dataset}_{chunk}_rows.parquet",
            dataset=confidence_datasets,
            chunk=confidence_repeats,
        ),
        facts=expand(
            "data/results/confidence/chunks/{dataset}_{chunk}_facts.parquet",
            dataset=confidence_datasets,
            chunk=confidence_repeats,
        ),
        sizes=expand(
            "data/results/confidence/chunks/{dataset}_{chunk}_sizes.parquet",
            dataset=confidence_datasets,
            chunk=confidence_divisions,
        ),
    output:
        rows="data/results/confidence/rows.parquet",
        facts="data/results/confidence/facts.parquet",
        gains="data/results/confidence/gains.parquet",
        sizes="data/results/confidence/sizes.parquet",
        statistics="data/results/confidence/statistics.parquet",
    log:
        "data/logs/confidence/statistics.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "confidence.statistics:merged", printed=confidence_printed),
    message:
        "Significance tests of ConfDTree"
    script:
        "../scripts/step.py"


rule confidence_tables:
    input:
        rows=rules.confidence_statistics.output.rows,
        facts=rules.confidence_statistics.output.facts,
        gains=rules.confidence_statistics.output.gains,
        sizes=rules.confidence_statistics.output.sizes,
        statistics=rules.confidence_statistics.output.statistics,
        published=confidence_published,
    output:
        **items(
            config,
            "confidence.tables",
            "confdtree_table_1",
            "confdtree_table_2",
            "confdtree_table_3",
            "confidence_trees",
            "confidence_sizes",
        ),
    log:
        "data/logs/confidence/tables.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "confidence.tables", printed=confidence_printed),
    message:
        "Tables of ConfDTree"
    script:
        "../scripts/step.py"


rule confidence_figures:
    input:
        tables=rules.confidence_tables.output,
    output:
        **items(
            config,
            "confidence.figures",
            "confdtree_figure_6",
            "confidence_gains",
        ),
    log:
        "data/logs/confidence/figures.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "confidence.figures", printed=confidence_printed),
    message:
        "Figures of ConfDTree"
    script:
        "../scripts/step.py"


rule confidence_claims:
    input:
        rows=rules.confidence_statistics.output.rows,
        facts=rules.confidence_statistics.output.facts,
        gains=rules.confidence_statistics.output.gains,
        sizes=rules.confidence_statistics.output.sizes,
        statistics=rules.confidence_statistics.output.statistics,
        specification="config/claims.yaml",
        stated="data/published/claims.csv",
    output:
        "data/results/confidence/claims.parquet",
    log:
        "data/logs/confidence/claims.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "confidence.claims:claims", printed=confidence_printed),
    message:
        "Claims of ConfDTree"
    script:
        "../scripts/step.py"


rule confidence_page:
    input:
        tables=rules.confidence_tables.output,
        figures=rules.confidence_figures.output,
        captions=[rules.confidence_tables.output, rules.confidence_figures.output],
        claims=rules.confidence_claims.output,
    output:
        "data/results/confidence/section.json",
    log:
        "data/logs/confidence/section.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "confidence.page:section", printed=confidence_printed),
    message:
        "ConfDTree in the report"
    script:
        "../scripts/step.py"


# For the manifest, as in report.smk.
confidence_reported = {
    "datasets": confidence_datasets,
    "read": ["config/claims.yaml", "data/published/claims.csv", *confidence_published],
    "made": [
        rules.confidence_statistics.output,
        rules.confidence_tables.output,
        rules.confidence_figures.output,
        rules.confidence_claims.output,
        rules.confidence_page.output,
    ],
}
