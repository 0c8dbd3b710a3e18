"""Tables 3.1, 3.4 and 3.5 from made-up rows."""

import numpy as np
import pandas as pd
import pytest

from hedgerow_study.experiments.soft import plan as soft_plan
from hedgerow_study.experiments.soft import statistics as soft_statistics
from hedgerow_study.experiments.soft import tables as soft_tables
from hedgerow_study.reporting.tables import MEAN

IDS = {"training_noise": "thesis_table_3_4", "test_noise": "thesis_table_3_5"}


def _cell(table, **where):
    for column, value in where.items():
        table = table[table[column] == value]
    assert len(table) == 1
    return table.iloc[0]


@pytest.mark.parametrize("experiment", soft_plan.EXPERIMENTS)
def test_a_standardised_cell_by_hand(rows, made_up, experiment):
    of_metric = rows[(rows["metric"] == "accuracy") & (rows["experiment"] == experiment)]
    means = []
    for dataset in ("pima", "wdbc", "bupa", "haberman", "dermatology", "synthetic_soft_4"):
        of_set = of_metric[of_metric["dataset"] == dataset]
        values = of_set.set_index(["method", "noise"])["value"].sort_index()
        base = values.loc[("c45", 0.0)].to_numpy()
        means.append(np.mean((values.loc[("stp", 0.5)] - base.mean()) / base.std(ddof=1)))
    cell = _cell(
        made_up.tables[IDS[experiment]],
        dataset="mean_over_datasets",
        metric="accuracy_std",
        method="stp",
        noise=0.5,
    )
    assert cell["measured"] == pytest.approx(np.mean(means), abs=1e-6)
    assert (cell["n_datasets"], cell["of_datasets"]) == (6, 20)


def test_a_difference_is_in_points_and_paired(rows, made_up):
    cell = _cell(
        made_up.tables["thesis_table_3_4"],
        dataset="wine",
        metric="accuracy_diff_c45",
        method="ss",
        noise=0.05,
    )
    of_set = rows[
        (rows["dataset"] == "wine")
        & (rows["metric"] == "accuracy")
        & (rows["noise"] == 0.05)
        & (rows["experiment"] == "training_noise")
    ]
    values = of_set.pivot(index="repeat", columns="method", values="value")
    assert cell["measured"] == pytest.approx(100 * (values["ss"] - values["c45"]).mean(), abs=1e-6)
    assert not cell["in_table_3_1"]
    assert np.isnan(cell["published"])


def test_a_data_set_has_leaves_and_accuracy_as_they_are(rows, made_up):
    table = made_up.tables["thesis_table_3_5"]
    own = table[table["metric"].isin(["n_leaves", "accuracy"])]
    assert MEAN not in set(own["dataset"])
    where = (rows["experiment"] == "test_noise") & (rows["method"] == "se")
    where &= (rows["dataset"] == "pima") & (rows["noise"] == 0.5) & (rows["metric"] == "accuracy")
    cell = _cell(own, dataset="pima", metric="accuracy", method="se", noise=0.5)
    assert cell["measured"] == pytest.approx(100 * rows.loc[where, "value"].mean(), abs=1e-6)
    assert cell["unit"] == "percent"


def test_column_0_is_equal_in_both_tables(made_up):
    first, second = (
        table[table["noise"] == 0.0][["metric", "method", "dataset", "measured"]].reset_index(
            drop=True
        )
        for table in (made_up.tables["thesis_table_3_4"], made_up.tables["thesis_table_3_5"])
    )
    pd.testing.assert_frame_equal(first, second)


@pytest.mark.parametrize("experiment", soft_plan.EXPERIMENTS)
def test_each_published_cell_stands_beside_its_measured_one(made_up, published, plan, experiment):
    """Not one is lost, and none has moved; running times, PLT and UDT are not part of it."""
    name = IDS[experiment]
    printed = published[name]
    printed = printed[printed["method"].isin(plan.methods)]
    printed = printed[printed["noise"].astype(float).isin(plan.noise_factors)]
    printed = printed[printed["metric"] != "runtime_diff_c45"]
    table = made_up.tables[name]
    beside = table[table["published"].notna()]
    assert len(beside) == len(printed)
    assert (beside["dataset"] == "mean_over_datasets").all()
    for row in printed.itertuples():
        cell = _cell(beside, metric=row.metric, method=row.method, noise=float(row.noise))
        assert cell["published"] == float(row.value)


def test_p_values_are_those_of_the_statistics(made_up):
    cell = _cell(
        made_up.tables["thesis_table_3_5"],
        dataset="mean_over_datasets",
        metric="n_leaves_std",
        method="stp",
        noise=0.5,
    )
    for column, pairing, correction in (
        ("p", "datasets", "none"),
        ("p_holm", "datasets", "holm"),
        ("p_pairs", "repeats", "none"),
        ("p_pairs_holm", "repeats", "holm"),
    ):
        result = _cell(
            made_up.statistics,
            experiment="test_noise",
            metric="n_leaves_std",
            method="stp",
            noise=0.5,
            pairing=pairing,
            correction=correction,
        )
        assert cell[column] == result["p"]


def test_missing_and_left_out_sets_are_named(rows, plan, published):
    flat = rows.copy()
    c45 = (flat["dataset"] == "bupa") & (flat["method"] == "c45") & (flat["metric"] == "n_leaves")
    flat.loc[c45, "value"] = 9.0
    table = soft_tables.thesis_table_3_4(
        flat, soft_statistics.wilcoxon_tests(flat, plan), published, plan
    )
    mean = table[table["dataset"] == "mean_over_datasets"].set_index("metric")
    assert set(mean.loc["n_leaves_std", "left_out"]) == {"bupa"}
    assert set(mean.loc["n_leaves_std", "n_datasets"]) == {5}
    assert set(mean.loc["n_leaves_diff_c45", "left_out"]) == {""}
    assert set(mean.loc["n_leaves_diff_c45", "n_datasets"]) == {6}
    missing = mean["missing"].iloc[0].split(";")
    assert len(missing) == 14
    assert "spectf" in missing
    assert "bupa" not in missing


def test_a_set_outside_table_3_1_changes_no_average(rows, plan, published, made_up):
    inside = rows[rows["dataset"] != "wine"]
    table = soft_tables.thesis_table_3_5(
        inside, soft_statistics.wilcoxon_tests(inside, plan), published, plan
    )
    whole = made_up.tables["thesis_table_3_5"]
    pd.testing.assert_frame_equal(table, whole[whole["dataset"] != "wine"].reset_index(drop=True))


def test_the_order_of_data_sets_changes_nothing(rows, plan, published, made_up):
    shuffled = rows.sample(frac=1, random_state=1)
    table = soft_tables.thesis_table_3_4(
        shuffled, soft_statistics.wilcoxon_tests(shuffled, plan), published, plan
    )
    pd.testing.assert_frame_equal(table, made_up.tables["thesis_table_3_4"])


def test_without_a_set_of_table_3_1_only_rows_of_their_own_are_left(rows, plan, published):
    outside = rows[rows["dataset"] == "wine"]
    table = soft_tables.thesis_table_3_4(
        outside, soft_statistics.wilcoxon_tests(outside, plan), published, plan
    )
    assert set(table["dataset"]) == {"wine"}


def test_table_3_1_states_what_became_of_each_set(made_up, published):
    table = made_up.tables["thesis_table_3_1"].set_index("dataset")
    assert len(table) == 21
    assert table.loc["pima", "status"] == "run"
    assert table.loc["spectf", "status"] == "absent"
    assert table.loc["new_thyroid", "status"] == "not asked for"
    assert table.loc["wine", "printed"] == ""
    assert table.loc["wdbc", ["n_variables", "n_variables_published"]].tolist() == [8, 39]
    assert table.loc["synthetic_soft_4", ["n_sets", "n_sets_published"]].tolist() == [30, 30]
    assert table.loc["pima", "printed"] == "Pima Indians diabetes"


def test_leaves_and_accuracy_by_uncertainty_are_those_of_the_fits_that_chose_it(rows):
    table = soft_tables.soft_by_uncertainty(rows).set_index(["experiment", "method", "uncertainty"])
    wide = rows[rows["experiment"] == "test_noise"].pivot(
        index=["dataset", "repeat", "noise"], columns=["method", "metric"], values="value"
    )
    chosen = wide[wide["stp", "uncertainty"] == 0.1]
    found = table.loc["test_noise", "stp", 0.1]
    assert found["n_fits"] == len(chosen)
    leaves = (chosen["stp", "n_leaves"] - chosen["c45", "n_leaves"]).mean()
    assert found["n_leaves_diff_c45"] == pytest.approx(leaves, abs=1e-4)
    points = 100 * (chosen["stp", "accuracy"] - chosen["c45", "accuracy"]).mean()
    assert found["accuracy_diff_c45"] == pytest.approx(points, abs=1e-4)
    assert "c45" not in table.index.get_level_values("method")


def test_running_times_are_differences_to_c45_beside_the_published(published):
    times = pd.DataFrame(
        [
            ("training_noise", dataset, repeat, 0.0, method, seconds + repeat)
            for dataset in ("pima", "bupa", "wine")
            for repeat in (0, 1)
            for method, seconds in (("c45", 1.0), ("ss", 3.0))
        ],
        columns=["experiment", "dataset", "repeat", "noise", "method", "seconds"],
    )
    both = pd.concat([published["thesis_table_3_4"], published["thesis_table_3_5"]])
    table = soft_tables.soft_running_times(times, both)
    mean = table[table["dataset"] == MEAN].set_index("method")
    # Wine is not in table 3.1.
    assert mean["n_datasets"].tolist() == [2, 2]
    assert mean.loc["ss", ["seconds", "diff_c45", "published"]].tolist() == [3.5, 2.0, 2.7]
    assert mean.loc["c45", "diff_c45"] == 0
    assert list(table["dataset"].unique()) == [MEAN, "bupa", "pima", "wine"]
