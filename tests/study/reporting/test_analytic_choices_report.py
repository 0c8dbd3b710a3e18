"""Statistics, tables, curves and section of the analyses, from MADE UP verdicts."""

from __future__ import annotations

import itertools

import pandas as pd
import pytest
from shown import claim_row, content_of, made_by, page_of, section_of, tables_of

from hedgerow_study.extensions.analytic_choices.figures import analytic_choices_curves
from hedgerow_study.extensions.analytic_choices.plan import MultiversePlan
from hedgerow_study.extensions.analytic_choices.statistics import summarise
from hedgerow_study.reporting.analytic_choices import HERE, products_of, read_choices, singles_of
from hedgerow_study.reporting.site import pages

PLAN = MultiversePlan(of=("soft", "structure"))
CLAIMS = ["T3-10", "T3-11"]
READ = ("analyses_word", "analyses_n", "analyses_reproduced", "analyses_decides")


def choice(*names, touches=("T3-10", "T3-11")):
    """A choice with so many alternatives."""
    return {
        "open": f"nothing is said of {names[0]}",
        "place": "thesis 3.3",
        "here": "so",
        "otherwise": {name: {"settings": {name: 1}} for name in names},
        "touches": list(touches),
    }


CHOICES = {
    "soft": {
        "choices": {
            "votes": choice("labels"),
            "gates": choice("midpoint", "hard"),
            "grid": choice("fine", touches=["T3-10", "T3-01"]),
        },
        "products": [
            {"claims": ["T3-10"], "choices": ["votes", "gates", "grid"]},
            {"claims": ["T3-11"], "choices": ["votes", "gates"]},
        ],
    },
    "structure": {
        "choices": {"components": choice("two", touches=["T5-04"])},
        "products": [{"claims": ["T5-04"], "choices": ["components"]}],
    },
}


def verdict_of(claim, taken):
    """T3-10 hangs on votes alone; T3-11 is never reproduced; T5-04 is inconclusive once."""
    if claim == "T3-10":
        return "reproduced" if taken.get("votes") == "labels" else "partly"
    if claim == "T5-04":
        return "inconclusive" if taken else "reproduced"
    return "partly" if taken.get("gates") == "hard" else "not reproduced"


def judged():
    """By experiment a row for each analysis and claim, as the workflow judges them."""
    found = {}
    for word, own in read_choices(CHOICES).items():
        rows = []
        for analysis in (*products_of(own), *singles_of(own)):
            taken = {f"choice_{name}": analysis.taken.get(name, HERE) for name in own.choices}
            for claim in analysis.claims:
                verdict = verdict_of(claim, analysis.taken)
                estimate = len(analysis.taken) + 0.1 * len(rows)
                rows.append(
                    {"analysis": analysis.id, **taken, "claim": claim, "repeats": 3}
                    | {"verdict": verdict}
                    | {"measured": "some", "estimate": estimate, "low": estimate - 1.0}
                    | {"high": estimate + 1.0}
                )
        found[word] = pd.DataFrame(rows)
    return found


def printed():
    """By experiment a row for each analysis and printed cell; none of structure, as by default."""
    names = [analysis.id for analysis in products_of(read_choices(CHOICES)["soft"])]
    rows = [
        {"analysis": name, "table": table, "dataset": "mean", "method": "se", "criterion": ""}
        | {"noise": str(noise), "metric": "accuracy", "published_value": 80.0 + noise}
        | {"measured": 80.0 + noise + k, "sd": 2.0, "low": None, "high": None}
        for k, name in enumerate(dict.fromkeys(names))
        for table in ("thesis_table_3_4", "thesis_table_3_5")
        for noise in (0, 1)
    ]
    return {"soft": pd.DataFrame(rows), "structure": pd.DataFrame()}


def inputs():
    """Inputs of all jobs."""
    return {"plan": PLAN, "choices": CHOICES, **summarise(judged(), printed(), CHOICES)}


def test_verdicts_are_counted_over_analyses():
    claims = inputs()["claims"].set_index("claim")
    assert list(claims.index) == ["T3-10", "T3-11", "T3-01", "T5-04"]
    first = claims.loc["T3-10"]
    assert (first["n_analyses"], first["n_open"]) == (2 * 3 * 2, 0)
    assert (first["reproduced"], first["partly"], first["not_reproduced"]) == (0.5, 0.5, 0.0)
    assert (first["word"], first["decides"], first["decides_share"]) == ("in some", "votes", 1.0)
    second = claims.loc["T3-11"]
    # Six analyses are too few for a word.
    assert (second["n_analyses"], second["word"], second["decides"]) == (6, "", "gates")
    assert claims.loc["T3-01", "n_analyses"] == 2 and claims.loc["T3-01", "decides"] == ""
    few = claims.loc["T5-04"]
    assert (few["n_analyses"], few["n_open"], few["reproduced"]) == (1, 1, 1.0)
    assert pd.isna(few["decides_share"])


def test_each_analysis_is_there_once_with_its_choices():
    made = inputs()
    points, taken = made["points"], made["taken"]
    assert not points.duplicated(["claim", "analysis"]).any()
    own = taken[taken["claim"] == "T3-11"]
    assert set(own["choice"]) == {"votes", "gates"}  # no grid: it does not touch the claim
    wide = own.pivot(index="analysis", columns="choice", values="alternative")
    expected = set(itertools.product((HERE, "midpoint", "hard"), (HERE, "labels")))
    assert set(wide[["gates", "votes"]].itertuples(index=False, name=None)) == expected
    shares = made["shares"].set_index(["claim", "choice"])["share"]
    assert shares["T3-10"].to_dict() == pytest.approx({"votes": 1.0, "gates": 0.0, "grid": 0.0})


def test_tables_name_the_choices_that_were_read():
    tables = tables_of("analytic_choices", **inputs())
    assert list(tables["analytic_choices_open"]["choice"]) == [
        "votes",
        "gates",
        "grid",
        "components",
    ]
    assert tables["analytic_choices_open"]["otherwise"].tolist()[1] == "midpoint; hard"
    assert len(tables["analytic_choices_points"]) == 12 + 6 + 2 + 2


def test_the_nearest_analyses_are_told_in_their_order():
    nearest = inputs()["nearest"]
    assert set(nearest["experiment"]) == {"soft"} and nearest["rank"].tolist() == [*range(1, 11)]
    assert nearest["distance"].tolist() == pytest.approx([k / 2.0 for k in range(10)])
    assert nearest["analysis"].iloc[0] == HERE and nearest["n_first"].tolist() == [2, *[0] * 9]
    assert set(nearest["n_cells"]) == {4} and set(nearest["n_tables"]) == {2}
    none = summarise(judged(), {"soft": pd.DataFrame()}, CHOICES)["nearest"]
    assert none.empty and list(none) == list(nearest)


def test_curves_of_claims_with_enough_analyses():
    drawn = made_by(analytic_choices_curves, **inputs())
    titles = [axes.get_title(loc="left") for axes in drawn.axes]
    assert [title for title in titles if title] == ["T3-10"]
    none = inputs()
    none["claims"] = none["claims"].assign(n_analyses=1)
    assert not made_by(analytic_choices_curves, **none).axes


def test_the_word_of_a_claim_stands_on_its_page_and_in_both_lists(tmp_path):
    rows = [
        claim_row(
            name,
            experiment="soft",
            paper="thesis",
            code="a:b",
            **dict(zip(READ, read, strict=True)),
        )
        for name, read in {
            "T3-10": ("in some", "16", "0.25", "gates"),
            "T3-11": ("", "4", "1", ""),
            "T3-01": ("", "", "", ""),
        }.items()
    ]
    section = section_of("analytic_choices", tmp_path, **inputs())
    made = pages(content_of([section], claims=rows))
    page, other, none = (made[f"claims/{name}.html"] for name in ("T3-10", "T3-11", "T3-01"))
    assert "Reproduced in some of the analyses: 4 of 16." in page
    assert (
        "The choice that decides most: gates." in page and 'href="../analytic_choices.html"' in page
    )
    assert "Reproduced in 4 of 4 analyses, too few for a word." in other
    assert "Other analyses" not in none
    assert '<a href="claims/T3-10.html#analyses">in some</a>' in made["claims.html"]
    assert '<span aria-hidden="true" class="word">S</span>' in made["index.html"]
    assert made["index.html"].count('class="word"') == 1
    assert "reproduced in some of the analyses" in made["index.html"]


def test_the_section_says_that_nothing_was_set_beside_what_is_printed(tmp_path):
    own = inputs()
    assert "Not asked here" not in page_of(section_of("analytic_choices", tmp_path, **own))
    own["nearest"] = own["nearest"].head(0)
    assert "Not asked here" in page_of(section_of("analytic_choices", tmp_path, **own))


def test_the_section_says_what_there_is(tmp_path):
    text = " ".join(page_of(section_of("analytic_choices", tmp_path, **inputs())).split())
    assert "1 of 4 statements have 8 analyses or more: 1 reproduced in some." in text
    assert "votes (100 %)" in text and "nothing is said of midpoint (thesis 3.3)" in text
