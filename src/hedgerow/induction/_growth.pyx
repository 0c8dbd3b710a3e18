# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""The growth loop: one for every learner (thesis, algorithm 1).

A node is a segment of one sorted list of rows per variable; a split divides each list stably,
so nothing is sorted twice.  When an instance can go both ways (missing values, soft training
propagation) the lists of the children together are longer than their parent's, and the rows of
a node carry weights of their own.

Threads share a large table in two ways (`_crew`). At a large node they share the variables, which
are searched and whose lists are divided. Smaller nodes wait until the large ones are done and are
then grown to their ends, each by one thread, where the rows of a node are its own. The tree is the
same for any split of the work: tests are compared in variable order, and a search whose bound
was not that of one thread is repeated where it matters (`is_doubtful`).
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from cpython.pyport cimport PY_SSIZE_T_MAX
from libc.math cimport INFINITY, NAN, fmax, fmin, isnan
from libc.limits cimport INT_MAX
from libc.stdint cimport int64_t
from libc.stdlib cimport qsort
from libc.string cimport memcpy, memset

from hedgerow.induction._candidates cimport (
    GAIN_TOLERANCE,
    LEAST_GAIN,
    MEANS,
    Grid,
    Guesses,
    Points,
    Scan,
    choose_hard,
    choose_soft,
    counted,
    counted_row,
    first_above,
    first_with,
    guess_points,
    hard_points,
    hard_whole,
    last_with,
    lay_minimum,
    score_points,
    soft_points,
    value_at,
    weigh_known,
)
from hedgerow.induction._categorical cimport Subsets, best_category, best_subset, subsets_init
from hedgerow.induction._columns cimport Columns
from hedgerow.induction._crew cimport Crew
from hedgerow.induction._criteria cimport (
    CODED_GAIN,
    EXPECTED_GAIN,
    GAIN_RATIO,
    Criterion,
    criterion_of,
    hedgerow_xlog2x,
    is_bounded,
    weighted_entropy,
)
from hedgerow.induction._pdf cimport Cells, Reach, best_sample
from hedgerow.tree._arena cimport Arena
from hedgerow.tree._gates cimport (
    ASKED,
    PDF,
    STEP,
    Gate,
    Gates,
    Test,
    hedgerow_phi_fill,
    is_soft,
    kept_left,
    narrow,
    share_left,
)

from hedgerow.induction.rules import SampleSearch

hedgerow_phi_fill()

cdef int NONE = -1
cdef Py_ssize_t ATTENTION = 100000  # rows looked at, milliseconds of work, between interrupts
cdef double WEIGHT_SLACK = 1e-9     # fractions that add up to a minimum reach it
cdef double DOUBT = 1e-9            # of gains: beyond what a tie may move them
cdef double BELOW_AVERAGE = 1e-3    # bits that a gain may lie below the average (Quinlan's program)


cdef struct Node:
    int feature             # -1 at leaves
    int left, right, parent
    double threshold        # NaN at tests on categories
    double center           # centre of a soft gate
    double share_left       # of the known weight


cdef struct Pending:
    Py_ssize_t start, n     # place of the node in the lists, number of its rows
    int parent, depth
    int given               # node of the tree that growth starts from, or NONE
    bint is_left


cdef struct Choice:
    int feature
    double threshold, center


cdef struct Found:
    # The best test of a variable by its gain.
    double gain             # reliability and repetition factor taken in; 0: there is none
    double ratio            # gain ratio only
    double threshold, center
    double to_beat          # best gain of the variables before, as the search knew it
    bint counts             # more than no gain
    bint bounded            # what the search had to beat may show in what it found
    bint done


cdef struct Branch:
    # A node that is grown to its end by one thread.
    Pending node
    int root                # its node in the tree
    int grower              # number of the thread ...
    int first, n_nodes      # ... among whose nodes those of the branch are


cdef enum:
    # What threads do together.
    SEARCH                  # the best test of each variable at a node
    DIVIDE                  # the list of each variable
    BRANCHES


cdef int by_size(const void* a, const void* b) noexcept nogil:
    """Large branches first; of equal ones the order is that of the tree."""
    cdef const Branch* one = <const Branch*> a
    cdef const Branch* two = <const Branch*> b
    if one.node.n != two.node.n:
        return 1 if one.node.n < two.node.n else -1
    return (one.root > two.root) - (one.root < two.root)


cdef class Growth:
    """Grows one tree."""

    cdef Arena memory               # of all that follows, but for what helpers share
    # who else is at work
    cdef Crew crew                  # None: nobody
    cdef list helpers               # of a leader
    cdef Growth leader              # of a helper
    cdef bint helps
    cdef int n_threads              # the leader and his helpers
    cdef int number                 # 0: the leader
    cdef int phase
    cdef Py_ssize_t shared_from     # values of a node from which its variables are shared
    cdef Py_ssize_t most_rows       # of a branch
    cdef Branch* branches
    cdef int n_branches, branch_capacity
    cdef Node* trunk                # nodes that are no branches' ...
    cdef int n_trunk                # ... and their number
    cdef int above                  # of them, the parent of the branch at hand; NONE in the trunk
    # what is grown from
    cdef Columns columns
    cdef double min_split, min_leaf, repetition_factor, tolerance
    cdef Py_ssize_t max_depth, n, m, n_categories
    cdef int K
    cdef int midpoints
    cdef bint gate_midpoint, fractional, whole
    cdef Gates gates
    cdef Criterion criterion
    cdef bint global_reliability, missing_to_both, undefined_first
    cdef bint penalty, larger_sides, one_against_rest
    cdef Py_ssize_t n_tried         # thresholds that the last search found possible
    cdef double* reliability        # of each variable, in the whole training set
    cdef const double[:, :, ::1] guess  # draws x variables x rows, NaN where the value is known
    cdef int* place                 # likewise, see `Guesses`
    cdef Py_ssize_t* n_values       # by variable
    cdef Guesses guesses
    cdef object proposals           # what grids and `reach` point at
    cdef Grid* grids                # one per variable; step 0: hard search
    # rows of the nodes that wait
    cdef int* lists                 # m + 1 lists of `capacity`; the last names the members
    cdef double* member_weight      # capacity; weights of the last list
    cdef int* lengths               # pending x m: known rows of each variable
    cdef Py_ssize_t capacity, n_pending, pending_capacity
    cdef Pending* pending
    cdef Py_ssize_t unattended      # rows looked at since an interrupt could take effect
    # scratch
    cdef int* held
    cdef double* held_weight
    cdef const double* weight       # by row, at the node at hand ...
    cdef double* weight_here        # ... where it is not the same at every node, else NULL
    cdef double* weight_left
    cdef double* weight_right
    cdef double* asked              # shares that Python gave, by place in the list at hand
    cdef unsigned char* goes_left
    cdef unsigned char* goes_right
    cdef double* total              # class weights at the node
    cdef double* known              # class weights among the known; K more: of `lay_minimum`
    cdef Py_ssize_t* counts
    cdef unsigned char* subset
    cdef unsigned char* best_subset
    cdef unsigned char* tested      # variables tested above, for the repetition factor
    cdef int* lengths_here
    cdef int* lengths_left
    cdef int* lengths_right
    cdef Points points
    cdef Subsets subsets
    # the node at hand
    cdef const Pending* node
    cdef double node_weight
    cdef Py_ssize_t n_right
    cdef Found* found               # by variable
    cdef Py_ssize_t n_accepted      # of them, those compared with each other ...
    cdef double best_gain           # ... the best gain among them, and its test
    cdef Choice* choice
    # uncertain values (UDT): n_points 0 means that there are none
    cdef Reach reach
    cdef Cells cells
    cdef double* lower              # interval that the tests above left of each variable
    cdef double* upper
    # the tree that growth starts from, if any
    cdef bint starts
    cdef const int[::1] given_feature, given_left, given_right
    cdef const double[::1] given_threshold
    cdef const unsigned char[:, ::1] given_categories
    # the tree
    cdef int* origin                # nodes; the given node that each one is, or NONE
    cdef Node* nodes
    cdef double* class_weight       # nodes x K
    cdef unsigned char* categories_left
    cdef int n_nodes, node_capacity
    # for benchmarks, searches on whole counts left out: thresholds proposed, gains evaluated
    cdef readonly long long n_candidates, n_gains

    def __init__(self, Columns columns, Gates gates, rules, search=None, dict given=None,
                 guess=None, sharing=None):
        """
        Parameters
        ----------
        columns : Columns
        gates : Gates
            Of soft training propagation, or of uncertain values (UDT); not those that need a
            finished tree.
        rules : Rules
        search : GridSearch, SampleSearch or None
            How tests on numbers are proposed; None: hard search. Gates that are conditioned on
            the tests above need a `SampleSearch`.
        given : dict or None
            Arrays of a tree (hard gates) whose tests are taken as they are; growth goes on at
            its leaves. A test that would leave one side empty makes a leaf.
        guess : (n_draws, m, n) float64 or None
            With the criterion "expected_gain", of a training set with missing values: guesses
            where the value is missing, NaN elsewhere; codes of categories.
        sharing : Sharing or None
            Threads, and what they share; None: the one that calls.
        """
        cdef Py_ssize_t n = columns.n_rows, m = columns.n_variables, size, j, p
        cdef int K = columns.n_classes
        cdef double weight
        gates.check_grows()
        self.columns = columns
        self.n = n
        self.m = m
        self.K = K
        self.min_split = rules.min_samples_split
        self.min_leaf = rules.min_samples_leaf
        self.max_depth = PY_SSIZE_T_MAX if rules.max_depth is None else rules.max_depth
        self.midpoints = MEANS if rules.variant.thresholds == "observed" else rules.midpoints
        self.gate_midpoint = rules.gate_midpoint
        self.repetition_factor = rules.repetition_factor
        self.proposals = search
        self.gates = gates
        self.fractional = columns.has_missing or gates.soft
        self.criterion = criterion_of(rules.criterion)
        if gates.conditioned and not is_bounded(&self.criterion):
            raise TypeError("uncertain values (UDT) are searched by bounds, which the criterion "
                            f"{rules.criterion!r} does not have")
        self.global_reliability = rules.reliability == "global"
        self.missing_to_both = rules.missing_to_both
        self.undefined_first = rules.undefined_first
        self.penalty = rules.variant.threshold_penalty
        self.tolerance = rules.variant.tolerance
        self.larger_sides = rules.variant.larger_numeric_sides
        self.one_against_rest = rules.variant.one_against_rest
        if self.criterion.kind == EXPECTED_GAIN:
            if search is not None:
                raise TypeError("the expected gain is searched at observed values only")
            self.guess = guess
            self.criterion.n_draws = <int> self.guess.shape[0]
            self.guesses.draw = self.guess.shape[1] * self.guess.shape[2]
        # Whole counts go without a list of thresholds, of which the penalty needs the number.
        self.whole = (columns.whole and not self.fractional and is_bounded(&self.criterion)
                      and not self.penalty and self.tolerance == 0.0)
        self.n_categories = max(columns.n_categories.max(initial=0), 0)
        self.capacity = n if not self.fractional else 2 * n + 16
        self.pending_capacity = 64
        self.node_capacity = 64
        self.n_candidates = 0
        self.n_gains = 0

        self.n_threads = 1
        if sharing is not None:
            self.crew = Crew(sharing.threads, sharing.cores)
            self.n_threads = self.crew.n_helpers + 1
            self.shared_from = sharing.node
            self.most_rows = n // (sharing.branches * self.n_threads)
        self.above = NONE
        self.memory = Arena(f"to grow a tree from {n} rows and {m} variables")
        self.grids = <Grid*> self.memory.zeros(m, sizeof(Grid))
        self.lists = <int*> self.memory.take((m + 1) * self.capacity, sizeof(int))
        columns.lay_order(self.lists, self.capacity, self.n_threads)
        self.reliability = <double*> self.memory.take(m + 1, sizeof(double))
        for j in range(m):
            weight = 0.0
            for p in range(columns.known[j]):
                weight += columns.weights[self.lists[j * self.capacity + p]]
            self.reliability[j] = 1.0 if columns.known[j] == n else weight / columns.total_weight
        self.guesses.total = <double*> self.memory.take(K, sizeof(double))
        if self.criterion.kind == EXPECTED_GAIN:
            self.lay_places()
        self.lengths = <int*> self.memory.take(self.pending_capacity * m, sizeof(int))
        self.pending = <Pending*> self.memory.take(self.pending_capacity, sizeof(Pending))
        self.held = <int*> self.memory.take(n + 1, sizeof(int))
        self.weight = &columns.weights[0]
        if self.fractional:
            self.member_weight = <double*> self.memory.take(self.capacity, sizeof(double))
            self.held_weight = <double*> self.memory.take(n + 1, sizeof(double))
            self.weight_here = <double*> self.memory.take(n, sizeof(double))
            memcpy(self.weight_here, &columns.weights[0], n * sizeof(double))
            self.weight = self.weight_here
            self.weight_left = <double*> self.memory.take(n, sizeof(double))
            self.weight_right = <double*> self.memory.take(n, sizeof(double))
            self.goes_right = <unsigned char*> self.memory.take(n + 1, 1)
        self.found = <Found*> self.memory.take(m + 1, sizeof(Found))
        if gates.asking:
            self.asked = <double*> self.memory.take(n, sizeof(double))
        self.goes_left = <unsigned char*> self.memory.take(n + 1, 1)
        self.total = <double*> self.memory.take(K, sizeof(double))
        self.known = <double*> self.memory.take(2 * K, sizeof(double))
        self.counts = <Py_ssize_t*> self.memory.take(2 * K + 2, sizeof(Py_ssize_t))
        self.subset = <unsigned char*> self.memory.take(self.n_categories + 1, 1)
        self.best_subset = <unsigned char*> self.memory.take(self.n_categories + 1, 1)
        self.tested = <unsigned char*> self.memory.zeros(m + 1, 1)
        self.lower = <double*> self.memory.take(m + 1, sizeof(double))
        self.upper = <double*> self.memory.take(m + 1, sizeof(double))
        for j in range(m):
            self.lower[j] = -INFINITY
            self.upper[j] = INFINITY
        self.lengths_here = <int*> self.memory.take(m + 1, sizeof(int))
        self.lengths_left = <int*> self.memory.take(m + 1, sizeof(int))
        self.lengths_right = <int*> self.memory.take(m + 1, sizeof(int))
        self.starts = given is not None
        if self.starts:
            self.given_feature = given["feature"]
            self.given_left = given["children_left"]
            self.given_right = given["children_right"]
            self.given_threshold = given["threshold"]
            self.given_categories = given["categories_left"]
        self.nodes = <Node*> self.memory.take(self.node_capacity, sizeof(Node))
        self.origin = <int*> self.memory.take(self.node_capacity, sizeof(int))
        self.class_weight = <double*> self.memory.take(self.node_capacity * K, sizeof(double))
        size = self.n_categories if self.n_categories else 1
        self.categories_left = <unsigned char*> self.memory.take(self.node_capacity * size, 1)
        subsets_init(&self.subsets, self.memory, self.n_categories, K, self.criterion.n_draws)
        if isinstance(search, SampleSearch):
            self.lay_samples(search)
        elif gates.conditioned:
            raise TypeError("gates that are conditioned on the tests above need a SampleSearch")
        elif search is not None:
            self.lay_grids(search)

    cdef int lay_places(self) except -1:
        """Where each guess lies among the known values of its variable."""
        cdef Py_ssize_t m = self.m, n = self.n, j, p, low, high, middle
        cdef int d, rank
        cdef int* rows
        cdef int* place
        cdef const double* x
        cdef const double* guess
        cdef Py_ssize_t step = self.columns.x_step
        cdef double* values = <double*> self.memory.take(n, sizeof(double))
        self.n_values = <Py_ssize_t*> self.memory.take(m, sizeof(Py_ssize_t))
        self.place = <int*> self.memory.take(self.criterion.n_draws * m * n, sizeof(int))
        for j in range(m):
            rows = self.lists + j * self.capacity
            x = &self.columns.x[0, j]
            rank = -1
            for p in range(self.columns.known[j]):
                if p == 0 or x[rows[p] * step] > values[rank]:
                    rank += 1
                    values[rank] = x[rows[p] * step]
                for d in range(self.criterion.n_draws):
                    self.place[(d * m + j) * n + rows[p]] = -1 - rank
            self.n_values[j] = rank + 1
            for d in range(self.criterion.n_draws):
                guess = &self.guess[d, j, 0]
                place = self.place + (d * m + j) * n
                for p in range(n):
                    if not isnan(x[p * step]):
                        continue
                    low = 0
                    high = rank + 1
                    while low < high:
                        middle = (low + high) // 2
                        if values[middle] <= guess[p]:
                            low = middle + 1
                        else:
                            high = middle
                    place[p] = <int> low
        self.memory.give_back(values)
        return 0

    cdef int lay_samples(self, search) except -1:
        """How the sample points of uncertain values are searched."""
        cdef const double[:, :, ::1] smoothing = search.table
        self.reach.n_points = search.n_points
        self.reach.half = search.half_window
        self.reach.table = &smoothing[0, 0, 0]
        self.reach.phases = smoothing.shape[0]
        self.reach.width = smoothing.shape[2]
        smoothing = search.fine_table
        self.reach.fine_table = &smoothing[0, 0, 0]
        self.reach.fine_phases = smoothing.shape[0]
        self.reach.fine_width = smoothing.shape[2]
        return 0

    cdef int lay_grids(self, search) except -1:
        """The grid of each variable whose search is soft (thesis, equation 3.7)."""
        cdef Columns columns = self.columns
        cdef const double[::1] sigma = search.sigma
        cdef const double[:, :, ::1] smoothing = search.table
        cdef const double[:, ::1] model_rows
        cdef const int64_t[::1] model_first
        cdef double low, high, half_window = search.half_window, step = search.step
        cdef Grid* grid
        cdef Py_ssize_t j
        for j in range(self.m):
            if sigma[j] <= 0.0 or columns.categories[j] > 0 or columns.known[j] == 0:
                continue
            low = columns.x[self.lists[j * self.capacity], j]
            high = columns.x[self.lists[j * self.capacity + columns.known[j] - 1], j]
            if (high - low) / sigma[j] > 1e12:
                continue        # the grid would be finer than the numbers: hard search
            grid = self.grids + j
            grid.step = step * sigma[j]
            grid.origin = low - half_window * sigma[j]
            if search.center is not None:
                grid.origin += search.center[j]
                grid.shift = search.center[j] / grid.step
            grid.half = half_window / step
            grid.step_sigma = step
            if j in search.tabulated:
                model_rows, model_first, grid.origin, grid.half = search.tabulated[j]
                grid.rows = &model_rows[0, 0]
                grid.first = &model_first[0]
                grid.width = model_rows.shape[1]
            else:
                grid.table = &smoothing[0, 0, 0]
                grid.phases = smoothing.shape[0]
                grid.width = smoothing.shape[2]
        return 0

    def run(self):
        """Grow, once; return the arrays of the tree in preorder.

        Returns
        -------
        dict of arrays, named as in `hedgerow.tree.Tree`; with a tree given also `origin`, the
        number of the given node that each node is (-1: grown)
        """
        try:
            if self.crew is not None:
                self.hire()
            with nogil:
                self.grow()
            if self.n_branches > 0:
                self.splice()
            for helper in self.helpers or ():
                self.n_candidates += (<Growth> helper).n_candidates
                self.n_gains += (<Growth> helper).n_gains
        finally:
            if self.crew is not None:
                self.crew.end()
            self.crew = None
            self.helpers = None     # they hold this object until their threads end
        return self.collect()

    cdef object hire(self):
        """Start the helpers."""
        cdef Growth helper
        cdef Py_ssize_t k
        self.helpers = []
        for k in range(self.crew.n_helpers):
            helper = Growth.__new__(Growth)
            helper.serve(self, <int> k + 1)
            self.helpers.append(helper)
        self.crew.start([helper.help for helper in self.helpers])
        self.n_threads = self.crew.n_helpers + 1

    cdef object serve(self, Growth leader, int number):
        """Become a helper: what is read is the leader's, what is written its own."""
        cdef Py_ssize_t m = leader.m
        cdef int K = leader.K
        self.crew = leader.crew
        self.leader = leader
        self.helps = True
        self.number = number
        self.n_threads = 1
        self.columns = leader.columns
        self.gates = leader.gates
        self.min_split = leader.min_split
        self.min_leaf = leader.min_leaf
        self.repetition_factor = leader.repetition_factor
        self.max_depth = leader.max_depth
        self.n = leader.n
        self.m = m
        self.K = K
        self.n_categories = leader.n_categories
        self.midpoints = leader.midpoints
        self.gate_midpoint = leader.gate_midpoint
        self.fractional = leader.fractional
        self.whole = leader.whole
        self.criterion = leader.criterion
        self.global_reliability = leader.global_reliability
        self.missing_to_both = leader.missing_to_both
        self.undefined_first = leader.undefined_first
        self.penalty = leader.penalty
        self.tolerance = leader.tolerance
        self.larger_sides = leader.larger_sides
        self.one_against_rest = leader.one_against_rest
        self.reliability = leader.reliability
        self.guess = leader.guess
        self.place = leader.place
        self.n_values = leader.n_values
        self.guesses = leader.guesses
        self.proposals = leader.proposals
        self.grids = leader.grids
        self.reach = leader.reach
        self.starts = leader.starts
        if self.starts:
            self.given_feature = leader.given_feature
            self.given_left = leader.given_left
            self.given_right = leader.given_right
            self.given_threshold = leader.given_threshold
            self.given_categories = leader.given_categories
        self.memory = Arena(leader.memory.purpose)
        self.guesses.total = <double*> self.memory.take(K, sizeof(double))
        self.held = <int*> self.memory.take(self.n + 1, sizeof(int))
        self.known = <double*> self.memory.take(2 * K, sizeof(double))
        self.counts = <Py_ssize_t*> self.memory.take(2 * K + 2, sizeof(Py_ssize_t))
        self.subset = <unsigned char*> self.memory.take(self.n_categories + 1, 1)
        subsets_init(&self.subsets, self.memory, self.n_categories, K, self.criterion.n_draws)

    def help(self, int number):
        """What the thread of a helper does; failures are the crew's to tell."""
        try:
            with nogil:
                while self.crew.called(number):
                    self.work(self.leader)
                    self.crew.finished(number)
        except BaseException as error:
            self.crew.fail(error)
            self.crew.finished(number)
        finally:
            self.leader = None

    cdef int together(self, int phase, Py_ssize_t n_tasks) except -1 nogil:
        """Share the tasks of a phase."""
        cdef bint done = False
        self.phase = phase
        self.crew.begin(n_tasks)
        try:
            self.work(self)
            done = True
        finally:
            # Helpers read the node at hand, which goes with the frames above where this fails.
            if not done:
                self.crew.stop()
            self.crew.wait()
        return self.crew.gather()

    cdef int work(self, Growth leader) except -1 nogil:
        """Do tasks of the leader's phase until there is none left."""
        cdef Py_ssize_t task
        if leader.phase == BRANCHES:
            return self.grow_branches(leader)
        if self.helps:
            self.look_at(leader)
        if leader.phase == SEARCH:
            return self.search_variables(leader)
        task = self.crew.take()
        while task >= 0:
            self.divide_list(task)
            task = self.crew.take()
        return 0

    cdef void look_at(self, Growth leader) noexcept nogil:
        """See the node that the leader is at."""
        self.node = leader.node
        self.node_weight = leader.node_weight
        self.n_right = leader.n_right
        self.lists = leader.lists
        self.capacity = leader.capacity
        self.member_weight = leader.member_weight
        self.weight = leader.weight
        self.total = leader.total
        self.tested = leader.tested
        self.lower = leader.lower
        self.upper = leader.upper
        self.goes_left = leader.goes_left
        self.goes_right = leader.goes_right
        self.lengths_here = leader.lengths_here
        self.lengths_left = leader.lengths_left
        self.lengths_right = leader.lengths_right

    cdef int settle(self, Growth leader) except -1 nogil:
        """Take what a helper needs to grow branches."""
        cdef Py_ssize_t m = self.m, size = self.n_categories if self.n_categories else 1
        self.look_at(leader)
        self.trunk = leader.trunk
        self.n_trunk = leader.n_trunk
        self.total = <double*> self.memory.take(self.K, sizeof(double))
        self.tested = <unsigned char*> self.memory.zeros(m + 1, 1)
        self.goes_left = <unsigned char*> self.memory.take(self.n + 1, 1)
        self.best_subset = <unsigned char*> self.memory.take(self.n_categories + 1, 1)
        self.found = <Found*> self.memory.take(m + 1, sizeof(Found))
        self.lengths_here = <int*> self.memory.take(m + 1, sizeof(int))
        self.lengths_left = <int*> self.memory.take(m + 1, sizeof(int))
        self.lengths_right = <int*> self.memory.take(m + 1, sizeof(int))
        self.pending_capacity = 64
        self.lengths = <int*> self.memory.take(self.pending_capacity * m, sizeof(int))
        self.pending = <Pending*> self.memory.take(self.pending_capacity, sizeof(Pending))
        self.node_capacity = 64
        self.nodes = <Node*> self.memory.take(self.node_capacity, sizeof(Node))
        self.origin = <int*> self.memory.take(self.node_capacity, sizeof(int))
        self.class_weight = <double*> self.memory.take(self.node_capacity * self.K,
                                                       sizeof(double))
        self.categories_left = <unsigned char*> self.memory.take(self.node_capacity * size, 1)
        return 0

    cdef int defer(self, const Pending* node, int id_) except -1 nogil:
        """Leave a node to the next thread that is free for its branch."""
        if self.n_branches >= self.branch_capacity:
            self.branch_capacity = 2 * self.branch_capacity + 64
            self.branches = <Branch*> self.memory.resized(self.branches, self.branch_capacity,
                                                          sizeof(Branch))
        self.branches[self.n_branches].node = node[0]
        self.branches[self.n_branches].root = id_
        self.n_branches += 1
        return 0

    cdef int grow_branches(self, Growth leader) except -1 nogil:
        """Grow branches; no row is in two of them."""
        cdef Py_ssize_t task = self.crew.take(), j
        cdef Branch* branch
        if self.helps and task >= 0:
            self.settle(leader)
        while task >= 0:
            branch = leader.branches + task
            branch.grower = self.number
            branch.first = self.n_nodes
            self.above = branch.node.parent
            self.pending[0] = branch.node
            self.pending[0].parent = NONE
            for j in range(self.m):
                self.lengths[j] = <int> branch.node.n
            self.n_pending = 1
            self.grow_pending()
            branch.n_nodes = self.n_nodes - branch.first
            task = self.crew.take()
        return 0

    cdef int splice(self) except -1:
        """Put the branches in the places of their roots, so that the nodes are in preorder."""
        cdef Py_ssize_t i, n = self.n_trunk, size = self.n_categories if self.n_categories else 1
        cdef Py_ssize_t K = self.K, to, start, k
        cdef int id_, shift
        cdef Branch* branch
        cdef Growth grower
        cdef int* place = <int*> self.memory.take(n, sizeof(int))
        cdef int* at = <int*> self.memory.take(n, sizeof(int))
        cdef Node* nodes
        cdef Node* node
        cdef int* origin
        cdef double* class_weight
        cdef unsigned char* categories_left
        for i in range(n):
            at[i] = NONE
        for i in range(self.n_branches):
            at[self.branches[i].root] = <int> i
        to = 0
        for i in range(n):
            place[i] = <int> to
            to += 1 if at[i] == NONE else self.branches[at[i]].n_nodes
            if to > INT_MAX:
                raise MemoryError("no numbers for more than 2^31 nodes")
        nodes = <Node*> self.memory.take(to, sizeof(Node))
        origin = <int*> self.memory.take(to, sizeof(int))
        class_weight = <double*> self.memory.take(to * K, sizeof(double))
        categories_left = <unsigned char*> self.memory.take(to * size, 1)
        for i in range(n):
            to = place[i]
            grower = self
            start = i
            id_ = 1
            if at[i] != NONE:
                branch = self.branches + at[i]
                if branch.grower > 0:
                    grower = self.helpers[branch.grower - 1]
                start = branch.first
                id_ = branch.n_nodes
            memcpy(nodes + to, grower.nodes + start, id_ * sizeof(Node))
            memcpy(origin + to, grower.origin + start, id_ * sizeof(int))
            memcpy(class_weight + to * K, grower.class_weight + start * K,
                   id_ * K * sizeof(double))
            memcpy(categories_left + to * size, grower.categories_left + start * size, id_ * size)
            if at[i] == NONE:
                node = nodes + to
                if node.left >= 0:
                    node.left = place[node.left]
                    node.right = place[node.right]
            else:
                shift = <int> (to - start)
                for k in range(id_):
                    node = nodes + to + k
                    if node.left >= 0:
                        node.left += shift
                        node.right += shift
                    node.parent += shift
                node = nodes + to
                node.parent = self.nodes[i].parent
            node = nodes + to
            if node.parent >= 0:
                node.parent = place[node.parent]
        self.nodes = nodes
        self.origin = origin
        self.class_weight = class_weight
        self.categories_left = categories_left
        self.n_nodes = 0
        for i in range(n):
            self.n_nodes += 1 if at[i] == NONE else self.branches[at[i]].n_nodes
        return 0

    cdef object collect(self):
        cdef Py_ssize_t n = self.n_nodes, i, c, size = self.n_categories
        feature = np.empty(n, dtype=np.int32)
        children_left = np.empty(n, dtype=np.int32)
        children_right = np.empty(n, dtype=np.int32)
        parent = np.empty(n, dtype=np.int32)
        threshold = np.empty(n)
        center = np.empty(n)
        share_left = np.empty(n)
        class_weight = np.empty((n, self.K))
        categories_left = np.zeros((n, size), dtype=np.uint8)
        cdef int[::1] feature_view = feature, left_view = children_left
        cdef int[::1] right_view = children_right, parent_view = parent
        cdef double[::1] threshold_view = threshold, center_view = center
        cdef double[::1] share_view = share_left
        cdef double[:, ::1] class_view = class_weight
        cdef unsigned char[:, ::1] categories_view = categories_left
        for i in range(n):
            feature_view[i] = self.nodes[i].feature
            left_view[i] = self.nodes[i].left
            right_view[i] = self.nodes[i].right
            parent_view[i] = self.nodes[i].parent
            threshold_view[i] = self.nodes[i].threshold
            center_view[i] = self.nodes[i].center
            share_view[i] = self.nodes[i].share_left
            for c in range(self.K):
                class_view[i, c] = self.class_weight[i * self.K + c]
            for c in range(size):
                categories_view[i, c] = self.categories_left[i * size + c]
        grown = {}
        cdef int[::1] origin_view
        if self.starts:
            grown["origin"] = np.empty(n, dtype=np.int32)
            origin_view = grown["origin"]
            for i in range(n):
                origin_view[i] = self.origin[i]
        return grown | {
            "feature": feature,
            "threshold": threshold,
            "center": center,
            "children_left": children_left,
            "children_right": children_right,
            "parent": parent,
            "share_left": share_left,
            "class_weight": class_weight,
            "categories_left": categories_left,
        }

    cdef int grow(self) except -1 nogil:
        cdef Py_ssize_t n = self.n, j, p
        for j in range(self.m):
            self.lengths[j] = self.columns.known[j]
        for p in range(n):
            self.lists[self.m * self.capacity + p] = <int> p
        if self.fractional:
            memcpy(self.member_weight, self.weight_here, n * sizeof(double))
        self.n_nodes = 0
        self.n_pending = 1
        self.pending[0].start = 0
        self.pending[0].n = n
        self.pending[0].parent = NONE
        self.pending[0].depth = 0
        self.pending[0].is_left = False
        self.pending[0].given = 0 if self.starts else NONE
        self.grow_pending()
        if self.n_branches > 0:
            self.trunk = <Node*> self.memory.take(self.n_nodes, sizeof(Node))
            memcpy(self.trunk, self.nodes, self.n_nodes * sizeof(Node))
            self.n_trunk = self.n_nodes
            qsort(self.branches, self.n_branches, sizeof(Branch), by_size)
            self.together(BRANCHES, self.n_branches)
        return 0

    cdef int grow_pending(self) except -1 nogil:
        """Grow from the nodes that wait, the last one first."""
        cdef Pending node
        cdef int id_, n_present, c, ancestor
        cdef Choice choice
        cdef double weight
        while self.n_pending > 0:
            self.n_pending -= 1
            node = self.pending[self.n_pending]
            memcpy(self.lengths_here, self.lengths + self.n_pending * self.m,
                   self.m * sizeof(int))
            id_ = self.add_node(&node)
            if self.is_branch(&node):
                self.defer(&node, id_)
                continue
            weight = self.count_classes(&node, id_)
            if node.given >= 0 and self.given_feature[node.given] >= 0:
                self.take_given(&node, &choice)
                self.split(&node, id_, &choice)
                continue
            n_present = 0
            for c in range(self.K):
                if self.total[c] > 0.0:
                    n_present += 1
            if (counted(self.columns.counting, self.total, 1, self.K, weight)
                    < self.min_split - WEIGHT_SLACK or node.depth >= self.max_depth):
                continue
            if self.undefined_first and self.find_undefined(&node, &choice):
                self.split(&node, id_, &choice)
                continue
            if n_present < 2:
                continue
            if self.repetition_factor != 1.0:
                memset(self.tested, 0, self.m)
                ancestor = node.parent
                while ancestor >= 0:
                    self.tested[self.nodes[ancestor].feature] = 1
                    ancestor = self.nodes[ancestor].parent
                ancestor = self.above
                while ancestor >= 0:
                    self.tested[self.trunk[ancestor].feature] = 1
                    ancestor = self.trunk[ancestor].parent
            if self.gates.conditioned:
                self.bound_values(id_)
            self.find_test(&node, weight, &choice)
            if choice.feature >= 0:
                self.split(&node, id_, &choice)
        return 0

    cdef inline bint is_branch(self, const Pending* node) noexcept nogil:
        """Whether a node is left to one thread: it is no large part of the work, nor too little.

        Rows that are divided between two branches keep one thread from not heeding the other.
        """
        return (self.n_threads > 1 and self.n_trunk == 0 and not self.fractional
                and node.n <= self.most_rows and node.n * self.m >= self.shared_from)

    cdef inline bint is_shared(self) noexcept nogil:
        """Whether the variables of the node at hand are worth the calls."""
        return (self.n_threads > 1 and self.n_trunk == 0 and self.m > 1
                and self.node.n * self.m >= self.shared_from)

    cdef void take_given(self, const Pending* node, Choice* choice) noexcept nogil:
        """The test of the tree that growth starts from."""
        cdef Py_ssize_t c
        choice.feature = self.given_feature[node.given]
        choice.threshold = self.given_threshold[node.given]
        choice.center = choice.threshold
        for c in range(self.given_categories.shape[1]):
            self.best_subset[c] = self.given_categories[node.given, c]

    cdef int add_node(self, const Pending* node) except -1 nogil:
        cdef int id_ = self.n_nodes
        cdef Py_ssize_t size = self.n_categories if self.n_categories else 1
        cdef Py_ssize_t n
        if id_ >= self.node_capacity:
            if id_ > INT_MAX // 2:
                with gil:
                    raise MemoryError("no numbers for more than 2^31 nodes")
            self.node_capacity *= 2
            n = self.node_capacity
            self.nodes = <Node*> self.memory.resized(self.nodes, n, sizeof(Node))
            self.origin = <int*> self.memory.resized(self.origin, n, sizeof(int))
            self.class_weight = <double*> self.memory.resized(self.class_weight, n * self.K,
                                                              sizeof(double))
            self.categories_left = <unsigned char*> self.memory.resized(
                self.categories_left, n, size)
        self.origin[id_] = node.given
        self.nodes[id_].feature = NONE
        self.nodes[id_].left = NONE
        self.nodes[id_].right = NONE
        self.nodes[id_].parent = node.parent
        self.nodes[id_].threshold = NAN
        self.nodes[id_].center = NAN
        self.nodes[id_].share_left = NAN
        memset(self.categories_left + id_ * size, 0, size)
        if node.parent >= 0:
            if node.is_left:
                self.nodes[node.parent].left = id_
            else:
                self.nodes[node.parent].right = id_
        self.n_nodes += 1
        return id_

    cdef void bound_values(self, int id_) noexcept nogil:
        """Between which values the tests above a node put each variable."""
        cdef Py_ssize_t j
        cdef int child = id_, node = self.nodes[id_].parent, f
        for j in range(self.m):
            self.lower[j] = -INFINITY
            self.upper[j] = INFINITY
        while node >= 0:
            f = self.nodes[node].feature
            narrow(self.nodes[node].threshold, self.nodes[node].left == child, &self.lower[f],
                   &self.upper[f])
            child = node
            node = self.nodes[node].parent

    cdef double count_classes(self, const Pending* node, int id_) noexcept nogil:
        """Class weights of the node, into `total` and the tree; their sum."""
        cdef const int* members = self.lists + self.m * self.capacity + node.start
        cdef const double* w = self.member_weight + node.start if self.fractional else NULL
        cdef double* total = self.total
        cdef double weight = 0.0
        cdef Py_ssize_t p
        cdef int c
        for c in range(self.K):
            total[c] = 0.0
        if self.fractional:
            for p in range(node.n):
                self.weight_here[members[p]] = w[p]
                total[self.columns.labels[members[p]]] += w[p]
        else:
            for p in range(node.n):
                total[self.columns.labels[members[p]]] += self.weight[members[p]]
        for c in range(self.K):
            self.class_weight[id_ * self.K + c] = total[c]
            weight += total[c]
        return weight

    cdef int attend(self, Py_ssize_t n) except -1 nogil:
        """Let an interrupt take effect, once in so many rows that were looked at."""
        self.unattended += n
        if self.unattended >= ATTENTION:
            self.unattended = 0
            if self.helps:
                return self.crew.attend()
            with gil:
                PyErr_CheckSignals()
        return 0

    cdef int find_test(self, const Pending* node, double weight, Choice* best) except -1 nogil:
        """The variable and test that are best; best.feature -1 when there is none.

        The one with the largest gain.  By the gain ratio: of the best tests of each variable by
        their gain, whose gain is not below their average, the one with the largest ratio
        (Quinlan 1993, 2.2.2).
        """
        cdef Py_ssize_t j
        cdef Found again
        cdef bint shared
        best.feature = NONE
        self.choice = best
        self.best_gain = 0.0
        self.n_accepted = 0
        self.node = node
        self.node_weight = weight
        shared = self.is_shared()
        if shared:
            for j in range(self.m):
                self.found[j].done = False
            self.together(SEARCH, self.m)
        else:
            for j in range(self.m):
                self.find_best(j, self.best_gain, &self.found[j])
                if self.accept(j) and self.columns.categories[j] > 0:
                    memcpy(self.best_subset, self.subset, self.columns.categories[j])
        if self.criterion.kind == GAIN_RATIO:
            self.compare_rivals(best)
        if (best.feature != NONE and self.columns.categories[best.feature] > 0
                and (shared or self.criterion.kind == GAIN_RATIO)):
            self.find_best(best.feature, 0.0, &again)       # its subset was not kept
            memcpy(self.best_subset, self.subset, self.columns.categories[best.feature])
        return 0

    cdef int search_variables(self, Growth leader) except -1 nogil:
        """The share of one thread in the search for the leader's test.

        Who finds the best test of a variable compares it with those before, as soon as these are
        there: in the order of the variables, as one thread does.
        """
        cdef Found found
        cdef Py_ssize_t j
        cdef double to_beat
        self.crew.enter()
        j = self.crew.next_()
        to_beat = leader.best_gain
        self.crew.leave()
        while j >= 0:
            self.find_best(j, to_beat, &found)
            self.crew.enter()
            leader.found[j] = found
            while leader.n_accepted < leader.m and leader.found[leader.n_accepted].done:
                j = leader.n_accepted
                if leader.is_doubtful(j):
                    leader.found[j].done = False        # so that nobody else goes on meanwhile
                    to_beat = leader.best_gain
                    self.crew.leave()
                    self.find_best(j, to_beat, &found)
                    self.crew.enter()
                    leader.found[j] = found
                leader.accept(j)
                leader.n_accepted += 1
            j = self.crew.next_()
            to_beat = leader.best_gain
            self.crew.leave()
        return 0

    cdef bint is_doubtful(self, Py_ssize_t j) noexcept nogil:
        """Whether one thread, which knows all variables before, might find another best test.

        Not where the gain is clearly too low: what a search finds gains no less when it has less
        to beat.
        """
        cdef const Found* found = &self.found[j]
        cdef double doubt = DOUBT * (self.repetition_factor if self.repetition_factor > 1.0
                                     else 1.0)
        return (found.bounded and found.to_beat != self.best_gain
                and found.gain > self.best_gain - doubt)

    cdef bint accept(self, Py_ssize_t j) noexcept nogil:
        """Compare the best test of a variable with those of the variables before; whether it is
        the best of all."""
        cdef const Found* found = &self.found[j]
        if (self.criterion.kind == GAIN_RATIO or not found.counts
                or not found.gain > self.best_gain + GAIN_TOLERANCE):
            return False
        self.best_gain = found.gain
        self.choice.feature = <int> j
        self.choice.threshold = found.threshold
        self.choice.center = found.center
        return True

    cdef int find_best(self, Py_ssize_t j, double best_gain, Found* found) except -1 nogil:
        """The best test of variable j at the node at hand, if it is to beat this gain."""
        cdef Scan scan
        cdef double raw, factor, share, shift = 0.0, to_beat, weight = self.node_weight
        cdef double threshold = 0.0, center = 0.0
        found.gain = 0.0
        found.counts = False
        found.to_beat = best_gain
        found.bounded = False
        found.done = True
        if not self.lay_scan(j, self.node, weight, &scan):
            return 0
        self.attend(scan.n)
        share = self.reliability[j] if self.global_reliability else scan.weight / weight
        if self.criterion.kind == EXPECTED_GAIN:
            self.lay_guesses(j, self.node, &scan)
            self.criterion.reliability = share
            share = 1.0         # it is in the criterion
        elif self.criterion.kind == CODED_GAIN:
            # The authors' code takes the entropy before the split over all rows of the node,
            # and the reliability twice. Within a variable that changes no order.
            share *= share
            shift = (weighted_entropy(self.total, weight, self.K) / weight
                     - weighted_entropy(scan.total, scan.weight, self.K) / scan.weight)
        factor = share
        if self.repetition_factor != 1.0 and self.tested[j]:
            factor *= self.repetition_factor
        to_beat = best_gain / factor - shift if factor > 0 else 1e300
        if self.criterion.kind == GAIN_RATIO:
            to_beat = 0.0       # each variable's best test counts in their average
        found.bounded = self.columns.categories[j] == 0 and not (
            self.whole and self.grids[j].step <= 0.0)
        self.search(j, &scan, to_beat, &raw, &threshold, &center)
        if raw < -0.5:
            return 0            # no candidate
        raw += shift
        found.gain = raw * factor
        found.counts = raw * share > LEAST_GAIN
        if self.penalty and self.columns.categories[j] == 0:
            found.gain -= hedgerow_xlog2x(self.n_tried) / (self.n_tried * weight)
            found.counts = found.gain > LEAST_GAIN
        found.threshold = threshold
        found.center = center
        if self.criterion.kind == GAIN_RATIO and found.counts:
            found.ratio = found.gain / self.split_information(j, &scan, threshold, weight)
        return 0

    cdef bint find_undefined(self, const Pending* node, Choice* best) noexcept nogil:
        """The first test whose expected gain is 0/0, if any: a variable that lacks values in the
        training set and none at the node, at its lowest threshold."""
        cdef Py_ssize_t j, p, step = self.columns.x_step
        cdef const double* x
        cdef int* rows
        for j in range(self.m):
            if (self.reliability[j] >= 1.0 or self.columns.categories[j] > 0
                    or self.lengths_here[j] < node.n):
                continue
            rows = self.lists + j * self.capacity + node.start
            x = &self.columns.x[0, j]
            for p in range(1, node.n):
                if x[rows[p] * step] > x[rows[0] * step]:
                    best.feature = <int> j
                    best.threshold = (x[rows[0] * step] / 2.0 + x[rows[p] * step] / 2.0)
                    if not best.threshold > x[rows[0] * step]:
                        best.threshold = x[rows[p] * step]
                    best.center = best.threshold
                    return True
        return False

    cdef bint lay_scan(self, Py_ssize_t j, const Pending* node, double weight,
                       Scan* scan) noexcept nogil:
        """What a search sees of variable j at a node; False where it knows no two values."""
        cdef double least = self.min_leaf
        scan.n = self.lengths_here[j]
        if scan.n < 2:
            return False
        scan.rows = self.lists + j * self.capacity + node.start
        scan.x = &self.columns.x[0, j]
        scan.x_step = self.columns.x_step
        scan.y = &self.columns.labels[0]
        scan.w = self.weight
        scan.n_classes = self.K
        scan.criterion = &self.criterion
        scan.total = self.total
        scan.weight = weight
        if scan.n < node.n:
            weigh_known(scan, self.known)
            if scan.weight <= 0.0:
                return False
        if self.larger_sides and self.columns.categories[j] == 0:
            least = fmin(25.0, fmax(least, scan.weight / (10.0 * self.K))) * weight / scan.weight
        lay_minimum(scan, self.columns.counting, self.total, weight, least, self.known + self.K)
        return True

    cdef double split_information(self, Py_ssize_t j, const Scan* scan, double threshold,
                                  double weight) noexcept nogil:
        """Entropy in bits of the division that the search just found, of left, right and unknown.

        Those without a value are a part of their own (Quinlan 1993, 3.2).
        """
        cdef double parts[3]
        cdef Py_ssize_t p
        cdef int i
        cdef int64_t k
        cdef double left = 0.0
        if self.columns.categories[j] > 0:
            for p in range(scan.n):
                i = scan.rows[p]
                if self.subset[<Py_ssize_t> value_at(scan, i)]:
                    left += scan.w[i]
        elif self.grids[j].step > 0.0:
            # Weights as soft search sees them, at the grid point that it chose.
            k = <int64_t> ((threshold - self.grids[j].origin) / self.grids[j].step + 0.5)
            p = 0
            while p < self.points.n - 1 and self.points.k[p] + self.points.span[p] <= k:
                p += 1
            left = self.points.sum_left[p]
        else:
            for p in range(scan.n):
                i = scan.rows[p]
                if not value_at(scan, i) < threshold:
                    break
                left += scan.w[i]
        parts[0] = left
        parts[1] = scan.weight - left if scan.weight > left else 0.0
        parts[2] = weight - scan.weight if weight > scan.weight else 0.0
        return weighted_entropy(parts, weight, 3) / weight

    cdef void compare_rivals(self, Choice* best) noexcept nogil:
        cdef double average = 0.0, most = 0.0
        cdef Py_ssize_t j, n = 0
        cdef const Found* found
        for j in range(self.m):
            found = &self.found[j]
            if found.counts and found.gain > 0.0:
                average += found.gain
                n += 1
        if n > 0:
            average /= n
        for j in range(self.m):
            found = &self.found[j]
            if (found.counts and found.gain > 0.0 and found.gain >= average - BELOW_AVERAGE
                    and found.ratio > most + GAIN_TOLERANCE):
                most = found.ratio
                best.feature = <int> j
                best.threshold = found.threshold
                best.center = found.center

    cdef void lay_guesses(self, Py_ssize_t j, const Pending* node, Scan* scan) noexcept nogil:
        """What the expected gain of variable j reads of the rows that lack it; tallied later."""
        scan.guesses = &self.guesses
        self.guesses.members = self.lists + self.m * self.capacity + node.start
        self.guesses.w = self.member_weight + node.start
        self.guesses.n = node.n if scan.n < node.n else 0
        self.guesses.n_missing = node.n - scan.n
        self.guesses.guess = &self.guess[0, j, 0]
        self.guesses.place = self.place + j * self.n
        self.guesses.n_values = self.n_values[j]
        self.guesses.weight = 0.0

    cdef int search(self, Py_ssize_t j, const Scan* scan, double to_beat, double* gain,
                    double* threshold, double* center) except -1 nogil:
        """Best test on variable j; gain -1 without one.

        to_beat: gain of the best test so far; one that is no better need not be checked.
        """
        cdef Py_ssize_t chosen, low, high
        cdef double slack, least
        cdef int64_t k_first, k_last, k = 0
        cdef bint soft = self.grids[j].step > 0.0
        cdef bint soft_gate = is_soft(&self.gates.numbers[j])
        cdef int status
        gain[0] = -1.0
        if self.columns.categories[j] > 0:
            if self.one_against_rest:
                gain[0] = best_category(scan, self.columns.categories[j], self.node_weight,
                                        &self.subsets, self.subset)
            else:
                gain[0] = best_subset(scan, self.columns.categories[j], &self.subsets,
                                      self.subset)
            threshold[0] = NAN
            center[0] = NAN
            return 0
        if self.gates.numbers[j].kind == PDF:
            self.reach.sigma = self.gates.numbers[j].sigma
            self.reach.lower = self.lower[j]
            self.reach.upper = self.upper[j]
            best_sample(scan, &self.reach, &self.cells, to_beat, gain, threshold,
                        &self.n_candidates, &self.n_gains, self.memory)
            center[0] = threshold[0]
            return 0
        if value_at(scan, scan.rows[0]) == value_at(scan, scan.rows[scan.n - 1]):
            return 0
        if not soft and self.whole:
            gain[0] = hard_whole(scan, &self.columns.nlogn[0], self.columns.unit,
                                 self.midpoints, self.counts, threshold, center)
            if not self.gate_midpoint:
                center[0] = threshold[0]
            return 0
        if soft:
            soft_points(scan, &self.grids[j], &self.points, self.memory)
        else:
            hard_points(scan, self.midpoints, self.tolerance, &self.points, self.memory)
        if self.criterion.kind == EXPECTED_GAIN:
            guess_points(scan, self.midpoints, &self.points, self.memory)
        self.n_candidates += self.points.n
        # Weights on the left grow along the candidates, so the admissible ones are a range.
        slack = 1e-12 * scan.n_counted
        least = slack if soft or soft_gate else scan.least - slack
        low = first_with(scan, &self.points, least)
        high = last_with(scan, &self.points, least)
        k_first = 0
        k_last = 0
        if soft and self.points.n:
            k_first = self.points.k[0]
            k_last = self.points.k[self.points.n - 1] + self.points.span[self.points.n - 1] - 1
            if not soft_gate:
                self.fed_by_steps(j, scan, &k_first, &k_last)
            while low <= high and self.points.k[low] + self.points.span[low] - 1 < k_first:
                low += 1
            while low <= high and self.points.k[high] > k_last:
                high -= 1
        self.n_tried = high - low + 1
        while low <= high:
            self.n_gains += score_points(scan, &self.points, low, high, to_beat)
            if soft:
                gain[0] = choose_soft(scan, &self.points, low, high, k_first, k_last, &k)
                threshold[0] = self.grids[j].origin + k * self.grids[j].step
                center[0] = threshold[0]
            else:
                gain[0] = choose_hard(scan, &self.points, low, high, &chosen)
                if chosen >= 0:
                    threshold[0] = self.points.threshold[chosen]
                    center[0] = self.center_of(chosen)
            if not soft_gate or gain[0] <= to_beat or gain[0] <= LEAST_GAIN:
                return 0
            # Soft propagation gives the children other weights than the search saw. What goes
            # left grows with the threshold, so those that starve a child are found by halving.
            status = self.starved(j, scan, center[0])
            if status == 0:
                return 0
            gain[0] = -1.0
            if soft:
                if status == 1:
                    k_first = self.first_fed(j, scan, soft, status, k, k_last + 1)
                else:
                    k_last = self.first_fed(j, scan, soft, status, k, k_first - 1)
                while low <= high and self.points.k[low] + self.points.span[low] - 1 < k_first:
                    low += 1
                while low <= high and self.points.k[high] > k_last:
                    high -= 1
            elif status == 1:
                low = <Py_ssize_t> self.first_fed(j, scan, soft, status, chosen, high + 1)
            else:
                high = <Py_ssize_t> self.first_fed(j, scan, soft, status, chosen, low - 1)
        return 0

    cdef void fed_by_steps(self, Py_ssize_t j, const Scan* scan, int64_t* k_first,
                           int64_t* k_last) noexcept nogil:
        """Grid points at which hard propagation leaves each side its least weight."""
        cdef double side = 0.0, x = 0.0, slack = 1e-12 * scan.n_counted
        cdef Py_ssize_t p
        for p in range(scan.n):
            side += counted_row(scan, scan.rows[p], scan.w[scan.rows[p]])
            x = value_at(scan, scan.rows[p])
            if side + slack >= scan.least:
                break
        k_first[0] = first_above(&self.grids[j], x)
        side = 0.0
        for p in range(scan.n - 1, -1, -1):
            side += counted_row(scan, scan.rows[p], scan.w[scan.rows[p]])
            x = value_at(scan, scan.rows[p])
            if side + slack >= scan.least:
                break
        k_last[0] = first_above(&self.grids[j], x) - 1

    cdef inline double center_of(self, Py_ssize_t p) noexcept nogil:
        return self.points.center[p] if self.gate_midpoint else self.points.threshold[p]

    cdef int64_t first_fed(self, Py_ssize_t j, const Scan* scan, bint soft, int status,
                           int64_t hungry, int64_t beyond) except? -1 nogil:
        """The candidate nearest to `hungry`, towards `beyond`, that starves no longer, or beyond.

        hungry, beyond: a candidate that starves the child `status`, and one past the last in
        the direction in which that child gains weight; grid points in soft search.
        """
        cdef int64_t middle
        cdef double center
        while beyond - hungry > 1 or hungry - beyond > 1:
            middle = hungry + (beyond - hungry) // 2
            center = (self.grids[j].origin + middle * self.grids[j].step if soft
                      else self.center_of(middle))
            if self.starved(j, scan, center) == status:
                hungry = middle
            else:
                beyond = middle
        return beyond

    cdef int starved(self, Py_ssize_t j, const Scan* scan, double center) except -1 nogil:
        """1 or 2 when soft propagation leaves the left or right child less than its least.

        Ties count as divided, whatever the gate does with them: only so does what goes left grow
        with the threshold.
        """
        cdef double left = 0.0, right = 0.0, w, share, least = scan.least - 1e-12 * scan.n_counted
        cdef Gate gate = self.gates.numbers[j]      # a copy, as in `split`
        cdef Test test
        cdef Py_ssize_t p
        cdef int i
        if gate.ties_right:
            gate.ties_right = False
            gate.tie = 0.5
        self.lay_test(j, NAN, center, &test)
        if gate.kind == ASKED:
            self.gates.ask(j, center, scan.x, scan.x_step, scan.rows, scan.n, self.asked)
        for p in range(scan.n):
            i = scan.rows[p]
            w = self.weight[i]
            share = share_left(&gate, &test, value_at(scan, i), p)
            share = kept_left(w * share, w, self.columns.weights[i])
            left += counted_row(scan, i, share)
            right += counted_row(scan, i, w - share)
            if left > 0.0 and left >= least and right > 0.0 and right >= least:
                return 0
        if left <= 0.0 or left < least:
            return 1
        return 2

    cdef inline void lay_test(self, Py_ssize_t j, double threshold, double center,
                              Test* test) noexcept nogil:
        """A test on variable j at the node at hand, its subset the best one found."""
        test.threshold = threshold
        test.center = center
        test.lower = self.lower[j]
        test.upper = self.upper[j]
        test.share_left = NAN           # no missing value is asked for
        test.n_categories = self.n_categories
        test.categories_left = self.best_subset
        test.category_share = NULL      # such gates are refused
        test.asked = self.asked

    cdef int split(self, const Pending* node, int id_, const Choice* choice) except -1 nogil:
        """Divide the node's lists between two children and push them, the left one on top."""
        cdef Py_ssize_t j = choice.feature, n_left, v
        cdef Py_ssize_t size = self.n_categories if self.n_categories else 1
        cdef int n_categories = self.columns.categories[j]
        cdef double share
        cdef unsigned char* categories = self.categories_left + id_ * size
        cdef Pending child
        self.node = node
        # 1. Who goes where.
        n_left = self.part_rows(choice, &share)
        if n_left < 0:
            return 0
        # 2. The node.
        self.nodes[id_].feature = choice.feature
        self.nodes[id_].threshold = choice.threshold
        self.nodes[id_].center = choice.center
        self.nodes[id_].share_left = share
        if (n_categories > 0 and node.given >= 0
                and self.given_feature[node.given] >= 0):
            memcpy(categories, self.best_subset, size)
        elif n_categories > 0:
            self.complete_subset(self.lists + j * self.capacity + node.start,
                                 self.lengths_here[j], j, share, categories)
        # 3. The lists: right in place, left behind it, so that the left child is on top.
        if node.start + self.n_right + n_left > self.capacity:
            self.widen(node.start + self.n_right + n_left)
        if self.fractional:
            self.divide_members()
        else:
            self.divide_list(self.m)
        if self.is_shared():
            self.together(DIVIDE, self.m)
        else:
            for v in range(self.m):
                self.divide_list(v)
        child.parent = id_
        child.depth = node.depth + 1
        child.given = NONE if node.given < 0 else self.given_right[node.given]
        child.start = node.start
        child.n = self.n_right
        child.is_left = False
        self.push(&child, self.lengths_right)
        child.start = node.start + self.n_right
        child.n = n_left
        child.is_left = True
        child.given = NONE if node.given < 0 else self.given_left[node.given]
        self.push(&child, self.lengths_left)
        return 0

    cdef Py_ssize_t part_rows(self, const Choice* choice, double* share) except -2 nogil:
        """Which rows of the node go left and right, and with what weight: `goes_left`, `n_right`.

        Returns the number of those that go left, -1 where a side gets no weight; share: of the
        known weight, what goes left.
        """
        cdef const Pending* node = self.node
        cdef Py_ssize_t j = choice.feature, p, n_left, n_first, n_right = 0
        cdef int n_known = self.lengths_here[j]
        cdef const int* rows = self.lists + j * self.capacity + node.start
        # Copies, so that the loop need not reload them for every row.
        cdef const double* x = &self.columns.x[0, j]
        cdef Py_ssize_t step = self.columns.x_step
        cdef const int* members = self.lists + self.m * self.capacity + node.start
        cdef double known_left = 0.0, known_right = 0.0, s, w, left
        cdef int i
        cdef Gate gate = (self.gates.categories[j] if self.columns.categories[j] > 0
                          else self.gates.numbers[j])
        cdef bint soft = is_soft(&gate)
        cdef Test test
        self.lay_test(j, choice.threshold, choice.center, &test)
        if not self.fractional:
            # Every value is known, and each row goes one way: no shares are needed.
            n_left = n_first = 0
            if gate.kind == STEP:
                # The rows are in the order of the values: what comes first goes left.
                n_first = n_known
                while n_left < n_first:
                    p = (n_left + n_first) // 2
                    if share_left(&gate, &test, x[rows[p] * step], p) > 0.0:
                        n_left = p + 1
                    else:
                        n_first = p
            for p in range(n_known):
                i = rows[p]
                left = (p < n_first if gate.kind == STEP
                        else share_left(&gate, &test, x[i * step], p))
                self.goes_left[i] = left > 0.0
                if left > 0.0:
                    known_left += self.weight[i]
                else:
                    known_right += self.weight[i]
                    n_right += 1
            if known_left <= 0.0 or known_right <= 0.0:
                return -1
            share[0] = known_left / (known_left + known_right)
            self.n_right = n_right
            return n_known - n_right
        if gate.kind == ASKED:
            self.gates.ask(j, choice.center, x, step, rows, n_known, self.asked)
        for p in range(n_known):
            i = rows[p]
            w = self.weight[i]
            s = share_left(&gate, &test, x[i * step], p)
            left = w * s
            if soft:
                left = kept_left(left, w, self.columns.weights[i])
            self.weight_left[i] = left
            self.weight_right[i] = w - left
            known_left += left
            known_right += w - left
        if known_left <= 0.0 or known_right <= 0.0:
            return -1
        share[0] = known_left / (known_left + known_right)
        if n_known < node.n and self.missing_to_both:
            w = 0.0
            for p in range(node.n):
                if isnan(x[members[p] * step]):
                    w += self.weight[members[p]]
            share[0] = (known_left + w) / (known_left + known_right + 2.0 * w)
        if n_known < node.n:
            # Unknown here: both sides, in proportion to the known weight.
            for p in range(node.n):
                i = members[p]
                if isnan(x[i * step]):
                    self.weight_left[i] = self.weight[i] * share[0]
                    self.weight_right[i] = self.weight[i] - self.weight_left[i]
        n_left = 0
        self.n_right = 0
        for p in range(node.n):
            i = members[p]
            self.goes_left[i] = self.weight_left[i] > 0.0
            self.goes_right[i] = self.weight_right[i] > 0.0
            n_left += self.goes_left[i]
            self.n_right += self.goes_right[i]
        return n_left

    cdef int divide_list(self, Py_ssize_t v) except -1 nogil:
        """Divide the node's list of a variable; v = m: of members that go one way."""
        cdef int* list_ = self.lists + v * self.capacity + self.node.start
        cdef Py_ssize_t n = self.node.n if v == self.m else self.lengths_here[v]
        cdef Py_ssize_t a = 0, b = 0, p
        cdef int i
        cdef const unsigned char* goes_left = self.goes_left
        cdef const unsigned char* goes_right = self.goes_right
        cdef int* held = self.held
        self.attend(n)
        if self.fractional:
            for p in range(n):
                i = list_[p]
                held[a] = i
                a += goes_left[i]
                list_[b] = i
                b += goes_right[i]
        else:
            for p in range(n):
                i = list_[p]
                held[a] = i
                list_[p - a] = i
                a += goes_left[i]
            b = n - a
        memcpy(list_ + self.n_right, held, a * sizeof(int))
        self.lengths_left[v] = <int> a
        self.lengths_right[v] = <int> b
        return 0

    cdef int divide_members(self) except -1 nogil:
        """Divide the members of the node, with the weights that they have on either side."""
        cdef int* list_ = self.lists + self.m * self.capacity + self.node.start
        cdef double* weights = self.member_weight + self.node.start
        cdef Py_ssize_t a = 0, b = 0, p
        cdef int i
        self.attend(self.node.n)
        for p in range(self.node.n):
            i = list_[p]
            if self.goes_left[i]:
                self.held[a] = i
                self.held_weight[a] = self.weight_left[i]
                a += 1
            if self.goes_right[i]:
                list_[b] = i
                weights[b] = self.weight_right[i]
                b += 1
        memcpy(list_ + self.n_right, self.held, a * sizeof(int))
        memcpy(weights + self.n_right, self.held_weight, a * sizeof(double))
        return 0

    cdef void complete_subset(self, const int* rows, Py_ssize_t n, Py_ssize_t j, double share,
                              unsigned char* categories) noexcept nogil:
        """Copy the subset; categories absent at the node go to the heavier side, or the rest's."""
        cdef Py_ssize_t c
        cdef bint goes_left = share >= 0.5 and not self.one_against_rest
        cdef int n_categories = self.columns.categories[j]
        memset(self.subset, 0, n_categories)
        for c in range(n):
            self.subset[<Py_ssize_t> self.columns.x[rows[c], j]] = 1
        for c in range(n_categories):
            categories[c] = self.best_subset[c] if self.subset[c] else goes_left
        for c in range(n_categories, self.n_categories):
            categories[c] = goes_left

    cdef int push(self, const Pending* child, const int* lengths) except -1 nogil:
        if self.n_pending >= self.pending_capacity:
            self.pending_capacity *= 2
            self.pending = <Pending*> self.memory.resized(self.pending, self.pending_capacity,
                                                          sizeof(Pending))
            self.lengths = <int*> self.memory.resized(
                self.lengths, self.pending_capacity * self.m, sizeof(int))
        self.pending[self.n_pending] = child[0]
        memcpy(self.lengths + self.n_pending * self.m, lengths, self.m * sizeof(int))
        self.n_pending += 1
        return 0

    cdef int widen(self, Py_ssize_t least) except -1 nogil:
        """Longer lists; each variable's list starts at a multiple of the capacity."""
        cdef Py_ssize_t capacity = 2 * self.capacity, v
        cdef int* wider
        if capacity < least:
            capacity = least
        wider = <int*> self.memory.take((self.m + 1) * capacity, sizeof(int))
        for v in range(self.m + 1):
            memcpy(wider + v * capacity, self.lists + v * self.capacity,
                   self.capacity * sizeof(int))
        self.memory.give_back(self.lists)
        self.lists = wider
        self.member_weight = <double*> self.memory.resized(self.member_weight, capacity,
                                                           sizeof(double))
        self.capacity = capacity
        return 0
