"""Inputs that tell how long a patient could be followed, or what came after inclusion."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np

from hedgerow.survival.follow_up import is_followed, share_followed
from hedgerow.survival.labels import entry_of
from hedgerow.survival.logrank import logrank
from hedgerow_clinic.column_names import YEARS, birth_like, name_words
from hedgerow_clinic.suspect_values import (
    DECIDES,
    EQUALS,
    FEWEST,
    GOES_WITH,
    MANY,
    SEPARATES,
    cramer_v,
    is_significant,
    roc_area,
)
from hedgerow_clinic.values import DAYS

#: Shares of the patients, in the order of a number, at which it is divided into low and high ones.
CUTS = tuple(k / 20 for k in range(1, 20))
#: Log-rank statistic of follow-up that ends without an event, from which on two sides of an input
#: differ in it beyond chance, whatever number of sides is looked at.
LOGRANK_LIMIT = 20.0
#: Difference of the shares that could be followed to the horizon, which is asked about alone, and
#: share of the patients on either side.
FOLLOWED_DIFFERENCE, SIDE_SHARE = 0.5, 0.2
#: What a calendar year may be, and how many different ones there may be.
FIRST_YEAR, LAST_YEAR, MOST_YEARS = 1900, 2100, 80


def calendar_year(name: str, values: np.ndarray) -> bool:
    """Whether a column holds calendar years, by its name or its values; not those of birth.

    >>> calendar_year("dxyr", np.array([68.0, 81.0])), calendar_year("y", np.array([1e3, 2e3]))
    (True, False)
    """
    if birth_like(name):
        return False
    distinct = np.unique(values[~np.isnan(values)])
    if not 1 < len(distinct) <= MOST_YEARS or (distinct != np.round(distinct)).any():
        return False
    named = any(word in YEARS or word.endswith("yr") for word in name_words(name))
    return named or bool((distinct >= FIRST_YEAR).all() and (distinct <= LAST_YEAR).all())


def predicts_follow_up(
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
    observed = ~np.isnan(values)
    sides = {"without a value": ~observed}
    if levels is not None:
        sides |= {f"with {level!r}": values == code for code, level in enumerate(levels)}
    elif observed.any():
        cuts = np.unique(np.quantile(values[observed], CUTS, method="higher"))
        with np.errstate(invalid="ignore"):
            sides |= {f"of at least {cut:g}": values >= cut for cut in cuts}
    reasons: list[tuple[float, str]] = []
    for words, inside in sides.items():
        rest = ~inside if words.startswith("without") else observed & ~inside
        if min(inside.sum(), rest.sum()) < 2 * FEWEST:
            continue
        shares = [
            share_followed(time[rows], event[rows], horizon, entry_of(entry, rows))
            for rows in (inside, rest)
        ]
        few = [not is_followed(share, least) for share in shares]
        large = min(inside.sum(), rest.sum()) >= SIDE_SHARE * len(time)
        if few[0] == few[1] and not (large and abs(shares[0] - shares[1]) >= FOLLOWED_DIFFERENCE):
            continue
        both = inside | rest
        test = logrank(time[both], event[both] == 0, inside[both], entry=entry_of(entry, both))
        if test.statistic >= LOGRANK_LIMIT:
            text = f"of those {words} {100 * shares[0]:.0f} % could be followed to the horizon, "
            reasons.append((test.statistic, f"{text}of the others {100 * shares[1]:.0f} %"))
    return max(reasons)[1] if reasons else ""


def later_events(
    columns: Mapping[str, tuple[np.ndarray, np.ndarray]], time: np.ndarray
) -> list[tuple[str, np.ndarray]]:
    """Who has something in a column that was not known at inclusion."""
    # A column of times is often filled for all: with the end of follow-up where nothing happened.
    # columns: by name who has a value, and the values; NaN where they are no numbers. time:
    # Follow-up in days. Gives what it is in words.
    marked, least = [], max(EQUALS * len(time), FEWEST)
    for name, (filled, values) in columns.items():
        marked.append((f"who has a value in `{name}`", filled))
        same = [
            ("the follow-up", filled, np.abs(values * days - time) <= 1e-6 * time)
            for days in DAYS.values()
        ]
        same += [
            (f"`{other}`", filled & also, values == others)
            for other, (also, others) in columns.items()
            if other > name
        ]
        for what, both, equal in same:
            if equal.sum() >= least:
                marked.append((f"in whom `{name}` is not {what}", both & ~equal))
    return [(text, mask) for text, mask in marked if min(mask.sum(), (~mask).sum()) >= least]


def predicts_later_event(
    values: np.ndarray,
    marked: list[tuple[str, np.ndarray]],
    columns: Mapping[str, tuple[np.ndarray, np.ndarray]],
) -> str:
    """Why an input may come from after inclusion, as other columns do; empty where it may not."""
    # values: NaN where missing; of a category its codes.
    from scipy.stats import spearmanr

    observed = ~np.isnan(values)
    few = len(np.unique(values[observed])) < MANY
    for text, mask in marked:
        cramer = cramer_v(observed.astype(float), mask)
        if min(observed.sum(), (~observed).sum()) >= FEWEST and is_significant(
            cramer, len(mask), DECIDES
        ):
            return f"whether it is empty nearly tells {text} (association {cramer:.2f})"
        if few:
            strength = cramer_v(values[observed], mask[observed])
            if is_significant(strength, int(observed.sum()), DECIDES):
                return f"it nearly tells {text} (association {strength:.2f})"
        else:
            share = roc_area(values[observed], mask[observed])
            if max(share, 1.0 - share) >= SEPARATES:
                return f"it nearly tells {text} (area under the curve {max(share, 1 - share):.2f})"
    for name, (_, others) in columns.items():
        both = observed & ~np.isnan(others)
        if both.sum() < 2 * MANY or min(len(np.unique(v[both])) for v in (values, others)) < MANY:
            continue
        together = float(spearmanr(values[both], others[both]).statistic)
        if not math.isnan(together) and is_significant(together, int(both.sum()), GOES_WITH):
            return f"it goes with `{name}` (rank correlation {together:.2f})"
    return ""
