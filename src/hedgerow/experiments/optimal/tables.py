"""Tables of the best tree of a depth."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from hedgerow.experiments.behind import P, tested
from hedgerow.experiments.compared import TESTED, cells_behind
from hedgerow.experiments.optimal.plan import (
    ADVANTAGES,
    C45_TOLD,
    CLEAN,
    COMPARED,
    FADE,
    METHODS,
    N_QUANTILES,
    NOISY,
    PROOF,
    SEARCHES,
    TOLD,
    WHOLE,
    OptimalPlan,
)
from hedgerow.experiments.optimal.statistics import gap_closed
from hedgerow.experiments.step import table
from hedgerow.reporting.cells import Cell, Rows
from hedgerow.reporting.tables import how_many, in_rows, ran

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
    TOLD: "best tree, told the noise",
    C45_TOLD: "C4.5, told the noise",
    "quantiles": "best tree on quantiles",
}
#: Quantities of the table of levels.
LEVELS = ("accuracy", "macro_f1", "log_loss", "n_leaves")
#: In the column `dataset`: errors of all sets together.
TOTAL = "all"
TESTS = f"Accuracies and F1 in points, log loss in nats (Laplace-smoothed leaves). {TESTED}"
LIMITED = "Searches stop after {nodes} nodes ({error_nodes} under error); {proven}."


def said(rows: pd.DataFrame, plan: OptimalPlan) -> dict[str, str]:
    """Words of the captions: what was run.

    Parameters
    ----------
    rows : DataFrame
    plan : OptimalPlan

    Returns
    -------
    dict of str
    """
    each = f"{how_many(plan.n_splits, 'division')}, {plan.n_folds} folds"
    own, whole = (set(rows["dataset"][(rows["part"] == "quantiles") == q]) for q in (False, True))
    found = proof(rows)
    crisp = found[(found["method"] == "optimal") & (found["setting"] == CLEAN)]
    shares = ", ".join(
        f"{line['proven']:.0f} % at depth {line['depth']}" for line in crisp.to_dict("records")
    )
    return {
        "ran": ran(own, plan.datasets, each, plan.configuration)
        + f" At most {plan.n_rows} rows of each.",
        "sampled": ran(own, plan.datasets, f"{plan.n_bootstrap} samples", plan.configuration)
        + f" At most {plan.n_rows} rows of each.",
        "whole": ran(whole, plan.quantile_datasets, "the whole set", plan.configuration),
        "quantiles": str(N_QUANTILES),
        "nodes": f"{plan.max_nodes:,}",
        "error_nodes": f"{plan.max_error_nodes:,}",
        "proven": f"of the best trees without price and error {shares or 'none'} are proven, the "
        "others bounded, not proven",
    }


def proof(rows: pd.DataFrame) -> pd.DataFrame:
    """What the searches prove, means over data sets.

    Parameters
    ----------
    rows : DataFrame

    Returns
    -------
    DataFrame
        method, setting, depth, proven (per cent of the trees), gap (per cent of the cost that no
        proof excludes to be saved), n_nodes, n_datasets.
    """
    own = rows[rows["part"] == "search"]
    key = ["method", "setting", "depth"]
    columns = [*key, "proven", "gap", "n_nodes", "n_datasets"]
    if own.empty:
        return pd.DataFrame(columns=columns)
    sets = own.groupby([*key, "dataset", "metric"])["value"].mean().unstack("metric")
    found = sets[list(PROOF)].groupby(level=key).mean()
    found[["proven", "gap"]] *= 100.0
    found["n_datasets"] = sets.groupby(level=key).size()
    order = {
        "method": SEARCHES,
        "setting": _settings(own),
        "depth": sorted(own["depth"].unique()),
    }
    return in_rows(found.reset_index(), order)[columns].round(9)


def _settings(rows: pd.DataFrame) -> list[str]:
    """Clean first, then the noise factors, ascending."""
    there = set(rows["setting"]) - {CLEAN}
    return [CLEAN, *sorted(there, key=float)]


# ------------------------------------------------------------------------ what stands behind


def behind_part(table: pd.DataFrame, rows: pd.DataFrame, identifier: str) -> Iterator[Cell]:
    """Both sides of each comparison of a part, and its test."""
    yield from cells_behind(COMPARED, table, rows, identifier.removeprefix("optimal_"))


def behind_cost(table: pd.DataFrame, rows: pd.DataFrame) -> Iterator[Cell]:
    """Both sides of each comparison of whole sets, and its test."""
    yield from cells_behind(COMPARED, table, rows, "quantiles")


def behind_levels(table: pd.DataFrame) -> Iterator[Cell]:
    """Means over data sets of the means over divisions."""
    for row, line in enumerate(table.to_dict("records")):
        own = {name: line[name] for name in (*COMPARED.cell, "method")}
        part = "clean" if line["setting"] == CLEAN else "noise"
        for metric in LEVELS:
            if pd.notna(line[metric]):
                rows = Rows("rows", {"part": part, "metric": metric, **own})
                times = COMPARED.parts["clean"].metrics[metric].times
                yield Cell(row, metric, "mean_of_means", (rows,), times, ("dataset",))


def behind_proof(table: pd.DataFrame) -> Iterator[Cell]:
    """Means over data sets of what the searches say of themselves."""
    for row, line in enumerate(table.to_dict("records")):
        own = {name: line[name] for name in (*COMPARED.cell, "method")}
        for metric in PROOF:
            rows = Rows("rows", {"part": "search", "metric": metric, **own})
            times = 1.0 if metric == "n_nodes" else 100.0
            yield Cell(row, metric, "mean_of_means", (rows,), times, ("dataset",))


def behind_fade(table: pd.DataFrame) -> Iterator[Cell]:
    """Tests of what is left of an advantage, which rest on accuracies at both depths."""
    columns = {"fade": ("none", "difference"), "n_datasets": ("none", "n"), **P}
    for row, line in enumerate(table.to_dict("records")):
        pair = {"part": line["part"], "first": line["first"], "second": line["second"]}
        yield from tested(row, line, {**pair, "metric": FADE}, columns)
        for column, depth in (("at_least", line["depth_least"]), ("at_most", line["depth_most"])):
            where = {"part": line["part"], "metric": "accuracy", "depth": depth, "setting": CLEAN}
            both = tuple(
                Rows("rows", {**where, "method": line[side]}) for side in ("first", "second")
            )
            yield Cell(row, column, "mean_difference", both, 100.0, ("dataset", "split"))


def behind_gap(table: pd.DataFrame) -> Iterator[Cell]:
    """The gap is a difference; what is closed of it is a ratio of two."""
    for row, line in enumerate(table.to_dict("records")):
        where = {"part": "training", "metric": "accuracy", "depth": line["depth"]}
        best, base, search = (
            Rows("rows", {**where, "method": name}) for name in ("optimal", "c45_unpruned", "uct")
        )
        yield Cell(row, "gap", "mean_difference", (best, base), 100.0, ("dataset", "split"))
        if pd.notna(line["gap_closed"]):
            yield Cell(row, "gap_closed", "", (best, base, search))


def behind_sets(table: pd.DataFrame) -> Iterator[Cell]:
    """Accuracy on a data set, mean over divisions."""
    for row, line in enumerate(table.to_dict("records")):
        own = {"part": "clean", "dataset": line["dataset"], "depth": line["depth"]}
        for method in METHODS:
            rows = Rows("rows", {**own, "metric": "accuracy", "method": method})
            yield Cell(row, method, "mean", (rows,), 100.0)


def behind_quantiles(table: pd.DataFrame) -> Iterator[Cell]:
    """Errors of one tree, or their sum over data sets."""
    for row, line in enumerate(table.to_dict("records")):
        one = line["dataset"] != TOTAL
        own = {"part": "quantiles", "depth": line["depth"]}
        own |= {"dataset": line["dataset"]} if one else {}
        formula = "value" if one else "sum"
        for method in WHOLE:
            rows = Rows("rows", {**own, "metric": "errors", "method": method})
            yield Cell(row, method, formula, (rows,))
        rows = Rows("rows", {**own, "metric": "n_rows", "method": WHOLE[0]})
        yield Cell(row, "n_rows", formula, (rows,))


# -------------------------------------------------------------------------------------- tables


@table(
    "Training data: the best tree beside grown ones",
    caption="Accuracy on the training part in points, unpruned, at the same limit of the depth. "
    f"UCT-DT holds back three tenths of these rows to choose by. {LIMITED} {TESTED} {{ran}}",
    words=said,
    behind=behind_part,
)
def optimal_training(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: OptimalPlan
) -> pd.DataFrame:
    """The best tree against C4.5, CART and UCT-DT in training data.

    Parameters
    ----------
    rows, statistics : DataFrame
        As returned by `hedgerow.experiments.optimal.statistics.merged`.
    plan : OptimalPlan

    Returns
    -------
    DataFrame
        As `Compared.table` gives it.
    """
    return COMPARED.table(rows, statistics, "training")


@table(
    "The gap in training data, and what UCT-DT closes of it",
    caption="Gap: accuracy of the best tree less that of unpruned C4.5 on the training part, "
    "points, mean over data sets; closed: accuracy of UCT-DT less that of C4.5 as a share of it, a "
    "ratio of sums over data sets. {ran}",
    words=said,
    behind=behind_gap,
)
def optimal_gap(rows: pd.DataFrame, plan: OptimalPlan) -> pd.DataFrame:
    """What UCT-DT closes of the gap between C4.5 and the best tree.

    Parameters
    ----------
    rows, plan
        As in `optimal_training`.

    Returns
    -------
    DataFrame
        depth, gap, gap_closed, n_datasets.
    """
    return gap_closed(rows).round(9)


@table(
    "What the searches prove",
    caption="Share of the trees that are proven to be the best of their depth on their training "
    "rows; gap: the largest share of its cost that a better tree could save, which is 100 % where "
    "nothing is known; nodes: tests whose branches were looked at, at most {nodes} and, under "
    "error, {error_nodes}. Of tuned methods: of the tree that was chosen. Means over data sets. "
    "What is not proven is bounded, not proven. {ran}",
    words=said,
    behind=behind_proof,
)
def optimal_proof(rows: pd.DataFrame, plan: OptimalPlan) -> pd.DataFrame:
    """Share of trees proven, gap and nodes of each search.

    Parameters
    ----------
    rows, plan
        As in `optimal_training`.

    Returns
    -------
    DataFrame
        As `proof` gives it.
    """
    return proof(rows)


@table(
    "Test data: the best tree beside tuned ones",
    caption="Test rows as they are. The confidence of C4.5, the cost complexity of CART, the price "
    "of a leaf and the error of measurement are tuned by accuracy on folds of the training part; "
    f"nothing is tuned of the best tree without a price. {LIMITED} {TESTS} {{ran}}",
    words=said,
    behind=behind_part,
)
def optimal_clean(rows: pd.DataFrame, statistics: pd.DataFrame, plan: OptimalPlan) -> pd.DataFrame:
    """The best tree against C4.5, CART and UCT-DT in test data.

    Parameters
    ----------
    rows, statistics, plan
        As in `optimal_training`.

    Returns
    -------
    DataFrame
        As `Compared.table` gives it.
    """
    return COMPARED.table(rows, statistics, "clean")


@table(
    "What is left of an advantage at the largest depth",
    caption="Accuracy of the first less that of the second, points, mean over data sets, at the "
    "least and at the largest depth, in training data (of unpruned trees) and in test data; fade: "
    "the first of these advantages less the second, with p of Wilcoxon's signed-rank test over "
    "data sets, plain and after Holm's correction over the rows. {ran}",
    words=said,
    behind=behind_fade,
)
def optimal_fade(rows: pd.DataFrame, statistics: pd.DataFrame, plan: OptimalPlan) -> pd.DataFrame:
    """Whether advantages shrink with the depth.

    Parameters
    ----------
    rows, statistics, plan
        As in `optimal_training`.

    Returns
    -------
    DataFrame
        part, first, second, depth_least, depth_most, at_least, at_most, fade, n_datasets, p,
        p_holm; empty with one depth.
    """
    own = statistics[statistics["metric"] == FADE]
    lines = []
    for part, first, second in ADVANTAGES:
        tests = own[(own["part"] == part) & (own["first"] == first) & (own["second"] == second)]
        if tests.empty:
            continue
        means = COMPARED.means(rows, part, "accuracy")
        depths = sorted({key[1] for key in means.columns})
        ends = (depths[0], depths[-1])
        sizes = [(means[CLEAN, d, first] - means[CLEAN, d, second]).mean() for d in ends]
        p = tests.set_index("correction")["p"]
        told = (tests["difference"].iloc[0], int(tests["n"].iloc[0]), p["none"], p["holm"])
        lines.append((part, first, second, *ends, *sizes, *told))
    columns = ["part", "first", "second", "depth_least", "depth_most", "at_least", "at_most"]
    columns += ["fade", "n_datasets", "p", "p_holm"]
    return pd.DataFrame(lines, columns=columns).round(9)


@table(
    "Noisy test data",
    caption="Numbers of the test rows get normal noise with a standard deviation of the noise "
    "factor (setting) times their variable's mean in training, as in experiment 2 of the thesis; "
    "training rows get none. What is tuned is tuned on validation rows with the same noise. Told "
    "the noise: the best tree under errors of just that standard deviation, and C4.5 with soft "
    "propagation and evaluation of that factor (STP+SE of the thesis). Data sets without "
    f"numbers are left out. {LIMITED} {TESTS} {{ran}}",
    words=said,
    behind=behind_part,
)
def optimal_noise(rows: pd.DataFrame, statistics: pd.DataFrame, plan: OptimalPlan) -> pd.DataFrame:
    """The best tree, under error or not, against C4.5 in noisy test data.

    Parameters
    ----------
    rows, statistics, plan
        As in `optimal_training`.

    Returns
    -------
    DataFrame
        As `Compared.table` gives it.
    """
    return COMPARED.table(rows, statistics, "noise")


@table(
    "Every method at every depth",
    caption="Accuracy and macro F1 in per cent, log loss in nats and, of clean data, leaves: means "
    "over data sets, on clean test rows and by noise factor. {ran}",
    words=said,
    behind=behind_levels,
)
def optimal_levels(rows: pd.DataFrame, plan: OptimalPlan) -> pd.DataFrame:
    """Means over data sets of every method.

    Parameters
    ----------
    rows, plan
        As in `optimal_training`.

    Returns
    -------
    DataFrame
        setting, depth, method, accuracy, macro_f1, log_loss, n_leaves (missing under noise),
        n_datasets.
    """
    columns = [*COMPARED.cell, "method", *LEVELS, "n_datasets"]
    own = rows[rows["part"].isin(["clean", "noise"])]
    if own.empty:
        return pd.DataFrame(columns=columns)
    key = [*COMPARED.cell, "method"]
    sets = own.groupby([*key, "dataset", "metric"])["value"].mean().unstack("metric")
    found = sets.groupby(level=key).mean()
    for metric, told in COMPARED.parts["clean"].metrics.items():
        found[metric] *= told.times
    found["n_datasets"] = sets.groupby(level=key).size()
    order = {
        "setting": _settings(own),
        "depth": sorted(own["depth"].unique()),
        "method": NOISY,
    }
    return in_rows(found.reset_index(), order)[columns].round(9)


@table(
    "Test data, each data set",
    caption="Accuracy on clean test rows in per cent, mean over divisions; the highest of a row is "
    "bold on the page. {ran}",
    words=said,
    behind=behind_sets,
)
def optimal_sets(rows: pd.DataFrame, plan: OptimalPlan) -> pd.DataFrame:
    """Accuracy of every method on every data set.

    Parameters
    ----------
    rows, plan
        As in `optimal_training`.

    Returns
    -------
    DataFrame
        depth, dataset, a column per method.
    """
    wide = COMPARED.means(rows, "clean", "accuracy")
    if wide.empty:
        return pd.DataFrame(columns=["depth", "dataset", *METHODS])
    made = wide.droplevel("setting", axis=1).stack("depth", future_stack=True)[list(METHODS)]
    made = made.rename_axis(None, axis=1).reset_index().sort_values(["depth", "dataset"])
    return made[["depth", "dataset", *METHODS]].reset_index(drop=True).round(9)


@table(
    "How alike trees of bootstrap samples are",
    caption="Edit distance B2 between trees of bootstrap samples of a data set, as a share of the "
    "tests of both trees (0: the same trees, 1: nothing in common), over all pairs. "
    "C4.5 has its default confidence, UCT-DT as well; the others are not pruned. Wins are of the "
    f"smaller distance. {LIMITED} {TESTED} {{sampled}}",
    words=said,
    behind=behind_part,
)
def optimal_stability(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: OptimalPlan
) -> pd.DataFrame:
    """Distances between trees of bootstrap samples.

    Parameters
    ----------
    rows, statistics, plan
        As in `optimal_training`.

    Returns
    -------
    DataFrame
        As `Compared.table` gives it.
    """
    return COMPARED.table(rows, statistics, "stability")


@table(
    "What four quantiles cost",
    caption="Errors on the whole data set: of the best tree on a binary table that cuts each "
    "number at {quantiles} quantiles, as in the comparison of UCT-DT with optimal trees; of CART "
    "on all values, the better of Gini index and entropy; and of the best tree on all values. Both "
    "best trees are proven. {whole}",
    words=said,
    behind=behind_quantiles,
)
def optimal_quantiles(rows: pd.DataFrame, plan: OptimalPlan) -> pd.DataFrame:
    """Errors of the best tree on quantiles, of CART and of the best tree on all values.

    Parameters
    ----------
    rows, plan
        As in `optimal_training`.

    Returns
    -------
    DataFrame
        depth, dataset (`all`: the sum), n_rows, quantiles, cart, optimal.
    """
    columns = ["depth", "dataset", "n_rows", *WHOLE]
    own = rows[(rows["part"] == "quantiles") & (rows["metric"] == "errors")]
    if own.empty:
        return pd.DataFrame(columns=columns)
    made = own.pivot(index=["depth", "dataset"], columns="method", values="value")
    sizes = rows[(rows["part"] == "quantiles") & (rows["metric"] == "n_rows")]
    made["n_rows"] = sizes.groupby(["depth", "dataset"])["value"].first()
    total = made.groupby(level="depth").sum()
    total.index = pd.MultiIndex.from_product([total.index, [TOTAL]], names=made.index.names)
    made = pd.concat([made, total]).astype(int).rename_axis(None, axis=1).reset_index()
    order = {
        "depth": sorted(made["depth"].unique()),
        "dataset": [*sorted(set(own["dataset"])), TOTAL],
    }
    return in_rows(made, order)[columns]


@table(
    "What four quantiles cost, over data sets",
    caption="Error rate on the whole data set in points, from the errors of the table above. "
    f"{TESTED} {{whole}}",
    words=said,
    behind=behind_cost,
)
def optimal_cost(rows: pd.DataFrame, statistics: pd.DataFrame, plan: OptimalPlan) -> pd.DataFrame:
    """Error rates of the best tree on quantiles, of CART and of the best tree on all values.

    Parameters
    ----------
    rows, statistics, plan
        As in `optimal_training`.

    Returns
    -------
    DataFrame
        As `Compared.table` gives it.
    """
    return COMPARED.table(rows, statistics, "quantiles")
