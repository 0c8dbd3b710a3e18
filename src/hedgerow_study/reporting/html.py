"""Sections of the report: what one experiment shows, as HTML that a page of the site holds.

What an experiment shows is its own business. A section is a function ``section(...) -> Section`` in
``experiments/<word>/page.py``, which gets what the workflow has written, and a template beside it,
``experiments/<word>/page.html.j2``. A template may import ``reporting/macros.html.j2`` for noise
tables, figures and lines of provenance, and use the filters `number`, `in_form`, `p_text`,
`difference` and `title_of`; `shown` gives it what stands at the functions that make tables and
figures. The rule
``<word>_page`` writes the section to ``data/results/<word>/section.json``: an edit of one rewrites
that section and no other. `hedgerow_study.reporting.site` makes a page of each.

Inside a section, headings start at ``h2``, figures stand before tables, and every ``id`` begins
with the experiment's word, but for those of published tables and figures and of claims, which are
unique already. An experiment that a configuration does not run has no section, and the site says
nothing of it.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from hedgerow.showing import templates
from hedgerow.showing.numbers import NONE, in_form
from hedgerow_study.reporting.claim_specification import (
    NOT_TESTABLE,
    TOO_LITTLE,
    VERDICTS,
    verdict_text,
)

if TYPE_CHECKING:
    import jinja2
    import pandas as pd


@dataclass(frozen=True)
class Section:
    """One experiment on the page.

    Attributes
    ----------
    id : str
        The experiment's word, and the anchor of its section.
    title : str
        Heading, and entry of the table of contents.
    markup : str
        HTML below the heading, headings from ``h2`` down.
    contents : tuple of (str, str)
        Anchor and title of each part, for the table of contents.
    summary : str
        HTML of a few lines for the top of the page: what held and what did not. Empty where the
        section judges no published statement.
    figure : str
        Id of the figure that says most, for the overview.
    """

    id: str
    title: str
    markup: str
    contents: tuple[tuple[str, str], ...] = ()
    summary: str = ""
    figure: str = ""

    def to_dict(self) -> dict[str, Any]:
        """A form that JSON can hold."""
        form = dataclasses.asdict(self)
        return {key: str(v) if isinstance(v, str) else v for key, v in form.items()}

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Section:
        """The section that `to_dict` wrote."""
        contents = tuple((anchor, title) for anchor, title in form["contents"])
        return cls(**{**form, "contents": contents})


# --------------------------------------------------------------------------- for the sections


def numbered(tables: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Tables with the number of each row, 1 is the first, as their column `row`.

    By it a page says which row a cell shows, and the site what that rests on.
    """
    return {name: table.assign(row=range(1, len(table) + 1)) for name, table in tables.items()}


def row_attribute(row: Any) -> Markup:
    """The attribute of a cell that shows a row of its table; nothing without one.

    >>> row_attribute(3), row_attribute(None)
    (Markup(' data-row="3"'), Markup(''))
    """
    is_row = isinstance(row, Real) and row == row
    return Markup(f' data-row="{int(row)}"' if is_row else "")


def render(template: str, **context: Any) -> Markup:
    """Fill a template of the package; what is not marked as HTML is escaped."""
    return Markup(environment().get_template(template).render(**context))


def filled(
    word: str, title: str, page: str, summary: str = "", figure: str = "", /, **context: Any
) -> Section:
    """The section of an experiment, from its templates.

    page, summary: paths of the templates in the package; without the second there is no summary.

    context: The page gets `contents` as well: an empty list to which the macro `part` adds a line
        for each part.
    """
    contents: list[tuple[str, str]] = []
    markup = render(page, contents=contents, **context)
    summary_markup = render(summary, **context) if summary else ""
    parts = tuple((str(anchor), str(name)) for anchor, name in contents)
    return Section(word, title, markup, parts, summary_markup, figure)


@lru_cache(maxsize=1)
def environment() -> jinja2.Environment:
    """Templates of the package by their paths in it."""
    return templates.environment(
        "hedgerow_study", row_attribute=row_attribute, difference=difference
    )


@dataclass(frozen=True)
class Difference:
    """Measured minus published, as text, and whether one is below 0 and the other above."""

    text: str = ""
    turned: bool = False


_NUMBER = re.compile(r"([+\u2212-]?)([\d,]*\.?\d+)(?: ?%)?")


def difference(measured: str | None, published: str | None) -> Difference:
    """Difference of two numbers as they are shown, to as many decimals as both have.

    >>> difference("12.3", "11.22")
    Difference(text='+1.1', turned=False)
    >>> difference("\u22120.4", "0.1").turned
    True

    Parameters
    ----------
    measured, published : str or None
        Of what is no number (a dash, ``< 0.001``) there is no difference.

    Returns
    -------
    Difference
    """
    matches = [_NUMBER.fullmatch(str(text or "").strip()) for text in (measured, published)]
    if None in matches:
        return Difference()
    first, second = (
        float(m[2].replace(",", "")) * (1 if m[1] in ("", "+") else -1) for m in matches
    )
    digits = min(len(m[2].partition(".")[2]) for m in matches)
    text = f"{first - second:+.{digits}f}"
    if float(text) == 0:
        text = "±0"
    return Difference(text.replace("-", "\u2212"), first * second < 0)


def published(measured: str | None, value: str | None, mark: str = "") -> Markup:
    """The published value beneath a measured one, and the difference of both; mark: behind it."""
    change, text = difference(measured, value), Markup("")
    if change.text:
        turned = ' turned" title="the sign has changed' if change.turned else ""
        text = Markup('<span class="difference{}"><span class="hidden">difference </span>{}</span>')
        text = text.format(Markup(turned), f"⇄ {change.text}" if change.turned else change.text)
    form = '<span class="published"><span class="hidden">published </span>{}{}{}</span>'
    return Markup(form).format(value or NONE, mark, text)


def shown(
    *modules: Any,
    figures: Mapping[str, Path | str],
    captions: Mapping[str, str],
    views: Mapping[str, Markup] | None = None,
) -> dict[str, dict[str, Any]]:
    """What a template needs of each table and figure.

    views: head and body of tables (`hedgerow_study.reporting.views.view`), by id.

    Returns: by id: id, kind, heading, caption, function, module, word and rule that made it; its
        files (kind, address as seen from the site); alt and address of a figure; view of a table.
    """
    items = {}
    for module in modules:
        for function in vars(module).values():
            item = getattr(function, "shown", None)
            if item is None or function.__module__ != module.__name__:
                continue
            module_ = module.__name__.removeprefix("hedgerow_study.")
            files = files_of(item.id, item.kind)
            items[item.id] = {
                "id": item.id,
                "kind": item.kind,
                "heading": item.heading,
                "caption": captions[item.id],
                "function": f"{module.__name__}.{item.id}",
                "module": module_,
                "word": module_.split(".")[1],
                "rule": "_".join(module_.split(".")[-2:]),
                "files": list(files.items()),
                "alt": item.alt,
                "uri": f"../figures/{Path(figures[item.id]).name}" if item.kind == "figure" else "",
                "view": (views or {}).get(item.id, ""),
            }
    return items


def files_of(identifier: str, kind: str) -> dict[str, str]:
    """Files of a table or figure: kind -> address, as seen from a page of the site.

    >>> files_of("soft_combined", "table")
    {'CSV': '../tables/soft_combined.csv'}
    """
    kinds = {"table": {"CSV": "csv"}, "figure": {"SVG": "svg", "PNG": "png", "data": "csv"}}[kind]
    return {name: f"../{kind}s/{identifier}.{suffix}" for name, suffix in kinds.items()}


def claim_lines(
    claims: pd.DataFrame, also: Mapping[str, str] | None = None, of: str = "data sets: {n_datasets}"
) -> list[dict[str, Any]]:
    """What the macro `claims` shows of claims that were judged.

    Returns: claim, verdict, mark, statement, measured, lacking, why (what `lacking` is), of, others
        (from, text, verdict) and published.
    """
    lines = []
    for row in claims.to_dict("records"):
        others = [
            {"from": name, "text": in_form(row[column]), "verdict": row[f"verdict_{column}"]}
            for column, name in (also or {}).items()
            if row[column]
        ]
        lines.append(
            {
                "claim": row["claim"],
                "verdict": verdict_text(row["claim"], row["verdict"]),
                "mark": VERDICTS[row["verdict"]],
                "statement": row["statement"],
                "measured": row["measured"],
                "lacking": row["lacking"],
                "why": {TOO_LITTLE: "Lacking", NOT_TESTABLE: "Why"}.get(row["verdict"], ""),
                "of": "" if row["verdict"] == NOT_TESTABLE else of.format(**row),
                "others": others,
                "published": in_form(row["published_value"]),
            }
        )
    return lines


def tally(claims: pd.DataFrame) -> dict[str, int]:
    """How many claims have each verdict, in the order of `VERDICTS`."""
    return {verdict: int((claims["verdict"] == verdict).sum()) for verdict in VERDICTS}
