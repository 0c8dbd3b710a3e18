"""Facts about cohorts: what makes patients of the rows of a survival set.

They are the block `cohort` of a registry entry. `hedgerow.data.cohort` acts on them.
"""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hedgerow.errors import DataError
from hedgerow.schema import Word, build

__all__ = ["UNITS", "CohortFacts", "InterventionFacts", "RowFacts"]

#: How many of each make a year.
UNITS = {"days": 365.25, "weeks": 52.1775, "months": 12.0, "years": 1.0}


@dataclass(frozen=True)
class RowFacts:
    """How a set comes to one row per patient; each step only where it is asked for, in this order.

    Attributes
    ----------
    where : mapping
        Column -> values; rows with other ones are left out.
    visit : str or None
        Time of the visit, where each visit has a row: the first one is the baseline, and follow-up
        is counted from it. Rows that agree in follow-up, event and all columns but this one and
        `varying` are of one patient.
    start : str or None
        Start of the interval whose end is the follow-up time, where a patient's follow-up is cut
        into intervals: they are joined. Rows that agree in all columns but this one, `varying` and
        that of the intervention are of one patient; inputs are those of the first interval.
    varying : tuple of str
        Columns that change from row to row of a patient.

    Columns of `where`, `visit` and `start` are no inputs.
    """

    where: Mapping[Word, tuple[str | float, ...]] = field(default_factory=dict)
    visit: str | None = None
    start: str | None = None
    varying: tuple[str, ...] = ()

    @property
    def when(self) -> str | None:
        """Column with the time of a row, where a patient has several."""
        return self.start if self.visit is None else self.visit


@dataclass(frozen=True)
class InterventionFacts:
    """Which column says who was treated; either of two.

    Attributes
    ----------
    time : str or None
        Time of a treatment after inclusion, in the unit of follow-up, missing where there was none.
    given : str or None
        A treatment that was decided at inclusion; where a patient has intervals (`RowFacts.start`),
        one that begins with the first interval of the value `treated`.
    treated : str, number or None
        Value of `given` for the treated.
    """

    time: str | None = None
    given: str | None = None
    treated: str | float | None = None

    @property
    def column(self) -> str | None:
        """The column that is meant."""
        return self.given if self.time is None else self.time


@dataclass(frozen=True)
class CohortFacts:
    """What makes a cohort of a survival set.

    Attributes
    ----------
    unit : str
        days, weeks, months or years: what the set's times count.
    event : str
        Label of the event of interest. The first class is the end of follow-up, all others are
        competing causes.
    horizon : float
        By when the event has come, or has not, in the unit.
    ends_follow_up : tuple of str
        Labels that are neither the event nor a competing cause but the end of follow-up.
    leave_out : tuple of str
        Columns that are no inputs: not yet known at inclusion, repeated, or without use for others.
    rows : RowFacts or None
        How one row per patient is got; None where the set has it.
    intervention : InterventionFacts or None
    landmark : float or None
        Who is treated by then, in the unit, counts as treated; None where no treatment comes after
        inclusion.
    adjust_for : tuple of str
        Covariates of adjusted Cox models (thesis table 6.3, footnote, where the set has them).
    """

    unit: str
    event: str
    horizon: float
    ends_follow_up: tuple[str, ...] = ()
    leave_out: tuple[str, ...] = ()
    rows: RowFacts | None = None
    intervention: InterventionFacts | None = None
    landmark: float | None = None
    adjust_for: tuple[str, ...] = ()

    @property
    def waits(self) -> bool:
        """Whether a treatment comes after inclusion."""
        named = self.intervention
        if named is None:
            return False
        return named.time is not None or (self.rows is not None and self.rows.start is not None)

    @classmethod
    def from_dict(cls, spec: Mapping[str, Any]) -> CohortFacts:
        """The facts that `to_dict` put into plain values."""
        return build(spec, cls)

    def to_dict(self) -> dict[str, Any]:
        """Plain texts, numbers, lists and mappings; what is not given is left out."""
        return _plain(self)

    def check(
        self,
        where: str,
        variables: Sequence[str],
        categories: Mapping[str, Sequence[str]],
        classes: Sequence[str],
    ) -> None:
        """Refuse facts that contradict each other, or a set with these columns and classes.

        Parameters
        ----------
        where : str
            What the message begins with.
        variables : sequence of str
        categories : mapping
            Variable -> its values; a variable that is not here is numeric.
        classes : sequence of str
            Labels, the end of follow-up first.

        Raises
        ------
        DataError
            In one sentence, of the first fault found.
        """
        faults = [self._contradictions(), self._misfits(variables, categories, classes)]
        for message, remedy in itertools.chain.from_iterable(faults):
            raise DataError(f"{where}: {message}", remedy=remedy)

    def no_inputs(self) -> set[str]:
        """Columns that are no inputs, for whichever reason."""
        return {*self.leave_out, *self._no_covariates()}

    def _contradictions(self) -> Iterator[tuple[str, str]]:
        """What is wrong with the facts themselves, and what to do about it."""
        rows, treatment = self.rows or RowFacts(), self.intervention
        if self.unit not in UNITS:
            yield f"`unit` is {self.unit!r}", f"use one of {', '.join(UNITS)}"
        if not self.horizon > 0.0:
            yield f"`horizon` is {self.horizon!r}", "give a number above 0"
        if self.event in self.ends_follow_up:
            yield f"{self.event!r} is the event and ends follow-up as well", "choose one"
        if rows.visit is not None and rows.start is not None:
            yield "`rows` has `visit` and `start`", "a row is a visit or an interval: name one"
        if rows.varying and rows.when is None:
            yield "`rows` has `varying` alone", "add `visit` or `start`"
        if treatment is not None:
            if (treatment.time is None) == (treatment.given is None):
                yield "`intervention` has not one column", "name either `time` or `given`"
            if (treatment.given is None) != (treatment.treated is None):
                yield (
                    "`intervention` has one of `given` and `treated`",
                    "name the column and its value for the treated",
                )
        if self.waits != (self.landmark is not None):
            given = "has no" if self.waits else "has a"
            yield f"{given} `landmark`", "give one if a treatment comes after inclusion, else none"
        if self.landmark is not None and not self.landmark >= 0.0:
            yield f"`landmark` is {self.landmark!r}", "give a number of at least 0"
        for column in self.adjust_for:
            if self.adjust_for.count(column) > 1:
                yield f"`adjust_for` names {column!r} twice", "name it once"
            if column in self._no_covariates():
                yield (
                    f"`adjust_for` names {column!r}, the column of the intervention or of `rows`",
                    "leave it out there",
                )

    def _misfits(self, variables, categories, classes) -> Iterator[tuple[str, str]]:
        """What does not fit the set, and what to do about it."""
        rows, treatment = self.rows or RowFacts(), self.intervention or InterventionFacts()
        events = list(classes)[1:]
        for name, labels in (("event", [self.event]), ("ends_follow_up", self.ends_follow_up)):
            for label in labels:
                if label not in events:
                    yield f"`{name}` is {label!r}", f"use one of {', '.join(map(repr, events))}"
        named = {
            "leave_out": self.leave_out,
            "adjust_for": self.adjust_for,
            "rows": (*rows.where, rows.when, *rows.varying),
            "intervention": (treatment.column,),
        }
        for name, columns in named.items():
            for column in columns:
                if column is not None and column not in variables:
                    yield f"`{name}` names the column {column!r}", "use one of the set's variables"
        for name, column in (("rows", rows.when), ("intervention", treatment.time)):
            if column in categories:
                yield f"`{name}` counts time in the category {column!r}", "name a numeric column"
        values: list[tuple[str, str, str | float]] = [
            ("where", column, value) for column in rows.where for value in rows.where[column]
        ]
        if treatment.given is not None and treatment.treated is not None:
            values.append(("treated", treatment.given, treatment.treated))
        for name, column, value in values:
            levels = categories.get(column)
            if (str(value) not in levels) if levels else isinstance(value, str):
                kind = f"one of {', '.join(map(repr, levels))}" if levels else "a number"
                yield f"`{name}` is {value!r} for the column {column!r}", f"give {kind}"
        if rows.start is not None and set(variables) <= {
            rows.start,
            treatment.column,
            *rows.varying,
        }:
            yield "no column tells patients apart", "name fewer under `varying` of `rows`"
        if set(variables) <= self.no_inputs():
            yield "no input is left", "leave out fewer columns"

    def _no_covariates(self) -> set[str]:
        """Columns of the intervention and of rows; an intervention is no input of a tree either."""
        rows, treatment = self.rows or RowFacts(), self.intervention or InterventionFacts()
        named = (*rows.where, rows.when, treatment.column)
        return {column for column in named if column is not None}


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value):
        parts = {f.name: getattr(value, f.name) for f in dataclasses.fields(value)}
        return {name: _plain(part) for name, part in parts.items() if part not in (None, (), {})}
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items()}
    return list(value) if isinstance(value, tuple) else value
