"""Signing a run, checking the signature, and putting the run into an archive."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import zipfile

import pytest
from audit import made_up
from audit.made_up import INPUTS, OUTPUTS, SETTINGS, change, git, write_records

from hedgerow import cli
from hedgerow.audit import verify_signature as plain
from hedgerow.audit.attest import (
    ATTESTATION,
    SSH_SIGNATURE,
    new_key,
    private_key,
    read_public_keys,
    ssh_verified,
)
from hedgerow.audit.verify import verify
from hedgerow.errors import DataError, InputError
from hedgerow.reporting.crate import at_root, crate

pytest.importorskip("cryptography")


@pytest.fixture
def key(tmp_path, project):
    """A new key outside of the project."""
    new_key(tmp_path / "keys/run", project)
    return tmp_path / "keys/run"


@pytest.fixture
def signed(project, key, capsys):
    """The project with a table of claims, signed."""
    (project / "reports/claims.csv").write_text("claim,verdict\nT3-01,reproduced\n")
    assert cli.main(["sign", str(project), "--key", str(key)]) == 0
    capsys.readouterr()
    return project


def check_of(found):
    return made_up.check_of(found, "signature")


def test_a_signed_run_holds_and_its_signature_is_listed_nowhere_as_strange(signed, key):
    """Nobody stood for a run: whoever edited it could make manifest and sums anew."""
    (signed / "reports/claims.csv").unlink()  # listed by no manifest of this project
    assert cli.main(["sign", str(signed), "--key", str(key)]) == 0
    found = verify(signed)
    assert found.holds and check_of(found).holds is None
    assert "not checked: give its public half" in check_of(found).said[0]
    found = verify(signed, keys=read_public_keys(key.with_suffix(".pub")))
    assert found.holds and check_of(found).holds
    other = key.with_name("other")
    new_key(other, signed)
    found = verify(signed, keys=read_public_keys(other.with_suffix(".pub")))
    assert check_of(found).said == [f"{ATTESTATION}: the signature is of none of the keys given."]
    assert not found.holds


def test_the_statement_is_in_totos_and_says_what_the_run_says(signed, key):
    envelope = json.loads((signed / ATTESTATION).read_text())
    payload, _ = plain.opened(envelope, read_public_keys(key.with_suffix(".pub")))
    told = json.loads(payload)
    assert told["_type"] == "https://in-toto.io/Statement/v1"
    sums = hashlib.sha256((signed / "reports/SHA256SUMS").read_bytes()).hexdigest()
    assert told["subject"] == [{"name": "reports/SHA256SUMS", "digest": {"sha256": sums}}]
    assert told["predicate"]["claims"] == {"T3-01": "reproduced"}
    assert told["predicate"]["code"] == {"commit": None, "changed": {}}
    assert told["predicate"]["configuration"]["name"] == "made-up"
    before = (signed / ATTESTATION).read_bytes(), (signed / SSH_SIGNATURE).read_bytes()
    assert cli.main(["sign", str(signed), "--key", str(key)]) == 0
    assert before == ((signed / ATTESTATION).read_bytes(), (signed / SSH_SIGNATURE).read_bytes())


def test_a_signature_of_an_earlier_run_is_told(signed, key):
    keys = read_public_keys(key.with_suffix(".pub"))
    (signed / "reports/tables/t.csv").write_text("another run\n")
    write_records(signed)
    check = check_of(verify(signed))
    assert check.holds is None and "It is of another run" in check.said[1]
    check = check_of(verify(signed, keys=keys))
    assert check.holds is False and "the list of checksums, manifest differ" in check.said[1]


@pytest.mark.parametrize("file", [ATTESTATION, SSH_SIGNATURE])
def test_a_spoilt_or_missing_signature(signed, key, file):
    keys = read_public_keys(key.with_suffix(".pub"))
    text = (signed / file).read_text()
    place = len(text) // 2
    other = "A" if text[place] != "A" else "B"
    (signed / file).write_text(text[:place] + other + text[place + 1 :])
    assert check_of(verify(signed, keys=keys)).holds is False
    (signed / ATTESTATION).write_text("{}")
    assert check_of(verify(signed)).holds is False
    (signed / ATTESTATION).unlink()
    assert "There is none" in check_of(verify(signed, keys=keys)).said[0]


def test_a_run_that_is_not_whole_is_not_signed(project, key, capsys):
    change(project / "reports/tables/t.csv")
    assert cli.main(["sign", str(project), "--key", str(key)]) == 1
    assert "not whole: reports/tables/t.csv (differs)" in capsys.readouterr().err


def test_a_run_of_a_changed_checkout_is_signed_on_demand_only(project, key, capsys):
    for command in (["init", "-q"], ["add", "config"], ["commit", "-qm", "all"]):
        git(project, *command)
    (project / "config/more.yaml").write_text("a: 1\n")
    write_records(project)
    assert cli.main(["sign", str(project), "--key", str(key)]) == 1
    assert "changed checkout" in capsys.readouterr().err
    assert cli.main(["sign", str(project), "--key", str(key), "--allow-changes"]) == 0


# ------------------------------------------------------------------------------------------ keys


def test_a_new_key_is_its_owners_alone_and_overwrites_nothing(project, key):
    assert key.stat().st_mode & 0o777 == 0o600
    with pytest.raises(InputError, match="is there already"):
        new_key(key, project)
    with pytest.raises(InputError, match="lies in the folder of the project"):
        new_key(project / "run", project)
    key.chmod(0o644)
    with pytest.raises(InputError, match="chmod 600"):
        private_key(key, input)


def test_keys_of_other_tools(tmp_path, project):
    serialization = pytest.importorskip("cryptography.hazmat.primitives.serialization")
    from cryptography.hazmat.primitives.asymmetric import ec, ed25519

    def written(secret, encryption):
        form = serialization.PrivateFormat.PKCS8
        file = tmp_path / "pem"
        file.write_bytes(secret.private_bytes(serialization.Encoding.PEM, form, encryption))
        file.chmod(0o600)
        return file

    secret = ed25519.Ed25519PrivateKey.generate()
    locked = serialization.BestAvailableEncryption(b"a word")
    plainly = serialization.NoEncryption()
    for encryption in (plainly, locked):
        read = private_key(written(secret, encryption), lambda: "a word")
        assert read.private_bytes_raw() == secret.private_bytes_raw()
    with pytest.raises(DataError, match="no key that can be read"):
        private_key(written(secret, locked), lambda: "another")
    with pytest.raises(DataError, match="no Ed25519 key"):
        private_key(written(ec.generate_private_key(ec.SECP256R1()), plainly), input)
    with pytest.raises(DataError, match="there is no key"):
        private_key(tmp_path / "nowhere", input)
    (tmp_path / "empty.pub").write_text("nothing")
    with pytest.raises(DataError, match="no public Ed25519 key"):
        read_public_keys(tmp_path / "empty.pub")


def test_ssh_keygen_agrees(signed, key, tmp_path):
    """It is what auditors have; we check its signatures, and it ours."""
    if shutil.which("ssh-keygen") is None:
        pytest.skip("there is no ssh-keygen")
    public = key.with_suffix(".pub").read_text()
    (tmp_path / "allowed").write_text(f"us {public}")
    command = ["ssh-keygen", "-Y", "verify", "-f", tmp_path / "allowed", "-I", "us", "-n", "file"]
    command += ["-s", signed / SSH_SIGNATURE]
    message = (signed / "reports/SHA256SUMS").read_bytes()
    assert subprocess.run(command, input=message, capture_output=True).returncode == 0
    assert subprocess.run(command, input=message + b"x", capture_output=True).returncode != 0
    subprocess.run(
        ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", tmp_path / "theirs"], check=True
    )
    (tmp_path / "text").write_bytes(message)
    theirs = ["ssh-keygen", "-Y", "sign", "-n", "file", "-f", tmp_path / "theirs"]
    subprocess.run([*theirs, tmp_path / "text"], check=True, capture_output=True)
    text, keys = (tmp_path / "text.sig").read_text(), read_public_keys(tmp_path / "theirs.pub")
    assert ssh_verified(message, text, keys)
    assert not ssh_verified(message + b"x", text, keys)
    assert cli.main(["sign", str(signed), "--key", str(tmp_path / "theirs"), "--force"]) == 0
    assert (signed / SSH_SIGNATURE).read_text() == text


def test_a_signature_by_another_key_is_kept(signed, key, tmp_path, capsys):
    """Signing again replaced the signature of whoever had signed before."""
    before = [(signed / path).read_bytes() for path in (ATTESTATION, SSH_SIGNATURE)]
    new_key(tmp_path / "other", signed)
    command = ["sign", str(signed), "--key", str(tmp_path / "other")]
    assert cli.main(command) == 1
    assert "it is by another key: move it, or add --force" in capsys.readouterr().err
    assert [(signed / path).read_bytes() for path in (ATTESTATION, SSH_SIGNATURE)] == before
    assert cli.main(["sign", str(signed), "--key", str(key)]) == 0, "one's own is made again"
    assert cli.main([*command, "--force"]) == 0
    assert (signed / ATTESTATION).read_bytes() != before[0]
    (signed / ATTESTATION).unlink()
    (signed / SSH_SIGNATURE).write_text("mine")
    assert cli.main(command) == 1 and (signed / SSH_SIGNATURE).read_text() == "mine"


def test_the_script_for_auditors(signed, key):
    command = [sys.executable, "-I", "-S", plain.__file__, signed / ATTESTATION]
    command += [key.with_suffix(".pub"), signed / "reports/SHA256SUMS"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "signature: valid" in done.stdout and "T3-01: reproduced" in done.stdout
    (signed / "reports/SHA256SUMS").write_text("other\n")
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 1 and "NOT THE SIGNED LIST" in done.stdout


# --------------------------------------------------------------------------------------- archive


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


def test_an_archive_is_a_crate_of_all_that_it_names(crated, key, tmp_path, capsys):
    """The crate lay in a folder, and named what lies beside it by paths that lead out of it."""
    assert cli.main(["sign", str(crated), "--key", str(key)]) == 0
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
    found = verify(unzipped, keys=read_public_keys(key.with_suffix(".pub")))
    assert {file.verdict for file in found.files} == {"identical"}
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
