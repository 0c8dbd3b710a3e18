"""The report page from made-up rows: complete, self-contained and readable by machines."""

import dataclasses
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest

from hedgerow.reporting import html

ROOT = Path(__file__).parents[2]


class Page(HTMLParser):
    """Tags with their attributes, visible text, and whether tags close in order."""

    VOID = frozenset({"meta", "link", "img", "br"})

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
def claims():
    return pd.read_csv(ROOT / "data/published/claims.csv")


@pytest.fixture(scope="module")
def text(made_up, rows, claims, plan):
    return html.build(made_up.tables, made_up.figures, rows, claims, plan)


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


def test_it_needs_no_network(text, page):
    assert "http" not in "".join(str(a) for _, a in page.tags if "xmlns" not in a)
    for attributes in [*page.all("img"), *page.all("link"), *page.all("script")]:
        address = attributes.get("src") or attributes.get("href")
        assert address.startswith("data:")
    for attributes in page.all("a"):
        assert attributes["href"].startswith("#")
    assert "@import" not in text
    assert "url(" not in text


def test_anchors_lead_somewhere(page):
    ids = [a["id"] for _, a in page.tags if "id" in a]
    assert len(ids) == len(set(ids))
    for attributes in page.all("a"):
        assert attributes["href"][1:] in ids


def test_it_can_be_read_aloud(page):
    assert page.all("html") == [{"lang": "en"}]
    assert all(len(a["alt"]) > 20 for a in page.all("img"))
    assert len(page.all("caption")) == len(page.all("table"))
    assert all("scope" in a for a in page.all("th"))
    assert "width=device-width" in page.all("meta")[1]["content"]


def test_measured_and_published_stand_side_by_side(page, made_up):
    for name in ("thesis_table_3_4", "thesis_table_3_5"):
        table = made_up.tables[name]
        for row in table[table["published"].notna()].itertuples():
            digits = 2 if row.unit == "sd" else 1
            measured, published = (html._number(v, digits) for v in (row.measured, row.published))
            assert f"published {published}" in page.text
            assert measured in page.text


def test_ids_rules_and_functions_are_printed(page, made_up):
    for name in [*made_up.tables, *made_up.figures]:
        assert f"function hedgerow.reporting.soft.{name}" in page.text
    assert "rule soft_tables" in page.text
    assert "rule soft_figures" in page.text


def test_what_was_run_is_said(page):
    assert "Run: 6 of the 20 data sets of table 3.1" in page.text
    assert "4 train-test permutations each, configuration made-up" in page.text
    assert "over 6 of the 20 data sets" in page.text
    assert "Absent: spectf." in page.text
    assert "not part of this configuration: hepatitis_numeric," in page.text
    assert "includes rows that are test rows later" in page.text


def test_a_small_run_says_so(page, made_up, rows, claims, plan):
    """Six data sets are enough to speak of, four permutations are not."""
    assert "too small to conclude anything from" in page.text
    larger = dataclasses.replace(plan, n_permutations=5)
    text = html.build(made_up.tables, made_up.figures, rows, claims, larger)
    assert "too small to conclude" not in text


def test_tables_may_come_from_files(made_up, rows, claims, plan, text, tmp_path):
    """The workflow hands over what it wrote: the page is the same."""
    back = {}
    for name, table in made_up.tables.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
        back[name] = pd.read_csv(tmp_path / f"{name}.csv")
    assert html.build(back, made_up.figures, rows, claims, plan) == text


def test_names_are_escaped(made_up, rows, claims, plan):
    tables = dict(made_up.tables)
    tables["thesis_table_3_1"] = tables["thesis_table_3_1"].assign(printed="<b>&")
    page = html.build(tables, made_up.figures, rows, claims, plan)
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
    assert html._number(value, digits) == shown
