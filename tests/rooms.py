"""The picture of the rooms in CONTRIBUTING.md, drawn from `FLOORS` of test_walls.py.

`python tests/rooms.py`, which `make generated` calls, writes docs/img/rooms.svg.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from xml.sax.saxutils import escape

FILE = Path(__file__).parents[1] / "docs/img/rooms.svg"
WIDTH, HEIGHT, GAP = 860, 34, 6  # of the picture, of a floor, between rooms
MARGIN = 12
LETTER = 8.4  # width of a letter of 14 px in a font of fixed width

HEAD = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" \
font-family="monospace" font-size="14" text-anchor="middle">
<title>{title}</title>
<rect width="{width}" height="{height}" rx="6" fill="#ffffff"/>
"""
ROOM = """\
<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="3" fill="#e8eef4" stroke="#5b6b7b"/>
<text x="{middle}" y="{line}" fill="#1b2733">{name}</text>
"""


def drawn(floors: Sequence[Collection[str]]) -> str:
    """Text of the SVG: a row for each floor, the ground floor at the bottom, rooms by name."""
    height = 2 * MARGIN + len(floors) * (HEIGHT + GAP) - GAP
    below = ", ".join(" and ".join(sorted(rooms)) for rooms in floors)
    parts = [HEAD.format(width=WIDTH, height=height, title=escape(f"From the ground up: {below}"))]
    for number, rooms in enumerate(floors):
        y = height - MARGIN - HEIGHT - number * (HEIGHT + GAP)
        parts += row(sorted(rooms), y)
    return "".join(parts) + "</svg>\n"


def row(names: Sequence[str], y: int) -> list[str]:
    """The rooms of a floor, which take its whole width, longer names more of it."""
    free = WIDTH - 2 * MARGIN - GAP * (len(names) - 1)
    widths = [free * (len(name) + 4) / sum(len(each) + 4 for each in names) for name in names]
    x, parts = float(MARGIN), []
    for name, width in zip(names, widths, strict=True):
        if width < LETTER * len(name):
            raise ValueError(f"no space for {name} beside {', '.join(names)}: widen the picture")
        parts.append(
            ROOM.format(
                x=round(x, 1),
                y=y,
                width=round(width, 1),
                height=HEIGHT,
                middle=round(x + width / 2, 1),
                line=y + HEIGHT / 2 + 5,
                name=escape(name),
            )
        )
        x += width + GAP
    return parts


if __name__ == "__main__":
    from test_walls import FLOORS

    FILE.write_text(drawn(FLOORS), encoding="utf-8")
