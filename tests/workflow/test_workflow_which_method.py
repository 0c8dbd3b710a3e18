"""`docs/which_method.md`: its tables are those of the results, and it is short."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from hedgerow.extensions.uncertainty_benchmark.plan import READABLE
from hedgerow.extensions.uncertainty_benchmark.tables import CONDITION_LABELS, LABELS
from hedgerow.workflow.result_pages import CHOICE, STEADY, TABLES, gain, which_method

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / "data/reference/uncertainty_benchmark"


def effect(condition, first, difference, p, metric="accuracy", second="c45"):
    """A line of the table of effects."""
    told = {"condition": condition, "metric": metric, "first": first, "second": second}
    numbers = {"mean_first": 70.0 + difference, "mean_second": 70.0}
    numbers |= {"difference": difference, "p_holm": p}
    return {**told, **numbers, "low": difference - 1.0, "high": difference + 1.0}


@pytest.fixture
def project(tmp_path):
    """A project with a few results."""
    folder = tmp_path / "data/reference/uncertainty_benchmark"
    folder.mkdir(parents=True)
    effects = [
        effect("clean", "ss", 1.0, 0.2),
        effect("clean", "stp", 2.5, 0.01),
        effect("clean", "doubt_tree", 0.0, 1.0),
        effect("clean", "forest", 5.0, 0.001),
        effect("clean", "logistic", -3.0, 0.3),
        # What is not accuracy beside C4.5 belongs elsewhere.
        effect("clean", "ss", 9.0, 0.01, metric="macro_f1"),
        effect("clean", "ss", 9.0, 0.01, second="forest"),
        *(effect("error", first, -60.0, 0.01, metric="changes") for first in STEADY[:-1]),
        effect("error", STEADY[-1], -50.0, 0.2, metric="changes"),
    ]
    pd.DataFrame(effects).to_csv(folder / "uncertainty_benchmark_effects.csv", index=False)
    leaf = {"among": "readable", "rule": "error < 0.3 AND n_rows >= 99", "method": "stp"}
    leaf |= {"accuracy": 80.0}
    leaf |= {"accuracy_c45": 79.0, "accuracy_forest": 82.0, "accuracy_best": 83.0}
    pd.DataFrame([leaf]).to_csv(folder / "uncertainty_benchmark_rule.csv", index=False)
    honesty = [("readable", "rule", 77.0), ("readable", "c45", 76.0), ("all", "rule", 80.0)]
    honesty = pd.DataFrame(honesty, columns=["among", "choice", "accuracy"])
    honesty.to_csv(folder / "uncertainty_benchmark_honesty.csv", index=False)
    people = [("c45", 60.0, 1.2, 9.0, float("nan")), ("doubt_tree", 73.3, 0.53, 10.7, 8.3)]
    names = ["method", "accuracy", "log_loss", "changes", "foretold"]
    pd.DataFrame(people, columns=names).to_csv(
        folder / "uncertainty_benchmark_people.csv", index=False
    )
    return tmp_path


def test_tables_say_what_the_results_say(project):
    found = which_method(project)
    assert tuple(found) == TABLES
    *_, line = found["conditions"].splitlines()
    stp = f"{LABELS['stp']} **+2.5 (+1.5 to +3.5)**"
    same = "0.0 (−1.0 to +1.0)"
    others = "**+5.0 (+4.0 to +6.0)** | −3.0 (−4.0 to −2.0)"
    assert line == f"| no doubt | 70.0 | {stp} | {same} | {others} |"
    *_, line = found["changes"].splitlines()
    steady = " | ".join(["**10.0**"] * (len(STEADY) - 1))
    assert line == f"| errors, size known | 70.0 | {steady} | 20.0 |"
    *_, line = found["rule"].splitlines()
    where = "`error < 0.3` and `n_rows >= 99`"
    assert line == f"| a readable tree | {where} | STP | 80.0 | 79.0 | 82.0 | 83.0 |"
    assert "| the rule of thumb | 77.0 | 80.0 |" in found["honesty"]
    assert "| C4.5 | 76.0 | – |" in found["honesty"]
    assert "| tree for all doubts | 73.3 | 0.53 | 10.7 | 8.3 |" in found["people"]
    assert "| C4.5, told nothing | 60.0 | 1.20 | 9.0 | – |" in found["people"]


def test_readme_has_the_method_that_was_chosen_beforehand():
    """The best tree picked afterwards gains more: its numbers are not for a headline."""
    effects = []
    for first, more in (("ss_stp_se", 9.0), ("doubt_tree", 2.0), ("forest", 5.0)):
        effects.append(effect("error", first, more, 0.01))
        effects.append(effect("error", first, -more, 0.01, metric="changes"))
        effects.append(effect("all", first, 7.0, 0.01))
    text = " ".join(gain(pd.DataFrame(effects).assign(n_datasets=4), [0.1, 0.2, 0.4]).split())
    assert "added normally distributed errors to 4 data sets" in text
    assert "**+2.0 percentage points** of accuracy over the classic tree C4.5 (95 % CI 1.0" in text
    assert "a random forest +5.0 (95 % CI 4.0 to 6.0)" in text
    assert "**68.0 of 100 predictions change** instead of 70.0 with C4.5 and 65.0 with the" in text
    assert "deviation is 0.1, 0.2 or 0.4 of the variable's" in text


def test_without_results_nothing_is_said(tmp_path):
    assert which_method(tmp_path) == {}


def test_the_page_has_a_place_for_each_table_and_is_read_in_three_minutes():
    page = (ROOT / CHOICE).read_text(encoding="utf-8")
    places = re.findall(r"<!-- (\w+): make generated -->", page)
    assert sorted(places) == sorted(TABLES)
    prose = re.sub(r"^\|.*$|<!--.*?-->", "", page, flags=re.MULTILINE)
    assert len(prose.split()) <= 3 * 220  # words a minute


def test_the_page_tells_every_condition_and_the_best_of_each():
    page = (ROOT / CHOICE).read_text(encoding="utf-8")
    effects = pd.read_csv(KEPT / "uncertainty_benchmark_effects.csv")
    own = effects[(effects["metric"] == "accuracy") & (effects["second"] == "c45")]
    own = own[own["first"].isin(READABLE)]
    for condition, name in CONDITION_LABELS.items():
        there = own[own["condition"] == condition]
        best = there.loc[there["difference"].idxmax()]
        line, *_ = re.findall(rf"^\| {name} \|.*$", page, flags=re.MULTILINE)
        cell = line.split("|")[3].strip(" ")
        assert cell.startswith(LABELS[best["first"]])
        assert ("**" in cell) == (best["p_holm"] < 0.05)
