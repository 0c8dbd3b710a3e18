"""`hedgerow reference`: results at the scale of the papers, made in parts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from hedgerow.errors import DataError
from hedgerow.screen import add_command, add_force

REFERENCE = """\
Make results at the scale of the papers. Some files of each data set are kept as a part; tables,
figures and verdicts are made of all parts of an experiment, by the rules of the workflow. Parts may
be made on different days and machines. Run it in the folder of the project.
"""
EXAMPLES = """examples:
  hedgerow reference soft pima wdbc     (two parts; tables, when all parts are there)
  hedgerow reference soft --all         (the parts that are not there, and the tables)
  hedgerow reference soft               (the tables, of the parts that are there)
  hedgerow reference all --all          (of every experiment: hours)
  hedgerow reference soft --compare 3   (the code was reshaped: do three parts come out the same?)
"""
EVERY = "all"


def add_reference(commands: Any) -> None:
    """Add the command to a parser's commands."""
    from hedgerow.workflow.reference import COMPARISON, experiments

    words = "make results at the scale of the papers, in parts, and tables of all parts"
    parser = add_command(commands, "reference", words, REFERENCE, EXAMPLES)
    parser.set_defaults(run=run_reference)
    parser.add_argument(
        "experiment",
        choices=[*sorted(experiments()), COMPARISON, EVERY],
        metavar="EXPERIMENT",
        help=f"one of {', '.join(sorted(experiments()))}; {COMPARISON}: every printed cell beside "
        f"the tables that were made; {EVERY}: all of them",
    )
    parser.add_argument(
        "parts",
        nargs="*",
        metavar="PART",
        help="make these parts: data sets, or what an experiment on one data set is cut into "
        "(default: none, tables only)",
    )
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--all", action="store_true", help="make every part that is not there")
    what.add_argument(
        "--compare",
        type=int,
        metavar="N",
        help="make N parts again, drawn at random, and the named ones, and keep none of it: where "
        "they come out the same, all parts that are there count as made by the code of today (more "
        "than N, where a function that has changed would make none of them)",
    )
    parser.add_argument(
        "--seed",
        metavar="TEXT",
        help="of the draw (default: the digests of today's code, so that nobody chooses it)",
    )
    parser.add_argument("--cores", type=int, default=2, metavar="N", help="default: %(default)s")
    parser.add_argument(
        "--configuration",
        default="paper",
        metavar="NAME",
        help="a file in config/, without its suffix (default: %(default)s)",
    )
    parser.add_argument(
        "--out",
        default="data/reference",
        metavar="FOLDER",
        help="gets EXPERIMENT/ with tables, figures, manifest and parts/ (default: %(default)s)",
    )
    add_force(parser, "files in EXPERIMENT/, other than those of earlier calls,")


def run_reference(options: argparse.Namespace) -> int:
    """Make parts and tables of one experiment, or of all."""
    from hedgerow.workflow.config import check_project
    from hedgerow.workflow.reference import COMPARISON, check_out, compare_printed, experiments

    check_project(Path())
    if options.experiment in (COMPARISON, EVERY) and options.parts:
        raise DataError(
            f"`{options.parts[0]}` is a part of one experiment", remedy="name that experiment"
        )
    words = [*experiments(), COMPARISON] if options.experiment == EVERY else [options.experiment]
    for word in words:
        if word != COMPARISON:
            _of_one(options, word)
            continue
        root, folder = Path(), Path(options.out)
        check_out(folder / word, word, options.force)
        compare_printed(root, options.configuration, folder, options.cores)
        print(f"{folder / word}: every printed cell beside the tables of the parts")
    return 0


def _of_one(options: argparse.Namespace, experiment: str) -> None:
    from hedgerow.workflow.reference import Reference, check_out

    folder = Path(options.out) / experiment
    check_out(folder, experiment, options.force)
    one = Reference(Path(), experiment, options.configuration, folder)
    wanted = one.named(options.parts)
    if options.all:
        wanted += [name for name in one.absent() if name not in wanted]
    if options.compare is not None:
        if options.compare < 0 or not (options.compare or wanted):
            raise DataError("no part is to be compared", remedy="name some, or give --compare 2")
        wanted = one.to_compare(wanted, options.compare, options.seed or one.seed)
    if wanted:
        one.make(wanted, options.cores)
        if options.compare is None:
            one.collect(wanted)
        else:
            one.compare(wanted)
            said = "came out the same: all parts count as made by the code of today"
            print(f"{folder}: {', '.join(wanted)} {said}")
    n, lacking = len(one.cut.parts), one.absent()
    if lacking:
        print(f"{folder}: {n - len(lacking)} of {n} parts are there, and no tables yet")
        print(f"not there: {', '.join(lacking)}")
        return
    merged = one.merge(options.cores)
    print(f"{folder}: {n} parts, {len(merged['outputs'])} files (tables, figures, claims)")
