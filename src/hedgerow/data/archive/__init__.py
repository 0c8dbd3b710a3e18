"""The archive: data sets that the package carries, each file compressed, with who made it.

Only what may be passed on is here (`LICENCES`). The registry says which sets are archived and in
what a copy differs from what its authors published; the README beside the files says it, too.

``python -m hedgerow.data.archive`` compresses the files anew, from a mirror.
"""

from __future__ import annotations

import lzma
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.data.registry import LICENCES
from hedgerow.files import below

if TYPE_CHECKING:
    from hedgerow.data.registry import DatasetEntry, Source

FOLDER = Path(__file__).parent

README = """\
# Archive of data sets

{n_files} files, each compressed as it is (`xz -d` gives it back), under licences that allow it:
{licences}. `hedgerow.data.fetch` reads them where neither a mirror nor
an installed library has the set, and compares each with the checksum in `config/datasets.yaml`.

The sets are works of the authors named here, not ours. The last column says in what a file differs
from what they published, as far as other copies tell; none was compared with the publisher's
server. `make generated` makes this page from the registry.

| set | authors, title and source | licence | file | changes |
| --- | --- | --- | --- | --- |
{rows}
"""


def place(source: Source, folder: Path | None = None) -> Path:
    """Where the archive has the file of a source, if it has it."""
    return below(folder or FOLDER, f"{source.file}.xz")


def unpacked(path: Path, largest: int) -> bytes:
    """A file of the archive as it was, of at most so many bytes."""
    try:
        with lzma.open(path) as stream:
            data = stream.read(largest + 1)
    except (lzma.LZMAError, EOFError) as error:
        raise OSError(0, f"damaged: {error}") from None
    if len(data) > largest:
        raise OSError(0, f"more than {largest} bytes")
    return data


def packed(data: bytes) -> bytes:
    """A file as the archive has it."""
    return lzma.compress(data, preset=9 | lzma.PRESET_EXTREME)


def archived(registry: Mapping[str, DatasetEntry]) -> Iterator[tuple[DatasetEntry, Source]]:
    """Sets of a registry that are archived, variants left out, each with its file."""
    for entry in registry.values():
        if entry.parent is None:
            yield from ((entry, source) for source in entry.sources if source.kind == "archive")


def readme(registry: Mapping[str, DatasetEntry]) -> str:
    """What stands beside the files: whose they are, and what was changed."""
    rows, licences = [], {}
    for entry, source in archived(registry):
        licences[entry.licence] = f"[{entry.licence}]({LICENCES[entry.licence]})"
        doi = f"[doi:{entry.doi}](https://doi.org/{entry.doi})" if entry.doi else ""
        home = f"[home page]({entry.homepage})"
        cells = (
            *(f"`{entry.key}`", " ".join(filter(None, (entry.citation, doi, home)))),
            *(entry.licence, f"`{source.file}.xz`", entry.archived),
        )
        rows.append(f"| {' | '.join(cells)} |")
    return README.format(
        n_files=len(rows),
        licences=", ".join(licences[name] for name in sorted(licences)),
        rows="\n".join(rows),
    )
