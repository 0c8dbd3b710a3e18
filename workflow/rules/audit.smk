# What stands above the experiments: all claims in one table.


# Every claim of the papers and every question of our own, whichever experiments run.
rule claims:
    input:
        judged=expand(
            "data/results/{word}/claims.parquet",
            word=having("claims", config["experiments"]),
        ),
        specification="config/claims.yaml",
        statements="data/published/claims.csv",
        # Tracked, and made by `hedgerow reference`: what is not there stays empty.
        reference=sorted(glob("data/reference/*/*_claims.csv")),
        analyses=(
            ["data/results/analytic_choices/claims_by_analysis.parquet"]
            if "analytic_choices" in config["experiments"]
            else []
        ),
        tracked_analyses=list(map(str, tracked_tables(Path("."), "verdicts"))),
    output:
        "reports/claims.csv",
    log:
        "data/logs/audit/claims.log",
    localrule: True
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


audited_published = sorted(
    path for path in glob("data/published/*.csv") if not path.endswith("claims.csv")
)


# Experiments whose tables hold what the papers print; the others have private data or none.
audited_words = [
    word
    for word in ["soft", "search", "structure", "confidence", "evidential", "missing"]
    if word in config["experiments"]
]


# Every printed cell beside what the tables of the run hold.
rule comparison:
    input:
        tables=[getattr(rules, f"{word}_tables").output for word in audited_words],
        published=audited_published,
    output:
        parquet="reports/comparison.parquet",
        csv="reports/comparison.csv",
    log:
        "data/logs/audit/comparison.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        **step(
            config,
            "audit.comparison:comparison",
            experiments=audited_words,
            configuration=config["configuration"],
        ),
    message:
        "Published beside measured"
    script:
        "../scripts/step.py"


rule comparison_figure:
    input:
        comparison=rules.comparison.output.parquet,
    output:
        **items(config, "audit.figures", "comparison"),
    log:
        "data/logs/audit/figures.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        **step(
            config,
            "audit.figures",
            configuration=config["configuration"],
        ),
    message:
        "Figure of all cells"
    script:
        "../scripts/step.py"


# What the papers print that cannot be, computed from the printed numbers.
rule misprints:
    input:
        published=audited_published,
    output:
        **items(config, "audit.tables", "misprints"),
    log:
        "data/logs/audit/misprints.log",
    localrule: True
    conda:
        "../../environment.yml"
    params:
        **step(
            config,
            "audit.tables",
            sizes=printed_sizes(registry, ["thesis3", "thesis4", "confdtree"]),
        ),
    message:
        "Misprints in the papers"
    script:
        "../scripts/step.py"


# For the manifest.
audited = {
    "read": [
        "config/claims.yaml",
        "data/published/claims.csv",
        "config/findings.yaml",
        *rules.claims.input.reference,
        *rules.claims.input.tracked_analyses,
        *site_reference(),
        *audited_published,
    ],
    "made": [
        rules.claims.output,
        rules.comparison.output,
        rules.comparison_figure.output,
        rules.misprints.output,
    ],
}
