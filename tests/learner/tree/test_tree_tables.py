"""Data frames given to a tree: columns by name, categories by label."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from hedgerow import C45Classifier
from hedgerow.errors import HedgerowWarning, InputError
from hedgerow.tree import Tree

N = 60


def frame(labels=(1, 2, 3)):
    """Two numbers and a category that decide the class."""
    rng = np.random.default_rng(3)
    made = pd.DataFrame({"a": rng.normal(size=N), "b": rng.normal(size=N) + 5})
    kind = rng.integers(3, size=N)
    made["kind"] = pd.Categorical.from_codes(kind, categories=list(labels))
    return made, np.where((made["a"] > 0) & (kind != 1), "yes", "no")


@pytest.fixture
def fitted():
    X, y = frame()
    return C45Classifier(prune=False, min_samples_split=2).fit(X, y), X, y


CALLS = {
    "predict_proba": lambda tree, X, y: tree.predict_proba(X),
    "apply": lambda tree, X, y: tree.apply(X),
    "shares": lambda tree, X, y: tree.shares(X).toarray(),
    "decision_path": lambda tree, X, y: tree.decision_path(X).toarray(),
    "refit": lambda tree, X, y: tree.refit(X, y).class_weight,
    "annotate": lambda tree, X, y: tree.annotate(X, y).statistics["class_weight"],
    "explain": lambda tree, X, y: str(tree.explain(X.iloc[[3]])),
    "to_svg": lambda tree, X, y: tree.to_svg(X=X, y=y),
}


@pytest.mark.parametrize("call", CALLS)
def test_columns_are_taken_by_name(fitted, call):
    """Columns in another order were taken by position: `refit` gave other counts in silence."""
    model, X, y = fitted
    of = CALLS[call]
    want = of(model.tree_, X, y)
    for other in (X[["kind", "b", "a"]], X.assign(more="text")[["more", "b", "a", "kind"]]):
        np.testing.assert_array_equal(of(model.tree_, other, y), want)
    twice = pd.concat([X, X[["a"]]], axis=1)
    with pytest.raises(InputError, match=re.escape("X has 2 columns 'a'")):
        of(model.tree_, twice, y)
    with pytest.raises(InputError, match=re.escape("X has no column 'b'")):
        of(model.tree_, X.drop(columns="b"), y)


@pytest.mark.parametrize("labels", [(1, 2, 3), (3, 1, 2), (0.5, 1.5, 2.5), ("1", "2", "3"), "pqr"])
def test_categories_are_taken_by_label(labels):
    """Labels 1, 2, 3 were taken for codes: probabilities were off by up to .89."""
    X, y = frame(labels)
    model = C45Classifier(prune=False, min_samples_split=2).fit(X, y)
    want = model.predict_proba(X)
    again = Tree.from_json(model.tree_.to_json())
    plain = X.assign(kind=X["kind"].astype(object))
    turned = X.assign(kind=X["kind"].cat.reorder_categories(list(labels)[::-1]))
    text = X.assign(kind=X["kind"].astype(str))
    for other in (X, plain, turned, text):
        for tree in (model.tree_, again):
            np.testing.assert_array_equal(tree.predict_proba(other), want)
        np.testing.assert_array_equal(model.predict_proba(other), want)


def test_a_tree_without_names_and_a_frame_without_names_go_by_position():
    X = np.array([[1.0, 9.0], [2.0, 9.0], [3.0, 9.0], [4.0, 9.0]])
    y = [0, 0, 1, 1]
    unnamed = C45Classifier(min_samples_split=2).fit(X, y).tree_
    assert unnamed.predict_proba(pd.DataFrame(X, columns=["p", "q"])).argmax(axis=1).tolist() == y
    named = unnamed.replace(feature_names=["p", "q"])
    assert named.predict_proba(pd.DataFrame(X)).argmax(axis=1).tolist() == y
    assert named.predict_proba(X).argmax(axis=1).tolist() == y


def test_sparse_rows_are_refused(fitted):
    """The message was of something that is no real number."""
    model, *_ = fitted
    with pytest.raises(InputError, match=r"X is sparse; give X.toarray\(\)"):
        model.tree_.apply(sparse.csr_array(np.ones((2, 3))))


@pytest.mark.parametrize(
    ("learnt", "asked"),
    [((1, 2, 3), ("1", "2", "3")), (("1", "2", "3"), (1, 2, 3)), ((1, 2, 3), (1.0, 2.0, 3.0))],
)
@pytest.mark.filterwarnings("error")
def test_labels_that_are_equal_as_numbers_or_texts_match(learnt, asked):
    """'1' fitted and 1 asked was a new category in silence: accuracy fell from .93 to .49, and
    `explain` of the tree, which goes by texts, said otherwise than that of the learner."""
    X, y = frame(learnt)
    model = C45Classifier(prune=False, min_samples_split=2).fit(X, y)
    other = X.assign(kind=X["kind"].cat.rename_categories(list(asked)))
    assert model.score(other, y) == 1.0
    assert str(model.explain(other.iloc[[4]])) == str(model.tree_.explain(other.iloc[[4]]))


def test_a_column_without_any_known_category_warns(fitted):
    model, X, _ = fitted
    other = X.assign(kind=X["kind"].cat.rename_categories(["one", "two", "three"]))
    said = "no value of column 'kind' is a category that training has seen: it holds '"
    for learner in (model, model.tree_):
        with pytest.warns(HedgerowWarning, match=said):
            learner.predict_proba(other)
    missing = X.assign(kind=np.nan)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict_proba(missing)
