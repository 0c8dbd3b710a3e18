"""Why a claim holds or not, as far as it is known, from the notes: one passage per claim."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

#: Pages of notes; those that tell why a claim holds or not have a page on the site.
NOTES = "docs/notes/*.md"
#: What a passage begins with: `- **T3-08, T3-09**: because ...`.
_ITEM = re.compile(r"- \*\*([\w-]+(?:, [\w-]+)*)\*\*: ")
#: The section that holds them.
HEADING = "## Why, claim by claim"


@dataclass(frozen=True)
class Passage:
    """What the notes say of a claim.

    Attributes
    ----------
    text : str
        Markdown.
    line : int
        Where it begins, from 1.
    """

    text: str
    line: int


def note_files(root: Path) -> list[str]:
    """Pages of notes in the folder of a project; a copy of it needs them to make the same pages."""
    files = root.glob(NOTES)
    return sorted(file.relative_to(root).as_posix() for file in files)


def passages(text: str) -> dict[str, Passage]:
    """The passages of a page of notes, by claim.

    Parameters
    ----------
    text : str
        Markdown; the items of the section `HEADING`.

    Returns
    -------
    dict of Passage
        An item that names several claims is of each of them.

    Raises
    ------
    ValueError
        A claim has two items.

    Examples
    --------
    >>> passages("## Why, claim by claim\\n\\n- **T3-08, T3-09**: trees\\n  are small.\\n")["T3-09"]
    Passage(text='trees are small.', line=3)
    """
    reasons: dict[str, Passage] = {}
    inside, names, parts, start = False, [], [], 0

    def close() -> None:
        for name in names:
            if name in reasons:
                raise ValueError(f"the notes give two reasons for {name}")
            reasons[name] = Passage(" ".join(parts), start)
        names.clear()

    for number, line in enumerate([*text.splitlines(), "## "], 1):
        item = _ITEM.match(line) if inside else None
        if item or not line.startswith("  "):
            close()
        if line.startswith("## "):
            inside = line == HEADING
        if item:
            names += item[1].split(", ")
            parts, start = [line[item.end() :].strip()], number
        elif names:
            parts.append(line.strip())
    return reasons


def rendered(text: str) -> str:
    """A passage as HTML, without a paragraph around it; markup of its own is shown as text."""
    from markdown_it import MarkdownIt

    return MarkdownIt("commonmark", {"html": False}).renderInline(text)
