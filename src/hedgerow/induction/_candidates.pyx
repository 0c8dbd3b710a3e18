# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Candidate thresholds of one numeric variable at one node, and the choice among them.

Two ways to propose: the observed values (hard search, thesis 3.2.1 first paragraph), or the
grid of equation 3.7 with class weights smoothed by the noise model (soft search).  Scores are
the weight at the node times the information gain, up to a constant of the node.
"""

import numpy as np

from libc.math cimport INFINITY, ceil, floor
from libc.stdint cimport int64_t
from libc.string cimport memset

from hedgerow.induction._criteria cimport (
    EXPECTED_GAIN,
    GINI,
    Sides,
    score_candidates,
    weight_of_draw,
)
from hedgerow.tree._arena cimport Arena, carved
from hedgerow.tree._gates cimport CLIP_TOLERANCE

cdef extern from "_kernels.h":
    double hedgerow_xlog2x(double x) noexcept nogil
    void hedgerow_sum(const double* left, Py_ssize_t stride, int n_classes, Py_ssize_t n,
                      double* sum) noexcept nogil
    void hedgerow_two_sided(const double* left, double total, Py_ssize_t n,
                            double* h) noexcept nogil
    void hedgerow_slopes(const double* left, double total, Py_ssize_t n,
                         double* slope) noexcept nogil
    void hedgerow_smooth(const double* c, Py_ssize_t stride, double h, double weight,
                         Py_ssize_t n, double* out) noexcept nogil
    void hedgerow_add(const double* row, double weight, Py_ssize_t n, double* out) noexcept nogil
    void hedgerow_phi_coefficients(double t, double* c) noexcept nogil


cdef int BLOCK = 16             # candidates between two evaluated ones
cdef double FAR_BELOW = -1e300  # score of a candidate that a bound has excluded
cdef double TOUCHED = 1e-12     # of the weight: a tangent nearer to an end would be too steep


cdef int points_reserve(Points* points, Arena memory, Py_ssize_t n,
                        int n_classes) except -1 nogil:
    """Room for n candidates; contents are lost."""
    cdef double* room
    cdef Py_ssize_t n_edges, n_bounds
    if n <= points.capacity:
        return 0
    n = n + n // 2
    n_edges = n // BLOCK + 3
    n_bounds = (2 * n_classes + 6) * n_edges
    points.capacity = 0
    memory.give_back(points.room)
    points.room = NULL
    points.room = memory.take((n_classes + 6) * n + n_classes + n_bounds, sizeof(double))
    room = <double*> points.room
    points.left = carved(&room, n * n_classes)
    points.sum_left = carved(&room, n)
    points.score = carved(&room, n)
    points.threshold = carved(&room, n)
    points.center = carved(&room, n)
    points.base = carved(&room, n_classes)
    points.edge = carved(&room, n_bounds)
    points.k = <int64_t*> carved(&room, n)
    points.span = <int64_t*> carved(&room, n)
    points.n_edges = n_edges
    points.capacity = n
    return 0


cdef inline void score_range(const Scan* scan, Points* points, Py_ssize_t first,
                             Py_ssize_t n) noexcept nogil:
    """Scores of n candidates from `first` on."""
    cdef Sides sides = sides_of(scan, points.left + first, points.capacity,
                                points.sum_left + first)
    if scan.criterion.kind == EXPECTED_GAIN:
        sides.guess_left = points.guess_left + first
        sides.guess_sum = points.guess_sum + first
    score_candidates(scan.criterion, &sides, n, points.score + first)


cdef inline double middle(double low, double high) noexcept nogil:
    cdef double distance = high - low
    return low + distance / 2.0 if distance < INFINITY else low / 2.0 + high / 2.0


cdef inline bint is_fed(const Scan* scan, const Py_ssize_t* left) noexcept nogil:
    """Whether both sides of a test reach the minimum, as it counts under class weights."""
    cdef double n = 0.0, least = scan.least - 1e-12 * scan.n_counted
    cdef int c
    for c in range(scan.n_classes):
        n += left[c] * scan.per_weight[c]
    return n >= least and scan.n_counted - n >= least


cdef double hard_whole(const Scan* scan, const double* nlogn, bint unit, bint midpoints,
                       Py_ssize_t* counts, double* threshold, double* center) noexcept nogil:
    """Best observed value when all weights are whole: counts and a table, no logarithm.

    Of criteria that `is_bounded`.
    counts: room for 2 n_classes + 2.  Returns the gain in bits, -1 without a candidate.
    """
    cdef const int* rows = scan.rows
    cdef const double* x = scan.x
    cdef Py_ssize_t step = scan.x_step
    cdef const int* y = scan.y
    cdef Py_ssize_t n = scan.n, p, c, i, l0, l1, t0, t1, nl, nr
    cdef int n_classes = scan.n_classes
    cdef Py_ssize_t total = <Py_ssize_t> scan.weight
    cdef Py_ssize_t least
    cdef double v, previous, s, best = -1.0, base, tolerance
    cdef double best_value = 0.0, best_previous = 0.0
    cdef Py_ssize_t* left = counts
    cdef Py_ssize_t* all_ = counts + n_classes
    if scan.least > scan.n_counted:         # it may be more than an integer holds
        return -1.0
    least = 1 if scan.per_weight != NULL else <Py_ssize_t> ceil(scan.least - 1e-9)
    if least < 1:
        least = 1
    if n < 2 or 2 * least > total:
        return -1.0
    if x[rows[0] * step] == x[rows[n - 1] * step]:
        return -1.0
    base = nlogn[total]
    for c in range(n_classes):
        all_[c] = <Py_ssize_t> scan.total[c]
        base -= nlogn[all_[c]]
        left[c] = 0
    tolerance = GAIN_TOLERANCE * total
    # The score is never above 0 and best starts below any score.
    best = -base - 1.0
    if unit and n_classes == 2 and scan.per_weight == NULL:
        t0 = all_[0]
        t1 = all_[1]
        previous = x[rows[0] * step]
        l1 = y[rows[0]]
        for p in range(1, n):
            i = rows[p]
            v = x[i * step]
            if v > previous:
                if p >= least and n - p >= least:
                    l0 = p - l1
                    s = ((nlogn[l0] + nlogn[l1] - nlogn[p])
                         + (nlogn[t0 - l0] + nlogn[t1 - l1] - nlogn[n - p]))
                    if s > best + tolerance:
                        best = s
                        best_value = v
                        best_previous = previous
                previous = v
            l1 += y[i]
    else:
        previous = x[rows[0] * step]
        i = rows[0]
        nl = 1 if unit else <Py_ssize_t> scan.w[i]
        left[y[i]] += nl
        for p in range(1, n):
            i = rows[p]
            v = x[i * step]
            if v > previous:
                nr = total - nl
                if (nl >= least and nr >= least
                        and (scan.per_weight == NULL or is_fed(scan, left))):
                    s = -nlogn[nl] - nlogn[nr]
                    for c in range(n_classes):
                        s += nlogn[left[c]] + nlogn[all_[c] - left[c]]
                    if s > best + tolerance:
                        best = s
                        best_value = v
                        best_previous = previous
                previous = v
            if unit:
                left[y[i]] += 1
                nl += 1
            else:
                left[y[i]] += <Py_ssize_t> scan.w[i]
                nl += <Py_ssize_t> scan.w[i]
    if best < -base - 0.5:
        return -1.0
    center[0] = middle(best_previous, best_value)
    threshold[0] = best_value
    if midpoints and center[0] > best_previous:
        threshold[0] = center[0]
    return (base + best) / total


cdef int hard_points(const Scan* scan, int midpoints, double tolerance, Points* points,
                     Arena memory) except -1 nogil:
    """Every observed value but the lowest, with the class weights below it.

    Not those that are at most `tolerance` above the next lower one.  midpoints: MEANS are those of
    two values, which differ from `middle` in the last bit.
    """
    cdef Py_ssize_t p, n = 0, stride
    cdef int c, i
    cdef double v, previous, below = 0.0
    cdef double* left
    points.n = 0
    if scan.n < 2:
        return 0
    points_reserve(points, memory, scan.n, scan.n_classes)
    stride = points.capacity
    left = points.left
    # The running class weights live one place ahead of the last candidate.
    for c in range(scan.n_classes):
        left[c * stride] = 0.0
    previous = value_at(scan, scan.rows[0])
    for p in range(scan.n):
        i = scan.rows[p]
        v = value_at(scan, i)
        if previous + tolerance < v:
            points.threshold[n] = v
            points.center[n] = (previous + v) / 2.0 if midpoints == MEANS else middle(previous, v)
            if midpoints and points.center[n] > previous:
                points.threshold[n] = points.center[n]
            n += 1
            for c in range(scan.n_classes):
                left[c * stride + n] = left[c * stride + n - 1]
        previous = v
        left[scan.y[i] * stride + n] += scan.w[i]
    points.n = n
    hedgerow_sum(left, stride, scan.n_classes, n, points.sum_left)
    return 0


cdef inline int n_below(const int* places, Py_ssize_t n, int place) noexcept nogil:
    """How many of n ascending numbers are below another."""
    cdef Py_ssize_t low = 0, half
    while n > 1:
        half = n // 2
        low += half * (places[low + half - 1] < place)
        n -= half
    return <int> (low + (n == 1 and places[low] < place))


cdef int lay_places(const Scan* scan, Points* points, bint direct) noexcept nogil:
    """Into the table: for each place of a guess, how many candidates it is not below.

    direct: one entry for each place; else one for each candidate, the place of its value, among
    which a guess is searched.
    """
    cdef const int* place = scan.guesses.place
    cdef int* table = points.table
    cdef Py_ssize_t p, next_ = 0
    cdef int rank, previous = -1, n = 0
    for p in range(scan.n):
        rank = -1 - place[scan.rows[p]]
        if rank == previous:
            continue
        if direct:
            # Guesses that are not below the value before and are below this one.
            while next_ <= rank:
                table[next_] = n
                next_ += 1
        elif previous >= 0:
            table[n] = rank
        if previous >= 0:
            n += 1
        previous = rank
    if direct:
        while next_ <= scan.guesses.n_values:
            table[next_] = n
            next_ += 1
    return n


cdef int guess_points(const Scan* scan, bint midpoints, Points* points,
                      Arena memory) except -1 nogil:
    """Class weights left of each candidate among the rows whose value is guessed, per draw."""
    cdef Guesses* guesses = scan.guesses
    cdef Py_ssize_t stride = points.capacity, n = points.n, p, q = 0
    cdef Py_ssize_t n_draws = scan.criterion.n_draws, K = scan.n_classes, size
    cdef const int* members = guesses.members
    cdef const int* place
    cdef double* left
    cdef double sum_
    cdef int d, c, i, at
    cdef bint direct = guesses.n_values < 8 * guesses.n_missing
    if n_draws * (K + 1) * stride > points.guess_capacity:
        points.guess_capacity = 0
        memory.give_back(points.guess_left)
        points.guess_left = NULL
        points.guess_left = <double*> memory.take(n_draws * (K + 1) * stride, sizeof(double))
        points.guess_capacity = n_draws * (K + 1) * stride
    points.guess_sum = points.guess_left + n_draws * K * stride
    size = guesses.n_values + 1
    if size > points.table_capacity:
        points.table_capacity = 0
        memory.give_back(points.table)
        points.table = NULL
        points.table = <int*> memory.take(size, sizeof(int))
        points.table_capacity = size
    if guesses.n + 1 > points.asked_capacity:
        points.asked_capacity = 0
        memory.give_back(points.asked)
        points.asked = NULL
        points.asked = <int*> memory.take(guesses.n + 1, sizeof(int))
        points.asked_capacity = guesses.n + 1
    lay_places(scan, points, direct)
    # Which rows lack the value follows no pattern, so that no branch should depend on it.
    for p in range(guesses.n):
        points.asked[q] = <int> p
        q += guesses.place[members[p]] >= 0
    for d in range(<int> n_draws):
        left = points.guess_left + d * K * stride
        place = guesses.place + d * guesses.draw
        for c in range(<int> K):
            memset(left + c * stride, 0, (n + 1) * sizeof(double))
        # There are fewer candidates than known rows, so there is a place behind the last one.
        for p in range(q):
            i = members[points.asked[p]]
            if direct:
                at = points.table[place[i]]
            else:
                at = n_below(points.table, n, place[i])
            if midpoints:
                # Counted by the value above each candidate; the next one may be passed already.
                at += at < n and points.threshold[at] <= guesses.guess[d * guesses.draw + i]
            left[scan.y[i] * stride + at] += guesses.w[points.asked[p]]
        for c in range(<int> K):
            sum_ = 0.0
            for p in range(n + 1):
                sum_ += left[c * stride + p]
                left[c * stride + p] = sum_
        hedgerow_sum(left, stride, <int> K, n, points.guess_sum + d * stride)
        if d == 0:
            weigh_guesses(guesses, left + n, stride, <int> K)
    return 0


cdef void add_bounds(const double* left, Py_ssize_t stride, const double* sum_left,
                     const double* total, double weight, int K, Py_ssize_t first, Py_ssize_t last,
                     double factor, Points* points) noexcept nogil:
    """Add what one set of rows brings, times `factor`, to the scores at the ends of the blocks and
    to the bounds between them.

    The score is a sum over the classes, each convex in the weight on the left, less a function of
    all that is there. A line below that function in its place, its tangent in the middle of the
    block, leaves convex functions of one class each, of which the larger end is the bound.
    """
    cdef Py_ssize_t n_edges = (last - first - 1) // BLOCK + 2, size = points.n_edges, e, p
    cdef double* edge = points.edge
    cdef double* h = edge + K * size
    cdef double* both = h + K * size
    cdef double* score = both + size
    cdef double* bounds = score + size
    cdef double* touched = bounds + size    # where each block's line touches ...
    cdef double* line = touched + size      # ... its height at 0 ...
    cdef double* slope = line + size        # ... and its slope
    cdef double low, high, inside = TOUCHED * weight
    cdef int c
    for e in range(n_edges):
        p = first + e * BLOCK if e < n_edges - 1 else last
        for c in range(K):
            edge[c * size + e] = left[c * stride + p]
        both[e] = sum_left[p]
    for e in range(n_edges - 1):
        touched[e] = min(max((both[e] + both[e + 1]) / 2.0, inside), weight - inside)
    hedgerow_slopes(touched, weight, n_edges - 1, slope)
    hedgerow_two_sided(touched, weight, n_edges - 1, line)
    for e in range(n_edges - 1):
        line[e] = slope[e] * touched[e] - line[e]
    hedgerow_two_sided(both, weight, n_edges, touched)
    for e in range(n_edges):
        score[e] -= factor * touched[e]
    for c in range(K):
        hedgerow_two_sided(edge + c * size, total[c], n_edges, h + c * size)
        for e in range(n_edges):
            score[e] += factor * h[c * size + e]
        for e in range(n_edges - 1):
            low = h[c * size + e] - slope[e] * edge[c * size + e]
            high = h[c * size + e + 1] - slope[e] * edge[c * size + e + 1]
            line[e] += max(low, high)
    for e in range(n_edges - 1):
        bounds[e] += factor * line[e]


cdef inline double corner(const Scan* scan, double one, double two, double parts) noexcept nogil:
    """Score of two classes' weights on the left; parts: what each of them adds."""
    cdef double left = one + two
    return parts - hedgerow_xlog2x(left) - hedgerow_xlog2x(max(scan.weight - left, 0.0))


cdef bint corners_reach(const Scan* scan, const Points* points, Py_ssize_t e, Py_ssize_t p,
                        Py_ssize_t stop, double least) noexcept nogil:
    """Whether a block of two classes may hold a score of `least`.

    The score is convex in both weights, so that the corners of their box bound it. The ends of the
    block are two of the corners.
    """
    cdef Py_ssize_t size = points.n_edges
    cdef const double* one = points.left
    cdef const double* two = points.left + points.capacity
    cdef const double* h_one = points.edge + 2 * size
    cdef const double* h_two = h_one + size
    cdef const double* score = points.edge + 5 * size
    return (score[e] >= least or score[e + 1] >= least
            or corner(scan, one[p], two[stop], h_one[e] + h_two[e + 1]) >= least
            or corner(scan, one[stop], two[p], h_one[e + 1] + h_two[e]) >= least)


cdef Py_ssize_t score_points(const Scan* scan, Points* points, Py_ssize_t first,
                             Py_ssize_t last, double to_beat) noexcept nogil:
    """Scores of the candidates first..last, but for those that cannot be the best.

    Every 16th is evaluated, and bounds what lies between two of them (`add_bounds`). A block
    whose bound is below the best score found, or below the gain `to_beat`, is left out; so is
    one of two classes that `corners_reach` excludes.
    Returns the number of gains evaluated.
    """
    cdef Py_ssize_t n = last - first + 1, e, n_edges, size = points.n_edges, p, stop, turn
    cdef Py_ssize_t evaluated
    cdef Py_ssize_t top = -1, stride = points.capacity
    cdef int d, K = scan.n_classes
    cdef double base, known, most = FAR_BELOW, weight = 0.0
    cdef double tolerance = GAIN_TOLERANCE * scan.weight
    cdef double* score = points.edge + (2 * K + 1) * size
    cdef double* bounds = score + size
    cdef Sides sides
    if n <= 0:
        return 0
    # The bounds are those of x log x; the Gini index takes no logarithm and is evaluated throughout.
    if n < 3 * BLOCK or scan.criterion.kind == GINI:
        score_range(scan, points, first, n)
        return n
    n_edges = (n - 2) // BLOCK + 2
    evaluated = n_edges
    # Not the room for the largest node, which every small one would pay for.
    memset(score, 0, n_edges * sizeof(double))
    memset(bounds, 0, n_edges * sizeof(double))
    if scan.criterion.kind == EXPECTED_GAIN:
        sides = sides_of(scan, NULL, 0, NULL)
        weight = weight_of_draw(scan.criterion, &sides)
        add_bounds(points.left, stride, points.sum_left, scan.total, scan.weight, K, first, last,
                   scan.criterion.reliability, points)
        for d in range(scan.criterion.n_draws if weight > 0.0 else 0):
            add_bounds(points.guess_left + d * K * stride, stride, points.guess_sum + d * stride,
                       scan.guesses.total, scan.guesses.weight, K, first, last, weight, points)
    else:
        add_bounds(points.left, stride, points.sum_left, scan.total, scan.weight, K, first, last,
                   1.0, points)
    base = base_at(scan)
    known = to_beat * scan.weight - base
    for e in range(n_edges):
        if score[e] > known:
            known = score[e]
    for p in range(first, last + 1):
        points.score[p] = FAR_BELOW
    # The block with the highest bound is evaluated first, to exclude more of the others.
    for e in range(n_edges - 1):
        if bounds[e] > most:
            most = bounds[e]
            top = e
    for turn in range(-1, n_edges - 1):
        e = top if turn < 0 else turn
        if bounds[e] < known - tolerance or turn == top:
            continue
        p = first + e * BLOCK
        stop = first + (e + 1) * BLOCK if e < n_edges - 2 else last
        if (K == 2 and scan.criterion.kind != EXPECTED_GAIN
                and not corners_reach(scan, points, e, p, stop, known - tolerance)):
            continue
        score_range(scan, points, p, stop - p + 1)
        evaluated += stop - p + 1
        while p <= stop:
            if points.score[p] > known:
                known = points.score[p]
            p += 1
    return evaluated


cdef double score_every(const Scan* scan, Points* points, Py_ssize_t first,
                        Py_ssize_t last) noexcept nogil:
    """Scores of all candidates first..last; returns what they lack to be weight times gain."""
    if last >= first:
        score_range(scan, points, first, last - first + 1)
    return base_at(scan)


cdef inline double counted_left(const Scan* scan, const Points* points,
                                Py_ssize_t p) noexcept nogil:
    return counted(scan.per_weight, points.left + p, points.capacity, scan.n_classes,
                   points.sum_left[p])


cdef Py_ssize_t first_with(const Scan* scan, const Points* points, double least) noexcept nogil:
    """The first candidate with at least this on its left, as minima count."""
    cdef Py_ssize_t p = 0
    while p < points.n and counted_left(scan, points, p) < least:
        p += 1
    return p


cdef Py_ssize_t last_with(const Scan* scan, const Points* points, double least) noexcept nogil:
    """The last candidate with at least this on its right, as minima count."""
    cdef Py_ssize_t p = points.n - 1
    while p >= 0 and scan.n_counted - counted_left(scan, points, p) < least:
        p -= 1
    return p


cdef double choose_hard(const Scan* scan, const Points* points, Py_ssize_t first,
                        Py_ssize_t last, Py_ssize_t* chosen) noexcept nogil:
    """The lowest candidate of first..last within 1e-12 of the largest gain, or -1.

    Those that a bound left out are below: it makes no difference which these are.
    """
    cdef double most = FAR_BELOW
    cdef Py_ssize_t p
    chosen[0] = -1
    for p in range(first, last + 1):
        most = max(most, points.score[p])
    if most <= FAR_BELOW / 2:
        return -1.0
    for p in range(first, last + 1):
        if points.score[p] >= most - GAIN_TOLERANCE * scan.weight:
            chosen[0] = p
            break
    return (base_at(scan) + points.score[chosen[0]]) / scan.weight


cdef int soft_points(const Scan* scan, const Grid* grid, Points* points,
                     Arena memory) except -1 nogil:
    """Smoothed class weights at every grid point within reach of a value (equation 3.8).

    Between reaches the weights are constant: one entry stands for the whole gap.
    """
    cdef Py_ssize_t p, q, n = 0, stride, need, offset, phase
    cdef int64_t first, last, covered
    cdef int c, i, n_classes = scan.n_classes
    cdef double t, r, h, w
    cdef double* base
    cdef double snap = CLIP_TOLERANCE / grid.step_sigma
    cdef double* left
    cdef const double* table
    points.n = 0
    if scan.n < 2:
        return 0
    # An upper bound on the entries: windows plus gaps, or the whole grid.
    need = scan.n * (grid.width + 2) + 2
    t = ((value_at(scan, scan.rows[scan.n - 1]) - value_at(scan, scan.rows[0])) / grid.step
         + 2.0 * grid.half + grid.width + 8.0)
    if t < need:
        need = <Py_ssize_t> t
    points_reserve(points, memory, need, n_classes)
    if scan.n > points.last_capacity:
        points.last_capacity = 0
        memory.give_back(points.last)
        points.last = NULL
        points.last = <int64_t*> memory.take(scan.n + scan.n // 2, sizeof(int64_t))
        points.last_capacity = scan.n + scan.n // 2
    stride = points.capacity
    left = points.left
    base = points.base
    for c in range(n_classes):
        base[c] = 0.0
    covered = 0
    q = 0
    for p in range(scan.n):
        i = scan.rows[p]
        w = scan.w[i]
        # t >= half, as no value lies below the grid's first, so truncation rounds down.
        t = (value_at(scan, i) - grid.origin) / grid.step + grid.shift
        first = <int64_t> (t - grid.half + snap) + 1
        r = t + grid.half - snap
        last = <int64_t> r
        if last == r:
            last -= 1
        points.last[p] = last
        if p == 0:
            covered = first - 1
        # `last` never falls along `rows`: a value whose window ends before grid point k lies
        # wholly on its left, and all such values have been met when k is first reached.
        if first > covered + 1:
            # The gap: nothing varies from covered + 1 to first - 1.
            while q < p and points.last[q] <= covered:
                base[scan.y[scan.rows[q]]] += scan.w[scan.rows[q]]
                q += 1
            for c in range(n_classes):
                left[c * stride + n] = base[c]
            points.k[n] = covered + 1
            points.span[n] = first - 1 - covered
            n += 1
            covered = first - 1
        while covered < last:
            covered += 1
            while q < p and points.last[q] < covered:
                base[scan.y[scan.rows[q]]] += scan.w[scan.rows[q]]
                q += 1
            for c in range(n_classes):
                left[c * stride + n] = base[c]
            points.k[n] = covered
            points.span[n] = 1
            n += 1
        if last < first:
            continue        # a window narrower than the grid step
        # The windows end at `covered` = entry n - 1, so this one starts here.
        offset = n - 1 - <Py_ssize_t> (covered - first)
        if grid.first != NULL:
            hedgerow_add(grid.rows + i * grid.width + <Py_ssize_t> (first - grid.first[i]), w,
                         <Py_ssize_t> (last - first + 1), left + scan.y[i] * stride + offset)
        else:
            r = first - (t - grid.half)          # in (0, 1]: how far into the window, in steps
            phase = <Py_ssize_t> (r * grid.phases)
            if phase >= grid.phases:
                phase = grid.phases - 1
            h = (r - (phase + 0.5) / grid.phases) * grid.step_sigma
            table = grid.table + phase * 4 * grid.width
            hedgerow_smooth(table, grid.width, h, w, <Py_ssize_t> (last - first + 1),
                            left + scan.y[i] * stride + offset)
    points.n = n
    hedgerow_sum(left, stride, n_classes, n, points.sum_left)
    return 0


cdef int64_t first_above(const Grid* grid, double x) noexcept nogil:
    """The lowest grid point above x; compared as the threshold itself will be."""
    cdef int64_t k = <int64_t> floor((x - grid.origin) / grid.step) - 1
    while grid.origin + k * grid.step <= x:
        k += 1
    return k


cdef double choose_soft(const Scan* scan, const Points* points, Py_ssize_t first,
                        Py_ssize_t last, int64_t k_first, int64_t k_last,
                        int64_t* k_chosen) noexcept nogil:
    """The middle of the best plateau within entries first..last, grid points k_first..k_last.

    A plateau is a run of neighbouring grid points whose gains are within 1e-12 of the largest; the
    widest is the best, then the lowest. Candidates that a bound left out are below all of them, so
    that it makes no difference which these are.  Returns the gain, or -1.
    """
    cdef double best = FAR_BELOW, least
    cdef int64_t best_low = 0, best_high = -1, run_low = 0, low, high
    cdef Py_ssize_t p
    cdef bint within = False
    for p in range(first, last + 1):
        if points.k[p] <= k_last and points.k[p] + points.span[p] > k_first:
            best = max(best, points.score[p])
    if best <= FAR_BELOW / 2:
        return -1.0
    least = best - GAIN_TOLERANCE * scan.weight
    for p in range(first, last + 1):
        low = max(points.k[p], k_first)
        high = min(points.k[p] + points.span[p] - 1, k_last)
        if low > high or points.score[p] < least:
            within = False
            continue
        if not within:
            run_low = low
        within = True
        if high - run_low > best_high - best_low:
            best_low = run_low
            best_high = high
    k_chosen[0] = best_low + (best_high - best_low) // 2
    return (base_at(scan) + best) / scan.weight


def smoothing_table(double half_window, double step, Py_ssize_t phases):
    """Normal CDF over the window, as cubic polynomials in the phase of a value.

    Parameters
    ----------
    half_window, step : float
        Half the window and the grid step, in units of sigma.
    phases : int
        Number of polynomials per step; the error falls as phases**-4 (2e-15 at 96, step .1).

    Returns
    -------
    (phases, 4, width) float64
    """
    cdef Py_ssize_t width = <Py_ssize_t> ceil(2.0 * half_window / step) + 2
    out = np.empty((phases, 4, width))
    cdef double[:, :, ::1] table = out
    cdef double c[7]
    cdef Py_ssize_t phase, q, order
    for phase in range(phases):
        for q in range(width):
            hedgerow_phi_coefficients(
                -half_window + step * ((phase + 0.5) / phases + q), c)
            for order in range(4):
                table[phase, order, q] = c[order]
    return out
