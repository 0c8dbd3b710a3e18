"""Source in plain Python, executed, against `predict_proba`."""

import ast
import datetime
import subprocess
import sys

import numpy as np
import pytest
from drawn import CLASSES, drawn_tree, records
from effort import examples
from hypothesis import given
from oracle.random_trees import chain, seeds

from hedgerow.errors import InputError
from hedgerow.exchange import to_python
from hedgerow.tree import Tree

#: All that the source uses of Python: no import among it.
USED = (dict, enumerate, float, isinstance, len, str, zip)


def function(tree, name="predict_proba", **options):
    space = {"__builtins__": {used.__name__: used for used in USED}}
    exec(to_python(tree, name, **options), space)
    return space[name]


@examples(200)
@given(seeds)
def test_probabilities_are_those_of_the_tree(seed):
    """Missing values, new categories, values on thresholds; names that are made to break."""
    tree, rows = drawn_tree(seed)
    asked = function(tree)
    got = [asked(record) for record in records(tree, rows)]
    assert all(list(each) == CLASSES[: tree.n_classes] for each in got)
    probabilities = [list(each.values()) for each in got]
    np.testing.assert_allclose(probabilities, tree.predict_proba(rows), atol=1e-12)


def test_nan_is_missing_as_none_is():
    asked = function(chain(5))
    row = {"x0": 1.0, "x1": None, "x2": 7.0}
    assert asked(row) == asked({**row, "x1": float("nan")}) == asked({**row, "x1": np.nan})
    with pytest.raises(KeyError, match="x1"):
        asked({"x0": 1.0, "x2": 7.0})


@pytest.mark.parametrize("depth", [200, 20000])
def test_deep_trees_are_compiled_and_asked(depth):
    tree = chain(depth)
    asked = function(tree)
    rng = np.random.default_rng(depth)
    rows = rng.integers(-1, depth + 1, (20, 3)).astype(float)
    if depth == 200:
        rows[rng.random(rows.shape) < 0.2] = np.nan
    got = [list(asked(record).values()) for record in records(tree, rows)]
    np.testing.assert_allclose(got, tree.predict_proba(rows), atol=1e-12)


@pytest.mark.parametrize(
    "label, written",
    [
        (3, 3),
        (True, True),
        (0.1, 0.1),
        (None, "None"),
        (float("inf"), "inf"),
        (datetime.date(2020, 1, 2), "2020-01-02"),
        (np.datetime64("2020-01-02"), "2020-01-02"),
        ("__import__('os').abort()", "__import__('os').abort()"),
    ],
    ids=str,
)
def test_labels_are_constants(label, written):
    labels = np.fromiter([label, "other"], object, 2)
    tree = Tree([-1], [np.nan], [-1], [-1], [-1], [np.nan], [[1.0, 3.0]], classes=labels)
    got = function(tree)({})
    assert got == {written: 0.25, "other": 0.75} and type(next(iter(got))) is type(written)


@examples(40)
@given(seeds)
def test_names_are_constants_and_nothing_else(seed):
    """The text of a tree with awkward names has the syntax of one with plain names."""
    tree, _ = drawn_tree(seed)
    plain = tree.replace(
        classes=[f"c{c}" for c in range(tree.n_classes)],
        feature_names=[f"v{j}" for j in range(len(tree.feature_names))],
        categories={j: [f"l{c}" for c in range(len(v))] for j, v in tree.categories.items()},
    )

    def shape(source):
        return [type(node) for node in ast.walk(ast.parse(source))]

    assert shape(to_python(tree)) == shape(to_python(plain))


def test_several_trees_stand_in_one_file(tmp_path):
    """Run by an interpreter without site packages."""
    file = tmp_path / "trees.py"
    both = [to_python(chain(3), "first"), to_python(chain(4), "größer")]
    row = "{'x0': 9.0, 'x1': 9.0, 'x2': 9.0}"
    file.write_text("".join(both) + f"\nprint(first({row}), größer({row}))\n", encoding="utf-8")
    done = subprocess.run([sys.executable, "-I", "-S", file], capture_output=True, text=True)
    assert done.stdout == "{0: 0.0, 1: 1.0} {0: 1.0, 1: 0.0}\n", done.stderr


@pytest.mark.parametrize("name", ["", "a b", "1a", "class", "dict", "__debug__", None, "x\ny"])
def test_a_name_that_no_function_can_have_is_refused(name):
    with pytest.raises(InputError, match=r"name is .*; give a name that a function can have"):
        to_python(chain(2), name)


def test_classes_that_become_one_are_refused():
    labels = np.fromiter([datetime.date(2020, 1, 2), "2020-01-02"], object, 2)
    tree = Tree([-1], [np.nan], [-1], [-1], [-1], [np.nan], [[1.0, 3.0]], classes=labels)
    with pytest.raises(InputError, match="two classes are called '2020-01-02'"):
        to_python(tree)
