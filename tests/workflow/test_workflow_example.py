"""The experiment of docs/researcher.md is added to a copy of the project, and runs."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from throwaway import ROOT, copied_package, new_project

PAGE = (ROOT / "docs/researcher.md").read_text(encoding="utf-8")
MOST_FILES, MOST_LINES = 18, 300
TARGET = """
rule leaves:
    input:
        rules.leaves_tables.output,
        rules.leaves_figures.output,

"""


def files() -> dict[str, str]:
    """Text of each file of the page, by its path."""
    return dict(re.findall(r"^`([^`\n]+)`\n\n```\w+\n(.*?)^```$", PAGE, re.DOTALL | re.MULTILINE))


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
    assert n_files == 12 and "twelve files" in PAGE
    assert n_files + 4 <= MOST_FILES and "sixteen" in PAGE  # tests, CHANGELOG.md, profile
    assert sum(map(lines_of, files().values())) <= MOST_LINES


@pytest.mark.runs
def test_the_example_runs(smoke_data, tmp_path):
    environment = copied_package(tmp_path / "package")
    project = new_project(tmp_path / "project")
    read = ("requirements.lock", "pyproject.toml", "CITATION.cff", "README.md")
    for name in read:  # by `generated`
        shutil.copy2(ROOT / name, project.path)
    package = tmp_path / "package/hedgerow"
    for name, text in files().items():
        inside = name.removeprefix("src/hedgerow/")
        path = package / inside if inside != name else project.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    put(package / "experiments/__init__.py", '    "soft",\n', '    "soft",\n    "leaves",\n')
    snakefile = project.path / "workflow/Snakefile"
    include = 'include: "rules/report.smk"\n'
    put(snakefile, include, f'include: "rules/leaves.smk"\n{include}')
    put(snakefile, "\nrule all:", f"{TARGET}\nrule all:")
    written = project.python("-m", "hedgerow.workflow.generated", "--write", **environment)
    assert written.returncode == 0, written.stderr
    assert "leaves:" in (project.path / "config/default.yaml").read_text()
    assert "`leaves.confidences`" in (project.path / "config/README.md").read_text()

    settings = project.settings("configuration: example\nexperiments: [leaves]\n")
    done = project.snakemake("--cores", "2", *settings, **environment)
    assert done.returncode == 0, done.stderr
    table = pd.read_csv(project.path / "reports/tables/leaves_of_c45.csv")
    assert list(table.columns) == ["dataset", "0.1", "0.5", "1.0"]
    assert (table["0.1"] <= table["1.0"]).all()
    page = (project.path / "reports/html/leaves.html").read_text()
    assert 'id="leaves_curve"' in page and "Run: haberman, example." in page
    manifest = json.loads((project.path / "reports/manifest.json").read_text())
    assert "data/results/leaves/haberman.parquet" in manifest["outputs"]

    def planned(*settings):
        return project.of_plan(project.snakemake("--dry-run", *settings, **environment))

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
