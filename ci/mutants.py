"""How many seeded mutants of the code the tests see: run it before and after tests are removed.

    python ci/mutants.py mutants.csv                     200 of Python, 100 of Cython, hours
    python ci/mutants.py mutants.csv --python 20 --cython 0 --seed 2 --effort quick

A mutant is one edit of one line: another comparison, sum, number or truth value. The tests of the
module's room run until one fails. The table holds a line per mutant; a call with the same table
goes on where it was stopped. The checkout has to be clean, and each mutant is taken back.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import functools
import io
import os
import random
import re
import resource
import signal
import subprocess
import sys
import time
import tokenize
from collections.abc import Iterator
from dataclasses import asdict, dataclass, fields
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = "src"
#: Folder of the tests of a package.
TESTS = {"hedgerow": "learner", "hedgerow_study": "study", "hedgerow_clinic": "clinic"}
#: What a token becomes.
EDITS = {
    **{"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="},
    **{"+": "-", "-": "+", "*": "/", "/": "*", "+=": "-=", "-=": "+="},
    **{"and": "or", "or": "and", "True": "False", "False": "True", "min": "max", "max": "min"},
}
#: Lines that declare and compute nothing.
DECLARES = re.compile(
    r"\s*(from|import|cimport|cdef|def|class|@|#|\"\"\"|raise|assert)\b|.*__all__"
)
#: Seconds of waiting after which a mutant counts as seen, for it does not end; bytes of memory.
WAITED, MEMORY = 900, 8 * 2**30


@dataclass(frozen=True)
class Mutant:
    """One edit of one token."""

    file: str
    line: int
    column: int
    before: str
    after: str


def tokens(text: str) -> Iterator[tokenize.TokenInfo]:
    """Tokens of Python or Cython, which Python's tokenizer reads as well."""
    yield from tokenize.generate_tokens(io.StringIO(text).readline)


def mutants_of(file: str, text: str) -> list[Mutant]:
    """All mutants of a file."""
    found, lines = [], text.splitlines()
    try:
        for token in tokens(text):
            (line, column), word = token.start, token.string
            after = EDITS.get(word, "")
            if token.type == tokenize.NUMBER and word.isdecimal():
                after = str(int(word) + 1)
            if after and not DECLARES.match(lines[line - 1]):
                found.append(Mutant(file, line, column, word, after))
    except tokenize.TokenError:
        return []
    return found


def drawn(suffix: str, n: int, seed: int) -> list[Mutant]:
    """Mutants of all files with a suffix, each file as likely as it has places for one."""
    names = subprocess.check_output(["git", "ls-files", SOURCES], cwd=ROOT, text=True).split("\n")
    every = [
        mutant
        for name in sorted(names)
        if name.endswith(suffix)
        for mutant in mutants_of(name, (ROOT / name).read_text(encoding="utf-8"))
    ]
    return random.Random(seed).sample(every, min(n, len(every)))


def tests_of(file: str) -> list[list[str]]:
    """Tests of the room of a module, those of its name apart and first; of an experiment those
    that name it, with its report."""
    path = Path(file)
    package, *rest = path.relative_to(SOURCES).parts
    tests = ROOT / "tests" / TESTS[package]
    room = "" if package == "hedgerow_clinic" else rest[0]
    folder = tests / room if (tests / room).is_dir() else ROOT / "tests"
    found = sorted(p.relative_to(ROOT) for p in folder.glob("test_*.py"))
    if room in ("experiments", "extensions") and len(rest) > 2:
        found = [p.relative_to(ROOT) for p in sorted(tests.rglob("test_*.py"))]
        found = [p for p in found if rest[1] in p.name]
    parts = [[str(p) for p in found if (path.stem.strip("_") in p.name) == own] for own in (1, 0)]
    return [part for part in parts if part]


def limited(tests: list[str], cost: dict[str, float]) -> None:
    """Limits of a process of tests: three times what they took once, and memory."""
    most = 60 + 3 * round(sum(cost.get(file, 60.0) for file in tests))
    resource.setrlimit(resource.RLIMIT_CPU, (most, most))
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def outcome(mutant: Mutant, cores: int, effort: str) -> str:
    """`seen` or `not seen` by the tests; `no program` where it cannot be built."""
    path = ROOT / mutant.file
    text = path.read_text(encoding="utf-8")
    lines = text.splitlines(keepends=True)
    line = lines[mutant.line - 1]
    end = mutant.column + len(mutant.before)
    lines[mutant.line - 1] = line[: mutant.column] + mutant.after + line[end:]
    with (ROOT / "tests/processor_time.csv").open(encoding="utf-8", newline="") as file:
        cost = {line["file"]: float(line["seconds"]) for line in csv.DictReader(file)}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-n", str(cores * (cores > 1))]
    try:
        path.write_text("".join(lines), encoding="utf-8")
        if (
            mutant.file.endswith(".pyx")
            and subprocess.run(["make", "setup"], cwd=ROOT, capture_output=True).returncode
        ):
            return "no program"
        for tests in tests_of(mutant.file):
            with subprocess.Popen(
                [*command, "--effort", effort, *tests],
                cwd=ROOT,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                preexec_fn=functools.partial(limited, tests, cost),
            ) as process:
                try:
                    code = process.wait(WAITED)
                except subprocess.TimeoutExpired:
                    code = 1
                finally:
                    with contextlib.suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)  # and all that it has started
            if code not in (0, 5):  # 5: no test of this effort
                return "seen"
        return "not seen"
    finally:
        path.write_text(text, encoding="utf-8")


def main() -> None:
    """Run the mutants that the table lacks, and print the share that is seen."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("table", type=Path)
    parser.add_argument("--python", type=int, default=200)
    parser.add_argument("--cython", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument(
        "--effort", default="usual", help="of the tests; quick: no run of the workflow"
    )
    given = parser.parse_args()
    if subprocess.check_output(["git", "status", "--porcelain", "-uno"], cwd=ROOT):
        sys.exit("the checkout has edits: commit or stash them, as mutants edit files")
    every = drawn(".py", given.python, given.seed) + drawn(".pyx", given.cython, given.seed)
    names = [*(f.name for f in fields(Mutant)), "outcome", "seconds"]
    if not given.table.exists():
        given.table.write_text(",".join(names) + "\n", encoding="utf-8")
    with given.table.open(encoding="utf-8", newline="") as file:
        known = {(r["file"], r["line"], r["column"]): r["outcome"] for r in csv.DictReader(file)}
    for number, mutant in enumerate(every, start=1):
        key = mutant.file, str(mutant.line), str(mutant.column)
        if key in known:
            continue
        began = time.monotonic()
        known[key] = outcome(mutant, given.cores, given.effort)
        line = {**asdict(mutant), "outcome": known[key], "seconds": round(time.monotonic() - began)}
        with given.table.open("a", encoding="utf-8", newline="") as file:
            csv.DictWriter(file, names).writerow(line)
        print(f"[{number}/{len(every)}] {mutant.file}:{mutant.line}", known[key], flush=True)
    built = [o for o in known.values() if o != "no program"]
    print(f"{built.count('seen')} of {len(built)} mutants are seen by the tests")


if __name__ == "__main__":
    main()
