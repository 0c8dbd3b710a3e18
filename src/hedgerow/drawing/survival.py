"""A tree of risk groups on one page for the bedside."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.checks import LARGEST, LARGEST_COUNT, check_choice, check_number
from hedgerow.drawing.curves import (
    COMPETING,
    LINES,
    PURPOSE,
    _Curve,
    _curve,
    _draw,
    _first_few,
    hidden,
    plot_curve,
    plot_curves,
)
from hedgerow.drawing.layout import BAR, FONT_SIZE, INNER_UNITS, LINE, PAD, Plan
from hedgerow.drawing.pen import Pen
from hedgerow.drawing.words import condition_words, percent, shorten, text_width, wrap
from hedgerow.errors import InputError
from hedgerow.optional_imports import import_optional
from hedgerow.survival.estimates import leaves_of, risk_at
from hedgerow.survival.follow_up import MIN_FOLLOWED
from hedgerow.survival.labels import checked_entry, checked_follow_up, entry_of
from hedgerow.survival.leaves import leaf_numbers
from hedgerow.texts import with_unit
from hedgerow.tree.export import check_decimals, feature_name

__all__ = ["guideline_page", "plot_curve", "plot_curves"]

A4 = (8.27, 11.69)  # inches
#: Leaves whose boxes and curves can be read on a page.
MOST_LEAVES = 24
#: Lines at the foot.
MOST_FOOT = 8

_MARGIN = 0.45  # inches, of the sheet
_GAP = 0.25  # inches, between tree and curves
_PANEL = 1.45  # inches, least height of a row of curves


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


def guideline_page(
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
    min_followed: float = MIN_FOLLOWED,
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
    import_optional("matplotlib", PURPOSE)
    import_optional("lifelines", PURPOSE)
    from matplotlib.figure import Figure

    check_number("horizon", horizon, 1e-12, LARGEST)
    horizon = float(horizon)
    check_number("confidence", confidence, 0.5, 0.9999)
    check_number("least", least, 0, LARGEST_COUNT, whole=True)
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
    given = (leaf, time, event, cause, horizon, unit, confidence, least, competing, entry)
    patients = _Patients(*given)
    groups = _groups(patients, numbers, withheld, risks or {}, min_followed)
    counts = {} if any(g.n.startswith("<") for g in groups.values()) else _counts(drawn, leaf)
    words = (dict(names or {}), dict(units or {}))
    plan = _LeafPlan(drawn, numbers, groups, counts, *words, FONT_SIZE, decimals)
    texts = (_head(horizon, unit, least, bool(risks)), _foot(patients, cohort, date, notes))
    page = max((_page(size, plan, title, *texts) for size in (A4, A4[::-1])), key=lambda p: p.scale)
    figure = Figure(figsize=page.size)
    for line in page.lines:
        line.write(figure)
    _draw_tree(figure, page, drawn, plan)
    _draw_curves(figure, page, plan, patients)
    return figure


@dataclass(frozen=True)
class _Patients:
    """Whose survival is shown, and what of it; (n,) arrays, times in `unit`."""

    leaf: np.ndarray
    time: np.ndarray
    event: np.ndarray
    cause: int
    horizon: float
    unit: str
    confidence: float
    least: int
    competing: str
    entry: np.ndarray | None

    @property
    def died(self) -> np.ndarray:
        """Who has the event."""
        return self.event == self.cause

    @property
    def other(self) -> np.ndarray:
        """Who has another event first, where that tells that the event will not come."""
        return (self.event != 0) & ~self.died & (self.competing == "incidence")

    def few(self, node: int) -> bool:
        """Whether nothing is shown of a leaf."""
        inside = self.leaf == node
        counts = int(inside.sum()), int(self.died[inside].sum())
        return any(hidden(count, self.least) for count in counts)

    def curve(self) -> _Curve:
        """The curve of all, which ends before the first event at which too few are at risk."""
        curve = _curve(self.time, self.died, self.confidence, self.other, self.entry)
        if self.entry is None:
            return curve
        kept = curve.time <= _first_few(self.time, self.died | self.other, self.entry, self.least)
        sides = (curve.survival, curve.low, curve.high)
        return _Curve(curve.time[kept], *(s[kept] for s in sides), curve.censored)


def _draw_tree(figure, page: _Page, drawn, plan: _LeafPlan) -> None:
    """The tree over the width of the page."""
    (wide, high), scale = page.size, page.scale
    width, height = wide - 2 * _MARGIN, plan.height * scale
    place = (_MARGIN / wide, (page.top - height) / high, width / wide, height / high)
    axes = figure.add_axes(place)
    axes.set_axis_off()
    over = (width / scale - plan.width) / 2
    axes.set_xlim(-over, plan.width + over)
    axes.set_ylim(-plan.height, 0.0)
    colors = ["0.2"] * drawn.n_classes
    _LeafPen(axes, drawn, plan, colors, FONT_SIZE * scale, scale).draw()


def _draw_curves(figure, page: _Page, plan: _LeafPlan, patients: _Patients) -> None:
    """The curves of the leaves in rows below the tree."""
    everybody = patients.curve()
    below = min(page.top - plan.height * page.scale - _GAP, page.bottom + page.rows * 2.3)
    for node, number in plan.numbers.items():
        row, column = divmod(number - 1, page.columns)
        panel = figure.add_axes(_panel(page, row, column, below))
        _draw_panel(panel, patients, node, number, everybody, column == 0)


def _groups(
    patients: _Patients, numbers, withheld, risks, min_followed: float
) -> dict[int, _Group]:
    """What the box of each leaf says."""
    codes, least = np.where(patients.died, 1, np.where(patients.other, 2, 0)), patients.least
    groups = {}
    for node in numbers:
        inside, few = patients.leaf == node, patients.few(node)
        n, events = int(inside.sum()), int(patients.died[inside].sum())
        data = (patients.time[inside], codes[inside], patients.horizon)
        since = entry_of(patients.entry, inside)
        share = risk_at(*data, entry=since, min_followed=min_followed)[0]
        risk, low, high = risks.get(node, (math.nan,) * 3)
        expected = None if few or math.isnan(low + high) else (1.0 - risk, 1.0 - high, 1.0 - low)
        groups[node] = _Group(
            f"<{least}" if hidden(n, least) else f"{n}",
            "–" if node in withheld else f"<{least}" if hidden(events, least) else f"{events}",
            None if few or math.isnan(share) else 1.0 - share,
            expected,
            not math.isnan(share),
        )
    return groups


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
        "CI, which allows for the groups' having been chosen; the bar shows the latter."
        if expected
        else ", which the bar shows."
    )
    return text + (f" Counts from 1 to {least - 1} are not shown." if least > 1 else "")


def _foot(patients: _Patients, cohort: str, date: str, notes: Sequence[str]) -> str:
    """What the page rests on."""
    n, events, least = len(patients.time), int(patients.died.sum()), patients.least
    others = ((patients.event != 0) & ~patients.died).any()
    way = "incidence" if patients.other.any() else "censored" if others else ""
    rests = f"Rests on {cohort + ', ' if cohort else ''}n = {n}"
    if not hidden(events, least) and not hidden(n - events, least):
        rests += f", {events} events"
    rests += f", horizon {with_unit(patients.horizon, patients.unit)}"
    rests += f", data of {date}." if date else "."
    by = "Aalen-Johansen" if way == "incidence" else "Kaplan-Meier"
    curves = (
        f"Curves: share without the event ({by}) with {100 * patients.confidence:g} % CI; "
        "marks: follow-up ends; grey: all patients."
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
    foot_lines = wrap(foot, width, 7.0, MOST_FOOT)
    bottom = _MARGIN + len(foot_lines) * 0.13
    for row, text in enumerate(foot_lines):
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
    panel, patients: _Patients, node: int, number: int, everybody: _Curve, first: bool
) -> None:
    """The curve of a leaf before that of all patients."""
    points, horizon, least = 6.5, patients.horizon, patients.least
    _draw(panel, everybody, min(horizon, everybody.time[-1]), "0.6", "-", False, False)
    panel.set_title(f"{number}", fontsize=8.5, fontweight="bold", loc="left", pad=3.0)
    panel.spines[["top", "right"]].set_visible(False)
    inside, few, text = patients.leaf == node, patients.few(node), ""
    if few or not inside.any():
        text = f"fewer than {least}\npatients or events" if few else "nobody"
    elif patients.entry is not None:
        had = (patients.died | patients.other)[inside]
        if _first_few(patients.time[inside], had, patients.entry[inside], least) <= 0.0:
            text = f"fewer than {least} at first"
    if text:
        panel.text(0.06, 0.1, text, transform=panel.transAxes, fontsize=points, color="0.3")
    panel.set_xlim(0.0, horizon)
    panel.locator_params(axis="x", nbins=4)
    if inside.any():
        plot_curves(
            panel,
            patients.time,
            patients.event,
            patients.leaf,
            order=[node],
            cause=patients.cause,
            end=horizon,
            unit=patients.unit,
            confidence=patients.confidence,
            direct=False,
            fontsize=points,
            least=least,
            competing=patients.competing,
            entry=patients.entry,
        )
    panel.tick_params(length=2.0, pad=1.5)
    if not first:
        panel.set_yticklabels([])
