"""A tree as source of a function in plain Python, for where nothing else is installed."""

from __future__ import annotations

import builtins
import keyword
import math
from typing import Any

import numpy as np

from hedgerow.errors import InputError
from hedgerow.exchange.branches import (
    Branches,
    Interval,
    Subset,
    check_different,
    check_hard,
    labels_of,
    names_of_tested,
)
from hedgerow.tree import Tree
from hedgerow.tree.export import rename_tree
from hedgerow.tree.metadata import Names

# A table and a loop: branches as code would be limited to a hundred levels by Python's indentation.
_SOURCE = '''\
# Tests: variable; threshold, or categories; where it holds (below the threshold, one of the
# categories) and where not, a test's place or ~ that of a leaf; share of a missing value that goes
# where it holds.
_{name}_tests = [
{tests}]
_{name}_leaves = [
{leaves}]
_{name}_classes = [{classes}]


def {name}(row):
    """Probability of each class, {{class: probability}}.

    row: mapping of the names of variables to values; None and NaN are missing.
    """
    found = [0.0] * len(_{name}_classes)
    waiting = [({root}, 1.0)]
    while waiting:
        place, share = waiting.pop()
        while place >= 0:
            variable, cut, holds, otherwise, missing = _{name}_tests[place]
            value = row[variable]
            if value is None or value != value:
                waiting.append((otherwise, share * (1.0 - missing)))
                place, share = holds, share * missing
            elif isinstance(cut, float):
                place = holds if value < cut else otherwise
            else:
                place = holds if value in cut or str(value) in cut else otherwise
        for c, probability in enumerate(_{name}_leaves[~place]):
            found[c] += share * probability
    return dict(zip(_{name}_classes, found))
'''


def to_python(
    tree: Tree,
    name: str = "predict_proba",
    class_names: Names | None = None,
    feature_names: Names | None = None,
) -> str:
    """The tree as source of a Python function that needs nothing but Python.

    Parameters
    ----------
    tree : Tree
        Without a gate that divides rows.
    name : str
        Of the function; its tables are called ``_<name>_tests`` and so on.
    class_names, feature_names
        As in `Tree.to_text`.

    Returns
    -------
    str
        A module with the function. It takes a mapping of the names of variables to values (None
        and NaN are missing, categories are given by their labels or, where the tree knows none,
        by codes) and returns a dict of class -> probability, that of `Tree.predict_proba`, missing
        values and new categories included. A variable that is asked for and not in the mapping is
        a KeyError. Labels that are neither text, number nor truth value are written as texts.

    Raises
    ------
    InputError
        A gate that divides rows, a name that Python does not take, two variables or classes of one
        name.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hedgerow import C45Classifier
    >>> iris = load_iris()
    >>> tree = C45Classifier(max_depth=1).fit(iris.data, iris.target).tree_
    >>> names = ["sl", "sw", "pl", "pw"]
    >>> module = {}
    >>> exec(tree.to_python(feature_names=names, class_names=iris.target_names), module)
    >>> module["predict_proba"]({"pl": 4.7})
    {'setosa': 0.0, 'versicolor': 0.5, 'virginica': 0.5}
    """
    taken = isinstance(name, str) and (keyword.iskeyword(name) or hasattr(builtins, name))
    if taken or not isinstance(name, str) or not name.isidentifier():
        raise InputError(f"name is {name!r}", remedy="give a name that a function can have")
    check_hard(tree, "Python")
    tree = rename_tree(tree, class_names, feature_names)
    classes = [_label(label) for label in labels_of(tree)]
    check_different("classes", classes, "give `class_names` that differ")
    leaf = tree.is_leaf()
    # Tests and leaves are counted apart: ~0, ~1, ... are the leaves.
    place = np.where(leaf, -leaf.cumsum(), (~leaf).cumsum() - 1).tolist()
    names, branches = names_of_tested(tree), Branches(tree, tree.gate)
    tests = []
    for node in np.flatnonzero(~leaf).tolist():
        cut, holds, otherwise, missing = _test(branches, node)
        variable = names[int(tree.feature[node])]
        test = (variable, cut, place[holds], place[otherwise], missing)
        tests.append(f"    {test!r},\n")
    leaves = [f"    {share!r},\n" for share in map(tuple, tree.probabilities()[leaf].tolist())]
    return _SOURCE.format(
        name=name,
        tests="".join(tests),
        leaves="".join(leaves),
        classes=", ".join(map(repr, classes)),
        root=place[0],
    )


def _test(branches: Branches, node: int) -> tuple[float | tuple, int, int, float]:
    """Threshold or categories, the nodes where that holds and where not, the share of the first."""
    left, right = branches.at(node)
    below, above = branches.tree.children_left[node], branches.tree.children_right[node]
    if isinstance(left, Interval):
        return left.upper, below, above, left.missing
    assert isinstance(right, Subset)
    if left.new:  # listed are categories that go where new ones do not
        left, right, below, above = right, left, above, below
    return tuple(branches.spelled(left)), below, above, left.missing


def _label(label: Any) -> Any:
    """A label as a constant of Python: a text, a finite number or a truth value."""
    for kind in (bool, int, str):
        if isinstance(label, kind):
            return kind(label)
    finite = isinstance(label, float) and math.isfinite(label)
    return float(label) if finite else str(label)
