"""Signing a run, and putting it into an archive."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import subprocess
import zipfile

import pytest
from audit.made_up import INPUTS, OUTPUTS, SETTINGS, change, check_of, write_records
from reporting.shown import ROOT

from hedgerow import cli
from hedgerow.files import read_text
from hedgerow_study.audit.verify import verify
from hedgerow_study.reporting.crate import at_root, crate


def test_a_run_is_signed_by_the_tool_that_auditors_have(project, tmp_path):
    """Signing by code of our own (500 lines) had to be believed first."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("there is no ssh-keygen")
    key, sums = tmp_path / "key", project / "reports/SHA256SUMS"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    sign, check = re.findall(r"^ssh-keygen -Y .*", read_text(ROOT / "docs/manifest.md"), re.M)
    sign = sign.partition("#")[0].replace("KEY", str(key))
    subprocess.run(sign, shell=True, check=True, cwd=project, capture_output=True)
    (tmp_path / "allowed").write_text(f"us {key.with_suffix('.pub').read_text()}")
    check = check.replace("allowed", str(tmp_path / "allowed"))
    assert subprocess.run(check, shell=True, cwd=project, capture_output=True).returncode == 0
    assert verify(project, cheap=False).holds, "no manifest lists the signature"
    sums.write_text(sums.read_text().replace("0", "1", 1))
    assert subprocess.run(check, shell=True, cwd=project, capture_output=True).returncode != 0


CITATION = {"title": "a: b", "license": "BSD-3-Clause", "authors": [{"name": "us"}]}


@pytest.fixture
def crated(project):
    """The project with a crate among its results."""
    made = crate(project, dict.fromkeys(INPUTS), OUTPUTS, SETTINGS, {}, CITATION)
    (project / "reports/ro-crate-metadata.json").write_text(made)
    (project / "workflow").mkdir()
    (project / "workflow/Snakefile").write_text("")
    (project / "README.md").write_text("# A project\n")
    (project / "docs/notes").mkdir(parents=True)
    (project / "docs/notes/soft.md").write_text("# Notes\n")
    write_records(project, ["reports/ro-crate-metadata.json"])
    return project


def test_an_archive_is_a_crate_of_all_that_it_names(crated, tmp_path, capsys):
    """The crate lay in a folder, and named what lies beside it by paths that lead out of it."""
    (crated / "reports/SHA256SUMS.sig").write_text("a signature\n")
    files = [tmp_path / name for name in ("one.zip", "two.zip")]
    for file in files:
        command = ["archive", str(file), "--project", str(crated)]
        assert cli.main(command) == 1, "outside of git nothing gives a day"
        assert "give --date" in capsys.readouterr().err
        assert cli.main([*command, "--date", "2026-11-24"]) == 0
        assert (
            f"SHA-256: {hashlib.sha256(file.read_bytes()).hexdigest()}" in capsys.readouterr().out
        )
    assert files[0].read_bytes() == files[1].read_bytes()
    assert cli.main([*command, "--date", "2026-11-24"]) == 1
    assert "is there already" in capsys.readouterr().err
    assert cli.main([*command, "--date", "yesterday", "--force"]) == 1
    unzipped = tmp_path / "unzipped"
    with zipfile.ZipFile(files[0]) as archive:
        assert archive.namelist() == sorted(archive.namelist())
        archive.extractall(unzipped)
    content = json.loads((unzipped / "ro-crate-metadata.json").read_text())
    entities = {entity["@id"]: entity for entity in content["@graph"]}
    assert entities["./"]["datePublished"] == "2026-11-24"
    assert entities["./"]["mainEntity"] == {"@id": "workflow/Snakefile"}
    parts = {part["@id"] for part in entities["./"]["hasPart"]}
    data = {name for name, entity in entities.items() if "File" in entity["@type"]}
    assert parts == data and {"README.md", "reports/tables/t.csv", "data/raw/a/a.data"} <= data
    assert "docs/notes/soft.md" in data, "pages of claims come from it"
    assert all((unzipped / path).is_file() for path in data)
    assert (unzipped / "reports/SHA256SUMS.sig").is_file()
    found = verify(unzipped, cheap=False)
    assert {file.verdict for file in found.files} == {"identical"}
    # It is the reader's own; a document and the crate at its root were held by no checksum.
    assert check_of(found, "documents").holds
    (unzipped / "README.md").write_text("# Another\n")
    check = check_of(verify(unzipped, cheap=False), "documents")
    assert check.holds is None and check.messages[0].startswith(
        "README.md: not those of your checkout"
    )
    (unzipped / "ro-crate-metadata.json").write_text(json.dumps({"@graph": [{"@id": "./"}]}))
    check = check_of(verify(unzipped, cheap=False), "documents")
    assert check.holds is False and "ro-crate-metadata.json is not that" in check.messages[0]
    # The crate of this made-up project is made by no job.
    bad = [check.name for check in found.checks if check.holds is False]
    assert bad == ["chain to what was read"]


def test_a_run_that_is_not_whole_is_not_archived(crated, tmp_path, capsys):
    change(crated / "reports/tables/t.csv")
    assert cli.main(["archive", str(tmp_path / "a.zip"), "--project", str(crated)]) == 1
    assert "not whole" in capsys.readouterr().err
    assert not (tmp_path / "a.zip").exists()


def test_at_root_leaves_addresses_and_the_given_date():
    graph = [
        {"@id": "./", "@type": "Dataset", "hasPart": [{"@id": "../a.csv"}, {"@id": "b.csv"}],
         "datePublished": "2026-01-02"},
        {"@id": "ro-crate-metadata.json", "about": {"@id": "./"}},
        {"@id": "#run", "result": {"@id": "b.csv"}, "license": {"@id": "https://example.org/x"}},
    ]  # fmt: skip
    moved = {e["@id"]: e for e in at_root({"@graph": graph}, "2026-11-24")["@graph"]}
    assert moved["./"]["hasPart"] == [{"@id": "a.csv"}, {"@id": "reports/b.csv"}]
    assert moved["./"]["datePublished"] == "2026-01-02"
    assert moved["#run"]["result"] == {"@id": "reports/b.csv"}
    assert moved["#run"]["license"] == {"@id": "https://example.org/x"}
