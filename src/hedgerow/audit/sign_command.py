"""`hedgerow sign` and `hedgerow archive`: a run that leaves the folder in which it was made."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from hedgerow.audit.screen import Progress, add_project
from hedgerow.errors import DataError
from hedgerow.screen import add_command, add_force

SIGN = (
    "Sign the checksums of a run, its verdicts, commit and configuration with an Ed25519 key.\n"
    "The run has to be whole: every file as the list has it. Call `hedgerow verify` before."
)
SIGNED = """writes:
  reports/attestation.dsse.json   for `hedgerow verify --key KEY.pub`, and for one file of Python:
                                  python src/hedgerow/audit/verify_signature.py
  reports/SHA256SUMS.sig          for `ssh-keygen -Y verify`; docs/auditor.md has the command

examples:
  hedgerow sign --new-key ~/.ssh/hedgerow        (or ssh-keygen -t ed25519, with a passphrase)
  hedgerow sign --key ~/.ssh/hedgerow
  hedgerow verify --key ~/.ssh/hedgerow.pub
"""
ARCHIVE = (
    "Put a run into one zip file that can be uploaded: every file that it read and made, its code\n"
    "and settings, manifest and signature, and an RO-Crate that describes them, at the root. The\n"
    "same run gives the same bytes."
)


def add_sign(commands: Any) -> None:
    """Add the command to a parser's commands."""
    parser = add_command(commands, "sign", "sign a run with an Ed25519 key", SIGN, SIGNED)
    parser.set_defaults(run=run_sign)
    add_project(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--key", metavar="FILE", help="private key, of ssh-keygen or in PEM")
    what.add_argument(
        "--new-key",
        metavar="FILE",
        help="make a key without a passphrase, and FILE.pub, outside of the project; sign nothing",
    )
    parser.add_argument(
        "--allow-changes", action="store_true", help="sign a run of a changed checkout as well"
    )
    add_force(parser, "a signature by another key")


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


def run_sign(options: argparse.Namespace) -> int:
    """0 after a key or a signature was written."""
    from getpass import getpass

    from hedgerow.audit.attest import ATTESTATION, SSH_SIGNATURE, new_key, private_key, sign
    from hedgerow.audit.verify import whole
    from hedgerow.reporting.checkout import Checkout

    root = Path(options.path)
    if options.new_key:
        path = Path(options.new_key).expanduser()
        print(f"{path}: a new key, {new_key(path, root)}")
        print(f"{path}.pub: its public half, for those who check")
        return 0
    manifest = whole(root)
    said = Checkout.from_dict(manifest["code"]).sentence()
    if manifest["code"].get("changed") and not options.allow_changes:
        raise DataError(
            said.removesuffix("."), remedy="commit, call `make reproduce`, or give --allow-changes"
        )
    path = Path(options.key).expanduser()
    key = private_key(path, lambda: getpass(f"Passphrase of {path}: "))
    by = sign(root, manifest, key, options.force)
    print(f"{ATTESTATION}, {SSH_SIGNATURE}: signed with {by}")
    return 0


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
