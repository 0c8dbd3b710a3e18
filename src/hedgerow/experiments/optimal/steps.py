"""The best tree of a depth beside C4.5, CART and tree search, in training and test data.

- `run`: divisions into training and test part. What is tuned is tuned by accuracy on folds of the
  training part whose validation rows are as the test rows: clean, or with the same noise.
- `stability`: how far trees of bootstrap samples are from each other.
- `quantiles`: errors on whole sets of the best tree on four quantiles of each variable, of CART and
  of the best tree on all values.

All learners have the same limit of the depth and may split any node of two rows. Searches are
limited by nodes: seconds would not be the same on another machine, nor the tree.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, add_noise, deviations, folds, rng, split
from hedgerow.evaluation import metrics
from hedgerow.evaluation.tuning import best_factor
from hedgerow.experiments.frames import (
    all_classes,
    corrected,
    drawn,
    floored,
    numbers_of,
    one_sample,
    random_state,
    sorted_,
    uct_from,
)
from hedgerow.experiments.missing.steps import one_hot
from hedgerow.experiments.optimal.plan import (
    C45_TOLD,
    CLEAN,
    EXPERIMENT,
    METHODS,
    N_QUANTILES,
    NOISY,
    ORDER,
    PROOF,
    SEARCHES,
    STABLE,
    TOLD,
    UNPRUNED,
    VALUES,
    WHOLE,
    WHOLE_SET,
    OptimalPlan,
)
from hedgerow.experiments.soft.samples import variable_means
from hedgerow.experiments.step import step

#: Decimals of scores, shares and distances. More would only be stored, and fewer make ties.
DECIMALS = 6


# ------------------------------------------------------------------------------------ samples


class Rows:
    """Rows of a data set, as each learner reads them.

    Parameters
    ----------
    frame : DataFrame
        Categories as they are.
    values : (n, m) float array
        The same as numbers, categories as codes.
    n_categories : (m,) int array
    y : (n,) int array
    """

    def __init__(self, frame, values, n_categories, y):
        self.frame, self.values, self.n_categories, self.y = frame, values, n_categories, y

    def some(self, rows: np.ndarray) -> Rows:
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

    def told(self, factor: float) -> dict:
        """Standard deviation of the noise that a factor means."""
        sd = deviations(factor, self.means)
        names = self.frame.columns
        return {names[j]: float(sd[j]) for j in np.flatnonzero(self.n_categories == 0)}


def rows_of(table: TidyTable) -> Rows:
    """All rows of a data set."""
    return Rows(table.X, *table.matrix(), table.y)


def at_most(table: TidyTable, number: int, plan: OptimalPlan) -> TidyTable:
    """A data set, or as many rows as a division may have, drawn at random."""
    table = one_sample(table)
    return drawn(table, plan.n_rows, rng(plan.seed, EXPERIMENT, table.name, number, "rows"))


# ------------------------------------------------------------------------------------ learners


class Learned:
    """A fitted learner.

    Parameters
    ----------
    model : classifier
    n_classes : int
    """

    def __init__(self, model, n_classes: int):
        self.model, self.n_classes = model, n_classes

    def said(self, rows: Rows, smoothing: bool = False) -> np.ndarray:
        """Probabilities of all classes, (n, n_classes); Laplace-smoothed if asked for."""
        self.model.set_params(smoothing=smoothing)
        return self._all(self.model.predict_proba(rows.frame))

    def _all(self, probabilities: np.ndarray) -> np.ndarray:
        return all_classes(probabilities, self.model.classes_, self.n_classes)

    @property
    def tree(self):
        """A `hedgerow.Tree`."""
        return self.model.tree_


class LearnedCart(Learned):
    """CART of scikit-learn, which reads categories as columns of 0 and 1."""

    def said(self, rows: Rows, smoothing: bool = False) -> np.ndarray:
        X = one_hot(rows.values, rows.n_categories)
        found = self.model.predict_proba(X)
        if smoothing:
            found = corrected(found, self.model.tree_.weighted_n_node_samples[self.model.apply(X)])
        return self._all(found)

    @property
    def tree(self):
        from hedgerow.tree import Tree

        return Tree.from_sklearn(self.model)


class Learners:
    """What learns from training rows at a limit of the depth.

    Parameters
    ----------
    n_classes : int
        Of the data set; the rows may lack some.
    plan : OptimalPlan
    protocol : SearchPlan
        Settings of `search` that UCT-DT has.
    state : callable
        Seed of an estimator by its name.
    """

    def __init__(self, n_classes: int, plan: OptimalPlan, protocol, state: Callable[[str], int]):
        self.n_classes, self.plan, self.protocol, self.state = n_classes, plan, protocol, state

    def c45(self, rows: Rows, depth: int, confidence: float | None) -> Learned:
        """C4.5, pruned at a confidence or not at all."""
        from hedgerow.induction.c45 import C45Classifier

        prune = {"prune": False} if confidence is None else {"confidence": confidence}
        model = C45Classifier(max_depth=depth, min_samples_split=2, **prune)
        return Learned(model.fit(rows.frame, rows.y), self.n_classes)

    def soft(self, rows: Rows, depth: int, confidence: float, factor: float) -> Learned:
        """C4.5 that counts and reads rows softly, told the noise factor (STP and SE, thesis)."""
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

    def optimal(self, rows: Rows, depth: int, price: float = 0.0, error=None) -> Learned:
        """The best tree, or the best that is found within so many nodes."""
        from hedgerow.optimal.learner import OptimalTreeClassifier

        nodes = self.plan.max_nodes if error is None else self.plan.max_error_nodes
        model = OptimalTreeClassifier(depth, leaf_price=price, error=error, max_nodes=nodes)
        return Learned(model.fit(rows.frame, rows.y), self.n_classes)


# ------------------------------------------------------------------------------ one division


class Division:
    """One division of a data set: test rows in every condition, and what is tuned for each.

    Parameters
    ----------
    table : TidyTable
    number : int
    plan : OptimalPlan
    protocol : SearchPlan
    """

    def __init__(self, table: TidyTable, number: int, plan: OptimalPlan, protocol):
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
        self.train = whole.some(train)
        #: Noise factors by the names of the conditions; sets without numbers have no noise.
        numbers = (whole.n_categories == 0).any()
        self.factors = {CLEAN: 0.0} | {f"{n:g}": n for n in plan.noise if numbers}
        self.test = self._conditions(whole.some(test), self.train, lambda: draws("noise test"))
        fold = folds(self.train.y, plan.n_folds, draws("folds"))
        self.folds = []
        for k in range(fold.max() + 1):
            own = self.train.some(np.flatnonzero(fold != k))
            validation = self.train.some(np.flatnonzero(fold == k))
            stream = f"noise fold {k}"
            noisy = self._conditions(validation, own, lambda name=stream: draws(name))
            self.folds.append((own, noisy))

    def _conditions(self, rows: Rows, training: Rows, draws) -> dict[str, Rows]:
        """Rows as they are and with each noise: the same draws, larger or smaller."""
        means = training.means
        return {name: rows.noisy(n, means, draws()) for name, n in self.factors.items()}

    def tuned(self, values, fit: Callable[[Rows, float], Learned]) -> dict[str, tuple]:
        """What is chosen in each condition, and the learner of the whole training part.

        Parameters
        ----------
        values : sequence of float
            Ties: the first.
        fit : callable
            From rows and a value to what is learnt.

        Returns
        -------
        dict
            By condition: value, `Learned`.
        """
        scores = {name: np.zeros(len(values)) for name in self.factors}
        if len(values) > 1:
            for own, conditions in self.folds:
                for i, value in enumerate(values):
                    learned = fit(own, value)
                    for name, rows in conditions.items():
                        scores[name][i] += metrics.accuracy(rows.y, learned.said(rows))
        chosen = {
            name: values[int(best_factor(np.arange(len(values)), found / len(self.folds)))]
            for name, found in scores.items()
        }
        made = {value: fit(self.train, value) for value in dict.fromkeys(chosen.values())}
        return {name: (value, made[value]) for name, value in chosen.items()}

    def learned(self, depth: int) -> dict[str, dict[str, tuple]]:
        """What every method learns at a depth: by method and condition, tuned value and learner."""
        plan, make, train = self.plan, self.learners, self.train
        found = {
            # The smaller tree first, which ties go to.
            "c45": self.tuned(sorted(plan.confidences), lambda rows, c: make.c45(rows, depth, c)),
            "cart": self.tuned(
                sorted(make.alphas(train, depth), reverse=True),
                lambda rows, alpha: make.cart(rows, depth, alpha),
            ),
            "optimal_priced": self.tuned(
                sorted(plan.leaf_prices, reverse=True),
                lambda rows, price: make.optimal(rows, depth, price),
            ),
            # The smallest error first, which is nearest to none.
            "optimal_error": self.tuned(
                sorted(plan.errors),
                lambda rows, share: make.optimal(rows, depth, error=rows.errors(share)),
            ),
        }
        alone = {
            "uct": make.uct(train, depth, found["c45"][CLEAN][0]),
            "optimal": make.optimal(train, depth),
        }
        for name, learned in alone.items():
            found[name] = dict.fromkeys(self.factors, (np.nan, learned))
        told = {name: factor for name, factor in self.factors.items() if name != CLEAN}
        found[TOLD] = {
            name: (factor, make.optimal(train, depth, error=train.told(factor)))
            for name, factor in told.items()
        }
        found[C45_TOLD] = {
            name: (factor, make.soft(train, depth, found["c45"][name][0], factor))
            for name, factor in told.items()
        }
        return found

    def lines(self, depth: int) -> Iterator[tuple]:
        """Part, setting, method, metric and value of all that is measured at a depth."""
        found = self.learned(depth)
        make, train = self.learners, self.train
        fitted = {
            "c45_unpruned": make.c45(train, depth, None),
            "cart_unpruned": make.cart(train, depth, 0.0),
        } | {name: found[name][CLEAN][1] for name in UNPRUNED if name in found}
        for name, learned in fitted.items():
            accuracy = metrics.accuracy(train.y, learned.said(train))
            yield "training", CLEAN, name, "accuracy", accuracy
        for setting in self.factors:
            part = "clean" if setting == CLEAN else "noise"
            for name in METHODS if setting == CLEAN else NOISY:
                value, learned = found[name][setting]
                for metric, score in _scores(learned, self.test[setting]).items():
                    yield part, setting, name, metric, score
                if setting == CLEAN:
                    yield part, setting, name, "n_leaves", float(learned.tree.n_leaves)
                if not np.isnan(value):
                    yield "tuned", setting, name, "value", float(value)
                # Without anything tuned or told the same tree reads all rows.
                if name in SEARCHES and (setting == CLEAN or name != "optimal"):
                    for metric in PROOF:
                        known = float(getattr(learned.model, f"{metric}_"))
                        yield "search", setting, name, metric, known


def _scores(learned: Learned, rows: Rows) -> dict[str, float]:
    from sklearn.metrics import log_loss

    plain, smooth = learned.said(rows), floored(learned.said(rows, smoothing=True))
    return {
        "accuracy": metrics.accuracy(rows.y, plain),
        "macro_f1": metrics.macro_f1(rows.y, plain),
        "log_loss": float(log_loss(rows.y, smooth, labels=range(learned.n_classes))),
    }


def _frame(lines: list) -> pd.DataFrame:
    """Lines of dataset, split, depth, then part, setting, method, metric, value."""
    names = ["dataset", "split", "depth", "part", "setting", "method", "metric", "value"]
    frame = pd.DataFrame(lines, columns=names)[[*ORDER["rows"], *VALUES["rows"]]]
    tuned = frame["part"] == "tuned"
    value = frame["value"].where(tuned, frame["value"].round(DECIMALS))
    return sorted_(frame.assign(value=value), ORDER["rows"])


@step(
    "cart_criterion",
    "confidences",
    "depths",
    "errors",
    "leaf_prices",
    "max_error_nodes",
    "max_nodes",
    "n_alphas",
    "n_folds",
    "n_rows",
    "noise",
    "seed",
    "test_size",
    "uct_iterations",
    protocol=(
        "search",
        "exploration",
        "kept_path",
        "n_candidates",
        "validation_fraction",
        "value_pruning_depth",
        "value_pruning_interval",
    ),
)
def run(
    table: TidyTable, plan: OptimalPlan, protocol, divisions: Iterable[int] | None = None
) -> pd.DataFrame:
    """All learners at all depths on all divisions of one data set.

    Parameters
    ----------
    table : TidyTable
    plan : OptimalPlan
    protocol : SearchPlan
        Settings of `search` that UCT-DT has.
    divisions : iterable of int, optional
        Default all of the plan. Chunks put together are the whole.

    Returns
    -------
    DataFrame
        part, dataset, split, setting (clean, or the noise factor), depth, method, metric, value.
        Parts: training, clean and noise, which are compared; tuned, the values chosen; search,
        nodes looked at, whether the tree is proven, and how far it may be from the best (a share
        of its cost).
    """
    lines = []
    for number in numbers_of(plan, "n_splits", divisions):
        division = Division(at_most(table, number, plan), number, plan, protocol)
        for depth in plan.depths:
            lines += [(table.name, number, depth, *line) for line in division.lines(depth)]
    return _frame(lines)


# --------------------------------------------------------------------- stability and quantiles


@step(
    "cart_criterion",
    "depths",
    "max_nodes",
    "n_alphas",
    "n_bootstrap",
    "n_rows",
    "seed",
    "uct_iterations",
    protocol=(
        "search",
        "exploration",
        "kept_path",
        "n_candidates",
        "validation_fraction",
        "value_pruning_depth",
        "value_pruning_interval",
    ),
)
def stability(table: TidyTable, plan: OptimalPlan, protocol) -> pd.DataFrame:
    """How far trees of bootstrap samples of one data set are from each other.

    Parameters
    ----------
    table, plan, protocol
        As of `run`.

    Returns
    -------
    DataFrame
        As `run` gives it: part stability, metric distance, the edit distance B2 as a share of the
        tests of both trees (0: the same; 1: they share nothing), over all pairs. Of pairs without
        any test it is 0. C4.5 is pruned at its default confidence.
    """
    from hedgerow.structure import TreeEditDistance

    table = at_most(table, 0, plan)
    whole, lines = rows_of(table), []
    samples = []
    for k in range(plan.n_bootstrap):
        draws = rng(plan.seed, EXPERIMENT, table.name, k, "bootstrap")
        samples.append(whole.some(np.sort(draws.integers(0, len(table.y), len(table.y)))))
    encoded = one_hot(whole.values, whole.n_categories)
    fitted = {
        name: TreeEditDistance("B2").fit(X, table.y)
        for name, X in (("frame", table.X), ("encoded", encoded))
    }
    for depth in plan.depths:
        trees = {name: [] for name in STABLE}
        for k, rows in enumerate(samples):

            def state(name, number=k):
                return random_state(plan.seed, EXPERIMENT, table.name, number, f"bootstrap {name}")

            make = Learners(len(table.classes), plan, protocol, state)
            learned = {
                "c45": make.c45(rows, depth, 0.25),
                "c45_unpruned": make.c45(rows, depth, None),
                "cart_unpruned": make.cart(rows, depth, 0.0),
                "uct": make.uct(rows, depth, 0.25),
                "optimal": make.optimal(rows, depth),
            }
            for name, one in learned.items():
                trees[name].append(one.tree)
        for name, own in trees.items():
            metric = fitted["encoded" if name == "cart_unpruned" else "frame"]
            value = relative_distance(metric.pairwise(own), [t.n_leaves - 1 for t in own])
            lines.append((table.name, 0, depth, "stability", CLEAN, name, "distance", value))
    return _frame(lines)


def relative_distance(distances: np.ndarray, n_tests: list[int]) -> float:
    """Sum of the distances of all pairs over the sum of the tests of both; 0 without any test."""
    upper = np.triu_indices(len(n_tests), 1)
    tests = np.asarray(n_tests)
    of_both = (tests[:, None] + tests[None, :])[upper].sum()
    return float(distances[upper].sum() / of_both) if of_both else 0.0


@step("quantile_depths", "seed")
def quantiles(table: TidyTable, plan: OptimalPlan) -> pd.DataFrame:
    """Errors on a whole data set, of trees that see four quantiles of each variable, or all values.

    Parameters
    ----------
    table : TidyTable
        Without missing values.
    plan : OptimalPlan

    Returns
    -------
    DataFrame
        As `run` gives it: part quantiles, methods quantiles (the best tree on the binary table of
        `search_beyond`), cart (the better of Gini index and entropy) and optimal, metrics errors,
        error_rate, and n_rows of the set.
    """
    from sklearn.tree import DecisionTreeClassifier

    from hedgerow.optimal.learner import OptimalTreeClassifier
    from hedgerow.search.optimal import binary_table, most_accurate, predict

    table = one_sample(table)
    whole, y, lines = rows_of(table), table.y, []
    B, _ = binary_table(table, N_QUANTILES)
    X = one_hot(whole.values, whole.n_categories)
    state = random_state(plan.seed, EXPERIMENT, table.name, 0, "whole set")
    for depth in plan.quantile_depths:
        carts = (
            DecisionTreeClassifier(criterion=criterion, max_depth=depth, random_state=state)
            for criterion in ("gini", "entropy")
        )
        best = OptimalTreeClassifier(depth).fit(table.X, y)
        errors = {
            "quantiles": int((predict(most_accurate(B, y, depth), B) != y).sum()),
            "cart": min(int((cart.fit(X, y).predict(X) != y).sum()) for cart in carts),
            "optimal": int((best.predict(table.X) != y).sum()),
        }
        for name in WHOLE:
            told = {"errors": errors[name], "error_rate": errors[name] / len(y), "n_rows": len(y)}
            for metric, value in told.items():
                key = (table.name, 0, depth, "quantiles", WHOLE_SET, name, metric)
                lines.append((*key, float(value)))
    return _frame(lines)
