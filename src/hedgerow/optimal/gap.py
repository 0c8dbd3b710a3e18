"""How far a tree is from the best of its depth."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from hedgerow.checks import checked_weights
from hedgerow.errors import InputError
from hedgerow.optimal.learner import OBJECTIVES, OptimalTreeClassifier
from hedgerow.tree import Tree
from hedgerow.tree.statistics import codes_of

SAME = 1e-9  # of the weight: costs that are equal but for rounding
NAMES = dict(zip(OBJECTIVES, ("errors", "log loss", "weighted Gini index"), strict=True))


@dataclass(frozen=True)
class Gap:
    """A tree beside the best of a depth, as `gap` found it; as text, one sentence.

    Attributes
    ----------
    cost : float
        Of the tree on the rows, per unit of weight, leaves penalised; infinite under log loss where
        a leaf rules out a class that ends there.
    bound : float
        No tree of this depth costs less.
    gap : float
        ``(cost - bound) / cost``; 0 where the tree costs no more than the bound.
    proven : bool
        Whether the search was finished: `best` costs the bound, within 1e-9. The bound is about
        trees that test one category against the others where a variable has more than six.
    depth : int
        Largest number of tests on a path, of the trees that the bound is about.
    best : Tree
        The best that was found, and its cost:
    best_cost : float
    objective : str
    leaf_penalty : float
    weight : float
        Of all rows: their number, without weights.
    kind : str
        Which trees the bound is about, where values are missing or categories are many.
    """

    cost: float
    bound: float
    gap: float
    proven: bool
    depth: int
    best: Tree = field(repr=False)
    best_cost: float
    objective: str
    leaf_penalty: float
    weight: float
    kind: str = ""

    def __str__(self) -> str:
        counted = self.objective == "errors" and not self.leaf_penalty
        unit = self.weight if counted else 1.0
        cost, bound, best = self.cost * unit, self.bound * unit, self.best_cost * unit
        trees = f"no tree of depth {self.depth} on these values{self.kind}"
        if counted:
            phrase, has, fewer = f"{_shown(cost)} error{'' if cost == 1 else 's'}", "has", "fewer"
        elif self.leaf_penalty:
            what = (
                f"{NAMES[self.objective]} per unit of weight, {self.leaf_penalty:g} for each leaf"
            )
            phrase, has, fewer = f"cost {_shown(cost)} ({what})", "costs", "less"
        else:
            phrase, has, fewer = f"{NAMES[self.objective]} {_shown(cost)}", "has", "less"
        if abs(cost - bound) <= SAME * unit:
            return f"{phrase}; {trees} {has} {fewer}"
        text = f"{phrase}; {trees} {has} {fewer} than {_shown(bound, math.floor)}"
        return text if self.proven else f"{text}, and the best that was found {has} {_shown(best)}"


def _shown(value: float, rounded=round) -> str:
    """Six digits; a bound is rounded down, so that it stays one."""
    if not math.isfinite(value) or value == 0:
        return f"{value:g}"
    places = 5 - math.floor(math.log10(abs(value)))
    if abs(value - round(value)) <= 1e-9 * abs(value):
        return f"{round(value)}"
    return f"{rounded(value * 10.0**places) / 10.0**places:.6g}"


def gap(
    tree: Tree,
    X,
    y,
    *,
    max_depth: int | None = None,
    objective: str = "errors",
    leaf_penalty: float = 0.0,
    missing: str = "divided",
    sample_weight=None,
    max_nodes: int | None = None,
    time_limit: float | None = None,
) -> Gap:
    """How far a tree is from the best of a depth on these rows.

    Parameters
    ----------
    tree : Tree
        Any: ours, `Tree.from_sklearn`, or written by hand. It costs what it costs as it stands,
        with its own gate, and with the class or the class shares of each leaf, whatever the rows
        that end there would make of it.
    X : (n, m) array or data frame
        All variables that the bound is about, in the order of the tree's; NaN is missing.
        Categories are codes in an array, and the tree's labels in a data frame.
    y : (n,) array
        Labels among the tree's `classes`; codes 0, 1, ... where it has none.
    max_depth : int from 0 to 16, optional
        Of the trees that the bound is about; None: the depth of the tree.
    objective, leaf_penalty, missing, max_nodes, time_limit
        As of `OptimalTreeClassifier`.
    sample_weight : (n,) array, optional
        At least 0.

    Returns
    -------
    Gap

    Raises
    ------
    InputError
        A parameter out of range, or rows or classes that do not fit the tree.

    Notes
    -----
    The tree may cost less than the bound where it is of another kind than the trees that were
    searched: deeper, with a missing value sent another way, with soft gates, or with several
    categories on either side where a variable has more than six.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> from hedgerow import Tree, gap
    >>> X, y = load_iris(return_X_y=True)
    >>> tree = Tree.from_sklearn(DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y))
    >>> print(gap(tree, X, y))
    4 errors; no tree of depth 3 on these values has fewer than 1
    """
    if not isinstance(tree, Tree):
        raise InputError(
            f"tree is a {type(tree).__name__}",
            remedy="give a Tree: `tree_` of a fitted learner, or Tree.from_sklearn(...)",
        )
    return gap_and_core(
        tree,
        np.asarray(tree._rows(X), dtype=np.float64),
        codes_of(tree, y),
        sample_weight,
        max_depth=tree.depth if max_depth is None else max_depth,
        objective=objective,
        leaf_penalty=leaf_penalty,
        missing=missing,
        max_nodes=max_nodes,
        time_limit=time_limit,
    )[0]


def gap_and_core(tree: Tree, values: np.ndarray, codes: np.ndarray, sample_weight=None, *,
             prove: bool = False, **settings: Any):  # fmt: skip
    """As `gap`, of values and class codes; the core, with evidence if `prove`; what it searched."""
    model = OptimalTreeClassifier(
        **settings, categorical_features=categorical_of(tree) or None, weights="counts"
    )
    # One category against the others, as a proof states it and its checker counts the tests.
    core, columns = model._search(values, codes, sample_weight, prove, ordered=False)
    checked = checked_weights(sample_weight, len(codes))
    weight = np.ones(len(codes)) if checked is None else checked
    total = float(weight.sum())
    kept = weight > 0
    loss = cost_of(tree, values[kept], codes[kept], weight[kept], model.objective)
    cost = loss / total + model.leaf_penalty * tree.n_leaves
    labels = range(tree.n_classes) if tree.classes is None else tree.classes
    best = model.tree_.replace(
        classes=[list(labels)[code] for code in model.classes_], feature_names=tree.feature_names
    )
    some = np.isnan(values[kept]).any()
    gap_of_tree = Gap(
        cost=cost,
        bound=model.bound_,
        gap=_share(cost, model.bound_, SAME),
        proven=model._is_finished,
        depth=int(model.max_depth),
        best=best,
        best_cost=model.objective_,
        objective=model.objective,
        leaf_penalty=float(model.leaf_penalty),
        weight=total,
        kind=(f", missing ones {model.missing}," if some else "") + _one_by_one(model),
    )
    return gap_of_tree, core, columns


def _one_by_one(model: OptimalTreeClassifier) -> str:
    """Which variables the bound is about in part."""
    if not model._partly_searched:
        return ""
    return f" (of more than {model.most_subsets} categories one against the others)"


def _share(cost: float, bound: float, same: float) -> float:
    if cost <= bound + same:
        return 0.0
    return 1.0 if math.isinf(cost) else (cost - bound) / cost


def categorical_of(tree: Tree) -> list[int]:
    """Variables of categories: those with labels, and those that the tree tests as such."""
    return sorted({*tree.categories, *(int(j) for j in tree.feature[tree.is_categorical()])})


def cost_of(tree: Tree, values, codes, weight, objective: str) -> float:
    """What the leaves of a tree cost as they stand, their penalty left out.

    A leaf answers for its class, or for its class shares p: a row of class k costs -ln p_k under
    log loss, and 1 - 2 p_k + sum(p^2) for Gini, which is the index where p are the shares there.
    """
    leaves = np.flatnonzero(tree.is_leaf())
    shares = tree.shares(values).tocsc()[:, leaves]
    by_class = np.zeros((len(values), tree.n_classes))
    by_class[np.arange(len(values)), codes] = weight
    reached = np.asarray(shares.T @ by_class)  # (n_leaves, n_classes)
    p = tree.probabilities()[leaves]
    if objective == "errors":
        kept = reached[np.arange(len(leaves)), p.argmax(axis=1)]
        return max(float(reached.sum() - kept.sum()), 0.0)
    if objective == "gini":
        return float((reached * (1 - 2 * p + (p * p).sum(axis=1, keepdims=True))).sum())
    with np.errstate(divide="ignore"):
        costs = -np.log(p)
    return float((reached[reached > 0] * costs[reached > 0]).sum())
