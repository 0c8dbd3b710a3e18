"""Experiments 1 and 2 of the thesis: soft trees on data with added noise (3.3.2).

Experiment 1 (`training_noise`) adds noise to the training data, experiment 2 (`test_noise`) to
the test data. One function per step of the flow, each from tables to tables, so that every file
between two steps can be opened and checked:

    noise -> calibrate -> learn -> prune -> evaluate -> merged -> statistics

`noise`, `learn`, `prune` and `evaluate` work on a chunk of the repeats, which does not depend
on how many there are: more repeats leave finished chunks alone.

What the two experiments share is computed once. Every cross-validation fold and every
repeat has one clean training set; its trees serve column 0 of experiment 1 and all columns
of experiment 2, and they are stored under training noise 0. SE changes evaluation only: it is
tuned and evaluated on the trees of C4.5, as PLT is evaluated on them.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, folds, rng, seed_sequence, split
from hedgerow.errors import DataError
from hedgerow.evaluation import calibration as calibrating
from hedgerow.evaluation import metrics
from hedgerow.evaluation.tuning import best_value
from hedgerow_study.experiments.frames import concat_sorted, numbers_of, sorted_
from hedgerow_study.experiments.soft.plan import (
    CELL,
    EXPERIMENT,
    EXPERIMENTS,
    RECIPES,
    TREE_KEYS,
    TUNED,
    SoftPlan,
)
from hedgerow_study.experiments.soft.samples import (
    Parts,
    Samples,
    Training,
    confidence_of,
    fold_name,
    noise_added,
    random_split,
    seed_hex,
    sha256_of,
    with_kernel,
)
from hedgerow_study.experiments.step import step

# ------------------------------------------------------------------------------------- noise


@step(
    "n_folds",
    "noise_factors",
    "noise_is",
    "seed",
    "store_samples",
    "test_size",
    outputs=("splits", "samples", "seeds"),
)
def noise(
    table: TidyTable, plan: SoftPlan, repeats: Iterable[int] | None = None
) -> dict[str, pd.DataFrame]:
    """Splits, folds and noised samples of one data set (thesis 3.3.2, steps 1 to 4).

    Returns: `splits`: dataset, repeat, row (of the tidy table), part (train or test), fold (of
    the cross validation; -1 in the test part). `samples`: dataset, repeat, part, noise, row,
    one column per variable: the noised train and test parts; without rows where the plan keeps
    seeds and hashes only. `seeds`: dataset, repeat, sample, noise, seed (hex), sha256 of the
    noised array (rows ascending, float64, little-endian). Samples are `train`, `test`,
    `fold_00_train`, `fold_00_validation` and so on. Noise factor 0 has no rows in samples and
    seeds: nothing is drawn.
    """
    X, n_categories = table.matrix()
    columns = list(table.X.columns)
    keys = ["dataset", "repeat", "part", "noise", "row"]
    clash = [c for c in columns if c in keys]
    if clash:
        raise DataError(
            f"{table.name}: a variable is called `{clash[0]}`, like a column of the samples",
            remedy="rename it in the reader of config/datasets.yaml",
        )
    splits, samples, seeds = [], [], []
    for repeat in numbers_of(plan, "n_repeats", repeats):
        frame = random_split(table, repeat, plan)
        splits.append(frame)
        parts = Parts(X, n_categories, frame)
        for name, clean, means in parts.samples():
            for noise in plan.noise_factors[1:]:
                stream = f"noise_{name}_{noise!r}"
                seed = seed_hex(seed_sequence(plan.seed, EXPERIMENT, table.name, repeat, stream))
                noised = noise_added(clean, noise, means, seed, plan.noise_is)
                seeds.append((table.name, repeat, name, noise, seed, sha256_of(noised)))
                if plan.store_samples and name in ("train", "test"):
                    sample = pd.DataFrame(noised, columns=columns)
                    sample.insert(0, "row", parts.rows[name])
                    sample.insert(0, "noise", noise)
                    sample.insert(0, "part", name)
                    sample.insert(0, "repeat", repeat)
                    sample.insert(0, "dataset", table.name)
                    samples.append(sample)
    empty = pd.DataFrame({**{k: [] for k in keys}, **{c: np.empty(0) for c in columns}})
    order = ["repeat", "part", "noise", "row"]
    seeds = pd.DataFrame(seeds, columns=["dataset", "repeat", "sample", "noise", "seed", "sha256"])
    return {
        "splits": sorted_(pd.concat(splits), ["repeat", "row"]),
        "samples": sorted_(pd.concat(samples), order) if samples else empty,
        "seeds": sorted_(seeds, ["repeat", "sample", "noise"]),
    }


# --------------------------------------------------------------------------------- calibrate


@step(
    "calibration",
    "confidence_tolerance",
    "gate_at",
    "min_samples_split",
    "n_calibrated",
    "n_folds",
    "seed",
    "step",
    "target_leaves",
    "test_size",
    "window",
)
def calibrate(table: TidyTable, plan: SoftPlan) -> pd.DataFrame:
    """Pruning confidence at which C4.5 averages 15 leaves, else 10, else 5 (thesis 3.3.1).

    The mean is over the training parts of thirty repeats, without noise, however many the
    configuration asks for: the thesis fixes c "through cross validation" and prints 15.0 leaves for
    the baseline over its thirty repeats. One tree is grown for each and pruned at each
    confidence of the bisection. A row that is a test row of one repeat is a training row of
    others. With `calibration: folds` the trees are those of a stratified cross validation on the
    whole set. The samples of a synthetic set are never joined: each has its own repeat, or
    its own folds.
    """
    X, n_categories = table.matrix()
    grown = []
    for train in _calibrating_rows(table, plan):
        training = Training(X[train], table.y[train], len(table.classes), n_categories)
        grown.append((training, training.grow("c45", 0.0, plan)))

    def mean_leaves(confidence: float) -> float:
        leaves = [t.prune(tree, "c45", 0.0, confidence, plan).n_leaves for t, tree in grown]
        return float(np.mean(leaves))

    result = calibrating.calibrate_confidence(
        mean_leaves, plan.target_leaves, plan.confidence_tolerance
    )
    return pd.DataFrame([{"dataset": table.name, **dataclasses.asdict(result)}])


def _calibrating_rows(table: TidyTable, plan: SoftPlan) -> Iterator[np.ndarray]:
    """Training rows of each tree whose leaves calibrate the pruning confidence."""
    whole = np.zeros(len(table.y), dtype=int) if table.sample is None else table.sample
    samples = np.unique(whole)
    if plan.calibration == "repeats":
        n = plan.n_calibrated if len(samples) == 1 else min(plan.n_calibrated, len(samples))
        for repeat in range(n):
            yield split(
                table, repeat, seed=plan.seed, experiment=EXPERIMENT, test_size=plan.test_size
            )[0]
        return
    for sample in samples:
        rows = np.flatnonzero(whole == sample)
        stream = f"calibration_{int(sample)}"
        fold = folds(
            table.y[rows], plan.n_folds, rng(plan.seed, EXPERIMENT, table.name, None, stream)
        )
        for k in range(fold.max() + 1):
            yield rows[fold != k]


# ------------------------------------------------------------------------------------- learn


@step(
    "gate_at",
    "leaf_votes",
    "methods",
    "min_samples_split",
    "n_samples",
    "noise_factors",
    "noise_is",
    "plt_bounds",
    "plt_crossings",
    "step",
    "udt_counts",
    "uncertainties",
    "window",
    outputs=("trees", "tuning", "times"),
)
def learn(
    table: TidyTable,
    noised: Mapping[str, pd.DataFrame],
    calibration: pd.DataFrame,
    plan: SoftPlan,
    repeats: Iterable[int] | None = None,
) -> dict[str, pd.DataFrame]:
    """Tune the uncertainty by cross validation and grow the trees (steps 2 to 4, 2 to 3).

    Cross-validation trees are pruned with the data set's calibrated confidence, like the trees
    that they stand for. The highest mean accuracy over the folds wins; ties: the smallest.

    Returns: `trees`: unpruned trees, one row per node, keys dataset, repeat, training_noise,
    method (the learner: c45, ss, stp, udt, ss_stp), uncertainty (0 for c45). Experiment 2 reads
    training noise 0. `tuning`: dataset, experiment, repeat, noise, method, uncertainty,
    cv_accuracy, chosen. `times`: dataset, experiment, repeat, noise, method, seconds of
    processor time that tuning and learning take, whatever trees methods share. Machines differ: no
    result depends on it.
    """
    from hedgerow.tree import forest_to_frame

    samples = Samples(table, noised, plan.noise_is)
    confidence = confidence_of(calibration, table.name)
    chunk = samples.repeats if repeats is None else sorted(set(repeats))
    tuning, keys, trees, times = [], [], [], []
    for repeat in chunk:
        clock = _Clock()
        chosen = _tune(samples, repeat, confidence, plan, clock)
        tuning.append(chosen)
        for training_noise in plan.noise_factors:
            training = samples.training(repeat, "train", training_noise)
            for learner, uncertainty in _wanted(chosen, training_noise):
                with clock.of(learner, training_noise, uncertainty):
                    tree = training.grow(learner, uncertainty, plan)
                if learner == "c45" and "plt" in plan.methods:
                    pruned = training.prune(tree, learner, uncertainty, confidence, plan)
                    with clock.of("bounds", training_noise):
                        training.gate("plt", pruned, uncertainty, plan)
                trees.append(tree)
                keys.append((table.name, repeat, training_noise, learner, uncertainty))
        times.append(clock.times(chosen, plan).assign(dataset=table.name, repeat=repeat))
    tuning, times = pd.concat(tuning), pd.concat(times)
    return {
        "trees": forest_to_frame(trees, pd.DataFrame(keys, columns=TREE_KEYS)),
        "tuning": sorted_(tuning, ["experiment", "repeat", "noise", "method", "uncertainty"]),
        "times": sorted_(times, ["experiment", "repeat", "noise", "method"])[[*CELL, "seconds"]],
    }


class _Clock:
    """Seconds of growing, pruning and reading trees, by what was done.

    Methods share trees; a method's time is that of all it needs, as if it were run alone.
    """

    def __init__(self):
        self._seconds = collections.Counter()

    @contextlib.contextmanager
    def of(self, *key):
        """Add the time of the body to a key."""
        start = time.process_time()
        yield
        self._seconds[key] += time.process_time() - start

    def times(self, tuning: pd.DataFrame, plan: SoftPlan) -> pd.DataFrame:
        """experiment, noise, method, seconds: tuning and the tree of the chosen uncertainty."""
        chosen = tuning[tuning["chosen"]]
        uncertainty_of = {
            (c.experiment, c.noise, c.method): c.uncertainty for c in chosen.itertuples(index=False)
        }
        rows = []
        for experiment in EXPERIMENTS:
            for n in plan.noise_factors:
                training_noise = n if experiment == "training_noise" else 0.0
                read_as = experiment if n > 0 else "test_noise"  # column 0 is computed once
                for method in plan.methods:
                    learner = RECIPES[method].learner
                    uncertainty = uncertainty_of.get((experiment, n, method), 0.0)
                    seconds = self._seconds[
                        learner, training_noise, 0.0 if learner == "c45" else uncertainty
                    ]
                    if RECIPES[method].tuned:
                        seconds += self._seconds["tuning", learner, training_noise]
                        seconds += self._seconds["reading", read_as, n, method]
                    if RECIPES[method].evaluation == "plt":
                        seconds += self._seconds["bounds", training_noise]
                    rows.append((experiment, n, method, seconds))
        return pd.DataFrame(rows, columns=["experiment", "noise", "method", "seconds"])


def _wanted(tuning: pd.DataFrame, training_noise: float) -> list:
    """Learners and uncertainties of the trees that one training set has to give, sorted.

    The clean training set serves every column of experiment 2, each with its own tuned uncertainty.
    """
    cells = tuning[tuning["chosen"]]
    of_training = (cells["experiment"] == "training_noise") & (cells["noise"] == training_noise)
    if training_noise == 0.0:
        of_training |= cells["experiment"] == "test_noise"
    cells = cells[of_training]
    pairs = {
        (RECIPES[method].learner, uncertainty)
        for method, uncertainty in zip(cells["method"], cells["uncertainty"], strict=True)
        if RECIPES[method].learner != "c45"
    }
    return [("c45", 0.0), *sorted(pairs)]


def _tune(
    samples: Samples, repeat: int, confidence: float, plan: SoftPlan, clock: _Clock
) -> pd.DataFrame:
    """Cross-validated accuracy of every uncertainty in every cell of one repeat.

    Experiment 1 learns from noised CV training folds and validates on clean ones, experiment 2
    the reverse; the trees of clean training folds are grown once and validated at every level.
    """
    n_folds = samples.n_folds(repeat)
    methods = [m for m in plan.methods if m in TUNED]
    learners = {}
    for method in methods:
        learners.setdefault(RECIPES[method].learner, []).append(method)
    accuracy = {
        (experiment, noise, method): np.empty((n_folds, len(plan.uncertainties)))
        for experiment in EXPERIMENTS
        for noise in plan.noise_factors
        for method in methods
    }
    for k in range(n_folds):
        y = samples.y(repeat, fold_name(k, "validation"))
        validation = {
            n: samples.X_of(repeat, fold_name(k, "validation"), n) for n in plan.noise_factors
        }
        for training_noise in plan.noise_factors:
            if training_noise == 0.0:
                cells = [("test_noise", n, validation[n]) for n in plan.noise_factors]
            else:
                cells = [("training_noise", training_noise, validation[0.0])]
            training = samples.training(repeat, fold_name(k, "train"), training_noise)
            for learner, readers in learners.items():
                tree = None
                for g, uncertainty in enumerate(plan.uncertainties):
                    if tree is None or learner != "c45":  # one tree of C4.5 serves all of them
                        with clock.of("tuning", learner, training_noise):
                            tree = training.grow(learner, uncertainty, plan)
                            tree = training.prune(tree, learner, uncertainty, confidence, plan)
                    for method in readers:
                        gate = training.gate(method, tree, uncertainty, plan)
                        for experiment, n, X in cells:
                            with clock.of("reading", experiment, n, method):
                                probabilities = with_kernel(tree, X, gate, plan.leaf_votes)
                            accuracy[experiment, n, method][k, g] = metrics.accuracy(
                                y, probabilities
                            )
    for method in methods:
        # Column 0 is one computation for both experiments.
        accuracy["training_noise", 0.0, method] = accuracy["test_noise", 0.0, method]
    rows = []
    for (experiment, n, method), values in accuracy.items():
        mean = values.mean(axis=0)
        best = best_value(plan.uncertainties, mean)
        for uncertainty, value in zip(plan.uncertainties, mean, strict=True):
            rows.append((experiment, n, method, uncertainty, float(value), uncertainty == best))
    frame = pd.DataFrame(
        rows, columns=["experiment", "noise", "method", "uncertainty", "cv_accuracy", "chosen"]
    ).astype({"chosen": bool})
    frame.insert(1, "repeat", repeat)
    frame.insert(0, "dataset", samples.table.name)
    return frame


# ------------------------------------------------------------------------------------- prune


@step("gate_at", "noise_is", "udt_counts", "window")
def prune(
    trees: pd.DataFrame,
    noised: Mapping[str, pd.DataFrame],
    calibration: pd.DataFrame,
    tuning: pd.DataFrame,
    table: TidyTable,
    plan: SoftPlan,
) -> pd.DataFrame:
    """Prune trees of a data set with its calibrated confidence (thesis 2.2.3).

    Parameters
    ----------
    trees : DataFrame of unpruned trees, as returned by `learn`
    noised, calibration, tuning, table, plan : as in `learn` and `evaluate`
        `tuning` is checked, not used: each chosen uncertainty must have its tree.

    Returns
    -------
    DataFrame of the pruned trees, with the keys of `trees`

    Raises
    ------
    DataError
        If a chosen uncertainty has no tree.
    """
    from hedgerow.tree import forest_from_frame, forest_to_frame

    samples = Samples(table, noised, plan.noise_is)
    confidence = confidence_of(calibration, table.name)
    keys, grown = forest_from_frame(trees, TREE_KEYS)
    keys = keys.reset_index(drop=True)
    _check_complete(keys, tuning)
    pruned = [None] * len(grown)
    # One presorting per training sample, whatever the order of the trees.
    for (repeat, training_noise), group in keys.groupby(["repeat", "training_noise"]):
        training = samples.training(int(repeat), "train", float(training_noise))
        for i, method, uncertainty in group[["method", "uncertainty"]].itertuples():
            pruned[i] = training.prune(grown[i], method, float(uncertainty), confidence, plan)
    return forest_to_frame(pruned, keys)


def _check_complete(keys: pd.DataFrame, tuning: pd.DataFrame) -> None:
    """Each chosen uncertainty of a learned method must have its tree."""
    chosen = tuning[tuning["chosen"]]
    learner = chosen["method"].map({method: r.learner for method, r in RECIPES.items()})
    wanted = pd.DataFrame(
        {
            "repeat": chosen["repeat"],
            "training_noise": chosen["noise"].where(chosen["experiment"] == "training_noise", 0.0),
            "method": learner,
            "uncertainty": chosen["uncertainty"].where(learner != "c45", 0.0),
        }
    ).drop_duplicates()
    learned = set(keys[list(wanted.columns)].itertuples(index=False, name=None))
    for cell in wanted.itertuples(index=False, name=None):
        if cell not in learned:
            repeat, training_noise, method, uncertainty = cell
            raise DataError(
                f"no tree of {method} with uncertainty {uncertainty:g} for repeat {repeat} at "
                f"training noise {training_noise:g}",
                remedy="learn the trees again from this tuning",
            )


# ---------------------------------------------------------------------------------- evaluate


@step(
    "gate_at",
    "leaf_votes",
    "methods",
    "noise_factors",
    "noise_is",
    "plt_bounds",
    "plt_crossings",
    "window",
)
def evaluate(
    pruned: pd.DataFrame,
    tuning: pd.DataFrame,
    noised: Mapping[str, pd.DataFrame],
    table: TidyTable,
    plan: SoftPlan,
) -> pd.DataFrame:
    """Evaluate the trees on the test part, noised in experiment 2 (step 5).

    Returns: tidy rows: experiment, dataset, repeat, noise, method, metric, value. Metrics:
    n_leaves (leaves), depth (tests on the longest path), accuracy (fraction), macro_f1, brier, and
    uncertainty (the tuned u, or w of UDT) for tuned methods.
    """
    from hedgerow.tree import forest_from_frame

    samples = Samples(table, noised, plan.noise_is)
    keys, trees = forest_from_frame(pruned, TREE_KEYS)
    tree_of = {
        (int(k.repeat), float(k.training_noise), k.method, float(k.uncertainty)): tree
        for k, tree in zip(keys.itertuples(index=False), trees, strict=True)
    }
    chosen = tuning[tuning["chosen"]]
    uncertainty_of = {
        (c.experiment, int(c.repeat), float(c.noise), c.method): float(c.uncertainty)
        for c in chosen.itertuples(index=False)
    }
    rows = []
    for repeat in sorted({key[0] for key in tree_of}):
        y = samples.y(repeat, "test")
        training_of = {n: samples.training(repeat, "train", n) for n in plan.noise_factors}
        for n in plan.noise_factors:
            # At noise 0 both experiments are the same cell: it is computed once.
            for experiment in EXPERIMENTS if n > 0 else ("both",):
                training_noise = n if experiment == "training_noise" else 0.0
                X = samples.X_of(repeat, "test", n if experiment == "test_noise" else 0.0)
                names = EXPERIMENTS if experiment == "both" else (experiment,)
                training = training_of[training_noise]
                for method in plan.methods:
                    uncertainty = uncertainty_of.get((names[0], repeat, n, method), 0.0)
                    learner = RECIPES[method].learner
                    grown_with = 0.0 if learner == "c45" else uncertainty
                    tree = tree_of[repeat, training_noise, learner, grown_with]
                    probabilities = training.probabilities(method, tree, X, uncertainty, plan)
                    values = _measure(tree, y, probabilities)
                    if method in TUNED:
                        values["uncertainty"] = uncertainty
                    rows += [
                        (name, table.name, repeat, n, method, metric, value)
                        for name in names
                        for metric, value in values.items()
                    ]
    return sorted_(pd.DataFrame(rows, columns=[*CELL, "metric", "value"]), [*CELL, "metric"])


def _measure(tree, y: np.ndarray, probabilities: np.ndarray) -> dict[str, float]:
    return {
        "n_leaves": float(tree.n_leaves),
        "depth": float(tree.depth),
        "accuracy": metrics.accuracy(y, probabilities),
        "macro_f1": metrics.macro_f1(y, probabilities),
        "brier": metrics.brier(y, probabilities),
    }


# ------------------------------------------------------------------------------------- merge


@step(outputs=("rows", "pruned", "trees", "tuning"))
def merged(
    rows: Sequence[pd.DataFrame],
    pruned: Sequence[pd.DataFrame],
    trees: Sequence[pd.DataFrame],
    tuning: Sequence[pd.DataFrame],
) -> dict[str, pd.DataFrame]:
    """Put the chunks of one data set together, so that nothing tells how it was cut."""
    return {
        "rows": concat_sorted(rows, [*CELL, "metric"]),
        "pruned": pd.concat(pruned, ignore_index=True),
        "trees": pd.concat(trees, ignore_index=True),
        "tuning": concat_sorted(tuning, ["experiment", "repeat", "noise", "method", "uncertainty"]),
    }
