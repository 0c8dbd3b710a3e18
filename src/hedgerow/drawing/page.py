"""The drawing of a tree as a text: SVG for files and pages, HTML for notebooks."""

from __future__ import annotations

import base64
import io
from html import escape

from hedgerow.drawing.tree import plot_tree
from hedgerow.errors import LibraryError
from hedgerow.optional_imports import import_optional
from hedgerow.tree.export import feature_name, rename_tree

MOST_LINES = 400  # of the rules beside a drawing: what is longer is no longer read

#: Letters are outlines: they are as wide as they were measured, on machines without the font too.
#: Their text is in <desc>, for search and screen readers. Names of parts follow from the content,
#: not from a random number.
_SETTINGS = {"svg.fonttype": "path", "svg.hashsalt": "hedgerow"}


def tree_to_svg(tree, **options) -> str:
    """The drawing of a tree as one text in SVG, the same at each call.

    Parameters
    ----------
    tree : Tree
    **options
        Those of `plot_tree`, but for `ax`.

    Returns
    -------
    str
        It begins with ``<svg``, so that it can be a file (UTF-8) or part of a page. Letters are
        outlines; `<title>` and `<desc>`, which holds the rules, are for screen readers.

    Raises
    ------
    InputError
        As `plot_tree`.
    LibraryError
        matplotlib is not installed (extra `draw`).

    Examples
    --------
    >>> from hedgerow import C45Classifier
    >>> tree = C45Classifier().fit([[1.0], [2.0], [3.0], [4.0]], ["a", "a", "b", "b"]).tree_
    >>> tree_to_svg(tree)[:4]
    '<svg'
    """
    matplotlib = import_optional("matplotlib", "a drawing of a tree")
    figure = import_optional("matplotlib.figure", "a drawing of a tree").Figure()
    out = io.StringIO()
    with matplotlib.rc_context(_SETTINGS):
        plot_tree(tree, ax=figure, **options)
        # Without metadata of its own matplotlib would write a date and its version.
        metadata = dict.fromkeys(("Date", "Creator", "Format", "Type"))
        figure.savefig(out, format="svg", metadata=metadata)
    words = {name: options.get(name) for name in ("class_names", "feature_names")}
    rules = _rules(tree, **words, units=options.get("units"))
    title = f"<title>{escape(_title(rename_tree(tree, **words)))}</title>"
    drawn = out.getvalue()
    drawn = drawn[drawn.index("<svg") :]
    opening, rest = drawn.split(">", 1)
    return f'{opening} role="img">\n {title}\n <desc>{escape(rules)}</desc>{rest}'


def tree_to_html(tree) -> str:
    """The drawing of a tree for a notebook, with its rules to unfold; those alone without pictures.

    Parameters
    ----------
    tree : Tree

    Returns
    -------
    str
        The picture takes at most the width of the page. Where matplotlib is not installed, the
        rules as `Tree.to_text` has them.
    """
    rules = f"<pre>{escape(_rules(tree))}</pre>"
    try:
        svg = tree_to_svg(tree)
    except LibraryError:
        return rules
    # As an image: names of parts of one drawing cannot meet those of another on the page, and no
    # name of a variable is read as a part of the page.
    data = base64.b64encode(svg.encode("utf-8", "replace")).decode("ascii")
    return (
        f'<img src="data:image/svg+xml;base64,{data}" alt="{escape(_title(tree))}" '
        'style="max-width: 100%; height: auto; background: white">'
        f"<details><summary>Rules</summary>{rules}</details>"
    )


def _title(tree) -> str:
    """What a drawing is of, in one sentence."""
    tested = dict.fromkeys(int(j) for j in tree.feature if j >= 0)
    names = [feature_name(tree, j) for j in tested]
    leaves = f"{tree.n_leaves} {'leaf' if tree.n_leaves == 1 else 'leaves'}"
    if not names:
        return f"Decision tree of {leaves}"
    shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
    return f"Decision tree of {leaves}, which tests {shown}"


def _rules(tree, **words) -> str:
    lines = tree.to_text(**words).splitlines()
    more = len(lines) - MOST_LINES
    if more > 0:
        lines = [*lines[:MOST_LINES], f"and {more} lines more"]
    return "\n".join(lines) + "\n"
