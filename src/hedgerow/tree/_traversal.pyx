# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The traversal: shares of instances at every node they reach.

`predict_proba`, `apply` and `decision_path` read the same visit, so they treat missing values,
new categories and soft gates alike.
"""

import numpy as np

from libc.math cimport INFINITY, NAN, fabs, isnan, nextafter

from hedgerow.tree._arena cimport Arena
from hedgerow.tree._gates cimport (
    ASKED,
    CATEGORY,
    LINEAR,
    NORMAL,
    PDF,
    STEP,
    Gate,
    Gates,
    Test,
    hedgerow_phi_fill,
    narrow,
    share_left,
)

hedgerow_phi_fill()


cdef enum:
    LANES = 16                  # instances that walk side by side

cdef double MOST_SIGMA = 1e6    # wider windows leave no room for rounding in the clip's tolerance
cdef double ROUNDING = 2e-15    # relative; several times that of the few operations of a gate


cdef struct Step:
    # Where a node sends an instance whole; a cheap part of its gate, never at odds with it.
    double lower, upper         # lower <= upper; NaN where the gate is always asked
    int feature                 # 0 at leaves
    int next[3]                 # node below `lower`, node from `upper` on, else this node itself


cdef struct Plan:
    # One tree, the gates that it is read with, and the table; borrowed pointers, nothing owned.
    const Step* step            # of each node
    const int* feature          # -1 at leaves
    const int* children_left
    const int* children_right
    const Test* test            # of each node; not filled at leaves
    const Gate** gate           # of each node; not filled at leaves
    int root                    # where instances enter
    const double* rows          # NULL without a value
    Py_ssize_t row_step         # from one row to the next, in numbers
    Py_ssize_t stride           # from one column to the next


cdef void lay_step(const Gate* gate, const Test* test, Step* step) noexcept nogil:
    """The values that the gate sends wholly to one side, those at its edges left out."""
    cdef double reach, slack
    if gate.kind == STEP:
        step.lower = test.threshold
        step.upper = test.threshold
    elif gate.kind == LINEAR:
        step.lower = test.lower
        step.upper = test.upper
        if test.upper == test.threshold:    # at which an instance is divided all the same
            step.upper = nextafter(test.upper, INFINITY)
    elif (gate.kind == NORMAL or gate.kind == PDF) and gate.half_window <= MOST_SIGMA:
        step.lower = test.center if gate.kind == NORMAL else test.threshold
        reach = gate.half_window * gate.sigma
        slack = ROUNDING * (fabs(step.lower) + reach)
        step.upper = step.lower + reach + slack
        step.lower -= reach + slack
    if not step.lower <= step.upper:
        step.lower = NAN
        step.upper = NAN


cdef inline int onward(const Plan* plan, int node, const double* row,
                       Py_ssize_t stride) noexcept nogil:
    """The child that takes the whole instance; the node itself where its gate has to say.

    No branch, as none could be foreseen: place 0, 1 or, of a missing value too, 2 of `next`.
    """
    cdef const Step* step = &plan.step[node]
    cdef double x = row[step.feature * stride]
    return step.next[2 - 2 * (x < step.lower) - (x >= step.upper)]


cdef inline void descend(const Plan* plan, Py_ssize_t first, Py_ssize_t n,
                         int* node) noexcept nogil:
    """Write where n <= LANES instances are last undivided: a leaf, or a test whose gate is asked.

    Each waits for its values and for one test after the other, so several walk at once.
    """
    cdef const double* rows = plan.rows + first * plan.row_step
    cdef Py_ssize_t row_step = plan.row_step, stride = plan.stride, i
    cdef int after, moved = 1
    for i in range(n):
        node[i] = plan.root
    while moved:
        moved = 0
        for i in range(n):
            after = onward(plan, node[i], rows + i * row_step, stride)
            moved |= after ^ node[i]
            node[i] = after


cdef Py_ssize_t visit(const Plan* plan, Py_ssize_t instance, int start, int* nodes,
                      double* shares, int* stack, double* stack_share) noexcept nogil:
    """Write the nodes that the instance reaches (share > 0) from `start` on; return their number.

    In preorder; all of the instance is at `start`.
    """
    cdef const double* row = plan.rows + instance * plan.row_step
    cdef Py_ssize_t stride = plan.stride, n = 0, top = 1
    cdef int node, after
    cdef double share, left
    stack[0] = start
    stack_share[0] = 1.0
    while top > 0:
        top -= 1
        node = stack[top]
        share = stack_share[top]
        while True:
            nodes[n] = node
            shares[n] = share
            n += 1
            if plan.feature[node] < 0:
                break
            after = onward(plan, node, row, stride)
            if after == node:
                break
            node = after
        if plan.feature[node] < 0:
            continue
        left = share_left(plan.gate[node], &plan.test[node],
                          row[plan.feature[node] * stride], instance)
        if left < 1.0 and share * (1.0 - left) > 0.0:
            stack[top] = plan.children_right[node]
            stack_share[top] = share * (1.0 - left)
            top += 1
        if left > 0.0 and share * left > 0.0:
            stack[top] = plan.children_left[node]
            stack_share[top] = share * left
            top += 1
    return n


def node_intervals(const int[::1] feature, const double[::1] threshold,
                   const int[::1] children_left, const int[::1] parent):
    """Between which values the tests above each node put the variable that it tests.

    Returns
    -------
    lower, upper : (n_nodes,) float64
        Infinite where no test above is about the variable.
    """
    cdef Py_ssize_t n = feature.shape[0], node
    lower = np.full(n, -np.inf)
    upper = np.full(n, np.inf)
    cdef double[::1] low = lower, high = upper
    cdef int child, above
    with nogil:
        for node in range(n):
            if feature[node] < 0:
                continue
            child = <int> node
            above = parent[node]
            while above >= 0:
                if feature[above] == feature[node]:
                    narrow(threshold[above], children_left[above] == child, &low[node],
                           &high[node])
                child = above
                above = parent[above]
    return lower, upper


cdef class Traversal:
    """Walks a tree for tables of instances.

    Parameters
    ----------
    tree : Tree
    gates : Gates
        Of its variables; bounds of piecewise-linear gates are those of its nodes.
    """

    cdef const int[::1] feature, children_left, children_right
    cdef const double[::1] threshold, center
    cdef const unsigned char[:, ::1] categories_left
    cdef Gates gates
    cdef Arena memory
    cdef Plan plan
    cdef Test* tests
    cdef Step* steps
    cdef Py_ssize_t n_nodes
    cdef int* nodes
    cdef int* stack
    cdef double* shares
    cdef double* stack_share
    cdef list answers               # shares that Python gave for the table at hand
    cdef list tables                # ... and those of the categories at each test

    def __cinit__(self, tree, Gates gates):
        cdef const double[::1] share = tree.share_left, lower, upper, table
        cdef const Gate** gate
        cdef Py_ssize_t node, side
        self.feature = tree.feature
        self.threshold = tree.threshold
        self.center = tree.center
        self.children_left = tree.children_left
        self.children_right = tree.children_right
        self.categories_left = tree._categories_left
        self.gates = gates
        self.tables = []
        self.n_nodes = self.feature.shape[0]
        self.memory = Arena("for the traversal of a tree")
        self.nodes = <int*> self.memory.take(self.n_nodes + 1, sizeof(int))
        self.stack = <int*> self.memory.take(self.n_nodes + 2, sizeof(int))
        self.shares = <double*> self.memory.take(self.n_nodes + 1, sizeof(double))
        self.stack_share = <double*> self.memory.take(self.n_nodes + 2, sizeof(double))
        self.tests = <Test*> self.memory.take(self.n_nodes, sizeof(Test))
        self.steps = <Step*> self.memory.take(self.n_nodes, sizeof(Step))
        gate = <const Gate**> self.memory.take(self.n_nodes, sizeof(Gate*))
        if gates.conditioned:
            lower, upper = node_intervals(self.feature, self.threshold, self.children_left,
                                          tree.parent)
        elif gates.bounds is not None:
            lower, upper = gates.bounds
        for node in range(self.n_nodes):
            self.steps[node].lower = NAN
            self.steps[node].upper = NAN
            self.steps[node].feature = 0
            for side in range(3):
                self.steps[node].next[side] = <int> node
            if self.feature[node] < 0:
                continue
            self.tests[node].threshold = self.threshold[node]
            self.tests[node].center = self.center[node]
            self.tests[node].share_left = share[node]
            if isnan(self.threshold[node]):
                gate[node] = &gates.categories[self.feature[node]]
                self.tests[node].n_categories = self.categories_left.shape[1]
                if self.categories_left.shape[1] == 0:
                    continue
                self.tests[node].categories_left = &self.categories_left[node, 0]
                if gate[node].kind == CATEGORY:
                    table = gates.gate.share(self.feature[node], tree.categories_left[node])
                    self.tests[node].category_share = &table[0]
                    self.tables.append(table)
                continue
            gate[node] = &gates.numbers[self.feature[node]]
            if gates.conditioned or gates.bounds is not None:
                self.tests[node].lower = lower[node]
                self.tests[node].upper = upper[node]
            lay_step(gate[node], &self.tests[node], &self.steps[node])
            self.steps[node].feature = self.feature[node]
            self.steps[node].next[0] = self.children_left[node]
            self.steps[node].next[1] = self.children_right[node]
        self.plan.step = self.steps
        self.plan.feature = &self.feature[0]
        self.plan.children_left = &self.children_left[0]
        self.plan.children_right = &self.children_right[0]
        self.plan.test = self.tests
        self.plan.gate = gate
        self.plan.root = 0

    cdef int lay(self, const double[:, :] X) except -1:
        """Take up a table, and ask for its shares at gates that only Python can work out."""
        cdef Py_ssize_t node
        cdef const double[::1] shares
        self.plan.rows = &X[0, 0] if X.shape[0] and X.shape[1] else NULL
        self.plan.row_step = X.strides[0] // <Py_ssize_t> sizeof(double)
        self.plan.stride = X.strides[1] // <Py_ssize_t> sizeof(double)
        if not self.gates.asking or X.shape[0] == 0:
            return 0
        self.answers = []
        table = np.asarray(X)
        for node in range(self.n_nodes):
            if self.feature[node] < 0 or self.plan.gate[node].kind != ASKED:
                continue
            shares = self.gates.at_node(self.feature[node], &self.tests[node],
                                        table[:, self.feature[node]])
            self.answers.append(shares)
            self.tests[node].asked = &shares[0]
        return 0

    cdef Py_ssize_t enter(self, Py_ssize_t n_rows, Py_ssize_t first, int* node) noexcept nogil:
        """Where the next instances are undivided last, into `node`; their number, <= LANES."""
        cdef Py_ssize_t n = min(n_rows - first, <Py_ssize_t> LANES), i
        if self.plan.rows == NULL:      # without columns there is a root alone
            for i in range(n):
                node[i] = self.plan.root
            return n
        descend(&self.plan, first, n, node)
        return n

    cdef Py_ssize_t reached(self, Py_ssize_t instance, int start) noexcept nogil:
        """Visit from `start` on, into `nodes` and `shares`."""
        return visit(&self.plan, instance, start, self.nodes, self.shares, self.stack,
                     self.stack_share)

    def mix(self, const double[:, :] X, const double[:, ::1] leaf_value, int root=0):
        """Average of `leaf_value` (n_nodes, k), weighted by the share of each leaf: (n, k).

        root: the node at which instances enter.
        """
        cdef Py_ssize_t n = X.shape[0], k = leaf_value.shape[1]
        out = np.zeros((n, k))
        cdef double[:, ::1] result = out
        cdef Py_ssize_t first, lanes, i, v, c, count
        cdef int start[LANES]
        self.lay(X)
        self.plan.root = root
        with nogil:
            first = 0
            while first < n:
                lanes = self.enter(n, first, start)
                for i in range(first, first + lanes):
                    count = self.reached(i, start[i - first])
                    for v in range(count):
                        if self.plan.feature[self.nodes[v]] < 0:
                            for c in range(k):
                                result[i, c] += self.shares[v] * leaf_value[self.nodes[v], c]
                first += lanes
        self.plan.root = 0
        return out

    def apply(self, const double[:, :] X):
        """The leaf with the largest share of each instance (ties: lower index): (n,) intp."""
        cdef Py_ssize_t n = X.shape[0]
        out = np.zeros(n, dtype=np.intp)
        cdef Py_ssize_t[::1] result = out
        cdef Py_ssize_t first, lanes, i, v, count
        cdef int start[LANES]
        cdef double best
        cdef int node
        self.lay(X)
        with nogil:
            first = 0
            while first < n:
                lanes = self.enter(n, first, start)
                for i in range(first, first + lanes):
                    count = self.reached(i, start[i - first])
                    best = -1.0
                    for v in range(count):
                        node = self.nodes[v]
                        if self.plan.feature[node] < 0 and (
                                self.shares[v] > best
                                or (self.shares[v] == best and node < result[i])):
                            best = self.shares[v]
                            result[i] = node
                first += lanes
        return out

    def visits(self, const double[:, :] X):
        """Every node that each instance reaches, with its share, as CSR arrays.

        Returns
        -------
        indptr : (n + 1,) int64
        nodes : int32
        shares : float64
        """
        cdef Py_ssize_t n = X.shape[0]
        indptr = np.zeros(n + 1, dtype=np.int64)
        cdef long long[::1] pointer = indptr
        cdef Py_ssize_t i, v, count, used = 0, capacity = 16 * n + self.n_nodes + 1
        nodes = np.empty(capacity, dtype=np.int32)
        shares = np.empty(capacity)
        cdef int[::1] node_view = nodes
        cdef double[::1] share_view = shares
        self.lay(X)
        for i in range(n):
            if used + self.n_nodes > capacity:
                capacity = 2 * capacity + self.n_nodes
                # Not `np.resize`, which fills the new part with copies of the old one.
                nodes = np.append(nodes[:used], np.empty(capacity - used, dtype=np.int32))
                shares = np.append(shares[:used], np.empty(capacity - used))
                node_view = nodes
                share_view = shares
            with nogil:
                count = self.reached(i, self.plan.root)
                for v in range(count):
                    node_view[used + v] = self.nodes[v]
                    share_view[used + v] = self.shares[v]
                used += count
                pointer[i + 1] = used
        return indptr, nodes[:used].copy(), shares[:used].copy()
