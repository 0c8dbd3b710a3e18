# Beyond chapter 5 of the thesis: the distances over many data sets, ensembles of trees that differ
# in structure. Forests are made as those of `structure`.

structure_beyond_datasets = config["structure_beyond"]["datasets"]

# Divisions are run in chunks; results do not depend on how they are cut.
structure_beyond_chunks = chunks(
    config["structure_beyond"]["n_splits"], config["structure_beyond"]["chunk"]
)


# What was learnt and measured, of all data sets, by name.
structure_beyond_learnt = ["forests", "trees", "grown"]
structure_beyond_measured = ["closeness", "scores", "ensembles"]


# All parts on one data set, with every tree that was learnt.
rule structure_beyond_run:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        **{
            name: f"data/trees/structure_beyond/{{dataset}}/{{chunk}}_{name}.parquet"
            for name in structure_beyond_learnt
        },
        **{
            name: f"data/results/structure_beyond/chunks/{{dataset}}_{{chunk}}_{name}.parquet"
            for name in structure_beyond_measured
        },
    log:
        "data/logs/structure_beyond/run/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "structure_beyond.steps:run"),
    message:
        "Beyond chapter 5 on {wildcards.dataset}, divisions {wildcards.chunk}"
    script:
        "../scripts/step.py"


tails["structure_beyond"] = Tail(
    "structure_beyond",
    "what goes beyond chapter 5",
    structure_beyond_datasets,
    parts={
        name: expand(
            f"data/results/structure_beyond/chunks/{{dataset}}_{{chunk}}_{name}.parquet",
            dataset=structure_beyond_datasets,
            chunk=structure_beyond_chunks,
        )
        for name in structure_beyond_measured
    },
    files={
        "measured": expand(
            "data/results/structure_beyond/{name}.parquet",
            name=structure_beyond_measured,
        )
    },
    made=expand(
        "data/trees/structure_beyond/{dataset}/{chunk}_{name}.parquet",
        dataset=structure_beyond_datasets,
        chunk=structure_beyond_chunks,
        name=structure_beyond_learnt,
    ),
)
