"""A tree as rules, one for each leaf."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from hedgerow.checks import check_flag
from hedgerow.exchange.branches import Branches, Condition, Interval, labels_of, name_of
from hedgerow.optional_imports import import_optional
from hedgerow.texts import one_line
from hedgerow.tree import Tree
from hedgerow.tree.export import (
    check_decimals,
    class_name,
    feature_name,
    number,
    rename_tree,
    share_texts,
    threshold_words,
    unit_words,
)
from hedgerow.tree.metadata import Names

if TYPE_CHECKING:
    import pandas as pd


def rules(
    tree: Tree,
    decimals: int | None = None,
    class_names: Names | None = None,
    feature_names: Names | None = None,
    units: Mapping[str, str] | None = None,
    *,
    as_text: bool = False,
) -> pd.DataFrame | str:
    """The rules of a tree, one for each leaf, conditions on a variable merged.

    Parameters
    ----------
    tree : Tree
        With or without a gate: a rule tells tests, not how a gate divides rows at them.
    decimals, class_names, feature_names, units
        As in `Tree.to_text`; `decimals` and `units` are those of ``rule``.
    as_text : bool
        A text instead, one line for each leaf.

    Returns
    -------
    DataFrame of n_leaves rows, or str
        By ascending ``leaf``, the number that `Tree.apply` gives: ``rule`` in words, ``class``,
        ``n`` (training weight), ``probability`` of the class, ``depth`` (tests above the leaf),
        ``conditions``, and ``probability_<class>`` of each class. A condition is a dict with the
        ``variable``; for numbers ``lower <= x < upper``, exactly, None where there is no bound; for
        categories ``categories`` (labels or, where the tree knows none, codes), and ``new``:
        whether the leaf takes categories that training has not seen. A missing value goes to
        more leaves than one.

    Raises
    ------
    InputError
        As `Tree.to_text`.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hedgerow import C45Classifier
    >>> iris = load_iris(as_frame=True)
    >>> tree = C45Classifier(max_depth=2).fit(iris.data, iris.target).tree_
    >>> print(tree.rules(as_text=True, class_names=iris.target_names, decimals=2), end="")
    IF petal length (cm) < 3 THEN setosa (n = 50, share 1.00)
    IF petal length (cm) >= 3 AND petal width (cm) < 1.8 THEN versicolor (n = 54, share 0.91)
    IF petal length (cm) >= 3 AND petal width (cm) >= 1.8 THEN virginica (n = 46, share 0.98)
    """
    check_decimals(decimals)
    check_flag("as_text", as_text)
    tree = rename_tree(tree, class_names, feature_names)
    of_variable = unit_words(tree, units)
    branches = Branches(tree)
    shares = tree.probabilities()
    weight = tree.class_weight.sum(axis=1)
    lines: list[str] = []
    rows: list[dict[str, Any]] = []
    for leaf, conditions in branches.leaves():
        words = [_words(branches, c, decimals, of_variable) for c in conditions]
        rule = " AND ".join(words) or "true"
        c = int(shares[leaf].argmax())
        if as_text:
            n = number(float(weight[leaf]), 4 if decimals is None else decimals)
            share = share_texts(shares[leaf])[c]
            lines.append(f"IF {rule} THEN {class_name(tree, c)} (n = {n}, share {share})\n")
            continue
        row = {
            "leaf": leaf,
            "rule": rule,
            "class": labels_of(tree)[c],
            "n": float(weight[leaf]),
            "probability": float(shares[leaf, c]),
            "depth": int(tree.node_depth[leaf]),
            "conditions": [_plain(branches, condition) for condition in conditions],
        }
        rows.append(row)
    if as_text:
        return "".join(lines)
    table = import_optional("pandas", "a table of rules").DataFrame(rows)
    for c, label in enumerate(labels_of(tree)):
        table[f"probability_{label}"] = shares[table["leaf"], c]
    return table


def _words(
    branches: Branches, condition: Condition, decimals: int | None, units: dict[int, str]
) -> str:
    j = condition.variable
    name = feature_name(branches.tree, j)
    if not isinstance(condition, Interval):
        taken = ", ".join(one_line(str(label)) for label in branches.taken(condition))
        return f"{name} in {{{taken}}}"
    upper = ""
    if not math.isinf(condition.upper):
        sign, _, at = threshold_words(branches.tree, j, condition.upper, decimals)
        upper = f" {sign} {at}" + units.get(j, "")
    if math.isinf(condition.lower):
        return name + upper
    _, sign, at = threshold_words(branches.tree, j, condition.lower, decimals)
    at += units.get(j, "")
    return f"{at} {sign.replace('>', '<')} {name}{upper}" if upper else f"{name} {sign} {at}"


def _plain(branches: Branches, condition: Condition) -> dict[str, Any]:
    variable = name_of(branches.tree, condition.variable)
    if not isinstance(condition, Interval):
        return {
            "variable": variable,
            "categories": branches.taken(condition),
            "new": condition.new,
        }
    ends = {"lower": condition.lower, "upper": condition.upper}
    return {"variable": variable, **{k: None if math.isinf(v) else v for k, v in ends.items()}}
