"""Which rows reach which tests of a tree, as bars by class."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from hedgerow.drawing.path import DecisionPath, check_columns, check_finite
from hedgerow.drawing.words import category_word
from hedgerow.errors import InputError
from hedgerow.tree.export import number
from hedgerow.tree.gates import NoiseGate, ThresholdGate
from hedgerow.tree.statistics import codes_of
from hedgerow.tree.table import table_of

N_BARS = 20  # of numbers, about
_BAR_SHARE = 0.9  # of the room of a category is bar
_DIVIDE = 0.6  # room between the categories that go left and right, in bars


@dataclass
class Bars:
    """The rows at one test; places from 0 to 1, from left to right."""

    variable: int
    left: np.ndarray  # (n,) where each bar begins
    right: np.ndarray
    height: np.ndarray  # (n, n_classes), the tallest bar adds up to 1
    line: float  # the threshold, or what divides the categories that go left from the others
    bands: list[tuple[float, float]] = field(default_factory=list)  # of the gate, widest first
    mark: float | None = None  # the row that is highlighted
    by_bar: bool = False  # labels are those of bars, not of the two ends
    names: list[str] = field(default_factory=list)  # of bars
    low: float = math.nan
    high: float = math.nan
    labels: list[str] = field(default_factory=list)

    def ends(self, decimals: int, unit: str) -> list[str]:
        """The numbers at the two ends; none where there is nothing between them."""
        if not self.low < self.high:
            return []
        ends = (self.low, self.high)
        return [number(end, decimals, ends) + unit for end in ends]

    def slot(self) -> float:
        """Width of a bar of a category and the room around it."""
        return float(self.right[0] - self.left[0]) / _BAR_SHARE if len(self.left) else 1.0


class NodeRows:
    """Values of rows, their classes, and their shares at every node.

    Raises
    ------
    InputError
        Rows of another width than the tree reads, a class it does not know, another number of
        classes than rows.
    """

    def __init__(self, tree, X, y):
        self.table = table_of(tree, X)
        if self.table.ndim != 2:
            raise InputError(
                f"X has {self.table.ndim} dimensions", remedy="give one row per instance, (n, m)"
            )
        check_columns(tree, "X", self.table.shape[1])
        check_finite("X", self.table)
        self.codes = codes_of(tree, y)
        if len(self.codes) != len(self.table):
            raise InputError(
                f"y has {len(self.codes)} entries for {len(self.table)} rows",
                remedy="give one per row",
            )
        self.shares = tree.shares(self.table).tocsc()

    def bars(self, tree, node: int, way: DecisionPath | None) -> Bars:
        """The rows at a test, and the row that is highlighted if it passes there."""
        part = slice(self.shares.indptr[node], self.shares.indptr[node + 1])
        rows, weight = self.shares.indices[part], self.shares.data[part]
        x = self.table[rows, tree.feature[node]]
        observed = ~np.isnan(x)
        x, weight, codes = x[observed], weight[observed], self.codes[rows][observed]
        marked = math.nan
        if way is not None and way.row is not None and way.through(node):
            marked = float(way.row[tree.feature[node]])
        if np.isnan(tree.threshold[node]):
            return _categories(tree, node, x, weight, codes, marked)
        return _numbers(tree, node, x, weight, codes, marked)


def _numbers(tree, node: int, x, weight, codes, marked: float) -> Bars:
    threshold = float(tree.threshold[node])
    places = np.concatenate([x, [threshold], [marked] if np.isfinite(marked) else []])
    low, high = float(places.min()), float(places.max())
    scale = max(abs(low), abs(high)) or 1.0  # without it the range of very large values overflows

    def place(values):
        width = high / scale - low / scale
        values = np.asarray(values, dtype=np.float64)
        return (values / scale - low / scale) / width if width > 0 else np.full(values.shape, 0.5)

    at = float(place(threshold))
    # Bars of one width, one of which begins at the threshold: none shows rows of both branches.
    before = max(math.ceil(at * N_BARS - 1e-9), 1)
    after = max(math.ceil((1.0 - at) * N_BARS - 1e-9), 1)
    edges = at + np.arange(-before, after + 1) / N_BARS
    bar = np.floor((place(x) - at) * N_BARS).astype(np.intp) + before
    bar = np.where(x < threshold, np.clip(bar, 0, before - 1), np.clip(bar, before, None))
    bar = np.minimum(bar, before + after - 1)
    height = _stacked(bar, before + after, codes, weight, tree.n_classes)
    first, last = min(edges[0], 0.0), max(edges[-1], 1.0)  # the outer bars may begin further out

    def within(values):
        return (values - first) / (last - first)

    bands = [
        (float(within(a)), float(within(b)))
        for a, b in (np.clip(place(band), first, last) for band in gate_bands(tree, node))
        if a < b
    ]
    return Bars(
        int(tree.feature[node]),
        within(edges[:-1]),
        within(edges[1:]),
        height,
        float(within(at)),
        bands,
        float(within(place(marked))) if np.isfinite(marked) else None,
        low=low,
        high=high,
    )


def _categories(tree, node: int, x, weight, codes, marked: float) -> Bars:
    """A bar for each category at the test, those that go left first."""
    j = int(tree.feature[node])
    flags = tree.categories_left[node]
    goes_left = [*flags.tolist(), bool(tree.share_left[node] >= 0.5)]  # the last: never seen

    def code(values):
        return np.where((values >= 0) & (values < len(flags)), values, len(flags)).astype(np.intp)

    category, marked_code = code(x), None if math.isnan(marked) else int(code(np.array(marked)))
    present = sorted({*category.tolist(), *([] if marked_code is None else [marked_code])})
    left = [c for c in present if goes_left[c]]
    order = left + [c for c in present if not goes_left[c]]
    slot = 1.0 / (len(order) + _DIVIDE)
    begin = np.arange(len(order)) * slot
    begin[len(left) :] += _DIVIDE * slot
    bar = np.array([order.index(c) for c in category.tolist()], dtype=np.intp)
    mark = None if marked_code is None else float(begin[order.index(marked_code)] + slot / 2)
    return Bars(
        j,
        begin + (1.0 - _BAR_SHARE) / 2.0 * slot,
        begin + (1.0 + _BAR_SHARE) / 2.0 * slot,
        _stacked(bar, len(order), codes, weight, tree.n_classes),
        (len(left) + _DIVIDE / 2) * slot,
        mark=mark,
        by_bar=True,
        names=[category_word(tree, j, c) if c < len(flags) else "unknown" for c in order],
    )


def _stacked(bar, n: int, codes, weight, n_classes: int) -> np.ndarray:
    height = np.zeros((n, n_classes))
    np.add.at(height, (bar, codes), weight)
    return height / max(height.sum(axis=1).max(initial=0.0), np.finfo(np.float64).tiny)


def gate_bands(tree, node: int) -> list[tuple[float, float]]:
    """Measured values that a test divides, in the unit of the variable, the widest band first.

    Of noise those within two and one standard deviations of the gate's centre, and not beyond its
    window; of a piecewise threshold those between its bounds.
    """
    gate, j = tree.gate, int(tree.feature[node])
    if isinstance(gate, ThresholdGate):
        low, high = float(gate.lower[node]), float(gate.upper[node])
        return [(low, high)] if low < high else []
    if not isinstance(gate, NoiseGate) or not gate.sigma[j] > 0:
        return []
    center, sigma, shift = float(tree.center[node]), float(gate.sigma[j]), float(gate.center[j])
    bands = []
    for k in (2.0, 1.0):
        k = min(k, gate.half_window)
        errors = (shift - k * sigma, shift + k * sigma)
        if j not in gate.relative:
            bands.append((center - errors[1], center - errors[0]))
            continue
        # x with (center - x) / |x| = d, on that side of 0 where the centre is.
        side = math.copysign(1.0, center)
        ends = [
            center / (1.0 + side * d) if 1.0 + side * d > 0 else side * math.inf for d in errors
        ]
        bands.append((min(ends), max(ends)))
    return bands
