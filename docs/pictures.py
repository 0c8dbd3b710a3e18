"""The pictures of the README and of the estimators: `python docs/pictures.py`.

The way of a wine through a soft tree, of the data that come with scikit-learn, and what the results
at the papers' scale say of trees that know the size of measurement errors.
"""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

from hedgerow import SoftTreeClassifier, UncertainDataTreeClassifier
from hedgerow.files import read_csv
from hedgerow.showing.figures import save, style

HERE = Path(__file__).parent
IMG = HERE / "img"
EFFECTS = HERE.parent / "data/reference/uncertainty_benchmark/uncertainty_benchmark_effects.csv"
NOISE = {"error": "10 %"}
METHODS = {"doubt_tree": "UncertainDataTreeClassifier", "forest": "random forest"}
SHADES = ("#DDDDDD", "#666666", "#AAAAAA")


def main() -> None:
    """Draw them."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    names = load_wine().target_names[y]
    draw_readme(X, names)
    tree = SoftTreeClassifier(**NOISE, max_depth=3).fit(X, names).tree_
    with style():
        axes = tree.plot(path=X.iloc[61], X=X, y=names, units={"proline": "mg/l"})
        save(axes.figure, IMG / "way_of_a_row.svg")


def draw_readme(X, names) -> None:
    """A prediction with its uncertainty; accuracy gained and predictions changed, as bars."""
    effects = read_csv(EFFECTS)
    effects = effects[(effects["condition"] == "error") & (effects["second"] == "c45")]
    accuracy, changes = (
        effects[effects["metric"] == metric].set_index("first").loc[list(METHODS)]
        for metric in ("accuracy", "changes")
    )
    tree = UncertainDataTreeClassifier(error="10 %", max_depth=2).fit(X, names).tree_
    with style():
        figure = plt.figure(figsize=(9.0, 4.6))
        grid = figure.add_gridspec(2, 2, width_ratios=(1.5, 1))
        left, upper, lower = map(figure.add_subplot, (grid[:, 0], grid[0, 1], grid[1, 1]))
        tree.plot(ax=left, path=X.iloc[4], X=X, y=names, units={"proline": "mg/l"})
        left.set_title("The path of one wine, values ± 10 % (standard deviation)")
        gain = accuracy["difference"]
        interval = (gain - accuracy["low"], accuracy["high"] - gain)
        bars = upper.barh([*METHODS.values()], gain, 0.55, color=SHADES[1:], xerr=interval)
        upper.bar_label(bars, fmt="%+.1f", padding=4)
        upper.set_title("Accuracy gained over C4.5: higher is better")
        n_datasets = accuracy["n_datasets"].iloc[0]
        upper.set_xlabel(f"percentage points, 95 % CI; {n_datasets} data sets")
        changed = [changes["mean_second"].iloc[0], *changes["mean_first"]]
        bars = lower.barh(["C4.5", *METHODS.values()], changed, 0.55, color=SHADES)
        lower.bar_label(bars, fmt="%.1f", padding=3)
        lower.set_title("Changed predictions: lower is better")
        lower.set_xlabel("of 100, on a second measurement")
        for axes in (upper, lower):
            axes.invert_yaxis()
            axes.margins(x=0.15)
        figure.tight_layout()
        save(figure, IMG / "readme.svg")


if __name__ == "__main__":
    main()
