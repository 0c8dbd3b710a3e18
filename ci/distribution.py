"""The packages as a user gets them: `make test-dist`.

    python ci/distribution.py                     all of what follows
    python ci/distribution.py example README.md   the README's example, with what is installed

Makes the source archive of the last commit, from it the wheels of all packages, and installs the
learner's into an empty environment: with the core dependencies only, then with pandas 2, then with
pandas 3. In each of them the README's example of an estimator runs, and once a data set is loaded.
Then study and clinic are each installed into an empty environment, their modules are imported, and
`hedgerow --help` has to list their commands. Archive and wheels are built by the tools of the
environment at hand, without the network; pip has to get what they depend on, in locked versions.
`make release-check` asks more.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PIP = ("-m", "pip", "--disable-pip-version-check", "-qq")
#: What type checkers read, and the registry of data sets.
CARRIED = {"hedgerow/py.typed", "hedgerow/__init__.pyi", "hedgerow/data/datasets.yaml"}
LARGEST_WHEEL = 2_000_000  # bytes of the learner's
#: A data set that comes with scikit-learn, one of the archive, and one of the archive without it.
LOAD = "from hedgerow.data import load; assert len(load('wine', download=False).y) == 178"
ARCHIVED = "from hedgerow.data import load; assert len(load('bupa', download=False).y) == 345"
ABSENT = f"""
from hedgerow.data import NoSourceError
try:
    {ARCHIVED}
except NoSourceError as error:
    assert "hedgerow-data is not installed" in str(error), error
"""
#: The packages beside the learner's, and what their wheels carry.
OTHERS = ("hedgerow_data", "hedgerow_study", "hedgerow_clinic")
SOURCES = (".py", ".j2", ".css", ".js", ".json", ".xz")
#: What is installed beside the learner, and a command that comes with it.
INSTALLED = {("hedgerow_clinic",): "survival", ("hedgerow_data", "hedgerow_study"): "trace"}
#: Imports every module of a package but those that are programs.
IMPORTED = """
import importlib, pkgutil, sys
package = importlib.import_module(sys.argv[1])
for module in pkgutil.walk_packages(package.__path__, f"{sys.argv[1]}."):
    importlib.import_module(module.name)
"""
CORE = ("numpy", "scipy", "scikit-learn")
#: Python below 3.11.4, as Debian 12 has it, knows no filters.
FILTER = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}


class Lacking(Exception):
    """What a package, or something that goes out with it, lacks."""


def call(program: object, *arguments: object, cwd: Path, **variables: str) -> str:
    """What a program prints.

    Parameters
    ----------
    program, *arguments : path or str
        What is called. Of a program with a folder, those beside it come first: an interpreter
        finds the tools of its own environment.
    cwd : path
        Where.
    **variables : str
        Of its environment.

    Raises
    ------
    Lacking
        With what it said, if it fails.
    """
    # Nothing of the environment at hand may be found by the new one.
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    environment = {k: v for k, v in os.environ.items() if k not in hidden}
    if (folder := os.path.dirname(str(program))) != "":
        environment["PATH"] = f"{folder}{os.pathsep}{environment['PATH']}"
    command = [str(each) for each in (program, *arguments)]
    done = subprocess.run(
        command, cwd=cwd, env=environment | variables, capture_output=True, text=True
    )
    if done.returncode:
        raise Lacking(f"{' '.join(command)} failed\n{done.stdout}{done.stderr}")
    return done.stdout


def locked(name: str) -> str:
    """A requirement as requirements.lock pins it."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return re.search(rf"^{name}==[^\s;\\]+", lock, re.MULTILINE)[0]


def archive(folder: Path, root: Path = ROOT, **variables: str) -> Path:
    """The source archive of the last commit, in a folder."""
    make = "import mesonpy, sys; mesonpy.build_sdist(sys.argv[1])"
    call(sys.executable, "-c", make, folder, cwd=root, **variables)
    (made,) = folder.glob("hedgerow-*.tar.gz")
    return made


def wheel(source: Path, folder: Path, python: object = sys.executable, **variables: str) -> Path:
    """The wheel of a source archive, in a folder, by the tools of an interpreter's environment."""
    options = ("--no-build-isolation", "--no-deps", "--wheel-dir", folder)
    call(python, *PIP, "wheel", *options, source, cwd=folder, **variables)
    (made,) = folder.glob("hedgerow-*.whl")
    return made


def unpack(source: Path, folder: Path) -> Path:
    """The folder that a source archive gives, below another one."""
    with tarfile.open(source) as files:
        files.extractall(folder, **FILTER)
    return folder / source.name.removesuffix(".tar.gz")


def other(name: str, source: Path, folder: Path) -> Path:
    """The wheel of a package beside the learner's from an unpacked source archive, in a folder."""
    sources = source / "src" / name
    wanted = {
        file.relative_to(sources.parent).as_posix()
        for file in sources.rglob("*")
        if file.suffix in SOURCES
    }
    options = ("--no-build-isolation", "--no-deps", "--wheel-dir", folder)
    call(sys.executable, *PIP, "wheel", *options, sources, cwd=folder)
    (made,) = folder.glob(f"{name}-*.whl")
    with zipfile.ZipFile(made) as files:
        missing = wanted.difference(files.namelist())
    if missing:
        raise Lacking(f"{made.name} lacks {', '.join(sorted(missing))}")
    return made


def check(made: Path) -> int:
    """Bytes of a wheel.

    Raises
    ------
    Lacking
        If it does not carry what it should, or is larger than it may be.
    """
    with zipfile.ZipFile(made) as files:
        if missing := CARRIED.difference(files.namelist()):
            raise Lacking(f"{made.name} lacks {', '.join(sorted(missing))}")
        folders = {name.partition("/")[0] for name in files.namelist()}
        if others := folders - {"hedgerow", _metadata(made)}:
            raise Lacking(f"{made.name} carries {', '.join(sorted(others))}")
    if (size := made.stat().st_size) > LARGEST_WHEEL:
        raise Lacking(f"{made.name} has {size} bytes, more than {LARGEST_WHEEL}")
    return size


def _metadata(made: Path) -> str:
    """Folder of a wheel's metadata."""
    return f"{'-'.join(made.name.split('-')[:2])}.dist-info"


def empty(folder: Path, python: object = sys.executable) -> Path:
    """The interpreter of a new environment, which holds pip alone."""
    call(python, "-m", "venv", folder, cwd=folder.parent)
    return folder / ("Scripts" if os.name == "nt" else "bin") / "python"


def example(readme: Path) -> None:
    """Run the README's example of an estimator, then what differs with and without pandas."""
    text = readme.read_text(encoding="utf-8").partition("## Example")[2]
    exec(compile(re.search(r"```python\n(.*?)```", text, re.DOTALL)[1], readme.name, "exec"), {})

    from hedgerow import C45Classifier
    from hedgerow.errors import InputError, LibraryError

    if importlib.util.find_spec("pandas") is None:
        tree = C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], list("aabb")).tree_
        try:
            tree.to_frame()
        except LibraryError as error:
            assert "'.[frames]'" in str(error), error
            return
        raise AssertionError("there is a data frame without pandas")

    import pandas as pd

    X = pd.DataFrame({"size": [1.0, 2.0, 3.0, None] * 5, "kind": ["p", "q", "p", "q"] * 5})
    try:
        C45Classifier().fit(X, X["kind"])
    except InputError as error:
        assert "'kind' of X holds text" in str(error), error
    else:
        raise AssertionError("a column of text was taken for numbers")
    X["kind"] = X["kind"].astype("category")
    model = C45Classifier().fit(X, X["kind"].astype(str))
    assert model.score(X, X["kind"].astype(str)) == 1.0
    assert model.tree_.to_text().startswith("kind in {p}"), model.tree_.to_text()
    assert len(model.tree_.to_frame()) == model.tree_.n_nodes == 3
    model.tree_.annotate(X, X["kind"].astype(str))


def pins(lock: str) -> str:
    """Versions of a lock as constraints; with its hashes pip would ask for one of the wheel."""
    return "\n".join(re.findall(r"^[a-z0-9][^\s;\\]*", lock, re.MULTILINE)) + "\n"


def alone_with_the_learner(folder: Path, made: Path, built: Mapping[str, Path]) -> None:
    """Install study and clinic, each with the learner into an empty environment, and use them."""
    constraints = folder / "pins.txt"
    constraints.write_text(pins((ROOT / "requirements.lock").read_text(encoding="utf-8")))
    for names, command in INSTALLED.items():
        python, wheels = empty(folder / names[-1]), [built[name] for name in names]
        call(python, *PIP, "install", "--constraint", constraints, made, *wheels, cwd=folder)
        for name in names:
            call(python, "-c", IMPORTED, name, cwd=folder)
        if f" {command} " not in call(python.with_name("hedgerow"), "--help", cwd=folder):
            raise Lacking(f"`hedgerow --help` does not list `{command}` of {names[-1]}")
        if "hedgerow_data" in names:
            call(python, "-c", ARCHIVED, cwd=folder)
        print(f"  {' and '.join(names)}: imported, with its commands, in an empty environment")


def main() -> None:
    """Build, install, run."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        source = archive(folder)
        made = wheel(source, folder)
        check(made)
        print(f"{made.name}, {made.stat().st_size:,} bytes, from the archive of the last commit")
        sources, built = unpack(source, folder), {}
        for name in OTHERS:
            built[name] = other(name, sources, folder)
            print(f"{built[name].name}, {built[name].stat().st_size:,} bytes")
        python = empty(folder / "empty")
        call(python, *PIP, "install", made, *map(locked, CORE), cwd=folder)
        for pandas in (None, locked("pandas"), "pandas>=3,<4"):
            try:
                if pandas:
                    call(python, *PIP, "install", pandas, cwd=folder)
            except Lacking:
                if "==" in pandas:
                    raise
                print(f"  {pandas}: not to be had, not tried")
                continue
            call(python, Path(__file__), "example", ROOT / "README.md", cwd=folder)
            print(f"  the README's example runs with {pandas or 'the core dependencies only'}")
            if pandas == locked("pandas"):
                call(python, *PIP, "install", f"{made}[data]", cwd=folder)
                call(python, "-c", LOAD, cwd=folder)
                call(python, "-c", ABSENT, cwd=folder)
                call(python.with_name("hedgerow"), "data", "list", cwd=folder)
                print("  a data set is loaded, and all are listed, without the project")
        alone_with_the_learner(folder, made, built)


if __name__ == "__main__":
    if sys.argv[1:2] == ["example"]:
        example(Path(sys.argv[2]))
    else:
        try:
            main()
        except Lacking as lacking:
            sys.exit(str(lacking))
