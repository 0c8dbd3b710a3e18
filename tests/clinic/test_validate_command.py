"""A model in other hospitals: its file, its groups, its risks tested."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import statsmodels.api as sm
from clinic.made import Edges, assert_no_scrolling, in_chromium, patients, written
from lifelines import KaplanMeierFitter
from lifelines.datasets import load_gbsg2

from hedgerow.cli import main
from hedgerow.errors import DataError, InputError
from hedgerow.survival import concordance, integrated_brier_score
from hedgerow_clinic import layout
from hedgerow_clinic.counts import protected_counts
from hedgerow_clinic.disclosure import small
from hedgerow_clinic.external_validation import measures_of
from hedgerow_clinic.intervals import merge_intervals
from hedgerow_clinic.model import RiskModel, curve_of, read_model, shares_by
from hedgerow_clinic.placement import renamed
from hedgerow_clinic.risks import risk_by
from hedgerow_clinic.table import read_texts

TOLD = ["--time", "time", "--unit", "days", "--event", "cens"]


@pytest.fixture(scope="module")
def halves(tmp_path_factory):
    """The women of gbsg2 in two files."""
    folder = tmp_path_factory.mktemp("gbsg2")
    table = load_gbsg2().sample(frac=1.0, random_state=3)
    written(folder / "one.csv", table[:400])
    written(folder / "two.csv", table[400:])
    return folder


@pytest.fixture(scope="module")
def first(halves):
    out = halves / "first"
    run = ["survival", str(halves / "one.csv"), *TOLD, "--horizon", "3y", "--quiet"]
    assert main([*run, "--out", str(out)]) == 0
    return out


def validate(first, table, out, *more):
    run = ["validate", str(first), str(table), *more, "--out", str(out), "--quiet"]
    assert main([*run, "--resamples", "20"]) == 0
    return out


@pytest.fixture(scope="module")
def second(first, halves):
    return validate(first, halves / "two.csv", halves / "second", *TOLD)


@pytest.fixture(scope="module")
def same(first, halves):
    """The first hospital's own patients."""
    return validate(first, halves / "one.csv", halves / "same", *TOLD)


def performance(folder):
    return pd.read_csv(folder / "tables/performance.csv").set_index("measure")["estimate"]


# --------------------------------------------------------------------------------- the file


def test_the_model_goes_round_and_loads_without_its_folder(first, tmp_path):
    shutil.copy(first / "tree.json", tmp_path / "m.json")
    model = read_model(tmp_path / "m.json")
    assert model.to_json() == (tmp_path / "m.json").read_text()
    assert RiskModel.from_json(model.to_json()).digest == model.digest
    assert (model.horizon, model.unit, model.has_competing_risks) == (3.0, "years", False)
    shown = pd.read_csv(first / "tables/survival_all.csv", dtype=str).set_index("group")
    beside = pd.read_csv(first / "tables/next_patient.csv").set_index("group")
    for group in model.groups:
        own = shown.loc[str(group.number)]
        assert (str(group.n), str(group.events), group.rule) == (
            own["n"],
            own["events"],
            own["rule"],
        )
        if not group.few:
            told = beside.loc[group.number, ["risk", "risk_low", "risk_high"]].astype(float)
            assert (group.risk, group.low, group.high) == pytest.approx(tuple(told), abs=1e-6)
            assert group.low < group.risk < group.high
        if group.curve and group.risk:
            # What was seen in the training part, uncorrected.
            assert abs(group.curve[-1].share - group.risk) < 0.15
    assert {own.name for own in model.tested} <= set(model.columns())
    age = model.columns()["age"]
    assert age.kind == "number" and model.made_from.file == "one.csv"


def _set(*path):
    """A change of a value in the form of a model; the last of the path is the new value."""

    def change(form):
        *keys, last, value = path
        for key in keys:
            form = form[key]
        form[last] = value

    return change


def _drop(*path):
    def change(form):
        for key in path[:-1]:
            form = form[key]
        del form[path[-1]]

    return change


SPOILT = {
    "a bare tree": (lambda form: form["tree"], "holds a tree without risks"),
    "another format": (_set("format", "x"), "is no risk model"),
    "another version": (_set("version", 2), "has version 2"),
    "yes for a version": (_set("version", True), "has version True"),
    "an unknown key": (_set("surprise", 1), "unknown key `surprise`"),
    "an unknown key inside": (_set("groups", 0, "code", "x"), "unknown key `groups.1.code`"),
    "no horizon": (_drop("horizon"), "`horizon` is missing"),
    "a text for a number": (_set("horizon", "3"), "`horizon` is `3`"),
    "a horizon of 0": (_set("horizon", 0), "`horizon` is `0`"),
    "another unit": (_set("unit", "hours"), "`unit` is `hours`"),
    "a risk above 1": (_set("groups", 0, "risk", 1.5), "`groups.1.risk` is `1.5`"),
    "a risk outside": (_set("groups", 0, "low", 0.999), "its risk is outside its interval"),
    "a group twice": (lambda f: f["groups"].append(f["groups"][0]), "`groups` is"),
    "a group less": (_drop("groups", 0), "its groups are not the leaves"),
    "another node": (_set("groups", 0, "node", 0), "its groups are not the leaves"),
    "a list for a group": (_set("groups", 0, []), "`groups` is"),
    "an input less": (_drop("inputs", 0), "its inputs are not the variables"),
    "an input renamed": (_set("inputs", 0, "name", "x"), "its inputs are not the variables"),
    "another kind": (_set("inputs", 1, "kind", "picture"), "`inputs.2.kind` is `picture`"),
    "a checksum": (_set("made_from", "sha256", "x"), "`made_from.sha256` is `x`"),
    "no tree": (_set("tree", None), "is no"),
    "a tree that loops": (_set("tree", "children_left", 0, 0), ""),
    "a tree of texts": (_set("tree", "threshold", 0, "x"), ""),
    "counts as words": (_set("groups", 0, "n", "many"), "`groups.1.n` is `many`"),
}


@pytest.mark.parametrize("name", SPOILT)
def test_a_spoilt_model_is_refused_in_one_sentence(first, name, tmp_path, capsys):
    change, said = SPOILT[name]
    form = json.loads((first / "tree.json").read_text())
    form = made if isinstance(made := change(form), dict) else form
    path = tmp_path / "tree.json"
    path.write_text(json.dumps(form))
    run = ["apply", str(tmp_path), "x.csv", "--out", str(tmp_path / "o.csv")]
    assert main(run) == 1
    err = capsys.readouterr().err
    assert err.count("\n") == 1 and str(path) in err and (said in err or "is no" in said), err
    assert not (tmp_path / "o.csv").exists()


@pytest.mark.parametrize(
    "text", ["", "[1]", "{", '{"format": NaN}', '{"a": 1, "a": 2}', "[" * 100_000, "null", "\ud800"]
)
def test_what_is_no_json_is_refused(text, tmp_path):
    with pytest.raises(DataError, match=r"^m\.json is no JSON"):
        RiskModel.from_json(text, "m.json")


def test_explain_reads_the_tree_inside(first, halves, capsys):
    """The file of the folder is one with more beside the tree."""
    assert main(["explain", str(first / "tree.json"), str(halves / "one.csv")]) == 0
    assert "revisions by the nodes" not in capsys.readouterr().out  # it has no node statistics
    form = json.loads((first / "tree.json").read_text())
    model = read_model(first)
    frame = load_gbsg2()[list(form["tree"]["feature_names"])]
    X = frame.copy()
    for place, labels in model.tree.categories.items():
        name = model.tree.feature_names[place]
        X[name] = X[name].map({label: k for k, label in enumerate(labels)})
    X = X.to_numpy(float)
    form["tree"] = json.loads(model.tree.annotate(X, np.arange(len(X)) % 2).to_json())
    (halves / "annotated.json").write_text(json.dumps(form))
    run = ["explain", str(halves / "annotated.json"), str(halves / "one.csv"), "--row", "0"]
    assert main(run) == 0
    out = capsys.readouterr().out
    assert out.startswith("row 0") and "revisions by the nodes" in out


# -------------------------------------------------------------------------------------- apply


def test_apply_gives_the_groups_of_the_page(first, halves, tmp_path, capsys):
    out = tmp_path / "groups.csv"
    assert main(["apply", str(first), str(halves / "one.csv"), "--out", str(out)]) == 0
    assert capsys.readouterr().out.startswith("400 rows, 400 placed; risk of the event by 3 years")
    found = pd.read_csv(out)
    assert list(found) == ["row", "group", "risk", "low", "high", "why"]
    assert found["row"].tolist() == list(range(2, 402))
    model = read_model(first)
    for group in model.groups:
        own = found[found["group"] == group.number]
        assert len(own) == group.n or isinstance(group.n, str)
        assert (own["risk"] == group.risk).all()


def spoilt_rows(first):
    """Rows of which one thing is wrong each, and what is said of it."""
    model = read_model(first)
    numbers = [own.name for own in model.tested if own.kind == "number"]
    root = model.tree.feature_names[int(model.tree.feature[0])]
    table = load_gbsg2().astype(object)[:8].reset_index(drop=True)
    table.loc[0, root] = None
    table.loc[1, root] = "many"
    table.loc[2, numbers] = 100_000
    table.loc[3, "estrec"] = "unread" if "estrec" not in numbers else table.loc[3, "estrec"]
    table["patient"] = [f"=P{k}" for k in range(len(table))]
    return table, root


def test_apply_says_why_a_patient_cannot_be_placed(first, tmp_path):
    table, root = spoilt_rows(first)
    path, out = written(tmp_path / "t.csv", table), tmp_path / "g.csv"
    run = ["apply", str(first / "tree.json"), str(path), "--out", str(out), "--keep", "patient"]
    assert main([*run, "--quiet"]) == 0
    found = pd.read_csv(out)
    assert found["patient"].tolist()[:2] == ["'=P0", "'=P1"]
    assert re.match(rf"`{root}` is missing; \d+ % of such patients are in group", found["why"][0])
    assert found["why"][1] == f"`{root}`: 'many' is no number" and found["risk"].isna()[1]
    assert "lies outside" in found["why"][2] and found["risk"].notna()[2]
    assert found["why"].isna()[3:].all() and found["group"].notna()[3:].all()


def test_apply_takes_the_same_answers_as_survival(first, tmp_path, capsys):
    """`<5` and hidden rows were answered for the tree's own table, and could not be for others."""
    table, root = load_gbsg2().astype(object)[:6], spoilt_rows(first)[1]
    table.loc[1, root], table.loc[2, root] = "<5", "many"
    path, out = tmp_path / "clinic.xlsx", tmp_path / "g.csv"
    with pd.ExcelWriter(path) as book:
        table.to_excel(book, index=False)
        book.book.worksheets[0].row_dimensions[5].hidden = True
    run = ["apply", str(first), str(path), "--out", str(out)]
    assert main(run) == 1
    assert "1 of 6 rows are hidden or filtered out" in capsys.readouterr().err and not out.exists()
    answers = ["--hidden-rows", "drop", "--read", f"{root}=<5=3", "--read", f"{root}=many=missing"]
    assert main([*run, *answers]) == 0
    found = pd.read_csv(out)
    assert found["row"].tolist() == [2, 3, 4, 6, 7] and found["group"].notna().all()
    assert pd.isna(found["why"][1]) and found["why"][2].startswith(f"`{root}` is missing")


def test_an_unknown_category_is_a_missing_value(tmp_path):
    table = patients(500)
    table["years"] = np.where(table["sex"] == "male", table["years"] / 4, table["years"])
    table = table[["sex", "years", "status"]].assign(coin=np.arange(500) % 7)
    told = ["--time", "years", "--event", "status", "--horizon", "2y", "--max-depth", "1"]
    told += ["--keep-input", "sex"]  # a quarter of the follow-up as well
    path, out = written(tmp_path / "a.csv", table), tmp_path / "o"
    assert main(["survival", str(path), *told, "--out", str(out), "--quiet"]) == 0
    assert [own.name for own in read_model(out).tested] == ["sex"]
    new = pd.DataFrame({"sex": ["male", "MALE", "unknown", None, "female"], "coin": range(5)})
    run = ["apply", str(out), str(written(tmp_path / "b.csv", new)), "--quiet"]
    assert main([*run, "--out", str(tmp_path / "g.csv")]) == 0
    found = pd.read_csv(tmp_path / "g.csv")
    assert found["group"][0] == found["group"][1] != found["group"][4]
    assert "'unknown' is no category of the model" in found["why"][2]
    assert "`sex` is missing" in found["why"][3]
    assert found["group"].notna().all()


def test_columns_under_other_names(first, halves, tmp_path, capsys):
    table = pd.read_csv(halves / "two.csv").rename(columns={"pnodes": "a=b"})
    path, out = written(tmp_path / "t.csv", table), tmp_path / "g.csv"
    run = ["apply", str(first), str(path), "--out", str(out)]
    assert main(run) == 1
    err = capsys.readouterr().err
    assert "t.csv has no column `pnodes`, which the tree tests" in err and "--rename" in err
    assert main([*run, "--rename", "a=b=pnodes"]) == 0
    assert main([*run, "--rename", "a=b=pnodes"]) == 1  # it is there
    texts = read_texts(path)
    for pairs, said in (
        (["x=y"], "has no column `x`"),
        (["age"], "write OLD=NEW"),
        (["age="], "write OLD=NEW"),
        (["age=tsize"], "the column `tsize` twice"),
    ):
        with pytest.raises(InputError, match=re.escape(said)):
            renamed(texts, pairs)
    assert {"pnodes", "x"} < set(renamed(texts, ["a=b=pnodes", "age=x"]).columns)


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        ("apply first two.csv", "missing option --out (output file); give --out"),
        ("apply first two.csv --out g.csv --keep who", "--keep: two.csv has no column `who`"),
        ("apply nowhere two.csv --out g.csv", "give a folder of `hedgerow survival`"),
        ("apply first nowhere.csv --out g.csv", "nowhere.csv"),
        ("apply first two.csv --out one.csv", "one.csv is there already"),
        ("validate first two.csv --time time --event cens", "missing option --out (output folder)"),
        (
            "validate first two.csv --time time --out o",
            "missing option --event (column of the event)",
        ),
        ("validate first two.csv --time time --event cens --out o", "nothing tells its unit"),
        ("validate first two.csv --time time --unit days --event cens --out first", "is there al"),
        (
            "validate first two.csv --time time --unit days --event cens --out o --resamples -1",
            "--resamples is -1; give a whole number of at least 0",
        ),
        (
            "validate first two.csv --time time --unit days --event cens --not-input pnodes "
            "--out o",
            "column `pnodes` is left out by --not-input, and the tree tests it",
        ),
    ],
)
def test_mistakes_in_the_commands(first, second, halves, command, sentence, capsys, monkeypatch):
    monkeypatch.chdir(halves)
    assert main(command.split()) == 1
    err = capsys.readouterr().err
    assert sentence in err, err
    assert not (halves / "o").exists() and not (halves / "g.csv").exists()


# ----------------------------------------------------------------------------------- validate


def test_a_tree_that_tells_nobody_apart_is_named(first, halves, tmp_path):
    """`validate` tested its groups, which the first page does not show, without a word."""
    form = json.loads((first / "tree.json").read_text())
    (tmp_path / "nothing").mkdir()
    (tmp_path / "nothing/tree.json").write_text(json.dumps(form | {"finds": False}))
    out = validate(tmp_path / "nothing", halves / "two.csv", tmp_path / "out", *TOLD)
    assert "did not tell new patients apart" in (out / "index.html").read_text()


def test_a_folder_of_a_second_hospital_holds_what_it_says(second):
    manifest = json.loads((second / "manifest.json").read_text())
    files = {p.relative_to(second).as_posix() for p in second.rglob("*") if p.is_file()}
    assert files == {*manifest["outputs"], "manifest.json"}
    assert {"tree_recalibrated.json", "passport.html", "figures/sheet.pdf"} <= files
    text = (second / "index.html").read_text()
    assert "http://" not in text and "https://" not in text and "<script" not in text
    for link in re.findall(r'(?:href|src)="([^"#][^"]*)"', text):
        assert link == "data:," or (second / link).is_file(), link
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids)) and set(re.findall(r'href="#([^"]+)"', text)) <= set(ids)
    assert manifest["command"].startswith("hedgerow validate first two.csv --time time")


def test_the_same_input_gives_the_same_bytes(first, second, halves):
    again = validate(first, halves / "two.csv", halves / "again", *TOLD)
    assert (again / "manifest.json").read_bytes() == (second / "manifest.json").read_bytes()


def test_on_the_same_patients_the_model_is_right(same):
    """But for what the risks allow for the groups' having been chosen: the slope is above 1."""
    found = performance(same)
    assert found["Observed over expected"] == pytest.approx(1.0, abs=0.08)
    assert found["Calibration intercept"] == pytest.approx(0.0, abs=0.12)
    assert 1.0 < found["Calibration slope"] < 1.5
    mix = pd.read_csv(same / "tables/case_mix.csv")
    assert (mix["difference"].dropna().abs() < 1e-3).all()


def test_the_recalibrated_model_is_right_where_it_was_made(second, halves):
    again = validate(second / "tree_recalibrated.json", halves / "two.csv", halves / "re", *TOLD)
    found, before = performance(again), performance(second)
    model = read_model(second / "tree_recalibrated.json")
    assert model.recalibrated_from.file == "two.csv" and model.made_from.file == "one.csv"
    if not any(group.few for group in model.groups):
        assert found["Observed over expected"] == pytest.approx(1.0, abs=0.01)
        assert found["Calibration slope"] == pytest.approx(1.0, abs=0.05)
    assert found["Brier score"] <= before["Brier score"] + 1e-9


def cohort(n=4000, seed=0, competing=False):
    """Patients in five groups with known risks, censored at random."""
    random = np.random.default_rng(seed)
    risk = random.choice([0.05, 0.15, 0.3, 0.5, 0.8], n)
    death = random.exponential(-3.0 / np.log1p(-risk))
    end = random.uniform(1.0, 12.0, n)
    other = random.exponential(20.0, n) if competing else np.full(n, np.inf)
    time = np.minimum(np.minimum(death, other), end)
    return time, np.where(death == time, 1, np.where(other == time, 2, 0)), risk


def test_measures_of_a_model_that_is_right():
    time, event, risk = cohort()
    found = measures_of(time, event, risk, 3.0)
    assert found["ratio"] == pytest.approx(1.0, abs=0.06)
    assert found["intercept"] == pytest.approx(0.0, abs=0.1)
    assert found["slope"] == pytest.approx(1.0, abs=0.08)
    # Risks that are too far apart, and too low.
    x = np.log(risk / (1 - risk))
    wrong = 1.0 / (1.0 + np.exp(-(2.0 * x - 0.5)))
    found = measures_of(time, event, wrong, 3.0)
    assert found["slope"] == pytest.approx(0.5, abs=0.04)


def test_measures_are_those_of_others():
    time, event, risk = cohort(800, 1)
    found = measures_of(time, event, risk, 3.0)
    assert found["ratio"] * risk.mean() == pytest.approx(risk_by(time, event, 3.0)[0])
    assert found["concordance"] == concordance(time, event, risk)
    scores = integrated_brier_score(time, event, time, event, 1.0 - risk[:, None], [3.0])
    assert found["brier"] == pytest.approx(scores.integrated)
    # Without censoring: a plain logistic regression on all patients.
    time = np.where(event == 1, time, 20.0)
    y = ((event == 1) & (time <= 3.0)).astype(float)
    found = measures_of(time, event, risk, 3.0)
    x = np.log(risk / (1 - risk))
    plain = sm.Logit(y, sm.add_constant(x)).fit(disp=0)
    assert found["slope"] == pytest.approx(plain.params[1], rel=1e-6)
    shift = sm.GLM(y, np.ones((len(y), 1)), family=sm.families.Binomial(), offset=x).fit()
    assert found["intercept"] == pytest.approx(shift.params[0], rel=1e-6)
    assert found["brier"] == pytest.approx(((y - risk) ** 2).mean())


def test_where_causes_compete_observed_is_the_incidence():
    time, event, risk = cohort(1500, 2, competing=True)
    found = measures_of(time, event, risk, 3.0)
    assert (event == 2).sum() > 100
    assert found["ratio"] * risk.mean() == pytest.approx(risk_by(time, event, 3.0)[0])
    share = shares_by(time, event, [1.0, 3.0])
    assert share[1] == pytest.approx(risk_by(time, event, 3.0)[0])
    share = shares_by(time, np.minimum(event, 1), [2.0])
    fitted = KaplanMeierFitter().fit(time, event > 0)
    assert share[0] == pytest.approx(1.0 - fitted.predict(2.0))


def test_measures_that_are_not_defined_are_missing():
    time, event, risk = cohort(300, 3)
    found = measures_of(time, event, np.full(300, 0.3), 3.0)
    assert np.isnan(found["slope"]) and np.isfinite(found["intercept"])
    assert found["concordance"] == 0.5 and found["scaled_brier"] <= 0.0
    assert np.isfinite(measures_of(time, event, np.where(risk > 0.2, 1.0, 0.0), 3.0)["slope"])


def test_so_few_patients_that_any_share_would_count_them(first, halves, tmp_path, capsys):
    """The share of all would tell how many had the event, which no table does."""
    table = pd.read_csv(halves / "two.csv")
    early = table[(table["cens"] == 1) & (table["time"] < 900)][:4]
    late = table[table["time"] > 1200][:30]
    path = written(tmp_path / "few.csv", pd.concat([early, late]))
    run = ["validate", str(first), str(path), *TOLD, "--resamples", "5", "--quiet"]
    assert main([*run, "--out", str(tmp_path / "o")]) == 1
    assert "that nothing could be shown" in capsys.readouterr().err
    assert not (tmp_path / "o").exists()
    assert main([*run, "--out", str(tmp_path / "o"), "--show-small-counts"]) == 0
    assert "4" in pd.read_csv(tmp_path / "o/tables/flow.csv", dtype=str)["count"].tolist()


def test_what_a_table_lacks_is_told(first, halves, tmp_path, capsys):
    """A level that the tree does not know, unless the schema allows it; another unit."""
    table = pd.read_csv(halves / "two.csv", dtype=str)
    table.loc[:9, "tgrade"] = "IV"
    path = written(tmp_path / "t.csv", table)
    run = ["validate", str(first), str(path), *TOLD, "--out", str(tmp_path / "o"), "--quiet"]
    assert main(run) == 1
    assert "'IV' is none of I, II, III" in capsys.readouterr().err
    schema = tmp_path / "s.yaml"
    schema.write_text("columns:\n  tgrade: {categories: [I, II, III, IV]}\n")
    assert main([*run, "--schema", str(schema), "--resamples", "0"]) == 0
    mix = pd.read_csv(tmp_path / "o/tables/case_mix.csv", dtype=str)
    gone = mix[(mix["variable"] == "tgrade") & (mix["value"] == "missing")]
    assert gone["here"].tolist() == ["10"]
    assert "No samples were drawn" in (tmp_path / "o/index.html").read_text()


# ------------------------------------------------------------------------------------ what hides


def shown_counts(folder):
    """Every count that a folder tells, by file."""
    for file in sorted(folder.glob("tables/*.csv")):
        with open(file, newline="") as stream:
            for row in csv.DictReader(stream):
                for name in ("n", "events", "count", "n_treated"):
                    if (row.get(name) or "").isdigit():
                        yield file.name, int(row[name])
                for name in ("first", "here"):
                    if row.get("value") in ("n", "missing") and (row.get(name) or "").isdigit():
                        yield file.name, int(row[name])
    for file in sorted(folder.glob("*.json")):
        form = json.loads(file.read_text())
        for group in form.get("groups", ()):
            for name in ("n", "events"):
                if isinstance(group.get(name), int):
                    yield file.name, group[name]


def test_no_file_of_a_folder_tells_a_small_count(first, second, same, tmp_path):
    few = patients(300, hazard=0.02).drop(columns="surgery")
    told = ["--time", "years", "--event", "status"]
    path = written(tmp_path / "few.csv", few[:200])
    run = ["survival", str(path), *told, "--horizon", "5y", "--min-patients", "10", "--quiet"]
    assert main([*run, "--out", str(tmp_path / "one")]) == 0
    path = written(tmp_path / "other.csv", few[200:])
    small_one = validate(tmp_path / "one", path, tmp_path / "two", *told)
    for folder in (first, second, same, tmp_path / "one", small_one):
        counts = list(shown_counts(folder))
        assert len(counts) > 10
        assert not [(name, count) for name, count in counts if 0 < count < 5], folder
        if (folder / "tree_recalibrated.json").exists():
            table = pd.read_csv(folder / "tables/decision_curve.csv", dtype=str)
            known = [int(n) for n in table["n_treated"] if n.isdigit()]
            assert not small(np.abs(np.diff(known)), 5).any()


@pytest.mark.parametrize("seed", range(8))
def test_no_small_count_follows_from_those_that_are_shown(seed):
    """Of two groups, by trying all tables that agree with what is shown."""
    random = np.random.default_rng(seed)
    inner = random.choice([0, 1, 2, 3, 5], (2, 4))
    kinds = [(0.5, 1), (0.5, 2), (0.5, 0), (2.0, 0)]
    time, event, leaf = [], [], []
    for group, row in enumerate(inner):
        for (when, what), count in zip(kinds, row, strict=True):
            time += [when] * count
            event += [what] * count
            leaf += [group] * count
    found = protected_counts([0, 1], *map(np.array, (leaf, time, event)), 1.0, 3)
    np.testing.assert_array_equal(found.counts[:2, :4], inner)
    hidden = found.mask != 0
    assert not small(found.counts[~hidden], 3).any()
    free = [cell for cell in np.ndindex(2, 4) if hidden[cell]]
    values = np.indices((7,) * len(free), dtype=np.int8).reshape(len(free), -1)
    tables = np.repeat(inner[None].astype(np.int8), values.shape[1], axis=0)
    for cell, own in zip(free, values, strict=True):
        tables[:, *cell] = own
    tables = np.concatenate([tables, tables.sum(axis=2, keepdims=True)], axis=2)
    tables = np.concatenate([tables, tables.sum(axis=1, keepdims=True)], axis=1)
    possible = tables[(tables == found.counts)[:, ~hidden].all(axis=1)]
    fixed = (possible == possible[0]).all(axis=0)
    assert not (fixed & small(found.counts, 3)).any()


def test_points_of_a_curve_tell_of_no_few_events():
    time, event, _ = cohort(150, 4)
    full, kept = (curve_of(time, event, 3.0, least) for least in (0, 5))
    assert len(full) == 20 and 0 < len(kept) < 20
    had = [int(((event == 1) & (time <= point.time)).sum()) for point in kept]
    assert not small(np.diff([0, *had]), 5).any()
    ends = [end for end, _ in merge_intervals(time, event, 3.0, 5)]
    at_ends = np.array([int(((event == 1) & (time <= end)).sum()) for end in ends])
    assert not small(np.abs(np.subtract.outer(had, at_ends)), 5).any()
    everything = {point.time: point.share for point in full}
    assert all(everything[point.time] == point.share for point in kept)
    assert curve_of(time[:3], event[:3], 3.0, 5) == ()


# ------------------------------------------------------------------- cohorts that exist twice


def mirrored(name):
    path = Path(os.environ["HEDGEROW_MIRROR"], name, f"{name}.csv")
    assert path.is_file()
    return pd.read_csv(path)


@pytest.mark.mirror
@pytest.mark.slow
def test_gbsg2_in_rotterdam(tmp_path):
    """Recurrence or death by three years in women with positive nodes (Royston and Altman 2013)."""
    here = mirrored("rotterdam")
    here = here[here["nodes"] > 0]
    came = here["recur"] == 1
    table = pd.DataFrame(
        {
            "age": here["age"],
            "menostat": np.where(here["meno"] == 1, "Post", "Pre"),
            "tgrade": here["grade"].map({1: "I", 2: "II", 3: "III"}),
            "nodes": here["nodes"],
            "progrec": here["pgr"],
            "estrec": here["er"],
            "horTh": np.where(here["hormon"] == 1, "yes", "no"),
            "days": np.where(came, here["rtime"], here["dtime"]),
            "event": (came | (here["death"] == 1)).astype(int),
        }
    )
    one = written(tmp_path / "gbsg2.csv", load_gbsg2().drop(columns="tsize"))
    first = tmp_path / "first"
    run = ["survival", str(one), *TOLD, "--horizon", "3y", "--quiet", "--out", str(first)]
    assert main(run) == 0
    two = written(tmp_path / "rotterdam.csv", table)
    told = ["--time", "days", "--event", "event", "--rename", "nodes=pnodes"]
    second = validate(first, two, tmp_path / "second", *told)
    found = performance(second)
    assert 1.05 < found["Observed over expected"] < 1.4
    # Of the risks of the training part as they are it was .67.
    assert 0.8 < found["Calibration slope"] < 1.1
    assert 0.59 < found["Concordance"] < 0.66
    mix = pd.read_csv(second / "tables/case_mix.csv").set_index(["variable", "value"])
    assert mix.loc[("tgrade", "III"), "difference"] > 1.0


@pytest.mark.mirror
@pytest.mark.slow
def test_pbc_of_the_trial_outside_of_it(tmp_path):
    """Death with transplants competing; who was outside lacks half of the columns."""
    table = mirrored("pbc")
    names = ["age", "sex", "edema", "bili", "albumin", "platelet", "protime", "time", "status"]
    trial = table["trt"].notna()
    assert trial.sum() == 312 and (~trial).sum() == 106
    one = written(tmp_path / "trial.csv", table.loc[trial, names])
    two = written(tmp_path / "outside.csv", table.loc[~trial, names])
    told = ["--time", "time", "--unit", "days", "--event", "status", "--cause", "2"]
    told += ["--no-event-is", "0", "--other-event-is", "1"]
    first = tmp_path / "first"
    run = ["survival", str(one), *told, "--horizon", "5y", "--quiet", "--out", str(first)]
    assert main(run) == 0
    assert read_model(first).has_competing_risks
    second = validate(first, two, tmp_path / "second", *told)
    found = performance(second)
    assert 0.5 < found["Observed over expected"] < 1.5
    assert found["Concordance"] > 0.65
    assert "Causes compete" in (second / "index.html").read_text()
    assert not [count for _, count in shown_counts(second) if 0 < count < 5]


# -------------------------------------------------------------------------------- how it looks


def test_no_text_reaches_over_the_edge_of_a_picture(first, halves, tmp_path, monkeypatch):
    """As saved, with long names and titles."""
    edges, seen = Edges(monkeypatch), []

    def looked_at(picture, folder, name):
        edges.assert_inside(picture, tmp_path / f"{name}.png")
        seen.append(name)
        save_picture(picture, folder, name)

    save_picture = layout.save_picture
    monkeypatch.setattr("hedgerow_clinic.validation_folder.save_picture", looked_at)
    told = [*TOLD, "--title", "A <long> $title_1$ " * 20]
    second = validate(first, halves / "two.csv", tmp_path / "second", *told)
    assert seen == ["sheet", "calibration", "survival", "decisions"]
    text = (second / "index.html").read_text()
    assert "<long>" not in text and "&lt;long&gt;" in text


@pytest.mark.slow
@in_chromium
@pytest.mark.parametrize("width", [1280, 480])
@pytest.mark.parametrize("page", ["first", "second"])
def test_the_pages_do_not_scroll_sideways(page, tmp_path, width, request):
    assert_no_scrolling(request.getfixturevalue(page), tmp_path, width)
