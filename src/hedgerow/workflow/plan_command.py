"""`hedgerow plan`: what a run will take, before it starts."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.screen import add_command, new_console

if TYPE_CHECKING:
    from hedgerow.workflow.need import Forecast

PLAN = """\
Tell what a run will take before it starts: jobs, processor time, time on the clock, memory and
disk, from what its jobs took before, here or for the results at the scale of the papers. Nothing is
run. Call it in the folder of the project.
"""
EXAMPLES = """examples:
  hedgerow plan
  hedgerow plan --configfile config/paper.yaml --cores 16
  hedgerow plan --nodes 10 --cores 16     on a cluster, by workflow/profiles/slurm
"""


def add_plan(commands: Any) -> None:
    """Add the command to a parser's commands."""
    words = "what a run will take: jobs, time, memory, disk"
    parser = add_command(commands, "plan", words, PLAN, EXAMPLES)
    parser.set_defaults(run=run_plan)
    parser.add_argument(
        "--configfile",
        nargs="+",
        default=[],
        metavar="FILE",
        help="settings above config/default.yaml (default: none)",
    )
    parser.add_argument(
        "--cores", type=_count, metavar="N", help="default: all of this machine; of each node, 1"
    )
    parser.add_argument("--nodes", type=_count, metavar="N", help="of a cluster with Slurm")


def _count(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of at least 1")
    return int(text)


def run_plan(options: argparse.Namespace) -> int:
    """Show it."""
    from hedgerow.workflow.config import check_project
    from hedgerow.workflow.graph import planned
    from hedgerow.workflow.need import configuration_of, forecast, known_in

    root = Path()
    check_project(root)
    configuration = configuration_of(root, options.configfile)
    plan = planned(root, options.configfile)
    jobs = {id: job for id, job in plan.items() if job["runs"]}
    console = new_console()
    if not jobs:
        console.print(f"All {len(plan):,} jobs are up to date: there is nothing to run.")
        return 0
    cores = options.cores or (1 if options.nodes else os.cpu_count() or 1)
    whole = cores * (options.nodes or 1)
    found = forecast(jobs, known_in(root, configuration), whole, configuration)
    if jobs.keys() - found.unknown:
        console.print(_table(found))
        console.print()
    for line in found.lines():
        console.print(line, soft_wrap=True)
    if options.nodes and jobs.keys() - found.unknown:
        from hedgerow.workflow.nodes import on_nodes

        line = on_nodes(found, jobs, options.nodes, cores, root).line()
        console.print(line, soft_wrap=True)
    return 0


def _table(found: Forecast) -> Any:
    from rich.table import Table

    from hedgerow.reporting.numbers import NONE
    from hedgerow.workflow.need import about, size

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("experiment", no_wrap=True)
    for name in ("jobs", "processor time", "longest job", "largest memory", "disk"):
        table.add_column(name, justify="right", no_wrap=True)
    for word, jobs in found.by_experiment().items():
        seconds, mib, disk = zip(*jobs.values(), strict=True)
        known = [size(figure) if figure else NONE for figure in (max(mib), sum(disk))]
        table.add_row(word, f"{len(jobs):,}", about(sum(seconds)), about(max(seconds)), *known)
    return table
