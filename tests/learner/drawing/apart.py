"""What a drawing of a tree says, and that nothing of it lies over anything else."""

import itertools

from matplotlib.patches import FancyBboxPatch, PathPatch, Polygon, Rectangle
from matplotlib.transforms import Bbox


def said(ax):
    return [text.get_text() for text in ax.texts]


def frames(ax):
    return [patch for patch in ax.patches if isinstance(patch, FancyBboxPatch)]


def overlap(a, b, slack=1.0):
    return min(a.x1, b.x1) - max(a.x0, b.x0) > slack and min(a.y1, b.y1) - max(a.y0, b.y0) > slack


def assert_apart(ax):
    """Boxes and words lie apart, what is in a box lies in it, branches cross no other box."""
    ax.figure.canvas.draw()
    renderer = ax.figure.canvas.get_renderer()
    boxes = [box.get_window_extent(renderer) for box in frames(ax)]
    words = [(text.get_text(), text.get_window_extent(renderer)) for text in ax.texts]
    for a, b in itertools.combinations(boxes, 2):
        assert not overlap(a, b)
    for (name, a), (other, b) in itertools.combinations(words, 2):
        assert not overlap(a, b), (name, other)
    inside = [*words]
    for patch in ax.patches:
        if isinstance(patch, PathPatch | Polygon | Rectangle):
            inside.append((str(patch), patch.get_window_extent(renderer)))
    for name, extent in inside:
        for box in boxes:
            if overlap(extent, box):
                assert extent.x0 >= box.x0 - 1 and extent.x1 <= box.x1 + 1, name
                assert extent.y0 >= box.y0 - 1 and extent.y1 <= box.y1 + 1, name
    for patch in ax.patches:
        if isinstance(patch, PathPatch | Polygon):
            extent = patch.get_window_extent(renderer)
            for name, word in words:
                assert not overlap(extent, word), name
    for line in branches(ax):
        path = line.get_transform().transform(line.get_xydata())
        for (x0, y0), (x1, y1) in itertools.pairwise(path):
            # Four pixels wide; it may touch the boxes that it joins.
            piece = Bbox.from_extents(
                min(x0, x1) - 2, min(y0, y1) - 2, max(x0, x1) + 2, max(y0, y1) + 2
            )
            for box in boxes:
                assert not overlap(piece, box, 3.0)
            for name, word in words:
                assert not overlap(piece, word, 3.0), name
    for text in [*ax.texts, *ax.get_legend().get_texts()]:
        extent = text.get_window_extent(renderer)
        assert extent.x0 >= -1 and extent.x1 <= ax.figure.bbox.width + 1, text.get_text()
        assert extent.y0 >= -1 and extent.y1 <= ax.figure.bbox.height + 1, text.get_text()


def branches(ax):
    return [line for line in ax.lines if len(line.get_xdata()) == 4]
