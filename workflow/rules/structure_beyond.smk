# Beyond chapter 5 of the thesis: the distances over many data sets, ensembles of trees that differ
# in structure. Forests are made as those of `structure`.

structure_beyond_datasets = config["structure_beyond"]["datasets"]

# Divisions are run in chunks; results do not depend on how they are cut.
structure_beyond_chunks = chunks(
    config["structure_beyond"]["n_splits"], config["structure_beyond"]["chunk"]
)


# What was learnt and measured, of all data sets, by name.
structure_beyond_learnt = ["forests", "trees", "grown"]
structure_beyond_measured = ["closeness", "scores", "ensembles"]


# All parts on one data set, with every tree that was learnt.
rule structure_beyond_run:
    input:
        table="data/tidy/{dataset}.parquet",
    output:
        **{
            name: f"data/trees/structure_beyond/{{dataset}}/{{chunk}}_{name}.parquet"
            for name in structure_beyond_learnt
        },
        **{
            name: f"data/results/structure_beyond/chunks/{{dataset}}_{{chunk}}_{name}.parquet"
            for name in structure_beyond_measured
        },
    log:
        "data/logs/structure_beyond/run/{dataset}_{chunk}.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "structure_beyond.steps:run"),
    message:
        "Beyond chapter 5 on {wildcards.dataset}, divisions {wildcards.chunk}"
    script:
        "../scripts/step.py"


rule structure_beyond_statistics:
    input:
        **{
            name: expand(
                f"data/results/structure_beyond/chunks/{{dataset}}_{{chunk}}_{name}.parquet",
                dataset=structure_beyond_datasets,
                chunk=structure_beyond_chunks,
            )
            for name in structure_beyond_measured
        },
    output:
        **{
            name: f"data/results/structure_beyond/{name}.parquet"
            for name in structure_beyond_measured
        },
        statistics="data/results/structure_beyond/statistics.parquet",
    log:
        "data/logs/structure_beyond/statistics.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "structure_beyond.statistics:merged"),
    message:
        "Significance tests of what goes beyond chapter 5"
    script:
        "../scripts/step.py"


rule structure_beyond_tables:
    input:
        measured=[
            rules.structure_beyond_statistics.output.closeness,
            rules.structure_beyond_statistics.output.scores,
            rules.structure_beyond_statistics.output.ensembles,
        ],
        statistics=rules.structure_beyond_statistics.output.statistics,
    output:
        **items(
            config,
            "structure_beyond.tables",
            "structure_beyond_questions",
            "structure_beyond_ensembles",
        ),
    log:
        "data/logs/structure_beyond/tables.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "structure_beyond.tables"),
    message:
        "Tables of what goes beyond chapter 5"
    script:
        "../scripts/step.py"


rule structure_beyond_figures:
    input:
        tables=rules.structure_beyond_tables.output,
        measured=[
            rules.structure_beyond_statistics.output.closeness,
            rules.structure_beyond_statistics.output.scores,
            rules.structure_beyond_statistics.output.ensembles,
        ],
    output:
        **items(
            config,
            "structure_beyond.figures",
            "structure_beyond_ensembles_gain",
        ),
    log:
        "data/logs/structure_beyond/figures.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "structure_beyond.figures"),
    message:
        "Figures of what goes beyond chapter 5"
    script:
        "../scripts/step.py"


rule structure_beyond_claims:
    input:
        closeness=rules.structure_beyond_statistics.output.closeness,
        scores=rules.structure_beyond_statistics.output.scores,
        ensembles=rules.structure_beyond_statistics.output.ensembles,
        statistics=rules.structure_beyond_statistics.output.statistics,
        specification="config/claims.yaml",
        stated="data/published/claims.csv",
    output:
        "data/results/structure_beyond/claims.parquet",
    log:
        "data/logs/structure_beyond/claims.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "structure_beyond.claims:claims"),
    message:
        "Questions beyond chapter 5"
    script:
        "../scripts/step.py"


rule structure_beyond_page:
    input:
        tables=rules.structure_beyond_tables.output,
        figures=rules.structure_beyond_figures.output,
        captions=[
            rules.structure_beyond_tables.output,
            rules.structure_beyond_figures.output,
        ],
        claims=rules.structure_beyond_claims.output,
    output:
        "data/results/structure_beyond/section.json",
    log:
        "data/logs/structure_beyond/section.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "structure_beyond.page:section"),
    message:
        "What goes beyond chapter 5 in the report"
    script:
        "../scripts/step.py"


# For the manifest, as in report.smk.
structure_beyond_reported = {
    "datasets": structure_beyond_datasets,
    "read": ["config/claims.yaml", "data/published/claims.csv"],
    "made": [
        expand(
            "data/trees/structure_beyond/{dataset}/{chunk}_{name}.parquet",
            dataset=structure_beyond_datasets,
            chunk=structure_beyond_chunks,
            name=structure_beyond_learnt,
        ),
        rules.structure_beyond_statistics.output,
        rules.structure_beyond_tables.output,
        rules.structure_beyond_figures.output,
        rules.structure_beyond_claims.output,
        rules.structure_beyond_page.output,
    ],
}
