"""Files that follow from others, and the lock of the dependencies."""

from __future__ import annotations

import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pandas as pd
import pytest
import yaml
from throwaway import ROOT

import hedgerow
from hedgerow_study.reporting.claim_specification import VERDICTS
from hedgerow_study.workflow.settings.config import config_schema
from hedgerow_study.workflow.showing.generated import (
    SETTINGS,
    addressed,
    cited,
    default_configuration,
    filled,
    generated,
    locked,
    main,
    settings_table,
    verdicts_text,
)

#: The projects of the three packages.
PROJECTS = [
    ROOT / "pyproject.toml",
    *(ROOT / f"src/hedgerow_{name}/pyproject.toml" for name in ("study", "clinic", "data")),
]
LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
CHECKS = (ROOT / "requirements-checks.lock").read_text(encoding="utf-8")
DOCS = (ROOT / "requirements-docs.lock").read_text(encoding="utf-8")
CLUSTER = (ROOT / "requirements-cluster.lock").read_text(encoding="utf-8")
BUILD = (ROOT / "requirements-build.lock").read_text(encoding="utf-8")


GENERATED = generated(ROOT)


@pytest.mark.parametrize("path", sorted(GENERATED), ids=lambda path: path.name)
def test_generated_files_are_up_to_date(path):
    assert path.read_text(encoding="utf-8") == GENERATED[path], "call `make generated`"


def test_the_counts_of_verdicts_are_those_of_the_references():
    text, sentence = verdicts_text(ROOT).split("\n\n")
    cells = [[int(n) for n in line.split("|")[2:-2]] for line in text.splitlines()[2:]]
    assert all(sum(counts[1:]) == counts[0] for counts in cells)
    stated = pd.read_csv(ROOT / "data/published/claims.csv")
    assert [counts[0] for counts in cells] == stated.groupby("paper", sort=False).size().tolist()
    kept = [pd.read_csv(file) for file in ROOT.glob("data/reference/*/*_claims.csv")]
    judged = pd.concat(kept).set_index("claim")["verdict"].reindex(stated["claim_id"])
    sums = [sum(column) for column in zip(*cells, strict=True)]
    assert sums[1:4] == [(judged == verdict).sum() for verdict in list(VERDICTS)[:3]]
    assert re.findall(r"\b\d+\b", sentence) == [str(sums[i]) for i in (1, 0, 2, 3, 4, 5)]


def test_links_of_readme_are_absolute_where_the_project_has_an_address():
    """A package index shows README without the files beside it: links and picture were broken."""
    page = (
        "![a tree](docs/img/a.svg) [docs](docs/README.md#top) [here](#x) [there](https://b.example)"
    )
    assert addressed(page, None) == page
    absolute = addressed(page, "https://c.example/hedgerow/")
    assert absolute == (
        "![a tree](https://c.example/hedgerow/raw/main/docs/img/a.svg) "
        "[docs](https://c.example/hedgerow/blob/main/docs/README.md#top) "
        "[here](#x) [there](https://b.example)"
    )
    assert addressed(absolute, "https://c.example/hedgerow") == absolute
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    found = re.findall(r"\]\(([^)]+)\)", addressed(readme, "https://c.example"))
    assert len(found) > 30 and all(target.startswith("https://") for target in found)


@pytest.mark.parametrize(
    ("lock", "least"),
    [(LOCK, 50), (CHECKS, 2), (DOCS, 5), (CLUSTER, 2), (BUILD, 0)],
    ids=["all", "checks", "docs", "cluster", "build"],
)
def test_everything_locked_has_a_hash(lock, least):
    pins = re.split(r"^(?=[a-z0-9])", lock, flags=re.MULTILINE)[1:]
    assert len(pins) == len(locked(lock)) > least
    for pin in pins:
        assert "--hash=sha256:" in pin, pin.splitlines()[0]


def test_the_lock_holds_no_address():
    locks = LOCK + CHECKS + DOCS + CLUSTER + BUILD
    assert not re.search(r"https?://|--(extra-)?index-url|--find-links|file:", locks)


def test_the_locks_agree():
    pins = locked(LOCK)
    assert "scikit-survival" in locked(CHECKS).keys() - pins.keys()
    for name, version in [pin for lock in (CHECKS, DOCS, CLUSTER) for pin in locked(lock).items()]:
        assert pins.get(name, version) == version, name


def test_every_dependency_of_the_project_is_locked():
    wanted = []
    for file in PROJECTS:
        build, project = map(tomllib.loads(file.read_text()).get, ("build-system", "project"))
        extras = project.get("optional-dependencies", {})
        wanted += [*build["requires"], *project.get("dependencies", ())]
        wanted += [requirement for extra in extras.values() for requirement in extra]
    from packaging.requirements import Requirement

    pins = locked(LOCK) | locked(CHECKS) | locked(DOCS) | locked(CLUSTER) | locked(BUILD)
    for requirement in map(Requirement, wanted):
        if requirement.name in ("hedgerow", "hedgerow-data"):  # an extra, or a package beside it
            continue
        name = requirement.name.lower().replace("_", "-")
        assert name in pins, f"{name} is not locked: call `make lock`"
        assert pins[name] in requirement.specifier


def test_snakemake_is_bounded_and_the_workflow_asks_for_the_lowest_version():
    """Version 10 would have been installed, whose modules nobody had tried."""
    from packaging.requirements import Requirement

    project = tomllib.loads(PROJECTS[1].read_text(encoding="utf-8"))["project"]
    wanted = map(Requirement, project["dependencies"])
    (snakemake,) = [each.specifier for each in wanted if each.name == "snakemake"]
    text = (ROOT / "workflow/Snakefile").read_text(encoding="utf-8")
    lowest = re.search(r'^min_version\("([\d.]+)"\)', text, re.MULTILINE)[1]
    assert lowest in snakemake and "8.30" not in snakemake
    assert "9.99" in snakemake and "10.0" not in snakemake


def test_the_version_is_said_by_pyproject_alone():
    """It stood in four files. CITATION.cff follows (`make generated`), the package asks what is
    installed, and the build takes that of pyproject.toml."""
    version = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "version"
    ]
    assert hedgerow.__version__ == version, "call `make setup`"
    with pytest.raises(ValueError, match="0 lines of the citation"):
        cited("title: none", version)
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("no git repository")
    said = ["git", "grep", "-lwiE", f"version[^a-z0-9]*{re.escape(version)}"]
    done = subprocess.run(said, cwd=ROOT, capture_output=True, text=True)
    packages = {file.relative_to(ROOT).as_posix() for file in PROJECTS}
    assert set(done.stdout.split()) == {"CITATION.cff", *packages}


def test_of_the_reports_only_their_page_is_tracked():
    """So that the folder is there in a fresh clone, and a run leaves the checkout clean."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("no git repository")
    paths = ["README.md", "manifest.json", "html/index.html", "tables/README.md"]
    paths = [f"reports/{name}" for name in paths]
    command = ["git", "check-ignore", "--no-index", *paths]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert done.stdout.splitlines() == paths[1:]


def test_the_manual_keeps_its_text_around_the_table():
    schema = config_schema()
    manual = (ROOT / "config/README.md").read_text(encoding="utf-8")
    assert settings_table(schema) in manual
    assert filled(manual, SETTINGS, settings_table(schema)) == manual
    assert filled("a\n<b>\nold\n<e>\nz", ("<b>", "<e>"), "new") == "a\n<b>\nnew\n<e>\nz"
    with pytest.raises(ValueError, match="no place for what is made"):
        filled("no marks", SETTINGS, "")


def test_default_configuration_and_manual_follow_from_the_plans():
    """The schema is made of them: a default or a meaning that changes there changes everywhere."""
    schema = config_schema()
    setting = schema["properties"]["soft"]["properties"]["n_folds"]
    setting |= {"default": 7, "description": "Folds | parts.", "minimum": 3}
    assert yaml.safe_load(default_configuration(schema))["soft"]["n_folds"] == 7
    row = "| `soft.n_folds` | whole number >= 3 and <= 100000 | `7` | Folds \\| parts. |"
    assert row in settings_table(schema).splitlines()


def test_what_is_out_of_date_is_said(tmp_path, monkeypatch, capsys):
    for path in GENERATED:
        place = tmp_path / path.relative_to(ROOT)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(path.read_bytes())
    read = ["requirements.lock", "pyproject.toml", "config/datasets.yaml"]
    read += ["data/published/claims.csv", "data/reference/soft/soft_claims.csv"]
    for name in read:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, tmp_path / name)
    monkeypatch.chdir(tmp_path)
    # Here it knows the verdicts of one experiment only.
    assert main(["--write"]) == 0 and capsys.readouterr().out == "README.md: written\n"
    assert "| Nunes (2019) | 39 | 6 | 1 | 4 | 28 | 0 |" in Path("README.md").read_text()
    assert main([]) == 0 and not capsys.readouterr().out
    file = tmp_path / "config/default.yaml"
    file.write_text(file.read_text().replace("n_folds: 10", "n_folds: 11"))
    assert main([]) == 1
    assert capsys.readouterr().out == "config/default.yaml: out of date\n"
    assert main(["--write"]) == 0 and main([]) == 0
