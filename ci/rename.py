"""Rename names by a table, where they are meant and nowhere else.

    python ci/rename.py local TABLE.csv --write     path, function, old, new
    python ci/rename.py module TABLE.csv --write    path, old, new

`local` renames variables and parameters of a function (`Class.method`, `outer.inner`), in its
comprehensions and closures, and keyword arguments of calls to a function of this name. `module`
renames what a module defines, wherever it is imported or read as an attribute of the module, and
in texts by its dotted path. Clashes are printed and left. Without --write nothing is written.
It needs libcst, which nothing else does: `pip install libcst`. Read the changes, and run the tests.
"""

from __future__ import annotations

import argparse
import csv
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import libcst as cst
from libcst import metadata as md

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("src/**/*.py", "tests/**/*.py", "ci/*.py", "benchmarks/*.py", "workflow/**/*.py")
TEXTS = ("src/**/*.j2", "workflow/**/*.smk", "docs/**/*.md", "*.md", "config/*.yaml")


class Renamed(cst.CSTTransformer):
    """A tree with other words at some of its names."""

    def __init__(self, names: Mapping[cst.Name, str]):
        self.names = names

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        if original_node in self.names:
            return updated_node.with_changes(value=self.names[original_node])
        return updated_node


def dotted(path: str) -> str:
    """Name of a module by its path below src."""
    name = path.removeprefix("src/").removesuffix(".py").replace("/", ".")
    return name.removesuffix(".__init__")


def scopes_of(wrapper: md.MetadataWrapper) -> set[Any]:
    """All scopes of a module."""
    return {scope for scope in wrapper.resolve(md.ScopeProvider).values() if scope is not None}


def qualified(scope: Any) -> str:
    """Name of a function or class with those around it; empty for the module."""
    parts = []
    while scope is not None and not isinstance(scope, md.GlobalScope | md.BuiltinScope):
        parts += [scope.name] if getattr(scope, "name", None) else []
        scope = scope.parent
    return ".".join(reversed(parts))


def first_name(node: cst.CSTNode) -> cst.CSTNode:
    """The name that a chain of attributes begins with."""
    while isinstance(node, cst.Attribute):
        node = node.value
    return node


def own_name(node: Any) -> cst.Name | None:
    """The name that an assignment, parameter or definition binds."""
    if isinstance(node, cst.Name):
        return node
    name = getattr(node, "name", None)
    return name if isinstance(name, cst.Name) else None


def rename_in(path: Path, wanted: list[tuple[str, str, str]], write: bool) -> Iterator[tuple]:
    """Rename locals of one file; gives parameters as (function, old, new)."""
    wrapper = md.MetadataWrapper(cst.parse_module(path.read_text(encoding="utf-8")))
    scopes, names = scopes_of(wrapper), {}
    for function, old, new in wanted:
        inner = [s for s in scopes if f"{qualified(s)}.".startswith(f"{function}.") or not function]
        taken = {a.name for s in inner for a in s.assignments if a.scope is s}
        read = {x.node.value for s in inner for x in s.accesses if isinstance(x.node, cst.Name)}
        if new in taken | read:
            print(f"{path}: {function} has a {new} already, {old} stays")
            continue
        bound = [a for s in inner if qualified(s) == function for a in s.assignments]
        bound = [a for a in bound if a.name == old and getattr(a, "node", None) is not None]
        if not bound:
            print(f"{path}: {function} has no {old}")
        for assignment in bound:
            if isinstance(assignment.node, cst.Param):
                yield function.rpartition(".")[2], old, new
            if (name := own_name(assignment.node)) is not None:
                names[name] = new
            for access in assignment.references:
                if isinstance(name := first_name(access.node), cst.Name):
                    names[name] = new
    if write:
        path.write_text(wrapper.module.visit(Renamed(names)).code, encoding="utf-8")


def rename_keywords(parameters: list[tuple], write: bool) -> None:
    """Rename keyword arguments of calls, found by the last name of the function."""
    meant = {(function, old): new for function, old, new in parameters}
    for path in sorted(file for pattern in SOURCES for file in ROOT.glob(pattern)):
        text = path.read_text(encoding="utf-8")
        if not any(re.search(rf"\b{old}\s*=", text) for _, old in meant):
            continue
        module, names = cst.parse_module(text), {}
        stack: list[cst.CSTNode] = [module]
        while stack:
            stack += (node := stack.pop()).children
            if not isinstance(node, cst.Call):
                continue
            called = node.func.attr if isinstance(node.func, cst.Attribute) else node.func
            for argument in node.args:
                key = getattr(called, "value", None), getattr(argument.keyword, "value", None)
                if key in meant and argument.keyword is not None:
                    names[argument.keyword] = meant[key]
                    print(f"{path}: {key[0]}({key[1]}=) becomes {meant[key]}=")
        if names and write:
            path.write_text(module.visit(Renamed(names)).code, encoding="utf-8")


def rename_modules(wanted: Mapping[str, Mapping[str, str]], write: bool) -> None:
    """Rename what modules define, by module; in sources by scope, in texts by dotted path."""
    olds = {old for names in wanted.values() for old in names}
    for path in sorted(file for pattern in SOURCES for file in ROOT.glob(pattern)):
        text = path.read_text(encoding="utf-8")
        if not any(re.search(rf"\b{old}\b", text) for old in olds):
            continue
        wrapper = md.MetadataWrapper(cst.parse_module(text))
        parents = wrapper.resolve(md.ParentNodeProvider)
        here, names = dotted(path.relative_to(ROOT).as_posix()), {}
        for scope in scopes_of(wrapper):
            for bound in (a for a in scope.assignments if a.scope is scope):
                node = getattr(bound, "node", None)
                if isinstance(node, cst.Import | cst.ImportFrom):
                    names |= of_import(wrapper, parents, bound, node, wanted)
                elif isinstance(scope, md.GlobalScope) and bound.name in wanted.get(here, {}):
                    new = wanted[here][bound.name]
                    if (name := own_name(node)) is not None:
                        names[name] = new
                    names |= {first_name(x.node): new for x in bound.references}
        if names and write:
            path.write_text(wrapper.module.visit(Renamed(names)).code, encoding="utf-8")
    patterns = [
        (re.compile(rf"(?<![\w.])({re.escape(place)}[.:]){old}\b"), rf"\g<1>{new}")
        for module, names in wanted.items()
        for place in filter(None, (module, module.partition(".")[2]))
        for old, new in names.items()
    ]
    for path in sorted(file for pattern in (*SOURCES, *TEXTS) for file in ROOT.glob(pattern)):
        text = before = path.read_text(encoding="utf-8")
        for pattern, new in patterns:
            text = pattern.sub(new, text)
        if text != before and write:
            path.write_text(text, encoding="utf-8")


def of_import(wrapper: Any, parents: Any, bound: Any, node: Any, wanted: Mapping) -> dict:
    """Names to change for one imported name: of the import, and where it is read."""
    code, names = wrapper.module.code_for_node, {}
    base = code(node.module) if isinstance(node, cst.ImportFrom) and node.module else ""
    for alias in () if isinstance(node.names, cst.ImportStar) else node.names:
        full = code(alias.name)
        local = code(alias.asname.name) if alias.asname else full.partition(".")[0]
        if local != bound.name:
            continue
        if full in wanted.get(base, {}):
            new = wanted[base][full]
            names[alias.name] = new
            if not alias.asname:
                names |= {first_name(x.node): new for x in bound.references}
            continue
        start = f"{base}.{full}" if base else full if alias.asname else local
        for access in bound.references:
            module, node_ = start, first_name(access.node)
            while isinstance(above := parents.get(node_), cst.Attribute) and above.value is node_:
                attribute = above.attr.value
                if attribute in wanted.get(module, {}):
                    names[above.attr] = wanted[module][attribute]
                    break
                module, node_ = f"{module}.{attribute}", above
    return names


def main() -> None:
    """Read the table and rename."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("kind", choices=["local", "module"])
    parser.add_argument("table", type=Path)
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    with given.table.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.reader(file) if row]
    if given.kind == "module":
        wanted: dict[str, dict[str, str]] = defaultdict(dict)
        for path, old, new in rows:
            wanted[dotted(path)][old] = new
        rename_modules(wanted, given.write)
        return
    by_file: dict[str, list[tuple[str, str, str]]] = defaultdict(list)
    for path, function, old, new in rows:
        by_file[path].append((function, old, new))
    parameters = []
    for path, of_file in by_file.items():
        parameters += rename_in(ROOT / path, of_file, given.write)
    rename_keywords(parameters, given.write)


if __name__ == "__main__":
    main()
