"""What the pages need beside Sphinx's extensions: formulas, pictures, parameters.

Formulas are MathML, so that no page loads a script for them.
"""

from __future__ import annotations

import re
from pathlib import Path

from docutils.nodes import SkipNode
from latex2mathml.converter import convert
from pygments.lexers import PythonLexer
from sphinx_gallery.scrapers import figure_rst

EXAMPLES = Path(__file__).parent / "examples/methods"


def write_formula(translator, node, display: str) -> None:
    """Write a formula as MathML, which browsers show by themselves."""
    formula = convert(node.astext(), display=display)
    translator.body.append(formula if display == "inline" else f'<div class="math">{formula}</div>')
    raise SkipNode


def inline(translator, node) -> None:
    write_formula(translator, node, "inline")


def block(translator, node) -> None:
    write_formula(translator, node, "block")


def paragraph(example: Path) -> str:
    """What the picture of an example shows, its first paragraph."""
    text = example.read_text(encoding="utf-8")
    first = re.search(r"^=+\n\n(.+?)\n(?:\n|\"{3})", text, re.MULTILINE | re.DOTALL)[1]
    return " ".join(first.split())


def save_figures(block, variables: dict, gallery: dict) -> str:
    """Save the figures of a part of an example, also those that pyplot does not know."""
    import matplotlib.pyplot as plt
    from matplotlib.figure import Figure

    own = variables["example_globals"]
    known = own.setdefault("__saved__", [])
    figures = [plt.figure(number) for number in plt.get_fignums()]
    figures += [value for value in own.values() if isinstance(value, Figure)]
    paths = []
    for figure in dict.fromkeys(figures):
        if figure not in known:
            known.append(figure)
            paths.append(next(variables["image_path_iterator"]))
            figure.savefig(paths[-1], dpi=160)
    plt.close("all")
    return figure_rst(paths, gallery["src_dir"], paragraph(Path(variables["src_file"])))


def picture(match: re.Match) -> str:
    """The picture of an example, which leads to the example."""
    name = match[1]
    said = paragraph(EXAMPLES / f"{name}.py")
    return (
        f"```{{figure}} /docs/gallery/methods/images/sphx_glr_{name}_001.png\n"
        f":alt: {said}\n:width: 100%\n\n"
        f"{said} [How it is made](/docs/gallery/methods/{name}.rst)\n```"
    )


def parameters(match: re.Match) -> str:
    """The docstring of a class or function."""
    home, name = match[1].rsplit(".", 1)
    kind = "class" if name[0].isupper() else "function"
    return f"```{{eval-rst}}\n.. auto{kind}:: {home}.{name}\n   :no-index:\n```"


def fill(app, page: str, source: list[str]) -> None:
    """Put what the comments of a page ask for in their place."""
    text = re.sub(r"<!-- picture: (\w+) -->", picture, source[0])
    source[0] = re.sub(r"<!-- parameters: ([\w.]+) -->", parameters, text)


def is_left_out(app, what, name, member, skip, options) -> bool | None:
    """Another library documents the methods that come from it."""
    home = getattr(member, "__module__", None) or getattr(
        getattr(member, "fget", None), "__module__", None
    )
    return True if skip or (home and not home.startswith("hedgerow")) else None


def keep_bars(app, what, name, member, options, lines: list[str]) -> None:
    """Show |x| of a docstring as it stands: reStructuredText takes it for a substitution."""
    lines[:] = [re.sub(r"\|(\w+)\|", r"\\|\1\\|", line) for line in lines]


#: What the theme writes -> the same with what readers of screens and keys need (axe's rules).
READABLE = (
    (r'<p class="caption" role="heading">', r'<p class="caption" role="heading" aria-level="2">'),
    (r'<aside class="sidebar-drawer">', r'<aside class="sidebar-drawer" aria-label="Pages">'),
    (
        r'<aside class="toc-drawer( no-toc)?">',
        r'<aside class="toc-drawer\1" aria-label="This page">',
    ),
    (r"<pre>", r'<pre tabindex="0">'),
    (r'<div class="math">', r'<div class="math" tabindex="0">'),
    (r'<div class="table-wrapper([^"]*)">', r'<div class="table-wrapper\1" tabindex="0">'),
    (r'<th class="head"><p></p></th>', r"<td></td>"),
    (r'<div id="search-results">', r'<h1>Search</h1>\n<div id="search-results">'),
    (
        r'<a class="reference internal" href="([^"]*)"><span class="doc">([^<"]*)</span></a>'
        r"(?=</p>\s*<div class=\"sphx-glr-thumbnail-title)",
        r'<a class="reference internal" aria-label="\2" href="\1"><span class="doc">\2</span></a>',
    ),
)


def make_readable(app, error) -> None:
    """Mend the pages that the theme made, once all are there."""
    if error is not None or app.builder.name != "html":
        return
    for page in Path(app.outdir).rglob("*.html"):
        text = made = page.read_text(encoding="utf-8")
        for pattern, better in READABLE:
            made = re.sub(pattern, better, made)
        if made != text:
            page.write_text(made, encoding="utf-8")


def setup(app) -> None:
    """Add what is our own."""
    app.connect("build-finished", make_readable)
    app.add_html_math_renderer("mathml", (inline, None), (block, None))
    app.add_lexer("snakemake", PythonLexer)
    app.connect("source-read", fill)
    app.connect("autodoc-process-docstring", keep_bars, priority=400)  # before numpydoc
    app.connect("autodoc-skip-member", is_left_out)
