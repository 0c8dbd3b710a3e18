"""What is wrong with a table: each problem one sentence, all of them at once."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from hedgerow.errors import DataError

#: Problems of one kind in one column that are named; of more, the number.
NAMED = 5


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong.

    Attributes
    ----------
    kind : str
        Problems of one kind in one column are listed together.
    said : str
        What is wrong, without its place.
    remedy : str
    column : str, optional
    row : int, optional
        As a spreadsheet counts: the head of the table is row 1.
    """

    kind: str
    said: str
    remedy: str
    column: str | None = None
    row: int | None = None

    def __str__(self) -> str:
        place = [] if self.row is None else [f"row {self.row}"]
        place += [] if self.column is None else [f"column `{self.column}`"]
        return f"{', '.join(place)}{': ' * bool(place)}{self.said}; {self.remedy}"


@dataclass
class Problems:
    """Problems as they are found."""

    found: list[Problem] = field(default_factory=list)

    def add(self, kind: str, said: str, remedy: str, column=None, row=None) -> None:
        """One more."""
        self.found.append(Problem(kind, said, remedy, column, None if row is None else int(row)))

    def lines(self) -> list[str]:
        """A line per problem; of one kind in one column the first few, and how many more."""
        groups: dict[tuple[str, str | None], list[Problem]] = {}
        for problem in self.found:
            groups.setdefault((problem.kind, problem.column), []).append(problem)
        lines = []
        for (kind, column), group in groups.items():
            lines += [str(problem) for problem in group[:NAMED]]
            if len(group) > NAMED:
                where = "" if column is None else f" in column `{column}`"
                lines.append(f"and {len(group) - NAMED} more{where} ({kind})")
        return lines

    def check(self, what: str) -> None:
        """Raise what was found.

        Raises
        ------
        TableError
        """
        if self.found:
            raise TableError(what, len(self.found), self.lines())


class TableError(DataError):
    """A table that cannot be used as it is; `lines` has a sentence for each problem."""

    def __init__(self, what: str, count: int, lines: Iterable[str]):
        self.lines = tuple(lines)
        problems = "1 problem" if count == 1 else f"{count} problems"
        super().__init__(
            "\n".join([f"{what} has {problems}, and nothing was written", *self.lines])
        )
