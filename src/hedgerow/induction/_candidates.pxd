"""Candidate thresholds of one numeric variable at one node, and the choice among them."""

from libc.stdint cimport int64_t

from hedgerow.induction._criteria cimport EXPECTED_GAIN, Criterion, Sides, base_of
from hedgerow.tree._arena cimport Arena

cdef extern from *:
    """
    /* Gains closer than this are the same gain: the tie goes by rule, not by rounding. Bits. */
    #define HEDGEROW_GAIN_TOLERANCE 1e-12
    /* A gain of this or less is no split (methods, C4.5 base learner). Bits. */
    #define HEDGEROW_LEAST_GAIN 1e-9
    """
    const double GAIN_TOLERANCE "HEDGEROW_GAIN_TOLERANCE"
    const double LEAST_GAIN "HEDGEROW_LEAST_GAIN"


cdef struct Guesses:
    # Guesses about the missing values of one variable at one node.
    const int* members          # all rows of the node ...
    const double* w             # ... and their weights here, in the same order
    Py_ssize_t n                # their number
    Py_ssize_t n_missing        # of them, rows without the value
    const double* guess         # by row, NaN where the value is known; the first draw ...
    const int* place            # by row: how many values of the training set the guess is not
                                # below; where the value is known -1 less their number below it
    Py_ssize_t n_values         # of the training set, each counted once
    Py_ssize_t draw             # ... of which each is so many numbers behind the one before
    double* total               # n_classes: class weights of those rows, once they are tallied
    double weight               # sum of `total`


cdef struct Scan:
    # What a search sees of one variable at one node; borrowed pointers, nothing owned.
    const int* rows             # known rows of the node by ascending value
    Py_ssize_t n                # their number
    const double* x             # the variable, by row ...
    Py_ssize_t x_step           # ... of which each is so many numbers behind the one before
    const int* y                # class codes, by row
    const double* w             # weights at this node, by row
    const double* total         # weight of each class among `rows`
    double weight               # sum of `total`
    const double* per_weight    # n_classes: rows that a unit of weight stands for in minima; NULL: 1
    double n_counted            # of all of `total`, as minima count; `weight` where that is NULL
    double least                # that each child must get at least, as minima count
    int n_classes
    const Criterion* criterion  # by which candidates are compared
    Guesses* guesses            # EXPECTED_GAIN: of the rows whose value is not known


cdef struct Grid:
    # Grid of a variable from the whole training set (thesis, equation 3.7).
    double origin               # tau_min, unit of the variable
    double shift                # centre of a noise model that is not centred at 0, in steps
    double step                 # delta sigma, same unit
    double half                 # half window, in steps
    double step_sigma           # delta: one step in units of sigma
    const double* table         # smoothing coefficients of the normal model, or NULL
    Py_ssize_t phases           # number of phases in `table`
    Py_ssize_t width            # points of the window
    const double* rows          # tabulated model: row x width, first point of each row ...
    const int64_t* first        # ... is grid point first[row]; NULL for the normal model


cdef struct Points:
    # Candidate thresholds of a variable, ascending; memory of an arena, all 0 at first. Class weights left of each add up to
    # at most the node's, within 1e-12 of it.
    Py_ssize_t n, capacity
    void* room                  # the block that the arrays share, but for `last`
    double* left                # n_classes x capacity: class weights left of the candidate
    double* sum_left            # all classes together
    double* base                # scratch: class weights wholly on the left
    double* edge                # scratch of the bounds: 2 n_classes + 6 rows of n_edges
    Py_ssize_t n_edges
    double* score               # where score_points looked; elsewhere far below any score
    double* threshold           # hard search: the candidate itself
    double* center              # hard search: centre of a gate at the midpoint
    int64_t* k                  # soft search: first grid point that the entry stands for
    int64_t* span               # ... and how many: the gain is constant over them
    int64_t* last               # scratch by position in Scan.rows
    Py_ssize_t last_capacity
    double* guess_left          # n_draws x n_classes x capacity: as `left`, of guessed values
    double* guess_sum           # n_draws x capacity: all classes together
    Py_ssize_t guess_capacity
    int* table                  # scratch: candidates that a guess is not below, by its place
    int* asked                  # scratch: rows without the value, by their place among members
    Py_ssize_t table_capacity, asked_capacity


cdef int points_reserve(Points* points, Arena memory, Py_ssize_t n,
                        int n_classes) except -1 nogil

cdef inline double value_at(const Scan* scan, Py_ssize_t row) noexcept nogil:
    return scan.x[row * scan.x_step]


cdef inline double counted(const double* per_weight, const double* weights, Py_ssize_t stride,
                           int n_classes, double weight) noexcept nogil:
    """Class weights, which add up to `weight`, as minima count them: without class weights."""
    cdef double n = 0.0
    cdef int c
    if per_weight == NULL:
        return weight
    for c in range(n_classes):
        n += weights[c * stride] * per_weight[c]
    return n


cdef inline double counted_row(const Scan* scan, Py_ssize_t row, double weight) noexcept nogil:
    return weight if scan.per_weight == NULL else weight * scan.per_weight[scan.y[row]]


cdef inline void lay_minimum(Scan* scan, const double* per_weight, const double* total,
                             double weight, double least, double* scratch) noexcept nogil:
    """How the scan counts, and its `least`; total, weight: of the node, `least` of a child of it.

    The missing's share counts towards the minimum of a side.  It follows the weight that goes to
    each side, so that a unit of known weight stands for its part of the missing rows as well.
    scratch: n_classes.
    """
    cdef double n, known
    cdef int c
    scan.per_weight = per_weight
    if per_weight == NULL:
        scan.n_counted = scan.weight
        scan.least = least * scan.weight / weight
        return
    n = counted(per_weight, total, 1, scan.n_classes, weight)
    known = counted(per_weight, scan.total, 1, scan.n_classes, scan.weight)
    scan.n_counted = n
    scan.least = least
    if scan.total != total:
        for c in range(scan.n_classes):
            scratch[c] = per_weight[c] + (n - known) / scan.weight
        scan.per_weight = scratch


cdef inline Sides sides_of(const Scan* scan, const double* left, Py_ssize_t stride,
                           const double* sum_left) noexcept nogil:
    """What the criterion reads of candidates with these class weights on their left.

    Guesses are not laid: `guess_left` and `guess_sum` are the caller's.
    """
    cdef Sides sides
    if scan.criterion.kind == EXPECTED_GAIN:
        sides.guess_total = scan.guesses.total
        sides.guess_weight = scan.guesses.weight
    sides.total = scan.total
    sides.weight = scan.weight
    sides.n_classes = scan.n_classes
    sides.left = left
    sides.stride = stride
    sides.sum_left = sum_left
    return sides


cdef inline double base_at(const Scan* scan) noexcept nogil:
    """What a score lacks to be weight times criterion."""
    cdef Sides sides = sides_of(scan, NULL, 0, NULL)
    return base_of(scan.criterion, &sides)


cdef inline void weigh_guesses(Guesses* guesses, const double* total, Py_ssize_t stride,
                               int n_classes) noexcept nogil:
    """Take these class weights for those of the rows whose value is guessed."""
    cdef int c
    guesses.weight = 0.0
    for c in range(n_classes):
        guesses.total[c] = total[c * stride]
        guesses.weight += total[c * stride]


cdef inline void weigh_known(Scan* scan, double* known) noexcept nogil:
    """Class weights among the rows of the scan, into `known`, as its total and weight."""
    cdef Py_ssize_t p
    cdef int c
    for c in range(scan.n_classes):
        known[c] = 0.0
    for p in range(scan.n):
        known[scan.y[scan.rows[p]]] += scan.w[scan.rows[p]]
    scan.total = known
    scan.weight = 0.0
    for c in range(scan.n_classes):
        scan.weight += known[c]


cdef double hard_whole(const Scan* scan, const double* nlogn, bint unit, bint midpoints,
                       Py_ssize_t* counts, double* threshold, double* center) noexcept nogil
cdef enum:
    MEANS = 2               # of `midpoints`


cdef int hard_points(const Scan* scan, int midpoints, double tolerance, Points* points,
                     Arena memory) except -1 nogil
cdef int guess_points(const Scan* scan, bint midpoints, Points* points,
                      Arena memory) except -1 nogil
cdef int soft_points(const Scan* scan, const Grid* grid, Points* points,
                     Arena memory) except -1 nogil
cdef Py_ssize_t score_points(const Scan* scan, Points* points, Py_ssize_t first,
                             Py_ssize_t last, double to_beat) noexcept nogil
cdef double score_every(const Scan* scan, Points* points, Py_ssize_t first,
                        Py_ssize_t last) noexcept nogil
cdef Py_ssize_t first_with(const Scan* scan, const Points* points, double least) noexcept nogil
cdef Py_ssize_t last_with(const Scan* scan, const Points* points, double least) noexcept nogil
cdef double choose_hard(const Scan* scan, const Points* points, Py_ssize_t first,
                        Py_ssize_t last, Py_ssize_t* chosen) noexcept nogil
cdef int64_t first_above(const Grid* grid, double x) noexcept nogil
cdef double choose_soft(const Scan* scan, const Points* points, Py_ssize_t first,
                        Py_ssize_t last, int64_t k_first, int64_t k_last,
                        int64_t* k_chosen) noexcept nogil
