"""What all forms need: which values go which way, the conditions of each leaf, who can be written.

A condition says of one variable what its tests on the way to a leaf leave of it, all of them
merged. Of the values of a row, a leaf takes the product of what its conditions take: all, nothing,
or of a missing value the product of the shares at those tests. That holds exactly, as a value that
is missing at one test is missing at all.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hedgerow.errors import InputError
from hedgerow.tree import Tree
from hedgerow.tree.gates import CategoryGate, CategoryNoise, NoiseGate, ThresholdGate


@dataclass(frozen=True)
class Interval:
    """Numbers that a leaf takes: ``lower <= x < upper``.

    Attributes
    ----------
    variable : int
    missing : float
        Share of a missing value that the leaf takes as far as this variable decides.
    """

    variable: int
    missing: float
    lower: float = -math.inf
    upper: float = math.inf

    def meet(self, other: Interval) -> Interval:
        """Both conditions."""
        return replace(
            self,
            missing=self.missing * other.missing,
            lower=max(self.lower, other.lower),
            upper=min(self.upper, other.upper),
        )


@dataclass(frozen=True)
class Subset:
    """Categories that a leaf takes.

    Attributes
    ----------
    variable, missing
        As those of `Interval`.
    goes_in : tuple of bool
        Of each category by its code, whether it is taken.
    new : bool
        Whether one is taken that training has not seen.
    """

    variable: int
    missing: float
    goes_in: tuple[bool, ...]
    new: bool

    def meet(self, other: Subset) -> Subset:
        """Both conditions."""
        return replace(
            self,
            missing=self.missing * other.missing,
            goes_in=tuple(a and b for a, b in zip(self.goes_in, other.goes_in, strict=True)),
            new=self.new and other.new,
        )


Condition = Interval | Subset


class Branches:
    """The two conditions at each test of a tree.

    Parameters
    ----------
    tree : Tree
    gate : CategoryGate or CategoryNoise, optional
        One that renames categories and divides none.
    """

    def __init__(self, tree: Tree, gate: Any = None):
        self.tree = tree
        self._spellings: dict[int, dict] = {}
        left = np.array(tree.categories_left)
        if isinstance(gate, CategoryGate | CategoryNoise):
            for node in np.flatnonzero(tree.is_categorical() & _in(tree, gate.variables)):
                left[node] = gate.share(int(tree.feature[node]), left[node]) > 0.5
        # What is beyond all columns goes to the heavier side, as in the traversal.
        self._left = np.column_stack([left, tree.share_left >= 0.5])

    def categories(self, variable: int) -> list:
        """Labels of a variable's categories as text; where the tree knows none, their codes."""
        labels = self.tree.categories.get(variable)
        if labels is None:
            return list(range(self._left.shape[1] - 1))
        return [str(label) for label in labels]

    def taken(self, condition: Subset) -> list:
        """The categories of training that a condition takes, as `categories` has them."""
        labels = self.categories(condition.variable)
        return [label for label, taken in zip(labels, condition.goes_in, strict=True) if taken]

    def spelled(self, condition: Subset) -> list:
        """As `taken`, each label with the other texts of an equal number or truth value."""
        texts = self.spellings(condition.variable)
        return [text for label in self.taken(condition) for text in texts[label]]

    def spellings(self, variable: int) -> dict:
        """Label of each category -> the texts of an equal value."""
        if variable not in self._spellings:
            labels = self.categories(variable)
            others = frozenset(labels)
            self._spellings[variable] = {label: spellings(label, others) for label in labels}
        return self._spellings[variable]

    def at(self, node: int) -> tuple[Condition, Condition]:
        """Of a test: what goes left, what goes right."""
        variable, share = int(self.tree.feature[node]), float(self.tree.share_left[node])
        threshold = float(self.tree.threshold[node])
        if not math.isnan(threshold):
            return (
                Interval(variable, share, upper=threshold),
                Interval(variable, 1.0 - share, lower=threshold),
            )
        # A new label has the first code that no label has.
        *flags, new = self._left[node, : len(self.categories(variable)) + 1].tolist()
        return (
            Subset(variable, share, tuple(flags), new),
            Subset(variable, 1.0 - share, tuple(not left for left in flags), not new),
        )

    def leaves(self) -> list[tuple[int, list[Condition]]]:
        """Every leaf with its conditions, by ascending number.

        One condition for each variable on the way, in the order of their first tests.
        """
        leaves: list[tuple[int, list[Condition]]] = []
        waiting: list[tuple[int, dict]] = [(0, {})]
        while waiting:
            node, above = waiting.pop()
            if self.tree.feature[node] < 0:
                leaves.append((node, list(above.values())))
                continue
            children = (self.tree.children_left[node], self.tree.children_right[node])
            for child, condition in zip(children, self.at(node), strict=True):
                key = (type(condition), condition.variable)
                met = above[key].meet(condition) if key in above else condition
                waiting.append((int(child), {**above, key: met}))
        return sorted(leaves, key=lambda leaf: leaf[0])


def spellings(label: Any, labels: Collection) -> list:
    """The texts of values that are equal to a category, its label first.

    A tree knows categories by text alone: ``True`` may come from a table as True, true, TRUE, 1 or
    1.0, and the category 1 as 1.0. The label of another category is never among them.

    labels : those of all categories of the variable
    """
    if not isinstance(label, str):  # a code
        return [label]
    number = {"True": 1.0, "False": 0.0}.get(label, _number(label))
    if number is None:
        return [label]
    texts = [f"{number:.0f}", f"{number:.0f}.0"] if number == int(number) else [repr(number)]
    if number in (0.0, 1.0):
        truth = str(bool(number))
        texts += [truth, truth.lower(), truth.upper()]
    return [label, *sorted(text for text in set(texts) if text not in labels)]


def _number(text: str) -> float | None:
    """The finite number that Python writes so; None of any other text."""
    try:
        number = float(text)
    except ValueError:
        return None
    whole = math.isfinite(number) and text == f"{number:.0f}"
    return number if whole or (math.isfinite(number) and text == repr(number)) else None


def _in(tree: Tree, variables: Iterable[int]) -> np.ndarray:
    return np.isin(tree.feature, np.fromiter(variables, np.int64))


def check_hard(tree: Tree, form: str) -> None:
    """Refuse a gate that divides rows whose values are known."""
    gate = tree.gate
    numbers = (tree.feature >= 0) & ~tree.is_categorical()
    if isinstance(gate, NoiseGate):
        divided = numbers & _in(tree, np.flatnonzero(np.asarray(gate.sigma) > 0))
    elif isinstance(gate, ThresholdGate):
        divided = numbers  # at the threshold itself, whatever the bounds
    elif gate is not None and gate.soft:
        divided = tree.is_categorical() & _in(tree, gate.variables)
    else:
        return
    if divided.any():
        name = name_of(tree, int(tree.feature[divided.argmax()]))
        raise InputError(
            f"the tree's {type(gate).__name__} divides rows at tests of {name!r}, and {form} sends "
            "each one way",
            remedy="write the tree without it, as `tree.replace(gate=None)`",
        )


def name_of(tree: Tree, variable: int) -> str:
    """Name of a variable as data have it, ``x<number>`` where the tree knows none."""
    return tree.feature_names[variable] if tree.feature_names is not None else f"x{variable}"


def labels_of(tree: Tree) -> list:
    """Labels of the classes, codes where the tree knows none."""
    return list(range(tree.n_classes)) if tree.classes is None else tree.classes


def check_different(what: str, names: Iterable, remedy: str) -> None:
    """Refuse a name that stands for two things."""
    seen = set()
    for name in names:
        if name in seen:
            raise InputError(f"two {what} are called {name!r}", remedy=remedy)
        seen.add(name)


def names_of_tested(tree: Tree) -> dict[int, str]:
    """Variable -> name, of those that are tested, ascending."""
    tested = np.unique(tree.feature[tree.feature >= 0]).tolist()
    names = {variable: name_of(tree, variable) for variable in tested}
    check_different("variables", names.values(), "give `feature_names` that differ")
    return names
