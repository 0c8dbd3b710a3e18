# ConfDTree (Katz and others): trees that doubt unusual values, against C4.5 and a random forest.

confidence_datasets = config["confidence"]["datasets"]

# Cross validations and repeats of figure 6 are run in chunks; results do not depend on how they are cut.
confidence_repeats = chunks(
    config["confidence"]["n_repeats"], config["confidence"]["chunk"]
)
confidence_curve_repeats = chunks(
    config["confidence"]["n_curve_repeats"], config["confidence"]["chunk"]
)

# The data sets of the paper, by their keys in data/published; two fit one row.
confidence_printed = registry.published("confdtree")

confidence_published = [f"data/published/confdtree_table_{n}.csv" for n in (1, 2, 3)]


# Ten-fold cross validation of trees, of what ConfDTree makes of them, and of a random forest.
rule confidence_validate:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        rows="data/results/confidence/chunks/{dataset}_{chunk}_rows.parquet",
        facts="data/results/confidence/chunks/{dataset}_{chunk}_facts.parquet",
        trees="data/trees/confidence/{dataset}_{chunk}.parquet",
    log:
        "data/logs/confidence/validate/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "confidence.steps:cross_validate"),
    message:
        "ConfDTree on {wildcards.dataset}, cross validations {wildcards.chunk}"
    script:
        "../scripts/step.py"


# Training parts of growing size.
rule confidence_size:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        "data/results/confidence/chunks/{dataset}_{chunk}_sizes.parquet",
    log:
        "data/logs/confidence/size/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "confidence.steps:learning_curve"),
    message:
        "ConfDTree on small parts of {wildcards.dataset}, repeats {wildcards.chunk}"
    script:
        "../scripts/step.py"


tails["confidence"] = Tail(
    "confidence",
    "ConfDTree",
    confidence_datasets,
    parts={
        **{
            name: expand(
                f"data/results/confidence/chunks/{{dataset}}_{{chunk}}_{name}.parquet",
                dataset=confidence_datasets,
                chunk=confidence_repeats,
            )
            for name in ("rows", "facts")
        },
        "sizes": expand(
            "data/results/confidence/chunks/{dataset}_{chunk}_sizes.parquet",
            dataset=confidence_datasets,
            chunk=confidence_curve_repeats,
        ),
    },
    files={"published": confidence_published},
    given={"printed": confidence_printed},
)
