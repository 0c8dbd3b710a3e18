"""Compress the files of the archive anew: `python -m hedgerow.data.archive`, in the checkout."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from hedgerow.data.archive import FOLDER, archived, packed, place, unpacked
from hedgerow.data.registry import load_registry
from hedgerow.data.sources import NoSourceError, fetch
from hedgerow.files import write_bytes


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
        path = place(source, folder)
        # Other versions of the compressor give other bytes of the same file.
        if not path.is_file() or unpacked(path, len(data)) != data:
            write_bytes(path, packed(data))
            print(path.relative_to(folder))
    return 1 if n_absent else 0


if __name__ == "__main__":
    sys.exit(main())
