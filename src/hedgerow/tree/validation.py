"""What makes a tree sound: all that the core, the texts and the pictures take for granted.

Trees that learners have grown are sound as they come. One that was read, unpickled or put together
by hand is checked whole, before anything else sees it.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from hedgerow.checks import check_unmasked
from hedgerow.errors import InputError

#: Nodes are numbered in 32 bits, and a list of them is laid out several times.
MOST_NODES = 2**26
#: Largest number of a variable: what is counted by variable has a place for each below it.
MOST_VARIABLES = 2**24

REMEDY = "give what a tree was written to, unchanged"


@contextlib.contextmanager
def parse_errors_of(part: str) -> Iterator[None]:
    """Turn what Python says of a part that has another form into a sentence."""
    try:
        yield
    except InputError:
        raise
    except (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError):
        raise InputError(f"{part} has another form than hedgerow writes", REMEDY) from None


def as_array(name: str, values: Any, dtype: type, n_dimensions: int = 1) -> np.ndarray:
    """An array of a tree, its numbers unchanged, in memory of its own.

    The caller may keep the original and write to it, through a memoryview or a memmap as well,
    after the tree was checked.
    """
    check_unmasked(f"`{name}` of a tree", values)
    with parse_errors_of(f"`{name}` of a tree"):
        array = np.asarray(values)
    if array.ndim != n_dimensions or (array.size and array.dtype.kind not in "biuf"):
        raise InputError(
            f"`{name}` of a tree is no table of numbers in {n_dimensions} dimension"
            + "s" * (n_dimensions > 1),
            remedy="give one entry per node",
        )
    if np.issubdtype(dtype, np.integer) and array.size:
        bounds = np.iinfo(dtype)
        # Written so that NaN is refused as well.
        if not ((array >= bounds.min) & (array <= bounds.max)).all() or (
            array.dtype.kind == "f" and (array != np.rint(array)).any()
        ):
            raise InputError(
                f"`{name}` of a tree holds more than whole numbers from {bounds.min} to "
                f"{bounds.max}",
                remedy="give numbers of nodes and variables, 0 or 1 for categories",
            )
    return np.array(array, dtype=dtype, order="C")


def check_arrays(tree: Any) -> None:
    """Refuse arrays that are no tree.

    Every node but the root is the child of one test, `parent` says which, and a child has a higher
    number than its parent: then every node is reached once, and nothing runs in a circle. Numbers
    are finite where they are read, weights at least 0, shares in [0, 1].
    """
    n = tree.n_nodes
    if n == 0:
        raise InputError("a tree has no node", remedy="give at least a root")
    if n > MOST_NODES:
        raise InputError(f"a tree has {n} nodes", remedy=f"give one of at most {MOST_NODES}")
    for name, array in tree.arrays().items():
        if array.shape[0] != n:
            raise InputError(
                f"array `{name}` of a tree has {array.shape[0]} nodes, `feature` {n}",
                remedy="give arrays of one length",
            )
    _check_shape(tree)
    _check_numbers(tree)


def _check_shape(tree: Any) -> None:
    n = tree.n_nodes
    _refuse(
        (tree.feature < -1) | (tree.feature >= MOST_VARIABLES),
        "feature",
        f"is no number of a variable from 0 to {MOST_VARIABLES - 1}, nor -1",
    )
    inner = tree.feature >= 0
    nodes = np.flatnonzero(inner)
    for name in ("children_left", "children_right"):
        child = getattr(tree, name)
        if ((child >= 0) != inner).any() or (child < -1).any() or (child >= n).any():
            raise InputError(
                f"`{name}` does not match `feature` in a tree of {n} nodes",
                remedy="give -1 at leaves and a node number at tests",
            )
        if (tree.parent[child[nodes]] != nodes).any() or (child[nodes] <= nodes).any():
            raise InputError(
                f"`{name}` and `parent` of a tree contradict each other",
                remedy="number the nodes in preorder",
            )
    children = np.concatenate([tree.children_left[nodes], tree.children_right[nodes]])
    times = np.bincount(children, minlength=n)
    times[0] += 1  # the root is reached without a test
    _refuse(times != 1, "children_left and children_right", "is not reached once")
    _refuse(
        (tree.parent >= 0) != (np.arange(n) > 0), "parent", "is -1 at another node than the root"
    )


def _check_numbers(tree: Any) -> None:
    inner = tree.feature >= 0
    categorical = tree.is_categorical()
    if categorical.any() and tree.categories_left.shape[1] == 0:
        raise InputError(
            f"`threshold` of node {int(categorical.argmax())} is NaN, as at tests on categories, "
            "and `categories_left` has no category",
            remedy="give the categories that go left, or a threshold",
        )
    for name in ("threshold", "center", "share_left"):
        _refuse(np.isinf(getattr(tree, name)), name, "is infinite")
    _refuse(np.isnan(tree.center) & inner & ~categorical, "center", "is NaN at a test on numbers")
    share = tree.share_left
    _refuse(inner & ~((share >= 0) & (share <= 1)), "share_left", "is not between 0 and 1")
    _refuse((tree.arrays()["categories_left"] > 1).any(axis=1), "categories_left", "is not 0 or 1")
    if tree.n_classes == 0:
        raise InputError("`class_weight` of a tree has no class", remedy="give at least one column")
    with np.errstate(over="ignore"):
        wrong = (tree.class_weight < 0).any(axis=1) | ~np.isfinite(tree.class_weight.sum(axis=1))
    _refuse(wrong, "class_weight", "is below 0, or adds up to no finite number")


def _refuse(wrong: np.ndarray, name: str, why: str) -> None:
    if wrong.any():
        raise InputError(f"`{name}` of node {int(wrong.argmax())} {why}", remedy=REMEDY)


def check_names(tree: Any) -> None:
    """Refuse names that do not fit the arrays of a tree, and statistics of another tree."""
    if tree.classes is not None:
        with parse_errors_of("`classes` of a tree"):
            different = len(set(tree.classes))
        if not different == len(tree.classes) == tree.n_classes:
            raise InputError(
                f"a tree of {tree.n_classes} classes has {different} different names of classes",
                remedy="give one for each class",
            )
    highest = int(tree.feature.max())
    names = tree.feature_names
    if names is not None and len(names) <= highest:
        raise InputError(
            f"a tree tests variable {highest} and has {len(names)} names of variables",
            remedy="give one for each variable",
        )
    width = tree.categories_left.shape[1]
    tested = set(tree.feature[tree.is_categorical()].tolist())
    for variable, labels in tree.categories.items():
        if variable < 0 or (variable in tested and len(labels) > width):
            raise InputError(
                f"a tree has {len(labels)} names of categories of variable {variable}, and "
                f"`categories_left` {width} columns",
                remedy="give a name for each category, by the number of its variable",
            )
    if tree.statistics is not None:
        _check_statistics(tree)


def _check_statistics(tree: Any) -> None:
    """`Tree.annotate` writes them; those of another tree have other shapes."""
    n, k = tree.n_nodes, tree.n_classes
    with parse_errors_of("`statistics` of a tree"):
        m = len(tree.statistics["feature_iqr"])
        shapes = {
            "n_rows": (),
            **dict.fromkeys(("weight", "iqr"), (n,)),
            **dict.fromkeys(("class_weight", "n", "mean", "sd", "normality_p"), (n, k)),
            "feature_iqr": (m,),
            **dict.fromkeys(("pearson", "spearman"), (m, m)),
            **dict.fromkeys(("class_order", "class_rank"), (k,)),
        }
        arrays = {name: np.asarray(value) for name, value in tree.statistics.items()}
        fits = m > tree.feature.max() and {n: v.shape for n, v in arrays.items()} == shapes
        fits = fits and all(v.dtype.kind in "iuf" for v in arrays.values())
        for name in ("class_order", "class_rank"):
            fits = fits and sorted(arrays[name].tolist()) == list(range(k))
    if not fits:
        raise InputError(
            "`statistics` of a tree are those of another one", remedy="take those of Tree.annotate"
        )


def check_gate(gate: Any, tree: Any) -> None:
    """Refuse a gate that does not fit a tree: the core would read beyond it."""
    with parse_errors_of(f"the gate of a tree ({type(gate).__name__})"):
        gate.check(tree)


def check_lengths(name: str, values: Any, least: float = 0.0) -> np.ndarray:
    """Numbers in one dimension, finite and at least so large."""
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1 or not (np.isfinite(numbers) & (numbers >= least)).all():
        raise InputError(
            f"{name} is no list of finite numbers of at least {least:g}",
            remedy="give one number for each variable",
        )
    return numbers


def is_number(value: Any) -> bool:
    """Whether it is a finite number, and no truth value."""
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def check_keys(form: Any, *names: str, optional: tuple[str, ...] = ()) -> Mapping[str, Any]:
    """A mapping with these names, and with no others."""
    if not isinstance(form, dict) or not set(names) <= set(form) <= {*names, *optional}:
        raise InputError(
            f"a gate of a tree has other parts than {', '.join(names)}",
            remedy=REMEDY,
        )
    return form
