"""Growing a tree on evidential data: best-first, each candidate judged by an E2M estimate.

A candidate is the whole tree with one leaf divided; its parameters are re-estimated from a warm
start, and the gain is that of the divided leaf. Candidates are screened by a few iterations first
where that is asked for, and decided by converged estimates. Where nothing is in doubt, estimates
are counts, and all candidates of an attribute are counted in one pass.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from hedgerow.evidential._mixture import estimate, estimate_splits, spread, start_splits
from hedgerow.evidential.boxes import Box, ByPlausibility, interval_plausibility
from hedgerow.evidential.data import EvidentialData
from hedgerow.evidential.sequence import SLACK, entropy
from hedgerow.tree import Tree

EXHAUSTIVE = 10  # categories up to which every subset is tried, as in C4.5's search
BLOCK = 1 << 20  # plausibilities of candidates that are held at once
NOTHING = 1e-50  # a plausibility below it is taken for 0, lest products of several vanish
TINY = 1e-30  # plausibilities of a row's classes are lifted to it
FALL = 1e-9  # of a log-likelihood, relative to its size: rounding
#: Of weight times gain (bits) and of log-likelihoods: estimates of candidates tell no less apart.
ALIKE = 1e-3
LONGER = 1000  # a tree's own estimate takes at most so many times the iterations of a candidate's


@dataclass(frozen=True)
class Settings:
    """What `EvidentialTreeClassifier` says of growth, under the same names."""

    max_leaves: int = 10
    min_gain: float = 0.05
    min_share_gain: float = 1e-3
    parent: str = "current"
    start: str = "plausibility"
    tolerance: float = 1e-6
    max_gap: float = 1e-4
    max_iterations: int = 1000
    n_thresholds: int | None = None
    n_finalists: int | None = None
    n_screening: int = 20


@dataclass(frozen=True)
class Test:
    """A test of one leaf: a threshold, or the categories that go left."""

    leaf: int  # its place among the leaves
    feature: int
    threshold: float = np.nan
    goes_left: np.ndarray | None = None
    place: int = 0  # of the threshold among all of its attribute


@dataclass
class TestGains:
    """Candidates with their estimates: those of one attribute at one leaf, or finalists of one."""

    tests: list[Test]
    counts: np.ndarray  # (n_tests, n_leaves + 1, n_classes)
    gain: np.ndarray  # weight times gain in bits, of the leaf that is divided
    likelihood: np.ndarray  # log-likelihood of the whole tree
    enough: np.ndarray  # flags: the gain is large enough to divide


@dataclass
class Growth:
    """One growth on evidential data; `run` gives the trees of successive splits.

    Attributes
    ----------
    weight : (n,) float64 above 0, or None
        How many instances each row stands for; None: one each.
    total : float
        Their sum.
    log_likelihoods, gaps : list of float
        Of each tree, as estimated, and by how much at most its maximum is larger.
    gains : list of float
        Share of the leaf times gain in bits, of each test in the order of the splits.
    n_iterations : int
        E2M iterations of all candidates.
    """

    data: EvidentialData
    settings: Settings
    weight: np.ndarray | None = None
    log_likelihoods: list[float] = field(default_factory=list)
    likelihood_gaps: list[float] = field(default_factory=list)
    gains: list[float] = field(default_factory=list)
    n_iterations: int = 0

    def __post_init__(self) -> None:
        n = self.data.n_rows
        self.total = float(n if self.weight is None else self.weight.sum())
        #: The same as numbers, for what is summed here.
        self.each = np.ones(n) if self.weight is None else self.weight
        # No evidence may be too small for its inverse; the reported likelihood has no lift.
        plausibility = self.data.plausibility.copy()
        most = plausibility.max(axis=1)
        tiny = most < TINY
        plausibility[tiny] = plausibility[tiny] / most[tiny, None] * TINY
        plausibility[plausibility < NOTHING * plausibility.max(axis=1, keepdims=True)] = 0.0
        self.classes = np.ascontiguousarray(plausibility.T)
        self.lift = float((self.each[tiny] * (np.log(TINY) - np.log(most[tiny]))).sum())
        self.nodes = [_Node()]
        self.open = [0]  # the leaves in preorder, by the place of their node in `nodes`
        self.boxes = [Box()]
        self.by_plausibility: dict[int, ByPlausibility] = {}
        self.plausible = np.ones((1, self.data.n_rows))
        self.certain = self.data.is_certain()
        # Of counts the likelihood tells how even two sides are, and nothing of the classes.
        self.alike = (SLACK, np.inf) if self.certain else (ALIKE, ALIKE)
        share = plausibility / plausibility.sum(axis=1, keepdims=True)
        self.counts = (self.each[:, None] * share).sum(axis=0)[None, :].copy()
        self._estimate()

    def run(self) -> list[Tree]:
        """Divide leaf after leaf; the trees from the root alone to the largest."""
        trees = [self._tree()]
        while len(self.open) < self.settings.max_leaves:
            best = self._best_test()
            if best is None:
                break
            judged, place = best
            self.gains.append(float(judged.gain[place]) / self.total)
            self._divide(judged, place)
            trees.append(self._tree())
        return trees

    # -- estimates ------------------------------------------------------------------------

    def _estimate(self) -> None:
        """Estimates of the tree as it is, from the counts it has, to within the largest gap."""
        self.counts = spread(self.counts)
        likelihood, gap, n_iterations, fall = estimate(
            self.plausible,
            self.classes,
            self.counts,
            self.settings.tolerance,
            min(LONGER * self.settings.max_iterations, 2**31 - 1),
            self.settings.max_gap,
            self.weight,
        )
        self._checked(likelihood, fall)
        self.n_iterations += n_iterations
        self.likelihood_gaps.append(max(gap, 0.0))
        self.log_likelihoods.append(likelihood - self.lift)

    def _checked(self, likelihood, fall: float) -> None:
        assert fall <= FALL * (1.0 + np.abs(likelihood).max()), "the evidential likelihood fell"

    def _judge(self, tests: list[Test], left, right, counts=None, most: int | None = None):
        """Estimate the tree with each of these tests, all of one leaf, from counts or afresh."""
        settings, leaf = self.settings, tests[0].leaf
        if counts is None:
            counts = spread(
                start_splits(
                    self.plausible,
                    self.classes,
                    self.counts,
                    leaf,
                    left,
                    right,
                    settings.start == "plausibility",
                    self.weight,
                )
            )
        likelihood, n_iterations, fall = estimate_splits(
            self.plausible,
            self.classes,
            leaf,
            left,
            right,
            counts,
            settings.tolerance,
            settings.max_iterations if most is None else most,
            self.weight,
        )
        self._checked(likelihood, fall)
        self.n_iterations += int(n_iterations.sum())
        gain, enough = self._gains(leaf, counts[:, leaf : leaf + 2])
        return TestGains(tests, counts, gain, likelihood, enough)

    def _counted(self, leaf: int, j: int) -> TestGains:
        """The best candidates of an attribute at a leaf by counting: nothing is in doubt."""
        rows = np.flatnonzero(self.plausible[leaf] > 0)
        if j in self.data.possible:
            value = self.data.possible[j][rows].argmax(axis=1)
            n_values, of_test = self.data.possible[j].shape[1], self._subsets(leaf, j)
        else:
            of_test = self._thresholds(leaf, j)
            value = np.searchsorted(of_test, self.data.low[rows, j], side="right")
            n_values = len(of_test) + 1
        n_classes = len(self.classes)
        cell = value * n_classes + self.classes[:, rows].argmax(axis=0)
        each = np.bincount(cell, self.each[rows], n_values * n_classes).reshape(n_values, -1)
        if j in self.data.possible:
            blocks = [np.stack(part) for part in _blocks(of_test, n_values)]
            left = [flags.astype(float) @ each for flags in blocks]
            right = [(~flags).astype(float) @ each for flags in blocks]
            empty = np.empty((0, n_classes))
            sides = np.stack([np.concatenate([empty, *side]) for side in (left, right)], axis=1)
        else:
            below, above = each.cumsum(axis=0)[:-1], each[::-1].cumsum(axis=0)[::-1][1:]
            sides = np.stack([below, above], axis=1)
        gain, enough = self._gains(leaf, sides)
        best = gain.max(where=enough, initial=-np.inf)
        kept = np.flatnonzero(enough & (gain >= best - self.alike[0]))
        if j in self.data.possible:
            tests = [Test(leaf, j, goes_left=of_test[place]) for place in kept]
        else:
            tests = [Test(leaf, j, float(of_test[place]), None, int(place)) for place in kept]
        counts = np.repeat(self.counts[None], len(kept), axis=0)
        counts = np.concatenate([counts[:, :leaf], sides[kept], counts[:, leaf + 1 :]], axis=1)
        return TestGains(tests, counts, gain[kept], np.zeros(len(kept)), enough[kept])

    def _gains(self, leaf: int, sides: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Weight times gain of the divided leaf, and where the gain is large enough."""
        weight = sides.sum(axis=2)
        together = weight.sum(axis=1)
        held = together > SLACK
        share = np.divide(weight, together[:, None], out=np.zeros_like(weight), where=held[:, None])
        after = (share * entropy(sides)).sum(axis=1)
        if self.settings.parent == "current":
            whole = np.full(len(sides), self.counts[leaf].sum())
            before = np.full(len(sides), entropy(self.counts[leaf]))
        else:
            whole, before = together, entropy(sides.sum(axis=1))
        gain = before - after
        enough = held & (gain > SLACK) & (gain >= (self.settings.min_gain - SLACK) * before)
        enough &= whole * gain >= self.settings.min_share_gain * self.total - SLACK
        # A side that no instance is in divides nothing.
        enough &= (weight > SLACK).all(axis=1)
        return whole * gain, enough

    # -- candidates -----------------------------------------------------------------------

    def _best_test(self) -> tuple[TestGains, int] | None:
        """The candidate with the largest weight x gain, and its place.

        Ties: the largest likelihood, then the first.
        """
        if self.certain or self.settings.n_finalists is None:
            return _first_best(self._candidates(None, None), self.alike)
        screened = self._candidates(self.settings.n_thresholds, self.settings.n_screening)
        finals = self._finals(screened, [_summits(judged.gain) for judged in screened])
        if not finals:
            return None
        best = _first_best(finals, self.alike)
        # Where none of the few gains enough, one beside the best of them may.
        about, place = best or (max(finals, key=lambda judged: judged.gain[0]), 0)
        nearby = [
            self._judge(part, *self._sides(part), most=self.settings.n_screening)
            for part in _blocks(self._neighbouring_tests(about.tests[place]), self.data.n_rows)
        ]
        finals = self._finals(nearby, [np.arange(len(j.gain)) for j in nearby])
        return _better(_first_best(finals, self.alike), best, self.alike)

    def _neighbouring_tests(self, test: Test) -> list[Test]:
        """Thresholds about the best one, up to the second on either side that was tried."""
        if test.goes_left is not None:
            return []
        values = self._thresholds(test.leaf, test.feature)
        tried = _spread(len(values), self.settings.n_thresholds)
        at = int(np.searchsorted(tried, test.place))
        low = tried[at - 2] if at >= 2 else 0
        high = tried[at + 2] if at + 2 < len(tried) else len(values) - 1
        return [
            Test(test.leaf, test.feature, float(values[place]), None, place)
            for place in range(int(low), int(high) + 1)
            if place != test.place
        ]

    def _candidates(self, n_thresholds: int | None, most: int | None) -> list[TestGains]:
        """Every candidate of every leaf that is worth dividing, an attribute at a time.

        No test gains more than the impurity of its leaf: leaves are looked at in that order, and
        those are left out that cannot have the best.
        """
        weight = self.counts.sum(axis=1)
        possible = weight * entropy(self.counts)
        least = self.settings.min_share_gain * self.total - SLACK
        current = self.settings.parent == "current"
        best, proposed = max(least, SLACK), [[] for _ in self.open]
        for leaf in np.argsort(-possible, kind="stable"):
            if weight[leaf] <= SLACK or (current and possible[leaf] < best - self.alike[0]):
                continue
            if current and possible[leaf] <= SLACK:
                continue
            for j in range(self.data.n_features):
                if self.certain:
                    proposed[leaf].append(self._counted(leaf, j))
                else:
                    tests = self._tests(leaf, j, n_thresholds)
                    proposed[leaf] += [
                        self._judge(part, *self._sides(part), most=most)
                        for part in _blocks(tests, self.data.n_rows)
                    ]
            if most is None:
                best = max([best, *(g for one in proposed[leaf] for g in one.gain[one.enough])])
        return [judged for part in proposed for judged in part]

    def _tests(self, leaf: int, j: int, n_thresholds: int | None) -> list[Test]:
        """Tests of an attribute at a leaf, of thresholds at most so many."""
        if j in self.data.possible:
            return [Test(leaf, j, goes_left=flags) for flags in self._subsets(leaf, j)]
        values = self._thresholds(leaf, j)
        places = _spread(len(values), n_thresholds)
        return [Test(leaf, j, float(values[p]), None, int(p)) for p in places]

    def _finals(self, screened: list[TestGains], eligible: list[np.ndarray]) -> list[TestGains]:
        """The finalists one by one, their estimates carried on to the end."""
        order = sorted(
            (-judged.gain[place], at, place)
            for at, judged in enumerate(screened)
            for place in eligible[at]
        )
        finals = []
        for _, at, place in sorted(order[: self.settings.n_finalists], key=lambda one: one[1:]):
            judged = screened[at]
            part = slice(place, place + 1)
            tests = judged.tests[part]
            # Their sides again: those of all that are screened would fill the memory.
            finals.append(self._judge(tests, *self._sides(tests), judged.counts[part].copy()))
        return finals

    def _thresholds(self, leaf: int, j: int) -> np.ndarray:
        """Thresholds that divide an attribute's values at a leaf, ascending.

        The bounds of the values that may be there, but the lowest: between two of them no test
        divides otherwise.
        """
        low, high = self.boxes[leaf].interval(j)
        possible_rows = self.plausible[leaf] > 0
        values = np.concatenate([self.data.low[possible_rows, j], self.data.high[possible_rows, j]])
        values = np.unique(values[np.isfinite(values) & (values >= low) & (values < high)])
        return values[1:]

    def _subsets(self, leaf: int, j: int) -> list[np.ndarray]:
        """Sets of categories that go left: all while few are there, else prefixes of an order."""
        possible = self.data.possible[j]
        flags = self.boxes[leaf].subset(j, possible.shape[1])
        evidence = np.where(flags, possible, 0.0)
        total = evidence.sum(axis=1, keepdims=True)
        shared = np.divide(evidence, total, out=np.zeros_like(evidence), where=total > 0)
        held = self.plausible[leaf] * self.classes * self.counts[leaf][:, None]
        held = held / np.maximum(held.sum(axis=0), np.finfo(float).tiny)
        row_weight = self.plausible[leaf] * self.each
        by_category = np.einsum("iv,ki,i->vk", shared, held, row_weight)
        present = np.flatnonzero(by_category.sum(axis=1) > SLACK)
        if len(present) < 2:
            return []
        lefts = []
        if len(self.classes) > 2 and len(present) <= EXHAUSTIVE:
            bits = np.arange(len(present) - 1)
            for mask in range((1 << len(bits)) - 1):
                lefts.append(present[np.concatenate([[True], (mask >> bits & 1) == 1])])
        else:
            order = present[np.argsort(_keys(by_category[present]), kind="stable")]
            for last in range(len(order) - 1):
                left = order[: last + 1]
                lefts.append(left if present[0] in left else order[last + 1 :])
        return [np.isin(np.arange(possible.shape[1]), left) for left in lefts]

    def _sides(self, tests: list[Test]) -> tuple[np.ndarray, np.ndarray]:
        """Plausibility of both sides of tests on one attribute of one leaf, (n_tests, n) each."""
        leaf, j = tests[0].leaf, tests[0].feature
        box = self.boxes[leaf]
        rest = box.plausibility(self.data, without=j)
        if tests[0].goes_left is None:
            thresholds = np.array([test.threshold for test in tests])
            low, high = box.interval(j)
            left = interval_plausibility(self.data, j, np.full_like(thresholds, low), thresholds)
            right = interval_plausibility(self.data, j, thresholds, np.full_like(thresholds, high))
        else:
            possible = box.subset(j, self.data.possible[j].shape[1])
            goes_left = np.stack([test.goes_left for test in tests])
            if j not in self.by_plausibility:
                self.by_plausibility[j] = ByPlausibility(self.data.possible[j])
            of_any = self.by_plausibility[j].of_any
            left, right = of_any(possible & goes_left), of_any(possible & ~goes_left)
        return _drop_negligible(rest * left), _drop_negligible(rest * right)

    # -- the tree -------------------------------------------------------------------------

    def _divide(self, judged: TestGains, place: int) -> None:
        """Make a candidate part of the tree, with its estimates."""
        test = judged.tests[place]
        leaf = test.leaf
        goes_left = test.goes_left
        if goes_left is None:
            sides = self.boxes[leaf].below(test.feature, test.threshold)
        else:
            goes_left = self._with_absent(test, judged.counts[place])
            sides = self.boxes[leaf].within(test.feature, goes_left)
        self.boxes[leaf : leaf + 1] = sides
        plausible = _drop_negligible(np.stack([box.plausibility(self.data) for box in sides]))
        self.plausible = np.ascontiguousarray(
            np.concatenate([self.plausible[:leaf], plausible, self.plausible[leaf + 1 :]])
        )
        self.counts = judged.counts[place].copy()
        self._estimate()
        node = self.nodes[self.open[leaf]]
        node.feature, node.threshold, node.goes_left = test.feature, test.threshold, goes_left
        node.children = (len(self.nodes), len(self.nodes) + 1)
        self.nodes += [_Node(), _Node()]
        self.open[leaf : leaf + 1] = node.children

    def _with_absent(self, test: Test, counts: np.ndarray) -> np.ndarray:
        """Categories that are not there go to the heavier side, as in C4.5's growth."""
        flags = test.goes_left.copy()
        weight = counts[test.leaf : test.leaf + 2].sum(axis=1)
        present = self.data.possible[test.feature][self.plausible[test.leaf] > 0].max(axis=0) > 0
        flags[~present] = weight[0] >= weight[1]
        return flags

    def _tree(self) -> Tree:
        """The tree as it is, with its expected counts as class weights."""
        # Exact where nothing is in doubt: a row's share of its one leaf and class is x / x.
        held = self.plausible[:, None, :] * self.classes[None] * self.counts[:, :, None]
        held /= held.sum(axis=(0, 1))
        held *= self.each
        counts = dict(zip(self.open, held.sum(axis=2), strict=True))
        order, stack = [], [0]
        while stack:
            number = stack.pop()
            order.append(number)
            stack += reversed(self.nodes[number].children)
        for number in reversed(order):
            if self.nodes[number].children:
                one, other = self.nodes[number].children
                counts[number] = counts[one] + counts[other]
        place = {number: at for at, number in enumerate(order)}
        nodes = [self.nodes[number] for number in order]
        width = max((table.shape[1] for table in self.data.possible.values()), default=0)
        subsets = np.zeros((len(order), width))
        parent, share = np.full(len(order), -1), np.full(len(order), np.nan)
        children = np.full((len(order), 2), -1)
        for at, node in enumerate(nodes):
            if node.children:
                children[at] = [place[child] for child in node.children]
                parent[children[at]] = at
                left, right = (counts[child].sum() for child in node.children)
                share[at] = left / (left + right) if left + right > 0 else 0.5
                if node.goes_left is not None:
                    subsets[at, : len(node.goes_left)] = node.goes_left
        names = self.data.feature_names
        return Tree(
            feature=np.array([node.feature for node in nodes]),
            threshold=np.array([node.threshold for node in nodes]),
            children_left=children[:, 0],
            children_right=children[:, 1],
            parent=parent,
            share_left=share,
            class_weight=np.stack([counts[number] for number in order]),
            categories_left=subsets,
            classes=self.data.classes,
            feature_names=names,
            categories=self.data.categories,
        )


@dataclass
class _Node:
    feature: int = -1
    threshold: float = np.nan
    goes_left: np.ndarray | None = None
    children: tuple[int, ...] = ()


def _drop_negligible(plausible: np.ndarray) -> np.ndarray:
    plausible[plausible < NOTHING] = 0.0
    return plausible


def _first_best(judged_ones, alike: tuple[float, float]) -> tuple[TestGains, int] | None:
    """The candidate with the largest gain of those with enough; ties go by likelihood, then to the
    first.

    alike: gains, and likelihoods, that tie differ by no more.
    """
    ones = list(judged_ones)
    gain = np.concatenate([np.where(j.enough, j.gain, -np.inf) for j in ones] or [np.empty(0)])
    if not np.isfinite(gain).any():
        return None
    likelihood = np.concatenate([judged.likelihood for judged in ones])
    tied = np.flatnonzero(gain >= gain.max() - alike[0])
    chosen = tied[np.argmax(likelihood[tied] >= likelihood[tied].max() - alike[1])]
    for judged in ones:
        if chosen < len(judged.gain):
            return judged, int(chosen)
        chosen -= len(judged.gain)
    raise AssertionError("unreachable")


def _summits(gain: np.ndarray) -> np.ndarray:
    """Places of gains that no neighbour exceeds: thresholds side by side are alike."""
    around = np.concatenate([[-np.inf], gain, [-np.inf]])
    return np.flatnonzero((gain >= around[:-2]) & (gain > around[2:]))


def _better(one, other, alike: tuple[float, float]):
    """The better one of two candidates, in the order of their thresholds where they tie."""
    if one is None or other is None:
        return other if one is None else one
    for of, tie in zip(("gain", "likelihood"), alike, strict=True):
        values = [getattr(judged, of)[place] for judged, place in (one, other)]
        if abs(values[0] - values[1]) > tie:
            return one if values[0] > values[1] else other
    places = [judged.tests[place].place for judged, place in (one, other)]
    return one if places[0] < places[1] else other


def _blocks(tests: list[Test], n: int) -> list[list[Test]]:
    size = max(1, BLOCK // max(n, 1))
    return [tests[start : start + size] for start in range(0, len(tests), size)]


def _spread(n: int, most: int | None) -> np.ndarray:
    """Places of at most so many of n values in order, evenly spread."""
    if most is None or n <= most:
        return np.arange(n)
    if most == 1:
        return np.array([(n - 1) // 2])
    return np.unique(np.rint(np.linspace(0, n - 1, most)).astype(int))


def _keys(by_category: np.ndarray) -> np.ndarray:
    """What orders categories: the probability of the last of two classes, or the first principal
    component of more (Coppersmith, Hong and Hosking 1999)."""
    weight = by_category.sum(axis=1)
    share = by_category / weight[:, None]
    if share.shape[1] == 2:
        return share[:, 1]
    centred = share - np.average(share, axis=0, weights=weight)
    _, vectors = np.linalg.eigh((centred * weight[:, None]).T @ centred)
    return share @ vectors[:, -1]
