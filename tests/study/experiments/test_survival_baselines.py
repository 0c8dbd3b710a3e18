"""Beyond chapter 6: other models, weights for the censored."""

import dataclasses
import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from made_cohorts import FACTS, made_up
from oracle import survival as oracle
from scipy import stats
from statsmodels.stats.multitest import multipletests

from hedgerow.optional_imports import version_of
from hedgerow.survival import censoring_weights, thesis_tree
from hedgerow.tree import Tree
from hedgerow_study.experiments.frames import concat_sorted
from hedgerow_study.experiments.survival import steps as survival_steps
from hedgerow_study.experiments.survival.plan import SurvivalPlan
from hedgerow_study.extensions.survival_baselines import claims as survival_baselines_claims
from hedgerow_study.extensions.survival_baselines import statistics as survival_baselines_statistics
from hedgerow_study.extensions.survival_baselines import steps as survival_baselines_steps
from hedgerow_study.extensions.survival_baselines.plan import (
    COMPARED,
    MODELS,
    NOT_INSTALLED,
    ORDER,
    SurvivalBaselinesPlan,
)

ROOT = Path(__file__).parents[3]
PLAN = {"seed": 3, "cohorts": FACTS, "datasets": ("made_up",), "n_repeats": 2, "n_trees": 5}
PROTOCOL = {"seed": 3, "confidences": (0.5,), "repetition_factors": (0.7, 1.0),
            "leaf_sizes": (10, 20), "n_folds": 3}  # fmt: skip


@pytest.fixture(scope="module")
def plan():
    return SurvivalBaselinesPlan(**PLAN)


@pytest.fixture(scope="module")
def protocol():
    return SurvivalPlan(**PROTOCOL)


@pytest.fixture(scope="module")
def table():
    """With missing values and a variable of categories."""
    made = made_up()
    X = made.X.assign(site=pd.Categorical(np.resize(["a", "b", "c"], len(made.X))))
    X.loc[X.index[::17], "noise"] = np.nan
    return dataclasses.replace(made, X=X)


@pytest.fixture(scope="module")
def own(table, plan):
    return survival_steps.cohort_of(table, plan)


@pytest.fixture(scope="module")
def scored(table, plan, protocol):
    return survival_baselines_steps.scores(table, plan, protocol)


@pytest.fixture(scope="module")
def weighted(table, plan, protocol):
    return survival_baselines_steps.weights(table, plan, protocol)


@pytest.fixture(scope="module")
def chapter(table, protocol):
    """What the experiment `survival` learns."""
    both = dataclasses.replace(protocol, cohorts=FACTS, n_repeats=2)
    return survival_steps.learn(table, both)


def test_chunks_of_divisions_put_together_are_the_whole(table, scored, weighted, plan, protocol):
    for name, frame in (("scores", scored), ("weights", weighted)):
        run = getattr(survival_baselines_steps, name)
        parts = [run(table, plan, protocol, [repeat]) for repeat in (1, 0)]
        pd.testing.assert_frame_equal(concat_sorted(parts, ORDER[name]), frame)


# -------------------------------------------------------------------------------------- scores


def test_patients_are_in_the_leaves_of_the_chapter(own, chapter):
    tree = Tree.from_json(chapter["trees"]["tree"].iloc[0])
    leaf = tree.apply(survival_baselines_steps.codes(own.X))
    number = survival_steps.numbered(tree, leaf)
    assert (number == chapter["patients"]["number"]).all()


def test_the_risk_of_a_leaf_is_that_of_its_training_patients(own, chapter, scored):
    """By Kaplan-Meier, the censored among them; ranked and weighted by the plain twins."""
    patients = chapter["patients"]
    time, event = (patients[name].to_numpy() for name in ("time", "event"))
    training, number = (patients[name].to_numpy() for name in ("training", "number"))
    last = min(own.horizon, time[training].max(), time[~training].max())
    risk = {}
    for leaf in np.unique(number):
        mine = training & (number == leaf)
        curve = oracle.kaplan_meier(time[mine].tolist(), event[mine].tolist())
        risk[leaf] = 1 - min((share for at, share in curve if at <= last), default=1)
    test = ~training
    own_risk = [float(risk[leaf]) for leaf in number[test]]
    found = scored[scored["repeat"] == 0].set_index(["model", "metric"])["value"]
    expected = oracle.concordance(time[test].tolist(), event[test].tolist(), own_risk)
    assert found[("thesis", "concordance")] == pytest.approx(float(expected))
    assert found[("nobody", "concordance")] == 0.5
    assert found[("nobody", "auc")] == 0.5
    # The marker tells the hazard: everything beats one curve for all.
    for model in ("thesis", "tuned", "cox"):
        assert found[(model, "brier")] < found[("nobody", "brier")]


def test_a_cox_model_learns_from_training_patients_only(own, chapter, scored, plan):
    from lifelines import CoxPHFitter

    patients = chapter["patients"]
    training = patients["training"].to_numpy()
    X = own.X[["age", "marker", "noise"]].copy()
    X["noise"] = X["noise"].fillna(X.loc[training, "noise"].median())
    X["b"], X["c"] = ((own.X["site"] == site).astype(float) for site in "bc")
    X = X.assign(time=patients["time"], died=patients["event"] == 1)
    fitted = CoxPHFitter(penalizer=plan.penalty).fit(X[training], "time", "died")
    risk = fitted.predict_log_partial_hazard(X[~training]).tolist()
    test = patients[~training]
    expected = oracle.concordance(test["time"].tolist(), test["event"].tolist(), risk)
    found = scored[(scored["repeat"] == 0) & (scored["model"] == "cox")].set_index("metric")
    assert found.loc["concordance", "value"] == pytest.approx(float(expected), abs=1e-6)


def test_columns_of_a_design():
    X = pd.DataFrame({"a": [1.0, np.nan, 3.0, 100.0], "same": [2.0, 2.0, 2.0, 5.0]})
    X["k"] = pd.Categorical(["x", None, "y", "z"], categories=["x", "y", "z"])
    X["none"] = np.nan
    training = np.array([True, True, True, False])
    made = survival_baselines_steps._design(X, training)
    # By the training part: the median of a is 2, `same` and z do not vary, `none` has no value.
    assert made.to_numpy().tolist() == [[1, 0], [2, 0], [3, 1], [100, 0]]


def test_a_forest_that_is_not_installed(scored):
    forest = scored[scored["model"] == "forest"]
    assert forest["value"].isna().all() and set(forest["note"]) == {NOT_INSTALLED}
    assert set(scored.loc[scored["model"] != "forest", "note"]) == {""}
    assert set(scored["model"]) == set(MODELS)


def test_times_of_a_forest():
    time = np.array([1.0, 2.0, 3.0, 4.0, 9.0])
    died = np.array([False, True, False, True, False])
    assert survival_baselines_steps._coarse(time, died).tolist() == [2, 2, 4, 4, 9]
    many = np.arange(1.0, 3001.0)
    coarse = survival_baselines_steps._coarse(many, many % 3 == 0)
    assert len(np.unique(coarse)) <= 101 and (coarse >= many).all()
    assert (np.diff(coarse) >= 0).all()


def test_a_forest(table, plan, protocol):
    pytest.importorskip("sksurv")
    there = dataclasses.replace(plan, library=version_of("scikit-survival"), n_repeats=1)
    found = survival_baselines_steps.scores(table, there, protocol)
    found = found.set_index(["model", "metric"])["value"]
    assert 0.6 < found[("forest", "concordance")] < 0.9
    assert found[("forest", "brier")] < found[("nobody", "brier")]


# ------------------------------------------------------------------------------------- weights


def test_the_censored_left_out_or_stood_for(own, chapter, weighted):
    patients = chapter["patients"]
    time, event = (patients[name].to_numpy() for name in ("time", "event"))
    training = patients["training"].to_numpy()
    y = patients["y"].to_numpy()
    rows = weighted[weighted["repeat"] == 0].set_index("way")
    assert set(rows.index) == {"left_out", "weighted"}
    performance = chapter["performance"].set_index(["repeat", "method", "part", "metric"])["value"]
    key = (0, "thesis", "test", "accuracy")
    assert rows.loc["left_out", "accuracy"] == pytest.approx(performance[key])
    learnt, test = training & (y >= 0), ~training
    weight = np.zeros(len(y))
    weight[training] = censoring_weights(time[training], event[training], own.horizon)
    assert weight[learnt].max() > 1.2
    tree = thesis_tree().fit(own.X[learnt], y[learnt], sample_weight=weight[learnt])
    line = rows.loc["weighted"]
    assert line["n_leaves"] == tree.tree_.n_leaves
    assert line["predicted"] == pytest.approx(tree.predict_proba(own.X[test])[:, 1].mean())
    curve = oracle.kaplan_meier(time[test].tolist(), event[test].tolist())
    incidence = 1 - min(share for at, share in curve if at <= own.horizon)
    assert line["incidence"] == pytest.approx(float(incidence))
    assert line["distance"] == pytest.approx(abs(line["predicted"] - float(incidence)))
    right = (tree.predict(own.X[test & (y >= 0)]) == y[test & (y >= 0)]).astype(float)
    ends = oracle.redistributed(time[test].tolist(), (event[test] != 1).tolist(), own.horizon)
    standing = np.array([float(w) for w in ends])[y[test] >= 0]
    assert line["weighted_accuracy"] == pytest.approx(np.average(right, weights=standing))


def test_other_causes_as_survival(plan, protocol):
    made = made_up()
    y = np.where((made.y == 1) & (np.arange(len(made.y)) % 4 == 0), 2, made.y)
    table = dataclasses.replace(made, y=y, classes=["censored", "death", "other"])
    found = survival_baselines_steps.weights(table, plan, protocol)
    rows = found[found["repeat"] == 1].set_index("way")
    assert len(rows) == 4
    assert rows.loc["survived", "n_learnt"] > rows.loc["left_out", "n_learnt"]
    assert rows.loc["survived", "incidence"] == rows.loc["survived_weighted", "incidence"]
    # Aalen-Johansen: those who have died of something else cannot die of the event.
    assert rows.loc["survived", "incidence"] < rows.loc["left_out", "incidence"]
    own = survival_steps.cohort_of(table, plan)
    division = survival_baselines_steps._division(own, 1, protocol)
    time, event = (values[~division.training].tolist() for values in own.natural_history())
    shares = [s for at, s in oracle.incidence(time, event) if at <= own.horizon]
    assert rows.loc["survived", "incidence"] == pytest.approx(float(max(shares)))


# ---------------------------------------------------------------------------------- statistics


def rows_of(n=8, seed=0):
    """Tables of cohorts with plain differences."""
    random = np.random.default_rng(seed)
    names = [f"c{i}" for i in range(n)]
    cells = list(itertools.product(names, (0, 1)))
    base = {name: random.uniform(0.5, 0.7) for name in names}
    scores, weights = [], []
    gains = {"thesis": 0.0, "tuned": 0.01, "cox": 0.08, "forest": np.nan, "nobody": -0.1}
    for (name, repeat), (model, gain) in itertools.product(cells, gains.items()):
        for metric in ("concordance", "auc", "brier"):
            sign = -1 if metric == "brier" else 1
            value = base[name] + sign * gain + random.normal(0, 0.001)
            note = NOT_INSTALLED if model == "forest" else ""
            scores.append((name, repeat, model, metric, value, note))
    for (name, repeat), way in itertools.product(cells, ("left_out", "weighted")):
        off = 0.05 if way == "left_out" else 0.01
        plain = dict.fromkeys(("accuracy", "weighted_accuracy", "f1", "concordance"), base[name])
        off += random.uniform(0, 0.001)
        plain |= {"predicted": base[name] + off, "incidence": base[name], "distance": off}
        plain |= {"n_leaves": 5, "root": "a", "n_learnt": 70}
        weights.append({"dataset": name, "repeat": repeat, "way": way, **plain})
    columns = ["dataset", "repeat", "model", "metric", "value", "note"]
    return {"scores": pd.DataFrame(scores, columns=columns), "weights": pd.DataFrame(weights)}


def test_tests_are_over_cohorts_with_one_value_each():
    tables = rows_of()
    found = COMPARED.statistics(survival_baselines_statistics.rows_of(tables))
    own = found[(found["part"] == "scores") & (found["metric"] == "concordance")]
    plain = own[own["correction"] == "none"].set_index(["first", "second"])
    wide = tables["scores"].query("metric == 'concordance'")
    wide = wide.pivot_table(index="dataset", columns="model", values="value")
    expected = stats.wilcoxon(wide["thesis"], wide["cox"]).pvalue
    assert plain.loc[("thesis", "cox"), "p"] == pytest.approx(expected)
    difference = (wide["thesis"] - wide["cox"]).mean()
    assert plain.loc[("thesis", "cox"), "difference"] == pytest.approx(difference)
    assert set(plain["n"]) == {8}
    # Holm's correction over the pairs that there are; a forest that is not there is none.
    assert len(plain) == 4
    holm = own[own["correction"] == "holm"].set_index(["first", "second"])["p"]
    corrected = multipletests(plain["p"], method="holm")[1]
    assert holm.loc[plain.index].to_numpy() == pytest.approx(corrected)
    assert set(found[found["part"] == "weights"]["first"]) == {"weighted"}


def test_a_division_without_a_value_counts_for_neither():
    tables = rows_of()
    scores = tables["scores"]
    scores.loc[(scores["dataset"] == "c0") & (scores["repeat"] == 1)
               & (scores["model"] == "cox"), "value"] = np.nan  # fmt: skip
    # Of another cohort no repeat has one.
    scores.loc[(scores["dataset"] == "c1") & (scores["model"] == "cox"), "value"] = np.nan
    found = COMPARED.statistics(survival_baselines_statistics.rows_of(tables))
    own = found[(found["part"] == "scores") & (found["correction"] == "none")]
    assert set(own[own["second"] == "cox"]["n"]) == {7}
    assert set(own[own["second"] == "nobody"]["n"]) == {8}
    own = own.set_index(["metric", "first", "second"])
    wide = scores[scores["metric"] == "concordance"].pivot(
        index=["dataset", "repeat"], columns="model", values="value"
    )
    both = wide[["thesis", "cox"]].dropna().groupby("dataset").mean()
    assert own.loc[("concordance", "thesis", "cox"), "difference"] == pytest.approx(
        (both["thesis"] - both["cox"]).mean()
    )


def test_questions_are_judged():
    specification = yaml.safe_load((ROOT / "config/claims.yaml").read_text(encoding="utf-8"))
    statements = pd.read_csv(ROOT / "data/published/claims.csv")

    def verdicts(tables):
        tests = COMPARED.statistics(survival_baselines_statistics.rows_of(tables))
        judged = survival_baselines_claims.claims(tables, tests, specification, statements)
        return judged.set_index("claim")["verdict"].str.replace("reproduced", "yes").to_dict()

    many = verdicts(rows_of(12))
    names = [f"survival_baselines-{i:02d}" for i in range(1, 8)]
    assert list(many) == names
    words = [many[name] for name in names]
    assert words == ["yes", "yes", "inconclusive", "yes", "yes", "yes", "not yes"]
    assert set(verdicts(rows_of(5)).values()) == {"inconclusive"}
    # Six cohorts can tell of one pair, not of four.
    six = verdicts(rows_of(6))
    assert six[names[0]] == "inconclusive" and six[names[4]] == "yes"
    other = rows_of(12)
    other["weights"]["way"] = other["weights"]["way"].map(
        {"left_out": "weighted", "weighted": "left_out"}
    )
    assert verdicts(other)[names[5]] == "not yes"
