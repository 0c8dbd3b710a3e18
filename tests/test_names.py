"""Names of the package that docstrings and documents give in backticks exist."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from hedgerow.workflow.digest import PACKAGE

ROOT = Path(__file__).parents[1]
TEXTS = sorted([*PACKAGE.rglob("*.py"), *ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])


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
