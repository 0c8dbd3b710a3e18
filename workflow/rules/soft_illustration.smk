# Illustrations of chapter 3: figures 3.1 to 3.4, and the LVEF example on synthetic values (figures
# 3.7 and 3.8, tables 3.2 and 3.3).

# What a table, figure or caption may state: all settings.
soft_illustration_stated = {*config["soft_illustration"], "configuration", "seed"}


# The numbers behind each of them, under its id.
rule soft_illustration_results:
    input:
        table="data/tidy/synthetic_lvef.parquet",
    output:
        thesis_figure_3_1="data/results/soft_illustration/thesis_figure_3_1.parquet",
        thesis_figure_3_2="data/results/soft_illustration/thesis_figure_3_2.parquet",
        thesis_figure_3_3="data/results/soft_illustration/thesis_figure_3_3.parquet",
        thesis_figure_3_4="data/results/soft_illustration/thesis_figure_3_4.parquet",
        thesis_figure_3_7="data/results/soft_illustration/thesis_figure_3_7.parquet",
        thesis_figure_3_8="data/results/soft_illustration/thesis_figure_3_8.parquet",
        thesis_table_3_2="data/results/soft_illustration/thesis_table_3_2.parquet",
        thesis_table_3_3="data/results/soft_illustration/thesis_table_3_3.parquet",
    log:
        "data/logs/soft_illustration/results.log",
    benchmark:
        "data/jobs/soft_illustration/results.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(
            config,
            "soft_illustration",
            "factor",
            "n_draws",
            "noise",
            "seed",
            "step",
            "window",
        ),
        code=digest_of(
            "data.tidy:read_tidy",
            "experiments.soft_illustration.plan:SoftIllustrationPlan",
            "experiments.soft_illustration.steps:results",
        ),
    message:
        "Numbers behind the illustrations of chapter 3"
    script:
        "../scripts/soft_illustration_results.py"


# Tables 3.2 and 3.3, and the data of each figure as a small file beside them.
rule soft_illustration_tables:
    input:
        results=rules.soft_illustration_results.output,
        thesis_table_3_2="data/published/thesis_table_3_2.csv",
        thesis_table_3_3="data/published/thesis_table_3_3.csv",
    output:
        thesis_table_3_2=report(
            "reports/tables/thesis_table_3_2.csv",
            caption="../report/thesis_table_3_2.rst",
            category="soft_illustration",
            labels={
                "table": "table 3.2 leaves (synthetic)",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_table_3_3=report(
            "reports/tables/thesis_table_3_3.csv",
            caption="../report/thesis_table_3_3.rst",
            category="soft_illustration",
            labels={
                "table": "table 3.3 misclassified patients (synthetic)",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_figure_3_1_data="reports/tables/thesis_figure_3_1_data.csv",
        thesis_figure_3_2_data="reports/tables/thesis_figure_3_2_data.csv",
        thesis_figure_3_3_data="reports/tables/thesis_figure_3_3_data.csv",
        thesis_figure_3_4_data="reports/tables/thesis_figure_3_4_data.csv",
        thesis_figure_3_7_data="reports/tables/thesis_figure_3_7_data.csv",
        thesis_figure_3_8_data="reports/tables/thesis_figure_3_8_data.csv",
    log:
        "data/logs/soft_illustration/tables.log",
    benchmark:
        "data/jobs/soft_illustration/tables.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "soft_illustration", *soft_illustration_stated),
        code=digest_of(
            "experiments.soft_illustration.plan:SoftIllustrationPlan",
            "experiments.soft_illustration.tables:thesis_table_3_2",
            "experiments.soft_illustration.tables:thesis_table_3_3",
        ),
    message:
        "Tables of the illustrations of chapter 3"
    script:
        "../scripts/soft_illustration_tables.py"


rule soft_illustration_figures:
    input:
        thesis_figure_3_1="data/results/soft_illustration/thesis_figure_3_1.parquet",
        thesis_figure_3_2="data/results/soft_illustration/thesis_figure_3_2.parquet",
        thesis_figure_3_3="data/results/soft_illustration/thesis_figure_3_3.parquet",
        thesis_figure_3_4="data/results/soft_illustration/thesis_figure_3_4.parquet",
        thesis_figure_3_7="data/results/soft_illustration/thesis_figure_3_7.parquet",
        thesis_figure_3_8="data/results/soft_illustration/thesis_figure_3_8.parquet",
    output:
        thesis_figure_3_1=report(
            "reports/figures/thesis_figure_3_1.svg",
            caption="../report/thesis_figure_3_1.rst",
            category="soft_illustration",
            labels={
                "table": "figure 3.1 gates",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_figure_3_2=report(
            "reports/figures/thesis_figure_3_2.svg",
            caption="../report/thesis_figure_3_2.rst",
            category="soft_illustration",
            labels={
                "table": "figure 3.2 density increments",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_figure_3_3=report(
            "reports/figures/thesis_figure_3_3.svg",
            caption="../report/thesis_figure_3_3.rst",
            category="soft_illustration",
            labels={
                "table": "figure 3.3 gain of the toy example",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_figure_3_4=report(
            "reports/figures/thesis_figure_3_4.svg",
            caption="../report/thesis_figure_3_4.rst",
            category="soft_illustration",
            labels={
                "table": "figure 3.4 errors of the toy example",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_figure_3_7=report(
            "reports/figures/thesis_figure_3_7.svg",
            caption="../report/thesis_figure_3_7.rst",
            category="soft_illustration",
            labels={
                "table": "figure 3.7 ejection fractions (synthetic)",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_figure_3_8=report(
            "reports/figures/thesis_figure_3_8.svg",
            caption="../report/thesis_figure_3_8.rst",
            category="soft_illustration",
            labels={
                "table": "figure 3.8 gain of ejection fractions (synthetic)",
                "paper": "thesis",
                "configuration": config["configuration"],
            },
        ),
        thesis_figure_3_1_png="reports/figures/thesis_figure_3_1.png",
        thesis_figure_3_2_png="reports/figures/thesis_figure_3_2.png",
        thesis_figure_3_3_png="reports/figures/thesis_figure_3_3.png",
        thesis_figure_3_4_png="reports/figures/thesis_figure_3_4.png",
        thesis_figure_3_7_png="reports/figures/thesis_figure_3_7.png",
        thesis_figure_3_8_png="reports/figures/thesis_figure_3_8.png",
    log:
        "data/logs/soft_illustration/figures.log",
    benchmark:
        "data/jobs/soft_illustration/figures.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "soft_illustration", *soft_illustration_stated),
        code=digest_of(
            "experiments.soft_illustration.plan:SoftIllustrationPlan",
            "reporting.figures:save",
            "experiments.soft_illustration.figures:thesis_figure_3_1",
            "experiments.soft_illustration.figures:thesis_figure_3_2",
            "experiments.soft_illustration.figures:thesis_figure_3_3",
            "experiments.soft_illustration.figures:thesis_figure_3_4",
            "experiments.soft_illustration.figures:thesis_figure_3_7",
            "experiments.soft_illustration.figures:thesis_figure_3_8",
        ),
    message:
        "Figures of the illustrations of chapter 3"
    script:
        "../scripts/soft_illustration_figures.py"


rule soft_illustration_section:
    input:
        tables=[
            rules.soft_illustration_tables.output.thesis_table_3_2,
            rules.soft_illustration_tables.output.thesis_table_3_3,
        ],
        figures=rules.soft_illustration_figures.output,
        results=rules.soft_illustration_results.output,
    output:
        "data/results/soft_illustration/section.json",
    log:
        "data/logs/soft_illustration/section.log",
    benchmark:
        "data/jobs/soft_illustration/section.tsv"
    conda:
        "../../environment.yml"
    params:
        plan=settings(config, "soft_illustration", *soft_illustration_stated),
        code=digest_of(
            "experiments.soft_illustration.plan:SoftIllustrationPlan",
            "experiments.soft_illustration.page:section",
        ),
    message:
        "Illustrations of chapter 3 in the report"
    script:
        "../scripts/soft_illustration_section.py"


# For the manifest, as in report.smk.
soft_illustration_reported = {
    "datasets": ["synthetic_lvef"],
    "read": [
        "data/published/thesis_table_3_2.csv",
        "data/published/thesis_table_3_3.csv",
    ],
    "made": [
        rules.soft_illustration_results.output,
        rules.soft_illustration_tables.output,
        rules.soft_illustration_figures.output,
        rules.soft_illustration_section.output,
    ],
}
