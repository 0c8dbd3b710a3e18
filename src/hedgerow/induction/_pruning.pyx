# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Error-based pruning (thesis 2.2.3): keep, leaf, or raise a sub-branch.

One pass, bottom-up and left to right.  At each node the training rows are routed as growth
routed them, by the same gates, so missing values and soft propagation need no rule of their own.
"""

import numpy as np

from libc.math cimport INFINITY, NAN, fabs, isnan

from hedgerow.induction._columns cimport Columns
from hedgerow.induction._errors cimport (
    ErrorLimits,
    leaf_errors as errors_of_leaf,
    limits_init,
)
from hedgerow.tree._arena cimport Arena
from hedgerow.tree._gates cimport (
    ASKED,
    PDF,
    Gate,
    Gates,
    Test,
    hedgerow_phi_fill,
    is_soft,
    kept_left,
    narrow,
    share_left,
)

from hedgerow.induction.rules import THESIS

hedgerow_phi_fill()

cdef int TABLE = 64          # predicted errors are kept for whole counts below this


cdef enum:
    # What counts as the N and the E of a leaf.
    WEIGHTS                  # the weight of each row there
    INSTANCES                # each row that has weight there, whole
    TUPLES                   # each row whole, where the larger part of it went at each test


COUNTS = {"weights": WEIGHTS, "instances": INSTANCES, "tuples": TUPLES}


cdef struct Visit:
    # A node of a branch under estimation, and the rows that reach it.
    int node
    Py_ssize_t start, n, top    # top: end of the rows that are still needed


cdef struct Frame:
    # A node whose children are being pruned.
    int node, children_done
    Py_ssize_t start, n, mark, n_left, n_right
    double leaf, keep           # errors as a leaf; errors of the left child


cdef inline void put(int* rows, double* weights, Py_ssize_t* n, int row,
                     double weight) noexcept nogil:
    """Append a row that has any weight."""
    if weight > 0.0:
        rows[n[0]] = row
        weights[n[0]] = weight
        n[0] += 1


cdef inline void mark(double* last_left, double* last_right, double left, double right,
                      bint larger) noexcept nogil:
    """Turn the sign of parts just put that are not the larger one at each test."""
    if left > 0.0 and not (larger and left >= right):
        last_left[0] = -left
    if right > 0.0 and not (larger and left < right):
        last_right[0] = -right


cdef class Limits:
    """Predicted errors for one confidence, shared by all prunings that use it."""

    cdef Arena memory
    cdef ErrorLimits table

    def __init__(self, double confidence, bint laplace, int n_classes, bint normal):
        self.memory = Arena("to prune the tree")
        limits_init(&self.table, self.memory, confidence, laplace, n_classes, TABLE, normal)


_LIMITS = {}            # (confidence, laplace, n_classes, normal) -> Limits, the latest few
cdef int MOST_LIMITS = 32


cdef Limits limits_for(double confidence, bint laplace, int n_classes, bint normal=False):
    """The limits of these settings: a quantile of the Beta distribution costs microseconds."""
    key = (confidence, bool(laplace), n_classes, bool(normal))
    found = _LIMITS.get(key)
    if found is None:
        if len(_LIMITS) >= MOST_LIMITS:
            _LIMITS.pop(next(iter(_LIMITS)), None)
        found = _LIMITS[key] = Limits(*key)
    return found


cdef class Pruning:
    """Prunes one tree on the rows that grew it.

    Parameters
    ----------
    columns : Columns
    arrays : dict
        The arrays of the tree (copied); `origin`, if given, is carried along.
    gates : Gates
        With which it was grown.
    confidence : float in [0, 1]
        Two-sided; the tail is half of it.
    laplace, raising : bool
    counts : one of COUNTS
        What counts as the N and the E of a leaf; class weights are weights in any case.
    rules : GrowthRules
    """

    cdef Arena memory
    cdef Columns columns
    cdef int[::1] feature, left, right, parent
    cdef double[::1] threshold, center, share_left
    cdef double[:, ::1] class_weight
    cdef const unsigned char[:, ::1] categories_left
    cdef int[::1] origin            # empty when nobody asked
    cdef Gates gates
    cdef dict arrays
    cdef bint raising, largest, again
    cdef double slack               # predicted errors that a smaller tree may make more
    cdef int counts
    cdef int raised, place          # a branch under trial, and the node in whose place it is
    cdef int K
    cdef Py_ssize_t n_categories
    cdef Limits shared
    cdef const ErrorLimits* limits
    # rows on their way down: a stack of segments
    cdef int* rows
    cdef double* weight             # below 0 where the larger part of the row is elsewhere
    cdef Py_ssize_t top, capacity
    cdef double* asked              # shares that Python gave, by place in the list at hand
    cdef double* count
    cdef Visit* visits              # as many as the tree has nodes, and one more
    cdef Frame* frames

    def __init__(self, Columns columns, dict arrays, Gates gates, *, double confidence,
                 bint laplace, bint raising, str counts="weights", rules=THESIS):
        gates.check_grows()
        self.counts = COUNTS[counts]
        self.columns = columns
        self.arrays = {name: np.array(value) for name, value in arrays.items()}
        self.feature = self.arrays["feature"]
        self.left = self.arrays["children_left"]
        self.right = self.arrays["children_right"]
        self.parent = self.arrays["parent"]
        self.threshold = self.arrays["threshold"]
        self.center = self.arrays["center"]
        self.share_left = self.arrays["share_left"]
        self.class_weight = self.arrays["class_weight"]
        self.categories_left = self.arrays["categories_left"]
        self.origin = self.arrays.get("origin", np.empty(0, dtype=np.int32))
        self.n_categories = self.categories_left.shape[1]
        self.gates = gates
        self.raised = -1
        self.place = -1
        self.raising = raising
        self.largest = rules.raise_largest
        self.again = rules.prune_again
        self.slack = rules.pruning_slack if rules.pruning_slack > 1e-9 else 1e-9
        self.K = columns.n_classes
        self.capacity = 4 * columns.n_rows + 64
        self.memory = Arena("to prune the tree")
        self.rows = <int*> self.memory.take(self.capacity, sizeof(int))
        self.weight = <double*> self.memory.take(self.capacity, sizeof(double))
        self.asked = <double*> self.memory.take(columns.n_rows, sizeof(double))
        self.count = <double*> self.memory.take(self.K, sizeof(double))
        self.visits = <Visit*> self.memory.take(self.feature.shape[0] + 2, sizeof(Visit))
        self.frames = <Frame*> self.memory.take(self.feature.shape[0] + 2, sizeof(Frame))
        self.shared = limits_for(confidence, laplace, self.K, rules.normal_limit)
        self.limits = &self.shared.table

    def run(self):
        """Prune; return the arrays of the smaller tree, in preorder."""
        cdef Py_ssize_t p
        for p in range(self.columns.n_rows):
            self.rows[p] = <int> p
            self.weight[p] = self.columns.weights[p]
        self.top = self.columns.n_rows
        with nogil:
            self.prune()
        return self.compact()

    cdef dict compact(self):
        """Drop nodes that are no longer reached; number the rest in preorder."""
        cdef Py_ssize_t n = self.feature.shape[0]
        order = []
        parent = []
        left = np.full(n, -1, dtype=np.int32)
        right = np.full(n, -1, dtype=np.int32)
        stack = [(0, -1, False)]
        while stack:
            node, above, is_left = stack.pop()
            id_ = len(order)
            order.append(node)
            parent.append(above)
            if above >= 0:
                (left if is_left else right)[above] = id_
            if self.feature[node] >= 0:
                stack.append((self.right[node], id_, False))
                stack.append((self.left[node], id_, True))
        arrays = {name: value[order] for name, value in self.arrays.items()}
        arrays["parent"] = np.array(parent, dtype=np.int32)
        arrays["children_left"] = left[:len(order)].copy()
        arrays["children_right"] = right[:len(order)].copy()
        return arrays

    cdef int reserve(self, Py_ssize_t n) except -1 nogil:
        if self.top + n <= self.capacity:
            return 0
        self.capacity = 2 * (self.top + n)
        self.rows = <int*> self.memory.resized(self.rows, self.capacity, sizeof(int))
        self.weight = <double*> self.memory.resized(self.weight, self.capacity, sizeof(double))
        return 0

    cdef void bound_value(self, int node, double* lower, double* upper) noexcept nogil:
        """Between which values the tests above a node put the variable that it tests."""
        cdef int f = self.feature[node], child = node, above
        lower[0] = -INFINITY
        upper[0] = INFINITY
        while True:
            if child == self.raised:
                child = self.place      # what lies between the two is not there
            above = self.parent[child]
            if above < 0:
                return
            if self.feature[above] == f:
                narrow(self.threshold[above], self.left[above] == child, lower, upper)
            child = above

    cdef int route(self, int node, Py_ssize_t start, Py_ssize_t n, bint renew,
                   Py_ssize_t* n_left, Py_ssize_t* n_right) except -1 nogil:
        """Push the rows of the left child, then those of the right, onto the stack.

        The share of rows whose value is missing is that of the known weight of these rows,
        and becomes the node's when `renew` is set.
        """
        cdef int j = self.feature[node], i
        cdef Py_ssize_t p, a = 0, b = 0, n_unknown = 0
        cdef double x, w, left, known_left = 0.0, known_right = 0.0, share
        # A copy, so that the loop need not reload it for every row.
        cdef Gate gate = (self.gates.categories[j] if isnan(self.threshold[node])
                          else self.gates.numbers[j])
        cdef bint soft = is_soft(&gate), tuples = self.counts == TUPLES
        cdef Test test
        cdef int* rows
        cdef double* weight
        cdef int* rows_left
        cdef double* weight_left
        cdef int* rows_right
        cdef double* weight_right
        self.reserve(2 * n)
        rows = self.rows + start
        weight = self.weight + start
        rows_left = self.rows + self.top
        weight_left = self.weight + self.top
        # Right-hand rows are written behind the room that the left could need.
        rows_right = rows_left + n
        weight_right = weight_left + n
        self.lay_test(node, &test)
        if gate.kind == PDF:
            self.bound_value(node, &test.lower, &test.upper)
        elif gate.kind == ASKED:
            self.gates.ask(j, test.center, &self.columns.x[0, j], self.columns.x_step, rows,
                           n, self.asked)
        for p in range(n):
            i = rows[p]
            x = self.columns.x[i, j]
            if isnan(x):
                n_unknown += 1
                continue
            w = fabs(weight[p])
            share = share_left(&gate, &test, x, p)
            left = w * share
            if soft:
                left = kept_left(left, w, self.columns.weights[i])
            put(rows_left, weight_left, &a, i, left)
            put(rows_right, weight_right, &b, i, w - left)
            if tuples:
                mark(&weight_left[a - 1], &weight_right[b - 1], left, w - left, weight[p] > 0.0)
            known_left += left
            known_right += w - left
        share = self.share_left[node]
        if known_left + known_right > 0.0:
            share = known_left / (known_left + known_right)
        if renew:
            self.share_left[node] = share
        if n_unknown > 0:
            for p in range(n):
                i = rows[p]
                if isnan(self.columns.x[i, j]):
                    w = fabs(weight[p])
                    left = w * share
                    put(rows_left, weight_left, &a, i, left)
                    put(rows_right, weight_right, &b, i, w - left)
                    if tuples:
                        mark(&weight_left[a - 1], &weight_right[b - 1], left, w - left,
                             weight[p] > 0.0)
        for p in range(b):
            rows_left[a + p] = rows_right[p]
            weight_left[a + p] = weight_right[p]
        self.top += a + b
        n_left[0] = a
        n_right[0] = b
        return 0

    cdef void lay_test(self, int node, Test* test) noexcept nogil:
        """The test of a node, but for the interval left by those above it."""
        test.threshold = self.threshold[node]
        test.center = self.center[node]
        test.lower = -INFINITY
        test.upper = INFINITY
        test.share_left = self.share_left[node]
        test.n_categories = self.n_categories
        test.categories_left = &self.categories_left[node, 0] if self.n_categories else NULL
        test.category_share = NULL      # such gates are refused
        test.asked = self.asked

    cdef void count_rows(self, Py_ssize_t start, Py_ssize_t n) noexcept nogil:
        cdef Py_ssize_t p
        cdef int c
        for c in range(self.K):
            self.count[c] = 0.0
        for p in range(start, start + n):
            self.count[self.columns.labels[self.rows[p]]] += fabs(self.weight[p])

    cdef double errors_here(self, Py_ssize_t start, Py_ssize_t n) noexcept nogil:
        """Errors of a leaf with these rows, whose weights `count_rows` has counted."""
        cdef Py_ssize_t p
        cdef int c
        if self.counts != WEIGHTS:
            for c in range(self.K):
                self.count[c] = 0.0
            for p in range(start, start + n):
                if self.counts == INSTANCES or self.weight[p] > 0.0:
                    c = self.columns.labels[self.rows[p]]
                    self.count[c] += self.columns.weights[self.rows[p]]
        return errors_of_leaf(self.limits, self.count)

    cdef double estimate(self, int root, Py_ssize_t start, Py_ssize_t n, bint renew,
                         double limit) except -1.0 nogil:
        """Errors of the branch at `root`, its structure kept, on these rows.

        With `renew` the class weights and shares of the branch become those of the rows.
        Without it the sum may stop as soon as it exceeds `limit`.
        """
        cdef Py_ssize_t n_left, n_right, mark = self.top, depth = 0
        cdef double errors = 0.0
        cdef Visit visit
        cdef int c
        self.visits[0].node = root
        self.visits[0].start = start
        self.visits[0].n = n
        self.visits[0].top = mark
        depth = 1
        while depth > 0:
            depth -= 1
            visit = self.visits[depth]
            self.top = visit.top    # the rows of branches already done are let go
            if renew or self.feature[visit.node] < 0:
                self.count_rows(visit.start, visit.n)
                if renew:
                    for c in range(self.K):
                        self.class_weight[visit.node, c] = self.count[c]
            if self.feature[visit.node] < 0:
                errors += self.errors_here(visit.start, visit.n)
                if errors > limit + 1e-6 and not renew:
                    break       # well above: what is left of the sum could not change the choice
                continue
            start = self.top
            self.route(visit.node, visit.start, visit.n, renew, &n_left, &n_right)
            self.visits[depth].node = self.right[visit.node]
            self.visits[depth].start = start + n_left
            self.visits[depth].n = n_right
            self.visits[depth].top = self.top
            self.visits[depth + 1].node = self.left[visit.node]
            self.visits[depth + 1].start = start
            self.visits[depth + 1].n = n_left
            self.visits[depth + 1].top = self.top
            depth += 2
        self.top = mark
        return errors

    cdef double prune(self) except -1.0 nogil:
        """Prune the whole tree, children before parents and left before right; its errors.

        A stack of our own: trees may be deeper than the machine's allows.
        """
        cdef Py_ssize_t depth = 1, n_left, n_right
        cdef Frame* frame
        cdef double errors = 0.0
        self.frames[0].node = 0
        self.frames[0].start = 0
        self.frames[0].n = self.columns.n_rows
        self.frames[0].children_done = 0
        while depth > 0:
            frame = self.frames + depth - 1
            if frame.children_done == 0:
                self.count_rows(frame.start, frame.n)
                frame.leaf = self.errors_here(frame.start, frame.n)
                if self.feature[frame.node] < 0:
                    errors = frame.leaf
                    depth -= 1
                    continue
                frame.mark = self.top
                self.route(frame.node, frame.start, frame.n, False, &n_left, &n_right)
                frame.n_left = n_left
                frame.n_right = n_right
                frame.children_done = 1
                self.frames[depth].node = self.left[frame.node]
                self.frames[depth].start = frame.mark
                self.frames[depth].n = n_left
                self.frames[depth].children_done = 0
                depth += 1
            elif frame.children_done == 1:
                frame.keep = errors
                frame.children_done = 2
                self.frames[depth].node = self.right[frame.node]
                self.frames[depth].start = frame.mark + frame.n_left
                self.frames[depth].n = frame.n_right
                self.frames[depth].children_done = 0
                depth += 1
            else:
                self.top = frame.mark
                errors = self.decide(frame, frame.keep + errors)
                if errors < 0.0:
                    frame.children_done = 0
                    continue
                depth -= 1
        return errors

    cdef double decide(self, const Frame* frame, double keep) except -2.0 nogil:
        """Keep, leaf, or raise a sub-branch; returns the errors of what is chosen.

        -1: a branch was raised that is to be pruned again.
        """
        cdef double raised, best = INFINITY
        cdef int node = frame.node, branch = -1, c, side
        # The smallest number of errors; ties go to the smaller tree: leaf, branch, as it is.
        if self.raising:
            for side in range(2):
                c = self.left[node] if side == 0 else self.right[node]
                if self.feature[c] < 0 or self.largest and side != self.larger_side(node):
                    continue        # raising a leaf is making a leaf
                self.raised = c
                self.place = node
                raised = self.estimate(c, frame.start, frame.n, False,
                                       min(best, keep, frame.leaf) + self.slack)
                self.raised = -1
                if raised < best - 1e-9:
                    best = raised
                    branch = c
        if keep < min(best, frame.leaf) - self.slack:
            return keep
        if frame.leaf <= best + self.slack and frame.leaf <= keep + self.slack:
            self.feature[node] = -1
            self.left[node] = -1
            self.right[node] = -1
            self.threshold[node] = NAN
            self.center[node] = NAN
            self.share_left[node] = NAN
            return frame.leaf
        self.replace(node, branch)
        keep = self.estimate(node, frame.start, frame.n, True, 0.0)
        return -1.0 if self.again else keep

    cdef int larger_side(self, int node) noexcept nogil:
        """0: the left child has the larger weight; 1: the right one, or both have as much."""
        cdef double more = 0.0
        cdef int c
        for c in range(self.K):
            more += self.class_weight[self.left[node], c] - self.class_weight[self.right[node], c]
        return 0 if more > 1e-6 else 1

    cdef void replace(self, int node, int branch) noexcept nogil:
        """Put the root of `branch` in the place of `node`."""
        cdef Py_ssize_t c
        self.feature[node] = self.feature[branch]
        self.left[node] = self.left[branch]
        self.right[node] = self.right[branch]
        self.threshold[node] = self.threshold[branch]
        self.center[node] = self.center[branch]
        self.share_left[node] = self.share_left[branch]
        self.parent[self.left[node]] = node
        self.parent[self.right[node]] = node
        if self.origin.shape[0] > 0:
            self.origin[node] = self.origin[branch]
        self.copy_subset(node, branch)

    cdef void copy_subset(self, int node, int branch) noexcept nogil:
        cdef Py_ssize_t c
        cdef unsigned char* target
        if self.n_categories == 0:
            return
        target = <unsigned char*> &self.categories_left[node, 0]
        for c in range(self.n_categories):
            target[c] = self.categories_left[branch, c]


def leaf_errors(weights, double confidence, bint laplace=True):
    """Predicted errors of leaves with these weights, as pruning sees them: for tests.

    Parameters
    ----------
    weights : (n_leaves, n_classes) float64
        Class weights at each leaf.
    confidence : float
        Two-sided confidence factor c; the tail is c / 2.
    laplace : bool
        Replace the errors E by N (E + 1) / (N + C) first.

    Returns
    -------
    (n_leaves,) float64
    """
    cdef const double[:, ::1] w = np.ascontiguousarray(weights, dtype=np.float64)
    cdef Limits limits = limits_for(confidence, laplace, <int> w.shape[1])
    cdef Py_ssize_t i
    out = np.zeros(w.shape[0])
    cdef double[::1] result = out
    for i in range(w.shape[0]):
        result[i] = errors_of_leaf(&limits.table, &w[i, 0])
    return out
