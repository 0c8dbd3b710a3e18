# Chapter 6 of the thesis: leaves of a tree as risk groups.

survival_datasets = config["survival"]["datasets"]

# Permutations and divisions are made in chunks; results do not depend on how they are cut.
survival_chunks = chunks(
    config["survival"]["n_permutations"], config["survival"]["chunk"]
)
survival_divisions = chunks(
    config["survival"]["n_splits"], config["survival"]["split_chunk"]
)

# What makes cohorts of data sets, by their keys.
survival_cohorts = cohort_facts(registry, survival_datasets)

survival_published = [f"data/published/thesis_table_6_{n}.csv" for n in (1, 2, 3, 4)]

# Tables of a cohort, by name.
survival_results = {
    "patients": "data/results/survival/patients/{dataset}.parquet",
    "trees": "data/trees/survival/{dataset}.parquet",
    "tuning": "data/results/survival/tuning/{dataset}.parquet",
    "performance": "data/results/survival/performance/{dataset}.parquet",
    "described": "data/results/survival/described/{dataset}.parquet",
    "treatment": "data/results/survival/treatment/{dataset}.parquet",
    "apart": "data/results/survival/apart/{dataset}.parquet",
    "intervals": "data/results/survival/intervals/{dataset}.parquet",
    "leaves": "data/results/survival/{dataset}.parquet",
    "separation": "data/results/survival/separation/{dataset}.parquet",
    "null": "data/results/survival/null/{dataset}.parquet",
}
# Those that hold what is learnt of the divisions.
survival_learnt = ["patients", "trees", "tuning", "performance"]
survival_sheets = ["reports/sheets/{dataset}.svg", "reports/sheets/{dataset}.pdf"]


rule survival_learn:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        **{
            name: f"data/results/survival/chunks/{{dataset}}_{{chunk}}_{name}.parquet"
            for name in survival_learnt
        },
    log:
        "data/logs/survival/learn/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "survival.steps:learn", cohorts=survival_cohorts),
    message:
        "Risk groups of {wildcards.dataset}, divisions {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule survival_merge:
    input:
        **{
            name: expand(
                f"data/results/survival/chunks/{{{{dataset}}}}_{{chunk}}_{name}.parquet",
                chunk=survival_divisions,
            )
            for name in survival_learnt
        },
    output:
        **{name: survival_results[name] for name in survival_learnt},
    log:
        "data/logs/survival/merge/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "survival.steps:merged"),
    message:
        "Trees and patients of {wildcards.dataset}"
    script:
        "../scripts/step.py"


rule survival_permute:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/survival/chunks/{dataset}_{chunk}.parquet",
    log:
        "data/logs/survival/permute/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "survival.steps:permute", cohorts=survival_cohorts),
    message:
        "Permuted outcomes of {wildcards.dataset}, {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule survival_describe:
    input:
        table="data/tidy/{dataset}.parquet",
        patients=survival_results["patients"],
    output:
        leaves=survival_results["described"],
        treatment=survival_results["treatment"],
        separation=survival_results["apart"],
        intervals=survival_results["intervals"],
    log:
        "data/logs/survival/describe/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "survival.steps:describe", cohorts=survival_cohorts),
    message:
        "Survival in the leaves of {wildcards.dataset}"
    script:
        "../scripts/step.py"


rule survival_statistics:
    input:
        described=survival_results["described"],
        apart=survival_results["apart"],
        permuted=expand(
            "data/results/survival/chunks/{{dataset}}_{chunk}.parquet",
            chunk=survival_chunks,
        ),
    output:
        leaves=survival_results["leaves"],
        separation=survival_results["separation"],
        null=survival_results["null"],
    log:
        "data/logs/survival/statistics/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "survival.statistics:statistics"),
    message:
        "What is left of the leaves of {wildcards.dataset}"
    script:
        "../scripts/step.py"


# A page for the bedside, of each cohort.
rule survival_sheet:
    input:
        table="data/tidy/{dataset}.parquet",
        patients=survival_results["patients"],
        trees=survival_results["trees"],
    output:
        svg="reports/sheets/{dataset}.svg",
        pdf="reports/sheets/{dataset}.pdf",
    log:
        "data/logs/survival/sheet/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "survival.sheet:sheet", cohorts=survival_cohorts),
    message:
        "Guideline sheet of {wildcards.dataset}"
    script:
        "../scripts/step.py"


rule survival_tables:
    input:
        tables=expand("data/tidy/{dataset}.parquet", dataset=survival_datasets),
        patients=expand(survival_results["patients"], dataset=survival_datasets),
        trees=expand(survival_results["trees"], dataset=survival_datasets),
        performance=expand(survival_results["performance"], dataset=survival_datasets),
        intervals=expand(survival_results["intervals"], dataset=survival_datasets),
        leaves=expand(survival_results["leaves"], dataset=survival_datasets),
        treatment=expand(survival_results["treatment"], dataset=survival_datasets),
        separation=expand(survival_results["separation"], dataset=survival_datasets),
        published=survival_published,
    output:
        **items(
            config,
            "survival.tables",
            "thesis_table_6_1_SYNTHETIC",
            "thesis_table_6_2_SYNTHETIC",
            "thesis_table_6_3_SYNTHETIC",
            "thesis_table_6_4_SYNTHETIC",
            "survival_cohorts",
            "survival_cohorts_SYNTHETIC",
            "survival_performance",
            "survival_leaves",
            "survival_treatment",
            "survival_honest",
            "survival_honest_SYNTHETIC",
        ),
    log:
        "data/logs/survival/tables.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "survival.tables", cohorts=survival_cohorts),
    message:
        "Tables of chapter 6"
    script:
        "../scripts/step.py"


rule survival_figures:
    input:
        tables=expand("data/tidy/{dataset}.parquet", dataset=survival_datasets),
        patients=expand(survival_results["patients"], dataset=survival_datasets),
        trees=expand(survival_results["trees"], dataset=survival_datasets),
        leaves=expand(survival_results["leaves"], dataset=survival_datasets),
        separation=expand(survival_results["separation"], dataset=survival_datasets),
        treatment=expand(survival_results["treatment"], dataset=survival_datasets),
        published=survival_published,
    output:
        **items(
            config,
            "survival.figures",
            "thesis_figure_6_1_SYNTHETIC",
            "thesis_figure_6_2_SYNTHETIC",
            "thesis_figure_6_3_SYNTHETIC",
            "survival_curves",
            "survival_evidence",
        ),
    log:
        "data/logs/survival/figures.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "survival.figures", cohorts=survival_cohorts),
    message:
        "Figures of chapter 6"
    script:
        "../scripts/step.py"


rule survival_claims:
    input:
        leaves=expand(survival_results["leaves"], dataset=survival_datasets),
        treatment=expand(survival_results["treatment"], dataset=survival_datasets),
        separation=expand(survival_results["separation"], dataset=survival_datasets),
        specification="config/claims.yaml",
        stated="data/published/claims.csv",
    output:
        "data/results/survival/claims.parquet",
    log:
        "data/logs/survival/claims.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "survival.claims:claims"),
    message:
        "Claims of chapter 6"
    script:
        "../scripts/step.py"


rule survival_page:
    input:
        tables=rules.survival_tables.output,
        figures=rules.survival_figures.output,
        captions=[rules.survival_tables.output, rules.survival_figures.output],
        claims=rules.survival_claims.output,
    output:
        "data/results/survival/section.json",
    log:
        "data/logs/survival/section.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "survival.page:section", cohorts=survival_cohorts),
    message:
        "Chapter 6 in the report"
    script:
        "../scripts/step.py"


# For the manifest, as in report.smk.
survival_reported = {
    "datasets": survival_datasets,
    "read": ["config/claims.yaml", "data/published/claims.csv", *survival_published],
    "made": [
        expand(
            [*survival_results.values(), *survival_sheets], dataset=survival_datasets
        ),
        rules.survival_tables.output,
        rules.survival_figures.output,
        rules.survival_claims.output,
        rules.survival_page.output,
    ],
}
