"""What makes one candidate test better than another: one struct, asked for blocks of candidates.

A candidate divides a set of rows; what a criterion reads is the class weights on its left
(`Sides`).  Information gain reads those of the rows whose value is known.  The expected gain adds
two gains at one candidate, of known and of guessed values, the latter as the mean over draws.
The gain ratio compares the tests of a variable by their gain, and only the best of each variable
by their ratio.

A score is the weight at the node times the criterion, less `base_of`, a constant of the node: it
can be compared at one node, and more is better.  `score_candidates`, `score_one` and `base_of`
are what a kind brings; they look at it once for a block of candidates, not for each.  A search
that makes use of what information gain is asks `is_bounded` first.
"""

cdef extern from "_kernels.h":
    double hedgerow_xlog2x(double x) noexcept nogil
    void hedgerow_scores(const double* left, Py_ssize_t stride, int n_classes,
                         const double* total, Py_ssize_t n, const double* sum_left,
                         double* score) noexcept nogil
    void hedgerow_gini(const double* left, Py_ssize_t stride, int n_classes,
                       const double* total, Py_ssize_t n, const double* sum_left,
                       double* score) noexcept nogil

cdef enum:
    # Kinds of criteria.
    INFORMATION_GAIN            # thesis, equations 2.3 to 2.6
    EXPECTED_GAIN               # EIG, definition 3
    GINI                        # Breiman et al. 1984, 4.3.1: as the gain, of the Gini index
    GAIN_RATIO                  # Quinlan 1993, 2.2: gain by split information, see `find_test`
    CODED_GAIN                  # C4.5 as the authors of EIG coded it, see `find_test`


cdef struct Criterion:
    int kind                    # parameters of a kind go beside it
    double reliability          # EXPECTED_GAIN: r of the variable at hand
    int n_draws                 # EXPECTED_GAIN: guesses about each missing value


cdef struct Sides:
    # The rows of a node, and what each of several candidates has on its left; borrowed.
    const double* total         # n_classes: class weights at the node, of known values
    double weight               # sum of `total`
    int n_classes
    const double* left          # n_classes rows of `stride`: class weights left of the candidates
    Py_ssize_t stride
    const double* sum_left      # all classes together
    # EXPECTED_GAIN: the same of the rows whose value is guessed, the draws one behind the other.
    const double* guess_total   # n_classes
    double guess_weight         # 0: every value is known
    const double* guess_left    # n_draws times n_classes rows of `stride`
    const double* guess_sum     # n_draws rows of `stride`


cdef inline Criterion criterion_of(str name) except *:
    """The criterion of this name.

    Raises
    ------
    ValueError
        There is none.
    """
    cdef Criterion criterion
    criterion.reliability = 1.0
    criterion.n_draws = 0
    if name == "information_gain":
        criterion.kind = INFORMATION_GAIN
    elif name == "expected_gain":
        criterion.kind = EXPECTED_GAIN
    elif name == "coded_gain":
        criterion.kind = CODED_GAIN
    elif name == "gini":
        criterion.kind = GINI
    elif name == "gain_ratio":
        criterion.kind = GAIN_RATIO
    else:
        raise ValueError(f"there is no criterion {name!r}, only 'information_gain', "
                         "'expected_gain', 'coded_gain', 'gini' and 'gain_ratio'")
    return criterion


cdef inline bint is_bounded(const Criterion* criterion) noexcept nogil:
    """Whether scores are sums of x log x of class weights, as those of information gain.

    Of the known rows alone. Then whole counts are scored from a table.
    """
    return criterion.kind != EXPECTED_GAIN and criterion.kind != GINI


cdef inline bint is_ordered(const Criterion* criterion) noexcept nogil:
    """Whether the best subset of categories is a prefix by the probability of one of two classes.

    So it is for every concave impurity of the known rows (Breiman et al. 1984, theorem 4.5).
    """
    return criterion.kind != EXPECTED_GAIN


cdef inline double two_sided(const double* total, double weight, int n_classes,
                             const double* left, Py_ssize_t stride, double sum_left) noexcept nogil:
    """In the order in which `hedgerow_scores` adds."""
    cdef double s = 0.0, r
    cdef int c
    for c in range(n_classes):
        r = total[c] - left[c * stride]
        s += hedgerow_xlog2x(left[c * stride]) + hedgerow_xlog2x(r if r > 0 else 0.0)
    r = weight - sum_left
    return s - (hedgerow_xlog2x(sum_left) + hedgerow_xlog2x(r if r > 0 else 0.0))


cdef inline double weighted_entropy(const double* total, double weight,
                                    int n_classes) noexcept nogil:
    """Weight times the entropy of class weights."""
    cdef double base = hedgerow_xlog2x(weight)
    cdef int c
    for c in range(n_classes):
        base -= hedgerow_xlog2x(total[c])
    return base


cdef inline double gini_sides(const double* total, double weight, int n_classes,
                              const double* left, Py_ssize_t stride,
                              double sum_left) noexcept nogil:
    """In the order in which `hedgerow_gini` adds."""
    cdef double l2 = 0.0, r2 = 0.0, l, r
    cdef int c
    for c in range(n_classes):
        l = left[c * stride]
        r = total[c] - l
        r = r if r > 0 else 0.0
        l2 += l * l
        r2 += r * r
    r = weight - sum_left
    return l2 / (sum_left if sum_left > 0 else 1.0) + r2 / (r if r > 0 else 1.0)


cdef inline double weight_of_draw(const Criterion* criterion, const Sides* sides) noexcept nogil:
    """What the score of a draw counts beside that of the known rows, whose weight both are over."""
    if criterion.n_draws == 0 or sides.guess_weight <= 0.0:
        return 0.0
    return ((1.0 - criterion.reliability) / criterion.n_draws
            * (sides.weight / sides.guess_weight))


cdef inline void score_candidates(const Criterion* criterion, const Sides* sides, Py_ssize_t n,
                                  double* score) noexcept nogil:
    """Scores of n candidates."""
    cdef double part[64]
    cdef double weight
    cdef Py_ssize_t p, start, some
    cdef int d
    if criterion.kind == GINI:
        hedgerow_gini(sides.left, sides.stride, sides.n_classes, sides.total, n, sides.sum_left,
                      score)
        return
    hedgerow_scores(sides.left, sides.stride, sides.n_classes, sides.total, n, sides.sum_left,
                    score)
    if criterion.kind != EXPECTED_GAIN:
        return
    for p in range(n):
        score[p] *= criterion.reliability
    weight = weight_of_draw(criterion, sides)
    if weight == 0.0:
        return
    for d in range(criterion.n_draws):
        start = 0
        while start < n:
            some = n - start if n - start < 64 else 64
            hedgerow_scores(sides.guess_left + d * sides.n_classes * sides.stride + start,
                            sides.stride, sides.n_classes, sides.guess_total, some,
                            sides.guess_sum + d * sides.stride + start, part)
            for p in range(some):
                score[start + p] += weight * part[p]
            start += some


cdef inline double score_one(const Criterion* criterion, const Sides* sides) noexcept nogil:
    """Score of one candidate, the first."""
    cdef double score, weight
    cdef int d
    if criterion.kind == GINI:
        return gini_sides(sides.total, sides.weight, sides.n_classes, sides.left, sides.stride,
                          sides.sum_left[0])
    score = two_sided(sides.total, sides.weight, sides.n_classes, sides.left, sides.stride,
                      sides.sum_left[0])
    if criterion.kind != EXPECTED_GAIN:
        return score
    score *= criterion.reliability
    weight = weight_of_draw(criterion, sides)
    if weight == 0.0:
        return score
    for d in range(criterion.n_draws):
        score += weight * two_sided(sides.guess_total, sides.guess_weight, sides.n_classes,
                                    sides.guess_left + d * sides.n_classes * sides.stride,
                                    sides.stride, sides.guess_sum[d * sides.stride])
    return score


cdef inline double base_of(const Criterion* criterion, const Sides* sides) noexcept nogil:
    """What a score lacks to be the weight at the node times the criterion."""
    cdef double base = 0.0, weight
    cdef int c
    if criterion.kind == GINI:
        for c in range(sides.n_classes):
            base += sides.total[c] * sides.total[c]
        return -base / sides.weight
    base = weighted_entropy(sides.total, sides.weight, sides.n_classes)
    if criterion.kind != EXPECTED_GAIN:
        return base
    base *= criterion.reliability
    weight = weight_of_draw(criterion, sides)
    if weight == 0.0:
        return base
    return base + weight * criterion.n_draws * weighted_entropy(
        sides.guess_total, sides.guess_weight, sides.n_classes)
