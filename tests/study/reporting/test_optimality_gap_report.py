"""Tables, figures, questions and section on best trees, from made-up results."""

import functools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from shown import SPECIFICATION, STATEMENTS, made_by, page_of, section_of, tables_of

from hedgerow_study.extensions.optimality_gap import claims as optimality_gap_claims
from hedgerow_study.extensions.optimality_gap import figures as optimality_gap_figures
from hedgerow_study.extensions.optimality_gap import statistics as optimality_gap_statistics
from hedgerow_study.extensions.optimality_gap.plan import (
    CLEAN,
    COMPARED,
    KNOWN_ERROR,
    METHODS,
    NOISY,
    ORDER,
    PROOF,
    SEARCHES,
    UNPRUNED,
    OptimalityGapPlan,
)

pytestmark = pytest.mark.slow

PLAN = OptimalityGapPlan(
    configuration="made-up",
    datasets=("set 0", "set 1", "gone"),
    depths=(2, 3),
)
DEPTHS = (2, 3)
CELLS = {
    "training": ((CLEAN,), UNPRUNED),
    "clean": ((CLEAN,), METHODS),
    "noise": (("0.1", "0.3"), NOISY),
}


def _rows(n_sets=14, gain=0.1):
    """Best trees ahead by `gain` in every part, errors told by twice as much, all less at depth 3;
    with fewer leaves."""
    random = np.random.default_rng(2)
    ahead = {
        "optimal": 1.0,
        "optimal_priced": 1.0,
        "optimal_error": 2.0,
        KNOWN_ERROR: 2.0,
        "uct": 0.7,
    }
    lines = []
    for k in range(n_sets):
        for part, (settings, methods) in CELLS.items():
            cells = [(s, d, m) for s in settings for d in DEPTHS for m in methods]
            for setting, depth, method in cells:
                better = gain * ahead.get(method, 0.0) * (1.0 if depth == 2 else 0.5)
                for metric, told in COMPARED.parts[part].metrics.items():
                    sign = -1.0 if told.less_is_better else 1.0
                    value = 0.5 + sign * better + 0.001 * random.random()
                    lines.append((part, f"set {k}", 0, setting, depth, method, metric, value))
        for depth in DEPTHS:
            for setting in (CLEAN, "0.1", "0.3"):
                for method in SEARCHES[1:] if setting != CLEAN else SEARCHES[:3]:
                    key = ("search", f"set {k}", 0, setting, depth, method)
                    proven = {"n_nodes": 100.0, "proven": float(k % 2), "gap": 0.5 * (1 - k % 2)}
                    lines += [(*key, metric, proven[metric]) for metric in PROOF]
    return pd.DataFrame(lines, columns=[*ORDER["rows"], "value"])


@functools.cache
def inputs():
    """Inputs of all jobs."""
    return {**optimality_gap_statistics.merged([_rows(n_sets=2)]), "plan": PLAN}


@pytest.fixture(scope="module")
def run():
    return SimpleNamespace(inputs=inputs(), tables=tables_of("optimality_gap", **inputs()))


def test_tables_say_what_both_have(run):
    keys = ["setting", "depth", "metric", "first", "second"]
    for part, compared in COMPARED.parts.items():
        table = run.tables[f"optimality_gap_{part}"]
        n_pairs = len(compared.metrics) * len(compared.pairs)
        assert len(table) == len(CELLS[part][0]) * len(DEPTHS) * n_pairs
        assert not table.duplicated(keys).any()
        assert table["difference"].tolist() == pytest.approx(
            (table["mean_first"] - table["mean_second"]).tolist(), abs=1e-8
        )
    cell = run.tables["optimality_gap_clean"].set_index(keys)
    cell = cell.loc[(CLEAN, 2, "log_loss", "optimal", "c45")]
    # A loss that is smaller is a win.
    assert cell["difference"] == pytest.approx(-0.1, abs=0.002)
    assert (cell["wins"], cell["losses"], cell["n_datasets"]) == (2, 0, 2)


def test_levels_and_proofs_are_means_over_data_sets(run):
    table = run.tables["optimality_gap_levels"].set_index(["setting", "depth", "method"])
    assert table.loc[(CLEAN, 2, "optimal"), "accuracy"] == pytest.approx(60, abs=0.2)
    assert table.loc[("0.3", 3, KNOWN_ERROR), "accuracy"] == pytest.approx(60, abs=0.2)
    assert table["n_leaves"].isna().tolist() == [key[0] != CLEAN for key in table.index]
    table = run.tables["optimality_gap_proof"].set_index(["method", "setting", "depth"])
    assert table.loc[("optimal", CLEAN, 2), ["proven", "gap", "n_nodes"]].tolist() == [50, 25, 100]
    assert (KNOWN_ERROR, CLEAN, 2) not in table.index and (KNOWN_ERROR, "0.1", 2) in table.index


def _judged(rows):
    made = optimality_gap_statistics.merged([rows])
    found = optimality_gap_claims.claims(**made, specification=SPECIFICATION, statements=STATEMENTS)
    return found.set_index("claim")


@pytest.mark.parametrize(("gain", "verdict"), [(0.1, "reproduced"), (-0.1, "not reproduced")])
def test_a_verdict_follows_its_test(gain, verdict):
    found = _judged(_rows(gain=gain))["verdict"]
    assert found.index.tolist() == [f"optimality_gap-{k:02d}" for k in (1, 2, 3, 4, 5, 10, 11)]
    assert set(found) == {verdict}


def test_ahead_at_one_depth_is_partly():
    rows = _rows()
    own = (rows["part"] == "clean") & (rows["depth"] == 3) & (rows["metric"] == "accuracy")
    same = rows.loc[own & (rows["method"] == "c45"), "value"].to_numpy()
    rows.loc[own & (rows["method"] == "optimal_priced"), "value"] = same
    found = _judged(rows)["verdict"]
    assert found["optimality_gap-03"] == "partly" and found["optimality_gap-02"] == "reproduced"


def test_fewer_leaves_that_cost_accuracy_do_not_count():
    rows = _rows()
    own = (rows["part"] == "clean") & (rows["metric"] == "accuracy")
    rows.loc[own & (rows["method"] == "optimal_priced"), "value"] -= 0.3
    assert _judged(rows)["verdict"]["optimality_gap-10"] == "not reproduced"


def test_two_data_sets_cannot_tell(run):
    assert set(_judged(run.inputs["rows"])["verdict"]) == {"inconclusive"}


def test_figures_show_what_was_run(run):
    drawn = made_by(optimality_gap_figures.optimality_gap_gains, **run.inputs)
    titles = [axes.get_title(loc="left") for axes in drawn.axes]
    assert titles == ["Training part", "Test part, clean"] + [
        f"Test part, n = {n}" for n in ("0.1", "0.3")
    ]
    assert [len(axes.lines) for axes in drawn.axes] == [4, 6, 8, 8]  # one at 0
    assert len({axes.get_ylim() for axes in drawn.axes[1:]}) == 1
    best = next(line for line in drawn.axes[1].lines if line.get_label() == "best tree")
    assert best.get_ydata() == pytest.approx([10, 5], abs=0.2)
    drawn = made_by(optimality_gap_figures.optimality_gap_sizes, **run.inputs)
    assert len(drawn.axes[0].lines) == len(METHODS)
    assert [text.get_text() for text in drawn.axes[0].texts] == ["2", "3"] * len(METHODS)


def test_the_section_names_what_is_absent_and_what_is_not_proven(tmp_path):
    text = page_of(section_of("optimality_gap", tmp_path, **inputs()))
    assert "Absent, because no source answered: gone" in text
    assert "50 % at depth 2, 50 % at depth 3 are proven, the others bounded, not proven" in text
