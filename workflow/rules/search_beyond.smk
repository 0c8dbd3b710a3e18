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
search_beyond_library = version_of("pystreed")


# C4.5, UCT-DT and the optimum on binary tables.
rule search_beyond_optimum:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        optimum="data/results/search_beyond/chunks/optimum/{dataset}_{chunk}_optimum.parquet",
        thresholds="data/results/search_beyond/chunks/optimum/{dataset}_{chunk}_thresholds.parquet",
    log:
        "data/logs/search_beyond/optimum/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "search_beyond.steps:optimum", library=search_beyond_library),
    message:
        "Optimal trees on {wildcards.dataset}, splits {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule search_beyond_selection:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        selection="data/results/search_beyond/chunks/selection/{dataset}_{chunk}_selection.parquet",
    log:
        "data/logs/search_beyond/selection/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "search_beyond.steps:selection"),
    message:
        "Rules of selection on {wildcards.dataset}, splits {wildcards.chunk}"
    script:
        "../scripts/step.py"


# Seconds go to data/jobs: no result depends on them.
rule search_beyond_anytime:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        anytime="data/results/search_beyond/chunks/anytime/{dataset}_{chunk}_anytime.parquet",
        times="data/jobs/search_beyond/times/{dataset}_{chunk}.parquet",
    log:
        "data/logs/search_beyond/anytime/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "search_beyond.steps:anytime"),
    message:
        "Anytime curves on {wildcards.dataset}, splits {wildcards.chunk}"
    script:
        "../scripts/step.py"


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
    conda:
        "../../environment.yml"
    params:
        **step(config, "search_beyond.statistics:merged"),
    message:
        "Significance tests of what goes beyond chapter 4"
    script:
        "../scripts/step.py"


rule search_beyond_tables:
    input:
        measured=[
            rules.search_beyond_statistics.output.optimum,
            rules.search_beyond_statistics.output.selection,
            rules.search_beyond_statistics.output.anytime,
        ],
        statistics=rules.search_beyond_statistics.output.statistics,
    output:
        **items(
            config,
            "search_beyond.tables",
            "search_beyond_gap",
            "search_beyond_rules",
            "search_beyond_progress",
        ),
    log:
        "data/logs/search_beyond/tables.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "search_beyond.tables", library=search_beyond_library),
    message:
        "Tables of what goes beyond chapter 4"
    script:
        "../scripts/step.py"


rule search_beyond_figures:
    input:
        tables=rules.search_beyond_tables.output,
    output:
        **items(
            config,
            "search_beyond.figures",
            "search_beyond_distance",
            "search_beyond_curves",
        ),
    log:
        "data/logs/search_beyond/figures.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "search_beyond.figures", library=search_beyond_library),
    message:
        "Figures of what goes beyond chapter 4"
    script:
        "../scripts/step.py"


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
    conda:
        "../../environment.yml"
    params:
        **step(
            config,
            "search_beyond.figures:search_beyond_running_times",
            library=search_beyond_library,
        ),
    message:
        "Anytime curves against seconds"
    script:
        "../scripts/step.py"


rule search_beyond_claims:
    input:
        optimum=rules.search_beyond_statistics.output.optimum,
        selection=rules.search_beyond_statistics.output.selection,
        anytime=rules.search_beyond_statistics.output.anytime,
        statistics=rules.search_beyond_statistics.output.statistics,
        specification="config/claims.yaml",
        stated="data/published/claims.csv",
    output:
        "data/results/search_beyond/claims.parquet",
    log:
        "data/logs/search_beyond/claims.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "search_beyond.claims:claims", library=search_beyond_library),
    message:
        "Questions beyond chapter 4"
    script:
        "../scripts/step.py"


rule search_beyond_page:
    input:
        tables=rules.search_beyond_tables.output,
        figures=rules.search_beyond_figures.output,
        captions=[rules.search_beyond_tables.output, rules.search_beyond_figures.output],
        claims=rules.search_beyond_claims.output,
    output:
        "data/results/search_beyond/section.json",
    log:
        "data/logs/search_beyond/section.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "search_beyond.page:section", library=search_beyond_library),
    message:
        "What goes beyond chapter 4 in the report"
    script:
        "../scripts/step.py"


# For the manifest, as in report.smk.
search_beyond_reported = {
    "datasets": sorted({*search_beyond_datasets, *search_beyond_optimum_datasets}),
    "read": ["config/claims.yaml", "data/published/claims.csv"],
    "made": [
        rules.search_beyond_statistics.output,
        rules.search_beyond_tables.output,
        rules.search_beyond_figures.output,
        rules.search_beyond_claims.output,
        rules.search_beyond_page.output,
    ],
    "times": rules.search_beyond_running_times.output,
}
