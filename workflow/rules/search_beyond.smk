# Beyond chapter 4 of the thesis: the distance of tree search from optimal trees, other rules of
# selection, and what is found after so many iterations. Splits and tuning are those of `search`.

search_beyond_datasets = config["search_beyond"]["datasets"]
search_beyond_optimum_datasets = config["search_beyond"]["optimum_datasets"]

# Splits are run in chunks; results do not depend on how they are cut.
search_beyond_chunks = {
    part: chunks(config["search_beyond"][key], config["search_beyond"]["chunk"])
    for part, key in (
        ("optimum", "optimum_splits"),
        ("selection", "n_splits"),
        ("anytime", "anytime_splits"),
    )
}

# An optional library checks the most accurate trees: installing it runs their jobs again.
search_beyond_library = {"library": optimal_library()}

# What a table or caption may state: all settings, but not how the work was cut into jobs.
search_beyond_stated = {
    **settings(
        config,
        "search_beyond",
        *({*config["search_beyond"], "configuration", "seed"} - {"chunk"}),
    ),
    **search_beyond_library,
}


# C4.5, UCT-DT and the optimum on binary tables.
rule search_beyond_optimum:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        optimum="data/results/search_beyond/chunks/optimum/{dataset}_{chunk}_optimum.parquet",
        thresholds="data/results/search_beyond/chunks/optimum/{dataset}_{chunk}_thresholds.parquet",
    log:
        "data/logs/search_beyond/optimum/{dataset}_{chunk}.log",
    benchmark:
        "data/jobs/search_beyond/optimum/{dataset}_{chunk}.tsv"
    conda:
        "../../environment.yml"
    params:
        plan={
            **settings(
                config,
                "search_beyond",
                "depths",
                "largest_f1_depth",
                "n_thresholds",
                "optimum_confidence",
                "optimum_iterations",
                "seed",
            ),
            **search_beyond_library,
        },
        protocol=settings(
            config,
            "search",
            "exploration",
            "n_candidates",
            "seed",
            "test_size",
            "validation_fraction",
            "value_pruning_depth",
            "value_pruning_interval",
        ),
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.search.plan:SearchPlan",
            "experiments.search_beyond.plan:SearchBeyondPlan",
            "experiments.search_beyond.steps:optimum",
        ),
    message:
        "Optimal trees on {wildcards.dataset}, splits {wildcards.chunk}"
    script:
        "../scripts/search_beyond_optimum.py"


rule search_beyond_selection:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        selection="data/results/search_beyond/chunks/selection/{dataset}_{chunk}_selection.parquet",
    log:
        "data/logs/search_beyond/selection/{dataset}_{chunk}.log",
    benchmark:
        "data/jobs/search_beyond/selection/{dataset}_{chunk}.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(
            config,
            "search_beyond",
            "n_iterations",
            "policies",
            "seed",
            "widening",
        ),
        protocol=settings(
            config,
            "search",
            "confidences",
            "exploration",
            "min_samples_split",
            "n_candidates",
            "n_folds",
            "seed",
            "test_size",
            "validation_fraction",
            "value_pruning_depth",
            "value_pruning_interval",
        ),
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.search.plan:SearchPlan",
            "experiments.search_beyond.plan:SearchBeyondPlan",
            "experiments.search_beyond.steps:selection",
        ),
    message:
        "Rules of selection on {wildcards.dataset}, splits {wildcards.chunk}"
    script:
        "../scripts/search_beyond_selection.py"


# Seconds go to data/jobs: no result depends on them.
rule search_beyond_anytime:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        anytime="data/results/search_beyond/chunks/anytime/{dataset}_{chunk}_anytime.parquet",
        times="data/jobs/search_beyond/times/{dataset}_{chunk}.parquet",
    log:
        "data/logs/search_beyond/anytime/{dataset}_{chunk}.log",
    benchmark:
        "data/jobs/search_beyond/anytime/{dataset}_{chunk}.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(
            config,
            "search_beyond",
            "bootstrap_iterations",
            "grid",
            "seed",
        ),
        protocol=settings(
            config,
            "search",
            "alpha_folds",
            "alphas",
            "confidences",
            "exploration",
            "min_samples_split",
            "n_candidates",
            "n_folds",
            "n_generations",
            "population_size",
            "seed",
            "test_size",
            "validation_fraction",
            "value_pruning_depth",
            "value_pruning_interval",
        ),
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.search.plan:SearchPlan",
            "experiments.search_beyond.plan:SearchBeyondPlan",
            "experiments.search_beyond.steps:anytime",
        ),
    message:
        "Anytime curves on {wildcards.dataset}, splits {wildcards.chunk}"
    script:
        "../scripts/search_beyond_anytime.py"


rule search_beyond_statistics:
    input:
        optimum=expand(
            "data/results/search_beyond/chunks/optimum/{dataset}_{chunk}_optimum.parquet",
            dataset=search_beyond_optimum_datasets,
            chunk=search_beyond_chunks["optimum"],
        ),
        thresholds=expand(
            "data/results/search_beyond/chunks/optimum/{dataset}_{chunk}_thresholds.parquet",
            dataset=search_beyond_optimum_datasets,
            chunk=search_beyond_chunks["optimum"],
        ),
        selection=expand(
            "data/results/search_beyond/chunks/selection/{dataset}_{chunk}_selection.parquet",
            dataset=search_beyond_datasets,
            chunk=search_beyond_chunks["selection"],
        ),
        anytime=expand(
            "data/results/search_beyond/chunks/anytime/{dataset}_{chunk}_anytime.parquet",
            dataset=search_beyond_datasets,
            chunk=search_beyond_chunks["anytime"],
        ),
    output:
        optimum="data/results/search_beyond/optimum.parquet",
        thresholds="data/results/search_beyond/thresholds.parquet",
        selection="data/results/search_beyond/selection.parquet",
        anytime="data/results/search_beyond/anytime.parquet",
        statistics="data/results/search_beyond/statistics.parquet",
    log:
        "data/logs/search_beyond/statistics.log",
    benchmark:
        "data/jobs/search_beyond/statistics.tsv"
    conda:
        "../../environment.yml"
    params:
        code=digest_of(
            "experiments.search_beyond.steps:merge",
            "experiments.search_beyond.statistics:statistics",
        ),
    message:
        "Significance tests of what goes beyond chapter 4"
    script:
        "../scripts/search_beyond_statistics.py"


rule search_beyond_tables:
    input:
        optimum=rules.search_beyond_statistics.output.optimum,
        selection=rules.search_beyond_statistics.output.selection,
        anytime=rules.search_beyond_statistics.output.anytime,
        statistics=rules.search_beyond_statistics.output.statistics,
    output:
        search_beyond_gap=report(
            "reports/tables/search_beyond_gap.csv",
            caption="../report/search_beyond_gap.rst",
            category="search_beyond",
            labels={
                "table": "table of the gap between C4.5 and the optimum",
                "paper": "none: beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        search_beyond_rules=report(
            "reports/tables/search_beyond_rules.csv",
            caption="../report/search_beyond_rules.rst",
            category="search_beyond",
            labels={
                "table": "table of rules of selection",
                "paper": "none: beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        search_beyond_progress=report(
            "reports/tables/search_beyond_progress.csv",
            caption="../report/search_beyond_progress.rst",
            category="search_beyond",
            labels={
                "table": "table of anytime curves",
                "paper": "none: beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
    log:
        "data/logs/search_beyond/tables.log",
    benchmark:
        "data/jobs/search_beyond/tables.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=search_beyond_stated,
        code=digest_of(
            "experiments.search_beyond.plan:SearchBeyondPlan",
            "experiments.search_beyond.tables:search_beyond_gap",
            "experiments.search_beyond.tables:search_beyond_progress",
            "experiments.search_beyond.tables:search_beyond_rules",
        ),
    message:
        "Tables of what goes beyond chapter 4"
    script:
        "../scripts/search_beyond_tables.py"


rule search_beyond_figures:
    input:
        tables=rules.search_beyond_tables.output,
    output:
        search_beyond_distance=report(
            "reports/figures/search_beyond_distance.svg",
            caption="../report/search_beyond_distance.rst",
            category="search_beyond",
            labels={
                "table": "figure of the distance to C4.5 and to the optimum",
                "paper": "none: beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        search_beyond_curves=report(
            "reports/figures/search_beyond_curves.svg",
            caption="../report/search_beyond_curves.rst",
            category="search_beyond",
            labels={
                "table": "figure of anytime curves",
                "paper": "none: beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        search_beyond_distance_png="reports/figures/search_beyond_distance.png",
        search_beyond_curves_png="reports/figures/search_beyond_curves.png",
    log:
        "data/logs/search_beyond/figures.log",
    benchmark:
        "data/jobs/search_beyond/figures.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=search_beyond_stated,
        code=digest_of(
            "experiments.search_beyond.plan:SearchBeyondPlan",
            "reporting.figures:save",
            "experiments.search_beyond.figures:search_beyond_curves",
            "experiments.search_beyond.figures:search_beyond_distance",
        ),
    message:
        "Figures of what goes beyond chapter 4"
    script:
        "../scripts/search_beyond_figures.py"


# Apart from all results: seconds differ from machine to machine and from run to run.
rule search_beyond_running_times:
    input:
        progress=rules.search_beyond_tables.output.search_beyond_progress,
        times=expand(
            "data/jobs/search_beyond/times/{dataset}_{chunk}.parquet",
            dataset=search_beyond_datasets,
            chunk=search_beyond_chunks["anytime"],
        ),
    output:
        times="data/jobs/search_beyond/running_times.csv",
        svg="data/jobs/search_beyond/curves_by_seconds.svg",
        png="data/jobs/search_beyond/curves_by_seconds.png",
    log:
        "data/logs/search_beyond/running_times.log",
    benchmark:
        "data/jobs/search_beyond/running_times.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=search_beyond_stated,
        code=digest_of(
            "experiments.search_beyond.plan:SearchBeyondPlan",
            "experiments.search_beyond.steps:merge",
            "reporting.figures:save",
            "experiments.search_beyond.figures:curves_by_seconds",
            "experiments.search_beyond.tables:running_times",
        ),
    message:
        "Anytime curves against seconds"
    script:
        "../scripts/search_beyond_running_times.py"


rule search_beyond_section:
    input:
        tables=rules.search_beyond_tables.output,
        figures=rules.search_beyond_figures.output,
    output:
        "data/results/search_beyond/section.json",
    log:
        "data/logs/search_beyond/section.log",
    benchmark:
        "data/jobs/search_beyond/section.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=search_beyond_stated,
        code=digest_of(
            "experiments.search_beyond.plan:SearchBeyondPlan",
            "experiments.search_beyond.page:section",
        ),
    message:
        "What goes beyond chapter 4 in the report"
    script:
        "../scripts/search_beyond_section.py"


# For the manifest, as in report.smk.
search_beyond_reported = {
    "datasets": sorted({*search_beyond_datasets, *search_beyond_optimum_datasets}),
    "read": [],
    "made": [
        rules.search_beyond_statistics.output,
        rules.search_beyond_tables.output,
        rules.search_beyond_figures.output,
        rules.search_beyond_section.output,
    ],
    "times": rules.search_beyond_running_times.output,
}
