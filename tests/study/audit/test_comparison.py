"""Published beside measured: a row per cell, each with a number of a table or a reason."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hedgerow.files import read_csv, read_parquet, write_csv, write_parquet
from hedgerow.showing.numbers import count
from hedgerow_study import experiments
from hedgerow_study.experiments.audit.comparison import KEY, ORDER, REASONS, SOURCES, comparison
from hedgerow_study.experiments.audit.figures import caption_values, on_one_scale
from hedgerow_study.experiments.audit.figures import comparison as drawn
from hedgerow_study.experiments.published_cells import published_number
from hedgerow_study.reporting.claims import FORMER_COLUMNS

ROOT = Path(__file__).parents[3]
PUBLISHED = {
    path.stem: read_csv(path, text=True)
    for path in sorted((ROOT / "data/published").glob("*.csv"))
    if path.stem != "claims"
}
#: Data of two experiments are private: their printed tables have no measured ones.
PRIVATE = {"soft_illustration", "survival"}
WORDS = [w for w in experiments.WORDS if w in {s.experiment for s in SOURCES.values()} - PRIVATE]
#: Tables at the scale of the papers, as they are tracked.
TABLES = {
    path.stem: read_csv(path).rename(columns=FORMER_COLUMNS)
    for word in WORDS
    for path in (ROOT / "data/reference" / word).glob("*.csv")
}


@pytest.fixture(scope="module")
def found():
    return comparison(TABLES, PUBLISHED, WORDS, "paper")["csv"]


def test_there_are_as_many_rows_as_cells_and_no_key_twice(found):
    cells = pd.concat(PUBLISHED.values(), ignore_index=True)
    assert len(found) == len(cells)
    assert not found.duplicated(KEY).any()
    merged = found.merge(cells, on=KEY, how="outer", indicator=True)
    assert (merged["_merge"] == "both").all()
    assert (merged["published"] == merged["value"]).all()
    assert list(found) == ORDER


def test_each_cell_is_measured_or_says_why_not(found):
    there = found["measured"].notna() | (found["measured_text"] != "")
    assert ((found["reason"] == "") == there).all()
    assert set(found["reason"]) - {""} <= set(REASONS.values())
    assert len(set(REASONS.values())) == len(REASONS)
    assert (found.loc[there, "measured_in"] != "").all() and found.loc[there, "row"].notna().all()
    # Cells are found: only numbers in prose have no table.
    lost = found[found["reason"] == REASONS["no_table"]]
    assert set(lost["table"]) <= {"thesis_text_numbers", "confdtree_text_numbers"}
    assert len(lost) == 5


def test_every_measured_value_stands_in_its_table_and_row(found):
    for table, own in found[found["reason"] == ""].groupby("measured_in"):
        rows = TABLES[table].to_dict("records")
        for cell in own.to_dict("records"):
            wanted = cell["measured_text"] or cell["measured"]
            values = rows[cell["row"] - 1].values()
            assert any(same(v, wanted) or same(v, cell["measured"]) for v in values), (table, cell)


def same(value, wanted) -> bool:
    try:
        return value == wanted or abs(float(value) - float(wanted)) < 1e-9
    except ValueError:
        return False


def test_numbers_of_published_cells_are_those_that_are_printed(found):
    plain = found[~found["unit"].isin(["text", "winner", "hh:mm", "yes_no", "ratio_as_printed"])]
    for text, value in zip(plain["published"], plain["published_value"], strict=True):
        assert value == published_number(text.replace(" ", "")) or text == "-"
    rows = found[found["unit"] == "yes_no"]
    assert ((rows["published"] == "yes") == (rows["published_value"] == 1)).all()
    cancer = found[
        (found["metric"] == "imbalance_ratio") & found["dataset"].str.startswith("breast")
    ]
    assert cancer["published_value"].item() == 1.168
    known = found["difference"].notna()
    apart = found["measured"] - found["published_value"]
    np.testing.assert_allclose(found.loc[known, "difference"], apart[known], atol=1e-9)


def test_some_cells_against_their_tables_by_hand(found):
    def cell(**key):
        own = found
        for column, value in key.items():
            own = own[own[column] == value]
        return own.squeeze()

    table = TABLES["thesis_table_3_4"]
    clean = (table["dataset"] == "mean_over_datasets") & (table["noise"] == 0.5)
    wanted = table[clean & (table["method"] == "stp") & (table["metric"] == "n_leaves_diff_c45")]
    one = cell(table="thesis_table_3_4", method="stp", noise="0.50", metric="n_leaves_diff_c45")
    assert one["measured"] == wanted["measured"].item() and one["row"] == wanted.index[0] + 1
    assert one["n"] == wanted["n_datasets"].item() and one["low"] <= one["measured"] <= one["high"]
    # The text repeats a number of the table.
    text = cell(metric="accuracy_diff_c45_largest", criterion="experiment_1", method="ss")
    repeated = cell(table="thesis_table_3_4", metric="accuracy_diff_c45", method="ss", noise="0.50")
    assert text["measured"] == repeated["measured"] and text["published"] == repeated["published"]
    assert text["measured_in"] == "thesis_table_3_4"

    trees = cell(metric="n_trees", criterion="section_5.4")
    assert trees["measured"] == 104 and trees["measured_in"] == "thesis_table_5_1"
    splits = TABLES["search_splits"]
    own = splits[(splits["dataset"] == "breast_cancer_wisconsin") & (splits["method"] == "c45")]
    one = cell(
        table="thesis_table_4_5", dataset="breast_cancer_wisconsin", method="c45", metric="f1"
    )
    assert one["sd"] == own[own["metric"] == "f1"]["sd"].iloc[0]
    better = cell(table="thesis_table_4_2", criterion="no_pruning|vp", metric="f1_wilcoxon_better")
    assert better["measured_text"] in ("vp", "no_pruning", "none") and np.isnan(better["measured"])
    critical = cell(metric="friedman_critical_value")
    assert (critical["published_value"], critical["measured"]) == (5.99, 7.81)
    iris = cell(table="e2m_table_1", dataset="iris", method="naive", metric="error_rate")
    assert iris["low"] < iris["measured"] < iris["high"] and iris["n"] == 100


def test_private_data_running_times_and_settings_are_never_measured(found):
    for key, own in (
        ("private", found["dataset"].eq("aortic_stenosis_registry") & found["unit"].ne("text")),
        ("time", found["metric"].str.startswith("runtime")),
        ("example", found["criterion"].eq("worked_example")),
        ("setting", found["criterion"].eq("settings")),
    ):
        assert own.any() and (found.loc[own, "reason"] == REASONS[key]).all()


def test_what_does_not_run_or_is_not_asked_for():
    found = comparison({}, PUBLISHED, [], "smoke")["csv"]
    assert (found["measured_in"] == "").all() and found["measured"].isna().all()
    assert (found["configuration"] == "smoke").all()
    assert (found.loc[found["table"] == "e2m_table_1", "reason"] == REASONS["not_run"]).all()
    table = TABLES["e2m_table_1"].copy()
    out = {"iris": "not asked for", "wine": "absent"}
    table["status"] = table["dataset"].map(out).fillna("run")
    gone = table["dataset"].isin(out)
    table.loc[gone, ["measured", "half_width", "n_repeats"]] = np.nan
    both = {"e2m_table_1": table, "e2m_table_2": TABLES["e2m_table_2"]}
    found = comparison(both, PUBLISHED, ["evidential"], "mine")["csv"]
    of = found[found["table"] == "e2m_table_1"].groupby("dataset")["reason"].unique().to_dict()
    assert of["iris"] == [REASONS["not_asked"]] and of["wine"] == [REASONS["absent"]]
    assert of["glass"] == [""]
    # A number in the text, of a data set that did not run.
    table = TABLES["thesis_table_3_4"]
    tables = TABLES | {"thesis_table_3_4": table[table["dataset"] != "heart_cleveland_ordinal"]}
    found = comparison(tables, PUBLISHED, ["soft"], "mine")["csv"]
    assert found.loc[found["metric"] == "n_leaves_mean", "reason"].item() == REASONS["not_asked"]


def test_both_files_hold_the_same(found, tmp_path):
    write_parquet(tmp_path / "c.parquet", found)
    write_csv(tmp_path / "c.csv", found)
    again = read_parquet(tmp_path / "c.parquet")
    pd.testing.assert_frame_equal(again, found)
    as_text = read_csv(tmp_path / "c.csv", text=True)
    assert as_text["published"].tolist() == found["published"].tolist()
    assert len(as_text) == len(again)


def test_published_tables_and_rule_name_the_same_experiments():
    text = (ROOT / "workflow/rules/audit.smk").read_text()
    listed = re.search(r"for word in \[(.*?)\]", text, re.DOTALL)[1]
    assert re.findall(r"\w+", listed) == WORDS
    assert {s.experiment for s in SOURCES.values()} > PRIVATE
    assert set(PUBLISHED) - set(SOURCES) == {"thesis_text_numbers", "confdtree_text_numbers"}


# -------------------------------------------------------------------------------- the figure


def test_the_figure_has_a_point_for_each_pair_of_numbers(found):
    scaled = on_one_scale(found)
    assert scaled["x"].abs().max() <= 1 and not scaled.isna().any(axis=None)
    both = found["measured"].notna() & found["published_value"].notna()
    # Metrics whose printed values are all 0 have no scale.
    assert 0.97 * both.sum() < len(scaled) <= both.sum()
    picture = drawn(found)
    panels = picture.axes
    assert len(panels) == 4
    assert sum(len(p.get_offsets()) for axes in panels for p in axes.collections) == len(scaled)
    words = caption_values(found, "paper")
    assert words["cells"] == count(len(found)) and int(words["drawn"].replace(",", "")) == len(
        scaled
    )
    assert words["configuration"] == "paper"


def test_a_run_without_anything_measured_is_drawn_as_well():
    nothing = comparison({}, PUBLISHED, [], "smoke")["csv"]
    assert caption_values(nothing, "smoke")["measured"] == "0"
    assert len(drawn(nothing).axes) == 4
