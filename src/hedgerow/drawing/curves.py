"""Curves of survival of groups, with their names and the numbers at risk."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.checks import LARGEST, LARGEST_COUNT, check_choice, check_number
from hedgerow.drawing.words import text_width
from hedgerow.errors import InputError
from hedgerow.optional_imports import import_optional
from hedgerow.survival.estimates import Steps
from hedgerow.survival.labels import checked_entry, checked_follow_up, entry_of
from hedgerow.texts import legible

if TYPE_CHECKING:
    import pandas as pd

PURPOSE = "a drawing of survival"
#: Colours of Okabe and Ito (2008), dark and light in turn; the line tells groups apart in grey.
LINES = (
    ("#0072B2", "-"), ("#D55E00", (0, (5, 1.5))), ("#009E73", (0, (1, 1))),
    ("#CC79A7", (0, (5, 1, 1, 1))), ("#000000", (0, (7, 3))), ("#E69F00", "-"),
    ("#56B4E9", (0, (3, 1, 1, 1, 1, 1))), ("#7F7F7F", (0, (2, 2))),
)  # fmt: skip
#: Steps of a curve that are drawn: more are indistinguishable in print, and fill the file.
MOST_STEPS = 400
MOST_MARKS = 60

#: Behind the name of a group whose curve is not drawn.
FEWER = ": fewer than {}"
#: The same where so few are at risk at the first event that no curve can begin.
EARLY = ": fewer than {} at first"

#: What an event of another cause may be.
COMPETING = ("censored", "incidence")

_LABEL = 0.055  # least distance of two labels at the ends of curves, in heights of the axes


@dataclass(frozen=True)
class _Curve:
    """A curve of the share without the event: its steps, and who was censored when."""

    time: np.ndarray
    survival: np.ndarray
    low: np.ndarray
    high: np.ndarray
    censored: np.ndarray

    def at(self, when, values: np.ndarray | None = None) -> np.ndarray:
        """Values (by default survival) at times from 0 on."""
        place = np.searchsorted(self.time, when, side="right") - 1
        return (self.survival if values is None else values)[place]


def _curve(
    time: np.ndarray,
    died: np.ndarray,
    confidence: float,
    other: np.ndarray | None = None,
    entry: np.ndarray | None = None,
) -> _Curve:
    """Kaplan-Meier, or where somebody has another event 1 less Aalen-Johansen's incidence."""
    if entry is not None or (other is not None and other.any()):
        return _incidence_curve(time, died, other, confidence, entry)
    from lifelines import KaplanMeierFitter

    fitted = KaplanMeierFitter(alpha=1.0 - confidence).fit(time, died)
    table = fitted.survival_function_
    interval = fitted.confidence_interval_survival_function_.to_numpy()
    survival = table.iloc[:, 0].to_numpy()
    # Where nobody has had the event yet the interval has no width, and none is drawn.
    low, high = (np.where(np.isnan(side), survival, side) for side in interval.T)
    return _Curve(table.index.to_numpy(float), survival, low, high, np.sort(time[~died]))


def _incidence_curve(time, died, other, confidence: float, entry=None) -> _Curve:
    """Share without the event where other events keep some from it, or patients enter late.

    Intervals are log(-log) in the incidence where causes compete, else in the survival.
    """
    from scipy.stats import norm

    other = np.zeros(len(time), dtype=bool) if other is None else other
    codes = np.where(died, 1, np.where(other, 2, 0))
    if entry is None:
        library = import_optional("statsmodels.duration.survfunc", PURPOSE)
        with np.errstate(divide="ignore", invalid="ignore"):
            fitted = library.CumIncidenceRight(time, codes)
        when, share, error = fitted.times, fitted.cinc[0], fitted.cinc_se[0]
    else:
        steps = Steps(time, codes, 1, entry)
        when, share, error = steps.when, steps.incidence(), steps.incidence_errors()
        share = share if other.any() else 1.0 - steps.survival  # exactly 1 at the end
    when, share, error = (np.append(0.0, values) for values in (when, share, error))
    of = share if other.any() else 1.0 - share
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.exp(norm.ppf((1.0 + confidence) / 2.0) * error / (of * np.log(of)))
        sides = of ** (1.0 / factor), of**factor
    # Where nobody has had the event yet the interval has no width, and none is drawn.
    low, high = (np.where(np.isnan(side), of, side) for side in sides)
    if other.any():
        low, high = 1.0 - high, 1.0 - low
    return _Curve(when, 1.0 - share, low, high, np.sort(time[~died & ~other]))


def plot_curve(axes: Any, time, died, *, color, line="-", label="", interval=False) -> None:
    """One Kaplan-Meier curve and nothing else, on axes that are the caller's.

    Parameters
    ----------
    axes : matplotlib Axes
    time : (n,) float array
        Nothing is drawn where there are no patients.
    died : (n,) bool array
    color : matplotlib colour
    line : matplotlib line style
    label : str
        For a legend.
    interval : bool, default False
        Whether that of 95 % is drawn, as a band.
    """
    time, died = np.asarray(time, dtype=np.float64), np.asarray(died, dtype=bool)
    if len(time):
        curve = _curve(time, died, 0.95)
        _draw(axes, curve, float(time.max()), color, line, interval, False, label)


def plot_curves(
    axes: Any,
    time,
    event,
    groups,
    *,
    order: Sequence | None = None,
    labels: Mapping | None = None,
    colors: Mapping | None = None,
    cause: int = 1,
    end: float | None = None,
    unit: str = "",
    confidence: float = 0.95,
    intervals: bool = True,
    marks: bool = True,
    direct: bool = True,
    at_risk: bool = True,
    fontsize: float = 8.0,
    least: int = 0,
    competing: str = "censored",
    entry=None,
) -> pd.DataFrame:
    """Curves of survival of groups, their names at their ends, numbers at risk beneath.

    Parameters
    ----------
    axes : matplotlib Axes
        Room beneath for the numbers at risk is the caller's, as a constrained layout gives it.
    time, event : (n,) arrays
        As in `hedgerow.survival.horizon_labels`.
    groups : (n,) array
        Label of each patient's group; patients whose label is not in `order` are left out.
    order : sequence, optional
        Labels in the order in which they are drawn and listed; by default sorted.
    labels : mapping, optional
        Group to its name in words; by default the label itself.
    colors : mapping, optional
        Group to its colour; by default those of Okabe and Ito, each with a line of its own.
    cause : int, default 1
    end : float, optional
        Where the axis of time ends, in the unit of `time`; by default with the last patient.
    unit : str
        Of time, such as 'years'.
    confidence : float, default .95
        Of the intervals (log-log of Greenwood's variance).
    intervals, marks, direct, at_risk : bool, default True
        Whether intervals, marks of censoring, names at the ends (else a legend), and numbers at
        risk are drawn.
    fontsize : float, default 8
        Points.
    least : int, default 0
        Counts from 1 to below it are not shown: a number at risk is `<least`, a curve ends where
        fewer are at risk, and that of a group with so few patients or events is not drawn.
    competing : {'censored', 'incidence'}, default 'censored'
        What an event of another cause is: the end of follow-up (Kaplan-Meier), or that the event
        will not come any more (1 less Aalen-Johansen's incidence), so that the curve tells the
        share of all patients who have not had the event.
    entry : (n,) array, optional
        As in `hedgerow.survival.leaf_survival`. With `least` a curve ends before the first event at
        which fewer are at risk, at its beginning too.

    Returns
    -------
    DataFrame
        Numbers at risk: one row per group (index `group`), one column per tick of the axis.

    Raises
    ------
    InputError
        Follow-up as `horizon_labels` says, entries as `leaf_survival`; groups of another length; a
        group of `order` that nobody is in; a number out of range.
    LibraryError
        matplotlib, pandas or lifelines is not installed (extras `draw` and `survival`).
    """
    pd = import_optional("pandas", PURPOSE)
    import_optional("matplotlib", PURPOSE)
    import_optional("lifelines", PURPOSE)
    check_number("confidence", confidence, 0.5, 0.9999)
    check_number("fontsize", fontsize, 0.1, 1000.0)
    check_number("least", least, 0, LARGEST_COUNT, whole=True)
    check_choice("competing", competing, COMPETING)
    if end is not None:
        check_number("end", end, 1e-12, LARGEST)
    time, event = checked_follow_up(time, event, cause)
    entry = checked_entry(entry, time)
    groups, order = _in_order(groups, order, time)
    died = event == cause
    other = (event != 0) & ~died & (competing == "incidence")
    last = max(float(time[np.isin(groups, order)].max()), 1e-12) if end is None else float(end)
    ends, drawn = [], []
    for place, group in enumerate(order):
        inside = groups == group
        color, line = LINES[place % len(LINES)]
        color = color if colors is None else colors[group]
        name = legible(str(group) if labels is None else labels[group])
        data = (time[inside], died[inside], other[inside], entry_of(entry, inside))
        look = (color, line, intervals, marks)
        suffix, end_point = _draw_group(axes, *data, last, least, confidence, look)
        drawn.append((color, line, name + suffix))
        ends.append(end_point)
    ticks = _scaled(axes, last, fontsize)
    counts = [[_at_risk(time, entry, groups == group, tick) for tick in ticks] for group in order]
    table = pd.DataFrame(counts, index=pd.Index(order, name="group"), columns=ticks)
    if unit:
        axes.set_xlabel(legible(unit), fontsize=fontsize, labelpad=1.0)
    if direct:
        _name_ends(axes, ends, drawn, last, fontsize)
    elif len(order) > 1:
        _legend(axes, drawn, fontsize)
    if at_risk:
        _list_at_risk(axes, table, drawn, fontsize, least, bool(unit))
    return table


def _draw_group(
    axes, time, died, other, entry, last: float, least: int, confidence: float, look: tuple
) -> tuple[str, tuple[float, float]]:
    """Draw the curve of a group; gives what stands behind its name, and where the curve ends."""
    if hidden(len(time), least) or hidden(int(died.sum()), least):
        return FEWER.format(least), (last, 1.0)
    curve, stops = _curve(time, died, confidence, other, entry), _stops(time, last, least)
    if entry is not None:
        stops = min(stops, _first_few(time, died | other, entry, least))
    _draw(axes, curve, stops, *look)
    # A line from 0 on would say that nobody has the event.
    if entry is not None and stops <= 0.0:
        return EARLY.format(least), (last, 1.0)
    return "", (stops, float(curve.at(stops)))


def _in_order(groups, order: Sequence | None, time: np.ndarray) -> tuple[np.ndarray, list]:
    """The group of each patient, and groups in the order in which they are drawn."""
    groups = np.asarray(groups)
    if groups.shape != time.shape:
        raise InputError(
            f"groups has shape {groups.shape} and time {time.shape}", remedy="give one per patient"
        )
    present = sorted(set(groups.tolist()))
    order = present if order is None else list(order)
    if empty := [group for group in order if group not in present]:
        raise InputError(f"nobody is in group {empty[0]!r}", remedy="leave it out of `order`")
    return groups, order


def _scaled(axes, last: float, fontsize: float) -> list[float]:
    """Both axes from 0 on; ticks of the axis of time."""
    axes.set_xlim(0.0, last)
    axes.set_ylim(0.0, 1.0)
    axes.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0], ["0", "25", "50", "75", "100 %"])
    axes.tick_params(labelsize=fontsize)
    ticks = [tick for tick in axes.get_xticks() if 0.0 <= tick <= last * (1.0 + 1e-9)]
    axes.set_xticks(ticks)
    return ticks


def hidden(count: int, least: int) -> bool:
    """Whether a count is one of those that are not shown: from 1 to below `least`."""
    return 0 < count < least


def _stops(time: np.ndarray, last: float, least: int) -> float:
    """Where a curve ends: with its last patient, the axis, or where too few are at risk."""
    stop = min(float(time.max()), last)
    return min(stop, float(np.sort(time)[-least])) if least > 1 and len(time) >= least else stop


def _first_few(time, had, entry, least: int) -> float:
    """The last time at which nobody tells of fewer than `least` at risk, infinite if none does."""
    steps = Steps(time, had, 1, entry)
    few = np.flatnonzero(steps.at_risk < least)
    if not len(few):
        return math.inf
    return float(np.append(0.0, steps.when)[few[0]])


def _at_risk(time, entry, inside, when: float) -> int:
    """Patients at risk at a time; at 0 those who are from the start."""
    at_risk = inside & (time >= when)
    return int((at_risk if entry is None else at_risk & ((entry < when) | (entry <= 0.0))).sum())


def _draw(
    axes, curve: _Curve, stops: float, color, line, intervals: bool, marks: bool, label: str = ""
) -> None:
    when = np.append(curve.time[curve.time < stops], stops)
    if len(when) > MOST_STEPS:
        # On a grid finer than the pen, each value exact: the picture is the same.
        when = np.linspace(0.0, stops, MOST_STEPS)
    if intervals:
        low, high = (curve.at(when, side) for side in (curve.low, curve.high))
        axes.fill_between(when, low, high, step="post", color=color, alpha=0.13, linewidth=0)
    axes.plot(
        when,
        curve.at(when),
        drawstyle="steps-post",
        color=color,
        linestyle=line,
        linewidth=1.3,
        solid_capstyle="butt",
        label=label or None,
    )
    if marks:
        censored = curve.censored[curve.censored <= stops]
        if len(censored) > MOST_MARKS:
            grid = np.linspace(0.0, stops, MOST_MARKS + 1)
            censored = (grid[:-1] + grid[1:])[np.histogram(censored, grid)[0] > 0] / 2.0
        axes.plot(
            censored,
            curve.at(censored),
            linestyle="none",
            marker="|",
            markersize=4.0,
            markeredgewidth=0.7,
            color=color,
        )


def _name_ends(axes, ends, drawn, last: float, fontsize: float) -> None:
    """Names to the right of the axes, apart from each other, a thin line to the curve's end."""
    height = axes.get_window_extent().height / axes.figure.dpi * 72.0
    least = max(_LABEL, 1.25 * fontsize / max(height, 1.0))
    wanted = np.array([y for _, y in ends])
    for (color, _, name), (x, y), at in zip(drawn, ends, _apart(wanted, least), strict=True):
        axes.plot(
            [x / last, 1.0, 1.03],
            [y, y, at],
            transform=axes.transAxes,
            color=color,
            linewidth=0.5,
            alpha=0.7,
            clip_on=False,
        )
        axes.text(
            1.04,
            at,
            name,
            transform=axes.transAxes,
            color=_ink(color),
            fontsize=fontsize,
            va="center",
            parse_math=False,
        )


def _apart(wanted: np.ndarray, least: float) -> np.ndarray:
    """Places as near to those that are wanted as a distance between neighbours allows.

    >>> _apart(np.array([0.5, 0.5, 0.9]), 0.2).round(6).tolist()
    [0.6, 0.4, 0.9]
    """
    order = np.argsort(-wanted, kind="stable")
    # Blocks of labels that touch: each stands where its middle is wanted.
    blocks: list[list[float]] = []
    for value in wanted[order]:
        blocks.append([float(value), 1])
        while len(blocks) > 1 and (
            blocks[-2][0] - (blocks[-2][1] - 1) * least / 2
            < blocks[-1][0] + (blocks[-1][1] - 1) * least / 2 + least - 1e-12
        ):
            below, above = blocks.pop(), blocks.pop()
            count = above[1] + below[1]
            middle = (above[0] * above[1] + below[0] * below[1]) / count
            blocks.append([middle, count])
    places = np.empty(len(wanted))
    places[order] = [m + ((n - 1) / 2 - k) * least for m, n in blocks for k in range(int(n))]
    return places


def _ink(color) -> tuple:
    """A colour dark enough for words on white."""
    from matplotlib.colors import to_rgb

    rgb = np.array(to_rgb(color))
    grey = float(rgb @ (0.299, 0.587, 0.114))
    return tuple(rgb * min(1.0, 0.45 / max(grey, 1e-9)))


def _legend(axes, drawn, fontsize: float) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=c, linestyle=l, label=name) for c, l, name in drawn]
    legend = axes.legend(
        handles=handles, fontsize=fontsize, loc="lower left", frameon=False, handlelength=2.2
    )
    for text in legend.get_texts():
        text.set_parse_math(False)


def _list_at_risk(axes, table, drawn, fontsize: float, least: int, below_unit: bool) -> None:
    """Numbers at risk beneath the axis, each under its tick, in the colour of its curve."""
    import matplotlib.transforms as transforms

    size = 0.9 * fontsize
    line = 1.25 * size
    start = 3.5 + 1.25 * fontsize * (2.05 if below_unit else 1.05)
    several = len(table) > 1
    # Names end where the first numbers, which stand on both sides of their tick, begin.
    clear = max(text_width(f"{count}", size) for count in table.iloc[:, 0]) / 2.0 + size / 144.0

    def put(x, row, text, across, left=0.0, **more):
        down = transforms.ScaledTranslation(
            -left, -(start + row * line) / 72.0, axes.figure.dpi_scale_trans
        )
        axes.text(
            x, 0.0, text, transform=across + down, fontsize=size, va="top", parse_math=False, **more
        )

    along = axes.get_xaxis_transform()
    put(0.0, 0, "at risk", axes.transAxes, color="0.35", ha="left", style="italic")
    for row, (color, _, name) in enumerate(drawn):
        if several:
            words = name.removesuffix(FEWER.format(least)).removesuffix(EARLY.format(least))
            put(0.0, row + 1, words, axes.transAxes, clear, color=_ink(color), ha="right")
        for tick, count in zip(table.columns, table.iloc[row], strict=True):
            text = f"<{least}" if hidden(int(count), least) else f"{count}"
            put(tick, row + 1, text, along, color=_ink(color) if several else "0.2", ha="center")
