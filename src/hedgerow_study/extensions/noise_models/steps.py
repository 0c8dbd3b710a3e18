"""Beyond chapter 3: other noise than Gaussian, and whether a model that matches it helps.

The protocol is that of experiments 1 and 2 (thesis 3.3.2), with their splits, folds and pruning
confidence. Numeric variables get noise of six families, in the training or the test data. SS, STP
and SE assume normal noise (`normal`), the family that was added (`matching`), both with a tuned
uncertainty, or exactly what was added (`true`, nothing tuned).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, add_family_noise, rng, variable_multiples
from hedgerow.errors import DataError
from hedgerow.evaluation import metrics
from hedgerow.evaluation.tuning import best_value
from hedgerow_study.experiments.frames import numbers_of, ordered
from hedgerow_study.experiments.soft.plan import EXPERIMENT as SOFT_EXPERIMENT
from hedgerow_study.experiments.soft.samples import (
    Parts,
    Training,
    confidence_of,
    fold_name,
    variable_means,
)
from hedgerow_study.experiments.step import step
from hedgerow_study.extensions.noise_models.plan import (
    EXPERIMENT,
    METHODS,
    NO_NOISE,
    ORDER,
    PART,
    WHERE,
    NoiseModelsPlan,
)


class _Repeat:
    """One repeat of a data set: its samples, clean and with noise."""

    def __init__(self, table: TidyTable, number: int, splits: pd.DataFrame, plan: NoiseModelsPlan):
        self.X, self.n_categories = table.matrix()
        frame = splits[splits["repeat"] == number]
        if frame.empty:
            raise DataError(
                f"{table.name}: the splits lack repeat {number}",
                remedy="give those that `noise` of `soft` returns for it",
            )
        self.table, self.number, self.seed = table, number, plan.seed
        self.parts = Parts(self.X, self.n_categories, frame)
        self.means = self.parts.means("train")
        draws = self._rng(EXPERIMENT, "variable multiples")
        self.multiples = variable_multiples(self.means, draws)

    def _rng(self, experiment: str, stream: str) -> np.random.Generator:
        return rng(self.seed, experiment, self.table.name, self.number, stream)

    def clean(self, name: str) -> np.ndarray:
        return self.X[self.parts.rows[name]]

    def y(self, name: str) -> np.ndarray:
        return self.table.y[self.parts.rows[name]]

    def noised(self, name: str, family: str, noise: float) -> np.ndarray:
        """Values of a sample with noise on its numeric variables.

        Normal noise is that of experiments 1 and 2, number for number; its size is a share of
        standard deviations, whatever `soft.noise_is` says.
        """
        if family == "normal":
            draws = self._rng(SOFT_EXPERIMENT, f"noise_{name}_{noise!r}")
        else:
            draws = self._rng(EXPERIMENT, f"noise_{family}_{name}_{noise!r}")
        multiples = self.multiples if family == "per_variable" else None
        means = self.parts.means(name)
        return add_family_noise(self.clean(name), family, noise, means, draws, multiples)


class Learner:
    """One training sample, presorted once for all methods, models and uncertainties."""

    def __init__(
        self, X, y, n_classes: int, n_categories, confidence: float, plan: NoiseModelsPlan
    ):
        self.training = Training(X, y, n_classes, n_categories)
        self.means = variable_means(X, n_categories)
        self.confidence, self.plan = confidence, plan
        self._trees = {}

    def predictor(self, method: str, gate=None, name=None):
        """Pruned tree of a method and the gate it is read with; kept under the gate's name."""
        if method == "se":
            return self.predictor("c45")[0], gate
        if (method, name) not in self._trees:
            grown = self.training.grow(method, gate, self.plan)
            self._trees[method, name] = self.training.prune(
                grown, method, gate, self.confidence, self.plan
            )
        return self._trees[method, name], None


def noise_gate(family: str, uncertainty: float, means: np.ndarray, window: float, multiples=None):
    """`NoiseGate` of the noise that a method assumes: u |mean|, u |x| or u k |mean| by family."""
    from scipy import stats

    from hedgerow.tree import NoiseGate
    from hedgerow.uncertainty import RelativeNoise, ShapedNoise

    sigma = uncertainty * np.abs(means)
    if family == "normal":
        return NoiseGate(sigma, window)
    if family == "per_variable":
        return NoiseGate(sigma * multiples, window)
    noisy = np.flatnonzero(sigma > 0)
    if family == "proportional":
        model = RelativeNoise(stats.norm(scale=uncertainty))
        return NoiseGate(np.where(sigma > 0, uncertainty, 0.0), window, dict.fromkeys(noisy, model))
    return NoiseGate(sigma, window, {int(j): ShapedNoise(family, sigma[j]) for j in noisy})


@step(
    "families",
    "noise_factors",
    "seed",
    "uncertainties",
    plan=("soft", "gate_at", "min_samples_split", "step", "window"),
)
def numeric(
    table: TidyTable,
    splits: pd.DataFrame,
    calibration: pd.DataFrame,
    plan: NoiseModelsPlan,
    repeats: Iterable[int] | None = None,
) -> pd.DataFrame:
    """Noise on the numeric variables of one data set; splits and calibration are those of `soft`.

    Metrics: n_leaves, accuracy, macro_f1, brier; uncertainty, where one was tuned.
    """
    confidence = confidence_of(calibration, table.name)
    lines = []
    for number in numbers_of(plan, "n_repeats", repeats):
        repeat = _Repeat(table, number, splits, plan)
        if not repeat.means.any():
            raise DataError(
                f"{table.name} has no numeric variable whose mean is not 0",
                remedy="leave it out of `noise_models.datasets`",
            )
        for row in _rows(repeat, confidence, plan):
            lines.append((table.name, number, PART, *row))
    return ordered(lines, ORDER, "value")


class _Learners:
    """What is learnt in one repeat, by family and uncertainty that are assumed."""

    def __init__(self, p: _Repeat, confidence: float, plan: NoiseModelsPlan):
        self.p, self.confidence, self.plan = p, confidence, plan
        self.noises = [(family, n) for family in plan.families for n in plan.noise_factors]

    def on(self, X: np.ndarray, name: str) -> Learner:
        """Of a sample."""
        n_classes = len(self.p.table.classes)
        return Learner(
            X, self.p.y(name), n_classes, self.p.n_categories, self.confidence, self.plan
        )

    def gate(self, family: str, uncertainty: float, means: np.ndarray):
        """The gate of an assumed noise."""
        multiples = self.p.multiples if family == "per_variable" else None
        return noise_gate(family, uncertainty, means, self.plan.window, multiples).at(
            self.plan.gate_at
        )

    def tuned(self) -> dict[tuple, float]:
        """The uncertainty with the best accuracy in cross validation, by cell."""
        p, grid = self.p, self.plan.uncertainties
        accuracy = {}  # by cell: folds by uncertainties

        def note(cell, k, g, y, predictor, X):
            table = accuracy.setdefault(cell, np.full((p.parts.n_folds, len(grid)), np.nan))
            tree, gate = predictor
            table[k, g] = metrics.accuracy(y, tree.predict_proba(X, evaluation=gate))

        for k in range(p.parts.n_folds):
            train, validation = fold_name(k, "train"), fold_name(k, "validation")
            y = p.y(validation)
            noisy = {noise: p.noised(validation, *noise) for noise in self.noises}
            # Clean training folds: the trees of one model serve every family that it is tried on.
            trained = self.on(p.clean(train), train)
            for of in dict.fromkeys(("normal", *self.plan.families)):
                for g, method, predictor in self._predictors(trained, of):
                    for (family, n), X in noisy.items():
                        for model, other in _assumed_models(family):
                            if other == of:
                                note(("test", family, n, method, model), k, g, y, predictor, X)
            clean = p.clean(validation)
            for family, n in self.noises:
                trained = self.on(p.noised(train, family, n), train)
                for model, of in _assumed_models(family):
                    for g, method, predictor in self._predictors(trained, of):
                        note(("training", family, n, method, model), k, g, y, predictor, clean)
        return {cell: best_value(grid, table.mean(axis=0)) for cell, table in accuracy.items()}

    def _predictors(self, trained: Learner, of: str) -> Iterator[tuple]:
        """Number of each uncertainty, method, and how it reads under a family."""
        for g, u in enumerate(self.plan.uncertainties):
            gate = self.gate(of, u, trained.means)
            for method in METHODS[1:]:
                yield g, method, trained.predictor(method, gate, (of, g))


def _assumed_models(family: str) -> list[tuple[str, str]]:
    """Family of the normal model, and of the matching one where it is another."""
    return [("normal", "normal")] + ([("matching", family)] if family != "normal" else [])


def _rows(p: _Repeat, confidence: float, plan: NoiseModelsPlan) -> Iterator[tuple]:
    """Place, family and size of the noise, method, model, metric and value."""
    learners = _Learners(p, confidence, plan)
    tuned = learners.tuned()
    y, clean = p.y("test"), p.clean("test")
    of_clean = learners.on(p.clean("train"), "train")
    yield from _scores((*NO_NOISE, "c45", "none"), of_clean.predictor("c45"), clean, y)
    for family, n in learners.noises:
        for where in WHERE:
            trained, X = of_clean, clean
            if where == "training":
                trained = learners.on(p.noised("train", family, n), "train")
            else:
                X = p.noised("test", family, n)
            place = (where, family, n)
            yield from _scores((*place, "c45", "none"), trained.predictor("c45"), X, y)
            for method in METHODS[1:]:
                for model, of in _assumed_models(family):
                    cell = (*place, method, model)
                    u = tuned[cell]
                    gate = learners.gate(of, u, trained.means)
                    yield from _scores(cell, trained.predictor(method, gate, (of, u)), X, y, u)
                # What was added is a share of the means before it was added.
                gate = learners.gate(family, n, p.means)
                predictor = trained.predictor(method, gate, ("true", family, n))
                yield from _scores((*place, method, "true"), predictor, X, y)


def _scores(cell: tuple, predictor: tuple, X, y, u: float | None = None) -> Iterator[tuple]:
    """Metrics of one tree, read with its gate, under the key of its cell."""
    tree, gate = predictor
    probabilities = tree.predict_proba(X, evaluation=gate)
    yield *cell, "n_leaves", float(tree.n_leaves)
    yield *cell, "accuracy", metrics.accuracy(y, probabilities)
    yield *cell, "macro_f1", metrics.macro_f1(y, probabilities)
    yield *cell, "brier", metrics.brier(y, probabilities)
    if u is not None:
        yield *cell, "uncertainty", u
