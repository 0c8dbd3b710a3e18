"""Class probabilities of a value that is measured with an error, from the definition.

Drawn once: an instance is in a leaf with the probability of the leaf's box.  Drawn at each test:
with the product of the probabilities on its path (thesis, equation 3.10).
"""

import math

from scipy import stats


def error_of(form, x, row):
    """The distribution of the true value about x; None: exact."""
    if form is None or form == 0:
        return None
    if isinstance(form, list):
        return error_of(form[row], x, row)
    if isinstance(form, str) and form.endswith("%"):
        return error_of(float(form[:-1]) / 100 * abs(x), x, row)
    if isinstance(form, str) and form.startswith("+-"):
        h = float(form[2:])
        return stats.uniform(x - h, 2 * h)
    if hasattr(form, "cdf"):
        return type("Shifted", (), {"cdf": staticmethod(lambda t: form.cdf(t - x))})
    return stats.norm(x, float(form))


def probabilities(tree, x, forms, row, draws):
    """Class probabilities of one instance by one tree with tests on numbers.

    forms: of each variable; row: the number of the instance, for errors by row.
    """
    total = [0.0] * tree.n_classes

    def walk(node, weight, box):
        if tree.feature[node] < 0:
            counts = tree.class_weight[node]
            for c in range(tree.n_classes):
                total[c] += weight * counts[c] / counts.sum()
            return
        j, t = tree.feature[node], tree.threshold[node]
        left, right = tree.children_left[node], tree.children_right[node]
        if math.isnan(x[j]):
            walk(left, weight * tree.share_left[node], box)
            walk(right, weight * (1 - tree.share_left[node]), box)
            return
        error = error_of(forms[j], x[j], row)
        low, high = box.get(j, (-math.inf, math.inf))
        if error is None:
            share = float(x[j] < t)
        elif draws == "per_test":
            share = error.cdf(t)
        else:
            mass = error.cdf(high) - error.cdf(low)
            inside = error.cdf(min(max(t, low), high)) - error.cdf(low)
            share = inside / mass if mass > 1e-13 else float(x[j] < t)
        if weight * share > 0:
            walk(left, weight * share, {**box, j: (low, min(t, high))})
        if weight * (1 - share) > 0:
            walk(right, weight * (1 - share), {**box, j: (max(t, low), high)})

    walk(0, 1.0, {})
    return total
