"""The entries of config/claims.yaml as they stand in the file: own lines, comments and names.

A page that shows an entry shows what was written, not what a library makes of it. Where an entry
takes up what is named elsewhere (``*noisy``), the lines of that place stand beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Entry:
    """What the file says of one claim.

    Attributes
    ----------
    lines : tuple of (int, str)
        Number, from 1, and text of each line, with the comment above the claim's name.
    named : tuple of (str, tuple of (int, str))
        What the entry takes up from elsewhere: name and lines of its place, in their order; with
        what those take up themselves.
    """

    lines: tuple[tuple[int, str], ...]
    named: tuple[tuple[str, tuple[tuple[int, str], ...]], ...] = ()


def entries_of(text: str) -> dict[str, Entry]:
    """Each claim's entry in the text of config/claims.yaml.

    >>> text = '''lists: {a: &some [1, 2]}
    ... claims:
    ...   soft:
    ...     claims:
    ...       # Why it is asked.
    ...       T3-01: {measures: *some}  # so
    ... '''
    >>> entry = entries_of(text)["T3-01"]
    >>> entry.lines
    ((5, '      # Why it is asked.'), (6, '      T3-01: {measures: *some}  # so'))
    >>> entry.named
    (('some', ((1, 'lists: {a: &some [1, 2]}'),)),)
    """
    import yaml

    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    lines = text.splitlines()
    places, uses = _names(yaml.parse(text, Loader=loader), lines)
    entries = {}
    for key, value in _claims(yaml.compose(text, Loader=loader)):
        first, last = key.start_mark.line, _last(lines, key.start_mark.line, value.end_mark)
        while lines[first - 1].startswith(" " * key.start_mark.column + "#"):
            first -= 1
        block = range(first, last + 1)
        named = [name for name in _taken(block, places, uses) if places[name][0] not in block]
        entries[key.value] = Entry(
            _numbered(lines, block),
            tuple((name, _numbered(lines, range(*places[name]))) for name in named),
        )
    return entries


def _claims(root: Any) -> Iterator[tuple[Any, Any]]:
    """Nodes of the names and the entries of all claims."""
    for _, experiment in _of(root, "claims").value:
        yield from _of(experiment, "claims").value


def _of(node: Any, name: str) -> Any:
    return next(value for key, value in node.value if key.value == name)


def _last(lines: Sequence[str], first: int, end: Any) -> int:
    """Last line of what begins in line `first`: the parser goes on to the next word of the file."""
    last = end.line if end.column else end.line - 1
    if end.line < len(lines) and not lines[end.line][: end.column].strip():
        last = end.line - 1
    while last > first and (not lines[last].strip() or lines[last].lstrip().startswith("#")):
        last -= 1
    return last


def _names(events: Iterable[Any], lines: Sequence[str]) -> tuple[dict, list]:
    """Lines of each name's place, as a half-open range, and (line, name) of each use."""
    import yaml

    starts = (yaml.MappingStartEvent, yaml.SequenceStartEvent)
    ends = (yaml.MappingEndEvent, yaml.SequenceEndEvent)
    places: dict[str, tuple[int, int]] = {}
    uses, open_ = [], []
    for event in events:
        if isinstance(event, yaml.AliasEvent):
            uses.append((event.start_mark.line, event.anchor))
        elif isinstance(event, starts):
            open_.append((event.anchor, event.start_mark.line))
        elif isinstance(event, ends):
            name, first = open_.pop()
            if name:
                places[name] = (first, _last(lines, first, event.end_mark) + 1)
        elif getattr(event, "anchor", None):
            first = event.start_mark.line
            places[event.anchor] = (first, _last(lines, first, event.end_mark) + 1)
    return places, uses


def _taken(block: range, places: dict, uses: list) -> list[str]:
    """Names that some lines take up, and those that these take up, by their places."""
    names: set[str] = set()
    ranges = [block]
    while ranges:
        inside = ranges.pop()
        for line, name in uses:
            if line in inside and name not in names:
                names.add(name)
                ranges.append(range(*places[name]))
    return sorted(names, key=lambda name: places[name])


def _numbered(lines: Sequence[str], block: Iterable[int]) -> tuple[tuple[int, str], ...]:
    return tuple((i + 1, lines[i]) for i in block)
