"""Tables of pages in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any


def table(
    heads: Sequence[str],
    rows: Iterable[Iterable[Any]],
    texts: int | None = None,
    last_is_text: bool = False,
) -> str:
    """A table.

    Parameters
    ----------
    heads : sequence of str
    rows : iterable of iterable
        Cells, which are written as `str` gives them.
    texts : int, optional
        So many of the first columns hold texts, the others numbers, on the right; by default all
        hold texts.
    last_is_text : bool
        The last column holds texts as well.
    """
    n = len(heads) if texts is None else texts
    numbers = len(heads) - n - last_is_text
    rule = f"|{' --- |' * n}{' ---: |' * numbers}{' --- |' * last_is_text}"
    lines = [f"| {' | '.join(heads)} |", rule]
    for row in rows:
        cells = (str(cell).replace("|", r"\|") for cell in row)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
