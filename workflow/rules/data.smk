# Data sets: each file fetched from the first source that answers, then brought into typed tables.

# What tidying and fetching read of a registry entry: an edit of one entry leaves the others alone.
entries = entry_digests(registry)
sources = source_digests(registry)
tidy_code = {
    "script": script_digest("tidy"),
    "code": digest_of("data.versions:read_version", "data:write_tidy"),
}


# A file stands once: sets that are made from it read that of their parent. A user may edit it, so
# that Snakemake must not delete it before the job: `update`. Neither mirror nor code are parameters:
# the bytes are checked, from any source. A set that no source has is not an error: its file is
# empty, and every table names it. Nodes of a cluster may have no network: what fetches stays where
# Snakemake is.
rule fetch:
    output:
        data=update("data/raw/{source}/{source}.data"),
        registered=update("data/raw/{source}/{source}.registered"),
        record=update("data/raw/{source}/source.json"),
    log:
        "data/logs/fetch/{source}.log",
    retries: 1
    localrule: True
    conda:
        "../../environment.yml"
    params:
        registry=config["registry"],
        entry=lookup(within=sources, dpath="{source}"),
    message:
        "Fetching {wildcards.source}"
    script:
        "../scripts/fetch.py"


# Other bytes do not matter here, but another table (`hedgerow_study.workflow.settings.data_files`).
rule tidy:
    input:
        unpack(data_files.reader(workflow, entries, *tidy_code.values())),
    output:
        "data/tidy/{dataset}.parquet",
    log:
        "data/logs/tidy/{dataset}.log",
    conda:
        "../../environment.yml"
    params:
        **tidy_code,
        registry=config["registry"],
        entry=lookup(within=entries, dpath="{dataset}"),
        table=data_files.table,
    message:
        "Reading and checking {wildcards.dataset}"
    script:
        "../scripts/tidy.py"
