"""Sums of weights that cannot be counted with any more are refused, and `Columns` is checked."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from quick import LEARNERS
from sklearn.ensemble import BaggingClassifier
from sklearn.tree import DecisionTreeClassifier

import hedgerow
from hedgerow import C45Classifier, ConfDTreeClassifier
from hedgerow.errors import InputError
from hedgerow.induction import Columns, grow, prune
from hedgerow.tree import NoiseGate

RNG = np.random.default_rng(0)
X = RNG.normal(size=(120, 4))
Y = (X[:, 0] + X[:, 1] * X[:, 2] + RNG.normal(size=120) > 0).astype(int)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("each", [1e14, 1e100, 1e308])
def test_weights_that_cannot_be_added_up(name, each):
    """At 1e308 each all learners gave NaN; at 1e15 pruning took nearly every test away."""
    model = getattr(hedgerow, name)(**LEARNERS[name])
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        with pytest.raises(InputError, match=r"weights add up to .*give weights='relative'"):
            model.fit(X, Y, sample_weight=np.full(120, each))


@pytest.mark.parametrize("each", [1e100, 1e308])
def test_relative_weights_have_no_such_bound(each):
    plain = C45Classifier().fit(X, Y).tree_
    assert C45Classifier(weights="relative").fit(X, Y, np.full(120, each)).tree_ == plain


def test_the_tree_is_the_same_up_to_the_bound():
    """22 leaves at 1e14 of each row and one at 1e15: from 2^56 on quantiles are no numbers."""
    found = {
        C45Classifier().fit(X, Y, np.full(120, each)).get_n_leaves()
        for each in (2.0**20, 2.0**30, 2.0**40, 2.0**46)
    }
    assert len(found) == 1


def test_no_row_is_lost_beside_a_heavy_one():
    """A row whose share was less than the least number vanished, and with it its class."""
    weight = np.ones(120)
    weight[0], weight[1:] = 1e308, 1e-10
    model = C45Classifier(weights="relative").fit(X, Y, weight)
    assert (model.tree_.class_weight[0] > 0).all()


def test_weights_of_classes_count_as_well():
    with pytest.raises(InputError, match="sample weights add up to"):
        C45Classifier(class_weight={0: 1e15, 1: 1.0}).fit(X, Y)
    with pytest.raises(InputError, match="sample_weight times class_weight is 0 or not finite"):
        C45Classifier(class_weight={0: 1e200, 1: 1.0}, weights="relative").fit(
            X, Y, np.full(120, 1e200)
        )


def test_statistics_and_forests_of_others():
    tree = C45Classifier().fit(X, Y).tree_
    with pytest.raises(InputError, match="sample weights add up to"):
        tree.annotate(X, Y, np.full(120, 1e308))
    forest = BaggingClassifier(DecisionTreeClassifier(max_depth=2), 2, random_state=0)
    with pytest.raises(InputError, match="sample weights add up to"):
        ConfDTreeClassifier(forest.fit(X, Y).estimators_[0]).fit(X, Y, np.full(120, 1e20))


# -- Columns -------------------------------------------------------------------------------

CODES = np.column_stack([X[:, 0], np.arange(120) % 4])


def far(row, column, value):
    table = CODES.copy()
    table[row, column] = value
    return table


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ((X, Y - 100_000, 2), "y holds numbers from -100000"),
        ((X, Y + 2**32, 2), "y holds numbers from 4294967296"),
        ((X, Y[:5], 2), r"y is int64 of shape \(5,\), and 120 whole numbers"),
        ((X, Y + 0.5, 2), "y is float64"),
        ((X, Y, 0), "n_classes is 0"),
        ((X, Y, 2, np.ones(4)), "sample_weight is no list of 120 finite weights"),
        ((X, Y, 2, np.full(120, np.nan)), "sample_weight is no list"),
        ((X, Y, 2, -np.ones(120)), "sample_weight is no list"),
        ((X, Y, 2, np.full(120, 1e308)), "sample weights add up to inf"),
        ((CODES, Y, 2, None, [0]), r"n_categories is int64 of shape \(1,\), and 2"),
        ((CODES, Y, 2, None, [0, -4]), "n_categories holds numbers from -4"),
        ((CODES, Y, 2, None, [0, 2**30]), "n_categories holds numbers from 0 to 1073741824"),
        ((far(3, 1, 4), Y, 2, None, [0, 4]), "column 1 of X holds other codes than 0 to 3"),
        ((far(3, 1, -1), Y, 2, None, [0, 4]), "column 1 of X holds other codes"),
        ((X, Y, 2, None, [0, 4, 0, 0]), "column 1 of X holds other codes"),
        ((far(3, 0, np.inf), Y, 2), "column 0 of X holds an infinite value"),
        ((X[:, 0], Y, 2), r"X has shape \(120,\)"),
        ((X[:0], Y[:0], 2), r"X has shape \(0, 4\)"),
    ],
)
def test_columns_that_do_not_fit(given, said):
    """Wrong codes and lengths ended the interpreter: the core read past what it was given."""
    with pytest.raises(InputError, match=said):
        Columns(*given)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"min_samples_split": np.nan}, "min_samples_split is nan"),
        ({"min_samples_leaf": -5}, "min_samples_leaf is -5"),
        ({"max_depth": 2**70}, "max_depth is"),
        ({"step": 0}, "step is 0"),
        ({"candidates": "all"}, "candidates is 'all'"),
        ({"search": NoiseGate(np.full(4, 0.1), window=-5.0)}, "the window of search is -5.0"),
        ({"pdf": NoiseGate(np.full(4, 0.1), 1e300, {}, True)}, "the window of pdf is 1e\\+300"),
        ({"n_points": 0}, "n_points is 0"),
    ],
)
def test_growth_out_of_range(settings, said):
    with pytest.raises(InputError, match=said):
        grow(Columns(X, Y, 2), **settings)
    with pytest.raises(InputError, match="columns is of type ndarray"):
        grow(X)
    with pytest.raises(InputError, match="confidence is nan"):
        prune(grow(Columns(X, Y, 2)), Columns(X, Y, 2), confidence=np.nan)


def test_columns_have_memory_of_their_own():
    """They shared that of the caller: codes that he changed afterwards ended the interpreter."""
    table, y, kinds = np.asfortranarray(CODES), Y.astype(np.int32), np.array([0, 4], np.int32)
    columns = Columns(table, y, 2, None, kinds)
    before = grow(columns)
    table[:], y[:], kinds[:] = 1e6, 1000, 9
    assert grow(columns) == before
    own = (columns.X, columns.y, columns.n_categories, columns.n_known, columns.order)
    assert not any(array.flags.writeable for array in (*own, columns.sample_weight))


@pytest.mark.parametrize("counts", [np.ones(3), np.ones(500), -np.ones(120), np.full(120, 1e308)])
def test_counts_that_do_not_fit(counts):
    with pytest.raises(InputError, match="sample"):
        Columns(X, Y, 2).resampled(counts)
