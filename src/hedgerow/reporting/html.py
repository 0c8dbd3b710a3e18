"""The report page: one self-contained HTML file that opens from disk without a network.

The page is composed of sections, one per experiment; what an experiment shows is its own business.
Three things make a section, all of them named by the experiment's word (`soft`, ...):

1. A function `section(...) -> Section` in ``reporting/<word>.py``, or in ``<word>_section.py``
   beside it. It gets what the workflow has written (tables, figures, rows, settings), and its
   markup is ``render("experiments/<word>/page.html.j2", ...)``: a template beside the module, found
   by digests of code through its name. A template may ``{% import "reporting/macros.html.j2" ... %}``
   for noise tables, figures and lines of provenance, and use the filters `number`, `minus` and
   `title_of`.
2. A rule ``<word>_section`` in ``workflow/rules/<word>.smk`` that writes it to
   ``data/results/<word>/section.json``, with the digests of its own code: an edit of one section
   makes that section anew and no other.
3. One line in ``workflow/rules/report.smk``, which gives the experiment its place on the page.

Inside a section, headings start at ``h3`` and every ``id`` begins with the experiment's word, but
for those of published tables and figures, which are unique already. An experiment that a
configuration does not run has no section, and the page says nothing of it.
"""

from __future__ import annotations

import base64
import dataclasses
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import jinja2
import pandas as pd
from markupsafe import Markup


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
        HTML below the heading, headings from ``h3`` down.
    contents : tuple of (str, str)
        Anchor and title of each part, for the table of contents.
    summary : str
        HTML of a few lines for the top of the page: what held and what did not. Empty where the
        section judges no published statement.
    """

    id: str
    title: str
    markup: str
    contents: tuple[tuple[str, str], ...] = ()
    summary: str = ""

    def to_dict(self) -> dict[str, Any]:
        """A form that JSON can hold."""
        form = dataclasses.asdict(self)
        return {key: str(v) if isinstance(v, str) else v for key, v in form.items()}

    @classmethod
    def from_dict(cls, form: Mapping[str, Any]) -> Section:
        """The section that `to_dict` wrote."""
        contents = tuple((anchor, title) for anchor, title in form["contents"])
        return cls(**{**form, "contents": contents})


def page(sections: Iterable[Section], configuration: str) -> str:
    """Text of reports/html/index.html.

    Parameters
    ----------
    sections : iterable of Section
        In the order of the page.
    configuration : str
        Name of the configuration.

    Returns
    -------
    str
        Complete HTML page; the same inputs give the same text.

    Raises
    ------
    ValueError
        If an anchor stands twice on the page, or the table of contents names one that is not
        there.
    """
    sections = list(sections)
    shown = [
        {
            **s.to_dict(),
            "contents": s.contents,
            "markup": Markup(s.markup),
            "summary": Markup(s.summary),
        }
        for s in sections
    ]
    text = render("reporting/report.html.j2", sections=shown, configuration=configuration)
    ids = re.findall(r'<[a-z][^>]*? id="([^"]*)"', text)
    twice = sorted({i for i in ids if ids.count(i) > 1})
    if twice:
        raise ValueError(f"anchors stand twice on the page: {', '.join(twice)}")
    lost = sorted(set(re.findall(r'href="#([^"]*)"', text)) - set(ids))
    if lost:
        raise ValueError(f"the page has links to anchors that it does not hold: {', '.join(lost)}")
    return text


# --------------------------------------------------------------------------- for the sections


def render(template: str, **context: Any) -> Markup:
    """Fill a template of this folder; what is not marked as HTML is escaped.

    Parameters
    ----------
    template : str
        File name, such as ``experiments/soft/page.html.j2``.
    **context
        Variables of the template; one that is missing is an error.

    Returns
    -------
    Markup
    """
    return Markup(_environment().get_template(template).render(**context))


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    def source(name: str) -> str:
        file = resources.files("hedgerow").joinpath(name)
        return file.read_text(encoding="utf-8")

    environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(source),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters |= {"number": number, "minus": minus, "title_of": title_of}
    return environment


def number(value: float | None, digits: int = 0) -> str:
    """Number with a typographic minus and no negative zero; a dash for no value."""
    if value is None or pd.isna(value):
        return "–"
    text = f"{float(value):.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "\u2212")


def minus(text: str) -> str:
    """Text with a typographic minus before its negative numbers."""
    return re.sub(r"(?<![\w.)])-(?=\d)", "\u2212", text)


def title_of(identifier: str) -> str:
    """What the papers call a table or figure.

    >>> title_of("thesis_figure_3_10")
    'Figure 3.10'
    """
    kind, *numbers = identifier.split("_")[1:]
    return f"{kind.capitalize()} {'.'.join(numbers)}"


def data_uri(path: Path | str) -> str:
    """A figure as an address that holds the figure itself.

    Parameters
    ----------
    path : path of an svg or png file
    """
    path = Path(path)
    kind = {".svg": "image/svg+xml", ".png": "image/png"}[path.suffix]
    encoded = base64.b64encode(path.read_bytes()).decode("ascii")
    return f"data:{kind};base64,{encoded}"
