"""Beyond E2M: rows, votes and misjudged doubts by hand, parts apart, tests by scipy."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from hedgerow import (
    C45Classifier,
    ConfDTreeClassifier,
    EvidentialData,
    EvidentialTreeClassifier,
    SoftTreeClassifier,
    evidential_error_rate,
)
from hedgerow.data import TidyTable, rng
from hedgerow.evidential import best_first
from hedgerow.experiments.evidential import steps as evidential_steps
from hedgerow.experiments.evidential.plan import EvidentialPlan
from hedgerow.experiments.evidential_beyond import statistics as beyond_statistics
from hedgerow.experiments.evidential_beyond import steps as beyond_steps
from hedgerow.experiments.evidential_beyond.plan import (
    ANNOTATED,
    COMPARED,
    EXPERIMENT,
    LEARNERS,
    MISJUDGED,
    REPEATED,
    EvidentialBeyondPlan,
)

PROTOCOL = EvidentialPlan(max_leaves=6, max_iterations=60)
PLAN = EvidentialBeyondPlan(
    n_rows=120,
    levels=(0, 0.4, 1),
    n_draws=3,
    errors=(0.8,),
    mistakes=(0.9,),
    misjudged=(0.5, 1),
    n_finalists=4,
)


def made_up(name="made_up", n=150, n_classes=3, seed=0):
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
    settings = {"sweep": (0.0, 0.4, 1.0), "repeated": (0.8,), "annotators": (0.9,)}
    for part, names in methods.items():
        own = rows[rows["part"] == part]
        assert set(zip(own["setting"], own["method"], strict=True)) == {
            (s, m) for s in settings[part] for m in names
        }
        assert set(COMPARED.parts[part].metrics) <= set(own["metric"])
    own = rows[rows["part"] == "misjudged"]
    assert set(zip(own["setting"], own["method"], strict=True)) == {
        (0.5, "e2m"),
        (1.0, "e2m"),
        (1.0, "e2m_odds"),
    }
    assert rows["value"].between(0, 1).all()
    assert not rows.duplicated(["part", "dataset", "repeat", "setting", "method", "metric"]).any()


def test_without_noise_all_that_count_are_the_same(rows):
    own = rows[(rows["part"] == "sweep") & (rows["setting"] == 0) & (rows["method"] != "ss")]
    cells = own.pivot(index="method", columns="metric", values="value")
    assert cells.loc["e2m", "error_rate"] == pytest.approx(
        cells.loc["cart", "error_rate"], abs=0.06
    )
    # All draws of a row are the row: CART on them is CART.
    assert (cells.loc["e2m_pignistic"] == cells.loc["cart"]).all()
    assert (cells["error_rate"] == cells["clean_error_rate"]).all()
    assert (cells["error_rate"] == cells["evidential_error_rate"]).all()


def test_rows_are_drawn_anew_for_each_repeat(table):
    one, other = (beyond_steps.some_rows(table, repeat, PLAN, 0) for repeat in (0, 1))
    assert len(one.y) == len(other.y) == 120
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


def _grown(data, growing, pruning):
    model = EvidentialTreeClassifier(max_leaves=6, max_iterations=60, n_finalists=4)
    return model.fit(data.take(growing), pruning_data=data.take(pruning))


def test_misjudged_doubts_are_made_again_by_hand(table, rows):
    some = beyond_steps.some_rows(table, 0, PLAN, 0)
    growing, pruning, test = evidential_steps.thirds(some, 0, PROTOCOL, EXPERIMENT)
    found = evidential_steps.doubted(some, 0, PROTOCOL, EXPERIMENT)
    told = dataclasses.replace(found, gamma=found.gamma / 2, gamma_y=found.gamma_y / 2)
    data = told.evidential()
    said = _grown(data, growing, pruning).predict(data.take(test))
    own = rows[(rows["part"] == "misjudged") & (rows["setting"] == 0.5)].set_index("metric")
    assert own.loc["error_rate", "value"] == (said != found.y[test]).mean()


def test_draws_follow_the_pignistic_distribution():
    """1 - gamma at the value, and gamma spread evenly over the domain."""
    table = made_up(n=30)
    found = evidential_steps.doubted(table, 0, PROTOCOL, EXPERIMENT)
    gamma, gamma_y = np.full_like(found.gamma, 0.3), np.full_like(found.gamma_y, 0.6)
    found = dataclasses.replace(found, gamma=gamma, gamma_y=gamma_y)
    plan = dataclasses.replace(PLAN, n_draws=400)
    X, y = beyond_steps.pignistic_draws(table, 0, found, plan, PROTOCOL)
    assert X.shape == (400, 30, 3) and y.shape == (400, 30)
    assert (y == found.y).mean() == pytest.approx(0.4 + 0.6 / 3, abs=0.02)
    assert (X == found.X)[:, :, 0].mean() == pytest.approx(0.7, abs=0.02)
    assert (X == found.X)[:, :, 2].mean() == pytest.approx(0.7 + 0.3 / 3, abs=0.02)
    elsewhere = X[:, :, 0][X[:, :, 0] != found.X[:, 0]]
    low, high = found.clean[:, 0].min(), found.clean[:, 0].max()
    assert low <= elsewhere.min() and elsewhere.max() <= high
    assert elsewhere.mean() == pytest.approx((low + high) / 2, rel=0.02)
    assert np.isnan(X[:, np.isnan(found.X[:, 1]), 1]).all()


def test_the_tree_of_pignistic_draws_is_made_again_by_hand(table, rows):
    some = beyond_steps.some_rows(table, 0, PLAN, 0)
    growing, pruning, test = evidential_steps.thirds(some, 0, PROTOCOL, EXPERIMENT)
    found = evidential_steps.doubted(some, 0, PROTOCOL, EXPERIMENT, 0.4)
    X, y = beyond_steps.pignistic_draws(some, 0, found, PLAN, PROTOCOL)
    drawn = [np.concatenate([table[growing] for table in tables]) for tables in (X, y)]
    learner = C45Classifier(
        prune=False, min_samples_split=2, categorical_features=[2], criterion="gini"
    )
    learner.fit(*drawn, sample_weight=np.full(len(drawn[0]), 1 / 3))

    def said(tree, rows):
        mean = sum(tree.predict_proba(table[rows]) for table in X)
        return np.array(tree.classes)[mean.argmax(axis=1)].astype(int)

    evidence = found.evidential().plausibility[pruning]
    best = min(
        best_first(learner.tree_, 6, PROTOCOL.min_gain, criterion="gini"),
        key=lambda tree: (evidential_error_rate(evidence, said(tree, pruning)), tree.n_leaves),
    )
    own = rows[(rows["setting"] == 0.4) & (rows["method"] == "e2m_pignistic")]
    own = own.set_index("metric")["value"]
    assert own["error_rate"] == (said(best, test) != found.y[test]).mean()
    plain = _said(best, found.clean[test])
    assert own["clean_error_rate"] == (plain != found.clean_y[test]).mean()


def test_doubts_as_odds(table, rows):
    """By the chances of the noise: of 0.6, spread over three classes, 0.2 falls on each."""
    assert beyond_steps.odds_of(0.6, 3) == pytest.approx(0.2 / 0.6)
    assert beyond_steps.odds_of(np.array([0.0, 1.0]), [2, 4]) == pytest.approx([0.0, 1.0])
    some = beyond_steps.some_rows(table, 0, PLAN, 0)
    growing, pruning, test = evidential_steps.thirds(some, 0, PROTOCOL, EXPERIMENT)
    found = evidential_steps.doubted(some, 0, PROTOCOL, EXPERIMENT)
    share, share_y = found.gamma / [2, 2, 3], found.gamma_y / 3
    told = dataclasses.replace(
        found,
        gamma=share / (1 - found.gamma + share),
        gamma_y=share_y / (1 - found.gamma_y + share_y),
    ).evidential()
    said = _grown(told, growing, pruning).predict(told.take(test))
    own = rows[rows["method"] == "e2m_odds"].set_index("metric")["value"]
    assert own["error_rate"] == (said != found.y[test]).mean()


def test_intervals_are_made_again_by_hand(table, rows):
    some = beyond_steps.some_rows(table, 0, PLAN, 0)
    growing, pruning, test = evidential_steps.thirds(some, 0, PROTOCOL, EXPERIMENT)
    clean, _ = some.matrix()
    noise = rng(PROTOCOL.seed, EXPERIMENT, some.name, 0, "measurements")
    deviations = 0.8 * np.nanstd(clean, axis=0) * noise.standard_normal((3, *clean.shape))
    values = clean + deviations * [1.0, 1.0, 0.0]
    labels = [str(label) for label in some.X["kind"].cat.categories]
    kinds = [{labels[int(code)]} for code in clean[:, 2]]
    own = rows[rows["part"] == "repeated"].set_index("method")["value"]
    # Three measurements are all too large, or all too small, once in four times.
    for method, gamma in (("e2m_doubted", [0.25, 0.25, 0.0]), ("e2m_intervals", 0.0)):
        data = EvidentialData.from_intervals(
            values.min(axis=0), values.max(axis=0), some.y, gamma, sets={2: kinds}, classes=range(3)
        )
        said = _grown(data, growing, pruning).predict(data.take(test))
        assert own[method] == (said != some.y[test]).mean()
    for method, X in (("cart_means", values.mean(axis=0)), ("cart_single", values[0])):
        own_error = _cart_error(X, some.y, some.y, (growing, pruning, test))
        assert own[method] == own_error


def _cart_error(X, named, y, parts, weight=None):
    """Of the tree of the sequence with the fewest errors by the classes that were named."""
    growing, pruning, test = parts
    rows, codes = (growing, named[growing]) if weight is None else weight[:2]
    learner = C45Classifier(
        prune=False, min_samples_split=2, categorical_features=[2], criterion="gini"
    )
    learner.fit(X[rows], codes, sample_weight=None if weight is None else weight[2])
    best = min(
        best_first(learner.tree_, 6, PROTOCOL.min_gain, criterion="gini"),
        key=lambda tree: (np.mean(_said(tree, X[pruning]) != named[pruning]), tree.n_leaves),
    )
    return (_said(best, X[test]) != y[test]).mean()


def _said(tree, X):
    return np.array(tree.classes)[tree.predict_proba(X).argmax(axis=1)].astype(int)


def test_learners_that_are_told_nothing_get_both_thirds(table, rows):
    some = beyond_steps.some_rows(table, 0, PLAN, 0)
    growing, pruning, test = evidential_steps.thirds(some, 0, PROTOCOL, EXPERIMENT)
    found = evidential_steps.doubted(some, 0, PROTOCOL, EXPERIMENT)
    both = np.concatenate([growing, pruning])
    X, y = found.X[both], found.y[both]
    c45 = C45Classifier(categorical_features=[2])
    own = rows[(rows["part"] == "sweep") & (rows["setting"] == 1.0)]
    own = own.pivot(index="method", columns="metric", values="value")
    for method, learner in (
        ("c45", c45),
        ("ss", SoftTreeClassifier(search=0.1, categorical_features=[2])),
        ("stp", SoftTreeClassifier(propagation=0.1, categorical_features=[2])),
        ("confdtree_tdist", ConfDTreeClassifier(c45, method="tdist")),
        ("confdtree_comb", ConfDTreeClassifier(c45, method="comb")),
    ):
        learner.fit(X, y)
        noisy, clean = (learner.predict(values[test]) for values in (found.X, found.clean))
        assert own.loc[method, "error_rate"] == (noisy != found.y[test]).mean()
        assert own.loc[method, "clean_error_rate"] == (clean != found.clean_y[test]).mean()


def test_votes_are_evidence_weights_and_majorities_by_hand(table, rows):
    some = beyond_steps.some_rows(table, 0, PLAN, 0)
    parts = growing, pruning, test = evidential_steps.thirds(some, 0, PROTOCOL, EXPERIMENT)
    votes = beyond_steps.votes_of(
        some.y, 3, PLAN, 0.9, rng(PROTOCOL.seed, EXPERIMENT, some.name, 0, "votes")
    )
    assert (votes.sum(axis=1) == 5).all() and (votes.max(axis=1) < 5).any()
    own = rows[rows["part"] == "annotators"].set_index("method")["value"]
    whole = evidential_steps.doubted(some, 0, PROTOCOL, EXPERIMENT, 0.0).evidential()
    share = votes / votes.max(axis=1)[:, None]
    data = EvidentialData.from_plausibility(whole, share, range(3))
    said = _grown(data, growing, pruning).predict(data.take(test))
    assert own["e2m_votes"] == (said != some.y[test]).mean()
    X, majority = some.matrix()[0], votes.argmax(axis=1)
    assert own["cart_majority"] == _cart_error(X, majority, some.y, parts)
    named = [(row, k, votes[row, k] / 5) for row in growing for k in range(3) if votes[row, k]]
    weighted = [np.array(column) for column in zip(*named, strict=True)]
    assert own["cart_weighted"] == _cart_error(X, majority, some.y, parts, weighted)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("column", [np.nan, pd.Categorical([None] * 150, categories=["a", "b"])])
def test_an_attribute_that_is_missing_throughout(table, column):
    """It had no lowest value to draw from, and a spread that numpy warned of."""
    gone = dataclasses.replace(table, X=table.X.assign(v1=column))
    assert beyond_steps.run(gone, PLAN, PROTOCOL)["value"].between(0, 1).all()


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
        for part, compared in COMPARED.parts.items():
            for metric in compared.metrics:
                for setting in (0.25, 0.5, 1.0, 4.0):
                    for method in methods.get(part, MISJUDGED if setting == 1.0 else ("e2m",)):
                        first = method == methods.get(part, MISJUDGED[1:])[0]
                        value = 0.5 - gain * first + 0.01 * random.random()
                        value += gain * (part == "misjudged" and setting != 1.0)
                        for repeat in range(2):
                            key = (part, f"set {k}", repeat, setting, method, metric)
                            lines.append((*key, value + 0.1 * repeat))
    columns = ["part", "dataset", "repeat", "setting", "method", "metric", "value"]
    return pd.DataFrame(lines, columns=columns)


def test_tests_are_those_of_scipy():
    rows = _rows()
    found = COMPARED.statistics(rows)
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
    assert set(wrong["second"]) == {"e2m, right"} and set(wrong["setting"]) == {0.25, 0.5, 1.0, 4.0}
    assert ((wrong["difference"] < 0) == (wrong["first"] == "e2m_odds")).all()


def test_without_any_data_set():
    made = beyond_statistics.merged([])
    assert made["rows"].empty and made["statistics"].empty
