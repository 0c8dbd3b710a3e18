# Beyond the paper: other scores of experiments 1 and 2, and all methods ranked over data sets. It
# works on the rows of `soft` and has no settings of its own.

scores_rows = expand(
    "data/results/soft/{dataset}.parquet", dataset=config["soft"]["datasets"]
)


rule soft_scores_statistics:
    input:
        rows=scores_rows,
    output:
        scores="data/results/soft_scores/scores.parquet",
        comparison="data/results/soft_scores/comparison.parquet",
    log:
        "data/logs/soft_scores/statistics.log",
    benchmark:
        "data/jobs/soft_scores/statistics.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "soft", "methods"),
        code=digest_of(
            "experiments.soft.plan:SoftPlan",
            "experiments.soft_scores.statistics:comparison",
            "experiments.soft_scores.statistics:scores",
        ),
    message:
        "Tests of scores and ranks"
    script:
        "../scripts/soft_scores_statistics.py"


rule soft_scores_tables:
    input:
        rows=scores_rows,
        scores="data/results/soft_scores/scores.parquet",
        comparison="data/results/soft_scores/comparison.parquet",
    output:
        soft_scores=report(
            "reports/tables/soft_scores.csv",
            caption="../report/soft_scores.rst",
            category="soft_scores",
            labels={
                "table": "macro F1 and Brier score",
                "paper": "beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        soft_ranks=report(
            "reports/tables/soft_ranks.csv",
            caption="../report/soft_ranks.rst",
            category="soft_scores",
            labels={
                "table": "mean ranks and their tests",
                "paper": "beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
    log:
        "data/logs/soft_scores/tables.log",
    benchmark:
        "data/jobs/soft_scores/tables.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "soft", "methods", "noise_factors"),
        code=digest_of(
            "experiments.soft.plan:SoftPlan",
            "experiments.soft_scores.tables:soft_ranks",
            "experiments.soft_scores.tables:soft_scores",
        ),
    message:
        "Tables of scores and ranks"
    script:
        "../scripts/soft_scores_tables.py"


rule soft_scores_figures:
    input:
        comparison="data/results/soft_scores/comparison.parquet",
    output:
        soft_critical_difference=report(
            "reports/figures/soft_critical_difference.svg",
            caption="../report/soft_critical_difference.rst",
            category="soft_scores",
            labels={
                "table": "critical difference",
                "paper": "beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        soft_critical_difference_png="reports/figures/soft_critical_difference.png",
    log:
        "data/logs/soft_scores/figures.log",
    benchmark:
        "data/jobs/soft_scores/figures.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "soft", "methods"),
        code=digest_of(
            "experiments.soft.plan:SoftPlan",
            "reporting.figures:save",
            "experiments.soft_scores.figures:soft_critical_difference",
            "experiments.soft_scores.tables:soft_ranks",
        ),
    message:
        "The critical-difference diagram"
    script:
        "../scripts/soft_scores_figures.py"


rule soft_scores_section:
    input:
        tables=rules.soft_scores_tables.output,
        figures=rules.soft_scores_figures.output,
        rows=scores_rows,
    output:
        "data/results/soft_scores/section.json",
    log:
        "data/logs/soft_scores/section.log",
    benchmark:
        "data/jobs/soft_scores/section.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(
            config,
            "soft",
            "configuration",
            "datasets",
            "methods",
            "n_permutations",
            "noise_factors",
        ),
        code=digest_of(
            "experiments.soft.plan:SoftPlan",
            "experiments.soft_scores.page:section",
        ),
    message:
        "Scores and ranks in the report"
    script:
        "../scripts/soft_scores_section.py"


# For the manifest, as in report.smk.
soft_scores_reported = {
    "datasets": config["soft"]["datasets"],
    "read": [],
    "made": [
        scores_rows,
        rules.soft_scores_statistics.output,
        rules.soft_scores_tables.output,
        rules.soft_scores_figures.output,
        rules.soft_scores_section.output,
    ],
}
