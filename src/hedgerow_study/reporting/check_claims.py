"""Judge claims a second time: from rows and rules to verdicts, in one file without hedgerow.

    python check_claims.py FOLDER [CLAIMS.csv]

`hedgerow claims FOLDER` writes FOLDER: rules.json, a file EXPERIMENT/FRAME.csv for each frame and
published.csv. CLAIMS.csv, such as reports/claims.csv of a run, has the verdicts to compare.
docs/claims.md explains rules, frames and tests. What cannot be judged is listed with the reason.
Exit code 0: each verdict that was computed agrees. 1: one differs. 2: a file cannot be read.
"""

import csv
import io
import json
import math
import re
import sys
from collections import Counter, defaultdict
from functools import partial
from itertools import count, pairwise, permutations, product
from operator import add, eq, ge, gt, le, lt, mul
from pathlib import Path

CLAIM_KEYS = "measures reproduced partly measured fewest printed shown statement not_testable"
MEASURE_KEYS = "of where minus by test lacking between ratio read along above among"
DIFFERENCE = "mean first second ratio wins losses share differ min max span"
ALONG = ["least_step", "change", "last", "spearman"]
KINDS = ("read", "among", "above")
EXACT_BLOCKS = {2: 500, 3: 100, 4: 20, 5: 8, 6: 5, 7: 2, 8: 2}  # of Friedman's test, by groups
MOST_BYTES, MOST_CELLS, MOST_WAYS = 500_000_000, 10_000, 50_000
ROUNDING = 1e-12  # of the largest value: what is closer is tied
NUMBER, SIGN = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?", r"(<=|>=|<|>|=)\s*"
RELATIONS = {"<=": le, ">=": ge, "<": lt, ">": gt, "=": eq}
BOUND = re.compile(SIGN + f"({NUMBER})")
QUANTITY = r"[a-z]\w*\.[a-z_]+(?:\[[^\]]*\])?"
CHAIN = re.compile(rf"({NUMBER})\s*<(=?)\s*({QUANTITY})\s*(<=?\s*{NUMBER})")
COMPARED = re.compile(rf"({QUANTITY}(?:\s*,\s*{QUANTITY})*)\s*{SIGN}({NUMBER}|{QUANTITY})")
CERTAIN = [False, None, True].index  # orders answers; None is not known


def demand(holds, reason):
    """Refuse a file that cannot be read, or a claim that cannot be judged."""
    if not holds:
        raise ValueError(reason)


def ranks(values, tolerance=0.0):
    """Doubled ranks, 2 for the smallest; neighbours within a tolerance share their mean rank."""
    order, twice, start = sorted(range(len(values)), key=values.__getitem__), [0] * len(values), 0
    for end in range(1, len(values) + 1):
        if end == len(values) or values[order[end]] - values[order[end - 1]] > tolerance:
            for place in order[start:end]:
                twice[place] = start + 1 + end
            start = end
    return twice


def ways(blocks, added=add, zero=0):
    """In how many ways one choice from each block gives each sum."""
    counts = Counter([zero])
    for choices in blocks:
        demand(len(counts) <= MOST_WAYS, "a test of too many values")
        pairs, counts = product(counts.items(), Counter(choices).items()), Counter()
        for (x, n), (y, m) in pairs:
            counts[added(x, y)] += n * m
    return counts


def p_of(counts, reached, alternative):
    """The p of a sum, from the number of ways to each sum, all of which have the same chance."""
    both = [sum(n for x, n in counts.items() if beyond(x, reached)) for beyond in (ge, le)]
    greater, less = (n / sum(counts.values()) for n in both)
    two_sided = min(1.0, 2 * min(greater, less))
    return {"greater": greater, "less": less, "two-sided": two_sided}[alternative]


def signs(weights, alternative):
    """The p of a sum of weights, each of which has either sign with the same chance."""
    counts = ways([0, abs(w)] for w in weights)
    return p_of(counts, sum(w for w in weights if w > 0), alternative)


def wilcoxon(first, second, alternative):
    """The p of Wilcoxon's signed-rank test: zeros are dropped, ties share their rank."""
    tolerance = ROUNDING * max(map(abs, first + second))
    d = [a - b for a, b in zip(first, second, strict=True) if abs(a - b) > tolerance]
    rank = ranks([abs(x) for x in d], tolerance)
    return signs([r if x > 0 else -r for r, x in zip(rank, d, strict=True)], alternative)


def page(blocks):
    """The p of Page's test of a rise along columns, and its least."""
    n, k = len(blocks), len(blocks[0])
    rank = [ranks(block, ROUNDING * max(map(abs, block))) for block in blocks]
    reached = sum(sum(map(mul, row, count(1))) for row in rank)
    if n <= 50 and k <= 8:
        sums = ([sum(map(mul, row, count(1))) for row in permutations(block)] for block in rank)
        return p_of(ways(sums), reached, "greater"), float(math.factorial(k)) ** -n
    spread, largest = k * (k + 1) * math.sqrt(n * (k - 1) / 36), n * k * (k + 1) * (2 * k + 1) / 3
    z = ((x - n * k * (k + 1) ** 2 / 2) / spread for x in (reached, largest))
    return tuple(math.erfc(x / math.sqrt(2)) / 2 for x in z)


def friedman(blocks):
    """The p of Friedman's test, which the order of columns does not change."""
    n, k, squares = len(blocks), len(blocks[0]), Counter()
    demand(n <= EXACT_BLOCKS.get(k, 0), f"a Friedman test of {n} blocks and {k} columns")
    rank = [ranks(block, ROUNDING * max(map(abs, block))) for block in blocks]
    counts = ways(map(permutations, rank), lambda x, y: tuple(sorted(map(add, x, y))), (0,) * k)
    for sums, n in counts.items():
        squares[sum(x * x for x in sums)] += n
    return p_of(squares, sum(sum(row) ** 2 for row in zip(*rank, strict=True)), "greater")


def load(path, parse):
    """What a file holds."""
    demand(path.is_file() and path.stat().st_size <= MOST_BYTES, f"there is no file {path.name}")
    try:
        return parse(path.read_text(encoding="utf-8"))
    except (OSError, RecursionError, ValueError, csv.Error) as error:
        raise ValueError(f"{path.name}: {error}") from None


def typed(texts):
    """Cells of a column: numbers, or true and false, or texts; NA is missing."""
    given = {text for text in texts if text not in ("", "NA")}
    if given and all(re.fullmatch(rf"{NUMBER}|[-+]?inf|true|false", text) for text in given):
        of = {"true": True, "false": False, "": None, "NA": None}
        return [of[text] if text in of else float(text) for text in texts]
    return [None if text == "NA" else text for text in texts]


def frame_of(path):
    """Columns and rows of a CSV file."""
    lines = load(path, lambda text: [*filter(None, csv.reader(io.StringIO(text), strict=True))])
    fine = len({*map(len, lines)}) == 1 and len({*lines[0]}) == len(lines[0])
    demand(fine, f"{path.name}: lines differ in length, or a column stands there twice")
    rows = zip(*map(typed, zip(*lines[1:], strict=True)), strict=True)
    return lines[0], [dict(zip(lines[0], row, strict=True)) for row in rows]


def select(rows, where):
    """Rows that have a value, one of a list, or a number within a bound."""
    for column, wanted in where.items():
        given = [row for row in rows if row[column] is not None]
        if bound := isinstance(wanted, str) and BOUND.fullmatch(wanted):
            rows = [row for row in given if RELATIONS[bound[1]](row[column], float(bound[2]))]
        else:
            wanted = wanted if isinstance(wanted, list) else [wanted]
            rows = [row for row in given if row[column] in wanted]
    return rows


def values_of(rows, where, key):
    """Values of selected rows by the columns that tell them apart."""
    rows = select(rows, where)
    values = {tuple(row[column] for column in key): row["value"] for row in rows}
    demand(len(values) == len(rows), f"several rows for one {' and '.join(key) or 'cell'}")
    return values


def same(value, text):
    """Whether a text in a rule means a value."""
    number = float(text) if re.fullmatch(NUMBER, text) else text
    return value in (text, number) or json.dumps(value) == text


class Measure:
    """What is found of a rule about rows: numbers of each cell, as far as they are known."""

    def __init__(self, rule, frame):
        demand({*rule} <= {*MEASURE_KEYS.split()}, f"a measure with {', '.join(rule)}")
        self.rule, self.where, self.minus = rule, rule.get("where", {}), rule.get("minus", {})
        self.available, (self.columns, self.rows) = frame is not None, frame or ([], [])
        self.test, _, self.alternative = rule.get("test", "").partition(" ")
        self.untested = lambda *_: demand(False, f"the test `{rule.get('test')}`")
        self.sides, self.p = 1 + (self.alternative == "two-sided"), ["p"] if self.test else []
        self.datasets, self.n_read = set(), 0
        listed = {c: v for c, v in self.where.items() if isinstance(v, list)}
        self.by = rule.get("by", [c for c in listed if c != rule.get("among")])
        self.inside = [c for c in listed if c not in self.by]
        rows = select(self.rows, self.where)
        axes = {c: listed.get(c) or sorted({row[c] for row in rows}) for c in self.by}
        axes |= {f"minus_{c}": v for c, v in self.minus.items() if isinstance(v, list)}
        demand(math.prod(map(len, axes.values())) <= MOST_CELLS, "a measure of too many cells")
        cells = [dict(zip(axes, key, strict=True)) for key in product(*axes.values())]
        of_cell = getattr(self, next((k for k in KINDS if k in rule), "difference"))
        self.cells = [(c, of_cell(c, self.where | {k: c[k] for k in self.by})) for c in cells]
        self.lines = [*self.along(rule["along"])] if "along" in rule else []

    def difference(self, cell, here):
        """Differences of rows that are the same but for some columns, and their test."""
        other = dict(here)
        for column, value in self.minus.items():
            if isinstance(value, dict):
                value = next((v for k, v in value.items() if same(here[column], k)), None)
            other[column] = cell.get(f"minus_{column}", value)
        fixed = {c for c, v in here.items() if not (isinstance(v, list) or BOUND.fullmatch(str(v)))}
        key = [c for c in self.columns if c not in {*fixed, *self.minus, "value"}]
        one = values_of(self.rows, here, key)
        two = values_of(self.rows, other, key) if self.minus else dict.fromkeys(one, 0.0)
        keys = [k for k in one if one[k] is not None and two.get(k) is not None]
        combined = {tuple(k[key.index(c)] for c in self.inside) for k in keys}
        if len(combined) < math.prod(len(self.where[c]) for c in self.inside):
            keys = []  # a mean of some would be of something else
        pairs = {k: round(one[k] - two[k], 9) for k in keys}
        if not keys:
            return dict.fromkeys(DIFFERENCE.split() + self.p) | {"n": 0, "#pairs": {}}
        of = [k[key.index("dataset")] for k in keys] if "dataset" in key else [here.get("dataset")]
        self.datasets |= (sets := {*of} - {None})
        d, first, second = [*pairs.values()], [one[k] for k in keys], [two[k] for k in keys]
        mean, a, b = (math.fsum(v) / len(d) for v in (d, first, second))
        wins, differ = sum(x > 0 for x in d), sum(x != 0 for x in d)
        line = {"n": len(d), "mean": round(mean, 9), "first": a, "differ": differ}
        line |= {"wins": wins, "losses": differ - wins, "share": wins / len(d)}
        line |= {"min": min(d), "max": max(d), "span": max(d) - min(d), "#pairs": pairs}
        line |= {"second": b if self.minus else None, "ratio": a / b if b else None}
        if self.test:
            line["#least"] = min(1.0, self.sides * 0.5 ** (len(sets) or len(d)))
            tests = {"sign": (signs, [(x > 0) - (x < 0) for x in d if x])}
            tests["wilcoxon"] = wilcoxon, first, second
            line["p"] = partial(*tests.get(self.test, [self.untested]), self.alternative)
        return line

    def along(self, column):
        """How means go along a column, and Page's test of what all of its values have."""
        lines = defaultdict(list)
        for cell, numbers in self.cells:
            lines[tuple((c, v) for c, v in cell.items() if c != column)].append(numbers)
        for cell, line in lines.items():
            means, pairs = ([numbers.get(key) for numbers in line] for key in ("mean", "#pairs"))
            trend = dict.fromkeys(ALONG + self.p) | {"last": means[-1]}
            if None not in (means[0], means[-1]):
                trend["change"] = means[-1] - means[0]
            if None not in means:
                trend["least_step"] = min(b - a for a, b in pairwise(means))
                x, y = ([r - len(means) - 1 for r in ranks(v)] for v in (self.where[column], means))
                spread = math.sqrt(sum(map(mul, x, x)) * sum(map(mul, y, y)))
                trend["spearman"] = sum(map(mul, x, y)) / spread if spread else 0.0
                blocks = [[p[k] for p in pairs] for k in pairs[0] if all(k in p for p in pairs)]
                if len(blocks) > 1 and len(means) > 2 and self.test:
                    demand(self.test == "page", f"the test `{self.test}`")
                    trend["p"], trend["#least"] = page(blocks)
            yield dict(cell), trend

    def above(self, cell, here):
        """The mean of rows less the largest mean of some others, all of which have to be known."""
        axes = {c: v if isinstance(v, list) else [v] for c, v in self.rule["above"].items()}
        others = [dict(zip(axes, part, strict=True)) for part in product(*axes.values())]
        rows = [select(self.rows, here | other) for other in [{}, *others]]
        values = [[row["value"] for row in part if row["value"] is not None] for part in rows]
        means = [math.fsum(part) / len(part) for part in values] if all(values) else []
        return {"mean": means[0] - max(means[1:]) if means else None}

    def among(self, cell, here):
        """Friedman's test of groups over data sets that have all of them."""
        values = values_of(self.rows, here, ["dataset", self.rule["among"]])
        groups = self.where[self.rule["among"]]
        blocks = {d: [values.get((d, group)) for group in groups] for d, _ in values}
        blocks = {d: block for d, block in blocks.items() if None not in block}
        self.datasets |= {*blocks}
        least = float(math.factorial(len(groups))) ** (1 - len(blocks)) if blocks else None
        p = self.untested if self.test != "friedman" else lambda: friedman([*blocks.values()])
        return {"p": p if blocks else None, "#least": least, "n": len(blocks)}

    def read(self, cell, here):
        """What another step has computed, one row per cell."""
        rows, asked = select(self.rows, here), self.rule["read"]
        demand(len(rows) < 2, "several rows for one cell")
        line = {a: rows[0][column] if rows else None for a, column in asked.items()}
        n = int(line.get("n") or 0)
        self.n_read = max(self.n_read, n)
        least = min(1.0, self.sides * 0.5**n) if self.test and n else None
        return line | {"#least": line.get("least", least)}


class Claim:
    """A claim on frames."""

    def __init__(self, rule, of, frames):
        demand({*rule} <= {*CLAIM_KEYS.split()}, f"a claim with {', '.join(rule)}")
        self.rule, self.measures = rule, {}
        for name, one in sorted(rule["measures"].items(), key=lambda item: "ratio" in item[1]):
            frame = None if {"ratio", "between"} & {*one} else frames.get(one.get("of", of))
            self.measures[name] = read = Measure(one, frame)
            if "between" in one:
                read.cells, read.available = [({}, {"p": read.untested})], True
            if "ratio" in one:
                (a, *more), (b, *others) = map(self.value, one["ratio"])
                fine = not more and not others and None not in (a, b) and b
                read.cells, read.available = [({}, {"value": a / b if fine else None})], True

    def value(self, text, attribute=None):
        """Numbers of a quantity, such as `gain.mean[method=ss]`, in its cells."""
        name, key, inside = re.fullmatch(r"(\w+)\.(\w+)(?:\[(.*)\])?", text.strip()).groups()
        measure, wanted = self.measures[name], [w.split("=") for w in (inside or "=").split(",")]
        cells = measure.lines if key in ALONG + measure.p and measure.lines else measure.cells
        demand(not cells or any(key in v for _, v in cells), f"there is no `{name}.{key}`")
        fine = [all(same(c[k.strip()], w.strip()) for k, w in wanted if k) for c, _ in cells]
        numbers = [v.get(attribute or key) for (_, v), f in zip(cells, fine, strict=True) if f]
        return [(v() if callable(v) else v) if measure.available else None for v in numbers]

    def compared(self, text):
        """Answers in each cell: true, false, or None where the data cannot say."""
        demand(COMPARED.fullmatch(text.strip()), f"`{text}` is no comparison")
        left, sign, right = COMPARED.fullmatch(text.strip()).groups()
        relation, bound = RELATIONS[sign], float(right) if re.fullmatch(NUMBER, right) else None
        for quantity in re.findall(QUANTITY, left):
            attribute, values = re.search(r"\.(\w+)", quantity)[1], self.value(quantity)
            bounds = [bound] if bound is not None else self.value(right)
            bounds *= len(values) if len(bounds) == 1 else 1
            least, n = (self.value(quantity, a) for a in ("#least", "n"))
            for v, b, p, of in zip(values, bounds, least, n, strict=True):
                fine = v is not None and b is not None
                if bound is not None and attribute == "p":  # can so few data sets have it?
                    fine &= p is None or p < bound
                elif bound is not None and attribute in ("wins", "losses", "differ"):
                    fine &= of is None or ">" not in sign or relation(of, bound)
                digits = 99 if attribute == "p" else 9
                yield relation(round(v, digits), round(b, digits)) if fine else None

    def holds(self, condition):
        """Whether a condition holds; None where the data cannot say."""
        if isinstance(condition, dict):
            demand({*condition} in ({"any"}, {"at least", "of"}), f"{condition} is no condition")
            cells = [self.holds(one) for one in condition.get("any") or condition["of"]]
            at = least = condition.get("at least", 1)
        else:
            pattern = r"(.*?)(?:\s+at\s+(all|none|\d+))?"
            body, at = re.fullmatch(pattern, CHAIN.sub(r"\3 >\2 \1 and \3 \4", condition)).groups()
            parts = [self.compared(part) for part in body.split(" and ")]
            cells = [min(row, key=CERTAIN) for row in zip(*parts, strict=True)]
            measures = [self.measures[q.partition(".")[0]] for q in re.findall(QUANTITY, body)]
            datasets = [m.where.get("dataset") for m in measures if "dataset" in m.by]
            if datasets and not isinstance(datasets[0], (list, str)):  # data sets that there are
                cells = [answer for answer in cells if answer is not None]
            least = int(at) if at not in (None, "all", "none") else len(cells)
        fine = len(cells) == 1 if at is None else least <= len(cells) or not cells
        demand(fine, f"`{condition}` on {len(cells)} cells")
        if at == "none":
            cells = [None if answer is None else not answer for answer in cells]
        sure, unknown = cells.count(True), cells.count(None)
        return None if not cells else sure >= least or (None if sure + unknown >= least else False)

    def verdict(self):
        """The verdict that the conditions give."""
        measures, fewest = self.measures.values(), self.rule.get("fewest", 1)
        n = max(len(set().union(*(m.datasets for m in measures))), *(m.n_read for m in measures))
        for words, least in (fewest if isinstance(fewest, dict) else {"data sets": fewest}).items():
            if words != "data sets":
                quantity, _, least = least.partition(">=")
                n = sum(v for v in self.value(quantity) if v is not None)
            if n < int(least) and (n or words != "data sets"):
                return "inconclusive"
        whole = min(map(self.holds, self.rule["reproduced"]), key=CERTAIN)
        part = "partly" in self.rule and min(map(self.holds, self.rule["partly"]), key=CERTAIN)
        if whole is None or (not whole and part is None):
            return "inconclusive"
        return "reproduced" if whole else "partly" if part else "not reproduced"


def check(folder, claims=""):
    """Print a line for each claim and what they add up to; whether no verdict differs."""
    judged, counts = {}, Counter()
    for experiment, section in load(folder / "rules.json", json.loads)["claims"].items():
        demand(experiment.isidentifier(), "rules.json: an experiment has another name")
        frames = {path.stem: frame_of(path) for path in sorted(folder.glob(f"{experiment}/*.csv"))}
        for name, rule in section["claims"].items():
            try:
                judged[name] = "not testable", ""
                if "not_testable" not in rule:
                    demand(frames, "its experiment has no frame")
                    judged[name] = Claim(rule, section.get("of", "rows"), frames).verdict(), ""
            except Exception as error:  # whatever a rule or a frame of somebody else may hold
                judged[name] = "", str(error) if isinstance(error, ValueError) else repr(error)
    rows = frame_of(Path(claims))[1] if claims else []
    listed = {row["claim"]: row["verdict"] for row in rows}
    demand(len(listed) == len(rows), f"{claims} has a claim twice")
    published = folder.glob("published.csv")
    papers = [row["claim_id"] for path in published for row in frame_of(path)[1]]
    judged |= {name: ("", "it has no rule") for name in [*papers, *listed] if name not in judged}
    for name, (verdict, reason) in judged.items():
        word = "" if not claims else ", agrees" if listed.get(name) == verdict else ", differs"
        counts[word if verdict else "left"] += 1
        line = f"{name}: {verdict}{word}" if verdict else f"{name}: not checked, {reason}"
        print("".join(c if c.isprintable() else "?" for c in line))
    compared = f", {counts[', agrees']} agree, {counts[', differs']} differ" if claims else ""
    left = ", ".join(name for name, (verdict, _) in judged.items() if not verdict) or "none"
    print(f"{len(judged) - counts['left']} claims judged{compared}; not checked: {left}")
    demand(len(judged) > counts["left"], "no claim can be judged")
    return not counts[", differs"]


if __name__ == "__main__":
    try:
        demand(len(sys.argv) in (2, 3), "usage: python check_claims.py FOLDER [CLAIMS.csv]")
        sys.exit(0 if check(Path(sys.argv[1]), *sys.argv[2:]) else 1)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        print(f"this is no export of claims: {error}", file=sys.stderr)
        sys.exit(2)
