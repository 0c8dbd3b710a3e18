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
from hedgerow.tree.export import rename_tree
from hedgerow.tree.metadata import Names

#: What no SQL holds between quotes: the end of a C string, halves of surrogate pairs.
_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")
#: Sums and products of more parts are put into parentheses: a chain of n is n deep for a parser,
#: and SQLite takes 1,000.
LONGEST = 100
#: Letters of a category that is compared as a text; SQL Server takes 30 where no number is given.
VARCHAR = 255


def to_sql(
    tree: Tree,
    table: str | Sequence[str] | None = None,
    what: str = "proba",
    keep: Sequence[str] = (),
    class_names: Names | None = None,
    feature_names: Names | None = None,
) -> str:
    """The tree as standard SQL.

    A column is a sum over leaves, a line for each: 0 where a known value keeps the row out, else
    its probability, times the share that the leaf has of each value that is missing (NULL). So
    probabilities are those of `Tree.predict_proba` with NULL in any columns. CASE in CASE
    would compare less, but SQL Server nests it ten deep, older parsers of SQLite about as much, and
    for missing values both branches would be written twice, at each level.

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
        Names are quoted, numbers written to the last bit (SQLite 3.40 reads a few as the float
        beside them). Categories are compared as texts, or as numbers where the tree knows no
        labels; one that training has not seen goes where the tree sends it. A column of categories
        that are whole numbers or truth values may be of integers, floating point, truth values,
        texts, or in SQLite of no type: values are cast to a text, and all texts of an equal value
        are listed. Variables that are tested as numbers need a column of numbers.

    Raises
    ------
    InputError
        A gate that divides rows; two columns of one name, in capitals or not; `keep` without a
        table; names that SQL cannot hold.

    Notes
    -----
    Quotes are doubled within quotes, as the standard has it. MySQL does so in the modes
    ``ANSI_QUOTES`` and ``NO_BACKSLASH_ESCAPES``, and writes CHAR where others cast to VARCHAR.

    Examples
    --------
    >>> from hedgerow import C45Classifier
    >>> X, y = [[1.0], [1.0], [3.0], [3.0]], ["ill", "ill", "well", "well"]
    >>> tree = C45Classifier().fit(X, y).tree_
    >>> print(tree.to_sql(feature_names=["mg"]))
    CASE WHEN "mg" >= 3.0E0 THEN 0.0 ELSE 1.0E0 * CASE WHEN "mg" IS NULL THEN 0.5E0 ELSE 1.0 END END
      AS "probability_ill",
    CASE WHEN "mg" < 3.0E0 THEN 0.0 ELSE 1.0E0 * CASE WHEN "mg" IS NULL THEN 0.5E0 ELSE 1.0 END END
      AS "probability_well"
    """
    check_choice("what", what, ("proba", "class"))
    check_hard(tree, "SQL")
    tree = rename_tree(tree, class_names, feature_names)
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
        columns = [prefix + _name(names[c.variable]) for c in conditions]
        for c, share in enumerate(shares[leaf].tolist()):
            if share > 0:
                terms[c].append(_term(branches, conditions, columns, approximate(share)))
    return [_chained("\n+ ", summands) if summands else "0.0" for summands in terms]


def _chained(operator: str, parts: list[str]) -> str:
    while len(parts) > LONGEST:
        groups = (parts[i : i + LONGEST] for i in range(0, len(parts), LONGEST))
        parts = [f"({operator.join(group)})" for group in groups]
    return operator.join(parts)


def _term(branches: Branches, conditions: list[Condition], columns: list[str], share: str) -> str:
    """What a leaf adds: its share, of a row that no condition keeps out.

    Comparisons with NULL are unknown and keep nothing out: missing values come after them.
    """
    out, factors = [], [share]
    for condition, column in zip(conditions, columns, strict=True):
        out += _kept_out(branches, condition, column)
        if condition.missing == 0.0:
            out.append(f"{column} IS NULL")
        elif condition.missing < 1.0:
            factors.append(
                f"CASE WHEN {column} IS NULL THEN {approximate(condition.missing)} ELSE 1.0 END"
            )
    taken = _chained(" * ", factors)
    return f"CASE WHEN {_chained(' OR ', out)} THEN 0.0 ELSE {taken} END" if out else taken


def _kept_out(branches: Branches, condition: Condition, column: str) -> list[str]:
    """When a known value does not meet a condition."""
    if isinstance(condition, Interval):
        ends = [("<", condition.lower), (">=", condition.upper)]
        return [f"{column} {sign} {approximate(end)}" for sign, end in ends if math.isfinite(end)]
    if condition.new:  # listed are those that do not meet it, else those that do
        condition = replace(condition, goes_in=tuple(not flag for flag in condition.goes_in))
    texts = branches.spelled(condition)
    if not texts:
        return [] if condition.new else [f"{column} IS NOT NULL"]
    listed = [str(v) if isinstance(v, int) else _text(v) for v in texts]
    # The text of a number or a truth value depends on the type of its column.
    if any(len(texts) > 1 for texts in branches.spellings(condition.variable).values()):
        column = f"CAST({column} AS VARCHAR({max(VARCHAR, *map(len, texts))}))"
    return [f"{column} {'IN' if condition.new else 'NOT IN'} ({', '.join(listed)})"]


def approximate(number: float) -> str:
    """A number to the last bit, as a literal that SQL reads in floating point.

    Without an exponent it would be a decimal, of whose products SQL Server keeps six digits.
    """
    digits = repr(number)
    return digits if "e" in digits else f"{digits}E0"


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
