"""All claims in one table: whatever runs, with intervals and where their numbers stand."""

from __future__ import annotations

import copy
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import yaml
from oracle.bootstrap import bca_interval

from hedgerow.errors import ConfigError
from hedgerow_study.experiments import WORDS
from hedgerow_study.experiments.audit.claims import ORDER, all_claims
from hedgerow_study.reporting.claim_specification import VERDICTS, of_experiment, specified
from hedgerow_study.reporting.claims import judge
from hedgerow_study.workflow.jobs.digest import STUDY
from hedgerow_study.workflow.jobs.rules import rules_of
from hedgerow_study.workflow.jobs.steps import declaration, every_id, having

ROOT = Path(__file__).parents[3]
SPECIFICATION = yaml.safe_load((ROOT / "config/claims.yaml").read_text())
STATED = pd.read_csv(ROOT / "data/published/claims.csv", keep_default_na=False)
IDS = every_id()


def table(
    judged=(),
    specification=SPECIFICATION,
    reference=None,
    experiments=(),
    ids=IDS,
    analyses=(),
    tracked=(),
):
    read = analyses, tracked
    return all_claims(judged, specification, STATED, reference or {}, experiments, ids, *read)


# --------------------------------------------------------------------------------- the table


def test_every_claim_stands_there_where_nothing_runs():
    found = table()
    assert list(found) == ORDER
    assert found["claim"].tolist()[: len(STATED)] == STATED["claim_id"].tolist()
    assert sorted(found["claim"]) == sorted(specified(SPECIFICATION))
    own = found.iloc[len(STATED) :]
    assert (own[["paper", "section", "published_value"]] == "").all(axis=None)
    assert (found.iloc[: len(STATED)][["paper", "section"]] != "").all(axis=None)
    assert set(found["verdict"]) == {"inconclusive", "not testable"}
    lacking = found[found["verdict"] == "inconclusive"]
    assert (lacking["lacking"] == "the configuration does not run " + lacking["experiment"]).all()
    assert not found["statement"].eq("").any()


def test_what_was_judged_stands_as_it_was_judged_with_the_verdict_at_paper_scale_beside():
    bound = of_experiment(SPECIFICATION, "soft_sweep")
    lines = [
        (dataset, noise, method, metric, side, value)
        for dataset in ("hepatitis_numeric", "heart_cleveland_ordinal", "pima", "wdbc")
        for noise in (0, 0.1)
        for method in ("ss", "stp")
        for metric, side, value in (
            ("leaves_diff", "low", -2.0),
            ("leaves_diff", "high", 1.0),
            ("accuracy_kept", "low", 1.0),
        )
    ]
    columns = ["dataset", "noise", "method", "metric", "range", "value"]
    judged = judge(bound, {"ranges": pd.DataFrame(lines, columns=columns)})
    at_scale = pd.DataFrame({"claim": ["T3-12"], "verdict": ["partly"], "measured": [np.nan]})
    reference = {"soft_sweep_claims": at_scale}
    found = table([judged], reference=reference, experiments=["soft_sweep"]).set_index("claim")
    row = found.loc["T3-12"]
    assert (row["verdict"], row["n_datasets"], row["estimate"]) == ("reproduced", 4, -2.0)
    assert (row["low"], row["high"]) == (-2.0, -2.0)
    assert (row["paper_scale_verdict"], row["paper_scale_measured"]) == ("partly", "")
    assert row["shown"].split()[0] == "soft_sweep_ranges"
    assert (row["rule"], row["paper"]) == ("soft_sweep_claims", "thesis")
    assert set(found["verdict"]) <= set(VERDICTS)


def test_what_became_of_a_claim_under_all_analyses_stands_beside_it():
    columns = ["claim", "n_analyses", "reproduced", "word", "decides"]
    rows = [
        ("T3-10", 16, 0.25, "fragile", "gates"),
        ("T3-01", 4, 1.0, "", ""),
        ("T3-02", 0, 0, "", ""),
    ]
    found = table(analyses=[pd.DataFrame(rows, columns=columns)]).set_index("claim")
    read = found[[column for column in ORDER if column.startswith("analyses_")]]
    assert read.loc["T3-10"].tolist() == ["in some", "16", "0.25", "gates"]
    assert read.loc["T3-01"].tolist() == ["", "4", "1", ""]
    assert read.drop(["T3-10", "T3-01"]).isna().all(axis=None)


def test_tracked_analyses_have_columns_of_their_own():
    """As they are read from CSV; the word follows from the share, whatever was tracked."""
    rows = [("T3-10", 24, 0.0, "refuted", "votes"), ("CF-01", 3, 1.0, np.nan, np.nan)]
    columns = ["claim", "n_analyses", "reproduced", "word", "decides"]
    found = table(tracked=[pd.DataFrame(rows, columns=columns)]).set_index("claim")
    names = [column for column in ORDER if column.startswith("paper_scale_analyses_")]
    assert found.loc["T3-10", names].tolist() == ["in none", "24", "0", "votes"]
    assert found.loc["CF-01", names].tolist() == ["", "3", "1", ""]
    assert found["analyses_word"].isna().all()


def test_rule_and_code_of_each_claim_are_there():
    rules = rules_of(ROOT)
    for rule, code in set(table()[["rule", "code"]].itertuples(index=False)):
        assert rules[rule].call == code.split(".", 2)[-1]
        assert declaration(code.split(".", 2)[-1]).name == "claims"


def test_experiments_that_have_a_module():
    assert having("claims", ["soft", "soft_illustration"]) == ["soft"]
    assert having("plan") == list(WORDS)
    assert (STUDY / "experiments/audit").is_dir()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            {"shown": ["thesis_table_3_44"]},
            r"is no table or figure; did you mean `thesis_table_3_4`",
        ),
        ({"shown": "thesis_table_3_4"}, r"`T3-01.shown` is `thesis_table_3_4`; list tables"),
    ],
)
def test_a_table_that_there_is_not_is_refused(change, message):
    content = copy.deepcopy(SPECIFICATION)
    content["claims"]["soft"]["claims"]["T3-01"] |= change
    with pytest.raises(ConfigError, match=message):
        table(specification=content)


def test_a_claim_that_names_no_table_or_is_not_bound_is_refused():
    content = copy.deepcopy(SPECIFICATION)
    del content["claims"]["soft"]["shown"]
    with pytest.raises(ConfigError, match="`T3-01` names no table or figure; list them in `shown`"):
        table(specification=content)
    content = copy.deepcopy(SPECIFICATION)
    del content["claims"]["soft"]["claims"]["T3-01"]
    with pytest.raises(ConfigError, match="`T3-01` is not bound"):
        table(specification=content)


# ----------------------------------------------------------------------------- the interval


def one(measure, frame, reproduced, labels=None):
    claim = {"measures": {"gain": measure}, "reproduced": reproduced, "measured": "x"}
    content = {"claims": {"word": {"claims": {"X-01": claim}}}}
    return judge(specified(content), {"rows": frame}, labels).iloc[0]


def frame_of(gains, n_noises=2):
    """Rows of data sets; the new method is above the old one by a number of each."""
    lines = [
        (f"set_{i}", noise, method, 10.0 + (method == "new") * gain)
        for i, gain in enumerate(gains)
        for noise in range(n_noises)
        for method in ("old", "new")
    ]
    return pd.DataFrame(lines, columns=["dataset", "noise", "method", "value"])


GAIN = {"where": {"method": "new", "noise": [0, 1]}, "minus": {"method": "old"}}


def test_the_interval_of_a_mean_is_that_of_its_definition():
    gains = np.random.default_rng(4).exponential(2.0, 15)
    found = one(GAIN, frame_of(gains), ["gain.mean > 0 at all"])
    assert found["estimate"] == pytest.approx(gains.mean(), abs=1e-9)
    low, high = bca_interval(gains)
    width = high - low
    assert found["low"] == pytest.approx(low, abs=0.03 * width)
    assert found["high"] == pytest.approx(high, abs=0.03 * width)
    assert found["interval_of"] == "gain (new less old): mean over 15 data sets, each of 2 cells"


def test_the_interval_is_the_same_every_time_and_knows_no_order():
    gains = [1.0, 2.0, 4.0, -1.0, 3.0]
    frame = frame_of(gains)
    first = one(GAIN, frame, ["gain.mean > 0 at all"])
    again = one(GAIN, frame.sample(frac=1, random_state=3), ["gain.mean > 0 at all"])
    assert (first["low"], first["high"]) == (again["low"], again["high"])


def test_where_there_is_one_data_set_or_one_value_there_is_no_interval():
    found = one(GAIN, frame_of([2.0]), ["gain.mean > 0 at all"])
    assert found["estimate"] == 2.0 and np.isnan(found["low"]) and np.isnan(found["high"])
    nothing = one(GAIN, frame_of([2.0]).iloc[:0], ["gain.mean > 0 at all"])
    assert np.isnan(nothing["estimate"]) and nothing["interval_of"] == ""


def test_repeats_are_the_units_where_there_is_one_data_set():
    frame = frame_of([1.0, 2.0, 3.0]).rename(columns={"dataset": "repeat"})
    found = one(GAIN, frame, ["gain.mean > 0 at all"])
    assert found["estimate"] == 2.0 and found["low"] < 2 < found["high"]
    assert "mean over 3 repeats" in found["interval_of"]


def test_of_a_trend_the_interval_is_of_its_last_level_less_its_first():
    frame = frame_of([1.0, 2.0, 3.0])
    frame["value"] += frame["noise"] * (frame["method"] == "new") * frame["value"]
    found = one(GAIN | {"along": "noise"}, frame, ["gain.change > 0"])
    assert found["estimate"] == pytest.approx(12.0)
    assert found["interval_of"] == "gain (new less old, noise 1 less 0): mean over 3 data sets"


def test_cells_in_brackets_and_the_first_of_several_metrics_are_what_is_measured():
    frame = pd.concat(
        [
            frame_of([1.0, 3.0]).assign(metric=m, value=lambda f, k=k: f["value"] * k)
            for k, m in ((1, "f1"), (100, "leaves"))
        ]
    )
    measure = GAIN | {"where": {"method": "new", "noise": [0, 1], "metric": ["f1", "leaves"]}}
    found = one(measure, frame, ["gain.p > 9 at all", "gain.mean > 0 at all"][1:])
    assert found["estimate"] == 2.0
    assert found["interval_of"].startswith("gain (f1, new less old)")
    of_cell = one(measure, frame, ["gain.mean[noise=1] > 0 at all"])
    assert "each of" not in of_cell["interval_of"]


def test_no_size_is_made_of_p():
    frame = frame_of([0.1, 0.2]).assign(metric="p_test")
    measure = GAIN | {"where": {"method": "new", "metric": "p_test"}}
    assert np.isnan(one(measure, frame, ["gain.mean < 1 at all"])["estimate"])
