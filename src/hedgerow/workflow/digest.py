"""Digests of the code that a job runs.

Snakemake sees a changed script, never a changed import. Each rule therefore carries in `params`
a digest of the parts of the package that its job uses, so that an edit reruns what depends on it
and nothing else. The frame of the scripts (`hedgerow.workflow.jobs`) is left out: it decides how
files are written, not what is in them.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

PACKAGE = Path(__file__).resolve().parents[1]
SOURCES = (".py", ".pyx", ".pxd", ".pxi", ".h", ".c", ".j2")


def digest_of(*parts: str, package: Path | str = PACKAGE) -> str:
    """Hash the sources of parts of the package.

    Parameters
    ----------
    *parts : str
        A room (`tree`: every source in the folder), a module (`evaluation.metrics`), or a function
        with all that it reaches inside its module (`experiments.soft:learn`): other functions,
        classes and constants, and the statements that import what they use. Sources are Python,
        Cython and C files, read from where the package lies, be it installed or editable.
    package : path, optional
        Folder of the package.

    Returns
    -------
    str
        64 hexadecimal digits; they depend neither on the order of the parts nor on where the
        package lies.

    Raises
    ------
    FileNotFoundError
        If a part has no source file: a digest of nothing would never change.
    LookupError
        If a module has no such function.
    """
    total = hashlib.sha256()
    for part in sorted(set(parts)):
        for name, source in _sources(part, Path(package)):
            total.update(f"{name}\0{hashlib.sha256(source).hexdigest()}\n".encode())
    return total.hexdigest()


#: Fields of a registry entry that describe a data set to the reader and change nothing in it.
DESCRIPTIVE = {"citation", "homepage", "licence", "note", "printed", "published_as", "title"}


def entry_digests(registry: Mapping[str, Any]) -> dict[str, str]:
    """Hash what fetching and tidying read of each registry entry.

    Parameters
    ----------
    registry : mapping of str to `hedgerow.data.DatasetEntry`

    Returns
    -------
    dict
        Key of the data set to 64 hexadecimal digits, over the entry, the parent of a variant and
        the generator of a synthetic set.
    """
    found = {}
    for key, entry in registry.items():
        text = _plain(entry) + (digest_of("data.synthetic") if entry.synthetic else "")
        found[key] = hashlib.sha256(text.encode()).hexdigest()
    return found


def _plain(value: Any) -> str:
    """A text that tells two values apart and does not depend on the order of keys."""
    if dataclasses.is_dataclass(value):
        names = [f.name for f in dataclasses.fields(value) if f.name not in DESCRIPTIVE]
        return _plain({name: getattr(value, name) for name in names})
    if isinstance(value, Mapping):
        items = sorted((str(key), _plain(item)) for key, item in value.items())
        return "{" + ",".join(f"{key!r}:{item}" for key, item in items) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_plain(item) for item in value) + "]"
    return repr(value)


def _sources(part: str, package: Path) -> Iterator[tuple[str, bytes]]:
    """Names and bytes of the sources of one part, sorted by name."""
    module, _, function = part.partition(":")
    place = package.joinpath(*module.split("."))
    if function:
        text = _module_file(place, part, package).read_text(encoding="utf-8")
        yield part, reachable_source(text, function, module).encode()
        return
    if place.is_dir():
        files = sorted(f for f in place.rglob("*") if f.suffix in SOURCES and f.is_file())
    else:
        files = sorted(f for f in place.parent.glob(f"{place.name}.*") if f.suffix in SOURCES)
    if not files:
        raise FileNotFoundError(f"no source of `hedgerow.{part}` in {package}")
    for file in files:
        yield file.relative_to(package).as_posix(), file.read_bytes()


def _module_file(place: Path, part: str, package: Path) -> Path:
    for file in (place.with_suffix(".py"), place / "__init__.py"):
        if file.is_file():
            return file
    raise FileNotFoundError(f"no source of `hedgerow.{part}` in {package}")


def reachable_source(text: str, function: str, module: str = "module") -> str:
    """Source of a function and of every top-level statement that it reaches by name.

    Parameters
    ----------
    text : str
        Source of a Python module.
    function : str
        Name bound at the top level of the module.
    module : str, optional
        Name of the module, for the message.

    Returns
    -------
    str
        The statements in the order of the module. Statements that bind no name (a call, a loop)
        may have an effect on anything and always belong to it; docstrings of the module do not.

    Raises
    ------
    LookupError
        If the name is not bound at the top level.
    """
    statements = _statements(text)
    binders: dict[str, list[int]] = {}
    for number, statement in enumerate(statements):
        for name in statement.binds:
            binders.setdefault(name, []).append(number)
    if function not in binders:
        raise LookupError(f"`hedgerow.{module}` has no `{function}`")
    wanted = {n for n, s in enumerate(statements) if not s.binds and not s.is_text}
    pending = [*wanted, *binders[function]]
    wanted.update(pending)
    while pending:
        for name in statements[pending.pop()].uses & binders.keys():
            new = set(binders[name]) - wanted
            wanted |= new
            pending += new
    return "\n".join(statements[number].source for number in sorted(wanted))


@dataclasses.dataclass(frozen=True)
class _Statement:
    """A top-level statement: the names that it binds and uses, and its source."""

    binds: frozenset[str]
    uses: frozenset[str]
    is_text: bool
    source: str


@functools.lru_cache(maxsize=128)
def _statements(text: str) -> tuple[_Statement, ...]:
    """Statements of a module; many rules declare parts of the same one."""
    return tuple(
        _Statement(
            frozenset(_bound_names(statement)),
            frozenset(n.id for n in ast.walk(statement) if isinstance(n, ast.Name)),
            isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant),
            ast.unparse(statement),
        )
        for statement in ast.parse(text).body
    )


def _bound_names(statement: ast.stmt) -> set[str]:
    """Names that a top-level statement binds."""
    if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(a.asname or a.name).partition(".")[0] for a in statement.names}
    return {
        node.id
        for node in ast.walk(statement)
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
    }
