"""The forger is played: scripts of tests/study/audit/forgeries against a copy of the smoke run.

`python tests/study/audit/forgeries/play.py RUN` plays them one by one on any finished run.
"""

from __future__ import annotations

import re
import shutil
import sys
import sysconfig
from importlib import import_module
from pathlib import Path

import pytest
from throwaway import ROOT

from hedgerow import cli
from hedgerow._stamp import compiled
from hedgerow_study.audit import cores
from hedgerow_study.reporting import manifest
from hedgerow_study.reporting.manifest import core_checksums

SCRIPTS = ROOT / "tests/study/audit/forgeries"
sys.path.insert(0, str(SCRIPTS))
NAMES = sorted(file.stem for file in SCRIPTS.glob("?_*.py"))
FORGERIES = [import_module(name) for name in NAMES]
CORE, PTH = (next(one for one in FORGERIES if one.__name__[0] == letter) for letter in "jk")
OF_REFERENCES = [one for one in FORGERIES if hasattr(one, "FOLDER")]
#: Those of a run alone: neither of the environment nor of results at full scale.
OF_A_RUN = [one for one in FORGERIES if one not in (CORE, PTH, *OF_REFERENCES)]
PAGE = (ROOT / "docs/security.md").read_text(encoding="utf-8")


def test_the_page_names_every_forgery_and_its_test():
    table = [line for line in PAGE.splitlines() if line.startswith("| ")]
    own = "".join(
        line for line in table if "tests/study/workflow/test_workflow_forgeries.py" in line
    )
    assert re.findall(r"\(([a-z])\)", own) == [name[0] for name in NAMES]
    assert all(re.search(r"`(tests/[\w/.]+|make fuzz)`", line) for line in table[2:])


@pytest.fixture
def run(smoke, tmp_path, monkeypatch):
    """A copy of the run, which a forger may change; the run itself is the reader's checkout."""
    for module in ("verify", "run"):
        monkeypatch.setattr(f"hedgerow_study.audit.{module}.local_checkout", lambda: smoke.path)
    shutil.copytree(smoke.path, tmp_path / "run", symlinks=True)
    return tmp_path / "run"


@pytest.fixture
def environment(tmp_path, monkeypatch):
    """Compiled cores and packages in places of their own, which a forger may change."""
    monkeypatch.setattr(sysconfig, "get_path", lambda name: str(tmp_path / "site"))
    for name in ("site", "cores"):
        (tmp_path / name).mkdir()
    honest, copies = core_checksums(), {}
    for name, file in compiled().items():
        copies[name] = Path(shutil.copy(file, tmp_path / "cores"))
    built = {copies[name].name: digest for name, digest in honest.items()}
    monkeypatch.setattr(cores, "_build_checksums", lambda checkout: built)
    monkeypatch.setattr("hedgerow_study.audit.verify.check_cores", cores.check_cores)
    for module in (import_module("j_core"), cores, manifest):
        monkeypatch.setattr(module, "compiled", lambda: copies)


def said(capsys) -> str:
    """All that a command has written, on one line."""
    written = capsys.readouterr()
    return " ".join((written.out + written.err).split())


@pytest.mark.runs
@pytest.mark.usefixtures("packages_unread")
@pytest.mark.parametrize("command", ["trace", "verify --no-cheap"])
def test_each_is_found_by_itself(run, capsys, command):
    """All passed with a plain "holds"."""
    for forgery in OF_A_RUN:
        if not " ".join(forgery.COMMAND).startswith(command):
            continue
        before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
        forgery.forge(run)
        place = ["--project", str(run)] if command == "trace" else [str(run)]
        cli.main([*forgery.COMMAND, *place])
        answer = said(capsys)
        assert re.search(forgery.ANSWER, answer), (forgery.__doc__, answer[-2000:])
        for path, content in before.items():
            if not path.is_file() or path.read_bytes() != content:
                path.write_bytes(content)


@pytest.mark.runs
@pytest.mark.usefixtures("packages_unread", "environment")
def test_those_that_take_a_rebuild_are_found_together(run, capsys):
    """One after another would take minutes; each has its own answer."""
    own = [forgery for forgery in [*OF_A_RUN, CORE] if forgery.COMMAND == ("verify",)]
    for forgery in own:
        forgery.forge(run)
    assert cli.main(["verify", str(run)]) == 1
    answer = said(capsys)
    for forgery in own:
        assert re.search(forgery.ANSWER, answer), (forgery.__doc__, answer[-5000:])


@pytest.mark.runs
@pytest.mark.usefixtures("environment")
def test_a_file_beside_the_packages_is_found(run, capsys):
    """A `.pth` that no package lists ran in every interpreter, the auditor's as well."""
    undo = PTH.forge(run)
    assert cli.main([*PTH.COMMAND, str(run)]) == 1
    assert re.search(PTH.ANSWER, answer := said(capsys)), answer[-2000:]
    undo()


@pytest.mark.runs
@pytest.mark.parametrize("forgery", OF_REFERENCES, ids=lambda forgery: forgery.__name__)
def test_those_of_results_at_full_scale_are_found(tmp_path, capsys, forgery):
    """A table rested on the manifest beside it, and a draw on nobody's word."""
    kept = Path("data/reference")
    shutil.copytree(ROOT / kept / "evidential", tmp_path / kept / "evidential")
    shutil.copy(ROOT / kept / "spot_checks.json", tmp_path / kept)
    forgery.forge(tmp_path)
    cli.main([*forgery.COMMAND, str(tmp_path / forgery.FOLDER)])
    assert re.search(forgery.ANSWER, answer := said(capsys)), answer[-2000:]
