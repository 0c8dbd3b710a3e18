# Whether the best tree of a depth pays: beside C4.5, CART and UCT-DT of the same depth, in training
# and test data, and under noise.

optimality_gap_datasets = config["optimality_gap"]["datasets"]

# Repeats are run in chunks; results do not depend on how they are cut.
optimality_gap_repeats = chunks(
    config["optimality_gap"]["n_repeats"], config["optimality_gap"]["chunk"]
)


rule optimality_gap_run:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/optimality_gap/chunks/{dataset}_{chunk}.parquet",
    log:
        "data/logs/optimality_gap/run/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "optimality_gap.steps:run"),
    message:
        "Best trees beside grown ones on {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


tails["optimality_gap"] = Tail(
    "optimality_gap",
    "best trees",
    optimality_gap_datasets,
    parts={
        "rows": expand(
            "data/results/optimality_gap/chunks/{dataset}_{chunk}.parquet",
            dataset=optimality_gap_datasets,
            chunk=optimality_gap_repeats,
        )
    },
)
