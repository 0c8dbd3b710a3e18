"""Labels and columns of every type that data frames have."""

import datetime
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import hedgerow
from hedgerow import (
    C45Classifier,
    ConfDTreeClassifier,
    EvidentialTreeClassifier,
    MissingIncorporated,
    TreeEditDistance,
)
from hedgerow.errors import HedgerowWarning, InputError

X = pd.DataFrame({"x": np.arange(6.0)})
BIG = 2**53
LEARNERS = {
    "c45": C45Classifier(min_samples_split=2),
    "confdtree": ConfDTreeClassifier(C45Classifier(min_samples_split=2)),
    "e2m": EvidentialTreeClassifier(prune=False),
}
each = pytest.mark.parametrize("learner", LEARNERS)


@each
@pytest.mark.parametrize(
    ("y", "classes"),
    [
        (pd.Series([0, 0, 0, 1, 1, 1], dtype="Int64"), [0, 1]),
        (pd.array([0, 0, 0, 1, 1, 1], dtype="UInt8"), [0, 1]),
        (pd.Series([BIG] * 3 + [BIG + 1] * 3, dtype="Int64"), [BIG, BIG + 1]),
        (pd.Series([True] * 3 + [False] * 3, dtype="boolean"), [False, True]),
        (pd.Series(list("aaabbb"), dtype="string"), ["a", "b"]),
        (pd.Series([1, 1, 1, 2, 2, 2], dtype="category"), [1, 2]),
        (np.array([1, 1, 1, 2, 2, 2], dtype=object), [1, 2]),
        (np.array([np.int8(1)] * 3 + [2] * 3, dtype=object), [1, 2]),
        (np.array([True] * 3 + [False] * 3, dtype=object), [False, True]),
    ],
    ids=str,
)
def test_labels_stay_as_they_are(learner, y, classes):
    """Int64 became 0.0 and 1.0, 2^53 and 2^53 + 1 one class in silence; objects that all are whole
    numbers were an unknown type of label."""
    model = LEARNERS[learner].fit(X, y)
    assert model.classes_.tolist() == classes
    assert [type(label) for label in model.classes_.tolist()] == [type(c) for c in classes]
    assert model.predict(X).tolist() == list(y)


@each
@pytest.mark.parametrize("label", [None, np.nan, pd.NA, pd.NaT], ids=str)
@pytest.mark.parametrize("others", [["a", "b"], [1, 2], [True, False]], ids=str)
def test_a_missing_label_is_named(learner, label, others):
    """It was a comparison that Python does not support, or an unknown type of label."""
    y = [others[0], others[0], label, *[others[1]] * 3]
    for given in (y, np.array(y, dtype=object), pd.Series(y, dtype=object)):
        with pytest.raises(InputError, match=f"y holds {label} in row 2, which is no label"):
            LEARNERS[learner].fit(X, given)


@pytest.mark.parametrize("dtype", ["Int64", "boolean", "category", "string"])
def test_a_missing_label_of_a_nullable_column_is_named(dtype):
    y = pd.Series([1, 1, None, 0, 0, 0], dtype="Int64").astype(dtype)
    for fit in (C45Classifier().fit, TreeEditDistance().fit):
        with pytest.raises(InputError, match=r"y holds .* in row 2, which is no label"):
            fit(X, y)


def test_labels_of_several_types_and_of_many_digits_are_refused():
    with pytest.raises(InputError, match="labels of several types, int and str; turn all"):
        C45Classifier().fit(X, np.array(["a", "a", 1, 1, 2, 2], dtype=object))
    with pytest.raises(InputError, match="more than 64 bits"):
        C45Classifier().fit(X, np.array([2**70, -1, 1, 1, 2, 2], dtype=object))


DAY = datetime.date(2020, 1, 1)
DATES = "dates or times, not numbers; turn it into a number, such as days"


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        (pd.Series([DAY] * 6), DATES),
        (pd.Series(pd.date_range("2020", periods=6)), DATES),
        (pd.Series(pd.date_range("2020", periods=6, tz="UTC")), DATES),
        (pd.Series(list(pd.date_range("2020", periods=6)), dtype=object), DATES),
        (pd.Series(pd.to_timedelta(np.arange(6), unit="D")), DATES),
        (pd.Series(pd.period_range("2020", periods=6, freq="M")), DATES),
        (pd.Series(pd.interval_range(0, 6)), "intervals, not numbers; turn it into a pandas cat"),
        (pd.Series([[1, 2]] * 6), "lists, not numbers; give each of their entries a column"),
        (pd.Series(np.arange(6) + 1j), "complex values, not numbers"),
        (pd.Series(["a", 1, 2, 3, 4, 5], dtype=object), "text, not numbers; turn it into a pandas"),
        (pd.Series(list("aaabbb"), dtype="string"), "text, not numbers"),
        (pd.Series([object()] * 6), "values of type object, not numbers"),
    ],
    ids=lambda value: str(getattr(value, "dtype", "")),
)
def test_columns_are_called_what_they_hold(column, kind):
    """Dates, intervals and lists were "text"; a tree took dates for nanoseconds."""
    frame, y = pd.DataFrame({"c": column}), [0, 0, 0, 1, 1, 1]
    tree = C45Classifier(min_samples_split=2).fit(X, y).tree_.replace(feature_names=["c"])
    said = re.escape(f"column 'c' of X holds {kind.partition(';')[0]}")
    for call in (
        lambda: C45Classifier().fit(frame, y),
        lambda: EvidentialTreeClassifier().fit(frame, y),
        lambda: MissingIncorporated().fit(frame),
        lambda: tree.apply(frame),
    ):
        with pytest.raises(InputError, match=said):
            call()
    with pytest.raises(InputError, match=re.escape(kind)):
        C45Classifier().fit(frame, y)


def test_dictionaries_of_pyarrow_are_text():
    pyarrow = pytest.importorskip("pyarrow")
    values = pd.arrays.ArrowExtensionArray(pyarrow.array(list("aaabbb")).dictionary_encode())
    frame = pd.DataFrame({"c": values})
    with pytest.raises(InputError, match="holds text, not numbers; turn it into a pandas cat"):
        C45Classifier().fit(frame, [0, 0, 0, 1, 1, 1])
    model = C45Classifier(min_samples_split=2)
    assert model.fit(frame.astype("category"), [0, 0, 0, 1, 1, 1]).tree_.n_leaves == 2
    with pytest.raises(InputError, match=r"X is a Table of pyarrow; give X.to_pandas\(\)"):
        model.fit(pyarrow.table({"c": list("aaabbb")}), [0, 0, 0, 1, 1, 1])


def test_incorporated_takes_objects_of_numbers():
    """The other estimators took them."""
    column = pd.Series([1, 2, None, 4, 5, 6], dtype=object)
    made = MissingIncorporated().fit_transform(pd.DataFrame({"c": column}))
    want = MissingIncorporated().fit_transform(pd.DataFrame({"c": column.astype(float)}))
    pd.testing.assert_frame_equal(made, want)


@pytest.mark.parametrize("name", ["min_samples_leaf", "min_samples_split"])
def test_a_share_of_the_rows_as_a_minimum_warns(name):
    """.1 was a weight of .1, which every leaf has; users of scikit-learn mean a tenth of the
    rows."""
    rng = np.random.default_rng(0)
    many, y = rng.normal(size=(175, 2)), rng.integers(2, size=175)
    said = f"{name} is 0.1, a number of instances, .* of the 175 rows give {name}=18$"
    for kind in (C45Classifier, hedgerow.UCTTreeClassifier, hedgerow.EvolutionaryTreeClassifier):
        with pytest.warns(HedgerowWarning, match=said):
            kind(**{name: 0.1}).fit(many, y)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        C45Classifier(**{name: 0}).fit(many, y)
        # Weights may be below 1, and so may be their minimum.
        C45Classifier(**{name: 0.1}, weights="counts").fit(many, y, np.full(175, 0.25))
