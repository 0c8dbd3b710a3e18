"""`hedgerow explain MODEL.json ROWS.csv`: what a tree doubts of rows in a file."""

from __future__ import annotations

import argparse
from typing import Any

from hedgerow.errors import DataError
from hedgerow.screen import add_command

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
    import numpy as np

    from hedgerow.confidence.doubts import doubted
    from hedgerow.confidence.intervals import Counted, Rules, intervals
    from hedgerow.tree.reading import Rows, read_tree

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
    tree = read_tree(options.model)
    if tree.statistics is None:
        raise DataError(
            f"{options.model}: the tree has no node statistics",
            remedy="write it by Tree.annotate(X, y).to_json()",
        )
    names = tree.feature_names
    table = Rows(options.rows, tree).values(np.unique(tree.feature[tree.feature >= 0]))
    if options.row is not None and not 0 <= options.row < len(table):
        raise DataError(
            f"{options.rows} has no row {options.row}",
            remedy=f"give a number from 0 to {len(table) - 1}",
        )
    found = intervals(tree, Counted.of_annotated(tree), rules)
    classes = list(range(tree.n_classes)) if tree.classes is None else tree.classes
    asked = range(len(table)) if options.row is None else [options.row]
    for row in asked:
        explanation = doubted(
            tree, found, table[row : row + 1], rules, options.smoothing, classes, names
        )
        if row != asked[0]:
            print()
        print(f"row {row}\n{explanation}")
    return 0
