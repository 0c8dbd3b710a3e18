"""All answers to doubt: the registered suite, its doubts, its learners and their scores."""

from __future__ import annotations

import dataclasses
import warnings
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from sklearn.ensemble import RandomForestClassifier
from sklearn.metrics import f1_score, log_loss
from sklearn.tree import DecisionTreeClassifier

from hedgerow import C45Classifier, EvidentialTreeClassifier, Uncertain
from hedgerow.data import TidyTable, folds, load_registry, rng
from hedgerow.data.archive import place as archived
from hedgerow.errors import ConfigError, HedgerowWarning
from hedgerow.files import read_yaml
from hedgerow_study.experiments.frames import one_thread, random_state
from hedgerow_study.experiments.missing.steps import one_hot
from hedgerow_study.extensions.uncertainty_benchmark import learners, samples, steps
from hedgerow_study.extensions.uncertainty_benchmark.learners import (
    CONFIDENCES,
    SETTINGS,
    fit_method,
)
from hedgerow_study.extensions.uncertainty_benchmark.plan import (
    AGAINST,
    COMPARED,
    METHODS,
    OTHERS,
    PART,
    PROPERTIES,
    READABLE,
    UncertaintyBenchmarkPlan,
)
from hedgerow_study.extensions.uncertainty_benchmark.samples import Cell, Sample, cells
from hedgerow_study.extensions.uncertainty_benchmark.statistics import merged
from hedgerow_study.extensions.uncertainty_benchmark.tables import (
    CONDITION_LABELS,
    LABELS,
    interval,
)

ROOT = Path(__file__).parents[3]
REGISTERED = read_yaml(ROOT / "config/suite.yaml")
SUITE = {**REGISTERED, "datasets": ["other", "made_up"]}
PLAN = UncertaintyBenchmarkPlan(
    seed=3, n_rows=60, levels=(1,), n_settings=1, n_trees=5, n_rounds=5, max_nodes=30
)
CONDITIONS = tuple(REGISTERED["conditions"])
WITH_ERRORS = ("error", "heavy_tails", "wrong_size", "all")
TWICE = {"uncertain_labels": "training", "uncertain_labels_withheld": "training"}
KEY = ["part", "dataset", "repeat", "condition", "level", "place", "method", "metric"]
#: Of every learner; a tree has `n_leaves` as well, and where there are errors answers change.
METRICS = {"accuracy", "macro_f1", "log_loss", "brier", "calibration", "setting"}


def made_up(n=60, seed=0, gaps=True) -> TidyTable:
    """Two numbers that tell something of the class, one that does not, and a category."""
    random = np.random.default_rng(seed)
    y = np.arange(n) % 3
    X = pd.DataFrame({"a": y + random.normal(0, 0.7, n), "b": 10 * y + random.normal(0, 9, n)})
    X["kind"] = pd.Categorical(random.choice(["u", "v", "w"], n))
    X["c"] = random.normal(5, 2, n)
    if gaps:
        X.loc[::9, "b"] = np.nan
        X.loc[::11, "kind"] = None
    return TidyTable("made_up", X, y, ["0", "1", "2"], "class")


@pytest.fixture(autouse=True, scope="module")
def quick():
    """No threads, as in `run`, and few trees that find the border."""
    with one_thread(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(samples, "N_TREES", 8)
        yield


@pytest.fixture(autouse=True)
def quiet():
    """As in `run`: E2M is given errors as well, and says that it leaves them aside."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HedgerowWarning)
        yield


def sample(repeat=0, n=60, **more) -> Sample:
    plan = dataclasses.replace(PLAN, n_rows=n)
    return steps.sample_of(made_up(n, **more), repeat, SUITE, plan)


def cell(condition, level=1, place="both") -> Cell:
    if condition == "clean":
        return Cell("clean", 0, "nowhere")
    return Cell(condition, level, TWICE.get(condition, place))


# ---------------------------------------------------------------------------- what is registered


def test_data_sets_of_the_suite_are_archived_have_numbers_and_are_no_variants():
    names, registry = REGISTERED["datasets"], load_registry()
    assert len(names) >= 30 and len(set(names)) == len(names) and names == sorted(names)
    for name in names:
        entry = registry[name]
        assert entry.parent is None and entry.synthetic_plan is None
        assert entry.task == "classification"
        assert any(archived(source).is_file() for source in entry.sources), name
        assert any(variable not in entry.categories for variable in entry.variables), name


def test_conditions_and_levels_of_the_suite():
    conditions = REGISTERED["conditions"]
    assert len(conditions) == 8
    assert [*CONDITION_LABELS] == ["clean", *conditions]
    assert set(REGISTERED["levels"]) == {"errors", "missing", "classes"}
    for levels in REGISTERED["levels"].values():
        assert len(levels) == 3 and levels == sorted(set(levels))
    for what in conditions.values():
        assert set(what) - {"given"} <= set(REGISTERED["levels"])
        assert ("given" in what) == ("errors" in what)
    assert tuple(REGISTERED["against"]) == AGAINST
    assert REGISTERED["places"] == ["test", "both"]


def planned(name) -> UncertaintyBenchmarkPlan:
    """The plan of a configuration of the project."""
    default, own = (read_yaml(ROOT / f"config/{file}.yaml") for file in ("default", name))
    return UncertaintyBenchmarkPlan.from_config(
        {**default["uncertainty_benchmark"], **own["uncertainty_benchmark"]}, 0, name
    )


def test_the_paper_scale_runs_what_is_registered():
    plan = planned("paper")
    assert list(plan.datasets) == REGISTERED["datasets"]
    assert (plan.n_repeats, plan.n_rows) == (REGISTERED["n_repeats"], REGISTERED["n_rows"])
    assert plan.n_settings == REGISTERED["n_settings"]
    assert plan.levels == tuple(range(3)) and plan.methods == METHODS


@pytest.mark.parametrize("name", ["default", "smoke"])
def test_smaller_scales_are_parts_of_the_suite(name):
    plan = planned(name)
    assert set(plan.datasets) <= set(REGISTERED["datasets"])
    assert plan.n_repeats <= REGISTERED["n_repeats"] and set(plan.levels) <= {0, 1, 2}


def test_every_learner_has_as_many_settings_as_the_suite_lets_it_choose_from():
    assert set(SETTINGS) < set(METHODS)
    for settings in (CONFIDENCES, *SETTINGS.values()):
        assert len(settings) == REGISTERED["n_settings"]
        assert len({tuple(sorted(one.items())) for one in settings}) == len(settings)
    assert set(LABELS) == set(METHODS) and set(OTHERS) & set(READABLE) == {"cart"}


# ----------------------------------------------------------------------------------------- cells


@pytest.mark.parametrize("number", [0, 1])
def test_two_repeats_have_each_cell_once_and_one_has_half(number):
    levels = (0, 1, 2)
    found = [list(cells(SUITE, number, repeat, levels)) for repeat in (4, 5)]
    doubtful = [[c for c in one if c.condition != "clean"] for one in found]
    whole = [
        Cell(condition, level, place)
        for condition in CONDITIONS
        for level in levels
        for place in ([TWICE[condition]] if condition in TWICE else ["test", "both"])
    ]
    assert sorted(doubtful[0] + doubtful[1]) == sorted(whole)
    for one in found:
        assert [c for c in one if c.condition == "clean"] == [Cell("clean", 0, "nowhere")]
    for condition in CONDITIONS:
        n = [sum(c.condition == condition for c in one) for one in doubtful]
        assert n == [3, 3] if condition not in TWICE else sorted(n) == [1, 2]


def test_the_first_data_set_has_the_even_cells():
    found = [*cells(SUITE, 0, 0, (0, 1))]
    own = [c[1:] for c in found if c.condition == "error"]
    assert own == [(0, "test"), (1, "both")]
    assert [c[1:] for c in found if c.condition == "uncertain_labels"] == [(0, "training")]
    # The next data set begins with the other half.
    own = [c[1:] for c in cells(SUITE, 1, 0, (0, 1)) if c.condition == "error"]
    assert own == [(0, "both"), (1, "test")]
    own = [c[1:] for c in cells(SUITE, 0, 0, (1,)) if c.condition == "error"]
    assert own == [(1, "both")]


# ---------------------------------------------------------------------------------------- doubts

NUMBERS = [0, 1, 3]  # columns of the made-up table


def drawn(condition, level, place="both", part="test", n_repeats=10):
    """Errors in standard deviations of their variables, of several repeats, and those told."""
    found, told = [], []
    for repeat in range(n_repeats):
        one = sample(repeat, n=200)
        case = one.case(cell(condition, level, place))
        rows = one.train if part == "train" else one.test
        values = case.train.values if part == "train" else case.test.values
        known = ~np.isnan(values[:, NUMBERS])
        errors = (values - one.values[rows])[:, NUMBERS] / one.spread[NUMBERS]
        found.append(errors[known])
        spread = np.nanstd(one.values[one.train], axis=0)
        told.append(case.test.errors["c"] / spread[3])
    return np.concatenate(found), told


@pytest.mark.parametrize("level", [0, 2])
@pytest.mark.parametrize("part", ["train", "test"])
def test_errors_are_of_the_size_that_is_told(part, level):
    errors, told = drawn("error", level, part=part)
    size = REGISTERED["levels"]["errors"][level]
    assert told == pytest.approx([size] * 10)
    # Four standard errors of a standard deviation.
    assert errors.std() == pytest.approx(size, rel=4 / np.sqrt(2 * len(errors)))
    assert stats.kstest(errors, stats.norm(0, size).cdf).pvalue > 0.01
    assert stats.kstest(errors, stats.norm(0, 1.2 * size).cdf).pvalue < 0.001


def test_heavy_tails_have_the_same_spread():
    errors, told = drawn("heavy_tails", 2)
    assert told == pytest.approx([0.6] * 10)
    assert stats.kstest(errors, stats.t(3, scale=0.6 / np.sqrt(3)).cdf).pvalue > 0.01
    assert stats.kstest(errors, stats.norm(0, 0.6).cdf).pvalue < 0.001
    assert errors.std() == pytest.approx(0.6, rel=0.15)


def test_a_wrong_size_is_told_as_twice_or_half():
    errors, told = drawn("wrong_size", 1, n_repeats=4)
    assert told == pytest.approx([0.6, 0.15, 0.6, 0.15])
    assert stats.kstest(errors, stats.norm(0, 0.3).cdf).pvalue > 0.01


def test_errors_are_told_of_numbers_only():
    case = sample().case(cell("error"))
    assert list(case.train.errors) == ["a", "b", "c"] and case.test.errors == case.train.errors
    for condition in ("clean", "missing", "uncertain_labels"):
        assert sample().case(cell(condition)).train.errors is None


@pytest.mark.parametrize("condition", [c for c in CONDITIONS if c not in TWICE])
def test_doubts_in_use_leave_the_values_of_training_as_they_are(condition):
    one = sample()
    case = one.case(cell(condition, place="test"))
    np.testing.assert_array_equal(case.train.values, one.values[one.train])
    assert not np.array_equal(case.test.values, one.values[one.test], equal_nan=True)
    both = one.case(cell(condition))
    assert not np.array_equal(both.train.values, one.values[one.train], equal_nan=True)
    # What is in use is the same, whether it was in training or not.
    np.testing.assert_array_equal(both.test.values, case.test.values)


@pytest.mark.parametrize("condition", ["clean", *TWICE])
def test_without_errors_and_gaps_values_stay(condition):
    one = sample()
    case = one.case(cell(condition))
    np.testing.assert_array_equal(case.train.values, one.values[one.train])
    np.testing.assert_array_equal(case.test.values, one.values[one.test])
    pd.testing.assert_frame_equal(case.test.X, one.table.X.iloc[one.test].reset_index(drop=True))
    assert case.again is None
    np.testing.assert_array_equal(case.test.y, one.table.y[one.test])


@pytest.mark.parametrize("condition", WITH_ERRORS)
def test_a_second_measurement_has_the_gaps_of_the_first_and_other_errors(condition):
    one = sample(n=200)
    case = one.case(cell(condition))
    gaps = np.isnan(case.test.values)
    np.testing.assert_array_equal(np.isnan(case.again.values), gaps)
    assert (gaps.sum() > np.isnan(one.values[one.test]).sum()) == (condition == "all")
    true = one.values[one.test][:, NUMBERS]
    first, second = (part.values[:, NUMBERS] - true for part in (case.test, case.again))
    known = ~gaps[:, NUMBERS]
    assert (first != second)[known].all()
    for k in range(3):
        own = known[:, k]
        assert abs(stats.spearmanr(first[own, k], second[own, k]).statistic) < 0.4
    np.testing.assert_array_equal(case.again.values[:, 2], case.test.values[:, 2])
    np.testing.assert_array_equal(case.again.y, case.test.y)


@pytest.mark.parametrize("condition", ["missing", "missing_not_at_random", "all"])
@pytest.mark.parametrize("level", [0, 2])
def test_the_share_of_gaps_is_that_of_the_level(condition, level):
    share, n, gone = REGISTERED["levels"]["missing"][level], 0, 0
    for repeat in range(4):
        one = sample(repeat, n=200)
        case = one.case(cell(condition, level))
        for rows, part in ((one.train, case.train), (one.test, case.test)):
            known = ~np.isnan(one.values[rows])
            assert np.isnan(part.values[~known]).all()
            n += known.sum()
            gone += np.isnan(part.values[known]).sum()
    assert gone / n == pytest.approx(share, abs=4 * np.sqrt(share * (1 - share) / n))


@pytest.mark.parametrize(
    ("condition", "higher"), [("missing", False), ("missing_not_at_random", 1)]
)
def test_what_is_missing_not_at_random_is_high(condition, higher):
    one = sample(n=600, gaps=False)
    part = one.case(cell(condition)).train
    true = one.values[one.train]
    for k in NUMBERS:
        gone = np.isnan(part.values[:, k])
        p = stats.mannwhitneyu(true[gone, k], true[~gone, k], alternative="greater").pvalue
        assert p < 1e-4 if higher else p > 0.01


@pytest.mark.parametrize("condition", ["clean", *CONDITIONS])
def test_a_case_follows_from_its_seed_alone(condition):
    one = sample(1)
    for c in (cell("all"), cell("missing_not_at_random", 2)):
        one.case(c)  # what was asked before changes nothing
    first, second = one.case(cell(condition)), sample(1).case(cell(condition))
    for a, b in zip(first, second, strict=True):
        if a is None:
            assert b is None
            continue
        pd.testing.assert_frame_equal(a.X, b.X)
        np.testing.assert_array_equal(a.values, b.values)
        np.testing.assert_array_equal(a.y, b.y)
        assert a.errors == b.errors
        assert np.array_equal(a.plausibility, b.plausibility) or a.plausibility is None
    if condition == "clean":
        return
    other = steps.sample_of(made_up(), 1, SUITE, dataclasses.replace(PLAN, seed=4))
    case = other.case(cell(condition))
    assert not first.train.X.equals(case.train.X)


def test_repeats_draw_other_rows_and_other_errors():
    parts = [sample(repeat, n=200) for repeat in (0, 1)]
    assert not np.array_equal(parts[0].test, parts[1].test)
    errors = [
        one.case(cell("error")).test.values[:, 3] - one.values[one.test][:, 3] for one in parts
    ]
    assert not np.isin(errors[0].round(9), errors[1].round(9)).any()
    plan = dataclasses.replace(PLAN, n_rows=40)
    drawn = [steps.sample_of(made_up(), repeat, SUITE, plan).table for repeat in (0, 1)]
    assert [len(table) for table in drawn] == [40, 40] and not drawn[0].X.equals(drawn[1].X)


def test_rows_are_divided_as_the_suite_says():
    one = sample(n=200)
    assert len(one.test) == 80 and sorted([*one.train, *one.test]) == list(range(200))
    counts = np.bincount(one.table.y[one.test])
    assert counts.max() - counts.min() <= 1
    suite = {**SUITE, "n_rows": 50}
    assert len(steps.sample_of(made_up(200), 0, suite, PLAN).table) == 50


@pytest.mark.parametrize("condition", ["clean", *CONDITIONS])
def test_categories_stay_and_codes_agree(condition):
    one = sample()
    for part in one.case(cell(condition)):
        if part is None:
            continue
        assert (part.X.dtypes == one.table.X.dtypes).all()
        assert list(part.X.index) == list(range(len(part.y)))
        codes = part.X["kind"].cat.codes.to_numpy().astype(float)
        np.testing.assert_array_equal(np.where(codes < 0, np.nan, codes), part.values[:, 2])
        np.testing.assert_array_equal(part.X[["a", "b", "c"]], part.values[:, NUMBERS])
        true = one.table.X["kind"].cat.codes.to_numpy()
        rows = one.train if len(part.y) == len(one.train) else one.test
        known = codes >= 0
        np.testing.assert_array_equal(codes[known], true[rows][known])


def test_some_rows_have_what_is_told_of_them():
    part = sample().case(cell("all")).train
    rows = np.array([7, 2, 30])
    some = part.take(rows)
    np.testing.assert_array_equal(some.plausibility, part.plausibility[rows])
    np.testing.assert_array_equal(some.values, part.values[rows])
    np.testing.assert_array_equal(some.y, part.y[rows])
    assert some.X.equals(part.X.iloc[rows]) and some.errors == part.errors
    np.testing.assert_array_equal(
        some.with_uncertainty(["y_plausibility"]).y_plausibility, part.plausibility[rows]
    )


# ------------------------------------------------------------------------------ doubtful classes


def bordered(repeat=0, n=200):
    """A sample whose rows are the nearer to the border the higher their number, and the class
    beyond it is the next."""
    one = sample(repeat, n=n)
    one._border = ((one.table.y + 1) % 3, 1.0 - np.arange(n) / n)
    return one


@pytest.mark.parametrize("level", [0, 1, 2])
@pytest.mark.parametrize("condition", ["uncertain_labels", "uncertain_labels_withheld", "all"])
def test_only_rows_nearest_to_the_border_are_doubtful(condition, level):
    n = round(REGISTERED["levels"]["classes"][level] * 120)
    wrong = 0
    for repeat in range(8):
        one = bordered(repeat)
        case, true = one.case(cell(condition, level)), one.table.y[one.train]
        changed = np.flatnonzero(case.train.y != true)
        assert changed.min() >= 120 - n
        assert (case.train.y[changed] == (true[changed] + 1) % 3).all()
        np.testing.assert_array_equal(case.test.y, one.table.y[one.test])
        wrong += len(changed)
    mistake = REGISTERED["mistake"]
    assert wrong / (8 * n) == pytest.approx(mistake, abs=4 * np.sqrt(mistake * 0.7 / (8 * n)))


@pytest.mark.parametrize("condition", ["uncertain_labels", "all"])
def test_told_are_the_odds_of_both_classes_and_nothing_else(condition):
    one = bordered()
    case, true = one.case(cell(condition)), one.table.y[one.train]
    told, rows = case.train.plausibility, np.arange(120)
    assert (told[rows, case.train.y] == 1).all()
    near = rows >= 120 - 24
    other = np.where(case.train.y == true, (true + 1) % 3, true)
    assert told[rows, other][near] == pytest.approx(0.3 / 0.7)
    assert (np.count_nonzero(told, axis=1) == np.where(near, 2, 1)).all()
    assert case.test.plausibility is None
    # A doubtful row says nothing of which of both classes is the true one.
    assert (case.train.y[near] != true[near]).any()


def test_untold_classes_are_those_that_are_told():
    one = sample()
    told, untold = (one.case(cell(c)) for c in TWICE)
    np.testing.assert_array_equal(told.train.y, untold.train.y)
    assert untold.train.plausibility is None and told.train.plausibility is not None
    for condition in ("clean", "error", "missing"):
        part = one.case(cell(condition)).train
        assert part.plausibility is None
        np.testing.assert_array_equal(part.y, one.table.y[one.train])


def test_the_border_is_that_of_forests_that_have_not_seen_the_row(monkeypatch):
    monkeypatch.setattr(samples, "N_TREES", 15)
    one = sample(2)
    second, margin = one.border
    y, X = one.table.y, one_hot(one.values, one.n_categories)
    fold = folds(y, 5, rng(3, "answers", "made_up", 2, "border"))
    state = random_state(3, "answers", "made_up", 2, "border")
    for k in range(5):
        forest = RandomForestClassifier(15, random_state=state).fit(X[fold != k], y[fold != k])
        for row in np.flatnonzero(fold == k):
            said = forest.predict_proba(X[[row]])[0]
            others = {c: said[c] for c in range(3) if c != y[row]}
            assert second[row] == max(others, key=others.get)
            assert margin[row] == pytest.approx(abs(said[y[row]] - max(others.values())))
    assert one.border[0] is second


# -------------------------------------------------------------------------------------- learners


def parts_of(case, lack):
    """Training rows as they are, without a class, and with columns that tell nothing."""
    train = case.train
    if lack == "a class":
        return train.take(np.flatnonzero(train.y != 1))
    if lack == "a class of which nothing is plausible":
        train = train.take(np.flatnonzero(train.y != 1))
        if train.plausibility is None:
            return train
        plausibility = train.plausibility.copy()
        plausibility[:, 1] = 0.0
        return dataclasses.replace(train, plausibility=plausibility)
    if lack == "values":
        values = train.values.copy()
        values[:, 0], values[:, 1:3] = 1.0, np.nan
        empty = pd.Categorical([None] * len(values), categories=["u", "v", "w"])
        X = train.X.assign(a=1.0, b=np.nan, kind=empty)
        return dataclasses.replace(train, X=X, values=values)
    return train


LACKS = ("nothing", "a class", "a class of which nothing is plausible", "values")


@pytest.fixture(scope="module")
def cases():
    one = sample()
    return {condition: one.case(cell(condition)) for condition in ("clean", *CONDITIONS)}


@pytest.mark.parametrize("lack", LACKS)
@pytest.mark.parametrize("method", METHODS)
def test_every_learner_gives_a_proper_distribution(cases, method, lack):
    for condition, case in cases.items():
        train = parts_of(case, lack)
        model = fit_method(method, 0, train, 3, PLAN, 0)
        for rows in (case.test, case.again or case.test):
            said = model.probabilities(rows)
            assert said.shape == (len(rows.y), 3) and (said > 0).all(), condition
            assert said.sum(axis=1) == pytest.approx(1.0)
        assert (model.n_leaves is not None) == (method in READABLE)
        assert model.n_leaves is None or model.n_leaves >= 1
        told = method in learners.UNCERTAINTY_USED and train.plausibility is not None
        if lack.startswith("a class") and not told:
            assert said[:, 1].max() < 1e-5 and list(model.classes) == [0, 2]


@pytest.fixture(scope="module")
def larger():
    return sample(n=200).case(cell("error"))


@pytest.mark.parametrize("method", METHODS)
def test_all_settings_are_taken_and_not_all_are_alike(larger, method):
    said = [
        fit_method(method, k, larger.train, 3, PLAN, 0).probabilities(larger.test) for k in range(4)
    ]
    assert any(not np.allclose(said[0], other) for other in said[1:])
    for other in said:
        assert other.sum(axis=1) == pytest.approx(1.0)


class Spy:
    """A learner that keeps what it was fitted with."""

    def __init__(self, model):
        self._model, self.seen = model, None

    def fit(self, X, y):
        self.seen = X
        self._model.fit(X, y)
        return self

    def __getattr__(self, name):
        return getattr(self._model, name)


@pytest.fixture
def spied(monkeypatch):
    """What a learner is told in a condition: parameters of its own, and what it was fitted with."""
    ours = learners._own_tree

    def told(method, case):
        kept = []

        def made(*arguments):
            kept.append(Spy(ours(*arguments)))
            return kept[-1]

        monkeypatch.setattr(learners, "_own_tree", made)
        fit_method(method, 0, case.train, 3, PLAN, 0)
        return (kept[0].get_params(), kept[0].seen) if kept else ({}, None)

    return told


#: By hand: where errors of each learner go.
TOLD_ERRORS = {
    "ss": {"search"},
    "stp": {"propagation"},
    "se": {"evaluation"},
    "ss_stp_se": {"search", "propagation", "evaluation"},
    **{name: {"data"} for name in ("udt", "optimal", "uncertain_data_tree")},
}
#: By hand: who is told how plausible classes are.
TOLD_CLASSES = ("e2m", "uncertain_data_tree")


@pytest.mark.parametrize("condition", ["clean", *CONDITIONS])
@pytest.mark.parametrize("method", METHODS)
def test_who_is_told_what(cases, spied, method, condition):
    case = cases[condition]
    parameters, seen = spied(method, case)
    errors = case.train.errors
    assert (errors is None) == (condition not in WITH_ERRORS)
    where = {name for name, value in parameters.items() if value is errors} if errors else set()
    data = isinstance(seen, Uncertain)
    if data and seen.error is not None:
        assert dict(seen.error) == errors
        where.add("data")
    assert where == (TOLD_ERRORS.get(method, set()) if errors else set())
    names = ("search", "propagation", "evaluation")
    if method in learners.SOFT and errors:
        assert parameters["error_unit"] == "absolute"
        assert not any(parameters[name] for name in names if name not in where)
    plausible = data and seen.y_plausibility is not None
    assert plausible == (method in TOLD_CLASSES and condition in ("uncertain_labels", "all"))
    if plausible:
        np.testing.assert_array_equal(seen.y_plausibility, case.train.plausibility)
        assert list(seen.classes) == [0, 1, 2]
    if parameters and method not in ("e2m", "confdtree"):
        assert parameters["smoothing"] is True


def test_a_best_tree_looks_at_fewer_branches_where_there_are_errors(cases, spied):
    assert spied("optimal", cases["missing"])[0]["max_nodes"] == 30
    assert spied("optimal", cases["error"])[0]["max_nodes"] == 3


@pytest.mark.parametrize("method", [*learners.SOFT])
def test_soft_trees_that_are_told_no_errors_are_c45(cases, method):
    for condition in ("clean", "missing", "missing_not_at_random", "uncertain_labels"):
        case = cases[condition]
        for k in (0, 3):
            one, c45 = (fit_method(m, k, case.train, 3, PLAN, 0) for m in (method, "c45"))
            np.testing.assert_array_equal(
                one.probabilities(case.test), c45.probabilities(case.test)
            )
            assert one.n_leaves == c45.n_leaves
    case = cases["error"]
    one, c45 = (
        fit_method(m, 3, case.train, 3, PLAN, 0).probabilities(case.test) for m in (method, "c45")
    )
    assert not np.allclose(one, c45)


@pytest.mark.parametrize("condition", ["error", "heavy_tails", "wrong_size"])
def test_where_only_errors_are_told_the_tree_for_all_doubts_is_the_soft_tree(condition):
    case = sample(n=120, gaps=False).case(cell(condition))
    for k in range(4):
        one, soft = (
            fit_method(m, k, case.train, 3, PLAN, 0) for m in ("uncertain_data_tree", "ss_stp_se")
        )
        np.testing.assert_allclose(
            one.probabilities(case.test), soft.probabilities(case.test), rtol=0, atol=1e-12
        )
        assert one.n_leaves == soft.n_leaves > 2


def test_leaves_without_a_correction_of_their_own_get_that_of_laplace():
    case = sample(gaps=False).case(cell("clean"))
    train, y = case.train, case.train.y
    e2m = EvidentialTreeClassifier(random_state=7, max_leaves=10).fit(train.X, y)
    cart = DecisionTreeClassifier(random_state=7, ccp_alpha=0.01)
    cart.fit(one_hot(train.values, train.n_categories), y)
    known, leaf = (cart.apply(one_hot(part.values, part.n_categories)) for part in case[:2])
    counts = {
        # It keeps rows back, by which it is pruned.
        "e2m": e2m.tree_.class_weight[e2m.apply(case.test.X)],
        "cart": np.array([np.bincount(y[known == k], minlength=3) for k in leaf]),
    }
    for method, of_leaf in counts.items():
        expected = (of_leaf + 1) / (of_leaf.sum(axis=1, keepdims=True) + 3)
        said = fit_method(method, 0, train, 3, PLAN, 7).probabilities(case.test)
        assert len(np.unique(said, axis=0)) > 1 and said == pytest.approx(expected)


# --------------------------------------------------------------------------------- scores, rows


def test_scores_are_those_of_others():
    random = np.random.default_rng(5)
    said, y = random.dirichlet(np.ones(3), 80), random.integers(0, 3, 80)
    found = steps.scores(y, said)
    assert found["log_loss"] == pytest.approx(log_loss(y, said, labels=range(3)))
    assert found["brier"] == pytest.approx(np.mean(((said - np.eye(3)[y]) ** 2).sum(axis=1)))
    answer = said.argmax(axis=1)
    assert found["accuracy"] == pytest.approx((answer == y).mean())
    assert found["macro_f1"] == pytest.approx(f1_score(y, answer, average="macro"))
    assert set(found) == METRICS - {"setting"}


def test_calibration_by_hand():
    said = np.array(
        [[0.62, 0.38], [0.66, 0.34], [0.1, 0.9], [0.03, 0.97], [0.01, 0.99], [0.7, 0.3]]
    )
    y = np.array([0, 1, 1, 1, 0, 0])
    # From .6: one of two is right, and .64 was said. From .7: right, .7. From .9 to 1: two of
    # three are right, and 2.86 / 3 was said.
    expected = (abs(1 - 1.28) + abs(1 - 0.7) + abs(2 - 2.86)) / 6
    assert steps.scores(y, said)["calibration"] == pytest.approx(expected)
    sure = np.array([[1.0, 0.0]] * 3)
    assert steps.scores(np.zeros(3, dtype=int), sure)["calibration"] == 0


def chooser(losses, n_settings=4, y=None):
    """What is chosen where settings have these probabilities of the right class, and what they
    were fitted with."""
    train = sample().case(cell("all")).train
    train = train if y is None else dataclasses.replace(train, y=y)
    seen = []

    def fitted(number, rows):
        def said(held):
            seen.append((number, rows, held))
            return np.where(np.eye(3)[held.y] > 0, losses[number], (1 - losses[number]) / 2)

        return SimpleNamespace(probabilities=said)

    plan = dataclasses.replace(PLAN, n_settings=n_settings)
    return steps._chosen(fitted, sample(), train, plan), seen, train


@pytest.mark.parametrize(
    ("right", "n", "best"),
    [
        ((0.5, 0.6, 0.8, 0.7), 4, 2),
        ((0.5, 0.6, 0.8, 0.7), 2, 1),
        ((0.5, 0.8, 0.6, 0.8), 4, 1),
        ((0.6, 0.6, 0.6, 0.6), 4, 0),
        ((0.6, 0.6 + 1e-12, 0.6, 0.6), 4, 0),
    ],
)
def test_the_least_loss_is_chosen_and_the_first_of_equals(right, n, best):
    assert chooser(right, n)[0] == best


def test_validation_rows_are_apart_and_the_same_for_all_settings():
    _, seen, train = chooser((0.5, 0.6, 0.8, 0.7))
    assert [number for number, *_ in seen] == [0, 1, 2, 3]
    for _, rest, held in seen:
        assert len(held.y) == round(0.33 * 36) and len(rest.y) == 36 - len(held.y)
        assert sorted([*rest.X.index, *held.X.index]) == list(train.X.index)
        assert rest.X.equals(seen[0][1].X)
        np.testing.assert_array_equal(rest.plausibility, train.plausibility[rest.X.index])


def test_nothing_is_chosen_of_one_setting_or_where_one_class_is_left():
    assert chooser((0.5,), 1)[:2] == (0, [])
    y = np.zeros(36, dtype=int)
    assert chooser((0.5, 0.9), 2, y)[:2] == (0, [])


SOME = ("c45", "stp", "e2m", "uncertain_data_tree", "cart", "forest")
CHOICE = dataclasses.replace(PLAN, methods=SOME, n_settings=2)
TABLE = made_up()


@pytest.fixture(scope="module")
def rows():
    return steps.run(TABLE, SUITE, CHOICE)


def wanted(plan, n_repeats=1):
    """Cells, learners and metrics that rows are to have; the data set is the second of two."""
    found = Counter()
    for repeat in range(n_repeats):
        clean = (PART, "made_up", repeat, "clean", 0, "nowhere", "data")
        found.update((*clean, name) for name in PROPERTIES)
        for c in cells(SUITE, 1, repeat, plan.levels):
            for method in plan.methods:
                own = METRICS | ({"n_leaves"} if method in READABLE else set())
                own |= {"changes"} if c.condition in WITH_ERRORS else set()
                found.update((PART, "made_up", repeat, *c, method, metric) for metric in own)
    return found


def test_rows_are_complete_sorted_and_unique(rows):
    assert list(rows.columns) == [*KEY, "value"]
    found = list(rows[KEY].itertuples(index=False, name=None))
    assert Counter(found) == wanted(CHOICE) and found == sorted(found)
    assert set(rows["condition"]) == {"clean", *CONDITIONS}
    assert rows["value"].notna().all()
    shares = rows[rows["metric"].isin(["accuracy", "macro_f1", "calibration", "changes"])]
    assert shares["value"].between(0, 1).all()
    assert set(rows.loc[rows["metric"] == "setting", "value"]) == {0.0, 1.0}
    assert (rows["value"] == rows["value"].round(6)).all()


def test_every_learner_has_its_rows():
    plan = dataclasses.replace(PLAN, levels=(2,))
    rows = steps.run(TABLE, SUITE, plan)
    assert Counter(rows[KEY].itertuples(index=False, name=None)) == wanted(plan)
    metrics = set(COMPARED.parts[PART].metrics)
    assert metrics == (METRICS - {"setting"}) | {"changes"}


def test_rows_hang_on_no_other_learner_and_on_no_order(rows):
    turned = steps.run(TABLE, SUITE, dataclasses.replace(CHOICE, methods=SOME[::-1]))
    pd.testing.assert_frame_equal(turned, rows)
    alone = steps.run(TABLE, SUITE, dataclasses.replace(CHOICE, methods=("forest", "e2m")))
    own = rows[rows["method"].isin(["forest", "e2m", "data"])].reset_index(drop=True)
    pd.testing.assert_frame_equal(alone, own)


def test_more_repeats_and_levels_leave_rows_as_they_are(rows):
    more = dataclasses.replace(CHOICE, methods=("c45", "cart"), levels=(0, 1), n_repeats=2)
    found = steps.run(TABLE, SUITE, more)
    assert Counter(found[KEY].itertuples(index=False, name=None)) == wanted(more, 2)
    both = rows.merge(found, on=KEY)
    own = rows["method"].isin(["c45", "cart", "data"])
    assert len(both) == own.sum() and (both["value_x"] == both["value_y"]).all()


def test_what_training_rows_are_like_is_told(rows):
    own = rows[rows["method"] == "data"].set_index("metric")["value"].to_dict()
    one = steps.sample_of(TABLE, 0, SUITE, CHOICE)
    y = one.table.y[one.train]
    assert own == pytest.approx(
        {
            "n_rows": len(y),
            "n_variables": TABLE.X.shape[1],
            "n_classes": 3,
            "largest_class": np.bincount(y).max() / len(y),
            "share_numeric": 0.75,
        },
        abs=1e-6,
    )


def test_a_row_is_made_again_by_hand():
    plan = dataclasses.replace(PLAN, methods=("c45",), n_settings=4)
    rows = steps.run(TABLE, SUITE, plan)
    where = cell("error", 1, "test")
    own = rows[(rows["condition"] == "error") & (rows["place"] == "test")]
    own = own.set_index("metric")["value"]
    one = sample()
    case = one.case(where)
    order = rng(3, "answers", "made_up", 0, "validation").permutation(36)
    held, rest = np.sort(order[:12]), np.sort(order[12:])
    X, y = case.train.X, case.train.y

    def tree(confidence, of):
        model = C45Classifier(smoothing=True, confidence=confidence)
        return model.fit(X.iloc[of], y[of])

    confidences = (0.25, 0.05, 0.5, 1.0)
    losses = []
    for confidence in confidences:
        said = tree(confidence, rest).predict_proba(X.iloc[held])
        losses.append(log_loss(y[held], np.maximum(said, 1e-6), labels=range(3)))
    best = int(np.argmin(np.round(losses, 9)))
    assert own["setting"] == best
    model = tree(confidences[best], np.arange(36))
    assert own["n_leaves"] == model.tree_.n_leaves
    first, again = (model.predict(part.X) for part in (case.test, case.again))
    assert own["accuracy"] == pytest.approx((first == case.test.y).mean(), abs=1e-6)
    assert own["changes"] == pytest.approx((first != again).mean(), abs=1e-6)


def test_what_cannot_be_run_is_not_left_out_silently(monkeypatch):
    with pytest.raises(
        ConfigError, match=r"`third` in `uncertainty_benchmark.datasets` is no data set"
    ):
        steps.run(dataclasses.replace(TABLE, name="third"), SUITE, CHOICE)
    with pytest.raises(ConfigError, match=r"`uncertainty_benchmark.levels` has 3, .* has 3 levels"):
        steps.run(TABLE, SUITE, dataclasses.replace(CHOICE, levels=(0, 3)))
    with pytest.raises(
        ConfigError, match=r"`uncertainty_benchmark.n_repeats` asks for repeat 4, .* has 3"
    ):
        steps.run(TABLE, SUITE, dataclasses.replace(CHOICE, n_repeats=4))

    def refuses(method, *_):
        raise RuntimeError(f"{method} cannot")

    monkeypatch.setattr(steps, "fit_method", refuses)
    with pytest.raises(RuntimeError, match="c45 cannot"):
        steps.run(TABLE, SUITE, CHOICE)


@pytest.mark.parametrize("rare", [1, 2])
def test_a_class_of_few_rows(rare):
    y = TABLE.y.copy()
    y[np.flatnonzero(y == 2)[rare:]] = 0
    table = dataclasses.replace(TABLE, y=y)
    methods = ("c45", *learners.UNCERTAINTY_USED, "eig", "imputation", "boosting", "logistic")
    plan = dataclasses.replace(PLAN, n_settings=2, methods=methods)
    rows = steps.run(table, SUITE, plan)
    assert Counter(rows[KEY].itertuples(index=False, name=None)) == wanted(plan)
    assert rows["value"].notna().all()


# ------------------------------------------------------------------------------------ statistics


def test_no_data_set_has_no_tests():
    made = merged([])
    assert made["rows"].empty and made["statistics"].empty


def test_tests_are_those_of_scipy_within_a_condition():
    random = np.random.default_rng(9)
    lines = []
    for k in range(9):
        for condition, level, place in (("clean", 0, "nowhere"), ("error", 1, "test")):
            for method in ("c45", "ss", "forest"):
                key = (PART, f"set {k}", 0, condition, level, place, method, "accuracy")
                lines.append((*key, random.random()))
    rows = pd.DataFrame(lines, columns=[*KEY, "value"])
    found = merged([rows[rows["dataset"] == name] for name in rows["dataset"].unique()])
    tests = found["statistics"]
    pairs = tests[["first", "second"]].drop_duplicates()
    assert set(pairs.itertuples(index=False, name=None)) == {
        ("ss", "c45"),
        ("ss", "forest"),
        ("forest", "c45"),
    }
    for condition in ("clean", "error"):
        wide = rows[rows["condition"] == condition]
        wide = wide.pivot(index="dataset", columns="method", values="value")
        own = tests[tests["condition"] == condition]
        plain = own[own["correction"] == "none"].set_index(["first", "second"])["p"]
        p = {pair: stats.wilcoxon(wide[pair[0]], wide[pair[1]]).pvalue for pair in plain.index}
        assert plain.to_dict() == pytest.approx(p)
        holm = own[own["correction"] == "holm"].set_index(["first", "second"])["p"]
        least = min(p, key=p.get)
        assert holm[least] == pytest.approx(min(1.0, 3 * p[least]))


def test_the_interval_is_that_of_scipy():
    values = np.array([1.5, -0.3, 2.2, 0.4, 0.9])
    expected = stats.t.interval(0.95, 4, values.mean(), stats.sem(values))
    assert interval(values) == pytest.approx(expected)
    expected = stats.t.interval(0.9, 4, values.mean(), stats.sem(values))
    assert interval(values, 0.9) == pytest.approx(expected)
    assert interval(np.full(3, 2.0)) == (2.0, 2.0)
    assert np.isnan(interval(values[:1])).all() and np.isnan(interval(values[:0])).all()
