"""Tables, figures, questions and section on all answers to doubt, from made-up results."""

import functools
import html
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from matplotlib.text import Text
from scipy import stats
from shown import (
    ROOT,
    SPECIFICATION,
    STATEMENTS,
    functions_of,
    made_by,
    page_of,
    section_of,
    tables_of,
)

from hedgerow.files import read_yaml
from hedgerow.showing import figures
from hedgerow.showing.numbers import number, signed
from hedgerow_study.extensions.uncertainty_benchmark import claims as uncertainty_benchmark_claims
from hedgerow_study.extensions.uncertainty_benchmark import figures as uncertainty_benchmark_figures
from hedgerow_study.extensions.uncertainty_benchmark.plan import (
    COMPARED,
    DATA,
    METHODS,
    ORDER,
    PART,
    PROPERTIES,
    UncertaintyBenchmarkPlan,
)
from hedgerow_study.extensions.uncertainty_benchmark.repeated_recordings import LINES
from hedgerow_study.extensions.uncertainty_benchmark.rule import rule
from hedgerow_study.extensions.uncertainty_benchmark.statistics import merged
from hedgerow_study.extensions.uncertainty_benchmark.tables import (
    CHOICE_LABELS,
    CONDITION_LABELS,
    LABELS,
    PEOPLE_LABELS,
    uncertainty_benchmark_effects,
)

pytestmark = pytest.mark.slow

SUITE = read_yaml(ROOT / "config/suite.yaml")
PLAN = UncertaintyBenchmarkPlan(
    configuration="made-up", datasets=("set 0", "set 1", "gone"), levels=(0, 1), n_settings=2
)
CONDITIONS = tuple(CONDITION_LABELS)
SOFT = ("ss", "stp", "se", "ss_stp_se")
WITH_ERRORS = ("error", "heavy_tails", "wrong_size", "all")
#: By how many gains a learner is ahead of C4.5 in each condition; the forest is so in all.
AHEAD = {
    **{("error", method): 1.0 for method in SOFT},
    **{("heavy_tails", method): 1.0 for method in SOFT},
    **{("wrong_size", method): 1.0 for method in SOFT},
    **{(condition, "eig"): 1.0 for condition in ("missing", "missing_not_at_random")},
    **{("uncertain_labels", method): 1.0 for method in ("e2m", "uncertain_data_tree")},
    ("all", "uncertain_data_tree"): 1.5,
}


def places(condition):
    """Levels and places of a condition."""
    if condition == "clean":
        return [(0, "nowhere")]
    if condition.startswith("uncertain_labels"):
        return [(0, "training"), (1, "training")]
    return [(0, "test"), (1, "both")]


def _rows(n_sets=11, gain=0.1):
    """Learners ahead as `AHEAD` says, by as much less loss, and the more steady where values carry
    errors; the forest twice as far. Behind where the gain is below 0: a tree without doubt, too."""
    random = np.random.default_rng(2)
    lines = []
    for k in range(n_sets):
        for condition in CONDITIONS:
            for level, place in places(condition):
                for method in METHODS:
                    ahead = 2.0 if method == "forest" else AHEAD.get((condition, method), 0.0)
                    if gain < 0 and (condition, method) == ("clean", "cart"):
                        ahead = 1.0
                    for metric, told in COMPARED.parts[PART].metrics.items():
                        sign = -1.0 if told.less_is_better else 1.0
                        better = gain * ahead
                        if metric == "changes":
                            if condition not in WITH_ERRORS:
                                continue
                            better = gain if method in SOFT else 0.0
                        value = 0.5 + sign * better + 0.001 * random.random()
                        key = (PART, f"set {k}", 0, condition, level, place, method)
                        lines.append((*key, metric, round(value, 6)))
        for name, value in zip(PROPERTIES, (90 + k, 4, 2, 0.6, 1.0), strict=True):
            lines.append((PART, f"set {k}", 0, "clean", 0, "nowhere", DATA, name, float(value)))
    return pd.DataFrame(lines, columns=[*ORDER["rows"], "value"])


def _people():
    """Two repeats: C4.5 that is told changes fewer answers, as is expected_changes."""
    scores = {"accuracy": 0.7, "log_loss": 0.6, "changes": 0.2}
    lines = []
    for repeat in (0, 1):
        for method in PEOPLE_LABELS:
            told = method in ("c45_given", "uncertain_data_tree")
            values = {**scores, "changes": 0.1, "expected_changes": 0.12} if told else scores
            for metric, value in values.items():
                value += 0.02 * repeat
                lines.append(("parkinsons", repeat, method, metric, value))
    return pd.DataFrame(lines, columns=LINES)


@functools.cache
def inputs():
    """Inputs of all jobs."""
    return inputs_of([_rows(n_sets=2)], _people())


def inputs_of(rows, people):
    """The same of rows by data set, and of lines of the illustration."""
    found = merged(rows)
    more = {"people": people, "plan": PLAN, "suite": SUITE}
    return {**found, **rule(found["rows"], SUITE, PLAN), **more}


@pytest.fixture(scope="module")
def run():
    return SimpleNamespace(inputs=inputs(), tables=tables_of("uncertainty_benchmark", **inputs()))


def _written(drawn):
    """All texts of a figure."""
    return [text.get_text() for text in drawn.findobj(Text)]


def mean_of(rows, condition, method, metric="accuracy", level=None):
    where = (rows["condition"] == condition) & (rows["method"] == method)
    where &= rows["metric"] == metric
    where &= True if level is None else rows["level"] == level
    return rows[where]["value"].mean()


# ---------------------------------------------------------------------------------------- tables


def test_effects_are_those_of_every_learner_over_c45_and_the_forest(run):
    table = run.tables["uncertainty_benchmark_effects"]
    metrics = COMPARED.parts[PART].metrics
    n_pairs = 16 + 15
    assert len(table) == n_pairs * ((len(metrics) - 1) * 9 + len(WITH_ERRORS))
    assert set(table["second"]) == {"c45", "forest"}
    assert not ((table["first"] == "c45") | (table["first"] == table["second"])).any()
    assert table["difference"].tolist() == pytest.approx(
        (table["mean_first"] - table["mean_second"]).tolist(), abs=1e-8
    )
    cell = table.set_index(["condition", "metric", "first", "second"])
    line = cell.loc[("error", "accuracy", "stp", "c45")]
    assert line["difference"] == pytest.approx(10, abs=0.1)
    assert (line["wins"], line["losses"], line["n_datasets"]) == (2, 0, 2)
    line = cell.loc[("error", "log_loss", "stp", "forest")]
    assert line["difference"] == pytest.approx(0.1, abs=0.001)  # the forest has less loss
    assert (line["wins"], line["losses"]) == (0, 2)
    assert cell.loc[("all", "changes", "se", "c45"), "difference"] == pytest.approx(-10, abs=0.1)


def test_intervals_are_those_of_the_differences_of_data_sets(run):
    rows = run.inputs["rows"]
    own = rows[(rows["condition"] == "error") & (rows["metric"] == "accuracy")]
    wide = own.groupby(["dataset", "method"])["value"].mean().unstack()
    ahead = 100 * (wide["stp"] - wide["c45"])
    table = run.tables["uncertainty_benchmark_effects"].set_index(
        ["condition", "metric", "first", "second"]
    )
    line = table.loc[("error", "accuracy", "stp", "c45")]
    expected = stats.t.interval(0.95, 1, ahead.mean(), stats.sem(ahead))
    assert [line["low"], line["high"]] == pytest.approx(list(expected))
    whole = run.tables["uncertainty_benchmark_effects"]
    assert ((whole["low"] <= whole["difference"]) & (whole["difference"] <= whole["high"])).all()
    alone = rows[(rows["dataset"] == "set 0") & (rows["metric"] == "accuracy")]
    alone = uncertainty_benchmark_effects(alone, COMPARED.statistics(alone), PLAN)
    assert len(alone) and alone[["low", "high"]].isna().all(axis=None)


def test_few_learners_are_told_as_they_are(tmp_path):
    for methods in (["forest"], ["boosting", "ss"]):
        rows = _rows(n_sets=2)
        made = inputs_of([rows[rows["method"].isin([*methods, DATA])]], _people())
        assert "Who gains where" in page_of(section_of("uncertainty_benchmark", tmp_path, **made))
        drawn = made_by(uncertainty_benchmark_figures.uncertainty_benchmark_gains, **made)
        assert "C4.5 was not run" in _written(drawn)


def test_every_number_has_something_behind_it(run):
    for name, function in functions_of("uncertainty_benchmark").items():
        if function.shown.kind != "table":
            continue
        table = run.tables[name]
        cells = list(made_by(function.shown.sources, **run.inputs, table=table))
        found = {(cell.row, cell.column) for cell in cells}
        assert len(found) == len(cells) > 0
        assert {row for row, _ in found} == set(range(len(table)))


# ---------------------------------------------------------------------------------------- claims


def _judged(rows):
    made = merged([rows[rows["metric"].isin(["accuracy", "changes"])]])
    found = uncertainty_benchmark_claims.claims(
        made["rows"], made["statistics"], specification=SPECIFICATION, statements=STATEMENTS
    )
    return found.set_index("claim")["verdict"]


@pytest.mark.parametrize(("gain", "verdict"), [(0.1, "reproduced"), (-0.1, "not reproduced")])
def test_a_verdict_follows_its_test(gain, verdict):
    found = _judged(_rows(gain=gain))
    assert found.index.tolist() == [f"uncertainty_benchmark-{k:02d}" for k in range(1, 9)]
    assert found.to_dict() == dict.fromkeys(found.index, verdict)


#: Of each question that can be answered in part: a learner that is then as C4.5, or as the forest.
ALIKE = {
    "uncertainty_benchmark-01": ("error", "accuracy", "ss", "c45"),
    "uncertainty_benchmark-02": ("wrong_size", "accuracy", "se", "c45"),
    "uncertainty_benchmark-03": ("missing_not_at_random", "accuracy", "eig", "c45"),
    "uncertainty_benchmark-04": ("uncertain_labels", "accuracy", "e2m", "c45"),
    "uncertainty_benchmark-07": ("clean", "accuracy", "cart", "forest"),
    "uncertainty_benchmark-08": ("heavy_tails", "changes", "stp", "c45"),
}


def test_what_holds_in_part_is_partly():
    rows = _rows()
    for condition, metric, method, other in ALIKE.values():
        own = (rows["condition"] == condition) & (rows["metric"] == metric)
        same = rows.loc[own & (rows["method"] == other), "value"].to_numpy()
        rows.loc[own & (rows["method"] == method), "value"] = same
    found = _judged(rows)
    assert found.pop("uncertainty_benchmark-05") == "reproduced"
    # The tree of scikit-learn differs from C4.5, where none should.
    assert found.pop("uncertainty_benchmark-06") == "not reproduced"
    assert found.to_dict() == dict.fromkeys(ALIKE, "partly")


def test_a_loss_beside_gains_is_not_partly():
    rows = _rows()
    rows = rows[(rows["condition"] == "error") & (rows["metric"] == "accuracy")].copy()
    assert _judged(rows)["uncertainty_benchmark-01"] == "reproduced"
    rows.loc[rows["method"] == "ss", "value"] -= 0.3
    assert _judged(rows)["uncertainty_benchmark-01"] == "not reproduced"


def test_two_data_sets_cannot_tell(run):
    assert set(_judged(run.inputs["rows"])) == {"inconclusive"}


# --------------------------------------------------------------------------------------- figures


def test_each_cell_says_its_gain(run):
    drawn = made_by(uncertainty_benchmark_figures.uncertainty_benchmark_gains, **run.inputs)
    axes = drawn.axes[0]
    assert [t.get_text() for t in axes.get_yticklabels()] == [LABELS[m] for m in METHODS]
    names = [t.get_text().replace("\n", " ") for t in axes.get_xticklabels()]
    assert names == [CONDITION_LABELS[c] for c in CONDITIONS]
    told = {text.get_position(): text.get_text() for text in axes.texts}
    assert len(told) == len(axes.texts) == len(METHODS) * len(CONDITIONS)
    rows, image = run.inputs["rows"], axes.images[0].get_array()
    for k, condition in enumerate(CONDITIONS):
        base = 100 * mean_of(rows, condition, "c45")
        for i, method in enumerate(METHODS):
            gain = 100 * mean_of(rows, condition, method) - base
            assert image[i, k] == pytest.approx(gain)
            expected = number(base, 1) if method == "c45" else signed(gain, 1)
            assert told[k, i] == expected
    norm = axes.images[0].norm
    assert norm.vcenter == 0 and norm.vmax == -norm.vmin == pytest.approx(np.abs(image).max())


def test_figures_are_the_same_bytes_for_rows_in_any_order(run, tmp_path):
    mixed = {**run.inputs, "rows": run.inputs["rows"].sample(frac=1, random_state=1)}
    # Other numbers are another figure.
    other = {**merged([_rows(n_sets=2, gain=0.2)]), "plan": PLAN}
    files = [tmp_path / f"{name}.svg" for name in ("mine", "mixed", "other")]
    for file, made in zip(files, (run.inputs, mixed, other), strict=True):
        figures.save(
            made_by(uncertainty_benchmark_figures.uncertainty_benchmark_gains, **made), file
        )
    mine, same, unlike = (file.read_bytes() for file in files)
    assert mine == same != unlike


def test_tables_are_the_same_for_rows_in_any_order(run):
    made = dict(run.inputs)
    for name in ("rows", "statistics"):
        made[name] = made[name].sample(frac=1, random_state=3)
    for name, table in tables_of("uncertainty_benchmark", **made).items():
        pd.testing.assert_frame_equal(table, run.tables[name], check_exact=True)


# ------------------------------------------------------------------------------------------ page


def test_the_page_has_the_numbers(run, tmp_path):
    text = html.unescape(page_of(section_of("uncertainty_benchmark", tmp_path, **inputs())))
    assert "Absent, because no source answered: gone" in text
    assert f"{len(SUITE['datasets'])} archived data sets, eight conditions" in text
    assert "This run is too small to conclude anything from" in text
    assert "2 levels of doubt; each learner chooses from 2 settings." in text
    assert "".join(f"{left}; " for left in SUITE["left_out"][:2]) in text
    effects = run.tables["uncertainty_benchmark_effects"]
    own = effects[(effects["metric"] == "accuracy") & (effects["second"] == "c45")]
    assert len(own) == 9 * 16
    for line in own.to_dict("records"):
        span = f"{signed(line['low'], 1)} to {signed(line['high'], 1)}"
        cells = [signed(line["difference"], 1), span, f"{line['wins']} : {line['losses']}"]
        named = f'<th scope="row">{LABELS[line["first"]]}</th>'
        assert named + "".join(f"<td>{cell}</td>" for cell in cells) in text


def test_without_any_data_set_the_page_says_so(tmp_path):
    made = inputs_of([], _people().iloc[:0])
    text = page_of(section_of("uncertainty_benchmark", tmp_path, **made))
    assert "Run: no data set" in text
    assert "Absent, because no source answered: gone, set 0, set 1" in text
    drawn = made_by(uncertainty_benchmark_figures.uncertainty_benchmark_gains, **made)
    assert "No data set was run" in _written(drawn)


# ---------------------------------------------------------------- rule of thumb, real repeats


def test_the_rule_is_told_in_points_beside_what_else_could_be_taken(run):
    table, leaves = run.tables["uncertainty_benchmark_rule"], run.inputs["leaves"]
    assert len(table) == len(leaves) > 2
    columns = [name for name in table.columns if name.startswith("accuracy")]
    np.testing.assert_allclose(table[columns], 100 * leaves[columns], atol=1e-6)
    assert set(table["method"]) <= set(METHODS)
    # The forest is ahead of all in every condition.
    assert set(table.loc[table["among"] == "all", "method"]) == {"forest"}


def test_the_honesty_of_the_rule_is_a_mean_over_data_sets_left_out(run):
    table, honesty = run.tables["uncertainty_benchmark_honesty"], run.inputs["honesty"]
    assert table.groupby("among").size().to_dict() == {"readable": 5, "all": 5}
    for line in table.to_dict("records"):
        own = honesty[honesty["among"] == line["among"]]
        wide = 100 * own.pivot(index="dataset", columns="choice", values="accuracy")
        assert line["accuracy"] == pytest.approx(wide[line["choice"]].mean())
        apart = wide[line["choice"]] - wide["rule"]
        if line["choice"] == "rule":
            assert np.isnan([line["low"], line["high"]]).all()
        elif apart.std() > 1e-9:
            bounds = stats.t.interval(0.95, len(apart) - 1, apart.mean(), stats.sem(apart))
            assert (line["low"], line["high"]) == pytest.approx(bounds, abs=1e-6)


def test_real_repeats_are_means_over_repeats(run):
    table = run.tables["uncertainty_benchmark_people"].set_index("method")
    assert list(table.index) == list(PEOPLE_LABELS) and (table["n_repeats"] == 2).all()
    assert table.loc["c45", "accuracy"] == pytest.approx(71) and np.isnan(
        table.loc["c45", "expected_changes"]
    )
    assert table.loc["c45_given", ["changes", "expected_changes"]].tolist() == pytest.approx(
        [11, 13]
    )
    assert table.loc["forest", "log_loss"] == pytest.approx(0.61)


def test_the_page_has_rule_honesty_and_repeats(tmp_path, run):
    page = html.unescape(page_of(section_of("uncertainty_benchmark", tmp_path, **run.inputs)))
    for title in ("A rule of thumb", "How honest the rule is", "Real repeats"):
        assert title in page
    for line in run.tables["uncertainty_benchmark_rule"].to_dict("records"):
        assert line["rule"] in page and number(line["accuracy_best"], 1) in page
    for label in (*CHOICE_LABELS.values(), *PEOPLE_LABELS.values()):
        assert label in page
