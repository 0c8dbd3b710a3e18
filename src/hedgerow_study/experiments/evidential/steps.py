"""CART and E2M trees on one data set whose values and classes were put in doubt (section 4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, rng
from hedgerow.data.noise import replace_values
from hedgerow_study.experiments.evidential.plan import (
    CART,
    CRITERIA,
    E2M,
    EXPERIMENT,
    FLOORS,
    NAIVE,
    NO_STATE,
    ORDER,
    STATES,
    EvidentialPlan,
)
from hedgerow_study.experiments.frames import numbers_of, one_sample, ordered
from hedgerow_study.experiments.step import step

if TYPE_CHECKING:
    from hedgerow.evidential.data import EvidentialData
    from hedgerow.tree import Tree

# ------------------------------------------------------------------------------------ noise


@dataclass(frozen=True)
class UncertainSample:
    """A data set in which every value and every class has a doubt of its own."""

    clean: np.ndarray  # (n, m) values before the noise, codes of categories
    X: np.ndarray  # the same after it
    clean_y: np.ndarray  # (n,) classes before the noise
    y: np.ndarray
    gamma: np.ndarray  # (n, m) chance that a value was replaced, which its plausibility tells
    gamma_y: np.ndarray
    categories: dict[int, list[str]]  # labels by attribute
    n_classes: int

    def evidential(self) -> EvidentialData:
        """m(value) = 1 - gamma and m(domain) = gamma, for each value and class."""
        from hedgerow.evidential.data import EvidentialData

        return EvidentialData.from_gamma(
            self.X,
            self.y,
            self.gamma,
            self.gamma_y,
            classes=range(self.n_classes),
            categories=self.categories,
        )

    def is_categorical(self) -> np.ndarray:
        """(m,) bool."""
        return np.isin(np.arange(self.X.shape[1]), list(self.categories))


def add_uncertainty(table: TidyTable, repeat: int, plan) -> UncertainSample:
    """Noise of section 4: each value is replaced with a chance gamma of its own, from U[0, 1]."""
    clean, _ = table.matrix()
    random = rng(plan.seed, EXPERIMENT, table.name, repeat, "gamma")
    gamma = random.random(clean.shape)
    gamma_y = random.random(len(clean))
    noise = rng(plan.seed, EXPERIMENT, table.name, repeat, "replacements")
    X, categories = clean.copy(), {}
    for j, name in enumerate(table.X.columns):
        column = table.X[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            categories[j] = [str(label) for label in column.cat.categories]
        domain = domain_of(table, clean, j, plan)
        X[:, j] = replace_values(clean[:, j], gamma[:, j], domain, noise)
    n_classes = len(table.classes)
    y = replace_values(table.y, gamma_y, np.arange(n_classes), noise)
    return UncertainSample(clean, X, table.y, y.astype(int), gamma, gamma_y, categories, n_classes)


def domain_of(table: TidyTable, clean: np.ndarray, j: int, plan):
    """From what a value of attribute j is drawn: an interval, the values that occur, categories."""
    column = table.X.iloc[:, j]
    if isinstance(column.dtype, pd.CategoricalDtype):
        return np.arange(len(column.cat.categories), dtype=float)
    observed = clean[~np.isnan(clean[:, j]), j]
    if not len(observed):
        return (0.0, 0.0)  # missing throughout, and nothing is drawn
    return np.unique(observed) if plan.domain == "values" else (observed.min(), observed.max())


def thirds(table: TidyTable, repeat: int, plan) -> list[np.ndarray]:
    """Row numbers for growing, for pruning and for testing, drawn at random."""
    order = rng(plan.seed, EXPERIMENT, table.name, repeat, "thirds").permutation(len(table.y))
    return [np.sort(part) for part in np.array_split(order, 3)]


# --------------------------------------------------------------------------------- learners


def cart_trees(
    X: np.ndarray,
    y: np.ndarray,
    is_categorical: np.ndarray,
    plan,
    *,
    criterion: str | None = None,
    min_share_gain: float | None = None,
) -> list[Tree]:
    """CART: best-first growth on plain data, the trees of successive splits.

    criterion, min_share_gain : those of the plan, unless others are given
    """
    from hedgerow.evidential.sequence import best_first
    from hedgerow.induction.c45 import C45Classifier

    learner = C45Classifier(
        prune=False,
        min_samples_split=2,
        # No tree of so many leaves is deeper.
        max_depth=plan.max_leaves,
        categorical_features=is_categorical,
        criterion=criterion or plan.cart_criterion,
    )
    return best_first(
        learner.fit(X, y).tree_,
        plan.max_leaves,
        plan.min_gain,
        plan.min_share_gain if min_share_gain is None else min_share_gain,
        learner.criterion,
    )


def classes_by(tree: Tree, X: np.ndarray) -> np.ndarray:
    """Codes of the classes that a tree assigns to plain values, (n,) int."""
    return np.asarray(tree.classes, dtype=int)[tree.predict_proba(X).argmax(axis=1)]


def pruned_cart(trees: list[Tree], sample: UncertainSample, rows: np.ndarray, plan) -> Tree:
    """The tree of the sequence with the smallest error on crisp values of the pruning third."""
    from hedgerow.evidential.error import evidential_error_rate
    from hedgerow.evidential.sequence import pick_tree

    classes = [classes_by(tree, sample.X[rows]) for tree in trees]
    if plan.cart_pruning == "error":
        return trees[pick_tree([(one != sample.y[rows]).mean() for one in classes])]
    plausibility = sample.evidential().plausibility[rows]
    return trees[pick_tree([evidential_error_rate(plausibility, one) for one in classes])]


def e2m_learner(plan, n_finalists: int):
    """An E2M tree with the settings of the plan, not fitted; 0 finalists: nothing is screened."""
    from hedgerow.evidential.learner import EvidentialTreeClassifier

    screened = {"n_finalists": n_finalists} if n_finalists else _WHOLE
    return EvidentialTreeClassifier(
        max_leaves=plan.max_leaves,
        min_gain=plan.min_gain,
        min_share_gain=plan.min_share_gain,
        parent=plan.parent,
        start=plan.start,
        tolerance=plan.tolerance,
        max_gap=plan.max_gap,
        max_iterations=plan.max_iterations,
        random_state=0,  # should a fit be given no pruning sample
        **screened,
    )


_WHOLE = {"n_finalists": None, "n_thresholds": None}


def error_rates(
    sample: UncertainSample, test: np.ndarray, noisy: np.ndarray, clean: np.ndarray
) -> dict[str, float]:
    """Error rates on the test third.

    Returns: `error_rate` and `evidential_error_rate` by the classes after it, `clean_error_rate` by
    values and classes before it.
    """
    from hedgerow.evidential.error import evidential_error_rate

    plausibility = sample.evidential().plausibility[test]
    return {
        "error_rate": float((noisy != sample.y[test]).mean()),
        "evidential_error_rate": evidential_error_rate(plausibility, noisy),
        "clean_error_rate": float((clean != sample.clean_y[test]).mean()),
    }


# ------------------------------------------------------------------------------------ steps


@step(
    *("cart_criterion", "cart_pruning", "domain", "max_gap", "max_iterations", "max_leaves"),
    *("min_gain", "min_share_gain", "n_finalists", "n_floors", "parent", "seed", "start"),
    "tolerance",
    outputs=("rows", "trees", "sizes"),
)
def learn(
    table: TidyTable, plan: EvidentialPlan, repeats: Iterable[int] | None = None
) -> dict[str, pd.DataFrame]:
    """Grow, prune and test CART and E2M trees on one data set.

    Returns: `rows`: dataset, repeat, method, state, metric (of `ERRORS` and `SIZES`), value.
    `trees`: dataset, repeat, method, state, n_leaves, tree (JSON). `sizes`: of each repeat
    what `sizes_of_alternatives` yields.
    """
    from hedgerow.evidential.boxes import predict_evidential

    table = one_sample(table)
    rows, kept, otherwise = [], [], []
    for repeat in numbers_of(plan, "n_repeats", repeats):
        sample = add_uncertainty(table, repeat, plan)
        growing, pruning, test = thirds(table, repeat, plan)
        data = sample.evidential()
        model = e2m_learner(plan, plan.n_finalists).fit(
            data.take(growing), pruning_data=data.take(pruning)
        )
        crisp = cart_trees(sample.X[growing], sample.y[growing], sample.is_categorical(), plan)
        trees = {
            (CART, STATES[0]): crisp[-1],
            (CART, STATES[1]): pruned_cart(crisp, sample, pruning, plan),
            (E2M, STATES[0]): model.trees_[-1],
            (E2M, STATES[1]): model.tree_,
        }
        for line in sizes_of_alternatives(sample, growing, pruning, plan, repeat < plan.n_floors):
            otherwise.append((table.name, repeat, *line))
        clean = certain_data(sample, test)
        commonest = np.bincount(sample.y[growing]).argmax()
        naive = np.full(len(test), commonest)
        values = {(NAIVE, NO_STATE): error_rates(sample, test, naive, naive)}
        for (method, state), tree in trees.items():
            if method == CART:
                classes = classes_by(tree, sample.X[test]), classes_by(tree, sample.clean[test])
            else:
                classes = predict_evidential(tree, data.take(test)), predict_evidential(tree, clean)
            of_tree = error_rates(sample, test, *classes)
            sizes = {"n_leaves": float(tree.n_leaves), "failure": float(tree.n_leaves == 1)}
            values[method, state] = of_tree | sizes
            kept.append((table.name, repeat, method, state, tree.n_leaves, tree.to_json()))
        rows += [
            (table.name, repeat, *key, *item) for key, of in values.items() for item in of.items()
        ]
    return {
        "rows": ordered(rows, ORDER["rows"], "value"),
        "trees": ordered(kept, ORDER["trees"], "n_leaves", "tree"),
        "sizes": ordered(otherwise, ORDER["sizes"], "n_leaves"),
    }


def sizes_of_alternatives(
    sample: UncertainSample, growing: np.ndarray, pruning: np.ndarray, plan, floors: bool
) -> Iterator[tuple]:
    """Leaves of CART by either criterion, and with `floors` of E2M at each of `FLOORS`.

    Trees of a higher floor are the first of those of a lower one: growth is cut where a test gains
    less.
    """
    from hedgerow.evidential.sequence import pick_tree

    for criterion in CRITERIA:
        trees = cart_trees(
            sample.X[growing], sample.y[growing], sample.is_categorical(), plan, criterion=criterion
        )
        pruned = pruned_cart(trees, sample, pruning, plan)
        for state, tree in zip(STATES, (trees[-1], pruned), strict=True):
            yield CART, criterion, plan.min_share_gain, state, tree.n_leaves
    if not floors:
        return
    data = sample.evidential()
    model = e2m_learner(plan, plan.n_finalists).set_params(min_share_gain=min(FLOORS))
    model.fit(data.take(growing), pruning_data=data.take(pruning))
    for floor in FLOORS:
        below = model.share_gains_ < floor
        n_trees = 1 + (int(below.argmax()) if below.any() else len(below))
        chosen = n_trees - 1, pick_tree(model.pruning_errors_[:n_trees])
        for state, place in zip(STATES, chosen, strict=True):
            yield E2M, "information_gain", floor, state, model.trees_[place].n_leaves


def certain_data(sample: UncertainSample, rows: np.ndarray) -> EvidentialData:
    """Values before the noise, without doubt."""
    from hedgerow.evidential.data import EvidentialData

    return EvidentialData.from_gamma(
        sample.clean[rows],
        sample.clean_y[rows],
        classes=range(sample.n_classes),
        categories=sample.categories,
    )
