"""The binary tree as a structure of arrays."""

from __future__ import annotations

import importlib
import json
from collections.abc import Mapping
from functools import cached_property
from numbers import Integral
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from hedgerow.checks import LARGEST_COUNT, check_choice, check_memory, check_number, suggesting
from hedgerow.errors import InputError
from hedgerow.tree import validation
from hedgerow.tree._gates import Gates
from hedgerow.tree._traversal import Traversal
from hedgerow.tree.gates import AnyGate, NoiseGate, check_noise, gate_from_dict
from hedgerow.tree.metadata import (
    Names,
    label_list,
    metadata_from_json,
    metadata_to_json,
    names_of,
    variables_of,
)
from hedgerow.tree.nodes import arrays_from_nodes
from hedgerow.tree.statistics import restore
from hedgerow.tree.table import table_of

if TYPE_CHECKING:
    import pandas as pd

FORMAT = "hedgerow-tree"
VERSION = 1  # as it is written
READ = (1, 2)  # the second is that of trees by hand
MOST_BLANKS = 100  # of indent; text grows with them

_ARRAYS = {
    "feature": np.int32,
    "threshold": np.float64,
    "center": np.float64,
    "children_left": np.int32,
    "children_right": np.int32,
    "parent": np.int32,
    "share_left": np.float64,
    "class_weight": np.float64,
    "categories_left": np.uint8,
}
_TABLES = ("class_weight", "categories_left")
_METADATA = ("gate", "classes", "feature_names", "categories", "statistics")


def _entropy(share: np.ndarray) -> np.ndarray:
    """Bits, of class shares along the last axis."""
    return -np.where(share > 0, share * np.log2(share), 0.0).sum(axis=-1)


def _gini(share: np.ndarray) -> np.ndarray:
    return 1.0 - (share**2).sum(axis=-1)


def _errors(share: np.ndarray) -> np.ndarray:
    return 1.0 - share.max(axis=-1)


_IMPURITIES = {"entropy": _entropy, "gini": _gini, "errors": _errors}


def _attribute(name: str) -> str:
    return "_categories_left" if name == "categories_left" else name


class Tree:
    """A decision tree: every node is a test plus a gate.

    Nodes are numbered in preorder, 0 is the root. Read-only once made.

    Parameters
    ----------
    feature : (n_nodes,) int
        Variable tested, -1 at leaves.
    threshold : (n_nodes,) float
        ``x >= threshold`` goes right (thesis, equation 2.1); NaN at leaves and at tests on
        categories.
    children_left, children_right, parent : (n_nodes,) int
        -1 where there is none.
    share_left : (n_nodes,) float
        Share of the known training weight that went left; where a value is missing, the gate.
    class_weight : (n_nodes, n_classes) float
        Training weight of each class.
    categories_left : (n_nodes, n_categories) bool, optional
        Categories that go left; those absent at a node are on its heavier side.
    center : (n_nodes,) float, optional
        Centre of a soft gate; the threshold by default.
    gate : NoiseGate, ThresholdGate, CategoryGate or CategoryNoise, optional
        With which instances are propagated at evaluation: noise (soft evaluation), uncertain
        values (UDT), piecewise-linear thresholds (PLT), uncertain categories; None: hard.
    classes : sequence, optional
        Labels, in the order of the columns of `class_weight`.
    feature_names : sequence of str, optional
    categories : dict, optional
        Variable -> labels of its categories, in the order of their codes.
    """

    feature: np.ndarray
    threshold: np.ndarray
    center: np.ndarray
    children_left: np.ndarray
    children_right: np.ndarray
    parent: np.ndarray
    share_left: np.ndarray
    class_weight: np.ndarray
    _categories_left: np.ndarray

    def __init__(
        self,
        feature,
        threshold,
        children_left,
        children_right,
        parent,
        share_left,
        class_weight,
        categories_left=None,
        center=None,
        *,
        gate: AnyGate | None = None,
        classes=None,
        feature_names=None,
        categories=None,
        statistics: dict | None = None,
        _checked: bool = False,
    ):
        with validation.parse_errors_of("`feature` of a tree"):
            n = len(feature)
        given = {
            "feature": feature,
            "threshold": threshold,
            "center": threshold if center is None else center,
            "children_left": children_left,
            "children_right": children_right,
            "parent": parent,
            "share_left": share_left,
            "class_weight": class_weight,
            "categories_left": (np.zeros((n, 0)) if categories_left is None else categories_left),
        }
        for name, dtype in _ARRAYS.items():
            if _checked:
                array = np.ascontiguousarray(given[name], dtype=dtype)
            else:
                array = validation.as_array(name, given[name], dtype, 1 + (name in _TABLES))
            array.setflags(write=False)
            setattr(self, _attribute(name), array)
        self.gate = gate
        self.statistics = statistics
        self._leaf_values: dict[bool, np.ndarray] = {}  # by whether they are smoothed
        self._idle: dict[tuple[int, int], list[Traversal]] = {}  # by gate and number of variables
        with validation.parse_errors_of("`classes`, `feature_names` or `categories` of a tree"):
            if classes is not None:
                classes = label_list(names_of("classes", classes, range(self.n_classes)))
            self.classes = classes
            if feature_names is not None:
                columns = variables_of(None, self.feature, feature_names)
                feature_names = [str(f) for f in names_of("feature_names", feature_names, columns)]
            self.feature_names = feature_names
            self.categories = {
                int(k): list(names_of("categories", v, range(len(v))))
                for k, v in (categories or {}).items()
            }
        if not _checked:
            validation.check_arrays(self)
            self._check_metadata()

    def _check_metadata(self) -> None:
        """Refuse names, statistics and a gate that do not fit the arrays."""
        validation.check_names(self)
        if self.gate is not None:
            validation.check_gate(self.gate, self)

    def __getstate__(self) -> dict:
        """Arrays and metadata; all else is computed from them."""
        names = (*map(_attribute, _ARRAYS), *_METADATA)
        return {name: self.__dict__[name] for name in names}

    def __setstate__(self, state: dict) -> None:
        """Unpickled and copied: checked like what is read, and read-only again."""
        with validation.parse_errors_of("a pickled tree"):
            arrays = {name: state[_attribute(name)] for name in _ARRAYS}
            metadata = {name: state[name] for name in _METADATA}
        Tree.__init__(self, **arrays, **metadata)

    # -- arrays and sizes ---------------------------------------------------------------

    def arrays(self) -> dict[str, np.ndarray]:
        """The arrays by name, as the core reads them (read-only views)."""
        return {name: getattr(self, _attribute(name)) for name in _ARRAYS}

    @property
    def categories_left(self) -> np.ndarray:
        """(n_nodes, n_categories) bool: the categories that go left."""
        return self._categories_left.view(np.bool_)

    @property
    def n_nodes(self) -> int:
        """Number of nodes, leaves included."""
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        """Number of leaves."""
        return int(np.count_nonzero(self.feature < 0))

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return self.class_weight.shape[1]

    @cached_property
    def node_depth(self) -> np.ndarray:
        """(n_nodes,) int: number of tests above each node."""
        depth = np.zeros(self.n_nodes, dtype=np.intp)
        for node in range(1, self.n_nodes):
            depth[node] = depth[self.parent[node]] + 1
        return depth

    @property
    def depth(self) -> int:
        """Number of tests on the longest path."""
        return int(self.node_depth.max())

    @cached_property
    def sorted_thresholds(self) -> dict[int, np.ndarray]:
        """Variable -> its thresholds, ascending, each once; of tests on numbers."""
        tests = np.flatnonzero(~np.isnan(self.threshold))
        tests = tests[np.lexsort([self.threshold[tests], self.feature[tests]])]
        variables, starts = np.unique(self.feature[tests], return_index=True)
        parts = np.split(self.threshold[tests], starts)[1:]
        return {j: np.unique(part) for j, part in zip(variables.tolist(), parts, strict=True)}

    def is_leaf(self) -> np.ndarray:
        """(n_nodes,) bool."""
        return self.feature < 0

    def is_categorical(self) -> np.ndarray:
        """(n_nodes,) bool: tests on categories."""
        return (self.feature >= 0) & np.isnan(self.threshold)

    def __eq__(self, other) -> bool:
        if not isinstance(other, Tree):
            return NotImplemented
        mine, theirs = self.arrays(), other.arrays()
        return all(np.array_equal(mine[k], theirs[k], equal_nan=True) for k in mine)

    __hash__ = None  # type: ignore[assignment]  # as Python does for a class with __eq__ alone

    def __repr__(self) -> str:
        return f"Tree({self.n_leaves} leaves, depth {self.depth})"

    # -- values at nodes ----------------------------------------------------------------

    def probabilities(self, smoothing: bool = False) -> np.ndarray:
        """Class probabilities at every node, (n_nodes, n_classes).

        Training weight shares; with `smoothing`, Laplace: (n_c + 1) / (n + C).  A node without
        training weight takes those of its parent.
        """
        return self._probabilities(bool(smoothing)).copy()

    def _probabilities(self, smoothing: bool) -> np.ndarray:
        """`probabilities`, computed once."""
        if smoothing not in self._leaf_values:
            weight = self.class_weight.sum(axis=1, keepdims=True)
            if smoothing:
                shares = (self.class_weight + 1.0) / (weight + self.n_classes)
            else:
                with np.errstate(invalid="ignore", divide="ignore"):
                    shares = self.class_weight / weight
                for node in np.flatnonzero(weight[:, 0] <= 0):
                    shares[node] = 1.0 / self.n_classes if node == 0 else shares[self.parent[node]]
            self._leaf_values[smoothing] = np.ascontiguousarray(shares)
        return self._leaf_values[smoothing]

    def importances(self, n_features: int, impurity: str = "entropy") -> np.ndarray:
        """How much the tests of each variable lower the impurity; adds up to 1 (or is 0).

        Parameters
        ----------
        n_features : int
            Number of variables of the data.
        impurity : {"entropy", "gini", "errors"}, default "entropy"
            Of a node: entropy in bits, Gini index, or share of the weight outside the largest
            class.

        Returns
        -------
        (n_features,) float64
            For each variable the loss of impurity at its tests, weighted by their training weight.

        Raises
        ------
        InputError
            No number of variables, or another impurity.
        """
        check_number("n_features", n_features, 0, LARGEST_COUNT, whole=True)
        check_memory(f"n_features={n_features}", 16.0 * n_features, "give the columns of the data")
        check_choice("impurity", impurity, tuple(_IMPURITIES))
        weight = self.class_weight.sum(axis=1)
        with np.errstate(invalid="ignore", divide="ignore"):
            of_node = weight * _IMPURITIES[impurity](self.class_weight / weight[:, None])
        of_node[weight <= 0] = 0.0
        inner = np.flatnonzero(self.feature >= 0)
        left, right = self.children_left[inner], self.children_right[inner]
        gain = of_node[inner] - of_node[left] - of_node[right]
        # Without a test numpy counts in whole numbers.
        importance = np.bincount(
            self.feature[inner], weights=np.maximum(gain, 0.0), minlength=n_features
        ).astype(np.float64)
        total = importance.sum()
        return importance / total if total > 0 else importance

    # -- traversal ----------------------------------------------------------------------

    @cached_property
    def _last_variable(self) -> int:
        return int(self.feature.max())

    def check_width(self, n_variables: int) -> None:
        """Refuse data with fewer variables than the tree tests.

        Raises
        ------
        InputError
        """
        if self._last_variable >= n_variables:
            raise InputError(
                f"the tree tests variable {self._last_variable} and the data have "
                f"{n_variables} variables",
                remedy="give the variables that the tree was grown from, in their order",
            )

    def _rows(self, X: Any) -> np.ndarray:
        """X as the core walks over it: as it lies, if that is in steps of whole numbers."""
        X = table_of(self, X)
        if X.ndim != 2:
            raise InputError(
                f"X has {X.ndim} dimensions", remedy="give one row per instance, (n, m)"
            )
        self.check_width(X.shape[1])
        # Fields of structured arrays lie at any byte.
        steps = X.flags.aligned and not any(stride % X.itemsize for stride in X.strides)
        return X if steps else X.copy()

    def _traversal(self, n_variables: int, gate: AnyGate | None) -> Traversal:
        if isinstance(gate, NoiseGate):
            check_noise(gate, n_variables, "evaluation")
        if gate is not None:
            validation.check_gate(gate, self)
        return Traversal(self, Gates(gate, n_variables, exact=True))

    def _walk(self, X: Any, evaluation: Any, method: str, *arguments: Any) -> Any:
        """Call a method of a `Traversal` for a table.

        A traversal is at work for one table at a time, so that threads take one each; those of
        the tree's own gate and of none are used again. A gate with models may keep what they gave.
        """
        X = self._rows(X)
        gate = self._evaluation(evaluation)
        idle: list[Traversal] = []
        if gate is None or (gate is self.gate and not getattr(gate, "models", None)):
            idle = self._idle.setdefault((id(gate), X.shape[1]), idle)
        try:
            traversal = idle.pop()
        except IndexError:
            traversal = self._traversal(X.shape[1], gate)
        outcome = getattr(traversal, method)(X, *arguments)
        idle.append(traversal)
        return outcome

    def _evaluation(self, evaluation: Any) -> AnyGate | None:
        if isinstance(evaluation, str) and evaluation == "own":
            return self.gate
        if evaluation is None or isinstance(evaluation, AnyGate):
            return evaluation
        return NoiseGate(np.asarray(evaluation, dtype=np.float64))

    def predict_proba(
        self, X, evaluation: Any = "own", smoothing: bool = False, root: int = 0
    ) -> np.ndarray:
        """Class probabilities, mixed over the leaves by the gates (thesis, equation 3.10).

        Parameters
        ----------
        X : (n, m) float64
            NaN is missing; categories as codes.
        evaluation : "own", None, a gate as of the tree, or (m,) float
            The tree's own gate, none (hard), another, or the standard deviation of normal noise
            for each variable (soft evaluation).
        smoothing : bool
            Laplace-smoothed leaves.
        root : int, default 0
            Node at which instances enter: its branch alone is read.

        Returns
        -------
        (n, n_classes) float64

        Raises
        ------
        InputError
            `root` is no node of the tree, or the data or the gate do not fit it.
        """
        if isinstance(root, bool) or not isinstance(root, Integral) or not 0 <= root < self.n_nodes:
            raise InputError(
                f"root is {root!r}",
                remedy=f"give the number of a node, from 0 to {self.n_nodes - 1}",
            )
        return self._walk(X, evaluation, "mix", self._probabilities(bool(smoothing)), root)

    def apply(self, X, evaluation: Any = "own") -> np.ndarray:
        """Leaf with the largest share of each instance (ties: the lower index), (n,) int."""
        return self._walk(X, evaluation, "apply")

    def shares(self, X, evaluation: Any = "own") -> sparse.csr_array:
        """Share of each instance at every node it reaches, (n, n_nodes) sparse."""
        indptr, nodes, shares = self._walk(X, evaluation, "visits")
        matrix = sparse.csr_array((shares, nodes, indptr), shape=(len(indptr) - 1, self.n_nodes))
        matrix.sort_indices()
        return matrix

    def decision_path(self, X, evaluation: Any = "own") -> sparse.csr_array:
        """Every node with a share above 0, (n, n_nodes) sparse with ones."""
        path = self.shares(X, evaluation)
        path.data = np.ones(path.data.shape, dtype=np.int64)
        return path

    def annotate(self, X, y, sample_weight=None) -> Tree:
        """A copy with the node statistics of this data set (`hedgerow.tree.statistics`)."""
        from hedgerow.tree.statistics import node_statistics

        return self.replace(statistics=node_statistics(self, X, y, sample_weight))

    def refit(self, X, y, sample_weight=None) -> Tree:
        """A copy with the weights that rows have at its nodes; its tests and gate stay.

        Parameters
        ----------
        X : (n, m) array or data frame
            NaN is missing; categories as codes, or in a frame by their labels.
        y : (n,) array
            Labels of `classes`, or codes where the tree names none.
        sample_weight : (n,) float64, optional

        Returns
        -------
        Tree
            `class_weight` and `share_left` are those of these rows; a test that no known value
            reaches keeps its share, and a category without a code goes to the heavier side.
            Statistics are left out.

        Raises
        ------
        InputError
            A label that is no class of the tree, rows of another number or width.
        """
        from hedgerow.tree.statistics import codes_of, observed_shares, weights_of

        X = self._rows(X)
        codes, weight = codes_of(self, y), weights_of(sample_weight, len(X))
        if len(codes) != len(X):
            raise InputError(f"y has {len(codes)} entries for {len(X)} rows", "give one per row")
        tree = self
        for _ in range(self.depth + 1):
            before, tree = tree, tree._with(share_left=observed_shares(tree, X, weight))
            # A category without a code goes to the heavier side, and so may pull others along.
            if not np.any((before.share_left >= 0.5) != (tree.share_left >= 0.5)):
                break
        by_class = np.zeros((len(X), self.n_classes))
        by_class[np.arange(len(X)), codes] = weight
        return tree._with(class_weight=tree.shares(X).T @ by_class)

    def snip(self, *nodes: int) -> Tree:
        """A copy in which these nodes are leaves (`hedgerow.tree.cut`).

        Parameters
        ----------
        *nodes : int
            Numbers of nodes, as `to_frame` and `apply` give them; a leaf stays one.

        Returns
        -------
        Tree
            Nodes are renumbered. A leaf predicts by the training weight that reached it. The gate
            stays, as do statistics of the nodes that are left.

        Raises
        ------
        InputError
            A number that is no node.
        """
        return _by_name("hedgerow.tree.cut").snip(self, nodes)

    def simplify(self) -> Tree:
        """A copy without tests that decide nothing: sister leaves of one class become one.

        From below, until no two are left. `predict` gives the same class where the tree is read
        hard; probabilities become those of the joined leaf.
        """
        return _by_name("hedgerow.tree.cut").simplify(self)

    def _with(self, **arrays: Any) -> Tree:
        """A copy with other numbers at its nodes, without statistics."""
        metadata = {name: getattr(self, name) for name in _METADATA if name != "statistics"}
        return Tree(**{**self.arrays(), **arrays}, **metadata)

    def replace(self, **changes: Any) -> Tree:
        """A copy with other labels, gate or statistics.

        A dictionary, or a Series by its index, gives other names to some `classes` or
        `feature_names`.

        Raises
        ------
        InputError
            Names that do not fit, or a set of them.
        """
        kept = {name: getattr(self, name) for name in _METADATA}
        if changes.get("classes") is not None and self.classes is not None:
            changes["classes"] = names_of("classes", changes["classes"], self.classes)
        if changes.get("feature_names") is not None and self.feature_names is not None:
            names = names_of("feature_names", changes["feature_names"], self.feature_names)
            changes["feature_names"] = names
        arrays: dict[str, Any] = {**self.arrays()}
        tree = Tree(**arrays, **{**kept, **changes}, _checked=True)
        tree._check_metadata()
        return tree

    # -- other forms --------------------------------------------------------------------

    def to_frame(self) -> pd.DataFrame:
        """One row per node: the arrays as columns, class weights as ``weight_<class>``."""
        from hedgerow.tree.export import tree_to_frame

        return tree_to_frame(self)

    def to_json(self, indent: int | None = None) -> str:
        """A versioned JSON form; `from_json` gives an equal tree. At most 100 blanks of indent."""
        if indent is not None:
            check_number("indent", indent, 0, MOST_BLANKS, whole=True)
        arrays = {
            name: [None if isinstance(v, float) and np.isnan(v) else v for v in array.tolist()]
            if array.ndim == 1
            else array.tolist()
            for name, array in self.arrays().items()
        }
        form = {
            "format": FORMAT,
            "version": VERSION,
            "n_classes": self.n_classes,
            "n_categories": self._categories_left.shape[1],
            **metadata_to_json(self),
            "statistics": None if self.statistics is None else _plain(self.statistics),
            **arrays,
        }
        return json.dumps(form, indent=indent, allow_nan=False)

    @classmethod
    def from_json(cls, text: str) -> Tree:
        """The tree that `to_json` wrote, checked whole; nothing in the text is called.

        A tree by hand, node within node, is read as well: docs/tree_json.md has both forms, and
        ``hedgerow/tree/tree.schema.json`` says what they may hold.

        Raises
        ------
        InputError
            The text is no such form, or of a version this code does not know.
        """
        try:
            form = json.loads(text)
        except (RecursionError, TypeError, ValueError) as error:
            raise InputError(
                f"the text is not JSON ({error})", remedy="give what Tree.to_json wrote"
            ) from None
        if not isinstance(form, dict) or form.get("format") != FORMAT:
            raise InputError("the JSON is not a tree", remedy="give what Tree.to_json wrote")
        if form.get("version") not in READ or isinstance(form["version"], bool):
            raise InputError(
                f"the tree has version {form.get('version')!r}, this hedgerow reads "
                f"{' and '.join(map(str, READ))}",
                remedy="write it again with this version",
            )
        if form["version"] == 2:
            with validation.parse_errors_of("the gate of the tree"):
                gate = gate_from_dict(form.get("gate"))
            return cls(**arrays_from_nodes(form), gate=gate)
        arrays = {}
        for name in _ARRAYS:
            with validation.parse_errors_of(f"`{name}` of the tree"):
                arrays[name] = form[name]
                if name in ("threshold", "center", "share_left"):
                    arrays[name] = [np.nan if v is None else v for v in form[name]]
        with validation.parse_errors_of("`statistics` of the tree"):
            statistics = restore(form["statistics"])
        tree = cls(**arrays, **metadata_from_json(form), statistics=statistics)
        widths = {"n_classes": tree.n_classes, "n_categories": tree.categories_left.shape[1]}
        for name, width in widths.items():
            if form.get(name) != width:
                raise InputError(
                    f"`{name}` of the tree is {form.get(name)!r}, and its arrays have {width}",
                    remedy=validation.REMEDY,
                )
        return tree

    @classmethod
    def from_sklearn(cls, estimator) -> Tree:
        """The tree of a fitted scikit-learn tree classifier.

        Its test is ``x <= t`` on 32-bit floats, ours ``x < t``: the threshold becomes the next
        32-bit float, so that 32-bit inputs go the same way. A missing value goes whole to the side
        that scikit-learn has learnt.

        Raises
        ------
        InputError
            It is no fitted `sklearn.tree` classifier of one target.
        """
        source = _sklearn_tree(estimator)
        inner = source.children_left >= 0
        threshold = np.full(source.node_count, np.nan)
        # scikit-learn compares float32(x) <= threshold (float64): the largest float32 that
        # still goes left, and then the one above it.
        lower = source.threshold[inner].astype(np.float32)
        too_high = lower.astype(np.float64) > source.threshold[inner]
        lower[too_high] = np.nextafter(lower[too_high], np.float32(-np.inf))
        above = np.nextafter(lower, np.float32(np.inf)).astype(np.float64)
        # A test on missing values alone: all that is known is below its threshold.
        threshold[inner] = np.minimum(above, np.finfo(np.float64).max)
        parent = np.full(source.node_count, -1)
        nodes = np.flatnonzero(inner)
        parent[source.children_left[nodes]] = nodes
        parent[source.children_right[nodes]] = nodes
        weight = source.weighted_n_node_samples
        values = source.value[:, 0, :]
        total = values.sum(axis=1, keepdims=True)
        shares = np.divide(values, total, out=np.zeros_like(values), where=total > 0)
        share = np.full(source.node_count, np.nan)
        share[inner] = source.missing_go_to_left[inner]
        names = getattr(estimator, "feature_names_in_", None)
        return cls(
            np.where(inner, source.feature, -1),
            threshold,
            source.children_left,
            source.children_right,
            parent,
            share,
            shares * weight[:, None],
            classes=estimator.classes_,
            feature_names=names,
        )

    def to_sklearn(self, n_features: int | None = None, **options):
        """This tree as a fitted `sklearn.tree.DecisionTreeClassifier`.

        For hard tests on numbers, without gates. scikit-learn rounds values to 32 bits; thresholds
        are rounded the same way, so that the rows of training reach their leaves. Options are
        those of `hedgerow.exchange.to_sklearn`.

        n_features : of the rows; by default as many as the tree names, or tests.

        Raises
        ------
        InputError
            Tests on categories, or a gate.
        """
        return _by_name("hedgerow.exchange").to_sklearn(self, n_features, **options)

    def rules(self, **options) -> pd.DataFrame | str:
        """One row for each leaf: its conditions, class, weight (`hedgerow.exchange.rules`)."""
        return _by_name("hedgerow.exchange").rules(self, **options)

    def to_sql(self, **options) -> str:
        """The tree as an expression of SQL (`hedgerow.exchange.to_sql`)."""
        return _by_name("hedgerow.exchange").to_sql(self, **options)

    def to_python(self, **options) -> str:
        """The tree as a function in plain Python (`hedgerow.exchange.to_python`)."""
        return _by_name("hedgerow.exchange").to_python(self, **options)

    def to_text(
        self,
        decimals: int | None = None,
        class_names: Names | None = None,
        feature_names: Names | None = None,
        units: Mapping[str, str] | None = None,
    ) -> str:
        """The rules, one line per node, indented by depth.

        Parameters
        ----------
        decimals : int, optional
            Round thresholds to this many significant digits after the first, and more where two
            thresholds of a variable would read the same. By default a threshold has all the digits
            that it takes to read the same number back: it is an observed value, and rounded up it
            would send the rows of that value to the other side. Whole numbers are written in full.
        class_names : sequence of str or dict, optional
            Names of the classes in the order of `classes`, where those are numbers; or label ->
            name of some of them. A Series is read by its index.
        feature_names : sequence of str or dict, optional
            Names of the variables, in the place of those that the tree knows; or name or number ->
            name of some of them.
        units : dict, optional
            Name or number of a variable -> its unit, behind each threshold.

        Raises
        ------
        InputError
            Another number of names than of classes or variables, a set of names, a name or a unit
            of something that the tree does not know.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from hedgerow import C45Classifier
        >>> iris = load_iris()
        >>> tree = C45Classifier(max_depth=1).fit(iris.data, iris.target).tree_
        >>> print(tree.to_text(class_names=iris.target_names), end="")
        x2 < 3: setosa (n = 50: setosa 1.00, versicolor 0.00, virginica 0.00)
        x2 >= 3: versicolor (n = 100: setosa 0.00, versicolor 0.50, virginica 0.50)
        """
        from hedgerow.tree.export import to_text

        return to_text(self, decimals, class_names, feature_names, units)

    def to_dot(
        self,
        decimals: int | None = None,
        class_names: Names | None = None,
        feature_names: Names | None = None,
        units: Mapping[str, str] | None = None,
    ) -> str:
        """Graphviz source; parameters as in `to_text`."""
        from hedgerow.tree.export import to_dot

        return to_dot(self, decimals, class_names, feature_names, units)

    def plot(self, ax=None, **options):
        """Draw the tree with matplotlib (`hedgerow.drawing.plot_tree`)."""
        return _by_name("hedgerow.drawing").plot_tree(self, ax=ax, **options)

    def to_svg(self, **options) -> str:
        """The drawing as a text in SVG (`hedgerow.drawing.tree_to_svg`)."""
        return _by_name("hedgerow.drawing").tree_to_svg(self, **options)

    def _repr_html_(self) -> str:
        """The drawing, for notebooks."""
        return _by_name("hedgerow.drawing").tree_to_html(self)

    @suggesting
    def explain(self, X, error=None, *, given: str = "measured"):
        """Why rows are answered as they are, and how sure that is (`hedgerow.explanation`).

        Parameters
        ----------
        X : (m,) or (n, m) array, Series or data frame
        error : optional
            Errors of measurement, in any form of `hedgerow.resolve_error`.
        given : {"measured", "true"}
            What the values are of which it is asked whether another measurement would be answered
            otherwise: measured, as it would be, or true.

        Returns
        -------
        Explanation or Explanations
            Of one row, or of the rows of a table.
        """
        return _by_name("hedgerow.explanation").explain_tree(self, X, error, given)


def _by_name(module: str) -> Any:
    """A module that shows, cuts or writes trees.

    By its name: what is made of a tree is no part of what it is, and the digest of a learner
    follows imports.
    """
    return importlib.import_module(module)


def _sklearn_tree(estimator: Any) -> Any:
    from sklearn.exceptions import NotFittedError
    from sklearn.tree import DecisionTreeClassifier
    from sklearn.utils.validation import check_is_fitted

    name = type(estimator).__name__
    if not isinstance(estimator, DecisionTreeClassifier):
        raise InputError(
            f"a {name} is no scikit-learn tree classifier",
            remedy="give a DecisionTreeClassifier; of a forest, one of its `estimators_`",
        )
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        raise InputError(f"this {name} is not fitted", remedy="fit it first") from None
    if estimator.tree_.n_outputs != 1:
        raise InputError(
            f"this {name} has {estimator.tree_.n_outputs} targets",
            remedy="fit one tree for each of them",
        )
    return estimator.tree_


def _plain(value):
    """Statistics as lists, numbers and strings; not-a-number as None."""
    if isinstance(value, dict):
        return {str(k): _plain(v) for k, v in value.items()}
    if isinstance(value, np.ndarray):
        return _plain(value.tolist())
    if isinstance(value, (list, tuple)):
        return [_plain(v) for v in value]
    if isinstance(value, float) and not np.isfinite(value):
        return None
    if isinstance(value, np.generic):
        return _plain(value.item())
    return value
