"""Beyond E2M: rows, votes and misjudged doubts by hand, parts apart, tests by scipy."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from hedgerow import EvidentialTreeClassifier
from hedgerow.data import TidyTable
from hedgerow.experiments.evidential import steps as evidential_steps
from hedgerow.experiments.evidential.plan import EvidentialPlan
from hedgerow.experiments.evidential_beyond import statistics as beyond_statistics
from hedgerow.experiments.evidential_beyond import steps as beyond_steps
from hedgerow.experiments.evidential_beyond.plan import (
    ANNOTATED,
    COMPARED,
    EXPERIMENT,
    LEARNERS,
    REPEATED,
    EvidentialBeyondPlan,
)

PROTOCOL = EvidentialPlan(max_leaves=3, max_iterations=60)
PLAN = EvidentialBeyondPlan(
    n_rows=60,
    levels=(0, 1),
    n_draws=3,
    errors=(0.5,),
    mistakes=(0.5,),
    misjudged=(0.5, 1),
    n_finalists=4,
)


def made_up(name="made_up", n=90, n_classes=3, seed=0):
    """Numbers and a category, some of them missing; the classes overlap."""
    random = np.random.default_rng(seed)
    y = np.sort(random.integers(0, n_classes, n)).astype(np.int64)
    X = pd.DataFrame({f"v{k}": 5 + random.normal(3.0 * y * (k == 0), 1.0) for k in range(2)})
    X["kind"] = pd.Categorical(random.choice(["a", "b", "c"], n))
    X.loc[X.index[::17], "v1"] = np.nan
    return TidyTable(name, X, y, [f"class {k}" for k in range(n_classes)], "kind of row")


@pytest.fixture(scope="module")
def table():
    return made_up()


@pytest.fixture(scope="module")
def rows(table):
    return beyond_steps.run(table, PLAN, PROTOCOL)


def test_every_part_has_its_methods_and_metrics(rows):
    methods = {"sweep": LEARNERS, "repeated": REPEATED, "annotators": ANNOTATED}
    settings = {"sweep": (0.0, 1.0), "repeated": (0.5,), "annotators": (0.5,)}
    for part, names in methods.items():
        own = rows[rows["part"] == part]
        assert set(zip(own["setting"], own["method"], strict=True)) == {
            (s, m) for s in settings[part] for m in names
        }
        assert set(COMPARED[part]) <= set(own["metric"])
    own = rows[rows["part"] == "misjudged"]
    assert set(own["setting"]) == {0.5, 1.0} and set(own["method"]) == {"e2m"}
    assert rows["value"].between(0, 1).all()
    assert not rows.duplicated(["part", "dataset", "repeat", "setting", "method", "metric"]).any()


def test_without_noise_all_that_count_are_the_same(rows):
    own = rows[(rows["part"] == "sweep") & (rows["setting"] == 0) & (rows["method"] != "ss")]
    cells = own.pivot(index="method", columns="metric", values="value")
    assert cells.loc["e2m", "error_rate"] == pytest.approx(
        cells.loc["cart", "error_rate"], abs=0.06
    )
    assert (cells["error_rate"] == cells["clean_error_rate"]).all()
    assert (cells["error_rate"] == cells["evidential_error_rate"]).all()


def test_rows_are_drawn_anew_for_each_repeat(table):
    one, other = (beyond_steps.some_rows(table, repeat, PLAN, 0) for repeat in (0, 1))
    assert len(one.y) == len(other.y) == 60
    assert not one.X.equals(other.X)
    assert beyond_steps.some_rows(table, 0, EvidentialBeyondPlan(), 0) is table


def test_votes():
    random = np.random.default_rng(0)
    y = random.integers(0, 3, 3000)
    plan = EvidentialBeyondPlan(n_annotators=4)
    votes = beyond_steps.votes_of(y, 3, plan, 0.0, np.random.default_rng(1))
    assert (votes[np.arange(3000), y] == 4).all()
    votes = beyond_steps.votes_of(y, 3, plan, 1.0, np.random.default_rng(1))
    assert (votes.sum(axis=1) == 4).all()
    # Shares of mistakes are uniform: of many draws half are right on average.
    right = [
        beyond_steps.votes_of(y[:200], 3, plan, 1.0, np.random.default_rng(k))[
            np.arange(200), y[:200]
        ].mean()
        / 4
        for k in range(60)
    ]
    assert np.mean(right) == pytest.approx(0.5, abs=0.06)


def test_misjudged_doubts_are_made_again_by_hand(table, rows):
    some = beyond_steps.some_rows(table, 0, PLAN, 0)
    growing, pruning, test = evidential_steps.thirds(some, 0, PROTOCOL, EXPERIMENT)
    found = evidential_steps.doubted(some, 0, PROTOCOL, EXPERIMENT)
    told = dataclasses.replace(found, gamma=found.gamma / 2, gamma_y=found.gamma_y / 2)
    data = told.evidential()
    model = EvidentialTreeClassifier(max_leaves=3, max_iterations=60, n_finalists=4)
    model.fit(data.take(growing), data.take(pruning))
    said = model.predict(data.take(test))
    own = rows[(rows["part"] == "misjudged") & (rows["setting"] == 0.5)].set_index("metric")
    assert own.loc["error_rate", "value"] == (said != found.y[test]).mean()


def test_what_is_not_needed_changes_nothing(table, rows):
    """Parts have streams of their own: another list of levels or errors leaves the rest alone."""
    other = beyond_steps.run(table, dataclasses.replace(PLAN, levels=(1,), errors=(2,)), PROTOCOL)
    key = ["part", "dataset", "repeat", "setting", "method", "metric"]
    both = rows.merge(other, on=key)
    assert len(both) > 30 and (both["value_x"] == both["value_y"]).all()


# ------------------------------------------------------------------------------- statistics


def _rows(n_sets=8, gain=0.1):
    random = np.random.default_rng(2)
    lines = []
    methods = {"sweep": LEARNERS, "repeated": REPEATED, "annotators": ANNOTATED}
    for k in range(n_sets):
        for part, metrics in COMPARED.items():
            for metric in metrics:
                for setting in (0.25, 0.5, 1.0, 4.0):
                    for method in methods.get(part, ("e2m",)):
                        first = method == methods.get(part, ("none",))[0]
                        value = 0.5 - gain * first + 0.01 * random.random()
                        value += gain * (part == "misjudged" and setting != 1.0)
                        for repeat in range(2):
                            key = (part, f"set {k}", repeat, setting, method, metric)
                            lines.append((*key, value + 0.1 * repeat))
    columns = ["part", "dataset", "repeat", "setting", "method", "metric", "value"]
    return pd.DataFrame(lines, columns=columns)


def test_tests_are_those_of_scipy():
    rows = _rows()
    found = beyond_statistics.statistics(rows)
    plain = found[found["correction"] == "none"]
    cell = plain.set_index(["part", "setting", "metric", "second"]).loc[
        ("sweep", 0.5, "error_rate", "ss")
    ]
    means = rows[(rows["part"] == "sweep") & (rows["metric"] == "error_rate")]
    means = means[means["setting"] == 0.5].groupby(["dataset", "method"])["value"].mean().unstack()
    expected = stats.wilcoxon(means["e2m"], means["ss"])
    assert cell["p"] == pytest.approx(expected.pvalue) and cell["n"] == 8
    assert cell["difference"] == pytest.approx(100 * (means["e2m"] - means["ss"]).mean())
    wrong = plain[plain["part"] == "misjudged"]
    assert set(wrong["second"]) == {"e2m, right"} and set(wrong["setting"]) == {0.25, 0.5, 4.0}
    assert (wrong["difference"] > 0).all()


def test_without_any_data_set():
    made = beyond_statistics.merged([])
    assert made["rows"].empty and made["statistics"].empty
