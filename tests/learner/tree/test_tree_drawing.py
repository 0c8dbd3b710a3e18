"""The drawing: what it says, and that nothing lies over anything else."""

import unicodedata
from xml.etree import ElementTree

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from drawing.apart import assert_apart, frames
from drawing.apart import said as said_by
from matplotlib.patches import Rectangle
from scipy import stats

from hedgerow import C45Classifier
from hedgerow.drawing import plot_forest, words
from hedgerow.drawing import tree as drawing
from hedgerow.errors import InputError
from hedgerow.tree import CategoryGate, CategoryNoise, NoiseGate, ThresholdGate, Tree
from hedgerow.tree.gates import GATES as every_gate


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


def wide_tree(n_classes=10, n=400, seed=0, **settings):
    rng = np.random.default_rng(seed)
    X = rng.normal(10, 3, (n, 5))
    y = (X[:, 0] + X[:, 1] * (X[:, 2] > 10) + rng.normal(0, 1, n)).astype(int) % n_classes
    names = [f"a rather_long-winded name of the measurement number {j}" for j in range(5)]
    frame = pd.DataFrame(X, columns=names)
    labels = np.array([f"diagnosis {c} of many others" for c in range(n_classes)])
    return C45Classifier(prune=False, **settings).fit(frame, labels[y]).tree_


def test_a_small_tree_says_variable_threshold_n_class_and_shares():
    X = pd.DataFrame({"age": [40.0, 50.0, 60.0, 70.0, 80.0]})
    tree = C45Classifier(prune=False, max_depth=1).fit(X, ["ok", "ok", "ill", "ill", "ok"]).tree_
    ax = tree.plot()
    said = said_by(ax)
    assert "age < 60" in said
    assert "n = 5" in said
    assert "yes" in said and "no" in said
    assert "n = 2, 100 %" in said and "n = 3, 67 %" in said
    assert [t.get_text() for t in ax.get_legend().get_texts()] == ["ill", "ok"]
    yes = next(text for text in ax.texts if text.get_text() == "yes")
    no = next(text for text in ax.texts if text.get_text() == "no")
    assert yes.get_position()[0] < no.get_position()[0]
    bars = [p for p in ax.patches if type(p) is Rectangle]
    assert len(bars) == 3  # a pure leaf has one part, the mixed one two
    parts = sorted(bar.get_width() for bar in bars)
    assert parts[1] / parts[2] == pytest.approx(2 / 3)
    assert_apart(ax)


@pytest.mark.parametrize("leaves", [2, 9, 30, 60])
def test_nothing_overlaps(leaves):
    """Long names, ten classes, up to 60 leaves."""
    tree = wide_tree(min_samples_leaf={2: 180, 9: 30, 30: 6, 60: 1}[leaves])
    assert leaves / 2 <= tree.n_leaves
    ax = tree.plot()
    assert_apart(ax)
    # Leaves of one level stand apart by a tenth of a column, and all side by side would fit.
    white = [box for box in frames(ax) if box.get_facecolor()[:3] == (1.0, 1.0, 1.0)]
    column = white[0].get_width() / 0.9
    for top in {round(f.get_y() + f.get_height(), 6) for f in white}:
        level = sorted(f.get_x() for f in white if round(f.get_y() + f.get_height(), 6) == top)
        assert np.all(np.diff(level) >= column - 1e-6)
    assert max(f.get_x() for f in white) - min(f.get_x() for f in white) <= len(white) * column


def test_a_leaf_high_up_takes_no_column():
    """Every leaf had a column, down to the foot: 13 leaves of figure 6.1 made words of 4 pixels."""
    X = pd.DataFrame({"x": np.arange(12.0)})
    comb = C45Classifier(prune=False, min_samples_leaf=1).fit(X, np.arange(12) % 2).tree_
    ax = comb.plot()
    assert comb.n_leaves == 10 and comb.depth == 9
    assert_apart(ax)
    widest = max(box.get_width() for box in frames(ax))
    levels = [round(box.get_y() + box.get_height(), 6) for box in frames(ax)]
    most = max(levels.count(level) for level in levels)
    assert most == 2 and np.ptp(ax.get_xlim()) < 6.0 * widest


def test_classes_differ_without_colour():
    """In grey, any two classes differ by lightness or hatch."""
    tree = wide_tree()
    ax = tree.plot()
    looks = []
    for handle in ax.get_legend().legend_handles:
        r, g, b, _ = handle.get_facecolor()
        looks.append((0.299 * r + 0.587 * g + 0.114 * b, handle.get_hatch() or ""))
    for i, (grey, hatch) in enumerate(looks):
        for other_grey, other_hatch in looks[:i]:
            assert hatch != other_hatch or abs(grey - other_grey) > 0.2


def test_categories_are_worded_by_the_shorter_side():
    X = pd.DataFrame({"valve": pd.Categorical(list("abcdefabcdef") * 3)})
    y = [int(v in "abcd") for v in X["valve"]]
    tree = C45Classifier(prune=False).fit(X, y).tree_
    assert any(w in ("valve is e or f", "valve is not e or f") for w in said_by(tree.plot()))


def test_many_categories_are_wrapped_and_elided():
    labels = [f"hospital number {k}" for k in range(40)]
    X = pd.DataFrame({"centre": pd.Categorical(labels * 3, categories=labels)})
    y = np.arange(120) % 40 % 2
    tree = C45Classifier(prune=False).fit(X, y).tree_
    ax = tree.plot()
    assert any(words.ELLIPSIS in w for w in said_by(ax))
    assert_apart(ax)


GATES = {
    "noise": NoiseGate(np.array([0.5, 0.0])),
    "uncertain values": NoiseGate(np.array([0.5, 0.0]), 4.0, conditioned=True),
    "noise model": NoiseGate(np.array([0.5, 0.0]), models={0: stats.laplace(scale=0.5)}),
    "thresholds": ThresholdGate(np.array([1.5, *[np.nan] * 4]), np.array([2.5, *[np.nan] * 4])),
    "one threshold": ThresholdGate(np.array([2.0, *[np.nan] * 4]), np.array([2.0, *[np.nan] * 4])),
    "categories": CategoryGate({1: np.array([[0.9, 0.1], [0.2, 0.8]])}),
    "replacement": CategoryNoise({1: np.array([0.5, 0.5])}, 0.2),
}
HARD = {
    "no noise": NoiseGate(np.zeros(2)),
    "other names": CategoryGate({1: np.array([[0.0, 1.0], [1.0, 0.0]])}),
    "never replaced": CategoryNoise({1: np.array([0.5, 0.5])}, 0.0),
    "no category": CategoryNoise({}, 0.2),
}


def gated_tree(gate):
    """x0 < 2, then the first of two categories of x1."""
    return Tree(
        [0, -1, 1, -1, -1], [2.0, *[np.nan] * 4], [1, -1, 3, -1, -1], [2, -1, 4, -1, -1],
        [-1, 0, 0, 2, 2], [0.5, np.nan, 0.5, np.nan, np.nan],
        [[2, 2], [2, 0], [0, 2], [0, 1], [0, 1]], [[0, 0]] * 2 + [[1, 0]] + [[0, 0]] * 2,
        gate=gate,
    )  # fmt: skip


def test_every_kind_of_gate_is_drawn_here():
    drawn = {type(gate) for gate in GATES.values()}
    assert drawn == set(every_gate.values())
    # Bounds on the threshold itself still divide what lies there.
    assert {type(gate) for gate in HARD.values()} == drawn - {ThresholdGate}


@pytest.mark.parametrize("gate", [*GATES.values(), *HARD.values()], ids=[*GATES, *HARD])
def test_a_tree_is_drawn_with_any_gate(gate):
    """Only `NoiseGate` has a sigma, which the drawing read of all: the others ended in an error."""
    tree = gated_tree(gate)
    soft = any(gate is one for one in GATES.values())
    assert gate.soft == soft
    notes = [w for w in said_by(tree.plot()) if w.startswith("soft")]
    where = "threshold" if isinstance(gate, NoiseGate | ThresholdGate) else "category is uncertain"
    assert len(notes) == soft and all(where in note for note in notes)
    X = np.array([[1.0, 0.0], [1.0, 1.0], [3.0, 0.0], [3.0, 1.0]])
    page = plot_forest([tree] * 3, X, [0, 0, 1, 1], n_clusters=1)
    said = {t.get_text() for t in page.findobj(lambda a: hasattr(a, "get_text"))}
    assert set(notes) <= said


def test_single_leaf_and_single_class():
    ax = C45Classifier().fit([[1.0], [2.0]], ["x", "x"]).tree_.plot()
    assert "x" in said_by(ax) and "n = 2" in said_by(ax)
    assert_apart(ax)


def test_cut_branches_say_what_they_hide():
    tree = wide_tree(min_samples_leaf=6)
    ax = tree.plot(max_depth=2)
    assert len(frames(ax)) <= 7
    hidden = [int(w.split()[0]) for w in said_by(ax) if w.endswith("leaves below")]
    assert sum(hidden) + sum(tree.is_leaf() & (tree.node_depth <= 2)) == tree.n_leaves
    assert_apart(ax)
    assert len(frames(tree.plot(max_depth=0))) == 1
    with pytest.raises(
        InputError, match="max_depth is -1; give a whole number of at least 0, or None"
    ):
        tree.plot(max_depth=-1)


def test_a_tree_too_large_to_read_is_cut_by_itself():
    tree = wide_tree(n=3000, min_samples_split=2)
    assert tree.n_leaves > drawing.LARGEST
    ax = tree.plot()
    assert 30 < len(frames(ax)) <= 2 * drawing.LARGEST
    assert any("lie below what is drawn" in w for w in said_by(ax))


def test_given_axes_are_filled_not_left():
    figure, axes = plt.subplots(1, 2, figsize=(10, 4))
    tree = wide_tree(min_samples_leaf=40)
    assert tree.plot(ax=axes[1]) is axes[1]
    assert plt.get_fignums() == [figure.number]
    assert not axes[0].texts
    figure.canvas.draw()
    place = axes[1].get_window_extent()
    for box in frames(axes[1]):
        extent = box.get_window_extent()
        assert place.x0 - 2 <= extent.x0 and extent.x1 <= place.x1 + 2
        assert place.y0 - 2 <= extent.y0 and extent.y1 <= place.y1 + 2
    assert_apart(axes[1])


def test_colours_of_the_users():
    X, y = [[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"]
    tree = C45Classifier().fit(X, y).tree_
    for colors in (["red", "white"], {"b": "white", "a": "red"}):
        handles = tree.plot(class_colors=colors).get_legend().legend_handles
        assert handles[0].get_facecolor() == (1.0, 0.0, 0.0, 1.0)
    with pytest.raises(InputError, match="class_colors has 1 entries for 2 classes; give one"):
        tree.plot(class_colors=["red"])
    with pytest.raises(InputError, match="class_colors has no colour for class 'b'; give one"):
        tree.plot(class_colors={"a": "red"})


def test_names_are_not_read_as_formulas():
    X = pd.DataFrame({"cost $ of $ care_1": [1.0, 2.0, 3.0, 4.0]})
    ax = C45Classifier().fit(X, ["$x", "$x", "b_1^2$", "b_1^2$"]).tree_.plot()
    ax.figure.canvas.draw()
    assert any("$ of $" in w for w in said_by(ax))


def test_fontsize_makes_the_figure_larger():
    tree = wide_tree(min_samples_leaf=40)
    small, large = tree.plot().figure, tree.plot(fontsize=16).figure
    np.testing.assert_allclose(large.get_size_inches(), 2 * small.get_size_inches(), rtol=0.05)
    assert_apart(tree.plot(fontsize=16))


def test_shorten_and_wrap_keep_to_the_width():
    text = "left ventricular ejection_fraction at discharge"
    for width in (0.3, 0.8, 1.5):
        for line in words.wrap(text, width, 8.0, 2):
            assert words.text_width(line, 8.0) <= max(width, words.text_width("l…", 8.0))
        assert len(words.wrap(text, width, 8.0, 2)) <= 2
    assert words.wrap(text, 10.0, 8.0, 2) == [text]
    assert words.percent(0.999) == "99 %" and words.percent(0.001) == "1 %"


def test_names_that_cannot_be_shown(tmp_path):
    """Control characters made a picture no XML, and half of a surrogate pair stopped it."""
    X = pd.DataFrame(
        {"do\x07se": [1.0, 2, 3, 4] * 5, "ki\ud800nd": pd.Categorical(["a\x1b"] * 10 + ["b"] * 10)}
    )
    y = np.where(X.iloc[:, 0] < 3, "lo\x00w", np.where(X.iloc[:, 1] == "b", "hi\udfffgh", "\x9bno"))
    tree = C45Classifier(prune=False).fit(X, y).tree_
    ax = tree.plot()
    ax.figure.savefig(tmp_path / "tree.svg")
    parsed = ElementTree.parse(tmp_path / "tree.svg")
    assert parsed.getroot().tag.endswith("svg")
    shown = " ".join(said_by(ax)) + tree.to_text() + tree.to_dot()
    assert not any(unicodedata.category(c) in ("Cc", "Cs") for c in shown.replace("\n", ""))
    for name in ("do\\x07se", "ki\\ud800nd", "a\\x1b", "lo\\x00w", "hi\\udfffgh", "\\x9bno"):
        assert name in tree.to_text()
    again = Tree.from_json(tree.to_json())
    assert again.feature_names == list(X.columns) and again.classes == tree.classes
