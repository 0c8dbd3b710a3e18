"""The frame of a workflow script: log, record, errors in one line, absent data sets."""

from __future__ import annotations

import contextlib
import logging
import os
import sys
import textwrap
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from hedgerow.errors import DataError, HedgerowError
from hedgerow.files import read_json, read_metadata, write_json, write_parquet, write_text
from hedgerow_study.workflow.jobs.digest import settings_of_job
from hedgerow_study.workflow.running.disk import no_room

logger = logging.getLogger("hedgerow")


#: Where jobs leave their records.
RECORDS = "data/jobs"


@contextlib.contextmanager
def job(snakemake: Any, apart: Sequence[str] = ()) -> Iterator[dict[str, Any]]:
    """Run the body of a script with its log file and its record, and turn an error into one line.

    Yields: what else the record of the job says, such as `kept`: files that it lists.

    The log file gets the package's messages and, after an error, the traceback; the screen gets
    one line. The exit code is 1 after an error. What the user can mend (`HedgerowError`, a full
    disk) is shown as it is, anything else with its type and a pointer to the log.

    Beside data/logs/<job>.log stands the record of the job, data/jobs/<job>.tsv (`Record`), and
    data/jobs/<job>.json, the checksums of what it read and wrote, from which the next run sees
    what has changed (`hedgerow_study.workflow.planning.changed_outputs`). Where the disk has no
    room for log or record, the job does without: its results tell. A job that has not done its work
    leaves no settings in it.

    A job of one data set that was not to be had (`absence`) does not run its body: its outputs
    say the same of the data set, and the next job passes it on.
    """
    log = Path(snakemake.log[0])
    root = logging.getLogger()
    record, done, finished, more = Record(), None, False, {}
    # Of a job that is killed, or finds no room for a new record, none is better than the old one.
    contents_of(log).unlink(missing_ok=True)
    handler = _log_to(log)
    root.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        if hasattr(getattr(snakemake, "wildcards", None), "dataset") and _is_absent(snakemake):
            finished = True
            raise SystemExit(0)
        yield more
        done, finished = snakemake, True
    except Exception as error:
        logger.error("%s failed\n%s", snakemake.rule, traceback.format_exc())
        for_user = error if isinstance(error, HedgerowError) else no_room(error)
        line = " ".join(str(for_user or error).split())
        if for_user is None:
            line = f"{type(error).__name__}: {line}; the traceback is in {log}"
        print(f"{snakemake.rule}: {line}", file=sys.stderr)
        raise SystemExit(1) from None
    finally:
        with _allow_full_disk():
            record.write(record_of(log), done)
            if finished:
                write_json(contents_of(log), {**contents(snakemake, apart), **more})
        root.removeHandler(handler)
        handler.close()


@contextlib.contextmanager
def _allow_full_disk() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if no_room(error) is None:
            raise


def _log_to(path: Path) -> logging.Handler:
    with _allow_full_disk():
        path.parent.mkdir(parents=True, exist_ok=True)
        return _Log(path, mode="w", encoding="utf-8")
    return logging.NullHandler()


class _Log(logging.FileHandler):
    """The log file of a job, which does not speak up where the disk has no room for it."""

    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings)
        self.setFormatter(logging.Formatter("%(levelname)s %(name)s: %(message)s"))

    def handleError(self, record: logging.LogRecord) -> None:
        if no_room(sys.exception()) is None:
            super().handleError(record)

    def close(self) -> None:
        with _allow_full_disk():
            super().close()


# ---------------------------------------------------------------------------- what a job took


def record_of(log: Path) -> Path:
    """Where the record of the job with this log file stands."""
    return Path(log.as_posix().replace("data/logs/", "data/jobs/")).with_suffix(".tsv")


def contents_of(log: Path) -> Path:
    """Where the checksums of what the job with this log file read and wrote stand."""
    return record_of(log).with_suffix(".json")


def written_by(job: Any) -> list[str]:
    """Files that a job writes: its outputs, and pages of the site that are none of Snakemake's."""
    return [*map(str, job.output), *job.params.get("pages", ())]


def contents(snakemake: Any, apart: Sequence[str] = ()) -> dict[str, Any]:
    """SHA-256 of the inputs and outputs of a job, by path, and those of `apart` that are empty."""
    from hedgerow_study.reporting.manifest import checksum

    files = {"inputs": snakemake.input, "outputs": written_by(snakemake)}
    content: dict[str, Any] = {
        part: {
            p: checksum(Path(p)) for p in map(str, paths) if p not in apart and os.path.isfile(p)
        }
        for part, paths in files.items()
    }
    # Data files of absent sets: what a user puts there is used.
    content["absent"] = [path for path in apart if not Path(path).stat().st_size]
    return content


class Record:
    """Time and memory of a job, from its making to its writing.

    Snakemake's own `benchmark` looks at a job from outside, twice a second at best: it says nothing
    of the shorter ones, and it does not see a job that the warm process runs. The columns have its
    names.
    """

    def __init__(self):
        self._seconds = time.perf_counter()
        self._cpu = self._cpu_seconds()

    def write(self, path: str | Path, done: Any = None) -> None:
        """Write a line of tab-separated values under their names.

        `s` is seconds on the clock, `cpu_time` seconds of CPU in all threads, `max_rss` the largest
        resident memory in MiB, 'NA' where the system does not tell. Of a job that has done its
        work, `settings` is the SHA-256 over its parameters, which its plan has too.
        """
        seconds = time.perf_counter() - self._seconds
        cpu = self._cpu_seconds() - self._cpu
        names = ("s", "cpu_time", "max_rss", "settings")
        settings = "NA" if done is None else settings_of_job(done.params)
        values = (f"{seconds:.3f}", f"{cpu:.3f}", _largest_memory(), settings)
        write_text(path, "\t".join(names) + "\n" + "\t".join(values) + "\n")

    @staticmethod
    def _cpu_seconds() -> float:
        spent = os.times()
        return spent.user + spent.system + spent.children_user + spent.children_system


def _largest_memory() -> str:
    try:
        import resource
    except ImportError:  # Windows
        return "NA"
    largest = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    unit = 1 if sys.platform == "darwin" else 1024  # bytes on macOS, KiB elsewhere
    return f"{largest * unit / 2**20:.1f}"


# ------------------------------------------------------------------------- absent data sets

ABSENT = "hedgerow.absent"
#: Files of a data set that people open.
PICTURES = (".svg", ".pdf")


def absence(path: str | Path) -> str | None:
    """Why the data set of a file was not to be had, or None if it is there."""
    path = Path(path)
    if path.suffix == ".data":
        return None if path.stat().st_size else absence(path.with_name("source.json"))
    if path.suffix == ".json":
        return read_json(path).get("absent")
    if path.suffix == ".parquet":
        reason = read_metadata(path).get(ABSENT.encode())
        return None if reason is None else reason.decode()
    return None


def write_absence(path: str | Path, reason: str) -> None:
    """Write, in the place of a file of a data set, that the data set was not to be had."""
    if Path(path).suffix == ".json":
        write_json(path, {"absent": reason, "dataset": Path(path).parent.name})
        return
    if Path(path).suffix in PICTURES:
        _write_absent_page(Path(path), reason)
        return
    import pyarrow as pa

    write_parquet(path, pa.table({}).replace_schema_metadata({ABSENT: reason}))


def _write_absent_page(path: Path, reason: str) -> None:
    """A picture that says so: somebody opens it."""
    from matplotlib.figure import Figure

    from hedgerow.showing.figures import save

    words = textwrap.fill(f"The data set could not be had. {reason}", 100)
    page = Figure(figsize=(8.27, 0.6 + 0.2 * words.count("\n")))
    page.text(0.04, 0.5, words, fontsize=9, va="center", parse_math=False)
    save(page, path)


def present(paths: Sequence[str]) -> list[str]:
    """Those of many files, one per data set, whose data sets are there."""
    available = [path for path in paths if absence(path) is None]
    if paths and not available:
        raise DataError(
            f"none of the {len(paths)} data sets could be had ({absence(paths[0])})",
            remedy="connect to the network or name a mirror, and run again",
        )
    return available


def _is_absent(snakemake: Any) -> bool:
    """Whether the data set of a job is absent; then its outputs say why."""
    for path in snakemake.input:
        reason = absence(path)
        if reason is not None:
            for output in snakemake.output:
                write_absence(output, reason)
            logger.warning("%s is absent: %s", snakemake.wildcards.dataset, reason)
            return True
    return False


# ------------------------------------------------------------------------------ declared plans


class Declared:
    """A plan that shows only the settings that the rule declares in its `params`.

    A function that reads another setting gets an error instead of a default: otherwise a change of
    that setting would not rerun the job.
    """

    def __init__(self, plan: Any, names):
        self.__plan = plan
        self.__names = frozenset(names)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name in self.__names:
            return getattr(self.__plan, name)
        raise AttributeError(
            f"the job reads the setting `{name}`, which its rule does not declare in `params`"
        )


def declared_plan(
    plan_class: Any, declared: Mapping[str, Any], datasets: Sequence[str] | None = None
) -> Any:
    """The plan of a job, which shows only what its rule declares."""
    section = {k: v for k, v in declared.items() if k not in ("seed", "configuration")}
    if datasets is not None:
        section["datasets"] = list(datasets)
    plan = plan_class.from_config(
        section,
        declared.get("seed", 0),
        declared.get("configuration", ""),
    )
    return Declared(plan, {*declared, *([] if datasets is None else ["datasets"])})
