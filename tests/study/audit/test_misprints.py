"""Misprints: each is computed, and a corrected cell ends it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from hedgerow.data import load_registry
from hedgerow.files import read_csv
from hedgerow_study.experiments.audit import misprints
from hedgerow_study.experiments.audit.misprints import MANUAL, MISPRINTS, Cells, table_of
from hedgerow_study.experiments.audit.tables import caption_values
from hedgerow_study.experiments.audit.tables import misprints as table
from hedgerow_study.workflow.settings.config import printed_sizes

ROOT = Path(__file__).parents[3]
PUBLISHED = {
    path.stem: read_csv(path, text=True)
    for path in sorted((ROOT / "data/published").glob("*.csv"))
    if path.stem != "claims"
}
SIZES = printed_sizes(
    load_registry(ROOT / "config/datasets.yaml"), ["thesis3", "thesis4", "confdtree"]
)

#: What each computation gives: a part of what is printed, and of what follows. A change of a
#: published file, or of a test in scipy, shows here.
FOUND = {
    "sizes_3": ("wisconsin (variables) 39", "wisconsin (variables) 30"),
    "left_leaf": ("0.310 and 0.790", "sum 1.100"),
    "misclassified": ("7 false negatives and 5", "6 false negatives and 6"),
    "times_without_noise": ("STP 1.7 s", "STP 1.0 s in table 3.4"),
    "se_test_noise": ("noise 0.50: +0.31 sd", "noise 0.50: −0.1 percentage points"),
    "se_training_noise": ("equal to C4.5 or below", "+0.3 percentage points at noise 0.50"),
    "sizes_4": ("german credit (rows) 959", "german credit (rows) 1000"),
    "ratios": ("solar flare uct_vs no pruning 5.3", "solar flare uct_vs no pruning 58.8/12"),
    "wins": ("4.1 uct_vs no_pruning f1_per_leaf 16", "4.1 uct_vs no_pruning f1_per_leaf 17"),
    "repeated_triples": ("87.6 / 33 / 2.7", "twice, car evaluation and phishing"),
    "arrows": ("4.4 n_leaves uct_vs against uct_c45: uct_vs", "none (p = 0.051)"),
    "anova_of_policies": ("0.631; n_leaves 0.044", "0.728; n_leaves 0.110; f1_per_leaf 0.077"),
    "critical_value": ("5.99 (2 degrees", "7.81 (4 methods: 3)"),
    "friedman_of_methods": ("f1 8.22", "f1 7.48, p = 0.058 (without ties 7.17)"),
    "pruning_of_small_sets": ("below 730 rows", "on 3 of 10 such sets"),
    "yes_of_table_4_7": ("phishing (f1) yes", "phishing (f1) no, 81.3 against 83.4"),
    "closer_to_predictions": ("normalized B2 (d_kl) closer", "12.1 against 9.5"),
    "whole_patients": ("70.7 % of 138", "97 are 70.3 % and 98 are 71.0 %"),
    "quartiles_in_order": ("node 7: 7.5, 10.9, 10.4", "7.5, 10.4, 10.9"),
    "row_of_all": ("4.0, 9.3, 12.5, 0.2", "4.0, 9.3, 12.5, 0.2 in table 6.3"),
    "gains_of_intervention": ("node 7 longer", "node 7 -1.5 years"),
    "nearly_halved": ("node 5: 1.2 to 0.3", "0.25 of it, 0.30 at most"),
    "creatinine": ("1.6 umol/l", "141 umol/l"),
    "class_ratios": ("ionosphere 1 : 9.14", "ionosphere 1 : 1.786 (126 : 225)"),
    "sizes_confdtree": ("vowel (classes) 7", "vowel (classes) 11"),
    "one_set_twice": ("4.5, 8.7, 8.2 and 3.3, 6, 6 %", "the same gains"),
    "all_outperform": ("yeast binary, NORM outperforms", "yeast binary, COMB 0.0 %"),
    "upper_bound": ("pima upper bound 5.4 %", "pima TDIST 6 %"),
    "balance_of_miniboone": ("(1 : 2.5)", "6 of 10 two-class sets"),
    "average_gain": ("5 % or more", "NORM 2.5 %, TDIST 2.5 %, COMB 5.0 %"),
    "best_of_three": ("COMB clearly performs best", "TDIST on 11, COMB on 9"),
    "p_of_t": ("t = 0.106, p = 0.075", "p = 0.918 (9 degrees of freedom)"),
    "z_of_ranks": ("z = -2.023", "-2.366 (all 7 gain)"),
    "row_printed_twice": ("ecoli and glass: 52, 5.26", "no two data sets"),
    "failures_as_leaves": ("1.01 leaves, 99 failures", "2 leaves where it grows"),
    "larger_trees": ("glass pruned CART larger", "glass pruned CART 2.08, E2M 4.46"),
    "lower_errors": ("ecoli pruned E2M lower", "ecoli pruned CART 0.72, E2M 0.73"),
}


@pytest.fixture(scope="module")
def found():
    return table_of(PUBLISHED, SIZES).set_index("id")


@pytest.mark.parametrize("identifier", FOUND)
def test_what_is_printed_and_what_follows(found, identifier):
    printed, follows = FOUND[identifier]
    row = found.loc[identifier]
    assert printed in row["printed"] and follows in row["follows"] and row["stands"]
    module, _, name = row["function"].partition(":")
    assert module == misprints.__name__ and callable(getattr(misprints, name))


def test_each_is_computed_or_marked_as_read(found):
    assert found.index.is_unique and len(found) == len(MISPRINTS)
    read = found[found["computed"] == MANUAL]
    assert set(read.index) == set(found.index) - set(FOUND)
    assert (read["function"] == "").all() and (found["stands"]).all()
    assert not (found[["paper", "place", "printed", "follows", "computed"]] == "").any(axis=None)
    assert set(found["paper"]) == {"thesis", "confdtree", "e2m", "eig"}
    places = found["place"]
    assert set(places[places.str.contains("_table_")]) <= set(PUBLISHED)


def test_the_counts_of_what_is_listed(found):
    """As many as data/published/README.md and docs/notes tell."""
    n = found["printed"].str.count(";") + 1
    assert n[["wins", "repeated_triples", "ratios", "arrows"]].tolist() == [10, 2, 2, 3]
    assert n[["yes_of_table_4_7", "closer_to_predictions", "class_ratios"]].tolist() == [3, 1, 3]
    assert n[["p_of_t", "z_of_ranks", "quartiles_in_order"]].tolist() == [1, 1, 1]


def changed(name, value, **key):
    """Published files with another text in one cell, or several."""
    frame = PUBLISHED[name].copy()
    rows = np.logical_and.reduce([frame[column] == wanted for column, wanted in key.items()])
    assert rows.any()
    frame.loc[rows, "value"] = value
    return Cells({**PUBLISHED, name: frame}, SIZES)


#: A cell of a published table, and the text that would end each misprint.
CORRECTED = {
    "left_leaf": "thesis_table_3_2 method=stp criterion=leaf_left metric=p_y1: 0.690",
    "critical_value": "thesis_table_4_6 metric=friedman_critical_value: 7.81",
    "quartiles_in_order": "thesis_table_6_3 criterion=node_7 metric=survival_q2: 10.2",
    "creatinine": "thesis_text_numbers metric=creatinine: 141",
    "closer_to_predictions": (
        "thesis_table_5_1 method=edit_b2 criterion=normalized metric=norm_diff_to_d_kl: 9.1"
    ),
    "upper_bound": "confdtree_table_1 dataset=pima method=rf: 6.2",
    "p_of_t": (
        "confdtree_table_2 dataset=binary_datasets method=confdtree_tdist metric=paired_t_p: 0.918"
    ),
    "z_of_ranks": (
        "confdtree_table_2 dataset=multi_class_datasets method=confdtree_norm metric=wilcoxon_z"
        ": -2.366"
    ),
    "row_printed_twice": "e2m_table_2 dataset=ecoli method=cart: 5",
    "gains_of_intervention": "thesis_table_6_4 criterion=node_7 metric=delta_q1: 1.5",
    "all_outperform": "confdtree_table_1 dataset=yeast_binary criterion=average_auc: 0.1",
    "se_training_noise": "thesis_table_3_4 method=se metric=accuracy_diff_c45: 0.0",
    "misclassified": "thesis_text_numbers criterion=section_3.4.1 noise=0.10: 6",
    "row_of_all": "thesis_table_6_4 criterion=all: 0.1",
    "average_gain": "confdtree_text_numbers metric=average_improvement_low: 2",
    "failures_as_leaves": "e2m_table_2 dataset=balance_scale metric=n_leaves method=cart: 0.05",
}


@pytest.mark.parametrize("identifier", CORRECTED)
def test_a_corrected_cell_ends_it(identifier):
    cell, value = CORRECTED[identifier].split(": ")
    name, *key = cell.split()
    (misprint,) = [m for m in MISPRINTS if m.id == identifier]
    assert not misprint.find(
        changed(name, value, **dict(part.split("=") for part in key))
    ).is_inconsistent


def test_a_listed_cell_that_is_corrected_is_listed_no_more():
    one = {"dataset": "solar_flare", "criterion": "no_pruning", "metric": "f1_per_leaf"}
    assert "solar" not in misprints.ratios(changed("thesis_table_4_1", "4.9", **one)).printed
    one = {"dataset": "ionosphere", "metric": "imbalance_ratio"}
    left = misprints.class_ratios(changed("confdtree_table_1", "1 : 1.79", **one))
    assert "ionosphere" not in left.printed and "glass" in left.printed
    one = {"metric": "f1_friedman_chi2"}
    for right in ("7.48", "7.17"):
        assert "f1 " not in misprints.friedman_of_methods(
            changed("thesis_table_4_6", right, **one)
        ).printed.replace("f1_per_leaf", "")


def test_sizes_are_those_of_the_files():
    assert SIZES["confdtree"]["ionosphere"] == {"rows": 351, "variables": 34, "classes": [126, 225]}
    assert "synthetic_soft_1" not in SIZES["thesis3"]
    assert SIZES["thesis3"]["breast_cancer_wisconsin"]["variables"] == 30


def test_the_table_of_the_report():
    made = table(PUBLISHED, SIZES)
    pd.testing.assert_frame_equal(made, table_of(PUBLISHED, SIZES))
    words = caption_values(PUBLISHED, SIZES)
    assert int(words["n"]) == len(made) == int(words["computed"]) + int(words["read"])
    assert int(words["computed"]) == len(FOUND)
