# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The gains of all candidates of one variable: the search of growth, without its bounds."""

import numpy as np

from libc.stdint cimport int64_t
from libc.string cimport memset

from hedgerow.induction._candidates cimport (
    Grid,
    Points,
    Scan,
    hard_points,
    score_every,
    soft_points,
)
from hedgerow.induction._criteria cimport Criterion, criterion_of
from hedgerow.tree._arena cimport Arena


def candidates(const double[::1] x, const int[::1] y, const double[::1] total, double sigma,
               double half_window, double step, const double[:, :, ::1] table, bint midpoints):
    """Candidates of one variable with class weights and gain.

    Parameters
    ----------
    x : (n,) float64, ascending
    y : (n,) int32
        Class codes.
    total : (K,) float64
        Rows of each class.
    sigma : float
        Noise of soft search, unit of x; 0: hard search.
    half_window, step : float
        In units of sigma.
    table : (phases, 4, width) float64 or None
        From `hedgerow.induction._candidates.smoothing_table`; None for hard search.
    midpoints : bool
        Hard search between observed values.

    Returns
    -------
    threshold : (m,) float64
        Hard search: the candidates. Soft search: empty.
    k, span : (m,) int64
        Soft search: the first grid point that an entry stands for, and how many. Hard: empty.
    left : (m, K) float64
        Class weights left of each candidate.
    gain : (m,) float64
        Bits.
    """
    cdef Py_ssize_t n = x.shape[0], p
    cdef int K = total.shape[0]
    cdef int[::1] rows = np.arange(n, dtype=np.int32)
    cdef double[::1] w = np.ones(n)
    cdef double base
    cdef Scan scan
    cdef Criterion criterion = criterion_of("information_gain")
    cdef Grid grid
    cdef Points points
    cdef Arena memory = Arena(f"for the candidates of {n} values")
    scan.rows = &rows[0]
    scan.n = n
    scan.x = &x[0]
    scan.x_step = 1
    scan.y = &y[0]
    scan.w = &w[0]
    scan.total = &total[0]
    scan.weight = <double> n
    scan.per_weight = NULL
    scan.n_counted = scan.weight
    scan.least = 0.0
    scan.n_classes = K
    scan.criterion = &criterion
    memset(&points, 0, sizeof(Points))
    if sigma > 0.0:
        grid.origin = x[0] - half_window * sigma
        grid.shift = 0.0
        grid.step = step * sigma
        grid.half = half_window / step
        grid.step_sigma = step
        grid.table = &table[0, 0, 0]
        grid.phases = table.shape[0]
        grid.width = table.shape[2]
        grid.rows = NULL
        grid.first = NULL
        soft_points(&scan, &grid, &points, memory)
    else:
        hard_points(&scan, midpoints, 0.0, &points, memory)
    base = score_every(&scan, &points, 0, points.n - 1)
    threshold = np.empty(points.n if sigma <= 0.0 else 0)
    k = np.empty(points.n if sigma > 0.0 else 0, dtype=np.int64)
    span = np.empty_like(k)
    left = np.empty((points.n, K))
    gain = np.empty(points.n)
    copy(&points, K, base, scan.weight, threshold, k, span, left, gain)
    return threshold, k, span, left, gain


cdef void copy(const Points* points, int K, double base, double weight, double[::1] threshold,
               int64_t[::1] k, int64_t[::1] span, double[:, ::1] left, double[::1] gain):
    cdef Py_ssize_t p
    cdef int c
    for p in range(points.n):
        if threshold.shape[0] > 0:
            threshold[p] = points.threshold[p]
        else:
            k[p] = points.k[p]
            span[p] = points.span[p]
        for c in range(K):
            left[p, c] = points.left[c * points.capacity + p]
        gain[p] = (base + points.score[p]) / weight
