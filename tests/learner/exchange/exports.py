"""Every form of a tree against the tree itself, on the table that it was grown from.

``python tests/learner/exchange/exports.py`` counts, over the archived data sets, the rows that
another form sends to another leaf.
"""

import sqlite3
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np

import hedgerow.data
from hedgerow import C45Classifier
from hedgerow.data import load
from hedgerow.errors import HedgerowError, HedgerowWarning
from hedgerow.exchange import to_python, to_sql
from hedgerow.exchange.as_sql import approximate
from hedgerow.tree import Tree

FORMS = ("json", "rules", "python", "sql", "sklearn", "onnx")


def marked(tree: Tree) -> Tree:
    """The tree with other weights, so that the probability of its first class names the leaf."""
    weight = np.zeros((tree.n_nodes, 2))
    leaves = np.flatnonzero(tree.is_leaf())
    place = np.arange(len(leaves))
    weight[leaves] = np.column_stack([place + 1.0, len(leaves) - place])
    for node in range(tree.n_nodes - 1, 0, -1):
        weight[tree.parent[node]] += weight[node]
    return Tree(**{**tree.arrays(), "class_weight": weight})


def leaves_by_form(tree: Tree, table: np.ndarray, midpoints: bool = False) -> dict:
    """Leaf of each row of a table without gaps, by the tree (`tree`) and its other forms."""
    one = marked(tree)
    leaves = np.flatnonzero(one.is_leaf())

    def named(first):
        """Leaves by the probability of the first class."""
        return leaves[np.rint(np.asarray(first) * (len(leaves) + 1)).astype(int) - 1]

    found = {"tree": tree.apply(table), "json": Tree.from_json(tree.to_json()).apply(table)}
    found["rules"] = _by_rules(tree, table)
    space: dict = {}
    exec(to_python(one), space)
    ask, names = space["predict_proba"], [f"x{j}" for j in range(table.shape[1])]
    rows = table.tolist()
    found["python"] = named([ask(dict(zip(names, row, strict=True)))[0] for row in rows])
    found["sql"] = named(_by_sql(one, names, rows))
    made = _sklearn(one, table.shape[1], midpoints)
    found["sklearn"] = made.apply(table)
    single = table.astype(np.float32)
    onnx = _by_onnx(made, single)
    if onnx is not None:
        found["onnx"] = named(onnx)
    return found


def _sklearn(tree: Tree, n_features: int, midpoints: bool):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", HedgerowWarning)
        return tree.to_sklearn(n_features, candidates="midpoints" if midpoints else "values")


def _by_rules(tree: Tree, table: np.ndarray) -> np.ndarray:
    found = np.full(len(table), -1)
    for leaf, conditions in zip(
        *(tree.rules()[name] for name in ("leaf", "conditions")), strict=True
    ):
        met = np.ones(len(table), bool)
        for condition in conditions:
            x = table[:, int(condition["variable"][1:])].astype(np.float64)
            if condition["lower"] is not None:
                met &= x >= condition["lower"]
            if condition["upper"] is not None:
                met &= x < condition["upper"]
        found[met] = leaf
    return found


def _by_sql(tree: Tree, names, rows) -> list:
    with sqlite3.connect(":memory:") as connection:
        connection.execute(f"CREATE TABLE t ({', '.join(f'{name} REAL' for name in names)})")
        places = ", ".join("?" * len(names))
        connection.executemany(f"INSERT INTO t VALUES ({places})", rows)
        answers = connection.execute(to_sql(tree, table="t") + " ORDER BY t.rowid").fetchall()
    return [first for first, _ in answers]


def _by_onnx(made, table: np.ndarray):
    """Probability of the first class, None where the libraries are not installed."""
    try:
        import onnxruntime
        import skl2onnx
    except ImportError:
        return None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        written = skl2onnx.to_onnx(made, table[:1], options={"zipmap": False})
    session = onnxruntime.InferenceSession(
        written.SerializeToString(), providers=["CPUExecutionProvider"]
    )
    _, probabilities = session.run(None, {session.get_inputs()[0].name: table})
    return probabilities[:, 0]


def unresolved(tree: Tree, table: np.ndarray) -> np.ndarray:
    """Rows with a value below a threshold that is one 32-bit float with it."""
    found = np.zeros(len(table), bool)
    with np.errstate(over="ignore"):
        single = table.astype(np.float32)
        for node in np.flatnonzero(~tree.is_leaf()):
            j, t = tree.feature[node], tree.threshold[node]
            below = table[:, j] < t
            highest = single[below, j].max(initial=-np.inf)
            found |= (single[:, j] == highest) & (single[~below, j].min(initial=np.inf) == highest)
    return found


def archived(names=None) -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """Name, numbers and classes of data sets of the archive, without rows that lack a number."""
    folder = Path(hedgerow.data.__file__).with_name("archive")
    for name in sorted(each.name for each in folder.iterdir()) if names is None else names:
        try:
            data = load(name, download=False)
        except HedgerowError:  # no data set, or one that is not here
            continue
        numbers = data.X.select_dtypes("number")
        kept = numbers.notna().all(axis=1).to_numpy()
        if numbers.shape[1] and kept.any() and len(np.unique(data.y[kept])) > 1:
            yield name, numbers.to_numpy(np.float64)[kept], data.y[kept]


def sqlite_reads(tree: Tree, table: np.ndarray) -> np.ndarray:
    """Rows without a value at a threshold that this SQLite reads as the number beside it."""
    connection = sqlite3.connect(":memory:")
    kept = np.ones(len(table), bool)
    for threshold in np.unique(tree.threshold[~tree.is_leaf()]).tolist():
        if connection.execute(f"SELECT {approximate(threshold)}").fetchone()[0] != threshold:
            kept &= ~np.isclose(table, threshold, rtol=1e-14, atol=0).any(axis=1)
    return kept


def differing(X: np.ndarray, y: np.ndarray, dtype=np.float64, candidates="values") -> dict:
    """Number of training rows that each form sends to another leaf, and to another class.

    Not counted are rows that 32 bits cannot tell from others, and in SQL those at a threshold that
    SQLite misreads.
    """
    table = X.astype(dtype)
    model = C45Classifier(prune=False, min_samples_split=2, candidates=candidates)
    tree = model.fit(table, y).tree_
    leaves = leaves_by_form(tree, table, candidates == "midpoints")
    resolved = ~unresolved(tree, np.asarray(table, np.float64))
    kept = dict.fromkeys(leaves, np.ones(len(table), bool))
    kept |= {"sklearn": resolved, "onnx": resolved, "sql": sqlite_reads(tree, table)}
    best = tree.probabilities().argmax(axis=1)
    counts = {}
    for form, leaf in leaves.items():
        other_leaf = kept[form] & (leaf != leaves["tree"])
        other_class = kept[form] & (best[leaf] != best[leaves["tree"]])
        counts[form] = int(other_leaf.sum()), int(other_class.sum())
    del counts["tree"]
    return {**counts, "unresolved": (int((~resolved).sum()), 0), "rows": (len(table), 0)}


def main() -> None:
    """Rows that reach another leaf and another class, over all data sets."""
    for dtype in (np.float64, np.float32):
        for candidates in ("values", "midpoints"):
            counts = {name: differing(X, y, dtype, candidates) for name, X, y in archived()}
            total = {
                form: tuple(np.sum([found[form] for found in counts.values()], axis=0).tolist())
                for form in next(iter(counts.values()))
            }
            print(f"{len(counts)} sets, {dtype.__name__}, {candidates}: {total}")


if __name__ == "__main__":
    main()
