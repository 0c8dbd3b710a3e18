# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Prediction from the leaves up: each node asks whether the class that came up fits the instance.

The way down is that of the traversal, with the same gates. On the way up a node may doubt the class
that its branch assigned, and then reads its other branch too or takes from that class a fine.
"""

import numpy as np

from libc.math cimport isnan

from hedgerow.tree._traversal import node_intervals

from hedgerow.tree._arena cimport Arena
from hedgerow.tree._gates cimport (
    ASKED,
    CATEGORY,
    STEP,
    Gate,
    Gates,
    Test,
    hedgerow_phi_fill,
    share_left,
)

hedgerow_phi_fill()

cdef enum:
    # What is still to come of a node whose branch has been entered.
    WHOLE                       # one branch took the instance whole
    LEFT                        # the left branch is being read, the right one has a share too
    RIGHT                       # ... and now the right one
    OTHER                       # doubted: the branch that the instance would not have entered

cdef enum:
    # What a node did, in the order of `hedgerow.confidence.explain.DONE`.
    LEAF
    BELOW_MISSING               # a value was missing at a test above, or is at this one
    NO_INTERVAL                 # of the assigned class, at this node
    WITHIN                      # the value is inside it
    LET_BE                      # outside, and what follows is turned off or has nothing to act on
    ROUTES
    FINE

cdef enum:
    OWN_SET = 1                 # bits of `inside`: the category is usual in the class ...
    OTHER_SET = 2               # ... by the stricter measure for classes that were not assigned


cdef struct Frame:
    # One node on the way from the root.
    int node
    int stage
    int visited                 # child that took the instance whole
    bint trusted                # no value was missing above
    double x                    # NaN where it is missing
    double left                 # share that goes left; at OTHER: weight of the left branch


cdef struct Said:
    # What a branch says.
    const double* value         # K numbers; of a leaf, or in the buffer of a node below
    int assigned


cdef class Correction:
    """Predicts tables by one tree and its intervals.

    Parameters
    ----------
    tree : Tree
    gates : Gates
        Of its variables.
    leaf_value : (n_nodes, K) float64
        Class probabilities; those of leaves are read.
    own, other : (n_nodes, K, 2) float64
        Lower and upper end of the interval of each class, for the class that was assigned and
        for the others; NaN where there is none.
    place : (n_nodes,) int32
        Of a test on categories, its place in `inside`; -1: it never doubts.
    inside : (n_places, K, n_categories) uint8
        Which categories are usual in a class: bits OWN_SET and OTHER_SET.
    known : (n_places, K) uint8
        Whether the class has instances enough.
    pull : (n_nodes, K) float64
        sqrt(n_c) n_c / T of each node: what a class adds to the weight of that branch.
    present : (n_nodes, K) uint8
        Classes that have instances at the node.
    fine : float
        Share of the largest probability.
    routes, fines : bool
    """

    cdef Arena memory
    cdef Gates gates
    cdef const int[::1] feature, children_left, children_right, place
    cdef const double[::1] threshold, center
    cdef const unsigned char[:, ::1] categories_left, known, present
    cdef const unsigned char[:, :, ::1] inside
    cdef const double[:, :, ::1] own, other
    cdef const double[:, ::1] leaf_value, pull
    cdef int[::1] leaf_assigned
    cdef const Gate** gate
    cdef Test* tests
    cdef Frame* frames
    cdef double* kept               # K numbers for each depth: what the first branch said ...
    cdef double* made               # ... and what the node made of both
    cdef const double* rows
    cdef Py_ssize_t row_step, stride, n_nodes, n_classes, n_categories
    cdef double fine
    cdef bint routes, fines
    cdef list answers, tables
    # Of one instance, where it is asked for; else NULL.
    cdef int* told                  # node, what it did, assigned class, of each node left
    cdef double* told_numbers       # value, share or weight left, K before, K after
    cdef Py_ssize_t n_told

    def __cinit__(self, tree, Gates gates, leaf_value, own, other, place, inside, known, pull,
                  present, double fine, bint routes, bint fines):
        cdef const double[::1] share = tree.share_left, lower, upper, table
        cdef Py_ssize_t node, depth = tree.depth + 2
        self.gates = gates
        self.feature = tree.feature
        self.threshold = tree.threshold
        self.center = tree.center
        self.children_left = tree.children_left
        self.children_right = tree.children_right
        self.categories_left = tree._categories_left
        self.n_nodes = self.feature.shape[0]
        self.n_classes = leaf_value.shape[1]
        self.n_categories = inside.shape[2]
        self.leaf_value = leaf_value
        self.leaf_assigned = np.argmax(leaf_value, axis=1).astype(np.int32)
        self.own = own
        self.other = other
        self.place = place
        self.inside = inside
        self.known = known
        self.pull = pull
        self.present = present
        self.fine = fine
        self.routes = routes
        self.fines = fines
        self.tables = []
        self.memory = Arena("for the prediction of a tree with intervals")
        self.frames = <Frame*> self.memory.take(depth, sizeof(Frame))
        self.kept = <double*> self.memory.take(depth * self.n_classes, sizeof(double))
        self.made = <double*> self.memory.take(depth * self.n_classes, sizeof(double))
        self.tests = <Test*> self.memory.zeros(self.n_nodes, sizeof(Test))
        self.gate = <const Gate**> self.memory.zeros(self.n_nodes, sizeof(Gate*))
        if gates.conditioned:
            lower, upper = node_intervals(self.feature, self.threshold, self.children_left,
                                          tree.parent)
        elif gates.bounds is not None:
            lower, upper = gates.bounds
        for node in range(self.n_nodes):
            if self.feature[node] < 0:
                continue
            self.tests[node].threshold = self.threshold[node]
            self.tests[node].center = self.center[node]
            self.tests[node].share_left = share[node]
            if not isnan(self.threshold[node]):
                self.gate[node] = &gates.numbers[self.feature[node]]
                if gates.conditioned or gates.bounds is not None:
                    self.tests[node].lower = lower[node]
                    self.tests[node].upper = upper[node]
                continue
            self.gate[node] = &gates.categories[self.feature[node]]
            self.tests[node].n_categories = self.categories_left.shape[1]
            self.tests[node].categories_left = &self.categories_left[node, 0]
            if self.gate[node].kind == CATEGORY:
                table = gates.gate.share(self.feature[node], tree.categories_left[node])
                self.tests[node].category_share = &table[0]
                self.tables.append(table)

    cdef int lay(self, const double[:, :] X) except -1:
        """Take up a table, and ask for its shares at gates that only Python can work out."""
        cdef Py_ssize_t node
        cdef const double[::1] shares
        self.rows = &X[0, 0] if X.shape[0] and X.shape[1] else NULL
        self.row_step = X.strides[0] // <Py_ssize_t> sizeof(double)
        self.stride = X.strides[1] // <Py_ssize_t> sizeof(double)
        if not self.gates.asking or X.shape[0] == 0:
            return 0
        self.answers = []
        table = np.asarray(X)
        for node in range(self.n_nodes):
            if self.feature[node] < 0 or self.gate[node].kind != ASKED:
                continue
            shares = np.ascontiguousarray(
                self.gates.models[self.feature[node]](self.center[node],
                                                      table[:, self.feature[node]]),
                dtype=np.float64)
            self.answers.append(shares)
            self.tests[node].asked = &shares[0]
        return 0

    cdef int descend(self, int node, Py_ssize_t depth, bint trusted,
                     Py_ssize_t instance) noexcept nogil:
        """Lay frames from `depth` on, down to a leaf; return their number."""
        cdef const double* row = NULL       # without columns there is a root alone
        cdef Frame* frame
        cdef const Gate* gate
        if self.rows != NULL:
            row = self.rows + instance * self.row_step
        while self.feature[node] >= 0:
            frame = &self.frames[depth]
            depth += 1
            gate = self.gate[node]
            frame.node = node
            frame.trusted = trusted
            frame.x = row[self.feature[node] * self.stride]
            frame.stage = WHOLE
            if gate.kind == STEP and not isnan(frame.x):
                frame.left = 1.0 if frame.x < self.tests[node].threshold else 0.0
            else:
                frame.left = share_left(gate, &self.tests[node], frame.x, instance)
                trusted = trusted and not isnan(frame.x)
                if 0.0 < frame.left < 1.0:
                    frame.stage = LEFT
            node = self.children_left[node] if frame.left > 0.0 else self.children_right[node]
            frame.visited = node
        self.frames[depth].node = node
        return depth

    cdef inline int largest(self, const double* value) noexcept nogil:
        """The assigned class: the most probable one, the first of several."""
        cdef int c, best = 0
        for c in range(1, <int> self.n_classes):
            if value[c] > value[best]:
                best = c
        return best

    cdef inline bint is_within(self, const Frame* frame, int c, bint assigned) noexcept nogil:
        """Whether the instance's value is usual in a class; not where the class has no interval."""
        cdef int node = frame.node
        cdef Py_ssize_t place, category
        if not isnan(self.threshold[node]):
            if assigned:
                return self.own[node, c, 0] <= frame.x <= self.own[node, c, 1]
            return self.other[node, c, 0] <= frame.x <= self.other[node, c, 1]
        place = self.place[node]
        if place < 0 or not 0.0 <= frame.x < self.n_categories:
            return False
        category = <Py_ssize_t> frame.x
        return (self.inside[place, c, category] & (OWN_SET if assigned else OTHER_SET)) != 0

    cdef inline bint has_interval(self, int node, int c) noexcept nogil:
        if not isnan(self.threshold[node]):
            return not isnan(self.own[node, c, 0])
        return self.place[node] >= 0 and self.known[self.place[node], c] != 0

    cdef bint weigh(self, const Frame* frame, int assigned, double* left) noexcept nogil:
        """Weight of the left branch by the classes in whose interval the value lies.

        False where it lies in none but that of the assigned class, which does not count.  -1
        where no branch has any weight.
        """
        cdef int c, node = frame.node
        cdef double one = 0.0, two = 0.0
        cdef bint found = False
        for c in range(<int> self.n_classes):
            if c != assigned and self.is_within(frame, c, False):
                found = True
                one += self.pull[self.children_left[node], c]
                two += self.pull[self.children_right[node], c]
        left[0] = one / (one + two) if one + two > 0.0 else -1.0
        return found

    cdef bint impose(self, int node, int assigned, const double* value,
                     double* out) noexcept nogil:
        """Take the fine from the assigned class and divide it among the node's other classes.

        False, and nothing done, where there is no other.
        """
        cdef Py_ssize_t c, n = 0
        cdef double taken = self.fine * value[assigned], part
        for c in range(self.n_classes):
            n += c != assigned and self.present[node, c] != 0
        if n == 0:
            return False
        part = taken / n
        for c in range(self.n_classes):
            if c == assigned:
                out[c] = value[c] - taken
            else:
                out[c] = value[c] + part if self.present[node, c] else value[c]
        return True

    cdef inline void combine(self, double weight, const double* left, const double* right,
                             double* out) noexcept nogil:
        cdef Py_ssize_t c
        for c in range(self.n_classes):
            out[c] = weight * left[c] + (1.0 - weight) * right[c]

    cdef void tell(self, int node, int did, int assigned, double x, double left,
                   const double* before, const double* after) noexcept nogil:
        """Keep what a node did, where it is asked for."""
        cdef double* numbers = self.told_numbers + self.n_told * (2 + 2 * self.n_classes)
        cdef Py_ssize_t c
        self.told[3 * self.n_told] = node
        self.told[3 * self.n_told + 1] = did
        self.told[3 * self.n_told + 2] = assigned
        numbers[0] = x
        numbers[1] = left
        for c in range(self.n_classes):
            numbers[2 + c] = before[c]
            numbers[2 + self.n_classes + c] = after[c]
        self.n_told += 1

    cdef void predict_one(self, Py_ssize_t instance, double* out) noexcept nogil:
        """Algorithm 2, with a list of frames in the place of calls."""
        cdef Py_ssize_t depth, c, K = self.n_classes
        cdef Said said
        cdef Frame* frame
        cdef double* kept
        cdef double* made
        cdef const double* one
        cdef const double* two
        cdef double left
        cdef int node, did, assigned, next_node
        depth = self.descend(0, 0, True, instance)
        while True:
            node = self.frames[depth].node
            said.value = &self.leaf_value[node, 0]
            said.assigned = self.leaf_assigned[node]
            if self.told != NULL:
                self.tell(node, LEAF, said.assigned, 0.0, 0.0, said.value, said.value)
            next_node = -1
            while depth > 0:
                depth -= 1
                frame = &self.frames[depth]
                kept = self.kept + depth * K
                made = self.made + depth * K
                if frame.stage == OTHER:
                    # What was kept is the branch that the instance took at first.
                    one = kept if frame.visited == self.children_left[frame.node] else said.value
                    two = said.value if frame.visited == self.children_left[frame.node] else kept
                    self.combine(frame.left, one, two, made)
                    if self.told != NULL:
                        self.tell(frame.node, ROUTES, self.largest(kept), frame.x, frame.left,
                                  kept, made)
                    said.value = made
                    said.assigned = self.largest(made)
                    continue
                if frame.stage == LEFT:
                    for c in range(K):
                        kept[c] = said.value[c]
                    frame.stage = RIGHT
                    next_node = self.children_right[frame.node]
                    break
                one = two = said.value
                if frame.stage == RIGHT:
                    one = kept
                    self.combine(frame.left, one, two, made)
                    said.value = made
                    said.assigned = self.largest(made)
                # Here `said` is what the tree itself makes of its branches as corrected.
                did = WITHIN
                left = frame.left
                assigned = said.assigned
                if not frame.trusted or isnan(frame.x):
                    did = BELOW_MISSING
                elif not self.has_interval(frame.node, assigned):
                    did = NO_INTERVAL
                elif not self.is_within(frame, assigned, True):
                    did = LET_BE
                    if self.weigh(frame, assigned, &left):
                        if self.routes and left >= 0.0:
                            did = ROUTES
                    elif self.fines:
                        did = FINE
                if did == ROUTES and frame.stage == WHOLE:
                    # With no weight on the other branch there is nothing to read in it.
                    if left != (1.0 if frame.visited == self.children_left[frame.node] else 0.0):
                        for c in range(K):
                            kept[c] = said.value[c]
                        frame.stage = OTHER
                        frame.left = left
                        if frame.visited == self.children_left[frame.node]:
                            next_node = self.children_right[frame.node]
                        else:
                            next_node = self.children_left[frame.node]
                        break
                    if self.told != NULL:
                        self.tell(frame.node, ROUTES, assigned, frame.x, left, said.value,
                                  said.value)
                    continue
                if did == ROUTES:
                    if self.told != NULL:       # `after` is filled in below: `made` is both
                        self.tell(frame.node, ROUTES, assigned, frame.x, left, made, made)
                    self.combine(left, one, two, made)
                    if self.told != NULL:
                        self.amend(made)
                    said.assigned = self.largest(made)
                    continue
                if did == FINE:
                    if self.told != NULL:
                        self.tell(frame.node, FINE, assigned, frame.x, left, said.value,
                                  said.value)
                    if self.impose(frame.node, assigned, said.value, made):
                        said.value = made
                        said.assigned = self.largest(made)
                        if self.told != NULL:
                            self.amend(made)
                    elif self.told != NULL:
                        self.told[3 * self.n_told - 2] = LET_BE
                    continue
                if self.told != NULL:
                    self.tell(frame.node, did, assigned, frame.x, frame.left, said.value,
                              said.value)
            if next_node < 0:
                break
            depth = self.descend(next_node, depth + 1, frame.trusted and not isnan(frame.x),
                                 instance)
        for c in range(K):
            out[c] = said.value[c]

    cdef inline void amend(self, const double* after) noexcept nogil:
        """Write what the node last told made of the probabilities."""
        cdef double* numbers = self.told_numbers + (self.n_told - 1) * (2 + 2 * self.n_classes)
        cdef Py_ssize_t c
        for c in range(self.n_classes):
            numbers[2 + self.n_classes + c] = after[c]

    def predict(self, const double[:, :] X):
        """Corrected class probabilities of a table, (n, K)."""
        cdef Py_ssize_t i, n = X.shape[0]
        out = np.zeros((n, self.n_classes))
        cdef double[:, ::1] result = out
        self.lay(X)
        self.told = NULL
        with nogil:
            for i in range(n):
                self.predict_one(i, &result[i, 0])
        return out

    def trace(self, const double[:, :] X):
        """What each node did to the first instance of a table, in the order in which it was left.

        Returns
        -------
        nodes, did, assigned : int32
        values, left : float64
            Of the instance at the test; share or weight of the left branch.
        before, after : (n, K) float64
        """
        cdef Py_ssize_t K = self.n_classes
        said = np.zeros((self.n_nodes, 3), dtype=np.int32)
        numbers = np.zeros((self.n_nodes, 2 + 2 * K))
        cdef int[:, ::1] told = said
        cdef double[:, ::1] told_numbers = numbers
        out = np.zeros(K)
        cdef double[::1] result = out
        self.lay(X)
        self.told = &told[0, 0]
        self.told_numbers = &told_numbers[0, 0]
        self.n_told = 0
        self.predict_one(0, &result[0])
        self.told = NULL
        said, numbers = said[:self.n_told], numbers[:self.n_told]
        return (*said.T.copy(), *numbers[:, :2].T.copy(), numbers[:, 2:2 + K],
                numbers[:, 2 + K:])
