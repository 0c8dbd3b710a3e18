"""Tables, figures, answers and the section of what goes beyond chapter 4, from made-up rows."""

import functools
import io
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from shown import SPECIFICATION, STATED, captions_of, made_by, page_of, section_of, shown_by

from hedgerow.experiments.search_beyond import claims as search_beyond_claims
from hedgerow.experiments.search_beyond import figures as search_beyond_figures
from hedgerow.experiments.search_beyond import plan as search_beyond_plan
from hedgerow.experiments.search_beyond import steps as search_beyond_steps
from hedgerow.experiments.search_beyond import tables as search_beyond_tables
from hedgerow.experiments.search_beyond.plan import (
    COMPARED,
    LEARNERS,
    PRUNED,
    UNPRUNED,
    SearchBeyondPlan,
)
from hedgerow.experiments.search_beyond.statistics import rows_of
from hedgerow.experiments.search_beyond.tables import gaps, settled
from hedgerow.reporting import figures
from hedgerow.reporting.tables import MEAN

pytestmark = pytest.mark.slow

BEYOND = {
    f"{kind}s": [s.id for s in shown_by("search_beyond").values() if s.kind == kind]
    for kind in ("table", "figure")
}
SETS = ("bupa", "haberman", "pima", "saheart_numeric", "tic_tac_toe", "wdbc")


PLAN = SearchBeyondPlan(
    datasets=(*SETS, "car"),
    optimum_datasets=(*SETS, "contraceptive", "banknote"),
    configuration="made-up",
    library="pystreed 9.9.9",
    optimum_splits=2,
    n_splits=2,
    depths=(2, 3),
    largest_f1_depth=2,
    widening=(0.5,),
    grid=(1, 10, 100, 1000),
    bootstrap_iterations=10,
)


@pytest.fixture(scope="module")
def plan():
    return PLAN


#: MADE UP: points above C4.5 in training, induction, validation and test data.
ABOVE = {
    "c45_unpruned": (0, 0, 0, 0),
    "c45_pruned": (-1, -1, 0, 1),
    "uct_vs": (1, 0, 4, 2),
    "uct_c45": (-1, 0, 3, -1),
    "uct_vs_no_pruning": (2, 1, 6, 0),
    "uct_vs_all_tests": (3, 1, 7, 0),
    "optimal_accuracy": (4, 5, 0, 1),
    "optimal_f1": (4, 5, 0, 1),
    "optimal_f1_labels": (5, 6, 0, 1),
    "optimal_validation": (2, 2, 8, 1),
}


def made_up(plan, gain=0.0) -> dict[str, pd.DataFrame]:
    """MADE UP: the rule `best` gains `gain` points of F1 over the bound."""
    generator = np.random.default_rng(5)
    optimum, selection, anytime, times = [], [], [], []
    for i, dataset in enumerate((*SETS, "contraceptive")):
        for s in range(2):
            for depth in plan.depths:
                for learner in LEARNERS:
                    of_f1 = learner in ("optimal_f1", "optimal_f1_labels", "optimal_validation")
                    if of_f1 and (depth > plan.largest_f1_depth or dataset == "contraceptive"):
                        continue
                    both = (
                        learner.startswith("c45")
                        or learner in search_beyond_plan.OBJECTIVES.values()
                    )
                    for trained_on in ("training", "induction")[: 2 if both else 1]:
                        values = [60.0 + i + 0.5 * s + v for v in ABOVE[learner] for _ in "af"]
                        key = (dataset, s, depth, learner, trained_on)
                        optimum.append((*key, *values, 4, 20))
            for method in plan.policies:
                for rule in search_beyond_plan.rules_of(plan):
                    f1 = 70.0 + i + generator.normal(0, 0.01) + gain * (rule == "best")
                    leaves = 5 + (rule == "simple_regret") * (i % 2)
                    key = (dataset, s, method, rule)
                    selection.append((*key, f1, leaves, f1 / leaves, 80.0, 7, 100, 1000))
            for method, criterion, steps in (
                ("c45", "", [0]),
                ("ete", "", [2, 3]),
                *((m, c, [0, 1, 2, 3]) for m in ("uct_vs", "uct_c45") for c in (PRUNED, UNPRUNED)),
                *(("uct_c45b", c, [0, 1]) for c in (PRUNED, UNPRUNED)),
            ):
                for step in steps:
                    key = (dataset, s, method, criterion, step)
                    uct = method.startswith("uct")
                    f1 = 75.0 if method == "c45" else 65.0 + 3 * step
                    validation = 70.0 + min(step, 2) if uct else np.nan
                    done = 0 if method == "c45" else plan.grid[step]
                    anytime.append((*key, done, f1 + i, validation + i, 3 + step))
                    times.append((*key, 0.01 * (1 + step)))
    found = {"optimum": optimum, "selection": selection, "anytime": anytime, "times": times}
    columns = {
        name: [*search_beyond_plan.KEYS[name], *search_beyond_plan.VALUES[name]] for name in found
    }
    return {name: pd.DataFrame(rows, columns=columns[name]) for name, rows in found.items()}


def tables_of(rows, plan) -> dict[str, pd.DataFrame]:
    """The tables as a CSV file gives them back."""
    statistics = COMPARED.statistics(rows_of(rows))
    made = {}
    for name in BEYOND["tables"]:
        make = getattr(search_beyond_tables, name)
        text = made_by(make, measured=rows, statistics=statistics, plan=plan).to_csv(index=False)
        made[name] = pd.read_csv(io.StringIO(text))
    return made


def judged(rows, plan):
    """Our questions, by id."""
    statistics = COMPARED.statistics(rows_of(rows))
    frames = (rows, statistics, SPECIFICATION, STATED)
    return search_beyond_claims.claims(*frames, plan=plan).set_index("claim")


def inputs_of(rows, plan):
    return {
        "measured": rows,
        "statistics": COMPARED.statistics(rows_of(rows)),
        "plan": plan,
    }


@functools.cache
def inputs():
    """Inputs of all jobs."""
    return inputs_of(made_up(PLAN), PLAN)


def page_with(rows, plan, folder):
    return page_of(section_of("search_beyond", folder, **inputs_of(rows, plan)))


@pytest.fixture(scope="module")
def rows():
    return inputs()["measured"]


@pytest.fixture(scope="module")
def tables(rows, plan):
    return tables_of(rows, plan)


@pytest.fixture(scope="module")
def page(rows, plan, tmp_path_factory):
    return page_with(rows, plan, tmp_path_factory.mktemp("figures"))


def one(table, **key):
    chosen = table
    for name, value in key.items():
        chosen = chosen[chosen[name] == value]
    assert len(chosen) == 1, key
    return chosen.iloc[0]


# ------------------------------------------------------------------------------------ tables


def test_the_gap_and_the_part_that_is_closed(tables):
    table = tables["search_beyond_gap"]
    key = {"objective": "f1", "depth": 2, "dataset": MEAN, "trained_on": "training"}
    for measured, learner, above, gap in (
        ("training", "uct_vs", 1, 4),
        ("training", "uct_c45", -1, 4),
        ("induction", "uct_vs_all_tests", 1, 5),
        ("validation", "uct_vs", 4, 8),
        ("training", "optimal_f1", 4, 4),
    ):
        row = one(table, learner=learner, measured_on=measured, **key)
        assert (row["difference_c45"], row["gap"]) == (above, gap)
        assert row["gap_closed"] == pytest.approx(100 * above / gap)
        assert row["n_datasets"] == len(SETS)
    row = one(table, learner="uct_vs", measured_on="test", **key)
    assert row["difference_c45"] == 2 and np.isnan(row["gap_closed"])
    assert row["p"] == pytest.approx(2 / 2**6) and row["p_holm"] >= row["p"]


def test_accuracy_is_over_all_sets_and_f1_over_those_of_two_classes(tables):
    table = tables["search_beyond_gap"]
    means = table[table["dataset"] == MEAN]
    n = means.groupby(["objective", "depth"])["n_datasets"].agg(set)
    assert n.to_dict() == {("accuracy", 2): {7}, ("accuracy", 3): {7}, ("f1", 2): {6}}
    assert (means["absent"] == "banknote").all()


def test_only_what_is_fair_to_compare_stands_side_by_side(tables):
    table = tables["search_beyond_gap"]
    means = table[(table["dataset"] == MEAN) & (table["depth"] == 2)]
    trained = means.groupby(["measured_on", "learner"])["trained_on"].agg(set)
    assert trained["training", "c45_pruned"] == {"training"}
    assert trained["validation", "c45_pruned"] == {"induction"}
    assert trained["test", "c45_pruned"] == {"training", "induction"}
    assert trained["induction", "uct_vs"] == {"training"}
    validation = means[means["measured_on"] == "validation"]
    assert set(validation["learner"]) & set(search_beyond_plan.OPTIMA) == {"optimal_validation"}
    assert "optimal_validation" not in set(means.loc[means["measured_on"] == "training", "learner"])


def test_rules_are_compared_with_the_bound(rows, tables):
    table = tables["search_beyond_rules"]
    own = rows["selection"][rows["selection"]["method"] == "uct_vs"]
    means = own.groupby(["rule", "dataset"])["f1"].mean().unstack("rule")
    row = one(table, metric="f1", method="uct_vs", rule="best", dataset=MEAN)
    difference = means["best"] - means["ucb"]
    assert row["difference_ucb"] == pytest.approx(difference.mean(), abs=1e-6)
    assert (row["wins"], row["losses"]) == ((difference > 0).sum(), (difference < 0).sum())
    # Fewer leaves are better.
    row = one(table, metric="n_leaves", method="uct_vs", rule="simple_regret", dataset=MEAN)
    assert (row["wins"], row["losses"]) == (0, 3)
    bound = table[table["rule"] == "ucb"]
    assert bound[["difference_ucb", "p"]].isna().all(None)
    assert set(table.loc[table["dataset"] == MEAN, "absent"]) == {"car"}


def test_points_of_the_curves_are_means(tables, plan):
    table = tables["search_beyond_progress"].fillna({"criterion": ""})
    row = one(table, method="uct_vs", criterion=PRUNED, budget=100, dataset=MEAN)
    assert row["f1"] == 65 + 6 + 2.5 + 0.5 * (len(SETS) - 5)
    assert row["n_datasets"] == 7 and row["difference_c45"] == -4
    assert one(table, method="c45", dataset=MEAN)["budget"] == 0
    assert table.loc[table["method"] == "uct_c45b", "budget"].max() == plan.bootstrap_iterations


def test_each_cell_stands_once_and_the_order_of_rows_leaves_no_trace(rows, plan, tables):
    keys = {
        "search_beyond_gap": ["objective", "measured_on", "depth", "learner", "trained_on"],
        "search_beyond_rules": ["metric", "method", "rule"],
        "search_beyond_progress": ["method", "criterion", "budget"],
    }
    shuffled = {n: t.sample(frac=1, random_state=1) for n, t in rows.items()}
    again = tables_of(shuffled, plan)
    for name, key in keys.items():
        assert not tables[name].duplicated([*key, "dataset"]).any()
        pd.testing.assert_frame_equal(again[name], tables[name])


def test_seconds_are_means_of_their_points(rows, plan):
    times = search_beyond_tables.running_times(rows["times"], plan)
    row = one(times, method="uct_vs", criterion=PRUNED, budget=1000)
    assert row["seconds"] == pytest.approx(0.04) and row["n"] == 14
    assert not [name for name in BEYOND["tables"] + BEYOND["figures"] if "seconds" in name]


# ----------------------------------------------------------------------------------- answers


def test_answers_follow_the_tables(tables):
    found = {(g.objective, g.depth, g.learner): g for g in gaps(tables["search_beyond_gap"])}
    assert {key[:2] for key in found} == {("accuracy", 2), ("accuracy", 3), ("f1", 2)}
    answer = found["f1", 2, "uct_vs"]
    assert (answer.gap, answer.training, answer.validation) == (4, 25, 50)
    assert (answer.test, answer.optimum_test, answer.n) == (2, 1, 6)
    assert np.isnan(found["accuracy", 3, "uct_vs"].validation)


@pytest.mark.parametrize(("gain", "verdict"), [(1.0, "reproduced"), (-1.0, "not reproduced")])
def test_the_verdict_follows_the_rows(plan, gain, verdict):
    found = judged(made_up(plan, gain), plan)
    best = found.loc["search_beyond-06"]
    assert (best["verdict"], best["n_datasets"]) == (verdict, 7)
    assert best["measured"].startswith("VS +1.0" if gain > 0 else "VS \u22121.0")
    assert found.loc["search_beyond-05", "verdict"] == "not reproduced"  # no difference


def test_how_much_of_the_gap_is_closed(rows, plan):
    found = judged(rows, plan)
    assert found.loc["search_beyond-02", "measured"] == "25 % of 4.0 points"
    # Depth 4 was not run here.
    assert "not in this run: depth 4" in found.loc["search_beyond-01", "lacking"]
    assert found.loc["search_beyond-09", "measured"].startswith("VS from 100, C4.5 from 100")


def test_few_data_sets_cannot_tell(rows, plan):
    few = {name: frame[frame["dataset"].isin(SETS[:4])] for name, frame in rows.items()}
    found = judged(few, plan).loc["search_beyond-06"]
    assert (found["verdict"], found["lacking"]) == ("too little data", "4 data sets of 6 or more")


def test_where_a_curve_has_settled(tables):
    found = {(s["method"], s["criterion"]): s for s in settled(tables["search_beyond_progress"])}
    assert found["uct_vs", PRUNED]["budget"] == 100
    assert found["uct_c45b", PRUNED]["budget"] == found["uct_c45b", PRUNED]["last_budget"] == 10
    assert ("ete", "") not in found  # it has no validation set


# ----------------------------------------------------------------------------------- figures


@pytest.mark.parametrize("suffix", ["svg", "png"])
@pytest.mark.parametrize("name", BEYOND["figures"])
def test_the_same_rows_give_the_same_bytes(tables, plan, tmp_path, name, suffix):
    draw = getattr(search_beyond_figures, name)
    paths = [tmp_path / f"{i}.{suffix}" for i in range(2)]
    shuffled = {key: t.sample(frac=1, random_state=2) for key, t in tables.items()}
    figures.save(draw(tables, plan), paths[0])
    figures.save(draw(shuffled, plan), paths[1])
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_every_line_is_in_the_legend(tables, rows, plan):
    times = search_beyond_tables.running_times(rows["times"], plan)
    drawn = [getattr(search_beyond_figures, name)(tables, plan) for name in BEYOND["figures"]]
    drawn.append(search_beyond_figures.curves_by_seconds(tables, times, plan))
    for figure in drawn:
        labels = {t.get_text() for t in figure.legends[0].get_texts()}
        lines = {line.get_label() for axes in figure.axes for line in axes.lines}
        assert {label for label in lines if not label.startswith("_")} == labels


def test_a_panel_shows_the_means(tables, plan):
    figure = search_beyond_figures.search_beyond_distance(tables, plan)
    axes = figure.axes[4]
    assert axes.get_title(loc="left") == "all training rows"
    line = next(a for a in axes.lines if a.get_label() == "optimum")
    np.testing.assert_allclose(line.get_ydata(), [4])
    line = next(a for a in figure.axes[0].lines if a.get_label() == "UCT-DT, VS")
    np.testing.assert_allclose(line.get_ydata(), [1, 1])


# --------------------------------------------------------------------------- section and ids


def test_the_section_says_plainly_how_much_is_closed(page):
    assert "closes 25 % of that" in page
    assert "2.0 points above C4.5" in page
    assert "pystreed 9.9.9" in page and "not installed" not in page


def test_without_the_library_the_page_says_so_once(rows, plan, tmp_path):
    page = page_with(rows, replace(plan, library="absent"), tmp_path)
    assert page.count("pystreed is not installed") == 1


@pytest.mark.parametrize("left", [("selection",), ("optimum",), ("anytime", "times")])
def test_a_part_all_of_whose_sets_are_absent_is_named(rows, plan, tmp_path, left):
    few = {n: rows[n] if n in left else search_beyond_steps.merge([], n) for n in rows}
    made = tables_of(few, plan)
    page = page_with(few, plan, tmp_path)
    for part, name in (
        ("optimum", "search_beyond_gap"),
        ("selection", "search_beyond_rules"),
        ("anytime", "search_beyond_progress"),
    ):
        caption = captions_of("search_beyond", tables=made, plan=plan)[name]
        assert ("no data set" in caption) == (part not in left)
        assert caption.split(". ")[0] in page.replace("&#39;", "'")
    if "selection" not in left:
        assert "too small to conclude" in page
