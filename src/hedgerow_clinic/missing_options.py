"""Options that a command lacks, all at once, with what the table suggests for each."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hedgerow.errors import InputError
from hedgerow_clinic.answers import Answers, option_of
from hedgerow_clinic.column_names import (
    EVENT_NAMES,
    TIME_NAMES,
    age_like,
    birth_like,
    has_affix_word,
    is_reversed_name,
    name_words,
    sex_like,
    unit_in_name,
)
from hedgerow_clinic.event_coding import SAY_WHETHER, plain_word, usual_meaning
from hedgerow_clinic.problems import Problems
from hedgerow_clinic.schema import Column
from hedgerow_clinic.table import Texts
from hedgerow_clinic.values import DAYS, dates, horizon_of, numbers, quoted, unique_texts

#: So many words are events at most; so many different numbers are times at least.
MOST_WORDS, LEAST_TIMES = 8, 10
#: Years: times that are shorter than this as months may be months as well as days.
LONG_STUDY = 40
#: Stands in the printed command for what has to be chosen.
OPEN = "UNIT"
#: A column whose numbers reach no further is in years or months, where nothing tells its unit.
REACH = {"years": 15.0, "months": 250.0}
#: Horizons that are suggested; so many patients are followed as long.
HORIZONS = ("1m", "3m", "6m", "1y", "2y", "3y", "5y", "6y", "10y")
FOLLOWED = 0.25
#: Years that a follow-up may have.
LONGEST = 60.0


@dataclass(frozen=True)
class Proposal:
    """What a table suggests: options with their values, and why."""

    options: dict[str, str]
    why: str


def check_required_options(
    options: argparse.Namespace, table: Texts, columns: Mapping[str, Column], given: Mapping
) -> None:
    """Refuse a command that lacks options, naming all of them at once."""
    lines: list[str] = []
    proposed: dict[str, str] = {}

    def lacks(what: str, proposal: Proposal | None, nothing: str) -> None:
        lines.append(f"{what}: {nothing if proposal is None else f'maybe {proposal.why}'}")
        proposed.update({} if proposal is None else proposal.options)

    event = options.event
    if event is None:
        proposal = _event(table, columns, [*given.values()])
        lacks(
            "--event COLUMN, which says whether the event came", proposal, "no column looks like it"
        )
        event = None if proposal is None else proposal.options["--event"]
    time = options.time
    if time is None and (options.start is None or options.end is None):
        proposal = _time(table, columns, event) or _start_and_end(table, columns)
        what = "--time COLUMN, the follow-up (or --start and --end, its first and last date)"
        lacks(what, proposal, "no column looks like it")
        time = None if proposal is None else proposal.options.get("--time")
    unit = options.unit or (unit_in_name(time) if time in columns else "days")
    if time in columns and (unit or unit_in_name(columns[time].unit)) is None:
        proposal = _unit(table, time)
        lacks("--unit of the times, which nothing tells", proposal, "")
        unit = None if proposal.options["--unit"] == OPEN else proposal.options["--unit"]
    if options.out is None:
        name = f"{Path(options.table).stem}_groups"
        lacks("--out FOLDER, to be written", Proposal({"--out": name}, name), "")
    if not lines:
        return
    horizon, share = _horizon(table, time, unit)
    if "horizon" not in given and time is not None and horizon is not None:
        why = f"{horizon}: {100 * share:.0f} % were followed as long (default: {options.horizon})"
        lines.append(f"--horizon TIME, by which the event is predicted: maybe {why}")
        proposed["--horizon"] = horizon
    words = ["hedgerow", "survival", str(options.table)]
    for name, value in proposed.items():
        words += [name, value]
    words += _as_words(given)
    n = len(lines) - ("--horizon" in proposed)
    count = f"{n} option{'s are' if n > 1 else ' is'} missing"
    untimed = time is None and "--start" not in proposed and options.start is None
    unknown = event is None or unit is None or untimed
    last = "complete it" if unknown else "check it, and copy it"
    raise InputError(
        "\n".join([f"{count}, and nothing was written", *lines, f"{last}: {shlex.join(words)}"])
    )


def given_options(options: argparse.Namespace, parser: argparse.ArgumentParser) -> dict[str, Any]:
    """Options that somebody gave, by the names of their fields."""
    values = {n: v for n, v in vars(options).items() if n not in ("table", "command")}
    fields = {action.dest for action in parser._actions if action.option_strings}
    return {n: v for n, v in values.items() if parser.get_default(n) != v and n in fields}


def _as_words(given: Mapping[str, Any]) -> list[str]:
    words = []
    for name, value in given.items():
        for text in value if isinstance(value, list) else [value]:
            words += [option_of(name)] if text is True else [option_of(name), str(text)]
    return words


def _event(table: Texts, columns: Mapping[str, Column], taken: list) -> Proposal | None:
    """The column whose name and words look most like an event."""
    scores = {}
    for name in columns:
        words = {plain_word(text) for text in unique_texts(table.columns[name])[0]}
        if name in taken or not 1 <= len(words) <= MOST_WORDS or sex_like(name):
            continue
        coded = sum(usual_meaning(word) is not None for word in words)
        tells = any(usual_meaning(word) is not None and word not in SAY_WHETHER for word in words)
        hint = (
            bool(name_words(name) & EVENT_NAMES)
            or is_reversed_name(name)
            or has_affix_word(name, EVENT_NAMES)
        )
        if score := 2 * hint + 2 * tells + (coded == len(words) > 1) if hint or tells else 0:
            scores[name] = score
    if not scores:
        return None
    best = max(scores, key=scores.__getitem__)
    others = [name for name in scores if name != best]
    return Proposal({"--event": best}, f"{_words_held(table, best)}{_others(others)}")


def _words_held(table: Texts, name: str) -> str:
    texts, codes = unique_texts(table.columns[name])
    counts = np.bincount(codes[codes >= 0], minlength=len(texts))
    held = ", ".join(f"{quoted(texts[k])} ({counts[k]})" for k in np.argsort(-counts))
    return f"`{name}`, which holds {held}"


def _others(names: list[str]) -> str:
    listed = ", ".join(f"`{name}`" for name in names[:3])
    return f"; or {listed}" if names else ""


def _time(table: Texts, columns: Mapping[str, Column], event: str | None) -> Proposal | None:
    """The column of numbers whose name looks most like a follow-up."""
    scores = {}
    for name, column in columns.items():
        if name == event or column.kind not in ("number", "id") or age_like(name):
            continue
        values = numbers(table.columns[name], table.decimal).values
        observed = values[~np.isnan(values)]
        if len(np.unique(observed)) < LEAST_TIMES or observed.min() < 0.0:
            continue
        named = name_words(name) & TIME_NAMES or name.lower() == "t"
        if hint := 2 * bool(named) or int(
            has_affix_word(name, TIME_NAMES) or unit_in_name(name) is not None
        ):
            scores[name] = hint
    if not scores:
        return None
    best = max(scores, key=scores.__getitem__)
    values = numbers(table.columns[best], table.decimal).values
    reach = f"`{best}`, from {np.nanmin(values):g} to {np.nanmax(values):g}"
    return Proposal({"--time": best}, reach + _others([name for name in scores if name != best]))


def _start_and_end(table: Texts, columns: Mapping[str, Column]) -> Proposal | None:
    """Of columns of dates the one that is earliest on the whole, and the latest one."""
    middle = {}
    for name, column in columns.items():
        if column.kind == "date" and not birth_like(name):
            days = dates(table, name, Problems(), Answers())
            if not np.isnan(days).all():
                middle[name] = float(np.nanmedian(days))
    if len(middle) < 2:
        return None
    start, *_, end = sorted(middle, key=middle.__getitem__)
    return Proposal({"--start": start, "--end": end}, f"from `{start}` to `{end}`")


def _unit(table: Texts, time: str) -> Proposal:
    """The unit that the size of times suggests, left open where it may be months or days."""
    largest = np.nanmax(numbers(table.columns[time], table.decimal).values, initial=0.0)
    unit = next((unit for unit, reach in REACH.items() if largest <= reach), "days")
    years = {key: largest * days / DAYS["years"] for key, days in DAYS.items()}
    rest = [f"{years[key]:.3g} as {key}" for key in years if key != unit and years[key] <= LONGEST]
    why = f"{unit}: the longest is then {years[unit]:.3g} years"
    either = unit == "days" and years["months"] <= LONG_STUDY
    return Proposal(
        {"--unit": OPEN if either else unit}, why + f" ({', '.join(rest)})" * bool(rest)
    )


def _horizon(table: Texts, time: str | None, unit: str | None) -> tuple[str | None, float]:
    """The longest of usual horizons that enough patients are followed for, and their share."""
    if time not in table.columns or unit is None:
        return None, 0.0
    values = numbers(table.columns[time], table.decimal).values * DAYS[unit]
    values = values[~np.isnan(values)]
    longest: tuple[str | None, float] = (None, 0.0)
    for text in HORIZONS if len(values) else ():
        length, text_unit = horizon_of(text)
        if (share := float((values >= length * DAYS[text_unit]).mean())) >= FOLLOWED:
            longest = text, share
    return longest
