"""A tree in other forms: JSON, data frames, text, Graphviz, and from scikit-learn."""

import io
import json
import shutil
import subprocess
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from effort import examples
from hypothesis import given
from oracle.random_trees import random_noise, random_tree, seeds
from scipy import stats
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor, ExtraTreeClassifier

from hedgerow import C45Classifier, SoftTreeClassifier
from hedgerow.errors import InputError
from hedgerow.tree import Tree, forest_from_frame, forest_to_frame


def frame():
    """Eight patients with a number and a category; ill are the older ones with valve b."""
    table = pd.DataFrame(
        {
            "age": [40.0, 52.0, 61.0, 70.0, 75.5, 80.0, 83.0, 85.0],
            "valve": pd.Categorical(list("baabccab")),
        }
    )
    ill = (table["valve"] == "b") & (table["age"] > 60)
    return table, np.where(ill, "ill", "well")


# -- JSON -------------------------------------------------------------------------------


@examples(80)
@given(seeds)
def test_json_round_trip(seed):
    """Every array, the labels and the gate come back equal, bit by bit."""
    tree, X, _, columns = random_tree(seed)
    gate = random_noise(seed, columns.n_categories)
    tree = tree.replace(
        gate=gate,
        classes=[f"c{k}" for k in range(tree.n_classes)],
        feature_names=[f"v {j}" for j in range(X.shape[1])],
        categories={j: list("abcdefg")[:k] for j, k in enumerate(columns.n_categories) if k},
    )
    back = Tree.from_json(tree.to_json())
    assert back == tree
    for name, array in tree.arrays().items():
        assert back.arrays()[name].dtype == array.dtype
        assert not back.arrays()[name].flags.writeable
    assert back.classes == tree.classes
    assert back.feature_names == tree.feature_names
    assert back.categories == tree.categories
    assert back.to_json() == tree.to_json()
    np.testing.assert_array_equal(back.predict_proba(X), tree.predict_proba(X))


@pytest.mark.parametrize(
    "model",
    [
        stats.norm(0.1, 0.4),
        stats.norm(scale=0.4),
        stats.t(3, scale=0.2),
        stats.triang(0.5, loc=-1, scale=2),
    ],
    ids=lambda m: m.dist.name,
)
def test_json_keeps_a_frozen_scipy_distribution(model):
    rng = np.random.default_rng(0)
    X = rng.normal(5, 2, (60, 2))
    y = (X[:, 0] > 5).astype(int)
    tree = SoftTreeClassifier(evaluation=[model, 0.1], window=5.0).fit(X, y).tree_
    back = Tree.from_json(tree.to_json())
    assert back.gate.window == 5.0
    np.testing.assert_array_equal(back.predict_proba(X), tree.predict_proba(X))
    assert (tree.predict_proba(X) != tree.predict_proba(X, evaluation=None)).any()


def test_json_refuses_a_model_that_it_cannot_name():
    class Mine:
        def cdf(self, d):
            return stats.logistic.cdf(d)

    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    tree = SoftTreeClassifier(evaluation=Mine()).fit(X, y).tree_
    with pytest.raises(InputError, match="of variable 0 cannot be written to JSON; use a frozen"):
        tree.to_json()


def test_json_of_another_version_or_kind_is_refused():
    tree = C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]).tree_
    form = json.loads(tree.to_json())
    with pytest.raises(InputError, match="version 99, this hedgerow reads 1 and 2; write it again"):
        Tree.from_json(json.dumps({**form, "version": 99}))
    with pytest.raises(InputError, match=r"the JSON is not a tree; give what Tree\.to_json"):
        Tree.from_json(json.dumps({**form, "format": "something-else"}))
    for text in ("[1, 2]", "3", "null"):
        with pytest.raises(InputError, match="the JSON is not a tree"):
            Tree.from_json(text)
    for text in ("", "{", tree.to_json()[:-5], "node 1"):
        with pytest.raises(InputError, match=r"the text is not JSON .* give what Tree\.to_json"):
            Tree.from_json(text)


def test_json_numbers_are_standard():
    """No NaN in the text: other languages could not read it."""
    X, y = frame()
    text = C45Classifier(prune=False).fit(X, y).tree_.to_json(indent=1)
    json.loads(text, parse_constant=lambda word: pytest.fail(word))


def test_a_tree_is_read_only():
    tree = C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]).tree_
    for array in tree.arrays().values():
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


# -- frames -----------------------------------------------------------------------------


def test_to_frame_has_a_row_per_node():
    X, y = frame()
    tree = C45Classifier(prune=False).fit(X, y).tree_
    table = tree.to_frame()
    assert table["node"].tolist() == list(range(tree.n_nodes))
    np.testing.assert_array_equal(table["feature"], tree.feature)
    np.testing.assert_array_equal(table[["weight_0", "weight_1"]], tree.class_weight)
    np.testing.assert_array_equal(table[[f"category_{c}" for c in range(3)]], tree.categories_left)


@examples(30)
@given(seeds)
def test_forest_round_trip(seed):
    """Trees of one data set, single leaves among them, through a data frame and parquet types."""
    trees = [random_tree(seed, max_depth=depth)[0] for depth in (None, 0, 2)]
    keys = pd.DataFrame({"method": ["c45", "stump", "short"], "permutation": [3, 1, 2]})
    table = forest_to_frame(trees, keys)
    assert len(table) == sum(tree.n_nodes for tree in trees)
    again_keys, again = forest_from_frame(table, ["method", "permutation"])
    pd.testing.assert_frame_equal(again_keys, keys)
    assert again == trees


def test_a_tree_of_a_forest_is_whole(tmp_path):
    """Gates and names were lost on the way through a table."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    soft = SoftTreeClassifier(evaluation=0.1, max_depth=2).fit(X, y).tree_
    hard = C45Classifier(max_depth=2).fit(X, y).tree_
    path = tmp_path / "forest.parquet"
    forest_to_frame([soft, hard], pd.DataFrame({"tree": [0, 1]})).to_parquet(path)
    again = forest_from_frame(pd.read_parquet(path), ["tree"])[1]
    for one, other in zip((soft, hard), again, strict=True):
        assert other == one
        assert other.feature_names == one.feature_names and other.classes == one.classes
        np.testing.assert_array_equal(other.predict_proba(X), one.predict_proba(X))
    assert again[0].gate is not None and again[1].gate is None
    bare = forest_to_frame([soft], pd.DataFrame({"tree": [0]}), bare=True)
    assert "metadata" not in bare
    assert forest_from_frame(bare, ["tree"])[1][0].feature_names is None


def test_a_tree_of_a_forest_owns_its_memory():
    """Its arrays were slices of the table's: a change of the table changed the tree."""
    X, y = frame()
    tree = C45Classifier(prune=False).fit(X, y).tree_
    table = forest_to_frame([tree], pd.DataFrame({"tree": [0]}))
    again = forest_from_frame(table, ["tree"])[1][0]
    for name, array in again.arrays().items():
        assert array.base is None and not array.flags.writeable, name
    for column in table.columns.drop(["tree", "node", "metadata"]):
        table.loc[:, column] = table[column].dtype.type(1)
    assert again == tree


def test_a_forest_without_trees():
    table = forest_to_frame([], pd.DataFrame({"method": pd.Series([], dtype=str)}))
    assert table.empty and list(table.columns) == ["method", "node"]


# -- words ------------------------------------------------------------------------------


def test_text():
    X, y = frame()
    tree = C45Classifier(prune=False, min_samples_split=2).fit(X, y).tree_
    assert tree.to_text().splitlines() == [
        "valve in {a, c}: well (n = 5: ill 0.00, well 1.00)",
        "valve in {b}",
        "|   age < 70: well (n = 1: ill 0.00, well 1.00)",
        "|   age >= 70: ill (n = 2: ill 1.00, well 0.00)",
    ]


def test_dot():
    X = pd.DataFrame({'a "quoted" name': [1.0, 2.0, 3.0, 4.0]})
    tree = C45Classifier(prune=False).fit(X, ["n", "n", "y\\", "y\\"]).tree_
    assert tree.to_dot() == (
        "digraph tree {\n"
        '  node [shape=box, style="rounded", fontname="sans-serif"];\n'
        '  edge [fontname="sans-serif"];\n'
        '  0 [label="a \\"quoted\\" name < 3"];\n'
        '  0 -> 1 [label="yes"];\n'
        '  0 -> 2 [label="no"];\n'
        '  1 [label="n (n = 2: n 1.00, y\\\\ 0.00)"];\n'
        '  2 [label="y\\\\ (n = 2: n 0.00, y\\\\ 1.00)"];\n'
        "}\n"
    )


def test_names_that_are_html_are_drawn_as_they_are():
    """Graphviz reads entities in labels: it drew `&lt;b&gt;` as `<b>`."""
    names = ["a &lt;b&gt; <c> --> $x^2$", "&amp; \\N"]
    X = pd.DataFrame({names[0]: [1.0, 2.0, 3.0, 4.0]})
    tree = C45Classifier(prune=False).fit(X, ["n", "n", names[1], names[1]]).tree_
    drawn = io.StringIO()
    figure = tree.plot().figure
    figure.savefig(drawn, format="svg")
    figure.clear()
    svgs = [drawn.getvalue()]
    assert '[label="a &amp;lt;b&amp;gt; <c> --> $x^2$ < 3"]' in tree.to_dot()
    if shutil.which("dot"):
        command = ["dot", "-Tsvg"]
        done = subprocess.run(command, input=tree.to_dot().encode(), capture_output=True)
        svgs.append(done.stdout)
        texts = [t.text for t in ET.fromstring(svgs[1]).iter("{http://www.w3.org/2000/svg}text")]
        assert f"{names[0]} < 3" in texts
        assert any(text.startswith(f"{names[1]} (n = 2") for text in texts)
    for svg in svgs:
        tags = {element.tag.rpartition("}")[2] for element in ET.fromstring(svg).iter()}
        assert "path" in tags and not tags & {"b", "c"}


def test_words_without_names():
    tree = C45Classifier(prune=False).fit([[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]).tree_
    bare = Tree(**tree.arrays())
    assert (
        bare.to_text() == "x0 < 3: 0 (n = 2: 0 1.00, 1 0.00)\nx0 >= 3: 1 (n = 2: 0 0.00, 1 1.00)\n"
    )
    assert C45Classifier().fit([[1.0]], ["a"]).tree_.to_text() == "a (n = 1: a 1.00)\n"


# -- scikit-learn -----------------------------------------------------------------------


@pytest.mark.parametrize("load", [load_breast_cancer, load_iris, load_wine])
@pytest.mark.parametrize("depth", [None, 3])
def test_from_sklearn_agrees_with_its_owner(load, depth):
    """Same probabilities and leaves on 32-bit data, values at and next to the thresholds too."""
    X, y = load(return_X_y=True)
    X = X.astype(np.float32)
    theirs = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    tree = Tree.from_sklearn(theirs)
    inner = np.flatnonzero(theirs.tree_.feature >= 0)
    edge = []
    for node in inner:
        at = np.float32(theirs.tree_.threshold[node])
        for value in (at, np.nextafter(at, np.float32(np.inf)), np.nextafter(at, np.float32(0))):
            row = X[node % len(X)].copy()
            row[theirs.tree_.feature[node]] = value
            edge.append(row)
    table = np.concatenate([X, np.array(edge, dtype=np.float32)])
    np.testing.assert_allclose(tree.predict_proba(table), theirs.predict_proba(table), atol=1e-12)
    np.testing.assert_array_equal(tree.apply(table), theirs.apply(table))
    np.testing.assert_array_equal(
        tree.decision_path(table).toarray(), theirs.decision_path(table).toarray()
    )
    np.testing.assert_allclose(
        tree.importances(X.shape[1]).sum(), theirs.feature_importances_.sum()
    )
    assert (tree.n_leaves, tree.depth) == (theirs.get_n_leaves(), theirs.get_depth())


def test_from_sklearn_keeps_weights_and_labels():
    X, y = load_iris(return_X_y=True, as_frame=True)
    weight = np.linspace(0.5, 2.0, len(y))
    names = np.array(["s", "v", "g"])[y]
    theirs = DecisionTreeClassifier(max_depth=2, random_state=0).fit(X, names, weight)
    tree = Tree.from_sklearn(theirs)
    assert tree.classes == ["g", "s", "v"]
    assert tree.feature_names == list(X.columns)
    np.testing.assert_allclose(
        tree.class_weight[0], [weight[names == c].sum() for c in ("g", "s", "v")]
    )
    assert Tree.from_json(tree.to_json()) == tree


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("model", [DecisionTreeClassifier, ExtraTreeClassifier])
def test_from_sklearn_takes_over_where_missing_values_go(model, seed):
    """Probabilities differed by up to .67, in silence."""
    rng = np.random.default_rng(seed)
    X, y = load_iris(return_X_y=True)
    X = X.astype(np.float32)
    X[rng.random(X.shape) < 0.2] = np.nan
    X[y == seed % 3, 0] = np.nan  # missing values that tell a class: tests on nothing else
    theirs = model(max_depth=4, random_state=seed).fit(X, y)
    tree = Tree.from_sklearn(theirs)
    other = X.copy()
    other[rng.random(X.shape) < 0.3] = np.nan
    for table in (X, other):
        np.testing.assert_allclose(
            tree.predict_proba(table), theirs.predict_proba(table), atol=1e-12
        )
        np.testing.assert_array_equal(tree.apply(table), theirs.apply(table))
    assert Tree.from_json(tree.to_json()) == tree


def test_from_sklearn_takes_trees_with_rows_of_no_weight():
    X, y = load_iris(return_X_y=True)
    theirs = DecisionTreeClassifier(random_state=0).fit(X, y, sample_weight=(y > 0).astype(float))
    tree = Tree.from_sklearn(theirs)
    np.testing.assert_allclose(tree.predict_proba(X), theirs.predict_proba(X), atol=1e-12)


@pytest.mark.parametrize(
    "make, sentence",
    [
        (lambda X, y: DecisionTreeRegressor().fit(X, y), "a DecisionTreeRegressor is no scikit"),
        (lambda X, y: RandomForestClassifier(2).fit(X, y), "one of its `estimators_`"),
        (lambda X, y: DecisionTreeClassifier(), "this DecisionTreeClassifier is not fitted; fit"),
        (lambda X, y: DecisionTreeClassifier().fit(X, np.c_[y, y]), "has 2 targets; fit one tree"),
        (lambda X, y: None, "a NoneType is no scikit-learn tree classifier"),
    ],
)
def test_from_sklearn_names_what_it_cannot_take(make, sentence):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(InputError, match=sentence):
        Tree.from_sklearn(make(X, y))


def test_classes_that_are_numbers_get_names():
    """Rules of iris said 0, 1 and 2: scikit-learn's data sets have names beside their classes."""
    tree = C45Classifier(min_samples_split=2, prune=False).fit([[1.0], [2.0]], [0, 1]).tree_
    said = tree.to_text(class_names=np.array(["setosa", "virginica"]))
    assert said.splitlines()[0] == "x0 < 2: setosa (n = 1: setosa 1.00, virginica 0.00)"
    assert 'label="virginica (n = 1' in tree.to_dot(class_names=("setosa", "virginica"))
    assert "setosa" not in tree.to_text()
    for names in ("setosa", ["setosa"], list("abc")):
        with pytest.raises(InputError, match=r"class_names holds [13] names for 2 classes"):
            tree.to_text(class_names=names)
