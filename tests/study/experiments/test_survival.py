"""The steps of chapter 6: trees, permutations, survival in leaves, what is left of it."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from made_cohorts import FACTS, made_up

from hedgerow.errors import ConfigError
from hedgerow.survival import FixedGroups, compare_groups, leaf_survival, permuted_separation
from hedgerow.tree import Tree
from hedgerow_study.experiments.survival import claims as survival_claims
from hedgerow_study.experiments.survival import statistics as survival_statistics
from hedgerow_study.experiments.survival import steps as survival_steps
from hedgerow_study.experiments.survival.plan import SurvivalPlan
from hedgerow_study.reporting.claims import judge, of_experiment

ROOT = Path(__file__).parents[3]
PLAN = {
    "seed": 3,
    "cohorts": FACTS,
    "datasets": ("made_up",),
    "n_repeats": 2,
    "confidences": (0.5,),
    "repetition_factors": (0.7, 1.0),
    "leaf_sizes": (10, 20),
    "n_folds": 3,
    "n_permutations": 6,
    "n_bootstrap": 20,
}


@pytest.fixture(scope="module")
def plan():
    return SurvivalPlan(**PLAN)


@pytest.fixture(scope="module")
def table():
    return made_up()


@pytest.fixture(scope="module")
def own(table, plan):
    return survival_steps.cohort_of(table, plan)


@pytest.fixture(scope="module")
def learned(table, plan):
    return survival_steps.learn(table, plan)


@pytest.fixture(scope="module")
def described(table, learned, plan):
    return survival_steps.describe(table, learned["patients"], plan)


@pytest.fixture(scope="module")
def permuted(table, plan):
    return survival_steps.permute(table, plan)


def test_patients_and_their_leaves(own, learned, plan):
    patients, trees = learned["patients"], learned["trees"]
    assert patients["row"].tolist() == list(range(len(own.time)))
    time, event = own.natural_history()
    assert np.allclose(patients["time"], time)
    assert (patients["event"] == event).all()
    # Treated patients are followed to their treatment and no further.
    treated = patients["intervention"].notna()
    assert treated.any()
    assert np.allclose(patients.loc[treated, "time"], patients.loc[treated, "intervention"])
    assert (patients.loc[treated, "event"] == 0).all()
    for method, number in (("thesis", "number"), ("tuned", "number_tuned")):
        line = trees[(trees["repeat"] == 0) & (trees["method"] == method)].iloc[0]
        tree = Tree.from_json(line["tree"])
        leaves = np.flatnonzero(tree.feature < 0)
        assert (leaves[patients[number] - 1] == tree.apply(own.X.to_numpy(float))).all()
        assert line["n_leaves"] == len(leaves)
        assert line["root"] == own.X.columns[tree.feature[0]]
    assert set(trees["repeat"]) == {0, 1}
    y = patients["y"].to_numpy()
    assert ((y == 1) == ((time <= own.horizon) & (event == 1))).all()
    assert ((y == 0) == (time >= own.horizon) & (y != 1)).all()


def test_the_treatment_is_no_input(own):
    assert "treated_at" not in own.X


def test_tuned_settings_have_few_leaves_and_nearly_the_best_score(learned):
    grid = learned["tuning"]
    assert len(grid) == 4
    best = grid.loc[grid["f1"].idxmax()]
    near = grid[grid["f1"] >= best["f1"] - best["f1_error"]]
    (chosen,) = grid[grid["chosen"]].to_dict("records")
    assert chosen["n_leaves"] == near["n_leaves"].min()
    assert chosen["f1"] in near["f1"].tolist()


def test_performance_counts_patients_whose_class_is_known(learned):
    patients = learned["patients"]
    found = learned["performance"]
    found = found[(found["repeat"] == 0) & (found["method"] == "thesis")]
    found = found.set_index(["part", "metric"])
    who = ~patients["training"] & (patients["y"] >= 0)
    y, said = patients.loc[who, "y"], patients.loc[who, "said"]
    assert found.loc[("test", "accuracy"), "value"] == pytest.approx((y == said).mean())
    assert found.loc[("test", "accuracy"), "n"] == who.sum()
    dead = y == 1
    assert found.loc[("test", "death_recall"), "value"] == pytest.approx((said[dead] == 1).mean())
    assert found.loc[("test", "death_recall"), "n"] == dead.sum()
    assert found.loc[("test", "death_precision"), "n"] == (said == 1).sum()


def test_survival_of_each_part_is_that_of_its_patients(own, learned, described):
    patients, leaves = learned["patients"], described["leaves"]
    for part, who in (("test", ~patients["training"]), ("all", patients["training"].notna())):
        mine = leaves[(leaves["part"] == part) & (leaves["number"] > 0)].set_index("number")
        chosen = patients[who]
        direct = leaf_survival(FixedGroups(chosen["number"]), None, chosen["time"], chosen["event"])
        for column in ("n", "events", "median", "logrank_p", "hazard_ratio"):
            assert np.allclose(mine[column].astype(float), direct[column], equal_nan=True)
    everybody = leaves[(leaves["part"] == "all") & (leaves["number"] == 0)].iloc[0]
    assert everybody["n"] == len(patients)
    assert np.isnan(everybody["logrank_p"])
    adjusted = leaves.set_index("part")["n_adjusted"].dropna()
    assert set(adjusted.index) == {"all"}


def test_treated_patients_by_both_ways_of_counting(own, learned, described):
    patients, found = learned["patients"], described["treatment"]
    for way in ("inclusion", "landmark"):
        mine = found[(found["counted_from"] == way) & (found["number"] > 0)]
        direct = compare_groups(
            FixedGroups(patients["number"]),
            None,
            own.time,
            own.event,
            own.intervention,
            landmark=own.landmark,
            counted_from=way,
        )
        assert np.allclose(mine["logrank_p"], direct["logrank_p"], equal_nan=True)
        assert mine["n_treated"].tolist() == direct["n_treated"].tolist()
    assert (found[found["number"] == 0]["n_treated"] > 5).all()


def test_chunks_of_divisions_put_together_are_the_whole(table, learned, plan):
    """Patients and tuning are those of repeat 0; other chunks have their columns and types."""
    chunks = [survival_steps.learn(table, plan, [repeat]) for repeat in (1, 0)]
    merged = survival_steps.merged(**{name: [c[name] for c in chunks] for name in learned})
    for name, whole in learned.items():
        pd.testing.assert_frame_equal(merged[name], whole)
    for name in ("patients", "tuning"):
        pd.testing.assert_frame_equal(chunks[0][name], learned[name].iloc[:0])


def test_chunks_of_permutations_put_together_are_the_whole(table, own, permuted, plan):
    parts = [survival_steps.permute(table, plan, chunk) for chunk in ((4, 5, 3), (0,), (1, 2))]
    whole = pd.concat(parts).sort_values(["permutation", "part"]).reset_index(drop=True)
    pd.testing.assert_frame_equal(whole, permuted)
    seed = survival_steps.random_state(plan.seed, "survival", own.name, 2, "permutation")
    pipeline = survival_steps.pipeline_of(own, plan)
    one = permuted_separation(own.X, *own.natural_history(), seeds=[seed], **pipeline)
    mine = permuted[permuted["permutation"] == 2].set_index("part")
    assert mine.loc["all", "overall"] == one.set_index("part").loc["all", "overall"]


def test_what_is_left_of_a_leaf(described, permuted):
    found = survival_statistics.statistics(described["leaves"], described["separation"], [permuted])
    leaves = found["leaves"]
    null = permuted[permuted["part"] == "all"]["against_all"].to_numpy()
    for line in leaves[leaves["number"] > 0].to_dict("records"):
        p = (1 + (null >= line["logrank_chi2"] * (1 - 1e-9)).sum()) / 7
        assert line["logrank_p_permutation"] == pytest.approx(p)
        assert line["n_permutations"] == 6
    test = described["leaves"][described["leaves"]["part"] == "test"].set_index("number")
    mine = leaves.set_index("number")["logrank_p_test"].dropna()
    assert np.allclose(mine, test.loc[mine.index, "logrank_p"])
    separation = found["separation"].set_index("part")
    false = permuted[permuted["part"] == "training"]["n_selected"].gt(0).mean()
    assert separation.loc["training", "false_alarms"] == pytest.approx(false)


def leaves_of(**columns):
    """Leaves of a cohort `a`, with plain values where none are given."""
    n = len(next(iter(columns.values())))
    plain = {
        "dataset": ["a"] * n,
        "groups": ["learnt_tree"] * n,
        "number": range(1, n + 1),
        "cox_note": [""] * n,
        "n_permutations": [999] * n,
    }
    for part in ("", "_test"):
        plain |= {f"events{part}": [5] * n, f"hazard_ratio{part}": [0.5] * n}
        plain |= {f"logrank_p{part}": [0.5] * n}
    names = ("logrank_p_holm", "logrank_p_rest", "logrank_p_training", "logrank_p_permutation")
    return pd.DataFrame({**plain, **{name: [0.5] * n for name in names}, **columns})


def test_selected_leaves_and_what_survives():
    found = survival_statistics.selected(
        leaves_of(
            logrank_p=[0.001, 0.001, 0.001, 0.004, 0.2],
            hazard_ratio=[0.5, 2.0, 0.4, np.nan, 3.0],
            events=[5, 5, 5, 0, 5],
            logrank_p_test=[0.001, 0.001, 0.1, 0.001, 0.001],
            # The second leaf goes the other way on test patients.
            hazard_ratio_test=[0.5, 0.5, 0.5, 0.1, 2.0],
            logrank_p_holm=[0.001, 0.004, 0.1, 0.1, 0.001],
            logrank_p_permutation=[0.001, 0.004, 0.005, 0.3, 0.001],
        )
    ).iloc[0]
    counts = ("n_leaves", "n_selected", "n_longer", "n_shorter", "n_holm", "n_test")
    assert [found[name] for name in counts] == [5, 4, 3, 1, 2, 2]
    assert found["n_permutation"] == 2
    few = survival_statistics.selected(leaves_of(logrank_p=[0.001], n_permutations=[199]))
    assert np.isnan(few["n_permutation"].iloc[0])


def test_statements_are_judged_on_public_cohorts():
    """Each verdict, from frames in which it is plain."""
    specification = yaml.safe_load((ROOT / "config/claims.yaml").read_text(encoding="utf-8"))
    bound = of_experiment(specification, "survival")
    ends = {"test": 0.001, "training": 0.001, "all": 0.001}

    def separation(cohorts):
        return pd.DataFrame(
            [
                {"dataset": d, "part": part, "n_leaves": 3, "multivariate_logrank_p": p,
                 "p_permutation": 0.025}
                for d, own in cohorts.items()
                for part, p in {**ends, **own}.items()
            ]
        )  # fmt: skip

    good = leaves_of(
        logrank_p=[0.001, 0.001, 0.5, 0.5],
        hazard_ratio=[0.5, 2.0, 1.0, 1.0],
        events_test=[28, 28, 28, 27],
    )
    one_way = leaves_of(logrank_p=[0.001, 0.5], hazard_ratio=[0.5, 1.0], events_test=[100, 11])
    gain = pd.DataFrame(
        {
            "dataset": "a",
            "groups": "learnt_tree",
            "counted_from": "landmark",
            "number": [1, 2],
            "logrank_p": [0.001, 0.5],
            "hazard_ratio": [0.4, 0.9],
            "hazard_ratio_leaf_treated": [1.1, 1.0],
            "hazard_ratio_leaf_untreated": [2.0, 1.0],
        }
    )
    gain = pd.concat([gain, gain.assign(counted_from="inclusion")])
    nothing = gain.iloc[:0]

    def verdicts(leaves, treatment, cohorts):
        # Two cohorts alike: of one alone nothing is said of leaves.
        leaves, treatment = (
            pd.concat([frame, frame.assign(dataset="b")], ignore_index=True)
            for frame in (leaves, treatment)
        )
        cohorts = {**cohorts, "b": cohorts["a"]}
        cells = survival_claims.measured(leaves, treatment, separation(cohorts))
        return judge(bound, {"cohorts": cells}).set_index("claim")["verdict"].to_dict()

    all_well = verdicts(good, gain, {"a": {}})
    assert all_well == {
        "T6-01": "not testable",
        "T6-02": "not testable",
        **dict.fromkeys(("T6-03", "T6-04", "T6-05", "T6-06"), "reproduced"),
    }
    seen_only = verdicts(one_way, nothing, {"a": {"test": 0.3}})
    assert seen_only["T6-03"] == seen_only["T6-04"] == "partly"
    assert seen_only["T6-05"] == seen_only["T6-06"] == "inconclusive"
    none = verdicts(
        leaves_of(logrank_p=[0.5, 0.5], events_test=[60, 60]),
        gain.assign(logrank_p=0.3),
        {"a": dict.fromkeys(ends, 0.3)},
    )
    assert [none[f"T6-0{i}"] for i in (3, 4, 5)] == ["not reproduced"] * 3
    # p is above its bound in one of three: with 111 events it counts, with 110 it does not.
    for events, verdict in (([28, 28, 28, 27], "partly"), ([28, 28, 28, 26], "reproduced")):
        more = good.assign(dataset="c", events_test=events)
        mixed = verdicts(pd.concat([good, more]), nothing, {"a": {}, "c": {"test": 0.3}})
        assert mixed["T6-03"] == verdict
    alone = verdicts(good.assign(events_test=27), nothing, {"a": {}})
    assert alone["T6-03"] == "inconclusive"
    halved = verdicts(good, gain.assign(hazard_ratio_leaf_treated=1.5), {"a": {}})
    assert halved["T6-06"] == "partly"


def test_a_set_that_is_no_cohort(table, plan):
    other = SurvivalPlan(**{**PLAN, "cohorts": {}})
    with pytest.raises(ConfigError, match="made_up is no cohort"):
        survival_steps.cohort_of(table, other)
