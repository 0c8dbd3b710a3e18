"""What makes one candidate test better than another: one struct, asked for blocks of candidates.

A candidate divides a set of rows; what a criterion reads is the class weights on its left
(`Sides`).  Information gain reads one set, the rows whose value is known.  Functions take the
first of an array: a criterion that adds two gains at one candidate, of known and of imputed
values, is one more kind, for which the search lays a second set behind the first.

A score is the weight at the node times the criterion, less `base_of`, a constant of the node: it
can be compared at one node, and more is better.  `score_candidates`, `score_one` and `base_of`
are what a kind brings; they look at it once for a block of candidates, not for each.  A search
that makes use of what information gain is asks `is_bounded` first.
"""

from libc.math cimport NAN

cdef extern from "_kernels.h":
    double hedgerow_xlog2x(double x) noexcept nogil
    void hedgerow_scores(const double* left, Py_ssize_t stride, int n_classes,
                         const double* total, Py_ssize_t n, const double* sum_left,
                         double* score) noexcept nogil

cdef enum:
    # Kinds of criteria.
    INFORMATION_GAIN            # thesis, equations 2.3 to 2.6


cdef struct Criterion:
    int kind                    # parameters of a kind go beside it


cdef struct Sides:
    # One set of rows at a node, and what each of several candidates has on its left; borrowed.
    const double* total         # n_classes: class weights at the node
    double weight               # sum of `total`
    int n_classes
    const double* left          # n_classes rows of `stride`: class weights left of the candidates
    Py_ssize_t stride
    const double* sum_left      # all classes together


cdef inline Criterion criterion_of(str name) except *:
    """The criterion of this name.

    Raises
    ------
    ValueError
        There is none.
    """
    cdef Criterion criterion
    if name != "information_gain":
        raise ValueError(f"there is no criterion {name!r}, only 'information_gain'")
    criterion.kind = INFORMATION_GAIN
    return criterion


cdef inline bint is_bounded(const Criterion* criterion) noexcept nogil:
    """Whether scores are sums of x log x of class weights, as those of information gain.

    Then whole counts are scored from a table, the score between two candidates is bounded by
    parts of theirs, and two classes put categories in order, so that searches leave candidates
    out; of other criteria they evaluate all.
    """
    return criterion.kind == INFORMATION_GAIN


cdef inline double gain_one(const Sides* sides) noexcept nogil:
    """In the order in which `hedgerow_scores` adds."""
    cdef double s = 0.0, r
    cdef int c
    for c in range(sides.n_classes):
        r = sides.total[c] - sides.left[c]
        s += hedgerow_xlog2x(sides.left[c]) + hedgerow_xlog2x(r if r > 0 else 0.0)
    r = sides.weight - sides.sum_left[0]
    return s - (hedgerow_xlog2x(sides.sum_left[0]) + hedgerow_xlog2x(r if r > 0 else 0.0))


cdef inline double gain_base(const Sides* sides) noexcept nogil:
    """Weight times the entropy at the node."""
    cdef double base = hedgerow_xlog2x(sides.weight)
    cdef int c
    for c in range(sides.n_classes):
        base -= hedgerow_xlog2x(sides.total[c])
    return base


cdef inline void score_candidates(const Criterion* criterion, const Sides* sides, Py_ssize_t n,
                                  double* score) noexcept nogil:
    """Scores of n candidates.  sides: as many sets as the kind reads."""
    if criterion.kind == INFORMATION_GAIN:
        hedgerow_scores(sides.left, sides.stride, sides.n_classes, sides.total, n,
                        sides.sum_left, score)


cdef inline double score_one(const Criterion* criterion, const Sides* sides) noexcept nogil:
    """Score of one candidate, its class weights in a column: `stride` is 1."""
    if criterion.kind == INFORMATION_GAIN:
        return gain_one(sides)
    return NAN                  # no other kind is made


cdef inline double base_of(const Criterion* criterion, const Sides* sides) noexcept nogil:
    """What a score lacks to be the weight at the node times the criterion."""
    if criterion.kind == INFORMATION_GAIN:
        return gain_base(sides)
    return NAN                  # no other kind is made
