"""Beyond EIG: guesses, errors, rows and tests made again by hand, parts apart."""

from __future__ import annotations

import dataclasses

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import KNNImputer, SimpleImputer
from sklearn.metrics import f1_score, log_loss
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

from hedgerow import C45Classifier, EIGClassifier, SoftTreeClassifier
from hedgerow.data import TidyTable, add_noise, rng
from hedgerow.data.missingness import remove_values
from hedgerow.experiments.frames import random_state
from hedgerow.experiments.missing.steps import folds, one_hot
from hedgerow.experiments.missing_beyond import statistics as beyond_statistics
from hedgerow.experiments.missing_beyond import steps as beyond_steps
from hedgerow.experiments.missing_beyond.plan import (
    AS_IT_IS,
    COMPARED,
    GUESSES,
    MECHANISMS,
    METHODS,
    MissingBeyondPlan,
)
from hedgerow.missing.mia import MissingIncorporated

PLAN = MissingBeyondPlan(n_folds=2, n_rounds=2, n_trees=3, n_imputations=2, shares=(0.3, 0.6))
UNPRUNED = {"prune": False, "min_samples_split": 2}
EIG = {"reliability": "global", **UNPRUNED}


def made_up(name="made_up", n=80, gaps=False, seed=0):
    """Numbers that depend on each other, and categories; rows that lack a value if asked for."""
    random = np.random.default_rng(seed)
    y = np.sort(random.integers(0, 3, n)).astype(np.int64)
    first = 5 + random.normal(2.0 * y, 1.0)
    X = pd.DataFrame({"v0": first, "v1": first + random.normal(size=n)})
    X["kind"] = pd.Categorical(random.choice(["a", "b", "c"], n))
    X["flag"] = pd.Categorical(np.where(random.random(n) < 0.2 + 0.3 * y, "no", "yes"))
    if gaps:
        X.loc[X.index[::7], "v1"] = np.nan
        X.loc[X.index[::11], "kind"] = None
    return TidyTable(name, X, y, [f"class {k}" for k in range(3)], "kind of row")


@pytest.fixture(autouse=True, scope="module")
def one_thread():
    """Threads of gradient boosting wait for each other while other tests run."""
    with threadpool_limits(limits=1):
        yield


@pytest.fixture(scope="module")
def table():
    return made_up()


@pytest.fixture(scope="module")
def rows(table):
    return beyond_steps.run(table, PLAN)


def cell(rows, part, setting, share, metric="accuracy"):
    own = rows[(rows["part"] == part) & (rows["setting"] == setting) & (rows["share"] == share)]
    return own[own["metric"] == metric].set_index("method")["value"]


class Parts:
    """Training and test rows of every fold, with a share removed by a mechanism."""

    def __init__(self, table, share=0.6, mechanism="mcar", factor=0.0):
        values, n_categories = table.matrix()
        stream = rng(0, "missing", table.name, 0, "gaps")
        X = one_hot(remove_values(values, share, stream, mechanism), n_categories)
        true, y = one_hot(values, n_categories), table.y
        state = random_state(0, "missing", table.name, 0, "folds")
        self.folds = []
        for k, train, test in folds(y, 2, state):
            means = np.array([*true[train][:, :2].mean(axis=0), *[np.nan] * 4])
            noise = rng(0, "missing_beyond", table.name, 0, f"noise fold {k}")
            own = add_noise(X, factor, means, noise)
            self.folds.append((own[train], y[train], own[test], y[test], true[train]))

    def accuracy(self, said):
        """Mean over folds; `said` gets training rows, classes, test rows and true values."""
        found = [
            (said(X, y, test, true) == y_test).mean() for X, y, test, y_test, true in self.folds
        ]
        return pytest.approx(np.mean(found))


def test_every_part_has_its_methods(rows):
    own = rows[rows["metric"] == "accuracy"]
    settings = {
        "mechanisms": MECHANISMS,
        "imputers": ("mcar",),
        "learners": ("mcar",),
        "pruning": ("unpruned", "pruned"),
        "noise": ("0.2",),
    }
    assert set(own["part"]) == set(settings)
    for part, names in settings.items():
        found = own[own["part"] == part]
        assert set(zip(found["setting"], found["share"], found["method"], strict=True)) == {
            (s, share, m) for s in names for share in PLAN.shares for m in METHODS[part]
        }
    key = ["part", "dataset", "repeat", "setting", "share", "method", "metric"]
    assert not rows.duplicated(key).any() and not rows["value"].isna().any()
    assert own["value"].between(0, 1).all()


def test_what_is_compared_was_run():
    for part, compared in COMPARED.parts.items():
        assert {name for pair in compared.pairs for name in pair} <= set(METHODS[part])
    assert set(COMPARED.parts) == set(METHODS)


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_mechanisms_are_made_again_by_hand(table, rows, mechanism):
    parts, own = Parts(table, 0.6, mechanism), cell(rows, "mechanisms", mechanism, 0.6)
    c45 = C45Classifier(**EIG)
    assert own["c45"] == parts.accuracy(lambda X, y, test, true: c45.fit(X, y).predict(test))
    eig = EIGClassifier(**EIG)
    assert own["eig_knn"] == parts.accuracy(lambda X, y, test, true: eig.fit(X, y).predict(test))
    assert own["eig_perfect"] == parts.accuracy(
        lambda X, y, test, true: eig.fit(X, y, X_imputed=true).predict(test)
    )
    filled = make_pipeline(KNNImputer(n_neighbors=5), C45Classifier(**UNPRUNED))
    assert own["knn"] == parts.accuracy(lambda X, y, test, true: filled.fit(X, y).predict(test))


def test_other_learners_are_made_again_by_hand(table, rows):
    parts, own = Parts(table, 0.3), cell(rows, "learners", "mcar", 0.3)

    def of(learner):
        return parts.accuracy(lambda X, y, test, true: learner.fit(X, y).predict(test))

    assert own["mia"] == of(make_pipeline(MissingIncorporated(), C45Classifier(**UNPRUNED)))
    # Neither draws anything that matters here: no ties among features, no early stopping.
    assert own["gradient_boosting"] == of(HistGradientBoostingClassifier())
    fold = parts.folds[0]
    tree = DecisionTreeClassifier(criterion="entropy", random_state=0).fit(fold[0], fold[1])
    assert tree.get_n_leaves() > 5 and 0.2 < own["sklearn_tree"] < 1.0


def test_one_guess_for_every_row_is_c45(rows):
    """Among guesses that are all the same no test gains anything."""
    for share in PLAN.shares:
        own = cell(rows, "imputers", "mcar", share)
        assert own["eig_mean"] == own["c45"]


def test_parts_share_what_they_have_in_common(rows):
    for share in PLAN.shares:
        cells = [cell(rows, part, "mcar", share) for part in ("mechanisms", "imputers", "learners")]
        cells.append(cell(rows, "pruning", "unpruned", share))
        for method in ("c45", "eig_knn"):
            assert len({own[method] for own in cells}) == 1
        assert cells[0]["knn"] == cells[3]["knn"]


def test_error_of_guesses():
    true = np.array([[0.0, 1.0, 7.0], [2.0, 1.0, 7.0], [4.0, 3.0, 7.0]])
    X = np.array([[np.nan, np.nan, np.nan], [2.0, np.nan, 7.0], [4.0, np.nan, 7.0]])
    guesses = np.array([[[2.0, 5.0, 9.0], [9.0, 5.0, 9.0], [9.0, 5.0, 9.0]]])
    # The second column is known of nobody, the third is constant; where it is known counts not.
    assert beyond_steps.error_of(guesses, X, true) == pytest.approx(2.0 / np.std([0, 2, 4]))
    two = np.concatenate([guesses, true[None]])
    assert beyond_steps.error_of(two, X, true) == pytest.approx(
        2.0 / np.std([0, 2, 4]) / np.sqrt(2)
    )
    assert np.isnan(beyond_steps.error_of(guesses, true, true))


def test_errors_of_imputers(table, rows):
    own = cell(rows, "imputers", "mcar", 0.3, "imputer_error")
    assert own["eig_perfect"] == 0 and set(own.index) == set(METHODS["imputers"][1:])
    found = []
    for X, _, _, _, true in Parts(table, 0.3).folds:
        gone, spread = np.isnan(X), true.std(axis=0)
        error = ((SimpleImputer().fit_transform(X) - true) / spread)[gone]
        found.append(np.sqrt((error**2).mean()))
    assert own["eig_mean"] == pytest.approx(np.mean(found))
    assert own["eig_iterative"] < own["eig_mean"] < own["eig_gaussian"]


def test_imputers_are_those_of_scikit_learn():
    found = {name.removeprefix("eig_"): None for name in GUESSES}
    found = {name: beyond_steps.imputer(name, PLAN, 7) for name in found}
    assert type(found["mean"]) is SimpleImputer and found["knn"].n_neighbors == 5
    for name in ("iterative", "forest", "gaussian"):
        assert (found[name].max_iter, found[name].random_state) == (2, 7)
        assert found[name].sample_posterior is (name == "gaussian")
    assert found["iterative"].estimator is None  # Bayesian ridge regression
    assert found["forest"].estimator.n_estimators == 3


def test_several_draws_are_different_and_the_first_is_the_one(table):
    values, n_categories = table.matrix()
    X = one_hot(remove_values(values, 0.3, np.random.default_rng(0)), n_categories)
    states = {"gaussian 0": 1, "gaussian 1": 2}
    fold = beyond_steps._Fold(
        X, X, table.y, 3, (np.arange(60), np.arange(60, 80)), states.get, PLAN
    )
    one, several = fold.draws("eig_gaussian"), fold.draws("eig_multiple")
    assert one.shape == (1, 60, 6) and several.shape == (2, 60, 6)
    assert (one[0] == several[0]).all()
    gone = np.isnan(X[:60])
    assert (several[0] != several[1])[gone].all() and (several[0] == several[1])[~gone].all()


def test_pruning_and_its_metrics_are_made_again_by_hand(table, rows):
    own = {m: cell(rows, "pruning", "pruned", 0.3, m) for m in COMPARED.parts["pruning"].metrics}
    found = {metric: [] for metric in own}
    for X, y, test, y_test, _ in Parts(table, 0.3).folds:
        eig = EIGClassifier(min_samples_split=2).fit(X, y)
        said = eig.predict(test)
        found["accuracy"].append((said == y_test).mean())
        found["macro_f1"].append(f1_score(y_test, said, average="macro"))
        smooth = EIGClassifier(min_samples_split=2, smoothing=True).fit(X, y).predict_proba(test)
        found["log_loss"].append(log_loss(y_test, smooth))
    for metric, values in found.items():
        assert own[metric]["eig_knn"] == pytest.approx(np.mean(values))


def test_noise_is_made_again_by_hand(table, rows):
    parts, own = Parts(table, 0.6, factor=0.2), cell(rows, "noise", "0.2", 0.6)
    gates = [0.2, 0.2, 0, 0, 0, 0]
    noise = {"propagation": gates, "evaluation": gates}
    soft, both = SoftTreeClassifier(**noise, **UNPRUNED), EIGClassifier(**noise, **UNPRUNED)
    assert own["soft"] == parts.accuracy(lambda X, y, test, true: soft.fit(X, y).predict(test))
    assert own["eig_soft"] == parts.accuracy(lambda X, y, test, true: both.fit(X, y).predict(test))
    assert own["c45"] != cell(rows, "learners", "mcar", 0.6)["c45"]


def test_sets_without_numbers_get_no_noise(table):
    kinds = dataclasses.replace(table, X=table.X[["kind", "flag"]])
    plan = dataclasses.replace(PLAN, shares=(0.3,))
    found = beyond_steps.run(kinds, plan)
    assert "noise" not in set(found["part"]) and "mechanisms" in set(found["part"])


def test_at_random_one_variable_stays(table):
    """Of two variables no more than half of the values can go by the other one."""
    two = dataclasses.replace(table, X=table.X[["v0", "kind"]])
    found = beyond_steps.run(two, dataclasses.replace(PLAN, shares=(0.6,)))
    assert set(found[found["part"] == "mechanisms"]["setting"]) == {"mcar", "mnar"}


def test_rows_are_drawn_anew_for_each_repeat():
    plan = MissingBeyondPlan(n_rows=20)
    one, other = (beyond_steps.some_rows(np.arange(50), "a", repeat, plan) for repeat in (0, 1))
    assert len(set(one)) == len(set(other)) == 20 and set(one) != set(other)
    assert (beyond_steps.some_rows(np.arange(9), "a", 0, plan) == np.arange(9)).all()


def test_rows_that_lack_a_value_are_left_out(table, rows):
    X = pd.concat([table.X, table.X.iloc[:9].assign(v0=np.nan)], ignore_index=True)
    y = np.append(table.y, table.y[:9])
    more = dataclasses.replace(table, X=X, y=y)
    pd.testing.assert_frame_equal(beyond_steps.run(more, PLAN), rows)


def test_what_is_not_needed_changes_nothing(table, rows):
    other = beyond_steps.run(table, dataclasses.replace(PLAN, shares=(0.6, 0.9), noise=(0.1,)))
    key = ["part", "dataset", "repeat", "setting", "share", "method", "metric"]
    both = rows.merge(other, on=key)
    assert len(both) > 40 and (both["value_x"] == both["value_y"]).all()


def test_values_missing_by_nature():
    table = made_up("gaps", gaps=True)
    found = beyond_steps.natural(table, PLAN)
    assert set(found["setting"]) == {AS_IT_IS} and set(found["share"]) == {0.0}
    own = found[found["metric"] == "accuracy"].set_index("method")["value"]
    assert set(own.index) == set(METHODS["natural"])
    share = found[found["metric"] == "missing"]["value"]
    assert share.tolist() == [table.X.isna().to_numpy().mean()]
    values, n_categories = table.matrix()
    X, y = one_hot(values, n_categories), table.y
    learners = {
        "c45": (C45Classifier(**EIG), X),
        "c45_node": (C45Classifier(**UNPRUNED), X),
        "mean": (make_pipeline(SimpleImputer(), C45Classifier(**UNPRUNED)), X),
        "eig_knn": (EIGClassifier(**EIG), X),
        "c45_native": (C45Classifier(**EIG), table.X),
        "eig_knn_native": (EIGClassifier(**EIG), table.X),
        "gradient_boosting": (HistGradientBoostingClassifier(), table.X),
    }
    state = random_state(0, "missing", table.name, 0, "folds")
    for name, (learner, of) in learners.items():
        right = []
        for _, train, test in folds(y, 2, state):
            one, two = (
                (of.iloc[rows] if isinstance(of, pd.DataFrame) else of[rows])
                for rows in (train, test)
            )
            right.append((learner.fit(one, y[train]).predict(two) == y[test]).mean())
        assert own[name] == pytest.approx(np.mean(right)), name


@pytest.mark.filterwarnings("error")
def test_a_class_of_one_row_and_a_column_that_nobody_knows():
    """Some folds lack the class, and some training parts every value of a variable, on which
    gradient boosting failed."""
    table = made_up(n=12)
    table = dataclasses.replace(table, y=np.array([0] * 5 + [1] * 6 + [2]))
    found = beyond_steps.run(table, dataclasses.replace(PLAN, shares=(0.9,)))
    assert not found[found["metric"] != "imputer_error"]["value"].isna().any()


# ------------------------------------------------------------------------------- statistics


def _rows(n_sets=8):
    random = np.random.default_rng(2)
    lines = []
    for k in range(n_sets):
        for part, compared in COMPARED.parts.items():
            for metric in [*compared.metrics, *(["imputer_error"] if part == "imputers" else [])]:
                for method in METHODS[part]:
                    for repeat in range(2):
                        value = random.random() + 0.1 * repeat
                        key = (part, f"set {k}", repeat, "mcar", 0.5, method, metric)
                        lines.append((*key, value))
    columns = ["part", "dataset", "repeat", "setting", "share", "method", "metric", "value"]
    return pd.DataFrame(lines, columns=columns)


def test_tests_are_those_of_scipy():
    rows = _rows()
    found = COMPARED.statistics(rows)
    plain = found[found["correction"] == "none"]
    key = ["part", "metric", "first", "second"]
    assert not plain.duplicated([*key, "setting", "share"]).any()
    cell = plain.set_index(key).loc[("pruning", "macro_f1", "eig_knn", "mean")]
    own = rows[(rows["part"] == "pruning") & (rows["metric"] == "macro_f1")]
    means = own.groupby(["dataset", "method"])["value"].mean().unstack()
    expected = stats.wilcoxon(means["eig_knn"], means["mean"])
    assert cell["p"] == pytest.approx(expected.pvalue) and cell["n"] == 8
    assert cell["difference"] == pytest.approx(100 * (means["eig_knn"] - means["mean"]).mean())
    loss = plain.set_index(key).loc[("pruning", "log_loss", "eig_knn", "mean")]
    own = rows[(rows["part"] == "pruning") & (rows["metric"] == "log_loss")]
    means = own.groupby(["dataset", "method"])["value"].mean().unstack()
    assert loss["difference"] == pytest.approx((means["eig_knn"] - means["mean"]).mean())


def test_agreement_is_spearmans_correlation():
    rows = _rows()
    found = beyond_statistics.agreement(rows)
    own = rows[(rows["part"] == "imputers") & rows["method"].isin(GUESSES)]
    means = own.groupby(["dataset", "metric", "method"])["value"].mean().unstack()
    for name in found.index:
        one, two = (means.loc[(name, m)] for m in ("imputer_error", "accuracy"))
        assert found.loc[name, 0.5] == pytest.approx(-stats.spearmanr(one, two).statistic)
    test = beyond_statistics.merged([rows], [])["statistics"]
    test = test[(test["metric"] == "agreement") & (test["correction"] == "none")]
    assert test["difference"].tolist() == [pytest.approx(found[0.5].mean())]
    assert test["p"].tolist() == [pytest.approx(stats.wilcoxon(found[0.5]).pvalue)]


def test_where_all_imputers_are_as_good_nothing_agrees():
    rows = _rows(2)
    same = (rows["part"] == "imputers") & (rows["metric"] == "accuracy")
    rows.loc[same & (rows["dataset"] == "set 0"), "value"] = 0.5
    assert beyond_statistics.agreement(rows).loc["set 0", 0.5] == 0


def test_without_any_data_set():
    made = beyond_statistics.merged([], [])
    assert made["rows"].empty and made["statistics"].empty
