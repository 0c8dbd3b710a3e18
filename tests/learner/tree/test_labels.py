"""Labels of categories: one text, whatever kind of column they stand in."""

import numpy as np
import pandas as pd
import pytest

from hedgerow.tree.labels import codes_in


@pytest.mark.parametrize(
    ("column", "labels"),
    [
        ([1, 2, 1], ["1", "2"]),
        ([1.0, 2.0, 1.0], ["1", "2"]),
        ([1.0, 2.0, 1.0], ["1.0", "2.0"]),
        (pd.Categorical([1.0, 2.0, 1.0]), ["1.0", "2.0"]),
        (pd.Categorical([1, 2, 1]), ["1", "2"]),
        (["1", "2", "1"], ["1", "2"]),
        ([1.5, 2.0, 1.5], ["1.5", "2.0"]),
        ([True, False, True], ["True", "False"]),
    ],
)
def test_known_labels(column, labels):
    assert codes_in(pd.Series(column), labels).tolist() == [0.0, 1.0, 0.0]


def test_missing_and_new_labels():
    found = codes_in(pd.Series([1.0, np.nan, 7.0]), ["1", "2"])
    assert found[0] == 0.0 and np.isnan(found[1]) and found[2] == 2.0
    assert codes_in(pd.Series(["1", "1.0"]), ["1.0", "1"]).tolist() == [1.0, 0.0]
