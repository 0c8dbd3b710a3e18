"""A tree for uncertain data: measurement error, missing values and uncertain labels at once."""

from __future__ import annotations

import numpy as np

from hedgerow.checks import check_choice
from hedgerow.evidential._mixture import estimate, spread
from hedgerow.induction.base import FROM_DTYPE
from hedgerow.missing.eig import EIGClassifier
from hedgerow.tree.gates import NoiseGate
from hedgerow.uncertainty.soft import PARTS

LEAVES = ("plausibility", "fractions")
MAX_GAP = 1e-9  # by which the log-likelihood of a leaf may fall short of the largest
MOST_ITERATIONS = 100_000


class UncertainDataTreeClassifier(EIGClassifier):
    """A tree for uncertain data: all that `hedgerow.Uncertain` gives with a table.

    Errors of measurement divide rows at the gates, as in `SoftTreeClassifier`; tests weigh what is
    known and what is guessed, as in `EIGClassifier`; a row whose class is doubtful counts in each
    class with its share, and leaves are estimated from the plausibilities, as those of E2M. With
    one doubt alone it is the tree of that method, without any that of `C45Classifier`.

    Parameters
    ----------
    error : optional, default None
        Errors of measurement for search, propagation and evaluation, in any form of
        `hedgerow.resolve_error`. Where values are missing, tests are searched at observed values:
        guesses are compared at those.
    leaves : {"plausibility", "fractions"}, default "plausibility"
        What a leaf predicts where classes are uncertain: the class distribution that makes the
        plausibilities of its rows most likely, or the mean of their shares.
    imputer, n_neighbors, n_imputations, reliability, missing_at_prediction
        As in `EIGClassifier`.
    confidence, prune, subtree_raising, laplace, repetition_factor, min_samples_split, \
min_samples_leaf, max_depth, candidates, categorical_features, smoothing, weights, class_weight, \
n_jobs
        As in `C45Classifier`.
    random_state : int, RandomState instance or None, default None
        As in `EIGClassifier`.

    Attributes
    ----------
    tree_ : hedgerow.Tree
        Carries the errors as its gate; class weights of a leaf are what its rows weigh, times its
        class distribution, and those of other nodes are their sums.
    classes_ : (n_classes,) array
    reliabilities_ : (m,) float64
    imputer_ : transformer or None
        As in `EIGClassifier`.

    Raises
    ------
    InputError
        As `SoftTreeClassifier` and `EIGClassifier`.

    Notes
    -----
    Plausibilities of a row are scaled to add up to 1: its shares of the classes. Growth and pruning
    count shares; the leaves of the finished tree are then estimated from the plausibilities, where
    its tests and gates put the rows. That is the maximum of the evidential likelihood of a leaf,
    which E2M has where every value is known.

    References
    ----------
    Thesis, chapter 3; Schreckenberger, Bartelt and Stuckenschmidt (2020), definition 3;
    Sutton-Charani, Destercke and Denoeux (2014), section 2; docs/methods/doubt.md.

    Examples
    --------
    Wines with an instrument that is good to 5 %, a tenth of the values missing, and two of three
    classes plausible for every third wine:

    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from hedgerow import UncertainDataTreeClassifier, Uncertain
    >>> X, y = load_wine(return_X_y=True)
    >>> X[np.random.default_rng(0).random(X.shape) < 0.1] = np.nan
    >>> votes = np.eye(3)[y]
    >>> votes[::3, 1] = 1.0
    >>> data = Uncertain(X, error="5 %", y_plausibility=votes)
    >>> model = UncertainDataTreeClassifier().fit(data[::2], y[::2])
    >>> round(model.score(data[1::2], y[1::2]), 2)
    0.81
    """

    _parts = PARTS
    # No part has noise of its own.
    propagation, evaluation, error_unit = None, None, "mean"

    def __init__(
        self,
        error=None,
        leaves="plausibility",
        imputer="knn",
        n_neighbors=5,
        n_imputations=1,
        reliability="global",
        missing_at_prediction="propagate",
        confidence=0.25,
        prune=True,
        subtree_raising=True,
        laplace=True,
        repetition_factor=1.0,
        min_samples_split=4,
        min_samples_leaf=1,
        max_depth=None,
        candidates="values",
        categorical_features=FROM_DTYPE,
        smoothing=False,
        weights="auto",
        class_weight=None,
        random_state=None,
        n_jobs=None,
    ):
        self._set_shared(locals())
        self.imputer = imputer
        self.n_neighbors = n_neighbors
        self.n_imputations = n_imputations
        self.missing_at_prediction = missing_at_prediction
        self.error = error
        self.leaves = leaves

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_choice("leaves", self.leaves, LEAVES)

    def _noise(self, name: str, columns):
        if name == "search" and columns.has_missing:
            return None  # guesses are compared at observed values, which a grid does not propose
        return super()._noise(name, columns)

    def _weighed(self, tree, columns):
        if self._fractions is None or self.leaves == "fractions":
            return tree
        gate = None if self._error is None else self._training_gate(once=True)
        return plausible_leaves(tree, columns, self._fractions, gate)


def plausible_leaves(tree, columns, fractions, gate: NoiseGate | None):
    """A tree whose leaves have the class distributions that make their rows most likely.

    Of a leaf with rows i of weight w_i there, the maximum of sum_i w_i log(sum_k pl_ik alpha_k), by
    the steps alpha_k <- sum_i w_i pl_ik alpha_k / sum_l pl_il alpha_l / sum_i w_i.
    """
    plausible = np.zeros((len(fractions.weight), columns.n_classes))
    plausible[fractions.rows, columns.y] = fractions.share
    # Rows of the same plausibilities count together.
    patterns, same = np.unique(plausible, axis=0, return_inverse=True)
    same = same.reshape(-1)  # numpy 2.0 has an axis more
    is_uncertain = (patterns > 0).sum(axis=1) > 1
    class_weight = np.array(tree.class_weight)
    # All parts of a row, also those below a thousandth, which growth leaves to the other side.
    shares = tree.shares(columns.X[fractions.first], gate).tocsc()
    for leaf in np.flatnonzero(tree.feature < 0):
        part = slice(shares.indptr[leaf], shares.indptr[leaf + 1])
        rows = shares.indices[part]
        weight = np.bincount(same[rows], fractions.weight[rows] * shares.data[part], len(patterns))
        present = weight > 0
        if not (present & is_uncertain).any():
            continue
        counts = spread((weight @ patterns)[None])
        ones, classes = np.ones((1, present.sum())), np.ascontiguousarray(patterns[present].T)
        estimate(ones, classes, counts, np.inf, MOST_ITERATIONS, MAX_GAP, weight[present])
        class_weight[leaf] = counts[0] * fractions.by_class
    for node in range(tree.n_nodes - 1, -1, -1):  # children have higher numbers
        if tree.feature[node] >= 0:
            sides = tree.children_left[node], tree.children_right[node]
            class_weight[node] = class_weight[list(sides)].sum(axis=0)
    return tree._with(class_weight=class_weight)
