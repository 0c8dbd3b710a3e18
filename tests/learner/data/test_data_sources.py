"""Sources: order, checksums, downloads against a local server, nothing half-written."""

import http.server
import io
import json
import os
import subprocess
import sys
import threading
import time
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from made_up import ROWS, sha256

from hedgerow.data import available, canonical_csv, fetch, load_registry, read_fetched, tidy
from hedgerow.data import sources as sources_module
from hedgerow.errors import DataError, DownloadError

GOOD = ROWS.encode()
OTHER = b"<html>please log in</html>\n"


class Handler(http.server.BaseHTTPRequestHandler):
    """Answers by path; counts what was asked."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        server = self.server
        server.asked.append(self.path)
        name = self.path.strip("/")
        if name == "redirect":
            self.send_response(302)
            self.send_header("Location", "/good")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif name == "loop":
            self.send_response(302)
            self.send_header("Location", "/loop")
            self.send_header("Content-Length", "0")
            self.end_headers()
        elif name == "truncated":
            self.send_response(200)
            self.send_header("Content-Length", str(len(GOOD)))
            self.end_headers()
            self.wfile.write(GOOD[:10])
            self.close_connection = True
        elif name == "slow":
            self.send_response(200)
            self.send_header("Content-Length", str(len(GOOD)))
            self.end_headers()
            server.release.wait(20)
            self.close_connection = True
        elif name == "second_time" and server.asked.count(self.path) == 1:
            self.send_error(503)
        elif name in {"good", "second_time"}:
            self.answer(GOOD)
        elif name == "wrong":
            self.answer(OTHER)
        elif name in server.files:
            self.answer(server.files[name])
        else:
            self.send_error(404)

    def answer(self, data):
        self.send_response(200)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        pass


@pytest.fixture
def server(monkeypatch):
    for name in ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.asked, server.files, server.release = [], {}, threading.Event()
    server.address = f"http://127.0.0.1:{server.server_port}"
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    # pooch waits 1, 2, 3, ... seconds between attempts.
    monkeypatch.setattr("pooch.core.time.sleep", lambda seconds: None)
    yield server
    server.release.set()
    server.shutdown()
    server.server_close()


DIGEST = sha256(ROWS)


def url_entry(tiny, address, digest=DIGEST, **changes):
    source = {"kind": "url", "file": "tiny.data", "url": address, **changes}
    if digest:
        source["sha256"] = digest
    fingerprint = tiny.entry().fingerprint
    return tiny.entry(sources=[source], fingerprint=fingerprint)


def files_below(folder):
    return sorted(p.name for p in folder.rglob("*") if p.is_file()) if folder.exists() else []


# -------------------------------------------------------------------------------------------- url


def test_a_download_is_checked_and_recorded(tiny, server):
    entry = url_entry(tiny, f"{server.address}/good")
    raw = fetch(entry, tiny.raw)
    assert raw.kind == "url"
    assert raw.path.read_bytes() == GOOD
    assert files_below(tiny.raw) == ["source.json", "tiny.data"]
    record = json.loads((tiny.raw / "source.json").read_text())
    assert record["sha256"] == sha256(ROWS) and record["source"] == "url"
    assert canonical_csv(tidy(entry, read_fetched(entry, tiny.raw))) == canonical_csv(
        tidy(entry, raw)
    )


@pytest.mark.parametrize(
    ("path", "asked"), [("redirect", ["/redirect", "/good"]), ("second_time", ["/second_time"] * 2)]
)
def test_a_redirect_is_followed_and_a_failure_asked_again(tiny, server, path, asked):
    raw = fetch(url_entry(tiny, f"{server.address}/{path}"), tiny.raw)
    assert raw.path.read_bytes() == GOOD
    assert server.asked == asked


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("truncated", "the download broke off"),
        ("missing", "HTTP status 404"),
        ("loop", "no connection|too many redirects"),
    ],
)
def test_an_address_that_fails_is_named_with_the_reason(tiny, server, path, message):
    entry = url_entry(tiny, f"{server.address}/{path}")
    with pytest.raises(DownloadError, match=f"tiny: no source answered .*{path}.*({message})"):
        fetch(entry, tiny.raw, retries=1)
    assert files_below(tiny.raw) == []
    if path != "loop":
        assert len(server.asked) == 2


def test_an_address_that_hangs_is_given_up(tiny, server):
    entry = url_entry(tiny, f"{server.address}/slow")
    start = time.monotonic()
    with pytest.raises(DownloadError, match=r"no answer in 0\.3 s|no connection"):
        fetch(entry, tiny.raw, timeout=0.3, retries=0)
    assert time.monotonic() - start < 5
    assert files_below(tiny.raw) == []


def test_no_server_at_all(tiny, server):
    server.shutdown()
    server.server_close()
    with pytest.raises(DownloadError, match=r"no connection \(ConnectionError\)"):
        fetch(url_entry(tiny, f"{server.address}/good"), tiny.raw, retries=0, timeout=1)


def test_wrong_bytes_stop_the_fetch(tiny, server):
    """They are not passed over: a proxy that answers every address would be hidden."""
    entry = url_entry(tiny, f"{server.address}/wrong")
    entry = tiny.entry(
        sources=[
            {"kind": "url", "file": "t", "url": f"{server.address}/wrong", "sha256": sha256(ROWS)},
            {"kind": "url", "file": "t", "url": f"{server.address}/good", "sha256": sha256(ROWS)},
        ],
        fingerprint=entry.fingerprint,
    )
    with pytest.raises(DownloadError, match=r"tiny: .*/wrong answered with the wrong bytes"):
        fetch(entry, tiny.raw, retries=1)
    assert files_below(tiny.raw) == []
    assert server.asked == ["/wrong"] * 2


def test_an_address_without_checksum_is_held_to_the_fingerprint(tiny, server):
    server.files["same_rows"] = b"3,,a\n2,red,b\n1.0,blue,b\n5,red,a\n"
    server.files["other_rows"] = ROWS.replace("5", "6").encode()
    entry = url_entry(tiny, f"{server.address}/same_rows", digest=None)
    assert len(tidy(entry, fetch(entry, tiny.raw))) == 4
    entry = url_entry(tiny, f"{server.address}/other_rows", digest=None)
    with pytest.raises(
        DataError, match=r"from url .*other_rows is not the registered one: column x"
    ):
        tidy(entry, fetch(entry, tiny.raw))


def zipped(method=zipfile.ZIP_STORED, **files):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name.replace("__", "."), data)
    return buffer.getvalue()


def changed(archive, byte):
    """An archive of which the first such byte is another one."""
    return archive.replace(byte, bytes([byte[0] ^ 1]), 1)


def encrypted(archive):
    """An archive that says of its member that it is encrypted (bit 0 of its flags)."""
    for head, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        place = archive.index(head) + flags
        archive = archive[:place] + bytes([archive[place] | 1]) + archive[place + 1 :]
    return archive


def test_files_inside_an_archive(tiny, server):
    server.files["one.zip"] = zipped(tiny__data=GOOD, readme="x")
    server.files["two.zip"] = zipped(a__data=GOOD[:8].rstrip(b"\n"), b__data=GOOD[8:])
    server.files["nested.zip"] = zipped(inner__zip=zipped(tiny__data=GOOD))
    for archive, members in [
        ("one.zip", ["tiny.data"]),
        ("two.zip", ["a.data", "b.data"]),
        ("nested.zip", ["inner.zip/tiny.data"]),
    ]:
        entry = url_entry(tiny, f"{server.address}/{archive}", members=members)
        assert fetch(entry, tiny.raw / archive).path.read_bytes() == GOOD


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (zipped(other__data=GOOD), r"no file tiny\.data in it"),
        (OTHER, "not a zip"),
        (zipped(tiny__data=GOOD)[:-30], "not a zip"),
        (changed(zipped(tiny__data=GOOD), GOOD[:1]), "not a zip, or a damaged one"),
        (encrypted(zipped(tiny__data=GOOD)), r"tiny\.data is encrypted"),
        (zipped(tiny__data=bytes(2**20), method=zipfile.ZIP_DEFLATED), "1048576 bytes, at most"),
    ],
)
def test_an_archive_that_is_something_else(tiny, server, data, message, monkeypatch):
    monkeypatch.setattr(sources_module, "LARGEST_FILE", 2**19)
    server.files["x.zip"] = data
    entry = url_entry(tiny, f"{server.address}/x.zip", members=["tiny.data"])
    with pytest.raises(DownloadError, match=message):
        fetch(entry, tiny.raw, retries=0)
    assert files_below(tiny.raw) == []


def test_a_download_without_end_is_ended(tiny, server, monkeypatch):
    monkeypatch.setattr(sources_module, "LARGEST_FILE", 2**12)
    server.files["long"] = bytes(2**14)
    entry = url_entry(tiny, f"{server.address}/long")
    with pytest.raises(DownloadError, match="long has more than 4096 bytes; correct the address"):
        fetch(entry, tiny.raw)
    assert files_below(tiny.raw) == []


def test_the_progress_bar_sees_all_bytes(tiny, server):
    class Bar:
        total, seen = 0, 0

        def update(self, n):
            self.seen += n

        def reset(self):
            self.seen = 0

        def close(self):
            pass

    bar = Bar()
    fetch(url_entry(tiny, f"{server.address}/good"), tiny.raw, progress=bar)
    assert bar.total == len(GOOD)


# ------------------------------------------------------------------------------------------ order


def all_kinds(tiny, server, **digests):
    fingerprint = tiny.entry().fingerprint
    address = f"{server.address}/good"
    digest = sha256(ROWS)
    return tiny.entry(
        sources=[  # the order of the file does not matter, the order of the kinds does
            {"kind": "url", "file": "tiny.data", "url": address, "sha256": digest},
            {"kind": "package", "package": "shipped", "file": "tiny.data", "sha256": digest},
            {"kind": "mirror", "file": "tiny/tiny.data", "sha256": digests.get("mirror", digest)},
        ],
        fingerprint=fingerprint,
    )


@pytest.fixture
def shipped(tmp_path, monkeypatch):
    """An importable package that ships the file."""
    folder = tmp_path / "site" / "shipped"
    folder.mkdir(parents=True)
    (folder / "__init__.py").write_text("raise ImportError('only its files are needed')\n")
    (folder / "tiny.data").write_bytes(GOOD)
    monkeypatch.syspath_prepend(str(tmp_path / "site"))
    return folder


def test_the_first_source_that_answers_is_used(tiny, server, shipped):
    entry = all_kinds(tiny, server)
    assert fetch(entry, tiny.raw, tiny.folder).kind == "mirror"
    assert available(entry, tiny.folder) == "mirror"
    tiny.file.unlink()
    assert fetch(entry, tiny.raw, tiny.folder).kind == "package"
    assert available(entry, tiny.folder) == "package"
    (shipped / "tiny.data").unlink()
    assert server.asked == []
    assert fetch(entry, tiny.raw, tiny.folder).kind == "url"
    assert available(entry, tiny.folder) is None
    assert json.loads((tiny.raw / "source.json").read_text())["source"] == "url"


def test_kinds_can_be_left_out(tiny, server, shipped):
    entry = all_kinds(tiny, server)
    assert fetch(entry, tiny.raw, tiny.folder, kinds={"url"}).kind == "url"
    with pytest.raises(DownloadError, match="the registry names none"):
        fetch(entry, tiny.raw, tiny.folder, kinds={"wheel"})


def test_the_mirror_can_be_named_by_the_environment(tiny, monkeypatch):
    monkeypatch.setenv("HEDGEROW_MIRROR", str(tiny.folder))
    assert fetch(tiny.entry(), tiny.raw).kind == "mirror"


def test_a_damaged_mirror_stops_the_fetch(tiny, server, shipped):
    entry = all_kinds(tiny, server)
    tiny.file.write_bytes(GOOD[:-3])
    with pytest.raises(
        DataError,
        match=rf"tiny: .*tiny\.data is not the registered version \({len(GOOD) - 3} bytes.*; keep "
        r"it: `hedgerow data adopt tiny .*tiny\.data`; take the registered one from another "
        "source: `hedgerow data restore tiny`",
    ):
        fetch(entry, tiny.raw, tiny.folder)
    assert files_below(tiny.raw) == []


def test_a_mirror_that_is_no_folder(tiny):
    with pytest.raises(DataError, match="the mirror is not a folder; correct or unset"):
        fetch(tiny.entry(), tiny.raw, tiny.folder / "nowhere")


@pytest.mark.parametrize("kind", ["pipe", "folder", "device", "loop", "large"])
def test_a_mirror_entry_that_cannot_be_read(tiny, kind, monkeypatch):
    """Reading a pipe waited for ever."""
    entry = tiny.entry()
    monkeypatch.setattr(sources_module, "LARGEST_FILE", 2**12)
    tiny.file.unlink()
    match kind:
        case "pipe":
            os.mkfifo(tiny.file)
        case "folder":
            tiny.file.mkdir()
        case "device":
            tiny.file.symlink_to("/dev/zero")
        case "loop":
            tiny.file.symlink_to(tiny.file)
        case "large":
            tiny.file.write_bytes(bytes(2**13))
    with pytest.raises(DataError, match=r"tiny\.data: cannot be read \(.+\); correct the mirror"):
        fetch(entry, tiny.raw, tiny.folder)


def test_no_source_answers_one_clear_sentence(tiny):
    with pytest.raises(DownloadError) as caught:
        fetch(tiny.entry(), tiny.raw)
    assert str(caught.value) == (
        "tiny: no source answered (mirror (tiny/tiny.data): HEDGEROW_MIRROR is not set); connect "
        "to the network, or set HEDGEROW_MIRROR to a folder that holds tiny/tiny.data (home page "
        "of the set: https://example.org/tiny)"
    )
    assert not tiny.raw.exists()


def test_a_library_that_is_not_installed(tiny):
    entry = tiny.entry(
        sources=[{"kind": "package", "package": "no_such_lib", "file": "x", "sha256": "0" * 64}]
    )
    with pytest.raises(DownloadError, match="no_such_lib is not installed"):
        fetch(entry, tiny.raw)
    assert available(entry) is None


# ------------------------------------------------------------------------------------------ wheel


#: Of any machine, and of one that nobody tests on.
WHEELS = ("made_up_sets-1.0-py3-none-any.whl", "made_up_sets-1.0-cp27-cp27m-win32.whl")


@pytest.fixture
def wheel(request, tiny, tmp_path, monkeypatch):
    """A made-up wheel that pip finds in a local folder, and an entry that is read out of it."""
    name = getattr(request, "param", WHEELS[0])
    tags = name.removesuffix(".whl").removeprefix("made_up_sets-1.0-")
    shop = tmp_path / "shop"
    shop.mkdir()
    info = "made_up_sets-1.0.dist-info"
    with zipfile.ZipFile(shop / name, "w") as archive:
        archive.writestr("made_up_sets/tiny.dat", GOOD)
        archive.writestr(
            f"{info}/METADATA", "Metadata-Version: 2.1\nName: made-up-sets\nVersion: 1.0\n"
        )
        archive.writestr(
            f"{info}/WHEEL",
            f"Wheel-Version: 1.0\nGenerator: none\nRoot-Is-Purelib: true\nTag: {tags}\n",
        )
        archive.writestr(f"{info}/RECORD", "")
    monkeypatch.setenv("HEDGEROW_CACHE", str(tmp_path / "cache"))
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_FIND_LINKS", str(shop))
    monkeypatch.setattr(sources_module, "_refused", {})

    class Made:
        cache, file = tmp_path / "cache", shop / name

        def entry(self, digest=None):
            tiny.entry()
            tiny.spec["wheels"]["made-up"] = {
                "requirement": "made-up-sets==1.0",
                "file": name,
                "sha256": digest or sha256((shop / name).read_bytes()),
            }
            tiny.spec["datasets"]["tiny"]["sources"] = [
                {
                    "kind": "wheel",
                    "wheel": "made-up",
                    "file": "made_up_sets/tiny.dat",
                    "sha256": sha256(ROWS),
                }
            ]
            tiny.write()
            return load_registry(tiny.path)["tiny"]

    return Made()


@pytest.mark.parametrize("wheel", WHEELS, indirect=True)
def test_a_file_inside_a_wheel_that_is_never_installed(tiny, wheel):
    entry = wheel.entry()
    assert available(entry) is None
    raw = fetch(entry, tiny.raw)
    assert raw.kind == "wheel" and raw.path.read_bytes() == GOOD
    assert available(entry) == "wheel"
    assert [p.name for p in wheel.cache.glob("*.whl")] == [wheel.file.name]
    with pytest.raises(ModuleNotFoundError):
        __import__("made_up_sets")
    # The second time it comes from the cache.
    wheel.file.unlink()
    assert fetch(entry, tiny.raw).kind == "wheel"


@pytest.mark.parametrize(
    ("tags", "options"),
    [
        ("py3-none-any", ""),
        ("py2.py3-none-any", ""),
        ("py3-none-win32", "py --python-version 3 --abi none --platform win32"),
        ("cp39-abi3-win32", "cp --python-version 3.9 --abi abi3 --platform win32"),
        (
            "cp312-cp312-manylinux_2_24_x86_64.manylinux_2_28_x86_64",
            "cp --python-version 3.12 --abi cp312 --platform manylinux_2_24_x86_64 "
            "--platform manylinux_2_28_x86_64",
        ),
    ],
)
def test_pip_is_asked_for_the_tags_of_a_name(tags, options):
    for name in ("a_b-1.0", "a_b-1.0-1"):  # with a build number
        found = sources_module._tags(f"{name}-{tags}.whl")
        assert found == ([] if not options else ["--implementation", *options.split()])


def test_a_damaged_wheel_in_the_cache_is_fetched_again(tiny, wheel):
    entry = wheel.entry()
    wheel.cache.mkdir()
    (wheel.cache / wheel.file.name).write_bytes(b"half")
    assert fetch(entry, tiny.raw).path.read_bytes() == GOOD


def test_a_wheel_of_the_cache_stays_until_the_right_one_is_there(tiny, wheel):
    """A file that a registry named by another checksum was deleted before anything was fetched."""
    entry = wheel.entry()
    wheel.file.unlink()
    wheel.cache.mkdir()
    (wheel.cache / wheel.file.name).write_bytes(b"of another project")
    with pytest.raises(DownloadError, match="pip could not fetch"):
        fetch(entry, tiny.raw)
    assert (wheel.cache / wheel.file.name).read_bytes() == b"of another project"


def test_what_pip_is_asked_for(tiny, wheel, monkeypatch, tmp_path):
    """The requirement stood in the command line, where `--index-url=...` is an option; and a
    `pip.py` in the folder of a stranger's project was run in the place of pip."""
    entry, asked, run = wheel.entry(), [], subprocess.run

    def noted(command, **how):
        asked.extend([command, Path(command[command.index("--requirement") + 1]).read_text()])
        return run(command, **how)

    monkeypatch.setattr(subprocess, "run", noted)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "pip.py").write_text("raise SystemExit('a module of the folder ran')")
    assert fetch(entry, tiny.raw).kind == "wheel"
    command, text = asked
    assert text == f"made-up-sets==1.0 --hash=sha256:{sha256(wheel.file.read_bytes())}\n"
    assert {"--no-deps", "--require-hashes"} < set(command)
    assert command[command.index("--only-binary") + 1] == ":all:"
    assert not any("made-up-sets" in word for word in command)


def test_a_cache_that_cannot_be_written(tiny, wheel):
    wheel.cache.write_text("in the way")
    with pytest.raises(DownloadError, match=r"cannot be written .*; set HEDGEROW_CACHE"):
        fetch(wheel.entry(), tiny.raw)


def test_a_wheel_with_another_checksum(tiny, wheel):
    with pytest.raises(DownloadError, match="pip fetched another file"):
        fetch(wheel.entry(digest="0" * 64), tiny.raw)
    assert list(wheel.cache.glob("*.whl")) == []


def test_a_wheel_that_pip_cannot_fetch_is_asked_for_once(tiny, wheel, monkeypatch):
    entry = wheel.entry()
    wheel.file.unlink()
    with pytest.raises(DownloadError, match=r"pip could not fetch made-up-sets==1\.0"):
        fetch(entry, tiny.raw)
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: pytest.fail("pip was asked again"))
    with pytest.raises(DownloadError, match=r"pip could not fetch made-up-sets==1\.0"):
        fetch(entry, tiny.raw)


def test_several_processes_fetch_a_wheel_once(tiny, wheel):
    wheel.entry()
    code = (
        "import sys; from hedgerow.data import fetch, load_registry\n"
        "print(fetch(load_registry(sys.argv[1])['tiny'], sys.argv[2]).sha256)"
    )

    def run(i):
        command = [sys.executable, "-c", code, str(tiny.path), str(tiny.raw / str(i))]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    with ThreadPoolExecutor(3) as pool:
        done = list(pool.map(run, range(3)))
    assert [run.stdout.strip() for run in done] == [sha256(ROWS)] * 3, done[0].stderr


# ------------------------------------------------------------------------------------- written out


def test_a_failed_write_leaves_nothing(tiny, monkeypatch):
    entry = tiny.entry()

    def fail(*_):
        raise OSError("disk full")

    monkeypatch.setattr(sources_module.os, "replace", fail)
    with pytest.raises(OSError, match="disk full"):
        fetch(entry, tiny.raw, tiny.folder)
    assert files_below(tiny.raw) == []


def test_a_fetch_without_its_record_is_incomplete(tiny):
    entry = tiny.entry()
    with pytest.raises(DataError, match=r"source\.json: missing or damaged"):
        read_fetched(entry, tiny.raw)
    fetch(entry, tiny.raw, tiny.folder)
    (tiny.raw / "tiny.data").unlink()
    with pytest.raises(DataError, match=r"tiny\.data: no such file"):
        read_fetched(entry, tiny.raw)
    (tiny.raw / "source.json").write_text('{"from": "mirror (other)"}')
    with pytest.raises(DataError, match=r"has no source 'mirror \(other\)'"):
        read_fetched(entry, tiny.raw)


def test_the_record_names_no_path_of_the_machine(tiny):
    fetch(tiny.entry(), tiny.raw, tiny.folder)
    assert str(tiny.folder) not in (tiny.raw / "source.json").read_text()
