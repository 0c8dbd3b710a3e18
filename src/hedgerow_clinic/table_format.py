"""A table as page, CSV and document show it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.showing.numbers import between, interval, minus, number, p_text

if TYPE_CHECKING:
    import pandas as pd

#: Title, unit or digits of the columns of tables; p: written as one; t: a time; s: a share.
COLUMNS = {
    "group": ("Group", ""),
    "variable": ("Variable", ""),
    "value": ("Value", ""),
    "rule": ("Patients with", ""),
    "n": ("n", ""),
    "events": ("Events", ""),
    "q25": ("Quarter had it by", "t"),
    "median": ("Half by", "t"),
    "q75": ("Three quarters by", "t"),
    "apparent": ("These patients", "s"),
    "risk": ("Next patient", "s"),
    "rmst": ("Mean time without it", "t"),
    "time_lost": ("Mean time lost", "t"),
    "incidence": ("Incidence in the end", "s"),
    "logrank_p": ("p, against all", "p"),
    "logrank_p_rest": ("p, against the rest", "p"),
    "gray_p": ("p, Gray", "p"),
    "logrank_p_permutation": ("p, permuted", "p"),
    "hazard_ratio": ("Hazard ratio", "r"),
    "cox_p": ("p, Cox", "p"),
    "ph_p": ("p, proportional", "p"),
    "hazard_ratio_adjusted": ("Adjusted ratio", "r"),
    "cox_p_adjusted": ("p, adjusted", "p"),
    "ph_p_adjusted": ("p, proportional, adjusted", "p"),
    "median_expected": ("Half by, population", "t"),
    "last_survival_expected": ("Without it, population", "s"),
    "hazard_ratio_weighted": ("Weighted ratio", "r"),
    "cox_p_weighted": ("p, weighted", "p"),
    "largest_difference": ("Largest difference", "r"),
    "largest_difference_weighted": ("Weighted", "r"),
    "treated_p": ("p, log-rank", "p"),
    "n_treated": ("n treated", ""),
    "n_untreated": ("n untreated", ""),
    "n_left_out": ("Gone before", ""),
    "events_treated": ("Events, treated", ""),
    "events_untreated": ("Events, untreated", ""),
    "median_treated": ("Half by, treated", "t"),
    "median_untreated": ("Half by, untreated", "t"),
    "concordance": ("Concordance", "b"),
    "auc": ("Area", "b"),
    "brier": ("Brier", "b"),
    "scaled_brier": ("Error taken off", "b"),
    "observed_expected": ("Observed by expected", "r"),
    "predicted": ("Share of the tree", "s"),
    "estimated": ("Training part", "s"),
    "observed": ("Test part", "s"),
    "threshold": ("Threshold", "s"),
    "first": ("First hospital", ""),
    "here": ("Here", ""),
    "difference": ("Standardised difference", "b"),
    "expected": ("First hospital's risk", "s"),
    "seen": ("Observed here", "s"),
    "shifted": ("Shifted", "s"),
    "fitted": ("Shifted and stretched", "s"),
    "measure": ("Measure", ""),
    "estimate": ("Estimate", "b"),
    "meaning": ("How to read it", ""),
    "hospital": ("Hospital", ""),
    "file": ("Table", ""),
    "tree": ("By the tree", "b"),
    "all": ("Treat all", "b"),
    "none": ("Treat none", "b"),
    "column": ("Column", ""),
    "use": ("Use", ""),
    "kind": ("Kind", ""),
    "unit": ("Unit", ""),
    "missing": ("Missing", ""),
    "item": ("Item", ""),
    "about": ("About", ""),
    "answer": ("What the run says", ""),
    "count": ("Patients", ""),
}
ENDS = ("low", "high")
INTERVALS = (
    *("hazard_ratio", "hazard_ratio_adjusted", "hazard_ratio_weighted", "risk"),
    *("observed", "incidence", "rmst", "time_lost", "concordance", "auc", "brier", "scaled_brier"),
    *("observed_expected", "expected", "seen", "estimate"),
)
HOLM = "_holm"


@dataclass(frozen=True)
class Table:
    """A table as it is shown.

    Attributes
    ----------
    id, title, caption : str
    frame : DataFrame
        Numbers, texts, and words in the place of counts that are not shown.
    association : bool
        Whether treated patients are compared with untreated ones.
    """

    id: str
    title: str
    caption: str
    frame: pd.DataFrame
    association: bool = False

    @property
    def columns(self) -> list[str]:
        """Columns that are shown; others stand in their cells."""
        return [name for name in self.frame if not _with_interval(name, self.frame)]

    def cells(self) -> tuple[list[str], list[list[str]]]:
        """Heads of columns and texts of cells, intervals beside what they are of."""
        shown = self.columns
        rows = []
        for record in self.frame.to_dict("records"):
            cells = []
            for name in shown:
                text = format_value(record[name], COLUMNS.get(name, (name, ""))[1])
                low, high = (record.get(f"{name}_{end}") for end in ENDS)
                if isinstance(low, float) and isinstance(high, float) and not math.isnan(low):
                    kind = COLUMNS[name][1]
                    text += f", {between(low, high, kind, format_value)}"
                holm = record.get(f"{name}{HOLM}")
                if isinstance(holm, float) and not math.isnan(holm):
                    text += f" ({format_value(holm, 'p')})"
                cells.append(text)
            rows.append(cells)
        heads = [
            COLUMNS.get(name, (name, ""))[0] + ", 95 % CI" * (f"{name}_low" in self.frame)
            for name in shown
        ]
        corrected = [f"{name}{HOLM}" in self.frame for name in shown]
        return [h + " (Holm)" * c for h, c in zip(heads, corrected, strict=True)], rows


def _with_interval(name: str, frame) -> bool:
    """Whether a column stands in the cells of another one: bounds, and p corrected by Holm."""
    bounds = any(name == f"{of}_{end}" for of in INTERVALS for end in ENDS)
    return bounds or (name.endswith(HOLM) and name.removesuffix(HOLM) in frame)


def format_value(value: Any, kind: str = "") -> str:
    """A value as people read it: `p` a p value, `t` a time, `s` a share, `r` a ratio."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "–"
    if isinstance(value, (str, bool)):
        return str(value)
    if isinstance(value, (int, np.integer)):
        return number(value)
    value = float(value)
    if math.isinf(value):
        return "not reached"
    if kind == "p":
        return p_text(value)
    if kind == "s":
        return f"{100 * value:.0f} %" if value in (0.0, 1.0) else f"{100 * value:.1f} %"
    if kind == "b":
        return number(value, 3)
    return f"{value:.3g}" if abs(value) < 1000 else number(value)


def estimated(value: float, low: float, high: float, kind: str = "b") -> str:
    """A value as a sentence says it, with its interval where there is one."""
    text = format_value(value, kind)
    if isinstance(low, float) and low == low:
        text += f" ({interval(low, high, kind, format_value)})"
    return minus(text)
