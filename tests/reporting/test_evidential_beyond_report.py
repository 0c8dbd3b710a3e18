"""Tables, figures, questions and section beyond the paper of E2M, from made-up results."""

import functools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from shown import SPECIFICATION, STATED, made_by, page_of, section_of, tables_of

from hedgerow.experiments.evidential_beyond import claims as beyond_claims
from hedgerow.experiments.evidential_beyond import figures as beyond_figures
from hedgerow.experiments.evidential_beyond import statistics as beyond_statistics
from hedgerow.experiments.evidential_beyond.plan import (
    ANNOTATED,
    AS_THEY_ARE,
    COMPARED,
    LEARNERS,
    MISJUDGED,
    REPEATED,
    EvidentialBeyondPlan,
)

pytestmark = pytest.mark.slow

PLAN = EvidentialBeyondPlan(configuration="made-up", datasets=("one", "two", "gone"))
SETTINGS = {
    "sweep": (0.0, 0.5, 1.0),
    "repeated": (0.5, 1.0),
    "annotators": (0.4, 0.8),
    "misjudged": (0.25, 1.0, 4.0),
}


def _rows(n_sets=12, gain=0.1):
    """E2M better by `gain` in every part, and doubts told wrong worse by as much."""
    random = np.random.default_rng(2)
    methods = {"sweep": LEARNERS, "repeated": REPEATED, "annotators": ANNOTATED}
    lines = []
    for k in range(n_sets):
        for part, compared in COMPARED.parts.items():
            for setting in SETTINGS[part]:
                for method in methods.get(part, MISJUDGED if setting == 1.0 else ("e2m",)):
                    first = method == methods.get(part, MISJUDGED[1:])[0]
                    for metric in compared.metrics:
                        value = 0.5 - gain * first + 0.01 * random.random()
                        value += gain * (part == "misjudged" and setting != 1.0)
                        lines.append((part, f"set {k}", 0, setting, method, metric, value))
    columns = ["part", "dataset", "repeat", "setting", "method", "metric", "value"]
    return pd.DataFrame(lines, columns=columns)


@functools.cache
def inputs():
    """Inputs of all jobs."""
    return {**beyond_statistics.merged([_rows(n_sets=2)]), "plan": PLAN}


@pytest.fixture(scope="module")
def run():
    return SimpleNamespace(inputs=inputs(), tables=tables_of("evidential_beyond", **inputs()))


def test_tables_say_what_e2m_has_and_what_the_others_have(run):
    table = run.tables["evidential_beyond_sweep"].set_index(["setting", "second", "metric"])
    assert len(table) == 3 * 7 * 2
    cell = table.loc[(0.5, "ss", "error_rate")]
    assert cell["difference"] == pytest.approx(cell["mean_first"] - cell["mean_second"])
    assert set(table["first"]) == {"e2m"}
    assert (cell["wins"], cell["losses"], cell["n_datasets"]) == (2, 0, 2)
    wrong = run.tables["evidential_beyond_misjudged"].set_index(["setting", "first", "metric"])
    cell = wrong.loc[(4.0, "e2m", "clean_error_rate")]
    assert cell["difference"] == pytest.approx(cell["mean_first"] - cell["mean_second"])
    assert (cell["second"], cell["wins"], cell["losses"]) == (AS_THEY_ARE, 0, 2)
    assert len(wrong) == 6


def _judged(rows):
    made = beyond_statistics.merged([rows])
    return beyond_claims.claims(**made, specification=SPECIFICATION, stated=STATED).set_index(
        "claim"
    )


@pytest.mark.parametrize(("gain", "verdict"), [(0.1, "reproduced"), (-0.1, "not reproduced")])
def test_a_verdict_follows_its_test(gain, verdict):
    found = _judged(_rows(gain=gain))
    assert found.index.tolist() == [f"evidential_beyond-{k:02d}" for k in range(1, 8)]
    assert set(found["verdict"]) == {verdict}


def test_two_data_sets_cannot_tell(run):
    assert set(_judged(run.inputs["rows"])["verdict"]) == {"too little data"}


def test_figures_show_what_was_run(run):
    drawn = made_by(beyond_figures.evidential_beyond_levels, **run.inputs)
    assert [len(axes.lines) for axes in drawn.axes] == [8, 8]
    drawn = made_by(beyond_figures.evidential_beyond_doubts, **run.inputs)
    assert [len(axes.lines) for axes in drawn.axes] == [4, 3, 4]
    drawn.canvas.draw()
    for axes in drawn.axes:  # a legend above its panel was cut off
        legend = axes.get_legend().get_window_extent()
        lines = [axes.transData.transform(line.get_xydata())[:, 1].max() for line in axes.lines]
        assert max(lines) < legend.y0 and legend.y1 <= drawn.bbox.y1


def test_the_section_names_what_is_absent(tmp_path):
    text = page_of(section_of("evidential_beyond", tmp_path, **inputs()))
    assert "Absent, because no source answered: gone" in text
