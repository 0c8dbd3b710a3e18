"""`hedgerow reference`: results at the scale of the papers, made in parts."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.errors import DataError
from hedgerow.screen import add_force, describe
from hedgerow_study.extensions.analytic_choices.plan import EXPERIMENTS

if TYPE_CHECKING:
    from hedgerow_study.workflow.references.paper_scale import Reference

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
  hedgerow reference analytic_choices --of soft --all   (every analysis of chapter 3)
"""
EVERY, PAPER = "all", "paper"


def add_reference(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    from hedgerow_study.workflow.references.paper_scale import (
        ANALYTIC_CHOICES,
        COMPARISON,
        MULTIVERSE,
        experiments,
    )

    describe(parser, REFERENCE, EXAMPLES)
    parser.set_defaults(run=run_reference)
    parser.add_argument(
        "experiment",
        choices=[*sorted(experiments()), COMPARISON, ANALYTIC_CHOICES, EVERY],
        metavar="EXPERIMENT",
        help=f"one of {', '.join(sorted(experiments()))}; {COMPARISON}: every printed cell beside "
        f"the tables that were made; {ANALYTIC_CHOICES}: the analyses of those that have any; "
        f"{EVERY}: all of them",
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
        "--of",
        metavar="EXPERIMENT",
        choices=EXPERIMENTS,
        help=f"with {ANALYTIC_CHOICES}: only this experiment (default: each)",
    )
    parser.add_argument(
        "--seed",
        metavar="TEXT",
        help="seed of the draw (default: the digests of today's code, so that nobody chooses it)",
    )
    parser.add_argument("--cores", type=int, default=2, metavar="N", help="default: %(default)s")
    parser.add_argument(
        "--configuration",
        metavar="NAME",
        help="a file in config/, without its suffix (default: paper; with "
        f"{ANALYTIC_CHOICES} {MULTIVERSE})",
    )
    parser.add_argument(
        "--out",
        default="data/reference",
        metavar="FOLDER",
        help="gets EXPERIMENT/ with tables, figures, manifest and parts/; for analytic_choices one "
        "folder for each experiment (default: %(default)s)",
    )
    add_force(parser, "files in EXPERIMENT/, other than those of earlier calls,")


def run_reference(options: argparse.Namespace) -> int:
    """Make parts and tables of one experiment, or of all."""
    from hedgerow_study.workflow.references.paper_scale import (
        ANALYTIC_CHOICES,
        COMPARISON,
        MULTIVERSE,
        Reference,
        check_out,
        compare_printed,
        experiments,
    )
    from hedgerow_study.workflow.settings.config import check_project

    check_project(Path())
    root, out, paper = Path(), Path(options.out), options.configuration or PAPER
    if options.of and options.experiment != ANALYTIC_CHOICES:
        raise DataError(
            f"--of {options.of} says which experiment is read",
            remedy=f"call `hedgerow reference {ANALYTIC_CHOICES} --of {options.of}`",
        )
    of_one = {*experiments()} | ({ANALYTIC_CHOICES} if options.of else set())
    if options.parts and options.experiment not in of_one:
        raise DataError(
            f"`{options.parts[0]}` is a part of one experiment", remedy="name that experiment"
        )
    every = [*experiments(), COMPARISON, ANALYTIC_CHOICES]
    for word in every if options.experiment == EVERY else [options.experiment]:
        if word == COMPARISON:
            check_out(out / word, word, options.force)
            compare_printed(root, paper, out, options.cores)
            print(f"{out / word}: every printed cell beside the tables of the parts")
        elif word == ANALYTIC_CHOICES:
            name = options.configuration or MULTIVERSE
            for of in [options.of] if options.of else EXPERIMENTS:
                _of_one(options, Reference(root, word, name, out / word / of, of))
        else:
            _of_one(options, Reference(root, word, paper, out / word))
    return 0


def _of_one(options: argparse.Namespace, one: Reference) -> None:
    from hedgerow_study.workflow.references.paper_scale import check_out

    folder = one.folder
    check_out(folder, one.experiment, options.force)
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
            verdict = "came out the same: all parts count as made by the code of today"
            print(f"{folder}: {', '.join(wanted)} {verdict}")
    n, lacking = len(one.cut.parts), one.absent()
    if lacking:
        print(f"{folder}: {n - len(lacking)} of {n} parts are there, and no tables yet")
        print(f"not there: {', '.join(lacking)}")
        return
    merged = one.merge(options.cores)
    print(f"{folder}: {n} parts, {len(merged['outputs'])} files (tables, figures, claims)")
