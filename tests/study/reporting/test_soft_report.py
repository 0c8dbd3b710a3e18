"""The page of an experiment from made-up rows: complete and readable by machines."""

import dataclasses
import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from made_rows import PLAN, SETS, calibrated, made_up_rows, printed
from shown import captions_of, page_of

from hedgerow.data import TidyTable
from hedgerow.ids import title_of
from hedgerow.showing.numbers import number
from hedgerow_study.experiments.soft import claims as soft_claims
from hedgerow_study.experiments.soft import page as soft_page
from hedgerow_study.experiments.soft import statistics as soft_statistics
from hedgerow_study.experiments.soft import tables as soft_tables
from hedgerow_study.reporting import html
from hedgerow_study.reporting.claim_specification import VERDICTS

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]


def inputs():
    """Inputs of all jobs of experiments 1 and 2."""
    X = pd.DataFrame({"x": [1.0, 2.0]})
    tidy = [TidyTable(name, X, np.array([0, 1]), ["a", "b"], "class") for name in SETS]
    rows = made_up_rows(PLAN)
    given = {"tidy": tidy, "calibrated": calibrated(), "published": printed(), "plan": PLAN}
    tests = soft_statistics.statistics(rows, PLAN)
    ranks = soft_tables.soft_ranks(tests["comparison"])
    return {**given, "rows": rows, **tests, "ranks": ranks}


class Page(HTMLParser):
    """Tags with their attributes, visible text, and whether tags close in order."""

    VOID = frozenset({"meta", "link", "img", "br", "input"})

    def __init__(self, text):
        super().__init__()
        self.tags, self.open, self.words = [], [], []
        self.feed(text)
        assert self.open == []
        self.text = " ".join(" ".join(self.words).split())

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.words.append(data)

    def all(self, name):
        return [attributes for tag, attributes in self.tags if tag == name]


@pytest.fixture(scope="module")
def claims(rows, specification, statements):
    return soft_claims.claims(rows, specification, statements)


def section_with(made_up, rows, claims, plan, tables=None):
    tables = made_up.tables if tables is None else tables
    captions = captions_of("soft", rows=rows, plan=plan)
    return soft_page.section(tables, made_up.figures, captions, rows, claims, plan)


def build(made_up, rows, claims, plan, tables=None):
    return page_of(section_with(made_up, rows, claims, plan, tables), plan.configuration)


@pytest.fixture(scope="module")
def section(made_up, rows, claims, plan):
    return section_with(made_up, rows, claims, plan)


@pytest.fixture(scope="module")
def text(made_up, rows, claims, plan):
    return build(made_up, rows, claims, plan)


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


def test_it_needs_no_network(text, page):
    for _, attributes in page.tags:
        for name in ("src", "href"):
            address = attributes.get(name) or ""
            assert not address.startswith(("http", "//", "/")), address
    assert "@import" not in text
    assert "url(" not in text


def test_anchors_lead_somewhere(page):
    """The builder checks all links of the site; here those inside a page."""
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    inside = [a["href"][1:] for a in page.all("a") if a["href"].startswith("#")]
    assert len(inside) > 10 and set(inside) <= set(ids)


def test_it_can_be_read_aloud(page):
    assert page.all("html") == [{"lang": "en"}]
    # Small pictures in a list of links say nothing that the link does not say.
    alt = [a["alt"] for a in page.all("img")]
    assert alt.count("") == len(alt) / 2
    assert all(len(a) > 20 for a in alt if a)
    assert len(page.all("caption")) == len(page.all("table"))
    assert all("scope" in a for a in page.all("th"))
    said = {
        a.get("name", a.get("http-equiv")): a["content"] for a in page.all("meta") if len(a) > 1
    }
    assert "width=device-width" in said["viewport"]
    assert "script-src 'self' file:;" in said["Content-Security-Policy"]


def test_measured_and_published_stand_side_by_side(page, made_up):
    for name in ("thesis_table_3_4", "thesis_table_3_5"):
        table = made_up.tables[name]
        for row in table[table["published"].notna()].itertuples():
            digits = 2 if row.unit == "sd" else 1
            measured, published = (number(v, digits) for v in (row.measured, row.published))
            assert f"published {published}" in page.text
            assert measured in page.text


def test_ids_rules_and_functions_are_printed(page, made_up):
    for name in [*made_up.tables, *made_up.figures]:
        module = "tables" if name in made_up.tables else "figures"
        assert f"function hedgerow_study.experiments.soft.{module}.{name}" in page.text
    assert "rule soft_tables" in page.text
    assert "rule soft_figures" in page.text


def test_what_was_run_is_said(page):
    assert "Run: 6 of the 20 data sets of table 3.1" in page.text
    assert "4 repeats each, configuration made-up" in page.text
    assert "over 6 of the 20 data sets" in page.text
    assert "Absent: spectf." in page.text
    assert "not part of this configuration: hepatitis_numeric," in page.text
    assert "includes rows that are test rows later" in page.text


def test_claims_stand_with_verdict_numbers_and_what_is_lacking(page, claims):
    for row in claims.itertuples():
        assert row.statement in page.text and row.measured in page.text
        assert row.claim in page.text
        assert not row.lacking or f"Lacking: {row.lacking}." in page.text
    assert "– Inconclusive" in page.text
    assert f"Of {len(claims)} statements of the thesis:" in page.text


def test_every_verdict_has_its_word_and_mark():
    lines = [(f"X-{i}", v, "m", "l", 3, "s", "") for i, v in enumerate(VERDICTS)]
    columns = [
        "claim",
        "verdict",
        "measured",
        "lacking",
        "n_datasets",
        "statement",
        "published_value",
    ]
    frame = pd.DataFrame(lines, columns=columns)
    shown = html.claim_lines(frame)
    assert [line["mark"] for line in shown] == list(VERDICTS.values())
    assert [line["why"] for line in shown] == ["", "", "", "Lacking", "Why"]
    assert [line["of"] for line in shown] == ["data sets: 3"] * 4 + [""]
    assert html.tally(frame) == dict.fromkeys(VERDICTS, 1)


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ((1, 0, 2, 3, 0), "Of 6 statements: 1 reproduced, 2 not reproduced, 3 inconclusive."),
        ((0, 0, 0, 3, 0), "Of 3 statements: 0 reproduced, 3 inconclusive."),
        ((0, 0, 0, 0, 2), "Of 2 statements: 0 reproduced, 2 not testable."),
    ],
)
def test_a_tally_does_not_count_what_was_not_measured_as_not_reproduced(counts, text):
    template = '{% import "reporting/macros.html.j2" as shared %}{{ shared.tally(counts, what) }}'
    given = dict(zip(VERDICTS, counts, strict=True))
    made = html.environment().from_string(template).render(counts=given, what="statements")
    assert " ".join(re.sub(r"<[^>]*>", "", made).split()).startswith(text)


def test_a_small_run_says_so(page, made_up, rows, claims, plan):
    """Six data sets are enough to test, four repeats give rough means."""
    assert "Means over 4 repeats are rough" in page.text
    larger = dataclasses.replace(plan, n_repeats=5)
    assert "are rough" not in build(made_up, rows, claims, larger)
    few = rows[rows["dataset"].isin(sorted(set(rows["dataset"]))[:5])]
    for text in (page.text, build(made_up, few, claims, larger)):
        assert ("too small to conclude anything from" in text) == (text != page.text)


def test_tables_may_come_from_files(made_up, rows, claims, plan, text, tmp_path):
    """The workflow hands over what it wrote: the page is the same."""
    back = {}
    for name, table in made_up.tables.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
        back[name] = pd.read_csv(tmp_path / f"{name}.csv")
    assert build(made_up, rows, claims, plan, back) == text


def test_names_are_escaped(made_up, rows, claims, plan):
    tables = dict(made_up.tables)
    tables["thesis_table_3_1"] = tables["thesis_table_3_1"].assign(printed="<b>&")
    page = build(made_up, rows, claims, plan, tables)
    assert "&lt;b&gt;&amp;" in page


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (-1.25, 1, "\u22121.2"),
        (-0.001, 2, "0.00"),
        (None, 0, "–"),
        (float("nan"), 0, "–"),
        (15, 0, "15"),
    ],
)
def test_numbers(value, digits, shown):
    assert number(value, digits) == shown


# -------------------------------------------------------------------------- sections of a page


def test_a_section_survives_its_file(section):
    back = html.Section.from_dict(json.loads(json.dumps(section.to_dict())))
    assert back == section
    assert page_of(back) == page_of(section)


def test_every_anchor_of_a_section_bears_its_word(section):
    ids = [a["id"] for _, a in Page(section.markup).tags if "id" in a]
    assert all(i.startswith(("soft-", "soft_", "thesis_", "T3-")) for i in ids)


def test_titles_of_published_things():
    assert title_of("thesis_figure_3_10") == "Figure 3.10"
    assert title_of("confdtree_table_1") == "Table 1"
