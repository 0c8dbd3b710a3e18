"""The sentences of the overview: filled from claims, and such as the tracked results bear out."""

from __future__ import annotations

import re
from pathlib import Path

import pandas as pd
import pytest

from hedgerow.errors import ConfigError
from hedgerow.files import read_csv, read_yaml
from hedgerow_study.reporting.claims import from_reference
from hedgerow_study.reporting.findings import Phrase, paragraphs, phrases_of, read_findings

ROOT = Path(__file__).parents[3]
FINDINGS = read_findings(read_yaml(ROOT / "config/findings.yaml"))
EVERY = [(paper, n) for paper, own in FINDINGS.items() for n in range(len(own))]


@pytest.fixture(scope="module")
def at_scale():
    """Rows of all claims with what was measured at the scale of the papers only."""
    files = sorted((ROOT / "data/reference").glob("*/*_claims.csv"))
    frames = [from_reference(read_csv(file)).fillna("") for file in files]
    rows = pd.concat(frames).rename(columns={"measured": "paper_scale_measured"})
    return {row["claim"]: {**row, "verdict": ""} for row in rows.to_dict("records")}


def test_ten_to_fifteen_sentences_about_all_papers():
    statements = read_csv(ROOT / "data/published/claims.csv")
    assert 10 <= len(EVERY) <= 15
    assert set(FINDINGS) == set(statements["paper"])
    of = statements.set_index("claim_id")["paper"]
    for paper, own in FINDINGS.items():
        for finding in own:
            assert {of[id] for id in finding.claims} == {paper}


@pytest.mark.parametrize("paper, n", EVERY)
def test_the_tracked_results_have_every_number(at_scale, paper, n):
    finding = FINDINGS[paper][n]
    phrases = phrases_of(finding, at_scale)
    assert phrases, f"no numbers for {finding.claims}"
    text = "".join(phrase.text for phrase in phrases)
    assert not set("[]{}") & set(text) and text.rstrip().endswith((".", ")"))
    for phrase in phrases:
        if phrase.here is not None:
            assert re.search(r"\d", phrase.text) and phrase.here == "not run"


CONTENT = {"thesis": [{"text": "By [{a} leaves] less.", "numbers": {"X": r"^(?P<a>\d+) l"}}]}


def filled(**row):
    (finding,) = read_findings(CONTENT)["thesis"]
    return phrases_of(finding, {"X": row})


def test_numbers_of_both_scales():
    both = filled(measured="3 leaves", paper_scale_measured="4 leaves", verdict="reproduced")
    assert both == [Phrase("By "), Phrase("4 leaves", "3 leaves"), Phrase(" less.")]


def test_a_run_without_the_number_gives_its_verdict():
    here = filled(measured="", paper_scale_measured="4 leaves", verdict="inconclusive")
    assert here[1] == Phrase("4 leaves", "inconclusive")
    assert filled(measured="", paper_scale_measured="4 leaves")[1] == Phrase("4 leaves", "not run")


def test_without_references_the_run_speaks_and_without_both_nothing():
    assert filled(measured="3 leaves", verdict="partly")[1] == Phrase("3 leaves", "3 leaves")
    assert filled(measured="no leaves") == []
    assert paragraphs(read_findings(CONTENT), [{"claim": "X", "measured": ""}]) == {}


@pytest.mark.parametrize(
    "edit, said",
    [
        ({"text": "By [{b} leaves]."}, "differ in a"),
        ({"text": "By leaves."}, "differ in a"),
        ({"numbers": {"X": "("}}, "cannot be read"),
        ({"numbers": {"X": "1"}}, "differ in a"),
        ({"number": {}}, "number"),
        ({"also": "Y"}, "also"),
    ],
)
def test_what_is_wrong_is_named(edit, said):
    content = {"thesis": [CONTENT["thesis"][0] | edit]}
    with pytest.raises(ConfigError, match=re.escape(said)):
        read_findings(content)
