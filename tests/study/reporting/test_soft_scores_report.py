"""Tables, diagram and section of other scores and ranks, from MADE UP rows."""

import io

import numpy as np
import pandas as pd
import pytest
from made_rows import calibrated, printed
from shown import captions_of, page_of, section_of

from hedgerow.data import TidyTable
from hedgerow.evaluation import critical_difference
from hedgerow_study.audit.arithmetic import evaluate
from hedgerow_study.audit.provenance import Input
from hedgerow_study.experiments.soft import figures as soft_figures
from hedgerow_study.experiments.soft import plan as soft_plan
from hedgerow_study.experiments.soft import statistics as soft_statistics
from hedgerow_study.experiments.soft import tables as soft_tables
from hedgerow_study.experiments.step import annotations_of
from hedgerow_study.reporting.cells import Source, agrees

SETS = ("pima", "wdbc", "bupa", "haberman", "spectf", "wine")  # wine is not in table 3.1
BETTER = {"c45": 0.0, "ss": 0.01, "stp": 0.02, "se": 0.03}
FOUR = tuple(BETTER)


def made_up_rows(datasets=SETS, methods=FOUR):
    """SE before STP before SS before C4.5 in accuracy and Brier score, reversed in macro F1."""
    rows = []
    for i, dataset in enumerate(datasets):
        for experiment in soft_plan.EXPERIMENTS:
            for repeat in range(2):
                for noise in (0.0, 0.1):
                    for method in methods:
                        more = BETTER[method] + 0.001 * i * BETTER[method] + 0.1 * repeat
                        more -= 0.1 * noise
                        cell = (experiment, dataset, repeat, noise, method)
                        rows += [
                            (*cell, "accuracy", 0.7 + more),
                            (*cell, "macro_f1", 0.6 - more),
                            (*cell, "brier", 0.5 - more),
                            (*cell, "n_leaves", 20 - 10 * more),
                            (*cell, "uncertainty", 0.1),
                        ]
    return pd.DataFrame(rows, columns=[*soft_plan.CELL, "metric", "value"])


PLAN = soft_plan.SoftPlan(
    datasets=(*SETS, "vertebral_2c"), methods=FOUR, n_repeats=2, noise_factors=(0, 0.1)
)


def inputs(rows=None, plan=PLAN):
    """Inputs of all jobs."""
    rows = made_up_rows() if rows is None else rows
    tests = soft_statistics.statistics(rows, plan)
    X = pd.DataFrame({"x": [1.0, 2.0]})
    names = sorted(set(rows["dataset"]))
    return {
        **{"rows": rows, "plan": plan, **tests},
        "ranks": soft_tables.soft_ranks(tests["comparison"]),
        "tidy": [TidyTable(name, X, np.array([0, 1]), ["a", "b"], "class") for name in names],
        "calibrated": calibrated(),
        "published": printed(),
    }


@pytest.fixture(scope="module")
def plan():
    return PLAN


@pytest.fixture(scope="module")
def rows():
    return made_up_rows()


def made(rows, plan):
    """Both tables, as their CSV files give them back."""
    tables = {
        "soft_scores": soft_tables.soft_scores(rows, soft_statistics.scores(rows, plan), plan),
        "soft_ranks": soft_tables.soft_ranks(soft_statistics.comparison(rows, plan)),
    }
    return {n: pd.read_csv(io.StringIO(t.to_csv(index=False))) for n, t in tables.items()}


def test_differences_and_who_is_better(rows, plan):
    table = made(rows, plan)["soft_scores"].set_index(["experiment", "metric", "first", "noise"])
    mean_index = 2.0  # of the five sets of table 3.1
    for metric, sign, to_unit in (("accuracy", 1, 100), ("macro_f1", -1, 100), ("brier", -1, 1)):
        cell = table.loc[("test_noise", metric, "stp", 0.1)]
        expected = sign * 0.02 * (1 + 0.001 * mean_index) * to_unit
        assert cell["difference"] == pytest.approx(expected, abs=1e-6)
        assert cell["n_datasets"] == 5
        assert (cell["wins"], cell["losses"]) == ((0, 5) if metric == "macro_f1" else (5, 0))
        assert cell["second"] == "c45"
        gap = cell["mean_first"] - cell["mean_second"]
        assert gap == pytest.approx(expected, abs=1e-5)
        assert cell["p"] == pytest.approx(2 / 2**5)  # all five on one side
        assert cell["p_holm"] == 1.0
    assert table["absent"].iloc[0].split(";")[0] == "hepatitis_numeric"
    assert "wine" not in table["absent"].iloc[0]


def test_accuracy_agrees_with_table_3_4(rows, plan, published):
    """The same cell of the tables of the thesis, worked out by other code."""
    from hedgerow_study.experiments.soft.tables import thesis_table_3_4
    from hedgerow_study.reporting.tables import MEAN

    of_thesis = thesis_table_3_4(rows, soft_statistics.wilcoxon_tests(rows, plan), published, plan)
    of_thesis = of_thesis[
        (of_thesis["metric"] == "accuracy_diff_c45") & (of_thesis["dataset"] == MEAN)
    ].set_index(["method", "noise"])["measured"]
    ours = made(rows, plan)["soft_scores"]
    ours = ours[(ours["experiment"] == "training_noise") & (ours["metric"] == "accuracy")]
    for row in ours.itertuples(index=False):
        assert row.difference == pytest.approx(of_thesis[row.first, row.noise], abs=1e-6)


@pytest.mark.parametrize("name", ["soft_scores", "soft_ranks"])
def test_every_cell_is_what_its_rows_give(rows, plan, name):
    """p of a score was traced to the tests of tables 3.4 and 3.5, which have no such row."""
    frames = {"rows": rows, **soft_statistics.statistics(rows, plan)}
    table = made(rows, plan)[name]
    shown = getattr(soft_tables, name).shown
    given = {"table": table, "plan": plan, **frames}
    cells = list(shown.sources(**{p: given[p] for p in annotations_of(shown.sources)}))
    assert {"p", "difference"} <= {c.column for c in cells} or name == "soft_ranks"
    for cell in cells:
        groups = [Input(Source(["x"], [frames[r.of]])).rows(r, cell.by) for r in cell.rows]
        again = evaluate(cell.formula, groups, cell.by, cell.times)
        assert agrees(table.loc[cell.row, cell.column], again), cell


def test_rounding_is_neither_better_nor_worse(plan):
    rows = made_up_rows()
    c45 = rows[rows["method"] == "c45"]["value"].to_numpy()
    rows.loc[rows["method"] == "se", "value"] = c45 * (1 + 1e-15)
    table = made(rows, plan)["soft_scores"]
    assert (table[table["first"] == "se"]["wins"] == 0).all()
    assert (table[table["first"] == "se"]["losses"] == 0).all()


def test_ranks_of_the_diagram(rows, plan):
    ranks = made(rows, plan)["soft_ranks"]
    assert set(ranks["absent"].str.split(";").str[-1]) == {"synthetic_soft_5"}
    part = ranks[ranks["experiment"] == "test_noise"]
    assert soft_tables.mean_ranks_of(part).to_dict() == {
        "c45": 4,
        "ss": 3,
        "stp": 2,
        "se": 1,
    }
    assert part["critical_difference"].iloc[0] == pytest.approx(critical_difference(4, 5), abs=1e-6)


@pytest.mark.parametrize(
    ("ranks", "least", "groups"),
    [
        ([1, 2, 3, 4], 1.5, ["ab", "bc", "cd"]),
        ([1, 2, 3, 4], 1.0, []),  # a difference that reaches the least is told apart
        ([1, 2, 3, 4], 9.0, ["abcd"]),
        ([2, 2, 2, 4], 1.0, ["abc"]),
        ([1.0, 1.5, 3.0, 3.2], 1.0, ["ab", "cd"]),
        ([1.0, 1.4, 1.8, 2.6], 1.0, ["abc", "cd"]),  # bc is part of abc
    ],
)
def test_bars_join_the_largest_groups(ranks, least, groups):
    found = soft_figures.groups_of(pd.Series(ranks, index=list("abcd")), least)
    assert ["".join(group) for group in found] == groups


def test_the_diagram_names_methods_and_tests(rows, plan):
    figure = soft_figures.soft_critical_difference(made(rows, plan)["soft_ranks"], plan)
    for axes in figure.axes:
        texts = [t.get_text() for t in axes.texts]
        assert {"SE  1.00", "STP  2.00", "SS  3.00", "C4.5  4.00"} <= set(texts)
        assert f"CD = {critical_difference(4, 5):.2f}  (n = 5 data sets; Friedman p < 0.001)" in (
            texts
        )
        # Mean ranks 1 and 4 differ by more than the critical difference of 2.1: two bars.
        bars = [line for line in axes.lines if line.get_linewidth() > 3]
        assert len(bars) == 2


def test_too_few_data_sets_are_said(plan, tmp_path):
    rows = made_up_rows(("pima", "wdbc"))
    tables = made(rows, plan)
    assert tables["soft_scores"]["p"].isna().all()
    assert tables["soft_scores"]["difference"].notna().all()
    assert set(tables["soft_scores"]["note"]) == {"2 data sets, tested from 3 on"}
    figure = soft_figures.soft_critical_difference(tables["soft_ranks"], plan)
    for axes in figure.axes:
        assert [t.get_text() for t in axes.texts] == ["No test: 2 data sets, tested from 3 on."]
    text = page(rows, plan, tmp_path)
    assert "No test of noise in the training data: 2 data sets, tested from 3 on." in text
    assert "Noise in the test data: no test, 2 data sets, tested from 3 on." in text


def test_c45_alone_is_said(tmp_path):
    plan = soft_plan.SoftPlan(datasets=SETS, methods=("c45",), noise_factors=(0, 0.1))
    rows = made_up_rows(methods=("c45",))
    tables = made(rows, plan)
    assert tables["soft_scores"]["note"].tolist() == ["no method besides c45"] * 2
    text = page(rows, plan, tmp_path)
    assert "No test of noise in the test data: no method besides c45." in text
    # An empty table of tests can be written and read.
    empty = soft_statistics.scores(rows, plan)
    empty.to_parquet(tmp_path / "scores.parquet", index=False)
    assert pd.read_parquet(tmp_path / "scores.parquet").columns.tolist() == empty.columns.tolist()


def page(rows, plan, folder):
    return " ".join(page_of(section_of("soft", folder, **inputs(rows, plan))).split())


def test_the_section(rows, plan, tmp_path):
    text = page(rows, plan, tmp_path)
    assert "Absent: vertebral_2c." in text
    assert "over the 5 of the 20 data sets of table 3.1" in text
    assert "mean ranks SE 1.00, STP 2.00, SS 3.00, C4.5 4.00" in text
    assert "finds a difference" in text
    assert "SE before C4.5 (p = 0.001)" in text
    assert 'title="better on 5 of 5 data sets; p = 0.062, 1.000 after Holm"' in text


def test_the_section_where_nothing_differs(plan, tmp_path):
    rows = made_up_rows()
    generator = np.random.default_rng(0)
    rows["value"] = generator.uniform(size=len(rows))
    text = page(rows, plan, tmp_path)
    assert "finds no difference" in text and "Nemenyi's test tells apart" not in text


def test_captions_name_every_output(rows, plan):
    captions = captions_of("soft", rows=rows, plan=plan)
    assert {"soft_critical_difference", "soft_ranks", "soft_scores"} <= captions.keys()
    assert "mean accuracy over all 2 noise factors" in captions["soft_critical_difference"]
