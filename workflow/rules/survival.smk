# Chapter 6 of the thesis: leaves of a tree as risk groups.

survival_datasets = config["survival"]["datasets"]

# Permutations and repeats are made in chunks; results do not depend on how they are cut.
survival_chunks = chunks(
    config["survival"]["n_permutations"], config["survival"]["chunk"]
)
survival_repeats = chunks(
    config["survival"]["n_repeats"], config["survival"]["repeat_chunk"]
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
# Those that hold what is learnt in the repeats.
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
        "Risk groups of {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule survival_merge:
    input:
        **{
            name: expand(
                f"data/results/survival/chunks/{{{{dataset}}}}_{{chunk}}_{name}.parquet",
                chunk=survival_repeats,
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
        **step(
            config, "survival.leaf_report:draw_leaf_report", cohorts=survival_cohorts
        ),
    message:
        "Guideline sheet of {wildcards.dataset}"
    script:
        "../scripts/step.py"


tails["survival"] = Tail(
    "survival",
    "chapter 6",
    survival_datasets,
    files={
        **{
            name: expand(file, dataset=survival_datasets)
            for name, file in survival_results.items()
        },
        "tidy": expand("data/tidy/{dataset}.parquet", dataset=survival_datasets),
        "published": survival_published,
    },
    given={"cohorts": survival_cohorts},
    made=expand(
        [*survival_results.values(), *survival_sheets], dataset=survival_datasets
    ),
)
