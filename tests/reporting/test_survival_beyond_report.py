"""Tables, figures and section of what goes beyond chapter 6, from a made-up cohort."""

import dataclasses
import functools
from types import SimpleNamespace

import numpy as np
import pytest
from legible import cut_markers
from made_cohorts import FACTS, made_up
from shown import captions_of, made_by, page_of, section_of, shown_by, tables_of

from hedgerow.experiments.survival.plan import SurvivalPlan
from hedgerow.experiments.survival_beyond import figures as survival_beyond_figures
from hedgerow.experiments.survival_beyond import statistics as survival_beyond_statistics
from hedgerow.experiments.survival_beyond import steps as survival_beyond_steps
from hedgerow.experiments.survival_beyond.plan import COMPARED, PARTS, SurvivalBeyondPlan
from hedgerow.reporting.tables import MEAN

pytestmark = pytest.mark.slow

#: A cohort of which the error of one variable is known; here the patients are made up.
KNOWN = "flchain"
PLAN = {
    "cohorts": FACTS
    | {"gone": FACTS["made_up"], KNOWN: FACTS["made_up"] | {"adjust_for": ["creatinine"]}},
    "datasets": (KNOWN, "gone"),
    "configuration": "made-up",
    "n_splits": 2,
    "n_repeats": 5,
    "n_bootstrap": 3,
}


def _inputs(table, plan):
    protocol = SurvivalPlan(
        confidences=(0.5,), repetition_factors=(0.7,), leaf_sizes=(20,), n_folds=2
    )
    learned = survival_beyond_steps.learn(table, plan, protocol)
    made = {
        "scores": survival_beyond_steps.scores(table, learned["trees"], plan, protocol),
        "weights": survival_beyond_steps.weights(table, plan, protocol),
        "measurement": survival_beyond_steps.measurement(table, plan, protocol),
        **survival_beyond_steps.stability(table, learned["tuning"], plan, protocol),
    }
    merged = survival_beyond_statistics.merged(**{name: [made[name]] for name in PARTS})
    return {
        "measured": {name: merged[name] for name in PARTS if name != "roots"},
        "roots": merged["roots"],
        "statistics": merged["statistics"],
        "plan": plan,
    }


@functools.cache
def inputs():
    """Inputs of all jobs."""
    table = made_up()
    table = dataclasses.replace(table, name=KNOWN, X=table.X.rename(columns={"age": "creatinine"}))
    return _inputs(table, SurvivalBeyondPlan(**PLAN))


@pytest.fixture(scope="module")
def run():
    return SimpleNamespace(inputs=inputs(), tables=tables_of("survival_beyond", **inputs()))


def test_tests_stand_among_the_comparisons(run):
    table = run.tables["survival_beyond_scores"]
    own = table[table["metric"] == "concordance"].set_index("dataset")
    assert list(own.index) == [KNOWN, MEAN]
    rows = run.inputs["measured"]["scores"]
    rows = rows[(rows["metric"] == "concordance") & (rows["model"] == "cox")]
    assert own.loc[KNOWN, "cox"] == pytest.approx(rows["value"].mean())
    tests = run.tables["survival_beyond_comparisons"]
    assert list(tests) == ["part", *COMPARED.columns]
    line = tests.set_index(["part", "metric", "first", "second"])
    line = line.loc[("scores", "concordance", "thesis", "cox")]
    assert line["difference"] == pytest.approx(own.loc[KNOWN, "thesis"] - own.loc[KNOWN, "cox"])
    assert line["n_datasets"] == 1 and set(tests["part"]) == set(COMPARED.parts)
    assert own.loc[KNOWN, "forest_note"] == "not installed"
    assert table["status"].tolist()[-1] == "absent" and table["dataset"].tolist()[-1] == "gone"


def test_weights_say_how_often_the_root_stays(run):
    table = run.tables["survival_beyond_weights"].set_index(["metric", "dataset"])
    rows = run.inputs["measured"]["weights"].pivot(index="split", columns="way", values="root")
    expected = (rows["weighted"] == rows["left_out"]).mean()
    assert table.loc[("same_root", KNOWN), "weighted"] == expected
    assert table.loc[("same_root", KNOWN), "left_out"] == 1
    assert np.isnan(table.loc[("accuracy", KNOWN), "survived"])


def test_every_error_is_shown_with_its_source(run):
    line = run.tables["survival_beyond_errors"].iloc[0]
    assert (line["dataset"], line["variable"], line["quantity"]) == (
        KNOWN,
        "creatinine",
        "creatinine",
    )
    assert "Ricós" in line["source"]


def test_captions_say_what_was_run(run):
    captions = captions_of("survival_beyond", **run.inputs)
    assert all("SYNTHETIC" not in text for text in captions.values())
    text = captions["survival_beyond_scores"]
    assert "Run: flchain, 2 divisions each, configuration made-up." in text
    assert "Absent, because no source answered: gone." in text
    assert "not installed (extra forests)" in text
    assert "3 bootstrap samples" in captions["survival_beyond_stability"]


def test_figures_hold_their_cohorts(run):
    drawn = made_by(survival_beyond_figures.survival_beyond_models, **run.inputs)
    assert [label.get_text() for label in drawn.axes[0].get_yticklabels()] == [KNOWN]
    labels = [text.get_text() for text in drawn.legends[0].get_texts()]
    assert "Cox model" in labels and "Random survival forest" not in labels
    drawn = made_by(survival_beyond_figures.survival_beyond_roots, **run.inputs)
    bars = drawn.axes[0].patches
    assert sum(bar.get_width() for bar in bars) == pytest.approx(1)


def test_no_marker_is_cut_at_the_frame(run):
    """Markers at 0 and at the largest value of the panels of repeats lost an edge."""
    for name in ("repeats", "models", "calibration"):
        drawn = getattr(survival_beyond_figures, f"survival_beyond_{name}")
        assert cut_markers(made_by(drawn, **run.inputs)) == [], name


def test_the_section_names_what_is_absent(tmp_path):
    text = page_of(section_of("survival_beyond", tmp_path, **inputs()))
    assert "<strong>Absent: gone.</strong>" in text
    assert "too little data" in text and "not installed" in text


def test_a_run_without_a_known_error(tmp_path):
    """The part is empty and says so; nothing fails."""
    plan = SurvivalBeyondPlan(**{**PLAN, "datasets": ("made_up",), "n_splits": 1})
    bare = _inputs(made_up(), plan)
    tables = tables_of("survival_beyond", **bare)
    assert tables["survival_beyond_measurement"].empty and tables["survival_beyond_errors"].empty
    drawn = made_by(survival_beyond_figures.survival_beyond_repeats, **bare)
    assert drawn.texts[0].get_text() == "No cohort of this run has a variable of known error"
    text = page_of(section_of("survival_beyond", tmp_path, **bare))
    assert "No cohort of this run has a variable whose error we know" in text
    for name in shown_by("survival_beyond"):
        assert text.count(f'id="{name}"') == 1
