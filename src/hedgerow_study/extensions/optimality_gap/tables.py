"""Tables of the best tree of a depth."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from hedgerow.showing.numbers import count
from hedgerow_study.experiments.comparisons import CAPTION_TESTS, cells_of_comparisons
from hedgerow_study.experiments.step import table
from hedgerow_study.extensions.optimality_gap.plan import (
    C45_GIVEN,
    CLEAN,
    COMPARED,
    KNOWN_ERROR,
    NOISY,
    PROOF,
    SEARCHES,
    OptimalityGapPlan,
)
from hedgerow_study.reporting.cells import Cell, Rows
from hedgerow_study.reporting.tables import how_many, in_rows, ran

#: What texts call methods.
LABELS = {
    "c45": "C4.5",
    "c45_unpruned": "C4.5, unpruned",
    "cart": "CART",
    "cart_unpruned": "CART, unpruned",
    "uct": "UCT-DT",
    "optimal": "best tree",
    "optimal_priced": "best tree, leaves priced",
    "optimal_error": "best tree under error",
    KNOWN_ERROR: "best tree, given the noise",
    C45_GIVEN: "C4.5, given the noise",
}
#: Quantities of the table of levels.
LEVELS = ("accuracy", "macro_f1", "log_loss", "n_leaves")
TESTS = (
    "Accuracies and F1 in percentage points, log loss in nats (Laplace-smoothed leaves). "
    f"{CAPTION_TESTS}"
)
LIMITED = "Searches stop after {nodes} nodes ({error_nodes} under error); {proven}."


def caption_values(rows: pd.DataFrame, plan: OptimalityGapPlan) -> dict[str, str]:
    """Words of the captions: what was run."""
    each = f"{how_many(plan.n_repeats, 'repeat')}, {plan.n_folds} folds"
    frame = proof(rows)
    crisp = frame[(frame["method"] == "optimal") & (frame["setting"] == CLEAN)]
    shares = ", ".join(
        f"{line['proven']:.0f} % at depth {line['depth']}" for line in crisp.to_dict("records")
    )
    return {
        "ran": ran(set(rows["dataset"]), plan.datasets, each, plan.configuration)
        + f" At most {plan.n_rows} rows of each.",
        "nodes": count(plan.max_nodes),
        "error_nodes": count(plan.max_error_nodes),
        "proven": f"of the best trees without price and error {shares or 'none'} are proven, the "
        "others bounded, not proven",
    }


def proof(rows: pd.DataFrame) -> pd.DataFrame:
    """What the searches prove, means over data sets."""
    searches = rows[rows["part"] == "search"]
    key = ["method", "setting", "depth"]
    columns = [*key, "proven", "gap", "n_nodes", "n_datasets"]
    if searches.empty:
        return pd.DataFrame(columns=columns)
    sets = searches.groupby([*key, "dataset", "metric"])["value"].mean().unstack("metric")
    means = sets[list(PROOF)].groupby(level=key).mean()
    means[["proven", "gap"]] *= 100.0
    means["n_datasets"] = sets.groupby(level=key).size()
    order = {
        "method": SEARCHES,
        "setting": _settings(searches),
        "depth": sorted(searches["depth"].unique()),
    }
    return in_rows(means.reset_index(), order)[columns].round(9)


def _settings(rows: pd.DataFrame) -> list[str]:
    """Clean first, then the noise factors, ascending."""
    noise_levels = set(rows["setting"]) - {CLEAN}
    return [CLEAN, *sorted(noise_levels, key=float)]


# ------------------------------------------------------------------------ what stands behind


def part_sources(table: pd.DataFrame, rows: pd.DataFrame, identifier: str) -> Iterator[Cell]:
    """Both sides of each comparison of a part, and its test."""
    yield from cells_of_comparisons(
        COMPARED, table, rows, identifier.removeprefix("optimality_gap_")
    )


def levels_sources(table: pd.DataFrame) -> Iterator[Cell]:
    """Means over data sets of the means over repeats."""
    for row, line in enumerate(table.to_dict("records")):
        where = {name: line[name] for name in (*COMPARED.cell, "method")}
        part = "clean" if line["setting"] == CLEAN else "noise"
        for metric in LEVELS:
            if pd.notna(line[metric]):
                rows = Rows("rows", {"part": part, "metric": metric, **where})
                times = COMPARED.parts["clean"].metrics[metric].times
                yield Cell(row, metric, "mean_of_means", (rows,), times, ("dataset",))


def proof_sources(table: pd.DataFrame) -> Iterator[Cell]:
    """Means over data sets of what the searches say of themselves."""
    for row, line in enumerate(table.to_dict("records")):
        where = {name: line[name] for name in (*COMPARED.cell, "method")}
        for metric in PROOF:
            rows = Rows("rows", {"part": "search", "metric": metric, **where})
            times = 1.0 if metric == "n_nodes" else 100.0
            yield Cell(row, metric, "mean_of_means", (rows,), times, ("dataset",))


# -------------------------------------------------------------------------------------- tables


@table(
    "Training data: the best tree beside grown ones",
    caption="Accuracy on the training part in per cent, unpruned, at the same limit of the depth. "
    f"UCT-DT holds back three tenths of these rows to choose by. {LIMITED} {CAPTION_TESTS} {{ran}}",
    caption_values=caption_values,
    sources=part_sources,
)
def optimality_gap_training(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: OptimalityGapPlan
) -> pd.DataFrame:
    """The best tree against C4.5, CART and UCT-DT in training data.

    Returns: as `Compared.table` gives it.
    """
    return COMPARED.table(rows, statistics, "training")


@table(
    "What the searches prove",
    caption="Share of the trees that are proven to be the best of their depth on their training "
    "rows; gap: the largest share of its cost that a better tree could save, which is 100 % where "
    "nothing is known; nodes: tests whose branches were looked at, at most {nodes} and, under "
    "error, {error_nodes}. Of tuned methods: of the tree that was chosen. Means over data sets. "
    "What is not proven is bounded, not proven. {ran}",
    caption_values=caption_values,
    sources=proof_sources,
)
def optimality_gap_proof(rows: pd.DataFrame, plan: OptimalityGapPlan) -> pd.DataFrame:
    """Share of trees proven, gap and nodes of each search.

    Returns: method, setting, depth, proven (per cent of the trees), gap (per cent of the cost that
    no proof excludes to be saved), n_nodes, n_datasets.
    """
    return proof(rows)


@table(
    "Test data: the best tree beside tuned ones",
    caption="Test rows as they are. The confidence of C4.5, the cost complexity of CART, the price "
    "of a leaf and the error of measurement are tuned by accuracy on folds of the training part; "
    f"nothing is tuned of the best tree without a price. {LIMITED} {TESTS} {{ran}}",
    caption_values=caption_values,
    sources=part_sources,
)
def optimality_gap_clean(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: OptimalityGapPlan
) -> pd.DataFrame:
    """The best tree against C4.5, CART and UCT-DT in test data, as `Compared.table` gives it."""
    return COMPARED.table(rows, statistics, "clean")


@table(
    "Noisy test data",
    caption="Numbers of the test rows get normal noise with a standard deviation of the noise "
    "factor (setting) times their variable's mean in training, as in experiment 2 of the thesis; "
    "training rows get none. What is tuned is tuned on validation rows with the same noise. Told "
    "the noise: the best tree under errors of just that standard deviation, and C4.5 with soft "
    "propagation and evaluation of that factor (STP+SE of the thesis). Data sets without "
    f"numbers are left out. {LIMITED} {TESTS} {{ran}}",
    caption_values=caption_values,
    sources=part_sources,
)
def optimality_gap_noise(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: OptimalityGapPlan
) -> pd.DataFrame:
    """The best tree, under error or not, against C4.5 in noisy test data.

    Returns: as `Compared.table` gives it.
    """
    return COMPARED.table(rows, statistics, "noise")


@table(
    "Every method at every depth",
    caption="Accuracy and macro F1 in per cent, log loss in nats and, of clean data, leaves: means "
    "over data sets, on clean test rows and by noise factor. {ran}",
    caption_values=caption_values,
    sources=levels_sources,
)
def optimality_gap_levels(rows: pd.DataFrame, plan: OptimalityGapPlan) -> pd.DataFrame:
    """Means over data sets of every method.

    Returns: setting, depth, method, accuracy, macro_f1, log_loss, n_leaves (missing under noise),
    n_datasets.
    """
    columns = [*COMPARED.cell, "method", *LEVELS, "n_datasets"]
    selected = rows[rows["part"].isin(["clean", "noise"])]
    if selected.empty:
        return pd.DataFrame(columns=columns)
    key = [*COMPARED.cell, "method"]
    sets = selected.groupby([*key, "dataset", "metric"])["value"].mean().unstack("metric")
    means = sets.groupby(level=key).mean()
    for metric, settings in COMPARED.parts["clean"].metrics.items():
        means[metric] *= settings.times
    means["n_datasets"] = sets.groupby(level=key).size()
    order = {
        "setting": _settings(selected),
        "depth": sorted(selected["depth"].unique()),
        "method": NOISY,
    }
    return in_rows(means.reset_index(), order)[columns].round(9)
