"""Other scores and ranks from MADE UP rows, worked out a second time here."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from hedgerow_study.experiments.soft import plan as soft_plan
from hedgerow_study.experiments.soft import statistics as soft_statistics

FOUR = ("c45", "ss", "stp", "se")
SETS = ("pima", "wdbc", "bupa", "haberman", "wine")  # wine is not in table 3.1


@pytest.fixture(scope="module")
def plan():
    return soft_plan.SoftPlan(datasets=SETS, methods=FOUR, n_repeats=3, noise_factors=(0, 0.1))


@pytest.fixture(scope="module")
def rows(plan):
    generator = np.random.default_rng(4)
    cells = [
        (experiment, dataset, repeat, noise, method, metric, generator.uniform())
        for experiment in soft_plan.EXPERIMENTS
        for dataset in SETS
        for repeat in range(plan.n_repeats)
        for noise in plan.noise_factors
        for method in plan.methods
        for metric in ("n_leaves", *soft_plan.SCORES)
    ]
    return pd.DataFrame(cells, columns=[*soft_plan.CELL, "metric", "value"])


def test_every_cell_against_c45(rows, plan):
    frame = soft_statistics.scores(rows, plan)
    n_cells = 2 * len(soft_plan.SCORES) * (len(plan.methods) - 1) * 2
    assert len(frame) == 2 * n_cells
    cell = frame[
        (frame["experiment"] == "test_noise")
        & (frame["metric"] == "brier")
        & (frame["method"] == "stp")
        & (frame["noise"] == 0.1)
    ].set_index("correction")
    of_cell = rows[
        (rows["experiment"] == "test_noise")
        & (rows["metric"] == "brier")
        & (rows["noise"] == 0.1)
        & (rows["dataset"] != "wine")
    ]
    mean = of_cell.groupby(["dataset", "method"])["value"].mean().unstack()
    expected = stats.wilcoxon(mean["stp"] - mean["c45"])
    assert cell.loc["none", "p"] == expected.pvalue
    assert cell.loc["none", "n"] == 4
    assert cell.loc["holm", "p"] >= cell.loc["none", "p"]


def test_holm_is_over_one_experiment(rows, plan):
    frame = soft_statistics.scores(rows, plan)
    for _, part in frame.groupby("experiment"):
        plain = part[part["correction"] == "none"]["p"].to_numpy()
        adjusted = part[part["correction"] == "holm"]["p"].to_numpy()
        assert adjusted.min() == pytest.approx(min(1.0, plain.min() * len(plain)))


def test_a_block_is_the_mean_over_noise_and_permutations(rows, plan):
    found = soft_statistics.blocks(rows, "training_noise", plan)
    assert sorted(found.index) == ["bupa", "haberman", "pima", "wdbc"]
    at = (rows["experiment"] == "training_noise") & (rows["metric"] == "accuracy")
    of_cell = rows[at & (rows["dataset"] == "pima") & (rows["method"] == "se")]
    assert found.loc["pima", "se"] == pytest.approx(of_cell["value"].mean())


def test_comparison_is_that_of_the_blocks(rows, plan):
    frame = soft_statistics.comparison(rows, plan)
    for experiment in soft_plan.EXPERIMENTS:
        part = frame[frame["experiment"] == experiment].set_index("groups")
        values = soft_statistics.blocks(rows, experiment, plan)
        overall = part.loc["c45|ss|stp|se"]
        assert overall["statistic"] == pytest.approx(
            stats.friedmanchisquare(*values.to_numpy().T).statistic
        )
        assert len(part) == 1 + 6
        mean = values.rank(axis=1, ascending=False).mean()
        pair = part.loc["ss|se"]
        assert pair["rank_first"] == pytest.approx(mean["ss"])
        assert pair["rank_second"] == pytest.approx(mean["se"])
        assert pair["statistic"] == pytest.approx(mean["se"] - mean["ss"])
        assert (pair["p"] < 0.05) == (abs(pair["statistic"]) >= pair["critical_difference"])


def test_order_of_rows_changes_nothing(rows, plan):
    shuffled = rows.sample(frac=1, random_state=1)
    pd.testing.assert_frame_equal(
        soft_statistics.scores(shuffled, plan), soft_statistics.scores(rows, plan)
    )
    pd.testing.assert_frame_equal(
        soft_statistics.comparison(shuffled, plan),
        soft_statistics.comparison(rows, plan),
    )


def test_two_data_sets_are_too_few(rows, plan):
    few = rows[rows["dataset"].isin(["pima", "wdbc"])]
    frame = soft_statistics.scores(few, plan)
    assert frame["p"].isna().all()
    assert set(frame["note"]) == {"2 data sets, tested from 3 on"}
    frame = soft_statistics.comparison(few, plan)
    assert len(frame) == 2 and frame["p"].isna().all()
    assert set(frame["note"]) == {"2 data sets, tested from 3 on"}


def test_one_method_has_nothing_to_be_compared_with(rows):
    plan = soft_plan.SoftPlan(datasets=SETS, methods=("c45",), noise_factors=(0, 0.1))
    assert soft_statistics.scores(rows, plan).empty
    frame = soft_statistics.comparison(rows, plan)
    assert set(frame["note"]) == {"no method besides c45"}


def test_sets_outside_table_3_1_count_where_there_are_no_others(rows, plan):
    others = pd.concat(
        rows[rows["dataset"] == "wine"].assign(dataset=name) for name in ("wine", "iris", "glass")
    )
    assert sorted(soft_statistics.blocks(others, "test_noise", plan).index) == [
        "glass",
        "iris",
        "wine",
    ]
