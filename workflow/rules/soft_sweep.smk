# The sweep of the pruning confidence (thesis, figures 3.11 and 3.12): C4.5, ss and stp learn from
# the samples of experiments 1 and 2, in the same chunks; a tree is grown once and pruned at every
# confidence.

sweep_datasets = config["soft_sweep"]["datasets"]
sweep_rows = expand("data/results/soft_sweep/{dataset}.parquet", dataset=sweep_datasets)


rule soft_sweep_grow:
    input:
        table="data/tidy/{dataset}.parquet",
        noised=soft_noised,
    output:
        "data/trees/soft_sweep/{dataset}/chunks/{chunk}/grown.parquet",
    log:
        "data/logs/soft_sweep/grow/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_sweep.steps:grow"),
    message:
        "Trees of the sweep on {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule soft_sweep_evaluate:
    input:
        trees="data/trees/soft_sweep/{dataset}/chunks/{chunk}/grown.parquet",
        noised=soft_noised,
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/soft_sweep/chunks/{dataset}_{chunk}.parquet",
    log:
        "data/logs/soft_sweep/evaluate/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_sweep.steps:evaluate"),
    message:
        "The sweep on {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule soft_sweep_merge:
    input:
        rows=expand(
            "data/results/soft_sweep/chunks/{{dataset}}_{chunk}.parquet",
            chunk=soft_chunks,
        ),
        trees=expand(
            "data/trees/soft_sweep/{{dataset}}/chunks/{chunk}/grown.parquet",
            chunk=soft_chunks,
        ),
    output:
        rows="data/results/soft_sweep/{dataset}.parquet",
        trees="data/trees/soft_sweep/{dataset}/grown.parquet",
    log:
        "data/logs/soft_sweep/merge/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_sweep.steps:merged"),
    message:
        "Rows and trees of the sweep on {wildcards.dataset}"
    script:
        "../scripts/step.py"


tails["soft_sweep"] = Tail(
    "soft_sweep",
    "the sweep",
    sweep_datasets,
    files={"rows": sweep_rows},
    made=[
        expand("data/trees/soft_sweep/{dataset}/grown.parquet", dataset=sweep_datasets),
        sweep_rows,
    ],
)
