"""The site of a run in a real browser: quiet, of the width of the window, legible, printable."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = pytest.mark.runs

#: How Debian's Chromium is started: without a network, in its own folder.
OPTIONS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update"
)
AXE = Path(__file__).parents[1] / "browser/node_modules/axe-core/axe.min.js"
WIDTHS = (320, 400, 768, 1280)
#: Bytes that a page may have.
LARGEST = 1_000_000
#: Text of a cell as it is seen, without what is there for readers of screens only.
ROWS = """() => [...document.querySelectorAll("main table")].flatMap((table) =>
  [...table.querySelectorAll("tbody tr")].map((row) => {
    const copy = row.cloneNode(true);
    copy.querySelectorAll(".hidden").forEach((part) => part.remove());
    return copy.textContent.replace(/[-\\s]/g, "");
  }))"""


@pytest.fixture(scope="module")
def site(smoke) -> Path:
    return smoke.path / "reports/html"


@pytest.fixture(scope="module")
def names(site) -> list[str]:
    """Every page of its own kind, and one of each kind of which there are many."""
    one = ["claims/T3-01.html", "data/bupa.html", "source/soft.smk.html"]
    return [*sorted(file.name for file in site.glob("*.html")), *one]


@pytest.fixture(scope="module")
def browser() -> Iterator:
    sync_api = pytest.importorskip("playwright.sync_api", reason="`make checks` installs it")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=chromium, args=OPTIONS.split())
        yield started
        started.close()


@pytest.fixture
def page(browser) -> Iterator:
    """A window; what its console says of errors is in `page.said`."""
    context = browser.new_context(viewport={"width": 1280, "height": 900})
    window = context.new_page()
    window.said = []
    window.on("console", lambda m: window.said.append(m.text) if m.type == "error" else None)
    window.on("pageerror", lambda error: window.said.append(str(error)))
    yield window
    context.close()


def test_pages_are_small_and_whole(site):
    files = list(site.rglob("*.html"))
    assert len(files) > 200
    for file in files:
        assert file.stat().st_size < LARGEST, file.name


def test_every_link_leads_to_a_file_and_nothing_to_the_network(site):
    """The builder checks links inside the site; here those to the files beside it."""
    lost, beside = set(), 0
    for file in site.rglob("*.html"):
        text = file.read_text(encoding="utf-8")
        for address in set(re.findall(r'(?:href|src)="([^"]*)"', text)):
            path = address.partition("#")[0]
            if not path or path.startswith("data:,"):
                continue
            beside += path.startswith("../")
            if path.startswith(("http", "//")):
                assert f'<a href="{address}"' in text, f"{file.name} loads {address}"
            elif not (file.parent / path).exists():
                lost.add(f"{file.name}: {path}")
    assert beside > 200 and not lost


def test_no_error_and_no_page_that_scrolls_sideways(site, names, page):
    for name in names:
        page.goto((site / name).as_uri())
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            wide, seen = page.evaluate(
                "[document.documentElement.scrollWidth, document.documentElement.clientWidth]"
            )
            assert wide <= seen, f"{name} at {width}"
        assert page.said == [], name


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(site, names, page, scheme):
    if not AXE.is_file():
        pytest.skip("axe-core is not installed: npm ci --prefix tests/browser")
    page.emulate_media(color_scheme=scheme)
    found = []
    for name in names if scheme == "light" else names[:4]:
        page.goto((site / name).as_uri())
        page.evaluate(AXE.read_text(encoding="utf-8"))
        result = page.evaluate("axe.run(document, {preload: false})")
        for violation in result["violations"]:
            found.append((name, violation["id"], violation["nodes"][0]["html"][:120]))
        assert len(result["passes"]) > 10, name
    assert found == []


def test_tables_sort_by_what_is_seen_and_filter(site, page):
    page.goto((site / "datasets.html").as_uri())
    head = page.locator("#all-datasets thead th", has_text="Rows")
    column = (
        "[...document.querySelectorAll('#all-datasets tbody tr')].map(r => r.cells[2].innerText)"
    )
    before = page.evaluate(column)
    head.get_by_role("button").click()
    assert page.evaluate(column) == sorted(before, key=int) != before
    assert head.get_attribute("aria-sort") == "ascending"
    head.get_by_role("button").click()
    assert page.evaluate(column) == sorted(before, key=int, reverse=True)
    page.get_by_label("Only rows with").fill("wine")
    assert page.locator("#all-datasets tbody tr:visible").count() == 1


def test_the_head_of_a_long_table_stays(site, page):
    page.goto((site / "claims.html").as_uri())
    box = page.locator("#thesis .scroll")
    top = "box => box.querySelector('thead').getBoundingClientRect().top"
    before = box.evaluate(top)
    box.evaluate("box => (box.scrollTop = 600)")
    assert box.evaluate(top) <= before
    assert box.evaluate(f"box => ({top})(box) >= box.getBoundingClientRect().top - 1")


def test_the_search_finds_a_claim(site, page):
    page.goto((site / "index.html").as_uri())
    page.get_by_label("Search").fill("T3-03")
    link = page.locator("#site-found a").first
    assert link.inner_text().startswith("T3-03")
    link.click()
    assert page.locator("h1").inner_text() == "Claim T3-03"


def test_the_overview_tells_of_the_run(site, page):
    page.goto((site / "index.html").as_uri())
    facts = page.locator("#record").inner_text()
    for name in ("Commit", "Command", "Ended", "Machine", "Manifest, SHA-256"):
        assert name in facts
    page.goto((site / "rules.html").as_uri())
    assert page.locator("#times tbody tr").count() > 50
    assert page.locator("#graph svg g").count() > 50


@pytest.mark.parametrize("name", ["search.html", "structure.html", "soft.html", "claims.html"])
def test_paper_holds_every_cell_and_opens_every_box(site, page, name):
    """Wide tables were cut: an 11 was printed as 1. Boxes that were closed were left out."""
    pdfium = pytest.importorskip("pypdfium2", reason="`make checks` installs it")
    page.goto((site / name).as_uri())
    rows = page.evaluate(ROWS)
    made = pdfium.PdfDocument(page.pdf(prefer_css_page_size=True, outline=True, tagged=True))
    assert len(list(made.get_toc())) > 3, "bookmarks"
    printed = ""
    for sheet in made:
        width, height = sheet.get_size()
        text = sheet.get_textpage()
        printed += text.get_text_range()
        for i in range(text.count_chars()):
            left, bottom, right, top = text.get_charbox(i)
            assert left >= -1 and right <= width + 1 and bottom >= -1 and top <= height + 1
    printed = re.sub(r"[-\s\ufffe]", "", printed)  # a hyphen at the end of a line is another sign
    assert len(rows) > 20
    lost = [row for row in rows if row not in printed]
    assert lost == []
