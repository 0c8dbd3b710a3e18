"""What every estimator shares: from a user's table to the arrays of the core, and back."""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils import check_array
from sklearn.utils.class_weight import compute_sample_weight
from sklearn.utils.validation import (
    _check_feature_names,
    _check_n_features,
    check_consistent_length,
    check_is_fitted,
)

from hedgerow.checks import (
    BEYOND_USE,
    LARGEST,
    LARGEST_COUNT,
    check_choice,
    check_flag,
    check_number,
    check_rows,
    check_total,
    checked_weights,
    class_labels,
    suggesting,
    without_mask,
)
from hedgerow.errors import InputError, warn_user
from hedgerow.induction._columns import MOST_CATEGORIES, Columns
from hedgerow.induction.measurement import (
    check_error_order,
    column_number,
    resolve_error,
    warn_of_scales,
)
from hedgerow.induction.uncertain_table import (
    KINDS_OF_UNCERTAINTY,
    Fractions,
    Uncertain,
    fractions_of,
)
from hedgerow.optional_imports import is_frame, of_polars
from hedgerow.tree.gates import NoiseGate
from hedgerow.tree.labels import codes_in
from hedgerow.tree.table import check_frame, column_numbers

if TYPE_CHECKING:
    import pandas as pd

FROM_DTYPE = "from_dtype"
#: How sample weights may be meant.
WEIGHTS = ("auto", "counts", "relative")
ROWS_AT_ONCE = 1 << 14  # of a table that is checked
FLOATS = (np.float64, np.float32)  # native: `==` is false of the other byte order


def relative_weights(weight: np.ndarray) -> np.ndarray:
    """Weights in the same proportions that are 1 on average, (n,) float64.

    weight : (n,) float64 above 0
    """
    # The sum of the largest and of the smallest numbers is finite, and no row is lost.
    weight = np.maximum(weight / weight.max(), np.finfo(np.float64).tiny)
    weight = weight * (len(weight) / weight.sum())
    # Shares of equal rows are whole again: 1 - 1e-16 would be less than a minimum of 1.
    whole = np.rint(weight)
    return np.where(np.abs(weight - whole) <= 1e-12 * weight, whole, weight)


def meant_weights(meaning: str, weight: np.ndarray, least: float) -> np.ndarray:
    """Weights as they are meant, (n,) float64: numbers of instances, or scaled to be such.

    meaning: "auto": relative where their sum says so, which is 1, or below `least` while the rows
    are as many: of so few instances no tree is grown.
    """
    if meaning == "auto":
        with np.errstate(over="ignore"):
            total = weight.sum()
        shares = len(weight) > 1 and abs(total - 1.0) <= 1e-6
        # 1e-9: as in growth, where fractions that add up to a minimum reach it.
        relative = shares or total + 1e-9 < least <= len(weight)
    else:
        relative = meaning == "relative"
    if relative:
        return relative_weights(weight)
    check_total(weight)
    return weight


def _check_product(
    weight: np.ndarray, rows: np.ndarray | None, what: str = "sample_weight times class_weight"
) -> None:
    """Refuse products of weights that are no weights any more; rows: their numbers in X."""
    usable = np.isfinite(weight) & (weight > 0)
    if not usable.all():
        place = int((~usable).argmax())
        raise InputError(
            f"{what} is 0 or not finite in row {place if rows is None else int(rows[place])}",
            remedy="give weights of a usual size",
        )


def _as_numbers(X, learner) -> np.ndarray:
    """A table without names as float64; a text in it is named with its place."""
    try:
        return check_array(
            X, dtype=np.float64, ensure_all_finite=False, estimator=learner, input_name="X"
        )
    except ValueError as error:
        table = np.asarray(X, dtype=object)
        if "could not convert string" not in str(error) or table.ndim != 2:
            raise
        for (row, j), value in np.ndenumerate(table):
            try:
                float(value)
            except (TypeError, ValueError):
                raise InputError(
                    f"column {j} of X holds text ({value!r} in row {row}), not numbers",
                    remedy="give a data frame, and turn the column into a pandas categorical",
                ) from None
        raise


def impurity_of(learner: Any) -> str:
    """Impurity that the criterion of a fitted learner lowered, as `Tree.importances` takes it."""
    return getattr(learner, "_impurity", None) or _impurity(learner)


def _impurity(learner: Any) -> str:
    criterion = getattr(learner, "criterion", getattr(learner, "objective", None))
    return criterion if criterion in ("gini", "errors") else "entropy"


def transaction(fit: Callable[..., Any]) -> Callable[..., Any]:
    """A fit that leaves nothing of its rows in the learner, and where it raises, nothing at all."""

    @functools.wraps(fit)
    def fit_or_restore(self, *args, **kwargs):
        before = dict(self.__dict__)
        try:
            return fit(self, *args, **kwargs)
        except BaseException:
            # Each fit assigns new objects: those of the fit before are as they were.
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        finally:
            for name in ("_rows_given", "_uncertainty", "_fractions"):
                self.__dict__.pop(name, None)

    return fit_or_restore


def _predicted(learner, X, error) -> np.ndarray:
    """Probabilities; learners that others write may know of no error."""
    return learner.predict_proba(X) if error is None else learner.predict_proba(X, error=error)


class TreeClassifierMixin(ClassifierMixin, BaseEstimator):
    """Base of classifiers that hold one fitted `hedgerow.tree.Tree` in ``tree_``."""

    #: Doubts of `Uncertain` that `fit` reads; the errors of rows to be predicted are read by all.
    _understands: frozenset[str] = frozenset()

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.categorical = True
        return tags

    @property
    def _least_weight(self) -> float:
        """Weight of a node that is split, for `meant_weights`."""
        return self.min_samples_split

    def _check_growth(self) -> None:
        """Parameters that stop the growth of a branch, of every learner that has them."""
        check_number("min_samples_split", self.min_samples_split, 0.0, LARGEST)
        check_number("min_samples_leaf", self.min_samples_leaf, 0.0, LARGEST)
        check_number("max_depth", self.max_depth, 0, LARGEST_COUNT, whole=True, optional=True)
        check_choice("candidates", self.candidates, ("values", "midpoints"))
        check_choice("weights", self.weights, WEIGHTS)
        check_flag("smoothing", self.smoothing)

    def _check_pruning(self) -> None:
        """Parameters of C4.5's tests and of its pruning."""
        check_number("confidence", self.confidence, 0.0, 1.0)
        check_number("repetition_factor", self.repetition_factor, 0.0, BEYOND_USE)
        check_flag("subtree_raising", self.subtree_raising)
        check_flag("laplace", self.laplace)

    @transaction
    def fit(self, X, y=None, sample_weight=None):
        """Learn the tree.

        Parameters
        ----------
        X : (n, m) array, data frame or `hedgerow.Uncertain`
            Numbers (NaN is missing) and pandas categoricals.
        y : (n,) array
            Class labels; of uncertain data that name their classes, none are needed.
        sample_weight : (n,) array, optional
            At least 0; a row of weight 0 is as if absent.

        Returns
        -------
        self
        """
        return self._fit(X, y, sample_weight)

    # -- input --------------------------------------------------------------------------

    def _encode(self, X, *, reset: bool) -> np.ndarray:
        """The table as float64, NaN for missing, categories as codes."""
        if not reset and (array := self._plain(X)) is not None:
            return array
        X = without_mask(of_polars(X))
        check_frame(X)
        _check_feature_names(self, X, reset=reset)
        if is_frame(X):
            array = self._encode_frame(X, reset=reset)
        else:
            if reset:
                self._category_labels: dict[int, list[Any]] = {}
            array = _as_numbers(X, self)
            if not reset and self._category_labels and self._by_code is False:
                raise InputError(
                    f"{type(self).__name__} was fitted on a data frame with categorical columns "
                    "but X is an array",
                    remedy="give a data frame with the same columns",
                )
        _check_n_features(self, array, reset=reset)
        # A block at a time: flags for the whole table would take an eighth of its memory.
        for start in range(0, len(array), ROWS_AT_ONCE):
            infinite = np.isinf(array[start : start + ROWS_AT_ONCE])
            if not infinite.any():
                continue
            row, j = np.argwhere(infinite)[0]
            row += start
            names = getattr(self, "feature_names_in_", None)
            column = repr(str(names[j])) if names is not None else str(j)
            raise InputError(
                f"X holds an infinite value (infinity) in row {row}, column {column}",
                remedy="replace it by a number, or by NaN where the value is missing",
            )
        if reset:
            self._resolve_categories(array)
        return array

    def _plain(self, X) -> np.ndarray | None:
        """A few rows of floats with the columns of the fit; None: all checks are made."""
        fitted = self.__dict__
        if type(X) is np.ndarray:
            if "feature_names_in_" in fitted or X.dtype not in FLOATS:
                return None
            array = X
        elif is_frame(X):
            names = fitted.get("feature_names_in_")
            if names is None or not np.array_equal(X.columns.values, names):
                return None
            if any(dtype != np.float64 for dtype in X.dtypes.values):
                return None
            array = X.to_numpy()
        else:
            return None
        if (
            array.ndim != 2
            or not 0 < array.size <= ROWS_AT_ONCE
            or array.shape[1] != fitted.get("n_features_in_")
            or fitted.get("_category_labels")
            or np.isinf(array).any()
        ):
            return None
        return array.astype(np.float64, copy=False)

    def _encode_frame(self, X: pd.DataFrame, *, reset: bool) -> np.ndarray:
        import pandas as pd

        if X.shape[0] == 0 or X.shape[1] == 0:
            check_array(X, estimator=self)
        if reset:
            self._category_labels = {}
            self._by_code = False
        if not reset and X.shape[1] != self.n_features_in_:
            _check_n_features(self, X, reset=False)
        array = np.empty(X.shape, dtype=np.float64)
        for j, (name, column) in enumerate(X.items()):
            from_dtype = reset and self.categorical_features == FROM_DTYPE
            if from_dtype and isinstance(column.dtype, pd.CategoricalDtype):
                self._category_labels[j] = list(column.cat.categories)
            if j in self._category_labels:
                array[:, j] = codes_in(column, self._category_labels[j], name)
            else:
                array[:, j] = column_numbers(column)
        check_array(array, ensure_all_finite=False, estimator=self, input_name="X")
        return array

    def _resolve_categories(self, array: np.ndarray) -> None:
        """Number of categories of each variable, 0 for numeric ones."""
        m = array.shape[1]
        counts = np.zeros(m, dtype=np.int32)
        for j, labels in self._category_labels.items():
            counts[j] = max(len(labels), 1)
        named = self.categorical_features
        if named is not None and not (isinstance(named, str) and named == FROM_DTYPE):
            names = list(getattr(self, "feature_names_in_", []))
            for entry in self._named_features(named, m, names):
                if entry in self._category_labels:
                    continue
                column = array[:, entry]
                codes = column[~np.isnan(column)]
                if codes.size and codes.max() >= MOST_CATEGORIES:
                    raise InputError(
                        f"categorical variable {entry} of X holds the code {codes.max():g}",
                        remedy=f"code its categories from 0, at most {MOST_CATEGORIES} of them, or "
                        "use a pandas categorical",
                    )
                if (codes < 0).any() or (codes != np.rint(codes)).any():
                    raise InputError(
                        f"categorical variable {entry} of X holds values other than 0, 1, 2, ...",
                        remedy="code its categories from 0, or use a pandas categorical",
                    )
                counts[entry] = int(codes.max()) + 1 if codes.size else 1
            self._by_code = True
        self._n_categories = counts

    def _named_features(self, named, m: int, names: list) -> list[int]:
        named = list(np.atleast_1d(np.asarray(named, dtype=object)))
        if named and all(isinstance(v, (bool, np.bool_)) for v in named):
            if len(named) != m:
                raise InputError(
                    f"categorical_features has {len(named)} flags for {m} variables",
                    remedy="give one flag per variable",
                )
            return [j for j, flag in enumerate(named) if flag]
        numbers = []
        for entry in named:
            remedy = "give column names, numbers, or one flag per variable"
            numbers.append(column_number(entry, m, names, "categorical_features", remedy=remedy))
        return numbers

    # -- doubts ---------------------------------------------------------------------------

    def _understood(self, data: Uncertain) -> frozenset[str]:
        """Doubts of these data that `fit` reads."""
        return self._understands

    def _warn_of_ignored(
        self, data: Uncertain, read: Collection[str], predicting: bool = False
    ) -> None:
        """One warning of all uncertainty of a table that is not read here."""
        # What is predicted is the class: plausibilities of it are not missed there.
        asked = {"y_plausibility"} if predicting else set()
        ignored = [name for name in data.given if name not in asked.union(read)]
        if ignored:
            parts = " and ".join(name for name in KINDS_OF_UNCERTAINTY if name in read)
            parts = f"; {'in prediction ' * predicting}it reads {parts}" if parts else ""
            warn_user(
                f"{type(self).__name__} ignores {' and '.join(ignored)} of the uncertain data"
                f"{parts} (docs/methods/doubt.md tells what each learner reads)"
            )

    def _taken_in(self, X, y):
        """Table and classes of training, of `Uncertain` as of plain data."""
        self._uncertainty: Uncertain | None = None
        if not isinstance(X, Uncertain):
            return X, y
        understood = self._understood(X)
        self._warn_of_ignored(X, understood)
        if X.error is not None and "error" in understood and self._error is not None:
            raise InputError(
                f"error is given to {type(self).__name__} and with the data",
                remedy="give it in one of the two places",
            )
        self._uncertainty = X  # until the fit is over
        return X.X, X.likeliest() if y is None else y

    @property
    def _error(self) -> Any:
        """Errors of the training set: given with it, or as the parameter."""
        uncertainty = self.__dict__.get("_uncertainty")
        if uncertainty is not None and uncertainty.error is not None:
            return uncertainty.error
        return getattr(self, "error", None)

    def _training_gate(self, once: bool = False) -> NoiseGate | None:
        """The same as this learner reads them, while it is fitted.

        once: of a row that has become several, one.
        """
        n, kept = self._rows_given
        if once and self._fractions is not None and kept is not None:
            kept = kept[self._fractions.first]
        return self._error_gate(self._error, n, kept)

    def _unpacked(self, X, error):
        """A table to be read and its errors, of `Uncertain` as of plain data."""
        if not isinstance(X, Uncertain):
            return X, error
        # Guesses are read in fit alone; E2M reads reliabilities by a way of its own.
        self._warn_of_ignored(X, {"error"}, predicting=True)
        if error is not None and X.error is not None:
            raise InputError(
                "error is given beside uncertain data, which have errors of their own",
                remedy="give it in one of the two places",
            )
        return X.X, X.error if error is None else error

    def _of_classes(self, y: np.ndarray, share: np.ndarray | None = None) -> np.ndarray:
        """Weight of each row by its class, (n,) float64; share: of which each row is a part."""
        given = self.class_weight
        if share is not None and isinstance(given, str) and given == "balanced":
            labels, codes = np.unique(y, return_inverse=True)
            counts = len(labels) * np.bincount(codes, share)
            given = dict(zip(labels.tolist(), share.sum() / counts, strict=True))
        try:
            weight = compute_sample_weight(given, y)
        except (ValueError, TypeError) as error:
            raise InputError(
                f"class_weight is {self.class_weight!r}: {str(error).rstrip('.')}",
                remedy="give 'balanced', or a dictionary with a weight above 0 for each class",
            ) from None
        if not (np.isfinite(weight) & (weight > 0)).all():
            raise InputError(
                f"class_weight is {self.class_weight!r}",
                remedy="give each class a finite weight above 0",
            )
        return weight

    def _checked_rows(self, X, y, sample_weight):
        """Checked table, classes and weights of training; sets the names.

        Returns: `kept` A row of weight 0 is as if absent: it brings no class of its own.
        """
        X, y = self._taken_in(X, y)
        if y is None and self._uncertainty is not None:
            self._uncertainty.classes_of(None)  # says what it lacks
        if y is None:
            raise ValueError(
                f"{type(self).__name__} requires y to be passed, but the target y is None"
            )
        check_rows(X)
        array = self._encode(X, reset=True)
        y = class_labels(y)
        check_consistent_length(array, y)
        plausible_classes = None if self._uncertainty is None else self._uncertainty.classes_of(y)
        weight, kept = checked_weights(sample_weight, array.shape[0]), None
        self._rows_given: tuple[int, np.ndarray | None] = array.shape[0], None
        if weight is not None:
            kept = weight > 0
            self._rows_given = array.shape[0], kept  # until the fit is over: errors by row fit them
            array, y, weight = array[kept], y[kept], weight[kept]
            if plausible_classes is not None:
                plausible_classes = plausible_classes[0], plausible_classes[1][kept]
        warn_of_scales(
            self._error, array, self._n_categories, getattr(self, "feature_names_in_", ())
        )
        return array, y, weight, kept, plausible_classes

    def _training_set(self, X, y, sample_weight, keep_after_fit: bool = True) -> Columns:
        """Checked training data; sets ``classes_`` and names. `keep_after_fit`: see `Columns`."""
        array, y, weight, kept, plausible_classes = self._checked_rows(X, y, sample_weight)
        self._fractions: Fractions | None = None
        if plausible_classes is None or "y_plausibility" not in self._understands:
            self.classes_, codes = np.unique(y, return_inverse=True)
        else:
            self.classes_, plausible = plausible_classes
            rows, codes, share = fractions_of(plausible)
            y = self.classes_[codes]
            if len(rows) > len(array):
                return self._fractional_set(
                    array, y, codes, rows, share, weight, kept, keep_after_fit
                )
        if weight is None:
            self._warn_of_shares(len(array))
        counted, per_weight = self._counted(weight), None
        if getattr(self, "class_weight", None) is not None:
            with np.errstate(over="ignore", under="ignore"):
                weight = self._of_classes(y) * (1.0 if weight is None else weight)
            _check_product(weight, None if kept is None else np.flatnonzero(kept))
            weight = meant_weights(self.weights, weight, self._least_weight)
            per_weight = np.ones(len(self.classes_))
            per_weight[codes] = (1.0 if counted is None else counted) / weight
        else:
            weight = counted
        self._warn_of_weights(counted)
        self.n_classes_ = len(self.classes_)
        return Columns(
            array,
            codes,
            len(self.classes_),
            weight,
            self._n_categories,
            keep_after_fit=keep_after_fit,
            rows_per_weight=per_weight,
        )

    def _counted(self, weight: np.ndarray | None) -> np.ndarray | None:
        """Sample weights as minima count them."""
        return None if weight is None else meant_weights(self.weights, weight, self._least_weight)

    def _fractional_set(
        self, array, y, codes, rows, share, weight, kept, keep_after_fit
    ) -> Columns:
        """Rows whose class is doubtful as several of one class each, which add up to the row.

        y, codes, rows, share : (n_parts,) class of each part, its row and how much of it it is.
        """
        n, total, by_class = len(array), weight, np.ones(len(self.classes_))
        counted, per_weight = self._counted(weight), None
        given = np.arange(n) if kept is None else np.flatnonzero(kept)
        with np.errstate(over="ignore", under="ignore"):
            if getattr(self, "class_weight", None) is not None:
                by_class[codes] = self._of_classes(y, share)
                weight = np.bincount(rows, share * by_class[codes], n)
                weight = weight if total is None else weight * total
                _check_product(weight, given)
            total = np.ones(n) if total is None else total
            if weight is not None:  # what whole rows weigh says how weights are meant, not parts
                total = total * (meant_weights(self.weights, weight, self._least_weight) / weight)
            parts = share * by_class[codes] * total[rows]
        _check_product(parts, given[rows], "the weight of a plausible class")
        if getattr(self, "class_weight", None) is not None:
            per_weight = np.ones(len(self.classes_))
            per_weight[codes] = share * (1.0 if counted is None else counted[rows]) / parts
        self._warn_of_weights(counted)
        self._fractions = Fractions(rows, share, total, by_class)
        self._rows_given = self._rows_given[0], given[rows]
        self.n_classes_ = len(self.classes_)
        return Columns(
            array[rows],
            codes,
            len(self.classes_),
            parts,
            self._n_categories,
            keep_after_fit=keep_after_fit,
            rows_per_weight=per_weight,
        )

    def _warn_of_shares(self, n_rows: int) -> None:
        """Say so where a minimum looks like a share of the rows, as scikit-learn takes it."""
        for name in ("min_samples_split", "min_samples_leaf"):
            least = getattr(self, name, 0)
            if 0 < least < 1:
                warn_user(
                    f"{name} is {least:g}, a number of instances, which every node has; for a "
                    f"share of the {n_rows} rows give {name}={math.ceil(least * n_rows)}"
                )

    def _warn_of_weights(self, weight: np.ndarray | None) -> None:
        """Say so where weights that are taken as counts are too few for any test."""
        # 1e-9: as in growth, where fractions that add up to a minimum reach it.
        if weight is not None and weight.sum() + 1e-9 < self.min_samples_split <= len(weight):
            warn_user(
                f"the sample weights add up to {weight.sum():.3g}, less than min_samples_split = "
                f"{self.min_samples_split:g}, so that the tree is a single leaf: weights are taken "
                "as numbers of instances; if they are relative to each other, as in boosting, "
                "give weights='relative'"
            )

    def _finish(self, tree, gate=None):
        """Give the tree its labels and store it."""
        self._impurity = _impurity(self)  # the criterion may be set after the fit
        self.tree_ = tree.replace(
            classes=self.classes_,
            feature_names=getattr(self, "feature_names_in_", None),
            categories={j: [str(v) for v in c] for j, c in self._category_labels.items()},
            gate=gate,
        )
        return self

    # -- errors of measurement ------------------------------------------------------------

    def _error_gate(self, error, n_rows: int | None = None, kept=None) -> NoiseGate | None:
        """Errors of measurement in the forms of `resolve_error`, as this learner reads them.

        n_rows, kept : see there.
        """
        return resolve_error(
            error,
            self._n_categories,
            getattr(self, "feature_names_in_", ()),
            n_rows=n_rows,
            kept=kept,
            draws=getattr(self, "draws", "once"),
        )

    def _read(self, X, error):
        """A table as the tree reads it, and the gate that it is read with."""
        if "tree_" not in self.__dict__:
            check_is_fitted(self, "tree_")
        X, error = self._unpacked(X, error)
        if error is not None:
            check_error_order(error, X)
        array = self._encode(X, reset=False)
        return array, "own" if error is None else self._error_gate(error, len(array))

    # -- output -------------------------------------------------------------------------

    def predict_proba(self, X, error=None) -> np.ndarray:
        """Class probabilities, (n, n_classes): leaves mixed by the gates."""
        return self._probabilities(*self._read(X, error))

    def _probabilities(self, table, gate) -> np.ndarray:
        """Class probabilities of a table and a gate as `_read` gives them, (n, n_classes)."""
        return self.tree_.predict_proba(table, evaluation=gate, smoothing=self._smoothing())

    def _smoothing(self) -> bool:
        """Whether leaves are smoothed, which may be set after a fit."""
        smoothing = getattr(self, "smoothing", False)
        check_flag("smoothing", smoothing)
        return bool(smoothing)

    def predict_log_proba(self, X, error=None) -> np.ndarray:
        """Natural logarithms of `predict_proba`, (n, n_classes); minus infinity at 0."""
        with np.errstate(divide="ignore"):
            return np.log(_predicted(self, X, error))

    def predict(self, X, error=None) -> np.ndarray:
        """The most probable class of each row (ties: the first in ``classes_``), (n,).

        `error` as in `predict_proba`.
        """
        most = _predicted(self, X, error).argmax(axis=1)
        return self.classes_[most]

    def apply(self, X, error=None) -> np.ndarray:
        """Number of the leaf with the largest share of each row (ties: the lower), (n,) int.

        `error` as in `predict_proba`.
        """
        array, gate = self._read(X, error)
        return self.tree_.apply(array, gate)

    def decision_path(self, X, error=None) -> sparse.csr_array:
        """Nodes that each row reaches with a share above 0, (n, n_nodes) sparse of ones.

        `error` as in `predict_proba`.
        """
        array, gate = self._read(X, error)
        return self.tree_.decision_path(array, gate)

    @suggesting
    def explain(self, X, error=None, *, given: str = "measured"):
        """Why rows are answered as they are, and how sure that is (`hedgerow.explanation`).

        given: as in `Tree.explain`.

        Returns: of one row, or of the rows of a table.
        """
        X, error = self._unpacked(X, error)
        # By its name: the digest of a learner follows imports.
        explanation = importlib.import_module("hedgerow.explanation")
        return explanation.explain_learner(self, X, error, given)

    def to_sklearn(self):
        """The fitted tree as a `sklearn.tree.DecisionTreeClassifier` (`hedgerow.exchange`).

        With the classes, the names and the number of variables of the training table. Its
        probabilities are those of `predict_proba` for rows without missing values that 32-bit
        floats can tell apart.

        Raises
        ------
        InputError
            The tree tests categories, or divides rows by a gate, as soft trees do.
        """
        check_is_fitted(self, "tree_")
        return self.tree_.to_sklearn(
            self.n_features_in_,
            candidates=getattr(self, "candidates", "values"),
            smoothing=self._smoothing(),
        )

    def get_depth(self) -> int:
        """Number of tests on the longest path."""
        check_is_fitted(self, "tree_")
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Number of leaves."""
        check_is_fitted(self, "tree_")
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> np.ndarray:
        """How much the tests of each variable lower the impurity, (m,) float64; adds up to 1.

        The impurity is that of the learner's `criterion`, or of the `objective` of an optimal tree:
        the Gini index, errors, or entropy (of "information_gain" and "log_loss"). Gain ratio and
        macro F1 have no impurity of a node, and neither have learners without these parameters:
        entropy is used there. All 0 for a tree without a test.
        """
        check_is_fitted(self, "tree_")
        return self.tree_.importances(self.n_features_in_, impurity_of(self))
