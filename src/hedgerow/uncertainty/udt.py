"""Uncertain decision trees: every value is a distribution (UDT, Tsang et al. 2011)."""

from __future__ import annotations

from hedgerow.checks import check_number
from hedgerow.errors import InputError
from hedgerow.induction.base import FROM_DTYPE
from hedgerow.induction.c45 import C45Classifier
from hedgerow.induction.core import MOST_POINTS, check_size
from hedgerow.induction.measurement import by_column, resolve_error
from hedgerow.tree.gates import spread_of

CUT = 4.0  # width of a pdf, in standard deviations


class UncertainTreeClassifier(C45Classifier):
    """C4.5 on values that are distributions (UDT), the peer of the soft trees of the thesis.

    Each value of a numeric variable is a normal pdf about the measurement, with a standard
    deviation of w / 4 of the variable's training range and cut at w / 2 of it on either side.
    Sample points of all pdfs are the candidate thresholds; a test divides an instance by the
    mass of its pdf on either side, given where the tests above put it, in training and at
    prediction alike.

    Parameters
    ----------
    width : float, (m,) array, dict or Series, default 0.1
        Width w of the pdf as a share of the variable's range, at least 1e-12; 0: exact values, that
        is C4.5. A dict or Series is by column name (or number); columns that it does not name are
        exact.
    error : optional, default None
        In the place of `width`: standard deviations of the pdfs in the unit of each variable, one
        for all, by column or one for each; the other forms of `hedgerow.resolve_error` are for
        prediction. Pdfs are cut at two standard deviations on either side.
    n_points : int from 2 to 1,000,000, default 100
        Equally spaced points of each pdf, both ends included, that are candidates.
    confidence, prune, subtree_raising, laplace, repetition_factor, min_samples_split, \
min_samples_leaf, max_depth, candidates, categorical_features, smoothing, reliability, weights, \
class_weight, random_state, n_jobs
        As in `C45Classifier`; `candidates` concerns variables of width 0 only.

    Attributes
    ----------
    tree_ : hedgerow.Tree
        Carries the pdfs as its gate.

    Raises
    ------
    InputError
        A width out of range or for a column that X has not, fewer than two or too many sample
        points, and whatever `C45Classifier` raises.

    Notes
    -----
    The gain is that of the exact mass on either side, not of the sample points. Bounds spare
    nearly all candidates; the choice is that of evaluating every one. A part of an instance that
    weighs less than a thousandth of it is dropped in training, the other side takes it.

    References
    ----------
    Tsang, Kao, Yip, Ho and Lee (2011), Decision trees for uncertain data, IEEE Transactions on
    Knowledge and Data Engineering 23(1); thesis, sections 3.1.1 and 3.3.2.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hedgerow import UncertainTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> uncertain = UncertainTreeClassifier(width=0.2, max_depth=2).fit(X, y)
    >>> uncertain.predict_proba([[5.0, 3.3, 2.2, 0.9]]).round(2).tolist()
    [[0.85, 0.13, 0.02]]
    """

    _understands = C45Classifier._understands | {"error"}

    def __init__(
        self,
        width=0.1,
        n_points=100,
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
        reliability="node",
        weights="auto",
        class_weight=None,
        random_state=None,
        error=None,
        n_jobs=None,
    ):
        self._set_shared(locals())
        self.width = width
        self.n_points = n_points
        self.error = error

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("n_points", self.n_points, 2, MOST_POINTS, whole=True)

    def _soft_settings(self, columns) -> dict:
        pdf = self._pdf(columns)
        return {
            "grow": {"pdf": pdf, "n_points": self.n_points},
            "prune": {"propagation": pdf},
        }

    def _evaluation_gate(self, tree, columns):
        return self._pdf(columns)

    def _error_gate(self, error, n_rows=None, kept=None):
        names = getattr(self, "feature_names_in_", ())
        given = {"n_rows": n_rows, "kept": kept, "window": CUT}
        return resolve_error(error, self._n_categories, names, **given)

    def _pdf(self, columns):
        if self._error is not None:
            gate = self._training_gate()
            if gate is not None and gate.models:
                raise InputError(
                    f"error is {self._error!r}, of which pdfs are not normal, or differ by row",
                    remedy="give a standard deviation for each variable, or grow a "
                    "SoftTreeClassifier",
                )
            check_size(columns, gate)
            return gate
        names = getattr(self, "feature_names_in_", ())
        width = by_column(self.width, columns.n_variables, names, "width", absent=0.0)
        return spread_of(width, columns.ranges)
