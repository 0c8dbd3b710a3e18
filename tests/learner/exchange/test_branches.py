"""Conditions of leaves against the traversal, gates that can be written, and rules."""

import numpy as np
import pandas as pd
import pytest
from drawn import drawn_tree, records
from effort import examples
from hypothesis import given
from oracle.random_trees import chain, seeds

from hedgerow import C45Classifier
from hedgerow.errors import InputError
from hedgerow.exchange import to_python, to_sql
from hedgerow.exchange.branches import Branches, Interval
from hedgerow.tree import CategoryGate, NoiseGate, ThresholdGate, Tree
from hedgerow.tree.gates import CategoryNoise


def taken(condition, x: float) -> float:
    """How much of a value a condition takes."""
    if np.isnan(x):
        return condition.missing
    if isinstance(condition, Interval):
        return float(condition.lower <= x < condition.upper)
    return float(condition.goes_in[int(x)] if x < len(condition.goes_in) else condition.new)


@examples(200)
@given(seeds)
def test_conditions_take_of_each_row_what_the_traversal_sends(seed):
    tree, rows = drawn_tree(seed)
    shares = tree.shares(rows).toarray()
    leaves = Branches(tree).leaves()
    assert [leaf for leaf, _ in leaves] == np.flatnonzero(tree.is_leaf()).tolist()
    for leaf, conditions in leaves:
        assert len({c.variable for c in conditions}) == len(conditions)
        mine = [np.prod([taken(c, row[c.variable]) for c in conditions]) for row in rows]
        np.testing.assert_allclose(mine, shares[:, leaf], atol=1e-14)


def three(**more) -> Tree:
    """x0 < 2, and on its right the categories 0 and 2 of x1 on the left."""
    return Tree(
        [0, -1, 1, -1, -1],
        [2.0, np.nan, np.nan, np.nan, np.nan],
        [1, -1, 3, -1, -1],
        [2, -1, 4, -1, -1],
        [-1, 0, 0, 2, 2],
        [0.3, np.nan, 0.5, np.nan, np.nan],
        [[6, 4], [3, 0], [3, 4], [2, 1], [1, 3]],
        [[0, 0, 0], [0, 0, 0], [1, 0, 1], [0, 0, 0], [0, 0, 0]],
        **more,
    )


def hard(form, tree, row):
    """Probabilities that a written form gives."""
    space = {}
    exec(form(tree), space)
    return list(space["predict_proba"](row).values())


@pytest.mark.parametrize(
    "gate",
    [
        NoiseGate(np.array([0.0, 0.0])),
        NoiseGate(np.array([0.0, 0.5])),  # x1 is tested by its categories alone
        CategoryNoise({0: np.array([0.5, 0.5])}, 0.5),
        CategoryNoise({1: np.array([0.5, 0.5, 0.0])}, 0.0),
        CategoryGate({1: np.eye(3)}),
        CategoryGate({1: np.eye(3)[[1, 2, 0]]}),  # renames, and divides nothing
    ],
    ids=lambda gate: type(gate).__name__,
)
def test_a_gate_that_divides_no_row_is_written(gate):
    tree = three(gate=gate)
    for row in ([1.0, 0], [2.0, 0], [2.5, 1], [3.0, 2], [3.0, 3], [np.nan, np.nan]):
        x = dict(zip(("x0", "x1"), row, strict=True))
        np.testing.assert_allclose(hard(to_python, tree, x), tree.predict_proba([row])[0])


@pytest.mark.parametrize("form", [to_python, to_sql])
@pytest.mark.parametrize(
    "gate, name",
    [
        (NoiseGate(np.array([0.2, 0.0])), "age"),
        (ThresholdGate(np.full(5, np.nan), np.full(5, np.nan)), "age"),
        (CategoryGate({1: np.full((3, 3), 1 / 3)}), "valve"),
        (CategoryNoise({1: np.full(3, 1 / 3)}, 0.1), "valve"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_gate_that_divides_rows_is_refused(form, gate, name):
    """A piecewise-linear threshold divides a value on it even where it has no bounds."""
    tree = three(gate=gate, feature_names=["age", "valve"])
    with pytest.raises(
        InputError, match=f"{type(gate).__name__} divides rows at tests of '{name}'"
    ):
        form(tree)
    form(tree.replace(gate=None))


@pytest.mark.parametrize("form", [to_python, to_sql])
def test_two_variables_of_one_name_are_refused(form):
    with pytest.raises(InputError, match="two variables are called 'a'; give `feature_names`"):
        form(three(feature_names=["a", "a"]))
    assert form(three(feature_names=["a", "b", "b"]))  # the third is not tested


# -- rules ------------------------------------------------------------------------------


def test_rules_of_a_tree_by_hand():
    tree = three(
        classes=["well", "ill"],
        feature_names=["age", "valve"],
        categories={1: ["aortic", "mitral", "both"]},
    )
    table = tree.rules()
    assert table["leaf"].tolist() == [1, 3, 4]
    assert table["rule"].tolist() == [
        "age < 2",
        "age >= 2 AND valve in {aortic, both}",
        "age >= 2 AND valve in {mitral}",
    ]
    assert table["class"].tolist() == ["well", "well", "ill"]
    assert table["n"].tolist() == [3, 3, 4]
    assert table["depth"].tolist() == [1, 2, 2]
    np.testing.assert_allclose(table["probability"], [1, 2 / 3, 3 / 4])
    np.testing.assert_allclose(table["probability_ill"], [0, 1 / 3, 3 / 4])
    assert table["conditions"][1] == [
        {"variable": "age", "lower": 2.0, "upper": None},
        {"variable": "valve", "categories": ["aortic", "both"], "new": True},
    ]
    lines = tree.rules(as_text=True, units={"age": "years"}).splitlines()
    assert lines[1] == (
        "IF age >= 2 years AND valve in {aortic, both} THEN well (n = 3, share 0.67)"
    )
    named = tree.rules(class_names=["a", "b"], feature_names=["u", "v"])
    assert named["rule"][0] == "u < 2" and named["class"].tolist() == ["a", "a", "b"]


def test_conditions_on_one_variable_are_merged():
    tree = chain(9)
    last = tree.rules().iloc[-1]
    assert last["rule"] == "x0 >= 6 AND x1 >= 7 AND x2 >= 8" and last["depth"] == 9
    assert tree.rules()["rule"][6] == "3 <= x0 < 6 AND x1 >= 4 AND x2 >= 5"


def test_a_single_leaf_is_a_rule():
    tree = three().snip(0)
    assert tree.rules()["rule"].tolist() == ["true"]
    assert tree.rules(as_text=True) == "IF true THEN 0 (n = 10, share 0.60)\n"


def test_the_rules_of_a_soft_tree_are_its_tests():
    gate = NoiseGate(np.array([0.2, 0.0]))
    pd.testing.assert_frame_equal(three(gate=gate).rules(), three().rules())


@examples(60)
@given(seeds)
def test_each_row_without_missing_values_meets_the_rule_of_its_leaf_alone(seed):
    tree, rows = drawn_tree(seed)
    rows = rows[~np.isnan(rows).any(axis=1)]
    table = tree.rules().set_index("leaf")
    for leaf, record in zip(tree.apply(rows), records(tree, rows), strict=True):
        met = [n for n, found in table["conditions"].items() if all(_met(record, c) for c in found)]
        assert met == [leaf]


def _met(record: dict, condition: dict) -> bool:
    x = record[condition["variable"]]
    if "categories" in condition:
        return condition["new"] if x == "never seen" else x in condition["categories"]
    lower, upper = condition["lower"], condition["upper"]
    return (lower is None or x >= lower) and (upper is None or x < upper)


def test_rules_of_deep_trees_and_of_learners():
    assert len(chain(3000).rules()) == 3001
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 3)), rng.integers(0, 2, 200)
    tree = C45Classifier().fit(X, y).tree_
    table = tree.rules()
    assert len(table) == tree.n_leaves and table["n"].sum() == pytest.approx(200)


@pytest.mark.parametrize(
    "options, message",
    [
        ({"decimals": -1}, "decimals is -1"),
        ({"class_names": ["a"]}, "1 names for 2 classes"),
        ({"feature_names": ["a"]}, "1 names for 2 variables"),
        ({"units": {"z": "m"}}, "units names 'z'"),
        ({"as_text": "yes"}, "as_text is 'yes'"),
    ],
)
def test_options_of_rules_that_cannot_be_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        three().rules(**options)
