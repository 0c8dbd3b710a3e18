"""Claims of what goes beyond chapter 4."""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from hedgerow.experiments.search_beyond.plan import OBJECTIVES, SEARCHERS
from hedgerow.experiments.search_beyond.tables import MEAN, VIEWS

#: A test over data sets is called a difference below this.
LEVEL = 0.05
#: Below this number of data sets no two-sided signed-rank test can reach it (2 / 2^5 > .05).
FEWEST_DATASETS = 6


# ----------------------------------------------------------------------------------- answers


@dataclass(frozen=True)
class Gap:
    """How far a search comes from C4.5 to the optimum, means over data sets.

    Attributes
    ----------
    objective, learner : str
    depth, n : int
        Limit of the depth, number of data sets.
    training, validation : float
        Per cent of the gap that is closed; NaN where there is none.
    gap : float
        Points of the optimum above C4.5 without pruning, in training data.
    test, p : float
        Points above C4.5 without pruning in test data; Wilcoxon over data sets.
    optimum_test : float
        The same of the optimum.
    """

    objective: str
    learner: str
    depth: int
    n: int
    gap: float
    training: float
    validation: float
    test: float
    p: float
    optimum_test: float


def gaps(table: pd.DataFrame) -> list[Gap]:
    """One answer per objective, depth and variant of UCT-DT.

    Parameters
    ----------
    table : DataFrame, as returned by `search_beyond_gap`

    Returns
    -------
    list of Gap; empty without any optimum
    """
    means = table[table["dataset"] == MEAN]
    cells = means.set_index(["objective", "measured_on", "depth", "learner", "trained_on"])
    found = []
    for objective, best in OBJECTIVES.items():
        for depth in sorted(means.loc[means["objective"] == objective, "depth"].unique()):
            if (objective, "training", depth, best, "training") not in cells.index:
                continue
            for learner in SEARCHERS:
                own = {w: cells.loc[(objective, w, depth, learner, "training")] for w in VIEWS}
                optimum = cells.loc[(objective, "test", depth, best, "training")]
                found.append(
                    Gap(
                        objective,
                        learner,
                        int(depth),
                        int(own["training"]["n_datasets"]),
                        float(own["training"]["gap"]),
                        float(own["training"]["gap_closed"]),
                        float(own["validation"]["gap_closed"]),
                        float(own["test"]["difference_c45"]),
                        float(own["test"]["p"]),
                        float(optimum["difference_c45"]),
                    )
                )
    return found


def verdict(rules: pd.DataFrame, rule: str) -> str:
    """One plain sentence: is a rule of selection better than the upper confidence bound?

    Parameters
    ----------
    rules : DataFrame, as returned by `search_beyond_rules`
    rule : str

    Returns
    -------
    str, without a full stop; by the test of F1 on the test part over data sets
    """
    means = rules[(rules["dataset"] == MEAN) & (rules["rule"] == rule) & (rules["metric"] == "f1")]
    if means.empty or means["n_datasets"].max() < FEWEST_DATASETS:
        n = int(means["n_datasets"].max()) if len(means) else 0
        return f"It cannot be told from {n} data set{'' if n == 1 else 's'}"
    differs = means[means["p"] < LEVEL]
    up = int((differs["difference_ucb"] > 0).sum())
    down = len(differs) - up
    n = len(means)
    of = f"of {n} simulation {'policies' if n > 1 else 'policy'}"
    if not up and not down:
        return f"No: by the test its F1 differs under none {of}"
    if not down:
        return f"{'Yes' if up == n else 'In part'}: its F1 is higher under {up} {of}"
    if not up:
        return f"No, it harms: its F1 is lower under {down} {of}"
    return f"It depends: its F1 is higher under {up} {of} and lower under {down}"


def settled(table: pd.DataFrame, within: float = 0.5) -> list[dict]:
    """After how many iterations the validation F1 of each curve stays near its last value.

    Parameters
    ----------
    table : DataFrame, as returned by `search_beyond_progress`
    within : float
        Points of per cent.

    Returns
    -------
    list of dict
        method, criterion, budget (first point of the grid from which on the mean over data sets is
        `within` of the last), last_budget, validation_f1, f1 (of the last point).
    """
    means = table[(table["dataset"] == MEAN) & table["validation_f1"].notna()]
    found = []
    for (method, criterion), curve in means.groupby(["method", "criterion"], sort=False):
        curve = curve.sort_values("budget")
        last = curve.iloc[-1]
        far = (curve["validation_f1"] - last["validation_f1"]).abs() > within
        first = curve["budget"][~far[::-1].cummax()[::-1]].iloc[0]
        found.append(
            {
                "method": method,
                "criterion": criterion,
                "budget": int(first),
                "last_budget": int(last["budget"]),
                "validation_f1": float(last["validation_f1"]),
                "f1": float(last["f1"]),
            }
        )
    return found
