"""Names that docstrings, documents and templates give in backticks exist."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from hedgerow_study.experiments import WORDS
from hedgerow_study.workflow.jobs.digest import PACKAGE, STUDY
from hedgerow_study.workflow.jobs.rules import rules_of

ROOT = Path(__file__).parents[1]
TEXTS = [*PACKAGE.parent.rglob("*.py"), *PACKAGE.parent.rglob("*.j2"), *ROOT.glob("*.md")]
TEXTS = sorted([*TEXTS, *(ROOT / "docs").rglob("*.md"), *(ROOT / "config").glob("*.md")])
#: Where a path in a text may begin.
FOLDERS = (ROOT, PACKAGE, STUDY, PACKAGE.parent, ROOT / "workflow")
#: A page that adds files to a copy of the project, which `test_workflow_example.py` does.
ADDS = ROOT / "docs/researcher.md"


def exists(name: str) -> bool:
    """Whether a dotted name is a module of the package or something in one."""
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:n]))
        except ModuleNotFoundError:
            continue
        for attribute in parts[n:]:
            if not hasattr(found, attribute):
                return False
            found = getattr(found, attribute)
        return True
    return False


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.stem)
def test_names_in_backticks_exist(path):
    named = re.findall(r"(?<!`)`(hedgerow(?:\.\w+)+)", path.read_text(encoding="utf-8"))
    # A hook of the build writes `_core_digest`; names of shell commands begin with a blank.
    lost = sorted({name for name in named if not exists(name)})
    assert not lost


@pytest.mark.parametrize("path", [t for t in TEXTS if t != ADDS], ids=lambda path: path.stem)
def test_paths_in_backticks_exist(path):
    named = re.findall(
        r"(?<!`)`(\w[\w.-]*/[\w./-]+\.(?:py|pyx|pxd|smk|j2|md|yaml))`", path.read_text()
    )
    assert not [n for n in named if not any((folder / n).exists() for folder in FOLDERS)]


def test_rules_in_backticks_exist():
    rules = {*rules_of(ROOT), "all", *WORDS}
    for path in TEXTS:
        named = set(re.findall(r"rules? `(\w+)`", path.read_text(encoding="utf-8")))
        assert named <= rules, f"{path.name}: {sorted(named - rules)}"
