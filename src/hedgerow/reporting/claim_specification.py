"""What config/claims.yaml may say, checked whole: measures, conditions and texts of each claim.

The file is closed: whatever is unknown gives an error that names it and what comes near. Nothing
in it is evaluated as code; conditions and texts have a grammar of their own.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from hedgerow.errors import ConfigError
from hedgerow.texts import did_you_mean

SOURCE = "config/claims.yaml"

REPRODUCED, PARTLY, NOT = "reproduced", "partly", "not reproduced"
TOO_LITTLE, NOT_TESTABLE = "too little data", "not testable here"
#: Every verdict, with a mark that does not rest on colour.
VERDICTS = {REPRODUCED: "●", PARTLY: "◐", NOT: "○", TOO_LITTLE: "–", NOT_TESTABLE: "×"}

#: Attributes of a measure, by what it is.
DIFFERENCES = ("mean", "first", "second", "ratio", "wins", "losses", "share", "differ")
DIFFERENCES += ("min", "max", "span", "n")
ALONG = ("least_step", "change", "last", "spearman")
#: Tests: alternatives they know, and the kind of measure they belong to.
TESTS = {
    "wilcoxon": (("greater", "less", "two-sided"), "difference"),
    "sign": (("greater", "less", "two-sided"), "difference"),
    "page": ((), "along"),
    "friedman": ((), "among"),
    "anova": ((), "among"),
    "mann_whitney": (("greater", "less", "two-sided"), "between"),
    "fisher": (("greater", "less", "two-sided"), "between"),
}
_CLAIM = ("statement", "measures", "reproduced", "partly", "measured", "fewest", "not_testable")
_CLAIM += ("printed", "shown")
_PRINTED = ("measures", "measured", "not_testable")
_MEASURE = ("of", "where", "minus", "above", "by", "along", "among", "test", "between", "ratio")
_MEASURE += ("read", "lacking")
_EXPERIMENT = ("of", "shown", "claims")
_FILE = ("claims", "lists")


@dataclass(frozen=True)
class Quantity:
    """An attribute of a measure, in some of its cells: `gain.mean[method=ss]`."""

    measure: str
    attribute: str
    cells: tuple[tuple[str, str], ...] = ()


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
    measures : dict of dict
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
    measures: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
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
    """Check the section `claims` of config/claims.yaml whole, whichever experiments run.

    Parameters
    ----------
    content : mapping
        The file as read: `claims`, by experiment and id.
    source : str
        Its name, for messages.

    Returns
    -------
    dict of Claim
        By id, in the order of the file.

    Raises
    ------
    ConfigError
        A key, statistic, measure or condition is unknown, or an id is used twice.
    """
    _closed(_mapping(content, source, "the file"), _FILE, source, "")
    found: dict[str, Claim] = {}
    for experiment, section in _mapping(content.get("claims"), source, "claims").items():
        place = f"claims.{experiment}"
        section = _mapping(section, source, place)
        _closed(section, _EXPERIMENT, source, place)
        of = section.get("of", "rows")
        frames = {
            frame: _ids(ids, source, f"{place}.shown.{frame}")
            for frame, ids in _mapping(section.get("shown", {"": []}), source, place).items()
        }
        for name, entry in _mapping(section.get("claims"), source, f"{place}.claims").items():
            if name in found:
                raise ConfigError(
                    f"{source}: `{name}` is bound twice, in `{found[name].experiment}` and in "
                    f"`{experiment}`",
                    remedy="give each claim one entry",
                )
            claim = _claim(name, experiment, of, entry, source)
            found[name] = replace(claim, frames_shown=frames)
    return found


def _ids(ids: Any, source: str, place: str) -> tuple[str, ...]:
    """Ids of tables and figures."""
    if not isinstance(ids, list) or not all(isinstance(i, str) for i in ids):
        raise ConfigError(f"{source}: `{place}` is {ids!r}", remedy="list tables and figures")
    return tuple(ids)


def of_experiment(content: Mapping[str, Any], experiment: str) -> dict[str, Claim]:
    """The checked claims of one experiment, by id."""
    found = specified(content)
    own = {name: claim for name, claim in found.items() if claim.experiment == experiment}
    if not own:
        known = sorted({claim.experiment for claim in found.values()})
        raise ConfigError(f"{SOURCE}: no claims of `{experiment}`", remedy=guess(experiment, known))
    return own


def _mapping(value: Any, source: str, place: str) -> Mapping:
    if not isinstance(value, Mapping) or not value:
        raise ConfigError(f"{source}: `{place}` is no table of names", remedy="write `name: ...`")
    for key in value:
        if not isinstance(key, str):
            raise ConfigError(f"{source}: `{place}.{key}` has no text as name", remedy="quote it")
    return value


def _closed(entry: Mapping, known: Sequence[str], source: str, place: str) -> None:
    for key in entry:
        if key not in known:
            name = f"{place}.{key}".lstrip(".")
            raise ConfigError(f"{source}: unknown key `{name}`", remedy=guess(key, known))


def guess(word: str, known: Iterable[str]) -> str:
    """The name that may have been meant, and all that there are."""
    known = [str(k) for k in known]
    return did_you_mean(word, known, f"known: {', '.join(known)}", always=True)


def _claim(name: str, experiment: str, of: str, entry: Any, source: str) -> Claim:
    entry = _mapping(entry, source, name)
    _closed(entry, _CLAIM, source, name)
    printed = entry.get("printed")
    if printed is not None:
        place = f"{name}.printed"
        _closed(_mapping(printed, source, place), _PRINTED, source, place)
        entry = {k: v for k, v in entry.items() if k != "printed"}
        if "not_testable" in printed:
            printed = Claim(name, experiment, not_testable=str(printed["not_testable"]))
        else:
            measures = {**entry.get("measures", {}), **printed.get("measures", {})}
            printed = _claim(
                name, experiment, of, {**entry, **printed, "measures": measures}, source
            )
    own = name.startswith(f"{experiment}-")
    if own != ("statement" in entry):
        raise ConfigError(
            f"{source}: `{name}` has {'no' if own else 'a'} statement",
            remedy="a question of our own states what it asks; a paper's claim is stated in "
            "data/published/claims.csv",
        )
    statement = str(entry.get("statement", ""))
    shown = _ids(entry.get("shown", []), source, f"{name}.shown")
    if "not_testable" in entry:
        if set(entry) - {"not_testable", "statement", "shown"}:
            raise ConfigError(
                f"{source}: `{name}` is not testable and has measures",
                remedy="keep `not_testable` or the rest",
            )
        why = str(entry["not_testable"])
        return Claim(name, experiment, statement, not_testable=why, shown=shown)
    for key in ("measures", "reproduced", "measured"):
        if key not in entry:
            raise ConfigError(f"{source}: `{name}` has no `{key}`", remedy=f"add `{name}.{key}`")
    measures = {
        key: _measure(m, of, source, f"{name}.{key}")
        for key, m in _mapping(entry["measures"], source, f"{name}.measures").items()
    }
    parse = _Parser(measures, source, name)
    for key, measure in measures.items():
        for other in measure.get("between", ()):
            if other not in measures or kind_of(measures[other]) != "difference":
                raise ConfigError(
                    f"{source}: unknown measure `{other}` in `{name}.{key}.between`",
                    remedy=guess(other, [m for m in measures if m != key]),
                )
    for key, measure in measures.items():
        if "ratio" in measure:
            measure["ratio"] = tuple(parse.quantity(str(q)) for q in measure["ratio"])
            for quantity in measure["ratio"]:
                if kind_of(measures[quantity.measure]) in ("ratio", "between"):
                    raise ConfigError(
                        f"{source}: `{name}.{key}` is a ratio of `{quantity.measure}`",
                        remedy="name measures of rows",
                    )
    return Claim(
        name,
        experiment,
        statement,
        measures,
        parse.conditions(entry["reproduced"], f"{name}.reproduced"),
        # Some claims are known whole or not at all.
        parse.conditions(entry["partly"], f"{name}.partly") if "partly" in entry else (),
        parse.text(entry["measured"]),
        *_fewest(entry.get("fewest", 1), parse, source, f"{name}.fewest"),
        printed=printed,
        shown=shown,
    )


def _fewest(entry: Any, parse: _Parser, source: str, place: str) -> tuple[int, tuple]:
    """Data sets that it takes, and what else: `words: measure.attribute >= 2`."""
    entry = entry if isinstance(entry, Mapping) else {_SETS: entry}
    sets, counted = 1, []
    for words, least in _mapping(entry, source, place).items():
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


def kind_of(measure: Mapping) -> str:
    """What a measure is: differences, a trend, a test of several, a test of two, a ratio, read."""
    for kind in ("between", "ratio", "read", "along", "among"):
        if kind in measure:
            return kind
    return "difference"


def _measure(entry: Any, of: str, source: str, place: str) -> dict[str, Any]:
    entry = dict(_mapping(entry, source, place))
    _closed(entry, _MEASURE, source, place)
    kind = kind_of(entry)
    allowed = {
        "between": ("between", "test"),
        "ratio": ("ratio", "lacking"),
        "read": ("read", "of", "where", "by", "test", "lacking"),
        "along": ("along", "of", "where", "minus", "by", "test", "lacking"),
        "among": ("among", "of", "where", "by", "test", "lacking"),
        "difference": ("of", "where", "minus", "above", "by", "test", "lacking"),
    }[kind]
    for key in entry:
        if key not in allowed:
            raise ConfigError(
                f"{source}: `{place}.{key}` does not go with `{kind}`",
                remedy=f"leave out one of them; known here: {', '.join(allowed)}",
            )
    if "test" in entry:
        entry["test"] = _test(entry["test"], kind, source, place)
    elif kind in ("among", "between"):
        raise ConfigError(f"{source}: `{place}` has no test", remedy=f"add `{place}.test`")
    for key in ("between", "ratio"):
        if key in entry and (not isinstance(entry[key], list) or len(entry[key]) != 2):
            raise ConfigError(
                f"{source}: `{place}.{key}` is {entry[key]!r}", remedy="give a list of two"
            )
    if kind in ("between", "ratio"):
        return entry
    entry.setdefault("of", of)
    for key in ("where", "minus", "above", "read"):
        if key in entry:
            _mapping(entry[key], source, f"{place}.{key}")
    if "minus" in entry and "above" in entry:
        raise ConfigError(
            f"{source}: `{place}` has `minus` and `above`", remedy="leave out one of them"
        )
    where = entry.setdefault("where", {})
    for key in ("along", "among"):
        if key in entry and not isinstance(where.get(entry[key]), list):
            raise ConfigError(
                f"{source}: `{place}.{key}` is `{entry[key]}`, which `where` does not list",
                remedy=f"list its values in `{place}.where.{entry[key]}`",
            )
    for column, value in where.items():
        if isinstance(value, list) and len(set(value)) != len(value):
            raise ConfigError(
                f"{source}: `{place}.where.{column}` is {value!r}", remedy="name each once"
            )
        if isinstance(value, str) and value.startswith(("<", ">")) and not BOUND.fullmatch(value):
            raise ConfigError(
                f"{source}: `{place}.where.{column}` is {value!r}, which is no bound",
                remedy="write `< 750`, with <, <=, > or >=",
            )
    apart = {entry.get("among")}
    listed = [c for c, v in where.items() if isinstance(v, list) and c not in apart]
    entry.setdefault("by", listed)
    if not isinstance(entry["by"], list) or not all(isinstance(c, str) for c in entry["by"]):
        raise ConfigError(
            f"{source}: `{place}.by` is {entry['by']!r}", remedy="give a list of columns"
        )
    if "along" in entry and entry["along"] not in entry["by"]:
        raise ConfigError(
            f"{source}: `{place}.by` leaves out `{entry['along']}`, which `along` follows",
            remedy="name it in `by`, or leave out `by`",
        )
    return entry


def _test(text: Any, kind: str, source: str, place: str) -> tuple[str, str]:
    name, _, alternative = str(text).partition(" ")
    if name not in TESTS:
        raise ConfigError(
            f"{source}: unknown test `{name}` in `{place}`", remedy=guess(name, TESTS)
        )
    alternatives, goes_with = TESTS[name]
    if kind != goes_with and not (kind == "read" and goes_with == "difference"):
        raise ConfigError(
            f"{source}: the test `{name}` in `{place}` does not go with `{kind}`",
            remedy="tests that do: " + ", ".join(t for t, (_, k) in TESTS.items() if k == kind),
        )
    if (alternative or alternatives) and alternative not in alternatives:
        raise ConfigError(
            f"{source}: unknown alternative `{alternative}` of `{name}` in `{place}`",
            remedy=guess(alternative, alternatives) if alternatives else "leave it out",
        )
    return name, alternative


def attributes(measure: Mapping[str, Any]) -> tuple[str, ...]:
    """What a condition or a text may ask of a measure."""
    kind, p = kind_of(measure), ("p",) if "test" in measure else ()
    if kind == "between":
        return ("p",)
    if kind == "ratio":
        return ("value",)
    if kind == "read":
        return tuple(measure["read"])
    if kind == "among":
        return ("p", "statistic", "ranks", "n")
    if "above" in measure:
        return ("mean",)
    return (*DIFFERENCES, *(ALONG if kind == "along" else ()), *p)


RELATIONS: dict[str, Callable] = {
    "<=": operator.le,
    ">=": operator.ge,
    "<": operator.lt,
    ">": operator.gt,
    "=": operator.eq,
}
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
OPERATOR = r"<=|>=|<|>|="
BOUND = re.compile(rf"({OPERATOR})\s*({NUMBER})")
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

    def __init__(self, measures: Mapping[str, Mapping], source: str, claim: str):
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
        known = attributes(self.measures[measure])
        if attribute not in known:
            raise ConfigError(
                f"{self.source}: unknown statistic `{attribute}` of `{self.claim}.{measure}`",
                remedy=guess(attribute, known),
            )
        chosen = []
        for pair in cells.split(",") if cells else ():
            column, equals, value = (p.strip() for p in pair.partition("="))
            columns = cell_columns(self.measures[measure], attribute)
            if not equals or column not in columns:
                raise ConfigError(
                    f"{self.source}: `{self.claim}` has `{text}`, where `{column}` names no cells",
                    remedy=guess(column, columns),
                )
            listed = self.measures[measure]["where"].get(column)
            if column.startswith("minus_"):
                listed = self.measures[measure]["minus"][column.removeprefix("minus_")]
            if isinstance(listed, list) and not any(same(v, value) for v in listed):
                raise ConfigError(
                    f"{self.source}: `{self.claim}` has `{text}`, and `{value}` is no `{column}` "
                    "of its cells",
                    remedy=guess(value, map(str, listed)),
                )
            chosen.append((column, value))
        return Quantity(measure, attribute, tuple(chosen))

    def text(self, parts: Any) -> tuple[tuple, ...]:
        """Parts of a text, each a list of strings and placeholders."""
        parts = [parts] if isinstance(parts, str) else parts
        if not isinstance(parts, list) or not all(isinstance(p, str) and p for p in parts):
            raise ConfigError(
                f"{self.source}: `{self.claim}.measured` is {parts!r}",
                remedy="give a text, or a list of its parts",
            )
        found = []
        for part in parts:
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


def cell_columns(measure: Mapping, attribute: str) -> list[str]:
    """What the cells of an attribute are named by."""
    if kind_of(measure) in ("between", "ratio"):
        return []
    columns = list(measure["by"])
    if attribute in (*ALONG, "p") and "along" in measure:
        columns.remove(measure["along"])
    return columns + [
        f"minus_{c}" for c, v in measure.get("minus", {}).items() if isinstance(v, list)
    ]
