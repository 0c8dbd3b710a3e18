"""Where everything of a drawn tree stands, in inches, before any of it is drawn."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from hedgerow.drawing.node_rows import Bars, NodeRows
from hedgerow.drawing.path import DecisionPath
from hedgerow.drawing.words import condition_words, percent, shorten, text_width, wrap
from hedgerow.tree.export import class_name, feature_name
from hedgerow.tree.gates import CategoryGate, CategoryNoise, ThresholdGate

FONT_SIZE = 8.0  # points
CROWD = 16  # leaves from which each says its share in a line of its own, to be narrower
ORIENTATIONS = ("down", "right")

SMALL = 0.92  # size of words beside the boxes, in font sizes
LINE = 1.3  # height of a line of words, in font sizes
PAD = 0.55  # space between words and the frame, in font sizes
BAR = 1.1  # height of a leaf's bar, in font sizes
THIN_BAR = 0.55  # that of the shares at a test
BETWEEN = 3.4  # room for branches between two levels, in font sizes
INNER_UNITS = 1.8  # largest width of an inner node, in widths of a leaf (leaves no overlap)
HISTOGRAM = 3.2  # height of bars of rows at a test, in font sizes
MARKS = 0.75  # room beneath them for the mark of a row
_LEAF_SHARE = 0.9  # of a leaf's unit is box, the rest space
_BETWEEN_RIGHT = 5.4  # as BETWEEN, where levels stand side by side: a branch carries its word
_BETWEEN_ROWS = 0.7  # between two boxes of such a level
_INNER_RIGHT = 24.0  # largest width of the words of an inner node there, in font sizes
_BAR_RIGHT = 5.5  # width of a leaf's bar there, which stands beside the words
_LEAST_HISTOGRAM = 9.0  # width, in font sizes
_MOST_LABELLED = 22.0  # width up to which bars of categories carry their names


@dataclass
class Box:
    """One node as drawn; sizes in inches."""

    node: int
    depth: int
    lines: list[str]
    leaf: bool
    hidden: int = 0  # leaves below that are not drawn
    children: list[int] = field(default_factory=list)
    across: float = 0.0  # middle, against the direction in which the tree grows
    x: float = 0.0  # middle
    top: float = 0.0  # below the top of the drawing
    width: float = 0.0
    height: float = 0.0
    strong: int | None = None  # the line that a highlighted row adds
    bars: Bars | None = None


@dataclass(frozen=True)
class Options:
    """What a drawing shows besides the tree itself; by default nothing."""

    right: bool = False  # the root stands at the left, not above
    units: dict[int, str] = field(default_factory=dict)
    way: DecisionPath | None = None
    way_only: bool = False  # what lies off the way is cut to its first node
    reached: NodeRows | None = None
    shares: bool = False  # bars of class shares at tests
    weights: bool = False  # branches as wide as the training weight that takes them


class Plan:
    """Boxes with their places, and the size of the whole, in inches."""

    def __init__(self, tree, depth: int, size: float, decimals: int, wish: Options | None = None):
        self.tree, self.size, self.decimals = tree, size, decimals
        self.wish = Options() if wish is None else wish
        self.em = size / 72.0
        self.margin = 1.2 * self.em
        self.side_bar_width = (
            _BAR_RIGHT + PAD
        ) * self.em  # of a leaf, where levels stand side by side
        self.shares = tree.probabilities()
        self.weight = tree.class_weight.sum(axis=1)
        self.boxes: list[Box] = []
        self._collect(depth)
        leaves = [box for box in self.boxes if box.leaf]
        self._fill_leaves(leaves)
        unit = leaves[0].width / _LEAF_SHARE
        self._fill_inner(unit)
        self._place(_BETWEEN_ROWS * self.em if self.wish.right else unit - leaves[0].width)
        self._levels()
        left = min(box.x - box.width / 2 for box in self.boxes)
        right = max(box.x + box.width / 2 for box in self.boxes)
        content = right - left
        self.notes = self._notes()
        wanted = max([content, *(text_width(n, SMALL * size) for n in self.notes), 30 * self.em])
        self.width = wanted + 2 * self.margin
        shift = (self.width - content) / 2 - left
        self._legend_size()
        for box in self.boxes:
            box.x += shift
            box.top += self.head
        bottom = max(box.top + box.height for box in self.boxes)
        self.foot = bottom + self.em
        self.height = self.foot + len(self.notes) * 1.3 * self.em + self.margin

    def on_way(self, node: int) -> bool | None:
        """Whether a highlighted path goes through a node; None where none is highlighted."""
        return None if self.wish.way is None else self.wish.way.through(node)

    def _collect(self, depth: int) -> None:
        """Boxes in preorder, without recursion: trees may be thousands of tests deep."""
        tree = self.tree
        leaves_below = tree.is_leaf().astype(np.int64)
        for node in range(tree.n_nodes - 1, 0, -1):
            leaves_below[tree.parent[node]] += leaves_below[node]
        stack = [(0, 0, -1)]
        while stack:
            node, level, above = stack.pop()
            leaf = bool(tree.feature[node] < 0)
            cut = level >= depth or (self.wish.way_only and not self.on_way(node))
            hidden = int(leaves_below[node]) if cut and not leaf else 0
            number_ = len(self.boxes)
            self.boxes.append(Box(node, level, [], leaf or hidden > 0, hidden))
            if above >= 0:
                self.boxes[above].children.append(number_)
            if not self.boxes[-1].leaf:
                stack.append((int(tree.children_right[node]), level + 1, number_))
                stack.append((int(tree.children_left[node]), level + 1, number_))

    def _fill_leaves(self, leaves: list[Box]) -> None:
        """Words of the leaves, and one width for all of them."""
        size, em = self.size, self.em
        right, way = self.wish.right, self.wish.way
        widest = 0.0
        for box in leaves:
            share = self.shares[box.node]
            best = int(share.argmax())
            box.lines = [class_name(self.tree, best), "n = " + self.count(box.node)]
            if len(share) > 1 and len(leaves) > CROWD and not right:
                box.lines.append(percent(share[best]))
            elif len(share) > 1:
                box.lines[1] += f", {percent(share[best])}"
            if box.hidden:
                box.lines.append(f"{box.hidden} leaves below")
            if way is not None and way.through(box.node) and way.share[box.node] < 1.0:
                box.strong = len(box.lines)
                box.lines.append(f"row: {percent(way.share[box.node])}")
            widest = max(widest, text_width(box.lines[0], size, bold=True))
        needed = max(
            text_width(line, size, bold=row == box.strong)
            for box in leaves
            for row, line in enumerate(box.lines)
            if row > 0
        )
        room = max(min(widest, 15 * em), needed, 5 * em)
        for box in leaves:
            box.lines[0] = shorten(box.lines[0], room, size, bold=True)
            box.width = room + 2 * PAD * em
            if right:
                box.width += self.side_bar_width
                box.height = (len(box.lines) * LINE + 2 * PAD) * em
            else:
                box.height = (len(box.lines) * LINE + BAR + 0.35 + 2 * PAD) * em

    def _fill_inner(self, unit: float) -> None:
        """Words of the inner nodes."""
        size, em = self.size, self.em
        room = _INNER_RIGHT * em if self.wish.right else INNER_UNITS * unit - 2 * PAD * em
        for box in self.boxes:
            if box.leaf:
                continue
            way, node = self.wish.way, box.node
            if not self.on_way(node):
                way = None
            name = feature_name(self.tree, int(self.tree.feature[node]))
            value = None if way is None else way.value(self.tree, node)
            condition = condition_words(self.tree, node, self.decimals, self.wish.units, value)
            both = f"{name} {condition}"
            if text_width(both, size) <= room:
                box.lines = [both]
            else:
                box.lines = wrap(name, room, size, 2)
                if text_width(f"{box.lines[-1]} {condition}", size) <= room:
                    box.lines[-1] += " " + condition
                else:
                    box.lines += wrap(condition, room, size, 3)
            box.lines.append("n = " + self.count(node))
            words = max(text_width(line, size) for line in box.lines)
            if way is not None and way.row is not None:
                box.strong = len(box.lines)
                box.lines.append(self._answer(way, node, name, room))
                words = max(words, text_width(box.lines[-1], size, bold=True))
            box.height = (len(box.lines) * LINE + 2 * PAD) * em
            if self.wish.reached is not None:
                box.bars = self.wish.reached.bars(self.tree, node, self.wish.way)
                words = max(words, self._label(box.bars, node))
                labels = LINE if any(box.bars.labels) else 0.0
                box.height += (0.3 + HISTOGRAM + MARKS + labels) * em
            elif self.wish.shares:
                words = max(words, 5 * em)
                box.height += (0.35 + THIN_BAR) * em
            box.width = words + 2 * PAD * em

    def _answer(self, way: DecisionPath, node: int, name: str, room: float) -> str:
        """The value of the row at a test, and where it goes: the name where there is room."""
        value, goes = way.answer(self.tree, node, self.decimals, self.wish.units)
        line = f"{name} {value}: {goes}"
        if text_width(line, self.size, bold=True) <= room:
            return line
        # A value is never cut, for half a number is another one; nor is where it goes.
        if not np.isnan(self.tree.threshold[node]):
            return f"{value}: {goes}"
        rest = room - text_width(f": {goes}", self.size, bold=True)
        return f"{shorten(value, rest, self.size, bold=True)}: {goes}"

    def _label(self, bars: Bars, node: int) -> float:
        """Put words beneath the bars of a test, as far as they fit; the width they need."""
        small, em = SMALL * self.size, self.em
        least = _LEAST_HISTOGRAM * em
        if not bars.by_bar:
            bars.labels = bars.ends(self.decimals, self.wish.units.get(bars.variable, ""))
            return max(least, sum(text_width(w, small) for w in bars.labels) + em)
        bars.labels = [shorten(word, 6 * em, small) for word in bars.names]
        widest = max((text_width(word, small) for word in bars.labels), default=0.0) + 0.5 * em
        slot = bars.slot()
        if widest / slot > _MOST_LABELLED * em:
            bars.labels = []
            return least
        return max(least, widest / slot)

    def _place(self, gap: float) -> None:
        """Places of the boxes, the root at 0; `gap` is left between two of a level.

        From below, by the outline of each subtree: its two ends level by level. A leaf high up
        stands beside what is deeper, and takes no column of its own.
        """
        outlines: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        for i, box in reversed(list(enumerate(self.boxes))):
            breadth = box.height if self.wish.right else box.width
            left, right = np.array([-breadth / 2]), np.array([breadth / 2])
            if box.children:
                (l1, r1), (l2, r2) = (outlines.pop(child) for child in box.children)
                both = min(len(l1), len(l2))
                half = (np.max(r1[:both] - l2[:both]) + gap) / 2
                for child, side in zip(box.children, (-1.0, 1.0), strict=True):
                    self.boxes[child].across = side * half
                left = np.concatenate([left, l1 - half, l2[len(l1) :] + half])
                right = np.concatenate([right, r2 + half, r1[len(r2) :] - half])
            outlines[i] = left, right
        for box in self.boxes:  # parents first: until here the places are those against them
            for child in box.children:
                self.boxes[child].across += box.across

    def count(self, node: int) -> str:
        """Weight of a node: whole where it is whole, else with a decimal."""
        weight = float(self.weight[node])
        return f"{weight:.0f}" if abs(weight - round(weight)) < 1e-6 else f"{weight:.1f}"

    def _levels(self) -> None:
        """Level below level, or beside it; the first at 0."""
        right = self.wish.right
        depth = max(box.depth for box in self.boxes)
        largest = [0.0] * (depth + 1)
        for box in self.boxes:
            length = box.width if right else box.height
            largest[box.depth] = max(largest[box.depth], length)
        start = [0.0] * (depth + 1)
        for level in range(1, depth + 1):
            gap = (_BETWEEN_RIGHT if right else BETWEEN) * self.em
            start[level] = start[level - 1] + largest[level - 1] + gap
        highest = min(box.across - box.height / 2 for box in self.boxes)
        for box in self.boxes:
            if right:
                box.x = start[box.depth] + box.width / 2
                box.top = box.across - box.height / 2 - highest
            else:
                box.x, box.top = box.across, start[box.depth]

    def _legend_size(self) -> None:
        """Columns of the legend, and room for it above the tree."""
        room = self.width - 2 * self.margin
        self.names = [
            shorten(class_name(self.tree, c), 24 * self.em, self.size)
            for c in range(self.tree.n_classes)
        ]
        widest = max(text_width(name, self.size) for name in self.names) + 5.0 * self.em
        self.columns = max(1, min(len(self.names), int(room / widest)))
        rows = math.ceil(len(self.names) / self.columns)
        self.head = self.margin + rows * 1.7 * self.em + 0.8 * self.em

    def _notes(self) -> list[str]:
        notes = []
        if any(not box.leaf for box in self.boxes):
            whole = np.abs(self.weight - np.rint(self.weight)).max() < 1e-6
            notes.append(f"n: training {'instances' if whole else 'weight'}; bars: class shares")
        gate = self.tree.gate
        if gate is not None and gate.soft:
            categorical = isinstance(gate, CategoryGate | CategoryNoise)
            where = "where its category is uncertain" if categorical else "near a threshold"
            notes.append(f"soft: {where} a case follows both branches")
        if self.wish.weights and self.wish.way is None:
            notes.append("branches: as wide as the training weight that takes them")
        notes += self._notes_on_rows()
        hidden = sum(box.hidden for box in self.boxes)
        if hidden:
            notes.append(f"{hidden} of {self.tree.n_leaves} leaves lie below what is drawn")
        return notes

    def _notes_on_rows(self) -> list[str]:
        """How to read what is drawn of rows."""
        notes = []
        way, tests = self.wish.way, [box.bars for box in self.boxes if box.bars is not None]
        if tests:
            notes.append("at tests: values of the rows that reach them, by class; line: threshold")
            if any(bars.bands for bars in tests):
                bounds = isinstance(self.tree.gate, ThresholdGate)
                width = "between its bounds" if bounds else "1 and 2 standard deviations of error"
                notes.append(f"shaded: {width}")
        if way is not None:
            divided = way.row is not None and any(0.0 < s < 1.0 for s in way.share)
            whose = "the way of the row" if way.row is not None else "the way to the node"
            notes.append(f"strong: {whose}{', as wide as its share' if divided else ''}")
            if any(bars.mark is not None for bars in tests):
                notes[-1] += "; triangle: its value"
        return notes
