"""Play the forger: each forgery of this folder against a copy of a finished run.

    python tests/study/audit/forgeries/play.py RUN [NAME ...]

RUN holds a run of the commit that `hedgerow` itself is of. A line per forgery says what was asked,
how long it took and what was answered; the exit status is 1 where one passes.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import time
from importlib import import_module
from pathlib import Path

HERE = Path(__file__).parent
NAMES = sorted(file.stem for file in HERE.glob("?_*.py"))


def answer(forgery, run: Path) -> tuple[int, str]:
    """Exit status of its command in a folder, and what it said, on one line."""
    place = str(run / getattr(forgery, "FOLDER", ""))
    place = ["--project", place] if forgery.COMMAND[0] == "trace" else [place]
    command = [sys.executable, "-m", "hedgerow.cli", *forgery.COMMAND, *place]
    done = subprocess.run(command, capture_output=True, text=True, cwd=HERE)
    return done.returncode, " ".join((done.stdout + done.stderr).split())


def main(run: str, *names: str) -> int:
    """Play some forgeries, or all."""
    passed = 0
    for name in names or NAMES:
        forgery = import_module(name)
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "run"
            shutil.copytree(run, copy, ignore=shutil.ignore_patterns(".git", ".venv", "build"))
            undo = forgery.forge(copy)
            began = time.monotonic()
            try:
                _, said = answer(forgery, copy)
            finally:
                if undo:  # what it did to the environment
                    undo()
            seconds = time.monotonic() - began
        found = re.search(forgery.ANSWER, said)
        passed += found is None
        print(f"{name}: hedgerow {' '.join(forgery.COMMAND)}, {seconds:.0f} s: ", end="")
        print(f"found, {found[0][:100]!r}" if found else f"PASSES: {said[-300:]}", flush=True)
    return 1 if passed else 0


if __name__ == "__main__":
    sys.path.insert(0, str(HERE))
    sys.exit(main(*sys.argv[1:]))
