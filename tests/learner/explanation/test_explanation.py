"""Explanations against draws, and what is said of them."""

from __future__ import annotations

import pickle

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from effort import share
from oracle import explanation as by_draws
from scipy import stats
from sklearn.datasets import load_iris, load_wine
from sklearn.ensemble import BaggingClassifier, RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

from hedgerow import (
    C45Classifier,
    ConfDTreeClassifier,
    EIGClassifier,
    EvidentialTreeClassifier,
    Explanation,
    OptimalTreeClassifier,
    ProbabilisticThresholdClassifier,
    SoftTreeClassifier,
    Tree,
    UCTTreeClassifier,
    Uncertain,
    UncertainDataTreeClassifier,
    UncertainTreeClassifier,
)
from hedgerow.data import load
from hedgerow.errors import InputError
from hedgerow.explanation import Explanations
from hedgerow.explanation.answers import Answers
from hedgerow.explanation.error_laws import drawn_once, law, repeated_law
from hedgerow.induction.measurement import resolve_error
from hedgerow.uncertainty import RelativeNoise

N = share(1_000_000, 100_000)  # draws


def within(found: float, drawn: float, spread: float) -> None:
    """Within four standard errors of what was drawn."""
    assert abs(found - drawn) <= 4 * spread / np.sqrt(N) + 1e-9, (found, drawn)


def share_within(found: float, drawn: float) -> None:
    within(found, drawn, np.sqrt(max(drawn * (1 - drawn), 2.0 / N)))


def deep_tree(seed: int, m: int = 3, missing: float = 0.0) -> tuple[Tree, np.ndarray]:
    """A tree that tests variables several times on a path, and its rows."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, m))
    y = rng.integers(3, size=120)
    X[rng.random(X.shape) < missing] = np.nan
    model = C45Classifier(prune=False, max_depth=4, min_samples_split=2).fit(X, y)
    return model.tree_, X


def error_of(kind: str, rng):
    """What a user gives, and how to draw from it."""
    if kind == "normal":
        return 0.4, lambda n: rng.normal(scale=0.4, size=n)
    if kind == "rectangle":
        return "+-0.6", lambda n: rng.uniform(-0.6, 0.6, size=n)
    if kind == "skew":
        model = stats.gamma(2.0, loc=-0.5, scale=0.3)
        return model, lambda n: model.rvs(n, random_state=rng)
    model = stats.t(3, scale=0.3)
    return model, lambda n: model.rvs(n, random_state=rng)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("kind", ["normal", "rectangle", "skew", "heavy"])
def test_as_drawn(kind, seed):
    """Leaves, moments, change and entropy, a million draws each; variables tested twice."""
    tree, X = deep_tree(seed)
    rng = np.random.default_rng(100 + seed)
    error, draw = error_of(kind, rng)
    x = X[seed]
    errors = {0: draw, 1: draw}
    said = tree.explain(x, error={0: error, 1: error})
    values = by_draws.drawn(x, errors, N, rng)
    drawn = by_draws.leaf_shares(tree, values)
    for leaf in said.leaves:
        share_within(leaf.probability, drawn[leaf.node])
    assert sum(leaf.probability for leaf in said.leaves) == pytest.approx(1.0)
    mean, measuring, cases = by_draws.moments(tree, values, rng)
    for k in range(tree.n_classes):
        within(said.mean[k], mean[k], np.sqrt(measuring[k] + cases[k]))
        within(said.variance_measuring[k], measuring[k], 0.5)
        within(said.variance_cases[k], cases[k], 0.5)
    share_within(said.changes, by_draws.changes(tree, x, errors, N, rng, "measured"))
    once = tree.explain(x, error={0: error, 1: error}, given="true")
    plus = by_draws.changes(tree, x, errors, N, rng, "true")
    share_within(once.changes, plus)
    within(said.entropy, by_draws.entropy(tree, values), 2.0)


@pytest.mark.parametrize("kind", ["normal", "rectangle", "skew", "heavy"])
def test_what_is_worth_measuring_again(kind):
    """The fall of the entropy, by mutual information of answers and a million new values."""
    tree, X = deep_tree(1)
    rng = np.random.default_rng(5)
    error, draw = error_of(kind, rng)
    x = X[3]
    said = tree.explain(x, error={0: error, 1: error})
    assert max(said.repeat_gain.values()) > 0.01
    for j in (0, 1):
        drawn = by_draws.fall(tree, x, {0: draw, 1: draw}, j, N, rng, 500)
        within(said.repeat_gain[f"x{j}"], drawn, 2.0)
    assert list(said.repeat_gain.values()) == sorted(said.repeat_gain.values())[::-1]


@pytest.mark.parametrize("seed", range(6))
def test_missing_values_go_both_ways_at_once(seed):
    """The answer of a case that lacks values is that of the mixture, for each draw."""
    tree, X = deep_tree(seed, m=4, missing=0.2)
    row = int(np.flatnonzero(np.isnan(X).any(axis=1))[seed])
    x = X[row]
    rng = np.random.default_rng(seed)
    errors = {j: (lambda n: rng.normal(scale=0.5, size=n)) for j in np.flatnonzero(~np.isnan(x))}
    said = tree.explain(x, error=0.5)
    share_within(said.changes, by_draws.changes(tree, x, errors, N, rng, "measured"))
    assert said.exact


class Counted:
    """A distribution that counts the numbers that it is asked for."""

    def __init__(self, model):
        self.model, self.n_asked = model, 0

    def cdf(self, d):
        self.n_asked += np.size(d)
        return self.model.cdf(d)


HEAVY = stats.t(3, scale=0.3)


@pytest.mark.parametrize("error", [0.4, HEAVY, Counted(HEAVY)], ids=["normal", "t", "counted"])
def test_too_many_ways_are_drawn(error, monkeypatch):
    """Quantiles of errors that are not normal were looked for by halves at each draw: minutes."""
    tree, X = deep_tree(2)
    want = tree.explain(X[5], error=error)
    assert want.changes > 0 and want.entropy > 0 and want.exact
    monkeypatch.setattr("hedgerow.explanation.answers.MOST", 3)
    drawn = tree.explain(X[5], error=error)
    assert drawn.changes == pytest.approx(want.changes, abs=4 * 0.5 / np.sqrt(200_000))
    assert drawn.entropy == pytest.approx(want.entropy, abs=0.02)
    assert not drawn.exact
    assert "draws with a fixed seed" in str(drawn)


def test_within_a_cell_as_drawn_there():
    """The answers where one variable is known to lie between two thresholds."""
    tree, X = deep_tree(1)
    gate = drawn_once(resolve_error(0.4, np.zeros(3, int)))
    x = X[3]
    laws = {j: law(gate, j, x[j]) for j in range(3)}
    asked = Answers(tree, tree.probabilities(), x, laws)
    found = asked.probability({0: (0.3, 0.6)})
    rng = np.random.default_rng(0)
    values = np.repeat(x[None], N, axis=0) + rng.normal(scale=0.4, size=(N, 3))
    u = rng.uniform(0.3, 0.6, N)
    values[:, 0] = x[0] + 0.4 * stats.norm.ppf(u)
    drawn = np.bincount(tree.predict_proba(values, None).argmax(axis=1), minlength=3) / N
    for k in range(3):
        share_within(found[k], drawn[k])


def test_errors_by_row_and_in_per_cent():
    tree, X = deep_tree(0)
    by_row = np.zeros((4, 3))
    by_row[:, 0] = [0.1, 0.2, 0.3, 0.4]
    cases = tree.explain(X[:4], error=by_row)
    for row, case in enumerate(cases):
        alone = tree.explain(X[row], error={0: by_row[row, 0]})
        assert case.changes == pytest.approx(alone.changes, abs=1e-12)
        for own, other in zip(case.leaves, alone.leaves, strict=False):  # tails end elsewhere
            assert own.node == other.node or own.probability < 1e-12
        np.testing.assert_allclose(case.probabilities, alone.probabilities, atol=1e-12)
    share = tree.explain(X[0], error={0: "20 %"})
    plain = tree.explain(X[0], error={0: 0.2 * abs(X[0, 0])})
    assert share.changes == pytest.approx(plain.changes, abs=1e-9)
    for own, other in zip(share.path, plain.path, strict=True):
        assert own.distance == pytest.approx(other.distance)


def learners():
    """A learner of each kind, with what it takes."""
    yield C45Classifier(max_depth=3)
    yield SoftTreeClassifier(search=0.1, propagation=0.1, evaluation=0.1)
    yield ProbabilisticThresholdClassifier()
    yield UncertainTreeClassifier(width=0.05)
    yield UCTTreeClassifier(n_iterations=200, random_state=0)
    yield EIGClassifier()
    yield UncertainDataTreeClassifier()
    yield OptimalTreeClassifier(2)
    yield OptimalTreeClassifier(2, error=0.2)
    yield ConfDTreeClassifier(C45Classifier(max_depth=3))
    yield EvidentialTreeClassifier(max_leaves=4, random_state=0)


@pytest.mark.parametrize("model", list(learners()), ids=lambda model: type(model).__name__)
def test_every_learner(model):
    """What it says is what it predicts, of a case and of a frame, with and without errors."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    model.fit(X, y)
    for error in (None, {"flavanoids": 0.2, "proline": "5 %"}):
        cases = model.explain(X.iloc[58:63], error=error)
        want = model.predict_proba(X.iloc[58:63], error=error)
        for case, p in zip(cases, want, strict=True):
            np.testing.assert_allclose(case.probabilities, p, atol=1e-12)
            assert sum(leaf.probability for leaf in case.leaves) == pytest.approx(1.0)
            assert str(case).startswith(f"answer: {case.answer} (")
        alone = model.explain(X.iloc[58], error=error)
        assert isinstance(alone, Explanation) and isinstance(cases, Explanations)
        np.testing.assert_allclose(alone.probabilities, want[0], atol=1e-12)
        frame = cases.to_frame()
        assert frame["answer"].tolist() == model.predict(X.iloc[58:63], error=error).tolist()
    assert (
        model.explain(X.iloc[58], error={"flavanoids": 0.2}).revisions is not None
    ) == isinstance(model, ConfDTreeClassifier)


def test_forest_of_confdtree():
    X, y = load_iris(return_X_y=True)
    model = ConfDTreeClassifier(RandomForestClassifier(3, random_state=0)).fit(X, y)
    said = model.explain(X[70])
    assert len(said.revisions.trees) == 3 and "tree 0" in str(said) and "tree 0" in said.to_html()
    with pytest.raises(InputError, match="of a forest, which has no path"):
        _ = said.path
    assert model.explain(X[:2]).to_frame().shape == (2, 2)


def test_trees_of_scikit_learn():
    X, y = load_iris(return_X_y=True)
    model = DecisionTreeClassifier(max_depth=3, random_state=0).fit(X, y)
    tree = Tree.from_sklearn(model)
    said = tree.explain(X[70], error={2: 0.1, 3: 0.1})
    np.testing.assert_allclose(
        tree.explain(X[70]).probabilities, model.predict_proba(X[[70]])[0], atol=1e-12
    )
    assert 0 < said.changes < 1 and next(iter(said.repeat_gain)) in ("x2", "x3")


def test_by_hand():
    """One test at 10, a value of 9 and an error of 1: the root of 2 for another measurement."""
    tree = (
        C45Classifier(prune=False, min_samples_split=2)
        .fit([[8.0], [9.0], [10.0], [11.0]], ["a", "a", "b", "b"])
        .tree_
    )
    said = tree.explain([9.0], error=1.0)
    below = stats.norm.cdf(1.0)
    assert [leaf.probability for leaf in said.leaves] == pytest.approx([below, 1 - below])
    assert said.changes == pytest.approx(1 - stats.norm.cdf(1 / np.sqrt(2)))
    assert tree.explain([9.0], error=1.0, given="true").changes == pytest.approx(1 - below)
    assert said.path[0].distance == pytest.approx(-1.0)
    assert tree.explain([9.0]).path[0].distance == -np.inf
    assert said.mean == pytest.approx([below * 2.5 / 3 + (1 - below) * 0.5 / 3,
                                       below * 0.5 / 3 + (1 - below) * 2.5 / 3])  # fmt: skip
    spread = below * (1 - below) * (2.0 / 3) ** 2
    assert said.variance_measuring == pytest.approx([spread, spread])
    assert said.variance_cases == pytest.approx([2.5 * 0.5 / 9 / 4] * 2)
    values, p = said.what_if("x0", [5.0, 10.0, 15.0])
    np.testing.assert_allclose(p[:, 0], stats.norm.cdf([5, 0, -5]), atol=1e-9)
    assert values.tolist() == [5.0, 10.0, 15.0]
    assert "1.00 standard deviations below; probability 84.1 %" in str(said)


def test_nothing_is_known_of_errors():
    tree, X = deep_tree(0)
    said = tree.explain(X[0])
    assert said.changes is None and said.repeat_gain == {} and said.entropy == 0
    assert len(said.leaves) == 1 and "no measurement error is given" in str(said)


def test_a_tree_without_a_test():
    tree = C45Classifier().fit([[1.0], [2.0]], ["a", "a"]).tree_
    said = tree.explain([1.0], error=1.0)
    assert said.path == () and said.leaves[0].probability == 1.0 and said.changes is None
    assert said.to_html() and str(said)


def test_categories_and_their_names():
    frame = pd.DataFrame({
        "kind": pd.Categorical(["<b>", "<b>", "q&a", "q&a"] * 10),
        "size": np.tile([1.0, 2.0, 3.0, 4.0], 10),
    })  # fmt: skip
    y = np.where(frame["kind"] == "<b>", "no", "yes")
    model = C45Classifier(prune=False).fit(frame, y)
    said = model.explain(frame.iloc[2], error={"size": 1.0})
    assert "kind = q&a" in str(said) and said.changes is None
    assert "<b>" not in said.to_html() and "&lt;b&gt;" in said.to_html()
    values, p = said.what_if("kind")
    assert len(values) == 2 and p.shape == (2, 2)
    new = frame.iloc[[1]].assign(kind=pd.Categorical(["other"]))
    assert "a new category" in str(model.explain(new))


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda tree, X: tree.explain(X[0], given="told"), "given is 'told'"),
        (lambda tree, X: tree.explain(X[0, :1], error=0.1), "the tree tests variable"),
        (lambda tree, X: tree.explain(X[:2], error=np.ones((3, 3))), "3 entries for 2 rows"),
        (lambda tree, X: tree.explain([np.inf, 0.0, 0.0]), "X holds an infinite value"),
        (lambda tree, X: tree.explain("text"), "X has 0 dimensions|no real number"),
        (lambda tree, X: tree.explain(X[0]).what_if("age"), "'age' is no variable"),
        (lambda tree, X: tree.explain(X[0]).what_if(7), "7 is no variable"),
    ],
)
def test_bad_input(call, words):
    with pytest.raises(InputError, match=words):
        call(*deep_tree(0))


def test_the_picture_has_what_is_said():
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = C45Classifier(max_depth=3).fit(X, y)
    said = model.explain(X.iloc[61], error={"flavanoids": 0.2, "ash": 0.1})
    figure = said.plot()
    bars, *curves = figure.axes
    assert [bar.get_width() for bar in bars.patches] == pytest.approx(
        [leaf.probability for leaf in said.leaves]
    )
    assert [ax.get_xlabel() for ax in curves] == ["flavanoids", "color_intensity", "proline", "ash"]
    for ax in curves:
        values, p = said.what_if(ax.get_xlabel())
        for line, own in zip(ax.lines, p.T, strict=False):
            np.testing.assert_array_equal(line.get_ydata(), own)
            np.testing.assert_array_equal(line.get_xdata(), values)
    with pytest.raises(InputError, match="figure has axes already"):
        said.plot(figure)
    plt.close(figure)


def test_the_page_has_what_the_text_has():
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = ConfDTreeClassifier(C45Classifier(max_depth=3)).fit(X, y)
    said = model.explain(X.iloc[[61, 150]], error={"flavanoids": 0.2})
    page = said.to_html()
    assert page == said._repr_html_() and "http" not in page and "<script" not in page
    assert page.count("<details>") == 2 and page.count("Doubts of the nodes") == 2
    assert f"Another answer than {said[1].stands}" not in page
    assert f"the answer is not {said[1].stands} with probability" in page
    assert len(said[:1]) == 1 and said[-1] is said[1]


def test_a_true_value_is_measured_below_where_it_would_lie_above():
    """An error is true less measured: with a one-sided one both directions were mixed up."""
    tree = (
        C45Classifier(prune=False, min_samples_split=2)
        .fit([[8.0], [9.0], [10.0], [11.0]], ["a", "a", "b", "b"])
        .tree_
    )
    error = stats.expon()
    above, below = (tree.explain([x], error=error, given="true") for x in (10.3, 9.7))
    assert above.changes == pytest.approx(np.exp(-0.3)) and below.changes == 0.0
    assert tree.explain([9.7], error=error).changes == pytest.approx(np.exp(-0.3) / 2, abs=1e-3)


def test_a_forest_of_one_tree_has_the_labels_and_names_of_all():
    """Classes were the codes inside, and names those of other columns."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    labels = np.array(["a", "b", "c"])[y]
    bag = BaggingClassifier(
        DecisionTreeClassifier(max_depth=3), 1, max_features=0.4, random_state=0
    )
    for inner in (RandomForestClassifier(1, random_state=0), bag):
        model = ConfDTreeClassifier(inner).fit(X, labels)
        said = model.explain(X.iloc[[61]])[0]
        assert said.answer == model.predict(X.iloc[[61]])[0] and said.classes == ["a", "b", "c"]
        for step in said.path:
            assert step.value == pytest.approx(X.iloc[61][step.variable], rel=1e-6)
            assert f"{step.variable} = " in str(said.revisions)


def test_columns_are_found_by_their_names():
    """A frame in another order gave its values to other tests, and its names to them."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    tree = C45Classifier(max_depth=3).fit(X, y).tree_
    error = {"flavanoids": 0.2, "ash": 0.1}
    want = str(tree.explain(X.iloc[61], error=error))
    assert str(tree.explain(X.iloc[61][::-1], error=error)) == want
    more = X.iloc[[61]].assign(other=1.0)[["other", *X.columns]]
    assert str(tree.explain(more, error=error)[0]) == want
    assert str(tree.explain(X.iloc[[61]].set_axis(range(13), axis=1), error=error)[0]) == want
    nameless = tree.replace(feature_names=None)
    assert str(nameless.explain(X.iloc[61], error=error)) == want
    with pytest.raises(InputError, match="X has no column 'ash'"):
        tree.explain(X.drop(columns="ash"))
    with pytest.raises(InputError, match="X has 14 columns, and the tree has 13 variables"):
        tree.explain(np.ones((1, 14)))


@pytest.mark.parametrize("by_row", [False, True])
def test_doubts_are_those_of_the_probabilities(by_row):
    """The nodes of a ConfDTree were asked without the errors that the answer was given with."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    for inner in (C45Classifier(max_depth=3), RandomForestClassifier(3, random_state=0)):
        model = ConfDTreeClassifier(inner).fit(X, y)
        error = {"flavanoids": 0.5, "color_intensity": 1.0}
        if by_row:
            error = {"flavanoids": np.linspace(0, 1, 20)}
        for case in model.explain(X.iloc[120:140], error=error):
            np.testing.assert_allclose(case.revisions.after, case.probabilities, atol=1e-12)


def test_copies_of_what_was_asked():
    X, y = load_wine(return_X_y=True, as_frame=True)
    for model in (C45Classifier(max_depth=3), ConfDTreeClassifier(C45Classifier(max_depth=3))):
        cases = model.fit(X, y).explain(X.iloc[60:63], error=0.2)
        for asked in (False, True):
            copied = pickle.loads(pickle.dumps(cases))
            assert str(copied) == str(cases), asked
        assert str(cases[1:]).startswith("row 1\n")


WHOLE = {
    "normal": stats.norm(scale=0.3),
    "t": stats.t(3, scale=0.3),
    "laplace": stats.laplace(scale=0.2),
    "cauchy": stats.cauchy(scale=0.1),
    "skew": stats.gamma(2.0, loc=-0.5, scale=0.3),
}


@pytest.mark.parametrize("kind", WHOLE)
@pytest.mark.parametrize(
    "learner",
    [
        SoftTreeClassifier(propagation=0.1, evaluation=0.1, error_unit="sd", prune=False),
        SoftTreeClassifier(evaluation=0.1, error_unit="sd", gate_at="ties_right", window=2.0),
        ConfDTreeClassifier(SoftTreeClassifier(evaluation=0.1, error_unit="sd", prune=False)),
        UncertainTreeClassifier(width=0.2),
        OptimalTreeClassifier(2, draws="per_test"),
        C45Classifier(prune=False),
    ],
    ids=lambda learner: type(learner).__name__,
)
def test_errors_are_taken_whole(learner, kind):
    """Soft trees and UDT cut the errors that `explain` was given at 3 and 2 standard deviations.

    A value 3.2 of them from a threshold had no chance to lie beyond it (a normal one .000687, t
    with 3 degrees of freedom .0058), and `norm(scale=s)` gave other leaves than s.
    """
    rng = np.random.default_rng(3)
    X = rng.normal(size=(150, 3))
    y = ((X[:, 0] > 0).astype(int) + (X[:, 1] * X[:, 0] > 0.2)).astype(int)
    model = learner.fit(X, y)
    tree, error = model.tree_, WHOLE[kind]
    for x in X[:3]:
        said = model.explain(x, error={0: error, 1: error})
        want = by_draws.exact_leaves(tree, x, {0: error, 1: error})
        leaves = {leaf.node: leaf.probability for leaf in said.leaves}
        for node, p in want.items():
            assert leaves.get(node, 0.0) == pytest.approx(p, abs=1e-13)
        if kind == "normal":
            plain = model.explain(x, error={0: 0.3, 1: 0.3})
            for leaf in plain.leaves:
                assert leaf.probability == pytest.approx(want[leaf.node], abs=1e-13)
            assert plain.changes == pytest.approx(said.changes, abs=1e-12)
            assert plain.changes == pytest.approx(
                by_draws.exact_changes(tree, x, {0: error, 1: error}), abs=1e-9
            )


def test_errors_that_a_soft_tree_carries_are_taken_whole():
    """So were those that a soft tree was grown with, where none are given to `explain`."""
    x = np.r_[np.zeros(20), np.ones(20)][:, None]
    model = SoftTreeClassifier(error=stats.t(3, scale=0.1), max_depth=1).fit(x, x.ravel() > 0.5)
    threshold, tree = model.tree_.threshold[0], model.tree_
    at = threshold - 3.2 * np.sqrt(3) * 0.1
    assert tree.shares(np.array([[at]])).toarray()[0, 1] == 1.0  # as it is read, in its window
    for said in (model.explain([at]), tree.explain([at])):
        (leaf,) = (leaf.probability for leaf in said.leaves if leaf.answer)
        assert leaf == pytest.approx(stats.t(3).sf(3.2 * np.sqrt(3)), abs=1e-13)
        assert leaf == pytest.approx(0.0057892163, abs=1e-9)


def test_errors_with_uncertain_data_are_taken_whole():
    x = np.r_[np.zeros(20), np.ones(20)][:, None]
    model = UncertainTreeClassifier(width=0.1, max_depth=1).fit(x, x.ravel() > 0.5)
    at = [[model.tree_.threshold[0] - 0.32]]
    (said,) = model.explain(Uncertain(at, error=0.1))
    (leaf,) = (leaf.probability for leaf in said.leaves if leaf.answer)
    assert leaf == pytest.approx(stats.norm.sf(3.2), abs=1e-13)


@pytest.mark.parametrize(
    ("error", "off"),
    [
        (stats.t(3, scale=0.3), 1e-7),
        (stats.norm(0.1, 0.3), 1e-9),
        (stats.laplace(scale=0.2), 1e-6),
        (stats.gamma(2.0, loc=-0.5, scale=0.3), 1e-6),
        (stats.uniform(-0.5, 1.0), 1e-9),
        (stats.cauchy(scale=0.1), 1e-4),
        (stats.lognorm(1.5, loc=-0.2, scale=0.2), 1e-4),
    ],
    ids=lambda given: getattr(getattr(given, "dist", None), "name", ""),
)
def test_another_measurement_as_integrated(error, off):
    """The difference of two errors, against a plain integral; off by 7e-5 for t, by quantiles."""
    gate = drawn_once(resolve_error(error, np.zeros(1, int)))
    first = law(gate, 0, 5.0)
    second = repeated_law(gate, 0, first)
    exact = by_draws.difference_cdf(error)
    d = first.sd * np.array([-30.0, -6.0, -2.0, -0.3, 0.0, 0.01, 0.5, 1.0, 3.0, 9.0, 40.0])
    np.testing.assert_allclose(second.below(5.0 + d), [exact(each) for each in d], atol=off)
    np.testing.assert_allclose(first.below(5.0 + d), error.cdf(d), atol=1e-12)
    u = np.linspace(0.001, 0.999, 101)
    np.testing.assert_allclose(first.below(first.quantiles(u)), u, atol=5e-4)
    np.testing.assert_allclose(second.below(second.quantiles(u)), u, atol=5e-4)


def test_a_distribution_is_worked_out_once():
    """It was for each variable and row: 3.5 s a row with 30 variables, .03 s with normal errors."""
    X, y = load_wine(return_X_y=True)
    model = C45Classifier(prune=False, min_samples_split=2).fit(X, y)
    error = Counted(HEAVY)
    first = str(model.explain(X[:1], error=error)[0])
    table, error.n_asked = error.n_asked, 0
    rows = str(model.explain(X[:11], error=error))
    assert first in rows and table < 400_000  # was 3,600,000 for each variable that is tested
    assert error.n_asked - table < 10 * 30_000


@pytest.mark.parametrize("scale", ["same", "relative"])
def test_errors_of_one_shape_share_a_table(scale):
    """Of another centre, scale or share of the value the answers are those of each alone."""
    tree, X = deep_tree(1)
    wrap = RelativeNoise if scale == "relative" else lambda model: model
    models = [wrap(stats.t(3, loc=loc, scale=s)) for loc, s in ((0, 0.3), (0.1, 0.2), (-0.2, 0.6))]
    hidden = [Counted(model) for model in models]  # not known as scipy's
    for one in hidden:
        one.relative = scale == "relative"
    said = tree.explain(X[3], error=models)
    alone = tree.explain(X[3], error=hidden)
    assert said.changes == pytest.approx(alone.changes, abs=1e-7)
    for name, fall in said.repeat_gain.items():
        assert fall == pytest.approx(alone.repeat_gain[name], abs=1e-5)


def test_errors_that_end_are_not_taken_for_normal_ones():
    """UDT cuts its errors at two standard deviations: leaves knew it, measurements did not."""
    x = np.r_[np.zeros(20), np.ones(20)][:, None]
    model = UncertainTreeClassifier(width=0.4, max_depth=1).fit(x, x.ravel() > 0.5)
    threshold = model.tree_.threshold[0]
    half = 0.1  # a quarter of the width, as all values span 1
    cut = model.explain([threshold - 1.5 * half]).case.error.half_window
    assert cut == 2.0
    rng = np.random.default_rng(0)
    low, high = stats.norm.cdf([-cut, cut])
    for d in (0.5, 1.5):
        said = model.explain([threshold - d * half])
        draws = half * stats.norm.ppf(rng.uniform(low, high, (2, N)))
        share_within(said.changes, float(np.mean(draws[0] - draws[1] >= d * half)))
        (leaf,) = (leaf.probability for leaf in said.leaves if leaf.answer)
        assert leaf == pytest.approx((high - stats.norm.cdf(d)) / (high - low), abs=1e-12)


def test_soft_trees_read_errors_by_row_in_their_own_way():
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = SoftTreeClassifier(propagation=0.1, max_depth=3).fit(X, y)
    error = pd.DataFrame({name: [0.4 * X[name].std()] for name in X})
    said = model.explain(X.iloc[[0]], error=error)[0]
    j = int(model.tree_.feature[0])
    np.testing.assert_allclose(said.what_if(j, X.iloc[0, j])[1][0], said.probabilities, atol=1e-12)


def test_one_name_for_two_variables_and_names_with_breaks():
    X, y = load_wine(return_X_y=True)
    tree = C45Classifier(max_depth=3).fit(X, y).tree_
    said = tree.replace(feature_names=["v"] * 13).explain(X[61], error=0.2)
    assert len(said.repeat_gain) > 2 and "v (6)" in said.repeat_gain
    assert said.what_if("v (6)")[0].shape == (101,)
    with pytest.raises(InputError, match="'v' is no variable"):
        said.what_if("v")
    broken = tree.replace(feature_names=["a\nanswer: 9"] * 13).explain(X[61], error=0.2)
    assert str(broken).count("\nanswer") == 0


def test_values_of_a_what_if_curve():
    frame = pd.DataFrame({"kind": pd.Categorical(list("ab") * 10), "size": [1.0, 2.0] * 10})
    model = C45Classifier(prune=False).fit(frame, frame["kind"].astype(str))
    said = model.explain(frame.iloc[0])
    np.testing.assert_array_equal(said.what_if("kind", ["b", "a"])[1], [[0, 1], [1, 0]])
    for variable, values in (("kind", ["c"]), ("size", ["big"]), ("size", np.inf)):
        with pytest.raises(InputError, match=f"values of '{variable}' are"):
            said.what_if(variable, values)


def test_no_prediction_is_stepped_over():
    """Of vehicle, row 199, what lies between the tests at 306 and 309 was absent: 101 values only.

    Against a walk for every number at which the tree tests, and one between each two of them.
    """
    X, y = load_vehicle()
    tree = C45Classifier().fit(X, y).tree_
    (j,) = {int(tree.feature[n]) for n in np.flatnonzero(tree.threshold == 306)}
    values, p = tree.explain(X[199]).what_if(j)
    inside = (values >= 306) & (values < 309)
    assert inside.sum() == 1
    np.testing.assert_array_equal(p[inside], by_draws.walked(tree, X[199], j, [307.0]))
    for variable in np.unique(tree.feature[tree.feature >= 0]).tolist():
        said = tree.explain(X[199])
        cuts = np.unique(tree.threshold[tree.feature == variable])
        want = by_draws.walked(tree, X[199], variable, [cuts[0] - 1.0, *cuts])
        values, p = said.what_if(variable)
        place = np.searchsorted(cuts, values, side="right")
        assert sorted(set(place.tolist())) == list(range(len(cuts) + 1))
        assert (np.diff(values) >= 0).all()
        np.testing.assert_array_equal(p, want[place])


def load_vehicle():
    table = load("vehicle")
    return np.asarray(table.X, dtype=float), np.asarray(table.y)


@pytest.mark.parametrize("unit", [1.0, 1e-9, 1e300])
def test_a_value_in_every_stretch(unit):
    """Also between neighbouring numbers, and below a lowest test that is as large as the span."""
    start = 1.0 * unit
    steps = [start]
    for _ in range(4):
        steps.append(np.nextafter(steps[-1], np.inf))
    X = np.array([0.5 * unit, *steps, 1e3 * unit])[:, None]
    tree = C45Classifier(prune=False, min_samples_split=2).fit(X, np.arange(7) % 3).tree_
    for x in X:
        values, p = tree.explain(x).what_if(0)
        assert {tuple(row) for row in p} == {
            tuple(row) for row in by_draws.walked(tree, x, 0, X[:, 0])
        }
        assert np.isfinite(values).all()
    few = C45Classifier(prune=False, min_samples_split=2).fit(X[1:6], [0, 1, 0, 1, 2]).tree_
    _, p = few.explain(X[3]).what_if(0)
    want = by_draws.walked(few, X[3], 0, X[1:6, 0])
    assert {tuple(row) for row in p} == {tuple(row) for row in want}


def test_a_value_within_the_bounds_of_each_soft_threshold():
    """What bounds of piecewise-linear thresholds divide was stepped over as well."""
    rng = np.random.default_rng(0)
    X = np.concatenate([rng.normal(0, 1e-3, 60), rng.normal(1e-3, 1e-3, 60), [1e3, -1e3]])[:, None]
    model = ProbabilisticThresholdClassifier().fit(X, np.repeat([0, 1], 61))
    gate = model.tree_.gate
    values, _ = model.explain(X[0]).what_if(0)
    inner = np.flatnonzero(model.tree_.feature >= 0)
    assert len(inner)
    ends = np.unique([gate.lower[inner], model.tree_.threshold[inner], gate.upper[inner]])
    place = np.searchsorted(ends, values, side="right")
    assert set(place.tolist()) == set(range(len(ends) + 1))


def test_discrete_errors_are_refused():
    tree, X = deep_tree(0)
    with pytest.raises(InputError, match="error of column 0 has a discrete distribution"):
        tree.explain(X[0], error=stats.poisson(1))


def test_a_model_of_one_dimension():
    class Narrow:
        def cdf(self, d):
            if np.ndim(d) > 1:
                raise TypeError("of one dimension")
            return stats.logistic.cdf(d, scale=0.2)

    tree, X = deep_tree(0)
    said = tree.explain(X[0], error={0: Narrow()})
    want = tree.explain(X[0], error={0: stats.logistic(scale=0.2)})
    assert said.changes == pytest.approx(want.changes, abs=1e-9)
    assert said.repeat_gain["x0"] == pytest.approx(want.repeat_gain["x0"], abs=1e-6)


def test_new_categories_of_evidential_trees():
    """They are missing to its mixture, and went to the heavier side in its explanation."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    kind = np.where(y == 0, "r", np.where(np.arange(178) % 2, "g", "b"))
    frame = X[["flavanoids", "ash"]].assign(kind=pd.Categorical(kind))
    model = EvidentialTreeClassifier(random_state=0).fit(frame, y)
    new = frame.iloc[[3]].assign(kind=pd.Categorical(["new"]))
    absent = frame.iloc[[3]].assign(kind=pd.Categorical([None], categories=list("bgr")))
    said, missing = (model.explain(row)[0] for row in (new, absent))
    assert len(said.leaves) > 1 and len(said.leaves) == len(missing.leaves)
    for one, other in zip(said.leaves, missing.leaves, strict=True):
        assert (one.node, one.probability) == (other.node, other.probability)
    np.testing.assert_array_equal(said.probabilities, missing.probabilities)


def test_rows_of_the_user_stay_as_they_are():
    """New categories became missing in the user's own table."""
    X, y = load_wine(return_X_y=True)
    table = np.column_stack([X[:, 6], y.astype(float)])
    model = EvidentialTreeClassifier(random_state=0, categorical_features=[1]).fit(table, y)
    new = np.array([[1.0, 9.0]])
    for ask in (model.explain, model.predict_proba, model.apply):
        ask(new)
        assert new.tolist() == [[1.0, 9.0]]
