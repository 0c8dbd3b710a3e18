"""Whole small runs: same bytes whatever the cores, chunks and kills, no needless work."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest
from throwaway import ROOT, SMOKE, Project, clean_environment, new_project
from wiring import sets_of

from hedgerow.data import load_registry
from hedgerow_study.experiments import WORDS
from hedgerow_study.reporting.checkout import is_workflow
from hedgerow_study.workflow.jobs.steps import declared_by, having, shown_path

pytestmark = pytest.mark.runs


def test_smoke_makes_every_file_of_the_flow(smoke):
    made = smoke.made()
    # What is noised, grown and pruned is kept beside what is shown.
    for path in (
        "data/noised/soft/bupa/chunks/001-001/splits.parquet",
        "data/calibrated/soft/bupa.parquet",
        "data/trees/soft/bupa/grown.parquet",
        "data/trees/soft/bupa/pruned.parquet",
        "data/trees/search/wdbc/trees.parquet",
        "data/trees/structure/wdbc/trees.parquet",
        "data/trees/diverse_trees/bupa/001-001_grown.parquet",
        "data/trees/confidence/vehicle_000-000.parquet",
        "data/trees/evidential/iris_001-001.parquet",
        "data/trees/missing/wine_000-000.parquet",
    ):
        assert path in made
    for word in WORDS:
        shown = [declared for declared in declared_by(word) if declared.kind != "step"]
        paths = {shown_path(declared) for declared in shown}
        paths |= {f"reports/captions/{declared.name}.rst" for declared in shown}
        paths |= {path.replace(".svg", end) for path in paths for end in (".csv", ".png")}
        assert paths <= made.keys()
        assert f"reports/html/{word}.html" in made
    for word in having("claims"):
        assert f"data/results/{word}/claims.parquet" in made
    assert "reports/html/index.html" in made
    rows = pd.read_parquet(smoke.path / "data/results/soft/bupa.parquet")
    assert list(rows.columns) == [
        "experiment",
        "dataset",
        "repeat",
        "noise",
        "method",
        "metric",
        "value",
    ]
    assert not rows["value"].isna().any()
    assert not list(smoke.path.rglob("*.part*")), "files written beside their target are left over"


def test_killed_and_resumed_with_one_core_other_chunks_other_entry_gives_the_same_bytes(
    smoke, tmp_path
):
    """A run killed half-way leaves its lock; the command sees it, resumes, and the bytes agree.

    Neither the number of cores, nor how repeats are cut, nor the entry changes a byte.
    """
    project = new_project(tmp_path / "killed")
    settings = project.settings("soft: {chunk: 2}\nsearch: {chunk: 2}\nstructure: {chunk: 2}")
    entry = ("--snakefile", "workflow/Snakefile")
    command = ["-m", "hedgerow_study.workflow.run", *entry, "--cores", "1", *settings]
    run = subprocess.Popen(
        [sys.executable, *command],
        cwd=project.path,
        env=clean_environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )
    deadline = time.monotonic() + 900
    while len(list((project.path / "data/trees").rglob("*.parquet"))) < 2:
        assert run.poll() is None, "the run ended before it could be killed"
        assert time.monotonic() < deadline, "the run did not get half-way in time"
        time.sleep(0.02)
    os.killpg(run.pid, signal.SIGKILL)
    run.wait()
    locks = list((project.path / ".snakemake/locks").glob("*.lock"))
    assert locks, "a killed run leaves its lock"
    tidy = {p: p.stat().st_mtime_ns for p in (project.path / "data/tidy").glob("*.parquet")}

    blocked = project.forked(*entry, "--cores", "1", "--rerun-incomplete", *settings)
    assert blocked.returncode != 0
    assert "unlock" in blocked.stderr, "the plain command names the remedy"

    resumed = project.python(*command)
    assert resumed.returncode == 0, resumed.stderr
    assert "taken up again" in resumed.stdout
    assert "reports/html/index.html" in resumed.stdout
    assert {p: p.stat().st_mtime_ns for p in tidy} == tidy, "finished files are not made again"
    assert not list((project.path / ".snakemake").glob("locks/*"))

    def comparable(made):
        # The manifest names the chunk size among the settings, and the sums name chunks; checksums
        # are compared below.
        apart = ("/chunks/", "manifest", "SHA256SUMS")
        return {k: v for k, v in made.items() if not any(part in k for part in apart)}

    assert comparable(project.made()) == comparable(smoke.made())
    ours, theirs = (
        json.loads((p.path / "reports/manifest.json").read_text()) for p in (project, smoke)
    )
    assert ours["outputs"] == theirs["outputs"]
    assert ours["inputs"] == theirs["inputs"]
    own, others = (uncut(manifest) for manifest in (ours, theirs))
    assert own == others and len(own["jobs"]) > 100 and len(own["between"]) > 10


def uncut(manifest):
    """Jobs and files on the way that do not depend on how repeats are cut."""
    jobs = {
        id: job
        for id, job in manifest["jobs"].items()
        if not any(re.search(r"\d{3}-\d{3}", path) for path in job["inputs"] + job["outputs"])
    }
    between = {p: v for p, v in manifest["between"].items() if manifest["made_by"][p] in jobs}
    return {"jobs": jobs, "between": between}


def test_a_chain_leads_from_every_output_to_what_was_read(smoke):
    """And only there: raw data stand beside the record of their fetching, which reads nothing."""
    manifest = json.loads((smoke.path / "reports/manifest.json").read_text())
    jobs, made_by = manifest["jobs"], manifest["made_by"]
    read = set()
    for output in manifest["outputs"]:
        pending, seen = [output], set()
        while pending:
            path = pending.pop()
            if path in seen:
                continue
            seen.add(path)
            if path not in made_by:
                read.add(path)
                continue
            job = jobs[made_by[path]]
            assert path in job["outputs"]
            assert len(job["settings"]) == 64
            # The bytes that fetch writes are checked, whatever code fetched them.
            assert job["rule"] == "fetch" or len(job["code"]) == 64
            assert re.fullmatch(rf"{job['rule']}(:.+)?", made_by[path])
            if job["rule"] == "fetch":
                name = made_by[path].partition(":")[2]
                read.add(f"data/raw/{name}/{name}.data")
            else:
                assert job["inputs"], f"{made_by[path]} is made of nothing"
            pending += job["inputs"]
    # The registry as a whole is read for the report, and entry by entry for all else.
    workflow = {path for path in manifest["code"]["files"] if is_workflow(path)}
    assert {"Snakefile", "workflow/Snakefile", "workflow/rules/soft.smk"} < workflow
    assert read | workflow | {"config/datasets.yaml"} == set(manifest["inputs"])
    assert manifest["given"]["files"] == ["config/default.yaml", "config/smoke.yaml"]


def test_an_audit_of_the_run_holds(smoke):
    audit = "verify(checkout='.').to_dict()"
    code = (
        f"import json; from hedgerow_study.audit.verify import verify; print(json.dumps({audit}))"
    )
    done = smoke.python("-c", code)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["counts"].keys() == {"identical"}
    checks = {check["name"]: check for check in found["checks"] if not check["holds"]}
    # Its environment has the packages of another one by a file of the tests.
    assert checks.pop("installed packages")["messages"][0].endswith(
        ".pth, which interpreters run or import."
    )
    # A copy of the workflow has neither commits nor sources.
    assert list(checks) == ["commit", "compiled cores", "jobs not rerun"]
    assert {check["holds"] for check in checks.values()} == {None}
    if shutil.which("sha256sum"):
        check = ["sha256sum", "--check", "--quiet", "--strict", "reports/SHA256SUMS"]
        assert subprocess.run(check, cwd=smoke.path).returncode == 0


@pytest.mark.parametrize("name", ["report.html", "report.zip"])
def test_snakemakes_own_report(smoke, tmp_path, name):
    done = smoke.forked(*SMOKE, "--report", str(tmp_path / name))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / name).stat().st_size > 100_000


def test_the_manifest_tells_where_each_set_came_from(smoke):
    manifest = json.loads((smoke.path / "reports/manifest.json").read_text())
    used = set().union(*(sets_of(word, "smoke") for word in WORDS))
    registry = load_registry(ROOT / "config/datasets.yaml")
    files = {key: source["dataset"] for key, source in manifest["sources"].items()}
    assert files == {key: registry[key].base.key for key in used}
    assert files["ecoli3"] == "ecoli"  # a variant has its parent's file
    made = smoke.made()
    listed = {**manifest["inputs"], **manifest["outputs"]}
    assert "reports/README.md" in made and "reports/README.md" not in listed  # it is no result
    for name, checksum in listed.items():
        if name in made:
            assert made[name] == checksum


def test_a_failing_job_says_one_line_and_leaves_no_half_written_file(smoke_data, project: Project):
    """A mirror with another file stops the run with the file's name and the two remedies."""
    mirror = project.path / "mirror"
    (mirror / "haberman").mkdir(parents=True)
    (mirror / "haberman" / "haberman.data").write_text("30,64,1,1\n")
    done = project.snakemake(
        "--cores", "1", "data/tidy/haberman.parquet", HEDGEROW_MIRROR=str(mirror)
    )
    lines = [line for line in done.stderr.splitlines() if line.startswith("fetch: ")]
    assert done.returncode != 0
    assert lines and "haberman" in lines[0] and "hedgerow data adopt haberman" in lines[0]
    assert "Traceback" not in done.stderr
    assert "Traceback" in (project.path / "data/logs/fetch/haberman.log").read_text()
    assert not (project.path / "data/raw/haberman").exists() or not list(
        (project.path / "data/raw/haberman").iterdir()
    )


def test_a_mirror_gives_the_same_tables(smoke, tmp_path):
    """Where a file came from does not change a byte of the tidy tables."""
    if not os.environ.get("HEDGEROW_MIRROR"):
        pytest.skip("HEDGEROW_MIRROR is not set")
    targets = [f"data/tidy/{dataset}.parquet" for dataset in ("haberman", "bupa", "wine")]
    without = new_project(tmp_path / "without")
    done = without.snakemake("--cores", "2", *targets, HEDGEROW_MIRROR="")
    if "no source answered" in done.stderr:
        pytest.skip("without the mirror no source of these sets answers here")
    assert done.returncode == 0, done.stderr
    for project, mirrored in ((smoke, True), (without, False)):
        served = json.loads((project.path / "data/raw/wine/source.json").read_text())["source"]
        assert (served == "mirror") is mirrored
    for target in targets:
        assert (without.path / target).read_bytes() == (smoke.path / target).read_bytes()
