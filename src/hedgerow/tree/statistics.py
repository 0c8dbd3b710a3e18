"""Statistics of a data set at the nodes of a tree: what consumers read besides the arrays.

Confidence-interval trees need the split variable's distribution in each class, the edit distance
needs IQRs, correlations and the order of the classes. They are counted once, by `Tree.annotate`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy import special

from hedgerow.checks import as_numbers, check_total, check_unmasked
from hedgerow.errors import InputError
from hedgerow.optional_imports import import_optional
from hedgerow.tree.metadata import label_list
from hedgerow.tree.table import table_of

MIN_SHARE_COUNTED = 0.5  # a row belongs to a node, when rows are counted whole, from this share on


def node_statistics(tree, X, y, sample_weight=None, evaluation=None) -> dict:
    """Statistics of one data set, by node and as a whole.

    Returns: ``class_weight`` (n_nodes, K) and ``weight`` (n_nodes,): row weight times share. Of the
    split variable at inner nodes, over rows whose value is known (NaN at leaves): ``n``, ``mean``,
    ``sd`` (n_nodes, K), weighted the same way; sd has n - 1 below it, and is NaN where n is below
    2; ``normality_p`` (n_nodes, K), the p-value of the Kolmogorov-Smirnov test against the normal
    distribution with the mean and sd of the rows, uncorrected for having estimated them, NaN where
    fewer than 2 rows or a constant; ``iqr`` (n_nodes,), by linear interpolation. These two have no
    weighted form in use: rows with a share of at least one half count once each. Of the data set:
    ``feature_iqr`` (m,); ``pearson`` and ``spearman`` (m, m), absolute correlations over the pairs
    of known values, 0 for a constant and for a categorical variable of more than two categories;
    ``class_order`` (K,), class codes by falling weight, ties by code, and ``class_rank`` (K,), each
    class's place in it; ``n_rows``.
    """
    table = table_of(tree, X)
    codes = codes_of(tree, y)
    n, m = table.shape
    if len(codes) != n:
        raise InputError(f"y has {len(codes)} entries for {n} rows", remedy="give one per row")
    if np.isinf(table).any():
        raise InputError("X holds infinite values", remedy="make them missing (NaN) or drop them")
    tree.check_width(m)
    weight = weights_of(sample_weight, n)
    kept = weight > 0
    table, codes, weight = table[kept], codes[kept], weight[kept]

    shares = tree.shares(table, evaluation).tocsc()
    K = tree.n_classes
    statistics: dict[str, Any] = {
        "n_rows": len(codes),
        "weight": np.zeros(tree.n_nodes),
        "class_weight": np.zeros((tree.n_nodes, K)),
        "n": np.full((tree.n_nodes, K), np.nan),
        "mean": np.full((tree.n_nodes, K), np.nan),
        "sd": np.full((tree.n_nodes, K), np.nan),
        "normality_p": np.full((tree.n_nodes, K), np.nan),
        "iqr": np.full(tree.n_nodes, np.nan),
    }
    distance = np.zeros((tree.n_nodes, K))
    n_rows = np.zeros((tree.n_nodes, K), dtype=np.int64)
    for node in range(tree.n_nodes):
        part = slice(shares.indptr[node], shares.indptr[node + 1])
        rows, share = shares.indices[part], shares.data[part]
        w = weight[rows] * share
        statistics["class_weight"][node] = np.bincount(codes[rows], weights=w, minlength=K)
        j = int(tree.feature[node])
        if j < 0:
            continue
        x = table[rows, j]
        observed = ~np.isnan(x)
        here = (
            x[observed],
            codes[rows][observed],
            w[observed],
            share[observed] >= MIN_SHARE_COUNTED,
        )
        _split_variable(statistics, distance, n_rows, node, *here)
    tested = n_rows > 0
    if tested.any():
        from scipy import stats

        # As scipy.stats.kstest, which is slow to call once for every node and class.
        statistics["normality_p"][tested] = stats.kstwo.sf(distance[tested], n_rows[tested])
    statistics["weight"] = statistics["class_weight"].sum(axis=1)
    statistics.update(_data_set(tree, table, codes, weight))
    return statistics


def _split_variable(statistics, distance, n_rows, node: int, x, codes, w, whole) -> None:
    """Fill in one inner node: x, codes, w of the rows whose value is known."""
    if whole.any():
        low, high = np.percentile(x[whole], [25, 75])
        statistics["iqr"][node] = high - low
    for c in range(statistics["n"].shape[1]):
        here = codes == c
        n = w[here].sum()
        statistics["n"][node, c] = n
        if n <= 0:
            continue
        mean = np.average(x[here], weights=w[here])
        statistics["mean"][node, c] = mean
        if n >= 2:
            statistics["sd"][node, c] = np.sqrt((w[here] * (x[here] - mean) ** 2).sum() / (n - 1))
        rows = x[here & whole]
        if len(rows) >= 2 and rows.min() < rows.max():
            distance[node, c] = _distance_to_normal(rows)
            n_rows[node, c] = len(rows)


def _distance_to_normal(rows) -> float:
    """Kolmogorov-Smirnov statistic against the normal distribution of the same mean and sd."""
    n = len(rows)
    cdf = special.ndtr((np.sort(rows) - rows.mean()) / rows.std(ddof=1))
    steps = np.arange(n + 1) / n
    return max((steps[1:] - cdf).max(), (cdf - steps[:-1]).max())


def _data_set(tree, table, codes, weight) -> dict:
    m = table.shape[1]
    iqr = np.full(m, np.nan)
    for j in range(m):
        observed = table[~np.isnan(table[:, j]), j]
        if observed.size:
            low, high = np.percentile(observed, [25, 75])
            iqr[j] = high - low
    categorical = {int(j) for j in tree.feature[tree.is_categorical()]} | set(tree.categories)
    unordered = [
        j for j in categorical if j < m and len(np.unique(table[~np.isnan(table[:, j]), j])) > 2
    ]
    statistics = {"feature_iqr": iqr}
    frame = import_optional("pandas", "the correlations of `annotate`").DataFrame(table)
    for method in ("pearson", "spearman"):
        with np.errstate(invalid="ignore", divide="ignore"):
            rho = np.abs(frame.corr(method=method, min_periods=2).to_numpy(copy=True))
        rho[np.isnan(rho)] = 0.0
        rho[unordered, :] = 0.0
        rho[:, unordered] = 0.0
        statistics[method] = np.minimum(rho, 1.0)
    total = np.bincount(codes, weights=weight, minlength=tree.n_classes)
    order = np.argsort(-total, kind="stable")
    statistics["class_order"] = order
    statistics["class_rank"] = np.argsort(order, kind="stable")
    return statistics


def observed_shares(tree, X: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """Share of the rows at each test, of known values alone, that goes left, (n_nodes,) float64.

    A test that no known value reaches keeps its share. One traversal gives what part of a row at a
    node goes to which child; for a missing value that is the share, which this node gives itself.
    """
    share = np.array(tree.share_left)
    # Shares between 0 and 1, so that missing values reach both sides; the heavier side stays.
    both = np.where(np.isnan(share), share, np.where(share >= 0.5, 0.75, 0.25))
    reached = tree._with(share_left=both).shares(X).tocsc()

    def column(node: int) -> tuple[np.ndarray, np.ndarray]:
        part = slice(reached.indptr[node], reached.indptr[node + 1])
        return reached.indices[part], reached.data[part]

    share_of_rows = {0: np.ones(len(X))}
    for node in np.argsort(tree.node_depth, kind="stable").tolist():
        at_node = share_of_rows.pop(node)
        if tree.feature[node] < 0:
            continue
        rows, total = column(node)
        missing = np.isnan(X[rows, tree.feature[node]])
        observed_weight = np.where(missing, 0.0, weight[rows] * at_node)
        left, right = int(tree.children_left[node]), int(tree.children_right[node])
        for child in (left, right):
            rows_of_child, part = column(child)
            places = np.searchsorted(rows, rows_of_child)
            part = part / total[places]
            if child == left and observed_weight.any():
                share[node] = min((observed_weight[places] @ part) / observed_weight.sum(), 1.0)
            of_missing = share[node] if child == left else 1.0 - share[node]
            share_of_rows[child] = at_node[places] * np.where(missing[places], of_missing, part)
    return share


def restore(plain: dict | None) -> dict | None:
    """Statistics as they were before JSON made lists of them, None in the place of NaN."""
    if plain is None:
        return None

    def back(value):
        if not isinstance(value, list):
            return value
        whole = all(isinstance(v, int) for v in value)
        return np.array(value, dtype=np.intp if whole and value else np.float64)

    return {name: back(value) for name, value in plain.items()}


# -- input ------------------------------------------------------------------------------


def codes_of(tree, y) -> np.ndarray:
    check_unmasked("y", y)
    y = np.asarray(y)
    if y.ndim != 1 or (tree.classes is None and y.dtype.kind not in "biuf"):
        raise InputError(
            f"y is {y.dtype} of shape {y.shape}",
            remedy="give one label for each row, the code of its class where the tree names none",
        )
    if tree.classes is None:
        codes = y.astype(np.intp)
        bad = (codes < 0) | (codes >= tree.n_classes)
    else:
        lookup = {label: c for c, label in enumerate(tree.classes)}
        codes = np.array([lookup.get(label, -1) for label in label_list(y)], dtype=np.intp)
        bad = codes < 0
    if bad.any():
        raise InputError(
            f"y holds the class {label_list(y[bad])[0]!r}, which the tree does not know",
            remedy="give classes among "
            + ", ".join(map(repr, tree.classes or range(tree.n_classes))),
        )
    return codes


def weights_of(sample_weight, n: int) -> np.ndarray:
    if sample_weight is None:
        return np.ones(n)
    check_unmasked("sample_weight", sample_weight)
    weight = as_numbers("sample_weight", sample_weight)
    if weight.shape != (n,):
        raise InputError(
            f"sample_weight has shape {weight.shape} for {n} rows", remedy="give one per row"
        )
    if not (np.isfinite(weight).all() and (weight >= 0).all() and weight.any()):
        raise InputError(
            "sample_weight holds weights that are negative, not finite, or all zero",
            remedy="give weights of 0 or more, at least one of them above 0",
        )
    check_total(weight)
    return weight
