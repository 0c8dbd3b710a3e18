"""Survival in the leaves of a tree: curves, tests, hazard ratios (thesis 6.2.3, table 6.3)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import chi2

from hedgerow.checks import LARGEST, check_number
from hedgerow.errors import InputError
from hedgerow.optional_imports import import_optional
from hedgerow.survival.cox import cox
from hedgerow.survival.estimates import PURPOSE, curve, holm, incidence, leaves_of, model_matrix
from hedgerow.survival.gray import gray_test
from hedgerow.survival.labels import checked_entry, checked_follow_up, entry_of, refuse_entry
from hedgerow.survival.logrank import logrank, logrank_one_by_one
from hedgerow.survival.population import LONGEST, MatchedPopulation
from hedgerow.survival.restricted import restricted_estimates
from hedgerow.tree.table import check_row_order

if TYPE_CHECKING:
    import pandas as pd

#: Columns of p values, before suffixes.
TESTS = ("logrank_p", "logrank_p_rest", "gray_p", "cox_p")


class FixedGroups:
    """A tree of which only the leaf of each patient is known: groups that any rule made.

    Parameters
    ----------
    leaf : (n,) array
    """

    def __init__(self, leaf):
        self._leaf = np.asarray(leaf)

    def apply(self, X) -> np.ndarray:
        """The leaves, whatever X is, (n,) array."""
        return self._leaf


def leaf_numbers(tree: Any) -> dict[int, int]:
    """Number of each leaf, from 1, in the order in which a drawing has them from left to right.

    Parameters
    ----------
    tree : Tree or fitted classifier

    Returns
    -------
    dict
        Node of the leaf to its number.
    """
    tree = getattr(tree, "tree_", tree)
    numbers: dict[int, int] = {}
    stack = [0]
    while stack:
        node = stack.pop()
        if tree.feature[node] < 0:
            numbers[node] = len(numbers) + 1
        else:
            stack += [int(tree.children_right[node]), int(tree.children_left[node])]
    return numbers


def leaf_survival(
    tree: Any,
    X,
    time,
    event,
    *,
    entry=None,
    covariates: pd.DataFrame | None = None,
    horizon: float | None = None,
    cause: int = 1,
    confidence: float = 0.95,
    life_table: pd.DataFrame | None = None,
    age=None,
    sex=None,
    year=None,
) -> pd.DataFrame:
    """Survival of the patients in each leaf of a tree (thesis 6.2.3 and table 6.3).

    Parameters
    ----------
    tree : Tree or fitted classifier
        Each patient belongs to the leaf with the largest share of it.
    X : (n, m) array or data frame
        As the tree takes it: a classifier what it was fitted to, a `Tree` codes of categories.
    time, event : (n,) arrays
        As in `horizon_labels`. Events of another cause end the follow-up, save in `incidence`.
    entry : (n,) array, optional
        When each patient came under observation, in the unit of `time`; 0 for patients followed
        from the start. At risk at t are those with entry < t <= time (left truncation). Curves and
        incidence are then of those who live to the first entry of their leaf; a curve that falls
        to 0 before others enter stays there. There is no `gray_p` then.
    covariates : DataFrame of n rows, optional
        What the adjusted Cox models are adjusted for; numbers, True and False, or categories.
        Patients with a missing one are left out of these models (`n_adjusted`).
    horizon : float > 0, optional
        In the unit of `time`: up to it are the means `rmst` and `time_lost`.
    cause : int, default 1
    confidence : float, default .95
        Of all intervals.
    life_table, age, sex, year : optional
        As in `expected_survival`, of the same n patients; times are in years then.

    Returns
    -------
    DataFrame
        One row per leaf in which there are patients, by its node (index `leaf`):

        - `n`, `events`;
        - `q25`, `median`, `q75`: times at which a quarter, half and three quarters have had the
          event (Kaplan-Meier; infinite where the curve ends above), each with `_low` and `_high`
          (log-log intervals of Greenwood's variance; no upper limit, infinite, where only a last
          fall to 0 lies below);
        - `last_time`, `last_survival` with `_low` and `_high`: the last point of the curve,
          without an interval where it is 0 or 1;
        - with a life table `q25_expected`, `median_expected`, `q75_expected` and
          `last_survival_expected` (at `last_time`): the same of the general population of the ages
          and sexes in the leaf, who die of all causes (`expected_survival`);
        - with a horizon `rmst`, with `_low` and `_high`: the mean time without the event up to it,
          and where there are events of other causes `time_lost`, the mean time lost to this one
          (`restricted_mean`); NaN where nobody in the leaf is followed so far;
        - `incidence` with `_low` and `_high`, where there are events of other causes: the share
          who have the event in the end, where others keep some from it (Aalen-Johansen);
        - `logrank_p`: two-sample log-rank of the leaf against all patients, the leaf among them,
          as published; `logrank_p_rest`: against all others. Both compare how fast the event comes
          among those still at risk;
        - `gray_p`, where there are events of other causes: Gray's test of the incidence in the leaf
          against that in all others (`gray_test`);
        - `hazard_ratio` with `_low`, `_high`, `cox_p` and `ph_p`: Cox model of the leaf against all
          others, Wald test, and the test of proportional hazards (score test of a ratio that
          changes with the rank of time: Grambsch and Therneau 1994); `cox_note` says in a word why
          they are missing;
        - with covariates the same, adjusted, with the suffix `_adjusted`, and `n_adjusted`;
        - each p with the suffix `_holm`, corrected over the leaves.

        `attrs` hold `multivariate_logrank_p` and, where there are events of other causes, `gray_p`
        (all leaves), `confidence` and `cause`.

    Raises
    ------
    InputError
        Follow-up as `horizon_labels` says, or unequal numbers of patients; covariates that are no
        numbers or categories; entries that are missing, negative or not before `time`, or beside a
        life table, which is of people followed from the start; a life table as `expected_survival`
        says, or times of more years than people live.
    LibraryError
        lifelines is not installed (extra `survival`).
    """
    pd = import_optional("pandas", PURPOSE)
    import_optional("lifelines", PURPOSE)
    check_number("confidence", confidence, 0.5, 0.9999)
    check_row_order("covariates", covariates, X)
    if horizon is not None:
        check_number("horizon", horizon, 0.0, LARGEST)
    time, event = checked_follow_up(time, event, cause)
    entry = checked_entry(entry, time)
    leaf = leaves_of(tree, X, len(time))
    model = None if covariates is None else model_matrix(covariates, len(time))
    people = _matched(time, entry, age, sex, life_table, year)
    died = event == cause
    several = bool(((event != 0) & ~died).any())
    gray = several and entry is None
    tests = logrank_one_by_one(time, died, leaf, entry=entry)
    rows = []
    for place, node in enumerate(tests.groups):
        inside = leaf == node
        row: dict[str, Any] = {"leaf": int(node), "n": int(inside.sum())}
        row["events"] = int(died[inside].sum())
        data = (time[inside], event[inside], entry_of(entry, inside))
        matched = None if people is None else people[inside]
        row |= _by_itself(*data, matched, cause, confidence, horizon, several)
        alone = bool(inside.all())
        row["logrank_p"] = float(chi2.sf(tests.against_all[place], 1))
        row["logrank_p_rest"] = math.nan if alone else float(chi2.sf(tests.against_rest[place], 1))
        if gray:
            row["gray_p"] = math.nan if alone else gray_test(time, event, inside, cause=cause).p
        row |= cox(pd.DataFrame({"leaf": inside}), "leaf", time, died, confidence, entry=entry)
        if model is not None:
            adjusted = cox(model.assign(leaf=inside), "leaf", time, died, confidence, entry=entry)
            row |= {f"{name}_adjusted": value for name, value in adjusted.items()}
            row["n_adjusted"] = int(model.notna().all(axis=1).sum())
        rows.append(row)
    table = pd.DataFrame(rows).set_index("leaf")
    for name in [name for name in table if name.removesuffix("_adjusted") in TESTS]:
        table[f"{name}_holm"] = holm(table[name].to_numpy())
    overall = logrank(time, died, leaf, entry=entry).p if len(rows) > 1 else math.nan
    table.attrs = {"multivariate_logrank_p": overall, "confidence": confidence, "cause": cause}
    if gray:
        tested = gray_test(time, event, leaf, cause=cause)
        table.attrs["gray_p"] = tested.p if len(rows) > 1 else math.nan
    return table


def _by_itself(
    time,
    event,
    entry,
    people: MatchedPopulation | None,
    cause: int,
    confidence: float,
    horizon,
    several,
) -> dict[str, Any]:
    """What the patients of a leaf tell without the others."""
    row: dict[str, Any] = curve(time, event == cause, confidence, entry)
    if people is not None:
        row |= {f"{name}_expected": years for name, years in people.quartiles().items()}
        row["last_survival_expected"] = float(people.survival([row["last_time"]])[0])
    if horizon is not None:
        means = restricted_estimates(time, event, horizon, cause, confidence, entry)
        for name, values in (("rmst", means[:3]), ("time_lost", means[3:])):
            if several or name == "rmst":
                row |= dict(zip((name, f"{name}_low", f"{name}_high"), values, strict=True))
    if several:
        row |= incidence(time, event, cause, confidence, entry)
    return row


def _matched(time: np.ndarray, entry, age, sex, life_table, year) -> MatchedPopulation | None:
    """The general population of the patients; None where nothing is given of it."""
    if all(given is None for given in (life_table, age, sex, year)):
        return None
    refuse_entry(entry, "survival of the general population is not to be compared")
    for name, given in (("life_table", life_table), ("age", age), ("sex", sex)):
        if given is None:
            raise InputError(
                f"{name} is not given", remedy="give life_table, age and sex, or none of them"
            )
    people = MatchedPopulation(age, sex, life_table, year)
    if len(people) != len(time):
        wrong = f"there are {len(people)} ages and {len(time)} times"
        raise InputError(wrong, remedy="give one per patient")
    if time.max() > LONGEST:
        wrong = f"time goes to {time.max():g}"
        raise InputError(wrong, remedy="give it in years, as the life table has ages")
    return people
