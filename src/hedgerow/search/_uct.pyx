# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""UCT-DT: Monte Carlo search over decision trees (thesis, chapter 4).

A state is its parent and one more split.  Its leaves are the regions of `_leaves`, shared by all
states that contain them; what C4.5 and pruning make of it are the outcomes of `_completion`.  An
iteration looks at the split leaf, and for pruning at the tests above it.
"""

import numpy as np

from libc.math cimport sqrt
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memmove, memset

from hedgerow.induction._columns cimport Columns
from hedgerow.search._completion cimport (
    COMPLETION,
    KEEP,
    RAISE_LEFT,
    RAISE_RIGHT,
    VALIDATION,
    Completion,
)
from hedgerow.search._leaves cimport NONE, UNKNOWN, Action, Region
from hedgerow.search._random cimport below
from hedgerow.tree._elementary cimport hedgerow_log, hedgerow_pow

cdef enum:
    FULL = -3               # a bound on memory is reached
    TOMBSTONE = -2
    SIMPLE_REGRET = 1       # selection rules; 0: UCB
    BEST = 2

cdef double TIE = 1e-12             # rewards closer than this differ by rounding only


cdef struct State:
    int parent, action, depth
    int n_untried               # UNKNOWN: not opened
    int n_children, capacity    # children that are open
    int n_own                   # numbers in `untried` and `leaves`, for the count of memory
    int slot                    # place among the parent's open children
    int n_visits
    int n_widened               # tests drawn by progressive widening
    long long born
    double value                # sum of rewards
    double best                 # the largest of them
    double f1                   # on the validation set
    uint64_t key
    int* untried                # begins the block of this and the next
    int* leaves                 # depth + 1 regions, once opened
    double* mean                # of the open children: V / N, or the best reward ...
    double* inverse             # ... and N^-1/2
    int* child                  # ends the block that `mean` begins
    bint closed, alive, marked


cdef class Search(Completion):
    """The search tree.

    Parameters
    ----------
    columns, X, y, sample_weight, **completion
        The induction and the validation set, and how trees are grown and pruned; see
        `Completion` and `Leaves`.
    policy : {0, 1, 2}
        What a simulation returns: the macro F1 on the validation set of the state (0), of the
        tree that C4.5 makes of it (1), or what the caller says (2), see `next_state`.
    value_interval, value_depth : int
        Value-based pruning every so many iterations, of states deeper than that; interval 0:
        none.
    greedy : bool
        Of those states it keeps the path of a greedy descent, not that to the best tip.
    exploration : float
        Cp of the selection rule.
    rule : {0, 1, 2}
        How a child is chosen: UCB of the mean reward, its variant for simple regret, UCB of the
        best reward.
    widening : float
        Exponent of progressive widening; 0: none.
    max_states, max_bytes : int
        Where expansion stops; 0: no bound.
    seed : int
    """

    cdef int rule
    cdef Py_ssize_t value_interval, value_depth
    cdef bint greedy
    cdef double exploration, widening
    cdef long long max_states, max_bytes
    cdef uint64_t random
    cdef State* states
    cdef int* spare                 # numbers of removed states, to be used again
    cdef int* table                 # states by key
    cdef Py_ssize_t n_spare, state_capacity, table_size, table_used
    cdef readonly int n_states      # numbers given out
    cdef readonly int n_alive
    cdef readonly long long n_iterations, n_created
    cdef readonly int deepest
    cdef readonly bint is_full
    cdef double* root_log           # sqrt(ln n)
    cdef Py_ssize_t n_logs
    cdef int* chain                 # actions of the state at hand
    cdef int* leaves                # its regions
    cdef Py_ssize_t chain_capacity
    cdef int* best_chain            # actions of the best state that the search has held ...
    cdef int best_depth             # ... their number ...
    cdef double best_f1             # ... and its F1 on the validation set
    cdef int mark_stamp

    def __init__(self, Columns columns, X, y, sample_weight, *, int policy,
                 Py_ssize_t value_interval, Py_ssize_t value_depth, bint greedy,
                 double exploration, int rule, double widening, long long max_states,
                 long long max_bytes, uint64_t seed, **completion):
        cdef Py_ssize_t i
        Completion.__init__(self, columns, X, y, sample_weight, policy=policy, **completion)
        self.value_interval = value_interval
        self.value_depth = value_depth
        self.greedy = greedy
        self.exploration = exploration
        self.rule = rule
        self.widening = widening
        self.max_states = max_states
        self.max_bytes = max_bytes
        self.random = seed
        self.state_capacity = 1024
        self.table_size = 4096
        self.chain_capacity = 64
        self.n_logs = 4096
        self.states = <State*> self.memory.take(self.state_capacity, sizeof(State))
        self.spare = <int*> self.memory.take(self.state_capacity, sizeof(int))
        self.table = <int*> self.memory.take(self.table_size, sizeof(int))
        self.root_log = <double*> self.memory.take(self.n_logs, sizeof(double))
        self.chain = <int*> self.memory.take(self.chain_capacity, sizeof(int))
        self.leaves = <int*> self.memory.take(self.chain_capacity + 1, sizeof(int))
        self.best_chain = <int*> self.memory.take(self.chain_capacity, sizeof(int))
        self.root_log[0] = 0.0
        for i in range(1, self.n_logs):
            self.root_log[i] = sqrt(hedgerow_log(<double> i))
        for i in range(self.table_size):
            self.table[i] = NONE
        self.add_state(NONE, NONE, 0)
        self.best_f1 = self.states[0].f1

    cdef int more_states(self) except -2 nogil:
        if self.n_states < self.state_capacity:
            return 0
        self.states = <State*> self.memory.resized(self.states, 2 * self.state_capacity,
                                                   sizeof(State))
        self.spare = <int*> self.memory.resized(self.spare, 2 * self.state_capacity, sizeof(int))
        self.bytes_used += self.state_capacity * (sizeof(State) + sizeof(int))
        self.state_capacity *= 2
        return 0

    cdef void release(self, int s) noexcept nogil:
        """Give back what a state owns."""
        cdef State* state = self.states + s
        self.bytes_used -= state.capacity * (sizeof(int) + 2 * sizeof(double))
        self.bytes_used -= state.n_own * sizeof(int)
        self.memory.give_back(state.untried)
        self.memory.give_back(state.mean)
        state.untried = NULL
        state.leaves = NULL
        state.child = NULL
        state.mean = NULL
        state.inverse = NULL
        state.n_untried = UNKNOWN
        state.n_children = 0
        state.capacity = 0
        state.n_own = 0

    # -- states -------------------------------------------------------------------------

    cdef int load_chain(self, int s) except -2 nogil:
        """The actions of a state, in the order in which they were taken, into `chain`."""
        cdef Py_ssize_t d = self.states[s].depth, k, capacity = 2 * (d + 2)
        if d + 2 > self.chain_capacity:
            self.chain = <int*> self.memory.resized(self.chain, capacity, sizeof(int))
            self.best_chain = <int*> self.memory.resized(self.best_chain, capacity, sizeof(int))
            self.leaves = <int*> self.memory.resized(self.leaves, capacity + 1, sizeof(int))
            self.chain_capacity = capacity
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

    cdef int add_state(self, int parent, int action, uint64_t key) except -2 nogil:
        cdef int s
        cdef State* state
        if self.n_spare > 0:
            self.n_spare -= 1
            s = self.spare[self.n_spare]
        else:
            self.more_states()
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

    cdef int open(self, int s) except -2 nogil:
        """Find the actions of a state: those of its leaves."""
        cdef Py_ssize_t d = self.states[s].depth, n_leaves, k
        cdef int total = 0, c, n = 0
        cdef int* own
        cdef State* state
        cdef Region* region
        self.load_chain(s)
        n_leaves = self.load_leaves(d)
        for k in range(n_leaves):
            self.propose(self.leaves[k])
            total += self.regions[self.leaves[k]].n_actions
        state = self.states + s
        own = <int*> self.memory.take(total + n_leaves, sizeof(int))
        self.take_children(state, total)
        state.untried = own
        state.leaves = own + total
        memcpy(state.leaves, self.leaves, n_leaves * sizeof(int))
        for k in range(n_leaves):
            region = self.regions + self.leaves[k]
            for c in range(region.n_actions):
                state.untried[n] = region.first_action + c
                n += 1
        state.n_untried = total
        state.n_own = total + <int> n_leaves
        self.bytes_used += total * (sizeof(int) + 2 * sizeof(double)) + state.n_own * sizeof(int)
        return 0

    cdef int take_children(self, State* state, int capacity) except -2 nogil:
        """Room for so many open children; those that are there stay."""
        cdef double* mean = <double*> self.memory.take(
            capacity + 1, 2 * sizeof(double) + sizeof(int))
        cdef double* inverse = mean + capacity + 1
        cdef int* child = <int*> (inverse + capacity + 1)
        if state.n_children > 0:
            memcpy(mean, state.mean, state.n_children * sizeof(double))
            memcpy(inverse, state.inverse, state.n_children * sizeof(double))
            memcpy(child, state.child, state.n_children * sizeof(int))
        self.memory.give_back(state.mean)
        state.mean = mean
        state.inverse = inverse
        state.child = child
        state.capacity = capacity
        return 0

    cdef bint same_tree(self, int s, int parent, int action) noexcept nogil:
        """Whether a state is the tree of `parent` with one more test."""
        cdef int d = self.states[s].depth
        if d != self.states[parent].depth + 1:
            return False
        self.mark_stamp += 1
        while s > 0:
            self.actions[self.states[s].action].mark = self.mark_stamp
            s = self.states[s].parent
        if self.actions[action].mark != self.mark_stamp:
            return False
        while parent > 0:
            if self.actions[self.states[parent].action].mark != self.mark_stamp:
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

    cdef int enter(self, int s) except -2 nogil:
        """Put a state into the table of trees."""
        cdef Py_ssize_t i, size = self.table_size
        cdef int t
        if 2 * self.table_used >= size:
            # Rebuild without what was removed, wider if that is not enough.
            while 4 * self.n_alive >= size:
                size *= 2
            self.table = <int*> self.memory.resized(self.table, size, sizeof(int))
            self.bytes_used += (size - self.table_size) * sizeof(int)
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

    cdef bint is_done(self, int s) noexcept nogil:
        """Whether an open state has no action and no open child left."""
        cdef State* state = self.states + s
        return (not state.closed and state.n_untried == 0 and state.n_children == 0
                and not self.may_widen(state))

    cdef void close(self, int s) noexcept nogil:
        """Nothing is left to do below a state; its ancestors may be done with it."""
        while True:
            self.states[s].closed = True
            if s == 0:
                return
            self.unlink(s)
            s = self.states[s].parent
            if not self.is_done(s):
                return

    # -- the four phases ----------------------------------------------------------------

    cdef int select(self) except -2 nogil:
        """The open child with the highest upper confidence bound, down to a state to expand.

        Ties go to the older child.  Returns its number, or NONE when the search tree is exhausted.
        """
        cdef int s = 0, k, best
        cdef State* state
        cdef double width, bound, highest
        while not self.states[0].closed:
            if self.states[s].n_untried < 0:
                self.open(s)
            state = self.states + s
            if state.n_untried > 0 or self.may_widen(state):
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

    cdef inline bint may_widen(self, const State* state) noexcept nogil:
        """Progressive widening: one more draw whenever N to the exponent passes a whole number."""
        return (self.widening > 0.0
                and state.n_widened < <int> hedgerow_pow(<double> state.n_visits, self.widening))

    cdef int widen(self, int s) except -2 nogil:
        """A random leaf's best test on a random variable; NONE where it brings nothing new."""
        cdef State* state = self.states + s
        cdef int a, leaf, j
        state.n_widened += 1
        leaf = state.leaves[below(&self.random, <uint64_t> (state.depth + 1))]
        j = <int> below(&self.random, <uint64_t> self.m)
        a = self.best_on(leaf, j)
        if a < 0 or state.n_children < state.capacity:
            return a
        # Room for one more child than the K best tests of each leaf lead to.
        self.bytes_used += (state.capacity + 4) * (sizeof(int) + 2 * sizeof(double))
        self.take_children(state, 2 * state.capacity + 4)
        return a

    cdef int expand(self) except -2 nogil:
        """Select, draw an action until it leads to a new tree; the new state's number.

        NONE when the search tree is exhausted.
        """
        cdef int s, a
        cdef Py_ssize_t k
        cdef uint64_t key
        cdef State* state
        while True:
            s = self.select()
            if s < 0:
                return s
            state = self.states + s
            while state.n_untried > 0 or self.may_widen(state):
                if state.n_untried > 0:
                    k = <Py_ssize_t> below(&self.random, <uint64_t> state.n_untried)
                    a = state.untried[k]
                    state.n_untried -= 1
                    state.untried[k] = state.untried[state.n_untried]
                else:
                    a = self.widen(s)
                    if a == NONE:
                        continue
                key = state.key ^ self.actions[a].key
                if self.is_known(s, a, key):
                    continue
                return self.grow(s, a, key)

    cdef int grow(self, int s, int a, uint64_t key) except -2 nogil:
        """The state that an action leads to; its actions are left in `chain`."""
        cdef State* state
        cdef int new, r = self.actions[a].region
        cdef Py_ssize_t k, n = 0
        self.apply(a)
        new = self.add_state(s, a, key)
        self.enter(new)
        self.load_chain(new)
        # The leaves of the parent, but for the split one, and its two sides.
        state = self.states + s
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

    cdef int simulate(self, int s, double* reward, bint* gone) except -2 nogil:
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
            o = self.decide(a, left, right, &choice)
            r = self.actions[a].region
            self.regions[r].stamp = self.stamp
            self.regions[r].here = o
            self.regions[r].decided = choice
        if d == 0:
            o = self.complete(0)
        if self.policy == COMPLETION:
            reward[0] = self.f1_of_outcome(o)
        if self.tree_pruning and d > 0:
            r = self.actions[self.chain[d - 1]].region
            gone[0] = self.regions[r].decided != KEEP
            while not gone[0] and self.regions[r].action >= 0:
                choice = RAISE_LEFT if self.regions[r].is_left else RAISE_RIGHT
                r = self.actions[self.regions[r].action].region
                gone[0] = self.regions[r].decided != KEEP and self.regions[r].decided != choice
        return 0

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

    cdef void settle(self, int s, double reward, bint gone) noexcept nogil:
        """Back up what a simulation found, and prune."""
        cdef int parent = self.states[s].parent
        self.back_up(s, reward)
        if gone:
            self.unlink(s)
            self.forget(s)
            if self.is_done(parent):
                self.close(parent)
        else:
            self.note_best(s)
        self.n_iterations += 1
        if self.value_interval > 0 and self.n_iterations % self.value_interval == 0:
            self.prune_values()

    cdef inline void note_best(self, int s) noexcept nogil:
        """Keep the tests of the best state, which value-based pruning may remove.

        Ties: fewer leaves, then older.
        """
        cdef State* state = self.states + s
        cdef int k
        if state.f1 < self.best_f1 - TIE or (
                state.f1 <= self.best_f1 + TIE and state.depth >= self.best_depth):
            return
        self.best_f1 = state.f1
        self.best_depth = state.depth
        for k in range(state.depth - 1, -1, -1):
            self.best_chain[k] = self.states[s].action
            s = self.states[s].parent

    cdef inline bint is_ahead(self, int s, int t) noexcept nogil:
        """Whether s has a better mean reward than t; ties: more visits, then older."""
        cdef State* one = self.states + s
        cdef State* two
        cdef double ahead
        if t < 0:
            return True
        two = self.states + t
        ahead = one.value / one.n_visits - two.value / two.n_visits
        if ahead > TIE or ahead < -TIE:
            return ahead > 0.0
        if one.n_visits != two.n_visits:
            return one.n_visits > two.n_visits
        return one.born < two.born

    cdef int best_tip(self) noexcept nogil:
        """Of the tips deeper than the depth that with the best mean reward; NONE without any."""
        cdef int s, best = NONE
        for s in range(self.n_states):
            self.states[s].marked = False
        for s in range(self.n_states):
            if self.states[s].alive and self.states[s].parent >= 0:
                self.states[self.states[s].parent].marked = True
        for s in range(self.n_states):
            if (self.states[s].alive and not self.states[s].marked
                    and self.states[s].depth > self.value_depth and self.is_ahead(s, best)):
                best = s
        return best

    cdef int greedy_tip(self) noexcept nogil:
        """Where a descent ends that takes the child with the best mean reward at each state.

        Children that lead no deeper than the depth are passed over; NONE if all do.
        """
        cdef int s, p, at = NONE, best = 0
        for s in range(self.n_states):
            self.states[s].marked = self.states[s].alive and self.states[s].depth > self.value_depth
        for s in range(self.n_states):
            if self.states[s].alive and self.states[s].depth == self.value_depth + 1:
                p = self.states[s].parent
                while p >= 0 and not self.states[p].marked:
                    self.states[p].marked = True
                    p = self.states[p].parent
        if not self.states[0].marked:
            return NONE
        while best >= 0:
            at = best
            best = NONE
            for s in range(self.n_states):
                if (self.states[s].alive and self.states[s].marked
                        and self.states[s].parent == at and self.is_ahead(s, best)):
                    best = s
        return at

    cdef void prune_values(self) noexcept nogil:
        """Value-based pruning: of the paths deeper than the depth, keep one whole."""
        cdef int s, p, best, k, n
        cdef State* state
        best = self.greedy_tip() if self.greedy else self.best_tip()
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
            if state.alive and state.depth >= self.value_depth and self.is_done(s):
                self.close(s)

    cdef int has_room(self) noexcept nogil:
        if (self.max_states > 0 and self.n_alive >= self.max_states) or (
                self.max_bytes > 0 and self.bytes_used >= self.max_bytes):
            self.is_full = True
            return 0
        return 1

    cdef int search(self, long long n) except -2 nogil:
        cdef long long done
        cdef int s
        cdef double reward = 0.0
        cdef bint gone = False
        for done in range(n):
            if not self.has_room():
                return FULL
            s = self.expand()
            if s == NONE:
                return NONE
            self.simulate(s, &reward, &gone)
            self.settle(s, reward, gone)
        return 0

    # -- what Python sees ---------------------------------------------------------------

    cdef int more_logs(self, long long n) except -1:
        cdef Py_ssize_t i, size = self.n_logs
        while size < self.n_iterations + n + 2:
            size *= 2
        if size > self.n_logs:
            self.root_log = <double*> self.memory.resized(self.root_log, size, sizeof(double))
            for i in range(self.n_logs, size):
                self.root_log[i] = sqrt(hedgerow_log(<double> i))
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
        return status == 0

    @property
    def n_bytes(self):
        """Memory of the search, bytes."""
        return self.bytes_used

    @property
    def n_opened(self):
        """Number of states that hold memory of their own: their actions were asked for."""
        cdef int s
        return sum(self.states[s].untried != NULL for s in range(self.n_states))

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
                    subset[i, c] = (action.subset[c >> 6] >> (c & 63)) & 1
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

    @property
    def best_actions(self):
        """The actions of the best state that the search has held, in their order, list of int.

        By F1 on the validation set; ties: fewer leaves, then older. States that DT-based pruning
        removed do not count.
        """
        return [self.best_chain[k] for k in range(self.best_depth)]

    # A policy of the caller's: take a state, say what it is worth.

    def next_state(self):
        """Expand; the new state's number, or -1 when no iteration is possible."""
        cdef int s
        self.more_logs(1)
        if not self.has_room():
            return -1
        with nogil:
            s = self.expand()
        return s

    def actions_of(self, int s):
        """The actions of a state in the order in which they were taken, list of int."""
        self.load_chain(s)
        return [self.chain[k] for k in range(self.states[s].depth)]

    def reward(self, int s, double reward, bint gone):
        """Back up the reward of a state from `next_state`; `gone` removes it."""
        self.settle(s, reward, gone)

    def abandon(self, int s):
        """Undo `next_state`: the state goes, its action can be drawn again."""
        cdef int action = self.states[s].action
        cdef State* parent = self.states + self.states[s].parent
        self.unlink(s)
        self.forget(s)
        if parent.n_untried < parent.n_own - parent.depth - 1:
            parent.untried[parent.n_untried] = action
            parent.n_untried += 1
