"""The tests with the lowest and the newest versions that pyproject.toml allows.

    make test-lowest                                        all tests, a process per core
    python ci/bounds.py newest tests/learner/tree -x        options and tests of pytest
    python ci/bounds.py lowest --keep FOLDER        the environment stays there

The last commit is cloned, and set up in an environment of its own: what requirements.lock names,
then the versions of `BOUNDED` in the place of those.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]

#: Libraries whose bounds are tried.
BOUNDED = ("numpy", "scipy", "scikit-learn", "pandas", "snakemake")
#: Versions of libraries, as an interpreter has them.
VERSIONS = """
import importlib.metadata, sys
print(*(f"{name} {importlib.metadata.version(name)}" for name in sys.argv[1:]), sep=", ")
"""


@dataclass(frozen=True)
class Setup:
    """An environment: an interpreter, and what is installed after requirements.lock.

    Attributes
    ----------
    python : str
        The interpreter.
    install : tuple of str
        Arguments to pip.
    """

    python: str
    install: tuple[str, ...] = ()


def main() -> int:
    """Make an environment and run the tests in it; their exit code."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("which", choices=["lowest", "newest"], help="of the versions allowed")
    parser.add_argument("--python", default="python3", help="interpreter (default: %(default)s)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="work here, and leave it")
    options, asked = parser.parse_known_args()
    versions = lowest if options.which == "lowest" else newest
    setup = Setup(options.python, versions(BOUNDED))
    with tempfile.TemporaryDirectory(prefix="hedgerow-bounds-") as folder:
        project = (options.keep or Path(folder)).resolve() / options.which
        ready = project / ".venv/.ready"
        if not ready.exists():
            shutil.rmtree(project, ignore_errors=True)  # of a set-up that was broken off
            try:
                clone(setup, project)
            except subprocess.CalledProcessError as error:
                sys.exit(f"{options.which}: cannot be set up\n{error.stderr or error}")
            ready.touch()
        run: dict[str, Any] = {"cwd": project, "env": environment(project, {})}
        python = str(project / ".venv/bin/python")
        print(f"{options.which}: ", end="", flush=True)
        subprocess.run([python, "-c", VERSIONS, *BOUNDED], check=True, **run)
        return subprocess.run([python, "-m", "pytest", *asked], **run).returncode


def allowed(names: Sequence[str]) -> dict[str, SpecifierSet]:
    """What the projects allow of libraries: all that the packages and their extras ask for.

    >>> Version("2.0") in allowed(["numpy"])["numpy"]
    True
    """
    wanted = []
    for file in (ROOT / "pyproject.toml", *ROOT.glob("src/*/pyproject.toml")):
        project = tomllib.loads(file.read_text(encoding="utf-8"))["project"]
        extras = project.get("optional-dependencies", {}).values()
        wanted += [*project.get("dependencies", ()), *(line for extra in extras for line in extra)]
    bounds = {name: SpecifierSet() for name in names}
    for requirement in map(Requirement, wanted):
        if requirement.name in bounds:
            bounds[requirement.name] &= requirement.specifier
    return bounds


def lowest(names: Sequence[str]) -> tuple[str, ...]:
    """What pip is asked for, to have the lowest versions allowed.

    >>> lowest(["numpy"])[0].startswith("numpy==")
    True
    """
    bounds = {
        name: [Version(each.version) for each in bound if each.operator == ">="]
        for name, bound in allowed(names).items()
    }
    return tuple(f"{name}=={max(versions)}" for name, versions in bounds.items())


def newest(names: Sequence[str]) -> tuple[str, ...]:
    """What pip is asked for, to have the newest versions allowed.

    >>> newest(["numpy"])[-1].startswith("numpy>=")
    True
    """
    wanted = (f"{name}{bound}" for name, bound in allowed(names).items())
    return ("--upgrade", "--upgrade-strategy", "only-if-needed", *wanted)


def clone(setup: Setup, folder: Path) -> Path:
    """The last commit in a folder of its own, set up."""
    quiet: dict[str, Any] = {"check": True, "text": True, "stdout": subprocess.DEVNULL}
    quiet["stderr"] = subprocess.PIPE
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(folder)], check=True)
    subprocess.run(["make", "setup", f"PYTHON={setup.python}"], cwd=folder, **quiet)
    if setup.install:
        pip = [".venv/bin/python", "-m", "pip", "install", "-qq", "--disable-pip-version-check"]
        subprocess.run([*pip, *setup.install], cwd=folder, **quiet)
        # The compiled core against the headers of these versions.
        shutil.rmtree(folder / "build")
        again = ["--no-deps", "--no-build-isolation", "--editable", "."]
        subprocess.run([*pip, *again], cwd=folder, env=environment(folder, {}), **quiet)
    return folder


def environment(project: Path, variables: Mapping[str, str]) -> dict[str, str]:
    """Of a command in a clone: its own programs first."""
    path = f"{project / '.venv/bin'}{os.pathsep}{os.environ['PATH']}"
    unasked = {"PYTHONPATH", "VIRTUAL_ENV", "MAKEFLAGS", "MAKELEVEL", "MAKEOVERRIDES"}
    kept = {name: value for name, value in os.environ.items() if name not in unasked}
    return {**kept, **variables, "PATH": path}


if __name__ == "__main__":
    sys.exit(main())
