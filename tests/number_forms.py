"""Forms of printed numbers other than those of `hedgerow.showing.numbers`, and texts of pages."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator

_N = r"[+−-]?\d[\d,.]*"
OTHER = {
    "a p value without a leading zero": r"\bp ?(?:[<>≤≥]=?|=|of|below) ?\.\d|(?<![\w.])[<>] ?\.\d",
    "a p value without blanks": r"\bp(?:[<>≤≥]=?|=)",
    "a p value of more than three decimals": r"\bp = (?:0\.\d{4,}|\d[\d.]*e-)",
    "another interval": r"95%|95 % (?:confidence )?intervals?|95 % CI[:,;]? ?[\[(][\d−]"
    rf"|\[{_N} to {_N}\]|\[[+−-]?\d*\.\d+[,;] ?{_N}\]|CI {_N}(?: ?[–-] ?|, ){_N}|\({_N}–{_N}\)",
    "points that are not said to be percentage points": r"(?<!at )(?<![\w.])[+−-]?\d+(?:\.\d+)? "
    r"points?\b|points of %|\d ?pp\b|%-points|\(points\)|, points\b|\bin points\b",
    "a comma below 10,000": r"(?<![\d,.])[1-9],\d{3}(?![,\d])",
    "no comma from 10,000 on": r"(?<!seed )(?<![\w.,/#+−-])[1-9]\d{4,}(?![\w/.]*\w)",
}
_PATTERNS = {form: re.compile(pattern) for form, pattern in OTHER.items()}
#: What is no text of ours: code, scripts, identifiers and addresses.
_OF_PAGE = re.compile(r"<(pre|code|script|style|svg)\b.*?</\1>|<[^>]*>", re.DOTALL)
_OF_MARKDOWN = re.compile(
    r"^(```|~~~)[^\n]*\n.*?^\1\s*$|<!--.*?-->|(`+)[^`]+\2|\]\([^)]*\)|https?://\S+"
    r"|^(?:>>>| {4,})[^\n]*$",
    re.DOTALL | re.MULTILINE,
)


def text_of_page(markup: str) -> str:
    """What a reader of a page sees, without code."""
    return html.unescape(_OF_PAGE.sub("\0", markup.partition("<body")[2]))


def text_of_markdown(text: str) -> str:
    """A page of Markdown without code, addresses and comments."""
    return _OF_MARKDOWN.sub("\0", text)


def other_forms(text: str) -> Iterator[str]:
    """Each number in another form, with its place."""
    for form, pattern in _PATTERNS.items():
        for match in pattern.finditer(text):
            around = text[max(match.start() - 40, 0) : match.end() + 20]
            yield f"{form}: {' '.join(around.replace(chr(0), ' ').split())}"
