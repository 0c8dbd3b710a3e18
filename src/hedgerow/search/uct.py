"""UCT-DT: decision trees by Monte Carlo tree search (thesis, chapter 4)."""

from __future__ import annotations

import time
from collections.abc import Callable
from numbers import Integral
from typing import TYPE_CHECKING

import numpy as np
from sklearn.utils.validation import _num_samples, check_is_fitted

from hedgerow.checks import (
    BEYOND_USE,
    LARGEST_COUNT,
    check_choice,
    check_flag,
    check_memory,
    check_number,
    check_random,
    checked_weights,
)
from hedgerow.errors import InputError, warn_user
from hedgerow.induction._columns import Columns
from hedgerow.induction._growth import Growth
from hedgerow.induction._pruning import Pruning
from hedgerow.induction.base import FROM_DTYPE, TreeClassifierMixin
from hedgerow.induction.core import grow, prune
from hedgerow.induction.rules import Rules
from hedgerow.optional_imports import import_optional
from hedgerow.search._uct import Search
from hedgerow.search.division import split_rows
from hedgerow.tree._gates import Gates
from hedgerow.tree.tree import Tree

if TYPE_CHECKING:
    import pandas as pd

POLICIES = {"vs": 0, "c45": 1, "c45b": 2}
RULES = {"ucb": 0, "simple_regret": 1, "best": 2}
KEPT_PATHS = ("tip", "greedy")
STEP = 2_000  # iterations between two looks at the clock
MOST_ITERATIONS = 2_000_000_000  # the core counts visits in 32 bits
MOST_CANDIDATES = 1_000_000
TIES = 1e-12  # F1 values closer than this are the same value, summed in another order


class UCTTreeClassifier(TreeClassifierMixin):
    """UCT-DT: a decision tree found by Monte Carlo tree search (thesis, chapter 4).

    A state of the search is a decision tree, an action puts one of the K best tests in the place
    of a leaf. Each iteration selects a state by upper confidence bounds, expands it by a random
    untried action, simulates what the new tree is worth, and backs the reward up. The training
    set is divided: tests come from the induction set, rewards from the validation set. The tree
    kept is that of the state with the best macro F1 on the validation set.

    Parameters
    ----------
    policy : {"vs", "c45", "c45b"}, default "vs"
        The reward: macro F1 on the validation set of the state's tree (vs), of the tree that
        C4.5 completes it to on the induction set (c45), or the same with bootstrap samples of
        both sets, redrawn for each simulation (c45b). With `tree_pruning` the completed tree
        is pruned.
    value_pruning : bool, default True
        Every `value_pruning_interval` iterations, of the states deeper than
        `value_pruning_depth`, keep only one path, see `kept_path`.
    tree_pruning : bool, default True
        Remove a state when the test that led to it does not survive the pruning of its tree
        completed by C4.5.
    n_iterations : int from 0 to 2,000,000,000, default 200_000
    n_candidates : int from 1 to 1,000,000, default 3
        K, tests per new leaf, those with the highest information gain; 1 is greedy search.
    n_candidates_per_variable : int, optional
        At most so many of them on one variable; None: no limit.
    exploration : float from 0 to 1e12, default 1.0
        Cp of the bound V/N + 2 Cp sqrt(ln N_parent / N). The other common form,
        sqrt(2 ln N_parent / N), is Cp = 1 / sqrt 2.
    selection : {"ucb", "simple_regret", "best"}, default "ucb"
        "simple_regret" has sqrt(N_parent) in the place of ln N_parent (Tolpin and Shimony
        2012); "best" has the best reward below a state in the place of the mean V/N. Neither
        is in the thesis.
    widening : float in [0, 1], default 0.0
        Exponent of progressive widening: beyond the K best tests of its leaves, a state with N
        visits draws N^widening more, each the best test of a random leaf on a random variable.
        0: none, as in the thesis.
    value_pruning_interval : int, default 3000
    value_pruning_depth : int, default 5
    validation_fraction : float in (0, 1), default 0.3
        Share of the rows, drawn at random, that are kept for validation.
    confidence : float in [0, 1], default 0.25
        Of pruning; see `C45Classifier`.
    subtree_raising, laplace : bool, default True
    repetition_factor : float, default 1.0
    min_samples_split : float, default 4
    min_samples_leaf : float, default 1
    max_depth : int, optional
        Largest number of tests on a path; None: the depth of the pruned C4.5 tree of all rows.
    candidates : {"values", "midpoints"}, default "values"
    categorical_features, smoothing, weights, class_weight
        As in `C45Classifier`.
    time_limit : float, optional
        Seconds after which the search stops, with the best tree so far; None or infinity: no
        limit.
    max_nodes : int, optional
        States that the search tree may hold; expansion stops there with a warning.
    max_memory : float, optional
        The same in MiB of the search; None: no limit.
    progress : bool, default False
        Show a progress bar.
    random_state : int, RandomState or None
    kept_path : {"tip", "greedy"}, default "tip"
        That path leads to the tip with the best mean reward, or goes on from the root to the
        child with the best mean reward of those that lead deeper than the depth, again and
        again. Ties: more visits, then older.

    Attributes
    ----------
    tree_ : hedgerow.Tree
        The state with the best validation F1 (ties: fewer leaves, then older); class weights
        are those of the induction set. As in the thesis (4.5.1) it is chosen from the search
        tree; of a search that was stopped early or continued, from all states that the search
        has held, so that more iterations never leave a worse one. See `best`.
    search_tree_ : DataFrame
        One row per state in the order in which they were made: `parent` (row number, -1 at the
        root), `action` (the path of the leaf that was split, and the test), `n_visits`, `value`
        (mean reward V/N; NaN for a root without any simulation), `depth` (number of tests),
        `n_leaves`, `validation_f1`.
    search_depth_ : int
        Number of tests of the deepest state that the search reached.
    max_depth_ : int
        The limit in force.
    n_iterations_ : int
    exhausted_ : bool
        Whether nothing was left to try.
    induction_indices_, validation_indices_ : int arrays
        Rows of X in the two sets.
    classes_, n_features_in_, feature_names_in_
        As in `C45Classifier`.

    Raises
    ------
    InputError
        A parameter out of range, or whatever `C45Classifier` raises.

    Warns
    -----
    HedgerowWarning
        The search was interrupted or reached its bound on memory, and as `C45Classifier`.

    Notes
    -----
    An interrupt from the keyboard ends the search with the best tree so far. A pickled
    estimator keeps its states and trees, but its search cannot be continued.

    References
    ----------
    Thesis, chapter 4, algorithm 2; Kocsis and Szepesvari (2006), Bandit based Monte-Carlo
    planning; Tolpin and Shimony (2012), MCTS based on simple regret.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hedgerow import UCTTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> found = UCTTreeClassifier(n_iterations=2000, random_state=0).fit(X, y)
    >>> found.search_tree_.columns.tolist()
    ['parent', 'action', 'n_visits', 'value', 'depth', 'n_leaves', 'validation_f1']
    """

    def __init__(
        self,
        policy="vs",
        value_pruning=True,
        tree_pruning=True,
        n_iterations=200_000,
        n_candidates=3,
        exploration=1.0,
        value_pruning_interval=3000,
        value_pruning_depth=5,
        n_candidates_per_variable=None,
        selection="ucb",
        widening=0.0,
        validation_fraction=0.3,
        confidence=0.25,
        subtree_raising=True,
        laplace=True,
        repetition_factor=1.0,
        min_samples_split=4,
        min_samples_leaf=1,
        max_depth=None,
        candidates="values",
        categorical_features=FROM_DTYPE,
        smoothing=False,
        weights="auto",
        time_limit=None,
        max_nodes=None,
        max_memory=None,
        progress=False,
        class_weight=None,
        random_state=None,
        kept_path="tip",
    ):
        self.policy = policy
        self.value_pruning = value_pruning
        self.tree_pruning = tree_pruning
        self.n_iterations = n_iterations
        self.n_candidates = n_candidates
        self.exploration = exploration
        self.value_pruning_interval = value_pruning_interval
        self.value_pruning_depth = value_pruning_depth
        self.kept_path = kept_path
        self.n_candidates_per_variable = n_candidates_per_variable
        self.selection = selection
        self.widening = widening
        self.validation_fraction = validation_fraction
        self.confidence = confidence
        self.subtree_raising = subtree_raising
        self.laplace = laplace
        self.repetition_factor = repetition_factor
        self.min_samples_split = min_samples_split
        self.min_samples_leaf = min_samples_leaf
        self.max_depth = max_depth
        self.candidates = candidates
        self.categorical_features = categorical_features
        self.smoothing = smoothing
        self.weights = weights
        self.time_limit = time_limit
        self.max_nodes = max_nodes
        self.max_memory = max_memory
        self.progress = progress
        self.class_weight = class_weight
        self.random_state = random_state

    def _check_parameters(self) -> None:
        check_choice("policy", self.policy, tuple(POLICIES))
        check_choice("selection", self.selection, tuple(RULES))
        check_choice("kept_path", self.kept_path, KEPT_PATHS)
        check_number("n_iterations", self.n_iterations, 0, MOST_ITERATIONS, whole=True)
        check_number("n_candidates", self.n_candidates, 1, MOST_CANDIDATES, whole=True)
        check_number(
            "value_pruning_interval", self.value_pruning_interval, 1, LARGEST_COUNT, whole=True
        )
        check_number("value_pruning_depth", self.value_pruning_depth, 0, LARGEST_COUNT, whole=True)
        for name in ("n_candidates_per_variable", "max_nodes"):
            if getattr(self, name) is not None:
                check_number(name, getattr(self, name), 1, LARGEST_COUNT, whole=True)
        self._check_pruning()
        self._check_growth()
        check_number("exploration", self.exploration, 0.0, BEYOND_USE)
        check_number("widening", self.widening, 0.0, 1.0)
        check_number("validation_fraction", self.validation_fraction, 0.0, 1.0)
        if not 0.0 < self.validation_fraction < 1.0:
            raise InputError(
                f"validation_fraction is {self.validation_fraction!r}",
                remedy="give a number above 0 and below 1",
            )
        if self.time_limit is not None:
            check_number("time_limit", self.time_limit, 0.0)
        if self.max_memory is not None:
            check_number("max_memory", self.max_memory, 0.0, BEYOND_USE)
        for name in ("value_pruning", "tree_pruning", "progress"):
            check_flag(name, getattr(self, name))

    # -- search -------------------------------------------------------------------------

    def _fit(self, X, y, sample_weight):
        self._check_parameters()
        columns = self._training_set(X, y, sample_weight)
        given = checked_weights(sample_weight, _num_samples(X))
        present = np.arange(columns.n_rows) if given is None else np.flatnonzero(given > 0)
        random = check_random("random_state", self.random_state)
        induction, validation = split_rows(columns.n_rows, self.validation_fraction, random)
        self.induction_indices_ = present[induction]
        self.validation_indices_ = present[validation]
        self.max_depth_ = self._limit(columns)

        self._induction = Columns(
            columns.X[induction],
            columns.y[induction],
            columns.n_classes,
            columns.sample_weight[induction],
            columns.n_categories,
            rows_per_weight=columns.rows_per_weight,
        )
        self._validation = (
            np.asfortranarray(columns.X[validation]),
            np.ascontiguousarray(columns.y[validation]),
            columns.sample_weight[validation],
        )
        self._bootstrap = np.random.Generator(
            np.random.PCG64(random.randint(np.iinfo(np.int64).max, dtype=np.int64))
        )
        most = self.n_candidates_per_variable
        # Gain, threshold and variable of each, and its categories, twice.
        width = 2 * int(columns.n_categories.max(initial=0)) + 36
        check_memory(
            f"n_candidates={self.n_candidates}", self.n_candidates * width, "ask for fewer tests"
        )
        self._search = Search(
            self._induction,
            *self._validation,
            policy=POLICIES[self.policy],
            value_interval=self.value_pruning_interval if self.value_pruning else 0,
            value_depth=self.value_pruning_depth,
            greedy=self.kept_path == "greedy",
            tree_pruning=self.tree_pruning,
            n_candidates=self.n_candidates,
            per_variable=self.n_candidates if most is None else min(most, self.n_candidates),
            exploration=self.exploration,
            rule=RULES[self.selection],
            widening=self.widening,
            confidence=self.confidence,
            laplace=self.laplace,
            raising=self.subtree_raising,
            min_split=self.min_samples_split,
            min_leaf=self.min_samples_leaf,
            max_depth=self.max_depth_,
            midpoints=self.candidates == "midpoints",
            repetition_factor=self.repetition_factor,
            max_states=self.max_nodes or 0,
            max_bytes=0 if self.max_memory is None else max(int(self.max_memory * 2**20), 1),
            seed=int(random.randint(np.iinfo(np.int64).max, dtype=np.int64)),
        )
        return self._iterate(self.n_iterations)

    def _limit(self, columns) -> int:
        """Depth of the pruned C4.5 tree of all rows, unless the user says otherwise."""
        if self.max_depth is not None:
            return int(self.max_depth)
        tree = grow(columns, **self._growth_settings())
        return prune(tree, columns, **self._pruning_settings()).depth

    def _growth_settings(self) -> dict:
        return {
            "min_samples_split": self.min_samples_split,
            "min_samples_leaf": self.min_samples_leaf,
            "candidates": self.candidates,
            "repetition_factor": self.repetition_factor,
        }

    def _pruning_settings(self) -> dict:
        return {
            "confidence": self.confidence,
            "laplace": self.laplace,
            "subtree_raising": self.subtree_raising,
        }

    def continue_search(self, n_more_iterations):
        """Go on from where the search stopped.

        Parameters
        ----------
        n_more_iterations : int
            At most 2,000,000,000 with those before.

        Returns
        -------
        self

        Raises
        ------
        InputError
            A number out of range, or the estimator was pickled or copied, which drops the search.
        """
        check_is_fitted(self, "tree_")
        if getattr(self, "_search", None) is None:
            raise InputError(
                "the search of this estimator is gone, as it was pickled or copied",
                remedy="call fit with more iterations",
            )
        left = MOST_ITERATIONS - self._search.n_iterations
        check_number("n_more_iterations", n_more_iterations, 0, left, whole=True)
        return self._iterate(n_more_iterations)

    def _iterate(self, n: int):
        """Run up to n iterations and pick the best state; stops early in good order."""
        search = self._search
        end = search.n_iterations + n
        as_planned = search.n_iterations == 0  # neither continued nor stopped early
        start = time.monotonic()
        step = STEP if self.policy != "c45b" else 20
        bar = self._bar(n)
        try:
            more = True
            while more and search.n_iterations < end:
                if self.time_limit is not None and time.monotonic() - start >= self.time_limit:
                    as_planned = False
                    break
                before = search.n_iterations
                todo = min(step, end - before)
                more = self._bootstrapped(todo) if self.policy == "c45b" else search.run(todo)
                if bar is not None:
                    bar.advance(bar.task_ids[0], search.n_iterations - before)
        except KeyboardInterrupt:
            as_planned = False
            warn_user(
                f"the search was interrupted after {search.n_iterations} iterations; "
                "the best tree so far is kept",
            )
        finally:
            if bar is not None:
                bar.stop()
        if search.is_full:
            as_planned = False
            warn_user(
                f"the search reached its bound on memory after {search.n_iterations} iterations "
                f"with {search.n_alive} states; raise max_nodes or max_memory to go on",
            )
        self.n_iterations_ = int(search.n_iterations)
        self.search_depth_ = int(search.deepest)
        self.exhausted_ = bool(search.exhausted)
        self._remember(search)
        tree = self._tree_of(self._best_state("f1")) if as_planned else self._best_held()
        return self._finish(tree)

    def _bar(self, n: int):
        """Show how far n iterations have come, on standard error; None when not asked for."""
        if not self.progress:
            return None
        import_optional("rich", "a progress bar")
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

        bar = Progress(
            "UCT-DT",
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        bar.add_task("UCT-DT", total=n)
        bar.start()
        return bar

    def _bootstrapped(self, n: int) -> bool:
        """Policy C4.5b: simulations on bootstrap samples; whether more could follow."""
        search = self._search
        for _ in range(n):
            state = search.next_state()
            if state < 0:
                return False
            try:
                reward, gone = self._simulate(search.actions_of(state))
            except BaseException:  # an interrupt leaves no state without a reward
                search.abandon(state)
                raise
            search.reward(state, reward, gone)
        return True

    def _simulate(self, actions: list[int]) -> tuple[float, bool]:
        """Complete the tree of these actions on a bootstrap sample, as thesis 4.4.3 (3)."""
        columns = self._induction
        X, y, weight = self._validation
        counts = np.bincount(
            self._bootstrap.integers(columns.n_rows, size=columns.n_rows),
            minlength=columns.n_rows,
        )
        sample = columns.resampled(counts)
        tests = self._search.table_of_actions(actions)
        given, place = _arrays(tests, np.arange(len(actions)))
        hard = Gates(None, sample.n_variables)
        rules = Rules(
            min_samples_split=self.min_samples_split,
            min_samples_leaf=self.min_samples_leaf,
            max_depth=self.max_depth_,
            midpoints=self.candidates == "midpoints",
            repetition_factor=self.repetition_factor,
        )
        arrays = Growth(sample, hard, rules, given=given).run()
        if self.tree_pruning:
            arrays = Pruning(
                sample,
                arrays,
                hard,
                confidence=self.confidence,
                laplace=self.laplace,
                raising=self.subtree_raising,
            ).run()
        origin, feature = arrays.pop("origin"), arrays["feature"]
        gone = self.tree_pruning and not ((origin == place[-1]) & (feature >= 0)).any()
        rows = self._bootstrap.integers(len(y), size=len(y))
        times = np.bincount(rows, minlength=len(y)) * weight
        predicted = Tree(**arrays, _checked=True).predict_proba(X).argmax(axis=1)
        return _weighted_f1(y, predicted, times, columns.n_classes), gone

    # -- what was found -----------------------------------------------------------------

    def _remember(self, search) -> None:
        """The states as arrays, and the tests that they are made of."""
        states = search.table_of_states()
        held = np.array(search.best_actions, dtype=np.int64)
        used = np.unique(np.concatenate([states["action"][states["action"] >= 0], held]))
        tests = search.table_of_actions(used)
        states["action"] = np.where(
            states["action"] >= 0, np.searchsorted(used, states["action"]), -1
        )
        self._states, self._tests, self._frame = states, tests, None
        self._held = np.searchsorted(used, held)
        self._root_count = np.bincount(
            self._induction.y,
            weights=self._induction.sample_weight,
            minlength=self._induction.n_classes,
        ).astype(float)

    @property
    def search_tree_(self) -> pd.DataFrame:
        check_is_fitted(self, "tree_")
        if self._frame is None:
            pd = import_optional("pandas", "`search_tree_`")
            states = self._states
            visits = states["n_visits"]
            names = np.array(["", *self._names_of_tests()], dtype=object)
            self._frame = pd.DataFrame(
                {
                    "parent": states["parent"],
                    "action": names[states["action"] + 1],
                    "n_visits": visits,
                    "value": states["value"] / np.where(visits > 0, visits, np.nan),
                    "depth": states["depth"],
                    "n_leaves": states["depth"] + 1,
                    "validation_f1": states["f1"],
                }
            )
        return self._frame

    def _names_of_tests(self) -> list[str]:
        """Path of the split leaf (L and R from the root) and the test, as text."""
        tests = self._tests
        columns = getattr(self, "feature_names_in_", None)
        paths: dict[int, str] = {}
        names = []
        for i in range(len(tests["feature"])):
            above = int(tests["above"][i])
            # A test above has a lower number: it was proposed earlier.
            paths[i] = "" if above < 0 else paths[above] + "RL"[int(tests["is_left"][i])]
            j = int(tests["feature"][i])
            variable = f"x{j}" if columns is None else str(columns[j])
            if np.isnan(tests["threshold"][i]):
                labels = self._category_labels.get(j, range(int(self._n_categories[j])))
                left = [str(v) for v, k in zip(labels, tests["subset"][i], strict=False) if k]
                test = f"{variable} in {{{', '.join(left)}}}"
            else:
                test = f"{variable} < {tests['threshold'][i]:.6g}"
            names.append(f"{paths[i] or 'root'}: {test}")
        return names

    def _actions_of(self, state: int) -> np.ndarray:
        actions = []
        while state > 0:
            actions.append(self._states["action"][state])
            state = self._states["parent"][state]
        return np.array(actions[::-1], dtype=np.int64)

    def _tree_of(self, state: int) -> Tree:
        """The tree of a state, by its row in `search_tree_`."""
        return self._tree_with(self._actions_of(int(state)))

    def _best_held(self) -> Tree:
        """The best tree that the search has held; value-based pruning may have removed it."""
        return self._tree_with(self._held)

    def _tree_with(self, actions: np.ndarray) -> Tree:
        arrays, _ = _arrays(self._tests, actions, self._root_count)
        return Tree(**arrays, _checked=True)

    def _labelled(self, tree: Tree) -> Tree:
        return tree.replace(
            classes=self.classes_,
            feature_names=getattr(self, "feature_names_in_", None),
            categories={j: [str(v) for v in c] for j, c in self._category_labels.items()},
        )

    def _best_state(self, criterion) -> int:
        states = self._states
        n_leaves = states["depth"] + 1
        if criterion == "f1":
            score = states["f1"]
        elif criterion == "f1_per_leaf":
            score = states["f1"] / n_leaves
        elif callable(criterion):
            score = np.asarray(criterion(self.search_tree_), dtype=float)
            if score.shape != n_leaves.shape or np.isnan(score).any():
                raise InputError(
                    f"criterion gave {score.shape} scores for {len(n_leaves)} states, or NaN",
                    remedy="return one number for each row of search_tree_",
                )
        else:
            raise InputError(
                f"criterion is {criterion!r}",
                remedy="choose 'f1', 'f1_per_leaf', 'f1_held', or give a function of search_tree_",
            )
        tied = np.flatnonzero(score >= score.max() - TIES)
        return int(tied[np.argmin(n_leaves[tied])])

    def best(self, criterion: str | Callable = "f1") -> Tree:
        """The tree of the best state (ties: fewer leaves, then older).

        Parameters
        ----------
        criterion : {"f1", "f1_per_leaf", "f1_held"} or callable
            Macro F1 on the validation set, the same per leaf, or a function that takes
            `search_tree_` and returns one score per row, the larger the better. "f1_held" is
            "f1" of all states that the search has held, those included that value-based
            pruning removed.

        Returns
        -------
        hedgerow.Tree

        Raises
        ------
        InputError
        """
        check_is_fitted(self, "tree_")
        if isinstance(criterion, str) and criterion == "f1_held":
            return self._labelled(self._best_held())
        return self._labelled(self._tree_of(self._best_state(criterion)))

    def forest(self, n: int | None = None) -> list[Tree]:
        """The trees of the n most visited states, closed under parent.

        A parent has at least the visits of its children and is older, so that the n most
        visited states (ties: older) hold the parent of each of them.

        Parameters
        ----------
        n : int, optional
            None: all states.

        Returns
        -------
        list of hedgerow.Tree
            In the order of `search_tree_`; `forest_states(n)` names their rows.
        """
        return self.trees_of(self.forest_states(n))

    def trees_of(self, states) -> list[Tree]:
        """The trees of some states.

        Parameters
        ----------
        states : sequence of int
            Rows of `search_tree_`.

        Returns
        -------
        list of hedgerow.Tree

        Raises
        ------
        InputError
            A number that is no row.
        """
        check_is_fitted(self, "tree_")
        n_states = len(self._states["parent"])
        for state in states:
            if not (isinstance(state, Integral) and 0 <= state < n_states):
                raise InputError(
                    f"there is no state {state!r}", remedy=f"give rows from 0 to {n_states - 1}"
                )
        return [self._labelled(self._tree_of(s)) for s in states]

    def forest_states(self, n: int | None = None) -> np.ndarray:
        """Rows in `search_tree_` of the trees that `forest(n)` returns, ascending."""
        check_is_fitted(self, "tree_")
        visits = self._states["n_visits"]
        if n is None:
            return np.arange(len(visits))
        check_number("n", n, 1, LARGEST_COUNT, whole=True)
        return np.sort(np.argsort(-visits, kind="stable")[:n])

    def __getstate__(self):
        state = super().__getstate__().copy()
        for name in ("_search", "_induction", "_validation", "_bootstrap"):
            state.pop(name, None)
        return state


def _arrays(tests: dict, actions: np.ndarray, root_count=None) -> tuple[dict, np.ndarray]:
    """The arrays of the tree of some tests, in preorder, and the node of each test.

    actions : places in `tests`, each after the test above it; root_count: (K,) class weights at
    the root, None: taken from the first test.
    """
    n = len(actions)
    K = tests["left_count"].shape[1] if root_count is None else len(root_count)
    at = {int(a): i for i, a in enumerate(actions)}
    below = np.full((n, 2), -1)  # the test in the place of each side
    for i, a in enumerate(actions):
        above = int(tests["above"][a])
        if above >= 0:
            below[at[above], 0 if tests["is_left"][a] else 1] = i
    size = tests["subset"].shape[1]
    arrays = {
        "feature": np.full(2 * n + 1, -1, dtype=np.int32),
        "threshold": np.full(2 * n + 1, np.nan),
        "children_left": np.full(2 * n + 1, -1, dtype=np.int32),
        "children_right": np.full(2 * n + 1, -1, dtype=np.int32),
        "parent": np.full(2 * n + 1, -1, dtype=np.int32),
        "share_left": np.full(2 * n + 1, np.nan),
        "class_weight": np.zeros((2 * n + 1, K)),
        "categories_left": np.zeros((2 * n + 1, size), dtype=np.uint8),
    }
    place = np.zeros(n, dtype=np.int64)
    if root_count is None:
        a = actions[0]
        root_count = tests["left_count"][a] + tests["right_count"][a]
    stack = [(0 if n else -1, -1, False, root_count)]
    node = 0
    while stack:
        i, parent, is_left, count = stack.pop()
        arrays["class_weight"][node] = count
        arrays["parent"][node] = parent
        if parent >= 0:
            arrays["children_left" if is_left else "children_right"][parent] = node
        if i >= 0:
            a = actions[i]
            place[i] = node
            arrays["feature"][node] = tests["feature"][a]
            arrays["threshold"][node] = tests["threshold"][a]
            arrays["share_left"][node] = tests["share_left"][a]
            arrays["categories_left"][node] = tests["subset"][a]
            stack.append((int(below[i, 1]), node, False, tests["right_count"][a]))
            stack.append((int(below[i, 0]), node, True, tests["left_count"][a]))
        node += 1
    arrays["center"] = arrays["threshold"].copy()
    return arrays, place


def _weighted_f1(y, predicted, weight, n_classes: int) -> float:
    """Macro F1 over all classes of weighted predictions; a class without either counts 0."""
    right = np.bincount(y[predicted == y], weights=weight[predicted == y], minlength=n_classes)
    both = np.bincount(y, weights=weight, minlength=n_classes) + np.bincount(
        predicted, weights=weight, minlength=n_classes
    )
    return float(np.mean(2.0 * right / np.where(both > 0, both, 1.0)))
