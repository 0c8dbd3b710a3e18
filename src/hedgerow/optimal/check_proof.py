"""Check a proof that `hedgerow gap MODEL.json TABLE.csv --proof PROOF.json` wrote.

    python check_proof.py PROOF.json TABLE.csv

It needs Python and numpy, nothing else of hedgerow, and takes nothing from the proof but where to
look: rows, classes and every possible test are made from the table, every bound is computed here.
Exit code 0: no tree costs less than the proof says. 1: one sentence why that is not shown.

What a tree costs is summed over its leaves. What two sets of rows cost as leaves together is at
least what they cost apart, so that the best tree of a set costs no less than that of a part of it,
and at most `steepest` times the weight of the other rows more. For a claim, "no tree of depth d on
these rows costs less than b", the proof names tests (column, threshold) of which bounds are known
for both branches: stumps, all of which are tried, or claims before it. A test between two of one
column has more on its left than the lower one, and more on its right than the higher one.

A value that is missing may be divided in the proportion of the known ones, which more rows can
move. Bounds for more rows are then those of the problem in which such rows are dropped at the test,
and in which a test may drop them and leave all others together, as it would with a row more.
"""

import csv
import hashlib
import io
import json
import sys
from itertools import product

import numpy as np

FORMAT, VERSION = "hedgerow-proof", 1
MISSING = {
    *("", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN"),
    *("<NA>", "N/A", "NA", "NULL", "NaN", "None", "n/a", "nan", "null"),
}
ROUNDING = 1e-7  # of the number of rows: by how much sums of floating-point numbers may be off
NOT_IN_FORM = (ArithmeticError, AttributeError, LookupError, RecursionError, TypeError, ValueError)
AT_ONCE = 1 << 19  # numbers that are worked on together


class ProofRejected(Exception):
    """Why a proof shows nothing."""


def demand(holds, reason):
    if not holds:
        raise ProofRejected(reason)


def digest(proof):
    """SHA-256 of all that a proof says, its digest left out."""
    content = {name: value for name, value in proof.items() if name != "digest"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


# ------------------------------------------------------------------------------------- the table


def numbers(name, texts):
    """Values of a column, NaN where there is none."""
    try:
        return np.array([np.nan if t in MISSING else float(t) for t in texts])
    except ValueError:
        raise ProofRejected(f"column {name!r} of the table holds text") from None


def label(text):
    """A text of a category or class: whole numbers are the same however they are written."""
    try:
        return str(int(float(text))) if float(text) % 1 == 0 else text
    except ValueError:
        return text


def subsets(codes, most):
    """Categories that go left: any subset that holds the lowest, or each alone if they are many."""
    if len(codes) > most:
        return [{code} for code in codes]
    rest = codes[1:]
    chosen = [bits[::-1] for bits in product((False, True), repeat=len(rest))][:-1]
    return [{codes[0], *(c for c, bit in zip(rest, bits, strict=True) if bit)} for bits in chosen]


def tests_of(values, is_category, routed, most_subsets):
    """Columns of tests of one variable: ranks, of which those below a threshold go left.

    Yields (rank, highest threshold, rows that a test divides).
    """
    absent = np.isnan(values)
    if absent.all():
        return
    levels = np.unique(values[~absent])
    place = np.searchsorted(levels, np.where(absent, levels[0], values))
    divided = absent if absent.any() and not routed else None
    for side in ("left", "right") if routed and absent.any() else ("as it is",):
        whether_missing = side == "right"  # is a test, too
        if not is_category:
            highest = len(levels) - 1 + whether_missing
            if highest:
                rank = np.where(absent, len(levels) if whether_missing else 0, place)
                yield rank, highest, divided
            continue
        lefts = subsets(list(range(len(levels))), most_subsets)
        for left in [*lefts, set(range(len(levels)))] if whether_missing else lefts:
            rank = ~np.isin(place, list(left))
            yield np.where(absent, side != "left", rank).astype(int), 1, divided


class Table:
    """Rows, classes and all tests, from the bytes of a CSV file.

    variables, categories, target: which columns are read, and how.
    """

    def __init__(self, content, variables, categories, target, routed, most_subsets):
        rows = [row for row in csv.reader(io.StringIO(content.decode("utf-8-sig"))) if row]
        demand(len(rows) > 1, "the table has no row")
        demand(len({len(row) for row in rows}) == 1, "lines of the table differ in length")
        cells = dict(zip(rows[0][::-1], list(zip(*rows[1:], strict=True))[::-1], strict=True))
        demand({target, *variables} <= set(cells), "the table lacks a column that the proof names")
        demand(target not in variables, "the proof takes the class for a variable")
        tests = []
        self.in_part = False  # not all subsets of categories; of three, each alone makes all
        for name in variables:
            if name in categories:
                codes = {label(text): str(code) for code, text in enumerate(categories[name])}
                texts = ["" if t in MISSING else codes.get(label(t), str(len(codes)))
                         for t in cells[name]]  # fmt: skip
            else:
                texts = cells[name]
            values = numbers(name, texts)
            demand(not np.isinf(values).any(), f"column {name!r} holds an infinite value")
            tests += tests_of(values, name in categories, routed, most_subsets)
            n_levels = len(np.unique(values[~np.isnan(values)]))
            self.in_part |= name in categories and n_levels > max(most_subsets, 3)
        _, self.label = np.unique([label(t) for t in cells[target]], return_inverse=True)
        self.n_rows, self.n_classes = len(self.label), int(self.label.max()) + 1
        self.loose = any(absent is not None for *_, absent in tests)
        none = np.zeros(self.n_rows, dtype=bool)
        if not tests:  # a column without a test
            tests = [(np.zeros(self.n_rows, dtype=int), 0, None)]
        self.absent = np.array([none if absent is None else absent for *_, absent in tests])
        self.highest = np.array([highest for _, highest, _ in tests])
        self.rank = np.array([rank for rank, *_ in tests], dtype=np.int32)
        self.rank[self.absent] = self.n_rows + 1  # below no threshold
        self.order = np.argsort(self.rank, axis=1, kind="stable")
        short = np.int16 if self.n_rows < 1 << 15 else np.int32
        self.weight = np.ones(self.n_rows, dtype=float if self.loose else short)


# -------------------------------------------------------------------------------------- the proof


class Check:
    """Bounds of the claims of a proof, one after the other."""

    def __init__(self, table, depth, objective, leaf_penalty):
        self.table, self.depth, self.objective = table, depth, objective
        self.leaf_penalty = leaf_penalty * table.n_rows
        self.steepest = {"errors": 1.0, "gini": 2.0, "log_loss": np.inf}[objective]
        self.claims = []  # of each claim: depth, drop, path, weight of its rows, bound
        i = np.arange(table.n_rows + 1)
        self.n_log_n = i * np.log(np.maximum(i, 1))

    def leaf(self, counts):
        """Cost of leaves, the penalty left out. counts: weight of each class, a list of arrays."""
        total = sum(counts[1:], counts[0])
        if self.objective == "errors":
            largest = counts[0]
            for c in counts[1:]:
                largest = np.maximum(largest, c)
            return total - largest
        if self.objective == "gini":
            squares = sum(c * c.astype(float) for c in counts)
            return total - squares / np.where(total > 0, total, 1)
        if not self.table.loose:
            return self.n_log_n[total] - sum(self.n_log_n[c] for c in counts)
        n_log_n = [c * np.log(np.where(c > 0, c, 1.0)) for c in (total, *counts)]
        return n_log_n[0] - sum(n_log_n[1:])

    def split(self, rows, weight, columns, thresholds, drop):
        """Weights of rows in both branches of tests, two (n_rows, n_tests) arrays."""
        left = weight[:, None] * (self.table.rank[columns][:, rows] < thresholds[:, None]).T
        right = weight[:, None] - left
        absent = self.table.absent[columns][:, rows].T
        if absent.any():
            share = 0.0
            if not drop:
                available = np.where(absent, 0.0, weight[:, None]).sum(axis=0)
                share = left.sum(axis=0) / np.where(available > 0, available, 1.0)
            left = np.where(absent, share * weight[:, None], left)
            right = np.where(absent, 0.0 if drop else weight[:, None] - left, right)
        return left, right

    def arranged(self, rows):
        """Rows of a node by each column: places in `rows`, and whether a test is before each."""
        table = self.table
        inside = np.zeros(table.n_rows, dtype=bool)
        inside[rows] = True
        place = np.cumsum(inside) - 1
        order = table.order[inside[table.order]].reshape(len(table.order), len(rows))
        rank = np.take_along_axis(table.rank, order, axis=1)
        tested = np.zeros(rank.shape, dtype=bool)
        tested[:, 1:] = (rank[:, 1:] != rank[:, :-1]) & (rank[:, 1:] <= table.n_rows)
        return place[order], tested

    def stumps(self, rows, branches, place, tested, drop):
        """Least cost of a tree of one test or none for each branch of tests.

        branches: weights of rows, (n_rows, n_tests), of one branch or of both
        Returns an array of n_tests costs for each.
        """
        table = self.table
        column = np.nonzero(tested)[0]
        absent = table.absent[:, rows].astype(float) if table.loose else None
        every = None  # of the rows of both branches, where each row is in one
        if len(branches) == 2 and not table.loose:
            every = self.counts(rows, (branches[0] + branches[1])[:, :1], place, tested)
        least = np.empty((len(branches), branches[0].shape[1]))
        step = max(1, AT_ONCE // place.size)
        for start in range(0, least.shape[1], step):
            counts = None
            for side, branch in enumerate(branches):
                if side and every is not None:
                    counts = [[e - c for e, c in zip(*pair, strict=True)]
                              for pair in zip(every, counts, strict=True)]  # fmt: skip
                else:
                    counts = self.counts(rows, branch[:, start : start + step], place, tested)
                total, below = counts
                best = self.leaf(total) + self.leaf_penalty
                if table.loose:
                    away = [
                        absent @ c for c in self.by_class(rows, branch[:, start : start + step])
                    ]
                    best = self.divided(best, away, total, below, column, drop)
                elif len(column):
                    costs = self.pair(total, below)
                    best = np.minimum(best, costs.min(axis=0) + 2 * self.leaf_penalty)
                least[side, start : start + step] = best
        return least

    def by_class(self, rows, weights):
        """Weights of rows, (n_rows, n_tests), those of each class apart."""
        label = self.table.label[rows]
        classes = range(self.table.n_classes)
        return [weights * (label == k)[:, None].astype(weights.dtype) for k in classes]

    def counts(self, rows, weights, place, tested):
        """Weight of each class in all, and on the left of each stump, (n_stumps, n_tests)."""
        of_class = self.by_class(rows, weights)
        total = [c.sum(axis=0, dtype=c.dtype) for c in of_class]
        before, order = np.flatnonzero(tested) - 1, place.ravel()
        below = []
        for c in of_class:
            running = c.take(order, axis=0).reshape(*place.shape, -1)
            np.cumsum(running, axis=1, dtype=c.dtype, out=running)
            below.append(running.reshape(len(order), -1).take(before, axis=0))
        return total, below

    def pair(self, total, below):
        """Costs of both leaves of stumps, penalties left out."""
        if self.objective != "errors":
            return self.leaf(below) + self.leaf([t - c for t, c in zip(total, below, strict=True)])
        left, right = below[0], total[0] - below[0]
        for t, c in zip(total[1:], below[1:], strict=True):
            left = np.maximum(left, c)
            right = np.maximum(right, t - c)
        return (sum(total) - (left + right).max(axis=0))[None]  # the least alone

    def divided(self, best, away, total, below, column, drop):
        """The least cost of stumps that divide rows, or drop them.

        away: weight of each class without a value, (n_columns, n_tests)
        """
        available = [np.maximum(t - a, 0.0) for t, a in zip(total, away, strict=True)]
        left, mass = sum(below), sum(available)[column]
        above = [np.maximum(k[column] - c, 0.0) for k, c in zip(available, below, strict=True)]
        divides = (left > 1e-12 * mass) & (mass - left > 1e-12 * mass)
        if drop:  # of a column that some lack, all that do not on one side
            costs = np.where(sum(away) > 0, self.leaf(available), np.inf)
            best = np.minimum(best, costs.min(axis=0) + 2 * self.leaf_penalty)
        else:
            share = left / np.where(mass > 0, mass, 1.0)
            below = [c + share * a[column] for c, a in zip(below, away, strict=True)]
            above = [c + (1.0 - share) * a[column] for c, a in zip(above, away, strict=True)]
        costs = np.where(divides, self.leaf(below) + self.leaf(above), np.inf)
        return np.minimum(best, costs.min(axis=0, initial=np.inf) + 2 * self.leaf_penalty)

    def claim(self, number, depth, drop, path, tests):
        """Take a claim: what no tree of its depth on its rows costs less than."""
        table = self.table
        demand(1 <= depth <= self.depth and len(path) == self.depth - depth,
               f"claim {number} is of no depth that its path leads to")  # fmt: skip
        weight, dropped = table.weight, False
        for column, threshold, side, dropping in path:
            self.check_test(number, column, threshold)
            demand(side in (0, 1) and dropping in (0, 1) and dropping >= dropped,
                   f"claim {number} has no path")  # fmt: skip
            pair = self.split(np.arange(table.n_rows), weight, np.array([column]),
                              np.array([threshold]), dropping)  # fmt: skip
            weight, dropped = pair[side][:, 0], dropping
        demand(drop in (0, 1) and dropped <= drop <= table.loose,
               f"claim {number} is of no known problem")  # fmt: skip
        bound = self.bound(number, depth, drop, path, tests, weight)
        self.claims.append((depth, drop, path, weight, bound))
        return bound

    def check_test(self, number, column, threshold):
        """Refuse a test that the table does not have."""
        exists = 0 <= column < len(self.table.rank) and 0 <= threshold <= self.table.highest[column]
        demand(exists, f"claim {number} names a test that the table does not have")

    def bound(self, number, depth, drop, path, tests, weight):
        """The bound of a claim about rows of these weights."""
        table = self.table
        rows = np.flatnonzero(weight > 0)
        if not len(rows):
            return self.leaf_penalty
        w = weight[rows]
        counts = [np.atleast_1d(w[table.label[rows] == k].sum()) for k in range(table.n_classes)]
        leaf = float(self.leaf(counts)[0]) + self.leaf_penalty
        place, tested = self.arranged(rows)
        if depth == 1:
            demand(not tests, f"claim {number} has tests that it does not need")
            return float(self.stumps(rows, [w[:, None]], place, tested, drop)[0, 0])
        # Weight on the left of each test; `left`, `right`: bounds of the branches.
        mass = np.zeros(place.shape)
        np.cumsum(w[place][:, :-1], axis=1, out=mass[:, 1:])
        divides = tested.copy()
        if table.loose:
            away = table.absent[:, rows] @ w
            divides[:, 0] = drop and away > 0  # drops the rest, and leaves all others together
            available = w.sum() - away
            mass *= 1.0 if drop else (1.0 + away / np.where(available > 0, available, 1.0))[:, None]
        left, right = np.full((2, *place.shape), self.leaf_penalty)
        same_rows = np.zeros((2, *place.shape))
        if tests:
            for test in tests:
                self.check_test(number, *test[:2])
            columns, thresholds = np.array([test[:2] for test in tests]).T
            at = (table.rank[columns][:, rows] < thresholds[:, None]).sum(axis=1)
            demand((at < len(rows)).all() and divides[columns, at].all(),
                   f"claim {number} names a test that divides nothing there")  # fmt: skip
            if depth == 2:
                demand(all(len(test) == 2 for test in tests), f"claim {number} has odd tests")
                pair = self.split(rows, w, columns, thresholds, drop)
                floors = self.stumps(rows, pair, place, tested, table.loose)
                if table.loose and not drop:
                    same_rows[:, columns, at] = self.stumps(rows, pair, place, tested, False)
            else:
                branch_bounds = [self.branches(number, depth, drop, path, t, weight) for t in tests]
                floors, same_rows[:, columns, at] = np.split(np.array(branch_bounds).T, 2)
            for bounds, floor in ((left, floors[0]), (right, floors[1])):
                np.maximum.at(bounds, (columns, at), floor)
        left = self.carried(left, mass)
        right = self.carried(right[:, ::-1], -mass[:, ::-1])[:, ::-1]
        cover = np.maximum(left, same_rows[0]) + np.maximum(right, same_rows[1])
        return min(leaf, cover[divides].min(initial=np.inf))

    def carried(self, bounds, mass):
        """Bounds of one branch of all tests of a column, in the order in which it grows."""
        grown = np.maximum.accumulate(bounds, axis=1)
        if self.steepest == np.inf:
            return grown
        lost = np.maximum.accumulate((bounds - self.steepest * mass)[:, ::-1], axis=1)[:, ::-1]
        return np.maximum(grown, lost + self.steepest * mass)

    def branches(self, number, depth, drop, path, test, weight):
        """Bounds of both branches from claims: for more rows as well, then of these rows alone."""
        demand(len(test) == (6 if self.table.loose else 4), f"claim {number} has odd tests")
        column, threshold = test[:2]
        rows = np.arange(self.table.n_rows)
        pair = self.split(rows, weight, np.array([column]), np.array([threshold]), drop)
        bounds = [self.leaf_penalty] * 4
        for place, other in enumerate(test[2:]):
            if other == -1:
                continue
            side = place % 2
            demand(0 <= other < number, f"claim {number} rests on one that is not before it")
            claim_depth, claim_drop, claim_path, claim_weight, bound = self.claims[other]
            demand(claim_depth == depth - 1, f"claim {number} rests on one of another depth")
            if place < 2:
                demand(claim_drop == self.table.loose, f"claim {number} rests on a wrong problem")
                lost = np.maximum(claim_weight - pair[side][:, 0], 0).sum()
                lost = self.steepest * float(lost) if lost > 0 else 0.0
                bounds[place] = max(self.leaf_penalty, bound - lost)
            else:
                same = claim_path == [*path, [column, threshold, side, 0]]
                demand(same and not drop and not claim_drop, f"claim {number} rests on other rows")
                bounds[place] = bound
        return bounds


def check(text, content):
    """Check a proof, a JSON text, against the bytes of a table; what it shows, in one sentence.

    Raises
    ------
    Refused
    """
    try:
        proof = json.loads(text)
        demand((proof["format"], proof["version"]) == (FORMAT, VERSION), "this is no proof")
        demand(proof["data"] == hashlib.sha256(content).hexdigest(),
               "the table is not the one that the proof is about")  # fmt: skip
        demand(proof["digest"] == digest(proof), "the proof was altered after it was written")
        depth, bound, penalty = proof["depth"], float(proof["bound"]), float(proof["leaf_penalty"])
        demand(depth >= 0 and 0 <= penalty < np.inf and proof["most_subsets"] <= 12,
               "depth, penalty of a leaf or number of subsets is out of range")  # fmt: skip
        demand(proof["missing"] in ("divided", "routed"), "missing values are neither way")
        table = Table(content, proof["variables"], proof["categories"], proof["target"],
                      proof["missing"] == "routed", proof["most_subsets"])  # fmt: skip
        demand(table.n_rows == proof["rows"], "the table has another number of rows")
        checked = Check(table, depth, proof["objective"], penalty)
        if depth == 0:
            counts = np.bincount(table.label)[:, None]
            shown = float(checked.leaf(list(counts))[0]) + checked.leaf_penalty
        for number, claim in enumerate(proof["claims"]):
            shown = checked.claim(number, *claim)
        if depth:  # the last claim is about all rows
            demand(
                checked.claims and checked.claims[-1][:3] == (depth, 0, []), "no claim is of all"
            )
    except NOT_IN_FORM as error:
        raise ProofRejected(f"the proof is not in its form ({error!r})") from None
    demand(shown >= bound - ROUNDING * table.n_rows,
           f"only a cost of {shown:.9g} is shown, not {bound:.9g}")  # fmt: skip
    unit = {"errors": "errors", "log_loss": "log loss (nats)", "gini": "weight times Gini index"}
    penalised = f", {penalty:g} of {table.n_rows} for each leaf" if penalty else ""
    many = (f" (of more than {proof['most_subsets']} categories one against the others)"
            if table.in_part else "")  # fmt: skip
    return (f"no tree of depth {depth} on {table.n_rows} rows and {len(proof['variables'])} "
            f"variables{many}, missing values {proof['missing']}, costs less than {bound:.9g} "
            f"({unit[proof['objective']]}{penalised})")  # fmt: skip


def main(arguments):
    if len(arguments) != 2:
        print("usage: python check_proof.py PROOF.json TABLE.csv", file=sys.stderr)
        return 2
    try:
        with open(arguments[0], encoding="utf-8") as file:
            text = file.read()
        with open(arguments[1], "rb") as file:
            content = file.read()
        print(f"confirmed: {check(text, content)}")
    except (ProofRejected, OSError, UnicodeDecodeError) as error:
        print(f"refused: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
