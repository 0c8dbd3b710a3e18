"""What is shown of a tree, read again as a person or a program reads it."""

import operator
import re

import numpy as np
import pandas as pd
import pytest
from oracle.random_trees import random_table

from hedgerow import C45Classifier, ConfDTreeClassifier
from hedgerow.induction import Columns, grow
from hedgerow.tree import Tree, export
from hedgerow.tree.export import number, share_texts

NUMBER = r"[-+.e\d]+"
SIGNS = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def drawn(seed: int) -> tuple[Tree, np.ndarray]:
    """A tree of numbers of many kinds and of categories, and its training rows without gaps."""
    X, y, K, weight, n_categories = random_table(seed)
    rng = np.random.default_rng([seed, 7])
    for j in np.flatnonzero(n_categories == 0):
        n = len(X)
        X[:, j] = [
            X[:, j],
            X[:, j] * 10.0 ** rng.integers(-9, 10),
            1_700_000_000 + rng.integers(0, 2_600_000, n),  # times of a month
            737_000 + rng.integers(0, 400, n) / 1000,
            np.round(X[:, j], 1),
            X[:, j].astype(np.float32),
            1.0 + rng.integers(0, 50, n) * 2.0**-52,
        ][rng.integers(0, 7)]
    tree = grow(
        Columns(X, y, K, weight, n_categories),
        min_samples_split=2,
        candidates=("values", "midpoints")[seed % 2],
    )
    return tree, X[~np.isnan(X).any(axis=1)]


def holds(test: str, row: np.ndarray) -> bool:
    """Whether a printed test holds of a row."""
    if found := re.fullmatch(rf"({NUMBER}) (<=?) x(\d+) (<=?) ({NUMBER})", test):
        x = row[int(found[3])]
        return SIGNS[found[2]](float(found[1]), x) and SIGNS[found[4]](x, float(found[5]))
    if found := re.fullmatch(rf"x(\d+) (<=?|>=?) ({NUMBER})", test):
        return SIGNS[found[2]](row[int(found[1])], float(found[3]))
    found = re.fullmatch(r"x(\d+) in \{(.*)\}", test)
    return str(int(row[int(found[1])])) in found[2].split(", ")


def predicted_by_text(text: str, row: np.ndarray) -> str:
    """Class that the indented rules of `Tree.to_text` give."""
    depth = 0
    for line in text.splitlines():
        level = line.count("|   ")
        test, _, leaf = line.replace("|   ", "").partition(": ")
        if "(n = " in test:  # a single leaf
            return test.split(" ")[0]
        if level == depth and holds(test, row):
            if leaf:
                return leaf.split(" ")[0]
            depth += 1
    raise AssertionError(f"no leaf takes {row}")


def predicted_by_rules(text: str, row: np.ndarray) -> str:
    """Class of the one rule that holds."""
    met = []
    for line in text.splitlines():
        tests, answer = re.fullmatch(r"IF (.*) THEN (\w+) \(.*", line).groups()
        if tests == "true" or all(holds(test, row) for test in tests.split(" AND ")):
            met.append(answer)
    (answer,) = met
    return answer


@pytest.mark.parametrize("seed", range(200))
def test_printed_rules_predict_the_training_rows(seed):
    """Five significant digits: rules read ``7.37e+05 <= x0 < 7.37e+05``, and a threshold that was
    rounded up sent the rows of its value to the other side."""
    tree, rows = drawn(seed)
    text, rules = tree.to_text(), tree.rules(as_text=True)
    expected = tree.predict_proba(rows).argmax(axis=1)
    for row, c in zip(rows, expected, strict=True):
        assert predicted_by_text(text, row) == str(c)
        assert predicted_by_rules(rules, row) == str(c)


@pytest.mark.parametrize("decimals", [0, 2, 4])
def test_rounded_tests_of_a_variable_read_differently(decimals):
    for seed in range(60):
        tree, _ = drawn(seed)
        texts = [tree.to_text(decimals=decimals), tree.to_dot(decimals=decimals)]
        for text in texts:
            tests = re.findall(rf"x\d+ <=? {NUMBER}", text)
            expected = sum(map(len, tree.sorted_thresholds.values()))
            assert len(set(tests)) == expected
        rules = tree.rules(as_text=True)
        for low, one, other, high in re.findall(rf"({NUMBER}) (<=?) x\d+ (<=?) ({NUMBER})", rules):
            assert SIGNS["<=" if one == other == "<=" else "<"](float(low), float(high))


@pytest.mark.parametrize(
    "value, rounded, exact",
    [
        (123457.0, "123457", "123457"),  # was 1.2346e+05
        (1_700_000_000.0, "1700000000", "1700000000"),  # was 1.7e+09
        (-(2.0**53), "-9007199254740992", "-9007199254740992"),
        (123456.7, "123457", "123456.7"),
        (3.70004, "3.7", "3.70004"),
        (0.1 + 0.2, "0.3", "0.30000000000000004"),
        (1e23, "1e+23", "1e+23"),
        (1.23456789e-7, "1.2346e-07", "1.23456789e-07"),
        (-0.0, "0", "0"),
        (np.inf, "inf", "inf"),
    ],
)
def test_numbers(value, rounded, exact):
    assert number(value) == rounded and number(value, None) == exact
    assert float(exact) == value


def test_numbers_beside_each_other_read_differently():
    assert number(127.0, 2, [127.4]) == "127" and number(127.4, 2, [127.0]) == "127.4"
    assert number(737000.1, 4, [737000.2, 737000.11]) == "737000.1"
    for a in (1.0, 0.1, 1e300, -3e-310, 123456.0):
        b = np.nextafter(a, np.inf)
        assert float(number(a, 0, [b])) < float(number(b, 0, [a]))


def test_a_value_reads_differently_from_the_threshold_beside_it():
    """`x0 < 3.7: x0 = 3.7, yes` in explanations and in the doubts of ConfDTree."""
    X = np.array([[1.0], [3.70004], [1.0], [3.70004]] * 5)
    y = [0, 1] * 10
    text = str(C45Classifier().fit(X, y).explain([3.70002]))
    assert "x0 < 3.70004: x0 = 3.70002, yes" in text
    text = str(C45Classifier().fit(X + 737_000, y).explain([737_003.7]))
    assert "x0 < 737003.70004: x0 = 737003.7, yes" in text
    text = str(ConfDTreeClassifier(method="tdist").fit(X, y).explain([3.70002]).revisions)
    assert "x0 < 3.70004: x0 = 3.70002 " in text


def test_tests_of_two_trees_read_differently():
    """What differs between two trees was described by two equal texts."""
    trees = [
        C45Classifier().fit([[1.0], [at]] * 4, [0, 1] * 4).tree_ for at in (3.700041, 3.700042)
    ]
    assert [export.test_words(tree, 0)[0] for tree in trees] == ["x0 < 3.700041", "x0 < 3.700042"]


@pytest.mark.parametrize(
    "shares, texts",
    [
        ([0.997, 0.003], ["0.997", "0.003"]),  # was 1.00, 0.00
        ([1.0, 0.0], ["1.00", "0.00"]),
        ([0.5, 0.25, 0.25], ["0.50", "0.25", "0.25"]),
        ([0.9999, 0.0001, 0.0], ["0.9999", "0.0001", "0.0000"]),
        ([1 - 1e-9, 1e-9, 0.0], [">0.9999", "<0.0001", "0.0000"]),
        ([1 - 1e-16, 1e-16], ["1.00", "0.00"]),  # what a sum is off by
    ],
)
def test_shares(shares, texts):
    assert share_texts(shares) == texts


def test_a_share_that_is_not_0_reads_as_none():
    """3 rows of 1,000 read as `0 1.00, 1 0.00`."""
    tree = C45Classifier(max_depth=0).fit(np.zeros((1000, 1)), [0] * 997 + [1] * 3).tree_
    assert tree.to_text() == "0 (n = 1000: 0 0.997, 1 0.003)\n"
    assert tree.rules(as_text=True) == "IF true THEN 0 (n = 1000, share 0.997)\n"
    assert "0 0.997, 1 0.003" in tree.to_dot()


@pytest.mark.parametrize("character", ["\n", "\r", "\t", "\v", "\x85", "\u2028", "\u2029"])
def test_a_break_in_a_name_does_not_split_a_test(character):
    """Names of columns, categories and classes, and units, came with their line breaks."""
    name = f"a{character}b"
    frame = pd.DataFrame({name: [1.0, 2.0] * 8, f"v{character}": pd.Categorical(["p", "q"] * 8)})
    other = pd.Categorical([f"p{character}", "q"] * 8)
    for table in (frame[[name]], frame[[f"v{character}"]], pd.DataFrame({"v": other})):
        model = C45Classifier().fit(table, [f"no{character}", f"yes{character}"] * 8)
        tree = model.tree_
        units = {0: f"m{character}"} if not tree.is_categorical().any() else None
        assert len(tree.to_text(units=units).splitlines()) == 2
        assert len(tree.rules(as_text=True, units=units).splitlines()) == 2
        assert len(tree.to_dot(units=units).splitlines()) == 9
        texts = [tree.to_text(units=units), *tree.rules()["rule"], tree.to_dot(units=units)]
        assert all(character not in text.replace("\n", "") for text in texts[:-1])
        plain = C45Classifier().fit(table.set_axis(["a"], axis=1), [f"no{character}", "yes"] * 8)
        lines = [
            str(each.explain(table.iloc[:1].set_axis(each.feature_names_in_, axis=1))[0])
            for each in (model, plain)
        ]
        assert len(lines[0].splitlines()) == len(lines[1].splitlines()) == 6


def test_a_break_in_a_name_does_not_split_a_drawing():
    """matplotlib drew the rest of a name on a line of its own, over what stood there."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    table = pd.DataFrame({"dose\nmg": [1.0, 2.0] * 8})
    ax = C45Classifier().fit(table, ["no\n", "yes"] * 8).tree_.plot()
    texts = [text.get_text() for text in ax.texts]
    assert "dose\\nmg < 2" in texts and not any("\n" in text for text in texts)
    pyplot.close("all")
