"""`hedgerow trace CELL`: from a cell of a table back to the raw file, step by step."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.audit.cells import Row, named, same
from hedgerow.errors import DataError
from hedgerow.files import read_csv, read_json, read_parquet
from hedgerow.reporting.manifest import checksum
from hedgerow.workflow.altered import recorded
from hedgerow.workflow.digest import PACKAGE
from hedgerow.workflow.steps import CAPTIONS, read_caption

if TYPE_CHECKING:
    import pandas as pd

#: How many of the rows that fit are told one by one.
FIRST = 6
#: Columns of rows that say what a number is, not what it is of.
_UNITS = {"unit", "status"}


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
    says : str
        The caption of the table and the docstring of the function: what is computed, and how.
    sources : list of Source
        From the table back; a data set's files where the cell is of one, else one per rule.
    data : dict
        What served the data set: source.json; empty for a cell that is not of one.
    """

    row: Row
    table: Source
    says: str
    sources: list[Source]
    data: dict[str, Any]


def trace(root: Path | str, name: str) -> Trace:
    """Follow a cell back to what it was made from.

    Parameters
    ----------
    root : path
        Folder of the project.
    name : str
        Of a row, as `hedgerow.audit.cells` explains it.

    Returns
    -------
    Trace

    Raises
    ------
    DataError
        If the name fits no row or several, or the folder has no manifest that lists the table.
    """
    root = Path(root)
    row = named(root, name)
    known = recorded(root)
    jobs = (known.manifest or {}).get("jobs")
    made_by = (known.manifest or {}).get("made_by", {})
    if jobs is None or row.path.as_posix() not in made_by:
        raise DataError(
            f"no manifest in {root} lists {row.path}",
            remedy="call `make reproduce`, which writes it",
        )
    expected = known.expected()
    calls = calls_of_rules(root)
    sources = []
    for path in chain(known.manifest, row):
        sources.append(_source(root, path, jobs, made_by, calls, expected, row))
    table = _source(root, row.path.as_posix(), jobs, made_by, calls, expected, row, row.table)
    data = {}
    for dataset in row.datasets:
        file = root / f"data/raw/{dataset}/source.json"
        if file.is_file():
            data = read_json(file)
    return Trace(row, table, _says(root, row, table), sources, data)


def chain(manifest: Mapping[str, Any], row: Row) -> list[str]:
    """Files behind a row, nearest first; of files of other data sets there are none.

    Where the row is of no single data set, one file of each rule speaks for all.
    """
    jobs, made_by = manifest["jobs"], manifest["made_by"]
    keys = [*manifest["sources"], *manifest["absent"]]
    datasets = [dataset for dataset in row.datasets if dataset in keys]
    found, pending, rules = [], [row.path.as_posix()], set()
    seen = set(pending)
    while pending:
        path = pending.pop(0)
        job = jobs.get(made_by.get(path, ""))
        if job is None:
            continue
        for parent in job["inputs"]:
            if parent in seen or not concerns(parent, datasets, keys):
                continue
            # Of what the papers print, the table's own page: its rule reads others for its kin.
            if parent.startswith("data/published/") and Path(parent).stem != row.table:
                continue
            seen.add(parent)
            rule = jobs[made_by[parent]]["rule"] if parent in made_by else parent
            if not datasets and (rule, Path(parent).suffix) in rules:
                continue
            rules.add((rule, Path(parent).suffix))
            found.append(parent)
            pending.append(parent)
    return found


def concerns(path: str, datasets: Sequence[str], keys: Sequence[str]) -> bool:
    """Whether a file says something of one of some data sets; files of no data set do.

    >>> concerns("data/results/soft/wine.parquet", ["wine"], ["iris", "wine"])
    True
    >>> concerns("data/noised/soft/iris/seeds.parquet", ["wine"], ["iris", "wine"])
    False
    >>> concerns("data/results/soft/statistics.parquet", ["wine"], ["iris", "wine"])
    True

    Parameters
    ----------
    path : str
    datasets : sequence of str
        None: every file does.
    keys : sequence of str
        All data sets of the run.
    """
    if not datasets:
        return True
    for part in [Path(path).stem, *reversed(Path(path).parent.parts)]:
        # Chunks and parts of a data set's job stand behind its name.
        own = [key for key in keys if part == key or part.startswith(f"{key}_")]
        if own:
            return max(own, key=len) in datasets
    return True


# ------------------------------------------------------------------------------------ one file


def _source(root, path, jobs, made_by, calls, expected, row, function="") -> Source:
    job = made_by.get(path, "")
    call = calls.get(jobs[job]["rule"], "") if job else ""
    if function and ":" not in call:
        call = f"{call}:{function}"
    file = root / path
    now = checksum(file) if file.is_file() else ""
    listed = expected.get(path)
    frame = _table(file)
    told = {} if frame is None or path == row.path.as_posix() else _told(frame, row)
    return Source(
        path,
        _holds(path),
        job,
        call,
        code_of(call),
        now,
        None if listed is None else listed == {now},
        **told,
    )


def _table(file: Path) -> pd.DataFrame | None:
    if not file.is_file():
        return None
    if file.suffix == ".parquet":
        return read_parquet(file)
    return read_csv(file) if file.suffix == ".csv" else None


def _told(frame: pd.DataFrame, row: Row) -> dict[str, Any]:
    """Rows of a table that fit the key of a row, in the columns that both have."""
    fits, by = fitting(frame, row), {}
    for column in fits.columns:
        kind = fits[column].dtype.kind
        if kind == "f" and column not in ("noise", "factor", "training_noise", "share"):
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


def fitting(frame: pd.DataFrame, row: Row) -> pd.DataFrame:
    """Rows that say the same as the key of a row wherever they say it at all.

    A column in which none does is passed over: a mean has a name of its own, and a metric may be
    computed from another one.
    """
    for column, value in row.key.items():
        if column in frame.columns and column not in _UNITS:
            own = frame[[same(v, value) for v in frame[column]]]
            frame = own if len(own) else frame
    return frame


def _holds(path: str) -> str:
    kinds = {
        "data/raw/": "what served the data set",
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
    found = {}
    for file in sorted((root / "workflow/rules").glob("*.smk")):
        text = file.read_text(encoding="utf-8")
        for part in re.split(r"^(?=rule \w+:)", text, flags=re.MULTILINE):
            rule = re.match(r"rule (\w+):", part)
            if rule is None:
                continue
            call = re.search(r'\*\*step\(\s*config,\s*"([^"]+)"', part)
            script = re.search(r'script:\s*"\.\./([^"]+)"', part)
            found[rule[1]] = call[1] if call else f"workflow/{script[1]}" if script else ""
    return found


def code_of(call: str) -> str:
    """Where a function stands, `file:line`; the file of a script."""
    if not call or call.startswith("workflow/"):
        return call
    module, _, name = call.partition(":")
    path = f"experiments/{module.replace('.', '/')}.py"
    file = PACKAGE / path
    if not file.is_file():
        return ""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return f"src/hedgerow/{path}:{node.lineno}"
    return f"src/hedgerow/{path}"


def _says(root: Path, row: Row, table: Source) -> str:
    """The caption, and what stands at the function."""
    said = []
    caption = root / CAPTIONS / f"{row.table}.rst"
    if caption.is_file():
        said.append(read_caption(caption))
    module, _, name = table.function.partition(":")
    file = PACKAGE / f"experiments/{module.replace('.', '/')}.py"
    if name and file.is_file():
        for node in ast.parse(file.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and node.name == name:
                said.append(inspect.cleandoc(ast.get_docstring(node) or ""))
    return "\n\n".join(text for text in said if text)
