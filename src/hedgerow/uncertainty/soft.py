"""Soft trees: noise in the search, in training propagation, in evaluation (thesis 3.2)."""

from __future__ import annotations

from hedgerow.checks import check_choice, check_number
from hedgerow.errors import warn_user
from hedgerow.induction.base import FROM_DTYPE
from hedgerow.induction.c45 import C45Classifier
from hedgerow.induction.core import check_size
from hedgerow.induction.measurement import by_column, keep_after_fit, resolve_error
from hedgerow.tree.gates import FINEST, GATES_AT, STEP, WIDEST, WINDOW, resolve_noise
from hedgerow.uncertainty.units import UNITS, error_unit_of, zero_mean_columns

PARTS = ("search", "propagation", "evaluation")


class SoftTreeClassifier(C45Classifier):
    """C4.5 that knows how noisy its measurements are (thesis, chapter 3).

    Three parts, each with its own noise and free to be combined: soft search (SS) smooths the
    gain over candidate thresholds, soft training propagation (STP) divides training instances
    between the branches, soft evaluation (SE) does so with instances to be predicted.

    Parameters
    ----------
    search, propagation, evaluation : None, float, noise model, array, sequence, dict or Series
        None: hard. A number u: normal noise with a standard deviation of u times `error_unit`. A
        noise model is any object with ``cdf(d)``, the distribution function of the error d =
        true minus measured value in the variable's unit, such as a frozen scipy.stats
        distribution. One for all variables, one for each in an array or sequence, or a dict or
        Series by column name (or number); columns that it does not name have no error. Numbers
        are at most 1e150.
    window : float from 1e-6 to 1e9, default 6.0
        Width of the noise distribution that is considered, in sigma: beyond half of it either
        way its distribution function is cut to 0 and 1.
    step : float from 1e-6 to `window`, default 0.1
        Distance of candidate thresholds in soft search, in sigma; at most 100,000 steps in a
        window, and no more than the memory holds.
    gate_at : {"threshold", "midpoint", "ties_right"}, default "threshold"
        Centre of the gates of STP and SE: the threshold itself, as in the equations, or
        half-way to the next lower value at the node, which tends to C4.5 as u falls to 0. So does
        "ties_right": as "threshold", but a value on the threshold goes right whole, as in C4.5.
    error_unit : {"mean", "sd", "range", "absolute"}, default "mean"
        Of which numbers are shares: the absolute mean (thesis), the standard deviation or the
        range of the variable's known training values; "absolute": standard deviations of the
        error in the variable's unit. Noise models have a unit of their own.
    error : optional, default None
        Errors of measurement, for each of the three parts that has none of its own: by column, by
        row, in any form of `hedgerow.resolve_error`, whatever `error_unit` is. Of errors by row the
        tree keeps the root mean square, for rows of which nothing is said.
    confidence, prune, subtree_raising, laplace, repetition_factor, min_samples_split, \
min_samples_leaf, max_depth, candidates, categorical_features, smoothing, reliability, weights, \
criterion, class_weight, random_state, n_jobs
        As in `C45Classifier`.

    Attributes
    ----------
    tree_ : hedgerow.Tree
        Carries the noise of soft evaluation as its gate.

    Raises
    ------
    InputError
        A factor below 0, a model without ``cdf``, an error for a column that X has not, a grid of
        candidates that needs more memory than there is, and whatever `C45Classifier` raises.

    Warns
    -----
    HedgerowWarning
        No error in any of the three parts, which is C4.5; an error as a share of a mean that is
        about 0 (less than a tenth of the mean size of the values), as after centring; and as
        `C45Classifier`.

    Notes
    -----
    Weights below a thousandth of an instance are dropped by STP, the other side takes them.
    Categorical variables carry no noise.

    References
    ----------
    Thesis, sections 3.2.1 to 3.2.3, equations 3.5 to 3.10.

    Examples
    --------
    C4.5 would split these measurements at 6, the soft search half-way between the classes:

    >>> from hedgerow import SoftTreeClassifier
    >>> soft = SoftTreeClassifier(search=0.15, prune=False)
    >>> soft = soft.fit([[2.0], [2.0], [6.0], [6.0]], [0, 0, 1, 1])
    >>> round(float(soft.tree_.threshold[0]), 1)
    4.0
    """

    _understands = C45Classifier._understands | {"error"}
    _parts = PARTS  # that `error` is for
    _tells_hard = True  # without any error it is C4.5, and says so

    def __init__(
        self,
        search=None,
        propagation=None,
        evaluation=None,
        window=WINDOW,
        step=STEP,
        gate_at="threshold",
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
        reliability="node",
        weights="auto",
        criterion="information_gain",
        class_weight=None,
        random_state=None,
        error=None,
        n_jobs=None,
    ):
        self._set_shared(locals())
        self.search = search
        self.propagation = propagation
        self.evaluation = evaluation
        self.window = window
        self.step = step
        self.gate_at = gate_at
        self.error_unit = error_unit
        self.error = error

    def _understood(self, data):
        """No errors where each part has noise of its own."""
        taken = all(getattr(self, name) is not None for name in self._parts)
        return self._understands - {"error"} if taken else self._understands

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_number("window", self.window, FINEST, WIDEST)
        check_number("step", self.step, FINEST, self.window)
        check_choice("gate_at", self.gate_at, GATES_AT)
        check_choice("error_unit", self.error_unit, UNITS)

    def _soft_settings(self, columns) -> dict:
        propagation = self._noise("propagation", columns)
        return {
            "grow": {
                "search": self._noise("search", columns),
                "propagation": propagation,
                "window": self.window,
                "step": self.step,
                "gate_at": self.gate_at,
            },
            "prune": {
                "propagation": propagation,
                "window": self.window,
                "gate_at": self.gate_at,
            },
        }

    def _evaluation_gate(self, tree, columns):
        gate = self._noise("evaluation", columns)
        if gate is not None:
            gate = keep_after_fit(gate.at(self.gate_at))
        check_size(columns, gate)
        self._warn_of_no_error(columns)  # the last step, when all that was given has been checked
        return gate

    def _error_gate(self, error, n_rows=None, kept=None):
        """Redrawn at each test, as in the thesis (3.2.3)."""
        check_number("window", self.window, FINEST, WIDEST)  # they may be set after a fit
        check_choice("gate_at", self.gate_at, GATES_AT)
        gate = resolve_error(
            error,
            self._n_categories,
            getattr(self, "feature_names_in_", ()),
            n_rows=n_rows,
            kept=kept,
            draws="per_test",
            window=self.window,
        )
        return gate if gate is None else gate.at(self.gate_at)

    def _noise(self, name: str, columns):
        if getattr(self, name) is None and self._error is not None and name in self._parts:
            return self._training_gate(once=name == "evaluation")
        return resolve_noise(
            self._errors(name, columns),
            error_unit_of(columns, self.error_unit),
            columns.n_categories,
            window=self.window,
            name=name,
        )

    def _errors(self, name: str, columns):
        """A part as the user gave it, by column number where it was by name."""
        names = getattr(self, "feature_names_in_", ())
        return by_column(getattr(self, name), columns.n_variables, names, name)

    def _warn_of_no_error(self, columns) -> None:
        """Say so where the tree is that of C4.5 although it is called soft."""
        given = [self._error, *(getattr(self, name) for name in PARTS)]
        if self._tells_hard and all(spec is None for spec in given):
            message = (
                f"{type(self).__name__} has no error and is C4.5: give one for search, propagation "
                "or evaluation, such as propagation=0.1, or take C45Classifier"
            )
        elif self.error_unit == "mean" and (
            zero_mean := zero_mean_columns(columns, [self._errors(name, columns) for name in PARTS])
        ):
            names = getattr(self, "feature_names_in_", range(columns.n_variables))
            shown = ", ".join(repr(names[j]) for j in zero_mean[:3])
            more = f" and {len(zero_mean) - 3} more" if len(zero_mean) > 3 else ""
            message = (
                f"errors are shares of the mean, which is about 0 in {len(zero_mean)} of "
                f"{columns.n_variables} columns ({shown}{more}), where C4.5 is left: give "
                "error_unit='sd', 'range' or 'absolute'"
            )
        else:
            return
        warn_user(message)
