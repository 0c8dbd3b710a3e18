"""Gates from their definitions, one value at a time; the normal one and that of UDT are in
`oracle.induction`."""

import numpy as np

CLIP = 1e-9


def step(x, threshold):
    """Thesis, equation 2.1."""
    return 1.0 if x < threshold else 0.0


def linear(x, lower, threshold, upper):
    """PLT: through (lower, 1), (threshold, .5) and (upper, 0); a bound on the threshold is a jump
    beside it."""
    if x == threshold:
        return 0.5
    if x <= lower:
        return 1.0
    if x >= upper:
        return 0.0
    if x < threshold:
        return 0.5 + 0.5 * (threshold - x) / (threshold - lower)
    return 0.5 - 0.5 * (x - threshold) / (upper - threshold)


def model(x, threshold, cdf, sigma, center=0.0, relative=False, window=6.0):
    """Equation 3.9 with F in the place of Phi, cut about its centre; of d / |x| if relative."""
    d = threshold - x
    if relative:
        if x == 0:
            return step(x, threshold)
        d /= abs(x)
    if d - center >= (window / 2 - CLIP) * sigma:
        return 1.0
    if d - center <= -(window / 2 - CLIP) * sigma:
        return 0.0
    return min(max(float(cdf(d)), 0.0), 1.0)


def replaced(code, subset, shares, probability, known):
    """Share of a category that was replaced, with this probability, by a draw from `shares`."""
    if not 0 <= code < len(subset):
        return 1.0 if known >= 0.5 else 0.0
    drawn = sum(s for s, left in zip(shares, subset, strict=False) if left)
    return (1 - probability) * float(subset[int(code)]) + probability * drawn


def confused(code, subset, table, known):
    """The true category is in the subset: row `code` of the table, added up over the subset."""
    if not 0 <= code < len(subset):
        return 1.0 if known >= 0.5 else 0.0
    if code >= len(table):
        return float(subset[int(code)])
    return sum(p for p, left in zip(table[int(code)], subset, strict=False) if left)


def categorical_predictions(tree, X, shares, probability):
    """Class probabilities, node by node for all rows at once; tests on numbers are hard.

    Kept as it was before the gate at tests on categories: the two are equal to the byte.
    """
    reach = np.zeros((tree.n_nodes, len(X)))
    reach[0] = 1.0
    for node in np.flatnonzero(tree.feature >= 0):
        x = X[:, tree.feature[node]]
        if np.isnan(tree.threshold[node]):
            subset = tree.categories_left[node]
            drawn = shares[int(tree.feature[node])]
            drawn = float(drawn[subset[: len(drawn)]].sum())
            known = (x >= 0) & (x < len(subset))
            hard = subset[np.where(known, x, 0).astype(int)].astype(float)
            soft = (1 - probability) * hard + probability * drawn
            left = np.where(known, soft, float(tree.share_left[node] >= 0.5))
        else:
            left = (x < tree.threshold[node]).astype(float)
        left = np.where(np.isnan(x), tree.share_left[node], left)
        reach[tree.children_left[node]] = reach[node] * left
        reach[tree.children_right[node]] = reach[node] * (1.0 - left)
    value = tree.probabilities()
    mixed = np.zeros((len(X), tree.n_classes))
    for leaf in np.flatnonzero(tree.feature < 0):
        mixed += reach[leaf][:, None] * value[leaf]
    return mixed
