"""Data frames of polars: names and categories are those of pandas."""

import numpy as np
import pandas as pd
import pytest

import hedgerow

polars = pytest.importorskip("polars", reason="`make checks` installs it")

KINDS = ["mouse", "ant", "cow", None, "ant", "cow"] * 10


def frames(dtype) -> tuple:
    """The same table from both libraries, with the classes of its rows."""
    size = np.random.default_rng(0).normal(size=60)
    size[3] = np.nan
    labels = sorted({kind for kind in KINDS if kind})
    of_pandas = pd.DataFrame({"kind": pd.Categorical(KINDS, categories=labels), "size": size})
    known = [None if np.isnan(value) else value for value in size]
    of_polars = polars.DataFrame({"kind": polars.Series(KINDS, dtype=dtype), "size": known})
    y = np.array([kind == "cow" or (value > 1) for kind, value in zip(KINDS, size, strict=True)])
    return of_pandas, of_polars, y.astype(int)


@pytest.mark.parametrize("dtype", [polars.Categorical, polars.Enum(["ant", "cow", "mouse"])])
def test_categories_are_categories(dtype):
    """They were refused as text, or read as numbers in the order of their appearance."""
    of_pandas, of_polars, y = frames(dtype)
    one = hedgerow.C45Classifier(prune=False).fit(of_pandas, y)
    two = hedgerow.C45Classifier(prune=False).fit(of_polars, y)
    assert one.tree_ == two.tree_ and "kind in {" in two.tree_.to_text()
    assert list(two.feature_names_in_) == ["kind", "size"]
    for table in (of_pandas, of_polars, of_polars[::-1][::-1]):
        np.testing.assert_array_equal(two.predict_proba(table), one.predict_proba(of_pandas))
    # Rows in which categories first come in another order.
    np.testing.assert_array_equal(two.predict(of_polars[40:]), one.predict(of_pandas[40:]))


def test_text_is_refused_as_it_is_of_pandas():
    table = polars.DataFrame({"kind": ["a", "b", "a", "b"]})
    with pytest.raises(hedgerow.errors.InputError, match=r"column 'kind' of X holds text"):
        hedgerow.C45Classifier().fit(table, [0, 1, 0, 1])


def test_numbers_of_every_kind():
    table = polars.DataFrame({"a": [1, 2, None, 4], "b": [True, False, True, None]})
    tree = hedgerow.C45Classifier(min_samples_split=2, prune=False).fit(table, [0, 0, 1, 1]).tree_
    assert tree.n_leaves > 1
