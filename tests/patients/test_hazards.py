"""Tables by fewer passes are those of the survival room, that is of lifelines."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from lifelines.datasets import load_gbsg2, load_lung, load_rossi

from hedgerow.patients.hazards import cox, leaf_table, treated_table
from hedgerow.survival import compare_groups, leaf_survival
from hedgerow.survival.estimates import cox as slow


class Leaves:
    """A tree of which only the leaves are known."""

    def __init__(self, leaf):
        self.leaf = np.asarray(leaf)

    def apply(self, X):
        return self.leaf


def cohort(name):
    """Leaves, time, event and covariates; rossi's weeks and gbsg2's days are tied."""
    if name == "rossi":
        d = load_rossi()
        return np.digitize(d["prio"], [2, 5]), d["week"], d["arrest"], d[["age", "race", "wexp"]]
    if name == "gbsg2":
        d = load_gbsg2()
        X = d[["age", "tsize"]].assign(grade=d["tgrade"].astype("category"))
        return np.digitize(d["pnodes"], [4, 10]), d["time"], d["cens"], X
    d = load_lung()
    return np.digitize(d["age"], [55, 65, 72]), d["time"], d["status"], d[["sex", "ph.karno"]]


def arrays(name):
    leaf, time, event, X = cohort(name)
    return leaf, time.to_numpy(float), event.to_numpy(int), X.reset_index(drop=True)


@pytest.mark.parametrize("name", ["rossi", "gbsg2", "lung"])
def test_leaves_as_the_survival_room_has_them(name):
    leaf, time, event, X = arrays(name)
    ours = leaf_table(leaf, time, event, covariates=X)
    theirs = leaf_survival(Leaves(leaf), X, time, event, covariates=X)
    assert set(ours) == set(theirs)
    for column in theirs:
        if theirs[column].dtype == object:
            assert ours[column].tolist() == theirs[column].tolist(), column
        else:
            # Among events at one time the rank is that of the order in the table.
            loose = 0.05 if column.startswith("ph_p") else 1e-6
            np.testing.assert_allclose(ours[column], theirs[column], rtol=loose, err_msg=column)
    assert ours.attrs["multivariate_logrank_p"] == pytest.approx(
        theirs.attrs["multivariate_logrank_p"], rel=1e-8
    )


def test_causes_that_compete():
    leaf, time, event, X = arrays("gbsg2")
    event = np.where((event == 1) & (np.arange(len(time)) % 3 == 0), 2, event)
    ours, theirs = leaf_table(leaf, time, event), leaf_survival(Leaves(leaf), X, time, event)
    assert set(ours) == set(theirs)
    for column in ("incidence", "incidence_low", "gray_p", "gray_p_holm", "logrank_p"):
        np.testing.assert_allclose(ours[column], theirs[column], rtol=1e-8)


@pytest.mark.parametrize("counted_from", ["landmark", "inclusion"])
def test_treated_as_the_survival_room_has_them(counted_from):
    leaf, time, event, X = arrays("gbsg2")
    when = np.where(np.arange(len(time)) % 3 == 0, time * 0.1, np.inf)
    ours = treated_table(leaf, time, event, when, 150.0, counted_from)
    theirs = compare_groups(
        Leaves(leaf), X, time, event, when, landmark=150.0, counted_from=counted_from
    )
    assert ours.index[0] == -1
    for column in ours:
        if column == "cox_note":
            continue
        np.testing.assert_allclose(
            ours[column].iloc[1:].astype(float),
            theirs[column].astype(float),
            rtol=0.05 if column == "ph_p" else 1e-6,
            err_msg=column,
        )


def test_without_ties_to_eight_digits():
    rng = np.random.default_rng(7)
    n = 400
    X = pd.DataFrame({"leaf": rng.random(n) < 0.3, "age": rng.normal(60, 9, n)}).astype(float)
    X["far"] = rng.exponential(1e5, n)
    time = rng.exponential(1.0 / np.exp(0.8 * X["leaf"] + 0.05 * (X["age"] - 60)).to_numpy())
    died = rng.random(n) < 0.7
    ours, theirs = (f(X, "leaf", time, died, 0.95) for f in (cox, slow))
    for name in ("hazard_ratio", "hazard_ratio_low", "hazard_ratio_high", "cox_p", "ph_p"):
        assert ours[name] == pytest.approx(theirs[name], rel=1e-7), name


def test_words_where_there_is_no_model():
    time, died = np.arange(1.0, 41.0), np.arange(40) % 2 == 0
    leaf = np.arange(40) < 20

    def note(inside, died=died, **more):
        frame = pd.DataFrame({"leaf": inside, **more}).astype(float)
        found = [f(frame, "leaf", time, died, 0.95)["cox_note"] for f in (cox, slow)]
        assert found[0] == found[1]
        return found[0]

    assert note(np.zeros(40, bool)) == "one group"
    assert note(leaf, died & ~leaf) == "no events"
    assert note(leaf, died & leaf) == "all events"
    mixed = np.arange(40) % 3 == 0
    assert note(mixed, died, sick=died) == "separated"
    assert note(leaf, died, again=leaf) == "singular"
    assert note(leaf, (time == 1) | (time == 40), age=time % 7) == "too few"
