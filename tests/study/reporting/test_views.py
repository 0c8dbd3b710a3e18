"""HTML of a table from its heads and lines."""

from markupsafe import Markup

from hedgerow_study.reporting.html import published
from hedgerow_study.reporting.views import Span, Styled, beneath, tagged, together, view


def test_a_table_has_its_heads_and_its_lines_in_blocks():
    heads = ["", Span("both", 2)], ["name", "in\ntwo", Styled("word", "text")]
    blocks = {"A & B": [("x", 1, "<")], "": [(Styled("y", "wraps"), "", Styled("2", row=7.0))]}
    assert view(blocks, *heads) == Markup(
        '<thead><tr><td></td><th colspan="2" scope="colgroup">both</th></tr>\n'
        '<tr><th scope="col">name</th><th scope="col">in<br>two</th>'
        '<th scope="col" class="text">word</th></tr></thead>\n'
        '<tbody>\n<tr class="metric"><th colspan="3" scope="rowgroup"><span>A &amp; B</span></th>'
        '</tr>\n<tr><th scope="row">x</th><td>1</td><td>&lt;</td></tr>\n</tbody>\n'
        '<tbody>\n<tr><th scope="row" class="wraps">y</th><td></td><td data-row="7">2</td></tr>\n'
        "</tbody>"
    )


def test_lines_without_blocks_and_cells_with_a_note():
    assert view([("x", Styled("1", title='"so"'))], ["a", "b"]).endswith(
        '<tbody>\n<tr><th scope="row">x</th><td title="&#34;so&#34;">1</td></tr>\n</tbody>'
    )


def test_texts_are_escaped_once():
    assert together("<", tagged("b", "&")) == Markup("&lt;<b>&amp;</b>")
    assert beneath("a", "or") == '<span class="published"><span class="hidden">or </span>a</span>'


def test_a_published_value_has_its_difference_and_tells_a_turned_sign():
    assert published("", "") == (
        '<span class="published"><span class="hidden">published </span>–</span>'
    )
    found = published("1.0", "\N{MINUS SIGN}0.5", "*")
    assert '0.5*<span class="difference turned" title="the sign has changed">' in found
    assert "⇄ +1.5" in found
