"""Ties the compiled core to the sources it was built from.

The build runs this file as a script and installs what it writes as `hedgerow._core_digest`; the
workflow compares that with the sources at hand, so that results of a stale build are refused
rather than recorded. Standard library only: it runs before anything is installed.
"""

from __future__ import annotations

import hashlib
import importlib.util
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent
COMPILED = (".pyx", ".pxd", ".h")


def core_digest(package: Path = PACKAGE) -> str:
    """SHA-256 over names and contents of every source that is compiled."""
    total = hashlib.sha256()
    for file in sorted(f for f in package.rglob("*") if f.suffix in COMPILED):
        name = file.relative_to(package).as_posix()
        total.update(f"{name}\0{hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()


def compiled(package: Path = PACKAGE) -> dict[str, Path]:
    """The file of each compiled module that this interpreter imports, by the module's name."""
    sources = sorted(file.relative_to(package).with_suffix("") for file in package.rglob("*.pyx"))
    modules = [".".join(("hedgerow", *source.parts)) for source in sources]
    specs = {name: importlib.util.find_spec(name) for name in [*modules, "hedgerow._cyutility"]}
    return {name: Path(spec.origin) for name, spec in specs.items() if spec and spec.origin}


def check_core(package: Path = PACKAGE) -> str:
    """The digest of the compiled core, which must be that of its sources.

    Raises
    ------
    HedgerowError
        The core was built from other sources than those at hand.
    """
    from hedgerow._core_digest import DIGEST
    from hedgerow.errors import HedgerowError

    if core_digest(package) != DIGEST:
        raise HedgerowError(
            "the compiled core was built from other sources than those in src/hedgerow",
            remedy="call `touch src/hedgerow/*/*.pyx`: they are built at the next import",
        )
    return DIGEST


if __name__ == "__main__":
    digest = core_digest(Path(sys.argv[1]))
    Path(sys.argv[2]).write_text(
        '"""Written by the build: digest of the sources of the compiled core."""\n\n'
        f'DIGEST = "{digest}"\n',
        encoding="utf-8",
    )
