"""Names of classes and variables in every form that people have: lists, dictionaries, Series, sets.

Each form gives what a list in the order of the tree gives, or is refused.
"""

import itertools

import numpy as np
import pandas as pd
import pytest

from hedgerow import C45Classifier
from hedgerow.errors import InputError
from hedgerow.tree import Tree

X = pd.DataFrame({"age": [1.0, 2, 3, 4, 5, 6], "dose": [0.0, 1, 0, 1, 0, 1]})
TREE = C45Classifier(min_samples_split=2).fit(X, ["well"] * 3 + ["sick"] * 3).tree_
CLASSES = {"well": "healthy", "sick": "ill"}
IN_ORDER = [CLASSES[label] for label in TREE.classes]
CALLS = {
    "to_text": Tree.to_text,
    "to_dot": Tree.to_dot,
    "to_svg": Tree.to_svg,
    "rules": lambda tree, **names: tree.rules(**names).to_csv(),
    "rules as text": lambda tree, **names: tree.rules(as_text=True, **names),
    "to_sql": Tree.to_sql,
    "to_python": Tree.to_python,
    "plot": lambda tree, **names: [
        text.get_text() for text in tree.plot(**names).findobj(lambda a: hasattr(a, "get_text"))
    ],
}
FORMS = {
    "dictionary": dict,
    "dictionary, the other way round": lambda names: dict(reversed(names.items())),
    "Series": pd.Series,
    "Series, the other way round": lambda names: pd.Series(names)[::-1],
    "numbers": lambda names: dict(enumerate(names.values())),
    "Series of numbers": lambda names: pd.Series(list(names.values()))[::-1],
    "tuple": lambda names: tuple(names.values()),
    "array": lambda names: np.array(list(names.values())),
    "index": lambda names: pd.Index(list(names.values())),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("call", CALLS)
def test_every_form_gives_what_a_list_gives(call, form):
    """A dictionary was read in its order: "healthy" stood at the leaf of the sick."""
    classes = FORMS[form]({label: CLASSES[label] for label in TREE.classes})
    variables = FORMS[form]({"age": "years", "dose": "mg"})
    given = CALLS[call](TREE, class_names=classes, feature_names=variables)
    assert given == CALLS[call](TREE, class_names=IN_ORDER, feature_names=["years", "mg"])


@pytest.mark.parametrize("form", FORMS)
def test_replace_takes_every_form(form):
    """`replace(classes=dict)` went through, and `predict` failed with `KeyError: 0`."""
    changed = TREE.replace(
        classes=FORMS[form]({label: CLASSES[label] for label in TREE.classes}),
        feature_names=FORMS[form]({"age": "years", "dose": "mg"}),
    )
    assert changed.classes == IN_ORDER and changed.feature_names == ["years", "mg"]
    bare = TREE.replace(classes=None, feature_names=None)
    assert bare.replace(classes={1: "b", 0: "a"}).classes == ["a", "b"]
    assert bare.replace(feature_names={0: "years", 3: "mg"}).feature_names[0] == "years"


@pytest.mark.parametrize("n", [2, 3, 4])
def test_any_order_of_a_dictionary_is_the_same(n):
    """All orders of all names, against names put down one by one."""
    labels = [f"class {k}" for k in range(n)]
    tree = Tree([-1], [np.nan], [-1], [-1], [-1], [np.nan], [np.arange(n) + 1.0], classes=labels)
    for order in itertools.permutations(range(n)):
        names = {labels[k]: f"name {k}" for k in order}
        assert tree.replace(classes=names).classes == [f"name {k}" for k in range(n)]
        assert tree.replace(classes={labels[order[0]]: "one"}).classes == [
            "one" if k == order[0] else labels[k] for k in range(n)
        ]


@pytest.mark.parametrize("call", CALLS)
@pytest.mark.parametrize("parameter", ["class_names", "feature_names"])
def test_a_set_is_refused(call, parameter):
    with pytest.raises(InputError, match=f"{parameter} is a set"):
        CALLS[call](TREE, **{parameter: {"one", "two"}})


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({"class_names": {"well": "a", "dead": "b"}}, "class_names names 'dead'"),
        ({"class_names": pd.Series(["a", "b"], index=[4, 7])}, "class_names names 4"),
        ({"class_names": pd.Series(["a", "b"], index=["well", "well"])}, "a label twice"),
        ({"feature_names": {"weight": "kg"}}, "feature_names names 'weight'"),
        ({"class_names": {True: "a"}}, "class_names names True"),
    ],
)
def test_names_of_something_else_are_refused(names, message):
    with pytest.raises(InputError, match=message):
        TREE.to_text(**names)


@pytest.mark.parametrize("changes", [{"classes": {"a", "b"}}, {"feature_names": {"a", "b"}}])
def test_a_tree_takes_no_set(changes):
    with pytest.raises(InputError, match="is a set"):
        TREE.replace(**changes)
    with pytest.raises(InputError, match="is a set"):
        Tree([-1], [np.nan], [-1], [-1], [-1], [np.nan], [[1.0, 2.0]], **changes)


def test_categories_of_evidential_data_are_no_set():
    """A set gave the codes 0 and 1 to its labels in any order."""
    from hedgerow.evidential import EvidentialData

    with pytest.raises(InputError, match="categories is a set"):
        EvidentialData.from_gamma([[0.0], [1.0]], [0, 1], categories={0: {"x", "y"}})
    found = EvidentialData.from_gamma([[0.0], [1.0]], [0, 1], categories={0: {1: "y", 0: "x"}})
    assert found.categories == {0: ["x", "y"]}
    for classes in ({0, 1}, {"a": 1, "b": 2}, 5):
        with pytest.raises(InputError, match="no list of different labels"):
            EvidentialData.from_plausibility([[0.0]], [[1.0, 0.5]], classes)


def test_colours_by_a_series_and_not_by_a_set():
    colours = pd.Series({"well": "#00ff00", "sick": "#ff0000"})
    assert TREE.to_svg(class_colors=colours) == TREE.to_svg(class_colors=colours.to_dict())
    with pytest.raises(InputError, match="class_colors is a set"):
        TREE.to_svg(class_colors={"#00ff00", "#ff0000"})
