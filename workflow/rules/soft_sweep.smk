# The sweep of the pruning confidence (thesis, figures 3.11 and 3.12): C4.5, ss and stp learn from
# the samples of experiments 1 and 2; a tree is grown once and pruned at every confidence.

sweep_datasets = config["soft_sweep"]["datasets"]
# What a table or caption may state.
sweep_stated = {*config["soft_sweep"], "configuration"}


rule soft_sweep_grow:
    input:
        table="data/tidy/{dataset}.parquet",
        splits="data/noised/soft/{dataset}/splits.parquet",
        samples="data/noised/soft/{dataset}/samples.parquet",
        seeds="data/noised/soft/{dataset}/seeds.parquet",
    output:
        "data/trees/soft_sweep/{dataset}/grown.parquet",
    log:
        "data/logs/soft_sweep/grow/{dataset}.log",
    benchmark:
        "data/jobs/soft_sweep/grow/{dataset}.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "soft_sweep", "factor", "noise_factors"),
        learners=settings(
            config, "soft", "gate_at", "min_samples_split", "step", "window"
        ),
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.soft.plan:SoftPlan",
            "experiments.soft_sweep.plan:SweepPlan",
            "experiments.soft_sweep.steps:grow",
        ),
    message:
        "Growing the trees of the sweep on {wildcards.dataset}"
    script:
        "../scripts/soft_sweep_grow.py"


rule soft_sweep_evaluate:
    input:
        table="data/tidy/{dataset}.parquet",
        splits="data/noised/soft/{dataset}/splits.parquet",
        samples="data/noised/soft/{dataset}/samples.parquet",
        seeds="data/noised/soft/{dataset}/seeds.parquet",
        trees="data/trees/soft_sweep/{dataset}/grown.parquet",
    output:
        "data/results/soft_sweep/{dataset}.parquet",
    log:
        "data/logs/soft_sweep/evaluate/{dataset}.log",
    benchmark:
        "data/jobs/soft_sweep/evaluate/{dataset}.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "soft_sweep", "confidences"),
        learners=settings(config, "soft", "window"),
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.soft.plan:SoftPlan",
            "experiments.soft_sweep.plan:SweepPlan",
            "experiments.soft_sweep.steps:evaluate",
        ),
    message:
        "Pruning the trees of {wildcards.dataset} at every confidence"
    script:
        "../scripts/soft_sweep_evaluate.py"


rule soft_sweep_tables:
    input:
        rows=expand("data/results/soft_sweep/{dataset}.parquet", dataset=sweep_datasets),
    output:
        soft_sweep=report(
            "reports/tables/soft_sweep.csv",
            caption="../report/soft_sweep.rst",
            category="soft_sweep",
            labels={
                "table": "numbers of figures 3.11 and 3.12",
                "paper": "beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        soft_sweep_ranges=report(
            "reports/tables/soft_sweep_ranges.csv",
            caption="../report/soft_sweep_ranges.rst",
            category="soft_sweep",
            labels={
                "table": "low and high pruning confidence",
                "paper": "beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
    log:
        "data/logs/soft_sweep/tables.log",
    benchmark:
        "data/jobs/soft_sweep/tables.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "soft_sweep", *sweep_stated),
        code=digest_of(
            "experiments.soft_sweep.plan:SweepPlan",
            "experiments.soft_sweep.tables:soft_sweep",
            "experiments.soft_sweep.tables:soft_sweep_ranges",
        ),
    message:
        "Tables of the sweep"
    script:
        "../scripts/soft_sweep_tables.py"


rule soft_sweep_figures:
    input:
        rows=expand("data/results/soft_sweep/{dataset}.parquet", dataset=sweep_datasets),
    output:
        thesis_figure_3_11=report(
            "reports/figures/thesis_figure_3_11.svg",
            caption="../report/thesis_figure_3_11.rst",
            category="soft_sweep",
            labels={
                "table": "figure 3.11 pruning confidence, no noise",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_figure_3_12=report(
            "reports/figures/thesis_figure_3_12.svg",
            caption="../report/thesis_figure_3_12.rst",
            category="soft_sweep",
            labels={
                "table": "figure 3.12 pruning confidence, noise in training data",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_figure_3_11_png="reports/figures/thesis_figure_3_11.png",
        thesis_figure_3_12_png="reports/figures/thesis_figure_3_12.png",
    log:
        "data/logs/soft_sweep/figures.log",
    benchmark:
        "data/jobs/soft_sweep/figures.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "soft_sweep", *sweep_stated),
        code=digest_of(
            "experiments.soft_sweep.plan:SweepPlan",
            "reporting.figures:save",
            "experiments.soft_sweep.figures:thesis_figure_3_11",
            "experiments.soft_sweep.figures:thesis_figure_3_12",
        ),
    message:
        "Figures of the sweep"
    script:
        "../scripts/soft_sweep_figures.py"


rule soft_sweep_section:
    input:
        tables=rules.soft_sweep_tables.output,
        figures=rules.soft_sweep_figures.output,
        rows=expand("data/results/soft_sweep/{dataset}.parquet", dataset=sweep_datasets),
        claims="data/published/claims.csv",
    output:
        "data/results/soft_sweep/section.json",
    log:
        "data/logs/soft_sweep/section.log",
    benchmark:
        "data/jobs/soft_sweep/section.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "soft_sweep", *sweep_stated),
        code=digest_of(
            "experiments.soft_sweep.plan:SweepPlan",
            "experiments.soft_sweep.page:section",
        ),
    message:
        "The sweep in the report"
    script:
        "../scripts/soft_sweep_section.py"


# For the manifest, as in report.smk.
soft_sweep_reported = {
    "datasets": sweep_datasets,
    "read": ["data/published/claims.csv"],
    "made": [
        expand(
            "data/noised/soft/{dataset}/{part}.parquet",
            dataset=sweep_datasets,
            part=["splits", "samples", "seeds"],
        ),
        expand("data/trees/soft_sweep/{dataset}/grown.parquet", dataset=sweep_datasets),
        expand("data/results/soft_sweep/{dataset}.parquet", dataset=sweep_datasets),
        rules.soft_sweep_tables.output,
        rules.soft_sweep_figures.output,
        rules.soft_sweep_section.output,
    ],
}
