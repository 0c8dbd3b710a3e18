"""Curves and the sheet: what they say, and that nothing lies over anything else."""

from __future__ import annotations

import matplotlib

matplotlib.use("Agg")

import io

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest
from lifelines.datasets import load_gbsg2
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.patches import FancyBboxPatch

from hedgerow.drawing.curves import MOST_MARKS, MOST_STEPS, _apart
from hedgerow.drawing.survival import guideline_page, plot_curves
from hedgerow.errors import InputError
from hedgerow.survival import leaf_numbers, risk_groups, thesis_tree
from hedgerow.survival.estimates import Steps

NAMES = {"pnodes": "Positive nodes", "age": "Age", "progrec": "Progesterone receptor"}
UNITS = {"age": "years", "progrec": "fmol/l"}


@pytest.fixture(autouse=True)
def closed():
    yield
    plt.close("all")


@pytest.fixture(scope="module")
def cancer():
    table = load_gbsg2()
    X = table[["age", "pnodes", "progrec", "tsize"]].astype(float)
    X["menopause"] = table["menostat"].astype("category")
    return X, table["time"].to_numpy(float) / 365.25, table["cens"].to_numpy(int)


def grown(cancer, **settings):
    groups = risk_groups(*cancer, horizon=3, estimator=thesis_tree(**settings), random_state=0)
    return groups.estimator


def sheet(cancer, tree, **more):
    given = {"horizon": 3, "title": "Breast cancer", "names": NAMES, "units": UNITS}
    return guideline_page(tree, *cancer, **{**given, **more})


def words_of(figure) -> list[str]:
    return [t.get_text() for t in figure.findobj(matplotlib.text.Text) if t.get_text()]


def drawn_words(figure):
    """Words and their places, those that stand nowhere left out."""
    canvas = FigureCanvasAgg(figure)
    canvas.draw()
    renderer = canvas.get_renderer()
    for text in figure.findobj(matplotlib.text.Text):
        if text.get_text().strip() and text.get_visible():
            yield text.get_text(), text.get_window_extent(renderer)


def assert_nothing_overlaps(figure):
    found = [(w, e) for w, e in drawn_words(figure) if e.width > 1]
    for i, (word, a) in enumerate(found):
        for other, b in found[:i]:
            apart = a.x1 <= b.x0 + 1 or b.x1 <= a.x0 + 1 or a.y1 <= b.y0 + 2 or b.y1 <= a.y0 + 2
            assert apart, f"{word!r} lies over {other!r}"
    for word, extent in found:
        assert extent.x0 >= -1 and extent.x1 <= figure.bbox.width + 1, word
        assert extent.y0 >= -1 and extent.y1 <= figure.bbox.height + 1, word


def curve_of(time, died, when):
    """Kaplan-Meier at a time, as the product over the events until then."""
    share = 1.0
    for t in sorted(set(time[died & (time <= when)])):
        share *= 1.0 - (died & (time == t)).sum() / (time >= t).sum()
    return share


def test_curves_are_those_of_the_product_formula(cancer):
    _, time, event = cancer
    groups = np.where(cancer[0]["pnodes"] < 4, "few", "many")
    _, axes = plt.subplots()
    table = plot_curves(axes, time, event, groups, unit="years", at_risk=True, marks=False)
    lines = [line for line in axes.lines if line.get_drawstyle() == "steps-post"]
    assert len(lines) == 2
    for group, line in zip(["few", "many"], lines, strict=True):
        own = groups == group
        x, y = line.get_data()
        for when in (0.4, 1.7, 3.3):
            drawn = y[np.searchsorted(x, when, side="right") - 1]
            assert drawn == pytest.approx(curve_of(time[own], event[own] == 1, when), abs=1e-12)
    for tick in table.columns:
        assert table.loc["few", tick] == ((groups == "few") & (time >= tick)).sum()
    words = [t.get_text() for t in axes.texts]
    assert "few" in words and "many" in words and "at risk" in words
    assert str(table.loc["many"].iloc[0]) in words


def test_many_curves_do_not_overlap_their_words(cancer):
    _, time, event = cancer
    groups = np.random.default_rng(0).integers(0, 8, len(time))
    figure, axes = plt.subplots(figsize=(6.9, 4.6), layout="constrained")
    plot_curves(axes, time, event, groups, unit="years", labels={k: f"Group {k}" for k in range(8)})
    assert_nothing_overlaps(figure)


def test_names_at_the_ends_keep_their_order_and_distance():
    rng = np.random.default_rng(3)
    for _ in range(50):
        wanted = rng.random(rng.integers(1, 9))
        found = _apart(wanted, 0.06)
        order = np.argsort(wanted, kind="stable")
        assert (np.diff(found[order]) >= 0.06 - 1e-9).all()
        assert found.mean() == pytest.approx(wanted.mean())
    np.testing.assert_allclose(_apart(np.array([0.1, 0.9]), 0.06), [0.1, 0.9])


def test_groups_differ_in_grey(cancer):
    """By the line, where lightness is alike."""
    _, time, event = cancer
    _, axes = plt.subplots()
    plot_curves(axes, time, event, np.arange(len(time)) % 8, marks=False, intervals=False)
    lines = [line for line in axes.lines if line.get_drawstyle() == "steps-post"]
    looks = []
    for line in lines:
        grey = float(np.array(matplotlib.colors.to_rgb(line.get_color())) @ (0.299, 0.587, 0.114))
        looks.append((grey, line._unscaled_dash_pattern))
    for i, (grey, dashes) in enumerate(looks):
        for other, others in looks[:i]:
            assert dashes != others or abs(grey - other) > 0.15


def test_a_large_group_is_drawn_on_a_grid():
    rng = np.random.default_rng(0)
    time, event = rng.exponential(5, 20_000), rng.integers(0, 2, 20_000)
    _, axes = plt.subplots()
    plot_curves(axes, time, event, np.zeros(20_000, int), end=6.0)
    curve = next(line for line in axes.lines if line.get_drawstyle() == "steps-post")
    x, y = curve.get_data()
    assert len(x) == MOST_STEPS
    place = 250
    assert y[place] == pytest.approx(curve_of(time[:], event == 1, x[place]), abs=1e-9)
    marks = next(line for line in axes.lines if line.get_marker() == "|")
    assert len(marks.get_xdata()) <= MOST_MARKS


def test_few_patients_are_not_shown():
    time = np.array([1.0, 2, 3, 4, 5, 6, 7, 8, 1, 2, 3, 9, 9, 9, 9, 9])
    event = np.array([1, 1, 1, 1, 1, 0, 0, 0, 1, 1, 1, 0, 0, 0, 0, 0])
    groups = np.array(["a"] * 8 + ["b"] * 8)
    _, axes = plt.subplots()
    plot_curves(axes, time, event, groups, least=5, marks=False, intervals=False)
    words = [t.get_text() for t in axes.texts]
    assert "b: fewer than 5" in words and "<5" in words
    assert not {"1", "2", "3", "4"} & set(words)
    lines = [line for line in axes.lines if line.get_drawstyle() == "steps-post"]
    assert len(lines) == 1  # of b, with three events, none
    assert lines[0].get_xdata().max() == 4.0  # the fifth last of a


def test_what_cannot_be_drawn(cancer):
    _, time, event = cancer
    _, axes = plt.subplots()
    with pytest.raises(InputError, match="groups has shape"):
        plot_curves(axes, time, event, [1, 2])
    with pytest.raises(InputError, match="nobody is in group 'c'; leave it out of `order`"):
        plot_curves(axes, time, event, np.full(len(time), "a"), order=["a", "c"])
    with pytest.raises(InputError, match="end is 0"):
        plot_curves(axes, time, event, np.full(len(time), "a"), end=0)


def test_leaves_are_numbered_from_left_to_right(cancer):
    tree = grown(cancer, max_depth=4).tree_
    numbers = leaf_numbers(tree)
    assert list(numbers.values()) == list(range(1, tree.n_leaves + 1))
    assert set(numbers) == set(np.flatnonzero(tree.is_leaf()))
    left, right = int(tree.children_left[0]), int(tree.children_right[0])

    def below(node):
        if tree.feature[node] < 0:
            return [numbers[node]]
        return below(tree.children_left[node]) + below(tree.children_right[node])

    assert max(below(left)) < min(below(right))


@pytest.mark.parametrize("settings", [{"max_depth": 2}, {"max_depth": 4}, {"min_samples_leaf": 9}])
def test_the_sheet_can_be_read(cancer, settings):
    tree = grown(cancer, **settings)
    figure = sheet(cancer, tree, cohort="GBSG2", date="1984 to 1989", notes=["A further sentence."])
    assert sorted(figure.get_size_inches().round(2)) == [8.27, 11.69]
    assert_nothing_overlaps(figure)
    boxes = figure.axes[0].findobj(FancyBboxPatch)
    assert len(boxes) == tree.tree_.n_nodes
    assert len(figure.axes) == 1 + tree.tree_.n_leaves
    words = words_of(figure)
    assert any("Positive nodes" in w for w in words) and any("fmol/l" in w for w in words)
    foot = " ".join(words)
    assert "Rests on GBSG2, n = 686, 299 events, horizon 3 years, data of 1984" in foot
    assert "A further sentence." in foot


def test_leaves_say_patients_events_and_survival(cancer):
    X, time, event = cancer
    tree = grown(cancer, max_depth=2)
    words = words_of(sheet(cancer, tree).axes[0])
    leaf = tree.apply(X)
    for node in leaf_numbers(tree.tree_):
        own = leaf == node
        share = curve_of(time[own], event[own] == 1, 3.0)
        assert f"n = {own.sum()}" in words and f"events {event[own].sum()}" in words
        assert f"{100 * share:.0f} %" in words


def test_counts_that_are_not_shown_are_nowhere_on_the_sheet(cancer):
    X, time, event = cancer
    tree = grown(cancer, max_depth=2)
    leaf = tree.apply(X)
    node = leaf[0]
    kept = np.flatnonzero((leaf == node) & (event == 1))[:3]
    few = np.where((leaf == node) & ~np.isin(np.arange(len(time)), kept), 0, event)
    figure = sheet((X, time, few), tree, least=5)
    words = words_of(figure)
    assert "events <5" in words and "events 3" not in words
    assert any("fewer than 5" in w for w in words)
    assert "events 3" in words_of(sheet((X, time, few), tree))


def test_the_sheet_is_the_same_each_time_and_saved_as_vectors(cancer):
    tree = grown(cancer, max_depth=2)

    def bytes_of(kind, metadata):
        file = io.BytesIO()
        with matplotlib.rc_context({"svg.hashsalt": "x"}):
            sheet(cancer, tree).savefig(file, format=kind, metadata=metadata)
        return file.getvalue()

    for kind, metadata in (("svg", {"Date": None}), ("pdf", {"CreationDate": None})):
        content = bytes_of(kind, metadata)
        assert content == bytes_of(kind, metadata)
        assert b"<image" not in content and b"/Subtype /Image" not in content


def test_a_tree_that_no_page_holds(cancer):
    tree = grown(cancer, min_samples_leaf=1, prune=False)
    assert tree.tree_.n_leaves > 24
    with pytest.raises(InputError, match="leaves, and a page holds 24; grow a smaller one"):
        sheet(cancer, tree)


def test_a_single_leaf_and_a_leaf_without_patients(cancer):
    X, time, event = cancer
    stump = grown(cancer, max_depth=1)
    half = (X["pnodes"] < 2).to_numpy()
    figure = sheet((X[half], time[half], event[half]), stump)
    assert {"nobody", "n = 0"} <= set(words_of(figure))
    root = grown(cancer, min_samples_leaf=300)
    assert root.tree_.n_leaves == 1
    assert_nothing_overlaps(sheet(cancer, root))


def test_other_causes_end_the_follow_up(cancer):
    X, time, event = cancer
    several = np.where((event == 1) & (np.arange(len(time)) % 3 == 0), 2, event)
    figure = sheet((X, time, several), grown(cancer, max_depth=2))
    assert "Events of other causes end the follow-up." in " ".join(words_of(figure))
    assert isinstance(plot_curves(plt.figure().add_subplot(), time, several, several), pd.DataFrame)


def test_curves_of_patients_who_come_late():
    """Numbers at risk rise; limits are those of Greenwood, and of Marubini and Valsecchi."""
    from statsmodels.duration.survfunc import CumIncidenceRight, SurvfuncRight

    random = np.random.default_rng(2)
    time = np.round(random.exponential(3.0, 200), 2) + 0.01
    event = random.choice([0, 1, 2], 200, p=[0.3, 0.5, 0.2])
    entry = np.where(np.arange(200) % 2, np.round(time * random.random(200), 2), 0.0)
    figure = plt.figure()
    given = (time, event, np.zeros(200))
    table = plot_curves(figure.add_subplot(), *given, entry=entry, competing="incidence")
    for tick in table.columns[1:]:
        assert table.loc[0, tick] == ((entry < tick) & (time >= tick)).sum()
    assert table.loc[0, 0.0] == (entry == 0.0).sum()
    for competing, codes in (("censored", (event == 1).astype(int)), ("incidence", event)):
        steps = Steps(time, codes, 1, np.zeros(200))
        fitted = (SurvfuncRight if competing == "censored" else CumIncidenceRight)(time, codes)
        errors = fitted.surv_prob_se if competing == "censored" else np.asarray(fitted.cinc_se[0])
        times = fitted.surv_times if competing == "censored" else fitted.times
        own = np.isin(times, steps.when)
        assert steps.incidence_errors()[:-1] == pytest.approx(errors[own][:-1], abs=1e-12)
        drawn = []
        for late in (None, np.zeros(200)):
            axes = plt.figure().add_subplot()
            plot_curves(axes, *given, entry=late, competing=competing)
            drawn.append([np.asarray(line.get_xydata(), float) for line in axes.lines[:1]])
        one, other = (np.unique(lines[0], axis=0) for lines in drawn)
        at = np.linspace(0.0, time.max() * 0.9, 50)
        values = [
            curve[np.searchsorted(curve[:, 0], at, side="right") - 1, 1] for curve in (one, other)
        ]
        assert values[0] == pytest.approx(values[1], abs=1e-9)
    # The first event comes while three are there: nothing is drawn of it.
    entry[:3], time[:3], event[:3] = 0.0, 0.005, 1
    entry[3:] = np.maximum(entry[3:], 0.006)
    kept = entry < time
    axes = plt.figure().add_subplot()
    plot_curves(axes, time[kept], event[kept], np.zeros(kept.sum()), entry=entry[kept], least=5)
    assert axes.lines[0].get_xydata().max(axis=0).tolist() == [0.0, 1.0]
    # Nor does a line from there to the name look like a curve of which nobody has the event.
    assert "0: fewer than 5 at first" in "".join(text.get_text() for text in axes.texts)
    assert axes.lines[-1].get_xydata()[0].tolist() == [1.0, 1.0]
