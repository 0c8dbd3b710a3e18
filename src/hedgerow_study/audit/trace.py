"""`hedgerow trace CELL`: from a cell of a table back to the raw file, step by step."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.errors import DataError
from hedgerow.files import MAKE_AGAIN, read_csv, read_json, read_parquet
from hedgerow_study.audit.checkout import check_read
from hedgerow_study.audit.provenance import Part, row_provenance
from hedgerow_study.audit.row_names import Row, find_row
from hedgerow_study.experiments import module_of
from hedgerow_study.reporting.cells import KEYS, PLACES
from hedgerow_study.reporting.manifest import checksum
from hedgerow_study.workflow.jobs.digest import PACKAGE
from hedgerow_study.workflow.jobs.rules import rules_of
from hedgerow_study.workflow.jobs.steps import CAPTIONS, read_caption
from hedgerow_study.workflow.references.recorded import recorded

if TYPE_CHECKING:
    import pandas as pd

#: How many of the rows that fit are listed one by one.
FIRST = 6


@dataclass(frozen=True)
class Source:
    """A file on the way, and what of it the cell rests on.

    Attributes
    ----------
    path : str
    holds : str
        What lies there: rows, trees, seeds of noise, ...
    job : str
        Id of the job that made it; empty for what was read.
    function : str
        `soft.steps:evaluate`, or the script of the rule.
    code : str
        Where the function stands, `file:line`.
    checksum : str
        SHA-256 now.
    as_recorded : bool or None
        Whether the manifest has the same; None where it lists none.
    n_rows : int or None
        Rows that fit the cell; None where it is no table.
    of_rows : int or None
    by : dict
        Values of the columns of the rows that fit, by column: what they have in common, or how
        many there are.
    first : list of dict
        The first of them.
    """

    path: str
    holds: str
    job: str = ""
    function: str = ""
    code: str = ""
    checksum: str = ""
    as_recorded: bool | None = None
    n_rows: int | None = None
    of_rows: int | None = None
    by: dict[str, str] = field(default_factory=dict)
    first: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True)
class Trace:
    """Where a cell comes from.

    Attributes
    ----------
    row : Row
    table : Source
        The table itself.
    caption : str
        The caption of the table.
    parts : list of Part
        The numbers of the row, each from the rows that it rests on.
    datasets : list of str
        Data sets of these rows.
    sources : list of Source
        Files of these rows, then what they were made from; of several data sets the first stands
        for all.
    data : dict
        What served that data set: source.json; empty where rows are of none.
    """

    row: Row
    table: Source
    caption: str
    parts: list[Part]
    datasets: list[str]
    sources: list[Source]
    data: dict[str, Any]

    @property
    def holds(self) -> bool:
        """Whether each number is what its rows give, and each file that of the run."""
        files = (self.table, *self.sources)
        return all(p.holds for p in self.parts) and all(f.as_recorded is not False for f in files)

    def to_dict(self) -> dict[str, Any]:
        """A form that JSON can hold, once its values are texts, with all rows."""
        form = {f.name: getattr(self, f.name) for f in fields(self) if f.name != "parts"}
        form = {
            name: asdict(value) if is_dataclass(value) else value for name, value in form.items()
        }
        form["sources"] = [asdict(source) for source in self.sources]
        form["parts"] = [
            {
                "column": part.column,
                "says": part.formula_text,
                "printed": part.printed,
                "again": part.recomputed,
                "holds": part.holds,
                "rows": [
                    {
                        "of": selection.rows.of,
                        "where": dict(selection.rows.where),
                        "files": selection.files,
                        "rows": selection.frame.drop(columns=PLACES).to_dict("records"),
                    }
                    for selection in part.selected
                ],
            }
            for part in self.parts
        ]
        return form


def trace(root: Path | str, name: str) -> Trace:
    """Follow a cell back to what it was made from."""
    root = Path(root)
    check_read(root)
    row, record = find_row(root, name), recorded(root)
    manifest = listing(root, record, row)
    jobs, made_by = manifest["jobs"], manifest["made_by"]
    parts = row_provenance(root, row)
    datasets = source_datasets(parts, manifest)
    calls, expected = calls_of_rules(root), record.expected()
    keys = source_keys(parts, datasets[:1])
    sources = [
        _source(root, path, jobs, made_by, calls, expected, keys)
        for path in chain(manifest, source_files(parts, manifest, datasets[:1]), row.table)
    ]
    path = row.path.as_posix()
    table = _source(root, path, jobs, made_by, calls, expected, None, row.table)
    data = _data_source(root, datasets[0], manifest) if datasets else {}
    caption = root / CAPTIONS / f"{row.table}.rst"
    caption_text = read_caption(caption) if caption.is_file() else ""
    return Trace(row, table, caption_text, parts, datasets, sources, data)


def _data_source(root: Path, dataset: str, manifest: Mapping[str, Any]) -> dict[str, Any]:
    """What served a data set, with the local version that was read instead; empty if absent."""
    if dataset not in manifest["sources"]:
        return {}
    name = manifest["sources"][dataset]["dataset"]
    file = root / f"data/raw/{name}/source.json"
    record = read_json(file)
    kinds = {"dataset": str, "from": str, "file": str, "bytes": int, "sha256": str}
    if not all(isinstance(record.get(key), kind) for key, kind in kinds.items()):
        raise DataError(f"{file} is damaged: it does not say what was fetched", remedy=MAKE_AGAIN)
    local = manifest.get("local_data", {}).get(name, {}).get("sentence", "")
    return {**record, "path": f"data/raw/{name}/{name}.data", "local": local}


def listing(root: Path, record: Any, row: Row) -> Mapping[str, Any]:
    """The manifest that lists the table of a row."""
    manifest = record.manifest or {}
    if "jobs" not in manifest or row.path.as_posix() not in manifest.get("made_by", {}):
        raise DataError(
            f"no manifest in {root} lists {row.path}",
            remedy="call `make reproduce`, which writes it",
        )
    return manifest


# ------------------------------------------------------------------------------ what lies behind


def source_datasets(parts: Sequence[Part], manifest: Mapping[str, Any]) -> list[str]:
    """Data sets of the rows that a row of a table rests on, those of its first number first."""
    keys = [*manifest["sources"], *manifest["absent"]]
    names: dict[str, None] = {}
    for selection in (selection for part in parts for selection in part.selected):
        if "dataset" in selection.frame:
            names |= dict.fromkeys(name for name in selection.frame["dataset"] if name in keys)
        else:
            names |= dict.fromkeys(name for path in selection.files for name in _named(path, keys))
    return list(names)


def source_files(
    parts: Sequence[Part], manifest: Mapping[str, Any], datasets: Sequence[str] = ()
) -> list[str]:
    """Files that hold the rows; those of some data sets only."""
    keys = [*manifest["sources"], *manifest["absent"]]
    files = dict.fromkeys(f for part in parts for s in part.selected for f in s.files)
    return [file for file in files if concerns(file, datasets, keys)]


def source_keys(parts: Sequence[Part], datasets: Sequence[str] = ()) -> pd.DataFrame | None:
    """What tells the rows of the first number of a row apart, of some data sets only."""
    for part in parts:
        frame = part.selected[0].frame
        if not len(frame):
            continue
        if datasets and "dataset" in frame:
            frame = frame[frame["dataset"].isin(datasets)]
        key_columns = [
            c
            for c in frame.columns
            if c not in (*PLACES, "value") and (c in KEYS or frame[c].dtype.kind != "f")
        ]
        return frame[key_columns].drop_duplicates().reset_index(drop=True)
    return None


def chain(manifest: Mapping[str, Any], starts: Sequence[str], table: str) -> list[str]:
    """Some files and what they were made from, nearest first.

    Files of other data sets than theirs are left out. Where they are of none, one file of each
    rule speaks for all.
    """
    jobs, made_by = manifest["jobs"], manifest["made_by"]
    keys = [*manifest["sources"], *manifest["absent"]]
    datasets = [key for path in starts for key in _named(path, keys)]
    files, pending, rules = list(starts), list(starts), set()
    files += [f"data/published/{table}.csv"] * (f"data/published/{table}.csv" in manifest["inputs"])
    seen = set(files)
    while pending:
        job = jobs.get(made_by.get(pending.pop(0), ""))
        for parent in () if job is None else job["inputs"]:
            if parent in seen or not concerns(parent, datasets, keys):
                continue
            # Of what the papers print, the table's own page: its rule reads others for its kin.
            if parent.startswith("data/published/"):
                continue
            seen.add(parent)
            rule = jobs[made_by[parent]]["rule"] if parent in made_by else parent
            if not datasets and (rule, Path(parent).suffix) in rules:
                continue
            rules.add((rule, Path(parent).suffix))
            files.append(parent)
            pending.append(parent)
    return files


def concerns(path: str, datasets: Sequence[str], keys: Sequence[str]) -> bool:
    """Whether a file says something of one of some data sets; files of no data set do.

    >>> concerns("data/results/soft/wine.parquet", ["wine"], ["iris", "wine"])
    True
    >>> concerns("data/noised/soft/iris/seeds.parquet", ["wine"], ["iris", "wine"])
    False
    >>> concerns("data/results/soft/statistics.parquet", ["wine"], ["iris", "wine"])
    True
    """
    path_datasets = _named(path, keys)
    return not datasets or not path_datasets or path_datasets[0] in datasets


def _named(path: str, keys: Sequence[str]) -> list[str]:
    """The data set that a file is of, by its name or its folder; none for others."""
    for part in [Path(path).stem, *reversed(Path(path).parent.parts)]:
        # Chunks and parts of a data set's job stand behind its name.
        matches = [key for key in keys if part == key or part.startswith(f"{key}_")]
        if matches:
            return [max(matches, key=len)]
    return []


# ------------------------------------------------------------------------------------ one file


def _source(root, path, jobs, made_by, calls, expected, keys, function="") -> Source:
    job = made_by.get(path, "")
    call = calls.get(jobs[job]["rule"], "") if job else ""
    if function and ":" not in call:
        call = f"{call}:{function}"
    file = root / path
    now = checksum(file) if file.is_file() else ""
    listed = expected.get(path)
    frame = None if keys is None else _table(file)
    excerpt = {} if frame is None else _excerpt(frame, keys)
    return Source(
        path,
        _content_kind(path),
        job,
        call,
        code_of(call),
        now,
        None if listed is None else listed == {now},
        **excerpt,
    )


def _table(file: Path) -> pd.DataFrame | None:
    if not file.is_file():
        return None
    if file.suffix == ".parquet":
        return read_parquet(file)
    return read_csv(file) if file.suffix == ".csv" else None


def _excerpt(frame: pd.DataFrame, keys: pd.DataFrame) -> dict[str, Any]:
    """Rows of a table that fit those behind a cell, in the columns that both have."""
    fits, by = matching_rows(frame, keys), {}
    for column in fits.columns:
        kind = fits[column].dtype.kind
        if kind == "f" and column not in KEYS:
            continue
        values = list(dict.fromkeys(fits[column].dropna()))
        if 0 < len(values) <= 6:
            by[column] = ", ".join(map(str, values))
        elif values:
            by[column] = f"{values[0]} to {values[-1]} ({len(values)})"
    return {
        "n_rows": len(fits),
        "of_rows": len(frame),
        "by": by if len(fits) < len(frame) or len(by) < 12 else {},
        "first": fits.head(FIRST).to_dict("records"),
    }


def matching_rows(frame: pd.DataFrame, keys: pd.DataFrame) -> pd.DataFrame:
    """Rows of a table that say the same as some keys wherever they say it at all.

    A column in which none does is passed over: what a rule makes may be called otherwise before.
    """
    for column in keys.columns:
        if column in frame.columns:
            subset = frame[frame[column].isin(set(keys[column]))]
            frame = subset if len(subset) else frame
    return frame


def _content_kind(path: str) -> str:
    kinds = {
        "data/raw/": "the data file and what served it",
        "data/tidy/": "the data, typed and checked",
        "data/noised/": "splits, samples and seeds of the noise",
        "data/calibrated/": "the pruning confidence",
        "data/trees/": "trees",
        "data/results/": "rows",
        "data/published/": "what the papers print",
        "config/": "settings",
        "reports/tables/": "a table",
    }
    return next((text for start, text in kinds.items() if path.startswith(start)), "")


def calls_of_rules(root: Path) -> dict[str, str]:
    """What each rule runs: the function that it names, or its script."""
    return {name: rule.call or rule.script for name, rule in rules_of(root).items()}


def code_of(call: str) -> str:
    """Where a function stands, `file:line`; the file of a script."""
    if not call or call.startswith("workflow/"):
        return call
    module, _, name = call.partition(":")
    path = f"{module_of(module).replace('.', '/')}.py"
    file = PACKAGE.parent / path
    if not file.is_file():
        return ""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return f"src/{path}:{node.lineno}"
    return f"src/{path}"
