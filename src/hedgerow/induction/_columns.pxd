"""Training data as the core reads it: one sorted list of rows per variable."""


cdef class Columns:
    cdef readonly Py_ssize_t n_rows, n_variables
    cdef readonly int n_classes
    cdef readonly object X                  # (n, m) float64, NaN = missing; Fortran order if keep_after_fit
    cdef readonly object y                  # (n,) int32 class codes
    cdef readonly object sample_weight      # (n,) float64, > 0
    cdef readonly object n_categories       # (m,) int32, 0 for a numeric variable
    cdef readonly object rows_per_weight    # (n_classes,) float64 or None: 1
    cdef readonly object n_known            # (m,) int32, rows with a known value
    cdef object _order                      # None until it is asked for
    cdef object _kept                       # None: every row of the table given
    cdef readonly object _means
    cdef readonly double total_weight
    cdef readonly bint has_missing
    cdef readonly bint whole                # every weight a whole number, table at hand
    cdef readonly bint unit                 # every weight 1

    cdef const double[:, :] x
    cdef Py_ssize_t x_step                  # numbers from one row to the next in `x`
    cdef const int[::1] labels
    cdef const double[::1] weights
    cdef const double[::1] per_weight
    cdef const double* counting             # of `rows_per_weight`; NULL: 1
    cdef const int[::1] categories
    cdef const int[:, ::1] sorted_rows      # of a keep_after_fit set, or once `order` was asked for
    cdef const int[::1] known
    cdef const double[::1] nlogn            # n log2 n for whole n; empty unless `whole`

    cdef object view(self)
    cdef int lay_order(self, int* lists, Py_ssize_t capacity, int n_threads=*) except -1
