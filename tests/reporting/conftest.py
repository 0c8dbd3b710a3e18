"""Rows of an experiment that was never run: MADE UP, to test tables, figures and pages only."""

import hashlib
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import yaml
from legible import faults

from hedgerow.experiments.soft import figures as soft_figures
from hedgerow.experiments.soft import plan as soft_plan
from hedgerow.experiments.soft import statistics as soft_statistics
from hedgerow.experiments.soft import tables as soft_tables
from hedgerow.reporting import figures

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session", autouse=True)
def legible():
    """Every figure that a test of the report writes can be read at the width of a page.

    Words of 4 pixels, numbers on each other and names cut at the edge were found by looking.
    """
    save = figures.save
    seen = set()

    def checked(figure, path):
        save(figure, path)
        drawn = hashlib.sha256(Path(path).read_bytes()).digest()
        if drawn not in seen:
            assert faults(figure) == [], Path(path).name
        seen.add(drawn)

    figures.save = checked
    yield
    figures.save = save


#: Six sets of table 3.1, one outside of it; `spectf` is asked for and absent.
SETS = ("pima", "wdbc", "bupa", "haberman", "dermatology", "synthetic_soft_4", "wine")


def _made_up_values(generator, noise, experiment):
    """Leaves and accuracy that fall the way the thesis says, with noise of their own."""
    loss = noise * (0.1 if experiment == "training_noise" else 0.2)
    leaves = 14 + (8 * noise if experiment == "training_noise" else 0) + generator.normal(0, 2)
    values = {}
    for method, fewer, gain in (
        ("c45", 0, 0),
        ("ss", 3, 0.01),
        ("stp", 6, 0.02),
        ("se", 0, -0.02),
        ("plt", 0, -0.01),
        ("udt", -1, 0.005),
        ("ss_stp", 7, 0.02),
        ("stp_se", 6, 0.01),
    ):
        values[method, "n_leaves"] = float(max(1, round(leaves) - fewer))
        values[method, "accuracy"] = 0.8 - loss + gain + generator.normal(0, 0.005)
        if method not in ("c45", "plt"):
            values[method, "factor"] = float(generator.choice((0.1, 0.3)))
    return values


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def specification():
    """config/claims.yaml, as a step gets it."""
    return yaml.safe_load((ROOT / "config/claims.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def stated():
    return pd.read_csv(ROOT / "data/published/claims.csv")


@pytest.fixture(scope="session")
def plan():
    return soft_plan.SoftPlan(
        datasets=(*SETS, "spectf"),
        configuration="made-up",
        seed=1,
        n_permutations=4,
        noise_factors=(0, 0.05, 0.5),
        factors=(0.1, 0.3),
        methods=(*soft_plan.PRINTED, "ss_stp", "stp_se"),
    )


@pytest.fixture(scope="session")
def rows(plan):
    generator = np.random.default_rng(2)
    cells = []
    for dataset in SETS:
        for permutation in range(plan.n_permutations):
            for noise in plan.noise_factors:
                clean = None
                for experiment in soft_plan.EXPERIMENTS:
                    values = clean or _made_up_values(generator, noise, experiment)
                    clean = values if noise == 0 else None
                    cells += [
                        (experiment, dataset, permutation, noise, method, metric, value)
                        for (method, metric), value in values.items()
                    ]
    frame = pd.DataFrame(cells, columns=[*soft_plan.CELL, "metric", "value"])
    # Wine's leaves never vary: no unit, so that it is left out of one metric.
    constant = (frame["dataset"] == "wine") & (frame["metric"] == "n_leaves")
    frame.loc[constant & (frame["method"] == "c45"), "value"] = 5.0
    return frame


@pytest.fixture(scope="session")
def published():
    return {
        path.stem: pd.read_csv(path) for path in (ROOT / "data/published").glob("thesis_table_3_*")
    }


@pytest.fixture(scope="session")
def made_up(rows, plan, published, tmp_path_factory):
    """Everything that the report is built from, as the workflow writes it."""
    folder = tmp_path_factory.mktemp("reports")
    statistics = soft_statistics.statistics(rows, plan)
    sizes = pd.DataFrame(
        [(name, 8, 300, 30 if "synthetic" in name else 1, 2) for name in SETS],
        columns=["dataset", "n_variables", "n_instances", "n_sets", "n_classes"],
    )
    calibrated = pd.DataFrame(
        [(name, 15.0, 0.123, 14.9, True) for name in SETS],
        columns=["dataset", "target_leaves", "confidence", "mean_leaves", "reached"],
    )
    tables = {
        "thesis_table_3_1": soft_tables.of_sizes(
            sizes, calibrated, published["thesis_table_3_1"], plan
        )
    }
    for name in ("thesis_table_3_4", "thesis_table_3_5"):
        function = getattr(soft_tables, name)
        tables[name] = function(rows, statistics, published, plan)
    tables["soft_combined"] = soft_tables.soft_combined(rows, statistics)
    drawn = {}
    for name in ("3_5", "3_6", "3_9", "3_10"):
        name = f"thesis_figure_{name}"
        drawn[name] = folder / f"{name}.svg"
        figures.save(getattr(soft_figures, name)(rows, plan), drawn[name])
    return SimpleNamespace(tables=tables, figures=drawn, statistics=statistics)
