"""Experiments 1 and 2 of the thesis: soft trees on data with added noise (3.3.2).

Experiment 1 (`training_noise`) adds noise to the training data, experiment 2 (`test_noise`) to
the test data. One function per step of the flow, each from tables to tables, so that every file
between two steps can be opened and checked:

    noise -> calibrate -> learn -> prune_trees -> evaluate -> statistics

What the two experiments share is computed once. Every cross-validation fold and every
permutation has one clean training set; its trees serve column 0 of experiment 1 and all columns
of experiment 2, and they are stored under training noise 0. SE changes evaluation only: it is
tuned and evaluated on the trees of C4.5, as PLT is evaluated on them.
"""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import hashlib
import itertools
import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
import pandas as pd

from hedgerow.data import add_noise, folds, rng, seed_sequence, split
from hedgerow.errors import ConfigError, DataError
from hedgerow.evaluation import calibration as calibrating
from hedgerow.evaluation import metrics, significance
from hedgerow.evaluation.tuning import best_factor
from hedgerow.workflow.plan import Plan

EXPERIMENT = "soft"  # the word under which seeds are drawn: both experiments share splits and folds
EXPERIMENTS = ("training_noise", "test_noise")


@dataclass(frozen=True)
class Recipe:
    """What a method is made of.

    Attributes
    ----------
    learner : {"c45", "ss", "stp", "udt", "ss_stp"}
        What grows its trees.
    evaluation : {None, "noise", "plt", "pdf"}
        How they are read: hard, by soft evaluation, piecewise-linear thresholds, or UDT's pdfs.
    tuned : bool
        Whether a factor is tuned: u, or the width w of UDT. All parts of a method share it,
        because they are about the same measurements.
    """

    learner: str
    evaluation: str | None = None
    tuned: bool = True


#: The six methods of tables 3.4 and 3.5, then combinations that the thesis leaves to future work.
RECIPES = {
    "c45": Recipe("c45", tuned=False),
    "ss": Recipe("ss"),
    "stp": Recipe("stp"),
    "se": Recipe("c45", "noise"),
    "plt": Recipe("c45", "plt", tuned=False),
    "udt": Recipe("udt", "pdf"),
    "ss_stp": Recipe("ss_stp"),
    "ss_se": Recipe("ss", "noise"),
    "stp_se": Recipe("stp", "noise"),
    "ss_stp_se": Recipe("ss_stp", "noise"),
}
METHODS = tuple(RECIPES)
PRINTED = ("c45", "ss", "stp", "se", "plt", "udt")  # tables 3.4 and 3.5
COMBINED = ("ss_stp", "ss_se", "stp_se", "ss_stp_se")
TUNED = tuple(method for method, recipe in RECIPES.items() if recipe.tuned)
TREE_KEYS = ["dataset", "permutation", "training_noise", "method", "factor"]
CELL = ["experiment", "dataset", "permutation", "noise", "method"]

#: Printed rows of table 3.1, by their key in data/published, and the data set of the registry
#: that stands for each: variants leave out the non-ordinal variables, as 3.3.1 says.
TABLE_3_1 = {
    "hepatitis": "hepatitis_numeric",
    "heart_disease": "heart_cleveland_ordinal",
    "pima": "pima",
    "south_african_heart": "saheart_numeric",
    "breast_cancer_wisconsin": "wdbc",
    "dermatology": "dermatology",
    "haberman": "haberman",
    "indian_liver": "ilpd_numeric",
    "bupa": "bupa",
    "vertebral_2c": "vertebral_2c",
    "vertebral_3c": "vertebral_3c",
    "thyroid_gland": "new_thyroid",
    "parkinson": "parkinsons",
    "spectf": "spectf",
    "thoracic_surgery": "thoracic_surgery_numeric",
    "synthetic_soft_1": "synthetic_soft_1",
    "synthetic_soft_2": "synthetic_soft_2",
    "synthetic_soft_3": "synthetic_soft_3",
    "synthetic_soft_4": "synthetic_soft_4",
    "synthetic_soft_5": "synthetic_soft_5",
}


@dataclass(frozen=True)
class SoftPlan(Plan):
    """Settings of experiments 1 and 2: the section `soft` of the configuration.

    Attributes
    ----------
    datasets : tuple of str
        Registry keys; read by the report only, so that one more data set reruns no other.
    seed : int
        Global seed, from which every random draw is derived by name.
    configuration : str
        Name of the configuration, for captions.
    n_permutations : int
        Random train-test permutations per data set; 30 in the paper.
    test_size : float
        Share of the test part.
    n_folds : int
        Folds of tuning and of calibration.
    noise_factors : tuple of float
        Noise factors n; 0 has to be among them, because it is the baseline.
    methods : tuple of str
        Keys of `RECIPES`; c45 has to be among them.
    factors : tuple of float, above 0
        Grid of the tuned uncertainty factors u and of UDT's width w. It cannot hold 0 (methods
        note on table 3.4: SE at noise 0 differs from C4.5). The paper prints no grid; this one is
        ours.
    n_samples : int
        Sample points of each value's pdf in UDT; s = 100 in its paper.
    window, step : float
        Width of the soft search's grid beyond the data and its step, in units of sigma.
    gate_at : {"threshold", "midpoint"}
        Where the gates of STP and SE are centred.
    min_samples_split : float
        Weight below which a node is a leaf.
    target_leaves : tuple of float
        Mean leaves aimed at by the calibration, largest first.
    confidence_tolerance : float
        Width of the last interval of the bisection.
    store_samples : bool
        Keep the noised train and test samples on disk, not only their seeds and hashes.
    """

    section: ClassVar[str] = "soft"

    datasets: tuple[str, ...] = ()
    seed: int = 0
    configuration: str = "default"
    n_permutations: int = 30
    test_size: float = 0.3
    n_folds: int = 10
    noise_factors: tuple[float, ...] = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
    methods: tuple[str, ...] = PRINTED
    factors: tuple[float, ...] = (0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
    window: float = 6.0  # thesis 3.3.2
    step: float = 0.1  # thesis 3.3.2
    n_samples: int = 100  # Tsang et al. 2011
    gate_at: str = "threshold"
    min_samples_split: float = 4  # chapters 3 and 4
    target_leaves: tuple[float, ...] = (15, 10, 5)  # thesis 3.3.1
    confidence_tolerance: float = 1e-3
    store_samples: bool = True

    @classmethod
    def from_config(cls, section: Mapping, seed: int, configuration_name: str) -> Self:
        """As `Plan.from_config`; a section that names no data set is refused as well."""
        if "datasets" in section and not section["datasets"]:
            raise ConfigError("`soft.datasets` names no data set", remedy="name at least one")
        return super().from_config(section, seed, configuration_name)

    def __post_init__(self):
        for name in ("noise_factors", "factors", "target_leaves"):
            # Whole numbers of a YAML file must not make other keys than floats do.
            object.__setattr__(self, name, tuple(sorted({float(v) for v in getattr(self, name)})))
        object.__setattr__(self, "target_leaves", self.target_leaves[::-1])  # largest first
        if 0.0 not in self.noise_factors or self.noise_factors[0] < 0:
            raise ConfigError(
                "`soft.noise_factors` has to hold 0 and nothing below",
                remedy="add 0: it is the baseline of every table",
            )
        if not self.factors or self.factors[0] <= 0:
            raise ConfigError(
                "`soft.factors` has to hold factors above 0 only",
                remedy="leave 0 out: without uncertainty every method is C4.5",
            )
        unknown = [m for m in self.methods if m not in METHODS]
        if unknown or "c45" not in self.methods:
            raise ConfigError(
                f"`soft.methods` is {', '.join(self.methods) or 'empty'}",
                remedy=f"name c45 and any of {', '.join(METHODS[1:])}",
            )
        object.__setattr__(self, "methods", tuple(m for m in METHODS if m in self.methods))
        if self.n_permutations < 1 or self.n_folds < 2 or not 0 < self.test_size < 1:
            raise ConfigError(
                f"`soft` has n_permutations {self.n_permutations}, n_folds {self.n_folds} and "
                f"test_size {self.test_size}",
                remedy="use n_permutations >= 1, n_folds >= 2 and a test_size between 0 and 1",
            )


# ------------------------------------------------------------------------------------- noise


def noise(table, plan: SoftPlan) -> dict[str, pd.DataFrame]:
    """Splits, folds and noised samples of one data set (thesis 3.3.2, steps 1 to 4).

    Parameters
    ----------
    table : TidyTable
    plan : SoftPlan

    Returns
    -------
    dict of DataFrame
        `splits`: dataset, permutation, row (of the tidy table), part (train or test), fold (of the
        cross validation; -1 in the test part).
        `samples`: dataset, permutation, part, noise, row, one column per variable: the noised
        train and test parts; without rows where the plan keeps seeds and hashes only.
        `seeds`: dataset, permutation, sample, noise, seed (hex), sha256 of the noised array (rows
        ascending, float64, little-endian). Samples are `train`, `test`, `fold_00_train`,
        `fold_00_validation` and so on.

        Noise factor 0 has no rows in samples and seeds: nothing is drawn.

    Raises
    ------
    DataError
        If a variable bears the name of a key column.
    """
    X, n_categories = table.matrix()
    columns = list(table.X.columns)
    keys = ["dataset", "permutation", "part", "noise", "row"]
    clash = [c for c in columns if c in keys]
    if clash:
        raise DataError(
            f"{table.name}: a variable is called `{clash[0]}`, like a column of the samples",
            remedy="rename it in the reader of config/datasets.yaml",
        )
    splits, samples, seeds = [], [], []
    for permutation in range(plan.n_permutations):
        frame = _split(table, permutation, plan)
        splits.append(frame)
        parts = _Parts(X, n_categories, frame)
        for name, clean, means in parts.samples():
            for factor in plan.noise_factors[1:]:
                stream = f"noise_{name}_{factor!r}"
                seed = _seed_hex(
                    seed_sequence(plan.seed, EXPERIMENT, table.name, permutation, stream)
                )
                noised = add_noise(clean, factor, means, _generator(seed))
                seeds.append((table.name, permutation, name, factor, seed, _sha256(noised)))
                if plan.store_samples and name in ("train", "test"):
                    sample = pd.DataFrame(noised, columns=columns)
                    sample.insert(0, "row", parts.rows[name])
                    sample.insert(0, "noise", factor)
                    sample.insert(0, "part", name)
                    sample.insert(0, "permutation", permutation)
                    sample.insert(0, "dataset", table.name)
                    samples.append(sample)
    empty = pd.DataFrame({**{k: [] for k in keys}, **{c: np.empty(0) for c in columns}})
    order = ["permutation", "part", "noise", "row"]
    seeds = pd.DataFrame(
        seeds, columns=["dataset", "permutation", "sample", "noise", "seed", "sha256"]
    )
    return {
        "splits": _sorted(pd.concat(splits), ["permutation", "row"]),
        "samples": _sorted(pd.concat(samples), order) if samples else empty,
        "seeds": _sorted(seeds, ["permutation", "sample", "noise"]),
    }


def _split(table, permutation: int, plan: SoftPlan) -> pd.DataFrame:
    """Rows of one permutation with their part and fold."""
    train, test = split(
        table, permutation, seed=plan.seed, experiment=EXPERIMENT, test_size=plan.test_size
    )
    fold = folds(
        table.y[train],
        plan.n_folds,
        rng(plan.seed, EXPERIMENT, table.name, permutation, "folds"),
    )
    return pd.DataFrame(
        {
            "dataset": table.name,
            "permutation": permutation,
            "row": np.concatenate([train, test]),
            "part": ["train"] * len(train) + ["test"] * len(test),
            "fold": np.concatenate([fold, np.full(len(test), -1)]),
        }
    )


def variable_means(X: np.ndarray, n_categories: np.ndarray) -> np.ndarray:
    """Mean of the known values of each variable, the unit of noise and uncertainty factors.

    Parameters
    ----------
    X : (n, m) float array, NaN marks missing
    n_categories : (m,) int array, 0 for a numeric variable

    Returns
    -------
    (m,) float array; 0 for categorical variables and those without a known value, so that they
    get neither noise nor uncertainty
    """
    known = ~np.isnan(X)
    total = np.where(known, X, 0.0).sum(axis=0)
    count = known.sum(axis=0)
    usable = (count > 0) & (np.asarray(n_categories) == 0)
    return np.divide(total, count, out=np.zeros(X.shape[1]), where=usable)


class _Parts:
    """Clean samples of one permutation, and the means that scale their noise.

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

    def means(self, name: str) -> np.ndarray:
        """Means of the training sample that belongs to sample `name`."""
        training = {"test": "train"}.get(name, name.replace("validation", "train"))
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


def _seed_hex(sequence: np.random.SeedSequence) -> str:
    """Entropy of a named stream (256 bits), as it stands in the table of seeds."""
    return f"{sequence.entropy:064x}"


def _generator(seed: str) -> np.random.Generator:
    """Generator that a recorded seed stands for: the one of `hedgerow.data.rng`."""
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(int(seed, 16))))


def _sha256(array: np.ndarray) -> str:
    # One bit pattern for every NaN: arithmetic and file formats may change sign and payload.
    array = np.where(np.isnan(array), np.nan, array)
    return hashlib.sha256(np.ascontiguousarray(array, dtype="<f8").tobytes()).hexdigest()


def _sorted(frame: pd.DataFrame, by: list[str]) -> pd.DataFrame:
    return frame.sort_values(by, kind="stable").reset_index(drop=True)


class _Samples:
    """Samples of one data set as `noise` made them, checked against their hashes.

    Parameters
    ----------
    table : TidyTable
    noised : dict of DataFrame, as returned by `noise`
    """

    def __init__(self, table, noised: Mapping[str, pd.DataFrame]):
        self.table = table
        self.X, self.n_categories = table.matrix()
        self.n_classes = len(table.classes)
        self._parts = {
            int(p): _Parts(self.X, self.n_categories, frame)
            for p, frame in noised["splits"].groupby("permutation")
        }
        seeds = noised["seeds"]
        self._seeds = {
            (int(p), name, float(n)): (seed, digest)
            for p, name, n, seed, digest in zip(
                seeds["permutation"],
                seeds["sample"],
                seeds["noise"],
                seeds["seed"],
                seeds["sha256"],
                strict=True,
            )
        }
        self._stored = {
            (int(p), part, float(n)): frame[list(table.X.columns)].to_numpy(dtype=float)
            for (p, part, n), frame in noised["samples"].groupby(["permutation", "part", "noise"])
        }

    @property
    def permutations(self) -> list[int]:
        return sorted(self._parts)

    def n_folds(self, permutation: int) -> int:
        return self._parts[permutation].n_folds

    def y(self, permutation: int, name: str) -> np.ndarray:
        return self.table.y[self._parts[permutation].rows[name]]

    def X_of(self, permutation: int, name: str, factor: float) -> np.ndarray:
        """Values of a sample at a noise factor.

        Raises
        ------
        DataError
            If the values are not those that `noise` recorded.
        """
        parts = self._parts[permutation]
        clean = self.X[parts.rows[name]]
        if factor == 0.0:
            return clean
        key = (permutation, name, float(factor))
        if key not in self._seeds:
            raise DataError(
                f"{self.table.name}: no seed for {name} of permutation {permutation} at noise "
                f"{factor:g}",
                remedy="make the noised data again with this configuration",
            )
        seed, digest = self._seeds[key]
        if key in self._stored:
            noised = self._stored[key]
        else:
            noised = add_noise(clean, factor, parts.means(name), _generator(seed))
        if _sha256(noised) != digest:
            raise DataError(
                f"{self.table.name}: {name} of permutation {permutation} at noise {factor:g} is "
                "not what its recorded hash says",
                remedy="delete data/noised/soft and run again",
            )
        return noised

    def training(self, permutation: int, name: str, factor: float) -> _Training:
        return _Training(
            self.X_of(permutation, name, factor),
            self.y(permutation, name),
            self.n_classes,
            self.n_categories,
        )


def samples_of(table, noised: Mapping[str, pd.DataFrame]) -> _Samples:
    """Samples of one data set for other experiments that build on the same splits and noise.

    Parameters
    ----------
    table : TidyTable
    noised : dict of DataFrame, as returned by `noise`

    Returns
    -------
    object
        `permutations`, `y(permutation, name)`, `X_of(permutation, name, factor)` and
        `training(permutation, name, factor)`, whose `grow` and `prune` are those of `learn`.
    """
    return _Samples(table, noised)


class _Training:
    """One training sample, presorted once for all learners and factors.

    The learners are imported where they are called: tables and figures import this module for its
    names and need no compiled core.
    """

    def __init__(self, X, y, n_classes, n_categories):
        from hedgerow.induction import Columns

        self.X = X
        self.n_categories = n_categories
        self.columns = Columns(X, y, n_classes, n_categories=n_categories)

    def grow(self, method: str, factor: float, plan: SoftPlan):
        """Unpruned tree of a learner: c45, ss, stp, udt or ss_stp."""
        from hedgerow.induction import grow

        if method == "udt":
            return grow(
                self.columns,
                pdf=self._pdf(factor),
                n_samples=plan.n_samples,
                min_samples_split=plan.min_samples_split,
            )
        return grow(
            self.columns,
            search=factor if method in ("ss", "ss_stp") else None,
            propagation=factor if method in ("stp", "ss_stp") else None,
            window=plan.window,
            step=plan.step,
            gate_at=plan.gate_at,
            min_samples_split=plan.min_samples_split,
        )

    def prune(self, tree, method: str, factor: float, confidence: float, plan: SoftPlan):
        """Tree pruned with the propagation that grew it."""
        from hedgerow.induction import prune

        propagation = factor if method in ("stp", "ss_stp") else None
        return prune(
            tree,
            self.columns,
            confidence=confidence,
            propagation=self._pdf(factor) if method == "udt" else propagation,
            window=plan.window,
        )

    def gate(self, method: str, tree, factor: float, plan: SoftPlan):
        """Gate with which a method reads a pruned tree of this sample; None: hard."""
        evaluation = RECIPES[method].evaluation
        if evaluation == "noise":
            from hedgerow.tree import NoiseGate

            # SE: normal, sigma = u |mean| of each variable.
            means = variable_means(self.X, self.n_categories)
            return NoiseGate(factor * np.abs(means), plan.window)
        if evaluation == "pdf":
            return self._pdf(factor)
        if evaluation == "plt":
            from hedgerow.uncertainty.plt import piecewise_thresholds

            return piecewise_thresholds(tree, self.columns)
        return None

    def _pdf(self, width: float):
        """Uncertain values of UDT: w is a share of each variable's range in this sample."""
        from hedgerow.tree.gates import spread_of

        return spread_of(width, self.columns.ranges)


# --------------------------------------------------------------------------------- calibrate


def calibrate(table, plan: SoftPlan) -> pd.DataFrame:
    """Pruning confidence at which C4.5 averages 15 leaves, else 10, else 5 (thesis 3.3.1).

    Ten-fold stratified cross validation on the whole set without noise: one tree per fold is
    grown once and pruned at each confidence of the bisection. It sees rows that are test rows
    later, as the paper's does. A synthetic set is 30 samples that are never joined: each has its
    own ten folds, and the mean is over the trees of all samples, whatever number of permutations
    the configuration asks for.

    Parameters
    ----------
    table : TidyTable
    plan : SoftPlan

    Returns
    -------
    DataFrame with one row: dataset, target_leaves, confidence, mean_leaves, reached
    """
    X, n_categories = table.matrix()
    whole = np.zeros(len(table.y), dtype=int) if table.sample is None else table.sample
    grown = []
    for sample in np.unique(whole):
        rows = np.flatnonzero(whole == sample)
        stream = f"calibration_{int(sample)}"
        fold = folds(
            table.y[rows],
            plan.n_folds,
            rng(plan.seed, EXPERIMENT, table.name, None, stream),
        )
        for k in range(fold.max() + 1):
            train = rows[fold != k]
            training = _Training(X[train], table.y[train], len(table.classes), n_categories)
            grown.append((training, training.grow("c45", 0.0, plan)))

    def mean_leaves(confidence: float) -> float:
        leaves = [t.prune(tree, "c45", 0.0, confidence, plan).n_leaves for t, tree in grown]
        return float(np.mean(leaves))

    result = calibrating.calibrate_confidence(
        mean_leaves, plan.target_leaves, plan.confidence_tolerance
    )
    return pd.DataFrame([{"dataset": table.name, **dataclasses.asdict(result)}])


def _confidence(calibration: pd.DataFrame, dataset: str) -> float:
    found = calibration.loc[calibration["dataset"] == dataset, "confidence"]
    if len(found) != 1:
        raise DataError(
            f"{dataset}: {len(found)} calibrated confidences", remedy="calibrate it again"
        )
    return float(found.iloc[0])


# ------------------------------------------------------------------------------------- learn


def learn(
    table,
    noised: Mapping[str, pd.DataFrame],
    calibration: pd.DataFrame,
    plan: SoftPlan,
    permutations: Iterable[int] | None = None,
) -> dict[str, pd.DataFrame]:
    """Tune the factors by cross validation and grow the trees (steps 2 to 4, 2 to 3).

    Cross-validation trees are pruned with the data set's calibrated confidence, like the trees
    that they stand for. The highest mean accuracy over the folds wins; ties: the smallest factor.

    Parameters
    ----------
    table : TidyTable
    noised : dict of DataFrame, as returned by `noise`
    calibration : DataFrame, as returned by `calibrate`
    plan : SoftPlan
    permutations : iterable of int, optional
        A chunk of the permutations; default all. Chunks put together equal the whole.

    Returns
    -------
    dict of DataFrame
        `trees`: unpruned trees, one row per node, keys dataset, permutation, training_noise,
        method (the learner: c45, ss, stp, udt, ss_stp), factor (0 for c45). Experiment 2 reads
        training noise 0.
        `tuning`: dataset, experiment, permutation, noise, method, factor, cv_accuracy, chosen.
        `times`: dataset, experiment, permutation, noise, method, seconds that tuning and learning
        take, whatever trees methods share. Machines differ: no result depends on it.
    """
    from hedgerow.tree import forest_to_frame

    samples = _Samples(table, noised)
    confidence = _confidence(calibration, table.name)
    chunk = samples.permutations if permutations is None else sorted(set(permutations))
    tuning, keys, trees, times = [], [], [], []
    for permutation in chunk:
        clock = _Clock()
        chosen = _tune(samples, permutation, confidence, plan, clock)
        tuning.append(chosen)
        for training_noise in plan.noise_factors:
            training = samples.training(permutation, "train", training_noise)
            for learner, factor in _wanted(chosen, training_noise):
                with clock.of(learner, training_noise, factor):
                    tree = training.grow(learner, factor, plan)
                if learner == "c45" and "plt" in plan.methods:
                    pruned = training.prune(tree, learner, factor, confidence, plan)
                    with clock.of("bounds", training_noise):
                        training.gate("plt", pruned, factor, plan)
                trees.append(tree)
                keys.append((table.name, permutation, training_noise, learner, factor))
        times.append(clock.times(chosen, plan).assign(dataset=table.name, permutation=permutation))
    tuning, times = pd.concat(tuning), pd.concat(times)
    return {
        "trees": forest_to_frame(trees, pd.DataFrame(keys, columns=TREE_KEYS)),
        "tuning": _sorted(tuning, ["experiment", "permutation", "noise", "method", "factor"]),
        "times": _sorted(times, ["experiment", "permutation", "noise", "method"])[
            [*CELL, "seconds"]
        ],
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
        start = time.perf_counter()
        yield
        self._seconds[key] += time.perf_counter() - start

    def times(self, tuning: pd.DataFrame, plan: SoftPlan) -> pd.DataFrame:
        """experiment, noise, method, seconds: tuning and the tree of the chosen factor."""
        chosen = tuning[tuning["chosen"]]
        factor_of = {
            (c.experiment, c.noise, c.method): c.factor for c in chosen.itertuples(index=False)
        }
        rows = []
        for experiment in EXPERIMENTS:
            for n in plan.noise_factors:
                training_noise = n if experiment == "training_noise" else 0.0
                read_as = experiment if n > 0 else "test_noise"  # column 0 is computed once
                for method in plan.methods:
                    learner = RECIPES[method].learner
                    own = factor_of.get((experiment, n, method), 0.0)
                    seconds = self._seconds[
                        learner, training_noise, 0.0 if learner == "c45" else own
                    ]
                    if RECIPES[method].tuned:
                        seconds += self._seconds["tuning", learner, training_noise]
                        seconds += self._seconds["reading", read_as, n, method]
                    if RECIPES[method].evaluation == "plt":
                        seconds += self._seconds["bounds", training_noise]
                    rows.append((experiment, n, method, seconds))
        return pd.DataFrame(rows, columns=["experiment", "noise", "method", "seconds"])


def _wanted(tuning: pd.DataFrame, training_noise: float) -> list:
    """Learners and factors of the trees that one training set has to give, sorted.

    The clean training set serves every column of experiment 2, each with its own tuned factor.
    """
    cells = tuning[tuning["chosen"]]
    of_training = (cells["experiment"] == "training_noise") & (cells["noise"] == training_noise)
    if training_noise == 0.0:
        of_training |= cells["experiment"] == "test_noise"
    cells = cells[of_training]
    pairs = {
        (RECIPES[method].learner, factor)
        for method, factor in zip(cells["method"], cells["factor"], strict=True)
        if RECIPES[method].learner != "c45"
    }
    return [("c45", 0.0), *sorted(pairs)]


def _tune(
    samples: _Samples, permutation: int, confidence: float, plan: SoftPlan, clock: _Clock
) -> pd.DataFrame:
    """Cross-validated accuracy of every factor in every cell of one permutation.

    Experiment 1 learns from noised CV training folds and validates on clean ones, experiment 2
    the reverse; the trees of clean training folds are grown once and validated at every level.
    """
    n_folds = samples.n_folds(permutation)
    methods = [m for m in plan.methods if m in TUNED]
    learners = {}
    for method in methods:
        learners.setdefault(RECIPES[method].learner, []).append(method)
    accuracy = {
        (experiment, noise_factor, method): np.empty((n_folds, len(plan.factors)))
        for experiment in EXPERIMENTS
        for noise_factor in plan.noise_factors
        for method in methods
    }
    for k in range(n_folds):
        y = samples.y(permutation, fold_name(k, "validation"))
        validation = {
            n: samples.X_of(permutation, fold_name(k, "validation"), n) for n in plan.noise_factors
        }
        for training_noise in plan.noise_factors:
            if training_noise == 0.0:
                cells = [("test_noise", n, validation[n]) for n in plan.noise_factors]
            else:
                cells = [("training_noise", training_noise, validation[0.0])]
            training = samples.training(permutation, fold_name(k, "train"), training_noise)
            for learner, readers in learners.items():
                tree = None
                for g, factor in enumerate(plan.factors):
                    if tree is None or learner != "c45":  # one tree of C4.5 serves all factors
                        with clock.of("tuning", learner, training_noise):
                            tree = training.grow(learner, factor, plan)
                            tree = training.prune(tree, learner, factor, confidence, plan)
                    for method in readers:
                        gate = training.gate(method, tree, factor, plan)
                        for experiment, n, X in cells:
                            with clock.of("reading", experiment, n, method):
                                probabilities = tree.predict_proba(X, evaluation=gate)
                            accuracy[experiment, n, method][k, g] = metrics.accuracy(
                                y, probabilities
                            )
    for method in methods:
        # Column 0 is one computation for both experiments.
        accuracy["training_noise", 0.0, method] = accuracy["test_noise", 0.0, method]
    rows = []
    for (experiment, n, method), values in accuracy.items():
        mean = values.mean(axis=0)
        best = best_factor(plan.factors, mean)
        for factor, value in zip(plan.factors, mean, strict=True):
            rows.append((experiment, n, method, factor, float(value), factor == best))
    frame = pd.DataFrame(
        rows, columns=["experiment", "noise", "method", "factor", "cv_accuracy", "chosen"]
    ).astype({"chosen": bool})
    frame.insert(1, "permutation", permutation)
    frame.insert(0, "dataset", samples.table.name)
    return frame


# ------------------------------------------------------------------------------------- prune


def prune_trees(
    trees: pd.DataFrame,
    noised: Mapping[str, pd.DataFrame],
    calibration: pd.DataFrame,
    tuning: pd.DataFrame,
    table,
    plan: SoftPlan,
) -> pd.DataFrame:
    """Prune every tree of a data set with its calibrated confidence (thesis 2.2.3).

    Parameters
    ----------
    trees : DataFrame of unpruned trees, as returned by `learn`
    noised, calibration, tuning, table, plan : as in `learn` and `evaluate`
        `tuning` is checked, not used: each chosen factor must have its tree.

    Returns
    -------
    DataFrame of the pruned trees, with the keys of `trees`

    Raises
    ------
    DataError
        If a chosen factor has no tree.
    """
    from hedgerow.tree import forest_from_frame, forest_to_frame

    samples = _Samples(table, noised)
    confidence = _confidence(calibration, table.name)
    keys, grown = forest_from_frame(trees, TREE_KEYS)
    keys = keys.reset_index(drop=True)
    _check_complete(keys, tuning)
    pruned = [None] * len(grown)
    # One presorting per training sample, whatever the order of the trees.
    for (permutation, training_noise), group in keys.groupby(["permutation", "training_noise"]):
        training = samples.training(int(permutation), "train", float(training_noise))
        for i, method, factor in zip(group.index, group["method"], group["factor"], strict=True):
            pruned[i] = training.prune(grown[i], method, float(factor), confidence, plan)
    return forest_to_frame(pruned, keys)


def _check_complete(keys: pd.DataFrame, tuning: pd.DataFrame) -> None:
    """Each chosen factor of a learned method must have its tree."""
    chosen = tuning[tuning["chosen"]]
    learner = chosen["method"].map({method: r.learner for method, r in RECIPES.items()})
    wanted = pd.DataFrame(
        {
            "permutation": chosen["permutation"],
            "training_noise": chosen["noise"].where(chosen["experiment"] == "training_noise", 0.0),
            "method": learner,
            "factor": chosen["factor"].where(learner != "c45", 0.0),
        }
    ).drop_duplicates()
    there = set(keys[list(wanted.columns)].itertuples(index=False, name=None))
    for cell in wanted.itertuples(index=False, name=None):
        if cell not in there:
            permutation, training_noise, method, factor = cell
            raise DataError(
                f"no tree of {method} with factor {factor:g} for permutation {permutation} at "
                f"training noise {training_noise:g}",
                remedy="learn the trees again from this tuning",
            )


# ---------------------------------------------------------------------------------- evaluate


def evaluate(
    pruned: pd.DataFrame,
    tuning: pd.DataFrame,
    noised: Mapping[str, pd.DataFrame],
    table,
    plan: SoftPlan,
) -> pd.DataFrame:
    """Evaluate the trees on the test part, noised in experiment 2 (step 5).

    Parameters
    ----------
    pruned : DataFrame, as returned by `prune_trees`
    tuning : DataFrame, as returned by `learn`
    noised : dict of DataFrame, as returned by `noise`
    table : TidyTable
    plan : SoftPlan

    Returns
    -------
    DataFrame
        Tidy rows: experiment, dataset, permutation, noise, method, metric, value. Metrics:
        n_leaves (leaves), depth (tests on the longest path), accuracy (fraction), macro_f1, brier,
        and factor (the tuned u, or w of UDT) for tuned methods.
    """
    from hedgerow.tree import forest_from_frame

    samples = _Samples(table, noised)
    keys, trees = forest_from_frame(pruned, TREE_KEYS)
    tree_of = {
        (int(k.permutation), float(k.training_noise), k.method, float(k.factor)): tree
        for k, tree in zip(keys.itertuples(index=False), trees, strict=True)
    }
    chosen = tuning[tuning["chosen"]]
    factor_of = {
        (c.experiment, int(c.permutation), float(c.noise), c.method): float(c.factor)
        for c in chosen.itertuples(index=False)
    }
    rows = []
    for permutation in sorted({key[0] for key in tree_of}):
        y = samples.y(permutation, "test")
        training_of = {n: samples.training(permutation, "train", n) for n in plan.noise_factors}
        for n in plan.noise_factors:
            # At noise 0 both experiments are the same cell: it is computed once.
            for experiment in EXPERIMENTS if n > 0 else ("both",):
                training_noise = n if experiment == "training_noise" else 0.0
                X = samples.X_of(permutation, "test", n if experiment == "test_noise" else 0.0)
                names = EXPERIMENTS if experiment == "both" else (experiment,)
                training = training_of[training_noise]
                for method in plan.methods:
                    factor = factor_of.get((names[0], permutation, n, method), 0.0)
                    learner = RECIPES[method].learner
                    grown_with = 0.0 if learner == "c45" else factor
                    tree = tree_of[permutation, training_noise, learner, grown_with]
                    values = _measure(tree, X, y, training.gate(method, tree, factor, plan))
                    if method in TUNED:
                        values["factor"] = factor
                    rows += [
                        (name, table.name, permutation, n, method, metric, value)
                        for name in names
                        for metric, value in values.items()
                    ]
    return _sorted(pd.DataFrame(rows, columns=[*CELL, "metric", "value"]), [*CELL, "metric"])


def _measure(tree, X: np.ndarray, y: np.ndarray, evaluation) -> dict[str, float]:
    probabilities = tree.predict_proba(X, evaluation=evaluation)
    return {
        "n_leaves": float(tree.n_leaves),
        "depth": float(tree.depth),
        "accuracy": metrics.accuracy(y, probabilities),
        "macro_f1": metrics.macro_f1(y, probabilities),
        "brier": metrics.brier(y, probabilities),
    }


# -------------------------------------------------------------------------------- statistics


def statistics(rows: pd.DataFrame, plan: SoftPlan) -> pd.DataFrame:
    """Wilcoxon signed-rank tests of every cell of tables 3.4 and 3.5 against C4.5.

    The standardised metric of each method is tested against that of C4.5 at the same noise factor
    of the same experiment, over the data sets of table 3.1 that have rows. Two pairings stand
    side by side: `datasets` pairs the means over permutations, one pair per data set, and is the
    paper's; `permutations` takes every permutation of every data set as a pair, which has more
    power and treats permutations of one data set as independent, which they are not. Each is given
    plain and Holm-corrected over the cells of its table: one experiment, and the printed methods
    apart from the combinations of our own.

    The number of leaves of SE and PLT is that of C4.5 by construction; these cells are tested
    (p = 1) but do not belong to the family that Holm's procedure corrects for.

    Parameters
    ----------
    rows : DataFrame
        Rows of all data sets, as returned by `evaluate`.
    plan : SoftPlan

    Returns
    -------
    DataFrame
        experiment, metric, method, noise, pairing, then the attributes of `TestResult`; two rows
        per cell and pairing, correction `none` and `holm`. `statistic`, `p` are NaN where no data
        set of table 3.1 can be standardised.
    """
    rows = _sorted(rows[rows["dataset"].isin(set(TABLE_3_1.values()))], [*CELL, "metric"])
    frames = []
    for experiment in EXPERIMENTS:
        for pairing, group in itertools.product(
            ("datasets", "permutations"), (PRINTED[1:], COMBINED)
        ):
            cells, results = [], []
            for metric in ("n_leaves", "accuracy"):
                paired = _in_units_of_baseline(rows, experiment, metric)
                if pairing == "datasets":
                    paired = paired.groupby(level=["noise", "dataset"]).mean()
                for method in (m for m in plan.methods if m in group):
                    for n in plan.noise_factors:
                        cells.append((experiment, f"{metric}_std", method, n, pairing))
                        results.append(_against_c45(paired, method, n))
            if cells or not frames:
                frames.append(_with_holm(cells, results))
    frame = pd.concat(frames)
    return _sorted(frame, ["experiment", "metric", "method", "noise", "pairing", "correction"])


def _in_units_of_baseline(rows: pd.DataFrame, experiment: str, metric: str) -> pd.DataFrame:
    """Values over the baseline's standard deviation; columns are methods.

    The baseline's mean cancels in differences between methods. It is left in, because it keeps
    values away from 0, where rounding could not be told from a real difference.
    """
    unit, _ = metrics.baseline(rows, metric)
    cells = rows[
        (rows["experiment"] == experiment)
        & (rows["metric"] == metric)
        & rows["dataset"].isin(unit.index)
    ]
    cells = cells.assign(value=cells["value"] / cells["dataset"].map(unit["std"]))
    return cells.pivot(
        index=["noise", "dataset", "permutation"], columns="method", values="value"
    ).sort_index()


def _against_c45(paired: pd.DataFrame, method: str, n: float) -> significance.TestResult:
    groups = (method, "c45")
    at_level = paired[paired.index.get_level_values("noise") == n]
    if at_level.empty:
        note = "no data set of table 3.1 can be standardised"
        return significance.TestResult("wilcoxon_signed_rank", np.nan, np.nan, 0, groups, note=note)
    return significance.wilcoxon(at_level[method].to_numpy(), at_level["c45"].to_numpy(), groups)


def _with_holm(cells: list, results: list) -> pd.DataFrame:
    """Plain and corrected results of one table, keyed by cell."""
    family = [
        i
        for i, (cell, result) in enumerate(zip(cells, results, strict=True))
        if not (cell[1] == "n_leaves_std" and RECIPES[cell[2]].learner == "c45") and result.n > 0
    ]
    columns = ["experiment", "metric", "method", "noise", "pairing"]
    keys = pd.DataFrame(cells, columns=columns)
    return significance.plain_and_holm(keys, results, family)
