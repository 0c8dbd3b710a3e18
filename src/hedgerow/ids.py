"""Ids of tables and figures: what they say of themselves."""

from __future__ import annotations

#: Papers whose tables and figures are made again; an id of another word is one of our own.
PAPERS = ("thesis", "confdtree", "e2m", "eig")


def is_published(identifier: str) -> bool:
    """Whether a table or figure stands in a paper.

    >>> is_published("thesis_table_3_4"), is_published("soft_combined")
    (True, False)
    """
    return identifier.partition("_")[0] in PAPERS


def title_of(identifier: str) -> str:
    """What the papers call a table or figure.

    >>> title_of("thesis_figure_3_10")
    'Figure 3.10'
    """
    kind, *numbers = identifier.split("_")[1:]
    return f"{kind.capitalize()} {'.'.join(numbers)}"
