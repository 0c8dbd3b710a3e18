"""Beyond the paper of E2M, with its noise, thirds, growth and pruning.

- `sweep`: E2M, CART, C4.5, soft trees, ConfDTree and the pignistic transform on the same data, by
  the level of the noise;
- `repeated`: values known by the interval of several measurements;
- `annotators`: classes known by the votes of annotators who disagree;
- `misjudged`: doubts that the learner is told too small or too large, or as the odds of the noise.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, rng
from hedgerow.data.noise import replace_values
from hedgerow.experiments.evidential.steps import (
    Doubted,
    cart_trees,
    classes_by,
    domain_of,
    doubted,
    e2m_learner,
    measured,
    plain_data,
    pruned_cart,
    thirds,
)
from hedgerow.experiments.evidential_beyond.plan import (
    EXPERIMENT,
    ORDER,
    RIGHT,
    VALUES,
    EvidentialBeyondPlan,
)
from hedgerow.experiments.frames import drawn, numbers_of, one_sample, sorted_
from hedgerow.experiments.step import step

Line = tuple[float, str, dict[str, float]]  # setting, method, value of each metric


def some_rows(table: TidyTable, repeat: int, plan, seed: int) -> TidyTable:
    """At most so many rows, drawn at random; codes of classes that are left out stay."""
    if len(table.y) <= plan.n_rows:
        return table
    draws = rng(seed, EXPERIMENT, table.name, repeat, "rows")
    return dataclasses.replace(drawn(table, plan.n_rows, draws), sample=None)


# ------------------------------------------------------------------------- sweep of the noise


def _sweep(table, repeat, parts, plan, protocol) -> Iterator[Line]:
    for level in plan.levels:
        found = doubted(table, repeat, protocol, EXPERIMENT, level)
        for method, noisy, clean in _answers(table, found, parts, repeat, plan, protocol):
            yield level, method, measured(found, parts[2], noisy, clean)


def _answers(table, found: Doubted, parts, repeat, plan, protocol):
    """Classes of the test third by each learner, of values after and before the noise."""
    from sklearn.frozen import FrozenEstimator

    from hedgerow.confidence.confdtree import ConfDTreeClassifier
    from hedgerow.evidential.boxes import predict_evidential
    from hedgerow.induction.c45 import C45Classifier
    from hedgerow.uncertainty.soft import SoftTreeClassifier

    growing, pruning, test = parts
    data = found.evidential()
    tree = (
        e2m_learner(protocol, plan.n_finalists)
        .fit(data.take(growing), pruning_data=data.take(pruning))
        .tree_
    )
    said = predict_evidential(tree, data.take(test))
    yield "e2m", said, predict_evidential(tree, plain_data(found, test))
    crisp = cart_trees(found.X[growing], found.y[growing], found.is_categorical(), protocol)
    tree = pruned_cart(crisp, found, pruning, protocol)
    yield "cart", classes_by(tree, found.X[test]), classes_by(tree, found.clean[test])
    yield "e2m_pignistic", *_pignistic(table, found, parts, repeat, plan, protocol)
    # These prune by the rows that they are grown from: they get both thirds.
    both = np.sort(np.concatenate([growing, pruning]))
    X, y = found.X[both], found.y[both]
    own = {"categorical_features": found.is_categorical()}
    c45 = C45Classifier(**own)
    learners = {
        "c45": c45,
        "ss": SoftTreeClassifier(search=plan.factor, **own),
        "stp": SoftTreeClassifier(propagation=plan.factor, **own),
        "confdtree_tdist": ConfDTreeClassifier(FrozenEstimator(c45), method="tdist"),
        "confdtree_comb": ConfDTreeClassifier(FrozenEstimator(c45), method="comb"),
    }
    for method, learner in learners.items():
        with warnings.catch_warnings():
            # Of variables whose mean is 0, which a factor of the mean leaves hard.
            warnings.simplefilter("ignore", UserWarning)
            learner.fit(X, y)
            yield method, learner.predict(found.X[test]), learner.predict(found.clean[test])


def pignistic_draws(
    table: TidyTable, repeat: int, found: Doubted, plan, protocol
) -> tuple[np.ndarray, np.ndarray]:
    """Draws of each row from its pignistic distribution: values, then classes.

    A mass of 1 - gamma at a value and gamma on its domain is a probability of 1 - gamma at the
    value, and gamma spread evenly over the domain (Smets 1994): what the noise itself draws from.

    Returns
    -------
    X : (n_draws, n, m) float64
    y : (n_draws, n) int
    """
    draws = rng(protocol.seed, EXPERIMENT, table.name, repeat, "pignistic")
    X = np.repeat(found.X[None], plan.n_draws, axis=0)
    y = np.repeat(found.y[None], plan.n_draws, axis=0)
    for k in range(plan.n_draws):
        for j in range(X.shape[2]):
            domain = domain_of(table, found.clean, j, protocol)
            X[k, :, j] = replace_values(found.X[:, j], found.gamma[:, j], domain, draws)
        y[k] = replace_values(found.y, found.gamma_y, np.arange(found.n_classes), draws)
    return X, y


def _pignistic(table, found: Doubted, parts, repeat, plan, protocol):
    """CART on draws from the pignistic distributions, and the mean of its probabilities on them.

    Before the noise nothing is in doubt, and nothing is drawn.
    """
    from hedgerow.evidential.error import evidential_error_rate
    from hedgerow.evidential.sequence import pick_tree

    growing, pruning, test = parts
    X, y = pignistic_draws(table, repeat, found, plan, protocol)
    flat = X[:, growing].reshape(-1, X.shape[2])
    weight = np.full(len(flat), 1.0 / plan.n_draws)
    drawn = y[:, growing].reshape(-1)
    trees = cart_trees(flat, drawn, found.is_categorical(), protocol, weight=weight)

    def codes(tree, rows):
        mean = np.mean([tree.predict_proba(one[rows]) for one in X], axis=0)
        return np.asarray(tree.classes, dtype=int)[mean.argmax(axis=1)]

    plausibility = found.evidential().plausibility[pruning]
    errors = [evidential_error_rate(plausibility, codes(tree, pruning)) for tree in trees]
    tree = trees[pick_tree(errors)]
    return codes(tree, test), classes_by(tree, found.clean[test])


# ---------------------------------------------------------------- intervals, votes, misjudged


def _repeated(table, repeat, parts, plan, protocol) -> Iterator[Line]:
    """Each number measured several times; classes are certain."""
    from hedgerow.evidential.boxes import predict_evidential
    from hedgerow.evidential.data import EvidentialData

    growing, pruning, test = parts
    certain = doubted(table, repeat, protocol, EXPERIMENT, 0.0)
    clean, y, categorical = certain.clean, certain.clean_y, certain.is_categorical()
    noise = rng(protocol.seed, EXPERIMENT, table.name, repeat, "measurements")
    deviations = noise.standard_normal((plan.n_measurements, *clean.shape))
    deviations[:, :, categorical] = 0.0
    known = ~np.isnan(clean).all(axis=0)
    spread = np.zeros(clean.shape[1])
    spread[known] = np.nanstd(clean[:, known], axis=0)
    # That the value is not between the smallest and the largest of so many measurements.
    outside = 2.0 ** (1 - plan.n_measurements)
    kinds = {j: certain.evidential().possible[j] for j in range(clean.shape[1]) if categorical[j]}
    for error in plan.errors:
        values = clean + error * spread * deviations
        low, high = values.min(axis=0), values.max(axis=0)
        for method, gamma in (("e2m_doubted", outside), ("e2m_intervals", 0.0)):
            data = EvidentialData.from_intervals(
                low, high, y, np.where(categorical, 0.0, gamma), classes=range(certain.n_classes)
            )
            data = EvidentialData.from_plausibility(
                data, data.plausibility, data.classes, attributes=kinds
            )
            model = e2m_learner(protocol, plan.n_finalists)
            tree = model.fit(data.take(growing), pruning_data=data.take(pruning)).tree_
            said = predict_evidential(tree, data.take(test))
            yield error, method, {"error_rate": float((said != y[test]).mean())}
        for method, X in (("cart_means", values.mean(axis=0)), ("cart_single", values[0])):
            trees = cart_trees(X[growing], y[growing], categorical, protocol)
            crisp = dataclasses.replace(certain, X=X)
            tree = pruned_cart(trees, crisp, pruning, protocol)
            said = classes_by(tree, X[test])
            yield error, method, {"error_rate": float((said != y[test]).mean())}


def votes_of(y: np.ndarray, n_classes: int, plan, largest: float, draws) -> np.ndarray:
    """Votes of annotators who each get a share of their own wrong, (n, n_classes) int.

    y : (n,) int; largest : float, shares are uniform up to it; draws : Generator
    """
    votes = np.zeros((len(y), n_classes), dtype=int)
    for _ in range(plan.n_annotators):
        share = largest * draws.random()
        wrong = draws.random(len(y)) < share
        ahead = draws.integers(1, max(n_classes, 2), len(y))
        named = np.where(wrong, (y + ahead) % n_classes, y)
        votes[np.arange(len(y)), named] += 1
    return votes


def _annotators(table, repeat, parts, plan, protocol) -> Iterator[Line]:
    """Values are certain; classes are known by votes, and judged by what they are."""
    from hedgerow.evidential.boxes import predict_evidential
    from hedgerow.evidential.data import EvidentialData

    growing, pruning, test = parts
    certain = doubted(table, repeat, protocol, EXPERIMENT, 0.0)
    X, y, n_classes = certain.clean, certain.clean_y, certain.n_classes
    for largest in plan.mistakes:
        draws = rng(protocol.seed, EXPERIMENT, table.name, repeat, "votes")
        votes = votes_of(y, n_classes, plan, largest, draws)
        plausibility = votes / votes.max(axis=1, keepdims=True)
        data = EvidentialData.from_plausibility(
            certain.evidential(), plausibility, range(n_classes)
        )
        model = e2m_learner(protocol, plan.n_finalists)
        tree = model.fit(data.take(growing), pruning_data=data.take(pruning)).tree_
        said = predict_evidential(tree, plain_data(certain, test))
        yield largest, "e2m_votes", {"error_rate": float((said != y[test]).mean())}
        majority = dataclasses.replace(certain, y=votes.argmax(axis=1))
        crisp = cart_trees(X[growing], majority.y[growing], certain.is_categorical(), protocol)
        rows, named = np.nonzero(votes[growing])
        weight = votes[growing][rows, named] / plan.n_annotators
        weighted = cart_trees(
            X[growing][rows], named, certain.is_categorical(), protocol, weight=weight
        )
        for method, trees in (("cart_majority", crisp), ("cart_weighted", weighted)):
            tree = pruned_cart(trees, majority, pruning, protocol)
            said = classes_by(tree, X[test])
            yield largest, method, {"error_rate": float((said != y[test]).mean())}


def odds_of(gamma, n_values):
    """How likely the noise makes a value of another one, over how likely it leaves it as it is.

    gamma : float or array in [0, 1], the chance that it was drawn from the domain
    n_values : int or array, the size of the domain
    """
    return gamma / ((1.0 - gamma) * n_values + gamma)


def _misjudged(table, repeat, parts, plan, protocol) -> Iterator[Line]:
    """The noise of the paper, its doubts told otherwise when learning and when reading values."""
    from hedgerow.evidential.boxes import predict_evidential

    growing, pruning, test = parts
    found = doubted(table, repeat, protocol, EXPERIMENT, 1.0)
    right, right_y = found.gamma, found.gamma_y
    doubts = {
        (factor, "e2m"): (np.minimum(factor * right, 1.0), np.minimum(factor * right_y, 1.0))
        for factor in plan.misjudged
    }
    # A number is below or above a threshold: two, taken as even.
    sizes = [len(found.categories.get(j, "ab")) for j in range(right.shape[1])]
    doubts[RIGHT, "e2m_odds"] = (odds_of(right, sizes), odds_of(right_y, found.n_classes))
    for (factor, method), (gamma, gamma_y) in doubts.items():
        data = dataclasses.replace(found, gamma=gamma, gamma_y=gamma_y).evidential()
        model = e2m_learner(protocol, plan.n_finalists)
        tree = model.fit(data.take(growing), pruning_data=data.take(pruning)).tree_
        said = predict_evidential(tree, data.take(test))
        clean = predict_evidential(tree, plain_data(found, test))
        yield factor, method, measured(found, test, said, clean)


_PARTS = {
    "sweep": _sweep,
    "repeated": _repeated,
    "annotators": _annotators,
    "misjudged": _misjudged,
}


@step(
    "errors",
    "factor",
    "levels",
    "misjudged",
    "mistakes",
    "n_annotators",
    "n_draws",
    "n_finalists",
    "n_measurements",
    "n_rows",
    evidential=(
        "evidential",
        "cart_criterion",
        "cart_pruning",
        "domain",
        "max_gap",
        "max_iterations",
        "max_leaves",
        "min_gain",
        "min_share_gain",
        "parent",
        "seed",
        "start",
        "tolerance",
    ),
)
def run(
    table: TidyTable, plan: EvidentialBeyondPlan, evidential, repeats: Iterable[int] | None = None
) -> pd.DataFrame:
    """All parts on one data set.

    Parameters
    ----------
    table : TidyTable
    plan : EvidentialBeyondPlan
    evidential : EvidentialPlan
        Noise, growth and pruning.
    repeats : iterable of int, optional
        Default all of the plan. Chunks put together are the whole.

    Returns
    -------
    DataFrame
        part, dataset, repeat, setting (level, error, largest share of mistakes, or factor of the
        doubts), method, metric, value.
    """
    table = one_sample(table)
    rows = []
    for repeat in numbers_of(plan, "n_repeats", repeats):
        some = some_rows(table, repeat, plan, evidential.seed)
        parts = thirds(some, repeat, evidential, EXPERIMENT)
        for part, lines in _PARTS.items():
            for setting, method, values in lines(some, repeat, parts, plan, evidential):
                key = (part, table.name, repeat, float(setting), method)
                rows += [(*key, *item) for item in values.items()]
    columns = [*ORDER["rows"], *VALUES["rows"]]
    return sorted_(pd.DataFrame(rows, columns=columns), ORDER["rows"])
