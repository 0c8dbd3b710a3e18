# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Two-subset tests on a categorical variable (thesis 2.2.2).

Every subset while few categories are present.  Beyond that, and always with two classes where
no side can fall below its least weight, the prefixes of an ordering: by the probability of a
class for two classes, which is exact (Breiman et al. 1984, theorem 4.5), and along the first
principal component of the class probabilities for more (Coppersmith, Hong and Hosking 1999).
"""

from libc.math cimport sqrt
from libc.stdlib cimport qsort
from libc.string cimport memcmp, memcpy, memset

from hedgerow.induction._candidates cimport (
    GAIN_TOLERANCE,
    Guesses,
    Scan,
    base_at,
    counted,
    sides_of,
    value_at,
    weigh_guesses,
)
from hedgerow.induction._criteria cimport (
    EXPECTED_GAIN,
    Sides,
    is_ordered,
    score_one,
    weighted_entropy,
)
from hedgerow.tree._arena cimport Arena

cdef int EXHAUSTIVE = 10     # present categories up to which every subset is tried
cdef int INSERTED = 64       # present categories up to which they are sorted by insertion
cdef int POWER_STEPS = 200   # power iteration for the first principal component


cdef int subsets_init(Subsets* subsets, Arena memory, Py_ssize_t n_categories,
                      Py_ssize_t n_classes, Py_ssize_t n_draws=0) except -1 nogil:
    cdef Py_ssize_t n = n_categories if n_categories > 0 else 1
    subsets.n_categories = n
    subsets.n_classes = n_classes
    subsets.counts = <double*> memory.zeros(n * n_classes, sizeof(double))
    subsets.key = <double*> memory.zeros(n + 4 * n_classes + n_classes * n_classes,
                                         sizeof(double))
    subsets.keyed = <Keyed*> memory.zeros(n, sizeof(Keyed))
    subsets.present = <int*> memory.zeros(n, sizeof(int))
    subsets.left = <double*> memory.zeros(n_classes, sizeof(double))
    subsets.n_draws = n_draws
    if n_draws > 0:
        subsets.guesses = <double*> memory.zeros(n_draws * (n + 1) * n_classes, sizeof(double))
        subsets.guess_left = <double*> memory.zeros(n_draws * (n_classes + 1), sizeof(double))
        subsets.guess_sum = subsets.guess_left + n_draws * n_classes
        subsets.goes = <unsigned char*> memory.zeros(n, 1)
    return 0


cdef double score_of(const Scan* scan, Subsets* subsets) noexcept nogil:
    """Score of the subset on the left; far below any when a side has less than its least weight."""
    cdef double nl = 0.0, n, least = scan.least - 1e-12 * scan.n_counted
    cdef Sides sides = sides_of(scan, subsets.left, 1, &nl)
    cdef int c
    for c in range(scan.n_classes):
        nl += subsets.left[c]
    n = counted(scan.per_weight, subsets.left, 1, scan.n_classes, nl)
    if n < least or scan.n_counted - n < least:
        return -1e300
    if scan.criterion.kind == EXPECTED_GAIN:
        gather_guesses(scan, subsets, nl / scan.weight >= 0.5)
        sides.guess_left = subsets.guess_left
        sides.guess_sum = subsets.guess_sum
    return score_one(scan.criterion, &sides)


cdef void tally_guesses(const Scan* scan, Py_ssize_t n_categories, Subsets* subsets,
                        int n_present) noexcept nogil:
    """Class weights of each guessed category; of those absent at the node all together."""
    cdef Guesses* guesses = scan.guesses
    cdef Py_ssize_t K = scan.n_classes, p, c, code
    cdef const double* guess
    cdef double* counts
    cdef double x
    cdef int d, i
    for d in range(<int> subsets.n_draws):
        counts = subsets.guesses + d * (subsets.n_categories + 1) * K
        guess = guesses.guess + d * guesses.draw
        memset(counts, 0, (subsets.n_categories + 1) * K * sizeof(double))
        memset(subsets.goes, 0, n_categories)
        for p in range(n_present):
            subsets.goes[subsets.present[p]] = 1
        for p in range(guesses.n):
            i = guesses.members[p]
            x = guess[i]
            if x == x:
                code = <Py_ssize_t> x
                if not subsets.goes[code]:
                    code = subsets.n_categories
                counts[code * K + scan.y[i]] += guesses.w[p]
        if d == 0:
            for c in range(K):
                subsets.guess_left[c] = 0.0
                for p in range(subsets.n_categories + 1):
                    subsets.guess_left[c] += counts[p * K + c]
            weigh_guesses(guesses, subsets.guess_left, 1, <int> K)


cdef void gather_guesses(const Scan* scan, Subsets* subsets, bint absent_left) noexcept nogil:
    """What of the guesses the subset has on its left. As in prediction, guesses that do not occur
    at the node go to the heavier side."""
    cdef Py_ssize_t K = scan.n_classes, p, c
    cdef double* counts
    cdef double* left
    cdef int d
    for d in range(<int> subsets.n_draws):
        counts = subsets.guesses + d * (subsets.n_categories + 1) * K
        left = subsets.guess_left + d * K
        subsets.guess_sum[d] = 0.0
        for c in range(K):
            left[c] = counts[subsets.n_categories * K + c] if absent_left else 0.0
        for p in range(subsets.n_categories):
            if subsets.goes[p]:
                for c in range(K):
                    left[c] += counts[p * K + c]
        for c in range(K):
            subsets.guess_sum[d] += left[c]


cdef void principal_keys(const Scan* scan, Subsets* subsets, int n_present) noexcept nogil:
    """Project the class probabilities of each category on their first principal component."""
    cdef Py_ssize_t K = scan.n_classes, a, b, step
    cdef double* key = subsets.key
    cdef double* mean = key + subsets.n_categories
    cdef double* v = mean + K
    cdef double* u = v + K
    cdef double* covariance = u + 2 * K
    cdef double n, norm
    cdef double* row
    cdef int p
    for a in range(K):
        mean[a] = scan.total[a] / scan.weight
    for a in range(K * K):
        covariance[a] = 0.0
    for p in range(n_present):
        row = subsets.counts + subsets.present[p] * K
        n = 0.0
        for a in range(K):
            n += row[a]
        for a in range(K):
            for b in range(K):
                covariance[a * K + b] += n * (row[a] / n - mean[a]) * (row[b] / n - mean[b])
    for a in range(K):
        v[a] = 1.0 + a
    for step in range(POWER_STEPS):
        norm = 0.0
        for a in range(K):
            u[a] = 0.0
            for b in range(K):
                u[a] += covariance[a * K + b] * v[b]
            norm += u[a] * u[a]
        if norm <= 0.0:
            break
        norm = sqrt(norm)
        for a in range(K):
            v[a] = u[a] / norm
    for p in range(n_present):
        row = subsets.counts + subsets.present[p] * K
        n = 0.0
        for a in range(K):
            n += row[a]
        key[p] = 0.0
        for a in range(K):
            key[p] += v[a] * row[a] / n


cdef int tally(const Scan* scan, Subsets* subsets, bint* bound) noexcept nogil:
    """Class weights of each category and the codes present, ascending; returns their number.

    bound: whether a category alone has less than the least weight of a side.
    """
    cdef Py_ssize_t K = scan.n_classes, p, c, q, code, previous = -1
    cdef int n_present = 0, n_met = 0
    cdef double s
    cdef double* counts = subsets.counts
    # Rows are in the order of their codes: nothing is done for categories that are not here.
    for p in range(scan.n):
        code = <Py_ssize_t> value_at(scan, scan.rows[p])
        if code != previous:
            memset(counts + code * K, 0, K * sizeof(double))
            subsets.present[n_met] = <int> code
            n_met += 1
            previous = code
        counts[code * K + scan.y[scan.rows[p]]] += scan.w[scan.rows[p]]
    bound[0] = False
    for q in range(n_met):
        p = subsets.present[q]
        s = 0.0
        for c in range(K):
            s += counts[p * K + c]
        if s > 0.0:
            subsets.present[n_present] = <int> p
            n_present += 1
            bound[0] = bound[0] or counted(scan.per_weight, counts + p * K, 1, <int> K,
                                           s) < scan.least
    subsets.n_present = n_present
    return n_present


cdef void fill_left(const Scan* scan, Subsets* subsets, int n_present,
                    long long mask) noexcept nogil:
    """Class weights of a subset. Bit p - 1: category present[p] joins present[0] on the left."""
    cdef Py_ssize_t K = scan.n_classes, p, c
    for c in range(K):
        subsets.left[c] = subsets.counts[subsets.present[0] * K + c]
    for p in range(1, n_present):
        if (mask >> (p - 1)) & 1:
            for c in range(K):
                subsets.left[c] += subsets.counts[subsets.present[p] * K + c]
    if subsets.n_draws > 0:
        subsets.goes[subsets.present[0]] = 1
        for p in range(1, n_present):
            subsets.goes[subsets.present[p]] = (mask >> (p - 1)) & 1


cdef int by_key(const void* a, const void* b) noexcept nogil:
    cdef const Keyed* one = <const Keyed*> a
    cdef const Keyed* two = <const Keyed*> b
    if one.key != two.key:
        return 1 if one.key > two.key else -1
    return (one.code > two.code) - (one.code < two.code)


cdef void arrange(const Scan* scan, Subsets* subsets, int n_present) noexcept nogil:
    """Put the codes present in the order whose prefixes are tried."""
    cdef Py_ssize_t K = scan.n_classes, p, q, c, code
    cdef int held
    cdef double s, key
    if K > 2:
        principal_keys(scan, subsets, n_present)
    else:
        for p in range(n_present):
            code = subsets.present[p]
            s = 0.0
            for c in range(K):
                s += subsets.counts[code * K + c]
            subsets.key[p] = subsets.counts[code * K + K - 1] / s
    # Equal keys stay in the order of their codes.
    if n_present > INSERTED:
        for p in range(n_present):
            subsets.keyed[p] = Keyed(subsets.key[p], subsets.present[p])
        qsort(subsets.keyed, n_present, sizeof(Keyed), by_key)
        for p in range(n_present):
            subsets.present[p] = subsets.keyed[p].code
        return
    for p in range(1, n_present):
        key = subsets.key[p]
        held = subsets.present[p]
        q = p - 1
        while q >= 0 and subsets.key[q] > key:
            subsets.key[q + 1] = subsets.key[q]
            subsets.present[q + 1] = subsets.present[q]
            q -= 1
        subsets.key[q + 1] = key
        subsets.present[q + 1] = held


cdef void write_mask(const Subsets* subsets, int n_present, long long mask,
                     unsigned char* goes_left) noexcept nogil:
    cdef Py_ssize_t p
    goes_left[subsets.present[0]] = 1
    for p in range(1, n_present):
        goes_left[subsets.present[p]] = (mask >> (p - 1)) & 1


cdef void write_prefix(const Subsets* subsets, int n_present, Py_ssize_t last,
                       unsigned char* goes_left) noexcept nogil:
    """The side of the ordering with the lowest code goes left."""
    cdef Py_ssize_t p, q = 0
    cdef int code = subsets.present[0]
    cdef bint flip
    for p in range(n_present):
        if subsets.present[p] < code:
            code = subsets.present[p]
            q = p
    flip = q > last
    for p in range(n_present):
        goes_left[subsets.present[p]] = (p <= last) != flip


cdef double best_subset(const Scan* scan, Py_ssize_t n_categories, Subsets* subsets,
                        unsigned char* goes_left) noexcept nogil:
    """Best split of the categories present; writes `goes_left` (n_categories flags).

    The subset with the lowest category present goes left.  Categories absent at the node are
    left at 0: the caller sends them to the heavier side.  Returns the gain, -1 without one.
    """
    cdef Py_ssize_t p, c
    cdef int n_present
    cdef double s, best, base, tolerance
    cdef long long mask, best_mask = -1, n_masks
    cdef bint bound = False
    for p in range(n_categories):
        goes_left[p] = 0
    n_present = tally(scan, subsets, &bound)
    if n_present < 2:
        return -1.0
    if scan.criterion.kind == EXPECTED_GAIN:
        tally_guesses(scan, n_categories, subsets, n_present)
        memset(subsets.goes, 0, n_categories)
    base = base_at(scan)
    tolerance = GAIN_TOLERANCE * scan.weight
    best = -base - 1.0
    if ((scan.n_classes > 2 or bound or not is_ordered(scan.criterion))
            and n_present <= EXHAUSTIVE):
        n_masks = (<long long> 1 << (n_present - 1)) - 1
        for mask in range(n_masks):
            fill_left(scan, subsets, n_present, mask)
            s = score_of(scan, subsets)
            if s > best + tolerance:
                best = s
                best_mask = mask
        if best_mask < 0:
            return -1.0
        write_mask(subsets, n_present, best_mask, goes_left)
        return (base + best) / scan.weight
    arrange(scan, subsets, n_present)
    for c in range(scan.n_classes):
        subsets.left[c] = 0.0
    for p in range(n_present - 1):
        for c in range(scan.n_classes):
            subsets.left[c] += subsets.counts[subsets.present[p] * scan.n_classes + c]
        if subsets.n_draws > 0:
            subsets.goes[subsets.present[p]] = 1
        s = score_of(scan, subsets)
        if s > best + tolerance:
            best = s
            best_mask = p
    if best_mask < 0:
        return -1.0
    write_prefix(subsets, n_present, best_mask, goes_left)
    return (base + best) / scan.weight


cdef double best_category(const Scan* scan, Py_ssize_t n_categories, double weight,
                          Subsets* subsets, unsigned char* goes_left) noexcept nogil:
    """The category on the left whose ratio of gain and split information is largest.

    weight: of the node, rows without the value among it.  As `best_subset` in all else.
    """
    cdef Py_ssize_t p, c, best = -1
    cdef int n_present
    cdef double s, gain = -1.0, ratio = 0.0, base
    cdef double parts[3]
    cdef bint bound = False
    memset(goes_left, 0, n_categories)
    n_present = tally(scan, subsets, &bound)
    if n_present < 2:
        return -1.0
    base = base_at(scan)
    for p in range(n_present):
        memcpy(subsets.left, subsets.counts + subsets.present[p] * scan.n_classes,
               scan.n_classes * sizeof(double))
        s = (base + score_of(scan, subsets)) / scan.weight
        if s <= 0.0:
            continue
        parts[0] = 0.0
        for c in range(scan.n_classes):
            parts[0] += subsets.left[c]
        parts[1] = scan.weight - parts[0]
        parts[2] = weight - scan.weight
        if s > (ratio + GAIN_TOLERANCE) * weighted_entropy(parts, weight, 3):
            ratio = s / weighted_entropy(parts, weight, 3)
            gain = s
            best = p
    if best >= 0:
        goes_left[subsets.present[best]] = 1
    return gain


cdef int best_subsets(const Scan* scan, Py_ssize_t n_categories, Subsets* subsets, int most,
                      double* gain, unsigned char* goes_left) noexcept nogil:
    """The `most` best splits, best first; returns their number.

    The first is that of `best_subset`.  The others come from every subset while few categories
    are present, and from the prefixes of the ordering beyond that.

    gain: room for `most` gains in bits; goes_left: for `most` + 1 times n_categories flags, the
    last of them scratch.
    """
    cdef Py_ssize_t c
    cdef int n_present, n = 1
    cdef double s, base, least
    cdef long long mask, n_masks
    cdef bint bound = False, every
    cdef unsigned char* flags = goes_left + most * n_categories
    gain[0] = best_subset(scan, n_categories, subsets, goes_left)
    if gain[0] < 0.0:
        return 0
    if most < 2:
        return 1
    n_present = tally(scan, subsets, &bound)
    base = base_at(scan)
    least = -0.5e300
    every = n_present <= EXHAUSTIVE
    n_masks = (<long long> 1 << (n_present - 1)) - 1 if every else n_present - 1
    if not every:
        arrange(scan, subsets, n_present)
        for c in range(scan.n_classes):
            subsets.left[c] = 0.0
    for mask in range(n_masks):
        if every:
            fill_left(scan, subsets, n_present, mask)
        else:
            for c in range(scan.n_classes):
                subsets.left[c] += subsets.counts[subsets.present[mask] * scan.n_classes + c]
        s = score_of(scan, subsets)
        if s < least:
            continue
        s = (base + s) / scan.weight
        if n == most and s <= gain[n - 1] + GAIN_TOLERANCE:
            continue
        memset(flags, 0, n_categories)
        if every:
            write_mask(subsets, n_present, mask, flags)
        else:
            write_prefix(subsets, n_present, mask, flags)
        if memcmp(flags, goes_left, n_categories) == 0:
            continue
        c = n if n < most else n - 1
        while c > 1 and s > gain[c - 1] + GAIN_TOLERANCE:
            gain[c] = gain[c - 1]
            memcpy(goes_left + c * n_categories, goes_left + (c - 1) * n_categories,
                   n_categories)
            c -= 1
        gain[c] = s
        memcpy(goes_left + c * n_categories, flags, n_categories)
        n = n + 1 if n < most else n
    return n
