"""Beyond chapter 5: the edit distances over many data sets, and diverse ensembles (5.5).

Splits into training and test data are those of the forests of `structure`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, rng
from hedgerow.errors import DataError
from hedgerow_study.experiments.frames import (
    CombinedSettings,
    Frames,
    concat_sorted,
    numbers_of,
    one_sample,
)
from hedgerow_study.experiments.step import step
from hedgerow_study.experiments.structure.plan import TREE
from hedgerow_study.experiments.structure.steps import cluster_forests as structure_cluster_forests
from hedgerow_study.experiments.structure.steps import compare as structure_compare
from hedgerow_study.experiments.structure.steps import learn as structure_learn
from hedgerow_study.experiments.structure.steps import split_of
from hedgerow_study.extensions.diverse_trees.plan import (
    EXPERIMENT,
    FEWEST_TREES,
    KEYS,
    OF_FORESTS,
    SCALES,
    STRATEGIES,
    VALUES,
    DiverseTreesPlan,
)

if TYPE_CHECKING:
    from hedgerow.tree import Tree
    from hedgerow_study.experiments.structure.plan import StructurePlan


#: Settings that stand for those of `structure`.
PLAN_SETTINGS = ("n_iterations", "n_seeds", "n_prototypes")


@step(
    *("confidence", "n_bagged", "n_draws", "n_iterations", "n_prototypes", "n_seeds", "seed"),
    *("share", "sizes"),
    outputs=("forests", "trees", "grown", "closeness", "scores", "ensembles"),
    protocol=(
        *("structure", "correlated_above", "exploration", "forest", "kept_path", "max_tests"),
        *("min_samples_split", "n_candidates", "n_clusters", "n_components", "n_trees", "seed"),
        *("test_size", "tree_pruning", "validation_fraction", "value_pruning"),
        *("value_pruning_depth", "value_pruning_interval"),
    ),
)
def run(
    table: TidyTable,
    plan: DiverseTreesPlan,
    protocol: StructurePlan,
    repeats: Iterable[int] | None = None,
) -> dict[str, pd.DataFrame]:
    """Both parts on one data set, or on some of its repeats.

    `forests` and `trees` are as `hedgerow_study.experiments.structure.steps.learn` gives them,
    without forests of fewer than `FEWEST_TREES` trees; `closeness` and `scores` as its `compare`
    and `cluster_forests` do.
    """
    # A synthetic set that is one sample is divided as any other set is.
    table = one_sample(table)
    both = CombinedSettings(plan, protocol, PLAN_SETTINGS)
    wanted = numbers_of(plan, "n_repeats", repeats)
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
    }


def _forests(
    table: TidyTable, plan: CombinedSettings, repeats: Sequence[int]
) -> dict[str, pd.DataFrame]:
    """As `structure_learn`, without forests of too few trees."""
    fewest = min(FEWEST_TREES, plan.n_trees)
    parts = []
    for number in repeats:
        try:
            learned = structure_learn(table, plan, [number])
        except DataError:  # one tree or none
            continue
        if len(learned["forests"]) >= fewest:
            parts.append(learned)
    if not parts:
        return {name: pd.DataFrame(columns=KEYS[name]) for name in ("forests", "trees")}
    return {n: pd.concat([p[n] for p in parts], ignore_index=True) for n in parts[0]}


# ------------------------------------------------------------------------------------- growing


def sample_weights(dataset: str, number: int, n_rows: int, n_samples: int, seed: int) -> np.ndarray:
    """How often each training row is in each bootstrap sample of a repeat."""
    stream = rng(seed, EXPERIMENT, dataset, number, "bootstrap")
    counts = [
        np.bincount(stream.integers(n_rows, size=n_rows), minlength=n_rows)
        for _ in range(n_samples)
    ]
    return np.array(counts, dtype=float)


def grow_samples(
    table: TidyTable, plan: DiverseTreesPlan, protocol: StructurePlan, repeats: Sequence[int]
) -> pd.DataFrame:
    """Pruned C4.5 trees of bootstrap samples of the training parts; copies of a row weigh more."""
    from hedgerow.induction.c45 import C45Classifier
    from hedgerow.tree import forest_to_frame

    keys, trees = [], []
    for number in repeats:
        train, _ = split_of(table, number, protocol)
        X, y = table.X.iloc[train], table.y[train]
        weights = sample_weights(table.name, number, len(train), plan.n_bagged, plan.seed)
        for sample, weight in enumerate(weights):
            model = C45Classifier(
                confidence=plan.confidence, min_samples_split=protocol.min_samples_split
            ).fit(X, y, sample_weight=weight)
            keys.append((table.name, number, sample))
            trees.append(_with_all_classes(model.tree_, model.classes_, len(table.classes)))
    return forest_to_frame(trees, pd.DataFrame(keys, columns=KEYS["grown"]), bare=True)


def _with_all_classes(tree: Tree, classes: np.ndarray, n_classes: int) -> Tree:
    """A sample may lack a class, whose weight is 0 in all nodes."""
    from hedgerow.tree import Tree

    arrays = tree.arrays()
    weight = np.zeros((tree.n_nodes, n_classes))
    weight[:, np.asarray(classes, dtype=int)] = arrays["class_weight"]
    return Tree(**{**arrays, "class_weight": weight})


# ----------------------------------------------------------------------------------- ensembles


def ensembles(
    table: TidyTable,
    learned: Frames,
    grown: pd.DataFrame,
    plan: DiverseTreesPlan,
    protocol: StructurePlan,
) -> pd.DataFrame:
    """Ensembles of k trees, by the mean of their class probabilities.

    Trees of UCT-DT are scored by macro F1 on the validation set of the search, those of C4.5 by
    macro F1 on the training rows that are not in their sample. `structure` chooses by edit
    distance (B2, Spearman) and `predictions` by d_p on the training rows, both with
    `hedgerow.structure.select_diverse`; `random_accurate` draws from the same trees with the best
    scores, and `random` from all.

    Columns: f1 (macro) and accuracy in per cent of the test part, mean_distance (B2, between two
    trees of the ensemble; NaN of a single one), member_f1 (mean of its trees), n_trees (that could
    be chosen from). Of random ensembles the mean over draws. A forest that was left out is no pool,
    and a pool of fewer than k trees has no row for k.
    """
    from hedgerow.structure import TreeEditDistance, class_prediction_distance
    from hedgerow.tree import forest_from_frame

    values, _ = table.matrix()
    rows = []
    for number in sorted(set(grown["repeat"])):
        train, test = split_of(table, number, protocol)
        bagged = forest_from_frame(grown[grown["repeat"] == number], KEYS["grown"])[1]
        pools = {"c45": (bagged, _out_of_bag_f1(table, values, train, bagged, number, plan))}
        forest, nodes = (learned[name] for name in ("forests", "trees"))
        forest = forest[forest["repeat"] == number]
        if len(forest):
            trees = forest_from_frame(nodes[nodes["repeat"] == number], TREE)[1]
            pools["uct"] = trees, forest["validation_f1"].to_numpy()
        metric = TreeEditDistance("B2", "spearman").fit(values[train], table.y[train])
        for pool, (trees, scores) in pools.items():
            D = metric.pairwise(trees)
            D_p = class_prediction_distance(trees, values[train])
            measured = _EnsembleScores(trees, values[test], table.y[test], D)
            stream = rng(plan.seed, EXPERIMENT, table.name, int(number), f"ensembles {pool}")
            for k in plan.sizes:
                if k > len(trees):
                    continue
                chosen = _chosen(trees, k, D, D_p, scores, stream, plan)
                for strategy in STRATEGIES:
                    row = measured.of(chosen[strategy])
                    rows.append((table.name, number, pool, k, strategy, *row, len(trees)))
    columns = [*KEYS["ensembles"], *VALUES]
    return concat_sorted([pd.DataFrame(rows, columns=columns)], KEYS["ensembles"])


def _out_of_bag_f1(
    table: TidyTable,
    values: np.ndarray,
    train: np.ndarray,
    trees: Sequence[Tree],
    number: int,
    plan: DiverseTreesPlan,
) -> np.ndarray:
    """Macro F1, per cent, of each tree on the training rows that its sample lacks."""
    weights = sample_weights(table.name, number, len(train), len(trees), plan.seed)
    f1_of_trees = []
    for tree, weight in zip(trees, weights, strict=True):
        outside = train[weight == 0]
        predicted = tree.predict_proba(values[outside]).argmax(axis=1)
        f1, _ = f1_and_accuracy(table.y[outside], predicted[None, :], tree.n_classes)
        f1_of_trees.append(float(f1[0]))
    return np.array(f1_of_trees)


def _chosen(
    trees: Sequence[Tree],
    k: int,
    D: np.ndarray,
    D_p: np.ndarray,
    scores: np.ndarray,
    stream: np.random.Generator,
    plan: DiverseTreesPlan,
) -> dict[str, np.ndarray]:
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


class _EnsembleScores:
    """Test scores of ensembles of some trees."""

    def __init__(self, trees: Sequence[Tree], X: np.ndarray, y: np.ndarray, D: np.ndarray):
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


def f1_and_accuracy(
    y: np.ndarray, predicted: np.ndarray, n_classes: int
) -> tuple[np.ndarray, np.ndarray]:
    """Macro F1 and accuracy in per cent of many predictions at once, each a row of `predicted`.

    As `hedgerow.evaluation.metrics`, which takes one at a time and thousands of times as long.
    """
    right = predicted == y
    f1 = np.zeros(len(predicted))
    for c in range(n_classes):
        both = (predicted == c).sum(axis=1) + (y == c).sum()
        hits = (right & (y == c)).sum(axis=1)
        f1 += np.divide(2.0 * hits, both, out=np.zeros(len(predicted)), where=both > 0)
    return 100.0 * f1 / n_classes, 100.0 * right.mean(axis=1)
