"""The registry: what each data set is, and where it can be had.

``config/datasets.yaml`` names each set once. A variant (some of the variables, two of the
classes) is an entry of its own that names its parent and the transformation.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Literal

from hedgerow.data.cohort_facts import CohortFacts
from hedgerow.data.synthetic import AorticStenosisPlan, EjectionFractionPlan, GuyonPlan
from hedgerow.errors import ConfigError, DataError
from hedgerow.files import below, read_yaml
from hedgerow.schema import Word, build, schema_of, setting, violations
from hedgerow.texts import did_you_mean

__all__ = ["DatasetEntry", "Reader", "Registry", "Source", "Transform", "Wheel", "load_registry"]

#: Order in which sources are asked (design, "Data sources").
SOURCE_KINDS = ("mirror", "package", "archive", "wheel", "url", "synthetic")
#: What a source of each kind has to say.
SOURCE_FIELDS = {
    "mirror": ("sha256",),
    "package": ("package", "sha256"),
    "archive": ("sha256",),
    "wheel": ("wheel", "sha256"),
    "url": ("url",),
    "synthetic": (),
}
#: Licences under which a copy may be passed on -> where their text is.
LICENCES = {
    "CC BY 4.0": "https://creativecommons.org/licenses/by/4.0/",
    "CC0 1.0": "https://creativecommons.org/publicdomain/zero/1.0/",
    "BSD-3-Clause": "https://spdx.org/licenses/BSD-3-Clause",
    "MIT": "https://spdx.org/licenses/MIT",
}
#: What the size of a number in the registry may be: beyond it, floats no longer count by ones.
LARGEST = 1e15


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

    format: Literal["csv", "arff"] = "csv"
    separator: str = setting(
        ",", pattern='whitespace|[^\r\n"]', remedy="use one character, or `whitespace`"
    )
    header: bool = False
    skip_lines: int = 0
    row_names: bool = False
    drop: tuple[int | str, ...] = ()
    target: Literal["first", "last"] = "last"
    columns: tuple[str, ...] = ()
    missing: tuple[str, ...] = ("?", "NA")
    labels: Mapping[Word, Word] = field(default_factory=dict)
    recode: Mapping[Word, Mapping[Word, Word]] = field(default_factory=dict)
    decimals: Mapping[Word, int] = field(default_factory=dict)


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
        One of them is something else: pip and the cache may deliver an untrusted file.
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
        ``mirror``, ``package``, ``archive``, ``wheel``, ``url`` or ``synthetic``. What the registry
        archives has the file of its mirror in the archive, too.
    file : str
        Path inside the mirror, the package, the archive or the wheel; for ``url`` the name to save
        as. It stays below them (`hedgerow.files.below`).
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

    kind: str = setting(written=Literal["mirror", "package", "wheel", "url"])
    file: str = setting()
    sha256: str | None = None
    package: str | None = None
    wheel: Wheel | None = setting(None, written=str)
    url: str | None = setting(None, pattern="https?://.+", remedy="write an address of the web")
    members: tuple[str, ...] = ()
    reader: Reader = field(default_factory=Reader)

    def __post_init__(self):
        below(".", self.file)
        # Of `a.b` Python would run `a` to find it.
        if self.package is not None and not self.package.isidentifier():
            raise DataError(
                f"`package` is {self.package!r}", remedy="write the import name of a library"
            )
        for name in SOURCE_FIELDS[self.kind]:
            if not getattr(self, name):
                raise DataError(f"`{name}` is missing", remedy=f"give it: a {self.kind} has one")


@dataclass(frozen=True)
class Group:
    """Which rows belong together, such as all recordings of one person.

    Attributes
    ----------
    column : str
        Column of the file that tells it, which is no variable.
    pattern : str
        Regular expression of the whole of each value. What its one pair of brackets matches is
        the group's label; no bracket is repeated.
    fingerprint : str
        SHA-256 of the labels in the order of the tidy table's rows, each with a line feed; the
        table's own does not hold them. Of the set with the file: a variant has fewer rows.

    Raises
    ------
    DataError
        The pattern is no regular expression, or has another number of brackets, or repeats them.
    """

    column: str
    # Empty while a set is being added, as that of the entry.
    fingerprint: str = setting(pattern="(?:[0-9a-f]{64})?")
    pattern: str = "(.+)"

    def __post_init__(self):
        try:
            n_brackets = re.compile(self.pattern).groups
        except (re.error, OverflowError, RecursionError):
            n_brackets = 0
        # A repeated bracket, as in `(a+)+`, may take years on a single value. In verbose patterns
        # (flag x) blanks could stand between.
        if n_brackets != 1 or re.search(r"\)[*+?{]|\(\?[A-Za-z]*x", self.pattern):
            raise DataError(
                f"`pattern` is {self.pattern!r}",
                remedy="write a regular expression with one pair of brackets, about the label, "
                "that is not repeated",
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
    group_classes: Mapping[Word, tuple[Word, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class DatasetEntry:
    """One data set.

    Attributes
    ----------
    key : str
        Name in the registry, in the workflow's paths and in all tables.
    title, licence, citation, homepage : str
    doi : str
        Of the data, where they have one.
    archived : str
        In what the file that the package carries differs from what was published; empty where it
        carries none.
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
    group : Group or None
        Which rows belong together, where the file tells.
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
    group: Group | None = None
    missing_target: str = "error"
    published_as: Mapping[str, str] = field(default_factory=dict)
    printed: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    note: str = ""
    doi: str = ""
    archived: str = ""
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
    def raw_name(self) -> str:
        """Name of the data file, whichever source serves it; the sets of one file share it."""
        return f"{self.base.key}.data"

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
        keys: dict[str, list[str]] = {}
        for key, entry in self._entries.items():
            if paper in entry.published_as:
                keys.setdefault(entry.published_as[paper], []).append(key)
        return {name: keys[name] for name in sorted(keys)}


def load_registry(path: str | Path = "config/datasets.yaml", only: str | None = None) -> Registry:
    """Read the registry.

    Parameters
    ----------
    path : str or Path
        Relative to the working directory, which is the repository's root for the workflow.
    only : str, optional
        Check and make this set alone, with its parent: what a job needs of a registry that the
        workflow has checked.

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
    sets = content["datasets"]
    if only in sets:
        parent = sets[only].get("parent") if isinstance(sets[only], dict) else None
        sets = {key: sets[key] for key in (only, parent) if key in sets}
    content |= {"datasets": _with_inherited(sets)}
    for fault in violations(content, schema_of(_File, LARGEST)):
        raise DataError(f"{path}: {fault.message()}", remedy=fault.remedy)
    try:
        file = build(content, _File)
        entries: dict[str, DatasetEntry] = {}
        # A variant names its parent, so parents come first.
        for key, entry in sorted(file.datasets.items(), key=lambda item: bool(item[1].parent)):
            entries[key] = entry.entry(key, file, entries)
    except DataError as error:
        raise DataError(f"{path}: {error.message}", remedy=error.remedy) from None
    return Registry(entries, str(path))


#: What a variant takes from its parent where it does not say it itself.
_INHERITED = (
    *("task", "target", "time", "group", "licence", "citation", "homepage", "doi"),
    "missing_target",
)


def _with_inherited(sets: Mapping[Any, Any]) -> dict[Any, Any]:
    """Data sets as they were read, with what is said once for several places written out there.

    A variant has keys of its parent, a source the reader of its set.
    """
    whole = {}
    for key, spec in sets.items():
        if isinstance(spec, dict):
            named = spec.get("parent")
            parent = sets.get(named) if isinstance(named, str) else None
            taken = parent if isinstance(parent, dict) else {}
            spec = {name: taken[name] for name in _INHERITED if name in taken} | spec
            if "reader" in spec and isinstance(spec.get("sources"), list):
                reader = {"reader": spec["reader"]}
                listed = [reader | s if isinstance(s, dict) else s for s in spec["sources"]]
                spec = {**reader, **spec, "sources": listed}
        whole[key] = spec
    return whole


_Numbers = tuple[float, float, float] | Mapping[Word, int] | Literal["numeric"]
_Paper = Literal["thesis3", "thesis4", "thesis5", "thesis6", "confdtree", "e2m", "eig"]
_Count = Literal["rows", "variables", "classes"]
_Plan = GuyonPlan | EjectionFractionPlan | AorticStenosisPlan


@dataclass(frozen=True)
class _Entry:
    """An entry as the file has it, with what it inherits; `DatasetEntry` explains the keys.

    A set that is being added may say `name: numeric` of a variable, before its numbers are known.
    """

    title: str
    task: Literal["classification", "survival"]
    target: str
    rows: int
    licence: str
    citation: str
    homepage: str
    # Empty while a set is being added: its first table tells it.
    fingerprint: str = setting(pattern="(?:[0-9a-f]{64})?")
    classes: Mapping[Word, int] | tuple[Word, ...] = setting(
        remedy="list labels, or write `label: count`"
    )
    variables: Mapping[Word, _Numbers] = setting(
        remedy="write [minimum, mean, maximum] or `numeric`, for a category {value: count}"
    )
    time: str | None = None
    group: Group | None = setting(None, written=Group)
    missing_target: Literal["error", "drop"] = "error"
    published_as: Mapping[_Paper, str] = field(default_factory=dict)
    printed: Mapping[_Paper, Mapping[_Count, int]] = field(default_factory=dict)
    note: str = ""
    doi: str = setting("", pattern=r"(?:10\.[0-9]{4,9}/\S+)?", remedy="write it as 10.24432/C5PC7J")
    archived: str = ""
    parent: str | None = None
    transform: Transform | None = setting(None, written=Transform)
    synthetic: _Plan | None = setting(None, written=_Plan)
    cohort: CohortFacts | None = setting(None, written=CohortFacts)
    reader: Reader | None = setting(None, written=Reader)
    sources: tuple[Source, ...] = ()

    def entry(self, key: str, file: _File, entries: Mapping[str, DatasetEntry]) -> DatasetEntry:
        """The entry, with its wheels and its parent, which is among those that are made."""
        parent = None if self.parent is None else entries.get(self.parent)
        for message, remedy in self._contradictions(key, parent):
            raise DataError(f"`datasets.{key}` {message}", remedy=remedy)
        numbers = {n: v for n, v in self.variables.items() if v != "numeric"}
        categories: dict[str, tuple[str, ...]] = {
            n: tuple(v) for n, v in numbers.items() if isinstance(v, Mapping)
        }
        counts = self.classes.values() if isinstance(self.classes, Mapping) else ()
        if self.cohort is not None:
            place = f"`datasets.{key}.cohort`"
            self.cohort.check(place, tuple(self.variables), categories, tuple(self.classes))
        same = {f.name for f in fields(self)} & {f.name for f in fields(DatasetEntry)}
        values = {name: getattr(self, name) for name in same}
        return DatasetEntry(
            **values
            | {
                "key": key,
                "n_rows": self.rows,
                "classes": tuple(self.classes),
                "class_counts": tuple(counts),
                "variables": tuple(self.variables),
                "categories": categories,
                "profile": {
                    n: tuple(v.values() if isinstance(v, Mapping) else v)
                    for n, v in numbers.items()
                },
                "note": " ".join(self.note.split()),
                "citation": " ".join(self.citation.split()),
                "parent_entry": parent,
                "transform": self.transform if parent is None else self.transform or Transform(),
                "synthetic_plan": self.synthetic,
                "n_samples": getattr(self.synthetic, "n_samples", None),
                "sources": self._sources(key, file.wheels, parent),
            }
        )

    def _contradictions(self, key: str, parent: DatasetEntry | None) -> Iterator[tuple[str, str]]:
        """What does not go together, and what to do about it."""
        # Files and jobs bear its name.
        if not re.fullmatch("[a-z][a-z0-9_]*", key):
            remedy = "begin with a letter and use lower-case letters, digits and _"
            yield "is no name of a data set", remedy
        if self.parent is not None and (parent is None or parent.parent is not None):
            remedy = "name a set of the registry that is not a variant itself"
            yield f"names the parent {self.parent!r}", remedy
        if self.transform is not None and self.parent is None:
            yield "has a transform but no parent", "name its parent"
        if parent is not None and self.group != parent.group:
            yield "has other groups than its parent", "leave out `group`: it has the parent's"
        if self.group and self.group.column in (*self.variables, self.target, self.time):
            remedy = "name another column, or leave it out of the variables"
            yield f"has its groups by {self.group.column!r}, which the table holds", remedy
        if self.reader is not None and (self.synthetic or self.parent):
            yield "has a reader but no sources", "leave out `reader`"
        if self.archived and self.licence not in LICENCES:
            remedy = f"leave out `archived`: only data under {' or '.join(LICENCES)} are passed on"
            yield f"is archived under the licence {self.licence!r}", remedy
        if self.archived and not any(source.kind == "mirror" for source in self.sources):
            yield "is archived but has no file in a mirror", "name the file as that of a mirror"
        if self.cohort is not None and (self.task != "survival" or not self.time):
            remedy = "leave out `cohort`, or name `time` and make `task` survival"
            yield "has a cohort but no follow-up time", remedy

    def _sources(self, key: str, wheels: Mapping[str, Wheel], parent) -> tuple[Source, ...]:
        """Sources in the order in which they are asked; those of one kind keep the file's order."""
        if parent is not None:
            return parent.sources
        if self.synthetic is not None:
            return (Source("synthetic", f"{key}.csv", reader=Reader(header=True)),)
        sources = []
        for number, source in enumerate(self.sources, 1):
            name: Any = source.wheel  # as the file has it
            if name is not None and name not in wheels:
                raise DataError(
                    f"`datasets.{key}.sources.{number}`: wheel {name!r} is not pinned",
                    remedy="add it under `wheels`",
                )
            sources.append(source if name is None else replace(source, wheel=wheels[name]))
            if self.archived and source.kind == "mirror":
                sources.append(replace(source, kind="archive"))
        return tuple(sorted(sources, key=lambda source: SOURCE_KINDS.index(source.kind)))


@dataclass(frozen=True)
class _File:
    """The registry as the file has it."""

    datasets: Mapping[Word, _Entry]
    wheels: Mapping[str, Wheel] = field(default_factory=dict)
