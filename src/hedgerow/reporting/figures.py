"""One look for all figures: readable in print, in grey and by colour-blind readers."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.files import written_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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


def save(figure: Figure, path: Path | str) -> None:
    """Write a figure as svg, png or pdf, by its suffix, without a date and in one step.

    Parameters
    ----------
    figure : Figure
    path : path ending in .svg, .png or .pdf
    """
    path = Path(path)
    metadata = {".svg": {"Date": None}, ".pdf": {"CreationDate": None}}.get(path.suffix, {})
    with written_whole(path) as beside, style():
        figure.savefig(beside, format=path.suffix[1:], metadata=metadata)
