"""The report page: one self-contained HTML file that opens from disk without a network.

The page is composed of sections, one per experiment; what an experiment shows is its own business.
A section is a function `section(...) -> Section` in ``experiments/<word>/page.py``, which gets
what the workflow has written, and a template beside it, ``experiments/<word>/page.html.j2``. A
template may import ``reporting/macros.html.j2`` for noise tables, figures and lines of provenance,
and use the filters `number`, `minus` and `title_of`; `shown` gives it what stands at the functions
that make tables and figures. The rule ``<word>_page`` writes the section to
``data/results/<word>/section.json``: an edit of one makes that section anew and no other.

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
from typing import TYPE_CHECKING, Any

from markupsafe import Markup

from hedgerow.ids import title_of
from hedgerow.reporting.claim_specification import NOT_TESTABLE, TOO_LITTLE, VERDICTS

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
    """Fill a template of the package; what is not marked as HTML is escaped.

    Parameters
    ----------
    template : str
        Its path in the package, such as ``experiments/soft/page.html.j2``.
    **context
        Variables of the template; one that is missing is an error.

    Returns
    -------
    Markup
    """
    return Markup(_environment().get_template(template).render(**context))


@lru_cache(maxsize=1)
def _environment() -> jinja2.Environment:
    import jinja2

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
    import pandas as pd

    if value is None or pd.isna(value):
        return "–"
    text = f"{float(value):.{digits}f}"
    return text.lstrip("-") if float(text) == 0 else text.replace("-", "\u2212")


def minus(text: str) -> str:
    """Text with a typographic minus before its negative numbers."""
    return re.sub(r"(?<![\w.)])-(?=\d)", "\u2212", text)


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


def shown(
    *modules: Any, figures: Mapping[str, Path | str], captions: Mapping[str, str]
) -> dict[str, dict[str, str]]:
    """What a template needs of each table and figure.

    Parameters
    ----------
    *modules : module
        Whose functions make tables and figures (`hedgerow.experiments.step`).
    figures : mapping of path
        Files by id; they are embedded.
    captions : mapping of str
        By id, as the jobs wrote them.

    Returns
    -------
    dict
        By id: id, kind, heading, caption, function and rule that made it; alt and uri of a figure.
    """
    found = {}
    for module in modules:
        for function in vars(module).values():
            made = getattr(function, "shown", None)
            if made is None or function.__module__ != module.__name__:
                continue
            found[made.id] = {
                "id": made.id,
                "kind": made.kind,
                "heading": made.heading,
                "caption": captions[made.id],
                "function": f"{module.__name__}.{made.id}",
                "rule": "_".join(module.__name__.split(".")[-2:]),
                "alt": made.alt,
                "uri": data_uri(figures[made.id]) if made.kind == "figure" else "",
            }
    return found


def claim_lines(
    claims: pd.DataFrame, also: Mapping[str, str] | None = None, of: str = "{n_datasets} data sets"
) -> list[dict[str, Any]]:
    """What the macro `claims` shows of claims that were judged.

    Parameters
    ----------
    claims : DataFrame
        As returned by `hedgerow.reporting.claims.judge`, with statements.
    also : mapping of str, optional
        Further texts: column (its verdict is in `verdict_<column>`) -> what they are from.
    of : str
        What the verdict rests on, with names of columns.

    Returns
    -------
    list of dict
        claim, verdict, mark, statement, measured, lacking, why (what `lacking` is), of, others
        (from, text, verdict) and published.
    """
    lines = []
    for row in claims.to_dict("records"):
        others = [
            {"from": name, "text": minus(row[column]), "verdict": row[f"verdict_{column}"]}
            for column, name in (also or {}).items()
            if row[column]
        ]
        lines.append(
            {
                "claim": row["claim"],
                "verdict": row["verdict"],
                "mark": VERDICTS[row["verdict"]],
                "statement": row["statement"],
                "measured": row["measured"],
                "lacking": row["lacking"],
                "why": {TOO_LITTLE: "Lacking", NOT_TESTABLE: "Why"}.get(row["verdict"], ""),
                "of": "" if row["verdict"] == NOT_TESTABLE else of.format(**row),
                "others": others,
                "published": minus(row["published_value"]),
            }
        )
    return lines


def tally(claims: pd.DataFrame) -> dict[str, int]:
    """How many claims have each verdict, in the order of `VERDICTS`."""
    return {verdict: int((claims["verdict"] == verdict).sum()) for verdict in VERDICTS}
