# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Prediction from the leaves up: each node asks whether the class that came up fits the instance.

The way down is that of the traversal, with the same gates. On the way up a node may doubt the class
that its branch assigned, and then reads its other branch too or takes from that class a fine.
"""

import numpy as np

from libc.math cimport NAN, isnan
from libc.string cimport memcpy

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

cdef double MORE_THAN_HALF = 0.5 + 1e-6     # of probabilities that add up to 1 but for rounding

cdef enum:
    OWN_SET = 1                 # bits of `inside`: the category is usual in the class ...
    OTHER_SET = 2               # ... by the stricter measure for classes that were not assigned


cdef struct Way:
    # Where a node sends an instance, side by side; a leaf has no variable (-1).
    double threshold            # of a step; NaN where the gate is asked
    int feature
    int next[2]                 # node below the threshold, node from it on
    int place                   # among the tests, or among the leaves


cdef struct Classes:
    # What a test has of classes, as places in `bounds` and in `classes`: the first, and one beyond.
    int first_bound, last_bound
    int first_class, last_class


cdef struct Frame:
    # One node on the way from the root.
    int node
    int place                   # among the tests
    int stage
    bint went_left              # into which branch first
    bint trusted                # no value was missing above
    double x                    # NaN where it is missing
    double left                 # share that goes left; at OTHER: weight of the left branch
    const double* first         # at RIGHT and OTHER: what the branch said that was read first ...
    int assigned                # ... and assigned


cdef struct Bound:
    # What is usual in one class at one node.
    double own_low, own_high    # ... when it is assigned; unit of the variable
    double low, high            # ... and by the stricter measure for other classes
    double pull_left, pull_right            # what it adds to the weights of the branches
    const unsigned char* usual  # of a test on categories: bits by category; NULL: by the ends
    int class_


cdef struct Said:
    # What a branch says.
    const double* value         # K numbers; of a leaf, or in the buffer of a node below
    int assigned
    bint is_leaf                # the numbers are the tree's: not to be changed, and they stay


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
    cdef const int[::1] feature, children_left, children_right
    cdef const double[::1] threshold, center
    cdef const unsigned char[:, ::1] categories_left
    cdef const unsigned char[:, :, ::1] inside
    cdef const double[:, ::1] leaf_value
    cdef int[::1] leaf_assigned
    cdef const Gate** gate
    cdef Test* tests
    cdef Way* ways
    cdef Bound* bounds              # of each test its classes with an interval, by class
    cdef int* classes               # of each test those that have instances there
    cdef Classes* parts             # of each test
    cdef int* slots                 # (tests, K): twice the place in `bounds`, -2 where there is
                                    # none, and 1 more if the class has instances there
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
        cdef int side, count[2]         # of leaves, of tests
        count[0] = count[1] = 0
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
        self.leaf_value = np.ascontiguousarray(leaf_value[tree.is_leaf()])
        self.leaf_assigned = np.argmax(self.leaf_value, axis=1).astype(np.int32)
        self.inside = inside
        self.fine = fine
        self.routes = routes
        self.fines = fines
        self.tables = []
        self.memory = Arena("for the prediction of a tree with intervals")
        self.frames = <Frame*> self.memory.take(depth, sizeof(Frame))
        self.kept = <double*> self.memory.take(depth * self.n_classes, sizeof(double))
        self.made = <double*> self.memory.take(depth * self.n_classes, sizeof(double))
        self.ways = <Way*> self.memory.zeros(self.n_nodes, sizeof(Way))
        self.tests = <Test*> self.memory.zeros(self.n_nodes, sizeof(Test))
        self.gate = <const Gate**> self.memory.zeros(self.n_nodes, sizeof(Gate*))
        if gates.conditioned:
            lower, upper = node_intervals(self.feature, self.threshold, self.children_left,
                                          tree.parent)
        elif gates.bounds is not None:
            lower, upper = gates.bounds
        for node in range(self.n_nodes):
            side = self.feature[node] >= 0
            self.ways[node].place = count[side]
            count[side] += 1
            self.ways[node].feature = self.feature[node]
            self.ways[node].next[0] = self.children_left[node]
            self.ways[node].next[1] = self.children_right[node]
            self.ways[node].threshold = NAN
            if self.feature[node] < 0:
                continue
            self.tests[node].threshold = self.threshold[node]
            self.tests[node].center = self.center[node]
            self.tests[node].share_left = share[node]
            if not isnan(self.threshold[node]):
                self.gate[node] = &gates.numbers[self.feature[node]]
                if self.gate[node].kind == STEP:
                    self.ways[node].threshold = self.threshold[node]
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
        self.lay_bounds(own, other, place, known, pull, present)

    cdef int lay_bounds(self, const double[:, :, ::1] own, const double[:, :, ::1] other,
                        const int[::1] place, const unsigned char[:, ::1] known,
                        const double[:, ::1] pull, const unsigned char[:, ::1] present) except -1:
        """Side by side what a node reads of its classes; most classes have no interval at most."""
        cdef Py_ssize_t node, c, K = self.n_classes, n_bounds = 0, n_present = 0, n_tests = 0
        cdef Bound* bound
        cdef Classes* part
        cdef int* slot
        cdef bint numeric
        for node in range(self.n_nodes):
            n_tests += self.feature[node] >= 0
            for c in range(K):
                if self.feature[node] >= 0:
                    n_present += present[node, c] != 0
                    n_bounds += (not isnan(own[node, c, 0])
                                 or (place[node] >= 0 and known[place[node], c] != 0))
        self.bounds = <Bound*> self.memory.take(n_bounds + 1, sizeof(Bound))
        self.classes = <int*> self.memory.take(n_present + 1, sizeof(int))
        self.parts = <Classes*> self.memory.take(n_tests + 1, sizeof(Classes))
        self.slots = <int*> self.memory.take(n_tests * K + 1, sizeof(int))
        n_bounds = n_present = 0
        for node in range(self.n_nodes):
            if self.feature[node] < 0:
                continue
            part = &self.parts[self.ways[node].place]
            part.first_bound, part.first_class = <int> n_bounds, <int> n_present
            for c in range(K):
                slot = &self.slots[self.ways[node].place * K + c]
                slot[0] = -2
                numeric = not isnan(own[node, c, 0])
                if numeric or (place[node] >= 0 and known[place[node], c]):
                    slot[0] = 2 * <int> n_bounds
                    bound = &self.bounds[n_bounds]
                    n_bounds += 1
                    bound.class_ = <int> c
                    bound.own_low, bound.own_high = own[node, c, 0], own[node, c, 1]
                    bound.low, bound.high = other[node, c, 0], other[node, c, 1]
                    bound.pull_left = pull[self.children_left[node], c]
                    bound.pull_right = pull[self.children_right[node], c]
                    bound.usual = NULL if numeric else &self.inside[place[node], c, 0]
                if present[node, c]:
                    slot[0] += 1
                    self.classes[n_present] = <int> c
                    n_present += 1
            part.last_bound, part.last_class = <int> n_bounds, <int> n_present
        return 0

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
        cdef Frame* frame = self.frames + depth
        cdef const Way* way = self.ways + node
        if self.rows != NULL:
            row = self.rows + instance * self.row_step
        while way.feature >= 0:
            frame.node = node
            frame.place = way.place
            frame.trusted = trusted
            frame.x = row[way.feature * self.stride]
            frame.stage = WHOLE
            frame.went_left = frame.x < way.threshold
            frame.left = frame.went_left
            if not frame.went_left | (frame.x >= way.threshold):    # missing, or no step
                frame.left = share_left(self.gate[node], &self.tests[node], frame.x, instance)
                frame.went_left = frame.left > 0.0
                trusted = trusted and not isnan(frame.x)
                if 0.0 < frame.left < 1.0:
                    frame.stage = LEFT
            node = way.next[1 - frame.went_left]
            way = self.ways + node
            frame += 1
        frame.node = node
        return frame - self.frames

    cdef inline int largest(self, const double* value) noexcept nogil:
        """The assigned class: the most probable one, the first of several.

        The largest number first, four at a time: none waits for the one before.
        """
        cdef Py_ssize_t c = 0, K = self.n_classes
        cdef double a = value[0], b = a, d = a, e = a
        while c + 4 <= K:
            a = value[c] if value[c] > a else a
            b = value[c + 1] if value[c + 1] > b else b
            d = value[c + 2] if value[c + 2] > d else d
            e = value[c + 3] if value[c + 3] > e else e
            c += 4
        while c < K:
            a = value[c] if value[c] > a else a
            c += 1
        a = b if b > a else a
        d = e if e > d else d
        a = d if d > a else a
        c = 0
        while value[c] != a:
            c += 1
        return <int> c

    cdef inline int largest_of(self, const double* value, int one, int two) noexcept nogil:
        """The same, where it is probably one of two: what exceeds a half is the largest."""
        if value[one] > MORE_THAN_HALF:
            return one
        if value[two] > MORE_THAN_HALF:
            return two
        return self.largest(value)

    cdef inline bint is_usual(self, const Bound* bound, double x, int as_) noexcept nogil:
        """Whether a value is usual in a class, measured by a bit of `inside`."""
        if bound.usual == NULL:
            if as_ == OWN_SET:
                return bound.own_low <= x <= bound.own_high
            return bound.low <= x <= bound.high
        return 0.0 <= x < self.n_categories and (bound.usual[<Py_ssize_t> x] & as_) != 0

    cdef bint weigh(self, const Frame* frame, int assigned, double* left) noexcept nogil:
        """Weight of the left branch by the classes in whose interval the value lies.

        False where it lies in none but that of the assigned class, which does not count.  -1
        where no branch has any weight.
        """
        cdef const Bound* bound = self.bounds + self.parts[frame.place].first_bound
        cdef const Bound* last = self.bounds + self.parts[frame.place].last_bound
        cdef double x = frame.x, one = 0.0, two = 0.0
        cdef bint found = False, here
        if bound.usual == NULL:
            # No branch, as none could be foreseen.
            while bound != last:
                here = (bound.low <= x) & (x <= bound.high) & (bound.class_ != assigned)
                one += bound.pull_left if here else 0.0
                two += bound.pull_right if here else 0.0
                found |= here
                bound += 1
        else:
            while bound != last:
                if self.is_usual(bound, x, OTHER_SET) and bound.class_ != assigned:
                    found = True
                    one += bound.pull_left
                    two += bound.pull_right
                bound += 1
        left[0] = one / (one + two) if one + two > 0.0 else -1.0
        return found

    cdef bint impose(self, int place, Said* said, double* room) noexcept nogil:
        """Take the fine from the assigned class and divide it among the node's other classes.

        False, and nothing done, where there is no other.
        """
        cdef const int* class_ = self.classes + self.parts[place].first_class
        cdef const int* last = self.classes + self.parts[place].last_class
        cdef double before = said.value[said.assigned], part
        cdef Py_ssize_t n = last - class_
        n -= self.slots[place * self.n_classes + said.assigned] & 1
        if n == 0:
            return False
        part = self.fine * before / n
        if said.is_leaf:
            memcpy(room, said.value, self.n_classes * sizeof(double))
        else:
            room = <double*> said.value     # of a node below, which needs it no more
        while class_ != last:
            room[class_[0]] += part
            class_ += 1
        room[said.assigned] = before - self.fine * before
        said.value = room
        said.is_leaf = False
        said.assigned = self.largest_of(room, said.assigned, said.assigned)
        return True

    cdef inline void combine(self, double weight, const double* left, const double* right,
                             double* out) noexcept nogil:
        cdef Py_ssize_t c, K = self.n_classes
        cdef double rest = 1.0 - weight
        for c in range(K):
            out[c] = weight * left[c] + rest * right[c]

    cdef void tell(self, int node, int did, int assigned, double x, double left,
                   const double* before) noexcept nogil:
        """Note what a node did, where it is asked for; `amend` says what it made of it."""
        cdef double* numbers = self.told_numbers + self.n_told * (2 + 2 * self.n_classes)
        cdef Py_ssize_t c
        self.told[3 * self.n_told] = node
        self.told[3 * self.n_told + 1] = did
        self.told[3 * self.n_told + 2] = assigned
        numbers[0] = x
        numbers[1] = left
        for c in range(self.n_classes):
            numbers[2 + c] = before[c]
            numbers[2 + self.n_classes + c] = before[c]
        self.n_told += 1

    cdef inline int judge(self, const Frame* frame, int assigned, double* left) noexcept nogil:
        """What a node does to the class that came up, and with routes the weight of its left."""
        cdef int slot
        if not frame.trusted or isnan(frame.x):
            return BELOW_MISSING
        slot = self.slots[frame.place * self.n_classes + assigned]
        if slot < 0:
            return NO_INTERVAL
        if self.is_usual(&self.bounds[slot >> 1], frame.x, OWN_SET):
            return WITHIN
        if not (self.routes or self.fines):
            return LET_BE
        if self.weigh(frame, assigned, left):
            return ROUTES if self.routes and left[0] >= 0.0 else LET_BE
        return FINE if self.fines else LET_BE

    cdef void predict_one(self, Py_ssize_t instance, double* out) noexcept nogil:
        """Algorithm 2, with a list of frames in the place of calls."""
        cdef Py_ssize_t depth, K = self.n_classes
        cdef Said said
        cdef Frame* frame
        cdef double* made
        cdef const double* two
        cdef double left
        cdef int node, did, next_node
        depth = self.descend(0, 0, True, instance)
        while True:
            node = self.frames[depth].node
            said.value = &self.leaf_value[self.ways[node].place, 0]
            said.assigned = self.leaf_assigned[self.ways[node].place]
            said.is_leaf = True
            if self.told != NULL:
                self.tell(node, LEAF, said.assigned, 0.0, 0.0, said.value)
            next_node = -1
            while depth > 0:
                depth -= 1
                frame = &self.frames[depth]
                made = self.made + depth * K
                if frame.stage == OTHER:
                    if self.told != NULL:
                        self.tell(frame.node, ROUTES, self.largest(frame.first), frame.x,
                                  frame.left, frame.first)
                    if frame.went_left:
                        self.combine(frame.left, frame.first, said.value, made)
                    else:
                        self.combine(frame.left, said.value, frame.first, made)
                    self.take(&said, made, frame.assigned)
                    continue
                if frame.stage == LEFT:
                    self.keep(frame, &said, self.kept + depth * K)
                    frame.stage = RIGHT
                    next_node = self.children_right[frame.node]
                    break
                two = said.value
                left = frame.left
                if frame.stage == RIGHT:
                    self.combine(left, frame.first, two, made)
                    said.value = made
                    said.is_leaf = False
                    said.assigned = self.largest_of(made, said.assigned, frame.assigned)
                did = self.judge(frame, said.assigned, &left)
                if (did == ROUTES and frame.stage == WHOLE
                        and left != (1.0 if frame.went_left else 0.0)):
                    # The other branch has a weight: it is read now.
                    self.keep(frame, &said, self.kept + depth * K)
                    frame.stage = OTHER
                    frame.left = left
                    next_node = (self.children_right[frame.node] if frame.went_left
                                 else self.children_left[frame.node])
                    break
                if self.told != NULL:
                    self.tell(frame.node, did, said.assigned, frame.x,
                              left if did == ROUTES else frame.left, said.value)
                if did == ROUTES and frame.stage == RIGHT:
                    self.combine(left, frame.first, two, made)
                    self.take(&said, made, frame.assigned)
                elif did == FINE:
                    if self.impose(frame.place, &said, made):
                        if self.told != NULL:
                            self.amend(said.value)
                    elif self.told != NULL:
                        self.told[3 * self.n_told - 2] = LET_BE
            if next_node < 0:
                break
            depth = self.descend(next_node, depth + 1, frame.trusted and not isnan(frame.x),
                                 instance)
        memcpy(out, said.value, K * sizeof(double))

    cdef inline void keep(self, Frame* frame, const Said* said, double* room) noexcept nogil:
        """Hold what the first branch said while the second one is read."""
        frame.first = said.value
        frame.assigned = said.assigned
        if not said.is_leaf:
            memcpy(room, said.value, self.n_classes * sizeof(double))
            frame.first = room

    cdef inline void take(self, Said* said, double* made, int other) noexcept nogil:
        """Go on with what a node made of both branches; `other`: what the first one assigned."""
        said.value = made
        said.is_leaf = False
        said.assigned = self.largest_of(made, said.assigned, other)
        if self.told != NULL:
            self.amend(made)

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
