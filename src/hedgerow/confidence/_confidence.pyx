# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Prediction from the leaves up: each node asks whether the class that came up fits the instance.

The way down is that of the traversal, with the same gates. On the way up a node may doubt the class
that its branch assigned, and then reads its other branch too or takes from that class a fine.

Many instances go by a node together: what it reads of its classes is then at hand, and no instance
waits for the one before.  A branch is read at most twice by those that are at its node.
"""

cimport cython

import numpy as np

from libc.math cimport INFINITY, NAN, isnan, nextafter
from libc.string cimport memcpy, memmove

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
    # What is still to come of a node.
    SPLIT                       # instances are to be divided, the left branch is to be read
    LEFT_READ                   # ... by those that go left, in whole or in part
    RIGHT_READ                  # ... by those that go right, and those left whom the node doubted
    BOTH_READ                   # the left one also by those that went right and were doubted

cdef enum:
    # What a node did, in the order of `hedgerow.confidence.explain.DONE`.
    LEAF
    BELOW_MISSING               # a value was missing at a test above, or is at this one
    NO_INTERVAL                 # of the assigned class, at this node
    WITHIN                      # the value is inside it
    LET_BE                      # outside, and what follows is turned off or has nothing to act on
    ROUTES
    FINE

# Of instances that go by the nodes together: fewer where each may take much memory.
cdef Py_ssize_t MOST_TOGETHER = 4096
cdef Py_ssize_t MOST_BYTES = 1 << 26

cdef enum:
    END_ROW = 8                 # ends of intervals that are compared at once

cdef double ROUNDING = 1.0 + 1e-12          # no sum of two products is further off

cdef enum:
    OWN_SET = 1                 # bits of `inside`: the category is usual in the class ...
    OTHER_SET = 2               # ... by the stricter measure for classes that were not assigned


cdef inline Py_ssize_t piece_of(const double* ends, Py_ssize_t n_rows, double x) noexcept nogil:
    """Number of ends that a value has reached; without a branch, and no end waits for another."""
    cdef Py_ssize_t i, reached = 0
    for i in range(1, n_rows):
        reached += END_ROW * (ends[END_ROW * i - 1] <= x)
    ends += reached
    for i in range(END_ROW):
        reached += ends[i] <= x
    return reached


@cython.final
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
    cdef const double[:, ::1] leaf_value        # of the leaves alone
    cdef Said* leaves
    cdef const Gate** gate
    cdef Test* tests
    cdef Way* ways
    cdef Bound* bounds              # of each test its classes with an interval, by class; the first
                                    # is that of all others, in which everything is usual
    cdef int* classes               # of each test those that have instances there
    cdef Classes* parts             # of each test
    cdef int* slots                 # (tests, K): twice the place in `bounds`, 0 where there is
                                    # none, and 1 more if the class has instances there
    cdef double* ends               # of each test on numbers where its intervals begin, and the
                                    # first numbers beyond them; NaN where a row of them is filled
    cdef Piece* pieces              # what is foreseen below the first of them, and from each on
    cdef Frame* frames
    cdef Said* said                 # of each instance, by the branch last read
    cdef int* sent                  # keys of those who enter a branch
    cdef int* doubted               # places of those at a node whom it doubts ...
    cdef int* fined                 # ... and of those of them who pay, among those together
    cdef Py_ssize_t n_sent
    cdef double* rooms              # K numbers each ...
    cdef double** free              # ... those that were given back; and all from `n_used` on
    cdef Py_ssize_t n_free, n_used
    cdef double* columns            # values of those together, by the variables that are tested
    cdef const int[::1] tested
    cdef const double* rows
    cdef Py_ssize_t row_step, stride, first_row, together
    cdef Py_ssize_t n_nodes, n_classes, n_categories, depth
    cdef double fine
    cdef bint routes, fines
    cdef list answers, tables
    # Of one instance, where it is asked for; else NULL.
    cdef int* record                # node, what it did, assigned class, of each node left
    cdef double* record_numbers     # value, share or weight left, K before, K after
    cdef Py_ssize_t n_recorded

    def __cinit__(self, tree, Gates gates, leaf_value, own, other, place, inside, known, pull,
                  present, double fine, bint routes, bint fines):
        cdef const double[::1] share = tree.share_left, lower, upper, table
        cdef const int[::1] column
        cdef Py_ssize_t node
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
        self.tested, column = (part.astype(np.int32) for part in np.unique(
            tree.feature[tree.feature >= 0], return_inverse=True))
        self.n_classes = leaf_value.shape[1]
        self.n_categories = inside.shape[2]
        self.leaf_value = np.ascontiguousarray(leaf_value[tree.is_leaf()])
        self.inside = inside
        self.fine = fine
        self.routes = routes
        self.fines = fines
        self.tables = []
        self.memory = Arena("for the prediction of a tree with intervals")
        self.depth = tree.depth + 1
        self.frames = <Frame*> self.memory.take(self.depth, sizeof(Frame))
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
            self.ways[node].column = column[self.ways[node].place] if side else -1
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
        self.lay_leaves()
        self.lay_bounds(own, other, place, known, pull, present)

    cdef int lay_leaves(self) except -1:
        """What each leaf says."""
        cdef Py_ssize_t i, c, K = self.n_classes
        cdef Said* said
        self.leaves = <Said*> self.memory.take(self.leaf_value.shape[0], sizeof(Said))
        for i in range(self.leaf_value.shape[0]):
            said = &self.leaves[i]
            said.value = &self.leaf_value[i, 0]
            said.assigned = 0
            said.others = 0.0
            said.is_own = False
            for c in range(1, K):
                if said.value[c] > said.value[said.assigned]:
                    said.assigned = <int> c
            for c in range(K):
                if c != said.assigned and said.value[c] > said.others:
                    said.others = said.value[c]
        return 0

    cdef int lay_bounds(self, const double[:, :, ::1] own, const double[:, :, ::1] other,
                        const int[::1] place, const unsigned char[:, ::1] known,
                        const double[:, ::1] pull, const unsigned char[:, ::1] present) except -1:
        """Side by side what a node reads of its classes; most classes have no interval at most."""
        cdef Py_ssize_t node, c, K = self.n_classes, n_bounds = 1, n_present = 0, n_tests = 0
        cdef Py_ssize_t n_ends = 0, n_pieces = 0
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
        self.bounds = <Bound*> self.memory.zeros(n_bounds, sizeof(Bound))
        self.bounds[0].own_low, self.bounds[0].own_high = -INFINITY, INFINITY
        self.classes = <int*> self.memory.take(n_present + 1, sizeof(int))
        self.parts = <Classes*> self.memory.take(n_tests + 1, sizeof(Classes))
        self.slots = <int*> self.memory.take(n_tests * K + 1, sizeof(int))
        self.ends = <double*> self.memory.take(2 * n_bounds + END_ROW * n_tests, sizeof(double))
        self.pieces = <Piece*> self.memory.take(2 * n_bounds + n_tests, sizeof(Piece))
        n_bounds, n_present = 1, 0
        for node in range(self.n_nodes):
            if self.feature[node] < 0:
                continue
            part = &self.parts[self.ways[node].place]
            part.first_bound, part.first_class = <int> n_bounds, <int> n_present
            for c in range(K):
                slot = &self.slots[self.ways[node].place * K + c]
                slot[0] = 0
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
            part.first_end, part.first_piece = <int> n_ends, <int> n_pieces
            n_pieces += self.lay_pieces(part)
            n_ends += END_ROW * part.n_end_rows
        return 0

    cdef Py_ssize_t lay_pieces(self, Classes* part) noexcept nogil:
        """Work out what is foreseen wherever a value may lie; return the number of pieces."""
        cdef double* ends = self.ends + part.first_end
        cdef Piece* piece = self.pieces + part.first_piece
        cdef const Bound* bound
        cdef Py_ssize_t i, j, n = 0, first = part.first_bound, last = part.last_bound
        cdef double end, one, two
        part.n_end_rows = 0
        if first == last or self.bounds[first].usual != NULL:
            return 0
        for i in range(first, last):
            bound = self.bounds + i
            # The assigned class is not among those foreseen if it is within its own interval then.
            if not bound.own_low <= bound.low <= bound.high <= bound.own_high:
                return 0
            for end in (bound.low, nextafter(bound.high, INFINITY)):
                j = n
                while j > 0 and ends[j - 1] > end:
                    j -= 1
                if j > 0 and ends[j - 1] == end:
                    continue
                memmove(ends + j + 1, ends + j, (n - j) * sizeof(double))
                ends[j] = end
                n += 1
        piece.found, piece.left = False, -1.0
        for j in range(n):
            piece += 1
            piece.found = False
            one = two = 0.0
            for i in range(first, last):
                bound = self.bounds + i
                if bound.low <= ends[j] <= bound.high:
                    piece.found = True
                    one += bound.pull_left
                    two += bound.pull_right
            piece.left = one / (one + two) if one + two > 0.0 else -1.0
        part.n_end_rows = <int> ((n + END_ROW - 1) // END_ROW)
        for j in range(n, END_ROW * part.n_end_rows):
            ends[j] = NAN
        return n + 1

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
            shares = self.gates.at_node(self.feature[node], &self.tests[node],
                                        table[:, self.feature[node]])
            self.answers.append(shares)
            self.tests[node].asked = &shares[0]
        return 0

    cdef inline double most(self, const double* value) noexcept nogil:
        """The largest number, four at a time: none waits for the one before."""
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
        return d if d > a else a

    cdef void assign(self, Said* said) noexcept nogil:
        """The most probable class, the first of several, and what the others have at most."""
        cdef double* value = <double*> said.value
        cdef double largest = self.most(value)
        cdef Py_ssize_t c = 0
        while value[c] != largest:
            c += 1
        said.assigned = <int> c
        value[c] = 0.0
        said.others = self.most(value)
        value[c] = largest

    cdef inline bint is_usual(self, const Bound* bound, double x, int as_) noexcept nogil:
        """Whether a value is usual in a class, measured by a bit of `inside`."""
        if bound.usual == NULL:
            if as_ == OWN_SET:
                return bound.own_low <= x <= bound.own_high
            return bound.low <= x <= bound.high
        return 0.0 <= x < self.n_categories and (bound.usual[<Py_ssize_t> x] & as_) != 0

    cdef inline bint weigh(self, int place, double x, int assigned, double* left) noexcept nogil:
        """Weight of the left branch by the classes in whose interval the value lies.

        False where it lies in none but that of the assigned class, which does not count.  -1
        where no branch has any weight.
        """
        cdef const Classes* part = self.parts + place
        cdef const Bound* bound = self.bounds + part.first_bound
        cdef const Bound* last = self.bounds + part.last_bound
        cdef const Piece* piece
        cdef double one = 0.0, two = 0.0
        cdef bint found = False, here
        if part.n_end_rows:
            piece = self.pieces + part.first_piece
            piece += piece_of(self.ends + part.first_end, part.n_end_rows, x)
            left[0] = piece.left
            return piece.found
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

    cdef inline double* room(self) noexcept nogil:
        """K numbers; the ones last given back are still at hand."""
        if self.n_free:
            self.n_free -= 1
            return self.free[self.n_free]
        self.n_used += 1
        return self.rooms + (self.n_used - 1) * self.n_classes

    cdef inline void leave(self, const Said* said) noexcept nogil:
        """Give a room back; leaves have none."""
        if said.is_own:
            self.free[self.n_free] = <double*> said.value
            self.n_free += 1

    cdef inline bint impose(self, int place, Said* said) noexcept nogil:
        """Take the fine from the assigned class and divide it among the node's other classes.

        False, and nothing done, where there is no other.
        """
        cdef const int* class_ = self.classes + self.parts[place].first_class
        cdef const int* last = self.classes + self.parts[place].last_class
        cdef double before = said.value[said.assigned], part
        cdef double* value
        cdef Py_ssize_t c, K = self.n_classes, n = last - class_
        n -= self.slots[place * K + said.assigned] & 1
        if n == 0:
            return False
        part = self.fine * before / n
        if not said.is_own:
            value = self.room()
            memcpy(value, said.value, K * sizeof(double))
            said.value = value
            said.is_own = True
        value = <double*> said.value
        if last - class_ == K:
            for c in range(K):
                value[c] += part
        else:
            while class_ != last:
                value[class_[0]] += part
                class_ += 1
        value[said.assigned] = before - self.fine * before
        said.others += part
        if not value[said.assigned] > said.others:
            self.assign(said)
        return True

    cdef inline void mix(self, double weight, const Said* left, const Said* right,
                         Said* out) noexcept nogil:
        """Both branches, the left one with this weight, into the room of `out`.

        The room may be that of one of them.
        """
        cdef Py_ssize_t c, K = self.n_classes
        cdef const double* one = left.value
        cdef const double* two = right.value
        cdef double* value = <double*> out.value
        cdef double rest = 1.0 - weight, others, a, b
        cdef int first = left.assigned, second = right.assigned
        others = (weight * left.others + rest * right.others) * ROUNDING
        # What is written never lies partly in what is read, which compilers cannot know.
        if value == one:
            for c in range(K):
                value[c] = weight * value[c] + rest * two[c]
        elif value == two:
            for c in range(K):
                value[c] = weight * one[c] + rest * value[c]
        else:
            for c in range(K):
                value[c] = weight * one[c] + rest * two[c]
        a, b = value[first], value[second]
        # The larger of two, of equal ones the first; a third is asked only if it may be larger.
        if b > a or (b == a and second < first):
            a, b, first, second = b, a, second, first
        out.assigned = first
        out.others = b if b > others and first != second else others
        out.is_own = True
        if not a > others:
            self.assign(out)

    cdef void tell(self, int node, int did, int assigned, double x, double left,
                   const double* before) noexcept nogil:
        """Note what a node did, where it is asked for; `amend` says what it made of it."""
        cdef double* numbers = self.record_numbers + self.n_recorded * (2 + 2 * self.n_classes)
        cdef Py_ssize_t c
        self.record[3 * self.n_recorded] = node
        self.record[3 * self.n_recorded + 1] = did
        self.record[3 * self.n_recorded + 2] = assigned
        numbers[0] = x
        numbers[1] = left
        for c in range(self.n_classes):
            numbers[2 + c] = before[c]
            numbers[2 + self.n_classes + c] = before[c]
        self.n_recorded += 1

    cdef inline int judge(self, int place, const Guest* guest, int assigned,
                          double* left) noexcept nogil:
        """What a node does to the class that came up, and with routes the weight of its left."""
        cdef int slot
        if guest.key & 1 or isnan(guest.x):
            return BELOW_MISSING
        slot = self.slots[place * self.n_classes + assigned]
        if slot < 2:
            return NO_INTERVAL
        if self.is_usual(&self.bounds[slot >> 1], guest.x, OWN_SET):
            return WITHIN
        if not (self.routes or self.fines):
            return LET_BE
        if self.weigh(place, guest.x, assigned, left):
            return ROUTES if self.routes and left[0] >= 0.0 else LET_BE
        return FINE if self.fines else LET_BE

    cdef void split(self, Frame* frame) noexcept nogil:
        """Divide those who were sent to a node, and send on those who go left.

        They are laid from the first place on, those who go right from the last.
        """
        cdef const Way* way = self.ways + frame.node
        cdef const double* column = self.columns + way.column * self.together
        cdef double threshold = way.threshold, x
        cdef int* sent = self.sent
        cdef Guest* guests = frame.guests
        cdef Guest* guest
        cdef Py_ssize_t i, n_left = 0, n = frame.n
        cdef bint goes_left
        cdef int key
        frame.n_shared = 0
        for i in range(n):
            key = sent[i]
            x = column[key >> 1]
            goes_left = x < threshold
            if not goes_left | (x >= threshold):        # missing, or no step
                n_left += self.share(frame, key, x, n_left, i)
                continue
            # Into both places, of which one is written again: no branch.
            guest = guests + n_left
            guest.x, guest.key, guest.is_shared = x, key, False
            guest = guests + (n - 1 - (i - n_left))
            guest.x, guest.key, guest.is_shared = x, key, False
            sent[n_left] = key
            n_left += goes_left
        frame.n_left = self.n_sent = n_left

    cdef bint share(self, Frame* frame, int key, double x, Py_ssize_t n_left,
                    Py_ssize_t i) noexcept nogil:
        """Ask the gate where an instance goes; whether it is among those on the left."""
        cdef double left = share_left(self.gate[frame.node], &self.tests[frame.node], x,
                                      self.first_row + (key >> 1))
        cdef bint goes_left = left > 0.0, is_shared = 0.0 < left < 1.0
        cdef Guest* guest = frame.guests + (n_left if goes_left else frame.n - 1 - (i - n_left))
        guest.x, guest.key, guest.is_shared = x, key, is_shared
        if goes_left:
            frame.waiting[n_left].left = left
            self.sent[n_left] = key | (x != x)
        frame.n_shared += is_shared
        return goes_left

    cdef inline void send(self, const Guest* guests, Py_ssize_t n) noexcept nogil:
        """Add instances to those who enter a branch."""
        cdef int* sent = self.sent + self.n_sent
        cdef Py_ssize_t i
        for i in range(n):
            # Below a missing value nothing is doubted.
            sent[i] = guests[i].key | (guests[i].x != guests[i].x)
        self.n_sent += n

    cdef void hear(self, Frame* frame, Guest* guests, Py_ssize_t n, bint on_left) noexcept nogil:
        """Judge what one branch said of those who went there.

        Those who need the other one too are moved to the first places; they wait for it.
        """
        cdef const Classes* part = self.parts + frame.place
        frame.n_waiting = 0
        if self.record != NULL:
            self.hear_each(frame, guests, n, on_left)
        elif part.n_end_rows:
            self.hear_many(frame, guests, n, on_left)
        elif part.first_bound != part.last_bound or frame.n_shared:
            self.hear_each(frame, guests, n, on_left)

    cdef void hear_each(self, Frame* frame, Guest* guests, Py_ssize_t n,
                        bint on_left) noexcept nogil:
        """`hear`, one after the other."""
        cdef Py_ssize_t i
        cdef Said* said
        cdef Waiting* waiting
        cdef double left = 0.0, whole = 1.0 if on_left else 0.0
        cdef int did
        for i in range(n):
            said = self.said + (guests[i].key >> 1)
            if guests[i].is_shared:
                left = frame.waiting[i].left
            else:
                did = self.judge(frame.place, guests + i, said.assigned, &left)
                if did != ROUTES or left == whole:
                    self.settle(frame, guests + i, whole, said, did, left)
                    continue
            waiting = frame.waiting + frame.n_waiting
            waiting.left = left
            waiting.first = said[0]
            guests[frame.n_waiting] = guests[i]
            frame.n_waiting += 1

    cdef void hear_many(self, Frame* frame, Guest* guests, Py_ssize_t n,
                        bint on_left) noexcept nogil:
        """`hear`, without a branch that depends on an instance, as none could be foreseen."""
        cdef const Classes* part = self.parts + frame.place
        cdef const int* slots = self.slots + frame.place * self.n_classes
        cdef const Bound* bounds = self.bounds
        cdef const Bound* bound
        cdef const double* ends = self.ends + part.first_end
        cdef const Piece* pieces = self.pieces + part.first_piece
        cdef const Piece* piece
        cdef Said* all_said = self.said
        cdef const Said* said
        cdef Waiting* waiting
        cdef int* doubted = self.doubted
        cdef int* fined = self.fined
        cdef Py_ssize_t i, j, n_doubted = 0, n_fined = 0, n_waiting = 0
        cdef int key
        cdef bint routes = self.routes
        cdef double x, left, whole = 1.0 if on_left else 0.0
        for i in range(n):
            x, key = guests[i].x, guests[i].key
            bound = bounds + (slots[all_said[key >> 1].assigned] >> 1)
            doubted[n_doubted] = <int> i
            n_doubted += guests[i].is_shared | ((x == x) & ~key & (
                not (bound.own_low <= x) & (x <= bound.own_high)))
        for j in range(n_doubted):
            i = doubted[j]
            x, key = guests[i].x, guests[i].key
            said = all_said + (key >> 1)
            # The place may be its own, or that of one who has been heard.
            waiting = frame.waiting + n_waiting
            if guests[i].is_shared:
                waiting.left = frame.waiting[i].left
                waiting.first = said[0]
                guests[n_waiting] = guests[i]
                n_waiting += 1
                continue
            piece = pieces + piece_of(ends, part.n_end_rows, x)
            left = piece.left
            fined[n_fined] = key >> 1
            n_fined += not piece.found
            waiting.left = left
            waiting.first = said[0]
            guests[n_waiting].x, guests[n_waiting].key, guests[n_waiting].is_shared = x, key, False
            n_waiting += routes & piece.found & (left >= 0.0) & (left != whole)
        frame.n_waiting = n_waiting
        if self.fines:
            for i in range(n_fined):
                self.impose(frame.place, all_said + fined[i])

    cdef void settle(self, const Frame* frame, const Guest* guest, double share, Said* said,
                     int did, double left) noexcept nogil:
        """What a node does that reads no other branch."""
        if self.record != NULL:
            self.tell(frame.node, did, said.assigned, guest.x, left if did == ROUTES else share,
                      said.value)
        if did == FINE:
            if self.impose(frame.place, said):
                if self.record != NULL:
                    self.amend(said.value)
            elif self.record != NULL:
                self.record[3 * self.n_recorded - 2] = LET_BE

    cdef void answer(self, Frame* frame, const Guest* guests, bint left_first) noexcept nogil:
        """Mix what both branches say of those who waited."""
        cdef Py_ssize_t i
        cdef const Waiting* waiting
        cdef const Said* first
        cdef Said* said
        cdef Said second
        for i in range(frame.n_waiting):
            waiting = frame.waiting + i
            first = &waiting.first
            said = self.said + (guests[i].key >> 1)
            if guests[i].is_shared:
                self.divide(frame, guests + i, waiting, said)
                continue
            if self.record != NULL:
                self.tell(frame.node, ROUTES, first.assigned, guests[i].x, waiting.left,
                          first.value)
            second = said[0]
            if second.is_own:
                self.leave(first)
            else:
                said.value = first.value if first.is_own else self.room()
            if left_first:
                self.mix(waiting.left, first, &second, said)
            else:
                self.mix(waiting.left, &second, first, said)
            if self.record != NULL:
                self.amend(said.value)

    cdef void divide(self, const Frame* frame, const Guest* guest, const Waiting* waiting,
                     Said* said) noexcept nogil:
        """Mix by the shares, and judge the mixture."""
        cdef Said second = said[0]
        cdef double left = waiting.left
        cdef int did
        said.value = self.room()
        self.mix(left, &waiting.first, &second, said)
        did = self.judge(frame.place, guest, said.assigned, &left)
        self.settle(frame, guest, waiting.left, said, did, left)
        if did == ROUTES:
            self.mix(left, &waiting.first, &second, said)
            if self.record != NULL:
                self.amend(said.value)
        self.leave(&waiting.first)
        self.leave(&second)

    cdef void read_leaf(self, int node) noexcept nogil:
        """Its probabilities, to those who were sent there."""
        cdef Said said = self.leaves[self.ways[node].place]
        cdef Py_ssize_t i
        for i in range(self.n_sent):
            self.said[self.sent[i] >> 1] = said
        if self.record != NULL:
            self.tell(node, LEAF, said.assigned, 0.0, 0.0, said.value)

    cdef void predict_together(self, Guest* guests, Waiting* waiting, Py_ssize_t n) noexcept nogil:
        """Algorithm 2 for n instances, with a list of frames in the place of calls.

        Their answers are in `said` then.  A node keeps those who were sent there until it is left.
        """
        cdef Py_ssize_t i, depth = -1
        cdef Frame* frame = self.frames
        cdef int branch = 0
        for i in range(n):
            self.sent[i] = <int> (2 * i)
        self.n_sent = n
        self.n_free = self.n_used = 0
        while True:
            if self.n_sent and self.ways[branch].column < 0:
                self.read_leaf(branch)
                if depth < 0:
                    return
            elif self.n_sent:
                depth += 1
                frame = self.frames + depth
                frame.node = branch
                frame.place = self.ways[branch].place
                frame.stage = SPLIT
                frame.n = self.n_sent
                frame.guests = guests
                frame.waiting = waiting
                guests += frame.n
                waiting += frame.n
            # On with the frame at hand; those whose branch nobody needs go on at once.
            if frame.stage == SPLIT:
                self.split(frame)
                branch = self.ways[frame.node].next[0]
                frame.stage = LEFT_READ
            elif frame.stage == LEFT_READ:
                self.hear(frame, frame.guests, frame.n_left, True)
                self.n_sent = 0
                self.send(frame.guests, frame.n_waiting)
                self.send(frame.guests + frame.n_left, frame.n - frame.n_left)
                branch = self.ways[frame.node].next[1]
                frame.stage = RIGHT_READ
            elif frame.stage == RIGHT_READ:
                self.answer(frame, frame.guests, True)
                self.hear(frame, frame.guests + frame.n_left, frame.n - frame.n_left, False)
                self.n_sent = 0
                self.send(frame.guests + frame.n_left, frame.n_waiting)
                branch = self.ways[frame.node].next[0]
                frame.stage = BOTH_READ
            else:
                self.answer(frame, frame.guests + frame.n_left, False)
                self.n_sent = 0
                guests -= frame.n
                waiting -= frame.n
                depth -= 1
                if depth < 0:
                    return
                frame = self.frames + depth

    cdef inline void amend(self, const double* after) noexcept nogil:
        """Write the probabilities after the node that was recorded last."""
        cdef double* numbers = self.record_numbers + (self.n_recorded - 1) * (2 + 2 * self.n_classes)
        cdef Py_ssize_t c
        for c in range(self.n_classes):
            numbers[2 + self.n_classes + c] = after[c]

    cdef int predict_into(self, const double[:, :] X, double[:, ::1] out) except -1:
        """Corrected class probabilities of a table, part by part."""
        cdef Py_ssize_t i, j, n, start = 0, n_rows = X.shape[0], K = self.n_classes
        # Of each instance a guest at each depth, a room there and two in which it is at work.
        cdef Py_ssize_t n_rooms = self.depth + 3, n_tested = self.tested.shape[0]
        cdef Py_ssize_t each = (self.depth * (sizeof(Guest) + sizeof(Waiting))
                                + (n_rooms * K + n_tested) * sizeof(double))
        cdef Py_ssize_t together = min(MOST_TOGETHER, max(1, MOST_BYTES // each), n_rows)
        cdef Arena memory = Arena("for the prediction of many rows by a tree with intervals")
        cdef Guest* guests
        cdef Waiting* waiting
        cdef const double* column
        self.lay(X)
        n_rooms *= together
        guests = <Guest*> memory.take(self.depth * together, sizeof(Guest))
        waiting = <Waiting*> memory.take(self.depth * together, sizeof(Waiting))
        self.said = <Said*> memory.take(together, sizeof(Said))
        self.sent = <int*> memory.take(together, sizeof(int))
        self.doubted = <int*> memory.take(together, sizeof(int))
        self.fined = <int*> memory.take(together, sizeof(int))
        self.rooms = <double*> memory.take(n_rooms * K, sizeof(double))
        self.free = <double**> memory.take(n_rooms, sizeof(double*))
        self.columns = <double*> memory.take(n_tested * together, sizeof(double))
        self.together = together
        with nogil:
            while start < n_rows:
                n = min(together, n_rows - start)
                for j in range(n_tested):
                    column = self.rows + start * self.row_step + self.tested[j] * self.stride
                    for i in range(n):
                        self.columns[j * together + i] = column[i * self.row_step]
                self.first_row = start
                self.predict_together(guests, waiting, n)
                for i in range(n):
                    memcpy(&out[start + i, 0], self.said[i].value, K * sizeof(double))
                start += n
        return 0

    def predict(self, const double[:, :] X):
        """Corrected class probabilities of a table, (n, K)."""
        out = np.empty((X.shape[0], self.n_classes))
        self.record = NULL
        self.predict_into(X, out)
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
        decisions = np.zeros((self.n_nodes, 3), dtype=np.int32)
        numbers = np.zeros((self.n_nodes, 2 + 2 * K))
        cdef int[:, ::1] record = decisions
        cdef double[:, ::1] record_numbers = numbers
        self.record = &record[0, 0]
        self.record_numbers = &record_numbers[0, 0]
        self.n_recorded = 0
        self.predict_into(X[:1], np.empty((1, K)))
        self.record = NULL
        decisions, numbers = decisions[:self.n_recorded], numbers[:self.n_recorded]
        return (*decisions.T.copy(), *numbers[:, :2].T.copy(), numbers[:, 2:2 + K],
                numbers[:, 2 + K:])
