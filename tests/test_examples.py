"""Every example of a docstring gives what it says."""

import doctest
import importlib
import pkgutil

import pytest

import hedgerow

MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(hedgerow.__path__, "hedgerow.")
    if not module.name.split(".")[-1].startswith("_")
)


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=doctest.ELLIPSIS)
    assert failed == 0


def test_there_are_examples():
    """The walk finds the estimators' examples: an empty walk would pass everything."""
    found = doctest.DocTestFinder().find(importlib.import_module("hedgerow.induction.c45"))
    assert any(test.examples for test in found)
    assert "hedgerow.uncertainty.soft" in MODULES
