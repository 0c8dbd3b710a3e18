# Tables and figures of experiments 1 and 2, the report and the manifest. A table or figure carries
# one id: the name of its file, of its output here, of its caption in workflow/report and of its
# function in hedgerow.reporting.

soft_datasets = config["soft"]["datasets"]

# What a table or caption may state: all settings, but not how the work was cut into jobs.
soft_stated = {*config["soft"], "configuration", "seed"} - {"chunk", "store_samples"}


rule soft_tables:
    input:
        tidy=expand("data/tidy/{dataset}.parquet", dataset=soft_datasets),
        calibrated=expand(
            "data/calibrated/soft/{dataset}.parquet", dataset=soft_datasets
        ),
        rows=expand("data/results/soft/{dataset}.parquet", dataset=soft_datasets),
        statistics="data/results/soft/statistics.parquet",
        thesis_table_3_1="data/published/thesis_table_3_1.csv",
        thesis_table_3_4="data/published/thesis_table_3_4.csv",
        thesis_table_3_5="data/published/thesis_table_3_5.csv",
    output:
        thesis_table_3_1=report(
            "reports/tables/thesis_table_3_1.csv",
            caption="../report/thesis_table_3_1.rst",
            category="soft",
            labels={
                "table": "table 3.1 data sets",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_table_3_4=report(
            "reports/tables/thesis_table_3_4.csv",
            caption="../report/thesis_table_3_4.rst",
            category="soft",
            labels={
                "table": "table 3.4 noise in training data",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_table_3_5=report(
            "reports/tables/thesis_table_3_5.csv",
            caption="../report/thesis_table_3_5.rst",
            category="soft",
            labels={
                "table": "table 3.5 noise in test data",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        soft_combined=report(
            "reports/tables/soft_combined.csv",
            caption="../report/soft_combined.rst",
            category="soft",
            labels={
                "table": "combinations of SS, STP and SE",
                "paper": "beyond the thesis",
                "configuration": config["configuration"],
            },
        ),
    log:
        "data/logs/soft/tables.log",
    benchmark:
        "data/jobs/soft/tables.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "soft", *soft_stated),
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.soft.plan:SoftPlan",
            "experiments.soft.tables:sizes",
            "experiments.soft.tables:soft_combined",
            "experiments.soft.tables:thesis_table_3_1",
            "experiments.soft.tables:thesis_table_3_4",
            "experiments.soft.tables:thesis_table_3_5",
        ),
    message:
        "Tables of experiments 1 and 2"
    script:
        "../scripts/soft_tables.py"


# Differences in running time, the last block of tables 3.4 and 3.5: nothing depends on it.
rule soft_running_times:
    input:
        times=expand(
            "data/jobs/soft/times/{dataset}_{chunk}.parquet",
            dataset=soft_datasets,
            chunk=soft_chunks,
        ),
        published=[
            "data/published/thesis_table_3_4.csv",
            "data/published/thesis_table_3_5.csv",
        ],
    output:
        "data/jobs/soft/running_times.csv",
    log:
        "data/logs/soft/running_times.log",
    benchmark:
        "data/jobs/soft/running_times.tsv"
    conda:
        "../../environment.yml"
    params:
        code=digest_of(
            "experiments.soft.tables:soft_running_times",
        ),
    message:
        "Running times of experiments 1 and 2"
    script:
        "../scripts/soft_running_times.py"


rule soft_figures:
    input:
        rows=expand("data/results/soft/{dataset}.parquet", dataset=soft_datasets),
    output:
        thesis_figure_3_5=report(
            "reports/figures/thesis_figure_3_5.svg",
            caption="../report/thesis_figure_3_5.rst",
            category="soft",
            labels={
                "table": "figure 3.5 tuned factors, noise in training data",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_figure_3_6=report(
            "reports/figures/thesis_figure_3_6.svg",
            caption="../report/thesis_figure_3_6.rst",
            category="soft",
            labels={
                "table": "figure 3.6 tuned factors, noise in test data",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_figure_3_9=report(
            "reports/figures/thesis_figure_3_9.svg",
            caption="../report/thesis_figure_3_9.rst",
            category="soft",
            labels={
                "table": "figure 3.9 leaves and accuracy, noise in training data",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_figure_3_10=report(
            "reports/figures/thesis_figure_3_10.svg",
            caption="../report/thesis_figure_3_10.rst",
            category="soft",
            labels={
                "table": "figure 3.10 leaves and accuracy, noise in test data",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_figure_3_5_png="reports/figures/thesis_figure_3_5.png",
        thesis_figure_3_6_png="reports/figures/thesis_figure_3_6.png",
        thesis_figure_3_9_png="reports/figures/thesis_figure_3_9.png",
        thesis_figure_3_10_png="reports/figures/thesis_figure_3_10.png",
    log:
        "data/logs/soft/figures.log",
    benchmark:
        "data/jobs/soft/figures.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "soft", *soft_stated),
        code=digest_of(
            "experiments.soft.plan:SoftPlan",
            "reporting.figures:save",
            "experiments.soft.figures:thesis_figure_3_10",
            "experiments.soft.figures:thesis_figure_3_5",
            "experiments.soft.figures:thesis_figure_3_6",
            "experiments.soft.figures:thesis_figure_3_9",
        ),
    message:
        "Figures of experiments 1 and 2"
    script:
        "../scripts/soft_figures.py"


rule soft_section:
    input:
        tables=rules.soft_tables.output,
        figures=rules.soft_figures.output,
        rows=expand("data/results/soft/{dataset}.parquet", dataset=soft_datasets),
        claims="data/published/claims.csv",
    output:
        "data/results/soft/section.json",
    log:
        "data/logs/soft/section.log",
    benchmark:
        "data/jobs/soft/section.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "soft", *soft_stated),
        code=digest_of(
            "experiments.soft.plan:SoftPlan",
            "experiments.soft.page:section",
        ),
    message:
        "Experiments 1 and 2 in the report"
    script:
        "../scripts/soft_section.py"


# For the manifest: the data sets of the experiment, what it read and did not make, and every file
# that it made between download and report. `times`, where there are any, differ from run to run:
# they are made with the rest and stand in no manifest.
soft_reported = {
    "datasets": soft_datasets,
    "read": [
        "data/published/claims.csv",
        "data/published/thesis_table_3_1.csv",
        "data/published/thesis_table_3_4.csv",
        "data/published/thesis_table_3_5.csv",
    ],
    "made": [
        expand(
            "data/noised/soft/{dataset}/{part}.parquet",
            dataset=soft_datasets,
            part=["splits", "samples", "seeds"],
        ),
        expand("data/calibrated/soft/{dataset}.parquet", dataset=soft_datasets),
        expand(
            "data/trees/soft/{dataset}/{step}.parquet",
            dataset=soft_datasets,
            step=["grown", "tuning", "pruned"],
        ),
        expand("data/results/soft/{dataset}.parquet", dataset=soft_datasets),
        rules.soft_statistics.output,
        rules.soft_tables.output,
        rules.soft_figures.output,
        rules.soft_section.output,
    ],
    "times": rules.soft_running_times.output,
}


# -------------------------------------------------------------------- the page and the manifest

# What each experiment adds to both, in the order of the page: a new experiment is one line here.
reported = {
    "soft": soft_reported,
    "soft_illustration": soft_illustration_reported,
    "soft_sweep": soft_sweep_reported,
    "soft_scores": soft_scores_reported,
    "soft_beyond": soft_beyond_reported,
    "search": search_reported,
    "search_beyond": search_beyond_reported,
    "structure": structure_reported,
    "structure_beyond": structure_beyond_reported,
}
reported = {word: reported[word] for word in reported if word in config["experiments"]}
reported_datasets = sorted({d for r in reported.values() for d in r["datasets"]})


rule report:
    input:
        sections=expand("data/results/{word}/section.json", word=reported),
    output:
        "reports/html/index.html",
    log:
        "data/logs/report.log",
    benchmark:
        "data/jobs/report.tsv"
    conda:
        "../../environment.yml"
    params:
        configuration=config["configuration"],
        code=digest_of(
            "reporting.html:Section",
            "reporting.html:page",
        ),
    message:
        "The report"
    script:
        "../scripts/report.py"


# Every file between download and report, with what made it. The registry is read here as a whole:
# an edit of it writes this file anew and nothing else.
rule manifest:
    input:
        sources=expand("data/raw/{dataset}/source.json", dataset=reported_datasets),
        read=[
            config["registry"],
            *sorted({path for r in reported.values() for path in r["read"]}),
        ],
        made=[
            expand("data/tidy/{dataset}.parquet", dataset=reported_datasets),
            [r["made"] for r in reported.values()],
            rules.report.output,
        ],
    output:
        "reports/manifest.json",
    log:
        "data/logs/manifest.log",
    benchmark:
        "data/jobs/manifest.tsv"
    conda:
        "../../environment.yml"
    params:
        configuration=config,
        code=digest_of(
            "reporting.manifest:manifest",
            "reporting.manifest:to_json",
        ),
    message:
        "The manifest"
    script:
        "../scripts/manifest.py"
