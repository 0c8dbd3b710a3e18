"""HTML of a table, said beside its numbers: heads, lines in blocks, a text for each cell."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from hedgerow.showing.numbers import is_number


class Styled(NamedTuple):
    """A head or cell with attributes: class in the style sheet, row of the table, tooltip."""

    text: Any
    css: str = ""
    row: Any = None
    title: str = ""


class Span(NamedTuple):
    """A head above several columns; without a text nothing stands there."""

    text: str
    columns: int


def view(lines: Mapping[Any, Sequence] | Sequence, *heads: Sequence) -> Markup:
    """Head and body of a table.

    lines: (name, cell, ...) each, or a mapping of such by the titles of their blocks.

    heads: rows of heads, as many as the last has columns; a text may have several lines.
    """
    blocks = lines if isinstance(lines, Mapping) else {"": lines}
    head = Markup("\n").join(map(_head, heads))
    bodies = (_block(title, rows, len(heads[-1])) for title, rows in blocks.items())
    return Markup("<thead>{}</thead>\n{}").format(head, Markup("\n").join(bodies))


def together(*texts: Any) -> Markup:
    """Texts one after the other, escaped unless they are HTML."""
    return Markup("").join(map(escape, texts))


def tagged(tag: str, *texts: Any) -> Markup:
    """Texts one after the other in a tag.

    >>> tagged("b", "a < b")
    Markup('<b>a &lt; b</b>')
    """
    return Markup("<{0}>{1}</{0}>").format(tag, together(*texts))


def beneath(text: Any, hidden: str = "") -> Markup:
    """What stands in small type beneath a text; hidden: a word for those who hear the page."""
    spoken = Markup('<span class="hidden">{} </span>').format(hidden) if hidden else ""
    return Markup('<span class="published">{}{}</span>').format(spoken, text)


def text(value: Any) -> str:
    """A text as a file gives it back: an empty one comes as no value."""
    return str(value) if is_number(value) else ""


def _head(cells: Sequence) -> Markup:
    return Markup("<tr>{}</tr>").format(Markup("").join(map(_head_cell, cells)))


def _head_cell(cell: Any) -> Markup:
    if cell == "":
        return Markup("<td></td>")
    if not isinstance(cell, Span):
        return _cell("th", cell, "col")
    if cell.text:
        form = '<th colspan="{}" scope="colgroup">{}</th>'
        return Markup(form).format(cell.columns, _in_lines(cell.text))
    return Markup('<td colspan="{}"></td>').format(cell.columns)


def _block(title: Any, lines: Sequence, width: int) -> Markup:
    spans = '\n<tr class="metric"><th colspan="{}" scope="rowgroup"><span>{}</span></th></tr>'
    above = Markup(spans).format(width, title) if title else ""
    rows = (
        Markup("\n<tr>{}{}</tr>").format(
            _cell("th", name, "row"), Markup("").join(_cell("td", cell) for cell in cells)
        )
        for name, *cells in lines
    )
    return Markup("<tbody>{}{}\n</tbody>").format(above, Markup("").join(rows))


def _cell(tag: str, cell: Any, scope: str = "") -> Markup:
    cell = cell if isinstance(cell, Styled) else Styled(cell)
    row = int(cell.row) if is_number(cell.row) else ""
    given = {"scope": scope, "data-row": row, "title": cell.title, "class": cell.css}
    attributes = (Markup(' {}="{}"').format(name, v) for name, v in given.items() if v != "")
    shown = _in_lines(cell.text) if scope == "col" else cell.text
    return Markup("<{0}{1}>{2}</{0}>").format(tag, Markup("").join(attributes), shown)


def _in_lines(text: Any) -> Markup:
    return Markup("<br>").join(map(escape, str(text).split("\n"))) if type(text) is str else text
