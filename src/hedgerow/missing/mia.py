"""MIA: what is missing is part of the tests (Twala, Jones and Hand 2008)."""

from __future__ import annotations

from collections.abc import Container
from typing import TYPE_CHECKING

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from hedgerow.checks import LARGEST, without_mask
from hedgerow.errors import InputError
from hedgerow.induction.base import transaction
from hedgerow.optional_imports import is_frame
from hedgerow.tree.table import check_frame, column_numbers

if TYPE_CHECKING:
    import pandas as pd

MISSING = "missing"


class MissingIncorporated(TransformerMixin, BaseEstimator):
    """Missing values as values that lie below, and above, all others of their variable.

    A tree that is grown on the table that it gives chooses among the three kinds of tests of
    MIA: missing values go left, or right, or the test is whether the value is missing. Numeric
    variables come twice, the missing values of the first copy below, those of the second above
    every known value; in a pandas categorical, missing is a category of its own.

    Attributes
    ----------
    incorporated_ : (m,) bool
        Variables with known and with missing values in `fit`. The others are left as they are: a
        value that is missing there later stays missing, and the tree decides.
    bounds_ : (2, m) float64
        Smallest and largest known value of each numeric variable in `fit`; NaN for others.
    n_features_in_ : int
    feature_names_in_ : (m,) array
        Only when X has column names.

    Raises
    ------
    InputError
        An infinite number, one beyond 1e150, a column that is neither numbers nor a pandas
        categorical.

    Notes
    -----
    Where no value is missing at a node, the two copies tie and C4.5 takes the first: a value that
    is missing later goes left. A known value outside of the bounds is put on the bound in the
    transformed table, so that it goes with the known ones where the test is whether the value is
    missing; of the thresholds of a tree that is grown on the table none is changed by that. In an
    array, codes of categories are taken for numbers. The copies hold made-up numbers: they are
    for trees, not for learners that compare distances.

    References
    ----------
    Twala, Jones and Hand (2008), Good methods for coping with missing data in decision trees,
    section 3.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.pipeline import make_pipeline
    >>> from hedgerow import C45Classifier, MissingIncorporated
    >>> X = np.array([[1.0], [2.0], [3.0], [np.nan], [np.nan]])
    >>> MissingIncorporated().fit_transform(X)
    array([[ 1.,  1.],
           [ 2.,  2.],
           [ 3.,  3.],
           [-2.,  6.],
           [-2.,  6.]])
    >>> tree = make_pipeline(MissingIncorporated(), C45Classifier(min_samples_split=2))
    >>> tree.fit(X, ["a", "a", "a", "b", "b"]).predict([[np.nan], [-5.0], [9.0]])
    array(['b', 'a', 'a'], dtype='<U1')
    """

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags

    @transaction
    def fit(self, X, y=None):
        """Note which variables have missing values, and the range of the known ones.

        Parameters
        ----------
        X : (n, m) array or data frame
            Numbers (NaN is missing) and pandas categoricals.
        y : ignored

        Returns
        -------
        self
        """
        columns = self._columns(X, reset=True)
        self.incorporated_ = np.zeros(len(columns), dtype=bool)
        self.bounds_ = np.full((2, len(columns)), np.nan)
        for j, column in enumerate(columns):
            missing = _missing(column)
            self.incorporated_[j] = missing.any() and not missing.all()
            if isinstance(column, np.ndarray) and not missing.all():
                self.bounds_[:, j] = np.nanmin(column), np.nanmax(column)
        return self

    def transform(self, X):
        """Put missing values below and above the known ones.

        Parameters
        ----------
        X : (n, m) array or data frame
            Like that of `fit`.

        Returns
        -------
        (n, p) float64 array, or data frame
            As X is. The copies of a variable are neighbours, in the order of the variables.
        """
        check_is_fitted(self, "incorporated_")
        columns = self._columns(X, reset=False)
        expanded = []
        for j, column in enumerate(columns):
            if not self.incorporated_[j]:
                expanded.append(column)
            elif isinstance(column, np.ndarray):
                expanded += self._copies(column, j)
            else:
                expanded.append(_with_category(column))
        if not is_frame(X):
            return np.column_stack(expanded)
        import pandas as pd

        frame = pd.concat([pd.Series(column, index=X.index) for column in expanded], axis=1)
        frame.columns = self.get_feature_names_out()
        return frame

    def get_feature_names_out(self, input_features=None) -> np.ndarray:
        """Names of the columns that `transform` gives; copies end in `_low` and `_high`.

        Where another column has that name already, underscores are added.

        Parameters
        ----------
        input_features : sequence of str, optional
            Names of the variables; by default those of `fit`, or `x0`, `x1`, ...

        Returns
        -------
        (p,) array of str
        """
        check_is_fitted(self, "incorporated_")
        names = getattr(self, "feature_names_in_", None)
        if input_features is not None:
            if names is not None and list(input_features) != list(names):
                raise ValueError("input_features is not equal to feature_names_in_")
            names = input_features
        if names is None:
            names = [f"x{j}" for j in range(self.n_features_in_)]
        if len(names) != self.n_features_in_:
            raise ValueError(
                "input_features should have length equal to number of features "
                f"({self.n_features_in_}), got {len(names)}"
            )
        doubled = self.incorporated_ & np.isfinite(self.bounds_[0])
        names_out, taken = [], set(names)
        for name, twice in zip(names, doubled, strict=True):
            if not twice:
                names_out.append(name)
                continue
            for copy in (f"{name}_low", f"{name}_high"):
                copy = _unused(copy, taken)
                taken.add(copy)
                names_out.append(copy)
        return np.array(names_out, dtype=object)

    def _copies(self, column: np.ndarray, j: int) -> list[np.ndarray]:
        low, high = self.bounds_[:, j]
        # Far enough to differ from the bound, however large it is.
        gap = max(high - low, abs(low), abs(high), 1.0)
        clipped = np.clip(column, low, high)
        missing = np.isnan(column)
        return [np.where(missing, low - gap, clipped), np.where(missing, high + gap, clipped)]

    def _columns(self, X, reset: bool) -> list[np.ndarray | pd.Series]:
        """Columns as float64, and pandas categoricals as they are."""
        X = without_mask(X)
        check_frame(X)
        if not is_frame(X):
            array = validate_data(
                self, X, reset=reset, dtype=np.float64, ensure_all_finite="allow-nan"
            )
            columns, names = list(array.T), range(array.shape[1])
        else:
            validate_data(self, X, reset=reset, skip_check_array=True)
            columns, names = [_column(X.iloc[:, j]) for j in range(X.shape[1])], X.columns
        for j, (name, column) in enumerate(zip(names, columns, strict=True)):
            if not reset and isinstance(column, np.ndarray) != self._numeric[j]:
                raise InputError(
                    f"column {name!r} of X is {_kind(column)} and was not in fit",
                    remedy="give columns of the same kinds as in fit",
                )
            if isinstance(column, np.ndarray) and (np.abs(column) > LARGEST).any():
                raise InputError(
                    f"column {name!r} of X holds infinity or a number beyond {LARGEST:g}",
                    remedy="replace it by a number, or by NaN where the value is missing",
                )
        if reset:
            self._numeric = [isinstance(column, np.ndarray) for column in columns]
        return columns


def _missing(column) -> np.ndarray:
    return np.isnan(column) if isinstance(column, np.ndarray) else column.isna().to_numpy()


def _kind(column) -> str:
    return "numeric" if isinstance(column, np.ndarray) else "categorical"


def _column(column: pd.Series) -> np.ndarray | pd.Series:
    import pandas as pd

    if isinstance(column.dtype, pd.CategoricalDtype):
        return column
    return column_numbers(column)


def _unused(name: str, taken: Container) -> str:
    """A name that is not taken yet, with underscores behind it where it is."""
    while name in taken:
        name += "_"
    return name


def _with_category(column: pd.Series) -> pd.Series:
    """Missing as a category of its own, whatever the others are called."""
    name = _unused(MISSING, column.cat.categories)
    return column.cat.add_categories([name]).fillna(name)
