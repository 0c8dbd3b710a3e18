"""Tables, figures, answers and the section of what goes beyond chapter 5, from made-up rows."""

import functools
import io
import itertools
import re

import numpy as np
import pandas as pd
import pytest
from shown import SPECIFICATION, STATEMENTS, captions_of, page_of, section_of, shown_by

from hedgerow.showing import figures
from hedgerow_study.experiments.structure import plan as structure_plan
from hedgerow_study.extensions.diverse_trees import claims as diverse_trees_claims
from hedgerow_study.extensions.diverse_trees import figures as diverse_trees_figures
from hedgerow_study.extensions.diverse_trees import plan as diverse_trees_plan
from hedgerow_study.extensions.diverse_trees import statistics as diverse_trees_statistics
from hedgerow_study.extensions.diverse_trees import tables as diverse_trees_tables
from hedgerow_study.extensions.diverse_trees.plan import STRATEGIES, DiverseTreesPlan
from hedgerow_study.reporting.tables import MEAN

pytestmark = pytest.mark.slow

BEYOND = {
    f"{kind}s": [s.id for s in shown_by("diverse_trees").values() if s.kind == kind]
    for kind in ("table", "figure")
}
SETS = ("bupa", "iris", "pima", "saheart", "synthetic_search_4", "wdbc", "wine")


PLAN = DiverseTreesPlan(
    datasets=(*SETS, "vehicle"),
    configuration="made-up",
    n_repeats=2,
    sizes=(3, 5),
)


@pytest.fixture(scope="module")
def plan():
    return PLAN


def made_up(n_sets: int = 7) -> dict[str, pd.DataFrame]:
    """MADE UP: B 0.1 above A, normalised 0.2 below; prototypes as normalised; trees of UCT-DT far
    in structure one point above random ones and two below the best."""
    random = np.random.default_rng(8)
    rows = {name: [] for name in ("closeness", "scores", "ensembles")}
    for (d, name), repeat in itertools.product(enumerate(SETS[:n_sets]), range(2)):
        noise = 0.001 * random.random()
        for method, scale in itertools.product(structure_plan.VARIANTS, diverse_trees_plan.SCALES):
            if (name, repeat) == ("wine", 1):
                continue  # a forest of too few trees
            base = 0.4 + 0.1 * method.startswith("edit_b") + 0.01 * d + noise
            base -= 0.2 * (scale != "unnormalized")
            key = {"dataset": name, "repeat": repeat, "method": method, "scale": scale}
            rows["closeness"].append({**key, **dict.fromkeys(diverse_trees_plan.OF_PAIRS, base)})
            own = {m: base for m in diverse_trees_plan.OF_CLUSTERS[:5]}
            if name != "wdbc":
                own["correlated_substitution_score"] = np.nan
            rows["scores"].append({**key, "seed": 0, **own, "chance": 0.25})
        for pool, k, strategy in itertools.product(("uct", "c45"), (3, 5), STRATEGIES):
            if (name, repeat, pool) == ("wine", 1, "uct"):
                continue
            gain = {"random": -1.0, "best": 2.0}.get(strategy, 0.0) * (pool == "uct")
            key = {"dataset": name, "repeat": repeat, "pool": pool, "k": k, "strategy": strategy}
            values = {"f1": 70 + d + gain + repeat, "accuracy": 80.0 + d, "member_f1": 60.0 + k}
            values["mean_distance"] = np.nan if strategy == "single" else 2.0
            rows["ensembles"].append({**key, **values, "n_trees": 100})
    return {name: pd.DataFrame(own) for name, own in rows.items()}


def tables_of(rows, plan) -> dict[str, pd.DataFrame]:
    """The tables as a CSV file gives them back."""
    statistics = diverse_trees_statistics.statistics(rows)
    made = {}
    for name in BEYOND["tables"]:
        text = getattr(diverse_trees_tables, name)(rows, statistics, plan).to_csv(index=False)
        made[name] = pd.read_csv(io.StringIO(text))
    return made


@functools.cache
def inputs():
    """Inputs of all jobs."""
    return {**inputs_of(made_up()), "plan": PLAN}


def inputs_of(rows):
    return {"measured": rows, "statistics": diverse_trees_statistics.statistics(rows)}


@pytest.fixture(scope="module")
def rows():
    return inputs()["measured"]


@pytest.fixture(scope="module")
def tables(rows, plan):
    return tables_of(rows, plan)


def judged(rows, **changes):
    """Our questions, by id; with other statistics where these are given."""
    statistics = diverse_trees_statistics.statistics(rows).assign(**changes)
    found = diverse_trees_claims.claims(rows, statistics, SPECIFICATION, STATEMENTS)
    return found.set_index("claim")


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    folder = tmp_path_factory.mktemp("figures")
    return page_of(section_of("diverse_trees", folder, **inputs()))


def one(table, **key):
    chosen = table
    for name, value in key.items():
        chosen = chosen[chosen[name] == value]
    assert len(chosen) == 1, key
    return chosen.iloc[0]


# -------------------------------------------------------------------------------------- tables


def test_questions_count_data_sets_and_carry_their_tests(tables):
    table = tables["diverse_trees_questions"]
    row = one(table, metric="silhouette", question="unitary_substitution")
    assert (row["first"], row["second"]) == ("B", "A")
    assert row["mean_first"] - row["mean_second"] == pytest.approx(0.1, abs=1e-5)
    assert (row["wins"], row["losses"], row["n_datasets"]) == (7, 0, 7)
    assert row["p"] == 2 / 2**7 and row["p_holm"] == 8 * 2 / 2**7
    same = one(table, metric="silhouette", question="prototypes_normalized")
    assert (same["wins"], same["losses"], same["p"]) == (0, 0, 1.0)
    rare = one(table, metric="correlated_substitution_score", question="normalization")
    assert (rare["n_datasets"], rare["p"]) == (1, 1.0)


def test_ensembles_say_how_far_structure_is_above(tables):
    table = tables["diverse_trees_ensembles"]
    key = {"metric": "f1", "pool": "uct", "k": 5, "dataset": MEAN}
    random, best = one(table, **key, strategy="random"), one(table, **key, strategy="best")
    assert random["difference"] == pytest.approx(1.0) and random["wins"] == 7
    assert best["difference"] == pytest.approx(-2.0) and best["losses"] == 7
    # Wine has one forest only, of repeat 0; the mean over both would be half a point more.
    own = one(table, **{**key, "dataset": "wine"}, strategy="structure")
    assert own["measured"] == 76.0
    mean = one(table, **key, strategy="structure")["measured"]
    assert mean == pytest.approx((sum(70.5 + d for d in range(6)) + 76) / 7)
    single = one(table, **key, strategy="single")
    assert pd.isna(single["mean_distance"]) and single["member_f1"] == 65.0


def test_the_order_of_the_rows_does_not_matter(rows, plan, tables):
    shuffled = {name: frame.sample(frac=1, random_state=3) for name, frame in rows.items()}
    for name, table in tables_of(shuffled, plan).items():
        pd.testing.assert_frame_equal(table, tables[name])


# ------------------------------------------------------------------------------------- answers


def test_directions_follow_the_corrected_test(tables):
    direction = diverse_trees_tables.direction
    questions = tables["diverse_trees_questions"].set_index(["metric", "question"])
    prototypes = questions.loc["silhouette", "prototypes_normalized"]
    assert direction(prototypes) == "too few data sets"  # 7, and Holm's correction over 8
    prototypes = prototypes.copy()
    prototypes["n_datasets"] = 9
    assert direction(prototypes) == "no difference"
    rare = questions.loc["correlated_substitution_score", "normalization"]
    assert direction(rare) == "too few data sets"
    higher = questions.loc["silhouette", "unitary_substitution"].copy()
    higher["p_holm"], higher["n_datasets"] = 0.049, 9
    assert direction(higher) == "higher"
    higher["difference"] = -1.0
    assert direction(higher) == "lower"
    higher["p_holm"] = 0.05
    assert direction(higher) == "no difference"


def test_ensembles_are_judged_by_pool_and_size(rows):
    of_best = judged(rows).loc["diverse_trees-07"]
    assert of_best["verdict"] == "not reproduced"
    assert "higher by the test at 0 and lower at 0 of 4 pools and sizes" in of_best["measured"]
    assert judged(rows, p=0.5).loc["diverse_trees-04", "verdict"] == "inconclusive"
    no_difference = judged(rows, p=0.5, n=9).loc["diverse_trees-04"]
    assert no_difference["verdict"] == "reproduced"
    few = judged(rows, difference=1.0).loc["diverse_trees-07"]
    assert few["verdict"] == "inconclusive"
    assert few["lacking"] == "p < 0.05 cannot be reached by 7 data sets"
    whole = judged(rows, p=0.01, difference=1.0, n=10).loc["diverse_trees-07"]
    assert (whole["verdict"], whole["n_datasets"]) == ("reproduced", 10)
    assert whole["measured"].startswith(
        "UCT-DT: +1.0 percentage points; bootstrap C4.5: +1.0 percentage points"
    )


def test_few_data_sets_cannot_tell():
    found = judged(made_up(3))
    assert (found["verdict"] == "inconclusive").all()
    assert (found["lacking"] == "3 data sets of 6 or more").all()


# ------------------------------------------------------------------------------------ captions


def test_captions_say_what_was_run(rows, plan):
    said = captions_of("diverse_trees", measured=rows, plan=plan)
    assert set(said) == {*BEYOND["tables"], *BEYOND["figures"]}
    of_forests = said["diverse_trees_questions"]
    assert "bupa, iris, pima" in of_forests and "2 repeats" in of_forests
    assert "Forests: 13 of 14; the others have fewer than 20 trees." in of_forests
    assert "Synthetic: synthetic_search_4." in of_forests
    assert "Absent, because no source answered: vehicle." in of_forests
    assert "Pools: forests of UCT-DT" in said["diverse_trees_ensembles"]


# ------------------------------------------------------------------------------------- figures


def test_the_figure_of_ensembles_shows_every_data_set(tables, plan):
    figure = diverse_trees_figures.diverse_trees_ensembles_gain(tables, plan)
    assert len(figure.axes) == 4
    axes = figure.axes[0]
    others = [s for s in STRATEGIES if s != "structure"]
    assert [t.get_text() for t in axes.get_yticklabels()] == [
        diverse_trees_tables.STRATEGY_LABELS[s] for s in others
    ]
    dots = [line for line in axes.get_lines() if line.get_marker() == "o"]
    assert {len(line.get_xdata()) for line in dots} == {7}
    assert np.allclose(dots[others.index("random")].get_xdata(), 1.0)


@pytest.mark.parametrize("name", BEYOND["figures"])
def test_a_figure_is_the_same_twice(tables, plan, name, tmp_path):
    for i in range(2):
        figure = getattr(diverse_trees_figures, name)(tables, plan)
        figures.save(figure, tmp_path / f"{i}.svg")
    assert (tmp_path / "0.svg").read_bytes() == (tmp_path / "1.svg").read_bytes()


# -------------------------------------------------------------------------------------- section


def test_every_table_and_figure_is_on_the_page_with_rule_and_function(page):
    for kind, names in BEYOND.items():
        rule = f"diverse_trees_{kind}"
        for name in names:
            assert f'.smk.html#{rule}"><code>{rule}</code></a> · function' in page
            module = f"extensions.diverse_trees.{kind}"
            assert f'{module}.html#{name}"><code>hedgerow_study.{module}.{name}</code>' in page


def test_the_page_says_what_was_found(page):
    text = re.sub(r"<[^>]*>", "", page)
    text = re.sub(r"\s+", " ", text)
    assert "on 7 data sets" in text and "none can give less than p = 0.016" in text
    assert "k accurate trees that are far in structure have a higher F1 than the k best" in text
    assert "higher by the test at 0 and lower at 0 of 4 pools and sizes" in text
    assert "Does what the thesis says of one forest hold on 7 data sets, and are" in text
    assert "nor less than 0.125 after Holm's correction over the 8 questions of one metric" in text
    assert "too small to conclude anything from" in text


def test_a_small_run_says_so(tmp_path):
    few = {**inputs(), **inputs_of(made_up(2))}
    page = page_of(section_of("diverse_trees", tmp_path, **few))
    assert "This run is too small to conclude anything from" in page
    assert "Lacking: 2 data sets of 6 or more." in page
