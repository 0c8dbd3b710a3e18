"""The archive: data sets whose licences allow it, in a package of their own, `hedgerow-data`."""

from __future__ import annotations

import functools
import importlib.util
import lzma
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.files import below

if TYPE_CHECKING:
    from hedgerow.data.registry import Source

PACKAGE = "hedgerow_data"


@functools.cache
def folder() -> Path | None:
    """Where the archive is installed; None where it is not."""
    specification = importlib.util.find_spec(PACKAGE)
    places = specification.submodule_search_locations if specification else None
    return Path(places[0]) if places else None


def place(source: Source) -> Path | None:
    """Where the archive has the file of a source, if it has it; None without an archive."""
    archive = folder()
    return archive and below(archive, f"{source.file}.xz")


def unpack(path: Path, largest: int) -> bytes:
    """A file of the archive as it was, of at most so many bytes."""
    try:
        with lzma.open(path) as stream:
            data = stream.read(largest + 1)
    except (lzma.LZMAError, EOFError) as error:
        raise OSError(0, f"damaged: {error}") from None
    if len(data) > largest:
        raise OSError(0, f"more than {largest} bytes")
    return data
