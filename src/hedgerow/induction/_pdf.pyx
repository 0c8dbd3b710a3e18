# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sample points of uncertain values (UDT) as candidate thresholds of one variable at one node.

Each value is a normal pdf, cut at `half` sigma and conditioned on the tests above; s points of
each pdf are candidates (Tsang et al. 2011).  Few of them are ever evaluated.  Between two
positions the weight of every class on the left only grows, and the gain is convex in these
weights, so that it is largest at a corner of the box that they span: a bound for all candidates
in between.  Cells whose bound is above the best candidate are divided again, and candidates are
looked at only in the finest of them.
"""

from libc.math cimport INFINITY, ceil, floor

from hedgerow.induction._candidates cimport GAIN_TOLERANCE, base_at, counted, sides_of, value_at
from hedgerow.induction._criteria cimport Sides, score_candidates
from hedgerow.tree._arena cimport Arena, carved
from hedgerow.tree._elementary cimport hedgerow_exp
from hedgerow.tree._gates cimport hedgerow_phi, hedgerow_phi_expand, hedgerow_phi_fill

hedgerow_phi_fill()

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

cdef double FAR_BELOW = -1e300
cdef double COARSE = 0.5        # width of a coarse cell, in sigma
cdef enum:
    PARTS = 8                   # cells into which one is divided
    TERMS = 7                   # Taylor coefficients in a fine cell
cdef int MANY = 64              # candidates evaluated at a time
cdef int FEW = 16               # candidates that are evaluated without dividing further
# The slope of the normal density is at most .242 per sigma; at 2 sigma, the density is .054.
cdef double STEEPEST = 0.24197072451914337
# The coarse table errs by 1e-12 of a weight: bounds are compared with this slack. Bits.
cdef double BOUND_SLACK = 1e-10

# Steps of the two smoothing tables, in sigma, for hedgerow.induction.core.
coarse_step = COARSE
fine_step = COARSE / PARTS


cdef int reserve_tuples(Cells* cells, Arena memory, Py_ssize_t n, int K) except -1 nogil:
    cdef double* room
    if cells.fine == NULL:
        # Of each of MANY points: place, K weights, sum, score, K bends; and rows for the bounds.
        cells.fine = <double*> memory.take((4 * K + 7) * MANY, sizeof(double))
    if cells.poly == NULL:
        cells.poly = <double*> memory.take(K * TERMS, sizeof(double))
    if n <= cells.capacity:
        return 0
    n = n + n // 2 + 8
    cells.capacity = 0
    memory.give_back(cells.tuples)
    cells.tuples = NULL
    cells.tuples = memory.take((K + 3) * n + K + 2 * (n // 2 + 1), sizeof(double))
    room = <double*> cells.tuples
    cells.z = carved(&room, n)
    cells.scale = carved(&room, n)
    cells.below = carved(&room, n)
    cells.prefix = carved(&room, K * (n + 1))
    cells.label = <int*> carved(&room, n // 2 + 1)
    cells.kinked = <int*> carved(&room, n // 2 + 1)
    cells.capacity = n
    return 0


cdef int reserve_edges(Cells* cells, Arena memory, Py_ssize_t n, int K) except -1 nogil:
    cdef double* room
    if n <= cells.n_edges:
        return 0
    n = n + n // 2 + 8
    cells.n_edges = 0
    memory.give_back(cells.edges)
    cells.edges = NULL
    cells.edges = memory.take((4 * K + 7) * n, sizeof(double))
    room = <double*> cells.edges
    cells.place = carved(&room, n)
    cells.left = carved(&room, K * n)
    cells.sum_left = carved(&room, n)
    cells.h = carved(&room, (2 * K + 4) * n)
    cells.bend = carved(&room, K * n)
    cells.bound = carved(&room, n)
    cells.n_edges = n
    return 0


cdef struct Search:
    # What the levels of one search share.
    const Scan* scan
    const Reach* reach
    Cells* cells
    Py_ssize_t n, stride        # tuples; row length of prefix
    double spacing              # of the sample points, in sigma
    double origin               # unit of the variable: position 0
    double base                 # score of no split, negative
    double known                # score to beat
    double tolerance, slack
    double least                # that each child must get at least, less a rounding
    double fine_phase           # 1 / phases of the fine table
    double above                # normal CDF where a pdf is cut
    double end_density          # of a pdf where it is cut, per sigma
    double best, threshold      # score and threshold of the best candidate so far
    long long n_gains


cdef void bounds(const Search* s, const double* left, Py_ssize_t stride, const double* sum_left,
                 const double* bend, Py_ssize_t n, double* h, double* bound) noexcept nogil:
    """Upper bound of the score between each of n boundaries and the next.

    The score is convex in the class weights on the left.  They lie in a box between those of the
    two boundaries, so that a corner of the box bounds the score; and they lie within `bend` of
    the straight line between them, on which the larger end bounds it, so that this end plus
    `bend` times the steepest slope in the box is another bound, which is much the lower in
    small cells.

    left, bend: rows of `stride`; h: room for 2 n_classes + 4 rows.  Cells in which nothing
    varies, or in which every candidate starves a child, are far below.
    """
    cdef const Scan* scan = s.scan
    cdef int c, K = scan.n_classes
    cdef Py_ssize_t e
    cdef double half = scan.weight / 2.0, most, even, b, line, steep
    cdef double n_left, n_next, least = s.least - BOUND_SLACK * scan.n_counted
    cdef double* both = h + K * stride
    cdef double* slope = both + stride
    cdef double* slopes = slope + stride
    for c in range(K):
        hedgerow_two_sided(left + c * stride, scan.total[c], n, h + c * stride)
        hedgerow_slopes(left + c * stride, scan.total[c], n, slopes + c * stride)
    hedgerow_two_sided(sum_left, scan.weight, n, both)
    hedgerow_slopes(sum_left, scan.weight, n, slope)
    even = 2.0 * hedgerow_xlog2x(half)
    n_next = counted(scan.per_weight, left, stride, K, sum_left[0])
    for e in range(n - 1):
        n_left = n_next
        n_next = counted(scan.per_weight, left + e + 1, stride, K, sum_left[e + 1])
        if (sum_left[e + 1] <= sum_left[e] or n_next < least
                or scan.n_counted - n_left < least):
            bound[e] = FAR_BELOW
            continue
        # Each class's part is convex: largest at an end.  The part that is subtracted is least
        # at the end nearer to an even division, or there.
        b = both[e] if both[e] < both[e + 1] else both[e + 1]
        if sum_left[e] < half and half < sum_left[e + 1] and even < b:
            b = even
        most = -b
        line = -both[e]
        b = -both[e + 1]
        for c in range(K):
            most += h[c * stride + e] if h[c * stride + e] > h[c * stride + e + 1] \
                else h[c * stride + e + 1]
            line += h[c * stride + e]
            b += h[c * stride + e + 1]
        line = b if b > line else line
        for c in range(K):
            if left[c * stride + e + 1] <= left[c * stride + e]:
                continue
            steep = slopes[c * stride + e + 1] - slope[e]
            b = slope[e + 1] - slopes[c * stride + e]
            line += bend[c * stride + e] * (b if b > steep else steep)
        bound[e] = line if line < most else most


cdef bint excluded(const Search* s, const double* left, Py_ssize_t stride, const double* h,
                   Py_ssize_t e, double bound) noexcept nogil:
    """Whether no candidate between boundary e and the next can be the best.

    Of two classes, the box has two corners that are no boundary; they are looked at only where
    the bound that serves any number of classes is not enough.
    """
    cdef double least = s.known - s.slack, side, total = s.scan.weight
    cdef double a, b, c, d
    if bound < least:
        return True
    if s.scan.n_classes != 2:
        return False
    a = h[e] + h[stride + e + 1]
    b = h[e + 1] + h[stride + e]
    c = h[e] + h[stride + e] - h[2 * stride + e]
    d = h[e + 1] + h[stride + e + 1] - h[2 * stride + e + 1]
    if c >= least or d >= least:
        return False
    side = left[e] + left[stride + e + 1]
    if a - hedgerow_xlog2x(side) - hedgerow_xlog2x(total - side if total > side else 0.0) >= least:
        return False
    side = left[e + 1] + left[stride + e]
    return (b - hedgerow_xlog2x(side) - hedgerow_xlog2x(total - side if total > side else 0.0)
            < least)


cdef inline Py_ssize_t first_beyond(const double* z, Py_ssize_t low, Py_ssize_t high,
                                    double place) noexcept nogil:
    """The first of the ascending positions low..high that is above `place`, or high."""
    cdef Py_ssize_t middle
    while low < high:
        middle = (low + high) // 2
        if z[middle] > place:
            high = middle
        else:
            low = middle + 1
    return low


cdef void consider(Search* s, double* points, Py_ssize_t n) noexcept nogil:
    """Score n candidates of the batch and keep the best (ties: the lower threshold)."""
    cdef const Scan* scan = s.scan
    cdef int K = scan.n_classes
    cdef double* threshold = points
    cdef double* left = points + MANY
    cdef double* sum_left = points + (K + 1) * MANY
    cdef double* score = points + (K + 2) * MANY
    cdef Py_ssize_t q
    cdef double n_left, least = s.least
    cdef Sides sides = sides_of(scan, left, MANY, sum_left)
    hedgerow_sum(left, MANY, K, n, sum_left)
    score_candidates(scan.criterion, &sides, n, score)
    s.n_gains += n
    for q in range(n):
        n_left = counted(scan.per_weight, left + q, MANY, K, sum_left[q])
        if n_left < least or scan.n_counted - n_left < least:
            continue
        if score[q] > s.best + s.tolerance or (
                score[q] > s.best - s.tolerance and threshold[q] < s.threshold):
            if score[q] > s.best:
                s.best = score[q]
            s.threshold = threshold[q]
            if score[q] > s.known:
                s.known = score[q]


cdef struct Cell:
    # A stretch of positions, and how the class weights left of one of them are worked out.
    double low, high
    Py_ssize_t first, end       # the pdfs that reach it
    bint mixed                  # ... are of several classes
    Py_ssize_t n_kinked         # pdfs in `kinked`, the others being in `poly`; -1: no expansion
    double middle               # where `poly` is expanded


cdef void weights_at(const Search* s, const Cell* cell, double place, double* out,
                     Py_ssize_t step) noexcept nogil:
    """Class weights left of a position in a cell."""
    cdef const Cells* cells = s.cells
    cdef double half = s.reach.half, t, u, value
    cdef const double* coefficient
    cdef Py_ssize_t p, m
    cdef int c, q
    if cell.n_kinked >= 0:
        u = place - cell.middle
        for c in range(s.scan.n_classes):
            coefficient = cells.poly + c * TERMS
            value = coefficient[TERMS - 1]
            for q in range(TERMS - 2, -1, -1):
                value = value * u + coefficient[q]
            out[c * step] = value
        for m in range(cell.n_kinked):
            p = cells.kinked[m]
            t = place - cells.z[p]
            t = half if t > half else (-half if t < -half else t)
            out[cells.label[p] * step] += cells.scale[p] * (hedgerow_phi(t) - cells.below[p])
        return
    for c in range(s.scan.n_classes):
        out[c * step] = cells.prefix[c * s.stride + cell.first]
    for p in range(cell.first, cell.end):
        t = place - cells.z[p]
        t = half if t > half else (-half if t < -half else t)
        out[cells.label[p] * step] += cells.scale[p] * (hedgerow_phi(t) - cells.below[p])


cdef void weights_along(const Search* s, const Cell* cell, double* left) noexcept nogil:
    """Class weights left of the PARTS + 1 equally spaced positions of a coarse cell.

    left: rows of MANY.  Read from a table, with an error of 1e-12 of a weight: for bounds only.
    """
    cdef const Cells* cells = s.cells
    cdef const Reach* reach = s.reach
    cdef int K = s.scan.n_classes, c
    cdef double half = reach.half, part = COARSE / PARTS, t, r, h, w, rest
    cdef double start = cell.low + half, per_part = PARTS / COARSE, window = 2.0 * half * per_part
    cdef Py_ssize_t p, q, first, last, whole, phase
    cdef double* row
    for c in range(K):
        for q in range(PARTS + 1):
            left[c * MANY + q] = cells.prefix[c * s.stride + cell.first]
    for p in range(cell.first, cell.end):
        w = cells.scale[p]
        row = left + cells.label[p] * MANY
        r = (start - cells.z[p]) * per_part             # how far into the pdf the cell begins, in parts
        first = 0
        if r < 0.0:
            first = <Py_ssize_t> (-r) + 1
            r += first
        last = PARTS
        rest = w * cells.below[p]
        if r + (PARTS - first) > window:
            last = first + <Py_ssize_t> (window - r)
            for q in range(last + 1, PARTS + 1):
                row[q] += w * s.above - rest
        if last < first:
            continue
        whole = <Py_ssize_t> r
        r -= whole
        phase = <Py_ssize_t> (r * reach.fine_phases)
        h = (r - (phase + 0.5) * s.fine_phase) * part
        hedgerow_smooth(reach.fine_table + phase * 4 * reach.fine_width + whole,
                        reach.fine_width, h, w, last - first + 1, row + first)
        for q in range(first, last + 1):
            row[q] -= rest


cdef inline double threshold_of(const Search* s, Py_ssize_t p, Py_ssize_t k) noexcept nogil:
    """The k-th sample point of a tuple, in the variable's unit."""
    cdef double reach = s.reach.half * s.reach.sigma
    return (value_at(s.scan, s.scan.rows[p])
            + (k * (2.0 * reach / (s.reach.n_points - 1)) - reach))


cdef void evaluate(Search* s, const Cell* cell, double a, double b,
                   bint ends_only) noexcept nogil:
    """Evaluate the candidates from a to b inside a cell; with ends_only the outermost two."""
    cdef const Cells* cells = s.cells
    cdef Py_ssize_t p, k, low, high, n = 0, p_low = -1, p_high = -1, k_low = 0, k_high = 0
    cdef double half = s.reach.half, at, place, threshold, lowest = 0.0, highest = 0.0
    cdef double* points = cells.fine
    for p in range(cell.first, cell.end):
        # Rounding may put a candidate on either side of a border: look a little beyond.
        at = (a - cells.z[p] + half) / s.spacing - 1e-9
        low = <Py_ssize_t> ceil(at) if at > 0.0 else 0
        at = (b - cells.z[p] + half) / s.spacing + 1e-9
        high = <Py_ssize_t> at if at < s.reach.n_points - 1 else s.reach.n_points - 1
        if ends_only:
            if high < low:
                continue
            place = cells.z[p] - half + low * s.spacing
            threshold = threshold_of(s, p, low)
            if (p_low < 0 or place < lowest) and threshold > s.reach.lower:
                lowest = place
                p_low = p
                k_low = low
            place = cells.z[p] - half + high * s.spacing
            threshold = threshold_of(s, p, high)
            if (p_high < 0 or place > highest) and threshold < s.reach.upper:
                highest = place
                p_high = p
                k_high = high
            continue
        for k in range(low, high + 1):
            threshold = threshold_of(s, p, k)
            if threshold <= s.reach.lower or threshold >= s.reach.upper:
                continue
            points[n] = threshold
            weights_at(s, cell, cells.z[p] - half + k * s.spacing, points + MANY + n, MANY)
            n += 1
            if n == MANY:
                consider(s, points, n)
                n = 0
    if p_low >= 0:
        points[n] = threshold_of(s, p_low, k_low)
        weights_at(s, cell, lowest, points + MANY + n, MANY)
        n += 1
    if p_high >= 0:
        points[n] = threshold_of(s, p_high, k_high)
        weights_at(s, cell, highest, points + MANY + n, MANY)
        n += 1
    consider(s, points, n)


cdef void expand(const Search* s, Cell* cell) noexcept nogil:
    """Class weights left of a position as polynomials about the cell's middle, into `poly`.

    Left out are the pdfs that begin or end inside; they are in `kinked`.
    """
    cdef Cells* cells = s.cells
    cdef double half = s.reach.half, w, z
    cdef Py_ssize_t p
    cdef int c, q
    cdef double term[TERMS]
    cdef double* poly = cells.poly
    cell.n_kinked = 0
    cell.middle = (cell.low + cell.high) / 2.0
    for c in range(s.scan.n_classes):
        for q in range(TERMS):
            poly[c * TERMS + q] = 0.0
        poly[c * TERMS] = cells.prefix[c * s.stride + cell.first]
    for p in range(cell.first, cell.end):
        z = cells.z[p]
        if z - half > cell.low or z + half < cell.high:
            cells.kinked[cell.n_kinked] = <int> p
            cell.n_kinked += 1
            continue
        hedgerow_phi_expand(cell.middle - z, term)
        term[0] -= cells.below[p]
        w = cells.scale[p]
        c = cells.label[p] * TERMS
        for q in range(TERMS):
            poly[c + q] += w * term[q]


cdef void find_reaching(const Search* s, Cell* cell, Py_ssize_t low,
                        Py_ssize_t high) noexcept nogil:
    """The pdfs among low..high - 1 that reach the cell."""
    cdef const Cells* cells = s.cells
    cdef double half = s.reach.half
    cell.first = first_beyond(cells.z, low, high, cell.low - half)
    cell.end = cell.first
    cell.mixed = False
    cell.n_kinked = -1
    while cell.end < high and cells.z[cell.end] - half < cell.high:
        cell.mixed |= cells.label[cell.end] != cells.label[cell.first]
        cell.end += 1


cdef void find_bends(const Search* s, const Cell* cell, double* bend) noexcept nogil:
    """How far the class weights may be from a straight line in each part of a cell.

    A smooth curve is within an eighth of its second derivative times the length squared, a kink
    adds a quarter of its change of slope times the length.
    """
    cdef const Cells* cells = s.cells
    cdef int K = s.scan.n_classes, c, q
    cdef Py_ssize_t p, m
    cdef double half = s.reach.half, part = (cell.high - cell.low) / PARTS, at, smooth
    cdef double per_part = 1.0 / part
    cdef double kink = part / 4.0 * s.end_density
    cdef double curve = part * part / 8.0 * STEEPEST
    cdef bint expanded = cell.n_kinked >= 0
    for c in range(K):
        smooth = 0.0
        for q in range(PARTS):
            bend[c * MANY + q] = 0.0
    for p in range(cell.first, cell.end):
        bend[cells.label[p] * MANY] += cells.scale[p]
    for c in range(K):
        smooth = bend[c * MANY] * curve
        for q in range(PARTS):
            bend[c * MANY + q] = smooth
    for m in range(cell.n_kinked if expanded else cell.end - cell.first):
        p = cells.kinked[m] if expanded else cell.first + m
        # Rounding at a border bends nothing.
        at = cells.z[p] - half - cell.low
        if at >= 0.0 and at * per_part < PARTS:
            bend[cells.label[p] * MANY + <Py_ssize_t> (at * per_part)] += kink * cells.scale[p]
        at += 2.0 * half
        if at >= 0.0 and at * per_part < PARTS:
            bend[cells.label[p] * MANY + <Py_ssize_t> (at * per_part)] += kink * cells.scale[p]


cdef void divide(Search* s, double a, double b, Py_ssize_t low, Py_ssize_t high,
                 int level) noexcept nogil:
    """Look for a better candidate between a and b, which pdfs among low..high - 1 reach.

    A coarse cell (level 0) is divided into fine ones, a fine one (level 1) into parts whose
    candidates are evaluated.
    """
    cdef Cells* cells = s.cells
    cdef const Scan* scan = s.scan
    cdef int K = scan.n_classes, q, top = 0, turn
    cdef double least, most, unit
    cdef double cut[PARTS + 1]
    cdef double bound[PARTS + 1]
    cdef Cell cell
    cdef double* left = cells.fine + MANY
    cdef double* sum_left = cells.fine + (K + 1) * MANY
    cdef double* bend = cells.fine + (K + 3) * MANY
    cell.low = a
    cell.high = b
    find_reaching(s, &cell, low, high)
    if cell.end <= cell.first:
        return
    if (cell.end - cell.first) * (b - a) <= FEW * s.spacing:
        evaluate(s, &cell, a, b, False)
        return
    if level > 0 and cell.end - cell.first > 8:
        expand(s, &cell)
    cut[0] = a
    cut[PARTS] = b
    if not cell.mixed or level > 0 or b - a < COARSE - 1e-9 or b - a > COARSE + 1e-9:
        weights_at(s, &cell, a, left, MANY)
        weights_at(s, &cell, b, left + PARTS, MANY)
    if not cell.mixed:
        # Where the weight of one class alone varies, the gain is largest at an end.
        least = 0.0
        most = scan.n_counted
        for q in range(K):
            unit = 1.0 if scan.per_weight == NULL else scan.per_weight[q]
            least += left[q * MANY] * unit
            most -= left[q * MANY + PARTS] * unit
        if least >= s.least and most >= s.least:
            evaluate(s, &cell, a, b, True)
            return
    for q in range(1, PARTS):
        cut[q] = a + q * (b - a) / PARTS
    if level == 0 and b - a > COARSE - 1e-9 and b - a < COARSE + 1e-9:
        weights_along(s, &cell, left)
    else:
        for q in range(1, PARTS):
            weights_at(s, &cell, cut[q], left + q, MANY)
    hedgerow_sum(left, MANY, K, PARTS + 1, sum_left)
    s.n_gains += PARTS + 1
    find_bends(s, &cell, bend)
    bounds(s, left, MANY, sum_left, bend, PARTS + 1, cells.fine + (2 * K + 3) * MANY, bound)
    for q in range(1, PARTS):
        if bound[q] > bound[top]:
            top = q
    for turn in range(-1, PARTS):
        q = top if turn < 0 else turn
        if turn == top or bound[q] < s.known - s.slack:
            continue
        if level > 0:
            evaluate(s, &cell, cut[q], cut[q + 1], False)
        else:
            divide(s, cut[q], cut[q + 1], cell.first, cell.end, 1)


cdef Py_ssize_t lay_out(Search* s, Arena memory) except -1 nogil:
    """Boundaries of the coarse cells with the class weights left of them: their number.

    Runs of pdfs that overlap have a grid each; between runs nothing varies.
    """
    cdef const Scan* scan = s.scan
    cdef const Reach* reach = s.reach
    cdef Cells* cells = s.cells
    cdef int K = scan.n_classes, c
    cdef double half = reach.half, lower, upper, start, stop, origin, t, r, h, running, w
    cdef Py_ssize_t n = s.n, p, p0, p1, e, n_edges = 0, stride, first, last, offset, phase, need
    cdef Py_ssize_t e_low, e_high, at
    cdef bint mixed
    cdef double* z = cells.z
    cdef double* left
    cdef double* h_rows
    cdef double* kinks
    cdef double* bend = cells.bend
    cdef Py_ssize_t n_cells
    lower = (reach.lower - s.origin) / reach.sigma
    upper = (reach.upper - s.origin) / reach.sigma
    # Runs of overlapping pdfs are at most 2 half long for each pdf; and never longer than all.
    need = <Py_ssize_t> (2.0 * half / COARSE) + 3
    t = (z[n - 1] + 2.0 * half) / COARSE + 3.0 * n + 3.0
    need = need * n if need * n < t else <Py_ssize_t> t
    reserve_edges(cells, memory, need + 2, K)
    stride = cells.n_edges
    left = cells.left
    bend = cells.bend
    kinks = cells.h + K * stride
    h_rows = cells.h            # until the bounds need it: what begins or ends at each edge
    p0 = 0
    while p0 < n:
        p1 = p0 + 1
        mixed = False
        while p1 < n and z[p1] - z[p1 - 1] < 2.0 * half:
            mixed |= cells.label[p1] != cells.label[p0]
            p1 += 1
        origin = z[p0] - half
        start = origin if origin > lower else lower
        stop = z[p1 - 1] + half if z[p1 - 1] + half < upper else upper
        cells.place[n_edges] = start
        for c in range(K):
            left[c * stride + n_edges] = cells.prefix[c * s.stride + p0]
        n_edges += 1
        # Edges strictly inside.
        e_low = <Py_ssize_t> floor((start - origin) / COARSE + 1e-9) + 1
        e_high = <Py_ssize_t> ceil((stop - origin) / COARSE - 1e-9) - 1
        n_cells = e_high - e_low + 2 if p1 - p0 > 1 and e_high >= e_low else 1
        for c in range(K):
            for e in range(n_cells + 1):
                bend[c * stride + n_edges - 1 + e] = 0.0
                kinks[c * stride + n_edges - 1 + e] = 0.0
        if p1 - p0 > 1 and e_high >= e_low:
            for c in range(K):
                for e in range(e_high - e_low + 2):
                    left[c * stride + n_edges + e] = 0.0
                    h_rows[c * stride + n_edges + e] = 0.0
            for p in range(p0, p1):
                t = (z[p] - half - origin) / COARSE
                first = <Py_ssize_t> t + 1
                last = <Py_ssize_t> (t + 2.0 * half / COARSE)
                w = cells.scale[p]
                r = first - t           # in (0, 1]: how far into the window, in edges
                phase = <Py_ssize_t> (r * reach.phases)
                if phase >= reach.phases:
                    phase = reach.phases - 1
                h = (r - (phase + 0.5) / reach.phases) * COARSE
                offset = e_low - first if first < e_low else 0
                first += offset
                at = cells.label[p] * stride + n_edges - e_low
                if last > e_high:
                    last = e_high
                if last >= first:
                    hedgerow_smooth(reach.table + phase * 4 * reach.width + offset, reach.width,
                                    h, w, last - first + 1, left + at + first)
                    h_rows[at + first] -= w * cells.below[p]
                    h_rows[at + last + 1] += w * cells.below[p]
                if last < e_low:
                    last = e_low - 1
                h_rows[at + last + 1] += scan.w[scan.rows[p]]
                # Cells that it reaches, as differences; those that it begins and ends in.
                at = cells.label[p] * stride + n_edges - 1
                first = <Py_ssize_t> t + 1 - e_low
                last = <Py_ssize_t> (t + 2.0 * half / COARSE) + 1 - e_low
                if first < 0:
                    first = 0
                if last > n_cells - 1:
                    last = n_cells - 1
                bend[at + first] += w
                bend[at + last + 1] -= w
                kinks[at + first] += w
                kinks[at + last] += w
            for c in range(K):
                running = cells.prefix[c * s.stride + p0]
                for e in range(n_edges, n_edges + e_high - e_low + 1):
                    running += h_rows[c * stride + e]
                    left[c * stride + e] += running
                running = 0.0
                for e in range(n_edges - 1, n_edges - 1 + n_cells):
                    running += bend[c * stride + e]
                    bend[c * stride + e] = (
                        (running if running > 0.0 else 0.0) * COARSE * COARSE / 8.0 * STEEPEST
                        + kinks[c * stride + e] * COARSE / 4.0 * s.end_density)
            for e in range(e_low, e_high + 1):
                cells.place[n_edges] = origin + e * COARSE
                n_edges += 1
        else:
            # No grid: one cell, which one class alone or the tests above may have made short.
            t = stop - start
            for p in range(p0, p1):
                bend[cells.label[p] * stride + n_edges - 1] += cells.scale[p] * (
                    t * t / 8.0 * STEEPEST + t / 2.0 * s.end_density)
        cells.place[n_edges] = stop
        for c in range(K):
            left[c * stride + n_edges] = cells.prefix[c * s.stride + p1]
        n_edges += 1
        p0 = p1
    hedgerow_sum(left, stride, K, n_edges, cells.sum_left)
    return n_edges


cdef int best_sample(const Scan* scan, const Reach* reach, Cells* cells, double to_beat,
                     double* gain, double* threshold, long long* n_candidates,
                     long long* n_gains, Arena memory) except -1 nogil:
    """The sample point with the largest gain; gain -1 without one that beats `to_beat`.

    Of criteria that `is_bounded`.
    Candidates lie strictly inside the interval that the tests above left, and leave each side
    at least `scan.least`.
    """
    cdef Search s
    cdef int K = scan.n_classes, c, i
    cdef Py_ssize_t n = scan.n, p, e, n_edges, top = 0, turn
    cdef double half = reach.half, w, a, b, low, high, most = FAR_BELOW
    cdef double per_sigma, whole, lower, upper
    cdef double* z
    gain[0] = -1.0
    # Positions are counted from the lowest value; no number holds that of the highest.
    if not (value_at(scan, scan.rows[n - 1]) - value_at(scan, scan.rows[0])) * (
            1.0 / reach.sigma) < INFINITY:
        return 0
    reserve_tuples(cells, memory, n, K)
    s.scan = scan
    s.reach = reach
    s.cells = cells
    s.n = n
    s.stride = cells.capacity + 1
    s.spacing = 2.0 * half / (reach.n_points - 1)
    s.origin = value_at(scan, scan.rows[0])
    s.base = base_at(scan)
    for c in range(K):
        cells.prefix[c * s.stride] = 0.0
    s.known = to_beat * scan.weight - s.base
    s.tolerance = GAIN_TOLERANCE * scan.weight
    s.slack = BOUND_SLACK * scan.weight
    s.least = scan.least - 1e-12 * scan.n_counted
    if s.least < 1e-12 * scan.n_counted:
        s.least = 1e-12 * scan.n_counted
    s.best = FAR_BELOW
    s.threshold = 0.0
    s.n_gains = 0
    s.end_density = hedgerow_exp(-half * half / 2.0) * 0.3989422804014327
    z = cells.z
    low = hedgerow_phi(-half)
    high = hedgerow_phi(half)
    s.above = high
    s.fine_phase = 1.0 / reach.fine_phases
    per_sigma = 1.0 / reach.sigma
    whole = 1.0 / (high - low)
    lower = (reach.lower - s.origin) * per_sigma
    upper = (reach.upper - s.origin) * per_sigma
    for p in range(n):
        i = scan.rows[p]
        w = scan.w[i]
        z[p] = (value_at(scan, i) - s.origin) * per_sigma
        cells.label[p] = scan.y[i]
        a = lower - z[p]
        b = upper - z[p]
        if a <= -half and b >= half:
            cells.below[p] = low
            cells.scale[p] = w * whole
        else:
            a = hedgerow_phi(a if a < half else half) if a > -half else low
            b = hedgerow_phi(b if b > -half else -half) if b < half else high
            cells.below[p] = a
            # No mass between the tests above: rounding left a step there.
            cells.scale[p] = w / (b - a) if b > a else 0.0
        for c in range(K):
            cells.prefix[c * s.stride + p + 1] = cells.prefix[c * s.stride + p]
        cells.prefix[cells.label[p] * s.stride + p + 1] += w
    n_candidates[0] += n * reach.n_points
    n_edges = lay_out(&s, memory)
    s.n_gains += n_edges
    bounds(&s, cells.left, cells.n_edges, cells.sum_left, cells.bend, n_edges, cells.h,
           cells.bound)
    for e in range(n_edges - 1):
        if cells.bound[e] > most:
            most = cells.bound[e]
            top = e
    for turn in range(-1, n_edges - 1):
        e = top if turn < 0 else turn
        if turn == top or cells.bound[e] == FAR_BELOW or excluded(
                &s, cells.left, cells.n_edges, cells.h, e, cells.bound[e]):
            continue
        divide(&s, cells.place[e], cells.place[e + 1], 0, n, 0)
    n_gains[0] += s.n_gains
    if s.best > FAR_BELOW:
        gain[0] = (s.base + s.best) / scan.weight
        threshold[0] = s.threshold
    return 0
