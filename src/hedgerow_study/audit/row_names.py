"""Rows of the tables of the reports by name: `thesis_table_3_4:haberman,stp,accuracy,.1`.

Before the colon stands the id of a table, behind it what tells the row apart, in any order: texts
and numbers of its key columns, or `#12` for the twelfth row. The key of a table is its first
columns, as many as no two rows share.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.errors import DataError
from hedgerow.files import read_csv
from hedgerow.texts import did_you_mean

if TYPE_CHECKING:
    import pandas as pd

TABLES = Path("reports/tables")


@dataclass(frozen=True)
class Row:
    """A row of a table.

    Attributes
    ----------
    table : str
        Id.
    number : int
        The first row under the head is 1.
    key : dict
        Columns that tell it apart, and what stands in them; nothing for empty cells.
    values : dict
        All other columns.
    """

    table: str
    number: int
    key: dict[str, Any]
    values: dict[str, Any]

    @property
    def path(self) -> Path:
        """File of the table, relative to the project."""
        return TABLES / f"{self.table}.csv"


def find_row(root: Path, name: str) -> Row:
    """The row of a name."""
    table, _, words = name.partition(":")
    path = root / TABLES / f"{table}.csv"
    if not path.is_file():
        tables = sorted(file.stem for file in (root / TABLES).glob("*.csv"))
        raise DataError(
            f"there is no table `{table}` in {TABLES}",
            remedy=did_you_mean(table, tables, "call `make reproduce`", most=3),
        )
    frame = read_csv(path)
    key = key_columns(frame)
    wanted = [word.strip() for word in words.split(",") if word.strip()]
    if not wanted:
        raise DataError(
            f"`{name}` names no row of {table}",
            remedy=f"write what tells it apart: {table}:{','.join(_of(frame, key, 0))}",
        )
    rows = list(range(len(frame)))
    for word in wanted:
        left = [i for i in rows if _has(frame, key, i, word)]
        if not left:
            raise DataError(
                f"no row of {table} has `{word}`{_other_words(wanted, word)} in {', '.join(key)}",
                remedy=_choices(frame.iloc[rows], key, word),
            )
        rows = left
    if len(rows) > 1:
        apart = [c for c in key if frame[c].iloc[rows].nunique(dropna=False) > 1]
        choices = "; ".join(f"{c} {_list_values(frame[c].iloc[rows])}" for c in apart)
        raise DataError(f"{len(rows)} rows of {table} fit `{words}`", remedy=f"say more: {choices}")
    (place,) = rows
    record = frame.iloc[place].to_dict()
    filled = {column: value for column, value in record.items() if not _empty(value)}
    return Row(
        table,
        place + 1,
        {c: filled[c] for c in key if c in filled},
        {c: v for c, v in filled.items() if c not in key},
    )


def key_columns(frame: pd.DataFrame) -> list[str]:
    """The first columns of a table, as many as no two rows share; all, if two rows are the same."""
    columns = list(frame.columns)
    for n in range(1, len(columns)):
        if not frame.duplicated(columns[:n]).any():
            return columns[:n]
    return columns


def same(value: Any, word: Any) -> bool:
    """Whether a value is what a word says: as text, or as a number.

    >>> same(0.1, ".1"), same("STP", "stp"), same(True, "1")
    (True, True, False)
    """
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return str(value).lower() == str(word).lower()
    if isinstance(value, str):
        return value.lower() == str(word).lower()
    try:
        return float(value) == float(word)
    except (TypeError, ValueError):
        return False


def _has(frame: pd.DataFrame, key: list[str], place: int, word: str) -> bool:
    if word.startswith("#"):
        return word == f"#{place + 1}"
    # A paper calls a data set otherwise than the registry does.
    columns = [*key, *({"registry", "dataset"} & set(frame.columns) - set(key))]
    return any(same(frame[column].iat[place], word) for column in columns)


def _empty(value: Any) -> bool:
    return value is None or value != value


def _of(frame: pd.DataFrame, key: list[str], place: int) -> list[str]:
    values = [frame[column].iat[place] for column in key]
    return [str(value) for value in values if not _empty(value)]


def _other_words(wanted: list[str], word: str) -> str:
    before = wanted[: wanted.index(word)]
    return f" beside {', '.join(f'`{w}`' for w in before)}" if before else ""


def _choices(frame: pd.DataFrame, key: list[str], word: str) -> str:
    values = {str(v) for column in key for v in frame[column].unique() if not _empty(v)}
    listed = "; ".join(f"{column}: {_list_values(frame[column])}" for column in key)
    return did_you_mean(word, sorted(values), listed, most=3)


def _list_values(column: pd.Series, most: int = 8) -> str:
    values = [str(v) for v in dict.fromkeys(column) if not _empty(v)]
    more = f" and {len(values) - most} more" if len(values) > most else ""
    return ", ".join(values[:most]) + more
