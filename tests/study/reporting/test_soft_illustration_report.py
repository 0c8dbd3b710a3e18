"""Tables, figures and section of the illustrations; the LVEF values are synthetic and say so."""

import dataclasses
import functools
import re
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pytest
from made_rows import printed
from shown import ROOT, captions_of, section_of
from test_soft_report import Page

from hedgerow.data import fetch, load_registry, tidy
from hedgerow.showing import figures
from hedgerow_study.experiments.soft_illustration import figures as soft_illustration_figures
from hedgerow_study.experiments.soft_illustration import page as soft_illustration_page
from hedgerow_study.experiments.soft_illustration import plan as soft_illustration_plan
from hedgerow_study.experiments.soft_illustration import steps as soft_illustration_steps
from hedgerow_study.experiments.soft_illustration import tables as soft_illustration_tables

pytestmark = pytest.mark.slow

FIGURES = tuple(f"thesis_figure_3_{n}" for n in (1, 2, 3, 4, 7, 8))
TABLES = ("thesis_table_3_2", "thesis_table_3_3")


PLAN = soft_illustration_plan.SoftIllustrationPlan(seed=7, configuration="made-up", n_draws=500)


@functools.cache
def lvef():
    """The synthetic set, which is drawn and not downloaded."""
    entry = load_registry(ROOT / "config/datasets.yaml")["synthetic_lvef"]
    with TemporaryDirectory() as folder:
        return tidy(entry, fetch(entry, Path(folder)))


@functools.cache
def inputs():
    """Inputs of all jobs."""
    results = soft_illustration_steps.results(lvef(), PLAN)
    return {"results": results, "published": printed(), "plan": PLAN}


@pytest.fixture(scope="module")
def plan():
    return PLAN


@pytest.fixture(scope="module")
def table():
    return lvef()


@pytest.fixture(scope="module")
def results():
    return inputs()["results"]


def _tables(results, published, plan):
    return {t: getattr(soft_illustration_tables, t)(results, published, plan) for t in TABLES}


@pytest.fixture(scope="module")
def section(tmp_path_factory):
    return section_of("soft_illustration", tmp_path_factory.mktemp("drawn"), **inputs())


def test_every_id_has_a_caption_that_says_what_differs(results, plan):
    captions = captions_of("soft_illustration", results=results, plan=plan)
    assert sorted(captions) == sorted([*FIGURES, *TABLES])
    for name in ("thesis_figure_3_7", "thesis_figure_3_8", *TABLES):
        assert "SYNTHETIC" in captions[name] and "made-up" in captions[name], name
    assert "Does not come out" in captions["thesis_figure_3_3"]
    assert "−1.10 and 1.1" in captions["thesis_figure_3_3"]
    assert "1.100" in captions["thesis_table_3_2"] and "0.999" in captions["thesis_table_3_2"]
    counts = results["thesis_figure_3_7"]["outcome"].value_counts()
    assert f"makes {counts['fn']} false negatives" in captions["thesis_figure_3_7"]


def test_table_3_2_sets_published_values_of_other_patients_beside(results, published, plan):
    table = _tables(results, published, plan)["thesis_table_3_2"]
    assert len(table) == 8 and set(table["dataset"]) == {"synthetic_lvef"}
    cells = table.set_index(["leaf", "class", "method"])
    assert cells.loc[("left", 0, "stp"), "published"] == 0.310
    assert cells.loc[("left", 1, "stp"), "published"] == 0.790
    assert cells.loc[("right", 1, "c45"), "published"] == 0.018
    measured = results["thesis_table_3_2"].set_index(["method", "leaf"])
    for (leaf, label, method), row in cells.iterrows():
        assert row["measured"] == measured.loc[(method, leaf), f"p_y{label}"]
    # The contradictions that the caption names.
    sums = table.groupby(["leaf", "method"])["published"].sum()
    assert sums["left", "stp"] == pytest.approx(1.1)
    assert sums["right", "c45"] == pytest.approx(0.999)


def test_table_3_3_never_pairs_patients(results, published, plan):
    """A row is measured or published; only the means of groups have both."""
    table = _tables(results, published, plan)["thesis_table_3_3"]
    assert table.groupby("source")["dataset"].unique().str[0].to_dict() == {
        "measured": "synthetic_lvef",
        "published": "lvef_data_science_bowl",
    }
    patients = table[table["row"] == "patient"]
    assert (patients["source"] == "published").sum() == 12
    assert patients.loc[patients["source"] == "published", "lvef"].isna().all()
    means = table[table["row"] == "mean"].set_index(["group", "source"])
    assert len(means) == 4
    assert means.loc[("false_negative", "published"), "p_y0_se"] == pytest.approx(
        4.25 / 6, abs=1e-6
    )
    assert means.loc[("false_positive", "published"), "se_highest"] == 0.49
    fn = results["thesis_table_3_3"].query("group == 'false_negative'")
    row = means.loc[("false_negative", "measured")]
    assert row["n"] == len(fn)
    assert row["p_y1_se"] == pytest.approx(fn["p_y1_se"].mean(), abs=1e-6)
    np.testing.assert_allclose(table["p_y0_se"] + table["p_y1_se"], 1, atol=1e-5)


@pytest.mark.parametrize("name", FIGURES)
def test_figures_have_labels_and_no_date(name, results, plan, tmp_path):
    figure = getattr(soft_illustration_figures, name)(results, plan)
    labelled = [a for a in figure.axes if a.get_xlabel()] or [figure]
    assert labelled and any(a.get_ylabel() for a in figure.axes)
    if name in ("thesis_figure_3_7", "thesis_figure_3_8"):
        assert any("synthetic" in a.get_xlabel() for a in figure.axes)
    for copy in ("a.svg", "b.svg"):
        figures.save(getattr(soft_illustration_figures, name)(results, plan), tmp_path / copy)
    text = (tmp_path / "a.svg").read_text()
    assert text == (tmp_path / "b.svg").read_text()
    assert not re.search(r"<dc:date>", text)


def test_the_printed_curve_is_dashed(results, plan):
    """Figure 3.4: dashed as printed, solid as corrected, one of each per test value."""
    axes = soft_illustration_figures.thesis_figure_3_4(results, plan).axes[1]
    curve = results["thesis_figure_3_4"].query("panel == 'b' and x == 1.0")
    styles = {}
    for line in axes.get_lines():
        for column in ("corrected", "printed"):
            if np.array_equal(line.get_ydata(), curve[column]):
                styles[column] = line.get_linestyle()
    assert styles == {"corrected": "-", "printed": "--"}


def test_the_section_stands_on_a_page(section, plan):
    page = Page(section.markup)
    for name in FIGURES:
        assert f"function hedgerow_study.experiments.soft_illustration.figures.{name}" in page.text
        assert f"reports/tables/{name}_data.csv" in page.text
    for name in TABLES:
        assert f"function hedgerow_study.experiments.soft_illustration.tables.{name}" in page.text
    assert len(page.all("caption")) == len(page.all("table")) == 4
    assert all(len(a["alt"]) > 20 for a in page.all("img"))
    assert all("scope" in a for a in page.all("th"))
    assert "Synthetic data." in page.text
    ids = [a["id"] for _, a in Page(section.markup).tags if "id" in a]
    assert all(i.startswith(("soft_illustration-", "thesis_")) for i in ids)


def test_tables_may_come_from_memory(results, published, plan, section, tmp_path):
    drawn = {}
    for name in FIGURES:
        drawn[name] = tmp_path / f"{name}.svg"
        figures.save(getattr(soft_illustration_figures, name)(results, plan), drawn[name])
    captions = captions_of("soft_illustration", results=results, plan=plan)
    made = _tables(results, published, plan)
    assert soft_illustration_page.section(made, drawn, captions, results, plan) == section


def test_tables_may_come_from_files_or_not(results, plan, section):
    tables = _tables(results, printed(), plan)
    drawn = {name: f"{name}.svg" for name in FIGURES}
    captions = captions_of("soft_illustration", results=results, plan=plan)
    assert soft_illustration_page.section(tables, drawn, captions, results, plan) == section


def test_without_noise_the_section_is_still_built(table, published, plan, tmp_path):
    silent = dataclasses.replace(plan, noise=0.0)
    results = soft_illustration_steps.results(table, silent)
    given = {"results": results, "published": published, "plan": silent}
    section = section_of("soft_illustration", tmp_path, **given)
    assert "0 false negatives" in section.markup


def test_captions_say_the_window_and_the_step_of_the_plan(results, plan):
    """They stated 6 and 0.1, whatever the configuration said."""
    said = captions_of("soft_illustration", results=results, plan=plan)
    assert "STP and SE, cut at 3 and not scaled, hence a step of 0.00135 there." in said[FIGURES[0]]
    assert "the experiments have 6 and 0.1. The library" in said[FIGURES[1]]
    other = dataclasses.replace(plan, window=4.0, step=0.2)
    said = captions_of("soft_illustration", results=results, plan=other)
    assert "cut at 2 and not scaled, hence a step of 0.02275 there." in said[FIGURES[0]]
    assert "the experiments have 4 and 0.2. The library" in said[FIGURES[1]]
