"""Faults of a run: each ends in the checksums of an undisturbed run, or in one clear error.

What is undisturbed is the smoke configuration of the fixture `smoke`; its run lies in a path with
blanks and umlauts, under LANG=C and in another time zone (conftest.py), that of
test_workflow_runs.py, which is killed half-way, does not, and the bytes agree.
"""

from __future__ import annotations

import contextlib
import errno
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from throwaway import ROOT, SMOKE, Project, clean_environment, new_project, until

from hedgerow.data import load_registry
from hedgerow_study.workflow import run
from hedgerow_study.workflow.planning.changed_outputs import FutureError, check_times
from hedgerow_study.workflow.running.disk import no_room
from hedgerow_study.workflow.settings.data_files import to_download

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="Linux only")
COMMAND = ("-m", "hedgerow_study.workflow.run", "--cores", "2", *SMOKE)
#: Files of a new project, which nothing makes.
SOURCES = {
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "data/published").rglob("*")
    if path.is_file()
} | {"reports/README.md"}
NEXT_YEAR = time.time() + 365 * 86400


def copied(smoke: Project, folder: Path) -> Project:
    shutil.copytree(smoke.path, folder, symlinks=True)
    return Project(folder, smoke.interpreter)


def started(project: Project, **environment: str) -> subprocess.Popen:
    """The command that a user calls, in a session of its own."""
    return subprocess.Popen(
        [project.interpreter, *COMMAND],
        cwd=project.path,
        env=clean_environment(**environment),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def parts_of(run_: subprocess.Popen) -> dict[str, list[psutil.Process]]:
    """Processes of a run: Snakemake, the warm process, its callers, and the jobs, its forks."""
    found = {"snakemake": [], "warm": [], "client": [], "job": []}
    with contextlib.suppress(psutil.Error):
        found["snakemake"] = psutil.Process(run_.pid).children()
        snakemake = next(iter(found["snakemake"]), None)
        for child in snakemake.children(recursive=True) if snakemake else ():
            with contextlib.suppress(psutil.Error):
                words = " ".join(child.cmdline())
                if "hedgerow_study.workflow.running.warm" in words:
                    of_snakemake = child.ppid() == snakemake.pid
                    found["warm" if of_snakemake else "job"].append(child)
                elif "client.py" in words and child.children() == []:
                    found["client"].append(child)
    return found


def half_written(project: Project) -> list[Path]:
    return [p for top in ("data", "reports") for p in (project.path / top).rglob("*.part*")]


@pytest.fixture
def small_disk(tmp_path):
    """A file system of its own, where this user may mount one; its size can be set anew."""
    folder = tmp_path / "disk"
    folder.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(folder)]
    if shutil.which("mount") is None or subprocess.run(command, capture_output=True).returncode:
        pytest.skip("this user may not mount a file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def resize(folder: Path, size: str) -> None:
    subprocess.run(["mount", "-o", f"remount,size={size}", str(folder)], check=True)


# ------------------------------------------------------------------------ whole runs

#: In the warm process of a run, jobs begin and do not end.
ENDLESS = """
import runpy, sys, time
if sys.orig_argv[1:3] == ["-m", "hedgerow_study.workflow.running.warm"]:
    runpy.run_path = lambda script, run_name: time.sleep(600)
"""


@pytest.mark.runs
def test_a_job_that_is_killed_is_told_and_the_next_run_ends_in_the_same_bytes(smoke, tmp_path):
    """It said nothing, and its log was empty.

    The page is gone. The run that makes it anew loses its job to SIGKILL; the next one ends as the
    undisturbed one.
    """
    project = copied(smoke, tmp_path / "project")
    (project.path / "reports/html/index.html").unlink()

    (tmp_path / "sitecustomize.py").write_text(ENDLESS)
    killed = started(project, PYTHONPATH=str(tmp_path))
    (job,) = until(lambda: parts_of(killed)["job"], killed)
    job.kill()
    said = killed.communicate()[0]
    assert killed.returncode == 1, said
    assert "a job was killed (signal 9), as happens where memory runs out" in said
    assert "report failed" in said and "Traceback" not in said

    done = project.forked("--cores", "2", "--rerun-incomplete", *SMOKE)
    assert done.returncode == 0, done.stderr
    assert not half_written(project) and project.made() == smoke.made()


@pytest.mark.runs
def test_files_from_the_future_are_one_error_or_nothing(smoke, tmp_path):
    """Their jobs ran, and failed for outputs that were older than inputs, in each run anew."""
    project = copied(smoke, tmp_path / "project")
    late = ["config/claims.yaml", "data/results/soft/bupa.parquet", "data/tidy/wine.parquet"]
    for name in late:
        os.utime(project.path / name, (NEXT_YEAR, NEXT_YEAR))
    assert project.planned(*SMOKE) == {}, "their content is what it was"

    (project.path / "reports/manifest.json").unlink()
    done = project.forked("--cores", "2", *SMOKE)
    assert done.returncode == 1
    (line,) = [line for line in done.stderr.splitlines() if "from the future" in line]
    assert line.startswith("3 files are from the future, config/claims.yaml among them (")
    assert "localrule manifest" not in done.stderr and "rule manifest:" not in done.stderr

    (remedy,) = re.findall(r"else call `(.*)`$", line)
    subprocess.run(remedy, shell=True, cwd=project.path, check=True)
    done = project.forked("--cores", "2", *SMOKE)
    assert done.returncode == 0, done.stderr
    assert project.made() == smoke.made()
    assert project.planned(*SMOKE) == {}


@pytest.mark.runs
def test_a_raw_file_that_is_gone_comes_back_with_its_run(smoke, tmp_path):
    """No rule named it as an output: the manifest failed on it with `FileNotFoundError`."""
    project = copied(smoke, tmp_path / "project")
    (project.path / "data/raw/wine/wine.data").unlink()
    assert project.planned(*SMOKE)["fetch"] == 1
    done = project.forked("--cores", "1", *SMOKE, "--", "data/raw/wine/wine.data")
    assert done.returncode == 0, done.stderr
    assert project.made() == smoke.made()
    assert project.planned(*SMOKE) == {}


@pytest.mark.runs
def test_snakemake_itself_does_not_start_beside_a_run(smoke, tmp_path):
    project = copied(smoke, tmp_path / "project")
    (project.path / "reports/manifest.json").unlink()
    with run.held(project.path):
        done = project.forked("--cores", "1", *SMOKE)
        assert done.returncode == 1
        assert f"another run is at work here (process {os.getpid()})" in done.stderr
        assert not (project.path / "reports/manifest.json").exists()
        assert project.planned(*SMOKE) == {"manifest": 1}, "looking is allowed"


#: Of the random moments; `make test-long`.
SEED = 14


@pytest.mark.runs
@pytest.mark.long
def test_killed_at_twenty_random_moments_a_run_ends_in_the_same_bytes(smoke, tmp_path):
    """Now the whole group, now Snakemake, the warm process, a caller or a job; files go as well.

    Where a run ends before its moment, or is hit in what it no longer needs, the next one has a
    file less to start from.
    """
    random_ = random.Random(SEED)
    project = new_project(tmp_path / "project")
    raw = project.path / "data/raw"
    told = []
    for moment in range(20):
        process = started(project)
        kind = ["group", "snakemake", "warm", "client", "job"][moment % 5]
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(random_.uniform(1, 14))
        victims = until(lambda: parts_of(process).get(kind, [process]), process, seconds=5)  # noqa: B023
        if kind == "group" and process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        elif victims and process.poll() is None:
            with contextlib.suppress(psutil.Error):
                random_.choice(victims).kill()
        said = process.communicate()[0]
        told.append((kind, process.returncode, said[-2000:]))
        assert "Traceback" not in said, told[-1]
        made = sorted(project.made().keys() & smoke.made().keys() - SOURCES)
        if made and moment % 2:
            lost = project.path / random_.choice(made)
            # Without its description a file is fetched anew; without the file there is an error.
            shutil.rmtree(lost.parent) if lost.is_relative_to(raw) else lost.unlink()
    assert sum(code != 0 for _, code, _ in told) >= 10, told
    last = started(project)
    said = last.communicate()[0]
    assert last.returncode == 0, said
    made = {name: sum_ for name, sum_ in project.made().items() if name in smoke.made()}
    # Chunks that nothing needs any more are not made again.
    missing = smoke.made().keys() - made.keys()
    assert not [name for name in missing if "/chunks/" not in name]
    assert made == {name: smoke.made()[name] for name in made}
    assert project.planned(*SMOKE) == {}


@pytest.mark.runs
@pytest.mark.long
@pytest.mark.parametrize("megabytes", [2, 6, 11])
def test_a_run_on_a_disk_that_becomes_full_goes_on_when_there_is_room(smoke, small_disk, megabytes):
    resize(small_disk, f"{megabytes}m")
    project = new_project(small_disk / "project")
    full = started(project)
    said = full.communicate()[0]
    assert full.returncode == 1
    assert f"no space is left on the disk of {project.path}" in said
    assert "Traceback" not in said and not half_written(project), said
    resize(small_disk, "80m")
    done = started(project)
    said = done.communicate()[0]
    assert done.returncode == 0, said
    assert project.made() == smoke.made()


# ------------------------------------------------------------------- two runs, and their ends

#: In the place of Snakemake: notes that it runs, locks, and does what a file says.
SNAKEMAKE = """
import os, pathlib, signal, time
with open("runs", "a") as runs:
    print(os.getpid(), file=runs)
locks = pathlib.Path(".snakemake/locks")
locks.mkdir(parents=True, exist_ok=True)
(locks / "0.input.lock").touch()
while not os.path.exists("end"):
    if os.path.exists("die"):
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.01)
(locks / "0.input.lock").unlink()
"""


@pytest.fixture
def runs(tmp_path):
    """Start runs of a Snakemake that does nothing, and end them all."""
    (tmp_path / "snakemake.py").write_text(SNAKEMAKE)
    (tmp_path / "config").mkdir()
    (tmp_path / "config/smoke.yaml").touch()
    begun = []

    def start() -> subprocess.Popen:
        begun.append(started(Project(tmp_path)))
        return begun[-1]

    yield start
    (tmp_path / "end").touch()
    for process in begun:
        process.wait()


def working(folder: Path) -> list[int]:
    file = folder / "runs"
    return [int(line) for line in file.read_text().split()] if file.exists() else []


def test_of_runs_that_start_at_the_same_instant_one_works_and_the_others_say_so(runs, tmp_path):
    """Each looked for a lock before any had written one, and the last one took away the note."""
    several = [runs() for _ in range(5)]
    assert until(lambda: sum(r.poll() is not None for r in several) == 4)
    (works,) = [r for r in several if r.poll() is None]
    until(lambda: working(tmp_path))
    for refused in several:
        if refused is not works:
            said = refused.communicate()[0]
            assert refused.returncode == 1 and said.count("\n") == 1
            assert said.startswith("another run is at work here")
    (tmp_path / "end").touch()
    works.communicate()
    assert works.returncode == 0 and len(working(tmp_path)) == 1


def test_a_run_is_not_joined_where_another_snakemake_has_removed_the_locks(runs, tmp_path):
    """`snakemake` with nothing to do removes the folder of all locks; a second run then began."""
    first = runs()
    assert until(lambda: working(tmp_path), first)
    shutil.rmtree(tmp_path / run.LOCKS)
    second = runs()
    said = second.communicate()[0]
    assert second.returncode == 1
    assert f"another run is at work here (process {working(tmp_path)[0]})" in said
    assert first.poll() is None and len(working(tmp_path)) == 1


def test_snakemake_without_its_parent_still_holds_the_folder(runs, tmp_path):
    first = runs()
    assert until(lambda: working(tmp_path), first)
    first.kill()
    first.wait()
    second = runs()
    said = second.communicate()[0]
    assert second.returncode == 1
    assert f"another run is at work here (process {working(tmp_path)[0]})" in said


def test_a_snakemake_that_is_killed_is_told_and_its_lock_goes_with_the_next_run(runs, tmp_path):
    """The note was removed and the lock stayed: the next run took it for that of a stranger."""
    first = runs()
    assert until(lambda: working(tmp_path), first)
    (tmp_path / "die").touch()
    said = first.communicate()[0]
    assert first.returncode == 128 + signal.SIGKILL
    assert said.startswith("Snakemake was killed (signal 9), as happens where memory runs out.")
    (tmp_path / "die").unlink()
    (tmp_path / "end").touch()
    second = runs()
    said = second.communicate()[0]
    assert second.returncode == 0
    assert said.startswith("The last run was killed; its lock is removed")


def test_snakemakes_without_a_command_of_ours_hold_the_folder_together(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(run.HELD, raising=False)
    direct = SimpleNamespace(execution_settings=SimpleNamespace(lock=True))
    assert run.hold_for_snakemake(direct)
    assert run.hold_for_snakemake(direct), "Snakemake compares their files"
    with pytest.raises(run.LockedError, match=f"process {os.getpid()}"), run.held(tmp_path):
        pass
    unlocked = SimpleNamespace(execution_settings=SimpleNamespace(lock=False))
    assert not run.hold_for_snakemake(unlocked)
    monkeypatch.setenv(run.HELD, "1")
    assert not run.hold_for_snakemake(direct)


# ---------------------------------------------------------------------------------- full disks

#: A job that writes each kind of file; what is said, and whether it failed, are its output.
WRITER = """
import resource, sys, types
sys.path.insert(0, {folder!r})
from hedgerow_study.workflow.jobs.frame import job
from hedgerow_study.workflow.jobs.steps import write
import numpy as np, pandas as pd
from matplotlib.figure import Figure
table = pd.DataFrame(np.random.default_rng(0).normal(size=(20_000, 3)), columns=list("abc"))
figure = Figure()
figure.subplots().scatter(table["a"], table["b"])
texts = types.SimpleNamespace(to_dict=lambda: dict(a=table["a"].tolist()))
made = dict(parquet=table, csv=table, svg=figure, png=figure, json=texts, rst="words " * 50_000)
if {limit}:
    resource.setrlimit(resource.RLIMIT_FSIZE, ({limit}, {limit}))
for suffix, content in made.items():
    try:
        log = ["data/logs/" + suffix + ".log"]
        with job(types.SimpleNamespace(rule=suffix, log=log, input=[], output=[], params=dict())):
            write("data/results/made." + suffix, content)
    except SystemExit as end:
        assert end.code == 1
    else:
        print(suffix, "was written", file=sys.stderr)
"""
KINDS = ["parquet", "csv", "svg", "png", "json", "rst"]


def write_all(folder: Path, limit: int = 0) -> list[str]:
    done = Project(folder).python("-c", WRITER.format(folder=str(folder), limit=limit))
    assert done.returncode == 0, done.stderr
    return done.stderr.splitlines()


def test_each_kind_of_file_meets_its_largest_size_in_a_sentence(tmp_path):
    """What was shown was `OSError: [Errno 27] File too large`; a figure left its half."""
    said = write_all(tmp_path, limit=10_000)
    assert said == [
        f"{kind}: the largest size of a file is reached in {tmp_path}; raise the limit "
        "(`ulimit -f unlimited`), and the same command goes on from here"
        for kind in KINDS
    ]
    assert not list((tmp_path / "data/results").iterdir())


def test_each_kind_of_file_meets_a_full_disk_in_a_sentence(small_disk):
    """Log and record found no room either, and said so in tracebacks."""
    with contextlib.suppress(OSError), open(small_disk / "filler", "wb") as file:
        file.write(bytes(2**20))
    said = write_all(small_disk)
    assert said == [
        f"{kind}: no space is left on the disk of {small_disk} (0 MiB free); make room, and the "
        "same command goes on from here"
        for kind in KINDS
    ]
    assert not list((small_disk / "data/results").iterdir())
    (small_disk / "filler").unlink()
    resize(small_disk, "20m")
    assert write_all(small_disk) == [f"{kind} was written" for kind in KINDS]


def test_a_run_that_cannot_begin_on_a_full_disk_says_so(tmp_path, monkeypatch, capsys):
    def full(*_, **__):
        raise OSError(errno.ENOSPC, "No space left on device", str(tmp_path))

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run, "_lock", full)
    assert run.main(["--cores", "1"]) == 1
    said = capsys.readouterr().err
    assert said.startswith(f"no space is left on the disk of {tmp_path}") and said.count("\n") == 1


def test_what_is_said_of_room_is_said_of_nothing_else():
    try:
        try:
            raise OSError(errno.ENOSPC, "No space left on device", "/tmp/x.csv")
        except OSError as cause:
            raise RuntimeError("a library's own words") from cause
    except RuntimeError as error:
        assert "no space is left on the disk of /tmp/x.csv" in str(no_room(error))
    assert "quota" in str(no_room(f"WorkflowError: ([Errno {errno.EDQUOT}] Disk quota exceeded)"))
    assert no_room(OSError(errno.EACCES, "Permission denied")) is None
    assert no_room("FileNotFoundError: [Errno 2] No such file") is None


# ------------------------------------------------------------------------------------- clocks


def test_a_file_that_the_run_makes_anew_may_be_from_the_future(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("read", "made", "end"):
        Path(name).touch()
    jobs = [
        SimpleNamespace(input=["read"], output=["made"]),
        SimpleNamespace(input=["made", "not yet there"], output=["end"]),
    ]
    workflow = SimpleNamespace(dag=SimpleNamespace(needrun_jobs=lambda: jobs))
    os.utime("made", (NEXT_YEAR, NEXT_YEAR))
    os.utime("read", (time.time() + 30,) * 2)  # a file server's clock may be ahead
    check_times(workflow)
    os.utime("read", (NEXT_YEAR, NEXT_YEAR))
    with pytest.raises(FutureError, match=r"^read is from the future .* `touch read`$"):
        check_times(workflow)


def test_what_has_to_be_downloaded_is_said_before_a_run(tmp_path, monkeypatch):
    """heart_valve is under the GPL, wine comes with scikit-learn, glass with the archive."""
    monkeypatch.delenv("HEDGEROW_MIRROR", raising=False)
    names = {"fetch": ["heart_valve", "wine", "glass", "trace"], "tidy": ["hodgkin"]}
    key = {"fetch": "source", "tidy": "dataset"}
    jobs = [
        SimpleNamespace(rule=SimpleNamespace(name=rule), wildcards={key[rule]: name})
        for rule, listed in names.items()
        for name in listed
    ]
    workflow = SimpleNamespace(dag=SimpleNamespace(needrun_jobs=lambda: jobs))
    registry = load_registry(ROOT / "config/datasets.yaml")
    said = to_download(workflow, registry, None)
    assert said.startswith("2 data sets are not on this machine: heart_valve, trace. Without the")
    (source,) = (s for s in registry["trace"].sources if s.kind == "mirror")
    file = tmp_path / source.file
    file.parent.mkdir()
    file.touch()
    assert to_download(workflow, registry, str(tmp_path)).startswith("1 data set is not on this")
    jobs.pop(0)
    assert to_download(workflow, registry, str(tmp_path)) == ""
