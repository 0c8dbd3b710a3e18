"""A table of patients as an analysis takes it: inputs, follow-up, events, interventions."""

from __future__ import annotations

import datetime
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from hedgerow.errors import InputError
from hedgerow.survival.labels import entry_of
from hedgerow.texts import did_you_mean, with_unit
from hedgerow_clinic.answers import Answers, option_text
from hedgerow_clinic.column_names import age_like, time_like, unit_in_name
from hedgerow_clinic.event_coding import Word, events, is_yes_no, tells_treated, treated
from hedgerow_clinic.leakage_checks import (
    calendar_year,
    later_events,
    predicts_follow_up,
    predicts_later_event,
)
from hedgerow_clinic.missing_outcome import check_incomplete
from hedgerow_clinic.number_cells import checked_numbers, record_read_options
from hedgerow_clinic.problems import Decision, Problems
from hedgerow_clinic.rows import select_rows
from hedgerow_clinic.schema import Column
from hedgerow_clinic.suspect_values import (
    OLDEST,
    ask_of_ages,
    leaks_outcome,
    merge_levels,
    missing_codes,
)
from hedgerow_clinic.table import Texts
from hedgerow_clinic.values import (
    DAYS,
    dates,
    day_of,
    horizon_of,
    look_like_excel,
    looks_like_dates,
    numbers,
    quoted,
    unique_texts,
)

if TYPE_CHECKING:
    import pandas as pd

#: Follow-up, in years, that no patient has: the times are in another unit, where many have it.
LONGEST = 60.0
#: Share of patients, and number, whose times are mistakes of their own.
MISTAKES, MOST_MISTAKES = 0.02, 5
#: A date to come that so many patients have stands for none.
PLACEHOLDER_REPEATS = 5
#: Columns that a tree may choose among: its growth and every question take each of them, and among
#: more of them than patients nearly any outcome is found by chance.
MOST_INPUTS = 1000
LEAVE_OUT = "or leave the row out with --leave-out-rows"
#: Where the unit of a column's times comes from, and how to give another one.
BY_SCHEMA, BY_NAME, BY_OPTION = "by the schema", "by the name of the column", "option --unit"
UNIT_REMEDIES = {
    BY_SCHEMA: "correct its `unit` in the schema",
    BY_NAME: "give the column its `unit` in the schema",
    BY_OPTION: "give another --unit",
}


@dataclass(frozen=True)
class Outcome:
    """Which columns hold the follow-up, and how they are to be read.

    Attributes
    ----------
    event : str
        Column of the event.
    time : str, optional
        Column of the time of follow-up; or `start` and `end`, columns of dates.
    start, end : str, optional
    intervention : str, optional
        Column of a date, of a time, or of yes and no.
    unit : str, optional
        Of times in the table: days, weeks, months or years. By default what the schema or the name
        of the column tells; it is needed where neither does.
    horizon : str
        Such as 6y; its unit is that of all results.
    event_is : tuple of str
        What counts as the event; by default 1, yes, true, dead and the like.
    cause : str, optional
        The cause that counts, where others compete with it.
    leave_out : bool
        Whether patients without time, event or entry are left out; else they are problems.
    answers : Answers
        To the questions that a table raises.
    entry : str, optional
        Column of the date or time at which each patient came under observation.
    """

    event: str
    time: str | None = None
    start: str | None = None
    end: str | None = None
    intervention: str | None = None
    unit: str | None = None
    horizon: str = "6y"
    event_is: tuple[str, ...] = ()
    cause: str | None = None
    leave_out: bool = False
    answers: Answers = field(default_factory=Answers)
    entry: str | None = None

    @property
    def horizon_unit(self) -> str:
        """Unit of the horizon, and of all results."""
        return horizon_of(self.horizon)[1]

    @property
    def columns(self) -> tuple[str, ...]:
        """Those that are no inputs."""
        named = (self.event, self.time, self.start, self.end, self.intervention, self.entry)
        return tuple(name for name in named if name is not None)


@dataclass(frozen=True)
class Cohort:
    """Patients as an analysis takes them.

    Attributes
    ----------
    X : DataFrame of n rows
        Inputs: floats and categories.
    time : (n,) float array
        Follow-up from inclusion on, in `unit`.
    event : (n,) int array
        0 none, 1 the event, 2 another cause.
    treated_at : (n,) float array or None
        Time of the intervention, infinite where there was none.
    treated_when : bool
        Whether its time is known; else those treated count as treated from the start, which is
        right only where every treatment began at inclusion.
    unit : str
    horizon : float
    columns : dict of Column
        All columns of the table.
    not_used : dict of str
        Columns that are no inputs -> why.
    n_left_out : int
        Patients without time, event or entry.
    taken_as : str
        Where the unit of the times comes from.
    period : str
        First and last date, where there are dates.
    rows : (n,) int array
        Rows in the file.
    words : dict of lists of Word
        By column, what each word of the event and of the treatment was taken for.
    decisions : tuple of Decision
        What was decided about the table, and by which option.
    n_rows : int
        Of the file; a patient may have several.
    read_as : tuple of str
        How the file was read.
    entry : (n,) float array or None
        When each patient came under observation, in `unit` from inclusion on.
    """

    X: pd.DataFrame
    time: np.ndarray
    event: np.ndarray
    treated_at: np.ndarray | None
    treated_when: bool
    unit: str
    horizon: float
    columns: dict[str, Column]
    not_used: dict[str, str]
    n_left_out: int
    taken_as: str
    period: str
    rows: np.ndarray
    words: dict[str, list[Word]] = field(default_factory=dict)
    decisions: tuple[Decision, ...] = ()
    n_rows: int = 0
    read_as: tuple[str, ...] = ()
    entry: np.ndarray | None = None

    def __len__(self) -> int:
        return len(self.time)

    @property
    def horizon_text(self) -> str:
        """The horizon with its unit."""
        return with_unit(self.horizon, self.unit)

    def subset(self, kept: np.ndarray) -> Cohort:
        """Some of the patients, (n,) bool; the others are dropped."""
        arrays = {
            name: None if values is None else values[kept]
            for name in ("time", "event", "treated_at", "entry", "rows")
            for values in [getattr(self, name)]
        }
        return replace(self, X=self.X[kept].reset_index(drop=True), **arrays)

    def natural_history(self) -> tuple[np.ndarray, np.ndarray]:
        """Follow-up and events until the intervention, which ends both."""
        if self.treated_at is None:
            return self.time, self.event
        ends = self.treated_at < self.time
        return np.minimum(self.time, self.treated_at), np.where(ends, 0, self.event)


def read_cohort(
    table: Texts,
    outcome: Outcome,
    columns: Mapping[str, Column],
    min_followed: float | None = None,
    tell: Callable[[str], None] | None = None,
) -> Cohort:
    """Make a cohort of a table, or say everything that is wrong with it."""
    # min_followed: share of a group that has to be followed to the horizon: where a tree is to be
    # grown, inputs that divide patients by it are asked about. tell: gets a few words at the start
    # of each step, and `repetition` after each column.
    length, unit = _check_outcome(table, outcome)
    _check_width(table, outcome, columns)
    problems, words, n_rows = Problems(), {}, len(table)
    record_read_options(outcome.answers, problems)
    table = select_rows(table, columns, outcome.columns, outcome.answers, problems)
    # Cells of rows that do not count are no problems.
    problems.check(table.name)
    base = None if outcome.time is None else _unit(table, outcome.time, outcome, columns, problems)
    event, words[outcome.event] = events(
        table, outcome.event, problems, outcome.event_is, outcome.cause, outcome.answers
    )
    time, start, taken_as = _follow_up(table, outcome, columns, unit, base, event, problems)
    treated_at, treated_when, more = _intervention(
        table, outcome, columns, unit, base, time, start, problems, words
    )
    entry, late = _entry(table, outcome, columns, unit, base, time, start, problems)
    kept = ~np.isnan(time) & (event >= 0)
    if entry is not None:
        kept &= ~np.isnan(entry)
    check_incomplete(table, outcome, time, event, problems)
    settled = not problems.problems
    tell = tell or (lambda words: None)
    tell("reading the columns")
    X, not_used = _inputs(table, outcome, columns, problems, tell)
    after = _later_columns(table, outcome, columns, kept)
    about = (time[kept], event[kept], length, min_followed, entry_of(entry, kept))
    _ask_of_inputs(X[kept], unit, after, about, settled, outcome.answers, problems, tell)
    problems.check(table.name)
    _check_events(outcome, event[kept], entry)
    return Cohort(
        X[kept].reset_index(drop=True),
        time[kept],
        event[kept],
        None if treated_at is None else treated_at[kept],
        treated_when,
        unit,
        length,
        dict(columns),
        not_used,
        int((~kept).sum()),
        taken_as + more + late,
        "" if start is None else f"{day_of(np.nanmin(start))} to {day_of(np.nanmax(start))}",
        table.rows[kept],
        {name: [word.of(kept) for word in column] for name, column in words.items()},
        tuple(problems.decisions),
        n_rows,
        _reading_notes(table),
        entry_of(entry, kept),
    )


def _check_events(outcome: Outcome, event: np.ndarray, entry: np.ndarray | None) -> None:
    """Refuse a table in which nobody is followed, or has the event."""
    if not len(event):
        what = "both a time and an event" if entry is None else "a time, an event and an entry"
        raise InputError(f"no patient has {what}", remedy="check the columns")
    if not (event == 1).any():
        raise InputError(
            f"nobody has the event in column `{outcome.event}`",
            remedy="name what counts as the event with --event-is",
        )


def _reading_notes(table: Texts) -> tuple[str, ...]:
    """How the file was read."""
    by = f"fields divided by {table.delimiter}"
    if table.delimiter == "sheet":
        by = f"sheet `{table.sheet}` of a workbook"
    mark = f"decimal {table.decimal}" if table.decimal else "no number tells a decimal mark"
    return (f"letters of {table.encoding}", by, *table.notes, mark)


def _check_outcome(table: Texts, outcome: Outcome) -> tuple[float, str]:
    """Length and unit of the horizon, once the options agree with each other and the table."""
    for name in outcome.columns:
        if name not in table.columns:
            have = f"it has {', '.join(list(table.columns)[:12])}"
            raise InputError(
                f"{table.name} has no column `{name}`",
                remedy=did_you_mean(name, table.columns, have),
            )
    if (outcome.time is None) == (outcome.start is None or outcome.end is None):
        raise InputError(
            "the follow-up is missing" if outcome.time is None else "the follow-up is given twice",
            remedy="give --time, or --start and --end, which are dates",
        )
    if len(set(outcome.columns)) < len(outcome.columns):
        raise InputError("one column is named for two things", remedy="name another one")
    outcome.answers.check(table)
    if outcome.time is not None and outcome.answers.end_of_study:
        raise InputError(
            "--end-of-study is given with --time, whose column holds no dates",
            remedy="give --start and --end in the place of --time",
        )
    if outcome.event_is and outcome.cause is not None:
        raise InputError(
            "--event-is and --cause exclude each other",
            remedy="give --cause where other events compete with the one of interest",
        )
    try:
        return horizon_of(outcome.horizon)
    except ValueError:
        raise InputError(
            f"the horizon is {quoted(outcome.horizon)}",
            remedy="write a number and d, w, m or y, such as 6y",
        ) from None


def _check_width(table: Texts, outcome: Outcome, columns: Mapping[str, Column]) -> None:
    """Refuse more inputs than a run can take, before it reads them."""
    gone = {*outcome.columns, *outcome.answers.not_input}
    count = sum(name not in gone and not column.why for name, column in columns.items())
    if count > MOST_INPUTS:
        raise InputError(
            f"{table.name} has {count} columns that can be inputs, and a run takes {MOST_INPUTS} "
            "at most",
            remedy="choose those that may matter before looking at the outcome: write --template, "
            "give the others `kind: ignore`, and give it as --schema",
        )


def _unit(
    table: Texts,
    name: str,
    outcome: Outcome,
    columns: Mapping[str, Column],
    problems: Problems,
    other: tuple[str, str] | None = None,
) -> tuple[str, str]:
    """Unit of the times in a column, and who says so; `other` is that of the follow-up."""
    # A unit is never guessed: months that are read as years make another page, and as fine a one.
    # Where nobody says it, days stand in its place until the question is answered.
    if (unit := unit_in_name(columns[name].unit)) is not None:
        return unit, BY_SCHEMA
    if (unit := unit_in_name(name)) is not None:
        if outcome.unit not in (None, unit):
            raise InputError(
                f"column `{name}` is in {unit} by its name, and in {outcome.unit} by --unit",
                remedy="leave --unit out, or give the column its `unit` in the schema",
            )
        return unit, BY_NAME
    if outcome.unit is not None:
        return outcome.unit, BY_OPTION
    if other is not None:
        return other[0], f"like `{outcome.time}`"
    answer = outcome.answers.of_column("decimal", name)
    values = numbers(table.columns[name], table.decimal, answer).values
    reach = "" if np.isnan(values).all() else f", whose values reach {np.nanmax(values):g}"
    problems.ask(
        "unit", f"nothing tells its unit{reach}", "give --unit days, weeks, months or years", name
    )
    return "days", ""


def _follow_up(table: Texts, outcome: Outcome, columns, unit: str, base, event, problems: Problems):
    """Times in the unit, days of inclusion (or None), and where the unit comes from."""
    if outcome.time is not None:
        name = outcome.time
        taken_as = f"times in `{name}` are taken as {base[0]} ({base[1]})"
        time = checked_numbers(table, name, problems, outcome.answers)
        time = missing_codes(name, time, table.rows, outcome.answers, problems)
        time = time * (DAYS[base[0]] / DAYS[unit])
        start, wrong = None, ("it is negative", "correct the time")
    else:
        start, end = (
            _check_not_future(table, name, dates(table, name, problems, outcome.answers), problems)
            for name in (outcome.start, outcome.end)
        )
        if (last := outcome.answers.last_day) is not None:
            end = _to_end_of_study(table, outcome, end, event, last, problems)
        time = (end - start) / DAYS[unit]
        taken_as = f"times are days from `{outcome.start}` to `{outcome.end}`"
        wrong = f"it lies before `{outcome.start}`", "correct one of the dates"
    for place in np.flatnonzero(time < 0.0):
        problems.add("times", *wrong, outcome.time or outcome.end, table.rows[place])
    if base is not None and base[1]:
        _check_unit(time * (DAYS[unit] / DAYS[base[0]]), base, taken_as)
    if base is None or base[1]:
        _report_implausible_follow_up(
            table, outcome, columns, time * (DAYS[unit] / DAYS["years"]), problems
        )
    return time, start, taken_as


def _to_end_of_study(
    table: Texts, outcome: Outcome, end: np.ndarray, event, last: float, problems: Problems
) -> np.ndarray:
    """Days of last contact, of patients without the event and without one the end of the study."""
    name, day = outcome.end, day_of(last)
    for place in np.flatnonzero(end > last):
        message = f"{day_of(end[place])} lies after the end of the study, {day}"
        problems.add("dates", message, "give a later --end-of-study", name, table.rows[place])
    alone = np.isnan(end) & (event == 0)
    by = option_text("end_of_study", *outcome.answers.end_of_study)
    if not alone.any():
        problems.add("dates", "no patient without the event lacks it", f"leave out {by}", name)
    message = f"patients without the event in whom it is empty were followed to {day}"
    problems.decide(name, message, by)
    return np.where(alone & (table.columns[name] == None), last, end)  # noqa: E711


def _check_not_future(table: Texts, name: str, days: np.ndarray, problems: Problems) -> np.ndarray:
    """Days of a column of dates, each that is still to come a question."""
    today = (datetime.date.today() - datetime.date(1970, 1, 1)).days
    stand_ins = np.zeros(len(days), dtype=bool)
    for place in np.flatnonzero(days > today):
        if (same := days == days[place]).sum() >= PLACEHOLDER_REPEATS:
            if place == np.argmax(same):
                text = table.columns[name][place]
                message = (
                    f"{quoted(text)} ({int(same.sum())} times, first in row {table.rows[place]})"
                )
                message += " is still to come, and may stand for a missing date"
                remedy = f"correct it, or say {option_text('read', f'{name}={text}=missing')}"
                problems.ask("dates", message, remedy, name)
            stand_ins |= same
            continue
        message = f"{day_of(days[place])} is still to come"
        problems.ask("dates", message, f"correct it, {LEAVE_OUT}", name, table.rows[place])
    return np.where(stand_ins, math.nan, days)


def _check_unit(time: np.ndarray, base: tuple[str, str], taken_as: str) -> None:
    """Refuse times that no patient has, and say which units would make them ones."""
    years = time * (DAYS[base[0]] / DAYS["years"])
    if (years > LONGEST).sum() <= max(MISTAKES * len(time), min(MOST_MISTAKES, len(time) / 10)):
        return
    longest = float(np.nanmax(time))
    reach = {name: longest * days / DAYS["years"] for name, days in DAYS.items()}
    fits = [f"{reach[name]:.3g} years as {name}" for name in DAYS if reach[name] <= LONGEST]
    remedy = f"{UNIT_REMEDIES[base[1]]} ({', '.join(fits)})" if fits else "correct the times"
    raise InputError(f"{taken_as}; they reach {reach[base[0]]:.0f} years", remedy=remedy)


def _report_implausible_follow_up(
    table, outcome: Outcome, columns, years: np.ndarray, problems: Problems
) -> None:
    """Follow-up of single patients that is longer than a life."""
    where = outcome.time or outcome.end
    for place in np.flatnonzero(years > LONGEST):
        message = f"a follow-up of {years[place]:.0f} years is longer than any patient has"
        remedy = f"correct it, {LEAVE_OUT}"
        problems.ask("long follow-up", message, remedy, where, table.rows[place])
    for name, column in columns.items():
        if name in outcome.columns or column.kind != "number" or not _in_years(column):
            continue
        age = numbers(
            table.columns[name], table.decimal, outcome.answers.of_column("decimal", name)
        ).values
        for place in np.flatnonzero((age + years > OLDEST) & (age <= OLDEST) & (years <= LONGEST)):
            message = (
                f"with {age[place]:g} years at inclusion and a follow-up of {years[place]:.0f} "
                f"years a patient would be older than {OLDEST:.0f}"
            )
            remedy = f"correct one of them, {LEAVE_OUT}"
            problems.ask("long follow-up", message, remedy, name, table.rows[place])


def _intervention(
    table: Texts, outcome: Outcome, columns, unit: str, base, time, start, problems: Problems, words
):
    """Times of intervention (infinite: none) or None, whether they are known, and their unit."""
    name, taken_as = outcome.intervention, ""
    if name is None:
        if outcome.answers.treated_is:
            raise InputError("--treated-is without --intervention", remedy="name its column")
        return None, True, taken_as
    column = table.columns[name]
    if tells_treated(column) or outcome.answers.treated_is:
        had, words[name] = treated(table, name, problems, outcome.answers)
        return np.where(had, 0.0, np.inf), False, taken_as
    when, taken_as = _when(
        table, name, "intervention", outcome, columns, unit, base, start, problems
    )
    if when is None:
        return None, True, taken_as
    for wrong, message in (
        (when < 0.0, "the intervention lies before inclusion"),
        # Beyond what rounding moves.
        (when > time * (1.0 + 1e-12), "the intervention lies after the end of follow-up"),
    ):
        for place in np.flatnonzero(wrong):
            problems.add("intervention", message, "correct one of the two", name, table.rows[place])
    when = np.where(np.isnan(when), np.inf, np.minimum(when, np.fmax(time, 0.0)))
    return when, True, taken_as


def _when(
    table: Texts, name: str, what: str, outcome, columns, unit: str, base, start, problems: Problems
):
    """Times since inclusion in a column of dates or of times, or None, and their unit."""
    column = table.columns[name]
    if looks_like_dates(column) or (start is not None and look_like_excel(column)):
        if start is None:
            problems.add(
                what,
                "it holds dates, and inclusion has none",
                f"give --start and --end in the place of --time, or a time of {what}",
                name,
            )
            return None, ""
        days = _check_not_future(
            table, name, dates(table, name, problems, outcome.answers), problems
        )
        return (days - start) / DAYS[unit], ""
    when = checked_numbers(table, name, problems, outcome.answers)
    its, why = _unit(table, name, outcome, columns, problems, base)
    return when * (DAYS[its] / DAYS[unit]), f"; those in `{name}` as {its} ({why})"


def _entry(
    table: Texts, outcome: Outcome, columns, unit: str, base, time, start, problems: Problems
):
    """Times of entry or None, and their unit."""
    name = outcome.entry
    if name is None:
        return None, ""
    if is_yes_no(table.columns[name]) and set(unique_texts(table.columns[name])[0]) != {"0"}:
        problems.add(
            "entry",
            "it says yes or no, and not when",
            "give a column of the dates or times at which patients came under observation",
            name,
        )
        return None, ""
    when, taken_as = _when(table, name, "entry", outcome, columns, unit, base, start, problems)
    if when is None:
        return None, taken_as
    begin = "0" if start is None else f"the date in `{outcome.start}`"
    write = f"write {begin} for patients observed from the start, "
    for wrong, message, remedy in (
        (
            (table.columns[name] == None) & (not outcome.leave_out),  # noqa: E711
            "it is empty",
            f"{write}or leave such patients out with --leave-out-incomplete",
        ),
        (
            when < 0.0,
            "the patient came under observation before the start of the follow-up",
            write + LEAVE_OUT,
        ),
        (
            when >= time,
            "the patient came under observation when the follow-up was over",
            f"correct one of the two, {LEAVE_OUT}",
        ),
    ):
        for place in np.flatnonzero(wrong):
            problems.add("entry", message, remedy, name, table.rows[place])
    return when, f"{taken_as}; patients count from `{name}` on, when they came under observation"


def _inputs(
    table: Texts, outcome: Outcome, columns: Mapping[str, Column], problems: Problems, tell
):
    """Data frame of the inputs, and why other columns are none."""
    import pandas as pd

    inputs, not_used, answers = {}, {}, outcome.answers
    for name, column in columns.items():
        if name in outcome.columns:
            continue
        tell("repetition")
        if column.why:
            not_used[name] = column.why
            continue
        if name in answers.not_input:
            not_used[name] = f"left out ({option_text('not_input', name)})"
            problems.decide(name, "no input: left out", option_text("not_input", name))
            continue
        if column.kind == "number":
            texts = _without_missing(table, column)
            values = checked_numbers(texts, name, problems, answers, is_input=True)
            values = missing_codes(name, values, table.rows, answers, problems)
            if _in_years(column) and math.isinf(column.low) and math.isinf(column.high):
                ask_of_ages(name, values, table.rows, answers, problems)
            _check_range(table, column, values, problems)
            if len(unique := np.unique(values[~np.isnan(values)])) < 2:
                not_used[name] = "the same value for all" if len(unique) else "every cell is empty"
                continue
            inputs[name] = values
        elif (category := _category(table, column, answers, problems)) is None:
            not_used[name] = "the same value for all"
        else:
            inputs[name] = category
    if not inputs:
        problems.add("inputs", "no column is left that a tree could test", "check the table")
    return pd.DataFrame(inputs, index=range(len(table))), not_used


def _category(table: Texts, column: Column, answers: Answers, problems: Problems):
    """Values of a category; None where all have one."""
    import pandas as pd

    name = column.name
    for word in answers.words("real_value", name):
        problems.decide(name, f"{word} is a value", option_text("real_value", f"{name}={word}"))
    gone = column.missing | {word.lower() for word in answers.words("missing_value", name)}
    cells = _without_missing(table, replace(column, missing=gone)).columns[name]
    same = merge_levels(name, cells, answers, problems)
    if same:
        cells = np.array([same.get(text, text) for text in cells], dtype=object)
    texts, codes = unique_texts(cells)
    levels = list(dict.fromkeys(same.get(text, text) for text in column.categories))
    levels = levels or sorted(texts)
    for place in np.flatnonzero(~np.isin(np.array([*texts, ""])[codes], [*levels, ""])):
        problems.add(
            "categories",
            f"{quoted(table.columns[name][place])} is none of {', '.join(levels[:8])}",
            "correct the cell, or the categories of the schema",
            name,
            table.rows[place],
        )
    # A level that nobody has is none that a tree could divide by.
    levels = [level for level in levels if level in set(texts)]
    return None if len(levels) < 2 else pd.Categorical(cells, categories=levels)


def _later_columns(table: Texts, outcome: Outcome, columns, kept):
    """Columns that somebody said were not known at inclusion: who has a value, and the numbers."""
    after = {}
    for name in dict.fromkeys(outcome.answers.not_input):
        if name in outcome.columns or name not in columns:
            continue
        cells = _without_missing(table, columns[name]).columns[name][kept]
        values = numbers(cells, table.decimal, outcome.answers.of_column("decimal", name)).values
        if not calendar_year(name, values):
            after[name] = (np.array([cell is not None for cell in cells]), values)
    return after


def _values(column: pd.Series) -> np.ndarray:
    """Numbers of an input, those of a category its codes; NaN where it is missing."""
    if hasattr(column, "cat"):
        column = column.cat.codes.where(column.notna(), np.nan)
    return column.to_numpy(float)


def _ask_of_inputs(X, unit, after, about, settled, answers: Answers, problems, tell) -> None:
    """Whether each input was known at inclusion, and tells how long a patient could be followed."""
    tell("asking what was known at inclusion")
    time, event, _, needed, _ = about
    named = _ask_leaking_inputs(X, time * DAYS[unit], event, after, answers, problems, tell)
    if needed is not None:
        tell("asking what tells the follow-up")
        rest = X.drop(columns=named)  # one question is enough of an input
        _ask_follow_up_inputs(rest, about if settled else None, answers, problems, tell)


def _ask_follow_up_inputs(
    X: pd.DataFrame, about, answers: Answers, problems: Problems, tell
) -> None:
    """A question for each input that tells how long a patient could be followed."""
    # `about`: time, event, horizon, share needed and entry, as `predicts_follow_up` has them;
    # None while it is open who had the event, or when: then calendar years alone are asked about.
    for name in X:
        values, levels = _values(X[name]), None
        if hasattr(X[name], "cat"):
            levels = [str(level) for level in X[name].cat.categories]
        why = predicts_follow_up(values, levels, *about) if about else ""
        tell("repetition")
        if levels is None and calendar_year(name, values):
            why = "it looks like a calendar year, of inclusion or later" + f"; {why}" * bool(why)
        if why:
            problems.ask(
                "inputs",
                f"it may tell how long a patient could be followed: {why}; the tree would find "
                "those followed shortly in the place of those at risk",
                f"say {option_text('not_input', name)} or, if the next patient has it too, "
                f"{option_text('keep_input', name)}",
                name,
                answer=option_text("keep_input", name) if name in answers.keep_input else "",
                decided="kept as an input, though it may tell how long a patient could be followed",
            )


def _ask_leaking_inputs(
    X: pd.DataFrame, time, event, late, answers: Answers, problems: Problems, tell
) -> list[str]:
    """A question for each input that may not have been known at inclusion; gives their names."""
    marked, named = later_events(late, time), []
    for name in X:
        values = _values(X[name])
        why = leaks_outcome(values, time, event, time_like(name))
        tell("repetition")
        if why and calendar_year(name, values):
            continue  # asked about as such
        if after := "" if why else predicts_later_event(values, marked, late):
            why = f"{after}, which was not known either"
        if why:
            named.append(name)
            problems.ask(
                "inputs",
                f"it may not have been known at inclusion: {why}",
                f"say {option_text('not_input', name)} or {option_text('known_before', name)}",
                name,
                answer=option_text("known_before", name) if name in answers.known_before else "",
                decided=f"known at inclusion, though {why}",
            )
    return named


def _without_missing(table: Texts, column: Column) -> Texts:
    """The table with this column alone, its own words for missing values taken out."""
    cells = table.columns[column.name]
    if column.missing:
        cleaned = [None if t is None or t.lower() in column.missing else t for t in cells]
        cells = np.array(cleaned, dtype=object)
    return replace(table, columns={column.name: cells})


def _in_years(column: Column) -> bool:
    """Whether a column seems to hold ages in years."""
    unit = unit_in_name(column.unit) if column.unit else unit_in_name(column.name) or "years"
    return age_like(column.name) and unit == "years"


def _check_range(table: Texts, column: Column, values: np.ndarray, problems: Problems) -> None:
    for place in np.flatnonzero((values < column.low) | (values > column.high)):
        problems.add(
            "range",
            f"{values[place]:g} lies outside {column.low:g} to {column.high:g}",
            "correct the value, or the range of the schema",
            column.name,
            table.rows[place],
        )
