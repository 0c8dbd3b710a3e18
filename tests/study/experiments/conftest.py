"""Small tables and a small plan, run once for all tests of the experiment."""

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from hedgerow.data import TidyTable
from hedgerow_study.experiments.soft import plan as soft_plan
from hedgerow_study.experiments.soft import steps as soft_steps


def pytest_collection_modifyitems(items):
    """No experiment is warned by the learners that it calls, whatever its data."""
    quiet = pytest.mark.filterwarnings("error::hedgerow.errors.HedgerowWarning")
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(quiet)


def _wine() -> TidyTable:
    bunch = load_wine(as_frame=True)
    # Two numeric variables that overlap, one with holes, one categorical: quick and not trivial.
    X = bunch.data[["alcohol", "malic_acid", "ash"]].astype(float)
    X.loc[::9, "malic_acid"] = np.nan
    bands = pd.cut(bunch.data["hue"], 3, labels=["low", "middle", "high"])
    X["hue"] = pd.Categorical(bands, categories=["low", "middle", "high"])
    return TidyTable("wine", X, bunch.target.to_numpy().astype(np.int64), ["0", "1", "2"], "class")


def _samples(n_samples: int = 3) -> TidyTable:
    """A set of disjoint samples, like the synthetic sets of chapter 3."""
    generator = np.random.default_rng(5)
    y = np.tile(np.repeat([0, 1], 20), n_samples)
    X = pd.DataFrame(generator.normal(10, 1, (len(y), 2)) + y[:, None], columns=["a", "b"])
    sample = np.repeat(np.arange(n_samples), 40)
    return TidyTable("drawn", X, y, ["0", "1"], "class", sample=sample)


@pytest.fixture(scope="session")
def wine():
    return _wine()


@pytest.fixture(scope="session")
def drawn():
    return _samples()


@pytest.fixture(scope="session")
def plan():
    return soft_plan.SoftPlan(
        datasets=("wine",),
        seed=3,
        n_repeats=2,
        n_folds=3,
        noise_factors=(0, 0.05, 0.2),
        uncertainties=(0.1, 0.3),
        methods=soft_plan.METHODS,
        n_samples=20,
    )


def run(table, plan):
    """Every step of the flow."""
    noised = soft_steps.noise(table, plan)
    calibration = soft_steps.calibrate(table, plan)
    learnt = soft_steps.learn(table, noised, calibration, plan)
    pruned = soft_steps.prune(learnt["trees"], noised, calibration, learnt["tuning"], table, plan)
    rows = soft_steps.evaluate(pruned, learnt["tuning"], noised, table, plan)
    return SimpleNamespace(
        table=table, noised=noised, calibration=calibration, pruned=pruned, rows=rows, **learnt
    )


@pytest.fixture(scope="session")
def run_of():
    """Every step of the flow, as a function of a table and a plan."""
    return run


@pytest.fixture(scope="session")
def wine_run(wine, plan):
    return run(wine, plan)
