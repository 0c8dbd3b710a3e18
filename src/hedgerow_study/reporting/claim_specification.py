"""What config/claims.yaml may say, checked whole: measures, conditions and texts of each claim.

docs/claims.md explains its keys; here each kind of measure is a class, whose fields are its keys.
The file is closed: whatever is unknown gives an error that names it and what comes near. Nothing in
it is evaluated as code; conditions and texts have a grammar of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, ClassVar

from hedgerow.errors import ConfigError
from hedgerow.evaluation import significance
from hedgerow.schema import build, schema_of, setting, violations
from hedgerow.texts import did_you_mean

SOURCE = "config/claims.yaml"

REPRODUCED, PARTLY, NOT = "reproduced", "partly", "not reproduced"
TOO_LITTLE, NOT_TESTABLE = "inconclusive", "not testable"
#: Every verdict, with a mark that does not rest on colour.
VERDICTS = {REPRODUCED: "●", PARTLY: "◐", NOT: "○", TOO_LITTLE: "–", NOT_TESTABLE: "×"}
#: The same of a question of our own, which nobody has answered before.
ANSWERS = dict(zip(VERDICTS, ("yes", "partly", "no", TOO_LITTLE, TOO_LITTLE), strict=True))
#: Names of verdicts in results that were tracked before.
FORMER = {"too little data": TOO_LITTLE, "not testable here": NOT_TESTABLE}


def is_research_question(claim: str) -> bool:
    """Whether an id is that of a question of our own: it begins with the word of an experiment."""
    return claim.partition("-")[0].islower()


def verdict_text(claim: str, verdict: str) -> str:
    """A verdict as pages show it: the answer to a question of our own; empty for none."""
    return ANSWERS.get(verdict, "") if is_research_question(claim) else verdict


def suggestion(word: str, names: Iterable[str]) -> str:
    """The name that may have been meant, and all that there are."""
    names = [str(k) for k in names]
    return did_you_mean(word, names, f"known: {', '.join(names)}", always=True)


def refused(message: str, remedy: str) -> ConfigError:
    """The error of what stands in the file, or does not fit a frame."""
    return ConfigError(f"{SOURCE}: {message}", remedy=remedy)


# ------------------------------------------------------------------------- kinds of measures

#: Attributes of differences, and of means along a column.
DIFFERENCES = ("mean", "first", "second", "ratio", "wins", "losses", "share", "differ")
DIFFERENCES += ("min", "max", "span", "n")
ALONG = ("least_step", "change", "last", "spearman")
#: Alternatives that tests know.
TESTS = {
    **dict.fromkeys(("wilcoxon", "sign", "mann_whitney", "fisher"), significance.ALTERNATIVES),
    **{"page": (), "friedman": (), "anova": ()},
}
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?"
OPERATOR = r"<=|>=|<|>|="
BOUND = re.compile(rf"({OPERATOR})\s*({NUMBER})")

_One = str | float | bool
_ANY = r"[\s\S]*"  # an empty text is a value of a column as well
_Where = Mapping[str, _One | tuple[_One, ...]]
_Minus = Mapping[str, _One | tuple[_One, ...] | Mapping[Any, Any]]


@dataclass(frozen=True)
class Quantity:
    """An attribute of a measure, in some of its cells: `gain.mean[method=ss]`."""

    measure: str
    attribute: str
    cells: tuple[tuple[str, str], ...] = ()


def is_bound(value: Any) -> bool:
    """Whether a value of `where` holds a column to a range, so that its values differ."""
    return isinstance(value, str) and BOUND.fullmatch(value) is not None


@dataclass(frozen=True, kw_only=True)
class Measure:
    """Numbers of cells, one for each combination of values that it lists.

    Attributes
    ----------
    kind : str
        The key that tells it from others; `difference` has none.
    tests : tuple of str
        Tests that go with it.
    numbers : tuple of str
        What a condition or a text may ask of it; with a test, its p as well.
    has_size : bool
        Whether its numbers are the size of something.
    axes : dict
        Columns that name its cells, with their values where it lists them.
    """

    kind: ClassVar[str] = ""
    tests: ClassVar[tuple[str, ...]] = ()
    numbers: ClassVar[tuple[str, ...]] = ()
    has_size: ClassVar[bool] = False
    axes: ClassVar[Mapping[str, tuple | None]] = {}

    def __post_init__(self):
        text = getattr(self, "test", None)
        if text is None:
            return
        name, _, alternative = text.partition(" ")
        if name not in TESTS:
            raise ConfigError(f"unknown test `{name}`", remedy=suggestion(name, TESTS))
        if name not in self.tests:
            remedy = f"tests that do: {', '.join(self.tests)}" if self.tests else "leave it out"
            raise ConfigError(f"the test `{name}` does not go with `{self.kind}`", remedy=remedy)
        alternatives = TESTS[name]
        if (alternative or alternatives) and alternative not in alternatives:
            remedy = suggestion(alternative, alternatives) if alternatives else "leave it out"
            raise ConfigError(f"unknown alternative `{alternative}` of `{name}`", remedy=remedy)
        object.__setattr__(self, "test", (name, alternative))

    @property
    def attributes(self) -> tuple[str, ...]:
        """What a condition or a text may ask of it."""
        tested = getattr(self, "test", None) and "p" not in self.numbers
        return (*self.numbers, *(("p",) if tested else ()))

    def cell_columns(self, attribute: str) -> list[str]:
        """What the cells of an attribute are named by."""
        return list(self.axes)


@dataclass(frozen=True, kw_only=True)
class OfRows(Measure):
    """A measure of rows of a frame.

    Attributes
    ----------
    of : str
        The frame.
    where : mapping
        Column -> value, values or bound.
    by : tuple of str
        Columns that make cells.
    test : tuple of (str, str), or None
        A test and its alternative; the file holds them as one text.
    lacking : str
        What to say where nothing is like that in the data that were run.
    """

    of: str = "rows"
    where: _Where = setting({}, pattern=_ANY, fewest=0)
    by: tuple[str, ...] | None = setting(
        None, written=tuple[str, ...], fewest=0, remedy="give a list of columns"
    )
    test: tuple[str, str] | None = setting(None, written=str)
    lacking: str = ""

    def __post_init__(self):
        super().__post_init__()
        for column, value in self.where.items():
            if isinstance(value, str) and value.startswith(("<", ">")) and not is_bound(value):
                raise ConfigError(
                    f"`where.{column}` is {value!r}, which is no bound",
                    remedy="write `< 750`, with <, <=, > or >=",
                )
        if self.by is None:
            # What `among` compares is no cell of its own.
            by = tuple(c for c in self.listed if c != getattr(self, "among", None))
            object.__setattr__(self, "by", by)

    @property
    def listed(self) -> dict[str, tuple]:
        """Columns of which `where` lists values."""
        return {c: v for c, v in self.where.items() if isinstance(v, tuple)}

    @property
    def axes(self) -> dict[str, tuple | None]:
        """Columns that name its cells; those of `minus` with values have cells of their own."""
        minus = getattr(self, "minus", {})
        subtracted = {f"minus_{c}": v for c, v in minus.items() if isinstance(v, tuple)}
        return {column: self.listed.get(column) for column in self.by} | subtracted

    def _must_list(self, column: str) -> None:
        if column not in self.listed:
            raise ConfigError(
                f"`{self.kind}` is `{column}`, which `where` does not list",
                remedy=f"list its values in `where.{column}`",
            )


@dataclass(frozen=True, kw_only=True)
class Difference(OfRows):
    """Values, or their differences to other rows.

    Attributes
    ----------
    minus : mapping
        The other rows are the same but for these columns: a value, values (cells of their own) or
        a value for each.
    """

    kind: ClassVar[str] = "difference"
    tests: ClassVar[tuple[str, ...]] = ("wilcoxon", "sign")
    numbers: ClassVar[tuple[str, ...]] = DIFFERENCES
    has_size: ClassVar[bool] = True

    minus: _Minus = setting({}, pattern=_ANY, fewest=0)


@dataclass(frozen=True, kw_only=True)
class Along(Difference):
    """How means go along the values of a column, in their order."""

    kind: ClassVar[str] = "along"
    tests: ClassVar[tuple[str, ...]] = ("page",)
    numbers: ClassVar[tuple[str, ...]] = (*DIFFERENCES, *ALONG)

    along: str

    def __post_init__(self):
        self._must_list(self.along)
        super().__post_init__()
        if self.along not in self.by:
            raise ConfigError(
                f"`by` leaves out `{self.along}`, which `along` follows",
                remedy="name it in `by`, or leave out `by`",
            )

    def cell_columns(self, attribute: str) -> list[str]:
        """What the cells of an attribute are named by."""
        whole = attribute in (*ALONG, "p")
        return [c for c in self.axes if not (whole and c == self.along)]


@dataclass(frozen=True, kw_only=True)
class Above(OfRows):
    """The mean of rows less the largest mean of some others."""

    kind: ClassVar[str] = "above"
    numbers: ClassVar[tuple[str, ...]] = ("mean",)
    has_size: ClassVar[bool] = True

    above: _Where = setting(pattern=_ANY)


@dataclass(frozen=True, kw_only=True)
class Among(OfRows):
    """A test of several groups at once, over data sets."""

    kind: ClassVar[str] = "among"
    tests: ClassVar[tuple[str, ...]] = ("friedman", "anova")
    numbers: ClassVar[tuple[str, ...]] = ("p", "statistic", "ranks", "n")

    among: str
    test: tuple[str, str] = setting(written=str)

    def __post_init__(self):
        self._must_list(self.among)
        super().__post_init__()


@dataclass(frozen=True, kw_only=True)
class Read(OfRows):
    """Attributes that another step has worked out, one row per cell: attribute -> column."""

    kind: ClassVar[str] = "read"
    tests: ClassVar[tuple[str, ...]] = ("wilcoxon", "sign")
    has_size: ClassVar[bool] = True

    read: Mapping[str, str] = setting()

    @property
    def attributes(self) -> tuple[str, ...]:
        """What a condition or a text may ask of it."""
        return tuple(self.read)


@dataclass(frozen=True, kw_only=True)
class Between(Measure):
    """A test of two measures whose data sets are different ones."""

    kind: ClassVar[str] = "between"
    tests: ClassVar[tuple[str, ...]] = ("mann_whitney", "fisher")
    numbers: ClassVar[tuple[str, ...]] = ("p",)

    between: tuple[str, str]
    test: tuple[str, str] = setting(written=str)


@dataclass(frozen=True, kw_only=True)
class Ratio(Measure):
    """The ratio of two quantities."""

    kind: ClassVar[str] = "ratio"
    numbers: ClassVar[tuple[str, ...]] = ("value",)

    ratio: tuple[Quantity, Quantity] = setting(written=tuple[str, str])
    lacking: str = ""


#: Kinds that a key tells, the first that an entry has; any other is a difference.
KINDS = (Between, Ratio, Read, Along, Among, Above)
#: All that entries may say.
KEYS = {f.name for kind in (*KINDS, Difference) for f in fields(kind)}


def kind_of(entry: Mapping[str, Any]) -> type[Measure]:
    """The class of an entry of the file, by its keys."""
    return next((kind for kind in KINDS if kind.kind in entry), Difference)


# ------------------------------------------------------------------------- claims


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
    """A claim as config/claims.yaml states it, checked."""

    name: str
    experiment: str
    statement: str = ""  # of a question of our own; a paper's stands in data/published/claims.csv
    measures: Mapping[str, Measure] = field(default_factory=dict)
    reproduced: tuple[Condition | Several, ...] = ()  # all of which must hold
    partly: tuple[Condition | Several, ...] = ()
    measured: tuple[tuple[str | Placeholder, ...], ...] = ()  # a part without numbers is left out
    fewest: int = 1  # data sets below which no verdict is given
    #: What else there has to be for a verdict: in words, the quantity whose cells add up to it, and
    #: the least of it.
    counted: tuple[tuple[str, Quantity, int], ...] = ()
    not_testable: str = ""  # why it cannot be tested
    printed: Claim | None = None  # what judges the cells that a paper prints, if they say less
    shown: tuple[str, ...] = ()  # tables and figures that hold its numbers, where it names them
    #: Those of its experiment, by the frame that measures read.
    frames_shown: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


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


@dataclass(frozen=True)
class _Printed:
    """What differs where the cells that a paper prints are judged."""

    measures: Mapping[str, Mapping[str, Any]] = setting({})
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


def specified(content: Mapping[str, Any]) -> dict[str, Claim]:
    """Check the section `claims` of config/claims.yaml whole, whichever experiments run."""
    bound: dict[str, Claim] = {}
    for experiment, section in _read(content, _File).claims.items():
        for name, entry in section.claims.items():
            if name in bound:
                raise refused(
                    f"`{name}` is bound twice, in `{bound[name].experiment}` and in `{experiment}`",
                    "give each claim one entry",
                )
            claim = _claim(name, experiment, section.of, entry)
            bound[name] = replace(claim, frames_shown=section.shown)
    return bound


def of_experiment(content: Mapping[str, Any], experiment: str) -> dict[str, Claim]:
    """The checked claims of one experiment, by id."""
    claims = specified(content)
    selected = {name: claim for name, claim in claims.items() if claim.experiment == experiment}
    if not selected:
        experiments = sorted({claim.experiment for claim in claims.values()})
        raise refused(f"no claims of `{experiment}`", suggestion(experiment, experiments))
    return selected


def _read(content: Any, kind: type, place: tuple = ()) -> Any:
    """What a part of the file says, checked whole."""
    for fault in violations(content, schema_of(kind), place):
        message, remedy = fault.message(fault.name or "the file"), fault.remedy
        key = fault.place[-1] if fault.place else ""
        if fault.kind == "unknown" and issubclass(kind, Measure) and key in KEYS:
            message = f"`{fault.name}` does not go with `{kind.kind}`"
            allowed = ", ".join(f.name for f in fields(kind))
            remedy = f"leave out one of them; known here: {allowed}"
        raise refused(message, remedy)
    try:
        return build(content, kind, place)
    except ConfigError as error:
        raise refused(error.message, error.remedy) from None


def _claim(name: str, experiment: str, of: str, content: Any) -> Claim:
    entry = _read(content, _Entry, (name,))
    printed = entry.printed
    if printed is not None and printed.not_testable:
        printed = Claim(name, experiment, not_testable=printed.not_testable)
    elif printed is not None:
        common = {key: value for key, value in content.items() if key != "printed"}
        measures = {**entry.measures, **printed.measures}
        printed = _claim(
            name, experiment, of, {**common, **content["printed"], "measures": measures}
        )
    is_ours = name.startswith(f"{experiment}-")
    if is_ours != bool(entry.statement):
        raise refused(
            f"`{name}` has {'no' if is_ours else 'a'} statement",
            "a question of our own states what it asks; a paper's claim is stated in "
            "data/published/claims.csv",
        )
    claim = Claim(name, experiment, entry.statement, printed=printed, shown=entry.shown)
    if entry.not_testable:
        if set(content) - {"not_testable", "statement", "shown"}:
            raise refused(
                f"`{name}` is not testable and has measures", "keep `not_testable` or the rest"
            )
        return replace(claim, not_testable=entry.not_testable)
    for key in ("measures", "reproduced", "measured"):
        if key not in content:
            raise refused(f"`{name}` has no `{key}`", f"add `{name}.{key}`")
    measures = {key: _measure(spec, of, (name, key)) for key, spec in entry.measures.items()}
    parse = _Parser(measures, name)
    _join(measures, parse)
    fewest, counted = _fewest(entry.fewest, parse)
    return replace(
        claim,
        measures=measures,
        reproduced=parse.conditions(entry.reproduced, "reproduced"),
        # Some claims are known whole or not at all.
        partly=parse.conditions(entry.partly, "partly") if "partly" in content else (),
        measured=parse.text(entry.measured),
        fewest=fewest,
        counted=counted,
    )


def _measure(content: Mapping[str, Any], of: str, place: tuple) -> Measure:
    kind = kind_of(content)
    for key in content:
        if key not in KEYS:
            raise refused(f"unknown key `{'.'.join((*place, str(key)))}`", suggestion(key, KEYS))
    return _read({"of": of, **content} if issubclass(kind, OfRows) else content, kind, place)


def _join(measures: dict[str, Measure], parse: _Parser) -> None:
    """Check what measures say of other measures, and find the quantities of ratios."""
    for key, measure in measures.items():
        for other in measure.between if isinstance(measure, Between) else ():
            if not isinstance(measures.get(other), Difference):
                raise refused(
                    f"unknown measure `{other}` in `{parse.claim}.{key}.between`",
                    suggestion(other, [m for m in measures if m != key]),
                )
        if isinstance(measure, Ratio):
            ratio = tuple(map(parse.quantity, measure.ratio))
            for quantity in ratio:
                if not isinstance(measures[quantity.measure], OfRows):
                    raise refused(
                        f"`{parse.claim}.{key}` is a ratio of `{quantity.measure}`",
                        "name measures of rows",
                    )
            measures[key] = replace(measure, ratio=ratio)


def _fewest(entry: Any, parse: _Parser) -> tuple[int, tuple]:
    """Data sets that it takes, and what else: `words: measure.attribute >= 2`."""
    sets, counted = 1, []
    for words, least in (entry if isinstance(entry, Mapping) else {_SETS: entry}).items():
        if words == _SETS:
            if not isinstance(least, int) or isinstance(least, bool) or least < 1:
                raise refused(f"`{parse.claim}.fewest` is {least!r}", "use 1 or more")
            sets = least
            continue
        match = _COUNTED.fullmatch(str(least).strip())
        if not match:
            raise refused(
                f"`{parse.claim}.fewest.{words}` is {least!r}", "write `measure.attribute >= 2`"
            )
        counted.append((words, parse.quantity(match[1]), int(match[2])))
    return sets, tuple(counted)


# ------------------------------------------------------------------------- conditions and texts

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

    def __init__(self, measures: Mapping[str, Measure], claim: str):
        self.measures, self.claim = measures, claim

    def conditions(self, entries: Any, key: str) -> tuple:
        """A list of conditions; each is a text, `any: [...]`, or `at least: n` and `of: [...]`."""
        if not isinstance(entries, list) or not entries:
            raise refused(f"`{self.claim}.{key}` is {entries!r}", "give a list of conditions")
        return tuple(self._one(entry, key) for entry in entries)

    def _one(self, entry: Any, key: str) -> Condition | Several:
        if isinstance(entry, str):
            return self.condition(entry)
        if isinstance(entry, Mapping) and set(entry) == {"any"}:
            return Several(1, self.conditions(entry["any"], key))
        if isinstance(entry, Mapping) and set(entry) == {"at least", "of"}:
            least, of = entry["at least"], self.conditions(entry["of"], key)
            if isinstance(least, int) and 1 <= least <= len(of):
                return Several(least, of)
        raise refused(
            f"`{self.claim}.{key}` has {entry!r}, which is no condition",
            "write `measure.attribute < bound at all`, `any: [...]`, or `at least: 2` with "
            "`of: [...]`",
        )

    def condition(self, text: str) -> Condition:
        """`a.mean > 0 and a.p < 0.05 at 4`: in four cells or more, in all, in none, in the one."""
        body, at = _AT.fullmatch(text.strip()).groups()
        comparisons = tuple(c for part in body.split(" and ") for c in self._comparisons(part))
        return Condition(comparisons, int(at) if at and at.isdigit() else at, text.strip())

    def _comparisons(self, text: str) -> Iterable[Comparison]:
        text = text.strip()
        if chain := _CHAIN.fullmatch(text):
            low, lower, middle, upper, high = chain.groups()
            quantity = (self.quantity(middle),)
            yield Comparison(quantity, {"<": ">", "<=": ">="}[lower], float(low))
            yield Comparison(quantity, upper, float(high))
            return
        match = _COMPARED.fullmatch(text)
        if not match:
            raise refused(
                f"`{self.claim}` has `{text}`, which is no comparison",
                "write `measure.attribute < bound`, with <, <=, >, >= or =",
            )
        left, relation, right = match.groups()
        quantities = tuple(self.quantity(q) for q in re.findall(_QUANTITY, left))
        number = re.fullmatch(NUMBER, right)
        bound = float(right) if number else self.quantity(right)
        if not number and "p" in {q.attribute for q in (*quantities, bound)}:
            raise refused(
                f"`{self.claim}` has `{text}`, which compares a p-value", "compare it with a number"
            )
        yield Comparison(quantities, relation, bound)

    def quantity(self, text: str) -> Quantity:
        """`gain.mean` or `gain.mean[method=ss, noise=0]`."""
        match = _IS_QUANTITY.fullmatch(text.strip())
        if not match:
            raise refused(
                f"`{self.claim}` has `{text}`, which is no quantity", "write `measure.attribute`"
            )
        name, attribute, cells = match.groups()
        measure = self.measures.get(name)
        if measure is None:
            raise refused(
                f"unknown measure `{name}` in `{self.claim}`", suggestion(name, self.measures)
            )
        if attribute not in measure.attributes:
            raise refused(
                f"unknown statistic `{attribute}` of `{self.claim}.{name}`",
                suggestion(attribute, measure.attributes),
            )
        chosen = []
        for pair in cells.split(",") if cells else ():
            column, equals, value = (p.strip() for p in pair.partition("="))
            columns = measure.cell_columns(attribute)
            if not equals or column not in columns:
                raise refused(
                    f"`{self.claim}` has `{text}`, where `{column}` names no cells",
                    suggestion(column, columns),
                )
            listed = measure.axes[column]
            if listed is not None and not any(same(v, value) for v in listed):
                raise refused(
                    f"`{self.claim}` has `{text}`, and `{value}` is no `{column}` of its cells",
                    suggestion(value, listed),
                )
            chosen.append((column, value))
        return Quantity(name, attribute, tuple(chosen))

    def text(self, parts: Any) -> tuple[tuple, ...]:
        """Parts of a text, each a list of strings and placeholders."""
        pieces_of_parts = []
        for part in [parts] if isinstance(parts, str) else parts:
            pieces = _IN_TEXT.split(part)
            if any("{" in p or "}" in p for p in pieces[::2]):
                raise refused(
                    f"`{self.claim}.measured` has a lone brace in `{part}`",
                    "write {measure.attribute}",
                )
            pieces_of_parts.append(
                tuple(self._placeholder(p) if i % 2 else p for i, p in enumerate(pieces))
            )
        return tuple(pieces_of_parts)

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
            raise refused(
                f"`{self.claim}.measured` has the format `{style}`",
                "write one such as +.2f, .1f, .2g, .0% or d",
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


# --------------------------------------------------------------------------------- JSON schema


def rules_schema() -> dict[str, Any]:
    """JSON schema of the file (draft 2020-12), from the classes above: `claims.schema.json`."""
    kinds = (*KINDS, Difference)
    claim = _plain(schema_of(_Entry))
    for section in (claim, claim["properties"]["printed"]):
        section["properties"]["measures"]["additionalProperties"] = {"$ref": "#/$defs/measure"}
    compared = rf"(?:{_QUANTITY}\s*,\s*)*{_QUANTITY}\s*(?:{OPERATOR})\s*(?:{NUMBER}|{_QUANTITY})"
    compared = rf"(?:{NUMBER}\s*<=?\s*{_QUANTITY}\s*<=?\s*{NUMBER}|{compared})"
    condition = rf"^\s*{compared}(?:\s+and\s+{compared})*(?:\s+at\s+(?:all|none|[1-9]\d*))?\s*$"
    conditions = {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/condition"}}
    several = {"at least": {"type": "integer", "minimum": 1}, "of": conditions}
    counted = {"type": "string", "pattern": rf"^\s*{_QUANTITY}\s*>=\s*[1-9]\d*\s*$"}
    sets = {"type": "integer", "minimum": 1}
    claim["properties"] |= {
        "reproduced": conditions,
        "partly": conditions,
        "fewest": {
            "anyOf": [
                sets,
                {
                    "type": "object",
                    "properties": {_SETS: sets},
                    "additionalProperties": counted,
                },
            ]
        },
    }
    file = _plain(schema_of(_File))
    experiment = file["properties"]["claims"]["additionalProperties"]
    experiment["properties"]["claims"]["additionalProperties"] = {"$ref": "#/$defs/claim"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rules that judge claims",
        "description": "docs/claims.md of hedgerow explains each key.",
        **file,
        "$defs": {
            "claim": claim,
            "condition": {
                "anyOf": [
                    {"type": "string", "pattern": condition},
                    _closed({"any": conditions}),
                    _closed(several),
                ]
            },
            "measure": {"anyOf": [{"$ref": f"#/$defs/{kind.kind}"} for kind in kinds]},
            **{kind.kind: _kind_schema(kind) for kind in kinds},
        },
    }


def _kind_schema(kind: type[Measure]) -> dict[str, Any]:
    """Schema of a kind of measure, with the tests that go with it."""
    schema = {"description": (kind.__doc__ or "").split("\n")[0], **_plain(schema_of(kind))}
    if "test" in schema["properties"]:
        tests = [f"{test} {side}" for test in kind.tests for side in TESTS[test] or ("",)]
        schema["properties"]["test"] = {"enum": [test.strip() for test in tests]}
        if not tests:
            del schema["properties"]["test"]
    return schema


def _closed(properties: Mapping[str, Any]) -> dict[str, Any]:
    """A mapping that has these keys and no other."""
    return {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }


def _plain(schema: Any) -> Any:
    """A schema without words of ours, and without a pattern that any text has."""
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, Mapping):
        return schema
    ours = {"remedy"} | ({"pattern"} if schema.get("pattern") == _ANY else set())
    return {key: _plain(value) for key, value in schema.items() if key not in ours}
