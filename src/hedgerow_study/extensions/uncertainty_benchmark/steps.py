"""Every learner on every cell of the suite, and what its data sets are like."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from hedgerow.data import TidyTable, rng, split
from hedgerow.errors import ConfigError
from hedgerow.evaluation import metrics
from hedgerow_study.experiments.frames import (
    draw_rows,
    numbers_of,
    one_thread,
    random_state,
    sorted_,
)
from hedgerow_study.experiments.step import step
from hedgerow_study.extensions.uncertainty_benchmark.learners import Learned, fit_method
from hedgerow_study.extensions.uncertainty_benchmark.plan import (
    CLEAN,
    DATA,
    EXPERIMENT,
    NOWHERE,
    ORDER,
    PART,
    PROPERTIES,
    VALUES,
    UncertaintyBenchmarkPlan,
)
from hedgerow_study.extensions.uncertainty_benchmark.samples import (
    Case,
    Cell,
    Sample,
    UncertainRows,
    cells,
)

#: Decimals of scores. More would only be stored, and fewer make ties.
DECIMALS = 6
N_BINS = 10  # of the calibration


@step(
    *("levels", "max_nodes", "methods", "n_rounds", "n_rows", "n_settings", "n_trees", "seed"),
)
def run(
    table: TidyTable,
    suite: Mapping[str, Any],
    plan: UncertaintyBenchmarkPlan,
    repeats: Iterable[int] | None = None,
) -> pd.DataFrame:
    """All learners on one data set, in all cells that the suite has for it.

    What the training rows are like stands under the method `data`.
    """
    repeats = numbers_of(plan, "n_repeats", repeats)
    _check_registered(table, suite, plan, repeats)
    number, lines = suite["datasets"].index(table.name), []
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of doubts that a learner does not know, as it is meant
        for repeat in repeats:
            sample = sample_of(table, repeat, suite, plan)
            clean = (PART, table.name, repeat, CLEAN, 0, NOWHERE, DATA)
            lines += [(*clean, *entry) for entry in properties(sample)]
            for cell in cells(suite, number, repeat, plan.levels):
                case = sample.case(cell)
                for method in plan.methods:
                    for metric, value in _measured(method, sample, case, cell, plan).items():
                        lines.append((PART, table.name, repeat, *cell, method, metric, value))
    frame = pd.DataFrame(lines, columns=[*ORDER["rows"], *VALUES["rows"]])
    return sorted_(frame.assign(value=frame["value"].round(DECIMALS)), ORDER["rows"])


def _check_registered(
    table: TidyTable,
    suite: Mapping[str, Any],
    plan: UncertaintyBenchmarkPlan,
    repeats: Sequence[int],
) -> None:
    """Refuse what the suite does not have: it would be run without having been registered."""
    n_levels = min(len(levels) for levels in suite["levels"].values())
    if table.name not in suite["datasets"]:
        raise ConfigError(
            f"`{table.name}` in `{plan.section}.datasets` is no data set of config/suite.yaml",
            remedy="leave it out, or register it there with date and reason",
        )
    if max(plan.levels) >= n_levels:
        raise ConfigError(
            f"`{plan.section}.levels` has {max(plan.levels)}, and config/suite.yaml has "
            f"{n_levels} levels",
            remedy=f"give numbers from 0 to {n_levels - 1}",
        )
    if max(repeats) >= suite["n_repeats"]:
        raise ConfigError(
            f"`{plan.section}.n_repeats` asks for repeat {max(repeats) + 1}, and config/suite.yaml "
            f"has {suite['n_repeats']}",
            remedy=f"set it to {suite['n_repeats']} at most",
        )


def sample_of(
    table: TidyTable, repeat: int, suite: Mapping[str, Any], plan: UncertaintyBenchmarkPlan
) -> Sample:
    """Rows of a repeat, divided into training and test part."""
    draws = rng(plan.seed, EXPERIMENT, table.name, repeat, "rows")
    table = draw_rows(table, min(plan.n_rows, suite["n_rows"]), draws)
    train, test = split(
        table, repeat, seed=plan.seed, experiment=EXPERIMENT, test_size=suite["test_size"]
    )
    return Sample(table, np.sort(train), np.sort(test), repeat, suite, plan)


def properties(sample: Sample) -> Iterator[tuple[str, float]]:
    """What the training rows are like, as they are: each of `PROPERTIES` and its value."""
    y = sample.table.y[sample.train]
    counts = np.bincount(y)
    values = (
        len(y),
        sample.table.X.shape[1],
        (counts > 0).sum(),
        counts.max() / len(y),
        (sample.n_categories == 0).mean(),
    )
    yield from zip(PROPERTIES, map(float, values), strict=True)


def _measured(method: str, sample: Sample, case: Case, cell: Cell, plan) -> dict[str, float]:
    """Scores of a learner in a cell."""
    n_classes = len(sample.table.classes)
    state = random_state(plan.seed, EXPERIMENT, sample.table.name, sample.repeat, method)

    def fitted(number: int, rows: UncertainRows) -> Learned:
        return fit_method(method, number, rows, n_classes, plan, state)

    best = _chosen(fitted, sample, case.train, plan)
    model = fitted(best, case.train)
    probabilities = model.probabilities(case.test)
    measures = {**scores(case.test.y, probabilities), "setting": float(best)}
    if model.n_leaves is not None:
        measures["n_leaves"] = float(model.n_leaves)
    if case.again is not None:
        changed = probabilities.argmax(axis=1) != model.probabilities(case.again).argmax(axis=1)
        measures["changes"] = float(changed.mean())
    return measures


def _chosen(fitted, sample: Sample, train: UncertainRows, plan: UncertaintyBenchmarkPlan) -> int:
    """The setting with the least log loss on validation rows, the first of those alike."""
    if plan.n_settings == 1:
        return 0
    order = sample.stream("validation").permutation(len(train.y))
    n = round(sample.suite["validation_size"] * len(order))
    held, rest = np.sort(order[:n]), np.sort(order[n:])
    if len(np.unique(train.y[rest])) < 2:
        return 0
    losses = []
    for number in range(plan.n_settings):
        probabilities = fitted(number, train.take(rest)).probabilities(train.take(held))
        losses.append(round(scores(train.y[held], probabilities)["log_loss"], 9))
    return int(np.argmin(losses))


def scores(y: np.ndarray, probabilities: np.ndarray) -> dict[str, float]:
    """How good probabilities are: accuracy, macro_f1, log_loss, brier and calibration, the expected
    error of the answer's probability, in ten bins of equal width (Guo and others 2017).
    """
    rows = np.arange(len(y))
    sure, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == y
    bins = np.minimum((sure * N_BINS).astype(int), N_BINS - 1)
    gap = np.bincount(bins, weights=right - sure, minlength=N_BINS)
    return {
        "accuracy": metrics.accuracy(y, probabilities),
        "macro_f1": metrics.macro_f1(y, probabilities),
        "log_loss": float(-np.log(probabilities[rows, y]).mean()),
        "brier": metrics.brier(y, probabilities),
        "calibration": float(np.abs(gap).sum() / len(y)),
    }
