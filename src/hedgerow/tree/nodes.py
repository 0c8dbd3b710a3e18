"""Trees written by hand: version 2 of the JSON form, node within node (docs/tree_json.md)."""

from __future__ import annotations

from typing import Any

import numpy as np

from hedgerow.errors import InputError
from hedgerow.tree import validation

DEEPEST = 200  # levels: Python reads JSON, and this module nodes, by recursion
_HEAD = {"format", "version", "classes", "feature_names", "categories", "gate", "root", "$schema"}
_TEST = {"feature", "threshold", "categories_left", "left", "right", "share_left"}
_LEAF = {"class", "weight", "class_weight"}
REMEDY = "write the node as docs/tree_json.md has it"


def arrays_from_nodes(form: dict) -> dict:
    """Arguments of `Tree` from version 2 of its JSON form, whose head has been read.

    Returns: ``categories`` by number of the variable among them. Weights of tests are those of
    their leaves, and so is the share of a missing value that goes left where none is given.
    """
    unknown = set(form) - _HEAD
    if unknown:
        raise InputError(
            f"the tree has the part {min(unknown)!r}", remedy=f"leave it out; {REMEDY}"
        )
    with validation.parse_errors_of("`classes`, `feature_names` or `categories` of the tree"):
        classes = _texts(form["classes"], "classes")
        names = _texts(form["feature_names"], "feature_names")
        labels = {
            _place(name, names, "categories"): _texts(categories, f"categories of {name}")
            for name, categories in form.get("categories", {}).items()
        }
    reader = _Reader(classes, names, labels)
    reader.read(form.get("root"), "root", -1, 0)
    return {**reader.arrays(), "feature_names": names, "classes": classes, "categories": labels}


def _texts(values: Any, name: str) -> list[str]:
    if (
        not isinstance(values, list)
        or not values
        or not all(isinstance(v, str) for v in values)
        or len(set(values)) < len(values)
    ):
        raise InputError(f"`{name}` of the tree is {values!r}", remedy="give different names")
    return values


def _place(value: Any, values: list[str], where: str) -> int:
    if value not in values:
        raise InputError(
            f"{where} of the tree names {value!r}", remedy=f"give one of {', '.join(values)}"
        )
    return values.index(value)


class _Reader:
    def __init__(self, classes: list[str], names: list[str], labels: dict[int, list[str]]):
        self.classes, self.names, self.labels = classes, names, labels
        self.width = max(map(len, labels.values()), default=0)
        self.nodes: list[dict] = []

    def read(self, node: Any, way: str, parent: int, depth: int) -> int:
        """Number of the node, which is appended with all below it."""
        if depth > DEEPEST:
            raise InputError(f"the tree has more than {DEEPEST} levels", remedy="give a lower one")
        if not isinstance(node, dict):
            raise InputError(f"{way} of the tree is {node!r}, no node", remedy=REMEDY)
        number = len(self.nodes)
        row: dict[str, Any] = {
            "feature": -1,
            "threshold": np.nan,
            "children_left": -1,
            "children_right": -1,
            "parent": parent,
            "share_left": np.nan,
            "categories_left": np.zeros(self.width, dtype=np.uint8),
        }
        self.nodes.append(row)
        is_test = "feature" in node
        unknown = set(node) - (_TEST if is_test else _LEAF)
        if unknown:
            raise InputError(f"{way} of the tree has the part {min(unknown)!r}", remedy=REMEDY)
        if not is_test:
            row["class_weight"] = self._leaf(node, way)
            return number
        row["feature"] = _place(node["feature"], self.names, f"{way}.feature")
        self._test(node, way, row)
        for side in ("left", "right"):
            child = self.read(node.get(side), f"{way}.{side}", number, depth + 1)
            row[f"children_{side}"] = child
        left, right = (self.nodes[row[f"children_{s}"]]["class_weight"] for s in ("left", "right"))
        row["class_weight"] = left + right
        row["share_left"] = self._share(node, way, left.sum(), row["class_weight"].sum())
        return number

    def _test(self, node: dict, way: str, row: dict) -> None:
        numeric, categorical = "threshold" in node, "categories_left" in node
        labels = self.labels.get(row["feature"])
        if numeric == categorical or categorical != (labels is not None):
            raise InputError(
                f"{way} of the tree tests {node['feature']!r} "
                + ("by its categories" if categorical else "by a threshold" if numeric else "")
                + (", which has categories" if labels else ", which has none"),
                remedy="give a threshold for a number, `categories_left` for a variable that "
                "`categories` names",
            )
        if categorical:
            assert labels is not None
            for label in _texts(node["categories_left"], f"{way}.categories_left"):
                row["categories_left"][_place(label, labels, f"{way}.categories_left")] = 1
        elif validation.is_number(node["threshold"]):
            row["threshold"] = float(node["threshold"])
        else:
            raise InputError(
                f"{way} of the tree has the threshold {node['threshold']!r}", remedy="give a number"
            )

    def _share(self, node: dict, way: str, left: float, weight: float) -> float:
        if "share_left" not in node:
            return left / weight if weight > 0 else 0.5
        share = node["share_left"]
        if not validation.is_number(share) or not 0 <= share <= 1:
            raise InputError(
                f"{way} of the tree has the share {share!r}", remedy="give a number from 0 to 1"
            )
        return float(share)

    def _leaf(self, node: dict, way: str) -> np.ndarray:
        weight = np.zeros(len(self.classes))
        if ("class" in node) == ("class_weight" in node) or {"class_weight", "weight"} <= set(node):
            raise InputError(f"{way} of the tree is neither test nor leaf", remedy=REMEDY)
        given = node.get("class_weight")
        if given is None:
            given = {node["class"]: node.get("weight", 1)}
        if not isinstance(given, dict):
            raise InputError(f"{way} of the tree has the weights {given!r}", remedy=REMEDY)
        for label, value in given.items():
            if not validation.is_number(value) or value < 0:
                raise InputError(
                    f"{way} of the tree has the weight {value!r}",
                    remedy="give numbers of 0 or more",
                )
            weight[_place(label, self.classes, way)] = value
        return weight

    def arrays(self) -> dict:
        names = list(self.nodes[0])
        return {name: np.array([node[name] for node in self.nodes]) for name in names}
