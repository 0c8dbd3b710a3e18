"""Fixtures of made-up results, to test tables, figures and pages only."""

import hashlib
from pathlib import Path
from types import SimpleNamespace

import pandas as pd
import pytest
import yaml
from legible import faults
from made_rows import PLAN, SETS, calibrated, made_up_rows, printed

from hedgerow.showing import figures
from hedgerow_study.experiments.soft import figures as soft_figures
from hedgerow_study.experiments.soft import statistics as soft_statistics
from hedgerow_study.experiments.soft import tables as soft_tables

ROOT = Path(__file__).parents[3]


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


@pytest.fixture(scope="session")
def root():
    return ROOT


@pytest.fixture(scope="session")
def specification():
    """config/claims.yaml, as a step gets it."""
    return yaml.safe_load((ROOT / "config/claims.yaml").read_text(encoding="utf-8"))


@pytest.fixture(scope="session")
def statements():
    return pd.read_csv(ROOT / "data/published/claims.csv")


@pytest.fixture(scope="session")
def plan():
    return PLAN


@pytest.fixture(scope="session")
def rows(plan):
    return made_up_rows(plan)


@pytest.fixture(scope="session")
def published():
    return printed()


@pytest.fixture(scope="session")
def made_up(rows, plan, published, tmp_path_factory):
    """Everything that the report is built from, as the workflow writes it."""
    folder = tmp_path_factory.mktemp("reports")
    statistics = soft_statistics.wilcoxon_tests(rows, plan)
    sizes = pd.DataFrame(
        [(name, 8, 300, 30 if "synthetic" in name else 1, 2) for name in SETS],
        columns=["dataset", "n_variables", "n_instances", "n_sets", "n_classes"],
    )
    tables = {
        "thesis_table_3_1": soft_tables.of_sizes(
            sizes, calibrated(), published["thesis_table_3_1"], plan
        )
    }
    for name in ("thesis_table_3_4", "thesis_table_3_5"):
        function = getattr(soft_tables, name)
        tables[name] = function(rows, statistics, published, plan)
    tables["soft_combined"] = soft_tables.soft_combined(rows, statistics)
    scores, comparison = (
        f(rows, plan) for f in (soft_statistics.scores, soft_statistics.comparison)
    )
    tables["soft_scores"] = soft_tables.soft_scores(rows, scores, plan)
    tables["soft_ranks"] = soft_tables.soft_ranks(comparison)
    drawn = {}
    for name in ("3_5", "3_6", "3_9", "3_10"):
        name = f"thesis_figure_{name}"
        drawn[name] = folder / f"{name}.svg"
        figures.save(getattr(soft_figures, name)(rows, plan), drawn[name])
    drawn["soft_critical_difference"] = folder / "soft_critical_difference.svg"
    ranked = soft_figures.soft_critical_difference(tables["soft_ranks"], plan)
    figures.save(ranked, drawn["soft_critical_difference"])
    return SimpleNamespace(tables=tables, figures=drawn, statistics=statistics)
