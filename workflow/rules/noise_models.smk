# Beyond chapter 3 of the thesis: noise that is not Gaussian and models that match it or not.
# Splits, folds and pruning confidence are those of `soft`.

noise_models_datasets = config["noise_models"]["datasets"]

# Repeats are run in chunks; results do not depend on how they are cut.
noise_models_rows = expand(
    "data/results/noise_models/chunks/{dataset}_{chunk}.parquet",
    dataset=noise_models_datasets,
    chunk=chunks(config["noise_models"]["n_repeats"], config["noise_models"]["chunk"]),
)


rule noise_models_numeric:
    input:
        table="data/tidy/{dataset}.parquet",
        splits="data/noised/soft/{dataset}/chunks/{chunk}/splits.parquet",
        calibration="data/calibrated/soft/{dataset}.parquet",
    output:
        "data/results/noise_models/chunks/{dataset}_{chunk}.parquet",
    log:
        "data/logs/noise_models/numeric/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "noise_models.steps:numeric"),
    message:
        "Other noise on {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


tails["noise_models"] = Tail(
    "noise_models",
    "other noise",
    sorted(noise_models_datasets),
    parts={"rows": noise_models_rows},
    made=expand(
        "data/calibrated/soft/{dataset}.parquet", dataset=noise_models_datasets
    ),
)
