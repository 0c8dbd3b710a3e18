"""Trees by hand (version 2 of the JSON form), the schema of both versions, weights counted anew."""

import copy
import json
from importlib.resources import files
from pathlib import Path

import jsonschema
import numpy as np
import pandas as pd
import pytest
from effort import examples
from hypothesis import assume, given
from oracle.random_trees import random_noise, random_tree, seeds

from hedgerow import C45Classifier
from hedgerow.errors import InputError
from hedgerow.tree import Tree

PAGE = Path(__file__).parents[3] / "docs" / "tree_json.md"
SCHEMA = json.loads((files("hedgerow.tree") / "tree.schema.json").read_text(encoding="utf-8"))


def by_hand() -> dict:
    """The tree of the page."""
    text = PAGE.read_text(encoding="utf-8")
    return json.loads(text.split("```json")[1].split("```")[0])


def accepts(form) -> bool:
    return jsonschema.Draft202012Validator(SCHEMA).is_valid(form)


def test_the_tree_of_the_page():
    tree = Tree.from_json(json.dumps(by_hand()))
    assert tree.feature.tolist() == [0, -1, 1, -1, -1]
    assert tree.threshold[0] == 65
    np.testing.assert_array_equal(tree.class_weight, [[24, 12], [1, 0], [23, 12], [3, 12], [20, 0]])
    np.testing.assert_allclose(tree.share_left[[0, 2]], [1 / 36, 15 / 35])
    X = [[50, 2], [65, 2], [65, 0], [np.nan, 1], [70, np.nan]]
    expected = [[1, 0], [0.2, 0.8], [1, 0], [1, 0], [0.2 * 15 / 35 + 20 / 35, 0.8 * 15 / 35]]
    np.testing.assert_allclose(tree.predict_proba(X), expected)
    assert Tree.from_json(tree.to_json()) == tree
    assert accepts(by_hand())


@examples(40)
@given(seeds)
def test_the_schema_accepts_what_is_written(seed):
    tree, _, _, columns = random_tree(seed)
    form = json.loads(tree.replace(gate=random_noise(seed, columns.n_categories)).to_json())
    jsonschema.Draft202012Validator(SCHEMA).validate(form)
    assert not accepts({**form, "version": 3})
    assert not accepts({**form, "more": 1})


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


def spoilt(change) -> dict:
    form = copy.deepcopy(by_hand())
    change(form)
    return form


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda f: f.pop("root"), "root of the tree is None, no node"),
        (lambda f: f.update(classes=["a", "a"]), r"`classes` of the tree is \['a', 'a'\]"),
        (lambda f: f.update(classes="well"), "`classes` of the tree is 'well'"),
        (lambda f: f.update(comment="x"), "the tree has the part 'comment'"),
        (lambda f: f["root"].update(feature="weight"), "root.feature of the tree names 'weight'"),
        (lambda f: f["root"].update(threshold="65"), "root of the tree has the threshold '65'"),
        (lambda f: f["root"].update(threshold=True), "root of the tree has the threshold True"),
        (lambda f: f["root"].update(share_left=1.5), r"root of the tree has the share 1\.5"),
        (lambda f: f["root"].pop("threshold"), "root of the tree tests 'age'"),
        (lambda f: f["root"].pop("left"), r"root\.left of the tree is None, no node"),
        (lambda f: f["root"]["left"].update({"class": "dead"}), "names 'dead'"),
        (lambda f: f["root"]["left"].update(weight=-1), "has the weight -1"),
        (lambda f: f["root"]["left"].update(class_weight={}), "is neither test nor leaf"),
        (lambda f: f["root"]["left"].clear(), r"root\.left of the tree is neither test nor leaf"),
        (lambda f: f["root"]["left"].update(score=1), "has the part 'score'"),
        (
            lambda f: f["root"]["right"].update(categories_left=["none"]),
            r"root\.right\.categories_left of the tree names 'none'",
        ),
        (lambda f: f["root"]["right"].update(threshold=1), "which has categories"),
        (lambda f: f["root"]["right"].update(left=[1]), r"root\.right\.left of the tree is \[1\]"),
        (lambda f: f.update(gate={"kind": "odd"}), "a gate of kind 'odd'"),
    ],
)
def test_what_is_wrong_is_named(change, message):
    form = spoilt(change)
    with pytest.raises(InputError, match=message):
        Tree.from_json(json.dumps(form))


def test_a_tree_of_too_many_levels():
    node = {"class": "well"}
    for _ in range(300):
        node = {"feature": "age", "threshold": 1, "left": {"class": "ill"}, "right": node}
    with pytest.raises(InputError, match="more than 200 levels"):
        Tree.from_json(json.dumps({**by_hand(), "root": node}))


@examples(60)
@given(seeds)
def test_weights_counted_on_the_same_rows_are_those_of_growth(seed):
    tree, _, y, columns = random_tree(seed)
    again = tree.replace(gate=None).refit(columns.X, y, columns.sample_weight)
    np.testing.assert_allclose(again.class_weight, tree.class_weight, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(again.share_left, tree.share_left, rtol=1e-9, atol=1e-9)


def test_weights_of_another_data_set():
    tree = Tree.from_json(json.dumps(by_hand()))
    X = pd.DataFrame(
        {"age": [50.0, 70, 80, 90, np.nan], "valve": ["both", "both", "mitral", None, "aortic"]}
    )
    again = tree.refit(X, ["well", "ill", "well", "ill", "ill"])
    assert again.share_left[0] == 0.25
    assert again.share_left[2] == 1 / 2.75  # of 1 + 1 + .75 whose valve is known
    np.testing.assert_allclose(again.class_weight[0], [2, 3])
    np.testing.assert_allclose(again.class_weight[1], [1, 0.25])
    np.testing.assert_allclose(again.class_weight[3], [0, 1 + 1 / 2.75])
    with pytest.raises(InputError, match="the class 'dead', which the tree does not know"):
        tree.refit(X, ["dead"] * 5)
    with pytest.raises(InputError, match="y has 1 entries for 5 rows"):
        tree.refit(X, ["ill"])


def test_refit_forgets_statistics():
    X, y = [[1.0], [2.0], [3.0], [4.0]], [0, 0, 1, 1]
    tree = C45Classifier().fit(X, y).tree_.annotate(X, y)
    assert tree.refit(X, y).statistics is None


def refitted_level_by_level(tree, X, y, weight):
    """As `Tree.refit`, with one traversal of the whole tree for each of its levels."""
    share = np.array(tree.share_left)
    for depth in range(tree.depth + 1):
        reached = tree.shares(X).toarray()
        for node in np.flatnonzero((tree.node_depth == depth) & (tree.feature >= 0)):
            known = np.where(np.isnan(X[:, tree.feature[node]]), 0.0, weight)
            if known @ reached[:, node] > 0:
                left = known @ reached[:, tree.children_left[node]]
                share[node] = min(left / (known @ reached[:, node]), 1.0)
        tree = tree._with(share_left=share)
    by_class = np.eye(tree.n_classes)[y] * weight[:, None]
    return share, tree.shares(X).toarray().T @ by_class


@examples(60)
@given(seeds)
def test_refit_is_that_of_each_level(seed):
    """A traversal for each level took 16 s on a chain of 1,000 tests."""
    tree, _, _, columns = random_tree(seed)
    rng = np.random.default_rng([seed, 8])
    X = columns.X[rng.integers(len(columns.X), size=40)]
    X[rng.random(X.shape) < rng.choice([0.0, 0.2, 0.6])] = np.nan
    for j in np.flatnonzero(columns.n_categories):  # a category that training has not seen
        X[rng.random(len(X)) < 0.1, j] = columns.n_categories[j]
    y, weight = rng.integers(tree.n_classes, size=40), rng.choice([0.0, 0.5, 1.0, 3.0], size=40)
    weight[0] = 1.0
    gates = [None, random_noise(seed, columns.n_categories)]
    tree = tree.replace(gate=gates[rng.integers(2)])
    again = tree.refit(X, y, weight)
    heavier = again.share_left >= 0.5
    assume(np.array_equal(heavier, tree.share_left >= 0.5))  # new categories go there
    share, by_class = refitted_level_by_level(tree, X, y, weight)
    np.testing.assert_allclose(again.share_left, share, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(again.class_weight, by_class, rtol=1e-9, atol=1e-9)
