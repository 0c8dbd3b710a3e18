"""Predicted errors of a leaf: one definition for the pruner and for the tree search.

Thesis 2.2.3 with the notes' reading: N times the upper Clopper-Pearson limit of the error rate.
C4.5 of release 8: the exact limit for no error, from one on the normal approximation with a
continuity correction; between them a straight line.
"""

from libc.math cimport sqrt
from scipy.special.cython_special cimport betaincinv, ndtri

from hedgerow.tree._arena cimport Arena
from hedgerow.tree._elementary cimport hedgerow_pow


cdef struct ErrorLimits:
    # How errors are predicted, and what was worked out already.
    double tail             # half of the two-sided confidence factor
    bint normal             # the normal approximation, without `laplace`
    bint laplace            # E becomes N (E + 1) / (N + K) first
    int n_classes
    Py_ssize_t size         # results are kept for whole counts below this
    double* kept            # size x size by (weight, errors); 0: not yet known


cdef inline int limits_init(ErrorLimits* limits, Arena memory, double confidence, bint laplace,
                            int n_classes, Py_ssize_t size, bint normal=False) except -1 nogil:
    limits.tail = confidence / 2.0
    limits.laplace = laplace
    limits.normal = normal
    limits.n_classes = n_classes
    limits.size = size
    limits.kept = <double*> memory.zeros(size * size, sizeof(double))
    return 0


cdef inline double upper_limit(double n, double errors, double tail) noexcept nogil:
    """Clopper-Pearson upper limit of an error rate: a Beta quantile, so fractions work."""
    if tail <= 0.0 or errors >= n:
        return 1.0
    return betaincinv(errors + 1.0, n - errors, 1.0 - tail)


cdef inline double normal_errors(double n, double errors, double tail) noexcept nogil:
    """N times the approximate upper limit of an error rate."""
    cdef double none, z, rate, root
    if tail >= 0.5:
        return errors
    if errors < 1.0:
        none = n * (1.0 - hedgerow_pow(tail, 1.0 / n))
        if errors <= 0.0:
            return none
        return none + errors * (normal_errors(n, 1.0, tail) - none)
    if errors + 0.5 >= n:
        return n
    z = ndtri(1.0 - tail)
    rate = (errors + 0.5) / n
    root = sqrt(rate * (1.0 - rate) / n + z * z / (4.0 * n * n))
    return n * (rate + z * z / (2.0 * n) + z * root) / (1.0 + z * z / n)


cdef inline double leaf_errors(const ErrorLimits* limits, const double* count) noexcept nogil:
    """Predicted errors of a leaf with these class weights (n_classes)."""
    cdef double n = 0.0, most = 0.0, errors, result
    cdef Py_ssize_t whole_n, whole_e
    cdef int c
    cdef bint whole
    for c in range(limits.n_classes):
        n += count[c]
        if count[c] > most:
            most = count[c]
    if n <= 0.0:
        return 0.0
    errors = n - most
    whole = n < limits.size and errors < limits.size
    if whole:
        whole_n = <Py_ssize_t> n
        whole_e = <Py_ssize_t> errors
        whole = whole_n == n and whole_e == errors
        if whole and limits.kept[whole_n * limits.size + whole_e] > 0.0:
            return limits.kept[whole_n * limits.size + whole_e]
    result = errors
    if limits.laplace:
        result = n * (errors + 1.0) / (n + limits.n_classes)
    if limits.normal:
        result = normal_errors(n, errors, limits.tail)
    else:
        result = n * upper_limit(n, result, limits.tail)
    if whole:
        limits.kept[whole_n * limits.size + whole_e] = result
    return result
