"""Tables, figures, statements and section of ConfDTree's evaluation, from made-up data sets."""

import dataclasses
import functools
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from shown import SPECIFICATION, STATEMENTS, made_by, page_of, section_of, tables_of

from hedgerow.data import TidyTable
from hedgerow_study.experiments.confidence import claims as confidence_claims
from hedgerow_study.experiments.confidence import figures as confidence_figures
from hedgerow_study.experiments.confidence import statistics as confidence_statistics
from hedgerow_study.experiments.confidence import steps as confidence_steps
from hedgerow_study.experiments.confidence import tables as confidence_tables
from hedgerow_study.experiments.confidence.plan import TREES, VERSIONS, ConfidencePlan

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
PUBLISHED = {
    f"confdtree_table_{n}": pd.read_csv(ROOT / f"data/published/confdtree_table_{n}.csv", dtype=str)
    for n in (1, 2, 3)
}
#: Two of the paper's sets, one that no source has, one of our own.
PLAN = ConfidencePlan(
    configuration="made-up",
    n_folds=3,
    n_repeats=2,
    n_trees=3,
    n_curve_repeats=1,
    shares=(0.3, 0.8),
    datasets=("vehicle", "diabetes", "own", "glass"),
    printed={key: [key] for key in PUBLISHED["confdtree_table_1"]["dataset"] if key != "miniboone"},
)


def _table(name, n_classes, seed):
    random = np.random.default_rng(seed)
    y = np.sort(random.integers(0, n_classes, 90)).astype(np.int64)
    X = pd.DataFrame({f"v{k}": random.normal(y * (k == 0), 1.0) for k in range(3)})
    return TidyTable(name, X, y, [str(k) for k in range(n_classes)], "class")


@functools.cache
def inputs():
    """Inputs of all jobs."""
    sets = [_table("vehicle", 4, 0), _table("diabetes", 2, 1), _table("own", 2, 2)]
    found = [confidence_steps.cross_validate(table, PLAN) for table in sets]
    sizes = [confidence_steps.learning_curve(table, PLAN) for table in sets]
    parts = {name: [made[name] for made in found] for name in ("rows", "facts")}
    merged = confidence_statistics.merged(**parts, sizes=sizes, plan=PLAN)
    return {**merged, "published": PUBLISHED, "plan": PLAN}


@pytest.fixture(scope="module")
def run():
    tables = tables_of("confidence", **inputs())
    return SimpleNamespace(inputs={**inputs(), "tables": tables}, tables=tables)


def test_table_1_has_every_row_of_the_paper(run):
    table = run.tables["confdtree_table_1"]
    theirs = PUBLISHED["confdtree_table_1"]["dataset"].drop_duplicates().tolist()
    assert table["dataset"].drop_duplicates().tolist() == [*theirs, "own"]
    states = table.drop_duplicates("dataset").set_index("dataset")["status"]
    assert states["vehicle"] == states["own"] == "run" and states["glass"] == "absent"
    # Nothing is said of a set that is not in the registry but what the paper says.
    own = table[table["dataset"] == "miniboone"]
    assert (own["status"] == "absent").all() and own["measured"].isna().all()
    gains = table[table["metric"] == confidence_tables.GAIN]
    cells = gains.set_index(["dataset", "method", "criterion"])["published"].dropna()
    assert cells["vehicle", "confdtree_comb", "weighted_average_auc"] == 8.18
    ratio = table[table["metric"] == "imbalance_ratio"].set_index("dataset")["published"]
    assert (ratio["vehicle"], ratio["letter"], ratio["diabetes"]) == (1.095, 1.1, 1.865)


def test_table_1_measures_the_tree_of_the_plan(run):
    gains = run.inputs["gains"].set_index(["tree", "dataset", "method", "criterion"])["gain"]
    table = run.tables["confdtree_table_1"]
    table = table[table["metric"] == confidence_tables.GAIN]
    table = table.set_index(["dataset", "method", "criterion"])
    for method in (*VERSIONS, "rf"):
        expected = gains[PLAN.tree, "diabetes", method, "average_auc"]
        assert table.loc[("diabetes", method, "average_auc"), "measured"] == round(expected, 9)


def test_table_2_says_over_how_many_data_sets(run):
    table = run.tables["confdtree_table_2"].set_index(["dataset", "method", "criterion", "metric"])
    cell = table.loc[("binary_datasets", "confdtree_norm", "average_auc", "wilcoxon_p")]
    assert (cell["n_datasets"], cell["published_n"], cell["published"]) == (2, 10, 0.005)
    assert len(table) == 9 * 4 and table["published"].notna().all()


def test_table_3_beside_what_is_printed(run):
    table = run.tables["confdtree_table_3"].set_index(["dataset", "method"])
    rows = run.inputs["rows"]
    own = rows[(rows["dataset"] == "vehicle") & (rows["tree"] == PLAN.tree)]
    own = own[own["method"] == "confdtree_tdist"].groupby("metric")["value"].mean()
    cell = table.loc[("vehicle", "confdtree_tdist")]
    assert cell["measured"] == cell["points"] == pytest.approx(100 * own["affected_points"])
    assert cell["relative"] == pytest.approx(100 * own["affected"])
    assert cell["published"] == 78.7
    assert table.loc[("miniboone", "confdtree_norm"), "status"] == "absent"


def test_base_trees_are_means_over_their_sets(run):
    table = run.tables["confidence_trees"].set_index(["kind", "tree"])
    assert table.index.tolist() == [(k, t) for k in ("binary", "multi_class") for t in TREES]
    line = table.loc[("binary", "unpruned")]
    gains = run.inputs["gains"].set_index(["tree", "dataset", "method", "criterion"])["gain"]
    own = [gains["unpruned", d, "confdtree_comb", "average_auc"] for d in ("diabetes", "own")]
    assert line["confdtree_comb"] == pytest.approx(np.mean(own))
    assert line["confdtree_comb_wins"] == sum(g > 0 for g in own) and line["n_datasets"] == 2
    assert line["confdtree_comb_published"] == 8.2  # of diabetes; the other is not printed


def test_sizes_are_gains_of_mean_areas(run):
    table = run.tables["confidence_sizes"].set_index(["kind", "share"])
    sizes = run.inputs["sizes"]
    own = sizes[(sizes["dataset"] == "vehicle") & (sizes["share"] == 0.3)]
    own = own[own["tree"] == PLAN.tree]
    area = own[own["metric"] == "average_auc"].groupby("method")["value"].mean()
    expected = 100 * (area["confdtree_norm"] / area["c45"] - 1)
    assert table.loc[("multi_class", 0.3), "confdtree_norm"] == pytest.approx(expected)


def _claims(run, **changes):
    frames = {**run.inputs, **changes}
    names = ("rows", "facts", "gains", "sizes", "statistics")
    plan = frames.get("plan", PLAN)
    return confidence_claims.claims(*(frames[n] for n in names), SPECIFICATION, STATEMENTS, plan)


def test_few_data_sets_cannot_tell(run):
    found = _claims(run).set_index("claim")
    assert found.index.tolist() == [f"CF-{k:02d}" for k in range(1, 11)]
    assert (found["verdict"] == "inconclusive").all()
    assert found.loc["CF-01", "lacking"] == "3 data sets of 16 or more"


def _many(run, gain):
    """Sixteen sets in which each version has so much more area than C4.5, and the forest most."""
    names = [f"set {k:02d}" for k in range(16)]
    added = {"c45": 0.0, **gain, "rf": 0.2}
    rows = []
    for k, name in enumerate(names):
        for tree in TREES:
            for method, more in added.items():
                area = 0.7 + more * (1 + k / 100)
                key = (name, 0, "" if method == "rf" else tree, method)
                rows += [(*key, c, area) for c in ("average_auc", "weighted_average_auc")]
                if method in VERSIONS:
                    share = 0.1 + 0.1 * (method == "confdtree_tdist")
                    rows += [(*key, "affected_points", share), (*key, "affected", 0.5)]
    columns = ["dataset", "repeat", "tree", "method", "metric", "value"]
    rows = pd.DataFrame(rows, columns=columns).drop_duplicates(columns[:-1])
    facts = pd.DataFrame({"dataset": names, "n_classes": [2] * 9 + [5] * 7})
    facts["imbalance_ratio"] = np.arange(1.0, 17.0)
    gains = confidence_statistics.gains_of(rows)
    return {
        "rows": rows,
        "facts": facts,
        "gains": gains,
        "statistics": confidence_statistics.statistics(rows, gains, facts, PLAN),
    }


@pytest.mark.parametrize(
    ("gain", "verdicts"),
    [
        (
            {"confdtree_norm": 0.02, "confdtree_tdist": 0.03, "confdtree_comb": 0.05},
            {
                "CF-01": "reproduced",
                "CF-02": "reproduced",
                "CF-06": "reproduced",
            },
        ),
        (
            {"confdtree_norm": 0.02, "confdtree_tdist": -0.03, "confdtree_comb": 0.01},
            {"CF-01": "partly", "CF-02": "not reproduced", "CF-04": "partly"},
        ),
        (
            {"confdtree_norm": -0.02, "confdtree_tdist": -0.03, "confdtree_comb": -0.01},
            {"CF-01": "not reproduced", "CF-02": "reproduced", "CF-03": "not reproduced"},
        ),
    ],
)
def test_a_verdict_follows_its_test(run, gain, verdicts):
    found = _claims(run, **_many(run, gain)).set_index("claim")["verdict"]
    assert {claim: found[claim] for claim in verdicts} == verdicts


def test_the_other_analysis_of_who_is_affected(run):
    """By it all versions affect as many."""
    made = _many(run, {"confdtree_norm": 0.02, "confdtree_tdist": 0.03, "confdtree_comb": 0.05})
    plan = dataclasses.replace(PLAN, affected="relative")
    for of, said in ((PLAN, "more on 16 data sets"), (plan, "more on 0 data sets")):
        found = _claims(run, **made, plan=of).set_index("claim")
        assert said in found.loc["CF-05", "measured"]


def test_a_gain_that_shrinks_with_the_training_part(run):
    made = _many(run, {"confdtree_norm": 0.02, "confdtree_tdist": 0.03, "confdtree_comb": 0.05})
    names = made["facts"]["dataset"].tolist()
    for start, slope, verdict in (
        (0.05, -0.04, "reproduced"),
        (0.05, 0.04, "not reproduced"),
        # It falls from less than nothing to less: that was called reproduced.
        (-0.01, -0.04, "partly"),
    ):
        sizes = _sizes({name: (start, slope) for name in names})
        found = _claims(run, **made, sizes=sizes).set_index("claim")
        assert found.loc["CF-07", "verdict"] == verdict
        assert found.loc["CF-07", "verdict_unpruned"] == "not reproduced"


def _sizes(of):
    """Gains at each share of the rows: data set -> (at none, slope)."""
    rows = []
    for name, (start, slope) in of.items():
        for share in (k / 10 for k in range(1, 10)):
            for method in ("c45", *VERSIONS):
                area = 0.7 + (method != "c45") * (start + slope * share)
                rows.append((name, 0, share, PLAN.tree, method, "average_auc", area))
                rows.append((name, 0, share, "unpruned", method, "average_auc", 0.7))
    columns = ["dataset", "repeat", "share", "tree", "method", "metric", "value"]
    return pd.DataFrame(rows, columns=columns)


@pytest.mark.parametrize(
    ("claim", "falling", "steady", "n_classes"),
    [
        ("CF-09", ("ecoli3", "ionosphere", "yeast_0256_vs_3789"), ("credit_approval", "wdbc"), 2),
        ("CF-09", ("ecoli3", "ionosphere", "yeast_02579_vs_368"), ("credit_approval", "wdbc"), 2),
        ("CF-10", ("letter", "segment", "vehicle", "vowel"), ("autos", "glass", "waveform"), 5),
    ],
)
def test_where_the_gain_shrinks(run, claim, falling, steady, n_classes):
    """CF-09 was inconclusive where the other yeast stood for the row of the paper."""
    made = _many(run, {"confdtree_norm": 0.02, "confdtree_tdist": 0.03, "confdtree_comb": 0.05})
    more = pd.DataFrame({"dataset": [*falling, *steady], "n_classes": n_classes})
    made["facts"] = pd.concat([made["facts"], more.assign(imbalance_ratio=1.0)])
    down, up = (0.05, -0.04), (0.02, 0.01)
    yeast = {"yeast_binary": ("yeast_0256_vs_3789", "yeast_02579_vs_368")}
    plan = dataclasses.replace(PLAN, printed={**PLAN.printed, **yeast})

    def verdict(of):
        found = _claims(run, **made, sizes=_sizes(of), plan=plan).set_index("claim")
        return found.loc[claim, "verdict"]

    as_printed = dict.fromkeys(falling, down) | dict.fromkeys(steady, up)
    assert verdict(as_printed) == "reproduced"
    assert verdict(as_printed | {falling[0]: up}) == "partly"
    assert verdict(as_printed | {steady[0]: down}) == "partly"
    assert verdict(dict.fromkeys(as_printed, up)) == "not reproduced"


def test_figures_show_what_was_run(run):
    drawn = made_by(confidence_figures.confdtree_figure_6, **run.inputs)
    assert len(drawn.axes) == 2 and len(drawn.axes[0].lines) == 4
    drawn = made_by(confidence_figures.confidence_gains, **run.inputs)
    names = [label.get_text() for label in drawn.axes[0].get_yticklabels()]
    assert names == ["diabetes", "vehicle", "own"]


def test_the_section_names_what_is_absent(tmp_path):
    text = page_of(section_of("confidence", tmp_path, **inputs()))
    assert "Absent: miniboone, glass." in text and "inconclusive" in text.lower()
    assert "mean over 2 cross validations of 3 folds" in text
