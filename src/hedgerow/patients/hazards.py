"""Tables of survival in leaves for registries of many patients: the same numbers, by fewer passes.

lifelines takes 8 s for a Cox model of 100,000 patients and one indicator, and a page shows dozens
of them. Here sums over those at risk are running sums over patients in the order of their times.
Tests hold the tables equal to those of `hedgerow.survival`.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.stats import chi2, norm

from hedgerow.survival.estimates import (
    ALL_EVENTS,
    ALONE,
    FEW,
    NO_EVENTS,
    QUARTILES,
    SEPARATED,
    SEPARATES,
    SINGULAR,
    curve,
    holm,
    incidence,
    model_matrix,
)
from hedgerow.survival.gray import gray_test
from hedgerow.survival.leaves import TESTS
from hedgerow.survival.logrank import logrank, logrank_one_by_one

if TYPE_CHECKING:
    import pandas as pd

MOST_STEPS = 60  # of Newton's method; it takes about six
HALVINGS = 20
CLOSE = 1e-10  # largest last step, in standard deviations of the covariates
NAMES = ("hazard_ratio", "hazard_ratio_low", "hazard_ratio_high", "cox_p", "ph_p")


class _AtRisk:
    """Patients in the order of their times, and where the sums over those at risk begin."""

    def __init__(self, time: np.ndarray, died: np.ndarray):
        self.order = np.argsort(time, kind="stable")
        time, self.died = time[self.order], died[self.order]
        self.when = np.unique(time[self.died])
        self.first = np.searchsorted(time, self.when, side="left")
        #: Of each event its time, of each patient the number of times until the own one.
        self.place = np.searchsorted(self.when, time[self.died])
        self.until = np.searchsorted(self.when, time, side="right")
        self.tied = np.bincount(self.place, minlength=len(self.when))
        # Efron: of d events at a time, the k-th sees k/d of them gone.
        begin = np.cumsum(self.tied) - self.tied
        self.gone = (np.arange(len(self.place)) - begin[self.place]) / self.tied[self.place]

    def at_risk(self, values: np.ndarray) -> np.ndarray:
        """Sums over those at risk at each time of events, for rows of patients."""
        return np.cumsum(values[::-1], axis=0)[::-1][self.first]

    def dying(self, values: np.ndarray) -> np.ndarray:
        """Sums over those who die at each time."""
        own = values[self.died]
        return np.add.reduceat(own, np.cumsum(self.tied) - self.tied, axis=0)


def _newton(x: np.ndarray, risk: _AtRisk):
    """Coefficients, covariance and Schoenfeld residuals; None where there is no maximum."""
    p = x.shape[1]
    beta, before = np.zeros(p), -math.inf
    step = np.zeros(p)
    for _ in range(MOST_STEPS):
        for _ in range(HALVINGS):
            found = _likelihood(x, risk, beta)
            if found[0] >= before - 1e-9 * abs(before) or not np.isfinite(before):
                break
            step /= 2.0
            beta = beta - step
        before, score, information, residuals = found
        try:
            factor = cho_factor(information)
        except np.linalg.LinAlgError:
            return None
        step = cho_solve(factor, score)
        if not np.isfinite(step).all():
            return None
        beta = beta + step
        if np.abs(step).max() < CLOSE:
            return beta, cho_solve(factor, np.eye(p)), residuals
        if np.abs(beta).max() > SEPARATED:
            return None
    return None


def _likelihood(x: np.ndarray, risk: _AtRisk, beta: np.ndarray):
    """Efron's partial likelihood, its score and information, and Schoenfeld residuals."""
    line = x @ beta
    top = line.max()
    share = np.exp(line - top)
    weighted = share[:, None] * x
    s0, s1 = risk.at_risk(share), risk.at_risk(weighted)
    d0, d1 = risk.dying(share), risk.dying(weighted)
    at, gone = risk.place, risk.gone
    below = s0[at] - gone * d0[at]
    mean = (s1[at] - gone[:, None] * d1[at]) / below[:, None]
    events = x[risk.died]
    value = float(line[risk.died].sum() - (np.log(below) + top).sum())
    score = events.sum(axis=0) - mean.sum(axis=0)
    # Of sums of squares only their total over all times is needed: each patient counts as often
    # as there are terms until the own time, those who die in part in the last ones.
    term = np.bincount(at, 1.0 / below, len(risk.when))
    times = np.append(0.0, np.cumsum(term))[risk.until]
    times[risk.died] -= np.bincount(at, gone / below, len(risk.when))[at]
    information = (weighted * times[:, None]).T @ x - mean.T @ mean
    average = (
        np.column_stack([np.bincount(at, column, len(risk.when)) for column in mean.T])
        / risk.tied[:, None]
    )
    return value, score, information, events - average[at]


def cox(
    frame: pd.DataFrame, of: str, time: np.ndarray, died: np.ndarray, confidence: float
) -> dict[str, Any]:
    """What `hedgerow.survival.estimates.cox` gives, to many digits, in a hundredth of the time."""
    empty = dict.fromkeys(NAMES, math.nan)
    names = list(frame)
    data = frame.to_numpy(dtype=np.float64)
    known = ~np.isnan(data).any(axis=1)
    data, event, time = data[known], died[known], time[known]
    column = names.index(of)
    varies = (data != data[:1]).any(axis=0)
    varies[column] = True
    kept = np.flatnonzero(varies)
    data, column = data[:, kept], int(np.flatnonzero(kept == column)[0])
    inside = data[:, column] == 1.0
    if not inside.any() or inside.all():
        return empty | {"cox_note": ALONE}
    if not event[inside].any():
        return empty | {"cox_note": NO_EVENTS}
    if not event[~inside].any():
        return empty | {"cox_note": ALL_EVENTS}
    if event.sum() <= data.shape[1]:
        return empty | {"cox_note": FEW}
    spread = data.std(axis=0, ddof=1)
    x = (data - data.mean(axis=0)) / spread
    if np.linalg.matrix_rank(x.T @ x / len(x), tol=1e-10) < x.shape[1]:
        return empty | {"cox_note": SINGULAR}
    risk = _AtRisk(time, event)
    found = _newton(x[risk.order], risk)
    if found is None or not np.sqrt(found[1].diagonal().max()) < SEPARATED:
        return empty | {"cox_note": SEPARATES}
    beta, covariance, residuals = found
    ratio, error = beta[column] / spread[column], math.sqrt(covariance[column, column])
    error /= spread[column]
    z = norm.ppf((1.0 + confidence) / 2.0)
    p = float(2.0 * norm.sf(abs(ratio) / error))
    low, high = math.exp(ratio - z * error), math.exp(ratio + z * error)
    ph = _proportional(residuals, covariance, column)
    values = (math.exp(ratio), low, high, p, ph)
    return {**dict(zip(NAMES, values, strict=True)), "cox_note": ""}


def _proportional(residuals: np.ndarray, covariance: np.ndarray, column: int) -> float:
    """p of the test of scaled Schoenfeld residuals over ranks of time."""
    d = len(residuals)
    scaled = d * residuals @ covariance[:, column]
    rank = np.arange(d) - (d - 1) / 2.0
    statistic = float(rank @ scaled) ** 2 / (d * covariance[column, column] * float(rank @ rank))
    return float(chi2.sf(statistic, 1))


def leaf_table(
    leaf: np.ndarray,
    time: np.ndarray,
    event: np.ndarray,
    *,
    covariates: pd.DataFrame | None = None,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """The table of `hedgerow.survival.leaf_survival`, cause 1.

    Parameters
    ----------
    leaf : (n,) int array
    time : (n,) float array
    event : (n,) int array
        0, 1, or 2 for another cause.
    covariates : DataFrame of n rows, optional
    confidence : float

    Returns
    -------
    DataFrame
    """
    import pandas as pd

    died, several = event == 1, bool((event > 1).any())
    model = None if covariates is None else model_matrix(covariates, len(time))
    tests = logrank_one_by_one(time, died, leaf)
    rows = []
    for place, node in enumerate(tests.groups):
        inside = leaf == node
        row: dict[str, Any] = {"leaf": int(node), "n": int(inside.sum())}
        row["events"] = int(died[inside].sum())
        row |= curve(time[inside], died[inside], confidence)
        if several:
            row |= incidence(time[inside], event[inside], 1, confidence)
        row["logrank_p"] = float(chi2.sf(tests.against_all[place], 1))
        alone = bool(inside.all())
        row["logrank_p_rest"] = math.nan if alone else float(chi2.sf(tests.against_rest[place], 1))
        if several:
            row["gray_p"] = math.nan if alone else gray_test(time, event, inside, cause=1).p
        row |= cox(pd.DataFrame({"leaf": inside}), "leaf", time, died, confidence)
        if model is not None:
            made = cox(model.assign(leaf=inside), "leaf", time, died, confidence)
            row |= {f"{name}_adjusted": value for name, value in made.items()}
            row["n_adjusted"] = int(model.notna().all(axis=1).sum())
        rows.append(row)
    table = pd.DataFrame(rows).set_index("leaf")
    for name in [name for name in table if name.removesuffix("_adjusted") in TESTS]:
        table[f"{name}_holm"] = holm(table[name].to_numpy())
    table.attrs["multivariate_logrank_p"] = (
        logrank(time, died, leaf).p if len(rows) > 1 else math.nan
    )
    return table


def treated_table(
    leaf: np.ndarray,
    time: np.ndarray,
    event: np.ndarray,
    treated_at: np.ndarray,
    landmark: float,
    counted_from: str,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """What the page shows of `hedgerow.survival.compare_groups`, and all patients as row -1.

    Parameters
    ----------
    leaf : (n,) int array
    time, treated_at : (n,) float arrays
        From inclusion on; `treated_at` infinite where there was no treatment.
    event : (n,) int array
    landmark : float
    counted_from : {'landmark', 'inclusion'}
    confidence : float

    Returns
    -------
    DataFrame
        By leaf: n, n_left_out, and of each group n, events and quartiles; logrank_p, hazard_ratio
        with its interval, cox_p, ph_p, cox_note; p with the suffix _holm over the leaves.
    """
    import pandas as pd

    treated, died = treated_at <= landmark, event == 1
    kept = np.ones(len(time), dtype=bool)
    if counted_from == "landmark":
        kept, time = time > landmark, time - landmark
    rows = []
    for node in [-1, *np.unique(leaf).tolist()]:
        here = np.ones(len(leaf), dtype=bool) if node == -1 else leaf == node
        inside = here & kept
        row: dict[str, Any] = {"leaf": node, "n": int(inside.sum())}
        row["n_left_out"] = int(here.sum()) - row["n"]
        for group, chosen in (("treated", treated), ("untreated", ~treated)):
            own = inside & chosen
            row[f"n_{group}"], row[f"events_{group}"] = int(own.sum()), int(died[own].sum())
            found = curve(time[own], died[own], confidence)
            row |= {f"{name}_{group}": found[name] for name in QUARTILES}
        row["logrank_p"] = math.nan
        if row["n_treated"] and row["n_untreated"]:
            row["logrank_p"] = logrank(time[inside], died[inside], treated[inside]).p
        indicator = pd.DataFrame({"treated": treated[inside]})
        row |= cox(indicator, "treated", time[inside], died[inside], confidence)
        rows.append(row)
    table = pd.DataFrame(rows).set_index("leaf")
    for name in ("logrank_p", "cox_p"):
        corrected = np.full(len(table), math.nan)
        corrected[1:] = holm(table[name].to_numpy()[1:])
        table[f"{name}_holm"] = corrected
    return table
