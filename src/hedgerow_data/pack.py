"""Compress the files of the archive again, from a mirror: `python -m hedgerow_data.pack`.

The registry says which sets are archived and in what a copy differs from what its authors
published; `make generated` writes that into the README beside the files.
"""

from __future__ import annotations

import lzma
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from hedgerow.data.archive import unpack
from hedgerow.data.registry import LICENCES, load_registry
from hedgerow.data.sources import NoSourceError, fetch
from hedgerow.files import below, write_bytes

if TYPE_CHECKING:
    from hedgerow.data.registry import DatasetEntry, Source

FOLDER = Path(__file__).parent

README = """\
# hedgerow-data

An archive of data sets for [hedgerow](../../README.md): {n_files} files, each compressed as it is
(`xz -d` gives it back), under licences that allow it: {licences}.
`hedgerow.data.fetch` reads them where neither a mirror nor an installed library has the set,
and compares each with the checksum in `config/datasets.yaml`.
In a checkout `pip install . ./src/hedgerow_data` installs both packages.

The sets are works of the authors named here, not ours. The last column says in what a file differs
from what they published, as far as other copies tell; none was compared with the publisher's
server. `make generated` makes this page from the registry.

| set | authors, title and source | licence | file | changes |
| --- | --- | --- | --- | --- |
{rows}
"""


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


def main(folder: Path = FOLDER) -> int:
    """Compress what a mirror has of the archived sets; say what it lacks."""
    n_absent = 0
    for entry, source in archived(load_registry()):
        with TemporaryDirectory() as raw:
            try:
                data = fetch(entry, raw, kinds={"mirror"}).path.read_bytes()
            except NoSourceError as error:
                print(error, file=sys.stderr)
                n_absent += 1
                continue
        path = below(folder, f"{source.file}.xz")
        # Other versions of the compressor give other bytes of the same file.
        if not path.is_file() or unpack(path, len(data)) != data:
            write_bytes(path, packed(data))
            print(path.relative_to(folder))
    return 1 if n_absent else 0


if __name__ == "__main__":
    sys.exit(main())
