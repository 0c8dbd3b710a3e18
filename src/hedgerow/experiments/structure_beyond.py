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

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pandas as pd

from hedgerow.data import rng, seed_sequence
from hedgerow.errors import ConfigError, DataError
from hedgerow.evaluation import significance
from hedgerow.experiments import structure
from hedgerow.workflow.plan import Plan

EXPERIMENT = "structure_beyond"

#: Learners whose stability is measured.
LEARNERS = ("c45", "ss", "stp", "uct_vs")
BASE = "c45"

#: Scales of distances: those of the chapter, and the space of prototypes.
SCALES = (*structure.SCALES, "prototypes")
#: The distances of the paired questions; the others differ by the kind of correlation only.
MAIN = {
    "A1": "edit_a1",
    "A2": "edit_a2_spearman",
    "B1": "edit_b1",
    "B2": "edit_b2_spearman",
}

#: Where trees of an ensemble come from: a search of UCT-DT, or bootstrap samples by C4.5.
POOLS = ("uct", "c45")
#: How they are chosen. `whole` takes all trees and `single` the best one, whatever k.
STRATEGIES = (
    "structure",
    "predictions",
    "best",
    "random_accurate",
    "random",
    "whole",
    "single",
)
DIVERSE = "structure"

#: Trees below which a forest is left out: a search that is held to trees of one test finds few.
FEWEST_TREES = 20

#: Columns that identify a row of each table; nodes of a tree keep their order.
KEYS = {
    "forests": structure.TREE,
    "trees": structure.TREE,
    "examples": structure.ORDER["examples"],
    "closeness": structure.VARIANT,
    "scores": structure.ORDER["scores"],
    "grown": ["dataset", "split", "learner", "sample"],
    "ensembles": ["dataset", "split", "pool", "k", "strategy"],
    "stability": ["dataset", "split", "learner"],
}
PATTERN = ["dataset", "forest", "tree"]  # of `patterns`
OF_FORESTS = ("examples", "closeness", "scores")
#: What the tables of this module hold beside their keys.
VALUES = {
    "ensembles": ["f1", "accuracy", "mean_distance", "member_f1", "n_trees"],
    "stability": [
        *("distance_a1", "distance_b2", "relative_a1", "relative_b2", "d_p"),
        *("n_tests", "f1", "n_leaves_only", "n_trees"),
    ],
}


@dataclass(frozen=True)
class StructureBeyondPlan(Plan):
    """Settings of what goes beyond chapter 5: the section `structure_beyond`.

    Attributes
    ----------
    datasets : tuple of str
        Registry keys.
    seed : int
    configuration : str
    n_splits : int
        Divisions into training and test data of each data set, one forest each: the first so many
        of those of `structure`.
    n_iterations : int
        Of the search that makes a forest.
    n_seeds : int
        Of k-means.
    n_prototypes : int
        Trees of each cluster that are prototypes.
    sizes : tuple of int
        Trees of an ensemble, k.
    share : float in (0, 1]
        Of the trees with the best validation F1, out of which diverse trees are chosen.
    n_draws : int
        Random ensembles of each kind, whose scores are averaged.
    n_bagged : int
        C4.5 trees of bootstrap samples out of which ensembles are chosen.
    stability_splits : int
        Divisions of the part `stability`: the first so many of `n_splits`.
    n_bootstrap : int
        Its bootstrap samples, the same for all learners.
    confidence : float in [0, 1]
        Of pruning, of all learners.
    factor : float, above 0
        Noise factor of SS and STP: sigma = factor |mean of the variable|.
    uct_iterations : int
        Iterations of UCT-DT in the part `stability`.
    patterns_dataset : str
        Registry key of the data set whose forests are drawn.
    patterns_trees, patterns_depth : int
        Trees of each forest that is drawn, and limit of the depth in the random forest.
    """

    section: ClassVar[str] = "structure_beyond"

    datasets: tuple[str, ...] = ()
    seed: int = 0
    configuration: str = "default"
    n_splits: int = 3
    n_iterations: int = 20_000
    n_seeds: int = 2
    n_prototypes: int = 2
    sizes: tuple[int, ...] = (3, 5, 9)
    share: float = 0.5
    n_draws: int = 200
    n_bagged: int = 100
    stability_splits: int = 2
    n_bootstrap: int = 12
    confidence: float = 0.25
    factor: float = 0.1
    uct_iterations: int = 10_000
    patterns_dataset: str = "wdbc"
    patterns_trees: int = 100
    patterns_depth: int = 3

    def __post_init__(self):
        sizes = tuple(sorted({int(k) for k in self.sizes}))
        object.__setattr__(self, "sizes", sizes)
        if not sizes or sizes[0] < 2 or sizes[-1] > self.n_bagged:
            raise ConfigError(
                f"`structure_beyond.sizes` is {', '.join(map(str, sizes)) or 'empty'} and "
                f"`structure_beyond.n_bagged` {self.n_bagged}",
                remedy="give sizes of 2 or more, and as many trees as the largest",
            )
        if self.n_bootstrap < 2:
            raise ConfigError(
                f"`structure_beyond.n_bootstrap` is {self.n_bootstrap}",
                remedy="use 2 or more: distances are between trees of two samples",
            )
        if self.factor <= 0 or not 0 < self.share <= 1:
            raise ConfigError(
                f"`structure_beyond.factor` is {self.factor:g} and `structure_beyond.share` "
                f"{self.share:g}",
                remedy="use a factor above 0 and a share above 0 and up to 1",
            )


class _Protocol:
    """Settings of `structure`, but for those that this experiment has of its own."""

    OWN = ("n_iterations", "n_seeds", "n_prototypes")

    def __init__(self, plan, protocol):
        self._plan, self._protocol = plan, protocol

    def __getattr__(self, name: str):
        return getattr(self._plan if name in self.OWN else self._protocol, name)


def merge(frames: Sequence[pd.DataFrame], name: str) -> pd.DataFrame:
    """Join tables of data sets and chunks, so that nothing tells how they were cut.

    Parameters
    ----------
    frames : sequence of DataFrame
        One or more, of one name of `KEYS`.
    name : str

    Returns
    -------
    DataFrame
    """
    # Of a table without rows pandas does not know the types.
    frames = [f for f in frames if len(f)] or list(frames[:1])
    return structure._sorted(pd.concat(frames, ignore_index=True), KEYS[name])


def run(
    table, plan: StructureBeyondPlan, protocol, splits: Iterable[int] | None = None
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
        What was learnt: `forests` and `trees`, as `hedgerow.experiments.structure.learn` gives
        them, without forests of fewer than `FEWEST_TREES` trees; `grown`, as `grow_samples` does.
        What was measured: `examples`, `closeness` and `scores`, as that module's `compare` and
        `cluster_forests` give them; `ensembles` and `stability`, as the functions of these names
        do.
    """
    # A synthetic set that is one sample is divided as any other set is.
    from hedgerow.experiments.search import _one_sample

    table = _one_sample(table)
    both = _Protocol(plan, protocol)
    wanted = list(range(plan.n_splits) if splits is None else sorted(set(splits)))
    learned = _forests(table, both, wanted)
    measured = {name: pd.DataFrame(columns=KEYS[name]) for name in OF_FORESTS}
    if len(learned["forests"]):
        compared = structure.compare(table, learned, both)
        clustered = structure.cluster_forests(compared, learned["forests"], both, SCALES)
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
    """As `structure.learn`, without forests of too few trees."""
    fewest = min(FEWEST_TREES, plan.n_trees)
    parts = []
    for number in splits:
        try:
            found = structure.learn(table, plan, [number])
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
        train, _ = structure._division(table, number, protocol)
        X, y = table.X.iloc[train], table.y[train]
        measured = plan.n_bootstrap if number < plan.stability_splits else 0
        n_samples = max(measured, plan.n_bagged)
        weights = sample_weights(table.name, number, len(train), n_samples, plan.seed)
        for learner in LEARNERS:
            for sample in range(n_samples if learner == BASE else measured):
                fitted = _learner(learner, table.name, number, sample, plan).fit(
                    X, y, sample_weight=weights[sample]
                )
                keys.append((table.name, number, learner, sample))
                trees.append(_with_all_classes(fitted.tree_, fitted.classes_, len(table.classes)))
    return forest_to_frame(trees, pd.DataFrame(keys, columns=KEYS["grown"]))


def _learner(name: str, dataset: str, number: int, sample: int, plan):
    from hedgerow.induction.c45 import C45Classifier
    from hedgerow.search.uct import UCTTreeClassifier
    from hedgerow.uncertainty.soft import SoftTreeClassifier

    if name == "c45":
        return C45Classifier(confidence=plan.confidence)
    if name == "ss":
        return SoftTreeClassifier(search=plan.factor, confidence=plan.confidence)
    if name == "stp":
        return SoftTreeClassifier(propagation=plan.factor, confidence=plan.confidence)
    sequence = seed_sequence(plan.seed, EXPERIMENT, dataset, number, f"uct_{sample:04d}")
    return UCTTreeClassifier(
        policy="vs",
        n_iterations=plan.uct_iterations,
        confidence=plan.confidence,
        random_state=int(sequence.generate_state(1, dtype=np.uint32)[0]),
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
        train, test = structure._division(table, number, protocol)
        bagged = _own(grown, number, "c45", plan.n_bagged)
        pools = {"c45": (bagged, _out_of_bag_f1(table, values, train, bagged, number, plan))}
        own, nodes = (learned[name] for name in ("forests", "trees"))
        own = own[own["forest"] == number]
        if len(own):
            trees = forest_from_frame(nodes[nodes["forest"] == number], structure.TREE)[1]
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
    return merge([pd.DataFrame(rows, columns=columns)], "ensembles")


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
        train, test = structure._division(table, number, protocol)
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
    return merge([pd.DataFrame(rows, columns=columns)], "stability")


# ------------------------------------------------------------------------------------ patterns


def patterns(table, plan) -> pd.DataFrame:
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
    sequence = seed_sequence(plan.seed, EXPERIMENT, table.name, None, "random forest")
    forest = RandomForestClassifier(
        n,
        max_depth=plan.patterns_depth,
        random_state=int(sequence.generate_state(1, dtype=np.uint32)[0]),
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
    return forest_to_frame(trees, pd.DataFrame(keys, columns=PATTERN))


# ---------------------------------------------------------------------------------- statistics

#: Scores of the distances. The examples are there twice: as the thesis counts them, and less the
#: share of all pairs of trees that are in one cluster, which one large cluster raises as well.
ABOVE_CHANCE = {f"{name}_above_chance": name for name in structure.EXAMPLES.values()}
OF_CLUSTERS = ("silhouette", "nmi_cluster_n_nodes", *structure.EXAMPLES.values(), *ABOVE_CHANCE)
#: The norms of table 5.1, and rank correlations, which do not depend on the scale of a distance.
OF_PAIRS = (
    *(f"norm_diff_to_{r}" for r in structure.REFERENCES),
    *(f"rank_correlation_with_{r}" for r in (*structure.REFERENCES, "size")),
)
METRICS = (*OF_CLUSTERS, *OF_PAIRS)


def _both(costs: str, scale: str = "unnormalized") -> tuple:
    return tuple((MAIN[c], scale) for c in costs.split())


def _correlated(kind: str) -> tuple:
    return tuple((f"edit_{cost}_{kind}", "unnormalized") for cost in ("a2", "b2"))


#: Paired questions: name -> what is compared (first, second), and the variants whose mean each is.
QUESTIONS = {
    "correlation_in_a": ("A2", "A1", _both("A2"), _both("A1")),
    "correlation_in_b": ("B2", "B1", _both("B2"), _both("B1")),
    "unitary_substitution": ("B", "A", _both("B1 B2"), _both("A1 A2")),
    "normalization": (
        "normalized",
        "unnormalized",
        _both("A1 A2 B1 B2", "normalized"),
        _both("A1 A2 B1 B2"),
    ),
    "pearson": ("pearson", "spearman", _correlated("pearson"), _correlated("spearman")),
    "kendall": ("kendall", "spearman", _correlated("kendall"), _correlated("spearman")),
    "prototypes_normalized": (
        "prototypes",
        "normalized",
        _both("A1 A2 B1 B2", "prototypes"),
        _both("A1 A2 B1 B2", "normalized"),
    ),
    "prototypes_unnormalized": (
        "prototypes",
        "unnormalized",
        _both("A1 A2 B1 B2", "prototypes"),
        _both("A1 A2 B1 B2"),
    ),
}

SCORED = ("f1", "accuracy")  # of ensembles
OF_LEARNERS = ("distance_a1", "distance_b2", "relative_a1", "relative_b2", "d_p", "n_tests", "f1")

TEST = ["part", "cell", "metric", "first", "second", "difference"]


def scores_by_forest(tables: Mapping[str, pd.DataFrame], metric: str) -> pd.DataFrame:
    """One value per forest and variant: the mean over seeds of k-means.

    A forest in which any variant has no value is left out of the metric: every average of a data
    set is over the same forests. There is none where no pair of trees is an example.

    Parameters
    ----------
    tables : mapping of DataFrame
        `closeness` and `scores`.
    metric : str
        One of `METRICS`.

    Returns
    -------
    DataFrame of float
        (dataset, forest) by (method, scale).
    """
    if metric in OF_PAIRS:
        rows = tables["closeness"]
    else:
        rows = tables["scores"]
        if metric in ABOVE_CHANCE:
            rows = rows.assign(**{metric: rows[ABOVE_CHANCE[metric]] - rows["chance"]})
        # A seed may find one cluster only, which has no silhouette.
        of_seeds = rows.groupby(structure.VARIANT)[metric]
        rows = of_seeds.mean().where(of_seeds.count() == of_seeds.size()).reset_index()
    wide = rows.pivot(index=structure.FOREST, columns=["method", "scale"], values=metric)
    return wide.dropna()


def scores_by_variant(tables: Mapping[str, pd.DataFrame], metric: str) -> pd.DataFrame:
    """One value per data set and variant: the mean over its forests of `scores_by_forest`.

    Parameters
    ----------
    tables, metric
        As there.

    Returns
    -------
    DataFrame of float
        Data sets by (method, scale); only data sets with a value.
    """
    return scores_by_forest(tables, metric).groupby(level="dataset").mean()


def by_group(rows: pd.DataFrame, metric: str, column: str) -> pd.DataFrame:
    """One value per data set and group: the mean over the divisions on which all have one.

    Parameters
    ----------
    rows : DataFrame
        dataset, split, the column that names the group, and the metric.
    metric, column : str

    Returns
    -------
    DataFrame of float
        Data sets by groups.
    """
    wide = rows.pivot(index=["dataset", "split"], columns=column, values=metric)
    return wide.dropna().groupby(level="dataset").mean()


def statistics(tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """All tests, over data sets: one value per data set, the mean over its divisions.

    Parameters
    ----------
    tables : mapping of DataFrame
        `closeness`, `scores`, `ensembles` and `stability`.

    Returns
    -------
    DataFrame
        part, cell, metric, first, second, difference (first minus second, mean over data sets),
        then the attributes of `TestResult`. By part:

        - `variants`: Friedman's test of the sixteen variants of the chapter (rank 1: the highest
          value, whether or not that is good) and Nemenyi's of each pair;
        - `questions`: Wilcoxon's signed-rank test of each of `QUESTIONS` (cell); Holm over the
          questions of one metric;
        - `prototypes`: the same of each method (cell), the scale `prototypes` against the others;
          Holm over the methods and scales of one metric;
        - `ensembles`: the strategy `structure` against each other one, a cell per pool and k such
          as `uct/5`; Holm over all of one metric;
        - `stability`: each learner against C4.5; Holm over the learners of one metric.

        Wilcoxon's tests have two rows each, with the correction `none` and `holm`. A metric that
        no data set has is left out; `n` is the number of data sets.

    Raises
    ------
    DataError
        There is no forest at all.
    """
    if tables["closeness"].empty:
        raise DataError(
            f"no data set has a forest of {FEWEST_TREES} trees",
            remedy="raise `structure_beyond.n_iterations`, or name other data sets",
        )
    frames = [_of_variants(tables)]
    for part, families in (
        ("questions", _questions(tables)),
        ("prototypes", _prototypes(tables)),
        ("ensembles", _ensemble_tests(tables["ensembles"])),
        ("stability", _stability_tests(tables["stability"])),
    ):
        for cells in families:
            keys, results = [], []
            for (cell, metric, first, second), one, two in cells:
                keys.append((part, cell, metric, first, second, float((one - two).mean())))
                pair = one.to_numpy(), two.to_numpy()
                results.append(significance.wilcoxon(*pair, (first, second)))
            if results:
                frame = pd.DataFrame(keys, columns=TEST)
                frames.append(significance.plain_and_holm(frame, results, range(len(results))))
    whole = pd.concat([f for f in frames if len(f)] or frames[:1], ignore_index=True)
    return structure._sorted(whole, [*TEST[:-1], "name", "correction"])


def _of_variants(tables) -> pd.DataFrame:
    keys, results = [], []
    for metric in METRICS:
        wide = scores_by_variant(tables, metric)
        wide = wide.loc[:, wide.columns.get_level_values("scale") != "prototypes"]
        if wide.empty:
            continue
        names = ["/".join(column) for column in wide.columns]
        keys.append(("variants", "", metric, "", "", np.nan))
        results.append(significance.friedman(wide.to_numpy(), names))
        if len(wide) > 1:
            for result in significance.nemenyi(wide.to_numpy(), names):
                i, j = (names.index(group) for group in result.groups)
                difference = float((wide.iloc[:, i] - wide.iloc[:, j]).mean())
                keys.append(("variants", "", metric, *result.groups, difference))
                results.append(result)
    return pd.concat([pd.DataFrame(keys, columns=TEST), significance.to_frame(results)], axis=1)


def _questions(tables):
    for metric in METRICS:
        wide = scores_by_variant(tables, metric)
        if len(wide):
            yield [
                (
                    (name, metric, first, second),
                    wide[list(one)].mean(axis=1),
                    wide[list(two)].mean(axis=1),
                )
                for name, (first, second, one, two) in QUESTIONS.items()
            ]


def _prototypes(tables):
    for metric in METRICS:
        wide = scores_by_variant(tables, metric)
        if len(wide):
            yield [
                (
                    (method, metric, "prototypes", scale),
                    wide[(method, "prototypes")],
                    wide[(method, scale)],
                )
                for method, scale in itertools.product(structure.VARIANTS, structure.SCALES)
            ]


def _ensemble_tests(rows: pd.DataFrame):
    for metric in SCORED:
        cells = []
        for (pool, k), own in rows.groupby(["pool", "k"], sort=True):
            wide = by_group(own, metric, "strategy")
            if len(wide):
                cells += [
                    ((f"{pool}/{k}", metric, DIVERSE, other), wide[DIVERSE], wide[other])
                    for other in STRATEGIES
                    if other != DIVERSE
                ]
        yield cells


def _stability_tests(rows: pd.DataFrame):
    for metric in OF_LEARNERS:
        wide = by_group(rows, metric, "learner")
        if len(wide):
            yield [
                (("", metric, learner, BASE), wide[learner], wide[BASE])
                for learner in LEARNERS
                if learner != BASE
            ]
