"""A rule of thumb: which learner, by what is known before any has been tried.

A case is a data set in a cell of the design. A learner is the more plausible for it the nearer its
accuracy is to that of the best, so that the cases are doubtful data themselves; an E2M tree of few
leaves is grown on them, and a leaf recommends what was most accurate on its cases. How honest that
is, cross-validation by data set says: trees and recommendations of all others, on the one left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from hedgerow_study.experiments.step import step
from hedgerow_study.extensions.uncertainty_benchmark.plan import (
    AGAINST,
    CLEAN,
    DATA,
    METHODS,
    PART,
    PROPERTIES,
    READABLE,
    UncertaintyBenchmarkPlan,
)

#: Learners that a rule may recommend.
AMONG = {"readable": READABLE, "all": METHODS}
CASE = ["dataset", "condition", "level", "place"]
#: Of accuracy: a learner that is so much below the best is e times less plausible.
SCALE = 0.02
LEAVES = ["among", "leaf", "rule", "method", "n_cases", "n_datasets", "accuracy"]
LEAVES += ["accuracy_c45", "accuracy_forest", "accuracy_best"]
CROSS_VALIDATION = ["among", "choice", "dataset", "accuracy"]
#: What is compared with the rule: the learner that is best on the other data sets, and the best of
#: each case, which nobody knows before.
RULE, BEST_SINGLE, HINDSIGHT = "rule", "best_single", "hindsight"


def cases(rows: pd.DataFrame, suite: Mapping[str, Any]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """What is known of each case, and how accurate each learner was, mean over repeats.

    Known are properties of the data; error (standard deviations), missing and uncertain_labels
    (shares), 0 where there are none or none are given; exact_training: noise came after it.
    """
    selected = rows[rows["part"] == PART]
    data = selected[selected["method"] == DATA]
    data = data.groupby(["dataset", "metric"])["value"].mean().unstack("metric")
    accuracy = selected[(selected["metric"] == "accuracy") & (selected["method"] != DATA)]
    accuracy = accuracy.groupby([*CASE, "method"])["value"].mean().unstack("method")
    lines = []
    for dataset, condition, level, place in accuracy.index:
        what = {} if condition == CLEAN else suite["conditions"][condition]
        line = dict(data.loc[dataset, list(PROPERTIES)])
        for name, kind in (("error", "errors"), ("missing", "missing")):
            line[name] = suite["levels"][kind][level] if kind in what else 0.0
        is_given = what.get("classes") == "given"
        line["uncertain_labels"] = suite["levels"]["classes"][level] if is_given else 0.0
        line["exact_training"] = float(place == suite["places"][0])
        lines.append(line)
    return pd.DataFrame(lines, index=accuracy.index), accuracy


def grow_rule(features: pd.DataFrame, accuracy: pd.DataFrame, n_leaves: int):
    """A tree that asks what is known, and by leaf the learner that is best there on average."""
    from hedgerow.evidential.learner import EvidentialTreeClassifier
    from hedgerow.induction.uncertain_table import Uncertain

    regret = accuracy.to_numpy().max(axis=1, keepdims=True) - accuracy.to_numpy()
    plausible = pd.DataFrame(np.exp(-regret / SCALE), columns=list(accuracy.columns))
    table = features.reset_index(drop=True)
    model = EvidentialTreeClassifier(max_leaves=n_leaves, prune=False)
    model.fit(Uncertain(table, y_plausibility=plausible))
    leaf = model.apply(table)
    recommended = {}
    for number in np.unique(leaf):
        of_leaf = accuracy[leaf == number]
        recommended[int(number)] = of_leaf.groupby(level="dataset").mean().mean().idxmax()
    # A leaf that no case of the training set is in asks for what is best on all of them.
    overall = accuracy.groupby(level="dataset").mean().mean().idxmax()
    for number in np.flatnonzero(model.tree_.feature < 0):
        recommended.setdefault(int(number), overall)
    return model, recommended


def _of_leaves(features, accuracy, among: str, methods: Sequence[str], n: int) -> Iterator[tuple]:
    """Lines of the rule that is grown on all cases."""
    model, recommended = grow_rule(features, accuracy[list(methods)], n)
    leaf = model.apply(features.reset_index(drop=True))
    words = model.tree_.rules(decimals=4).set_index("leaf")["rule"]
    for number, method in sorted(recommended.items()):
        of_leaf = accuracy[leaf == number]
        by = of_leaf.groupby(level="dataset").mean()
        best = of_leaf[list(methods)].max(axis=1).groupby(level="dataset").mean().mean()
        others = [by[name].mean() if name in by else np.nan for name in AGAINST]
        counts = (len(of_leaf), len(by))
        yield (among, number, words[number], method, *counts, by[method].mean(), *others, best)


def _cross_validated(
    features, accuracy, among: str, methods: Sequence[str], n: int
) -> Iterator[tuple]:
    """Lines of the cross-validation by data set."""
    names = accuracy.index.get_level_values("dataset")
    for dataset in dict.fromkeys(names):
        held = np.asarray(names == dataset)
        held_out = accuracy[held]
        rest = accuracy[~held]
        if rest.empty:
            continue
        model, recommended = grow_rule(features[~held], rest[list(methods)], n)
        leaf = model.apply(features[held].reset_index(drop=True))
        accuracies = [held_out.iloc[i][recommended[int(number)]] for i, number in enumerate(leaf)]
        single = rest[list(methods)].groupby(level="dataset").mean().mean().idxmax()
        choices = {RULE: float(np.mean(accuracies)), BEST_SINGLE: held_out[single].mean()}
        choices |= {name: held_out[name].mean() for name in AGAINST if name in held_out}
        choices[HINDSIGHT] = held_out[list(methods)].max(axis=1).mean()
        for choice, value in choices.items():
            yield among, choice, dataset, float(value)


def _typed(frame: pd.DataFrame) -> pd.DataFrame:
    """A table whose accuracies are numbers also where it has no row."""
    numbers = [name for name in frame.columns if name.startswith("accuracy")]
    return frame.astype(dict.fromkeys(numbers, float))


@step("rule_leaves", outputs=("leaves", "honesty"))
def rule(
    rows: pd.DataFrame, suite: Mapping[str, Any], plan: UncertaintyBenchmarkPlan
) -> dict[str, pd.DataFrame]:
    """The rule of thumb among readable trees and among all learners, and how honest it is.

    Accuracies of `leaves` are means over data sets on the cases of a leaf, of `honesty` those on
    the data set left out.
    """
    leaves, honesty = [], []
    if len(rows):
        features, accuracy = cases(rows, suite)
        for among, methods in AMONG.items():
            available = [name for name in methods if name in accuracy]
            if len(available) > 1:
                leaves += _of_leaves(features, accuracy, among, available, plan.rule_leaves)
                honesty += _cross_validated(features, accuracy, among, available, plan.rule_leaves)
    return {
        "leaves": _typed(pd.DataFrame(leaves, columns=LEAVES)),
        "honesty": _typed(pd.DataFrame(honesty, columns=CROSS_VALIDATION)),
    }
