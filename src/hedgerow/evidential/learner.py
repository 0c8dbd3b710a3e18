"""E2M decision trees: learnt from evidential data, pruned by the evidential error rate."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hedgerow.checks import COUNTED, LARGEST, check_choice, check_flag, check_number, check_random
from hedgerow.errors import InputError
from hedgerow.evidential.boxes import mixture
from hedgerow.evidential.data import EvidentialData
from hedgerow.evidential.error import evidential_error_rate
from hedgerow.evidential.growth import Growth, Settings
from hedgerow.evidential.sequence import check_growth, pick_tree
from hedgerow.induction.base import FROM_DTYPE, TreeClassifierMixin


class EvidentialTreeClassifier(TreeClassifierMixin):
    """E2M tree: grown, pruned and read on data whose values and classes are uncertain.

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
    >>> data = EvidentialData.from_gamma(X, y, gamma_X=0.1, gamma_y=0.2)
    >>> tree = EvidentialTreeClassifier(prune=False, max_leaves=3).fit(data).tree_
    >>> print(tree.to_text(), end="")
    petal length (cm) < 4.7
    |   petal length (cm) < 3: 0 (n = 50.57: 0 1.00, 1 0.00, 2 0.00)
    |   petal length (cm) >= 3: 1 (n = 41.88: 0 0.00, 1 1.00, 2 0.00)
    petal length (cm) >= 4.7: 2 (n = 57.55: 0 0.00, 1 0.00, 2 1.00)
    """

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
                check_number(name, getattr(self, name), 1, COUNTED, whole=True)
        names = Settings.__dataclass_fields__
        return Settings(**{name: getattr(self, name) for name in names})

    def fit(self, data: EvidentialData, pruning_data: EvidentialData | None = None):
        """Grow the tree, and prune it on a separate sample.

        Parameters
        ----------
        data : EvidentialData
        pruning_data : EvidentialData, optional
            With the same attributes and classes. Without it, and with `prune`, a share of the rows
            of `data` is held back.

        Returns
        -------
        self
        """
        settings = self._check_parameters()
        _check_kind(data, "data")
        if pruning_data is not None:
            _check_kind(pruning_data, "pruning_data")
            _check_alike(data, pruning_data)
        if data.n_rows == 0:
            raise InputError("data hold no row", remedy="give at least one")
        if self.prune and pruning_data is None:
            data, pruning_data = self._divided(data)
        self._remember(data)
        self.__dict__.pop("pruning_errors_", None)  # of an earlier fit
        growth = Growth(data, settings)
        self.trees_ = growth.run()
        self.log_likelihoods_ = np.array(growth.log_likelihoods)
        self.likelihood_gaps_ = np.array(growth.gaps)
        self.share_gains_ = np.array(growth.gains)
        tree = self.trees_[-1]
        if self.prune:
            self.pruning_errors_ = np.array(
                [
                    evidential_error_rate(
                        pruning_data.plausibility,
                        mixture(one, pruning_data).argmax(axis=1),
                        alone=pruning_data.alone,
                    )
                    for one in self.trees_
                ]
            )
            tree = self.trees_[pick_tree(self.pruning_errors_)]
        self.tree_ = tree
        return self

    def _divided(self, data: EvidentialData) -> tuple[EvidentialData, EvidentialData]:
        held = round(self.pruning_share * data.n_rows)
        if not 0 < held < data.n_rows:
            raise InputError(
                f"pruning_share {self.pruning_share:g} of {data.n_rows} rows leaves none to one "
                "side",
                remedy="give pruning_data, more rows, or prune=False",
            )
        order = check_random("random_state", self.random_state).permutation(data.n_rows)
        return data.take(np.sort(order[held:])), data.take(np.sort(order[:held]))

    def _remember(self, data: EvidentialData) -> None:
        """What the checks of plain tables read."""
        self.classes_ = data.classes
        self.n_classes_ = len(data.classes)
        self.n_features_in_ = data.n_features
        if data.feature_names is None:
            self.__dict__.pop("feature_names_in_", None)
        else:
            self.feature_names_in_ = np.array(data.feature_names, dtype=object)
        self.categorical_features = FROM_DTYPE
        self._category_labels = {j: list(known) for j, known in data.categories.items()}
        self._by_code = None
        self._n_categories = np.array(
            [len(data.categories.get(j, ())) for j in range(data.n_features)], dtype=np.int32
        )

    def _evidential(self, data) -> EvidentialData:
        """Evidential data as they are, a plain table as data without doubt."""
        if isinstance(data, EvidentialData):
            if data.n_features != self.n_features_in_:
                raise InputError(
                    f"data have {data.n_features} attributes and the tree was fitted on "
                    f"{self.n_features_in_}",
                    remedy="give the attributes that it was fitted on",
                )
            return data
        array = self._encode(data, reset=False)
        for j, known in self._category_labels.items():
            array[array[:, j] >= len(known), j] = np.nan  # a new category: nothing is known
        return EvidentialData.from_gamma(
            array, classes=self.classes_, categories=self._category_labels
        )

    def predict_proba(self, data) -> np.ndarray:
        """Class probabilities of evidential or plain instances, (n, n_classes).

        The leaves are mixed by their shares and plausibilities (`hedgerow.evidential.mixture`).
        """
        check_is_fitted(self, "tree_")
        return mixture(self.tree_, self._evidential(data))

    def predict(self, data) -> np.ndarray:
        """The most probable class of each instance (ties: the first in ``classes_``), (n,)."""
        return self.classes_[self.predict_proba(data).argmax(axis=1)]


def _check_kind(data, name: str) -> None:
    if not isinstance(data, EvidentialData):
        raise InputError(
            f"{name} is of type {type(data).__name__}",
            remedy="give EvidentialData; EvidentialData.from_gamma(X, y) makes them of plain data",
        )


def _check_alike(data: EvidentialData, other: EvidentialData) -> None:
    same = data.n_features == other.n_features and data.categories == other.categories
    if not same or data.feature_names != other.feature_names:
        raise InputError(
            "pruning_data have other attributes than data", remedy="give the same, in their order"
        )
    if data.classes.tolist() != other.classes.tolist():
        raise InputError(
            f"pruning_data have the classes {other.classes.tolist()} and data "
            f"{data.classes.tolist()}",
            remedy="name all `classes` when making both",
        )
