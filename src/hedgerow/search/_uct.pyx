# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""UCT-DT: Monte Carlo search over decision trees (thesis, chapter 4).

A state is its parent and one more split.  What a leaf knows depends on the tests above it only,
so leaves are kept once, as *regions*, and shared by all states that contain them: their rows,
candidate tests, validation counts and completion by C4.5.  What pruning makes of a branch
depends on its test and on what it made of the two sides, so that is kept as an *outcome* under
these three.  An iteration looks at the split leaf, and for pruning at the tests above it.
"""

import numpy as np

from libc.math cimport NAN, isnan, log, sqrt
from libc.stdint cimport uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memmove, memset

from hedgerow.induction._candidates cimport (
    GAIN_TOLERANCE,
    LEAST_GAIN,
    Points,
    Scan,
    first_with,
    hard_points,
    last_with,
    points_free,
    points_init,
    score_every,
)
from hedgerow.induction._categorical cimport Subsets, best_subsets, subsets_free, subsets_init
from hedgerow.induction._columns cimport Columns
from hedgerow.induction._errors cimport ErrorLimits, leaf_errors, limits_free, limits_init
from hedgerow.search._random cimport below, mix
from hedgerow.tree._gates cimport step_gate, subset_gate

cdef enum:
    NONE = -1
    UNKNOWN = -1            # not worked out yet
    NO_MEMORY = -2
    FULL = -3               # a bound on memory is reached
    VALIDATION = 0          # policies
    COMPLETION = 1
    BOOTSTRAP = 2
    MEAN = 0                # selection rules
    SIMPLE_REGRET = 1
    BEST = 2
    KEEP = 0                # what pruning decides at a test
    LEAF = 1
    RAISE_LEFT = 2
    RAISE_RIGHT = 3
    TOMBSTONE = -2

cdef double WEIGHT_SLACK = 1e-9     # as in growth
cdef double TIE = 1e-12             # rewards closer than this differ by rounding only
cdef Py_ssize_t CHUNK = 1 << 20     # bytes asked for at a time
cdef Py_ssize_t LARGEST_TABLE = 1024


cdef struct Block:
    Block* next
    Py_ssize_t used, size


cdef struct Action:
    # A test on a region; applied when the regions of its two sides are there.
    int region, feature
    int left, right             # regions, NONE until applied
    double threshold            # NaN: a test on categories
    double share_left           # of the known weight; known once applied
    double gain
    unsigned char* subset       # flags of the categories on the left; NULL: numeric
    uint64_t key


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
    int leaf, completion        # outcomes; UNKNOWN
    int decision                # of the completion
    int stamp, here, decided    # outcome and decision in the state at hand


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
    int outcome
    Py_ssize_t start, n, top, whole_start, n_whole, whole_top
    int made, parent
    bint is_left


cdef struct State:
    int parent, action, depth
    int n_untried               # UNKNOWN: not opened
    int n_children, capacity    # children that are open
    int slot                    # place among the parent's open children
    int n_visits
    long long born
    double value                # sum of rewards
    double best                 # the largest of them
    double f1                   # on the validation set
    uint64_t key
    int* untried
    int* leaves                 # depth + 1 regions, once opened
    int* child
    double* mean                # of the open children: V / N, or the best reward ...
    double* inverse             # ... and N^-1/2
    bint closed, alive, marked


cdef struct Rows:
    # A stack of segments of rows on their way down a tree.
    int* row
    double* weight
    Py_ssize_t top, capacity


cdef int reserve(Rows* rows, Py_ssize_t n) noexcept nogil:
    cdef void* moved
    if rows.top + n <= rows.capacity:
        return 0
    rows.capacity = 2 * (rows.top + n)
    moved = realloc(rows.row, rows.capacity * sizeof(int))
    if moved == NULL:
        return NO_MEMORY
    rows.row = <int*> moved
    moved = realloc(rows.weight, rows.capacity * sizeof(double))
    if moved == NULL:
        return NO_MEMORY
    rows.weight = <double*> moved
    return 0


cdef inline double share_of(const Action* action, double x, Py_ssize_t n_categories,
                            double share_left) noexcept nogil:
    """Share that a test sends left; a missing value goes both ways."""
    if isnan(x):
        return share_left
    if action.subset != NULL:
        return subset_gate(x, action.subset, n_categories, share_left)
    return step_gate(x, action.threshold)


cdef int divide(const Action* action, const double* x, Py_ssize_t n_categories, Rows* rows,
                Py_ssize_t start, Py_ssize_t n, bint weighted, bint renew, double* share_left,
                Py_ssize_t* n_left, Py_ssize_t* n_right) noexcept nogil:
    """Push the rows of the left side, then those of the right, onto the stack.

    weighted: rows carry weights; otherwise no value is missing.
    renew: the share of rows whose value is missing becomes that of the known weight of these
    rows, where there is any.
    """
    cdef Py_ssize_t p, a = 0, b = 0, n_unknown = 0
    cdef int* row
    cdef int* left
    cdef int* right
    cdef double* weight
    cdef double* left_weight
    cdef double* right_weight
    cdef double threshold = action.threshold, v, w, known_left = 0.0, known_right = 0.0
    cdef bint goes_left
    cdef int i
    if reserve(rows, 2 * n) < 0:
        return NO_MEMORY
    row = rows.row + start
    left = rows.row + rows.top
    right = left + n
    if not weighted:
        if action.subset == NULL:
            for p in range(n):
                i = row[p]
                goes_left = x[i] < threshold
                left[a] = i
                right[b] = i
                a += goes_left
                b += not goes_left
        else:
            for p in range(n):
                i = row[p]
                goes_left = action.subset[<Py_ssize_t> x[i]]
                left[a] = i
                right[b] = i
                a += goes_left
                b += not goes_left
        memmove(left + a, right, b * sizeof(int))
        rows.top += a + b
        n_left[0] = a
        n_right[0] = b
        return 0
    weight = rows.weight + start
    left_weight = rows.weight + rows.top
    right_weight = left_weight + n
    for p in range(n):
        i = row[p]
        v = x[i]
        if isnan(v):
            n_unknown += 1
            continue
        w = weight[p]
        if share_of(action, v, n_categories, share_left[0]) > 0.5:
            left[a] = i
            left_weight[a] = w
            known_left += w
            a += 1
        else:
            right[b] = i
            right_weight[b] = w
            known_right += w
            b += 1
    if renew and known_left + known_right > 0.0:
        share_left[0] = known_left / (known_left + known_right)
    if n_unknown > 0:
        for p in range(n):
            i = row[p]
            if isnan(x[i]):
                w = weight[p] * share_left[0]
                if w > 0.0:
                    left[a] = i
                    left_weight[a] = w
                    a += 1
                w = weight[p] - w
                if w > 0.0:
                    right[b] = i
                    right_weight[b] = w
                    b += 1
    memmove(left + a, right, b * sizeof(int))
    memmove(left_weight + a, right_weight, b * sizeof(double))
    rows.top += a + b
    n_left[0] = a
    n_right[0] = b
    return 0


cdef class Search:
    """The search tree, and everything that its states share.

    Parameters
    ----------
    columns : Columns
        The induction set.
    X : (n, m) float64, Fortran order
        The validation set, as X of `columns`.
    y : (n,) int32
        Its class codes.
    sample_weight : (n,) float64
    policy : {0, 1, 2}
        What a simulation returns: the macro F1 on the validation set of the state (0), of the
        tree that C4.5 makes of it (1), or what the caller says (2), see `propose`.
    value_interval, value_depth : int
        Value-based pruning every so many iterations, of states deeper than that; interval 0:
        none.
    tree_pruning : bool
        Remove a state whose last test does not survive completion and pruning.
    n_candidates : int
        K, tests per new leaf.
    per_variable : int
        At most so many of them on one variable.
    exploration : float
        Cp of the selection rule.
    rule : {0, 1, 2}
        How a child is chosen: UCB of the mean reward, its variant for simple regret, UCB of the
        best reward.
    confidence, laplace, raising, min_split, min_leaf, max_depth, midpoints, repetition_factor
        As in growth and pruning.
    max_states, max_bytes : int
        Where expansion stops; 0: no bound.
    seed : int
    """

    # data
    cdef Columns columns
    cdef const double[::1, :] x, val_x
    cdef const int[::1] val_y
    cdef const double[::1] val_weight
    cdef Py_ssize_t n, m, n_val, n_categories
    cdef int K
    cdef bint weighted, has_mixed
    cdef double* actual             # validation weight of each class
    # settings
    cdef int policy, n_candidates, per_variable, rule
    cdef Py_ssize_t value_interval, value_depth, max_depth
    cdef bint tree_pruning, raising, midpoints
    cdef double exploration, min_split, min_leaf, repetition_factor
    cdef long long max_states, max_bytes
    cdef ErrorLimits limits
    cdef uint64_t random
    # regions, actions, outcomes, decisions
    cdef Region* regions
    cdef Action* actions
    cdef Outcome* outcomes
    cdef Decision* decisions
    cdef int n_regions, n_actions, n_outcomes
    cdef Py_ssize_t region_capacity, action_capacity, outcome_capacity
    cdef Py_ssize_t n_decisions, decision_size
    cdef Block* arena
    cdef int stamp
    # the search tree
    cdef State* states
    cdef int* spare                 # numbers of removed states, to be used again
    cdef int* table                 # states by key
    cdef Py_ssize_t n_spare, state_capacity, table_size, table_used
    cdef readonly int n_states      # numbers given out
    cdef readonly int n_alive
    cdef readonly long long n_iterations, n_created
    cdef readonly int deepest
    cdef readonly bint is_full
    cdef long long bytes_used
    cdef double* root_log           # sqrt(ln n)
    cdef Py_ssize_t n_logs
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
    cdef double* top_gain           # the best tests of one variable, then of all
    cdef double* top_threshold
    cdef unsigned char* top_subset
    cdef double* best_gain
    cdef double* best_threshold
    cdef int* best_feature
    cdef unsigned char* best_subset
    cdef unsigned char* tested
    cdef int* chain
    cdef int* leaves
    cdef Py_ssize_t chain_capacity
    cdef Visit* visits
    cdef Py_ssize_t visit_capacity
    cdef int* mark                  # by action: stamp of the state whose actions are marked
    cdef int mark_stamp

    def __cinit__(self):
        points_init(&self.points)

    def __dealloc__(self):
        cdef Block* next_
        cdef Py_ssize_t i
        if self.states != NULL:
            for i in range(self.n_states):
                self.release(<int> i)
        while self.arena != NULL:
            next_ = self.arena.next
            free(self.arena)
            self.arena = next_
        limits_free(&self.limits)
        points_free(&self.points)
        subsets_free(&self.subsets)
        free(self.actual)
        free(self.regions)
        free(self.actions)
        free(self.outcomes)
        free(self.decisions)
        free(self.states)
        free(self.spare)
        free(self.table)
        free(self.root_log)
        free(self.induction.row)
        free(self.induction.weight)
        free(self.whole.row)
        free(self.whole.weight)
        free(self.mixed.row)
        free(self.mixed.weight)
        free(self.member)
        free(self.known_rows)
        free(self.weight)
        free(self.known)
        free(self.confusion)
        free(self.mixture)
        free(self.top_gain)
        free(self.top_threshold)
        free(self.top_subset)
        free(self.best_gain)
        free(self.best_threshold)
        free(self.best_feature)
        free(self.best_subset)
        free(self.tested)
        free(self.chain)
        free(self.leaves)
        free(self.visits)
        free(self.mark)

    def __init__(self, Columns columns, X, y, sample_weight, *, int policy,
                 Py_ssize_t value_interval, Py_ssize_t value_depth, bint tree_pruning,
                 int n_candidates, int per_variable, double exploration, int rule,
                 double confidence,
                 bint laplace, bint raising, double min_split, double min_leaf,
                 Py_ssize_t max_depth, bint midpoints, double repetition_factor,
                 long long max_states, long long max_bytes, uint64_t seed):
        cdef Py_ssize_t n = columns.n_rows, m = columns.n_variables, i, size
        cdef int K = columns.n_classes, status
        self.columns = columns
        self.n = n
        self.m = m
        self.K = K
        self.n_categories = max(columns.n_categories.max(initial=0), 0)
        size = self.n_categories + 1
        self.x = columns.X
        self.val_x = X
        self.val_y = y
        self.val_weight = sample_weight
        self.n_val = X.shape[0]
        self.weighted = columns.has_missing or not columns.unit
        self.policy = policy
        self.value_interval = value_interval
        self.value_depth = value_depth
        self.tree_pruning = tree_pruning
        self.n_candidates = n_candidates
        self.per_variable = min(per_variable, n_candidates)
        self.exploration = exploration
        self.rule = rule
        self.raising = raising
        self.min_split = min_split
        self.min_leaf = min_leaf
        self.max_depth = max_depth
        self.midpoints = midpoints
        self.repetition_factor = repetition_factor
        self.max_states = max_states
        self.max_bytes = max_bytes
        self.random = seed

        self.region_capacity = 1024
        self.action_capacity = 4096
        self.outcome_capacity = 1024
        self.decision_size = 4096
        self.state_capacity = 1024
        self.table_size = 4096
        self.chain_capacity = 64
        self.visit_capacity = 256
        self.n_logs = 4096
        self.actual = <double*> calloc(K, sizeof(double))
        self.regions = <Region*> malloc(self.region_capacity * sizeof(Region))
        self.actions = <Action*> malloc(self.action_capacity * sizeof(Action))
        self.outcomes = <Outcome*> malloc(self.outcome_capacity * sizeof(Outcome))
        self.decisions = <Decision*> malloc(self.decision_size * sizeof(Decision))
        self.states = <State*> malloc(self.state_capacity * sizeof(State))
        self.spare = <int*> malloc(self.state_capacity * sizeof(int))
        self.table = <int*> malloc(self.table_size * sizeof(int))
        self.root_log = <double*> malloc(self.n_logs * sizeof(double))
        self.member = <unsigned char*> calloc(n + 1, 1)
        self.known_rows = <int*> malloc((n + 1) * sizeof(int))
        self.weight = <double*> malloc((n + 1) * sizeof(double))
        self.known = <double*> malloc(K * sizeof(double))
        self.confusion = <double*> malloc(2 * K * sizeof(double))
        self.top_gain = <double*> malloc((n_candidates + 1) * sizeof(double))
        self.top_threshold = <double*> malloc((n_candidates + 1) * sizeof(double))
        self.top_subset = <unsigned char*> malloc((n_candidates + 1) * size)
        self.best_gain = <double*> malloc((n_candidates + 1) * sizeof(double))
        self.best_threshold = <double*> malloc((n_candidates + 1) * sizeof(double))
        self.best_feature = <int*> malloc((n_candidates + 1) * sizeof(int))
        self.best_subset = <unsigned char*> malloc((n_candidates + 1) * size)
        self.tested = <unsigned char*> calloc(m + 1, 1)
        self.chain = <int*> malloc(self.chain_capacity * sizeof(int))
        self.leaves = <int*> malloc((self.chain_capacity + 1) * sizeof(int))
        self.visits = <Visit*> malloc(self.visit_capacity * sizeof(Visit))
        self.mark = <int*> calloc(self.action_capacity, sizeof(int))
        self.mixture = NULL
        mixed = np.isnan(X).any(axis=1)
        self.has_mixed = bool(mixed.any())
        if self.has_mixed:
            self.mixture = <double*> malloc(self.n_val * K * sizeof(double))
        if (self.actual == NULL or self.regions == NULL or self.actions == NULL
                or self.outcomes == NULL or self.decisions == NULL or self.states == NULL
                or self.spare == NULL or self.table == NULL or self.root_log == NULL
                or self.member == NULL or self.known_rows == NULL or self.weight == NULL
                or self.known == NULL or self.confusion == NULL or self.top_gain == NULL
                or self.top_threshold == NULL or self.top_subset == NULL
                or self.best_gain == NULL or self.best_threshold == NULL
                or self.best_feature == NULL or self.best_subset == NULL
                or self.tested == NULL or self.chain == NULL or self.leaves == NULL
                or self.visits == NULL or self.mark == NULL
                or (self.has_mixed and self.mixture == NULL)
                or subsets_init(&self.subsets, self.n_categories, K) < 0
                or limits_init(&self.limits, confidence, laplace, K,
                               min(n + 1, LARGEST_TABLE)) < 0):
            raise MemoryError(f"no memory to search for trees on {n} rows")
        self.root_log[0] = 0.0
        for i in range(1, self.n_logs):
            self.root_log[i] = sqrt(log(<double> i))
        for i in range(self.decision_size):
            self.decisions[i].action = NONE
        for i in range(self.table_size):
            self.table[i] = NONE
        for i in range(self.n_val):
            self.actual[self.val_y[i]] += self.val_weight[i]
        whole_rows = np.flatnonzero(~mixed).astype(np.int32)
        mixed_rows = np.flatnonzero(mixed).astype(np.int32)
        status = self.plant(whole_rows, mixed_rows)
        if status < 0:
            raise MemoryError(f"no memory to search for trees on {n} rows")

    # -- memory -------------------------------------------------------------------------

    cdef void* take(self, Py_ssize_t size) noexcept nogil:
        """Room that lives as long as the search; NULL when there is none."""
        cdef Block* block = self.arena
        cdef Py_ssize_t wanted
        cdef void* out
        size = (size + 15) & ~<Py_ssize_t> 15
        if block == NULL or block.used + size > block.size:
            wanted = size + sizeof(Block) + 16
            if wanted < CHUNK:
                wanted = CHUNK
            block = <Block*> malloc(wanted)
            if block == NULL:
                return NULL
            block.size = wanted
            block.used = (sizeof(Block) + 15) & ~<Py_ssize_t> 15
            block.next = self.arena
            self.arena = block
            self.bytes_used += wanted
        out = (<char*> block) + block.used
        block.used += size
        return out

    cdef int more_regions(self) noexcept nogil:
        cdef void* moved
        if self.n_regions < self.region_capacity:
            return 0
        moved = realloc(self.regions, 2 * self.region_capacity * sizeof(Region))
        if moved == NULL:
            return NO_MEMORY
        self.regions = <Region*> moved
        self.bytes_used += self.region_capacity * sizeof(Region)
        self.region_capacity *= 2
        return 0

    cdef int more_actions(self, int n) noexcept nogil:
        cdef void* moved
        while self.n_actions + n > self.action_capacity:
            moved = realloc(self.actions, 2 * self.action_capacity * sizeof(Action))
            if moved == NULL:
                return NO_MEMORY
            self.actions = <Action*> moved
            moved = realloc(self.mark, 2 * self.action_capacity * sizeof(int))
            if moved == NULL:
                return NO_MEMORY
            self.mark = <int*> moved
            memset(self.mark + self.action_capacity, 0, self.action_capacity * sizeof(int))
            self.bytes_used += self.action_capacity * (sizeof(Action) + sizeof(int))
            self.action_capacity *= 2
        return 0

    cdef int more_outcomes(self) noexcept nogil:
        cdef void* moved
        if self.n_outcomes < self.outcome_capacity:
            return 0
        moved = realloc(self.outcomes, 2 * self.outcome_capacity * sizeof(Outcome))
        if moved == NULL:
            return NO_MEMORY
        self.outcomes = <Outcome*> moved
        self.bytes_used += self.outcome_capacity * sizeof(Outcome)
        self.outcome_capacity *= 2
        return 0

    cdef int more_states(self) noexcept nogil:
        cdef void* moved
        cdef Py_ssize_t i
        if self.n_states < self.state_capacity:
            return 0
        moved = realloc(self.states, 2 * self.state_capacity * sizeof(State))
        if moved == NULL:
            return NO_MEMORY
        self.states = <State*> moved
        moved = realloc(self.spare, 2 * self.state_capacity * sizeof(int))
        if moved == NULL:
            return NO_MEMORY
        self.spare = <int*> moved
        self.bytes_used += self.state_capacity * (sizeof(State) + sizeof(int))
        self.state_capacity *= 2
        return 0

    cdef int more_visits(self, Py_ssize_t n) noexcept nogil:
        cdef void* moved
        if n <= self.visit_capacity:
            return 0
        moved = realloc(self.visits, 2 * n * sizeof(Visit))
        if moved == NULL:
            return NO_MEMORY
        self.visits = <Visit*> moved
        self.visit_capacity = 2 * n
        return 0

    cdef void release(self, int s) noexcept nogil:
        """Free what a state owns."""
        cdef State* state = self.states + s
        if state.n_untried >= 0:
            self.bytes_used -= (state.capacity * (2 * sizeof(int) + 2 * sizeof(double))
                                + (state.depth + 1) * sizeof(int))
        free(state.untried)
        free(state.leaves)
        free(state.child)
        free(state.mean)
        free(state.inverse)
        state.untried = NULL
        state.leaves = NULL
        state.child = NULL
        state.mean = NULL
        state.inverse = NULL
        state.n_untried = UNKNOWN
        state.n_children = 0
        state.capacity = 0

    # -- regions and their tests --------------------------------------------------------

    cdef int new_region(self, int action, int depth, bint is_left) noexcept nogil:
        """A region without rows; its number or NO_MEMORY."""
        cdef Region* region
        if self.more_regions() < 0:
            return NO_MEMORY
        region = self.regions + self.n_regions
        memset(region, 0, sizeof(Region))
        region.action = action
        region.depth = depth
        region.is_left = is_left
        region.n_actions = UNKNOWN
        region.leaf = UNKNOWN
        region.completion = UNKNOWN
        region.count = <double*> self.take(2 * self.K * sizeof(double))
        if region.count == NULL:
            return NO_MEMORY
        region.whole_count = region.count + self.K
        self.n_regions += 1
        return self.n_regions - 1

    cdef int fill_region(self, int r, const int* rows, const double* weight, Py_ssize_t n,
                         const int* whole_rows, Py_ssize_t n_whole, const int* mixed_rows,
                         const double* mixed_share, Py_ssize_t n_mixed) noexcept nogil:
        """Copy the rows of a region and count its classes."""
        cdef Region* region = self.regions + r
        cdef Py_ssize_t p
        cdef int c
        cdef double most = -1.0
        region.n = n
        region.n_whole = n_whole
        region.n_mixed = n_mixed
        region.rows = <int*> self.take(n * sizeof(int))
        region.whole_rows = <int*> self.take(n_whole * sizeof(int))
        if region.rows == NULL or region.whole_rows == NULL:
            return NO_MEMORY
        memcpy(region.rows, rows, n * sizeof(int))
        memcpy(region.whole_rows, whole_rows, n_whole * sizeof(int))
        if self.weighted:
            region.weight = <double*> self.take(n * sizeof(double))
            if region.weight == NULL:
                return NO_MEMORY
            memcpy(region.weight, weight, n * sizeof(double))
        if self.has_mixed:
            region.mixed_rows = <int*> self.take(n_mixed * sizeof(int))
            region.mixed_share = <double*> self.take(n_mixed * sizeof(double))
            if region.mixed_rows == NULL or region.mixed_share == NULL:
                return NO_MEMORY
            memcpy(region.mixed_rows, mixed_rows, n_mixed * sizeof(int))
            memcpy(region.mixed_share, mixed_share, n_mixed * sizeof(double))
        for c in range(self.K):
            region.count[c] = 0.0
            region.whole_count[c] = 0.0
        for p in range(n):
            region.count[self.columns.labels[rows[p]]] += weight[p] if self.weighted else 1.0
        for p in range(n_whole):
            region.whole_count[self.val_y[whole_rows[p]]] += self.val_weight[whole_rows[p]]
        region.total = 0.0
        for c in range(self.K):
            region.total += region.count[c]
            if region.count[c] > most:
                most = region.count[c]
                region.prediction = c
        return 0

    cdef int plant(self, whole_rows, mixed_rows):
        """The root: one region with all rows, one state with that leaf."""
        cdef const int[::1] whole = whole_rows, mixed = mixed_rows
        cdef Py_ssize_t p
        cdef int r = self.new_region(NONE, 0, False)
        if r < 0 or reserve(&self.induction, self.n + 1) < 0 \
                or reserve(&self.whole, self.n_val + 1) < 0 \
                or reserve(&self.mixed, self.n_val + 1) < 0:
            return NO_MEMORY
        for p in range(self.n):
            self.induction.row[p] = <int> p
            self.induction.weight[p] = self.columns.weights[p]
        for p in range(mixed.shape[0]):
            self.mixed.weight[p] = 1.0
        if self.fill_region(r, self.induction.row, self.induction.weight, self.n,
                            &whole[0] if whole.shape[0] else NULL, whole.shape[0],
                            &mixed[0] if mixed.shape[0] else NULL, self.mixed.weight,
                            mixed.shape[0]) < 0:
            return NO_MEMORY
        return 0 if self.add_state(NONE, NONE, 0) >= 0 else NO_MEMORY

    cdef int apply(self, int a) noexcept nogil:
        """Make the regions of both sides of a test."""
        cdef Action* action = self.actions + a
        cdef int r = action.region, feature = action.feature, left, right, status = 0
        cdef Region* region = self.regions + r
        cdef Py_ssize_t n_left, n_right, whole_left = 0, whole_right = 0
        cdef Py_ssize_t mixed_left = 0, mixed_right = 0
        cdef Py_ssize_t c, n = region.n, n_whole = region.n_whole, n_mixed = region.n_mixed
        cdef double share = 0.5
        if action.left >= 0:
            return 0
        left = self.new_region(a, region.depth + 1, True)
        right = self.new_region(a, self.regions[r].depth + 1, False)
        if left < 0 or right < 0:
            return NO_MEMORY
        region = self.regions + r
        self.induction.top = 0
        self.whole.top = 0
        self.mixed.top = 0
        if (reserve(&self.induction, n) < 0 or reserve(&self.whole, n_whole) < 0
                or reserve(&self.mixed, n_mixed) < 0):
            return NO_MEMORY
        memcpy(self.induction.row, region.rows, n * sizeof(int))
        if self.weighted:
            memcpy(self.induction.weight, region.weight, n * sizeof(double))
        memcpy(self.whole.row, region.whole_rows, n_whole * sizeof(int))
        self.induction.top = n
        self.whole.top = n_whole
        if self.weighted:
            status = divide(action, &self.x[0, feature], self.n_categories, &self.induction, 0, n,
                            True, True, &share, &n_left, &n_right)
        else:
            status = divide(action, &self.x[0, feature], self.n_categories, &self.induction, 0, n,
                            False, False, &share, &n_left, &n_right)
            share = <double> n_left / n
        if status < 0:
            return NO_MEMORY
        action.share_left = share
        if action.subset != NULL:
            # Categories absent here go to the heavier side, as in growth.
            for c in range(self.n_categories):
                if action.subset[c] == 2:
                    action.subset[c] = share >= 0.5
        if self.n_val > 0:
            status = divide(action, &self.val_x[0, feature], self.n_categories, &self.whole, 0,
                            n_whole, False, False, &share, &whole_left, &whole_right)
            if status < 0:
                return NO_MEMORY
        if self.has_mixed:
            memcpy(self.mixed.row, region.mixed_rows, n_mixed * sizeof(int))
            memcpy(self.mixed.weight, region.mixed_share, n_mixed * sizeof(double))
            self.mixed.top = n_mixed
            status = divide(action, &self.val_x[0, feature], self.n_categories, &self.mixed, 0,
                            n_mixed, True, False, &share, &mixed_left, &mixed_right)
            if status < 0:
                return NO_MEMORY
        if self.fill_region(left, self.induction.row + n, self.induction.weight + n, n_left,
                            self.whole.row + n_whole, whole_left, self.mixed.row + n_mixed,
                            self.mixed.weight + n_mixed, mixed_left) < 0:
            return NO_MEMORY
        if self.fill_region(right, self.induction.row + n + n_left,
                            self.induction.weight + n + n_left, n_right,
                            self.whole.row + n_whole + whole_left, whole_right,
                            self.mixed.row + n_mixed + mixed_left,
                            self.mixed.weight + n_mixed + mixed_left, mixed_right) < 0:
            return NO_MEMORY
        action.left = left
        action.right = right
        return 0

    cdef int propose(self, int r) noexcept nogil:
        """The K best tests of a region, once; a region that may not be split has none."""
        cdef Region* region = self.regions + r
        cdef Py_ssize_t p, q, j, low, high, size = self.n_categories
        cdef int c, n_present = 0, n_best = 0, n_top, most, above
        cdef Scan scan
        cdef double gain, factor, base, slack, raw
        cdef const double* w
        cdef Action* action
        if region.n_actions >= 0:
            return 0
        region.n_actions = 0
        region.first_action = self.n_actions
        for c in range(self.K):
            if region.count[c] > 0.0:
                n_present += 1
        if (n_present < 2 or region.total < self.min_split - WEIGHT_SLACK
                or region.depth >= self.max_depth):
            return 0
        if self.repetition_factor != 1.0:
            memset(self.tested, 0, self.m)
            above = region.action
            while above >= 0:
                self.tested[self.actions[above].feature] = 1
                above = self.regions[self.actions[above].region].action
        for p in range(region.n):
            self.member[region.rows[p]] = 1
            self.weight[region.rows[p]] = region.weight[p] if self.weighted else 1.0
        most = self.per_variable
        for j in range(self.m):
            q = 0
            for p in range(self.columns.known[j]):
                self.known_rows[q] = self.columns.sorted_rows[j, p]
                q += self.member[self.columns.sorted_rows[j, p]]
            scan.n = q
            if scan.n < 2:
                continue
            scan.rows = self.known_rows
            scan.x = &self.x[0, j]
            scan.y = &self.columns.labels[0]
            scan.w = self.weight
            scan.n_classes = self.K
            scan.total = region.count
            scan.weight = region.total
            if scan.n < region.n:
                for c in range(self.K):
                    self.known[c] = 0.0
                for p in range(scan.n):
                    self.known[scan.y[scan.rows[p]]] += scan.w[scan.rows[p]]
                scan.total = self.known
                scan.weight = 0.0
                for c in range(self.K):
                    scan.weight += self.known[c]
                if scan.weight <= 0.0:
                    continue
            scan.least = self.min_leaf * scan.weight / region.total
            factor = scan.weight / region.total
            if self.repetition_factor != 1.0 and self.tested[j]:
                factor *= self.repetition_factor
            # The best tests of this variable ...
            n_top = 0
            if self.columns.categories[j] > 0:
                n_top = best_subsets(&scan, self.columns.categories[j], &self.subsets, most,
                                     self.top_gain, self.top_subset)
            elif scan.x[scan.rows[0]] < scan.x[scan.rows[scan.n - 1]]:
                if hard_points(&scan, self.midpoints, &self.points) < 0:
                    return NO_MEMORY
                slack = 1e-12 * scan.weight
                low = first_with(&self.points, scan.least - slack)
                high = last_with(&scan, &self.points, scan.least - slack)
                base = score_every(&scan, &self.points, low, high)
                for p in range(low, high + 1):
                    gain = (base + self.points.score[p]) / scan.weight
                    if n_top == most and gain <= self.top_gain[n_top - 1] + GAIN_TOLERANCE:
                        continue
                    if n_top < most:
                        n_top += 1
                    c = n_top - 1
                    while c > 0 and gain > self.top_gain[c - 1] + GAIN_TOLERANCE:
                        self.top_gain[c] = self.top_gain[c - 1]
                        self.top_threshold[c] = self.top_threshold[c - 1]
                        c -= 1
                    self.top_gain[c] = gain
                    self.top_threshold[c] = self.points.threshold[p]
            # ... among the best of all.
            for q in range(n_top):
                raw = self.top_gain[q] * (scan.weight / region.total)
                gain = self.top_gain[q] * factor
                if raw <= LEAST_GAIN:
                    continue
                if (n_best == self.n_candidates
                        and gain <= self.best_gain[n_best - 1] + GAIN_TOLERANCE):
                    continue
                if n_best < self.n_candidates:
                    n_best += 1
                c = n_best - 1
                while c > 0 and gain > self.best_gain[c - 1] + GAIN_TOLERANCE:
                    self.best_gain[c] = self.best_gain[c - 1]
                    self.best_threshold[c] = self.best_threshold[c - 1]
                    self.best_feature[c] = self.best_feature[c - 1]
                    memcpy(self.best_subset + c * size, self.best_subset + (c - 1) * size, size)
                    c -= 1
                self.best_gain[c] = gain
                self.best_feature[c] = <int> j
                self.best_threshold[c] = self.top_threshold[q]
                if self.columns.categories[j] > 0:
                    self.best_threshold[c] = NAN
                    # 2: absent here; settled when the test is applied.
                    memset(self.best_subset + c * size, 2, size)
                    for p in range(self.columns.categories[j]):
                        self.best_subset[c * size + p] = 2
                    for p in range(scan.n):
                        above = <int> scan.x[scan.rows[p]]
                        self.best_subset[c * size + above] = \
                            self.top_subset[q * self.columns.categories[j] + above]
        for p in range(region.n):
            self.member[region.rows[p]] = 0
        if self.more_actions(n_best) < 0:
            return NO_MEMORY
        for c in range(n_best):
            action = self.actions + self.n_actions
            action.region = r
            action.feature = self.best_feature[c]
            action.left = NONE
            action.right = NONE
            action.threshold = self.best_threshold[c]
            action.share_left = 0.5
            action.gain = self.best_gain[c]
            action.subset = NULL
            action.key = mix(<uint64_t> self.n_actions + 1)
            if self.columns.categories[self.best_feature[c]] > 0:
                action.subset = <unsigned char*> self.take(size)
                if action.subset == NULL:
                    return NO_MEMORY
                memcpy(action.subset, self.best_subset + c * size, size)
            self.n_actions += 1
        region.n_actions = n_best
        return 0

    # -- completion and pruning ---------------------------------------------------------

    cdef int new_outcome(self, int action, int left, int right, double share,
                         double errors) noexcept nogil:
        cdef Outcome* outcome
        if self.more_outcomes() < 0:
            return NO_MEMORY
        outcome = self.outcomes + self.n_outcomes
        outcome.action = action
        outcome.left = left
        outcome.right = right
        outcome.share_left = share
        outcome.errors = errors
        outcome.count = NULL
        outcome.confusion = NULL
        if self.policy == COMPLETION:
            outcome.confusion = <double*> self.take(2 * self.K * sizeof(double))
            if outcome.confusion == NULL:
                return NO_MEMORY
            memset(outcome.confusion, 0, 2 * self.K * sizeof(double))
        self.n_outcomes += 1
        return self.n_outcomes - 1

    cdef int leaf_of(self, int r) noexcept nogil:
        """The outcome that a region is a leaf."""
        cdef Region* region = self.regions + r
        cdef int o, c
        if region.leaf >= 0:
            return region.leaf
        o = self.new_outcome(NONE, NONE, NONE, NAN, leaf_errors(&self.limits, region.count))
        if o < 0:
            return NO_MEMORY
        self.outcomes[o].count = region.count
        if self.policy == COMPLETION:
            for c in range(self.K):
                self.outcomes[o].confusion[self.K + region.prediction] += region.whole_count[c]
            self.outcomes[o].confusion[region.prediction] = region.whole_count[region.prediction]
        region.leaf = o
        return o

    cdef int complete(self, int r) noexcept nogil:
        """The outcome of a leaf completed by C4.5: its best test, and so on below."""
        cdef int node = r, child, a, o, status, choice = 0
        cdef Region* region
        # Down the first side without an outcome, back up when both have one.
        while True:
            if self.regions[node].completion < 0:
                if self.propose(node) < 0:
                    return NO_MEMORY
                region = self.regions + node
                if region.n_actions == 0:
                    o = self.leaf_of(node)
                    if o < 0:
                        return NO_MEMORY
                    self.regions[node].completion = o
                    self.regions[node].decision = LEAF
                else:
                    a = region.first_action
                    if self.apply(a) < 0:
                        return NO_MEMORY
                    child = self.actions[a].left
                    if self.regions[child].completion < 0:
                        node = child
                        continue
                    child = self.actions[a].right
                    if self.regions[child].completion < 0:
                        node = child
                        continue
                    o = self.decide(a, self.regions[self.actions[a].left].completion,
                                    self.regions[self.actions[a].right].completion, &choice)
                    if o < 0:
                        return NO_MEMORY
                    self.regions[node].completion = o
                    self.regions[node].decision = choice
            if node == r:
                return self.regions[r].completion
            node = self.actions[self.regions[node].action].region

    cdef Decision* find_decision(self, int a, int left, int right) noexcept nogil:
        """The place of a decision in the table; its action is NONE when it is not there."""
        cdef uint64_t h = mix(mix(<uint64_t> a) ^ (<uint64_t> left << 32) ^ <uint64_t> right)
        cdef Py_ssize_t i = <Py_ssize_t> (h & <uint64_t> (self.decision_size - 1))
        cdef Decision* d
        while True:
            d = self.decisions + i
            if d.action == NONE or (d.action == a and d.left == left and d.right == right):
                return d
            i = (i + 1) & (self.decision_size - 1)

    cdef int more_decisions(self) noexcept nogil:
        cdef Decision* old = self.decisions
        cdef Py_ssize_t size = self.decision_size, i
        if 2 * self.n_decisions < size:
            return 0
        self.decisions = <Decision*> malloc(2 * size * sizeof(Decision))
        if self.decisions == NULL:
            self.decisions = old
            return NO_MEMORY
        self.bytes_used += size * sizeof(Decision)
        self.decision_size = 2 * size
        for i in range(2 * size):
            self.decisions[i].action = NONE
        for i in range(size):
            if old[i].action != NONE:
                self.find_decision(old[i].action, old[i].left, old[i].right)[0] = old[i]
        free(old)
        return 0

    cdef int decide(self, int a, int left, int right, int* choice) noexcept nogil:
        """Keep a test, make a leaf, or raise a side: the rule of the pruner, remembered.

        left, right: outcomes of the sides.  Returns the outcome of the branch.
        """
        cdef Decision* d = self.find_decision(a, left, right)
        cdef int r = self.actions[a].region, o, c, side, branch = NONE, decided
        cdef double keep, best, raised
        if d.action != NONE:
            choice[0] = d.choice
            return d.outcome
        if self.more_decisions() < 0:
            return NO_MEMORY
        keep = self.outcomes[left].errors + self.outcomes[right].errors
        decided = KEEP
        if self.tree_pruning:
            o = self.leaf_of(r)
            if o < 0:
                return NO_MEMORY
            best = self.outcomes[o].errors
            if self.raising:
                for side in range(2):
                    o = left if side == 0 else right
                    if self.outcomes[o].action < 0:
                        continue
                    raised = self.estimate(o, r, best if best < keep else keep)
                    if raised < 0.0:
                        return NO_MEMORY
                    if raised < best - 1e-9:
                        best = raised
                        branch = side
            if not keep < best - 1e-9:
                decided = LEAF if branch < 0 else (RAISE_LEFT if branch == 0 else RAISE_RIGHT)
        if decided == KEEP:
            o = self.new_outcome(a, left, right, self.actions[a].share_left, keep)
            if o < 0:
                return NO_MEMORY
            if self.policy == COMPLETION:
                for c in range(2 * self.K):
                    self.outcomes[o].confusion[c] = (self.outcomes[left].confusion[c]
                                                     + self.outcomes[right].confusion[c])
        elif decided == LEAF:
            o = self.leaf_of(r)
        else:
            o = self.renew(left if decided == RAISE_LEFT else right, r)
        if o < 0:
            return NO_MEMORY
        d = self.find_decision(a, left, right)
        d.action = a
        d.left = left
        d.right = right
        d.outcome = o
        d.choice = decided
        self.n_decisions += 1
        choice[0] = decided
        return o

    cdef void count_rows(self, Py_ssize_t start, Py_ssize_t n, double* count) noexcept nogil:
        cdef Py_ssize_t p
        cdef int c
        for c in range(self.K):
            count[c] = 0.0
        if self.weighted:
            for p in range(start, start + n):
                count[self.columns.labels[self.induction.row[p]]] += self.induction.weight[p]
        else:
            for p in range(start, start + n):
                count[self.columns.labels[self.induction.row[p]]] += 1.0

    cdef int load(self, int r, bint validation) noexcept nogil:
        """Put the rows of a region at the bottom of the stacks."""
        cdef Region* region = self.regions + r
        self.induction.top = 0
        self.whole.top = 0
        if reserve(&self.induction, region.n) < 0:
            return NO_MEMORY
        memcpy(self.induction.row, region.rows, region.n * sizeof(int))
        if self.weighted:
            memcpy(self.induction.weight, region.weight, region.n * sizeof(double))
        self.induction.top = region.n
        if validation:
            if reserve(&self.whole, region.n_whole) < 0:
                return NO_MEMORY
            memcpy(self.whole.row, region.whole_rows, region.n_whole * sizeof(int))
            self.whole.top = region.n_whole
        return 0

    cdef double estimate(self, int branch, int r, double limit) noexcept nogil:
        """Predicted errors of a branch, its structure kept, on the rows of a region.

        The sum may stop as soon as it is above `limit`, where it cannot change the choice.
        """
        cdef Py_ssize_t depth = 1, start, n_left, n_right
        cdef double errors = 0.0, share
        cdef Visit visit
        cdef Outcome* o
        cdef Action* action
        if self.load(r, False) < 0:
            return NO_MEMORY
        self.visits[0].outcome = branch
        self.visits[0].start = 0
        self.visits[0].n = self.regions[r].n
        self.visits[0].top = self.induction.top
        while depth > 0:
            depth -= 1
            visit = self.visits[depth]
            self.induction.top = visit.top
            o = self.outcomes + visit.outcome
            if o.action < 0:
                self.count_rows(visit.start, visit.n, self.known)
                errors += leaf_errors(&self.limits, self.known)
                if errors > limit + 1e-6:
                    break
                continue
            start = self.induction.top
            action = self.actions + o.action
            share = o.share_left
            if divide(action, &self.x[0, action.feature], self.n_categories, &self.induction,
                      visit.start, visit.n, self.weighted, True, &share, &n_left, &n_right) < 0:
                return NO_MEMORY
            if self.more_visits(depth + 2) < 0:
                return NO_MEMORY
            self.visits[depth].outcome = o.right
            self.visits[depth].start = start + n_left
            self.visits[depth].n = n_right
            self.visits[depth].top = self.induction.top
            self.visits[depth + 1].outcome = o.left
            self.visits[depth + 1].start = start
            self.visits[depth + 1].n = n_left
            self.visits[depth + 1].top = self.induction.top
            depth += 2
        return errors

    cdef int renew(self, int branch, int r) noexcept nogil:
        """A copy of a branch with the class weights, shares and errors of a region's rows."""
        cdef Py_ssize_t depth = 1, start, n_left, n_right, whole_start, p
        cdef Py_ssize_t whole_left = 0, whole_right = 0
        cdef double share
        cdef int made = NONE, first = self.n_outcomes, c, prediction, i
        cdef bint validation = self.policy == COMPLETION
        cdef Visit visit
        cdef double* count
        cdef double* confusion
        cdef Action* action
        if self.load(r, validation) < 0:
            return NO_MEMORY
        self.visits[0].outcome = branch
        self.visits[0].start = 0
        self.visits[0].n = self.regions[r].n
        self.visits[0].top = self.induction.top
        self.visits[0].whole_start = 0
        self.visits[0].n_whole = self.regions[r].n_whole
        self.visits[0].whole_top = self.whole.top
        self.visits[0].parent = NONE
        self.visits[0].is_left = False
        while depth > 0:
            depth -= 1
            visit = self.visits[depth]
            self.induction.top = visit.top
            self.whole.top = visit.whole_top
            made = self.new_outcome(self.outcomes[visit.outcome].action, NONE, NONE,
                                    self.outcomes[visit.outcome].share_left, 0.0)
            if made < 0:
                return NO_MEMORY
            if visit.parent >= 0:
                if visit.is_left:
                    self.outcomes[visit.parent].left = made
                else:
                    self.outcomes[visit.parent].right = made
            if self.outcomes[made].action < 0:
                count = <double*> self.take(self.K * sizeof(double))
                if count == NULL:
                    return NO_MEMORY
                self.count_rows(visit.start, visit.n, count)
                self.outcomes[made].count = count
                self.outcomes[made].errors = leaf_errors(&self.limits, count)
                if validation:
                    prediction = 0
                    for c in range(1, self.K):
                        if count[c] > count[prediction]:
                            prediction = c
                    confusion = self.outcomes[made].confusion
                    for p in range(visit.whole_start, visit.whole_start + visit.n_whole):
                        i = self.whole.row[p]
                        confusion[self.K + prediction] += self.val_weight[i]
                        if self.val_y[i] == prediction:
                            confusion[prediction] += self.val_weight[i]
                continue
            action = self.actions + self.outcomes[made].action
            share = self.outcomes[made].share_left
            start = self.induction.top
            if divide(action, &self.x[0, action.feature], self.n_categories, &self.induction,
                      visit.start, visit.n, self.weighted, True, &share, &n_left, &n_right) < 0:
                return NO_MEMORY
            self.outcomes[made].share_left = share
            whole_start = self.whole.top
            if validation:
                if divide(action, &self.val_x[0, action.feature], self.n_categories, &self.whole,
                          visit.whole_start, visit.n_whole, False, False, &share, &whole_left,
                          &whole_right) < 0:
                    return NO_MEMORY
            if self.more_visits(depth + 2) < 0:
                return NO_MEMORY
            self.visits[depth].outcome = self.outcomes[visit.outcome].right
            self.visits[depth].start = start + n_left
            self.visits[depth].n = n_right
            self.visits[depth].top = self.induction.top
            self.visits[depth].whole_start = whole_start + whole_left
            self.visits[depth].n_whole = whole_right
            self.visits[depth].whole_top = self.whole.top
            self.visits[depth].parent = made
            self.visits[depth].is_left = False
            self.visits[depth + 1] = self.visits[depth]
            self.visits[depth + 1].outcome = self.outcomes[visit.outcome].left
            self.visits[depth + 1].start = start
            self.visits[depth + 1].n = n_left
            self.visits[depth + 1].whole_start = whole_start
            self.visits[depth + 1].n_whole = whole_left
            self.visits[depth + 1].is_left = True
            depth += 2
        # Sums, children before parents: each child was made after its parent.
        for i in range(self.n_outcomes - 1, first - 1, -1):
            if self.outcomes[i].action < 0:
                continue
            self.outcomes[i].errors = (self.outcomes[self.outcomes[i].left].errors
                                       + self.outcomes[self.outcomes[i].right].errors)
            if validation:
                for c in range(2 * self.K):
                    self.outcomes[i].confusion[c] = (
                        self.outcomes[self.outcomes[i].left].confusion[c]
                        + self.outcomes[self.outcomes[i].right].confusion[c])
        return first

    # -- rewards ------------------------------------------------------------------------

    cdef double macro_f1(self, const double* confusion) noexcept nogil:
        """Mean over classes of 2 TP / (predicted + actual), 0 where that is 0 / 0."""
        cdef double total = 0.0, both
        cdef int c
        for c in range(self.K):
            both = confusion[self.K + c] + self.actual[c]
            if both > 0.0:
                total += 2.0 * confusion[c] / both
        return total / self.K

    cdef void add_mixed(self) noexcept nogil:
        """Count the validation rows whose leaves were mixed by their missing values."""
        cdef Region* root = self.regions
        cdef Py_ssize_t p
        cdef int i, c, prediction
        for p in range(root.n_mixed):
            i = root.mixed_rows[p]
            prediction = 0
            for c in range(1, self.K):
                if self.mixture[i * self.K + c] > self.mixture[i * self.K + prediction]:
                    prediction = c
            self.confusion[self.K + prediction] += self.val_weight[i]
            if self.val_y[i] == prediction:
                self.confusion[prediction] += self.val_weight[i]

    cdef void clear_mixed(self) noexcept nogil:
        cdef Region* root = self.regions
        cdef Py_ssize_t p
        for p in range(root.n_mixed):
            memset(self.mixture + root.mixed_rows[p] * self.K, 0, self.K * sizeof(double))

    cdef double f1_of_leaves(self, const int* leaves, Py_ssize_t n_leaves) noexcept nogil:
        """Macro F1 on the validation set of the tree with these leaves."""
        cdef Py_ssize_t k, p
        cdef int c
        cdef Region* region
        cdef double* mixture
        cdef double share
        memset(self.confusion, 0, 2 * self.K * sizeof(double))
        if self.has_mixed:
            self.clear_mixed()
        for k in range(n_leaves):
            region = self.regions + leaves[k]
            for c in range(self.K):
                self.confusion[self.K + region.prediction] += region.whole_count[c]
            self.confusion[region.prediction] += region.whole_count[region.prediction]
            if self.has_mixed:
                for p in range(region.n_mixed):
                    share = region.mixed_share[p] / region.total
                    mixture = self.mixture + region.mixed_rows[p] * self.K
                    for c in range(self.K):
                        mixture[c] += share * region.count[c]
        if self.has_mixed:
            self.add_mixed()
        return self.macro_f1(self.confusion)

    cdef double f1_of_outcome(self, int root) noexcept nogil:
        """Macro F1 on the validation set of a completed tree; negative without memory."""
        cdef Py_ssize_t depth, p, n_left, n_right, start
        cdef double share, total
        cdef double* mixture
        cdef int c, i
        cdef Visit visit
        cdef Outcome* o
        cdef Action* action
        memcpy(self.confusion, self.outcomes[root].confusion, 2 * self.K * sizeof(double))
        if self.has_mixed:
            self.clear_mixed()
            self.mixed.top = 0
            if reserve(&self.mixed, self.regions[0].n_mixed) < 0:
                return NO_MEMORY
            memcpy(self.mixed.row, self.regions[0].mixed_rows,
                   self.regions[0].n_mixed * sizeof(int))
            for p in range(self.regions[0].n_mixed):
                self.mixed.weight[p] = 1.0
            self.mixed.top = self.regions[0].n_mixed
            self.visits[0].outcome = root
            self.visits[0].start = 0
            self.visits[0].n = self.mixed.top
            self.visits[0].top = self.mixed.top
            depth = 1
            while depth > 0:
                depth -= 1
                visit = self.visits[depth]
                self.mixed.top = visit.top
                o = self.outcomes + visit.outcome
                if o.action < 0:
                    total = 0.0
                    for c in range(self.K):
                        total += o.count[c]
                    if total <= 0.0:
                        continue
                    for p in range(visit.start, visit.start + visit.n):
                        mixture = self.mixture + self.mixed.row[p] * self.K
                        for c in range(self.K):
                            mixture[c] += self.mixed.weight[p] * o.count[c] / total
                    continue
                action = self.actions + o.action
                share = o.share_left
                start = self.mixed.top
                if divide(action, &self.val_x[0, action.feature], self.n_categories, &self.mixed,
                          visit.start, visit.n, True, False, &share, &n_left, &n_right) < 0:
                    return NO_MEMORY
                if self.more_visits(depth + 2) < 0:
                    return NO_MEMORY
                self.visits[depth].outcome = o.right
                self.visits[depth].start = start + n_left
                self.visits[depth].n = n_right
                self.visits[depth].top = self.mixed.top
                self.visits[depth + 1].outcome = o.left
                self.visits[depth + 1].start = start
                self.visits[depth + 1].n = n_left
                self.visits[depth + 1].top = self.mixed.top
                depth += 2
            self.add_mixed()
        return self.macro_f1(self.confusion)

    cdef int simulate(self, int s, double* reward, bint* gone) noexcept nogil:
        """The reward of a state, and whether pruning removes its last test.

        Expects the state's actions in `chain`, the last one last.
        """
        cdef Py_ssize_t d = self.states[s].depth, k
        cdef int a, r, o = NONE, left, right, choice = 0
        gone[0] = False
        reward[0] = self.states[s].f1
        if self.policy == VALIDATION and not self.tree_pruning:
            return 0
        self.stamp += 1
        for k in range(d - 1, -1, -1):      # children before parents
            a = self.chain[k]
            left = self.outcome_here(self.actions[a].left)
            right = self.outcome_here(self.actions[a].right)
            if left < 0 or right < 0:
                return NO_MEMORY
            o = self.decide(a, left, right, &choice)
            if o < 0:
                return NO_MEMORY
            r = self.actions[a].region
            self.regions[r].stamp = self.stamp
            self.regions[r].here = o
            self.regions[r].decided = choice
        if d == 0:
            o = self.complete(0)
            if o < 0:
                return NO_MEMORY
        if self.policy == COMPLETION:
            reward[0] = self.f1_of_outcome(o)
            if reward[0] < 0.0:
                return NO_MEMORY
        if self.tree_pruning and d > 0:
            r = self.actions[self.chain[d - 1]].region
            gone[0] = self.regions[r].decided != KEEP
            while not gone[0] and self.regions[r].action >= 0:
                choice = RAISE_LEFT if self.regions[r].is_left else RAISE_RIGHT
                r = self.actions[self.regions[r].action].region
                gone[0] = self.regions[r].decided != KEEP and self.regions[r].decided != choice
        return 0

    cdef inline int outcome_here(self, int r) noexcept nogil:
        """What becomes of a region in the state at hand."""
        if self.regions[r].stamp == self.stamp:
            return self.regions[r].here
        if self.regions[r].completion >= 0:
            return self.regions[r].completion
        return self.complete(r)

    # -- states -------------------------------------------------------------------------

    cdef int load_chain(self, int s) noexcept nogil:
        """The actions of a state, in the order in which they were taken, into `chain`."""
        cdef Py_ssize_t d = self.states[s].depth, k
        cdef void* moved
        if d + 2 > self.chain_capacity:
            self.chain_capacity = 2 * (d + 2)
            moved = realloc(self.chain, self.chain_capacity * sizeof(int))
            if moved == NULL:
                return NO_MEMORY
            self.chain = <int*> moved
            moved = realloc(self.leaves, (self.chain_capacity + 1) * sizeof(int))
            if moved == NULL:
                return NO_MEMORY
            self.leaves = <int*> moved
        for k in range(d - 1, -1, -1):
            self.chain[k] = self.states[s].action
            s = self.states[s].parent
        return 0

    cdef Py_ssize_t load_leaves(self, Py_ssize_t d) noexcept nogil:
        """The leaves of the state whose actions are in `chain`, into `leaves`: their number.

        In the order of U: a split leaf is taken out, its two sides are put behind.
        """
        cdef Py_ssize_t k, p, n = 1
        cdef int r
        self.leaves[0] = 0
        for k in range(d):
            r = self.actions[self.chain[k]].region
            p = 0
            while self.leaves[p] != r:
                p += 1
            memmove(self.leaves + p, self.leaves + p + 1, (n - p - 1) * sizeof(int))
            self.leaves[n - 1] = self.actions[self.chain[k]].left
            self.leaves[n] = self.actions[self.chain[k]].right
            n += 1
        return n

    cdef int add_state(self, int parent, int action, uint64_t key) noexcept nogil:
        cdef int s
        cdef State* state
        if self.n_spare > 0:
            self.n_spare -= 1
            s = self.spare[self.n_spare]
        else:
            if self.more_states() < 0:
                return NO_MEMORY
            s = self.n_states
            self.n_states += 1
        state = self.states + s
        memset(state, 0, sizeof(State))
        state.parent = parent
        state.action = action
        state.depth = 0 if parent < 0 else self.states[parent].depth + 1
        state.key = key
        state.n_untried = UNKNOWN
        state.slot = NONE
        state.alive = True
        state.born = self.n_created
        self.n_created += 1
        self.n_alive += 1
        if state.depth > self.deepest:
            self.deepest = state.depth
        if parent < 0:
            self.leaves[0] = 0
            state.f1 = self.f1_of_leaves(self.leaves, 1)
        return s

    cdef int open(self, int s) noexcept nogil:
        """Find the actions of a state: those of its leaves."""
        cdef Py_ssize_t d = self.states[s].depth, n_leaves, k
        cdef int total = 0, c, n = 0
        cdef State* state
        cdef Region* region
        if self.load_chain(s) < 0:
            return NO_MEMORY
        n_leaves = self.load_leaves(d)
        for k in range(n_leaves):
            if self.propose(self.leaves[k]) < 0:
                return NO_MEMORY
            total += self.regions[self.leaves[k]].n_actions
        state = self.states + s
        state.untried = <int*> malloc((total + 1) * sizeof(int))
        state.child = <int*> malloc((total + 1) * sizeof(int))
        state.mean = <double*> malloc((total + 1) * sizeof(double))
        state.inverse = <double*> malloc((total + 1) * sizeof(double))
        state.leaves = <int*> malloc(n_leaves * sizeof(int))
        if (state.untried == NULL or state.child == NULL or state.mean == NULL
                or state.inverse == NULL or state.leaves == NULL):
            return NO_MEMORY
        memcpy(state.leaves, self.leaves, n_leaves * sizeof(int))
        for k in range(n_leaves):
            region = self.regions + self.leaves[k]
            for c in range(region.n_actions):
                state.untried[n] = region.first_action + c
                n += 1
        state.n_untried = total
        state.capacity = total
        self.bytes_used += (total * (2 * sizeof(int) + 2 * sizeof(double))
                            + n_leaves * sizeof(int))
        return 0

    cdef bint same_tree(self, int s, int parent, int action) noexcept nogil:
        """Whether a state is the tree of `parent` with one more test."""
        cdef int d = self.states[s].depth
        if d != self.states[parent].depth + 1:
            return False
        self.mark_stamp += 1
        while s > 0:
            self.mark[self.states[s].action] = self.mark_stamp
            s = self.states[s].parent
        if self.mark[action] != self.mark_stamp:
            return False
        while parent > 0:
            if self.mark[self.states[parent].action] != self.mark_stamp:
                return False
            parent = self.states[parent].parent
        return True

    cdef bint is_known(self, int parent, int action, uint64_t key) noexcept nogil:
        cdef Py_ssize_t i = <Py_ssize_t> (key & <uint64_t> (self.table_size - 1))
        while self.table[i] != NONE:
            if self.table[i] >= 0 and self.states[self.table[i]].key == key \
                    and self.same_tree(self.table[i], parent, action):
                return True
            i = (i + 1) & (self.table_size - 1)
        return False

    cdef int enter(self, int s) noexcept nogil:
        """Put a state into the table of trees."""
        cdef Py_ssize_t i, size = self.table_size
        cdef int t
        cdef void* moved
        if 2 * self.table_used >= size:
            # Rebuild without what was removed, wider if that is not enough.
            while 4 * self.n_alive >= size:
                size *= 2
            moved = realloc(self.table, size * sizeof(int))
            if moved == NULL:
                return NO_MEMORY
            self.bytes_used += (size - self.table_size) * sizeof(int)
            self.table = <int*> moved
            self.table_size = size
            for i in range(size):
                self.table[i] = NONE
            self.table_used = 0
            for t in range(1, self.n_states):
                if self.states[t].alive and t != s:
                    self.put(t)
        self.put(s)
        return 0

    cdef void put(self, int s) noexcept nogil:
        cdef Py_ssize_t i = <Py_ssize_t> (self.states[s].key & <uint64_t> (self.table_size - 1))
        while self.table[i] >= 0:
            i = (i + 1) & (self.table_size - 1)
        if self.table[i] == NONE:
            self.table_used += 1
        self.table[i] = s

    cdef void forget(self, int s) noexcept nogil:
        """Take a state out of the table; its number is free again."""
        cdef Py_ssize_t i = <Py_ssize_t> (self.states[s].key & <uint64_t> (self.table_size - 1))
        while self.table[i] != s:
            i = (i + 1) & (self.table_size - 1)
        self.table[i] = TOMBSTONE
        self.release(s)
        self.states[s].alive = False
        self.spare[self.n_spare] = s
        self.n_spare += 1
        self.n_alive -= 1

    cdef void unlink(self, int s) noexcept nogil:
        """Take a state out of its parent's open children, the others in their order."""
        cdef State* parent = self.states + self.states[s].parent
        cdef int slot = self.states[s].slot, k
        if slot < 0:
            return
        for k in range(slot, parent.n_children - 1):
            parent.child[k] = parent.child[k + 1]
            parent.mean[k] = parent.mean[k + 1]
            parent.inverse[k] = parent.inverse[k + 1]
            self.states[parent.child[k]].slot = k
        parent.n_children -= 1
        self.states[s].slot = NONE

    cdef void close(self, int s) noexcept nogil:
        """Nothing is left to do below a state; its ancestors may be done with it."""
        while True:
            self.states[s].closed = True
            if s == 0:
                return
            self.unlink(s)
            s = self.states[s].parent
            if self.states[s].n_untried != 0 or self.states[s].n_children > 0:
                return

    cdef int select(self) noexcept nogil:
        """The open child with the highest upper confidence bound, down to a state to expand.

        Ties go to the older child.  Returns its number, or NONE when the search tree is exhausted.
        """
        cdef int s = 0, k, best
        cdef State* state
        cdef double width, bound, highest
        while not self.states[0].closed:
            if self.states[s].n_untried < 0 and self.open(s) < 0:
                return NO_MEMORY
            state = self.states + s
            if state.n_untried > 0:
                return s
            if state.n_children == 0:
                self.close(s)
                s = 0
                continue
            best = 0
            if state.n_children > 1:
                width = 2.0 * self.exploration * (
                    sqrt(sqrt(<double> state.n_visits)) if self.rule == SIMPLE_REGRET
                    else self.root_log[state.n_visits])
                highest = state.mean[0] + width * state.inverse[0]
                for k in range(1, state.n_children):
                    bound = state.mean[k] + width * state.inverse[k]
                    if bound > highest + TIE:
                        highest = bound
                        best = k
            s = state.child[best]
        return NONE

    cdef int expand(self) noexcept nogil:
        """Select, draw an action until it leads to a new tree; the new state's number.

        NONE when the search tree is exhausted.
        """
        cdef int s, new, a, r
        cdef Py_ssize_t k, n
        cdef uint64_t key
        cdef State* state
        while True:
            s = self.select()
            if s < 0:
                return s
            state = self.states + s
            while state.n_untried > 0:
                k = <Py_ssize_t> below(&self.random, <uint64_t> state.n_untried)
                a = state.untried[k]
                state.n_untried -= 1
                state.untried[k] = state.untried[state.n_untried]
                key = state.key ^ self.actions[a].key
                if self.is_known(s, a, key):
                    continue
                if self.apply(a) < 0:
                    return NO_MEMORY
                new = self.add_state(s, a, key)
                if new < 0 or self.enter(new) < 0 or self.load_chain(new) < 0:
                    return NO_MEMORY
                # The leaves of the parent, but for the split one, and its two sides.
                state = self.states + s
                r = self.actions[a].region
                n = 0
                for k in range(state.depth + 1):
                    if state.leaves[k] != r:
                        self.leaves[n] = state.leaves[k]
                        n += 1
                self.leaves[n] = self.actions[a].left
                self.leaves[n + 1] = self.actions[a].right
                self.states[new].f1 = self.f1_of_leaves(self.leaves, n + 2)
                self.states[new].slot = state.n_children
                state.child[state.n_children] = new
                state.mean[state.n_children] = 0.0
                state.inverse[state.n_children] = 1.0
                state.n_children += 1
                return new

    cdef void back_up(self, int s, double reward) noexcept nogil:
        """Add a reward to a state and all its ancestors."""
        cdef State* state
        cdef State* parent
        while s >= 0:
            state = self.states + s
            state.n_visits += 1
            state.value += reward
            if reward > state.best:
                state.best = reward
            if state.slot >= 0:
                parent = self.states + state.parent
                parent.mean[state.slot] = (state.best if self.rule == BEST
                                           else state.value / state.n_visits)
                parent.inverse[state.slot] = 1.0 / sqrt(<double> state.n_visits)
            s = state.parent

    cdef void prune_values(self) noexcept nogil:
        """Value-based pruning: of the paths deeper than the depth, keep the best one whole."""
        cdef int s, p, best = NONE, k, n
        cdef State* state
        cdef State* chosen
        cdef double mean, highest = 0.0
        for s in range(self.n_states):
            self.states[s].marked = False
        for s in range(self.n_states):
            if self.states[s].alive and self.states[s].parent >= 0:
                self.states[self.states[s].parent].marked = True
        for s in range(self.n_states):
            state = self.states + s
            if not state.alive or state.marked or state.depth <= self.value_depth:
                continue
            mean = state.value / state.n_visits
            if best >= 0:
                chosen = self.states + best
                if mean < highest - TIE or (mean <= highest + TIE and (
                        state.n_visits < chosen.n_visits or (
                            state.n_visits == chosen.n_visits and state.born > chosen.born))):
                    continue
            best = s
            highest = mean
        if best < 0:
            return
        for s in range(self.n_states):
            self.states[s].marked = (self.states[s].alive
                                     and self.states[s].depth > self.value_depth)
        s = best
        while s >= 0:
            self.states[s].marked = False
            s = self.states[s].parent
        # Open children that stay close ranks, in their order.
        for s in range(self.n_states):
            state = self.states + s
            if not state.alive or state.marked or state.depth < self.value_depth:
                continue
            n = 0
            for k in range(state.n_children):
                p = state.child[k]
                if self.states[p].marked:
                    continue
                state.child[n] = p
                state.mean[n] = state.mean[k]
                state.inverse[n] = state.inverse[k]
                self.states[p].slot = n
                n += 1
            state.n_children = n
        for s in range(self.n_states):
            if self.states[s].alive and self.states[s].marked:
                self.forget(s)
        for s in range(self.n_states):
            state = self.states + s
            if (state.alive and not state.closed and state.depth >= self.value_depth
                    and state.n_untried == 0 and state.n_children == 0):
                self.close(s)

    cdef int has_room(self) noexcept nogil:
        if (self.max_states > 0 and self.n_alive >= self.max_states) or (
                self.max_bytes > 0 and self.bytes_used >= self.max_bytes):
            self.is_full = True
            return 0
        return 1

    cdef void settle(self, int s, double reward, bint gone) noexcept nogil:
        """Back up what a simulation found, and prune."""
        cdef int parent = self.states[s].parent
        self.back_up(s, reward)
        if gone:
            self.unlink(s)
            self.forget(s)
            if (not self.states[parent].closed and self.states[parent].n_untried == 0
                    and self.states[parent].n_children == 0):
                self.close(parent)
        self.n_iterations += 1
        if self.value_interval > 0 and self.n_iterations % self.value_interval == 0:
            self.prune_values()

    cdef int search(self, long long n) noexcept nogil:
        cdef long long done
        cdef int s, status
        cdef double reward = 0.0
        cdef bint gone = False
        for done in range(n):
            if not self.has_room():
                return FULL
            s = self.expand()
            if s == NONE:
                return NONE
            if s < 0:
                return s
            if self.simulate(s, &reward, &gone) < 0:
                return NO_MEMORY
            self.settle(s, reward, gone)
        return 0

    # -- what Python sees ---------------------------------------------------------------

    cdef int more_logs(self, long long n) except -1:
        cdef Py_ssize_t i, size = self.n_logs
        cdef void* moved
        while size < self.n_iterations + n + 2:
            size *= 2
        if size > self.n_logs:
            moved = realloc(self.root_log, size * sizeof(double))
            if moved == NULL:
                raise MemoryError("no memory for the search")
            self.root_log = <double*> moved
            for i in range(self.n_logs, size):
                self.root_log[i] = sqrt(log(<double> i))
            self.n_logs = size
        return 0

    def run(self, long long n):
        """Up to n iterations; returns whether more could follow.

        Raises MemoryError when there is none; `is_full` says that a bound was reached.
        """
        cdef int status
        self.more_logs(n)
        with nogil:
            status = self.search(n)
        if status == NO_MEMORY:
            raise MemoryError("no memory for the search; set max_memory or max_nodes")
        return status == 0

    @property
    def n_bytes(self):
        """Memory of the search, bytes."""
        return self.bytes_used

    @property
    def exhausted(self):
        """Whether nothing is left to try."""
        return bool(self.states[0].closed)

    def table_of_states(self):
        """The states in the order in which they were made.

        Returns
        -------
        dict of (n,) arrays: state, parent (places in the arrays, -1 at the root), action,
        n_visits, value (sum of rewards), depth, f1
        """
        cdef int s
        cdef Py_ssize_t i = 0, n = self.n_alive
        number = np.empty(n, dtype=np.int64)
        born = np.empty(n, dtype=np.int64)
        parent = np.empty(n, dtype=np.int64)
        action = np.empty(n, dtype=np.int64)
        visits = np.empty(n, dtype=np.int64)
        depth = np.empty(n, dtype=np.int64)
        value = np.empty(n)
        f1 = np.empty(n)
        for s in range(self.n_states):
            if not self.states[s].alive:
                continue
            number[i] = s
            born[i] = self.states[s].born
            parent[i] = self.states[s].parent
            action[i] = self.states[s].action
            visits[i] = self.states[s].n_visits
            depth[i] = self.states[s].depth
            value[i] = self.states[s].value
            f1[i] = self.states[s].f1
            i += 1
        order = np.argsort(born, kind="stable")
        place = np.full(self.n_states, -1, dtype=np.int64)
        place[number[order]] = np.arange(n)
        parent = parent[order]
        return {
            "state": number[order],
            "parent": np.where(parent < 0, -1, place[parent]),
            "action": action[order],
            "n_visits": visits[order],
            "value": value[order],
            "depth": depth[order],
            "f1": f1[order],
        }

    def table_of_actions(self, wanted):
        """What a tree needs to know of tests, for the actions in `wanted` (distinct numbers).

        Returns
        -------
        dict of arrays with one entry per action: feature, threshold, subset, share_left, gain,
        above (place in `wanted` of the test above, -1 at the root), is_left, and class weights
        of both sides, left_count and right_count
        """
        cdef Py_ssize_t n = len(wanted), i, c
        cdef const long long[::1] numbers = np.ascontiguousarray(wanted, dtype=np.int64)
        cdef Action* action
        cdef Region* region
        feature = np.empty(n, dtype=np.int32)
        threshold = np.empty(n)
        share_left = np.empty(n)
        gain = np.empty(n)
        above = np.full(n, -1, dtype=np.int64)
        is_left = np.zeros(n, dtype=bool)
        subset = np.zeros((n, self.n_categories), dtype=np.uint8)
        left_count = np.zeros((n, self.K))
        right_count = np.zeros((n, self.K))
        place = {int(numbers[i]): i for i in range(n)}
        for i in range(n):
            action = self.actions + numbers[i]
            region = self.regions + action.region
            feature[i] = action.feature
            threshold[i] = action.threshold
            share_left[i] = action.share_left
            gain[i] = action.gain
            if region.action >= 0:
                above[i] = place[region.action]
                is_left[i] = region.is_left
            if action.subset != NULL:
                for c in range(self.n_categories):
                    subset[i, c] = action.subset[c]
            for c in range(self.K):
                left_count[i, c] = self.regions[action.left].count[c]
                right_count[i, c] = self.regions[action.right].count[c]
        return {
            "feature": feature,
            "threshold": threshold,
            "subset": subset,
            "share_left": share_left,
            "gain": gain,
            "above": above,
            "is_left": is_left,
            "left_count": left_count,
            "right_count": right_count,
        }

    # A policy of the caller's: take a state, say what it is worth.

    def next_state(self):
        """Expand; the new state's number, or -1 when no iteration is possible."""
        cdef int s
        self.more_logs(1)
        if not self.has_room():
            return -1
        with nogil:
            s = self.expand()
        if s == NO_MEMORY:
            raise MemoryError("no memory for the search; set max_memory or max_nodes")
        return s

    def actions_of(self, int s):
        """The actions of a state in the order in which they were taken, list of int."""
        if self.load_chain(s) < 0:
            raise MemoryError("no memory for the search")
        return [self.chain[k] for k in range(self.states[s].depth)]

    def reward(self, int s, double reward, bint gone):
        """Back up the reward of a state from `next_state`; `gone` removes it."""
        self.settle(s, reward, gone)
