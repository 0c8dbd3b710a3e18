"""The site of a run in a real browser: quiet, of the width of the window, legible, printable."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import axe
import pytest
from number_forms import other_forms, text_of_page

pytestmark = pytest.mark.runs

#: How Debian's Chromium is started: without a network, in its own folder.
OPTIONS = (
    "--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
    "--disable-background-networking --disable-component-update"
)
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


def test_numbers_have_one_form(site):
    """One p value had five forms: `p < .001`, `p<.001`, `< .001`, p = 0.0003 and 2.8e-04. Intervals
    stood in brackets, points were not said to be those of per cent, and 1,234 had a comma."""
    found = {
        f"{file.relative_to(site)}: {form}"
        for file in sorted(site.rglob("*.html"))
        if file.parent.name != "source"
        for form in other_forms(text_of_page(file.read_text(encoding="utf-8")))
    }
    assert not found


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


def test_no_script_runs_but_those_of_the_site(site, page):
    """A name of somebody's that became markup would have run."""
    files = list(site.rglob("*.html"))
    assert all("Content-Security-Policy" in file.read_text(encoding="utf-8") for file in files)
    page.goto((site / "index.html").as_uri())
    page.evaluate(
        "() => { const own = document.createElement('script'); own.textContent = 'window.ran = 1';"
        " document.head.append(own); }"
    )
    assert page.evaluate("window.ran === undefined && window.RUN !== undefined")
    assert any("Content Security Policy" in said for said in page.said)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation(site, names, page, scheme):
    if not axe.SCRIPT.is_file():
        pytest.skip(axe.ABSENT)
    page.emulate_media(color_scheme=scheme)
    found = []
    for name in names if scheme == "light" else names[:4]:
        page.goto((site / name).as_uri())
        found += [(name, *broken) for broken in axe.violations(page, preload=False, least=11)]
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


def test_a_cell_shows_the_rows_that_it_rests_on(site, page):
    """By the mouse and by keys; Escape leads back to the cell."""
    page.goto((site / "soft.html").as_uri())
    cells = page.locator("#thesis_table_3_4 td[data-row]")
    cells.first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    page.wait_for_selector("#drawer section")
    number = cells.nth(1).get_attribute("data-row")
    told = page.locator("#drawer").inner_text()
    assert f"thesis_table_3_4, row {number}" in told
    assert f"hedgerow trace thesis_table_3_4:#{number}" in told
    assert "data/results/soft/" in told and page.locator("#drawer tbody tr").count() >= 2
    page.keyboard.press("Escape")
    assert page.locator("#drawer").is_hidden()
    assert page.evaluate("document.activeElement.dataset.row") == number
    cells.nth(3).click()
    page.wait_for_selector("#drawer section")
    assert not page.said
    # Its console comes first: axe asks for style sheets in a way that is refused from disk.
    if axe.SCRIPT.is_file():
        assert axe.violations(page, "#drawer") == []


def test_the_head_of_a_long_table_stays(site, page):
    page.goto((site / "claims.html").as_uri())
    top = "document.querySelector('#thesis thead').getBoundingClientRect().top"
    assert page.evaluate(top) > 100
    page.evaluate("document.getElementById('T4-01').scrollIntoView()")
    assert page.evaluate("scrollY") > 1000 and abs(page.evaluate(top)) <= 1


def test_claims_stand_on_the_page_and_as_cards_on_a_phone(site, page):
    """Of 39 claims 8 were seen in a box that did not say so; on a phone only their ids."""
    page.goto((site / "claims.html").as_uri())
    assert page.locator("main .scroll").count() == 0
    page.set_viewport_size({"width": 390, "height": 844})
    row = page.locator("#T3-01")
    across = "e => [e.getBoundingClientRect().left, e.getBoundingClientRect().right]"
    for cell in row.locator("th, td").all():
        left, right = cell.evaluate(across)
        assert left >= 0 and right <= 390
    top = "e => e.getBoundingClientRect().top"
    assert row.locator(".statement").evaluate(top) < row.locator("th").evaluate(top)
    first = row.locator("[data-head]").first
    assert first.evaluate("e => getComputedStyle(e, '::before').content") == '"This run: "'


def test_a_box_that_scrolls_says_so(site, page):
    page.set_viewport_size({"width": 390, "height": 500})
    silent = """[...document.querySelectorAll("main .scroll, section pre")].filter((box) =>
      (box.scrollWidth > box.clientWidth + 2 || box.scrollHeight > box.clientHeight + 2) &&
      !box.nextElementSibling?.classList.contains("hint")).length"""
    told = set()
    for name in ("datasets.html", "search.html", "soft.html", "claims/T3-01.html"):
        page.goto((site / name).as_uri())
        assert page.evaluate(silent) == 0, name
        told |= set(page.locator("main .hint").all_inner_texts())
    assert any("rows, more than the box shows" in text for text in told)
    assert any(text.endswith("sideways.") for text in told)


def test_the_overview_says_what_its_marks_are_about(site, page):
    """A finger and paper show no tooltip."""
    pdfium = pytest.importorskip("pypdfium2", reason="`make checks` installs it")
    page.goto((site / "index.html").as_uri())
    statements = page.locator(".statements li")
    said = [text.split(" ", 1)[0] for text in statements.all_text_contents()]
    assert statements.count() == page.locator("a.claim").count() > 30
    assert not statements.first.is_visible()
    page.locator(".statements summary").first.click()
    assert statements.first.is_visible()
    made = pdfium.PdfDocument(page.pdf(prefer_css_page_size=True))
    printed = re.sub(r"\s", "", "".join(s.get_textpage().get_text_range() for s in made))
    assert [name for name in said if name not in printed.replace("\ufffe", "-")] == []


def test_ids_on_paper_stand_on_one_line(site, page):
    """The ids of the claims were broken letter by letter."""
    page.goto((site / "claims.html").as_uri())
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 703, "height": 1000})  # A4 without its margins
    lines = """[...document.querySelectorAll(".listing tbody th a")].map((a) =>
      [a.textContent, a.getClientRects().length])"""
    found = page.evaluate(lines)
    assert len(found) > 50 and [name for name, n in found if n != 1] == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("width", [1280, 390])
def test_words_of_figures_can_be_read(site, page, width):
    """Those of figure 6.1 had 4 pixels. A letter is a path, scaled by a hundredth of its size."""
    page.set_viewport_size({"width": width, "height": 900})
    for name in ("structure.html", "search.html", "soft.html", "survival.html"):
        if not (site / name).is_file():
            continue
        page.goto((site / name).as_uri())
        for image in page.locator("main figure img").all():
            file = site / image.get_attribute("src")
            text = file.read_text(encoding="utf-8")
            across = float(re.search(r'viewBox="0 0 ([\d.]+)', text)[1])
            sizes = [100 * float(s) for s in re.findall(r"scale\(([\d.]+) -", text)]
            shown = image.evaluate("e => e.getBoundingClientRect().width") / across
            assert min(sizes, default=9) * shown >= 8.0, f"{file.name} at {width}"


def test_the_search_finds_a_claim(site, page):
    page.goto((site / "index.html").as_uri())
    page.get_by_label("Search", exact=True).fill("T3-03")
    link = page.locator("#site-found a").first
    assert link.inner_text().startswith("T3-03")
    link.click()
    assert page.locator("h1").inner_text() == "Claim T3-03"


def test_the_search_forgives_a_letter(site, page):
    """ "evidental" found nothing. A word of three letters has to be right."""
    page.goto((site / "glossary.html").as_uri())
    field = page.get_by_label("Search", exact=True)
    first = page.locator("#site-found a").first
    for typed in ("glosary", "glossaryy", "glossery", "golssary", "glossary", "glosar"):
        field.fill(typed)
        assert first.inner_text().startswith("Glossary"), typed
    field.fill("xqz")
    assert page.locator("#site-found a").count() == 0
    assert page.locator("#site-status").inner_text() == "Nothing is called so."
    field.fill("t3-03")
    exact = page.locator("#site-found a").all_inner_texts()
    assert exact[0].startswith("T3-03"), "what is typed comes before what is near"


def test_the_search_is_used_by_keys_alone(site, page):
    page.goto((site / "index.html").as_uri())
    field = page.locator("#site-words")
    page.keyboard.press("/")
    assert field.evaluate("e => e === document.activeElement") and field.input_value() == ""
    page.keyboard.type("claim")
    panel, options = page.locator("#site-panel"), page.locator("#site-found [role=option]")
    assert field.get_attribute("aria-expanded") == "true" and options.count() > 3
    assert field.get_attribute("aria-activedescendant") is None

    def chosen():
        ids = page.locator("#site-found [aria-selected=true]").evaluate_all("a => a.map(e => e.id)")
        assert ids == [i for i in [field.get_attribute("aria-activedescendant")] if i]
        return ids

    page.keyboard.press("ArrowDown")
    assert chosen() == ["site-found-0"]
    page.keyboard.press("ArrowDown")
    assert chosen() == ["site-found-1"]
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    assert chosen() == [], "above the first lies the field"
    page.keyboard.press("ArrowUp")
    assert chosen() == [f"site-found-{options.count() - 1}"]
    page.keyboard.press("Escape")
    assert not panel.is_visible() and field.get_attribute("aria-expanded") == "false"
    assert field.input_value() == "claim"
    page.keyboard.press("Escape")
    assert field.input_value() == ""
    page.keyboard.type("a/b")
    assert field.input_value() == "a/b", "a slash in the field is a slash"
    field.fill("T3-03")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    page.wait_for_url("**/claims/T3-03.html")
    if axe.SCRIPT.is_file():
        page.keyboard.press("/")
        page.keyboard.type("noise")
        page.keyboard.press("ArrowDown")
        assert axe.violations(page, preload=False) == []
    assert page.said == []


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
