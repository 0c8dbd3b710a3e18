"""Which conditions leave the results of the smoke run as they are, to the byte.

    make bits                                what docs/workflow.md says of it is written anew
    python benchmarks/bits.py --only libm    the first condition, and those with this in their name
    python benchmarks/bits.py --keep FOLDER  leave there what each condition made

The last commit is cloned, and set up for each interpreter on PATH (with pyenv, a list of versions
in PYENV_VERSION puts several there) and each set of versions. Below the table the command names the
first job of each kind whose results differ though what it read does not.
"""

from __future__ import annotations

import argparse
import json
import math
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from bounds import Setup, clone, environment, lowest, newest
from marked import fill

from hedgerow.audit.tables import difference, is_table

SMOKE = ("--configfile", "config/smoke.yaml")
MANIFEST = "reports/manifest.json"
#: Versions of Python that are looked for.
MINORS = (11, 12, 13, 14)
#: Libraries whose lowest and newest versions are tried, as pyproject.toml bounds them.
NUMERIC = ("numpy", "scipy", "scikit-learn")
#: Rules that tell where they ran, so that another version of anything changes them.
TELLING = ("report", "crate")
#: Loops that need more than AVX2 and FMA, by the beginning of numpy's names for them.
ABOVE_AVX2 = ("AVX512", "X86_V4", "AVX10")

#: What an interpreter says of itself: versions, and which code its libraries have chosen.
PROBE = """
import importlib.metadata, json, platform
import numpy as np, scipy.linalg, sklearn, threadpoolctl
from numpy._core._multiarray_umath import __cpu_dispatch__, __cpu_features__
np.ones((9, 9)) @ np.ones((9, 9)); scipy.linalg.inv(np.eye(9))
blas = [pool for pool in threadpoolctl.threadpool_info() if pool["user_api"] == "blas"]
print(json.dumps({
    "python": platform.python_version(),
    "loops": [name for name in __cpu_dispatch__ if __cpu_features__.get(name)],
    "kernels": sorted({pool.get("architecture", "") for pool in blas}),
    "versions": {name: importlib.metadata.version(name) for name in %r},
}))
"""


@dataclass(frozen=True)
class Condition:
    """Under what the smoke run is made.

    Attributes
    ----------
    name : str
        First cell of the table.
    setup : Setup
    variables : dict
        Of the environment.
    threads : int
        Of every job.
    cores : int
        For jobs.
    why_not : str
        Why there is no run of it.
    """

    name: str
    setup: Setup
    variables: Mapping[str, str] = field(default_factory=dict)
    threads: int = 1
    cores: int = 2
    why_not: str = ""


@dataclass(frozen=True)
class Made:
    """What a run has made.

    Attributes
    ----------
    manifest : dict
        Content of reports/manifest.json.
    seen : dict
        What `PROBE` found under the same condition.
    folder : path
        Copies of the files.
    """

    manifest: dict[str, Any]
    seen: dict[str, Any]
    folder: Path

    @property
    def digests(self) -> dict[str, str]:
        """SHA-256 of each file, by path, but for files that tell where they were made."""
        jobs, made_by = self.manifest["jobs"], self.manifest["made_by"]
        files = self.manifest["between"] | self.manifest["outputs"]
        return {
            path: sha256
            for path, sha256 in files.items()
            if path in made_by and jobs[made_by[path]]["rule"] not in TELLING
        }


def main() -> None:
    """Run under each condition, print the table and what differs, and write the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--python", default="python3", help="interpreter (default: %(default)s)")
    parser.add_argument("--only", metavar="WORDS", help="of the conditions, those with these words")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="work here, and leave it")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="hedgerow-bits-") as folder:
        work = (options.keep or Path(folder)).resolve()
        rows, told = [], []
        for condition, made, first in runs(options.python, work, options.only):
            rows.append(row(condition, made, first))
            if made and first:
                told += [f"{condition.name}: {line}" for line in origins(first, made)]
    said = table(rows)
    print(said, *told, sep="\n")
    if not options.only:
        fill("docs/workflow.md", "bits", said)


def runs(
    python: str, work: Path, only: str | None
) -> Iterator[tuple[Condition, Made | None, Made | None]]:
    """Each condition with what it made and what the first one made."""
    usual = Setup(python)
    clones = {usual: clone(usual, work / "clone-0")}
    first = None
    for n, condition in enumerate(conditions(usual, seen(clones[usual], {}))):
        if only and n and only not in condition.name:
            continue
        print(f"bits: {condition.name}", file=sys.stderr, flush=True)
        if condition.why_not:
            yield condition, None, first
            continue
        try:
            if condition.setup not in clones:
                clones[condition.setup] = clone(condition.setup, work / f"clone-{len(clones)}")
            jobs = first.manifest["jobs"].values() if first else ()
            rules = sorted({job["rule"] for job in jobs})
            made = run(condition, clones[condition.setup], work / f"made-{n}", rules)
        except subprocess.CalledProcessError as error:
            if first is None:
                raise
            said = (error.stderr or str(error)).strip().splitlines()[-1]
            yield replace(condition, why_not=f"fails: {said}"), None, first
            continue
        yield condition, made, first
        first = first or made


def conditions(usual: Setup, here: Mapping[str, Any]) -> list[Condition]:
    """What is tried; the first one is what the others are compared with.

    Parameters
    ----------
    usual : Setup
    here : mapping
        What its interpreter said of itself.
    """
    above = [name for name in here["loops"] if name.startswith(ABOVE_AVX2)]
    enough = "" if above else "not tried: this processor has no wider ones"
    plain = {
        "NPY_DISABLE_CPU_FEATURES": " ".join(here["loops"]),
        "OPENBLAS_CORETYPE": "Nehalem",
    }
    found = [
        Condition("as it is, one job at a time", usual, cores=1),
        Condition("two threads in every job", usual, threads=2),
        Condition(
            "numpy's loops up to AVX2",
            usual,
            {"NPY_DISABLE_CPU_FEATURES": " ".join(above)},
            why_not=enough,
        ),
        Condition("OpenBLAS's kernels for AVX2", usual, {"OPENBLAS_CORETYPE": "Haswell"}),
        Condition("numpy and OpenBLAS without AVX", usual, plain),
        Condition(
            "libm without AVX2 and FMA",
            usual,
            {"GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX2,-FMA,-FMA4"},
        ),
    ]
    for minor in MINORS:
        name = f"Python 3.{minor}"
        if here["python"].startswith(f"3.{minor}."):
            continue
        path = interpreter(f"python3.{minor}")
        missing = "" if path else "not tried: there was no such interpreter"
        found.append(Condition(name, Setup(path), why_not=missing))
    for name, versions in (("lowest", lowest), ("newest", newest)):
        found.append(Condition(f"{name} versions allowed", Setup(usual.python, versions(NUMERIC))))
    return found


def interpreter(name: str) -> str:
    """Path of an interpreter, or nothing if it cannot be called."""
    path = shutil.which(name)
    works = path and not subprocess.run([path, "-c", ""], capture_output=True).returncode
    return path if works else ""


def seen(project: Path, variables: Mapping[str, str]) -> dict[str, Any]:
    """What the interpreter of a clone says of itself."""
    done = subprocess.run(
        [".venv/bin/python", "-c", PROBE % (NUMERIC,)],
        cwd=project,
        env=environment(project, variables),
        check=True,
        capture_output=True,
        text=True,
    )
    return json.loads(done.stdout)


def run(condition: Condition, project: Path, keep: Path, rules: Sequence[str]) -> Made:
    """Make the smoke run under a condition."""
    subprocess.run(["make", "clean"], cwd=project, check=True, stdout=subprocess.DEVNULL)
    more = ["--set-threads", *(f"{name}={condition.threads}" for name in rules)]
    subprocess.run(
        [
            *(".venv/bin/python", "-m", "snakemake", "--quiet", "all"),
            *("--cores", str(condition.cores), *SMOKE),
            *(more if condition.threads > 1 else []),
        ],
        cwd=project,
        env=environment(project, condition.variables),
        check=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
    )
    manifest = json.loads((project / MANIFEST).read_text(encoding="utf-8"))
    made = Made(manifest, seen(project, condition.variables), keep)
    for path in made.digests:
        (keep / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(project / path, keep / path)
    return made


def table(rows: Sequence[Sequence[str]]) -> str:
    """Markdown."""
    head = ("condition", "Python", ", ".join(NUMERIC), "numpy's loops", "BLAS", "equal files")
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def row(condition: Condition, made: Made | None, first: Made | None) -> list[str]:
    """One line of the table."""
    if made is None:
        return [condition.name, "", "", "", "", condition.why_not]
    seen = made.seen
    versions = ", ".join(seen["versions"][name] for name in NUMERIC)
    loops = ", ".join(seen["loops"]) or "baseline"
    kernels = ", ".join(seen["kernels"])
    return [condition.name, seen["python"], versions, loops, kernels, equal(first, made)]


def equal(first: Made | None, made: Made) -> str:
    """How many files are as in the first run."""
    digests = made.digests
    if first is None:
        return f"{len(digests):,} files"
    same = sum(sha256 == first.digests.get(path) for path, sha256 in digests.items())
    total = len(digests.keys() | first.digests.keys())
    return f"all {total:,}" if same == total else f"{same:,} of {total:,}"


def origins(first: Made, made: Made) -> list[str]:
    """Jobs that read the same and made something else, with how much it differs.

    One of each rule is named, with the largest difference among those of the rule.
    """
    one, other = first.digests, made.digests
    changed = {path for path in one.keys() | other.keys() if one.get(path) != other.get(path)}
    found: dict[str, list[str]] = {}
    for job in first.manifest["jobs"].values():
        differing = [path for path in job["outputs"] if path in changed]
        if differing and not changed.intersection(job["inputs"]):
            found.setdefault(job["rule"], []).extend(differing)
    lines = []
    for rule, paths in sorted(found.items()):
        sizes = {path: far(first.folder / path, made.folder / path) for path in paths}
        worst = max(sizes, key=lambda path: (sizes[path], path))
        amount = "more than numbers" if math.isinf(sizes[worst]) else f"{sizes[worst]:.1e}"
        files = "1 file" if len(paths) == 1 else f"{len(paths)} files"
        lines.append(f"{rule}: {files}, at most {amount} ({worst})")
    return lines


def far(one: Path, other: Path) -> float:
    """The largest relative difference of two tables; infinite for what is no table, or absent."""
    there = one.exists() and other.exists()
    return difference(one, other) if there and is_table(one) else math.inf


if __name__ == "__main__":
    main()
