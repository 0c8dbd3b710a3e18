"""Cohorts: from a survival set to patients with follow-up, events and treatment.

What a set's columns mean stands in its registry entry (`CohortFacts`); the rest follows from it.
Times are in years, whatever the set counts in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.data.cohort_facts import UNITS, CohortFacts, InterventionFacts, RowFacts
from hedgerow.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

    from hedgerow.data.tidy import TidyTable

__all__ = ["Cohort", "cohort"]


@dataclass(frozen=True)
class Cohort:
    """Patients that are ready for the analysis of chapter 6, one row each.

    Attributes
    ----------
    name : str
        Key of the set in the registry.
    X : DataFrame, shape (n, m)
        Inputs: float64 with NaN for missing values, or categorical.
    time : (n,) float64 array
        Follow-up in years.
    event : (n,) int64 array
        0 at the end of follow-up, 1 for the event, 2, 3, ... for competing causes.
    causes : tuple of str
        Labels of the events 1, 2, ...
    horizon : float
        Years.
    landmark : float or None
        Years, 0 for a treatment at inclusion; None without an intervention.
    intervention : (n,) float64 array or None
        Years until the treatment, NaN for those without; None where the set knows of none.
    at_inclusion : bool
        Whether the treatment was decided at inclusion: its time is 0 for all who have it.
    covariates : DataFrame, shape (n, p), or None
        Of adjusted Cox models, as they are in the set.
    """

    name: str
    X: pd.DataFrame
    time: np.ndarray
    event: np.ndarray
    causes: tuple[str, ...]
    horizon: float
    landmark: float | None = None
    intervention: np.ndarray | None = None
    at_inclusion: bool = False
    covariates: pd.DataFrame | None = None

    def __len__(self) -> int:
        return len(self.time)

    def natural_history(self) -> tuple[np.ndarray, np.ndarray]:
        """Follow-up and events up to the intervention (thesis 6.2.2).

        Returns
        -------
        time : (n,) float64 array
            Years; those who are treated are followed until then.
        event : (n,) int64 array
            0 for them. Where the treatment was decided at inclusion, or there is none, both are
            those of the cohort.
        """
        if self.intervention is None or self.at_inclusion:
            return self.time, self.event
        treated = self.intervention <= self.time
        return np.where(treated, self.intervention, self.time), np.where(treated, 0, self.event)


def cohort(table: TidyTable, facts: CohortFacts) -> Cohort:
    """Make the cohort of a survival set.

    Parameters
    ----------
    table : TidyTable
    facts : CohortFacts
        Of the set, as its registry entry has them.

    Returns
    -------
    Cohort
        Its patients in the order of their (first) rows in the table.

    Raises
    ------
    DataError
        The set has no follow-up time; the facts do not fit the table; visits or intervals do not
        come together to patients; a treatment comes before inclusion or after the end of follow-up.
    """
    if table.time is None:
        raise DataError(f"{table.name}: no follow-up time", remedy="give a survival set")
    categories = {
        name: [str(level) for level in column.cat.categories]
        for name, column in table.X.items()
        if column.dtype == "category"
    }
    facts.check(table.name, list(table.X.columns), categories, table.classes)
    rows = facts.rows or RowFacts()
    kept = np.ones(len(table), dtype=bool)
    for column, values in rows.where.items():
        kept &= np.logical_or.reduce([_has(table.X[column], value) for value in values])
    if not kept.any():
        raise DataError(f"{table.name}: no row is left", remedy="correct `where` under `rows`")
    X = table.X[kept].reset_index(drop=True)
    time, code, treated = table.time[kept], table.y[kept], _treatment(X, facts)
    if rows.when is not None:
        X, time, code, treated = _one_row_each(table.name, X, time, code, treated, facts)
    return _cohort(table, facts, X, time, code, treated)


def _one_row_each(name: str, X: pd.DataFrame, time, code, treated, facts: CohortFacts) -> tuple:
    """First visits, or joined intervals, with follow-up, class and time of treatment of each."""
    rows, treatment = facts.rows or RowFacts(), facts.intervention or InterventionFacts()
    when = X[rows.when].to_numpy()
    if lost := int(np.isnan(when).sum()):
        raise DataError(
            f"{name}: {lost} rows have no {rows.when!r}",
            remedy="correct `rows`: it is the time of the visit or the start of the interval",
        )
    # Rows of one patient follow each other in the order of time, patients in that of the table.
    patient, order = _patients(X, time, code, when, facts)
    X, time, code, when = X.iloc[order], time[order], code[order], when[order]
    first = np.flatnonzero(np.diff(patient, prepend=-1))
    last = np.append(first[1:], len(X)) - 1
    if rows.visit is not None:
        since = when[first]
        if (late := since > time[first]).any():
            raise DataError(
                f"{name}: {int(late.sum())} patients have no visit before the end of follow-up",
                remedy="correct `visit` under `rows`",
            )
        if treated is not None:
            # What was decided at inclusion is 0 from wherever it is counted.
            treated = treated[order][first] - (since if treatment.given is None else 0.0)
        time = time[first] - since
    else:
        _check_intervals(name, patient, when, time, code)
        if treated is not None:
            begins = when if treatment.given is not None else 0.0
            treated = np.fmin.reduceat(treated[order] + begins, first)
        time = time[last]
    return X.iloc[first].reset_index(drop=True), time, code[last], treated


def _has(column: pd.Series, value: str | float) -> np.ndarray:
    """Which rows of a column have a value."""
    if column.dtype == "category":
        return (column.astype(str) == str(value)).to_numpy()
    return column.to_numpy() == float(value)


def _treatment(X: pd.DataFrame, facts: CohortFacts) -> np.ndarray | None:
    """Times of treatment of each row, in the unit, NaN for none."""
    named = facts.intervention
    if named is None:
        return None
    if named.time is not None:
        return X[named.time].to_numpy(dtype=np.float64)
    assert named.treated is not None, "the facts were checked"
    return np.where(_has(X[named.given], named.treated), 0.0, np.nan)


def _patients(X: pd.DataFrame, time, code, when, facts: CohortFacts) -> tuple:
    """Patient of each row once they are ordered, and that order."""
    rows = facts.rows or RowFacts()
    out = {*rows.varying, rows.when}
    if rows.start is not None and facts.intervention is not None:
        out.add(facts.intervention.column)
    keys = X.drop(columns=list(out))
    keys.columns = range(keys.shape[1])
    if rows.visit is not None:
        keys = keys.assign(time=time, code=code)
    patient = keys.groupby(list(keys.columns), dropna=False, observed=True, sort=False).ngroup()
    patient = patient.to_numpy()
    order = np.lexsort((time, when, patient))
    return patient[order], order


def _check_intervals(name: str, patient, start, stop, code) -> None:
    """Refuse intervals that are not those of one patient: gaps, overlaps, an event between."""
    goes_on = np.diff(patient, prepend=-1) == 0
    expected = np.where(goes_on, np.roll(stop, 1), 0.0)
    lost = (start != expected) | (goes_on & (np.roll(code, 1) != 0))
    if lost.any():
        n = len(np.unique(patient[lost]))
        raise DataError(
            f"{name}: the intervals of {n} patients do not join: they have gaps, overlap, begin "
            "after 0 or go on after the event",
            remedy="name all columns that change under `varying`, or two patients are alike",
        )


def _cohort(table: TidyTable, facts: CohortFacts, X, time, code, treated) -> Cohort:
    """Count in years, number the causes, leave out what is no input."""
    year = UNITS[facts.unit]
    others = [
        label
        for label in table.classes[1:]
        if label != facts.event and label not in facts.ends_follow_up
    ]
    causes = (facts.event, *others)
    number = np.zeros(len(table.classes), dtype=np.int64)
    number[[table.classes.index(label) for label in causes]] = range(1, len(causes) + 1)
    event = number[code]
    if not (event == 1).any():
        raise DataError(
            f"{table.name}: nobody has the event {facts.event!r}", remedy="correct `event`"
        )
    if treated is not None:
        is_treated = ~np.isnan(treated)
        if not is_treated.any():
            raise DataError(f"{table.name}: nobody is treated", remedy="correct `intervention`")
        if n := int((is_treated & ((treated < 0.0) | (treated > time))).sum()):
            raise DataError(
                f"{table.name}: {n} patients are treated before inclusion or after the end of "
                "follow-up",
                remedy="correct `intervention` in the registry: both are counted from inclusion",
            )
        treated = treated / year
    return Cohort(
        name=table.name,
        X=X.drop(columns=list(facts.no_inputs() & set(X.columns))),
        time=time / year,
        event=event,
        causes=causes,
        horizon=facts.horizon / year,
        landmark=None if treated is None else (facts.landmark or 0.0) / year,
        intervention=treated,
        at_inclusion=treated is not None and not facts.waits,
        covariates=X[list(facts.adjust_for)] if facts.adjust_for else None,
    )
