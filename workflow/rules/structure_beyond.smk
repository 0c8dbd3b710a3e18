# Beyond chapter 5 of the thesis: the distances over many data sets, prototypes, ensembles of trees
# that differ in structure, stability, decision patterns. Forests are made as those of `structure`.

structure_beyond_datasets = config["structure_beyond"]["datasets"]

# Divisions are run in chunks; results do not depend on how they are cut.
structure_beyond_chunks = chunks(
    config["structure_beyond"]["n_splits"], config["structure_beyond"]["chunk"]
)

# What a table or caption may state: all settings, but not how the work was cut into jobs.
structure_beyond_stated = settings(
    config,
    "structure_beyond",
    *({*config["structure_beyond"], "configuration", "seed"} - {"chunk"}),
)

# What was learnt and measured, of all data sets, by name.
structure_beyond_learnt = ["forests", "trees", "grown"]
structure_beyond_measured = [
    "examples",
    "closeness",
    "scores",
    "ensembles",
    "stability",
]


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
    benchmark:
        "data/jobs/structure_beyond/run/{dataset}_{chunk}.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(
            config,
            "structure_beyond",
            "confidence",
            "factor",
            "n_bagged",
            "n_bootstrap",
            "n_draws",
            "n_iterations",
            "n_prototypes",
            "n_seeds",
            "seed",
            "share",
            "sizes",
            "stability_splits",
            "uct_iterations",
        ),
        protocol=settings(
            config,
            "structure",
            "correlated_above",
            "exploration",
            "max_tests",
            "min_samples_split",
            "n_candidates",
            "n_clusters",
            "n_components",
            "n_trees",
            "seed",
            "test_size",
            "validation_fraction",
            "value_pruning",
            "value_pruning_depth",
            "value_pruning_interval",
        ),
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.structure.plan:StructurePlan",
            "experiments.structure_beyond.plan:StructureBeyondPlan",
            "experiments.structure_beyond.steps:run",
        ),
    message:
        "Beyond chapter 5 on {wildcards.dataset}, divisions {wildcards.chunk}"
    script:
        "../scripts/structure_beyond_run.py"


# Two forests whose decision patterns are drawn.
rule structure_beyond_forest:
    input:
        table=f"data/tidy/{config['structure_beyond']['patterns_dataset']}.parquet",
    output:
        patterns="data/trees/structure_beyond/patterns.parquet",
    log:
        "data/logs/structure_beyond/forest.log",
    benchmark:
        "data/jobs/structure_beyond/forest.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(
            config,
            "structure_beyond",
            "confidence",
            "patterns_depth",
            "patterns_trees",
            "seed",
        ),
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.structure_beyond.plan:StructureBeyondPlan",
            "experiments.structure_beyond.steps:patterns",
        ),
    message:
        "Forests whose patterns are drawn"
    script:
        "../scripts/structure_beyond_forest.py"


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
    benchmark:
        "data/jobs/structure_beyond/statistics.tsv"
    conda:
        "../../environment.yml"
    params:
        code=digest_of(
            "experiments.structure_beyond.steps:merge",
            "experiments.structure_beyond.statistics:statistics",
        ),
    message:
        "Significance tests of what goes beyond chapter 5"
    script:
        "../scripts/structure_beyond_statistics.py"


rule structure_beyond_tables:
    input:
        closeness=rules.structure_beyond_statistics.output.closeness,
        scores=rules.structure_beyond_statistics.output.scores,
        ensembles=rules.structure_beyond_statistics.output.ensembles,
        stability=rules.structure_beyond_statistics.output.stability,
        statistics=rules.structure_beyond_statistics.output.statistics,
    output:
        structure_beyond_variants=report(
            "reports/tables/structure_beyond_variants.csv",
            caption="../report/structure_beyond_variants.rst",
            category="structure_beyond",
            labels={
                "table": "table of the sixteen distances",
                "paper": "none: beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        structure_beyond_questions=report(
            "reports/tables/structure_beyond_questions.csv",
            caption="../report/structure_beyond_questions.rst",
            category="structure_beyond",
            labels={
                "table": "table of paired questions",
                "paper": "none: beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        structure_beyond_prototypes=report(
            "reports/tables/structure_beyond_prototypes.csv",
            caption="../report/structure_beyond_prototypes.rst",
            category="structure_beyond",
            labels={
                "table": "table of distances to prototypes",
                "paper": "none: beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        structure_beyond_ensembles=report(
            "reports/tables/structure_beyond_ensembles.csv",
            caption="../report/structure_beyond_ensembles.rst",
            category="structure_beyond",
            labels={
                "table": "table of ensembles",
                "paper": "none: beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        structure_beyond_stability=report(
            "reports/tables/structure_beyond_stability.csv",
            caption="../report/structure_beyond_stability.rst",
            category="structure_beyond",
            labels={
                "table": "table of stability",
                "paper": "none: beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
    log:
        "data/logs/structure_beyond/tables.log",
    benchmark:
        "data/jobs/structure_beyond/tables.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=structure_beyond_stated,
        code=digest_of(
            "experiments.structure_beyond.plan:StructureBeyondPlan",
            "experiments.structure_beyond.tables:structure_beyond_ensembles",
            "experiments.structure_beyond.tables:structure_beyond_prototypes",
            "experiments.structure_beyond.tables:structure_beyond_questions",
            "experiments.structure_beyond.tables:structure_beyond_stability",
            "experiments.structure_beyond.tables:structure_beyond_variants",
        ),
    message:
        "Tables of what goes beyond chapter 5"
    script:
        "../scripts/structure_beyond_tables.py"


rule structure_beyond_figures:
    input:
        tables=rules.structure_beyond_tables.output,
        patterns=rules.structure_beyond_forest.output.patterns,
        table=rules.structure_beyond_forest.input.table,
    output:
        structure_beyond_ranks=report(
            "reports/figures/structure_beyond_ranks.svg",
            caption="../report/structure_beyond_ranks.rst",
            category="structure_beyond",
            labels={
                "table": "figure of the ranks of distances",
                "paper": "none: beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        structure_beyond_ensembles_gain=report(
            "reports/figures/structure_beyond_ensembles_gain.svg",
            caption="../report/structure_beyond_ensembles_gain.rst",
            category="structure_beyond",
            labels={
                "table": "figure of the gain of ensembles",
                "paper": "none: beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        structure_beyond_spread=report(
            "reports/figures/structure_beyond_spread.svg",
            caption="../report/structure_beyond_spread.rst",
            category="structure_beyond",
            labels={
                "table": "figure of stability",
                "paper": "none: beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        structure_beyond_patterns=report(
            "reports/figures/structure_beyond_patterns.svg",
            caption="../report/structure_beyond_patterns.rst",
            category="structure_beyond",
            labels={
                "table": "page of a random forest",
                "paper": "none: beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        structure_beyond_bootstrap=report(
            "reports/figures/structure_beyond_bootstrap.svg",
            caption="../report/structure_beyond_bootstrap.rst",
            category="structure_beyond",
            labels={
                "table": "page of bootstrap trees",
                "paper": "none: beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
        structure_beyond_ranks_png="reports/figures/structure_beyond_ranks.png",
        structure_beyond_ensembles_gain_png="reports/figures/structure_beyond_ensembles_gain.png",
        structure_beyond_spread_png="reports/figures/structure_beyond_spread.png",
        structure_beyond_patterns_png="reports/figures/structure_beyond_patterns.png",
        structure_beyond_bootstrap_png="reports/figures/structure_beyond_bootstrap.png",
    log:
        "data/logs/structure_beyond/figures.log",
    benchmark:
        "data/jobs/structure_beyond/figures.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=structure_beyond_stated,
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.structure_beyond.plan:StructureBeyondPlan",
            "reporting.figures:save",
            "experiments.structure_beyond.figures:structure_beyond_bootstrap",
            "experiments.structure_beyond.figures:structure_beyond_ensembles_gain",
            "experiments.structure_beyond.figures:structure_beyond_patterns",
            "experiments.structure_beyond.figures:structure_beyond_ranks",
            "experiments.structure_beyond.figures:structure_beyond_spread",
        ),
    message:
        "Figures of what goes beyond chapter 5"
    script:
        "../scripts/structure_beyond_figures.py"


rule structure_beyond_section:
    input:
        tables=rules.structure_beyond_tables.output,
        figures=rules.structure_beyond_figures.output,
    output:
        "data/results/structure_beyond/section.json",
    log:
        "data/logs/structure_beyond/section.log",
    benchmark:
        "data/jobs/structure_beyond/section.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=structure_beyond_stated,
        code=digest_of(
            "experiments.structure_beyond.plan:StructureBeyondPlan",
            "experiments.structure_beyond.page:section",
        ),
    message:
        "What goes beyond chapter 5 in the report"
    script:
        "../scripts/structure_beyond_section.py"


# For the manifest, as in report.smk.
structure_beyond_reported = {
    "datasets": sorted(
        {*structure_beyond_datasets, config["structure_beyond"]["patterns_dataset"]}
    ),
    "read": [],
    "made": [
        expand(
            "data/trees/structure_beyond/{dataset}/{chunk}_{name}.parquet",
            dataset=structure_beyond_datasets,
            chunk=structure_beyond_chunks,
            name=structure_beyond_learnt,
        ),
        rules.structure_beyond_forest.output,
        rules.structure_beyond_statistics.output,
        rules.structure_beyond_tables.output,
        rules.structure_beyond_figures.output,
        rules.structure_beyond_section.output,
    ],
}
