"""The workflow on a cluster with Slurm: `make test-slurm`.

    python ci/slurm.py                all of what follows
    python ci/slurm.py --default      instead, the default configuration as README runs it

Starts a Slurm of one node on this machine, of Debian's packages slurm-wlm and munge, which it
installs where they are missing: munged, a controller and a node daemon, on loopback, without
accounting and without cgroups, all of their files in a temporary folder. There the smoke
configuration runs by the profile, and every output has to have the bytes of a local run. Then jobs
are killed, take more memory and more time than Slurm was asked for, the controller is stopped and
started again while a job ends, and the run is killed and called again. What was started is stopped,
by its process.

With `--default`, clones are set up and call `make reproduce`, here and with `PROFILE=slurm`;
nothing is killed.

Where Slurm cannot be had (no root, no apt-get), nothing is tested and a line says so.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import os
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PROGRAMS = {"slurmctld": "slurm-wlm", "slurmd": "slurm-wlm", "munged": "munge"}
PROFILE = ("--profile", "workflow/profiles/slurm")
SMOKE = ("--configfile", "config/smoke.yaml")
WORKFLOW = (sys.executable, "-m", "hedgerow_study.workflow.run")
SUMS = "reports/SHA256SUMS"
#: The node is this machine: no shared disk is slow to show what it has, and nobody else asks the
#: controller.
NEAR = ("--slurm-init-seconds-before-status-checks", "5", "--latency-wait", "10")
LIMIT = 3600  # seconds of a run; other work on the machine makes it long
CONFIGURATION = """\
ClusterName=hedgerow
SlurmctldHost=localhost
SlurmctldPort={controller}
SlurmdPort={node}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
# Jobs that ended stay listed, for how long they took.
MinJobAge=86400
KillWait=2
OverTimeLimit=0
NodeName=localhost NodeAddr=127.0.0.1 CPUs={cores} RealMemory={memory}
PartitionName=all Nodes=localhost Default=YES MaxTime=INFINITE
"""


def installed() -> bool:
    """Whether Slurm is here, or can be installed; a line where nothing can be tested."""
    missing = sorted({p for name, p in PROGRAMS.items() if shutil.which(name) is None})
    root = hasattr(os, "geteuid") and os.geteuid() == 0
    if not root or (missing and shutil.which("apt-get") is None):
        print("skipped: Slurm's daemons are started and installed by root, on Debian or Ubuntu")
        return False
    if missing:
        print(f"Installing {' and '.join(missing)}", flush=True)
        quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
        for command in (["update"], ["install", "-y", "--no-install-recommends", *missing]):
            done = subprocess.run(
                ["apt-get", "-qq", *command], env=quiet, capture_output=True, text=True
            )
        if done.returncode:
            said = (done.stderr.strip().splitlines() or ["apt-get says nothing"])[-1]
            sys.exit(f"{' and '.join(missing)} cannot be installed: {said}; install them by hand")
    return True


class Slurm:
    """A Slurm of one node.

    Parameters
    ----------
    folder : Path
        For all of its files.
    """

    def __init__(self, folder: Path):
        self.folder, self.configuration = folder, folder / "slurm.conf"
        self._processes: dict[str, subprocess.Popen] = {}
        self._before: set[int] = set()
        key = folder / "munge.key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o600)
        (folder / "state").mkdir()
        (folder / "spool").mkdir()
        total = int(re.search(r"MemTotal: +(\d+)", Path("/proc/meminfo").read_text())[1])
        controller, node = free_ports(2)
        text = CONFIGURATION.format(
            folder=folder,
            controller=controller,
            node=node,
            cores=len(os.sched_getaffinity(0)),
            memory=int(total / 1024 * 0.9),
        )
        self.configuration.write_text(text, encoding="utf-8")
        os.environ["SLURM_CONF"] = str(self.configuration)

    def start(self, name: str) -> None:
        """Start a daemon, in the foreground."""
        munged = ("--foreground", "--force", f"--key-file={self.folder}/munge.key")
        munged += tuple(
            f"--{what}-file={self.folder}/munged.{what}" for what in ("pid", "log", "seed")
        )
        arguments = {
            "munged": (*munged, f"--socket={self.folder}/munge.socket"),
            "slurmctld": ("-D", "-f", self.configuration),
            "slurmd": ("-D", "-f", self.configuration, "-N", "localhost"),
        }
        with (self.folder / f"{name}.out").open("ab") as out:
            self._processes[name] = subprocess.Popen(
                [name, *map(str, arguments[name])],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
                start_new_session=True,  # Ctrl-C is ours: what runs is stopped in its order
            )

    def stop(self, name: str) -> None:
        """Stop a daemon."""
        process = self._processes.pop(name, None)
        if process is not None:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()

    def asked(self, *command: str) -> str:
        """What a command of Slurm's says; nothing where the controller does not answer."""
        done = subprocess.run(command, capture_output=True, text=True, timeout=60)
        return done.stdout if done.returncode == 0 else ""

    def __enter__(self) -> Slurm:
        try:
            self.start("munged")
            wait(lambda: (self.folder / "munge.socket").exists(), "munged", 20)
            self.start("slurmctld")
            self.start("slurmd")
            idle = ("sinfo", "--noheader", "--format=%t")
            wait(lambda: self.asked(*idle).strip() == "idle", "the node", 60)
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        if "slurmctld" in self._processes and "slurmd" in self._processes:
            left = self.queue("PENDING,RUNNING,COMPLETING")
            if left:
                subprocess.run(["scancel", *left], capture_output=True, timeout=60)
                with contextlib.suppress(SystemExit):
                    wait(lambda: not self.queue("PENDING,RUNNING,COMPLETING"), "the queue", 30)
        for name in ("slurmd", "slurmctld", "munged"):
            self.stop(name)

    def queue(self, states: str) -> list[str]:
        """Numbers of the jobs in some states."""
        return self.asked("squeue", "--noheader", f"--states={states}", "--format=%i").split()

    def begin(self) -> None:
        """Count jobs from here on."""
        self._before = set(map(int, self.queue("all")))

    def took(self) -> list[float]:
        """Seconds of the jobs that ended as they should, from `begin` on."""
        found = []
        for line in self.asked("scontrol", "--oneliner", "show", "job").splitlines():
            said = dict(re.findall(r"(\w+)=(\S*)", line))
            if said.get("JobState") == "COMPLETED" and int(said["JobId"]) not in self._before:
                *days, clock = said["RunTime"].split("-")
                hours, minutes, seconds = map(int, clock.split(":"))
                found.append(seconds + 60 * (minutes + 60 * (hours + 24 * int(*days or [0]))))
        return found

    def job_of(self, run: Run, words: str) -> str:
        """The number of a job of a run that is at work, as soon as its log has certain words."""
        logs = run.project / ".snakemake/slurm_logs"

        def found() -> str | None:
            run.check()
            at_work = self.queue("RUNNING")
            for log in logs.rglob("*.log"):
                if log.stem in at_work and words in log.read_text("utf-8", errors="replace"):
                    return log.stem
            return None

        return wait(found, f"a job that says {words!r}")


class Run:
    """`make reproduce` in a project, or a part of it.

    Parameters
    ----------
    project : Path
    arguments : str
        For `hedgerow_study.workflow.run`.
    command : sequence of str
        What is called with them.
    """

    def __init__(self, project: Path, *arguments: str, command: Sequence[str] = WORKFLOW):
        self.project, self.log = project, project.with_suffix(".log")
        self._from = self.log.stat().st_size if self.log.exists() else 0
        with self.log.open("ab") as out:
            self.process = subprocess.Popen(
                [*command, *arguments],
                cwd=project,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=out,
            )
        RUNS.append(self)

    def said(self) -> str:
        """What it has said so far."""
        return self.log.read_bytes()[self._from :].decode("utf-8", errors="replace")

    def check(self) -> None:
        """End where it has ended."""
        if self.process.poll() is not None:
            sys.exit(f"the run ended before it was expected to\n{self.said()}")

    def end(self, good: bool = True) -> str:
        """Wait for it; end with what it said where it fails and should not."""
        try:
            code = self.process.wait(LIMIT)
        except subprocess.TimeoutExpired:
            sys.exit(f"the run does not end\n{self.said()}")
        if (code == 0) != good:
            sys.exit(f"the run ended with {code}\n{self.said()}")
        return self.said()

    def stop(self) -> None:
        """Stop it, as its user would."""
        if self.process.poll() is not None:
            return
        children = self.children()
        self.process.terminate()
        try:
            self.process.wait(60)
        except subprocess.TimeoutExpired:
            for child in children:  # Snakemake is at a loss where Slurm does not answer
                with contextlib.suppress(ProcessLookupError):
                    os.kill(child, signal.SIGKILL)
            self.process.kill()
            self.process.wait()

    def children(self) -> list[int]:
        """What `hedgerow_study.workflow.run` has started: Snakemake."""
        said = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text()
        return list(map(int, said.split()))


RUNS: list[Run] = []


def wait(found: Callable, what: str, seconds: float = LIMIT):
    """What a function gives, as soon as it gives something."""
    end = time.monotonic() + seconds
    while not (result := found()):
        if time.monotonic() > end:
            sys.exit(f"waited {seconds:.0f} s for {what}")
        time.sleep(0.2)
    return result


def free_ports(n: int) -> list[int]:
    """Ports of loopback that nobody has."""
    with contextlib.ExitStack() as stack:
        found = [stack.enter_context(socket.socket()) for _ in range(n)]
        for one in found:
            one.bind(("127.0.0.1", 0))
        return [one.getsockname()[1] for one in found]


def copy(folder: Path, name: str) -> Path:
    """A clone of the last commit."""
    there = folder / name
    subprocess.run(["git", "clone", "-q", str(ROOT), str(there)], check=True)
    return there


def listed(project: Path) -> list[str]:
    """What its SHA256SUMS lists, the manifest with it, and then that file."""
    lines = (project / SUMS).read_text("utf-8").splitlines()
    return [*(line.split("  ", 1)[1] for line in lines), SUMS]


def digest(file: Path) -> str | None:
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else None


def same(local: Path, other: Path, names: list[str]) -> int:
    """How many files there are in both; ends where any differs or is missing."""
    for name in names:
        if digest(local / name) != digest(other / name):
            sys.exit(f"{name} of {other.name} is not that of the local run")
    return len(names)


def expect_lines(said: str, *words: str) -> None:
    """End where a run has not said something."""
    for one in words:
        if one not in said:
            sys.exit(f"the run has not said {one!r}\n{said}")


def duration(seconds: float) -> str:
    return f"{seconds / 60:.1f} min" if seconds >= 60 else f"{seconds:.0f} s"


@contextlib.contextmanager
def step(what: str) -> Iterator[list[str]]:
    """A line for what was tested, with its time; what is put into the list stands in it."""
    start, more = time.monotonic(), []
    yield more
    print(f"{what}: {'; '.join([*more, duration(time.monotonic() - start)])}", flush=True)


def whole(slurm: Slurm, folder: Path, default: bool) -> Path:
    """A configuration here and there, and the same bytes: that of the smoke, or the default one.

    Returns
    -------
    Path
        The project of the local run.
    """
    local, cluster = copy(folder, "local"), copy(folder, "cluster")
    configuration = () if default else SMOKE
    if default:  # with the same libraries, which the manifest lists: no more, and what Slurm takes
        with step("`make setup` in two clones"):
            for project in (local, cluster):
                Run(project, "setup", ".venv/.cluster", command=("make",)).end()
    with step("a local run"):
        if default:
            Run(local, "reproduce", "CORES=2", command=("make",)).end()
        else:
            Run(local, "--cores", "2", *configuration).end()
    slurm.begin()
    with step("the same on Slurm") as more:
        if default:
            run = Run(cluster, "reproduce", "PROFILE=slurm", command=("make",))
        else:
            run = Run(cluster, *PROFILE, *NEAR, *configuration)
        said = run.end()
        seconds = slurm.took()
        median = duration(statistics.median(seconds))
        more.append(f"{len(seconds)} jobs of Slurm, half of them longer than {median}")
    expect_lines(said, "The report is ")
    print(f"  {same(local, cluster, listed(local))} files are equal", flush=True)
    with step("  `hedgerow verify` there"):
        command = [sys.executable, "-m", "hedgerow.cli", "verify", "--no-cheap"]
        done = subprocess.run(command, cwd=cluster, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"hedgerow verify failed\n{done.stdout}{done.stderr}")
    return local


def faults(slurm: Slurm, folder: Path, local: Path) -> None:
    """Jobs, controller and run that do not end as they should; results are those of a local run."""
    project = copy(folder, "faults")

    def tidy(name: str, *more: str) -> Run:
        return Run(project, *PROFILE, *NEAR, *SMOKE, *more, "--", f"data/tidy/{name}.parquet")

    def again(said: str, reason: str) -> None:
        expect_lines(said, f"tidy failed: it {reason}", "and more is asked for")

    with step("a job that is killed"):
        run = tidy("iris")
        slurm.asked("scancel", "--signal=KILL", "--full", slurm.job_of(run, "checking iris"))
        expect_lines(run.end(), "tidy failed", "It is tried again")
    with step("a job that takes more memory than asked for"):
        said = tidy("wine", "--default-resources", "mem_mb=attempt ** 3 * 100", "runtime=5").end()
        again(said, "took more memory than Slurm was asked for")
    with step("a job that takes more time than asked for"):
        run = tidy("lung", "--default-resources", "mem_mb=1500", "runtime=attempt")
        slurm.asked("scancel", "--signal=STOP", "--full", slurm.job_of(run, "checking lung"))
        again(run.end(), "took more time than Slurm was asked for")
    with step("the controller stopped for half a minute, while a job ends"):
        run = Run(project, *PROFILE, *NEAR, *SMOKE, "--", "evidential")
        slurm.job_of(run, "E2M")
        slurm.stop("slurmctld")
        time.sleep(30)
        run.check()
        slurm.start("slurmctld")
        run.end()
    with step("the controller stopped for half a minute, when jobs are to be queued"):
        slurm.stop("slurmctld")
        run = Run(project, *PROFILE, *NEAR, *SMOKE, "--", "data/tidy/haberman.parquet")
        wait(lambda: run.check() or "does not answer" in run.said(), "the run to say so", 120)
        time.sleep(30)
        slurm.start("slurmctld")
        if "failed" in (said := run.end()):
            sys.exit(f"the run took the controller's absence for a failure\n{said}")
    with step("the run killed and called again"):
        run = Run(project, *PROFILE, *NEAR, *SMOKE, "--", "confidence")
        slurm.job_of(run, "ConfDTree")
        os.kill(run.children()[0], signal.SIGKILL)
        expect_lines(run.end(good=False), "Snakemake was killed")
        expect_lines(
            Run(project, *PROFILE, *NEAR, *SMOKE, "--", "confidence").end(),
            "The last run was killed",
            "left in Slurm's queue is cancelled",
        )
    made = ("data/tidy", "data/trees", "data/results", "reports/tables", "reports/figures")
    names = [f for top in made for f in (project / top).rglob("*") if f.is_file()]
    names = sorted(file.relative_to(project).as_posix() for file in names)
    print(f"  {same(local, project, names)} files are equal", flush=True)


def main() -> None:
    """Install, start, run, stop."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--default", action="store_true", help="the default configuration")
    default = parser.parse_args().default
    if not installed():
        return

    def end(number: int, frame: object) -> None:
        raise SystemExit(128 + number)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    with tempfile.TemporaryDirectory(prefix="hedgerow-slurm-") as temporary:
        folder = Path(temporary)
        (folder / "slurm").mkdir()
        with Slurm(folder / "slurm") as slurm:
            try:
                local = whole(slurm, folder, default)
                if not default:
                    faults(slurm, folder, local)
            finally:
                for run in RUNS:
                    run.stop()


if __name__ == "__main__":
    main()
