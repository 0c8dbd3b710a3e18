# Experiments 1 and 2 of the thesis (chapter 3): C4.5, soft search (ss), soft training propagation
# (stp), soft evaluation (se), PLT and UDT with noise in the training or the test data.

soft_datasets = config["soft"]["datasets"]

# Repeats are run in chunks; results do not depend on how they are cut, and no chunk on how many
# there are.
soft_chunks = chunks(config["soft"]["n_repeats"], config["soft"]["chunk"])

# Splits into training and test part, folds, and samples with added noise, of one chunk.
soft_noised = [
    "data/noised/soft/{dataset}/chunks/{chunk}/splits.parquet",
    "data/noised/soft/{dataset}/chunks/{chunk}/samples.parquet",
    "data/noised/soft/{dataset}/chunks/{chunk}/seeds.parquet",
]

soft_rows = expand("data/results/soft/{dataset}.parquet", dataset=soft_datasets)

soft_published = [
    "data/published/thesis_table_3_1.csv",
    "data/published/thesis_table_3_4.csv",
    "data/published/thesis_table_3_5.csv",
]


rule soft_noise:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        splits="data/noised/soft/{dataset}/chunks/{chunk}/splits.parquet",
        samples="data/noised/soft/{dataset}/chunks/{chunk}/samples.parquet",
        seeds="data/noised/soft/{dataset}/chunks/{chunk}/seeds.parquet",
    log:
        "data/logs/soft/noise/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft.steps:noise"),
    message:
        "Splits and noise of {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule soft_calibrate:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/calibrated/soft/{dataset}.parquet",
    log:
        "data/logs/soft/calibrate/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft.steps:calibrate"),
    message:
        "Pruning confidence of {wildcards.dataset}"
    script:
        "../scripts/step.py"


rule soft_learn:
    input:
        table="data/tidy/{dataset}.parquet",
        noised=soft_noised,
        calibration="data/calibrated/soft/{dataset}.parquet",
    output:
        trees="data/trees/soft/{dataset}/chunks/{chunk}/grown.parquet",
        tuning="data/trees/soft/{dataset}/chunks/{chunk}/tuning.parquet",
        times="data/jobs/soft/times/{dataset}_{chunk}.parquet",
    log:
        "data/logs/soft/learn/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft.steps:learn"),
    message:
        "Learning on {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule soft_prune:
    input:
        trees="data/trees/soft/{dataset}/chunks/{chunk}/grown.parquet",
        tuning="data/trees/soft/{dataset}/chunks/{chunk}/tuning.parquet",
        noised=soft_noised,
        calibration="data/calibrated/soft/{dataset}.parquet",
        table="data/tidy/{dataset}.parquet",
    output:
        "data/trees/soft/{dataset}/chunks/{chunk}/pruned.parquet",
    log:
        "data/logs/soft/prune/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft.steps:prune"),
    message:
        "Pruning the trees of {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule soft_evaluate:
    input:
        pruned="data/trees/soft/{dataset}/chunks/{chunk}/pruned.parquet",
        tuning="data/trees/soft/{dataset}/chunks/{chunk}/tuning.parquet",
        noised=soft_noised,
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/soft/chunks/{dataset}_{chunk}.parquet",
    log:
        "data/logs/soft/evaluate/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft.steps:evaluate"),
    message:
        "Evaluating the trees of {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule soft_merge:
    input:
        rows=expand(
            "data/results/soft/chunks/{{dataset}}_{chunk}.parquet", chunk=soft_chunks
        ),
        pruned=expand(
            "data/trees/soft/{{dataset}}/chunks/{chunk}/pruned.parquet",
            chunk=soft_chunks,
        ),
        trees=expand(
            "data/trees/soft/{{dataset}}/chunks/{chunk}/grown.parquet",
            chunk=soft_chunks,
        ),
        tuning=expand(
            "data/trees/soft/{{dataset}}/chunks/{chunk}/tuning.parquet",
            chunk=soft_chunks,
        ),
    output:
        rows="data/results/soft/{dataset}.parquet",
        pruned="data/trees/soft/{dataset}/pruned.parquet",
        trees="data/trees/soft/{dataset}/grown.parquet",
        tuning="data/trees/soft/{dataset}/tuning.parquet",
    log:
        "data/logs/soft/merge/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft.steps:merged"),
    message:
        "Rows and trees of {wildcards.dataset}"
    script:
        "../scripts/step.py"


# Differences in running time, the last block of tables 3.4 and 3.5: nothing depends on it.
rule soft_running_times:
    input:
        times=expand(
            "data/jobs/soft/times/{dataset}_{chunk}.parquet",
            dataset=soft_datasets,
            chunk=soft_chunks,
        ),
        published=soft_published[1:],
    output:
        "data/jobs/soft/running_times.csv",
    log:
        "data/logs/soft/running_times.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft.tables:soft_running_times"),
    message:
        "Running times of experiments 1 and 2"
    script:
        "../scripts/step.py"


# Leaves and accuracy by the uncertainty that was tuned, for readers of the notes.
rule soft_by_uncertainty:
    input:
        rows=soft_rows,
    output:
        "data/results/soft/by_uncertainty.parquet",
    log:
        "data/logs/soft/by_uncertainty.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft.tables:soft_by_uncertainty"),
    message:
        "Results by the uncertainty that was tuned"
    script:
        "../scripts/step.py"


# T3-09 speaks of running times: judged with them, apart from all that is reported.
rule soft_timed_claims:
    input:
        rows=soft_rows,
        times=rules.soft_running_times.input.times,
        specification="config/claims.yaml",
        statements="data/published/claims.csv",
    output:
        "data/jobs/soft/claims.parquet",
    log:
        "data/logs/soft/timed_claims.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft.claims:with_times"),
    message:
        "Claims of experiments 1 and 2, with running times"
    script:
        "../scripts/step.py"


tails["soft"] = Tail(
    "soft",
    "experiments 1 and 2",
    soft_datasets,
    parts={"rows": soft_rows},
    files={
        "rows": soft_rows,
        "tidy": expand("data/tidy/{dataset}.parquet", dataset=soft_datasets),
        "calibrated": expand(
            "data/calibrated/soft/{dataset}.parquet", dataset=soft_datasets
        ),
        "published": soft_published,
        "ranks": "reports/tables/soft_ranks.csv",
    },
    made=[
        expand("data/calibrated/soft/{dataset}.parquet", dataset=soft_datasets),
        expand(
            "data/trees/soft/{dataset}/{step}.parquet",
            dataset=soft_datasets,
            step=["grown", "tuning", "pruned"],
        ),
        soft_rows,
        rules.soft_by_uncertainty.output,
    ],
    times=[rules.soft_running_times.output, rules.soft_timed_claims.output],
)
