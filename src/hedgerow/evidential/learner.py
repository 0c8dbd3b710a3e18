"""E2M decision trees: learnt from evidential data, pruned by the evidential error rate."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hedgerow.checks import (
    LARGEST,
    LARGEST_COUNT,
    as_table,
    check_choice,
    check_flag,
    check_number,
    check_random,
    check_unit,
    checked_weights,
)
from hedgerow.errors import InputError
from hedgerow.evidential.boxes import check_names, mixture
from hedgerow.evidential.contour import all_rectangles, bounds_of
from hedgerow.evidential.data import EvidentialData, check_rows_alike, gamma_of
from hedgerow.evidential.error import evidential_error_rate
from hedgerow.evidential.growth import Growth, Settings
from hedgerow.evidential.sequence import check_growth, pick_tree
from hedgerow.induction.base import (
    FROM_DTYPE,
    WEIGHTS,
    TreeClassifierMixin,
    meant_weights,
    transaction,
)
from hedgerow.induction.uncertain_table import Uncertain


class EvidentialTreeClassifier(TreeClassifierMixin):
    """E2M tree: grown, pruned and read on data whose values and classes may be uncertain.

    A tree is a mixture of its leaves. Shares of leaves and probabilities of classes are those that
    make the evidential data most likely, found by the E2M algorithm. Growth is best-first; a
    candidate's gain comes from an estimate of the whole tree with it.

    Parameters
    ----------
    max_leaves : int, default 10
    min_gain : float in [0, 1], default 0.05
        Least gain of a test, as a share of the impurity of its leaf.
    min_share_gain : float, default 0.001
        Least gain of a test in bits times the share of its leaf. The paper has none; without it
        leaves that hold next to nothing are divided for gains that iteration cannot tell from 0.
    prune : bool, default True
        Of the trees of successive splits, take the one with the smallest evidential error rate on
        a separate sample (ties: fewer leaves).
    pruning_share : float in (0, 1), default 0.5
        Rows that are held back for pruning where `fit` is given no sample of its own.
    parent : {"current", "combined"}, default "current"
        Impurity that a test lowers: that of the leaf as it is estimated now, or that of both its
        sides together as they are estimated with the test.
    start : {"plausibility", "shares"}, default "plausibility"
        Where the estimate of both sides of a test starts: at the classes of all rows, weighted by
        their plausibility in the side, or at those of the leaf, divided in proportion.
    tolerance : float, default 1e-6
        Iteration ends where the likelihood gains less than this share of itself.
    max_gap : float, default 1e-4
        The estimate of each tree, not those of candidates, goes on until its log-likelihood is
        within this of the largest that there is.
    max_iterations : int, default 1000
        Of the estimate of a candidate; a tree's own may take 1000 times as many.
    n_thresholds : int or None, default 32
        Thresholds of an attribute that are tried first, spread evenly over its values; those
        beside the best one follow. None: all at once, as on data without any doubt.
    n_finalists : int or None, default 32
        Candidates that are decided by converged estimates, the best after `n_screening`
        iterations. None: all, as on data without any doubt; else slower by one to two orders.
    n_screening : int, default 20
    categorical_features
        Of plain tables, as in `C45Classifier`.
    weights : {"auto", "counts", "relative"}, default "auto"
        What `sample_weight` means: numbers of instances, or weights relative to each other, which
        are scaled to a mean of 1. "auto": relative where they add up to 1, or to less than two
        instances while the rows are two or more.
    random_state : int, RandomState or None, default None
        Draws the rows that are held back for pruning; read only then.

    Attributes
    ----------
    tree_ : hedgerow.Tree
        Class weights are the expected counts n pi alpha of leaves and classes.
    trees_ : list of hedgerow.Tree
        The trees of successive splits, each with its own estimates.
    log_likelihoods_ : (n_trees,) array
        Evidential log-likelihood of each.
    likelihood_gaps_ : (n_trees,) array
        By how much at most the largest log-likelihood of each is larger: n times what the largest
        mean factor of a step exceeds 1 by (Lindsay 1983). The log-likelihood is concave in the
        shares of leaves and classes together, so that nothing is hidden behind a local maximum.
    share_gains_ : (n_trees - 1,) array
        Share of the divided leaf times gain in bits, of each split.
    pruning_errors_ : (n_trees,) array
        Evidential error rate of each on the pruning sample; only with `prune`.
    classes_ : (n_classes,) array
    n_features_in_ : int
    feature_names_in_ : (m,) array
        Only when the data have names.

    Raises
    ------
    InputError
        A parameter out of range, data of another kind, too few rows to hold some back.

    Notes
    -----
    Data without doubt give the tree of counting: the one of `hedgerow.evidential.best_first`.
    Candidates whose weight times gain differ by less than .001 bits are alike: of them the one with
    the largest likelihood is taken, then the first. Without any doubt only equal gains are, and the
    first is taken. Estimates start with a hundredth of the counts spread evenly over leaves and
    classes: what an estimate gives no weight at all would stay so, since iteration multiplies.
    `apply`, `decision_path` and `feature_importances_` are those of `tree_` on plain values.

    References
    ----------
    Sutton-Charani, Destercke and Denoeux (2014), Training and evaluating classifiers from
    evidential data: application to E2M decision tree pruning. Lindsay (1983), The geometry of
    mixture likelihoods: a general theory, Annals of Statistics 11(1).

    Examples
    --------
    Iris with every petal and every class in doubt to some degree:

    >>> from sklearn.datasets import load_iris
    >>> from hedgerow import EvidentialData, EvidentialTreeClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> model = EvidentialTreeClassifier(prune=False, max_leaves=3)
    >>> tree = model.fit(X, y, gamma_X=0.1, gamma_y=0.2).tree_
    >>> print(tree.to_text(), end="")
    petal length (cm) < 4.7
    |   petal length (cm) < 3: 0 (n = 50.57: 0 1.00, 1 0.00, 2 0.00)
    |   petal length (cm) >= 3: 1 (n = 41.88: 0 0.00, 1 1.00, 2 0.00)
    petal length (cm) >= 4.7: 2 (n = 57.55: 0 0.0000, 1 <0.0001, 2 >0.9999)

    Evidence of another kind, lengths read from a ruler with marks every half centimetre:

    >>> data = EvidentialData.from_intervals(X - 0.25, X + 0.25, y)
    >>> print(round(model.fit(data).score(data), 2))
    0.85
    """

    _understands = frozenset({"reliability", "y_plausibility"})

    def __init__(
        self,
        max_leaves=10,
        min_gain=0.05,
        min_share_gain=1e-3,
        prune=True,
        pruning_share=0.5,
        parent="current",
        start="plausibility",
        tolerance=1e-6,
        max_gap=1e-4,
        max_iterations=1000,
        n_thresholds=32,
        n_finalists=32,
        n_screening=20,
        categorical_features=FROM_DTYPE,
        weights="auto",
        random_state=None,
    ):
        self.max_leaves = max_leaves
        self.min_gain = min_gain
        self.min_share_gain = min_share_gain
        self.prune = prune
        self.pruning_share = pruning_share
        self.parent = parent
        self.start = start
        self.tolerance = tolerance
        self.max_gap = max_gap
        self.max_iterations = max_iterations
        self.n_thresholds = n_thresholds
        self.n_finalists = n_finalists
        self.n_screening = n_screening
        self.categorical_features = categorical_features
        self.weights = weights
        self.random_state = random_state

    def _check_parameters(self) -> Settings:
        check_growth(self.max_leaves, self.min_gain, self.min_share_gain)
        check_flag("prune", self.prune)
        check_number("pruning_share", self.pruning_share, 1e-9, 1.0 - 1e-9)
        check_choice("parent", self.parent, ("current", "combined"))
        check_choice("start", self.start, ("plausibility", "shares"))
        check_number("tolerance", self.tolerance, 0.0, 1.0)
        check_number("max_gap", self.max_gap, 1e-9, LARGEST)
        most = 2**31 - 1
        check_number("max_iterations", self.max_iterations, 1, most, whole=True)
        check_number("n_screening", self.n_screening, 1, most, whole=True)
        for name in ("n_thresholds", "n_finalists"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), 1, LARGEST_COUNT, whole=True)
        check_choice("weights", self.weights, WEIGHTS)
        names = Settings.__dataclass_fields__
        return Settings(**{name: getattr(self, name) for name in names})

    def _understood(self, data):
        """Errors as well, where they are intervals."""
        return self._understands | ({"error"} if all_rectangles(data.gate()) else set())

    @transaction
    def fit(self, X, y=None, sample_weight=None, *, gamma_X=0.0, gamma_y=0.0, pruning_data=None):
        """Grow the tree, and prune it on a separate sample.

        Parameters
        ----------
        X : EvidentialData, `hedgerow.Uncertain`, or (n, m) array or data frame
            A plain table holds numbers (NaN is missing: nothing is known) and pandas categoricals.
        y : (n,) array
            Class labels of a plain table; evidential data say themselves what is known of their
            classes.
        sample_weight : (n,) array, optional
            At least 0; a row of weight 0 is as if absent.
        gamma_X : float, (m,), (n, 1) or (n, m), default 0
            Plausibility of every other value than that in a plain table, in [0, 1]: 0 is without
            doubt, 1 says nothing.
        gamma_y : float or (n,), default 0
            The same of every other class.
        pruning_data : EvidentialData, optional
            With the same attributes and classes. Without it, and with `prune`, a share of the rows
            is held back.

        Returns
        -------
        self
        """
        settings = self._check_parameters()
        if isinstance(X, EvidentialData):
            data, weight = self._evidence(X, y, sample_weight, gamma_X, gamma_y)
        else:
            data, weight = self._evidence_of_table(X, y, sample_weight, gamma_X, gamma_y)
        if weight is not None:
            weight = meant_weights(self.weights, weight, self._least_weight)
            weight = None if (weight == 1.0).all() else weight
        if pruning_data is not None:
            _check_kind(pruning_data)
            _check_alike(data, pruning_data)
        held = None
        if self.prune and pruning_data is None:
            (data, weight), (pruning_data, held) = self._divided(data, weight)
        self.__dict__.pop("pruning_errors_", None)  # of an earlier fit
        growth = Growth(data, settings, weight)
        self.trees_ = growth.run()
        self.log_likelihoods_ = np.array(growth.log_likelihoods)
        self.likelihood_gaps_ = np.array(growth.likelihood_gaps)
        self.share_gains_ = np.array(growth.gains)
        tree = self.trees_[-1]
        if self.prune:
            self.pruning_errors_ = np.array(
                [
                    evidential_error_rate(
                        pruning_data.plausibility,
                        mixture(one, pruning_data).argmax(axis=1),
                        alone=pruning_data.alone,
                        sample_weight=held,
                    )
                    for one in self.trees_
                ]
            )
            tree = self.trees_[pick_tree(self.pruning_errors_)]
        self.tree_ = tree
        return self

    def _divided(self, data: EvidentialData, weight):
        """What is grown from and what is held back, each with its weights."""
        n = data.n_rows
        held = round(self.pruning_share * n)
        if not 0 < held < n:
            raise InputError(
                f"pruning_share {self.pruning_share:g} of {n} sample{'s' * (n != 1)} leaves none "
                "to one side",
                remedy="give pruning_data, more rows, or prune=False",
            )
        order = check_random("random_state", self.random_state).permutation(n)
        parts = np.sort(order[held:]), np.sort(order[:held])
        return [(data.take(rows), None if weight is None else weight[rows]) for rows in parts]

    def _evidence(self, data: EvidentialData, y, sample_weight, gamma_X, gamma_y):
        """Evidential data and weights of their rows; notes what the checks of tables read."""
        if y is not None:
            raise InputError(
                "y is given beside evidential data, which have classes of their own",
                remedy="leave it out; a sample for pruning goes by name, as pruning_data=...",
            )
        for name, gamma in (("gamma_X", gamma_X), ("gamma_y", gamma_y)):
            if np.any(gamma):
                raise InputError(
                    f"{name} is given beside evidential data, which have doubts of their own",
                    remedy="leave it out, or give a plain table",
                )
        if data.n_rows == 0:
            raise InputError("data hold no row", remedy="give at least one")
        self.n_features_in_ = data.n_features
        if data.feature_names is None:
            self.__dict__.pop("feature_names_in_", None)
        else:
            self.feature_names_in_ = np.array(data.feature_names, dtype=object)
        self._category_labels = {j: list(labels) for j, labels in data.categories.items()}
        self._by_code = None
        self._n_categories = np.array(
            [len(data.categories.get(j, ())) for j in range(data.n_features)], dtype=np.int32
        )
        self.classes_ = data.classes
        self.n_classes_ = len(data.classes)
        weight = checked_weights(sample_weight, data.n_rows)
        if weight is None:
            return data, None
        return data.take(weight > 0), weight[weight > 0]

    def _evidence_of_table(self, X, y, sample_weight, gamma_X, gamma_y):
        """A plain table as evidential data, and weights of its rows."""
        check_rows_alike(X, gamma_y=gamma_y)
        given = X
        array, y, weight, kept, plausible = self._checked_rows(X, y, sample_weight)
        low = high = array
        if self._uncertainty is not None:
            for name, gamma in (("reliability", gamma_X), ("y_plausibility", gamma_y)):
                if np.any(gamma) and getattr(self._uncertainty, name) is not None:
                    raise InputError(
                        f"a gamma is given beside uncertain data with {name}",
                        remedy="give one of the two",
                    )
            gamma_X = gamma_X if self._uncertainty.reliability is None else self._uncertainty.gamma
            if "error" in self._understood(self._uncertainty):
                low, high = bounds_of(array, self._training_gate())
        self.classes_ = np.unique(y) if plausible is None else plausible[0]
        self.n_classes_ = len(self.classes_)
        names = getattr(self, "feature_names_in_", None)
        names = None if names is None else [str(name) for name in names]
        gamma_X = gamma_of(gamma_X, names, given)
        if kept is not None:
            shape = len(kept), array.shape[1]
            gamma_X = check_unit("gamma_X", as_table("gamma_X", gamma_X, shape, "table"))[kept]
            gamma_y = check_unit("gamma_y", as_table("gamma_y", gamma_y, shape[:1], "list"))[kept]
        rest = gamma_X, gamma_y, self.classes_
        data = EvidentialData._from_bounds(low, high, names, self._texts(), {}, y, *rest)
        return data if plausible is None else data.with_classes(plausible[1]), weight

    @property
    def _least_weight(self) -> float:
        return 2.0  # of a leaf that a test can divide

    def _texts(self) -> dict[int, list[str]]:
        """Labels of the categories of each attribute that has some."""
        labels = {}
        for j in np.flatnonzero(self._n_categories):
            levels = self._category_labels.get(j) or range(self._n_categories[j])
            labels[int(j)] = [str(label) for label in levels]
        return labels

    def _encode(self, X, *, reset: bool) -> np.ndarray:
        if isinstance(X, EvidentialData):
            raise InputError(
                "X is evidential data, of which a row may be in several leaves",
                remedy="give plain values; predict, predict_proba and score take both",
            )
        return super()._encode(X, reset=reset)

    def _evidential(self, X) -> EvidentialData:
        """Evidential data as they are, a plain table as data without doubt."""
        if isinstance(X, EvidentialData):
            if X.n_features != self.n_features_in_:
                raise InputError(
                    f"data have {X.n_features} attributes and the tree was fitted on "
                    f"{self.n_features_in_}",
                    remedy="give the attributes that it was fitted on",
                )
            check_names(X.feature_names, getattr(self, "feature_names_in_", None))
            return X
        return self._of_codes(self._read(X, None)[0])

    def _of_codes(self, table) -> EvidentialData:
        return EvidentialData.from_gamma(table, classes=self.classes_, categories=self._texts())

    def _probabilities(self, table, gate) -> np.ndarray:
        if isinstance(gate, str):  # no errors
            return mixture(self.tree_, self._of_codes(table))
        return self.tree_.predict_proba(table, evaluation=gate)

    def _evidence_of_rows(self, X, error) -> EvidentialData:
        """Uncertain data with reliabilities, as evidence."""
        understood = self._understood(X)
        self._warn_of_ignored(X, understood - {"y_plausibility"}, predicting=True)
        if error is not None:
            raise InputError(
                "error is given beside uncertain data with reliabilities",
                remedy="give it with the data",
            )
        array, gate = self._read(X.X, X.error if "error" in understood else None)
        low, high = bounds_of(array, None if isinstance(gate, str) else gate)
        return EvidentialData._from_bounds(
            low, high, None, self._texts(), {}, None, X.gamma, 0.0, self.classes_
        )

    def _read(self, X, error):
        array, gate = super()._read(X, error)
        if self._n_categories.any():
            array = np.array(array)  # that of the user stays as it is
        for j in np.flatnonzero(self._n_categories):
            n_levels = len(self._category_labels.get(j, range(self._n_categories[j])))
            array[array[:, j] >= n_levels, j] = np.nan  # a new category: nothing is known
        return array, gate

    def predict_proba(self, X, error=None) -> np.ndarray:
        """Class probabilities of evidential or plain instances, (n, n_classes).

        With errors of measurement, as in `C45Classifier.predict_proba`, plain instances are read
        test by test: a leaf has the probability of its box.

        The leaves are mixed by their shares and plausibilities (`hedgerow.evidential.mixture`): of
        a missing value, a new category and evidence by what all that is known leaves plausible,
        while `tree_` divides an instance test by test.
        """
        check_is_fitted(self, "tree_")
        if isinstance(X, Uncertain) and X.reliability is not None:
            return mixture(self.tree_, self._evidence_of_rows(X, error))
        X, error = self._unpacked(X, error)
        if error is not None:
            return self._probabilities(*self._read(X, error))
        return mixture(self.tree_, self._evidential(X))

    def score(self, X, y=None, sample_weight=None) -> float:
        """Accuracy where the classes are known, else 1 less the evidential error rate.

        Parameters
        ----------
        X : EvidentialData, `hedgerow.Uncertain`, or (n, m) array or data frame
        y : (n,) array
            Class labels: the score is the share of predictions that are right. Without them,
            evidential and uncertain data with the classes of the fit are judged by their own
            classes: the score is 1 - `evidential_error_rate`, NaN where no row tells a right from a
            wrong prediction.
        sample_weight : (n,) array, optional
            How often each row counts.

        Returns
        -------
        float in [0, 1]

        Raises
        ------
        InputError
            A plain table without y, and as `evidential_error_rate`.
        """
        check_is_fitted(self, "tree_")
        if y is not None:
            return super().score(X, y, sample_weight)
        if isinstance(X, EvidentialData):
            plausible, alone = (X.classes, X.plausibility), X.alone
        else:
            plausible, alone = X.classes_of(None) if isinstance(X, Uncertain) else None, None
        if plausible is None:
            raise InputError(
                "y is None, and X a plain table", remedy="give its classes, or evidential data"
            )
        _check_classes("X", plausible[0], self.classes_)
        codes = self.predict_proba(X).argmax(axis=1)
        return 1.0 - evidential_error_rate(
            plausible[1], codes, alone=alone, sample_weight=sample_weight
        )


def _check_kind(data) -> None:
    if not isinstance(data, EvidentialData):
        raise InputError(
            f"pruning_data is of type {type(data).__name__}",
            remedy="give EvidentialData; EvidentialData.from_gamma(X, y) makes them of plain data",
        )


def _check_classes(name: str, given: np.ndarray, wanted: np.ndarray) -> None:
    if given.tolist() != wanted.tolist():
        raise InputError(
            f"{name} have the classes {given.tolist()} and the data of the fit {wanted.tolist()}",
            remedy="name all `classes` when making both",
        )


def _check_alike(data: EvidentialData, other: EvidentialData) -> None:
    same = data.n_features == other.n_features and data.categories == other.categories
    if not same or data.feature_names != other.feature_names:
        raise InputError(
            "pruning_data have other attributes than data", remedy="give the same, in their order"
        )
    _check_classes("pruning_data", other.classes, data.classes)
