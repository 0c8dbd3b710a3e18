# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The best tree of rows that a test may divide: by error of measurement, or as values are missing.

What is known of a column is how much of each row comes to the left at each threshold, one *entry*
for each row and threshold at which there is any.  A row whose value is exact has one, of all of it.
Where errors are drawn once, a test divides what the tests above left between two thresholds: the
entries between them, times what the row had above the first test of the variable.

Thresholds are bounded in blocks, by the weights of each class that come to the left in each. At a
node of depth 2 these are summed up once; of the branches of a test the one with fewer rows is, and
what is left of the node is the other's.
"""

import numpy as np

from libc.math cimport INFINITY
from libc.string cimport memcpy, memset

from hedgerow.optimal._bounds cimport NONE, SETS, Answer, BranchAndBound, Level, Node

cdef enum:
    # Where a missing value goes, in the order of `hedgerow.optimal.learner`.
    TO_RIGHT
    TO_LEFT
    DIVIDED

cdef enum:
    BLOCK = 16                  # thresholds that are bounded together

block = BLOCK                       # for hedgerow.optimal.learner
cdef int BEYOND = 0x7fffffff        # behind the last threshold
cdef double NOTHING = 1e-12         # of the weight of a node: a side that is empty but for rounding


cdef struct Room:
    # What a level holds besides: both branches of the test at hand, and sets that are kept.
    double* weight[2]
    double* share[2]            # of the weight at the node
    double* scaled_room[2]      # n_rows numbers for each test above
    const double** scaled[2]    # of each variable that has errors
    int* low[2]
    int* high[2]
    double* kept


cdef class ShareTree(BranchAndBound):
    """Branch and bound over shares of rows.

    Parameters
    ----------
    starts : (n_columns, n_thresholds * n_classes + 1) int64
        First entry of each column, threshold and class; columns that have fewer repeat the end.
    row, share : (n_entries,) int32 and float64
        Entries by column, threshold, class and row.
    missing_starts : (n_columns + 1,) int64
    missing : int32
        Rows without a value in each column.
    block_starts : (n_rows * n_columns + 1,) int64
        First entry of each row and column, of `block` thresholds at a time from the first on.
    blocks, block_share : (n_block_entries,) int32 and float64
        Entries by row, column and block.
    goes : (n_columns,) int32
        What becomes of them.
    variable : (n_columns,) int32
        Of errors that are drawn once: 0, 1, ..., or -1 where there are none.
    label : (n_rows,) int32
    weight : (n_rows,) float64 above 0
    **search
        As in `BranchAndBound`.
    """

    cdef object inputs                  # arrays that are borrowed
    cdef const long long[:, ::1] starts
    cdef const int[::1] row
    cdef const double[::1] share
    cdef const long long[::1] block_starts
    cdef const int[::1] blocks
    cdef const double[::1] block_share
    cdef const long long[::1] missing_starts
    cdef const int[::1] missing
    cdef const int[::1] goes
    cdef const int[::1] variable
    cdef const int[::1] label
    cdef int n_variables, n_thresholds, n_blocks
    cdef double* in_blocks              # weights by column, block and class, of a node of depth 2
    cdef double* in_left_blocks         # ... and of both branches of the test at hand
    cdef double* in_right_blocks
    cdef double* missing_class          # weights by class, of rows without a value
    cdef double* known_class
    cdef double* whole_class
    cdef int* by_bound                  # columns
    cdef double* bound_of               # of each column: what no test of it costs less than
    cdef Room* rooms                    # by the depth that is left

    def __init__(self, const long long[:, ::1] starts, const int[::1] row, const double[::1] share,
                 const long long[::1] block_starts, const int[::1] blocks,
                 const double[::1] block_share, const long long[::1] missing_starts,
                 const int[::1] missing, const int[::1] goes,
                 const int[::1] variable, const int[::1] label, const double[::1] weight, **search):
        cdef Py_ssize_t n = label.shape[0], d, i, side, size
        cdef Room* room
        cdef int* low
        cdef int* high
        cdef const double** scaled
        BranchAndBound.__init__(self, **search)
        self.inputs = weight
        self.starts, self.row, self.share = starts, row, share
        self.block_starts, self.blocks, self.block_share = block_starts, blocks, block_share
        self.missing_starts, self.missing, self.goes = missing_starts, missing, goes
        self.variable, self.label = variable, label
        self.n_thresholds = <int> ((starts.shape[1] - 1) // self.n_classes)
        self.n_blocks = self.n_thresholds // BLOCK + 1     # the last may be short
        self.n_variables = 0
        self.loose = False
        for i in range(starts.shape[0]):
            self.n_variables = max(self.n_variables, variable[i] + 1)
            if goes[i] == DIVIDED and missing_starts[i] < missing_starts[i + 1]:
                self.loose = True
        # One more: where rows are dropped, the test that has nothing on its left.
        self.lay(starts.shape[0], n, self.n_thresholds + 1, np.asarray(weight).sum(), False)
        self.missing_class = <double*> self.memory.take(3 * self.n_classes, sizeof(double))
        self.known_class = self.missing_class + self.n_classes
        self.whole_class = self.missing_class + 2 * self.n_classes
        size = starts.shape[0] * self.n_blocks * self.n_classes
        self.in_blocks = <double*> self.memory.take(3 * size + 1, sizeof(double))
        self.in_left_blocks = self.in_blocks + size
        self.in_right_blocks = self.in_blocks + 2 * size
        self.by_bound = <int*> self.memory.take(starts.shape[0], sizeof(int))
        self.bound_of = <double*> self.memory.take(starts.shape[0], sizeof(double))
        size = self.n_variables + 1
        low = <int*> self.memory.zeros(size, sizeof(int))
        high = <int*> self.memory.take(size, sizeof(int))
        scaled = <const double**> self.memory.zeros(size, sizeof(double*))
        for i in range(size):
            high[i] = BEYOND
        self.root.n_rows = <int> n
        self.root.weight = &weight[0]
        self.root.low, self.root.high, self.root.scaled = low, high, scaled
        self.rooms = <Room*> self.memory.zeros(self.depth + 1, sizeof(Room))
        for d in range(2, self.depth + 1):
            room = &self.rooms[d]
            for side in range(2):
                room.weight[side] = <double*> self.memory.take(n, sizeof(double))
                room.share[side] = <double*> self.memory.take(n, sizeof(double))
                room.scaled_room[side] = <double*> self.memory.take(
                    min(self.depth, self.n_variables) * n + 1, sizeof(double))
                room.scaled[side] = <const double**> self.memory.take(size, sizeof(double*))
                room.low[side] = <int*> self.memory.take(size, sizeof(int))
                room.high[side] = <int*> self.memory.take(size, sizeof(int))
            room.kept = <double*> self.memory.take(SETS * n, sizeof(double))

    cdef double leaf(self, const Node* node, double* total) noexcept nogil:
        cdef int i, k
        for k in range(self.n_classes):
            total[k] = 0.0
        for i in range(self.n_rows):
            total[self.label[i]] += node.weight[i]
        return self.cost(total) + self.penalty

    # ------------------------------------------------------------------------ one column

    cdef inline const double* reached(self, const Node* node, int column) noexcept nogil:
        """What an entry of the column is a share of, for each row."""
        cdef int v = self.variable[column]
        return node.weight if v < 0 or node.scaled[v] == NULL else node.scaled[v]

    cdef inline void bounds(self, const Node* node, int column, int* low,
                            int* high) noexcept nogil:
        """Between which thresholds a column may be tested, both left out."""
        cdef int v = self.variable[column]
        low[0] = 0 if v < 0 else node.low[v]
        high[0] = self.n_thresholds + 1
        if v >= 0 and node.high[v] < high[0]:
            high[0] = node.high[v]

    cdef inline long long first(self, int column, int threshold) noexcept nogil:
        """First entry of a threshold; thresholds count from 1."""
        return self.starts[column, <Py_ssize_t> (threshold - 1) * self.n_classes]

    cdef inline double add_left(self, const double* reached, int column,
                                int threshold) noexcept nogil:
        """Add what comes to the left at a threshold to `left_class`; the sum of it."""
        cdef const long long* starts = &self.starts[
            column, <Py_ssize_t> (threshold - 1) * self.n_classes]
        cdef const int* row = &self.row[0]
        cdef const double* share = &self.share[0]
        cdef double more = 0.0, w, also
        cdef int k
        cdef long long e, end
        for k in range(self.n_classes):
            w = 0.0
            also = 0.0
            e, end = starts[k], starts[k + 1]
            while e + 1 < end:      # two sums, so that neither waits for the other
                w += reached[row[e]] * share[e]
                also += reached[row[e + 1]] * share[e + 1]
                e += 2
            if e < end:
                w += reached[row[e]] * share[e]
            w += also
            self.left_class[k] += w
            more += w
        return more

    cdef double weigh_missing(self, const Node* node, int column) noexcept nogil:
        """Weights by class of the rows without a value; that of all of them."""
        cdef long long e
        cdef int k, i
        cdef double total = 0.0
        for k in range(self.n_classes):
            self.missing_class[k] = 0.0
        for e in range(self.missing_starts[column], self.missing_starts[column + 1]):
            i = self.missing[e]
            self.missing_class[self.label[i]] += node.weight[i]
            total += node.weight[i]
        return total

    cdef inline double* block(self, double* blocks, int column, Py_ssize_t b) noexcept nogil:
        return blocks + (<Py_ssize_t> column * self.n_blocks + b) * self.n_classes

    cdef void sum_blocks(self, const Node* node, double* blocks) noexcept nogil:
        """Weight by class that comes to the left in each block of each column."""
        cdef Py_ssize_t size = <Py_ssize_t> self.n_columns * self.n_blocks * self.n_classes
        cdef int i, j
        cdef long long e, end
        cdef double w
        cdef const long long* starts
        memset(blocks, 0, size * sizeof(double))
        for i in range(self.n_rows):
            if node.weight[i] <= NOTHING * self.root.weight[i]:
                continue
            starts = &self.block_starts[<Py_ssize_t> i * self.n_columns]
            for j in range(self.n_columns):
                w = self.reached(node, j)[i]
                for e in range(starts[j], starts[j + 1]):
                    self.block(blocks, j, self.blocks[e])[self.label[i]] += w * self.block_share[e]

    cdef void share_blocks(self, const Node* node, int tested, const Node* left,
                           const Node* right) noexcept nogil:
        """As `sum_blocks`, of both branches of a test."""
        cdef const Node* fewer = left if left.n_rows <= right.n_rows else right
        cdef double* here = self.in_left_blocks if fewer == left else self.in_right_blocks
        cdef double* others = self.in_right_blocks if fewer == left else self.in_left_blocks
        cdef Py_ssize_t size = <Py_ssize_t> self.n_blocks * self.n_classes, i, at
        cdef int j, v = self.variable[tested]
        self.sum_blocks(fewer, here)
        for j in range(self.n_columns):
            at = j * size
            if v >= 0 and self.variable[j] == v:
                # What an entry is a share of stays the same; the threshold limits what is tested.
                memcpy(here + at, self.in_blocks + at, size * sizeof(double))
                memcpy(others + at, self.in_blocks + at, size * sizeof(double))
                continue
            for i in range(at, at + size):
                others[i] = max(self.in_blocks[i] - here[i], 0.0)

    cdef double enter(self, const Node* node, int column, const double* total) noexcept nogil:
        """Weights by class before the first threshold of a column; that of the missing."""
        cdef double unknown = self.weigh_missing(node, column)
        cdef int k
        for k in range(self.n_classes):
            # What is routed counts on its side from the beginning.
            self.left_class[k] = self.missing_class[k] if self.goes[column] == TO_LEFT else 0.0
            self.known_class[k] = max(total[k] - self.missing_class[k], 0.0)
        return unknown

    cdef inline double pass_block(self, const double* inside, const double* total) noexcept nogil:
        """What no test in a block costs less than: what is left of the first, right of the last.

        The weights to the left of the block's end come into `whole_class`.
        """
        cdef int k
        for k in range(self.n_classes):
            self.whole_class[k] = self.left_class[k] + inside[k]
            self.rest[k] = max(total[k] - self.whole_class[k], 0.0)
        return self.cost(self.left_class) + self.cost(self.rest) + 2 * self.penalty

    cdef void order_columns(self, const Node* node, double* blocks,
                            const double* total) noexcept nogil:
        """Columns into `by_bound`, those first of which a test may cost least."""
        cdef int i, j, k, low, high
        cdef Py_ssize_t b
        cdef double bound
        for j in range(self.n_columns):
            self.bounds(node, j, &low, &high)
            bound = 0.0
            if low % BLOCK == 0 and high > self.n_thresholds and (
                    self.enter(node, j, total) <= 0.0 or self.goes[j] != DIVIDED):
                bound = INFINITY
                for b in range(low // BLOCK, self.n_blocks):
                    bound = min(bound, self.pass_block(self.block(blocks, j, b), total))
                    for k in range(self.n_classes):
                        self.left_class[k] = self.whole_class[k]
            i = j
            while i > 0 and self.bound_of[self.by_bound[i - 1]] > bound:
                self.by_bound[i] = self.by_bound[i - 1]
                i -= 1
            self.by_bound[i] = j
            self.bound_of[j] = bound

    cdef double stumps(self, const Node* node, double* blocks, bint drop, double* floor,
                       int* tree) noexcept nogil:
        """Least cost of a tree of depth 1, which is written, and of one in the floors' problem.

        blocks : of the node, as `sum_blocks` has them
        """
        cdef double* total = self.right_total
        cdef double best = self.leaf(node, total), weight = 0.0, known, left, c, w, unknown, s
        cdef double short_of, fall = 1.0 / self.steepest, least, leaf = best
        cdef int place, j, k, t, low, high
        cdef const double* inside
        cdef const double* known_total
        cdef bint divided
        cdef const double* reached
        tree[0] = NONE
        floor[0] = best
        if best <= 2 * self.penalty + self.slack:
            return best
        for k in range(self.n_classes):
            weight += total[k]
        least = NOTHING * weight
        self.order_columns(node, blocks, total)
        for place in range(self.n_columns):
            j = self.by_bound[place]
            if self.bound_of[j] >= best - self.slack:
                break
            self.bounds(node, j, &low, &high)
            reached = self.reached(node, j)
            unknown = self.enter(node, j, total)
            divided = self.goes[j] == DIVIDED and unknown > 0.0
            known_total = self.known_class if divided else total
            known = weight - unknown
            left = unknown if self.goes[j] == TO_LEFT else 0.0
            if divided:
                # With more rows, a test of the column may divide what is known: it drops the rest.
                c = self.cost(self.known_class) + 2 * self.penalty
                floor[0] = min(floor[0], c)
                if drop:
                    best = min(best, c)
            # As in `RowTree`; divided rows move as well, and are looked at each time.
            short_of = self.slack if divided or unknown > 0.0 else (
                (leaf + self.penalty - best) * fall + self.slack)
            t = low
            while t + 1 < high:
                t += 1
                if (t - 1) % BLOCK == 0 and (t + BLOCK <= high or high > self.n_thresholds):
                    inside = self.block(blocks, j, (t - 1) // BLOCK)
                    if self.pass_block(inside, known_total) >= best - self.slack:
                        for k in range(self.n_classes):
                            self.left_class[k] = self.whole_class[k]
                            left += inside[k]
                            short_of -= inside[k]
                        t += BLOCK - 1
                        continue
                if self.first(j, t) == self.first(j, t + 1):
                    continue
                w = self.add_left(reached, j, t)
                left += w
                short_of -= w
                if short_of >= 0.0 and not divided:
                    continue
                if divided:
                    if left <= NOTHING * known or known - left <= NOTHING * known:
                        continue
                    for k in range(self.n_classes):
                        self.rest[k] = max(known_total[k] - self.left_class[k], 0.0)
                    c = self.cost(self.left_class) + self.cost(self.rest) + 2 * self.penalty
                    if c < floor[0]:
                        floor[0] = c
                    if drop:
                        if c < best - self.slack:
                            best = c
                            tree[0], tree[1] = j, t
                        continue
                    s = left / known
                    for k in range(self.n_classes):
                        self.whole_class[k] = self.left_class[k] + s * self.missing_class[k]
                        self.rest[k] += (1.0 - s) * self.missing_class[k]
                    c = self.cost(self.whole_class) + self.cost(self.rest) + 2 * self.penalty
                    if c < best - self.slack:
                        best = c
                        tree[0], tree[1] = j, t
                    continue
                if left <= least or weight - left <= least:
                    continue
                for k in range(self.n_classes):
                    self.rest[k] = max(total[k] - self.left_class[k], 0.0)
                c = self.cost(self.left_class) + self.cost(self.rest) + 2 * self.penalty
                if c < best - self.slack:
                    best = c
                    tree[0], tree[1] = j, t
                short_of = (c - best) * fall + self.slack
        floor[0] = min(floor[0], best)
        return best

    cdef double stump(self, const Node* node, bint drop, int* tree) noexcept nogil:
        cdef double floor
        self.sum_blocks(node, self.in_blocks)
        return self.stumps(node, self.in_blocks, drop, &floor, tree)

    cdef void propose(self, const Node* node, bint drop, Level* level) noexcept nogil:
        cdef double* total = self.right_total
        cdef double weight = 0.0, unknown, known, left, w, c, best, s, mass, squares
        cdef double left_squares, right_squares
        cdef int j, k, t, low, high, i, q
        cdef long long e
        cdef int* candidates
        cdef const double* reached
        if level == &self.levels[2]:
            self.sum_blocks(node, self.in_blocks)       # for `both`
        self.leaf(node, total)
        for k in range(self.n_classes):
            weight += total[k]
        for j in range(self.n_columns):
            self.bounds(node, j, &low, &high)
            reached = self.reached(node, j)
            unknown = self.weigh_missing(node, j)
            known = weight - unknown
            candidates = level.candidates + j * self.stride
            best = INFINITY
            level.first[j] = 0
            q = 0
            left = 0.0
            for k in range(self.n_classes):
                self.left_class[k] = 0.0
            if drop and self.goes[j] == DIVIDED and unknown > 0.0:
                candidates[0] = low     # as in `stumps`
                level.mass[j * self.stride] = 0.0
                q = 1
            for t in range(low + 1, high):
                if self.first(j, t) == self.first(j, t + 1):
                    continue
                w = self.add_left(reached, j, t)
                if w <= 0.0:
                    continue
                left += w
                # Sides that are empty but for rounding; the missing may be all that one has.
                s = 1.0 if self.goes[j] == TO_LEFT else 0.0
                if self.goes[j] == DIVIDED:
                    if left <= NOTHING * known or known - left <= NOTHING * known:
                        continue
                    s = 0.0 if drop else left / known
                mass = left + s * unknown
                if mass <= NOTHING * weight or (
                        self.goes[j] != DIVIDED and weight - mass <= NOTHING * weight):
                    continue
                left_squares = 0.0
                right_squares = 0.0
                squares = 0.0
                for k in range(self.n_classes):
                    c = self.left_class[k] + s * self.missing_class[k]
                    left_squares += c * c
                    c = total[k] - c
                    if drop and self.goes[j] == DIVIDED:
                        c -= self.missing_class[k]
                    right_squares += c * c
                    squares += c
                c = mass - left_squares / mass
                if squares > 0.0:
                    c += squares - right_squares / squares
                if c < best:
                    best = c
                    level.first[j] = q
                candidates[q] = t
                level.mass[j * self.stride + q] = mass
                q += 1
            level.n_candidates[j] = q
            self.rank_column(level, j, best)

    # ------------------------------------------------------------------------ branches

    cdef void weigh(self, int depth, const Node* node, int column, int threshold,
                    bint drop) noexcept nogil:
        """Weight of each row in both branches of a test, in the room of the level."""
        cdef Room* room = &self.rooms[depth]
        cdef double* left = room.weight[0]
        cdef double* right = room.weight[1]
        cdef const double* reached = self.reached(node, column)
        cdef int low, high, i
        cdef long long e
        cdef double known = 0.0, known_left = 0.0, s
        self.bounds(node, column, &low, &high)
        memset(left, 0, self.n_rows * sizeof(double))
        for e in range(self.first(column, low + 1), self.first(column, threshold + 1)):
            left[self.row[e]] += reached[self.row[e]] * self.share[e]
        for i in range(self.n_rows):
            left[i] = min(left[i], node.weight[i])
            right[i] = node.weight[i] - left[i]
        if self.missing_starts[column] == self.missing_starts[column + 1]:
            return
        s = self.goes[column] == TO_LEFT
        if self.goes[column] == DIVIDED:
            for i in range(self.n_rows):
                known += node.weight[i]
                known_left += left[i]
            for e in range(self.missing_starts[column], self.missing_starts[column + 1]):
                known -= node.weight[self.missing[e]]
            s = known_left / known if known > 0.0 else 0.0
        for e in range(self.missing_starts[column], self.missing_starts[column + 1]):
            i = self.missing[e]
            left[i] = s * node.weight[i]
            right[i] = node.weight[i] - left[i]
            if drop and self.goes[column] == DIVIDED:
                left[i] = 0.0
                right[i] = 0.0

    cdef void divide(self, int depth, const Node* node, int column, int threshold, bint drop,
                     Node* left, Node* right) noexcept nogil:
        cdef Room* room = &self.rooms[depth]
        cdef Node* branch
        cdef double* scaled
        cdef int side, i, v, tested = self.variable[column]
        self.weigh(depth, node, column, threshold, drop)
        for side in range(2):
            branch = left if side == 0 else right
            branch.weight = room.weight[side]
            branch.scaled = room.scaled[side]
            branch.low = room.low[side]
            branch.high = room.high[side]
            branch.n_rows = 0
            for i in range(self.n_rows):
                branch.n_rows += branch.weight[i] > NOTHING * self.root.weight[i]
                room.share[side][i] = (branch.weight[i] / node.weight[i]
                                       if node.weight[i] > 0.0 else 0.0)
            scaled = room.scaled_room[side]
            for v in range(self.n_variables):
                room.low[side][v] = node.low[v]
                room.high[side][v] = node.high[v]
                branch.scaled[v] = NULL
                if v == tested:
                    branch.scaled[v] = self.reached(node, column)
                    if side == 0:
                        room.high[side][v] = threshold
                    else:
                        room.low[side][v] = threshold
                elif node.scaled[v] != NULL:
                    for i in range(self.n_rows):
                        scaled[i] = node.scaled[v][i] * room.share[side][i]
                    branch.scaled[v] = scaled
                    scaled += self.n_rows

    cdef void both(self, const Node* node, int column, int threshold, double limit, bint drop,
                   Answer* left, Answer* right, int* left_tree, int* right_tree) noexcept nogil:
        cdef Node branches[2]
        cdef Answer* answers[2]
        cdef int side, turn
        answers[0], answers[1] = left, right
        self.divide(2, node, column, threshold, drop, &branches[0], &branches[1])
        if drop and self.goes[column] == DIVIDED and (
                self.missing_starts[column] < self.missing_starts[column + 1]):
            # The branches are not all of the node.
            self.sum_blocks(&branches[0], self.in_left_blocks)
            self.sum_blocks(&branches[1], self.in_right_blocks)
        else:
            self.share_blocks(node, column, &branches[0], &branches[1])
        # The larger branch first: it may cost too much alone.
        side = branches[0].n_rows < branches[1].n_rows
        for turn in range(2):
            answers[side].value = self.stumps(
                &branches[side], self.in_left_blocks if side == 0 else self.in_right_blocks, drop,
                &answers[side].floor, left_tree if side == 0 else right_tree)
            answers[side].bound = answers[side].value
            side = 1 - side
            if turn == 0 and answers[1 - side].bound + answers[side].floor >= limit - self.slack:
                answers[side].value = INFINITY
                answers[side].bound = answers[side].floor
                return

    # ------------------------------------------------------------------------ sets of rows

    cdef void mark(self, int depth, const Node* node, int column, int threshold, bint drop,
                   Answer* left, Answer* right) noexcept nogil:
        self.weigh(depth, node, column, threshold, drop)
        self.similar(depth, self.rooms[depth].weight[0], left)
        self.similar(depth, self.rooms[depth].weight[1], right)

    cdef void similar(self, int depth, const double* weight, Answer* answer) noexcept nogil:
        """The best of the floors that the sets which are kept give to these rows."""
        cdef const Level* level = &self.levels[depth]
        cdef const double* known
        cdef double best = 0.0, floor
        cdef Py_ssize_t s, i
        answer.floor = best
        answer.claim = NONE
        if self.steepest == INFINITY:
            return
        for s in range(min(level.n_kept, <Py_ssize_t> SETS)):
            floor = level.kept_floor[s]
            known = self.rooms[depth].kept + s * self.n_rows
            for i in range(self.n_rows):
                if floor <= best:
                    break
                if known[i] > weight[i]:
                    floor -= self.steepest * (known[i] - weight[i])
            if floor > best:
                best = floor
                answer.claim = level.kept_claim[s]
        answer.floor = best

    cdef void keep(self, int depth, bint is_left, double floor, int claim) noexcept nogil:
        cdef Level* level = &self.levels[depth]
        cdef Room* room = &self.rooms[depth]
        cdef Py_ssize_t s = level.n_kept % SETS
        memcpy(room.kept + s * self.n_rows, room.weight[0 if is_left else 1],
               self.n_rows * sizeof(double))
        level.kept_floor[s] = floor
        level.kept_claim[s] = claim
        level.n_kept += 1
