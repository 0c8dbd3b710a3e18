"""Trees completed by C4.5 and pruned, branch by branch, and remembered."""

from hedgerow.induction._errors cimport ErrorLimits
from hedgerow.search._leaves cimport Leaves

cdef enum:
    VALIDATION = 0          # policies
    COMPLETION = 1
    KEEP = 0                # what pruning decides at a test
    LEAF = 1
    RAISE_LEFT = 2
    RAISE_RIGHT = 3


cdef struct Outcome:
    # A pruned branch, on the rows of the region where it stands.
    int action                  # its test; NONE: a leaf
    int left, right             # outcomes
    double share_left
    double errors
    double* count               # leaves: class weights
    double* confusion           # whole validation rows: right, then predicted, per class


cdef struct Decision:
    int action, left, right     # key: a test, and the outcomes of its sides
    int outcome, choice


cdef struct Visit:
    # A node of a branch on its way down a stack, and the rows that reach it.
    int outcome
    Py_ssize_t start, n, top, whole_start, n_whole, whole_top
    int parent                  # of its copy
    bint is_left


cdef class Completion(Leaves):
    cdef int policy
    cdef bint tree_pruning, raising
    cdef ErrorLimits limits
    cdef Outcome* outcomes
    cdef Decision* decisions
    cdef int n_outcomes
    cdef Py_ssize_t outcome_capacity, n_decisions, decision_size
    cdef int stamp                  # of the state at hand
    cdef Visit* visits
    cdef Py_ssize_t visit_capacity

    cdef int more_outcomes(self) except -2 nogil
    cdef int more_visits(self, Py_ssize_t n) except -2 nogil
    cdef int new_outcome(self, int action, int left, int right, double share,
                         double errors) except -2 nogil
    cdef int leaf_of(self, int r) except -2 nogil
    cdef int complete(self, int r) except -2 nogil
    cdef Decision* find_decision(self, int a, int left, int right) noexcept nogil
    cdef int more_decisions(self) except -2 nogil
    cdef int decide(self, int a, int left, int right, int* choice) except -2 nogil
    cdef void count_rows(self, Py_ssize_t start, Py_ssize_t n, double* count) noexcept nogil
    cdef int load(self, int r, bint validation) except -2 nogil
    cdef int push_sides(self, Py_ssize_t depth, int branch, Py_ssize_t start, Py_ssize_t n_left,
                        Py_ssize_t n_right, Py_ssize_t top) except -2 nogil
    cdef double estimate(self, int branch, int r, double limit) except -2.0 nogil
    cdef int renew(self, int branch, int r) except -2 nogil
    cdef double f1_of_outcome(self, int root) except -2.0 nogil
    cdef int outcome_here(self, int r) except -2 nogil
