"""Ids of tables and figures: what they say of themselves."""

from __future__ import annotations

#: Papers whose tables and figures are made again; an id of another word is one of our own.
PAPERS = ("thesis", "confdtree", "e2m", "eig")
#: Ends the id of what is made from synthetic data in the place of data that are not public.
SYNTHETIC = "SYNTHETIC"


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
    >>> title_of("thesis_table_6_3_SYNTHETIC")
    'Table 6.3, SYNTHETIC'
    """
    kind, *parts = published_id(identifier).split("_")[1:]
    suffix = identifier.removeprefix(published_id(identifier)).replace("_", ", ")
    return f"{kind.capitalize()} {'.'.join(parts)}{suffix}"


def published_id(identifier: str) -> str:
    """The id in the paper of a table or figure that was made from synthetic data in its place.

    >>> published_id("thesis_table_6_3_SYNTHETIC")
    'thesis_table_6_3'
    """
    return identifier.removesuffix(f"_{SYNTHETIC}")
