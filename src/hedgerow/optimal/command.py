"""`hedgerow gap MODEL.json TABLE.csv`: how far a tree is from the best of its depth."""

from __future__ import annotations

import argparse
from typing import Any

from hedgerow.errors import DataError, InputError
from hedgerow.screen import add_force, describe

DESCRIPTION = """\
Print what a tree costs on the rows of a table, and what no tree of a depth on these
values costs less than. The model is a tree as `Tree.to_json()` writes it: of hedgerow,
of scikit-learn by `Tree.from_sklearn(...)`, or written by hand. The table has its
variables as columns, and the class. Errors of measurement are not looked at.
"""
EXAMPLES = """examples:
  hedgerow gap tree.json wine.csv
  hedgerow gap tree.json wine.csv --depth 3 --target cultivar --proof wine.proof.json
"""


def add_gap(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    describe(parser, DESCRIPTION, EXAMPLES)
    parser.set_defaults(run=run)
    parser.add_argument("model", metavar="MODEL.json", help="a tree with names of variables")
    parser.add_argument("table", metavar="TABLE.csv", help="rows with their class")
    parser.add_argument(
        "--depth", type=int, metavar="N", help="depth of the optimal trees (default: the tree's)"
    )
    parser.add_argument(
        "--target",
        metavar="COLUMN",
        help="the class (default: the column that is no variable of the tree)",
    )
    parser.add_argument(
        "--objective",
        choices=["errors", "log_loss", "gini"],
        default="errors",
        help="what a leaf costs (default: %(default)s)",
    )
    parser.add_argument(
        "--leaf-penalty",
        type=float,
        default=0.0,
        metavar="P",
        help="what each leaf costs besides, a share of the rows (default: 0)",
    )
    parser.add_argument(
        "--missing",
        choices=["divided", "routed"],
        default="divided",
        help="what the trees beside do with a missing value (default: %(default)s)",
    )
    parser.add_argument("--max-nodes", type=int, metavar="N", help="stop after so many tests")
    parser.add_argument("--time-limit", type=float, metavar="S", help="stop after so many seconds")
    parser.add_argument(
        "--proof", metavar="FILE", help="write the proof, for check_proof.py (docs/methods/optimal)"
    )
    add_force(parser, "a proof")


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
    from hedgerow.optional_imports import import_optional

    import_optional("pandas", "`hedgerow gap`")
    from hedgerow.files import check_free, read_bytes, write_text
    from hedgerow.optimal.gap import categorical_of, gap_and_core
    from hedgerow.optimal.proof import proof_of
    from hedgerow.tree.input_files import ABSENT, Rows, read_tree
    from hedgerow.tree.labels import text_of

    if options.proof is not None:
        check_free(options.proof, options.force)
    tree = read_tree(options.model)
    labels = list(range(tree.n_classes)) if tree.classes is None else tree.classes
    content = read_bytes(options.table, absent=ABSENT)
    table = Rows(options.table, tree)
    target = _target(options, table)
    codes = table.classes(target, labels)
    values = table.values(range(len(table.names)))
    unlabelled = [table.names[j] for j in categorical_of(tree) if j not in tree.categories]
    if unlabelled:
        raise DataError(
            f"{options.model}: the tree tests categories of {unlabelled[0]!r}, and does not name "
            "them",
            remedy="give them by Tree.replace(categories=...)",
        )
    gap, core, columns = gap_and_core(
        tree,
        values,
        codes,
        max_depth=tree.depth if options.depth is None else options.depth,
        objective=options.objective,
        leaf_penalty=options.leaf_penalty,
        missing=options.missing,
        max_nodes=options.max_nodes,
        time_limit=options.time_limit,
        prove=options.proof is not None,
    )
    print(gap)
    if options.proof is not None:
        named = {
            table.names[j]: [text_of(label) for label in labels]
            for j, labels in tree.categories.items()
        }
        text = proof_of(
            gap,
            core,
            columns,
            codes,
            content,
            missing=options.missing,
            target=target,
            variables=table.names,
            categories=named,
        )
        write_text(options.proof, text)
        print(f"proof: {options.proof}")
    return 0


def _target(options: argparse.Namespace, table: Any) -> str:
    """The column of the class.

    Raises
    ------
    InputError
        It is not named, and not one column alone is no variable; or it is a variable.
    """
    if options.target is not None:
        if options.target in table.names:
            raise InputError(
                f"--target {options.target}: that is a variable of the tree",
                remedy="name the column of the class",
            )
        return options.target
    others = [str(name) for name in table.frame.columns if name not in table.names]
    if len(others) != 1:
        columns = ", ".join(repr(name) for name in others[:10]) or "no column"
        raise InputError(
            f"{options.table} has {columns} beside the variables of the tree",
            remedy="name the column of the class by --target",
        )
    return others[0]
