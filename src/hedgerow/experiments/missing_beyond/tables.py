"""Tables of what goes beyond the paper of EIG."""

from __future__ import annotations

from collections.abc import Iterator

import pandas as pd

from hedgerow.experiments.behind import P, tested
from hedgerow.experiments.compared import POINTS, TESTED, cells_behind
from hedgerow.experiments.missing_beyond.plan import (
    AGREEMENT,
    COMPARED,
    DATA,
    GUESSES,
    METHODS,
    MissingBeyondPlan,
)
from hedgerow.experiments.missing_beyond.statistics import agreement
from hedgerow.experiments.step import table
from hedgerow.reporting.cells import Cell, Rows
from hedgerow.reporting.tables import how_many, ran

#: What texts call methods.
LABELS = {
    "c45": "C4.5",
    "c45_node": "C4.5, reliability of the node",
    "c45_native": "C4.5, tests on categories",
    "mean": "C4.5 on guessed means",
    "knn": "C4.5 on guesses of kNN",
    "eig_mean": "EIG, mean",
    "eig_knn": "EIG, kNN",
    "eig_knn_native": "EIG, kNN, tests on categories",
    "eig_iterative": "EIG, iterative regression",
    "eig_forest": "EIG, iterative forests",
    "eig_gaussian": "EIG, one Gaussian draw",
    "eig_multiple": "EIG, several Gaussian draws",
    "eig_perfect": "EIG, true values",
    "eig_soft": "EIG with soft gates",
    "soft": "C4.5 with soft gates",
    "mia": "MIA",
    "sklearn_tree": "scikit-learn's tree",
    "gradient_boosting": "gradient boosting",
}
MECHANISM_LABELS = {
    "mcar": "completely at random",
    "mar": "at random",
    "mnar": "not at random",
}
METRIC_LABELS = {"accuracy": "Accuracy", "macro_f1": "Macro F1", "log_loss": "Log loss"}
TESTS = f"Accuracies and F1 in points. {TESTED}"
REMOVED = "Values are removed from training and test rows, completely at random."


def said(rows: pd.DataFrame, plan: MissingBeyondPlan) -> dict[str, str]:
    """Words of the captions: what was run.

    Parameters
    ----------
    rows : DataFrame
    plan : MissingBeyondPlan

    Returns
    -------
    dict of str
    """
    each = f"{how_many(plan.n_repeats, 'repeat')} of {plan.n_folds} folds"
    own = rows["part"] == "natural"
    sets = {True: set(rows["dataset"][own]), False: set(rows["dataset"][~own])}
    return {
        "ran": ran(sets[False], plan.datasets, each, plan.configuration)
        + f" At most {plan.n_rows} rows of each.",
        "natural": ran(sets[True], plan.natural_datasets, each, plan.configuration),
        "k": str(plan.n_neighbors),
        "draws": str(plan.n_imputations),
        "trees": str(plan.n_trees),
        "rounds": how_many(plan.n_rounds, "round"),
    }


def behind_part(table: pd.DataFrame, rows: pd.DataFrame, identifier: str) -> Iterator[Cell]:
    """Both sides of each comparison of a part, and its test; the error of what guesses."""
    part = identifier.removeprefix("missing_beyond_")
    yield from cells_behind(COMPARED, table, rows, part)
    if "imputer_error" in table:
        for row, line in enumerate(table.to_dict("records")):
            own = {name: line[name] for name in COMPARED.cell} | {"method": line["first"]}
            error = Rows("rows", {"part": part, **own, "metric": "imputer_error"})
            yield Cell(row, "imputer_error", "mean_of_means", (error,), by=("dataset",))


def behind_agreement(table: pd.DataFrame) -> Iterator[Cell]:
    """Tests of the correlations, which rest on accuracies and errors of the imputers."""
    columns = {"correlation": ("none", "difference"), "n_datasets": ("none", "n"), **P}
    for row, line in enumerate(table.to_dict("records")):
        own = {"part": "imputers", "metric": AGREEMENT, "share": line["share"]}
        yield from tested(row, line, own, columns)
        metrics = {"metric": ["accuracy", "imputer_error"], "part": "imputers"}
        rows = Rows("rows", {**metrics, "share": line["share"], "method": list(GUESSES)})
        yield Cell(row, "positive", "", (rows,))


def behind_sets(table: pd.DataFrame) -> Iterator[Cell]:
    """Accuracy of each method on each data set, mean over repeats."""
    for row, line in enumerate(table.to_dict("records")):
        own = {"part": "natural", "dataset": line["dataset"]}
        missing = Rows("rows", {**own, "metric": "missing", "method": DATA})
        yield Cell(row, "missing", "mean", (missing,), POINTS.times)
        for method in METHODS["natural"]:
            if pd.notna(line[method]):
                cell = Rows("rows", {**own, "metric": "accuracy", "method": method})
                yield Cell(row, method, "mean", (cell,), POINTS.times)


@table(
    "Why values are missing",
    caption="Values are removed from training and test rows: completely at random (mcar), at "
    "random, by another variable that stays known (mar), and not at random, by the value itself "
    "(mnar). C4.5 and EIG (k = {k}) weigh a variable by its share of known values in training; "
    "C4.5 on guesses of kNN fills training and test rows. Unpruned trees. "
    f"{TESTS} {{ran}}",
    words=said,
    behind=behind_part,
)
def missing_beyond_mechanisms(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: MissingBeyondPlan
) -> pd.DataFrame:
    """EIG against C4.5 by the mechanism that removes values.

    Parameters
    ----------
    rows, statistics : DataFrame
        As returned by `hedgerow.experiments.missing_beyond.statistics.merged`.
    plan : MissingBeyondPlan

    Returns
    -------
    DataFrame
        As `Compared.table` gives it.
    """
    return COMPARED.table(rows, statistics, "mechanisms")


@table(
    "What guesses inside EIG",
    caption="Unpruned EIG by what guesses, beside C4.5. Error of the guesses: root mean squared, "
    "in standard deviations of the column, over the values removed from training rows (of several "
    "draws: of each). Iterative: each variable guessed from all others in turn, {rounds}, by "
    "Bayesian ridge regression or {trees} trees; Gaussian: a draw from what that regression "
    "leaves possible; several: the mean gain of {draws} such draws. "
    f"{REMOVED} {TESTS} {{ran}}",
    words=said,
    behind=behind_part,
)
def missing_beyond_imputers(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: MissingBeyondPlan
) -> pd.DataFrame:
    """EIG by its imputer.

    Parameters
    ----------
    rows, statistics, plan
        As in `missing_beyond_mechanisms`.

    Returns
    -------
    DataFrame
        As `Compared.table` gives it, and imputer_error, the mean over data sets of that of the
        first.
    """
    made = COMPARED.table(rows, statistics, "imputers")
    errors = COMPARED.means(rows, "imputers", "imputer_error").mean()
    found = [errors[key] for key in zip(made["setting"], made["share"], made["first"], strict=True)]
    made.insert(5, "imputer_error", found)
    return made.round(9)


@table(
    "Better guesses and better trees",
    caption="Spearman's correlation, on each data set, of the accuracy of EIG with the error of "
    "the guesses, over five imputers that tell one guess (mean, kNN, iterative regression and "
    "forests, one Gaussian draw); its sign is turned: above 0, better guesses have better trees. "
    "Mean over data sets; positive: on how many it is above 0, of all; p of Wilcoxon's signed-rank "
    "test against 0, plain and after Holm's correction over the shares. {ran}",
    words=said,
    behind=behind_agreement,
)
def missing_beyond_agreement(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: MissingBeyondPlan
) -> pd.DataFrame:
    """Whether an imputer with a smaller error makes a better tree.

    Parameters
    ----------
    rows, statistics, plan
        As in `missing_beyond_mechanisms`.

    Returns
    -------
    DataFrame
        share, correlation, positive, n_datasets, p, p_holm.
    """
    found = agreement(rows)
    lines = []
    for share, tests in statistics[statistics["metric"] == AGREEMENT].groupby("share"):
        p = tests.set_index("correction")["p"]
        line = {"share": share, "correlation": tests["difference"].iloc[0]}
        line |= {"positive": int((found[share] > 0).sum()), "n_datasets": int(tests["n"].iloc[0])}
        lines.append({**line, "p": p["none"], "p_holm": p["holm"]})
    columns = ["share", "correlation", "positive", "n_datasets", "p", "p_holm"]
    return pd.DataFrame(lines, columns=columns).round(9)


@table(
    "EIG beside other learners",
    caption="EIG (k = {k}), C4.5 and MIA, which lets missing values go left, right or be the test "
    "itself, on trees of C4.5, all unpruned; scikit-learn's tree (entropy, unpruned), which sends "
    "missing values to the better side, and its histogram gradient boosting, as they come. "
    f"{REMOVED} {TESTS} {{ran}}",
    words=said,
    behind=behind_part,
)
def missing_beyond_learners(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: MissingBeyondPlan
) -> pd.DataFrame:
    """EIG against other learners that take missing values.

    Parameters
    ----------
    rows, statistics, plan
        As in `missing_beyond_mechanisms`.

    Returns
    -------
    DataFrame
        As `Compared.table` gives it.
    """
    return COMPARED.table(rows, statistics, "learners")


@table(
    "Pruned and unpruned",
    caption="EIG (k = {k}) beside C4.5 and C4.5 on guesses, which fill test rows too, unpruned as "
    "in the paper and with error-based pruning. The log loss (nats, less is better) is that of "
    "Laplace-smoothed leaves. "
    f"{REMOVED} {TESTS} {{ran}}",
    words=said,
    behind=behind_part,
)
def missing_beyond_pruning(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: MissingBeyondPlan
) -> pd.DataFrame:
    """Accuracy, macro F1 and log loss of pruned and unpruned trees.

    Parameters
    ----------
    rows, statistics, plan
        As in `missing_beyond_mechanisms`.

    Returns
    -------
    DataFrame
        As `Compared.table` gives it.
    """
    return COMPARED.table(rows, statistics, "pruning")


@table(
    "Values missing by nature, over data sets",
    caption="Data sets that lack values by themselves; nothing is removed. Categories are one "
    "column each but for the tests on categories and for gradient boosting; trees are unpruned. "
    f"{TESTS} {{natural}}",
    words=said,
    behind=behind_part,
)
def missing_beyond_natural(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: MissingBeyondPlan
) -> pd.DataFrame:
    """EIG against the others where values are missing by nature.

    Parameters
    ----------
    rows, statistics, plan
        As in `missing_beyond_mechanisms`.

    Returns
    -------
    DataFrame
        As `Compared.table` gives it.
    """
    return COMPARED.table(rows, statistics, "natural")


@table(
    "Values missing by nature, each data set",
    caption="Accuracy in per cent on each data set that lacks values by itself, and the share of "
    "its values that are missing; the highest of a row is bold on the page. {natural}",
    words=said,
    behind=behind_sets,
)
def missing_beyond_sets(rows: pd.DataFrame, plan: MissingBeyondPlan) -> pd.DataFrame:
    """Accuracy of every method on every data set that lacks values by itself.

    Parameters
    ----------
    rows, plan
        As in `missing_beyond_mechanisms`.

    Returns
    -------
    DataFrame
        dataset, missing (per cent of the values), a column per method; in the order of `missing`,
        the most first.
    """
    wide = COMPARED.means(rows, "natural", "accuracy")
    missing = COMPARED.means(rows, "natural", "missing")
    if wide.empty:
        return pd.DataFrame(columns=["dataset", "missing", *METHODS["natural"]])
    made = wide.droplevel(["setting", "share"], axis=1)[list(METHODS["natural"])]
    made.insert(0, "missing", POINTS.times * missing.xs(DATA, axis=1, level="method").iloc[:, 0])
    made = made.rename_axis("dataset").reset_index().rename_axis(None, axis=1)
    return made.sort_values(["missing", "dataset"], ascending=[False, True]).round(9)


@table(
    "Missing and noisy values",
    caption="Numbers get normal noise in training and test rows, with a standard deviation of the "
    "noise factor (setting) times their variable's mean, and values are removed completely at "
    "random. Soft gates know the factor, in training propagation and in evaluation. Unpruned "
    f"trees, k = {{k}}. {TESTS} {{ran}}",
    words=said,
    behind=behind_part,
)
def missing_beyond_noise(
    rows: pd.DataFrame, statistics: pd.DataFrame, plan: MissingBeyondPlan
) -> pd.DataFrame:
    """EIG, soft gates, and both.

    Parameters
    ----------
    rows, statistics, plan
        As in `missing_beyond_mechanisms`.

    Returns
    -------
    DataFrame
        As `Compared.table` gives it.
    """
    return COMPARED.table(rows, statistics, "noise")
