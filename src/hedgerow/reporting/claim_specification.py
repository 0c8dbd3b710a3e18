"""What config/claims.yaml may say, checked whole: measures, conditions and texts of each claim.

The file is closed: whatever is unknown gives an error that names it and what comes near. Nothing
in it is evaluated as code; conditions and texts have a grammar of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from hedgerow.closed import faults, made, schema_of, setting
from hedgerow.errors import ConfigError
from hedgerow.reporting.measures import (
    KEYS,
    NUMBER,
    OPERATOR,
    Between,
    Difference,
    Measure,
    OfRows,
    Quantity,
    Ratio,
    guess,
    kind_of,
)

SOURCE = "config/claims.yaml"

REPRODUCED, PARTLY, NOT = "reproduced", "partly", "not reproduced"
TOO_LITTLE, NOT_TESTABLE = "too little data", "not testable here"
#: Every verdict, with a mark that does not rest on colour.
VERDICTS = {REPRODUCED: "●", PARTLY: "◐", NOT: "○", TOO_LITTLE: "–", NOT_TESTABLE: "×"}
#: The same of a question of our own, which nobody has answered before.
ANSWERS = {
    REPRODUCED: "yes",
    PARTLY: "partly",
    NOT: "no",
    TOO_LITTLE: "undecided",
    NOT_TESTABLE: "undecided",
}


def is_own(claim: str) -> bool:
    """Whether an id is that of a question of our own: it begins with the word of an experiment."""
    return claim.partition("-")[0].islower()


def verdict_text(claim: str, verdict: str) -> str:
    """A verdict as pages show it: the answer to a question of our own; empty for none."""
    return ANSWERS.get(verdict, "") if is_own(claim) else verdict


@dataclass(frozen=True)
class Comparison:
    """Quantities against a bound; several quantities are one list of cells."""

    left: tuple[Quantity, ...]
    relation: str
    right: float | Quantity


@dataclass(frozen=True)
class Condition:
    """Comparisons that hold together in a cell, and in how many cells (None: in the only one)."""

    comparisons: tuple[Comparison, ...]
    at: int | str | None
    text: str


@dataclass(frozen=True)
class Several:
    """So many out of some conditions."""

    least: int
    of: tuple[Condition | Several, ...]


@dataclass(frozen=True)
class Placeholder:
    """What stands for a number in a text: values, a count of cells, or the names of cells."""

    kind: str  # values, each, range, cells, count, which, ranks
    quantities: tuple[Quantity, ...]
    condition: Condition | None
    format: str


@dataclass(frozen=True)
class Claim:
    """A claim as config/claims.yaml states it, checked.

    Attributes
    ----------
    name, experiment : str
    statement : str
        Of a question of our own; empty for a paper's, whose statement stands in
        data/published/claims.csv.
    measures : dict of Measure
    reproduced, partly : tuple of Condition or Several, all of which must hold
    measured : tuple of tuple
        Parts of the text: strings and placeholders. A part is left out where it has nothing to say.
    fewest : int
        Data sets below which no verdict is given.
    counted : tuple of (str, Quantity, int)
        What else there has to be for a verdict: in words, the quantity whose cells add up to it,
        and the least of it.
    not_testable : str
        Why it cannot be tested, or empty.
    printed : Claim, optional
        What judges the cells that a paper prints, where they say less than what was measured.
    shown : tuple of str
        Tables and figures that hold its numbers, where it names them.
    frames_shown : mapping
        Those of its experiment, by the frame that measures read.
    """

    name: str
    experiment: str
    statement: str = ""
    measures: Mapping[str, Measure] = field(default_factory=dict)
    reproduced: tuple = ()
    partly: tuple = ()
    measured: tuple = ()
    fewest: int = 1
    counted: tuple[tuple[str, Quantity, int], ...] = ()
    not_testable: str = ""
    printed: Claim | None = None
    shown: tuple[str, ...] = ()
    frames_shown: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def specified(content: Mapping[str, Any], source: str = SOURCE) -> dict[str, Claim]:
    """Check the section `claims` of config/claims.yaml whole, whichever experiments run."""
    file = _read(content, _File, source)
    found: dict[str, Claim] = {}
    for experiment, section in file.claims.items():
        for name, entry in section.claims.items():
            if name in found:
                raise ConfigError(
                    f"{source}: `{name}` is bound twice, in `{found[name].experiment}` and in "
                    f"`{experiment}`",
                    remedy="give each claim one entry",
                )
            claim = _claim(name, experiment, section.of, entry, source)
            found[name] = replace(claim, frames_shown=section.shown)
    return found


# ------------------------------------------------------------------------- what the file may say


@dataclass(frozen=True)
class _Experiment:
    """The claims of an experiment."""

    claims: Mapping[str, Any] = setting(remedy="write `id: ...`")
    of: str = "rows"
    shown: Mapping[str, tuple[str, ...]] = setting({}, remedy="list tables and figures")


@dataclass(frozen=True)
class _File:
    """The whole file; `lists` are there for YAML's anchors."""

    claims: Mapping[str, _Experiment] = setting()
    lists: Any = None


_Measures = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class _Printed:
    """What differs where the cells that a paper prints are judged."""

    measures: _Measures = setting({})
    measured: str | tuple[str, ...] = setting((), remedy="give a text, or a list of its parts")
    not_testable: str = ""


@dataclass(frozen=True)
class _Entry(_Printed):
    """A claim; conditions have a grammar of their own."""

    statement: str = ""
    reproduced: Any = None
    partly: Any = None
    fewest: Any = 1
    printed: _Printed | None = setting(None, written=_Printed)
    shown: tuple[str, ...] = setting((), fewest=0, remedy="list tables and figures")


def _read(content: Any, kind: type, source: str, place: tuple = ()) -> Any:
    """What a part of the file says, checked whole; every error names the file."""
    for fault in faults(content, schema_of(kind), place):
        said, remedy = fault.said(fault.name or "the file"), fault.remedy
        key = fault.place[-1] if fault.place else ""
        if fault.kind == "unknown" and issubclass(kind, Measure) and key in KEYS:
            said = f"`{fault.name}` does not go with `{kind.kind}`"
            known = ", ".join(f.name for f in fields(kind))
            remedy = f"leave out one of them; known here: {known}"
        raise ConfigError(f"{source}: {said}", remedy=remedy)
    try:
        return made(content, kind, place)
    except ConfigError as error:
        raise ConfigError(f"{source}: {error.message}", remedy=error.remedy) from None


def of_experiment(content: Mapping[str, Any], experiment: str) -> dict[str, Claim]:
    """The checked claims of one experiment, by id."""
    found = specified(content)
    own = {name: claim for name, claim in found.items() if claim.experiment == experiment}
    if not own:
        known = sorted({claim.experiment for claim in found.values()})
        raise ConfigError(f"{SOURCE}: no claims of `{experiment}`", remedy=guess(experiment, known))
    return own


def _claim(name: str, experiment: str, of: str, content: Any, source: str) -> Claim:
    entry = _read(content, _Entry, source, (name,))
    printed = entry.printed
    if printed is not None:
        changed = content["printed"]
        if printed.not_testable:
            printed = Claim(name, experiment, not_testable=printed.not_testable)
        else:
            measures = {**entry.measures, **printed.measures}
            content = {k: v for k, v in content.items() if k != "printed"}
            content = {**content, **changed, "measures": measures}
            printed = _claim(name, experiment, of, content, source)
    own = name.startswith(f"{experiment}-")
    if own != bool(entry.statement):
        raise ConfigError(
            f"{source}: `{name}` has {'no' if own else 'a'} statement",
            remedy="a question of our own states what it asks; a paper's claim is stated in "
            "data/published/claims.csv",
        )
    same = {"printed": printed, "shown": entry.shown, "statement": entry.statement}
    if entry.not_testable:
        if set(content) - {"not_testable", "statement", "shown"}:
            raise ConfigError(
                f"{source}: `{name}` is not testable and has measures",
                remedy="keep `not_testable` or the rest",
            )
        return Claim(name, experiment, not_testable=entry.not_testable, **same)
    for key in ("measures", "reproduced", "measured"):
        if key not in content:
            raise ConfigError(f"{source}: `{name}` has no `{key}`", remedy=f"add `{name}.{key}`")
    measures = {
        key: _measure(spec, of, source, (name, key)) for key, spec in entry.measures.items()
    }
    parse = _Parser(measures, source, name)
    _join(measures, parse, f"{source}: ", name)
    fewest, counted = _fewest(entry.fewest, parse, source, f"{name}.fewest")
    return Claim(
        name,
        experiment,
        measures=measures,
        reproduced=parse.conditions(entry.reproduced, f"{name}.reproduced"),
        # Some claims are known whole or not at all.
        partly=parse.conditions(entry.partly, f"{name}.partly") if "partly" in content else (),
        measured=parse.text(entry.measured),
        fewest=fewest,
        counted=counted,
        **same,
    )


def _join(measures: dict[str, Measure], parse: _Parser, source: str, name: str) -> None:
    """Check what measures say of other measures, and find the quantities of ratios."""
    for key, measure in measures.items():
        for other in measure.between if isinstance(measure, Between) else ():
            if not isinstance(measures.get(other), Difference):
                raise ConfigError(
                    f"{source}unknown measure `{other}` in `{name}.{key}.between`",
                    remedy=guess(other, [m for m in measures if m != key]),
                )
        if isinstance(measure, Ratio):
            ratio = tuple(map(parse.quantity, measure.ratio))
            for quantity in ratio:
                if not isinstance(measures[quantity.measure], OfRows):
                    raise ConfigError(
                        f"{source}`{name}.{key}` is a ratio of `{quantity.measure}`",
                        remedy="name measures of rows",
                    )
            measures[key] = replace(measure, ratio=ratio)


def _measure(content: Mapping[str, Any], of: str, source: str, place: tuple) -> Measure:
    kind = kind_of(content)
    unknown = [key for key in content if key not in KEYS]
    if unknown:
        name = ".".join((*place, str(unknown[0])))
        raise ConfigError(f"{source}: unknown key `{name}`", remedy=guess(unknown[0], KEYS))
    own = {"of": of} if issubclass(kind, OfRows) else {}
    return _read({**own, **content}, kind, source, place)


def _fewest(entry: Any, parse: _Parser, source: str, place: str) -> tuple[int, tuple]:
    """Data sets that it takes, and what else: `words: measure.attribute >= 2`."""
    entry = entry if isinstance(entry, Mapping) else {_SETS: entry}
    sets, counted = 1, []
    for words, least in entry.items():
        if words == _SETS:
            if not isinstance(least, int) or isinstance(least, bool) or least < 1:
                raise ConfigError(f"{source}: `{place}` is {least!r}", remedy="use 1 or more")
            sets = least
            continue
        found = _COUNTED.fullmatch(str(least).strip())
        if not found:
            raise ConfigError(
                f"{source}: `{place}.{words}` is {least!r}",
                remedy="write `measure.attribute >= 2`",
            )
        counted.append((words, parse.quantity(found[1]), int(found[2])))
    return sets, tuple(counted)


_QUANTITY = r"[a-z]\w*\.[a-z_]+(?:\[[^\]]*\])?"
_IS_QUANTITY = re.compile(r"([a-z]\w*)\.([a-z_]+)(?:\[([^\]]*)\])?")
_CHAIN = re.compile(rf"({NUMBER})\s*(<=|<)\s*({_QUANTITY})\s*(<=|<)\s*({NUMBER})")
_COMPARED = re.compile(
    rf"({_QUANTITY}(?:\s*,\s*{_QUANTITY})*)\s*({OPERATOR})\s*({NUMBER}|{_QUANTITY})"
)
#: Of `fewest`: its data sets, and anything else that is counted.
_SETS = "data sets"
_COUNTED = re.compile(rf"({_QUANTITY})\s*>=\s*([1-9]\d*)")
_AT = re.compile(r"(.*?)(?:\s+at\s+(all|none|[1-9]\d*))?", re.DOTALL)
_FORMAT = re.compile(r"\+?\.\d[fg%]|d")
_IN_TEXT = re.compile(r"\{([^{}]*)\}")


class _Parser:
    """Conditions and texts of one claim."""

    def __init__(self, measures: Mapping[str, Measure], source: str, claim: str):
        self.measures, self.source, self.claim = measures, source, claim

    def conditions(self, entries: Any, place: str) -> tuple:
        """A list of conditions; each is a text, `any: [...]`, or `at least: n` and `of: [...]`."""
        if not isinstance(entries, list) or not entries:
            raise ConfigError(
                f"{self.source}: `{place}` is {entries!r}", remedy="give a list of conditions"
            )
        return tuple(self._one(entry, place) for entry in entries)

    def _one(self, entry: Any, place: str) -> Condition | Several:
        if isinstance(entry, str):
            return self.condition(entry)
        if isinstance(entry, Mapping) and set(entry) == {"any"}:
            return Several(1, self.conditions(entry["any"], place))
        if isinstance(entry, Mapping) and set(entry) == {"at least", "of"}:
            least, of = entry["at least"], self.conditions(entry["of"], place)
            if isinstance(least, int) and 1 <= least <= len(of):
                return Several(least, of)
        raise ConfigError(
            f"{self.source}: `{place}` has {entry!r}, which is no condition",
            remedy="write `measure.attribute < bound at all`, `any: [...]`, or `at least: 2` with "
            "`of: [...]`",
        )

    def condition(self, text: str) -> Condition:
        """`a.mean > 0 and a.p < .05 at 4`: in four cells or more, in all, in none, in the one."""
        body, at = _AT.fullmatch(text.strip()).groups()
        comparisons = tuple(c for part in body.split(" and ") for c in self._comparisons(part))
        return Condition(comparisons, int(at) if at and at.isdigit() else at, text.strip())

    def _comparisons(self, text: str) -> Iterable[Comparison]:
        chain = _CHAIN.fullmatch(text.strip())
        if chain:
            low, lower, middle, upper, high = chain.groups()
            quantity = (self.quantity(middle),)
            turned = {"<": ">", "<=": ">="}[lower]
            yield Comparison(quantity, turned, float(low))
            yield Comparison(quantity, upper, float(high))
            return
        found = _COMPARED.fullmatch(text.strip())
        if not found:
            raise ConfigError(
                f"{self.source}: `{self.claim}` has `{text.strip()}`, which is no comparison",
                remedy="write `measure.attribute < bound`, with <, <=, >, >= or =",
            )
        left, relation, right = found.groups()
        quantities = tuple(self.quantity(q) for q in re.findall(_QUANTITY, left))
        if re.fullmatch(NUMBER, right):
            yield Comparison(quantities, relation, float(right))
            return
        bound = self.quantity(right)
        if "p" in {q.attribute for q in (*quantities, bound)}:
            raise ConfigError(
                f"{self.source}: `{self.claim}` has `{text.strip()}`, which compares a p-value",
                remedy="compare it with a number",
            )
        yield Comparison(quantities, relation, bound)

    def quantity(self, text: str) -> Quantity:
        """`gain.mean` or `gain.mean[method=ss, noise=0]`."""
        found = _IS_QUANTITY.fullmatch(text.strip())
        if not found:
            raise ConfigError(
                f"{self.source}: `{self.claim}` has `{text}`, which is no quantity",
                remedy="write `measure.attribute`",
            )
        measure, attribute, cells = found.groups()
        if measure not in self.measures:
            raise ConfigError(
                f"{self.source}: unknown measure `{measure}` in `{self.claim}`",
                remedy=guess(measure, self.measures),
            )
        known = self.measures[measure].attributes
        if attribute not in known:
            raise ConfigError(
                f"{self.source}: unknown statistic `{attribute}` of `{self.claim}.{measure}`",
                remedy=guess(attribute, known),
            )
        chosen = []
        for pair in cells.split(",") if cells else ():
            column, equals, value = (p.strip() for p in pair.partition("="))
            columns = self.measures[measure].cell_columns(attribute)
            if not equals or column not in columns:
                raise ConfigError(
                    f"{self.source}: `{self.claim}` has `{text}`, where `{column}` names no cells",
                    remedy=guess(column, columns),
                )
            listed = self.measures[measure].values_of(column)
            if listed is not None and not any(same(v, value) for v in listed):
                raise ConfigError(
                    f"{self.source}: `{self.claim}` has `{text}`, and `{value}` is no `{column}` "
                    "of its cells",
                    remedy=guess(value, map(str, listed)),
                )
            chosen.append((column, value))
        return Quantity(measure, attribute, tuple(chosen))

    def text(self, parts: Any) -> tuple[tuple, ...]:
        """Parts of a text, each a list of strings and placeholders."""
        found = []
        for part in [parts] if isinstance(parts, str) else parts:
            pieces = _IN_TEXT.split(part)
            if any("{" in p or "}" in p for p in pieces[::2]):
                raise ConfigError(
                    f"{self.source}: `{self.claim}.measured` has a lone brace in `{part}`",
                    remedy="write {measure.attribute}",
                )
            found.append(tuple(self._placeholder(p) if i % 2 else p for i, p in enumerate(pieces)))
        return tuple(found)

    def _placeholder(self, text: str) -> Placeholder:
        body, _, style = (p.strip() for p in text.partition(":"))
        if body.startswith("which "):
            condition = self.condition(body.removeprefix("which "))
            shown, _, style = style.rpartition(" ")
            measure = condition.comparisons[0].left[0].measure
            names = [n for n in re.split(r"\s+against\s+", shown.strip()) if n]
            quantities = tuple(self.quantity(f"{measure}.{n}") for n in names)
            return Placeholder("which", quantities, condition, self._style(style))
        kind, _, rest = body.partition(" ")
        kind, body = (kind, rest) if kind in ("each", "cells", "range") else ("values", body)
        if kind == "range":
            ends = tuple(self.quantity(f"{body.strip()}.{end}") for end in ("min", "max"))
            return Placeholder(kind, ends, None, self._style(style))
        if re.search(OPERATOR, re.sub(r"\[[^\]]*\]", "", body)):
            return Placeholder("count", (), self.condition(body), "")
        quantity = self.quantity(body)
        kind = "ranks" if quantity.attribute == "ranks" else kind
        return Placeholder(kind, (quantity,), None, self._style(style))

    def _style(self, style: str) -> str:
        if style and not _FORMAT.fullmatch(style):
            raise ConfigError(
                f"{self.source}: `{self.claim}.measured` has the format `{style}`",
                remedy="write one such as +.2f, .1f, .2g, .0% or d",
            )
        return style


def same(value: Any, text: str) -> bool:
    """Whether a text in brackets means a value of a cell."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        try:
            return float(text) == float(value)
        except ValueError:
            return False
    return str(value) == text
