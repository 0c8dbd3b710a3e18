# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The tree of least cost up to a depth, by branch and bound over intervals of thresholds.

The declarations say what is bounded and why.  A node looks at the intervals of all columns in the
order of their bounds.  It asks for the branches of one test in the interval, both exact; that
bounds what is left of the interval on either side.  Thresholds near the test fall at once: a branch
that loses weight m costs at most m less (times `steepest`).  Of the last two levels both branches
are solved in one pass over each column.

Where a missing value is divided in the proportion of the known ones, more rows can make a branch
cheaper, as they move that proportion.  Floors are then those of the problem in which such a row is
dropped at the test: less of every row at each leaf, and again never cheaper with more rows.  There
a test may have all known rows on one side, and drop the others: with more rows it divides them.
"""

import time

import cython
import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.math cimport INFINITY
from libc.string cimport memcpy

from hedgerow.tree._elementary cimport hedgerow_log

cdef double ROUNDING = 1e-9         # of a sum of weights, as a share
cdef long long LOOKED_AT = 1 << 8   # nodes between two looks at the clock


cdef class BranchAndBound:
    """What is common to all kinds of rows.

    Parameters
    ----------
    n_classes : int
    objective : int
    penalty : float
        Of a leaf, in the unit of the weights.
    depth : int
    max_nodes : int
        Tests whose branches are looked at before the search stops; 0: as many as it takes.
    seconds : float
        As `max_nodes`; 0: no limit.
    tolerance : float
        The search stops once bound and cost differ by no more than this share of the cost.
    prove : bool
        Keep evidence of the bound, for `proof`.
    """

    def __init__(self, *, int n_classes, int objective, double penalty, int depth,
                 long long max_nodes=0, double seconds=0.0, double tolerance=0.0,
                 bint prove=False):
        cdef double* room
        self.memory = Arena("for the best tree")
        self.n_classes, self.objective, self.penalty, self.depth = n_classes, objective, penalty, depth
        self.steepest = 1.0 if objective == ERRORS else 2.0 if objective == GINI else INFINITY
        self.max_nodes, self.tolerance, self.prove = max_nodes, tolerance, prove
        self.deadline = time.monotonic() + seconds if seconds > 0 else INFINITY
        room = <double*> self.memory.take(5 * n_classes, sizeof(double))
        self.left_class = room
        self.right_class = room + n_classes
        self.rest = room + 2 * n_classes
        self.left_total = room + 3 * n_classes
        self.right_total = room + 4 * n_classes

    cdef int lay(self, Py_ssize_t n_columns, Py_ssize_t n_rows, Py_ssize_t stride, double weight,
                 bint whole) except -1:
        """Take the room of all levels.

        stride: most thresholds of a column; weight: of all rows; whole: each weighs 1 and goes one
        way.
        """
        cdef Py_ssize_t i, d, size
        cdef Level* level
        self.n_columns, self.n_rows, self.stride = <int> n_columns, <int> n_rows, stride
        self.slack = ROUNDING * weight
        if whole and self.objective == LOG_LOSS:
            self.log_table = <double*> self.memory.take(n_rows + 1, sizeof(double))
            self.log_table[0] = 0.0
            for i in range(1, n_rows + 1):
                self.log_table[i] = i * hedgerow_log(<double> i)
        self.levels = <Level*> self.memory.zeros(self.depth + 1, sizeof(Level))
        for d in range(2, self.depth + 1):
            level = &self.levels[d]
            level.candidates = <int*> self.memory.take(n_columns * stride, sizeof(int))
            level.mass = <double*> self.memory.take(n_columns * stride, sizeof(double))
            level.n_candidates = <int*> self.memory.take(n_columns, sizeof(int))
            level.first = <int*> self.memory.take(n_columns, sizeof(int))
            level.gain = <double*> self.memory.take(n_columns, sizeof(double))
            level.by_gain = <int*> self.memory.take(n_columns, sizeof(int))
            level.heap_capacity = 2 * n_columns + 64
            level.heap = <Interval*> self.memory.take(level.heap_capacity, sizeof(Interval))
            size = 2 * ((1 << (d - 1)) - 1)
            level.left_tree = <int*> self.memory.take(size, sizeof(int))
            level.right_tree = <int*> self.memory.take(size, sizeof(int))
            level.kept_floor = <double*> self.memory.take(SETS, sizeof(double))
            level.kept_claim = <int*> self.memory.take(SETS, sizeof(int))
        self.way = <Step*> self.memory.take(self.depth + 1, sizeof(Step))
        return 0

    # ------------------------------------------------------------ what a kind of rows says

    cdef double leaf(self, const Node* node, double* total) noexcept nogil:
        """What the node costs as a leaf; its class weights into `total`."""

    cdef double stump(self, const Node* node, bint drop, int* tree) noexcept nogil:
        """Least cost of a tree of depth 1, which is written."""

    cdef void propose(self, const Node* node, bint drop, Level* level) noexcept nogil:
        """Tests of each column, and the columns by the Gini index that their best test leaves."""

    cdef void both(self, const Node* node, int column, int threshold, double limit, bint drop,
                   Answer* left, Answer* right, int* left_tree, int* right_tree) noexcept nogil:
        """The best trees of depth 1 of either branch, if they may cost less than `limit`.

        Floors that are known already come in the answers.
        """

    cdef void mark(self, int depth, const Node* node, int column, int threshold, bint drop,
                   Answer* left, Answer* right) noexcept nogil:
        """Floors of the branches of a test from those of sets that were kept.

        That of such a set, less what the branch lacks of it.  The branches stay marked for `keep`.
        """

    cdef void keep(self, int depth, bint is_left, double floor, int claim) noexcept nogil:
        """Remember a marked branch and its floor, in the place of the one that was kept longest."""

    cdef void divide(self, int depth, const Node* node, int column, int threshold, bint drop,
                     Node* left, Node* right) noexcept nogil:
        """The branches of a test, in the room of the level."""

    # ------------------------------------------------------------------------------- costs

    @cython.final
    cdef double cost(self, const double* c) noexcept nogil:
        """What a leaf of these class weights costs, its penalty left out."""
        cdef double total = 0.0, s = 0.0
        cdef int k
        if self.objective == ERRORS:
            for k in range(self.n_classes):
                total += c[k]
                if c[k] > s:
                    s = c[k]
            return total - s
        if self.objective == GINI:
            for k in range(self.n_classes):
                total += c[k]
                s += c[k] * c[k]
            return total - s / total if total > 0.0 else 0.0
        if self.log_table != NULL:
            for k in range(self.n_classes):
                total += c[k]
                s += self.log_table[<Py_ssize_t> c[k]]
            return self.log_table[<Py_ssize_t> total] - s
        for k in range(self.n_classes):
            total += c[k]
            if c[k] > 0.0:
                s += c[k] * hedgerow_log(c[k])
        return total * hedgerow_log(total) - s if total > 0.0 else 0.0

    @cython.final
    cdef double least(self, const double* c) noexcept nogil:
        """What no tree of these class weights with two leaves costs less than."""
        cdef double total = 0.0, largest = 0.0, next_largest = 0.0
        cdef int k
        if self.objective != ERRORS or self.n_classes <= 2:
            return 2 * self.penalty
        for k in range(self.n_classes):
            total += c[k]
            if c[k] > largest:
                next_largest = largest
                largest = c[k]
            elif c[k] > next_largest:
                next_largest = c[k]
        return total - largest - next_largest + 2 * self.penalty

    # --------------------------------------------------------------------------- the search

    @cython.final
    cdef void rank_column(self, Level* level, int column, double left) noexcept nogil:
        """Put a column, after those of lower numbers, where what its best test leaves has it."""
        cdef int i = column
        level.gain[column] = left
        while i > 0 and level.gain[level.by_gain[i - 1]] > left:
            level.by_gain[i] = level.by_gain[i - 1]
            i -= 1
        level.by_gain[i] = column

    cdef int push(self, Level* level, Interval at) except -1 nogil:
        cdef Py_ssize_t i = level.n_heap, above
        if i == level.heap_capacity:
            level.heap = <Interval*> self.memory.resized(
                level.heap, 2 * level.heap_capacity, sizeof(Interval))
            level.heap_capacity *= 2
        level.n_heap += 1
        while i > 0:
            above = (i - 1) // 2
            if not earlier(&at, &level.heap[above]):
                break
            level.heap[i] = level.heap[above]
            i = above
        level.heap[i] = at
        return 0

    cdef int evaluate(self, int depth, const Node* node, const Interval* at, int k, double limit,
                      bint drop, Answer* left, Answer* right) except -1 nogil:
        """Both branches of a test, as far as a tree of less than `limit` may have it."""
        cdef Level* level = &self.levels[depth]
        cdef int threshold = level.candidates[at.column * self.stride + k], turn, i, first
        cdef bint floors = drop or self.loose       # the problem whose bounds hold for more rows
        cdef Node left_node, right_node
        cdef Answer found
        cdef Step* step = &self.way[self.depth - depth]
        cdef const Node* nodes[2]
        cdef Answer* answers[2]
        cdef int* trees[2]
        self.n_nodes += 1
        if self.max_nodes and self.n_nodes >= self.max_nodes:
            self.stopped = True
        if self.n_nodes % LOOKED_AT == 0:
            self.look_up()
        left.floor = at.left
        right.floor = at.right
        left.claim = left.own = right.claim = right.own = NONE
        if depth == 2:
            self.both(node, at.column, threshold, limit, drop, left, right, level.left_tree,
                      level.right_tree)
            return 0
        self.mark(depth, node, at.column, threshold, drop, left, right)
        left.floor = max(left.floor, at.left)
        right.floor = max(right.floor, at.right)
        left.value = INFINITY
        right.value = INFINITY
        left.bound = left.floor
        right.bound = right.floor
        if left.floor + right.floor >= limit - self.slack:
            return 0
        self.divide(depth, node, at.column, threshold, drop, &left_node, &right_node)
        nodes[0], nodes[1] = &left_node, &right_node
        answers[0], answers[1] = left, right
        trees[0], trees[1] = level.left_tree, level.right_tree
        # The smaller branch first: it is cheaper, and may suffice.
        first = left_node.n_rows > right_node.n_rows
        for turn in range(2):
            i = first if turn == 0 else 1 - first
            step[0] = Step(at.column, threshold, i, drop)
            self.solve(depth - 1, nodes[i], limit - answers[1 - i].floor, floors, &found, trees[i])
            self.keep(depth, i == 0, found.bound, found.claim)
            if found.bound > answers[i].floor:
                answers[i].floor = found.bound
                answers[i].claim = found.claim
            answers[i].bound = answers[i].floor
            if floors == drop:
                answers[i].value = found.value
            if left.floor + right.floor >= limit - self.slack:
                return 0
        if floors == drop:
            return 0
        for turn in range(2):
            i = first if turn == 0 else 1 - first
            step[0] = Step(at.column, threshold, i, drop)
            self.solve(depth - 1, nodes[i], limit - answers[1 - i].bound, drop, &found, trees[i])
            answers[i].own = found.claim
            answers[i].bound = max(answers[i].bound, found.bound)
            answers[i].value = found.value
            if left.bound + right.bound >= limit - self.slack:
                return 0
        return 0

    cdef int solve(self, int depth, const Node* node, double below, bint drop, Answer* answer,
                   int* tree) except -1 nogil:
        """The best tree of a node, if one costs less than `below`; else some tree and a bound."""
        self.levels[depth].n_seen = 0
        self.search(depth, node, below, drop, answer, tree)
        answer.claim = NONE
        # Every tree has a leaf: less than its penalty is no claim.
        if self.prove and (answer.bound > self.penalty or depth == self.depth):
            answer.claim = self.claim(depth, drop)
        return 0

    cdef int search(self, int depth, const Node* node, double below, bint drop, Answer* answer,
                    int* tree) except -1 nogil:
        """As `solve`, which keeps the evidence."""
        cdef Level* level = &self.levels[depth]
        cdef Py_ssize_t size = (1 << (depth - 1)) - 1     # nodes of a branch
        cdef double best = self.leaf(node, self.left_total), limit, unknown = INFINITY, near
        cdef const double* mass
        cdef Interval at
        cdef Answer left, right
        cdef int i, k, low, high
        tree[0] = NONE
        answer.value = best
        answer.bound = best
        if best <= 2 * self.penalty + self.slack:
            return 0
        if depth == 1:
            answer.value = self.stump(node, drop, tree)
            answer.bound = answer.value
            return 0
        limit = min(best, below)
        self.propose(node, drop, level)
        level.n_heap = 0
        for i in range(self.n_columns):
            k = level.by_gain[i]
            if level.n_candidates[k]:
                self.push(level, Interval(2 * self.penalty, self.penalty, self.penalty, k, i, -1,
                                          level.n_candidates[k]))
        while level.n_heap:
            at = level.heap[0]
            if at.bound >= limit - self.slack:
                break
            if self.stopped or (depth == self.depth
                                and limit - at.bound <= self.tolerance * limit):
                unknown = min(unknown, at.bound)
                break
            pop(level)
            k = level.first[at.column]
            if not at.low < k < at.high:
                k = (at.low + at.high) // 2
            self.evaluate(depth, node, &at, k, limit, drop, &left, &right)
            if self.prove:
                self.see(level, at.column, level.candidates[at.column * self.stride + k], &left,
                         &right)
            left.floor = max(left.floor, at.left)
            right.floor = max(right.floor, at.right)
            if left.value + right.value < best - self.slack:
                best = left.value + right.value
                limit = min(limit, best)
                tree[0] = at.column
                tree[1] = level.candidates[at.column * self.stride + k]
                memcpy(tree + 2, level.left_tree, 2 * size * sizeof(int))
                memcpy(tree + 2 + 2 * size, level.right_tree, 2 * size * sizeof(int))
            if left.bound + right.bound < limit - self.slack:
                unknown = min(unknown, max(at.bound, left.bound + right.bound))     # stopped there
            # Thresholds so near that what their smaller branch loses cannot make up for it.
            mass = level.mass + at.column * self.stride
            near = (left.floor + right.floor - limit) / self.steepest + self.slack
            low = high = k
            while low - 1 > at.low and mass[k] - mass[low - 1] <= near:
                low -= 1
            while high + 1 < at.high and mass[high + 1] - mass[k] <= near:
                high += 1
            if low - at.low > 1 and at.left + right.floor < limit - self.slack:
                self.push(level, Interval(at.left + right.floor, at.left, right.floor, at.column,
                                          at.order, at.low, low))
            if at.high - high > 1 and left.floor + at.right < limit - self.slack:
                self.push(level, Interval(left.floor + at.right, left.floor, at.right, at.column,
                                          at.order, high, at.high))
        answer.value = best
        answer.bound = min(limit, unknown)
        return 0

    cdef int see(self, Level* level, int column, int threshold, const Answer* left,
                 const Answer* right) except -1 nogil:
        """Keep a test of the node at hand, and what is known of its branches."""
        if level.n_seen == level.seen_capacity:
            level.seen_capacity = 2 * level.seen_capacity + 64
            level.seen = <Evaluated*> self.memory.resized(level.seen, level.seen_capacity,
                                                          sizeof(Evaluated))
        level.seen[level.n_seen] = Evaluated(column, threshold, left.claim, right.claim, left.own,
                                             right.own)
        level.n_seen += 1
        return 0

    cdef int claim(self, int depth, bint drop) except -2 nogil:
        """Keep the evidence of the node at hand; its number.  Those below it have lower ones."""
        cdef Level* level = &self.levels[depth]
        cdef Py_ssize_t n_steps = self.depth - depth
        if self.n_claims == self.claim_capacity:
            self.claim_capacity = 2 * self.claim_capacity + 64
            self.claims = <Claim*> self.memory.resized(self.claims, self.claim_capacity,
                                                       sizeof(Claim))
        if self.n_tests + level.n_seen > self.test_capacity:
            self.test_capacity = 2 * self.test_capacity + level.n_seen
            self.tests = <Evaluated*> self.memory.resized(self.tests, self.test_capacity,
                                                          sizeof(Evaluated))
        if self.n_steps + n_steps > self.step_capacity:
            self.step_capacity = 2 * self.step_capacity + n_steps
            self.steps = <Step*> self.memory.resized(self.steps, self.step_capacity, sizeof(Step))
        self.claims[self.n_claims] = Claim(depth, drop, self.n_steps, self.n_tests, level.n_seen)
        if n_steps:     # of nothing, there is no place yet
            memcpy(self.steps + self.n_steps, self.way, n_steps * sizeof(Step))
        if level.n_seen:
            memcpy(self.tests + self.n_tests, level.seen, level.n_seen * sizeof(Evaluated))
        self.n_steps += n_steps
        self.n_tests += level.n_seen
        self.n_claims += 1
        return <int> self.n_claims - 1

    cdef int greedy(self, int depth, const Node* node, Answer* answer, int* tree) except -1 nogil:
        """A good tree to begin with: tests from the best tree of depth 2, until two are left."""
        cdef Py_ssize_t size = (1 << (depth - 1)) - 1, half
        cdef Answer low, high
        cdef Node left, right
        cdef int first[6]
        cdef int side
        if depth <= 2:
            return self.solve(depth, node, INFINITY, False, answer, tree)
        self.solve(2, node, INFINITY, False, answer, first)
        tree[0] = first[0]
        tree[1] = first[1]
        if first[0] == NONE:
            return 0
        self.divide(depth, node, first[0], first[1], False, &left, &right)
        self.greedy(depth - 1, &left, &low, tree + 2)
        self.greedy(depth - 1, &right, &high, tree + 2 + 2 * size)
        if low.value + high.value < answer.value:
            answer.value = low.value + high.value
            return 0
        # Where the search was stopped on the way, the tree of depth 2 may be better.
        half = (1 << (depth - 2)) - 1
        for side in range(2):
            tree += 2 + side * 2 * (size - 1)
            tree[0] = first[2 + 2 * side]
            tree[1] = first[3 + 2 * side]
            tree[2] = NONE
            tree[2 + 2 * half] = NONE
        return 0

    cdef int look_up(self) except -1 nogil:
        """Whether the time is over, or somebody wants to stop."""
        with gil:
            PyErr_CheckSignals()
            if self.deadline < INFINITY and time.monotonic() > self.deadline:
                self.stopped = True
        return 0

    def run(self):
        """The best tree that was found.

        Returns
        -------
        value, bound : float
            Its cost, and a cost that no tree of this depth is below.
        tree : (2 ** depth - 1, 2) int32
            Column (-1 at leaves) and threshold of each node: one, then all of its left branch as
            deep as it may be, then all of the right.
        """
        cdef Py_ssize_t size = (1 << self.depth) - 1
        first = np.full((max(size, 1), 2), NONE, dtype=np.int32)
        better = first.copy()
        cdef int[:, ::1] start = first, found = better
        cdef Answer answer, improved
        cdef bint prove = self.prove
        with nogil:
            answer.value = self.leaf(&self.root, self.left_total)
            answer.bound = answer.value
            self.prove = prove and self.depth <= 2      # else the tree to begin with proves nothing
            if self.depth > 0:
                self.greedy(self.depth, &self.root, &answer, &start[0, 0])
            self.prove = prove
            if self.depth > 2:
                self.solve(self.depth, &self.root, answer.value, False, &improved, &found[0, 0])
                answer.bound = improved.bound
                if improved.value < answer.value - self.slack:
                    answer.value = improved.value
                    start = found
        self.bound = min(answer.bound, answer.value)
        return answer.value, self.bound, np.asarray(start)

    def proof(self):
        """Evidence of the bound that `run` returned, where it was asked for.

        Returns
        -------
        claims : list of (depth, drop, path, tests)
            Each that the last one, of all rows, rests on, after those that it rests on itself.
            path: of tests from the first one on, (column, threshold, side, drop), side 0 is left;
            tests: (column, threshold, left, right, left_own, right_own), numbers of claims that
            bound the branches, or -1.  At depth 0 there is none.
        """
        cdef Py_ssize_t i, c = self.n_claims
        cdef Claim* claim
        cdef Evaluated* test
        needed = np.zeros(c, dtype=bool)
        needed[c - 1:] = True
        while c > 0:
            c -= 1
            claim = &self.claims[c]
            for i in range(claim.tests, claim.tests + claim.n_tests if needed[c] else claim.tests):
                test = &self.tests[i]
                for other in (test.left, test.right, test.left_own, test.right_own):
                    if other != NONE:
                        needed[other] = True
        number = [NONE, *np.where(needed, np.cumsum(needed) - 1, NONE).tolist()]    # from NONE on
        found = []
        for c in np.flatnonzero(needed):
            claim = &self.claims[c]
            path = [
                (self.steps[i].column, self.steps[i].threshold, self.steps[i].side,
                 self.steps[i].drop)
                for i in range(claim.path, claim.path + self.depth - claim.depth)
            ]
            tests = []
            for i in range(claim.tests, claim.tests + claim.n_tests):
                test = &self.tests[i]
                tests.append((test.column, test.threshold, number[test.left + 1],
                              number[test.right + 1], number[test.left_own + 1],
                              number[test.right_own + 1]))
            found.append((claim.depth, bool(claim.drop), path, tests))
        return found


cdef inline bint earlier(const Interval* a, const Interval* b) noexcept nogil:
    """The order in which intervals are looked at: a total one, so that no tree depends on chance."""
    if a.bound != b.bound:
        return a.bound < b.bound
    if a.order != b.order:
        return a.order < b.order
    return a.low < b.low


cdef void pop(Level* level) noexcept nogil:
    """Take the first interval off the heap."""
    cdef Interval last
    cdef Py_ssize_t i = 0, child
    level.n_heap -= 1
    last = level.heap[level.n_heap]
    while 2 * i + 1 < level.n_heap:
        child = 2 * i + 1
        if child + 1 < level.n_heap and earlier(&level.heap[child + 1], &level.heap[child]):
            child += 1
        if not earlier(&level.heap[child], &last):
            break
        level.heap[i] = level.heap[child]
        i = child
    level.heap[i] = last
