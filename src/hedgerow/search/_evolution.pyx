# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Evolution of a population of trees (ETE, Kretowski and Grzes 2005).

An individual is an array of nodes in preorder: the left child of a node follows it, the right
child follows the left one's last node.  A change below a node leaves every other leaf as it was,
so that only the rows at this node are routed again.  Rows keep their order on the way down,
whence the fitness does not depend on the changes that led to a tree, to the last bit.

Invariant of every individual, kept by `route`: no test is at a pure node or leaves a side without
known weight or below its least weight, and no node is deeper or smaller than allowed.
"""

import numpy as np

from libc.stdint cimport uint64_t
from libc.stdlib cimport qsort
from libc.string cimport memcpy, memset

from hedgerow.induction._candidates cimport counted
from hedgerow.search._individual cimport (
    Individual, Node, Rank, by_fitness, copy_nodes, depth_of, inner_node, measure, measure_from,
    reserve, right_of,
)
from hedgerow.search._random cimport below, next_u64, uniform
from hedgerow.tree._arena cimport Arena

cdef double WEIGHT_SLACK = 1e-9     # fractions that add up to a minimum reach it
cdef double IMPROVED = 1e-12        # a better fitness is better by more than rounding

cdef enum Operator:                 # of mutation, with their chances out of N_CHANCES
    SPLIT = 3                       # a leaf gets a test
    RETEST = 5                      # a node gets another test
    MOVE = 9                        # a threshold moves, or a category changes sides
    SWAP = 10                       # a node and a child exchange their tests
    PRUNE = 11                      # a node becomes a leaf
    N_CHANCES = 12                  # one of a node's branches takes its place


cdef struct Pending:
    int source          # node whose test is tried
    int depth
    Py_ssize_t start, n


cdef class Evolution:
    """A population and all memory that its evolution needs.

    Parameters
    ----------
    codes : (m, n) int32
        Numeric variables: number of thresholds at or below the value; categorical ones: the
        category.  -1 is missing.
    y : (n,) int32
        Class codes.
    sample_weight : (n,) float64, > 0
    n_classes : int
    n_bounds : (m,) int32
        Number of thresholds of each numeric variable.
    n_categories : (m,) int32
        0 for a numeric variable.
    alpha : float
        Price of a leaf, in units of accuracy.
    min_samples_split, min_samples_leaf : float
    rows_per_weight : (n_classes,) float64 or None
        As in `Columns`.
    max_depth : int
    seed : int
        64 bits.
    """

    cdef readonly Arena memory
    cdef readonly long long n_evaluations
    cdef const int[:, ::1] codes
    cdef const int[::1] y, n_bounds, n_categories
    cdef const double[::1] sample_weight, per_weight
    cdef const double* counting             # of `per_weight`; NULL: minima count weights
    cdef Py_ssize_t n, m, K, n_words
    cdef bint fractional
    cdef double alpha, min_split, least, total_weight
    cdef int max_depth
    cdef uint64_t state
    # the population
    cdef Individual* individuals            # the generation at hand
    cdef Individual* offspring              # the next one
    cdef Individual edited, first, second   # changed branches; trees on their way
    cdef int size, capacity
    cdef Rank* ranks
    cdef double* cumulative                 # chance of being selected, by rank
    # rows of the branches that wait, the next one on top
    cdef int* rows
    cdef double* row_weight
    cdef Py_ssize_t row_capacity
    cdef Pending* pending
    cdef double* pending_totals             # class weights, K each
    cdef int pending_capacity
    # scratch
    cdef int* held_left
    cdef int* held_right
    cdef int* held_unknown
    cdef double* weight_left
    cdef double* weight_right
    cdef double* weight_unknown
    cdef double* totals                     # class weights at the node, on its left, on its right
    cdef uint64_t* mask
    cdef int* path
    cdef int n_path, path_capacity
    cdef double* recorded                   # class weights of the nodes that `route` writes; NULL:
                                            # nobody asks
    # what `divide` found
    cdef Py_ssize_t n_left, n_right
    cdef double known_left, known_right

    def __init__(self, codes, y, sample_weight, Py_ssize_t n_classes, n_bounds, n_categories, *,
                 double alpha, int population_size, double min_samples_split,
                 double min_samples_leaf, int max_depth, uint64_t seed, rows_per_weight=None):
        cdef Py_ssize_t n = y.shape[0], widest = max(n_categories.max(initial=0), 0)
        if self.individuals != NULL:
            raise RuntimeError("an Evolution is made once")
        self.codes, self.y = codes, y
        self.sample_weight = sample_weight
        self.n_bounds, self.n_categories = n_bounds, n_categories
        self.fractional = bool((np.asarray(codes) < 0).any())
        self.n, self.m, self.K = n, codes.shape[0], n_classes
        self.n_words = (widest + 63) // 64
        self.alpha = alpha
        self.min_split = min_samples_split - WEIGHT_SLACK
        # Without a floor, parts of instances could be divided without end.
        floor = 1e-3 * float(np.min(sample_weight if rows_per_weight is None
                                    else sample_weight * rows_per_weight[np.asarray(y)]))
        self.least = max(min_samples_leaf - WEIGHT_SLACK, floor)
        self.counting = NULL
        if rows_per_weight is not None:
            self.per_weight = rows_per_weight
            self.counting = &self.per_weight[0]
        self.max_depth = max_depth
        self.state = seed
        self.total_weight = 0.0
        for value in np.bincount(y, weights=sample_weight, minlength=n_classes):
            self.total_weight += value
        self.row_capacity = 4 * n + 16
        self.pending_capacity = 64
        self.path_capacity = 64
        self.memory = Arena(f"for a population of {population_size} trees")
        self.rows = <int*> self.memory.take(self.row_capacity, sizeof(int))
        self.row_weight = <double*> self.memory.take(self.row_capacity, sizeof(double))
        self.pending = <Pending*> self.memory.take(self.pending_capacity, sizeof(Pending))
        self.pending_totals = <double*> self.memory.take(self.pending_capacity * n_classes,
                                                         sizeof(double))
        self.held_left = <int*> self.memory.take(n + 1, sizeof(int))
        self.held_right = <int*> self.memory.take(n + 1, sizeof(int))
        self.held_unknown = <int*> self.memory.take(n + 1, sizeof(int))
        self.weight_left = <double*> self.memory.take(n + 1, sizeof(double))
        self.weight_right = <double*> self.memory.take(n + 1, sizeof(double))
        self.weight_unknown = <double*> self.memory.take(n + 1, sizeof(double))
        self.totals = <double*> self.memory.take(3 * n_classes, sizeof(double))
        self.mask = <uint64_t*> self.memory.take(self.n_words + 1, sizeof(uint64_t))
        self.path = <int*> self.memory.take(self.path_capacity, sizeof(int))
        self.individuals = <Individual*> self.memory.zeros(population_size, sizeof(Individual))
        self.offspring = <Individual*> self.memory.zeros(population_size, sizeof(Individual))
        self.ranks = <Rank*> self.memory.take(population_size, sizeof(Rank))
        self.cumulative = <double*> self.memory.take(population_size, sizeof(double))
        self.capacity = population_size

    # -- the population as Python gives and takes it -------------------------------------

    def add_tree(self, const int[::1] feature, const int[::1] bound,
                 const unsigned char[:, ::1] categories_left):
        """A tree in preorder joins the population, once tests that say nothing are removed."""
        cdef int n = <int> feature.shape[0], i
        cdef Py_ssize_t c
        cdef uint64_t* mask
        reserve(&self.edited, self.memory, n, self.n_words)
        for i in range(n):
            self.edited.nodes[i].feature = feature[i]
            self.edited.nodes[i].bound = bound[i]
            mask = self.edited.masks + i * self.n_words
            memset(mask, 0, self.n_words * sizeof(uint64_t))
            for c in range(categories_left.shape[1]):
                if categories_left[i, c]:
                    mask[c >> 6] |= <uint64_t> 1 << (c & 63)
        self.edited.n = n
        measure(&self.edited)
        with nogil:
            self.settle()

    def add_dipolar(self, const int[::1] sample):
        """A tree grown from a sample of the rows joins: a random dipolar test at every node."""
        with nogil:
            self.start_rows(&sample[0], sample.shape[0])
            self.edited.n = 0
            self.route(NULL, 0, sample.shape[0], 0, &self.edited)
            measure(&self.edited)
            self.settle()

    def evolve(self, Py_ssize_t n_generations, Py_ssize_t n_generations_no_change,
               double crossover_rate, double mutation_rate, double selection_pressure,
               int elitism):
        """Run; return (generations + 1, 4): best and mean fitness, the best's leaves, accuracy.

        Ends after `n_generations`, or once the best fitness stood still for
        `n_generations_no_change`.
        """
        cdef Py_ssize_t g = 0, still = 0
        cdef int r
        cdef double highest, p, last
        history = np.empty((n_generations + 1, 4))
        cdef double[:, ::1] view = history
        last = 0.0
        for r in range(self.size):
            # Linear ranking: the fittest expects `selection_pressure` offspring.
            p = selection_pressure
            if self.size > 1:
                p -= 2.0 * (selection_pressure - 1.0) * r / (self.size - 1)
            last += p
            self.cumulative[r] = last
        with nogil:
            self.rank()
            self.note(view, 0)
            highest = view[0, 0]
            while g < n_generations and still < n_generations_no_change:
                self.generation(crossover_rate, mutation_rate, elitism)
                g += 1
                self.rank()
                self.note(view, g)
                still += 1
                if view[g, 0] > highest + IMPROVED:
                    still = 0
                    highest = view[g, 0]
        return history[: g + 1].copy()

    def best(self):
        """The fittest tree: see `tree`."""
        return self.tree(self.ranks[0].index)

    def fitness(self, int index):
        """(fitness, accuracy, leaves) of an individual."""
        cdef Individual* one = &self.individuals[index]
        return one.fitness, one.accuracy, one.n_leaves

    def tree(self, int index):
        """An individual as arrays in preorder.

        Returns
        -------
        feature, bound, children_left, children_right, parent : (n_nodes,) int32
        share_left : (n_nodes,) float64
        class_weight : (n_nodes, K) float64
        categories_left : (n_nodes, n_categories) uint8
            Categories absent at a node are on its heavier side.
        """
        cdef Individual* one = &self.individuals[index]
        cdef int n = one.n, i, right
        cdef Py_ssize_t p, c, width = max(np.asarray(self.n_categories).max(initial=0), 0), count
        cdef uint64_t* mask
        feature = np.empty(n, dtype=np.int32)
        bound = np.empty(n, dtype=np.int32)
        children_left = np.full(n, -1, dtype=np.int32)
        children_right = np.full(n, -1, dtype=np.int32)
        parent = np.full(n, -1, dtype=np.int32)
        share_left = np.full(n, np.nan)
        class_weight = np.empty((n, self.K))
        categories_left = np.zeros((n, width), dtype=np.uint8)
        cdef double[:, ::1] class_view = class_weight
        cdef unsigned char[:, ::1] categories_view = categories_left
        cdef int[::1] parent_view = parent
        reserve(&self.edited, self.memory, n, self.n_words)
        self.edited.n = 0
        self.recorded = &class_view[0, 0]
        try:
            with nogil:
                self.start_rows(NULL, self.n)
                self.route(one, 0, self.n, 0, &self.edited)
        finally:
            self.recorded = NULL
        for i in range(n):
            feature[i] = one.nodes[i].feature
            bound[i] = one.nodes[i].bound
            if one.nodes[i].feature < 0:
                continue
            right = right_of(one, i)
            children_left[i] = i + 1
            children_right[i] = right
            parent_view[i + 1] = i
            parent_view[right] = i
            share_left[i] = one.nodes[i].share_left
            if self.n_categories[one.nodes[i].feature] == 0:
                continue
            self.reach(one, i)
            mask = one.masks + i * self.n_words
            for c in range(width):
                categories_view[i, c] = one.nodes[i].share_left >= 0.5
            count = self.n_left
            for p in range(count):
                c = self.codes[one.nodes[i].feature, self.rows[p]]
                if c >= 0:
                    categories_view[i, c] = (mask[c >> 6] >> (c & 63)) & 1
        return (feature, bound, children_left, children_right, parent, share_left, class_weight,
                categories_left)

    # -- rows on their way down ----------------------------------------------------------

    cdef void start_rows(self, const int* sample, Py_ssize_t count) noexcept nogil:
        """All rows, or a sample of them, at the root."""
        cdef Py_ssize_t p
        for p in range(count):
            self.rows[p] = <int> p if sample == NULL else sample[p]
        if self.fractional:
            for p in range(count):
                self.row_weight[p] = self.sample_weight[self.rows[p]]

    cdef int reach(self, const Individual* one, int node) except -1 nogil:
        """Put the rows at a node on the bottom (their number: `n_left`) and note its path."""
        cdef int at = 0, right, i, code, bound, feature
        cdef Py_ssize_t count = self.n, p, kept, unknown, offset
        cdef const int* column
        cdef const uint64_t* mask
        cdef bint to_right, goes_right, numeric
        cdef double share
        self.start_rows(NULL, self.n)
        self.n_path = 0
        while at != node:
            if self.n_path >= self.path_capacity:
                self.path = <int*> self.memory.resized(self.path, 2 * self.path_capacity,
                                                       sizeof(int))
                self.path_capacity *= 2
            self.path[self.n_path] = at
            self.n_path += 1
            right = right_of(one, at)
            to_right = node >= right
            feature = one.nodes[at].feature
            bound = one.nodes[at].bound
            numeric = self.n_categories[feature] == 0
            column = &self.codes[feature, 0]
            mask = one.masks + at * self.n_words
            kept = 0
            if self.fractional:
                unknown = 0
                for p in range(count):
                    i = self.rows[p]
                    code = column[i]
                    if code < 0:
                        self.held_unknown[unknown] = i
                        self.weight_unknown[unknown] = self.row_weight[p]
                        unknown += 1
                        continue
                    if numeric:
                        goes_right = code > bound
                    else:
                        goes_right = not ((mask[code >> 6] >> (code & 63)) & 1)
                    self.rows[kept] = i
                    self.row_weight[kept] = self.row_weight[p]
                    kept += goes_right == to_right
                share = one.nodes[at].share_left
                for p in range(unknown):
                    self.rows[kept] = self.held_unknown[p]
                    self.row_weight[kept] = self.weight_unknown[p] * share
                    if to_right:
                        self.row_weight[kept] = self.weight_unknown[p] - self.row_weight[kept]
                    kept += 1
            elif numeric:
                for p in range(count):
                    i = self.rows[p]
                    self.rows[kept] = i
                    kept += (column[i] > bound) == to_right
            else:
                for p in range(count):
                    i = self.rows[p]
                    code = column[i]
                    self.rows[kept] = i
                    kept += ((mask[code >> 6] >> (code & 63)) & 1) != to_right
            count = kept
            at = right if to_right else at + 1
        self.n_left = count
        return 0

    cdef bint divide(self, int feature, int bound, const uint64_t* mask, Py_ssize_t start,
                     Py_ssize_t count) noexcept nogil:
        """Rows of both sides of a test, with their class weights; whether it is a test at all."""
        cdef const int* column = &self.codes[feature, 0]
        cdef const int* rows = self.rows + start
        cdef const double* weights = self.row_weight + start
        cdef double* totals_left = self.totals + self.K
        cdef double* totals_right = self.totals + 2 * self.K
        cdef Py_ssize_t p, a = 0, b = 0, unknown = 0, K = self.K
        cdef int i, code
        cdef bint goes_right, numeric = self.n_categories[feature] == 0
        cdef double share, left, weight_left = 0.0, weight_right = 0.0
        for p in range(2 * K):
            totals_left[p] = 0.0
        if not self.fractional and numeric:
            for p in range(count):
                i = rows[p]
                goes_right = column[i] > bound
                self.held_left[a] = i
                self.held_right[b] = i
                a += not goes_right
                b += goes_right
                totals_left[goes_right * K + self.y[i]] += self.sample_weight[i]
        elif not self.fractional:
            for p in range(count):
                i = rows[p]
                code = column[i]
                goes_right = not ((mask[code >> 6] >> (code & 63)) & 1)
                self.held_left[a] = i
                self.held_right[b] = i
                a += not goes_right
                b += goes_right
                totals_left[goes_right * K + self.y[i]] += self.sample_weight[i]
        else:
            for p in range(count):
                i = rows[p]
                code = column[i]
                if code < 0:
                    self.held_unknown[unknown] = i
                    self.weight_unknown[unknown] = weights[p]
                    unknown += 1
                    continue
                if numeric:
                    goes_right = code > bound
                else:
                    goes_right = not ((mask[code >> 6] >> (code & 63)) & 1)
                self.held_left[a] = i
                self.held_right[b] = i
                self.weight_left[a] = weights[p]
                self.weight_right[b] = weights[p]
                a += not goes_right
                b += goes_right
                totals_left[goes_right * K + self.y[i]] += weights[p]
        self.n_left = a
        self.n_right = b
        for p in range(K):
            weight_left += totals_left[p]
            weight_right += totals_right[p]
        self.known_left = weight_left
        self.known_right = weight_right
        if a == 0 or b == 0:
            return False
        if unknown > 0:
            # Unknown here: both sides, in proportion to the known weight.
            share = weight_left / (weight_left + weight_right)
            for p in range(unknown):
                i = self.held_unknown[p]
                left = self.weight_unknown[p] * share
                self.held_left[a + p] = i
                self.held_right[b + p] = i
                self.weight_left[a + p] = left
                self.weight_right[b + p] = self.weight_unknown[p] - left
                totals_left[self.y[i]] += left
                totals_right[self.y[i]] += self.weight_unknown[p] - left
            self.n_left += unknown
            self.n_right += unknown
            weight_left = 0.0
            weight_right = 0.0
            for p in range(K):
                weight_left += totals_left[p]
                weight_right += totals_right[p]
        return (counted(self.counting, totals_left, 1, <int> K, weight_left) >= self.least
                and counted(self.counting, totals_right, 1, <int> K, weight_right) >= self.least)

    cdef int route(self, const Individual* source, int root, Py_ssize_t count, int depth,
                   Individual* out) except -1 nogil:
        """Send the bottom `count` rows down a branch of `source` and append what is left of it.

        A test that is none here gives way to its branch with more known weight (ties: the left
        one).  Without a source a dipolar test is drawn at every node, and a node whose draw
        is no test is a leaf.
        """
        cdef Pending item
        cdef int top = 1, node, bound, feature, id_
        cdef Py_ssize_t p, K = self.K
        cdef double weight, n_counted, largest
        cdef double* totals = self.totals
        cdef const uint64_t* mask
        cdef bint found
        for p in range(K):
            totals[p] = 0.0
        for p in range(count):
            totals[self.y[self.rows[p]]] += (
                self.row_weight[p] if self.fractional else self.sample_weight[self.rows[p]])
        memcpy(self.pending_totals, totals, K * sizeof(double))
        self.pending[0].source = root
        self.pending[0].depth = depth
        self.pending[0].start = 0
        self.pending[0].n = count
        while top > 0:
            top -= 1
            item = self.pending[top]
            memcpy(totals, self.pending_totals + top * K, K * sizeof(double))
            weight = 0.0
            largest = 0.0
            for p in range(K):
                weight += totals[p]
                if totals[p] > largest:
                    largest = totals[p]
            n_counted = counted(self.counting, totals, 1, <int> K, weight)
            found = False
            feature = -1
            bound = 0
            mask = NULL
            if n_counted >= self.min_split and largest < weight and item.depth < self.max_depth:
                node = item.source
                while True:
                    if source == NULL:
                        if not self.draw_test(item.start, item.n, &feature, &bound):
                            break
                        mask = self.mask
                    else:
                        feature = source.nodes[node].feature
                        if feature < 0:
                            break
                        bound = source.nodes[node].bound
                        mask = source.masks + node * self.n_words
                    found = self.divide(feature, bound, mask, item.start, item.n)
                    if found or source == NULL:
                        break
                    if self.known_left >= self.known_right:
                        node = node + 1
                    else:
                        node = right_of(source, node)
            reserve(out, self.memory, out.n + 1, self.n_words)
            id_ = out.n
            out.n += 1
            out.nodes[id_].feature = feature if found else -1
            out.nodes[id_].bound = bound if found else 0
            out.nodes[id_].share_left = 0.0
            out.nodes[id_].weight = weight
            out.nodes[id_].n_counted = n_counted
            out.nodes[id_].correct = largest
            if self.recorded != NULL:
                memcpy(self.recorded + id_ * K, totals, K * sizeof(double))
            if not found:
                memset(out.masks + id_ * self.n_words, 0, self.n_words * sizeof(uint64_t))
                continue
            memcpy(out.masks + id_ * self.n_words, mask, self.n_words * sizeof(uint64_t))
            out.nodes[id_].share_left = self.known_left / (self.known_left + self.known_right)
            # The right side in the place of the node, the left one on top of it.
            self.make_room(item.start + self.n_left + self.n_right, top + 2)
            memcpy(self.rows + item.start, self.held_right, self.n_right * sizeof(int))
            memcpy(self.rows + item.start + self.n_right, self.held_left,
                   self.n_left * sizeof(int))
            if self.fractional:
                memcpy(self.row_weight + item.start, self.weight_right,
                       self.n_right * sizeof(double))
                memcpy(self.row_weight + item.start + self.n_right, self.weight_left,
                       self.n_left * sizeof(double))
            memcpy(self.pending_totals + top * K, totals + 2 * K, K * sizeof(double))
            memcpy(self.pending_totals + (top + 1) * K, totals + K, K * sizeof(double))
            self.pending[top].source = 0 if source == NULL else right_of(source, node)
            self.pending[top].depth = item.depth + 1
            self.pending[top].start = item.start
            self.pending[top].n = self.n_right
            self.pending[top + 1].source = 0 if source == NULL else node + 1
            self.pending[top + 1].depth = item.depth + 1
            self.pending[top + 1].start = item.start + self.n_right
            self.pending[top + 1].n = self.n_left
            top += 2
        return 0

    cdef int make_room(self, Py_ssize_t n_rows, int n_pending) except -1 nogil:
        if n_rows > self.row_capacity:
            self.rows = <int*> self.memory.resized(self.rows, 2 * n_rows, sizeof(int))
            self.row_weight = <double*> self.memory.resized(self.row_weight, 2 * n_rows,
                                                            sizeof(double))
            self.row_capacity = 2 * n_rows
        if n_pending > self.pending_capacity:
            self.pending = <Pending*> self.memory.resized(self.pending, 2 * n_pending,
                                                          sizeof(Pending))
            self.pending_totals = <double*> self.memory.resized(
                self.pending_totals, 2 * n_pending * self.K, sizeof(double))
            self.pending_capacity = 2 * n_pending
        return 0

    # -- one tree from another -----------------------------------------------------------

    cdef void value(self, Individual* one) noexcept nogil:
        """Accuracy and fitness from the leaves, added in their order."""
        cdef int i
        cdef double correct = 0.0
        one.n_leaves = (one.n + 1) // 2
        for i in range(one.n):
            if one.nodes[i].feature < 0:
                correct += one.nodes[i].correct
        one.accuracy = correct / self.total_weight
        one.fitness = one.accuracy - self.alpha * one.n_leaves

    cdef int settle(self) except -1 nogil:
        """The edited tree joins the population."""
        cdef Individual* one = &self.individuals[self.size]
        if self.size >= self.capacity:
            with gil:
                raise RuntimeError(f"the population is full: {self.capacity} trees")
        one.n = 0
        self.start_rows(NULL, self.n)
        self.route(&self.edited, 0, self.n, 0, one)
        measure(one)
        self.value(one)
        self.n_evaluations += 1
        self.size += 1
        return 0

    cdef int graft(self, const Individual* one, int node, const Individual* source, int root,
                   Individual* out) except -1 nogil:
        """`one` with the branch of `source` at `root` in the place of its own at `node`.

        The rows at `node` have been reached.
        """
        cdef int after = node + one.nodes[node].size, grown, added, p, tail = one.n - after
        reserve(out, self.memory, node, self.n_words)
        copy_nodes(out, 0, one, 0, node, self.n_words)
        out.n = node
        self.route(source, root, self.n_left, self.n_path, out)
        grown = out.n
        reserve(out, self.memory, grown + tail, self.n_words)
        measure_from(out, node)
        copy_nodes(out, grown, one, after, tail, self.n_words)
        out.n = grown + tail
        added = grown - after
        for p in range(self.n_path):
            out.nodes[self.path[p]].size += added
        self.value(out)
        self.n_evaluations += 1
        return 0

    cdef int edit(self, const Individual* one, int node) except -1 nogil:
        """Copy a branch, to change it."""
        cdef int n = one.nodes[node].size
        reserve(&self.edited, self.memory, n, self.n_words)
        copy_nodes(&self.edited, 0, one, node, n, self.n_words)
        self.edited.n = n
        return 0

    cdef int copy(self, Individual* out, const Individual* one) except -1 nogil:
        reserve(out, self.memory, one.n, self.n_words)
        copy_nodes(out, 0, one, 0, one.n, self.n_words)
        out.n = one.n
        out.n_leaves = one.n_leaves
        out.accuracy = one.accuracy
        out.fitness = one.fitness
        return 0

    # -- draws ---------------------------------------------------------------------------

    cdef bint draw_test(self, Py_ssize_t start, Py_ssize_t count, int* feature,
                        int* bound) noexcept nogil:
        """A test that parts a random dipole (two rows of different classes); False without one.

        One row is drawn, then one of another class, a variable in which they differ, and a
        threshold between them.  Of categories, either that of the first row goes left alone, or
        a random subset with it and without that of the second.  The subset is put in `mask`.
        """
        cdef const int* rows = self.rows + start
        cdef int i = rows[below(&self.state, count)], other = -1, a, b
        cdef Py_ssize_t p, n = 0, j
        for p in range(count):
            n += self.y[rows[p]] != self.y[i]
        if n == 0:
            return False
        n = below(&self.state, n)
        for p in range(count):
            if self.y[rows[p]] != self.y[i]:
                if n == 0:
                    other = rows[p]
                    break
                n -= 1
        n = 0
        for j in range(self.m):
            a = self.codes[j, i]
            b = self.codes[j, other]
            n += a >= 0 and b >= 0 and a != b
        if n == 0:
            return False
        n = below(&self.state, n)
        for j in range(self.m):
            a = self.codes[j, i]
            b = self.codes[j, other]
            if a >= 0 and b >= 0 and a != b:
                if n == 0:
                    break
                n -= 1
        feature[0] = <int> j
        bound[0] = 0
        memset(self.mask, 0, self.n_words * sizeof(uint64_t))
        if self.n_categories[j] == 0:
            if a > b:
                a, b = b, a
            bound[0] = a + <int> below(&self.state, b - a)
            return True
        if below(&self.state, 2):
            for p in range(self.n_words):
                self.mask[p] = next_u64(&self.state)
            self.mask[b >> 6] &= ~(<uint64_t> 1 << (b & 63))
        self.mask[a >> 6] |= <uint64_t> 1 << (a & 63)
        return True

    cdef int draw_inner(self, const Individual* one) noexcept nogil:
        """The deeper of two random tests: changes near the leaves disturb less."""
        cdef int n = one.n_leaves - 1
        cdef int a = inner_node(one, <int> below(&self.state, n))
        cdef int b = inner_node(one, <int> below(&self.state, n))
        return b if depth_of(one, b) > depth_of(one, a) else a

    cdef int draw_leaf(self, const Individual* one) noexcept nogil:
        """A leaf large enough to be split, in proportion to its errors; -1: there are none."""
        cdef int i, chosen = -1
        cdef double errors = 0.0, at, error
        for i in range(one.n):
            if one.nodes[i].feature < 0 and one.nodes[i].n_counted >= self.min_split:
                errors += one.nodes[i].weight - one.nodes[i].correct
        if errors <= 0.0:
            return -1
        at = uniform(&self.state) * errors
        errors = 0.0
        for i in range(one.n):
            if one.nodes[i].feature < 0 and one.nodes[i].n_counted >= self.min_split:
                error = one.nodes[i].weight - one.nodes[i].correct
                errors += error
                if error > 0.0:
                    chosen = i
                    if errors > at:
                        break
        return chosen

    cdef const Individual* select(self) noexcept nogil:
        cdef double at = uniform(&self.state) * self.cumulative[self.size - 1]
        cdef int low = 0, high = self.size - 1, middle
        while low < high:
            middle = (low + high) // 2
            if self.cumulative[middle] > at:
                high = middle
            else:
                low = middle + 1
        return &self.individuals[self.ranks[low].index]

    # -- operators -----------------------------------------------------------------------

    cdef int mutate(self, const Individual* one, Individual* out) except -1 nogil:
        """A changed copy; an unchanged one where the operator drawn finds nothing to change."""
        cdef int chance = <int> below(&self.state, N_CHANCES), node, child, feature, bound, n, step
        cdef int bits
        cdef Node* edited
        cdef Node held
        if one.n == 1:
            chance = 0
        if chance < SPLIT:
            node = self.draw_leaf(one)
            if node < 0:
                return self.copy(out, one)
        else:
            node = self.draw_inner(one)
        self.reach(one, node)
        self.edit(one, node)
        if chance >= PRUNE:
            child = node + 1 if below(&self.state, 2) == 0 else right_of(one, node)
            return self.graft(one, node, one, child, out)
        edited = self.edited.nodes
        if chance >= SWAP:
            edited[0].feature = -1
            return self.graft(one, node, &self.edited, 0, out)
        if chance < RETEST:
            if not self.draw_test(0, self.n_left, &feature, &bound):
                return self.copy(out, one)
            if chance < SPLIT:
                reserve(&self.edited, self.memory, 3, self.n_words)
                edited = self.edited.nodes
                edited[0].size = 3
                edited[1].feature = -1
                edited[1].size = 1
                edited[2].feature = -1
                edited[2].size = 1
            edited[0].feature = feature
            edited[0].bound = bound
            memcpy(self.edited.masks, self.mask, self.n_words * sizeof(uint64_t))
            return self.graft(one, node, &self.edited, 0, out)
        if chance >= MOVE:
            # Tests of the node and of a child; below, when no child has one.
            n = right_of(&self.edited, 0)
            child = -1
            if edited[1].feature >= 0 and edited[n].feature >= 0:
                child = 1 if below(&self.state, 2) == 0 else n
            elif edited[1].feature >= 0:
                child = 1
            elif edited[n].feature >= 0:
                child = n
            if child > 0:
                held = edited[0]
                edited[0].feature = edited[child].feature
                edited[0].bound = edited[child].bound
                edited[child].feature = held.feature
                edited[child].bound = held.bound
                for n in range(self.n_words):
                    self.mask[n] = self.edited.masks[n]
                    self.edited.masks[n] = self.edited.masks[child * self.n_words + n]
                    self.edited.masks[child * self.n_words + n] = self.mask[n]
                return self.graft(one, node, &self.edited, 0, out)
        feature = edited[0].feature
        n = self.n_categories[feature]
        if n > 0:
            child = <int> below(&self.state, n)
            self.edited.masks[child >> 6] ^= <uint64_t> 1 << (child & 63)
            return self.graft(one, node, &self.edited, 0, out)
        # A threshold moves by steps of every order of magnitude.
        n = self.n_bounds[feature]
        bits = 1
        while (n >> bits) > 0:
            bits += 1
        step = 1 + <int> below(&self.state, <uint64_t> 1 << below(&self.state, bits))
        bound = edited[0].bound + (step if below(&self.state, 2) == 0 else -step)
        if bound < 0 or bound >= n:
            return self.copy(out, one)
        edited[0].bound = bound
        return self.graft(one, node, &self.edited, 0, out)

    cdef int cross(self, const Individual* one, const Individual* other, Individual* out,
                   Individual* also) except -1 nogil:
        """Two trees exchange branches, or tests where both nodes drawn have one.

        The root is drawn only in a tree that is a leaf.  `also` may be NULL.
        """
        cdef int a = 0, b = 0
        cdef bint tests = False
        if one.n > 1:
            a = 1 + <int> below(&self.state, one.n - 1)
        if other.n > 1:
            b = 1 + <int> below(&self.state, other.n - 1)
        if one.nodes[a].feature >= 0 and other.nodes[b].feature >= 0:
            tests = below(&self.state, 2) == 1
        self.receive(one, a, other, b, tests, out)
        if also != NULL:
            return self.receive(other, b, one, a, tests, also)
        return 0

    cdef int receive(self, const Individual* one, int node, const Individual* giver, int given,
                     bint test, Individual* out) except -1 nogil:
        self.reach(one, node)
        if not test:
            return self.graft(one, node, giver, given, out)
        self.edit(one, node)
        self.edited.nodes[0].feature = giver.nodes[given].feature
        self.edited.nodes[0].bound = giver.nodes[given].bound
        memcpy(self.edited.masks, giver.masks + given * self.n_words,
               self.n_words * sizeof(uint64_t))
        return self.graft(one, node, &self.edited, 0, out)

    cdef void rank(self) noexcept nogil:
        cdef int i
        for i in range(self.size):
            self.ranks[i].fitness = self.individuals[i].fitness
            self.ranks[i].n_leaves = self.individuals[i].n_leaves
            self.ranks[i].index = i
        qsort(self.ranks, self.size, sizeof(Rank), by_fitness)

    cdef void note(self, double[:, ::1] history, Py_ssize_t g) noexcept nogil:
        cdef int i
        cdef double total = 0.0
        cdef Individual* one = &self.individuals[self.ranks[0].index]
        for i in range(self.size):
            total += self.individuals[i].fitness
        history[g, 0] = one.fitness
        history[g, 1] = total / self.size
        history[g, 2] = one.n_leaves
        history[g, 3] = one.accuracy

    cdef int generation(self, double crossover_rate, double mutation_rate,
                        int elitism) except -1 nogil:
        cdef int filled = 0, child, n_children
        cdef const Individual* one
        cdef const Individual* other
        cdef Individual* swap
        while filled < elitism:
            self.copy(&self.offspring[filled],
                      &self.individuals[self.ranks[filled].index])
            filled += 1
        while filled < self.size:
            one = self.select()
            n_children = 1
            if uniform(&self.state) < crossover_rate:
                other = self.select()
                n_children = 2 if filled + 1 < self.size else 1
                self.cross(one, other, &self.first,
                           &self.second if n_children == 2 else NULL)
                one = &self.first
            for child in range(n_children):
                if child == 1:
                    one = &self.second
                if uniform(&self.state) < mutation_rate:
                    self.mutate(one, &self.offspring[filled])
                else:
                    self.copy(&self.offspring[filled], one)
                filled += 1
        swap = self.individuals
        self.individuals = self.offspring
        self.offspring = swap
        return 0


def draw_below(uint64_t seed, bounds):
    """One `below` after the other, for tests: list of int."""
    cdef uint64_t state = seed
    return [below(&state, n) for n in bounds]
