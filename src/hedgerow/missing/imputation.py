"""Imputers of scikit-learn on tables with categories and with columns that nobody knows."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import clone
from sklearn.frozen import FrozenEstimator
from sklearn.impute import KNNImputer, SimpleImputer

from hedgerow.errors import InputError, warn_user

NAMED = ("knn", "mean")


def imputer_of(imputer: Any, n_neighbors: int) -> Any:
    """The imputer that a parameter asks for, not fitted."""
    if isinstance(imputer, str) and imputer in NAMED:
        return KNNImputer(n_neighbors=n_neighbors) if imputer == "knn" else SimpleImputer()
    if isinstance(imputer, str | type) or not (
        hasattr(imputer, "fit") and hasattr(imputer, "transform")
    ):
        raise InputError(
            f"imputer is {imputer!r}",
            remedy="give 'knn', 'mean' or a scikit-learn transformer that fills missing values",
        )
    return clone(imputer, safe=False)  # one that only looks like scikit-learn's is copied


def seeded(imputer: Any, seed: int) -> Any:
    """A clone of an imputer that draws by this seed.

    Raises an InputError where it has no `random_state`, so that all draws would be one.
    """
    drawn = clone(imputer, safe=False)
    parameters = drawn.get_params() if hasattr(drawn, "get_params") else {}
    states = [name for name in parameters if name.split("__")[-1] == "random_state"]
    if not states:
        raise InputError(
            f"n_imputations is above 1, and {type(imputer).__name__} has no random_state",
            remedy="give an imputer that draws, such as IterativeImputer(sample_posterior=True)",
        )
    return drawn.set_params(**dict.fromkeys(states, seed))


class TableImputer:
    """An imputer that sees only what can be guessed, and categories as columns of 0 and 1.

    Parameters
    ----------
    imputer : transformer
        Of scikit-learn, not fitted; it is fitted as it is, not cloned. One in a
        `FrozenEstimator` fills by what it was fitted on.
    n_categories : (m,) int
        Number of categories of each variable, 0 for a numeric one.
    names : sequence of str, optional
        Of the variables, for messages; otherwise they are counted from 0.

    Attributes
    ----------
    has_value_ : (m,) bool
        Variables with a known value in the table that it was fitted on, and the numeric ones of a
        frozen imputer. The others stay missing.
    """

    def __init__(self, imputer: Any, n_categories: np.ndarray, names: Any = None):
        self.imputer = imputer
        self.n_categories = np.asarray(n_categories)
        self.names = names

    @property
    def _frozen(self) -> bool:
        return isinstance(self.imputer, FrozenEstimator)

    def _shown(self, j: int) -> str:
        """A variable as messages name it."""
        return str(j) if self.names is None else repr(str(self.names[j]))

    def fit_fill(self, X: np.ndarray) -> np.ndarray:
        """Fit on a table and fill it.

        Parameters
        ----------
        X : (n, m) float64
            NaN is missing; codes of categories.

        Returns
        -------
        (n, m) float64
            Values that were known are as they were.

        Raises
        ------
        InputError
            The imputer fails, gives another number of rows or columns, or leaves values missing.

        Warns
        -----
        HedgerowWarning
            The imputer changes known values as much as if they were on another scale.
        """
        self._see(X)
        wide = self._widened(X)
        if not wide.shape[1]:
            return X.copy()
        return self._fill_in(X, wide, self._fit_transform, first=True)

    def _fit_transform(self, wide: np.ndarray) -> Any:
        if self._frozen:
            return self.imputer.transform(wide)
        if hasattr(self.imputer, "fit_transform"):
            return self.imputer.fit_transform(wide)
        return self.imputer.fit(wide).transform(wide)

    def fit(self, X: np.ndarray) -> TableImputer:
        """Fit on a table without filling it. As `fit_fill` otherwise."""
        self._see(X)
        wide = self._widened(X)
        if wide.shape[1] and not self._frozen:
            self._call_imputer(self.imputer.fit, wide)
        return self

    def _see(self, X: np.ndarray) -> None:
        self.has_value_ = ~np.isnan(X).all(axis=0)
        if self._frozen:  # it was fitted on all columns
            self.has_value_ |= self.n_categories == 0

    def fill(self, X: np.ndarray) -> np.ndarray:
        """Fill another table by what was fitted. As `fit_fill` otherwise."""
        wide = self._widened(X)
        if not np.isnan(wide).any():
            return X.copy()
        return self._fill_in(X, wide, self.imputer.transform)

    def _widened(self, X: np.ndarray) -> np.ndarray:
        """Columns as the imputer sees them; a new category is none of the known ones."""
        columns = []
        for j in np.flatnonzero(self.has_value_):
            column = X[:, j]
            if self.n_categories[j] == 0:
                columns.append(column)
                continue
            for code in range(self.n_categories[j]):
                columns.append(np.where(np.isnan(column), np.nan, column == code))
        return np.column_stack(columns) if columns else np.empty((len(X), 0))

    @property
    def _name(self) -> str:
        imputer = self.imputer.estimator if self._frozen else self.imputer
        return type(imputer).__name__

    def _fill_in(
        self, X: np.ndarray, wide: np.ndarray, transform, *, first: bool = False
    ) -> np.ndarray:
        imputed = self._call_imputer(transform, wide)
        name = self._name
        if sparse.issparse(imputed):
            imputed = imputed.toarray()
        try:
            if getattr(imputed, "dtype", np.dtype(float)).kind == "b":
                raise TypeError  # where values are missing does not impute them
            imputed = np.asarray(imputed, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(
                f"the imputer {name} gives values that are no numbers",
                remedy="give one that fills a table of numbers with numbers",
            ) from None
        if imputed.shape != wide.shape:
            raise InputError(
                f"the imputer {name} turns a table of {wide.shape} rows and columns into one of "
                f"{imputed.shape}",
                remedy="give one that keeps rows and columns as they are",
            )
        filled, at = X.copy(), 0
        for j in np.flatnonzero(self.has_value_):
            size = max(int(self.n_categories[j]), 1)
            block = imputed[:, at : at + size]
            at += size
            missing = np.isnan(X[:, j])
            if not np.isfinite(block[missing]).all():
                raise InputError(
                    f"the imputer {name} leaves values of column {self._shown(j)} missing",
                    remedy="give one that fills every value",
                )
            if first and self.n_categories[j] == 0 and not missing.all():
                first = not self._changes(j, X[~missing, j], block[~missing, 0])
            # The most plausible category; ties: the first.
            chosen = block[:, 0] if self.n_categories[j] == 0 else block.argmax(axis=1)
            filled[missing, j] = chosen[missing]
        return filled

    def _changes(self, j: int, observed: np.ndarray, given: np.ndarray) -> bool:
        """Warn where known values come back further from themselves than from their mean.

        An imputer that smooths changes them less; one that scales, or changes the order of
        columns, gives guesses that cannot be compared with thresholds among known values.
        """
        with np.errstate(all="ignore"):
            spread = np.abs(observed - observed.mean()).mean() + 1e-3 * np.abs(observed).max()
            change = np.abs(given - observed)
            changes = bool(change.mean() > spread)
        if changes:
            i = int(change.argmax())
            warn_user(
                f"the imputer {self._name} turns the known value {observed[i]:.6g} of column "
                f"{self._shown(j)} into {given[i]:.6g}, so that its guesses do not fit the known "
                "values; if it scales, scale before the classifier, as in "
                "make_pipeline(StandardScaler(), EIGClassifier())",
            )
        return changes

    def _call_imputer(self, call, wide: np.ndarray):
        try:
            with warnings.catch_warnings():
                # A frozen imputer may have been fitted on a data frame.
                warnings.filterwarnings("ignore", "X does not have valid feature names")
                return call(wide)
        except Exception as error:
            reason = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
            raise InputError(
                f"the imputer {self._name} fails: {reason}",
                remedy="give one that fills a table of numbers in which NaN is missing",
            ) from error
