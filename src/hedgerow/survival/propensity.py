"""Weights by which treated and untreated patients become alike in what is known of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hedgerow.checks import check_choice
from hedgerow.errors import InputError
from hedgerow.optional_imports import import_optional
from hedgerow.survival.estimates import PURPOSE, model_matrix
from hedgerow.tree.table import check_row_order

if TYPE_CHECKING:
    import pandas as pd

KINDS = ("overlap", "ate")
#: A propensity closer to 0 or 1 is one of a model that tells both groups apart.
CERTAIN = 1e-8
#: A standard deviation below this share of the largest value is 0 but for rounding.
ROUNDING = 1e-12


class Propensity(NamedTuple):
    """Weights by propensity.

    Attributes
    ----------
    weights : (n,) float64 array
        NaN where a covariate is missing.
    propensity : (n,) float64 array
        Probability of treatment, in (0, 1), by the covariates; NaN where one is missing.
    balance : DataFrame
        One row per covariate (a category: per level but the first): `treated` and `untreated`, the
        means, `difference`, their standardised difference, and the three with the suffix
        `_weighted`. Patients with a missing covariate are left out.
    """

    weights: np.ndarray
    propensity: np.ndarray
    balance: pd.DataFrame


def propensity_weights(treated, covariates: pd.DataFrame, *, kind: str = "overlap") -> Propensity:
    """Weights of treated and untreated patients by their propensity (Rosenbaum and Rubin 1983).

    The propensity is the probability of treatment by the covariates, from a logistic regression
    without a penalty. Weighted, both groups have covariates alike; of what is not among the
    covariates nothing is known.

    Parameters
    ----------
    treated : (n,) array of bool, or 0 and 1
    covariates : DataFrame of n rows
        Numbers, True and False, or categories, as they were before the treatment.
    kind : {'overlap', 'ate'}, default 'overlap'
        Of whom the weighted patients are like. 'overlap': those who might get either treatment; the
        treated weigh 1 - e and the untreated e, e the propensity (Li, Morgan and Zaslavsky 2018):
        no weight is beyond 1, and the means of all covariates are equal. 'ate': all patients; the
        share of the treated over e, and of the untreated over 1 - e (stabilised inverse
        probability: Robins, Hernan and Brumback 2000), which a propensity near 0 or 1 makes large.

    Returns
    -------
    Propensity

    Raises
    ------
    InputError
        Groups that are not one per patient or not 0 and 1; covariates as `leaf_survival` says;
        nobody is treated or untreated; the covariates tell both groups apart, so that there is
        nobody to compare with.
    LibraryError
        statsmodels is not installed (extra `survival`).

    Notes
    -----
    Differences are standardised by the root of the mean of both variances, unweighted in all cases
    (Austin 2009).

    Examples
    --------
    >>> import pandas as pd
    >>> sick = pd.DataFrame({"sick": [1, 1, 1, 0, 0, 0]})
    >>> propensity_weights([1, 1, 0, 1, 0, 0], sick).weights.round(3)
    array([0.333, 0.333, 0.667, 0.667, 0.333, 0.333])
    """
    import_optional("pandas", PURPOSE)
    import_optional("statsmodels", PURPOSE)
    check_choice("kind", kind, KINDS)
    check_row_order("covariates", covariates, treated, "treated")
    group = np.asarray(treated)
    if group.ndim != 1 or group.dtype.kind not in "biuf" or not np.isin(group, (0, 1)).all():
        raise InputError(
            f"treated holds {group.dtype} in shape {group.shape}, and not 0 and 1 only",
            remedy="give 1 for each treated patient and 0 for each other",
        )
    model = model_matrix(covariates, len(group))
    data = model.to_numpy(dtype=np.float64)
    complete = ~np.isnan(data).any(axis=1)
    is_treated = group[complete] == 1
    if not complete.any():
        raise InputError(
            "every patient misses a covariate", remedy="leave out those that are often missing"
        )
    if is_treated.all() or not is_treated.any():
        only = "treated" if is_treated.all() else "untreated"
        raise InputError(
            f"all {int(complete.sum())} patients without a missing covariate are {only}",
            remedy="give patients of both groups, or leave out a covariate that is often missing",
        )
    propensity = _logistic(data[complete], is_treated)
    if (np.minimum(propensity, 1.0 - propensity) < CERTAIN).any():
        raise InputError(
            "the covariates tell treated from untreated patients apart",
            remedy="leave out what follows from the treatment, or the patients who could get one "
            "only",
        )
    if kind == "overlap":
        weights = np.where(is_treated, 1.0 - propensity, propensity)
    else:
        share = is_treated.mean()
        weights = np.where(is_treated, share / propensity, (1.0 - share) / (1.0 - propensity))
    by_patient = np.full((2, len(group)), np.nan)
    by_patient[:, complete] = weights, propensity
    return Propensity(by_patient[0], by_patient[1], balance(model, group == 1, by_patient[0]))


def balance(model: pd.DataFrame, treated: np.ndarray, weights: np.ndarray) -> pd.DataFrame:
    """Means of both groups and their standardised differences, before and after weighting."""
    # model: covariates as numbers; rows with a missing one are left out. weights: NaN or 0 leaves a
    # patient out.
    pd = import_optional("pandas", PURPOSE)
    data = model.to_numpy(dtype=np.float64)
    complete = (weights > 0.0) & ~np.isnan(data).any(axis=1)
    data, treated, weights = data[complete], treated[complete], weights[complete]
    columns: dict[str, np.ndarray] = {}
    nothing = np.full(data.shape[1], np.nan)
    groups = (("treated", treated), ("untreated", ~treated))
    variance = np.zeros(data.shape[1])
    for _, arm in groups:
        variance += data[arm].var(axis=0, ddof=1) / 2.0 if arm.sum() > 1 else 0.0
    size = np.abs(data).max(axis=0, initial=0.0)
    spread = np.where(np.sqrt(variance) > ROUNDING * size, np.sqrt(variance), np.nan)
    for suffix, weight in (("", np.ones(len(data))), ("_weighted", weights)):
        for name, arm in groups:
            mean = np.average(data[arm], axis=0, weights=weight[arm]) if arm.any() else nothing
            columns[name + suffix] = mean
        apart = columns[f"treated{suffix}"] - columns[f"untreated{suffix}"]
        columns[f"difference{suffix}"] = apart / spread
    return pd.DataFrame(columns, index=pd.Index(list(model), name="covariate"))


def _logistic(data: np.ndarray, treated: np.ndarray) -> np.ndarray:
    """Fitted probabilities of a logistic regression with an intercept, (n,)."""
    import warnings

    from statsmodels.genmod.families import Binomial
    from statsmodels.genmod.generalized_linear_model import GLM

    spread = data.std(axis=0)
    varies = spread > ROUNDING * np.abs(data).max(axis=0, initial=1.0)
    x = (data[:, varies] - data[:, varies].mean(axis=0)) / spread[varies]
    x = np.column_stack([np.ones(len(x)), x])
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")  # perfect separation: we raise our own error
        fitted = GLM(treated.astype(np.float64), x, family=Binomial()).fit(maxiter=100, tol=1e-12)
        return np.asarray(fitted.fittedvalues)
