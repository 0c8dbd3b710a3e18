"""`hedgerow explain`: what it prints, and one sentence for whatever is wrong."""

import json
import os

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from hedgerow import C45Classifier, ConfDTreeClassifier, Tree
from hedgerow.cli import main
from hedgerow.tree.input_files import Rows


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    return X, y, C45Classifier(max_depth=3).fit(X, y).tree_.annotate(X, y)


@pytest.fixture
def files(tmp_path, wine):
    X, _, tree = wine
    (tmp_path / "tree.json").write_text(tree.to_json())
    X.iloc[60:64].to_csv(tmp_path / "rows.csv", index=False)
    return tmp_path


def run(files, *more, model="tree.json", rows="rows.csv"):
    return main(["explain", str(files / model), str(files / rows), *more])


@pytest.mark.parametrize("method", ["norm", "tdist", "comb"])
def test_it_says_what_the_estimator_says(files, wine, method, capsys):
    X, y, _ = wine
    model = ConfDTreeClassifier(C45Classifier(max_depth=3), method).fit(X, y)
    assert run(files, "--method", method) == 0
    parts = capsys.readouterr().out.split("\n\n")
    for row, part in enumerate(parts):
        want = model.explain(X.iloc[60 + row])
        assert part.strip("\n").splitlines()[2:] == str(want).splitlines()[1:]
        assert part.startswith(f"row {row}\nanswer: ")
    assert len(parts) == 4
    assert run(files, "--method", method, "--row", "1") == 0
    assert capsys.readouterr().out == parts[1].strip("\n") + "\n"


def test_settings_reach_the_rules(files, wine, capsys):
    X, y, _ = wine
    settings = {"min_instances": 3, "normal_width": 0.5, "normal_width_other": 0.4, "t_alpha": 0.2}
    settings |= {"t_alpha_other": 0.3, "normality_alpha": 0.2, "fine": 0.3}
    given = [f"--{name.replace('_', '-')}={value}" for name, value in settings.items()]
    base = C45Classifier(max_depth=3, smoothing=True)
    for off in ("routes", "fines"):
        model = ConfDTreeClassifier(base, **settings, **{off: False}).fit(X, y)
        assert run(files, *given, f"--no-{off}", "--smoothing", "--row", "0") == 0
        out = capsys.readouterr().out.splitlines()
        said = ["  " + line for line in str(model.revisions(X.iloc[60])).splitlines()]
        assert out[-len(said) :] == said


def test_missing_values_other_columns_and_categories(tmp_path, capsys):
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"size": rng.normal(5, 2, 200), "kind": rng.choice([1, 2, 3], 200)})
    y = np.where(X["kind"] == 1, "no", np.where(X["size"] > 2, "yes", "no"))
    X["kind"] = X["kind"].astype("category")
    tree = C45Classifier().fit(X, y).tree_.annotate(X, y)
    (tmp_path / "tree.json").write_text(tree.to_json())
    (tmp_path / "rows.csv").write_text("note,kind,size\na,1,4.5\nb,,9\nc,2,\nd,7,6\n")
    assert run(tmp_path) == 0
    out = capsys.readouterr().out
    for said in (
        "kind = 1 meets no interval",
        "kind is missing, nothing is doubted",
        "size is missing, nothing is doubted",
        "kind = a new category meets no interval",
    ):
        assert said in out


def changed(files, **changes):
    form = json.loads((files / "tree.json").read_text()) | changes
    (files / "tree.json").write_text(json.dumps(form))


def test_models_that_are_none(files, capsys):
    def said(**more):
        assert run(files, **more) == 1
        error = capsys.readouterr().err
        assert error.startswith("hedgerow: ") and error.count("\n") == 1
        return error

    assert "nowhere.json: no such file" in said(model="nowhere.json")
    assert "rows.csv: the text is not JSON" in said(model="rows.csv")
    changed(files, statistics={"n": [1]})
    assert "tree.json: `statistics` of a tree" in said()
    changed(files, format="other")
    assert "the JSON is not a tree" in said()
    (files / "tree.json").write_bytes(b"\xff\xfe")
    assert "it is not UTF-8" in said()


def test_a_model_without_names(files, capsys):
    changed(files, feature_names=None)
    assert run(files) == 1
    assert "the tree has no names of variables" in capsys.readouterr().err


def test_rows_that_are_none(files, capsys):
    rows = files / "rows.csv"
    whole = rows.read_text()
    for text, said in (
        (whole.replace("flavanoids", "flavenoids"), "has no column 'flavanoids', which the tree"),
        (whole.replace("1.41", "low"), "column 'flavanoids' holds 'low' in row 1, and the tree"),
        (whole.replace("1.41", "inf"), "column 'flavanoids' holds an infinite value in row 1"),
        (whole.splitlines()[0], "has no row; give at least one"),
        ("", "is no table"),
        ("a,b\n1,2,3\n1,2,3,4\n", "is no table"),
    ):
        rows.write_text(text)
        assert run(files) == 1
        error = capsys.readouterr().err
        assert said in error and error.count("\n") == 1, error
    assert run(files, rows="nowhere.csv") == 1
    assert "nowhere.csv: no such file" in capsys.readouterr().err
    rows.write_text(whole)
    for row in ("4", "-1"):
        assert run(files, "--row", row) == 1
        assert f"has no row {row}; give a number from 0 to 3" in capsys.readouterr().err
    assert run(files, "--fine", "1.5") == 1
    assert "fine is 1.5; give a number of at least 0 and at most 1" in capsys.readouterr().err


def test_files_without_end(files, capsys, tmp_path):
    """/dev/zero and a pipe that nobody writes into were read until somebody ended it."""
    os.mkfifo(tmp_path / "pipe")
    for path in ("/dev/zero", tmp_path / "pipe", tmp_path):
        for model, rows in ((path, files / "rows.csv"), (files / "tree.json", path)):
            assert main(["explain", str(model), str(rows)]) == 1
            error = capsys.readouterr().err
            assert f"{path} is no file; name a file" in error and error.count("\n") == 1


def test_a_file_that_is_too_long(files, capsys):
    with open(files / "tree.json", "ab") as file:
        file.truncate(3_000_000_000)  # of holes: it takes no room
    assert run(files) == 1
    assert "has more than 2 GB; make it shorter" in capsys.readouterr().err


def test_names_with_control_characters(files, capsys):
    """A terminal obeyed what stood in the names of a model that somebody had sent."""
    names = [
        f"\x1b[31m{name}" for name in json.loads((files / "tree.json").read_text())["feature_names"]
    ]
    changed(files, feature_names=names)
    rest = (files / "rows.csv").read_text().partition("\n")[2]
    (files / "rows.csv").write_text(",".join(names) + "\n" + rest)
    assert run(files) == 0
    out = capsys.readouterr().out
    assert "\x1b" not in out and "\\x1b[31mflavanoids" in out


def test_numbers_are_read_to_the_last_bit(files):
    """pandas reads a third of all numbers wrong by a bit: they went to the other side."""
    tree = Tree.from_json((files / "tree.json").read_text())
    rng = np.random.default_rng(0)
    values = rng.normal(size=1000) * 10.0 ** rng.integers(-8, 8, 1000)
    text = "\n".join(["proline", *map(repr, values.tolist())])
    (files / "rows.csv").write_text(text)
    place = tree.feature_names.index("proline")
    found = Rows(str(files / "rows.csv"), tree).values([place])[:, place]
    assert found.tolist() == values.tolist()


def test_errors_of_measurement(files, wine, capsys):
    """By variable and by case: what `Tree.explain` says of them."""
    X, _, tree = wine
    plain = tree.replace(statistics=None)
    (files / "tree.json").write_text(plain.to_json())
    (files / "errors.csv").write_text("variable,error\nflavanoids,0.2\nproline,5 %\n")
    error = {"flavanoids": 0.2, "proline": "5 %"}
    assert run(files, "--error", str(files / "errors.csv")) == 0
    assert capsys.readouterr().out.strip("\n") == str(plain.explain(X.iloc[60:64], error=error))
    (files / "errors.csv").write_text("flavanoids\n0.1\n\n0.3\n0.4\n".replace("\n\n", '\n""\n'))
    assert run(files, "--error", str(files / "errors.csv"), "--given", "true") == 0
    error = {"flavanoids": np.array([0.1, 0.0, 0.3, 0.4])}
    want = plain.explain(X.iloc[60:64], error=error, given="true")
    assert capsys.readouterr().out.strip("\n") == str(want)


def test_a_page(files, capsys):
    page = files / "cases.html"
    assert run(files, "--row", "2", "--html", str(page)) == 0
    assert capsys.readouterr().out == f"{page}\n"
    text = page.read_text()
    assert "row 2" in text and "row 1" not in text and "<script" not in text
    assert run(files, "--html", str(page)) == 1
    assert "is there already" in capsys.readouterr().err
    assert run(files, "--html", str(page), "--force") == 0


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("variable,error\nage,1\n", "error names 'age', which is no column"),
        ("variable,error\nflavanoids,much\n", "error of column 'flavanoids' is 'much'"),
        ("variable,error\nflavanoids,1\nflavanoids,2\n", "gives two errors to 'flavanoids'"),
        ("flavanoids\n1\n", "has 1 rows for 4 cases"),
        ("age\n1\n2\n3\n4\n", "column 'age' is no variable of the tree"),
        ("flavanoids\n1\n2\nx\n4\n", "column 'flavanoids' holds 'x'"),
        ("flavanoids\n1\n2\n-1\n4\n", "error of column 'flavanoids'"),
        ("", "is no table"),
    ],
)
def test_errors_that_are_none(files, text, words, capsys):
    (files / "errors.csv").write_text(text)
    assert run(files, "--error", str(files / "errors.csv")) == 1
    error = capsys.readouterr().err
    assert words in error and error.count("\n") == 1 and "errors.csv" in error
