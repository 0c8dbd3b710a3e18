# Chapter 5 of the thesis: the edit distance of trees on hierarchical forests of UCT-DT.

structure_datasets = config["structure"]["datasets"]

# Forests are made in chunks; results do not depend on how they are cut.
structure_chunks = chunks(
    config["structure"]["n_forests"], config["structure"]["chunk"]
)

# What a table or caption may state: all settings, but not how the work was cut into jobs.
structure_stated = {
    **settings(
        config,
        "structure",
        *({*config["structure"], "configuration", "seed"} - {"chunk"}),
    ),
    "printed": published_keys(registry, "thesis5"),
}

structure_published = [f"data/published/thesis_table_5_{n}.csv" for n in (1, 2)]

# Tables of all forests of a data set, by name.
structure_results = {
    "forests": "data/trees/structure/{dataset}/forests.parquet",
    "trees": "data/trees/structure/{dataset}/trees.parquet",
    "distances": "data/results/structure/distances/{dataset}.parquet",
    "examples": "data/results/structure/examples/{dataset}.parquet",
    "scripts": "data/results/structure/scripts/{dataset}.parquet",
    "closeness": "data/results/structure/closeness/{dataset}.parquet",
    "labels": "data/results/structure/labels/{dataset}.parquet",
    "scores": "data/results/structure/{dataset}.parquet",
}
structure_tests = "data/results/structure/statistics/{dataset}.parquet"


rule structure_learn:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        forests="data/results/structure/chunks/{dataset}_{chunk}_forests.parquet",
        trees="data/results/structure/chunks/{dataset}_{chunk}_trees.parquet",
    log:
        "data/logs/structure/learn/{dataset}_{chunk}.log",
    benchmark:
        "data/jobs/structure/learn/{dataset}_{chunk}.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(
            config,
            "structure",
            "exploration",
            "max_tests",
            "min_samples_split",
            "n_candidates",
            "n_iterations",
            "n_trees",
            "seed",
            "test_size",
            "validation_fraction",
            "value_pruning",
            "value_pruning_depth",
            "value_pruning_interval",
        ),
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.structure.plan:StructurePlan",
            "experiments.structure.steps:learn",
        ),
    message:
        "Forests of {wildcards.dataset}, {wildcards.chunk}"
    script:
        "../scripts/structure_learn.py"


rule structure_compare:
    input:
        table="data/tidy/{dataset}.parquet",
        forests="data/results/structure/chunks/{dataset}_{chunk}_forests.parquet",
        trees="data/results/structure/chunks/{dataset}_{chunk}_trees.parquet",
    output:
        distances="data/results/structure/chunks/{dataset}_{chunk}_distances.parquet",
        examples="data/results/structure/chunks/{dataset}_{chunk}_examples.parquet",
        scripts="data/results/structure/chunks/{dataset}_{chunk}_scripts.parquet",
    log:
        "data/logs/structure/compare/{dataset}_{chunk}.log",
    benchmark:
        "data/jobs/structure/compare/{dataset}_{chunk}.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "structure", "correlated_above", "seed", "test_size"),
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.structure.plan:StructurePlan",
            "experiments.structure.steps:compare",
            "experiments.structure.steps:edit_scripts",
        ),
    message:
        "Distances of the trees of {wildcards.dataset}, forests {wildcards.chunk}"
    script:
        "../scripts/structure_compare.py"


rule structure_cluster:
    input:
        forests="data/results/structure/chunks/{dataset}_{chunk}_forests.parquet",
        distances="data/results/structure/chunks/{dataset}_{chunk}_distances.parquet",
        examples="data/results/structure/chunks/{dataset}_{chunk}_examples.parquet",
    output:
        closeness="data/results/structure/chunks/{dataset}_{chunk}_closeness.parquet",
        labels="data/results/structure/chunks/{dataset}_{chunk}_labels.parquet",
        scores="data/results/structure/chunks/{dataset}_{chunk}_scores.parquet",
    log:
        "data/logs/structure/cluster/{dataset}_{chunk}.log",
    benchmark:
        "data/jobs/structure/cluster/{dataset}_{chunk}.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(
            config, "structure", "n_clusters", "n_components", "n_seeds", "seed"
        ),
        code=digest_of(
            "experiments.structure.plan:StructurePlan",
            "experiments.structure.steps:cluster_forests",
        ),
    message:
        "Clusters of the trees of {wildcards.dataset}, forests {wildcards.chunk}"
    script:
        "../scripts/structure_cluster.py"


# All forests of a data set in one table each, and the bootstrap over their trees.
rule structure_statistics:
    input:
        forests=expand(
            "data/results/structure/chunks/{{dataset}}_{chunk}_forests.parquet",
            chunk=structure_chunks,
        ),
        trees=expand(
            "data/results/structure/chunks/{{dataset}}_{chunk}_trees.parquet",
            chunk=structure_chunks,
        ),
        distances=expand(
            "data/results/structure/chunks/{{dataset}}_{chunk}_distances.parquet",
            chunk=structure_chunks,
        ),
        examples=expand(
            "data/results/structure/chunks/{{dataset}}_{chunk}_examples.parquet",
            chunk=structure_chunks,
        ),
        scripts=expand(
            "data/results/structure/chunks/{{dataset}}_{chunk}_scripts.parquet",
            chunk=structure_chunks,
        ),
        closeness=expand(
            "data/results/structure/chunks/{{dataset}}_{chunk}_closeness.parquet",
            chunk=structure_chunks,
        ),
        labels=expand(
            "data/results/structure/chunks/{{dataset}}_{chunk}_labels.parquet",
            chunk=structure_chunks,
        ),
        scores=expand(
            "data/results/structure/chunks/{{dataset}}_{chunk}_scores.parquet",
            chunk=structure_chunks,
        ),
    output:
        **structure_results,
        statistics=structure_tests,
    log:
        "data/logs/structure/statistics/{dataset}.log",
    benchmark:
        "data/jobs/structure/statistics/{dataset}.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "structure", "n_bootstrap", "seed"),
        code=digest_of(
            "experiments.structure.plan:ORDER",
            "experiments.structure.plan:StructurePlan",
            "experiments.structure.steps:merge",
            "experiments.structure.statistics:statistics",
        ),
    message:
        "Forests of {wildcards.dataset}, and bootstrap of their trees"
    script:
        "../scripts/structure_statistics.py"


rule structure_tables:
    input:
        forests=expand(structure_results["forests"], dataset=structure_datasets),
        distances=expand(structure_results["distances"], dataset=structure_datasets),
        examples=expand(structure_results["examples"], dataset=structure_datasets),
        scripts=expand(structure_results["scripts"], dataset=structure_datasets),
        closeness=expand(structure_results["closeness"], dataset=structure_datasets),
        scores=expand(structure_results["scores"], dataset=structure_datasets),
        statistics=expand(structure_tests, dataset=structure_datasets),
        published=structure_published,
    output:
        thesis_table_5_1=report(
            "reports/tables/thesis_table_5_1.csv",
            caption="../report/thesis_table_5_1.rst",
            category="structure",
            labels={
                "table": "table 5.1 edit distances and predictions",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_table_5_2=report(
            "reports/tables/thesis_table_5_2.csv",
            caption="../report/thesis_table_5_2.rst",
            category="structure",
            labels={
                "table": "table 5.2 clusters of trees",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        structure_examples=report(
            "reports/tables/structure_examples.csv",
            caption="../report/structure_examples.rst",
            category="structure",
            labels={
                "table": "pairs of trees that the rules found",
                "paper": "beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        structure_closeness=report(
            "reports/tables/structure_closeness.csv",
            caption="../report/structure_closeness.rst",
            category="structure",
            labels={
                "table": "rank correlations of the distances",
                "paper": "beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        structure_claims=report(
            "reports/tables/structure_claims.csv",
            caption="../report/structure_claims.rst",
            category="structure",
            labels={
                "table": "statements of chapter 5",
                "paper": "beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
    log:
        "data/logs/structure/tables.log",
    benchmark:
        "data/jobs/structure/tables.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=structure_stated,
        code=digest_of(
            "experiments.structure.plan:StructurePlan",
            "experiments.structure.tables:structure_closeness",
            "experiments.structure.tables:structure_examples",
            "experiments.structure.tables:thesis_table_5_1",
            "experiments.structure.tables:thesis_table_5_2",
            "experiments.structure.claims:structure_claims",
        ),
    message:
        "Tables of chapter 5"
    script:
        "../scripts/structure_tables.py"


# Figures show the first data set that is there.
rule structure_figures:
    input:
        table=expand("data/tidy/{dataset}.parquet", dataset=structure_datasets),
        forests=expand(structure_results["forests"], dataset=structure_datasets),
        trees=expand(structure_results["trees"], dataset=structure_datasets),
        distances=expand(structure_results["distances"], dataset=structure_datasets),
        scripts=expand(structure_results["scripts"], dataset=structure_datasets),
        labels=expand(structure_results["labels"], dataset=structure_datasets),
    output:
        thesis_figure_5_1=report(
            "reports/figures/thesis_figure_5_1.svg",
            caption="../report/thesis_figure_5_1.rst",
            category="structure",
            labels={
                "table": "figure 5.1 a tree and its parent",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_figure_5_2=report(
            "reports/figures/thesis_figure_5_2.svg",
            caption="../report/thesis_figure_5_2.rst",
            category="structure",
            labels={
                "table": "figure 5.2 the forest, and substitutions",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_figure_5_3=report(
            "reports/figures/thesis_figure_5_3.svg",
            caption="../report/thesis_figure_5_3.rst",
            category="structure",
            labels={
                "table": "figure 5.3 matrices of distances",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_figure_5_4=report(
            "reports/figures/thesis_figure_5_4.svg",
            caption="../report/thesis_figure_5_4.rst",
            category="structure",
            labels={
                "table": "figure 5.4 clusters of trees (t-SNE)",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_figure_5_1_png="reports/figures/thesis_figure_5_1.png",
        thesis_figure_5_2_png="reports/figures/thesis_figure_5_2.png",
        thesis_figure_5_3_png="reports/figures/thesis_figure_5_3.png",
        thesis_figure_5_4_png="reports/figures/thesis_figure_5_4.png",
    log:
        "data/logs/structure/figures.log",
    benchmark:
        "data/jobs/structure/figures.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "structure", "datasets"),
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.structure.plan:StructurePlan",
            "reporting.figures:save",
            "experiments.structure.figures:thesis_figure_5_1",
            "experiments.structure.figures:thesis_figure_5_2",
            "experiments.structure.figures:thesis_figure_5_3",
            "experiments.structure.figures:thesis_figure_5_4",
        ),
    message:
        "Figures of chapter 5"
    script:
        "../scripts/structure_figures.py"


rule structure_section:
    input:
        tables=rules.structure_tables.output,
        figures=rules.structure_figures.output,
        claims="data/published/claims.csv",
    output:
        "data/results/structure/section.json",
    log:
        "data/logs/structure/section.log",
    benchmark:
        "data/jobs/structure/section.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=structure_stated,
        code=digest_of(
            "experiments.structure.plan:StructurePlan",
            "experiments.structure.page:section",
        ),
    message:
        "Chapter 5 in the report"
    script:
        "../scripts/structure_section.py"


# For the manifest, as in report.smk.
structure_reported = {
    "datasets": structure_datasets,
    "read": ["data/published/claims.csv", *structure_published],
    "made": [
        expand(
            [*structure_results.values(), structure_tests], dataset=structure_datasets
        ),
        rules.structure_tables.output,
        rules.structure_figures.output,
        rules.structure_section.output,
    ],
}
