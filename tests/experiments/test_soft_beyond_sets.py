"""Sets with a promise: what they hold, how rows are divided, what each tree is told."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from oracle.conformal import conformal_set, p_value

from hedgerow import C45Classifier, SoftTreeClassifier
from hedgerow.data import TidyTable
from hedgerow.errors import DataError
from hedgerow.experiments.soft_beyond import sets as of_sets
from hedgerow.experiments.soft_beyond.plan import (
    COMPARED_SETS,
    PROMISED,
    SET_METHODS,
    SET_ORDER,
    SITUATIONS,
    SoftBeyondPlan,
)
from hedgerow.experiments.soft_beyond.sets import measured, sets

PLAN = SoftBeyondPlan(
    seed=3, n_divisions=2, set_noise=(0.5, 1.0), promised=(0.8, 0.9), set_rows=120
)


def made_up(n=150, n_classes=3, seed=0) -> TidyTable:
    """Made-up rows: two numbers that tell the class, one that does not, and a category."""
    generator = np.random.default_rng(seed)
    y = np.arange(n) % n_classes
    X = pd.DataFrame(
        {
            "a": y + generator.normal(0, 0.6, n),
            "b": 10 * y + generator.normal(0, 6, n),
            "c": generator.normal(0, 1, n),
            "d": pd.Categorical(generator.choice(["u", "v"], n)),
        }
    )
    X.loc[::17, "a"] = np.nan
    return TidyTable("made_up", X, y, [str(k) for k in range(n_classes)], "class")


@pytest.fixture(scope="module")
def rows():
    return sets(made_up(), PLAN)


def test_sets_are_those_of_the_definition():
    generator = np.random.default_rng(4)
    for n_classes in (2, 3, 5):
        for n, digits in ((1, 9), (7, 1), (40, 1), (40, 9)):
            given = generator.dirichlet(np.ones(n_classes), n + 20).round(digits)
            y = generator.integers(n_classes, size=n)
            p = of_sets._p_values(given[:n], y, given[n:], False, 0)
            for row, found in zip(given[n:], p, strict=True):
                for promised in (0.5, 0.77, 0.95):
                    expected = conformal_set(given[:n].tolist(), y.tolist(), row.tolist(), promised)
                    assert set(np.flatnonzero(found >= 1 - promised)) == expected


def test_ties_that_are_broken_lie_between_none_and_all():
    """A number between p of what is stranger alone and p with all that is as strange."""
    generator = np.random.default_rng(5)
    given = generator.dirichlet(np.ones(3), 60).round(1)
    y = generator.integers(3, size=40)
    scores = [1 - given[i, y[i]] for i in range(40)]
    broken = of_sets._p_values(given[:40], y, given[40:], True, 7)
    for row, found in zip(given[40:], broken, strict=True):
        for k in range(3):
            low, high = (p_value(scores, 1 - row[k], share) for share in (0.0, 1.0))
            assert low <= found[k] <= high
    np.testing.assert_array_equal(broken, of_sets._p_values(given[:40], y, given[40:], True, 7))
    assert (broken != of_sets._p_values(given[:40], y, given[40:], True, 8)).any()


def test_the_promise_is_kept_where_rows_are_alike():
    """Of 40,000 sets of rows that are like the calibration, as many as promised hold the class."""
    generator = np.random.default_rng(6)
    right = []
    for _ in range(200):
        probabilities = generator.dirichlet([0.5, 0.5, 0.5], 250).round(2)
        y = np.array([generator.choice(3, p=p / p.sum()) for p in probabilities])
        p = of_sets._p_values(probabilities[:50], y[:50], probabilities[50:], True, 1)
        right.append(measured(p >= 0.15, y[50:])["coverage"])
    error = np.std(right, ddof=1) / np.sqrt(len(right))
    assert abs(np.mean(right) - 0.85) < 4 * error < 0.02


def test_what_sets_are_worth():
    held = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 0], [0, 0, 1], [1, 1, 1], [0, 1, 0]], dtype=bool)
    y = np.array([0, 0, 0, 0, 0, 1])
    assert measured(held, y) == {
        "coverage": pytest.approx(4 / 6),
        "size": pytest.approx(8 / 6),
        "single": 0.5,
        "empty": pytest.approx(1 / 6),
        "class_coverage": pytest.approx(3 / 5),  # the other class has one row
    }
    assert "class_coverage" not in measured(held[:4], y[:4])


def test_every_cell_is_there_once(rows):
    assert list(rows.columns) == [*SET_ORDER, "value"]
    assert not rows.duplicated(SET_ORDER).any()
    of_trees = rows[rows["method"] != PROMISED]
    cells = of_trees.groupby(["test", "calibration", "noise", "promised", "method"]).size()
    assert len(cells) == len(SITUATIONS) * 2 * 2 * len(SET_METHODS) and cells.nunique() == 1
    told = rows[rows["method"] == PROMISED]
    assert (told["value"] == told["promised"]).all() and set(told["metric"]) == {"coverage"}


def test_more_is_promised_by_larger_sets(rows):
    size = rows[rows["metric"] == "size"].set_index([*SET_ORDER[:-2], "method"])["value"]
    size = size.unstack("promised")
    assert (size[0.9] >= size[0.8]).all() and (size[0.9] > size[0.8]).any()


def test_without_errors_c45_does_not_know_the_level(rows):
    own = rows[(rows["method"] == "c45") & (rows["test"] == "clean")]
    values = own.set_index([c for c in SET_ORDER if c != "noise"] + ["noise"])["value"]
    wide = values.unstack("noise")
    pd.testing.assert_series_equal(wide[0.5], wide[1.0], check_names=False)


def test_divisions_share_no_row_and_depend_on_nothing_else(rows, monkeypatch):
    """Rows that are tested, calibrate and grow are others; a division alone is the same."""
    seen = []

    def divided(table, number, size, name, plan, own=of_sets._divided):
        parts = own(table, number, size, name, plan)
        seen.append((name, *(list(part.X["c"]) for part in parts)))  # different in every row
        return parts

    monkeypatch.setattr(of_sets, "_divided", divided)
    one = sets(made_up(), dataclasses.replace(PLAN, n_divisions=1))
    (_, rest, test), (_, grown, held) = seen
    assert not set(rest) & set(test) and not set(grown) & set(held)
    assert set(grown) | set(held) == set(rest) and len(rest) + len(test) == PLAN.set_rows
    assert len(test) == 36 and len(held) == 25
    first = rows[rows["division"] == 0].reset_index(drop=True)
    pd.testing.assert_frame_equal(one, first)


def test_trees_are_told_the_errors_that_are_added(monkeypatch):
    """Each has its own parts; numbers alone have errors, the same draws at each level."""
    told, read = [], []

    def learner(method, errors, plan, own=of_sets._learner):
        model = own(method, errors, plan)
        told.append((method, errors, model))
        predict = model.predict_proba

        def predicted(X):
            read.append(X)
            return predict(X)

        model.predict_proba = predicted
        return model

    monkeypatch.setattr(of_sets, "_learner", learner)
    sets(made_up(), dataclasses.replace(PLAN, n_divisions=1))
    parts = {
        "ss": ["search"],
        "stp": ["propagation"],
        "se": ["evaluation"],
        "ss_stp_se": ["search", "propagation", "evaluation"],
    }
    for method, errors, model in told:
        assert set(errors) == {"a", "b", "c"}
        if method == "c45":
            assert type(model) is C45Classifier
            continue
        assert type(model) is SoftTreeClassifier and model.error_unit == "absolute"
        given = [n for n in ("search", "propagation", "evaluation", "error") if getattr(model, n)]
        assert given == parts[method]
        assert all(getattr(model, name) == errors for name in given)
        assert model.smoothing and model.confidence == PLAN.set_confidence
    (one, two) = (told[0][1], told[len(SET_METHODS)][1])
    assert all(two[name] == pytest.approx(2 * one[name]) for name in one)
    clean, noisy, _, _ = read[:4]
    _, stronger, _, _ = read[4 * len(SET_METHODS) : 4 * len(SET_METHODS) + 4]
    pd.testing.assert_series_equal(clean["d"], noisy["d"])
    for name in one:
        drawn = (noisy[name] - clean[name]) / one[name]
        assert 0.6 < drawn.std() < 1.5  # 36 draws of 1
        np.testing.assert_allclose(stronger[name] - clean[name], 2 * (noisy[name] - clean[name]))


def test_equal_scores_that_count_in_full_make_larger_sets():
    table = made_up()
    key = [*SET_ORDER[:-1]]
    size = {
        broken: sets(table, dataclasses.replace(PLAN, ties_broken=broken)).query("metric == 'size'")
        for broken in (True, False)
    }
    both = size[True].merge(size[False], on=key)
    assert (both["value_y"] >= both["value_x"]).all()
    assert (both["value_y"] > both["value_x"]).any()


def test_a_class_that_the_tree_has_not_seen_has_a_score(rows):
    table = made_up(40, 2)
    rare = dataclasses.replace(table, y=np.where(np.arange(40) == 7, 2, table.y))
    rare = dataclasses.replace(rare, classes=["0", "1", "2"])
    found = sets(rare, dataclasses.replace(PLAN, n_divisions=4))
    assert np.isfinite(found["value"]).all()


def test_too_few_rows_are_refused():
    with pytest.raises(DataError, match="made_up"):
        sets(made_up(2, 2), PLAN)


def test_coverage_is_compared_with_the_promise_and_size_with_c45(rows):
    other = rows.assign(dataset="another", value=rows["value"] * 0.9)
    other.loc[other["method"] == PROMISED, "value"] = other["promised"]
    both = pd.concat([rows, other])
    table = COMPARED_SETS.table(both, COMPARED_SETS.statistics(both), "sets")
    against = table.groupby("metric")["second"].agg(set)
    assert against["coverage"] == {"promised"}
    assert all(against[m] == {"c45"} for m in ("size", "single", "class_coverage"))
    assert len(table) == 4 * len(SITUATIONS) * (len(SET_METHODS) + 3 * (len(SET_METHODS) - 1))
    line = table[(table["metric"] == "coverage") & (table["first"] == "c45")].iloc[0]
    assert line["mean_second"] == pytest.approx(100 * line["promised"])
