"""The rule of thumb and the recordings of the same person."""

import numpy as np
import pandas as pd
import pytest
from scipy.special import softmax

from hedgerow.data import TidyTable
from hedgerow.errors import DataError
from hedgerow_study.extensions.uncertainty_benchmark import (
    repeated_recordings as uncertainty_benchmark_people,
)
from hedgerow_study.extensions.uncertainty_benchmark import rule as uncertainty_benchmark_rule
from hedgerow_study.extensions.uncertainty_benchmark.plan import ORDER, UncertaintyBenchmarkPlan
from hedgerow_study.extensions.uncertainty_benchmark.repeated_recordings import people
from hedgerow_study.extensions.uncertainty_benchmark.rule import cases, grow_rule, rule

SUITE = {
    "conditions": {
        "error": {"errors": "normal", "given": [1]},
        "missing": {"missing": "mcar"},
        "uncertain_labels": {"classes": "given"},
        "uncertain_labels_withheld": {"classes": "withheld"},
        "all": {"errors": "normal", "given": [1], "missing": "mcar", "classes": "given"},
    },
    "levels": {"errors": [0.2, 0.5], "missing": [0.1, 0.3], "classes": [0.05, 0.4]},
    "places": ["test", "both"],
}
PLAN = UncertaintyBenchmarkPlan(rule_leaves=3, n_people=2, n_trees=5)
METHODS = ("c45", "ss", "eig", "forest")


def made_up(better=None, n=8) -> pd.DataFrame:
    """MADE UP: accuracy of four learners; better: what a learner gains where, by condition."""
    random = np.random.default_rng(1)
    lines = []
    for k in range(n):
        name = f"set {k}"
        values = {"n_rows": 100 + k, "n_variables": 4, "n_classes": 2, "largest_class": 0.6}
        values["share_numeric"] = 1.0
        for metric, value in values.items():
            lines.append(("suite", name, 0, "clean", 0, "nowhere", "data", metric, value))
        for condition in ("clean", *SUITE["conditions"]):
            place = "nowhere" if condition == "clean" else "both"
            for level in (0,) if condition == "clean" else (0, 1):
                for repeat in (0, 1):
                    for method in METHODS:
                        gain = (better or {}).get((condition, method), 0.0)
                        value = 0.7 + gain + random.uniform(-1, 1) * 1e-4
                        key = ("suite", name, repeat, condition, level, place, method)
                        lines.append((*key, "accuracy", value))
                        lines.append((*key, "log_loss", 1 - value))
    return pd.DataFrame(lines, columns=[*ORDER["rows"], "value"])


BETTER = {("error", "ss"): 0.1, ("all", "ss"): 0.1, ("missing", "eig"): 0.08}
FOREST = {(c, "forest"): 0.05 for c in ("clean", *SUITE["conditions"])}


def test_cases_know_what_is_told_and_what_came_out():
    rows = made_up(BETTER)
    known, accuracy = cases(rows, SUITE)
    assert len(known) == len(accuracy) == 8 * 11 and list(accuracy.columns) == sorted(METHODS)
    told = known.xs("set 3", level="dataset")[["error", "missing", "uncertain_labels"]]
    expected = {
        ("clean", 0, "nowhere"): (0, 0, 0),
        ("error", 1, "both"): (0.5, 0, 0),
        ("missing", 0, "both"): (0, 0.1, 0),
        ("uncertain_labels", 1, "both"): (0, 0, 0.4),
        ("uncertain_labels_withheld", 1, "both"): (0, 0, 0),
        ("all", 1, "both"): (0.5, 0.3, 0.4),
    }
    assert {key: tuple(told.loc[key]) for key in expected} == expected
    assert (known["n_rows"].to_numpy() == 100 + np.repeat(np.arange(8), 11)).all()
    own = rows[(rows["metric"] == "accuracy") & (rows["dataset"] == "set 2")]
    own = own[(own["condition"] == "error") & (own["level"] == 1) & (own["method"] == "ss")]
    assert accuracy.loc[("set 2", "error", 1, "both"), "ss"] == pytest.approx(own["value"].mean())
    assert (known["exact_training"] == 0).all()
    in_use = rows.assign(place=rows["place"].replace("both", "test"))
    exact = cases(in_use, SUITE)[0]["exact_training"]
    assert (exact == (exact.index.get_level_values("place") == "test")).all()


def test_the_nearer_to_the_best_the_more_plausible(monkeypatch):
    """A learner two points behind the best is e times less plausible."""
    from hedgerow.evidential.learner import EvidentialTreeClassifier

    seen = []
    own = EvidentialTreeClassifier.fit

    def fit(self, X, *more, **named):
        seen.append(X)
        return own(self, X, *more, **named)

    monkeypatch.setattr(EvidentialTreeClassifier, "fit", fit)
    known, accuracy = cases(made_up(BETTER), SUITE)
    grow_rule(known, accuracy, 3)
    plausible = seen[0].y_plausibility
    expected = softmax(accuracy.to_numpy() / 0.02, axis=1)
    expected /= expected.max(axis=1, keepdims=True)
    np.testing.assert_allclose(plausible, expected)


def test_a_leaf_recommends_what_was_most_accurate_there():
    known, accuracy = cases(made_up(BETTER), SUITE)
    model, recommended = grow_rule(known, accuracy, 4)
    leaf = model.apply(known.reset_index(drop=True))
    assert set(leaf) <= set(recommended) and model.tree_.n_leaves <= 4
    told = np.array([recommended[number] for number in leaf])
    assert set(told[known["error"] > 0]) == {"ss"}
    alone = (known["missing"] > 0) & (known["error"] == 0)
    assert set(told[alone.to_numpy()]) == {"eig"}


def test_a_rule_is_told_with_its_accuracies():
    made = rule(made_up({**BETTER, **FOREST}), SUITE, PLAN)
    leaves = made["leaves"]
    assert leaves.groupby("among").size().max() <= 3 and set(leaves["among"]) == {"readable", "all"}
    own = leaves[leaves["among"] == "readable"]
    assert "forest" not in set(own["method"]) and (own["n_datasets"] == 8).all()
    assert own["n_cases"].sum() == 8 * 11
    with_errors = own[own["method"] == "ss"].iloc[0]
    assert "error >=" in with_errors["rule"] and with_errors["n_cases"] == 8 * 4
    assert with_errors["accuracy"] == pytest.approx(0.8, abs=1e-3)
    assert with_errors["accuracy_c45"] == pytest.approx(0.7, abs=1e-3)
    assert with_errors["accuracy_forest"] == pytest.approx(0.75, abs=1e-3)
    assert (own["accuracy_best"] >= own["accuracy"] - 1e-12).all()


def test_a_rule_is_tried_on_data_sets_that_it_has_not_seen(monkeypatch):
    seen = []

    def noted(known, accuracy, n, own=uncertainty_benchmark_rule.grow_rule):
        seen.append(set(accuracy.index.get_level_values("dataset")))
        return own(known, accuracy, n)

    monkeypatch.setattr(uncertainty_benchmark_rule, "grow_rule", noted)
    honesty = rule(made_up(BETTER), SUITE, PLAN)["honesty"]
    assert sorted(map(len, seen)) == [7] * 16 + [8] * 2
    wide = honesty[honesty["among"] == "readable"].pivot(
        index="dataset", columns="choice", values="accuracy"
    )
    assert len(wide) == 8
    # Of 11 cases ss gains .1 in four and eig .08 in two.
    assert wide["rule"].to_numpy() == pytest.approx(0.7 + (4 * 0.1 + 2 * 0.08) / 11, abs=2e-3)
    assert wide["best_single"].to_numpy() == pytest.approx(0.7 + 4 * 0.1 / 11, abs=1e-3)
    assert wide["c45"].to_numpy() == pytest.approx(0.7, abs=1e-3)
    assert (wide["hindsight"] >= wide["rule"] - 1e-12).all()


def test_a_rule_that_holds_nowhere_else_is_seen_to_fail():
    """One data set alone wants another learner: the rule of the others is no good for it."""
    rows = made_up(FOREST)
    odd = (rows["dataset"] == "set 0") & (rows["method"] == "eig") & (rows["metric"] == "accuracy")
    rows.loc[odd, "value"] = 0.95
    honesty = rule(rows, SUITE, PLAN)["honesty"]
    own = honesty[(honesty["among"] == "all") & (honesty["dataset"] == "set 0")]
    own = own.set_index("choice")["accuracy"]
    assert own["hindsight"] == pytest.approx(0.95) and own["rule"] == pytest.approx(0.75, abs=1e-3)


def test_without_rows_or_with_one_data_set_there_is_no_honesty():
    none = rule(made_up(BETTER).iloc[:0], SUITE, PLAN)
    assert none["leaves"].empty and none["honesty"].empty
    one = rule(made_up(BETTER, n=1), SUITE, PLAN)
    assert len(one["leaves"]) and one["honesty"].empty


# ------------------------------------------------------------------------------------- people


def recordings(n_people=12, each=5, spread=0.1, seed=2) -> TidyTable:
    """MADE UP: a number that tells the class of a person, measured with an error, and another."""
    random = np.random.default_rng(seed)
    person = np.repeat(np.arange(n_people), each)
    y = (np.arange(n_people) % 2)[person]
    true = (y + random.normal(0, 0.1, n_people)[person])[:, None]
    X = true + np.array([0.0, 5.0]) + random.normal(0, spread, (len(y), 2))
    frame = pd.DataFrame(X, columns=["a", "b"])
    names = np.array([f"S{p:02d}" for p in person])
    return TidyTable("made_up", frame, y, ["no", "yes"], "class", group=names)


def test_every_learner_answers_one_recording_of_each_test_person():
    found = people(recordings(), PLAN)
    assert not found.duplicated(["dataset", "repeat", "method", "metric"]).any()
    counts = found.groupby("method")["metric"].agg(set)
    plain = {"accuracy", "log_loss", "changes"}
    assert counts["c45"] == counts["forest"] == plain
    assert counts["c45_given"] == counts["uncertain_data_tree"] == plain | {"expected_changes"}
    assert set(found["repeat"]) == {0, 1}
    shares = found[found["metric"] != "log_loss"]["value"]
    assert shares.between(0, 1).all()
    chunks = [people(recordings(), PLAN, [repeat]) for repeat in (0, 1)]
    pd.testing.assert_frame_equal(found, pd.concat(chunks, ignore_index=True))


def test_recordings_that_are_alike_change_no_answer():
    """And with errors as large as what tells the classes, many should change, and do."""
    same = people(recordings(spread=1e-9), PLAN).set_index(["method", "metric"])["value"]
    assert (same.xs("changes", level="metric") == 0).all()
    assert same.xs("expected_changes", level="metric").max() < 1e-3
    noisy = people(recordings(n_people=40, spread=0.8), PLAN)
    noisy = noisy.groupby(["method", "metric"])["value"].mean()
    assert noisy["c45", "changes"] > 0.2 and noisy["c45_given", "expected_changes"] > 0.1


def test_one_recording_is_answered_and_the_others_tell_its_errors():
    table = recordings(n_people=4, each=4)
    answered = uncertainty_benchmark_people._classified_rows(table, np.random.default_rng(0))
    assert [table.group[row] for row in answered] == ["S00", "S01", "S02", "S03"]
    errors = uncertainty_benchmark_people._errors(table, answered)
    for k, row in enumerate(answered):
        others = [i for i in range(len(table)) if table.group[i] == table.group[row] and i != row]
        assert len(others) == 3
        for name in ("a", "b"):
            expected = np.std(table.X[name].to_numpy()[others], ddof=1)
            assert errors[name].iloc[k] == pytest.approx(expected)


def test_persons_are_in_one_part_and_each_counts_once(monkeypatch):
    parts = []

    def split(table, *more, own=uncertainty_benchmark_people.split_groups, **named):
        parts.append(own(table, *more, **named))
        return parts[-1]

    monkeypatch.setattr(uncertainty_benchmark_people, "split_groups", split)
    table = recordings()
    people(table, PLAN)
    assert len(parts) == 2
    for train, test in parts:
        assert not set(table.group[train]) & set(table.group[test])
        assert len(set(table.group[test])) == 4


def test_a_table_without_persons_is_refused():
    from dataclasses import replace

    with pytest.raises(DataError, match="no groups are known"):
        people(replace(recordings(), group=None), PLAN)
