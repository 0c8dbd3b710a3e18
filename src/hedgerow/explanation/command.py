"""`hedgerow explain MODEL.json CASES.csv`: why cases in a file are answered as they are."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.errors import DataError, InputError
from hedgerow.screen import add_force, describe

if TYPE_CHECKING:
    import numpy as np

    from hedgerow.tree import Tree

DESCRIPTION = """\
Print for each case of a table its answer, the tests that it comes by, the leaves that
it may belong to, how sure the answer is, whether another measurement would be answered
otherwise, and which one is worth repeating. The model is what `Tree.to_json()` wrote.

Errors of measurement come in a CSV file of two columns, `variable` and `error` (a
standard deviation, "5 %" of the value, or "+-0.5", the half width of a rectangle), or
of standard deviations: a column for each variable and a line for each case.

A tree with its node statistics (`Tree.annotate(X, y).to_json()`) also says which nodes
doubt the class that their branch assigns, and what follows (ConfDTree); tests on
categories are never doubted, as the file does not say how frequent categories were.
"""
EXAMPLES = """examples:
  hedgerow explain tree.json patients.csv --error errors.csv
  hedgerow explain tree.json patients.csv --row 12 --html patient.html
  hedgerow explain tree.json patients.csv --method norm --no-routes
"""


def add_explain(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    describe(parser, DESCRIPTION, EXAMPLES)
    parser.set_defaults(run=run)
    parser.add_argument("model", metavar="MODEL.json", help="a tree")
    parser.add_argument("rows", metavar="CASES.csv", help="cases, with the columns of the tree")
    parser.add_argument("--error", metavar="ERRORS.csv", help="errors of measurement")
    parser.add_argument(
        "--given",
        choices=["measured", "true"],
        default="measured",
        help="whether another measurement is about the measured values, or these are true "
        "(default: %(default)s)",
    )
    parser.add_argument(
        "--row", type=int, metavar="N", help="only this row; the first is 0 (default: all)"
    )
    parser.add_argument("--html", type=Path, metavar="FILE", help="write a page instead")
    add_force(parser, "a page")
    parser.add_argument("--smoothing", action="store_true", help="Laplace-smoothed leaves")
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


def run(options: argparse.Namespace) -> int:
    """Run the command.

    Returns: 0.
    """
    from hedgerow.optional_imports import import_optional

    import_optional("pandas", "`hedgerow explain`")
    import numpy as np

    from hedgerow.explanation.explain import explain_table
    from hedgerow.files import check_free
    from hedgerow.tree.input_files import Rows, read_tree

    tree = read_tree(options.model)
    table = Rows(options.rows, tree).values(np.unique(tree.feature[tree.feature >= 0]))
    if options.row is not None and not 0 <= options.row < len(table):
        raise DataError(
            f"{options.rows} has no row {options.row}",
            remedy=f"give a number from 0 to {len(table) - 1}",
        )
    error = None if options.error is None else _errors(options.error, tree, len(table))
    revisions = _revisions_by_row(
        options, tree, table
    )  # which looks at the settings, whatever is asked
    asked = list(range(len(table))) if options.row is None else [options.row]
    if options.html is not None:
        check_free(options.html, options.force)
    try:
        cases = explain_table(
            tree, table, error, options.given, smoothing=options.smoothing, revisions=revisions
        )
    except InputError as fault:
        if error is None:
            raise
        raise DataError(f"{options.error}: {fault.message}", remedy=fault.remedy) from None
    if options.html is not None:
        _write_page(options, [(row, cases[row]) for row in asked])
        return 0
    for row in asked:
        if row != asked[0]:
            print()
        print(f"row {row}\n{cases[row]}")
    return 0


def _errors(path: str, tree: Tree, n_rows: int) -> Any:
    """Errors of measurement in a file, in a form that `resolve_error` reads."""
    import numpy as np

    from hedgerow.files import read_csv
    from hedgerow.tree.input_files import ABSENT

    frame = read_csv(path, text=True, absent=ABSENT)
    if sorted(frame.columns) == ["error", "variable"]:
        errors: dict[str, Any] = {}
        for name, text in zip(frame["variable"], frame["error"], strict=True):
            if name in errors:
                raise DataError(
                    f"{path} gives two errors to {name!r}", remedy="give each variable once"
                )
            errors[name] = _number(text) if str(text).strip() else 0.0
        return errors
    if len(frame) != n_rows:
        raise DataError(
            f"{path} has {len(frame)} rows for {n_rows} cases, and not the columns 'variable' and "
            "'error'",
            remedy="give a variable and its error in each line, or a line for each case",
        )
    for name in frame.columns:
        if name not in tree.feature_names:
            raise DataError(
                f"{path}: column {name!r} is no variable of the tree",
                remedy="name the columns as those of the tree",
            )
    sd = {}
    for name in frame.columns:
        values = [_number(text) if str(text).strip() else 0.0 for text in frame[name]]
        texts = [value for value in values if isinstance(value, str)]
        if texts:
            raise DataError(
                f"{path}: column {name!r} holds {texts[0]!r}",
                remedy="write a standard deviation, or nothing where a value is exact",
            )
        sd[name] = np.array(values)
    return sd


def _number(text: str) -> float | str:
    """A number, or the text that is none."""
    try:
        return float(text)
    except ValueError:
        return str(text)


def _revisions_by_row(options: argparse.Namespace, tree: Tree, table: np.ndarray) -> Any:
    """What ConfDTree makes of a row, by its number; None for a tree without statistics."""
    from hedgerow.confidence.intervals import NodeCounts, Rules, intervals
    from hedgerow.confidence.revisions import revisions_of

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
    if tree.statistics is None:
        return None
    class_intervals = intervals(tree, NodeCounts.of_annotated(tree), rules)
    classes = list(range(tree.n_classes)) if tree.classes is None else tree.classes
    names = list(tree.feature_names or [])
    return lambda row: revisions_of(
        tree, class_intervals, table[row : row + 1], rules, options.smoothing, classes, names
    )


def _write_page(options: argparse.Namespace, cases: list) -> None:
    from hedgerow.explanation.words import html_of_rows
    from hedgerow.files import write_text

    page = (
        '<!DOCTYPE html><html lang="en"><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f"<title>Explanations</title>{html_of_rows(cases)}</html>\n"
    )
    write_text(options.html, page)
    print(f"{options.html}")
