"""Why a claim holds or not: the passages of the notes, and the pages that show them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from shown import claim_row, content_of

from hedgerow.files import read_csv, read_yaml
from hedgerow_study.reporting.claim_specification import specified
from hedgerow_study.reporting.notes import HEADING, passages, rendered
from hedgerow_study.reporting.site import hanging_on, pages
from hedgerow_study.workflow.showing.site import reasons, sources, text_digest

ROOT = Path(__file__).parents[3]
REASONS = reasons(ROOT)


def test_every_claim_that_does_not_hold_has_a_reason():
    """The reasons stood in the notes, and the pages of the claims did not tell them."""
    verdicts = {
        row["claim"]: row["verdict"]
        for path in (ROOT / "data/reference").glob("*/*_claims.csv")
        for row in read_csv(path).to_dict("records")
    }
    assert len(verdicts) > 80
    without = [n for n, verdict in verdicts.items() if verdict != "reproduced" and n not in REASONS]
    assert not without
    claims = specified(read_yaml(ROOT / "config/claims.yaml"))
    assert set(REASONS) <= set(claims)
    for name, (html, path, _) in REASONS.items():
        word = claims[name].experiment.partition("_")[0]
        assert {"noise": "soft"}.get(word, word) in path  # whose notes tell of other noise as well
        assert len(html) > 40 and "href" not in html  # a relative link would lead nowhere


def test_a_page_of_a_claim_tells_why_and_leads_to_the_notes():
    row = claim_row("T3-08", experiment="soft", code="a:b")
    made = pages(content_of([], claims=[row], reasons=REASONS))
    page = made["claims/T3-08.html"]
    html, path, line = REASONS["T3-08"]
    assert "Why, as far as we know" in page and html in page
    assert f'href="../source/soft.md.html#L{line}"' in page
    assert f'id="L{line}"' in made["source/soft.md.html"]
    assert "T3-08" in (ROOT / path).read_text().splitlines()[line - 1]
    nothing = pages(content_of([], claims=[row]))["claims/T3-08.html"]
    assert "Why, as far as we know" not in nothing


def test_an_edit_of_the_notes_makes_the_pages_anew(tmp_path):
    """The digest of all that has a page is a parameter of the rule."""
    notes = tmp_path / "docs/notes"
    notes.mkdir(parents=True)
    (notes / "soft.md").write_text(f"{HEADING}\n\n- **T3-08**: so.\n")
    (notes / "other.md").write_text("nothing\n")
    assert [path for path in sources((), tmp_path) if "docs" in path] == ["docs/notes/soft.md"]
    before = text_digest(sources((), tmp_path))
    (notes / "soft.md").write_text(f"{HEADING}\n\n- **T3-08**: or not.\n")
    assert text_digest(sources((), tmp_path)) != before


def test_passages_end_where_their_section_does():
    text = f"- **X-01**: no.\n\n{HEADING}\n\nLead.\n\n- **X-01**: a\n  b.\n"
    text += "- **X-02, X-03**: `c` <d>.\n\nMore.\n\n## Next\n\n- **X-04**: no.\n"
    found = passages(text)
    assert {name: passage.text for name, passage in found.items()} == {
        "X-01": "a b.",
        "X-02": "`c` <d>.",
        "X-03": "`c` <d>.",
    }
    assert [passage.line for passage in found.values()] == [7, 9, 9]
    assert rendered(found["X-02"].text) == "<code>c</code> &lt;d&gt;."
    with pytest.raises(ValueError, match="two reasons for X-01"):
        passages(f"{HEADING}\n- **X-01**: a\n- **X-01**: b\n")


@pytest.mark.parametrize(
    ("n", "left_out", "hangs_on", "said"),
    [
        (0, 0, "", ""),
        ("", "", "", ""),
        (12, "", "", "It was not judged again without each data set in turn."),
        (5, 8, "", "The verdict is the same without any one of the 5 data sets."),
        (1, 1, "wdbc: inconclusive", "It rests on one data set, which cannot be left out."),
        (1, 0, "", "It rests on one data set, which cannot be left out."),
        (
            2,
            2,
            "a: inconclusive",
            "Without a: inconclusive. The same without the other one.",
        ),
        (2, 2, "a: partly; b: partly", "Without a or b: partly."),
        (3, 3, "a: x; b: x; c: x", "Without any one of the 3 data sets: x."),
        (
            4,
            4,
            "a: x; b: y; c: x",
            "Without a or c: x. Without b: y. The same without the other one.",
        ),
        (9, 9, "a: x", "Without a: x. The same without any one of the other 8."),
    ],
)
def test_what_a_verdict_hangs_on_in_a_sentence(n, left_out, hangs_on, said):
    row = {"paper_scale_n_datasets": n, "paper_scale_n_left_out": left_out}
    assert hanging_on({**row, "paper_scale_hangs_on": hangs_on}, "paper_scale_") == said


def test_a_question_of_our_own_is_never_reproduced():
    """Its page said `Without iris: not reproduced`."""
    row = {"claim": "soft_sweep-01", "n_datasets": 2, "n_left_out": 2}
    said = hanging_on({**row, "hangs_on": "iris: not reproduced"}, "")
    assert said == "Without iris: no. The same without the other one."


def test_a_page_says_what_both_verdicts_hang_on_and_lack():
    row = claim_row(
        "T6-06",
        n_datasets=3,
        n_left_out=3,
        paper_scale_verdict="inconclusive",
        paper_scale_lacking="leaves: 1 (gbsg2), 2 or more are needed",
        paper_scale_n_datasets="12",
        paper_scale_n_left_out="12",
        paper_scale_hangs_on="gbsg2: partly",
        code="a:b",
    )
    text = re.sub(r"\s+", " ", pages(content_of([], claims=[row]))["claims/T6-06.html"])
    assert "(leaves: 1 (gbsg2), 2 or more are needed)" in text
    assert "This run (inconclusive): The verdict is the same without any one of the 3" in text
    assert "Without gbsg2: partly. The same without any one of the other 11." in text
