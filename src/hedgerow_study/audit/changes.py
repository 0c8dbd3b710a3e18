"""What the last run changed: the edits before it, and claims, tables and figures that moved."""

from __future__ import annotations

import functools
import io
import math
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.checks import check_number
from hedgerow.data import load_registry
from hedgerow.data.row_changes import RowChanges
from hedgerow.data.versions import compare_versions, version_bytes
from hedgerow.errors import DataError, HedgerowError
from hedgerow.files import MAKE_AGAIN, below
from hedgerow_study.audit.row_names import key_columns
from hedgerow_study.audit.verify import diff_settings
from hedgerow_study.workflow.jobs.digest import PACKAGE, STUDY
from hedgerow_study.workflow.references.previous import CLAIMS, State, current_state, read_previous

if TYPE_CHECKING:
    import pandas as pd

RAW = "data/raw/"
#: Key of a row that has no other one: its number, from 1.
PLACE = "#"
ADDED, REMOVED, CHANGED = "added", "removed", "changed"
#: Changed cells of a data set, and rows of a table that came or went, which are listed.
MOST = 10
#: What is compared of a claim.
OF_CLAIM = ("verdict", "measured", "estimate", "low", "high")

#: Compares the rows of two versions of a data set, by their checksums; None where it cannot.
Rows = Callable[[str, str, str], RowChanges | None]


def changes(root: Path | str = ".", most: int = 3) -> dict[str, Any]:
    """Compare the last run of a folder with the run before it that it replaced.

    root: Nothing in it is written, and no code of it is run.
    """
    check_number("cells", most, 0, 10**6, whole=True)
    root = Path(root)
    after = current_state(root)
    if after is None:
        raise DataError(f"{root} holds no manifest of a run", remedy="call `make reproduce`")
    before = read_previous(root)
    return compare(before, after, functools.partial(_rows, root, after.manifest), most)


def compare(before: State, after: State, rows: Rows, most: int = 3) -> dict[str, Any]:
    """Compare two runs.

    Parameters
    ----------
    before, after : State
    rows : callable
        Compares two versions of a data set, given its key and their SHA-256; None where one of
        them is not here.
    most : int
        Cells of a table that are listed.

    Returns
    -------
    dict
        Ready for JSON. Where there is nothing before or after, the value is None.

        - `before`, `after`: SHA-256 of the two manifests.
        - `ended`: False where results differ and the manifest is the earlier one, because the run
          was interrupted or made a part only. The edits are then unknown.
        - `edits`: mapping of
            - `data`: list of `dataset`, `change`, `rows` (`before` and `after`, numbers of rows;
              `added`, `removed`, `changed`, numbers of rows that differ; None where a version is
              not here), `cells` (the first ten that changed: `row`, `column`, `before`, `after`)
              and `n_cells`;
            - `settings`, `packages`: lists of `name`, `before`, `after`;
            - `code`: list of `name` (of a function, class or constant) and `change`;
            - `rules`: names of rules whose code differs, where no function tells why;
            - `files`: list of `path` and `change`, other files that were read.
        - `n_claims`, `n_tables`, `n_figures`: how many there are after the run.
        - `claims`: those that moved, a list of `claim`, `statement`, `published` (text), `change`,
          and `before` and `after` in each of `verdict`, `measured` (text of the effect),
          `estimate`, `low`, `high` (numbers).
        - `tables`: those that differ, sorted by id, a list of `id`, `change`, `n_cells`, `cells`,
          `columns_added`, `columns_removed`, `n_rows_added`, `n_rows_removed`, and `rows_added`
          and `rows_removed`, the keys of the first ten. A cell has `row` (its key, the first
          columns as far as they tell rows apart; else `#`, its number), `column`, `before` and
          `after` (as the file has them), `difference` (None of texts). Cells that moved most come
          first, by the difference over the largest value of the column; a text counts 1.
        - `figures`: those that differ, a list of `id`, `change`, and `before` and `after`, the
          paths of the SVG files.
        A `change` is "added", "removed" or "changed".
    """
    differing = sorted(
        path
        for path in {*before.files, *after.files}
        if before.files.get(path) != after.files.get(path)
    )
    tables = [path for path in differing if path.startswith("reports/tables/")]
    figures = [path for path in differing if path.endswith(".svg")]
    return {
        "before": before.digest,
        "after": after.digest,
        "ended": before.digest != after.digest or not differing,
        "edits": _edits(before, after, rows),
        **{f"n_{kind}": _count(after, kind) for kind in ("tables", "figures")},
        "n_claims": len(_claims(after)),
        "claims": _moved(before, after) if CLAIMS in differing else [],
        "tables": [one for path in tables if (one := _table(path, before, after, most))],
        "figures": [
            {
                "id": Path(path).stem,
                "change": _change(path in before.files, path in after.files),
                "before": path if path in before.files else None,
                "after": path if path in after.files else None,
            }
            for path in figures
        ],
    }


def _count(state: State, kind: str) -> int:
    return sum(path.startswith(f"reports/{kind}/") for path in state.files)


def _change(was: bool, is_: bool) -> str:
    return CHANGED if was and is_ else ADDED if is_ else REMOVED


# ------------------------------------------------------------------------------------- edits


def _edits(before: State, after: State, rows: Rows) -> dict[str, list]:
    then, now = before.manifest, after.manifest
    noted = before.functions and after.functions
    code = _named(before.functions, after.functions) if noted else []
    inputs = then["inputs"], now["inputs"]
    raw = [_raw(side) for side in inputs]
    return {
        "data": [_data(*one, *raw, rows) for one in _named(*raw)],
        "settings": [
            {"name": name.strip("`"), "before": _plain(was), "after": _plain(value)}
            for name, was, value in diff_settings(then["configuration"], now["configuration"])
        ],
        "code": [{"name": _code_name(name), "change": change} for name, change in code],
        "rules": [] if code else _other_rules(then["jobs"], now["jobs"]),
        "packages": _versions(then, now),
        "files": [
            {"path": path, "change": change}
            for path, change in _named(*inputs)
            if not path.startswith(RAW)
        ],
    }


def _named(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names of which two mappings hold different values, with what happened to each."""
    differing = sorted(name for name in {*then, *now} if then.get(name) != now.get(name))
    return [(name, _change(name in then, name in now)) for name in differing]


def _raw(inputs: Mapping[str, str]) -> dict[str, str]:
    """SHA-256 of the file of each data set: sources give it other names."""
    return {path.split("/")[2]: one for path, one in inputs.items() if path.startswith(RAW)}


def _versions(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[dict[str, str | None]]:
    was, is_ = (
        {**m["packages"], "python": m["python"], "platform": m["platform"]} for m in (then, now)
    )
    return [
        {"name": name, "before": was.get(name), "after": is_.get(name)}
        for name, _ in _named(was, is_)
    ]


def _plain(value: Any) -> Any:
    """A setting; None where there is none of this name."""
    return None if type(value) is object else value


def _code_name(name: str) -> str:
    """What `code_by_function` calls a function, as Python or the path of a file names it."""
    module, _, function = name.partition(":")
    room = name.replace(":", ".").replace("/", ".").partition(".")[0]
    package = (STUDY if (STUDY / room).is_dir() else PACKAGE).name
    if "/" in name:
        return f"{package}/{name}"
    return f"{package}.{module}" + (f".{function}" if function else " (its statements)")


def _other_rules(then: Mapping[str, Any], now: Mapping[str, Any]) -> list[str]:
    both = then.keys() & now.keys()
    return sorted({now[id]["rule"] for id in both if then[id].get("code") != now[id].get("code")})


def _data(dataset: str, change: str, then: Mapping, now: Mapping, rows: Rows) -> dict[str, Any]:
    differ = rows(dataset, then[dataset], now[dataset]) if change == CHANGED else None
    cells = differ.cells if differ else ()
    return {
        "dataset": dataset,
        "change": change,
        "rows": None
        if differ is None
        else {
            "before": differ.n_before,
            "after": differ.n_after,
            **{name: getattr(differ, name) for name in (ADDED, REMOVED, CHANGED)},
        },
        "cells": [
            {"row": c.row, "column": c.column, "before": c.before, "after": c.after}
            for c in cells[:MOST]
        ],
        "n_cells": len(cells),
    }


def _rows(
    root: Path, manifest: Mapping[str, Any], dataset: str, before: str, after: str
) -> RowChanges | None:
    """Compare the rows of two versions of a data set that lie in a folder."""
    path = below(root, f"{RAW}{dataset}/{dataset}.data")
    layout = manifest.get("local_data", {}).get(dataset, {}).get("layout", "")
    versions = [version_bytes(path.parent, one) for one in (before, after)]
    if None in versions:
        return None
    try:
        file = below(root, str(manifest["configuration"].get("registry")))
        entry = load_registry(file, only=dataset)[dataset]
        return compare_versions(entry, path, *versions, str(layout))
    except HedgerowError:
        return None


# ------------------------------------------------------------------------------------ claims


def _frame(state: State, path: str) -> pd.DataFrame:
    """A table with every cell as it is written."""
    import pandas as pd

    try:
        content = io.BytesIO(state.files[path])
        return pd.read_csv(content, dtype=str, keep_default_na=False).fillna("")
    except ValueError:
        raise DataError(f"{path} is no table", remedy=MAKE_AGAIN) from None


def _claims(state: State) -> dict[str, dict[str, str]]:
    if CLAIMS not in state.files:
        return {}
    frame = _frame(state, CLAIMS)
    missing = {"claim", "statement", "published_value", *OF_CLAIM} - set(frame)
    if missing:
        raise DataError(f"{CLAIMS} has no column {min(missing)}", remedy=MAKE_AGAIN)
    return {row["claim"]: row for row in frame.to_dict("records")}


def _moved(before: State, after: State) -> list[dict[str, Any]]:
    then, now = _claims(before), _claims(after)
    moved = []
    for id in sorted({*then, *now}):
        was, is_ = then.get(id, {}), now.get(id, {})
        pairs = {name: _pair(was.get(name), is_.get(name)) for name in OF_CLAIM}
        for name in ("estimate", "low", "high"):
            pairs[name] = {side: _number(text) for side, text in pairs[name].items()}
        if all(pair["before"] == pair["after"] for pair in pairs.values()):
            continue
        text = is_ or was
        about = {"statement": text["statement"], "published": text["published_value"] or None}
        moved.append({"claim": id, **about, "change": _change(id in then, id in now), **pairs})
    return moved


def _pair(before: str | None, after: str | None) -> dict[str, Any]:
    return {"before": before or None, "after": after or None}


def _number(text: str | None) -> float | None:
    """The number that a cell holds, if it holds one."""
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if math.isfinite(value) else None


# ------------------------------------------------------------------------------------ tables


def _table(path: str, before: State, after: State, most: int) -> dict[str, Any] | None:
    """How a table differs; None where its numbers are only written otherwise."""
    listed = [path in state.files for state in (before, after)]
    table = {
        "id": Path(path).stem,
        "change": _change(*listed),
        "n_cells": 0,
        "cells": [],
        "columns_added": [],
        "columns_removed": [],
        "n_rows_added": 0,
        "n_rows_removed": 0,
        "rows_added": [],
        "rows_removed": [],
    }
    if not all(listed):
        return table
    differences = _difference(_frame(before, path), _frame(after, path), most)
    return table | differences if any(differences.values()) else None


def _difference(then: pd.DataFrame, now: pd.DataFrame, most: int) -> dict[str, Any]:
    """Cells, rows and columns in which two tables differ."""
    columns = [column for column in now if column in set(then)]
    key = max((key_columns(frame[columns]) for frame in (then, now)), key=len)
    if len(key) == len(columns):
        # Rows that nothing tells apart are compared by their places.
        key = [PLACE]
        then, now = (f.assign(**{PLACE: list(map(str, range(1, len(f) + 1)))}) for f in (then, now))
    places = [_places(frame, key) for frame in (then, now)]
    both = [one for one in places[1] if one in places[0]]
    cells = []
    for column in (column for column in columns if column not in key):
        values = [
            frame[column].to_numpy()[[place[one] for one in both]]
            for frame, place in zip((then, now), places, strict=True)
        ]
        differing = (values[0] != values[1]).nonzero()[0]
        numbers = [[_number(value) for value in side] for side in values if len(differing)]
        largest = max((abs(x) for side in numbers for x in side if x is not None), default=0.0)
        for n in differing:
            was, value = numbers[0][n], numbers[1][n]
            difference = None if was is None or value is None else value - was
            if difference != 0:
                share = 1.0 if difference is None else abs(difference) / largest
                cell = {
                    "row": _row(now, key, places[1][both[n]]),
                    "column": column,
                    **_pair(values[0][n], values[1][n]),
                    "difference": difference,
                }
                cells.append((-share, places[1][both[n]], cell))
    cells.sort(key=lambda cell: cell[:2])
    came = [_row(now, key, n) for one, n in places[1].items() if one not in places[0]]
    went = [_row(then, key, n) for one, n in places[0].items() if one not in places[1]]
    return {
        "n_cells": len(cells),
        "cells": [cell for *_, cell in cells[:most]],
        "columns_added": [column for column in now if column not in {*then, *key}],
        "columns_removed": [column for column in then if column not in {*now, *key}],
        "n_rows_added": len(came),
        "n_rows_removed": len(went),
        "rows_added": came[:MOST],
        "rows_removed": went[:MOST],
    }


def _places(frame: pd.DataFrame, key: list[str]) -> dict[tuple, int]:
    """The place of each row by its key, in which 1 and 1.0 are the same."""
    rows = zip(*(frame[column] for column in key), strict=True)
    return {
        tuple(text if (x := _number(text)) is None else x for text in row): n
        for n, row in enumerate(rows)
    }


def _row(frame: pd.DataFrame, key: list[str], place: int) -> dict[str, str]:
    return {column: frame[column].iat[place] for column in key}
