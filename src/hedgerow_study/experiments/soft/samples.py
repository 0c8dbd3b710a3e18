"""Samples of experiments 1 and 2 of the thesis: divisions, noise, and what is learnt from each."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping

import numpy as np
import pandas as pd

from hedgerow.data import add_noise, deviations, folds, rng, split
from hedgerow.errors import DataError
from hedgerow_study.experiments.soft.plan import EXPERIMENT, RECIPES, SoftPlan, uncertain_in


def random_split(table, repeat: int, plan: SoftPlan) -> pd.DataFrame:
    """Rows of one repeat with their part and fold."""
    train, test = split(
        table, repeat, seed=plan.seed, experiment=EXPERIMENT, test_size=plan.test_size
    )
    fold = folds(
        table.y[train],
        plan.n_folds,
        rng(plan.seed, EXPERIMENT, table.name, repeat, "folds"),
    )
    return pd.DataFrame(
        {
            "dataset": table.name,
            "repeat": repeat,
            "row": np.concatenate([train, test]),
            "part": ["train"] * len(train) + ["test"] * len(test),
            "fold": np.concatenate([fold, np.full(len(test), -1)]),
        }
    )


def variable_means(X: np.ndarray, n_categories: np.ndarray) -> np.ndarray:
    """Mean of the observed values of each variable, the unit of noise and uncertainty factors."""
    observed = ~np.isnan(X)
    total = np.where(observed, X, 0.0).sum(axis=0)
    count = observed.sum(axis=0)
    usable = (count > 0) & (np.asarray(n_categories) == 0)
    return np.divide(total, count, out=np.zeros(X.shape[1]), where=usable)


class Parts:
    """Clean samples of one repeat, and the means that scale their noise.

    The means are those of the training part in use: in cross validation the CV training folds,
    for both sides of the split.
    """

    def __init__(self, X: np.ndarray, n_categories: np.ndarray, splits: pd.DataFrame):
        self.X = X
        self.n_categories = n_categories
        part = splits["part"].to_numpy()
        rows = splits["row"].to_numpy()
        train = rows[part == "train"]
        fold = splits["fold"].to_numpy()[part == "train"]
        order = np.argsort(train)
        train, fold = train[order], fold[order]
        self.n_folds = int(fold.max()) + 1
        self.rows = {"train": train, "test": np.sort(rows[part == "test"])}
        for k in range(self.n_folds):
            self.rows[fold_name(k, "train")] = train[fold != k]
            self.rows[fold_name(k, "validation")] = train[fold == k]
        self._means = {}

    @staticmethod
    def training_of(name: str) -> str:
        """The training sample that sample `name` belongs to; a training sample to itself.

        >>> Parts.training_of("fold_03_validation"), Parts.training_of("test")
        ('fold_03_train', 'train')
        """
        return "train" if name == "test" else name.replace("validation", "train")

    def means(self, name: str) -> np.ndarray:
        """Means of the training sample that belongs to sample `name`."""
        training = self.training_of(name)
        if training not in self._means:
            self._means[training] = variable_means(self.X[self.rows[training]], self.n_categories)
        return self._means[training]

    def samples(self) -> Iterable[tuple[str, np.ndarray, np.ndarray]]:
        """Name, clean values and noise means of every sample."""
        for name, rows in self.rows.items():
            yield name, self.X[rows], self.means(name)


def fold_name(k: int, side: str) -> str:
    """Name of a cross-validation sample, such as `fold_03_validation`."""
    return f"fold_{k:02d}_{side}"


def seed_hex(sequence: np.random.SeedSequence) -> str:
    """Entropy of a named stream (256 bits), as it stands in the table of seeds."""
    return f"{sequence.entropy:064x}"


def generator_of(seed: str) -> np.random.Generator:
    """Generator that a recorded seed stands for: the one of `hedgerow.data.rng`."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(int(seed, 16))))


def sha256_of(array: np.ndarray) -> str:
    # One bit pattern for every NaN: arithmetic and file formats may change sign and payload.
    array = np.where(np.isnan(array), np.nan, array)
    return hashlib.sha256(np.ascontiguousarray(array, dtype="<f8").tobytes()).hexdigest()


class Samples:
    """Samples of one data set as `noise` made them, checked against their hashes.

    Parameters
    ----------
    table : TidyTable
    noised : dict of DataFrame, as returned by `noise`
    noise_is : str
        The setting under which it was made.
    """

    def __init__(self, table, noised: Mapping[str, pd.DataFrame], noise_is: str = "sd"):
        self.table = table
        self.noise_is = noise_is
        self.X, self.n_categories = table.matrix()
        self.n_classes = len(table.classes)
        self._parts = {
            int(p): Parts(self.X, self.n_categories, frame)
            for p, frame in noised["splits"].groupby("repeat")
        }
        seeds = noised["seeds"]
        self._seeds = {
            (int(p), name, float(n)): (seed, digest)
            for p, name, n, seed, digest in zip(
                seeds["repeat"],
                seeds["sample"],
                seeds["noise"],
                seeds["seed"],
                seeds["sha256"],
                strict=True,
            )
        }
        self._stored = {
            (int(p), part, float(n)): frame[list(table.X.columns)].to_numpy(dtype=float)
            for (p, part, n), frame in noised["samples"].groupby(["repeat", "part", "noise"])
        }

    @property
    def repeats(self) -> list[int]:
        return sorted(self._parts)

    def n_folds(self, repeat: int) -> int:
        return self._parts[repeat].n_folds

    def y(self, repeat: int, name: str) -> np.ndarray:
        return self.table.y[self._parts[repeat].rows[name]]

    def X_of(self, repeat: int, name: str, noise: float) -> np.ndarray:
        """Values of a sample at a noise factor."""
        parts = self._parts[repeat]
        clean = self.X[parts.rows[name]]
        if noise == 0.0:
            return clean
        key = (repeat, name, float(noise))
        if key not in self._seeds:
            raise DataError(
                f"{self.table.name}: no seed for {name} of repeat {repeat} at noise {noise:g}",
                remedy="make the noised data again with this configuration",
            )
        seed, digest = self._seeds[key]
        if key in self._stored:
            noised = self._stored[key]
        else:
            noised = noise_added(clean, noise, parts.means(name), seed, self.noise_is)
        if sha256_of(noised) != digest:
            raise DataError(
                f"{self.table.name}: {name} of repeat {repeat} at noise {noise:g} is "
                "not what its recorded hash says",
                remedy="delete data/noised/soft and run again",
            )
        return noised

    def training(self, repeat: int, name: str, noise: float) -> Training:
        return Training(
            self.X_of(repeat, name, noise),
            self.y(repeat, name),
            self.n_classes,
            self.n_categories,
        )


def noise_added(X, noise: float, means, seed: str, noise_is: str) -> np.ndarray:
    """Values with the noise of a recorded seed, under the setting `noise_is`."""
    second = "sd" if noise_is == "sd" else "variance"
    return add_noise(X, noise, means, generator_of(seed), second)


def samples_of(table, noised: Mapping[str, pd.DataFrame], noise_is: str = "sd") -> Samples:
    """Samples of one data set for other experiments that build on the same splits and noise.

    Returns: `repeats`, `y(repeat, name)`, `X_of(repeat, name, noise)` and
    `training(repeat, name, noise)`, whose `grow` and `prune` are those of `learn`.
    """
    return Samples(table, noised, noise_is)


class Training:
    """One training sample, presorted once for all learners and uncertainties.

    The learners are imported where they are called: tables and figures import this module for its
    names and need no compiled core.
    """

    def __init__(self, X, y, n_classes, n_categories):
        from hedgerow.induction import Columns

        self.X = X
        self.n_categories = n_categories
        self.columns = Columns(X, y, n_classes, n_categories=n_categories)

    def grow(self, learner: str, uncertainty, plan: SoftPlan):
        """Unpruned tree.

        Parameters
        ----------
        learner : key of `hedgerow_study.experiments.soft.plan.LEARNERS`
        uncertainty : float or gate
            The factor u, or what stands for it; the width w of UDT. C4.5 reads none.
        plan : SoftPlan, or one with the same settings

        Raises
        ------
        ConfigError
            No learner is called so.
        """
        from hedgerow.induction import grow

        uncertain = uncertain_in(learner)
        if "pdf" in uncertain:
            return grow(
                self.columns,
                pdf=self._pdf(uncertainty),
                n_points=plan.n_samples,
                min_samples_split=plan.min_samples_split,
            )
        return grow(
            self.columns,
            search=self._noise(uncertainty, plan) if "search" in uncertain else None,
            propagation=self._noise(uncertainty, plan) if "propagation" in uncertain else None,
            window=plan.window,
            step=plan.step,
            gate_at=plan.gate_at,
            min_samples_split=plan.min_samples_split,
        )

    def prune(self, tree, learner: str, uncertainty, confidence: float, plan: SoftPlan):
        """Tree pruned with the propagation that grew it. As `grow` otherwise."""
        from hedgerow.induction import prune

        uncertain = uncertain_in(learner)
        propagation = self._noise(uncertainty, plan) if "propagation" in uncertain else None
        return prune(
            tree,
            self.columns,
            confidence=confidence,
            propagation=self._pdf(uncertainty) if "pdf" in uncertain else propagation,
            window=plan.window,
            gate_at=plan.gate_at,
            counts=plan.udt_counts if "pdf" in uncertain else "weights",
        )

    def gate(self, method: str, tree, uncertainty: float, plan: SoftPlan):
        """Gate with which a method reads a pruned tree of this sample; None: hard."""
        evaluation = RECIPES[method].evaluation
        if evaluation == "noise":
            from hedgerow.tree import NoiseGate

            # SE: normal, sigma = u |mean| of each variable.
            return NoiseGate(self._sigma(uncertainty, plan), plan.window).at(plan.gate_at)
        if evaluation == "pdf":
            return self._pdf(uncertainty)
        if evaluation == "plt":
            from hedgerow.uncertainty.plt import piecewise_thresholds

            return piecewise_thresholds(tree, self.columns, plan.plt_crossings, plan.plt_bounds)
        return None

    def probabilities(self, method: str, tree, X: np.ndarray, uncertainty: float, plan: SoftPlan):
        """Class probabilities as a method reads them from a pruned tree of this sample, (n, k)."""
        return with_kernel(tree, X, self.gate(method, tree, uncertainty, plan), plan.leaf_votes)

    def _sigma(self, uncertainty: float, plan: SoftPlan) -> np.ndarray:
        """Standard deviations that a factor u stands for."""
        second = "variance" if plan.noise_is == "variance" else "sd"
        return deviations(uncertainty, variable_means(self.X, self.n_categories), second)

    def _noise(self, uncertainty, plan: SoftPlan):
        """Uncertainty of SS and STP as the learners take it: they know it in shares of means."""
        if not isinstance(uncertainty, (int, float)) or plan.noise_is != "variance":
            return uncertainty
        from hedgerow.tree import NoiseGate

        return NoiseGate(self._sigma(uncertainty, plan), plan.window)

    def _pdf(self, width: float):
        """Uncertain values of UDT: w is a share of each variable's range in this sample."""
        from hedgerow.tree.gates import spread_of

        return spread_of(width, self.columns.ranges)


def with_kernel(tree, X: np.ndarray, gate, leaf_votes: str = "mixture") -> np.ndarray:
    """Class probabilities of instances that reach leaves by shares.

    leaf_votes: A leaf counts by its share: with its class probabilities, or wholly for its class
    (ties: the first); or the leaf with the largest share decides alone (ties: the first).
    """
    if gate is None or leaf_votes == "mixture":
        return tree.predict_proba(X, evaluation=gate)
    values = tree.probabilities()
    if leaf_votes == "largest":
        return values[tree.apply(X, evaluation=gate)]
    labels = np.eye(tree.n_classes)[values.argmax(axis=1)]
    return tree.shares(X, evaluation=gate) @ (labels * tree.is_leaf()[:, None])


def confidence_of(calibration: pd.DataFrame, dataset: str) -> float:
    confidence = calibration.loc[calibration["dataset"] == dataset, "confidence"]
    if len(confidence) != 1:
        raise DataError(
            f"{dataset}: {len(confidence)} calibrated confidences", remedy="calibrate it again"
        )
    return float(confidence.iloc[0])
