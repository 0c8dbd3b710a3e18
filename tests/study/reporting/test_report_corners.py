"""Configurations that leave little to report: the page is still built, and says what is missing."""

import dataclasses

import pandas as pd
import pytest
from shown import captions_of, page_of

from hedgerow.showing import figures
from hedgerow_study.experiments.soft import claims as soft_claims
from hedgerow_study.experiments.soft import figures as soft_figures
from hedgerow_study.experiments.soft import page as soft_page
from hedgerow_study.experiments.soft import statistics as soft_statistics
from hedgerow_study.experiments.soft import tables as soft_tables
from hedgerow_study.reporting.tables import MEAN

pytestmark = pytest.mark.slow


def _report(rows, plan, published, folder):
    statistics = soft_statistics.wilcoxon_tests(rows, plan)
    names = sorted(set(rows["dataset"]))
    sizes = pd.DataFrame({"dataset": names}).assign(
        n_variables=3, n_instances=9, n_sets=1, n_classes=2
    )
    calibrated = pd.DataFrame({"dataset": names}).assign(
        target_leaves=5.0, confidence=1.0, mean_leaves=2.0, reached=False
    )
    tables = {
        "thesis_table_3_1": soft_tables.of_sizes(
            sizes, calibrated, published["thesis_table_3_1"], plan
        )
    }
    for name in ("thesis_table_3_4", "thesis_table_3_5"):
        tables[name] = getattr(soft_tables, name)(rows, statistics, published, plan)
    tables["soft_combined"] = soft_tables.soft_combined(rows, statistics)
    scores, comparison = (
        f(rows, plan) for f in (soft_statistics.scores, soft_statistics.comparison)
    )
    tables["soft_scores"] = soft_tables.soft_scores(rows, scores, plan)
    tables["soft_ranks"] = soft_tables.soft_ranks(comparison)
    drawn = {}
    for number in ("3_5", "3_6", "3_9", "3_10"):
        name = f"thesis_figure_{number}"
        drawn[name] = folder / f"{name}.svg"
        figures.save(getattr(soft_figures, name)(rows, plan), drawn[name])
    drawn["soft_critical_difference"] = folder / "soft_critical_difference.svg"
    ranked = soft_figures.soft_critical_difference(tables["soft_ranks"], plan)
    figures.save(ranked, drawn["soft_critical_difference"])
    claims = soft_claims.claims(rows, published["specification"], published["statements"])
    captions = captions_of("soft", rows=rows, plan=plan)
    section = soft_page.section(tables, drawn, captions, rows, claims, plan)
    return tables, page_of(section, plan.configuration)


@pytest.fixture
def sources(published, specification, statements):
    return {**published, "specification": specification, "statements": statements}


def test_one_repeat_has_no_standard_deviation(rows, plan, sources, tmp_path):
    """All sets are left out of standardised metrics; differences to C4.5 remain."""
    one = dataclasses.replace(plan, n_repeats=1)
    tables, page = _report(rows[rows["repeat"] == 0], one, sources, tmp_path)
    table = tables["thesis_table_3_4"]
    mean = table[table["dataset"] == MEAN]
    assert set(mean["metric"]) == {"n_leaves_diff_c45", "accuracy_diff_c45"}
    assert "leaves; p &lt; 0.001 at" in page  # T3-04, a difference
    assert "standardised accuracy with noise" not in page  # T3-01


def test_no_noise_at_all(rows, plan, sources, tmp_path):
    clean = dataclasses.replace(plan, noise_factors=(0,))
    tables, page = _report(rows[rows["noise"] == 0], clean, sources, tmp_path)
    assert set(tables["thesis_table_3_5"]["noise"]) == {0.0}
    assert "What held and what did not" in page


@pytest.mark.parametrize("methods", [("c45",), ("c45", "se"), ("c45", "stp")])
def test_fewer_methods(rows, plan, sources, tmp_path, methods):
    fewer = dataclasses.replace(plan, methods=methods)
    tables, page = _report(rows[rows["method"].isin(methods)], fewer, sources, tmp_path)
    assert set(tables["thesis_table_3_4"]["method"]) == set(methods)
    assert "Table 3.4" in page


def test_no_set_of_table_3_1(rows, plan, sources, tmp_path):
    outside = dataclasses.replace(plan, datasets=("wine",))
    _, page = _report(rows[rows["dataset"] == "wine"], outside, sources, tmp_path)
    assert "holds no data set of table 3.1" in page
    assert "Data sets outside table 3.1" in page
