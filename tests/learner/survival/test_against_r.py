"""Survival in leaves against R: numbers in reference.csv and the other tables of this folder.

They were made with R 4.2.2, survival 3.5-3 and cmprsk 2.2-11 by the calls in calls.csv
(`python tests/learner/survival/make_reference.py`). docs/r.md tells where we differ, and why.
"""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cohorts import (
    LANDMARKS,
    OF_THE_ARCHIVE,
    OF_THE_MIRROR,
    RULES,
    TIMES,
    Cohort,
    adjusted,
    cohorts,
    competing,
    late,
    of_lifelines,
    of_the_registry,
    treated,
)
from scipy.stats import norm

from hedgerow.showing.numbers import count
from hedgerow.survival import (
    FixedGroups,
    compare_groups,
    concordance,
    gray_test,
    group_survival,
    leaf_survival,
    logrank,
    propensity_weights,
    restricted_mean,
)
from hedgerow.survival.cox import cox

HERE = Path(__file__).parent
TABLES = ("reference.csv", "competing.csv", "treated.csv", "adjusted.csv", "entry.csv", "means.csv")
REFERENCE, COMPETING, TREATED, ADJUSTED, ENTRY, MEANS = (
    pd.read_csv(HERE / table) for table in TABLES
)
CALLS = pd.read_csv(HERE / "calls.csv")
#: Where R says something else. Of a curve that is flat at the quartile it takes the middle between
#: the event that brings it there and the next one, or the last time; we take that event.
MIDDLE = {
    ("larynx", 3, "q75"): (7.8, 10.1),
    ("colon", 3, "q25"): (465.0, 474.0),
    ("colon", 3, "median"): (929.0, 940.0),
    ("colon", 2, "q25_treated"): (1094.0, 1097.0),
    ("gbsg2", 3, "q25_treated"): (228.0, 318.0),
}
#: The last patient at risk has the event: R has an interval of the incidence there, we have none.
NO_INTERVAL = {("pbc", 3, "incidence_low"), ("pbc", 3, "incidence_high")}


def ours(cohort: Cohort, at: tuple[float, float]) -> dict[tuple[int, str], float]:
    """What we say of a cohort, by leaf (0: all) and quantity."""
    time, event, leaf, covariates = cohort
    found = {}
    table = leaf_survival(
        FixedGroups(leaf), None, time, event, covariates=covariates if len(covariates.T) else None
    )
    for number, t in enumerate(at, start=1):
        # Up to t: its last point is the one at t.
        cut = leaf_survival(
            FixedGroups(leaf), None, np.minimum(time, t), np.where(time > t, 0, event)
        )
        for name in ("last_survival", "incidence"):
            for end in ("", "_low", "_high"):
                if name + end in cut:
                    table[f"{name.removeprefix('last_')}_{number}{end}"] = cut[name + end]
        of_groups = group_survival(time, event, leaf, [t])[t]
        assert table[f"survival_{number}"].to_numpy() == pytest.approx(of_groups.to_numpy())
    for node, row in table.iterrows():
        found |= {(node, name): value for name, value in row.items()}
    found[0, "multivariate_logrank_p"] = table.attrs["multivariate_logrank_p"]
    assert logrank(time, event == 1, leaf).p == table.attrs["multivariate_logrank_p"]
    found[0, "concordance"] = concordance(time, event, leaf)
    if (event > 1).any():
        for cause in (1, 2):
            tested = gray_test(time, event, leaf, cause=cause)
            found[0, f"gray_{cause}"], found[0, f"gray_p_{cause}"] = tested.statistic, tested.p
        assert table.attrs["gray_p"] == found[0, "gray_p_1"]
        raw = np.sort(table["gray_p"])
        corrected = np.minimum(np.maximum.accumulate(raw * np.arange(len(raw), 0, -1)), 1.0)
        assert np.sort(table["gray_p_holm"]) == pytest.approx(corrected)
    return found


def of_treatment(cohort: Cohort, landmark: float) -> dict[tuple[int, str], float]:
    """What we say of the treated and the untreated, by leaf and quantity."""
    time, event, leaf, covariates = cohort
    when = np.where(covariates["treated"] == 1, 0.0, np.nan)
    table = compare_groups(FixedGroups(leaf), None, time, event, when, landmark=landmark)
    return {(node, name): row[name] for node, row in table.iterrows() for name in table}


def adjusted_and_weighted(cohort: Cohort) -> dict[tuple[int, str], float]:
    """What we say of the treated with covariates and with weights, by leaf and quantity."""
    time, event, leaf, covariates = cohort
    treated, more = covariates["treated"].to_numpy(), covariates.drop(columns="treated")
    # All are treated at inclusion or never; nobody is left out by counting from inclusion.
    given = (FixedGroups(leaf), None, time, event, np.where(treated == 1, 0.0, np.nan))
    same = {"landmark": 0.0, "counted_from": "inclusion", "covariates": more}
    found = {}
    for kind in ("overlap", "ate"):
        table = compare_groups(*given, **same, weights=kind)
        made = propensity_weights(treated, more, kind=kind)
        by_hand = compare_groups(*given, **same, weights=made.weights)
        for node, row in table.iterrows():
            assert row["hazard_ratio_weighted"] == by_hand.loc[node, "hazard_ratio_weighted"]
            found |= {(node, name): row[name] for name in table if name.endswith("_adjusted")}
            found |= {
                (node, f"{name}_{kind}"): row[name] for name in table if name.endswith("_weighted")
            }
        found[0, f"{kind}_1"], found[0, f"{kind}_last"] = made.weights[[0, -1]]
    found[0, "propensity_1"], found[0, "propensity_last"] = made.propensity[[0, -1]]
    return found | {(0, name): value for name, value in table.attrs.items()}


def of_the_late(cohort: Cohort) -> dict[tuple[int, str], float]:
    """What we say of patients who enter after the start, by leaf and quantity."""
    time, event, leaf, covariates = cohort
    entry, more = covariates["entry"].to_numpy(), covariates.drop(columns="entry")
    table = leaf_survival(FixedGroups(leaf), None, time, event, entry=entry, covariates=more)
    assert "gray_p" not in table and "gray_p" not in table.attrs
    found = {}
    for node, row in table.iterrows():
        found |= {(node, name): value for name, value in row.items()}
        weights = 1.0 + leaf % 3 + entry / time.max()
        frame = pd.DataFrame({"inside": leaf == node})
        weighted = cox(frame, "inside", time, event == 1, 0.95, entry=entry, weights=weights)
        found |= {(node, f"{name}_weighted"): value for name, value in weighted.items()}
    found[0, "multivariate_logrank_p"] = table.attrs["multivariate_logrank_p"]
    found[0, "concordance"] = concordance(time, event, leaf, entry=entry)
    return found


def of_means(cohort: Cohort, horizon: float) -> dict[tuple[int, str], float]:
    """What we say of mean times, by leaf and quantity; half of an interval is an error of R."""
    time, event, leaf, covariates = cohort
    found, z = {}, norm.ppf(0.975)
    for suffix, entry in (("", None), ("_late", covariates["entry"].to_numpy())):
        table = leaf_survival(FixedGroups(leaf), None, time, event, entry=entry, horizon=horizon)
        for node, row in table.iterrows():
            own = leaf == node
            made = restricted_mean(
                time[own], event[own], horizon, entry=None if entry is None else entry[own]
            )
            for name, values in (("rmst", made[:3]), ("time_lost", made[3:])):
                assert (row[name], row[f"{name}_low"], row[f"{name}_high"]) == values
                found[node, f"{name}{suffix}"] = values[0]
                found[node, f"{name}_error{suffix}"] = (values[2] - values[1]) / 2 / z
    return found


def check(name: str, found: dict, reference: pd.DataFrame, n_of_leaf: int, n_of_all: int) -> None:
    """All numbers that R has of a cohort are ours, but for those that are told above."""
    expected = reference[reference["cohort"] == name]
    leaves = {leaf for leaf, _ in found if leaf > 0}
    assert len(expected) == n_of_all + n_of_leaf * len(leaves)
    wrong = {}
    for _, leaf, quantity, value in expected.itertuples(index=False):
        own, key = found[leaf, quantity], (name, leaf, quantity)
        if key in MIDDLE:
            assert own == MIDDLE[key][0]
            own = sum(MIDDLE[key]) / 2
        if math.isnan(value) or key in NO_INTERVAL:
            # The curve does not fall so far, or there is no interval where it is 0 or 1.
            right = math.isinf(own) if quantity.startswith(("q", "med")) else math.isnan(own)
        else:
            right = own == pytest.approx(value, rel=1e-6, abs=0.0)
        if not right:
            wrong[leaf, quantity] = (own, value)
    assert not wrong


@pytest.mark.parametrize("name", sorted(cohorts() | of_lifelines()))
def test_survival_in_leaves_is_what_r_says(name):
    check(name, ours((cohorts() | of_lifelines())[name], TIMES[name]), REFERENCE, 32, 2)


@pytest.mark.parametrize("name", sorted(OF_THE_ARCHIVE))
def test_survival_in_leaves_is_what_r_says_of_the_archive(name, tmp_path):
    check(name, ours(of_the_registry(name, tmp_path), TIMES[name]), REFERENCE, 32, 2)


@pytest.mark.mirror
@pytest.mark.parametrize("name", sorted(OF_THE_MIRROR))
def test_survival_in_leaves_is_what_r_says_of_the_mirror(name, tmp_path):
    check(name, ours(of_the_registry(name, tmp_path), TIMES[name]), REFERENCE, 32, 2)


@pytest.mark.parametrize("name", sorted(competing()))
def test_competing_causes_are_what_r_says(name):
    check(name, ours(competing()[name], TIMES[name]), COMPETING, 10, 4)


@pytest.mark.mirror
@pytest.mark.parametrize("name", sorted(RULES))
def test_competing_causes_are_what_r_says_of_the_mirror(name, tmp_path):
    check(name, ours(of_the_registry(name, tmp_path), TIMES[name]), COMPETING, 10, 4)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.mirror if name in OF_THE_MIRROR else ())
        for name in sorted(LANDMARKS)
    ],
)
def test_the_treated_and_the_untreated_are_what_r_says(name, tmp_path):
    check(name, of_treatment(treated(name, tmp_path), *LANDMARKS[name]), TREATED, 29, 0)


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.mirror if name in OF_THE_MIRROR else ())
        for name in sorted(LANDMARKS)
    ],
)
def test_adjusted_and_weighted_models_are_what_r_says(name, tmp_path):
    check(name, adjusted_and_weighted(adjusted(name, tmp_path)), ADJUSTED, 12, 7)


@pytest.mark.parametrize("name", sorted(late()))
def test_patients_who_enter_late_are_what_r_says(name):
    # Risks are those of `hedgerow survival`: tests/clinic/test_risks_against_r.py.
    check(name, of_the_late(late()[name]), ENTRY[~ENTRY["name"].str.startswith("risk")], 27, 2)


@pytest.mark.parametrize("name", sorted(late()))
def test_mean_times_are_what_r_says(name):
    check(name, of_means(late()[name], TIMES[name][1]), MEANS, 8, 0)


@pytest.mark.parametrize("table", TABLES)
def test_every_number_has_its_call(table):
    calls = CALLS[CALLS["table"] == table]
    assert calls["name"].is_unique and calls["call"].notna().all()
    assert set(pd.read_csv(HERE / table)["name"]) <= set(calls["name"])


def test_conventions_in_which_we_differ():
    """What docs/r.md says of R, beside what we say: R 4.2.2 and survival 3.5-3 by hand."""
    # survdiff(Surv(c(.1 + .2, .3, ...), ...) ~ ...): R takes times that differ by rounding for one.
    time, event, group = (
        np.array([0.1 + 0.2, 0.3, 0.5, 0.7, 0.9, 1.1]),
        [1, 1, 1, 0, 1, 1],
        [0, 1] * 3,
    )
    assert logrank(time, np.array(event), np.array(group)).statistic == pytest.approx(0.81818182)
    rounded = logrank(time.round(9), np.array(event), np.array(group))
    assert rounded.statistic == pytest.approx(1.11111111111)
    # quantile(survfit(Surv(1:4, rep(1, 4)) ~ 1, conf.type = "log-log")): 1.5, 2.5, 3.5.
    row = leaf_survival(FixedGroups([0] * 4), None, [1, 2, 3, 4], [1] * 4).iloc[0]
    assert row[["q25", "median", "q75"]].tolist() == [1.0, 2.0, 3.0]
    # And of one patient with the event at 3: the lower limit is NA in R.
    row = leaf_survival(FixedGroups([0]), None, [3], [1]).iloc[0]
    assert row[["median_low", "median", "median_high"]].tolist() == [3.0, 3.0, math.inf]


def test_the_page_counts_what_is_stored():
    """The table and the total of docs/r.md."""
    page = (HERE.parents[2] / "docs/r.md").read_text(encoding="utf-8")
    rows = [line.strip("|").split("|") for line in page.splitlines() if line.startswith("| `")]
    told = {row[0].strip(" `"): [int(n.strip() or 0) for n in row[2:]] for row in rows if row[6:]}
    answers = [pd.read_csv(HERE / table) for table in (*TABLES, "population.csv")]
    counts = pd.concat([table.groupby("cohort").size() for table in answers], axis=1).fillna(0)
    none = pd.concat(answers).set_index("cohort")["value"].isna().groupby("cohort").sum()
    expected = counts.assign(none=none).astype(int)
    assert told == {name: row.tolist() for name, row in expected.iterrows()}
    n, missing = int(counts.sum().sum()), int(none.sum())
    words = f"{count(n)} answers on {len(counts)} cohorts, {count(n - missing)} of them numbers"
    assert words in " ".join(page.split())
