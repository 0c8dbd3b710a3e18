"""Every example of a docstring, and of a document, gives what it says."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest

import hedgerow
import hedgerow_clinic
import hedgerow_study

MODULES = sorted(
    module.name
    for package in (hedgerow, hedgerow_study, hedgerow_clinic)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if not module.name.split(".")[-1].startswith("_")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0


PAGES = [
    page
    for page in sorted((Path(__file__).parents[1] / "docs").rglob("*.md"))
    if ">>> " in page.read_text(encoding="utf-8")
]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_examples_of_documents(page):
    failed, tried = doctest.testfile(str(page), module_relative=False, encoding="utf-8")
    assert failed == 0 and tried


def test_there_are_examples():
    """The walk finds the estimators' examples: an empty walk would pass everything."""
    found = doctest.DocTestFinder().find(importlib.import_module("hedgerow.induction.c45"))
    assert any(test.examples for test in found)
    assert {"hedgerow.uncertainty.soft", "hedgerow_study.reporting.html"} <= {*MODULES}
    assert "confidence" in [page.stem for page in PAGES]
