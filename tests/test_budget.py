"""How many lines each package has: a number that only falls."""

from __future__ import annotations

from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
#: Lines of code, declarations, rules and templates. A larger number needs a reason in CHANGELOG.
BUDGET = {
    "hedgerow": 49_545,
    "hedgerow_study": 46_825,
    "hedgerow_clinic": 11_225,
    "hedgerow_data": 97,
}
#: Folders of a package beside its own in src.
ALSO = {"hedgerow_study": ("workflow",)}
SUFFIXES = {".py", ".pyi", ".pyx", ".pxd", ".h", ".smk", ".j2", ".js", ".css"}
#: From so many lines on, what a package has shrunk by is taken off its number.
SHRUNK = 500


def lines_of(package: str) -> int:
    """Lines of the files of a package, blank ones and comments included."""
    folders = (ROOT / "src" / package, *(ROOT / folder for folder in ALSO.get(package, ())))
    files = [file for folder in folders for file in folder.rglob("*")]
    files = [f for f in files if f.suffix in SUFFIXES or f.name == "Snakefile"]
    files = [f for f in files if "build" not in f.relative_to(ROOT).parts]
    return sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)


@pytest.mark.parametrize("package", BUDGET)
def test_no_package_grows_in_silence(package):
    lines = lines_of(package)
    assert lines <= BUDGET[package], "take something away, or say in CHANGELOG why it has to grow"
    assert lines > BUDGET[package] - SHRUNK, f"it has shrunk: write {lines}"
