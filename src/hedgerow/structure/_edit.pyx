# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The exact edit distance of sorted trees (Zhang and Shasha 1989).

With insertions and deletions of cost 1, the distance of trees with n1 and n2 tests is
n1 + n2 - G.  G is the largest total gain of a mapping between their tests that keeps ancestors
and order; a pair of tests gains 2 minus its substitution cost, which is never below 0.  In gains
the recursion has zeros on its borders and no addition along a row.

Gains are whole multiples of 2^-44, so that sums are exact: a distance depends neither on the order
in which it was summed nor on which of the two trees comes first.
"""

import numpy as np

from libc.math cimport fabs, isnan, llrint
from libc.stdint cimport int64_t
from libc.string cimport memset

from hedgerow.tree._arena cimport Arena

cdef double SCALE = 17592186044416.0    # 2^44
GRAIN = 1.0 / SCALE

cdef struct Half:
    # One direction of a tree: its own order or the mirrored one.
    const int* test     # number of the test in the table of gains, in postorder
    const int* first    # place of the leftmost leaf below each node
    const int* key      # keyroots with at least one node below them, ascending
    int n_key
    double work         # sum of the sizes of the keyroots' branches


cdef struct Shape:
    int n               # tests
    double size         # all nodes, leaves included
    Half half[2]


cdef inline int64_t larger(int64_t a, int64_t b) noexcept nogil:
    return a if a > b else b


cdef class Forest:
    """Sorted trees as the edit distance reads them.

    Parameters
    ----------
    start : (n_trees + 1,) int32
        Where each tree begins in the arrays that follow.
    test, first : (n,) int32
        Tests in postorder by number, and the place of the leftmost leaf below each, counted from
        the begin of the tree.
    test_mirrored, first_mirrored : (n,) int32
        The same of the mirrored trees.
    size : (n_trees,) float64
        Number of nodes, leaves included.
    """

    cdef Arena memory
    cdef Shape* shape
    cdef int* key
    cdef readonly int n_trees, largest
    cdef const int[::1] _test, _first, _test_mirrored, _first_mirrored

    def __cinit__(self, const int[::1] start, const int[::1] test, const int[::1] first,
                  const int[::1] test_mirrored, const int[::1] first_mirrored,
                  const double[::1] size):
        cdef Py_ssize_t n = start.shape[0] - 1, total = test.shape[0], t, way
        cdef int at
        cdef int* last
        self._test, self._first = test, first
        self._test_mirrored, self._first_mirrored = test_mirrored, first_mirrored
        self.n_trees = <int> n
        self.largest = 0
        self.memory = Arena("for the trees to compare")
        self.shape = <Shape*> self.memory.take(n, sizeof(Shape))
        self.key = <int*> self.memory.take(2 * total, sizeof(int))
        if total == 0:
            for t in range(n):
                memset(&self.shape[t], 0, sizeof(Shape))
                self.shape[t].size = size[t]
            return
        last = <int*> self.memory.take(total, sizeof(int))
        for t in range(n):
            at = start[t]
            self.shape[t].n = start[t + 1] - at
            self.shape[t].size = size[t]
            self.largest = max(self.largest, self.shape[t].n)
            if self.shape[t].n == 0:
                memset(self.shape[t].half, 0, 2 * sizeof(Half))
                continue
            for way in range(2):
                self.shape[t].half[way].test = &test_mirrored[at] if way else &test[at]
                self.shape[t].half[way].first = &first_mirrored[at] if way else &first[at]
                keyroots(&self.shape[t].half[way], self.shape[t].n, self.key + way * total + at,
                         last)
        self.memory.give_back(last)


cdef void keyroots(Half* half, int n, int* key, int* last) noexcept nogil:
    """The last node of each leftmost path.  Single nodes are left out: `leaves` does them.

    last : (n,) scratch
    """
    cdef int i
    half.work = 0.0
    half.n_key = 0
    for i in range(n):
        last[half.first[i]] = i
    for i in range(n):
        if last[half.first[i]] != i:
            continue
        half.work += i - half.first[i] + 1
        if half.first[i] < i:
            key[half.n_key] = i
            half.n_key += 1
    half.key = key


cdef void leaves(const Half* a, int n1, const Half* b, int n2, const int64_t* gain,
                 Py_ssize_t stride, int64_t* T) noexcept nogil:
    """Gains between single nodes of one tree and all branches of the other.

    A single node is mapped to one node of the branch, the one with the largest gain.
    """
    cdef int i, j, c
    cdef const int64_t* row
    cdef int64_t best
    cdef int64_t* line
    for i in range(n1):
        if a.first[i] != i:
            continue
        row = gain + a.test[i] * stride
        line = T + <Py_ssize_t> i * n2
        for j in range(n2):
            best = row[b.test[j]]
            c = j - 1
            while c >= b.first[j]:
                best = larger(best, line[c])
                c = b.first[c] - 1
            line[j] = best
    for j in range(n2):
        if b.first[j] != j:
            continue
        for i in range(n1):
            if a.first[i] == i:
                continue
            best = gain[a.test[i] * stride + b.test[j]]
            c = i - 1
            while c >= a.first[i]:
                best = larger(best, T[<Py_ssize_t> c * n2 + j])
                c = a.first[c] - 1
            T[<Py_ssize_t> i * n2 + j] = best


cdef void fill(const Half* a, int k1, const Half* b, int k2, int n2, const int64_t* gain,
               Py_ssize_t stride, int64_t* T, int64_t* h) noexcept nogil:
    """Gains between the forests that begin with the branches of k1 and k2.

    h has n2 + 1 columns; its first row and column are zero.  Row i - l1 + 1 and column j - l2 + 1
    are the forests that end with i and j.  T gets the gains of the pairs of branches on both
    leftmost paths; the others are known from keyroots before.
    """
    cdef int l1 = a.first[k1], l2 = b.first[k2], i, j, m = k2 - l2 + 1
    cdef Py_ssize_t w = n2 + 1
    cdef const int* first = b.first + l2
    cdef const int* test = b.test + l2
    cdef const int64_t* row
    cdef const int64_t* up
    cdef const int64_t* before
    cdef int64_t* line
    cdef int64_t* cur
    cdef int64_t best, v
    for i in range(l1, k1 + 1):
        cur = h + (i - l1 + 1) * w
        up = cur - w
        line = T + <Py_ssize_t> i * n2 + l2
        best = 0
        if a.first[i] == l1:
            row = gain + a.test[i] * stride
            for j in range(m):
                if first[j] == l2:
                    v = larger(up[j] + row[test[j]], up[j + 1])
                    best = larger(best, v)
                    line[j] = best
                else:
                    v = larger(line[j], up[j + 1])
                    best = larger(best, v)
                cur[j + 1] = best
        else:
            before = h + (a.first[i] - l1) * w - l2
            for j in range(m):
                v = larger(before[first[j]] + line[j], up[j + 1])
                best = larger(best, v)
                cur[j + 1] = best


cdef int64_t largest_gain(const Half* a, int n1, const Half* b, int n2, const int64_t* gain,
                          Py_ssize_t stride, int64_t* T, int64_t* h) noexcept nogil:
    """The gain of the best mapping; T has those of all pairs of branches."""
    cdef int x, y, i
    if n1 == 0 or n2 == 0:
        return 0
    leaves(a, n1, b, n2, gain, stride, T)
    if a.n_key and b.n_key:
        memset(h, 0, (n2 + 1) * sizeof(int64_t))
        for i in range(1, n1 + 1):
            h[i * <Py_ssize_t> (n2 + 1)] = 0
        for x in range(a.n_key):
            for y in range(b.n_key):
                fill(a, a.key[x], b, b.key[y], n2, gain, stride, T, h)
    return T[<Py_ssize_t> n1 * n2 - 1]


cdef inline double distance_of(const Shape* s, const Shape* t, int64_t gain,
                               bint normalized) noexcept nogil:
    cdef int64_t grains = (<int64_t> (s.n + t.n)) * <int64_t> SCALE - gain
    cdef double distance = grains / SCALE
    return distance / (s.size + t.size) if normalized else distance


def distances(Forest rows, Forest columns, const int64_t[:, ::1] gain, bint normalized,
              Py_ssize_t row, Py_ssize_t column, double[:, :] out, bint square):
    """Distances of all trees of one forest to all of another, into a part of a matrix.

    Parameters
    ----------
    gain : (tests of rows, tests of columns) int64
        From `gains`.
    row, column : int
        Where the part begins in `out`.
    square : bool
        The matrix is that of one list of trees: write the mirrored part as well, and of a part
        on the diagonal work out one half.
    """
    cdef Py_ssize_t n1 = rows.largest, n2 = columns.largest, i, j, stride = gain.shape[1], from_
    cdef const int64_t* table = NULL
    cdef int way
    cdef Shape* s
    cdef Shape* t
    cdef int64_t* T
    cdef int64_t* h
    cdef double d
    cdef bint diagonal = square and row == column
    cdef Arena memory = Arena(f"to compare trees of {n1} and {n2} tests")
    if gain.shape[0] and gain.shape[1]:
        table = &gain[0, 0]
    with nogil:
        T = <int64_t*> memory.take(n1 * n2 + 1, sizeof(int64_t))
        h = <int64_t*> memory.take((n1 + 1) * (n2 + 1), sizeof(int64_t))
        for i in range(rows.n_trees):
            s = &rows.shape[i]
            from_ = 0
            if diagonal:
                from_ = i + 1
                out[row + i, row + i] = 0.0
            for j in range(from_, columns.n_trees):
                t = &columns.shape[j]
                # Both directions give the same; one may have less to do.
                way = s.half[0].work * t.half[0].work > s.half[1].work * t.half[1].work
                d = distance_of(s, t, largest_gain(&s.half[way], s.n, &t.half[way], t.n, table,
                                                   stride, T, h), normalized)
                out[row + i, column + j] = d
                if square:
                    out[column + j, row + i] = d


def mapping(Forest rows, Forest columns, const int64_t[:, ::1] gain):
    """A best mapping between the first trees of two forests.

    Every pair gains something: one that does not is a deletion and an insertion.

    Returns
    -------
    distance : float
    pairs : (k, 2) int32
        Places in postorder.
    """
    cdef Shape* s = &rows.shape[0]
    cdef Shape* t = &columns.shape[0]
    cdef Half* a = &s.half[0]
    cdef Half* b = &t.half[0]
    cdef int n1 = s.n, n2 = t.n, x, y, i, j, l1, l2, top = 0, m = 0
    cdef Py_ssize_t w = n2 + 1, stride = gain.shape[1]
    cdef const int64_t* table
    cdef int64_t here
    if n1 == 0 or n2 == 0:
        return float(n1 + n2), np.empty((0, 2), dtype=np.int32)
    table = &gain[0, 0]
    branch_ = np.empty((n1, n2), dtype=np.int64)
    forest_ = np.zeros((n1 + 1, n2 + 1), dtype=np.int64)
    pairs_ = np.empty((min(n1, n2), 2), dtype=np.int32)
    stack_ = np.empty((n1 + n2, 2), dtype=np.int32)
    cdef int64_t[:, ::1] branch = branch_, forest = forest_
    cdef int[:, ::1] pairs = pairs_, stack = stack_
    cdef int64_t* T = &branch[0, 0]
    cdef int64_t* h = &forest[0, 0]
    with nogil:
        largest_gain(a, n1, b, n2, table, stride, T, h)
        stack[0, 0], stack[0, 1] = n1 - 1, n2 - 1
        top = 1
        while top > 0:
            top -= 1
            i, j = stack[top, 0], stack[top, 1]
            fill(a, i, b, j, n2, table, stride, T, h)
            l1, l2 = a.first[i], b.first[j]
            x, y = i, j
            while x >= l1 and y >= l2:
                here = h[(x - l1 + 1) * w + y - l2 + 1]
                if here == h[(x - l1) * w + y - l2 + 1]:
                    x -= 1
                elif here == h[(x - l1 + 1) * w + y - l2]:
                    y -= 1
                elif a.first[x] == l1 and b.first[y] == l2:
                    pairs[m, 0], pairs[m, 1] = x, y
                    m += 1
                    x -= 1
                    y -= 1
                else:
                    stack[top, 0], stack[top, 1] = x, y
                    top += 1
                    x, y = a.first[x] - 1, b.first[y] - 1
    return distance_of(s, t, branch_[n1 - 1, n2 - 1], False), pairs_[:m]


def gains(const int[::1] feature, const double[::1] threshold, const unsigned char[:, ::1] subset,
          const int[::1] feature2, const double[::1] threshold2,
          const unsigned char[:, ::1] subset2, const double[::1] iqr, const double[:, ::1] rho,
          const unsigned char[::1] unordered, double dearer):
    """Gain, 2 minus the substitution cost, of each test against each (equations 5.2 to 5.5).

    Parameters
    ----------
    feature : (k,) int32
    threshold : (k,) float64
        NaN at tests on categories.
    subset : (k, n_categories) uint8
        1: left, 0: right, 2: neither (does not occur, or unknown to the tree).
    feature2, threshold2, subset2 : the same of the other tests
    iqr : (m,) float64
        Interquartile range of each variable.
    rho : (m, m) float64
        Absolute correlations; zeros where the cost does not use them.
    unordered : (m,) uint8
        Variables with more than two values: as categories they have no correlation.
    dearer : float
        What type A adds, 1 or 0.

    Returns
    -------
    (k, k2) int64, multiples of 2^-44
    """
    cdef Py_ssize_t n = feature.shape[0], n2 = feature2.shape[0], i, j
    cdef int f, g
    cdef bint cat, cat2
    cdef double cost
    out_ = np.empty((n, n2), dtype=np.int64)
    cdef int64_t[:, ::1] out = out_
    with nogil:
        for i in range(n):
            f = feature[i]
            cat = isnan(threshold[i])
            for j in range(n2):
                g = feature2[j]
                cat2 = isnan(threshold2[j])
                if f != g:
                    cost = 1.0 - rho[f, g]
                    if (cat and unordered[f]) or (cat2 and unordered[g]):
                        cost = 1.0
                    cost += dearer
                elif cat and cat2:
                    cost = unlike(&subset[i, 0], &subset2[j, 0], subset.shape[1])
                    cost = cost + dearer if cost >= 0 else 0.0
                elif cat or cat2:       # a threshold against a subset: as unlike as can be
                    cost = 1.0 + dearer
                elif threshold[i] == threshold2[j]:
                    cost = 0.0
                else:
                    cost = 1.0
                    if iqr[f] > 0:
                        cost = min(1.0, fabs(threshold[i] - threshold2[j]) / iqr[f])
                    cost += dearer
                out[i, j] = llrint((2.0 - cost) * SCALE)
    return out_


cdef double unlike(const unsigned char* a, const unsigned char* b,
                   Py_ssize_t n) noexcept nogil:
    """Jmin of two divisions of the categories into left and right; -1 for the same division."""
    cdef Py_ssize_t both[3][3]      # categories on side .. of the one and side .. of the other
    cdef Py_ssize_t left = 0, right = 0, left2 = 0, right2 = 0, c, x, y
    for x in range(3):
        for y in range(3):
            both[x][y] = 0
    for c in range(n):
        both[a[c]][b[c]] += 1
    for x in range(3):
        left += both[1][x]
        right += both[0][x]
        left2 += both[x][1]
        right2 += both[x][0]
    cdef double straight = 0.5 * (jaccard(both[1][1], left, left2)
                                  + jaccard(both[0][0], right, right2))
    cdef double crossed = 0.5 * (jaccard(both[1][0], left, right2)
                                 + jaccard(both[0][1], right, left2))
    cdef double alike = max(straight, crossed)
    return -1.0 if alike == 1.0 else 1.0 - alike


cdef inline double jaccard(Py_ssize_t common, Py_ssize_t n, Py_ssize_t n2) noexcept nogil:
    """Share of common elements in the union of two sets; two empty sets are alike."""
    return <double> common / (n + n2 - common) if n + n2 > 0 else 1.0
