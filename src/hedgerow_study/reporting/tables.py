"""What tables of the reports share: averages, status of sets, captions, order of rows, p-values."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

#: In the column `dataset` of a row that is an average over data sets.
MEAN = "mean_over_datasets"


def status(dataset: str, at_hand: Collection[str], asked: Collection[str]) -> str:
    """What became of a data set of a paper.

    >>> status("pima", at_hand=["wdbc"], asked=["pima", "wdbc"])
    'absent'
    """
    if dataset in at_hand:
        return "run"
    return "absent" if dataset in asked else "not asked for"


def how_many(n: int, noun: str) -> str:
    """A number of things.

    >>> how_many(1, "repeat"), how_many(3, "repeat")
    ('1 repeat', '3 repeats')
    """
    return f"{n} {noun}{'s' if n > 1 else ''}"


def ran(
    at_hand: Iterable[str],
    asked: Iterable[str],
    each: str,
    configuration: str,
    between: str = ", ",
) -> str:
    """Of a caption: which data sets were run and how, and which are absent.

    >>> ran(["pima"], ["pima", "wdbc"], "2 repeats", "smoke")
    'Run: pima, 2 repeats each, configuration smoke. Absent, because no source answered: wdbc.'
    """
    at_hand = sorted(at_hand)
    text = f"Run: {', '.join(at_hand) or 'no data set'}{between}{each} each, "
    text += f"configuration {configuration}."
    absent = sorted(set(asked) - set(at_hand))
    return text + f" Absent, because no source answered: {', '.join(absent)}." * bool(absent)


def in_rows(table: pd.DataFrame, order: Mapping[str, Sequence | None]) -> pd.DataFrame:
    """A table whose rows are sorted by columns, the first column first.

    order: column to its values in their order, or to None for a column that is sorted by its
        values.
    """
    rank = pd.DataFrame(
        {
            column: table[column] if names is None else table[column].map(list(names).index)
            for column, names in order.items()
        }
    )
    rank = rank.sort_values(list(order), kind="stable")
    return table.loc[rank.index].reset_index(drop=True)


def lines_of(
    printed: Iterable[str], names: Mapping[str, str | Sequence[str]], asked: Iterable[str]
) -> list[tuple[str, str]]:
    """Printed and registry key of each line: those of a paper in its order, then others by name.

    names: registry keys of the printed ones. A set that is not in the registry has an empty key.

    >>> lines_of(["a", "b"], {"a": ("one", "two")}, ["two", "own"])
    [('a', 'one'), ('a', 'two'), ('b', ''), ('own', 'own')]
    """
    lines = []
    for key in dict.fromkeys(printed):
        registry_keys = names.get(key, ("",))
        lines += [
            (key, name)
            for name in ([registry_keys] if isinstance(registry_keys, str) else registry_keys)
        ]
    theirs = {name for _, name in lines}
    return lines + [(name, name) for name in sorted(set(asked) - theirs)]


def heads_of(
    printed: Iterable[str], at_hand: Collection[str], plan: Any
) -> Iterator[dict[str, str]]:
    """Printed and registry key of each line (`lines_of`), and its status.

    plan: with `printed`, registry keys of the printed ones, and `datasets`, those asked for.
    """
    for key, name in lines_of(printed, plan.printed, plan.datasets):
        state = status(name, at_hand, plan.datasets) if name else "absent"
        yield {"dataset": key, "registry": name, "status": state}


def finished(
    lines: Sequence[Any],
    columns: Sequence[str],
    numbers: Iterable[str] = (),
    counts: Iterable[str] = (),
    digits: int = 9,
) -> pd.DataFrame:
    """A table of these columns, its numbers rounded; counts may be missing."""
    table = pd.DataFrame(lines).reindex(columns=list(columns))
    for name in numbers:
        table[name] = pd.to_numeric(table[name]).astype(float).round(digits)
    return table.astype(dict.fromkeys(counts, "Int64"))


def p_columns(
    tests: pd.DataFrame, key: Sequence[str], names: Mapping[tuple[str, ...], str], by: Sequence[str]
) -> pd.DataFrame:
    """p-values of tests, one row per cell."""
    columns = {}
    for values, name in names.items():
        chosen = pd.Series(True, index=tests.index)
        for column, value in zip(by, values, strict=True):
            chosen &= tests[column] == value
        columns[name] = tests[chosen].set_index(list(key))["p"]
    return pd.concat(columns, axis=1).rename_axis(list(key)).reset_index()
