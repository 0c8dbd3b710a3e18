"""`make` on machines that lack something, and what continuous integration calls."""

from __future__ import annotations

import hashlib
import io
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib

import pytest
from throwaway import ROOT, clean_environment

from hedgerow_study.workflow.showing.generated import locked

TOOLS = ("bash", "cat", "dirname", "env", "find", "make", "mkdir", "rm", "sh")

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")


@pytest.fixture
def bare(tmp_path):
    """A copy of what `make` reads, and a PATH with a shell but neither Python nor compiler."""
    folder = tmp_path / "bare project"
    folder.mkdir()
    locks = ("requirements.lock", "requirements-build.lock")
    for name in ("Makefile", "meson.build", "pyproject.toml", *locks):
        shutil.copy2(ROOT / name, folder)
    (folder / "src").mkdir()
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in TOOLS:
        found = shutil.which(tool)
        if found:
            (tools / tool).symlink_to(found)

    def make(*arguments, **variables):
        environment = {k: v for k, v in clean_environment().items() if k not in ("CC", "PYTHON")}
        return subprocess.run(
            ["make", *arguments],
            cwd=folder,
            env={**environment, "PATH": str(tools), **variables},
            capture_output=True,
            text=True,
            timeout=60,
        )

    return make


def said(done) -> str:
    """What the user sees, without make's own last line."""
    assert done.returncode != 0
    lines = [line for line in done.stderr.splitlines() if not line.startswith("make: ***")]
    assert len(lines) == 1, done.stderr
    return lines[0]


def test_no_python(bare):
    line = said(bare("setup"))
    assert "needs Python 3.11 or newer" in line and "PYTHON=" in line


def test_python_too_old(bare, tmp_path):
    old = tmp_path / "bin" / "python3"
    old.write_text("#!/bin/sh\nexit 1\n")  # as the question for the version is answered
    old.chmod(0o755)
    assert "needs Python 3.11 or newer" in said(bare("setup"))


def test_no_compiler(bare):
    line = said(bare("setup", f"PYTHON={sys.executable}"))
    assert "needs a C compiler and found none of: cc gcc clang" in line


def test_a_compiler_that_is_named_but_absent(bare):
    line = said(bare("setup", f"PYTHON={sys.executable}", CC="no-such-compiler"))
    assert "found none of: no-such-compiler" in line


def test_a_path_with_a_quote_is_told_before_anything_starts(tmp_path):
    """Meson failed after minutes, with a traceback."""
    folder = tmp_path / "it's"
    folder.mkdir()
    shutil.copy(ROOT / "Makefile", folder)
    done = subprocess.run(["make", "setup"], cwd=folder, capture_output=True, text=True)
    assert done.returncode and "has a quote" in done.stderr and not list(folder.glob(".venv"))


def test_help_is_the_default(bare):
    done = bare()
    assert done.returncode == 0
    tests = ("test", "test-quick", "test-long", "test-asan", "test-dist", "types")
    tests += ("test-lowest", "test-newest", "test-slurm")
    for target in ("setup", "reproduce", *tests, "checks", "release-check", "bench", "clean"):
        assert f"make {target} " in done.stdout


def test_clean_keeps_the_page_that_is_tracked(bare, tmp_path):
    """Without it the next manifest would call the checkout changed."""
    assert bare("clean").returncode == 0, "nothing was made yet"
    reports = tmp_path / "bare project/reports"
    kept = reports / "README.md"
    for path in (kept, reports / "manifest.json", reports / "html/README.md", reports / ".x.part"):
        path.parent.mkdir(exist_ok=True)
        path.touch()
    archive = tmp_path / "bare project/data/changes/previous.tar.xz"
    archive.parent.mkdir(parents=True)
    archive.touch()
    assert bare("clean").returncode == 0
    assert list(reports.rglob("*")) == [kept] and not archive.exists()


def test_the_lock_is_made_of_extras_by_name():
    """`hedgerow[data,draw]` in an extra put `hedgerow @ file:...`, the folder, into the lock."""
    makefile = (ROOT / "Makefile").read_text("utf-8")
    named = re.findall(r"^(?:EXTRAS|CHECKS|DOCS) := (.+)$", makefile, re.MULTILINE)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert set(" ".join(named).split()) == set(project["optional-dependencies"])
    # Each extra is named, so that what it takes along can be left out.
    command = re.search(r"sed -E '(.+?)' pyproject\.toml", makefile)[1]
    found = subprocess.run(
        ["sed", "-E", command, "pyproject.toml"], cwd=ROOT, capture_output=True, text=True
    )
    extras = tomllib.loads(found.stdout)["project"]["optional-dependencies"]
    without = {
        name: [requirement for requirement in extra if not requirement.startswith("hedgerow[")]
        for name, extra in project["optional-dependencies"].items()
    }
    assert extras == without != project["optional-dependencies"]


SETUP = b"""
import pathlib, setuptools
pathlib.Path("thing.py").write_text(f"built_with = {setuptools.__version__!r}")
setuptools.setup(name="thing", version="1.0", py_modules=["thing"])
"""


def test_source_is_built_with_what_the_lock_names(bare, tmp_path):
    """`make setup` built three dependencies with whichever setuptools was the newest."""
    project = tmp_path / "bare project"
    with tarfile.open(project / "thing-1.0.tar.gz", "w:gz") as source:
        for name, text in (("setup.py", SETUP), ("PKG-INFO", b"Name: thing\nVersion: 1.0\n")):
            entry = tarfile.TarInfo(f"thing-1.0/{name}")
            entry.size = len(text)
            source.addfile(entry, io.BytesIO(text))
    sha256 = hashlib.sha256((project / "thing-1.0.tar.gz").read_bytes()).hexdigest()
    (project / "thing.lock").write_text(f"thing==1.0 --hash=sha256:{sha256}\n")
    install = "$(PIP_LOCKED) --no-index --find-links . --target built -r thing.lock"
    (project / "try.mk").write_text(f"include Makefile\ntry:\n\t@{install}\n")
    done = bare("-f", "try.mk", "try", f"VENV={sys.prefix}")
    assert done.returncode == 0, done.stderr
    builder = locked((ROOT / "requirements-build.lock").read_text("utf-8"))["setuptools"]
    assert (project / "built/thing.py").read_text() == f"built_with = '{builder}'"


def test_every_lock_is_asked_for_advisories(bare):
    done = bare("--dry-run", "advisories")
    assert done.returncode == 0, done.stderr
    locks = {path.name for path in ROOT.glob("*.lock")}
    assert set(re.findall(r"--requirement (\S+)", done.stdout)) == locks


@pytest.fixture
def checkout(tmp_path):
    """A checkout whose `make test` tells the mirror that it was given, after `make checks`."""
    folder = tmp_path / "checkout"
    (folder / ".ci").mkdir(parents=True)
    shutil.copy2(ROOT / ".ci/run", folder / ".ci/run")
    (folder / "Makefile").write_text(
        "checks:\n\t@touch checked\n"
        "docs:\n\t@true\n"
        "types:\n\t@exit $(TYPES)\n"
        'test: checked\n\t@echo "mirror=$(HEDGEROW_MIRROR)"; exit $(CODE)\n'
        "test-dist:\n\t@exit $(DIST)\n"
    )

    def run(code=0, dist=0, types=0, **variables):
        exits = {"CODE": str(code), "DIST": str(dist), "TYPES": str(types)}
        environment = clean_environment(**exits, **variables)
        if "HEDGEROW_MIRROR" not in variables:
            environment.pop("HEDGEROW_MIRROR", None)
        return subprocess.run(
            ["bash", str(folder / ".ci/run")],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
        )

    return run


def test_ci_without_a_mirror(checkout):
    assert checkout().stdout == "mirror=\n"


def test_ci_takes_the_mirror_beside_the_checkout(checkout, tmp_path):
    mirror = tmp_path / "shared/datasets"
    mirror.mkdir(parents=True)
    assert checkout().stdout == f"mirror={mirror}\n"
    assert checkout(HEDGEROW_MIRROR="mine").stdout == "mirror=mine\n"


def test_ci_fails_where_the_tests_fail(checkout):
    assert checkout(code=1).returncode != 0
    assert checkout(dist=1).returncode != 0
    assert checkout(types=1).returncode != 0
    assert checkout(code=0).returncode == 0
