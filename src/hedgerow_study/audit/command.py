"""`hedgerow verify [PATH]` and `hedgerow status`."""

from __future__ import annotations

import argparse
import secrets
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.errors import DataError, InputError
from hedgerow.screen import add_force, describe, new_console
from hedgerow.texts import plain
from hedgerow_study.audit.screen import Progress, add_project

if TYPE_CHECKING:
    from hedgerow_study.audit.findings import Findings

VERIFY = (
    "Compare results with the manifest of the run that made them: the checksum of every file, the\n"
    "jobs and parents of each result, settings, code and package versions, and files that no run\n"
    "has listed. Your checkout, the one that hedgerow runs from, recomputes data sets, tables,\n"
    "figures, verdicts and pages. It writes nothing, and runs nothing of another folder."
)
VERDICTS = """verdicts:
  identical               the bytes that the manifest lists
  equal within tolerance  a recomputed table (--rerun) with other bytes and the same numbers
  differs                 other bytes
  missing                 listed and not there
  not listed              there, and no run has listed it

exit status: 0 if all files and checks hold, 1 if not. The last line names what was not checked.

examples:
  hedgerow verify
  hedgerow verify --digest 73ab3c... --rerun 10
  hedgerow verify --rerun soft_tables --rerun reports/figures/thesis_figure_3_5.svg
  hedgerow verify data/reference
  hedgerow verify data/reference --rerun 10 --seed "any words"
  hedgerow verify FOLDER --rerun 5      (of somebody else: nothing of it is run)
"""
STATUS = (
    "Tell which results are out of date and why: data, configuration, code or environment.\n"
    "It asks Snakemake what it would run, and runs nothing."
)
STATUS_EXIT = """exit status: 0 if nothing is out of date, 1 if something is, so that a script can \
ask: hedgerow status || make reproduce
"""


def add_verify(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    describe(parser, VERIFY, VERDICTS)
    parser.set_defaults(run=run_verify)
    more = (
        ", or data/reference or a folder in it: results at paper scale, where other code and "
        "versions are reported and count for nothing"
    )
    add_project(parser, more=more)
    parser.add_argument(
        "--digest",
        metavar="D",
        help="SHA-256 that the manifest has to have, as the run printed it; without it nobody can "
        "tell a manifest that was edited together with a result",
    )
    parser.add_argument(
        "--rerun",
        action="append",
        default=[],
        metavar="NAME",
        help="rerun jobs in a copy of the project, and compare: a number draws so many at "
        "random and makes all that they come from, from the raw files on; a rule, a job (its id in "
        "the manifest) or a file names them; may be given again. "
        "In data/reference a number draws parts; finished parts do not run again",
    )
    parser.add_argument(
        "--cheap",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="read the data sets again, and recompute tables, figures, verdicts and pages "
        "(default), or leave that out",
    )
    parser.add_argument(
        "--seed",
        metavar="S",
        help="seed of the draw (default: a new one): a number; for data/reference any text",
    )
    parser.add_argument(
        "--cores",
        type=int,
        default=2,
        metavar="N",
        help="for jobs that are rerun (default: %(default)s)",
    )
    parser.add_argument(
        "--tolerance",
        type=float,
        default=0.0,
        metavar="T",
        help="largest relative difference of numbers in recomputed tables (default: none)",
    )
    parser.add_argument(
        "--allow-unlisted",
        action="store_true",
        help="files that no run has listed, such as those of another configuration, are reported "
        "and count for nothing",
    )
    parser.add_argument(
        "--allow-changes",
        action="store_true",
        help="a run of a checkout that was not as committed may hold; its changes are reported",
    )
    parser.add_argument("--json", metavar="FILE", help="write all that was found")
    add_force(parser, "a FILE of --json")
    parser.add_argument("--all", action="store_true", help="show identical files, too")


def add_status(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    describe(parser, STATUS, STATUS_EXIT)
    parser.set_defaults(run=run_status)
    add_project(parser)
    parser.add_argument(
        "--configfile",
        nargs="+",
        metavar="FILE",
        help="ask for these settings (default: those of the last run, as their files are now)",
    )
    parser.add_argument(
        "--trust",
        action="store_true",
        help="run code of a folder that is not the checkout hedgerow runs from",
    )


# -------------------------------------------------------------------------------------- verify


def run_verify(options: argparse.Namespace) -> int:
    """0 if all holds, else 1."""
    from hedgerow.files import check_free, write_json
    from hedgerow_study.audit.checkout import local_checkout
    from hedgerow_study.audit.reference_results import is_reference, rerun_outputs, verify_reference
    from hedgerow_study.audit.verify import verify

    if options.json:
        check_free(options.json, options.force)
    path = Path(options.path)
    if not path.is_dir():
        raise DataError(f"{path} is no folder", remedy="name the folder of the project")
    project = (path / "config/default.yaml").is_file() or (path / "reports").is_dir()
    if not project and is_reference(path):
        if options.digest:
            raise DataError(
                f"{path} holds results at paper scale, which --digest does not know",
                remedy="leave it out; `hedgerow reference --help` says how they are made",
            )
        findings = verify_reference(path)
        if options.cheap:
            with Progress() as progress:
                rerun_outputs(path, findings, local_checkout(), options.cores, progress.tell)
        if options.rerun:
            _draw_parts(options, path, findings)
        findings.unlisted_allowed = options.allow_unlisted
    else:
        seed = secrets.randbelow(10**6) if options.seed is None else _number(options.seed)
        with Progress() as progress:
            findings = verify(
                path,
                digest=options.digest,
                rerun=options.rerun,
                cheap=options.cheap,
                seed=seed,
                cores=options.cores,
                tolerance=options.tolerance,
                allow_unlisted=options.allow_unlisted,
                allow_changes=options.allow_changes,
                tell=progress.tell,
            )
    _show(findings, options.all)
    if options.json:
        check_free(options.json, options.force)  # it took a while
        write_json(options.json, findings.to_dict())
    return 0 if findings.holds else 1


def _number(text: str) -> int:
    """The seed of a draw among the jobs of a run."""
    if not text.isdecimal():
        raise InputError(
            f"--seed is {text!r}", remedy="give a number; a text draws parts of data/reference"
        )
    return int(text)


def _draw_parts(options: argparse.Namespace, path: Path, findings: Findings) -> None:
    """Make parts of tracked results again, as many as asked for."""
    from hedgerow_study.audit.spot_check import spot_check

    odd = [one for one in options.rerun if not one.isdecimal()]
    if odd:
        raise InputError(
            f"--rerun {odd[0]}: parts of results at paper scale are drawn, not named",
            remedy="give a number; `hedgerow reference --compare` makes named parts again",
        )
    console = new_console()
    with Progress() as progress:
        spot_check(
            path,
            sum(map(int, options.rerun)),
            secrets.token_hex(4) if options.seed is None else options.seed,
            cores=options.cores,
            tell=progress.tell,
            say=lambda line: console.print(plain(line), soft_wrap=True),
            findings=findings,
        )


def _show(findings: Findings, everything: bool) -> None:
    from rich.table import Table
    from rich.text import Text

    from hedgerow_study.audit.findings import CLOSE, IDENTICAL, VERDICTS

    console = new_console()
    shown = [f for f in findings.files if everything or f.verdict != IDENTICAL]
    colours = {IDENTICAL: "green", CLOSE: "yellow"}
    if shown:
        table = Table(box=None, pad_edge=False, show_header=True, header_style="bold")
        table.add_column("verdict", no_wrap=True)
        table.add_column("file", overflow="fold")
        table.add_column("why", overflow="fold")
        for file in shown:
            verdict = Text(file.verdict, style=colours.get(file.verdict, "red"))
            table.add_row(verdict, plain(file.path), plain(file.why))
        console.print(table)
        console.print()
    table = Table(box=None, pad_edge=False, show_header=True, header_style="bold")
    table.add_column("check", no_wrap=True)
    table.add_column("holds", no_wrap=True)
    table.add_column("found", overflow="fold")
    kinds = {"input": "read", "output": "results", "between": "made on the way"}
    kinds |= {"record": "records", "": "not listed"}
    for kind, words in kinds.items():
        verdicts = Counter(file.verdict for file in findings.files if file.kind == kind)
        if verdicts:
            counts = ", ".join(f"{verdicts[v]} {v}" for v in VERDICTS if verdicts[v])
            bad = set(verdicts) - {IDENTICAL, CLOSE}
            allowed = kind == "" and findings.unlisted_allowed
            table.add_row(f"files: {words}", _mark(None if allowed and bad else not bad), counts)
    for check in findings.checks:
        table.add_row(check.name, _mark(check.holds), "\n".join(map(plain, _first(check.messages))))
    console.print(table)
    console.print()
    if findings.digest:
        console.print(f"SHA-256 of the manifest: {findings.digest}")
    n = len(findings.files)
    open_ = findings.not_checked()
    rest = f" Not checked: {'; '.join(open_)}." if open_ else ""
    if findings.holds:
        console.print(f"All {n} files and all checks hold.{rest}", soft_wrap=True)
        return
    bad = [check.name for check in findings.checks if check.holds is False]
    reasons = [f"{k} {verdict}" for verdict, k in findings.counts().items()]
    reasons += [f"not as recorded: {', '.join(bad)}"] if bad else []
    console.print(f"It does not hold: {'; '.join(reasons)}.{rest}", soft_wrap=True)


def _mark(holds: bool | None) -> Any:
    from rich.text import Text

    words = {True: ("yes", "green"), False: ("no", "red"), None: ("not checked", "yellow")}
    word, style = words[holds]
    return Text(word, style=style)


def _first(lines: list[str], most: int = 10) -> list[str]:
    more = [f"{len(lines) - most} more; --json FILE has all."] if len(lines) > most else []
    return lines[:most] + more


# -------------------------------------------------------------------------------------- status


def run_status(options: argparse.Namespace) -> int:
    """0 if nothing is out of date, else 1."""
    from hedgerow_study.audit.status import status

    console, state = new_console(), status(options.path, options.configfile, options.trust)
    for line in state.lines():
        console.print(plain(line), soft_wrap=True)
    return 0 if state.up_to_date else 1
