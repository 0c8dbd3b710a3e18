"""A tree as SQL, so that a database answers where its rows are."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import replace

from hedgerow.checks import check_choice
from hedgerow.errors import InputError
from hedgerow.exchange.branches import (
    Branches,
    Condition,
    Interval,
    check_different,
    check_hard,
    labels_of,
    names_of_tested,
)
from hedgerow.tree import Tree
from hedgerow.tree.export import named

#: What no SQL holds between quotes: the end of a C string, halves of surrogate pairs.
_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")
#: Sums and products of more parts are put into parentheses: a chain of n is n deep for a parser,
#: and SQLite takes 1,000.
LONGEST = 100


def to_sql(
    tree: Tree,
    table: str | Sequence[str] | None = None,
    what: str = "proba",
    keep: Sequence[str] = (),
    class_names: Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
) -> str:
    """The tree as standard SQL.

    A column is a sum over leaves, a line for each: its probability, times 1 or 0 for each variable
    on its way, as a flat CASE. NULL is missing, and takes the share that the leaf has of missing
    values there, so that probabilities are those of `Tree.predict_proba` with NULL in any columns.
    CASE in CASE would be shorter in evaluation, but SQL Server allows ten levels, older parsers of
    SQLite about as many, and both branches of a missing value would double the text at each.

    Parameters
    ----------
    tree : Tree
        Without a gate that divides rows.
    table : str or sequence of str, optional
        Name of the table; ``("schema", "table")`` where it has more than one part. With it the
        text is a whole SELECT, without it only the expressions of one.
    what : {"proba", "class"}
        A column ``probability_<class>`` for each class; or the column ``class``, the likeliest one
        (the lower at a tie), a text or, where all labels are whole numbers, a number.
    keep : sequence of str
        Columns of the table that are selected as well, such as its key.
    class_names, feature_names
        As in `Tree.to_text`; the latter are the names of the columns.

    Returns
    -------
    str
        Names are quoted, thresholds exact (SQLite before 3.43 reads one in some hundreds as
        the float beside it). Categories are compared as texts, or as numbers where the tree knows
        no labels; one that training has not seen goes where the tree sends it.

    Raises
    ------
    InputError
        A gate that divides rows; two columns of one name, in capitals or not; `keep` without a
        table; names that SQL cannot hold.

    Notes
    -----
    Quotes are doubled within quotes, as the standard has it. MySQL does so in the modes
    ``ANSI_QUOTES`` and ``NO_BACKSLASH_ESCAPES``.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hedgerow import C45Classifier
    >>> iris = load_iris()
    >>> tree = C45Classifier(max_depth=1).fit(iris.data, iris.target).tree_
    >>> names = ["sl", "sw", "pl", "pw"]
    >>> print(tree.to_sql(feature_names=names, class_names=iris.target_names))
    1.0 * CASE WHEN "pl" < 3.0 THEN 1.0 WHEN "pl" IS NULL THEN 0.3333333333333333 ELSE 0.0 END
      AS "probability_setosa",
    0.5 * CASE WHEN "pl" >= 3.0 THEN 1.0 WHEN "pl" IS NULL THEN 0.6666666666666667 ELSE 0.0 END
      AS "probability_versicolor",
    0.5 * CASE WHEN "pl" >= 3.0 THEN 1.0 WHEN "pl" IS NULL THEN 0.6666666666666667 ELSE 0.0 END
      AS "probability_virginica"
    """
    check_choice("what", what, ("proba", "class"))
    check_hard(tree, "SQL")
    tree = named(tree, class_names, feature_names)
    parts = [] if table is None else _parts("table", table, 1)
    kept = _parts("keep", keep)
    if kept and not parts:
        raise InputError("keep names columns of no table", remedy="give the name of the table, too")
    labels = labels_of(tree)
    columns = [f"probability_{label}" for label in labels] if what == "proba" else ["class"]
    if what == "class" and parts:
        inner = [f"probability_{c}" for c in range(len(labels))]
    else:
        inner = columns
    for names in ([*kept, *columns], [*kept, *inner]):
        check_different(
            "columns",
            (name.casefold() for name in names),  # as databases compare them
            "give `class_names` that differ, and keep other columns",
        )
    sums = _sums(tree, f"{_name(parts[-1])}." if parts else "")
    if not parts:
        if what == "class":
            sums = [_likeliest([f"({each})" for each in sums], labels)]
        return _selected(sums, columns)
    source = ".".join(map(_name, parts))
    head = [f"{_name(parts[-1])}.{_name(name)} AS {_name(name)}" for name in kept]
    select = "SELECT\n" + ",\n".join([*head, _selected(sums, inner)]) + f"\nFROM {source}"
    if what == "proba":
        return select
    answer = _likeliest([_name(name) for name in inner], labels)
    outer = ",\n".join([*map(_name, kept), _selected([answer], columns)])
    return f"SELECT\n{outer}\nFROM (\n{select}\n) AS {_name('probabilities')}"


def _parts(name: str, given: str | Sequence[str], least: int = 0) -> list[str]:
    parts = [given] if isinstance(given, str) else given
    if (
        not isinstance(parts, Sequence)
        or len(parts) < least
        or not all(isinstance(part, str) and part for part in parts)
    ):
        raise InputError(f"{name} is {given!r}", remedy="give names, each of them a text")
    return list(parts)


def _sums(tree: Tree, prefix: str) -> list[str]:
    """An expression for each class: its probability."""
    names = names_of_tested(tree)
    shares = tree.probabilities()
    branches = Branches(tree, tree.gate)
    terms: list[list[str]] = [[] for _ in range(tree.n_classes)]
    for leaf, conditions in branches.leaves():
        factors = [_factor(branches, c, prefix + _name(names[c.variable])) for c in conditions]
        for c, share in enumerate(shares[leaf].tolist()):
            if share > 0:
                terms[c].append(_chained(" * ", [repr(share), *factors]))
    return [_chained("\n+ ", own) if own else "0.0" for own in terms]


def _chained(operator: str, parts: list[str]) -> str:
    while len(parts) > LONGEST:
        groups = (parts[i : i + LONGEST] for i in range(0, len(parts), LONGEST))
        parts = [f"({operator.join(group)})" for group in groups]
    return operator.join(parts)


def _factor(branches: Branches, condition: Condition, column: str) -> str:
    """How much of a row a leaf takes, as far as one variable decides."""
    taken, otherwise = "1.0", "0.0"
    if isinstance(condition, Interval):
        ends = [(">=", condition.lower), ("<", condition.upper)]
        met = " AND ".join(f"{column} {sign} {end!r}" for sign, end in ends if math.isfinite(end))
    else:
        # Those that are not listed do as new ones do.
        if condition.new:
            taken, otherwise = otherwise, taken
            condition = replace(condition, known=tuple(not known for known in condition.known))
        listed = [str(v) if isinstance(v, int) else _text(v) for v in branches.taken(condition)]
        met = f"{column} IN ({', '.join(listed)})" if listed else ""
    cases = [(met, taken)] if met else []
    cases.append((f"{column} IS NULL", repr(condition.missing)))
    return " ".join(["CASE", *(f"WHEN {a} THEN {b}" for a, b in cases), f"ELSE {otherwise} END"])


def _likeliest(values: list[str], labels: list) -> str:
    """The label of the largest value, the first at a tie.

    The first that none of the later ones exceeds: an earlier one would exceed it only if it had
    met the same itself.
    """
    whole = all(isinstance(label, int) and not isinstance(label, bool) for label in labels)
    words = [str(int(label)) if whole else _text(str(label)) for label in labels]
    if len(labels) == 1:
        return words[0]
    cases = []
    for c, value in enumerate(values[:-1]):
        met = _chained(" AND ", [f"{value} >= {later}" for later in values[c + 1 :]])
        cases.append(f"WHEN {met} THEN {words[c]}")
    return "\n".join(["CASE", *cases, f"ELSE {words[-1]} END"])


def _selected(expressions: list[str], columns: list[str]) -> str:
    pairs = zip(expressions, columns, strict=True)
    return ",\n".join(f"{expression}\n  AS {_name(column)}" for expression, column in pairs)


def _name(text: str) -> str:
    return _quoted(text, '"')


def _text(text: str) -> str:
    return _quoted(text, "'")


def _quoted(text: str, quote: str) -> str:
    if _UNWRITABLE.search(text):
        raise InputError(
            f"the name {text!r} holds a character that SQL cannot",
            remedy="give other `class_names` or `feature_names`, or name categories otherwise",
        )
    return quote + text.replace(quote, quote * 2) + quote
