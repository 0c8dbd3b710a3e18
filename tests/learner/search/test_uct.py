"""What users see of UCT-DT, and its agreement with the package's own growth and pruning."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.metrics import f1_score

from hedgerow import C45Classifier, UCTTreeClassifier
from hedgerow.errors import InputError
from hedgerow.induction._growth import Growth
from hedgerow.induction._pruning import Pruning
from hedgerow.induction.rules import Rules
from hedgerow.search import uct
from hedgerow.tree import Tree
from hedgerow.tree._gates import Gates

QUICK = {"n_iterations": 400, "random_state": 0}
VARIANTS = [
    {"policy": policy, "value_pruning": vp, "tree_pruning": tp}
    for policy in ("vs", "c45")
    for vp in (False, True)
    for tp in (False, True)
]


def mixed_table(n=240, seed=0):
    """Numbers, categories and missing values; three classes."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.normal(0, 1, n),
            "b": rng.integers(0, 4, n).astype(float),
            "colour": pd.Categorical(rng.choice(["red", "green", "blue", "grey"], n)),
        }
    )
    y = (frame.a + (frame.colour == "red") + rng.normal(0, 0.4, n) > 0.3).astype(int)
    y += (frame.b > 2).to_numpy() & (rng.random(n) < 0.7)
    frame.loc[rng.random(n) < 0.1, "a"] = np.nan
    frame.loc[rng.random(n) < 0.1, "colour"] = None
    return frame, np.array(["no", "maybe", "yes"])[y]


@pytest.mark.parametrize("settings", VARIANTS, ids=str)
def test_validation_f1_is_that_of_the_trees_predictions(settings):
    X, y = mixed_table()
    model = UCTTreeClassifier(**settings, **QUICK, value_pruning_interval=100).fit(X, y)
    table = model.search_tree_
    rows = model.validation_indices_
    states = np.unique(np.linspace(0, len(table) - 1, 25).astype(int))
    forest = model.forest()
    for state in states:
        tree = forest[state]
        encoded = model._encode(X.iloc[rows], reset=False)
        predicted = model.classes_[tree.predict_proba(encoded).argmax(axis=1)]
        want = f1_score(y[rows], predicted, average="macro", labels=model.classes_,
                        zero_division=0)  # fmt: skip
        assert table.validation_f1[state] == pytest.approx(want, abs=1e-12)
        assert tree.n_leaves == table.n_leaves[state]
    assert f1_score(y[rows], model.predict(X.iloc[rows]), average="macro") == pytest.approx(
        table.validation_f1.max()
    )


def completed(model, state):
    """A state's tree completed and pruned by the package's growth and pruner."""
    columns = model._induction
    given, _ = uct._arrays(model._tests, model._actions_of(state), model._root_count)
    hard = Gates(None, columns.n_variables)
    rules = Rules(
        min_samples_split=model.min_samples_split, min_samples_leaf=model.min_samples_leaf,
        max_depth=model.max_depth_,
    )  # fmt: skip
    arrays = Growth(columns, hard, rules, given=given).run()
    if model.tree_pruning:
        arrays = Pruning(
            columns, arrays, hard,
            confidence=model.confidence, laplace=True, raising=True,
        ).run()  # fmt: skip
    arrays.pop("origin")
    return Tree(**arrays)


@pytest.mark.parametrize("tree_pruning", [False, True])
@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, mixed_table])
def test_completion_is_that_of_growth_and_pruning(load, tree_pruning):
    X, y = mixed_table() if load is mixed_table else load(return_X_y=True)
    model = UCTTreeClassifier(policy="c45", tree_pruning=tree_pruning, value_pruning=False,
                              confidence=0.5, max_depth=7, **QUICK).fit(X, y)  # fmt: skip
    rows = model.validation_indices_
    encoded = model._encode(X.iloc[rows] if load is mixed_table else X[rows], reset=False)
    table = model.search_tree_
    once = np.flatnonzero((table.n_visits == 1) & (table.depth > 0))[:60]
    assert len(once) > 10
    for state in once:
        predicted = completed(model, state).predict_proba(encoded).argmax(axis=1)
        want = f1_score(y[rows], model.classes_[predicted], average="macro",
                        labels=model.classes_, zero_division=0)  # fmt: skip
        assert table.value[state] == pytest.approx(want, abs=1e-12)


def test_one_candidate_and_no_pruning_is_greedy_search():
    X, y = load_wine(return_X_y=True)
    model = UCTTreeClassifier(n_candidates=1, tree_pruning=False, value_pruning=False,
                              max_depth=20, **QUICK).fit(X, y)  # fmt: skip
    rows = model.induction_indices_
    greedy = C45Classifier(prune=False, max_depth=20).fit(X[rows], y[rows])
    assert model.exhausted_
    assert (
        model.best(lambda table: table.n_leaves).to_text()
        == greedy.tree_.replace(classes=model.classes_).to_text()
    )


def test_search_tree_columns_and_counts():
    X, y = load_iris(return_X_y=True, as_frame=True)
    model = UCTTreeClassifier(value_pruning=False, tree_pruning=False, **QUICK).fit(X, y)
    table = model.search_tree_
    assert table.columns.tolist() == [
        "parent", "action", "n_visits", "value", "depth", "n_leaves", "validation_f1",
    ]  # fmt: skip
    assert table.parent[0] == -1 and (table.parent[1:] < np.arange(1, len(table))).all()
    children = table[1:].groupby("parent").n_visits.sum()
    # Each state but the root was simulated once itself.
    own = table.n_visits - children.reindex(table.index, fill_value=0)
    assert own[0] == 0 and (own[1:] == 1).all()
    assert table.n_visits[0] == model.n_iterations_
    assert table.action[1].startswith("root: ") and "petal" in " ".join(table.action)
    assert model.search_depth_ == table.depth.max()
    np.testing.assert_array_equal(
        np.sort(np.r_[model.induction_indices_, model.validation_indices_]), np.arange(150)
    )
    assert len(model.validation_indices_) == 45


def test_forest_is_closed_under_parent_and_best_picks():
    X, y = load_breast_cancer(return_X_y=True)
    model = UCTTreeClassifier(tree_pruning=False, **QUICK).fit(X, y)
    states = model.forest_states(50)
    parents = model.search_tree_.parent[states]
    assert len(model.forest(50)) == 50 and set(parents) - {-1} <= set(states)
    table = model.search_tree_
    best = model.best()
    assert best == model.tree_
    top = table[table.validation_f1 == table.validation_f1.max()]
    assert best.n_leaves == top.n_leaves.min()
    per_leaf = table.validation_f1 / table.n_leaves
    assert model.best("f1_per_leaf").n_leaves == table.n_leaves[per_leaf.idxmax()]
    assert model.best(lambda t: -t.n_leaves).n_leaves == 1
    with pytest.raises(InputError, match="criterion"):
        model.best("accuracy")
    with pytest.raises(InputError, match="scores"):
        model.best(lambda t: [1.0])


@pytest.mark.parametrize("policy", ["vs", "c45", "c45b"])
def test_going_on_is_the_same_as_not_stopping(policy):
    X, y = mixed_table()
    whole = UCTTreeClassifier(policy=policy, n_iterations=120, value_pruning_interval=50,
                              random_state=3).fit(X, y)  # fmt: skip
    parts = UCTTreeClassifier(policy=policy, n_iterations=45, value_pruning_interval=50,
                              random_state=3).fit(X, y)  # fmt: skip
    parts.continue_search(75)
    pd.testing.assert_frame_equal(whole.search_tree_, parts.search_tree_)
    assert whole.best() == parts.best() and whole.best("f1_held") == parts.tree_
    other = UCTTreeClassifier(policy=policy, n_iterations=120, value_pruning_interval=50,
                              random_state=4).fit(X, y)  # fmt: skip
    assert not other.search_tree_.equals(whole.search_tree_)


#: A search whose value-based pruning removes the best state, at 400 and at 800 iterations.
FORGETS = {
    "value_pruning_interval": 200, "value_pruning_depth": 2, "exploration": 0.05, "max_depth": 4,
    "confidence": 1.0, "random_state": 0,
}  # fmt: skip


def noisy_table():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(0, 1, 120) > 0).astype(int)


def test_going_on_never_leaves_a_worse_tree():
    """Value-based pruning removed the best state, and validation F1 fell from .75 to .72."""
    X, y = noisy_table()
    model = UCTTreeClassifier(**FORGETS, n_iterations=100).fit(X, y)
    rows = model.validation_indices_

    def f1(tree):
        return f1_score(y[rows], tree.predict_proba(X[rows]).argmax(axis=1), average="macro")

    last, forgotten = f1(model.tree_), 0
    for _ in range(9):
        now = f1(model.continue_search(100).tree_)
        assert now >= last - 1e-12 and model.tree_ == model.best("f1_held")
        forgotten += f1(model.best()) < now - 1e-9
        last = now
    assert forgotten


def test_a_search_stopped_by_the_clock_keeps_the_best_it_held(monkeypatch):
    """One that does all its iterations keeps the best of its search tree, as the thesis says."""
    X, y = noisy_table()
    planned = UCTTreeClassifier(**FORGETS, n_iterations=800).fit(X, y)
    assert planned.tree_ == planned.best() != planned.best("f1_held")
    looks = iter([0.0] * 9 + [9.0] * 9)  # at the start, and before each of eight hundreds
    monkeypatch.setattr(uct, "STEP", 100)
    monkeypatch.setattr(uct.time, "monotonic", lambda: next(looks))
    stopped = UCTTreeClassifier(**FORGETS, n_iterations=10**6, time_limit=5.0).fit(X, y)
    assert stopped.n_iterations_ == 800 and stopped.tree_ == planned.best("f1_held")
    assert pickle.loads(pickle.dumps(stopped)).best("f1_held") == stopped.tree_


@pytest.mark.parametrize("policy", ["vs", "c45", "c45b"])
def test_without_value_pruning_the_search_tree_holds_the_best(policy):
    X, y = load_iris(return_X_y=True)
    model = UCTTreeClassifier(policy, value_pruning=False, n_iterations=60, random_state=2)
    assert model.fit(X, y).best("f1_held") == model.tree_


def test_pickling_keeps_the_states_and_drops_the_search():
    X, y = load_iris(return_X_y=True)
    model = UCTTreeClassifier(**QUICK).fit(X, y)
    again = pickle.loads(pickle.dumps(model))
    pd.testing.assert_frame_equal(again.search_tree_, model.search_tree_)
    assert again.forest(5) == model.forest(5)
    with pytest.raises(InputError, match="pickled"):
        again.continue_search(10)


def test_bounds_on_memory_stop_with_a_warning_and_a_valid_result():
    X, y = load_breast_cancer(return_X_y=True)
    settings = {"value_pruning": False, "tree_pruning": False, "random_state": 0}
    with pytest.warns(UserWarning, match="max_nodes"):
        model = UCTTreeClassifier(n_iterations=5000, max_nodes=100, **settings).fit(X, y)
    assert len(model.search_tree_) == 100 and model.score(X, y) > 0.8
    with pytest.warns(UserWarning, match="max_memory"):
        model = UCTTreeClassifier(n_iterations=10**6, max_memory=4, **settings).fit(X, y)
    assert model.n_iterations_ < 10**6 and model.score(X, y) > 0.8


def test_a_time_limit_and_an_interrupt_keep_the_best_so_far(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    settings = {"value_pruning": False, "tree_pruning": False, "random_state": 0}
    model = UCTTreeClassifier(n_iterations=10**9, time_limit=0.2, **settings).fit(X, y)
    assert 0 < model.n_iterations_ < 10**9
    calls = []

    def interrupted(self, n):
        calls.append(n)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return True

    monkeypatch.setattr(UCTTreeClassifier, "_bootstrapped", interrupted)
    with pytest.warns(UserWarning, match="interrupted"), warnings.catch_warnings():
        UCTTreeClassifier(policy="c45b", n_iterations=10**6).fit(X, y)
    assert len(calls) == 3


def test_an_interrupted_simulation_leaves_no_trace(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    settings = {"policy": "c45b", "n_iterations": 100, "random_state": 0}
    simulate, calls = UCTTreeClassifier._simulate, []

    def interrupted(self, actions):
        calls.append(actions)
        if len(calls) == 31:
            raise KeyboardInterrupt
        return simulate(self, actions)

    monkeypatch.setattr(UCTTreeClassifier, "_simulate", interrupted)
    with pytest.warns(UserWarning, match="interrupted"):
        model = UCTTreeClassifier(**settings).fit(X, y)
    table = model.search_tree_
    assert model.n_iterations_ == table.n_visits[0] == 30
    assert (table.n_visits[1:] > 0).all()
    model.continue_search(70)
    assert model.n_iterations_ == model.search_tree_.n_visits[0] == 100


def test_a_progress_bar_is_shown_when_asked_for(capsys):
    X, y = load_iris(return_X_y=True)
    UCTTreeClassifier(progress=True, **QUICK).fit(X, y)
    assert "UCT-DT" in capsys.readouterr().err
    UCTTreeClassifier(**QUICK).fit(X, y)
    assert capsys.readouterr().err == ""


def test_rows_of_weight_zero_are_as_if_absent():
    X, y = load_iris(return_X_y=True)
    weight = np.r_[np.zeros(10), np.ones(140)]
    model = UCTTreeClassifier(**QUICK).fit(X, y, weight)
    without = UCTTreeClassifier(**QUICK).fit(X[10:], y[10:])
    assert model.tree_ == without.tree_
    np.testing.assert_array_equal(model.induction_indices_, without.induction_indices_ + 10)


def test_bootstrap_sees_other_samples_each_time():
    X, y = load_breast_cancer(return_X_y=True)
    model = UCTTreeClassifier(policy="c45b", n_iterations=60, random_state=0).fit(X, y)
    tests = model._search.actions_of(1)
    rewards = {model._simulate(tests)[0] for _ in range(10)}
    assert len(rewards) > 3 and all(0 < r <= 1 for r in rewards)


def test_two_tables_that_hold_hardly_anything():
    for X, y in (([[1.0]], [0]), ([[1.0], [2.0]], [0, 1]), ([[1.0], [1.0], [1.0]], [0, 1, 0])):
        model = UCTTreeClassifier(**QUICK).fit(np.array(X), y)
        assert model.exhausted_ and model.tree_.n_leaves == 1
        assert len(model.search_tree_) == 1 and model.n_iterations_ == 0


@pytest.mark.parametrize(
    "settings",
    [
        {"policy": "uct"},
        {"selection": "ucb1"},
        {"kept_path": "best"},
        {"n_candidates": 0},
        {"n_iterations": -1},
        {"n_iterations": 1.5},
        {"exploration": -1},
        {"validation_fraction": 0.0},
        {"validation_fraction": 1},
        {"value_pruning": 1},
        {"max_nodes": 0},
        {"max_memory": -1},
        {"time_limit": "1 s"},
        {"n_candidates_per_variable": 0},
        {"confidence": 2},
    ],
    ids=str,
)
def test_bad_settings_name_the_culprit(settings):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match=next(iter(settings))):
        UCTTreeClassifier(**settings).fit(X, y)


@pytest.mark.parametrize("n_categories", [63, 64, 65, 200])
def test_a_column_of_many_categories(n_categories):
    """A test took a byte for each category, and a look at each of them: 20,000 categories took
    1.1 GB. Categories that are absent where the test is follow the heavier side, as in growth."""
    rng = np.random.default_rng(n_categories)
    codes = rng.integers(0, n_categories, 4 * n_categories)
    y = (rng.random(len(codes)) < rng.random(n_categories)[codes]).astype(int)
    X = pd.DataFrame({"kind": pd.Categorical(codes, categories=range(n_categories))})
    for missing in (False, True):
        X.loc[: 20 * missing - 1, "kind"] = np.nan
        model = UCTTreeClassifier(n_iterations=5, n_candidates=1, max_depth=1, random_state=0)
        rows = model.fit(X, y).induction_indices_
        grown = C45Classifier(max_depth=1, prune=False).fit(X.iloc[rows], y[rows]).tree_
        assert grown.n_leaves == 2
        np.testing.assert_array_equal(model.tree_.categories_left, grown.categories_left)
        np.testing.assert_array_equal(model.tree_.share_left, grown.share_left)
