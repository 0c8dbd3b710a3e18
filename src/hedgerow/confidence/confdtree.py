"""ConfDTree: trees that second-guess themselves by confidence intervals (Katz et al.)."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import fields, replace
from itertools import chain

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import get_tags
from sklearn.utils.validation import (
    _check_feature_names,
    _get_feature_names,
    check_is_fitted,
)

from hedgerow.checks import (
    check_flag,
    check_number,
    check_unmasked,
    checked_weights,
    class_labels,
    without_mask,
)
from hedgerow.confidence.intervals import Intervals, Rules, as_codes, count, intervals
from hedgerow.confidence.members import (
    Member,
    check_supported,
    members_of,
    tables,
    unfrozen,
    weight_of,
)
from hedgerow.confidence.revisions import Revisions, revisions_of
from hedgerow.errors import InputError
from hedgerow.induction.base import TreeClassifierMixin, impurity_of, transaction
from hedgerow.induction.c45 import C45Classifier
from hedgerow.induction.measurement import check_error_order, of_columns, of_row, resolve_error
from hedgerow.induction.uncertain_table import Uncertain, fractions_of
from hedgerow.tree import NoiseGate, Tree


class ConfDTreeClassifier(TreeClassifierMixin):
    """Trees that doubt a classification where a value is unusual for it (ConfDTree).

    Fits a tree or forest as it is. At each of its tests on numbers, every class has an interval
    of the values that are usual in it. At prediction, each node on the way from the leaf back to
    the root asks whether the instance's value lies in the interval of the class that its branch
    has just assigned. Where it does not, but lies in those of other classes, both branches
    are read, weighted by where these classes went (alternative routes); where it lies in none, the
    assigned class pays a share of its probability to the node's other classes (certainty
    fine).

    Parameters
    ----------
    estimator : estimator, default None
        A clone of it is fitted: a tree classifier of hedgerow or scikit-learn, scikit-learn's
        RandomForestClassifier, ExtraTreesClassifier or BaggingClassifier of trees. A
        FrozenEstimator of one is taken as it is; `fit` then counts the intervals only. None:
        `C45Classifier()`.
    method : {"norm", "tdist", "comb"}, default "comb"
        "norm": mean and standard deviations of the class, at nodes where every class passes the
        test of normality, and no intervals elsewhere. "tdist": t interval of the class mean, at
        every test on numbers. "comb": the first where it may be, else the second.
    min_instances : float, default 5
        Instances that a class needs at a node for an interval (m); at least 2. A class with
        fewer has none and is never doubted.
    too_few : {"class", "node"}, default "class"
        What a class with fewer disables: nothing but itself, or its node, as the second
        prerequisite of section III.A has it when it is read to the letter ("a minimal number m
        exists for every class present in the node").
    normal_width, normal_width_other : float, default 2.0 and 1.0
        Half-width of "norm" in standard deviations: for the class that was assigned, and for the
        others.
    t_alpha, t_alpha_other : float in [0, 1], default 0.005 and 0.10
        The same of "tdist": two-sided levels, so that the confidence is 1 - alpha.
    normality : {"ks", "lilliefors"}, default "ks"
        Kolmogorov-Smirnov against the normal distribution of the same mean and sd, without or
        with Lilliefors' correction for having estimated them (needs statsmodels).
    normality_alpha : float in [0, 1], default 0.05
        A class passes if its p-value is at least this; 0: every class passes.
    routes, fines : bool, default True
        Without one of them, a doubt that would lead to it changes nothing.
    fine : float in [0, 1], default 0.10
        Share of its probability that the assigned class pays.
    categorical : bool, default False
        Doubt tests on categories as well; beyond the paper. A category is usual in a class at
        level alpha if the categories of the class at this node that are no more frequent, itself
        among them, make up alpha of it or more: what the two tails are to a number. It needs no
        order of the categories.
    category_alpha, category_alpha_other : float in [0, 1], default 0.05 and 0.32
        These levels, about those of two and of one standard deviation.
    smoothing : bool or None, default None
        Laplace-smoothed leaves; None: as the estimator says, and none in trees of scikit-learn.

    Attributes
    ----------
    estimator_ : estimator
        The fitted clone.
    tree_ : hedgerow.Tree
        Of a single tree.
    trees_ : list of hedgerow.Tree
    classes_ : (n_classes,) array
    n_features_in_ : int
    feature_names_in_ : (m,) array
        Only when X has column names.

    Raises
    ------
    InputError
        A parameter out of range, an estimator without trees, and whatever the estimator raises.

    Notes
    -----
    The rows of `fit` are counted at the nodes: hard, or by the gates of a tree that has soft ones
    (`SoftTreeClassifier(evaluation=...)`, PLT, UDT). In an ensemble each tree counts the rows
    drawn for it, as often as they were drawn; in a frozen one all rows of `fit`. Trees of
    UCT-DT count those of induction and validation.

    Where a gate divides an instance, or its value is missing, the node mixes what its branches say
    (as corrected) by the shares, and then may doubt the mixture. At a node where the value is
    missing, and at all below it, nothing is doubted.

    An `EvidentialTreeClassifier` is a mixture of its leaves. Its tests are read here as those of
    any hard tree, and of plain tables only. Without doubts that is the mixture where all values
    are known. A value that is missing divides an instance at its test, whatever is known beside
    it, and a new category goes to the heavier side; the mixture weighs all leaves that are left
    against each other. The intervals count the rows held back for pruning, too.

    Probabilities of a forest are the mean over its trees, each corrected alone. `apply`,
    `decision_path` and `feature_importances_` are those of the trees as they are.

    References
    ----------
    Katz, Shabtai, Rokach and Ofek, ConfDTree: Improving Decision Trees Using Confidence Intervals,
    sections III and IV.

    Examples
    --------
    A wine of class 1 that goes the way of class 2, whose flavanoids are lower than its own:

    >>> from sklearn.datasets import load_wine
    >>> from hedgerow import C45Classifier, ConfDTreeClassifier
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> model = ConfDTreeClassifier(C45Classifier(max_depth=2)).fit(X, y)
    >>> print(model.revisions(X.iloc[61]))
        leaf 3: 2 0.980, 1 0.020
      node 1, color_intensity < 3.85: color_intensity = 5.75 is usual in 2 [2.7744, 12.018]
        leaf 5: 1 0.981, 0 0.019
      node 4, proline < 735: proline = 450 is usual in 1 [189.27, 827.75]
    node 0, flavanoids < 1.58: flavanoids = 1.41 is unusual in 2 [0.19445, 1.3685], usual in 1
        both branches, left 0.185 and right 0.815: 1 0.803, 2 0.182, 0 0.015
    tree: 2 0.980, 1 0.020
    with doubts: 1 0.803, 2 0.182, 0 0.015
    """

    def __init__(
        self,
        estimator=None,
        method="comb",
        min_instances=5,
        too_few="class",
        normal_width=2.0,
        normal_width_other=1.0,
        t_alpha=0.005,
        t_alpha_other=0.10,
        normality="ks",
        normality_alpha=0.05,
        routes=True,
        fines=True,
        fine=0.10,
        categorical=False,
        category_alpha=0.05,
        category_alpha_other=0.32,
        smoothing=None,
    ):
        self.estimator = estimator
        self.method = method
        self.min_instances = min_instances
        self.too_few = too_few
        self.normal_width = normal_width
        self.normal_width_other = normal_width_other
        self.t_alpha = t_alpha
        self.t_alpha_other = t_alpha_other
        self.normality = normality
        self.normality_alpha = normality_alpha
        self.routes = routes
        self.fines = fines
        self.fine = fine
        self.categorical = categorical
        self.category_alpha = category_alpha
        self.category_alpha_other = category_alpha_other
        self.smoothing = smoothing

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if self.estimator is not None:
            inner = get_tags(unfrozen(self.estimator)).input_tags
            tags.input_tags.allow_nan = inner.allow_nan
            tags.input_tags.categorical = inner.categorical
        return tags

    def _understood(self, data: Uncertain) -> frozenset[str]:
        """What the estimator inside reads."""
        inner = unfrozen(C45Classifier() if self.estimator is None else self.estimator)
        return inner._understood(data) if isinstance(inner, TreeClassifierMixin) else frozenset()

    def _rules(self) -> Rules:
        rules = Rules(**{field.name: getattr(self, field.name) for field in fields(Rules)})
        if self.smoothing is not None:
            check_flag("smoothing", self.smoothing)
        return rules

    @transaction
    def fit(self, X, y=None, sample_weight=None):
        """Fit the estimator and count its intervals.

        Parameters
        ----------
        X : (n, m) array, data frame or `hedgerow.Uncertain`
            As the estimator takes it.
        y : (n,) array
            Class labels; those that a frozen estimator knows. Of uncertain data that name their
            classes, none are needed.
        sample_weight : (n,) array, optional
            Numbers of instances; a row of weight 0 is as if absent.

        Returns
        -------
        self
        """
        self._fitted_rules = rules = self._rules()
        estimator = C45Classifier() if self.estimator is None else self.estimator
        check_supported(estimator)
        given = {} if sample_weight is None else {"sample_weight": sample_weight}
        plausible = None
        if isinstance(X, Uncertain):
            understood = self._understood(X)
            self._warn_of_ignored(X, understood)
            y = X.likeliest() if y is None else y
            if "y_plausibility" in understood:
                plausible = X.classes_of(y)
            given["X"] = X.only(understood) if understood else X.X
            X = X.X
        X = without_mask(X)
        check_unmasked("sample_weight", sample_weight)
        if y is not None:
            y = class_labels(y)
        fitted = clone(estimator).fit(**{"X": X, "y": y, **given})
        frozen = unfrozen(fitted) is not fitted
        self.estimator_ = fitted = unfrozen(fitted)
        members = members_of(fitted, frozen)
        _check_feature_names(self, X, reset=True)
        self.n_features_in_ = fitted.n_features_in_
        self.classes_ = fitted.classes_
        self.n_classes_ = len(self.classes_)
        read = tables(fitted, members, X)
        self._members = self._members_with_intervals(
            members, read, y, plausible, sample_weight, rules
        )
        self.trees_ = [member.tree for member in self._members]
        return self

    def _members_with_intervals(
        self, members, read, y, plausible, sample_weight, rules
    ) -> list[Member]:
        """The members with their intervals.

        plausible : (classes, (n, n_classes) plausibilities), or None where each row has one class
        """
        done, parts, share = [], slice(None), 1.0
        for member, table in zip(members, read, strict=True):
            if not done:
                if len(y) != len(table):
                    raise InputError(
                        f"y has {len(y)} entries for {len(table)} rows", remedy="give one per row"
                    )
                weight = checked_weights(sample_weight, len(y))
                weight = np.ones(len(y)) if weight is None else weight
                present = weight > 0
                codes = np.zeros(len(y), dtype=np.intp)
                if plausible is None:
                    codes[present] = as_codes(y[present], self.classes_)
                else:  # a row of several classes counts in each with its share
                    parts, class_codes, share = fractions_of(plausible[1])
                    present, codes = present[parts], np.zeros(len(parts), dtype=np.intp)
                    codes[present] = as_codes(plausible[0][class_codes[present]], self.classes_)
            tree_weight = weight_of(self.estimator_, member, weight)[parts] * share
            table = table[parts]
            # Classes that were not drawn for a tree are none of its own.
            place = np.full(self.n_classes_, -1)
            place[member.codes] = np.arange(len(member.codes))
            kept = (tree_weight > 0) & (place[codes] >= 0)
            tree = member.tree
            gate = tree.gate if tree.gate is not None and tree.gate.soft else None
            counted = count(tree, table[kept], place[codes[kept]], tree_weight[kept], rules, gate)
            done.append(replace(member, rows=None, intervals=intervals(tree, counted, rules)))
        return done

    @property
    def tree_(self) -> Tree:
        """The tree, where there is a single one."""
        if not hasattr(self, "trees_") or len(self.trees_) > 1:
            raise AttributeError(
                f"{type(self).__name__} has a `tree_` when it is fitted on a single tree; a forest "
                "has `trees_`"
            )
        return self.trees_[0]

    def get_intervals(self, tree: int = 0) -> Intervals:
        """The intervals of one of the trees, by the numbers of its nodes and classes.

        Raises
        ------
        InputError
            There is no tree of that number.
        """
        self._check_rules()
        check_number("tree", tree, 0, len(self.trees_) - 1, whole=True)
        return self._members[tree].intervals

    # -- output -------------------------------------------------------------------------

    def _check_rules(self) -> None:
        """Refuse rules that were set after the fit, which counted what the others need."""
        check_is_fitted(self, "trees_")
        rules = self._rules()
        for field in fields(Rules):
            now, then = getattr(rules, field.name), getattr(self._fitted_rules, field.name)
            if now != then:
                raise InputError(
                    f"{field.name} is {now!r} and was {then!r} in the fit",
                    remedy="call fit again, or set it back",
                )

    def _smooths(self, member: Member) -> bool:
        if self.smoothing is None:
            return bool(getattr(member.learner, "smoothing", False))
        return bool(self.smoothing)

    def _tables(self, X):
        """Each tree with the table as it reads it."""
        self._check_rules()
        X = without_mask(X)
        _check_feature_names(self, X, reset=False)
        read = tables(self.estimator_, self._members, X)
        names, inner = (getattr(one, "feature_names_in_", None) for one in (self, self.estimator_))
        if np.array_equal(names, inner) and (names is None) != (_get_feature_names(X) is None):
            # The estimator inside would say the same once more, when the first table is made.
            with warnings.catch_warnings():
                warnings.filterwarnings("ignore", ".*feature names", UserWarning)
                read = chain([next(read)], read)
        return zip(self._members, read, strict=True)

    def _tree(self, member: Member, error, n_rows: int) -> Tree:
        """The tree of a member, read with errors of measurement where some are given."""
        if error is None:
            return member.tree
        if isinstance(self.estimator_, TreeClassifierMixin):  # in its own way
            return member.tree.replace(gate=self.estimator_._error_gate(error, n_rows))
        names = getattr(self, "feature_names_in_", ())
        numbers = np.zeros(self.n_features_in_, dtype=int)
        gate = resolve_error(error, numbers, names, n_rows=n_rows)
        return member.tree.replace(gate=of_columns(gate, member.columns))

    def _encoded_tables(self, X, error):
        """Each member with its tree, as that reads the errors, and the table for it."""
        X, error = self._unpacked(X, error)
        check_error_order(error, X)
        for member, table in self._tables(X):
            yield member, self._tree(member, error, len(table)), table

    def _read(self, X, error):
        """A table as the single tree reads it, and the gate that it is read with."""
        ((_, tree, table),) = self._encoded_tables(X, error)
        return table, tree.gate

    def _probabilities(self, table, gate) -> np.ndarray:
        """Corrected class probabilities of the single tree, of what `_read` gives."""
        (member,) = self._members
        if not isinstance(member.learner, TreeClassifierMixin):  # scikit-learn's read 32 bits
            table = table.astype(np.float32).astype(np.float64)
        return self._corrected(member, member.tree.replace(gate=gate), table)

    def _corrected(self, member: Member, tree: Tree, table) -> np.ndarray:
        correction = member.intervals.correction(
            tree, table.shape[1], self._smooths(member), self._fitted_rules
        )
        return correction.predict(table)

    def predict_proba(self, X, error=None) -> np.ndarray:
        """Corrected class probabilities, (n, n_classes); of a forest their mean over the trees.

        `error` as in `C45Classifier.predict_proba`.
        """
        check_is_fitted(self, "trees_")
        total = None
        for member, tree, table in self._encoded_tables(X, error):
            part = self._corrected(member, tree, table)
            if len(self._members) == 1:
                return part
            if total is None:
                total = np.zeros((len(table), self.n_classes_))
            total[:, member.codes] += part
        return total / len(self._members)

    def predict(self, X, error=None) -> np.ndarray:
        """The most probable class of each row (ties: the first in ``classes_``), (n,)."""
        probabilities = self.predict_proba(X, error)  # which says if it is not fitted
        return self.classes_[np.argmax(probabilities, axis=1)]

    def revisions(self, x, error=None) -> Revisions:
        """What each node did to one instance: a section of what `explain` says of it.

        Parameters
        ----------
        x : (m,) or (1, m) array, or data frame of one row
        error : optional
            As in `predict_proba`.

        Returns
        -------
        Doubts
            Prints as a text.

        Raises
        ------
        InputError
            More than one row.
        """
        if np.ndim(x) == 1 and not hasattr(x, "columns"):
            x = x.to_frame().T if hasattr(x, "to_frame") else np.asarray(x)[None]
        if np.shape(x)[0] != 1:
            raise InputError(f"x has {np.shape(x)[0]} rows", remedy="give one of them")
        return self._revisions_of(x, error)(0)

    def _revisions_of(self, X, error) -> Callable[[int], Revisions]:
        """What `revisions` says of each row of a table, by its number."""
        check_is_fitted(self, "trees_")
        read = list(self._encoded_tables(X, error))

        def of(row: int) -> Revisions:
            parts = []
            for member, tree, table in read:
                if isinstance(tree.gate, NoiseGate):
                    tree = tree.replace(gate=of_row(tree.gate, row))
                parts.append(
                    revisions_of(
                        tree,
                        member.intervals,
                        table[row : row + 1],
                        self._fitted_rules,
                        self._smooths(member),
                        self.classes_[member.codes].tolist(),
                        self._names(member),
                    )
                )
            if len(parts) == 1:
                return parts[0]
            before, after = (np.zeros(self.n_classes_) for _ in range(2))
            for (member, _, _), part in zip(read, parts, strict=True):
                before[member.codes] += part.before / len(parts)
                after[member.codes] += part.after / len(parts)
            return Revisions(self.classes_.tolist(), before, after, (), tuple(parts))

        return of

    def _names(self, member: Member) -> list[str]:
        """Names of the variables that a tree tests."""
        names = getattr(self, "feature_names_in_", None)
        names = [f"x{j}" for j in range(self.n_features_in_)] if names is None else list(names)
        return names if member.columns is None else [names[j] for j in member.columns]

    def apply(self, X, error=None) -> np.ndarray:
        """Leaf with the largest share of each row, (n,) int; of a forest (n, n_trees)."""
        leaves = [tree.apply(table) for _, tree, table in self._encoded_tables(X, error)]
        return leaves[0] if len(leaves) == 1 else np.column_stack(leaves)

    def decision_path(self, X, error=None) -> sparse.csr_array:
        """Nodes that each row reaches before any correction, (n, n_nodes) sparse of ones.

        Of a forest, the trees side by side, in the order of `trees_`.
        """
        paths = [tree.decision_path(table) for _, tree, table in self._encoded_tables(X, error)]
        return paths[0] if len(paths) == 1 else sparse.hstack(paths, format="csr")

    def to_sklearn(self):
        """Not available: trees of scikit-learn cannot correct their predictions.

        Raises
        ------
        InputError
        """
        raise InputError(
            "ConfDTreeClassifier corrects the predictions of its trees, and scikit-learn's trees "
            "cannot",
            remedy="write a tree without corrections: `model.trees_[0].to_sklearn()`",
        )

    def get_depth(self) -> int:
        """Number of tests on the longest path; of a forest, in its deepest tree."""
        check_is_fitted(self, "trees_")
        return max(tree.depth for tree in self.trees_)

    def get_n_leaves(self) -> int:
        """Number of leaves; of a forest, of all its trees."""
        check_is_fitted(self, "trees_")
        return sum(tree.n_leaves for tree in self.trees_)

    @property
    def feature_importances_(self) -> np.ndarray:
        """How much the tests of each variable lower the impurity, (m,) float64; adds up to 1.

        By the criterion of the tree that is corrected, in the trees as they are; of a forest the
        mean over its trees. All 0 without a test.
        """
        check_is_fitted(self, "trees_")
        total = np.zeros(self.n_features_in_)
        for member in self._members:
            columns = slice(None) if member.columns is None else member.columns
            n = self.n_features_in_ if member.columns is None else len(member.columns)
            np.add.at(total, columns, member.tree.importances(n, impurity_of(member.learner)))
        return total / total.sum() if total.sum() > 0 else total
