"""Names that are HTML are shown as text: of a data set, its variables and its classes."""

from __future__ import annotations

import html
import shutil
import subprocess
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml
from throwaway import Project, new_project

from hedgerow.data import fetch, load_registry, read_fetched, tidy
from hedgerow.data.tidy import fingerprint

pytestmark = pytest.mark.runs

#: What each would do, were it no text: run, load, close what is around it, become another sign,
#: become a formula.
VARIABLES = {
    "age": "<script>document.title = 'a name ran'</script>",
    "year": '"><img src=x onerror="document.title = 2">',
    "nodes": "a<b> &amp; 'c' --> $x^2$ ]]>",
}
CLASSES = {
    "survived": "<i>alive</i> &lt;b&gt; $\\frac$",
    "died": "</text></svg><script>document.title = 'a class ran'</script>",
}
TITLE = '</title><script>document.title = "a title ran"</script> & "co"'

SETTINGS = """
experiments: [structure]
structure:
  datasets: [haberman]
  n_repeats: 2
  n_trees: 10
  n_iterations: 100
  value_pruning_interval: 50
  n_clusters: 2
  n_seeds: 1
  n_bootstrap: 2
"""


@pytest.fixture(scope="module")
def project(smoke_data, tmp_path_factory) -> Project:
    """A run on Haberman's data under other names."""
    folder = tmp_path_factory.mktemp("markup")
    project = new_project(folder / "project")
    registry = project.path / "config/datasets.yaml"
    content = yaml.safe_load(registry.read_text(encoding="utf-8"))
    entry = content["datasets"]["haberman"]
    entry["title"] = TITLE
    entry["variables"] = {VARIABLES[name]: values for name, values in entry["variables"].items()}
    entry["classes"] = {CLASSES[name]: count for name, count in entry["classes"].items()}
    for part in (entry, *entry["sources"]):
        labels = part.get("reader", {}).get("labels", {})
        labels.update({mark: CLASSES[name] for mark, name in labels.items()})

    def write():
        text = yaml.safe_dump(content, sort_keys=False, allow_unicode=True)
        registry.write_text(text, encoding="utf-8")
        return load_registry(registry)["haberman"]

    named = write()
    fetch(named, folder / "raw")
    entry["fingerprint"] = fingerprint(
        tidy(named, read_fetched(named, folder / "raw"), check=False)
    )
    write()
    done = project.forked("--cores", "2", *project.settings(SETTINGS))
    assert done.returncode == 0, done.stderr
    return project


class Page(HTMLParser):
    """Elements with their attributes, and the text outside of style."""

    def __init__(self, text: str):
        super().__init__(convert_charrefs=True)
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text += data


#: Pages that show names of variables and classes, and their title while nothing has set another.
PAGES = {
    "structure.html": "<title>The structure of trees · hedgerow (",
    "data/haberman.html": "<title>haberman · hedgerow (",
}


def page_of(project: Project, name: str) -> Path:
    return project.path / "reports/html" / name


def assert_shows_names(page: Page) -> None:
    tags = {tag for tag, _ in page.elements}
    assert "table" in tags and not tags & {"i", "svg", "text"}
    for tag, attributes in page.elements:
        assert not any(name.startswith("on") for name in attributes), attributes
        if tag == "img":
            assert attributes["src"].startswith("../figures/")
        if tag == "script":
            assert attributes["src"].startswith(("assets/", "../assets/"))
    shown = [name for name in VARIABLES.values() if name in page.text]
    assert shown, "no test of a tree is on the page"


@pytest.mark.parametrize("name", PAGES)
def test_no_element_of_the_page_comes_from_a_name(project, name):
    assert_shows_names(Page(page_of(project, name).read_text(encoding="utf-8")))


@pytest.mark.parametrize("name", PAGES)
def test_a_browser_runs_none_of_the_names(project, tmp_path, name):
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if browser is None:
        pytest.skip("chromium is not installed")
    options = (
        "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-sync "
        "--disable-background-networking --disable-component-update"
    )
    seen = subprocess.run(
        [
            browser,
            *options.split(),
            f"--user-data-dir={tmp_path}",
            "--dump-dom",
            page_of(project, name).as_uri(),
        ],
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert seen.returncode == 0, seen.stderr
    page = Page(seen.stdout)
    assert PAGES[name] in seen.stdout, "a script has set another title"
    assert_shows_names(page)


def test_figures_are_drawings_of_the_names(project):
    """An SVG that is opened for itself would run scripts; matplotlib notes texts in comments."""
    figures = sorted((project.path / "reports/figures").glob("*.svg"))
    assert figures
    found = ""
    for file in figures:
        text = file.read_text(encoding="utf-8")
        tags = {element.tag.rpartition("}")[2] for element in ET.fromstring(text).iter()}
        assert not tags & {"script", "img", "i", "b", "foreignObject"}, file.name
        found += html.unescape(text)
    assert "document.title" in found, "no name was drawn"


def test_the_list_of_data_sets_shows_the_title_as_it_is(project):
    done = project.python("-m", "hedgerow.cli", "data", "list", COLUMNS="300")
    assert done.returncode == 0, done.stderr
    assert TITLE[:40] in done.stdout
