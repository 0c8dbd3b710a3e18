"""`hedgerow explain MODEL.json ROWS.csv`: what a tree doubts of rows in a file."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING, Any

from hedgerow.errors import DataError
from hedgerow.screen import add_command

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from hedgerow.tree import Tree

DESCRIPTION = """\
Print for each row of a table what the nodes of a tree did to it (ConfDTree): which
doubted the class that their branch assigned, and what followed. The model is what
`Tree.annotate(X, y).to_json()` wrote. Tests on categories are never doubted: the file
does not say how frequent categories were.
"""
EXAMPLES = """examples:
  hedgerow explain tree.json patients.csv --row 12
  hedgerow explain tree.json patients.csv --method norm --no-routes
"""
ABSENT = "give the path of a file that is there"
MOST_CELLS = 10_000_000  # of a table: its explanations are for people


def add_explain(commands: Any) -> None:
    """Add the command to a parser's commands."""
    words = "what a tree doubts of rows in a file, node by node"
    parser = add_command(commands, "explain", words, DESCRIPTION, EXAMPLES)
    parser.set_defaults(run=run)
    parser.add_argument("model", metavar="MODEL.json", help="a tree with its node statistics")
    parser.add_argument("rows", metavar="ROWS.csv", help="rows, with the columns of the tree")
    parser.add_argument(
        "--row", type=int, metavar="N", help="only this row; the first is 0 (default: all)"
    )
    rules = parser.add_argument_group("the settings of ConfDTreeClassifier")
    rules.add_argument("--method", choices=["norm", "tdist", "comb"], default="comb")
    for name, default, text in (
        ("min-instances", 5.0, "that a class needs at a node"),
        ("normal-width", 2.0, "standard deviations for the assigned class"),
        ("normal-width-other", 1.0, "... and for other classes"),
        ("t-alpha", 0.005, "level of the t interval for the assigned class"),
        ("t-alpha-other", 0.10, "... and for other classes"),
        ("normality-alpha", 0.05, "level of the test of normality"),
        ("fine", 0.10, "share of the assigned class's probability"),
    ):
        rules.add_argument(
            f"--{name}",
            type=float,
            default=default,
            metavar="X",
            help=f"{text} (default: %(default)g)",
        )
    rules.add_argument(
        "--too-few",
        choices=["class", "node"],
        default="class",
        help="what a class with fewer instances disables (default: %(default)s)",
    )
    rules.add_argument("--no-routes", action="store_true", help="no alternative routes")
    rules.add_argument("--no-fines", action="store_true", help="no certainty fines")
    rules.add_argument("--smoothing", action="store_true", help="Laplace-smoothed leaves")


def run(options: argparse.Namespace) -> int:
    """Run the command.

    Parameters
    ----------
    options : Namespace

    Returns
    -------
    int
        0.
    """
    from hedgerow.optional import needed

    needed("pandas", "`hedgerow explain`")
    from hedgerow.confidence.explain import explained
    from hedgerow.confidence.intervals import Counted, Rules, intervals

    rules = Rules(
        method=options.method,
        min_instances=options.min_instances,
        too_few=options.too_few,
        normal_width=options.normal_width,
        normal_width_other=options.normal_width_other,
        t_alpha=options.t_alpha,
        t_alpha_other=options.t_alpha_other,
        normality_alpha=options.normality_alpha,
        routes=not options.no_routes,
        fines=not options.no_fines,
        fine=options.fine,
    )
    tree = _tree(options.model)
    names = tree.feature_names
    table = _table(options.rows, tree)
    if options.row is not None and not 0 <= options.row < len(table):
        raise DataError(
            f"{options.rows} has no row {options.row}",
            remedy=f"give a number from 0 to {len(table) - 1}",
        )
    found = intervals(tree, Counted.of_annotated(tree), rules)
    classes = list(range(tree.n_classes)) if tree.classes is None else tree.classes
    asked = range(len(table)) if options.row is None else [options.row]
    for row in asked:
        explanation = explained(
            tree, found, table[row : row + 1], rules, options.smoothing, classes, names
        )
        if row != asked[0]:
            print()
        print(f"row {row}\n{explanation}")
    return 0


def _tree(path: str) -> Tree:
    """The tree in a file.

    Raises
    ------
    DataError
        No tree, or one without what is needed.
    """
    from hedgerow.errors import InputError
    from hedgerow.files import read_text
    from hedgerow.tree import Tree

    text = _inner(read_text(path, ABSENT))
    try:
        tree = Tree.from_json(text)
    except InputError as error:
        raise DataError(f"{path}: {error.message}", remedy=error.remedy) from None
    if tree.statistics is None:
        raise DataError(
            f"{path}: the tree has no node statistics",
            remedy="write it by Tree.annotate(X, y).to_json()",
        )
    if tree.feature_names is None:
        raise DataError(
            f"{path}: the tree has no names of variables",
            remedy="fit it on a data frame, or give them by Tree.replace(feature_names=...)",
        )
    return tree


def _inner(text: str) -> str:
    """The text of a tree: of a file that holds one with more beside it, its own part."""
    try:
        form = json.loads(text)
    except (RecursionError, ValueError):
        return text
    inner = form.get("tree") if isinstance(form, dict) else None
    return json.dumps(inner) if isinstance(inner, dict) else text


def _table(path: str, tree: Tree) -> np.ndarray:
    """The rows of a file as the tree reads them, (n, m) float64; what is empty is missing.

    Raises
    ------
    DataError
        A column that the tree tests is missing or holds text, or there is no row.
    """
    import numpy as np

    from hedgerow.files import read_csv

    frame = read_csv(path, absent=ABSENT)
    if not len(frame):
        raise DataError(f"{path} has no row", remedy="give at least one")
    if len(frame) * len(tree.feature_names) > MOST_CELLS:
        raise DataError(
            f"{path} has {len(frame)} rows of {len(tree.feature_names)} variables",
            remedy=f"give a table of at most {MOST_CELLS} values",
        )
    table = np.full((len(frame), len(tree.feature_names)), np.nan)
    for j in np.unique(tree.feature[tree.feature >= 0]):
        name = tree.feature_names[j]
        if name not in frame.columns:
            raise DataError(
                f"{path} has no column {name!r}, which the tree tests",
                remedy="give a table with the columns that the tree was grown from",
            )
        table[:, j] = _column(path, name, frame[name], tree.categories.get(int(j)))
    return table


def _column(path: str, name: str, column: pd.Series, labels: list | None) -> np.ndarray:
    """Numbers, or codes of categories; one that is not among the labels is new."""
    import numpy as np
    import pandas as pd

    if labels is not None:
        codes = {str(label): float(code) for code, label in enumerate(labels)}
        codes[""] = np.nan
        if pd.api.types.is_float_dtype(column.dtype) and not (column.dropna() % 1).any():
            column = column.astype("Int64")  # whole numbers, of which some are missing
        texts = column.astype(object).where(column.notna(), "").astype(str)
        return np.array([codes.get(text, float(len(labels))) for text in texts])
    try:
        values = pd.to_numeric(column).to_numpy(dtype=np.float64, na_value=np.nan)
    except (ValueError, TypeError):
        texts = pd.to_numeric(column, errors="coerce")
        row = int((texts.isna() & column.notna()).to_numpy().argmax())
        raise DataError(
            f"{path}: column {name!r} holds {column.iloc[row]!r} in row {row}, and the tree tests "
            "a number",
            remedy="write a number, or nothing where it is missing",
        ) from None
    infinite = np.isinf(values)
    if infinite.any():
        raise DataError(
            f"{path}: column {name!r} holds an infinite value in row {int(infinite.argmax())}",
            remedy="write a number, or nothing where it is missing",
        )
    return values
