"""What makes one candidate test better than another: one struct, asked at every candidate.

A candidate divides a set of rows; what a criterion reads is the class weights on its left
(`Sides`).  Information gain reads one set, the rows whose value is known.  Functions take the first
of an array: a criterion that adds two gains at one candidate, of known and of imputed values, is one
more kind, for which the search lays a second set behind the first.

A score is the weight at the node times the criterion, less `base_of`, a constant of the node: it
can be compared at one node, and more is better.  Functions look at the kind once for a block of
candidates, not for each.
"""

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


cdef inline Criterion criterion_of(int kind) noexcept nogil:
    cdef Criterion criterion
    criterion.kind = kind
    return criterion


cdef inline bint is_convex(const Criterion* criterion) noexcept nogil:
    """Whether scores are sums over classes of convex functions of the weight on the left.

    Then the score between two candidates is bounded by parts of theirs, and the search may leave
    candidates out; of other criteria it evaluates all.
    """
    return criterion.kind == INFORMATION_GAIN


cdef inline void score_candidates(const Criterion* criterion, const Sides* sides, Py_ssize_t n,
                                  double* score) noexcept nogil:
    """Scores of n candidates.  sides: as many sets as the kind reads."""
    # INFORMATION_GAIN
    hedgerow_scores(sides.left, sides.stride, sides.n_classes, sides.total, n, sides.sum_left,
                    score)


cdef inline double score_one(const Criterion* criterion, const Sides* sides) noexcept nogil:
    """Score of one candidate, its class weights in a column: `stride` is 1."""
    # INFORMATION_GAIN, in the order in which `hedgerow_scores` adds.
    cdef double s = 0.0, r
    cdef int c
    for c in range(sides.n_classes):
        r = sides.total[c] - sides.left[c]
        s += hedgerow_xlog2x(sides.left[c]) + hedgerow_xlog2x(r if r > 0 else 0.0)
    r = sides.weight - sides.sum_left[0]
    return s - (hedgerow_xlog2x(sides.sum_left[0]) + hedgerow_xlog2x(r if r > 0 else 0.0))


cdef inline double base_of(const Criterion* criterion, const Sides* sides) noexcept nogil:
    """What a score lacks to be the weight at the node times the criterion."""
    # INFORMATION_GAIN: weight times the entropy at the node.
    cdef double base = hedgerow_xlog2x(sides.weight)
    cdef int c
    for c in range(sides.n_classes):
        base -= hedgerow_xlog2x(sides.total[c])
    return base
