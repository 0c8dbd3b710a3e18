"""Beyond chapter 3: other noise than Gaussian, and whether a model that matches it helps.

Three parts, each with the protocol of experiments 1 and 2 (thesis 3.3.2) and with their splits,
folds and pruning confidence:

- `noise_models`: noise on numeric variables of six families, in the training or the test data.
  SS, STP and SE assume normal noise (`normal`), the family that was added (`matching`), both with
  a tuned factor, or exactly what was added (`true`, nothing tuned).
- `class_noise`: labels of the training data replaced by another class.
- `categorical_noise`: categories replaced by draws from the distribution of their variable.

Soft search and soft propagation know numeric noise only. For categories, SE alone has a model that
matches (`hedgerow.uncertainty.CategoryNoise`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import numpy as np
import pandas as pd

from hedgerow.data import (
    TidyTable,
    add_family_noise,
    category_shares,
    flip_classes,
    replace_categories,
    seed_sequence,
    variable_multiples,
)
from hedgerow.errors import ConfigError, DataError
from hedgerow.evaluation import metrics
from hedgerow.evaluation.tuning import best_factor
from hedgerow.experiments.frames import joined, numbers_of
from hedgerow.experiments.soft.plan import EXPERIMENT as SOFT_EXPERIMENT
from hedgerow.experiments.soft.samples import (
    Parts,
    Training,
    confidence_of,
    fold_name,
    generator_of,
    seed_hex,
    sha256_of,
    variable_means,
)
from hedgerow.experiments.soft_beyond.plan import (
    DRAWS,
    EXPERIMENT,
    KEY,
    METHODS,
    MULTIPLES,
    NO_NOISE,
    ORDER,
    PARTS,
    WHERE,
    SoftBeyondPlan,
)
from hedgerow.experiments.step import step

# --------------------------------------------------------------------------------- samples


class _Permutation:
    """One permutation of a data set: its clean samples, and every draw by its name."""

    def __init__(self, table, permutation: int, splits: pd.DataFrame, plan: SoftBeyondPlan):
        self.X, self.n_categories = table.matrix()
        frame = splits[splits["permutation"] == permutation]
        if frame.empty:
            raise DataError(
                f"{table.name}: the splits lack permutation {permutation}",
                remedy="give those that `noise` of `soft` returns for it",
            )
        self.table = table
        self.number = permutation
        self.parts = Parts(self.X, self.n_categories, frame)
        self.seed = plan.seed
        self.draws = []
        self.multiples = variable_multiples(
            self.means("train"), self._rng(EXPERIMENT, "variable multiples")
        )

    @property
    def n_folds(self) -> int:
        return self.parts.n_folds

    def means(self, name: str) -> np.ndarray:
        """Means of the training sample that sample `name` belongs to."""
        return self.parts.means(name)

    def clean(self, name: str) -> np.ndarray:
        return self.X[self.parts.rows[name]]

    def y(self, name: str) -> np.ndarray:
        return self.table.y[self.parts.rows[name]]

    def _rng(self, experiment: str, stream: str) -> np.random.Generator:
        sequence = seed_sequence(self.seed, experiment, self.table.name, self.number, stream)
        return generator_of(seed_hex(sequence))

    def _drawn(self, part, name, family, noise, experiment, stream, make) -> np.ndarray:
        """Noised values, with the name and hash of their draw written down."""
        values = make(self._rng(experiment, stream))
        digest = sha256_of(np.asarray(values, dtype=float))
        self.draws.append(
            (self.table.name, self.number, part, name, family, noise, experiment, stream, digest)
        )
        return values

    def noised(self, name: str, family: str, factor: float) -> np.ndarray:
        """Values of a sample with noise on its numeric variables.

        Normal noise is that of experiments 1 and 2, number for number; its factor is a share of
        standard deviations, whatever `soft.noise_is` says.
        """
        experiment, stream = EXPERIMENT, f"noise_{family}_{name}_{factor!r}"
        if family == "normal":
            experiment, stream = SOFT_EXPERIMENT, f"noise_{name}_{factor!r}"
        multiples = self.multiples if family == "per_variable" else None

        def make(generator):
            return add_family_noise(
                self.clean(name), family, factor, self.means(name), generator, multiples
            )

        return self._drawn("noise_models", name, family, factor, experiment, stream, make)

    def flipped(self, name: str, probability: float) -> np.ndarray:
        """Class codes of a sample, some replaced by another class."""
        if probability == 0:
            return self.y(name)
        stream = f"classes_{name}_{probability!r}"

        def make(generator):
            return flip_classes(self.y(name), len(self.table.classes), probability, generator)

        return self._drawn("class_noise", name, "classes", probability, EXPERIMENT, stream, make)

    def replaced(self, name: str, probability: float) -> np.ndarray:
        """Values of a sample, some categories replaced by draws from the training part."""
        stream = f"categories_{name}_{probability!r}"

        def make(generator):
            return replace_categories(self.clean(name), self.shares(name), probability, generator)

        return self._drawn(
            "categorical_noise", name, "categories", probability, EXPERIMENT, stream, make
        )

    def shares(self, name: str) -> dict[int, np.ndarray]:
        """Distribution of the categories in the training sample that `name` belongs to."""
        return category_shares(self.clean(self.parts.training_of(name)), self.n_categories)


class _Learner:
    """One training sample, presorted once for all methods, models and factors."""

    def __init__(self, X, y, n_classes, n_categories, confidence, plan):
        self.training = Training(X, y, n_classes, n_categories)
        self.means = variable_means(X, n_categories)
        self.confidence = confidence
        self.plan = plan
        self._trees = {}

    def tree(self, method: str, noise=None, name=None):
        """Pruned tree of c45, ss or stp; kept under a name, as other cells want the same tree."""
        if (method, name) not in self._trees:
            grown = self.training.grow(method, noise, self.plan)
            self._trees[method, name] = self.training.prune(
                grown, method, noise, self.confidence, self.plan
            )
        return self._trees[method, name]


def noise_gate(family: str, factor: float, means: np.ndarray, window: float, multiples=None):
    """Noise of each variable as a method assumes it.

    Parameters
    ----------
    family : one of `hedgerow.data.FAMILIES`
    factor : float
        Uncertainty factor u: the standard deviation is u |mean|, u |x| in the family
        `proportional`, u k |mean| in `per_variable`.
    means : (m,) float array
        0 for variables without noise.
    window : float
        Where the distribution function is cut, in standard deviations.
    multiples : (m,) float array, for `per_variable`

    Returns
    -------
    hedgerow.tree.NoiseGate
    """
    from scipy import stats

    from hedgerow.tree import NoiseGate
    from hedgerow.uncertainty import RelativeNoise, ShapedNoise

    sigma = factor * np.abs(means)
    if family == "normal":
        return NoiseGate(sigma, window)
    if family == "per_variable":
        return NoiseGate(sigma * multiples, window)
    noisy = np.flatnonzero(sigma > 0)
    if family == "proportional":
        model = RelativeNoise(stats.norm(scale=factor))
        return NoiseGate(np.where(sigma > 0, factor, 0.0), window, dict.fromkeys(noisy, model))
    return NoiseGate(sigma, window, {int(j): ShapedNoise(family, sigma[j]) for j in noisy})


def _gate(family: str, factor: float, means: np.ndarray, plan: SoftBeyondPlan, multiples=None):
    """`noise_gate` with the settings of the learners."""
    return noise_gate(family, factor, means, plan.window, multiples).at(plan.gate_at)


# ----------------------------------------------------------------------------------- parts


def run(
    part: str,
    table,
    splits: pd.DataFrame,
    calibration: pd.DataFrame,
    plan: SoftBeyondPlan,
    permutations: Iterable[int] | None = None,
) -> dict[str, pd.DataFrame]:
    """One part of the experiment on one data set.

    Parameters
    ----------
    part : one of PARTS
    table : TidyTable
    splits : DataFrame
        Of the experiment `soft`, as returned by `hedgerow.experiments.soft.steps.noise`.
    calibration : DataFrame, as returned by `hedgerow.experiments.soft.steps.calibrate`
    plan : SoftBeyondPlan
    permutations : iterable of int, optional
        A chunk of the permutations; default all of the plan. Chunks put together are the whole.

    Returns
    -------
    dict of DataFrame
        `rows`: dataset, permutation, part, where (none, training, test), family, noise, method,
        model, metric, value. Metrics are those of `evaluate`, and `factor` where one was
        tuned. `draws`: name and SHA-256 of every noised sample. `multiples`: the multiple of the
        noise factor that each variable has in the family `per_variable`.

    Raises
    ------
    DataError
        If the splits lack a permutation, the data set has no calibrated confidence, or its
        variables bear none of this noise.
    """
    if part not in PARTS:
        raise ConfigError(f"no part is called {part!r}", remedy=f"use one of {', '.join(PARTS)}")
    confidence = confidence_of(calibration, table.name)
    do = {
        "noise_models": _noise_models,
        "class_noise": _class_noise,
        "categorical_noise": _categorical_noise,
    }[part]
    rows, draws, multiples = [], [], []
    for number in numbers_of(plan, "n_permutations", permutations):
        permutation = _Permutation(table, number, splits, plan)
        if part == "categorical_noise" and not (permutation.n_categories > 0).any():
            raise DataError(
                f"{table.name} has no categorical variable",
                remedy="leave it out of `soft_beyond.categorical_datasets`",
            )
        rows += [(table.name, number, part, *row) for row in do(permutation, confidence, plan)]
        draws += permutation.draws
        if part == "noise_models" and "per_variable" in plan.families:
            multiples += [
                (table.name, number, str(variable), float(k))
                for variable, k in zip(table.X.columns, permutation.multiples, strict=True)
            ]
    return merge(
        {
            "rows": [pd.DataFrame(rows, columns=[*KEY, "metric", "value"])],
            "draws": [pd.DataFrame(draws, columns=DRAWS)],
            "multiples": [pd.DataFrame(multiples, columns=MULTIPLES)],
        }
    )


def run_parts(
    parts: Iterable[str],
    table,
    splits: pd.DataFrame,
    calibration: pd.DataFrame,
    plan: SoftBeyondPlan,
    permutations: Iterable[int] | None = None,
) -> dict[str, pd.DataFrame]:
    """Several parts on one data set, in one set of tables. As `run` otherwise."""
    permutations = None if permutations is None else list(permutations)
    done = [run(part, table, splits, calibration, plan, permutations) for part in parts]
    return merge({name: [d[name] for d in done] for name in ORDER})


@step(
    "class_noise",
    "factors",
    "families",
    "noise_factors",
    "seed",
    makes=("rows", "draws", "multiples"),
    plan=("soft", "gate_at", "min_samples_split", "step", "window"),
)
def numeric(
    table: TidyTable,
    splits: pd.DataFrame,
    calibration: pd.DataFrame,
    plan: SoftBeyondPlan,
    permutations: Iterable[int] | None = None,
) -> dict[str, pd.DataFrame]:
    """Noise on numeric variables and on classes: the same data sets. As `run` otherwise."""
    parts = ("noise_models", "class_noise")
    return run_parts(parts, table, splits, calibration, plan, permutations)


@step(
    "category_noise",
    "factors",
    "seed",
    makes=("rows", "draws", "multiples"),
    plan=("soft", "gate_at", "min_samples_split", "step", "window"),
)
def categories(
    table: TidyTable,
    splits: pd.DataFrame,
    calibration: pd.DataFrame,
    plan: SoftBeyondPlan,
    permutations: Iterable[int] | None = None,
) -> dict[str, pd.DataFrame]:
    """Noise on categories. As `run` otherwise."""
    return run_parts(("categorical_noise",), table, splits, calibration, plan, permutations)


def merge(frames: Mapping[str, list[pd.DataFrame]]) -> dict[str, pd.DataFrame]:
    """Join tables of chunks, parts and data sets, so that nothing tells how they were cut.

    Parameters
    ----------
    frames : mapping of lists of DataFrame
        Tables `rows`, `draws` and `multiples`, as returned by `run`.

    Returns
    -------
    dict of DataFrame, sorted by their keys
    """
    return {name: joined(frames[name], order) for name, order in ORDER.items()}


def _rows(cell: tuple, tree, X, y, evaluation=None, factor=None) -> list[tuple]:
    """Metrics of one tree under the key of its cell."""
    return _metric_rows(cell, tree, y, tree.predict_proba(X, evaluation=evaluation), factor)


def _metric_rows(cell: tuple, tree, y, probabilities: np.ndarray, factor=None) -> list[tuple]:
    values = {
        "n_leaves": float(tree.n_leaves),
        "accuracy": metrics.accuracy(y, probabilities),
        "macro_f1": metrics.macro_f1(y, probabilities),
        "brier": metrics.brier(y, probabilities),
    }
    if factor is not None:
        values["factor"] = factor
    return [(*cell, metric, value) for metric, value in values.items()]


class _Tuning:
    """Cross-validated accuracy of every factor in every cell; the best one of each."""

    def __init__(self, plan: SoftBeyondPlan, n_folds: int):
        self.plan, self.n_folds = plan, n_folds
        self.accuracy = {}

    def add(self, cell: tuple, fold: int, g: int, y, probabilities) -> None:
        table = self.accuracy.setdefault(
            cell, np.full((self.n_folds, len(self.plan.factors)), np.nan)
        )
        table[fold, g] = metrics.accuracy(y, probabilities)

    def best(self, cell: tuple) -> float:
        return best_factor(self.plan.factors, self.accuracy[cell].mean(axis=0))


def _soft_probabilities(learner: _Learner, method: str, gate, name) -> Callable:
    """Class probabilities as a function of X for ss, stp or se with one noise gate."""
    if method == "se":
        tree = learner.tree("c45")
        return lambda X: tree.predict_proba(X, evaluation=gate)
    tree = learner.tree(method, gate, name)
    return lambda X: tree.predict_proba(X, evaluation=None)


def _soft_rows(cell, learner, method, gate, name, X, y, factor=None) -> list[tuple]:
    if method == "se":
        return _rows(cell, learner.tree("c45"), X, y, gate, factor)
    return _rows(cell, learner.tree(method, gate, name), X, y, None, factor)


def _noise_models(p: _Permutation, confidence: float, plan: SoftBeyondPlan) -> list[tuple]:
    """Part one: six families, in training or test data, with models that match or do not."""
    n_classes = len(p.table.classes)
    if not p.means("train").any():
        raise DataError(
            f"{p.table.name} has no numeric variable whose mean is not 0",
            remedy="leave it out of `soft_beyond.datasets`",
        )

    def learner(X, name):
        return _Learner(X, p.y(name), n_classes, p.n_categories, confidence, plan)

    def gate(family, factor, means):
        multiples = p.multiples if family == "per_variable" else None
        return _gate(family, factor, means, plan, multiples)

    def assumed(family):
        """Family of the normal model, and of the matching one where it is another."""
        return [("normal", "normal")] + ([("matching", family)] if family != "normal" else [])

    def gates_of(trained, family):
        """Each factor's gate, made once for the three methods."""
        return [gate(family, u, trained.means) for u in plan.factors]

    tuning = _Tuning(plan, p.n_folds)
    methods = METHODS[1:]
    for k in range(p.n_folds):
        train, validation = fold_name(k, "train"), fold_name(k, "validation")
        y = p.y(validation)
        noisy = {
            (f, n): p.noised(validation, f, n) for f in plan.families for n in plan.noise_factors
        }
        # Clean training folds: the trees of one model serve every family that it is tried on.
        trained = learner(p.clean(train), train)
        for model_family in dict.fromkeys(("normal", *plan.families)):
            for g, soft_gate in enumerate(gates_of(trained, model_family)):
                for method in methods:
                    predict = _soft_probabilities(trained, method, soft_gate, (model_family, g))
                    for (family, n), X in noisy.items():
                        for model, of in assumed(family):
                            if of == model_family:
                                cell = ("test", family, n, method, model)
                                tuning.add(cell, k, g, y, predict(X))
        clean = p.clean(validation)
        for family in plan.families:
            for n in plan.noise_factors:
                trained = learner(p.noised(train, family, n), train)
                for model, of in assumed(family):
                    for g, soft_gate in enumerate(gates_of(trained, of)):
                        for method in methods:
                            predict = _soft_probabilities(trained, method, soft_gate, (of, g))
                            cell = ("training", family, n, method, model)
                            tuning.add(cell, k, g, y, predict(clean))

    y, clean = p.y("test"), p.clean("test")
    of_clean = learner(p.clean("train"), "train")
    rows = _rows((*NO_NOISE, "c45", "none"), of_clean.tree("c45"), clean, y)
    for family in plan.families:
        for n in plan.noise_factors:
            for where in WHERE:
                trained, X = of_clean, clean
                if where == "training":
                    trained = learner(p.noised("train", family, n), "train")
                else:
                    X = p.noised("test", family, n)
                cell = (where, family, n)
                rows += _rows((*cell, "c45", "none"), trained.tree("c45"), X, y)
                for method in methods:
                    for model, of in assumed(family):
                        u = tuning.best((*cell, method, model))
                        rows += _soft_rows(
                            (*cell, method, model),
                            trained,
                            method,
                            gate(of, u, trained.means),
                            (of, u),
                            X,
                            y,
                            u,
                        )
                    # What was added is a share of the means before it was added.
                    rows += _soft_rows(
                        (*cell, method, "true"),
                        trained,
                        method,
                        gate(family, n, p.means("train")),
                        ("true", family, n),
                        X,
                        y,
                    )
    return rows


def _class_noise(p: _Permutation, confidence: float, plan: SoftBeyondPlan) -> list[tuple]:
    """Part two: class labels of the training data replaced; validation and test labels clean."""
    n_classes = len(p.table.classes)
    levels = (0.0, *plan.class_noise)

    def learner(name, probability):
        y = p.flipped(name, probability)
        return _Learner(p.clean(name), y, n_classes, p.n_categories, confidence, plan)

    tuning = _Tuning(plan, p.n_folds)
    for k in range(p.n_folds):
        train, validation = fold_name(k, "train"), fold_name(k, "validation")
        for probability in levels:
            _tune_normal(
                tuning, (probability,), k, learner(train, probability), p, validation, plan
            )
    rows = []
    for probability in levels:
        cell = ("training", "classes", probability) if probability else NO_NOISE
        rows += _with_normal(
            cell, tuning, (probability,), learner("train", probability), p, p.clean("test"), plan
        )
    return rows


def _tune_normal(tuning, key, fold, trained, p, validation, plan, X=None) -> None:
    """Accuracy of ss, stp and se with normal noise on one validation fold."""
    if not trained.means.any():
        return
    X = p.clean(validation) if X is None else X
    for g, u in enumerate(plan.factors):
        gate = _gate("normal", u, trained.means, plan)
        for method in METHODS[1:]:
            predict = _soft_probabilities(trained, method, gate, ("normal", g))
            tuning.add((*key, method, "normal"), fold, g, p.y(validation), predict(X))


def _with_normal(cell, tuning, key, trained, p, X, plan) -> list[tuple]:
    """Rows of C4.5, and of ss, stp and se with tuned normal noise on the numeric variables.

    Without a numeric variable the soft methods are C4.5, and have no rows of their own.
    """
    y = p.y("test")
    rows = _rows((*cell, "c45", "none"), trained.tree("c45"), X, y)
    if trained.means.any():
        for method in METHODS[1:]:
            u = tuning.best((*key, method, "normal"))
            gate = _gate("normal", u, trained.means, plan)
            rows += _soft_rows(
                (*cell, method, "normal"), trained, method, gate, ("normal", u), X, y, u
            )
    return rows


def _categorical_noise(p: _Permutation, confidence: float, plan: SoftBeyondPlan) -> list[tuple]:
    """Part three: categories replaced in the training or the test data.

    SE has a matching model as well: the probability that a category was replaced, tuned or known.
    """
    from hedgerow.uncertainty import CategoryNoise

    n_classes = len(p.table.classes)

    def learner(X, name):
        return _Learner(X, p.y(name), n_classes, p.n_categories, confidence, plan)

    def shares_of(X):
        return category_shares(X, p.n_categories)

    levels = [(*NO_NOISE[::2],)] + [(w, q) for w in WHERE for q in plan.category_noise]
    tuning = _Tuning(plan, p.n_folds)

    def prepared(where, probability, train, other, cache):
        """Learner and evaluated values of one cell; the clean learner is grown once."""
        if where == "training":
            return learner(p.replaced(train, probability), train), p.clean(other)
        if "clean" not in cache:
            cache["clean"] = learner(p.clean(train), train)
        X = p.clean(other) if where == "none" else p.replaced(other, probability)
        return cache["clean"], X

    for k in range(p.n_folds):
        train, validation = fold_name(k, "train"), fold_name(k, "validation")
        cache = {}
        for where, probability in levels:
            trained, X = prepared(where, probability, train, validation, cache)
            _tune_normal(tuning, (where, probability), k, trained, p, validation, plan, X)
            shares = shares_of(trained.training.X)
            for g, q in enumerate(plan.factors):
                probabilities = trained.tree("c45").predict_proba(X, CategoryNoise(shares, q))
                cell = (where, probability, "se", "matching")
                tuning.add(cell, k, g, p.y(validation), probabilities)
    rows, cache = [], {}
    for where, probability in levels:
        trained, X = prepared(where, probability, "train", "test", cache)
        cell = (where, "categories", probability) if probability else NO_NOISE
        rows += _with_normal(cell, tuning, (where, probability), trained, p, X, plan)
        tree, shares = trained.tree("c45"), shares_of(trained.training.X)
        q = tuning.best((where, probability, "se", "matching"))
        y = p.y("test")
        # The hard tree, softened where it tests categories.
        mixed = tree.predict_proba(X, CategoryNoise(shares, q))
        rows += _metric_rows((*cell, "se", "matching"), tree, y, mixed, q)
        if probability:
            mixed = tree.predict_proba(X, CategoryNoise(shares, probability))
            rows += _metric_rows((*cell, "se", "true"), tree, y, mixed)
    return rows
