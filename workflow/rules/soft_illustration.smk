# Illustrations of chapter 3: figures 3.1 to 3.4, and the LVEF example on synthetic values (figures
# 3.7 and 3.8, tables 3.2 and 3.3).

soft_illustration_published = [f"data/published/thesis_table_3_{n}.csv" for n in (2, 3)]


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
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_illustration.steps:results"),
    message:
        "Numbers behind the illustrations of chapter 3"
    script:
        "../scripts/step.py"


# The data of each figure as a small file beside the tables.
rule soft_illustration_data:
    input:
        results=rules.soft_illustration_results.output,
    output:
        thesis_figure_3_1="reports/tables/thesis_figure_3_1_data.csv",
        thesis_figure_3_2="reports/tables/thesis_figure_3_2_data.csv",
        thesis_figure_3_3="reports/tables/thesis_figure_3_3_data.csv",
        thesis_figure_3_4="reports/tables/thesis_figure_3_4_data.csv",
        thesis_figure_3_7="reports/tables/thesis_figure_3_7_data.csv",
        thesis_figure_3_8="reports/tables/thesis_figure_3_8_data.csv",
    log:
        "data/logs/soft_illustration/data.log",
    conda:
        "../../environment.yml"
    params:
        **step(config, "soft_illustration.tables:figure_data"),
    message:
        "Data of the illustrations of chapter 3"
    script:
        "../scripts/step.py"


tails["soft_illustration"] = Tail(
    "soft_illustration",
    "the illustrations of chapter 3",
    ["synthetic_lvef"],
    files={
        "results": rules.soft_illustration_results.output,
        "published": soft_illustration_published,
    },
    made=[rules.soft_illustration_results.output, rules.soft_illustration_data.output],
)
