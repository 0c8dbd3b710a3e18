# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The best tree of rows that go one way at each test."""

import cython
import numpy as np

from libc.math cimport INFINITY
from libc.stdint cimport int64_t, uint64_t
from libc.string cimport memcpy, memset

from hedgerow.optimal._bounds cimport ERRORS, NONE, SETS, Answer, BranchAndBound, Level, Node

cdef extern from *:
    """
    #if defined(_MSC_VER)
    #include <intrin.h>
    #define hedgerow_bits(x) ((int) __popcnt64(x))
    static int hedgerow_lowest(unsigned long long x) {
        unsigned long i; _BitScanForward64(&i, x); return (int) i; }
    #else
    #define hedgerow_bits(x) __builtin_popcountll(x)
    #define hedgerow_lowest(x) __builtin_ctzll(x)
    #endif
    """
    int hedgerow_bits(uint64_t x) nogil
    int hedgerow_lowest(uint64_t x) nogil


cdef double ALMOST = 1e-3           # of the slack: more than rounding makes of a cost


cdef struct Room:
    # What a level holds besides, for the test at hand and for sets that are kept.
    int* left_rows
    int* right_rows
    uint64_t* kept              # rows as bits
    uint64_t* left_set
    uint64_t* right_set


cdef class RowTree(BranchAndBound):
    """Branch and bound over lists of rows.

    Parameters
    ----------
    rank : (n_columns, n_rows) int32
        Place of each row among the values of each column; a test sends ranks below its threshold
        left.
    order : (n_columns, n_rows) int32
        Rows of each column, ascending in rank.
    label : (n_rows,) int32
    weight : (n_rows,) float64 above 0
    subsets : tuple, optional
        Columns that are tests on one categorical variable, each beside the next: of each column
        its variable's number or -1, (n_columns,) int32; codes, (n_variables, n_rows) int32; where
        each column's entries begin, (n_columns + 1,) int64, in the codes that are on another side
        than in the column before, int32. All codes are on the right before the first one.
    **search
        As in `BranchAndBound`.
    """

    cdef object inputs                  # arrays that are borrowed
    cdef const int* rank                # of each column and row
    cdef const int* label
    cdef const double* weight
    cdef bint whole                     # all rows weigh 1
    cdef uint64_t* packed               # one entry a row, for two classes of rows that weigh 1
    cdef Room* rooms                    # by the depth that is left
    # Tests on categories, see `subsets`; NULL: none.
    cdef const int* variable
    cdef const int* codes
    cdef const int64_t* first
    cdef const int* moved
    cdef Py_ssize_t n_codes
    cdef double* left_below             # class weights of a subset, on both sides of a test
    cdef double* right_below
    cdef double* by_code                # 2 n_classes of each: weights on both sides of a test
    cdef uint64_t* packed_by_code
    cdef unsigned char* is_left         # of each code

    def __init__(self, const int[:, ::1] rank, const int[:, ::1] order, const int[::1] label,
                 const double[::1] weight, subsets=None, **search):
        cdef Py_ssize_t m = rank.shape[0], n = rank.shape[1], d, size = (n + 63) // 64
        BranchAndBound.__init__(self, **search)
        weights = np.asarray(weight)
        self.inputs = (rank, order, label, weight)
        self.rank, self.label, self.weight = &rank[0, 0], &label[0], &weight[0]
        self.root.rows = &order[0, 0]
        self.root.n_rows = <int> n
        self.whole = bool((weights == 1.0).all())
        self.lay(m, n, n, weights.sum(), self.whole)
        if self.whole and n < 1 << 16 and self.n_classes == 2 and self.objective == ERRORS:
            self.packed = <uint64_t*> self.memory.take(n, sizeof(uint64_t))
        if subsets is not None:
            self.lay_subsets(subsets[0], subsets[1], subsets[2], subsets[3])
        self.rooms = <Room*> self.memory.zeros(self.depth + 1, sizeof(Room))
        for d in range(3, self.depth + 1):
            self.rooms[d].left_rows = <int*> self.memory.take(m * n, sizeof(int))
            self.rooms[d].right_rows = <int*> self.memory.take(m * n, sizeof(int))
            self.rooms[d].kept = <uint64_t*> self.memory.take(SETS * size, sizeof(uint64_t))
            self.rooms[d].left_set = <uint64_t*> self.memory.take(size, sizeof(uint64_t))
            self.rooms[d].right_set = <uint64_t*> self.memory.take(size, sizeof(uint64_t))

    cdef int lay_subsets(self, const int[::1] variable, const int[:, ::1] codes,
                         const int64_t[::1] first, const int[::1] moved) except -1:
        self.inputs = (self.inputs, variable, codes, first, moved)
        self.variable, self.codes = &variable[0], &codes[0, 0]
        self.first, self.moved = &first[0], &moved[0]
        self.n_codes = np.max(codes) + 1
        self.by_code = <double*> self.memory.take(2 * self.n_classes * self.n_codes,
                                                  sizeof(double))
        self.packed_by_code = <uint64_t*> self.memory.take(self.n_codes, sizeof(uint64_t))
        self.is_left = <unsigned char*> self.memory.take(self.n_codes, 1)
        self.left_below = <double*> self.memory.take(2 * self.n_classes, sizeof(double))
        self.right_below = self.left_below + self.n_classes
        return 0

    cdef double leaf(self, const Node* node, double* total) noexcept nogil:
        cdef int p, k, row
        for k in range(self.n_classes):
            total[k] = 0.0
        for p in range(node.n_rows):
            row = node.rows[p]
            total[self.label[row]] += self.weight[row]
        return self.cost(total) + self.penalty

    cdef double stump(self, const Node* node, bint drop, int* tree) noexcept nogil:
        cdef double best = self.leaf(node, self.left_total), c
        cdef int j, p, k, row, n = node.n_rows
        cdef const int* rows
        cdef const int* rank
        tree[0] = NONE
        for j in range(self.n_columns):
            rows = node.rows + <Py_ssize_t> j * n
            rank = self.rank + <Py_ssize_t> j * self.n_rows
            for k in range(self.n_classes):
                self.left_class[k] = 0.0
                self.right_class[k] = self.left_total[k]
            for p in range(n - 1):
                row = rows[p]
                k = self.label[row]
                self.left_class[k] += self.weight[row]
                self.right_class[k] -= self.weight[row]
                if rank[rows[p + 1]] != rank[row]:
                    c = self.cost(self.left_class) + self.cost(self.right_class) + 2 * self.penalty
                    if c < best - self.slack:
                        best = c
                        tree[0] = j
                        tree[1] = rank[rows[p + 1]]
        return best

    cdef void propose(self, const Node* node, bint drop, Level* level) noexcept nogil:
        cdef int j, p, k, row, q, n = node.n_rows
        cdef const int* rows
        cdef const int* rank
        cdef int* candidates
        cdef double* mass
        cdef double least, left, left_squares, right_squares, all_squares = 0.0, w, c, weight = 0.0
        self.leaf(node, self.left_total)
        for k in range(self.n_classes):
            all_squares += self.left_total[k] * self.left_total[k]
            weight += self.left_total[k]
        for j in range(self.n_columns):
            rows = node.rows + <Py_ssize_t> j * n
            rank = self.rank + <Py_ssize_t> j * self.n_rows
            candidates = level.candidates + j * self.stride
            mass = level.mass + j * self.stride
            least = INFINITY
            level.first[j] = 0
            q = 0
            left = 0.0
            left_squares = 0.0
            right_squares = all_squares
            for k in range(self.n_classes):
                self.left_class[k] = 0.0
                self.right_class[k] = self.left_total[k]
            for p in range(n - 1):
                row = rows[p]
                k = self.label[row]
                w = self.weight[row]
                left_squares += w * (2 * self.left_class[k] + w)
                right_squares -= w * (2 * self.right_class[k] - w)
                self.left_class[k] += w
                self.right_class[k] -= w
                left += w
                if rank[rows[p + 1]] != rank[row]:
                    c = weight - left_squares / left - right_squares / (weight - left)
                    if c < least:
                        least = c
                        level.first[j] = q
                    candidates[q] = rank[rows[p + 1]]
                    mass[q] = left
                    q += 1
            level.n_candidates[j] = q
            self.rank_column(level, j, least)

    cdef void both(self, const Node* node, int column, int threshold, double limit, bint drop,
                   Answer* left, Answer* right, int* left_tree, int* right_tree) noexcept nogil:
        cdef const int* side = self.rank + <Py_ssize_t> column * self.n_rows
        cdef int p, k, row
        for k in range(self.n_classes):
            self.left_total[k] = 0.0
            self.right_total[k] = 0.0
        for p in range(node.n_rows):
            row = node.rows[p]
            if side[row] < threshold:
                self.left_total[self.label[row]] += self.weight[row]
            else:
                self.right_total[self.label[row]] += self.weight[row]
        left.value = self.cost(self.left_total) + self.penalty
        right.value = self.cost(self.right_total) + self.penalty
        left_tree[0] = NONE
        right_tree[0] = NONE
        left.floor = left.bound = min(left.value, self.least(self.left_total))
        right.floor = right.bound = min(right.value, self.least(self.right_total))
        if left.bound + right.bound >= limit - self.slack:
            return
        if (left.value > 2 * self.penalty + self.slack
                or right.value > 2 * self.penalty + self.slack):
            if self.packed != NULL:
                self.both_packed(node, side, threshold, left, right, left_tree, right_tree)
            else:
                self.both_general(node, side, threshold, left, right, left_tree, right_tree)
        left.floor = left.bound = left.value
        right.floor = right.bound = right.value

    cdef void both_packed(self, const Node* node, const int* side, int threshold, Answer* left,
                          Answer* right, int* left_tree, int* right_tree) noexcept nogil:
        """Two classes of rows that weigh 1: four counts of 16 bits in one number."""
        cdef uint64_t sums
        cdef uint64_t* entry = self.packed
        cdef const int* rows = node.rows
        cdef const int* rank
        cdef const int* codes
        cdef int v = 0, g, p, row, before, now, n = node.n_rows
        cdef int64_t t
        # A test is worth its penalty where it has fewer errors than that.
        cdef int best_left = fewer(left.value - 2 * self.penalty - self.slack)
        cdef int best_right = fewer(right.value - 2 * self.penalty - self.slack)
        for p in range(n):
            row = rows[p]
            entry[row] = (<uint64_t> 1) << (32 * (side[row] >= threshold) + 16 * self.label[row])
        while v < self.n_columns:
            g = self.variable[v] if self.variable != NULL else NONE
            sums = 0
            if g != NONE:
                # All subsets of its categories from one count of each.
                codes = self.codes + <Py_ssize_t> g * self.n_rows
                memset(self.packed_by_code, 0, self.n_codes * sizeof(uint64_t))
                memset(self.is_left, 0, self.n_codes)
                for p in range(n):
                    self.packed_by_code[codes[rows[p]]] += entry[rows[p]]
                while v < self.n_columns and self.variable[v] == g:
                    for t in range(self.first[v], self.first[v + 1]):
                        p = self.moved[t]
                        self.is_left[p] = not self.is_left[p]
                        if self.is_left[p]:
                            sums += self.packed_by_code[p]
                        else:
                            sums -= self.packed_by_code[p]
                    self.tried_packed(sums, v, 1, &best_left, &best_right, left_tree, right_tree)
                    v += 1
                continue
            rows = node.rows + <Py_ssize_t> v * n
            rank = self.rank + <Py_ssize_t> v * self.n_rows
            before = rank[rows[0]]
            for p in range(n):
                row = rows[p]
                now = rank[row]
                if now != before:
                    self.tried_packed(sums, v, now, &best_left, &best_right, left_tree,
                                      right_tree)
                    before = now
                sums += entry[row]
            v += 1
        if left_tree[0] != NONE:
            left.value = best_left + 2 * self.penalty
        if right_tree[0] != NONE:
            right.value = best_right + 2 * self.penalty

    @cython.final
    cdef inline void tried_packed(self, uint64_t sums, int column, int threshold, int* best_left,
                                  int* best_right, int* left_tree,
                                  int* right_tree) noexcept nogil:
        """Take a test of either branch if it is the best so far."""
        cdef int l0 = sums & 0xFFFF, l1 = (sums >> 16) & 0xFFFF
        cdef int r0 = (sums >> 32) & 0xFFFF, r1 = <int> (sums >> 48)
        cdef int errors
        errors = (min(l0, l1)
                  + min(<int> self.left_total[0] - l0, <int> self.left_total[1] - l1))
        if errors < best_left[0]:
            best_left[0] = errors
            left_tree[0], left_tree[1] = column, threshold
        errors = (min(r0, r1)
                  + min(<int> self.right_total[0] - r0, <int> self.right_total[1] - r1))
        if errors < best_right[0]:
            best_right[0] = errors
            right_tree[0], right_tree[1] = column, threshold

    cdef void both_general(self, const Node* node, const int* side, int threshold, Answer* left,
                           Answer* right, int* left_tree, int* right_tree) noexcept nogil:
        """Any number of classes, any weights and objective."""
        cdef double left_leaf = left.value + self.penalty, right_leaf = right.value + self.penalty
        cdef int v = 0, g, k, p
        cdef int64_t t
        cdef double sign
        cdef double* counts
        while v < self.n_columns:
            g = self.variable[v] if self.variable != NULL else NONE
            if g == NONE:
                self.both_column(node, side, v, threshold, left_leaf, right_leaf, left, right,
                                 left_tree, right_tree)
                v += 1
                continue
            # One count of each category tells which subsets may be better than the best so far.
            self.count_codes(node, side, threshold, self.codes + <Py_ssize_t> g * self.n_rows)
            for k in range(self.n_classes):
                self.left_below[k] = self.right_below[k] = 0.0
            while v < self.n_columns and self.variable[v] == g:
                for t in range(self.first[v], self.first[v + 1]):
                    p = self.moved[t]
                    self.is_left[p] = not self.is_left[p]
                    sign = 1.0 if self.is_left[p] else -1.0
                    counts = self.by_code + 2 * self.n_classes * <Py_ssize_t> p
                    for k in range(self.n_classes):
                        self.left_below[k] += sign * counts[k]
                        self.right_below[k] += sign * counts[self.n_classes + k]
                if (self.may_be_better(self.left_total, self.left_below, left)
                        or self.may_be_better(self.right_total, self.right_below, right)):
                    self.both_column(node, side, v, threshold, left_leaf, right_leaf, left, right,
                                     left_tree, right_tree)
                v += 1

    @cython.final
    cdef void count_codes(self, const Node* node, const int* side, int threshold,
                          const int* codes) noexcept nogil:
        """Class weights of each category on both sides of a test; all categories on the right."""
        cdef int p, row, K = self.n_classes
        memset(self.by_code, 0, 2 * K * self.n_codes * sizeof(double))
        memset(self.is_left, 0, self.n_codes)
        for p in range(node.n_rows):
            row = node.rows[p]
            self.by_code[(2 * <Py_ssize_t> codes[row] + (side[row] >= threshold)) * K
                         + self.label[row]] += self.weight[row]

    @cython.final
    cdef inline bint may_be_better(self, double* total, double* below,
                                   const Answer* answer) noexcept nogil:
        """Whether a test may be, whatever rounding did to the weights below it."""
        cdef int k
        for k in range(self.n_classes):
            self.rest[k] = total[k] - below[k]
        return (self.cost(below) + self.cost(self.rest) + 2 * self.penalty
                < answer.value - self.slack + ALMOST * self.slack)

    @cython.final
    cdef void both_column(self, const Node* node, const int* side, int v, int threshold,
                          double left_leaf, double right_leaf, Answer* left, Answer* right,
                          int* left_tree, int* right_tree) noexcept nogil:
        """The tests of one column, in either branch."""
        cdef const int* rows = node.rows + <Py_ssize_t> v * node.n_rows
        cdef const int* rank = self.rank + <Py_ssize_t> v * self.n_rows
        cdef int p, k, row, n = node.n_rows
        # What has to go left before a test can be better than the best one: a row that changes
        # sides makes a difference of `steepest` times its weight at most.
        cdef double left_short = (left_leaf - left.value) / self.steepest + self.slack
        cdef double right_short = (right_leaf - right.value) / self.steepest + self.slack, w
        for k in range(self.n_classes):
            self.left_class[k] = 0.0
            self.right_class[k] = 0.0
        for p in range(n - 1):
            row = rows[p]
            k = self.label[row]
            w = self.weight[row]
            if side[row] < threshold:
                self.left_class[k] += w
                left_short -= w
            else:
                self.right_class[k] += w
                right_short -= w
            if left_short >= 0.0 and right_short >= 0.0 or rank[rows[p + 1]] == rank[row]:
                continue
            if left_short < 0.0:
                left_short = self.tried(self.left_total, self.left_class, v, rank[rows[p + 1]],
                                        left, left_tree)
            if right_short < 0.0:
                right_short = self.tried(self.right_total, self.right_class, v, rank[rows[p + 1]],
                                         right, right_tree)

    cdef inline double tried(self, const double* total, const double* below, int column,
                             int threshold, Answer* answer, int* tree) noexcept nogil:
        """Take a test of a branch if it is the best so far; the weight until one can be better."""
        cdef double* rest = self.rest
        cdef double c
        cdef int k
        for k in range(self.n_classes):
            rest[k] = total[k] - below[k]
        c = self.cost(below) + self.cost(rest) + 2 * self.penalty
        if c < answer.value - self.slack:
            answer.value = c
            tree[0], tree[1] = column, threshold
        return (c - answer.value) / self.steepest + self.slack

    cdef void divide(self, int depth, const Node* node, int column, int threshold, bint drop,
                     Node* left, Node* right) noexcept nogil:
        cdef const int* side = self.rank + <Py_ssize_t> column * self.n_rows
        cdef const int* rows
        cdef int* to_left = self.rooms[depth].left_rows
        cdef int* to_right = self.rooms[depth].right_rows
        cdef int v, p, row, goes_left, n = node.n_rows
        left.rows = to_left
        right.rows = to_right
        for v in range(self.n_columns):
            rows = node.rows + <Py_ssize_t> v * n
            for p in range(n):
                row = rows[p]
                goes_left = side[row] < threshold
                to_left[0] = row
                to_right[0] = row
                to_left += goes_left
                to_right += 1 - goes_left
            if v == 0:
                left.n_rows = <int> (to_left - left.rows)
                right.n_rows = n - left.n_rows

    def lookahead(self, const int[::1] column, const int[::1] threshold):
        """Least cost of a tree of depth 2 with each of these tests at its root, (k,) float64."""
        cdef Py_ssize_t i
        cdef Answer left, right
        cdef int left_tree[2]
        cdef int right_tree[2]
        costs = np.empty(column.shape[0])
        cdef double[::1] cost = costs
        with nogil:
            for i in range(column.shape[0]):
                self.both(&self.root, column[i], threshold[i], INFINITY, False, &left, &right,
                          left_tree, right_tree)
                cost[i] = left.value + right.value
        return costs

    # ----------------------------------------------------------------------- sets of rows

    cdef void mark(self, int depth, const Node* node, int column, int threshold, bint drop,
                   Answer* left, Answer* right) noexcept nogil:
        cdef const int* side = self.rank + <Py_ssize_t> column * self.n_rows
        cdef Py_ssize_t size = (self.n_rows + 63) // 64
        cdef Room* room = &self.rooms[depth]
        cdef int p, row
        cdef uint64_t bit
        memset(room.left_set, 0, size * sizeof(uint64_t))
        memset(room.right_set, 0, size * sizeof(uint64_t))
        for p in range(node.n_rows):
            row = node.rows[p]
            bit = (<uint64_t> 1) << (row & 63)
            if side[row] < threshold:
                room.left_set[row >> 6] |= bit
            else:
                room.right_set[row >> 6] |= bit
        self.similar(depth, room.left_set, left)
        self.similar(depth, room.right_set, right)

    cdef void similar(self, int depth, const uint64_t* rows, Answer* answer) noexcept nogil:
        """The best of the floors that the sets which are kept give to these rows."""
        cdef Py_ssize_t size = (self.n_rows + 63) // 64, s, i
        cdef const Level* level = &self.levels[depth]
        cdef const uint64_t* known
        cdef uint64_t lacking
        cdef double best = 0.0, floor
        answer.floor = best
        answer.claim = NONE
        if self.steepest == INFINITY:
            return
        for s in range(min(level.n_kept, <Py_ssize_t> SETS)):
            floor = level.kept_floor[s]
            known = self.rooms[depth].kept + s * size
            for i in range(size):
                if floor <= best:
                    break
                lacking = known[i] & ~rows[i]
                if self.whole:
                    floor -= self.steepest * hedgerow_bits(lacking)
                else:
                    while lacking:
                        floor -= self.steepest * self.weight[64 * i + hedgerow_lowest(lacking)]
                        lacking &= lacking - 1
            if floor > best:
                best = floor
                answer.claim = level.kept_claim[s]
        answer.floor = best

    cdef void keep(self, int depth, bint is_left, double floor, int claim) noexcept nogil:
        cdef Py_ssize_t size = (self.n_rows + 63) // 64
        cdef Level* level = &self.levels[depth]
        cdef Room* room = &self.rooms[depth]
        cdef Py_ssize_t s = level.n_kept % SETS
        memcpy(room.kept + s * size, room.left_set if is_left else room.right_set,
               size * sizeof(uint64_t))
        level.kept_floor[s] = floor
        level.kept_claim[s] = claim
        level.n_kept += 1


cdef inline int fewer(double errors) noexcept nogil:
    """The whole number of errors from which on there are not fewer than so many."""
    cdef int n = <int> errors
    return n + 1 if n < errors else n
