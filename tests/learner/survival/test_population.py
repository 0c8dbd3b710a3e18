"""Survival of the general population: by hand, a plain twin, R's survexp, bad tables."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from cohorts import TABLE_YEARS, YEARS, cohorts, gompertz_table, people
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from oracle.survival import expected

from hedgerow.errors import InputError
from hedgerow.files import read_csv
from hedgerow.survival import FixedGroups, expected_survival, leaf_survival

REFERENCE = read_csv(Path(__file__).with_name("population.csv"))
TABLE = gompertz_table()
BY_YEAR = gompertz_table(TABLE_YEARS)
#: Whole years, halves, and what lies before and beyond the table.
persons = st.lists(
    st.tuples(
        st.integers(36, 210).map(lambda halves: halves / 2),
        st.sampled_from(["F", "M"]),
        st.integers(7960, 8080).map(lambda quarters: quarters / 4),
    ),
    min_size=1,
    max_size=6,
)


def rates(table, has_years):
    """The life table as a function of whole years."""
    keys = ["age", "sex", "year"] if has_years else ["age", "sex"]
    found = table.set_index(keys)["hazard"].to_dict()

    def rate(age, sex, year):
        year = min(max(year, TABLE_YEARS[0]), TABLE_YEARS[-1])
        return found[(min(age, 95), sex, year) if has_years else (min(age, 95), sex)]

    return rate


@given(persons, st.lists(st.integers(0, 120), min_size=1, max_size=4), st.booleans())
@examples(200)
def test_it_is_what_the_rates_add_up_to(patients, quarters, has_years):
    table, at = BY_YEAR if has_years else TABLE, sorted(t / 4 for t in quarters)
    age, sex, year = (list(column) for column in zip(*patients, strict=True))
    more = {"year": year} if has_years else {}
    found = expected_survival(at, age, sex, table, **more)
    assert found == pytest.approx([expected(t, patients, rates(table, has_years)) for t in at])


@pytest.mark.parametrize("name", sorted(cohorts()))
def test_it_is_what_r_says(name):
    patients, n_compared = people()[name], 0
    for has_years, table in (("yes", BY_YEAR), ("no", TABLE)):
        for leaf, own in patients.groupby("leaf"):
            more = {"year": own["year"]} if has_years == "yes" else {}
            found = expected_survival(YEARS, own["age"], own["sex"], table, **more)
            asked = (REFERENCE["cohort"] == name) & (REFERENCE["leaf"] == leaf)
            answer = REFERENCE[asked & (REFERENCE["years"] == has_years)].sort_values("at")
            assert answer["at"].tolist() == list(YEARS)
            assert found == pytest.approx(answer["value"].to_numpy(), rel=1e-9)
            n_compared += len(found)
    assert n_compared == (REFERENCE["cohort"] == name).sum()


def test_one_rate_at_all_ages_has_a_closed_form():
    table = TABLE.assign(hazard=np.where(TABLE["sex"] == "M", 0.1, 0.05))
    at, sex = np.array([0.0, 0.3, 7.0, 60.0]), ["M", "F", "F", "F"]
    found = expected_survival(at, [20.0, 30.3, 60.7, 97.0], sex, table)
    assert found == pytest.approx(0.25 * np.exp(-0.1 * at) + 0.75 * np.exp(-0.05 * at))


def test_probabilities_and_rates_are_the_same():
    q = (
        TABLE.assign(q=-np.expm1(-TABLE["hazard"]))
        .drop(columns="hazard")
        .sample(frac=1, random_state=0)
    )
    age, sex = np.linspace(20, 100, 9), np.array(["F", "M", "F"] * 3)
    one, two = (expected_survival([1, 10], age, sex, table) for table in (TABLE, q))
    assert one == pytest.approx(two, rel=1e-12)
    years = pd.concat([TABLE.assign(year=year) for year in TABLE_YEARS])
    assert expected_survival([1, 10], age, sex, years, year=age + 1950) == pytest.approx(one)
    categories = q.assign(sex=pd.Categorical(q["sex"]), age=q["age"].astype(float))
    series = pd.Series(pd.Categorical(sex))
    assert expected_survival([1, 10], age, series, categories) == pytest.approx(one)


def test_leaves_have_the_population_beside_them():
    cohort, patients = cohorts()["lung"], people()["lung"]
    years = cohort.time / 365.25
    plain = leaf_survival(FixedGroups(cohort.leaf), None, years, cohort.event)
    table = leaf_survival(
        FixedGroups(cohort.leaf),
        None,
        years,
        cohort.event,
        life_table=BY_YEAR,
        **{name: patients[name] for name in ("age", "sex", "year")},
    )
    new = ["q25_expected", "median_expected", "q75_expected", "last_survival_expected"]
    assert set(table) - set(plain) == set(new)
    pd.testing.assert_frame_equal(table.drop(columns=new), plain)
    for leaf, own in patients.groupby("leaf"):
        row = table.loc[leaf]
        at = [*row[new[:3]], row["last_time"]]
        for t, share in zip(at, [0.75, 0.5, 0.25, row["last_survival_expected"]], strict=True):
            found = expected_survival([t], own["age"], own["sex"], BY_YEAR, year=own["year"])
            assert found[0] == pytest.approx(share, abs=1e-9)
        assert row["median"] < row["q25_expected"]  # advanced lung cancer


def test_a_population_that_does_not_die_and_one_that_does_at_once():
    leaf, time, event = FixedGroups([0, 0, 1]), [1, 2, 3], [1, 1, 1]
    table = pd.DataFrame({"age": [50, 51], "sex": "F", "q": [0.0, 0.0]})
    given = {"life_table": table, "age": [50, 50, 51], "sex": ["F"] * 3}
    found = leaf_survival(leaf, None, time, event, **given)
    assert (found["q25_expected"] == math.inf).all() and (
        found["last_survival_expected"] == 1
    ).all()
    table["q"] = [0.0, 1.0]
    found = leaf_survival(leaf, None, time, event, **given)
    assert found["q25_expected"].tolist() == pytest.approx([1.0, 0.0], abs=1e-9)
    assert found["q75_expected"].tolist() == pytest.approx([1.0, 0.0], abs=1e-9)


# ---------------------------------------------------------------------------------- bad input

SMALL = pd.DataFrame({"age": [60, 61] * 2, "sex": ["F", "F", "M", "M"], "q": [0.1, 0.2, 0.3, 0.4]})


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (None, "the life table is no data frame with rows; give one with the columns age, sex"),
        (SMALL[:0], "the life table is no data frame with rows"),
        (SMALL.drop(columns="age"), "the life table has no column 'age'; give the columns age"),
        (SMALL.drop(columns="sex"), "the life table has no column 'sex'"),
        (SMALL.drop(columns="q"), "the life table has no column 'q'"),
        (SMALL.assign(hazard=0.1), "the life table has q and hazard"),
        (SMALL.assign(q=[0.1, 0.2, 1.5, 0]), r"has the q 1\.5 in row 2; give probabilities from 0"),
        (SMALL.assign(q=[0.1, np.nan, 0, 0]), "has the q nan in row 1"),
        (SMALL.assign(q=["a", "b", "c", "d"]), "has the q 'a' in row 0"),
        (
            SMALL.drop(columns="q").assign(hazard=-1.0),
            r"has the hazard -1\.0 in row 0; give rates of 0",
        ),
        (SMALL.assign(age=[60, 60.5, 60, 61]), r"has the age 60\.5 in row 1; give whole numbers"),
        (SMALL.assign(age=[60, 700, 60, 61]), "has the age 700 in row 1; .* from 0 to 130"),
        (SMALL.assign(age=[60, None, 60, 61]), "has the age nan in row 1"),
        (SMALL.assign(year=[2000.5] * 4), r"has the year 2000\.5 in row 0"),
        (SMALL.assign(sex=["F", None, "M", "M"]), "has no sex in row 1"),
        (SMALL.assign(sex="F"), "has sex F, age 60 twice; keep one of the rows"),
        (SMALL[:3], "no row of sex M, age 61; give all ages from 60 to 61"),
        (SMALL.assign(age=[60, 62, 60, 62]), "no row of sex F, age 61"),
        (
            SMALL.assign(year=[2000, 2000, 2001, 2001]),
            "no row of sex F, year 2001, age 60; .* in all years from 2000 to 2001",
        ),
    ],
)
def test_life_tables_that_are_none(table, message):
    with pytest.raises(InputError, match=message):
        expected_survival([1.0], [60.0], ["F"], table)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"age": [59.0]}, "age is 59 in row 0 and the life table begins at 60 .1 rows.; give a"),
        ({"age": [np.nan]}, "age is nan in row 0, and wrong in 1 rows; give years from 0 to 130"),
        ({"age": [22000]}, "age is 22000 in row 0"),
        ({"age": ["60"]}, "age holds <U2"),
        ({"age": [[60.0]]}, r"age holds float64 in shape \(1, 1\)"),
        ({"age": [60.0, 61.0]}, "there are 2 ages, 1 sexes and 2 years; give one of each"),
        ({"age": [], "sex": []}, "age holds|there are no patients"),
        ({"age": np.zeros(0), "sex": []}, "there are no patients"),
        ({"sex": ["f"]}, "sex is 'f' in row 0 and the life table knows 'F', 'M' .1 rows.; write"),
        ({"sex": [None]}, "sex is None in row 0"),
        ({"sex": "F"}, r"sex has shape \(\)"),
        ({"year": [2000]}, "year is given and the life table has no years; leave it out"),
        ({"at": 1.0}, r"at holds float64 in shape \(\); give a list of times"),
        ({"at": [2.0, 1.0]}, "at holds times that do not ascend from 0 to at most 200"),
        ({"at": [-1.0]}, "at holds times that do not ascend"),
        ({"at": [np.nan]}, "at holds times that do not ascend"),
        ({"at": [3650.0]}, "at holds times that do not ascend .* give years since inclusion"),
        ({"life_table": SMALL.assign(year=2000)}, "has years and year is not given; give the"),
        ({"life_table": SMALL.assign(year=2000), "year": [np.nan]}, "year is nan in row 0"),
    ],
)
def test_people_who_are_none(more, message):
    given = {"at": [1.0], "age": [60.0], "sex": ["F"], "life_table": SMALL} | more
    with pytest.raises(InputError, match=message):
        expected_survival(**given)


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"life_table": SMALL, "age": [60, 60]}, "sex is not given; give life_table, age and sex"),
        ({"age": [60, 60], "sex": ["F", "F"]}, "life_table is not given"),
        ({"year": [2000, 2000]}, "life_table is not given"),
        ({"life_table": SMALL, "age": [60], "sex": ["F"]}, "there are 1 ages and 2 times"),
    ],
)
def test_leaves_without_a_whole_population(more, message):
    with pytest.raises(InputError, match=message):
        leaf_survival(FixedGroups([0, 0]), None, [1, 2], [1, 1], **more)


def test_times_in_days_are_told():
    given = {"life_table": SMALL, "age": [60, 60], "sex": ["F", "M"]}
    with pytest.raises(InputError, match="time goes to 900; give it in years"):
        leaf_survival(FixedGroups([0, 0]), None, [100, 900], [1, 1], **given)
