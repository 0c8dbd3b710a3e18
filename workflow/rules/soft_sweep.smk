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
        "Trees of the sweep on {wildcards.dataset}, permutations {wildcards.chunk}"
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
        "The sweep on {wildcards.dataset}, permutations {wildcards.chunk}"
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


rule soft_sweep_tables:
    input:
        rows=sweep_rows,
    output:
        **items(
            config,
            "soft_sweep.tables",
            "soft_sweep",
            "soft_sweep_ranges",
        ),
    log:
        "data/logs/soft_sweep/tables.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_sweep.tables"),
    message:
        "Tables of the sweep"
    script:
        "../scripts/step.py"


rule soft_sweep_figures:
    input:
        rows=sweep_rows,
    output:
        **items(
            config,
            "soft_sweep.figures",
            "thesis_figure_3_11",
            "thesis_figure_3_12",
        ),
    log:
        "data/logs/soft_sweep/figures.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_sweep.figures"),
    message:
        "Figures of the sweep"
    script:
        "../scripts/step.py"


rule soft_sweep_claims:
    input:
        rows=sweep_rows,
        specification="config/claims.yaml",
        stated="data/published/claims.csv",
    output:
        "data/results/soft_sweep/claims.parquet",
    log:
        "data/logs/soft_sweep/claims.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_sweep.claims:claims"),
    message:
        "Claim about the pruning confidence"
    script:
        "../scripts/step.py"


rule soft_sweep_page:
    input:
        tables=rules.soft_sweep_tables.output,
        figures=rules.soft_sweep_figures.output,
        captions=[rules.soft_sweep_tables.output, rules.soft_sweep_figures.output],
        rows=sweep_rows,
        claims=rules.soft_sweep_claims.output,
    output:
        "data/results/soft_sweep/section.json",
    log:
        "data/logs/soft_sweep/section.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_sweep.page:section"),
    message:
        "The sweep in the report"
    script:
        "../scripts/step.py"


# For the manifest, as in report.smk.
soft_sweep_reported = {
    "datasets": sweep_datasets,
    "read": ["config/claims.yaml", "data/published/claims.csv"],
    "made": [
        expand("data/trees/soft_sweep/{dataset}/grown.parquet", dataset=sweep_datasets),
        sweep_rows,
        rules.soft_sweep_tables.output,
        rules.soft_sweep_figures.output,
        rules.soft_sweep_claims.output,
        rules.soft_sweep_page.output,
    ],
}
