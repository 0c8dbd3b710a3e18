"""What steps of several experiments share."""

from types import SimpleNamespace

import numpy as np
import pandas as pd

from hedgerow_study.experiments.frames import concat_sorted, numbers_of, uct_from
from hedgerow_study.experiments.search.plan import SearchPlan, UctPlan


def test_tables_without_rows_leave_types_alone():
    """Joined with them, a column of numbers would hold objects, by how the work was cut."""
    empty = pd.DataFrame([], columns=["a", "b"])
    some = pd.DataFrame({"a": [2, 1], "b": ["x", "y"]})
    found = concat_sorted([empty, some, empty], ["a"])
    assert found["a"].tolist() == [1, 2] and found["a"].dtype == np.int64
    assert found.index.tolist() == [0, 1]
    assert list(concat_sorted([empty, empty], ["a"]).columns) == ["a", "b"]


def test_rows_that_tie_keep_their_order():
    parts = [pd.DataFrame({"a": [1, 0], "b": [k, k]}) for k in range(3)]
    assert concat_sorted(parts, ["a"])["b"].tolist() == [0, 1, 2, 0, 1, 2]


def test_numbers_of_a_chunk():
    assert numbers_of(SimpleNamespace(n_repeats=3), "n_repeats", None) == [0, 1, 2]
    # A job that is given its chunk does not declare the setting, and may not read it.
    assert numbers_of(SimpleNamespace(), "n_repeats", (4, 1, 4)) == [1, 4]
    assert numbers_of(SimpleNamespace(), "n_repeats", []) == []


def test_a_search_reads_the_settings_of_a_plan_that_are_not_given():
    plan = SearchPlan(n_iterations=11, n_candidates=2, validation_fraction=0.4)
    learner = uct_from(plan, n_iterations=7, policy="c45")
    for name in UctPlan.settings():
        wanted = 7 if name == "n_iterations" else getattr(plan, name)
        assert getattr(learner, name) == wanted, name
    assert learner.policy == "c45"
    # What is given is not read: a step need not declare it.
    names = [name for name in UctPlan.settings() if name != "n_iterations"]
    less = SimpleNamespace(**{name: getattr(plan, name) for name in names})
    assert uct_from(less, n_iterations=7).n_iterations == 7
