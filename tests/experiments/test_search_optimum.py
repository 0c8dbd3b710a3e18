"""Optimal trees against all trees one by one, and against a library where it is installed."""

import sys

import numpy as np
import pandas as pd
import pytest
from oracle.optimal_trees import all_predictions
from sklearn.metrics import f1_score

import hedgerow
from hedgerow.data import TidyTable
from hedgerow.errors import DataError, InputError, LibraryError
from hedgerow.optional import version_of
from hedgerow.search.optimal import (
    ErrorFronts,
    binary_table,
    check_accuracy,
    most_accurate,
    n_leaves,
    predict,
)


def drawn(seed, n_classes=2, n=18, p=3):
    """Rows with ties and duplicates; every class is there."""
    generator = np.random.default_rng(seed)
    B = generator.integers(0, 2, (n, p)).astype(float)
    y = np.r_[np.arange(n_classes), generator.integers(0, n_classes, n - n_classes)]
    return B, y


def depth_of(tree):
    return 1 + max(depth_of(tree[1]), depth_of(tree[2])) if isinstance(tree, tuple) else 0


def macro_f1(y, predicted):
    return f1_score(y, predicted, average="macro", labels=[0, 1], zero_division=0)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("n_classes", [2, 3])
def test_fewest_errors_of_all_trees(seed, n_classes):
    B, y = drawn(seed, n_classes, n=14)
    everything = all_predictions(B, lambda rows: range(n_classes), 2)
    fewest = min(np.sum(predicted != y) for predicted in everything)
    tree = most_accurate(B, y, 2)
    assert np.sum(predict(tree, B) != y) == fewest
    assert depth_of(tree) <= 2


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_best_f1_of_all_trees(seed, depth):
    B, y = drawn(seed)
    best = max(macro_f1(y, p) for p in all_predictions(B, lambda rows: (0, 1), depth))
    f1, tree = ErrorFronts(B, y).best(depth)
    assert f1 == pytest.approx(best) == pytest.approx(macro_f1(y, predict(tree, B)))
    assert depth_of(tree) <= depth


@pytest.mark.parametrize("depth", [1, 2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_best_f1_of_trees_that_other_rows_label(seed, depth):
    """As UCT-DT: leaves bear the majority of one set, F1 is that of another."""
    B, y = drawn(seed, n=24)
    given = np.arange(24) < 14

    def majority(rows):
        labels = y[rows & given]
        return [int(2 * labels.sum() > len(labels))] if len(labels) else []

    everything = all_predictions(B, majority, depth)
    best = max(macro_f1(y[~given], p[~given]) for p in everything)
    f1, tree = ErrorFronts(B[~given], y[~given], (B[given], y[given])).best(depth)
    assert f1 == pytest.approx(best)
    assert macro_f1(y[~given], predict(tree, B[~given])) == pytest.approx(best)


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_two_searches_agree_on_errors(depth):
    for seed in range(5):
        B, y = drawn(seed, n=60, p=6)
        fronts = ErrorFronts(B, y)
        front = fronts._front([np.ones(n, dtype=bool) for n in fronts.totals], depth)
        assert front.sum(axis=1).min() == np.sum(predict(most_accurate(B, y, depth), B) != y)
        # Rising errors of class 0, falling errors of class 1: nothing beats another.
        assert (np.diff(front[:, 0]) > 0).all() and (np.diff(front[:, 1]) < 0).all()


def test_a_deeper_tree_is_no_worse_and_no_larger_than_it_must_be():
    B, y = drawn(3, n_classes=3, n=80, p=5)
    errors = [np.sum(predict(most_accurate(B, y, d), B) != y) for d in range(5)]
    assert errors == sorted(errors, reverse=True)
    assert most_accurate(B, np.zeros(80, dtype=int), 3) == 0
    xor = (B[:, 0] != B[:, 1]).astype(int)
    tree = most_accurate(B, xor, 4)
    assert depth_of(tree) == 2 and n_leaves(tree) == 4 and (predict(tree, B) == xor).all()
    assert ErrorFronts(B, xor).best(3)[0] == 1.0


def test_a_library_finds_the_same_accuracy():
    pytest.importorskip("pystreed", reason="pystreed, which checks optimal trees, is not installed")
    assert version_of("pystreed").startswith("pystreed ")
    for seed in range(20):
        B, y = drawn(seed, n_classes=2 + seed % 3, n=40, p=5)
        for depth in (1, 2, 3, 4):
            check_accuracy(B, y, depth, most_accurate(B, y, depth))
    with pytest.raises(DataError, match="has 40 errors"):
        check_accuracy(np.zeros((40, 2)), np.ones(40, dtype=int), 1, 0)


def test_without_the_library_there_is_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "pystreed", None)
    with pytest.raises(LibraryError) as error:
        check_accuracy(np.zeros((4, 1)), np.zeros(4, dtype=int), 1, 0)
    assert str(error.value).count("pystreed") == 1 and "'.[optimal]'" in str(error.value)
    assert version_of("no-such-library") == "absent"


@pytest.mark.parametrize("y", [drawn(0, n_classes=3)[1], 2 * drawn(0)[1]])
def test_other_classes_have_no_best_f1(y):
    """Classes 0 and 2 were taken, and rows of the second counted nowhere."""
    B, _ = drawn(0)
    with pytest.raises(InputError, match="classes 0 and 1 only, and y holds 2; code the two"):
        ErrorFronts(B, y)
    with pytest.raises(InputError, match="classes 0 and 1 only"):
        ErrorFronts(B, np.zeros(len(B)), (B, y))


B, Y = drawn(0)


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ((B[:, 0], Y), r"B has shape \(18,\)"),
        ((B[:, :0], Y), r"B has shape \(18, 0\)"),
        ((B + 0.5, Y), "B holds 1.5 in row 0, column 0"),
        ((np.where(B == 1, np.nan, B), Y), "B holds nan in row"),
        ((B, Y[:-1]), r"y has shape \(17,\) for 18 rows of B"),
        ((B, Y - 1), "y holds -1 in row 0"),
        ((B, Y + 0.5), "y holds 0.5 in row 0"),
        ((B, np.full(18, "a")), "y holds something that is no real number"),
        ((B, np.ma.array(Y, mask=Y == 1)), "y is masked in row 1"),
    ],
)
def test_tables_without_an_optimum_are_refused(given, sentence):
    """As names of the package's top they are called with what people have."""
    for ask in (lambda: most_accurate(*given, 2), lambda: ErrorFronts(*given)):
        with pytest.raises(InputError, match=sentence):
            ask()


@pytest.mark.parametrize("depth", [-1, 1.5, None, True])
def test_depths_that_no_tree_has(depth):
    """A depth of -1 gave a tree of one test."""
    for ask in (lambda: most_accurate(B, Y, depth), lambda: ErrorFronts(B, Y).best(depth)):
        with pytest.raises(InputError, match="depth is"):
            ask()


def test_both_tables_have_the_same_columns():
    with pytest.raises(InputError, match="B has 3 columns and the table of `given` 2"):
        ErrorFronts(B, Y, (B[:, :2], Y))


def test_lists_and_truth_values_are_tables_too():
    tree = most_accurate(B, Y, 2)
    assert hedgerow.most_accurate((B == 1).tolist(), Y.astype(float), 2) == tree
    assert hedgerow.ErrorFronts(B.tolist(), Y.tolist()).best(2) == ErrorFronts(B, Y).best(2)


# -------------------------------------------------------------------------------- binary table


def small(**columns):
    X = pd.DataFrame(columns)
    return TidyTable("small", X, np.arange(len(X)) % 2, ["0", "1"], "class")


def test_columns_of_a_binary_table():
    colours = pd.Categorical(list("rgbrgbrr"), categories=list("rgb"))
    table = small(
        x=[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0],
        colour=colours,
        answer=pd.Categorical(list("ynynynyn"), categories=["n", "y"]),
        same=[3.0] * 8,
    )
    B, names = binary_table(table, 3)
    assert names["variable"].tolist() == ["x"] * 3 + ["colour"] * 3 + ["answer"]
    assert names["threshold"].tolist()[:3] == [3.0, 5.0, 7.0]
    assert names["category"].tolist() == ["", "", "", "r", "g", "b", "n"]
    np.testing.assert_array_equal(B[:, 1], table.X["x"] >= 5)
    np.testing.assert_array_equal(B[:, 4], colours == "g")
    assert set(np.unique(B)) == {0, 1}


def test_a_column_stands_once():
    """Equal columns, and opposite ones, would only slow the search down."""
    x = np.arange(8.0)
    B, names = binary_table(small(x=x, again=x, reverse=-x + 0.5), 1)
    assert names["variable"].tolist() == ["x"] and B.shape == (8, 1)


def test_missing_values_have_no_place():
    with pytest.raises(DataError, match=r"small: values are missing; .*optimum_datasets"):
        binary_table(small(x=[1.0, np.nan, 2.0]), 1)
