"""Cohorts: rows become patients; facts that do not fit are refused, one sentence each."""

import copy
import dataclasses
import json
import re

import numpy as np
import pandas as pd
import pytest
import yaml
from effort import draws
from made_up import ROOT, WILD, places

from hedgerow.data import CohortFacts, TidyTable, cohort, fetch, load_registry, tidy
from hedgerow.errors import DataError, HedgerowError
from hedgerow.survival import compare_groups, horizon_labels, leaf_survival, risk_groups

# ------------------------------------------------------------------------------------ real cohorts

#: Set -> patients, inputs, events by cause; by the horizon, of the natural history: with the event,
#: without, censored before; treated by the landmark, and at all.
KNOWN = {
    "actg320": (1151, 8, (96,), (78, 835, 238), (574, 574)),
    "bmt": (137, 9, (81,), (73, 62, 2), (40, 40)),
    "colon": (929, 9, (452,), (404, 511, 14), (304, 304)),
    "ebmt1": (1977, 2, (872,), (698, 1199, 80), None),
    "flchain": (7874, 6, (2169,), (1764, 5070, 1040), None),
    "follic": (541, 3, (272, 76), (203, 285, 53), (118, 118)),
    "framingham": (4699, 6, (1473,), (397, 3941, 361), None),
    "gbsg2": (686, 7, (299,), (224, 331, 131), (246, 246)),
    "heart_failure": (299, 11, (96,), (69, 187, 43), None),
    "heart_valve": (256, 18, (54,), (38, 108, 110), (133, 133)),
    "hodgkin": (865, 5, (291, 135), (248, 595, 22), (249, 249)),
    "lung": (228, 7, (165,), (121, 65, 42), None),
    "melanoma": (205, 4, (57, 14), (45, 122, 38), None),
    "mgus2": (1384, 5, (963,), (765, 436, 183), None),
    "pbc": (312, 16, (125,), (92, 130, 90), (158, 158)),
    "peak_vo2": (2231, 39, (726,), (621, 940, 670), None),
    "rossi": (432, 6, (114,), (114, 318, 0), (216, 216)),
    "rotterdam": (2982, 8, (1272,), (753, 2084, 145), (339, 339)),
    "stanford2": (184, 2, (113,), (77, 92, 15), None),
    "stanford_heart_intervals": (103, 2, (75,), (24, 20, 59), (39, 69)),
    "support2": (9105, 31, (6201,), (4265, 4840, 0), None),
    "synthetic_aortic_stenosis": (2761, 39, (806, 436), (437, 441, 1883), (450, 1167)),
    "trace": (1878, 6, (958, 10, 2), (881, 981, 16), None),
    "veteran": (137, 5, (128,), (73, 61, 3), (68, 68)),
    "whas500": (500, 13, (215,), (138, 362, 0), None),
    "wihs": (1164, 4, (359, 679), (156, 898, 110), None),
}


def real(registry, folder, key):
    """Table and cohort of a set that is in the mirror or generated."""
    table = tidy(registry[key], fetch(registry[key], folder, kinds={"mirror", "synthetic"}))
    return table, cohort(table, registry[key].cohort)


def measured(made):
    labels = horizon_labels(*made.natural_history(), made.horizon).y
    events = tuple(int((made.event == i + 1).sum()) for i in range(len(made.causes)))
    counts = tuple(int((labels == y).sum()) for y in (1, 0, -1))
    treated = None
    if made.intervention is not None:
        when = made.intervention
        treated = (int((when <= made.landmark).sum()), int(np.isfinite(when).sum()))
    return len(made), made.X.shape[1], events, counts, treated


def test_every_survival_set_is_a_cohort_or_says_why_not(registry):
    survival = {key: entry for key, entry in registry.items() if entry.task == "survival"}
    assert set(KNOWN) == {key for key, entry in survival.items() if entry.cohort}
    rest = [entry.note for key, entry in survival.items() if key not in KNOWN]
    assert rest and all(note.startswith("No cohort: ") for note in rest)


@pytest.mark.parametrize(
    "key", [k if "synthetic" in k else pytest.param(k, marks=pytest.mark.mirror) for k in KNOWN]
)
def test_patients_events_and_treatments(registry, tmp_path, key):
    entry = registry[key]
    table, made = real(registry, tmp_path, key)
    assert measured(made) == KNOWN[key]
    assert made.time.dtype == np.float64 and made.event.dtype == np.int64
    assert made.name == key and made.time.min() >= 0.0
    assert not {*made.X} & entry.cohort.no_inputs()
    # Inputs are the set's own columns, as they are there.
    assert all(made.X[name].dtype == table.X[name].dtype for name in made.X)
    assert list(made.X) == [name for name in table.X if name in set(made.X)]
    # Both classes bear a tree and its test part; hundreds of years are a wrong unit.
    assert min(measured(made)[3][:2]) >= 20
    assert 0.05 < made.horizon < 16.0 and made.horizon <= made.time.max() < 40.0
    assert list(made.covariates) == list(entry.cohort.adjust_for)


def test_facts_are_plain_values_and_come_back(registry):
    for entry in registry.values():
        if entry.cohort:
            plain = entry.cohort.to_dict()
            assert CohortFacts.from_dict(json.loads(json.dumps(plain))) == entry.cohort


@pytest.mark.mirror
def test_visits_of_heart_valve_are_those_of_the_numbered_patients(registry, tmp_path):
    """Patients are told apart by what does not change; the file alone numbers them."""
    raw = fetch(registry["heart_valve"], tmp_path, kinds={"mirror"})
    made = cohort(tidy(registry["heart_valve"], raw), registry["heart_valve"].cohort)
    file = pd.read_csv(raw.path).sort_values("time", kind="stable")
    first = file.groupby("num").first()
    assert len(made) == len(first) == 256
    expected = np.sort(first["fuyrs"] - first["time"])
    np.testing.assert_allclose(np.sort(made.time), expected)
    for name in ("grad", "lvmi", "ef"):
        there = file.groupby("num").nth(0)[name]
        np.testing.assert_array_equal(np.sort(made.X[name]), np.sort(there))


@pytest.mark.mirror
def test_intervals_of_stanford_are_its_patients(registry, tmp_path):
    """The other form counts one day less (half a day for one who died on the day)."""
    _, made = real(registry, tmp_path / "a", "stanford_heart_intervals")
    entry = registry["stanford_heart"]
    other = tidy(entry, fetch(entry, tmp_path / "b", kinds={"mirror"}))
    joined = pd.DataFrame({"age": made.X["age"] + 48.0, "time": made.time * 365.25})
    joined["wait"], joined["event"] = made.intervention * 365.25, made.event
    joined = joined.sort_values(["age", "time"], ignore_index=True)
    rows = pd.DataFrame({"age": other.X["age"], "time": other.time, "wait": other.X["wait.time"]})
    rows = rows.assign(event=other.y).sort_values(["age", "time"], ignore_index=True)
    assert len(joined) == len(rows) == 103
    np.testing.assert_allclose(joined["age"], rows["age"])
    np.testing.assert_array_equal(joined["event"], rows["event"])
    np.testing.assert_allclose(joined["time"] - rows["time"], 1.0)
    assert rows["wait"].notna().sum() == 69
    np.testing.assert_array_equal(joined["wait"].isna(), rows["wait"].isna())
    later = (joined["wait"] - rows["wait"]).dropna()
    assert sorted(later.round(9))[:2] == [0.5, 1.0] and later.max() < 1.0 + 1e-9


@pytest.mark.mirror
def test_the_survival_room_takes_a_cohort(registry, tmp_path):
    """Eight patients of heart_valve have no follow-up after their first visit."""
    _, made = real(registry, tmp_path, "heart_valve")
    assert (made.time == 0.0).sum() == 8
    time, event = made.natural_history()
    found = risk_groups(made.X, time, event, horizon=made.horizon, random_state=15)
    table = leaf_survival(found.estimator, made.X, time, event, covariates=made.covariates)
    assert table["n"].sum() == 256 and table["events"].sum() == 54
    groups = compare_groups(
        found.estimator, made.X, made.time, made.event, made.intervention, landmark=made.landmark
    )
    assert groups["n"].sum() == 248 and groups["n_treated"].sum() <= 133


# ----------------------------------------------------------------------------------- made-up tables


def table_of(columns, time, labels, classes=("censored", "event")):
    """A tidy table, unsorted; text columns are categories."""
    X = pd.DataFrame(
        {
            name: pd.Categorical(list(map(str, values)))
            if any(isinstance(value, str) for value in values)
            else np.asarray(values, dtype=np.float64)
            for name, values in columns.items()
        }
    )
    y = np.array([list(classes).index(label) for label in labels])
    return TidyTable("made", X, y, list(classes), "status", time=np.asarray(time, float))


def facts_of(**changes):
    return CohortFacts.from_dict({"unit": "days", "event": "event", "horizon": 365.25, **changes})


def test_years_and_a_patient_followed_to_the_horizon():
    for unit, year in {"days": 365.25, "weeks": 52.1775, "months": 12, "years": 1}.items():
        for n in (1, 3, 7):
            horizon = n * year / 7
            table = table_of({"a": [1, 2, 3]}, [horizon] * 3, ["event", "censored", "censored"])
            made = cohort(table, facts_of(unit=unit, horizon=horizon))
            np.testing.assert_allclose(made.time, n / 7)
            assert horizon_labels(made.time, made.event, made.horizon).y.tolist() == [1, 0, 0]


def test_causes_are_numbered_and_what_ends_follow_up_is_none():
    classes = ("censored", "a", "b", "c", "d")
    table = table_of({"x": range(5)}, [1, 2, 3, 4, 0], classes, classes)
    made = cohort(table, facts_of(event="c", ends_follow_up=["b"]))
    assert made.causes == ("c", "a", "d")
    assert made.event.tolist() == [0, 2, 0, 1, 3]
    assert made.time[4] == 0.0


def test_columns_that_are_no_inputs():
    table = table_of(
        {"x": [1, 2], "later": [0, 1], "sex": ["0", "1"], "drug": ["yes", "no"]},
        [5, 6],
        ["event", "censored"],
    )
    facts = facts_of(
        leave_out=["later"], intervention={"given": "drug", "treated": "yes"}, adjust_for=["sex"]
    )
    made = cohort(table, facts)
    assert list(made.X) == ["x", "sex"] and list(made.covariates) == ["sex"]
    assert list(made.X["sex"].cat.categories) == ["0", "1"]
    assert made.at_inclusion and made.landmark == 0.0
    np.testing.assert_array_equal(made.intervention, [0.0, np.nan])
    assert made.natural_history()[0] is made.time and made.natural_history()[1] is made.event


def test_the_natural_history_ends_with_the_intervention():
    table = table_of(
        {"x": range(5), "operated": [np.nan, 2, 4, 0, 9]},
        [3, 3, 4, 5, 10],
        ["event", "event", "event", "event", "censored"],
    )
    facts = facts_of(unit="years", horizon=4, intervention={"time": "operated"}, landmark=3)
    made = cohort(table, facts)
    time, event = made.natural_history()
    # Who dies on the day of the operation does not die untreated.
    assert time.tolist() == [3, 2, 4, 0, 9] and event.tolist() == [1, 0, 0, 0, 0]
    assert not made.at_inclusion and made.landmark == 3.0
    assert made.time.tolist() == [3, 3, 4, 5, 10] and made.event.tolist() == [1, 1, 1, 1, 0]


def test_rows_of_some_values_only():
    table = table_of(
        {"x": range(4), "kind": [1, 2, 2, np.nan], "arm": ["a", "b", "c", "b"]},
        [1, 2, 3, 4],
        ["event", "event", "censored", "event"],
    )
    assert cohort(table, facts_of(rows={"where": {"kind": [2]}})).X["x"].tolist() == [1, 2]
    both = facts_of(rows={"where": {"kind": [1, 2], "arm": ["b"]}})
    assert cohort(table, both).X["x"].tolist() == [1] and list(cohort(table, both).X) == ["x"]


def test_the_first_visit_is_the_baseline_and_follow_up_begins_there():
    table = table_of(
        {
            "id": [2, 1, 1, 2, 3, 1],
            "age": [60, 50, 50, 60, np.nan, 50],
            "visit": [0.5, 3, 1, 2, 4, 2],
            "grad": [7, 30, 10, 8, np.nan, 20],
            "drug": ["yes", "no", "no", "yes", "no", "no"],
        },
        [6, 5, 5, 6, 4, 5],
        ["censored", "event", "event", "censored", "event", "event"],
    )
    facts = facts_of(
        unit="years",
        horizon=4,
        rows={"visit": "visit", "varying": ["grad"]},
        intervention={"given": "drug", "treated": "yes"},
        adjust_for=["grad"],
    )
    made = cohort(table, facts)
    assert made.X["id"].tolist() == [2, 1, 3] and list(made.X) == ["id", "age", "grad"]
    np.testing.assert_array_equal(made.X["grad"], [7, 10, np.nan])
    np.testing.assert_array_equal(made.covariates["grad"], [7, 10, np.nan])
    assert made.time.tolist() == [5.5, 4.0, 0.0] and made.event.tolist() == [0, 1, 1]
    np.testing.assert_array_equal(made.intervention, [0.0, np.nan, np.nan])


def test_a_treatment_is_counted_from_the_first_visit_as_well():
    table = table_of(
        {"id": [1, 1, 2], "visit": [1, 2, 0], "operated": [3, 3, np.nan]}, [5, 5, 4], ["event"] * 3
    )
    facts = facts_of(
        unit="years", rows={"visit": "visit"}, intervention={"time": "operated"}, landmark=2
    )
    np.testing.assert_array_equal(cohort(table, facts).intervention, [2, np.nan])


def intervals(**changes):
    """Four patients: treated after a while, never, at once, and with a value that changes."""
    columns = {
        "id": [1, 1, 2, 3, 4, 4, 4],
        "start": [0, 5, 0, 0, 0, 2, 6],
        "drug": [0, 1, 0, 1, 0, 0, 1],
        "weight": [70, 70, 80, 90, 60, 61, 62],
    }
    stop, labels = [5, 9, 4, 7, 2, 6, 8], ["censored", "event", "event"] + ["censored"] * 4
    stop, labels = changes.pop("stop", stop), changes.pop("labels", labels)
    table = table_of({**columns, **changes}, stop, labels)
    order = np.random.default_rng(15).permutation(len(table))
    shuffled = {"X": table.X.iloc[order].reset_index(drop=True), "y": table.y[order]}
    return dataclasses.replace(table, **shuffled, time=table.time[order])


INTERVALS = {
    "unit": "years",
    "rows": {"start": "start", "varying": ["weight"]},
    "intervention": {"given": "drug", "treated": 1},
    "landmark": 3,
}


VISITS = {"visit": "when", "varying": ["weight"]}


@pytest.mark.parametrize(
    "changes",
    [
        {"start": [0, 6, 0, 0, 0, 2, 6]},  # a gap
        {"start": [0, 4, 0, 0, 0, 2, 6]},  # an overlap
        {"start": [0, 5, 1, 0, 0, 2, 6]},  # late entry
        {"id": [1, 1, 3, 3, 4, 4, 4]},  # two patients alike
        {"labels": ["event", "event", "event"] + ["censored"] * 4},  # an event between
    ],
)
def test_intervals_that_do_not_join(changes):
    with pytest.raises(DataError, match=r"made: the intervals of 1 patients do not join"):
        cohort(intervals(**changes), facts_of(**INTERVALS))


def test_a_column_that_changes_has_to_be_named():
    facts = facts_of(**{**INTERVALS, "rows": {"start": "start"}})
    with pytest.raises(DataError, match=r"do not join.*; name all columns that change"):
        cohort(intervals(), facts)


@pytest.mark.parametrize("seed", draws(40, first=15))
def test_patients_that_were_cut_into_rows_come_back(seed):
    """Whatever the order of rows, ties of age, missing values, and visits or intervals."""
    chance = np.random.default_rng(seed)
    n = int(chance.integers(1, 12))
    X = pd.DataFrame({"id": np.arange(n), "age": chance.integers(40, 43, n)}, dtype=float)
    X.loc[chance.random(n) < 0.3, "age"] = np.nan
    ends, events = np.zeros(n), chance.integers(0, 2, n)
    events[0] = 1
    treated, firsts = np.full(n, np.nan), np.zeros((n, 2))
    visits, pieces = [], []
    for i in range(n):
        cuts = np.cumsum(chance.integers(1, 5, chance.integers(2, 6)))
        ends[i] = cuts[-1]
        since = chance.integers(0, len(cuts) + 1)  # the piece with which the treatment begins
        treated[i] = [0.0, *cuts[:-1], np.nan][since]
        weight = chance.random(len(cuts))
        firsts[i] = cuts[0], weight[0]
        for k, (start, stop) in enumerate(zip([0, *cuts[:-1]], cuts, strict=True)):
            last = k == len(cuts) - 1
            pieces.append((i, start, k >= since, weight[k], stop, events[i] * last))
            visits.append((i, cuts[k], weight[k], ends[i], events[i]))

    def cut(pieces, names, **facts):
        frame = pd.DataFrame(chance.permutation(np.array(pieces, dtype=float)), columns=names)
        frame = X.merge(frame, on="id").sample(frac=1.0, random_state=seed, ignore_index=True)
        labels = np.where(frame.pop("event") == 1, "event", "censored")
        table = table_of(frame, frame.pop("time"), labels)
        found = cohort(table, facts_of(unit="years", **facts))
        return found, np.argsort(found.X["id"])

    found, order = cut(visits, ["id", "when", "weight", "time", "event"], rows=VISITS)
    np.testing.assert_array_equal(found.X.iloc[order], X.assign(weight=firsts[:, 1]))
    np.testing.assert_array_equal(found.time[order], ends - firsts[:, 0])
    np.testing.assert_array_equal(found.event[order], events)

    if np.isnan(treated).all():
        return
    names = ["id", "start", "drug", "weight", "time", "event"]
    found, order = cut(pieces, names, **{k: v for k, v in INTERVALS.items() if k != "unit"})
    np.testing.assert_array_equal(found.X.iloc[order], X.assign(weight=firsts[:, 1]))
    np.testing.assert_array_equal(found.time[order], ends)
    np.testing.assert_array_equal(found.event[order], events)
    np.testing.assert_array_equal(found.intervention[order], treated)


# ------------------------------------------------------------------------------------------ faults

TABLE = {"x": [1, 2, 3], "g": ["0", "1", "1"], "when": [np.nan, 2, 4], "visit": [0, 0, 1]}
GIVEN = {"given": "g", "treated": 1}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"unit": "hours"}, "`unit` is 'hours'; use one of days, weeks, months, years"),
        ({"horizon": 0}, "`horizon` is 0; give a number above 0"),
        ({"event": "dead"}, "`event` is 'dead'; use one of 'event', 'other'"),
        ({"event": "censored"}, "`event` is 'censored'; use one of"),
        ({"ends_follow_up": ["moved"]}, "`ends_follow_up` is 'moved'; use one of"),
        ({"ends_follow_up": ["event"]}, "'event' is the event and ends follow-up as well"),
        ({"leave_out": ["y"]}, "`leave_out` names the column 'y'; use one of the set's variables"),
        ({"adjust_for": ["x", "x"]}, "`adjust_for` names 'x' twice; name it once"),
        ({"adjust_for": ["y"]}, "`adjust_for` names the column 'y'"),
        ({"rows": {"visit": "day"}}, "`rows` names the column 'day'"),
        ({"rows": {"where": {"day": [1]}}}, "`rows` names the column 'day'"),
        ({"rows": {"where": {"g": [2]}}}, "`where` is 2 for the column 'g'; give one of '0', '1'"),
        ({"rows": {"where": {"x": ["a"]}}}, "`where` is 'a' for the column 'x'; give a number"),
        ({"rows": {"where": {"x": [9]}}}, "no row is left; correct `where`"),
        ({"rows": {"visit": "x", "start": "x"}}, "`rows` has `visit` and `start`"),
        ({"rows": {"varying": ["x"]}}, "`rows` has `varying` alone; add `visit` or `start`"),
        ({"rows": {"visit": "when"}}, "1 rows have no 'when'; correct `rows`"),
        ({"rows": {"visit": "x"}}, "1 patients have no visit before the end of follow-up"),
        ({"rows": {"visit": "g"}}, "`rows` counts time in the category 'g'"),
        (
            {"rows": {"start": "when", "varying": ["x", "g", "visit"]}},
            "no column tells patients apart; name fewer under `varying`",
        ),
        ({"intervention": {}}, "`intervention` has not one column; name either `time` or `given`"),
        ({"intervention": {**GIVEN, "time": "when"}}, "`intervention` has not one column"),
        ({"intervention": {"given": "g"}}, "`intervention` has one of `given` and `treated`"),
        ({"intervention": {"given": "y", "treated": 1}}, "`intervention` names the column 'y'"),
        ({"intervention": {"given": "g", "treated": 2}}, "`treated` is 2 for the column 'g'"),
        ({"intervention": {"given": "x", "treated": "a"}}, "'a' for the column 'x'; give a number"),
        ({"intervention": {"given": "x", "treated": 9}}, "nobody is treated"),
        ({"intervention": {"time": "g"}, "landmark": 1}, "counts time in the category 'g'"),
        ({"intervention": {"time": "when"}}, "has no `landmark`; give one if a treatment"),
        ({"intervention": GIVEN, "landmark": 1}, "has a `landmark`"),
        ({"landmark": 1}, "has a `landmark`"),
        ({"intervention": {"time": "when"}, "landmark": -1}, "`landmark` is -1; give a number"),
        ({"intervention": {"time": "when"}, "landmark": 1}, "1 patients are treated before incl"),
        ({"intervention": GIVEN, "adjust_for": ["g"]}, "`adjust_for` names 'g', the column of the"),
        ({"leave_out": ["x", "g", "when", "visit"]}, "no input is left"),
        ({"event": "other"}, "nobody has the event 'other'"),
    ],
)
def test_facts_that_do_not_fit(changes, message):
    classes = ("censored", "event", "other")
    table = table_of(TABLE, [1, 2.5, 2.5], ["event", "censored", "censored"], classes)
    with pytest.raises(DataError, match="made: ") as caught:
        cohort(table, facts_of(**changes))
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_a_set_without_follow_up():
    table = dataclasses.replace(table_of(TABLE, [1, 2, 3], ["event"] * 3), time=None)
    with pytest.raises(DataError, match="made: no follow-up time; give a survival set"):
        cohort(table, facts_of())


SURVIVAL = {
    **{"task": "survival", "time": "x", "classes": {"b": 2, "a": 2}},
    "variables": {"colour": {"blue": 1, "red": 2}, "size": [1, 1.25, 2], "since": [0, 1.25, 5]},
    "reader": {"columns": ["x", "colour", "size", "since", "class"]},
}
ROWS = "5,red,1,0,b\n1,blue,1,0,b\n3,,2,0,a\n7,red,1,5,a\n"
BLOCK = {"unit": "days", "event": "a", "horizon": 3}


def test_a_block_in_the_registry(tiny):
    facts = {**BLOCK, "horizon": 3.5, "intervention": {"given": "colour", "treated": "red"}}
    table = tiny.table(ROWS, **SURVIVAL, cohort={**facts, "ends_follow_up": []})
    made = cohort(table, load_registry(tiny.path)["tiny"].cohort)
    assert list(made.X) == ["size", "since"] and made.causes == ("a",)
    days = np.round(made.time * 365.25, 9)
    found = sorted(zip(days, made.event, np.isnan(made.intervention), strict=True))
    assert found == [(1, 0, True), (3, 1, True), (5, 0, False), (7, 1, False)]


@pytest.mark.parametrize(
    ("block", "message"),
    [
        ("days", "`datasets.tiny.cohort` is `days`; give a section"),
        (None, "`datasets.tiny.cohort` is empty; give a section"),
        ({"event": "a", "horizon": 3}, "tiny.cohort.unit` is missing; give it: text"),
        (
            {**BLOCK, "horizn": 2},
            "unknown key `datasets.tiny.cohort.horizn`; did you mean `horizon`",
        ),
        ({**BLOCK, "horizon": "5y"}, "cohort.horizon` is `5y`; give a number"),
        ({**BLOCK, "horizon": float("nan")}, "cohort.horizon` is `.nan`; give a number"),
        ({**BLOCK, "event": 1}, "cohort.event` is `1`; give a text"),
        ({**BLOCK, "leave_out": "colour"}, "cohort.leave_out` is `colour`; give a list"),
        ({**BLOCK, "leave_out": ["sizes"]}, "cohort`: `leave_out` names the column 'sizes'"),
        ({**BLOCK, "rows": ["colour"]}, "cohort.rows` is `[colour]`; give a section"),
        ({**BLOCK, "rows": {"first": "x"}}, "unknown key `datasets.tiny.cohort.rows.f"),
        ({**BLOCK, "rows": {"where": {"colour": "red"}}}, "rows.where.colour` is `red`; give"),
        ({**BLOCK, "rows": {"where": ["colour"]}}, "cohort.rows.where` is `[colour]`; give"),
        ({**BLOCK, "intervention": "colour"}, "cohort.intervention` is `colour`; give a section"),
        ({**BLOCK, "intervention": {"given": "colour", "treated": True}}, "treated` is `true`"),
        ({**BLOCK, "event": "b"}, "cohort`: `event` is 'b'; use one of 'a'"),
    ],
)
def test_a_bad_block_in_the_registry(tiny, block, message):
    with pytest.raises(DataError) as caught:
        tiny.entry(ROWS, **SURVIVAL, cohort=block)
    assert message in str(caught.value) and "\n" not in str(caught.value)


def test_a_block_needs_a_survival_set(tiny):
    with pytest.raises(DataError, match="tiny` has a cohort but no follow-up time"):
        tiny.entry(cohort=BLOCK)


@pytest.mark.parametrize(
    "block",
    [
        {
            **{**BLOCK, "leave_out": [], "adjust_for": [], "ends_follow_up": []},
            "intervention": {"given": "colour", "treated": "red"},
            "rows": {"where": {"colour": ["red", "blue"]}, "visit": "size", "varying": []},
        },
        {
            **{**BLOCK, "landmark": 1, "intervention": {"time": "size"}},
            "rows": {"start": "since", "varying": []},
        },
    ],
)
def test_a_wild_value_in_a_block_is_taken_or_refused_in_one_sentence(tiny, block):
    table = tiny.table(ROWS, **SURVIVAL, cohort=block)
    cohort(table, load_registry(tiny.path)["tiny"].cohort)
    for place in places(block):
        for value in WILD:
            changed = copy.deepcopy(block)
            inner = changed
            for key in place[:-1]:
                inner = inner[key]
            inner[place[-1]] = value
            tiny.spec["datasets"]["tiny"]["cohort"] = changed
            tiny.write()
            try:
                entry = load_registry(tiny.path)["tiny"]
                cohort(tidy(entry, fetch(entry, tiny.raw, tiny.folder)), entry.cohort)
            except HedgerowError as error:
                assert "\n" not in str(error) and error.remedy


def test_the_page_explains_every_key():
    """And its example is one."""
    text = (ROOT / "docs/data_sets.md").read_text(encoding="utf-8")
    table = text.split("| key of `cohort` |")[1].split("\n\n")[0]
    fields = [field.name for field in dataclasses.fields(CohortFacts)]
    assert sorted(re.findall(r"^\| `(\w+)` \|", table, re.MULTILINE)) == sorted(fields)
    block = re.search(r"```yaml\n(cohort:.*?)```", text, re.DOTALL)[1]
    facts = CohortFacts.from_dict(yaml.safe_load(block)["cohort"])
    columns = ["sex", "age", "length_of_stay", "day_of_operation"]
    facts.check("the page", columns, {}, ["alive", "death"])
