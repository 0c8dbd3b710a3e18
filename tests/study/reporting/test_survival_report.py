"""Tables, figures and section of chapter 6, from a made-up cohort and a small simulation."""

import functools
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from made_cohorts import FACTS, SIMULATED, made_up, simulated
from shown import captions_of, made_by, page_of, section_of, shown_by, tables_of

from hedgerow.showing import figures
from hedgerow_study.experiments.survival import figures as survival_figures
from hedgerow_study.experiments.survival import leaf_report as survival_sheet
from hedgerow_study.experiments.survival import statistics as survival_statistics
from hedgerow_study.experiments.survival import steps as survival_steps
from hedgerow_study.experiments.survival import tables as survival_tables
from hedgerow_study.experiments.survival.plan import SurvivalPlan

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
PLAN = {
    "cohorts": FACTS | {"gone": FACTS["made_up"]},
    "datasets": (SIMULATED, "made_up", "gone"),
    "configuration": "made-up",
    "n_repeats": 2,
    "confidences": (0.5,),
    "repetition_factors": (0.7,),
    "leaf_sizes": (20,),
    "n_folds": 2,
    "n_permutations": 5,
    "n_bootstrap": 20,
}


@functools.cache
def inputs():
    """Inputs of all jobs."""
    plan = SurvivalPlan(**PLAN)
    tables, found = [simulated(), made_up()], {}
    for table in tables:
        learned = survival_steps.learn(table, plan)
        described = survival_steps.describe(table, learned["patients"], plan)
        null = survival_steps.permute(table, plan)
        left = survival_statistics.statistics(described["leaves"], described["separation"], [null])
        for name, frame in {**learned, **described, **left}.items():
            found.setdefault(name, []).append(frame)
    made = {name: pd.concat(frames, ignore_index=True) for name, frames in found.items()}
    published = (ROOT / "data/published").glob("thesis_table_6_*.csv")
    printed = {path.stem: pd.read_csv(path) for path in published}
    return {**made, "tidy": tables, "plan": plan, "published": printed}


@pytest.fixture(scope="module")
def run():
    tables = tables_of("survival", **inputs())
    return SimpleNamespace(inputs=inputs(), tables=tables, plan=inputs()["plan"])


def test_what_is_simulated_says_so_and_stands_apart(run):
    captions = captions_of("survival", **run.inputs)
    for name, shown in shown_by("survival").items():
        made_of_it = name.endswith("_SYNTHETIC")
        assert ("SYNTHETIC" in captions[name]) == made_of_it
        assert name.startswith("thesis_") <= made_of_it
        table = run.tables.get(name)
        if table is not None and "dataset" in table:
            assert (set(table["dataset"]) <= {SIMULATED}) == made_of_it
        if shown.kind == "figure" and made_of_it:
            drawn = made_by(getattr(survival_figures, name), **run.inputs)
            texts = [t.get_text() for t in drawn.texts]
            texts += [] if drawn._suptitle is None else [drawn._suptitle.get_text()]
            assert "SYNTHETIC patients" in texts


def test_every_printed_cell_is_there(run):
    """Beside ours, and once."""
    for number, table in ((3, "thesis_table_6_3"), (4, "thesis_table_6_4")):
        printed = run.inputs["published"][table]
        printed = printed[printed["criterion"].str.match(r"node_\d+$")]
        printed = printed[~printed["metric"].isin(["hr_ci95"] if number == 4 else [])]
        own = run.tables[f"{table}_SYNTHETIC"]
        cells = own.filter(like="_published")
        there = cells[cells.notna().any(axis=1)]
        nodes = own.loc[there.index, "number"]
        assert nodes[nodes > 0].tolist() == list(range(1, 11))
        assert there[nodes > 0].notna().sum().sum() == len(printed)
    own = run.tables["thesis_table_6_2_SYNTHETIC"].set_index(["method", "metric"])
    assert own.loc[("thesis", "accuracy"), "published"] == 70.7
    assert own.loc[("thesis", "death_f_score"), "published_high"] == 89.0
    assert np.isnan(own.loc[("tuned", "accuracy"), "published"])
    node = run.tables["thesis_table_6_3_SYNTHETIC"].set_index(["groups", "number"])
    assert node.loc[("printed_tree", 4), "median_published"] == ">12.4"
    assert node.loc[("printed_tree", 9), "hazard_ratio_published"] == "1.8"
    assert node.loc[("learnt_tree", 1), "hazard_ratio_published"] is None


def test_table_6_1_has_the_39_variables_of_the_registry(run):
    table = run.tables["thesis_table_6_1_SYNTHETIC"]
    own = run.inputs["tidy"][0].X
    assert len(table) == 39
    assert set(table["column"]) == set(own) - {"intervention"}
    line = table.set_index("column").loc["ava"]
    assert line["median"] == pytest.approx(own["ava"].median())
    assert line["percent_missing"] == pytest.approx(100 * own["ava"].isna().mean())
    line = table.set_index("column").loc["angina"]
    assert line["percent"] == pytest.approx(100 * own["angina"].mean())


def test_cohorts_count_everybody(run):
    table = run.tables["survival_cohorts"].set_index("dataset")
    assert table["status"].to_dict() == {"made_up": "run", "gone": "absent"}
    line = table.loc["made_up"]
    assert line["died_by_horizon"] + line["survived_horizon"] + line["left_out"] == line["n"] == 300
    known = line["died_by_horizon"] + line["survived_horizon"]
    assert line["n_training"] + line["n_test"] == known
    said = captions_of("survival", **run.inputs)["survival_cohorts"]
    assert "Absent, because no source answered: gone." in said


def test_honest_groups_keep_the_counts_of_the_leaves(run):
    line = run.tables["survival_honest"].iloc[0]
    leaves = run.inputs["leaves"]
    own = leaves[(leaves["dataset"] == "made_up") & (leaves["number"] > 0)]
    assert line["n_selected"] == (own["logrank_p"] < 0.005).sum() > 0
    assert np.isnan(line["n_permutation"])
    assert line["n_permutations"] == 5


def test_curves_are_those_of_training_and_test_patients(run):
    drawn = made_by(survival_figures.survival_curves, **run.inputs)
    titles = [axes.get_title("left") for axes in drawn.axes]
    patients = run.inputs["patients"]
    own = patients[patients["dataset"] == "made_up"]
    assert [int(re.search(r"n = (\d+)", title)[1]) for title in titles] == [
        own["training"].sum(),
        (~own["training"]).sum(),
    ]
    horizon = drawn.axes[0].lines[-1].get_xdata()
    assert list(horizon) == [4.0, 4.0]


def test_a_sheet_for_the_bedside(run, tmp_path):
    for table in run.inputs["tidy"]:
        mine = {n: run.inputs[n][run.inputs[n]["dataset"] == table.name].reset_index(drop=True)
                for n in ("patients", "trees")}  # fmt: skip
        made = survival_sheet.draw_leaf_report(table, mine["patients"], mine["trees"], run.plan)
        for kind, page in made.items():
            figures.save(page, tmp_path / f"{table.name}.{kind}")
        again = survival_sheet.draw_leaf_report(table, mine["patients"], mine["trees"], run.plan)
        figures.save(again["pdf"], tmp_path / "again.pdf")
        first = (tmp_path / f"{table.name}.pdf").read_bytes()
        assert first.startswith(b"%PDF") and first == (tmp_path / "again.pdf").read_bytes()
        too_many = mine["trees"].assign(n_leaves=99)
        told = survival_sheet.draw_leaf_report(table, mine["patients"], too_many, run.plan)["pdf"]
        assert "has 99 leaves, more than can be read" in told.texts[0].get_text()
        words = " ".join(text.get_text() for text in made["svg"].findobj(match=_is_text))
        assert ("SYNTHETIC" in words) == (table.name == SIMULATED)


def _is_text(artist):
    return hasattr(artist, "get_text")


def test_the_section_names_what_is_absent_and_leads_to_sheets(tmp_path):
    text = page_of(section_of("survival", tmp_path, **inputs()))
    assert "<strong>Absent: gone.</strong>" in text
    assert "inconclusive" in text
    assert "../sheets/made_up.pdf" in text


def test_a_run_without_the_simulator(run):
    """Tables are empty and figures say why; nothing fails."""
    left = {
        name: frame[frame["dataset"] != SIMULATED].reset_index(drop=True)
        for name, frame in run.inputs.items()
        if isinstance(frame, pd.DataFrame)
    }
    inputs = {**run.inputs, **left, "tidy": run.inputs["tidy"][1:]}
    for name, shown in shown_by("survival").items():
        kind = survival_tables if shown.kind == "table" else survival_figures
        made = made_by(getattr(kind, name), **inputs)
        if name.endswith("_SYNTHETIC") and shown.kind == "figure":
            assert made.texts[0].get_text() == "The simulator was not run"
