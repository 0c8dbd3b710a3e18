"""A tree of the evolution: nodes in preorder, and what moves and measures them."""

from libc.stdint cimport uint64_t
from libc.string cimport memcpy

from hedgerow.tree._arena cimport Arena


cdef struct Node:
    int feature         # -1 at leaves
    int bound           # numeric tests: codes above it go right; else 0
    int size            # nodes of the branch, this one included
    double share_left   # of the known weight; where the value is missing, the gate
    double weight       # training weight
    double n_counted    # the same as minima count it
    double correct      # weight of the largest class


cdef struct Individual:
    Node* nodes
    uint64_t* masks     # n_words per node: categories that go left
    int n, capacity
    int n_leaves
    double accuracy, fitness


cdef struct Rank:
    double fitness
    int n_leaves, index


cdef inline int by_fitness(const void* a, const void* b) noexcept nogil:
    """Fitter first; ties: fewer leaves, then older."""
    cdef const Rank* p = <const Rank*> a
    cdef const Rank* q = <const Rank*> b
    if p.fitness != q.fitness:
        return -1 if p.fitness > q.fitness else 1
    if p.n_leaves != q.n_leaves:
        return -1 if p.n_leaves < q.n_leaves else 1
    return (p.index > q.index) - (p.index < q.index)


cdef inline int right_of(const Individual* one, int node) noexcept nogil:
    return node + 1 + one.nodes[node + 1].size


cdef inline int reserve(Individual* one, Arena memory, int n, Py_ssize_t n_words) except -1 nogil:
    """Room for n nodes at least."""
    cdef int capacity
    if n <= one.capacity and one.nodes != NULL:
        return 0
    capacity = 2 * n + 30
    one.nodes = <Node*> memory.resized(one.nodes, capacity, sizeof(Node))
    one.masks = <uint64_t*> memory.resized(one.masks, capacity * n_words + 1, sizeof(uint64_t))
    one.capacity = capacity
    return 0


cdef inline void copy_nodes(Individual* out, int to, const Individual* one, int start, int n,
                            Py_ssize_t n_words) noexcept nogil:
    memcpy(out.nodes + to, one.nodes + start, n * sizeof(Node))
    if n_words > 0:
        memcpy(out.masks + to * n_words, one.masks + start * n_words,
               n * n_words * sizeof(uint64_t))


cdef inline void measure_from(Individual* one, int first) noexcept nogil:
    """Sizes of the branches of the nodes from `first` on, the last ones of the array."""
    cdef int i = one.n - 1
    while i >= first:
        one.nodes[i].size = 1
        if one.nodes[i].feature >= 0:
            one.nodes[i].size += one.nodes[i + 1].size
            one.nodes[i].size += one.nodes[right_of(one, i)].size
        i -= 1


cdef inline void measure(Individual* one) noexcept nogil:
    measure_from(one, 0)


cdef inline int inner_node(const Individual* one, int k) noexcept nogil:
    """Number of the k-th test, in preorder."""
    cdef int i = 0
    while True:
        if one.nodes[i].feature >= 0:
            if k == 0:
                return i
            k -= 1
        i += 1


cdef inline int depth_of(const Individual* one, int node) noexcept nogil:
    cdef int at = 0, depth = 0, right
    while at != node:
        right = right_of(one, at)
        at = right if node >= right else at + 1
        depth += 1
    return depth
