"""Tables, figures, answers and the section of what goes beyond chapter 3, from made-up rows."""

import functools
import io

import numpy as np
import pandas as pd
import pytest
from shown import SPECIFICATION, STATEMENTS, page_of, section_of

from hedgerow.showing import figures
from hedgerow_study.extensions.noise_models import claims as noise_models_claims
from hedgerow_study.extensions.noise_models import figures as noise_models_figures
from hedgerow_study.extensions.noise_models import plan as noise_models_plan
from hedgerow_study.extensions.noise_models import tables as noise_models_tables
from hedgerow_study.extensions.noise_models.plan import COMPARED, POOLED, NoiseModelsPlan
from hedgerow_study.extensions.noise_models.statistics import rows_of
from hedgerow_study.extensions.noise_models.tables import list_conclusions
from hedgerow_study.reporting.tables import MEAN

pytestmark = pytest.mark.slow

SETS = ("bupa", "haberman", "iris", "pima", "saheart_numeric", "wine")


PLAN = NoiseModelsPlan(datasets=(*SETS, "spectf"), configuration="made-up", n_repeats=2)


@pytest.fixture(scope="module")
def beyond():
    return PLAN


def made_up(plan, gain=0.0) -> pd.DataFrame:
    """MADE UP: a matching model gains `gain` of accuracy over a normal one."""
    generator = np.random.default_rng(5)
    rows = []

    def add(dataset, repeat, place, method, model, bonus=0.0):
        accuracy = 0.7 + bonus - 0.2 * place[2] + generator.normal(0, 0.0005)
        values = {"accuracy": accuracy, "macro_f1": accuracy, "brier": 1 - accuracy}
        values["n_leaves"] = 9.0 if method in ("c45", "se") else 6.0 + repeat
        if model in ("normal", "matching"):
            values["uncertainty"] = float(generator.choice(plan.uncertainties))
        key = (dataset, repeat, "noise_models", *place, method, model)
        rows.extend((*key, *value) for value in values.items())

    clean = noise_models_plan.NO_NOISE
    for repeat in range(plan.n_repeats):
        for dataset in SETS:
            add(dataset, repeat, clean, "c45", "none")
            for where in noise_models_plan.WHERE:
                for family in plan.families:
                    place = (where, family, 0.2)
                    add(dataset, repeat, place, "c45", "none")
                    for method in noise_models_plan.METHODS[1:]:
                        for model in ("normal", "matching", "true"):
                            if model == "matching" and family == "normal":
                                continue
                            bonus = 0.02 + (gain if model == "matching" else 0.0)
                            add(dataset, repeat, place, method, model, bonus)
    return pd.DataFrame(rows, columns=[*noise_models_plan.ORDER, "value"])


def tables_of(rows, plan) -> dict[str, pd.DataFrame]:
    """The table as a CSV file gives it back."""
    statistics = COMPARED.statistics(rows_of(rows))
    made = noise_models_tables.noise_models_gain(rows, statistics, plan).to_csv(index=False)
    return {"noise_models_gain": pd.read_csv(io.StringIO(made))}


@functools.cache
def inputs():
    """Inputs of all jobs."""
    return inputs_of(made_up(PLAN))


def inputs_of(rows):
    return {"rows": rows, "statistics": COMPARED.statistics(rows_of(rows)), "plan": PLAN}


@pytest.fixture(scope="module")
def rows():
    return inputs()["rows"]


@pytest.fixture(scope="module")
def tables(rows, beyond):
    return tables_of(rows, beyond)


def one(table, **key):
    chosen = table
    for name, value in key.items():
        chosen = chosen[chosen[name] == value]
    assert len(chosen) == 1, key
    return chosen.iloc[0]


# ------------------------------------------------------------------------------------ tables


def test_differences_are_those_of_the_rows(rows, tables):
    key = {"where": "test", "family": "laplace", "method": "stp", "model": "matching"}
    row = one(tables["noise_models_gain"], metric="accuracy", dataset=MEAN, **key)
    cells = rows[rows["metric"] == "accuracy"]
    means = cells.groupby(["where", "family", "method", "model"])["value"].mean() * 100
    mine = means["test", "laplace", "stp", "matching"]
    assert row["difference_c45"] == pytest.approx(
        mine - means["test", "laplace", "c45", "none"], abs=1e-5
    )
    assert row["difference_normal"] == pytest.approx(
        mine - means["test", "laplace", "stp", "normal"], abs=1e-5
    )
    assert row["difference_clean"] == pytest.approx(
        mine - means["none", "none", "c45", "none"], abs=1e-5
    )
    assert np.isnan(row["measured"])  # averages over data sets mean nothing
    assert 0 < row["p_c45"] <= row["p_c45_holm"] <= 1


def test_the_joined_families_are_the_mean_of_those_that_are_not_normal(tables):
    table = tables["noise_models_gain"]
    key = {"metric": "accuracy", "where": "training", "method": "ss", "model": "true"}
    of_means = table[(table["dataset"] == MEAN)].set_index("family")
    chosen = of_means[(of_means[list(key)] == pd.Series(key)).all(axis=1)]["difference_c45"]
    others = chosen.drop(["normal", POOLED])
    assert len(others) == 5
    assert chosen[POOLED] == pytest.approx(others.mean(), abs=1e-5)


def test_absent_sets_are_named_and_counted(tables):
    table = tables["noise_models_gain"]
    means = table[table["dataset"] == MEAN]
    assert (means["absent"] == "spectf").all()
    assert (means["n_datasets"] == 6).all() and (means["of_datasets"] == 7).all()


def test_each_cell_stands_once_and_the_order_of_rows_leaves_no_trace(rows, beyond, tables):
    table = tables["noise_models_gain"]
    key = ["metric", "where", "family", "noise", "method", "model", "dataset"]
    assert not table.duplicated(key).any()
    shuffled = tables_of(rows.sample(frac=1, random_state=1), beyond)
    pd.testing.assert_frame_equal(shuffled["noise_models_gain"], table)


# ----------------------------------------------------------------------------------- answers


def judged(rows, p=None, n=None):
    """Our questions, by id; with other values of p or n where these are given."""
    statistics = COMPARED.statistics(rows_of(rows))
    statistics = statistics.assign(**{"p": p} if p else {}, **{"n": n} if n else {})
    return judged_of(rows, statistics)


def judged_of(rows, statistics):
    """What came of our questions, by id."""
    given = rows, statistics, SPECIFICATION, STATEMENTS
    return noise_models_claims.claims(*given).set_index("claim")


@pytest.mark.parametrize(("gain", "verdict"), [(0.01, "reproduced"), (-0.01, "not reproduced")])
def test_the_answer_follows_the_rows(beyond, gain, verdict):
    rows = made_up(beyond, gain)
    found = list_conclusions(tables_of(rows, beyond)["noise_models_gain"])
    assert len(found) == 2 * 2 * 3
    matching = [a for a in found if a.model == "matching"]
    assert all(abs(a.accuracy - 100 * gain) < 0.1 for a in matching)
    assert {a.better for a in matching} == {6 if gain > 0 else 0}
    claim = judged(rows).loc["noise_models-01"]
    assert (claim["verdict"], claim["n_datasets"]) == (verdict, 6)
    counts = (6, 0) if gain > 0 else (0, 6)
    assert "higher by the test in {} and lower in {} of 6".format(*counts) in claim["measured"]


def test_the_test_decides_and_five_data_sets_cannot(beyond):
    rows = made_up(beyond, 0.01)
    assert judged(rows, p=0.6).loc["noise_models-01", "verdict"] == "not reproduced"
    few = judged(rows, n=5).loc["noise_models-01"]
    assert (few["verdict"], few["lacking"]) == ("inconclusive", "5 data sets of 6 or more")


def test_a_model_that_helps_in_some_combinations_does_so_in_part(beyond):
    rows = made_up(beyond, 0.01)
    statistics = COMPARED.statistics(rows_of(rows))
    of_ss = statistics["first"].str.startswith("ss/")

    def verdict(p, difference):
        changed = statistics.assign(
            p=statistics["p"].where(of_ss, p),
            difference=statistics["difference"].where(of_ss, difference),
        )
        return judged_of(rows, changed).loc["noise_models-01", "verdict"]

    assert verdict(0.5, 0.001) == "partly"
    assert verdict(0.01, -0.01) == "not reproduced"  # it helps some and harms others


def test_with_normal_noise_only_nothing_can_match(beyond):
    plan = NoiseModelsPlan(**{**vars(beyond), "families": ("normal",)})
    rows = made_up(plan)
    assert list_conclusions(tables_of(rows, plan)["noise_models_gain"]) == []
    found = judged(rows)
    assert (found["verdict"] == "inconclusive").all()
    assert found["lacking"].str.contains("not in this run: family all_families").all()


# ----------------------------------------------------------------------------------- figures


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_the_same_rows_give_the_same_bytes(tables, beyond, tmp_path, suffix):
    paths = [tmp_path / f"{k}.{suffix}" for k in "ab"]
    shuffled = {key: t.sample(frac=1, random_state=2) for key, t in tables.items()}
    for path, given in zip(paths, (tables, shuffled), strict=True):
        figures.save(noise_models_figures.noise_models_matching(given, beyond), path)
    assert paths[0].read_bytes() == paths[1].read_bytes()


def test_marks_stand_at_the_means(tables, beyond):
    figure = noise_models_figures.noise_models_matching(tables, beyond)
    assert len(figure.axes) == 6
    axes = figure.axes[0]
    assert axes.get_title(loc="left") == "SS, noise in the training data"
    triangles = [line for line in axes.lines if line.get_marker() == "^"]
    drawn = [float(y) for line in triangles for y in line.get_ydata()]
    key = {"metric": "accuracy", "where": "training", "method": "ss", "model": "matching"}
    table = tables["noise_models_gain"]
    table = table[(table[list(key)] == pd.Series(key)).all(axis=1) & (table["dataset"] == MEAN)]
    np.testing.assert_allclose(sorted(drawn), sorted(table["difference_c45"]))


# --------------------------------------------------------------------------- section and ids


def test_the_section_says_plainly_whether_a_matching_model_helps(tmp_path):
    page = page_of(section_of("noise_models", tmp_path, **inputs()))
    assert "Does a model that matches the noise help?" in page
    statement = "A noise model that matches the noise gives soft trees a higher accuracy"
    assert page.count(statement) >= 2  # on top of the page and in the section
    assert "data sets: 6 · noise_models-01" in page
    assert "too small to conclude" not in page
    assert "<strong>Absent: spectf.</strong>" in page


def test_a_small_run_says_so(rows, tmp_path):
    few = rows[rows["dataset"].isin(["pima", "wine"])]
    page = page_of(section_of("noise_models", tmp_path, **inputs_of(few)))
    assert "too small to conclude" in page
    assert "Lacking: 2 data sets of 6 or more." in page
