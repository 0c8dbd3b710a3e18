"""Tables of `docs/which_method.md`, and what README says of them, from `uncertainty_benchmark` at
the papers' scale."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.extensions.uncertainty_benchmark.plan import READABLE
from hedgerow.extensions.uncertainty_benchmark.tables import (
    CHOICE_LABELS,
    CONDITION_LABELS,
    LABELS,
    PEOPLE_LABELS,
)
from hedgerow.files import read_csv, read_yaml
from hedgerow.reporting.checkout import RESULTS
from hedgerow.reporting.numbers import known, number, signed
from hedgerow.workflow.markdown import table

if TYPE_CHECKING:
    import pandas as pd

PAGE, README, SUITE = "docs/which_method.md", "README.md", "config/suite.yaml"
#: The experiment whose results they tell.
EXPERIMENT = "uncertainty_benchmark"
#: Whose answers to a second measurement are told.
STEADY = ("ss_stp_se", "udt", "doubt_tree", "forest", "boosting")
#: Names of the tables that the page asks for, each between `<!-- NAME: make generated -->` and
#: `<!-- end -->`.
TABLES = ("conditions", "changes", "rule", "honesty", "people")


def pages(root: Path) -> dict[str, dict[str, str]]:
    """Texts of the page by their marks, and of README."""
    texts = {PAGE: which_method(root)} if (root / PAGE).is_file() else {}
    folder = root / RESULTS / EXPERIMENT
    if (root / README).is_file() and folder.is_dir():
        levels = read_yaml(root / SUITE)["levels"]["errors"]
        texts[README] = {
            "gain": gain(read_csv(folder / "uncertainty_benchmark_effects.csv"), levels)
        }
    return texts


def gain(effects: pd.DataFrame, levels: Sequence[float]) -> str:
    """What a tree gains that knows the size of errors, beside a forest that does not."""
    known_size = effects[(effects["condition"] == "error") & (effects["second"] == "c45")]
    by = known_size.set_index(["metric", "first"])
    tree, forest = (by.loc[("accuracy", method)] for method in ("doubt_tree", "forest"))
    changed, of_forest = (by.loc[("changes", method)] for method in ("doubt_tree", "forest"))
    sizes = f"{', '.join(map(str, levels[:-1]))} or {levels[-1]}"
    text = (
        f"We added normally distributed errors to {tree['n_datasets']} data sets. Their standard "
        f"deviation is {sizes} of the variable's, and methods that can use it are given it. "
        f"`DoubtTreeClassifier` gains **{signed(tree['difference'], 1)} percentage points** of "
        f"accuracy over the classic tree C4.5 ({_interval(tree)}), a random forest "
        f"{signed(forest['difference'], 1)} ({_interval(forest)}). On a simulated second "
        f"measurement, **{number(changed['mean_first'], 1)} of 100 predictions change** instead of "
        f"{number(changed['mean_second'], 1)} with C4.5 and {number(of_forest['mean_first'], 1)} "
        f"with the forest. A [file]({SUITE}) fixed methods and conditions before the first run. "
        f"`hedgerow reference {EXPERIMENT} --all` computes these numbers; "
        f"[more conditions]({PAGE})."
    )
    return textwrap.fill(text, 118, break_on_hyphens=False, break_long_words=False)


def _interval(line: pd.Series) -> str:
    return f"95 % CI {number(line['low'], 1)} to {number(line['high'], 1)}"


def which_method(root: Path) -> dict[str, str]:
    """Text of each table by its name; none where there are no such results."""
    folder = root / RESULTS / EXPERIMENT
    if not folder.is_dir():
        return {}
    effects = read_csv(folder / "uncertainty_benchmark_effects.csv")
    return {
        "conditions": conditions_table(effects),
        "changes": _changes(effects),
        "rule": _rule(read_csv(folder / "uncertainty_benchmark_rule.csv")),
        "honesty": _honesty(read_csv(folder / "uncertainty_benchmark_honesty.csv")),
        "people": _people(read_csv(folder / "uncertainty_benchmark_people.csv")),
    }


def _gain(line: pd.Series) -> str:
    """A difference with its interval."""
    if not known(line["difference"]):
        return "–"
    interval = f"({signed(line['low'], 1)} to {signed(line['high'], 1)})"
    return _bold(f"{signed(line['difference'], 1)} {interval}", line)


def _bold(text: str, line: pd.Series) -> str:
    """Bold where a difference holds after Holm's correction."""
    return f"**{text}**" if line["p_holm"] < 0.05 else text


def conditions_table(effects: pd.DataFrame, conditions: Iterable[str] = CONDITION_LABELS) -> str:
    """What learners gain on C4.5 in accuracy, a row per condition of those that were run."""
    own = effects[(effects["metric"] == "accuracy") & (effects["second"] == "c45")]
    lines = []
    for condition in conditions:
        there = own[own["condition"] == condition].set_index("first")
        if there.empty:
            continue
        readable = there.loc[[m for m in READABLE if m in there.index]]
        best = readable["difference"].idxmax()
        cells = [CONDITION_LABELS[condition], number(readable["mean_second"].iloc[0], 1)]
        cells += [f"{LABELS[best]} {_gain(readable.loc[best])}"]
        cells += [_gain(there.loc[m]) for m in ("doubt_tree", "forest", "logistic")]
        lines.append(cells)
    heads = ["doubt", "C4.5", "best readable tree", "tree for all doubts", "forest", "logistic"]
    return table(heads, lines, texts=1)


def _changes(effects: pd.DataFrame) -> str:
    own = effects[(effects["metric"] == "changes") & (effects["second"] == "c45")]
    lines = []
    for condition, name in CONDITION_LABELS.items():
        there = own[own["condition"] == condition].set_index("first")
        if len(there):
            found = [there.loc[m] for m in STEADY]
            cells = [_bold(number(line["mean_first"], 1), line) for line in found]
            lines.append([name, number(there["mean_second"].iloc[0], 1), *cells])
    return table(["doubt", LABELS["c45"], *(LABELS[m] for m in STEADY)], lines, texts=1)


def _rule(leaves: pd.DataFrame) -> str:
    lines = []
    for line in leaves.to_dict("records"):
        among = {"readable": "a readable tree", "all": "any learner"}[line["among"]]
        asked = " and ".join(f"`{test}`" for test in line["rule"].split(" AND "))
        cells = [among, asked, LABELS[line["method"]]]
        names = ("accuracy", "accuracy_c45", "accuracy_forest", "accuracy_best")
        lines.append([*cells, *(number(line[name], 1) for name in names)])
    heads = ["if you want", "where", "take", "accuracy", "C4.5", "forest", "best"]
    return table(heads, lines, texts=3)


def _honesty(honesty: pd.DataFrame) -> str:
    wide = honesty.set_index(["choice", "among"])
    lines = []
    for choice, name in CHOICE_LABELS.items():
        cells = [name]
        for among in ("readable", "all"):
            there = (choice, among) in wide.index
            cells.append(number(wide.loc[(choice, among), "accuracy"], 1) if there else "–")
        lines.append(cells)
    return table(
        ["taken on a data set that was left out", "readable trees", "any learner"], lines, texts=1
    )


def _people(people: pd.DataFrame) -> str:
    lines = []
    for line in people.to_dict("records"):
        cells = [PEOPLE_LABELS[line["method"]], number(line["accuracy"], 1)]
        cells += [number(line["log_loss"], 2)]
        cells += [number(line[name], 1) for name in ("changes", "foretold")]
        lines.append(cells)
    return table(
        ["learner", "accuracy", "log loss", "answers that change", "foretold"], lines, texts=1
    )
