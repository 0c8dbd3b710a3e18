"""The pages of `make docs`: examples run, nothing public is left out, links lead somewhere."""

from __future__ import annotations

import importlib
import re
import runpy
import shutil
import urllib.parse
from pathlib import Path

import axe
import pytest
from number_forms import other_forms, text_of_markdown

import hedgerow

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
METHODS = sorted((DOCS / "methods").glob("*.md"))
EXAMPLES = sorted((DOCS / "examples").glob("*/*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run(path, capsys):
    """And draw: each has a figure that holds something."""
    pyplot = pytest.importorskip("matplotlib.pyplot")
    if path.stem == "survival":
        pytest.importorskip("lifelines")
    from matplotlib.figure import Figure

    pyplot.close("all")  # of tests that ran before
    names = runpy.run_path(str(path))
    drawn = [*map(pyplot.figure, pyplot.get_fignums())]
    drawn += [value for value in names.values() if isinstance(value, Figure)]
    assert drawn and all(figure.axes for figure in drawn)
    pyplot.close("all")
    assert capsys.readouterr().out


@pytest.mark.parametrize("path", METHODS, ids=lambda path: path.stem)
def test_a_method_has_an_equation_a_picture_and_its_parameters(path):
    text = path.read_text(encoding="utf-8")
    assert text.count("$$") % 2 == 0 and text.count("$$") >= 2
    assert re.findall(r"<!-- picture: (\w+) -->", text) == [path.stem]
    assert (DOCS / f"examples/methods/{path.stem}.py").is_file()
    named = re.findall(r"<!-- parameters: ([\w.]+) -->", text)
    for name in named:
        home, attribute = name.rsplit(".", 1)
        thing = getattr(importlib.import_module(home), attribute)
        assert "Parameters\n" in thing.__doc__, name
    assert named


PAGES = [ROOT / "README.md", *sorted(DOCS.glob("*.md")), *sorted(DOCS.glob("[!_a]*/*.md"))]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: str(path.relative_to(ROOT)))
def test_numbers_have_the_form_of_the_site(path):
    """A p value was .042 on one page and 0.042 on another, an interval in brackets or not."""
    assert not list(other_forms(text_of_markdown(path.read_text(encoding="utf-8"))))


@pytest.mark.parametrize(
    "text",
    [
        *("p = .027", "p<0.05", "p = 0.0271", "< .001", "95 % CI [1.2, 3.4]", "95 % CI 1.2–3.4"),
        *("95 % interval 1 to 2", "+1.2 points", "1.2 pp", "1,234 rows", "12345 rows"),
    ],
)
def test_other_forms_are_seen(text):
    assert list(other_forms(text))


def test_the_form_is_none_of_the_others():
    text = "p = 0.027, p < 0.001, 95 % CI 1.18 to 3.68, +3.9 percentage points, 9999 of 10,000 rows"
    assert not list(other_forms(text))


def listed() -> set[str]:
    """Names of the reference, with their modules."""
    names, module = set(), ""
    for line in (DOCS / "api.rst").read_text(encoding="utf-8").splitlines():
        if found := re.match(r"\.\. currentmodule:: (\S+)", line):
            module = found[1]
        elif found := re.fullmatch(r"   (\w+)", line):
            names.add(f"{module}.{found[1]}")
    return names


def test_the_reference_lists_every_public_name():
    wanted = {f"hedgerow.{name}" for name in hedgerow.__all__ if name != "__version__"}
    for room in ("confidence", "drawing", "exchange", "structure", "survival"):
        module = importlib.import_module(f"hedgerow.{room}")
        own = set(module.__all__) - set(hedgerow.__all__)
        wanted |= {f"{module.__name__}.{name}" for name in own}
    assert wanted <= listed()


@pytest.mark.parametrize("name", sorted(listed()))
def test_what_the_reference_lists_is_there_and_told(name):
    home, attribute = name.rsplit(".", 1)
    assert getattr(importlib.import_module(home), attribute).__doc__


def test_every_page_has_its_place():
    """In the contents of the built pages, as in the list of docs/README.md."""
    contents = (DOCS / "index.rst").read_text(encoding="utf-8")
    places = re.findall(r"^   (/?[\w*/]+)$", contents, re.MULTILINE)
    patterns = [place.lstrip("/") if place[0] == "/" else f"docs/{place}" for place in places]
    for page in DOCS.rglob("*.md"):
        name = page.relative_to(ROOT).with_suffix("").as_posix()
        if not name.startswith("docs/_build"):
            assert any(Path(name).match(pattern) for pattern in patterns), name


def test_the_build_has_no_address_of_another_site_to_load():
    """Settings, templates and styles: a page opens without a network."""
    for path in [*DOCS.glob("*.py"), *DOCS.glob("_static/*"), *DOCS.glob("_templates/**/*.*")]:
        assert not re.search(r"https?://[\w.]", path.read_text(encoding="utf-8")), path


@pytest.mark.slow
def test_built_pages_load_nothing_from_elsewhere_and_lead_somewhere():
    """`make docs` builds them without a warning (`.ci/run` calls it before the tests)."""
    built = DOCS / "_build/html"
    if not (built / "searchindex.js").is_file():
        pytest.skip("the pages are not built: call `make docs`")
    loaded = re.compile(r'<(?:script|link|img|iframe|source)\b[^>]*?(?:src|href)="([^"]+)"')
    for page in built.rglob("*.html"):
        text = page.read_text(encoding="utf-8")
        for target in loaded.findall(text):
            assert not re.match(r"(https?:)?//", target), f"{page.name} loads {target}"
        for target in re.findall(r'(?:href|src)="([^"#?]+)', text):
            if re.match(r"\w+:", target):
                continue
            there = page.parent / urllib.parse.unquote(target)
            assert there.exists(), f"{page.relative_to(built)}: {target}"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_violation_in_the_built_pages(scheme):
    """The theme has headings without a level, boxes that no key scrolls, links without words."""
    built = DOCS / "_build/html"
    if not (built / "searchindex.js").is_file():
        pytest.skip("the pages are not built: call `make docs`")
    if not axe.SCRIPT.is_file():
        pytest.skip(axe.ABSENT)
    sync_api = pytest.importorskip("playwright.sync_api", reason="`make checks` installs it")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser")
    if chromium is None:
        pytest.skip("chromium is not installed")
    names = ("README", "docs/index", "docs/methods/c45", "docs/notes/soft", "docs/gallery/index")
    names += ("docs/gallery/tutorial/tutorial", "docs/api", "search")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        page = browser.new_context(color_scheme=scheme).new_page()
        for name in names:
            page.goto((built / f"{name}.html").as_uri())
            assert axe.violations(page) == [], name
        browser.close()


def test_the_front_of_the_built_pages_is_the_readme():
    assert "url=README.html" in (DOCS / "_templates/redirect.html").read_text(encoding="utf-8")
