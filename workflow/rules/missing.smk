# EIG (Schreckenberger, Bartelt and Stuckenschmidt): trees from data with missing values.

missing_datasets = config["missing"]["datasets"]

# Draws are run in chunks; results do not depend on how they are cut.
missing_repeats = chunks(config["missing"]["n_repeats"], config["missing"]["chunk"])

# The data sets of the paper, by their names there.
missing_printed = registry.published("eig")

missing_published = ["data/published/eig_text_numbers.csv"]


# Removed values, folds, imputation, trees of each method, their accuracies and sizes.
rule missing_learn:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        rows="data/results/missing/chunks/{dataset}_{chunk}_rows.parquet",
        trees="data/results/missing/chunks/{dataset}_{chunk}_trees.parquet",
        kept="data/trees/missing/{dataset}_{chunk}.parquet",
        sets="data/results/missing/chunks/{dataset}_{chunk}_sets.parquet",
    log:
        "data/logs/missing/learn/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "missing.steps:learn"),
    message:
        "EIG on {wildcards.dataset}, draws {wildcards.chunk}"
    script:
        "../scripts/step.py"


missing_judged = "data/results/missing/interpretations.parquet"

tails["missing"] = Tail(
    "missing",
    "EIG",
    missing_datasets,
    parts={
        name: expand(
            f"data/results/missing/chunks/{{dataset}}_{{chunk}}_{name}.parquet",
            dataset=missing_datasets,
            chunk=missing_repeats,
        )
        for name in ("rows", "trees", "sets")
    },
    files={"interpretations": missing_judged, "published": missing_published},
    gathered={"claims": ("levels", "means", "tests", "runs", "depths", "sets")},
    given={"printed": missing_printed},
    made=[missing_judged],
)


# What is claimed, in each interpretation of the paper.
rule missing_interpretations:
    input:
        **tails["missing"].inputs("claims"),
    output:
        missing_judged,
    log:
        "data/logs/missing/interpretations.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "missing.claims:claims_by_choice", printed=missing_printed),
    message:
        "Claims of EIG as described and as coded"
    script:
        "../scripts/step.py"
