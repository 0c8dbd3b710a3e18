"""The section of the analyses on the report page."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from hedgerow.showing.numbers import NONE, number
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.step import step
from hedgerow_study.extensions.analytic_choices import figures as own_figures
from hedgerow_study.extensions.analytic_choices import tables as own_tables
from hedgerow_study.extensions.analytic_choices.plan import MultiversePlan
from hedgerow_study.reporting.analytic_choices import FEWEST
from hedgerow_study.reporting.html import Section, filled, shown
from hedgerow_study.reporting.views import Styled, text, view

_VERDICTS = ["Statement", "Analyses", "Inconclusive", "Reproduced, %", "Partly, %", "Not, %"]
_VERDICTS += [Styled("Over analyses", "text"), Styled("Decides", "text")]
_NEAREST = ["Experiment", "Rank", Styled("Analysis", "text"), "Distance", "Cells", "Tables"]
_NEAREST += ["First without"]


@step("*")
def section(
    tables: Frames, figures: Mapping[str, Path], captions: Mapping[str, str], plan: MultiversePlan
) -> Section:
    """Analyses as a section of the report page."""
    claims, nearest = tables["analytic_choices_verdicts"], tables["analytic_choices_nearest"]
    named = claims["word"].fillna("").ne("")
    views = {
        "analytic_choices_verdicts": view(
            [_verdicts(line) for line in claims.to_dict("records")],
            _VERDICTS,
        ),
        "analytic_choices_nearest": view(
            [_near(line) for line in nearest.to_dict("records")],
            _NEAREST,
        ),
        "analytic_choices_open": view(
            [
                _choice(line)
                for line in tables["analytic_choices_open"].fillna("").to_dict("records")
            ],
            [
                Styled(head, "text")
                for head in ("Choice", "What the paper says", "Here", "Otherwise")
            ],
        ),
    }
    return filled(
        "analytic_choices",
        "Sensitivity analysis: which claims depend on choices that nobody printed",
        "extensions/analytic_choices/page.html.j2",
        plan=plan,
        fewest=FEWEST,
        n_claims=len(claims),
        n_named=int(named.sum()),
        words=claims["word"][named].value_counts().sort_index().to_dict(),
        nearest=len(nearest),
        shown=shown(own_tables, own_figures, figures=figures, captions=captions, views=views),
    )


def _verdicts(line: Mapping) -> tuple:
    """A statement, its verdicts in per cent."""
    shares = (100.0 * line[name] for name in ("reproduced", "partly", "not_reproduced"))
    decides = text(line["decides"])
    if decides:
        decides += f" ({number(100.0 * line['decides_share'])} %)"
    words = (Styled(word or NONE, "text") for word in (text(line["word"]), decides))
    return line["claim"], line["n_analyses"], line["n_open"], *map(number, shares), *words


def _near(line: Mapping) -> tuple:
    counts = (line[name] for name in ("n_cells", "n_tables", "n_first"))
    analysis = Styled(line["analysis"], "wrap")
    return line["experiment"], line["rank"], analysis, f"{line['distance']:.2f}", *counts


def _choice(line: Mapping) -> tuple:
    words = (f"{line['open']} ({line['place']})", line["here"], line["otherwise"])
    return f"{line['experiment']}: {line['choice']}", *(Styled(word, "wrap") for word in words)
