"""Trees as the authors of EIG coded them, where that differs from what they describe.

Found on reading their public code: thresholds lie half-way between values, trees are at most 20
tests deep, the share by which instances without a value are divided counts them on both sides,
"perfect" imputation leaves the missing values missing, and C4.5's gain is
r^2 (H(all) - H(known | test)). In prediction an instance without a value counts in every leaf that
it can reach as much as the leaf weighs.

Two things are repaired, without which their code cannot be run, or not for what it says: names that
numpy and numba no longer have, and the expected gain where no instance of a node lacks the value,
which is 0/0 there and 0 here. Their maximum over gains is then a NaN, and the first one is taken: a
test that nobody chose, at pure nodes too. `undefined` leaves that as it is, by numpy's arithmetic;
compiled by numba it is an error that a parallel loop does not tell (docs/notes/missing.md).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hedgerow_study.experiments.missing.plan import CODED_DEPTH

if TYPE_CHECKING:
    from hedgerow.tree import Tree


def coded_tree(
    X: np.ndarray,
    y: np.ndarray,
    n_classes: int,
    imputed: np.ndarray | None,
    least: float,
    undefined: bool = False,
) -> Tree:
    """Grow a tree by the authors' C4.5, or by their EIG.

    undefined: EIG takes the first test whose gain is 0/0.
    """
    from hedgerow.induction._columns import Columns
    from hedgerow.induction.core import grow

    return grow(
        Columns(X, y, n_classes, keep_after_fit=False),
        criterion="coded_gain" if imputed is None else "expected_gain",
        reliability="global",
        imputed=None if imputed is None else imputed[None],
        missing_to_both=True,
        undefined_first=undefined and imputed is not None,
        candidates="midpoints",
        min_samples_split=least,
        max_depth=CODED_DEPTH,
    )


def gain_tree(X: np.ndarray, y: np.ndarray, n_classes: int, plan) -> Tree:
    """C4.5 as described but for its gain, which is the authors'."""
    from hedgerow.induction._columns import Columns
    from hedgerow.induction.core import grow

    return grow(
        Columns(X, y, n_classes, keep_after_fit=False),
        criterion="coded_gain",
        reliability="global",
        candidates=plan.candidates,
        min_samples_split=plan.min_samples_split,
    )


def coded_classes(tree: Tree, X: np.ndarray) -> np.ndarray:
    """Class codes, (n,): by the class weights of all leaves that an instance can reach together."""
    leaves = np.flatnonzero(tree.feature < 0)
    reached = (tree.shares(X, evaluation=None)[:, leaves] > 0).astype(float)
    return (reached @ tree.class_weight[leaves]).argmax(axis=1)
