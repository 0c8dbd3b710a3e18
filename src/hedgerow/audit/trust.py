"""Whose code an audit runs.

The Snakefile of a run is a program, and so is what it includes. In one's own checkout, the one that
`hedgerow` itself is imported from, it is as good as the command. Of any other folder nothing is run
unless that is asked for: its files are compared byte for byte, and read as data.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from hedgerow.errors import DataError, InputError
from hedgerow.reporting.checkout import REACHED
from hedgerow.workflow.digest import PACKAGE

#: Why something is not done.
FOREIGN = "that runs code of this folder, which is not the checkout that hedgerow runs from"
#: What an audit reads in a folder, beside what a run may reach.
RESULTS = ("data", "docs", "reports")


def is_own(root: Path | str) -> bool:
    """Whether a folder is the checkout whose package is the one in use.

    What lies in the folder has no say in it: a link `src` of somebody else leads to any package.
    """
    return Path(root).resolve() / "src" / PACKAGE.name == PACKAGE


def check_trust(root: Path | str, what: str, trust: bool, more: str = "") -> None:
    """See that code of a folder may run."""
    if not trust and not is_own(root):
        raise InputError(
            f"{what} runs code of {root}, which is not the checkout that hedgerow runs from",
            remedy=f"read its Snakefile and workflow/, then give --trust{more}",
        )


def check_links(
    root: Path | str,
    parts: Iterable[str] = (*REACHED, *RESULTS),
    remedy: str = "remove it, or give --trust if the folder is yours",
) -> None:
    """See that nothing that an audit reads in a folder is a link that leads out of it."""
    root = Path(root)
    for link in (link for part in sorted({*parts}) for link in _links(root / part)):
        if not _stays(link, root):
            raise DataError(
                f"{link.relative_to(root).as_posix()!r} in {root} is a link that leads out of it",
                remedy=remedy,
            )


def check_read(root: Path | str) -> None:
    """See that a folder can be read by a command that runs nothing of it."""
    if not is_own(root):
        check_links(root, remedy="remove it")


def _stays(link: Path, root: Path) -> bool:
    try:
        return link.resolve().is_relative_to(root.resolve())
    except (OSError, RuntimeError):  # a link to itself
        return False


def _links(part: Path) -> Iterator[Path]:
    if part.is_symlink():
        yield part
        return
    for folder, folders, names in os.walk(part):
        places = (Path(folder, name) for name in (*folders, *names))
        yield from (place for place in places if place.is_symlink())
