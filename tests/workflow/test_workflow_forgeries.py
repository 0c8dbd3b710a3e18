"""The forger is played: scripts of tests/audit/forgeries against a copy of the smoke run.

`python tests/audit/forgeries/play.py RUN` plays them one by one on any finished run.
"""

from __future__ import annotations

import re
import shutil
import sys
from importlib import import_module

import pytest
from throwaway import ROOT

from hedgerow import cli

SCRIPTS = ROOT / "tests/audit/forgeries"
sys.path.insert(0, str(SCRIPTS))
NAMES = sorted(file.stem for file in SCRIPTS.glob("?_*.py"))
PAGE = (ROOT / "docs/security.md").read_text(encoding="utf-8")


def test_the_page_names_every_forgery_and_its_test():
    table = [line for line in PAGE.splitlines() if line.startswith("| ")]
    own = "".join(line for line in table if "tests/workflow/test_workflow_forgeries.py" in line)
    assert re.findall(r"\(([a-z])\)", own) == [name[0] for name in NAMES]
    assert all(re.search(r"`(tests/[\w/.]+|make fuzz)`", line) for line in table[2:])


@pytest.fixture
def run(smoke, tmp_path, monkeypatch):
    """A copy of the run, which a forger may change; the run itself is the reader's checkout."""
    for module in ("verify", "run"):
        monkeypatch.setattr(f"hedgerow.audit.{module}.own_checkout", lambda: smoke.path)
    shutil.copytree(smoke.path, tmp_path / "run", symlinks=True)
    return tmp_path / "run"


@pytest.mark.runs
@pytest.mark.usefixtures("packages_unread")
@pytest.mark.parametrize("command", ["trace", "verify --no-cheap"])
def test_each_is_found_by_itself(run, capsys, command):
    """All passed with a plain "holds"."""
    for name in NAMES:
        forgery = import_module(name)
        if not " ".join(forgery.COMMAND).startswith(command):
            continue
        before = {path: path.read_bytes() for path in run.rglob("*") if path.is_file()}
        forgery.forge(run)
        place = ["--project", str(run)] if command == "trace" else [str(run)]
        cli.main([*forgery.COMMAND, *place])
        said = capsys.readouterr()
        said = " ".join((said.out + said.err).split())
        assert re.search(forgery.ANSWER, said), (name, said[-2000:])
        for path, content in before.items():
            if not path.is_file() or path.read_bytes() != content:
                path.write_bytes(content)


@pytest.mark.runs
@pytest.mark.usefixtures("packages_unread")
def test_those_that_take_a_rebuild_are_found_together(run, capsys):
    """One after another would take minutes; each has its own answer."""
    own = [import_module(name) for name in NAMES]
    own = [forgery for forgery in own if forgery.COMMAND == ("verify",)]
    for forgery in own:
        forgery.forge(run)
    assert cli.main(["verify", str(run)]) == 1
    said = " ".join(capsys.readouterr().out.split())
    for forgery in own:
        assert re.search(forgery.ANSWER, said), (forgery.__doc__, said[:5000])
