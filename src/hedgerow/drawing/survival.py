"""Curves of survival, and a tree of risk groups on one page for the bedside."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.checks import COUNTED, LARGEST, check_choice, check_number
from hedgerow.drawing.ink import Pen
from hedgerow.drawing.layout import BAR, FONT_SIZE, INNER_UNITS, LINE, PAD, Plan
from hedgerow.drawing.words import condition_words, percent, shorten, text_width, wrap
from hedgerow.errors import InputError
from hedgerow.optional import needed
from hedgerow.survival.estimates import Steps, leaves_of, risk_at
from hedgerow.survival.followed import FOLLOWED
from hedgerow.survival.labels import checked_entry, checked_follow_up, entry_of
from hedgerow.survival.leaves import leaf_numbers
from hedgerow.texts import legible, with_unit
from hedgerow.tree.export import check_decimals, feature_name

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["guideline_sheet", "plot_curve", "plot_curves"]

PURPOSE = "a drawing of survival"
#: Colours of Okabe and Ito (2008), dark and light in turn; the line tells groups apart in grey.
LINES = (
    ("#0072B2", "-"), ("#D55E00", (0, (5, 1.5))), ("#009E73", (0, (1, 1))),
    ("#CC79A7", (0, (5, 1, 1, 1))), ("#000000", (0, (7, 3))), ("#E69F00", "-"),
    ("#56B4E9", (0, (3, 1, 1, 1, 1, 1))), ("#7F7F7F", (0, (2, 2))),
)  # fmt: skip
A4 = (8.27, 11.69)  # inches
#: Leaves whose boxes and curves can be read on a page.
MOST_LEAVES = 24
#: Steps of a curve that are drawn: more cannot be told apart in print, and fill the file.
MOST_STEPS = 400
MOST_MARKS = 60

#: Behind the name of a group whose curve is not drawn.
FEWER = ": fewer than {}"
#: The same where so few are at risk at the first event that no curve can begin.
EARLY = ": fewer than {} at first"
#: Lines at the foot.
MOST_FOOT = 8

#: What an event of another cause may be.
COMPETING = ("censored", "incidence")

_MARGIN = 0.45  # inches, of the sheet
_GAP = 0.25  # inches, between tree and curves
_PANEL = 1.45  # inches, least height of a row of curves
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
        library = needed("statsmodels.duration.survfunc", PURPOSE)
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
        found = _curve(time, died, 0.95)
        _draw(axes, found, float(time.max()), color, line, interval, False, label)


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
    pd = needed("pandas", PURPOSE)
    needed("matplotlib", PURPOSE)
    needed("lifelines", PURPOSE)
    check_number("confidence", confidence, 0.5, 0.9999)
    check_number("fontsize", fontsize, 0.1, 1000.0)
    check_number("least", least, 0, COUNTED, whole=True)
    check_choice("competing", competing, COMPETING)
    if end is not None:
        check_number("end", end, 1e-12, LARGEST)
    time, event = checked_follow_up(time, event, cause)
    entry = checked_entry(entry, time)
    groups = np.asarray(groups)
    if groups.shape != time.shape:
        raise InputError(
            f"groups has shape {groups.shape} and time {time.shape}", remedy="give one per patient"
        )
    there = sorted(set(groups.tolist()))
    order = there if order is None else list(order)
    if empty := [group for group in order if group not in there]:
        raise InputError(f"nobody is in group {empty[0]!r}", remedy="leave it out of `order`")
    died = event == cause
    other = (event != 0) & ~died & (competing == "incidence")
    last = max(float(time[np.isin(groups, order)].max()), 1e-12) if end is None else float(end)
    ends, drawn = [], []
    for place, group in enumerate(order):
        inside = groups == group
        color, line = LINES[place % len(LINES)]
        color = color if colors is None else colors[group]
        name = legible(str(group) if labels is None else labels[group])
        if hidden(int(inside.sum()), least) or hidden(int(died[inside].sum()), least):
            drawn.append((place, color, line, name + FEWER.format(least)))
            ends.append((last, 1.0))
            continue
        since = entry_of(entry, inside)
        found = _curve(time[inside], died[inside], confidence, other[inside], since)
        stops = _stops(time[inside], last, least)
        if since is not None:
            stops = min(stops, _first_few(time[inside], (died | other)[inside], since, least))
        _draw(axes, found, stops, color, line, intervals, marks)
        end_of = (stops, float(found.at(stops)))
        if since is not None and stops <= 0.0:  # a line from there would say nobody has the event
            name, end_of = name + EARLY.format(least), (last, 1.0)
        drawn.append((place, color, line, name))
        ends.append(end_of)
    axes.set_xlim(0.0, last)
    axes.set_ylim(0.0, 1.0)
    axes.set_yticks([0.0, 0.25, 0.5, 0.75, 1.0], ["0", "25", "50", "75", "100 %"])
    axes.tick_params(labelsize=fontsize)
    ticks = [tick for tick in axes.get_xticks() if 0.0 <= tick <= last * (1.0 + 1e-9)]
    axes.set_xticks(ticks)
    table = pd.DataFrame(
        [[_at_risk(time, entry, groups == group, tick) for tick in ticks] for group in order],
        index=pd.Index(order, name="group"),
        columns=ticks,
    )
    if unit:
        axes.set_xlabel(legible(unit), fontsize=fontsize, labelpad=1.0)
    if direct:
        _name_ends(axes, ends, drawn, last, fontsize)
    elif len(order) > 1:
        _legend(axes, drawn, fontsize)
    if at_risk:
        _list_at_risk(axes, table, drawn, fontsize, least, bool(unit))
    return table


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
    there = inside & (time >= when)
    return int((there if entry is None else there & ((entry < when) | (entry <= 0.0))).sum())


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
    for (place, color, _, name), (x, y), at in zip(drawn, ends, _apart(wanted, least), strict=True):
        del place
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
    found = np.empty(len(wanted))
    place = 0
    for middle, count in blocks:
        for k in range(int(count)):
            found[order[place]] = middle + ((count - 1) / 2 - k) * least
            place += 1
    return found


def _ink(color) -> tuple:
    """A colour dark enough for words on white."""
    from matplotlib.colors import to_rgb

    rgb = np.array(to_rgb(color))
    grey = float(rgb @ (0.299, 0.587, 0.114))
    return tuple(rgb * min(1.0, 0.45 / max(grey, 1e-9)))


def _legend(axes, drawn, fontsize: float) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], color=c, linestyle=l, label=name) for _, c, l, name in drawn]
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
    for row, (place, color, _, name) in enumerate(drawn):
        del place
        if several:
            words = name.removesuffix(FEWER.format(least)).removesuffix(EARLY.format(least))
            put(0.0, row + 1, words, axes.transAxes, clear, color=_ink(color), ha="right")
        for tick, count in zip(table.columns, table.iloc[row], strict=True):
            text = f"<{least}" if hidden(int(count), least) else f"{count}"
            put(tick, row + 1, text, along, color=_ink(color) if several else "0.2", ha="center")


# -- the sheet --------------------------------------------------------------------------


@dataclass(frozen=True)
class _Group:
    """What a leaf's box says."""

    n: str
    events: str
    survival: float | None
    expected: tuple[float, float, float] | None = None
    followed: bool = True

    def lines(self, number: int) -> list[str]:
        if not self.followed:
            return [str(number), f"n = {self.n}", f"events {self.events}", "not known"]
        share = "–" if self.survival is None else percent(self.survival)
        if self.expected is None:
            return [str(number), f"n = {self.n}", f"events {self.events}", share]
        middle, low, high = (f"{100 * value:.0f}" for value in self.expected)
        here = [f"n = {self.n}", f"events {self.events}", f"here {share}"]
        return [str(number), *here, f"next {middle} %", f"{low} to {high}"]

    @property
    def shown(self) -> float | None:
        """The share that the bar shows: what is expected, where it is known."""
        return self.survival if self.expected is None else self.expected[0]


class _LeafPlan(Plan):
    """Boxes of risk groups: tests in words and units, leaves with what was found in them."""

    def __init__(self, tree, numbers, groups, counts, names, units, size, decimals):
        self.numbers = numbers
        self.groups, self.counts = groups, counts
        self.labels, self.units = names, units
        super().__init__(tree, tree.depth, size, decimals)

    def _fill_leaves(self, leaves) -> None:
        for box in leaves:
            box.lines = self.groups[box.node].lines(self.numbers[box.node])
        room = max(text_width(w, self.size, bold=True) for box in leaves for w in box.lines)
        for box in leaves:
            box.width = room + 2 * PAD * self.em
            box.height = (len(box.lines) * LINE + BAR + 0.35 + 2 * PAD) * self.em

    def _fill_inner(self, unit: float) -> None:
        size, em = self.size, self.em
        for box in reversed(self.boxes):
            if box.leaf:
                continue
            left, right = (self.boxes[child] for child in box.children)
            box.x = (left.x + right.x) / 2.0
            # As wide as what lies below it: neighbours have as much.
            room = max(INNER_UNITS * unit, right.x - left.x) - 2 * PAD * em
            name = feature_name(self.tree, int(self.tree.feature[box.node]))
            condition = condition_words(self.tree, box.node, self.decimals)
            if not np.isnan(self.tree.threshold[box.node]) and self.units.get(name):
                condition += f" {self.units[name]}"
            name = self.labels.get(name, name)
            both = f"{name} {condition}"
            if text_width(both, size) <= room:
                box.lines = [both]
            else:
                box.lines = [*wrap(name, room, size, 3), *wrap(condition, room, size, 3)]
            if (count := self.counts.get(box.node)) is not None:
                box.lines.append(f"n = {count}")
            words = max(text_width(line, size) for line in box.lines)
            box.width = words + 2 * PAD * em
            box.height = (len(box.lines) * LINE + 2 * PAD) * em

    def _legend_size(self) -> None:
        self.head = 0.5 * self.em

    def _notes(self) -> list[str]:
        return []


class _LeafPen(Pen):
    """Draws such boxes, the share without the event as a bar in each leaf."""

    def legend(self) -> None:
        pass

    def bar(self, box, top: float) -> None:
        from matplotlib.patches import Rectangle

        em = self.plan.em
        width = box.width - 2 * PAD * em
        share = self.plan.groups[box.node].shown
        look = {"edgecolor": "0.15", "linewidth": 0.5 * self.scale, "zorder": 3}
        place = (box.x - width / 2, top - BAR * em)
        self.ax.add_patch(Rectangle(place, width, BAR * em, facecolor="white", **look))
        if share:
            filled = {**look, "facecolor": LINES[0][0]}
            self.ax.add_patch(Rectangle(place, share * width, BAR * em, **filled))


def guideline_sheet(
    tree: Any,
    X,
    time,
    event,
    *,
    horizon: float,
    title: str,
    unit: str = "years",
    cohort: str = "",
    date: str = "",
    names: Mapping[str, str] | None = None,
    units: Mapping[str, str] | None = None,
    notes: Sequence[str] = (),
    cause: int = 1,
    confidence: float = 0.95,
    decimals: int = 2,
    least: int = 0,
    withheld: Collection[int] = (),
    competing: str = "censored",
    risks: Mapping[int, tuple[float, float, float]] | None = None,
    entry=None,
    numbers: Mapping[int, int] | None = None,
    min_followed: float = FOLLOWED,
) -> Any:
    """A tree of risk groups on one A4 page: its tests, and survival in each of its leaves.

    Above, the tree: tests in words and units, the left branch where the test holds; leaves
    numbered, each with its patients, its events, and the share without the event
    at the horizon (Kaplan-Meier), which the bar repeats. Below, the curve of each leaf with its
    interval before that of all patients in grey, and numbers at risk. The foot says what the page
    rests on. The page lies on its side where the tree can be read better so.

    Parameters
    ----------
    tree : Tree or fitted classifier
        With at most 24 leaves.
    X, time, event, cause
        As in `hedgerow.survival.leaf_survival`: the patients whose survival is shown.
    horizon : float
        In the unit of `time`; the axes end there.
    title : str
    unit : str, default 'years'
        Of time.
    cohort, date : str
        Whose data these are, and of when, for the foot.
    names, units : mapping of str, optional
        Column of X to its name in words, and to its unit.
    notes : sequence of str
        Further sentences for the foot.
    confidence : float, default .95
    decimals : int, default 2
        Of thresholds, after the first significant digit.
    least : int, default 0
        Counts from 1 to below it are not shown, nor estimates of so few patients or events.
    withheld : collection of int
        Leaves whose number of events is not shown either: it would give away another one.
    competing : {'censored', 'incidence'}, default 'censored'
        As in `plot_curves`.
    risks : mapping, optional
        Leaf to the risk of the event by the horizon in other patients of the group, with its
        interval, as `bootstrap_validation` gives it: each box says the share without it, and the
        bar shows it.
    entry : (n,) array, optional
        As in `plot_curves`.
    numbers : mapping, optional
        Leaf to its number, from 1; by default from left to right.
    min_followed : float, default .2
        Share of a group that could be followed to the horizon, below which no share without the
        event is shown.

    Returns
    -------
    matplotlib Figure

    Raises
    ------
    InputError
        As `leaf_survival`; more leaves than can be read.
    LibraryError
        As `plot_curves`.
    """
    needed("matplotlib", PURPOSE)
    needed("lifelines", PURPOSE)
    from matplotlib.figure import Figure

    check_number("horizon", horizon, 1e-12, LARGEST)
    horizon = float(horizon)
    check_number("confidence", confidence, 0.5, 0.9999)
    check_number("least", least, 0, COUNTED, whole=True)
    check_number("min_followed", min_followed, 0.0, 1.0)
    check_decimals(decimals)
    check_choice("competing", competing, COMPETING)
    time, event = checked_follow_up(time, event, cause)
    entry = checked_entry(entry, time)
    leaf = leaves_of(tree, X, len(time))
    drawn = getattr(tree, "tree_", tree)
    numbers = dict(numbers or leaf_numbers(drawn))
    if len(numbers) > MOST_LEAVES:
        raise InputError(
            f"the tree has {len(numbers)} leaves, and a page holds {MOST_LEAVES}",
            remedy="grow a smaller one, such as by `max_depth=4`",
        )
    died = event == cause
    other = (event != 0) & ~died & (competing == "incidence")
    groups = _groups(
        numbers, leaf, time, died, other, horizon, least, withheld, risks or {}, entry, min_followed
    )
    plan = _LeafPlan(
        drawn,
        numbers,
        groups,
        {} if any(g.n.startswith("<") for g in groups.values()) else _counts(drawn, leaf),
        dict(names or {}),
        dict(units or {}),
        FONT_SIZE,
        decimals,
    )
    way = "incidence" if other.any() else "censored" if ((event != 0) & ~died).any() else ""
    foot = _foot(cohort, date, time, died, horizon, unit, confidence, way, least, notes)
    head = _head(horizon, unit, least, bool(risks))
    pages = [_page(size, plan, title, head, foot) for size in (A4, A4[::-1])]
    page = max(pages, key=lambda page: page.scale)
    size, scale, top, bottom = page.size, page.scale, page.top, page.bottom
    figure = Figure(figsize=size)
    for line in page.lines:
        line.write(figure)
    width, height = size[0] - 2 * _MARGIN, plan.height * scale
    axes = figure.add_axes(
        (
            _MARGIN / size[0],
            (top - height) / size[1],
            width / size[0],
            height / size[1],
        )
    )
    axes.set_axis_off()
    over = (width / scale - plan.width) / 2
    axes.set_xlim(-over, plan.width + over)
    axes.set_ylim(-plan.height, 0.0)
    colors = ["0.2"] * drawn.n_classes
    _LeafPen(axes, drawn, plan, colors, FONT_SIZE * scale, scale).draw()
    everybody = _curve(time, died, confidence, other, entry)
    if entry is not None:
        kept = everybody.time <= _first_few(time, died | other, entry, least)
        sides = (everybody.survival, everybody.low, everybody.high)
        everybody = _Curve(everybody.time[kept], *(s[kept] for s in sides), everybody.censored)
    below = min(top - height - _GAP, bottom + page.rows * 2.3)
    for node, number in numbers.items():
        row, column = divmod(number - 1, page.columns)
        place = _panel(page, row, column, below)
        panel = figure.add_axes(place)
        _draw_panel(
            panel,
            node,
            number,
            leaf,
            time,
            event,
            cause,
            everybody,
            horizon,
            unit,
            confidence,
            least,
            column == 0,
            competing,
            entry,
        )
    return figure


def _groups(
    numbers, leaf, time, died, other, horizon, least, withheld, risks, entry, min_followed
) -> dict[int, _Group]:
    codes = np.where(died, 1, np.where(other, 2, 0))
    found = {}
    for node in numbers:
        inside = leaf == node
        n, events = int(inside.sum()), int(died[inside].sum())
        few = hidden(n, least) or hidden(events, least)
        data = (time[inside], codes[inside], horizon)
        share = risk_at(*data, entry=entry_of(entry, inside), min_followed=min_followed)[0]
        risk, low, high = risks.get(node, (math.nan,) * 3)
        expected = None if few or math.isnan(low + high) else (1.0 - risk, 1.0 - high, 1.0 - low)
        found[node] = _Group(
            f"<{least}" if hidden(n, least) else f"{n}",
            "–" if node in withheld else f"<{least}" if hidden(events, least) else f"{events}",
            None if few or math.isnan(share) else 1.0 - share,
            expected,
            not math.isnan(share),
        )
    return found


def _counts(tree, leaf: np.ndarray) -> dict[int, int]:
    """Patients in each node."""
    counts = np.bincount(leaf, minlength=tree.n_nodes)
    for node in range(tree.n_nodes - 1, 0, -1):
        counts[tree.parent[node]] += counts[node]
    return dict(enumerate(counts.tolist()))


def _head(horizon: float, unit: str, least: int, expected: bool) -> str:
    """How to read the page."""
    text = (
        "Begin at the top; go left where the test holds, right where it does not. Each group has "
        "its number, its patients (n), how many had the event, and the share without it at "
        f"{with_unit(horizon, unit)}"
    )
    text += (
        ": “here” among these patients, “next” what to expect of the next patient, with its 95 % "
        "interval, which allows for the groups' having been chosen; the bar shows the latter."
        if expected
        else ", which the bar shows."
    )
    return text + (f" Counts from 1 to {least - 1} are not shown." if least > 1 else "")


def _foot(cohort, date, time, died, horizon, unit, confidence, way, least, notes) -> str:
    """What the page rests on."""
    n, events = len(time), int(died.sum())
    rests = f"Rests on {cohort + ', ' if cohort else ''}n = {n}"
    if not hidden(events, least) and not hidden(n - events, least):
        rests += f", {events} events"
    rests += f", horizon {with_unit(horizon, unit)}"
    rests += f", data of {date}." if date else "."
    by = "Aalen-Johansen" if way == "incidence" else "Kaplan-Meier"
    curves = (
        f"Curves: share without the event ({by}) with {100 * confidence:g} % intervals; marks: "
        "follow-up ends; grey: all patients."
    )
    curves += {
        "": "",
        "censored": " Events of other causes end the follow-up.",
        "incidence": " Who has another event first is without this one.",
    }[way]
    caution = (
        "Groups were found in such data: they describe, and say nothing on what a treatment does."
    )
    return " ".join([rests, curves, *notes, caution])


@dataclass(frozen=True)
class _Line:
    """Words on the page; place in shares of it."""

    x: float
    y: float
    text: str
    look: dict

    def write(self, figure) -> None:
        figure.text(self.x, self.y, self.text, va="top", parse_math=False, **self.look)


@dataclass(frozen=True)
class _Page:
    """How everything but the tree and the curves stands on a page; inches."""

    size: tuple[float, float]
    scale: float  # of the tree
    top: float  # where the tree begins
    bottom: float  # where the curves end
    rows: int
    columns: int
    lines: list[_Line]


def _page(size, plan: _LeafPlan, title: str, head: str, foot: str) -> _Page:
    width = size[0] - 2 * _MARGIN
    lines: list[_Line] = []

    def write(y: float, text: str, **look) -> None:
        lines.append(_Line(_MARGIN / size[0], y / size[1], text, look))

    top = size[1] - _MARGIN
    write(top, shorten(title, width, 14, bold=True), fontsize=14, fontweight="bold")
    top -= 0.34
    for text in wrap(head, width, 8.5, MOST_FOOT):
        write(top, text, fontsize=8.5, color="0.25")
        top -= 0.155
    said = wrap(foot, width, 7.0, MOST_FOOT)
    bottom = _MARGIN + len(said) * 0.13
    for row, text in enumerate(said):
        write(bottom - row * 0.13, text, fontsize=7.0, color="0.3")
    top, bottom = top - 0.12, bottom + 0.12
    n = len(plan.numbers)
    rows = math.ceil(n / (4 if size[0] < size[1] else 8))
    # The tree as large as it gets beside panels that can be read.
    room = top - bottom - _GAP - _PANEL * rows
    scale = min(width / plan.width, room / plan.height, 1.1)
    return _Page(size, scale, top, bottom, rows, max(2, math.ceil(n / rows)), lines)


def _panel(page: _Page, row: int, column: int, top: float) -> tuple[float, float, float, float]:
    """Place of a panel in shares of the figure; its words stand around it."""
    width = (page.size[0] - 2 * _MARGIN) / page.columns
    height = (top - page.bottom) / page.rows
    left, above, beneath = 0.32, 0.2, 0.5
    x = _MARGIN + column * width + (left if column == 0 else left / 2 + 0.06)
    y = top - (row + 1) * height + beneath
    return (
        x / page.size[0],
        y / page.size[1],
        (width - left - 0.1) / page.size[0],
        (height - above - beneath) / page.size[1],
    )


def _draw_panel(
    panel,
    node,
    number,
    leaf,
    time,
    event,
    cause,
    everybody,
    horizon,
    unit,
    confidence,
    least,
    first,
    competing,
    entry,
) -> None:
    points = 6.5
    _draw(panel, everybody, min(horizon, everybody.time[-1]), "0.6", "-", False, False)
    panel.set_title(f"{number}", fontsize=8.5, fontweight="bold", loc="left", pad=3.0)
    panel.spines[["top", "right"]].set_visible(False)
    inside = leaf == node
    few = hidden(int(inside.sum()), least) or hidden(int((event[inside] == cause).sum()), least)
    if few or not inside.any():
        text = f"fewer than {least}\npatients or events" if few else "nobody"
        panel.text(0.06, 0.1, text, transform=panel.transAxes, fontsize=points, color="0.3")
    elif entry is not None:
        had = (event == cause) | ((event != 0) & (competing == "incidence"))
        if _first_few(time[inside], had[inside], entry[inside], least) <= 0.0:
            text = f"fewer than {least} at first"
            panel.text(0.06, 0.1, text, transform=panel.transAxes, fontsize=points, color="0.3")
    panel.set_xlim(0.0, horizon)
    panel.locator_params(axis="x", nbins=4)
    if inside.any():
        plot_curves(
            panel,
            time,
            event,
            leaf,
            order=[node],
            cause=cause,
            end=horizon,
            unit=unit,
            confidence=confidence,
            direct=False,
            fontsize=points,
            least=least,
            competing=competing,
            entry=entry,
        )
    panel.tick_params(length=2.0, pad=1.5)
    if not first:
        panel.set_yticklabels([])
