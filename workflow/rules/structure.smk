# Chapter 5 of the thesis: the edit distance of trees on hierarchical forests of UCT-DT.

structure_datasets = config["structure"]["datasets"]

# Repeats are run in chunks; results do not depend on how they are cut.
structure_chunks = chunks(
    config["structure"]["n_repeats"], config["structure"]["chunk"]
)

# The data sets of chapter 5, by their keys in data/published.
structure_printed = published_keys(registry, "thesis5")

structure_published = [f"data/published/thesis_table_5_{n}.csv" for n in (1, 2)]

# Tables of all forests of a data set, by name.
structure_results = {
    "forests": "data/trees/structure/{dataset}/forests.parquet",
    "trees": "data/trees/structure/{dataset}/trees.parquet",
    "distances": "data/results/structure/distances/{dataset}.parquet",
    "first": "data/results/structure/first/{dataset}.parquet",
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
    conda:
        "../../environment.yml"
    params:
        **step(config, "structure.steps:learn"),
    message:
        "Forests of {wildcards.dataset}, {wildcards.chunk}"
    script:
        "../scripts/step.py"


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
    conda:
        "../../environment.yml"
    params:
        **step(config, "structure.steps:compare_chunk"),
    message:
        "Distances of the trees of {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


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
    conda:
        "../../environment.yml"
    params:
        **step(config, "structure.steps:cluster_chunk"),
    message:
        "Clusters of the trees of {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


# The bootstrap over the trees of each forest; of millions of distances what is shown.
rule structure_resample:
    input:
        forests="data/results/structure/chunks/{dataset}_{chunk}_forests.parquet",
        distances="data/results/structure/chunks/{dataset}_{chunk}_distances.parquet",
        scripts="data/results/structure/chunks/{dataset}_{chunk}_scripts.parquet",
    output:
        shown="data/results/structure/chunks/{dataset}_{chunk}_shown.parquet",
        first="data/results/structure/chunks/{dataset}_{chunk}_first.parquet",
        statistics="data/results/structure/chunks/{dataset}_{chunk}_statistics.parquet",
    log:
        "data/logs/structure/resample/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "structure.statistics:resampled"),
    message:
        "Bootstrap of the trees of {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


# All forests of a data set in one table each.
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
            "data/results/structure/chunks/{{dataset}}_{chunk}_shown.parquet",
            chunk=structure_chunks,
        ),
        first=expand(
            "data/results/structure/chunks/{{dataset}}_{chunk}_first.parquet",
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
        statistics=expand(
            "data/results/structure/chunks/{{dataset}}_{chunk}_statistics.parquet",
            chunk=structure_chunks,
        ),
    output:
        **structure_results,
        statistics=structure_tests,
    log:
        "data/logs/structure/statistics/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "structure.statistics:merged"),
    message:
        "All forests of {wildcards.dataset}"
    script:
        "../scripts/step.py"


# Figures show the first data set that is there.
tails["structure"] = Tail(
    "structure",
    "chapter 5",
    structure_datasets,
    files={
        **{
            name: expand(file, dataset=structure_datasets)
            for name, file in structure_results.items()
        },
        "table": expand("data/tidy/{dataset}.parquet", dataset=structure_datasets),
        "statistics": expand(structure_tests, dataset=structure_datasets),
        "published": structure_published,
    },
    gathered={
        "tables": (
            *("forests", "distances", "examples", "scripts"),
            *("closeness", "scores", "statistics"),
        ),
        "figures": ("forests", "trees", "first", "scripts", "labels"),
    },
    given={"printed": structure_printed},
    made=expand(
        [*structure_results.values(), structure_tests], dataset=structure_datasets
    ),
)
