"""One look for all figures: readable in print, in grey and by colour-blind readers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.files import atomic_file

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.axis import Axis
    from matplotlib.figure import Figure
    from matplotlib.text import Text

#: Text width of an A4 page in inches: figures are drawn at the size at which they are printed.
WIDTH = 6.9

_STYLE = {
    "font.family": "DejaVu Sans",  # ships with matplotlib: the same glyphs on every machine
    "font.size": 8.5,
    "axes.labelsize": 8.5,
    "axes.titlesize": 9,
    "axes.titlelocation": "left",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.linewidth": 0.7,
    "grid.color": "#d9d9d9",
    "grid.linewidth": 0.6,
    "hatch.linewidth": 0.6,
    "legend.frameon": False,
    "lines.linewidth": 1.5,
    "lines.markersize": 5,
    "savefig.dpi": 200,
    # Identifiers in the SVG follow from its content, not from a random number.
    "svg.hashsalt": "hedgerow",
    "svg.fonttype": "path",
}


@dataclass(frozen=True)
class Look:
    """How one method is drawn everywhere: colour, marker, line and hatch each tell it apart."""

    label: str
    colour: str
    marker: str
    line: str | tuple
    hatch: str

    def mark(self, size: float) -> dict:
        """Arguments of a plot that draw its marker, filled and edged, of a size in points."""
        return {
            "marker": self.marker,
            "markersize": size,
            "markerfacecolor": self.colour,
            "markeredgecolor": "black",
            "markeredgewidth": 0.6,
        }


#: Colours of Okabe and Ito (2008).
LOOKS = {
    "c45": Look("C4.5", "#999999", "o", "-", ""),
    "ss": Look("SS", "#E69F00", "s", "--", "////"),
    "stp": Look("STP", "#0072B2", "^", "-.", "xxxx"),
    "se": Look("SE", "#CC79A7", "D", ":", "...."),
    "plt": Look("PLT", "#009E73", "v", (0, (5, 1)), "\\\\\\\\"),
    "udt": Look("UDT", "#D55E00", "P", (0, (3, 1, 1, 1, 1, 1)), "++++"),
    "ss_stp": Look("SS+STP", "#56B4E9", "X", (0, (7, 2)), "----"),
    "ss_se": Look("SS+SE", "#F0E442", "<", (0, (1, 2)), "oo"),
    "stp_se": Look("STP+SE", "#332288", ">", (0, (5, 1, 1, 1)), "OO"),
    "ss_stp_se": Look("SS+STP+SE", "#000000", "p", (0, (2, 1)), "||||"),
    "c45_induction": Look("C4.5, induction set", "#56B4E9", "X", (0, (7, 2)), "----"),
    "ete": Look("ETE", "#E69F00", "s", "--", "////"),
    "uct_vs": Look("UCT-DT, VS", "#0072B2", "^", "-.", "xxxx"),
    "uct_c45": Look("UCT-DT, C4.5", "#009E73", "v", (0, (5, 1)), "\\\\\\\\"),
    "uct_c45b": Look("UCT-DT, C4.5b", "#D55E00", "P", (0, (3, 1, 1, 1, 1, 1)), "++++"),
}


@contextlib.contextmanager
def style() -> Iterator[None]:
    """Matplotlib settings of the project, for the time of drawing or saving."""
    import matplotlib

    with matplotlib.rc_context(_STYLE):
        yield


@contextlib.contextmanager
def drawing(height: float, width: float = WIDTH) -> Iterator[Figure]:
    """A figure of this size, in inches, that is drawn in the style of the project."""
    from matplotlib.figure import Figure

    with style():
        yield Figure(figsize=(width, height), layout="constrained")


def spread_by_rank(values: np.ndarray, width: float) -> np.ndarray:
    """How far points of equal place are moved apart, (n,): by rank, not at random, so that the same
    data give the same file."""
    import numpy as np

    return (np.argsort(np.argsort(values, kind="stable")) % 3 - 1) * width


def nothing_drawn(words: str) -> Figure:
    """What stands in place of a figure that has nothing to show: why, on one line."""
    from matplotlib.figure import Figure

    with style():
        figure = Figure(figsize=(WIDTH, 0.5))
        figure.text(0.012, 0.5, words, fontsize=8.5)
    return figure


def save(figure: Figure, path: Path | str) -> None:
    """Write a figure as svg, png or pdf, by its suffix, without a date and in one step."""
    path = Path(path)
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix, {})
    with atomic_file(path) as temporary, style():
        figure.savefig(temporary, format=path.suffix[1:], metadata=metadata)


#: Columns of the data of a figure.
FIGURE_DATA_COLUMNS = ("panel", "kind", "series", "x", "y", "x_tick", "y_tick")


def figure_data(figure: Figure) -> pd.DataFrame:
    """What a figure shows, as numbers: for readers who want its data rather than its picture.

    Returns: one row per point of a line, end of a bar, cell of an image or text inside a panel:
        panel (title of its axes, else their number), kind, series (label in the legend, or the
        text), x and y as drawn, and the labels of the ticks there, for axes of names. The parts of
        axes and legends are left out.
    """
    import pandas as pd

    rows = []
    for place, axes in enumerate(figure.axes, 1):
        titles = (axes.get_title(loc=where) for where in ("left", "center", "right"))
        panel = next((" ".join(t.split()) for t in titles if t), str(place))
        ticks = [_tick_labels(axis) for axis in (axes.xaxis, axes.yaxis)]
        for kind, series, x, y in _marks(axes):
            ends = [f"{float(v):.10g}" for v in (x, y)]
            names = [labels.get(end, "") for labels, end in zip(ticks, ends, strict=True)]
            rows.append((panel, kind, series, *ends, *names))
    return pd.DataFrame(rows, columns=list(FIGURE_DATA_COLUMNS))


def _tick_labels(axis: Axis) -> dict[str, str]:
    """Labels of the ticks of an axis that are no numbers, by place."""
    from matplotlib.category import StrCategoryFormatter
    from matplotlib.ticker import FixedFormatter, FuncFormatter, StrMethodFormatter

    named = (FixedFormatter, FuncFormatter, StrMethodFormatter, StrCategoryFormatter)
    if not isinstance(axis.get_major_formatter(), named):
        return {}
    places = axis.get_majorticklocs()
    texts = axis.get_major_formatter().format_ticks(places)
    pairs = zip(places, texts, strict=True)
    return {f"{float(p):.10g}": " ".join(str(t).split()) for p, t in pairs}


def _marks(axes: Axes) -> Iterator[tuple[str, str, float, float]]:
    """Kind, series, x and y of all that is drawn with data in a panel."""
    import numpy as np
    from matplotlib.collections import LineCollection, PathCollection
    from matplotlib.patches import Rectangle

    def name(artist) -> str:
        label = str(artist.get_label())
        return "" if label.startswith("_") else label

    for line in axes.get_lines():
        for x, y in zip(line.get_xdata(orig=False), line.get_ydata(orig=False), strict=True):
            yield "line", name(line), x, y
    for group in axes.collections:
        if isinstance(group, PathCollection):
            for x, y in np.ma.filled(group.get_offsets(), np.nan):
                yield "point", name(group), x, y
        elif isinstance(group, LineCollection):
            for segment in group.get_segments():
                for x, y in segment:
                    yield "segment", name(group), x, y
        else:
            for path in group.get_paths():
                for x, y in path.vertices:
                    yield "area", name(group), x, y
    containers = {id(bar): c for c in axes.containers for bar in getattr(c, "patches", ())}
    for patch in axes.patches:
        if isinstance(patch, Rectangle):
            owner = containers.get(id(patch), patch)
            (x, y), width, height = patch.get_xy(), patch.get_width(), patch.get_height()
            yield "bar", name(owner), x + width / 2, y + height
    for image in axes.images:
        cells = np.ma.filled(np.ma.asarray(image.get_array(), dtype=float), np.nan)
        if cells.ndim == 2:
            for row, column in np.ndindex(cells.shape):
                yield "cell", f"{cells[row, column]:.10g}", column, row
    for text in axes.texts:
        if text.get_text().strip():
            yield "text", " ".join(text.get_text().split()), *_data_place(text)


def _data_place(text: Text) -> tuple[float, float]:
    """Where a text stands, in the units of its axes; none where it hangs on the panel itself."""
    if text.get_transform() != text.axes.transData:
        return float("nan"), float("nan")
    x, y = text.get_unitless_position()
    return float(x), float(y)
