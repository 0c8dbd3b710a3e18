"""`hedgerow changes`: what the last run changed, and the edits before it."""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from hedgerow.screen import describe, new_console
from hedgerow.texts import plain
from hedgerow_study.audit.screen import add_project

CHANGES = """\
Show what the last run changed against the run before it: the edits (data, settings, code, package
versions, other files), then the claims, tables and figures that differ. Nothing of the project is
written or run. A run that replaces results keeps the earlier ones in data/changes/previous.tar.xz.
"""
EXAMPLES = """exit status: 0, whether or not anything differs; 1 if no earlier run is kept.

examples:
  hedgerow changes
  hedgerow changes --cells 10
  hedgerow changes --figures pairs      both versions of each figure, as ID_before.svg, ID_after.svg
  hedgerow changes --json > changes.json
"""
#: Edits of one kind that are listed.
MOST = 10
#: Characters of a setting.
WIDEST = 60


def add_changes(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    describe(parser, CHANGES, EXAMPLES)
    parser.set_defaults(run=run_changes)
    add_project(parser)
    parser.add_argument(
        "--cells",
        type=int,
        default=3,
        metavar="N",
        help="cells to list of each table, those that moved most (default: %(default)s)",
    )
    parser.add_argument(
        "--figures", metavar="FOLDER", help="write both versions of each figure into a new folder"
    )
    parser.add_argument("--json", action="store_true", help="print all of it as one JSON object")


def run_changes(options: argparse.Namespace) -> int:
    """Show it."""
    from hedgerow.files import check_free
    from hedgerow_study.audit.changes import changes

    if options.figures:
        check_free(options.figures, remedy="name a new folder")
    compared = changes(options.path, options.cells)
    if options.figures:
        _write_figures(Path(options.path), Path(options.figures), compared["figures"])
    if options.json:
        print(json.dumps(compared, indent=2, ensure_ascii=False))
        return 0
    console = new_console()
    for part in _parts(compared):
        text = isinstance(part, str)
        console.print(plain(part) if text else part, soft_wrap=text)
    return 0


def _write_figures(root: Path, folder: Path, figures: Iterable[dict[str, Any]]) -> None:
    """Write both versions of figures, and put the new paths in the place of the old ones."""
    from hedgerow.files import atomic_folder, write_bytes
    from hedgerow_study.workflow.references.previous import current_state, read_previous

    states = {"before": read_previous(root), "after": current_state(root)}
    with atomic_folder(folder) as stage:
        for figure in figures:
            for side, state in states.items():
                if figure[side]:
                    name = f"{figure['id']}_{side}.svg"
                    write_bytes(stage / name, state.files[figure[side]])
                    figure[side] = (folder / name).as_posix()


# ------------------------------------------------------------------------------------- words


def _parts(compared: Mapping[str, Any]) -> Iterable[Any]:
    """Lines and tables for a terminal."""
    edits = list(_edits(compared["edits"]))
    results = [*compared["claims"], *compared["tables"], *compared["figures"]]
    if not edits and not results:
        yield "Nothing changed: the last run gave the results of the run before."
        return
    if not compared["ended"]:
        yield "The last run has not ended or made only a part. Replaced so far:"
    elif edits:
        yield "Edits"
        yield _grid(edits)
    else:
        yield "Edits: none (data, settings, code, versions and files are the same)"
    if not results:
        yield "\nNo claim, table or figure changed."
        return
    yield from _claims(compared["claims"], compared["n_claims"])
    yield from _tables(compared["tables"], compared["n_tables"])
    yield from _figures(compared["figures"], compared["n_figures"])


def _grid(rows: Iterable[Iterable[str]], right: Iterable[int] = ()) -> Any:
    """Rows in aligned columns, two spaces from the left."""
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    rows = [["", *map(plain, row)] for row in rows]
    for number in range(max(map(len, rows), default=0)):
        side = "right" if number - 1 in right else "left"
        table.add_column(justify=side, overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    return table


def _edits(edits: Mapping[str, Any]) -> Iterable[tuple[str, str]]:
    """Pairs of kind and words."""
    kinds = {
        "data": [line for one in edits["data"] for line in _data(one)],
        "settings": [f"{one['name']}: {_values(one)}" for one in edits["settings"]],
        "code": [f"{one['name']} {one['change']}" for one in edits["code"]],
        "rules": [f"{rule} has other code" for rule in edits["rules"]],
        "packages": [f"{one['name']}: {_values(one)}" for one in edits["packages"]],
        "files": [f"{one['path']} {one['change']}" for one in edits["files"]],
    }
    for kind, lines in kinds.items():
        if kind != "data" and len(lines) > MOST:
            lines = [*lines[:MOST], f"and {len(lines) - MOST} more"]
        for number, line in enumerate(lines):
            yield "" if number else kind, line


def _data(one: Mapping[str, Any]) -> Iterable[str]:
    name, rows = one["dataset"], one["rows"]
    if one["change"] != "changed":
        yield f"{name} {one['change']}"
        return
    if rows is None:
        yield f"{name}: other bytes; rows not compared, as the earlier version is not kept"
        return
    counts = [f"{rows[kind]} {kind}" for kind in ("changed", "added", "removed") if rows[kind]]
    line = f"of {rows['before']} rows: {', '.join(counts)}" if counts else "other bytes, same rows"
    yield f"{name}: {line}"
    for cell in one["cells"]:
        yield f"  row {cell['row']}, {cell['column']}: {_values(cell)}"
    if one["n_cells"] > len(one["cells"]):
        yield f"  and {one['n_cells'] - len(one['cells'])} more cells"


def _values(one: Mapping[str, Any]) -> str:
    """What stood before and what stands after."""
    was, value = one["before"], one["after"]
    if isinstance(was, list) and isinstance(value, list):
        went = [f"-{item}" for item in was if item not in value]
        came = [f"+{item}" for item in value if item not in was]
        if went or came:
            return _short(" ".join(went + came))
    return f"{_word(was)} -> {_word(value)}"


def _word(value: Any) -> str:
    return "none" if value is None else _short(str(value))


def _short(text: str) -> str:
    return text if len(text) <= WIDEST else f"{text[: WIDEST - 3]}..."


def _claims(claims: list[Mapping[str, Any]], n: int) -> Iterable[Any]:
    from hedgerow_study.reporting.claim_specification import verdict_text

    other = sum(one["verdict"]["before"] != one["verdict"]["after"] for one in claims)
    yield f"\nClaims: {len(claims)} of {n} moved, {other} to another verdict"
    # Another verdict says more than another number.
    for one in sorted(claims, key=lambda c: c["verdict"]["before"] == c["verdict"]["after"]):
        verdict = {k: verdict_text(one["claim"], v) for k, v in one["verdict"].items()}
        same = verdict["before"] == verdict["after"]
        yield f"  {one['claim']}  " + (
            f"{verdict['after']}, as before" if same else _values(verdict)
        )
        texts = {**one["measured"], "published": one["published"]}
        yield _grid([("  " + side, text) for side, text in texts.items() if text])


def _tables(tables: list[Mapping[str, Any]], n: int) -> Iterable[Any]:
    yield f"\nTables: {len(tables)} of {n} changed"
    for one in tables:
        yield f"  {one['id']}: {', '.join(_of_table(one))}"
        if one["cells"]:
            yield _grid(map(_cell, one["cells"]), right=(2, 3, 4))


def _of_table(one: Mapping[str, Any]) -> Iterable[str]:
    if one["change"] != "changed":
        yield one["change"]
        return
    if one["n_cells"]:
        yield "1 cell changed" if one["n_cells"] == 1 else f"{one['n_cells']} cells changed"
    for what in ("added", "removed"):
        if n := one[f"n_rows_{what}"]:
            first = [", ".join(filter(None, row.values())) for row in one[f"rows_{what}"][:3]]
            more = "; ..." if n > len(first) else ""
            yield f"{n} row{'s' if n > 1 else ''} {what} ({'; '.join(first)}{more})"
        if names := one[f"columns_{what}"]:
            yield f"column{'s' if len(names) > 1 else ''} {what}: {', '.join(names)}"


def _cell(cell: Mapping[str, Any]) -> tuple[str, ...]:
    row = ", ".join(("#" if name == "#" else "") + v for name, v in cell["row"].items() if v)
    difference = cell["difference"]
    if difference is None:
        return f"  {row}", cell["column"], _word(cell["before"]), "->", _word(cell["after"])
    before, after = (f"{float(cell[side]):.6g}" for side in ("before", "after"))
    if before == after:
        before, after = cell["before"], cell["after"]
    return f"  {row}", cell["column"], before, "->", after, f"{difference:+.3g}"


def _figures(figures: list[Mapping[str, Any]], n: int) -> Iterable[Any]:
    line = f"\nFigures: {len(figures)} of {n} changed"
    written = any(f["before"] != f["after"] for f in figures if f["change"] == "changed")
    yield line if written or not figures else f"{line} (--figures FOLDER writes both versions)"
    same = [(f["id"], f["after"]) if f["before"] == f["after"] else None for f in figures]
    yield _grid(one or (f["id"], _values(f)) for one, f in zip(same, figures, strict=True))
