# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Leaves of decision trees, kept once and shared by all trees that contain them.

What a leaf knows depends on the tests above it only: a *region* is a leaf in every tree that
reaches it by the same tests.  It keeps its rows, its best tests and its validation counts.
"""

import numpy as np

from libc.math cimport NAN, isnan
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memmove, memset

from hedgerow.induction._candidates cimport (
    GAIN_TOLERANCE,
    LEAST_GAIN,
    Scan,
    counted,
    first_with,
    hard_points,
    last_with,
    lay_minimum,
    score_every,
    weigh_known,
)
from hedgerow.induction._categorical cimport best_subsets, subsets_init
from hedgerow.induction._criteria cimport criterion_of
from hedgerow.search._random cimport mix
from hedgerow.tree._arena cimport Arena
from hedgerow.tree._gates cimport step_gate

cdef double WEIGHT_SLACK = 1e-9     # as in growth
cdef Py_ssize_t CHUNK = 1 << 20     # bytes asked for at a time
cdef Py_ssize_t CHUNK_HEAD = 40     # ... or so many more than a piece that is larger
cdef Py_ssize_t CHUNK_USED = 32     # of a chunk that no piece is taken of


cdef int reserve(Rows* rows, Arena memory, Py_ssize_t n) except -2 nogil:
    cdef Py_ssize_t capacity
    if rows.top + n <= rows.capacity:
        return 0
    capacity = 2 * (rows.top + n)
    rows.row = <int*> memory.resized(rows.row, capacity, sizeof(int))
    rows.weight = <double*> memory.resized(rows.weight, capacity, sizeof(double))
    rows.capacity = capacity
    return 0


cdef inline bint has(const uint64_t* bits, Py_ssize_t code) noexcept nogil:
    return (bits[code >> 6] >> (code & 63)) & 1


cdef inline void add(uint64_t* bits, Py_ssize_t code) noexcept nogil:
    bits[code >> 6] |= <uint64_t> 1 << (code & 63)


cdef inline double share_of(const Action* action, double x, Py_ssize_t n_categories,
                            double share_left) noexcept nogil:
    """Share that a test sends left; a missing value goes both ways."""
    if isnan(x):
        return share_left
    if action.subset != NULL:
        if 0 <= x < n_categories:
            return has(action.subset, <Py_ssize_t> x)
        return share_left >= 0.5
    return step_gate(x, action.threshold)


cdef int divide(const Action* action, const double* x, Py_ssize_t n_categories, Rows* rows,
                Arena memory, Py_ssize_t start, Py_ssize_t n, bint weighted, bint renew,
                double* share_left, Py_ssize_t* n_left, Py_ssize_t* n_right) except -2 nogil:
    """Push the rows of the left side, then those of the right, onto the stack.

    weighted: rows carry weights; otherwise no value is missing.
    renew: the share of rows whose value is missing becomes that of the known weight of these
    rows, where there is any.
    """
    cdef Py_ssize_t p, a = 0, b = 0, n_unknown = 0
    cdef int* row
    cdef int* left
    cdef int* right
    cdef double* weight
    cdef double* left_weight
    cdef double* right_weight
    cdef double threshold = action.threshold, v, w, known_left = 0.0, known_right = 0.0
    cdef bint goes_left
    cdef int i
    reserve(rows, memory, 2 * n)
    row = rows.row + start
    left = rows.row + rows.top
    right = left + n
    if not weighted:
        if action.subset == NULL:
            for p in range(n):
                i = row[p]
                goes_left = x[i] < threshold
                left[a] = i
                right[b] = i
                a += goes_left
                b += not goes_left
        else:
            for p in range(n):
                i = row[p]
                goes_left = has(action.subset, <Py_ssize_t> x[i])
                left[a] = i
                right[b] = i
                a += goes_left
                b += not goes_left
        memmove(left + a, right, b * sizeof(int))
        rows.top += a + b
        n_left[0] = a
        n_right[0] = b
        return 0
    weight = rows.weight + start
    left_weight = rows.weight + rows.top
    right_weight = left_weight + n
    for p in range(n):
        i = row[p]
        v = x[i]
        if isnan(v):
            n_unknown += 1
            continue
        w = weight[p]
        if share_of(action, v, n_categories, share_left[0]) > 0.5:
            left[a] = i
            left_weight[a] = w
            known_left += w
            a += 1
        else:
            right[b] = i
            right_weight[b] = w
            known_right += w
            b += 1
    if renew and known_left + known_right > 0.0:
        share_left[0] = known_left / (known_left + known_right)
    if n_unknown > 0:
        for p in range(n):
            i = row[p]
            if isnan(x[i]):
                w = weight[p] * share_left[0]
                if w > 0.0:
                    left[a] = i
                    left_weight[a] = w
                    a += 1
                w = weight[p] - w
                if w > 0.0:
                    right[b] = i
                    right_weight[b] = w
                    b += 1
    memmove(left + a, right, b * sizeof(int))
    memmove(left_weight + a, right_weight, b * sizeof(double))
    rows.top += a + b
    n_left[0] = a
    n_right[0] = b
    return 0


cdef class Leaves:
    """Regions of an induction set, their tests, and what a validation set says of them.

    Parameters
    ----------
    columns : Columns
        The induction set.
    X : (n, m) float64, Fortran order
        The validation set, as X of `columns`.
    y : (n,) int32
        Its class codes.
    sample_weight : (n,) float64
    n_candidates : int
        K, tests per leaf.
    per_variable : int
        At most so many of them on one variable.
    min_split, min_leaf, max_depth, midpoints, repetition_factor
        As in growth.
    """

    def __init__(self, Columns columns, X, y, sample_weight, *, int n_candidates,
                 int per_variable, double min_split, double min_leaf, Py_ssize_t max_depth,
                 bint midpoints, double repetition_factor):
        cdef Py_ssize_t n = columns.n_rows, m = columns.n_variables, i, size
        cdef int K = columns.n_classes
        self.columns = columns
        self.n = n
        self.m = m
        self.K = K
        self.n_categories = max(columns.n_categories.max(initial=0), 0)
        size = self.n_categories + 1
        self.n_words = (self.n_categories + 63) // 64
        self.x = columns.X
        self.val_x = X
        self.val_y = y
        self.val_weight = sample_weight
        self.n_val = X.shape[0]
        self.weighted = columns.has_missing or not columns.unit
        self.n_candidates = n_candidates
        self.per_variable = min(per_variable, n_candidates)
        self.min_split = min_split
        self.min_leaf = min_leaf
        self.max_depth = max_depth
        self.midpoints = midpoints
        self.repetition_factor = repetition_factor
        self.criterion = criterion_of("information_gain")
        self.region_capacity = 1024
        self.action_capacity = 4096
        self.memory = Arena(
            f"to search for trees on {n} rows; set max_memory or max_nodes")
        self.actual = <double*> self.memory.zeros(K, sizeof(double))
        self.regions = <Region*> self.memory.take(self.region_capacity, sizeof(Region))
        self.actions = <Action*> self.memory.take(self.action_capacity, sizeof(Action))
        self.member = <unsigned char*> self.memory.zeros(n + 1, 1)
        self.known_rows = <int*> self.memory.take(n + 1, sizeof(int))
        self.weight = <double*> self.memory.take(n + 1, sizeof(double))
        self.known = <double*> self.memory.take(2 * K, sizeof(double))
        self.confusion = <double*> self.memory.take(2 * K, sizeof(double))
        self.top_gain = <double*> self.memory.take(n_candidates + 1, sizeof(double))
        self.top_threshold = <double*> self.memory.take(n_candidates + 1, sizeof(double))
        self.top_subset = <unsigned char*> self.memory.take(n_candidates + 1, size)
        self.present = <uint64_t*> self.memory.take(self.n_words + 1, sizeof(uint64_t))
        self.best_gain = <double*> self.memory.take(n_candidates + 1, sizeof(double))
        self.best_threshold = <double*> self.memory.take(n_candidates + 1, sizeof(double))
        self.best_feature = <int*> self.memory.take(n_candidates + 1, sizeof(int))
        self.best_subset = <uint64_t*> self.memory.take(
            (n_candidates + 1) * (self.n_words + 1), sizeof(uint64_t))
        self.tested = <unsigned char*> self.memory.zeros(m + 1, 1)
        subsets_init(&self.subsets, self.memory, self.n_categories, K)
        mixed = np.isnan(X).any(axis=1)
        self.has_mixed = bool(mixed.any())
        if self.has_mixed:
            self.mixture = <double*> self.memory.take(self.n_val * K, sizeof(double))
        for i in range(self.n_val):
            self.actual[self.val_y[i]] += self.val_weight[i]
        self.plant(np.flatnonzero(~mixed).astype(np.int32),
                   np.flatnonzero(mixed).astype(np.int32))

    cdef void* take(self, Py_ssize_t size) except NULL nogil:
        """Room that lives as long as the search: a piece of a large block."""
        cdef Py_ssize_t wanted = CHUNK
        cdef void* out
        size = (size + 15) & ~<Py_ssize_t> 15
        if size > self.chunk_left:
            # The count of memory, at which a search may have to end, is of whole chunks.
            if size + CHUNK_HEAD > wanted:
                wanted = size + CHUNK_HEAD
            self.chunk_left = 0
            self.chunk = <char*> self.memory.take(wanted, 1)
            self.chunk_left = wanted - CHUNK_USED
            self.bytes_used += wanted
        out = self.chunk
        self.chunk += size
        self.chunk_left -= size
        return out

    cdef int more_regions(self) except -2 nogil:
        if self.n_regions < self.region_capacity:
            return 0
        self.regions = <Region*> self.memory.resized(self.regions, 2 * self.region_capacity,
                                                     sizeof(Region))
        self.bytes_used += self.region_capacity * sizeof(Region)
        self.region_capacity *= 2
        return 0

    cdef int more_actions(self, int n) except -2 nogil:
        while self.n_actions + n > self.action_capacity:
            self.actions = <Action*> self.memory.resized(self.actions, 2 * self.action_capacity,
                                                         sizeof(Action))
            self.bytes_used += self.action_capacity * sizeof(Action)
            self.action_capacity *= 2
        return 0

    cdef int new_region(self, int action, int depth, bint is_left) except -2 nogil:
        """A region without rows: its number."""
        cdef Region* region
        self.more_regions()
        region = self.regions + self.n_regions
        memset(region, 0, sizeof(Region))
        region.action = action
        region.depth = depth
        region.is_left = is_left
        region.n_actions = UNKNOWN
        region.leaf = UNKNOWN
        region.completion = UNKNOWN
        region.count = <double*> self.take(2 * self.K * sizeof(double))
        region.whole_count = region.count + self.K
        self.n_regions += 1
        return self.n_regions - 1

    cdef int fill_region(self, int r, const int* rows, const double* weight, Py_ssize_t n,
                         const int* whole_rows, Py_ssize_t n_whole, const int* mixed_rows,
                         const double* mixed_share, Py_ssize_t n_mixed) except -2 nogil:
        """Copy the rows of a region and count its classes."""
        cdef Region* region = self.regions + r
        cdef Py_ssize_t p
        cdef int c
        cdef double most = -1.0
        region.n = n
        region.n_whole = n_whole
        region.n_mixed = n_mixed
        region.rows = <int*> self.take(n * sizeof(int))
        region.whole_rows = <int*> self.take(n_whole * sizeof(int))
        memcpy(region.rows, rows, n * sizeof(int))
        memcpy(region.whole_rows, whole_rows, n_whole * sizeof(int))
        if self.weighted:
            region.weight = <double*> self.take(n * sizeof(double))
            memcpy(region.weight, weight, n * sizeof(double))
        if self.has_mixed:
            region.mixed_rows = <int*> self.take(n_mixed * sizeof(int))
            region.mixed_share = <double*> self.take(n_mixed * sizeof(double))
            memcpy(region.mixed_rows, mixed_rows, n_mixed * sizeof(int))
            memcpy(region.mixed_share, mixed_share, n_mixed * sizeof(double))
        for c in range(self.K):
            region.count[c] = 0.0
            region.whole_count[c] = 0.0
        for p in range(n):
            region.count[self.columns.labels[rows[p]]] += weight[p] if self.weighted else 1.0
        for p in range(n_whole):
            region.whole_count[self.val_y[whole_rows[p]]] += self.val_weight[whole_rows[p]]
        region.total = 0.0
        for c in range(self.K):
            region.total += region.count[c]
            if region.count[c] > most:
                most = region.count[c]
                region.prediction = c
        return 0

    cdef int plant(self, whole_rows, mixed_rows) except -2:
        """The region with all rows."""
        cdef const int[::1] whole = whole_rows, mixed = mixed_rows
        cdef Py_ssize_t p
        cdef int r = self.new_region(NONE, 0, False)
        reserve(&self.induction, self.memory, self.n + 1)
        reserve(&self.whole, self.memory, self.n_val + 1)
        reserve(&self.mixed, self.memory, self.n_val + 1)
        for p in range(self.n):
            self.induction.row[p] = <int> p
            self.induction.weight[p] = self.columns.weights[p]
        for p in range(mixed.shape[0]):
            self.mixed.weight[p] = 1.0
        self.fill_region(r, self.induction.row, self.induction.weight, self.n,
                         &whole[0] if whole.shape[0] else self.whole.row, whole.shape[0],
                         &mixed[0] if mixed.shape[0] else self.mixed.row, self.mixed.weight,
                         mixed.shape[0])     # nothing is copied from somewhere, not from NULL
        return 0

    cdef int apply(self, int a) except -2 nogil:
        """Make the regions of both sides of a test."""
        cdef Action* action = self.actions + a
        cdef int r = action.region, feature = action.feature, left, right
        cdef Region* region = self.regions + r
        cdef Py_ssize_t n_left, n_right, whole_left = 0, whole_right = 0
        cdef Py_ssize_t mixed_left = 0, mixed_right = 0
        cdef Py_ssize_t n = region.n, n_whole = region.n_whole, n_mixed = region.n_mixed
        cdef double share = 0.5
        if action.left >= 0:
            return 0
        left = self.new_region(a, region.depth + 1, True)
        right = self.new_region(a, self.regions[r].depth + 1, False)
        region = self.regions + r
        self.induction.top = 0
        self.whole.top = 0
        self.mixed.top = 0
        reserve(&self.induction, self.memory, n)
        reserve(&self.whole, self.memory, n_whole)
        reserve(&self.mixed, self.memory, n_mixed)
        memcpy(self.induction.row, region.rows, n * sizeof(int))
        if self.weighted:
            memcpy(self.induction.weight, region.weight, n * sizeof(double))
        memcpy(self.whole.row, region.whole_rows, n_whole * sizeof(int))
        self.induction.top = n
        self.whole.top = n_whole
        divide(action, &self.x[0, feature], self.n_categories, &self.induction, self.memory, 0, n,
               self.weighted, self.weighted, &share, &n_left, &n_right)
        if not self.weighted:
            share = <double> n_left / n
        action.share_left = share
        if action.subset != NULL:
            if share >= 0.5:
                self.add_absent(action)
        if self.n_val > 0:
            divide(action, &self.val_x[0, feature], self.n_categories, &self.whole, self.memory, 0,
                   n_whole, False, False, &share, &whole_left, &whole_right)
        if self.has_mixed:
            memcpy(self.mixed.row, region.mixed_rows, n_mixed * sizeof(int))
            memcpy(self.mixed.weight, region.mixed_share, n_mixed * sizeof(double))
            self.mixed.top = n_mixed
            divide(action, &self.val_x[0, feature], self.n_categories, &self.mixed, self.memory, 0,
                   n_mixed, True, False, &share, &mixed_left, &mixed_right)
        self.fill_region(left, self.induction.row + n, self.induction.weight + n, n_left,
                         self.whole.row + n_whole, whole_left, self.mixed.row + n_mixed,
                         self.mixed.weight + n_mixed, mixed_left)
        self.fill_region(right, self.induction.row + n + n_left,
                         self.induction.weight + n + n_left, n_right,
                         self.whole.row + n_whole + whole_left, whole_right,
                         self.mixed.row + n_mixed + mixed_left,
                         self.mixed.weight + n_mixed + mixed_left, mixed_right)
        action.left = left
        action.right = right
        return 0

    # -- tests --------------------------------------------------------------------------

    cdef bint splittable(self, int r) noexcept nogil:
        """Whether a region may be split: two classes, enough weight, not too deep."""
        cdef Region* region = self.regions + r
        cdef int c, n_present = 0
        for c in range(self.K):
            if region.count[c] > 0.0:
                n_present += 1
        return (n_present > 1 and region.depth < self.max_depth
                and counted(self.columns.counting, region.count, 1, self.K, region.total)
                >= self.min_split - WEIGHT_SLACK)

    cdef void gather(self, int r) noexcept nogil:
        """Mark the rows of a region and the variables tested above it, for `rank`."""
        cdef Region* region = self.regions + r
        cdef Py_ssize_t p
        cdef int above
        for p in range(region.n):
            self.member[region.rows[p]] = 1
            self.weight[region.rows[p]] = region.weight[p] if self.weighted else 1.0
        if self.repetition_factor != 1.0:
            memset(self.tested, 0, self.m)
            above = region.action
            while above >= 0:
                self.tested[self.actions[above].feature] = 1
                above = self.regions[self.actions[above].region].action

    cdef void scatter(self, int r) noexcept nogil:
        cdef Region* region = self.regions + r
        cdef Py_ssize_t p
        for p in range(region.n):
            self.member[region.rows[p]] = 0

    cdef int rank(self, int r, Py_ssize_t j, int most, double* share) except -2 nogil:
        """The best tests of a gathered region on one variable, into `top_gain` and the like.

        share: set to the known share of the region's weight.  Returns their number.
        """
        cdef Region* region = self.regions + r
        cdef Py_ssize_t p, q = 0, low, high
        cdef int c, n_top = 0
        cdef double gain, base, slack
        cdef Scan scan
        for p in range(self.columns.known[j]):
            self.known_rows[q] = self.columns.sorted_rows[j, p]
            q += self.member[self.columns.sorted_rows[j, p]]
        scan.n = q
        if scan.n < 2:
            return 0
        scan.rows = self.known_rows
        scan.x = &self.x[0, j]
        scan.x_step = 1
        scan.y = &self.columns.labels[0]
        scan.w = self.weight
        scan.n_classes = self.K
        scan.criterion = &self.criterion
        scan.total = region.count
        scan.weight = region.total
        if scan.n < region.n:
            weigh_known(&scan, self.known)
            if scan.weight <= 0.0:
                return 0
        share[0] = scan.weight / region.total
        lay_minimum(&scan, self.columns.counting, region.count, region.total, self.min_leaf,
                    self.known + self.K)
        if self.columns.categories[j] > 0:
            return best_subsets(&scan, self.columns.categories[j], &self.subsets, most,
                                self.top_gain, self.top_subset)
        if scan.x[scan.rows[0]] == scan.x[scan.rows[scan.n - 1]]:
            return 0
        hard_points(&scan, self.midpoints, 0.0, &self.points, self.memory)
        slack = 1e-12 * scan.n_counted
        low = first_with(&scan, &self.points, scan.least - slack)
        high = last_with(&scan, &self.points, scan.least - slack)
        base = score_every(&scan, &self.points, low, high)
        for p in range(low, high + 1):
            gain = (base + self.points.score[p]) / scan.weight
            if n_top == most and gain <= self.top_gain[n_top - 1] + GAIN_TOLERANCE:
                continue
            if n_top < most:
                n_top += 1
            c = n_top - 1
            while c > 0 and gain > self.top_gain[c - 1] + GAIN_TOLERANCE:
                self.top_gain[c] = self.top_gain[c - 1]
                self.top_threshold[c] = self.top_threshold[c - 1]
                c -= 1
            self.top_gain[c] = gain
            self.top_threshold[c] = self.points.threshold[p]
        return n_top

    cdef void copy_subset(self, Py_ssize_t j, int q, uint64_t* bits) noexcept nogil:
        """Categories of the region that the ranked test q sends left."""
        cdef const unsigned char* flags = self.top_subset + q * self.columns.categories[j]
        cdef int p
        memset(bits, 0, self.n_words * sizeof(uint64_t))
        for p in range(self.subsets.n_present):
            if flags[self.subsets.present[p]]:
                add(bits, self.subsets.present[p])

    cdef void add_absent(self, const Action* action) noexcept nogil:
        """Send the categories left that are absent at the region, as growth does."""
        cdef const Region* region = self.regions + action.region
        cdef double x
        cdef Py_ssize_t p
        memset(self.present, 0, self.n_words * sizeof(uint64_t))
        for p in range(region.n):
            x = self.x[region.rows[p], action.feature]
            if not isnan(x):
                add(self.present, <Py_ssize_t> x)
        for p in range(self.n_words):
            action.subset[p] |= ~self.present[p]

    cdef int add_action(self, int r, int feature, double threshold, double gain,
                        const uint64_t* bits) except -2 nogil:
        cdef Action* action
        self.more_actions(1)
        action = self.actions + self.n_actions
        action.region = r
        action.feature = feature
        action.left = NONE
        action.right = NONE
        action.threshold = threshold
        action.share_left = 0.5
        action.gain = gain
        action.subset = NULL
        action.mark = 0
        action.key = mix(<uint64_t> self.n_actions + 1)
        if isnan(threshold):
            action.subset = <uint64_t*> self.take(self.n_words * sizeof(uint64_t))
            memcpy(action.subset, bits, self.n_words * sizeof(uint64_t))
        self.n_actions += 1
        return self.n_actions - 1

    cdef int propose(self, int r) except -2 nogil:
        """The K best tests of a region, once; a region that may not be split has none."""
        cdef Py_ssize_t j, size = self.n_words
        cdef int c, q, n_best = 0, n_top
        cdef double gain, share = 1.0
        if self.regions[r].n_actions >= 0:
            return 0
        self.regions[r].n_actions = 0
        self.regions[r].first_action = self.n_actions
        if not self.splittable(r):
            return 0
        self.gather(r)
        for j in range(self.m):
            n_top = self.rank(r, j, self.per_variable, &share)
            for q in range(n_top):
                gain = self.top_gain[q] * share
                if gain <= LEAST_GAIN:
                    continue
                if self.repetition_factor != 1.0 and self.tested[j]:
                    gain *= self.repetition_factor
                if (n_best == self.n_candidates
                        and gain <= self.best_gain[n_best - 1] + GAIN_TOLERANCE):
                    continue
                if n_best < self.n_candidates:
                    n_best += 1
                c = n_best - 1
                while c > 0 and gain > self.best_gain[c - 1] + GAIN_TOLERANCE:
                    self.best_gain[c] = self.best_gain[c - 1]
                    self.best_threshold[c] = self.best_threshold[c - 1]
                    self.best_feature[c] = self.best_feature[c - 1]
                    memcpy(self.best_subset + c * size, self.best_subset + (c - 1) * size,
                           size * sizeof(uint64_t))
                    c -= 1
                self.best_gain[c] = gain
                self.best_feature[c] = <int> j
                self.best_threshold[c] = self.top_threshold[q]
                if self.columns.categories[j] > 0:
                    self.best_threshold[c] = NAN
                    self.copy_subset(j, q, self.best_subset + c * size)
        self.scatter(r)
        for c in range(n_best):
            self.add_action(r, self.best_feature[c], self.best_threshold[c],
                            self.best_gain[c], self.best_subset + c * size)
        self.regions[r].n_actions = n_best
        return 0

    cdef int best_on(self, int r, Py_ssize_t j) except -2 nogil:
        """The best test of a region on one variable, where it is none of the K best; or NONE.

        For progressive widening.  Expects that the region was asked for its K best tests.
        """
        cdef Region* region = self.regions + r
        cdef Py_ssize_t v
        cdef int n_top, a, c, found = NONE
        cdef double share = 1.0, threshold
        if region.n_actions == 0:
            return NONE
        if region.extra == NULL:
            region.extra = <int*> self.take(self.m * sizeof(int))
            for v in range(self.m):
                region.extra[v] = UNTRIED
        if region.extra[j] != UNTRIED:
            return region.extra[j]
        self.gather(r)
        n_top = self.rank(r, j, 1, &share)
        self.scatter(r)
        if n_top > 0 and self.top_gain[0] * share > LEAST_GAIN:
            threshold = self.top_threshold[0]
            if self.columns.categories[j] > 0:
                threshold = NAN
                self.copy_subset(j, 0, self.best_subset)
            # The best test on a variable is among the K best if any test on it is.
            for c in range(region.n_actions):
                if self.actions[region.first_action + c].feature == j:
                    self.regions[r].extra[j] = NONE
                    return NONE
            found = self.add_action(r, <int> j, threshold, self.top_gain[0] * share,
                                    self.best_subset)
        self.regions[r].extra[j] = found
        return found

    # -- rewards ------------------------------------------------------------------------

    cdef double macro_f1(self, const double* confusion) noexcept nogil:
        """Mean over classes of 2 TP / (predicted + actual), 0 where that is 0 / 0."""
        cdef double total = 0.0, both
        cdef int c
        for c in range(self.K):
            both = confusion[self.K + c] + self.actual[c]
            if both > 0.0:
                total += 2.0 * confusion[c] / both
        return total / self.K

    cdef void add_mixed(self) noexcept nogil:
        """Count the validation rows whose leaves were mixed by their missing values."""
        cdef Region* root = self.regions
        cdef Py_ssize_t p
        cdef int i, c, prediction
        for p in range(root.n_mixed):
            i = root.mixed_rows[p]
            prediction = 0
            for c in range(1, self.K):
                if self.mixture[i * self.K + c] > self.mixture[i * self.K + prediction]:
                    prediction = c
            self.confusion[self.K + prediction] += self.val_weight[i]
            if self.val_y[i] == prediction:
                self.confusion[prediction] += self.val_weight[i]

    cdef void clear_mixed(self) noexcept nogil:
        cdef Region* root = self.regions
        cdef Py_ssize_t p
        for p in range(root.n_mixed):
            memset(self.mixture + root.mixed_rows[p] * self.K, 0, self.K * sizeof(double))

    cdef double f1_of_leaves(self, const int* leaves, Py_ssize_t n_leaves) noexcept nogil:
        """Macro F1 on the validation set of the tree with these leaves."""
        cdef Py_ssize_t k, p
        cdef int c
        cdef Region* region
        cdef double* mixture
        cdef double share
        memset(self.confusion, 0, 2 * self.K * sizeof(double))
        if self.has_mixed:
            self.clear_mixed()
        for k in range(n_leaves):
            region = self.regions + leaves[k]
            for c in range(self.K):
                self.confusion[self.K + region.prediction] += region.whole_count[c]
            self.confusion[region.prediction] += region.whole_count[region.prediction]
            if self.has_mixed:
                for p in range(region.n_mixed):
                    share = region.mixed_share[p] / region.total
                    mixture = self.mixture + region.mixed_rows[p] * self.K
                    for c in range(self.K):
                        mixture[c] += share * region.count[c]
        if self.has_mixed:
            self.add_mixed()
        return self.macro_f1(self.confusion)
