# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
"""Trees completed by C4.5 and pruned, branch by branch, and remembered.

What pruning makes of a branch depends on its test and on what it made of the two sides, so it is
kept as an *outcome* under these three.  The rule is that of `hedgerow.induction._pruning`, which
a test compares this with.
"""

from libc.math cimport NAN
from libc.stdint cimport uint64_t
from libc.string cimport memcpy, memset

from hedgerow.induction._columns cimport Columns
from hedgerow.induction._errors cimport leaf_errors, limits_init
from hedgerow.search._leaves cimport NONE, Action, Leaves, Region, divide, reserve
from hedgerow.search._random cimport mix

cdef Py_ssize_t LARGEST_TABLE = 1024


cdef class Completion(Leaves):
    """Regions completed by C4.5: by their best test, and so on below.

    Parameters
    ----------
    columns, X, y, sample_weight, **leaves
        As in `Leaves`.
    policy : int
        1: outcomes count what they get right on the validation set.
    tree_pruning : bool
        Prune, or keep every test.
    confidence, laplace, raising
        As in pruning.
    """

    def __init__(self, Columns columns, X, y, sample_weight, *, int policy, bint tree_pruning,
                 double confidence, bint laplace, bint raising, **leaves):
        cdef Py_ssize_t i
        Leaves.__init__(self, columns, X, y, sample_weight, **leaves)
        self.policy = policy
        self.tree_pruning = tree_pruning
        self.raising = raising
        self.outcome_capacity = 1024
        self.decision_size = 4096
        self.visit_capacity = 256
        self.outcomes = <Outcome*> self.memory.take(self.outcome_capacity, sizeof(Outcome))
        self.decisions = <Decision*> self.memory.take(self.decision_size, sizeof(Decision))
        self.visits = <Visit*> self.memory.take(self.visit_capacity, sizeof(Visit))
        limits_init(&self.limits, self.memory, confidence, laplace, self.K,
                    min(self.n + 1, LARGEST_TABLE))
        for i in range(self.decision_size):
            self.decisions[i].action = NONE

    cdef int more_outcomes(self) except -2 nogil:
        if self.n_outcomes < self.outcome_capacity:
            return 0
        self.outcomes = <Outcome*> self.memory.resized(
            self.outcomes, 2 * self.outcome_capacity, sizeof(Outcome))
        self.bytes_used += self.outcome_capacity * sizeof(Outcome)
        self.outcome_capacity *= 2
        return 0

    cdef int more_visits(self, Py_ssize_t n) except -2 nogil:
        if n <= self.visit_capacity:
            return 0
        self.visits = <Visit*> self.memory.resized(self.visits, 2 * n, sizeof(Visit))
        self.visit_capacity = 2 * n
        return 0

    cdef int new_outcome(self, int action, int left, int right, double share,
                         double errors) except -2 nogil:
        cdef Outcome* outcome
        self.more_outcomes()
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
            memset(outcome.confusion, 0, 2 * self.K * sizeof(double))
        self.n_outcomes += 1
        return self.n_outcomes - 1

    cdef int leaf_of(self, int r) except -2 nogil:
        """The outcome that a region is a leaf."""
        cdef Region* region = self.regions + r
        cdef int o, c
        if region.leaf >= 0:
            return region.leaf
        o = self.new_outcome(NONE, NONE, NONE, NAN, leaf_errors(&self.limits, region.count))
        self.outcomes[o].count = region.count
        if self.policy == COMPLETION:
            for c in range(self.K):
                self.outcomes[o].confusion[self.K + region.prediction] += region.whole_count[c]
            self.outcomes[o].confusion[region.prediction] = region.whole_count[region.prediction]
        region.leaf = o
        return o

    cdef int complete(self, int r) except -2 nogil:
        """The outcome of a leaf completed by C4.5: its best test, and so on below."""
        cdef int node = r, child, a, o, choice = 0
        cdef Region* region
        # Down the first side without an outcome, back up when both have one.
        while True:
            if self.regions[node].completion < 0:
                self.propose(node)
                region = self.regions + node
                if region.n_actions == 0:
                    o = self.leaf_of(node)
                    self.regions[node].completion = o
                    self.regions[node].decision = LEAF
                else:
                    a = region.first_action
                    self.apply(a)
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

    cdef int more_decisions(self) except -2 nogil:
        cdef Decision* old = self.decisions
        cdef Py_ssize_t size = self.decision_size, i
        if 2 * self.n_decisions < size:
            return 0
        self.decisions = <Decision*> self.memory.take(2 * size, sizeof(Decision))
        self.bytes_used += size * sizeof(Decision)
        self.decision_size = 2 * size
        for i in range(2 * size):
            self.decisions[i].action = NONE
        for i in range(size):
            if old[i].action != NONE:
                self.find_decision(old[i].action, old[i].left, old[i].right)[0] = old[i]
        self.memory.give_back(old)
        return 0

    cdef int decide(self, int a, int left, int right, int* choice) except -2 nogil:
        """Keep a test, make a leaf, or raise a side: the rule of the pruner, remembered.

        left, right: outcomes of the sides.  Returns the outcome of the branch.
        """
        cdef Decision* d = self.find_decision(a, left, right)
        cdef int r = self.actions[a].region, o, c, side, branch = NONE, decided
        cdef double keep, best, raised
        if d.action != NONE:
            choice[0] = d.choice
            return d.outcome
        self.more_decisions()
        keep = self.outcomes[left].errors + self.outcomes[right].errors
        decided = KEEP
        if self.tree_pruning:
            o = self.leaf_of(r)
            best = self.outcomes[o].errors
            if self.raising:
                for side in range(2):
                    o = left if side == 0 else right
                    if self.outcomes[o].action < 0:
                        continue
                    raised = self.estimate(o, r, best if best < keep else keep)
                    if raised < best - 1e-9:
                        best = raised
                        branch = side
            if not keep < best - 1e-9:
                decided = LEAF if branch < 0 else (RAISE_LEFT if branch == 0 else RAISE_RIGHT)
        if decided == KEEP:
            o = self.new_outcome(a, left, right, self.actions[a].share_left, keep)
            if self.policy == COMPLETION:
                for c in range(2 * self.K):
                    self.outcomes[o].confusion[c] = (self.outcomes[left].confusion[c]
                                                     + self.outcomes[right].confusion[c])
        elif decided == LEAF:
            o = self.leaf_of(r)
        else:
            o = self.renew(left if decided == RAISE_LEFT else right, r)
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

    cdef int load(self, int r, bint validation) except -2 nogil:
        """Put the rows of a region at the bottom of the stacks."""
        cdef Region* region = self.regions + r
        self.induction.top = 0
        self.whole.top = 0
        reserve(&self.induction, self.memory, region.n)
        memcpy(self.induction.row, region.rows, region.n * sizeof(int))
        if self.weighted:
            memcpy(self.induction.weight, region.weight, region.n * sizeof(double))
        self.induction.top = region.n
        if validation:
            reserve(&self.whole, self.memory, region.n_whole)
            memcpy(self.whole.row, region.whole_rows, region.n_whole * sizeof(int))
            self.whole.top = region.n_whole
        return 0

    cdef int push_sides(self, Py_ssize_t depth, int branch, Py_ssize_t start, Py_ssize_t n_left,
                        Py_ssize_t n_right, Py_ssize_t top) except -2 nogil:
        """Put the sides of a test on the stack of visits, the left one on top.

        Their rows begin at `start`, those of the left side first; `top` is their end.
        """
        self.more_visits(depth + 2)
        self.visits[depth].outcome = self.outcomes[branch].right
        self.visits[depth].start = start + n_left
        self.visits[depth].n = n_right
        self.visits[depth].top = top
        self.visits[depth + 1].outcome = self.outcomes[branch].left
        self.visits[depth + 1].start = start
        self.visits[depth + 1].n = n_left
        self.visits[depth + 1].top = top
        return 0

    cdef double estimate(self, int branch, int r, double limit) except -2.0 nogil:
        """Predicted errors of a branch, its structure kept, on the rows of a region.

        The sum may stop as soon as it is above `limit`, where it cannot change the choice.
        """
        cdef Py_ssize_t depth = 1, start, n_left, n_right
        cdef double errors = 0.0, share
        cdef Visit visit
        cdef Outcome* o
        cdef Action* action
        self.load(r, False)
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
            divide(action, &self.x[0, action.feature], self.n_categories, &self.induction,
                   self.memory, visit.start, visit.n, self.weighted, True, &share, &n_left,
                   &n_right)
            self.push_sides(depth, visit.outcome, start, n_left, n_right,
                            self.induction.top)
            depth += 2
        return errors

    cdef int renew(self, int branch, int r) except -2 nogil:
        """A copy of a branch with the class weights, shares and errors of a region's rows."""
        cdef Py_ssize_t depth = 1, start, n_left, n_right, whole_start, p
        cdef Py_ssize_t whole_left = 0, whole_right = 0
        cdef double share
        cdef int made = NONE, first = self.n_outcomes, c, prediction, i, side
        cdef bint validation = self.policy == COMPLETION
        cdef Visit visit
        cdef double* count
        cdef double* confusion
        cdef Action* action
        self.load(r, validation)
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
            if visit.parent >= 0:
                if visit.is_left:
                    self.outcomes[visit.parent].left = made
                else:
                    self.outcomes[visit.parent].right = made
            if self.outcomes[made].action < 0:
                count = <double*> self.take(self.K * sizeof(double))
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
            divide(action, &self.x[0, action.feature], self.n_categories, &self.induction,
                   self.memory, visit.start, visit.n, self.weighted, True, &share, &n_left,
                   &n_right)
            self.outcomes[made].share_left = share
            whole_start = self.whole.top
            if validation:
                divide(action, &self.val_x[0, action.feature], self.n_categories, &self.whole,
                       self.memory, visit.whole_start, visit.n_whole, False, False, &share,
                       &whole_left, &whole_right)
            self.push_sides(depth, visit.outcome, start, n_left, n_right,
                            self.induction.top)
            for side in range(2):
                self.visits[depth + side].parent = made
                self.visits[depth + side].is_left = side == 1
                self.visits[depth + side].whole_top = self.whole.top
            self.visits[depth].whole_start = whole_start + whole_left
            self.visits[depth].n_whole = whole_right
            self.visits[depth + 1].whole_start = whole_start
            self.visits[depth + 1].n_whole = whole_left
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

    cdef double f1_of_outcome(self, int root) except -2.0 nogil:
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
            reserve(&self.mixed, self.memory, self.regions[0].n_mixed)
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
                divide(action, &self.val_x[0, action.feature], self.n_categories, &self.mixed,
                       self.memory, visit.start, visit.n, True, False, &share, &n_left, &n_right)
                self.push_sides(depth, visit.outcome, start, n_left, n_right,
                                self.mixed.top)
                depth += 2
            self.add_mixed()
        return self.macro_f1(self.confusion)

    cdef int outcome_here(self, int r) except -2 nogil:
        """What becomes of a region in the state at hand."""
        if self.regions[r].stamp == self.stamp:
            return self.regions[r].here
        if self.regions[r].completion >= 0:
            return self.regions[r].completion
        return self.complete(r)
