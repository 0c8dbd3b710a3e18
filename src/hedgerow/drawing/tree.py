"""A drawing of a tree that can be read at the bedside.

Everything is laid out in inches first, with the sizes of the words measured, so that nothing
overlaps: a node stands above the middle of its two children, whose subtrees are as near to each
other as their boxes of the same level let them be.
A figure of our own has exactly that size; in axes of the user's the drawing is scaled to fit.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from hedgerow.checks import COUNTED, check_number
from hedgerow.optional import needed
from hedgerow.texts import legible
from hedgerow.tree.export import check_decimals, class_name, feature_name, number
from hedgerow.tree.gates import CategoryGate, CategoryNoise

# Okabe and Ito (2008), told apart by colour-blind readers; dark and light alternate, and from
# the third class on a hatch helps where there is no colour at all.
COLORS = (
    "#0072B2", "#E69F00", "#009E73", "#F0E442", "#CC79A7", "#56B4E9", "#D55E00", "#BBBBBB",
)  # fmt: skip
HATCHES = ("", "", "////", "....", "\\\\\\\\", "----", "xxxx", "||||", "++++", "oooo")
LARGEST = 100  # leaves drawn when no depth is asked for; more cannot be read
FONT_SIZE = 8.0  # points
FONT_SIZES = (0.1, 1000.0)  # points; of which a figure can be made
CROWD = 16  # leaves from which each says its share in a line of its own, to be narrower
ELLIPSIS = "\u2026"

_SMALL = 0.92  # size of words beside the boxes, in font sizes
_LINE = 1.3  # height of a line of words, in font sizes
_PAD = 0.55  # space between words and the frame, in font sizes
_BAR = 1.1  # height of a leaf's bar, in font sizes
_BETWEEN = 3.4  # room for branches between two levels, in font sizes
_INNER_UNITS = 1.8  # largest width of an inner node, in widths of a leaf (leaves no overlap)
_LEAF_SHARE = 0.9  # of a leaf's unit is box, the rest space
_HINTING = 1.08  # letters fitted to coarse pixels are up to this much wider than their outlines


@dataclass
class _Box:
    """One node as drawn; sizes in inches."""

    node: int
    depth: int
    lines: list[str]
    leaf: bool
    hidden: int = 0  # leaves below that are not drawn
    children: list[int] = field(default_factory=list)
    x: float = 0.0
    width: float = 0.0
    height: float = 0.0


def plot_tree(
    tree,
    ax=None,
    decimals: int = 3,
    max_depth: int | None = None,
    class_colors=None,
    fontsize: float | None = None,
):
    """Draw a tree: tests above, leaves below, each leaf with its class, n and class shares.

    The left branch is the one on which the test holds ("yes"), the right one "no". A stacked bar
    in every leaf shows the shares of the classes in the training weight that reached it.

    Parameters
    ----------
    tree : Tree
    ax : matplotlib Axes, optional
        Where to draw; the drawing is scaled to fit. By default a new figure as large as the
        tree needs.
    decimals : int from 0 to 100, default 3
        Digits of thresholds and weights after the first significant one.
    max_depth : int, optional
        Deepest level drawn; a branch cut there is dashed and says how many leaves it hides. By
        default the whole tree, or as many levels as keep below 100 leaves.
    class_colors : sequence or dict, optional
        A colour for each class: in the order of the classes, or by label. By default the
        palette of Okabe and Ito, with hatches from the third class on.
    fontsize : float, optional
        Points, from 0.1 to 1000; 8 in a figure of our own, whatever fits in axes that are given.

    Returns
    -------
    matplotlib Axes

    Raises
    ------
    InputError
        A number of colours that is not that of the classes, or a number out of range.

    Examples
    --------
    >>> from hedgerow import C45Classifier
    >>> tree = C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"]).tree_
    >>> ax = tree.plot()
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['a', 'b']
    """
    plt = needed("matplotlib.pyplot", "a drawing of a tree")
    check_decimals(decimals)
    if fontsize is not None:
        check_number("fontsize", fontsize, *FONT_SIZES)
    colors = _colors(tree, class_colors)
    size = FONT_SIZE if fontsize is None else float(fontsize)
    plan = _Plan(tree, _depth_to_draw(tree, max_depth), size, decimals)
    scale = 1.0
    if ax is None:
        figure = plt.figure(figsize=(plan.width, plan.height))
        ax = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    else:
        place = ax.get_window_extent().transformed(ax.figure.dpi_scale_trans.inverted())
        scale = min(place.width / plan.width, place.height / plan.height)
    ax.set_axis_off()
    ax.set_xlim(0.0, plan.width)
    ax.set_ylim(-plan.height, 0.0)
    ax.set_aspect("equal", adjustable="box")
    points = size * scale if fontsize is None else size
    _Pen(ax, tree, plan, colors, points, scale, decimals).draw()
    return ax


def _depth_to_draw(tree, max_depth) -> int:
    if max_depth is not None:
        check_number("max_depth", max_depth, 0, COUNTED, whole=True)
        return int(max_depth)
    if tree.n_leaves <= LARGEST:
        return tree.depth
    # Boxes at the foot of a drawing that stops at depth d: leaves down to d, and what is cut.
    depth = tree.node_depth
    leaves = np.cumsum(np.bincount(depth[tree.is_leaf()], minlength=tree.depth + 1))
    inner = np.bincount(depth[~tree.is_leaf()], minlength=tree.depth + 1)
    return int(np.flatnonzero(leaves + inner <= LARGEST).max(initial=0))


def legible_depth(tree, width: float, height: float, decimals: int, points: float) -> int:
    """The deepest level down to which a drawing in so many inches can be read, at least 1.

    Parameters
    ----------
    tree : Tree
    width, height : float
        Inches.
    decimals : int
    points : float
        Size of the smallest words that can be read.

    Returns
    -------
    int
        For `max_depth` of `plot_tree`.
    """
    depth = _depth_to_draw(tree, None)
    while depth > 1:
        plan = _Plan(tree, depth, FONT_SIZE, decimals)
        if FONT_SIZE * min(width / plan.width, height / plan.height) >= points:
            break
        depth -= 1
    return depth


def _colors(tree, given) -> list:
    from hedgerow.errors import InputError

    names = [class_name(tree, c) for c in range(tree.n_classes)]
    if given is None:
        return [COLORS[c % len(COLORS)] for c in range(tree.n_classes)]
    if isinstance(given, dict):
        by_name = {str(label): color for label, color in given.items()}
        absent = [name for name in names if name not in by_name]
        if absent:
            raise InputError(
                f"class_colors has no colour for class {absent[0]!r}",
                remedy="give one for each class",
            )
        return [by_name[name] for name in names]
    if len(given) != tree.n_classes:
        raise InputError(
            f"class_colors has {len(given)} entries for {tree.n_classes} classes",
            remedy="give one colour for each class",
        )
    return list(given)


# -- words ------------------------------------------------------------------------------


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width of a line of words in inches."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=size, weight="bold" if bold else "normal")
    width = text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]
    return _HINTING * width / 72.0


def shorten(text: str, width: float, size: float, bold: bool = False) -> str:
    """The text as it can be shown, its middle left out where it is wider than `width` inches."""
    text = legible(text)
    if text_width(text, size, bold) <= width:
        return text
    low, high = 0, len(text)
    while high - low > 1:
        kept = (low + high) // 2
        if text_width(_without_middle(text, kept), size, bold) <= width:
            low = kept
        else:
            high = kept
    return _without_middle(text, low)


def _without_middle(text: str, kept: int) -> str:
    head = (kept + 1) // 2
    tail = kept - head
    return text[:head].rstrip() + ELLIPSIS + (text[-tail:].lstrip() if tail else "")


def wrap(text: str, width: float, size: float, most: int) -> list[str]:
    """At most `most` lines no wider than `width` inches; what does not fit is elided.

    Lines break at spaces, and behind the underscores, hyphens and dots inside long names.
    """
    pieces = [""]
    for character in legible(text):
        pieces[-1] += character
        if character in " _-./":
            pieces.append("")
    lines = [""]
    for position, piece in enumerate(pieces):
        if not lines[-1] or text_width((lines[-1] + piece).rstrip(), size) <= width:
            lines[-1] += piece
        elif len(lines) == most:
            lines[-1] += "".join(pieces[position:])
            break
        else:
            lines.append(piece)
    return [shorten(line.strip(), width, size) for line in lines]


def condition_words(tree, node: int, decimals: int) -> str:
    """What holds on the left branch, without the name of the variable."""
    if not np.isnan(tree.threshold[node]):
        return f"< {number(float(tree.threshold[node]), decimals)}"
    labels = tree.categories.get(int(tree.feature[node]))
    flags = tree.categories_left[node]
    known = range(len(flags) if labels is None else len(labels))
    words = [str(c) if labels is None else legible(str(labels[c])) for c in known]
    left = [w for w, c in zip(words, known, strict=True) if flags[c]]
    right = [w for w, c in zip(words, known, strict=True) if not flags[c]]
    if right and len(", ".join(right)) < len(", ".join(left)):
        return "is not " + _either(right)
    return "is " + _either(left)


def _either(words: list[str]) -> str:
    if len(words) < 2:
        return "".join(words)
    return ", ".join(words[:-1]) + " or " + words[-1]


def percent(share: float) -> str:
    """A share in per cent, never rounded to 100 or 0 when it is neither."""
    if 0.0 < share < 1.0:
        share = min(max(share, 0.01), 0.99)
    return f"{100 * share:.0f} %"


# -- layout -----------------------------------------------------------------------------


class _Plan:
    """Boxes with their places, and the size of the whole, in inches."""

    def __init__(self, tree, depth: int, size: float, decimals: int):
        self.tree, self.size, self.decimals = tree, size, decimals
        self.em = size / 72.0
        self.shares = tree.probabilities()
        self.weight = tree.class_weight.sum(axis=1)
        self.boxes: list[_Box] = []
        self._collect(depth)
        leaves = [box for box in self.boxes if box.leaf]
        self._fill_leaves(leaves)
        unit = leaves[0].width / _LEAF_SHARE
        self.margin = 1.2 * self.em
        self._fill_inner(unit)
        self._place(unit - leaves[0].width)
        self._rows()
        left = min(box.x - box.width / 2 for box in self.boxes)
        right = max(box.x + box.width / 2 for box in self.boxes)
        content = right - left
        self.notes = self._notes()
        wanted = max([content, *(text_width(n, _SMALL * size) for n in self.notes), 30 * self.em])
        self.width = wanted + 2 * self.margin
        shift = (self.width - content) / 2 - left
        for box in self.boxes:
            box.x += shift
        self._legend_size()
        bottom = max(self.top[box.depth] + box.height for box in self.boxes)
        self.foot = bottom + self.em
        self.height = self.foot + len(self.notes) * 1.3 * self.em + self.margin

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
            hidden = 0 if leaf or level < depth else int(leaves_below[node])
            number_ = len(self.boxes)
            self.boxes.append(_Box(node, level, [], leaf or hidden > 0, hidden))
            if above >= 0:
                self.boxes[above].children.append(number_)
            if not self.boxes[-1].leaf:
                stack.append((int(tree.children_right[node]), level + 1, number_))
                stack.append((int(tree.children_left[node]), level + 1, number_))

    def _fill_leaves(self, leaves: list[_Box]) -> None:
        """Words of the leaves, and one width for all of them."""
        size, em = self.size, self.em
        widest = 0.0
        for box in leaves:
            share = self.shares[box.node]
            best = int(share.argmax())
            box.lines = [class_name(self.tree, best), "n = " + self.count(box.node)]
            if len(share) > 1 and len(leaves) > CROWD:
                box.lines.append(percent(share[best]))
            elif len(share) > 1:
                box.lines[1] += f", {percent(share[best])}"
            if box.hidden:
                box.lines.append(f"{box.hidden} leaves below")
            widest = max(widest, text_width(box.lines[0], size, bold=True))
        needed = max(text_width(w, size) for box in leaves for w in box.lines[1:])
        room = max(min(widest, 15 * em), needed, 5 * em)
        for box in leaves:
            box.lines[0] = shorten(box.lines[0], room, size, bold=True)
            box.width = room + 2 * _PAD * em
            box.height = (len(box.lines) * _LINE + _BAR + 0.35 + 2 * _PAD) * em

    def _fill_inner(self, unit: float) -> None:
        """Words of the inner nodes."""
        size, em = self.size, self.em
        for box in self.boxes:
            if box.leaf:
                continue
            room = _INNER_UNITS * unit - 2 * _PAD * em
            name = feature_name(self.tree, int(self.tree.feature[box.node]))
            condition = condition_words(self.tree, box.node, self.decimals)
            both = f"{name} {condition}"
            if text_width(both, size) <= room:
                box.lines = [both]
            else:
                box.lines = wrap(name, room, size, 2)
                if text_width(f"{box.lines[-1]} {condition}", size) <= room:
                    box.lines[-1] += " " + condition
                else:
                    box.lines += wrap(condition, room, size, 3)
            box.lines.append("n = " + self.count(box.node))
            words = max(text_width(line, size) for line in box.lines)
            box.width = words + 2 * _PAD * em
            box.height = (len(box.lines) * _LINE + 2 * _PAD) * em

    def _place(self, gap: float) -> None:
        """Places of the boxes, the root at 0; `gap` is left between two of a level.

        From below, by the outline of each subtree: its left and right ends level by level. A leaf
        high up stands above what is deeper beside it, and takes no column of its own.
        """
        outlines: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        for i, box in reversed(list(enumerate(self.boxes))):
            left, right = np.array([-box.width / 2]), np.array([box.width / 2])
            if box.children:
                (l1, r1), (l2, r2) = (outlines.pop(child) for child in box.children)
                both = min(len(l1), len(l2))
                half = (np.max(r1[:both] - l2[:both]) + gap) / 2
                for child, side in zip(box.children, (-1.0, 1.0), strict=True):
                    self.boxes[child].x = side * half
                left = np.concatenate([left, l1 - half, l2[len(l1) :] + half])
                right = np.concatenate([right, r2 + half, r1[len(r2) :] - half])
            outlines[i] = left, right
        for box in self.boxes:  # parents first: until here the places are those against them
            for child in box.children:
                self.boxes[child].x += box.x

    def count(self, node: int) -> str:
        """Weight of a node: whole where it is whole, else with a decimal."""
        weight = float(self.weight[node])
        return f"{weight:.0f}" if abs(weight - round(weight)) < 1e-6 else f"{weight:.1f}"

    def _rows(self) -> None:
        """Top edge of every level, below the top of the drawing."""
        depth = max(box.depth for box in self.boxes)
        tallest = [0.0] * (depth + 1)
        for box in self.boxes:
            tallest[box.depth] = max(tallest[box.depth], box.height)
        self.top = [0.0] * (depth + 1)
        for level in range(1, depth + 1):
            gap = _BETWEEN * self.em
            self.top[level] = self.top[level - 1] + tallest[level - 1] + gap

    def _legend_size(self) -> None:
        """Columns of the legend, and room for it above the root."""
        room = self.width - 2 * self.margin
        self.names = [
            shorten(class_name(self.tree, c), 24 * self.em, self.size)
            for c in range(self.tree.n_classes)
        ]
        widest = max(text_width(name, self.size) for name in self.names) + 5.0 * self.em
        self.columns = max(1, min(len(self.names), int(room / widest)))
        rows = math.ceil(len(self.names) / self.columns)
        self.head = self.margin + rows * 1.7 * self.em + 0.8 * self.em
        self.top = [top + self.head for top in self.top]

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
        hidden = sum(box.hidden for box in self.boxes)
        if hidden:
            notes.append(f"{hidden} of {self.tree.n_leaves} leaves lie below what is drawn")
        return notes


# -- ink --------------------------------------------------------------------------------


class _Pen:
    def __init__(self, ax, tree, plan: _Plan, colors, points, scale, decimals):
        self.ax, self.tree, self.plan = ax, tree, plan
        self.colors, self.points, self.scale = colors, points, scale
        self.decimals = decimals

    def draw(self) -> None:
        for box in self.plan.boxes:
            if not box.leaf:
                self.branches(box)
        for box in self.plan.boxes:
            self.box(box)
        self.legend()
        for row, note in enumerate(self.plan.notes):
            y = -(self.plan.foot + row * 1.3 * self.plan.em)
            self.words(self.plan.margin, y, note, size=_SMALL, ha="left", color="0.35")

    def words(self, x, y, text, size=1.0, **more) -> None:
        settings = {"ha": "center", "va": "top", "parse_math": False, "zorder": 4}
        settings.update(more)
        self.ax.text(x, y, text, fontsize=self.points * size, **settings)

    def branches(self, box: _Box) -> None:
        em = self.plan.em
        bottom = -(self.plan.top[box.depth] + box.height)
        for child, word in zip(box.children, ("yes", "no"), strict=True):
            below = self.plan.boxes[child]
            top = -self.plan.top[below.depth]
            bend = top + 0.45 * _BETWEEN * em
            self.ax.plot(
                [box.x, box.x, below.x, below.x],
                [bottom, bend, bend, top],
                color="0.45",
                linewidth=0.9 * self.scale,
                solid_joinstyle="round",
                zorder=1,
            )
            side = -1 if word == "yes" else 1
            reach = min(abs(below.x - box.x) / 2, 2.2 * em)
            self.words(
                box.x + side * reach, bend + 0.2 * em, word, _SMALL, va="bottom", color="0.25"
            )

    def box(self, box: _Box) -> None:
        from matplotlib.patches import FancyBboxPatch

        em = self.plan.em
        top = -self.plan.top[box.depth]
        best = int(self.plan.shares[box.node].argmax())
        edge = self.colors[best] if box.leaf else "0.35"
        rounding = (0.45 if box.leaf else 0.15) * em
        self.ax.add_patch(
            FancyBboxPatch(
                (box.x - box.width / 2, top - box.height),
                box.width,
                box.height,
                boxstyle=f"round,pad=0,rounding_size={rounding}",
                facecolor="white" if box.leaf else "0.95",
                edgecolor=edge,
                linewidth=(1.6 if box.leaf else 0.8) * self.scale,
                linestyle="--" if box.hidden else "-",
                zorder=2,
            )
        )
        y = top - _PAD * em
        for row, line in enumerate(box.lines):
            weight = "bold" if box.leaf and row == 0 else "normal"
            last = not box.leaf and row == len(box.lines) - 1
            color = "0.35" if last or (box.leaf and row > 0) else "black"
            self.words(box.x, y, line, fontweight=weight, color=color)
            y -= _LINE * em
        if box.leaf:
            self.bar(box, y - 0.35 * em)

    def bar(self, box: _Box, top: float) -> None:
        from matplotlib.patches import Rectangle

        em = self.plan.em
        width = box.width - 2 * _PAD * em
        x = box.x - width / 2
        for c, share in enumerate(self.plan.shares[box.node]):
            if share > 0:
                self.ax.add_patch(
                    Rectangle((x, top - _BAR * em), share * width, _BAR * em, **self.fill(c))
                )
                x += share * width

    def fill(self, c: int) -> dict:
        """How the area of a class looks, in bars and in the legend."""
        hatch = HATCHES[c] if c < len(HATCHES) else HATCHES[2 + c % (len(HATCHES) - 2)]
        return {
            "facecolor": self.colors[c],
            "edgecolor": "0.15",
            "hatch": hatch,
            "linewidth": 0.5 * self.scale,
            "zorder": 3,
        }

    def legend(self) -> None:
        from matplotlib.patches import Patch

        handles = [Patch(label=name, **self.fill(c)) for c, name in enumerate(self.plan.names)]
        legend = self.ax.legend(
            handles=handles,
            loc="upper left",
            bbox_to_anchor=(self.plan.margin, -0.6 * self.plan.margin),
            bbox_transform=self.ax.transData,
            ncols=self.plan.columns,
            fontsize=self.points,
            frameon=False,
            borderpad=0.0,
            borderaxespad=0.0,
            handlelength=2.0,
            handleheight=1.0,
            columnspacing=1.5,
        )
        for text in legend.get_texts():
            text.set_parse_math(False)
