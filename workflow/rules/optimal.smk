# Whether the best tree of a depth pays: beside C4.5, CART and UCT-DT of the same depth, in training
# and test data, and under noise.

optimal_datasets = config["optimal"]["datasets"]

# Divisions are run in chunks; results do not depend on how they are cut.
optimal_divisions = chunks(config["optimal"]["n_splits"], config["optimal"]["chunk"])


rule optimal_run:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/optimal/chunks/{dataset}_{chunk}.parquet",
    log:
        "data/logs/optimal/run/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "optimal.steps:run"),
    message:
        "Best trees beside grown ones on {wildcards.dataset}, divisions {wildcards.chunk}"
    script:
        "../scripts/step.py"


tails["optimal"] = Tail(
    "optimal",
    "best trees",
    optimal_datasets,
    parts={
        "rows": expand(
            "data/results/optimal/chunks/{dataset}_{chunk}.parquet",
            dataset=optimal_datasets,
            chunk=optimal_divisions,
        )
    },
)
