"""What type checkers read of the package, and what `make types` asks."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import hedgerow

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src/hedgerow"
SETTINGS = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]

#: A user's program with one mistake, in its last line.
PROGRAM = """
import hedgerow

leaves: int = hedgerow.C45Classifier().tree_.n_leaves
nodes: int = hedgerow.Tree.from_json("").n_nodes
name: str = hedgerow.__version__
share: str = hedgerow.Tree.from_json("").share_left
"""


def test_type_checkers_see_the_public_names():
    """`__init__.py` imports them on first use, which no checker follows: `__init__.pyi` does."""
    body = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8")).body
    imports = [node for node in body if isinstance(node, ast.ImportFrom)]
    stated = {alias.asname: (node.module, alias.name) for node in imports for alias in node.names}
    names = set(hedgerow.__all__) - {"__version__"}
    assert stated == {name: (hedgerow._HOME[name], name) for name in names}
    (version,) = [node for node in body if isinstance(node, ast.AnnAssign)]
    assert ast.unparse(version) == "__version__: str"
    assert (PACKAGE / "py.typed").read_bytes() == b""


def test_what_is_left_out_by_name_is_a_compiled_core():
    """A module of Python whose name stood there would never be checked."""
    (left_out,) = SETTINGS["overrides"]
    ours = {name for name in left_out["module"] if name.startswith("hedgerow")}
    build = (ROOT / "meson.build").read_text(encoding="utf-8")
    cores = {f"hedgerow.{a}.{b}" for a, b in re.findall(r"^  \['(\w+)', '(\w+)'\],$", build, re.M)}
    assert ours and ours <= cores


def test_the_rooms_that_are_asked_are_there():
    assert SETTINGS["strict"] is True
    for path in SETTINGS["files"]:
        assert (ROOT / path).exists(), path


@pytest.mark.slow
def test_a_mistake_of_a_user_is_found(tmp_path):
    pytest.importorskip("mypy", reason="`make checks` installs it")
    program = tmp_path / "program.py"
    program.write_text(PROGRAM, encoding="utf-8")
    asked = ["--config-file", str(ROOT / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache")]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *asked, str(program)],
        cwd=ROOT,
        capture_output=True,
        text=True,
    )
    errors = [line for line in done.stdout.splitlines() if "error:" in line]
    assert len(errors) == 1 and errors[0].startswith(f"{program}:7:"), done.stdout + done.stderr
