"""A plugin of pytest: scikit-learn's tests get our tree where they ask for a decision tree.

    python -m pytest -p as_scikit_learn --pyargs sklearn.ensemble.tests.test_bagging

`Adapted` has the parameters of `sklearn.tree.DecisionTreeClassifier` and grows a C4.5 tree without
pruning. What scikit-learn itself uses inside, as bagging does by default, stays its own.
"""

from __future__ import annotations

import json
import math
import os
from pathlib import Path

import sklearn.ensemble
import sklearn.inspection
import sklearn.model_selection
import sklearn.tree
from sklearn.utils.validation import _check_sample_weight

from hedgerow import C45Classifier

CRITERIA = {"gini": "gini", "entropy": "information_gain", "log_loss": "information_gain"}


class Adapted(C45Classifier):
    """C4.5 by the parameters of scikit-learn's decision tree; shares become numbers of rows."""

    def __init__(
        self,
        *,
        criterion="gini",
        splitter="best",
        max_depth=None,
        min_samples_split=2,
        min_samples_leaf=1,
        min_weight_fraction_leaf=0.0,
        max_features=None,
        random_state=None,
        max_leaf_nodes=None,
        min_impurity_decrease=0.0,
        class_weight=None,
        ccp_alpha=0.0,
        monotonic_cst=None,
    ):
        for name, value in locals().copy().items():
            if name not in ("self", "__class__"):
                setattr(self, name, value)

    # Parameters of C4.5 that scikit-learn has no name for: none of an instance's own.
    prune, candidates, laplace, confidence = False, "midpoints", True, 0.25
    repetition_factor, subtree_raising, categorical_features = 1.0, True, "from_dtype"
    smoothing, reliability, weights, n_jobs = False, "node", "relative", None

    def fit(self, X, y, sample_weight=None, check_input=True):
        asked = dict(self.__dict__)
        n = len(X) if hasattr(X, "__len__") else X.shape[0]
        try:
            self.criterion = CRITERIA[self.criterion]
            for name in ("min_samples_split", "min_samples_leaf"):
                least = asked[name]
                setattr(self, name, math.ceil(least * n) if isinstance(least, float) else least)
            if sample_weight is not None:
                sample_weight = _check_sample_weight(sample_weight, X)
            return super().fit(X, y, sample_weight)
        finally:
            for name in ("criterion", "min_samples_split", "min_samples_leaf"):
                self.__dict__[name] = asked[name]


sklearn.tree.DecisionTreeClassifier = Adapted

#: Number of tests that passed, and names of those of which any variant failed.
outcomes = {"passed": 0, "failed": []}


def pytest_runtest_logreport(report):
    """Note what became of a test."""
    if report.failed:
        outcomes["failed"].append(report.nodeid.partition("::")[2].partition("[")[0])
    elif report.when == "call" and report.passed:
        outcomes["passed"] += 1


def pytest_sessionfinish():
    """Write it where the calling test reads it."""
    if "OUTCOMES" in os.environ:
        Path(os.environ["OUTCOMES"]).write_text(json.dumps(outcomes), encoding="utf-8")
