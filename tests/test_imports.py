"""What an import loads: light things first, and nothing that a plain installation lacks."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from hedgerow import optional_imports
from hedgerow.errors import LibraryError

#: Libraries that take a tenth of a second or more, or that a plain installation does not bring.
HEAVY = {
    "jinja2",
    "jsonschema",
    "matplotlib",
    "pandas",
    "pooch",
    "pyarrow",
    "requests",
    "rich",
    "scipy",
    "sklearn",
    "snakemake",
    "statsmodels",
    "yaml",
}

#: Module -> what of the above it may load.
LIGHT = {
    "hedgerow": set(),
    "hedgerow.cli": set(),
    "hedgerow.data": set(),
    "hedgerow.evaluation": set(),
    "hedgerow_study.experiments.plan": set(),
    "hedgerow.showing.figures": set(),
    "hedgerow_study.reporting.html": set(),
    "hedgerow_study.workflow.jobs.frame": set(),
    "hedgerow_study.workflow.jobs.steps": set(),
    "hedgerow_study.workflow.planning.graph": set(),
    "hedgerow_study.workflow.settings.data_files": set(),
    # Jobs that read and write tables.
    "hedgerow_study.experiments.soft.claims": {"pandas", "pyarrow"},
    "hedgerow_study.experiments.soft.page": {"pandas", "pyarrow"},
    "hedgerow_study.experiments.soft.statistics": {"pandas", "pyarrow"},
    "hedgerow_study.experiments.soft.tables": {"pandas", "pyarrow"},
    "hedgerow_study.experiments.structure.page": {"pandas", "pyarrow"},
}

WITHOUT = (
    "import sys\n"
    "class Absent:\n"
    "    def find_spec(self, name, path=None, target=None):\n"
    f"        if name.partition('.')[0] in {sorted(optional_imports.EXTRAS)}:\n"
    "            raise ModuleNotFoundError(f'No module named {name!r}', name=name)\n"
    "sys.meta_path.insert(0, Absent())\n"
)


def run(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("module", LIGHT)
def test_an_import_loads_no_more_than_it_needs(module):
    loaded = run(f"import sys, {module}\nprint(*{{n.partition('.')[0] for n in sys.modules}})")
    assert HEAVY & set(loaded.split()) <= LIGHT[module]


def test_help_imports_no_command(tmp_path):
    """`hedgerow --help` took 2 s: the parser of every command was built, and the one of `gap`
    imports scikit-learn."""
    look = "import sys\nfrom hedgerow.cli import parse\n"
    end = "\nprint(*{n.partition('.')[0] for n in sys.modules}, *sys.modules)"
    loaded = set(
        run(f"{look}try:\n    parse(['--help'])\nexcept SystemExit:\n    pass{end}").split()
    )
    assert not loaded & {*HEAVY, "numpy", "hedgerow.data"}
    loaded = set(run(f"{look}parse(['data', 'list']){end}").split())
    assert (
        not loaded & HEAVY
        and "hedgerow_clinic" in loaded
        and "hedgerow_study.audit.verify" not in loaded
    )


def test_estimators_load_nothing_that_sklearn_tree_does_not():
    """scikit-learn takes pandas along where it is installed; we add no library to that."""
    look = "\nprint(*{n.partition('.')[0] for n in sys.modules})"
    ours = "import sys, hedgerow\nfor name in hedgerow.__all__: getattr(hedgerow, name)"
    theirs = set(run(f"import sys, sklearn.tree{look}").split())
    assert HEAVY & set(run(ours + look).split()) <= theirs


def test_estimators_work_where_only_numpy_scipy_and_scikit_learn_are_installed():
    code = """
import hedgerow, numpy as np
X = np.random.default_rng(0).normal(size=(60, 3))
y = (X[:, 0] > 0).astype(int)
for name in hedgerow.__all__:
    kind = getattr(hedgerow, name)
    if name.endswith("Classifier"):
        few = {k: 50 for k in ("n_iterations", "n_generations") if k in kind().get_params()}
        model = kind(**few).fit(X, y)
        assert model.score(X, y) > 0.6 and model.tree_.to_text() and model.tree_.to_json()
from hedgerow.errors import LibraryError
def said(ask):
    try:
        ask()
    except LibraryError as error:
        print(error)
from hedgerow.drawing import plot_forest, plot_tree
from hedgerow.structure import TreeEditDistance
said(model.tree_.to_frame)
said(lambda: hedgerow.UCTTreeClassifier(n_iterations=50).fit(X, y).search_tree_)
said(model.tree_.plot)
said(lambda: plot_forest([model.tree_], X, y))
said(lambda: TreeEditDistance().fit(X, y))
said(lambda: model.tree_.annotate(X, y))
said(lambda: hedgerow.EvolutionaryTreeClassifier(n_generations=2).fit(X, y).history_)
from hedgerow.cli import main
assert main(["data", "list"]) == 1
"""
    lines = run(WITHOUT + code).splitlines()
    assert len(lines) == 7
    assert all("which is not installed; `pip install '.[" in line for line in lines)


def test_a_library_that_is_missing_is_told_in_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "pooch", None)
    with pytest.raises(LibraryError) as error:
        optional_imports.import_optional("pooch", "a download")
    assert str(error.value) == (
        "a download needs pooch, which is not installed; `pip install '.[data]'` in a checkout of "
        "hedgerow brings it"
    )
    assert isinstance(error.value, ImportError)
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        optional_imports.import_optional("no_such_module", "nothing")


def test_every_extra_that_is_named_brings_the_library():
    """`optional_imports.EXTRAS` and pyproject.toml say the same."""
    root = Path(__file__).parents[1]
    projects = {
        place: tomllib.loads((root / place / "pyproject.toml").read_text(encoding="utf-8"))[
            "project"
        ]
        for place in (".", "./src/hedgerow_study", "./src/hedgerow_clinic")
    }
    project = projects["."]
    names = {
        "docx": "python-docx",
        "yaml": "pyyaml",
        "sksurv": "scikit-survival",
        "scikit_posthocs": "scikit-posthocs",
    }

    def brought(place: str, extra: str | None) -> set[str]:
        found, own = set(), projects[place]
        for line in own["optional-dependencies"][extra] if extra else own["dependencies"]:
            name, inner = re.match(r"([\w-]+)(?:\[([\w,]+)\])?", line).groups()
            inner = inner.split(",") if name == "hedgerow" else []
            found |= set().union({name} - {"hedgerow"}, *(brought(".", one) for one in inner))
        return found

    for library, asked in optional_imports.EXTRAS.items():
        place, _, extra = asked.rstrip("]").partition("[")
        assert names.get(library, library) in brought(place, extra), library
    core = {re.match(r"[\w-]+", line)[0] for line in project["dependencies"]}
    assert core == {"numpy", "scipy", "scikit-learn"}
