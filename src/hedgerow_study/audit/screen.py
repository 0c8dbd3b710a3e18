"""What the commands of an audit share: the folder that they look at, and a bar."""

from __future__ import annotations

import argparse

from hedgerow.screen import new_console


def add_project(parser: argparse.ArgumentParser, *flag: str, more: str = "") -> None:
    """Add the folder of the project: an argument, or an option where it has a flag."""
    where = {"metavar": "FOLDER"} if flag else {"metavar": "PATH", "nargs": "?"}
    text = f"folder of the project (default: this one){more}"
    parser.add_argument(*(flag or ("path",)), default=".", help=text, **where)


class Progress:
    """The current check, on a terminal; a bar over the jobs that are rerun."""

    def __init__(self):
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as Bars

        console = new_console(stderr=True)
        columns = [TextColumn("{task.description}"), BarColumn(), TextColumn("{task.fields[n]}")]
        self._bars = Bars(
            *columns, console=console, transient=True, disable=not console.is_terminal
        )
        self._of = None
        self._task = self._bars.add_task("", total=None, n="")

    def __enter__(self) -> Progress:
        self._bars.start()
        return self

    def __exit__(self, *_) -> None:
        self._bars.stop()

    def tell(self, what: str, done: int = 0, of: int | None = None) -> None:
        """Show what comes next, of how many, or that one of them is done."""
        if of is not None:
            self._of = of
            self._bars.reset(self._task, total=of)
        self._bars.update(self._task, description=what, advance=done)
        (task,) = self._bars.tasks
        self._bars.update(
            self._task, n=f"{task.completed:.0f}/{of or self._of}" if self._of else ""
        )
