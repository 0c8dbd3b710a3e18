"""What `make release-check` asks, on made-up logs, archives and wheels; it itself takes minutes."""

from __future__ import annotations

import csv
import doctest
import io
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import distribution
import pytest
import release
import yaml
from distribution import ROOT, Lacking
from packaging.requirements import Requirement

from hedgerow_study.workflow.showing.generated import locked

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
BUILD = release.BUILD_LOCK.read_text(encoding="utf-8")
LOG = "# Changes\n\n## Unreleased\n\n## 0.2.0 - 2026-11-27\n\n- One.\n\n## 0.1.0\n\n- Two.\n"


def test_examples():
    result = doctest.testmod(release)
    assert result.attempted and not result.failed


# --------------------------------------------------------------------------------- the checkout


def test_the_version_is_that_of_the_citation():
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert release.version_of(PROJECT, citation) == PROJECT["project"]["version"]
    with pytest.raises(Lacking, match=r"\['0.0.1'\] in CITATION.cff"):
        release.version_of(PROJECT, "version: 0.0.1\n")
    with pytest.raises(Lacking, match=r"0.0.1 in pyproject.toml, .* in src/hedgerow_clinic/pyproj"):
        release.version_of({"project": {"version": "0.0.1"}}, "version: 0.0.1\n")


@pytest.mark.parametrize("package", sorted((ROOT / "src").glob("*/pyproject.toml")), ids=str)
def test_every_package_carries_our_licence(package):
    assert (package.parent / "LICENSE").read_bytes() == (ROOT / "LICENSE").read_bytes()


def test_a_version_has_a_section_with_a_date():
    assert release.section(LOG, "0.2.0") == "2026-11-27"
    assert release.section(LOG.replace("## Unreleased\n\n", ""), "0.2.0") == "2026-11-27"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("Unreleased\n", "Unreleased\n\n- Three.\n", "lines under Unreleased"),
        (" - 2026-11-27", "", "begins with `0.2.0`, not with `0.2.0 - ` and a date"),
        ("0.2.0 -", "0.3.0 -", "begins with `0.3.0 - 2026-11-27`"),
        ("0.2.0 -", "0x2.0 -", "begins with"),
        ("11-27", "11-31", "2026-11-31 is no date"),
        ("- One.\n", "", "says nothing of 0.2.0"),
        (LOG, "# Changes\n", "begins with `nothing`"),
    ],
)
def test_a_fault_of_the_log_is_named(old, new, said):
    assert old in LOG
    with pytest.raises(Lacking, match=said):
        release.section(LOG.replace(old, new), "0.2.0")


def test_a_tag_belongs_to_one_commit_and_version():
    assert release.tag_of("0.2.0", [], ["v0.1.0"]) == "v0.2.0 is not there yet"
    assert release.tag_of("0.2.0", ["v0.2.0", "vast"], ["v0.2.0"]) == "v0.2.0 is the last commit"
    with pytest.raises(Lacking, match=r"tagged v0.1.9, and this is 0.2.0"):
        release.tag_of("0.2.0", ["v0.2.0", "v0.1.9"], ["v0.2.0"])
    with pytest.raises(Lacking, match="is another commit"):
        release.tag_of("0.2.0", [], ["v0.2.0"])


# -------------------------------------------------------------------------------- interpreters


def touched(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.touch()
    return path


def test_interpreters_given_come_before_those_found_and_newer_ones_first(tmp_path):
    on_path = touched(tmp_path / "bin/python3.12")
    kept = [touched(tmp_path / f"versions/3.12.{n}/bin/python") for n in (9, 10)]
    touched(tmp_path / "versions/3.1.2/bin/python")
    path = os.pathsep.join([str(tmp_path / "nothing"), "", str(tmp_path / "bin")])
    found = release.candidates("3.12", [Path("given")], path, tmp_path)
    assert found == [Path("given"), on_path, *reversed(kept)]
    assert release.candidates("3.13", [], path, tmp_path) == []


def test_an_interpreter_is_asked_for_its_version(tmp_path, monkeypatch):
    """A program of that name may be another one, or fail: pyenv's do where none is chosen."""
    own = "{}.{}".format(*sys.version_info)
    broken = touched(tmp_path / f"python{own}")
    broken.write_text("#!/bin/sh\nexit 127\n", encoding="utf-8")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    with pytest.raises(Lacking, match="none can be found"):
        release.interpreters([own], [tmp_path / "nothing"])
    (place,) = release.interpreters([own, "3.99"], [Path(sys.executable)]).values()
    asked = [place, "-c", "import sys; print(sys.prefix == sys.base_prefix)"]
    assert subprocess.run(asked, capture_output=True, text=True).stdout == "True\n"


def test_the_workflow_has_every_interpreter_with_that_of_setup_last():
    text = (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")
    (step,) = [
        step["with"]["python-version"]
        for step in yaml.safe_load(text)["jobs"]["check"]["steps"]
        if "python-version" in step.get("with", {})
    ]
    assert step.split() == release.supported(PROJECT)[::-1]
    assert f">={step.split()[-1]}" == PROJECT["project"]["requires-python"]


# -------------------------------------------------------------------------------------- builds


def test_what_builds_the_package_is_locked_as_everywhere_else():
    """The lock held setuptools alone."""
    extras = PROJECT["project"]["optional-dependencies"]
    wanted = [Requirement(one) for one in (*PROJECT["build-system"]["requires"], *extras["build"])]
    pins = locked(BUILD)
    assert {one.name for one in wanted} <= pins.keys()
    assert all(pins[one.name] in one.specifier for one in wanted)
    everywhere = locked((ROOT / "requirements.lock").read_text(encoding="utf-8"))
    assert {name: everywhere.get(name, pin) for name, pin in pins.items()} == pins


def test_constraints_are_the_pins_without_their_hashes():
    lock = 'numpy==2.4.6 \\\n    --hash=sha256:00 \\\n    # via x\necos==2 ; python < "3" \\\n# y\n'
    assert release.pins(lock) == "numpy==2.4.6\necos==2\n"


def zipped(path: Path, files: dict[str, bytes], date=(2026, 11, 27, 0, 0, 0)) -> Path:
    with zipfile.ZipFile(path, "w") as made:
        for name, text in files.items():
            made.writestr(zipfile.ZipInfo(name, date), text)
    return path


def tarred(path: Path, files: dict[str, bytes], mode=0o644) -> Path:
    with tarfile.open(path, "w:gz") as made:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size, info.mode = len(text), mode
            made.addfile(info, io.BytesIO(text))
    return path


@pytest.mark.parametrize(("pack", "suffix"), [(zipped, ".whl"), (tarred, ".tar.gz")])
def test_it_is_told_where_two_builds_differ(pack, suffix, tmp_path):
    one, two = (tmp_path / f"{name}{suffix}" for name in ("one", "two"))
    pack(one, {"a": b"1", "b": b"2"})
    two.write_bytes(one.read_bytes())
    assert release.apart(one, two) == [] and release.same(one, two)
    assert release.apart(one, pack(two, {"a": b"1", "b": b"3"})) == ["b: other bytes"]
    assert release.apart(one, pack(two, {"a": b"1"})) == ["b: in one alone"]
    with pytest.raises(Lacking, match=rf"two builds of one{suffix} differ: b: in one alone$"):
        release.same(one, two)
    said = release.apart(one, pack(two, {"b": b"2", "a": b"1"}))
    assert said == ["the same files, in another order"]
    many = {str(n): b"" for n in range(9)}
    with pytest.raises(Lacking, match="; 4: in one alone and 6 more"):
        release.same(one, pack(two, many))


def test_times_permissions_and_packing_are_told_too(tmp_path):
    one, two = zipped(tmp_path / "1.whl", {"a": b"1"}), tmp_path / "2.whl"
    said = ["a: another time or other permissions"]
    assert release.apart(one, zipped(two, {"a": b"1"}, (2026, 1, 1, 0, 0, 0))) == said
    with zipfile.ZipFile(one) as first, zipfile.ZipFile(two, "w") as second:
        second.writestr(first.infolist()[0], b"1", zipfile.ZIP_DEFLATED)
    assert release.apart(one, two) == ["the same files, packed otherwise"]
    one, two = (tarred(tmp_path / f"{m}.tar.gz", {"a": b"1"}, m) for m in (0o644, 0o664))
    assert release.apart(one, two) == said


def test_a_wheel_carries_what_it_should_and_is_small(tmp_path, monkeypatch):
    whole = dict.fromkeys(distribution.CARRIED, b"12345678")
    made = zipped(tmp_path / "one.whl", whole)
    assert distribution.check(made) == made.stat().st_size
    monkeypatch.setattr(distribution, "LARGEST_WHEEL", 100)
    with pytest.raises(Lacking, match=r"bytes, more than 100$"):
        distribution.check(made)
    with pytest.raises(Lacking, match=r"lacks hedgerow/__init__.pyi, hedgerow/data/datasets.yaml"):
        distribution.check(zipped(made, {"hedgerow/py.typed": b""}))


def test_a_program_that_fails_says_why(tmp_path):
    """And finds what lies beside it first, such as ninja beside the interpreter."""
    with pytest.raises(Lacking, match=r"failed\nwords\n$"):
        distribution.call(sys.executable, "-c", "print('words'); raise SystemExit(3)", cwd=tmp_path)
    path = ("-c", "import os; print(os.environ['PATH'].split(os.pathsep)[0], os.environ['A'])")
    said = distribution.call(sys.executable, *path, cwd=tmp_path, A="b")
    assert said == f"{Path(sys.executable).parent} b\n"
    assert distribution.call("git", "--version", cwd=tmp_path).startswith("git version")


# ---------------------------------------------------------------------------- what is installed


def test_tests_of_the_package_are_there_and_start_no_workflow():
    for room in release.ROOMS:
        assert (ROOT / "src/hedgerow" / room).is_dir()
        files = [*(ROOT / "tests/learner" / room).glob("test_*.py")]
        assert files
        for file in files:
            text = file.read_text(encoding="utf-8")
            assert not re.search(r"\bsnakemake\b|hedgerow_study\b", text), file
    test = {Requirement(one).name for one in PROJECT["project"]["optional-dependencies"]["test"]}
    assert set(release.HARNESS) <= test


def test_the_patients_are_the_same_each_time(tmp_path):
    for name in ("one", "two"):
        release.write_patients(tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    rows = [*csv.DictReader((tmp_path / "one").open(encoding="utf-8"))]
    events = sum(row["event"] == "1" for row in rows)
    assert 60 < events < len(rows) - 60 and min(int(row["time"]) for row in rows) > 0


# -------------------------------------------------------------------------------------- the whole


def test_the_last_line_says_what_is_lacking(capsys):
    report = release.Report()
    assert report.ask("one", lambda: "fine") == "fine"
    report.tell("two", "words")
    assert report.end("go") == 0
    assert capsys.readouterr().out == "holds  one: fine\ntold   two: words\nready: go\n"

    def lacking(what):
        raise Lacking(what)

    assert report.ask("three", lacking, "a wheel") is None
    assert report.ask("four", lambda: "") == ""
    assert report.ask("five", lambda: {"a": 1, "b": 2}) and report.ask("six", lambda: ["x"])
    assert report.end("go") == 1
    said = "lacks  three: a wheel\nholds  four\nholds  five: a, b\nholds  six: done\n"
    assert capsys.readouterr().out == f"{said}not ready: three\n"


def test_files_of_a_release_are_all_there(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(release, "passed", lambda files: "all pass")
    monkeypatch.setattr(release, "size_of", lambda made: "1 byte")

    def said(*names) -> str:
        for name in names:
            (tmp_path / name).touch()
        release.ask_files(release.Report(), tmp_path, "0.2.0", ["3.11", "3.12"])
        return capsys.readouterr().out.splitlines()[0]

    assert said("hedgerow-0.2.0-cp311-cp311-x.whl").endswith("there is no source archive")
    assert said("hedgerow-0.2.0.tar.gz").endswith("no wheel for cp312")
    assert said("hedgerow-0.2.0-cp312-cp312-x.whl").endswith("2 wheels and the archive")
    assert said("hedgerow-0.1.0.tar.gz").endswith("hedgerow-0.1.0.tar.gz is not of 0.2.0")
