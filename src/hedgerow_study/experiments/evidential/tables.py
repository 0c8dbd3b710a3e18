"""Tables of the evaluation of E2M trees (Sutton-Charani and others, section 4)."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from hedgerow_study.experiments.cell_sources import ColumnSource, LineSources
from hedgerow_study.experiments.evidential.plan import (
    CART,
    CRITERIA,
    E2M,
    ERRORS,
    FLOORS,
    LINES,
    NAIVE,
    ORDER,
    STATES,
    EvidentialPlan,
)
from hedgerow_study.experiments.frames import Frames
from hedgerow_study.experiments.published_cells import cells_of
from hedgerow_study.experiments.step import table
from hedgerow_study.reporting.cells import Cell, Rows
from hedgerow_study.reporting.tables import finished, heads_of, how_many, ran

LABELS = {NAIVE: "Naive", CART: "CART", E2M: "E2M"}
#: Of table 2: the metric of the rows, and what makes the printed number of it.
COUNTS = {"n_failures": "failure", "n_leaves": "n_leaves"}
PRINTED_TESTS = 100


def caption_values(rows: pd.DataFrame, plan: EvidentialPlan) -> dict[str, str]:
    """Words of the captions: what was run."""
    each = how_many(plan.n_repeats, "test")
    return {
        "tests": each,
        "pruner": {"error": "share of errors", "evidential": "evidential error rate"}[
            plan.cart_pruning
        ],
        "most": str(plan.max_leaves),
        "criterion": CRITERIA[plan.cart_criterion],
        "floor": f"{plan.min_share_gain:g}",
        "floors": how_many(min(plan.n_floors, plan.n_repeats), "test"),
        "gain": f"{100 * plan.min_gain:g} %",
        "ran": ran(set(rows["dataset"]), plan.datasets, each, plan.configuration),
    }


def _means(rows: pd.DataFrame) -> pd.DataFrame:
    """Mean, half the width of its 95 % interval (Student's t), and n, over repeats."""
    from scipy import stats

    cells = rows.groupby(["dataset", "method", "state", "metric"])["value"]
    means = cells.agg(["mean", "std", "size"])
    freedom = (means["size"] - 1).to_numpy(dtype=float)
    factor = np.full(len(means), np.nan)
    several = freedom > 0
    factor[several] = stats.t.ppf(0.975, freedom[several])
    means["half"] = factor * means["std"] / np.sqrt(means["size"])
    return means


def _lines(
    rows: pd.DataFrame,
    published: pd.DataFrame,
    metrics: Mapping[str, str],
    keys: Sequence[tuple[str, str]],
    plan: EvidentialPlan,
    scale: Mapping[str, float] | None = None,
) -> pd.DataFrame:
    """Measured and printed means: dataset, registry, status, method, criterion, metric, ..."""
    means, printed = _means(rows), cells_of(published).astype(float)
    lines = []
    of = itertools.product(
        heads_of(published["dataset"], set(rows["dataset"]), plan), metrics.items(), keys
    )
    for head, (metric, read), (method, criterion) in of:
        line = {**head, "method": method, "criterion": criterion, "metric": metric}
        place = (head["registry"], method, criterion, read)
        if place in means.index:
            cell, times = means.loc[place], (scale or {}).get(metric, 1.0)
            line |= {"measured": times * cell["mean"], "half_width": times * cell["half"]}
            line["n_repeats"] = cell["size"]
        text = printed.get((head["dataset"], method, criterion, metric), np.nan)
        lines.append({**line, "published": text})
    columns = ["dataset", "registry", "status", "method", "criterion", "metric", "measured"]
    columns += ["half_width", "n_repeats", "published"]
    return finished(lines, columns, ["measured", "half_width", "published"], ["n_repeats"])


def errors_sources(table: pd.DataFrame) -> Iterator[Cell]:
    """Table 1 and the clean errors rest on the tests of each data set."""
    for row, line in enumerate(table.to_dict("records")):
        yield from _cell_sources(row, line, line["metric"])


def counts_sources(table: pd.DataFrame) -> Iterator[Cell]:
    """Table 2: as table 1, of the trees; a failure is a tree of one leaf."""
    for row, line in enumerate(table.to_dict("records")):
        failures = line["metric"] == "n_failures"
        times = float(PRINTED_TESTS) if failures else 1.0
        yield from _cell_sources(row, line, COUNTS[line["metric"]], times)
        if not failures and line["status"] == "run":
            yield Cell(row, "grown", "mean_above_1", (_rows_of(line, "n_leaves"),))


def _cell_sources(
    row: int, line: Mapping[str, Any], metric: str, times: float = 1.0
) -> Iterator[Cell]:
    if line["status"] == "run":
        rows = (_rows_of(line, metric),)
        yield Cell(row, "measured", "mean", rows, times)
        yield Cell(row, "half_width", "half_width", rows, times)
        yield Cell(row, "n_repeats", "n_rows", rows)


def _rows_of(line: Mapping[str, Any], metric: str) -> Rows:
    where = {"dataset": line["registry"], "method": line["method"], "state": line["criterion"]}
    return Rows("rows", {**where, "metric": metric})


@table(
    "Error rates of CART and E2M trees",
    caption="Error rates on the noised test third, mean over {tests} of each data set with its 95 "
    "% CI (Student's t), and the published mean of 100. Naive: the commonest class of the "
    "learning third. Every value and class has a doubt of its own, uniform on [0, 1]; CART reads "
    "the crisp replacements. Trees have at most {most} leaves, a test gains {gain} of the impurity "
    "of its leaf or more, and {floor} times the share of the leaf; CART compares tests by the "
    "{criterion}, E2M by the entropy. CART is pruned by the {pruner}, E2M by the evidential error "
    "rate, each on another third. {ran}",
    caption_values=caption_values,
    sources=errors_sources,
)
def e2m_table_1(rows: pd.DataFrame, published: Frames, plan: EvidentialPlan) -> pd.DataFrame:
    """Table 1: classical and evidential error rates.

    Returns: dataset (printed key), registry, status (`run`, `absent`, `not asked for`), method,
    criterion (`unpruned`, `pruned`, empty), metric, measured, half_width (of the 95 % CI),
    n_repeats, published.
    """
    metrics = {metric: metric for metric in ERRORS[:2]}
    return _lines(rows, published["e2m_table_1"], metrics, LINES, plan)


@table(
    "Sizes of CART and E2M trees",
    caption="Failures of 100 tests, trees in which the noise leaves no first test, and mean "
    "leaves, a failure counted as one leaf, over {tests} of each data set; beside it the mean "
    "where failures are left out. Published: 100 tests; the rows of glass and ecoli are printed "
    "alike, so that nothing rests on the second. CART compares tests by the {criterion}. {ran}",
    caption_values=caption_values,
    sources=counts_sources,
)
def e2m_table_2(rows: pd.DataFrame, published: Frames, plan: EvidentialPlan) -> pd.DataFrame:
    """Table 2: failures and leaves.

    Returns: as `e2m_table_1`, for the metrics `n_failures` (of 100 tests) and `n_leaves`; then
    grown (mean leaves without failures, as published and measured alike).
    """
    keys = [line for line in LINES if line[0] != NAIVE]
    of = {"n_failures": PRINTED_TESTS}
    frame = _lines(rows, published["e2m_table_2"], COUNTS, keys, plan, of)
    leaves = rows[(rows["metric"] == "n_leaves") & (rows["value"] > 1)]
    grown = leaves.groupby(["dataset", "method", "state"])["value"].mean()
    printed = cells_of(published["e2m_table_2"]).astype(float).unstack("metric")
    ok = printed["n_failures"] < PRINTED_TESTS
    theirs = (PRINTED_TESTS * printed["n_leaves"] - printed["n_failures"])[ok]
    theirs /= (PRINTED_TESTS - printed["n_failures"])[ok]
    is_leaves = frame["metric"] == "n_leaves"
    cells = frame[["registry", "method", "criterion"]].itertuples(index=False, name=None)
    frame["grown"] = [grown.get(cell, np.nan) for cell in cells]
    cells = frame[["dataset", "method", "criterion"]].itertuples(index=False, name=None)
    frame["published_grown"] = [theirs.get(cell, np.nan) for cell in cells]
    frame.loc[~is_leaves, ["grown", "published_grown"]] = np.nan
    return frame.round({"grown": 9, "published_grown": 9})


@table(
    "Sizes of trees by either criterion of CART and at other floors of E2M",
    caption="Failures of 100 tests and mean leaves, a failure counted as one leaf. CART by the "
    "Gini index and by the entropy, over {tests} of each data set; E2M where tests are left out "
    "that gain less than so many bits times the share of their leaf (the other tables: {floor}), "
    "over {floors}. The published CART is called standard, and no floor is mentioned. {ran}",
    caption_values=caption_values,
    sources=LineSources(
        "sizes",
        {"registry": "dataset"} | {n: n for n in ("method", "criterion", "floor", "state")},
        {
            "n_failures": ColumnSource("share_of_ones", "n_leaves", float(PRINTED_TESTS)),
            "n_leaves": ColumnSource("mean"),
            "n_repeats": ColumnSource("n_rows", "n_leaves"),
        },
        lambda line: pd.notna(line["n_leaves"]),
    ),
)
def evidential_sizes(
    rows: pd.DataFrame, sizes: pd.DataFrame, published: Frames, plan: EvidentialPlan
) -> pd.DataFrame:
    """Table 2 under interpretations that the paper leaves open.

    Returns: dataset (printed key), registry, status, method, criterion (of a test), floor, state,
    n_failures (of 100 tests), n_leaves, n_repeats, published_failures, published_leaves.
    """
    printed = cells_of(published["e2m_table_2"]).astype(float)
    cells = ["method", "criterion", "floor", "state"]
    asked = [(CART, criterion, plan.min_share_gain) for criterion in CRITERIA]
    asked += [(E2M, "information_gain", floor) for floor in FLOORS]
    lines = []
    for head in heads_of(published["e2m_table_2"]["dataset"], set(rows["dataset"]), plan):
        sizes_of_set = sizes[sizes["dataset"] == head["registry"]]
        by_cell = {cell: part["n_leaves"] for cell, part in sizes_of_set.groupby(cells)}
        for learner, state in itertools.product(asked, STATES):
            cell = (*learner, state)
            leaves = by_cell.get(cell, pd.Series(dtype=float))
            line = {**head, **dict(zip(cells, cell, strict=True))}
            line |= {"n_failures": PRINTED_TESTS * (leaves == 1).mean(), "n_leaves": leaves.mean()}
            line["n_repeats"] = len(leaves)
            for name in ("failures", "leaves"):
                place = (head["dataset"], learner[0], state, f"n_{name}")
                line[f"published_{name}"] = printed.get(place, np.nan)
            lines.append(line)
    return pd.DataFrame(lines).round({"n_failures": 9, "n_leaves": 9})


@table(
    "Error on values and classes before the noise",
    caption="Error rates on the test third as it was before the noise, of the same trees, mean "
    "over {tests} of each data set with its 95 % CI; the paper judges on noised data only. "
    "{ran}",
    caption_values=caption_values,
    sources=errors_sources,
)
def evidential_clean(rows: pd.DataFrame, published: Frames, plan: EvidentialPlan) -> pd.DataFrame:
    """Error rates on clean test data.

    Returns: dataset, registry, status, method, criterion, metric, measured, half_width, n_repeats.
    """
    frame = _lines(rows, published["e2m_table_1"], {ERRORS[2]: ERRORS[2]}, LINES, plan)
    return frame.drop(columns="published")


@table(
    "E2M against CART, tests over the repeats",
    caption="Mean difference of CART less E2M, and of E2M before pruning less after it, with a "
    "paired t test over {tests} of each data set: above 0 favours E2M, or pruning. {ran}",
    caption_values=caption_values,
    sources=LineSources("tests", ORDER["tests"], ("difference", "statistic", "p")),
)
def evidential_tests(tests: pd.DataFrame, plan: EvidentialPlan) -> pd.DataFrame:
    """Paired tests of each data set, as given; numbers rounded to nine decimals."""
    return finished(tests, list(tests), ("difference", "statistic", "p"))


@table(
    "The evidential error rate of figure 1",
    caption="Evidential error rate of 100 instances of two classes, of which a precise share is "
    "wrong, when every class is in doubt by gamma; estimated by the EM algorithm of equations 5 to "
    "7, and its closed form.",
    sources=LineSources("curve", ORDER["curve"], ("estimate", "expected")),
)
def evidential_curve(curve: pd.DataFrame) -> pd.DataFrame:
    """Figure 1 in numbers.

    Returns: precise, gamma, estimate, expected.
    """
    return curve.round(9)
