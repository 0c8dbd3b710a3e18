# Beyond the paper: other scores of experiments 1 and 2, and all methods ranked over data sets. It
# works on the rows of `soft` and has no settings of its own.


rule soft_scores_statistics:
    input:
        rows=soft_rows,
    output:
        scores="data/results/soft_scores/scores.parquet",
        comparison="data/results/soft_scores/comparison.parquet",
    log:
        "data/logs/soft_scores/statistics.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_scores.statistics:statistics"),
    message:
        "Tests of scores and ranks"
    script:
        "../scripts/step.py"


rule soft_scores_tables:
    input:
        rows=soft_rows,
        statistics="data/results/soft_scores/scores.parquet",
        comparison="data/results/soft_scores/comparison.parquet",
    output:
        **items(
            config,
            "soft_scores.tables",
            "soft_scores",
            "soft_ranks",
        ),
    log:
        "data/logs/soft_scores/tables.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_scores.tables"),
    message:
        "Tables of scores and ranks"
    script:
        "../scripts/step.py"


rule soft_scores_figures:
    input:
        ranks=rules.soft_scores_tables.output.soft_ranks,
        rows=soft_rows,
    output:
        **items(
            config,
            "soft_scores.figures",
            "soft_critical_difference",
        ),
    log:
        "data/logs/soft_scores/figures.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_scores.figures"),
    message:
        "The critical-difference diagram"
    script:
        "../scripts/step.py"


rule soft_scores_page:
    input:
        tables=rules.soft_scores_tables.output,
        figures=rules.soft_scores_figures.output,
        captions=[rules.soft_scores_tables.output, rules.soft_scores_figures.output],
        rows=soft_rows,
    output:
        "data/results/soft_scores/section.json",
    log:
        "data/logs/soft_scores/section.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_scores.page:section"),
    message:
        "Scores and ranks in the report"
    script:
        "../scripts/step.py"


# For the manifest, as in report.smk.
soft_scores_reported = {
    "datasets": config["soft"]["datasets"],
    "read": [],
    "made": [
        soft_rows,
        rules.soft_scores_statistics.output,
        rules.soft_scores_tables.output,
        rules.soft_scores_figures.output,
        rules.soft_scores_page.output,
    ],
}
