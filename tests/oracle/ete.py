"""ETE in plain Python: the whole evolution, for the same random numbers.

A tree is None (a leaf) or (variable, test, left, right); a test is the number of a threshold or
the frozenset of categories that go left.  Values are codes: x > test goes right, -1 is missing.
Rows at a node are (row, weight) pairs.  Nothing is incremental: every tree is routed from the
root, and every set of rows is filtered again.
"""

from itertools import accumulate

SLACK, IMPROVED, BITS = 1e-9, 1e-12, 2**64 - 1
SPLIT, RETEST, MOVE, SWAP, PRUNE, CHANCES = 3, 5, 9, 10, 11, 12


class Random:
    """splitmix64."""

    def __init__(self, seed):
        self.state = seed

    def bits(self):
        self.state = (self.state + 0x9E3779B97F4A7C15) & BITS
        z = self.state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & BITS
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & BITS
        return z ^ (z >> 31)

    def below(self, n):
        return (self.bits() * n) >> 64

    def uniform(self):
        return (self.bits() >> 11) / 2**53


def added(values):
    """Their sum, one after the other: `sum` of newer Pythons mends rounding."""
    total = 0.0
    for value in values:
        total += value
    return total


def nodes(tree, path=()):
    """(path, branch) in preorder; a path is a tuple of 2 (left) and 3 (right)."""
    found = [(path, tree)]
    if tree is not None:
        found += nodes(tree[2], (*path, 2)) + nodes(tree[3], (*path, 3))
    return found


def branch(tree, path):
    for side in path:
        tree = tree[side]
    return tree


def replaced(tree, path, new):
    """The tree with another branch at a path."""
    if not path:
        return new
    parts = list(tree)
    parts[path[0]] = replaced(tree[path[0]], path[1:], new)
    return tuple(parts)


class Evolution:
    """`codes` (m, n), `bounds` and `categories` (m,): numbers of thresholds and of categories."""

    def __init__(self, codes, y, weight, n_classes, bounds, categories, *, alpha,
                 min_samples_split, min_samples_leaf, max_depth, seed,
                 per_weight=None):  # fmt: skip
        self.codes, self.y, self.weight, self.K = codes, y, weight, n_classes
        self.bounds, self.categories, self.alpha = bounds, categories, alpha
        self.min_split, self.max_depth = min_samples_split - SLACK, max_depth
        self.per_weight = per_weight
        counts = [self.counted([w * (k == c) for k in range(n_classes)])
                  for w, c in zip(weight, y, strict=True)]  # fmt: skip
        self.least = max(min_samples_leaf - SLACK, 1e-3 * min(counts))
        self.random, self.population, self.n_evaluations = Random(seed), [], 0

    # -- routing and fitness

    def start(self, rows=None):
        return [(i, self.weight[i]) for i in (range(len(self.y)) if rows is None else rows)]

    def totals(self, rows):
        total = [0.0] * self.K
        for i, w in rows:
            total[self.y[i]] += w
        return total

    def counted(self, total):
        """What minima count: weights before they were multiplied by class weights."""
        if self.per_weight is None:
            return added(total)
        return added(w * per for w, per in zip(total, self.per_weight, strict=True))

    def divide(self, variable, test, rows):
        """Rows on the left and right, known weights there; the missing ones come last."""
        sides, unknown = ([], []), []
        for i, w in rows:
            x = self.codes[variable][i]
            if x < 0:
                unknown.append((i, w))
            else:
                right = x not in test if self.categories[variable] else x > test
                sides[right].append((i, w))
        left, right = (added(self.totals(side)) for side in sides)
        if sides[0] and sides[1]:
            share = left / (left + right)
            sides[0].extend([(i, w * share) for i, w in unknown])
            sides[1].extend([(i, w - w * share) for i, w in unknown])
        return *sides, left, right

    def closed(self, rows, depth):
        total = self.totals(rows)
        few = self.counted(total) < self.min_split
        return few or max(total) >= added(total) or depth >= self.max_depth

    def is_test(self, left, right):
        return bool(left and right) and all(
            self.counted(self.totals(side)) >= self.least for side in (left, right)
        )

    def settled(self, tree, rows, depth=0):
        """The tree without tests that say nothing where they are."""
        if tree is None or self.closed(rows, depth):
            return None
        left, right, known_left, known_right = self.divide(*tree[:2], rows)
        if not self.is_test(left, right):
            return self.settled(tree[2] if known_left >= known_right else tree[3], rows, depth)
        return (
            *tree[:2],
            self.settled(tree[2], left, depth + 1),
            self.settled(tree[3], right, depth + 1),
        )

    def rows_at(self, tree, path):
        rows = self.start()
        for k, side in enumerate(path):
            rows = self.divide(*branch(tree, path[:k])[:2], rows)[side - 2]
        return rows

    def leaves(self, tree):
        """(path, weight, weight of the largest class) of each leaf."""
        found = []
        for path, at in nodes(tree):
            if at is None:
                total = self.totals(self.rows_at(tree, path))
                found.append((path, added(total), max(total)))
        return found

    def fitness(self, tree):
        """(fitness, leaves, accuracy)"""
        leaves = self.leaves(tree)
        accuracy = added(c for _, _, c in leaves) / added(self.totals(self.start()))
        return accuracy - self.alpha * len(leaves), len(leaves), accuracy

    def tree(self, tree):
        """A new tree, valued: (tree, fitness)."""
        self.n_evaluations += 1
        tree = self.settled(tree, self.start())
        return tree, self.fitness(tree)

    def optimum(self, rows, depth=0):
        """The largest fitness of any tree of numeric tests: it is a sum over leaves."""
        total, n = self.totals(rows), len(self.y)
        best = max(total) / n - self.alpha
        if self.closed(rows, depth):
            return best
        for variable, bounds in enumerate(self.bounds):
            for test in range(bounds):
                left, right, *_ = self.divide(variable, test, rows)
                if self.is_test(left, right):
                    below = self.optimum(left, depth + 1) + self.optimum(right, depth + 1)
                    best = max(best, below)
        return best

    # -- draws

    def draw_test(self, rows):
        draw = self.random.below
        i = rows[draw(len(rows))][0]
        others = [o for o, _ in rows if self.y[o] != self.y[i]]
        if not others:
            return None
        other = others[draw(len(others))]
        pairs = [(c[i], c[other]) for c in self.codes]
        apart = [j for j, (a, b) in enumerate(pairs) if a >= 0 and b >= 0 and a != b]
        if not apart:
            return None
        j = apart[draw(len(apart))]
        a, b = pairs[j]
        if not self.categories[j]:
            return j, min(a, b) + draw(abs(b - a))
        subset = set()
        if draw(2):
            for word in range((max(self.categories) + 63) // 64):
                bits = self.random.bits()
                subset |= {64 * word + k for k in range(64) if bits >> k & 1}
        return j, frozenset(subset - {b} | {a})

    def draw_inner(self, tree):
        tests = [path for path, at in nodes(tree) if at is not None]
        a, b = (tests[self.random.below(len(tests))] for _ in "ab")
        return b if len(b) > len(a) else a

    def draw_leaf(self, tree):
        errors = [
            (p, w - c)
            for p, w, c in self.leaves(tree)
            if w > c and self.counted(self.totals(self.rows_at(tree, p))) >= self.min_split
        ]
        if not errors:
            return None
        sums = list(accumulate(e for _, e in errors))
        at = self.random.uniform() * sums[-1]
        return next((p for (p, _), s in zip(errors, sums, strict=True) if s > at), errors[-1][0])

    def grow(self, rows, depth=0):
        """A tree of random dipolar tests."""
        if self.closed(rows, depth):
            return None
        test = self.draw_test(rows)
        if test is None:
            return None
        left, right, *_ = self.divide(*test, rows)
        if not self.is_test(left, right):
            return None
        return (*test, self.grow(left, depth + 1), self.grow(right, depth + 1))

    # -- operators

    def mutate(self, one):
        tree, draw = one[0], self.random.below
        chance = draw(CHANCES)
        if tree is None:
            chance = 0
        path = self.draw_leaf(tree) if chance < SPLIT else self.draw_inner(tree)
        if path is None:
            return one
        at = branch(tree, path)
        if chance >= PRUNE:
            new = at[2 + draw(2)]
        elif chance >= SWAP:
            new = None
        elif chance < RETEST:
            test = self.draw_test(self.rows_at(tree, path))
            if test is None:
                return one
            new = (*test, *(at[2:] if at else (None, None)))
        else:
            new = self.swapped(at) if chance >= MOVE else None
            new = new or self.moved(at)
            if new is None:
                return one
        return self.tree(replaced(tree, path, new))

    def swapped(self, at):
        sides = [side for side in (2, 3) if at[side] is not None]
        if not sides:
            return None
        side = sides[self.random.below(2)] if len(sides) == 2 else sides[0]
        child = at[side]
        return replaced((*child[:2], *at[2:]), (side,), (*at[:2], *child[2:]))

    def moved(self, at):
        j, test, draw = at[0], at[1], self.random.below
        if self.categories[j]:
            return (j, test ^ {draw(self.categories[j])}, *at[2:])
        bits = max(int(self.bounds[j]).bit_length(), 1)
        step = 1 + draw(1 << draw(bits))
        test += -step if draw(2) else step
        return (j, test, *at[2:]) if 0 <= test < self.bounds[j] else None

    def cross(self, one, other, both):
        places = [[p for p, _ in nodes(t)][1:] or [()] for t in (one[0], other[0])]
        a, b = (p[self.random.below(len(p))] if p != [()] else () for p in places)
        first, second = branch(one[0], a), branch(other[0], b)
        if first is not None and second is not None and self.random.below(2):
            first, second = (*first[:2], *second[2:]), (*second[:2], *first[2:])
        children = [self.tree(replaced(one[0], a, second))]
        return children + ([self.tree(replaced(other[0], b, first))] if both else [])

    # -- the loop

    def ranked(self):
        # sorted is stable: older trees first among equals
        return sorted(self.population, key=lambda one: (-one[1][0], one[1][1]))

    def select(self, ranked, cumulative):
        at = self.random.uniform() * cumulative[-1]
        return next((o for o, c in zip(ranked, cumulative, strict=True) if c > at), ranked[-1])

    def evolve(self, n_generations, no_change, crossover_rate, mutation_rate, pressure, elitism):
        """The fittest tree of each generation: [(tree, (fitness, leaves, accuracy))]."""
        size = len(self.population)
        chances = [pressure - 2 * (pressure - 1) * r / (size - 1) for r in range(size)]
        cumulative = list(accumulate(chances))
        ranked = self.ranked()
        history = [ranked[0]]
        highest, still = ranked[0][1][0], 0
        while len(history) <= n_generations and still < no_change:
            following = ranked[:elitism]
            while len(following) < size:
                children = [self.select(ranked, cumulative)]
                if self.random.uniform() < crossover_rate:
                    other = self.select(ranked, cumulative)
                    children = self.cross(children[0], other, len(following) + 1 < size)
                for child in children:
                    changes = self.random.uniform() < mutation_rate
                    following.append(self.mutate(child) if changes else child)
            self.population = following
            ranked = self.ranked()
            history.append(ranked[0])
            still += 1
            if ranked[0][1][0] > highest + IMPROVED:
                highest, still = ranked[0][1][0], 0
        return history
