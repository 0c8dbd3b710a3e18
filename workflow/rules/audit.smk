# What stands above the experiments: all claims in one table.

# Every claim of the papers and every question of our own, whichever experiments run.
rule claims:
    input:
        judged=expand(
            "data/results/{word}/claims.parquet",
            word=having("claims", config["experiments"]),
        ),
        specification="config/claims.yaml",
        stated="data/published/claims.csv",
        # Tracked, and made by `hedgerow reference`: what is not there stays empty.
        reference=sorted(glob("data/reference/*/*_claims.csv")),
    output:
        "reports/claims.csv",
    log:
        "data/logs/audit/claims.log",
    conda:
        "../../environment.yml"
    params:
        **step(
            config,
            "audit.claims:all_claims",
            experiments=having("claims", config["experiments"]),
            ids=every_id(),
        ),
    message:
        "All claims"
    script:
        "../scripts/step.py"


# For the manifest.
audited = {
    "read": ["config/claims.yaml", "data/published/claims.csv", *rules.claims.input.reference],
    "made": [rules.claims.output],
}
