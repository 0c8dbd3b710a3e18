"""What a table leaves open is asked, all at once, before anything is computed of it.

Each fault below went through without a word, and made another page: see the issue's figures in
docs/survival.md.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from clinic.made import asked, read
from clinic.spoilt import REAL, REGISTRY, SPOILT, clean

from hedgerow.cli import main
from hedgerow.data import load_registry


@pytest.fixture(scope="module")
def cohorts(tmp_path_factory):
    return clean(tmp_path_factory.mktemp("archive"))


@pytest.mark.parametrize("place", range(10))
def test_nothing_is_asked_of_ten_public_cohorts(cohorts, place, tmp_path):
    name = list(cohorts)[place]
    assert len(cohorts) == 10
    table, options = cohorts[name]
    table.to_csv(tmp_path / f"{name}.csv", index=False)
    found = read(tmp_path / f"{name}.csv", *options)
    assert len(found) + found.n_left_out == len(table)
    assert not [decision for decision in found.decisions if decision.by]


@pytest.mark.parametrize("name", SPOILT)
def test_each_spoilt_thing_is_asked_and_settled(name, tmp_path, capsys):
    spoilt = SPOILT[name]
    text, options = spoilt.made()
    path = tmp_path / "table.csv"
    path.write_text(text, encoding="utf-8")
    assert main(["survival", str(path), *options, "--out", str(tmp_path / "sheet"), "--quiet"]) == 1
    said = capsys.readouterr().err
    count = len(spoilt.asked)
    assert f"table.csv has {count} question{'s' * (count > 1)}, and nothing was written" in said
    assert not (tmp_path / "sheet").exists() and len(list(tmp_path.iterdir())) == 1
    lines = said.splitlines()[1:]
    for pattern in spoilt.asked:
        (line,) = [line for line in lines if re.search(pattern, line)]
    row = re.match(r"row (\d+)", line)
    answers = [word.replace("{row}", row[1] if row else "") for word in spoilt.answers]
    # Each answer is an option that the questions name.
    assert all(word in said for word in answers if word.startswith("--"))
    found = read(path, *options, *answers)
    assert len(found) > 650
    by = " ".join(decision.by for decision in found.decisions)
    for word in answers[::2]:
        if word not in ("--head", "--unit", "--event-is", "--no-event-is", "--other-event-is"):
            assert word in by, found.decisions


@pytest.mark.mirror
@pytest.mark.parametrize("name", REAL)
def test_tables_of_r_as_they_are(name):
    options, patterns, answers = REAL[name]
    entry = load_registry(REGISTRY)[name]
    path = Path(os.environ["HEDGEROW_MIRROR"], name, f"{name}.csv")
    assert path.is_file() and entry
    lines = asked(path, *options)
    assert len(lines) == len(patterns)
    for pattern in patterns:
        assert any(re.search(pattern, line) for line in lines), lines
    assert len(read(path, *options, *answers))
