"""R gives the tables that our tests of survival compare with, where it is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

SURVIVAL = Path(__file__).parents[1] / "learner/survival"
TABLES = ("reference", "competing", "treated", "adjusted", "entry", "means", "population")


@pytest.mark.long
@pytest.mark.skipif(shutil.which("Rscript") is None, reason="R is not installed")
@pytest.mark.skipif("HEDGEROW_MIRROR" not in os.environ, reason="HEDGEROW_MIRROR names no mirror")
def test_r_gives_the_same_tables(tmp_path):
    folder = shutil.copytree(SURVIVAL, tmp_path / "tests/learner/survival")
    (tmp_path / "config").symlink_to(SURVIVAL.parents[2] / "config")
    for name in TABLES:
        (folder / f"{name}.csv").unlink()
    subprocess.run([sys.executable, folder / "make_reference.py"], check=True, cwd=folder)
    for name in TABLES:
        before, now = (pd.read_csv(place / f"{name}.csv") for place in (SURVIVAL, folder))
        numbers = before.select_dtypes("number").columns
        assert before.drop(columns=numbers).equals(now.drop(columns=numbers))
        np.testing.assert_allclose(now[numbers], before[numbers], rtol=1e-6, atol=1e-9)
