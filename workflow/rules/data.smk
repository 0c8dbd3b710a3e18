# Data sets: fetched from the first source that answers, then brought into one typed form.

# What fetching and tidying read of a registry entry, with the generator of a synthetic set: an edit
# of one entry leaves the others alone.
entries = entry_digests(registry)


# The mirror is no parameter: where a file came from does not change a byte of what follows.
# Downloads are tried again by the package itself; one more try here is for what it cannot see.
# A set that no source has is not an error: its files say so, and every table names it. Nodes of a
# cluster may have no network: what fetches stays where Snakemake is.
rule fetch:
    output:
        "data/raw/{dataset}/source.json",
    log:
        "data/logs/fetch/{dataset}.log",
    retries: 1
    localrule: True
    conda:
        "../../environment.yml"
    params:
        registry=config["registry"],
        entry=lookup(within=entries, dpath="{dataset}"),
        attempt=attempts_at,
        code=digest_of(
            "data.sources:NoSourceError",
            "data.sources:fetch",
        ),
    message:
        "Fetching {wildcards.dataset}"
    script:
        "../scripts/fetch.py"


rule tidy:
    input:
        "data/raw/{dataset}/source.json",
    output:
        "data/tidy/{dataset}.parquet",
    log:
        "data/logs/tidy/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        registry=config["registry"],
        entry=lookup(within=entries, dpath="{dataset}"),
        code=digest_of(
            "data:check_table",
            "data:read_fetched",
            "data:tidy",
            "data:write_tidy",
        ),
    message:
        "Reading and checking {wildcards.dataset}"
    script:
        "../scripts/tidy.py"
