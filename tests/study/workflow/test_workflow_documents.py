"""Documents: their code runs, their links lead somewhere, their commands exist."""

from __future__ import annotations

import re

import pytest
from throwaway import ROOT

DOCUMENTS = sorted(
    [
        *ROOT.glob("*.md"),
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / folder / "README.md" for folder in ("config", "reports")),
    ]
)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_python_examples_run(path, capsys):
    for block in re.findall(r"```python\n(.*?)```", path.read_text("utf-8"), re.DOTALL):
        exec(compile(block, path.name, "exec"), {})


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)]+)\)", path.read_text("utf-8")):
        if target.startswith("https://"):
            continue
        file, _, heading = target.partition("#")
        there = path.parent / file if file else path
        assert there.exists(), target
        if heading:
            headings = re.findall(r"^#+ (.+)$", there.read_text("utf-8"), re.MULTILINE)
            plain = (re.sub(r"[^\w -]", "", text) for text in headings)
            assert heading in {text.lower().replace(" ", "-") for text in plain}, target


def test_make_targets_that_documents_name_exist():
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for path in DOCUMENTS:
        for target in re.findall(r"`make ([a-z]+)`", path.read_text("utf-8")):
            assert re.search(rf"^{target}:", makefile, re.MULTILINE), f"{path.name}: {target}"


def test_the_readme_is_short():
    """What more there is to say stands in docs."""
    assert len((ROOT / "README.md").read_text("utf-8").splitlines()) <= 110


def test_the_example_of_the_readme_prints_what_stands_below_it(capsys):
    """README named .910 and .939, which came from five unshuffled folds."""
    text = (ROOT / "README.md").read_text("utf-8")
    code, printed = re.search(r"```python\n(.*?)```\n```\n(.*?)```", text, re.DOTALL).groups()
    exec(compile(code, "README.md", "exec"), {})
    assert capsys.readouterr().out == printed


def test_every_page_is_listed():
    listed = (ROOT / "docs/README.md").read_text("utf-8")
    for path in (ROOT / "docs").rglob("*.md"):
        name = path.relative_to(ROOT / "docs").as_posix()
        assert name == "README.md" or f"]({name})" in listed, name
