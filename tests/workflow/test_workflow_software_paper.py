"""`paper/paper.md`: short, with its references complete and its numbers those of the results."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pandas as pd

from hedgerow.workflow.software_paper import PAGE, pages, verdicts_line

ROOT = Path(__file__).resolve().parents[2]
TEXT = (ROOT / PAGE).read_text(encoding="utf-8").split("---\n", 2)[2]


def test_words():
    prose = "\n".join(line for line in TEXT.splitlines() if not line.startswith(("|", "<!--")))
    assert 700 < len(prose.split()) <= 1000


def test_references_are_complete():
    """Each is cited, each that is cited is there, with what a reader needs to find it."""
    entries = (ROOT / "paper/paper.bib").read_text(encoding="utf-8").split("\n@")
    keys = [re.search(r"\{(\w+),", entry)[1] for entry in entries]
    assert len(keys) == len(set(keys))
    assert set(re.findall(r"@(\w+)", TEXT)) == set(keys)
    for entry in entries:
        for field in ("author", "title", "year", "booktitle|journal|publisher|school"):
            assert re.search(rf"^  ({field}) = \{{.+\}},?$", entry, re.MULTILINE), entry


def test_figures_are_made_by_the_workflow():
    figures = re.findall(r"^!\[.+\]\((.+)\)$", TEXT, re.MULTILINE)
    assert figures
    for name in figures:
        assert (ROOT / "paper" / name).resolve().is_relative_to(ROOT / "data/reference")
        assert (ROOT / "paper" / name).is_file(), name


def test_numbers_are_those_of_the_results(tmp_path):
    texts = pages(ROOT)[PAGE]
    assert all(text in TEXT for text in texts.values())
    assert set(texts) == set(re.findall(r"<!-- (\w+): make generated -->", TEXT))
    shutil.copytree(ROOT / "paper", tmp_path / "paper")
    assert pages(tmp_path) == {}


def test_the_line_of_verdicts():
    claims = pd.DataFrame(
        {
            "verdict": ["reproduced", "reproduced", "partly", "not reproduced", "too little data"],
            "word": ["robust", "fragile", "refuted", "refuted", ""],
        }
    )
    said = verdicts_line(claims)
    assert said.startswith("Of 5 statements 2 are reproduced, 1 in part and 1 not; 1 cannot be")
    assert "1 have one verdict under nine in ten, 2 are reproduced under none, and 1 hang" in said
