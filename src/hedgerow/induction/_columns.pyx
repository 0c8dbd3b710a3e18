# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Training data as the core reads it: one sorted list of rows per variable."""

from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.stdlib cimport qsort
from libc.string cimport memcpy

from hedgerow.checks import as_numbers, check_rows, check_total, check_unmasked
from hedgerow.errors import InputError

MOST_CATEGORIES = 1 << 20   # of a variable: what is counted by category has a place for each
cdef int LARGEST_TABLE = 1 << 22    # of n log n, for whole weights above the number of rows; 32 MiB
cdef int LARGE = 1 << 20            # values of a table from which memory counts more than calls

_NLOGN = np.zeros(1)


def _n_log_n(Py_ssize_t largest):
    """n log2 n for n = 0..largest, grown once and shared by all fits of the process."""
    global _NLOGN
    if _NLOGN.shape[0] <= largest:
        n = np.arange(max(largest + 1, 2 * _NLOGN.shape[0]), dtype=np.float64)
        n[0] = 1.0
        table = n * np.log2(n)
        table.setflags(write=False)
        _NLOGN = table
    return _NLOGN


cdef inline bint is_tabled(double weight, Py_ssize_t n_rows) noexcept nogil:
    """Whether whole weights up to this look up n log n, which takes 8 bytes for each of them."""
    return weight <= LARGEST_TABLE or weight <= n_rows


cdef int by_row(const void* a, const void* b) noexcept nogil:
    cdef int i = (<const int*> a)[0], j = (<const int*> b)[0]
    return (i > j) - (i < j)


cdef void settle_ties(const double* x, Py_ssize_t step, int* rows, Py_ssize_t n) noexcept nogil:
    """Put rows of equal value in ascending order, in place."""
    cdef Py_ssize_t p, q, start = 0, end
    cdef int held
    cdef double v
    while start < n:
        v = x[rows[start] * step]
        end = start + 1
        while end < n and x[rows[end] * step] == v:
            end += 1
        if end - start > 16:
            qsort(&rows[start], end - start, sizeof(int), by_row)
        else:
            for p in range(start + 1, end):
                held = rows[p]
                q = p - 1
                while q >= start and rows[q] > held:
                    rows[q + 1] = rows[q]
                    q -= 1
                rows[q + 1] = held
        start = end


def _means_of(X, weight):
    """Weighted mean of the known values of each column, (m,)."""
    known = ~np.isnan(X)
    weight = weight[:, None] * known
    total = weight.sum(axis=0)
    values = np.where(known, X, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):      # learners with noise refuse the result
        means = (values * weight).sum(axis=0) / np.where(total > 0, total, 1.0)
    # A mean that is 0 but for rounding is 0: no noise, hard gates.
    largest = np.abs(values).max(axis=0, initial=0.0)
    means[np.abs(means) <= 1e-12 * largest] = 0.0
    return means


def _codes(name, given, Py_ssize_t n, int below, remedy):
    """Whole numbers from 0 to below `below`, (n,) int32, in memory of their own."""
    check_unmasked(name, given)
    found = np.asarray(given)
    if found.shape != (n,) or (n and found.dtype.kind not in "biu"):
        raise InputError(f"{name} is {found.dtype} of shape {found.shape}, and {n} whole numbers "
                         "are needed", remedy=remedy)
    if n and not 0 <= int(found.min()) <= int(found.max()) < below:
        raise InputError(f"{name} holds numbers from {found.min()} to {found.max()}, of 0 to "
                         f"{below - 1}", remedy=remedy)
    return np.array(found, dtype=np.int32)


def _weights_of(given, Py_ssize_t n):
    """Weights of rows, (n,) float64, in memory of their own."""
    check_unmasked("sample_weight", given)
    weight = np.array(as_numbers("sample_weight", given))
    if weight.shape != (n,) or not ((weight >= 0) & (weight < np.inf)).all() or not weight.any():
        raise InputError(f"sample_weight is no list of {n} finite weights, one of them above 0",
                         remedy="give a weight of 0 or more for each row")
    check_total(weight)
    return weight


def _check_column(x, Py_ssize_t j, int n_categories):
    """Refuse a column of the training set that holds infinity, or no codes of its categories."""
    if np.isinf(x).any():
        raise InputError(f"column {j} of X holds an infinite value",
                         remedy="replace it by a number, or by NaN where the value is missing")
    if n_categories > 0:
        known = x[~np.isnan(x)]
        if not ((known >= 0) & (known < n_categories) & (known == np.rint(known))).all():
            raise InputError(f"column {j} of X holds other codes than 0 to {n_categories - 1}, of "
                             f"{n_categories} categories",
                             remedy="code categories from 0, and give the number of them")


cdef class Columns:
    """A training set, sorted once by each variable and shared by any number of fits.

    Parameters
    ----------
    X : (n, m) float64
        NaN is missing; categorical variables hold codes 0, 1, ...
    y : (n,) int
        Class codes 0 .. n_classes - 1.
    n_classes : int
    sample_weight : (n,) float64, optional
        Rows of weight 0 are left out.
    n_categories : (m,) int, optional
        Number of categories of each variable, 0 for a numeric one.
    keep_after_fit : bool, default True
        False: for one growth, that is over before X changes. A large X is then read where it is,
        and its rows are sorted in the memory of the growth.
    rows_per_weight : (n_classes,) float64, optional
        Rows that a unit of weight of each class stands for where minima count rows: 1 / class
        weight. None: minima are compared with weights.

    Raises
    ------
    InputError
        Lengths that differ, codes beyond the number of classes or categories, infinite values,
        weights below 0, weights that add up to 2^53 or more: the cores read past what is theirs.

    Notes
    -----
    It has memory of its own, which is read-only, but for a large X without `keep_after_fit`.
    """

    def __init__(self, X, y, int n_classes, sample_weight=None, n_categories=None,
                 bint keep_after_fit=True, rows_per_weight=None):
        cdef bint large
        check_rows(X)
        given = X = as_numbers("X", X)
        if X.ndim != 2 or len(X) == 0:
            raise InputError(f"X has shape {X.shape}",
                             remedy="give one row per instance, at least one, (n, m)")
        if n_classes < 1:
            raise InputError(f"n_classes is {n_classes}", remedy="give at least 1")
        y = _codes("y", y, len(X), n_classes,
                   "give the code of a class for each row, counted from 0")
        if n_categories is None:
            self.n_categories = np.zeros(X.shape[1], dtype=np.int32)
        else:
            self.n_categories = _codes(
                "n_categories", n_categories, X.shape[1], MOST_CATEGORIES + 1,
                "give the number of categories of each variable, 0 for a numeric one",
            )
        kept = None
        if sample_weight is None:
            weight = np.ones(X.shape[0])
            self.unit = True
            self.whole = True
        else:
            weight = _weights_of(sample_weight, len(X))
            if not (weight > 0).all():
                kept = np.flatnonzero(weight > 0)
                X, y, weight = X[kept], y[kept], weight[kept]
            self.unit = bool((weight == 1.0).all())
            self.whole = self.unit or bool((weight == np.rint(weight)).all())
        self._kept = kept
        large = X.size > LARGE
        keep_after_fit = (keep_after_fit or not large or not X.flags.aligned
                          or any(s % 8 for s in X.strides))
        self.X = np.asfortranarray(X) if keep_after_fit else X
        if keep_after_fit and np.may_share_memory(self.X, given):
            self.X = self.X.copy(order="F")     # the caller may change his
        self.y = np.ascontiguousarray(y)
        self.sample_weight = weight
        self.n_rows, self.n_variables = X.shape
        self.n_classes = n_classes
        if rows_per_weight is not None:
            rows_per_weight = np.array(rows_per_weight, dtype=np.float64)
            if rows_per_weight.shape != (n_classes,):
                raise InputError(f"rows_per_weight has shape {rows_per_weight.shape}",
                                 remedy="give a number for each class")
        self.rows_per_weight = rows_per_weight
        self.total_weight = float(weight.sum())
        if large or self.n_categories.any() or np.isinf(self.X).any():
            for j in range(self.n_variables):
                _check_column(self.X[:, j], j, self.n_categories[j])
        if large:       # flags of one column at a time
            missing = np.array([np.isnan(column).sum() for column in self.X.T])
        else:
            missing = np.isnan(self.X).sum(axis=0)
        self.has_missing = bool(missing.any())
        self.n_known = (self.n_rows - missing).astype(np.int32)
        for own in (self.y, self.sample_weight, self.n_categories, self.n_known):
            own.setflags(write=False)
        if keep_after_fit:
            self.X.setflags(write=False)
        self.whole = self.whole and is_tabled(self.total_weight, self.n_rows)
        self.view()
        if keep_after_fit:
            self.order      # now: what is shared by many is sorted by none of them

    cdef object view(self):
        """What the cores read, once the arrays are there."""
        self.x = self.X
        self.x_step = self.x.strides[0] // <Py_ssize_t> sizeof(double)
        self.labels = self.y
        self.weights = self.sample_weight
        self.categories = self.n_categories
        self.known = self.n_known
        self.counting = NULL
        if self.rows_per_weight is not None:
            self.per_weight = self.rows_per_weight
            self.counting = &self.per_weight[0]
        self.nlogn = _n_log_n(<Py_ssize_t> self.total_weight + 1) if self.whole else np.zeros(1)

    cdef int lay_order(self, int* lists, Py_ssize_t capacity, int n_threads=1) except -1:
        """Write the rows by ascending value of each variable, one list per `capacity`."""
        cdef Py_ssize_t j, m = self.n_variables
        if self._order is not None:
            for j in range(m):
                memcpy(lists + j * capacity, &self.sorted_rows[j, 0], self.n_rows * sizeof(int))
            return 0
        if m == 0:
            return 0
        laid = <int[:m, :capacity]> lists
        if n_threads == 1:
            for j in range(m):
                self._lay(laid, j)
            return 0
        with ThreadPoolExecutor(n_threads) as pool:
            for _ in pool.map(partial(self._lay, laid), range(m)):
                pass
        return 0

    def _lay(self, int[:, ::1] lists, Py_ssize_t j):
        cdef const int[::1] rows
        # NaN sorts last: the first n_known rows are those with a value.  numpy's vectorised
        # sort is several times faster than its stable one; equal values are put in row order
        # afterwards, which makes the two the same on every machine.
        PyErr_CheckSignals()        # each column of a large table takes its time
        rows = np.argsort(self.X[:, j]).astype(np.int32)
        with nogil:
            memcpy(&lists[j, 0], &rows[0], self.n_rows * sizeof(int))
            settle_ties(&self.x[0, j], self.x_step, &lists[j, 0], self.known[j])

    @property
    def order(self):
        """Rows by ascending value of each variable, (m, n) int32; `n_known` of them have one."""
        cdef Py_ssize_t j
        cdef int[:, ::1] rows
        if self._order is not None:
            return self._order
        if self.X.size > LARGE:         # one column of 64-bit numbers at a time
            order = np.empty((self.n_variables, self.n_rows), dtype=np.int32)
            rows = order
            self.lay_order(&rows[0, 0], self.n_rows)
        else:                           # the same in one call
            order = np.argsort(self.X.T, axis=1).astype(np.int32, order="C")
            rows = order
            with nogil:
                for j in range(self.n_variables):
                    if self.known[j] > 0:
                        settle_ties(&self.x[0, j], self.x_step, &rows[j, 0], self.known[j])
        order.setflags(write=False)
        self._order = order
        self.sorted_rows = order
        return order

    @property
    def kept(self):
        """Row numbers of the table given, (n,): those of weight above 0."""
        if self._kept is None:
            self._kept = np.arange(self.n_rows)
        return self._kept

    def resampled(self, counts):
        """The same rows, each as often as `counts` says; nothing is sorted again.

        Parameters
        ----------
        counts : (n_rows,) whole numbers
            At least one above 0; rows of 0 are left out.

        Returns
        -------
        Columns
            Its weights are `counts` times these.

        Raises
        ------
        InputError
            Another number of counts than of rows, counts that are no weights.
        """
        counts = _weights_of(counts, self.n_rows)
        cdef Columns out = Columns.__new__(Columns)
        cdef const double[::1] times = np.ascontiguousarray(counts)
        cdef Py_ssize_t j, p, q, n_kept
        cdef int i
        self.order
        kept = np.flatnonzero(counts > 0)
        n_kept = len(kept)
        number = np.full(self.n_rows, -1, dtype=np.int32)
        number[kept] = np.arange(n_kept, dtype=np.int32)
        cdef const int[::1] numbers = number
        order = np.zeros((self.n_variables, n_kept), dtype=np.int32)
        n_known = np.zeros(self.n_variables, dtype=np.int32)
        cdef int[:, ::1] ordered = order
        cdef int[::1] known = n_known
        with nogil:
            for j in range(self.n_variables):
                q = 0
                for p in range(self.known[j]):
                    i = self.sorted_rows[j, p]
                    if times[i] > 0.0:
                        ordered[j, q] = numbers[i]
                        q += 1
                known[j] = <int> q
        out._kept = self.kept[kept]
        out.X = np.asfortranarray(self.X[kept])
        out.y = self.y[kept]
        out.sample_weight = self.sample_weight[kept] * counts[kept]
        check_total(out.sample_weight)
        out.n_rows = n_kept
        out.n_variables = self.n_variables
        out.n_classes = self.n_classes
        out.rows_per_weight = self.rows_per_weight
        out.total_weight = float(out.sample_weight.sum())
        out.n_categories = self.n_categories
        out.has_missing = self.has_missing
        out.whole = self.whole and is_tabled(out.total_weight, n_kept)
        out.unit = self.unit and bool((counts[kept] == 1).all())
        out.n_known = n_known
        for own in (out.X, out.y, out.sample_weight, out.n_known, order):
            own.setflags(write=False)
        out._order = order
        out.sorted_rows = order
        out.view()
        return out

    @property
    def means(self):
        """Weighted mean of the known values of each variable, (m,); 0 for categorical ones."""
        if self._means is None:
            if self.X.size > LARGE:
                # One after the other, each in one piece: sums over rows that lie apart round
                # otherwise, and the order of X in memory may change nothing.
                found = [_means_of(np.ascontiguousarray(x)[:, None], self.sample_weight)[0]
                         for x in self.X.T]
                means = np.array(found)
            else:
                means = _means_of(self.X, self.sample_weight)
            means[self.n_categories > 0] = 0.0
            self._means = means
        return self._means

    @property
    def ranges(self):
        """Largest minus smallest known value of each variable, (m,); 0 for categorical ones."""
        ranges = np.zeros(self.n_variables)
        for j in range(self.n_variables):
            if self.n_categories[j] == 0 and self.n_known[j] > 0:
                with np.errstate(over="ignore"):
                    ranges[j] = np.nanmax(self.X[:, j]) - np.nanmin(self.X[:, j])
        return ranges
