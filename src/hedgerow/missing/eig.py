"""EIG: expected information gain, trees that weigh known values and guesses (definition 3)."""

from __future__ import annotations

import re
import warnings

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from hedgerow.checks import LARGEST_COUNT, check_choice, check_number
from hedgerow.errors import InputError, warn_user
from hedgerow.induction.base import FROM_DTYPE, transaction
from hedgerow.induction.uncertain_table import Uncertain
from hedgerow.missing.imputation import TableImputer, imputer_of, seeded
from hedgerow.optional_imports import is_frame
from hedgerow.tree.gates import STEP, WINDOW
from hedgerow.tree.table import check_row_order
from hedgerow.uncertainty.soft import SoftTreeClassifier

MOST_IMPUTATIONS = 1000


class EIGClassifier(SoftTreeClassifier):
    """C4.5 that also asks what a test would gain among guesses of the missing values (EIG).

    The gain of a test is r IG(known) + (1 - r) IG(imputed): its information gain among instances
    whose value is known, and at the same threshold among those whose value is imputed, weighed by
    the reliability r of the variable, the share of its values that are known. Imputed values
    choose tests only; instances without a value go down both sides, as in C4.5.

    Parameters
    ----------
    imputer : {"knn", "mean"} or transformer, default "knn"
        What guesses: the mean of the nearest neighbours (scikit-learn's `KNNImputer`, which
        compares values as they are), the mean of the variable, or any transformer of
        scikit-learn that fills missing values, in their own unit. It is fitted once, on the
        training set as an array, or used as it is in a `FrozenEstimator`; categories go to it as
        columns of 0 and 1, and the largest guess is taken.
    n_neighbors : int, default 5
        Neighbours of "knn".
    n_imputations : int, default 1
        Guesses about each value (multiple imputation); the gain among imputed values is their
        mean. With more than one the imputer must draw, such as
        ``IterativeImputer(sample_posterior=True)``.
    reliability : {"global", "node"}, default "global"
        Whether r is counted once, on the training set, or again at each node.
    missing_at_prediction : {"propagate", "impute"}, default "propagate"
        What happens to an instance without a value in `predict`: it goes down both sides, in
        proportion to the known training weight, or the imputer fills it first.
    propagation, evaluation, error_unit
        Noise of the values that are known, as in `SoftTreeClassifier`.
    confidence, prune, subtree_raising, laplace, repetition_factor, min_samples_split, \
min_samples_leaf, max_depth, candidates, categorical_features, smoothing, weights, class_weight, \
n_jobs
        As in `C45Classifier`. The paper does not prune and splits from two instances on.
    random_state : int, RandomState instance or None, default None
        Seeds the imputer's draws where `n_imputations` is above 1.
    error : optional, default None
        Errors of measurement of the values that are known, as in `SoftTreeClassifier`; tests are
        searched at observed values all the same.

    Attributes
    ----------
    tree_ : hedgerow.Tree
    reliabilities_ : (m,) float64
        Known share of the training weight of each variable.
    imputer_ : transformer or None
        The imputer fitted on the training set, the first of several draws; None where there was
        nothing to guess.

    Raises
    ------
    InputError
        An imputer that fails, gives another table or leaves values missing, guesses of another
        shape, and whatever `C45Classifier` raises.

    Notes
    -----
    A training set without missing values gives the tree of C4.5. At a node where every value of
    a variable is known, r alone is left of its gain, as of that of C4.5 with
    ``reliability="global"``. A guess of a category that does not occur at the node goes to the
    side with more weight, as it would in prediction. A variable without a known value is neither
    guessed nor tested. Instance weights do not reach the imputer.

    References
    ----------
    Schreckenberger, Bartelt and Stuckenschmidt (2020), Robust decision tree induction from
    unreliable data sources, definitions 1 to 3 and algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn.datasets import load_wine
    >>> from hedgerow import EIGClassifier
    >>> X, y = load_wine(return_X_y=True)
    >>> X[np.random.default_rng(0).random(X.shape) < 0.5] = np.nan
    >>> eig = EIGClassifier(prune=False).fit(X[::2], y[::2])
    >>> round(eig.score(X[1::2], y[1::2]), 2)
    0.79
    """

    _understands = SoftTreeClassifier._understands | {"imputed"}
    _parts = ("propagation", "evaluation")
    _tells_hard = False
    search = None  # tests are searched at observed values only
    window = WINDOW
    step = STEP
    gate_at = "threshold"

    def __init__(
        self,
        imputer="knn",
        n_neighbors=5,
        n_imputations=1,
        reliability="global",
        missing_at_prediction="propagate",
        propagation=None,
        evaluation=None,
        error_unit="mean",
        confidence=0.25,
        prune=True,
        subtree_raising=True,
        laplace=True,
        repetition_factor=1.0,
        min_samples_split=4,
        min_samples_leaf=1,
        max_depth=None,
        candidates="values",
        categorical_features=FROM_DTYPE,
        smoothing=False,
        weights="auto",
        class_weight=None,
        random_state=None,
        error=None,
        n_jobs=None,
    ):
        self._set_shared(locals())
        self.imputer = imputer
        self.n_neighbors = n_neighbors
        self.n_imputations = n_imputations
        self.missing_at_prediction = missing_at_prediction
        self.propagation = propagation
        self.evaluation = evaluation
        self.error_unit = error_unit
        self.error = error

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("n_neighbors", self.n_neighbors, 1, LARGEST_COUNT, whole=True)
        check_number("n_imputations", self.n_imputations, 1, MOST_IMPUTATIONS, whole=True)
        check_choice("missing_at_prediction", self.missing_at_prediction, ("propagate", "impute"))

    @transaction
    def fit(self, X, y=None, X_imputed=None, sample_weight=None):
        """Impute, grow and prune.

        Parameters
        ----------
        X : (n, m) array, data frame or `hedgerow.Uncertain`
            Numbers (NaN is missing) and pandas categoricals.
        y : (n,) array
            Class labels; of uncertain data that name their classes, none are needed.
        X_imputed : table like X, or a sequence of such, optional
            Guesses in the place of the imputer's; read where X is missing, row by row as X is
            (columns of data frames by their names). Several tables are draws of multiple
            imputation.
        sample_weight : (n,) array, optional
            At least 0; a row of weight 0 is as if absent.

        Returns
        -------
        self
        """
        self._check_parameters()
        columns = self._training_set(X, y, sample_weight, keep_after_fit=False)
        if isinstance(X, Uncertain):
            if X_imputed is not None and X.imputed is not None:
                raise InputError(
                    "X_imputed is given beside uncertain data, which have guesses of their own",
                    remedy="give them in one of the two places",
                )
            X, X_imputed = X.X, X.imputed if X_imputed is None else X_imputed
        observed = ~np.isnan(columns.X)
        self.reliabilities_ = columns.sample_weight @ observed / columns.total_weight
        imputer = imputer_of(self.imputer, self.n_neighbors)
        asked = self.missing_at_prediction == "impute"
        self._imputer, imputed = None, None
        if X_imputed is not None:
            imputed = self._given(X_imputed, X, columns)
        elif columns.has_missing:
            imputed = self._imputed_by(imputer, columns)
        if asked and self._imputer is None:
            self._imputer = self._tables_of([imputer])[0].fit(self._once(columns))
        return self._grown(columns, criterion="expected_gain", imputed=imputed)

    def _once(self, columns) -> np.ndarray:
        """Each row of training once, (n, m), also one of several classes."""
        return columns.X if self._fractions is None else columns.X[self._fractions.first]

    def _imputed_by(self, imputer, columns) -> np.ndarray:
        """Draws of the imputer, (n_imputations, n, m); the first one is kept."""
        X = self._once(columns)
        draws = [imputer]
        if self.n_imputations > 1:
            random = check_random_state(self.random_state)
            seeds = random.randint(np.iinfo(np.int32).max, size=self.n_imputations)
            draws = [seeded(imputer, int(seed)) for seed in seeds]
        tables = self._tables_of(draws)
        filled = []
        for table in tables:
            filled.append(table.fit_fill(X))
        imputed = np.stack(filled)
        if len(imputed) > 1 and np.array_equal(imputed[1:], imputed[:-1], equal_nan=True):
            warn_user(
                f"all {len(imputed)} guesses of {type(imputer).__name__} are the same, so that it "
                "does not draw; IterativeImputer, for one, draws with sample_posterior=True",
            )
        self._imputer = tables[0]
        return imputed if self._fractions is None else imputed[:, self._fractions.rows]

    def _tables_of(self, draws: list) -> list[TableImputer]:
        names = getattr(self, "feature_names_in_", None)
        return [TableImputer(drawn, self._n_categories, names) for drawn in draws]

    def _given(self, X_imputed, X, columns) -> np.ndarray:
        """The user's guesses as the core reads them, (draws, n, m)."""
        several = isinstance(X_imputed, list | tuple) or _n_axes(X_imputed) == 3
        if several and len(X_imputed) > 0 and _n_axes(X_imputed[0]) < 2:
            several = False  # rows of one table
        if (several and len(X_imputed) == 0) or (not several and _n_axes(X_imputed) < 2):
            raise InputError(
                "X_imputed has no rows and columns",
                remedy="give a table like X; weights go by name, as sample_weight=...",
            )
        tables = []
        for table in X_imputed if several else [X_imputed]:
            array = self._imputed_draws(table, X)
            if len(array) != len(X):
                raise InputError(
                    f"X_imputed has {len(array)} rows and X has {len(X)}",
                    remedy="give one row of guesses for each row of X",
                )
            rows, kept = np.arange(len(array)), self._rows_given[1]
            rows = rows if kept is None else rows[kept]
            array = array[rows]
            self._check_imputed(array, rows, columns)
            tables.append(array)
        return np.stack(tables)

    def _imputed_draws(self, table, X) -> np.ndarray:
        """One table of guesses as an array; what is wrong with it is not called a fault of X."""
        both_frames = is_frame(table) and is_frame(X)
        if both_frames and set(table.columns) == set(X.columns):
            table = table[list(X.columns)]
        check_row_order("X_imputed", table, X)
        try:
            with warnings.catch_warnings():
                # Arrays of guesses about a frame are what imputers give.
                warnings.filterwarnings("ignore", "X (has|does not have valid) feature names")
                return super()._encode(table, reset=False)
        except (TypeError, ValueError) as error:
            reason = str(getattr(error, "message", error)).strip().splitlines()[0].rstrip(".")
            reason = re.sub(r"\bX\b", "X_imputed", reason)
            raise InputError(
                reason if "X_imputed" in reason else f"X_imputed is no table: {reason}",
                remedy=getattr(error, "remedy", None) or "give guesses with the columns of X",
            ) from error

    def _check_imputed(self, array: np.ndarray, rows: np.ndarray, columns) -> None:
        """Guesses are there where X is missing, and categories are known ones."""
        asked = np.isnan(columns.X) & (columns.n_known > 0)
        names = getattr(self, "feature_names_in_", range(array.shape[1]))
        lacking = asked & np.isnan(array)
        if lacking.any():
            i, j = np.argwhere(lacking)[0]
            raise InputError(
                f"the guess of X_imputed in row {rows[i]}, column {str(names[j])!r} is nan, not a "
                "number or category",
                remedy="give a guess where X is missing",
            )
        n = columns.n_categories
        unknown = asked & (n > 0) & ((array < 0) | (array >= n) | (array != np.rint(array)))
        if unknown.any():
            i, j = np.argwhere(unknown)[0]
            raise InputError(
                f"the guess of X_imputed in row {rows[i]}, column {str(names[j])!r} is a category "
                "that X does not have, not a category's code",
                remedy="guess one of the categories of X",
            )

    def _encode(self, X, *, reset: bool) -> np.ndarray:
        array = super()._encode(X, reset=reset)
        check_choice("missing_at_prediction", self.missing_at_prediction, ("propagate", "impute"))
        if reset or self.missing_at_prediction != "impute":
            return array
        return self._fitted_imputer().fill(array)

    def _fitted_imputer(self) -> TableImputer:
        if self._imputer is None:
            raise InputError(
                "no imputer was fitted: the training set had no missing value, or its guesses were "
                "given",
                remedy="set missing_at_prediction='impute' before fit",
            )
        return self._imputer

    @property
    def imputer_(self):
        """The fitted imputer, or None."""
        check_is_fitted(self, "tree_")
        return None if self._imputer is None else self._imputer.imputer

    def impute(self, X):
        """Fill missing values by the imputer that was fitted on the training set.

        Parameters
        ----------
        X : (n, m) array or data frame
            Like that of `fit`.

        Returns
        -------
        (n, m) float64 array, or data frame
            As X is; whole and Boolean columns with a gap become floats, and a categorical column
            has the guessed categories beside its own. Variables without a known value in
            training stay missing.

        Raises
        ------
        InputError
            There was nothing to guess in training, or guesses were given, so that no imputer was
            fitted.
        """
        check_is_fitted(self, "tree_")
        imputer = self._fitted_imputer()
        array = super()._encode(X, reset=False)
        filled = imputer.fill(array)
        if not is_frame(X):
            return filled
        frame = X.copy()
        for j, name in enumerate(X.columns):
            missing = np.isnan(array[:, j]) & ~np.isnan(filled[:, j])
            if not missing.any():
                continue
            if j not in self._category_labels:
                dtype = X.dtypes.iloc[j]
                values = np.where(missing, filled[:, j], array[:, j])
                frame[name] = values  # of any index
                if dtype.kind == "f":
                    frame[name] = frame[name].astype(dtype)
                continue
            imputed = [self._category_labels[j][int(code)] for code in filled[missing, j]]
            frame[name] = _with_categories(X.iloc[:, j], missing, imputed)
        return frame


def _n_axes(table) -> int:
    """2 for a table. A list of lists of different lengths has none."""
    try:
        return np.ndim(table)
    except ValueError:
        return 0


def _with_categories(column, missing: np.ndarray, imputed: list):
    """A column of a data frame with guesses in place of what is missing."""
    import pandas as pd

    values = column.astype(object).to_numpy(copy=True)
    values[missing] = imputed
    if not isinstance(column.dtype, pd.CategoricalDtype):
        return values
    labels = list(column.cat.categories)
    labels += [label for label in dict.fromkeys(imputed) if label not in labels]
    return pd.Categorical(values, categories=labels, ordered=column.cat.ordered)
