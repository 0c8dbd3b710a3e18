"""Evidential data: each way to make them, files, and what is refused."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow import EvidentialData, EvidentialTreeClassifier, evidential_error_rate
from hedgerow.errors import DataError, InputError
from hedgerow.evidential import predict_evidential
from hedgerow.evidential.data import pignistic
from hedgerow.evidential.error import error_plausibility

X = np.array([[1.0, 2.0], [3.0, np.nan], [5.0, 6.0]])


DAYS = pd.DataFrame({"day": pd.to_datetime(["2020-01-01", "2020-01-02"])})
COLOURS = pd.DataFrame({"c": pd.Categorical(["u", "v"])})


def same(one, other):
    """Whether two sets of evidential data are equal in all that they hold."""
    arrays = all(
        np.array_equal(getattr(one, name), getattr(other, name), equal_nan=True)
        for name in ("low", "high", "gamma", "plausibility")
    )
    tables = one.possible.keys() == other.possible.keys() and all(
        np.array_equal(one.possible[j], other.possible[j]) for j in one.possible
    )
    beside = (one.feature_names, one.categories) == (other.feature_names, other.categories)
    beside = beside and one.classes.tolist() == other.classes.tolist()
    return arrays and tables and beside


def mixed():
    """Numbers, categories, missing values, names, sets of classes."""
    frame = pd.DataFrame({"width": [1.0, np.nan, 3.0]})
    frame["colour"] = pd.Categorical(["red", None, "blue"], categories=["red", "green", "blue"])
    return EvidentialData.from_gamma(frame, ["a", {"a", "b"}, None], 0.25, [0.0, 0.5, 0.1])


# ------------------------------------------------------------------ constructors


def test_values_and_gamma():
    data = EvidentialData.from_gamma(X, [1, 0, 1], [[0.1, 0.2]], [0.0, 0.3, 1.0])
    assert data.low.tolist()[0] == data.high.tolist()[0] == [1.0, 2.0]
    assert data.gamma.tolist() == [[0.1, 0.2]] * 3
    assert (data.low[1, 1], data.high[1, 1]) == (-np.inf, np.inf)
    assert data.classes.tolist() == [0, 1]
    assert data.plausibility.tolist() == [[0.0, 1.0], [1.0, 0.3], [1.0, 1.0]]


def test_frames_bring_names_and_categories():
    data = mixed()
    assert data.feature_names == ["width", "colour"]
    assert data.categories == {1: ["red", "green", "blue"]}
    assert data.possible[1].tolist() == [[1.0, 0.25, 0.25], [1.0, 1.0, 1.0], [0.25, 0.25, 1.0]]
    assert np.isnan(data.low[:, 1]).all()
    assert data.plausibility.tolist() == [[1.0, 0.0], [1.0, 1.0], [1.0, 1.0]]


def test_codes_of_an_array_are_categories_where_labels_are_given():
    data = EvidentialData.from_gamma([[0.0], [1.0]], [0, 1], categories={0: ["u", "v"]})
    assert data.possible[0].tolist() == [[1.0, 0.0], [0.0, 1.0]]


def test_intervals_and_sets():
    data = EvidentialData.from_intervals(
        [[1.0, 0.0], [np.nan, 0.0]],
        [[2.0, 0.0], [4.0, 0.0]],
        ["x", ("x", "y")],
        0.1,
        sets={1: [{"u", "v"}, None]},
        classes=["y", "x"],
    )
    assert data.low[:, 0].tolist() == [1.0, -np.inf]
    assert data.high[:, 0].tolist() == [2.0, 4.0]
    assert data.possible[1].tolist() == [[1.0, 1.0], [1.0, 1.0]]
    assert data.plausibility.tolist() == [[0.0, 1.0], [1.0, 1.0]]
    one = EvidentialData.from_intervals([[0]] * 2, [[0]] * 2, [0, 1], 0.1, sets={0: ["u", "v"]})
    assert one.possible[0].tolist() == [[1.0, 0.1], [0.1, 1.0]]


def test_plausibilities_of_classes_and_of_categories():
    data = EvidentialData.from_plausibility(
        mixed(), [[0.2, 0.4], [1, 1], [0, 0.5]], ["a", "b"], attributes={"colour": [[0.2, 0.4]] * 3}
    )
    assert data.plausibility.tolist() == [[0.2, 0.4], [1.0, 1.0], [0.0, 0.5]]
    assert data.possible[1].tolist() == [[0.5, 1.0]] * 3
    assert data.categories == {1: ["0", "1"]}
    assert data.gamma[:, 0].tolist() == [0.25] * 3


def test_plain_data_in_each_constructor_are_the_same():
    one = EvidentialData.from_gamma(X, [0, 1, 1])
    assert same(one, EvidentialData.from_intervals(X, X, [0, 1, 1]))
    assert same(one, EvidentialData.from_plausibility(X, np.eye(2)[[0, 1, 1]], [0, 1]))


def test_what_was_given_stays_as_it_was():
    given = X.copy()
    data = EvidentialData.from_gamma(given, [0, 1, 1])
    assert np.array_equal(given, X, equal_nan=True)
    with pytest.raises(ValueError, match="read-only"):
        data.low[0, 0] = 3.0


# ------------------------------------------------------------------ refused


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: EvidentialData.from_gamma(X, [0, 1, 1], 1.5), "gamma_X holds 1.5 in row 0, col"),
        (lambda: EvidentialData.from_gamma(X, [0, 1, 1], 0, -0.1), "gamma_y holds -0.1 in row 0"),
        (lambda: EvidentialData.from_gamma(X, [0, 1, 1], np.nan), "gamma_X holds nan in row 0"),
        (lambda: EvidentialData.from_gamma(X, [0, 1, 1], "much"), "gamma_X is no table of numbers"),
        (lambda: EvidentialData.from_gamma(X, [0, 1, 1], np.zeros(3)), r"give one of shape \(3, 2"),
        (lambda: EvidentialData.from_gamma(X, [0, 1]), "y has 2 labels for 3 rows"),
        (lambda: EvidentialData.from_gamma(X), "y names no class; give `classes`"),
        (lambda: EvidentialData.from_gamma(X, [0, 1, 2], classes=[0, 1]), "y holds .2. in row 2"),
        (lambda: EvidentialData.from_gamma(X, [0, "b", 2]), "y mixes labels of several kinds"),
        (lambda: EvidentialData.from_gamma(X, [0, 1, 1], classes=[0, 1, 1]), "no list of differ"),
        (lambda: EvidentialData.from_gamma([[np.inf]], [0]), "infinite value in row 0, column 0"),
        (lambda: EvidentialData.from_gamma([1.0], [0]), r"X has the shape \(1,\)"),
        (lambda: EvidentialData.from_gamma([["a"]], [0]), "X is no table of numbers"),
        (lambda: EvidentialData.from_gamma(pd.DataFrame({"a": ["u"]}), [0]), "column 'a' of X"),
        (
            lambda: EvidentialData.from_gamma([[2.0]], [0], categories={0: ["u", "v"]}),
            "attribute 0 holds 2 in row 0 and has 2 categories",
        ),
        (
            lambda: EvidentialData.from_intervals([[2.0]], [[1.0]], [0]),
            "row 0, column 0, goes from",
        ),
        (lambda: EvidentialData.from_intervals([[2.0]], [[1.0, 3]], [0]), "low has the shape"),
        (
            lambda: EvidentialData.from_intervals([[0.0]], [[0.0]], [0], sets={0: [None]}),
            "no set of attribute 0 names a category",
        ),
        (
            lambda: EvidentialData.from_intervals([[0.0]], [[0.0]], [0], sets={0: []}),
            "sets has 0 collections for attribute 0 and 1 rows",
        ),
        (
            lambda: EvidentialData.from_plausibility(X, [[0, 0], [1, 1], [1, 1]]),
            "0 throughout row 0",
        ),
        (
            lambda: EvidentialData.from_plausibility(X, [[1, 2]] * 3),
            "plausibility holds 2 in row 0",
        ),
        (
            lambda: EvidentialData.from_plausibility(X, [[1, 1]] * 2),
            "plausibility has 2 rows and X 3",
        ),
        (lambda: EvidentialData.from_plausibility(X, [1, 1, 1]), "plausibility is no table"),
        (
            lambda: EvidentialData.from_plausibility(X, [[1, 1]] * 3, ["a"]),
            "plausibility has 2 columns for 1 classes",
        ),
        (
            lambda: EvidentialData.from_plausibility(X, np.ones((3, 2)), attributes={"a": [[1]]}),
            "attributes names 'a', which is no column of X",
        ),
        (lambda: mixed().take(1), "rows are no list of whole numbers"),
        (lambda: mixed().take([[0, 1]]), "rows are no list of whole numbers"),
        (lambda: mixed().take([0.0]), "rows are no list of whole numbers"),
        (lambda: EvidentialData.from_gamma(X, np.eye(3)), "y is no list of labels"),
        (lambda: EvidentialData.from_gamma(X, pd.DataFrame(np.eye(3))), "y is no list of labels"),
        (lambda: EvidentialData.from_gamma(X, 5), "y is no list of labels"),
        (lambda: EvidentialData.from_gamma(X, [{"a": 1}, 0, 1]), "y mixes labels"),
        (lambda: EvidentialData.from_gamma(X, [[[1]], 0, 1]), "y mixes labels"),
        (lambda: EvidentialData.from_gamma(X, [0, 1, 1], classes=[0, 1, np.nan]), "classes is no"),
        (lambda: EvidentialData.from_gamma(X, ["a"] * 3, classes=["a", None]), "classes is no"),
        (
            lambda: EvidentialData.from_gamma(
                X, ["b"] * 3, classes=np.array([[1], "b"], dtype=object)
            ),
            "classes is no list of different labels",
        ),
        (lambda: EvidentialData.from_gamma(np.array([[1 + 2j]]), [0]), "X is no table of numbers"),
        (lambda: EvidentialData.from_gamma(DAYS.to_numpy(), [0, 1]), "X is no table of numbers"),
        (lambda: EvidentialData.from_gamma(DAYS, [0, 1]), "column 'day' of X holds dates or times"),
        (
            lambda: EvidentialData.from_gamma(X, [0, 1, 1], categories={1: ["u", "u"]}),
            "attribute 1 has categories of the same text",
        ),
        (
            lambda: EvidentialData.from_gamma(
                pd.DataFrame({"a": pd.Categorical([1, "1"], categories=[1, "1"])}), [0, 1]
            ),
            "attribute 'a' has categories of the same text",
        ),
        (
            lambda: EvidentialData.from_intervals(
                [[0.0]] * 2, [[0.0]] * 2, [0, 1], sets={0: [1, "1"]}
            ),
            "attribute 0 has categories of the same text",
        ),
        (
            lambda: EvidentialData.from_gamma(
                pd.DataFrame([[1, 2]], columns=["a", "b"]),
                [0],
                pd.DataFrame([[0.1, 0.2]], columns=["b", "c"]),
            ),
            "gamma_X has the columns",
        ),
        (lambda: EvidentialData.from_intervals(COLOURS, COLOURS, [0, 1]), "'c' is a categorical"),
        (
            lambda: EvidentialData.from_intervals(COLOURS, DAYS.astype(int), [0, 1]),
            "high has the c",
        ),
        (
            lambda: EvidentialData.from_intervals([[np.inf]], [[np.nan]], [0]),
            "goes from inf to inf",
        ),
        (
            lambda: EvidentialData.from_intervals([[np.nan]], [[-np.inf]], [0]),
            "goes from -inf to -",
        ),
        (lambda: mixed().take([7]), "rows name more than 3 rows"),
        (lambda: mixed().take([True]), "1 flags choose among 3 rows"),
    ],
)
def test_refused(make, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        make()
    assert "\n" not in str(caught.value)


# ------------------------------------------------------------------ parts, crisp, pignistic


def test_rows_are_taken_by_number_and_by_flags():
    data = mixed()
    assert same(data.take([2, 0]).take([1, 0]), data.take([True, False, True]))
    assert len(data.take([])) == 0


def test_likeliest():
    data = EvidentialData.from_intervals(
        [[1.0], [-np.inf], [np.nan], [2.0]], [[2.0], [4.0], [np.nan], [2.0]],
        [0, 1, 1, None], [[0.1], [0.0], [0.0], [1.0]],
    )  # fmt: skip
    values, y = data.likeliest()
    assert np.array_equal(values[:, 0], [1.5, 4.0, np.nan, np.nan], equal_nan=True)
    assert y.tolist() == [0, 1, 1, 0]
    values, y = mixed().likeliest()
    assert np.array_equal(values, [[1.0, 0.0], [np.nan, np.nan], [3.0, 2.0]], equal_nan=True)


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=6).filter(lambda row: max(row) > 1e-9))
def test_pignistic_probabilities(row):
    found = pignistic(np.array([row]))[0]
    assert found.sum() == pytest.approx(1.0)
    # The masses of the consonant belief function, focal element by focal element.
    scaled = [value / max(row) for value in row]
    expected = np.zeros(len(row))
    levels = sorted({0.0, *scaled})
    for low, high in itertools.pairwise(levels):
        inside = [k for k, value in enumerate(scaled) if value >= high]
        expected[inside] += (high - low) / len(inside)
    assert found == pytest.approx(expected)


def test_pignistic_of_a_label_in_doubt():
    data = EvidentialData.from_gamma([[0.0]], [1], 0.0, 0.3, classes=[0, 1, 2])
    assert data.pignistic()[0] == pytest.approx([0.1, 0.8, 0.1])


# ------------------------------------------------------------------ files


def test_a_file_gives_equal_data(tmp_path):
    for number, data in enumerate([mixed(), EvidentialData.from_gamma(X, [3, 1, 2], 0.5, 0.1)]):
        path = tmp_path / f"{number}.parquet"
        data.to_parquet(path)
        again = EvidentialData.from_parquet(path)
        assert same(data, again)
        first = path.read_bytes()
        again.to_parquet(path)
        assert path.read_bytes() == first


def changed(path, tmp_path, change):
    """The file with another head or another column."""
    import json

    from hedgerow.evidential.data import FORMAT
    from hedgerow.files import read_arrow, write_parquet

    table = read_arrow(path)
    head = json.loads(table.schema.metadata[FORMAT.encode()])
    frame = table.to_pandas()
    change(head, frame)
    import pyarrow as pa

    made = pa.Table.from_pandas(frame, preserve_index=False)
    write_parquet(
        tmp_path / "changed.parquet", made.replace_schema_metadata({FORMAT: json.dumps(head)})
    )
    return tmp_path / "changed.parquet"


def setting(name, value):
    """A change of a column."""

    def change(head, frame):
        frame[name] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        lambda head, frame: head.update(format="other"),
        lambda head, frame: head.update(version=3),
        lambda head, frame: head.update(classes=["a", "a"]),
        lambda head, frame: head.update(classes=["a"] * 3),
        lambda head, frame: head.update(n_features=10**30),
        lambda head, frame: head.update(n_features="2"),
        lambda head, frame: head.update(n_features=5),
        lambda head, frame: head.update(feature_names=["a"]),
        lambda head, frame: head.update(feature_names=[1, 2]),
        lambda head, frame: head.update(categories={"x": []}),
        lambda head, frame: head.update(categories={"1": ["red", "green"], "7": []}),
        lambda head, frame: head.update(categories=None),
        setting("gamma_0", 2.0),
        setting("low_0", 99.0),
        setting("low_0", np.nan),
        setting("low_0", "text"),
        setting("class_0", -1.0),
        setting("possible_1_0", np.nan),
        lambda head, frame: frame.update({f"possible_1_{code}": [0.5] * 3 for code in range(3)}),
        lambda head, frame: frame.update({"low_0": [np.inf] * 3, "high_0": [np.inf] * 3}),
        lambda head, frame: head.update(categories={"1": ["red", "red", "blue"]}),
        lambda head, frame: head.update(n_features=0, feature_names=None, categories={}),
        lambda head, frame: frame.pop("possible_1_0"),
        lambda head, frame: frame.pop("class_1"),
    ],
)
def test_a_file_with_anything_else_is_refused(change, tmp_path):
    path = tmp_path / "data.parquet"
    mixed().to_parquet(path)
    with pytest.raises(DataError, match="does not hold evidential data"):
        EvidentialData.from_parquet(changed(path, tmp_path, change))


def test_damaged_and_absent_files(tmp_path):
    path = tmp_path / "data.parquet"
    with pytest.raises(DataError):
        EvidentialData.from_parquet(path)
    mixed().to_parquet(path)
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(DataError):
        EvidentialData.from_parquet(path)


def test_labels_that_no_file_holds():
    data = EvidentialData.from_gamma([[0.0]], [1 + 2j], classes=[1 + 2j])
    with pytest.raises(InputError, match="no text, number or truth value"):
        data.to_parquet("never.parquet")


def test_what_pandas_has_for_missing_labels_is_vacuous():
    """They were taken for labels of another kind."""
    for y in (
        pd.Series([1, None, 0], dtype="Int64"),
        pd.Series(["b", None, "a"], dtype="string"),
        [1, pd.NaT, 0],
        [1.0, np.float32("nan"), 0.0],
    ):
        data = EvidentialData.from_gamma([[0.0]] * 3, y)
        assert data.plausibility.tolist() == [[0.0, 1.0], [1.0, 1.0], [1.0, 0.0]]


def test_the_middle_of_the_widest_interval():
    data = EvidentialData.from_intervals([[-1.5e308]], [[1.0e308]], [0])
    assert data.likeliest()[0].tolist() == [[-0.25e308]]


def test_truth_values_numbers_with_gaps_and_any_layout():
    frame = pd.DataFrame({"a": [True, False], "b": pd.array([1, None], dtype="Int64")})
    data = EvidentialData.from_gamma(frame, [True, 0])
    assert data.low.tolist() == [[1.0, 1.0], [0.0, -np.inf]]
    assert data.classes.tolist() == [0, 1]
    table = np.asfortranarray(X)
    table.setflags(write=False)
    assert same(
        EvidentialData.from_gamma(table, [0, 1, 1]), EvidentialData.from_gamma(X, [0, 1, 1])
    )


# ------------------------------------------------------------------ masses


def test_masses_give_plausibilities_and_the_mass_of_each_class_alone():
    masses = [{"a": 0.5, "b": 0.3, "c": 0.2}, {("a", "b"): 0.6, frozenset("abc"): 0.4}]
    data = EvidentialData.from_masses([[1.0], [2.0]], masses)
    assert data.classes.tolist() == ["a", "b", "c"]
    assert data.plausibility == pytest.approx(np.array([[0.5, 0.3, 0.2], [1.0, 1.0, 0.4]]))
    assert data.alone == pytest.approx(np.array([[0.5, 0.3, 0.2], [0.0, 0.0, 0.0]]))
    assert data.take([0]).alone == pytest.approx(data.alone[:1])


def test_a_prediction_is_wrong_by_what_is_not_certainly_right():
    """Equations 2 to 4; the largest plausibility of another class was taken, .3 for .5."""
    data = EvidentialData.from_masses([[1.0]] * 2, [{"a": 0.5, "b": 0.3, "c": 0.2}] * 2)
    right, wrong = error_plausibility(data.plausibility, [0, 1], data.alone)
    assert right == pytest.approx([0.5, 0.3]) and wrong == pytest.approx([0.5, 0.7])
    nested = error_plausibility(data.plausibility, [0, 1])
    assert nested[1] == pytest.approx([0.3, 0.5])
    # The likelihood is e -> (.5 (1 - e) + .5 e)(.3 (1 - e) + .7 e): largest where all are wrong.
    assert evidential_error_rate(data.plausibility, [0, 1], alone=data.alone) == 1.0
    # Of nested sets both readings are one: a doubt gamma is the mass of all classes.
    doubts = EvidentialData.from_gamma([[1.0]] * 2, ["a", "b"], 0.0, [0.2, 0.7], classes=["a", "b"])
    masses = [{"a": 0.8, ("a", "b"): 0.2}, {"b": 0.3, ("a", "b"): 0.7}]
    told = EvidentialData.from_masses([[1.0]] * 2, masses)
    assert told.plausibility == pytest.approx(doubts.plausibility)
    for predictions in ([0, 0], [0, 1], [1, 0]):
        parts = error_plausibility(told.plausibility, predictions, told.alone)
        assert np.array(parts) == pytest.approx(
            np.array(error_plausibility(doubts.plausibility, predictions))
        )


def test_masses_prune_a_tree_by_what_they_say(tmp_path):
    rng = np.random.default_rng(0)
    x = rng.normal(size=(60, 2))
    masses = [
        {str(int(row[0] > 0)): 0.5, ("0", "1", "2"): 0.2, "2": 0.3} if rng.random() < 0.7
        else {("0", "1"): 1.0}
        for row in x
    ]  # fmt: skip
    data = EvidentialData.from_masses(x, masses)
    model = EvidentialTreeClassifier(max_leaves=4).fit(
        data.take(range(40)), pruning_data=data.take(range(40, 60))
    )
    held = data.take(range(40, 60))
    errors = [
        evidential_error_rate(held.plausibility, predict_evidential(t, held), alone=held.alone)
        for t in model.trees_
    ]
    assert model.pruning_errors_ == pytest.approx(errors)
    data.to_parquet(tmp_path / "masses.parquet")
    again = EvidentialData.from_parquet(tmp_path / "masses.parquet")
    assert (again.alone == data.alone).all()


@pytest.mark.parametrize(
    ("masses", "words"),
    [
        ([{"a": 0.5, "b": 0.4}], ["row 0 add up to 0.9"]),
        ([{"a": 1.5, "b": -0.5}], ["'a'", "1.5", "[0, 1]"]),
        ([{"a": 1.0}, {(): 1.0}], ["row 1", "no label"]),
        ([{"a": 1.0}, {None: 1.0}], ["row 1", "no label"]),
        ([{"a": 0.5, "z": 0.5}], ["row 0", "z"]),
        (["a"], ["row 0", "str", "mapping"]),
        ([{"a": "much", "b": 0.5}], ["'a'", "'much'"]),
    ],
)
def test_masses_that_are_none(masses, words):
    with pytest.raises(InputError) as caught:
        EvidentialData.from_masses([[1.0]] * len(masses), masses, classes=["a", "b"])
    assert all(word in str(caught.value) for word in words)


def test_masses_of_labels_of_several_kinds():
    with pytest.raises(InputError, match="several kinds"):
        EvidentialData.from_masses([[1.0]], [{"a": 0.5, 1: 0.5}])


@pytest.mark.parametrize(
    "alone", [[[0.6, 0.0]], [[0.5, -0.1]], [[0.5, 0.6]], [[0.1, 0.1, 0.1]], "masses"]
)
def test_masses_of_classes_alone_that_cannot_be(alone):
    with pytest.raises(InputError, match="alone"):
        evidential_error_rate([[0.5, 1.0]], [0], alone=alone)
