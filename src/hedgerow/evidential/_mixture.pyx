# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""E2M estimates of a tree as a mixture: a dense pass over leaves, classes and instances.

A tree is a mixture of its leaves, each a multinomial over the classes; its parameters are kept as
expected counts, n times share of the leaf times probability of the class in it, where n is the
number of instances or the sum of their weights.  Plausibilities lie leaf by leaf and class by class, so that the loops over instances are turned into vector code.
"""

import numpy as np

from libc.limits cimport INT_MAX
from libc.math cimport INFINITY

from hedgerow.tree._arena cimport Arena
from hedgerow.tree._elementary cimport hedgerow_log

cdef extern from "_step.h":
    double hedgerow_step(const double* leaves, const double* classes, const double* weight,
                         Py_ssize_t n_leaves, Py_ssize_t n_classes, Py_ssize_t n,
                         double* counts, double* evidence, double* most) noexcept nogil
    double hedgerow_step_single(const double* leaves, const int* rows, const int* n_rows,
                                const int* label, const double* plausible, const double* weight,
                                Py_ssize_t n_leaves, Py_ssize_t n_classes, Py_ssize_t n,
                                double* counts, double* evidence, double* sums,
                                double* most) noexcept nogil

cdef double SPREAD = 0.01   # of all counts, spread evenly: a step multiplies, and 0 stays 0
cdef int DENSE = 4          # entries of dense tables in the time of one that is looked up


cdef struct Single:
    # Instances of one plausible class each, see `hedgerow_step_single`.
    int* rows
    int* n_rows
    int* label
    double* plausible
    double* sums


cdef bint lay_single(Single* single, Arena memory, const double[:, ::1] classes,
                     Py_ssize_t n_leaves) except -1:
    """Class of each instance, and room for the rest; False where one has several."""
    cdef Py_ssize_t K = classes.shape[0], n = classes.shape[1], k, i
    if n > INT_MAX:
        return False
    single.label = <int*> memory.take(n, sizeof(int))
    for i in range(n):
        single.label[i] = -1
    for k in range(K):
        for i in range(n):
            if classes[k, i] > 0.0:
                if single.label[i] >= 0:
                    return False
                single.label[i] = <int> k
    single.plausible = <double*> memory.take(n, sizeof(double))
    for i in range(n):
        if single.label[i] < 0:
            return False
        single.plausible[i] = classes[single.label[i], i]
    single.rows = <int*> memory.take(n_leaves * n, sizeof(int))
    single.n_rows = <int*> memory.take(n_leaves, sizeof(int))
    single.sums = <double*> memory.take(5 * K, sizeof(double))
    return True


cdef void list_rows(Single* single, const double* leaves, Py_ssize_t n, Py_ssize_t h) noexcept nogil:
    """The instances that may be in a leaf."""
    cdef int* rows = single.rows + h * n
    cdef Py_ssize_t i
    cdef int q = 0
    for i in range(n):
        rows[q] = <int> i
        q += leaves[h * n + i] > 0.0
    single.n_rows[h] = q


cdef double iterate(const double* leaves, const double* classes, const double[::1] weights,
                    Py_ssize_t n_leaves, Py_ssize_t n_classes, Py_ssize_t n, double* counts,
                    double* evidence, double tolerance, double least, int most,
                    int* n_iterations, double* gap, double* fall,
                    const Single* single) noexcept nogil:
    """Steps until the likelihood gains less than `tolerance` of itself and the gap is below
    `least`, at most `most`; single: NULL where an instance has several classes."""
    cdef double before = -INFINITY, found = -INFINITY, factor = 0.0, total = n
    cdef const double* weight = NULL
    cdef Py_ssize_t i, h, entries = 0
    if single != NULL:
        for h in range(n_leaves):
            entries += single.n_rows[h]
        if DENSE * entries >= n_leaves * n_classes * n:
            single = NULL
    if weights is not None:
        weight = &weights[0]
        total = 0.0
        for i in range(n):
            total += weight[i]
    n_iterations[0] = 0
    while n_iterations[0] < most:
        if single == NULL:
            found = hedgerow_step(leaves, classes, weight, n_leaves, n_classes, n, counts,
                                  evidence, &factor)
        else:
            found = hedgerow_step_single(leaves, single.rows, single.n_rows, single.label,
                                         single.plausible, weight, n_leaves, n_classes, n, counts,
                                         evidence, single.sums, &factor)
        n_iterations[0] += 1
        gap[0] = total * (factor - 1.0)
        if before - found > fall[0]:
            fall[0] = before - found
        if found - before < tolerance and gap[0] < least:
            break
        before = found
    return found - total * hedgerow_log(total)


def spread(counts):
    """Counts with a hundredth of their sum spread evenly over leaves and classes.

    counts : (..., n_leaves, n_classes) float64

    A count of 0 would stay 0 in every step, whatever the likelihood has to gain from it.
    """
    mean = counts.mean(axis=(-2, -1), keepdims=True)
    return np.ascontiguousarray((1.0 - SPREAD) * counts + SPREAD * mean)


def estimate(const double[:, ::1] leaves, const double[:, ::1] classes, double[:, ::1] counts,
             double tolerance, int most, double least=INFINITY, const double[::1] weight=None):
    """E2M estimate of a tree, in the place of the counts it starts from.

    Parameters
    ----------
    leaves : (n_leaves, n) float64
        Plausibility that an instance is in a leaf; above 0 in one at least.
    classes : (n_classes, n) float64
        Plausibility that it is of a class; above 0 for one at least.
    counts : (n_leaves, n_classes) float64
        Expected counts, adding up to n: those of a leaf and class that are plausible together for
        an instance are above 0.
    tolerance : float
        Least gain of the log-likelihood that goes on.
    most : int
        Most iterations.
    least : float, optional
        Gap above which iteration goes on, whatever the log-likelihood gains.
    weight : (n,) float64 above 0, optional
        How many instances each stands for; n is then their sum. None: one each.

    Returns
    -------
    log_likelihood : float
        Of the counts before the last step.
    gap : float
        The maximum of the log-likelihood is above it by no more than this (Lindsay 1983): n times
        what the largest factor of a step exceeds 1 by.
    n_iterations : int
    fall : float
        The largest by which the log-likelihood fell; rounding errors and no more.
    """
    cdef Py_ssize_t n_leaves = leaves.shape[0], n_classes = classes.shape[0], n = leaves.shape[1]
    cdef double[::1] evidence = np.empty(n)
    cdef double found, gap = INFINITY, fall = 0.0
    cdef int n_iterations = 0
    cdef Arena memory = Arena("for the estimate of a tree")
    cdef Single single
    cdef bint has_one = lay_single(&single, memory, classes, n_leaves)
    cdef Py_ssize_t h
    with nogil:
        for h in range(n_leaves if has_one else 0):
            list_rows(&single, &leaves[0, 0], n, h)
        found = iterate(&leaves[0, 0], &classes[0, 0], weight, n_leaves, n_classes, n,
                        &counts[0, 0], &evidence[0], tolerance, least, most, &n_iterations, &gap,
                        &fall, &single if has_one else NULL)
    return found, gap, n_iterations, fall


def start_splits(const double[:, ::1] leaves, const double[:, ::1] classes,
                 const double[:, ::1] counts, Py_ssize_t leaf, const double[:, ::1] left,
                 const double[:, ::1] right, bint by_plausibility,
                 const double[::1] weight=None):
    """Counts from which the trees with one leaf divided are estimated.

    What an instance has in the leaf is divided in proportion to the plausibilities of both sides.
    With `by_plausibility`, the classes of a side are those of all instances instead, weighted by
    their plausibility: a class that has died out in the leaf may come back.

    Parameters
    ----------
    leaves, classes, counts
        As in `estimate`, of the tree that is divided.
    leaf : int
    left, right : (n_splits, n) float64
        Plausibilities of both sides of each candidate.
    weight
        As in `estimate`.

    Returns
    -------
    (n_splits, n_leaves + 1, n_classes) float64
        The sides at `leaf` and `leaf` + 1.
    """
    cdef Py_ssize_t n_leaves = leaves.shape[0], n_classes = classes.shape[0], n = leaves.shape[1]
    cdef Py_ssize_t n_splits = left.shape[0], s, h, k, i
    cdef double[:, ::1] held = np.empty((n_classes, n))
    cdef double[:, :, ::1] starts = np.empty((n_splits, n_leaves + 1, n_classes))
    cdef double[::1] one = np.empty(n_classes), other = np.empty(n_classes)
    cdef double evidence, mixed, share, whole, held_here = 0.0
    cdef double weight_left, weight_right, sum_left, sum_right, each = 1.0
    cdef bint weighted = weight is not None
    cdef Arena memory = Arena("for the first estimates of tests")
    cdef Single single
    cdef bint has_one = lay_single(&single, memory, classes, 0)
    cdef Py_ssize_t first = 0, last = n_classes
    with nogil:
        for k in range(n_classes):
            held_here += counts[leaf, k]
        for i in range(n):
            evidence = 0.0
            for h in range(n_leaves):
                mixed = 0.0
                for k in range(n_classes):
                    mixed += counts[h, k] * classes[k, i]
                evidence += leaves[h, i] * mixed
            if weighted:
                evidence /= weight[i]
            for k in range(n_classes):
                held[k, i] = counts[leaf, k] * leaves[leaf, i] * classes[k, i] / evidence
        for s in range(n_splits):
            for h in range(n_leaves):
                for k in range(n_classes):
                    starts[s, h + (h > leaf), k] = counts[h, k]
            for k in range(n_classes):
                starts[s, leaf, k] = starts[s, leaf + 1, k] = one[k] = other[k] = 0.0
            for i in range(n):
                whole = left[s, i] + right[s, i]
                if whole <= 0.0:
                    continue
                share = left[s, i] / whole
                if weighted:
                    each = weight[i]
                if has_one:         # all else is 0
                    first = single.label[i]
                    last = first + 1
                for k in range(first, last):
                    starts[s, leaf, k] += share * held[k, i]
                    starts[s, leaf + 1, k] += (1.0 - share) * held[k, i]
                    one[k] += each * left[s, i] * classes[k, i]
                    other[k] += each * right[s, i] * classes[k, i]
            weight_left = weight_right = sum_left = sum_right = 0.0
            for k in range(n_classes):
                weight_left += starts[s, leaf, k]
                weight_right += starts[s, leaf + 1, k]
                sum_left += one[k]
                sum_right += other[k]
            if by_plausibility:
                for k in range(n_classes):
                    if sum_left > 0.0:
                        starts[s, leaf, k] = weight_left * (one[k] / sum_left)
                    if sum_right > 0.0:
                        starts[s, leaf + 1, k] = weight_right * (other[k] / sum_right)
            # What the instances have in the leaf is a step ahead of its counts: all add up to n.
            whole = weight_left + weight_right
            for k in range(n_classes):
                if whole > 0.0:
                    starts[s, leaf, k] *= held_here / whole
                    starts[s, leaf + 1, k] *= held_here / whole
    return np.asarray(starts)


def estimate_splits(const double[:, ::1] leaves, const double[:, ::1] classes, Py_ssize_t leaf,
                    const double[:, ::1] left, const double[:, ::1] right,
                    double[:, :, ::1] counts, double tolerance, int most,
                    const double[::1] weight=None):
    """`estimate` of each tree with one leaf divided, in the place of the counts it starts from.

    Parameters
    ----------
    leaves : (n_leaves, n) float64
        Of the tree that is divided.
    leaf, left, right
        As in `start_splits`.
    counts : (n_splits, n_leaves + 1, n_classes) float64
    classes, tolerance, most, weight
        As in `estimate`.

    Returns
    -------
    log_likelihood : (n_splits,) float64
    n_iterations : (n_splits,) int32
    fall : float
    """
    cdef Py_ssize_t n_leaves = leaves.shape[0] + 1, n_classes = classes.shape[0]
    cdef Py_ssize_t n = leaves.shape[1], n_splits = left.shape[0], s, h
    cdef double[:, ::1] parts = np.empty((n_leaves, n))
    cdef double[::1] evidence = np.empty(n)
    cdef double[::1] found = np.empty(n_splits)
    cdef int[::1] n_iterations = np.zeros(n_splits, dtype=np.int32)
    cdef double fall = 0.0, gap = 0.0
    cdef Arena memory = Arena("for the estimates of tests")
    cdef Single single
    cdef bint has_one = lay_single(&single, memory, classes, n_leaves)
    with nogil:
        for h in range(n_leaves - 1):
            if h != leaf:
                parts[h + (h > leaf), :] = leaves[h, :]
                if has_one:
                    list_rows(&single, &parts[0, 0], n, h + (h > leaf))
        for s in range(n_splits):
            parts[leaf, :] = left[s, :]
            parts[leaf + 1, :] = right[s, :]
            if has_one:
                list_rows(&single, &parts[0, 0], n, leaf)
                list_rows(&single, &parts[0, 0], n, leaf + 1)
            found[s] = iterate(&parts[0, 0], &classes[0, 0], weight, n_leaves, n_classes, n,
                               &counts[s, 0, 0], &evidence[0], tolerance, INFINITY, most,
                               &n_iterations[s], &gap, &fall, &single if has_one else NULL)
    return np.asarray(found), np.asarray(n_iterations), fall
