# Chapter 4 of the thesis: trees by Monte Carlo tree search (UCT-DT), against C4.5 and an evolutionary
# algorithm (ETE).

search_datasets = config["search"]["datasets"]

# Splits are run in chunks; results do not depend on how they are cut.
search_chunks = chunks(config["search"]["n_splits"], config["search"]["chunk"])

# The data sets of chapter 4, by their keys in data/published.
search_printed = published_keys(registry, "thesis4")

# What a table or caption may state: all settings, but not how the work was cut into jobs.
search_stated = {
    **settings(
        config,
        "search",
        *({*config["search"], "configuration", "seed"} - {"chunk"}),
    ),
    "printed": search_printed,
}

search_published = {
    f"thesis_table_4_{n}": f"data/published/thesis_table_4_{n}.csv" for n in range(1, 8)
}


rule search_run:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        rows="data/results/search/chunks/{dataset}_{chunk}_rows.parquet",
        trees="data/results/search/chunks/{dataset}_{chunk}_trees.parquet",
        tuning="data/results/search/chunks/{dataset}_{chunk}_tuning.parquet",
        times="data/jobs/search/times/{dataset}_{chunk}.parquet",
    log:
        "data/logs/search/run/{dataset}_{chunk}.log",
    benchmark:
        "data/jobs/search/run/{dataset}_{chunk}.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(
            config,
            "search",
            "alpha_folds",
            "alphas",
            "confidences",
            "exploration",
            "further_methods",
            "methods",
            "min_samples_split",
            "n_candidates",
            "n_folds",
            "n_generations",
            "n_iterations",
            "n_iterations_c45b",
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
            "experiments.search.steps:run",
        ),
    message:
        "Tree search on {wildcards.dataset}, splits {wildcards.chunk}"
    script:
        "../scripts/search_run.py"


rule search_merge:
    input:
        rows=expand(
            "data/results/search/chunks/{{dataset}}_{chunk}_rows.parquet",
            chunk=search_chunks,
        ),
        trees=expand(
            "data/results/search/chunks/{{dataset}}_{chunk}_trees.parquet",
            chunk=search_chunks,
        ),
        tuning=expand(
            "data/results/search/chunks/{{dataset}}_{chunk}_tuning.parquet",
            chunk=search_chunks,
        ),
    output:
        rows="data/results/search/{dataset}.parquet",
        trees="data/trees/search/{dataset}/trees.parquet",
        tuning="data/trees/search/{dataset}/tuning.parquet",
    log:
        "data/logs/search/merge/{dataset}.log",
    benchmark:
        "data/jobs/search/merge/{dataset}.tsv"
    conda:
        "../../environment.yml"
    params:
        code=digest_of(
            "experiments.search.plan:ORDER",
            "experiments.search.steps:merge",
        ),
    message:
        "Rows and trees of {wildcards.dataset}"
    script:
        "../scripts/search_merge.py"


# Columns B to G of table 4.7: nothing of it depends on the search.
rule search_properties:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/search/properties/{dataset}.parquet",
    log:
        "data/logs/search/properties/{dataset}.log",
    benchmark:
        "data/jobs/search/properties/{dataset}.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "search", "n_forest_trees", "property_folds", "seed"),
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.search.plan:SearchPlan",
            "experiments.search.properties:properties",
        ),
    message:
        "Properties of {wildcards.dataset}"
    script:
        "../scripts/search_properties.py"


rule search_statistics:
    input:
        rows=expand("data/results/search/{dataset}.parquet", dataset=search_datasets),
    output:
        "data/results/search/statistics.parquet",
    log:
        "data/logs/search/statistics.log",
    benchmark:
        "data/jobs/search/statistics.tsv"
    conda:
        "../../environment.yml"
    params:
        plan={"printed": search_printed},
        code=digest_of(
            "experiments.search.plan:SearchPlan",
            "experiments.search.statistics:statistics",
        ),
    message:
        "Significance tests of chapter 4"
    script:
        "../scripts/search_statistics.py"


rule search_tables:
    input:
        rows=expand("data/results/search/{dataset}.parquet", dataset=search_datasets),
        properties=expand(
            "data/results/search/properties/{dataset}.parquet", dataset=search_datasets
        ),
        statistics="data/results/search/statistics.parquet",
        published=list(search_published.values()),
    output:
        thesis_table_4_1=report(
            "reports/tables/thesis_table_4_1.csv",
            caption="../report/thesis_table_4_1.rst",
            category="search",
            labels={
                "table": "table 4.1 search pruning",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_table_4_2=report(
            "reports/tables/thesis_table_4_2.csv",
            caption="../report/thesis_table_4_2.rst",
            category="search",
            labels={
                "table": "table 4.2 tests of search pruning",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_table_4_3=report(
            "reports/tables/thesis_table_4_3.csv",
            caption="../report/thesis_table_4_3.rst",
            category="search",
            labels={
                "table": "table 4.3 simulation policies",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_table_4_4=report(
            "reports/tables/thesis_table_4_4.csv",
            caption="../report/thesis_table_4_4.rst",
            category="search",
            labels={
                "table": "table 4.4 tests of the policies",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_table_4_5=report(
            "reports/tables/thesis_table_4_5.csv",
            caption="../report/thesis_table_4_5.rst",
            category="search",
            labels={
                "table": "table 4.5 C4.5, ETE and UCT-DT",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_table_4_6=report(
            "reports/tables/thesis_table_4_6.csv",
            caption="../report/thesis_table_4_6.rst",
            category="search",
            labels={
                "table": "table 4.6 tests of the methods",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_table_4_7=report(
            "reports/tables/thesis_table_4_7.csv",
            caption="../report/thesis_table_4_7.rst",
            category="search",
            labels={
                "table": "table 4.7 data sets and their properties",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        search_splits=report(
            "reports/tables/search_splits.csv",
            caption="../report/search_splits.rst",
            category="search",
            labels={
                "table": "means and spread over splits",
                "paper": "beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        search_claims=report(
            "reports/tables/search_claims.csv",
            caption="../report/search_claims.rst",
            category="search",
            labels={
                "table": "statements of chapter 4",
                "paper": "beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
    log:
        "data/logs/search/tables.log",
    benchmark:
        "data/jobs/search/tables.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=search_stated,
        code=digest_of(
            "experiments.search.plan:SearchPlan",
            "experiments.search.tables:search_splits",
            "experiments.search.tables:thesis_table_4_1",
            "experiments.search.tables:thesis_table_4_2",
            "experiments.search.tables:thesis_table_4_3",
            "experiments.search.tables:thesis_table_4_4",
            "experiments.search.tables:thesis_table_4_5",
            "experiments.search.tables:thesis_table_4_6",
            "experiments.search.tables:thesis_table_4_7",
            "experiments.search.claims:search_claims",
        ),
    message:
        "Tables of chapter 4"
    script:
        "../scripts/search_tables.py"


# The times of table 4.3: nothing depends on them.
rule search_running_times:
    input:
        times=expand(
            "data/jobs/search/times/{dataset}_{chunk}.parquet",
            dataset=search_datasets,
            chunk=search_chunks,
        ),
        published=list(search_published.values()),
    output:
        "data/jobs/search/running_times.csv",
    log:
        "data/logs/search/running_times.log",
    benchmark:
        "data/jobs/search/running_times.tsv"
    conda:
        "../../environment.yml"
    params:
        plan={**settings(config, "search", "datasets"), "printed": search_printed},
        code=digest_of(
            "experiments.search.plan:SearchPlan",
            "experiments.search.tables:search_running_times",
        ),
    message:
        "Running times of chapter 4"
    script:
        "../scripts/search_running_times.py"


rule search_figures:
    input:
        rows=expand("data/results/search/{dataset}.parquet", dataset=search_datasets),
        published=list(search_published.values()),
    output:
        thesis_figure_4_3=report(
            "reports/figures/thesis_figure_4_3.svg",
            caption="../report/thesis_figure_4_3.rst",
            category="search",
            labels={
                "table": "figure 4.3 search depth",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_figure_4_4=report(
            "reports/figures/thesis_figure_4_4.svg",
            caption="../report/thesis_figure_4_4.rst",
            category="search",
            labels={
                "table": "figure 4.4 F1 against C4.5 by size",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_figure_4_5=report(
            "reports/figures/thesis_figure_4_5.svg",
            caption="../report/thesis_figure_4_5.rst",
            category="search",
            labels={
                "table": "figure 4.5 F1 of C4.5b by size",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_figure_4_3_png="reports/figures/thesis_figure_4_3.png",
        thesis_figure_4_4_png="reports/figures/thesis_figure_4_4.png",
        thesis_figure_4_5_png="reports/figures/thesis_figure_4_5.png",
    log:
        "data/logs/search/figures.log",
    benchmark:
        "data/jobs/search/figures.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=search_stated,
        code=digest_of(
            "experiments.search.plan:SearchPlan",
            "reporting.figures:save",
            "experiments.search.figures:thesis_figure_4_3",
            "experiments.search.figures:thesis_figure_4_4",
            "experiments.search.figures:thesis_figure_4_5",
        ),
    message:
        "Figures of chapter 4"
    script:
        "../scripts/search_figures.py"


rule search_section:
    input:
        tables=rules.search_tables.output,
        figures=rules.search_figures.output,
        rows=expand("data/results/search/{dataset}.parquet", dataset=search_datasets),
        claims="data/published/claims.csv",
    output:
        "data/results/search/section.json",
    log:
        "data/logs/search/section.log",
    benchmark:
        "data/jobs/search/section.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=search_stated,
        code=digest_of(
            "experiments.search.plan:SearchPlan",
            "experiments.search.page:section",
        ),
    message:
        "Tree search in the report"
    script:
        "../scripts/search_section.py"


# For the manifest, as in report.smk.
search_reported = {
    "datasets": search_datasets,
    "read": ["data/published/claims.csv", *search_published.values()],
    "made": [
        expand("data/results/search/{dataset}.parquet", dataset=search_datasets),
        expand(
            "data/trees/search/{dataset}/{part}.parquet",
            dataset=search_datasets,
            part=["trees", "tuning"],
        ),
        expand(
            "data/results/search/properties/{dataset}.parquet", dataset=search_datasets
        ),
        rules.search_statistics.output,
        rules.search_tables.output,
        rules.search_figures.output,
        rules.search_section.output,
    ],
    "times": rules.search_running_times.output,
}
