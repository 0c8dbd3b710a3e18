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
from hedgerow.texts import plain
from hedgerow_study.audit.screen import Progress, add_project

if TYPE_CHECKING:
    from hedgerow_study.audit.behind import Part, Selected

#: How many cells that are not what their rows give are told one by one.
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
    parser.add_argument("row", nargs=nargs, metavar="ROW", help="a row of a table, as told below")
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

    found, console = trace(options.project, options.row), new_console()
    if options.json:
        write_json(options.json, json.loads(json.dumps(found.to_dict(), default=str)))

    def say(text: str = "") -> None:
        console.print(plain(text), soft_wrap=True)

    _say_row(say, found.row)
    say(f"  made by {found.table.function} ({found.table.code}), job {found.table.job}")
    say(f"  {found.table.path}: {_checksum(found.table)}")
    _say_parts(say, found.parts)
    say()
    say("What it says")
    say("\n".join(f"  {line}".rstrip() for line in found.says.splitlines()))
    if len(found.datasets) > 1:
        say()
        say(
            f"The rows are of {len(found.datasets)} data sets; below stand the files of the first, "
            f"{found.datasets[0]}"
        )
    for number, source in enumerate(found.sources, 1):
        say()
        say(f"{number}. {source.path}: {source.holds}")
        if source.job:
            say(f"  made by {source.function} ({source.code}), job {source.job}")
        say(f"  {_checksum(source)}")
        if source.n_rows is not None:
            say(f"  {source.n_rows:,} of {source.of_rows:,} rows are of the same")
        for column, values in source.by.items():
            say(f"    {column}: {values}")
        if source.n_rows and source.n_rows <= len(source.first):
            for record in source.first:
                say(f"    {_line(record)}")
    if found.data:
        served = found.data
        say()
        say(f"The file of {served['dataset']} came from {served['from']}")
        say(f"  {served['path']}: {served['bytes']:,} bytes, there called {served['file']}")
        say(f"  SHA-256 {served['sha256']}")
        if served.get("local"):
            say(f"  {served['local']}")
    wrong = [s.path for s in (found.table, *found.sources) if s.as_recorded is False]
    columns = [part.column for part in found.parts if not part.holds]
    if columns or wrong:
        say()
    if columns:
        say(f"Not what its rows give: {', '.join(columns)}.")
    if wrong:
        say(f"Not as the manifest lists it: {', '.join(wrong)}.")
    return 0 if found.holds else 1


def _say_parts(say: Callable[..., None], parts: Sequence[Part], most: int = 12) -> None:
    """Each number of a row with the rows that it rests on; rows that were told stand once."""
    told: dict[tuple, str] = {}
    for part in parts:
        say()
        again = part.again
        again = f"{again:.9g}" if isinstance(again, float) else str(again)
        verdict = "as printed" if part.holds else f"NOT as printed, {part.printed}"
        found = f" = {again}, {verdict}" if part.kind != "stated" else f"; printed {part.printed}"
        say(f"{part.column}: {part.says}{found}")
        for number, own in enumerate(part.selected, 1):
            which = "first" if number == 1 else "second" if number == 2 else f"number {number}"
            head = f"  {which}, " if len(part.selected) > 1 else "  "
            key = (own.rows.of, own.rows.value, repr(own.rows.where))
            if key in told:
                say(f"{head}the rows of {told[key]}")
                continue
            told[key] = part.column + (f", {which}" if len(part.selected) > 1 else "")
            say(f"{head}`{own.rows.value}` of {_names(own.files, 3)}")
            for place, line in _rows_told(own, most):
                say(f"    {place}: {line}")
            if len(own.frame) > most:
                say(f"    and {len(own.frame) - most:,} more; --json FILE has all")


def _rows_told(own: Selected, most: int) -> Iterator[tuple[str, str]]:
    """The first rows with their number in the file, by what tells them apart."""
    from hedgerow_study.reporting.cells import KEYS, PLACES

    frame = own.frame
    keys = [
        c
        for c in frame.columns
        if c not in (*PLACES, "value", own.rows.value)
        and (c in KEYS or frame[c].dtype.kind not in "f")
    ]
    for record in frame.head(most).to_dict("records"):
        name = own.rows.value
        yield (
            f"row {record['#row']}",
            _line({**{c: record[c] for c in keys[:8]}, name: record["value"]}),
        )


def _names(names: Sequence[str], most: int) -> str:
    more = f" and {len(names) - most} more files" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def _trace_all(options: argparse.Namespace) -> int:
    """Every number of every table from its rows; those that are not are told."""
    from hedgerow.files import check_free, write_json
    from hedgerow_study.audit.behind import Behind
    from hedgerow_study.audit.run import Run
    from hedgerow_study.audit.trust import check_read

    root, console = Path(options.project), new_console()
    check_read(root)
    found = Behind(Run(root))
    counts, own, wrong = Counter(), Counter(), []
    with Progress() as progress:
        progress.tell("cells", of=len(found.tables))
        for name in found.tables:
            progress.tell(name)
            for part in itertools.chain(found.parts(name), found.rest(name)):
                counts[part.kind] += 1
                own[name] += part.kind == "own"
                if not part.holds:
                    wrong.append(
                        {
                            "table": name,
                            "row": part.row + 1,
                            "column": part.column,
                            "printed": part.printed,
                            "again": part.again,
                        }
                    )
            progress.tell(name, 1)

    def say(text: str) -> None:
        console.print(plain(text), soft_wrap=True)

    for one in wrong[:MOST_WRONG]:
        place = f"{one['table']}:#{one['row']}, {one['column']}"
        say(f"{place}: {one['printed']}, and its rows give {one['again']}")
    if len(wrong) > MOST_WRONG:
        say(f"and {len(wrong) - MOST_WRONG:,} more; --json FILE has all")
    fine = "all as printed" if not wrong else f"{len(wrong):,} NOT as printed"
    say(
        f"{counts['computed']:,} numbers of {len(found.tables)} tables computed from their rows, "
        f"{counts['copied']:,} copied from a named row, {counts['own']:,} made again by the "
        f"table's own function only, and {counts['text']:,} words: {fine}."
    )
    if options.json:
        check_free(options.json, options.force)  # it took a while
        told = {"counts": dict(counts), "own": dict(own), "wrong": wrong}
        write_json(options.json, json.loads(json.dumps(told, default=str)))
    return 1 if wrong else 0


def run_replay(options: argparse.Namespace) -> int:
    """0 if the row and all on its way came out as before, else 1."""
    from hedgerow_study.audit.replay import replay

    with Progress() as progress:
        found = replay(options.project, options.row, options.cores, progress.tell)
    console = new_console()

    def say(text: str = "") -> None:
        console.print(plain(text), soft_wrap=True)

    say(f"{len(found.jobs)} jobs were run again: {', '.join(found.jobs)}")
    if found.split:
        say()
        say(f"Split ({_line(found.split['of'])}), from {found.split['path']}")
        for part, rows in found.split["parts"].items():
            first = ", ".join(map(str, rows["first"]))
            say(f"  {part}: {rows['rows']} rows: {first}, ...")
    for seed in found.seeds:
        say(f"  noise: {_line(seed)}")
    if found.tree:
        say()
        say(f"Tree ({_line(found.tree_of)})")
        say("\n".join(f"  {line}" for line in found.tree.splitlines()))
    say()
    _say_row(say, found.after)
    say()
    differ = [path for path, same in found.files.items() if not same]
    if found.same:
        say(f"As before: the row, and all {len(found.files)} files that were made again.")
    else:
        say(f"Before: {_line(found.before.values)}")
        say(f"Not as before: {', '.join(differ) or 'the row'}.")
    return 0 if found.same else 1


def _say_row(say: Callable[..., None], row: Any) -> None:
    say(f"{row.table}, row {row.number}")
    say(f"  {_line(row.key)}")
    say(f"  {_line(row.values)}")


def _line(record: Mapping[str, Any]) -> str:
    return ", ".join(f"{column} {value}" for column, value in record.items())


def _checksum(source: Any) -> str:
    if not source.checksum:
        return "missing"
    told = {True: "as the manifest has it", False: "NOT as the manifest has it", None: "not listed"}
    return f"SHA-256 {source.checksum}, {told[source.as_recorded]}"
