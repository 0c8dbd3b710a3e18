# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
"""Training data as the core reads it: one sorted list of rows per variable."""

import numpy as np

from libc.stdlib cimport qsort

cdef int LARGEST_TABLE = 1 << 22    # whole weights above this use logarithms; 32 MiB

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


cdef int by_row(const void* a, const void* b) noexcept nogil:
    cdef int i = (<const int*> a)[0], j = (<const int*> b)[0]
    return (i > j) - (i < j)


def settle_ties(const double[::1, :] X, int[:, ::1] order, const int[::1] n_known):
    """Put rows of equal value in ascending order, in place."""
    cdef Py_ssize_t j, p, q, start, end, n
    cdef int held
    cdef double v
    with nogil:
        for j in range(order.shape[0]):
            n = n_known[j]
            start = 0
            while start < n:
                v = X[order[j, start], j]
                end = start + 1
                while end < n and X[order[j, end], j] == v:
                    end += 1
                if end - start > 16:
                    qsort(&order[j, start], end - start, sizeof(int), by_row)
                else:
                    for p in range(start + 1, end):
                        held = order[j, p]
                        q = p - 1
                        while q >= start and order[j, q] > held:
                            order[j, q + 1] = order[j, q]
                            q -= 1
                        order[j, q + 1] = held
                start = end


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

    Notes
    -----
    Nothing is validated here: estimators do that before (`hedgerow.induction.base`).
    """

    def __init__(self, X, y, int n_classes, sample_weight=None, n_categories=None):
        cdef Py_ssize_t j
        X = np.asarray(X, dtype=np.float64)
        y = np.asarray(y, dtype=np.int32)
        kept = None
        if sample_weight is None:
            weight = np.ones(X.shape[0])
            self.unit = True
            self.whole = True
        else:
            weight = np.array(sample_weight, dtype=np.float64)
            if not (weight > 0).all():
                kept = np.flatnonzero(weight > 0)
                X, y, weight = X[kept], y[kept], weight[kept]
            self.unit = bool((weight == 1.0).all())
            self.whole = self.unit or bool((weight == np.rint(weight)).all())
        self.kept = np.arange(X.shape[0]) if kept is None else kept
        self.X = np.asfortranarray(X)
        self.y = np.ascontiguousarray(y)
        self.sample_weight = weight
        self.n_rows, self.n_variables = X.shape
        self.n_classes = n_classes
        self.total_weight = float(weight.sum())
        if n_categories is None:
            self.n_categories = np.zeros(self.n_variables, dtype=np.int32)
        else:
            self.n_categories = np.ascontiguousarray(n_categories, dtype=np.int32)
        missing = np.isnan(self.X)
        self.has_missing = bool(missing.any())
        self.n_known = (self.n_rows - missing.sum(axis=0)).astype(np.int32)
        # NaN sorts last: the first n_known rows are those with a value.  numpy's vectorised
        # sort is several times faster than its stable one; equal values are put in row order
        # afterwards, which makes the two the same on every machine.
        if self.n_rows * self.n_variables > 1 << 20:
            order = np.empty((self.n_variables, self.n_rows), dtype=np.int32)
            for j in range(self.n_variables):   # one column of 64-bit numbers at a time
                order[j] = np.argsort(self.X[:, j])
        else:
            order = np.argsort(self.X.T, axis=1).astype(np.int32, order="C")
        settle_ties(self.X, order, self.n_known)
        self.order = order
        if self.total_weight > LARGEST_TABLE:
            self.whole = False
        self.view()

    cdef object view(self):
        """What the cores read, once the arrays are there."""
        self.x = self.X
        self.labels = self.y
        self.weights = self.sample_weight
        self.categories = self.n_categories
        self.sorted_rows = self.order
        self.known = self.n_known
        self.nlogn = _n_log_n(<Py_ssize_t> self.total_weight + 1) if self.whole else np.zeros(1)

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
        """
        cdef Columns out = Columns.__new__(Columns)
        cdef const double[::1] times = np.ascontiguousarray(counts, dtype=np.float64)
        cdef Py_ssize_t j, p, q, n_kept
        cdef int i
        kept = np.flatnonzero(np.asarray(counts) > 0)
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
        out.kept = self.kept[kept]
        out.X = np.asfortranarray(self.X[kept])
        out.y = self.y[kept]
        out.sample_weight = self.sample_weight[kept] * np.asarray(counts)[kept]
        out.n_rows = n_kept
        out.n_variables = self.n_variables
        out.n_classes = self.n_classes
        out.total_weight = float(out.sample_weight.sum())
        out.n_categories = self.n_categories
        out.has_missing = self.has_missing
        out.whole = self.whole and out.total_weight <= LARGEST_TABLE
        out.unit = self.unit and bool((np.asarray(counts)[kept] == 1).all())
        out.n_known = n_known
        out.order = order
        out.view()
        return out

    @property
    def means(self):
        """Weighted mean of the known values of each variable, (m,); 0 for categorical ones."""
        if self._means is None:
            known = ~np.isnan(self.X)
            weight = self.sample_weight[:, None] * known
            total = weight.sum(axis=0)
            values = np.where(known, self.X, 0.0)
            means = (values * weight).sum(axis=0) / np.where(total > 0, total, 1.0)
            means[self.n_categories > 0] = 0.0
            # A mean that is 0 but for rounding is 0: no noise, hard gates.
            largest = np.abs(values).max(axis=0, initial=0.0)
            means[np.abs(means) <= 1e-12 * largest] = 0.0
            self._means = means
        return self._means

    @property
    def ranges(self):
        """Largest minus smallest known value of each variable, (m,); 0 for categorical ones."""
        ranges = np.zeros(self.n_variables)
        for j in range(self.n_variables):
            if self.n_categories[j] == 0 and self.n_known[j] > 0:
                last = self.order[j, self.n_known[j] - 1]
                ranges[j] = self.X[last, j] - self.X[self.order[j, 0], j]
        return ranges
