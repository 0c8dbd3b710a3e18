"""Whole small runs: same bytes whatever the cores, chunks and kills, no needless work."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest
import yaml
from throwaway import SMOKE, Project, clean_environment, new_project

# What follows from what, rule by rule: the flow of the design.
PAGE = {"report", "manifest"}
REPORTED = {"soft_tables", "soft_figures", "soft_claims", "soft_page", *PAGE}
SCORES = {"soft_scores_tables", "soft_scores_figures", "soft_scores_page"}
AFTER_ROWS = {"soft_statistics", "soft_scores_statistics", *SCORES, *REPORTED}
SWEEP_REPORTED = {
    "soft_sweep_tables",
    "soft_sweep_figures",
    "soft_sweep_claims",
    "soft_sweep_page",
    *PAGE,
}
AFTER_SWEEP_NOISE = {"soft_sweep_grow", "soft_sweep_evaluate", *SWEEP_REPORTED}
ILLUSTRATION_REPORTED = {
    "soft_illustration_data",
    "soft_illustration_tables",
    "soft_illustration_figures",
    "soft_illustration_page",
    *PAGE,
}
BEYOND_REPORTED = {
    "soft_beyond_tables",
    "soft_beyond_figures",
    "soft_beyond_claims",
    "soft_beyond_page",
    *PAGE,
}
BEYOND_TESTED = {"soft_beyond_statistics", *BEYOND_REPORTED}
AFTER_BEYOND = {"soft_beyond_numeric", "soft_beyond_categories", *BEYOND_TESTED}
SEARCH_REPORTED = {"search_tables", "search_claims", "search_figures", "search_page", *PAGE}
AFTER_SEARCH = {
    "search_run",
    "search_merge",
    "search_running_times",
    "search_statistics",
    *SEARCH_REPORTED,
}
SEARCH_BEYOND_REPORTED = {
    "search_beyond_tables",
    "search_beyond_figures",
    "search_beyond_claims",
    "search_beyond_running_times",
    "search_beyond_page",
    *PAGE,
}
AFTER_SEARCH_BEYOND = {"search_beyond_statistics", *SEARCH_BEYOND_REPORTED}
STRUCTURE_REPORTED = {
    "structure_tables",
    "structure_claims",
    "structure_figures",
    "structure_page",
    *PAGE,
}
AFTER_DISTANCES = {"structure_cluster", "structure_statistics", *STRUCTURE_REPORTED}
AFTER_FORESTS = {"structure_compare", *AFTER_DISTANCES}
STRUCTURE_BEYOND_REPORTED = {
    "structure_beyond_tables",
    "structure_beyond_figures",
    "structure_beyond_claims",
    "structure_beyond_page",
    *PAGE,
}
AFTER_STRUCTURE_BEYOND = {
    "structure_beyond_run",
    "structure_beyond_statistics",
    *STRUCTURE_BEYOND_REPORTED,
}
#: No claim depends on how a configuration is called.
CLAIMS = {
    "soft_claims",
    "soft_sweep_claims",
    "soft_beyond_claims",
    "search_claims",
    "search_beyond_claims",
    "structure_claims",
    "structure_beyond_claims",
}
AFTER_TREES = {"soft_prune", "soft_evaluate", *AFTER_ROWS}
AFTER_LEARNING = {"soft_running_times", *AFTER_TREES}
AFTER_NOISE = {"soft_learn", *AFTER_LEARNING}


def test_smoke_makes_every_file_of_the_flow(smoke):
    made = smoke.made()
    for dataset in ("haberman", "bupa", "wine"):
        for path in (
            f"data/tidy/{dataset}.parquet",
            f"data/noised/soft/{dataset}/splits.parquet",
            f"data/calibrated/soft/{dataset}.parquet",
            f"data/trees/soft/{dataset}/grown.parquet",
            f"data/trees/soft/{dataset}/pruned.parquet",
            f"data/results/soft/{dataset}.parquet",
        ):
            assert path in made
    for dataset in ("haberman", "bupa"):
        assert f"data/results/soft_sweep/{dataset}.parquet" in made
    for name in ("soft_sweep", "soft_sweep_ranges", "soft_scores", "soft_ranks"):
        assert f"reports/tables/{name}.csv" in made
    for name in ("noise_models", "class_noise", "categorical_noise"):
        assert f"reports/tables/soft_beyond_{name}.csv" in made
    for name in ("gap", "rules", "progress"):
        assert f"reports/tables/search_beyond_{name}.csv" in made
    for number in (1, 2, 3, 4, 7, 8):
        assert f"reports/tables/thesis_figure_3_{number}_data.csv" in made
    for dataset in ("wdbc", "synthetic_search_4"):
        for path in (
            f"data/results/search/{dataset}.parquet",
            f"data/results/search/properties/{dataset}.parquet",
            f"data/trees/search/{dataset}/trees.parquet",
            f"data/trees/search/{dataset}/tuning.parquet",
        ):
            assert path in made
    for name in ("distances", "examples", "scripts", "closeness", "labels", "statistics"):
        assert f"data/results/structure/{name}/wdbc.parquet" in made
    assert "data/results/structure/wdbc.parquet" in made
    assert "data/trees/structure/wdbc/trees.parquet" in made
    for name in ("examples", "closeness"):
        assert f"reports/tables/structure_{name}.csv" in made
    for name in ("variants", "questions", "prototypes", "ensembles", "stability"):
        assert f"reports/tables/structure_beyond_{name}.csv" in made
    for name in ("forests", "trees", "grown"):
        assert f"data/trees/structure_beyond/bupa/000-001_{name}.parquet" in made
    for name in ("search_splits", "thesis_table_4_1", "thesis_table_4_7"):
        assert f"reports/tables/{name}.csv" in made
    for rule in CLAIMS:
        assert f"data/results/{rule.removesuffix('_claims')}/claims.parquet" in made
    assert "reports/html/index.html" in made
    rows = pd.read_parquet(smoke.path / "data/results/soft/bupa.parquet")
    assert list(rows.columns) == [
        "experiment",
        "dataset",
        "permutation",
        "noise",
        "method",
        "metric",
        "value",
    ]
    assert not rows["value"].isna().any()
    assert not list(smoke.path.rglob("*.part*")), "files written beside their target are left over"


def test_nothing_to_do_after_a_run(smoke):
    assert smoke.planned(*SMOKE) == {}


def test_one_core_other_chunks_other_entry_give_the_same_bytes(smoke, tmp_path):
    """Neither the number of cores, nor how permutations are cut, nor the entry changes a byte."""
    other = new_project(tmp_path / "plain")
    settings = other.settings("soft: {chunk: 2}\nsearch: {chunk: 2}\nstructure: {chunk: 2}")
    done = other.snakemake("--snakefile", "workflow/Snakefile", "--cores", "1", *settings)
    assert done.returncode == 0, done.stderr
    expected, found = smoke.made(), other.made()

    def comparable(made):
        # The manifest names the chunk size among the settings; its checksums are compared below.
        return {k: v for k, v in made.items() if "/chunks/" not in k and "manifest" not in k}

    assert comparable(found) == comparable(expected)
    manifests = [json.loads((p.path / "reports/manifest.json").read_text()) for p in (smoke, other)]
    assert manifests[0]["outputs"] == manifests[1]["outputs"]
    assert manifests[0]["inputs"] == manifests[1]["inputs"]


def test_killed_run_is_resumed_by_the_same_command(smoke, tmp_path):
    """A run killed half-way leaves its lock; the command sees it, resumes, and the bytes agree."""
    project = new_project(tmp_path / "killed")
    command = [sys.executable, "-m", "hedgerow.workflow.run", "--cores", "2", *SMOKE]
    run = subprocess.Popen(
        command,
        cwd=project.path,
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    trees = project.path / "data/trees/soft"
    deadline = time.monotonic() + 120
    while len(list(trees.glob("*/chunks/*/grown.parquet"))) < 2:
        assert run.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline, "the run did not get half-way in time"
        time.sleep(0.02)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    locks = list((project.path / ".snakemake/locks").glob("*.lock"))
    assert locks, "a killed run leaves its lock"
    tidy = {p: p.stat().st_mtime_ns for p in (project.path / "data/tidy").glob("*.parquet")}

    blocked = project.snakemake("--cores", "1", "--rerun-incomplete", *SMOKE)
    assert blocked.returncode != 0
    assert "unlock" in blocked.stderr, "the plain command names the remedy"

    resumed = project.python(*command[1:])
    assert resumed.returncode == 0, resumed.stderr
    assert "taken up again" in resumed.stdout
    assert "reports/html/index.html" in resumed.stdout
    assert {p: p.stat().st_mtime_ns for p in tidy} == tidy, "finished files are not made again"
    assert not list((project.path / ".snakemake").glob("locks/*"))
    assert project.made() == smoke.made()


@pytest.mark.parametrize(
    ("setting", "rerun"),
    [
        ("soft: {factors: [0.1, 0.2]}", AFTER_NOISE),
        (
            "soft: {noise_factors: [0, 0.1, 0.2]}",
            {"soft_noise", *AFTER_NOISE, *AFTER_SWEEP_NOISE, *AFTER_BEYOND},
        ),
        (
            "soft: {n_folds: 4}",
            {"soft_noise", "soft_calibrate", *AFTER_NOISE, *AFTER_SWEEP_NOISE, *AFTER_BEYOND},
        ),
        ("soft: {target_leaves: [10, 5]}", {"soft_calibrate", *AFTER_NOISE, *AFTER_BEYOND}),
        (
            "soft: {step: 0.2}",
            {"soft_calibrate", *AFTER_NOISE, *AFTER_SWEEP_NOISE, *AFTER_BEYOND},
        ),
        ("soft_beyond: {noise_factors: [0.1]}", AFTER_BEYOND - {"soft_beyond_categories"}),
        ("soft_beyond: {category_noise: [0.4]}", AFTER_BEYOND - {"soft_beyond_numeric"}),
        ("soft: {chunk: 2}", AFTER_NOISE),
        ("search_beyond: {depths: [2]}", {"search_beyond_optimum", *AFTER_SEARCH_BEYOND}),
        ("search_beyond: {widening: [0.3]}", {"search_beyond_selection", *AFTER_SEARCH_BEYOND}),
        ("search_beyond: {grid: [1, 10]}", {"search_beyond_anytime", *AFTER_SEARCH_BEYOND}),
        (
            "structure: {n_trees: 30}",
            {"structure_learn", *AFTER_FORESTS, *AFTER_STRUCTURE_BEYOND},
        ),
        ("structure: {correlated_above: 0.9}", AFTER_FORESTS | AFTER_STRUCTURE_BEYOND),
        ("structure: {n_clusters: 3}", AFTER_DISTANCES | AFTER_STRUCTURE_BEYOND),
        ("structure_beyond: {factor: 0.2}", AFTER_STRUCTURE_BEYOND),
        (
            "structure_beyond: {patterns_depth: 2}",
            {"structure_beyond_forest", *STRUCTURE_BEYOND_REPORTED} - CLAIMS,
        ),
        ("structure: {n_bootstrap: 30}", {"structure_statistics", *STRUCTURE_REPORTED}),
        ("soft_sweep: {factor: 0.2}", AFTER_SWEEP_NOISE),
        ("soft_sweep: {confidences: [0, 0.5, 1]}", AFTER_SWEEP_NOISE - {"soft_sweep_grow"}),
        ("soft_illustration: {factor: 0.2}", {"soft_illustration_results", *ILLUSTRATION_REPORTED}),
        ("search: {n_iterations: 100}", AFTER_SEARCH),
        (
            "search: {alphas: [0.01]}",
            {"search_beyond_anytime", *AFTER_SEARCH_BEYOND, *AFTER_SEARCH},
        ),
        ("search: {property_folds: 3}", {"search_properties", *SEARCH_REPORTED}),
        ("experiments: [soft, soft_scores]", PAGE),
    ],
)
def test_a_changed_setting_reruns_what_depends_on_it(smoke, setting, rerun):
    planned = smoke.planned(*smoke.settings(setting))
    assert set(planned) == rerun


def test_a_new_name_of_the_configuration_makes_the_report_only(smoke):
    """Captions state the name; so tables and figures are made again, with the same numbers."""
    reported = {
        *REPORTED,
        *ILLUSTRATION_REPORTED,
        *SWEEP_REPORTED,
        *SCORES,
        *BEYOND_REPORTED,
        *SEARCH_REPORTED,
        *SEARCH_BEYOND_REPORTED,
        *STRUCTURE_REPORTED,
        *STRUCTURE_BEYOND_REPORTED,
    }
    planned = set(smoke.planned(*SMOKE, "--config", "configuration=mine"))
    assert planned == reported - {"soft_illustration_data"} - CLAIMS


def test_another_mirror_makes_no_result_again(smoke):
    assert set(smoke.planned(*SMOKE, "--config", "mirror=somewhere")) == {"manifest"}


def test_another_data_set_leaves_the_others_alone(smoke):
    planned = smoke.planned(*smoke.settings("soft: {datasets: [haberman, bupa, wine, pima]}"))
    per_set = {rule: n for rule, n in planned.items() if rule not in AFTER_ROWS}
    assert per_set == {
        "fetch": 1,
        "tidy": 1,
        "soft_noise": 1,
        "soft_calibrate": 1,
        "soft_learn": 2,
        "soft_running_times": 1,
        "soft_prune": 1,
        "soft_evaluate": 1,
    }
    assert set(planned) - set(per_set) == AFTER_ROWS


def test_another_data_set_of_the_search_leaves_the_others_alone(smoke):
    planned = smoke.planned(
        *smoke.settings("search: {datasets: [wdbc, synthetic_search_4, synthetic_search_3]}")
    )
    assert {rule: n for rule, n in planned.items() if rule not in AFTER_SEARCH} == {
        "fetch": 1,
        "tidy": 1,
        "search_properties": 1,
    }
    assert (planned["search_run"], planned["search_merge"]) == (2, 1)


def test_a_note_in_the_registry_makes_no_result_again(smoke):
    registry = smoke.path / "config/datasets.yaml"
    text = registry.read_text()
    content = yaml.safe_load(text)
    content["datasets"]["wine"]["note"] = "A remark."
    try:
        registry.write_text(yaml.safe_dump(content, sort_keys=False))
        assert set(smoke.planned(*SMOKE)) == {"manifest"}
    finally:
        registry.write_text(text)


@pytest.mark.parametrize("name", ["report.html", "report.zip"])
def test_snakemakes_own_report(smoke, tmp_path, name):
    done = smoke.snakemake(*SMOKE, "--report", str(tmp_path / name))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / name).stat().st_size > 100_000


def test_the_manifest_tells_where_each_set_came_from(smoke):
    manifest = json.loads((smoke.path / "reports/manifest.json").read_text())
    assert {k: v["file_of"] for k, v in manifest["sources"].items()} == {
        "bupa": "bupa",
        "haberman": "haberman",
        "saheart": "saheart",
        "synthetic_lvef": "synthetic_lvef",
        "synthetic_search_4": "synthetic_search_4",
        "wdbc": "wdbc",
        "wine": "wine",
    }
    made = smoke.made()
    listed = {**manifest["inputs"], **manifest["outputs"]}
    assert "reports/README.md" in made and "reports/README.md" not in listed  # it is no result
    for name, checksum in listed.items():
        if name in made:
            assert made[name] == checksum


def test_a_failing_job_says_one_line_and_leaves_no_half_written_file(smoke_data, project: Project):
    """A mirror with a truncated file stops the run with the file's name and the remedy."""
    mirror = project.path / "mirror"
    (mirror / "haberman").mkdir(parents=True)
    (mirror / "haberman" / "haberman.data").write_text("30,64,1,1\n")
    done = project.snakemake(
        "--cores", "1", "data/tidy/haberman.parquet", HEDGEROW_MIRROR=str(mirror)
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("fetch: ")]
    assert done.returncode != 0
    assert lines and "haberman" in lines[0] and "checksum" in lines[0]
    assert "Traceback" not in done.stderr
    assert "Traceback" in (project.path / "data/logs/fetch/haberman.log").read_text()
    assert not (project.path / "data/raw/haberman").exists() or not list(
        (project.path / "data/raw/haberman").iterdir()
    )


def test_a_removed_result_is_made_again_as_it_was(smoke):
    before = smoke.made()
    (smoke.path / "data/results/soft/wine.parquet").unlink()
    done = smoke.snakemake("--cores", "2", *SMOKE)
    assert done.returncode == 0, done.stderr
    assert smoke.made() == before


def test_a_mirror_gives_the_same_tables(smoke_data, tmp_path):
    """Where a file came from does not change a byte of the tidy tables."""
    mirror = os.environ.get("HEDGEROW_MIRROR")
    if not mirror:
        pytest.skip("HEDGEROW_MIRROR is not set")
    targets = [f"data/tidy/{dataset}.parquet" for dataset in ("haberman", "bupa", "wine")]
    found = []
    for name, variable in (("with", mirror), ("without", "")):
        project = new_project(tmp_path / name)
        done = project.snakemake("--cores", "2", *targets, HEDGEROW_MIRROR=variable)
        if name == "without" and "no source answered" in done.stderr:
            pytest.skip("without the mirror no source of these sets answers here")
        assert done.returncode == 0, done.stderr
        served = json.loads((project.path / "data/raw/wine/source.json").read_text())["source"]
        assert (served == "mirror") is (name == "with")
        found.append([(project.path / target).read_bytes() for target in targets])
    assert found[0] == found[1]
