"""Trees as scikit-learn's: its methods, its texts, and other people's libraries that read it."""

import pickle

import numpy as np
import pandas as pd
import pytest
from effort import examples
from hypothesis import given
from hypothesis import strategies as st
from oracle.random_trees import chain, random_table, seeds
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.tree import DecisionTreeClassifier, export_graphviz, export_text, plot_tree
from sklearn.utils.validation import check_is_fitted

from hedgerow import C45Classifier, ConfDTreeClassifier, SoftTreeClassifier
from hedgerow.errors import HedgerowWarning, InputError
from hedgerow.exchange import to_sklearn
from hedgerow.induction import Columns, grow
from hedgerow.tree import ThresholdGate, Tree


def numeric_tree(seed: int) -> tuple[Tree, np.ndarray]:
    """A tree of numbers, and rows of 32-bit floats without gaps, some at or beside thresholds."""
    X, y, K, weight, _ = random_table(seed)
    tree = grow(Columns(X, y, K, weight, np.zeros(X.shape[1], int)), min_samples_split=2)
    rng = np.random.default_rng([seed, 3])
    rows = np.repeat(X, 3, axis=0).astype(np.float32)
    for j in range(X.shape[1]):
        at = np.append(tree.threshold[tree.feature == j], 0.0).astype(np.float32)
        near = [np.nextafter(at, np.float32(end)) for end in (-np.inf, np.inf)]
        other = rng.choice(np.concatenate([at, *near]), len(rows))
        rows[:, j] = np.where(rng.random(len(rows)) < 0.5, rows[:, j], other)
    rows[np.isnan(rows)] = 1.5
    return tree, rows


def rounded(tree: Tree) -> Tree:
    """The tree with its thresholds as 32-bit floats, as scikit-learn has values."""
    with np.errstate(over="ignore"):
        near = tree.threshold.astype(np.float32).astype(float)
    most = np.finfo(float).max
    return tree._with(threshold=np.clip(near, -most, most), center=np.clip(near, -most, most))


@examples(200)
@given(seeds)
def test_rows_of_32_bit_floats_go_as_by_rounded_thresholds(seed):
    tree, rows = numeric_tree(seed)
    made = to_sklearn(tree, rows.shape[1])
    tree = rounded(tree)
    np.testing.assert_array_equal(made.apply(rows), tree.apply(rows))
    np.testing.assert_allclose(made.predict_proba(rows), tree.predict_proba(rows), atol=1e-15)
    np.testing.assert_array_equal(made.predict(rows), tree.predict_proba(rows).argmax(axis=1))
    path = made.decision_path(rows) != tree.decision_path(rows)
    assert path.nnz == 0


@examples(100)
@given(seeds)
def test_there_and_back(seed):
    tree, rows = numeric_tree(seed)
    back = Tree.from_sklearn(to_sklearn(tree, rows.shape[1]))
    tree = rounded(tree)
    np.testing.assert_allclose(back.predict_proba(rows), tree.predict_proba(rows), atol=1e-15)
    np.testing.assert_allclose(
        back.class_weight, tree.probabilities() * tree.class_weight.sum(axis=1, keepdims=True)
    )
    # Thresholds of the second are 32-bit floats already.
    again = Tree.from_sklearn(to_sklearn(back, rows.shape[1]))
    np.testing.assert_array_equal(again.threshold, back.threshold)


def stump(threshold: float) -> Tree:
    """A tree with a single test."""
    return Tree(
        [0, -1, -1],
        [threshold, np.nan, np.nan],
        [1, -1, -1],
        [2, -1, -1],
        [-1, 0, 0],
        [0.5, np.nan, np.nan],
        [[1, 1], [1, 0], [0, 1]],
    )


@pytest.mark.filterwarnings("ignore:scikit-learn rounds values to 32 bits")
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_every_threshold_divides_32_bit_floats_as_rounded_values_are(threshold):
    """Subnormal numbers and those beyond all 32-bit floats as well."""
    tree = stump(threshold)
    with np.errstate(over="ignore"):
        at = np.float32(threshold)
        around = [np.nextafter(at, np.float32(end)) for end in (-np.inf, np.inf)] + [at, 0]
    rows = np.array([around], dtype=np.float32).T
    rows = rows[np.isfinite(rows[:, 0])]
    np.testing.assert_array_equal(to_sklearn(tree).apply(rows), rounded(tree).apply(rows))
    # A midpoint is no value: what it becomes is on the side on which it is as a 64-bit float.
    made = to_sklearn(tree, candidates="midpoints")
    np.testing.assert_array_equal(made.apply(rows), tree.apply(rows))


def test_training_rows_on_a_threshold_reach_their_leaf():
    """The threshold .7 became the 32-bit float below .7, which is also what scikit-learn makes of
    the training value .7: the row went left, and was predicted as class 0."""
    X, y = [[0.5], [0.6], [0.7], [0.8]], [0, 0, 1, 1]
    model = C45Classifier(prune=False, min_samples_split=2).fit(X, y)
    assert (
        model.to_sklearn().predict(X).tolist() == model.tree_.to_sklearn().predict(X).tolist() == y
    )


def test_midpoints_of_neighbouring_32_bit_floats():
    """The value below a midpoint is the midpoint rounded down; with the rule for observed values it
    went right."""
    low = np.array([1.0, 1.5, 3e-44], np.float32)
    for a in [*low, *np.nextafter(low, np.float32(2))]:  # of even and of odd last bits
        X = np.array([[a], [np.nextafter(a, np.float32(np.inf))]] * 2, dtype=float)
        model = C45Classifier(prune=False, min_samples_split=2, candidates="midpoints")
        model.fit(X, [0, 1] * 2)
        assert model.to_sklearn().predict(X).tolist() == [0, 1] * 2


def test_an_estimator_gives_its_width_names_and_leaves():
    """`tree_.to_sklearn()` knew only the variables that are tested, and no smoothing."""
    X, y = load_iris(return_X_y=True)
    labels = np.array(["a", "b", "c"])[y]
    model = C45Classifier(smoothing=True, max_depth=2).fit(np.column_stack([X, X[:, 0]]), labels)
    made = model.to_sklearn()
    assert made.n_features_in_ == 5 and made.classes_.tolist() == ["a", "b", "c"]
    table = np.column_stack([X, X[:, 0]])
    np.testing.assert_allclose(made.predict_proba(table), model.predict_proba(table), atol=1e-15)
    frame = pd.DataFrame(X, columns=list("abcd"))
    model = C45Classifier(max_depth=1).fit(frame, labels)
    assert model.to_sklearn().feature_names_in_.tolist() == list("abcd")
    with pytest.raises(NotFittedError):
        C45Classifier().to_sklearn()


def test_estimators_that_scikit_learn_cannot_hold_are_refused():
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match="NoiseGate divides rows"):
        SoftTreeClassifier(error=0.1).fit(X, y).to_sklearn()
    with pytest.raises(InputError, match="corrects the predictions of its trees"):
        ConfDTreeClassifier().fit(X, y).to_sklearn()


@pytest.mark.parametrize(
    "values, reason",
    [
        ([2.0**24, 2.0**24 + 1], "16777216 and 16777217 become one number"),
        ([-(2.0**24) - 1, -(2.0**24)], "-16777217 and -16777216 become one number"),
        ([1.7e9, 1.7e9 + 40, 1.7e9 + 50], "1700000040.0 and 1700000050.0 become one number"),
        ([0.1, 0.1 + 1e-9, 0.1 + 2e-9], "0.100000001 and 0.100000002 become one number"),
        ([0.0, 1e-60], "1e-60 becomes 0.0"),
        ([0.0, 1e60], "1e[+]60 becomes inf"),
    ],
    ids=str,
)
def test_values_that_32_bits_cannot_tell_apart_are_a_warning(values, reason):
    """Such rows reached another leaf without a word."""
    X, y = np.array([values] * 3).reshape(-1, 1), [0, 1, 0][: len(values)] * 3
    model = C45Classifier(prune=False, min_samples_split=2).fit(X, y)
    with pytest.warns(HedgerowWarning, match=rf"all values of 'x0': {reason}\. Such rows"):
        model.to_sklearn()


def test_values_that_32_bits_can_tell_apart_are_no_warning():
    X = np.array([[1e7, 0.0, -1.0], [1e7 + 1, 1e-38, 2.0**24]] * 3)
    for j in range(3):
        made = C45Classifier().fit(X[:, [j]], [0, 1] * 3).to_sklearn()
        assert made.predict(X[:, [j]]).tolist() == [0, 1] * 3
    # A test on missing values alone, whose threshold is above all numbers.
    X = np.array([[1.0], [2.0], [np.nan], [np.nan]])
    theirs = DecisionTreeClassifier(random_state=0).fit(X, [0, 0, 1, 1])
    ours = Tree.from_sklearn(theirs).to_sklearn()
    np.testing.assert_array_equal(ours.apply(X), theirs.apply(X))


@pytest.mark.parametrize("options", [{"candidates": "means"}, {"smoothing": "yes"}])
def test_options_that_cannot_be_are_refused(options):
    with pytest.raises(InputError, match=next(iter(options))):
        to_sklearn(chain(2), **options)


@pytest.mark.parametrize("share, node", [(0.0, 2), (0.5, 2), (0.51, 1), (1.0, 1)])
def test_a_missing_value_goes_to_the_heavier_side(share, node):
    """As scikit-learn sends it where training had none; ours divides it in between."""
    tree = chain(1)
    tree = tree._with(share_left=[share, np.nan, np.nan])
    made = tree.to_sklearn()
    assert made.apply([[np.nan]]).tolist() == [node]
    if share in (0.0, 1.0):
        np.testing.assert_array_equal(
            made.predict_proba([[np.nan]]), tree.predict_proba([[np.nan]])
        )


def test_it_is_filled_as_scikit_learn_fills_its_own():
    """From scikit-learn, to it again: the same numbers at each node."""
    iris = load_iris(as_frame=True)
    theirs = DecisionTreeClassifier(max_depth=3, random_state=0).fit(iris.data, iris.target)
    ours = Tree.from_sklearn(theirs).to_sklearn()
    check_is_fitted(ours)
    for name in ("classes_", "feature_names_in_"):
        np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))
        assert getattr(ours, name).dtype == getattr(theirs, name).dtype
    for name in ("n_classes_", "n_features_in_", "n_outputs_", "max_features_"):
        assert getattr(ours, name) == getattr(theirs, name)
    mine, yours = ours.tree_, theirs.tree_
    for name in ("n_node_samples", "feature", "children_left", "children_right", "max_depth"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(yours, name))
    for name in ("weighted_n_node_samples", "impurity", "value"):
        np.testing.assert_allclose(getattr(mine, name), getattr(yours, name), atol=1e-12)
    np.testing.assert_allclose(mine.threshold, yours.threshold, rtol=1e-6)
    np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, atol=1e-12)
    assert ours.get_depth() == 3 and ours.get_n_leaves() == theirs.get_n_leaves()
    assert export_text(ours) == export_text(theirs)


def test_its_methods_and_texts():
    pyplot = pytest.importorskip("matplotlib.pyplot")
    iris = load_iris(as_frame=True)
    labels = iris.target_names[iris.target]
    model = C45Classifier().fit(iris.data, labels)
    made = model.tree_.to_sklearn()
    np.testing.assert_array_equal(made.predict(iris.data), model.predict(iris.data))
    assert made.score(iris.data, labels) == model.score(iris.data, labels)
    assert "petal length (cm)" in export_text(made, feature_names=list(iris.data.columns))
    assert len(plot_tree(made)) >= made.tree_.node_count
    pyplot.close("all")
    assert "digraph" in export_graphviz(made)
    back = pickle.loads(pickle.dumps(made))
    np.testing.assert_array_equal(back.predict_proba(iris.data), made.predict_proba(iris.data))
    assert not hasattr(clone(made), "tree_")
    assert clone(made).fit(iris.data, labels).score(iris.data, labels) == 1.0


@pytest.mark.parametrize(
    "labels",
    [
        [0, 1],
        [False, True],
        ["a", "b"],
        [0.5, 2.0],
        [1, "1"],
        [np.datetime64("2020-01-01"), np.datetime64("2021-01-01")],
    ],
    ids=str,
)
def test_labels_stay_what_they_are(labels):
    labels = np.fromiter(labels, object, 2)
    tree = chain(2)
    tree = Tree(**tree.arrays(), classes=labels)
    got = tree.to_sklearn().predict(np.array([[-1.0, 0.0], [1.0, 0.0]]))
    assert got.tolist() == np.asarray(labels.tolist(), got.dtype).tolist()
    if labels.tolist() == [1, "1"]:
        assert [type(label) for label in got] == [int, str]


def test_how_many_variables():
    assert chain(2).to_sklearn().n_features_in_ == 2
    assert to_sklearn(chain(2), 5).n_features_in_ == 5
    assert to_sklearn(chain(2), np.int64(2)).predict([[0.0, 0.0]]) == [1]
    named = chain(2).replace(feature_names=list("abc"))
    assert named.to_sklearn().n_features_in_ == to_sklearn(named, 3).n_features_in_ == 3
    assert chain(2).snip(0).to_sklearn().predict([[7.0]]) == [0]
    assert to_sklearn(chain(2).snip(0), 3).predict([[1.0, 2.0, 3.0]]) == [0]


def test_deep_trees():
    tree = chain(3000)
    rows = np.random.default_rng(0).integers(-1, 3001, (50, 3)).astype(float)
    np.testing.assert_array_equal(tree.to_sklearn().apply(rows), tree.apply(rows))


@pytest.mark.parametrize("n_features", [1, 2.5, True, "3", 2**40])
def test_a_number_of_variables_that_cannot_be_is_refused(n_features):
    with pytest.raises(InputError, match="n_features is"):
        to_sklearn(chain(2), n_features)


def test_a_number_of_variables_other_than_that_of_names_is_refused():
    with pytest.raises(InputError, match="n_features is 3 and the tree has 2 names"):
        to_sklearn(chain(2).replace(feature_names=["a", "b"]), 3)


def test_tests_on_categories_are_refused():
    table = pd.DataFrame({"valve": pd.Categorical(list("abab") * 5)})
    tree = C45Classifier().fit(table, list("0101") * 5).tree_
    with pytest.raises(InputError, match=r"tests categories of 'valve'.* cannot; grow it on"):
        tree.to_sklearn()


def test_gates_that_divide_rows_are_refused():
    iris = load_iris()
    soft = SoftTreeClassifier(evaluation=0.1).fit(iris.data, iris.target).tree_
    with pytest.raises(InputError, match=r"NoiseGate divides rows .*`tree.replace\(gate=None\)`"):
        soft.to_sklearn()
    hard = soft.replace(gate=None)
    assert (
        soft.replace(gate=type(soft.gate)(np.zeros(4))).to_sklearn().apply(iris.data).tolist()
        == hard.apply(iris.data.astype(np.float32)).tolist()
    )
    bounds = np.where(hard.is_leaf(), np.nan, hard.threshold)
    with pytest.raises(InputError, match="ThresholdGate divides rows"):
        hard.replace(gate=ThresholdGate(bounds, bounds)).to_sklearn()


# -- other people's libraries -----------------------------------------------------------


@pytest.fixture(scope="module")
def cancer():
    """A tree of ours of 30 variables, as one of scikit-learn's, with its rows."""
    found = load_breast_cancer(as_frame=True)
    rows = found.data.astype(np.float32)
    return C45Classifier().fit(rows, found.target).tree_, rows, found.target


@pytest.mark.slow
@pytest.mark.parametrize("perturbation", ["tree_path_dependent", "interventional"])
def test_shap_adds_up(cancer, perturbation):
    """Values of a row and what is expected add up to its probabilities."""
    shap = pytest.importorskip("shap")
    tree, rows, _ = cancer
    background = rows.iloc[::10] if perturbation == "interventional" else None
    explainer = shap.TreeExplainer(tree.to_sklearn(), background, feature_perturbation=perturbation)
    values = np.asarray(explainer.shap_values(rows.iloc[:40], check_additivity=True))
    expected = tree.predict_proba(rows.iloc[:40])
    np.testing.assert_allclose(values.sum(axis=1) + explainer.expected_value, expected, atol=1e-6)


@pytest.mark.slow
def test_dtreeviz_reads_it(cancer):
    dtreeviz = pytest.importorskip("dtreeviz")
    tree, rows, target = cancer
    viz = dtreeviz.model(
        tree.to_sklearn(),
        rows,
        target,
        feature_names=list(rows.columns),
        target_name="kind",
        class_names=["malignant", "benign"],
    )
    # The last leaf on the way, and the variables tested there.
    for row in range(0, 100, 9):
        x = rows.iloc[row]
        on_the_way = {rows.columns[tree.feature[n]] for n in _path(tree, x) if tree.feature[n] >= 0}
        told = viz.explain_prediction_path(x)
        assert on_the_way and all(name in told for name in on_the_way)


def _path(tree, x):
    return tree.decision_path(x.to_numpy()[None, :].astype(float)).indices.tolist()


@pytest.mark.slow
def test_onnx_answers_the_same(cancer):
    skl2onnx = pytest.importorskip("skl2onnx")
    onnxruntime = pytest.importorskip("onnxruntime")
    tree, rows, _ = cancer
    table = rows.to_numpy()
    written = skl2onnx.to_onnx(tree.to_sklearn(), table[:1], options={"zipmap": False})
    session = onnxruntime.InferenceSession(
        written.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    labels, probabilities = session.run(None, {session.get_inputs()[0].name: table})
    expected = tree.predict_proba(table)
    np.testing.assert_allclose(probabilities, expected, atol=1e-6)
    np.testing.assert_array_equal(labels, expected.argmax(axis=1))
