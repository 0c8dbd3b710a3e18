"""Checks of single parameters: one clear sentence with culprit and remedy."""

from __future__ import annotations

import functools
import inspect
import math
import os
import sys
from collections.abc import Callable, Mapping
from numbers import Integral, Real

import numpy as np

from hedgerow.errors import InputError
from hedgerow.texts import did_you_mean

#: The largest whole number that the compiled cores count with.
LARGEST_COUNT = sys.maxsize
#: Largest of numbers without a unit, such as factors and penalties: beyond use, and still finite
#: when multiplied.
BEYOND_USE = 1e12
#: Largest of values, errors and weights, in whatever unit: squares and sums of them stay finite.
LARGEST = 1e150
#: Sums of weights stay below: from 2^53 on, one instance more no longer changes a sum.
EXACT = 2.0**53
#: Rows of a training set, which the cores number by whole numbers of 32 bits.
MOST_ROWS = 2**31 - 1
MOST_THREADS = 1024
GIB = 2.0**30
UNKNOWN_MEMORY = 64 * GIB  # taken for that of a machine which does not say


def check_number(
    name: str,
    value,
    low: float,
    high: float = math.inf,
    *,
    whole: bool = False,
    optional: bool = False,
):
    """A parameter within [low, high], or None where it is optional, or an InputError."""
    if optional and value is None:
        return
    kind, number = (Integral, "a whole number") if whole else (Real, "a number")
    or_none = ", or None" if optional else ""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, kind) or value != value:
        raise InputError(f"{name} is {value!r}", remedy=f"give {number}{or_none}")
    # A number of numpy would turn the bounds into its own kind, which may not hold them.
    plain = value.item() if isinstance(value, np.generic) else value
    if not low <= plain <= high:
        # A bound of the computer does not help somebody who gave a negative number.
        upper = "" if high >= EXACT and plain < low else f" and at most {high:g}"
        remedy = f"give {number} of at least {low:g}{upper if high < math.inf else ''}{or_none}"
        raise InputError(f"{name} is {value!r}", remedy=remedy)


def check_jobs(name: str, value) -> None:
    """A number of threads as scikit-learn means it (`n_threads`), or an InputError."""
    if value is None:
        return
    check_number(name, value, -MOST_THREADS, MOST_THREADS, whole=True)
    if value == 0:
        raise InputError(
            f"{name} is 0", remedy="give a number of threads, or -1 for all cores of this machine"
        )


def n_threads(n_jobs: int | None) -> int:
    """What a number of jobs stands for: None 1, -1 all cores at hand, -2 all but one, and so on."""
    if n_jobs is None:
        return 1
    return int(n_jobs) if n_jobs > 0 else max(n_cores() + 1 + int(n_jobs), 1)


def n_cores() -> int:
    """Cores that this process may use."""
    from joblib import cpu_count  # heeds what containers and affinities leave

    return int(cpu_count())


def check_rows(X) -> None:
    """Refuse more rows than the cores can number, before anything is copied."""
    shape = getattr(X, "shape", None)
    n = shape[0] if isinstance(shape, tuple) and shape else 0
    if isinstance(n, Integral) and n > MOST_ROWS:
        raise InputError(
            f"X has {n} rows, and a training set has at most {MOST_ROWS}",
            remedy="draw so many of the rows",
        )


def without_mask(values):
    """A masked array as a plain one, NaN in the place of what is masked; anything else as it is."""
    if not isinstance(values, np.ma.MaskedArray):
        return values
    if not np.ma.is_masked(values):
        return values.data
    kind = values.dtype if values.dtype.kind in "fc" else object
    return values.astype(np.float64 if values.dtype.kind in "biu" else kind).filled(np.nan)


def check_unmasked(name: str, values) -> None:
    """Refuse a masked entry of what may not be missing: plain arrays show what it hides."""
    if isinstance(values, np.ma.MaskedArray) and np.ma.is_masked(values):
        place = int(np.ma.getmaskarray(values).ravel().argmax())
        raise InputError(f"{name} is masked in row {place}", remedy="leave those rows out")


def class_labels(y) -> np.ndarray:
    """Class labels of one type, (n,), as they are given: whole numbers stay whole.

    Nullable columns of pandas, and objects that all are whole numbers or truth values, become
    arrays of that type.
    """
    from sklearn.utils.multiclass import check_classification_targets
    from sklearn.utils.validation import column_or_1d

    check_unmasked("y", y)
    # Whole numbers in one dimension are classes already; scikit-learn's checks of anything else
    # cost as much as growing a small tree.
    if isinstance(y, np.ndarray) and y.ndim == 1 and y.dtype.kind in "iub":
        return y
    nullable = hasattr(y, "isna") and not isinstance(getattr(y, "dtype", None), np.dtype)
    listed = isinstance(y, (list, tuple))
    if (nullable or listed) and np.ndim(y) == 1:
        # As objects: nullable whole numbers would become floats, NaN in a list of texts "nan".
        y = np.asarray(y, dtype=object)
    y = column_or_1d(y, warn=True)
    if y.dtype.kind == "O":
        y = _plain_labels(y, (bool, Real, str) if listed else (bool, Real))
    if y.dtype.kind == "f" and not np.isfinite(y).all():
        raise _no_label(y, int(np.isfinite(y).argmin()))
    check_classification_targets(y)
    return y


def _plain_labels(y: np.ndarray, plain_kinds: tuple) -> np.ndarray:
    """Objects as an array of their type, if that is one of these."""
    for row, label in enumerate(y):
        if _is_missing(label):
            raise _no_label(y, row)
    labels = [label.item() if isinstance(label, np.generic) else label for label in y]
    kinds = {next((k for k in (bool, Real, str) if isinstance(v, k)), type(v)) for v in labels}
    if len(kinds) > 1:
        names = " and ".join(sorted({type(label).__name__ for label in labels}))
        raise InputError(
            f"y holds labels of several types, {names}", remedy="turn all of them into text"
        )
    if not kinds <= set(plain_kinds):
        return y
    plain = np.array(labels)
    if plain.dtype.kind == "O" or plain.tolist() != labels:
        raise InputError("y holds whole numbers of more than 64 bits", remedy="write them as text")
    return plain


def _no_label(y: np.ndarray, row: int) -> InputError:
    return InputError(
        f"y holds {y[row]} in row {row}, which is no label", "drop such rows, or give them a class"
    )


def _is_missing(label) -> bool:
    """Whether an object stands for a missing value: None, NaN, NaT or pandas.NA."""
    try:
        return label is None or bool(label != label)
    except TypeError:  # pandas.NA is neither equal to anything nor unequal
        return True


def is_complex(values) -> bool:
    """Whether numbers have an imaginary part, which a conversion to float64 drops."""
    if hasattr(values, "dtypes"):  # of a data frame
        return any(getattr(kind, "kind", "") == "c" for kind in np.atleast_1d(values.dtypes))
    return np.iscomplexobj(values)


def as_numbers(name: str, values) -> np.ndarray:
    """Real numbers as float64; what is masked is NaN."""
    values = without_mask(values)
    try:
        if is_complex(values):
            raise TypeError
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise InputError(
            f"{name} holds something that is no real number",
            remedy="give numbers, NaN where a value is missing",
        ) from None


def checked_weights(sample_weight, n: int) -> np.ndarray | None:
    """Weights of n rows as float64; None where none are given."""
    from sklearn.utils import check_array

    if sample_weight is None:
        return None
    if isinstance(sample_weight, Real):
        sample_weight = np.full(n, float(sample_weight))
    check_unmasked("sample_weight", sample_weight)
    if isinstance(sample_weight, str):
        raise InputError(f"sample_weight is {sample_weight!r}", remedy="give one number per row")
    weight = check_array(
        sample_weight,
        ensure_2d=False,
        dtype=np.float64,
        ensure_all_finite=False,
        input_name="sample_weight",
    )
    if weight.ndim != 1:
        raise InputError("sample_weight is not one-dimensional", remedy="give one per row")
    if weight.shape[0] != n:
        raise InputError(
            f"sample_weight has {weight.shape[0]} entries for {n} rows",
            remedy="give one weight per row",
        )
    if not np.isfinite(weight).all():
        raise InputError(
            f"sample_weight of row {int(np.flatnonzero(~np.isfinite(weight))[0])} is not finite",
            remedy="give weights of 0 or more",
        )
    if (weight < 0).any():
        raise InputError(
            f"sample_weight of row {int(np.flatnonzero(weight < 0)[0])} is negative",
            remedy="give weights of 0 or more",
        )
    if not weight.any():
        raise InputError(
            "the sample weight of every row is zero",
            remedy="give at least one row a weight above 0",
        )
    return weight


def check_total(weight: np.ndarray) -> None:
    """Refuse weights that cannot be added up as numbers of instances.

    Pruning and smoothing add one instance to such a sum; where that is lost, what they say of it
    is rounding. Quantiles of the Beta distribution are not numbers any more from 2^56 on.
    """
    with np.errstate(over="ignore"):
        total = weight.sum()
    if not total < EXACT:
        raise InputError(
            f"the sample weights add up to {total:.3g}, and sums of instances are exact below "
            f"{EXACT:.3g} only",
            remedy="give weights='relative', which scales them, or smaller weights",
        )


def check_random(name: str, value):
    """The generator that a seed stands for, or an InputError."""
    from sklearn.utils import check_random_state

    try:
        return check_random_state(value)
    except ValueError:
        raise InputError(
            f"{name} is {value!r}",
            remedy="give a whole number from 0 to 4294967295, a numpy RandomState or None",
        ) from None


def memory() -> float:
    """Bytes of memory that this machine has."""
    try:
        return float(os.sysconf("SC_PHYS_PAGES")) * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return UNKNOWN_MEMORY


def check_memory(what: str, needed: float, remedy: str) -> None:
    """Refuse what needs more memory than there is, before it is asked for.

    An operating system may grant it all the same, and end the process when it is used.
    """
    limit = memory()
    if needed > limit:
        raise InputError(
            f"{what} would take {needed / GIB:.3g} GiB of memory and there are {limit / GIB:.3g}",
            remedy=remedy,
        )


def check_flag(name: str, value) -> None:
    """A parameter that is true or false, or an InputError."""
    if not isinstance(value, (bool, np.bool_)):
        raise InputError(f"{name} is {value!r}", remedy="give True or False")


def check_choice(name: str, value, choices: tuple, elsewhere: Mapping[str, str] = {}) -> None:
    """A parameter that is one of `choices`, or an InputError that lists them.

    elsewhere: names that other libraries have for some of them.
    """
    if isinstance(value, str) and value in choices:
        return
    same = elsewhere.get(value) if isinstance(value, str) else None
    remedy = f"choose one of {', '.join(map(repr, choices))}"
    if same:
        remedy = f"use {same!r}, as it is called here"
    raise InputError(f"{name} is {value!r}", remedy=remedy)


def suggesting(function: Callable) -> Callable:
    """The function, with a TypeError for a misspelt keyword that names the parameter meant."""
    names = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def called(*arguments, **keywords):
        for name in keywords:
            if name not in names:
                hint = did_you_mean(name, names[1:], f"it takes {', '.join(names[1:])}")
                raise TypeError(f"{function.__qualname__}() has no parameter {name!r}; {hint}")
        return function(*arguments, **keywords)

    return called


def row_numbers(rows, n: int) -> np.ndarray:
    """Numbers of rows of a table of n, from a list of them or from a flag for each."""
    try:
        rows = np.asarray(rows)
    except ValueError:  # lists of different lengths
        rows = np.empty((0, 0))
    rows = rows if rows.size else rows.astype(np.intp)
    if rows.dtype == bool and rows.shape != (n,):
        raise InputError(f"{rows.size} flags choose among {n} rows", remedy="give one per row")
    if rows.ndim != 1 or rows.dtype.kind not in "biu":
        raise InputError(
            "rows are no list of whole numbers", remedy="give a list, or one flag per row"
        )
    try:
        return np.arange(n)[rows]
    except IndexError:
        raise InputError(
            f"rows name more than {n} rows",
            remedy=f"give numbers from 0 to {n - 1}, or one flag per row",
        ) from None


def as_table(name: str, values, shape: tuple, what: str) -> np.ndarray:
    """Numbers spread to a shape, float64."""
    check_unmasked(name, values)
    try:
        return np.array(np.broadcast_to(as_numbers(name, values), shape))
    except ValueError:
        raise InputError(f"{name} is no {what}", remedy=f"give one of shape {shape}") from None


def check_unit(name: str, values: np.ndarray) -> np.ndarray:
    """Numbers that are all in [0, 1], or an InputError that names the first one that is not."""
    wrong = ~((values >= 0.0) & (values <= 1.0))
    if wrong.any():
        place = np.unravel_index(int(wrong.argmax()), values.shape)
        where = ", ".join(
            f"{word} {at}" for word, at in zip(("row", "column"), place, strict=False)
        )
        raise InputError(
            f"{name} holds {values[place]:g} in {where}", remedy="give plausibilities in [0, 1]"
        )
    return values


def as_plausibility(values, name: str) -> np.ndarray:
    """Plausibilities of several classes or categories for each row, (n, k) float64."""
    check_unmasked(name, values)
    try:
        table = np.array(as_numbers(name, values), order="C")
    except ValueError:
        table = np.empty(0)
    if table.ndim != 2 or table.shape[1] == 0:
        raise InputError(
            f"{name} is no table of numbers",
            remedy="give one row per instance and one column per class",
        )
    check_unit(name, table)
    nothing = ~table.any(axis=1)
    if nothing.any():
        raise InputError(
            f"{name} is 0 throughout row {int(nothing.argmax())}",
            remedy="give 1 to all where nothing is known",
        )
    return table
