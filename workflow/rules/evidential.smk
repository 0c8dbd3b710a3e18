# E2M (Sutton-Charani, Destercke and Denoeux): trees learnt from evidential data, against CART.

evidential_datasets = config["evidential"]["datasets"]

# Tests are run in chunks; results do not depend on how they are cut.
evidential_repeats = chunks(
    config["evidential"]["n_repeats"], config["evidential"]["chunk"]
)

# The data sets of the paper, by their keys in data/published.
evidential_printed = registry.published("e2m")

evidential_published = [f"data/published/e2m_table_{n}.csv" for n in (1, 2)]


# Noise, thirds, growth and pruning of both trees, and their errors.
rule evidential_learn:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        rows="data/results/evidential/chunks/{dataset}_{chunk}_rows.parquet",
        sizes="data/results/evidential/chunks/{dataset}_{chunk}_sizes.parquet",
        trees="data/trees/evidential/{dataset}_{chunk}.parquet",
    log:
        "data/logs/evidential/learn/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "evidential.steps:learn"),
    message:
        "E2M on {wildcards.dataset}, tests {wildcards.chunk}"
    script:
        "../scripts/step.py"


tails["evidential"] = Tail(
    "evidential",
    "E2M",
    evidential_datasets,
    parts={
        name: expand(
            f"data/results/evidential/chunks/{{dataset}}_{{chunk}}_{name}.parquet",
            dataset=evidential_datasets,
            chunk=evidential_repeats,
        )
        for name in ("rows", "sizes")
    },
    files={"published": evidential_published},
    given={"printed": evidential_printed},
)
