"""Beyond chapter 6: other models, weights for the censored, repeated measurements, stability."""

import dataclasses
import itertools
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from made_cohorts import FACTS, made_up
from oracle import survival as oracle
from scipy import stats
from statsmodels.stats.multitest import multipletests

from hedgerow.data import load_registry
from hedgerow.experiments.frames import joined
from hedgerow.experiments.survival import steps as survival_steps
from hedgerow.experiments.survival.plan import SurvivalPlan
from hedgerow.experiments.survival_beyond import claims as survival_beyond_claims
from hedgerow.experiments.survival_beyond import errors as measurement_errors
from hedgerow.experiments.survival_beyond import statistics as survival_beyond_statistics
from hedgerow.experiments.survival_beyond import steps as survival_beyond_steps
from hedgerow.experiments.survival_beyond.errors import COLUMNS, ERRORS, Error
from hedgerow.experiments.survival_beyond.plan import (
    COMPARED,
    MODELS,
    NOT_INSTALLED,
    ORDER,
    SurvivalBeyondPlan,
)
from hedgerow.optional import version_of
from hedgerow.survival import censoring_weights, horizon_labels, thesis_tree
from hedgerow.tree import Tree

ROOT = Path(__file__).parents[2]
PLAN = {"seed": 3, "cohorts": FACTS, "datasets": ("made_up",), "n_splits": 2, "n_trees": 5,
        "n_repeats": 60, "n_bootstrap": 4}  # fmt: skip
PROTOCOL = {"seed": 3, "confidences": (0.5,), "repetition_factors": (0.7, 1.0),
            "leaf_sizes": (10, 20), "n_folds": 3}  # fmt: skip
KNOWN = {"age": Error("age", "relative", 0.05, "made up"),
         "marker": Error("marker", "absolute", 0.2, "made up")}  # fmt: skip


@pytest.fixture(scope="module")
def plan():
    return SurvivalBeyondPlan(**PLAN)


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
def learned(table, plan, protocol):
    return survival_beyond_steps.learn(table, plan, protocol)


@pytest.fixture(scope="module")
def scored(table, learned, plan, protocol):
    return survival_beyond_steps.scores(table, learned["trees"], plan, protocol)


@pytest.fixture(scope="module")
def weighted(table, plan, protocol):
    return survival_beyond_steps.weights(table, plan, protocol)


@pytest.fixture
def known(monkeypatch):
    """The made-up cohort has variables of known error."""
    monkeypatch.setattr(survival_beyond_steps, "errors_of", lambda dataset: KNOWN)


@pytest.fixture(scope="module")
def chapter(table, protocol):
    """What the experiment `survival` learns."""
    both = dataclasses.replace(protocol, cohorts=FACTS, n_splits=2)
    return survival_steps.learn(table, both)


def test_chunks_of_divisions_put_together_are_the_whole(
    table, known, learned, scored, weighted, plan, protocol
):
    """The tuning is that of division 0; another chunk has its columns and types."""
    both, own = (plan, protocol), survival_beyond_steps
    whole = learned | {"scores": scored, "weights": weighted}
    whole |= {"measurement": own.measurement(table, *both)}
    parts = []
    for split in (1, 0):
        found = own.learn(table, *both, [split])
        parts.append(found | {"scores": own.scores(table, found["trees"], *both, [split])})
        parts[-1] |= {n: getattr(own, n)(table, *both, [split]) for n in ("weights", "measurement")}
    for name, frame in whole.items():
        pd.testing.assert_frame_equal(joined([p[name] for p in parts], ORDER[name]), frame)
    pd.testing.assert_frame_equal(parts[0]["tuning"], learned["tuning"].iloc[:0])


# -------------------------------------------------------------------------------------- scores


def test_trees_and_patients_are_those_of_the_chapter(own, learned, chapter, scored):
    pd.testing.assert_frame_equal(learned["trees"], chapter["trees"])
    pd.testing.assert_frame_equal(learned["tuning"], chapter["tuning"])
    tree = Tree.from_json(learned["trees"]["tree"].iloc[0])
    leaf = tree.apply(survival_beyond_steps.codes(own.X))
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
    found = scored[scored["split"] == 0].set_index(["model", "metric"])["value"]
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
    found = scored[(scored["split"] == 0) & (scored["model"] == "cox")].set_index("metric")
    assert found.loc["concordance", "value"] == pytest.approx(float(expected), abs=1e-6)


def test_columns_of_a_design():
    X = pd.DataFrame({"a": [1.0, np.nan, 3.0, 100.0], "same": [2.0, 2.0, 2.0, 5.0]})
    X["k"] = pd.Categorical(["x", None, "y", "z"], categories=["x", "y", "z"])
    X["none"] = np.nan
    training = np.array([True, True, True, False])
    made = survival_beyond_steps._design(X, training)
    # By the training part: the median of a is 2, `same` and z do not vary, `none` has no value.
    assert made.to_numpy().tolist() == [[1, 0], [2, 0], [3, 1], [100, 0]]


def test_a_forest_that_is_not_installed(table, learned, scored, plan, protocol):
    forest = scored[scored["model"] == "forest"]
    assert forest["value"].isna().all() and set(forest["note"]) == {NOT_INSTALLED}
    assert set(scored.loc[scored["model"] != "forest", "note"]) == {""}
    assert set(scored["model"]) == set(MODELS)


def test_times_of_a_forest():
    time = np.array([1.0, 2.0, 3.0, 4.0, 9.0])
    died = np.array([False, True, False, True, False])
    assert survival_beyond_steps._coarse(time, died).tolist() == [2, 2, 4, 4, 9]
    many = np.arange(1.0, 3001.0)
    coarse = survival_beyond_steps._coarse(many, many % 3 == 0)
    assert len(np.unique(coarse)) <= 101 and (coarse >= many).all()
    assert (np.diff(coarse) >= 0).all()


def test_a_forest(table, learned, plan, protocol):
    pytest.importorskip("sksurv")
    there = dataclasses.replace(plan, library=version_of("scikit-survival"), n_splits=1)
    found = survival_beyond_steps.scores(table, learned["trees"], there, protocol)
    found = found.set_index(["model", "metric"])["value"]
    assert 0.6 < found[("forest", "concordance")] < 0.9
    assert found[("forest", "brier")] < found[("nobody", "brier")]


# ------------------------------------------------------------------------------------- weights


def test_the_censored_left_out_or_stood_for(own, chapter, weighted):
    patients = chapter["patients"]
    time, event = (patients[name].to_numpy() for name in ("time", "event"))
    training = patients["training"].to_numpy()
    y = patients["y"].to_numpy()
    rows = weighted[weighted["split"] == 0].set_index("way")
    assert set(rows.index) == {"left_out", "weighted"}
    performance = chapter["performance"].set_index(["split", "method", "part", "metric"])["value"]
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
    found = survival_beyond_steps.weights(table, plan, protocol)
    rows = found[found["split"] == 1].set_index("way")
    assert len(rows) == 4
    assert rows.loc["survived", "n_learnt"] > rows.loc["left_out", "n_learnt"]
    assert rows.loc["survived", "incidence"] == rows.loc["survived_weighted", "incidence"]
    # Aalen-Johansen: those who have died of something else cannot die of the event.
    assert rows.loc["survived", "incidence"] < rows.loc["left_out", "incidence"]
    own = survival_steps.cohort_of(table, plan)
    division = survival_beyond_steps._division(own, 1, protocol)
    time, event = (values[~division.training].tolist() for values in own.natural_history())
    shares = [s for at, s in oracle.incidence(time, event) if at <= own.horizon]
    assert rows.loc["survived", "incidence"] == pytest.approx(float(max(shares)))


# --------------------------------------------------------------------------------- measurement


def test_patients_who_change_when_measured_again(table, own, known, plan, protocol):
    # So that a soft tree has tests as well.
    plan = dataclasses.replace(plan, n_splits=1)
    protocol = dataclasses.replace(protocol, min_samples_leaf=10)
    found = survival_beyond_steps.measurement(table, plan, protocol)
    assert len(found) == 3
    division = survival_beyond_steps._division(own, 0, protocol)
    test = ~division.training
    X = own.X[test]
    repeats = survival_beyond_steps._repeated(X, KNOWN, own.name, 0, plan)
    model = division.estimator
    leaf, said, risk = model.apply(X), model.predict(X), model.predict_proba(X)[:, 1]
    changed = []
    for i in range(plan.n_repeats):
        again = X.assign(age=repeats[0][i], marker=repeats[1][i])
        moved = np.abs(model.predict_proba(again)[:, 1] - risk)
        values = model.apply(again) != leaf, model.predict(again) != said, moved
        changed.append([v.mean() for v in values])
    line = found[(found["split"] == 0) & (found["tree"] == "c45")].iloc[0]
    names = ["group_changed", "class_changed", "risk_changed"]
    assert line[names].astype(float).tolist() == pytest.approx(np.mean(changed, axis=0).tolist())
    assert line["n_variables"] == 2 and line["n_test"] == test.sum()
    assert 0 < line["n_known"] <= line["n_tests"] == line["n_leaves"] - 1
    # Who knows the error moves the risk less.
    mean = found.groupby("tree")["risk_changed"].mean()
    assert 0.0 < mean["soft"] < mean["se"] < mean["c45"]
    # Soft evaluation leaves the tree as it is.
    leaves = found.set_index("tree")["n_leaves"]
    assert leaves["se"] == leaves["c45"]


def test_a_measurement_is_repeated_with_its_error(plan):
    X = pd.DataFrame({"other": [1.0, 1.0], "age": [50.0, -80.0], "marker": [1.0, np.nan]})
    many = dataclasses.replace(plan, n_repeats=20_000)
    found = survival_beyond_steps._repeated(X, KNOWN, "made_up", 0, many)
    assert sorted(found) == [1, 2]
    assert found[1].mean(axis=0) == pytest.approx([50, -80], abs=0.1)
    assert found[1].std(axis=0) == pytest.approx([2.5, 4.0], rel=0.03)
    assert found[2][:, 0].std() == pytest.approx(0.2, rel=0.03)
    assert np.isnan(found[2][:, 1]).all()
    fewer = survival_beyond_steps._repeated(X, KNOWN, "made_up", 0, plan)
    assert (fewer[1] == found[1][:60]).all()


def test_repetitions_together_are_those_one_by_one(table, own, known, plan, protocol, monkeypatch):
    whole = survival_beyond_steps.measurement(table, plan, protocol)
    monkeypatch.setattr(survival_beyond_steps, "AT_ONCE", 7)
    few = survival_beyond_steps.measurement(table, plan, protocol)
    pd.testing.assert_frame_equal(whole, few)


def test_a_cohort_without_a_known_error(table, plan, protocol):
    found = survival_beyond_steps.measurement(table, plan, protocol)
    assert found.empty and "group_changed" in found


def test_errors_fit_the_cohorts_of_the_registry():
    registry = load_registry(ROOT / "config/datasets.yaml")
    for dataset, columns in COLUMNS.items():
        entry = registry[dataset]
        assert entry.cohort is not None
        numeric = set(entry.variables) - set(entry.categories)
        for column, key in columns.items():
            assert column in numeric, (dataset, column)
            assert column not in entry.cohort.leave_out
            assert key in ERRORS
    for error in ERRORS.values():
        assert error.kind in ("absolute", "relative") and error.source
        assert 0 < error.sd < (1 if error.kind == "relative" else 10)
    # As the sources say that they follow.
    assert ERRORS["ventricular_mass"].sd == pytest.approx(19 / math.sqrt(2) / 242, abs=6e-4)
    assert ERRORS["peak_vo2"].sd == pytest.approx(1.3 * math.sqrt(math.pi) / 2, abs=3e-3)
    assert ERRORS["creatinine"].sd == pytest.approx(math.hypot(0.0595, 0.0595 / 2), abs=1e-4)
    assert set(measurement_errors.table_of(["whas500", "lung"])["dataset"]) == {"whas500"}


# ----------------------------------------------------------------------------------- stability


def test_trees_of_bootstrap_samples(table, own, learned, plan, protocol):
    made = survival_beyond_steps.stability(table, learned["tuning"], plan, protocol)
    line = made["stability"].set_index("settings").loc["thesis"]
    time, event = own.natural_history()
    labels = horizon_labels(time, event, own.horizon)
    X, y = own.X[labels.known], labels.y[labels.known]
    stream = survival_beyond_steps.rng(plan.seed, "survival_beyond", own.name, None, "bootstrap")
    said, tests, roots = [], [], []
    for _ in range(plan.n_bootstrap):
        # A patient who was drawn twice is there twice.
        rows = np.sort(stream.integers(len(y), size=len(y)))
        model = thesis_tree().fit(X.iloc[rows], y[rows])
        said.append(model.predict(own.X))
        tests.append(model.tree_.n_leaves - 1)
        grown = model.tree_.n_leaves > 1
        root = own.X.columns[model.tree_.feature[0]] if grown else ""
        roots.append((root, model.tree_.threshold[0]))
    pairs = [np.mean(a != b) for a, b in itertools.combinations(said, 2)]
    assert line["d_p"] == pytest.approx(np.mean(pairs))
    assert line["n_tests"] == np.mean(tests)
    assert 0 < line["relative_b2"] <= 1
    found = made["roots"][made["roots"]["settings"] == "thesis"]
    assert found["variable"].tolist() == [name for name, _ in roots]
    assert line["same_root"] == np.mean([name == line["root"] for name, _ in roots])
    cuts = [cut for name, cut in roots if name == line["root"]]
    assert (line["root_low"], line["root_high"]) == (min(cuts), max(cuts))
    values = own.X[line["root"]]
    between = ((values > min(cuts)) & (values <= max(cuts))).mean()
    assert line["between"] == pytest.approx(between)


def test_trees_without_a_test_and_roots_of_categories():
    X = pd.DataFrame({"a": [1.0, 2.0], "b": [1.0, 2.0]})
    roots = pd.DataFrame({"variable": ["", "", "b", "a"], "threshold": [np.nan, np.nan, 1.0, 2.0]})
    found = survival_beyond_steps._of_roots(roots, X)
    assert found["root"] == "" and found["same_root"] == 0.5
    assert np.isnan([found["root_low"], found["between"]]).all()
    tie = survival_beyond_steps._of_roots(roots.iloc[2:], X)
    assert tie["root"] == "a" and tie["between"] == 0.0


# ---------------------------------------------------------------------------------- statistics


def rows_of(n=8, seed=0):
    """Tables of cohorts with plain differences."""
    random = np.random.default_rng(seed)
    names = [f"c{i}" for i in range(n)]
    cells = list(itertools.product(names, (0, 1)))
    base = {name: random.uniform(0.5, 0.7) for name in names}
    scores, weights, repeats, stability = [], [], [], []
    gains = {"thesis": 0.0, "tuned": 0.01, "cox": 0.08, "forest": np.nan, "nobody": -0.1}
    for (name, split), (model, gain) in itertools.product(cells, gains.items()):
        for metric in ("concordance", "auc", "brier"):
            sign = -1 if metric == "brier" else 1
            value = base[name] + sign * gain + random.normal(0, 0.001)
            note = NOT_INSTALLED if model == "forest" else ""
            scores.append((name, split, model, metric, value, note))
    for (name, split), way in itertools.product(cells, ("left_out", "weighted")):
        off = 0.05 if way == "left_out" else 0.01
        plain = dict.fromkeys(("accuracy", "weighted_accuracy", "f1", "concordance"), base[name])
        off += random.uniform(0, 0.001)
        plain |= {"predicted": base[name] + off, "incidence": base[name], "distance": off}
        plain |= {"n_leaves": 5, "root": "a", "n_learnt": 70}
        weights.append({"dataset": name, "split": split, "way": way, **plain})
    for (name, split), tree in itertools.product(cells, ("c45", "se", "soft")):
        factor = (1.0 if tree == "c45" else 0.6) + random.uniform(0, 0.01)
        moved = {m: 0.1 * factor for m in ("group_changed", "class_changed", "risk_changed")}
        moved |= {"accuracy": 0.7, "f1": 0.6, "n_leaves": 6, "n_tests": 5, "n_known": 2}
        repeats.append({"dataset": name, "split": split, "tree": tree, **moved})
    for name, settings in itertools.product(names, ("thesis", "tuned")):
        less = (0.0 if settings == "thesis" else 0.1) + random.uniform(0, 0.01)
        line = {"relative_b2": 0.5 - less, "distance_b2": 9.0, "same_root": 0.7}
        line |= {"d_p": 0.2 - less / 2, "n_tests": 7.0, "between": 0.3, "root": "a"}
        line |= {"root_low": 1.0, "root_high": 2.5, "n_trees": 4}
        stability.append({"dataset": name, "settings": settings, **line})
    columns = ["dataset", "split", "model", "metric", "value", "note"]
    return {
        "scores": pd.DataFrame(scores, columns=columns),
        "weights": pd.DataFrame(weights),
        "measurement": pd.DataFrame(repeats),
        "stability": pd.DataFrame(stability),
    }


def test_tests_are_over_cohorts_with_one_value_each():
    tables = rows_of()
    found = COMPARED.statistics(survival_beyond_statistics.rows_of(tables))
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
    scores.loc[(scores["dataset"] == "c0") & (scores["split"] == 1)
               & (scores["model"] == "cox"), "value"] = np.nan  # fmt: skip
    # Of another cohort no division has one.
    scores.loc[(scores["dataset"] == "c1") & (scores["model"] == "cox"), "value"] = np.nan
    found = COMPARED.statistics(survival_beyond_statistics.rows_of(tables))
    own = found[(found["part"] == "scores") & (found["correction"] == "none")]
    assert set(own[own["second"] == "cox"]["n"]) == {7}
    assert set(own[own["second"] == "nobody"]["n"]) == {8}
    own = own.set_index(["metric", "first", "second"])
    wide = scores[scores["metric"] == "concordance"].pivot(
        index=["dataset", "split"], columns="model", values="value"
    )
    both = wide[["thesis", "cox"]].dropna().groupby("dataset").mean()
    assert own.loc[("concordance", "thesis", "cox"), "difference"] == pytest.approx(
        (both["thesis"] - both["cox"]).mean()
    )


def test_questions_are_judged():
    specification = yaml.safe_load((ROOT / "config/claims.yaml").read_text(encoding="utf-8"))
    stated = pd.read_csv(ROOT / "data/published/claims.csv")

    def verdicts(tables):
        tests = COMPARED.statistics(survival_beyond_statistics.rows_of(tables))
        judged = survival_beyond_claims.claims(tables, tests, specification, stated)
        return judged.set_index("claim")["verdict"].str.replace("reproduced", "yes").to_dict()

    many = verdicts(rows_of(12))
    names = [f"survival_beyond-{i:02d}" for i in range(1, 11)]
    words = [many[name] for name in names]
    assert words == ["yes", "yes", "too little data", "yes", "yes", "yes", "not yes", "yes",
                     "not yes", "yes"]  # fmt: skip
    assert set(verdicts(rows_of(5)).values()) == {"too little data"}
    # Six cohorts can tell of one pair, not of four.
    six = verdicts(rows_of(6))
    assert six[names[0]] == "too little data" and six[names[4]] == "yes"
    other = rows_of(12)
    other["measurement"]["tree"] = other["measurement"]["tree"].map({"c45": "soft", "soft": "c45"})
    assert verdicts(other)[names[7]] == "not yes"
