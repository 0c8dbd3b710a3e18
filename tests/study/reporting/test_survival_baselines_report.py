"""Tables, figures and section of what goes beyond chapter 6, from a made-up cohort."""

import functools
from types import SimpleNamespace

import numpy as np
import pytest
from legible import cut_markers
from made_cohorts import FACTS, made_up
from shown import captions_of, made_by, page_of, section_of, tables_of

from hedgerow_study.experiments.survival.plan import SurvivalPlan
from hedgerow_study.extensions.survival_baselines import figures as survival_baselines_figures
from hedgerow_study.extensions.survival_baselines import statistics as survival_baselines_statistics
from hedgerow_study.extensions.survival_baselines import steps as survival_baselines_steps
from hedgerow_study.extensions.survival_baselines.plan import COMPARED, PARTS, SurvivalBaselinesPlan
from hedgerow_study.reporting.tables import MEAN

pytestmark = pytest.mark.slow

PLAN = SurvivalBaselinesPlan(
    cohorts=FACTS | {"gone": FACTS["made_up"]},
    datasets=("made_up", "gone"),
    configuration="made-up",
    n_repeats=2,
)


@functools.cache
def inputs():
    """Inputs of all jobs."""
    protocol = SurvivalPlan(
        confidences=(0.5,), repetition_factors=(0.7,), leaf_sizes=(20,), n_folds=2
    )
    made = [getattr(survival_baselines_steps, n)(made_up(), PLAN, protocol) for n in PARTS]
    merged = survival_baselines_statistics.merged(*([frame] for frame in made))
    measured = {name: merged[name] for name in PARTS}
    return {"measured": measured, "statistics": merged["statistics"], "plan": PLAN}


@pytest.fixture(scope="module")
def run():
    return SimpleNamespace(inputs=inputs(), tables=tables_of("survival_baselines", **inputs()))


def test_tests_stand_among_the_comparisons(run):
    table = run.tables["survival_baselines_scores"]
    own = table[table["metric"] == "concordance"].set_index("dataset")
    assert list(own.index) == ["made_up", MEAN]
    rows = run.inputs["measured"]["scores"]
    rows = rows[(rows["metric"] == "concordance") & (rows["model"] == "cox")]
    assert own.loc["made_up", "cox"] == pytest.approx(rows["value"].mean())
    tests = run.tables["survival_baselines_comparisons"]
    assert list(tests) == ["part", *COMPARED.columns]
    line = tests.set_index(["part", "metric", "first", "second"])
    line = line.loc[("scores", "concordance", "thesis", "cox")]
    assert line["difference"] == pytest.approx(
        own.loc["made_up", "thesis"] - own.loc["made_up", "cox"]
    )
    assert line["n_datasets"] == 1 and set(tests["part"]) == set(COMPARED.parts)
    assert own.loc["made_up", "forest_note"] == "not installed"
    assert table["status"].tolist()[-1] == "absent" and table["dataset"].tolist()[-1] == "gone"


def test_weights_say_how_often_the_root_stays(run):
    table = run.tables["survival_baselines_weights"].set_index(["metric", "dataset"])
    rows = run.inputs["measured"]["weights"].pivot(index="repeat", columns="way", values="root")
    expected = (rows["weighted"] == rows["left_out"]).mean()
    assert table.loc[("same_root", "made_up"), "weighted"] == expected
    assert table.loc[("same_root", "made_up"), "left_out"] == 1
    assert np.isnan(table.loc[("accuracy", "made_up"), "survived"])


def test_captions_say_what_was_run(run):
    captions = captions_of("survival_baselines", **run.inputs)
    assert all("SYNTHETIC" not in text for text in captions.values())
    text = captions["survival_baselines_scores"]
    assert "Run: made_up, 2 repeats each, configuration made-up." in text
    assert "Absent, because no source answered: gone." in text
    assert "not installed (extra forests)" in text


def test_figures_hold_their_cohorts(run):
    drawn = made_by(survival_baselines_figures.survival_baselines_models, **run.inputs)
    assert [label.get_text() for label in drawn.axes[0].get_yticklabels()] == ["made_up"]
    labels = [text.get_text() for text in drawn.legends[0].get_texts()]
    assert "Cox model" in labels and "Random survival forest" not in labels


def test_no_marker_is_cut_at_the_frame(run):
    drawn = survival_baselines_figures.survival_baselines_models
    assert cut_markers(made_by(drawn, **run.inputs)) == []


def test_the_section_names_what_is_absent(tmp_path):
    text = page_of(section_of("survival_baselines", tmp_path, **inputs()))
    assert "<strong>Absent: gone.</strong>" in text
    assert "Inconclusive" in text and "not installed" in text
