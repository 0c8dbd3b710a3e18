"""The pages of the first hour fit a screen, lead on, and ask for commands that exist."""

from __future__ import annotations

import re
import shlex

import first_hour
import pytest

from hedgerow.cli import parse

PAGES = first_hour.names()


def test_there_is_a_page_for_each_reader():
    assert PAGES == ["auditor", "clinician", "scikit_learn", "snakemake"]


@pytest.mark.parametrize("name", PAGES)
def test_a_page(name):
    text = (first_hour.PAGES / f"{name}.md").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 65
    assert len(re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE).split()) <= 300
    assert re.search(r"^Next: ", text, re.MULTILINE)
    lines = first_hour.commands(text)
    assert lines
    for line in lines:
        words = shlex.split(line.removeprefix("! "))
        if words[0].endswith("hedgerow"):
            parse(words[1:])


def test_the_last_command_of_a_page_that_fails_is_named(tmp_path, monkeypatch):
    pages = tmp_path / "root/docs/first_hour"
    pages.mkdir(parents=True)
    (pages / "a.md").write_text("```sh\ntrue\n! false\n```\n\n```sh\nls nowhere\ntrue\n```\n")
    monkeypatch.setattr(first_hour, "ROOT", tmp_path / "root")
    git = ["git", "-C", str(tmp_path / "root"), "-c", "user.name=a", "-c", "user.email=a@b.c"]
    for words in (["init", "-q"], ["add", "."], ["commit", "-qm", "a"]):
        first_hour.subprocess.run([*git, *words], check=True)
    wrong = first_hour.tried("a", tmp_path)
    assert wrong.startswith("ls nowhere\n") and "nowhere" in wrong.split("\n", 1)[1]
    (pages / "a.md").write_text("```sh\ntrue\n! false\n```\n")
    first_hour.subprocess.run([*git, "commit", "-qam", "b"], check=True)
    (tmp_path / "again").mkdir()
    assert first_hour.tried("a", tmp_path / "again") is None
