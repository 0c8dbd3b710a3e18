"""How `make docs` builds the pages: Sphinx, without a network.

The source folder is that of the project, so that links among Markdown pages work here as they do in
a checkout. Pages stay plain Markdown; two comments in them are filled by the build:

    <!-- picture: plt -->                      that of docs/examples/methods/plt.py
    <!-- parameters: hedgerow.C45Classifier -->  its docstring
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

import hedgerow

matplotlib.use("Agg")

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

project = "hedgerow"
author = "The hedgerow developers"
project_copyright = author  # no year: the pages depend on the sources alone
version = release = hedgerow.__version__

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx_gallery.gen_gallery",
    "filling",
]
root_doc = "docs/index"
include_patterns = [
    "CHANGELOG.md",
    "CODE_OF_CONDUCT.md",
    "CONTRIBUTING.md",
    "README.md",
    "SECURITY.md",
    "config/README.md",
    "data/published/README.md",
    "docs/**",
    "src/hedgerow_data/README.md",
]
exclude_patterns = ["docs/_build", "docs/_templates", "docs/examples", "docs/**/*.ipynb"]
# Sphinx looks from this folder, its autosummary from the source folder.
templates_path = [str(HERE / "_templates")]

# Markdown as GitHub shows it: formulas between dollars, anchors of headings.
myst_enable_extensions = ["dollarmath"]
myst_heading_anchors = 4

# Docstrings. scikit-learn documents its own members.
autodoc_typehints = "none"
autosummary_generate = True
numpydoc_show_class_members = False

sphinx_gallery_conf = {
    "examples_dirs": "docs/examples",
    "gallery_dirs": "docs/gallery",
    "filename_pattern": r"\.py$",
    "subsection_order": ["docs/examples/tutorial", "docs/examples/methods"],
    "within_subsection_order": "FileNameSortKey",
    "abort_on_example_error": True,
    "download_all_examples": False,
    "image_scrapers": "filling.save_figures",
    "min_reported_time": 1e9,  # times differ from build to build
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
}

html_theme = "furo"
html_title = "hedgerow"
html_static_path = ["_static"]
html_css_files = ["wide.css"]
#: The front page is the README; docs/index holds the lists of pages.
html_additional_pages = {"index": "redirect.html"}
html_copy_source = False
html_show_sphinx = False
html_math_renderer = "mathml"

linkcheck_ignore = [r"^(?!https?://)"]
linkcheck_timeout = 20
