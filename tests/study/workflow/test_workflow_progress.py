"""What a run shows: plain lines, a live display, a summary; and the command that it records."""

from __future__ import annotations

import io
import json
import logging
import os
import shutil
import signal
import subprocess
import sys
import time
from types import SimpleNamespace

import pandas as pd
import pytest
from throwaway import ROOT, clean_environment

from hedgerow.errors import ConfigError
from hedgerow.files import write_parquet
from hedgerow_study.workflow import run
from hedgerow_study.workflow.running.progress import Live, Plain, State, duration, shown


def record(event=None, message="", level=logging.INFO, **more):
    found = logging.LogRecord("snakemake", level, "", 0, message, (), None)
    found.__dict__.update({"event": event, **more} if event else more)
    return found


def started(number, rule="learn", message="Learning on iris"):
    return record("job_info", jobid=number, rule_name=rule, rule_msg=message)


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    """A clock that the test moves."""

    now = 0.0

    def __call__(self):
        return self.now


def test_a_pipe_gets_one_line_per_job():
    stream = io.StringIO()
    display = shown(stream)
    assert type(display) is Plain
    display.handle(record("run_info", stats={"learn": 11, "report": 1, "total": 12}))
    display.handle(started(3))
    display.handle(record("job_finished", job_id=3))
    display.handle(started(4, "report", None))
    display.handle(record("job_finished", job_id=4))
    display.handle(record(message="Select jobs to execute..."))
    display.close()
    lines = stream.getvalue().splitlines()
    assert lines[0] == "12 jobs" and len(lines) == 3
    assert lines[1].startswith("[ 1/12] learn: Learning on iris (0.0 s")
    assert lines[2].startswith("[ 2/12] report: report (")


def test_what_matters_is_shown_and_the_rest_is_left_to_the_log():
    stream = io.StringIO()
    display = shown(stream)
    display.handle(record(message="Nothing to be done (all requested files are present)."))
    display.handle(record(message="a wrong thing", level=logging.ERROR))
    display.handle(record("job_error", jobid=1, rule_name="learn", log=["data/logs/learn.log"]))
    display.handle(record("job_error", jobid=2))
    display.handle(record("error", "it said so", logging.ERROR, exception="RuleException"))
    display.handle(record("error", "no such rule\n", logging.ERROR, exception="WorkflowError"))
    display.handle(record("progress", done=1, total=2))
    assert stream.getvalue().splitlines() == [
        "Nothing to be done (all requested files are present).",
        "a wrong thing",
        "learn failed; its log is data/logs/learn.log",
        "a job failed",
        "no such rule",
    ]


@pytest.mark.parametrize(
    ("end", "told"),
    [
        ("returned non-zero exit status 137.", True),
        ("died with <Signals.SIGKILL: 9>.", True),
        ("died with <Signals.SIGSEGV: 11>.", True),
        ("died with <Signals.SIGINT: 2>.", False),  # the user's own
        ("returned non-zero exit status 143.", False),
        ("returned non-zero exit status 1.", False),  # it has said why itself
    ],
)
def test_of_a_job_that_was_killed_snakemake_tells(end, told):
    """It could not say a word itself, and its log is empty."""
    stream = io.StringIO()
    text = f"CalledProcessError in file 'soft.smk', line 79:\nCommand '...' {end}"
    shown(stream).handle(record("error", text, logging.ERROR, exception="RuleException"))
    assert bool(stream.getvalue()) == told
    if told:
        assert stream.getvalue().startswith("a job was killed (signal ")


@pytest.mark.parametrize("event", ["error", None])
def test_of_snakemakes_own_files_a_full_disk_is_one_line(event):
    stream = io.StringIO()
    text = "Traceback (most recent call last):\n  ...\nOSError: [Errno 28] No space left on device"
    shown(stream).handle(record(event, text, logging.ERROR))
    assert stream.getvalue().startswith("no space is left on the disk of ")
    assert stream.getvalue().count("\n") == 1


def test_a_terminal_shows_what_runs_and_how_far_it_is():
    stream = Terminal()
    display = shown(stream)
    assert type(display) is Live
    display.state.clock = Clock()
    display.handle(record("run_info", stats={"learn": 2, "total": 2}))
    display.handle(started(1))
    display.handle(started(2, "learn", "Learning on wine"))
    display.state.clock.now = 20.0
    display.handle(record("job_finished", job_id=1))
    display.handle(started(3, "learn", "Learning on bupa"))
    display._live.refresh()
    display.close()
    text = stream.getvalue()
    assert "learn: Learning on wine" in text and "20 s" in text and "1 of 2 jobs" in text


def test_the_time_left_follows_from_jobs_of_the_same_rules():
    clock = Clock()
    state = State(clock)
    state.planned({"fetch": 2, "learn": 4, "total": 6})
    assert state.left() is None
    for number, (rule, seconds) in enumerate([("fetch", 1), ("fetch", 1), ("learn", 10)]):
        state.started(number, rule, "")
        clock.now += seconds
        assert state.finished(number)[2] == pytest.approx(seconds)
    assert state.left() == pytest.approx(30.0)  # three of ten seconds, one at a time
    state.started(9, "learn", "")
    clock.now += 4
    assert state.left() == pytest.approx(26.0)
    assert state.finished(77) is None  # one that was not told of


def test_durations_in_words():
    assert [duration(s) for s in (0, 59.94, 59.96, 3599, 3661)] == [
        "0.0 s",
        "59.9 s",
        "1 min 0 s",
        "59 min 59 s",
        "1 h 1 min",
    ]


def test_the_summary_counts_verdicts_by_paper(tmp_path):
    (tmp_path / "data/published").mkdir(parents=True)
    published = (ROOT / "data/published/claims.csv").read_bytes()
    (tmp_path / "data/published/claims.csv").write_bytes(published)
    made = {}
    for word, rows in {
        "soft": [("T3-01", "reproduced"), ("T3-02", "partly"), ("T3-03", "reproduced")],
        "noise_models": [("noise_models-01", "inconclusive")],
        "search": [("T4-01", "reproduced")],
    }.items():
        path = tmp_path / f"data/results/{word}/claims.parquet"
        path.parent.mkdir(parents=True)
        write_parquet(path, pd.DataFrame(rows, columns=["claim", "verdict"]))
        if word != "search":  # of another run
            made[f"data/results/{word}/claims.parquet"] = {}
    (tmp_path / "reports").mkdir()
    (tmp_path / run.MANIFEST).write_text(json.dumps({"outputs": made}))
    assert run.summary(tmp_path) == [
        "thesis: 2 reproduced, 1 partly",
        "questions of our own: 1 inconclusive",
    ]


@pytest.mark.parametrize(
    ("arguments", "own"),
    [
        ((), True),
        (("--cores", "2", "soft"), True),
        (("-n",), False),
        (("--dry-run",), False),
        (("--logger", "other"), False),
    ],
)
def test_a_dry_run_and_another_logger_show_what_they_show(arguments, own):
    assert run._display(arguments) == (["--logger", "hedgerow"] if own else [])


@pytest.mark.parametrize(
    "arguments", [["--configfile=no.yaml"], ["--configfile", "a.yaml", "no.yaml"]]
)
def test_a_configuration_file_that_is_not_there_is_told_in_one_line(arguments, tmp_path):
    (tmp_path / "a.yaml").touch()
    with pytest.raises(ConfigError, match=r"there is no configuration file no\.yaml"):
        run.run(arguments, tmp_path)


def test_an_interrupt_says_how_to_go_on(tmp_path, monkeypatch, capsys):
    class Child:
        pid = os.getpid()
        asked = 0

        def wait(self):
            self.asked += 1
            if self.asked == 1:
                raise KeyboardInterrupt
            return 1

    (tmp_path / ".snakemake/locks").mkdir(parents=True)
    monkeypatch.setattr(run, "subprocess", SimpleNamespace(Popen=lambda *a, **k: Child()))
    monkeypatch.setattr(run.signal, "signal", lambda *a: None)
    assert run.run([], tmp_path) == 130
    assert capsys.readouterr().err.strip() == run.STOPPED


def test_a_job_that_an_interrupt_has_ended_has_not_failed(monkeypatch):
    """Ctrl-C ended with `report failed; its log is ...` and exit status 1."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        stream = io.StringIO()
        display = shown(stream)
        display.handle(started(1, "report", "The report"))
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
            time.sleep(1)
        display.handle(record("job_error", jobid=1, rule_name="report"))
        display.handle(record("error", "One job did not end.", logging.ERROR))
        assert stream.getvalue() == ""
    finally:
        signal.signal(signal.SIGINT, before)


# --------------------------------------------------------------------------- what was typed


def asked(argument, folder):
    """A file that says what it thinks was typed, when called with this argument."""
    folder.mkdir(exist_ok=True)
    (folder / "snakemake").write_text(
        "from hedgerow_study.workflow.run import command\nprint(command())\n"
    )
    return [sys.executable, str(folder / "snakemake"), *argument]


def said(*call, **options):
    environment = {k: v for k, v in clean_environment().items() if k != run.COMMAND}
    done = subprocess.run(
        call, capture_output=True, text=True, check=True, env=environment, timeout=60, **options
    )
    return done.stdout.splitlines()[-1]


@pytest.mark.skipif(shutil.which("make") is None, reason="make is not installed")
@pytest.mark.parametrize("recipe", ["{0}", "true && {0}"])
def test_the_call_of_make_is_recorded(tmp_path, recipe):
    """The page named options that nobody had typed: snakemake --rerun-incomplete --logger ..."""
    call = " ".join(asked(["--rerun-incomplete", "--cores", "$(CORES)"], tmp_path / "bin"))
    (tmp_path / "Makefile").write_text(f"reproduce:\n\t@{recipe.format(call)}\n")
    assert said("make", "reproduce", "CORES=2", cwd=tmp_path) == "make reproduce CORES=2"
    assert said("make", "CORES=a b", "reproduce", cwd=tmp_path) == "make 'CORES=a b' reproduce"


def test_a_call_of_its_own_is_recorded_without_folders(tmp_path):
    call = asked(["--cores", "2", "a b"], tmp_path / "bin")
    assert said(*call) == "snakemake --cores 2 'a b'"
    module = [sys.executable, "-m", "snakemake_like", "--cores", "2"]
    (tmp_path / "snakemake_like.py").write_text((tmp_path / "bin/snakemake").read_text())
    assert said(*module, cwd=tmp_path) == "python -m snakemake_like --cores 2"


def test_what_was_typed_is_handed_down(monkeypatch):
    """Snakemake below our command does not find it in its own arguments."""
    monkeypatch.delenv(run.COMMAND, raising=False)
    monkeypatch.setattr(run, "_above", lambda: [["/usr/bin/make", "reproduce"], ["bash"]])
    assert run._environment()[run.COMMAND] == "make reproduce"
    monkeypatch.setenv(run.COMMAND, "hedgerow reference soft")
    assert run.command() == run._environment()[run.COMMAND] == "hedgerow reference soft"
