# Beyond the paper: other scores of experiments 1 and 2, and all methods ranked over data sets. It
# works on the rows of `soft` and has no settings of its own.

tails["soft_scores"] = Tail(
    "soft_scores",
    "scores and ranks",
    soft_datasets,
    parts={"rows": soft_rows},
    files={
        "rows": soft_rows,
        "statistics": "data/results/soft_scores/scores.parquet",
        "ranks": "reports/tables/soft_ranks.csv",
    },
    made=[soft_rows],
)
