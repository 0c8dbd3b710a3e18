"""`hedgerow claims`: the claims of a run, for a second judge."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from hedgerow.audit.screen import add_project
from hedgerow.screen import add_command, add_force

CLAIMS = (
    "Write what the verdicts of the last run here rest on: the frames of each experiment (CSV),\n"
    "the rules and the published claims. A second judge, which imports nothing of hedgerow, reads\n"
    "them: python check_claims.py FOLDER reports/claims.csv (docs/claims.md)."
)


def add_claims(commands: Any) -> None:
    """Add the command to a parser's commands."""
    words = "the rows and rules behind all verdicts, for a second judge"
    parser = add_command(commands, "claims", words, CLAIMS)
    parser.set_defaults(run=run_claims)
    parser.add_argument("folder", metavar="FOLDER", help="where to write")
    add_force(parser, "an earlier export")
    add_project(parser, "--project")


def run_claims(options: argparse.Namespace) -> int:
    """0 after the folder was written."""
    from hedgerow.audit.claims_export import export_claims, exported
    from hedgerow.files import aside, check_folder, folder_whole

    folder = Path(options.folder)
    check_folder(folder, options.force, "`hedgerow claims`", exported)
    old = aside(folder)
    with folder_whole(folder, old) as made:
        words = export_claims(options.project, made)
    print(f"{folder}: the frames of {', '.join(words)}")
    if old is not None:
        print(f"The folder that was there is {old}.")
    return 0
