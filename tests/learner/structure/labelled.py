"""Random ordered trees with labels, for the core and for other people's implementations."""

import numpy as np

from hedgerow.structure._edit import Forest, distances

ONE = 1 << 44  # of the core's gains


def random_tree(rng, n, n_labels, arity=2):
    """(label, children), n nodes, each with at most `arity` children."""
    labels = rng.integers(0, n_labels, n).tolist()
    children = [[] for _ in range(n)]
    for node in range(1, n):
        open_ = [p for p in range(node) if len(children[p]) < arity]
        above = open_[int(rng.integers(len(open_)))]
        children[above].insert(int(rng.integers(len(children[above]) + 1)), node)

    def build(node):
        return labels[node], tuple(build(c) for c in children[node])

    return build(0)


def postorder(tree, mirrored=False):
    """Labels in postorder, and the place of the leftmost leaf below each."""
    labels, first = [], []

    def visit(node):
        leftmost = None
        for child in reversed(node[1]) if mirrored else node[1]:
            found = visit(child)
            leftmost = found if leftmost is None else leftmost
        place = len(labels)
        labels.append(node[0])
        first.append(place if leftmost is None else leftmost)
        return first[-1]

    visit(tree)
    return labels, first


def forest(trees):
    """The trees as the core reads them."""
    forwards, backwards = ([postorder(t, m) for t in trees] for m in (False, True))
    start = np.cumsum([0] + [len(labels) for labels, _ in forwards]).astype(np.int32)

    def flat(pairs, part):
        return np.array([v for pair in pairs for v in pair[part]], dtype=np.int32)

    sizes = np.diff(start) * 2.0 + 1
    return Forest(
        start, flat(forwards, 0), flat(forwards, 1), flat(backwards, 0), flat(backwards, 1), sizes
    )


def random_costs(rng, n_labels, kind):
    """Substitution costs of labels: not symmetric in general, 0 for the same label.

    Multiples of 1/256, so that every implementation adds them up without rounding.
    """
    low, high = {"A": (1, 2), "B": (0, 1), "free": (0, 3), "unit": (1, 1)}[kind]
    cost = rng.integers(low * 256, high * 256 + 1, (n_labels, n_labels)) / 256
    np.fill_diagonal(cost, 0.0)
    return cost


def all_distances(one, two, cost):
    """(len(one), len(two)) by the core."""
    # What costs more than 2 is a deletion and an insertion.
    gain = np.rint(np.maximum(2.0 - cost, 0.0) * ONE).astype(np.int64)
    out = np.full((len(one), len(two)), np.nan)
    distances(forest(one), forest(two), gain, False, 0, 0, out, False)
    return out
