"""Words of a drawing, measured before they are placed."""

from __future__ import annotations

import numpy as np

from hedgerow.texts import legible, one_line
from hedgerow.tree.export import threshold_words

ELLIPSIS = "\u2026"

_HINTING = 1.08  # letters fitted to coarse pixels are up to this much wider than their outlines


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width of a line of words in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight="bold" if bold else "normal")
    width = text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]
    return _HINTING * width / 72.0


def shorten(text: str, width: float, size: float, bold: bool = False) -> str:
    """The text as it can be shown, its middle left out where it is wider than `width` inches."""
    text = legible(text)
    if text_width(text, size, bold) <= width:
        return text
    low, high = 0, len(text)
    while high - low > 1:
        kept = (low + high) // 2
        if text_width(_without_middle(text, kept), size, bold) <= width:
            low = kept
        else:
            high = kept
    return _without_middle(text, low)


def _without_middle(text: str, kept: int) -> str:
    head = (kept + 1) // 2
    tail = kept - head
    return text[:head].rstrip() + ELLIPSIS + (text[-tail:].lstrip() if tail else "")


def wrap(text: str, width: float, size: float, most: int) -> list[str]:
    """At most `most` lines no wider than `width` inches; what does not fit is elided.

    Lines break at spaces, and behind the underscores, hyphens and dots inside long names.
    """
    pieces = [""]
    for character in legible(text):
        pieces[-1] += character
        if character in " _-./":
            pieces.append("")
    lines = [""]
    for position, piece in enumerate(pieces):
        if not lines[-1] or text_width((lines[-1] + piece).rstrip(), size) <= width:
            lines[-1] += piece
        elif len(lines) == most:
            lines[-1] += "".join(pieces[position:])
            break
        else:
            lines.append(piece)
    return [shorten(line.strip(), width, size) for line in lines]


def condition_words(
    tree,
    node: int,
    decimals: int,
    units: dict[int, str] | None = None,
    value: float | None = None,
) -> str:
    """What holds on the left branch, without the name of the variable.

    decimals, value : as of `hedgerow.tree.export.threshold_words`
    units : dict, as `hedgerow.tree.export.unit_words` gives it
    """
    j = int(tree.feature[node])
    if not np.isnan(tree.threshold[node]):
        sign, _, at = threshold_words(tree, j, float(tree.threshold[node]), decimals, value)
        return f"{sign} {at}" + (units or {}).get(j, "")
    labels = tree.categories.get(j)
    flags = tree.categories_left[node]
    codes = range(len(flags) if labels is None else len(labels))
    words = [category_word(tree, j, c) for c in codes]
    left = [w for w, c in zip(words, codes, strict=True) if flags[c]]
    right = [w for w, c in zip(words, codes, strict=True) if not flags[c]]
    if right and len(", ".join(right)) < len(", ".join(left)):
        return "is not " + _either(right)
    return "is " + _either(left)


def category_word(tree, variable: int, code: int) -> str:
    """Label of a category as it can be shown, its code where the tree knows none."""
    labels = tree.categories.get(variable)
    if labels is None:
        return str(code)
    return one_line(str(labels[code])) if 0 <= code < len(labels) else "unknown"


def _either(words: list[str]) -> str:
    if len(words) < 2:
        return "".join(words)
    return ", ".join(words[:-1]) + " or " + words[-1]


def percent(share: float) -> str:
    """A share in per cent, never rounded to 100 or 0 when it is neither."""
    if 0.0 < share < 1.0:
        share = min(max(share, 0.01), 0.99)
    return f"{100 * share:.0f} %"
