"""How far the leaves of `UncertainDataTreeClassifier` are from E2M's mixture for uncertain labels.

    python benchmarks/doubt.py

On data sets of scikit-learn: some labels are replaced by another one, and every other class of
every row is plausible to a degree (gamma). For the tests of one tree (C4.5 on fractions of
classes) the class distributions of its leaves are set beside those that E2M estimates for the same
tests: by half the sum of absolute differences, weighted by what each leaf weighs. Then trees of
both methods are set beside each other on rows that neither has seen, with accuracy and log loss.
Means of five draws.
"""

from __future__ import annotations

import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine

from hedgerow import EvidentialTreeClassifier, Uncertain, UncertainDataTreeClassifier
from hedgerow.evidential._mixture import estimate, spread

SETS = {"iris": load_iris, "wine": load_wine, "breast cancer": load_breast_cancer}
GAMMAS = (0.1, 0.3, 0.5)
FLIPPED = 0.1  # share of labels that are replaced
N_DRAWS = 5
GAP = 1e-9  # of the log-likelihood, as in the leaves that are compared


def of_e2m(tree, X, plausible) -> np.ndarray:
    """Class distributions of the leaves of a tree by E2M, (n_leaves, n_classes)."""
    ends = np.flatnonzero(tree.is_leaf())
    leaves = (tree.apply(X) == ends[:, None]).astype(float)
    counts = spread(tree.class_weight[ends])
    estimate(leaves, np.ascontiguousarray(plausible.T), counts, np.inf, 1_000_000, GAP)
    return counts / counts.sum(axis=1, keepdims=True)


def apart(one: np.ndarray, other: np.ndarray, weight=None) -> float:
    """Mean total variation distance of distributions by row."""
    return float(np.average(np.abs(one - other).sum(axis=1) / 2, weights=weight))


def measured(load, gamma: float, seed: int) -> list[float]:
    """Distances of leaves, then of trees, then accuracy and log loss of three trees."""
    X, y = load(return_X_y=True)
    rng = np.random.default_rng(seed)
    n, K = len(y), int(y.max()) + 1
    labels = np.where(rng.random(n) < FLIPPED, (y + rng.integers(1, K, n)) % K, y)
    plausible = np.maximum(np.eye(K)[labels], gamma)
    order = rng.permutation(n)
    learn, test = order[n // 3 :], order[: n // 3]
    data = Uncertain(X, y_plausibility=plausible, classes=range(K)).take(learn)
    models = [
        UncertainDataTreeClassifier(leaves="fractions").fit(data),
        UncertainDataTreeClassifier().fit(data),
        EvidentialTreeClassifier(random_state=seed, pruning_share=0.3).fit(data),
    ]
    trees = [model.tree_ for model in models[:2]]
    want = of_e2m(trees[0], X[learn], plausible[learn])
    ends = np.flatnonzero(trees[0].is_leaf())
    weight = trees[0].class_weight[ends].sum(axis=1)
    found = [apart(tree.probabilities()[ends], want, weight) for tree in trees]
    answers = [model.predict_proba(X[test]) for model in models]
    found += [apart(answer, answers[2]) for answer in answers[:2]]
    for answer in answers:
        right = np.clip(answer[np.arange(len(test)), y[test]], 0.01, None)
        found += [(answer.argmax(axis=1) == y[test]).mean(), -np.log(right).mean()]
    return found


def main() -> None:
    """Print a table in Markdown."""
    print(
        "| data set | gamma | leaves: fractions | plausibility | trees: fractions | plausibility | "
        "accuracy: fractions, plausibility, E2M | log loss: the same |\n" + "| --- " * 8 + "|"
    )
    for name, load in SETS.items():
        for gamma in GAMMAS:
            rows = [measured(load, gamma, seed) for seed in range(N_DRAWS)]
            a, b, c, d, *scores = np.mean(rows, axis=0)
            right, loss = (", ".join(f"{s:.2f}" for s in scores[start::2]) for start in (0, 1))
            print(
                f"| {name} | {gamma} | {a:.3f} | {b:.1e} | {c:.2f} | {d:.2f} | {right} | {loss} |"
            )


if __name__ == "__main__":
    main()
