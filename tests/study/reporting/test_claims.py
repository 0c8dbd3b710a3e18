"""The judge of claims, on frames made up so that each verdict is hit."""

import copy
from pathlib import Path

import pandas as pd
import pytest
import yaml

from hedgerow.errors import ConfigError
from hedgerow_study.experiments import EXTENSIONS
from hedgerow_study.reporting.claim_specification import VERDICTS, of_experiment, specified
from hedgerow_study.reporting.claims import from_reference, judge, with_statements

ROOT = Path(__file__).parents[3]
CLAIMS = yaml.safe_load((ROOT / "config/claims.yaml").read_text())
PUBLISHED = pd.read_csv(ROOT / "data/published/claims.csv")

SPECIFICATION = """
claims:
  word:
    claims:
      X-01:
        measures:
          gain:
            where: {metric: f1, method: new, noise: [0, 1]}
            minus: {method: old}
            test: wilcoxon greater
        reproduced: [gain.mean > 0 at all, gain.p < 0.05 at 2]
        partly: [gain.mean > 0 at 1]
        measured:
          - "{gain.mean:+.1f} percentage points"
          - "better at {gain.mean > 0} of {cells gain.mean}:
            {which gain.mean > 0: first against second .1f}"
          - not seen {gain.mean[noise=1]} {gain.p[noise=1]}
"""


def _content(**changes):
    content = yaml.safe_load(SPECIFICATION)
    content["claims"]["word"]["claims"]["X-01"] |= changes
    return content


def _frame(gains, n=8, metric="f1"):
    """Rows of `n` data sets; gains by noise factor, which differ a little between sets."""
    lines = []
    for noise, gain in gains.items():
        for i in range(n):
            old = 10.0 + i
            lines.append((f"set_{i}", noise, "old", metric, old))
            lines.append((f"set_{i}", noise, "new", metric, old + gain * (1 + 0.01 * i)))
    return pd.DataFrame(lines, columns=["dataset", "noise", "method", "metric", "value"])


def _judged(content, frame, **more):
    frames = frame if isinstance(frame, dict) else {"rows": frame}
    return judge(specified(content), frames, **more).iloc[0]


# ----------------------------------------------------------------------------------- verdicts


@pytest.mark.parametrize(
    ("gains", "n", "verdict"),
    [
        ({0: 1.0, 1: 2.0}, 8, "reproduced"),
        ({0: 1.0, 1: -2.0}, 8, "partly"),
        ({0: -1.0, 1: -2.0}, 8, "not reproduced"),
        ({0: 0.0, 1: 0.0}, 8, "not reproduced"),
        ({0: 1.0, 1: 2.0}, 4, "inconclusive"),  # 1 / 2^4 is above 0.05
        ({0: 1.0}, 8, "inconclusive"),  # the other factor could decide
        ({0: -1.0}, 8, "inconclusive"),  # not whole, and perhaps in part
    ],
)
def test_each_verdict_is_hit(gains, n, verdict):
    found = _judged(_content(), _frame(gains, n))
    assert found["verdict"] == verdict
    assert bool(found["lacking"]) == (verdict == "inconclusive")
    assert found["n_datasets"] == n


def test_what_is_lacking_is_named():
    few = _judged(_content(), _frame({0: 1.0, 1: 2.0}, 4))
    assert few["lacking"] == "partly at least; p < 0.05 cannot be reached by 4 data sets"
    missing = _judged(_content(), _frame({0: 1.0}))
    assert missing["lacking"] == "partly at least; not in this run: noise factor 1"
    alone = _frame({0: 1.0, 1: 1.0})
    alone = alone[alone["method"] == "new"]
    assert _judged(_content(), alone)["lacking"] == "not in this run: method old"
    assert _judged(_content(), {})["lacking"] == "no `rows`"


def test_a_cell_that_was_not_measured_leaves_a_verdict_that_it_cannot_change():
    content = _content(reproduced=["gain.mean > 0 at all"], partly=["gain.mean > 5 at all"])
    assert _judged(content, _frame({0: -1.0}))["verdict"] == "not reproduced"


def test_numbers_are_put_into_words_and_parts_without_any_are_left_out():
    found = _judged(_content(), _frame({0: 1.0, 1: -2.0}))["measured"]
    assert found.startswith(
        "−2.1 to +1.0 percentage points; better at 1 of 2: 0 14.5 against 13.5; not seen −"
    )
    assert found.endswith("p = 1.000")
    found = _judged(_content(), _frame({0: -1.0}))["measured"]
    assert found == "−1.0 percentage points"  # better nowhere, and no noise factor 1


def test_few_data_sets_say_nothing_for_the_absence_of_a_difference():
    """No p below a bound is no finding where no data could bring one."""
    content = _content(reproduced=["gain.p < 0.05 at none"], partly=["gain.mean > 99 at all"])
    frame = _frame({0: 0.0, 1: 0.0}, 3)
    assert _judged(content, frame)["verdict"] == "inconclusive"
    assert _judged(content, _frame({0: 0.0, 1: 0.0}, 8))["verdict"] == "reproduced"


def test_fewest_data_sets_and_what_is_not_testable():
    content = _content(fewest=10)
    found = _judged(content, _frame({0: 1.0, 1: 1.0}))
    assert (found["verdict"], found["lacking"]) == ("inconclusive", "8 data sets of 10 or more")
    content = _content()
    content["claims"]["word"]["claims"]["X-01"] = {"not_testable": "the data are lost"}
    found = _judged(content, {})
    assert (found["verdict"], found["lacking"]) == ("not testable", "the data are lost")


def test_the_printed_cells_may_be_judged_by_other_measures():
    content = _content(printed={"not_testable": "nothing is printed"})
    frame = _frame({0: 1.0, 1: 1.0})
    assert _judged(content, frame)["verdict"] == "reproduced"
    assert _judged(content, frame, printed=True)["verdict"] == "not testable"


def test_any_and_at_least():
    gain = ["gain.mean[noise=0] > 0", "gain.mean[noise=1] > 0", "gain.mean > 9 at all"]
    content = _content(reproduced=[{"at least": 2, "of": gain}], partly=[{"any": gain}])
    assert _judged(content, _frame({0: 1.0, 1: 1.0}))["verdict"] == "reproduced"
    assert _judged(content, _frame({0: 1.0, 1: -1.0}))["verdict"] == "partly"
    assert _judged(content, _frame({0: -1.0, 1: -1.0}))["verdict"] == "not reproduced"


def test_comparisons_hold_together_in_a_cell():
    """One factor has the gain and the other the bound: together they hold in no cell."""
    content = _content(
        reproduced=["gain.mean > 0 and gain.first < 14 at 1"], partly=["gain.n < 0 at 1"]
    )
    frame = _frame({0: 1.0, 1: -1.0})
    assert _judged(content, frame)["verdict"] == "not reproduced"
    turned = _content(reproduced=["0 <= gain.mean <= 2 at 1", "gain.first < 14 at 1"])
    assert _judged(turned, frame)["verdict"] == "reproduced"


# --------------------------------------------------------------------------------- statistics


def _whole(measures, reproduced, frame):
    """A claim that is known whole or not at all."""
    content = _content(measures=measures, reproduced=reproduced, measured="x")
    del content["claims"]["word"]["claims"]["X-01"]["partly"]
    return _judged(content, frame)


def _measures(measures, reproduced, frame):
    return _whole(measures, reproduced, frame)["verdict"] == "reproduced"


def test_trends_along_a_column():
    where = {"metric": "f1", "method": "new", "noise": [0, 1, 2]}
    measures = {"a": {"where": where, "minus": {"method": "old"}, "along": "noise", "test": "page"}}
    rising = _frame({0: 0.0, 1: 1.0, 2: 3.0})
    held = [
        "a.least_step >= 0.9",
        "2.9 < a.change < 3.2",
        "a.last > 3",
        "a.spearman = 1",
        "a.p < 0.05",
    ]
    assert _measures(measures, held, rising)
    flat = _frame({0: 1.0, 1: 1.0, 2: 1.0})
    assert _measures(measures, ["a.spearman = 0", "a.least_step = 0"], flat)
    assert not _measures(measures, ["a.spearman = 1"], rising[rising["noise"] < 2])


def test_a_page_test_needs_two_data_sets():
    where = {"metric": "f1", "method": "new", "noise": [0, 1, 2]}
    measures = {"a": {"where": where, "along": "noise", "test": "page"}}
    found = _whole(measures, ["a.p < 0.05"], _frame({0: 0.0, 1: 1.0, 2: 3.0}, 1))
    assert (found["verdict"], found["lacking"]) == ("inconclusive", "no test with 1 data set")


def test_several_at_once_and_two_groups():
    frame = _frame({0: 1.0})
    frame = frame.assign(size=frame["dataset"].str.removeprefix("set_").astype(int))
    frame.loc[(frame["size"] < 4) & (frame["method"] == "new"), "value"] -= 9
    where = {"metric": "f1", "noise": 0}
    several = {
        "a": {"where": {**where, "method": ["old", "new"]}, "among": "method", "test": "friedman"}
    }
    assert _measures(several, ["a.p = 1", "a.n = 8"], frame)
    # All eight alike: 2 of 2^8 orders. The least of chi-squared, 0.0047, cannot be reached.
    none = _whole(several, ["a.p < 0.0078"], frame)
    assert none["lacking"] == "p < 0.0078 cannot be reached by 8 data sets"
    both = {
        name: {"where": {**where, "method": "new", "size": size}, "minus": {"method": "old"}}
        for name, size in (("b", ">= 4"), ("c", "< 4"))
    }
    for test in ("mann_whitney greater", "fisher greater"):
        measures = {**both, "a": {"between": ["b", "c"], "test": test}}
        assert _measures(measures, ["a.p < 0.0143", "b.share > c.share"], frame)  # 1 of 70 orders
        none = _whole(measures, ["a.p < 0.0142"], frame)
        assert none["lacking"] == "p < 0.0142 cannot be reached by 8 data sets"


def test_sign_test_above_ratio_and_extremes():
    frame = _frame({0: 1.0, 1: -2.0})
    where = {"metric": "f1", "method": "new", "noise": [0, 1]}
    sign = {"a": {"where": where, "minus": {"method": "old"}, "test": "sign greater"}}
    assert _measures(sign, ["a.p[noise=0] < 0.004", "a.p[noise=1] = 1"], frame)
    above = {"a": {"where": where, "above": {"method": ["old"]}}}
    assert _measures(above, ["a.mean > 0 at 1"], frame)
    extremes = {"a": {"where": where, "minus": {"method": "old"}, "by": []}}
    assert _measures(extremes, ["a.min < -2", "a.max > 1", "a.span > 3", "a.n = 16"], frame)
    # Without one of the two factors an extreme would be of something else.
    assert not _measures(extremes, ["a.n = 8"], frame[frame["noise"] == 0])
    ratio = {**sign, "b": {"ratio": ["a.mean[noise=0]", "a.mean[noise=1]"]}}
    assert _measures(ratio, ["b.value = -0.5"], frame)


def test_results_of_another_step_are_read():
    frame = pd.DataFrame({"noise": [0, 1], "gain": [1.0, 2.0], "p_holm": [0.01, 0.2], "n": [7, 7]})
    read = {"mean": "gain", "p": "p_holm", "n": "n"}
    measure = {"where": {"noise": [0, 1]}, "read": read, "test": "wilcoxon two-sided"}
    assert _measures({"a": measure}, ["a.p < 0.05 and a.mean > 0 at 1", "a.n = 7 at all"], frame)
    few = _whole({"a": measure}, ["a.p < 0.05 at 1"], frame.assign(n=5))
    assert few["lacking"] == "p < 0.05 cannot be reached by 5 data sets"


def test_a_p_value_after_correction_brings_what_it_could_have_been():
    """Holm multiplies the least p by the tests of a family: eight data sets and eight tests have
    none below 0.05, which says neither that there is a difference nor that there is none."""
    frame = pd.DataFrame({"noise": [0], "gain": [1.0], "p": [0.0625], "n": [8], "least": [0.0625]})
    read = {"mean": "gain", "p": "p", "n": "n"}
    measure = {"where": {"noise": [0]}, "read": read, "test": "wilcoxon two-sided"}
    assert _whole({"a": measure}, ["a.p >= 0.05"], frame)["verdict"] == "reproduced"
    known = {**measure, "read": {**read, "least": "least"}}
    for condition in ("a.p >= 0.05", "a.p < 0.05"):
        found = _whole({"a": known}, [condition], frame)
        assert found["lacking"] == "p < 0.05 cannot be reached by 8 data sets"


def test_equal_is_not_larger():
    """Shares of two thirds are the same number, however they were summed."""
    where = {"metric": "f1", "method": "new", "noise": [0, 1]}
    measure = {"a": {"where": where, "minus": {"method": "old"}}}
    frame = _frame({0: 1.0, 1: 1.0}, n=3)
    frame.loc[(frame["dataset"] == "set_0") & (frame["method"] == "new"), "value"] = 0.0
    for relation in "<>":
        assert not _measures(measure, [f"a.share[noise=0] {relation} a.share[noise=1]"], frame)


def test_of_no_cell_nothing_is_true():
    measure = {"a": {"where": {"metric": "f1", "method": "gone"}, "by": ["noise"]}}
    for condition in ("a.mean > 0 at none", "a.mean > 0 at all", "a.mean > 0 at 3"):
        assert _whole(measure, [condition], _frame({0: 1.0}))["verdict"] == "inconclusive"


# ----------------------------------------------------------------------------- the file is closed


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"reproducd": ["gain.mean > 0 at all"]}, "unknown key `X-01.reproducd`; did you mean"),
        ({"reproduced": ["gian.mean > 0 at all"]}, "unknown measure `gian` in `X-01`; did you"),
        ({"reproduced": ["gain.men > 0 at all"]}, "unknown statistic `men` of `X-01.gain`; d"),
        ({"reproduced": ["gain.mean[nose=0] > 0"]}, "names no cells; did you mean `noise`"),
        ({"reproduced": ["gain.mean > zero"]}, "which is no comparison"),
        ({"reproduced": [3]}, "which is no condition"),
        ({"reproduced": [{"at least": 3, "of": ["gain.mean > 0 at 1"]}]}, "which is no condition"),
        ({"reproduced": []}, "give a list of conditions"),
        ({"reproduced": ["gain.mean > 0"]}, "on 2 cells; say at how many"),
        ({"reproduced": ["gain.mean > 0 at 3"]}, "on 2 cells; write `at 2` or less"),
        ({"measured": "a {gain.mean"}, "a lone brace"),
        ({"measured": "a {gain.mean:%s}"}, "has the format `%s`"),
        ({"measured": "a {gain.__class__}"}, "unknown statistic `__class__`"),
        ({"fewest": 0}, "`X-01.fewest` is 0"),
        ({"statement": "ours?"}, "`X-01` has a statement"),
        ({"not_testable": "why"}, "is not testable and has measures"),
        ({"measures": {}}, "`X-01.measures` is `{}`; name at least one"),
        ({"measures": {"gain": {"wher": {}}}}, "unknown key `X-01.gain.wher`; did you mean"),
        ({"measures": {"gain": {"test": "wilcoxn less"}}}, "unknown test `wilcoxn`"),
        ({"measures": {"gain": {"test": "wilcoxon les"}}}, "unknown alternative `les`"),
        ({"measures": {"gain": {"test": "page"}}}, "does not go with `difference`"),
        ({"measures": {"gain": {"along": "noise"}}}, "which `where` does not list"),
        ({"measures": {"gain": {"among": "noise"}}}, "`X-01.gain.test` is missing"),
        ({"measures": {"gain": {"minus": {"a": 1}, "above": {"a": 1}}}},
         "`X-01.gain.minus` does not go with `above`"),
        ({"measures": {"gain": {"between": ["gain"], "test": "fisher less"}}},
         "`X-01.gain.between` is `[gain]`; give a list of 2"),
        ({"measures": {"gain": {"by": "noise"}}}, "give a list of columns"),
        ({"measures": {"gain": {"minus": {"methd": "old"}, "where": {"noise": [0, 1]},
          "test": "sign less"}}}, "unknown column `methd` of `rows` in `X-01.gain`; did you mean"),
        ({"measures": {"gain": {"above": {"a": 1}, "test": "sign less"}}}, "go with `above`"),
        ({"measures": {"gain": {"ratio": ["a.mean"] * 2, "of": "rows"}}}, "go with `ratio`"),
        ({"measures": {"gain": {"where": {"noise": None}}}}, "`X-01.gain.where.noise` is empty"),
        ({"measures": {"gain": {"read": {"mean": 3}}}}, "`X-01.gain.read.mean` is `3`; give a"),
        ({"measures": {"gain": [1]}}, "`X-01.measures.gain` is `[1]`; give a section"),
        ({"measures": {"gain": {"along": "noise", "where": {"noise": [0, 1]}, "of": 3}}},
         "`X-01.gain.of` is `3`; give a text"),
        ({"printed": {"not_testabl": "x"}}, "unknown key `X-01.printed.not_testabl`; did you"),
        ({"shown": "a"}, "`X-01.shown` is `a`; list tables and figures"),
        ({"measured": [3]}, "`X-01.measured` is `[3]`; give a text, or a list of its parts"),
        ({"reproduced": ["gain.mean[noise=2] > 0"]}, "`2` is no `noise` of its cells"),
        ({"reproduced": ["gain.p < gain.mean at all"]}, "which compares a p-value"),
        ({"measures": {"gain": {"where": {"noise": [0, 0]}}}},
         "`X-01.gain.where.noise` is `[0, 0]`; name each once"),
        ({"measures": {"gain": {"where": {"size": "< many"}}}}, "which is no bound"),
        ({"measures": {"gain": {"where": {"noise": [0, 1]}, "by": [], "along": "noise"}}},
         "`X-01.gain`: `by` leaves out `noise`, which `along` follows"),
        ({"measures": {"gain": {"where": {"noise": [0, 1]}}, "a": {"ratio": ["b.value"] * 2},
          "b": {"ratio": ["gain.mean[noise=0]"] * 2}}}, "`X-01.a` is a ratio of `b`"),
    ],
)  # fmt: skip
def test_an_error_names_the_culprit_and_what_may_have_been_meant(changes, message):
    with pytest.raises(ConfigError) as caught:
        _judged(_content(**changes), _frame({0: 1.0, 1: 1.0}))
    assert message in str(caught.value)
    assert str(caught.value).startswith("config/claims.yaml: ")
    assert caught.value.remedy


def test_a_claim_is_bound_once_and_rows_are_told_apart():
    content = _content()
    content["claims"]["other"] = copy.deepcopy(content["claims"]["word"])
    with pytest.raises(ConfigError, match="`X-01` is bound twice"):
        specified(content)
    with pytest.raises(ConfigError, match=r"no claims of `wrod`; did you mean `word`"):
        of_experiment(_content(), "wrod")
    twice = pd.concat([_frame({0: 1.0, 1: 1.0})] * 2)
    with pytest.raises(ConfigError, match="has several rows per dataset"):
        _judged(_content(), twice)


def test_nothing_is_run(tmp_path):
    """Whatever stands in the file is data: texts that look like code are refused, not evaluated."""
    file = tmp_path / "made"
    code = f"__import__('pathlib').Path({str(file)!r}).touch()"
    for changes in (
        {"reproduced": [code]},
        {"reproduced": [f"gain.mean > {code}"]},
        {"measured": f"{{{code}}}"},
        {"measured": "{gain.mean.__class__.__mro__}"},
        {"measures": {"gain": {"where": {"metric": "f1"}, "test": code}}},
    ):
        with pytest.raises(ConfigError):
            _judged(_content(**changes), _frame({0: 1.0, 1: 1.0}))
    content = _content()
    content["claims"]["word"]["claims"]["X-01"]["measures"]["gain"]["where"]["metric"] = code
    assert _judged(content, _frame({0: 1.0, 1: 1.0}))["verdict"] == "inconclusive"
    assert not file.exists()


# -------------------------------------------------------------------------------- our own file

BOUND = specified(CLAIMS)
#: Experiments of claims.csv whose claims are bound, and those that are still to be built.
BUILT = ("soft", "search", "structure", "survival", "confidence", "evidential", "missing")
LATER = ()


def test_every_claim_of_the_papers_is_bound():
    assert set(PUBLISHED["experiment"]) == {*BUILT, *LATER}
    wanted = PUBLISHED[PUBLISHED["experiment"].isin(BUILT)]
    ours = {name for name, claim in BOUND.items() if claim.statement}
    assert set(wanted["claim_id"]) == set(BOUND) - ours
    for claim, experiment in zip(wanted["claim_id"], wanted["experiment"], strict=True):
        assert BOUND[claim].experiment.split("_")[0] == experiment


def test_questions_of_our_own_have_ids_of_their_own():
    ours = [name for name, claim in BOUND.items() if claim.statement]
    assert not set(ours) & set(PUBLISHED["claim_id"])
    for name in ours:
        word, _, number = name.rpartition("-")
        assert word == BOUND[name].experiment
        assert word in EXTENSIONS  # of no paper
        assert number.isdigit()
    # 2 / 2^5 is above 0.05: no two-sided test over five data sets can tell.
    assert {BOUND[name].fewest for name in ours} == {6}
    # After Holm's correction six are too few as well: what could be seen is read beside p.
    corrected = [name for name in ours if name.startswith("diverse_trees-")]
    measures = [m for name in corrected for m in BOUND[name].measures.values()]
    assert measures and all("least" in m.read for m in measures)


def test_verdicts_have_marks_of_their_own():
    assert len(set(VERDICTS.values())) == len(VERDICTS) == 5


def test_an_empty_file_and_a_claim_of_no_paper_are_told():
    with pytest.raises(ConfigError, match="`the file` is empty; give a section"):
        specified(None)
    with pytest.raises(ConfigError, match=r"`X-01` is no claim of data/published/claims\.csv"):
        claims = specified(_content())
        with_statements(judge(claims, {"rows": _frame({0: 1.0, 1: 1.0})}), claims, PUBLISHED)


def test_statements_stand_beside_verdicts():
    judged = pd.DataFrame({"claim": ["T3-01", "noise_models-01"]})
    found = with_statements(judged, BOUND, PUBLISHED)
    assert found["statement"].str.len().min() > 20
    assert list(found["published_value"] == "") == [False, True]


def test_tracked_claims_have_the_names_and_numbers_of_today():
    """A verdict had up to four names on one page, as results that are tracked keep theirs."""
    line = {"claim": "T3-01", "verdict": "too little data", "verdict_coded": "not testable here"}
    line |= {"hangs_on": "iris: too little data; wine: partly", "measured": "+0.5 points, p = 1e-9"}
    line |= {"lacking": "p < .05 cannot be reached by 2 data sets", "n_datasets": 2}
    found = from_reference(pd.DataFrame([line, line | {"verdict": "partly", "measured": None}]))
    assert found["verdict"].tolist() == ["inconclusive", "partly"]
    assert found["verdict_coded"][0] == "not testable" and found["n_datasets"][0] == 2
    assert found["hangs_on"][0] == "iris: inconclusive; wine: partly"
    assert found["measured"][0] == "+0.5 percentage points, p < 0.001"
    assert found["lacking"][0] == "p < 0.05 cannot be reached by 2 data sets"
