"""Splits against those of rpart, where R has it: the same parts of the rows, but for ties."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from hedgerow import C45Classifier

HERE = Path(__file__).parent
pytestmark = [
    pytest.mark.long,
    pytest.mark.skipif(shutil.which("Rscript") is None, reason="R with rpart is not installed"),
]
#: Our criteria, and what rpart calls them.
CRITERIA = {"gini": "gini", "information_gain": "information"}


def rpart(X, y, criterion, depth, bucket, folder):
    """Number of the leaf of each row: 1 is the root, 2k and 2k + 1 are below k."""
    table, out = folder / "table.csv", folder / "out.csv"
    pd.DataFrame(X).add_prefix("x").assign(y=y).to_csv(table, index=False, float_format="%.17g")
    arguments = [table, out, CRITERIA[criterion], str(depth), str(bucket)]
    subprocess.run(["Rscript", HERE / "rpart.R", *arguments], check=True)
    return pd.read_csv(out)["node"].to_numpy()


def impurity(y, criterion):
    """Of the classes of some rows, times their number."""
    share = np.unique(y, return_counts=True)[1] / len(y)
    return len(y) * (1 - np.sum(share**2) if criterion == "gini" else -share @ np.log(share))


def splits(paths):
    """By set of rows: the set that goes to its first child; None where it is a leaf."""
    found, pending = {}, [(np.arange(len(paths)), 0)]
    while pending:
        rows, depth = pending.pop()
        sides = {}
        for row in rows:
            if len(paths[row]) > depth:
                sides.setdefault(paths[row][depth], []).append(row)
        found[frozenset(rows)] = {frozenset(side) for side in sides.values()}
        pending += [(np.array(side), depth + 1) for side in sides.values()]
    return found


def tables():
    """Public tables, and random ones with few distinct values."""
    for load in (load_iris, load_wine, load_breast_cancer):
        yield load(return_X_y=True)
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n_rows, n_columns, n_classes = rng.integers([20, 1, 2], [200, 6, 5])
        X = rng.normal(size=(n_rows, n_columns)).round(seed % 3)
        yield X, rng.integers(0, n_classes, n_rows)


@pytest.mark.parametrize("criterion", CRITERIA)
@pytest.mark.parametrize("bucket", [1, 5])
def test_the_same_splits_but_for_ties(criterion, bucket, tmp_path):
    n_splits = 0
    for X, y in tables():
        theirs = rpart(X, y, criterion, 6, bucket, tmp_path)
        # The path of node 5 = 0b101 is right of the root's left: the digits behind the first.
        theirs = splits([f"{node:b}"[1:] for node in theirs])
        model = C45Classifier(
            criterion=criterion, prune=False, min_samples_split=2, min_samples_leaf=bucket,
            max_depth=6,
        ).fit(X, y)  # fmt: skip
        path = model.decision_path(X)
        ours = splits([nodes[1:] for nodes in np.split(path.indices, path.indptr[1:-1])])
        for rows in ours.keys() & theirs.keys():
            gains = []
            for sides in (ours[rows], theirs[rows]):
                parts = [np.sort(list(side)) for side in sides] or [np.sort(list(rows))]
                gains.append(sum(impurity(y[part], criterion) for part in parts))
            assert ours[rows] == theirs[rows] or abs(gains[0] - gains[1]) < 1e-9 * len(y)
            n_splits += bool(ours[rows])
    assert n_splits > 250
