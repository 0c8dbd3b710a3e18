"""Risks of groups by the horizon, what was predicted and what was seen, and the net benefit."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.errors import InputError
from hedgerow.survival import BootstrapValidation, RiskGroups, censoring_weights, leaf_numbers
from hedgerow.survival.estimates import log_log, risk_at
from hedgerow.survival.follow_up import MIN_FOLLOWED
from hedgerow.survival.labels import entry_of
from hedgerow.survival.performance import MIN_WEIGHT_SHARE
from hedgerow_clinic.disclosure import MIN_CELL_COUNT

if TYPE_CHECKING:
    import pandas as pd

#: Of all intervals.
CONFIDENCE = 0.95
#: Of the decision curve.
THRESHOLDS = tuple(k / 100 for k in range(1, 100))


def too_few(least: float) -> str:
    """A share that is less than is needed, in words.

    >>> too_few(0.2), too_few(0.0)
    ('less than 20 %', 'nobody')
    """
    return f"less than {100 * least:g} %" if least else "nobody"


def rounded_down(value: float) -> float:
    """A time to two digits, not above it.

    >>> rounded_down(11.97), rounded_down(0.0)
    (11.0, 0.0)
    """
    if not 0.0 < value < math.inf:
        return value
    unit = 10.0 ** (math.floor(math.log10(value)) - 1)
    return float(f"{math.floor(value / unit * (1.0 + 1e-12)) * unit:.12g}")


def reported_risks(
    groups: RiskGroups,
    validation: BootstrapValidation | None,
    time: np.ndarray,
    event: np.ndarray,
    horizon: float,
    entry: np.ndarray | None = None,
    least: float = MIN_FOLLOWED,
) -> dict[int, tuple[float, float, float]]:
    """Risk by the horizon of each leaf, and its interval."""
    # All risks that are shown come from here. Gives node -> that of the next patient, corrected for
    # the group's having been chosen; without bootstraps Kaplan-Meier, or Aalen-Johansen, in the
    # training part. NaN where less than `least` could be followed to the horizon.
    risks = {}
    for node in leaf_numbers(groups.tree_):
        risks[node] = (math.nan,) * 3
        if validation is not None and node in validation.risks.index:
            row = validation.risks.loc[node, ["risk", "risk_low", "risk_high"]]
            risks[node] = tuple(float(value) for value in row)
            if math.isnan(validation.risks.loc[node, "apparent"]):
                continue
        if not any(map(math.isnan, risks[node])):
            continue
        in_group = groups.training & (groups.leaf == node)
        data = (time[in_group], event[in_group], horizon)
        risks[node] = risk_by(*data, entry=entry_of(entry, in_group), min_followed=least)
    return risks


def is_included(time: np.ndarray, event: np.ndarray, entry: np.ndarray | None = None) -> np.ndarray:
    """Who has a follow-up or an event, (n,) bool."""
    # Who is treated at inclusion has neither in the course without treatment. So few that their
    # number may not be shown are counted all the same: it would follow from other tables. With
    # entries: who is followed after entering.
    if entry is not None:
        return time > entry
    included = (time > 0.0) | (event != 0)
    return np.ones(len(time), dtype=bool) if (~included).sum() < MIN_CELL_COUNT else included


def predicted(groups: RiskGroups) -> np.ndarray:
    """Risk by the horizon that the tree gives each patient: the share of its leaf, (n,) float."""
    classes = groups.estimator.classes_.tolist()
    return groups.tree_.probabilities()[groups.leaf, classes.index(1)]


def estimated(groups: RiskGroups, calibration: pd.DataFrame) -> np.ndarray:
    """Risk by the horizon of each patient as the training part tells it, (n,) float."""
    # By Kaplan-Meier or Aalen-Johansen in the leaf, so that those whose follow-up ends early count
    # as long as they were followed; NaN where few could be followed so long. The share of the tree
    # is no risk there: those of whom it knows are those with the event.
    return calibration["estimated"].reindex(groups.leaf).to_numpy(dtype=float)


def risk_by(
    time: np.ndarray,
    event: np.ndarray,
    horizon: float,
    confidence: float = CONFIDENCE,
    entry: np.ndarray | None = None,
    min_followed: float = MIN_FOLLOWED,
) -> tuple[float, float, float]:
    """Share with the event by a horizon, and its interval, those censored before it counted."""
    # event: 0, 1, or 2 for another cause. share, low, high: by Kaplan-Meier, or where causes
    # compete by Aalen-Johansen; NaN where `risk_at` has none, low and high where the estimate has
    # no variance.
    share, error = risk_at(time, event, horizon, entry=entry, min_followed=min_followed)
    if math.isnan(error):
        return share, math.nan, math.nan
    line = (1.0 - share) * abs(math.log1p(-share))  # of log(-log(1 - share)) by the share
    if ((event > 1) & (time <= horizon)).any():
        return share, *log_log(share, error * line, confidence)
    low, high = log_log(1.0 - share, error * line, confidence)
    return share, 1.0 - high, 1.0 - low


def masses(
    time: np.ndarray, event: np.ndarray, entry: np.ndarray | None, horizon: float
) -> np.ndarray:
    """Share of all for which each patient stands at the horizon, (n,) float."""
    # Equal ones without entries. Who enters late has lived to do so, so that the patients at hand
    # are no sample of all: there they are those of `censoring_weights`, NaN where it has none.
    n = len(time)
    if entry is None:
        return np.full(n, 1.0 / max(n, 1))
    try:
        weights = censoring_weights(time, event, horizon, competing="survived", entry=entry)
    except InputError:  # nobody has the event, or all at risk do before others enter
        return np.full(n, math.nan)
    # Nobody is followed to the horizon: what is there is of those who had the event alone.
    whole = n > 0 and weights.sum() >= MIN_WEIGHT_SHARE * n
    return weights / weights.sum() if whole else np.full(n, math.nan)


def calibration(
    groups: RiskGroups,
    time: np.ndarray,
    event: np.ndarray,
    horizon: float,
    entry: np.ndarray | None = None,
    least: float = MIN_FOLLOWED,
) -> pd.DataFrame:
    """What was predicted for each leaf, and what was seen in the test part."""
    # Gives by `leaf`: predicted (share of the tree, of those whose class is known), estimated
    # (Kaplan-Meier or Aalen-Johansen in the training part), observed with `_low` and `_high` (the
    # same in the test part), n and events in the test part by the horizon; row -1: all.
    import pandas as pd

    risk, test = predicted(groups), ~groups.training & is_included(time, event, entry)
    rows: list[dict[str, Any]] = []
    everybody = risk[test].mean() if test.any() else math.nan
    if entry is not None:
        everybody = risk[test] @ masses(time[test], event[test], entry[test], horizon)
    for node in [-1, *leaf_numbers(groups.tree_)]:
        inside = np.ones(len(time), dtype=bool) if node == -1 else groups.leaf == node
        in_test = inside & test
        learnt = inside & groups.training
        (estimated, _, _), (observed, low, high) = (
            risk_by(
                time[rows],
                event[rows],
                horizon,
                entry=entry_of(entry, rows),
                min_followed=least,
            )
            for rows in (learnt, in_test)
        )
        # The share of the tree is of those with the event where no others are known.
        share = everybody if node == -1 else risk[in_test].mean() if in_test.any() else math.nan
        rows.append(
            {
                "leaf": node,
                "predicted": math.nan if math.isnan(estimated) else float(share),
                "estimated": estimated,
                "observed": observed,
                "observed_low": low,
                "observed_high": high,
                "n": int(in_test.sum()),
                "events": int(((event == 1) & (time <= horizon) & in_test).sum()),
            }
        )
    if any(math.isnan(row["estimated"]) for row in rows):
        rows[0]["predicted"] = math.nan  # of everybody, where some have no risk
    return pd.DataFrame(rows).set_index("leaf")


def decision_curve(
    risk: np.ndarray,
    time: np.ndarray,
    event: np.ndarray,
    horizon: float,
    entry: np.ndarray | None = None,
    least: float = MIN_FOLLOWED,
) -> pd.DataFrame:
    """Net benefit of treating those whose risk reaches a threshold (Vickers and Elkin 2006)."""
    # Of the share who are treated, those with the event by the horizon are a benefit, and the
    # others a harm worth threshold / (1 - threshold) of it. With censored follow-up the share of
    # events among those treated is that of Kaplan-Meier, or of Aalen-Johansen where causes compete
    # (Vickers and others 2008). entry: the share who are treated is that of `masses` then. Gives
    # threshold, n_treated, tree, all, none (net benefit per patient; NaN where nobody among those
    # treated is followed to the horizon).
    import pandas as pd

    n = len(risk)
    everybody = risk_by(time, event, horizon, entry=entry, min_followed=least)[0]
    mass = None if entry is None else masses(time, event, entry, horizon)
    shares: dict[int, float] = {}
    rows = []
    for threshold in THRESHOLDS:
        treated = risk >= threshold
        odds = threshold / (1.0 - threshold)
        count = int(treated.sum())
        if count not in shares:
            outcome = (time[treated], event[treated], horizon)
            since = entry_of(entry, treated)
            shares[count] = risk_by(*outcome, entry=since, min_followed=least)[0] if count else 0.0
        share = shares[count]
        part = count / n if mass is None else float(mass[treated].sum())
        rows.append(
            {
                "threshold": threshold,
                "n_treated": count,
                "tree": part * (share - (1.0 - share) * odds) if count else 0.0,
                "all": everybody - (1.0 - everybody) * odds,
                "none": 0.0,
            }
        )
    return pd.DataFrame(rows)
