"""The base learner of the thesis: C4.5 with binary tests and information gain."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hedgerow.checks import LARGEST, check_choice, check_flag, check_jobs, check_number
from hedgerow.errors import InputError
from hedgerow.induction.base import FROM_DTYPE, TreeClassifierMixin
from hedgerow.induction.core import grow, prune
from hedgerow.induction.rules import J48, THESIS, GrowthRules

CRITERIA = ("information_gain", "gini", "gain_ratio")
#: Names that scikit-learn has for criteria.
SCIKIT_LEARN = {"entropy": "information_gain", "log_loss": "information_gain"}


class C45Classifier(TreeClassifierMixin):
    """C4.5 as in thesis 2.2: binary tests, information gain, error-based pruning.

    Numeric variables are tested by ``x >= threshold`` (right), pandas categoricals by two-subset
    tests. Missing values (NaN) lower a variable's gain by their share and send an instance down
    both sides, in proportion to the known training weight.

    Parameters
    ----------
    confidence : float in [0, 1], default 0.25
        Two-sided confidence factor c of pruning: error rates are upper Clopper-Pearson limits
        at tail c / 2. Smaller prunes harder; J48's ``-C 0.25`` is c = 0.5.
    prune : bool, default True
    subtree_raising : bool, default True
        When pruning, try each sub-branch in the place of its parent.
    laplace : bool, default True
        When pruning, replace E errors of N by N (E + 1) / (N + C).
    repetition_factor : float, default 1.0
        Multiplies the gain of a variable that an ancestor already tests; at most 1e12.
    min_samples_split : float, default 4
        Least weight of a node that is split.
    min_samples_leaf : float, default 1
        Least weight of each side of a test, the share of missing values included.
    max_depth : int, optional
        Largest number of tests on a path; None: no limit.
    candidates : {"values", "midpoints"}, default "values"
        Thresholds tried: the observed values (thesis 3.2.1), or half-way between them.
    categorical_features : "from_dtype", None, or sequence, default "from_dtype"
        Names, numbers or flags of categorical variables coded 0, 1, ...; "from_dtype" takes the
        pandas categoricals of a data frame.
    smoothing : bool, default False
        Laplace-smoothed leaves in `predict_proba`.
    reliability : {"node", "global"}, default "node"
        What the gain of a variable is multiplied by: the known share of the weight at the node
        (thesis 2.2), or of that of the whole training set (as the baseline of EIG).
    weights : {"auto", "counts", "relative"}, default "auto"
        How `sample_weight` is meant. "counts": numbers of instances, which minima and pruning
        take as they are. "relative": how much each row matters beside the others, as in
        boosting; scaled to the number of rows of weight above 0, before anything else. "auto":
        relative where their sum says so, because it is 1, or less than `min_samples_split` while
        the rows are as many; else counts.
    criterion : {"information_gain", "gini", "gain_ratio"}, default "information_gain"
        What makes one test better than another: the loss of entropy (thesis 2.2), that of the Gini
        index (Breiman et al. 1984, CART), or Quinlan's ratio of gain and split information: of the
        tests with the largest gain of their variable, those of at least the average gain (less
        .001 bits) are compared by it. Rows without the value count as a part of their own in the
        split information (Quinlan 1993, 2.2 and 3.2).
    class_weight : dict, "balanced" or None, default None
        Weight of each class, by its label; "balanced": inverse to the number of its rows, as in
        scikit-learn. Multiplies `sample_weight`; minima of samples count without it.
    rules : hedgerow.induction.GrowthRules, optional
        What variants of C4.5 do otherwise; None: nothing. `j48` gives the learner of Weka.
    random_state : ignored
        The learner draws nothing at random; ties go to the lower variable, then threshold.
    n_jobs : int, optional
        Threads of growth, for tables of 2^18 values or more; the tree does not depend on it. None:
        one; -1: all cores; -2: all but one, and so on. Learners that grow at the same time in one
        process share the cores.

    Attributes
    ----------
    tree_ : hedgerow.Tree
    classes_ : (n_classes,) array
    n_features_in_ : int
    feature_names_in_ : (m,) array
        Only when X has column names.

    Raises
    ------
    InputError
        A parameter out of range, negative or all-zero weights, text columns, more than 2^31 - 1
        rows (a ValueError).

    Warns
    -----
    HedgerowWarning
        Weights given as counts that add up to less than `min_samples_split`, while the rows are
        as many: the tree is a single leaf.

    Notes
    -----
    Of a categorical variable the best two subsets are found while at most 10 categories occur at
    the node; with two classes and no limit of `min_samples_leaf` in the way, for any number
    (Breiman et al. 1984, theorem 4.5; not for the gain ratio). Of more categories and classes those
    that an order along the first principal component gives are tried (Coppersmith, Hong and Hosking
    1999), which can miss the best.

    A category that did not occur at a node goes to the side with more training weight (left
    when both have as much). A variable without known values is never tested. A single class
    gives a single leaf.

    References
    ----------
    Thesis, section 2.2; Quinlan (1993), C4.5: Programs for Machine Learning; Breiman, Friedman,
    Olshen and Stone (1984), Classification and Regression Trees.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hedgerow import C45Classifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> print(C45Classifier(max_depth=2).fit(X, y).tree_.to_text(), end="")
    petal length (cm) < 3: 0 (n = 50: 0 1.00, 1 0.00, 2 0.00)
    petal length (cm) >= 3
    |   petal width (cm) < 1.8: 1 (n = 54: 0 0.00, 1 0.91, 2 0.09)
    |   petal width (cm) >= 1.8: 2 (n = 46: 0 0.00, 1 0.02, 2 0.98)
    """

    _understands = frozenset({"y_plausibility"})
    #: Of learners that extend this one and do not take others.
    criterion, rules = "information_gain", None

    def __init__(
        self,
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
        criterion="information_gain",
        class_weight=None,
        rules=None,
        random_state=None,
        n_jobs=None,
    ):
        self.confidence = confidence
        self.prune = prune
        self.subtree_raising = subtree_raising
        self.laplace = laplace
        self.repetition_factor = repetition_factor
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.candidates = candidates
        self.categorical_features = categorical_features
        self.smoothing = smoothing
        self.reliability = reliability
        self.weights = weights
        self.criterion = criterion
        self.class_weight = class_weight
        self.rules = rules
        self.random_state = random_state
        self.n_jobs = n_jobs

    def _set_shared(self, given: Mapping[str, Any]) -> None:
        """Of the arguments of a learner that extends this one, set the parameters of this one."""
        for name in inspect.signature(C45Classifier.__init__).parameters.keys() & given.keys():
            if name != "self":
                setattr(self, name, given[name])

    @classmethod
    def j48(
        cls,
        confidence_factor=0.25,
        min_samples_leaf=2,
        unpruned=False,
        collapse=True,
        subtree_raising=True,
        laplace=False,
        penalty=True,
        observed_thresholds=True,
        **settings,
    ):
        """The learner of Weka's J48 with option -B (tests have two sides).

        Parameters
        ----------
        confidence_factor : float in (0, 0.5], default 0.25
            -C: one-sided, so that `confidence` is twice as much.
        min_samples_leaf : float, default 2
            -M. A node is split from twice this weight on.
        unpruned : bool, default False
            -U.
        collapse : bool, default True
            False: -O.
        subtree_raising : bool, default True
            False: -S.
        laplace : bool, default False
            -A: Laplace-smoothed leaves, `smoothing` here.
        penalty : bool, default True
            False: -J, no MDL correction of numeric tests.
        observed_thresholds : bool, default True
            False: -doNotMakeSplitPointActualValue.
        **settings
            Other parameters of the learner, such as `max_depth`, which Weka has not.

        Returns
        -------
        C45Classifier
            Not fitted.

        Raises
        ------
        InputError
            A number out of range, or a learner that only extends this one.

        Notes
        -----
        Weka takes values less than 1e-5 apart for equal, and makes multi-way tests of categorical
        variables without -B; neither is done here.
        """
        if cls is not C45Classifier:
            raise InputError(f"{cls.__name__} has no rules of J48", remedy="use C45Classifier.j48")
        check_number("confidence_factor", confidence_factor, 0.0, 0.5)
        check_number("min_samples_leaf", min_samples_leaf, 0.0, LARGEST)
        given = {
            "criterion": "gain_ratio",
            "candidates": "midpoints",
            "confidence": 2 * confidence_factor,
            "prune": not unpruned,
            "subtree_raising": subtree_raising,
            "laplace": False,
            "smoothing": laplace,
            "min_samples_leaf": min_samples_leaf,
            "min_samples_split": 2 * min_samples_leaf,
            "rules": replace(
                J48,
                collapse=collapse,
                threshold_penalty=penalty,
                thresholds="observed" if observed_thresholds else "left",
            ),
        }
        return cls(**{**given, **settings})

    def _check_parameters(self) -> None:
        self._check_pruning()
        self._check_growth()
        check_flag("prune", self.prune)
        check_choice("reliability", self.reliability, ("node", "global"))
        check_choice("criterion", self.criterion, CRITERIA, SCIKIT_LEARN)
        if self.rules is not None and not isinstance(self.rules, GrowthRules):
            raise InputError(
                f"rules is {self.rules!r}", remedy="give hedgerow.induction.GrowthRules(...)"
            )
        check_jobs("n_jobs", self.n_jobs)

    def _fit(self, X, y, sample_weight):
        self._check_parameters()
        return self._grown(self._training_set(X, y, sample_weight, keep_after_fit=False))

    def _grown(self, columns, **settings):
        """Grow and prune on checked data; `settings` are further arguments of `grow`."""
        soft = self._soft_settings(columns)
        tree = grow(
            columns,
            min_samples_split=self.min_samples_split,
            min_samples_leaf=self.min_samples_leaf,
            max_depth=self.max_depth,
            candidates=self.candidates,
            repetition_factor=self.repetition_factor,
            reliability=self.reliability,
            n_jobs=self.n_jobs,
            rules=self.rules or THESIS,
            **{"criterion": self.criterion, **settings},
            **soft.get("grow", {}),
        )
        if self.prune:
            tree = prune(
                tree,
                columns,
                confidence=self.confidence,
                laplace=self.laplace,
                subtree_raising=self.subtree_raising,
                rules=self.rules or THESIS,
                **soft.get("prune", {}),
            )
        tree = self._weighed(tree, columns)
        return self._finish(tree, gate=self._evaluation_gate(tree, columns))

    def _weighed(self, tree, columns):
        """The finished tree with the class weights that its leaves answer by."""
        return tree

    def _soft_settings(self, columns) -> dict:
        """What learners that extend this one add to the arguments of grow and of prune."""
        return {}

    def _evaluation_gate(self, tree, columns):
        """The gate with which the finished tree is read; None: hard."""
        return None
