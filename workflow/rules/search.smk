# Chapter 4 of the thesis: trees by Monte Carlo tree search (UCT-DT), against C4.5 and an evolutionary
# algorithm (ETE).

search_datasets = config["search"]["datasets"]

# Splits are run in chunks; results do not depend on how they are cut.
search_chunks = chunks(config["search"]["n_repeats"], config["search"]["chunk"])

# The data sets of chapter 4, by their keys in data/published.
search_printed = published_keys(registry, "thesis4")

search_rows = expand("data/results/search/{dataset}.parquet", dataset=search_datasets)
search_properties = expand(
    "data/results/search/properties/{dataset}.parquet", dataset=search_datasets
)
search_published = [f"data/published/thesis_table_4_{n}.csv" for n in range(1, 8)]


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
    conda:
        "../../environment.yml"
    params:
        **step(config, "search.steps:run"),
    message:
        "Tree search on {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


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
    conda:
        "../../environment.yml"
    params:
        **step(config, "search.steps:merged"),
    message:
        "Rows and trees of {wildcards.dataset}"
    script:
        "../scripts/step.py"


# Columns B to G of table 4.7: nothing of it depends on the search.
rule search_properties:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/search/properties/{dataset}.parquet",
    log:
        "data/logs/search/properties/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "search.properties:properties"),
    message:
        "Properties of {wildcards.dataset}"
    script:
        "../scripts/step.py"


# The times of table 4.3: nothing depends on them.
rule search_running_times:
    input:
        times=expand(
            "data/jobs/search/times/{dataset}_{chunk}.parquet",
            dataset=search_datasets,
            chunk=search_chunks,
        ),
        published=search_published,
    output:
        "data/jobs/search/running_times.csv",
    log:
        "data/logs/search/running_times.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "search.tables:search_running_times", printed=search_printed),
    message:
        "Running times of chapter 4"
    script:
        "../scripts/step.py"


tails["search"] = Tail(
    "search",
    "chapter 4",
    search_datasets,
    parts={"rows": search_rows},
    files={
        "rows": search_rows,
        "properties": search_properties,
        "published": search_published,
    },
    given={"printed": search_printed},
    made=[
        search_rows,
        expand(
            "data/trees/search/{dataset}/{part}.parquet",
            dataset=search_datasets,
            part=["trees", "tuning"],
        ),
        search_properties,
    ],
    times=rules.search_running_times.output,
)
