"""Tables, figures, questions and section of what goes beyond the paper of ConfDTree."""

import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
import yaml
from shown import captions_of, made_by, page_of, shown_by

from hedgerow.data import TidyTable
from hedgerow.experiments.confidence.plan import TREES, VERSIONS, ConfidencePlan
from hedgerow.experiments.confidence_beyond import claims as beyond_claims
from hedgerow.experiments.confidence_beyond import figures as beyond_figures
from hedgerow.experiments.confidence_beyond import page as beyond_page
from hedgerow.experiments.confidence_beyond import statistics as beyond_statistics
from hedgerow.experiments.confidence_beyond import steps as beyond_steps
from hedgerow.experiments.confidence_beyond import tables as beyond_tables
from hedgerow.experiments.confidence_beyond.plan import COMPARED, PLAIN, ConfidenceBeyondPlan
from hedgerow.reporting import figures

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
SPECIFICATION = yaml.safe_load((ROOT / "config/claims.yaml").read_text(encoding="utf-8"))
STATED = pd.read_csv(ROOT / "data/published/claims.csv")
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


@pytest.fixture(scope="module")
def run():
    sets = [_table("one", 0), _table("two", 1)]
    found = [beyond_steps.run(table, PLAN, PROTOCOL) for table in sets]
    categories = [beyond_steps.categories(sets[0], PLAN, PROTOCOL)]
    rows, bins = ([made[name] for made in found] for name in ("rows", "bins"))
    merged = beyond_statistics.merged(rows, categories, bins)
    inputs = {**merged, "plan": PLAN}
    tables = {
        name: made_by(getattr(beyond_tables, name), **inputs)
        for name, shown in shown_by("confidence_beyond").items()
        if shown.kind == "table"
    }
    return SimpleNamespace(inputs=inputs, tables=tables, merged=merged)


def test_a_line_is_the_mean_over_data_sets(run):
    table = run.tables["confidence_beyond_answers"].set_index(["base", "first"])
    assert len(table) == len(TREES) * 9 and (table["n_datasets"] == 2).all()
    rows = run.merged["rows"]
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
    wide = COMPARED.means(run.merged["rows"], "probabilities", "log_loss")["c45"]
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
        run.merged["rows"], run.merged["statistics"], SPECIFICATION, STATED
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


def test_the_section_holds_every_table_and_figure(run, tmp_path):
    tables, drawn = {}, {}
    for name, table in run.tables.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
        tables[name] = pd.read_csv(tmp_path / f"{name}.csv")
    for name, shown in shown_by("confidence_beyond").items():
        if shown.kind == "figure":
            drawn[name] = tmp_path / f"{name}.svg"
            figures.save(made_by(getattr(beyond_figures, name), **run.inputs), drawn[name])
    judged = beyond_claims.claims(
        run.merged["rows"], run.merged["statistics"], SPECIFICATION, STATED
    )
    captions = captions_of("confidence_beyond", **run.inputs)
    text = page_of(beyond_page.section(tables, drawn, captions, judged, PLAN))
    for name in shown_by("confidence_beyond"):
        assert text.count(f'id="{name}"') == 1
    ids = re.findall(r'\bid="([^"]+)"', text)
    assert len(ids) == len(set(ids))
    assert "COMB, fine 10 %" in text and "NORM, width times 2" in text
    assert "This run is too small to conclude anything from" in text
    assert not re.search(r">\s*(nan|None|inf)\s*<", text)
