"""Commands that measure, and write what they measured into a text: what they say of it."""

from __future__ import annotations

import doctest
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]


@pytest.fixture
def command(monkeypatch):
    """A function that imports a module of benchmarks/ or ci/, as a script does."""
    for folder in ("benchmarks", "ci"):
        monkeypatch.syspath_prepend(str(ROOT / folder))
    yield importlib.import_module
    for name in ("times", "bounds", "doubt"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("name", ["times", "bounds"])
def test_examples(command, name):
    result = doctest.testmod(command(name))
    assert result.attempted and not result.failed


def test_readme_has_a_place_for_the_times(command):
    """The times of README were typed, and older than what they told of."""
    filled = command("times").filled
    once = filled((ROOT / "README.md").read_text(encoding="utf-8"), "measured \\1")
    assert "measured \\1" in once and filled(once, "measured \\1") == once
    with pytest.raises(ValueError, match="no place for the times"):
        filled("nothing", "said")


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
    words = ["bounds.py", "lowest", "--keep", str(tmp_path), "tests/learner/tree", "-x"]
    monkeypatch.setattr(sys, "argv", words)
    assert bounds.main() == bounds.main() == 3
    assert made == [bounds.lowest(bounds.BOUNDED)]
    lines = capfd.readouterr().out.splitlines()
    assert lines[1] == "-m pytest tests/learner/tree -x" and lines[0].endswith(
        " ".join(bounds.BOUNDED)
    )


def test_an_environment_that_cannot_be_made_is_said(command, monkeypatch, tmp_path):
    bounds = command("bounds")

    def clone(setup, folder):
        raise subprocess.CalledProcessError(1, "pip", stderr="no matching distribution")

    monkeypatch.setattr(bounds, "clone", clone)
    monkeypatch.setattr(sys, "argv", ["bounds.py", "newest", "--keep", str(tmp_path)])
    with pytest.raises(SystemExit, match="newest: cannot be set up\nno matching distribution"):
        bounds.main()
