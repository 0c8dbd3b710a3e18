"""Reference results: parts made one by one, merged by one command, refused when they differ."""

import hashlib
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from throwaway import new_project

from hedgerow.audit.kept import verify_kept
from hedgerow.errors import DataError
from hedgerow.files import read_parquet, write_parquet
from hedgerow.workflow.reference import (
    collect,
    compare,
    judge_again,
    merge,
    read_parts,
    rows_digest,
)

pytestmark = pytest.mark.runs

SETTINGS = """
configuration: tiny
experiments: [soft]
soft:
  datasets: [bupa, haberman, wine]
  methods: [c45, ss, se, plt, udt]
  n_permutations: 2
  n_folds: 2
  noise_factors: [0, 0.2]
  factors: [0.2]
  n_samples: 10
  chunk: 1
"""


#: Chapter 4 without the search itself: what is not run has no measured cell.
SEARCH = """
configuration: little
experiments: [search]
search:
  datasets: [pima, synthetic_search_4, wdbc]
  n_splits: 2
  methods: [c45, ete]
  further_methods: [c45]
  n_folds: 2
  confidences: [0.1]
  alphas: [0.01]
  alpha_folds: 2
  population_size: 4
  n_generations: 2
  property_folds: 2
  n_forest_trees: 5
  chunk: 1
"""


def _reference(project, *arguments, experiment="soft", configuration="tiny"):
    options = ("--configuration", configuration, "--out", "kept")
    return project.python("-m", "hedgerow.cli", "reference", experiment, *arguments, *options)


@pytest.fixture(scope="module")
def project(tmp_path_factory):
    """Two parts of three, made by two calls."""
    project = new_project(tmp_path_factory.mktemp("parts"))
    (project.path / "config/tiny.yaml").write_text(SETTINGS)
    for dataset, line in (("haberman", "1 of 3"), ("bupa", "2 of 3")):
        done = _reference(project, dataset)
        assert done.returncode == 0, done.stderr
        assert line in done.stdout
    return project


@pytest.fixture
def parts(project, tmp_path):
    """A copy of the parts, to be spoilt."""
    shutil.copytree(project.path / "kept/soft/parts", tmp_path / "parts")
    return tmp_path / "parts"


def test_what_is_not_there_is_named(project):
    folder = project.path / "kept/soft"
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["absent"] == ["wine"]
    sets = pd.read_csv(folder / "thesis_table_3_1.csv").set_index("dataset")["status"]
    assert (sets["bupa"], sets["wine"]) == ("run", "absent")
    table = pd.read_csv(folder / "thesis_table_3_4.csv")
    mean = table[table["dataset"] == "mean_over_datasets"]
    assert (mean["n_datasets"] == 2).all()
    assert mean["missing"].str.contains("pima").all()


def test_tables_are_those_of_one_run_over_the_same_sets(project):
    """Made apart and merged, or made together: the same numbers to the byte."""
    (project.path / "both.yaml").write_text("soft: {datasets: [bupa, haberman]}")
    files = ("--configfile", "config/tiny.yaml", "both.yaml")
    done = project.forked("--cores", "2", *files, "--", "soft_tables")
    assert done.returncode == 0, done.stderr
    for name in ("thesis_table_3_4", "thesis_table_3_5"):
        merged = (project.path / f"kept/soft/{name}.csv").read_bytes()
        assert merged == (project.path / f"reports/tables/{name}.csv").read_bytes()


def test_a_part_says_what_it_was_made_from(project):
    part = json.loads((project.path / "kept/soft/parts/bupa.json").read_text())
    assert part["settings"]["n_permutations"] == 2
    assert "datasets" not in part["settings"]
    assert part["size"]["n_instances"] == 345
    assert part["jobs"]["n_jobs"] == 6 and part["jobs"]["largest_mib"] > 0
    assert len(part["files"]) == 2


def test_files_of_another_configuration_are_no_part(project, tmp_path):
    """Its running times, cut otherwise, were added to those of the part, and so were its jobs."""
    for folder, suffix in (("times", "parquet"), ("learn", "tsv")):
        there = sorted((project.path / "data/jobs/soft" / folder).glob(f"bupa_*.{suffix}"))
        shutil.copy(there[0], there[0].with_name(f"bupa_000-008.{suffix}"))
    collect(project.path, "soft", ["bupa"], "tiny", tmp_path)
    kept = project.path / "kept/soft/parts"
    assert (tmp_path / "bupa_times.csv").read_text() == (kept / "bupa_times.csv").read_text()
    again = json.loads((tmp_path / "bupa.json").read_text())
    assert again["jobs"] == _recorded(project, "bupa")["jobs"]


def test_a_changed_part_is_refused(parts):
    rows = pd.read_parquet(parts / "bupa.parquet")
    rows.assign(value=rows["value"] + 1).to_parquet(parts / "bupa.parquet")
    with pytest.raises(DataError, match=r"bupa\.parquet is not the file"):
        read_parts(parts)


@pytest.mark.parametrize("content", ["{}", '{"files": {}}', '{"code": 1, "files": [1]}', "[", "1"])
def test_a_manifest_that_is_none_is_refused(parts, content):
    (parts / "bupa.json").write_text(content)
    with pytest.raises(DataError, match=r"bupa\.json is (no manifest of a part|damaged)"):
        read_parts(parts)


@pytest.mark.parametrize("key", ["settings", "code"])
def test_parts_that_were_made_differently_are_refused(parts, key):
    path = parts / "haberman.json"
    manifest = json.loads(path.read_text())
    changed = {"settings": {"n_permutations": 3}, "code": {"digest": "0" * 64}}[key]
    manifest[key] |= changed
    path.write_text(json.dumps(manifest))
    with pytest.raises(DataError, match=f"different {key}"):
        read_parts(parts)


def _recorded(project, dataset):
    return json.loads((project.path / f"kept/soft/parts/{dataset}.json").read_text())


@pytest.fixture
def reshaped(project):
    """Parts as code of another digest made them; afterwards they are as they were."""
    folder = project.path / "kept/soft"
    before = {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    for dataset in ("bupa", "haberman"):
        manifest = _recorded(project, dataset)
        manifest["code"]["digest"] = "0" * 64
        (folder / f"parts/{dataset}.json").write_text(json.dumps(manifest))
    yield project
    for path, content in before.items():
        path.write_bytes(content)


def test_two_parts_speak_for_the_others(reshaped):
    """They keep the digest that made them, and parts of today may join."""
    done = _reference(reshaped, "bupa", "haberman", "--compare")
    assert done.returncode == 0, done.stderr
    codes = [_recorded(reshaped, dataset)["code"] for dataset in ("bupa", "haberman")]
    today = rows_digest("soft")
    for code in codes:
        assert code["digest"] == "0" * 64
        assert code["equal"] == {"digest": today, "compared": ["bupa", "haberman"]}
    joined = _recorded(reshaped, "haberman")
    joined["code"] = {"digest": today}
    (reshaped.path / "kept/soft/parts/haberman.json").write_text(json.dumps(joined))
    assert len(read_parts(reshaped.path / "kept/soft/parts")[1]) == 2


@pytest.mark.parametrize(
    "key, value, culprit",
    [
        ("source", {"sha256": "0" * 64}, "data/raw/haberman/source.json"),
        ("settings", {"n_folds": 3}, "settings"),
    ],
)
def test_a_part_that_comes_out_otherwise_speaks_for_none(reshaped, key, value, culprit):
    parts = reshaped.path / "kept/soft/parts"
    for dataset in ("bupa", "haberman") if key == "settings" else ("haberman",):
        manifest = _recorded(reshaped, dataset)
        manifest[key] |= value
        (parts / f"{dataset}.json").write_text(json.dumps(manifest))
    with pytest.raises(DataError, match=re.escape(f"{culprit}: made again, not what")):
        compare(reshaped.path, "soft", ["bupa", "haberman"], "tiny", parts)
    assert "equal" not in _recorded(reshaped, "bupa")["code"]


def test_a_part_with_other_rows_speaks_for_none(reshaped):
    """A difference in the last digit of one value is one."""
    made = reshaped.path / "data/results/soft/haberman.parquet"
    before = made.read_bytes()
    rows = read_parquet(made)
    rows.loc[3, "value"] = np.nextafter(rows.loc[3, "value"], np.inf)
    write_parquet(made, rows)
    try:
        with pytest.raises(DataError, match=r"soft/haberman\.parquet: made again, not what"):
            compare(
                reshaped.path,
                "soft",
                ["bupa", "haberman"],
                "tiny",
                reshaped.path / "kept/soft/parts",
            )
    finally:
        made.write_bytes(before)


def test_a_part_without_a_seal_is_checked_against_its_manifest(reshaped, parts):
    """Those of former times have none."""
    path = parts / "bupa.parquet"
    read_parquet(path).to_parquet(path)
    manifest = json.loads((parts / "bupa.json").read_text())
    manifest["files"]["data/results/soft/bupa.parquet"] = hashlib.sha256(
        path.read_bytes()
    ).hexdigest()
    (parts / "bupa.json").write_text(json.dumps(manifest))
    assert len(read_parts(parts)[1]) == 2
    compare(reshaped.path, "soft", ["bupa", "haberman"], "tiny", parts)
    content = path.read_bytes()
    path.write_bytes(content[:200] + bytes([content[200] ^ 1]) + content[201:])
    with pytest.raises(DataError, match=r"bupa\.parquet is not the file"):
        read_parts(parts)


def test_one_part_does_not_speak_for_the_others(project):
    done = _reference(project, "bupa", "bupa", "--compare")
    assert done.returncode == 1 and "name two or more" in done.stderr


def test_no_part_at_all(project, tmp_path):
    with pytest.raises(DataError, match="holds no part"):
        merge(project.path, "soft", "tiny", tmp_path)


def test_an_unknown_set_is_told_in_one_line(project):
    done = _reference(project, "winee")
    assert done.returncode == 1
    assert done.stderr.startswith("hedgerow: `winee` is no data set of config/tiny.yaml")
    assert len(done.stderr.splitlines()) == 1


def test_parts_of_chapter_4(tmp_path):
    """Properties travel in the manifest; merged tables are those of one run."""
    project = new_project(tmp_path / "project")
    (project.path / "config/little.yaml").write_text(SEARCH)
    two = ("pima", "synthetic_search_4")
    done = _reference(project, *two, experiment="search", configuration="little")
    assert done.returncode == 0, done.stderr
    assert "2 of 3" in done.stdout
    folder = project.path / "kept/search"
    manifest = json.loads((folder / "manifest.json").read_text())
    assert manifest["absent"] == ["wdbc"]
    part = json.loads((folder / "parts/pima.json").read_text())
    assert part["properties"]["n_instances"] == 768 and part["settings"]["n_splits"] == 2
    table = pd.read_csv(folder / "thesis_table_4_5.csv").set_index("dataset")
    assert set(table.loc["pima", "status"]) == {"run"}
    assert set(table.loc["breast_cancer_wisconsin", "status"]) == {"absent"}
    assert (folder / "search_claims.csv").is_file() and (folder / "running_times.csv").is_file()

    (project.path / "both.yaml").write_text("search: {datasets: [pima, synthetic_search_4]}")
    files = ("--configfile", "config/little.yaml", "both.yaml")
    done = project.forked("--cores", "2", *files, "--", "search_tables")
    assert done.returncode == 0, done.stderr
    for name in ("thesis_table_4_7", "search_splits"):
        merged = pd.read_csv(folder / f"{name}.csv")
        whole = pd.read_csv(project.path / f"reports/tables/{name}.csv")
        # Data sets that this run does not ask for are absent from the parts.
        run = merged["status"] == "run"
        pd.testing.assert_frame_equal(merged[run], whole[whole["status"] == "run"])


SWEEP = """
configuration: brief
experiments: [soft_sweep]
soft:
  datasets: [bupa, haberman]
  n_permutations: 2
  n_folds: 2
  factors: [0.2]
  chunk: 1
soft_sweep:
  datasets: [bupa]
"""


def test_a_short_experiment_is_kept_whole(project):
    (project.path / "config/brief.yaml").write_text(SWEEP)
    done = _reference(project, experiment="soft_sweep", configuration="brief")
    assert done.returncode == 0, done.stderr
    assert "5 files (tables, figures, claims)" in done.stdout
    folder = project.path / "kept/soft_sweep"
    manifest = json.loads((folder / "manifest.json").read_text())
    assert set(manifest["outputs"]) == {p.name for p in folder.iterdir()} - {"manifest.json"}
    assert "soft_sweep_claims.csv" in manifest["outputs"]
    assert manifest["settings"]["datasets"] == ["bupa"]
    assert list(manifest["rows"]) == [
        "data/results/soft_sweep/bupa.parquet",
        "data/results/soft_sweep/claims.parquet",
    ]
    assert manifest["settings_of"]["soft"]["n_permutations"] == 2
    assert (folder / "thesis_figure_3_11.svg").read_bytes() == (
        project.path / "reports/figures/thesis_figure_3_11.svg"
    ).read_bytes()
    refused = _reference(project, "bupa", experiment="soft_sweep", configuration="brief")
    assert refused.returncode != 0 and "has no parts" in refused.stderr


def test_claims_are_judged_again_from_the_tables_that_are_kept(tmp_path):
    """A bound could not be changed at the scale of the papers without learning for hours."""
    root = Path(__file__).parents[2]
    kept = tmp_path / "soft_sweep"
    shutil.copytree(root / "data/reference/soft_sweep", kept)
    claims = kept / "soft_sweep_claims.csv"
    before = claims.read_bytes()
    claims.write_text("claim\n")
    manifest = judge_again(root, "soft_sweep", kept)
    assert claims.read_bytes() == before
    assert manifest["judged_by"]["code"]["digest"]
    assert verify_kept(kept).holds
    with pytest.raises(DataError, match="tables of missing do not hold all that its claims read"):
        judge_again(root, "missing", kept)
    (kept / "soft_sweep_ranges.csv").write_text("dataset\n")
    with pytest.raises(DataError, match=r"soft_sweep_ranges\.csv is not the file"):
        judge_again(root, "soft_sweep", kept)
