"""The manifest: checksums, versions, code, settings, and nothing that changes by itself."""

import hashlib
import json
import shutil
import subprocess

import pytest

from hedgerow_study.reporting import manifest as manifests

SETTINGS = {"configuration": "made-up", "seed": 1, "soft": {"datasets": ["b", "a"]}}


@pytest.fixture
def project(tmp_path):
    (tmp_path / "data").mkdir()
    for name in ("data/raw.csv", "data/seeds.parquet", "report.html"):
        (tmp_path / name).write_text(name)
    return tmp_path


def _build(project):
    return manifests.manifest(
        project,
        ["data/raw.csv"],
        iter(["report.html", "data/seeds.parquet"]),
        SETTINGS,
        {"b": "package", "a": "mirror"},
        ["c"],
    )


def test_files_are_listed_with_their_checksums(project):
    content = _build(project)
    assert content["inputs"] == {"data/raw.csv": hashlib.sha256(b"data/raw.csv").hexdigest()}
    assert list(content["outputs"]) == ["data/seeds.parquet", "report.html"]
    assert content["seeds"]["tables"] == ["data/seeds.parquet"]
    assert (content["seeds"]["global"], content["absent"]) == (1, ["c"])
    assert list(content["sources"]) == ["a", "b"]


def test_absolute_paths_are_named_from_the_root(project):
    found = manifests.checksums(project, [project / "data" / "raw.csv"])
    assert list(found) == ["data/raw.csv"]


def test_the_same_state_gives_the_same_text(project):
    first, second = (manifests.to_json(_build(project)) for _ in range(2))
    assert first == second
    assert json.loads(first)["configuration"] == SETTINGS
    assert str(project) not in first


def test_versions_of_packages():
    versions = manifests.package_versions()
    assert {"numpy", "pandas"} <= set(versions)
    assert list(versions) == sorted(versions)


def test_a_missing_file_is_an_error(project):
    with pytest.raises(FileNotFoundError):
        manifests.checksums(project, ["nowhere"])


# ------------------------------------------------------------------------------------- jobs

JOBS = {
    "chunk:a": {"rule": "chunk", "inputs": ["data/raw.csv"], "outputs": ["data/chunk.parquet"]},
    "report": {
        "rule": "report",
        "inputs": ["data/chunk.parquet", "data/gone.parquet"],
        "outputs": ["report.html", "data/seeds.parquet", "data/jobs/times.csv"],
    },
    "gone": {"rule": "gone", "inputs": ["data/raw.csv"], "outputs": ["data/gone.parquet"]},
}


def test_each_file_leads_to_its_job_and_what_lies_between_has_a_checksum(project):
    (project / "data/chunk.parquet").write_text("chunk")
    content = manifests.manifest(
        project,
        ["data/raw.csv"],
        ["report.html", "data/seeds.parquet"],
        SETTINGS,
        {},
        jobs=JOBS,
        given={"files": ["config/smoke.yaml"]},
    )
    assert content["version"] == manifests.VERSION
    assert content["jobs"] == JOBS
    assert content["made_by"]["data/seeds.parquet"] == "report"
    assert content["made_by"]["data/chunk.parquet"] == "chunk:a"
    # Running times differ from run to run; what is not kept is named without a checksum.
    assert content["between"] == {
        "data/chunk.parquet": hashlib.sha256(b"chunk").hexdigest(),
        "data/gone.parquet": None,
    }
    assert content["given"] == {"files": ["config/smoke.yaml"]}


def test_sums_are_those_that_sha256sum_checks(project):
    (project / "data/chunk.parquet").write_text("chunk")
    content = manifests.manifest(
        project, ["data/raw.csv"], ["report.html"], SETTINGS, {}, jobs=JOBS
    )
    text = manifests.to_json(content)
    (project / "reports").mkdir()
    (project / "reports/manifest.json").write_text(text)
    (project / "reports/SHA256SUMS").write_text(manifests.sums(content, text))
    names = [line.split("  ")[1] for line in manifests.sums(content, text).splitlines()]
    assert names == [
        "data/chunk.parquet",
        "data/raw.csv",
        "data/seeds.parquet",
        "report.html",
        "reports/manifest.json",
    ]
    if shutil.which("sha256sum"):
        check = ["sha256sum", "--check", "--quiet", "--strict", "reports/SHA256SUMS"]
        assert subprocess.run(check, cwd=project).returncode == 0
        (project / "report.html").write_text("another")
        assert subprocess.run(check, cwd=project, capture_output=True).returncode == 1
