"""Evidential data: what is plausible of each attribute and of the class of each instance."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hedgerow.checks import as_plausibility, as_table, check_unit, row_numbers, without_mask
from hedgerow.errors import DataError, HedgerowWarning, InputError
from hedgerow.evidential.contour import all_rectangles, bounds_of, check_alone
from hedgerow.optional_imports import import_optional, is_frame
from hedgerow.tree.metadata import names_of
from hedgerow.tree.table import check_row_order, column_numbers, in_order

if TYPE_CHECKING:
    from hedgerow.induction.uncertain_table import Uncertain

FORMAT = "hedgerow-evidential-data"
VERSION = 2  # 1 had no masses
SUM = 1e-9  # by which masses may miss 1
SETS = (set, frozenset, list, tuple)


class EvidentialData:
    """Instances whose attributes and class are known by contour functions.

    A contour function gives each value its plausibility, 1 where it is fully possible and 0 where
    it is excluded. That of a number is 1 from `low` to `high`, both included, and `gamma` outside;
    a category has one of its own. Made by `from_gamma`, `from_intervals`, `from_plausibility` and
    `from_masses`; read-only.

    Attributes
    ----------
    low, high, gamma : (n, m) float64
        Of numeric attributes; minus and plus infinity where nothing is known, NaN in those with
        categories.
    possible : dict
        Attribute with categories -> (n, n_categories) float64 plausibilities, the largest of a
        row 1.
    plausibility : (n, n_classes) float64
        Of the classes; all 1 where nothing is known.
    alone : (n, n_classes) float64, or None
        Mass m({k}) of each class alone, where masses are known. The error rate reads it.
    classes : (n_classes,) array
        Labels, in the order of the columns of `plausibility`.
    feature_names : list of str, or None
    categories : dict
        Attribute -> labels of its categories.

    Examples
    --------
    >>> data = EvidentialData.from_gamma([[1.0], [4.0]], ["no", "yes"], 0.2, [0.0, 0.5])
    >>> data
    EvidentialData(2 rows, 1 attribute, 2 classes)
    >>> data.plausibility
    array([[1. , 0. ],
           [0.5, 1. ]])
    """

    def __init__(
        self,
        low: np.ndarray,
        high: np.ndarray,
        gamma: np.ndarray,
        possible: dict[int, np.ndarray],
        plausibility: np.ndarray,
        classes: np.ndarray,
        feature_names: list[str] | None,
        categories: dict[int, list[str]],
        alone: np.ndarray | None = None,
    ):
        self.low, self.high, self.gamma = low, high, gamma
        self.possible, self.plausibility, self.classes = possible, plausibility, classes
        self.feature_names, self.categories = feature_names, categories
        self.alone = alone
        for array in (low, high, gamma, plausibility, alone, *possible.values()):
            if array is not None:
                array.setflags(write=False)

    # -- from what people have ------------------------------------------------------------

    @classmethod
    def from_gamma(
        cls, X, y=None, gamma_X=0.0, gamma_y=0.0, *, classes=None, categories=None
    ) -> EvidentialData:
        """Values and classes that are right but for a doubt: plausibility 1, and gamma elsewhere.

        Parameters
        ----------
        X : (n, m) array or data frame
            Numbers and pandas categoricals; NaN is vacuous: nothing is known.
        y : (n,) sequence, optional
            Labels; a set, list or tuple of labels stands for any of them, None or NaN for all.
            Without it nothing is known of the class.
        gamma_X : float, (m,), (n, 1) or (n, m), default 0
            Plausibility of every other value, in [0, 1]; 0 is plain data, 1 is vacuous.
        gamma_y : float or (n,), default 0
            The same of every other class.
        classes : sequence, optional
            All labels, in the order that predictions count them; by default those of y, sorted.
        categories : mapping, optional
            Number or name of an attribute of an array -> labels of its categories; X holds
            their codes 0, 1, ...

        Returns
        -------
        EvidentialData

        Raises
        ------
        InputError
            Gamma outside [0, 1], infinite values, codes without a label, labels that are no class.
        """
        check_rows_alike(X, y=y, gamma_y=gamma_y)
        low, names, labels = _numbers(X, categories)
        gamma_X = gamma_of(gamma_X, names, X)
        return cls._from_bounds(low, low, names, labels, {}, y, gamma_X, gamma_y, classes)

    @classmethod
    def from_intervals(
        cls, low, high, y=None, gamma_X=0.0, gamma_y=0.0, *, sets=None, classes=None
    ) -> EvidentialData:
        """Values known to lie between two bounds, and categories known to be one of a set.

        Parameters
        ----------
        low, high : (n, m) array or data frame
            Bounds, both included; NaN or infinite: none on that side.
        sets : mapping, optional
            Number or name of an attribute -> n collections of labels, of which one is the
            category; None or an empty one is vacuous. Its bounds are not read.
        y, gamma_X, gamma_y, classes
            As in `from_gamma`; gamma is the plausibility outside the bounds or the set.

        Returns
        -------
        EvidentialData

        Raises
        ------
        InputError
            A lower bound above the upper one, tables of different shape, and as `from_gamma`.
        """
        check_row_order("high", high, low, "low")
        for name, values in (("y", y), ("gamma_y", gamma_y)):
            check_row_order(name, values, low, "low")
        for entry, one in (sets or {}).items():
            check_row_order(f"sets[{entry!r}]", one, low, "low")
        if is_frame(low):
            gamma_X = gamma_of(gamma_X, [str(name) for name in low.columns], low)
            high = in_order("high", high, list(low.columns)) if is_frame(high) else high
        low, names, coded = _numbers(low, None, infinite=True)
        high, _, more_coded = _numbers(high, None, infinite=True)
        if low.shape != high.shape:
            raise InputError(
                f"low has the shape {low.shape} and high {high.shape}",
                remedy="give two bounds for each value",
            )
        possible, labels = {}, {}
        for entry, given in (sets or {}).items():
            j = _number_of(entry, low.shape[1], names, "sets")
            labels[j], possible[j] = _sets(given, len(low), entry)
        for j in sorted(set(coded) | set(more_coded)):
            if j not in labels:
                raise InputError(
                    f"column {_name(names, j)} is a categorical, which has no bounds",
                    remedy="give its categories as `sets`",
                )
        return cls._from_bounds(low, high, names, labels, possible, y, gamma_X, gamma_y, classes)

    @classmethod
    def from_plausibility(
        cls, X, plausibility, classes=None, gamma_X=0.0, *, attributes=None, categories=None
    ) -> EvidentialData:
        """Classes known by the plausibility of each, such as soft labels or votes.

        Parameters
        ----------
        X : (n, m) array, data frame or EvidentialData
            As in `from_gamma`; evidential data give their attributes.
        plausibility : (n, n_classes) float
            In [0, 1]; no row is 0 throughout.
        classes : sequence, optional
            Labels of its columns; by default 0, 1, ..., or those of a data frame, which are taken
            by their names.
        gamma_X : as in `from_gamma`
        attributes : mapping, optional
            Number or name of an attribute with categories -> (n, n_categories) plausibilities,
            in the place of what X says of it. Each row is scaled so that its largest is 1.
        categories : as in `from_gamma`

        Returns
        -------
        EvidentialData

        Raises
        ------
        InputError
            Plausibilities outside [0, 1] or 0 throughout a row, and as `from_gamma`.
        """
        if not isinstance(X, EvidentialData):
            check_rows_alike(X, plausibility=plausibility)
            for entry, given in (attributes or {}).items():
                check_row_order(f"attributes[{entry!r}]", given, X)
            X = cls.from_gamma(X, None, gamma_X, classes=[0], categories=categories)
        possible, labels = dict(X.possible), dict(X.categories)
        low, high, gamma = X.low.copy(), X.high.copy(), X.gamma.copy()
        for entry, given in (attributes or {}).items():
            j = _number_of(entry, X.n_features, X.feature_names, "attributes")
            what = f"the plausibility of attribute {entry!r}"
            column_labels = labels.get(j)
            if column_labels is None and is_frame(given):
                column_labels = labels[j] = [str(label) for label in given.columns]
                _check_different(column_labels, _name(X.feature_names, j))
            given = given if column_labels is None else in_order(what, given, column_labels)
            table = as_plausibility(given, what)
            _same_rows(table, X.n_rows, what)
            possible[j] = table / table.max(axis=1, keepdims=True)
            if len(labels.get(j, ())) != table.shape[1]:
                labels[j] = [str(code) for code in range(table.shape[1])]
            low[:, j] = high[:, j] = gamma[:, j] = np.nan
        if is_frame(plausibility) and classes is None:
            classes = list(plausibility.columns)
        if classes is not None:
            classes = _labels(classes)
            plausibility = in_order("plausibility", plausibility, classes.tolist())
        table = as_plausibility(plausibility, "plausibility")
        _same_rows(table, X.n_rows, "plausibility")
        classes = np.arange(table.shape[1]) if classes is None else classes
        if len(classes) != table.shape[1]:
            raise InputError(
                f"plausibility has {table.shape[1]} columns for {len(classes)} classes",
                remedy="give one column for each class",
            )
        return cls(low, high, gamma, possible, table, classes, X.feature_names, labels)

    @classmethod
    def from_masses(
        cls, X, masses, classes=None, gamma_X=0.0, *, attributes=None, categories=None
    ) -> EvidentialData:
        """Classes known by masses: how much evidence says that the class is in a set.

        Parameters
        ----------
        X : (n, m) array, data frame or EvidentialData
            As in `from_plausibility`.
        masses : sequence of n mappings
            Of each instance: label, or set, list or tuple of labels -> mass; at least 0 and adding
            up to 1. The mass of all labels together is what is not known.
        classes : sequence, optional
            All labels; by default those of the masses, sorted.
        gamma_X, attributes, categories
            As in `from_plausibility`.

        Returns
        -------
        EvidentialData
            A class is as plausible as the sets that hold it weigh together; `alone` is the mass of
            each class alone, without which the plausibility that a prediction is wrong is not
            known.

        Raises
        ------
        InputError
            Masses below 0, or not adding up to 1, of no label or of an unknown one, and as
            `from_plausibility`.

        Examples
        --------
        >>> data = EvidentialData.from_masses([[1.0]], [{"a": 0.5, "b": 0.3, ("a", "b"): 0.2}])
        >>> data.plausibility.tolist(), data.alone.tolist()
        ([[0.7, 0.5]], [[0.5, 0.3]])
        """
        if not isinstance(X, EvidentialData):
            check_rows_alike(X, masses=masses)
        classes, plausibility, alone = _masses(masses, classes)
        data = cls.from_plausibility(
            X, plausibility, classes, gamma_X, attributes=attributes, categories=categories
        )
        parts = (data.low, data.high, data.gamma, data.possible, data.plausibility, data.classes)
        return cls(*parts, data.feature_names, data.categories, alone)

    @classmethod
    def from_uncertain(cls, data, y=None, *, classes=None, categories=None) -> EvidentialData:
        """What `hedgerow.Uncertain` tells of values and classes.

        Reliabilities become gamma, errors that are rectangles ("+-0.5") intervals.

        Parameters
        ----------
        data : Uncertain
        y, classes, categories
            As in `from_gamma`; read where the data have no plausibilities of classes.

        Returns
        -------
        EvidentialData

        Raises
        ------
        InputError
            As `from_gamma`.

        Warns
        -----
        HedgerowWarning
            Errors that are no rectangles, and guesses of missing values, which are left out.
        """
        from hedgerow.induction.uncertain_table import Uncertain

        if not isinstance(data, Uncertain):
            raise InputError(
                f"data are of type {type(data).__name__}",
                remedy="give Uncertain; from_gamma takes plain data",
            )
        check_rows_alike(data.X, y=y)
        low, names, labels = _numbers(data.X, categories)
        gate, lost = data.gate(), []
        if not all_rectangles(gate):
            gate = None
            lost.append("error, of which not all are rectangles such as '+-0.5'")
        if data.imputed is not None:
            lost.append("imputed")
        if lost:
            warnings.warn(
                f"evidential data leave out {' and '.join(lost)}", HedgerowWarning, stacklevel=2
            )
        low, high = bounds_of(low, gate)
        plausible = data.classes_of(None if y is None else np.asarray(y))
        if plausible is None:
            return cls._from_bounds(low, high, names, labels, {}, y, data.gamma, 0.0, classes)
        table = cls._from_bounds(low, high, names, labels, {}, None, data.gamma, 0.0, plausible[0])
        return table.with_classes(plausible[1])

    def with_classes(self, plausibility: np.ndarray) -> EvidentialData:
        """The same attributes with other plausibilities of the classes, (n, n_classes).

        Columns of a data frame are taken by the names of the classes.
        """
        plausibility = np.asarray(in_order("plausibility", plausibility, self.classes.tolist()))
        parts = self.low, self.high, self.gamma, self.possible, plausibility, self.classes
        return EvidentialData(*parts, self.feature_names, self.categories)

    @classmethod
    def _from_bounds(cls, low, high, names, labels, possible, y, gamma_X, gamma_y, classes):
        low, high = low.copy(), high.copy()
        gamma = check_unit("gamma_X", as_table("gamma_X", gamma_X, low.shape, "table of numbers"))
        for j, levels in labels.items():
            if j not in possible:
                possible[j] = _one_of(low[:, j], len(levels), _name(names, j))
            possible[j] = np.maximum(possible[j], gamma[:, j, None])
            low[:, j] = high[:, j] = gamma[:, j] = np.nan
        numeric = [j for j in range(low.shape[1]) if j not in labels]
        for j in numeric:
            low[np.isnan(low[:, j]), j] = -np.inf
            high[np.isnan(high[:, j]), j] = np.inf
        wrong = (low > high) | (low == np.inf) | (high == -np.inf)
        wrong = wrong[:, numeric]
        if wrong.any():
            row, at = np.argwhere(wrong)[0]
            j = numeric[at]
            raise InputError(
                f"the interval of row {row}, column {_name(names, j)}, goes from "
                f"{low[row, j]:g} to {high[row, j]:g}",
                remedy="give the lower bound first, and numbers, or NaN for none",
            )
        classes, of_classes = _classes(y, len(low), classes)
        gamma_y = as_table("gamma_y", gamma_y, (len(low),), "list of numbers")
        plausibility = np.maximum(of_classes, check_unit("gamma_y", gamma_y)[:, None])
        return cls(low, high, gamma, possible, plausibility, classes, names, dict(labels))

    # -- sizes and parts ------------------------------------------------------------------

    @property
    def n_rows(self) -> int:
        """Number of instances."""
        return len(self.low)

    @property
    def n_features(self) -> int:
        """Number of attributes."""
        return self.low.shape[1]

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of instances and of attributes, as of a table."""
        return self.low.shape

    def __len__(self) -> int:
        return self.n_rows

    def __getitem__(self, rows) -> EvidentialData:
        """`take`, and slices: as scikit-learn's cross validation divides a table."""
        if isinstance(rows, tuple) and len(rows) == 2 and rows[1] is Ellipsis:
            rows = rows[0]
        return self.take(np.arange(self.n_rows)[rows] if isinstance(rows, slice) else rows)

    def __array__(self, dtype=None, copy=None):
        raise InputError(
            "evidential data are no table of numbers",
            remedy="give them to an EvidentialTreeClassifier, or their `likeliest` values",
        )

    def __repr__(self) -> str:
        attributes = "attribute" if self.n_features == 1 else "attributes"
        classes = "class" if len(self.classes) == 1 else "classes"
        return (
            f"EvidentialData({self.n_rows} rows, {self.n_features} {attributes}, "
            f"{len(self.classes)} {classes})"
        )

    def is_certain(self) -> bool:
        """Whether nothing is in doubt: every value is one number or category, every class one."""
        numeric = [j for j in range(self.n_features) if j not in self.possible]
        low, high = self.low[:, numeric], self.high[:, numeric]
        tables = [*self.possible.values(), self.plausibility]
        return bool(
            np.isfinite(low).all()
            and (low == high).all()
            and (self.gamma[:, numeric] == 0.0).all()
            and all(((t > 0).sum(axis=1) == 1).all() for t in tables)
        )

    def take(self, rows) -> EvidentialData:
        """The rows of these numbers, or where flags are true."""
        rows = row_numbers(rows, self.n_rows)
        parts = [a[rows] for a in (self.low, self.high, self.gamma)]
        possible = {j: table[rows] for j, table in self.possible.items()}
        plausibility = self.plausibility[rows]
        alone = None if self.alone is None else self.alone[rows]
        metadata = (self.classes, self.feature_names, self.categories, alone)
        return EvidentialData(*parts, possible, plausibility, *metadata)

    # -- back to plain and to probabilities -----------------------------------------------

    def likeliest(self) -> tuple[np.ndarray, np.ndarray]:
        """Crisp replacements: (X, y) of the most plausible values and classes.

        X : (n, m) float64, the middle of an interval, its bound where the other one is infinite,
        the code of a category; NaN where nothing is known. y : (n,) labels; ties go to the first.
        """
        with np.errstate(invalid="ignore", over="ignore"):
            middle = self.low + (self.high - self.low) / 2.0
            wide = np.isfinite(self.low) & np.isfinite(self.high) & np.isinf(middle)
            middle = np.where(wide, self.low / 2.0 + self.high / 2.0, middle)
        X = np.where(np.isfinite(self.low), self.low, self.high)
        X = np.where(np.isfinite(middle), middle, X)
        X[~np.isfinite(X) | (self.gamma == 1.0)] = np.nan
        for j, table in self.possible.items():
            X[:, j] = np.where((table == 1.0).all(axis=1), np.nan, table.argmax(axis=1))
        return X, self.classes[self.plausibility.argmax(axis=1)]

    def pignistic(self) -> np.ndarray:
        """Class probabilities of the pignistic transform (Smets 1994), (n, n_classes).

        Of the consonant belief function with these plausibilities, scaled to 1 at the largest:
        each step down from one plausibility to the next is shared among the classes above it.
        """
        return pignistic(self.plausibility)

    def to_uncertain(self) -> Uncertain:
        """The same as `hedgerow.Uncertain`: values, "+-" errors, reliabilities, plausibilities.

        A data frame where attributes have names; categories that have none are their codes.

        Warns
        -----
        HedgerowWarning
            What has no form there and is left out: intervals whose width is not that of all rows
            of their attribute, of which the middle is left; plausibilities that tell the other
            categories of a row apart; masses of classes.
        """
        from hedgerow.induction.uncertain_table import Uncertain

        X, _ = self.likeliest()
        reliability, error, lost = np.ones(X.shape), {}, []
        for j in range(self.n_features):
            if j in self.possible:
                falling = -np.sort(-self.possible[j], axis=1)
                if falling.shape[1] > 1:
                    reliability[:, j] = np.where(np.isnan(X[:, j]), 1.0, 1.0 - falling[:, 1])
                if (falling[:, 1:2] != falling[:, 1:]).any():
                    lost.append(f"other categories of attribute {_name(self.feature_names, j)}")
                continue
            reliability[:, j] = 1.0 - self.gamma[:, j]
            observed = ~np.isnan(X[:, j])
            low, high = self.low[observed, j], self.high[observed, j]
            half = (high - low) / 2.0
            if half.size and half.max() > 0:
                # Of decimal numbers: what adding and taking off has left of .1 is .1 again.
                largest = max(np.abs(low).max(), np.abs(high).max())
                slack = 2.0 * np.spacing(largest) if np.isfinite(largest) else 0.0
                if np.isfinite(half).all() and np.ptp(half) <= slack:
                    error[j] = f"+-{_shortest(np.median(half), slack)!r}"
                else:
                    lost.append(f"widths of attribute {_name(self.feature_names, j)}")
        if self.alone is not None:
            lost.append("masses of classes")
        if lost:
            warnings.warn(
                f"uncertain data leave out {', '.join(lost)}", HedgerowWarning, stacklevel=2
            )
        return Uncertain(
            X if self.feature_names is None else self._as_frame(X),
            error=error or None,
            y_plausibility=self.plausibility,
            reliability=None if (reliability == 1.0).all() else reliability,
            classes=self.classes,
        )

    def _as_frame(self, X: np.ndarray):
        """A table with the names of the attributes, and their categories by their labels."""
        pd = import_optional("pandas", "data whose attributes have names")
        frame = pd.DataFrame(X, columns=self.feature_names)
        for j, labels in self.categories.items():
            codes = np.where(np.isnan(X[:, j]), -1, X[:, j]).astype(int)
            frame.isetitem(j, pd.Categorical.from_codes(codes, categories=labels))
        return frame

    # -- files ----------------------------------------------------------------------------

    def to_parquet(self, path: str | Path) -> None:
        """Write to a parquet file, whole; `from_parquet` reads equal data.

        Labels of classes are texts, numbers or truth values there.
        """
        from hedgerow.files import write_parquet

        pa = import_optional("pyarrow", "a parquet file")
        columns: dict[str, np.ndarray] = {}
        for j in range(self.n_features):
            if j in self.possible:
                for code in range(self.possible[j].shape[1]):
                    columns[f"possible_{j}_{code}"] = self.possible[j][:, code]
            else:
                for name in ("low", "high", "gamma"):
                    columns[f"{name}_{j}"] = getattr(self, name)[:, j]
        for k in range(len(self.classes)):
            columns[f"class_{k}"] = self.plausibility[:, k]
            if self.alone is not None:
                columns[f"alone_{k}"] = self.alone[:, k]
        head = {
            "format": FORMAT,
            "version": VERSION,
            "n_features": self.n_features,
            "classes": self.classes.tolist(),
            "feature_names": self.feature_names,
            "categories": {str(j): labels for j, labels in self.categories.items()},
        }
        try:
            header = json.dumps(head, allow_nan=False)
        except (TypeError, ValueError):
            raise InputError(
                "a class has a label that is no text, number or truth value",
                remedy="give such labels before writing",
            ) from None
        table = pa.table({name: np.ascontiguousarray(v) for name, v in columns.items()})
        write_parquet(path, table.replace_schema_metadata({FORMAT: header}))

    @classmethod
    def from_parquet(cls, path: str | Path) -> EvidentialData:
        """Read what `to_parquet` wrote, checked whole.

        Raises
        ------
        DataError
            The file is not there, damaged, or something else.
        """
        from hedgerow.files import read_arrow

        import_optional("pyarrow", "a parquet file")
        table = read_arrow(path)
        try:
            head = json.loads((table.schema.metadata or {})[FORMAT.encode()])
            if head["format"] != FORMAT or head["version"] not in (1, VERSION):
                raise ValueError
            return cls._from_columns(
                head, {n: table.column(n).to_numpy() for n in table.column_names}
            )
        except (ArithmeticError, AttributeError, LookupError, TypeError, ValueError):
            raise DataError(
                f"{path} does not hold evidential data",
                remedy="give a file that EvidentialData.to_parquet wrote",
            ) from None

    @classmethod
    def _from_columns(cls, head: Mapping[str, Any], columns: Mapping[str, np.ndarray]):
        """Raises what a wrong head or column raises; an InputError is a ValueError."""
        m, classes = head["n_features"], _labels(head["classes"])
        if m < 1:
            raise ValueError
        labels = {int(j): [str(label) for label in v] for j, v in head["categories"].items()}
        names = head["feature_names"]
        if names is not None and [str(name) for name in names] != names:
            raise ValueError
        by_class = as_plausibility(
            np.column_stack([columns[f"class_{k}"] for k in range(len(classes))]), "class"
        )
        low, high, gamma = np.full((3, len(by_class), m), np.nan)
        possible = {}
        for j in range(m):
            if j in labels:
                parts = [columns[f"possible_{j}_{code}"] for code in range(len(labels[j]))]
                possible[j] = as_plausibility(np.column_stack(parts), "possible")
                if (possible[j].max(axis=1) != 1.0).any() or len(set(labels[j])) < len(parts):
                    raise ValueError
                continue
            low[:, j], high[:, j] = columns[f"low_{j}"], columns[f"high_{j}"]
            gamma[:, j] = columns[f"gamma_{j}"]
            check_unit("gamma", gamma[:, j])
            if not (
                (low[:, j] <= high[:, j]) & (low[:, j] < np.inf) & (high[:, j] > -np.inf)
            ).all():
                raise ValueError
        if set(labels) - set(range(m)) or (names is not None and len(names) != m):
            raise ValueError
        alone = None
        if "alone_0" in columns:
            alone = np.column_stack([columns[f"alone_{k}"] for k in range(len(classes))])
            alone = check_alone(alone, by_class)
        return cls(low, high, gamma, possible, by_class, classes, names, labels, alone)


def pignistic(plausibility: np.ndarray) -> np.ndarray:
    """`EvidentialData.pignistic` of any contour functions, (n, k) above 0 somewhere in each row."""
    scaled = plausibility / plausibility.max(axis=1, keepdims=True)
    order = np.argsort(-scaled, axis=1, kind="stable")
    falling = np.take_along_axis(scaled, order, axis=1)
    steps = falling - np.column_stack([falling[:, 1:], np.zeros(len(scaled))])
    shared = steps / np.arange(1, scaled.shape[1] + 1)
    probability = np.cumsum(shared[:, ::-1], axis=1)[:, ::-1]
    result = np.empty_like(scaled)
    np.put_along_axis(result, order, probability, axis=1)
    return result


# -- parts of the constructors --------------------------------------------------------------


def _shortest(number: float, slack: float) -> float:
    """The number of fewest digits that is within the slack of another."""
    candidates = (float(f"{number:.{digits}g}") for digits in range(1, 17))
    return next((one for one in candidates if abs(one - number) <= slack), float(number))


def _name(names: list[str] | None, j: int) -> str:
    return str(j) if names is None else repr(names[j])


def _number_of(entry, m: int, names: list[str] | None, parameter: str) -> int:
    """Number of the attribute that an entry of a parameter names or counts."""
    from hedgerow.induction.measurement import column_number

    remedy = "give column names, or numbers of attributes"
    return column_number(entry, m, names or [], parameter, remedy=remedy)


def _same_rows(table: np.ndarray, n: int, what: str) -> None:
    if len(table) != n:
        raise InputError(f"{what} has {len(table)} rows and X {n}", remedy="give one row per row")


def _numbers(X, categories, infinite: bool = False):
    """A user's table as (numbers, names, labels of categories by attribute)."""
    names, labels = None, {}
    X = without_mask(X)
    if is_frame(X):
        import pandas as pd

        names = [str(name) for name in X.columns]
        columns = []
        for j in range(X.shape[1]):
            column = X.iloc[:, j]
            if isinstance(column.dtype, pd.CategoricalDtype):
                labels[j] = [str(label) for label in column.cat.categories]
                codes = column.cat.codes.to_numpy(dtype=np.float64)
                columns.append(np.where(codes < 0, np.nan, codes))
                continue
            columns.append(column_numbers(column))
        table = np.column_stack(columns) if columns else np.empty((len(X), 0))
    else:
        try:
            if getattr(X, "dtype", np.dtype(float)).kind in "mMc":
                raise TypeError
            table = np.array(X, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(
                "X is no table of numbers", remedy="give one row per instance"
            ) from None
    if table.ndim != 2 or 0 in table.shape:
        raise InputError(
            f"X has the shape {table.shape}", remedy="give at least one row and one column, (n, m)"
        )
    if not infinite and np.isinf(table).any():
        row, j = np.argwhere(np.isinf(table))[0]
        raise InputError(
            f"X holds an infinite value in row {row}, column {_name(names, j)}",
            remedy="replace it by a number, or by NaN where nothing is known",
        )
    for entry, levels in (categories or {}).items():
        levels = names_of("categories", levels, range(len(levels)))
        labels[_number_of(entry, table.shape[1], names, "categories")] = [str(v) for v in levels]
    for j, levels in labels.items():
        _check_different(levels, _name(names, j))
    return table, names, labels


def _check_different(labels: list[str], name: str) -> None:
    if len(set(labels)) < len(labels):
        raise InputError(
            f"attribute {name} has categories of the same text: {labels}",
            remedy="give each a text of its own",
        )


def gamma_of(gamma, names: list[str] | None, X=None):
    """Doubts in the order of the columns of X, where a data frame or a Series names them."""
    if is_frame(gamma):
        check_row_order("gamma_X", gamma, X)
    # A Series of one entry for each attribute; with the index of the rows it is none.
    named = hasattr(gamma, "iloc") and names is not None
    if named and (is_frame(gamma) or len(gamma) == len(names)):
        return in_order("gamma_X", gamma, names)
    return gamma


def check_rows_alike(X, **given) -> None:
    """Refuse what has the rows of X in another order."""
    for name, values in given.items():
        check_row_order(name, values, X)


def _one_of(codes: np.ndarray, n_categories: int, name: str) -> np.ndarray:
    """1 at the category of each row, 0 elsewhere; 1 throughout where it is unknown."""
    unknown = np.isnan(codes)
    filled = np.where(unknown, 0.0, codes)
    wrong = (filled != np.rint(filled)) | (filled < 0) | (filled >= n_categories)
    if wrong.any():
        row = int(wrong.argmax())
        raise InputError(
            f"attribute {name} holds {codes[row]:g} in row {row} and has {n_categories} categories",
            remedy=f"give codes from 0 to {n_categories - 1}, or more labels",
        )
    table = (filled[:, None] == np.arange(n_categories)).astype(np.float64)
    table[unknown] = 1.0
    return table


def _sets(given: Sequence, n: int, entry) -> tuple[list[str], np.ndarray]:
    if len(given) != n:
        raise InputError(
            f"sets has {len(given)} collections for attribute {entry!r} and {n} rows",
            remedy="give one per row",
        )
    rows = [_members(one) for one in given]
    labels = sorted({label for row in rows for label in row or ()}, key=str)
    if not labels:
        raise InputError(
            f"no set of attribute {entry!r} names a category",
            remedy="leave out an attribute of which nothing is known",
        )
    place = {label: code for code, label in enumerate(labels)}
    table = np.zeros((n, len(labels)))
    for i, row in enumerate(rows):
        table[i, [place[label] for label in row or labels]] = 1.0
    labels = [str(label) for label in labels]
    _check_different(labels, repr(entry))
    return labels, table


def _members(one) -> list | None:
    """Labels that a cell allows; None where it allows all."""
    if isinstance(one, SETS):
        return list(one) or None
    return None if _unknown(one) else [one]


def _unknown(label) -> bool:
    """Whether it is None, NaN, or what pandas has in their place."""
    if label is None or type(label).__name__ in ("NAType", "NaTType"):
        return True
    return isinstance(label, float | np.floating) and bool(np.isnan(label))


def _masses(masses, classes) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Labels, plausibilities and masses of each class alone, both (n, n_classes)."""
    rows = []
    for i, row in enumerate(masses):
        if not isinstance(row, Mapping):
            raise InputError(
                f"masses of row {i} are of type {type(row).__name__}",
                remedy="give a mapping of labels, or sets of them, to masses",
            )
        rows.append([(_members(key), mass) for key, mass in row.items()])
        for members, mass in rows[-1]:
            if members is None:
                raise InputError(
                    f"a mass of row {i} is that of no label",
                    remedy="name the labels that it allows, all of them where nothing is known",
                )
            if not isinstance(mass, int | float | np.number) or not 0.0 <= mass <= 1.0 + SUM:
                raise InputError(
                    f"the mass of {members!r} in row {i} is {mass!r}",
                    remedy="give masses in [0, 1]",
                )
        total = sum(mass for _, mass in rows[-1])
        if abs(total - 1.0) > SUM:
            raise InputError(
                f"the masses of row {i} add up to {total:g}", remedy="give masses that add up to 1"
            )
    if classes is None:
        try:
            classes = sorted({label for row in rows for members, _ in row for label in members})
        except TypeError:
            raise InputError(
                "masses mix labels of several kinds",
                remedy="give all as texts or all as numbers",
            ) from None
    classes = _labels(classes)
    place = {label: code for code, label in enumerate(classes.tolist())}
    plausibility, alone = np.zeros((2, len(rows), len(classes)))
    for i, row in enumerate(rows):
        for members, mass in row:
            try:
                codes = sorted({place[label] for label in members})
            except (KeyError, TypeError):
                raise InputError(
                    f"a mass of row {i} is that of {members!r}, which are no classes of "
                    f"{classes.tolist()!r}",
                    remedy="name every label in `classes`",
                ) from None
            plausibility[i, codes] += mass
            if len(codes) == 1:
                alone[i, codes[0]] += mass
    return classes, np.minimum(plausibility, 1.0), np.minimum(alone, 1.0)


def _labels(classes) -> np.ndarray:
    labels = np.asarray(classes)
    listed = labels.tolist() if labels.ndim == 1 else []
    try:
        different = len(set(listed)) == len(listed) > 0
    except TypeError:  # such as lists
        different = False
    if not different or any(_unknown(label) for label in listed):
        raise InputError(
            "classes is no list of different labels", remedy="give each class once, one at least"
        )
    return labels


def _classes(y, n: int, classes) -> tuple[np.ndarray, np.ndarray]:
    """Labels, and which of them each row allows as ones, (n, n_classes)."""
    rows: list = [None] * n
    if y is not None:
        if not hasattr(y, "__iter__") or len(getattr(y, "shape", (n,))) != 1:
            raise InputError(
                "y is no list of labels",
                remedy="give one per row, or the plausibility of each to from_plausibility",
            )
        listed = y.tolist() if hasattr(y, "tolist") else list(y)
        if len(listed) != n:
            raise InputError(f"y has {len(listed)} labels for {n} rows", remedy="give one per row")
        rows = [_members(one) for one in listed]
    if classes is None:
        try:
            seen = {label for row in rows for label in row or ()}
            classes = sorted(seen)
        except TypeError:
            raise InputError(
                "y mixes labels of several kinds", remedy="give all as texts or all as numbers"
            ) from None
        if not seen:
            raise InputError("y names no class", remedy="give `classes`, all labels")
    classes = _labels(classes)
    place = {label: code for code, label in enumerate(classes.tolist())}
    table = np.zeros((n, len(classes)))
    for i, row in enumerate(rows):
        try:
            table[i, [place[label] for label in (classes.tolist() if row is None else row)]] = 1.0
        except (KeyError, TypeError):
            raise InputError(
                f"y holds {rows[i]!r} in row {i}, which is no class of {classes.tolist()!r}",
                remedy="name every label in `classes`",
            ) from None
    return classes, table
