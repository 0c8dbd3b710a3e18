"""Two runs compared: edits, claims, tables, figures; on real runs: test_workflow_previous.py."""

from __future__ import annotations

import hashlib
import json
import lzma
import shutil
from pathlib import Path

import pytest

from hedgerow import cli
from hedgerow.data.row_changes import CellChange, RowChanges
from hedgerow.errors import DataError, InputError
from hedgerow.files import write_bytes
from hedgerow_study.audit import changes_command
from hedgerow_study.audit.changes import _rows, changes, compare
from hedgerow_study.workflow.references.previous import CLAIMS, State

ROOT = Path(__file__).resolve().parents[3]
CLAIM_HEAD = "claim,statement,published_value,verdict,measured,estimate,low,high\n"
TABLE = "reports/tables/t.csv"
FIGURE = "reports/figures/f.svg"


def state(digest="a", *, functions=None, files=None, **parts):
    """A run of nothing, but for what is named."""
    manifest = {
        **{"version": 4, "inputs": {}, "outputs": {}, "jobs": {}, "packages": {}},
        **{"python": "3.11.7", "platform": "Linux", "configuration": {}, **parts},
    }
    content = {path: text.encode() for path, text in (files or {}).items()}
    return State(64 * digest, manifest, functions or {}, content)


def compared(before, after, rows=lambda *_: None, most=3):
    diff = compare(before, after, rows, most)
    json.dumps(diff)
    return diff


def of_table(before, after, most=3):
    (diff,) = compared(
        state("a", files={TABLE: before}), state("b", files={TABLE: after}), most=most
    )["tables"]
    return diff


def lines(diff):
    """What a terminal shows."""
    from hedgerow.screen import new_console

    console = new_console()
    with console.capture() as shown:
        for part in changes_command._parts(diff):
            console.print(part)
    return [line.rstrip() for line in shown.get().splitlines()]


def test_two_runs_that_gave_the_same_differ_in_nothing():
    diff = compared(state("a"), state("b"))
    assert diff["ended"] and not diff["tables"] and not any(diff["edits"].values())
    assert lines(diff) == ["Nothing changed: the last run gave the results of the run before."]


def test_settings_packages_and_files_are_named_in_full():
    before = {"soft": {"step": 0.1, "datasets": ["bupa", "wine"]}, "seed": 1}
    after = {"soft": {"step": 0.2, "datasets": ["wine", "iris"]}, "seed": 1, "new": None}
    diff = compared(
        state("a", configuration=before, packages={"numpy": "2.1"}, inputs={"x.csv": "1"}),
        state("b", configuration=after, packages={"numpy": "2.2", "rich": "1"}),
    )
    edits = diff["edits"]
    assert {"name": "soft.step", "before": 0.1, "after": 0.2} in edits["settings"]
    assert {"name": "rich", "before": None, "after": "1"} in edits["packages"]
    assert edits["files"] == [{"path": "x.csv", "change": "removed"}]
    shown = lines(diff)
    assert "  settings  new: none -> none" in shown
    assert "            soft.datasets: -bupa +iris" in shown
    assert "  packages  numpy: 2.1 -> 2.2" in shown
    assert shown[-1] == "No claim, table or figure changed."


def test_code_is_named_by_function_and_by_rule_where_no_function_differs():
    jobs = [{"a:x": {"rule": "a", "code": code}} for code in ("1", "2")]
    functions = {"soft.steps:learn": "1", "tree/_arena.pyx:grow": "1", "m:": "1"}
    before = state("a", jobs=jobs[0], functions=functions)
    after = state("b", jobs=jobs[1], functions={"soft.steps:learn": "2", "m:": "3", "n:f": "1"})
    edits = compared(before, after)["edits"]
    assert edits["code"] == [
        {"name": "hedgerow.m (its statements)", "change": "changed"},
        {"name": "hedgerow.n.f", "change": "added"},
        {"name": "hedgerow.soft.steps.learn", "change": "changed"},
        {"name": "hedgerow/tree/_arena.pyx:grow", "change": "removed"},
    ]
    assert edits["rules"] == []
    unknown = compared(state("a", jobs=jobs[0]), after)["edits"]
    assert unknown["code"] == [] and unknown["rules"] == ["a"]


def test_changed_rows_of_a_data_set_are_listed_and_the_rest_is_counted():
    """A source that gives the file another name is no other data set."""
    cells = tuple(CellChange(n, "age", "30", None) for n in range(1, 13))
    diff = compared(
        state("a", inputs={"data/raw/pima/pima.csv": "1", "data/raw/iris/a": "1"}),
        state("b", inputs={"data/raw/pima/pima.data": "2", "data/raw/iris/b": "1"}),
        lambda dataset, *digests: RowChanges(20, 21, 1, 0, 12, cells),
    )
    (data,) = diff["edits"]["data"]
    assert data["dataset"] == "pima" and data["n_cells"] == 12 and len(data["cells"]) == 10
    assert data["rows"] == {"before": 20, "after": 21, "added": 1, "removed": 0, "changed": 12}
    shown = lines(diff)
    assert "  data  pima: of 20 rows: 12 changed, 1 added" in shown
    assert "          row 1, age: 30 -> none" in shown
    assert "          and 2 more cells" in shown


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("1", "2", "x: other bytes; rows not compared, as the earlier version is not kept"),
        ("1", None, "x removed"),
        (None, "1", "x added"),
    ],
)
def test_a_data_set_whose_rows_cannot_be_compared(before, after, words):
    both = [{"data/raw/x/x.data": one} if one else {} for one in (before, after)]
    diff = compared(state("a", inputs=both[0]), state("b", inputs=both[1]))
    assert f"  data  {words}" in lines(diff)


def test_rows_of_two_versions_of_a_data_set_that_are_in_its_folder(tmp_path):
    original = ROOT / "src/hedgerow_data/iris/iris.data.xz"
    before = lzma.decompress(original.read_bytes())
    after = before.replace(b"5.1,3.5,1.4,0.2", b"5.1,3.6,1.4,0.2", 1)
    (tmp_path / "config").mkdir()
    shutil.copy(ROOT / "config/datasets.yaml", tmp_path / "config")
    write_bytes(tmp_path / "data/raw/iris/iris.data", after)
    write_bytes(tmp_path / "data/raw/iris/iris.registered", before)
    digests = [hashlib.sha256(content).hexdigest() for content in (before, after)]
    manifest = {"configuration": {"registry": "config/datasets.yaml"}}
    diff = _rows(tmp_path, manifest, "iris", *digests)
    assert diff.changed == 1 and [(c.before, c.after) for c in diff.cells] == [("3.5", "3.6")]
    assert _rows(tmp_path, manifest, "iris", digests[0], 64 * "0") is None
    for registry in ("../datasets.yaml", None, "config/none.yaml"):
        named = {"configuration": {"registry": registry}}
        assert _rows(tmp_path, named, "iris", *digests) is None


def test_claims_that_moved_those_with_another_verdict_first():
    before = CLAIM_HEAD + "A,S,p,partly,0.1 of 2,0.1,,\nB,S,,partly,x,1,,\nC,S,,partly,x,1,,\n"
    after = CLAIM_HEAD + "A,S,p,partly,0.2 of 2,0.2,,\nB,S,,partly,x,1.0,,\nC,S,,failed,x,1,,\n"
    diff = compared(state("a", files={CLAIMS: before}), state("b", files={CLAIMS: after}))
    assert [one["claim"] for one in diff["claims"]] == ["A", "C"]
    assert diff["claims"][0] == {
        "claim": "A",
        "statement": "S",
        "published": "p",
        "change": "changed",
        "verdict": {"before": "partly", "after": "partly"},
        "measured": {"before": "0.1 of 2", "after": "0.2 of 2"},
        "estimate": {"before": 0.1, "after": 0.2},
        "low": {"before": None, "after": None},
        "high": {"before": None, "after": None},
    }
    shown = lines(diff)
    start = shown.index("Claims: 2 of 3 moved, 1 to another verdict")
    assert shown[start + 1] == "  C  partly -> failed"
    assert "  A  partly, as before" in shown and "    published  p" in shown


def test_cells_that_moved_most_by_the_scale_of_their_column():
    """Leaves by the hundred do not hide an accuracy that halved."""
    before = "dataset,leaves,accuracy,word\na,100,0.8,x\nb,200,0.9,x\nc,300,0.9,x\n"
    after = "dataset,leaves,accuracy,word\na,110,0.4,x\nb,200,0.90,y\nc,300,,x\n"
    diff = of_table(before, after)
    assert diff["n_cells"] == 4
    assert [(c["row"]["dataset"], c["column"]) for c in diff["cells"]] == [
        ("b", "word"),
        ("c", "accuracy"),
        ("a", "accuracy"),
    ]
    assert diff["cells"][1]["after"] is None and diff["cells"][1]["difference"] is None
    assert diff["cells"][2]["difference"] == pytest.approx(-0.4)
    assert len(of_table(before, after, most=1)["cells"]) == 1


def test_rows_and_columns_that_came_and_went():
    diff = of_table("id,n,old\na,1,1\nb,2,1\n", "id,n,new\nb,2,1\nc,3,1\n")
    assert diff["columns_added"] == ["new"] and diff["columns_removed"] == ["old"]
    assert diff["rows_added"] == [{"id": "c"}] and diff["rows_removed"] == [{"id": "a"}]
    assert diff["n_cells"] == 0


def test_rows_that_nothing_tells_apart_are_compared_by_their_numbers():
    diff = of_table("row,n\na,1\na,1\n", "row,n\na,1\na,2\n")
    assert diff["cells"][0]["row"] == {"#": "2"} and diff["cells"][0]["difference"] == 1


def test_a_table_whose_numbers_are_only_written_otherwise_has_not_changed():
    """pandas writes 256 as 256.0 where another row of the column is missing."""
    texts = ("id,n\na,256\n", "id,n\na,256.0\n")
    before, after = (state(d, files={TABLE: t}) for d, t in zip("ab", texts, strict=True))
    assert compared(before, after)["tables"] == []


def test_a_table_or_figure_that_is_new_and_one_that_is_gone():
    diff = compared(state("a", files={TABLE: "id\n"}), state("b", files={FIGURE: "<svg/>"}))
    assert [(one["id"], one["change"]) for one in diff["tables"]] == [("t", "removed")]
    assert diff["figures"] == [{"id": "f", "change": "added", "before": None, "after": FIGURE}]
    assert "Tables: 1 of 0 changed" in lines(diff)


def test_a_run_that_has_not_reached_its_manifest_says_so():
    diff = compared(
        state("a", files={TABLE: "i,n\na,1\n"}), state("a", files={TABLE: "i,n\na,2\n"})
    )
    assert not diff["ended"]
    assert lines(diff)[0] == "The last run has not ended or made only a part. Replaced so far:"


def test_without_an_earlier_run_one_sentence_says_what_to_do(project, capsys):
    assert cli.main(["changes", str(project)]) == 1
    assert "keeps no earlier run to compare with; the next run" in capsys.readouterr().err
    with pytest.raises(InputError, match="cells"):
        changes(project, most=-1)
    (project / "reports/manifest.json").unlink()
    with pytest.raises(DataError, match="holds no manifest of a run; call `make reproduce`"):
        changes(project)
