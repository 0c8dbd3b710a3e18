"""The pictures of the README and of the estimators: `python docs/pictures.py`.

A soft tree of the wine data that come with scikit-learn: how it reads its first test beside the
tree of C4.5, and the way of one wine through it.
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_wine

from hedgerow import C45Classifier, SoftTreeClassifier
from hedgerow.reporting.figures import save, style

IMG = Path(__file__).with_name("img")
NOISE = dict.fromkeys(("propagation", "evaluation"), 0.1)


def main() -> None:
    """Draw them."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    names = load_wine().target_names[y]
    draw_first_test(X, names)
    tree = SoftTreeClassifier(**NOISE, max_depth=3).fit(X, names).tree_
    with style():
        axes = tree.plot(path=X.iloc[61], X=X, y=names, units={"proline": "mg/l"})
        save(axes.figure, IMG / "way_of_a_row.svg")


def draw_first_test(X, names) -> None:
    """A soft tree, and how it and C4.5 divide the values of its first variable."""
    soft = SoftTreeClassifier(**NOISE, max_depth=2).fit(X, names)
    hard = C45Classifier(max_depth=2).fit(X, names)
    tree = soft.tree_
    root = X.columns[tree.feature[0]]
    values = np.linspace(X[root].min(), X[root].max(), 300)
    line = X.median().to_frame().T.loc[[0] * len(values)].assign(**{root: values})
    with style():
        figure, (left, right) = plt.subplots(1, 2, figsize=(8.6, 3.2), width_ratios=(1.7, 1))
        tree.plot(ax=left)
        left.set_title("A soft tree of 178 wines: every value is measured with an error of 10 %")
        for model, label, look in (
            (hard, "C4.5", {"color": "#999999", "linestyle": "--"}),
            (soft, "soft", {"color": "#0072B2"}),
        ):
            share = share_left(model, line)
            right.plot(values, share, label=label, linewidth=2, **look)
        right.set_xlabel(f"{root} (mg/l)" if root == "proline" else root)
        right.set_ylabel("Share that goes left at the root")
        right.set_title("Its first test")
        right.legend(loc="upper right")
        figure.tight_layout()
        save(figure, IMG / "soft_tree.svg")


def share_left(model, X) -> np.ndarray:
    """Share of each row that goes left at the root."""
    shares = model.tree_.shares(X.to_numpy())
    return shares[:, [model.tree_.children_left[0]]].toarray().ravel()


if __name__ == "__main__":
    main()
