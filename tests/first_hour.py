"""The pages of docs/first_hour, tried by their commands: `python tests/first_hour.py`.

    python tests/first_hour.py                    all four, each in a fresh clone
    python tests/first_hour.py clinician auditor  these

The commands of a page are run one after the other, as whoever reads it would type them; one that
fails ends the page and is named. What stands there as a session of Python is run by
`tests/test_examples.py`. Installs packages: minutes for each page.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGES = ROOT / "docs/first_hour"
#: Of the environment at hand: a reader has none.
HIDDEN = ("PYTHONPATH", "PYTHONHOME", "VIRTUAL_ENV", "HEDGEROW_MIRROR")


def commands(page: str) -> list[str]:
    """The lines for a shell of a page, in their order."""
    blocks = re.findall(r"^```sh\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    return [line for block in blocks for line in block.splitlines()]


def names() -> list[str]:
    """The pages, by their names."""
    return sorted(page.stem for page in PAGES.glob("*.md"))


def tried(name: str, folder: Path) -> str | None:
    """The command of a page that fails in a fresh clone, and what it said; None where none does."""
    clone = folder / name
    subprocess.run(["git", "clone", "--quiet", str(ROOT), str(clone)], check=True)
    lines = commands((clone / "docs/first_hour" / f"{name}.md").read_text(encoding="utf-8"))
    # A failure with `!` before it is what the page says. One shell, which remembers `activate`.
    script = "\n".join(
        f"{line} || {{ echo {index} >&3; exit 1; }}" for index, line in enumerate(lines)
    )
    environment = {k: v for k, v in os.environ.items() if k not in HIDDEN}
    with tempfile.TemporaryFile("w+") as failed, tempfile.TemporaryFile("w+") as said:
        done = subprocess.run(
            ["bash", "-c", f"exec 3>&{failed.fileno()}\n{script}"],
            cwd=clone,
            env=environment,
            stdout=said,
            stderr=subprocess.STDOUT,
            pass_fds=[failed.fileno()],
        )
        failed.seek(0)
        said.seek(0)
        if done.returncode:
            return f"{lines[int(failed.read())]}\n{said.read()[-3000:]}"
    return None


def main(asked: list[str]) -> int:
    """Try the pages that are asked for, or all."""
    if unknown := sorted(set(asked) - set(names())):
        sys.exit(f"there is no page {unknown[0]}; there are {', '.join(names())}")
    failed = 0
    with tempfile.TemporaryDirectory(prefix="hedgerow-first-hour-") as folder:
        for name in asked or names():
            start = time.monotonic()
            wrong = tried(name, Path(folder))
            failed += wrong is not None
            print(
                f"{name}: {'as it says' if wrong is None else f'this fails: {wrong}'}"
                f" ({time.monotonic() - start:.0f} s)",
                flush=True,
            )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
