"""The whole way, from a table to a folder: what it holds, what it hides, what it leaves alone."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import socket
import subprocess

import numpy as np
import pandas as pd
import pytest
from lifelines import KaplanMeierFitter
from oracle.disclosure import given_away
from patients.made import patients, written

from hedgerow.cli import main
from hedgerow.patients.analysis import Settings, analyse, decision_curve, risk_by
from hedgerow.patients.cohort import Outcome, read_cohort
from hedgerow.patients.disclosure import protected
from hedgerow.patients.folder import tree_json
from hedgerow.patients.schema import found_columns
from hedgerow.patients.table import read_texts
from hedgerow.patients.tables import said, tables
from hedgerow.tree import Tree

TOLD = ["--time", "years", "--event", "status", "--horizon", "5y", "--intervention", "surgery"]


@pytest.fixture(scope="module")
def csv(tmp_path_factory):
    return written(tmp_path_factory.mktemp("in") / "patients.csv", patients(400))


@pytest.fixture(scope="module")
def made(csv, tmp_path_factory):
    """The folder of a run, with two permutations."""
    out = tmp_path_factory.mktemp("out") / "sheet"
    run = ["survival", str(csv), *TOLD, "--adjust", "age,sex", "--permutations", "2", "--quiet"]
    assert main([*run, "--out", str(out)]) == 0
    return out


@pytest.fixture(scope="module")
def analysis(tmp_path_factory):
    """Of patients of whom few have the event, in small groups."""
    path = tmp_path_factory.mktemp("few") / "few.csv"
    table = read_texts(written(path, patients(400, hazard=0.02)))
    outcome = Outcome("status", time="years", intervention="surgery", horizon="5y")
    return analyse(read_cohort(table, outcome, found_columns(table)), Settings(min_samples_leaf=10))


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
    assert Tree.from_json((made / "tree.json").read_text()).n_leaves >= 2


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


def test_the_same_input_gives_the_same_bytes(made, csv, tmp_path):
    manifest = json.loads((made / "manifest.json").read_text())
    again = tmp_path / "again"
    words = manifest["command"].split()[3:]
    title = words.index("--title")
    words[title + 1 :] = ["Risk groups: patients", *words[words.index("--max-depth") :]]
    assert main(["survival", str(csv), *words, "--out", str(again), "--quiet"]) == 0
    assert (again / "manifest.json").read_bytes() == (made / "manifest.json").read_bytes()


def test_an_existing_folder_is_kept(made, csv, tmp_path, capsys):
    run = ["survival", str(csv), *TOLD, "--out"]
    kept = tmp_path / "thesis"
    kept.mkdir()
    (kept / "chapter.txt").write_text("mine")
    assert main([*run, str(kept)]) == 1
    assert "is there already; name another --out, or add --force" in capsys.readouterr().err
    assert main([*run, str(kept), "--force"]) == 1
    assert "is not overwritten" in capsys.readouterr().err
    assert (kept / "chapter.txt").read_text() == "mine" and len(list(tmp_path.iterdir())) == 1
    old = tmp_path / "old"
    shutil.copytree(made, old)
    (old / "left").write_text("over")
    assert main([*run, str(old), "--force", "--quiet"]) == 0
    assert not (old / "left").exists() and len(list(tmp_path.iterdir())) == 2


def test_no_socket_is_opened(csv, tmp_path, monkeypatch):
    def refused(*_, **__):
        raise AssertionError("a socket was opened")

    monkeypatch.setattr(socket, "socket", refused)
    monkeypatch.setattr(socket, "create_connection", refused)
    assert main(["survival", str(csv), *TOLD, "--out", str(tmp_path / "o"), "--quiet"]) == 0


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


def test_a_template_and_then_the_schema(csv, tmp_path, capsys):
    schema = tmp_path / "schema.yaml"
    assert main(["survival", str(csv), "--template", str(schema)]) == 0
    assert "columns, to be corrected" in capsys.readouterr().out
    assert main(["survival", str(csv), "--template", str(schema)]) == 1
    text = schema.read_text().replace("label: age", "label: Age at visit")
    text = re.sub(r"(marker:.*?error: )0", r"\g<1>0.3", text, count=1, flags=re.DOTALL)
    schema.write_text(text)
    out = tmp_path / "o"
    run = ["survival", str(csv), *TOLD, "--schema", str(schema), "--quiet"]
    assert main([*run, "--out", str(out)]) == 0
    page = (out / "index.html").read_text()
    assert "Age at visit" in page and "would be in another group" in page


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        ([], "the folder to write is not told; give --out"),
        (["--out", "o", "--adjust", "height"], "column `height` of --adjust is no input"),
        (["--out", "o", "--max-depth", "0"], "--max-depth is 0; give a number of at least 1"),
        (["--out", "o", "--landmark", "soon"], "the landmark is 'soon'; write a number and d"),
        (["--out", "o", "--horizon", "90y"], "had the event; give another horizon"),
        (["--out", "o", "--sheet", "x"], "patients.csv is no workbook; leave out --sheet"),
    ],
)
def test_mistakes_in_the_command(csv, more, sentence, capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    told = [word for word in TOLD if "--horizon" not in more or word not in ("--horizon", "5y")]
    assert main(["survival", str(csv), *told, *more]) == 1
    assert sentence in capsys.readouterr().err
    assert not list(tmp_path.iterdir())


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


def test_what_the_baseline_hides_does_not_follow_from_the_rest():
    counts = np.array([[1, 5, 6], [6, 4, 10], [7, 9, 16]])
    hidden = protected(counts, 3) != 0
    assert hidden.any() and given_away(counts, hidden, 3) == []


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
        estimator,
        cohort.X,
        cohort.time,
        cohort.event,
        cohort.treated_at,
        landmark=0.5,
    )
    ours = analysis.treated["landmark"].drop(-1)
    for name in ("n_treated", "events_untreated", "logrank_p", "hazard_ratio", "logrank_p_holm"):
        np.testing.assert_allclose(ours[name].astype(float), theirs[name].astype(float), rtol=1e-6)


def test_numbers_as_people_read_them():
    assert [said(v, "p") for v in (0.0001, 0.0421, float("nan"))] == ["< .001", "0.042", "–"]
    assert [said(v, "s") for v in (0.0, 0.1234)] == ["0 %", "12.3 %"]
    assert said(float("inf"), "t") == "not reached" and said(12.345, "t") == "12.3"


def test_causes_that_compete_and_free_text(tmp_path):
    table = patients(400)
    other = (table["status"] == "dead") & (np.arange(len(table)) % 3 == 0)
    table.loc[other, "status"] = "cancer"
    table["note"] = [f"seen on visit {k % 60}" for k in range(len(table))]
    path = written(tmp_path / "a.csv", table.drop(columns="surgery"))
    run = ["survival", str(path), "--time", "years", "--event", "status", "--cause", "dead"]
    assert main([*run, "--horizon", "5y", "--out", str(tmp_path / "o"), "--quiet"]) == 0
    page = (tmp_path / "o/index.html").read_text()
    assert "Causes compete." in page and "Incidence in the end" in page and "p, Gray" in page
    assert "free text (60 different texts)" in page and "seen on visit" not in page
    assert not (tmp_path / "o/figures/treated.svg").exists()
    shares = pd.read_csv(tmp_path / "o/tables/calibration.csv")
    assert shares["predicted"].astype(str).str.len().gt(0).all()


def test_a_leaf_that_nobody_is_in_and_names_that_are_html(tmp_path):
    """Patients with missing values are shared between leaves, and one leaf was nobody's most."""
    table = patients(400)
    table.loc[:300, "age"], table.loc[300:, "marker"] = np.nan, np.nan
    table = table.rename(columns={"sex": "<b>se,x</b>", "marker": "mark$er_1$"})
    path = written(tmp_path / "a.csv", table)
    run = ["survival", str(path), *TOLD, "--title", "<script>alert(1)</script>", "--quiet"]
    assert main([*run, "--adjust", "age", "--out", str(tmp_path / "o")]) == 0
    page = (tmp_path / "o/index.html").read_text()
    assert "<script" not in page and "<b>se" not in page and "&lt;b&gt;se,x" in page


def test_a_tree_without_a_test(tmp_path):
    table = patients(400)[["years", "status"]]
    table["coin"] = np.where(np.arange(400) % 2 == 0, "heads", "tails")
    path = written(tmp_path / "a.csv", table)
    out = tmp_path / "o"
    run = ["survival", str(path), *TOLD[:6], "--min-patients", "150", "--quiet"]
    assert main([*run, "--out", str(out)]) == 1  # too few for groups of 150
    assert main([*run[:-2], "100", "--quiet", "--out", str(out)]) == 0
    assert Tree.from_json((out / "tree.json").read_text()).n_leaves >= 1


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("chromium") is None, reason="needs chromium")
@pytest.mark.parametrize("width", [1280, 480])
def test_the_page_does_not_scroll_sideways(made, tmp_path, width):
    """A copy with a script that writes how much wider it is than the window into its title."""
    text = (made / "index.html").read_text()
    text = re.sub(r"<meta http-equiv[^>]*>", "", text)
    ask = "const d = document.documentElement; document.title = d.scrollWidth - d.clientWidth"
    ask = f"<script>{ask}</script></body>"
    shutil.copytree(made / "figures", tmp_path / "figures")
    (tmp_path / "index.html").write_text(text.replace("</body>", ask))
    chromium = ["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    profile = f"--user-data-dir={tmp_path / 'profile'}"
    size = f"--window-size={width},900"
    done = subprocess.run(
        [*chromium, profile, size, f"file://{tmp_path}/index.html"],
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert "<title>0</title>" in done.stdout
