"""Files of the project: written whole or not at all, and checked whole when they are read.

Nothing of a user's is written over unless it was asked for (`check_free`, `check_folder`), and
names from an untrusted file stay below their folder (`below`). Reading runs no code: YAML and
JSON give texts, numbers, lists and mappings, parquet a table. A file that is damaged, or not what
its name says, is one sentence.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import re
import secrets
import shutil
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any

from hedgerow.errors import ConfigError, DataError, InputError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

MAKE_AGAIN = "delete it and run the workflow, which makes it again"
ABSENT = "run the workflow first"
MOST_BYTES = 2_000_000_000

# ------------------------------------------------------------------------------------ places


def check_free(
    path: str | Path, force: bool | None = None, remedy: str = "name another place"
) -> None:
    """Refuse a place for a file where something stands already, which may be a user's.

    Every command that writes asks before it begins.

    force: whether the user has said `--force`, which lets a file be replaced, and nothing else: no
    folder, no pipe, no device. None where the command has no such option.
    """
    if not os.path.lexists(path):
        return
    if not force:
        remedy += "" if force is None else ", or add --force"
        raise InputError(f"{path} is there already", remedy=remedy)
    if not Path(path).is_file():
        raise InputError(f"{path} is no file, and is not written over", remedy=remedy)


#: What an operating system leaves in a folder that somebody has opened.
LEFT_BY_SYSTEMS = (".DS_Store", "Thumbs.db", "desktop.ini")


def check_folder(
    folder: str | Path, force: bool, what: str, listed: Callable[[Path], Collection[str] | None]
) -> None:
    """Refuse a place for a folder where something stands that `what` has not made.

    force: whether the user has said `--force`, which lets a folder of an earlier run be replaced.

    listed: gives the files, relative to the folder, that an earlier run says it has written there;
    None if none has.
    """
    folder = Path(folder)
    if not os.path.lexists(folder):
        return
    if not force:
        check_free(folder, force)
    remedy = "name another place"
    if folder.is_symlink() or not folder.is_dir():
        raise InputError(f"{folder} is no folder, and is not written over", remedy=remedy)
    if not any(folder.iterdir()):
        return
    recorded = listed(folder)
    if recorded is None:
        raise InputError(f"{folder} was not made by {what} and is not overwritten", remedy=remedy)
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir() and not path.is_symlink():
            continue
        if name not in recorded and path.name not in LEFT_BY_SYSTEMS:
            raise InputError(
                f"{folder} holds {name}, which {what} has not made, and is not overwritten",
                remedy=f"{remedy}, or move that file",
            )


def backup_path(folder: str | Path) -> Path | None:
    """Where `atomic_folder` moves the folder that stands in its place; None if none does."""
    folder = _named(folder)
    if not os.path.lexists(folder):
        return None
    number, name = 1, f"{folder.name}.old"
    while os.path.lexists(folder.with_name(name)):
        number += 1
        name = f"{folder.name}.old{number}"
    return folder.with_name(name)


def _named(folder: str | Path) -> Path:
    """A folder by a path that ends with its name, which `.` and `..` do not."""
    folder = Path(folder)
    return folder if folder.name not in ("", "..") else Path(os.path.abspath(folder))


def below(folder: str | Path, name: str) -> Path:
    """The path that a name stands for in a folder, if it is one that cannot leave the folder.

    Names come from files that may be untrusted: this is where they become paths.

    Parameters
    ----------
    folder : path
    name : str
        Parts with `/` between.

    Returns
    -------
    path

    Raises
    ------
    DataError
        The name is empty, absolute, has `..`, `.` or an empty part, a backslash or a colon (which
        mean folders and drives elsewhere), or a character that is not printed. Links inside the
        folder are its owner's and are followed.

    Examples
    --------
    >>> below("mirror", "wine/wine.data").as_posix()
    'mirror/wine/wine.data'
    """
    parts = name.split("/")
    if not name.isprintable() or re.search(r"[\\:]", name) or {"", ".", ".."} & set(parts):
        raise DataError(
            f"{name!r} is no path below a folder",
            remedy="write names with / between, without `..`",
        )
    return Path(folder) / PurePosixPath(*parts)


# ----------------------------------------------------------------------------------- writing


@contextlib.contextmanager
def atomic_file(path: str | Path) -> Iterator[Path]:
    """Yield a path beside the target; rename it into place when the body has succeeded.

    Yields: A new file in the same folder with the same suffix, removed when the body fails.
    """
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = _new(path.parent, f".{path.stem}-", f".part{path.suffix}", _new_file)
    try:
        yield temporary
        with open(temporary, "rb") as file:
            os.fsync(file.fileno())
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)


@contextlib.contextmanager
def atomic_folder(folder: str | Path, old: Path | None = None) -> Iterator[Path]:
    """Yield a folder beside the target; rename it into place when the body has succeeded.

    Yields: A new folder beside the target, removed when the body fails.
    """
    folder = _named(folder)
    folder.parent.mkdir(parents=True, exist_ok=True)
    temporary = _new(folder.parent, f".{folder.name}-", "", os.mkdir)
    try:
        yield temporary
        if old is not None:
            folder.rename(old)
        try:
            temporary.rename(folder)
        except OSError:
            if old is not None:
                old.rename(folder)
            raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _new(folder: Path, prefix: str, suffix: str, make: Callable[[Path], None]) -> Path:
    """A new file or folder with a name that nothing has.

    It is made with the permissions that stay: the system takes from them what the user's umask
    says. A umask cannot be asked for without setting it, for all threads of the process.
    """
    while True:
        path = folder / f"{prefix}{secrets.token_hex(4)}{suffix}"
        with contextlib.suppress(FileExistsError):
            make(path)
            return path


def _new_file(path: Path) -> None:
    os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666))


def write_bytes(path: str | Path, content: bytes) -> None:
    """Write a file whole."""
    with atomic_file(path) as temporary:
        temporary.write_bytes(content)


def write_text(path: str | Path, text: str) -> None:
    """Write a text file whole, UTF-8 with plain line feeds."""
    write_bytes(path, text.encode("utf-8"))


def write_json(path: str | Path, content: Mapping[str, Any]) -> None:
    """Write a JSON file whole, keys sorted."""
    write_text(path, json.dumps(content, indent=2, sort_keys=True, ensure_ascii=False) + "\n")


def write_csv(path: str | Path, frame: pd.DataFrame) -> None:
    """Write a table whole, floats so that they can be read back as they were."""
    with atomic_file(path) as temporary:
        frame.to_csv(temporary, index=False, lineterminator="\n")


#: What a spreadsheet takes for the beginning of a formula (the wide forms on Japanese systems), at
#: the beginning of a text, or after what divides cells where a semicolon does.
_FORMULA = re.compile("(?:^|(?<=[;\t\r\n]))(?=[=+\\-@\t\r\uff1d\uff0b\uff0d\uff20])")
_NUMBER = re.compile(r"[+-]?([0-9]+([.,][0-9]+)*|[.,][0-9]+)([eE][+-]?[0-9]+)?%?")


def no_formula(text: str) -> str:
    """A text that a spreadsheet shows and does not compute: `'` before what begins a formula.

    A text that is a number stays one.

    >>> no_formula("=1+1"), no_formula("-3.2"), no_formula("low;@A1"), no_formula("I-II")
    ("'=1+1", '-3.2', "low;'@A1", 'I-II')
    """
    return text if _NUMBER.fullmatch(text) else _FORMULA.sub("'", text)


def for_spreadsheets(frame: pd.DataFrame) -> pd.DataFrame:
    """A table for people whose texts may be untrusted, names of columns among them.

    A return becomes a line feed: a writer of CSV quotes the one and not the other, and what stands
    after it would begin a row.
    """

    def shown(value: Any) -> Any:
        if not isinstance(value, str):
            return value
        return no_formula(value).replace("\r\n", "\n").replace("\r", "\n")

    cleaned = frame.copy()
    for place in range(cleaned.shape[1]):
        column = cleaned.iloc[:, place]
        if column.dtype.kind not in "biufM":
            cleaned.isetitem(place, column.astype(object).map(shown))
    cleaned.columns = [shown(column) for column in cleaned.columns]
    return cleaned


def write_parquet(path: str | Path, table: pd.DataFrame | pa.Table) -> None:
    """Write a table whole, with checksums; the same table gives the same bytes.

    Each page has its checksum, for any reader, and the file has a seal, for `read_parquet`: the
    SHA-256 of its bytes, taken while zeros stood in the place of the seal. Pages leave out what
    stands between and after them, names and types of columns among it.
    """
    write_bytes(path, parquet_bytes(table))


def parquet_bytes(table: pd.DataFrame | pa.Table) -> bytes:
    """What `write_parquet` writes."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    if not isinstance(table, pa.Table):
        table = pa.Table.from_pandas(table, preserve_index=False)
    stream = pa.BufferOutputStream()
    options = {"compression": "zstd", "write_page_checksum": True}
    with pq.ParquetWriter(stream, table.schema, **options) as writer:
        writer.write_table(table)
        writer.add_key_value_metadata({_SEAL: _OPEN})
    content = stream.getvalue().to_pybytes()
    place = _place_of_seal(content)
    digest = hashlib.sha256(content).hexdigest().encode()
    return content[:place] + digest + content[place + len(digest) :]


_SEAL = "hedgerow.sha256"
_OPEN = "0" * 64
#: Thrift writes the value after its name: type of a text, its length in one byte, the text.
_NAME = _SEAL.encode() + bytes([0x18, len(_OPEN)])


def _place_of_seal(content: bytes) -> int | None:
    """Where the value of the seal begins. The last one counts: it stands behind all columns."""
    start = content.rfind(_NAME)
    return None if start < 0 else start + len(_NAME)


# ----------------------------------------------------------------------------------- reading


def read_parquet(path: str | Path, *, sealed: bool = True) -> pd.DataFrame:
    """Read a table that `write_parquet` wrote.

    sealed: whether a file without a seal is refused. Off for a file whose checksum stands elsewhere
    and was compared.
    """
    table = read_arrow(path, sealed=sealed)
    try:
        return table.to_pandas(use_threads=False)
    except (*_unreadable(), AttributeError):
        raise _damaged(path) from None


def read_arrow(path: str | Path, *, sealed: bool = True) -> pa.Table:
    """Read a table as `read_parquet` does, with the metadata of its schema."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    content = _verified_bytes(path, sealed)
    try:
        # Tables are small, and a process that ends while threads of a pool begin is aborted.
        file = pq.ParquetFile(pa.BufferReader(content), page_checksum_verification=True)
        return file.read(use_threads=False)
    except _unreadable():
        raise _damaged(path) from None


def read_metadata(path: str | Path) -> dict[bytes, bytes]:
    """The metadata of a table's schema, without its values; errors as in `read_parquet`."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    content = _verified_bytes(path, sealed=True)
    try:
        return pq.read_schema(pa.BufferReader(content)).metadata or {}
    except _unreadable():
        raise _damaged(path) from None


def _verified_bytes(path: str | Path, sealed: bool) -> bytes:
    """Bytes of a file whose seal is right; that has one, if it must."""
    content = read_bytes(path)
    place = _place_of_seal(content)
    if place is None:
        if sealed:
            raise _damaged(path)
        return content
    end = place + len(_OPEN)
    opened = hashlib.sha256(memoryview(content)[:place])
    opened.update(_OPEN.encode())
    opened.update(memoryview(content)[end:])
    if opened.hexdigest().encode() != content[place:end]:
        raise _damaged(path)
    return content


def _unreadable() -> tuple[type[Exception], ...]:
    """What pyarrow raises for what is no table."""
    import pyarrow as pa

    return (pa.ArrowException, OSError, ValueError, LookupError, TypeError)


def _damaged(path: str | Path) -> DataError:
    return DataError(
        f"{path} is damaged, or no table that the workflow wrote: its checksum is wrong",
        remedy=MAKE_AGAIN,
    )


def read_csv(path: str | Path, *, text: bool = False, absent: str = ABSENT) -> pd.DataFrame:
    """Read a table of comma-separated values, such as the published ones.

    text: keep every cell as it is written: 5.80 stays 5.80, and an empty cell is an empty text.
    """
    import pandas as pd

    content = read_bytes(path, absent=absent)
    try:
        if text:
            return pd.read_csv(io.BytesIO(content), dtype=str, keep_default_na=False)
        return pd.read_csv(io.BytesIO(content))
    except UnicodeDecodeError:
        raise DataError(f"{path} is not UTF-8", remedy="save it in the encoding UTF-8") from None
    except ValueError as error:  # of pandas, for lines with too many fields and empty files
        reason = " ".join(str(error).split())
        raise DataError(f"{path} is no table ({reason})", remedy="correct the file") from None


def read_json(path: str | Path) -> dict[str, Any]:
    """Content of a JSON file that the workflow wrote."""
    content = read_bytes(path)
    try:
        mapping = json.loads(content.decode("utf-8"))
    except (ValueError, RecursionError):
        mapping = None
    if not isinstance(mapping, dict):
        raise DataError(f"{path} is damaged: it is no JSON mapping", remedy=MAKE_AGAIN)
    return mapping


def read_text(path: str | Path, absent: str = ABSENT) -> str:
    """Content of a text file that the workflow wrote; a `DataError` where it is not UTF-8."""
    try:
        return read_bytes(path, absent=absent).decode("utf-8")
    except UnicodeDecodeError:
        raise DataError(f"{path} is damaged: it is not UTF-8", remedy=MAKE_AGAIN) from None


def read_bytes(
    path: str | Path,
    *,
    absent: str = ABSENT,
    other: str = "name a file",
    long: str = "make it shorter",
    unreadable: str = "correct its permissions or place",
) -> bytes:
    """Content of a file that has an end: pipes and devices such as /dev/zero are not opened."""
    path = Path(path)
    try:
        if path.exists() and not path.is_file():
            raise DataError(f"{path} is no file", remedy=other)
        if path.stat().st_size > MOST_BYTES:
            raise DataError(f"{path} has more than {MOST_BYTES / 1e9:g} GB", remedy=long)
        return path.read_bytes()
    except FileNotFoundError:
        raise DataError(f"{path}: no such file", remedy=absent) from None
    except (OSError, ValueError) as error:  # ValueError: a zero in the name
        reason = getattr(error, "strerror", None) or "its name is none"
        raise DataError(f"{path} cannot be read ({reason})", remedy=unreadable) from None


# -------------------------------------------------------------------------------------- YAML

#: Mappings and lists inside each other. Settings and registry have fewer than ten; the parser
#: calls itself for each, on a stack that ends.
DEEPEST = 50
#: Values of a file, those that an alias repeats counted each time.
MOST = 1_000_000
#: Bytes of a file: the registry, the longest one, has some 200,000.
MOST_OF_YAML = 20_000_000


def read_yaml(path: str | Path, what: str = "the file") -> Any:
    """Content of a YAML file that people write."""
    import yaml

    path = Path(path)
    try:
        # Opening a pipe waits for somebody who writes into it.
        if path.exists() and not path.is_file():
            raise ConfigError(f"{path} is no file", remedy=f"name the file that holds {what}")
        if path.stat().st_size > MOST_OF_YAML:
            raise ConfigError(
                f"{path} has more than {MOST_OF_YAML / 1e6:g} MB",
                remedy=f"name the file that holds {what}",
            )
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise ConfigError(
            f"{path}: line {line} is not UTF-8", remedy="save the file in the encoding UTF-8"
        ) from None
    except OSError as error:
        raise ConfigError(
            f"{path}: cannot read {what} ({error.strerror})",
            remedy="run in the root of the repository, or name the file",
        ) from None
    # Without libyaml, on which the faster ones stand, there are the others.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        _check_events(path, yaml.parse(text, Loader=loader))
        return yaml.load(text, Loader=loader)
    except (yaml.YAMLError, ValueError) as error:  # ValueError: a date or number that is none
        mark = getattr(error, "problem_mark", None)
        where = f" at line {mark.line + 1}" if mark else ""
        raise ConfigError(f"{path}: not valid YAML{where}", remedy="correct the file") from None


class _Open:
    """A mapping or list whose end has not come yet."""

    __slots__ = ("anchor", "height", "key_next", "keys", "size")

    def __init__(self, anchor: str | None = None, keys: set[str] | None = None):
        self.anchor, self.keys, self.key_next = anchor, keys, keys is not None
        self.size = self.height = 1


def _check_events(path: Path, events: Iterator[Any]) -> None:
    """Check what YAML's loader takes in silence or does not come back from, before it loads."""
    import yaml

    inside = _Open()
    stack = [inside]
    # Values and nesting of what has an anchor. What is open has none yet: it would hold itself.
    anchors: dict[str, tuple[int, int]] = {}
    for event in events:
        kind, anchor, size, height = type(event), None, 1, 1
        if kind is yaml.MappingEndEvent or kind is yaml.SequenceEndEvent:
            closed = stack.pop()
            anchor, size, height = closed.anchor, closed.size, closed.height
            inside = stack[-1]
        elif not issubclass(kind, yaml.NodeEvent):
            continue
        elif inside.key_next:
            if kind is yaml.ScalarEvent:
                if event.value in inside.keys:
                    raise ConfigError(
                        f"{path}: line {_line(event)}: the key `{event.value}` stands twice",
                        remedy="remove one of them",
                    )
                inside.keys.add(event.value)
            inside.key_next = False
        else:
            inside.key_next = inside.keys is not None
        if kind is yaml.MappingStartEvent or kind is yaml.SequenceStartEvent:
            inside = _Open(event.anchor, set() if kind is yaml.MappingStartEvent else None)
            stack.append(inside)
        else:
            if kind is yaml.ScalarEvent:
                anchor = event.anchor
            elif kind is yaml.AliasEvent:
                if event.anchor not in anchors:
                    raise ConfigError(
                        f"{path}: line {_line(event)}: `*{event.anchor}` is not known before "
                        "this line",
                        remedy="write the value out",
                    )
                size, height = anchors[event.anchor]
            if anchor is not None:
                anchors[anchor] = size, height
            inside.size += size
            if height >= inside.height:
                inside.height = height + 1
        if len(stack) + height > DEEPEST or inside.size > MOST:
            raise ConfigError(
                f"{path}: line {_line(event)}: more than {DEEPEST} mappings and lists inside each "
                f"other, or more than {MOST} values",
                remedy="correct the file",
            )


def _line(event: Any) -> int:
    return event.start_mark.line + 1
