"""`hedgerow archive`: a run that leaves the folder in which it was made."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from hedgerow.audit.screen import Progress, add_project
from hedgerow.screen import add_command, add_force

ARCHIVE = (
    "Put a run into one zip file that can be uploaded: every file that it read and made, its code\n"
    "and settings, manifest and signature, and an RO-Crate that describes them, at the root. The\n"
    "same run gives the same bytes."
)


def add_archive(commands: Any) -> None:
    """Add the command to a parser's commands."""
    words = "a run as one zip file with an RO-Crate at its root"
    parser = add_command(commands, "archive", words, ARCHIVE)
    parser.set_defaults(run=run_archive)
    parser.add_argument("file", metavar="FILE", help="the zip file")
    add_project(parser, "--project")
    add_force(parser, "a FILE")
    parser.add_argument(
        "--date",
        metavar="DAY",
        help="day of publication, such as 2026-11-24 (default: that of the commit)",
    )


def run_archive(options: argparse.Namespace) -> int:
    """0 after the file was written."""
    from hedgerow.audit.archive import archive
    from hedgerow.files import check_free

    file = Path(options.file)
    check_free(file, options.force)
    with Progress() as progress:
        told = archive(Path(options.project), file, options.date, progress.tell)
    print(f"{file}: {told.n_files:,} files, {file.stat().st_size / 1e6:.1f} MB")
    print(f"SHA-256: {told.digest}")
    if told.unstated:
        print(f"Raw data without a stated licence are in it: {', '.join(told.unstated)}.")
    return 0
