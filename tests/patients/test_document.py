"""The commands of docs/survival.md print what stands there."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs/survival.md"


@pytest.mark.slow
def test_the_commands_of_the_page_print_what_it_says(tmp_path):
    text = PAGE.read_text(encoding="utf-8")
    files = dict(re.findall(r"^`([\w.]+)`\n\n```yaml\n(.*?)^```$", text, re.DOTALL | re.MULTILINE))
    blocks = re.findall(r"^```(sh|text)\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    assert [kind for kind, _ in blocks] == ["sh", "text"] * 4
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    for place, ((_, commands), (_, printed)) in enumerate(
        zip(blocks[::2], blocks[1::2], strict=True)
    ):
        if place == 2:
            for name, content in files.items():
                (tmp_path / name).write_text(content, encoding="utf-8")
        done = subprocess.run(
            commands,
            shell=True,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            env={**os.environ, "PATH": path},
        )
        assert done.stdout + done.stderr == printed
        assert done.returncode == (1 if "problems" in printed else 0)
    pages = {name: (tmp_path / name / "index.html").read_text() for name in ("first_look", "sheet")}
    assert "higher risk in 53.7 % of the pairs" in pages["sheet"]
    assert "higher risk in 62.3 % of the pairs" in pages["first_look"]
    assert not (tmp_path / "typed").exists()
