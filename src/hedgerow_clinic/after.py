"""Inputs that tell how long a patient could be followed, or what came after inclusion."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from hedgerow.survival.followed import is_followed, share_followed
from hedgerow.survival.labels import entry_of
from hedgerow.survival.logrank import logrank
from hedgerow_clinic.names import YEARS, birth_like, name_words
from hedgerow_clinic.suspects import (
    DECIDES,
    EQUALS,
    FEWEST,
    GOES_WITH,
    MANY,
    SEPARATES,
    cramer_v,
    roc_area,
    surely,
)
from hedgerow_clinic.values import DAYS

#: Shares of the patients, in the order of a number, at which it is divided into low and high ones.
CUTS = tuple(k / 20 for k in range(1, 20))
#: Log-rank statistic of follow-up that ends without an event, from which on two sides of an input
#: differ in it beyond chance, whatever number of sides is looked at.
DIFFERS = 20.0
#: Difference of the shares that could be followed to the horizon, which is asked about alone, and
#: share of the patients on either side.
APART, OF_ALL = 0.5, 0.2
#: What a calendar year may be, and how many different ones there may be.
FIRST_YEAR, LAST_YEAR, MOST_YEARS = 1900, 2100, 80


def calendar_year(name: str, values: np.ndarray) -> bool:
    """Whether a column holds calendar years, by its name or its values; not those of birth.

    >>> calendar_year("dxyr", np.array([68.0, 81.0])), calendar_year("y", np.array([1e3, 2e3]))
    (True, False)
    """
    if birth_like(name):
        return False
    known = np.unique(values[~np.isnan(values)])
    if not 1 < len(known) <= MOST_YEARS or (known != np.round(known)).any():
        return False
    named = any(word in YEARS or word.endswith("yr") for word in name_words(name))
    return named or bool((known >= FIRST_YEAR).all() and (known <= LAST_YEAR).all())


def tells_follow_up(
    values: np.ndarray,
    levels: list[str] | None,
    time: np.ndarray,
    event: np.ndarray,
    horizon: float,
    least: float,
    entry: np.ndarray | None = None,
) -> str:
    """Why an input tells how long a patient could be followed."""
    # Empty where nothing speaks for it. Each level of a category, the low and the high ones of a
    # number, and those without a value are compared with the others: by the share that could be
    # followed to the horizon (reverse Kaplan-Meier), and by a log-rank test of the end of follow-up
    # without an event. values: NaN where missing; of a category its codes. levels: of a category.
    # horizon: in the unit of `time`. least: share that a risk needs.
    known = ~np.isnan(values)
    sides = {"without a value": ~known}
    if levels is not None:
        sides |= {f"with {level!r}": values == code for code, level in enumerate(levels)}
    elif known.any():
        cuts = np.unique(np.quantile(values[known], CUTS, method="higher"))
        with np.errstate(invalid="ignore"):
            sides |= {f"of at least {cut:g}": values >= cut for cut in cuts}
    found: list[tuple[float, str]] = []
    for words, own in sides.items():
        rest = ~own if words.startswith("without") else known & ~own
        if min(own.sum(), rest.sum()) < 2 * FEWEST:
            continue
        shares = [
            share_followed(time[who], event[who], horizon, entry_of(entry, who))
            for who in (own, rest)
        ]
        few = [not is_followed(share, least) for share in shares]
        large = min(own.sum(), rest.sum()) >= OF_ALL * len(time)
        if few[0] == few[1] and not (large and abs(shares[0] - shares[1]) >= APART):
            continue
        both = own | rest
        test = logrank(time[both], event[both] == 0, own[both], entry=entry_of(entry, both))
        if test.statistic >= DIFFERS:
            said = f"of those {words} {100 * shares[0]:.0f} % could be followed to the horizon, "
            found.append((test.statistic, f"{said}of the others {100 * shares[1]:.0f} %"))
    return max(found)[1] if found else ""


def marks(
    columns: Mapping[str, tuple[np.ndarray, np.ndarray]], time: np.ndarray
) -> list[tuple[str, np.ndarray]]:
    """Who has something in a column that was not known at inclusion."""
    # A column of times is often filled for all: with the end of follow-up where nothing happened.
    # columns: by name who has a value, and the values; NaN where they are no numbers. time:
    # Follow-up in days. Gives what it is in words.
    found, least = [], max(EQUALS * len(time), FEWEST)
    for name, (known, values) in columns.items():
        found.append((f"who has a value in `{name}`", known))
        same = [
            ("the follow-up", known, np.abs(values * days - time) <= 1e-6 * time)
            for days in DAYS.values()
        ]
        same += [
            (f"`{other}`", known & also, values == others)
            for other, (also, others) in columns.items()
            if other > name
        ]
        for what, both, equal in same:
            if equal.sum() >= least:
                found.append((f"in whom `{name}` is not {what}", both & ~equal))
    return [(said, own) for said, own in found if min(own.sum(), (~own).sum()) >= least]


def tells_after(
    values: np.ndarray,
    marked: list[tuple[str, np.ndarray]],
    columns: Mapping[str, tuple[np.ndarray, np.ndarray]],
) -> str:
    """Why an input may come from after inclusion, as other columns do; empty where it may not."""
    # values: NaN where missing; of a category its codes.
    from scipy.stats import spearmanr

    known = ~np.isnan(values)
    few = len(np.unique(values[known])) < MANY
    for said, own in marked:
        gaps = cramer_v(known.astype(float), own)
        if min(known.sum(), (~known).sum()) >= FEWEST and surely(gaps, len(own), DECIDES):
            return f"whether it is empty nearly tells {said} (association {gaps:.2f})"
        if few:
            strength = cramer_v(values[known], own[known])
            if surely(strength, int(known.sum()), DECIDES):
                return f"it nearly tells {said} (association {strength:.2f})"
        else:
            share = roc_area(values[known], own[known])
            if max(share, 1.0 - share) >= SEPARATES:
                return f"it nearly tells {said} (area under the curve {max(share, 1 - share):.2f})"
    for name, (_, others) in columns.items():
        both = known & ~np.isnan(others)
        if both.sum() < 2 * MANY or min(len(np.unique(v[both])) for v in (values, others)) < MANY:
            continue
        together = float(spearmanr(values[both], others[both]).statistic)
        if not math.isnan(together) and surely(together, int(both.sum()), GOES_WITH):
            return f"it goes with `{name}` (rank correlation {together:.2f})"
    return ""
