"""The commands of docs/survival.md print what stands there."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from hedgerow.cli import main

PAGE = Path(__file__).parents[2] / "docs/survival.md"


def run(commands, capfd):
    """What lines of the page print, in this process: the start of each would cost seconds."""
    for line in commands.splitlines():
        program, *words = shlex.split(line)
        if program == "python":
            exec(words[1], {})  # of our own page
        else:
            assert program == "hedgerow" and main(words) == 0
    return "".join(capfd.readouterr())


def shell(commands):
    """What the last commands of the page print where a shell runs them; they end with an error."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        commands, shell=True, capture_output=True, text=True, env={**os.environ, "PATH": path}
    )
    assert done.returncode == 1
    return done.stdout + done.stderr


@pytest.mark.slow
def test_the_commands_of_the_page_print_what_it_says(tmp_path, monkeypatch, capfd):
    text = PAGE.read_text(encoding="utf-8")
    files = dict(re.findall(r"^`([\w.]+)`\n\n```yaml\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    blocks = re.findall(r"^```(sh|text)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert [kind for kind, _ in blocks] == ["sh", "text"] * 9
    (first, printed), missing, template, sheet, *second, questions, mistakes = [
        (blocks[k][1], blocks[k + 1][1]) for k in range(0, 18, 2)
    ]
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "hedgerow_clinic.survival_command.LINE_INTERVAL", 1e9
    )  # of a machine that is busy
    assert run(first, capfd) == printed
    assert shell(missing[0]) == missing[1] and not Path("gbsg2_groups").exists()
    assert run(template[0], capfd) == template[1]
    for name, content in files.items():
        Path(name).write_text(content, encoding="utf-8")
    assert run(sheet[0], capfd) == sheet[1]
    for commands, told in second:
        assert run(commands, capfd) == told
    assert shell(questions[0]) == questions[1] and not Path("nodes").exists()
    assert shell(mistakes[0]) == mistakes[1] and not Path("typed").exists()
    pages = {name: Path(name, "index.html").read_text() for name in ("first_look", "sheet")}
    assert "higher risk in 61.4 % of the pairs (95 % CI 56.7 % to 66.1 %" in pages["sheet"]
    assert "which the tree has not seen, it is 53.7 %" in pages["sheet"]
    assert "higher risk in 64.3 % of the pairs" in pages["first_look"]
    assert "Without a date the time before treatment" in pages["sheet"]
