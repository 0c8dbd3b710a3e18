"""Commands that measure, and write what they measured into a text: what they say of it."""

from __future__ import annotations

import doctest
import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def command(monkeypatch):
    """A function that imports a module of benchmarks/, as `python benchmarks/NAME.py` does."""
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    yield importlib.import_module
    for name in ("marked", "first_run", "bounds", "bits", "doubt"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", ["marked", "first_run", "bounds"])
def test_examples(command, name):
    result = doctest.testmod(command(name))
    assert result.attempted and not result.failed


@pytest.mark.parametrize(
    ("path", "name"), [("README.md", "times"), ("docs/workflow.md", "bits")], ids=["times", "bits"]
)
def test_texts_have_a_place_for_what_is_measured(command, path, name):
    """The times of README were typed, and older than what they told of."""
    filled = command("marked").filled
    text = (ROOT / path).read_text(encoding="utf-8")
    once = filled(text, name, "measured \\1")
    assert "measured \\1" in once and filled(once, name, "measured \\1") == once
    with pytest.raises(ValueError, match=rf"no `<!-- {name}: make {name} -->`"):
        filled("nothing", name, "said")
    assert re.search(rf"^{name}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_leaves_from_plausibilities_are_those_of_e2m(command):
    """The table of docs/methods/doubt.md; fractions are far from them, the farther the more is
    doubted."""
    from sklearn.datasets import load_iris

    measured = command("doubt").measured
    rows = [measured(load_iris, gamma, seed=0) for gamma in (0.1, 0.5)]
    assert 0.1 < rows[0][0] < rows[1][0]
    assert max(row[1] for row in rows) < 1e-5


# ------------------------------------------------------------------------ versions that are allowed


def test_bounds_are_those_of_the_package_and_all_of_its_extras(command):
    """Each has a lowest version; pandas and Snakemake have a highest one, and pip is told."""
    bounds = command("bounds")
    found = bounds.allowed(bounds.BOUNDED)
    assert all("0.0.1" not in bound and str(bound) for bound in found.values())
    lowest = dict(each.split("==") for each in bounds.lowest(bounds.BOUNDED))
    assert all(lowest[name] in bound for name, bound in found.items())
    newest = bounds.newest(bounds.BOUNDED)
    asked = {each.name: each.specifier for each in map(bounds.Requirement, newest[3:])}
    assert asked == found and "3.0" not in asked["pandas"] and "10.0" not in asked["snakemake"]


def test_the_tests_are_run_with_what_was_installed(command, monkeypatch, tmp_path, capfd):
    """Options go to pytest, its exit code comes back, and an environment that is there serves."""
    bounds = command("bounds")
    made = []

    def clone(setup, folder):
        made.append(setup.install)
        python = folder / ".venv/bin/python"
        python.parent.mkdir(parents=True)
        python.write_text("#!/bin/sh\necho $@\ntest $2 != pytest || exit 3\n")
        python.chmod(0o755)
        return folder

    monkeypatch.setattr(bounds, "clone", clone)
    monkeypatch.setattr(bounds, "VERSIONS", "numpy")
    (tmp_path / "lowest/.venv").mkdir(parents=True)  # of a set-up that was broken off
    words = ["bounds.py", "lowest", "--keep", str(tmp_path), "tests/tree", "-x"]
    monkeypatch.setattr(sys, "argv", words)
    assert bounds.main() == bounds.main() == 3
    assert made == [bounds.lowest(bounds.BOUNDED)]
    lines = capfd.readouterr().out.splitlines()
    assert lines[1] == "-m pytest tests/tree -x" and lines[0].endswith(" ".join(bounds.BOUNDED))


def test_an_environment_that_cannot_be_made_is_said(command, monkeypatch, tmp_path):
    bounds = command("bounds")

    def clone(setup, folder):
        raise subprocess.CalledProcessError(1, "pip", stderr="no matching distribution")

    monkeypatch.setattr(bounds, "clone", clone)
    monkeypatch.setattr(sys, "argv", ["bounds.py", "newest", "--keep", str(tmp_path)])
    with pytest.raises(SystemExit, match="newest: cannot be set up\nno matching distribution"):
        bounds.main()


# ------------------------------------------------------------------------------ bits that travel

SEEN = {
    "python": "3.12.1",
    "loops": ["X86_V3"],
    "kernels": ["Haswell"],
    "versions": {"numpy": "2.1", "scipy": "1.14", "scikit-learn": "1.6"},
}
#: Jobs of a run: two that read raw data, one that reads what they make, and a page.
JOBS = {
    "learn:iris": ("learn", ["data/raw/iris"], ["iris.csv"]),
    "learn:wine": ("learn", ["data/raw/wine"], ["wine.csv"]),
    "table": ("table", ["iris.csv", "wine.csv"], ["table.csv"]),
    "report": ("report", ["table.csv"], ["page.html"]),
}


@pytest.fixture
def made(command, tmp_path):
    """A function that makes what a run has made."""
    bits = command("bits")

    def of(name, **contents):
        folder = tmp_path / name
        folder.mkdir()
        contents = {"iris": "1", "wine": "2.0", "table": "3", "page": name, **contents}
        files = {
            f"{word}.{'html' if word == 'page' else 'csv'}": contents[word] for word in contents
        }
        for path, value in files.items():
            (folder / path).write_text(f"x\n{value}\n", encoding="utf-8")
        names = ("rule", "inputs", "outputs")
        jobs = {key: dict(zip(names, job, strict=True)) for key, job in JOBS.items()}
        made_by = {path: key for key, job in jobs.items() for path in job["outputs"]}
        between = {path: files[path] for path in ("iris.csv", "wine.csv")}
        outputs = {path: value for path, value in files.items() if path not in between}
        manifest = {"jobs": jobs, "made_by": made_by, "between": between, "outputs": outputs}
        return bits.Made(manifest, SEEN, folder)

    return of


def test_files_are_counted_that_have_the_same_bytes(command, made):
    """But for those that say where they were made."""
    bits = command("bits")
    condition = bits.Condition("another libm", bits.Setup("python3"))
    first, same, other = made("a"), made("b"), made("c", wine="2.5", table="4")
    assert bits.equal(None, first) == "3 files"
    assert bits.row(condition, same, first) == [
        *("another libm", "3.12.1", "2.1, 1.14, 1.6", "X86_V3", "Haswell"),
        "all 3",
    ]
    assert bits.row(condition, other, first)[-1] == "1 of 3"


def test_a_difference_is_told_where_it_begins(command, made):
    """What only reads a file that differs is not named."""
    bits = command("bits")
    first = made("a")
    assert bits.origins(first, made("b")) == []
    told = bits.origins(first, made("c", wine="2.5", table="4"))
    assert told == ["learn: 1 file, at most 2.0e-01 (wine.csv)"]
    told = bits.origins(first, made("d", iris="one", table="4"))
    assert told == ["learn: 1 file, at most more than numbers (iris.csv)"]


def test_what_cannot_be_had_is_said(command, monkeypatch):
    bits = command("bits")
    monkeypatch.setattr(bits, "interpreter", lambda name: "")
    usual = bits.Setup("python3")
    found = {condition.name: condition for condition in bits.conditions(usual, SEEN)}
    wider = found["numpy's loops up to AVX2"]
    assert wider.why_not == "not tried: this processor has no wider ones"
    assert found["Python 3.13"].why_not and "Python 3.12" not in found
    line = bits.row(found["Python 3.13"], None, None)
    assert line[-1] == "not tried: there was no such interpreter"
    wide = {**SEEN, "loops": ["X86_V3", "X86_V4", "AVX512_SPR"]}
    (narrow,) = [c for c in bits.conditions(usual, wide) if "up to AVX2" in c.name]
    assert narrow.variables == {"NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_SPR"}
    assert not narrow.why_not


def test_a_condition_under_which_the_run_fails_is_a_line_of_the_table(command, monkeypatch, made):
    """The lowest versions allowed made a job fail, and the table of an hour was lost."""
    bits = command("bits")
    usual, old = bits.Setup("python3"), bits.Setup("python3", ("scipy==1.13",))
    tried = [bits.Condition("as it is", usual), bits.Condition("old", old)]
    tried.append(bits.Condition("again", usual))

    def run(condition, *_):
        if condition.setup == old:
            raise subprocess.CalledProcessError(1, "snakemake", stderr="\nsoft: no such option\n")
        return made(condition.name)

    monkeypatch.setattr(bits, "run", run)
    monkeypatch.setattr(bits, "clone", lambda setup, folder: folder)
    monkeypatch.setattr(bits, "seen", lambda project, variables: SEEN)
    monkeypatch.setattr(bits, "conditions", lambda usual, seen: tried)
    lines = [bits.row(*found)[-1] for found in bits.runs("python3", Path("nowhere"), None)]
    assert lines == ["3 files", "fails: soft: no such option", "all 3"]


def test_rules_that_tell_where_they_ran_are_there(command):
    rules = "".join(path.read_text(encoding="utf-8") for path in (ROOT / "workflow").rglob("*.smk"))
    for name in command("bits").TELLING:
        assert re.search(rf"^rule {name}:", rules, re.MULTILINE), name
