"""Pictures of a model in other hospitals."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.showing.figures import WIDTH, style
from hedgerow.texts import legible
from hedgerow_clinic.external_validation import Validation, logit
from hedgerow_clinic.figures import BLUE, ORANGE, draw_net_benefit
from hedgerow_clinic.model import Group, Point
from hedgerow_clinic.validation_tables import notes, summary

if TYPE_CHECKING:
    from matplotlib.figure import Figure

FIRST, HERE = "first hospital", "here"
COLUMNS = 3
#: Panels of the sheet.
MOST_PANELS = 8
A4 = (11.69, 8.27)
_TICKS, _WORDS = [0.0, 0.25, 0.5, 0.75, 1.0], ["0", "25", "50", "75", "100 %"]


def calibration(validation: Validation) -> Figure:
    """Expected against observed risk of each group."""
    from matplotlib.figure import Figure

    with style():
        # A constrained layout measures the axes before they are made square.
        figure = Figure(figsize=(4.6, 4.3), layout="compressed")
        _calibration(figure.add_subplot(), validation)
    return figure


def _calibration(axes: Any, validation: Validation) -> None:
    axes.plot([0, 1], [0, 1], color="0.6", linewidth=0.8)
    a, b = validation.line
    if a == a:
        grid = np.linspace(0.005, 0.995, 200)
        inside = (grid >= np.nanmin(validation.risk)) & (grid <= np.nanmax(validation.risk))
        line = 1.0 / (1.0 + np.exp(-(a + b * logit(grid))))
        axes.plot(
            grid[inside],
            line[inside],
            color=ORANGE,
            linewidth=1.0,
            linestyle=(0, (5, 1.5)),
            label="by intercept and slope",
        )
    drawn = False
    for row, group in enumerate(validation.model.groups):
        share, low, high = validation.observed[group.node]
        if validation.is_few(row) or math.isnan(share) or group.risk is None:
            continue
        if low == low:
            axes.plot([group.risk] * 2, [low, high], color=BLUE, linewidth=1.0)
        name = "" if drawn else "group, 95 % CI"
        axes.plot(group.risk, share, "o", color=BLUE, markersize=5, clip_on=False, label=name)
        axes.annotate(
            str(group.number),
            (group.risk, share),
            xytext=(4, 3),
            textcoords="offset points",
            fontsize=8,
        )
        drawn = True
    axes.legend(loc="upper left", fontsize=7.5)
    axes.set_xlim(0, 1)
    axes.set_ylim(0, 1)
    axes.set_aspect("equal")
    axes.set_xlabel("risk by the first hospital")
    axes.set_ylabel("observed here")
    axes.set_xticks(_TICKS, _WORDS)
    axes.set_yticks(_TICKS, _WORDS)


def curves(validation: Validation) -> Figure:
    """Curve of each group, here and in the first hospital."""
    from matplotlib.figure import Figure

    groups = validation.model.groups
    rows = math.ceil(len(groups) / COLUMNS)
    with style():
        figure = Figure(figsize=(WIDTH, 2.0 * rows + 0.35), layout="constrained")
        _key(figure, loc="outside upper left")
        for place, group in enumerate(groups):
            axes = figure.add_subplot(rows, COLUMNS, place + 1)
            _curve(axes, validation, place, group, place % COLUMNS == 0)
    return figure


def _key(figure: Any, **where: Any) -> None:
    from matplotlib.lines import Line2D

    lines = [
        Line2D([], [], color=BLUE, marker="o", markersize=3, label=HERE),
        Line2D([], [], color=ORANGE, linestyle=(0, (5, 1.5)), marker="D", markersize=3),
    ]
    lines[1].set_label(FIRST)
    figure.legend(handles=lines, ncols=2, fontsize=8, **where)


def _curve(
    axes: Any, validation: Validation, row: int, group: Group, first: bool, with_rule: bool = False
) -> None:
    horizon = validation.model.horizon
    few = validation.is_few(row)
    here = () if few else validation.curves[group.node]
    _line(axes, here, BLUE, "-", "o")
    _line(axes, group.curve, ORANGE, (0, (5, 1.5)), "D")
    share, low, high = validation.observed[group.node]
    bars = [] if few else [(share, low, high, BLUE, "o", -0.012)]
    bounds = [math.nan if v is None else v for v in (group.low, group.high)]
    if group.risk is not None:
        bars.append((group.risk, *bounds, ORANGE, "D", 0.012))
    for value, bottom, top, color, marker, aside in bars:
        x = horizon * (1.0 + aside)
        if bottom == bottom:
            axes.plot([x, x], [bottom, top], color=color, linewidth=1.2, clip_on=False)
        axes.plot([x], [value], marker, color=color, markersize=2.8, clip_on=False)
    if few or (not group.curve and group.few):
        words = "not shown here" if few else "few in the first hospital"
    elif group.number in validation.groups_without_risk:
        words = "not followed to the horizon"
    else:
        words = ""
    if words:
        axes.text(0.04, 0.86, words, transform=axes.transAxes, fontsize=6.5, color="0.35")
    rule = "\n".join(textwrap.wrap(legible(group.rule).replace("$", r"\$"), 54)[:2])
    axes.set_title(f"Group {group.number}", fontsize=8)
    if with_rule:
        axes.set_title(f"Group {group.number}: {rule}", fontsize=6)
    axes.set_xlim(0.0, horizon * 1.03)
    axes.set_ylim(0.0, 1.0)
    axes.set_yticks(_TICKS, _WORDS if first else [""] * len(_TICKS))
    axes.tick_params(labelsize=6.5)
    axes.set_xlabel(validation.model.unit, fontsize=7, labelpad=1.0)
    if first:
        axes.set_ylabel("had the event", fontsize=7)


def _line(axes: Any, curve: Sequence[Point], color: str, line: Any, marker: str) -> None:
    if curve:
        axes.plot(
            [0.0, *(point.time for point in curve)],
            [0.0, *(point.share for point in curve)],
            color=color,
            linestyle=line,
            linewidth=1.1,
            marker=marker,
            markersize=2.2,
            markevery=slice(1, None),
            clip_on=False,
        )


def decisions(validation: Validation) -> Figure:
    """Net benefit over thresholds."""
    from matplotlib.figure import Figure

    with style():
        figure = Figure(figsize=(WIDTH, 3.4), layout="constrained")
        _decisions(figure.add_subplot(), validation)
    return figure


def _decisions(axes: Any, validation: Validation) -> None:
    table = validation.decisions
    net = table["tree"].to_numpy(float).copy()
    net[validation.is_withheld] = math.nan
    draw_net_benefit(axes, table, net, "by the first hospital's risks")


def validation_page(validation: Validation, title: str, source: str) -> Figure:
    """The whole on one page, for print."""
    from matplotlib.figure import Figure

    groups = validation.model.groups[:MOST_PANELS]
    lines = [*summary(validation), *notes(validation)]
    text = "\n".join(
        "\n".join(textwrap.wrap(legible(words).replace("$", r"\$"), 76)) + "\n" for words in lines
    )
    foot = (
        f"Patients of {legible(source)}; the tree is of "
        f"{legible(validation.model.made_from.file)}. Bars: 95 % CI. Small counts are not "
        "shown."
    )
    with style():
        # Places are fixed: a solver of nested parts moves them by a hair from run to run.
        figure = Figure(figsize=A4)
        heading = "\n".join(textwrap.wrap(legible(title).replace("$", r"\$"), 100)[:2])
        figure.text(0.01, 0.985, heading, fontsize=13, va="top", ha="left")
        figure.text(0.01, 0.92, text, fontsize=7.9, va="top", ha="left", linespacing=1.35)
        foot = "\n".join(textwrap.wrap(foot, 84))
        figure.text(0.01, 0.475, foot, fontsize=6.5, va="bottom", color="0.35")
        _calibration(figure.add_axes((0.435, 0.54, 0.22, 0.36)), validation)
        _decisions(figure.add_axes((0.735, 0.54, 0.245, 0.36)), validation)
        _key(figure, loc="upper left", bbox_to_anchor=(0.005, 0.465))
        columns = max(4, math.ceil(len(groups) / 2)) if len(groups) > 4 else max(len(groups), 1)
        rows = math.ceil(len(groups) / columns)
        panels = figure.add_gridspec(
            rows, columns, left=0.05, right=0.985, bottom=0.055, top=0.4, wspace=0.1, hspace=0.55
        )
        for place, group in enumerate(groups):
            axes = figure.add_subplot(panels[divmod(place, columns)])
            _curve(axes, validation, place, group, place % columns == 0, with_rule=True)
    return figure


def alternatives(validation: Validation) -> dict[str, str]:
    """What each picture shows, for those who cannot see it."""
    count = len(validation.model.groups)
    return {
        "sheet": f"Summary, calibration, decision curve and the curves of {count} groups.",
        "calibration": "Points of the first hospital's risk against the observed share, one for "
        "each group; the table below has the numbers.",
        "survival": f"Share with the event over time in {count} groups, here and in the first "
        "hospital.",
        "decisions": "Net benefit over thresholds, by the first hospital's risks, of treating all "
        "and of treating none.",
    }


def captions(validation: Validation) -> dict[str, str]:
    """What stands beneath each picture."""
    way = (
        "incidence (Aalen-Johansen)" if validation.has_competing_risks else "one less Kaplan-Meier"
    )
    return {
        "sheet": "The whole on one page, for print.",
        "calibration": "Each group; bars: 95 % CI. On the grey line, what was expected was seen.",
        "survival": f"Share with the event ({way}) at times at which enough patients had it; bars "
        "at the horizon: 95 % CI.",
        "decisions": "Where the line of the first hospital's risks is not the highest, they do not "
        "help to decide.",
    }
