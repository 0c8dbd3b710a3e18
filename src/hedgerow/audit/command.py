"""`hedgerow verify [PATH]`, `status`, `trace CELL` and `replay ROW`."""

from __future__ import annotations

import argparse
import json
import secrets
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.errors import DataError

if TYPE_CHECKING:
    from rich.console import Console

    from hedgerow.audit.findings import Findings

VERIFY = (
    "Compare results with the manifest of the run that made them: the checksum of every file, the\n"
    "jobs and parents of each result, settings, code and package versions, and files that no run\n"
    "has listed. Nothing is written."
)
VERDICTS = """verdicts:
  identical               the bytes that the manifest lists
  equal within tolerance  a table that was made anew (--rerun) with other bytes and the same numbers
  differs                 other bytes
  missing                 listed and not there
  not listed              there, and no run has listed it

exit status: 0 if all files and checks hold, 1 if not.

examples:
  hedgerow verify
  hedgerow verify --digest 73ab3c... --rerun 10
  hedgerow verify data/reference
"""
STATUS = (
    "Tell which results are out of date and why: data, configuration, code or environment.\n"
    "It asks Snakemake what it would run, and runs nothing."
)
STATUS_EXIT = """exit status: 0 if nothing is out of date, 1 if something is, so that a script can \
ask: hedgerow status || make reproduce
"""


def add_verify(commands: Any) -> None:
    """Add the command to a parser's commands."""
    parser = commands.add_parser(
        "verify",
        help="are results what their run recorded? every file, its parents, settings, versions",
        description=VERIFY,
        epilog=VERDICTS,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run_verify)
    parser.add_argument(
        "path",
        nargs="?",
        default=".",
        metavar="PATH",
        help="folder of the project (default: this one), or data/reference or a folder in it: "
        "results at paper scale, where other code and versions are told and count for nothing",
    )
    parser.add_argument(
        "--digest",
        metavar="D",
        help="SHA-256 that the manifest has to have, as the run printed it; without it nobody can "
        "tell a manifest that was edited together with a result",
    )
    parser.add_argument(
        "--rerun",
        type=int,
        default=0,
        metavar="N",
        help="make N jobs anew, drawn at random, in a copy of the project, and compare",
    )
    parser.add_argument("--seed", type=int, metavar="S", help="of the draw (default: a new one)")
    parser.add_argument(
        "--cores", type=int, default=2, metavar="N", help="for --rerun (default: %(default)s)"
    )
    parser.add_argument(
        "--tolerance",
        type=float,
        default=0.0,
        metavar="T",
        help="with --rerun: largest relative difference of numbers in tables (default: none)",
    )
    parser.add_argument(
        "--allow-unlisted",
        action="store_true",
        help="files that no run has listed, such as those of another configuration, are told and "
        "count for nothing",
    )
    parser.add_argument("--json", metavar="FILE", help="write all that was found")
    parser.add_argument("--all", action="store_true", help="show identical files, too")


def add_status(commands: Any) -> None:
    """Add the command to a parser's commands."""
    parser = commands.add_parser(
        "status",
        help="which results are out of date, and why",
        description=STATUS,
        epilog=STATUS_EXIT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.set_defaults(run=run_status)
    parser.add_argument(
        "path",
        nargs="?",
        default=".",
        metavar="PATH",
        help="folder of the project (default: this one)",
    )
    parser.add_argument(
        "--configfile",
        nargs="+",
        metavar="FILE",
        help="ask for these settings (default: those of the last run, as their files are now)",
    )


TRACE = (
    "Follow a cell of a table back to the raw file: rule, function, formula, rows, trees, seeds\n"
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


def add_trace(commands: Any) -> None:
    """Add the command to a parser's commands."""
    parser = _of_a_row(commands, "trace", "where a cell of a table comes from", TRACE)
    parser.set_defaults(run=run_trace)
    parser.add_argument(
        "--json", metavar="FILE", help="write all of it, rows that fit in full included"
    )


def add_replay(commands: Any) -> None:
    """Add the command to a parser's commands."""
    parser = _of_a_row(commands, "replay", "make a row of a table again from its seeds", REPLAY)
    parser.set_defaults(run=run_replay)
    parser.add_argument("--cores", type=int, default=2, metavar="N", help="default: %(default)s")


def _of_a_row(commands: Any, name: str, text: str, description: str) -> argparse.ArgumentParser:
    parser = commands.add_parser(
        name,
        help=text,
        description=description,
        epilog=NAMES.format(command=name),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("row", metavar="ROW", help="a row of a table, as told below")
    parser.add_argument(
        "--project", default=".", metavar="FOLDER", help="folder of the project (default: this one)"
    )
    return parser


# -------------------------------------------------------------------------------------- verify


def run_verify(options: argparse.Namespace) -> int:
    """0 if all holds, else 1."""
    from hedgerow.audit.kept import is_kept, verify_kept
    from hedgerow.audit.verify import verify
    from hedgerow.files import write_json

    path = Path(options.path)
    if not path.is_dir():
        raise DataError(f"{path} is no folder", remedy="name the folder of the project")
    project = (path / "config/default.yaml").is_file() or (path / "reports").is_dir()
    if not project and is_kept(path):
        asked = [name for name in ("digest", "rerun") if getattr(options, name)]
        if asked:
            raise DataError(
                f"{path} holds results at paper scale, which --{asked[0]} does not know",
                remedy="leave it out; `hedgerow reference --help` says how they are made",
            )
        found = verify_kept(path)
        found.unlisted_allowed = options.allow_unlisted
    else:
        seed = secrets.randbelow(10**6) if options.seed is None else options.seed
        with _Progress(options.rerun) as progress:
            found = verify(
                path,
                digest=options.digest,
                rerun=options.rerun,
                seed=seed,
                cores=options.cores,
                tolerance=options.tolerance,
                allow_unlisted=options.allow_unlisted,
                tell=progress.tell,
            )
    if options.json:
        write_json(options.json, found.to_dict())
    _show(found, options.all)
    return 0 if found.holds else 1


def _show(found: Findings, everything: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    from hedgerow.audit.findings import CLOSE, IDENTICAL, VERDICTS

    console = _console()
    shown = [f for f in found.files if everything or f.verdict != IDENTICAL]
    colours = {IDENTICAL: "green", CLOSE: "yellow"}
    if shown:
        table = Table(box=None, pad_edge=False, show_header=True, header_style="bold")
        table.add_column("verdict", no_wrap=True)
        table.add_column("file", overflow="fold")
        table.add_column("why", overflow="fold")
        for file in shown:
            verdict = Text(file.verdict, style=colours.get(file.verdict, "red"))
            table.add_row(verdict, file.path, file.why)
        console.print(table)
        console.print()
    table = Table(box=None, pad_edge=False, show_header=True, header_style="bold")
    table.add_column("check", no_wrap=True)
    table.add_column("holds", no_wrap=True)
    table.add_column("found", overflow="fold")
    kinds = {"input": "read", "output": "results", "between": "made on the way"}
    kinds |= {"record": "records", "": "not listed"}
    for kind, words in kinds.items():
        own = Counter(file.verdict for file in found.files if file.kind == kind)
        if own:
            told = ", ".join(f"{own[v]} {v}" for v in VERDICTS if own[v])
            bad = set(own) - {IDENTICAL, CLOSE}
            allowed = kind == "" and found.unlisted_allowed
            table.add_row(f"files: {words}", _mark(None if allowed and bad else not bad), told)
    for check in found.checks:
        table.add_row(check.name, _mark(check.holds), "\n".join(_first(check.said)))
    console.print(table)
    console.print()
    if found.digest:
        console.print(f"SHA-256 of the manifest: {found.digest}")
    n = len(found.files)
    if found.holds:
        console.print(f"All {n} files and all checks hold.")
        return
    bad = [check.name for check in found.checks if check.holds is False]
    told = [f"{k} {verdict}" for verdict, k in found.counts().items()]
    told += [f"not as recorded: {', '.join(bad)}"] if bad else []
    console.print(f"It does not hold: {'; '.join(told)}.")


def _mark(holds: bool | None) -> Any:
    from rich.text import Text

    words = {True: ("yes", "green"), False: ("no", "red"), None: ("told", "")}
    word, style = words[holds]
    return Text(word, style=style)


def _first(said: list[str], most: int = 10) -> list[str]:
    more = [f"{len(said) - most} more; --json FILE has all."] if len(said) > most else []
    return said[:most] + more


class _Progress:
    """What is looked at, on a terminal; a bar over the jobs that are made anew."""

    def __init__(self, n_jobs: int):
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn

        console = _console(stderr=True)
        columns = [TextColumn("{task.description}")]
        columns += [BarColumn(), MofNCompleteColumn()] if n_jobs else []
        self._bars = Progress(
            *columns, console=console, transient=True, disable=not console.is_terminal
        )
        self._n_jobs = n_jobs
        self._task = self._bars.add_task("", total=n_jobs or None)

    def __enter__(self) -> _Progress:
        self._bars.start()
        return self

    def __exit__(self, *_) -> None:
        self._bars.stop()

    def tell(self, what: str, done: int = 0) -> None:
        """Show what comes next, or that a job is done."""
        self._bars.update(self._task, description=what, advance=done)


def _console(stderr: bool = False) -> Console:
    from rich.console import Console

    console = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    if console.is_terminal:
        return console
    # Into a pipe or a file, a line is a line.
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False, width=1000)


# -------------------------------------------------------------------------------------- status


def run_status(options: argparse.Namespace) -> int:
    """0 if nothing is out of date, else 1."""
    from hedgerow.audit.status import status

    console, found = _console(), status(options.path, options.configfile)
    for line in found.lines():
        console.print(line, soft_wrap=True)
    return 0 if found.up_to_date else 1


# -------------------------------------------------------------------------------- trace, replay


def run_trace(options: argparse.Namespace) -> int:
    """0 if every file on the way is as the manifest lists it, else 1."""
    from dataclasses import asdict

    from hedgerow.audit.trace import trace
    from hedgerow.files import write_json

    found, console = trace(options.project, options.row), _console()
    if options.json:
        write_json(options.json, json.loads(json.dumps(asdict(found), default=str)))

    def say(text: str = "") -> None:
        console.print(text, soft_wrap=True)

    _say_row(say, found.row)
    say(f"  made by {found.table.function} ({found.table.code}), job {found.table.job}")
    say(f"  {found.table.path}: {_checksum(found.table)}")
    say()
    say("What it says")
    say("\n".join(f"  {line}".rstrip() for line in found.says.splitlines()))
    for number, source in enumerate(found.sources, 1):
        say()
        say(f"{number}. {source.path}: {source.holds}")
        if source.job:
            say(f"  made by {source.function} ({source.code}), job {source.job}")
        say(f"  {_checksum(source)}")
        if source.n_rows is not None:
            say(f"  {source.n_rows:,} of {source.of_rows:,} rows fit")
        for column, values in source.by.items():
            say(f"    {column}: {values}")
        if source.n_rows and source.n_rows <= len(source.first):
            for record in source.first:
                say(f"    {_line(record)}")
    if found.data:
        served = found.data
        say()
        say(f"The data set {served['dataset']} came from {served['from']}")
        say(f"  data/raw/{served['dataset']}/{served['file']}: {served['bytes']:,} bytes")
        say(f"  SHA-256 {served['sha256']}")
    wrong = [s.path for s in (found.table, *found.sources) if s.as_recorded is False]
    if wrong:
        say()
        say(f"Not as the manifest lists it: {', '.join(wrong)}.")
    return 1 if wrong else 0


def run_replay(options: argparse.Namespace) -> int:
    """0 if the row and all on its way came out as before, else 1."""
    from hedgerow.audit.replay import replay

    with _Progress(0) as progress:
        found = replay(options.project, options.row, options.cores, progress.tell)
    console = _console()

    def say(text: str = "") -> None:
        console.print(text, soft_wrap=True)

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
