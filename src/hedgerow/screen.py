"""What the commands of `hedgerow` share: their lists, texts of help, and where they print."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from rich.console import Console


class Command(NamedTuple):
    """A command of `hedgerow`: its name, what it is for, and what adds its arguments to a parser.

    add: `module:function`, which is imported where the command is called.
    """

    name: str
    words: str
    add: str


def describe(parser: argparse.ArgumentParser, description: str, epilog: str | None = None) -> None:
    """Texts of a command's page of help, shown line by line as they stand."""
    parser.description, parser.epilog = description, epilog


def add_force(parser: Any, what: str) -> None:
    """Add `--force`, without which `hedgerow.files.check_free` lets nothing be replaced."""
    parser.add_argument("--force", action="store_true", help=f"write over {what} that is there")


def new_console(stderr: bool = False) -> Console:
    """Where a command prints; what is printed is shown as it is."""
    from rich.console import Console

    console = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    if console.is_terminal:
        return console
    # Into a pipe or a file, a line is a line.
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False, width=1000)
