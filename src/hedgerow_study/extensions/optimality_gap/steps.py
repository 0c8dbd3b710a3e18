"""The best tree of a depth beside C4.5, CART and tree search, in training and test data.

What is tuned is tuned by accuracy on folds of the training part whose validation rows are as the
test rows: clean, or with the same noise. All learners have the same limit of the depth and may
split any node of two rows. Searches are limited by nodes: seconds would not be the same on another
machine, nor the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, add_noise, deviations, folds, rng, split
from hedgerow.evaluation import metrics
from hedgerow.evaluation.tuning import best_value
from hedgerow_study.experiments.frames import (
    all_classes,
    clip_probabilities,
    draw_rows,
    laplace_corrected,
    numbers_of,
    one_sample,
    random_state,
    sorted_,
    uct_from,
)
from hedgerow_study.experiments.missing.steps import one_hot
from hedgerow_study.experiments.soft.samples import variable_means
from hedgerow_study.experiments.step import step
from hedgerow_study.extensions.optimality_gap.plan import (
    C45_GIVEN,
    CLEAN,
    EXPERIMENT,
    KNOWN_ERROR,
    METHODS,
    NOISY,
    ORDER,
    PROOF,
    SEARCHES,
    UNPRUNED,
    VALUES,
    OptimalityGapPlan,
)

if TYPE_CHECKING:
    from hedgerow.tree import Tree
    from hedgerow_study.experiments.search.plan import SearchPlan

#: Decimals of scores, shares and distances. More would only be stored, and fewer make ties.
DECIMALS = 6


# ------------------------------------------------------------------------------------ samples


class Rows:
    """Rows of a data set: the frame, the same as numbers (categories as codes), and classes."""

    def __init__(
        self, frame: pd.DataFrame, values: np.ndarray, n_categories: np.ndarray, y: np.ndarray
    ):
        self.frame, self.values, self.n_categories, self.y = frame, values, n_categories, y

    def take(self, rows: np.ndarray) -> Rows:
        """Some of them."""
        return Rows(self.frame.iloc[rows], self.values[rows], self.n_categories, self.y[rows])

    @property
    def means(self) -> np.ndarray:
        """Means of the numbers, 0 of categories: what noise is a share of."""
        return variable_means(self.values, self.n_categories)

    def noisy(self, factor: float, means: np.ndarray, draws: np.random.Generator) -> Rows:
        """The same rows with noise on their numbers (thesis 3.3.2)."""
        values = add_noise(self.values, factor, means, draws)
        frame = self.frame.copy()
        for j in np.flatnonzero(self.n_categories == 0):
            frame[frame.columns[j]] = values[:, j]
        return Rows(frame, values, self.n_categories, self.y)

    def errors(self, share: float) -> dict:
        """Standard deviation of an error, a share of that of each variable's known values."""
        numbers = self.frame.loc[:, self.n_categories == 0].std(ddof=0).fillna(0.0)
        return {name: share * float(sd) for name, sd in numbers.items()}

    def absolute_errors(self, factor: float) -> dict:
        """Standard deviation of the noise that a factor means."""
        sd = deviations(factor, self.means)
        names = self.frame.columns
        return {names[j]: float(sd[j]) for j in np.flatnonzero(self.n_categories == 0)}


def rows_of(table: TidyTable) -> Rows:
    """All rows of a data set."""
    return Rows(table.X, *table.matrix(), table.y)


def at_most(table: TidyTable, number: int, plan: OptimalityGapPlan) -> TidyTable:
    """A data set, or as many rows as a repeat may have, drawn at random."""
    table = one_sample(table)
    return draw_rows(table, plan.n_rows, rng(plan.seed, EXPERIMENT, table.name, number, "rows"))


# ------------------------------------------------------------------------------------ learners


class Learned:
    """A fitted learner of a data set with so many classes."""

    def __init__(self, model: Any, n_classes: int):
        self.model, self.n_classes = model, n_classes

    def probabilities(self, rows: Rows, smoothing: bool = False) -> np.ndarray:
        """Probabilities of all classes, (n, n_classes); Laplace-smoothed if asked for."""
        self.model.set_params(smoothing=smoothing)
        return self._all(self.model.predict_proba(rows.frame))

    def _all(self, probabilities: np.ndarray) -> np.ndarray:
        return all_classes(probabilities, self.model.classes_, self.n_classes)

    @property
    def tree(self) -> Tree:
        """The tree, for its leaves."""
        return self.model.tree_


class LearnedCart(Learned):
    """CART of scikit-learn, which reads categories as columns of 0 and 1."""

    def probabilities(self, rows: Rows, smoothing: bool = False) -> np.ndarray:
        X = one_hot(rows.values, rows.n_categories)
        shares = self.model.predict_proba(X)
        if smoothing:
            n = self.model.tree_.weighted_n_node_samples[self.model.apply(X)]
            shares = laplace_corrected(shares, n)
        return self._all(shares)

    @property
    def tree(self) -> Tree:
        from hedgerow.tree import Tree

        return Tree.from_sklearn(self.model)


class Learners:
    """What learns from rows at a limit of the depth; `state` gives the seed of an estimator."""

    def __init__(
        self,
        n_classes: int,
        plan: OptimalityGapPlan,
        protocol: SearchPlan,
        state: Callable[[str], int],
    ):
        self.n_classes, self.plan, self.protocol, self.state = n_classes, plan, protocol, state

    def c45(self, rows: Rows, depth: int, confidence: float | None) -> Learned:
        """C4.5, pruned at a confidence or not at all."""
        from hedgerow.induction.c45 import C45Classifier

        prune = {"prune": False} if confidence is None else {"confidence": confidence}
        model = C45Classifier(max_depth=depth, min_samples_split=2, **prune)
        return Learned(model.fit(rows.frame, rows.y), self.n_classes)

    def soft(self, rows: Rows, depth: int, confidence: float, factor: float) -> Learned:
        """C4.5 that counts and reads rows softly, given the noise factor (STP and SE, thesis)."""
        from hedgerow.uncertainty.soft import SoftTreeClassifier

        noise = {"propagation": factor, "evaluation": factor}
        model = SoftTreeClassifier(
            max_depth=depth, min_samples_split=2, confidence=confidence, **noise
        )
        return Learned(model.fit(rows.frame, rows.y), self.n_classes)

    def _cart(self, depth: int, alpha: float):
        from sklearn.tree import DecisionTreeClassifier

        return DecisionTreeClassifier(
            criterion=self.plan.cart_criterion,
            max_depth=depth,
            ccp_alpha=alpha,
            random_state=self.state("cart"),
        )

    def cart(self, rows: Rows, depth: int, alpha: float) -> Learned:
        """CART, pruned at a cost complexity."""
        X = one_hot(rows.values, rows.n_categories)
        return LearnedCart(self._cart(depth, alpha).fit(X, rows.y), self.n_classes)

    def alphas(self, rows: Rows, depth: int) -> list[float]:
        """Cost complexities that make a difference: geometric means of neighbours on the path."""
        X = one_hot(rows.values, rows.n_categories)
        path = self._cart(depth, 0.0).cost_complexity_pruning_path(X, rows.y).ccp_alphas
        path = np.unique(np.maximum(path, 0.0))
        between = np.sqrt(path * np.append(path[1:], path[-1]))
        chosen = np.linspace(0, len(between) - 1, self.plan.n_alphas).round().astype(int)
        return between[np.unique(chosen)].tolist()

    def uct(self, rows: Rows, depth: int, confidence: float) -> Learned:
        """UCT-DT of the thesis: VS, both prunings."""
        model = uct_from(
            self.protocol,
            policy="vs",
            n_iterations=self.plan.uct_iterations,
            min_samples_split=2,
            confidence=confidence,
            max_depth=depth,
            random_state=self.state("uct"),
        )
        return Learned(model.fit(rows.frame, rows.y), self.n_classes)

    def optimal(self, rows: Rows, depth: int, penalty: float = 0.0, error=None) -> Learned:
        """The best tree, or the best that is found within so many nodes."""
        from hedgerow.optimal.learner import OptimalTreeClassifier

        nodes = self.plan.max_nodes if error is None else self.plan.max_error_nodes
        model = OptimalTreeClassifier(depth, leaf_penalty=penalty, error=error, max_nodes=nodes)
        return Learned(model.fit(rows.frame, rows.y), self.n_classes)


# -------------------------------------------------------------------------------- one repeat


class Repeat:
    """One repeat of a data set: test rows in every condition, and what is tuned for each."""

    def __init__(
        self, table: TidyTable, number: int, plan: OptimalityGapPlan, protocol: SearchPlan
    ):
        def state(name: str) -> int:
            return random_state(plan.seed, EXPERIMENT, table.name, number, name)

        def draws(name: str) -> np.random.Generator:
            return rng(plan.seed, EXPERIMENT, table.name, number, name)

        self.plan = plan
        self.learners = Learners(len(table.classes), plan, protocol, state)
        whole = rows_of(table)
        train, test = split(
            table, number, seed=plan.seed, experiment=EXPERIMENT, test_size=plan.test_size
        )
        self.train = whole.take(train)
        #: Noise factors by the names of the conditions; sets without numbers have no noise.
        numbers = (whole.n_categories == 0).any()
        self.factors = {CLEAN: 0.0} | {f"{n:g}": n for n in plan.noise if numbers}
        self.test = self._conditions(whole.take(test), self.train, lambda: draws("noise test"))
        fold = folds(self.train.y, plan.n_folds, draws("folds"))
        self.folds = []
        for k in range(fold.max() + 1):
            training = self.train.take(np.flatnonzero(fold != k))
            validation = self.train.take(np.flatnonzero(fold == k))
            stream = f"noise fold {k}"
            noisy = self._conditions(validation, training, lambda name=stream: draws(name))
            self.folds.append((training, noisy))

    def _conditions(self, rows: Rows, training: Rows, draws) -> dict[str, Rows]:
        """Rows as they are and with each noise: the same draws, larger or smaller."""
        means = training.means
        return {name: rows.noisy(n, means, draws()) for name, n in self.factors.items()}

    def tuned(
        self, values: Sequence[float], fit: Callable[[Rows, float], Learned]
    ) -> dict[str, tuple[float, Learned]]:
        """By condition, the value chosen (ties: the first) and its learner of all training rows."""
        scores = {name: np.zeros(len(values)) for name in self.factors}
        if len(values) > 1:
            for training, conditions in self.folds:
                for i, value in enumerate(values):
                    learned = fit(training, value)
                    for name, rows in conditions.items():
                        scores[name][i] += metrics.accuracy(rows.y, learned.probabilities(rows))
        chosen = {
            name: values[int(best_value(np.arange(len(values)), total / len(self.folds)))]
            for name, total in scores.items()
        }
        learners = {value: fit(self.train, value) for value in dict.fromkeys(chosen.values())}
        return {name: (value, learners[value]) for name, value in chosen.items()}

    def learned(self, depth: int) -> dict[str, dict[str, tuple]]:
        """What every method learns at a depth: by method and condition, tuned value and learner."""
        plan, make, train = self.plan, self.learners, self.train
        by_method = {
            # The smaller tree first, which ties go to.
            "c45": self.tuned(sorted(plan.confidences), lambda rows, c: make.c45(rows, depth, c)),
            "cart": self.tuned(
                sorted(make.alphas(train, depth), reverse=True),
                lambda rows, alpha: make.cart(rows, depth, alpha),
            ),
            "optimal_priced": self.tuned(
                sorted(plan.leaf_prices, reverse=True),
                lambda rows, penalty: make.optimal(rows, depth, penalty),
            ),
            # The smallest error first, which is nearest to none.
            "optimal_error": self.tuned(
                sorted(plan.errors),
                lambda rows, share: make.optimal(rows, depth, error=rows.errors(share)),
            ),
        }
        alone = {
            "uct": make.uct(train, depth, by_method["c45"][CLEAN][0]),
            "optimal": make.optimal(train, depth),
        }
        for name, learned in alone.items():
            by_method[name] = dict.fromkeys(self.factors, (np.nan, learned))
        noise_factors = {name: factor for name, factor in self.factors.items() if name != CLEAN}
        by_method[KNOWN_ERROR] = {
            name: (factor, make.optimal(train, depth, error=train.absolute_errors(factor)))
            for name, factor in noise_factors.items()
        }
        by_method[C45_GIVEN] = {
            name: (factor, make.soft(train, depth, by_method["c45"][name][0], factor))
            for name, factor in noise_factors.items()
        }
        return by_method

    def lines(self, depth: int) -> Iterator[tuple]:
        """Part, setting, method, metric and value of all that is measured at a depth."""
        by_method = self.learned(depth)
        make, train = self.learners, self.train
        fitted = {
            "c45_unpruned": make.c45(train, depth, None),
            "cart_unpruned": make.cart(train, depth, 0.0),
        } | {name: by_method[name][CLEAN][1] for name in UNPRUNED if name in by_method}
        for name, learned in fitted.items():
            accuracy = metrics.accuracy(train.y, learned.probabilities(train))
            yield "training", CLEAN, name, "accuracy", accuracy
        for setting in self.factors:
            part = "clean" if setting == CLEAN else "noise"
            for name in METHODS if setting == CLEAN else NOISY:
                value, learned = by_method[name][setting]
                for metric, score in _scores(learned, self.test[setting]).items():
                    yield part, setting, name, metric, score
                if setting == CLEAN:
                    yield part, setting, name, "n_leaves", float(learned.tree.n_leaves)
                if not np.isnan(value):
                    yield "tuned", setting, name, "value", float(value)
                # With nothing tuned or given, the same tree reads all rows.
                if name in SEARCHES and (setting == CLEAN or name != "optimal"):
                    for metric in PROOF:
                        proof_value = float(getattr(learned.model, f"{metric}_"))
                        yield "search", setting, name, metric, proof_value


def _scores(learned: Learned, rows: Rows) -> dict[str, float]:
    from sklearn.metrics import log_loss

    plain, smooth = (
        learned.probabilities(rows),
        clip_probabilities(learned.probabilities(rows, smoothing=True)),
    )
    return {
        "accuracy": metrics.accuracy(rows.y, plain),
        "macro_f1": metrics.macro_f1(rows.y, plain),
        "log_loss": float(log_loss(rows.y, smooth, labels=range(learned.n_classes))),
    }


def _frame(lines: list) -> pd.DataFrame:
    """Lines of dataset, repeat, depth, then part, setting, method, metric, value."""
    names = ["dataset", "repeat", "depth", "part", "setting", "method", "metric", "value"]
    frame = pd.DataFrame(lines, columns=names)[[*ORDER["rows"], *VALUES["rows"]]]
    tuned = frame["part"] == "tuned"
    value = frame["value"].where(tuned, frame["value"].round(DECIMALS))
    return sorted_(frame.assign(value=value), ORDER["rows"])


@step(
    *("cart_criterion", "confidences", "depths", "errors", "leaf_prices", "max_error_nodes"),
    *("max_nodes", "n_alphas", "n_folds", "n_rows", "noise", "seed", "test_size"),
    "uct_iterations",
    protocol=(
        *("search", "exploration", "kept_path", "n_candidates", "validation_fraction"),
        *("value_pruning_depth", "value_pruning_interval"),
    ),
)
def run(
    table: TidyTable,
    plan: OptimalityGapPlan,
    protocol: SearchPlan,
    repeats: Iterable[int] | None = None,
) -> pd.DataFrame:
    """All learners at all depths in all repeats on one data set, or on some of them.

    Parts of the rows: training, clean and noise, which are compared; tuned, the values chosen;
    search, nodes looked at, whether the tree is proven, and how far it may be from the best (a
    share of its cost). The setting is clean, or the noise factor.
    """
    lines = []
    for number in numbers_of(plan, "n_repeats", repeats):
        repeat = Repeat(at_most(table, number, plan), number, plan, protocol)
        for depth in plan.depths:
            lines += [(table.name, number, depth, *line) for line in repeat.lines(depth)]
    return _frame(lines)
