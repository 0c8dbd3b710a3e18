# Divisions into training and test part, folds, and samples with added noise.


rule soft_noise:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        splits="data/noised/soft/{dataset}/splits.parquet",
        samples="data/noised/soft/{dataset}/samples.parquet",
        seeds="data/noised/soft/{dataset}/seeds.parquet",
    log:
        "data/logs/soft/noise/{dataset}.log",
    benchmark:
        "data/jobs/soft/noise/{dataset}.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(
            config,
            "soft",
            "n_folds",
            "n_permutations",
            "noise_factors",
            "seed",
            "store_samples",
            "test_size",
        ),
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.soft.plan:SoftPlan",
            "experiments.soft.steps:noise",
        ),
    message:
        "Splits and noise of {wildcards.dataset}"
    script:
        "../scripts/soft_noise.py"
