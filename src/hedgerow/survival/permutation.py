"""What separation of risk groups chance alone gives: outcomes permuted through the whole pipeline.

Leaves are chosen by the outcome, so that their curves on the same patients differ more than those
of other patients will, and a p value that takes the groups as given is too small. Where outcomes
are dealt to patients at random, nothing tells who will die; the same pipeline, labels, division and
growth, then shows how much separation it makes of nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import chi2

from hedgerow.checks import check_number, check_random
from hedgerow.errors import InputError
from hedgerow.optional_imports import import_optional
from hedgerow.survival.analysis import RiskGroups, risk_groups
from hedgerow.survival.estimates import PURPOSE
from hedgerow.survival.labels import NobodyLeft, checked_entry, checked_follow_up, entry_of
from hedgerow.survival.logrank import logrank, logrank_one_by_one

if TYPE_CHECKING:
    import pandas as pd

#: Below it a leaf is selected (thesis 6.2.3).
SELECTION_ALPHA = 0.005
MOST_PERMUTATIONS = 1_000_000
PARTS = ("all", "training", "test")


def separation(groups: RiskGroups, time, event, *, cause: int = 1, entry=None) -> pd.DataFrame:
    """How far the leaves of a tree are apart in each part of the patients.

    Parameters
    ----------
    groups : RiskGroups
    time, event : (n,) arrays
        As in `horizon_labels`.
    cause : int, default 1
    entry : (n,) array, optional
        As in `leaf_survival`.

    Returns
    -------
    DataFrame
        One row per part (`all`, `training`, `test`): part, n_leaves (with patients of the part),
        n_selected (leaves whose log-rank test against all patients has p below .005), overall
        (-log10 p of the log-rank test of all leaves), against_all and against_rest (largest
        chi-squared of a leaf).

    Raises
    ------
    InputError
        Follow-up as `horizon_labels` says, entries as `leaf_survival`.
    """
    pd = import_optional("pandas", PURPOSE)
    time, event = checked_follow_up(time, event, cause)
    entry = checked_entry(entry, time)
    died, rows = event == cause, []
    for part in PARTS:
        mask = groups.part(part)
        data = (time[mask], died[mask], groups.leaf[mask])
        since = entry_of(entry, mask)
        tests, overall = logrank_one_by_one(*data, entry=since), logrank(*data, entry=since)
        rows.append(
            {
                "part": part,
                "n_leaves": len(tests.groups),
                "n_selected": int((chi2.sf(tests.against_all, 1) < SELECTION_ALPHA).sum()),
                "overall": _surprise(overall.statistic, overall.df),
                "against_all": float(max(tests.against_all, default=0.0)),
                "against_rest": float(max(tests.against_rest, default=0.0)),
            }
        )
    return pd.DataFrame(rows)


def permuted_separation(
    X,
    time,
    event,
    *,
    horizon: float,
    seeds: Iterable[int],
    cause: int = 1,
    progress: Callable[[], Any] | None = None,
    entry=None,
    **pipeline: Any,
) -> pd.DataFrame:
    """`separation` of trees for outcomes that are dealt to the patients at random.

    Parameters
    ----------
    X, time, event, horizon, cause
        As in `risk_groups`.
    seeds : iterable of int
        One per permutation.
    progress : callable, optional
        Called after each permutation.
    entry : (n,) array, optional
        As in `risk_groups`, dealt with the outcome that it belongs to: where nothing tells who will
        die, nothing is to tell who enters late. Permutations in which all at risk in the training
        part have an event before others enter are left out.
    **pipeline
        Further parameters of `risk_groups`, such as `estimator`.

    Returns
    -------
    DataFrame
        As `separation`, with the seed in the column `permutation`.

    Raises
    ------
    InputError
        As `risk_groups`; all permutations are left out.
    """
    pd = import_optional("pandas", PURPOSE)
    time, event = checked_follow_up(time, event, cause)
    entry = checked_entry(entry, time)
    tables: list[Any] = []
    left_out = None
    for seed in seeds:
        random = check_random("seeds", seed)
        dealt = random.permutation(len(time))
        outcome = (time[dealt], event[dealt])
        given: dict[str, Any] = {"cause": cause, "entry": entry_of(entry, dealt)}
        options: dict[str, Any] = {**pipeline, **given, "horizon": horizon, "random_state": random}
        try:
            groups = risk_groups(X, *outcome, **options)
            tables.append(separation(groups, *outcome, **given).assign(permutation=int(seed)))
        except NobodyLeft as error:  # of the division: the outcomes are the same
            left_out = error
        if progress is not None:
            progress()
    if not tables:
        raise left_out or InputError("there are no seeds", remedy="give one per permutation")
    return pd.concat(tables, ignore_index=True)


def permutation_p(observed, null) -> np.ndarray:
    """Share of permutations, the outcome as it is among them, at least as far apart."""
    # observed: statistics. null: the largest of each permutation: p holds for all leaves at once
    # (Westfall and Young 1993).
    null = np.sort(np.asarray(null, dtype=np.float64))
    # Sums over times in another order differ in their last digits.
    reached = len(null) - np.searchsorted(null, np.asarray(observed) * (1.0 - 1e-9), side="left")
    return (1.0 + reached) / (1.0 + len(null))


def permutation_test(
    groups: RiskGroups,
    X,
    time,
    event,
    *,
    horizon: float,
    n_permutations: int = 39,
    cause: int = 1,
    part: str = "all",
    random_state=None,
    progress: Callable[[], Any] | None = None,
    entry=None,
    **pipeline: Any,
) -> pd.DataFrame:
    """p values of leaves that take into account that the leaves were chosen by the outcome.

    Parameters
    ----------
    groups : RiskGroups
        Of the same patients, made with the same `pipeline`.
    X, time, event, horizon, cause
        As in `risk_groups`.
    n_permutations : int, default 39
        p is at least 1 / (n_permutations + 1): p < .005 needs 200 or more.
    part : {'all', 'training', 'test'}, default 'all'
        Of whom the statistics are.
    random_state : int or RandomState, optional
    progress : callable, optional
        Called after each permutation.
    entry : (n,) array, optional
        As in `permuted_separation`.
    **pipeline
        Further parameters of `risk_groups`.

    Returns
    -------
    DataFrame
        One row per leaf with patients (index `leaf`): `logrank_p_permutation` (against all
        patients, as published) and `logrank_p_rest_permutation` (against all others), each
        compared with the largest statistic of any leaf in each permutation. `attrs` hold
        `multivariate_logrank_p_permutation`, `n_permutations`, those that are not left out, and
        `n_selected`, the leaves with p < .005 in each permutation (list).

    Raises
    ------
    InputError
        As `risk_groups`.
    """
    pd = import_optional("pandas", PURPOSE)
    check_number("n_permutations", n_permutations, 1, MOST_PERMUTATIONS, whole=True)
    if part not in PARTS:
        raise InputError(f"part is {part!r}", remedy=f"give one of {', '.join(PARTS)}")
    time, event = checked_follow_up(time, event, cause)
    entry = checked_entry(entry, time)
    seeds = check_random("random_state", random_state).randint(0, 2**31 - 1, n_permutations)
    null = permuted_separation(
        X,
        time,
        event,
        horizon=horizon,
        seeds=seeds,
        cause=cause,
        progress=progress,
        entry=entry,
        **pipeline,
    )
    null = null[null["part"] == part]
    mask = groups.part(part)
    since = entry_of(entry, mask)
    tests = logrank_one_by_one(time[mask], event[mask] == cause, groups.leaf[mask], entry=since)
    table = pd.DataFrame(
        {
            "logrank_p_permutation": permutation_p(tests.against_all, null["against_all"]),
            "logrank_p_rest_permutation": permutation_p(tests.against_rest, null["against_rest"]),
        },
        index=pd.Index(tests.groups, name="leaf"),
    )
    parts = separation(groups, time, event, cause=cause, entry=entry).set_index("part")
    overall = parts.loc[part, "overall"]
    table.attrs = {
        "multivariate_logrank_p_permutation": float(permutation_p([overall], null["overall"])[0]),
        "n_permutations": len(null),
        "n_selected": null["n_selected"].tolist(),
    }
    return table


def _surprise(statistic: float, df: int) -> float:
    """-log10 p of a chi-squared statistic, where p itself would be 0 as well."""
    return float(-chi2.logsf(statistic, df) / math.log(10.0)) if df else 0.0
