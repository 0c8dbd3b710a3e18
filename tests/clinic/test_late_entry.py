"""`hedgerow survival --entry`: patients who come under observation after the start."""

from __future__ import annotations

import json
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from clinic import test_folder
from clinic.made import patients
from lifelines.datasets import load_gbsg2
from oracle.survival import entered

from hedgerow.cli import main
from hedgerow.errors import InputError
from hedgerow.survival import censoring_weights, compare_groups, leaf_survival
from hedgerow_clinic.analysis import Settings, analyse, comparison_set, notes_on_entry
from hedgerow_clinic.answers import Answers
from hedgerow_clinic.cohort import Outcome, read_cohort
from hedgerow_clinic.external_validation import measures_of
from hedgerow_clinic.figures import curves, tree_page
from hedgerow_clinic.folder import _protected_weights, protected_tree
from hedgerow_clinic.model import curve_of, read_model, shares_by
from hedgerow_clinic.risks import decision_curve, risk_by
from hedgerow_clinic.schema import detect_columns
from hedgerow_clinic.table import read_texts
from hedgerow_clinic.tables import tables
from hedgerow_clinic.validation_tables import TOO_LATE

TOLD = ["--time", "time", "--unit", "days", "--event", "cens", "--horizon", "3y"]
ENTRY = ["--entry", "registered"]
HORIZON = 3 * 365.25


def registry(horizon_late=False):
    """The women of gbsg2, of whom half are registered within 900 days, if they live so long."""
    table, random = load_gbsg2(), np.random.default_rng(0)
    late = random.random(len(table)) < 0.5
    reach = 2000.0 if horizon_late else 900.0
    table["registered"] = np.where(late, np.floor(random.random(len(table)) * reach), 0.0)
    table["registered"] = table["registered"].astype(int)
    return table[table["registered"] < table["time"]].reset_index(drop=True)


def by_hand(table) -> float:
    """Risk by the horizon, in fractions."""
    inside = np.ones(len(table), dtype=bool)
    columns = (table["time"].tolist(), table["cens"].tolist(), inside, table["registered"].tolist())
    made = entered(*columns)
    before = [s for t, s in zip(made["when"], made["survival"], strict=True) if t <= HORIZON]
    return float(1 - before[-1])


def analysed(table, folder, settings=None, **told):
    table.to_csv(folder / "table.csv", index=False)
    read = read_texts(folder / "table.csv")
    given = {"time": "time", "unit": "days", "horizon": "3y", "entry": "registered"} | told
    cohort = read_cohort(read, Outcome("cens", **given), detect_columns(read))
    return analyse(cohort, settings or Settings(weights=True, bootstraps=0))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    out = tmp_path_factory.mktemp("registry")
    table = registry()
    table.to_csv(out / "women.csv", index=False)
    more = ["--bootstraps", "20", "--permutations", "3", "--adjust", "age", "--show-small-counts"]
    run = ["survival", str(out / "women.csv"), *TOLD, *ENTRY, *more, "--out", str(out / "sheet")]
    assert main(run) == 0
    return out / "sheet"


def frame(folder, name):
    return pd.read_csv(folder / "tables" / f"{name}.csv")


def test_the_risks_of_the_page_are_those_of_late_entry(folder):
    table, model = registry(), read_model(folder)
    assert model.entry == "registered"
    leaf = np.asarray(model.tree.apply(matrix_of(model, table)))
    numbers = {group.node: str(group.number) for group in model.groups}
    next_patient = frame(folder, "next_patient").set_index("group")
    everybody = frame(folder, "survival_all").set_index("group")
    for node, number in numbers.items():
        own = table[leaf == node]
        assert next_patient.loc[int(number), "apparent"] == pytest.approx(by_hand(own), abs=1e-9)
        assert everybody.loc[int(number), "n"] == len(own)
    expected = leaf_survival(
        model.tree,
        matrix_of(model, table),
        table["time"] / 365.25,
        table["cens"],
        entry=table["registered"] / 365.25,
        horizon=3.0,
    )
    for name in ("median", "rmst", "hazard_ratio", "logrank_p_rest", "ph_p"):
        shown = everybody[name].loc[[int(numbers[n]) for n in expected.index]].to_numpy()
        assert shown == pytest.approx(expected[name].to_numpy(), rel=1e-6, nan_ok=True)


def matrix_of(model, table):
    """Inputs as the tree of a model takes them: categories as codes."""
    found = []
    for own in model.inputs:
        values = table[own.name]
        levels = [level.level for level in own.levels]
        found.append(values.map({text: k for k, text in enumerate(levels)}) if levels else values)
    return np.column_stack(found).astype(float)


def test_the_column_is_no_input_and_is_named(folder):
    assert "registered" not in [own.name for own in read_model(folder).inputs]
    columns = frame(folder, "columns").set_index("column")
    assert columns.loc["registered", "use"] != "input"
    passport = (folder / "passport.html").read_text()
    assert "from <code>registered</code> on" in passport
    card = (folder / "model_card.html").read_text()
    assert "count from <code>registered</code> on" in card
    page = (folder / "index.html").read_text()
    assert "when they came under observation" in page and "numbers at risk rise" in page
    answers = frame(folder, "checklist").set_index("item")["answer"]
    assert "came under observation" in answers["6b"] and "late entry" in answers["13"]
    told = json.loads((folder / "manifest.json").read_text())
    assert "--entry registered" in told["command"] and "--weights" in told["command"]


def test_words_are_those_of_weights_and_of_entries(folder, tmp_path):
    """The share of the tree was said to leave out the censored, and the column to be a time."""
    page = (folder / "index.html").read_text()
    assert "as in the thesis, so that it is too high" not in page
    assert "by weights these stand for those whose follow-up ends early and for those who" in page
    columns = frame(folder, "columns").set_index("column")["use"]
    assert columns["registered"] == "no input: outcome, time, entry or intervention"
    answers = frame(folder, "checklist").set_index("item")["answer"]
    assert answers["6b"].startswith("all rows with time, event and entry: ")
    assert answers["13"].startswith("weights for censoring and late entry alone")
    # Without --entry it is asked about: it is never above the follow-up.
    told = {"entry": None, "answers": Answers(not_input=("registered",))}
    found = analysed(registry(), tmp_path, Settings(weights=True, bootstraps=0), **told)
    caption = tables(found, 0)["calibration"].caption
    assert "these stand for those whose follow-up ends early. Training part" in caption
    plain = analysed(registry(), tmp_path, Settings(bootstraps=0), **told)
    assert "too high where many are. Training" in tables(plain, 0)["calibration"].caption
    table = registry().astype(object)
    table["registered"] = None
    with pytest.raises(InputError, match="no patient has a time, an event and an entry"):
        analysed(table, tmp_path, leave_out=True)


def test_entry_turns_weights_on_and_says_so(tmp_path, capsys):
    registry().to_csv(tmp_path / "women.csv", index=False)
    run = ["survival", str(tmp_path / "women.csv"), *TOLD, *ENTRY, "--bootstraps", "0"]
    assert main([*run, "--out", str(tmp_path / "one")]) == 0
    said = capsys.readouterr().out
    assert "--entry turns --weights on" in said and "patients count from `registered` on" in said
    assert main([*run, "--weights", "--out", str(tmp_path / "two")]) == 0
    assert "turns --weights" not in capsys.readouterr().out
    same = [(tmp_path / name / "tree.json").read_bytes() for name in ("one", "two")]
    assert same[0] == same[1]
    settings = Settings(bootstraps=0)
    with pytest.raises(InputError, match="entry is given without weights"):
        analysed(registry(), tmp_path, settings)


def spoilt(name):
    table = registry().astype(object)
    if name == "dates":
        table["registered"] = "2001-05-06"
        return table, ["column `registered`: it holds dates, and inclusion has none; give --start"]
    if name == "yes":
        table["registered"] = np.where(np.arange(len(table)) % 2, "yes", "no")
        return table, ["column `registered`: it says yes or no, and not when; give a column of"]
    table.loc[3, "registered"] = None
    table.loc[7, "registered"] = -5
    table.loc[9, "registered"] = table.loc[9, "time"]
    table.loc[12, "registered"] = "soon"
    return table, [
        "row 5, column `registered`: it is empty; write 0 for patients observed from the start",
        "row 9, column `registered`: the patient came under observation before the start of the "
        "follow-up; write 0",
        "row 11, column `registered`: the patient came under observation when the follow-up was "
        "over; correct one of the two, or leave the row out with --leave-out-rows",
        "row 14, column `registered`: 'soon' is no number",
    ]


@pytest.mark.parametrize("name", ["dates", "yes", "cells"])
def test_a_spoilt_column_is_told_by_row_and_column(name, tmp_path, capsys):
    table, sentences = spoilt(name)
    table.to_csv(tmp_path / "women.csv", index=False)
    run = ["survival", str(tmp_path / "women.csv"), *TOLD, *ENTRY, "--out", str(tmp_path / "x")]
    assert main(run) == 1
    said = capsys.readouterr().err
    assert f"has {len(sentences)} problem" in said
    for sentence in sentences:
        assert sentence in said
    assert not (tmp_path / "x").exists()
    if name == "cells":
        table.loc[12, "registered"] = 0
        table.to_csv(tmp_path / "women.csv", index=False)
        more = ["--leave-out-incomplete", "--leave-out-rows", "9,11", "--bootstraps", "0"]
        more += ["--show-small-counts"]
        assert main([*run, *more, "--quiet"]) == 0
        flow = frame(tmp_path / "x", "flow").set_index("about")["count"]
        assert flow["analysed"] == len(table) - 3
        assert "left out: time, event or entry is missing" in flow.index


def test_dates_of_entry_are_times_from_inclusion(tmp_path):
    table = registry()
    first = pd.Timestamp("1990-01-01") + pd.to_timedelta(np.arange(len(table)) % 300, unit="D")
    dated = table.drop(columns=["time", "registered"]).assign(
        first=first,
        last=first + pd.to_timedelta(table["time"], unit="D"),
        registered=first + pd.to_timedelta(table["registered"], unit="D"),
    )
    dated.to_csv(tmp_path / "dates.csv", index=False, date_format="%Y-%m-%d")
    read = read_texts(tmp_path / "dates.csv")
    outcome = Outcome("cens", start="first", end="last", horizon="3y", entry="registered")
    found = read_cohort(read, outcome, detect_columns(read))
    assert found.entry * 365.25 == pytest.approx(table["registered"].to_numpy())
    assert "registered" not in found.X


def test_who_comes_after_the_horizon_says_nothing_of_it(tmp_path):
    table = registry(horizon_late=True)
    found = analysed(table, tmp_path)
    late = (table["registered"] >= HORIZON).to_numpy()
    assert late.any() and (found.groups.labels.y[late] == -1).all()
    flow = tables(found, 0)["flow"].frame.set_index("about")["count"]
    assert flow["unknown: came under observation at the horizon or later"] == late.sum()
    known = flow[[name for name in flow.index if name.startswith(("known", "unknown"))]]
    assert known.sum() == flow["analysed"] == len(table)
    hidden = tables(found, int(late.sum()) + 1)["flow"].frame.set_index("about")["count"]
    assert isinstance(hidden["unknown: came under observation at the horizon or later"], str)
    assert isinstance(hidden["known: no event by the horizon"], str)


def test_few_who_come_after_the_horizon_do_not_follow_from_the_numbers_at_risk(tmp_path):
    """The sheet tells how many are at risk at the horizon: those known to be without the event."""
    table = registry(horizon_late=True)
    late = np.flatnonzero(table["registered"] >= HORIZON)
    found = analysed(table.drop(index=late[3:]).reset_index(drop=True), tmp_path)
    at_risk = ((found.entry < 3.0) & (found.time >= 3.0)).sum()
    assert at_risk == (found.groups.labels.y == 0).sum()
    flow = tables(found, 5)["flow"].frame.set_index("about")["count"]
    assert flow["unknown: came under observation at the horizon or later"] == "<5"
    others = [flow[name] for name in flow.index if name.startswith(("known: event", "unknown"))]
    assert sum(isinstance(count, str) for count in others) > 1


def test_calibration_and_net_benefit_are_of_all_and_not_of_those_who_came(tmp_path):
    found = analysed(registry(), tmp_path)
    own = ~found.groups.training
    time, event, entry = found.time[own], found.event[own], found.entry[own]
    weights = censoring_weights(time, event, 3.0, entry=entry)
    whole = risk_by(time, event, 3.0, entry=entry)
    row = found.calibration.loc[-1]
    assert (row["observed"], row["observed_low"], row["observed_high"]) == whole
    assert row["observed"] == pytest.approx(by_hand(registry()[own]), abs=1e-12)
    shares = found.groups.tree_.probabilities()[found.groups.leaf[own], 1]
    assert row["predicted"] == pytest.approx(weights @ shares / weights.sum())
    risk = found.calibration["estimated"].reindex(found.groups.leaf[own]).to_numpy()
    curve = decision_curve(risk, time, event, 3.0, entry).set_index("threshold")
    assert curve["tree"].to_numpy() == pytest.approx(found.decisions["tree"].to_numpy())
    treated = risk >= 0.4
    share, part = risk_by(time[treated], event[treated], 3.0, entry=entry[treated])[0], treated
    expected = weights[part].sum() / weights.sum() * (share - (1.0 - share) * 0.4 / 0.6)
    assert curve.loc[0.4, "tree"] == pytest.approx(expected)
    assert curve.loc[0.01, "tree"] == pytest.approx(curve.loc[0.01, "all"])
    measured = found.performance.iloc[0]
    assert measured["observed"] == pytest.approx(whole[0])
    assert measured["expected"] == pytest.approx(weights @ risk / weights.sum())


def test_net_benefit_is_not_known_where_nobody_is_followed_to_the_horizon():
    """The patients with the event alone stood for all, so that it was 1."""
    time, event = np.array([1.0, 2.0, 2.5, 1.2, 2.2, 2.9]), np.array([1, 1, 0, 0, 1, 0])
    entry, risk = np.array([0.0, 0.5, 0.1, 0.0, 0.0, 0.3]), np.array([0.9, 0.8, 0.1, 0.1, 0.7, 0.1])
    made = decision_curve(risk, time, event, 3.0, entry).set_index("threshold")
    assert made.loc[[0.05, 0.5], ["tree", "all"]].isna().all(axis=None)
    assert made.loc[0.95, "tree"] == 0.0


def treated_registry():
    """Some are treated at a time, of whom many before they are registered."""
    table, random = registry(), np.random.default_rng(1)
    when = np.round(random.uniform(1.0, 600.0, len(table)))
    table["surgery"] = np.where(
        (random.random(len(table)) < 0.4) & (when < table["time"]), when, np.nan
    )
    return table


def test_treated_before_entering_is_never_seen_untreated(tmp_path):
    table = treated_registry()
    found = analysed(table, tmp_path, intervention="surgery")
    before = (table["surgery"] <= table["registered"]).to_numpy()
    assert before.sum() > 20 and (found.is_included == ~before).all()
    assert found.survival["all"]["n"].sum() == (~before).sum()
    assert not found.groups.training[before].any() and (found.groups.labels.y[before] == -1).all()
    when = np.where(table["surgery"].isna(), np.nan, table["surgery"]) / 365.25
    expected = compare_groups(
        found.groups.estimator,
        found.cohort.X,
        found.cohort.time,
        found.cohort.event,
        when,
        landmark=0.5,
        entry=found.cohort.entry,
    )
    made = found.treated["landmark"].loc[expected.index]
    for name in ("n_treated", "median_treated", "hazard_ratio", "logrank_p"):
        assert made[name].to_numpy() == pytest.approx(expected[name].to_numpy(), nan_ok=True)
    flow = tables(found, 5)["flow"].frame.set_index("about")["count"]
    assert flow["no follow-up: treated before they came under observation"] == before.sum()


def test_few_who_are_never_seen_untreated_count_nowhere():
    """Their number would follow from the tables of treated and untreated."""
    there = np.array([True] * 9 + [False] * 3)
    assert (comparison_set(there, np.zeros(12)) == there).all()
    assert (
        comparison_set(there, None).all() and comparison_set(np.zeros(9, bool), np.zeros(9)).all()
    )


def test_few_who_do_not_count_do_not_follow_from_the_rows_of_the_file(tmp_path):
    """Three were `<5` and those analysed withheld, but not the sum of all, nor how they ended."""
    table = treated_registry()
    before = np.flatnonzero(table["surgery"] <= table["registered"])
    table = table.drop(index=before[3:]).reset_index(drop=True)
    shown = tables(analysed(table, tmp_path, intervention="surgery"), 5)
    flow = shown["flow"].frame.set_index("about")["count"]
    assert flow["no follow-up: treated before they came under observation"] == "<5"
    assert flow["in the file"] == "withheld"
    assert flow["analysed"] == len(table) - 3


def test_few_who_are_never_seen_untreated_are_no_difference_of_tables(tmp_path):
    """They are in the tables of treated and untreated alone: of a group, or of a category, few."""
    table = treated_registry()
    before = np.flatnonzero(table["surgery"] <= table["registered"])
    table = table.drop(index=before[:-12]).reset_index(drop=True)
    settings = Settings(weights=True, bootstraps=0, max_depth=2)
    found = analysed(table, tmp_path, settings, intervention="surgery")
    differences = {}
    for least in (0, 5):
        shown = tables(found, least)
        leaves = shown["survival_all"].frame.set_index("group")["n"]
        names = ["n_treated", "n_untreated", "n_left_out"]
        counts = shown["treated_landmark"].frame.set_index("group").loc[leaves.index, names]
        whole = [row for row in counts.index if all(isinstance(n, int) for n in counts.loc[row])]
        made = [int(counts.loc[row].sum() - leaves[row]) for row in whole]
        one, other = (
            shown[name].frame.set_index(["variable", "value"])["All"]
            for name in ("baseline", "baseline_treated")
        )
        for key in one.index[one.str.contains("%", na=False)]:
            if "%" in (cell := other[key]):
                made.append(int(cell.split()[0]) - int(one[key].split()[0]))
        differences[least] = made
    assert sum(0 < count < 5 for count in differences[0]) > 2
    assert not any(0 < count < 5 for count in differences[5]) and len(differences[5])


def test_a_group_whose_patients_run_out_is_told(tmp_path):
    """One woman from the start who has the event before all others come."""
    table = registry()
    table["registered"] = np.maximum(table["registered"], 30)
    table = table[table["registered"] < table["time"]].reset_index(drop=True)
    found = analysed(table, tmp_path)
    assert any("Nobody is under observation before 0.0821 years" in note for note in found.notes)
    table.loc[0, ["registered", "time", "cens"]] = [0, 10, 1]
    with pytest.raises(
        InputError, match=r"of the training part at risk at 0\.0274 years have an event"
    ):
        analysed(table, tmp_path)


def test_a_group_that_runs_out_is_named(tmp_path):
    """The first of a group has the event before the others of the group come."""
    found = analysed(registry(), tmp_path)
    node, number = next(iter(found.numbers.items()))
    own = np.flatnonzero(found.groups.leaf == node)
    time, event, entry = found.time.copy(), found.event.copy(), found.entry.copy()
    entry[own] = np.maximum(entry[own], 0.02)
    entry[own[0]], time[own[0]], event[own[0]] = 0.0, 0.0125, 1
    seen = entry < time
    groups = SimpleNamespace(leaf=found.groups.leaf, tree_=found.groups.tree_)
    numbers, leaf = found.numbers, found.groups.leaf[seen]
    notes = notes_on_entry(numbers, leaf, time[seen], event[seen], entry[seen], "years")
    assert len(notes) == 1
    assert f"In group {number} all patients under observation at 0.0125 years have" in notes[0]
    assert "the event then" in notes[0] and "goes no further" in notes[0]
    assert calibration_of(groups, found, time, event, entry).isna()[node]
    event[own[0]] = 2  # nor is the risk known where it is another event that all have
    notes = notes_on_entry(numbers, leaf, time[seen], event[seen], entry[seen], "years")
    assert len(notes) == 1 and "an event then" in notes[0]
    assert calibration_of(groups, found, time, event, entry).isna()[node]


def test_a_group_without_a_curve_says_why_on_the_sheet(tmp_path):
    """The panel was empty, and in the other picture the name stood at 100 %."""
    table = registry()
    table["registered"] = np.maximum(table["registered"], 60)
    table.loc[:3, "registered"] = 0
    for row, time in enumerate((20, 40, 30)):
        table.loc[row, ["time", "cens"]] = [time, 1]
    found = analysed(table[table["registered"] < table["time"]].reset_index(drop=True), tmp_path)
    said = {}
    for least in (0, 5):
        drawn = [tree_page(found, "Women", least, "women.csv"), curves(found, least)]
        texts = [[t.get_text() for a in one.axes for t in a.texts] for one in drawn]
        said[least] = [sum("fewer than 5 at first" in text for text in own) for own in texts]
    assert said == {0: [0, 0], 5: [1, 1]}


def calibration_of(groups, found, time, event, entry):
    """Share with the event by the horizon of each leaf."""
    shares = {}
    for node in found.numbers:
        own = (groups.leaf == node) & (entry < time)
        shares[node] = risk_by(time[own], event[own], 3.0, entry=entry[own])[0]
    return pd.Series(shares)


def test_what_cannot_be_had_is_refused(folder, tmp_path, capsys):
    registry().to_csv(tmp_path / "women.csv", index=False)
    run = ["survival", str(tmp_path / "women.csv"), *TOLD, *ENTRY, "--out", str(tmp_path / "l")]
    (tmp_path / "life.csv").write_text("age,sex,q\n50,f,0.01\n")
    assert main([*run, "--life-table", str(tmp_path / "life.csv")]) == 1
    assert "--life-table and --entry exclude each other" in capsys.readouterr().err


def test_shares_of_late_entry_are_those_of_the_curve():
    table = registry()
    time, event, entry = (table[name].to_numpy(float) for name in ("time", "cens", "registered"))
    event = event.astype(int)
    found = shares_by(time, event, [HORIZON, 0.0], entry)
    assert found.tolist() == pytest.approx([by_hand(table), 0.0])


def test_the_curve_for_programs_ends_where_patients_run_out():
    """It stood at 1 from there on, in the picture of the second hospital too."""
    time, event = np.array([0.3, *np.linspace(0.6, 3.5, 60)]), np.array([1, *[1, 0] * 30])
    entry = np.array([0.0, *[0.5] * 60])
    assert np.isnan(risk_by(time, event, 3.0, entry=entry)[0])
    assert curve_of(time, event, 3.0, 0, entry)[-1].time < 0.3
    whole = curve_of(time[1:], event[1:], 3.0, 0, entry[1:])
    assert whole[-1].time == 3.0 and whole[-1].share < 1.0


@pytest.fixture(scope="module")
def second(tmp_path_factory):
    """The tree of a hospital of which all were followed from the start, in a registry."""
    out = tmp_path_factory.mktemp("second")
    load_gbsg2().to_csv(out / "house.csv", index=False)
    few = ["--bootstraps", "0", "--quiet", "--show-small-counts"]
    assert main(["survival", str(out / "house.csv"), *TOLD, *few, "--out", str(out / "house")]) == 0
    registry(horizon_late=True).to_csv(out / "women.csv", index=False)
    run = ["validate", str(out / "house"), str(out / "women.csv"), *TOLD[:-2], *ENTRY]
    more = ["--resamples", "20", "--quiet", "--show-small-counts"]
    assert main([*run, *more, "--out", str(out / "sheet")]) == 0
    return out


def test_a_second_hospital_whose_patients_came_late(second):
    table, model = registry(horizon_late=True), read_model(second / "house")
    told = table[table["registered"] < HORIZON]
    flow = frame(second / "sheet", "flow").set_index("about")["count"]
    left = [name for name in flow.index if name.startswith("left out: came under observation")]
    assert flow[left[0]] == len(table) - len(told) > 0 and flow["analysed"] == len(told)
    leaf = np.asarray(model.tree.apply(matrix_of(model, told)))
    rows = frame(second / "sheet", "groups").set_index("group")
    for group in model.groups:
        expected = by_hand(told[leaf == group.node])
        assert float(rows.loc[str(group.number), "seen"]) == pytest.approx(expected, abs=1e-9)
    assert float(rows.loc["All", "seen"]) == pytest.approx(by_hand(table), abs=1e-9)
    time, event, entry = (told[c].to_numpy(float) for c in ("time", "cens", "registered"))
    weights = censoring_weights(time, event.astype(int), HORIZON, entry=entry)
    risk = np.array([{g.node: g.risk for g in model.groups}[node] for node in leaf])
    expected = weights @ risk / weights.sum()
    assert float(rows.loc["All", "expected"]) == pytest.approx(expected)
    measures = frame(second / "sheet", "performance")
    ratio = measures["estimate"].iloc[0]
    assert ratio == pytest.approx(by_hand(table) / expected)
    mended = read_model(second / "sheet" / "tree_recalibrated.json")
    assert (mended.entry, read_model(second / "sheet").entry) == ("registered", "")
    assert "from <code>registered</code> on" in (second / "sheet" / "passport.html").read_text()


def test_a_group_that_runs_out_in_a_second_hospital_is_named(second, tmp_path):
    """It had no observed risk, and the page did not say why."""
    table, model = registry(), read_model(second / "house")
    leaf, group = np.asarray(model.tree.apply(matrix_of(model, table))), model.groups[0]
    own = table.index[leaf == group.node]
    table.loc[own, "registered"] = np.maximum(table.loc[own, "registered"], 8)
    table.loc[own[0], ["registered", "time", "cens"]] = [0, 4, 1]
    table[table["registered"] < table["time"]].to_csv(tmp_path / "women.csv", index=False)
    run = ["validate", str(second / "house"), str(tmp_path / "women.csv"), *TOLD[:-2], *ENTRY]
    assert main([*run, "--resamples", "0", "--quiet", "--out", str(tmp_path / "sheet")]) == 0
    assert np.isnan(float(frame(tmp_path / "sheet", "groups")["seen"].iloc[0]))
    page = (tmp_path / "sheet/index.html").read_text()
    assert f"In group {group.number} all patients under observation at 0.011 years have" in page


def test_few_who_came_too_late_do_not_follow_from_the_rows_of_the_file(second, tmp_path):
    table = registry(horizon_late=True)
    late = np.flatnonzero(table["registered"] >= HORIZON)
    table = table.drop(index=late[3:])
    table.to_csv(tmp_path / "women.csv", index=False)
    run = ["validate", str(second / "house"), str(tmp_path / "women.csv"), *TOLD[:-2], *ENTRY]
    assert main([*run, "--resamples", "0", "--quiet", "--out", str(tmp_path / "sheet")]) == 0
    flow = frame(tmp_path / "sheet", "flow").set_index("about")["count"]
    assert flow[TOO_LATE] == "<5" and flow["in the file"] == "withheld"
    assert flow["analysed"] == str(len(table) - 3)
    assert f"{len(table)} in the file" not in (tmp_path / "sheet/passport.html").read_text()


def test_measures_of_patients_who_are_there_from_the_start():
    table = load_gbsg2()
    time, event = table["time"].to_numpy(float), table["cens"].to_numpy(int)
    risk = np.round(np.clip(table["pnodes"].to_numpy(float) / 20.0, 0.05, 0.9), 2)
    plain = measures_of(time, event, risk, HORIZON)
    same = measures_of(time, event, risk, HORIZON, np.zeros(len(time)))
    # What is expected is weighted with entries, as what is observed is.
    weights = censoring_weights(time, event, HORIZON)
    expected = weights @ risk / weights.sum()
    plain["ratio"] *= risk.mean() / expected
    plain["expected"] = expected
    assert list(same.values()) == pytest.approx(list(plain.values()), rel=1e-9)


def late(table):
    """Half of the patients of `made`, if they live so long, are registered within six years."""
    random = np.random.default_rng(0)
    late = random.random(len(table)) < 0.5
    table["registered"] = np.where(late, np.round(random.random(len(table)) * 6.0, 3), 0.0)
    return table[table["registered"] < table["years"]].reset_index(drop=True)


def test_no_small_count_stands_anywhere_with_entries(tmp_path):
    """As without: in cells, in pictures, or as a difference of tables."""
    settings = Settings(min_samples_leaf=10, weights=True, bootstraps=0)
    told = {"intervention": "surgery", "entry": "registered"}
    found = test_folder.analysed(tmp_path, late(patients(400, hazard=0.02)), settings, **told)
    assert 0 < (found.entry[found.is_included] >= 5.0).sum() < 5
    test_folder.test_no_small_count_stands_anywhere(found)
    test_folder.test_no_small_count_is_a_difference_of_tables(found)


def test_the_tree_for_programs_tells_no_share_that_the_page_withholds(tmp_path):
    """Weights of few patients may be no small numbers."""
    found = analysed(registry(), tmp_path)
    node = max(found.numbers, key=lambda n: found.groups.tree_.class_weight[n].min())
    own = np.flatnonzero(found.groups.training & (found.groups.leaf == node))
    had = own[found.groups.labels.y[own] == 1]
    found.groups.labels.y[had[3:]] = -1
    row = tables(found, 5)["calibration"].frame.set_index("group").loc[str(found.numbers[node])]
    assert row["predicted"] == "withheld"
    plain, shown = (
        found.groups.tree_.class_weight[node],
        protected_tree(found, 5).class_weight[node],
    )
    assert plain.min() >= 5.0 and shown[1] == 2.5
    assert shown.sum() == pytest.approx(np.rint(plain).sum())
    blurred = _protected_weights(np.array([5.4, 5.6]), np.array([False, True]), 5)
    assert blurred.tolist() == [2.75, 8.25]


def test_causes_that_compete_have_no_test_of_gray_and_the_page_says_why(tmp_path):
    table = late(test_folder.with_causes()[0])
    settings = Settings(weights=True, bootstraps=0)
    found = test_folder.analysed(tmp_path, table, settings, cause="dead", entry="registered")
    text = test_folder.page_of(found)[0]
    assert found.has_competing_risks and "gray_p" not in found.survival["all"]
    assert "There is no Gray&#39;s test" in text or "There is no Gray's test" in text
    event, test = found.event, ~found.groups.training
    expected = entered(*(v[test].tolist() for v in (found.time, event, test, found.entry)))
    share = [
        float(f) for t, f in zip(expected["when"], expected["incidence"], strict=True) if t <= 5.0
    ][-1]
    assert found.calibration.loc[-1, "observed"] == pytest.approx(share, abs=1e-12)
