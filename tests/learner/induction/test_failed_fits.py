"""A fit that raises leaves the learner as it was."""

import numpy as np
import pandas as pd
import pytest
from quick import LEARNERS

import hedgerow
from hedgerow import MissingIncorporated, TreeEditDistance
from hedgerow.induction import base

pytestmark = pytest.mark.filterwarnings("ignore::hedgerow.errors.HedgerowWarning")
N = 80


def table(categories="pqr", seed=0):
    """A frame whose column of categories lists them in an order of its own, and classes."""
    rng = np.random.default_rng(seed)
    kind = pd.Categorical(rng.choice(list("pqr"), N), categories=list(categories))
    frame = pd.DataFrame({"size": rng.normal(size=N).round(2), "kind": kind})
    y = np.where((frame["kind"] == "p") ^ (frame["size"] > 0.3), "ill", "well")
    return frame, y


def failing_fits():
    """Name of what is wrong -> arguments of a fit that raises, on a table of another kind."""
    other, y = table("rqp", seed=1)
    infinite = other.assign(size=other["size"].where(other["size"] < 1, np.inf))
    return {
        "a negative weight": (other, y, np.where(np.arange(N) == 7, -1.0, 1.0)),
        "a weight that is not finite": (other, y, np.full(N, np.inf)),
        "weights beyond counting, new labels": (other, np.arange(N) % 3, np.full(N, 1e15)),
        "no weight at all": (other, y, np.zeros(N)),
        "too few weights": (other, y, np.ones(3)),
        "too few labels": (other, y[:5]),
        "a label that is not finite": (other, np.where(np.arange(N) == 3, np.nan, 1.0)),
        "no labels": (other, None),
        "an infinite value": (infinite, y),
        "a column of text": (other.assign(kind=other["kind"].astype(object)), y),
        "an array of three columns, no labels": (np.ones((N, 3)), None),
        "no rows": (other.iloc[:0], y[:0]),
    }


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("wrong", failing_fits())
def test_a_fit_that_raises_changes_no_prediction(name, wrong):
    """54 of 80 answers changed in silence where weights were refused after the categories of the
    new table had been stored, in 9 of 11 learners."""
    frame, y = table()
    model = getattr(hedgerow, name)(**LEARNERS[name]).fit(frame, y)
    want, before = model.predict_proba(frame), dict(model.__dict__)
    with pytest.raises(ValueError):
        model.fit(*failing_fits()[wrong])
    assert model.__dict__.keys() == before.keys()
    assert all(model.__dict__[key] is value for key, value in before.items())
    np.testing.assert_array_equal(model.predict_proba(frame), want)
    np.testing.assert_array_equal(model.predict(frame), model.classes_[want.argmax(axis=1)])


@pytest.mark.parametrize("name", LEARNERS)
def test_an_interrupted_fit_changes_no_prediction(name, monkeypatch):
    """As above, where the user stops growth after the table has been read."""
    frame, y = table()
    model = getattr(hedgerow, name)(**LEARNERS[name]).fit(frame, y)
    want = model.predict_proba(frame)
    checked = base.TreeClassifierMixin._checked_rows

    def interrupted(self, *given):
        checked(self, *given)
        raise KeyboardInterrupt

    monkeypatch.setattr(base.TreeClassifierMixin, "_checked_rows", interrupted)
    with pytest.raises(KeyboardInterrupt):
        model.fit(*table("rqp", seed=1))
    np.testing.assert_array_equal(model.predict_proba(frame), want)


@pytest.mark.parametrize("name", LEARNERS)
def test_a_learner_whose_first_fit_raises_is_not_fitted(name):
    """It kept the names of columns, and `classes_`, of a table that it had refused."""
    model = getattr(hedgerow, name)(**LEARNERS[name])
    before = dict(model.__dict__)
    with pytest.raises(hedgerow.errors.InputError):
        model.fit(*failing_fits()["a negative weight"])
    assert model.__dict__ == before


def test_other_fits_that_raise_change_nothing():
    frame, y = table()
    numbers = frame[["size"]].assign(size=frame["size"].where(frame["size"] < 1))
    incorporated = MissingIncorporated().fit(numbers)
    want = incorporated.transform(numbers)
    with pytest.raises(ValueError, match="infinity"):
        incorporated.fit(pd.DataFrame({"a": [1.0, np.inf], "b": [1.0, 2.0]}))
    pd.testing.assert_frame_equal(incorporated.transform(numbers), want)
    trees = [hedgerow.C45Classifier(max_depth=depth).fit(frame, y).tree_ for depth in (1, 3)]
    metric = TreeEditDistance().fit(frame, y)
    want = metric.pairwise(trees)
    with pytest.raises(ValueError, match="one class"):
        metric.fit(*table("rqp", seed=1)[:1], np.ones(N))
    np.testing.assert_array_equal(metric.pairwise(trees), want)
