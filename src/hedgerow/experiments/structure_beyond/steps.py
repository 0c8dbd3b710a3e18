"""Beyond chapter 5: many data sets, prototypes, diverse ensembles, and stable learners.

Four parts, on divisions into training and test data that are those of the forests of `structure`:

- `variants`: the edit distances of the chapter on forests of many data sets, and their paired
  comparison, which the thesis asks for (5.5).
- `prototypes`: the space of distances to prototypes of equation 5.1 in the place of the
  normalisation that the chapter finds of no use (5.5).
- `ensembles`: whether accurate trees that differ in structure are a better ensemble than random or
  the most accurate ones (5.5).
- `stability`: how far trees of bootstrap samples are from each other, learner by learner.

Beside them two forests, of which the report draws the decision patterns.
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, rng
from hedgerow.errors import DataError, HedgerowWarning
from hedgerow.experiments.frames import joined, numbers_of, one_sample, random_state, uct_from
from hedgerow.experiments.step import step
from hedgerow.experiments.structure.plan import TREE
from hedgerow.experiments.structure.steps import cluster_forests as structure_cluster_forests
from hedgerow.experiments.structure.steps import compare as structure_compare
from hedgerow.experiments.structure.steps import division
from hedgerow.experiments.structure.steps import learn as structure_learn
from hedgerow.experiments.structure_beyond.plan import (
    BASE,
    EXPERIMENT,
    FEWEST_TREES,
    KEYS,
    LEARNERS,
    OF_FORESTS,
    PATTERN,
    SCALES,
    STRATEGIES,
    VALUES,
    StructureBeyondPlan,
)


class _Protocol:
    """Settings of `structure`, but for those that this experiment has of its own."""

    OWN = ("n_iterations", "n_seeds", "n_prototypes")

    def __init__(self, plan, protocol):
        self._plan, self._protocol = plan, protocol

    def __getattr__(self, name: str):
        return getattr(self._plan if name in self.OWN else self._protocol, name)


@step(
    "confidence",
    "factor",
    "n_bagged",
    "n_bootstrap",
    "n_draws",
    "n_iterations",
    "n_prototypes",
    "n_seeds",
    "seed",
    "share",
    "sizes",
    "stability_splits",
    "uct_iterations",
    makes=(
        "forests",
        "trees",
        "grown",
        "examples",
        "closeness",
        "scores",
        "ensembles",
        "stability",
    ),
    protocol=(
        "structure",
        "correlated_above",
        "exploration",
        "forest",
        "kept_path",
        "max_tests",
        "min_samples_split",
        "n_candidates",
        "n_clusters",
        "n_components",
        "n_trees",
        "seed",
        "test_size",
        "tree_pruning",
        "validation_fraction",
        "value_pruning",
        "value_pruning_depth",
        "value_pruning_interval",
    ),
)
def run(
    table: TidyTable, plan: StructureBeyondPlan, protocol, splits: Iterable[int] | None = None
) -> dict[str, pd.DataFrame]:
    """All four parts on one data set.

    Parameters
    ----------
    table : TidyTable
    plan : StructureBeyondPlan
    protocol : StructurePlan
        Settings of `structure`: division, forest, clusters, example pairs.
    splits : iterable of int, optional
        Numbers of divisions; default all. Chunks put together equal the whole.

    Returns
    -------
    dict of DataFrame
        What was learnt: `forests` and `trees`, as `hedgerow.experiments.structure.steps.learn`
        gives them, without forests of fewer than `FEWEST_TREES` trees; `grown`, as `grow_samples`
        does.
        What was measured: `examples`, `closeness` and `scores`, as that module's `compare` and
        `cluster_forests` give them; `ensembles` and `stability`, as the functions of these names
        do.
    """
    # A synthetic set that is one sample is divided as any other set is.

    table = one_sample(table)
    both = _Protocol(plan, protocol)
    wanted = numbers_of(plan, "n_splits", splits)
    learned = _forests(table, both, wanted)
    measured = {name: pd.DataFrame(columns=KEYS[name]) for name in OF_FORESTS}
    if len(learned["forests"]):
        compared = structure_compare(table, learned, both)
        clustered = structure_cluster_forests(compared, learned["forests"], both, SCALES)
        measured = {n: compared[n] if n in compared else clustered[n] for n in measured}
    grown = grow_samples(table, plan, protocol, wanted)
    return {
        **learned,
        "grown": grown,
        **measured,
        "ensembles": ensembles(table, learned, grown, plan, protocol),
        "stability": stability(table, grown, plan, protocol),
    }


def _forests(table, plan, splits: Sequence[int]) -> dict[str, pd.DataFrame]:
    """As `structure_learn`, without forests of too few trees."""
    fewest = min(FEWEST_TREES, plan.n_trees)
    parts = []
    for number in splits:
        try:
            found = structure_learn(table, plan, [number])
        except DataError:  # one tree or none
            continue
        if len(found["forests"]) >= fewest:
            parts.append(found)
    if not parts:
        return {name: pd.DataFrame(columns=KEYS[name]) for name in ("forests", "trees")}
    return {n: pd.concat([p[n] for p in parts], ignore_index=True) for n in parts[0]}


# ------------------------------------------------------------------------------------- growing


def sample_weights(dataset: str, number: int, n_rows: int, n_samples: int, seed: int) -> np.ndarray:
    """How often each training row is in each bootstrap sample of a division.

    Parameters
    ----------
    dataset : str
    number : int
        Of the division.
    n_rows, n_samples : int
    seed : int

    Returns
    -------
    (n_samples, n_rows) float64
        Rows sum to n_rows. The first samples do not depend on how many are drawn.
    """
    stream = rng(seed, EXPERIMENT, dataset, number, "bootstrap")
    counts = [
        np.bincount(stream.integers(n_rows, size=n_rows), minlength=n_rows)
        for _ in range(n_samples)
    ]
    return np.array(counts, dtype=float)


def grow_samples(table, plan, protocol, splits: Sequence[int]) -> pd.DataFrame:
    """Trees of bootstrap samples of the training part, by every learner.

    A row that was drawn several times has that weight. C4.5, SS and STP take such a row as they
    take copies of it. UCT-DT divides rows into induction and validation set: with copies the same
    row could stand in both.

    Parameters
    ----------
    table : TidyTable
    plan : StructureBeyondPlan
    protocol : StructurePlan
    splits : sequence of int

    Returns
    -------
    DataFrame
        One row per node: dataset, split, learner, sample, and the arrays of the trees. C4.5 has
        the samples of both parts, the others those of `stability`, on its divisions only.
    """
    from hedgerow.tree import forest_to_frame

    keys, trees = [], []
    for number in splits:
        train, _ = division(table, number, protocol)
        X, y = table.X.iloc[train], table.y[train]
        measured = plan.n_bootstrap if number < plan.stability_splits else 0
        n_samples = max(measured, plan.n_bagged)
        weights = sample_weights(table.name, number, len(train), n_samples, plan.seed)
        for learner in LEARNERS:
            for sample in range(n_samples if learner == BASE else measured):
                model = _learner(learner, table.name, number, sample, plan, protocol)
                with warnings.catch_warnings():
                    # The factor is a share of the mean, as in the thesis, also where variables
                    # are centred and their means are about 0 (titanic).
                    warnings.simplefilter("ignore", HedgerowWarning)
                    fitted = model.fit(X, y, sample_weight=weights[sample])
                keys.append((table.name, number, learner, sample))
                trees.append(_with_all_classes(fitted.tree_, fitted.classes_, len(table.classes)))
    return forest_to_frame(trees, pd.DataFrame(keys, columns=KEYS["grown"]), bare=True)


def _learner(name: str, dataset: str, number: int, sample: int, plan, protocol):
    from hedgerow.induction.c45 import C45Classifier
    from hedgerow.uncertainty.soft import SoftTreeClassifier

    grown = {
        "confidence": plan.confidence,
        "min_samples_split": protocol.min_samples_split,
    }
    if name == "c45":
        return C45Classifier(**grown)
    if name == "ss":
        return SoftTreeClassifier(search=plan.factor, **grown)
    if name == "stp":
        return SoftTreeClassifier(propagation=plan.factor, **grown)
    return uct_from(
        protocol,
        policy="vs",
        n_iterations=plan.uct_iterations,
        confidence=plan.confidence,
        random_state=random_state(plan.seed, EXPERIMENT, dataset, number, f"uct_{sample:04d}"),
    )


def _with_all_classes(tree, classes, n_classes: int):
    """A sample may lack a class, whose weight is 0 in all nodes."""
    from hedgerow.tree import Tree

    arrays = tree.arrays()
    weight = np.zeros((tree.n_nodes, n_classes))
    weight[:, np.asarray(classes, dtype=int)] = arrays["class_weight"]
    return Tree(**{**arrays, "class_weight": weight})


def _own(grown: pd.DataFrame, number: int, learner: str, n: int) -> list:
    """The trees of the first n samples of a learner."""
    from hedgerow.tree import forest_from_frame

    mine = grown[(grown["split"] == number) & (grown["learner"] == learner) & (grown["sample"] < n)]
    return forest_from_frame(mine, KEYS["grown"])[1]


# ----------------------------------------------------------------------------------- ensembles


def ensembles(
    table, learned: Mapping[str, pd.DataFrame], grown: pd.DataFrame, plan, protocol
) -> pd.DataFrame:
    """Ensembles of k trees, by the mean of their class probabilities.

    Trees of UCT-DT are scored by macro F1 on the validation set of the search, those of C4.5 by
    macro F1 on the training rows that are not in their sample. `structure` chooses by edit
    distance (B2, Spearman) and `predictions` by d_p on the training rows, both with
    `hedgerow.structure.select_diverse`; `random_accurate` draws from the same trees with the best
    scores, and `random` from all.

    Parameters
    ----------
    table : TidyTable
    learned : mapping of DataFrame
        `forests` and `trees` of `run`.
    grown : DataFrame
        As returned by `grow_samples`.
    plan : StructureBeyondPlan
    protocol : StructurePlan

    Returns
    -------
    DataFrame
        dataset, split, pool, k, strategy, f1 (macro, per cent of the test part), accuracy (per
        cent), mean_distance (B2, between two trees of the ensemble; NaN of a single one),
        member_f1 (mean of its trees), n_trees (that could be chosen from). Of random ensembles
        the mean over draws. A forest that was left out is no pool, and a pool of fewer than k trees
        has no row for k.
    """
    from hedgerow.structure import TreeEditDistance, class_prediction_distance
    from hedgerow.tree import forest_from_frame

    values, _ = table.matrix()
    rows = []
    for number in sorted(set(grown["split"])):
        train, test = division(table, number, protocol)
        bagged = _own(grown, number, "c45", plan.n_bagged)
        pools = {"c45": (bagged, _out_of_bag_f1(table, values, train, bagged, number, plan))}
        own, nodes = (learned[name] for name in ("forests", "trees"))
        own = own[own["forest"] == number]
        if len(own):
            trees = forest_from_frame(nodes[nodes["forest"] == number], TREE)[1]
            pools["uct"] = trees, own["validation_f1"].to_numpy()
        metric = TreeEditDistance("B2", "spearman").fit(values[train], table.y[train])
        for pool, (trees, scores) in pools.items():
            D = metric.pairwise(trees)
            D_p = class_prediction_distance(trees, values[train])
            measured = _Measured(trees, values[test], table.y[test], D)
            stream = rng(plan.seed, EXPERIMENT, table.name, int(number), f"ensembles {pool}")
            for k in plan.sizes:
                if k > len(trees):
                    continue
                chosen = _chosen(trees, k, D, D_p, scores, stream, plan)
                for strategy in STRATEGIES:
                    row = measured.of(chosen[strategy])
                    rows.append((table.name, number, pool, k, strategy, *row, len(trees)))
    columns = [*KEYS["ensembles"], *VALUES["ensembles"]]
    return joined([pd.DataFrame(rows, columns=columns)], KEYS["ensembles"])


def _out_of_bag_f1(table, values, train, trees, number, plan) -> np.ndarray:
    """Macro F1, per cent, of each tree on the training rows that its sample lacks."""
    weights = sample_weights(table.name, number, len(train), len(trees), plan.seed)
    outside = [train[weight == 0] for weight in weights]
    return np.array([_f1_of(t, values[r], table.y[r]) for t, r in zip(trees, outside, strict=True)])


def _f1_of(tree, X: np.ndarray, y: np.ndarray) -> float:
    predicted = tree.predict_proba(X).argmax(axis=1)
    return float(f1_and_accuracy(y, predicted[None, :], tree.n_classes)[0][0])


def _chosen(trees, k: int, D, D_p, scores, stream, plan) -> dict[str, np.ndarray]:
    """Places of the trees of every strategy: (n_ensembles, k)."""
    from hedgerow.structure import select_diverse

    n = len(trees)
    order = np.argsort(-scores, kind="stable")
    # As many as may be chosen by structure.
    kept = order[: max(k, int(np.ceil(round(plan.share * n, 9))))]

    def draws(places):
        ranks = stream.random((plan.n_draws, len(places))).argsort(axis=1)
        return places[ranks[:, :k]]

    def diverse(distances):
        return select_diverse(trees, k, distances, scores=scores, share=plan.share)[None, :]

    return {
        "structure": diverse(D),
        "predictions": diverse(D_p),
        "best": order[None, :k],
        "random_accurate": draws(kept),
        "random": draws(np.arange(n)),
        "whole": np.arange(n)[None, :],
        "single": order[None, :1],
    }


class _Measured:
    """Test scores of ensembles of some trees."""

    def __init__(self, trees, X: np.ndarray, y: np.ndarray, D: np.ndarray):
        self.probabilities = np.array([tree.predict_proba(X) for tree in trees])
        self.y, self.D = y, D
        alone = self.probabilities.argmax(axis=2)
        self.alone = f1_and_accuracy(y, alone, self.probabilities.shape[2])[0]

    def of(self, chosen: np.ndarray) -> tuple[float, float, float, float]:
        """f1, accuracy, mean_distance and member_f1, means over ensembles."""
        n_classes = self.probabilities.shape[2]
        mean = np.array([self.probabilities[places].mean(axis=0) for places in chosen])
        # What ties does so whatever the order of the sum.
        predicted = np.round(mean, 12).argmax(axis=2)
        f1, accuracy = f1_and_accuracy(self.y, predicted, n_classes)
        k = chosen.shape[1]
        within = [self.D[np.ix_(p, p)].sum() / (k * (k - 1)) if k > 1 else np.nan for p in chosen]
        return f1.mean(), accuracy.mean(), float(np.mean(within)), self.alone[chosen].mean()


def f1_and_accuracy(y, predicted, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Macro F1 and accuracy of many predictions at once, in per cent.

    As `hedgerow.evaluation.metrics`, which takes one at a time and thousands of times as long for
    random ensembles.

    Parameters
    ----------
    y : (n,) int
    predicted : (m, n) int
    n_classes : int

    Returns
    -------
    f1, accuracy : (m,) float64
    """
    right = predicted == y
    f1 = np.zeros(len(predicted))
    for c in range(n_classes):
        both = (predicted == c).sum(axis=1) + (y == c).sum()
        hits = (right & (y == c)).sum(axis=1)
        f1 += np.divide(2.0 * hits, both, out=np.zeros(len(predicted)), where=both > 0)
    return 100.0 * f1 / n_classes, 100.0 * right.mean(axis=1)


# ----------------------------------------------------------------------------------- stability


def stability(table, grown: pd.DataFrame, plan, protocol) -> pd.DataFrame:
    """How far trees of bootstrap samples of one training part are from each other.

    Parameters
    ----------
    table : TidyTable
    grown : DataFrame
        As returned by `grow_samples`.
    plan : StructureBeyondPlan
    protocol : StructurePlan

    Returns
    -------
    DataFrame
        dataset, split, learner, then means over pairs of trees: distance_a1 and distance_b2
        (Spearman), relative_a1 and relative_b2 (the sum of the distances over the sum of the
        numbers of tests of both trees: 1 is the most, for trees that share nothing; missing where
        no tree has a test), d_p (share of test rows in different classes); and over trees:
        n_tests, f1 (macro, per cent of the test part); n_leaves_only (trees without a test),
        n_trees.
    """
    from hedgerow.structure import TreeEditDistance, class_prediction_distance

    values, _ = table.matrix()
    rows = []
    for number in sorted(set(grown["split"])):
        if number >= plan.stability_splits:
            continue
        train, test = division(table, number, protocol)
        fitted = [
            TreeEditDistance(cost, "spearman").fit(values[train], table.y[train])
            for cost in ("A1", "B2")
        ]
        for learner in LEARNERS:
            trees = _own(grown, number, learner, plan.n_bootstrap)
            upper = np.triu_indices(len(trees), 1)
            n_tests = np.array([int((~tree.is_leaf()).sum()) for tree in trees])
            of_both = (n_tests[:, None] + n_tests[None, :])[upper].sum()
            distances = [metric.pairwise(trees)[upper] for metric in fitted]
            relative = [d.sum() / of_both if of_both else np.nan for d in distances]
            d_p = class_prediction_distance(trees, values[test])[upper].mean()
            f1 = [_f1_of(tree, values[test], table.y[test]) for tree in trees]
            rows.append(
                (
                    *(table.name, int(number), learner),
                    *(d.mean() for d in distances),
                    *(*relative, d_p, n_tests.mean(), np.mean(f1)),
                    *(int((n_tests == 0).sum()), len(trees)),
                )
            )
    columns = [*KEYS["stability"], *VALUES["stability"]]
    return joined([pd.DataFrame(rows, columns=columns)], KEYS["stability"])


# ------------------------------------------------------------------------------------ patterns


@step("confidence", "patterns_depth", "patterns_trees", "seed")
def patterns(table: TidyTable, plan) -> pd.DataFrame:
    """Two forests of one data set whose decision patterns are drawn.

    A random forest of scikit-learn, its trees small enough to be read, and pruned C4.5 trees of as
    many bootstrap samples.

    Parameters
    ----------
    table : TidyTable
        Without missing values and categories; all rows are trained on.
    plan : StructureBeyondPlan
        patterns_trees, patterns_depth, confidence and seed are read.

    Returns
    -------
    DataFrame
        One row per node: dataset, forest (`random_forest`, `c45`), tree, and the arrays of the
        trees.

    Raises
    ------
    DataError
        A variable is categorical or has missing values, which scikit-learn's trees do not take.
    """
    from sklearn.ensemble import RandomForestClassifier

    from hedgerow.induction.c45 import C45Classifier
    from hedgerow.tree import Tree, forest_to_frame

    values, n_categories = table.matrix()
    if np.isnan(values).any() or n_categories.any():
        raise DataError(
            f"{table.name} has missing values or categorical variables, which the trees of "
            "scikit-learn do not take",
            remedy="name another set in `structure_beyond.patterns_dataset`, such as wdbc",
        )
    n, n_classes = plan.patterns_trees, len(table.classes)
    forest = RandomForestClassifier(
        n,
        max_depth=plan.patterns_depth,
        random_state=random_state(plan.seed, EXPERIMENT, table.name, None, "random forest"),
    ).fit(values, table.y)
    trees = [Tree.from_sklearn(tree) for tree in forest.estimators_]
    stream = rng(plan.seed, EXPERIMENT, table.name, None, "bootstrap")
    for _ in range(n):
        weight = np.bincount(stream.integers(len(table), size=len(table)), minlength=len(table))
        fitted = C45Classifier(confidence=plan.confidence).fit(
            table.X, table.y, sample_weight=weight
        )
        trees.append(_with_all_classes(fitted.tree_, fitted.classes_, n_classes))
    keys = [(table.name, name, i) for name in ("random_forest", "c45") for i in range(n)]
    return forest_to_frame(trees, pd.DataFrame(keys, columns=PATTERN), bare=True)
