"""Drawings with a highlighted way, rows at tests, units, growth to the right; SVG and HTML."""

import base64
import re
import sys
from xml.etree import ElementTree

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from drawing.apart import assert_apart, branches, frames, said
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Rectangle
from scipy import stats

from hedgerow import C45Classifier, ProbabilisticThresholdClassifier, SoftTreeClassifier
from hedgerow.drawing import tree_to_html, tree_to_svg
from hedgerow.drawing.node_rows import N_BARS, NodeRows, gate_bands
from hedgerow.drawing.path import decision_path_of
from hedgerow.errors import InputError
from hedgerow.tree import CategoryGate, NoiseGate, Tree
from hedgerow.tree.statistics import table_of
from hedgerow.uncertainty import RelativeNoise

RNG = np.random.default_rng(0)
N = 400
NAMES = ["glucose", "a rather_long-winded name of a measurement", "ward", "pressure"]
WARDS = ["red", "green", "blue", "intensive care of the newly born", "violet"]
X = pd.DataFrame(RNG.normal(100, 30, (N, 4)), columns=NAMES)
X["ward"] = pd.Categorical(RNG.choice(WARDS, N), categories=WARDS)
Y = np.array(["healthy", "ill", "of unknown state"])[
    (X["glucose"].to_numpy() > 110).astype(int)
    + ((X["pressure"] > 100) & X["ward"].isin(["red", "violet"])).to_numpy()
]
Y = np.where(RNG.random(N) < 0.15, "ill", Y)
X.loc[::17, "glucose"] = np.nan


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def mixed():
    """A tree of some 20 leaves, on numbers and categories, grown from rows with gaps."""
    return C45Classifier(prune=False, min_samples_leaf=8).fit(X, Y).tree_


@pytest.fixture(scope="module")
def soft():
    return SoftTreeClassifier(propagation=0.1, evaluation=0.1, max_depth=3).fit(X, Y).tree_


EVERYTHING = {
    "plain": {},
    "units": {"units": {"glucose": "mg/dl", "pressure": "mmHg"}},
    "names": {"class_names": ["no sickness at all", "b", "c"], "feature_names": list("abcd")},
    "shares": {"shares": True, "weights": True},
    "path": {"path": X.iloc[3]},
    "missing": {"path": X.iloc[0]},
    "rows": {"X": X, "y": Y},
    "rows and path": {"X": X, "y": Y, "path": X.iloc[0], "units": {0: "mg/dl"}},
    "cut": {"path": X.iloc[3], "path_only": True, "X": X, "y": Y},
    "two levels": {"path": X.iloc[3], "max_depth": 2, "shares": True},
}


@pytest.mark.parametrize("orientation", ["down", "right"])
@pytest.mark.parametrize("options", EVERYTHING.values(), ids=list(EVERYTHING))
def test_nothing_overlaps(mixed, soft, orientation, options):
    for tree in (mixed, soft):
        assert_apart(tree.plot(orientation=orientation, **options))


@pytest.mark.parametrize("orientation", ["down", "right"])
def test_forty_leaves_are_apart(orientation):
    tree = C45Classifier(prune=False, min_samples_leaf=3).fit(X, Y).tree_
    assert tree.n_leaves >= 40
    assert_apart(tree.plot(orientation=orientation, X=X, y=Y, path=X.iloc[5]))


def small():
    """glucose < 127, then pressure < 80."""
    return Tree(
        [0, -1, 1, -1, -1], [127.0, np.nan, 80.0, np.nan, np.nan], [1, -1, 3, -1, -1],
        [2, -1, 4, -1, -1], [-1, 0, 0, 2, 2], [0.5, np.nan, 0.5, np.nan, np.nan],
        [[5, 5], [5, 0], [0, 5], [0, 2], [0, 3]], classes=["a", "b"],
        feature_names=["glucose", "pressure"],
    )  # fmt: skip


def test_a_row_tells_its_value_and_where_it_goes():
    ax = small().plot(path=[127.0, 79.5], units={"glucose": "mg/dl"})
    assert "glucose < 127 mg/dl" in said(ax) and "glucose 127 mg/dl: no" in said(ax)
    assert "pressure 79.5: yes" in said(ax)
    assert "strong: the way of the row" in said(ax)


def test_a_row_and_a_node_mark_the_same_way():
    by_row, by_node = decision_path_of(small(), [200.0, 50.0]), decision_path_of(small(), 3)
    np.testing.assert_array_equal(by_row.share, [1, 0, 1, 1, 0])
    np.testing.assert_array_equal(by_node.share, by_row.share)
    words = said(small().plot(path=np.int64(3)))
    assert "strong: the way to the node" in words and not any(w.endswith(": no") for w in words)


def test_a_series_is_read_by_its_names():
    """A row that names its variables in another order went the way of other values."""
    row = pd.Series({"pressure": 50.0, "glucose": 200.0})
    np.testing.assert_array_equal(decision_path_of(small(), row).row, [200.0, 50.0])


def test_a_value_is_told_from_a_threshold_that_rounds_to_it():
    """Of a row with 126.99996 the drawing said "glucose < 127" and "127: yes"."""
    words = said(small().plot(path=[126.99996, 0.0]))
    assert "glucose 126.99996: yes" in words and "glucose < 127" in words


def test_the_way_is_strong_in_grey():
    """Without colour: dark and wide against light and thin, frames and branches both."""
    ax = small().plot(path=[200.0, 50.0])
    grey = [np.dot(to_rgb(box.get_edgecolor()), (0.299, 0.587, 0.114)) for box in frames(ax)]
    wide = [box.get_linewidth() for box in frames(ax)]
    on = np.array([1, 0, 1, 1, 0], dtype=bool)
    assert np.max(np.array(grey)[on]) < 0.1 and np.min(np.array(grey)[~on]) > 0.4
    assert np.min(np.array(wide)[on]) > np.max(np.array(wide)[~on])
    drawn = branches(ax)  # yes and no of the root, yes and no of the other test
    dark = [float(np.mean(to_rgb(line.get_color()))) for line in drawn]
    assert max(dark[1], dark[2]) < 0.2 and min(dark[0], dark[3]) > 0.7
    pale = {text.get_color() for text in ax.texts if text.get_text().startswith("n = 5, ")}
    assert pale == {"0.46"}


def test_branches_are_as_wide_as_the_share_of_the_row(soft):
    row = X.iloc[1].copy()
    root = int(soft.feature[0])
    row.iloc[root] = soft.threshold[0] - 0.4 * soft.gate.sigma[root]
    share = decision_path_of(soft, row).share
    left, right = (share[child[0]] for child in (soft.children_left, soft.children_right))
    assert 0.1 < right < left
    ax = soft.plot(path=row)
    widths = [line.get_linewidth() for line in branches(ax)[:2]]
    assert (widths[0] - 0.9) / (widths[1] - 0.9) == pytest.approx(left / right)
    assert any(w.endswith(f": yes {100 * left:.0f} %") for w in said(ax))
    assert any("as wide as its share" in w for w in said(ax))
    ends = np.flatnonzero(soft.is_leaf() & (share >= 0.005))
    assert sum(w.startswith("row: ") for w in said(ax)) == len(ends) > 1


def test_a_missing_value_says_so():
    ax = small().plot(path=[np.nan, 50.0])
    assert any(w.endswith("missing: yes 50 %") for w in said(ax))


def test_categories_of_a_row_are_named(mixed):
    node = int(np.flatnonzero(mixed.is_categorical())[0])
    reach = mixed.shares(table_of(mixed, X))[:, [node]].toarray()[:, 0]
    short = X["ward"].isin(["red", "green", "blue", "violet"]).to_numpy()
    row = X.iloc[int(np.flatnonzero((reach == 1.0) & short)[0])]
    goes = "yes" if mixed.categories_left[node][WARDS.index(row["ward"])] else "no"
    ax = mixed.plot(path=row, orientation="right")
    assert f"ward {row['ward']}: {goes}" in said(ax)


def test_the_way_alone_is_drawn_where_it_is_asked_for():
    tree = C45Classifier(prune=False, min_samples_leaf=3).fit(X, Y).tree_
    way = decision_path_of(tree, X.iloc[5])
    ax = tree.plot(path=X.iloc[5], path_only=True)
    inner = [node for node in np.flatnonzero(~tree.is_leaf()) if way.through(node)]
    assert len(frames(ax)) == 2 * len(inner) + 1
    hidden = [int(w.split()[0]) for w in said(ax) if w.endswith("leaves below")]
    shown = sum(1 for box in frames(ax) if box.get_linestyle() == "-") - len(inner)
    assert sum(hidden) + shown == tree.n_leaves


def test_bars_count_the_rows_that_reach_a_test(mixed):
    """Against a count by hand: each side of the threshold, by class, of known values."""
    reached = NodeRows(mixed, X, Y)
    rows, codes = reached.table, reached.codes
    shares = mixed.shares(rows).toarray()
    for node in np.flatnonzero(~mixed.is_leaf()):
        x = rows[:, mixed.feature[node]]
        bars = reached.bars(mixed, node, None)
        height = bars.height
        assert height.sum(axis=1).max() == pytest.approx(1.0)
        if np.isnan(mixed.threshold[node]):
            known = ~np.isnan(x)
            left = np.zeros(len(x), dtype=bool)
            left[known] = mixed.categories_left[node][x[known].astype(int)]
        else:
            known, left = ~np.isnan(x), x < mixed.threshold[node]
        before = bars.right <= bars.line + 1e-9
        total = shares[known, node].sum()
        for side, part in ((left, before), (~left, ~before)):
            for c in range(3):
                weight = shares[known & side & (codes == c), node].sum()
                drawn = height[part, c].sum() / height.sum() * total
                assert drawn == pytest.approx(weight), (node, c)


def test_no_bar_lies_on_both_sides_of_a_threshold():
    """Also of values a bit apart, of very large ones, and where all are the same."""
    for low, high in ((0.0, 1.0), (1.0, np.nextafter(1.0, 2.0)), (-1e308, 1e308), (5.0, 5.0)):
        tree = Tree(
            [0, -1, -1], [high, np.nan, np.nan], [1, -1, -1], [2, -1, -1], [-1, 0, 0],
            [0.5, np.nan, np.nan], [[1, 1], [1, 0], [0, 1]],
        )  # fmt: skip
        values = np.array([[low], [high], [high]])
        bars = NodeRows(tree, values, [0, 1, 1]).bars(tree, 0, None)
        before = bars.right <= bars.line + 1e-9
        scaled = bars.height / bars.height.sum() * 3
        assert scaled[before].sum() == pytest.approx(1.0 if low < high else 0.0)
        assert len(bars.left) <= N_BARS + 2
        assert np.all((bars.left > -1e-9) & (bars.right < 1 + 1e-9))
        ax = tree.plot(X=values, y=[0, 1, 1], path=[low])
        ax.figure.canvas.draw()


def test_gates_are_as_wide_as_their_errors():
    hard = small()
    sigma = np.array([10.0, 0.0])
    normal = hard.replace(gate=NoiseGate(sigma))
    assert gate_bands(hard, 0) == [] and gate_bands(normal, 2) == []
    assert gate_bands(normal, 0) == [(107.0, 147.0), (117.0, 137.0)]
    narrow = hard.replace(gate=NoiseGate(sigma, window=3.0))
    assert gate_bands(narrow, 0)[0] == (112.0, 142.0)  # nothing is divided beyond the window
    shifted = stats.norm(loc=5.0, scale=10.0)
    moved = hard.replace(gate=NoiseGate(sigma, models={0: shifted}))
    assert gate_bands(moved, 0)[1] == pytest.approx((112.0, 132.0))
    relative = hard.replace(
        gate=NoiseGate(np.array([0.1, 0.0]), models={0: RelativeNoise(stats.norm(scale=0.1))})
    )
    low, high = gate_bands(relative, 0)[1]
    assert (low, high) == pytest.approx((127 / 1.1, 127 / 0.9))
    # By the gate itself: a value at one standard deviation is divided as its law says.
    share = relative.gate.share(0, 127.0, np.array([low, high]))
    np.testing.assert_allclose(share, stats.norm.cdf([1.0, -1.0]))


def test_bounds_of_piecewise_thresholds_are_shaded():
    model = ProbabilisticThresholdClassifier(max_depth=2).fit(X[["glucose", "pressure"]], Y)
    tree = model.tree_
    node = int(np.flatnonzero(tree.gate.lower < tree.gate.upper)[0])
    assert gate_bands(tree, node) == [(tree.gate.lower[node], tree.gate.upper[node])]
    ax = tree.plot(X=X[["glucose", "pressure"]], y=Y)
    assert "shaded: between its bounds" in said(ax)


def test_the_row_is_marked_among_the_bars():
    rows = np.array([[100.0, 60.0], [150.0, 70.0], [200.0, 90.0], [110.0, 80.0]])
    ax = small().plot(X=rows, y=["a", "b", "b", "a"], path=[150.0, 70.0])
    marks = [p for p in ax.patches if isinstance(p, Polygon)]
    assert len(marks) == 2
    x, axis = marks[0].get_xy()[0, 0], next(line for line in ax.lines if len(line.get_xdata()) == 2)
    left, right = axis.get_xdata()
    assert (x - left) / (right - left) == pytest.approx(0.5, abs=1 / N_BARS)
    without = small().plot(X=rows, y=["a", "b", "b", "a"], path=4)
    assert not any(isinstance(p, Polygon) for p in without.patches)


def test_a_test_that_no_row_reaches_is_drawn():
    assert_apart(small().plot(X=[[1.0, 1.0]], y=["a"]))
    assert_apart(small().plot(X=[[np.nan, np.nan]], y=["a"], orientation="right"))


def test_to_the_right_yes_is_above_no_and_the_root_at_the_left():
    ax = small().plot(orientation="right")
    yes, no = (next(t for t in ax.texts if t.get_text() == word) for word in ("yes", "no"))
    assert yes.get_position()[1] > no.get_position()[1]
    boxes = frames(ax)
    assert boxes[0].get_x() == min(box.get_x() for box in boxes)
    assert boxes[0].get_x() + boxes[0].get_width() < boxes[1].get_x()
    assert boxes[1].get_x() == pytest.approx(boxes[2].get_x())


def test_names_are_those_that_are_given():
    ax = small().plot(
        class_names=["well", "sick"],
        feature_names=["sugar", "p"],
        class_colors={"a": "r", "sick": "b"},
    )
    assert "sugar < 127" in said(ax) and "well" in said(ax)
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["well", "sick"]
    # Labels of y stay those of the tree.
    small().plot(X=[[1.0, 2.0]], y=["a"], class_names=["well", "sick"])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"path": [1.0]}, "path has 1 values in a row and the tree reads 2; give the variables"),
        ({"path": [1.0] * 3}, "path has 3 values in a row and the tree reads 2; give the"),
        ({"path": [[1.0, 2.0], [3.0, 4.0]]}, "path has shape (2, 2); give one row"),
        ({"path": ["x", "y"]}, "path holds something that is no real number; give numbers"),
        ({"path": 2.5}, "path is 2.5; give one row"),
        ({"path": True}, "path is True; give one row"),
        ({"path": "3"}, "path is '3'; give one row"),
        ({"path": 5}, "path is node 5, which the tree does not have; give the number of a node"),
        ({"path": -1}, "path is node -1, which the tree does not have; give"),
        ({"path_only": True}, "path_only is True without a path; give `path`"),
        ({"X": [[1.0, 2.0]]}, "X is given without y; give both"),
        ({"y": ["a"]}, "y is given without X; give both"),
        ({"X": [[1.0, 2.0]], "y": ["a", "b"]}, "y has 2 entries for 1 rows; give one per row"),
        ({"X": [[1.0]], "y": ["a"]}, "X has 1 values in a row and the tree reads 2; give"),
        ({"X": [1.0, 2.0], "y": ["a"]}, "X has 1 dimensions; give one row per instance"),
        ({"X": [[np.inf, 2.0]], "y": ["a"]}, "X holds infinite values; make them missing"),
        ({"path": [np.inf, 2.0]}, "path holds infinite values; make them missing"),
        ({"X": [[1.0, 2.0]], "y": ["c"]}, "y holds the class 'c', which the tree does not know"),
        ({"orientation": "up"}, "orientation is 'up'; choose one of 'down', 'right'"),
        ({"units": {"weight": "kg"}}, "units names 'weight', which is no variable of the tree"),
        ({"class_names": ["a"]}, "class_names holds 1 names for 2 classes; give"),
        ({"feature_names": ["a"]}, "feature_names holds 1 names for 2 variables; give"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_is_told_in_one_sentence(options, sentence):
    with pytest.raises(InputError, match="^" + re.escape(sentence)) as error:
        small().plot(**options)
    assert "\n" not in str(error.value)
    assert not plt.get_fignums()


def test_a_figure_becomes_as_large_as_the_tree():
    figure = Figure()
    ax = small().plot(ax=figure)
    assert ax.figure is figure and not plt.get_fignums()
    np.testing.assert_allclose(figure.get_size_inches(), small().plot().figure.get_size_inches())


SVG = "{http://www.w3.org/2000/svg}"


def test_svg_is_the_same_at_each_call_and_leaves_nothing_open(mixed):
    before = dict(matplotlib.rcParams)
    first = tree_to_svg(mixed, X=X, y=Y, path=X.iloc[3])
    assert first == mixed.to_svg(X=X, y=Y, path=X.iloc[3])
    assert not plt.get_fignums() and dict(matplotlib.rcParams) == before
    assert first.startswith("<svg") and "date" not in first and "atplotlib" not in first
    assert first != tree_to_svg(mixed)


def test_svg_says_what_it_shows():
    tree = small().replace(classes=["<a> & b", 'c"'], feature_names=["x<y&z", "do\x07se"])
    root = ElementTree.fromstring(tree_to_svg(tree, units={0: "mg/<l>"}))
    assert root.get("role") == "img"
    title, desc = root[0], root[1]
    assert title.tag == SVG + "title" and desc.tag == SVG + "desc"
    assert title.text == "Decision tree of 3 leaves, which tests x<y&z, do\\x07se"
    assert desc.text == tree.to_text(units={0: "mg/<l>"})
    assert not list(root.iter(SVG + "text"))  # outlines: they look the same without the font
    one = ElementTree.fromstring(tree_to_svg(small(), class_names=["well", "sick"]))
    assert "well" in one[1].text


def test_html_shows_the_drawing_and_its_rules():
    tree = small().replace(classes=["</pre><script>alert(1)</script>", "b"])
    page = tree._repr_html_()
    assert page == tree_to_html(tree)
    assert "<script" not in page and "&lt;script&gt;" in page
    tags = set(re.findall(r"</?([a-z]+)", page))
    assert tags == {"img", "details", "summary", "pre"}
    data = re.search(r'src="data:image/svg\+xml;base64,([^"]+)"', page)[1]
    assert base64.b64decode(data).decode() == tree_to_svg(tree)
    assert 'alt="Decision tree of 3 leaves, which tests glucose, pressure"' in page


def test_html_of_a_large_tree_is_cut():
    rng = np.random.default_rng(1)
    tree = C45Classifier(prune=False, min_samples_split=2)
    tree = tree.fit(rng.normal(size=(3000, 3)), rng.integers(0, 2, 3000)).tree_
    assert tree.n_leaves > 400
    page = tree_to_html(tree)
    assert re.search(r"and \d+ lines more", page)
    assert len(page) < 3e6


def test_html_without_matplotlib_is_the_rules(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    tree = small().replace(classes=["<a>", "b"])
    assert tree._repr_html_() == (
        "<pre>"
        + tree.to_text().replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
        + "</pre>"
    )


def test_categories_that_go_left_come_first():
    tree = Tree(
        [0, -1, -1], [np.nan] * 3, [1, -1, -1], [2, -1, -1], [-1, 0, 0], [0.5, np.nan, np.nan],
        [[2, 2], [2, 0], [0, 2]], [[0, 1, 1], [0, 0, 0], [0, 0, 0]],
        categories={0: ["a", "b", "c"]}, gate=CategoryGate({0: np.full((3, 3), 1 / 3)}),
    )  # fmt: skip
    hard = tree.replace(gate=None)
    bars = NodeRows(hard, [[0.0], [1.0], [2.0], [np.nan]], [0, 1, 1, 0]).bars(
        hard, 0, decision_path_of(hard, [0.0])
    )
    assert bars.names == ["b", "c", "a"]
    assert bars.right[1] < bars.line < bars.left[2] and bars.left[2] < bars.mark < bars.right[2]
    assert_apart(tree.plot(X=[[0.0], [1.0]], y=[0, 1], path=[1.0]))


@pytest.mark.parametrize("share_left", [0.4, 0.6])
def test_a_category_never_seen_is_among_those_with_which_it_goes(share_left):
    """The bar of such a category stood at the right, and its rows went left."""
    tree = Tree(
        [0, -1, -1], [np.nan] * 3, [1, -1, -1], [2, -1, -1], [-1, 0, 0],
        [share_left, np.nan, np.nan], [[2, 2], [2, 0], [0, 2]], [[0, 1], [0, 0], [0, 0]],
        categories={0: ["a", "b"]},
    )  # fmt: skip
    for value in (2.0, -1.0, 1e300):
        way = decision_path_of(tree, [value])
        bars = NodeRows(tree, [[0.0], [1.0], [value]], [0, 1, 1]).bars(tree, 0, way)
        assert "unknown" in bars.names
        assert (bars.mark < bars.line) == (way.share[1] == 1.0) == (share_left > 0.5)
        ax = tree.plot(X=[[0.0]], y=[0], path=[value])
        assert any(w.startswith("unknown: ") or " unknown: " in w for w in said(ax))


def test_thin_bars_show_the_shares_of_a_test_and_branches_its_weight():
    ax = small().plot(shares=True, weights=True)
    parts = [p for p in ax.patches if type(p) is Rectangle]
    root = boxed(frames(ax)[0], parts)
    assert len(root) == 2 and root[0].get_width() == pytest.approx(root[1].get_width())
    assert len(boxed(frames(ax)[2], parts)) == 1  # both tests have a bar, the second of one class
    by_weight = sorted(line.get_linewidth() for line in branches(ax))
    assert np.diff(by_weight)[-1] == pytest.approx(0)  # 5 of 10 each below the root
    assert (by_weight[2] - 0.5) / (by_weight[1] - 0.5) == pytest.approx(5 / 3)
    plain = [p for p in small().plot().patches if type(p) is Rectangle]
    assert len(parts) == len(plain) + 3


def boxed(frame, parts):
    """Those that lie in a frame."""
    x, y = frame.get_x(), frame.get_y()
    return [
        p
        for p in parts
        if x < p.get_x() < x + frame.get_width() and y < p.get_y() < y + frame.get_height()
    ]
