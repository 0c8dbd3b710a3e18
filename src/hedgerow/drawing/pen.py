"""What a drawn tree looks like: frames, branches, bars, words, a legend."""

from __future__ import annotations

import numpy as np

from hedgerow.drawing.layout import (
    BAR,
    BETWEEN,
    HISTOGRAM,
    LINE,
    MARKS,
    PAD,
    SMALL,
    THIN_BAR,
    Box,
    Plan,
)

# Okabe and Ito (2008), distinct for colour-blind readers; dark and light alternate, and from
# the third class on a hatch helps where there is no colour at all.
COLORS = (
    "#0072B2", "#E69F00", "#009E73", "#F0E442", "#CC79A7", "#56B4E9", "#D55E00", "#BBBBBB",
)  # fmt: skip
HATCHES = ("", "", "////", "....", "\\\\\\\\", "----", "xxxx", "||||", "++++", "oooo")
BANDS = ("0.88", "0.76")  # of a gate, the wider first
PALE = "0.46"  # words beside a highlighted path: 4.5 times as dark as paper, as WCAG asks

_WIDEST = 3.4  # points that a branch is wider where a whole row takes it
_WORD_RIGHT = 3.4  # of a branch to the right, the level part that carries its word, in font sizes


def hatch_of(c: int) -> str:
    """Of a class, by its number: the first two have none, past the last they repeat."""
    return HATCHES[c] if c < len(HATCHES) else HATCHES[2 + c % (len(HATCHES) - 2)]


def paler(color, share: float = 0.7):
    """A colour mixed with white."""
    from matplotlib.colors import to_rgb

    return tuple(share + (1.0 - share) * part for part in to_rgb(color))


class Pen:
    """Draws a plan in axes whose unit is the inch, scaled where they are not as large."""

    def __init__(self, ax, tree, plan: Plan, colors, points, scale):
        self.ax, self.tree, self.plan = ax, tree, plan
        self.colors, self.points, self.scale = colors, points, scale

    def draw(self) -> None:
        for box in self.plan.boxes:
            if not box.leaf:
                self.branches(box)
        for box in self.plan.boxes:
            self.box(box)
        self.legend()
        for row, note in enumerate(self.plan.notes):
            y = -(self.plan.foot + row * 1.3 * self.plan.em)
            self.words(self.plan.margin, y, note, size=SMALL, ha="left", color="0.35")

    def words(self, x, y, text, size=1.0, **more) -> None:
        settings = {"ha": "center", "va": "top", "parse_math": False, "zorder": 4}
        settings.update(more)
        self.ax.text(x, y, text, fontsize=self.points * size, **settings)

    def branches(self, box: Box) -> None:
        em = self.plan.em
        for child, word in zip(box.children, ("yes", "no"), strict=True):
            below = self.plan.boxes[child]
            if self.plan.wish.right:
                start, end = box.x + box.width / 2, below.x - below.width / 2
                bend = end - _WORD_RIGHT * em
                across = -(box.top + box.height / 2), -(below.top + below.height / 2)
                xs, ys = [start, bend, bend, end], [across[0], across[0], across[1], across[1]]
                at = (bend + _WORD_RIGHT * em / 2, across[1] + 0.25 * em)
            else:
                bottom, top = -(box.top + box.height), -below.top
                bend = top + 0.45 * BETWEEN * em
                xs, ys = [box.x, box.x, below.x, below.x], [bottom, bend, bend, top]
                side = -1 if word == "yes" else 1
                reach = min(abs(below.x - box.x) / 2, 2.2 * em)
                at = (box.x + side * reach, bend + 0.2 * em)
            strong, way = self.plan.on_way(below.node), self.plan.wish.way
            look = {"color": "0.45", "linewidth": 0.9 * self.scale, "zorder": 1}
            text_style = {"color": "0.25"}
            if strong and way is not None:
                share = float(way.share[below.node])
                width = (0.9 + _WIDEST * share) * self.scale
                look = {"color": "0.1", "linewidth": width, "zorder": 1.5}
                text_style = {"color": "black", "fontweight": "bold"}
            elif strong is not None:
                look["color"], text_style["color"] = "0.75", PALE
            elif self.plan.wish.weights:
                share = float(self.plan.weight[below.node] / (self.plan.weight[0] or 1.0))
                look["linewidth"] = (0.5 + _WIDEST * share) * self.scale
            self.ax.plot(xs, ys, solid_joinstyle="round", **look)
            self.words(*at, word, SMALL, va="bottom", **text_style)

    def box(self, box: Box) -> None:
        from matplotlib.patches import FancyBboxPatch

        em = self.plan.em
        top = -box.top
        strong = self.plan.on_way(box.node)
        best = int(self.plan.shares[box.node].argmax())
        edge = self.colors[best] if box.leaf else "0.35"
        width = 1.6 if box.leaf else 0.8
        if strong:
            edge, width = "black", 2.2
        elif strong is not None:
            edge = paler(edge, 0.5)
        rounding = (0.45 if box.leaf else 0.15) * em
        self.ax.add_patch(
            FancyBboxPatch(
                (box.x - box.width / 2, top - box.height),
                box.width,
                box.height,
                boxstyle=f"round,pad=0,rounding_size={rounding}",
                facecolor="white" if box.leaf else "0.95",
                edgecolor=edge,
                linewidth=width * self.scale,
                linestyle="--" if box.hidden else "-",
                zorder=2,
            )
        )
        y = top - PAD * em
        has_side_bar = self.plan.wish.right and box.leaf
        x = box.x - (self.plan.side_bar_width / 2 if has_side_bar else 0.0)
        for row, line in enumerate(box.lines):
            title = box.leaf and row == 0
            bold = title or row == box.strong
            count = row == len(box.lines) - 1 - (box.strong is not None)
            color = "0.35" if not bold and (count or box.leaf) else "black"
            if strong is False:
                color = PALE
            self.words(x, y, line, fontweight="bold" if bold else "normal", color=color)
            y -= LINE * em
        if box.bars is not None:
            self.histogram(box, y - 0.3 * em)
        elif not box.leaf and self.plan.wish.shares:
            self.stack(box, box.x, y - 0.35 * em, box.width - 2 * PAD * em, THIN_BAR * em)
        elif has_side_bar:
            width = self.plan.side_bar_width - PAD * em
            middle = box.x + box.width / 2 - PAD * em - width / 2
            self.stack(box, middle, top - (box.height - BAR * em) / 2, width, BAR * em)
        elif box.leaf:
            self.bar(box, y - 0.35 * em)

    def bar(self, box: Box, top: float) -> None:
        """The class shares of a leaf, beneath its words."""
        em = self.plan.em
        self.stack(box, box.x, top, box.width - 2 * PAD * em, BAR * em)

    def stack(self, box: Box, middle: float, top: float, width: float, height: float) -> None:
        """A bar of the class shares of a node."""
        from matplotlib.patches import Rectangle

        pale = self.plan.on_way(box.node) is False
        x = middle - width / 2
        for c, share in enumerate(self.plan.shares[box.node]):
            if share > 0:
                self.ax.add_patch(
                    Rectangle((x, top - height), share * width, height, **self.fill(c, pale))
                )
                x += share * width

    def histogram(self, box: Box, top: float) -> None:
        """The rows that reach a test, by class; its threshold, its gate, and the row's value."""
        from matplotlib.patches import PathPatch, Rectangle
        from matplotlib.path import Path

        em, bars = self.plan.em, box.bars
        assert bars is not None
        pale = self.plan.on_way(box.node) is False
        width, height = box.width - 2 * PAD * em, HISTOGRAM * em
        x, y = box.x - width / 2, top - height
        strip = 0.3 * em  # of bands and of the line beneath the bars, which cannot hide them there
        for (low, high), grey in zip(bars.bands, BANDS, strict=False):
            place = (x + low * width, y - strip)
            look = {"facecolor": grey, "linewidth": 0.0, "zorder": 2.2}
            self.ax.add_patch(Rectangle(place, (high - low) * width, height + strip, **look))
        left, right = x + bars.left * width, x + bars.right * width
        foot = np.full(len(left), y)
        for c in range(self.tree.n_classes):
            head = foot + bars.height[:, c] * height
            drawn = head > foot
            if drawn.any():  # one path for all bars of a class: a large tree has thousands
                corners = [(left, foot), (left, head), (right, head), (right, foot)]
                parts = np.stack([np.stack(corner, axis=1)[drawn] for corner in corners], axis=1)
                outline = Path.make_compound_path(
                    *(Path(p[[0, 1, 2, 3, 0]], closed=True) for p in parts)
                )
                look = {**self.fill(c, pale), "linewidth": 0.25 * self.scale}
                self.ax.add_patch(PathPatch(outline, **look))
            foot = head
        ink = {"color": PALE if pale else "black", "solid_capstyle": "butt", "zorder": 3.5}
        self.ax.plot([x, x + width], [y, y], linewidth=0.6 * self.scale, **ink)
        at = x + bars.line * width
        look = {"linewidth": 1.2 * self.scale, "linestyle": (0, (2.5, 1.2)) if bars.by_bar else "-"}
        self.ax.plot([at, at], [y - strip, top], **look, **ink)
        if bars.mark is not None:
            self.mark(x + bars.mark * width, y)
        if not any(bars.labels):
            return
        y -= MARKS * em
        tone = {"size": SMALL, "color": PALE if pale else "0.35"}
        if bars.by_bar:
            for middle, word in zip((left + right) / 2, bars.labels, strict=True):
                self.words(middle, y, word, **tone)
        else:
            for end, side, word in zip((x, x + width), ("left", "right"), bars.labels, strict=True):
                self.words(end, y, word, ha=side, **tone)

    def mark(self, x: float, y: float) -> None:
        """A triangle beneath an axis that points at a value."""
        from matplotlib.patches import Polygon

        em = self.plan.em
        corners = [(x, y), (x - 0.36 * em, y - 0.66 * em), (x + 0.36 * em, y - 0.66 * em)]
        edge = {"edgecolor": "white", "linewidth": 0.5 * self.scale}
        self.ax.add_patch(Polygon(corners, facecolor="black", zorder=3.8, **edge))

    def fill(self, c: int, pale: bool = False) -> dict:
        """How the area of a class looks, in bars and in the legend."""
        return {
            "facecolor": paler(self.colors[c]) if pale else self.colors[c],
            "edgecolor": "0.7" if pale else "0.15",
            "hatch": hatch_of(c),
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
