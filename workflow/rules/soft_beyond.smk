# Beyond chapter 3 of the thesis: noise that is not Gaussian and models that match it or not.
# Divisions, folds and pruning confidence are those of `soft`.

soft_beyond_datasets = config["soft_beyond"]["datasets"]

# Permutations are run in chunks; results do not depend on how they are cut.
soft_beyond_rows = expand(
    "data/results/soft_beyond/chunks/{dataset}_{chunk}.parquet",
    dataset=soft_beyond_datasets,
    chunk=chunks(
        config["soft_beyond"]["n_permutations"], config["soft_beyond"]["chunk"]
    ),
)


rule soft_beyond_numeric:
    input:
        table="data/tidy/{dataset}.parquet",
        splits="data/noised/soft/{dataset}/chunks/{chunk}/splits.parquet",
        calibration="data/calibrated/soft/{dataset}.parquet",
    output:
        "data/results/soft_beyond/chunks/{dataset}_{chunk}.parquet",
    log:
        "data/logs/soft_beyond/numeric/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_beyond.steps:numeric"),
    message:
        "Other noise on {wildcards.dataset}, permutations {wildcards.chunk}"
    script:
        "../scripts/step.py"


tails["soft_beyond"] = Tail(
    "soft_beyond",
    "other noise",
    sorted(soft_beyond_datasets),
    parts={"rows": soft_beyond_rows},
    made=expand("data/calibrated/soft/{dataset}.parquet", dataset=soft_beyond_datasets),
)
