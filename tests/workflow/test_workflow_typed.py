"""The record of a run names the command that was run."""

import shutil
import subprocess
import sys

import pytest
from throwaway import clean_environment

from hedgerow.workflow import run


def asked(argument, folder):
    """A file that says what it thinks was typed, when called with this argument."""
    folder.mkdir(exist_ok=True)
    (folder / "snakemake").write_text(
        "from hedgerow.workflow.run import command\nprint(command())\n"
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
