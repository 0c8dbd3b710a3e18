"""What is doubtful of a table: its values, its gaps and the classes of its rows."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np

from hedgerow.checks import (
    as_plausibility,
    as_table,
    check_unit,
    row_numbers,
    suggesting,
    without_mask,
)
from hedgerow.errors import InputError
from hedgerow.induction.measurement import by_column, check_error_order, resolve_error
from hedgerow.optional_imports import is_frame, numbers_of, of_polars
from hedgerow.tree.gates import NoiseGate
from hedgerow.tree.table import check_row_order

#: Kinds of uncertainty that a table may carry, in the order in which they are listed.
KINDS_OF_UNCERTAINTY = ("error", "imputed", "reliability", "y_plausibility")


class Uncertain:
    """A table with what is doubtful of it, which every learner takes in the place of X.

    Each learner reads the doubts that it knows of and says in one warning which others it leaves
    aside (docs/methods/doubt.md has the table). Read-only; the table itself is kept as it is, not
    copied.

    Parameters
    ----------
    X : (n, m) array or data frame
        As every learner takes it.
    error : optional
        Errors of measurement, in any form of `hedgerow.resolve_error`.
    y_plausibility : (n, n_classes) array or data frame, optional
        Plausibility of each class of each row, in [0, 1] and above 0 for one at least. The columns
        of a data frame are the classes, and `fit` then needs no y; those of an array belong to
        `classes`, or to the sorted labels of y.
    reliability : float, dict, Series, (m,) or (n, m), optional
        How far values can be relied on, in [0, 1], for all, by column or each: 1 less the
        plausibility of every other value (`gamma_X` of E2M).
    imputed : table like X, or a sequence of such, optional
        Guesses, read where X is missing; several are draws of multiple imputation.
    classes : sequence, optional
        Labels of the columns of `y_plausibility`, where that is an array.

    Raises
    ------
    InputError
        Something of another shape than X, out of range, or for a column that X has not.

    Notes
    -----
    ``len(data)``, ``data.shape``, ``data.take(rows)`` and ``data[rows]``, with numbers of rows,
    flags or a slice, divide all parts alike: cross-validation of scikit-learn works, and so does
    any by hand.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from hedgerow import C45Classifier, Uncertain
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> votes = [[1, 0.4, 0], [0.2, 1, 0.6], [0, 0.6, 1]]  # plausible of each species
    >>> data = Uncertain(X, y_plausibility=[votes[label] for label in y])
    >>> data
    Uncertain(150 rows, 4 columns; y_plausibility)
    >>> C45Classifier().fit(data, y).predict_proba(data[:2]).round(2).tolist()
    [[0.71, 0.29, 0.0], [0.71, 0.29, 0.0]]
    """

    @suggesting
    def __init__(
        self, X, error=None, y_plausibility=None, reliability=None, imputed=None, classes=None
    ):
        X = of_polars(X)
        X = X if hasattr(X, "toarray") else _plain(X, "X")
        if len(np.shape(X)) != 2 or 0 in X.shape:
            raise InputError(
                f"X has the shape {np.shape(X)}",
                remedy="give at least one row and one column, (n, m)",
            )
        names = [str(name) for name in X.columns] if is_frame(X) else []
        self._hold(
            X=X,
            error=without_mask(of_polars(error)),
            y_plausibility=None,
            reliability=None,
            imputed=None,
            classes=None,
        )
        check_error_order(self.error, X)
        self.gate()  # refuses what is no error
        if y_plausibility is not None:
            y_plausibility = of_polars(y_plausibility)
            check_row_order("y_plausibility", y_plausibility, X)
            plausible, named = _of_classes(y_plausibility, classes, len(self))
            self._hold(y_plausibility=plausible, classes=named)
        elif classes is not None:
            raise InputError(
                "classes are given, and no plausibility of them",
                remedy="give y_plausibility, or leave them out",
            )
        if reliability is not None:
            reliability = of_polars(reliability)
            check_row_order("reliability", reliability, X)
            self._hold(reliability=_of_values(reliability, self.shape, names))
        if imputed is not None:
            self._hold(imputed=_tables(imputed, self.shape))
            for table in self.imputed or ():
                check_row_order("imputed", table, X)

    ndim = 2
    X: Any
    error: Any
    y_plausibility: np.ndarray | None
    reliability: np.ndarray | None
    imputed: tuple | None
    classes: np.ndarray | None

    def _hold(self, **parts: Any) -> None:
        for name, part in parts.items():
            if name in ("y_plausibility", "reliability", "classes") and part is not None:
                part.setflags(write=False)
            self.__dict__[name] = part

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"{name} of uncertain data is read-only: make others")

    def __delattr__(self, name: str) -> None:
        self.__setattr__(name, None)

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._hold(**state)  # copies of arrays are read-only as well

    # -- parts ------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of rows and of columns."""
        return self.X.shape

    def __len__(self) -> int:
        return self.X.shape[0]

    def __getitem__(self, rows: Any) -> Uncertain:
        """`take`, and slices: as scikit-learn's cross validation divides a table."""
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is Ellipsis:
            rows = rows[0]
        return self.take(np.arange(len(self))[rows] if isinstance(rows, slice) else rows)

    def take(self, rows: Any) -> Uncertain:
        """The rows of these numbers, or where flags are true, with all their uncertainty."""
        rows = row_numbers(rows, len(self))
        part = object.__new__(Uncertain)
        reliability, imputed = self.reliability, self.imputed
        part._hold(
            X=_rows_of(self.X, rows),
            error=_errors_of(self.error, rows),
            y_plausibility=None if self.y_plausibility is None else self.y_plausibility[rows],
            reliability=reliability
            if reliability is None or reliability.ndim < 2
            else reliability[rows],
            imputed=None if imputed is None else tuple(_rows_of(each, rows) for each in imputed),
            classes=self.classes,
        )
        return part

    def only(self, names: Collection[str]) -> Uncertain:
        """The same table with these doubts, by their names in `given`, and no others."""
        part = object.__new__(Uncertain)
        uncertainties = {
            name: getattr(self, name) if name in names else None for name in KINDS_OF_UNCERTAINTY
        }
        classes = self.classes if "y_plausibility" in names else None
        part._hold(X=self.X, classes=classes, **uncertainties)
        return part

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        raise InputError(
            "uncertain data are no table of numbers",
            remedy="give them to a learner of hedgerow, or their table, which is their X",
        )

    def __repr__(self) -> str:
        rows, columns = self.shape
        what = f"{rows} row{'s' * (rows != 1)}, {columns} column{'s' * (columns != 1)}"
        return f"Uncertain({what}; {', '.join(self.given) or 'nothing in doubt'})"

    @property
    def given(self) -> tuple[str, ...]:
        """Names of the kinds of uncertainty that are given with the table."""
        return tuple(name for name in KINDS_OF_UNCERTAINTY if getattr(self, name) is not None)

    # -- as learners read them -----------------------------------------------------------------

    def gate(self) -> NoiseGate | None:
        """The errors, as a gate; None: there are none."""
        frame = is_frame(self.X)
        kinds = self.X.dtypes if frame else [None] * self.X.shape[1]
        n_categories = np.array([int(str(kind) == "category") for kind in kinds])
        names = [str(name) for name in self.X.columns] if frame else []
        return resolve_error(self.error, n_categories, names, n_rows=len(self))

    @property
    def gamma(self) -> np.ndarray | float:
        """Plausibility of every other value than that in the table: 1 less its reliability."""
        return 0.0 if self.reliability is None else 1.0 - self.reliability

    def classes_of(self, y: np.ndarray | None) -> tuple[np.ndarray, np.ndarray] | None:
        """Classes, sorted, and how plausible each is of each row, (n, n_classes).

        y : (n,) array of labels, or None; read where the classes have no labels of their own.
        None where no plausibilities of the classes are given.
        """
        if self.y_plausibility is None:
            return None
        if self.classes is None:
            if y is None:
                raise InputError(
                    "y_plausibility is an array, whose columns have no labels",
                    remedy="give y, or classes beside it, or a data frame whose columns they are",
                )
            labels = np.unique(y)
            if len(labels) != self.y_plausibility.shape[1]:
                raise InputError(
                    f"y_plausibility has {self.y_plausibility.shape[1]} columns and y "
                    f"{len(labels)} classes",
                    remedy="give the labels of all columns as classes",
                )
            return labels, self.y_plausibility
        order = np.argsort(self.classes, kind="stable")
        labels = self.classes[order]
        if y is not None:
            unknown = [label for label in np.unique(y).tolist() if label not in labels.tolist()]
            if unknown:
                raise InputError(
                    f"y holds {unknown[0]!r}, which is no class of {labels.tolist()!r}",
                    remedy="name every label in y_plausibility, or leave y out",
                )
        return labels, self.y_plausibility[:, order]

    def likeliest(self) -> np.ndarray | None:
        """The most plausible class of each row (ties: the first), (n,); None without labels."""
        if self.classes is None or self.y_plausibility is None:
            return None
        labels, plausible = self.classes_of(None)  # type: ignore[misc]
        return labels[plausible.argmax(axis=1)]


@dataclass(frozen=True)
class Fractions:
    """Rows whose class is doubtful, as several rows of one class each.

    Attributes
    ----------
    rows : (n_parts,) int
        Number of the row that each is a part of, ascending.
    share : (n_parts,) float64
        How much of its row it is; those of a row add up to 1.
    weight : (n,) float64
        Of the rows.
    by_class : (n_classes,) float64
        What a part of each class counts besides (`class_weight`).
    """

    rows: np.ndarray
    share: np.ndarray
    weight: np.ndarray
    by_class: np.ndarray

    @property
    def first(self) -> np.ndarray:
        """A part of each row, (n,) int."""
        return np.flatnonzero(np.diff(self.rows, prepend=-1))


def fractions_of(plausible: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Row, class and share of each part, (n_parts,) each: plausibilities scaled to add up to 1."""
    shares = plausible / plausible.sum(axis=1, keepdims=True)
    rows, codes = np.nonzero(shares)
    return rows, codes, shares[rows, codes]


# -- parts of the constructor ---------------------------------------------------------------


def _of_classes(given: Any, classes: Any, n: int) -> tuple[np.ndarray, np.ndarray | None]:
    """Plausibilities, (n, n_classes), and labels of their columns where they have some."""
    if is_frame(given):
        if classes is not None:
            raise InputError(
                "classes are given beside a data frame, whose columns they are",
                remedy="leave them out",
            )
        classes = list(given.columns)
        given = np.column_stack(_columns(given, "y_plausibility")) if classes else None
    plausible = as_plausibility(given, "y_plausibility")
    if len(plausible) != n:
        raise InputError(
            f"y_plausibility has {len(plausible)} rows and X {n}", remedy="give one row per row"
        )
    if classes is None:
        return plausible, None
    try:
        labels = np.array(classes)
        different = labels.ndim == 1 and len(np.unique(labels)) == len(labels)
        # Numbers beside texts would become texts, which they are not in y.
        different &= labels.dtype.kind not in "US" or all(
            isinstance(c, str | bytes) for c in classes
        )
    except (TypeError, ValueError):
        different = False
    if not different or len(labels) != plausible.shape[1]:
        shown = list(classes) if np.iterable(classes) else classes
        raise InputError(
            f"classes of y_plausibility are {shown!r} for {plausible.shape[1]} columns",
            remedy="give a label of one kind for each column, each once",
        )
    return plausible, labels


def _of_values(given: Any, shape: tuple[int, int], names: Sequence[str]) -> np.ndarray:
    """Reliability of all values, of each column or of each value."""
    if is_frame(given):
        by_name = dict(zip(given.columns, _columns(given, "reliability"), strict=True))
        columns = by_column(by_name, shape[1], names, "reliability", absent=1.0)
        if len(given) != shape[0]:
            raise InputError(
                f"reliability has {len(given)} rows and X {shape[0]}", remedy="give one row per row"
            )
        given = np.column_stack([np.broadcast_to(column, shape[0]) for column in columns])
    else:
        given = by_column(given, shape[1], names, "reliability", absent=1.0)
    values = as_table("reliability", given, shape, "number, nor one for each column or value")
    check_unit("reliability", values)
    return values if np.ndim(given) == 2 else values[0].copy()


def _tables(given: Any, shape: tuple[int, int]) -> tuple:
    """Tables of guesses, one for each draw."""
    several = isinstance(given, list | tuple) and len(given) and len(np.shape(given[0])) == 2
    given = given if several else _plain(of_polars(given), "imputed")
    several = several or len(np.shape(given)) == 3
    tables = tuple(_plain(of_polars(each), "imputed") for each in (given if several else [given]))
    for table in tables:
        if np.shape(table) != shape:
            raise InputError(
                f"imputed has the shape {np.shape(table)} and X {shape}",
                remedy="give a table like X, or several of them",
            )
    return tables


def _plain(table: Any, name: str) -> Any:
    try:
        return table if is_frame(table) else np.asarray(without_mask(table))
    except ValueError:  # rows of different lengths
        raise InputError(f"{name} is no table", remedy="give one row per instance") from None


def _columns(frame: Any, name: str) -> list[np.ndarray]:
    """Columns of a data frame as numbers."""
    try:
        return [numbers_of(frame.iloc[:, j]) for j in range(frame.shape[1])]
    except (TypeError, ValueError):
        raise InputError(
            f"{name} holds something that is no real number", remedy="give numbers in [0, 1]"
        ) from None


# -- parts by row ---------------------------------------------------------------------------


def _rows_of(table: Any, rows: np.ndarray) -> Any:
    return table.iloc[rows] if is_frame(table) else table[rows]


def _errors_of(error: Any, rows: np.ndarray) -> Any:
    """Errors of these rows, in the form in which they were given."""
    if is_frame(error) or (isinstance(error, np.ndarray) and error.ndim == 2):
        return _rows_of(error, rows)
    if isinstance(error, Mapping) or hasattr(error, "items"):
        return {column: _entry_of(entry, rows) for column, entry in error.items()}
    by_column = isinstance(error, Sequence) and not isinstance(error, str)
    if by_column or (isinstance(error, np.ndarray) and error.ndim):
        return [_entry_of(entry, rows) for entry in error]
    return error


def _entry_of(entry: Any, rows: np.ndarray) -> Any:
    """Of one column: errors by row are a list of numbers, all other forms hold for every row."""
    if entry is None or isinstance(entry, str | Real) or hasattr(entry, "cdf"):
        return entry
    entry = np.asarray(without_mask(entry), dtype=np.float64)
    return entry[rows] if entry.ndim else entry
