"""Pages, files and questions where some patients could not be followed to the horizon."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest
from clinic.made import written
from matplotlib.text import Text
from survival.cohorts import staggered

from hedgerow.cli import main
from hedgerow.survival.follow_up import share_followed
from hedgerow_clinic import figures
from hedgerow_clinic.analysis import Settings, analyse
from hedgerow_clinic.checklist import summary
from hedgerow_clinic.cohort import Outcome, read_cohort
from hedgerow_clinic.leakage_checks import (
    calendar_year,
    later_events,
    predicts_follow_up,
    predicts_later_event,
)
from hedgerow_clinic.model import RiskModel
from hedgerow_clinic.risks import rounded_down, too_few
from hedgerow_clinic.schema import detect_columns
from hedgerow_clinic.table import read_texts
from hedgerow_clinic.tables import tables

TOLD = ["--time", "years", "--event", "died", "--bootstraps", "20", "--quiet"]
KEPT = ["--keep-input", "year", "--min-followed", "0"]


def table(n=400, seed=0, columns=("age", "year")):
    X, time, event = staggered(n, seed)
    return (
        X[list(columns)]
        .astype({"age": int, "year": int}, errors="ignore")
        .assign(years=np.round(time, 3), died=event)
    )


def run(folder, frame, *options, name="late"):
    """Exit code and folder of `hedgerow survival`."""
    path = written(folder / f"{name}.csv", frame)
    return main(["survival", str(path), *TOLD, "--out", str(folder / name), *options])


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """The folder of a run that keeps the year knowingly, and refuses no test."""
    folder = tmp_path_factory.mktemp("kept")
    assert run(folder, table(seed=1), *KEPT) == 0
    return folder / "late"


def groups_of(folder, file="tree.json"):
    return json.loads((folder / file).read_text())["groups"]


def test_no_file_has_a_risk_of_a_group_that_nobody_could_be_followed_in(kept, tmp_path):
    """The page, the sheet, tree.json and `apply` had 100 % for 213 of 400 patients."""
    own = groups_of(kept)
    late = [group for group in own if "year ≥ 2015" in group["rule"]]
    assert late and own[-len(late) :] == late  # numbered last
    assert all(g["risk"] is None and g["low"] is None and not g["few"] for g in late)
    assert all(0.05 < g["risk"] < 0.95 for g in own if g not in late)
    RiskModel.from_json((kept / "tree.json").read_text())
    text = re.sub(r"<[^>]+>", " ", (kept / "index.html").read_text())
    n = sum(group["n"] for group in late)
    assert f"For {n} of 400 patients nothing can be said at 6 years: nobody of group" in text
    assert "100 %" not in text.replace("of 100 %", "")
    assert "few patients" not in " ".join(re.findall(r"No risk \(group[^.]*\.", text))
    assert re.search(r"--horizon \d\.\dy would give each of these groups a risk", text)
    told = pd.read_csv(kept / "tables" / "calibration.csv", dtype=str).set_index("group")
    for group in late:
        assert told.loc[str(group["number"]), ["predicted", "estimated"]].isna().all()
    path = written(tmp_path / "new.csv", pd.DataFrame({"age": [60, 60], "year": [2012, 2018]}))
    out = tmp_path / "groups.csv"
    assert main(["apply", str(kept), str(path), "--out", str(out), "--quiet"]) == 0
    early, new = pd.read_csv(out).to_dict("records")
    assert early["risk"] > 0.0 and np.isnan(new["risk"]) and new["group"] == late[0]["number"]
    assert "nothing can be said at 6 years, because nobody of its patients could be" in new["why"]
    assert (kept / "figures" / "followed.svg").is_file()


def analysed(folder, frame, settings, **told):
    read = read_texts(written(folder / "table.csv", frame))
    outcome = Outcome("died", time="years", **told)
    return analyse(read_cohort(read, outcome, detect_columns(read)), settings)


def test_the_sheet_says_that_a_share_is_not_known(tmp_path):
    found = analysed(tmp_path, table(seed=1), Settings(bootstraps=20, min_followed=0.0))
    assert found.leaves_without_risk
    drawn = figures.tree_page(found, "A title", 5, "table.csv")
    words = " ".join(t.get_text() for t in drawn.findobj(Text))
    assert "not known" in words and "nothing can be said at 6" in words.replace("\n", " ")
    assert "next 0 %" not in words and "here 0 %" not in words
    assert np.isnan(found.calibration.loc[found.leaves_without_risk, "estimated"]).all()
    assert found.decisions["n_treated"].max() < (~found.groups.training).sum()


def test_groups_are_numbered_by_their_risk(tmp_path):
    """They were numbered by their place in the tree; the page named the highest in a sentence."""
    random = np.random.default_rng([70, 11])
    frame = pd.DataFrame({"age": random.integers(40, 90, 500), "dose": random.normal(size=500)})
    time = random.exponential(20.0 * np.exp(0.05 * (frame["age"] - 65) + frame["dose"]))
    frame["years"] = np.round(np.minimum(time, 12.0), 3)
    frame["died"] = (time < 12.0).astype(int)
    found = analysed(tmp_path, frame, Settings(bootstraps=30))
    risks = [found.printed_risks[node][0] for node in found.numbers]
    assert len(risks) > 2 and risks == sorted(risks)
    assert list(found.numbers.values()) == list(range(1, len(risks) + 1))
    shown = tables(found, 5)
    assert shown["next_patient"].frame["group"].tolist() == [str(k + 1) for k in range(len(risks))]
    assert found.calibration.index.tolist() == [-1, *found.numbers]
    said = summary(found, shown)[0]
    assert f"group 1 has the lowest and group {len(risks)} the highest" in said


def test_a_horizon_that_few_reach_is_refused_with_one_that_a_fifth_reach(tmp_path, capsys):
    assert run(tmp_path, table(), "--not-input", "year", "--horizon", "10y") == 1
    said = capsys.readouterr().err
    found = re.search(r"give --horizon ([\d.]+)y, to which 20 % could be", said)
    assert found and "of the patients could be followed so long" in said
    frame = table()
    follow_up = (frame["years"].to_numpy(), frame["died"].to_numpy())
    assert share_followed(*follow_up, float(found[1])) >= 0.2 > share_followed(*follow_up, 10.0)
    options = ["--not-input", "year", "--horizon", f"{found[1]}y"]
    assert run(tmp_path, frame, *options) == 0


def test_inputs_that_tell_how_long_one_could_be_followed_are_asked_about(tmp_path, capsys):
    """Each level, the low and high ones, those without a value, and years by name and value."""
    frame = table(columns=("age", "year", "assay"))
    late = frame["assay"] == "new"
    random = np.random.default_rng([70, 12])
    frame["value"] = np.where(late, np.round(random.normal(5.0, 1.0, len(frame)), 2), np.nan)
    frame["noise"] = np.round(random.normal(size=len(frame)), 3)
    frame["side"] = random.choice(["left", "right"], len(frame))
    assert run(tmp_path, frame) == 1
    said = capsys.readouterr().err
    assert "has 3 questions, and nothing was written" in said
    for name in ("year", "assay", "value"):
        (line,) = [line for line in said.splitlines() if line.startswith(f"column `{name}`")]
        assert "may tell how long a patient could be followed" in line
        assert f"--not-input {name} or" in line and f"--keep-input {name}" in line
    answers = ["--not-input", "year", "--not-input", "assay", "--keep-input", "value"]
    assert run(tmp_path, frame, *answers) == 0
    passport = (tmp_path / "late" / "passport.html").read_text()
    assert "kept as an input, though it may tell how long a patient could be followed" in passport
    risks = [group["risk"] for group in groups_of(tmp_path / "late")]
    assert None not in risks and max(risks) < 0.95


@pytest.mark.parametrize("seed", range(20))
def test_what_has_nothing_to_do_with_the_follow_up_is_not_asked_about(seed):
    """A fifth or so of all reach the horizon: of a part of them it is less by chance."""
    random = np.random.default_rng([70, 13, seed])
    _, time, event = staggered(300, seed)
    until = 8.5
    number, codes = random.normal(size=300), random.integers(0, 4, 300).astype(float)
    assert predicts_follow_up(number, None, time, event, until, 0.2) == ""
    assert predicts_follow_up(codes, list("abcd"), time, event, until, 0.2) == ""


@pytest.mark.parametrize(
    ("name", "values", "is_year"),
    [
        ("dxyr", [68, 81, 94], True),
        ("jahr", [1, 2, 3], True),
        ("visit", [1998, 2011], True),
        ("year_of_birth", [1930, 1950], False),
        ("geburtsjahr", [1930, 1950], False),
        ("pack_years", [0, 10, 40], False),
        ("weight", [1900.5, 2000], False),
        ("wbc", [1200, 2050], False),
        ("year", [2010, 2010], False),
    ],
)
def test_calendar_years_by_name_and_values(name, values, is_year):
    assert calendar_year(name, np.array(values, dtype=float)) is is_year


def test_what_tells_of_a_column_that_was_not_known_is_asked_about(tmp_path, capsys):
    """An order of the stay beside its day, and a state beside its time, became tests of a tree."""
    random = np.random.default_rng([70, 14])
    n = 400
    frame = pd.DataFrame({"age": random.integers(40, 90, n)})
    time = random.exponential(8.0, n)
    frame["years"] = np.round(np.minimum(time, 9.0), 3)
    frame["died"] = (time < 9.0).astype(int)
    ordered = random.random(n) < 0.4
    frame["order"] = np.where(ordered, "yes", "no")
    frame["order_day"] = np.where(ordered, random.integers(1, 30, n), np.nan)
    moved = random.random(n) < 0.3
    frame["state"] = np.where(moved, "moved", "same")
    frame["state_time"] = np.where(moved, np.round(frame["years"] * 0.5, 3), frame["years"])
    frame["cost"] = np.round(random.exponential(100.0, n), 1)
    frame["score"] = np.round(frame["cost"] * random.uniform(0.8, 1.2, n), 1)
    assert run(tmp_path, frame, "--not-input", "state_time") == 1
    said = capsys.readouterr().err
    assert "has 1 question" in said and "in whom `state_time` is not the follow-up" in said
    options = [w for c in ("order_day", "state_time", "cost") for w in ("--not-input", c)]
    assert run(tmp_path, frame, *options) == 1
    said = capsys.readouterr().err
    assert "has 3 questions" in said
    assert "column `order`: it may not have been known at inclusion: it nearly tells who has a" in (
        said
    )
    assert "column `score`" in said and "it goes with `cost` (rank correlation 0.9" in said
    more = ["--not-input", "order", "--known-before", "score", "--not-input", "state"]
    assert run(tmp_path, frame, *options, *more) == 0


def test_gaps_that_tell_of_a_column_that_was_not_known():
    random = np.random.default_rng([70, 15])
    known = random.random(200) < 0.5
    columns = {"late": (known, np.full(200, np.nan))}
    marked = later_events(columns, np.ones(200))
    assert [said for said, _ in marked] == ["who has a value in `late`"]
    values = np.where(known, random.normal(size=200), np.nan)
    assert predicts_later_event(values, marked, columns).startswith(
        "whether it is empty nearly tells who"
    )
    assert predicts_later_event(random.normal(size=200), marked, columns) == ""


def test_a_second_hospital_whose_patients_came_late(kept, tmp_path, capsys):
    """Its group of the later years had a share of 100 % and was in every measure."""
    path = written(tmp_path / "second.csv", table(500, seed=9))
    out = tmp_path / "second"
    told = ["--time", "years", "--event", "died", "--resamples", "20", "--quiet"]
    assert main(["validate", str(kept), str(path), *told, "--out", str(out)]) == 0
    text = re.sub(r"<[^>]+>", " ", (out / "index.html").read_text())
    assert re.search(r"For \d+ of 500 patients nothing can be said at 6 years", text)
    shown = pd.read_csv(out / "tables" / "groups.csv", dtype=str).set_index("group")
    late = [g for g in groups_of(kept) if g["risk"] is None]
    for group in late:
        assert shown.loc[str(group["number"]), ["expected", "seen"]].isna().all()
    again = groups_of(out, "tree_recalibrated.json")
    numbers = {group["number"] for group in late}
    assert all((g["risk"] is None) == (g["number"] in numbers) for g in again)
    capsys.readouterr()
    frame = table(500, seed=9)
    late_ones = written(tmp_path / "all_late.csv", frame[frame["year"] >= 2015])
    out = tmp_path / "none"
    assert main(["validate", str(kept), str(late_ones), *told, "--out", str(out)]) == 1
    assert "0.0 % of the patients could be followed to 6 years" in capsys.readouterr().err
    assert not out.exists()


def test_times_are_rounded_down_and_shares_said():
    assert [rounded_down(v) for v in (5.0, 4.999, 123.4, 0.0768)] == [5.0, 4.9, 120.0, 0.076]
    assert too_few(0.25) == "less than 25 %"


def test_a_wide_table_is_refused_before_it_is_read(tmp_path, monkeypatch, capsys):
    """400 patients with 2,000 columns: no end and no word in two minutes."""
    monkeypatch.setattr("hedgerow_clinic.cohort.MOST_INPUTS", 3)
    frame = table(seed=1).drop(columns="year")
    random = np.random.default_rng([70, 16])
    for name in "abc":
        frame[name] = np.round(random.normal(size=len(frame)), 3)
    assert run(tmp_path, frame) == 1
    said = capsys.readouterr().err
    assert "late.csv has 4 columns that can be inputs, and a run takes 3 at most" in said
    assert "`kind: ignore`" in said and not (tmp_path / "late").exists()
    assert run(tmp_path, frame, "--not-input", "c", "--bootstraps", "0") == 0


def test_a_run_that_writes_to_no_terminal_says_what_it_does(monkeypatch, capsys):
    from hedgerow_clinic.survival_command import ProgressLine

    monkeypatch.setattr("hedgerow_clinic.survival_command.LINE_INTERVAL", 0.0)
    with ProgressLine(False) as tell:
        tell("bootstraps")
        tell("repetition")
    assert capsys.readouterr().err == "bootstraps\nbootstraps: 1\n"
    with ProgressLine(True) as tell:
        tell("bootstraps")
    monkeypatch.setattr("hedgerow_clinic.survival_command.LINE_INTERVAL", 1000.0)
    with ProgressLine(False) as tell:
        tell("bootstraps")
    assert capsys.readouterr().err == ""
