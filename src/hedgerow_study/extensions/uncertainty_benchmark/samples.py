"""Conditions of the suite: how data become uncertain, and what learners know of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, add_family_noise, rng
from hedgerow.data.missingness import remove_values
from hedgerow_study.experiments.frames import random_state
from hedgerow_study.extensions.uncertainty_benchmark.plan import (
    CLEAN,
    EXPERIMENT,
    NOWHERE,
    TRAINING,
    UncertaintyBenchmarkPlan,
)

#: Trees of the forest that finds the rows near a border.
N_TREES = 100


class Cell(NamedTuple):
    """A condition of the suite, the number of its level from 0, and where the doubt is."""

    condition: str
    level: int
    place: str


def cells(suite: Mapping[str, Any], number: int, repeat: int, levels: tuple[int, ...]):
    """What is run on data set `number` of the suite in a repeat: half of levels by places."""
    yield Cell(CLEAN, 0, NOWHERE)
    for condition, what in suite["conditions"].items():
        places = [TRAINING] if set(what) == {"classes"} else suite["places"]
        for level in levels:
            for k, place in enumerate(places):
                if (number + repeat + level + k) % 2 == 0:
                    yield Cell(condition, level, place)


@dataclasses.dataclass(frozen=True)
class UncertainRows:
    """Rows as they are measured, with their uncertainty: standard deviations of the errors by
    variable, and plausibilities of the classes, (n, n_classes). `values` has categories as codes.
    """

    X: pd.DataFrame
    values: np.ndarray
    n_categories: np.ndarray
    y: np.ndarray
    errors: dict[str, float] | None = None
    plausibility: np.ndarray | None = None

    def take(self, rows: np.ndarray) -> UncertainRows:
        """Some of the rows."""
        labels = None if self.plausibility is None else self.plausibility[rows]
        X, values = self.X.iloc[rows], self.values[rows]
        return dataclasses.replace(self, X=X, values=values, y=self.y[rows], plausibility=labels)

    def with_uncertainty(self, kinds: Collection[str]):
        """Values with their uncertainty, as learners take it: `error`, `y_plausibility`."""
        from hedgerow.induction.uncertain_table import Uncertain

        uncertainty = {"error": self.errors, "y_plausibility": self.plausibility}
        uncertainty = {name: uncertainty[name] for name in kinds if uncertainty[name] is not None}
        if "y_plausibility" in uncertainty:  # some rows may lack a class
            uncertainty["classes"] = np.arange(uncertainty["y_plausibility"].shape[1])
        return Uncertain(self.X, **uncertainty) if uncertainty else self.X


class Case(NamedTuple):
    """What a learner gets in a cell: training rows, test rows, the same measured again or None."""

    train: UncertainRows
    test: UncertainRows
    again: UncertainRows | None


class Sample:
    """Rows of a data set in a repeat, and what its doubts are drawn from."""

    def __init__(
        self, table: TidyTable, train, test, repeat: int, suite, plan: UncertaintyBenchmarkPlan
    ):
        self.table, self.train, self.test = table, train, test
        self.repeat, self.suite, self.plan = repeat, suite, plan
        self.values, self.n_categories = table.matrix()
        numbers = np.where(self.n_categories == 0, np.nanstd(self.values[train], axis=0), 0.0)
        self.spread = np.nan_to_num(numbers)
        self._border = None

    def stream(self, name: str) -> np.random.Generator:
        """A named stream of this data set and repeat."""
        return rng(self.plan.seed, EXPERIMENT, self.table.name, self.repeat, name)

    def case(self, cell: Cell) -> Case:
        """Training and test rows of a cell."""
        what = {} if cell.condition == CLEAN else self.suite["conditions"][cell.condition]
        errors = None
        if "errors" in what:
            factor = what["given"][self.repeat % len(what["given"])]
            size = factor * self.suite["levels"]["errors"][cell.level]
            numbers = np.flatnonzero(self.n_categories == 0)
            errors = {self.table.X.columns[j]: float(size * self.spread[j]) for j in numbers}
        both = cell.place not in (*self.suite["places"][:1], TRAINING, NOWHERE)
        train = self._measured(what, cell.level, "train", errors, uncertain=both)
        if "classes" in what:
            train = self._with_label_noise(train, cell.level, what["classes"] == "given")
        test = self._measured(what, cell.level, "test", errors)
        again = self._measured(what, cell.level, "again", errors) if "errors" in what else None
        return Case(train, test, again)

    def _measured(
        self, what, level: int, name: str, errors, uncertain: bool = True
    ) -> UncertainRows:
        """Rows of one part with errors and gaps; those that are measured again have the gaps of
        the first time."""
        rows = self.train if name == "train" else self.test
        X, levels = self.values[rows], self.suite["levels"]
        if uncertain and "errors" in what:
            size, draws = levels["errors"][level], self.stream(f"errors {name}")
            X = add_family_noise(X, what["errors"], size, self.spread, draws)
        if uncertain and "missing" in what:
            random = self.stream(f"gaps {'train' if name == 'train' else 'test'}")
            share = levels["missing"][level]
            kept = remove_values(self.values[rows], share, random, what["missing"])
            X = np.where(np.isnan(kept), np.nan, X)
        frame, y = self._frame(rows, X), self.table.y[rows]
        return UncertainRows(frame, X, self.n_categories, y, errors)

    def _frame(self, rows: np.ndarray, X: np.ndarray) -> pd.DataFrame:
        frame = self.table.X.iloc[rows].reset_index(drop=True)
        for j, name in enumerate(frame.columns):
            if self.n_categories[j] == 0:
                frame[name] = X[:, j]
            elif np.isnan(X[:, j]).any():
                frame[name] = frame[name].where(~np.isnan(X[:, j]))
        return frame

    def _with_label_noise(self, train: UncertainRows, level: int, is_given: bool) -> UncertainRows:
        """Classes of the rows nearest to a border, some of them mistaken for the one beyond it."""
        second, margin = self.border
        n = round(self.suite["levels"]["classes"][level] * len(self.train))
        near = np.argsort(margin[self.train], kind="stable")[:n]
        beyond = second[self.train][near]
        mistake = self.suite["mistake"]
        y = train.y.copy()
        wrong = self.stream("classes").random(len(y))[near] < mistake
        true = y[near]
        y[near] = np.where(wrong, beyond, true)
        if not is_given:
            return dataclasses.replace(train, y=y)
        plausibility = np.zeros((len(y), len(self.table.classes)))
        plausibility[np.arange(len(y)), y] = 1.0
        other = np.where(wrong, true, beyond)
        plausibility[near, other] = mistake / (1.0 - mistake)
        return dataclasses.replace(train, y=y, plausibility=plausibility)

    @property
    def border(self) -> tuple[np.ndarray, np.ndarray]:
        """Of each row the most probable class beside its own, and how much less probable it is."""
        if self._border is None:
            self._border = self._other_classes()
        return self._border

    def _other_classes(self) -> tuple[np.ndarray, np.ndarray]:
        from sklearn.ensemble import RandomForestClassifier

        from hedgerow.data import folds
        from hedgerow_study.experiments.frames import all_classes
        from hedgerow_study.experiments.missing.steps import one_hot

        X, y = one_hot(self.values, self.n_categories), self.table.y
        fold = folds(y, 5, self.stream("border"))
        state = random_state(self.plan.seed, EXPERIMENT, self.table.name, self.repeat, "border")
        shares = np.zeros((len(y), len(self.table.classes)))
        for k in np.unique(fold):
            forest = RandomForestClassifier(N_TREES, random_state=state)
            forest.fit(X[fold != k], y[fold != k])
            predicted = forest.predict_proba(X[fold == k])
            shares[fold == k] = all_classes(predicted, forest.classes_, shares.shape[1])
        rows = np.arange(len(y))
        assigned = shares[rows, y]
        shares[rows, y] = -1.0
        second = shares.argmax(axis=1)
        return second, np.abs(assigned - shares[rows, second])
