"""Imputers of scikit-learn on tables with categories and with columns that nobody knows."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.impute import KNNImputer, SimpleImputer

from hedgerow.errors import InputError

NAMED = ("knn", "mean")


def imputer_of(imputer: Any, n_neighbors: int) -> Any:
    """The imputer that a parameter asks for, not fitted.

    Parameters
    ----------
    imputer : {"knn", "mean"} or transformer
    n_neighbors : int
        Of "knn", which compares values as they are, in the units of the table.

    Raises
    ------
    InputError
        A name of no imputer, or an object without `fit` and `transform`.
    """
    if isinstance(imputer, str) and imputer in NAMED:
        return KNNImputer(n_neighbors=n_neighbors) if imputer == "knn" else SimpleImputer()
    if isinstance(imputer, str | type) or not (
        hasattr(imputer, "fit") and hasattr(imputer, "transform")
    ):
        raise InputError(
            f"imputer is {imputer!r}",
            remedy="give 'knn', 'mean' or a scikit-learn transformer that fills missing values",
        )
    return clone(imputer)


def seeded(imputer: Any, seed: int) -> Any:
    """A clone of an imputer that draws by this seed.

    Raises an InputError where it has no `random_state`, so that all draws would be one.
    """
    drawn = clone(imputer)
    states = [name for name in drawn.get_params() if name.split("__")[-1] == "random_state"]
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
        Of scikit-learn, not fitted; it is fitted as it is, not cloned.
    n_categories : (m,) int
        Number of categories of each variable, 0 for a numeric one.

    Attributes
    ----------
    known_ : (m,) bool
        Variables with a known value in the table that it was fitted on. The others stay missing.
    """

    def __init__(self, imputer: Any, n_categories: np.ndarray):
        self.imputer = imputer
        self.n_categories = np.asarray(n_categories)

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
        """
        self.known_ = ~np.isnan(X).all(axis=0)
        wide = self._widened(X)
        if not wide.shape[1]:
            return X.copy()
        fit_transform = getattr(self.imputer, "fit_transform", None)
        if fit_transform is None:
            return self._filled(X, wide, lambda table: self.imputer.fit(table).transform(table))
        return self._filled(X, wide, fit_transform)

    def fit(self, X: np.ndarray) -> TableImputer:
        """Fit on a table without filling it. As `fit_fill` otherwise."""
        self.known_ = ~np.isnan(X).all(axis=0)
        wide = self._widened(X)
        if wide.shape[1]:
            self._asked(self.imputer.fit, wide)
        return self

    def fill(self, X: np.ndarray) -> np.ndarray:
        """Fill another table by what was fitted. As `fit_fill` otherwise."""
        wide = self._widened(X)
        if not np.isnan(wide).any():
            return X.copy()
        return self._filled(X, wide, self.imputer.transform)

    def _widened(self, X: np.ndarray) -> np.ndarray:
        """Columns as the imputer sees them; a new category is none of the known ones."""
        columns = []
        for j in np.flatnonzero(self.known_):
            column = X[:, j]
            if self.n_categories[j] == 0:
                columns.append(column)
                continue
            for code in range(self.n_categories[j]):
                columns.append(np.where(np.isnan(column), np.nan, column == code))
        return np.column_stack(columns) if columns else np.empty((len(X), 0))

    def _filled(self, X: np.ndarray, wide: np.ndarray, transform) -> np.ndarray:
        guessed = self._asked(transform, wide)
        name = type(self.imputer).__name__
        try:
            guessed = np.asarray(guessed, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError(
                f"the imputer {name} gives values that are no numbers",
                remedy="give one that fills a table of numbers with numbers",
            ) from None
        if guessed.shape != wide.shape:
            raise InputError(
                f"the imputer {name} turns a table of {wide.shape} rows and columns into one of "
                f"{guessed.shape}",
                remedy="give one that keeps rows and columns as they are",
            )
        filled, at = X.copy(), 0
        for j in np.flatnonzero(self.known_):
            size = max(int(self.n_categories[j]), 1)
            guess = guessed[:, at : at + size]
            at += size
            missing = np.isnan(X[:, j])
            if not np.isfinite(guess[missing]).all():
                raise InputError(
                    f"the imputer {name} leaves values of column {j} missing",
                    remedy="give one that fills every value",
                )
            # The most plausible category; ties: the first.
            chosen = guess[:, 0] if self.n_categories[j] == 0 else guess.argmax(axis=1)
            filled[missing, j] = chosen[missing]
        return filled

    def _asked(self, call, wide: np.ndarray):
        try:
            return call(wide)
        except Exception as error:
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise InputError(
                f"the imputer {type(self.imputer).__name__} fails: {reason}",
                remedy="give one that fills a table of numbers in which NaN is missing",
            ) from error
