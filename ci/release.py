"""Whether a version can go out: `make release-check`.

    python ci/release.py                  all of what follows
    python ci/release.py --python PATH    with this interpreter too; may be given again
    python ci/release.py --only 3.12      of the wheels this one alone; may be given again
    python ci/release.py --no-builds      what is asked of the checkout alone
    python ci/release.py --files FOLDER   what is asked of an archive and wheels that are there

Asks the checkout: one version everywhere, a section of the log for it, nothing uncommitted, tracked
results as their manifests have them, generated files up to date. Builds the source archive of the
last commit and from it a wheel with each interpreter of `[tool.cibuildwheel]` that is found, each
twice, in folders of other names and at the time of the commit: both have the same bytes, or an
error names the files. auditwheel says on which systems the wheels run, twine whether an index
would take them. Each wheel is installed in an empty environment, where README's example run,
`hedgerow --help`, `hedgerow survival` on a small table, and tests of the package.

A line per check; the last one says `ready`, or `not ready` and why, and so does the exit code. What
would go out is left in `dist`. The publisher makes the tag.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
import random
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
import tomllib
import zipfile
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from distribution import (
    CORE,
    PIP,
    ROOT,
    Lacking,
    archive,
    call,
    check,
    empty,
    locked,
    other,
    pins,
    unpack,
    wheel,
)

DIST = ROOT / "dist"
BUILD_LOCK = ROOT / "requirements-build.lock"
#: Tests of the rooms that learn, read, explain and draw trees: the package as its users know it.
#: They start no Snakemake and read no results. Those of `experiments`, `workflow`, `audit` and
#: `reporting` are about a checkout, those of `data` and `clinic` ask for its mirror and pages,
#: those of `evaluation` for what the experiments are computed with.
ROOMS = (
    *("tree", "induction", "uncertainty", "search", "optimal", "structure", "confidence"),
    *("evidential", "missing", "exchange", "explanation", "drawing", "survival"),
)
#: What these tests import beside the packages of learner and clinic, of the extra `test`.
HARNESS = ("pytest", "hypothesis", "zss", "apted", "jsonschema")
SURVIVAL = "--time time --unit days --event event --horizon 2y --bootstraps 20 --out sheet --quiet"
#: Asked of an interpreter: its version, and where it is outside of any environment. It has to be
#: able to make one, and to compile.
ASK = """
import ensurepip, os, sys, sysconfig, venv
assert os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h"))
print("{}.{}".format(*sys.version_info), getattr(sys, "_base_executable", sys.executable))
"""


class Report:
    """The findings, a line per check: it holds, it fails, or the line is only information."""

    def __init__(self) -> None:
        self.lacking: list[str] = []

    def ask(self, what: str, question: Callable[..., Any], *arguments: object) -> Any:
        """Answer of a question, or None where it ends by `Lacking`; texts and keys are printed."""
        started = time.monotonic()
        try:
            answer = question(*arguments)
        except Lacking as lacking:
            self.lacking.append(what)
            self._say("lacks", what, str(lacking))
            return None
        seconds = time.monotonic() - started
        said = answer if isinstance(answer, str) else "done"
        if isinstance(answer, dict):
            said = ", ".join(answer)
        self._say("holds", what, f"{said} ({seconds:.0f} s)" if seconds >= 1 else said)
        return answer

    def tell(self, what: str, said: str) -> None:
        """A line that counts for nothing."""
        self._say("told", what, said)

    def end(self, ready: str) -> int:
        """The last line, with words for where nothing is lacking, and the exit code."""
        print(f"not ready: {'; '.join(self.lacking)}" if self.lacking else f"ready: {ready}")
        return int(bool(self.lacking))

    def _say(self, word: str, what: str, said: str) -> None:
        print(f"{word:5}  {what}{': ' * bool(said)}{said}", flush=True)


# --------------------------------------------------------------------------------- the checkout


def version_of(project: Mapping[str, Any], citation: str) -> str:
    """The version of pyproject.toml.

    Raises
    ------
    Lacking
        If another package or CITATION.cff has another one.
    """
    version = project["project"]["version"]
    for file in sorted(ROOT.glob("src/*/pyproject.toml")):
        own = tomllib.loads(file.read_text(encoding="utf-8"))["project"]["version"]
        if own != version:
            raise Lacking(f"{version} in pyproject.toml, {own} in {file.relative_to(ROOT)}")
    cited = re.findall(r"^version: (.+)$", citation, re.MULTILINE)
    if cited != [version]:
        raise Lacking(f"{version} in pyproject.toml, {cited} in CITATION.cff: `make generated`")
    return version


def section(changes: str, version: str) -> str:
    """Date of a version's section in a log of changes.

    Raises
    ------
    Lacking
        If it is not the newest section, has no date or no lines, or if lines are left under
        `Unreleased`.
    """
    parts = re.split(r"^## (.+)\n", changes, flags=re.MULTILINE)[1:]
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    if sections.pop("Unreleased", "").strip():
        raise Lacking("CHANGELOG.md has lines under Unreleased; they belong to a version")
    newest = next(iter(sections), "nothing")
    if not (found := re.fullmatch(rf"{re.escape(version)} - (\d{{4}}-\d\d-\d\d)", newest)):
        raise Lacking(
            f"CHANGELOG.md begins with `{newest}`, not with `{version} - ` and a date (2026-01-31)"
        )
    try:
        datetime.date.fromisoformat(found[1])
    except ValueError:
        raise Lacking(f"CHANGELOG.md: {found[1]} is no date") from None
    if not sections[newest].strip():
        raise Lacking(f"CHANGELOG.md says nothing of {version}")
    return found[1]


def tag_of(version: str, here: Iterable[str], everywhere: Iterable[str]) -> str:
    """What there is to say of the tag of a version.

    Parameters
    ----------
    version : str
        That of the project.
    here, everywhere : iterable of str
        Tags of the last commit, and of all.

    Raises
    ------
    Lacking
        If the last commit is tagged as another version, or another commit as this one.
    """
    wanted, here = f"v{version}", [tag for tag in here if re.match(r"v\d", tag)]
    if others := sorted({*here} - {wanted}):
        raise Lacking(f"the last commit is tagged {', '.join(others)}, and this is {version}")
    if wanted in here:
        return f"{wanted} is the last commit"
    if wanted in everywhere:
        raise Lacking(f"{wanted} is another commit; a version that went out stays as it is")
    return f"{wanted} is not there yet"


def unchanged() -> str:
    """The last commit, if the checkout is as it is there."""
    if changed := call("git", "status", "--porcelain", cwd=ROOT).splitlines():
        raise Lacking(f"{len(changed)} files are not as committed, such as {changed[0][3:]}")
    return call("git", "log", "-1", "--format=%h of %cs", cwd=ROOT).strip()


def verified(*arguments: str) -> str:
    """What `hedgerow verify` says in the end, if everything holds."""
    hedgerow = Path(sys.executable).with_name("hedgerow")
    return call(hedgerow, "verify", *arguments, cwd=ROOT).strip().splitlines()[-1]


def up_to_date() -> str:
    """Says so, if generated files are what they follow from."""
    call(sys.executable, "-m", "hedgerow_study.workflow.showing.generated", cwd=ROOT)
    return "up to date"


def ask_checkout(report: Report, project: Mapping[str, Any]) -> None:
    """Everything that needs no build."""
    version = project["project"]["version"]
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    here, everywhere = (
        call("git", "tag", *where, cwd=ROOT).split() for where in (("--points-at", "HEAD"), ())
    )
    report.ask("version", version_of, project, citation)
    report.ask("log of changes", section, changes, version)
    report.ask("checkout", unchanged)
    report.ask("tag", tag_of, version, here, everywhere)
    report.ask("generated files", up_to_date)
    report.ask("data/reference", verified, "data/reference")
    # A run of this machine does not go out: it may well be older than the last commit.
    if not (ROOT / "reports/manifest.json").is_file():
        report.tell("reports", "nothing was run here")
        return
    try:
        report.tell("reports", verified("--no-cheap"))
    except Lacking:
        report.tell("reports", "they do not hold: `hedgerow verify` says why")


# -------------------------------------------------------------------------------- interpreters


def supported(project: Mapping[str, Any]) -> list[str]:
    """Versions of Python that a release has wheels for.

    >>> supported({"tool": {"cibuildwheel": {"build": ["cp311-*", "cp314-*"]}}})
    ['3.11', '3.14']
    """
    builds = project["tool"]["cibuildwheel"]["build"]
    return [re.sub(r"cp(\d)(\d+)-\*", r"\1.\2", build) for build in builds]


def candidates(version: str, given: Sequence[Path], path: str, pyenv: Path) -> list[Path]:
    """Where an interpreter of a version may be: those given, on a PATH, newest first in pyenv."""
    beside = (Path(folder, f"python{version}") for folder in path.split(os.pathsep) if folder)
    kept = pyenv.glob(f"versions/{version}.*/bin/python")
    newest = sorted(kept, key=lambda python: [*map(int, re.findall(r"\d+", python.parts[-3]))])
    return [*given, *filter(Path.is_file, beside), *reversed(newest)]


def interpreters(versions: Iterable[str], given: Sequence[Path]) -> dict[str, Path]:
    """The first interpreter of each version that can make an environment and compile.

    Raises
    ------
    Lacking
        If there is none.
    """
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    found = {}
    for version in versions:
        for python in candidates(version, given, os.environ["PATH"], pyenv):
            try:
                asked = subprocess.run([python, "-c", ASK], capture_output=True, text=True)
            except OSError:  # no program, or none that may be called
                continue
            said, _, place = asked.stdout.strip().partition(" ")
            if asked.returncode == 0 and said == version:
                found[version] = Path(place)
                break
    if not found:
        raise Lacking("none can be found that makes environments and has its C headers")
    return found


# -------------------------------------------------------------------------------------- builds


def members(made: Path) -> dict[str, tuple[bytes, object]]:
    """Bytes, and time and permissions, of each file of an archive or a wheel, in its order."""
    if made.suffix == ".whl":
        with zipfile.ZipFile(made) as files:
            return {
                info.filename: (files.read(info), (info.date_time, info.external_attr))
                for info in files.infolist()
            }
    with tarfile.open(made) as files:
        return {
            info.name: (files.extractfile(info).read(), (info.mtime, info.mode, info.uname))
            for info in files
            if info.isfile()
        }


def apart(one: Path, two: Path) -> list[str]:
    """In which files two builds differ, and how; nothing if their bytes are the same."""
    if one.read_bytes() == two.read_bytes():
        return []
    first, second = members(one), members(two)
    said = [f"{name}: in one alone" for name in sorted(first.keys() ^ second.keys())]
    for name in sorted(first.keys() & second.keys()):
        if first[name][0] != second[name][0]:
            said.append(f"{name}: other bytes")
        elif first[name][1] != second[name][1]:
            said.append(f"{name}: another time or other permissions")
    if not said and list(first) != list(second):
        said = ["the same files, in another order"]
    return said or ["the same files, packed otherwise"]


def same(one: Path, two: Path) -> str:
    """Says so; ends with the first files that differ."""
    if differ := apart(one, two):
        more = f" and {len(differ) - 5} more" if len(differ) > 5 else ""
        raise Lacking(f"two builds of {one.name} differ: {'; '.join(differ[:5])}{more}")
    return "the same from two builds"


def archives(folder: Path, epoch: str) -> tuple[Path, Path]:
    """The source archive from two clones of the last commit."""
    made = []
    for name in ("one", "another-folder"):
        (folder / name).mkdir()
        clone = folder / name / "project"
        call("git", "clone", "--quiet", ROOT, clone, cwd=folder)
        made.append(archive(folder / name, clone, SOURCE_DATE_EPOCH=epoch))
    return made[0], made[1]


def wheels(python: Path, source: Path, folder: Path, epoch: str) -> tuple[Path, Path]:
    """Wheels of two builds, repaired by auditwheel where there is one.

    The builds unpack the archive in folders of their own, whose names must not get into a wheel.
    """
    tools = empty(folder / "tools", python)
    call(tools, *PIP, "install", "--require-hashes", "-r", BUILD_LOCK, cwd=folder)
    made = []
    for name in ("one", "another-folder"):
        place, unpacked = folder / name, folder / name / "unpacked"
        unpacked.mkdir(parents=True)
        variables = {"SOURCE_DATE_EPOCH": epoch, "TMPDIR": str(unpacked)}
        made.append(wheel(source, place, tools, **variables))
        if sys.platform == "linux":
            made[-1] = repaired(made[-1], place / "repaired", **variables)
    return made[0], made[1]


def repaired(made: Path, folder: Path, **variables: str) -> Path:
    """A wheel under the name that says on which Linux it runs, with the libraries that it needs."""
    audit = (sys.executable, "-m", "auditwheel")
    call(*audit, "repair", "--wheel-dir", folder, made, cwd=ROOT, **variables)
    (found,) = folder.glob("*.whl")
    return found


def audited(made: Path) -> str:
    """Where a wheel runs, by auditwheel, whose word is the wheel's name."""
    said = " ".join(call(sys.executable, "-m", "auditwheel", "show", made, cwd=ROOT).split())
    found = re.search(r'platform tag: "(manylinux_\w+)"', said)
    if not found or found[1] not in made.stem:
        raise Lacking(f"{made.name}: auditwheel says something else\n{said}")
    return found[1]


# ---------------------------------------------------------------------------- what is installed


def write_patients(file: Path, n: int = 240) -> None:
    """A small table of made-up patients, of whom the old and those with large tumours die early."""
    draw = random.Random(0)
    with file.open("w", newline="", encoding="utf-8") as stream:
        rows = csv.writer(stream)
        rows.writerow(["age", "size", "marker", "time", "event"])
        for _ in range(n):
            age, size, marker = draw.randint(35, 85), draw.randint(5, 60), draw.randint(1, 200)
            rate = (1 + 3 * (age > 65) + 3 * (size > 35)) / 4000
            until, last = draw.expovariate(rate), draw.uniform(600, 2400)
            time_ = max(1, round(min(until, last)))
            rows.writerow([age, size, marker, time_, int(until <= last)])


@dataclass(frozen=True)
class Installation:
    """A wheel in an environment that holds nothing else, and what it does there.

    Attributes
    ----------
    folder : path
        Empty; the environment and all else is made in it.
    made, source : path
        The wheel, and the archive with the tests.
    user : path
        The interpreter of the environment.
    """

    folder: Path
    made: Path
    source: Path
    user: Path

    def alone(self) -> str:
        """Installed with what the estimators need."""
        call(self.user, *PIP, "install", self.made, *map(locked, CORE), cwd=self.folder)
        return f"with {', '.join(CORE)}"

    def example(self) -> str:
        """README's example, by `tests/distribution.py`."""
        this = Path(__file__).with_name("distribution.py")
        said = call(self.user, this, "example", ROOT / "README.md", cwd=self.folder)
        return f"they print {' and '.join(said.split())}"

    def usage(self) -> str:
        """The command line without any extra."""
        return call(self._hedgerow, "--help", cwd=self.folder).splitlines()[0]

    def extras(self) -> str:
        """Installed with what `hedgerow survival` and the tests need, in locked versions."""
        lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
        (self.folder / "pins.txt").write_text(pins(lock), encoding="utf-8")
        sources = unpack(self.source, self.folder)
        wanted = (self.made, other("hedgerow_clinic", sources, self.folder), *HARNESS)
        call(self.user, *PIP, "install", "--constraint", "pins.txt", *wanted, cwd=self.folder)
        return f"with {', '.join(HARNESS)} for the tests"

    def survival(self) -> str:
        """`hedgerow survival` on a small table."""
        write_patients(self.folder / "patients.csv")
        call(self._hedgerow, "survival", "patients.csv", *SURVIVAL.split(), cwd=self.folder)
        if not (self.folder / "sheet/index.html").is_file():
            raise Lacking("no page was written")
        return f"{sum(file.is_file() for file in self.folder.glob('sheet/**/*'))} files"

    def tests(self) -> str:
        """Tests of `ROOMS`, from the source archive: the package is the one installed."""
        sources = unpack(self.source, self.folder)
        options = ("-q", "--effort", "quick", "-p", "no:cacheprovider", "-r", "fE", "--tb", "short")
        rooms = (f"tests/learner/{room}" for room in ROOMS)
        try:
            said = call(self.user, "-m", "pytest", *options, *rooms, cwd=sources)
        except Lacking as lacking:  # without a dot for each of thousands
            _, failures, failed = str(lacking).partition("= FAILURES =")
            raise Lacking(f"{failures}{failed}" if failed else str(lacking)) from None
        return said.strip().splitlines()[-1].partition(" in ")[0]

    @property
    def _hedgerow(self) -> Path:
        return self.user.with_name("hedgerow")


def ask_installed(report: Report, name: str, made: Path, source: Path, python: Path) -> None:
    """What a wheel does where it is installed with an interpreter, whose name is in the lines."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        there = Installation(folder, made, source, empty(folder / "user", python))
        if report.ask(f"{name}, installed", there.alone) is None:
            return
        report.ask(f"{name}, README's example", there.example)
        report.ask(f"{name}, hedgerow --help", there.usage)
        if report.ask(f"{name}, the extra `patients`", there.extras) is None:
            return
        report.ask(f"{name}, hedgerow survival", there.survival)
        report.ask(f"{name}, tests", there.tests)


# -------------------------------------------------------------------------------------- the whole


def size_of(made: Path) -> str:
    """Of a wheel that carries what it should and is small enough."""
    return f"{check(made):,} bytes"


def passed(files: Iterable[Path]) -> str:
    """Whether an index would take these files, by twine."""
    call(sys.executable, "-m", "twine", "check", "--strict", *files, cwd=ROOT)
    return "all pass"


def ask_files(report: Report, folder: Path, version: str, pythons: Iterable[str]) -> None:
    """An archive and wheels of a version in a folder: all there, small enough, right by twine."""
    files = sorted(folder.glob("*.tar.gz")) + sorted(folder.glob("*.whl"))

    def complete() -> str:
        tags = {f"cp{python.replace('.', '')}" for python in pythons}
        names = [file.name for file in files]
        odd = [name for name in names if not name.startswith(f"hedgerow-{version}")]
        if odd:
            raise Lacking(f"{', '.join(odd)} is not of {version}")
        if f"hedgerow-{version}.tar.gz" not in names:
            raise Lacking("there is no source archive")
        if missing := sorted(tag for tag in tags if not any(f"-{tag}-" in n for n in names)):
            raise Lacking(f"no wheel for {', '.join(missing)}")
        return f"{len(files) - 1} wheels and the archive"

    report.ask("files", complete)
    for file in files:
        if file.suffix == ".whl":
            report.ask(file.name, size_of, file)
        else:
            report.tell(file.name, f"{file.stat().st_size:,} bytes")
    if files:
        report.ask("twine", passed, files)


def ask_builds(
    report: Report, version: str, wanted: Sequence[str], given: Sequence[Path]
) -> list[str]:
    """Archive and wheels, from the last commit to what they do where they are installed.

    Parameters
    ----------
    report : Report
        Gets the lines.
    version : str
        Of the project.
    wanted : sequence of str
        Versions of Python.
    given : sequence of path
        Interpreters that are asked before those found.

    Returns
    -------
    list of str
        Versions of Python that are not here.
    """
    epoch = call("git", "log", "-1", "--format=%ct", cwd=ROOT).strip()
    os.umask(0o022)  # permissions get into archives
    shutil.rmtree(DIST, ignore_errors=True)
    DIST.mkdir()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        made = report.ask("source archive, built twice", archives, folder, epoch)
        pythons = report.ask("interpreters", interpreters, wanted, given)
        if made is None or pythons is None:
            return []
        report.ask("source archive, bytes", same, *made)
        source = Path(shutil.copy2(made[0], DIST))
        for each, python in pythons.items():
            name, own = f"Python {each}", folder / each
            own.mkdir()
            made = report.ask(f"{name}, built twice", wheels, python, source, own, epoch)
            if made is None:
                continue
            report.ask(f"{name}, bytes", same, *made)
            if sys.platform == "linux":
                report.ask(f"{name}, auditwheel", audited, made[0])
            kept = Path(shutil.copy2(made[0], DIST))
            ask_installed(report, name, kept, source, python)
    ask_files(report, DIST, version, pythons)
    left = [each for each in wanted if each not in pythons]
    for each in left:
        report.tell(f"Python {each}", "not here, left to .github/workflows/release.yml")
    return left


def main(arguments: Sequence[str] | None = None) -> int:
    """Ask, and say whether it is ready."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    version, versions = project["project"]["version"], supported(project)
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    more = "an interpreter that is asked before those found"
    parser.add_argument("--python", action="append", default=[], type=Path, help=more)
    less = parser.add_mutually_exclusive_group()
    less.add_argument("--only", action="append", choices=versions, help="a wheel for this Python")
    less.add_argument("--no-builds", action="store_true", help="ask the checkout alone")
    less.add_argument("--files", metavar="FOLDER", type=Path, help="ask what is there alone")
    options = parser.parse_args(arguments)
    report = Report()
    if options.files:
        ask_files(report, options.files, version, versions)
        return report.end(f"these files are what {version} should have")
    ask_checkout(report, project)
    if options.no_builds:
        return report.end(f"the checkout, for {version}; nothing was built")
    given = [python.absolute() for python in options.python]
    left = ask_builds(report, version, options.only or versions, given)
    left += [each for each in versions if options.only and each not in options.only]
    more = f"; not tried here: {', '.join(left)}" if left else ""
    return report.end(f"hedgerow {version} can be tagged v{version}{more}")


if __name__ == "__main__":
    sys.exit(main())
