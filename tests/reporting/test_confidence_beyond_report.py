"""Tables, figures, questions and section of what goes beyond the paper of ConfDTree."""

import functools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from shown import SPECIFICATION, STATED, captions_of, made_by, page_of, section_of, tables_of

from hedgerow.data import TidyTable
from hedgerow.experiments.confidence.plan import VERSIONS, ConfidencePlan
from hedgerow.experiments.confidence_beyond import claims as beyond_claims
from hedgerow.experiments.confidence_beyond import figures as beyond_figures
from hedgerow.experiments.confidence_beyond import statistics as beyond_statistics
from hedgerow.experiments.confidence_beyond import steps as beyond_steps
from hedgerow.experiments.confidence_beyond.plan import (
    COMPARED,
    PLAIN,
    TREES,
    ConfidenceBeyondPlan,
)

pytestmark = pytest.mark.slow

PLAN = ConfidenceBeyondPlan(
    configuration="made-up",
    datasets=("one", "two", "gone"),
    categorical_datasets=("one",),
    n_trees=2,
    n_iterations=20,
    fines=(0.1,),
    widths=(1, 2),
)
PROTOCOL = ConfidencePlan(n_folds=2)


def _table(name, seed):
    random = np.random.default_rng(seed)
    y = np.sort(random.integers(0, 2, 80)).astype(np.int64)
    X = pd.DataFrame({f"v{k}": random.normal(y * (k == 0), 1.0) for k in range(2)})
    X["kind"] = pd.Categorical(random.choice(["a", "b"], 80))
    return TidyTable(name, X, y, ["no", "yes"], "class")


@functools.cache
def inputs():
    """Inputs of all jobs."""
    sets = [_table("one", 0), _table("two", 1)]
    found = [beyond_steps.run(table, PLAN, PROTOCOL) for table in sets]
    categories = [beyond_steps.categories(sets[0], PLAN, PROTOCOL)]
    rows, bins = ([made[name] for made in found] for name in ("rows", "bins"))
    return {**beyond_statistics.merged(rows, categories, bins), "plan": PLAN}


@pytest.fixture(scope="module")
def run():
    return SimpleNamespace(inputs=inputs(), tables=tables_of("confidence_beyond", **inputs()))


def test_a_line_is_the_mean_over_data_sets(run):
    table = run.tables["confidence_beyond_answers"].set_index(["base", "first"])
    assert len(table) == len(TREES) * 9 and (table["n_datasets"] == 2).all()
    rows = run.inputs["rows"]
    own = rows[(rows["part"] == "answers") & (rows["metric"] == "average_auc")]
    own = own[own["base"] == "unpruned"].pivot(index="dataset", columns="method", values="value")
    line = table.loc[("unpruned", "confdtree_tdist_fines")]
    one, two = 100 * own["confdtree_tdist_fines"], 100 * own[PLAIN]
    assert line["mean_first"] == pytest.approx(one.mean())
    assert line["mean_second"] == pytest.approx(two.mean())
    assert line["difference"] == pytest.approx((one - two).mean())
    assert line["wins"] == (one > two).sum()


def test_less_is_better_for_losses(run):
    table = run.tables["confidence_beyond_probabilities"].set_index(["metric", "first"])
    wide = COMPARED.means(run.inputs["rows"], "probabilities", "log_loss")["c45"]
    line = table.loc[("log_loss", "laplace")]
    assert line["wins"] == (wide["laplace"] < wide[PLAIN]).sum()
    assert len(table) == 4 * 7


def test_categories_are_of_their_own_data_sets(run):
    table = run.tables["confidence_beyond_categories"]
    # Each version with doubts on categories against itself without, and that against none.
    assert (table["n_datasets"] == 1).all() and len(table) == len(TREES) * 2 * len(VERSIONS)
    pairs = set(zip(table["first"], table["second"], strict=True))
    assert pairs == {
        *((f"{version}_categories", version) for version in VERSIONS),
        *((version, PLAIN) for version in VERSIONS),
    }
    captions = captions_of("confidence_beyond", **run.inputs)
    assert "Run: one, 1 cross validation each" in captions["confidence_beyond_categories"]
    text = captions["confidence_beyond_answers"]
    assert "Run: one, two, 1 cross validation each" in text and "no source answered: gone" in text


def test_few_data_sets_cannot_tell(run):
    found = beyond_claims.claims(
        run.inputs["rows"], run.inputs["statistics"], SPECIFICATION, STATED
    )
    assert found["claim"].tolist() == [f"confidence_beyond-{k:02d}" for k in range(1, 8)]
    assert (found["verdict"] == "too little data").all()


@pytest.mark.parametrize(("gain", "verdict"), [(0.05, "reproduced"), (-0.05, "not reproduced")])
def test_a_question_follows_its_test(gain, verdict):
    """Twelve data sets on which doubts in ensembles always gain, or always lose."""
    rows = []
    for k in range(12):
        for base in ("bagged", "rf"):
            for method in (PLAIN, *VERSIONS):
                value = 0.7 + k / 1000 + gain * (method != PLAIN) * (1 + k / 100)
                rows.append(("learners", f"set {k}", 0, base, method, "average_auc", value))
    columns = ["part", "dataset", "repeat", "base", "method", "metric", "value"]
    rows = pd.DataFrame(rows, columns=columns)
    statistics = COMPARED.statistics(rows)
    found = beyond_claims.claims(rows, statistics, SPECIFICATION, STATED)
    found = found.set_index("claim")["verdict"]
    assert found["confidence_beyond-03"] == verdict
    assert found["confidence_beyond-04"] == "too little data"


def test_figures_show_every_version(run):
    drawn = made_by(beyond_figures.confidence_beyond_parts, **run.inputs)
    assert len(drawn.axes) == 4 and len(drawn.axes[0].patches) == 9
    drawn = made_by(beyond_figures.confidence_beyond_gradients, **run.inputs)
    assert len(drawn.axes[1].lines[0].get_xdata()) == 2
    drawn = made_by(beyond_figures.confidence_beyond_calibration, **run.inputs)
    assert len(drawn.axes) == 8
    empty = {**run.inputs, **beyond_statistics.merged([], [], [])}
    for name in ("parts", "gradients", "calibration"):
        drawn = made_by(getattr(beyond_figures, f"confidence_beyond_{name}"), **empty)
        assert drawn.texts[0].get_text() == "No data set was run"


def test_the_section_names_settings_and_says_that_it_is_small(tmp_path):
    text = page_of(section_of("confidence_beyond", tmp_path, **inputs()))
    assert "COMB, fine 10 %" in text and "NORM, width times 2" in text
    assert "This run is too small to conclude anything from" in text
