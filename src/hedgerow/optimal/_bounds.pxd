"""The tree of least cost up to a depth, by branch and bound over intervals of thresholds.

A tree costs the sum over its leaves of a function of their class weights, and a penalty for each.
The function is such that what two sets cost together is at least what they cost apart, so that a
branch with more of every row never costs less.  All tests of one variable between two thresholds
therefore have a left branch that costs at least that of the lower one and a right branch that
costs at least that of the upper one: an *interval* that is bounded by two branches that are known.

Invariants: 0 <= floor <= bound <= value of every answer; an answer is exact where bound and value
are equal within `slack`; intervals of one column at one node do not overlap.
"""

from hedgerow.tree._arena cimport Arena

cdef enum:
    # Objectives, in the order of `hedgerow.optimal.learner`.
    ERRORS                      # weight that is not of the leaf's majority
    LOG_LOSS                    # nats
    GINI                        # weight times the Gini index

cdef enum:
    SETS = 64                   # of rows that are kept at each depth
    NONE = -1                   # column of a leaf


cdef struct Node:
    # What reaches one node; borrowed pointers, nothing owned.
    int n_rows                  # that reach it at all
    const int* rows             # `RowTree`: of each column, ascending in it, one list after another
    const double* weight        # `ShareTree`: of each row, its share times its weight
    const double** scaled       # ... and what it was above the first test, of each variable
    const int* low              # ... between which thresholds the tests above put the variable,
    const int* high             # ... both left out


cdef struct Answer:
    double value                # cost of the best tree that was found, infinite without one
    double bound                # no tree costs less; where every tree costs at least the limit
                                # that was given, that limit
    double floor                # nor does one for more of every row
    int claim                   # evidence of the floor, or NONE
    int own                     # ... and of the bound, where the floor is of another problem


cdef struct Interval:
    # Tests of one column at one node whose branches are not known, in one entry of a heap.
    double bound                # no tree with such a test costs less
    double left, right          # ... of which the left branch alone, and the right branch alone
    int column
    int order                   # of the column: 0 is the one whose single test is best
    int low, high               # between which candidates, both left out


cdef struct Step:
    # A test on the way to a node.
    int column, threshold
    int side                    # 0 is left
    int drop                    # whether rows were dropped there that lack the column


cdef struct Evaluated:
    # A test whose branches were looked at, with what is known of them: numbers of claims, or NONE
    # where the thresholds beside it say enough.  Stumps need no evidence: they are all tried.
    int column, threshold
    int left, right             # of the floors
    int left_own, right_own     # of the bounds, where those are of another problem


cdef struct Claim:
    # What no tree of a depth costs less than at a node follows from these tests.
    int depth, drop
    Py_ssize_t path             # first of its steps, `depth` less than the tree's
    Py_ssize_t tests            # first of its tests
    Py_ssize_t n_tests


cdef struct Level:
    # Room for one node of each depth that is left below it.
    int* candidates             # of each column: thresholds, ascending
    double* mass                # ... and the weight on the left of each
    int* n_candidates           # of each column
    int* first                  # of each column: its candidate with the best single test
    double* gain                # ... and what that leaves of the Gini index
    int* by_gain                # columns, the best first
    Interval* heap
    Py_ssize_t n_heap, heap_capacity
    int* left_tree              # of both branches of the test at hand
    int* right_tree
    double* kept_floor          # of sets of rows
    int* kept_claim             # ... and its evidence
    Py_ssize_t n_kept
    Evaluated* seen             # tests of the node at hand, where evidence is kept
    Py_ssize_t n_seen, seen_capacity


cdef class BranchAndBound:
    cdef Arena memory
    cdef Node root
    cdef Level* levels                  # by the depth that is left
    cdef Py_ssize_t stride              # of `candidates` and `mass`: most thresholds of a column
    cdef double* log_table              # c log c of whole numbers; NULL where there are others
    cdef double* left_class             # weights by class, for the scan at hand
    cdef double* right_class
    cdef double* rest
    cdef double* left_total
    cdef double* right_total
    cdef int objective
    cdef double penalty, slack, steepest
    cdef bint loose                     # a branch with more of every row may cost less, and its
                                        # floor is that of a problem without such rows
    cdef double deadline
    cdef readonly int n_rows, n_columns, n_classes, depth
    cdef readonly long long n_nodes, max_nodes
    cdef readonly bint stopped
    cdef readonly double bound          # that `run` returned
    cdef double tolerance               # of the tree's cost: a gap that is good enough
    # Evidence, where it is asked for.
    cdef bint prove
    cdef Step* way                      # to the node at hand
    cdef Claim* claims
    cdef Evaluated* tests
    cdef Step* steps
    cdef Py_ssize_t n_claims, claim_capacity, n_tests, test_capacity, n_steps, step_capacity

    # What a kind of rows says of a node.  drop: as in the problem that gives the floor.
    cdef double leaf(self, const Node* node, double* total) noexcept nogil
    cdef double stump(self, const Node* node, bint drop, int* tree) noexcept nogil
    cdef void propose(self, const Node* node, bint drop, Level* level) noexcept nogil
    cdef void both(self, const Node* node, int column, int threshold, double limit, bint drop,
                   Answer* left, Answer* right, int* left_tree, int* right_tree) noexcept nogil
    cdef void mark(self, int depth, const Node* node, int column, int threshold, bint drop,
                   Answer* left, Answer* right) noexcept nogil
    cdef void keep(self, int depth, bint is_left, double floor, int claim) noexcept nogil
    cdef void divide(self, int depth, const Node* node, int column, int threshold, bint drop,
                     Node* left, Node* right) noexcept nogil

    cdef int lay(self, Py_ssize_t n_columns, Py_ssize_t n_rows, Py_ssize_t stride, double weight,
                 bint whole) except -1
    cdef double cost(self, const double* c) noexcept nogil
    cdef double least(self, const double* c) noexcept nogil
    cdef void rank_column(self, Level* level, int column, double left) noexcept nogil
    cdef int push(self, Level* level, Interval at) except -1 nogil
    cdef int evaluate(self, int depth, const Node* node, const Interval* at, int k, double limit,
                      bint drop, Answer* left, Answer* right) except -1 nogil
    cdef int solve(self, int depth, const Node* node, double below, bint drop, Answer* answer,
                   int* tree) except -1 nogil
    cdef int search(self, int depth, const Node* node, double below, bint drop, Answer* answer,
                    int* tree) except -1 nogil
    cdef int see(self, Level* level, int column, int threshold, const Answer* left,
                 const Answer* right) except -1 nogil
    cdef int claim(self, int depth, bint drop) except -2 nogil
    cdef int greedy(self, int depth, const Node* node, Answer* answer, int* tree) except -1 nogil
    cdef int look_up(self) except -1 nogil
