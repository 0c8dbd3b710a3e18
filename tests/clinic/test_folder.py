"""The whole way, from a table to a folder: what it holds, what it hides, what it leaves alone."""

from __future__ import annotations

import csv as csv_module
import hashlib
import json
import os
import re
import shlex
import shutil
import socket
import unicodedata
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from xml.etree import ElementTree

import numpy as np
import pytest
from clinic.made import Edges, assert_no_scrolling, in_chromium, patients, written
from lifelines import KaplanMeierFitter
from matplotlib.text import Text

from hedgerow.cli import main
from hedgerow.errors import InputError
from hedgerow.showing.figures import save
from hedgerow.survival import horizon_labels
from hedgerow.tree import Tree
from hedgerow_clinic import figures
from hedgerow_clinic.analysis import Settings, analyse
from hedgerow_clinic.checklist import checklist, summary
from hedgerow_clinic.cohort import Outcome, read_cohort
from hedgerow_clinic.disclosure import small
from hedgerow_clinic.folder import _captions, _pictures, page, tree_json
from hedgerow_clinic.model import read_model
from hedgerow_clinic.risks import decision_curve, risk_by
from hedgerow_clinic.schema import detect_columns
from hedgerow_clinic.table import read_texts
from hedgerow_clinic.table_format import estimated, format_value
from hedgerow_clinic.tables import flow, tables, withheld_leaves
from hedgerow_study.experiments.survival.plan import SurvivalPlan

TOLD = ["--time", "years", "--event", "status", "--horizon", "5y", "--intervention", "surgery"]


@pytest.fixture(scope="module")
def csv(tmp_path_factory):
    return written(tmp_path_factory.mktemp("in") / "patients.csv", patients(400))


@pytest.fixture(scope="module")
def schema(csv, tmp_path_factory):
    """A template, with a label and an error of measurement written into it."""
    path = tmp_path_factory.mktemp("schema") / "schema.yaml"
    assert main(["survival", str(csv), "--template", str(path)]) == 0
    text = path.read_text().replace("label: age", "label: Age at visit")
    text = re.sub(r"(marker:.*?error: )0", r"\g<1>0.3", text, count=1, flags=re.DOTALL)
    path.write_text(text)
    return path


@pytest.fixture(scope="module")
def made(csv, schema, tmp_path_factory):
    """The folder of a run, with two permutations and a schema."""
    out = tmp_path_factory.mktemp("out") / "sheet"
    run = ["survival", str(csv), *TOLD, "--schema", str(schema), "--permutations", "2", "--quiet"]
    assert main([*run, "--adjust", "age,sex", "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def again(made, csv, schema, tmp_path_factory):
    """A second run by the command of the manifest, in the place of the first, without a network."""

    def refused(*_, **__):
        raise AssertionError("a socket was opened")

    out = tmp_path_factory.mktemp("again") / "sheet"
    shutil.copytree(made, out)
    (out / "index.html").write_text("a page with notes")
    command = json.loads((made / "manifest.json").read_text())["command"]
    words = ["survival", str(csv), *shlex.split(command)[3:]]
    words[words.index("--schema") + 1] = str(schema)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "socket", refused)
        patch.setattr(socket, "create_connection", refused)
        assert main([*words, "--out", str(out), "--force", "--quiet"]) == 0
    return out


def analysed(folder, table, settings=None, **told):
    """What a run finds, without its folder."""
    read = read_texts(written(folder / "table.csv", table))
    outcome = Outcome("status", time="years", **{"horizon": "5y", **told})
    return analyse(read_cohort(read, outcome, detect_columns(read)), settings or Settings())


def page_of(found, title="A title"):
    shown = tables(found, 5)
    shown["checklist"] = checklist(found, shown, "table.csv", "0")
    return page(found, shown, ["treated"] * bool(found.treated), title, 5, "0"), shown


def with_causes(n=400):
    """Patients with notes of whom some die of another cause, and their causes."""
    table = patients(n).drop(columns="surgery")
    other = (table["status"] == "dead") & (np.arange(n) % 3 == 0)
    table.loc[other, "status"] = "cancer"
    table["note"] = [f"seen on visit {k % 60}" for k in range(n)]
    return table, np.where(other, 2, table["status"] == "dead")


@pytest.fixture(scope="module")
def several(tmp_path_factory):
    """Of patients of whom some die of another cause; its page and tables."""
    found = analysed(tmp_path_factory.mktemp("several"), with_causes()[0], cause="dead")
    return found, *page_of(found)


@pytest.fixture(scope="module")
def analysis(tmp_path_factory):
    """Of patients of whom few have the event, in small groups."""
    folder, table = tmp_path_factory.mktemp("few"), patients(400, hazard=0.02)
    return analysed(folder, table, Settings(min_samples_leaf=10), intervention="surgery")


def test_the_folder_holds_what_it_says(made):
    manifest = json.loads((made / "manifest.json").read_text())
    files = {p.relative_to(made).as_posix() for p in made.rglob("*") if p.is_file()}
    assert files == {*manifest["outputs"], "manifest.json"}
    for name, digest in manifest["outputs"].items():
        assert hashlib.sha256((made / name).read_bytes()).hexdigest() == digest
    assert {"index.html", "tree.json", "figures/sheet.pdf", "figures/treated.svg"} <= files
    assert {"tables/baseline.csv", "tables/checklist.csv", "tables/calibration.csv"} <= files
    assert manifest["seed"] == 0 and manifest["command"].startswith(
        "hedgerow survival patients.csv"
    )
    assert read_model(made).tree.n_leaves >= 2


def test_the_page_opens_without_network_or_script(made):
    text = (made / "index.html").read_text()
    assert "http://" not in text and "https://" not in text and "<script" not in text
    assert "Nothing has left this computer." in text
    for link in re.findall(r'(?:href|src)="([^"#][^"]*)"', text):
        assert link == "data:," or (made / link).is_file(), link
    ids = re.findall(r' id="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', text)) <= set(ids)
    assert "P0001" not in text  # no patient
    assert "Age at visit" in text and "would be in another group" in text  # of the schema
    for title in ("Patients at inclusion, by group", "Predicted and observed risk", "TRIPOD+AI"):
        assert title in text


def test_treated_against_untreated_is_called_an_association(made):
    text = (made / "index.html").read_text()
    for anchor in ("figure_treated", "treated_landmark", "treated_inclusion", "baseline_treated"):
        part = text[text.index(f'id="{anchor}"') :][:900]
        assert "ssociation, not effect" in part, anchor
    assert "immortal time bias" in text
    assert "association, not effect" in (made / "tables/checklist.csv").read_text().replace(
        "an association, not an effect", "association, not effect"
    )


def test_the_same_input_gives_the_same_bytes_and_needs_no_network(made, again):
    """By the command that the manifest names."""
    assert (again / "manifest.json").read_bytes() == (made / "manifest.json").read_bytes()


def test_a_folder_of_an_earlier_run_is_replaced_whole_and_kept(made, again):
    """It was removed, with what had been written into it since."""
    files = [{p.relative_to(f).as_posix() for p in f.rglob("*")} for f in (made, again)]
    assert files[0] == files[1]
    assert {p.name for p in again.parent.iterdir()} == {"sheet", "sheet.old"}
    assert (again.parent / "sheet.old/index.html").read_text() == "a page with notes"


def test_an_existing_folder_is_kept(csv, tmp_path, capsys):
    run = ["survival", str(csv), *TOLD, "--out"]
    kept = tmp_path / "thesis"
    kept.mkdir()
    (kept / "chapter.txt").write_text("mine")
    assert main([*run, str(kept)]) == 1
    assert "is there already; name another place, or add --force" in capsys.readouterr().err
    assert main([*run, str(kept), "--force"]) == 1
    assert "is not overwritten" in capsys.readouterr().err
    assert (kept / "chapter.txt").read_text() == "mine" and len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize(
    "manifest",
    [
        '{"name": "app", "outputs": {"src/app.js": ""}}',
        '{"made_by": "hedgerow survival", "outputs": {"index.html": ""}}',
        '{"made_by": "hedgerow survival", "outputs": "src/app.js"}',
        '["src/app.js"]',
        "{",
    ],
)
def test_a_folder_of_others_is_kept(csv, tmp_path, capsys, manifest):
    """Any folder with a file manifest.json counted as one's own, and was emptied with --force."""
    app = tmp_path / "app"
    (app / "src").mkdir(parents=True)
    (app / "src/app.js").write_text("mine")
    (app / "manifest.json").write_text(manifest)
    assert main(["survival", str(csv), *TOLD, "--out", str(app), "--force"]) == 1
    assert "app.js" in (err := capsys.readouterr().err) or "was not made by `hedgerow surv" in err
    assert (app / "src/app.js").read_text() == "mine"
    assert [p.name for p in tmp_path.iterdir()] == ["app"]


def test_no_cell_of_a_patients_table_becomes_a_formula(tmp_path, monkeypatch, capsys):
    """Names and categories stood in the tables as they were: 37 cells of two runs were formulas."""
    monkeypatch.setattr("hedgerow_clinic.folder._pictures", lambda *_: {})
    table = patients(300).rename(columns={"age": "@age", "marker": "-marker"})
    table["sex"] = table["sex"].map({"female": "=cmd|' /C calc'!A0", "male": "+49;=1+1"})
    path, out = written(tmp_path / "=t.csv", table), tmp_path / "o"
    run = ["survival", str(path), *TOLD, "--out", str(out), "--adjust", "@age"]
    assert main([*run, "--max-depth", "1"]) == 0
    number = re.compile(r"[+-]?[0-9.]+(e[+-]?[0-9]+)?")
    escaped = 0
    for file in sorted((out / "tables").iterdir()):
        with open(file, newline="") as stream:
            cells = [cell for row in csv_module.reader(stream) for cell in row]
        for cell in cells:
            for part in cell.split(";"):
                assert part[:1] not in (*"=+-@\t\r",) or number.fullmatch(part), (file.name, cell)
        escaped += sum(cell[:2] in ("'=", "'+", "'-", "'@") for cell in cells)
    assert escaped > 10
    page_ = (out / "index.html").read_text()
    assert "=cmd|" in page_ and "'=cmd|" not in page_.replace("&#39;", "'")
    capsys.readouterr()
    assert main([*run, "--max-depth", "1", "--force"]) == 0
    assert f"what was there before is now {out}.old" in capsys.readouterr().out


def test_problems_end_with_exit_code_1_and_nothing_written(tmp_path, capsys):
    table = patients().astype(object)
    table.loc[3, "age"], table.loc[9, "marker"] = "old", "high"
    path = written(tmp_path / "a.csv", table)
    assert main(["survival", str(path), *TOLD, "--out", str(tmp_path / "o")]) == 1
    err = capsys.readouterr().err.splitlines()
    assert err[0] == "hedgerow: a.csv has 2 problems, and nothing was written"
    assert err[1].startswith("row 5, column `age`: 'old' is no number")
    assert err[2].startswith("row 11, column `marker`: 'high' is no number")
    assert [p.name for p in tmp_path.iterdir()] == ["a.csv"]


def test_a_template_is_written_once(csv, tmp_path, capsys):
    path = tmp_path / "schema.yaml"
    assert main(["survival", str(csv), "--template", str(path)]) == 0
    assert "columns, to be corrected" in capsys.readouterr().out
    written_ = path.read_text()
    path.write_text("corrected")
    assert main(["survival", str(csv), "--template", str(path)]) == 1
    assert "is there already; name another place, or add --force" in capsys.readouterr().err
    assert path.read_text() == "corrected"
    assert main(["survival", str(csv), "--template", str(path), "--force"]) == 0
    assert path.read_text() == written_


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ([], "1 option is missing, and nothing was written\n--out FOLDER, to be written: maybe"),
        (["--out", "o", "--adjust", "height"], "column `height` of --adjust is no input"),
        (["--out", "o", "--max-depth", "0"], "--max-depth is 0; give a whole number of at least 1"),
        (["--out", "o", "--landmark", "soon"], "the landmark is 'soon'; write a number and d"),
        (["--out", "o", "--horizon", "90y"], "could be followed so long; 20 % are needed"),
        (["--out", "o", "--sheet", "x"], "patients.csv is no workbook; leave out --sheet"),
    ],
)
def test_mistakes_in_the_command(csv, more, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = [word for word in TOLD if "--horizon" not in more or word not in ("--horizon", "5y")]
    assert main(["survival", str(csv), *told, *more]) == 1
    assert sentence in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("least", [0, 5])
def test_no_text_reaches_over_the_edge_of_a_picture(analysis, least, tmp_path, monkeypatch):
    """The label and the last number of the picture of calibration were cut; measured as saved."""
    edges = Edges(monkeypatch)
    pictures = _pictures(analysis, tables(analysis, least), "Long title " * 30, least, "few.csv")
    names = {"sheet", "survival", "followed", "calibration", "decisions", "treated"}
    assert set(pictures) == names
    for name, picture in pictures.items():
        edges.assert_inside(picture, tmp_path / f"{name}.png")


# ------------------------------------------------------------------------------ what is hidden


def test_no_small_count_stands_anywhere(analysis):
    """Of the tables that a run makes, in each cell that counts patients."""
    counts = re.compile(r"(\d+)( \(\d+ %\))?")
    for table in tables(analysis, 5).values():
        for name in table.frame:
            if name in ("group", "value", "variable", "item", "about", "rule", "answer"):
                continue
            for cell in table.frame[name]:
                found = counts.fullmatch(cell) if isinstance(cell, str) else None
                count = int(found[1]) if found else cell if isinstance(cell, int) else 0
                assert not 0 < count < 5, (table.id, name)
    shown = tables(analysis, 0)
    small = [v for t in shown.values() for v in t.frame.to_numpy().ravel() if isinstance(v, int)]
    assert any(0 < v < 5 for v in small), "the cohort has small counts"


def test_no_small_count_is_a_difference_of_tables(analysis):
    """Of what is shown of treated and untreated; differences of two times gave some away."""
    shown = tables(analysis, 5)
    assert not {c for c in shown["treated_inclusion"].frame if c.startswith(("n_", "events"))}
    assert "events" not in shown["calibration"].frame
    table = shown["treated_landmark"].frame.set_index("group")
    leaves = shown["survival_all"].frame.set_index("group")["n"]
    for group in leaves.index:
        counts = [table.loc[group, "n_treated"], table.loc[group, "n_untreated"], leaves[group]]
        if all(isinstance(count, int) for count in counts):
            assert not 0 < counts[2] - counts[0] - counts[1] < 5, group


def test_the_tree_for_programs_hides_small_counts_and_predicts_the_same_class(analysis):
    tree = analysis.groups.tree_
    plain, blurred = (Tree.from_json(tree_json(analysis, least)) for least in (0, 5))
    np.testing.assert_array_equal(plain.class_weight, tree.class_weight)
    leaves = list(analysis.numbers)
    assert (plain.class_weight[leaves] < 5).any()
    few = (plain.class_weight[leaves] > 0) & (plain.class_weight[leaves] < 5)
    assert (blurred.class_weight[leaves][few] == 2.5).all()
    for one, other in zip(plain.class_weight[leaves], blurred.class_weight[leaves], strict=True):
        assert one.argmax() == other.argmax() and one.sum() == pytest.approx(other.sum())
    np.testing.assert_array_equal(plain.threshold, blurred.threshold)


# -------------------------------------------------------------------------------- the numbers


def test_risk_by_the_horizon_is_kaplan_meier_and_aalen_johansen():
    random = np.random.default_rng(1)
    time, event = random.exponential(5.0, 300).round(3) + 0.001, random.integers(0, 3, 300)
    share, low, high = risk_by(time, np.minimum(event, 1), 4.0)
    fitted = KaplanMeierFitter().fit(time, event > 0)
    assert share == pytest.approx(1.0 - fitted.predict(4.0))
    assert low < share < high
    # Aalen-Johansen, from the definition.
    survival = incidence = 1.0
    incidence = 0.0
    for t in np.unique(time[(event > 0) & (time <= 4.0)]):
        at_risk = (time >= t).sum()
        incidence += survival * ((time == t) & (event == 1)).sum() / at_risk
        survival *= 1.0 - ((time == t) & (event > 0)).sum() / at_risk
    assert risk_by(time, event, 4.0)[0] == pytest.approx(incidence)
    assert np.isnan(risk_by(np.array([1.0, 2.0]), np.array([1, 0]), 4.0)[0])


def test_net_benefit_by_hand_where_nobody_is_censored():
    risk = np.array([0.1, 0.1, 0.4, 0.4, 0.8, 0.8, 0.8, 0.8])
    time = np.full(8, 9.0)
    event = np.array([0, 1, 0, 1, 1, 1, 1, 0])
    time[event == 1] = 2.0
    found = decision_curve(risk, time, event, 5.0).set_index("threshold")
    assert found.loc[0.5, "tree"] == pytest.approx(3 / 8 - 1 / 8)
    assert found.loc[0.2, "tree"] == pytest.approx(4 / 8 - 2 / 8 * 0.25)
    assert found.loc[0.2, "all"] == pytest.approx(5 / 8 - 3 / 8 * 0.25)
    assert found.loc[0.9, "tree"] == 0.0 and (found["none"] == 0.0).all()
    assert found.loc[0.05, "tree"] == pytest.approx(found.loc[0.05, "all"])


def test_the_tables_are_those_of_the_survival_room(analysis):
    from hedgerow.survival import compare_groups, leaf_survival

    cohort, estimator = analysis.cohort, analysis.groups.estimator
    test = ~analysis.groups.training
    theirs = leaf_survival(estimator, cohort.X[test], analysis.time[test], analysis.event[test])
    ours = analysis.survival["test"]
    for name in ("n", "events", "median", "logrank_p", "hazard_ratio"):
        np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-6)
    theirs = compare_groups(
        estimator, cohort.X, cohort.time, cohort.event, cohort.treated_at, landmark=0.5
    )
    ours = analysis.treated["landmark"].drop(-1)
    for name in ("n_treated", "events_untreated", "logrank_p", "hazard_ratio", "logrank_p_holm"):
        np.testing.assert_allclose(ours[name].astype(float), theirs[name].astype(float), rtol=1e-6)


def test_numbers_as_people_read_them():
    assert [format_value(v, "p") for v in (0.0001, 0.0421, float("nan"))] == [
        "< 0.001",
        "0.042",
        "–",
    ]
    assert [format_value(v, "s") for v in (0.0, 0.1234)] == ["0 %", "12.3 %"]
    assert format_value(float("inf"), "t") == "not reached" and format_value(12.345, "t") == "12.3"


def test_causes_that_compete_and_free_text(several):
    _, text, shown = several
    assert "Causes compete." in text and "Incidence in the end" in text and "p, Gray" in text
    assert "free text (60 different texts)" in text and "seen on visit" not in text
    assert 'id="treatment"' not in text
    assert shown["calibration"].frame["predicted"].notna().all()


def test_another_event_before_the_horizon_leaves_no_class_as_in_the_thesis(several, tmp_path):
    """The tree took such patients for survivors."""
    found, text, shown = several
    table, cause = with_causes()
    before = (cause == 2) & (table["years"] < 5.0)
    labels = horizon_labels(table["years"], cause, 5.0)
    assert SurvivalPlan().competing == Settings().competing == "censored"
    np.testing.assert_array_equal(found.groups.labels.y, labels.y)
    assert (labels.y[before] == -1).all() and before.sum() > 20
    assert (
        found.groups.tree_.class_weight[0].sum() == (labels.labelled & found.groups.training).sum()
    )
    counts = shown["flow"].frame.set_index("about")["count"]
    ended = (cause == 0) & (table["years"] < 5.0)
    assert counts["unknown: another event before the horizon"] == before.sum()
    assert counts["unknown: follow-up ended before the horizon"] == ended.sum()
    assert "learns nothing from such a patient" in text
    answers = shown["checklist"].frame.set_index("item")["answer"]
    assert f"leaves no class ({before.sum()} patients)" in answers["8a"]
    other = analysed(tmp_path, table, Settings(competing="survived"), cause="dead")
    assert (other.groups.labels.y[before] == 0).all()
    text, shown = page_of(other)
    counts = shown["flow"].frame.set_index("about")["count"]
    assert counts["unknown: another event before the horizon"] == 0
    assert "(--competing survived)" in text
    with pytest.raises(InputError, match="--competing is 'left'"):
        Settings(competing="left")


def with_totals(tables_):
    tables_ = np.concatenate([tables_, tables_.sum(axis=2, keepdims=True)], axis=2)
    return np.concatenate([tables_, tables_.sum(axis=1, keepdims=True)], axis=1)


@pytest.mark.parametrize("seed", range(12))
def test_no_small_count_follows_from_the_flow_of_patients(seed):
    """Also none of who had an event, or was followed on, after the horizon."""
    random = np.random.default_rng(seed)
    by, after = random.integers(0, 4, 3), random.integers(0, 4, 3)
    event = np.repeat([1, 2, 0, 1, 2, 0], [*by, *after])
    labels = np.repeat([1, -1, -1, 0, 0, 0], [*by, *after])
    sized = type(
        "Sized", (SimpleNamespace,), {"__len__": lambda _: len(event), "horizon_text": "6 years"}
    )
    told = {"n_rows": 0, "n_left_out": 0, "treated_at": None, "entry": None}
    cohort = sized(**told, horizon=5.0, unit="years")
    training = np.zeros(len(event), dtype=bool)
    groups = SimpleNamespace(labels=SimpleNamespace(y=labels), training=training)
    followed = np.ones(len(event), dtype=bool)
    stub = SimpleNamespace(
        cohort=cohort, groups=groups, event=event, is_included=followed, entry=None
    )
    counts = with_totals(np.column_stack([by, after])[None])[0]
    shown = flow(stub, 3).frame["count"]
    hidden = np.ones(counts.shape, dtype=bool)
    for place, cell in {8: (0, 0), 10: (1, 0), 11: (2, 0), 9: (3, 1)}.items():
        hidden[cell] = not isinstance(shown[place], int)
    for row, place in enumerate((3, 4, 5, 2)):
        hidden[row, 2] = not isinstance(shown[place], int)
    assert not small(counts[~hidden], 3).any()
    # Every table that agrees with what is shown.
    possible = with_totals(np.indices((7,) * 6).reshape(6, -1).T.reshape(-1, 3, 2))
    possible = possible[(possible == counts)[:, ~hidden].all(axis=1)]
    fixed = (possible == possible[0]).all(axis=0)
    assert len(possible) and not (fixed & small(counts, 3)).any()


def test_yes_and_no_tell_no_time_and_the_page_says_what_that_does(tmp_path, analysis):
    """Of treated and untreated, in the checklist, and before all else."""
    table = patients(400)
    table["surgery"] = np.where(table["surgery"].isna(), "no", "yes")
    found = analysed(tmp_path, table, intervention="surgery")
    text, shown = page_of(found)
    dated = page_of(analysis)[0]
    said_ = "Without a date the time before treatment cannot be separated from the time after it"
    for anchor in ("summary", "treatment"):
        begin = text.index(f'<section id="{anchor}">')
        assert said_ in text[begin : text.index("</section>", begin)], anchor
    assert "treated at inclusion, have no follow-up here, and are not counted" in text
    for name in ("treated_landmark", "treated_inclusion", "baseline_treated"):
        assert "Treated: at any time, as the table says." in shown[name].caption
        assert "not given" in shown[name].caption or name == "baseline_treated"
    answer = shown["checklist"].frame.set_index("item").loc["6c", "answer"]
    assert "the table has no time of treatment" in answer and "biases the comparison" in answer
    assert figures.treated(found, 5)._suptitle.get_text().startswith("Treated at any time and")
    for words in (said_, "at any time, as the table says", "tells no time of treatment"):
        assert words not in dated


def test_a_leaf_that_nobody_is_in_and_names_that_are_html(tmp_path):
    """Patients with missing values are shared between leaves, and one leaf was nobody's most."""
    table = patients(400)
    table.loc[:200, "age"], table.loc[200:, "marker"] = np.nan, np.nan
    table = table.rename(columns={"sex": "<b>se,x</b>", "marker": "mark$er_1$"})
    found = analysed(tmp_path, table.drop(columns="surgery"), Settings(adjust=("age",)))
    assert set(found.groups.leaf) < set(found.numbers)
    text, shown = page_of(found, "<script>alert(1)</script>")
    assert "<script" not in text and "<b>se" not in text and "&lt;b&gt;se,x" in text
    for name, picture in _pictures(found, shown, "<script>", 5, "<table>.csv").items():
        save(picture(), tmp_path / f"{name}.svg")


def test_a_tree_without_a_test(tmp_path):
    table = patients(400)[["years", "status"]]
    table["coin"] = np.where(np.arange(400) % 2 == 0, "heads", "tails")
    path = written(tmp_path / "a.csv", table)
    out = tmp_path / "o"
    run = ["survival", str(path), *TOLD[:6], "--min-patients", "150", "--quiet"]
    assert main([*run, "--out", str(out)]) == 1  # too few for groups of 150
    assert main([*run[:-2], "100", "--quiet", "--out", str(out)]) == 0
    assert read_model(out).tree.n_leaves >= 1


@pytest.mark.slow
@in_chromium
@pytest.mark.parametrize("width", [1280, 480])
def test_the_page_does_not_scroll_sideways(made, tmp_path, width):
    assert_no_scrolling(made, tmp_path, width)


def test_names_with_control_characters(tmp_path):
    """They went into `sheet.svg`, which was no XML any more, and raw into HTML and CSV."""
    table = patients(300).rename(columns={"marker": "mar\x07ker", "age": "a\x1bge"})
    table["sex"] = table["sex"].map({"female": "f\x0e", "male": "m\x9b"})
    found = analysed(tmp_path, table.drop(columns="surgery"))
    text, shown = page_of(found, title="A \x08title \ud800")
    text += "".join(made.frame.to_csv() for made in shown.values())
    figure = figures.tree_page(found, "A \x08title \ud800", 5, "tab\x07le.csv")
    save(figure, tmp_path / "sheet.svg")
    text += (tmp_path / "sheet.svg").read_text()
    assert ElementTree.parse(tmp_path / "sheet.svg").getroot().tag.endswith("svg")
    assert not [c for c in text if unicodedata.category(c) in ("Cc", "Cs") and c not in "\n\t"]
    for name in ("mar\\x07ker", "a\\x1bge", "A \\x08title \\ud800", "f\\x0e"):
        assert name in text


def test_a_file_whose_name_is_no_text(tmp_path):
    """Bytes that are no UTF-8 stopped the run when its manifest was written."""
    path = os.fsencode(tmp_path) + b"/n\xe9.csv"
    shutil.copy(written(tmp_path / "a.csv", patients(240)), path)
    run = ["survival", os.fsdecode(path), *TOLD, "--quiet", "--out", str(tmp_path / "sheet")]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("hedgerow_clinic.folder._pictures", lambda *_: {})
        assert main(run) == 0
    manifest = json.loads((tmp_path / "sheet" / "manifest.json").read_text())
    assert list(manifest["input"]) == ["n\\udce9.csv"]


# ------------------------------------------------------------------------ the next patient


def permuted(n=400, seed=3):
    """Patients whose outcome has nothing to do with them."""
    table = patients(n).drop(columns="surgery")
    random = np.random.default_rng(seed)
    order = random.permutation(n)
    return table.assign(**{c: table[c].to_numpy()[order] for c in ("years", "status")})


def test_a_tree_that_finds_nothing_gets_a_sentence_and_no_sheet(tmp_path, capsys):
    """Permuted outcomes gave tidy groups, and a page as fine as any."""
    path = written(tmp_path / "patients.csv", permuted())
    out = tmp_path / "sheet"
    assert main(["survival", str(path), *TOLD[:6], "--out", str(out)]) == 0
    said_ = "No tree was found that tells patients apart. Of two new patients"
    assert said_ in capsys.readouterr().out
    text = (out / "index.html").read_text()
    assert text.count(said_) == 2 and "figures/sheet.svg" not in text
    assert "risk groups; group" not in text
    drawn = {file.name for file in (out / "figures").iterdir()}
    assert not {"sheet.pdf", "sheet.svg", "survival.svg"} & drawn and "decisions.svg" in drawn
    chosen = ["--bootstraps", "0", "--out", str(tmp_path / "asked"), "--quiet"]
    assert main(["survival", str(path), *TOLD[:6], *chosen]) == 0
    assert (tmp_path / "asked/figures/sheet.pdf").is_file()


def test_nothing_is_found_in_permuted_outcomes_and_something_in_others(tmp_path):
    """Ten permutations: the test part's concordance alone ran from .39 to .60."""
    found = [analysed(tmp_path, permuted(240, seed), Settings(bootstraps=40)) for seed in range(10)]
    assert sum(own.separates_patients for own in found) <= 1
    assert all(0.45 < own.validation.concordance < 0.58 for own in found)
    assert analysed(tmp_path, patients(400), Settings(bootstraps=40)).separates_patients


def test_what_holds_for_the_next_patient_stands_beside_what_is_seen(tmp_path):
    found = analysed(tmp_path, patients(400), Settings(bootstraps=40, seed=5))
    text, shown = page_of(found)
    own = found.validation
    frame = shown["next_patient"].frame.set_index("group")
    for node, number in found.numbers.items():
        row = frame.loc[str(number)]
        if row["risk"] == "withheld":
            continue
        assert row["risk"] == own.risks.loc[node, "risk"]
        inside = found.groups.leaf == node
        seen = risk_by(found.time[inside], found.event[inside], 5.0)[0]
        assert row["apparent"] == pytest.approx(seen)
        assert row["risk_low"] < row["risk"] < row["risk_high"]
    assert f"higher risk in {format_value(own.concordance, 's')} of the pairs (95 % CI" in text
    assert "(40 bootstraps of all steps, seed 5)" in text
    drawn = figures.tree_page(found, "A title", 5, "table.csv")
    words = " ".join(t.get_text() for t in drawn.findobj(Text))
    assert "“Next”: 40 bootstraps of all steps, seed 5." in words
    shown = [n for n, k in found.numbers.items() if frame.loc[str(k), "risk"] != "withheld"]
    node = shown[0]
    assert f"next {100 * (1 - own.risks.loc[node, 'risk']):.0f} %" in words


def test_the_decision_curve_rests_on_the_estimate_of_the_training_part(tmp_path):
    """It took the share of the tree, which leaves out those whose follow-up ends early."""
    found = analysed(tmp_path, patients(400), Settings(bootstraps=0))
    test = ~found.groups.training
    risk = found.calibration["estimated"].reindex(found.groups.leaf[test]).to_numpy()
    expected = [int((risk >= t).sum()) for t in found.decisions["threshold"]]
    assert found.decisions["n_treated"].tolist() == expected


def test_with_competing_causes_sheet_and_curves_are_those_of_aalen_and_johansen(several):
    """Kaplan-Meier makes more of the risk than patients have."""
    found = several[0]
    drawn = figures.tree_page(found, "A title", 0, "table.csv")
    words = [t.get_text() for t in drawn.findobj(Text)]
    assert any("(Aalen-Johansen)" in w or "Aalen-Johansen" in w for w in words)
    inside = found.groups.leaf == next(iter(found.numbers))
    share = 1.0 - risk_by(found.time[inside], found.event[inside], 5.0)[0]
    censored = KaplanMeierFitter().fit(found.time[inside], found.event[inside] == 1)
    assert share > censored.predict(5.0) + 0.01
    assert f"here {100 * share:.0f} %" in words
    assert "(Aalen-Johansen)" in _captions(found)["survival"]


def test_who_is_treated_at_inclusion_is_not_counted_in_the_course_without_it(tmp_path):
    """They have no follow-up there, and stood in the numbers of the groups."""
    table = patients(400)
    yes = ~table["surgery"].isna()
    table["surgery"] = np.where(yes, "yes", "no")
    found = analysed(tmp_path, table, Settings(bootstraps=0), intervention="surgery")
    shown = tables(found, 5)
    assert found.survival["all"]["n"].sum() == (~yes).sum()
    counts = shown["flow"].frame.set_index("about")["count"]
    assert counts["no follow-up: treated at inclusion, or gone then"] == yes.sum()
    assert counts["analysed"] == (~yes).sum() and counts["in the file"] == 400
    few = patients(400).assign(surgery=["yes"] * 3 + ["no"] * 397)
    found = analysed(tmp_path, few, Settings(bootstraps=0), intervention="surgery")
    # So few would follow from the other tables.
    assert found.survival["all"]["n"].sum() == 400


def test_each_p_with_a_correction_by_holm_has_it_beside(several):
    shown = several[2]
    heads, rows = shown["survival_test"].cells()
    for head in ("p, against all", "p, against the rest", "p, Gray", "p, Cox"):
        assert f"{head} (Holm)" in heads
        place = heads.index(f"{head} (Holm)")
        assert any(row[place].endswith(")") for row in rows)
    assert "p, proportional" in heads


@pytest.mark.mirror
def test_progression_of_mgus2_at_25_years(tmp_path):
    """10.9 % of the patients, of whom most die before; Kaplan-Meier said 26."""
    import pandas as pd

    from hedgerow.drawing.survival import _curve

    table = pd.read_csv(f"{os.environ['HEDGEROW_MIRROR']}/mgus2/mgus2.csv")
    died = (table["pstat"] == 0) & (table["death"] == 1)
    time = np.where(table["pstat"] == 1, table["ptime"], table["futime"]) / 12.0
    progress = (table["pstat"] == 1).to_numpy()
    assert 1.0 - _curve(time, progress, 0.95, died.to_numpy()).at(25.0) == pytest.approx(
        0.109, abs=5e-4
    )
    assert 1.0 - _curve(time, progress, 0.95).at(25.0) == pytest.approx(0.26, abs=0.01)


def test_the_checklist_has_every_item_of_tripod_ai(several):
    """Items 3a to c, 8c and 9c lacked, and 9a said how many rows there are."""
    found, _, shown = several
    frame = shown["checklist"].frame.set_index("item")
    letters = {3: "abc", 5: "ab", 6: "abc", 8: "abc", 9: "abc", 12: "abcdefg", 18: "abcdef"}
    letters |= {20: "abc", 23: "ab", 27: "abc"}
    items = [f"{k}{end}" for k in range(1, 28) for end in letters.get(k, [""])]
    assert frame.index.tolist() == items and len(items) == 52
    inputs, columns = len(found.cohort.X.columns), len(found.cohort.columns)
    assert inputs < columns < len(found.cohort)
    assert frame.loc["9a", "answer"].startswith(f"{inputs} of the {columns} columns")


def test_files_of_the_checklist_have_no_backticks(made):
    """They set names as code on the page, and stood in checklist.csv as they are."""
    text = (made / "tables/checklist.csv").read_text()
    assert "times in years are taken as years" in text and "`" not in text
    assert "times in <code>years</code> are taken as years" in (made / "index.html").read_text()


def test_tables_as_documents(csv, tmp_path, monkeypatch, capsys):
    docx = pytest.importorskip("docx", reason="python-docx is not installed (extra `documents`)")
    runs = [tmp_path / "one", tmp_path / "two"]
    command = ["survival", str(csv), *TOLD, "--bootstraps", "0", "--documents", "--quiet"]
    for out in runs:
        assert main([*command, "--out", str(out)]) == 0
    one, two = (sorted((out / "tables").glob("*.docx")) for out in runs)
    assert {f.stem for f in one} == {f.stem for f in (runs[0] / "tables").glob("*.csv")}
    assert [f.read_bytes() for f in one] == [f.read_bytes() for f in two]
    read = docx.Document(str(runs[0] / "tables/flow.docx"))
    (table,) = read.tables
    assert [c.text for c in table.rows[0].cells] == ["About", "Patients"]
    assert "in the file" in table.rows[1].cells[0].text
    (table,) = docx.Document(str(runs[0] / "tables/checklist.docx")).tables
    assert not any("`" in cell.text for row in table.rows for cell in row.cells)
    assert "--documents" in json.loads((runs[0] / "manifest.json").read_text())["command"]
    monkeypatch.setitem(__import__("sys").modules, "docx", None)
    assert main([*command, "--out", str(tmp_path / "none")]) == 1
    assert "pip install './src/hedgerow_clinic[documents]'" in capsys.readouterr().err
    assert not (tmp_path / "none").exists()


def test_treated_and_untreated_are_compared_adjusted_and_weighted(tmp_path):
    """`--adjust` reached the groups and not the treatment."""
    found = analysed(
        tmp_path,
        patients(600),
        Settings(bootstraps=0, adjust=("age", "sex")),
        intervention="surgery",
    )
    text, shown = page_of(found)
    frame = shown["treated_landmark"].frame
    for name in ("hazard_ratio_adjusted", "hazard_ratio_weighted", "cox_p_weighted"):
        assert isinstance(frame.loc[0, name], float)
    assert frame.loc[0, "largest_difference_weighted"] < 0.01 < frame.loc[0, "largest_difference"]
    heads, rows = shown["treated_landmark"].cells()
    assert " to " in rows[0][heads.index("Weighted ratio, 95 % CI")]
    assert "Whether the ratio differs between the groups: p = " in text
    assert "Adjusted for age, sex. Weighted: by the chance of being treated" in text
    plain = analysed(tmp_path, patients(600), Settings(bootstraps=0), intervention="surgery")
    assert "hazard_ratio_weighted" not in tables(plain, 5)["treated_landmark"].frame
    assert "Columns named with --adjust are taken out" in page_of(plain)[0]


def test_weights_for_the_censored_and_a_life_table(csv, tmp_path):
    import pandas as pd

    ages = [(a, s, 0.0002 * 1.09 ** (a - 30)) for a in range(30, 111) for s in ("female", "male")]
    pd.DataFrame(ages, columns=["age", "sex", "q"]).to_csv(tmp_path / "life.csv", index=False)
    out = tmp_path / "sheet"
    told = ["--life-table", str(tmp_path / "life.csv"), "--age", "age", "--sex", "sex"]
    command = ["survival", str(csv), *TOLD, "--bootstraps", "20", "--weights", *told, "--quiet"]
    assert main([*command, "--out", str(out)]) == 0
    frame = pd.read_csv(out / "tables/survival_test.csv")
    assert frame["median_expected"].notna().any()
    said_ = json.loads((out / "manifest.json").read_text())
    assert "--weights" in said_["command"] and "--life-table life.csv" in said_["command"]
    weighted, plain = (
        analysed(tmp_path, patients(400), Settings(bootstraps=0, weights=own))
        for own in (True, False)
    )
    gaps = [
        abs(own.calibration.loc[-1, "predicted"] - own.calibration.loc[-1, "estimated"])
        for own in (weighted, plain)
    ]
    assert gaps[0] < 0.5 * gaps[1]


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (["--life-table", "life.csv", "--age", "age"], "needs the columns of age and sex"),
        (["--sex", "gender"], "column `gender` of --sex is no input"),
        (["--life-table", "none.csv", "--age", "age", "--sex", "sex"], "no such file"),
        (["--life-table", "life.csv", "--age", "years", "--sex", "sex"], "is no input"),
        (["--life-table", "bad.csv", "--age", "age", "--sex", "sex"], "the life table has no col"),
    ],
)
def test_life_tables_that_cannot_be(csv, tmp_path, monkeypatch, capsys, more, sentence):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "life.csv").write_text("age,sex,q\n60,male,.1\n")
    (tmp_path / "bad.csv").write_text("age,q\n60,.1\n")
    out = tmp_path / "sheet"
    told = ["--bootstraps", "0", "--quiet", "--out", str(out)]
    assert main(["survival", str(csv), *TOLD, *told, *more]) == 1
    assert sentence in capsys.readouterr().err and not out.exists()


def test_the_model_card_says_what_the_tree_is_and_how_good(several, tmp_path):
    from hedgerow_clinic.model_card import card

    found, _, shown = several
    text = card(found, shown, Outcome("status", cause="dead"), "A title", "table.csv", "0")
    own = found.validation
    assert estimated(own.concordance, own.low, own.high, "s") in text
    for name in ("Model", "Use", "Data", "How good it is", "What to mind"):
        assert f"<h2>{name}</h2>" in text
    assert f"with {found.groups.tree_.n_leaves} groups" in text
    assert "Test part, all" in text and "Test part, sex female" in text


def test_the_benchmark_of_other_models_says_plainly_where_the_tree_loses():
    """`python benchmarks/beside.py` wrote the numbers; docs/benchmarks.md shows them."""
    root = Path(__file__).parents[2]
    with (root / "benchmarks/beside.csv").open() as file:
        rows = list(csv_module.DictReader(file))
    cells = {(row["cohort"], row["model"]): row for row in rows}
    cohorts = {row["cohort"] for row in rows}
    assert len(cohorts) == 10 and len(rows) == 60
    assert all(
        float(cells[c, "cox"]["concordance"]) > float(cells[c, "tree"]["concordance"])
        for c in cohorts
    )
    text = (root / "docs/benchmarks.md").read_text(encoding="utf-8")
    for cohort in cohorts:
        line = next(line for line in text.splitlines() if line.startswith(f"| {cohort} |"))
        shown = [float(cell.split("/")[0]) for cell in line.strip("| ").split("|")[1:]]
        models = ("tree", "tree, three quarters", "rpart", "ctree", "cox", "forest")
        known = [float(cells[cohort, model]["concordance"]) for model in models]
        assert shown == pytest.approx(known, abs=6e-4)


def test_the_mean_time_without_the_event_stands_in_the_tables(several):
    frame = several[2]["survival_all"].frame
    assert {"rmst", "rmst_low", "rmst_high", "time_lost"} <= set(frame)
    known = frame[frame["rmst"] != "withheld"]
    assert ((known["rmst_low"] < known["rmst"]) & (known["rmst"] < 5.0)).all()


# --------------------------------------------------- what misled on the pages of public cohorts


def test_a_tree_that_finds_nothing_gives_no_risk(tmp_path, capsys):
    """Of lung (R) the page and `apply` had risks by groups that were said to tell nothing.

    It also said that "it", of which nothing stood before, was 51.6 % in the test part, and that the
    groups differ with p = 0.762.
    """
    path, out = written(tmp_path / "a.csv", permuted()), tmp_path / "out"
    run = ["survival", str(path), "--time", "years", "--event", "status", "--horizon", "1y"]
    assert main([*run, "--bootstraps", "20", "--out", str(out), "--quiet"]) == 0
    text = (out / "index.html").read_text()
    assert "No tree was found that tells patients apart" in text and "1 years" not in text
    for words in ("Risk of the next patient", "In the test part, which the tree", "groups differ"):
        assert words not in text
    assert not (out / "tables/next_patient.csv").exists()
    assert not read_model(out).finds
    assert main(["apply", str(out), str(path), "--out", str(tmp_path / "g.csv")]) == 0
    assert "no risks: the tree does not tell new patients apart" in capsys.readouterr().out
    rows = list(csv_module.DictReader((tmp_path / "g.csv").open()))
    assert {row["risk"] + row["low"] + row["high"] for row in rows} == {""}
    assert all("no risk: the tree does not tell new patients apart" in row["why"] for row in rows)


def test_what_a_tree_owes_is_said_where_it_can_be_seen(tmp_path):
    """64.2 % was said to differ from 64.2 %, and a lower concordance to owe something."""
    found = analysed(tmp_path, patients(400), Settings(bootstraps=20))
    shown = tables(found, 5)
    for apparent, owes in ((0.7004, False), (0.72, True), (0.68, False)):
        own = found.validation._replace(concordance=0.7, apparent=apparent)
        text = " ".join(summary(replace(found, validation=own), shown))
        assert ("the difference is what it owes" in text) == owes
    plain = " ".join(summary(replace(found, validation=None), shown))
    assert "In the test part, which the tree has not seen, the concordance is" in plain


def nearly_all_die(n=200):
    """Patients of whom few are left in the end, and many at the horizon: as veteran (R)."""
    random = np.random.default_rng(1)
    ill = np.arange(n) % 2
    years = random.exponential(np.where(ill, 0.5, 3.0)).round(3) + 0.001
    table = patients(n).assign(marker=ill + random.random(n).round(2), years=years, status="dead")
    table.loc[[0, 1, 2, 3, 5, 7, 9, 11], "status"] = "alive"
    return table.drop(columns="surgery")


def test_the_risk_of_the_page_is_that_of_the_sheet_and_of_the_file(tmp_path):
    """Of veteran (R) the page withheld all risks, which sheet, tree.json and `apply` had."""
    path, out = written(tmp_path / "a.csv", nearly_all_die()), tmp_path / "out"
    run = ["survival", str(path), "--time", "years", "--event", "status", "--horizon", "1y"]
    assert main([*run, "--bootstraps", "20", "--out", str(out), "--quiet"]) == 0
    shown = csv_module.DictReader((out / "tables/next_patient.csv").open())
    groups = read_model(out).groups
    assert any(group.events == "withheld" for group in groups) and not any(g.few for g in groups)
    for row, group in zip(shown, groups, strict=True):
        assert float(row["risk"]) == pytest.approx(group.risk, abs=1e-5)


def test_the_sheet_has_no_count_of_events_that_the_page_withholds(tmp_path):
    """76 events of 79 patients stood on the sheet: three had none, which the page withholds."""
    found = analysed(tmp_path, nearly_all_die(), Settings(bootstraps=0), horizon="1y")
    shown = tables(found, 5)["survival_all"].frame.set_index("group")["events"]
    withheld = {n for node, n in found.numbers.items() if node in withheld_leaves(found, 5)}
    assert withheld == {int(n) for n, events in shown.items() if events == "withheld"} != set()
    texts = [text.get_text() for text in figures.tree_page(found, "A", 5, "a.csv").findobj(Text)]
    for number in withheld:
        node = {n: node for node, n in found.numbers.items()}[number]
        count = int(found.survival["all"].loc[node, "events"])
        assert not any(f"events {count}" in text for text in texts)
