"""Leaves of decision trees, kept once and shared by all trees that contain them."""

from libc.stdint cimport uint64_t

from hedgerow.induction._candidates cimport Points
from hedgerow.induction._categorical cimport Subsets
from hedgerow.induction._columns cimport Columns
from hedgerow.induction._criteria cimport Criterion
from hedgerow.tree._arena cimport Arena

cdef enum:
    NONE = -1
    UNKNOWN = -1            # not worked out yet
    UNTRIED = -3


cdef struct Action:
    # A test on a region; applied when the regions of its two sides are there.
    int region, feature
    int left, right             # regions, NONE until applied
    double threshold            # NaN: a test on categories
    double share_left           # of the known weight; known once applied
    double gain
    uint64_t* subset            # bits of the categories on the left; NULL: numeric
    uint64_t key
    int mark                    # stamp of the state whose tests are marked


cdef struct Region:
    # A leaf in any state that reaches it by the same tests.
    int action                  # that made it, NONE at the root
    int depth
    bint is_left
    Py_ssize_t n, n_whole, n_mixed
    int* rows                   # of the induction set
    double* weight              # theirs here; NULL when all are 1
    int* whole_rows             # validation rows without a missing value
    int* mixed_rows             # those with one, which may be in several leaves ...
    double* mixed_share         # ... and their shares here
    double* count               # class weights, K
    double* whole_count         # class weights of the whole validation rows, K
    double total
    int prediction
    int first_action, n_actions     # UNKNOWN: not proposed yet
    int* extra                  # by variable: its best test, NONE or UNTRIED; NULL: never asked
    int leaf, completion        # outcomes; UNKNOWN
    int decision                # of the completion
    int stamp, here, decided    # outcome and decision in the state at hand


cdef struct Rows:
    # A stack of segments of rows on their way down a tree.
    int* row
    double* weight
    Py_ssize_t top, capacity


cdef int reserve(Rows* rows, Arena memory, Py_ssize_t n) except -2 nogil
cdef int divide(const Action* action, const double* x, Py_ssize_t n_categories, Rows* rows,
                Arena memory, Py_ssize_t start, Py_ssize_t n, bint weighted, bint renew,
                double* share_left, Py_ssize_t* n_left, Py_ssize_t* n_right) except -2 nogil


cdef class Leaves:
    # Functions that may run out of memory raise, and then return -2: no number of anything.
    cdef readonly Arena memory
    # data
    cdef Columns columns
    cdef const double[::1, :] x, val_x
    cdef const int[::1] val_y
    cdef const double[::1] val_weight
    cdef Py_ssize_t n, m, n_val, n_categories, n_words
    cdef int K
    cdef bint weighted, has_mixed
    cdef double* actual             # validation weight of each class
    # settings
    cdef Criterion criterion
    cdef int n_candidates, per_variable
    cdef Py_ssize_t max_depth
    cdef bint midpoints
    cdef double min_split, min_leaf, repetition_factor
    # regions and actions
    cdef Region* regions
    cdef Action* actions
    cdef int n_regions, n_actions
    cdef Py_ssize_t region_capacity, action_capacity
    cdef char* chunk                # of which small blocks are taken, and what is left of it
    cdef Py_ssize_t chunk_left
    cdef long long bytes_used
    # scratch
    cdef Rows induction, whole, mixed
    cdef Points points
    cdef Subsets subsets
    cdef unsigned char* member
    cdef int* known_rows
    cdef double* weight
    cdef double* known
    cdef double* confusion
    cdef double* mixture            # n_val x K
    cdef double* top_gain           # the best tests of one variable ...
    cdef double* top_threshold
    cdef unsigned char* top_subset
    cdef uint64_t* present          # bits of the categories of a region
    cdef double* best_gain          # ... and of all
    cdef double* best_threshold
    cdef int* best_feature
    cdef uint64_t* best_subset
    cdef unsigned char* tested

    cdef void* take(self, Py_ssize_t size) except NULL nogil
    cdef int more_regions(self) except -2 nogil
    cdef int more_actions(self, int n) except -2 nogil
    cdef int new_region(self, int action, int depth, bint is_left) except -2 nogil
    cdef int fill_region(self, int r, const int* rows, const double* weight, Py_ssize_t n,
                         const int* whole_rows, Py_ssize_t n_whole, const int* mixed_rows,
                         const double* mixed_share, Py_ssize_t n_mixed) except -2 nogil
    cdef int plant(self, whole_rows, mixed_rows) except -2
    cdef int apply(self, int a) except -2 nogil
    cdef bint splittable(self, int r) noexcept nogil
    cdef void gather(self, int r) noexcept nogil
    cdef void scatter(self, int r) noexcept nogil
    cdef int rank(self, int r, Py_ssize_t j, int most, double* share) except -2 nogil
    cdef void copy_subset(self, Py_ssize_t j, int q, uint64_t* bits) noexcept nogil
    cdef void add_absent(self, const Action* action) noexcept nogil
    cdef int add_action(self, int r, int feature, double threshold, double gain,
                        const uint64_t* bits) except -2 nogil
    cdef int propose(self, int r) except -2 nogil
    cdef int best_on(self, int r, Py_ssize_t j) except -2 nogil
    cdef double macro_f1(self, const double* confusion) noexcept nogil
    cdef void add_mixed(self) noexcept nogil
    cdef void clear_mixed(self) noexcept nogil
    cdef double f1_of_leaves(self, const int* leaves, Py_ssize_t n_leaves) noexcept nogil
