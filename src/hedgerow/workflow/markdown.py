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
    """A table."""
    n = len(heads) if texts is None else texts
    numbers = len(heads) - n - last_is_text
    rule = f"|{' --- |' * n}{' ---: |' * numbers}{' --- |' * last_is_text}"
    lines = [f"| {' | '.join(heads)} |", rule]
    for row in rows:
        cells = (str(cell).replace("|", r"\|") for cell in row)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
