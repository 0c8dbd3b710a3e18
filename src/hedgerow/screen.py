"""What the commands of `hedgerow` share: how they are told of, and where they print."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rich.console import Console


def add_command(
    commands: Any, name: str, words: str, description: str, epilog: str | None = None
) -> argparse.ArgumentParser:
    """A command among those of `hedgerow`; its texts are shown line by line as they stand."""
    return commands.add_parser(
        name,
        help=words,
        description=description,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )


def add_force(parser: Any, what: str) -> None:
    """Add `--force`, without which `hedgerow.files.check_free` lets nothing be replaced."""
    parser.add_argument("--force", action="store_true", help=f"write over {what} that is there")


def new_console(stderr: bool = False) -> Console:
    """Where a command prints; what is printed is shown as it is."""
    from rich.console import Console

    found = Console(stderr=stderr, markup=False, emoji=False, highlight=False)
    if found.is_terminal:
        return found
    # Into a pipe or a file, a line is a line.
    return Console(stderr=stderr, markup=False, emoji=False, highlight=False, width=1000)
