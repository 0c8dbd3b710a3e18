"""The data set that trees are sorted and compared by (thesis 5.3.1 and 5.3.2)."""

from __future__ import annotations

import numpy as np
from sklearn.utils.validation import check_consistent_length

from hedgerow.checks import class_labels
from hedgerow.errors import InputError
from hedgerow.induction.base import FROM_DTYPE, TreeClassifierMixin
from hedgerow.optional_imports import import_optional
from hedgerow.structure._sorting import sort_tree
from hedgerow.tree.tree import Tree

LEFT, RIGHT, NEITHER = 1, 0, 2  # of a category; as in _sorting.pyx


class SortedTree:
    """One tree, its tests in the order of the sorted nodes.

    Attributes
    ----------
    tree : Tree
    swaps : (n_nodes,) uint8
        Tests whose right child is the left one after sorting.
    class_weight : (n_nodes, K) float64
        Rows of the data set of each class.
    nodes, first : (n_tests,) int32
        Nodes of the tests in postorder, and the place of the leftmost leaf below each.
    nodes_mirrored, first_mirrored : (n_tests,) int32
    side : (n_nodes, n_categories) uint8
        Categories in the codes of the data set.
    """

    __slots__ = (
        "class_weight",
        "first",
        "first_mirrored",
        "nodes",
        "nodes_mirrored",
        "side",
        "swaps",
        "tree",
    )


class TrainingSet(TreeClassifierMixin):
    """What the edit distance reads of a data set: classes, interquartile ranges, correlations.

    Parameters
    ----------
    correlation : {"spearman", "pearson", "kendall"}

    Attributes
    ----------
    classes_ : (K,) array
    class_order_ : (K,) int32
        Places in `classes_` by falling frequency; ties: the lower place.
    iqr_ : (m,) float64
        NaN for a variable without known value.
    unordered_ : (m,) uint8
        Variables with more than two values.
    """

    categorical_features = FROM_DTYPE

    def __init__(self, correlation="spearman"):
        self.correlation = correlation

    def fit(self, X, y):
        """Read the data set."""
        import_optional("pandas", "an edit distance, for its correlations,")
        if y is None:
            raise InputError(
                "an edit distance requires y to be passed, but the target y is None",
                remedy="give the class of each row of X",
            )
        table = self._encode(X, reset=True)
        y = class_labels(y)
        check_consistent_length(table, y)
        self.classes_, codes = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise InputError(
                f"y holds the one class {self.classes_[0]!r}: nodes cannot be sorted by it",
                remedy="give a data set with at least two classes",
            )
        self._X = np.asfortranarray(table)
        self._codes = codes.astype(np.int32)
        count = np.bincount(codes)
        self.class_order_ = np.argsort(-count, kind="stable").astype(np.int32)
        m = table.shape[1]
        self.iqr_ = np.full(m, np.nan)
        self.unordered_ = np.zeros(m, dtype=np.uint8)
        self._occurring = []
        for j in range(m):
            observed = table[~np.isnan(table[:, j]), j]
            if observed.size:
                low, high = np.percentile(observed, [25, 75])
                self.iqr_[j] = high - low
            self._occurring.append(np.unique(observed))
            self.unordered_[j] = len(self._occurring[j]) > 2
        self._correlations = {}  # kind -> variables, and their correlations
        return self

    def absolute_correlations(self, variables, correlation: str | None = None) -> np.ndarray:
        """(k, k) float64 of k variables, ascending, over the pairs of known values.

        correlation : by default that of the fit

        0 where there are fewer than two pairs, or a constant. Worked out when first asked for:
        Kendall's takes long for many variables, and trees test few.
        """
        variables = np.asarray(variables, dtype=np.intp)
        kind = self.correlation if correlation is None else correlation
        nothing = np.zeros(0, dtype=np.intp), np.zeros((0, 0))
        cached, rho = self._correlations.get(kind, nothing)
        if not np.isin(variables, cached).all():
            cached = np.union1d(cached, variables)
            frame = import_optional("pandas", "a correlation").DataFrame(self._X[:, cached])
            with np.errstate(invalid="ignore", divide="ignore"):
                rho = frame.corr(method=kind, min_periods=2).abs().to_numpy(copy=True)
            rho[np.isnan(rho)] = 0.0
            # Both triangles of the same rounding, or distances would not be symmetric.
            upper = np.minimum(np.triu(rho), 1.0)
            rho = upper + np.triu(upper, 1).T
            self._correlations[kind] = cached, rho
        at = np.searchsorted(cached, variables)
        return rho[np.ix_(at, at)]

    def sort(self, tree: Tree) -> SortedTree:
        """Sort the nodes of a tree by the classes of this data set."""
        if not isinstance(tree, Tree):
            raise InputError(
                f"a tree is of type {type(tree).__name__}",
                remedy="give a hedgerow.Tree: `tree_` of a fitted estimator, or "
                "Tree.from_sklearn(estimator)",
            )
        tree.check_width(self.n_features_in_)
        names = getattr(self, "feature_names_in_", None)
        if names is not None and tree.feature_names is not None:
            expected = [str(name) for name in names]
            if tree.feature_names != expected[: len(tree.feature_names)]:
                raise InputError(
                    "the variables of a tree have other names, or another order, than those of "
                    "the data given to fit",
                    remedy="give fit the columns that the tree was grown from, in their order",
                )
        tested = tree.feature[tree.feature >= 0]
        unknown = np.isnan(self.iqr_[tested])
        if unknown.any():
            j = int(tested[unknown][0])
            raise InputError(
                f"a tree tests variable {j if names is None else names[j]!r}, of which the data "
                "given to fit have no value",
                remedy="fit on data in which the variable is known",
            )
        sorted_tree = SortedTree()
        sorted_tree.tree = tree
        sorted_tree.side = self._sides(tree)
        (
            sorted_tree.class_weight,
            sorted_tree.swaps,
            sorted_tree.nodes,
            sorted_tree.first,
            sorted_tree.nodes_mirrored,
            sorted_tree.first_mirrored,
        ) = sort_tree(
            tree.feature,
            tree.threshold,
            tree.children_left,
            tree.children_right,
            tree.parent,
            sorted_tree.side,
            self._X,
            self._codes,
            self.class_order_,
        )
        return sorted_tree

    def _sides(self, tree: Tree) -> np.ndarray:
        """(n_nodes, n_categories) uint8 in the codes of the data; those that occur in the data."""
        given = tree.arrays()["categories_left"]
        nodes = np.flatnonzero(tree.is_categorical())
        if not len(nodes):
            return given[:, :0]
        size = max(int(self._occurring[j].max()) + 1 for j in tree.feature[nodes])
        side = np.full((tree.n_nodes, size), NEITHER, dtype=np.uint8)
        for node in nodes:
            j = int(tree.feature[node])
            codes = self._occurring[j].astype(np.intp)
            if (self._occurring[j] != codes).any() or codes[0] < 0:
                raise InputError(
                    f"a tree tests the categories of variable {j}, and the data given to fit "
                    "hold values other than 0, 1, 2, ... in it",
                    remedy="give fit the table that the tree was grown from, or one coded alike",
                )
            in_tree = codes
            labels, names = tree.categories.get(j), self._category_labels.get(j)
            if labels is not None and names is not None:
                place = {label: code for code, label in enumerate(labels)}
                in_tree = np.array([place.get(str(names[c]), -1) for c in codes], dtype=np.intp)
            is_coded = (in_tree >= 0) & (in_tree < given.shape[1])
            side[node, codes[is_coded]] = given[node, in_tree[is_coded]]
        return side


class Tests:
    """The distinct tests of some trees, each with a number.

    Equal tests have the same variable and threshold, or divide the categories that occur in the
    data alike, whichever side they call left.
    """

    def __init__(self):
        self._number = {}
        self._subset = []

    def __len__(self) -> int:
        return len(self._number)

    def number(self, sorted_tree: SortedTree) -> np.ndarray:
        """(n_nodes,) int32: number of each node's test, -1 at leaves."""
        tree = sorted_tree.tree
        keys = self._number
        numbers = np.full(tree.n_nodes, -1, dtype=np.int32)
        nodes = sorted_tree.nodes
        features, thresholds = tree.feature[nodes].tolist(), tree.threshold[nodes].tolist()
        here = []
        for node, feature, threshold in zip(nodes.tolist(), features, thresholds, strict=True):
            if threshold == threshold:
                key = (feature, threshold)
                subset = None
            else:
                subset = sorted_tree.side[node]
                occurring = subset[subset != NEITHER]
                if len(occurring) and occurring[0] == RIGHT:
                    subset = np.where(subset == NEITHER, NEITHER, 1 - subset).astype(np.uint8)
                # Trees have columns for the largest of their variables.
                subset = subset.tobytes().rstrip(bytes([NEITHER]))
                key = (feature, subset)
            at = keys.get(key)
            if at is None:
                at = keys[key] = len(keys)
                self._subset.append(subset)
            here.append(at)
        numbers[nodes] = here
        return numbers

    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Variable, threshold (NaN: categories) and sides of each test, in order of number."""
        feature = np.array([key[0] for key in self._number], dtype=np.int32)
        threshold = np.array(
            [np.nan if isinstance(key[1], bytes) else key[1] for key in self._number],
            dtype=np.float64,
        )
        size = max((len(s) for s in self._subset if s is not None), default=0)
        side = np.full((len(feature), max(size, 1)), NEITHER, dtype=np.uint8)
        for number, subset in enumerate(self._subset):
            if subset is not None:
                side[number, : len(subset)] = np.frombuffer(subset, dtype=np.uint8)
        return feature, threshold, side
