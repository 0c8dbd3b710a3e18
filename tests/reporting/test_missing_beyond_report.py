"""Tables, figures, questions and section beyond the paper of EIG, from made-up results."""

import functools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from shown import SPECIFICATION, STATED, made_by, page_of, section_of, tables_of

from hedgerow.experiments.missing_beyond import claims as beyond_claims
from hedgerow.experiments.missing_beyond import figures as beyond_figures
from hedgerow.experiments.missing_beyond import statistics as beyond_statistics
from hedgerow.experiments.missing_beyond.plan import (
    AS_IT_IS,
    COMPARED,
    DATA,
    GUESSES,
    MECHANISMS,
    METHODS,
    MissingBeyondPlan,
)

pytestmark = pytest.mark.slow

PLAN = MissingBeyondPlan(
    configuration="made-up",
    datasets=("set 0", "set 1", "gone"),
    natural_datasets=("set 0", "lost"),
)
SETTINGS = {
    "mechanisms": MECHANISMS,
    "imputers": ("mcar",),
    "learners": ("mcar",),
    "pruning": ("unpruned", "pruned"),
    "natural": (AS_IT_IS,),
    "noise": ("0.1", "0.3"),
}
SHARES = (0.3, 0.6)
#: What is ahead where EIG is right about everything; the first three by twice as much.
BEST = ("eig_multiple", "eig_perfect", "eig_soft", "eig_knn_native", "eig_knn")


def _rows(n_sets=14, gain=0.1):
    """EIG better by `gain` in every part, several guesses than one, small errors than large."""
    random = np.random.default_rng(2)
    lines = []
    for k in range(n_sets):
        for part, compared in COMPARED.parts.items():
            shares = (0.0,) if part == "natural" else SHARES
            cells = [(s, share) for s in SETTINGS[part] for share in shares]
            for setting, share in cells:
                for method in METHODS[part]:
                    ahead = 2.0 if method in BEST[:3] else float(method in BEST)
                    error = GUESSES.index(method) + 1.0 if method in GUESSES else 0.0
                    if part == "imputers" and method in GUESSES:
                        ahead = 1.0 - 0.1 * error
                    better = gain * ahead
                    for metric, told in compared.metrics.items():
                        sign = -1.0 if told.less_is_better else 1.0
                        value = 0.5 + sign * better + 0.001 * random.random()
                        lines.append((part, f"set {k}", 0, setting, share, method, metric, value))
                    if part == "imputers" and method != "c45":
                        key = (part, f"set {k}", 0, setting, share, method)
                        lines.append((*key, "imputer_error", error))
        lines.append(("natural", f"set {k}", 0, AS_IT_IS, 0.0, DATA, "missing", 0.01 * (k + 1)))
    columns = ["part", "dataset", "repeat", "setting", "share", "method", "metric", "value"]
    return pd.DataFrame(lines, columns=columns)


@functools.cache
def inputs():
    """Inputs of all jobs."""
    return {**beyond_statistics.merged([_rows(n_sets=2)], []), "plan": PLAN}


@pytest.fixture(scope="module")
def run():
    return SimpleNamespace(inputs=inputs(), tables=tables_of("missing_beyond", **inputs()))


def test_tables_say_what_both_have(run):
    keys = ["setting", "share", "metric", "first", "second"]
    for part, compared in COMPARED.parts.items():
        table = run.tables[f"missing_beyond_{part}"]
        n_pairs = len(compared.metrics) * len(compared.pairs)
        shares = 1 if part == "natural" else 2
        assert len(table) == len(SETTINGS[part]) * shares * n_pairs
        assert not table.duplicated(keys).any()
        assert table["difference"].tolist() == pytest.approx(
            (table["mean_first"] - table["mean_second"]).tolist()
        )
    cell = run.tables["missing_beyond_pruning"].set_index(keys)
    cell = cell.loc[("pruned", 0.6, "log_loss", "eig_knn", "c45")]
    # A loss that is smaller is a win.
    assert cell["difference"] == pytest.approx(-0.1, abs=0.002)
    assert (cell["wins"], cell["losses"], cell["n_datasets"]) == (2, 0, 2)


def test_lines_are_in_the_order_of_the_plan(run):
    table = run.tables["missing_beyond_mechanisms"]
    assert table["setting"].drop_duplicates().tolist() == list(MECHANISMS)
    assert table["share"].tolist() == [*[0.3] * 3, *[0.6] * 3] * 3
    table = run.tables["missing_beyond_noise"]
    assert table["setting"].tolist() == ["0.1"] * 8 + ["0.3"] * 8
    assert run.tables["missing_beyond_pruning"]["metric"].drop_duplicates().tolist() == [
        *COMPARED.parts["pruning"].metrics
    ]


def test_errors_of_guesses_stand_beside_them(run):
    table = run.tables["missing_beyond_imputers"]
    errors = table.drop_duplicates("first").set_index("first")["imputer_error"]
    assert errors[list(GUESSES)].tolist() == [1, 2, 3, 4, 5] and errors["eig_perfect"] == 0
    found = run.tables["missing_beyond_agreement"]
    assert found["correlation"].tolist() == [1, 1] and found["positive"].tolist() == [2, 2]


def test_each_set_that_lacks_values(run):
    table = run.tables["missing_beyond_sets"]
    assert table["dataset"].tolist() == ["set 1", "set 0"] and table["missing"].tolist() == [2, 1]
    assert table["eig_knn"].tolist() == pytest.approx([60, 60], abs=0.2)


def _judged(rows):
    made = beyond_statistics.merged([rows], [])
    return beyond_claims.claims(**made, specification=SPECIFICATION, stated=STATED).set_index(
        "claim"
    )


@pytest.mark.parametrize(("gain", "verdict"), [(0.1, "reproduced"), (-0.1, "not reproduced")])
def test_a_verdict_follows_its_test(gain, verdict):
    found = _judged(_rows(gain=gain))
    assert found.index.tolist() == [f"missing_beyond-{k:02d}" for k in range(1, 8)]
    assert set(found["verdict"]) == {verdict}


def test_half_of_it_is_partly():
    """Better where values are missing at random, and as good where it is by what they are."""
    rows = _rows()
    own = rows["setting"] == "mnar"
    same = rows.loc[own & (rows["method"] == "c45"), "value"].to_numpy()
    rows.loc[own & (rows["method"] == "eig_knn"), "value"] = same
    assert _judged(rows)["verdict"]["missing_beyond-01"] == "partly"


def test_two_data_sets_cannot_tell(run):
    assert set(_judged(run.inputs["rows"])["verdict"]) == {"too little data"}


def test_figures_show_what_was_run(run):
    drawn = made_by(beyond_figures.missing_beyond_gains, **run.inputs)
    assert [len(axes.lines) for axes in drawn.axes] == [4, 4, 4]  # one at 0
    line = drawn.axes[0].lines[1]
    assert line.get_xdata().tolist() == [30, 60]
    assert line.get_ydata() == pytest.approx([10, 10], abs=0.2)
    drawn = made_by(beyond_figures.missing_beyond_guesses, **run.inputs)
    assert [len(axes.lines) for axes in drawn.axes] == [8, 8]
    assert [float(line.get_xdata()[0]) for line in drawn.axes[1].lines[1:6]] == [1, 2, 3, 4, 5]


def test_no_set_has_variables_enough_to_miss_at_random(run):
    rows = run.inputs["rows"]
    drawn = made_by(
        beyond_figures.missing_beyond_gains,
        **{**run.inputs, "rows": rows[rows["setting"] != "mar"]},
    )
    assert [len(axes.lines) for axes in drawn.axes] == [4, 1, 4]


def test_the_section_names_what_is_absent_and_marks_the_best(tmp_path):
    text = page_of(section_of("missing_beyond", tmp_path, **inputs()))
    assert "Absent, because no source answered: gone" in text
    assert "Absent, because no source answered: lost" in text
    # The best of each row is bold.
    assert "<strong>60.0</strong>" in text or "<strong>60.1</strong>" in text
