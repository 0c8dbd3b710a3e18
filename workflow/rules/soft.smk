# Experiments 1 and 2 of the thesis (chapter 3): C4.5, soft search (ss), soft training propagation
# (stp), soft evaluation (se), PLT and UDT with noise in the training or the test data.

# Permutations are learnt in chunks; results do not depend on how they are cut.
soft_chunks = chunks(config["soft"]["n_permutations"], config["soft"]["chunk"])


rule soft_calibrate:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/calibrated/soft/{dataset}.parquet",
    log:
        "data/logs/soft/calibrate/{dataset}.log",
    benchmark:
        "data/jobs/soft/calibrate/{dataset}.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(
            config,
            "soft",
            "confidence_tolerance",
            "gate_at",
            "min_samples_split",
            "n_folds",
            "seed",
            "step",
            "target_leaves",
            "window",
        ),
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.soft.plan:SoftPlan",
            "experiments.soft.steps:calibrate",
        ),
    message:
        "Pruning confidence of {wildcards.dataset}"
    script:
        "../scripts/soft_calibrate.py"


rule soft_learn:
    input:
        table="data/tidy/{dataset}.parquet",
        splits="data/noised/soft/{dataset}/splits.parquet",
        samples="data/noised/soft/{dataset}/samples.parquet",
        seeds="data/noised/soft/{dataset}/seeds.parquet",
        calibration="data/calibrated/soft/{dataset}.parquet",
    output:
        trees="data/trees/soft/{dataset}/chunks/{chunk}/grown.parquet",
        tuning="data/trees/soft/{dataset}/chunks/{chunk}/tuning.parquet",
        times="data/jobs/soft/times/{dataset}_{chunk}.parquet",
    log:
        "data/logs/soft/learn/{dataset}_{chunk}.log",
    benchmark:
        "data/jobs/soft/learn/{dataset}_{chunk}.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(
            config,
            "soft",
            "factors",
            "gate_at",
            "methods",
            "min_samples_split",
            "n_samples",
            "noise_factors",
            "step",
            "window",
        ),
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.soft.plan:SoftPlan",
            "experiments.soft.steps:learn",
        ),
    message:
        "Learning on {wildcards.dataset}, permutations {wildcards.chunk}"
    script:
        "../scripts/soft_learn.py"


rule soft_merge:
    input:
        trees=expand(
            "data/trees/soft/{{dataset}}/chunks/{chunk}/grown.parquet",
            chunk=soft_chunks,
        ),
        tuning=expand(
            "data/trees/soft/{{dataset}}/chunks/{chunk}/tuning.parquet",
            chunk=soft_chunks,
        ),
    output:
        trees="data/trees/soft/{dataset}/grown.parquet",
        tuning="data/trees/soft/{dataset}/tuning.parquet",
    log:
        "data/logs/soft/merge/{dataset}.log",
    benchmark:
        "data/jobs/soft/merge/{dataset}.tsv"
    conda:
        "../../environment.yml"
    message:
        "Trees of {wildcards.dataset}"
    script:
        "../scripts/soft_merge.py"


rule soft_prune:
    input:
        table="data/tidy/{dataset}.parquet",
        splits="data/noised/soft/{dataset}/splits.parquet",
        samples="data/noised/soft/{dataset}/samples.parquet",
        seeds="data/noised/soft/{dataset}/seeds.parquet",
        calibration="data/calibrated/soft/{dataset}.parquet",
        trees="data/trees/soft/{dataset}/grown.parquet",
        tuning="data/trees/soft/{dataset}/tuning.parquet",
    output:
        "data/trees/soft/{dataset}/pruned.parquet",
    log:
        "data/logs/soft/prune/{dataset}.log",
    benchmark:
        "data/jobs/soft/prune/{dataset}.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "soft", "window"),
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.soft.plan:SoftPlan",
            "experiments.soft.steps:prune_trees",
        ),
    message:
        "Pruning the trees of {wildcards.dataset}"
    script:
        "../scripts/soft_prune.py"


rule soft_evaluate:
    input:
        table="data/tidy/{dataset}.parquet",
        splits="data/noised/soft/{dataset}/splits.parquet",
        samples="data/noised/soft/{dataset}/samples.parquet",
        seeds="data/noised/soft/{dataset}/seeds.parquet",
        trees="data/trees/soft/{dataset}/pruned.parquet",
        tuning="data/trees/soft/{dataset}/tuning.parquet",
    output:
        "data/results/soft/{dataset}.parquet",
    log:
        "data/logs/soft/evaluate/{dataset}.log",
    benchmark:
        "data/jobs/soft/evaluate/{dataset}.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "soft", "methods", "noise_factors", "window"),
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.soft.plan:SoftPlan",
            "experiments.soft.steps:evaluate",
        ),
    message:
        "Evaluating the trees of {wildcards.dataset}"
    script:
        "../scripts/soft_evaluate.py"


rule soft_statistics:
    input:
        rows=expand(
            "data/results/soft/{dataset}.parquet", dataset=config["soft"]["datasets"]
        ),
    output:
        "data/results/soft/statistics.parquet",
    log:
        "data/logs/soft/statistics.log",
    benchmark:
        "data/jobs/soft/statistics.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "soft", "methods", "noise_factors"),
        code=digest_of(
            "experiments.soft.plan:SoftPlan",
            "experiments.soft.statistics:statistics",
        ),
    message:
        "Significance tests of experiments 1 and 2"
    script:
        "../scripts/soft_statistics.py"
