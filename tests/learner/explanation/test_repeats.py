"""Errors from repeated measurements: by hand, against known errors, and bad input."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from effort import draws
from scipy import stats

from hedgerow import C45Classifier, error_from_repeats
from hedgerow.errors import InputError


def repeated(seed: int, relative: bool, n: int = 60):
    """Two to four measurements of each of n patients, with an error that is known."""
    rng = np.random.default_rng(seed)
    patient = np.repeat(np.arange(n), rng.integers(2, 5, size=n))
    true = np.exp(rng.normal(4.0, 0.8, size=n))[patient]
    sd = 0.05 * true if relative else 3.0
    return pd.DataFrame({"patient": patient, "glucose": true + sd * rng.normal(size=len(true))})


def test_by_hand():
    frame = pd.DataFrame({"who": list("aabbbc"), "x": [1.0, 3.0, 5.0, 5.0, 8.0, 9.0], "t": "text"})
    found = error_from_repeats(frame, by="who").loc["x"]
    squares = 2.0 + 6.0  # about 2, and about 6
    assert found["sd"] == pytest.approx(np.sqrt(squares / 3))
    assert (found["df"], found["groups"], found["values"]) == (3, 2, 5)
    assert found["low"] == pytest.approx(np.sqrt(squares / stats.chi2.ppf(0.975, 3)))
    assert found["high"] == pytest.approx(np.sqrt(squares / stats.chi2.ppf(0.025, 3)))
    want = np.sqrt((1 * 2.0 / 2.0**2 + 2 * 3.0 / 6.0**2) / 3)
    assert found["percent"] == pytest.approx(100 * want)
    assert np.isnan(found["rho"]) and not found["grows"] and found["error"] == found["sd"]
    assert error_from_repeats(frame, by="who").index.tolist() == ["x"]


def test_the_interval_holds_as_often_as_it_says():
    inside = 0
    for seed in range(200):
        found = error_from_repeats(repeated(seed, False), by="patient").loc["glucose"]
        inside += found["low"] <= 3.0 <= found["high"]
    assert 200 * 0.95 - 4 * np.sqrt(200 * 0.95 * 0.05) <= inside


@pytest.mark.parametrize("seed", draws(20))
def test_errors_that_grow_are_told_from_those_that_do_not(seed):
    found = error_from_repeats(repeated(seed, True), by="patient").loc["glucose"]
    assert found["grows"] and found["error"].endswith(" %")
    assert float(found["error"][:-2]) == pytest.approx(5.0, rel=0.4)


def test_what_comes_out_can_be_given_as_an_error():
    frame = repeated(0, True)
    y = np.where(frame["glucose"] > 60, "high", "low")
    model = C45Classifier().fit(frame[["glucose"]], y)
    error = error_from_repeats(frame, by="patient")["error"]
    near = (frame["glucose"] - 60).abs().idxmin()
    assert 0.5 < model.explain(frame[["glucose"]].loc[near], error=error).entropy <= 1


def test_values_and_groups_that_are_missing_are_left_out():
    frame = pd.DataFrame({"who": ["a", "a", None, "b", "b"], "x": [1.0, 2.0, 9.0, 4.0, np.nan]})
    found = error_from_repeats(frame, by=["who"]).loc["x"]
    assert (found["groups"], found["values"]) == (1, 2)
    assert found["sd"] == pytest.approx(np.sqrt(0.5))


@pytest.mark.parametrize(
    ("frame", "by", "words"),
    [
        ([[1, 2]], "who", "frame is a list"),
        (pd.DataFrame({"x": [1.0, 2.0]}), "who", "by names 'who', which is no column"),
        (pd.DataFrame({"who": [1, 2], "x": [1.0, 2.0]}), "who", "nothing in the frame"),
        (pd.DataFrame({"who": [1, 1], "x": ["a", "b"]}), "who", "nothing in the frame"),
    ],
)
def test_bad_input(frame, by, words):
    with pytest.raises(InputError, match=words):
        error_from_repeats(frame, by=by)


def test_a_confidence_out_of_range():
    with pytest.raises(InputError, match="confidence"):
        error_from_repeats(repeated(0, False), by="patient", confidence=2.0)


def test_columns_of_something_else_than_numbers_are_left_out():
    """Dates had an error in nanoseconds, flags one of a half."""
    frame = repeated(0, False)
    frame["day"] = pd.Timestamp("2026-01-01")
    frame["flag"] = np.arange(len(frame)) % 2 == 0
    frame["grade"] = pd.Categorical(np.arange(len(frame)) % 3)
    assert error_from_repeats(frame, by="patient").index.tolist() == ["glucose"]
    with pytest.raises(InputError, match="two columns 'flag'"):
        error_from_repeats(frame.rename(columns={"grade": "flag"}), by="patient")
    with pytest.raises(InputError, match="no column"):
        error_from_repeats(frame, by=("patient", "visit"))
