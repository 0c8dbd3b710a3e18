"""The file that shows others why no tree is better: `check_proof.py` reads it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from hedgerow.errors import DataError
from hedgerow.optimal.check_proof import FORMAT, VERSION, ProofRejected, Table, digest
from hedgerow.optimal.gap import Gap
from hedgerow.optimal.learner import Tests

MOST_SUBSETS = 6  # as OptimalTreeClassifier has it


def proof_of(gap: Gap, core: Any, columns: list[Tests], codes: np.ndarray, content: bytes, *,
             missing: str, target: str, variables: list[str],
             categories: dict[str, list[str]]) -> str:  # fmt: skip
    """The proof of a bound as JSON.

    Parameters
    ----------
    gap : Gap
    core : RowTree or ShareTree
        That found it, with its evidence; every row weighs 1.
    columns : list of Tests
        What was searched.
    codes : (n,) int
        Class of each row.
    content : bytes
        Of the table.
    missing : {"divided", "routed"}
    target : str
        Column of the class.
    variables : list of str
        Columns that the bound is about, in the order of the search.
    categories : dict
        Name of a variable -> labels, in the order of their codes.

    Returns
    -------
    str

    Raises
    ------
    DataError
        The checker, which reads the table in its own way, finds other rows in it.
    """
    loose = any(column.divides for column in columns)
    claims = []
    for depth, drop, path, tests in core.proof():
        width = 2 if depth == 2 else 6 if loose else 4
        claims.append([depth, int(drop), path, [test[:width] for test in tests]])
    try:
        table = Table(content, variables, categories, target, missing == "routed", MOST_SUBSETS)
        reason = (
            None
            if _has_same_encoding(table, columns, codes)
            else "they differ from those that were searched"
        )
    except ProofRejected as error:
        reason = str(error)
    if reason:
        raise DataError(
            f"the checker of proofs cannot read these rows: {reason}",
            remedy="write a plain table: one line for each row, numbers with a point, no quotes",
        )
    form = {
        "format": FORMAT,
        "version": VERSION,
        "depth": gap.depth,
        "objective": gap.objective,
        "leaf_penalty": gap.leaf_penalty,
        "missing": missing,
        "most_subsets": MOST_SUBSETS,
        "rows": table.n_rows,
        "bound": core.bound,
        "data": hashlib.sha256(content).hexdigest(),
        "target": target,
        "variables": variables,
        "categories": categories,
        "claims": claims,
    }
    return json.dumps({**form, "digest": digest(form)}, separators=(",", ":")) + "\n"


def _has_same_encoding(table: Table, columns: list[Tests], codes: np.ndarray) -> bool:
    """Whether the checker made the columns and classes that were searched."""
    classes = len(np.unique(codes))
    pairs = np.unique(np.column_stack([codes, table.label]), axis=0)
    if len(table.label) != len(codes) or not classes == len(pairs) == table.n_classes:
        return False
    if not columns:
        return not table.highest.any()
    if len(columns) != len(table.rank):
        return False
    for column, rank, absent in zip(columns, table.rank, table.absent, strict=True):
        divided = np.zeros(len(rank), dtype=bool)
        if column.divides:
            divided[column.missing] = True
        if not (
            np.array_equal(divided, absent) and np.array_equal(column.rank[~absent], rank[~absent])
        ):
            return False
    return True
