"""Digests of the code that a job runs, computed from the code.

Snakemake sees a changed script, never a changed import. Each rule therefore carries in `params` a
digest of all that its function reaches: an edit reruns what depends on it and nothing else.
Nobody lists anything; `reached` follows names from statement to statement and imports from module
to module.

Code that carries files and settings to a function and back, and changes nothing in them, is left
out (`FRAME`), and so is what each data set carries in the digest of its entry (`BY_ENTRY`).
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import functools
import hashlib
import importlib.util
import itertools
import json
import os
import re
import symtable
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from hedgerow.errors import HedgerowError
from hedgerow.files import write_bytes

#: The package of the study, and that of the learner beside it. A room has one name in both.
STUDY = Path(__file__).resolve().parents[2]
PACKAGE = STUDY.with_name("hedgerow")

PACKAGES = (PACKAGE.name, STUDY.name)

#: Rooms and modules that no digest holds, but for what a job names there itself: how its inputs are
#: read and its settings put in order, and how its captions are filled (`workflow.jobs.steps`).
FRAME = ("schema", "errors", "optional_imports", "experiments.plan", "experiments.step", "workflow")

#: What these make of the registry's text stands in `params` of fetch and tidy, entry by entry.
BY_ENTRY = ("data.registry", "data.synthetic")

#: Compiled sources. They are taken together with all others of their room: C knows no names that
#: could be followed.
COMPILED = (".pyx", ".pxd", ".pxi", ".h", ".c")
CYTHON = (".pyx", ".pxd", ".pxi")

#: Decorators that only change the function below them. Any other may put the function on a list,
#: so that it belongs to all that reaches its module.
PURE = {"cache", "contextmanager", "dataclass", "lru_cache", "step", "table", "figure"}

#: Functions that `digest_of` was asked for: where the code of the planned jobs begins.
ASKED: set[str] = set()

#: Parameters that tell a job what is so when it runs, and not what was asked for.
NO_SETTINGS = {"script", "checkout", "state"}


class UntraceableError(HedgerowError):
    """Code whose dependencies cannot be followed: its digest would be wrong in silence."""


def digest_of(*functions: str, package: Path | str = PACKAGE) -> str:
    """Hash all that functions of the package reach.

    Returns: 64 hexadecimal digits; they depend neither on the order of the functions nor on where
        the package lies, and not on comments, docstrings, or the layout of Python.
    """
    total = hashlib.sha256()
    for name, source in reached(*functions, package=package).items():
        total.update(f"{name}\0{_hash(source)}\n".encode())
    if package == PACKAGE:
        ASKED.update(functions)
    return total.hexdigest()


def script_digest(name: str, folder: Path | str = "workflow/scripts") -> str:
    """SHA-256 of a script of the workflow: Snakemake itself would go by its time."""
    return hashlib.sha256((Path(folder) / f"{name}.py").read_bytes()).hexdigest()


#: Fields of a registry entry that describe a data set to the reader and change nothing in it.
DESCRIPTIVE = {
    *("archived", "citation", "cohort", "doi", "homepage", "licence", "note", "printed"),
    *("published_as", "title"),
}


def entry_digests(registry: Mapping[str, Any]) -> dict[str, str]:
    """Hash what tidying reads of each registry entry.

    Returns: key of the data set to 64 hexadecimal digits, over the entry and the parent of a
        variant, with their readers and without their sources (`source_digests`).
    """
    digests = {}
    for key, entry in registry.items():
        readers = sorted({_plain(source.reader) for source in entry.base.sources})
        digests[key] = settings_digest([_without_sources(entry), readers])
    return digests


def _without_sources(entry: Any) -> Any:
    """A registry entry as rule tidy reads it."""
    parent = None if entry.parent_entry is None else _without_sources(entry.parent_entry)
    return dataclasses.replace(entry, sources=(), synthetic_plan=None, parent_entry=parent)


def source_digests(registry: Mapping[str, Any]) -> dict[str, str]:
    """Hash where the file of each set with a file of its own can be had, as `entry_digests`.

    Readers are left out, which rule tidy uses; the generator of a synthetic set belongs to it.
    """
    generators = generators_digest()
    digests = {}
    for key, entry in registry.items():
        if entry.parent is None:
            sources = [dataclasses.replace(source, reader=None) for source in entry.sources]
            text = _plain([*sources, entry.synthetic_plan])
            text += generators if entry.synthetic else ""
            digests[key] = _hash(text)
    return digests


def generators_digest(package: Path | str = PACKAGE) -> str:
    """Hash the code that draws synthetic sets, 64 hexadecimal digits."""
    return digest_of("data.synthetic", package=package)


def settings_digest(params: Any) -> str:
    """Hash parameters of a job, whatever the order of their keys."""
    return _hash(_plain(params))


def settings_of_job(params: Mapping[str, Any]) -> str:
    """`settings_digest` of all parameters of a job but its code.

    The bytes of its script are no setting, nor is the state of the checkout.
    """
    apart = {"code", *NO_SETTINGS}
    return settings_digest({name: value for name, value in params.items() if name not in apart})


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _plain(value: Any) -> str:
    """A text that tells two values apart and does not depend on the order of keys."""
    if isinstance(value, str | int | float):  # most values
        return repr(value)
    if dataclasses.is_dataclass(value):
        names = [f.name for f in dataclasses.fields(value) if f.name not in DESCRIPTIVE]
        return _plain({name: getattr(value, name) for name in names})
    if isinstance(value, Mapping):
        items = sorted((str(key), _plain(item)) for key, item in value.items())
        return "{" + ",".join(f"{key!r}:{item}" for key, item in items) + "}"
    if isinstance(value, list | tuple):
        return "[" + ",".join(_plain(item) for item in value) + "]"
    return repr(value)


# ------------------------------------------------------------------------- what is reached


def reached(*functions: str, package: Path | str = PACKAGE) -> dict[str, str]:
    """Every source that functions of the package reach.

    Returns: file (relative to the package) to source, sorted. Of a Python module there are only the
        statements that are reached by name; those that bind no name (a call, a loop) may have an
        effect on anything and always belong to it. A module that is used as a value, not by its
        attributes, is taken whole. Compiled sources come with all others of their room and of the
        rooms that they import. Templates are found by their names in the code. Comments and
        docstrings are left out.
    """
    sources, statements, others = _walk(functions, package)
    texts = {}
    for file, numbers in statements.items():
        parts = [sources.parsed(file).statements[number].source for number in sorted(numbers)]
        texts[file] = "\n".join(filter(None, parts))
    texts |= {file: _plain_source(file, text) for file, text in others.items()}
    return dict(sorted(texts.items()))


def code_by_function(*functions: str, package: Path | str = PACKAGE) -> dict[str, str]:
    """Hash each function, class and constant that functions of the package reach.

    Returns: `<module>:<name>` of a statement, `<file>:<name>` of a function of a compiled source,
        `<file>` of what is left of one and of a template, to 12 hexadecimal digits. Comments and
        docstrings do not count. The name is empty for statements that bind none.
    """
    sources, statements, others = _walk(functions, package)
    texts: dict[str, list[str]] = {}
    for file, numbers in statements.items():
        module = file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
        for statement in map(sources.parsed(file).statements.__getitem__, sorted(numbers)):
            for name in sorted(statement.binds) or [""]:
                if statement.source and not statement.is_import:
                    texts.setdefault(f"{module}:{name}", []).append(statement.source)
    for file, text in others.items():
        plain, cython = _plain_source(file, text), file.endswith(CYTHON)
        for block in re.split(r"\n(?=[a-z@])", plain) if cython else [plain]:
            function = re.match(r"(?:cp?def|def|class)\b[^=(:]*?(\w+) *[(:]", block)
            name = f"{file}:{function[1]}" if function and cython else file
            texts.setdefault(name, []).append(block)
    return {name: _hash("\n".join(parts))[:12] for name, parts in sorted(texts.items())}


def _plain_source(file: str, text: str) -> str:
    """A compiled source without its prose; a template as it is."""
    suffix = os.path.splitext(file)[1]
    return without_prose(text, suffix) if suffix in COMPILED else text


#: A module of the package and a name in it; None is the module as a whole.
Place = tuple[str, str | None]


def _walk(
    functions: Iterable[str], package: Path | str
) -> tuple[_Sources, dict[str, set[int]], dict[str, str]]:
    """Numbers of the statements that functions reach, by file, and texts of other sources."""
    sources = _taken.get(str(package)) or _sources(str(package), _state(Path(package)))
    pending: list[Place] = []
    for function in functions:
        module, _, name = function.partition(":")
        pending.append(sources.place(module, name) if name else (module, None))
    named, seen = set(pending), set()
    statements: dict[str, set[int]] = {}
    others: dict[str, str] = {}
    while pending:
        place = pending.pop()
        if place in seen or (_left_out(place[0]) and place not in named):
            continue
        seen.add(place)
        file, numbers, onward, texts = sources.reached(*place)
        if numbers:
            statements.setdefault(file, set()).update(numbers)
        others |= texts
        pending += onward
    return sources, statements, others


class _Sources:
    """The sources of a package in one state: what a name reaches is looked up once."""

    def __init__(self, folder: str):
        self.folders = folders_of(folder)
        self.reached = functools.cache(self._reached)
        self.parsed = functools.cache(
            lambda file: _parsed(str(self.at(file)), _stamp(self.at(file)))
        )
        self.place = functools.cache(self._place)
        self.file = functools.cache(self._file)

    def at(self, name: str) -> Path:
        """The file or folder of a name; where it is in neither package, in that of the learner."""
        existing = (folder / name for folder in self.folders if (folder / name).exists())
        return next(existing, self.folders[0] / name)

    def _reached(self, module: str, name: str | None) -> tuple[str, set[int], list[Place], dict]:
        """What a place reaches in one step: statements of its file, other places, other texts."""
        file = self.file(module)
        if not file:
            return "", set(), *self._room(module)
        parsed = self.parsed(file)
        numbers = parsed.reach(name, module)
        onward: dict[Place, None] = {}
        others: dict[str, str] = {}
        for number in sorted(numbers):
            if parsed.statements[number].reads_docstrings:
                raise UntraceableError(
                    f"{file}: code of a job reads a docstring, which no digest holds",
                    remedy="keep the text in a constant",
                )
            onward |= dict.fromkeys(self._imported(parsed, numbers, number))
            for template in parsed.statements[number].templates:
                self._read_template(template, others)
        return file, numbers, list(onward), others

    def _file(self, module: str) -> str:
        """Source of a Python module, relative to the package; empty for a compiled one."""
        place = module.replace(".", "/")
        for file in (f"{place}.py", f"{place}/__init__.py") if module else ("__init__.py",):
            if self.at(file).is_file():
                return file
        if any(self.at(place + suffix).is_file() for suffix in COMPILED):
            return ""
        raise FileNotFoundError(f"no source of `hedgerow.{module}` in {self.folders[0]}")

    def _place(self, module: str, name: str) -> Place:
        """Module that defines a name, and the name there; None for a module itself."""
        file = self.file(module)
        if not file:
            return module, None
        parsed = self.parsed(file)
        # What a package exports hides a module of the same name.
        if name in parsed.exported:
            return self.place(*parsed.exported[name])
        if name in parsed.binders:
            return module, name
        inner = f"{module}.{name}".lstrip(".")
        path, suffixes = inner.replace(".", "/"), (".py", ".pyx", ".pxd")
        if self.at(path).is_dir() or any(self.at(path + suffix).is_file() for suffix in suffixes):
            return inner, None
        raise LookupError(f"`hedgerow.{module}` has no `{name}`")

    def _imported(self, parsed: _Module, numbers: set[int], number: int) -> Iterator[Place]:
        """What one statement uses of other modules of the package."""
        statement = parsed.statements[number]
        if statement.is_import:
            return
        imports = list(statement.imports)  # inside a function
        for used in statement.uses - {bound for bound, _, _ in imports}:
            for n in numbers.intersection(parsed.binders.get(used, ())):
                imports += [each for each in parsed.statements[n].brings if each[0] == used]
        for bound, *origin in imports:
            module, name = self.place(*origin)
            if name is None and bound not in statement.bare and self.file(module):
                # A module, of which the statement uses some attributes only.
                used = (a for owner, a in statement.attributes if owner == bound)
                yield from (self.place(module, attribute) for attribute in used)
            else:
                yield module, name

    def _room(self, module: str) -> tuple[list[Place], dict[str, str]]:
        """What the compiled sources of a room import, and their texts by file."""
        room = self.folders[0].joinpath(*module.split(".")).parent
        files = sorted(f for f in room.iterdir() if f.suffix in COMPILED)
        texts = {f.relative_to(self.folders[0]).as_posix(): f.read_text("utf-8") for f in files}
        imports = re.compile(r"^\s*from hedgerow\.(\S+) c?import", re.MULTILINE)
        return [
            (imported, None) for text in texts.values() for imported in imports.findall(text)
        ], texts

    def _read_template(self, name: str, others: dict[str, str]) -> None:
        """Take a template and those that it imports."""
        if name not in others:
            others[name] = text = self.at(name).read_text("utf-8")
            for other in re.findall(
                r"{%-?\s*(?:import|from|include|extends)\s+[\"']([^\"']+)", text
            ):
                self._read_template(other, others)


def folders_of(package: Path | str) -> list[Path]:
    """Folder of the learner's package, and of the study's where one is beside it."""
    package = Path(package)
    return [package, *filter(Path.is_dir, [package.with_name(f"{package.name}_study")])]


def _state(package: Path) -> tuple[tuple[str, int, int], ...]:
    """Tells two states of the sources of a package apart."""
    stamps, folders = [], list(map(str, folders_of(package)))
    for folder in folders:
        with os.scandir(folder) as entries:
            for entry in entries:
                if entry.name.endswith((".py", *COMPILED)):
                    stamps.append((entry.path, *_stamp(entry.path)))
                elif entry.is_dir() and entry.name != "__pycache__":
                    folders.append(entry.path)
    return tuple(sorted(stamps))


@functools.lru_cache(maxsize=2)
def _sources(package: str, state: tuple) -> _Sources:
    """The sources of a package; another state has another object."""
    return _Sources(package)


#: Sources that `take_sources` has looked at, by package.
_taken: dict[str, _Sources] = {}


def take_sources(package: Path | str = PACKAGE) -> None:
    """Look at the sources of a package once for all later digests of this process.

    Without it, each digest looks at every source again, in case one was edited. The Snakefile
    calls it: all rules of a plan then refer to the same state of the code.
    """
    _taken[str(package)] = _sources(str(package), _state(Path(package)))


@functools.cache
def _left_out(module: str) -> bool:
    return any(module == part or module.startswith(f"{part}.") for part in (*FRAME, *BY_ENTRY))


def _stamp(file: Path | str) -> tuple[int, int]:
    """Tells two states of a file apart, so that an edit is read."""
    state = os.stat(file)
    return state.st_mtime_ns, state.st_size


# ------------------------------------------------------------------------- compiled sources

_CYTHON = re.compile(
    r"""(?P<text>[A-Za-z]{0,2}(?:\"{3}(?:\\.|[^\\])*?\"{3}|'{3}(?:\\.|[^\\])*?'{3}
        |"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'))|(?P<remark>\#[^\n]*)""",
    re.DOTALL | re.VERBOSE,
)
_C = re.compile(
    r"""(?P<text>"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')|(?P<remark>/\*.*?\*/|//[^\n]*)""",
    re.DOTALL,
)

#: Comments that are directives to the compiler.
_DIRECTIVE = re.compile(r"#\s*(cython|distutils)\s*:")


@functools.lru_cache(maxsize=512)  # the same few sources stand behind most jobs
def without_prose(text: str, suffix: str) -> str:
    """A compiled source without its comments and docstrings.

    Directives to the compiler stay, and so does C code that stands in a Cython source.
    """
    c = suffix in (".h", ".c")
    kept: list[str] = []  # texts and directives, in whose place a mark stands
    pieces: list[str] = []
    at = depth = 0
    begun = False
    head = ""  # code since the last line that was complete, without texts and remarks
    for match in (_C if c else _CYTHON).finditer(text):
        code, at = text[at : match.start()], match.end()
        pieces.append(code)
        begun = begun or code.strip() != ""
        for line in code.splitlines(keepends=True):
            depth += sum(map(line.count, "([{")) - sum(map(line.count, ")]}"))
            head += line
            # The line goes on within brackets; what ends by a colon is the head of a block.
            if line.endswith("\n") and depth == 0 and not head.rstrip().endswith(":"):
                head = ""
        if match["remark"]:
            stays = not c and _DIRECTIVE.match(match["remark"])
        else:
            alone = text[text.rfind("\n", 0, match.start()) + 1 : match.start()].strip() == ""
            opens = not begun or head.rstrip().endswith(":")
            verbatim = re.search(r"^\s*cdef\s+extern\b[^\n]*:\s*$", head, re.MULTILINE)
            stays = c or not (alone and opens and depth == 0) or bool(verbatim)
            if stays:
                head += "''"
                begun = True
        if stays:
            pieces.append(f"\0{len(kept)}\0")
            kept.append(match[0])
        elif c:
            pieces.append(" ")
    pieces.append(text[at:])
    code = "".join(pieces)
    if c:
        code = re.sub(r"[ \t]+", " ", code)
    code = re.sub(r"[ \t]+$", "", code, flags=re.MULTILINE)
    code = re.sub(r"\n+", "\n", code).strip("\n")
    return re.sub("\0(\\d+)\0", lambda mark: kept[int(mark[1])], code)


# ------------------------------------------------------------------------------ one module


@dataclasses.dataclass(frozen=True)
class _Statement:
    """A top-level statement of a module; `imports` are (bound, module of the package, name)."""

    source: str  # without comments, docstrings and layout
    reads_docstrings: bool
    binds: frozenset[str]
    uses: frozenset[str]
    bare: frozenset[str]  # names that it reads otherwise than for an attribute
    attributes: frozenset[tuple[str, str]]  # owner and attribute
    imports: tuple[tuple[str, str, str], ...]
    brings: tuple[tuple[str, str, str], ...]  # imports for the whole module, in a block or not
    templates: tuple[str, ...]
    always: bool  # whether it may have an effect on the rest of its module
    is_import: bool


@dataclasses.dataclass(frozen=True)
class _Module:
    """Statements of a module, who binds which name, and what it takes from others."""

    statements: tuple[_Statement, ...]
    binders: dict[str, list[int]]
    exported: dict[str, tuple[str, str]]

    def reach(self, name: str | None, module: str) -> set[int]:
        """Numbers of the statements that a name reaches; of all, without one."""
        if name is None:
            return set(range(len(self.statements)))
        if name not in self.binders:
            raise LookupError(f"`hedgerow.{module}` has no `{name}`")
        wanted = {n for n, s in enumerate(self.statements) if s.always}
        pending = [*wanted, *self.binders[name]]
        wanted.update(pending)
        while pending:
            for used in self.statements[pending.pop()].uses & self.binders.keys():
                new = set(self.binders[used]) - wanted
                wanted |= new
                pending += new
        return wanted


@functools.lru_cache(maxsize=512)
def _parsed(file: str, stamp: tuple[int, int]) -> _Module:
    """A module, parsed once for all that reach it, and kept beside its bytecode.

    Parsing the package takes seconds, which each command of Snakemake would pay.
    """
    text = Path(file).read_text(encoding="utf-8")
    place, key = kept_at(file), _hash(f"{_parser()}\0{text}")
    statements = _kept(place, key)
    if statements is None:
        statements = _statements(text, file)
        if not sys.dont_write_bytecode:
            content = json.dumps(list(map(dataclasses.asdict, statements)), default=sorted)
            with contextlib.suppress(OSError):  # a package that is installed may be read-only
                write_bytes(place, f"{key} {_hash(content)}\n{content}".encode())
    binders: dict[str, list[int]] = {}
    for number, statement in enumerate(statements):
        for name in statement.binds:
            binders.setdefault(name, []).append(number)
    exported = {b: (m, n) for s in statements if s.is_import for b, m, n in s.imports}
    return _Module(statements, binders, exported)


def _statements(text: str, file: str) -> tuple[_Statement, ...]:
    return tuple(_statement(node, file) for node in ast.parse(text).body)


def kept_at(file: str) -> Path:
    """Where the statements of a source file are kept: where Python keeps its bytecode."""
    return Path(importlib.util.cache_from_source(file)).with_suffix(".digest.txt")


@functools.cache
def _parser() -> str:
    """Key of the parser: another Python or an edit of this module parses again."""
    return f"{sys.version}\0{Path(__file__).read_text(encoding='utf-8')}"


def _kept(place: Path, key: str) -> tuple[_Statement, ...] | None:
    """Statements that were kept whole of the same text, else None."""
    try:
        head, _, text = place.read_bytes().decode().partition("\n")
    except (OSError, ValueError):
        return None
    if head != f"{key} {_hash(text)}":
        return None
    statements = []
    for content in json.loads(text):
        # JSON has lists only.
        for name in ("binds", "uses", "bare"):
            content[name] = frozenset(content[name])
        for name in ("attributes", "imports", "brings"):
            content[name] = tuple(map(tuple, content[name]))
        attributes, templates = frozenset(content["attributes"]), tuple(content["templates"])
        statements.append(
            _Statement(**{**content, "attributes": attributes, "templates": templates})
        )
    return tuple(statements)


#: Arguments of `schema.setting` that decide which value a step reads. Default, meaning
#: and bounds do not: a step reads what its rule declares, as the configuration has it.
OF_SETTINGS = {"choices", "descending"}


class _SettingsCut(ast.NodeTransformer):
    """Leaves of each setting of a plan what results depend on."""

    def visit_Call(self, node: ast.Call) -> ast.Call:
        if isinstance(node.func, ast.Name) and node.func.id == "setting":
            node.args = []
            node.keywords = [k for k in node.keywords if k.arg in OF_SETTINGS]
        return node


def _statement(node: ast.stmt, file: str) -> _Statement:
    if isinstance(node, ast.ClassDef):
        node = _SettingsCut().visit(node)
    nodes = _without_docstrings(node)
    # A text on its own is the docstring of the module, or nothing at all.
    source = "" if _is_text(node) else ast.unparse(node)
    kinds: dict[type, list[Any]] = {}
    for other in nodes:
        kinds.setdefault(type(other), []).append(other)
    for other in kinds.get(ast.Global, ()):
        raise UntraceableError(
            f"{file}: `global {', '.join(other.names)}` cannot be followed",
            remedy="return the value, or keep it in an object",
        )
    froms = (*kinds.get(ast.Import, ()), *kinds.get(ast.ImportFrom, ()))
    imports = [imported for other in froms for imported in _imports(other, file)]
    names, attributes = kinds.get(ast.Name, []), kinds.get(ast.Attribute, [])
    texts = [n.value for n in kinds.get(ast.Constant, ()) if isinstance(n.value, str)]
    asked = itertools.chain((n.id for n in names), (n.attr for n in attributes), texts)
    reads_docstrings = any(word in ("__doc__", "getdoc") for word in asked)
    if isinstance(node, _SCOPES):
        local = {n.id for n in names} - _read_outside(source) - {bound for bound, _, _ in imports}
        names = [n for n in names if n.id not in local]
    outer = set(map(id, names))
    owners = [n for n in attributes if id(n.value) in outer]
    bases = {id(n.value) for n in owners}
    binds = frozenset(_bound_names(node))
    return _Statement(
        source,
        reads_docstrings=reads_docstrings,
        binds=binds,
        uses=frozenset(n.id for n in names),
        bare=frozenset(n.id for n in names if id(n) not in bases),
        attributes=frozenset((n.value.id, n.attr) for n in owners),
        imports=tuple(imports),
        brings=() if isinstance(node, _SCOPES) else tuple(imports),
        templates=tuple(filter(_is_template, texts)),
        always=not binds or not _decorators(node) <= PURE,
        is_import=isinstance(node, ast.Import | ast.ImportFrom),
    )


def _is_text(node: ast.stmt) -> bool:
    """Whether a statement is a text and nothing else."""
    value = node.value if isinstance(node, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def _without_docstrings(node: ast.stmt) -> list[ast.AST]:
    """Cut docstrings of functions and classes; return the nodes that stay."""
    nodes = list(ast.walk(node))
    gone = set()
    for scope in nodes:
        if isinstance(scope, _SCOPES) and _is_text(scope.body[0]):
            gone |= {id(scope.body[0]), id(scope.body[0].value)}
            scope.body = scope.body[1:] or [ast.Pass()]
    return [other for other in nodes if id(other) not in gone]


def _is_template(value: str) -> bool:
    """Whether a text names a file of the package that pages are made of."""
    folders, suffixes = (
        ("experiments/", "extensions/", "reporting/"),
        (".j2", ".css", ".js", ".yaml"),
    )
    return value.endswith(suffixes) and (value.endswith(".j2") or value.startswith(folders))


_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)


def _read_outside(source: str) -> set[str]:
    """Names that a function or class reads, if at all, otherwise than as its own variables.

    A variable may be called like a function of the module, which it does not reach.
    """
    scopes = [symtable.symtable(source, "statement", "exec")]
    read = {s.get_name() for s in scopes[0].get_symbols() if s.is_referenced()}
    for scope in scopes:
        scopes += scope.get_children()
        symbols = scope.get_symbols() if scope is not scopes[0] else ()
        # In the body of a class, `y = y` reads the name of the module.
        outer = scope.get_type() == "class"
        read |= {s.get_name() for s in symbols if s.is_referenced() and (outer or s.is_global())}
    return read


def _imports(node: ast.AST, file: str) -> Iterator[tuple[str, str, str]]:
    """What an import statement binds from the package."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            if alias.name.split(".")[0] in PACKAGES:
                raise UntraceableError(
                    f"{file}: `import {alias.name}` cannot be followed",
                    remedy="write `from hedgerow... import ...`",
                )
    if isinstance(node, ast.ImportFrom):
        if node.level or any(alias.name == "*" for alias in node.names):
            raise UntraceableError(
                f"{file}: relative imports and `import *` cannot be followed",
                remedy="write `from hedgerow... import ...`",
            )
        package, _, module = node.module.partition(".")
        if package in PACKAGES:
            for alias in node.names:
                yield alias.asname or alias.name, module, alias.name


def _decorators(node: ast.stmt) -> set[str]:
    """Names of the decorators of a function or class."""
    names = set()
    for decorator in getattr(node, "decorator_list", ()):
        target = decorator.func if isinstance(decorator, ast.Call) else decorator
        names.add(target.attr if isinstance(target, ast.Attribute) else getattr(target, "id", ""))
    return names


def _bound_names(statement: ast.stmt) -> set[str]:
    """Names that a top-level statement binds."""
    if isinstance(statement, _SCOPES):
        return {statement.name}
    if isinstance(statement, ast.Import | ast.ImportFrom):
        return {(a.asname or a.name).partition(".")[0] for a in statement.names}
    names = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif node is not statement:  # an import in a block
            names |= _bound_names(node) if isinstance(node, ast.Import | ast.ImportFrom) else set()
    return names
