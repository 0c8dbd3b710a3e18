# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Sorting of the nodes of a tree by the classes of one data set (thesis 5.3.1).

The rows of the data set are sent down the tree; at each test the side with more of the most
frequent class becomes the left one.  What comes out are the tests in postorder, as the edit
distance reads them.
"""

import numpy as np

from libc.math cimport fabs, isnan

from hedgerow.tree._arena cimport Arena

cdef double TIE = 1e-12     # shares closer than this are equal, summed in another order


cdef int count(const int[::1] feature, const double[::1] threshold, const int[::1] left,
               const int[::1] right, const int[::1] parent, const unsigned char[:, ::1] side,
               const double[::1, :] X, const int[::1] codes, const int[::1] depth,
               int deepest, double[:, ::1] weight, Arena memory) except -1 nogil:
    """Class weights of all nodes.

    The rows at a node are a list with weights.  The lists of a node and of all above it lie one
    behind the other: branches are visited one after the other, so that nothing else is needed.
    """
    cdef Py_ssize_t n = X.shape[0], n_nodes = feature.shape[0], i, m, here, over
    cdef Py_ssize_t capacity = 4 * max(n, 1)
    cdef int* rows = <int*> memory.take(capacity, sizeof(int))
    cdef double* w = <double*> memory.take(capacity, sizeof(double))
    cdef Py_ssize_t* start = <Py_ssize_t*> memory.take(deepest + 2, sizeof(Py_ssize_t))
    cdef double* share = <double*> memory.take(n_nodes, sizeof(double))
    cdef int* stack = <int*> memory.take(n_nodes + 1, sizeof(int))
    cdef int node, above, top = 0, d, j, row, c
    cdef unsigned char goes
    cdef double x, known, known_left, part
    cdef bint wants_left
    start[0] = 0
    stack[0] = 0
    top = 1
    while top > 0:
        top -= 1
        node = stack[top]
        d = depth[node]
        here = start[d]
        m = 0
        if here + n > capacity:
            capacity = 2 * (here + n)
            rows = <int*> memory.resized(rows, capacity, sizeof(int))
            w = <double*> memory.resized(w, capacity, sizeof(double))
        if node == 0:
            for i in range(n):
                rows[i] = <int> i
                w[i] = 1.0
            m = n
        else:
            above = parent[node]
            j = feature[above]
            wants_left = left[above] == node
            over = start[d - 1]
            for i in range(over, here):
                row = rows[i]
                part = w[i]
                goes = way(X[row, j], threshold[above], side, above)
                if goes == 2:
                    part *= share[above] if wants_left else 1.0 - share[above]
                    if part <= 0:
                        continue
                elif (goes == 1) != wants_left:
                    continue
                rows[here + m] = row
                w[here + m] = part
                m += 1
        start[d + 1] = here + m
        for i in range(m):
            weight[node, codes[rows[here + i]]] += w[here + i]
        if feature[node] < 0:
            continue
        known = 0.0
        known_left = 0.0
        j = feature[node]
        for i in range(m):
            goes = way(X[rows[here + i], j], threshold[node], side, node)
            if goes != 2:
                known += w[here + i]
                if goes == 1:
                    known_left += w[here + i]
        # Nothing known: no row tells the sides apart.
        share[node] = known_left / known if known > 0 else 0.5
        stack[top] = right[node]
        stack[top + 1] = left[node]
        top += 2
    return 0


cdef inline unsigned char way(double x, double threshold, const unsigned char[:, ::1] side,
                              int node) noexcept nogil:
    """1: left, 0: right, 2: the value is missing, or a category that the tree does not know."""
    if isnan(x):
        return 2
    if not isnan(threshold):
        return 1 if x < threshold else 0
    if x < 0 or x >= side.shape[1]:
        return 2
    return side[node, <int> x]


cdef bint sides_swap(const double* left, const double* right, const int[::1] order,
                     bint otherwise) noexcept nogil:
    """Whether the right child has to become the left one, by the shares of their classes."""
    cdef Py_ssize_t r
    cdef double difference
    for r in range(order.shape[0]):
        difference = left[order[r]] - right[order[r]]
        if fabs(difference) > TIE:
            # The first class belongs to the left, every later one to the right.
            return (difference < 0) if r == 0 else (difference > 0)
    return otherwise


def sort_tree(const int[::1] feature, const double[::1] threshold, const int[::1] left,
              const int[::1] right, const int[::1] parent, const unsigned char[:, ::1] side,
              const double[::1, :] X, const int[::1] codes, const int[::1] order):
    """Class weights of a data set at the nodes of a tree, which tests swap, and both postorders.

    Parameters
    ----------
    feature, threshold, left, right, parent : as in `hedgerow.Tree`
    side : (n_nodes, n_categories) uint8
        Categories in the codes of X: 1 left, 0 right, 2 unknown to the tree.
    X : (n, m) float64, columns contiguous
    codes : (n,) int32
        Classes of the rows.
    order : (K,) int32
        Classes by falling frequency.

    Returns
    -------
    weight : (n_nodes, K) float64
        Rows with a missing value are divided as those are whose value is known.
    swaps : (n_nodes,) uint8
    forwards, first_forwards : (n_tests,) int32
        Nodes of the tests in postorder, and the place of the leftmost leaf below each.
    backwards, first_backwards : (n_tests,) int32
        The same of the mirrored tree.
    """
    cdef Py_ssize_t n_nodes = feature.shape[0], K = order.shape[0], c, n_categories
    cdef int node, l, r, deepest = 0
    cdef Arena memory = Arena("to count the classes at the nodes of a tree")
    cdef bint otherwise
    cdef double total
    depth_ = np.zeros(n_nodes, dtype=np.int32)
    weight_ = np.zeros((n_nodes, K))
    share_ = np.empty((n_nodes, K))
    swaps_ = np.zeros(n_nodes, dtype=np.uint8)
    cdef int[::1] depth = depth_
    cdef double[:, ::1] weight = weight_, share = share_
    cdef unsigned char[::1] swaps = swaps_
    with nogil:
        for node in range(1, n_nodes):      # parents have lower numbers
            depth[node] = depth[parent[node]] + 1
            deepest = max(deepest, depth[node])
        count(feature, threshold, left, right, parent, side, X, codes, depth, deepest, weight,
              memory)
    with nogil:
        for node in range(n_nodes):
            total = 0.0
            for c in range(K):
                total += weight[node, c]
            for c in range(K):
                if total > 0:
                    share[node, c] = weight[node, c] / total
                else:       # as above it
                    share[node, c] = 1.0 / K if node == 0 else share[parent[node], c]
        for node in range(n_nodes):
            if feature[node] < 0:
                continue
            l, r = left[node], right[node]
            # Nothing tells the sides apart: below the threshold is left; of categories, the
            # side that has the first one, however the subset was written down.
            otherwise = False
            if isnan(threshold[node]):
                for c in range(side.shape[1]):
                    if side[node, c] != 2:
                        otherwise = side[node, c] == 0
                        break
            swaps[node] = sides_swap(&share[l, 0], &share[r, 0], order, otherwise)
    forwards = postorder(feature, left, right, swaps, False)
    backwards = postorder(feature, left, right, swaps, True)
    return weight_, swaps_, forwards[0], forwards[1], backwards[0], backwards[1]


cdef postorder(const int[::1] feature, const int[::1] left, const int[::1] right,
               const unsigned char[::1] swaps, bint mirrored):
    """Tests in postorder, and the place of the leftmost leaf below each."""
    cdef Py_ssize_t n_nodes = feature.shape[0], n = 0, i
    cdef int node, top = 0, a, b
    for i in range(n_nodes):
        n += feature[i] >= 0
    nodes_ = np.empty(n, dtype=np.int32)
    first_ = np.empty(n, dtype=np.int32)
    stack_ = np.empty(n + 1, dtype=np.int32)
    place_ = np.empty(n_nodes, dtype=np.int32)
    if n == 0:
        return nodes_, first_
    cdef int[::1] nodes = nodes_, first = first_, stack = stack_, place = place_
    with nogil:
        # The reverse of a preorder that takes the right side first.
        stack[0] = 0
        top = 1
        i = n
        while top > 0:
            top -= 1
            node = stack[top]
            i -= 1
            nodes[i] = node
            a, b = left[node], right[node]
            if swaps[node] != mirrored:
                a, b = b, a
            if feature[a] >= 0:
                stack[top] = a
                top += 1
            if feature[b] >= 0:
                stack[top] = b
                top += 1
        for i in range(n):
            node = nodes[i]
            place[node] = <int> i
            a, b = left[node], right[node]
            if swaps[node] != mirrored:
                a, b = b, a
            if feature[a] >= 0:
                first[i] = first[place[a]]
            elif feature[b] >= 0:
                first[i] = first[place[b]]
            else:
                first[i] = <int> i
    return nodes_, first_
