"""Evolution of decision trees: the evolutionary tree-encoding algorithm (ETE)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hedgerow.checks import BEYOND_USE, LARGEST_COUNT, check_choice, check_number, check_random
from hedgerow.errors import InputError
from hedgerow.induction._columns import Columns
from hedgerow.induction.base import FROM_DTYPE, TreeClassifierMixin
from hedgerow.induction.core import grow
from hedgerow.induction.rules import halfway
from hedgerow.optional_imports import import_optional
from hedgerow.search._evolution import Evolution
from hedgerow.tree.tree import Tree

if TYPE_CHECKING:
    import pandas as pd

DEEPEST = 2**31 - 1  # for the core, no limit


class EvolutionaryTreeClassifier(TreeClassifierMixin):
    """A tree found by evolution (ETE, Kretowski and Grzes 2005; thesis 4.2).

    A population of trees is selected by fitness, accuracy - alpha * leaves on the training set;
    pairs exchange branches or tests, and single trees mutate. The fittest tree is the result.

    Parameters
    ----------
    alpha : float from 0 to 1e12, default 0.001
        Price of a leaf in units of accuracy. To be tuned for each data set.
    population_size : int from 2 to 1,000,000, default 64
    n_generations : int from 0 to 1,000,000, default 1000
        At most so many.
    n_generations_no_change : int >= 1, default 200
        Evolution ends when the best fitness has not risen for so many generations.
    crossover_rate : float in [0, 1], default 0.2
        Chance that a selected tree exchanges a branch or a test with another one.
    mutation_rate : float in [0, 1], default 0.8
        Chance that an offspring mutates: a leaf is split, a test is replaced, a threshold moves
        or a category changes sides, two tests are swapped, a node becomes a leaf or gives way to
        one of its branches.
    selection_pressure : float in [1, 2], default 2.0
        Linear ranking: expected number of offspring of the fittest tree; the least fit expects 2
        minus this.
    elitism : int, default 1
        The fittest trees that enter the next generation unchanged, fewer than the population.
    initial_trees : {"mixed", "greedy", "dipolar"}, default "mixed"
        How the first trees are grown, each from a sample of its own: by the best local tests, as
        C4.5 does (thesis), by tests that separate two random instances of different classes
        (Kretowski and Grzes), or by turns.
    initial_sample : float in (0, 1], default 0.5
        Share of the rows in these samples.
    min_samples_split : float, default 4
        Least weight of a node that is split.
    min_samples_leaf : float, default 1
        Least weight of each side of a test, the share of missing values included.
    max_depth : int, optional
        Largest number of tests on a path.
    candidates : {"values", "midpoints"}, default "values"
        Thresholds: observed values, or half-way between them; only such as separate
        neighbouring values with instances of different classes.
    categorical_features : "from_dtype", None, or sequence, default "from_dtype"
        As in `C45Classifier`.
    smoothing : bool, default False
        Laplace-smoothed leaves in `predict_proba`.
    weights : {"auto", "counts", "relative"}, default "auto"
        How `sample_weight` is meant, as in `C45Classifier`.
    class_weight : dict, "balanced" or None, default None
        As in `C45Classifier`.
    random_state : int, RandomState instance or None, default None
        An int gives the same tree on every machine.

    Attributes
    ----------
    tree_ : hedgerow.Tree
    fitness_ : float
        Of `tree_`.
    n_evaluations_ : int
        Trees whose fitness was worked out.
    n_generations_ : int
        Generations after the initial one.
    history_ : data frame
        One row per generation, the initial one included: `generation`, `best_fitness`,
        `mean_fitness`, and `n_leaves` and `accuracy` of the fittest tree.
    classes_ : (n_classes,) array
    n_features_in_ : int
    feature_names_in_ : (m,) array
        Only when X has column names.

    Raises
    ------
    InputError
        A parameter out of range, negative or all-zero weights, text columns (a ValueError).

    Warns
    -----
    HedgerowWarning
        As `C45Classifier`.

    Notes
    -----
    Missing values (NaN) send an instance down both sides of a test, in proportion to the known
    training weight. In the fitness, each part of such an instance counts where it arrives.

    References
    ----------
    Kretowski and Grzes (2005), Global learning of decision trees by an evolutionary algorithm;
    thesis, section 4.2.

    Examples
    --------
    >>> import numpy as np
    >>> from hedgerow import C45Classifier, EvolutionaryTreeClassifier
    >>> X = np.random.default_rng(1).uniform(-1, 1, (400, 2))
    >>> y = (X[:, 0] > 0) ^ (X[:, 1] > 0)  # no single test gains anything
    >>> float(C45Classifier(max_depth=2).fit(X, y).score(X, y))
    0.5675
    >>> tree = EvolutionaryTreeClassifier(alpha=0.01, random_state=0).fit(X, y)
    >>> tree.get_n_leaves(), float(tree.score(X, y))
    (4, 1.0)
    """

    def __init__(
        self,
        alpha=0.001,
        population_size=64,
        n_generations=1000,
        n_generations_no_change=200,
        crossover_rate=0.2,
        mutation_rate=0.8,
        selection_pressure=2.0,
        elitism=1,
        initial_trees="mixed",
        initial_sample=0.5,
        min_samples_split=4,
        min_samples_leaf=1,
        max_depth=None,
        candidates="values",
        categorical_features=FROM_DTYPE,
        smoothing=False,
        weights="auto",
        class_weight=None,
        random_state=None,
    ):
        self.alpha = alpha
        self.population_size = population_size
        self.n_generations = n_generations
        self.n_generations_no_change = n_generations_no_change
        self.crossover_rate = crossover_rate
        self.mutation_rate = mutation_rate
        self.selection_pressure = selection_pressure
        self.elitism = elitism
        self.initial_trees = initial_trees
        self.initial_sample = initial_sample
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.candidates = candidates
        self.categorical_features = categorical_features
        self.smoothing = smoothing
        self.weights = weights
        self.class_weight = class_weight
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_number("alpha", self.alpha, 0.0, BEYOND_USE)
        check_number("population_size", self.population_size, 2, 1_000_000, whole=True)
        check_number("n_generations", self.n_generations, 0, 1_000_000, whole=True)
        check_number(
            "n_generations_no_change", self.n_generations_no_change, 1, LARGEST_COUNT, whole=True
        )
        check_number("crossover_rate", self.crossover_rate, 0.0, 1.0)
        check_number("mutation_rate", self.mutation_rate, 0.0, 1.0)
        check_number("selection_pressure", self.selection_pressure, 1.0, 2.0)
        check_number("elitism", self.elitism, 0, self.population_size - 1, whole=True)
        check_choice("initial_trees", self.initial_trees, ("mixed", "greedy", "dipolar"))
        check_number("initial_sample", self.initial_sample, 0.0, 1.0)
        if self.initial_sample == 0:
            raise InputError(
                "initial_sample is 0 and leaves no row to grow the first trees from",
                remedy="give a number above 0 and at most 1",
            )
        self._check_growth()

    def _fit(self, X, y, sample_weight):
        self._check_parameters()
        columns = self._training_set(X, y, sample_weight)
        random = check_random("random_state", self.random_state)
        thresholds = boundaries(columns, midpoints=self.candidates == "midpoints")
        evolution = make_evolution(
            columns,
            thresholds,
            alpha=float(self.alpha),
            population_size=int(self.population_size),
            min_samples_split=float(self.min_samples_split),
            min_samples_leaf=float(self.min_samples_leaf),
            max_depth=DEEPEST if self.max_depth is None else min(int(self.max_depth), DEEPEST),
            seed=int(random.randint(0, 2**32, dtype=np.uint64)),
        )
        self._first_trees(evolution, columns, thresholds, random)
        history = evolution.evolve(
            int(self.n_generations),
            min(int(self.n_generations_no_change), int(self.n_generations) + 1),
            float(self.crossover_rate),
            float(self.mutation_rate),
            float(self.selection_pressure),
            int(self.elitism),
        )
        self._history, self._history_frame = history, None
        self.n_generations_ = len(history) - 1
        self.n_evaluations_ = int(evolution.n_evaluations)
        self.fitness_ = float(history[-1, 0])
        return self._finish(as_tree(evolution.best(), thresholds))

    @property
    def history_(self) -> pd.DataFrame:
        check_is_fitted(self, "tree_")
        if self._history_frame is None:
            pd = import_optional("pandas", "`history_`")
            frame = pd.DataFrame(
                self._history, columns=["best_fitness", "mean_fitness", "n_leaves", "accuracy"]
            ).astype({"n_leaves": int})
            frame.insert(0, "generation", np.arange(len(frame)))
            self._history_frame = frame
        return self._history_frame

    def _first_trees(self, evolution, columns, thresholds, random) -> None:
        """The initial population, each tree from a random sample of the rows."""
        n = columns.n_rows
        n_sampled = max(math.ceil(self.initial_sample * n), min(n, 2))
        for k in range(self.population_size):
            rows = np.sort(random.permutation(n)[:n_sampled]).astype(np.int32)
            if self.initial_trees == "dipolar" or (self.initial_trees == "mixed" and k % 2):
                evolution.add_dipolar(rows)
                continue
            sample = Columns(
                columns.X[rows],
                columns.y[rows],
                columns.n_classes,
                columns.sample_weight[rows],
                columns.n_categories,
                rows_per_weight=columns.rows_per_weight,
            )
            tree = grow(
                sample,
                min_samples_split=self.min_samples_split,
                min_samples_leaf=self.min_samples_leaf,
                max_depth=self.max_depth,
            )
            evolution.add_tree(*as_individual(tree, thresholds))


def boundaries(columns: Columns, *, midpoints: bool = False) -> list[np.ndarray]:
    """Thresholds of each variable between neighbouring values that differ in class.

    Parameters
    ----------
    columns : Columns
        The training set.
    midpoints : bool
        Half-way between the two values; else the upper one.

    Returns
    -------
    list of (k,) float64 arrays, ascending; empty for categorical variables
        One for each pair of neighbouring values that are not both of one and the same class.
    """
    thresholds = []
    for j in range(columns.n_variables):
        rows = columns.order[j, : columns.n_known[j]]
        if columns.n_categories[j] > 0 or len(rows) == 0:
            thresholds.append(np.zeros(0))
            continue
        x, y = columns.X[rows, j], columns.y[rows]
        first = np.flatnonzero(np.r_[True, x[1:] > x[:-1]])
        values = x[first]
        lowest, highest = np.minimum.reduceat(y, first), np.maximum.reduceat(y, first)
        # All classes at both values are one when their lowest and highest code agree.
        apart = np.minimum(lowest[1:], lowest[:-1]) < np.maximum(highest[1:], highest[:-1])
        upper, lower = values[1:][apart], values[:-1][apart]
        if midpoints:
            upper = halfway(lower, upper)
        thresholds.append(np.ascontiguousarray(upper))
    return thresholds


def make_evolution(columns: Columns, thresholds: list[np.ndarray], **settings) -> Evolution:
    """An empty population on a training set whose values are coded by the thresholds.

    Parameters
    ----------
    columns : Columns
    thresholds : list of arrays
        As `boundaries` returns them.
    **settings
        As `hedgerow.search._evolution.Evolution` takes them.

    Returns
    -------
    Evolution
    """
    codes = np.empty((columns.n_variables, columns.n_rows), dtype=np.int32)
    for j in range(columns.n_variables):
        x = columns.X[:, j]
        unknown = np.isnan(x)
        if columns.n_categories[j] > 0:
            codes[j] = np.where(unknown, 0.0, x)
        else:
            codes[j] = np.searchsorted(thresholds[j], x, side="right")
        codes[j, unknown] = -1
    return Evolution(
        codes,
        columns.y,
        columns.sample_weight,
        columns.n_classes,
        np.array([len(t) for t in thresholds], dtype=np.int32),
        columns.n_categories,
        rows_per_weight=columns.rows_per_weight,
        **settings,
    )


def as_individual(tree: Tree, thresholds: list[np.ndarray]) -> tuple:
    """A tree as the core takes it; each threshold becomes the next one at or below it."""
    bound = np.zeros(tree.n_nodes, dtype=np.int32)
    for node in np.flatnonzero((tree.feature >= 0) & ~np.isnan(tree.threshold)):
        candidates = thresholds[tree.feature[node]]
        bound[node] = max(np.searchsorted(candidates, tree.threshold[node], side="right") - 1, 0)
    return tree.feature, bound, tree.arrays()["categories_left"]


def as_tree(individual: tuple, thresholds: list[np.ndarray]) -> Tree:
    """The arrays of `Evolution.tree` as a `Tree`."""
    feature, bound, left, right, parent, share_left, class_weight, categories_left = individual
    threshold = np.full(len(feature), np.nan)
    for node in np.flatnonzero(feature >= 0):
        if len(thresholds[feature[node]]):
            threshold[node] = thresholds[feature[node]][bound[node]]
    return Tree(
        feature, threshold, left, right, parent, share_left, class_weight, categories_left,
        _checked=True,
    )  # fmt: skip
