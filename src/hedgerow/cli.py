"""The command line: ``hedgerow data | explain | verify | survival | ...``.

Each package lists its commands under the entry point `hedgerow.commands`, a tuple of `Command`.
Those of the packages that are installed are shown, and only the one that is called is imported: its
function takes the parsed arguments and returns the exit code. An error that the user can fix is one
line on standard error, with exit code 1.
"""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.metadata import entry_points
from typing import NoReturn

import hedgerow
from hedgerow.errors import HedgerowError
from hedgerow.optional_imports import missing_library
from hedgerow.screen import Command
from hedgerow.texts import closest, plain

__all__ = ["main"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line.

    Parameters
    ----------
    arguments : sequence of str, optional
        By default those of the process.

    Returns
    -------
    int
        0, or 1 after an error that a user can mend, 130 after Ctrl-C.
    """
    options = parse(sys.argv[1:] if arguments is None else arguments)
    try:
        return options.run(options)
    except HedgerowError as error:
        print(f"hedgerow: {plain(str(error))}", file=sys.stderr)
        return 1
    except ModuleNotFoundError as error:
        missing = missing_library(error, "this command")
        if missing is None:
            raise
        print(f"hedgerow: {missing}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("hedgerow: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader (head, less) has gone; Python would complain again when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        print(f"hedgerow: {error.filename or 'system'}: {error.strerror}", file=sys.stderr)
        return 1


def commands() -> Iterator[Command]:
    """Commands of the packages that are installed, the learner's first."""
    points = entry_points(group="hedgerow.commands")
    for point in sorted(points, key=lambda point: (point.name != "learner", point.name)):
        yield from point.load()


class Parser(argparse.ArgumentParser):
    """A parser that proposes a command, option or value for a misspelt one."""

    given: Sequence[str] = ()

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        """As argparse's; what was given is kept for `error`."""
        self.given = list(args)
        return super().parse_known_args(args, namespace)

    def error(self, message: str) -> NoReturn:
        """End with usage, what is wrong, and what may have been meant."""
        wrong = re.search(r"invalid choice: '([^']*)' \(choose from (.*)\)", message)
        asked = [(wrong[1], re.findall(r"[\w-]+", wrong[2]))] if wrong else []
        options = [option.lstrip("-") for option in self._option_string_actions]
        for word in (word[2:].partition("=")[0] for word in self.given if word.startswith("--")):
            # An option may be cut short.
            if not any(option.startswith(word) for option in options):
                asked.append((word, options))
        near = [(word, closest(word, names)) for word, names in asked]
        meant = [f"; `{word}`: did you mean `{names[0]}`?" for word, names in near if names]
        super().error(f"{message}{''.join(meant[:1])}")


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """The arguments of a command line; it ends the process where they cannot be read."""
    parser = Parser(prog="hedgerow", description=hedgerow.__doc__.split("\n")[0])
    parser.add_argument("--version", action="version", version=f"hedgerow {hedgerow.__version__}")
    of_commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    asked = next((word for word in arguments if not word.startswith("-")), None)
    raw = argparse.RawDescriptionHelpFormatter
    for command in commands():
        subparser = of_commands.add_parser(command.name, help=command.words, formatter_class=raw)
        subparser.set_defaults(parser=subparser)
        if command.name == asked:
            module, _, name = command.add.partition(":")
            getattr(import_module(module), name)(subparser)
    options, unknown = parser.parse_known_args(arguments)
    if unknown:
        options.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
    return options


if __name__ == "__main__":
    sys.exit(main())
