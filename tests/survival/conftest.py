"""Tests of cohorts that only a mirror of the data sets has."""

import os

import pytest


def pytest_collection_modifyitems(items):
    if not os.environ.get("HEDGEROW_MIRROR"):
        reason = "needs the data sets of a local mirror: HEDGEROW_MIRROR is not set"
        for item in items:
            if "mirror" in item.keywords:
                item.add_marker(pytest.mark.skip(reason=reason))
