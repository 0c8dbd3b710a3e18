# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The traversal: shares of instances at every node they reach.

`predict_proba`, `apply` and `decision_path` read the same visit, so they treat missing values,
new categories and soft gates alike.
"""

import numpy as np

from libc.math cimport isnan
from libc.stdlib cimport free, malloc, realloc

from hedgerow.tree._gates cimport (
    hedgerow_phi_fill,
    linear_gate,
    normal_gate,
    pdf_gate,
    step_gate,
    subset_gate,
)

hedgerow_phi_fill()


cdef struct Plan:
    # One tree and the gates that it is read with; borrowed pointers, nothing owned.
    const int* feature          # -1 at leaves
    const double* threshold     # NaN at tests on categories
    const double* center        # centre of a soft gate, unit of the variable
    const int* children_left
    const int* children_right
    const double* share_left    # share of the known training weight that went left
    const unsigned char* categories_left   # nodes x n_categories
    Py_ssize_t n_categories
    const double* sigma         # per variable; NULL or 0: hard gate
    double half_window          # in units of sigma
    const double* lower         # per node; NULL: neither conditioned nor piecewise linear
    const double* upper
    const double* given         # nodes x instances, gates worked out beforehand; NULL: none
    Py_ssize_t n_instances
    int root                    # where instances enter


cdef inline double share_of(const Plan* plan, int node, const double* row, Py_ssize_t stride,
                            Py_ssize_t instance) noexcept nogil:
    cdef int j = plan.feature[node]
    cdef double x = row[j * stride]
    if isnan(x):
        return plan.share_left[node]
    if isnan(plan.threshold[node]):
        return subset_gate(x, plan.categories_left + node * plan.n_categories,
                           plan.n_categories, plan.share_left[node])
    if plan.given != NULL:
        return plan.given[node * plan.n_instances + instance]
    if plan.sigma != NULL and plan.sigma[j] > 0:
        if plan.lower != NULL:
            return pdf_gate(x, plan.threshold[node], plan.lower[node], plan.upper[node],
                            plan.sigma[j], plan.half_window)
        return normal_gate(x, plan.center[node], plan.sigma[j], plan.half_window)
    if plan.sigma == NULL and plan.lower != NULL:
        return linear_gate(x, plan.lower[node], plan.threshold[node], plan.upper[node])
    return step_gate(x, plan.threshold[node])


cdef Py_ssize_t visit(const Plan* plan, const double* row, Py_ssize_t stride,
                      Py_ssize_t instance, int* nodes, double* shares, int* stack,
                      double* stack_share) noexcept nogil:
    """Write the nodes that the instance reaches (share > 0), in preorder; return their number."""
    cdef Py_ssize_t n = 0
    cdef Py_ssize_t top = 1
    cdef int node
    cdef double share, left
    stack[0] = plan.root
    stack_share[0] = 1.0
    while top > 0:
        top -= 1
        node = stack[top]
        share = stack_share[top]
        nodes[n] = node
        shares[n] = share
        n += 1
        if plan.feature[node] < 0:
            continue
        left = share_of(plan, node, row, stride, instance)
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
    cdef double t
    with nogil:
        for node in range(n):
            if feature[node] < 0:
                continue
            child = <int> node
            above = parent[node]
            while above >= 0:
                t = threshold[above]
                if feature[above] == feature[node] and not isnan(t):
                    if children_left[above] == child:
                        high[node] = t if t < high[node] else high[node]
                    else:
                        low[node] = t if t > low[node] else low[node]
                child = above
                above = parent[above]
    return lower, upper


cdef class Traversal:
    """Walks a tree for a table of instances.

    Parameters
    ----------
    feature, children_left, children_right : (n_nodes,) int32
    threshold, center, share_left : (n_nodes,) float64
    categories_left : (n_nodes, n_categories) uint8
    sigma : (n_variables,) float64 or None
        Standard deviation of the normal gate of each variable; None or 0: hard.
    half_window : float
        Where the normal gate is cut, in units of sigma.
    lower, upper : (n_nodes,) float64 or None
        With sigma: the interval that the tests above left of the node's variable, on which the
        gate is conditioned (UDT). Without: the bounds of a piecewise-linear gate (PLT).
    """

    cdef const int[::1] feature, children_left, children_right
    cdef const double[::1] threshold, center, share_left
    cdef const unsigned char[:, ::1] categories_left
    cdef const double[::1] sigma, lower, upper
    cdef const double[:, ::1] given
    cdef Plan plan
    cdef Py_ssize_t n_nodes
    cdef int* nodes
    cdef int* stack
    cdef double* shares
    cdef double* stack_share

    def __cinit__(self, const int[::1] feature, const double[::1] threshold,
                  const double[::1] center, const int[::1] children_left,
                  const int[::1] children_right, const double[::1] share_left,
                  const unsigned char[:, ::1] categories_left, sigma=None,
                  double half_window=3.0, lower=None, upper=None):
        self.feature = feature
        self.threshold = threshold
        self.center = center
        self.children_left = children_left
        self.children_right = children_right
        self.share_left = share_left
        self.categories_left = categories_left
        self.n_nodes = feature.shape[0]
        self.plan.feature = &feature[0]
        self.plan.threshold = &threshold[0]
        self.plan.center = &center[0]
        self.plan.children_left = &children_left[0]
        self.plan.children_right = &children_right[0]
        self.plan.share_left = &share_left[0]
        self.plan.n_categories = categories_left.shape[1]
        self.plan.categories_left = &categories_left[0, 0] if categories_left.size else NULL
        self.plan.sigma = NULL
        self.plan.half_window = half_window
        self.plan.given = NULL
        self.plan.n_instances = 0
        self.plan.root = 0
        self.plan.lower = NULL
        self.plan.upper = NULL
        if lower is not None:
            self.lower = lower
            self.upper = upper
            self.plan.lower = &self.lower[0]
            self.plan.upper = &self.upper[0]
        if sigma is not None:
            self.sigma = sigma
            if self.sigma.shape[0]:
                self.plan.sigma = &self.sigma[0]
        self.nodes = <int*> malloc((self.n_nodes + 1) * sizeof(int))
        self.stack = <int*> malloc((self.n_nodes + 2) * sizeof(int))
        self.shares = <double*> malloc((self.n_nodes + 1) * sizeof(double))
        self.stack_share = <double*> malloc((self.n_nodes + 2) * sizeof(double))
        if (self.nodes == NULL or self.stack == NULL or self.shares == NULL
                or self.stack_share == NULL):
            raise MemoryError("no memory for the traversal of a tree")

    def __dealloc__(self):
        free(self.nodes)
        free(self.stack)
        free(self.shares)
        free(self.stack_share)

    def set_given(self, const double[:, ::1] given):
        """Use gates worked out beforehand, (n_nodes, n_instances), at numeric tests."""
        self.given = given
        self.plan.given = &given[0, 0] if given.size else NULL
        self.plan.n_instances = given.shape[1]

    def mix(self, const double[:, :] X, const double[:, ::1] leaf_value, int root=0):
        """Average of `leaf_value` (n_nodes, k), weighted by the share of each leaf: (n, k).

        root: the node at which instances enter.
        """
        cdef Py_ssize_t n = X.shape[0], k = leaf_value.shape[1]
        out = np.zeros((n, k))
        cdef double[:, ::1] result = out
        cdef Py_ssize_t i, v, c, count
        cdef Py_ssize_t row_step = X.strides[0] // sizeof(double)
        cdef Py_ssize_t stride = X.strides[1] // sizeof(double)
        cdef const double* base = &X[0, 0] if n and X.shape[1] else NULL
        self.plan.root = root
        with nogil:
            for i in range(n):
                count = visit(&self.plan, base + i * row_step, stride, i, self.nodes,
                              self.shares, self.stack, self.stack_share)
                for v in range(count):
                    if self.plan.feature[self.nodes[v]] < 0:
                        for c in range(k):
                            result[i, c] += self.shares[v] * leaf_value[self.nodes[v], c]
        self.plan.root = 0
        return out

    def apply(self, const double[:, :] X):
        """The leaf with the largest share of each instance (ties: lower index): (n,) intp."""
        cdef Py_ssize_t n = X.shape[0]
        out = np.zeros(n, dtype=np.intp)
        cdef Py_ssize_t[::1] result = out
        cdef Py_ssize_t i, v, count
        cdef Py_ssize_t row_step = X.strides[0] // sizeof(double)
        cdef Py_ssize_t stride = X.strides[1] // sizeof(double)
        cdef const double* base = &X[0, 0] if n and X.shape[1] else NULL
        cdef double best
        cdef int node
        with nogil:
            for i in range(n):
                count = visit(&self.plan, base + i * row_step, stride, i, self.nodes,
                              self.shares, self.stack, self.stack_share)
                best = -1.0
                for v in range(count):
                    node = self.nodes[v]
                    if self.plan.feature[node] < 0 and (
                            self.shares[v] > best
                            or (self.shares[v] == best and node < result[i])):
                        best = self.shares[v]
                        result[i] = node
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
        cdef Py_ssize_t row_step = X.strides[0] // sizeof(double)
        cdef Py_ssize_t stride = X.strides[1] // sizeof(double)
        cdef const double* base = &X[0, 0] if n and X.shape[1] else NULL
        nodes = np.empty(capacity, dtype=np.int32)
        shares = np.empty(capacity)
        cdef int[::1] node_view = nodes
        cdef double[::1] share_view = shares
        for i in range(n):
            if used + self.n_nodes > capacity:
                capacity = 2 * capacity + self.n_nodes
                nodes = np.resize(nodes, capacity)
                shares = np.resize(shares, capacity)
                node_view = nodes
                share_view = shares
            with nogil:
                count = visit(&self.plan, base + i * row_step, stride, i, self.nodes,
                              self.shares, self.stack, self.stack_share)
                for v in range(count):
                    node_view[used + v] = self.nodes[v]
                    share_view[used + v] = self.shares[v]
                used += count
                pointer[i + 1] = used
        return indptr, nodes[:used].copy(), shares[:used].copy()
