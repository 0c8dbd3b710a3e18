"""Tests of significance of tables 3.4 and 3.5, on made-up rows."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from hedgerow_study.experiments.soft import plan as soft_plan
from hedgerow_study.experiments.soft import statistics as soft_statistics

SETS = ["pima", "wdbc", "bupa", "haberman", "dermatology", "spectf"]


@pytest.fixture(scope="module")
def plan():
    return soft_plan.SoftPlan(noise_factors=(0, 0.1), methods=(*soft_plan.PRINTED, "stp_se"))


@pytest.fixture(scope="module")
def rows(plan):
    """Made up: three repeats of six sets of table 3.1 and one that is not in it."""
    generator = np.random.default_rng(11)
    cells = []
    for dataset in [*SETS, "wine"]:
        for repeat in range(3):
            for noise in plan.noise_factors:
                # Noise 0 is one computation for both experiments.
                first = None
                for experiment in soft_plan.EXPERIMENTS:
                    values = first if noise == 0 and first else _values(generator)
                    first = values
                    cells += [
                        (experiment, dataset, repeat, noise, method, metric, value)
                        for (method, metric), value in values.items()
                    ]
    return pd.DataFrame(cells, columns=[*soft_plan.CELL, "metric", "value"])


@pytest.fixture(scope="module")
def found(rows, plan):
    return soft_statistics.wilcoxon_tests(rows, plan)


def _values(generator):
    leaves = generator.integers(8, 16)
    values = {}
    for method, fewer in (
        ("c45", 0), ("ss", 2), ("stp", 4), ("se", 0), ("plt", 0), ("udt", -1), ("stp_se", 4),
    ):  # fmt: skip
        values[method, "n_leaves"] = float(leaves - fewer)
        values[method, "accuracy"] = generator.uniform(0.7, 0.9)
    return values


def _find(statistics, **cell):
    for column, value in cell.items():
        statistics = statistics[statistics[column] == value]
    assert len(statistics) == 1
    return statistics.iloc[0]


@pytest.mark.parametrize("pairing", ["datasets", "repeats"])
def test_cells_agree_with_scipy(rows, found, pairing):
    result = _find(
        found,
        experiment="test_noise",
        metric="accuracy_std",
        method="stp",
        noise=0.1,
        pairing=pairing,
        correction="none",
    )
    differences = []
    for dataset in SETS:
        cell = rows[(rows["dataset"] == dataset) & (rows["metric"] == "accuracy")]
        cell = cell[cell["experiment"] == "test_noise"]
        values = cell.set_index(["method", "noise", "repeat"])["value"].sort_index()
        unit = values["c45", 0.0].std()
        of_set = (values["stp", 0.1] - values["c45", 0.1]) / unit
        differences += [of_set.mean()] if pairing == "datasets" else list(of_set)
    expected = stats.wilcoxon(differences)
    assert result["n"] == len(differences)
    assert (result["statistic"], result["p"]) == (
        expected.statistic,
        pytest.approx(expected.pvalue),
    )
    assert result["groups"] == "stp|c45"


def test_sets_outside_table_3_1_do_not_count(rows, plan, found):
    inside = rows[rows["dataset"] != "wine"]
    pd.testing.assert_frame_equal(found, soft_statistics.wilcoxon_tests(inside, plan))


def test_leaves_of_se_and_plt_are_no_test(found):
    """They equal those of C4.5 by construction: p = 1, outside Holm's family.

    Combinations of our own are a family apart: they do not weaken the printed cells.
    """
    statistics = found
    same = statistics["method"].isin(["se", "plt"]) & (statistics["metric"] == "n_leaves_std")
    assert (statistics.loc[same, "p"] == 1).all()
    assert (statistics.loc[same, "note"] == "all differences are 0").all()
    family = statistics[
        (statistics["experiment"] == "training_noise")
        & (statistics["pairing"] == "datasets")
        & statistics["method"].isin(soft_plan.PRINTED)
        & ~same
    ]
    plain = family.loc[family["correction"] == "none", "p"]
    smallest = plain.min()
    corrected = family.loc[family["correction"] == "holm", "p"]
    # 5 methods x 2 metrics x 2 noise factors, without the leaves of SE and PLT.
    assert len(plain) == 16
    assert corrected.min() == pytest.approx(min(1, 16 * smallest))
    ours = statistics[
        (statistics["method"] == "stp_se")
        & (statistics["experiment"] == "training_noise")
        & (statistics["pairing"] == "datasets")
    ]
    plain = ours.loc[ours["correction"] == "none", "p"]
    corrected = ours.loc[ours["correction"] == "holm", "p"]
    assert len(plain) == 4
    assert corrected.min() == pytest.approx(min(1, 4 * plain.min()))


def test_without_a_set_of_table_3_1_there_is_no_p(rows, plan):
    statistics = soft_statistics.wilcoxon_tests(rows[rows["dataset"] == "wine"], plan)
    assert statistics["p"].isna().all()
    assert (statistics["n"] == 0).all()
    assert statistics["note"].str.contains("no data set of table 3.1").all()


def test_the_order_of_rows_does_not_matter(rows, plan, found):
    shuffled = rows.sample(frac=1, random_state=0)
    pd.testing.assert_frame_equal(soft_statistics.wilcoxon_tests(shuffled, plan), found)
