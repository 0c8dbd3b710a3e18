"""UCT-DT in plain Python (thesis, algorithm 2, section 4.4, with the method notes).

A state is a tuple of (leaf, test) pairs, a leaf is the path of (test, side) pairs that leads to
it, a test is (variable, threshold, categories on the left).  Everything is worked out anew in
each iteration.
"""

import math

import numpy as np

from .induction import predict

TIE = 1e-12


def splitmix64(state):
    """Steele, Lea and Flood (2014): (bits, next state)."""
    state = (state + 0x9E3779B97F4A7C15) % 2**64
    z = state
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB % 2**64
    return z ^ (z >> 31), state


def macro_f1(y, predicted, weight, n_classes):
    total = 0.0
    for c in range(n_classes):
        both = sum(w * ((a == c) + (b == c)) for a, b, w in zip(y, predicted, weight, strict=True))
        right = sum(w for a, b, w in zip(y, predicted, weight, strict=True) if a == b == c)
        total += 2 * right / both if both > 0 else 0.0
    return total / n_classes


class Node:
    def __init__(self, parent, state, leaves, born):
        self.parent, self.state, self.leaves, self.born = parent, state, leaves, born
        self.n, self.v, self.best, self.children, self.widened = 0, 0.0, 0.0, [], 0
        self.untried, self.closed = None, False

    @property
    def depth(self):
        return len(self.state)


class SearchReference:
    """What the core must agree with.

    reference : Reference
        The induction set and the rules of growth.
    X, y, weight
        The validation set.
    """

    def __init__(self, reference, X, y, weight, *, seed, policy="vs", interval=0, depth=5,
                 tree_pruning=False, n_candidates=3, per_variable=None, cp=1.0, rule="ucb",
                 widening=0.0, confidence=0.25, laplace=True, raising=True,
                 greedy=False):  # fmt: skip
        self.reference, self.X, self.y, self.weight = (
            reference,
            X,
            [int(c) for c in y],
            list(weight),
        )
        self.random, self.policy, self.interval, self.depth = seed, policy, interval, depth
        self.tree_pruning, self.k, self.cp, self.rule = tree_pruning, n_candidates, cp, rule
        self.per_variable = n_candidates if per_variable is None else per_variable
        self.widening, self.pruning = widening, (confidence, laplace, raising)
        self.greedy = greedy
        self.tests_of, self.made, self.iterations = {}, 1, 0
        self.root = Node(None, (), [()], 0)
        self.best = (self.f1(self.tree(())), ())

    # -- trees --------------------------------------------------------------------------

    def members(self, leaf):
        members = self.reference.root
        for test, side in leaf:
            members = self.sides(test, members)[side]
        return members

    def sides(self, test, members):
        j, threshold, subset = test
        t = math.nan if threshold is None else threshold
        return self.reference.route(members, j, t, t, subset, 0.5)

    def actions(self, leaf):
        """GETACTIONS: the K best tests of a leaf, ties by variable, then threshold."""
        if leaf not in self.tests_of:
            r, members = self.reference, self.members(leaf)
            counts, found = r.class_weights(members), []
            if (sum(c > 0 for c in counts) >= 2 and r.rows(counts) >= r.min_split - 1e-9
                    and len(leaf) < r.max_depth):  # fmt: skip
                tested = {test[0] for test, _ in leaf}
                for j in range(r.X.shape[1]):
                    factor = r.repetition if j in tested else 1.0
                    ranked = []
                    for gain, threshold, subset in r.tests(members, j):
                        self.insert(ranked, (gain, gain * factor, j, threshold, subset),
                                    self.per_variable)  # fmt: skip
                    for entry in ranked:
                        if entry[0] > 1e-9:
                            self.insert(found, entry[1:], self.k)
            known = [self.X_known(members, j) for _, j, _, _ in found]
            self.tests_of[leaf] = [
                (j, threshold, self.completed(subset, values, members, j))
                for (_, j, threshold, subset), values in zip(found, known, strict=True)
            ]
        return self.tests_of[leaf]

    def X_known(self, members, j):
        return {v for v in (self.reference.X[i, j] for i, _ in members) if not math.isnan(v)}

    def completed(self, subset, present, members, j):
        """Categories absent at the leaf join the heavier side."""
        if subset is None:
            return None
        share = self.sides((j, None, subset), members)[2]
        absent = [c for c in range(max(self.reference.n_categories)) if c not in present]
        return frozenset(subset) | (frozenset(absent) if share >= 0.5 else frozenset())

    @staticmethod
    def insert(ranked, entry, most):
        place = len(ranked)
        while place > 0 and entry[0] > ranked[place - 1][0] + TIE:
            place -= 1
        if place < most:
            ranked.insert(place, entry)
            del ranked[most:]

    def tree(self, state, leaf=(), complete=False):
        """The nested tree of a state below a leaf; completed by C4.5 where it has no test."""
        chosen = dict(state)
        members = self.members(leaf)
        test = chosen.get(leaf)
        if test is None and complete and self.actions(leaf):
            test = self.actions(leaf)[0]
        if test is None:
            return {"weights": self.reference.class_weights(members)}
        left, right = ((*leaf, (test, 0)), (*leaf, (test, 1)))
        j, threshold, subset = test
        return {
            "weights": self.reference.class_weights(members),
            "place": leaf,
            "j": j,
            "threshold": threshold,
            "center": threshold,
            "subset": subset,
            "share": self.sides(test, members)[2],
            "left": self.tree(state, left, complete),
            "right": self.tree(state, right, complete),
        }

    def f1(self, tree):
        predicted = [int(np.argmax(predict(tree, x, self.reference.n_categories))) for x in self.X]
        return macro_f1(self.y, predicted, self.weight, self.reference.K)

    # -- the four phases ----------------------------------------------------------------

    def draw(self, n):
        bits, self.random = splitmix64(self.random)
        return bits * n >> 64

    def all_nodes(self):
        nodes, waiting = [], [self.root]
        while waiting:
            node = waiting.pop()
            nodes.append(node)
            waiting.extend(node.children)
        return nodes

    def open(self, node):
        if node.untried is None:
            node.untried = [(leaf, t) for leaf in node.leaves for t in self.actions(leaf)]
        open_children = [c for c in node.children if not c.closed]
        node.closed = not node.untried and not open_children and not self.may_widen(node)
        return open_children

    def bound(self, parent, child):
        mean = child.best if self.rule == "best" else child.v / child.n
        spread = math.sqrt(parent.n) if self.rule == "simple_regret" else math.log(parent.n)
        return mean + 2 * self.cp * math.sqrt(spread / child.n)

    def select(self):
        """The node to expand, or None when the search tree is exhausted."""
        while not self.root.closed:
            path = [self.root]
            while True:
                node = path[-1]
                open_children = self.open(node)
                if node.untried or self.may_widen(node):
                    return node
                if node.closed:
                    for above in reversed(path[:-1]):
                        self.open(above)
                    break
                best = open_children[0]
                for child in open_children[1:]:
                    if self.bound(node, child) > self.bound(node, best) + TIE:
                        best = child
                path.append(best)
        return None

    def expand(self):
        while True:
            node = self.select()
            if node is None:
                return None
            known = {frozenset(n.state) for n in self.all_nodes()}
            while node.untried or self.may_widen(node):
                if node.untried:
                    k = self.draw(len(node.untried))
                    node.untried[k], node.untried[-1] = node.untried[-1], node.untried[k]
                    leaf, test = node.untried.pop()
                else:
                    leaf, test = self.widen(node)
                    if test is None:
                        continue
                state = (*node.state, (leaf, test))
                if frozenset(state) in known:
                    continue
                leaves = [one for one in node.leaves if one != leaf]
                leaves += [(*leaf, (test, 0)), (*leaf, (test, 1))]
                child = Node(node, state, leaves, self.made)
                self.made += 1
                node.children.append(child)
                return child

    def may_widen(self, node):
        return self.widening > 0 and node.widened < int(node.n**self.widening)

    def widen(self, node):
        """The best test of a random leaf on a random variable, where it is not among the K."""
        node.widened += 1
        leaf = node.leaves[self.draw(len(node.leaves))]
        j = self.draw(self.reference.X.shape[1])
        known = self.actions(leaf)
        ranked = []
        if known and j not in {test[0] for test in known}:
            for gain, threshold, subset in self.reference.tests(self.members(leaf), j):
                self.insert(ranked, (gain, threshold, subset), 1)
        if not ranked or ranked[0][0] <= 1e-9:
            return leaf, None
        members = self.members(leaf)
        gain, threshold, subset = ranked[0]
        present = self.X_known(members, j)
        return leaf, (j, threshold, self.completed(subset, present, members, j))

    def simulate(self, node):
        """The reward, and whether pruning removes the last test."""
        own = self.f1(self.tree(node.state))
        if self.policy == "vs" and not self.tree_pruning:
            return own, False
        completed = self.tree(node.state, complete=True)
        gone = False
        if self.tree_pruning:
            completed, _ = self.reference.prune(completed, *self.pruning)
            gone = node.state[-1][0] not in places(completed)
        return (own if self.policy == "vs" else self.f1(completed)), gone

    def prune_values(self):
        nodes = self.all_nodes()
        tips = [n for n in nodes if not n.children and n.depth > self.depth]
        if not tips:
            return
        if self.greedy:
            best, ahead = self.root, [self.root]
            while ahead:
                best = self.best_mean(ahead)
                ahead = [c for c in best.children if self.reach(c) > self.depth]
        else:
            best = self.best_mean(tips)
        kept = set()
        while best is not None:
            kept.add(best)
            best = best.parent
        for node in nodes:
            node.children = [c for c in node.children if c.depth <= self.depth or c in kept]

    @staticmethod
    def best_mean(nodes):
        best = None
        for node in sorted(nodes, key=lambda n: n.born):
            ahead = math.inf if best is None else node.v / node.n - best.v / best.n
            if ahead > TIE or (ahead >= -TIE and node.n > best.n):
                best = node
        return best

    def reach(self, node):
        """Depth of the deepest state below."""
        return max([node.depth, *(self.reach(child) for child in node.children)])

    def run(self, n):
        for _ in range(n):
            node = self.expand()
            if node is None:
                return
            reward, gone = self.simulate(node)
            above = node
            while above is not None:
                above.n, above.v = above.n + 1, above.v + reward
                above.best = max(above.best, reward)
                above = above.parent
            if gone:
                node.parent.children.remove(node)
            else:
                ahead = self.f1(self.tree(node.state)) - self.best[0]
                if ahead > TIE or (ahead >= -TIE and node.depth < len(self.best[1])):
                    self.best = (self.best[0] + ahead, node.state)
            self.iterations += 1
            if self.interval and self.iterations % self.interval == 0:
                self.prune_values()


def places(tree):
    """Where the tests of a nested tree stood before pruning."""
    if "j" not in tree:
        return set()
    return {tree["place"]} | places(tree["left"]) | places(tree["right"])
