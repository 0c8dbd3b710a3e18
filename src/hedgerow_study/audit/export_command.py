"""`hedgerow archive` and `hedgerow claims`: a run, or its claims, for somebody else."""

from __future__ import annotations

import argparse
from pathlib import Path

from hedgerow.screen import add_force, describe
from hedgerow.showing.numbers import count
from hedgerow_study.audit.screen import Progress, add_project

ARCHIVE = (
    "Put a run into one zip file that can be uploaded: every file that it read and made, its code\n"
    "and settings, manifest and signature, and an RO-Crate that describes them, at the root. The\n"
    "same run gives the same bytes."
)
CLAIMS = (
    "Write what the verdicts of the last run here rest on: the frames of each experiment (CSV),\n"
    "the rules and the published claims. A second judge, which imports nothing of hedgerow, reads\n"
    "them: python check_claims.py FOLDER reports/claims.csv (docs/claims.md)."
)


def add_archive(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    describe(parser, ARCHIVE)
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
    from hedgerow.files import check_free
    from hedgerow_study.audit.archive import archive

    file = Path(options.file)
    check_free(file, options.force)
    with Progress() as progress:
        archived = archive(Path(options.project), file, options.date, progress.tell)
    print(f"{file}: {count(archived.n_files)} files, {file.stat().st_size / 1e6:.1f} MB")
    print(f"SHA-256: {archived.digest}")
    if archived.without_licence:
        print(
            f"Raw data without a stated licence are in it: {', '.join(archived.without_licence)}."
        )
    return 0


def add_claims(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    describe(parser, CLAIMS)
    parser.set_defaults(run=run_claims)
    parser.add_argument("folder", metavar="FOLDER", help="where to write")
    add_force(parser, "an earlier export")
    add_project(parser, "--project")


def run_claims(options: argparse.Namespace) -> int:
    """0 after the folder was written."""
    from hedgerow.files import atomic_folder, backup_path, check_folder
    from hedgerow_study.audit.claims_export import export_claims, is_export

    folder = Path(options.folder)
    check_folder(folder, options.force, "`hedgerow claims`", is_export)
    old = backup_path(folder)
    with atomic_folder(folder, old) as stage:
        words = export_claims(options.project, stage)
    print(f"{folder}: the frames of {', '.join(words)}")
    if old is not None:
        print(f"The folder that was there is {old}.")
    return 0
