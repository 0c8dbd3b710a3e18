"""What holds of risk groups for the next patient: a bootstrap of all steps.

A tree is grown to make its groups differ, so that their risks look further apart in its own
patients than they are in others. Each bootstrap repeats everything on patients drawn with
replacement: labels, division, growth, estimates. The patients whom a draw leaves out are new to
its tree, and tell by how much.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.stats import norm

from hedgerow.checks import LARGEST, check_number
from hedgerow.errors import InputError
from hedgerow.optional_imports import import_optional
from hedgerow.survival.analysis import RiskGroups, check_weighted, risk_groups
from hedgerow.survival.estimates import EDGE, PURPOSE, risk_at
from hedgerow.survival.follow_up import MIN_FOLLOWED
from hedgerow.survival.labels import checked_entry, checked_follow_up, entry_of
from hedgerow.survival.scores import concordance

if TYPE_CHECKING:
    import pandas as pd

    from hedgerow.tree import Tree

#: Of a bootstrap sample the share of different patients is 1 - 1/e (Efron 1983), of those it leaves
#: out 1/e.
INSIDE = 0.632
#: Share of the variance of concordances in patients left out that their mean has.
HALF = 0.5
#: Patients left out of a bootstrap in a group, and groups of all bootstraps, that tell anything.
FEWEST_PATIENTS, FEWEST_GROUPS = 5, 20


class BootstrapValidation(NamedTuple):
    """What holds of risk groups in new patients of the same source.

    Attributes
    ----------
    risks : DataFrame
        By `leaf`: n, apparent (share with the event by the horizon among all patients of the
        group), risk with `risk_low` and `risk_high` (corrected for the group's having been chosen;
        NaN where it cannot be).
    apparent : float
        Concordance of the tree in all its patients.
    concordance, low, high : float
        In new patients.
    n_bootstraps : int
        That could be grown.
    """

    risks: pd.DataFrame
    apparent: float
    concordance: float
    low: float
    high: float
    n_bootstraps: int

    @property
    def finds(self) -> bool:
        """Whether the tree tells new patients apart: the whole interval lies above chance."""
        return bool(self.low > 0.5)


def bootstrap_validation(
    groups: RiskGroups,
    X,
    time,
    event,
    *,
    horizon: float,
    cause: int = 1,
    n_bootstraps: int = 200,
    confidence: float = 0.95,
    random_state: int = 0,
    progress: Callable[[], Any] | None = None,
    entry=None,
    **pipeline: Any,
) -> BootstrapValidation:
    """Correct risks and concordance of groups for their having been chosen (Efron 1983; 1997).

    *Risks.* On the scale of log(-log(1 - risk)), in standard errors and counted away from the
    parent node, the error of a group of a bootstrap is its estimate less that of the patients left
    out. Their mean is what groups look too far apart; of it, and of their variance less that of the
    patients left out, the .632 rule takes .632 (of the variance of the error against all patients
    the rest). The interval is that of the normal distribution about the estimate moved back towards
    its parent by that mean, with that variance; the risk itself moves no further than to the
    parent's.

    *Concordance.* The .632+ rule (Efron and Tibshirani 1997): between the apparent one and the mean
    of the patients left out, nearer to the latter where the two lie apart. If nothing but patients
    differed between bootstraps, the variance of that mean would be a share of 1/e of theirs, as
    each leaves out such a share of the patients; if nothing but trees did, all of it. A half is
    taken.

    Parameters
    ----------
    groups : RiskGroups
        Of these patients.
    X, time, event, horizon, cause
        As in `risk_groups`.
    n_bootstraps : int, default 200
    confidence : float, default .95
    random_state : int, default 0
        Of the draws and divisions.
    progress : callable, optional
        Called after each bootstrap.
    entry : (n,) array, optional
        As in `risk_groups`. Samples in which all at risk have an event before others enter are left
        out.
    **pipeline
        Further arguments that `risk_groups` got: estimator, test_size, competing, weights,
        min_followed.

    Returns
    -------
    BootstrapValidation

    Raises
    ------
    InputError
        Follow-up and entries as `risk_groups` says; groups of other patients.

    Notes
    -----
    `python benchmarks/next_patient.py` measures the coverage of both intervals in new patients.
    """
    pd = import_optional("pandas", PURPOSE)
    check_number("n_bootstraps", n_bootstraps, 1, 100_000, whole=True)
    check_number("confidence", confidence, 0.5, 0.9999)
    check_number("random_state", random_state, 0, 2**32 - 1, whole=True)
    check_number("horizon", horizon, 1e-12, LARGEST)
    time, event = checked_follow_up(time, event, cause)
    entry = checked_entry(entry, time)
    check_weighted(entry, pipeline.get("weights"))
    n = len(time)
    if len(groups.leaf) != n:
        raise InputError(
            f"groups are of {len(groups.leaf)} patients and time of {n}",
            remedy="give the patients whom risk_groups got",
        )
    X = X if hasattr(X, "iloc") else np.asarray(X)
    least = pipeline.get("min_followed", MIN_FOLLOWED)
    estimates = _Estimates(groups.tree_, groups.leaf, time, event, horizon, cause, entry, least)
    apparent = concordance(time, event, estimates.ranks(groups.leaf), cause=cause, entry=entry)
    random = np.random.default_rng([random_state, 3])
    errors: list[tuple[float, ...]] = []
    outside = []
    for _ in range(n_bootstraps):
        drawn = random.integers(0, n, n)
        division = int(random.integers(2**31))
        bootstrap = _bootstrap(X, time, event, entry, drawn, horizon, cause, division, pipeline)
        if bootstrap is not None:
            errors += bootstrap[0]
            outside.append(bootstrap[1])
        if progress is not None:
            progress()
    shift, spread = _of_errors(np.array(errors).reshape(-1, 3))
    if groups.tree_.n_leaves == 1:
        spread = 1.0  # nothing was chosen
    z = float(norm.ppf((1.0 + confidence) / 2.0))
    risks = pd.DataFrame(_corrected_risks(groups.leaf, estimates, shift, z * spread)).set_index(
        "leaf"
    )
    finite = np.array([value for value in outside if not math.isnan(value)])
    mean = float(finite.mean()) if len(finite) else math.nan
    middle = _between(apparent, mean)
    half = z * math.sqrt(HALF) * float(finite.std()) if len(finite) > 1 else math.nan
    if groups.tree_.n_leaves == 1:  # whatever other trees find
        middle, half = 0.5, 0.0
    return BootstrapValidation(risks, apparent, middle, middle - half, middle + half, len(outside))


class _Estimates:
    """Risks of leaves and of their parents, of given patients."""

    def __init__(self, tree: Tree, leaf, time, event, horizon: float, cause: int, entry, least):
        self._tree, self._leaf = tree, leaf
        self._about = (time, event, horizon, cause, entry, least)
        below = self._below = np.eye(tree.n_nodes, dtype=bool)
        for node in range(tree.n_nodes - 1, 0, -1):  # children follow their parents
            below[tree.parent[node]] |= below[node]
        self._risks, self._errors = np.full((2, tree.n_nodes), math.nan)
        for node in np.unique(leaf):
            self._risks[node], self._errors[node] = self.at(leaf == node)

    def at(self, inside: np.ndarray) -> tuple[float, float]:
        """Risk and error of some patients."""
        time, event, horizon, cause, entry, least = self._about
        since = entry_of(entry, inside)
        return risk_at(time[inside], event[inside], horizon, cause, since, least)

    def of(self, node: int) -> tuple[float, float, float]:
        """Risk of a leaf, its error, and the risk of its parent, which the root has not."""
        risk = float(self._risks[node])
        if node == 0:
            return risk, float(self._errors[node]), math.nan
        parent = self.at(self._below[self._tree.parent[node]][self._leaf])[0]
        return risk, float(self._errors[node]), parent

    def ranks(self, leaf: np.ndarray) -> np.ndarray:
        """Risk of each patient by the leaf; a leaf without an estimate has the middle one."""
        middle = float(np.nanmedian(self._risks)) if not np.isnan(self._risks).all() else 0.5
        return np.nan_to_num(self._risks, nan=middle)[leaf]


def _corrected_risks(
    leaf: np.ndarray, estimates: _Estimates, shift: float, width: float
) -> list[dict]:
    """Risk of the next patient of each leaf, with its interval: `width` errors on each side."""
    rows = []
    for node in np.unique(leaf):
        risk, error, parent = estimates.of(int(node))
        away = _side(risk, parent)
        row = {"leaf": int(node), "n": int((leaf == node).sum()), "apparent": risk}
        back = min(abs(shift * error), abs(_cloglog(risk) - _cloglog(parent))) if away else 0.0
        row["risk"] = _risk(_cloglog(risk) - away * math.copysign(back, shift))
        middle = _cloglog(risk) - (shift if away else 0.0) * away * error
        row["risk_low"] = _risk(middle - width * error)
        row["risk_high"] = _risk(middle + width * error)
        rows.append(row)
    return rows


def _bootstrap(X, time, event, entry, drawn, horizon: float, cause: int, seed: int, pipeline):
    """Errors of the groups of one bootstrap, and concordance of its tree in those left out."""
    # None where the tree cannot be grown: nobody among the drawn has the event, or everybody.
    taken = X.iloc[drawn].reset_index(drop=True) if hasattr(X, "iloc") else X[drawn]
    try:
        drawn_groups = risk_groups(
            taken,
            time[drawn],
            event[drawn],
            horizon=horizon,
            cause=cause,
            random_state=seed,
            entry=entry_of(entry, drawn),
            **pipeline,
        )
    except InputError:
        return None
    left = np.ones(len(time), dtype=bool)
    left[drawn] = False
    leaf = np.asarray(drawn_groups.estimator.apply(X))
    least = pipeline.get("min_followed", MIN_FOLLOWED)
    follow_up = (time[drawn], event[drawn], horizon, cause, entry_of(entry, drawn), least)
    inside = _Estimates(drawn_groups.tree_, drawn_groups.leaf, *follow_up)
    errors = []
    for node in np.unique(drawn_groups.leaf) if drawn_groups.tree_.n_leaves > 1 else ():
        risk, error, parent = inside.of(int(node))
        away = _side(risk, parent)
        here = leaf == node
        # Of those who are left out fewer could be followed by chance: they have no risk then.
        since = (entry_of(entry, here), least)
        everybody = risk_at(time[here], event[here], horizon, cause, *since)[0]
        new = left & here
        since = (entry_of(entry, new), least)
        other, noise = risk_at(time[new], event[new], horizon, cause, *since)
        if not (error > 0.0 and noise > 0.0 and away) or new.sum() < FEWEST_PATIENTS:
            continue
        against, within = (
            away * (_cloglog(risk) - _cloglog(one)) / error for one in (other, everybody)
        )
        errors.append((against, noise / error, within))
    ranked = inside.ranks(leaf[left])
    if not (event[left] == cause).any():
        return errors, math.nan
    score = concordance(time[left], event[left], ranked, cause=cause, entry=entry_of(entry, left))
    return errors, score


def _side(risk: float, parent: float) -> int:
    """On which side of its parent's a risk lies: 1 above, -1 below, 0 where nothing tells."""
    return 0 if math.isnan(risk - parent) else int(np.sign(risk - parent))


def _of_errors(errors: np.ndarray) -> tuple[float, float]:
    """Mean error of groups and its spread, in standard errors; NaN where too few groups tell."""
    # errors: of each group of a bootstrap: error against those left out, their own noise, error
    # against all patients, each in standard errors of the group.
    if len(errors) < FEWEST_GROUPS:
        return math.nan, math.nan
    against, noise, within = errors[:, 0], errors[:, 1], errors[:, 2]
    weight = 1.0 / (1.0 + noise**2)
    mean = float(np.average(against, weights=weight))
    # What is left of the variance without that of the patients left out; that of the group is 1.
    variance = float(np.average((against - mean) ** 2 - noise**2, weights=weight))
    spread = INSIDE * max(variance, 1.0) + (1.0 - INSIDE) * float(np.nanvar(within))
    return INSIDE * mean, math.sqrt(spread)


def _between(apparent: float, outside: float) -> float:
    """Concordance by the .632+ rule; chance is .5."""
    if math.isnan(outside):
        return math.nan
    outside = max(outside, 0.5)
    if apparent <= outside:
        return outside
    overfit = (apparent - outside) / (apparent - 0.5)
    share = INSIDE / (1.0 - (1.0 - INSIDE) * overfit)
    return (1.0 - share) * apparent + share * outside


def _cloglog(risk: float) -> float:
    return math.log(-math.log1p(-min(max(risk, EDGE), 1.0 - EDGE)))


def _risk(cloglog: float) -> float:
    return math.nan if math.isnan(cloglog) else -math.expm1(-math.exp(cloglog))
