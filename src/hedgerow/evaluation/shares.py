"""Shares of correctly classified patients, with intervals (thesis table 6.2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hedgerow.checks import check_number, check_random
from hedgerow.errors import InputError
from hedgerow.optional_imports import import_optional

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["share_intervals"]

PURPOSE = "intervals of shares"
MOST_RESAMPLES = 100_000
MOST_CLASSES = 100
METRICS = ("recall", "precision", "f")


def share_intervals(
    y_true,
    y_pred,
    *,
    classes=None,
    confidence: float = 0.95,
    n_bootstrap: int = 1000,
    random_state=None,
) -> pd.DataFrame:
    """Accuracy, and recall, precision and F of each class, with intervals (thesis table 6.2).

    Parameters
    ----------
    y_true, y_pred : (n,) arrays
        True and predicted classes, of any labels, none missing.
    classes : sequence, optional
        Labels in the order of the table, all that occur among them; by default those that occur,
        ascending.
    confidence : float, default .95
    n_bootstrap : int, default 1000
        Resamples of patients, drawn with replacement from all of them, whatever their class.
    random_state : int or RandomState, optional
        Of the resamples.

    Returns
    -------
    DataFrame
        One row of `accuracy`, then `recall`, `precision` and `f` of each class:

        - `metric`, `class` (None for the accuracy), `estimate` (share, 0 to 1);
        - `n`, what it is a share of: all patients; those of the class (recall); those predicted to
          be of it (precision); both counts together (F);
        - `wald_low`, `wald_high`: estimate +- z sqrt(p (1 - p) / n), as published. For F the half
          width that table 6.2 has: relative half widths of recall, of precision and of their sum
          added in squares, as if F = 2 P R / (P + R) were three independent numbers. They are not,
          and the interval is wider than it should be;
        - `wilson_low`, `wilson_high`: score interval (Wilson 1927); NaN for F, which is a share of
          no number of patients;
        - `bootstrap_low`, `bootstrap_high`: percentiles over the resamples in which the metric is
          defined.

        NaN where a metric has nothing to be a share of, such as the precision of a class that is
        never predicted. Intervals end at 0 and 1.

    Raises
    ------
    InputError
        Unequal lengths, no patients, a label that is missing or not among `classes`.
    LibraryError
        pandas or statsmodels is not installed.

    Notes
    -----
    The 21 numbers of table 6.2 are those of 138 patients, 63 survivors and 75 deaths, of whom 42.63
    and 55 are classified correctly, to the last digit. No whole counts give them: 97 of 138 are
    70.3 %, 98 are 71.0 %, and the table prints 70.7. With 43 instead of 42.63 the interval of F is
    twice as wide as that of the bootstrap.

    Examples
    --------
    >>> table = share_intervals([1, 1, 1, 0, 0], [1, 1, 0, 0, 0], random_state=0)
    >>> table.loc[0, ["estimate", "wilson_low", "wilson_high"]].astype(float).round(3).tolist()
    [0.8, 0.376, 0.964]
    """
    check_number("confidence", confidence, 0.5, 0.9999)
    check_number("n_bootstrap", n_bootstrap, 1, MOST_RESAMPLES, whole=True)
    random = check_random("random_state", random_state)
    import_optional("pandas", PURPOSE)
    counts, labels = _confusion(y_true, y_pred, classes)
    table = intervals_of_counts(counts, labels, confidence)
    n, cells = int(counts.sum()), counts.ravel()
    # As patients drawn one by one: all that counts is how often each pair of classes is drawn.
    drawn = random.multinomial(n, cells / n, n_bootstrap).reshape(-1, *counts.shape)
    right, of = _fractions(drawn)
    tail = (1.0 - confidence) / 2.0
    ends = np.full((2, len(table)), np.nan)
    for i in range(len(table)):
        if table["n"].iloc[i] and (defined := of[:, i] > 0).any():
            ends[:, i] = np.quantile(right[defined, i] / of[defined, i], [tail, 1.0 - tail])
    return table.assign(bootstrap_low=ends[0], bootstrap_high=ends[1])


def intervals_of_counts(counts: np.ndarray, labels: list, confidence: float) -> pd.DataFrame:
    """Metrics of a table of true by predicted classes, with Wald and Wilson intervals.

    Returns: as `share_intervals`, but for the bootstrap.
    """
    pd = import_optional("pandas", PURPOSE)
    import_optional("statsmodels", PURPOSE)
    from scipy.stats import norm
    from statsmodels.stats.proportion import proportion_confint

    right, of = (part.astype(np.float64) for part in _fractions(counts))
    defined = of > 0
    estimate, half = np.full((2, len(of)), np.nan)
    estimate[defined] = right[defined] / of[defined]
    z = norm.ppf((1.0 + confidence) / 2.0)
    half[defined] = z * np.sqrt(estimate[defined] * (1.0 - estimate[defined]) / of[defined])
    wilson = np.full((2, len(of)), np.nan)
    is_f = np.arange(len(of)) % 3 == 0
    is_f[0] = False
    shares = defined & ~is_f
    wilson[:, shares] = proportion_confint(
        right[shares], of[shares], alpha=1.0 - confidence, method="wilson"
    )
    for f in np.flatnonzero(is_f):
        half[f] = _published_half_width(*estimate[f - 2 : f], *half[f - 2 : f])
    low, high = np.clip([estimate - half, estimate + half], 0.0, 1.0)
    return pd.DataFrame(
        {
            "metric": ["accuracy", *(m for _ in labels for m in METRICS)],
            "class": pd.Series([None, *(c for c in labels for _ in METRICS)], dtype=object),
            "estimate": estimate,
            "n": of if counts.dtype.kind == "f" else of.astype(np.int64),
            "wald_low": low,
            "wald_high": high,
            "wilson_low": wilson[0],
            "wilson_high": wilson[1],
        }
    )


def _published_half_width(recall, precision, recall_half, precision_half) -> float:
    """Half width of F in table 6.2; NaN where recall and precision are 0, or one of them is NaN."""
    if not recall * precision > 0.0:
        return np.nan
    total = recall + precision
    relative = [recall_half / recall, precision_half / precision]
    relative.append(np.hypot(recall_half, precision_half) / total)
    return 2.0 * recall * precision / total * np.hypot.reduce(relative)


def _fractions(counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Numerators and denominators of accuracy, then of recall, precision and F class by class.

    counts : (..., K, K) array, true classes in rows. Both results are (..., 1 + 3 K).
    """
    right = np.diagonal(counts, axis1=-2, axis2=-1)
    true, predicted = counts.sum(axis=-1), counts.sum(axis=-2)
    by_class = (right, right, 2 * right), (true, predicted, true + predicted)
    fractions = []
    for total, parts in zip((right, true), by_class, strict=True):
        stacked = np.stack(parts, axis=-1).reshape(*counts.shape[:-2], -1)
        fractions.append(np.concatenate([total.sum(axis=-1, keepdims=True), stacked], axis=-1))
    return fractions[0], fractions[1]


def _confusion(y_true, y_pred, classes) -> tuple[np.ndarray, list]:
    """Patients by true and predicted class, (K, K) int, and the labels."""
    import pandas as pd

    given = {}
    for name, values in (("y_true", y_true), ("y_pred", y_pred)):
        given[name] = array = pd.Series(np.asarray(values).tolist(), dtype=object)
        if np.ndim(values) != 1 or not len(array):
            raise InputError(
                f"{name} has shape {np.shape(values)}", remedy="give one class per patient"
            )
        if len(bad := np.flatnonzero(array.isna())):
            raise InputError(
                f"{name} is missing in row {bad[0]}, and in {len(bad)} rows in all",
                remedy="leave out patients whose class is not known",
            )
    true, predicted = given.values()
    if len(true) != len(predicted):
        raise InputError(
            f"y_true has {len(true)} values and y_pred {len(predicted)}",
            remedy="give one of each per patient",
        )
    occurring = set(true) | set(predicted)
    if classes is None:
        try:
            labels = sorted(occurring)
        except TypeError:
            raise InputError(
                "classes are labels of several kinds that have no order",
                remedy="give all as text or all as numbers, or give `classes`",
            ) from None
    else:
        labels = np.asarray(classes).tolist()
        if not isinstance(labels, list) or len(set(labels)) < max(len(labels), 1):
            raise InputError(f"classes are {classes!r}", remedy="give each label once")
        if lost := occurring - set(labels):
            raise InputError(
                f"there is a class {sorted(map(repr, lost))[0]} and classes are {labels}",
                remedy="name all labels that occur",
            )
    if len(labels) > MOST_CLASSES:
        raise InputError(
            f"there are {len(labels)} classes", remedy=f"give labels of at most {MOST_CLASSES}"
        )
    code = {label: i for i, label in enumerate(labels)}
    counts = np.zeros((len(labels), len(labels)), dtype=np.int64)
    np.add.at(counts, (true.map(code).to_numpy(int), predicted.map(code).to_numpy(int)), 1)
    return counts, labels
