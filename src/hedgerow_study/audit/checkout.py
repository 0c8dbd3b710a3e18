"""Whose code an audit runs.

The Snakefile of a run is a program, and so is what it includes. In one's own checkout, the one that
`hedgerow` itself is imported from, it is as good as the command. Of any other folder nothing is
run: its files are read as data, and the workflow of one's own checkout recomputes them.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from hedgerow.errors import DataError
from hedgerow_study.reporting.checkout import REACHED
from hedgerow_study.workflow.jobs.digest import PACKAGE

#: What is said where only bytes can be compared.
NO_CHECKOUT = "hedgerow was installed without the checkout that recomputes results"
CLONE = "clone its repository, and call `make setup` and `hedgerow verify` there"
#: What an audit reads in a folder, beside what a run may reach.
RESULTS = ("data", "docs", "reports")


def is_own_checkout(root: Path | str) -> bool:
    """Whether a folder is the checkout whose package is the one in use.

    What lies in the folder has no say in it: a link `src` of somebody else leads to any package.
    """
    return Path(root).resolve() / "src" / PACKAGE.name == PACKAGE


def local_checkout() -> Path | None:
    """The checkout whose package is the one in use; None where that was installed elsewhere."""
    root = PACKAGE.parents[1]
    return root if (root / "Snakefile").is_file() and is_own_checkout(root) else None


def check_links(
    root: Path | str,
    parts: Iterable[str] = (*REACHED, *RESULTS),
) -> None:
    """See that nothing that an audit reads in a folder is a link that leads out of it."""
    root = Path(root)
    for link in (link for part in sorted({*parts}) for link in _links(root / part)):
        if not _is_inside(link, root):
            raise DataError(
                f"{link.relative_to(root).as_posix()!r} in {root} is a link that leads out of it",
                remedy="remove it",
            )


def check_project(root: Path | str) -> None:
    """See that a folder is one in which a run has worked."""
    root = Path(root)
    if not (root / "config/default.yaml").is_file() and not (root / "reports").is_dir():
        raise DataError(
            f"{root} is no project folder", remedy="go to the folder of a run, or name it"
        )


def check_read(root: Path | str) -> None:
    """See that a folder can be read by a command that runs nothing of it."""
    check_project(root)
    if not is_own_checkout(root):
        check_links(root)


def _is_inside(link: Path, root: Path) -> bool:
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
