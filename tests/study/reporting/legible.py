"""What can be measured of a figure as a page shows it: sizes of words, ticks, markers.

Pictures are not compared: what is asked for is that nothing is too small, cut or covered.
"""

import numpy as np
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.text import Text
from matplotlib.transforms import Bbox

#: Pixels of the column of a page, and the smallest letters that can be read there.
COLUMN, SMALLEST = 928, 8.0


def faults(figure):
    """Words that are too small, cut at the edge or, as ticks of an axis, on each other."""
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw_without_rendering()
    pixels = COLUMN / figure.bbox.width * figure.dpi / 72
    found = []
    for text in seen(figure):
        size = text.get_fontsize() * pixels
        if size < SMALLEST - 0.05:
            found.append(f"{size:.1f} px: {text.get_text()!r}")
        place = text.get_window_extent(renderer)
        if place.x0 < -1 or place.y0 < -1:
            found.append(f"cut: {text.get_text()!r}")
        if place.x1 > figure.bbox.width + 1 or place.y1 > figure.bbox.height + 1:
            found.append(f"cut: {text.get_text()!r}")
    for axes in figure.axes:
        for axis in (axes.xaxis, axes.yaxis):
            found += _collisions(axis, renderer)
    return found


def seen(figure):
    """Texts that are drawn."""
    axes = [a for a in figure.axes if a.axison]
    off = {id(t) for a in figure.axes if a not in axes for x in (a.xaxis, a.yaxis)
           for t in x.findobj(Text)}  # fmt: skip
    ticks = {id(t): t for a in axes for x in (a.xaxis, a.yaxis) for t in x.findobj(Text)}
    drawn = {id(t) for a in axes for x in (a.xaxis, a.yaxis) for t in _ticks(x)}
    drawn |= {id(a.xaxis.label) for a in axes} | {id(a.yaxis.label) for a in axes}
    for text in figure.findobj(Text):
        shown = id(text) not in off and (id(text) not in ticks or id(text) in drawn)
        if shown and text.get_visible() and text.get_text().strip():
            yield text


def _ticks(axis):
    """Labels of ticks inside the limits of an axis."""
    low, high = sorted(axis.get_view_interval())
    for tick in axis.get_major_ticks():
        if low - 1e-9 <= tick.get_loc() <= high + 1e-9:
            yield from (label for label in (tick.label1, tick.label2) if label.get_visible())


def _collisions(axis, renderer):
    labels = [t for t in _ticks(axis) if t.get_text().strip() and axis.axes.axison]
    if not axis.get_visible() or any(t.get_rotation() % 90 for t in labels):
        return []
    places = sorted(
        ((_inked(t, renderer), t.get_text()) for t in labels),
        key=lambda pair: (pair[0].x0, pair[0].y0),
    )
    found = []
    for i, (a, one) in enumerate(places):
        for b, other in places[:i]:
            width = min(a.x1, b.x1) - max(a.x0, b.x0)
            height = min(a.y1, b.y1) - max(a.y0, b.y0)
            if width > -1 and height > 0.5:
                found.append(f"ticks {other!r} and {one!r} touch")
    return found


def _inked(text, renderer):
    """Where a label has letters: an empty line above them keeps it off its neighbours."""
    place = text.get_window_extent(renderer)
    lines = text.get_text().split("\n")
    blank = next((i for i, line in enumerate(lines) if line.strip()), 0)
    y1 = place.y1 - place.height * blank / len(lines)
    return Bbox.from_extents(place.x0, place.y0, place.x1, y1)


def cut_markers(figure):
    """Markers of lines that the frame of their panel cuts."""
    FigureCanvasAgg(figure)
    figure.draw_without_rendering()
    found = []
    for axes in figure.axes:
        frame = axes.get_window_extent()
        for line in axes.get_lines():
            if line.get_marker() in ("", "None", None) or not line.get_clip_on():
                continue
            reach = (line.get_markersize() / 2 + line.get_markeredgewidth() / 2) * figure.dpi / 72
            reach *= 2**0.5 if line.get_marker() == "D" else 1.0
            tall = line.get_marker() == "|"
            for x, y in line.get_transform().transform(line.get_xydata()):
                wide = 0.0 if tall else reach
                if not np.isfinite([x, y]).all():
                    continue
                if x - wide < frame.x0 or x + wide > frame.x1:
                    found.append(f"{axes.get_xlabel()!r}: {line.get_label()} at {x:.0f}")
    return found
