"""Figures 3.5, 3.6, 3.9 and 3.10 from made-up rows."""

import re

import numpy as np
import pytest

from hedgerow.showing import figures
from hedgerow_study.experiments.soft import figures as soft_figures
from hedgerow_study.experiments.soft.plan import METHODS
from hedgerow_study.reporting.tables import MEAN

pytestmark = pytest.mark.slow

IDS = ("thesis_figure_3_5", "thesis_figure_3_6", "thesis_figure_3_9", "thesis_figure_3_10")


@pytest.mark.parametrize("name", IDS)
@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_the_same_rows_give_the_same_bytes(rows, plan, tmp_path, name, suffix):
    draw = getattr(soft_figures, name)
    first, second = tmp_path / f"first.{suffix}", tmp_path / f"second.{suffix}"
    figures.save(draw(rows, plan), first)
    figures.save(draw(rows.sample(frac=1, random_state=3), plan), second)
    assert first.read_bytes() == second.read_bytes()
    assert sorted(p.name for p in tmp_path.iterdir()) == [first.name, second.name]


@pytest.mark.parametrize("name", IDS)
def test_no_date_and_no_address_of_a_font(made_up, name):
    text = made_up.figures[name].read_text()
    assert not re.search(r"<dc:date>|20\d\d-\d\d-\d\d", text)


@pytest.mark.parametrize(
    ("name", "experiment"),
    [("thesis_figure_3_5", "training_noise"), ("thesis_figure_3_6", "test_noise")],
)
def test_lines_show_the_mean_factor(rows, plan, name, experiment):
    (axes,) = getattr(soft_figures, name)(rows, plan).axes
    chosen = rows[
        (rows["experiment"] == experiment)
        & (rows["metric"] == "uncertainty")
        & (rows["method"] == "stp")
        & (rows["dataset"] != "wine")  # not in table 3.1
    ]
    expected = chosen.groupby("noise")["value"].mean()  # as many repeats in every set
    drawn = axes.containers[1].lines[0].get_ydata(orig=False)
    np.testing.assert_allclose(drawn, expected)
    assert "training" in axes.get_xlabel() or experiment == "test_noise"


def test_boxes_hold_one_value_per_data_set(rows, plan, made_up):
    figure = soft_figures.thesis_figure_3_10(rows, plan)
    table = made_up.tables["thesis_table_3_5"]
    cells = table[(table["metric"] == "accuracy_std") & (table["method"] == "stp")]
    cells = cells[cells["in_table_3_1"] & (cells["dataset"] != MEAN)]
    accuracy = figure.axes[1]
    points = [line.get_ydata() for line in accuracy.lines if line.get_marker() == "o"]
    # Boxes are drawn method by method: stp is third, after three noise factors each.
    drawn = points[2 * 3 + 2]
    expected = cells[cells["noise"] == 0.5]["measured"]
    np.testing.assert_allclose(sorted(drawn), sorted(expected), atol=1e-6)


def test_methods_differ_without_colour():
    """In grey print and to colour-blind readers, hatch, marker and line tell methods apart."""
    looks = [figures.LOOKS[m] for m in METHODS]
    for attribute in ("hatch", "marker", "line", "colour"):
        assert len({getattr(look, attribute) for look in looks}) == len(looks)


def test_axes_have_units(rows, plan):
    for name in IDS:
        for axes in getattr(soft_figures, name)(rows, plan).axes:
            assert "(" in axes.get_ylabel()
