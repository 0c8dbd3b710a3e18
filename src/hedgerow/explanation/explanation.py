"""What is said of one case, and of the rows of a table."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.confidence.revisions import shown_value
from hedgerow.errors import InputError
from hedgerow.explanation.answers import Answers
from hedgerow.explanation.error_laws import (
    Law,
    Tables,
    joint_probability,
    law,
    mirror_law,
    repeated_law,
)
from hedgerow.optional_imports import import_optional
from hedgerow.tree.export import test_words
from hedgerow.tree.gates import ThresholdGate

if TYPE_CHECKING:
    import pandas as pd

VALUE_IS = ("measured", "true")
MARGIN = 0.1  # of what tests and the value span, beyond it in a what-if curve
N_POINTS = 101  # of such a curve
_CACHED = ("_now", "_again", "_true")  # of an explanation: what it asks the tree by
DIGITS = 4  # significant ones after the first, at least, of thresholds and values
WIDTHS = 4.0  # standard deviations beyond it, where that is more


@dataclass(frozen=True)
class Step:
    """A test that a case comes by, as its values stand.

    Attributes
    ----------
    node : int
    depth : int
        Tests above it.
    test : str
        What holds of cases that go left.
    variable : str
    value : float, str or None
        None: missing.
    threshold : float
        NaN of a test on categories.
    distance : float
        Of the value from the threshold, in standard deviations of its error, below 0 on the left;
        infinite where the value is exact, NaN where there is no value or no threshold.
    left : float
        Probability that the value is on the left, of all at this node.
    """

    node: int
    depth: int
    test: str
    variable: str
    value: float | str | None
    threshold: float
    distance: float
    left: float


@dataclass(frozen=True)
class Leaf:
    """A leaf that a case may belong to.

    Attributes
    ----------
    node : int
    probability : float
        That it ends there: of the leaf's box, where a path tests a variable twice; a missing value
        goes both ways in the proportion of the training weight.
    answer : label
    n : float
        Training weight.
    shares : (K,) float64
        Class probabilities.
    """

    node: int
    probability: float
    answer: Any
    n: float
    shares: np.ndarray


@dataclass(frozen=True)
class Case:
    """One row, as a tree reads it.

    Attributes
    ----------
    tree : Tree
        With names of variables.
    leaves : (n_nodes, K) float64
        Class probabilities of its nodes.
    x : (m,) float64
    error : NoiseGate or None
        Errors of measurement of this row.
    gate : gate or None
        With which the tree reads the row.
    given : {"measured", "true"}
    smoothing : bool
    tables : dict
        What is worked out once of each distribution of errors, shared by the rows of a table.
    predict : callable, or None
        Class probabilities of a learner for rows like x; None: those of the tree.
    ends : (n_nodes, p) float64, or None
        Other values of the tested variables than thresholds at which a prediction may change.
    """

    tree: Any
    leaves: np.ndarray
    x: np.ndarray
    error: Any
    gate: Any
    given: str
    smoothing: bool
    tables: Tables = field(default_factory=dict, compare=False, repr=False)
    predict: Callable[[np.ndarray], np.ndarray] | None = field(
        default=None, compare=False, repr=False
    )
    ends: np.ndarray | None = field(default=None, compare=False, repr=False)

    @cached_property
    def laws(self) -> dict[int, Law]:
        """Of the true values of the variables that are tested and carry an error."""
        if self.error is None:
            return {}
        tested = np.unique(self.tree.feature[~np.isnan(self.tree.threshold)])
        laws = {j: law(self.error, j, float(self.x[j]), self.tables) for j in tested.tolist()}
        return {j: each for j, each in laws.items() if each is not None}

    @cached_property
    def shares(self) -> np.ndarray:
        """(n_nodes,) float64: probability that the true values come by each node."""
        gate = self.gate if self.error is None else self.error
        return self.tree.shares(self.x[None], gate).toarray()[0]

    @cached_property
    def laws_again(self) -> dict[int, Law]:
        """Of another measurement of each of them, about the measured value."""
        return {j: repeated_law(self.error, j, each) for j, each in self.laws.items()}

    def __getstate__(self) -> dict:
        # Without what can be recomputed: laws are functions, which are not pickled.
        return {each.name: getattr(self, each.name) for each in fields(self)} | {"tables": {}}

    def __setstate__(self, state: dict) -> None:
        self.__dict__.update(state)

    def name(self, j: int) -> str:
        """Of a variable, with its number where another one has the same."""
        names = self.tree.feature_names
        return names[j] if names.count(names[j]) == 1 else f"{names[j]} ({j})"

    def answers(self, laws) -> Answers:
        """Of the tree to these values where they vary by some laws."""
        return Answers(self.tree, self.leaves, self.x, laws)


class Explanation:
    """Why one case is answered as it is, and how sure that is.

    Prints as a text, and in a notebook as a page. What is asked of it is worked out then.

    Attributes
    ----------
    classes : list
        Labels, in the order of the probabilities.
    probabilities : (K,) float64
        As `predict_proba` gives them.
    answer : label
        The most probable class, as `predict` gives it.
    """

    def __init__(self, case: Case | None, classes: list, probabilities: np.ndarray, revisions=None):
        self._case = case
        self.classes = classes
        self.probabilities = probabilities
        self.answer = classes[int(np.argmax(probabilities))]
        self._revisions = revisions

    @property
    def revisions(self):
        """What the nodes of a ConfDTree did; None of other learners."""
        if callable(self._revisions):
            self._revisions = self._revisions()
        return self._revisions

    @property
    def case(self) -> Case:
        """The row and the tree.

        Raises
        ------
        InputError
            Of a forest, which has no path of its own.
        """
        if self._case is None:
            raise InputError(
                "this explanation is of a forest, which has no path and no leaves of its own",
                remedy="read its `revisions`, or explain a tree",
            )
        return self._case

    @property
    def has_errors(self) -> bool:
        """Whether a value that may be tested carries an error."""
        return self._case is not None and bool(self._case.laws)

    # ------------------------------------------------------------------- path and leaves

    @cached_property
    def path(self) -> tuple[Step, ...]:
        """Tests that the case comes by as its values stand; of both sides of a missing one."""
        case = self.case
        tree = case.tree
        stood = tree.shares(case.x[None], None).toarray()[0]
        steps = []
        for node in np.flatnonzero((stood > 0) & (tree.feature >= 0)).tolist():
            j = int(tree.feature[node])
            threshold = float(tree.threshold[node])
            value_law = case.laws.get(j)
            distance = case.x[j] - threshold
            with np.errstate(divide="ignore"):
                distance = distance / value_law.sd if value_law else np.copysign(np.inf, distance)
            if np.isnan(case.x[j] - threshold):
                distance = np.nan
            here = case.shares[node]
            left = case.shares[tree.children_left[node]]
            steps.append(
                Step(
                    node,
                    int(tree.node_depth[node]),
                    test_words(tree, node, DIGITS, value=float(case.x[j]))[0],
                    case.name(j),
                    shown_value(tree, j, float(case.x[j])),
                    threshold,
                    float(distance),
                    float(left / here if here > 0 else stood[tree.children_left[node]] > 0),
                )
            )
        return tuple(steps)

    @cached_property
    def leaves(self) -> tuple[Leaf, ...]:
        """Leaves with a probability above 0, the most probable first."""
        case = self.case
        tree = case.tree
        reached = np.flatnonzero((tree.feature < 0) & (case.shares > 0))
        order = reached[np.argsort(-case.shares[reached], kind="stable")]
        weight = tree.class_weight.sum(axis=1)
        return tuple(
            Leaf(
                node,
                float(case.shares[node]),
                self.classes[int(case.leaves[node].argmax())],
                float(weight[node]),
                case.leaves[node],
            )
            for node in order.tolist()
        )

    # --------------------------------------------------------------------- how sure it is

    @cached_property
    def _moments(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Mean, and variance by leaves and by few cases, of each class probability; (K,) each.

        The probabilities of a leaf are Dirichlet: a prior of 1 / K for each class, and its
        training weight.
        """
        case = self.case
        nodes = np.array([leaf.node for leaf in self.leaves])
        share = case.shares[nodes] / case.shares[nodes].sum()
        weight = case.tree.class_weight[nodes]
        total = weight.sum(axis=1, keepdims=True) + 1.0
        mean = (weight + 1.0 / weight.shape[1]) / total
        within = mean * (1.0 - mean) / (total + 1.0)
        overall = share @ mean
        return overall, share @ (mean - overall) ** 2, share @ within

    @property
    def mean(self) -> np.ndarray:
        """(K,) float64: expected class probabilities, over leaves and what they may be."""
        return self._moments[0]

    @property
    def variance_measuring(self) -> np.ndarray:
        """(K,) float64: variance of each class probability, as the case may end in another leaf."""
        return self._moments[1]

    @property
    def variance_cases(self) -> np.ndarray:
        """(K,) float64: ... as few training cases tell little of a leaf's probabilities."""
        return self._moments[2]

    @cached_property
    def _now(self) -> Answers:
        return self.case.answers({})

    @cached_property
    def stands(self) -> Any:
        """The answer of the tree to the values as they stand, read as exact."""
        return self.classes[int(self._now.probability().argmax())]

    @cached_property
    def changes(self) -> float | None:
        """Probability that the answer is another one (than `stands`) when all is measured again.

        Another measurement is about the true value, which is about the measured one: an error of
        the root of 2 times the standard deviation. With ``given="true"`` the values are true, and
        it is about them. None: no value carries an error.
        """
        if not self.has_errors:
            return None
        probabilities = self._again.probability()
        return float(max(1.0 - probabilities[self.classes.index(self.stands)], 0.0))

    @cached_property
    def _again(self) -> Answers:
        case = self.case
        if case.given == "true":
            return case.answers({j: mirror_law(each) for j, each in case.laws.items()})
        return case.answers(case.laws_again)

    @cached_property
    def entropy(self) -> float:
        """Of the answer to the true values, in bits."""
        return float(_entropy(self._true.probability()))

    @cached_property
    def _true(self) -> Answers:
        return self.case.answers(self.case.laws)

    @cached_property
    def repeat_gain(self) -> dict[str, float]:
        """Variable -> expected fall of `entropy` if it alone is measured again, the largest first.

        The variables that the case may be tested on and that carry an error.
        """
        case = self.case
        tree = case.tree
        falls = {}
        for j, first in case.laws.items():
            here = (tree.feature == j) & (case.shares > 0) & ~np.isnan(tree.threshold)
            ends = np.unique(tree.threshold[here])
            if not len(ends):
                continue
            at = np.concatenate([[0.0], first.below(ends), [1.0]])
            cells = [
                self._true.probability({j: (low, high)}) if high > low else None
                for low, high in itertools.pairwise(at)
            ]
            some = np.array([each is not None for each in cells])
            answers = np.array([each for each in cells if each is not None])  # (cells, K)
            if (answers == answers[0]).all():
                falls[case.name(j)] = 0.0
                continue
            joint = joint_probability(first, case.laws_again[j], ends)[:, some]
            chance = joint.sum(axis=1)
            mixed = joint @ answers
            after = np.divide(mixed, chance[:, None], out=np.zeros_like(mixed),
                              where=chance[:, None] > 0)  # fmt: skip
            # Before, from the same joint distribution: a fall is one within one law.
            fall = _entropy(joint.sum(axis=0) @ answers) - chance @ _entropy(after)
            falls[case.name(j)] = float(max(fall, 0.0))
        return dict(sorted(falls.items(), key=lambda each: -each[1]))

    @property
    def exact(self) -> bool:
        """Whether nothing that was asked so far was answered by draws."""
        return all(
            getattr(self.__dict__.get(name), "exact", True) for name in ("_now", "_again", "_true")
        )

    # --------------------------------------------------------------------------- what if

    def what_if(self, variable: str | int, values=None) -> tuple[np.ndarray, np.ndarray]:
        """Class probabilities if one value were another one, all else as it is.

        Parameters
        ----------
        variable : str or int
            Name or number.
        values : (k,) float64, optional
            By default 101 from below the lowest of its tests and the value to above the highest,
            and one in each stretch between its thresholds that holds none of them.

        Returns
        -------
        values : (k,) float64
        probabilities : (k, K) float64
            As the learner predicts each value, with errors where there are any: at the value of the
            row they are `probabilities`.

        Raises
        ------
        InputError
            No such variable, or one of categories without values.
        """
        case = self.case
        names = [case.name(j) for j in range(len(case.x))]
        j = names.index(variable) if variable in names else variable
        if isinstance(j, bool) or not isinstance(j, (int, np.integer)) or not 0 <= j < len(case.x):
            raise InputError(
                f"{variable!r} is no variable of the tree", remedy="give its name or its number"
            )
        values = (
            self._span(int(j)) if values is None else np.atleast_1d(self._values_given(j, values))
        )
        table = np.repeat(case.x[None], len(values), axis=0)
        table[:, j] = values
        if case.predict is not None:
            return values, case.predict(table)
        return values, case.tree.predict_proba(
            table, evaluation=case.gate, smoothing=case.smoothing
        )

    def _values_given(self, j: int, values) -> np.ndarray:
        """Values of a user: numbers, or labels of categories."""
        labels = [str(label) for label in self.case.tree.categories.get(j, [])]
        texts = np.atleast_1d(np.asarray(values, dtype=object)).ravel().tolist()
        try:
            numbers = np.array(
                [float(labels.index(str(v)) if labels else v) for v in texts], dtype=np.float64
            )
        except (TypeError, ValueError):
            numbers = np.array([np.inf])
        if not np.isfinite(numbers).all():
            raise InputError(
                f"values of {self.case.name(j)!r} are {values!r}",
                remedy="give numbers" if not labels else "give labels among " + ", ".join(labels),
            )
        return numbers

    def _span(self, j: int) -> np.ndarray:
        case = self.case
        of_it = case.tree.feature == j
        if j in case.tree.categories or case.tree.is_categorical()[of_it].any():
            labels = case.tree.categories.get(j)
            return np.arange(case.tree.categories_left.shape[1] if labels is None else len(labels))
        cuts = self._cuts(of_it)
        ends = [*cuts, *case.x[[j]][~np.isnan(case.x[[j]])]]
        if not ends:
            raise InputError(
                f"{case.name(j)!r} is tested nowhere and is missing here",
                remedy="give values",
            )
        low, high = min(ends), max(ends)
        sd = case.laws[j].sd if j in case.laws else 0.0
        beyond = max(MARGIN * (high - low), WIDTHS * sd) or max(abs(high) * MARGIN, 1.0)
        even = np.linspace(low - beyond, high + beyond, N_POINTS)
        return np.sort(np.concatenate([even, _within_each(cuts, even)]))

    def _cuts(self, of_it: np.ndarray) -> np.ndarray:
        """Where the prediction of some tests may change, ascending: thresholds and their bounds."""
        tree, gate = self.case.tree, self.case.gate
        cuts = [tree.threshold[of_it]]
        if isinstance(gate, ThresholdGate):
            cuts += [gate.lower[of_it], gate.upper[of_it]]
        if self.case.ends is not None:
            cuts.append(self.case.ends[of_it].ravel())
        ascending = np.unique(np.concatenate(cuts))
        return ascending[np.isfinite(ascending)]

    # ------------------------------------------------------------------------- other forms

    def summary(self) -> dict[str, Any]:
        """What fits into a line of a table."""
        row = {"answer": self.answer, "probability": float(self.probabilities.max())}
        if self._case is None:
            return row
        best = int(np.argmax(self.probabilities))
        repeated = self.repeat_gain
        first = next(iter(repeated), None)
        return {
            **row,
            "leaf": self.leaves[0].node,
            "leaf_probability": self.leaves[0].probability,
            "sd_measuring": float(np.sqrt(self.variance_measuring[best])),
            "sd_cases": float(np.sqrt(self.variance_cases[best])),
            "changes": self.changes,
            "repeat": first if first is not None and repeated[first] > 0 else None,
            "entropy": self.entropy,
            "entropy_fall": repeated[first] if first is not None else 0.0,
        }

    def __str__(self) -> str:
        from hedgerow.explanation.words import text

        return text(self)

    def __getstate__(self) -> dict:
        state = {name: value for name, value in self.__dict__.items() if name not in _CACHED}
        return {**state, "_revisions": self.revisions}

    def __repr__(self) -> str:
        return f"Explanation(answer={self.answer!r}, probability={self.probabilities.max():.3f})"

    def to_html(self) -> str:
        """A page that stands by itself, as text: escaped, without scripts or addresses."""
        from hedgerow.explanation.words import html

        return html(self)

    def _repr_html_(self) -> str:
        return self.to_html()

    def plot(self, figure=None):
        """Draw leaves, doubt and what-if curves (`hedgerow.explanation.picture`)."""
        from hedgerow.explanation.picture import draw

        return draw(self, figure)


class Explanations(Sequence):
    """Explanations of the rows of a table, in their order; a slice keeps the numbers of rows."""

    def __init__(self, cases: Sequence[Explanation], rows: Sequence[int] | None = None):
        self._cases = tuple(cases)
        self.rows = tuple(range(len(self._cases)) if rows is None else rows)

    def __getitem__(self, index):
        selected = self._cases[index]
        return Explanations(selected, self.rows[index]) if isinstance(index, slice) else selected

    def __len__(self) -> int:
        return len(self._cases)

    def __str__(self) -> str:
        pairs = zip(self.rows, self._cases, strict=True)
        return "\n\n".join(f"row {row}\n{case}" for row, case in pairs)

    def __repr__(self) -> str:
        return f"Explanations({len(self)} rows)"

    def to_frame(self) -> pd.DataFrame:
        """One row per case: `Explanation.summary`."""
        return import_optional("pandas", "explanations as a data frame").DataFrame(
            [case.summary() for case in self._cases]
        )

    def to_html(self) -> str:
        """The explanations one below the other, as `Explanation.to_html`."""
        from hedgerow.explanation.words import html_of_rows

        return html_of_rows(list(zip(self.rows, self._cases, strict=True)))

    def _repr_html_(self) -> str:
        return self.to_html()


def _within_each(cuts: np.ndarray, values: np.ndarray) -> np.ndarray:
    """A number in each stretch that holds none of the values; a cut belongs to what is above it.

    cuts : (k,) float64, ascending and no two equal
    values : (n,) float64
    """
    if not len(cuts):
        return cuts
    empty = np.setdiff1d(np.arange(len(cuts) + 1), np.searchsorted(cuts, values, side="right"))
    lower = np.concatenate([[np.nextafter(cuts[0], -np.inf)], cuts])[empty]
    upper = np.concatenate([cuts, cuts[-1:]])[empty]
    middle = lower / 2 + upper / 2
    # Between neighbouring numbers there is none.
    return np.where((lower < middle) & (middle < upper), middle, lower)


def _entropy(p: np.ndarray) -> np.ndarray:
    """Of distributions along the last axis, in bits."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.maximum(-np.where(p > 0, p * np.log2(p), 0.0).sum(axis=-1), 0.0)
