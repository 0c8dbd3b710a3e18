"""The sweep of the pruning confidence c, figures 3.11 and 3.12 of the thesis (3.4.2).

Splits, seeds and noised samples are those of experiments 1 and 2
(`hedgerow_study.experiments.soft`). C4.5, soft search and soft training propagation learn from the
training part, with and without added noise; the uncertainty factor is one number, not tuned. A tree
is grown once per repeat, noise factor and method, then pruned at every c of a grid and
evaluated on the clean test part:

    grow -> evaluate -> merged

What the ends of the grid do: c / 2 is the tail of the upper limit of a leaf's error rate. At c = 0
the limit is 1, no subtree has fewer errors than a leaf, and one leaf is left. At c = 1 the limit is
the median of a Beta distribution, which still lies above the share of errors: the tree is pruned
least, but it is pruned. The tree as it was grown is measured beside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable
from hedgerow.evaluation import metrics
from hedgerow_study.experiments.frames import concat_sorted
from hedgerow_study.experiments.soft.plan import TREE_KEYS, SoftPlan
from hedgerow_study.experiments.soft.samples import samples_of
from hedgerow_study.experiments.soft_sweep.plan import CELL, METHODS, SweepPlan
from hedgerow_study.experiments.step import step


def _uncertainty(method: str, plan: SweepPlan) -> float:
    """Uncertainty factor of a method, as it stands in the keys of its trees."""
    return 0.0 if method == "c45" else plan.uncertainty


@step(
    "noise_factors",
    "uncertainty",
    learners=("soft", "gate_at", "min_samples_split", "noise_is", "step", "window"),
)
def grow(
    table: TidyTable, noised: Mapping[str, pd.DataFrame], plan: SweepPlan, learners: SoftPlan
) -> pd.DataFrame:
    """Grow the unpruned trees of one data set, of all repeats of its samples.

    Parameters
    ----------
    table : TidyTable
    noised : dict of DataFrame, as returned by `hedgerow_study.experiments.soft.steps.noise`
    plan : SweepPlan
    learners : SoftPlan
        Settings of the learners (window, step, gate_at, noise_is, min_samples_split).

    Returns
    -------
    DataFrame
        As `hedgerow.tree.forest_to_frame` makes it, keys as those of the trees of `soft`: dataset,
        repeat, training_noise, method, uncertainty.

    Raises
    ------
    DataError
        If the samples were made without one of the noise factors, or are not those recorded.
    """
    from hedgerow.tree import forest_to_frame

    samples = samples_of(table, noised, learners.noise_is)
    keys, trees = [], []
    for repeat in samples.repeats:
        for noise in plan.noise_factors:
            training = samples.training(repeat, "train", noise)
            for method in METHODS:
                uncertainty = _uncertainty(method, plan)
                trees.append(training.grow(method, uncertainty, learners))
                keys.append((table.name, repeat, noise, method, uncertainty))
    return forest_to_frame(trees, pd.DataFrame(keys, columns=TREE_KEYS))


@step("confidences", learners=("soft", "gate_at", "noise_is", "window"))
def evaluate(
    trees: pd.DataFrame,
    noised: Mapping[str, pd.DataFrame],
    table: TidyTable,
    plan: SweepPlan,
    learners: SoftPlan,
) -> pd.DataFrame:
    """Prune the trees of one data set at every c and evaluate them on the clean test part.

    Returns: tidy rows: dataset, repeat, noise, method, confidence, metric, value. Metrics:
    n_leaves (leaves) and accuracy (fraction). A confidence of NaN is the tree as it was grown.
    """
    from hedgerow.tree import forest_from_frame

    samples = samples_of(table, noised, learners.noise_is)
    keys, grown = forest_from_frame(trees, TREE_KEYS)
    keys = keys.reset_index(drop=True)
    rows = []
    # One presorting per training sample, whatever the order of the trees.
    for (repeat, noise), group in keys.groupby(["repeat", "training_noise"]):
        repeat, noise = int(repeat), float(noise)
        training = samples.training(repeat, "train", noise)
        X, y = samples.X_of(repeat, "test", 0.0), samples.y(repeat, "test")
        for i, method, uncertainty in group[["method", "uncertainty"]].itertuples():
            for confidence in (*plan.confidences, np.nan):
                tree = grown[i]
                if not np.isnan(confidence):
                    tree = training.prune(tree, method, float(uncertainty), confidence, learners)
                cell = (table.name, repeat, noise, method, confidence)
                rows.append((*cell, "n_leaves", float(tree.n_leaves)))
                rows.append((*cell, "accuracy", metrics.accuracy(y, tree.predict_proba(X))))
    frame = pd.DataFrame(rows, columns=[*CELL, "metric", "value"])
    return frame.sort_values([*CELL, "metric"], kind="stable", ignore_index=True)


@step(outputs=("rows", "trees"))
def merged(rows: Sequence[pd.DataFrame], trees: Sequence[pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Put the chunks of one data set together, so that nothing tells how it was cut."""
    return {
        "rows": concat_sorted(rows, [*CELL, "metric"]),
        "trees": pd.concat(trees, ignore_index=True),
    }
