"""Treated against untreated patients inside each leaf (thesis 6.2.3, table 6.4)."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.checks import LARGEST, check_choice, check_number
from hedgerow.errors import InputError
from hedgerow.optional_imports import import_optional
from hedgerow.survival.cox import cox, interaction
from hedgerow.survival.estimates import (
    PURPOSE,
    QUARTILES,
    curve,
    holm,
    leaves_of,
    model_matrix,
)
from hedgerow.survival.labels import checked_entry, checked_follow_up, entry_of
from hedgerow.survival.logrank import logrank
from hedgerow.survival.propensity import KINDS, balance, propensity_weights
from hedgerow.tree.table import check_row_order

if TYPE_CHECKING:
    import pandas as pd

#: Columns of p values, before suffixes.
TESTS = ("logrank_p", "cox_p")
_SUFFIX = re.compile(r"_(leaf_treated|leaf_untreated|adjusted|weighted)$")
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
    entry=None,
    covariates: pd.DataFrame | None = None,
    weights=None,
    cause: int = 1,
    confidence: float = 0.95,
) -> pd.DataFrame:
    """Survival of those treated early against the others, in each leaf (thesis table 6.4).

    A patient who is treated after some months has lived these months: counted from inclusion, as
    published, the treated cannot die before they are treated, and look better for it (immortal time
    bias). Counted from a landmark, only those enter who are still followed and without the event
    then, and what they had until then decides their group. What remains is an association, not an
    effect: patients were not treated at random. Covariates and weights take out what is known of
    why they were treated, and nothing else.

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
    entry : (n,) array, optional
        As in `leaf_survival`, counted from inclusion as `time` is: those who enter after the
        landmark are at risk from then on. With `later` who is treated before entering is left out
        of the untreated.
    covariates : DataFrame of n rows, optional
        What the effect of the treatment is adjusted for, as in `leaf_survival`; known at the
        landmark.
    weights : {'overlap', 'ate'} or (n,) array, optional
        Of the patients in the Cox models with the suffix `_weighted`: made of the covariates by
        `propensity_weights`, over all patients who are compared, or given; NaN or 0 leaves a
        patient out.
    confidence : float, default .95

    Returns
    -------
    DataFrame
        One row per leaf in which there are patients, by its node (index `leaf`), times counted as
        `counted_from` says:

        - `n`, `n_left_out` (gone before the landmark, or before entering), `n_treated`,
          `n_untreated`, `events_treated`, `events_untreated`;
        - `q25`, `median`, `q75` of each group, with the suffixes `_treated` and `_untreated`;
        - `delta_q25`, `delta_median`, `delta_q75`: treated less untreated; NaN where neither curve
          falls so far;
        - `delta_last`, with `_half_width`: difference of the curves at their last points, and the
          half widths of their intervals added in squares, as published;
        - `logrank_p`: treated against untreated;
        - `hazard_ratio` with `_low`, `_high`, `cox_p`, `ph_p`, `cox_note`: of the treated;
        - the same with the suffixes `_leaf_treated` and `_leaf_untreated`: of the leaf against all
          other patients of one group;
        - with covariates `hazard_ratio_adjusted` and so on, of the treated in a model with the
          covariates, and `n_adjusted`, those without a missing one;
        - with weights `hazard_ratio_weighted` and so on but `ph_p`, of the treated in a weighted
          model, interval and p by the sandwich variance, and `n_weighted`; with covariates as well
          `largest_difference` and `largest_difference_weighted`, of their standardised differences
          between treated and untreated in the leaf;
        - each p with the suffix `_holm`, corrected over the leaves.

        `attrs` hold `landmark`, `counted_from` and `n_left_out`, and of all leaves
        `interaction_p` with `interaction_df`: whether the effect of the treatment differs between
        them (likelihood-ratio test of leaf times treatment in a Cox model with both; leaves without
        an event left out, missing where there is nothing to compare); with covariates
        `interaction_p_adjusted` and `interaction_df_adjusted`; with weights by name `balance`, a
        list of the rows of `Propensity.balance`.

    Raises
    ------
    InputError
        As `leaf_survival`; a treatment before inclusion, or after the end of follow-up; nobody is
        treated or untreated; weights that are negative, infinite or not one per patient, or by name
        without covariates; as `propensity_weights`.
    LibraryError
        lifelines or statsmodels is not installed (extra `survival`).
    """
    pd = import_optional("pandas", PURPOSE)
    import_optional("lifelines", PURPOSE)
    check_number("landmark", landmark, 0.0, LARGEST)
    check_number("confidence", confidence, 0.5, 0.9999)
    check_choice("counted_from", counted_from, ("landmark", "inclusion"))
    check_choice("later", later, ("ignored", "censored"))
    check_row_order("covariates", covariates, X)
    time, event = checked_follow_up(time, event, cause)
    entry = checked_entry(entry, time)
    leaf = leaves_of(tree, X, len(time))
    when = _treatment(intervention, time)
    treated, died = when <= landmark, event == cause
    if later == "censored":
        ends = ~treated & (when < time)
        time, died = np.where(ends, when, time), died & ~ends
    kept = np.ones(len(time), dtype=bool)
    if entry is not None:
        kept = time > entry
    if counted_from == "landmark":
        kept &= time > landmark
        time = time - landmark
        entry = None if entry is None else np.maximum(entry - landmark, 0.0)
    if len(arms := np.unique(treated[kept])) < 2:
        only = "treated" if arms.all() else "untreated"
        raise InputError(
            f"all {int(kept.sum())} patients at the landmark {landmark:g} are {only}",
            remedy="give another landmark, or check the times of treatment",
        )
    model = None if covariates is None else model_matrix(covariates, len(time))
    weight, balanced = _weights(weights, covariates, treated, kept)
    patients = _Patients(leaf, time, died, entry, treated, kept, model, weight, confidence)
    rows = [patients.of_leaf(node) for node in np.unique(leaf).tolist()]
    table = pd.DataFrame(rows).set_index("leaf")
    for name in [name for name in table if _SUFFIX.sub("", name) in TESTS]:
        table[f"{name}_holm"] = holm(table[name].to_numpy())
    table.attrs = {
        "landmark": float(landmark),
        "counted_from": counted_from,
        "n_left_out": int((~kept).sum()),
    }
    table.attrs |= patients.interactions()
    if balanced is not None:
        table.attrs["balance"] = balanced
    return table


@dataclass(frozen=True)
class _Patients:
    """Who is compared; (n,) arrays, a row per patient."""

    leaf: np.ndarray
    time: np.ndarray
    died: np.ndarray
    entry: np.ndarray | None
    treated: np.ndarray
    kept: np.ndarray
    model: pd.DataFrame | None
    weight: np.ndarray | None
    confidence: float

    def outcome(self, who: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Time and event of some of them."""
        return self.time[who], self.died[who]

    def cox(self, data: pd.DataFrame, name: str, who: np.ndarray, **more) -> dict[str, Any]:
        """Columns of a Cox model of some of them."""
        since = entry_of(self.entry, who)
        return cox(data, name, *self.outcome(who), self.confidence, entry=since, **more)

    def of_leaf(self, node: int) -> dict[str, Any]:
        """Row of a leaf."""
        inside = (self.leaf == node) & self.kept
        row: dict[str, Any] = {"leaf": node, "n": int(inside.sum())}
        row["n_left_out"] = int((self.leaf == node).sum()) - row["n"]
        row |= self._curves(inside)
        alone = _column("treated", self.treated[inside])
        row |= self.cox(alone, "treated", inside)
        for group, is_treated in GROUPS.items():
            arm = self.kept & (self.treated == is_treated)
            estimates = self.cox(_column("leaf", (self.leaf == node)[arm]), "leaf", arm)
            row |= {f"{name}_leaf_{group}": value for name, value in estimates.items()}
        if self.model is not None:
            leaf_model = self.model[inside].assign(treated=self.treated[inside])
            estimates = self.cox(leaf_model, "treated", inside)
            row |= {f"{name}_adjusted": value for name, value in estimates.items()}
            row["n_adjusted"] = int(leaf_model.notna().all(axis=1).sum())
        if self.weight is not None:
            weight = self.weight[inside]
            estimates = self.cox(alone, "treated", inside, weights=weight)
            row |= {f"{name}_weighted": value for name, value in estimates.items()}
            row["n_weighted"] = int((weight > 0.0).sum())
            if self.model is not None:
                apart = balance(self.model[inside], self.treated[inside], weight)
                for suffix in ("", "_weighted"):
                    size = float(apart[f"difference{suffix}"].abs().max())
                    row[f"largest_difference{suffix}"] = size
        return row

    def _curves(self, inside: np.ndarray) -> dict[str, Any]:
        """Both groups of a leaf, their curves, and what lies between these."""
        row: dict[str, Any] = {}
        curves = {}
        for group, is_treated in GROUPS.items():
            arm = inside & (self.treated == is_treated)
            row[f"n_{group}"] = int(arm.sum())
            row[f"events_{group}"] = int(self.died[arm].sum())
            since = entry_of(self.entry, arm)
            curves[group] = curve(*self.outcome(arm), self.confidence, since)
            row |= {f"{name}_{group}": curves[group][name] for name in QUARTILES}
        row |= _differences(curves["treated"], curves["untreated"])
        row["logrank_p"] = math.nan
        if row["n_treated"] and row["n_untreated"]:
            since = entry_of(self.entry, inside)
            row["logrank_p"] = logrank(*self.outcome(inside), self.treated[inside], entry=since).p
        return row

    def interactions(self) -> dict[str, float]:
        """Whether the effect of the treatment differs between leaves."""
        kept = self.kept
        matrices = {"": None}
        if self.model is not None:
            matrices["_adjusted"] = self.model.to_numpy()[kept]
        tests: dict[str, float] = {}
        for suffix, matrix in matrices.items():
            who = (self.leaf[kept], self.treated[kept], *self.outcome(kept))
            tested = interaction(*who, matrix, entry_of(self.entry, kept))
            tests |= {f"interaction_p{suffix}": tested.p, f"interaction_df{suffix}": tested.df}
        return tests


def _column(name: str, values: np.ndarray) -> pd.DataFrame:
    """A table of one column."""
    return import_optional("pandas", PURPOSE).DataFrame({name: values})


def _weights(
    weights, covariates: pd.DataFrame | None, treated: np.ndarray, kept: np.ndarray
) -> tuple[np.ndarray | None, list | None]:
    """Weights of the patients, NaN for those left out, and the balance where they are made here.

    treated, kept : (n,) bool arrays
    """
    if weights is None:
        return None, None
    if isinstance(weights, str):
        check_choice("weights", weights, KINDS)
        if covariates is None:
            raise InputError(
                f"weights is {weights!r} and there are no covariates",
                remedy="give what patients were treated by as covariates",
            )
        propensity = propensity_weights(treated[kept], covariates[kept], kind=weights)
        weight = np.full(len(treated), np.nan)
        weight[kept] = propensity.weights
        return weight, propensity.balance.reset_index().to_dict("records")
    weight = np.asarray(weights)
    if weight.shape != treated.shape or weight.dtype.kind not in "iuf":
        raise InputError(
            f"weights holds {weight.dtype} in shape {weight.shape}",
            remedy=f"give {len(treated)} numbers, or one of {', '.join(KINDS)}",
        )
    if len(bad := np.flatnonzero((weight < 0.0) | np.isinf(weight))):
        raise InputError(
            f"weights is {weight[bad[0]]:g} in row {bad[0]}",
            remedy="give numbers of at least 0; 0 or NaN leaves a patient out",
        )
    return weight.astype(np.float64), None


def _treatment(intervention, time: np.ndarray) -> np.ndarray:
    """Times of treatment as floats, infinite where there was none."""
    when = np.asarray(intervention)
    if when.shape != time.shape or when.dtype.kind not in "iuf":
        raise InputError(
            f"intervention holds {when.dtype} in shape {when.shape}",
            remedy=f"give {len(time)} numbers, NaN where there was no treatment",
        )
    when = np.where(np.isnan(when), np.inf, when.astype(np.float64))
    is_treated = np.isfinite(when)
    for wrong, what in (
        (when < 0.0, "before inclusion"),
        (is_treated & (when > time), "after the end of follow-up"),
    ):
        if len(bad := np.flatnonzero(wrong)):
            raise InputError(
                f"intervention is {when[bad[0]]:g} in row {bad[0]}, {what} ({len(bad)} rows)",
                remedy="correct the times: both are counted from inclusion",
            )
    return when


def _differences(treated: dict[str, float], untreated: dict[str, float]) -> dict[str, float]:
    """Treated less untreated; infinite where one curve does not fall so far."""
    delta = {}
    for name in QUARTILES:
        one, other = treated[name], untreated[name]
        delta[f"delta_{name}"] = math.nan if math.isinf(one) and math.isinf(other) else one - other
    half = [
        (group["last_survival_high"] - group["last_survival_low"]) / 2.0
        for group in (treated, untreated)
    ]
    delta["delta_last"] = treated["last_survival"] - untreated["last_survival"]
    delta["delta_last_half_width"] = math.hypot(*half)
    return delta
