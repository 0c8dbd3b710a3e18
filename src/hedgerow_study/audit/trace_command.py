"""`hedgerow trace CELL` and `hedgerow replay ROW`: one number of a table, back to its source."""

from __future__ import annotations

import argparse
import itertools
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.errors import InputError
from hedgerow.screen import add_force, describe, new_console
from hedgerow.showing.numbers import count
from hedgerow.texts import plain
from hedgerow_study.audit.screen import Progress, add_project

if TYPE_CHECKING:
    from hedgerow_study.audit.provenance import Part, Selection

#: How many cells that are not what their rows give are listed one by one.
MOST_WRONG = 20
TRACE = (
    "Follow a cell of a table back to the raw file. The rows that it rests on are looked up in\n"
    "the files of the run and the cell is computed from them; then rule, function, trees, seeds\n"
    "of the noise, data set and its checksum. Nothing is written."
)
REPLAY = (
    "Make a row of a table again from its named seeds, in a copy of the project: all jobs between\n"
    "the data set and the table. It shows the split, the tree and the value, and whether all came\n"
    "out as before. A row that is a mean over data sets runs the jobs of all of them."
)
NAMES = """how a row is named:
  TABLE:WORDS, where TABLE is an id (a file in reports/tables) and WORDS are values of the first
  columns, in any order, as many as tell the row apart; or #12 for the twelfth row

examples:
  hedgerow {command} thesis_table_3_4:haberman,stp,accuracy,.1
  hedgerow {command} confdtree_table_1:#14
"""


def add_trace(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    _of_a_row(parser, "trace", TRACE, "?")
    parser.set_defaults(run=run_trace)
    parser.add_argument(
        "--all", action="store_true", help="compute every cell of every table from its rows instead"
    )
    parser.add_argument(
        "--json", metavar="FILE", help="write all of it, rows that fit in full included"
    )
    add_force(parser, "a FILE of --json")


def add_replay(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    _of_a_row(parser, "replay", REPLAY)
    parser.set_defaults(run=run_replay)
    parser.add_argument("--cores", type=int, default=2, metavar="N", help="default: %(default)s")


def _of_a_row(
    parser: argparse.ArgumentParser, name: str, description: str, nargs: str | None = None
) -> None:
    describe(parser, description, NAMES.format(command=name))
    parser.add_argument("row", nargs=nargs, metavar="ROW", help="a row of a table, see below")
    add_project(parser, "--project")


def run_trace(options: argparse.Namespace) -> int:
    """0 if every number is what its rows give and every file is as the manifest lists it."""
    if options.all == (options.row is not None):
        raise InputError("`trace` takes a row, or --all", remedy="name one of the two")
    from hedgerow.files import check_free, write_json

    if options.json:
        check_free(options.json, options.force)
    if options.all:
        return _trace_all(options)
    from hedgerow_study.audit.trace import trace

    traced, console = trace(options.project, options.row), new_console()
    if options.json:
        write_json(options.json, json.loads(json.dumps(traced.to_dict(), default=str)))

    def say(text: str = "") -> None:
        console.print(plain(text), soft_wrap=True)

    _say_row(say, traced.row)
    say(f"  made by {traced.table.function} ({traced.table.code}), job {traced.table.job}")
    say(f"  {traced.table.path}: {_checksum(traced.table)}")
    _say_parts(say, traced.parts)
    say()
    say("What it says")
    say("\n".join(f"  {line}".rstrip() for line in traced.caption.splitlines()))
    if len(traced.datasets) > 1:
        say()
        say(
            f"The rows are of {len(traced.datasets)} data sets; below stand the files of the "
            f"first, {traced.datasets[0]}"
        )
    for number, source in enumerate(traced.sources, 1):
        say()
        say(f"{number}. {source.path}: {source.holds}")
        if source.job:
            say(f"  made by {source.function} ({source.code}), job {source.job}")
        say(f"  {_checksum(source)}")
        if source.n_rows is not None:
            say(f"  {count(source.n_rows)} of {count(source.of_rows)} rows are of the same")
        for column, values in source.by.items():
            say(f"    {column}: {values}")
        if source.n_rows and source.n_rows <= len(source.first):
            for record in source.first:
                say(f"    {_line(record)}")
    if traced.data:
        served = traced.data
        say()
        say(f"The file of {served['dataset']} came from {served['from']}")
        say(f"  {served['path']}: {count(served['bytes'])} bytes, there called {served['file']}")
        say(f"  SHA-256 {served['sha256']}")
        if served.get("local"):
            say(f"  {served['local']}")
    wrong = [s.path for s in (traced.table, *traced.sources) if s.as_recorded is False]
    columns = [part.column for part in traced.parts if not part.holds]
    if columns or wrong:
        say()
    if columns:
        say(f"Not what its rows give: {', '.join(columns)}.")
    if wrong:
        say(f"Not as the manifest lists it: {', '.join(wrong)}.")
    return 0 if traced.holds else 1


def _say_parts(say: Callable[..., None], parts: Sequence[Part], most: int = 12) -> None:
    """Each number of a row with the rows that it rests on; repeated rows are printed once."""
    shown: dict[tuple, str] = {}
    for part in parts:
        say()
        again = part.recomputed
        again = f"{again:.9g}" if isinstance(again, float) else str(again)
        verdict = "as printed" if part.holds else f"NOT as printed, {part.printed}"
        outcome = f" = {again}, {verdict}" if part.kind != "stated" else f"; printed {part.printed}"
        say(f"{part.column}: {part.formula_text}{outcome}")
        for number, selection in enumerate(part.selected, 1):
            which = "first" if number == 1 else "second" if number == 2 else f"number {number}"
            head = f"  {which}, " if len(part.selected) > 1 else "  "
            key = (selection.rows.of, selection.rows.value, repr(selection.rows.where))
            if key in shown:
                say(f"{head}the rows of {shown[key]}")
                continue
            shown[key] = part.column + (f", {which}" if len(part.selected) > 1 else "")
            say(f"{head}`{selection.rows.value}` of {_names(selection.files, 3)}")
            for place, line in _row_lines(selection, most):
                say(f"    {place}: {line}")
            if len(selection.frame) > most:
                say(f"    and {count(len(selection.frame) - most)} more; --json FILE has all")


def _row_lines(selection: Selection, most: int) -> Iterator[tuple[str, str]]:
    """The first rows with their number in the file, by what tells them apart."""
    from hedgerow_study.reporting.cells import KEYS, PLACES

    frame = selection.frame
    keys = [
        c
        for c in frame.columns
        if c not in (*PLACES, "value", selection.rows.value)
        and (c in KEYS or frame[c].dtype.kind not in "f")
    ]
    for record in frame.head(most).to_dict("records"):
        name = selection.rows.value
        yield (
            f"row {record['#row']}",
            _line({**{c: record[c] for c in keys[:8]}, name: record["value"]}),
        )


def _names(names: Sequence[str], most: int) -> str:
    more = f" and {len(names) - most} more files" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _trace_all(options: argparse.Namespace) -> int:
    """Compute every number of every table from its rows, and report those that differ."""
    from hedgerow.files import check_free, write_json
    from hedgerow_study.audit.checkout import check_read
    from hedgerow_study.audit.provenance import Provenance
    from hedgerow_study.audit.run import Run

    root, console = Path(options.project), new_console()
    check_read(root)
    provenance = Provenance(Run(root))
    counts, uncovered, wrong = Counter(), Counter(), []
    with Progress() as progress:
        progress.tell("cells", of=len(provenance.tables))
        for name in provenance.tables:
            progress.tell(name)
            for part in itertools.chain(provenance.parts(name), provenance.rest(name)):
                counts[part.kind] += 1
                uncovered[name] += part.kind == "own"
                if not part.holds:
                    wrong.append(
                        {
                            "table": name,
                            "row": part.row + 1,
                            "column": part.column,
                            "printed": part.printed,
                            "again": part.recomputed,
                        }
                    )
            progress.tell(name, 1)

    def say(text: str) -> None:
        console.print(plain(text), soft_wrap=True)

    for one in wrong[:MOST_WRONG]:
        place = f"{one['table']}:#{one['row']}, {one['column']}"
        say(f"{place}: {one['printed']}, and its rows give {one['again']}")
    if len(wrong) > MOST_WRONG:
        say(f"and {count(len(wrong) - MOST_WRONG)} more; --json FILE has all")
    fine = "all as printed" if not wrong else f"{count(len(wrong))} NOT as printed"
    say(
        f"{count(counts['computed'])} numbers of {len(provenance.tables)} tables computed from "
        f"their rows, {count(counts['copied'])} copied from a named row, {count(counts['own'])} "
        f"made again by the table's own function only, and {count(counts['text'])} words: {fine}."
    )
    if options.json:
        check_free(options.json, options.force)  # it took a while
        per_table = {"counts": dict(counts), "own": dict(uncovered), "wrong": wrong}
        write_json(options.json, json.loads(json.dumps(per_table, default=str)))
    return 1 if wrong else 0


def run_replay(options: argparse.Namespace) -> int:
    """0 if the row and all on its way came out as before, else 1."""
    from hedgerow_study.audit.rerun_row import replay

    with Progress() as progress:
        replayed = replay(options.project, options.row, options.cores, progress.tell)
    console = new_console()

    def say(text: str = "") -> None:
        console.print(plain(text), soft_wrap=True)

    say(f"{len(replayed.jobs)} jobs were run again: {', '.join(replayed.jobs)}")
    if replayed.split:
        say()
        say(f"Split ({_line(replayed.split['of'])}), from {replayed.split['path']}")
        for part, rows in replayed.split["parts"].items():
            first = ", ".join(map(str, rows["first"]))
            say(f"  {part}: {rows['rows']} rows: {first}, ...")
    for seed in replayed.seeds:
        say(f"  noise: {_line(seed)}")
    if replayed.tree:
        say()
        say(f"Tree ({_line(replayed.tree_of)})")
        say("\n".join(f"  {line}" for line in replayed.tree.splitlines()))
    say()
    _say_row(say, replayed.after)
    say()
    differ = [path for path, same in replayed.files.items() if not same]
    if replayed.same:
        say(f"As before: the row, and all {len(replayed.files)} files that were made again.")
    else:
        say(f"Before: {_line(replayed.before.values)}")
        say(f"Not as before: {', '.join(differ) or 'the row'}.")
    return 0 if replayed.same else 1


def _say_row(say: Callable[..., None], row: Any) -> None:
    say(f"{row.table}, row {row.number}")
    say(f"  {_line(row.key)}")
    say(f"  {_line(row.values)}")


def _line(record: Mapping[str, Any]) -> str:
    return ", ".join(f"{column} {value}" for column, value in record.items())


def _checksum(source: Any) -> str:
    if not source.checksum:
        return "missing"
    text = {True: "as the manifest has it", False: "NOT as the manifest has it", None: "not listed"}
    return f"SHA-256 {source.checksum}, {text[source.as_recorded]}"
