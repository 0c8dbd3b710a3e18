# Analyses of the papers: jobs of the experiments made again under the alternatives that
# config/analytic_choices.yaml names, in one process for each data set, and judged by the same rules. Which
# jobs these are, and what they read, follows from the rules of the experiments and of the audit,
# which stand above.

try:
    multiverse = Multiverse(workflow, config)
except HedgerowError as error:
    sys.exit(str(error))


# Rows of one data set under all alternatives that its experiment's analyses need.
rule analytic_choices_run:
    input:
        multiverse.files,
    output:
        "data/results/analytic_choices/runs/{dataset}/{word}.tar.xz",
    log:
        "data/logs/analytic_choices/run/{dataset}_{word}.log",
    conda:
        "../../environment.yml"
    params:
        **multiverse.params("run"),
        script=script_digest("analytic_choices"),
    message:
        "Analyses of {wildcards.word} on {wildcards.dataset}"
    script:
        "../scripts/analytic_choices.py"


# Claims of one experiment in each of its analyses.
rule analytic_choices_judge:
    input:
        runs=multiverse.runs,
        rows=multiverse.rows,
    output:
        "data/results/analytic_choices/judged/{word}.parquet",
        "data/results/analytic_choices/cells/{word}.parquet",
    log:
        "data/logs/analytic_choices/judge/{word}.log",
    conda:
        "../../environment.yml"
    params:
        **multiverse.params("judge"),
        script=script_digest("analytic_choices"),
    message:
        "Claims of {wildcards.word} in each analysis"
    script:
        "../scripts/analytic_choices.py"


rule analytic_choices_statistics:
    input:
        judged=expand(
            "data/results/analytic_choices/judged/{word}.parquet",
            word=multiverse.words,
        ),
        cells=expand(
            "data/results/analytic_choices/cells/{word}.parquet", word=multiverse.words
        ),
        choices="config/analytic_choices.yaml",
    output:
        claims="data/results/analytic_choices/claims_by_analysis.parquet",
        points="data/results/analytic_choices/points.parquet",
        taken="data/results/analytic_choices/taken.parquet",
        shares="data/results/analytic_choices/shares.parquet",
        nearest="data/results/analytic_choices/nearest.parquet",
    log:
        "data/logs/analytic_choices/statistics.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "analytic_choices.statistics:summarise"),
    message:
        "Verdicts over all analyses"
    script:
        "../scripts/step.py"


rule analytic_choices_tables:
    input:
        claims=rules.analytic_choices_statistics.output.claims,
        points=rules.analytic_choices_statistics.output.points,
        nearest=rules.analytic_choices_statistics.output.nearest,
        choices="config/analytic_choices.yaml",
    output:
        **items(
            config,
            "analytic_choices.tables",
            "analytic_choices_verdicts",
            "analytic_choices_points",
            "analytic_choices_open",
            "analytic_choices_nearest",
        ),
    log:
        "data/logs/analytic_choices/tables.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "analytic_choices.tables"),
    message:
        "Tables of the analyses"
    script:
        "../scripts/step.py"


rule analytic_choices_figures:
    input:
        claims=rules.analytic_choices_statistics.output.claims,
        points=rules.analytic_choices_statistics.output.points,
        taken=rules.analytic_choices_statistics.output.taken,
    output:
        **items(
            config,
            "analytic_choices.figures",
            "analytic_choices_curves",
        ),
    log:
        "data/logs/analytic_choices/figures.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "analytic_choices.figures"),
    message:
        "Curves of the analyses"
    script:
        "../scripts/step.py"


rule analytic_choices_page:
    input:
        tables=rules.analytic_choices_tables.output,
        figures=rules.analytic_choices_figures.output,
        captions=[
            rules.analytic_choices_tables.output,
            rules.analytic_choices_figures.output,
        ],
    output:
        "data/results/analytic_choices/section.json",
    log:
        "data/logs/analytic_choices/section.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "analytic_choices.page:section"),
    message:
        "Analyses in the report"
    script:
        "../scripts/step.py"


# For the manifest, as in report.smk.
analytic_choices_reported = {
    "datasets": multiverse.datasets,
    "read": [
        "config/analytic_choices.yaml",
        "config/claims.yaml",
        "data/published/claims.csv",
    ],
    "made": [
        [multiverse.runs_of(word) for word in multiverse.words],
        rules.analytic_choices_statistics.input.judged,
        rules.analytic_choices_statistics.input.cells,
        rules.analytic_choices_statistics.output,
        rules.analytic_choices_tables.output,
        rules.analytic_choices_figures.output,
        rules.analytic_choices_page.output,
    ],
}
