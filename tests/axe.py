"""axe-core in a page of a browser: which rules of accessibility it breaks."""

from __future__ import annotations

from pathlib import Path

SCRIPT = Path(__file__).parent / "browser/node_modules/axe-core/axe.min.js"
ABSENT = "axe-core is not installed: npm ci --prefix tests/browser"
#: Each element that keeps a rule would be described and sent as well, most of the time of a check.
_RUN = """([where, preload]) =>
  axe.run(where || document, {preload, resultTypes: ["violations"]})
  .then(found => [
    found.passes.length,
    found.violations.map(rule => [rule.id, rule.nodes[0].html.slice(0, 120)]),
  ])"""


def violations(
    page, where: str | None = None, *, preload: bool = True, least: int = 1
) -> list[list[str]]:
    """Rules that a page breaks, each with the first element that does.

    Parameters
    ----------
    page : playwright.sync_api.Page
    where : str, optional
        Selector of the part that is looked at.
    preload : bool, optional
        Whether style sheets are asked for, which a page that is opened from disk refuses.
    least : int, optional
        How many rules have to be kept: fewer, and the page was not looked at.
    """
    page.evaluate(SCRIPT.read_text(encoding="utf-8"))
    kept, broken = page.evaluate(_RUN, [where, preload])
    assert kept >= least, page.url
    return broken
