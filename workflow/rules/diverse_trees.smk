# Beyond chapter 5 of the thesis: the distances over many data sets, ensembles of trees that differ
# in structure. Forests are made as those of `structure`.

diverse_trees_datasets = config["diverse_trees"]["datasets"]

# Repeats are run in chunks; results do not depend on how they are cut.
diverse_trees_chunks = chunks(
    config["diverse_trees"]["n_repeats"], config["diverse_trees"]["chunk"]
)


# What was learnt and measured, of all data sets, by name.
diverse_trees_learnt = ["forests", "trees", "grown"]
diverse_trees_measured = ["closeness", "scores", "ensembles"]


# All parts on one data set, with every tree that was learnt.
rule diverse_trees_run:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        **{
            name: f"data/trees/diverse_trees/{{dataset}}/{{chunk}}_{name}.parquet"
            for name in diverse_trees_learnt
        },
        **{
            name: f"data/results/diverse_trees/chunks/{{dataset}}_{{chunk}}_{name}.parquet"
            for name in diverse_trees_measured
        },
    log:
        "data/logs/diverse_trees/run/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "diverse_trees.steps:run"),
    message:
        "Beyond chapter 5 on {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


tails["diverse_trees"] = Tail(
    "diverse_trees",
    "what goes beyond chapter 5",
    diverse_trees_datasets,
    parts={
        name: expand(
            f"data/results/diverse_trees/chunks/{{dataset}}_{{chunk}}_{name}.parquet",
            dataset=diverse_trees_datasets,
            chunk=diverse_trees_chunks,
        )
        for name in diverse_trees_measured
    },
    files={
        "measured": expand(
            "data/results/diverse_trees/{name}.parquet",
            name=diverse_trees_measured,
        )
    },
    made=expand(
        "data/trees/diverse_trees/{dataset}/{chunk}_{name}.parquet",
        dataset=diverse_trees_datasets,
        chunk=diverse_trees_chunks,
        name=diverse_trees_learnt,
    ),
)
