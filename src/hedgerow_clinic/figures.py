"""Pictures of the page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.drawing.survival import guideline_page, plot_curves
from hedgerow.showing.figures import WIDTH, style
from hedgerow.survival.labels import entry_of
from hedgerow.texts import with_unit
from hedgerow_clinic.analysis import Analysis
from hedgerow_clinic.checklist import no_risk_message
from hedgerow_clinic.table_format import Table, format_value
from hedgerow_clinic.tables import withheld_decisions, withheld_leaves, withheld_treated

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.figure import Figure

BLUE, ORANGE, GREEN = "#0072B2", "#D55E00", "#009E73"
ASSOCIATION = "association, not effect"
COLUMNS = 3
#: Groups whose curves are distinguishable in one picture.
MOST_CURVES = 16


def tree_page(analysis: Analysis, title: str, least: int, source: str) -> Figure:
    """The tree of risk groups on one page."""
    cohort, included = analysis.cohort, analysis.is_included
    notes = [
        "Learnt from three quarters of these patients."
        if analysis.settings.test_size == 0.25
        else f"Learnt from {100 * (1 - analysis.settings.test_size):.0f} % of these patients.",
        *(
            []
            if analysis.validation is None
            else [
                f"“Next”: {analysis.validation.n_bootstraps} bootstraps of all steps, seed "
                f"{analysis.settings.seed}."
            ]
        ),
        "Leaves were chosen by the outcome: the groups of other patients lie closer together.",
    ]
    if analysis.leaves_without_risk:
        numbers = [analysis.numbers[node] for node in analysis.leaves_without_risk]
        when = cohort.horizon_text
        notes.append(no_risk_message(numbers, (), "", when, analysis.settings.min_followed))
    if analysis.entry is not None:
        notes.append("Patients count from when they came under observation.")
    if cohort.treated_at is not None:
        notes.append(
            "An intervention ends the follow-up: the course without it only if treatment was not "
            "chosen by how patients were getting on."
            if cohort.treated_when
            else "The treated have no follow-up here: the table does not say when treatment began."
        )
    labels = {name: cohort.columns[name].label for name in cohort.X}
    units = {name: cohort.columns[name].unit for name in cohort.X}
    with style():
        return guideline_page(
            analysis.groups.estimator,
            cohort.X[included],
            analysis.time[included],
            analysis.event[included],
            horizon=cohort.horizon,
            title=title,
            unit=cohort.unit,
            cohort=source,
            date=cohort.period,
            names=labels,
            units=units,
            notes=notes,
            least=least,
            withheld=withheld_leaves(analysis, least),
            competing="incidence",
            risks=analysis.risks,
            entry=entry_of(analysis.entry, included),
            numbers=analysis.numbers,
            min_followed=analysis.settings.min_followed,
        )


def curves(analysis: Analysis, least: int) -> Figure:
    """Survival of every group, in one picture."""
    from matplotlib.figure import Figure

    # A leaf has nobody where its patients reach it in part, by values that are missing.
    included = analysis.is_included
    reached = set(analysis.groups.leaf[included].tolist())
    order = [node for node in analysis.numbers if node in reached][:MOST_CURVES]
    labels = {node: f"Group {number}" for node, number in analysis.numbers.items()}
    start = "inclusion" if analysis.entry is None else "the start"
    with style():
        figure = Figure(figsize=(WIDTH, 3.6 + 0.17 * len(order)), layout="constrained")
        axes = figure.add_subplot()
        plot_curves(
            axes,
            analysis.time[included],
            analysis.event[included],
            analysis.groups.leaf[included],
            order=order,
            labels=labels,
            unit=f"{analysis.cohort.unit} from {start}",
            intervals=len(order) <= 3,
            least=least,
            competing="incidence",
            entry=entry_of(analysis.entry, included),
        )
        axes.set_ylabel("without the event")
    return figure


def plot_potential_follow_up(analysis: Analysis, least: int) -> Figure:
    """Share of every group that could be followed so long, whatever it had."""
    from matplotlib.figure import Figure

    included, cohort = analysis.is_included, analysis.cohort
    reached = set(analysis.groups.leaf[included].tolist())
    order = [node for node in analysis.numbers if node in reached][:MOST_CURVES]
    with style():
        figure = Figure(figsize=(WIDTH * 0.7, 2.9), layout="constrained")
        axes = figure.add_subplot()
        plot_curves(
            axes,
            analysis.time[included],
            analysis.event[included] == 0,
            analysis.groups.leaf[included],
            order=order,
            labels={node: f"Group {number}" for node, number in analysis.numbers.items()},
            unit=f"{cohort.unit} from {'inclusion' if analysis.entry is None else 'the start'}",
            intervals=False,
            marks=False,
            at_risk=False,
            least=least,
            entry=entry_of(analysis.entry, included),
        )
        line = {"color": "0.5", "linewidth": 0.8, "linestyle": (0, (4, 2)), "zorder": 0}
        axes.axvline(cohort.horizon, **line)
        axes.axhline(analysis.settings.min_followed, **line)
        axes.set_ylabel("could be followed")
    return figure


def treated(analysis: Analysis, least: int) -> Figure:
    """Treated and untreated patients from the landmark on, a panel for each group."""
    from matplotlib.figure import Figure

    cohort, landmark = analysis.cohort, analysis.landmark
    at_risk = (cohort.time > landmark) & analysis.is_compared
    early = np.where(cohort.treated_at <= landmark, "treated", "untreated")
    nodes = [-1, *analysis.numbers]
    withheld = withheld_treated(analysis, least)
    rows = math.ceil(len(nodes) / COLUMNS)
    with style():
        figure = Figure(figsize=(WIDTH, 2.5 * rows + 0.3), layout="constrained")
        when = (
            f"within {with_unit(landmark, cohort.unit, '.3g')}"
            if cohort.treated_when
            else "at any time"
        )
        figure.suptitle(
            f"Treated {when} and untreated: {ASSOCIATION}",
            fontsize=9,
            x=0.01,
            ha="left",
        )
        end = float((cohort.time[at_risk] - landmark).max())
        for place, node in enumerate(nodes):
            axes = figure.add_subplot(rows, COLUMNS, place + 1)
            axes.set_title("All" if node == -1 else f"Group {analysis.numbers[node]}")
            inside = at_risk & ((analysis.groups.leaf == node) | (node == -1))
            events = cohort.event[inside]
            if not (events == 1).any():
                axes.text(0.1, 0.5, "no event", transform=axes.transAxes, fontsize=7)
                axes.set_axis_off()
                continue
            order = [group for group in ("treated", "untreated") if (early[inside] == group).any()]
            plot_curves(
                axes,
                cohort.time[inside] - landmark,
                events,
                early[inside],
                order=order,
                colors={"treated": BLUE, "untreated": ORANGE},
                unit=f"{cohort.unit} from the landmark",
                end=end,
                direct=False,
                at_risk=node not in withheld,
                fontsize=6.5,
                least=least,
                competing="incidence",
                entry=None
                if cohort.entry is None
                else np.maximum(cohort.entry[inside] - landmark, 0.0),
            )
            if node in withheld:
                words = "numbers at risk withheld"
                axes.text(0.0, -0.36, words, transform=axes.transAxes, fontsize=6, color="0.35")
    return figure


def calibration(analysis: Analysis, table: Table) -> Figure:
    """Predicted against observed risk of each group, in the test part."""
    from matplotlib.figure import Figure

    with style():
        # A constrained layout measures the axes before they are made square.
        figure = Figure(figsize=(4.6, 4.3), layout="compressed")
        axes = figure.add_subplot()
        axes.plot([0, 1], [0, 1], color="0.6", linewidth=0.8)
        places = []
        for row in table.frame.to_dict("records"):
            if row["group"] == "All" or not _numbers(row["predicted"], row["observed"]):
                continue
            seen = row["observed"]
            if _numbers(row["observed_low"], row["observed_high"]):
                low, high = row["observed_low"], row["observed_high"]
                axes.plot([row["predicted"]] * 2, [low, high], color=BLUE, linewidth=1.0)
            axes.plot(row["predicted"], seen, "o", color=BLUE, markersize=5, clip_on=False)
            if _numbers(row["estimated"]):
                axes.plot(
                    row["estimated"],
                    seen,
                    "D",
                    color=ORANGE,
                    mfc="white",
                    markersize=4,
                    clip_on=False,
                )
            places.append((row["predicted"], seen, row["group"]))
        for x, y, number in places:
            axes.annotate(number, (x, y), xytext=(4, 3), textcoords="offset points", fontsize=8)
        axes.plot([], [], "o", color=BLUE, label="share of the tree")
        axes.plot([], [], "D", color=ORANGE, mfc="white", label="estimated in the training part")
        axes.legend(loc="upper left", fontsize=7.5)
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1)
        axes.set_aspect("equal")
        axes.set_xlabel("predicted risk")
        axes.set_ylabel("observed in the test part")
        _in_percent(axes, both=True)
    return figure


def plot_decision_curve(analysis: Analysis, least: int) -> Figure:
    """Net benefit over thresholds."""
    from matplotlib.figure import Figure

    table = analysis.decisions
    net = table["tree"].to_numpy(float).copy()
    if least:
        net[withheld_decisions(analysis, least)] = math.nan
    with style():
        figure = Figure(figsize=(WIDTH, 3.4), layout="constrained")
        axes = figure.add_subplot()
        draw_net_benefit(axes, table, net, "by the tree")
    return figure


def draw_net_benefit(axes: Any, table: pd.DataFrame, net: np.ndarray, name: str) -> None:
    """Net benefit of a model over thresholds, and that of treating all and none."""
    # net: of the model, NaN where it is not shown. name: of the model, for the legend.
    lines = (
        (name, net, BLUE, "-"),
        ("treat all", table["all"].to_numpy(), ORANGE, (0, (5, 1.5))),
        ("treat none", table["none"].to_numpy(), "0.35", (0, (1, 1))),
    )
    for words, values, color, line in lines:
        axes.plot(table["threshold"], values, color=color, linestyle=line, label=words)
    top = max(float(np.nanmax([*net, *table["all"]])), 0.02)
    axes.set_ylim(-0.35 * top, 1.1 * top)
    axes.set_xlim(0, 1)
    axes.set_xlabel("risk from which a patient is treated")
    axes.set_ylabel("net benefit per patient")
    _in_percent(axes)
    axes.legend(fontsize=8)


def _numbers(*values: Any) -> bool:
    return all(isinstance(v, float) and not math.isnan(v) for v in values)


def _in_percent(axes, both: bool = False) -> None:
    ticks = [0.0, 0.25, 0.5, 0.75, 1.0]
    words = ["0", "25", "50", "75", "100 %"]
    axes.set_xticks(ticks, words)
    if both:
        axes.set_yticks(ticks, words)


def alt_texts(analysis: Analysis, tables: dict[str, Table]) -> dict[str, str]:
    """What each picture shows, for those who cannot see it."""
    net = analysis.decisions.set_index("threshold")
    return {
        "sheet": f"A tree with {len(analysis.numbers)} groups and the curve of each.",
        "survival": f"Survival curves of {len(analysis.numbers)} groups; the table below has "
        "their quartiles.",
        "treated": "Survival curves of treated and untreated patients in each group; association, "
        "not effect.",
        "followed": f"Curves of the share that could be followed, of {len(analysis.numbers)} "
        "groups; the sentence above tells the horizon that all reach.",
        "calibration": "Points of predicted against observed risk, one for each group; the table "
        f"below has {len(tables['calibration'].frame)} rows with the same numbers.",
        "decisions": "Net benefit over thresholds; treating all patients ends to pay at a "
        f"threshold of {format_value(float((net['all'] > 0).mean()), 's')}.",
    }
