"""Treated against untreated patients inside each leaf (thesis 6.2.3, table 6.4)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.checks import LARGEST, check_choice, check_number
from hedgerow.errors import InputError
from hedgerow.optional import needed
from hedgerow.survival.cox import cox
from hedgerow.survival.estimates import PURPOSE, QUARTILES, curve, holm, leaves_of
from hedgerow.survival.labels import checked_follow_up
from hedgerow.survival.logrank import logrank

if TYPE_CHECKING:
    import pandas as pd

#: Columns of p values, before suffixes.
TESTS = ("logrank_p", "cox_p")
GROUPS = {"treated": True, "untreated": False}


def compare_groups(
    tree: Any,
    X,
    time,
    event,
    intervention,
    *,
    landmark: float,
    counted_from: str = "landmark",
    later: str = "ignored",
    cause: int = 1,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Survival of those treated early against the others, in each leaf (thesis table 6.4).

    A patient who is treated after some months has lived these months: counted from inclusion, as
    published, the treated cannot die before they are treated, and look better for it (immortal time
    bias). Counted from a landmark, only those enter who are still followed and without the event
    then, and what they had until then decides their group. What remains is an association, not an
    effect: patients were not treated at random.

    Parameters
    ----------
    tree, X, time, event, cause, confidence
        As in `leaf_survival`.
    intervention : (n,) array
        Time of the treatment, in the unit of `time`; NaN or infinite where there was none.
    landmark : float
        In the same unit: treated by then counts as treated (six months in the thesis).
    counted_from : {'landmark', 'inclusion'}, default 'landmark'
        Where time begins: 'inclusion' is the thesis' way.
    later : {'ignored', 'censored'}, default 'ignored'
        What a treatment after the landmark means for the untreated: nothing, as if groups were to
        be treated; or the end of follow-up.
    confidence : float, default .95

    Returns
    -------
    DataFrame
        One row per leaf in which there are patients, by its node (index `leaf`), times counted as
        `counted_from` says:

        - `n`, `n_left_out` (gone before the landmark), `n_treated`, `n_untreated`,
          `events_treated`, `events_untreated`;
        - `q25`, `median`, `q75` of each group, with the suffixes `_treated` and `_untreated`;
        - `delta_q25`, `delta_median`, `delta_q75`: treated less untreated; NaN where neither curve
          falls so far;
        - `delta_last`, with `_half_width`: difference of the curves at their last points, and the
          half widths of their intervals added in squares, as published;
        - `logrank_p`: treated against untreated;
        - `hazard_ratio` with `_low`, `_high`, `cox_p`, `ph_p`, `cox_note`: of the treated;
        - the same with the suffixes `_leaf_treated` and `_leaf_untreated`: of the leaf against all
          other patients of one group;
        - each p with the suffix `_holm`, corrected over the leaves.

        `attrs` hold `landmark`, `counted_from` and `n_left_out`.

    Raises
    ------
    InputError
        As `leaf_survival`; a treatment before inclusion, or after the end of follow-up; nobody is
        treated or untreated.
    LibraryError
        lifelines is not installed (extra `survival`).
    """
    pd = needed("pandas", PURPOSE)
    needed("lifelines", PURPOSE)
    check_number("landmark", landmark, 0.0, LARGEST)
    check_number("confidence", confidence, 0.5, 0.9999)
    check_choice("counted_from", counted_from, ("landmark", "inclusion"))
    check_choice("later", later, ("ignored", "censored"))
    time, event = checked_follow_up(time, event, cause)
    leaf = leaves_of(tree, X, len(time))
    when = _treatment(intervention, time)
    treated, died = when <= landmark, event == cause
    if later == "censored":
        ends = ~treated & (when < time)
        time, died = np.where(ends, when, time), died & ~ends
    kept = np.ones(len(time), dtype=bool)
    if counted_from == "landmark":
        kept = time > landmark
        time = time - landmark
    if len(found := np.unique(treated[kept])) < 2:
        only = "treated" if found.all() else "untreated"
        raise InputError(
            f"all {int(kept.sum())} patients at the landmark {landmark:g} are {only}",
            remedy="give another landmark, or check the times of treatment",
        )
    rows = []
    for node in np.unique(leaf):
        inside = (leaf == node) & kept
        row: dict[str, Any] = {"leaf": int(node), "n": int(inside.sum())}
        row["n_left_out"] = int((leaf == node).sum()) - row["n"]
        curves = {}
        for group, is_treated in GROUPS.items():
            own = inside & (treated == is_treated)
            row[f"n_{group}"] = int(own.sum())
            row[f"events_{group}"] = int(died[own].sum())
            curves[group] = curve(time[own], died[own], confidence)
            row |= {f"{name}_{group}": curves[group][name] for name in QUARTILES}
        row |= _differences(curves["treated"], curves["untreated"])
        row["logrank_p"] = math.nan
        if row["n_treated"] and row["n_untreated"]:
            row["logrank_p"] = logrank(time[inside], died[inside], treated[inside]).p
        indicator = pd.DataFrame({"treated": treated[inside]})
        row |= cox(indicator, "treated", time[inside], died[inside], confidence)
        for group, is_treated in GROUPS.items():
            own = kept & (treated == is_treated)
            indicator = pd.DataFrame({"leaf": (leaf == node)[own]})
            made = cox(indicator, "leaf", time[own], died[own], confidence)
            row |= {f"{name}_leaf_{group}": value for name, value in made.items()}
        rows.append(row)
    table = pd.DataFrame(rows).set_index("leaf")
    for name in [name for name in table if name.split("_leaf_")[0] in TESTS]:
        table[f"{name}_holm"] = holm(table[name].to_numpy())
    table.attrs = {
        "landmark": float(landmark),
        "counted_from": counted_from,
        "n_left_out": int((~kept).sum()),
    }
    return table


def _treatment(intervention, time: np.ndarray) -> np.ndarray:
    """Times of treatment as floats, infinite where there was none."""
    when = np.asarray(intervention)
    if when.shape != time.shape or when.dtype.kind not in "iuf":
        raise InputError(
            f"intervention holds {when.dtype} in shape {when.shape}",
            remedy=f"give {len(time)} numbers, NaN where there was no treatment",
        )
    when = np.where(np.isnan(when), np.inf, when.astype(np.float64))
    known = np.isfinite(when)
    for wrong, what in (
        (when < 0.0, "before inclusion"),
        (known & (when > time), "after the end of follow-up"),
    ):
        if len(bad := np.flatnonzero(wrong)):
            raise InputError(
                f"intervention is {when[bad[0]]:g} in row {bad[0]}, {what} ({len(bad)} rows)",
                remedy="correct the times: both are counted from inclusion",
            )
    return when


def _differences(treated: dict[str, float], untreated: dict[str, float]) -> dict[str, float]:
    """Treated less untreated; infinite where one curve does not fall so far."""
    found = {}
    for name in QUARTILES:
        one, other = treated[name], untreated[name]
        found[f"delta_{name}"] = math.nan if math.isinf(one) and math.isinf(other) else one - other
    half = [
        (group["last_survival_high"] - group["last_survival_low"]) / 2.0
        for group in (treated, untreated)
    ]
    found["delta_last"] = treated["last_survival"] - untreated["last_survival"]
    found["delta_last_half_width"] = math.hypot(*half)
    return found
