"""`hedgerow data list | get | check | fingerprint | adopt | restore`."""

from __future__ import annotations

import argparse
import dataclasses
import functools
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.errors import DataError
from hedgerow.screen import add_force, new_console

if TYPE_CHECKING:
    from hedgerow.data import DatasetEntry, Registry


def add_data(parser: argparse.ArgumentParser) -> None:
    """Add the actions on data sets to the parser of the command."""
    actions = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    action = functools.partial(_action, actions)

    listing = action("list", _data_list, "list the data sets and whether they can be had here")
    listing.add_argument("--task", choices=["classification", "survival"], help="only these")

    get = action("get", _data_get, "fetch data sets, check them and write their tidy tables")
    get.add_argument("names", nargs="+", metavar="NAME", help="key of a data set")
    get.add_argument(
        "--out",
        default="data",
        metavar="FOLDER",
        help="gets the data file, raw/NAME/NAME.data, and tidy/NAME.parquet (default: %(default)s)",
    )
    add_force(get, "files in FOLDER, other than those of the same data set,")

    check = action(
        "check",
        _data_check,
        "fetch data sets and compare their fingerprints with the registry",
        "; without names, all that need no download of their own",
    )
    check.add_argument("names", nargs="*", metavar="NAME", help="key of a data set (default: all)")
    check.add_argument(
        "--every-source",
        action="store_true",
        help="check each source of a set, not only the first that answers",
    )
    check.add_argument("--download", action="store_true", help="ask addresses on the network too")

    describe = action(
        "fingerprint",
        _data_fingerprint,
        "print the part of a registry entry that follows from the data",
        ": rows, classes, variables and fingerprint, to be pasted when a set is added",
    )
    describe.add_argument("name", metavar="NAME", help="key of a data set")

    adopting = action(
        "adopt",
        _data_adopt,
        "use a corrected data file instead of the registered version",
        ": without FILE the edited data/raw/NAME/NAME.data. It is checked for every data set that "
        "reads it, and noted in local_data.yaml beside the registry, which git can track",
    )
    adopting.add_argument("name", metavar="NAME", help="key of a data set")
    adopting.add_argument("file", metavar="FILE", nargs="?", help="the corrected file")
    adopting.add_argument("--reason", default="", help="why, for readers of the results")

    back = action(
        "restore",
        _data_restore,
        "go back to the registered version of a data file; the local one is kept",
    )
    back.add_argument("name", metavar="NAME", help="key of a data set")


def _action(actions, name: str, run, text: str, more: str = "") -> argparse.ArgumentParser:
    """One of these commands, with the options that all of them have."""
    parser = actions.add_parser(name, help=text, description=f"{text}{more}")
    parser.set_defaults(run=run, parser=parser)
    parser.add_argument(
        "--registry",
        metavar="FILE",
        help="the registry of data sets (default: config/datasets.yaml where one is, else the "
        "package's own)",
    )
    parser.add_argument(
        "--mirror",
        metavar="FOLDER",
        help="local mirror, laid out <key>/<file> (default: the variable HEDGEROW_MIRROR)",
    )
    return parser


def _registry(options: argparse.Namespace) -> Registry:
    from hedgerow.data import load_registry
    from hedgerow.data.loading import registry_file

    return load_registry(registry_file() if options.registry is None else options.registry)


def _data_list(options: argparse.Namespace) -> int:
    from rich.table import Table

    from hedgerow.data import available

    registry = _registry(options)
    table = Table(box=None, header_style="bold", pad_edge=False, collapse_padding=True)
    console = new_console()
    # A narrow terminal shows fewer columns rather than broken ones.
    with_title, with_sources = console.width >= 130, console.width >= 105
    table.add_column("key", no_wrap=True)
    if with_title:
        table.add_column("title", no_wrap=True, overflow="ellipsis", max_width=console.width - 106)
    for name in ("rows", "variables", "classes"):
        table.add_column(name, justify="right", no_wrap=True)
    for name in ("task", *(["sources"] if with_sources else []), "here"):
        table.add_column(name, no_wrap=True)
    n_listed = n_here = 0
    for key, entry in registry.items():
        if options.task and entry.task != options.task:
            continue
        kinds = list(dict.fromkeys(source.kind for source in entry.sources))
        here = available(entry, options.mirror)
        n_listed += 1
        n_here += here is not None
        table.add_row(
            key,
            *([entry.title] if with_title else []),
            str(entry.n_rows),
            str(entry.n_variables),
            str(entry.n_classes),
            entry.task,
            *([" ".join(kinds)] if with_sources else []),
            here or ("by pip" if "wheel" in kinds else "by network" if "url" in kinds else "no"),
        )
    console.print(table)
    console.print(f"\n{n_listed} data sets, {n_here} of them here without a download")
    return 0


def _data_get(options: argparse.Namespace) -> int:
    from hedgerow.data import fetch, tidy, write_tidy
    from hedgerow.data.sources import check_raw
    from hedgerow.data.tidy import check_tidy

    registry = _registry(options)
    # A wrong name, or a place that is taken, stops before any fetch.
    entries = [registry[name] for name in options.names]
    out = Path(options.out)
    for entry in entries:
        check_raw(entry, out / "raw" / entry.base.key, options.force)
        check_tidy(entry, out / "tidy" / f"{entry.key}.parquet", options.force)
    with _Progress(len(entries)) as progress:
        for entry in entries:
            progress.start(entry.key)
            raw = fetch(
                entry,
                out / "raw" / entry.base.key,
                options.mirror,
                progress=progress.download_bar(),
            )
            table = tidy(entry, raw)
            path = out / "tidy" / f"{entry.key}.parquet"
            write_tidy(path, table)
            progress.line(f"{entry.key}: {len(table)} rows from {raw.described} -> {path}")
            progress.done()
    return 0


def _data_check(options: argparse.Namespace) -> int:
    from hedgerow.data.registry import SOURCE_KINDS

    registry = _registry(options)
    names = list(dict.fromkeys(options.names)) or list(registry)
    entries = [registry[name] for name in names]
    download = options.download or options.names
    kinds = {kind for kind in SOURCE_KINDS if download or kind != "url"}
    n_ok = n_absent = n_wrong = 0
    with _Progress(len(entries)) as progress:
        for entry in entries:
            progress.start(entry.key)
            for one in _by_source(entry) if options.every_source else [entry]:
                result, text = _checked(one, options.mirror, kinds, progress)
                progress.line(f"{result:<7} {entry.key}: {text}")
                n_ok += result == "ok"
                n_absent += result == "absent"
                n_wrong += result == "differs"
            progress.done()
    print(f"{n_ok} ok, {n_absent} absent, {n_wrong} wrong")
    return 1 if n_wrong else 0


def _by_source(entry: DatasetEntry) -> list[DatasetEntry]:
    """One copy of the entry for each of its sources."""
    bases = [dataclasses.replace(entry.base, sources=(source,)) for source in entry.base.sources]
    if entry.parent is None:
        return bases
    return [dataclasses.replace(entry, parent_entry=base) for base in bases]


def _checked(entry: DatasetEntry, mirror, kinds, progress: _Progress) -> tuple[str, str]:
    from hedgerow.data import fetch, tidy
    from hedgerow.data.sources import NoSourceError

    with tempfile.TemporaryDirectory() as folder:
        try:
            raw = fetch(entry, folder, mirror, kinds=kinds, progress=progress.download_bar())
            table = tidy(entry, raw)
        except NoSourceError as error:
            return "absent", error.message.removeprefix(f"{entry.key}: ")
        except DataError as error:
            return "differs", str(error).removeprefix(f"{entry.key}: ")
    return "ok", f"{len(table)} rows from {raw.described}"


def _data_fingerprint(options: argparse.Namespace) -> int:
    import numpy as np
    import yaml

    from hedgerow.data import fetch, tidy
    from hedgerow.data.tidy import group_fingerprint, profile

    entry = _registry(options)[options.name]
    with tempfile.TemporaryDirectory() as folder:
        table = tidy(entry, fetch(entry, folder, options.mirror), check=False)
    counts = np.bincount(table.y, minlength=len(table.classes)).tolist()
    lines = {
        "rows": len(table),
        "classes": dict(zip(table.classes, counts, strict=True)),
        "variables": profile(table.X),
        "fingerprint": table.fingerprint,
    }
    if entry.group is not None and entry.parent is None:
        lines["group"] = {**vars(entry.group), "fingerprint": group_fingerprint(table)}
    text = yaml.safe_dump(
        lines, default_flow_style=None, width=98, sort_keys=False, allow_unicode=True
    )
    print(text, end="")
    return 0


def _data_adopt(options: argparse.Namespace) -> int:
    from hedgerow.data.versions import adopt, local_file

    registry = _registry(options)
    done = adopt(registry, options.name, options.file, reason=options.reason, mirror=options.mirror)
    if done.kept is not None:
        print(f"The edited file that was there is kept as {done.kept}.")
    print(f"{done.version.sentence(done.name)}, recorded in {local_file(registry.path)}.")
    for cell in () if done.rows is None else done.rows.cells[:_MOST_CELLS]:
        print(f"  {cell}")
    if done.rows is not None and len(done.rows.cells) > _MOST_CELLS:
        print(f"  and {len(done.rows.cells) - _MOST_CELLS} more cells")
    same = sorted(done.version.tables.keys() - set(done.changed))
    print(f"Data sets that change: {', '.join(done.changed) or 'none'}.")
    if same:
        print(f"Data sets that read the file and stay the same: {', '.join(same)}.")
    print("`snakemake --cores N`, or `make reproduce`, recomputes what depends on them.")
    return 0


#: Changed cells that a terminal shows.
_MOST_CELLS = 10


def _data_restore(options: argparse.Namespace) -> int:
    from hedgerow.data.versions import data_file, restore

    registry = _registry(options)
    kept = restore(registry, options.name, mirror=options.mirror)
    path = data_file(registry[options.name])
    print(f"{path} is the registered version.")
    if kept is not None:
        print(f"The local version is kept: {kept}")
    return 0


# ---------------------------------------------------------------------------------------- display


class _Progress:
    """Result lines on standard output, with a progress bar below them on a terminal."""

    def __init__(self, n_total: int):
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

        self._out = new_console()
        # One console for lines and bar, so that rich keeps the bar below the lines; where the
        # lines go to a file, the bar goes to standard error.
        console = self._out if self._out.is_terminal else new_console(stderr=True)
        self._bars = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,
        )
        self._n_total, self._n_done = n_total, 0
        self._task = self._bars.add_task("", total=n_total)

    def __enter__(self) -> _Progress:
        self._bars.start()
        return self

    def __exit__(self, *_) -> None:
        self._bars.stop()

    def start(self, key: str) -> None:
        self._bars.update(self._task, description=f"{key} ({self._n_done + 1} of {self._n_total})")

    def line(self, text: str) -> None:
        self._out.print(text, soft_wrap=True)

    def done(self) -> None:
        self._n_done += 1
        self._bars.advance(self._task)

    def download_bar(self) -> _DownloadBar:
        return _DownloadBar(self._bars)


class _DownloadBar:
    """What pooch wants of a progress bar, shown as a line of rich's.

    pooch sets ``total`` (bytes), then calls ``update(n)``, ``reset()`` and ``close()``.
    """

    def __init__(self, bars):
        self._bars = bars
        self._task = self.total = None

    def update(self, n: int) -> None:
        if self._task is None:
            self._task = self._bars.add_task("download", total=self.total)
        self._bars.advance(self._task, n)

    def reset(self) -> None:
        if self._task is not None:
            self._bars.reset(self._task, total=self.total)

    def close(self) -> None:
        if self._task is not None:
            self._bars.remove_task(self._task)
            self._task = None
