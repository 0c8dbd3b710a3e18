"""The analysis and the experiment of docs/researcher.md are added to copies of the project."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from pathlib import Path

import pandas as pd
import pytest
from throwaway import ROOT, copied_package, new_project

PAGE = (ROOT / "docs/researcher.md").read_text(encoding="utf-8")
MOST_FILES, MOST_LINES = 18, 300


def files() -> dict[str, str]:
    """Text of each file of the page, by its path."""
    return dict(re.findall(r"^`([^`\n]+)`\n\n```\w+\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))


def changes() -> list[tuple[str, str, str]]:
    """The analysis of the page: path, a line that is there, and what stands in its place."""
    diff = re.search(r"^```diff\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE)[1]
    return [
        (path, line, re.sub(r"^\+", "", added, flags=re.MULTILINE) + line * (sign == " "))
        for path, body in re.findall(r"^--- (\S+)\n((?:[ +-](?!-- ).*\n)+)", diff, re.MULTILINE)
        for sign, line, added in re.findall(r"^([ -])(.*\n)((?:\+.*\n)+)", body, re.MULTILINE)
    ]


class Copy:
    """A copy of the project and of the package, to which something is added."""

    def __init__(self, folder: Path):
        self.environment = copied_package(folder / "package")
        self.package = folder / "package/hedgerow_study"
        self.project = new_project(folder / "project")
        for name in ("requirements.lock", "pyproject.toml", "CITATION.cff", "README.md"):
            shutil.copy2(ROOT / name, self.project.path)  # `generated` reads them

    def file(self, name: str) -> Path:
        """Where a file of the project is in the copy."""
        inside = name.removeprefix("src/")
        return self.package.parent / inside if inside != name else self.project.path / name

    def generate(self) -> None:
        """`make generated`."""
        done = self.project.python(
            "-m", "hedgerow_study.workflow.showing.generated", "--write", **self.environment
        )
        assert done.returncode == 0, done.stderr

    def snakemake(self, *arguments: str) -> subprocess.CompletedProcess:
        """Snakemake with the package that was changed."""
        return self.project.snakemake(*arguments, **self.environment)


def lines_of(text: str) -> int:
    return len([line for line in text.splitlines() if line.strip()])


def put(path: Path, old: str, new: str) -> int:
    """Replace a text that stands once in a file; how many lines are more."""
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {path.name}"
    path.write_text(text.replace(old, new), encoding="utf-8")
    return lines_of(new) - lines_of(old)


def test_the_example_is_no_larger_than_it_says():
    touched = re.findall(r"^\| (.+?) \|", PAGE.split("| --- | --- |")[1], re.MULTILINE)
    n_files = len(files()) + sum(cell.count("`") // 2 for cell in touched)
    assert n_files == 11 and "eleven files" in PAGE
    assert n_files + 4 <= MOST_FILES and "fifteen" in PAGE  # tests, CHANGELOG.md, profile
    assert sum(map(lines_of, files().values())) <= MOST_LINES


@pytest.mark.runs
def test_a_choice_is_a_setting_and_an_entry(smoke_data, tmp_path):
    copy = Copy(tmp_path)
    settings = copy.project.settings(
        "experiments: [structure, analytic_choices]\nanalytic_choices: {of: [structure]}\n"
        "structure: {n_repeats: 1, n_trees: 12, n_bootstrap: 10}\n"
    )
    judged = "data/results/analytic_choices/judged/structure.parquet"

    def analyses():
        done = copy.snakemake("--cores", "2", *settings, "--", judged)
        assert done.returncode == 0, done.stderr
        found = pd.read_parquet(copy.file(judged))
        return found[found["claim"] == "T5-05"]

    before = analyses()
    n_lines = sum(put(copy.file(name), old, new) for name, old, new in changes())
    assert n_lines == 9 and "nine lines more" in PAGE
    copy.generate()
    assert "ranked: true" in copy.file("config/default.yaml").read_text()
    after = analyses()
    assert len(after) == 2 * len(before) == 2 * 4 * 5
    assert set(after["choice_correlation"]) == {"as here", "Pearson"}
    same = after[after["choice_correlation"] == "as here"].set_index("analysis")
    pd.testing.assert_frame_equal(
        same.drop(columns="choice_correlation"), before.set_index("analysis")
    )


@pytest.mark.runs
def test_the_example_runs(smoke_data, tmp_path):
    copy = Copy(tmp_path)
    project, package = copy.project, copy.package
    for name, text in files().items():
        path = copy.file(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    put(package / "experiments/__init__.py", '    "soft",\n', '    "soft",\n    "leaves",\n')
    copy.generate()
    assert "leaves:" in (project.path / "config/default.yaml").read_text()
    assert "`leaves.confidences`" in (project.path / "config/README.md").read_text()

    settings = project.settings("configuration: example\nexperiments: [leaves]\n")
    done = copy.snakemake("--cores", "2", *settings)
    assert done.returncode == 0, done.stderr
    table = pd.read_csv(project.path / "reports/tables/leaves_of_c45.csv")
    assert list(table.columns) == ["dataset", "0.1", "0.5", "1.0"]
    assert (table["0.1"] <= table["1.0"]).all()
    page = (project.path / "reports/html/leaves.html").read_text()
    assert 'id="leaves_curve"' in page and "Run: haberman, example." in page
    manifest = json.loads((project.path / "reports/manifest.json").read_text())
    assert "data/results/leaves/haberman.parquet" in manifest["outputs"]

    def planned(*settings):
        return project.of_plan(copy.snakemake("--dry-run", *settings))

    assert planned(*settings) == {}

    # A setting reruns what reads it; the form of the rules is that of all others.
    more = project.settings("experiments: [leaves]\nleaves: {confidences: [0.2]}", "other")
    assert set(planned(*more)) >= {"leaves_run", "leaves_tables"}
    checked = project.python("-m", "snakefmt", "--check", "workflow/rules/leaves.smk")
    assert checked.returncode == 0, checked.stderr
    for tool in (("check",), ("format", "--check")):
        options = ("--no-cache", "--config", str(ROOT / "pyproject.toml"))
        clean = project.python("-m", "ruff", *tool, *options, str(package / "experiments/leaves"))
        assert clean.returncode == 0, clean.stdout
