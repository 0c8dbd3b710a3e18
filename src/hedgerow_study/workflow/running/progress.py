"""What a run shows: a line for each running job and a bar over all of them, or plain lines.

`shown` gets the records of Snakemake's logger, which carry an `event` (`LogEvent`).
"""

from __future__ import annotations

import logging
import re
import signal
import threading
import time
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from hedgerow_study.workflow.running.disk import no_room
from hedgerow_study.workflow.running.slurm import unfinished, why

#: Records without an event that are shown: nothing to do is an answer.
NOTHING_TO_DO = "Nothing to be done"
#: A job that failed is tried again, and where it runs on a cluster, it asks for more.
AGAIN = "Trying to restart job"
#: How Snakemake quotes a job that a signal has ended: as a shell says it, or as Python does.
ENDED = re.compile(r"returned non-zero exit status (\d+)|died with <Signals\.\w+: (\d+)>")
#: Seconds after which a signal has arrived everywhere.
NEWS = 0.3
#: Signals that ask the run to stop.
ASKED = {signal.SIGINT, signal.SIGTERM}


@dataclass
class State:
    """Jobs of one run, as far as Snakemake has reported them."""

    clock: Any = time.monotonic
    total: int = 0
    done: int = 0
    running: dict[int, tuple[str, str, float]] = field(default_factory=dict)  # rule, message, start
    _waiting: dict[str, int] = field(default_factory=dict)
    _seconds: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    _began: float | None = None

    def planned(self, stats: Mapping[str, int]) -> None:
        """Jobs by rule, and their sum under `total`."""
        self.total = int(stats.get("total", 0))
        self._waiting = {rule: int(n) for rule, n in stats.items() if rule != "total"}
        self._began = self.clock()

    def started(self, number: int, rule: str, message: str) -> None:
        """A job runs."""
        self.running[number] = (rule, message, self.clock())

    def finished(self, number: int) -> tuple[str, str, float] | None:
        """Rule, message and seconds of a finished job; None if Snakemake did not announce it."""
        self.done += 1
        if number not in self.running:
            return None
        rule, message, start = self.running.pop(number)
        seconds = self.clock() - start
        self._seconds[rule].append(seconds)
        self._waiting[rule] = max(0, self._waiting.get(rule, 0) - 1)
        return rule, message, seconds

    def left(self) -> float | None:
        """Seconds that the rest may take, from jobs of the same rules; None before any is done.

        A rule of which none is done counts as the mean of all. As many run beside each other as
        have so far.
        """
        spent = [s for seconds in self._seconds.values() for s in seconds]
        if not spent or self._began is None:
            return None
        mean = sum(spent) / len(spent)
        work = 0.0
        for rule, n in self._waiting.items():
            of_rule = self._seconds.get(rule)
            work += n * (sum(of_rule) / len(of_rule) if of_rule else mean)
        now = self.clock()
        elsewhere = sum(now - start for _, _, start in self.running.values())
        parallel = (sum(spent) + elsewhere) / max(now - self._began, 1e-9)
        return max(0.0, work - elsewhere) / max(parallel, 0.5)


def _killed(text: str) -> str:
    """What to say of a job that a signal has ended; nothing of another one."""
    for status, number in ENDED.findall(text):
        number = int(number or 0) or int(status) - 128
        if number > 0 and number not in ASKED:
            return (
                f"a job was killed (signal {number}), as happens where memory runs out; fewer "
                "--cores need less of it, and the same command goes on from here"
            )
    return ""


def _read(log: str) -> str:
    """The log of a job on a cluster, as far as it is there."""
    try:
        return Path(log).read_text(encoding="utf-8", errors="replace") if log else ""
    except OSError:
        return ""


def _failed(name: str, message: str, logs: list[str]) -> str:
    """A job or group that failed: why Slurm has ended it, where it has, and where its log is."""
    reason, logs = why(message), list(filter(None, logs))
    because = f": it {reason}" if reason else ""
    return f"{name} failed{because}" + (f"; its log is {', '.join(logs)}" if logs else "")


def duration(seconds: float, digits: int = 1) -> str:
    """Seconds in words.

    >>> duration(3.21), duration(3.21, digits=0), duration(75), duration(3700)
    ('3.2 s', '3 s', '1 min 15 s', '1 h 1 min')
    """
    if round(seconds, digits) < 60:
        return f"{seconds:.{digits}f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def shown(stream: TextIO) -> Plain:
    """The display for a stream: live on a terminal, plain lines elsewhere."""
    return Live(stream) if stream.isatty() else Plain(stream)


class Plain:
    """One line per finished job, for pipes and logs."""

    def __init__(self, stream: TextIO):
        self.stream, self.state = stream, State()
        # Of a group of jobs that failed on a cluster: Slurm's log, and the jobs that were at work.
        self._group: tuple[str, list[str]] | None = None
        self._on_cluster = False
        self._stopped = self._watching = False
        if threading.current_thread() is threading.main_thread():
            self._watch()

    def _watch(self) -> None:
        """Note that somebody has pressed Ctrl-C: jobs that end of it have not failed."""
        before = signal.getsignal(signal.SIGINT)

        def stop(number: int, frame: Any) -> None:
            self._stopped = True
            before(number, frame)

        if callable(before):
            signal.signal(signal.SIGINT, stop)
            self._watching = True

    def handle(self, record: logging.LogRecord) -> None:
        """Take in one record of Snakemake, and show it where it says something."""
        event = str(getattr(record, "event", None) or "")
        if event == "run_info":
            self.state.planned(record.stats)
            self.began()
        elif event == "job_info":
            message = record.rule_msg or record.rule_name
            self.state.started(record.jobid, record.rule_name, message)
        elif event == "job_finished":
            finished = self.state.finished(record.job_id)
            if finished is not None:
                self.ended(*finished)
        elif event == "group_error":
            self.group_failed(record)
        elif event == "job_error":
            self.failed(record)
        elif event in ("", "error") and (text := self._message(record)):
            self.line(text)

    def _message(self, record: logging.LogRecord) -> str:
        text = record.getMessage().strip()
        # Snakemake's own files need room as well, and it answers with a traceback.
        if full := no_room(text):
            return str(full)
        if self._stopped and record.levelno >= logging.WARNING:
            return ""
        if getattr(record, "exception", "") == "RuleException":
            # That a job has failed was said before, by the job and in `failed`; not by a dead one.
            return _killed(text)
        if AGAIN in text:
            return "It is tried again" + (", and more is asked for." if self._on_cluster else ".")
        # Without accounting there is no account to be had, and none is needed.
        account = "SLURM account" in text
        is_shown = (record.levelno >= logging.WARNING and not account) or NOTHING_TO_DO in text
        return text if is_shown else ""

    def group_failed(self, record: logging.LogRecord) -> None:
        """A group of jobs failed on a cluster: Snakemake reports each of them after this."""
        self._on_cluster = True
        log = next(iter(getattr(record, "aux_logs", None) or ()), "")
        message = _read(log)
        self._group = (log, unfinished(message))
        jobs = list(getattr(record, "job_error_info", None) or ())
        running = [self.state.running.get(job["jobid"]) for job in jobs]
        if not any(one and one[1] in self._group[1] for one in running):
            # None of them had begun, or Slurm's log is not there.
            rules = ", ".join(sorted({job["rule_name"] for job in jobs}))
            name = rules if len(jobs) == 1 else f"a group of {len(jobs)} jobs ({rules})"
            self.line(_failed(name, message, [log]))

    def failed(self, record: logging.LogRecord) -> None:
        """A job failed: it has said why itself, and here stands where to read more."""
        job = self.state.running.pop(getattr(record, "jobid", None), None)
        if self._watching and not self._stopped:
            time.sleep(NEWS)  # jobs and this process get the signal at once, in any order
        if self._stopped:
            return
        logs = [str(path).split(" ")[0] for path in getattr(record, "log", None) or ()]
        name, message = getattr(record, "rule_name", "a job"), str(getattr(record, "rule_msg", ""))
        if getattr(record, "indent", False) and self._group is not None:
            log, at_work = self._group
            if job is None or job[1] not in at_work:
                return
            logs, message = [*logs, log], _read(log)
        elif "SLURM" in message:
            self._on_cluster = True
            message += "".join(map(_read, logs[-1:]))
        else:
            message = ""
        self.line(_failed(name, message, logs))

    def began(self) -> None:
        """How many jobs there are."""
        n = self.state.total
        self.line(f"{n} job{'' if n == 1 else 's'}")

    def ended(self, rule: str, message: str, seconds: float) -> None:
        """A job is done."""
        place = f"{self.state.done:>{len(str(self.state.total))}}/{self.state.total}"
        self.line(f"[{place}] {rule}: {message} ({duration(seconds)})")

    def line(self, text: str) -> None:
        """Write a line."""
        print(text, file=self.stream, flush=True)

    def close(self) -> None:
        """End the display."""


class Live(Plain):
    """A line per running job and a bar over all jobs, on a terminal."""

    def __init__(self, stream: TextIO):
        super().__init__(stream)
        from rich.console import Console
        from rich.live import Live as RichLive

        self._console = Console(file=stream)
        self._live = RichLive(
            get_renderable=self._rendered,
            console=self._console,
            refresh_per_second=2,
            transient=True,
            redirect_stdout=False,
            redirect_stderr=False,
        )
        self._on = False

    def began(self) -> None:
        """Show it."""
        if not self._on:
            self._live.start()
            self._on = True

    def ended(self, rule: str, message: str, seconds: float) -> None:
        """Its line goes."""

    def line(self, text: str) -> None:
        """Write a line above the display."""
        self._console.print(text, markup=False, highlight=False, soft_wrap=True)

    def close(self) -> None:
        """Leave the terminal as it was."""
        if self._on:
            self._live.stop()
            self._on = False

    def _rendered(self):
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        state, now = self.state, self.state.clock()
        lines = Table.grid(padding=(0, 1), expand=True)
        lines.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
        lines.add_column(justify="right", no_wrap=True)
        for rule, message, start in list(state.running.values()):
            # Whole seconds: what moves draws the eye.
            lines.add_row(Text(f"{rule}: {message}"), Text(duration(now - start, digits=0)))
        left = state.left()
        bar = Table.grid(padding=(0, 1), expand=True)
        bar.add_column(no_wrap=True)
        bar.add_column(ratio=1)
        bar.add_column(justify="right", no_wrap=True)
        bar.add_row(
            Text(f"{state.done} of {state.total} jobs"),
            ProgressBar(total=max(state.total, 1), completed=state.done),
            Text(f"about {duration(left, digits=0)} left" if left and left >= 1 else ""),
        )
        return Group(lines, bar)
