"""Trees that no hedgerow has written: refused in one sentence, or as good as any other."""

import copy
import json
import pickle
from datetime import UTC, date, datetime

import numpy as np
import pytest
from effort import draws
from fuzz import uses
from oracle.mutated_trees import examples, mutated
from scipy import stats

from hedgerow import C45Classifier
from hedgerow.errors import InputError
from hedgerow.tree import NoiseGate, ThresholdGate, Tree

NAMES = list(examples()[0])


def tree_of(name):
    return Tree.from_json(examples()[0][name])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_changed_tree_is_refused_or_usable(name):
    """A sentence, or a tree that answers whatever is asked; never another error, never a crash."""
    _, X, y = examples()
    for seed in draws(400):
        text = mutated(name, seed)
        try:
            tree = Tree.from_json(text)
        except InputError as error:
            assert error.remedy and "\n" not in str(error), (name, seed)
            continue
        for number, use in enumerate(uses(tree, X, y)):
            try:
                use()
            except InputError:
                continue
            except Exception as error:
                raise AssertionError(f"{name}, seed {seed}, use {number}") from error
        try:
            probabilities = tree.predict_proba(X)
        except InputError:
            continue
        assert np.allclose(probabilities.sum(axis=1), 1.0), (name, seed)
        again = Tree.from_json(tree.to_json())
        assert again == tree and again.to_json() == tree.to_json()


@pytest.mark.parametrize("name", NAMES)
def test_the_trees_themselves_are_sound(name):
    _, X, y = examples()
    tree = tree_of(name)
    assert tree.n_nodes > 1 or name == "leaf"
    for use in uses(tree, X, y):
        use()


# -- nothing in a file is called ------------------------------------------------------------


def _with_model(**changes):
    form = json.loads(examples()[0]["model"])
    form["gate"]["models"]["0"] |= changes
    return json.dumps(form)


@pytest.mark.parametrize(
    "name", ["test", "rv_histogram", "norm.rvs", "sys", "__class__", "", 3, []]
)
def test_only_distributions_are_made(name):
    """`scipy.stats.test` starts pytest, which runs the file that it is given."""
    with pytest.raises(InputError, match="has the noise model"):
        Tree.from_json(_with_model(distribution=name))


@pytest.mark.parametrize(
    "changes",
    [
        {"args": ["0.1"]},
        {"args": [[0.1]]},
        {"args": [0.1] * 9},
        {"args": [None]},
        {"args": "12"},
        {"kwds": {"scale": True}},
        {"kwds": {"seed": 0}},
        {"kwds": {"scale": -1.0}},
        {"kwds": []},
        {"loc": 1},
    ],
    ids=str,
)
def test_arguments_are_numbers_that_the_distribution_knows(changes):
    with pytest.raises(InputError):
        Tree.from_json(_with_model(**changes))


def test_a_model_that_json_may_not_name_is_not_written():
    tree = tree_of("soft")
    slow = tree.replace(gate=NoiseGate(np.full(4, 0.1), models={0: stats.levy_stable(1.5, 0.0)}))
    with pytest.raises(InputError, match="of variable 0 cannot be written to JSON"):
        slow.to_json()


# -- single faults, by name -----------------------------------------------------------------


def changed(name="hard", **changes):
    """A tree with other arrays."""
    tree = tree_of(name)
    return {**{k: v.copy() for k, v in tree.arrays().items()}, **changes}


def _array(name, node, value, of="hard"):
    array = tree_of(of).arrays()[name].astype(float if isinstance(value, float) else None)
    array[node] = value
    return {name: array}


@pytest.mark.parametrize(
    "changes, culprit",
    [
        (_array("parent", 0, 3), "`parent` of node 0"),
        (_array("feature", 0, -2), "`feature` of node 0"),
        (_array("feature", 0, 2**30), "`feature` of node 0"),
        (_array("threshold", 0, np.inf), "`threshold` of node 0 is infinite"),
        (_array("share_left", 0, 1.5), "`share_left` of node 0"),
        (_array("share_left", 0, np.nan), "`share_left` of node 0"),
        (_array("class_weight", 1, -1.0), "`class_weight` of node 1"),
        (_array("class_weight", 1, np.nan), "`class_weight` of node 1"),
        (_array("class_weight", 1, 1e308), "`class_weight` of node 1"),
        (_array("children_left", 0, 1.5), "`children_left` of a tree holds more than whole"),
        (_array("children_left", 0, 2.0**40), "`children_left` of a tree holds more than whole"),
        (_array("children_right", 0, -1), "`children_right` does not match `feature`"),
        ({"threshold": [1.0, np.nan]}, "array `threshold` of a tree has 2 nodes"),
        ({"feature": ["a", "b"]}, "`feature` of a tree is no table of numbers"),
        ({"feature": 3}, "`feature` of a tree has another form"),
        ({"feature": [[0]]}, "`feature` of a tree is no table of numbers"),
        ({"class_weight": [1.0]}, "`class_weight` of a tree is no table of numbers in 2"),
        ({"class_weight": [[1.0], [1.0, 2.0]]}, "`class_weight` of a tree"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_is_wrong_is_named(changes, culprit):
    with pytest.raises(InputError) as error:
        Tree(**changed(**changes))
    assert culprit in str(error.value)


def test_a_node_below_two_tests_or_none():
    """Two tests share their right leaf; another one is nowhere."""
    arrays = {
        "feature": [0, 0, -1, -1, -1],
        "threshold": [1.0, 0.5, *[np.nan] * 3],
        "children_left": [1, 2, -1, -1, -1],
        "children_right": [3, 3, -1, -1, -1],
        "parent": [-1, 0, 1, 0, 1],
        "share_left": [0.5, 0.5, *[np.nan] * 3],
        "class_weight": np.ones((5, 2)),
    }
    with pytest.raises(InputError, match="`parent` of a tree contradict each other"):
        Tree(**arrays)
    with pytest.raises(InputError, match="a tree has no node"):
        Tree([], [], [], [], [], [], np.zeros((0, 2)))
    arrays |= {"children_right": [3, 2, -1, -1, -1], "parent": [-1, 0, 1, 0, 0]}
    with pytest.raises(InputError, match="node 2 is not reached once"):
        Tree(**arrays)


def test_names_fit_the_arrays():
    arrays = changed()
    with pytest.raises(InputError, match="a tree of 3 classes has 2 different names of classes"):
        Tree(**arrays, classes=["a", "b", "a"])
    with pytest.raises(InputError, match="tests variable 3 and has 1 names of variables"):
        Tree(**arrays, feature_names=["a"])
    with pytest.raises(InputError, match="has 9 names of categories of variable 3"):
        Tree(**arrays, categories={3: list("abcdefghi")})


def test_statistics_of_another_tree_are_refused():
    tree, other = tree_of("annotated"), tree_of("leaf")
    with pytest.raises(InputError, match="`statistics` of a tree are those of another one"):
        other.replace(statistics=tree.statistics)


def test_a_gate_of_another_tree_is_refused():
    """`upper` was not looked at: the core read beyond it."""
    tree = tree_of("plt")
    short = ThresholdGate(tree.gate.lower, tree.gate.upper[:1])
    X = np.ones((3, 4))
    with pytest.raises(InputError, match="the gate has thresholds for 1 nodes and the tree has"):
        tree.predict_proba(X, evaluation=short)
    with pytest.raises(InputError, match="the gate has thresholds for 1 nodes"):
        tree.replace(gate=short)
    crossed = ThresholdGate(tree.gate.upper + 1.0, tree.gate.lower)
    with pytest.raises(InputError, match="do not lie on both sides of the threshold"):
        tree.predict_proba(X, evaluation=crossed)
    for sigma in ([0.1, -0.1, 0, 0], [np.nan] * 4, [[0.1] * 4]):
        with pytest.raises(InputError):
            tree.predict_proba(X, evaluation=NoiseGate(np.array(sigma)))


# -- copies ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda t: pickle.loads(pickle.dumps(t))]
)
@pytest.mark.parametrize("name", NAMES)
def test_copies_are_read_only_and_whole(name, copied):
    """Arrays of unpickled trees could be written to, past every check."""
    tree = tree_of(name)
    again = copied(tree)
    assert again == tree and again.to_json() == tree.to_json()
    for array in again.arrays().values():
        assert not array.flags.writeable


def test_what_is_unpickled_is_checked():
    tree = tree_of("hard")
    tree.children_left = np.array([1000, *tree.children_left[1:]])
    with pytest.raises(InputError, match="`children_left` does not match"):
        pickle.loads(pickle.dumps(tree))


# -- what is sound can be written -----------------------------------------------------------


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["2020-01-01", "2021-06-30"], dtype="M8[D]"),
        np.array(["2020-01-01T12:00", "2021-06-30"], dtype="M8[ns]"),
        np.array([3.0, 4.0]),
        np.array([True, False]),
        np.array([2**62, -5]),
        np.array(["ä", "\u202e"]),
    ],
    ids=lambda labels: str(labels.dtype) + str(type(labels[0]).__name__),
)
def test_labels_come_back(labels):
    X = np.array([[1.0], [2.0], [3.0], [4.0]])
    tree = C45Classifier().fit(X, labels[[0, 0, 1, 1]]).tree_
    again = Tree.from_json(tree.to_json())
    assert again.classes == tree.classes
    assert [type(c) for c in again.classes] == [type(c) for c in tree.classes]
    assert set(tree.classes) == set(labels)
    assert again.to_text() == tree.to_text()


def test_dates_of_python_come_back():
    labels = [date(2020, 1, 1), datetime(2021, 6, 30, 12), datetime(2021, 6, 30, tzinfo=UTC)]
    tree = Tree(**changed(), classes=np.array(labels, dtype=object), categories={3: labels})
    again = Tree.from_json(tree.to_json())
    assert again.classes == labels and again.categories == {3: labels}


def test_labels_that_json_cannot_hold():
    tree = Tree(**changed(), classes=np.array([1j, 2j, 3j]))
    with pytest.raises(InputError, match="the label 1j cannot be written to JSON"):
        tree.to_json()


# -- memory of others -----------------------------------------------------------------------


class Foreign:
    """What gives its memory away through an interface of numpy's."""

    def __init__(self, array):
        self.array = array

    def __len__(self):
        return len(self.array)

    def __array__(self, dtype=None, copy=None):
        return self.array


@pytest.mark.parametrize("given", [memoryview, Foreign, lambda a: a.view(np.recarray), np.asarray])
def test_memory_that_the_caller_can_write_to_is_copied(given):
    """A memoryview was shared: numbers of nodes changed after the check ended the interpreter."""
    tree = tree_of("hard")
    arrays = {name: np.array(array) for name, array in tree.arrays().items()}
    made = Tree(**{name: given(array) for name, array in arrays.items()})
    for array in arrays.values():
        array[:] = 77
    assert made == tree
    assert (made.apply(np.ones((3, 4))) == tree.apply(np.ones((3, 4)))).all()


def test_a_map_of_a_file_is_copied(tmp_path):
    tree = tree_of("hard")
    file = np.memmap(tmp_path / "left", np.int32, "w+", shape=tree.children_left.shape)
    file[:] = tree.children_left
    made = Tree(**{**tree.arrays(), "children_left": file})
    file[:] = 10**8
    assert made == tree


def test_buffers_of_a_pickle_are_copied():
    tree, buffers = tree_of("hard"), []
    text = pickle.dumps(tree, protocol=5, buffer_callback=buffers.append)
    raw = [bytearray(buffer.raw()) for buffer in buffers]
    made = pickle.loads(text, buffers=raw)
    for memory in raw:
        memory[:] = b"\x7f" * len(memory)
    assert len(raw) and made == tree


def test_a_masked_array_is_no_part_of_a_tree():
    arrays = changed()
    arrays["feature"] = np.ma.array(arrays["feature"], mask=np.arange(len(arrays["feature"])) == 0)
    with pytest.raises(InputError, match="`feature` of a tree is masked in row 0"):
        Tree(**arrays)


# -- distributions that hold their reader ---------------------------------------------------


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("irwinhall", [20_000]),
        ("betabinom", [2e9, 1, 1]),
        ("binom", [1e300, 0.3]),
        ("hypergeom", [1e15, 2e4, 1e3]),
        ("nct", [3.0, 2e9]),
        ("ncf", [50.0, 1e6, 1e15]),
        ("zipfian", [1.0, 1e6]),
    ],
)
def test_parameters_of_distributions_are_bounded(name, args):
    """A tree of a kilobyte held `from_json` for more than twenty seconds."""
    form = {"distribution": name, "args": args, "kwds": {}}
    with pytest.raises(InputError, match=f"noise model '{name}' of .*at most 1"):
        Tree.from_json(_with_model(**form))
    named = {"distribution": name, "args": args[:-1], "kwds": {"loc": 0.0}}
    named["kwds"] |= {getattr(stats, name).shapes.split(", ")[-1]: args[-1]}
    with pytest.raises(InputError):
        Tree.from_json(_with_model(**named))


@pytest.mark.parametrize("name", ["nchypergeom_fisher", "kstwo", "kappa4"])
def test_distributions_that_no_file_may_name(name):
    """The C++ code behind the first ended the interpreter for parameters beyond use."""
    shapes = [10.0] * getattr(stats, name).numargs
    with pytest.raises(InputError, match="name a distribution"):
        Tree.from_json(_with_model(distribution=name, args=shapes, kwds={}))


def test_parameters_in_use_come_back():
    for model in (stats.irwinhall(12), stats.t(5, scale=2), stats.loguniform(1e-3, 1e9)):
        form = {"distribution": model.dist.name, "args": list(model.args), "kwds": model.kwds}
        assert Tree.from_json(_with_model(**form)).gate.models[0].dist.name == model.dist.name
