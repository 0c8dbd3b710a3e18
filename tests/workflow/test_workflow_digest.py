"""An edit of the package reruns what depends on it, and nothing else."""

from __future__ import annotations

import ast
import re
import shutil
from pathlib import Path

import pytest
import yaml
from throwaway import ROOT, SMOKE, TARGETS, copied_package

from hedgerow._stamp import COMPILED, core_digest
from hedgerow.workflow.config import load_yaml
from hedgerow.workflow.digest import (
    PACKAGE,
    _bound_names,
    digest_of,
    entry_digests,
    reachable_source,
)

MODULE = '''
"""A module."""
from math import sqrt, pi

LIMIT = 3

def used(x):
    return sqrt(x) + LIMIT

def asked(x):
    """Doc."""
    return used(x)  # a comment

def other(x):
    return pi * x
'''

REPORTED = {"report", "manifest"}
SECTION = {"soft_section", *REPORTED}
SECTIONS = {
    "search_beyond_section",
    "search_section",
    "soft_beyond_section",
    "soft_illustration_section",
    "soft_sweep_section",
    "soft_scores_section",
    "structure_beyond_section",
    "structure_section",
    *SECTION,
}
FIGURES = {
    "search_beyond_figures",
    "search_beyond_running_times",  # it draws curves as well
    "search_figures",
    "soft_beyond_figures",
    "soft_figures",
    "soft_illustration_figures",
    "soft_sweep_figures",
    "soft_scores_figures",
    "structure_beyond_figures",
    "structure_figures",
    *SECTIONS,
}
ILLUSTRATED = {"soft_illustration_figures", "soft_illustration_section"}
ILLUSTRATION = {"soft_illustration_results", "soft_illustration_tables", *ILLUSTRATED}
SWEEP = {"soft_sweep_evaluate", "soft_sweep_tables", "soft_sweep_figures", "soft_sweep_section"}
GROWN_SWEEP = {"soft_sweep_grow", *SWEEP}
SCORES = {"soft_scores_tables", "soft_scores_figures", "soft_scores_section"}
BEYOND_REPORTED = {"soft_beyond_tables", "soft_beyond_figures", "soft_beyond_section"}
BEYOND_TESTED = {"soft_beyond_statistics", *BEYOND_REPORTED}
BEYOND = {"soft_beyond_numeric", "soft_beyond_categories", *BEYOND_TESTED}
SEARCH_REPORTED = {"search_tables", "search_figures", "search_section"}
AFTER_SEARCH = {"search_merge", "search_running_times", "search_statistics", *SEARCH_REPORTED}
SEARCH = {"search_run", *AFTER_SEARCH}
SEARCH_BEYOND_REPORTED = {
    "search_beyond_tables",
    "search_beyond_figures",
    "search_beyond_running_times",
    "search_beyond_section",
}
SEARCH_BEYOND_TESTED = {"search_beyond_statistics", *SEARCH_BEYOND_REPORTED}
SEARCH_BEYOND_TUNED = {"search_beyond_selection", "search_beyond_anytime", *SEARCH_BEYOND_TESTED}
SEARCH_BEYOND = {"search_beyond_optimum", *SEARCH_BEYOND_TUNED}
STRUCTURE_REPORTED = {"structure_tables", "structure_figures", "structure_section"}
STRUCTURE_CLUSTERED = {"structure_cluster", "structure_statistics", *STRUCTURE_REPORTED}
STRUCTURE_COMPARED = {"structure_compare", *STRUCTURE_CLUSTERED}
STRUCTURE = {"structure_learn", *STRUCTURE_COMPARED}
STRUCTURE_BEYOND_REPORTED = {
    "structure_beyond_tables",
    "structure_beyond_figures",
    "structure_beyond_section",
}
STRUCTURE_BEYOND_TESTED = {"structure_beyond_statistics", *STRUCTURE_BEYOND_REPORTED}
STRUCTURE_BEYOND_RUN = {"structure_beyond_run", *STRUCTURE_BEYOND_TESTED}
STRUCTURE_BEYOND = {"structure_beyond_forest", *STRUCTURE_BEYOND_RUN}
AFTER_TESTS = {"soft_statistics", "soft_tables", *SECTION}
AFTER_ROWS = {"soft_figures", "soft_scores_statistics", *AFTER_TESTS, *SCORES}
AFTER_LEARNING = {"soft_merge", "soft_running_times", "soft_prune", "soft_evaluate", *AFTER_ROWS}
AFTER_TIDY = {"soft_noise", "soft_calibrate", "soft_learn", *AFTER_LEARNING}
AFTER_CALIBRATION = AFTER_TIDY - {"soft_noise"}
LEARNERS = AFTER_CALIBRATION | GROWN_SWEEP | ILLUSTRATION | BEYOND | SEARCH | SEARCH_BEYOND
LEARNERS |= STRUCTURE | STRUCTURE_BEYOND


def test_a_function_brings_what_it_reaches_and_no_more():
    source = reachable_source(MODULE, "asked")
    assert "def used" in source and "LIMIT = 3" in source and "import sqrt" in source
    assert "def other" not in source and "A module" not in source


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("LIMIT = 3", "LIMIT = 4", True),
        ("sqrt(x)", "sqrt(x + 1)", True),
        ("# a comment", "# another", False),
        ("pi * x", "x", False),
        ('"""A module."""', "print('at import')", True),
    ],
)
def test_digest_of_a_function(tmp_path, old, new, changes):
    (tmp_path / "module.py").write_text(MODULE)
    before = digest_of("module:asked", package=tmp_path)
    (tmp_path / "module.py").write_text(MODULE.replace(old, new))
    assert (digest_of("module:asked", package=tmp_path) != before) is changes


def test_digest_of_a_room_sees_every_kind_of_source(tmp_path):
    room = tmp_path / "room"
    room.mkdir()
    (room / "__init__.py").write_text("")
    seen = {digest_of("room", package=tmp_path)}
    for name in ("a.py", "b.pyx", "b.pxd", "c.h"):
        (room / name).write_text("x")
        seen.add(digest_of("room", package=tmp_path))
    assert len(seen) == 5
    (room / "notes.txt").write_text("x")
    assert digest_of("room", package=tmp_path) in seen


def test_digest_depends_on_content_alone(tmp_path):
    copy = tmp_path / "elsewhere"
    shutil.copytree(PACKAGE, copy, ignore=shutil.ignore_patterns("__pycache__"))
    parts = ("tree", "data.seeds", "experiments.soft:learn")
    assert digest_of(*parts) == digest_of(*reversed(parts), package=copy)


@pytest.mark.parametrize("part", ["nowhere", "tree.nothing", "nowhere:function"])
def test_no_source_is_an_error(part):
    """A digest of nothing would never change."""
    with pytest.raises(FileNotFoundError, match="no source"):
        digest_of(part)


def test_an_unknown_function_is_an_error():
    with pytest.raises(LookupError, match="no_such_function"):
        digest_of("experiments.soft:no_such_function")


def test_digest_of_an_entry_leaves_out_what_only_describes(tmp_path):
    from hedgerow.data import load_registry

    content = load_yaml(ROOT / "config/datasets.yaml")
    before = entry_digests(load_registry(ROOT / "config/datasets.yaml"))
    assert len(set(before.values())) == len(before)
    changed = tmp_path / "datasets.yaml"
    content["datasets"]["wine"] |= {"citation": "another", "note": "another", "title": "another"}
    changed.write_text(yaml.safe_dump(content, sort_keys=False))
    assert entry_digests(load_registry(changed)) == before
    content["datasets"]["wine"]["fingerprint"] = "0" * 64
    changed.write_text(yaml.safe_dump(content, sort_keys=False))
    after = entry_digests(load_registry(changed))
    assert [key for key in before if after[key] != before[key]] == ["wine"]


# ------------------------------------------------------- what the rules declare is what they use


# What these make of the registry's text is in `params.entry`, value by value.
BY_ENTRY = {"data.registry", "data.synthetic"}


def declared_code() -> dict[str, tuple[set[str], Path]]:
    """Parts in `digest_of` and script of every rule that has both."""
    rules = {}
    for file in sorted((ROOT / "workflow/rules").glob("*.smk")):
        for text in re.split(r"^rule ", file.read_text(), flags=re.MULTILINE)[1:]:
            name = text.partition(":")[0]
            code = re.search(r"code=digest_of\((.*?)\)", text, flags=re.DOTALL)
            script = re.search(r'"(\.\./scripts/\w+\.py)"', text)
            if code and script:
                parts = set(re.findall(r'"([^"]+)"', code.group(1)))
                rules[name] = parts, (file.parent / script.group(1)).resolve()
    return rules


def used_code(source: str, package: Path = PACKAGE) -> set[tuple[str, str]]:
    """Pairs (module, name) of the package that a source imports and uses."""
    tree = ast.parse(source)
    names = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name)}
    attributes = {
        (n.value.id, n.attr)
        for n in ast.walk(tree)
        if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)
    }
    found = set()
    for node in ast.walk(tree):
        if not (isinstance(node, ast.ImportFrom) and node.module):
            continue
        if node.module.split(".")[0] != "hedgerow":
            continue
        for alias in node.names:
            bound = alias.asname or alias.name
            if bound not in names:
                continue
            module = node.module.removeprefix("hedgerow").lstrip(".")
            whole = f"{module}.{alias.name}".lstrip(".")
            if package.joinpath(*whole.split(".")).with_suffix(".py").is_file():
                found |= {(whole, attr) for owner, attr in attributes if owner == bound}
            else:
                found.add(defined_in(module, alias.name, package))
    return {pair for pair in found if pair[0] != "errors" and not pair[0].startswith("workflow")}


def defined_in(module: str, name: str, package: Path) -> tuple[str, str]:
    """Where a name that a room exports is defined."""
    room = package.joinpath(*module.split("."), "__init__.py")
    nodes = ast.walk(ast.parse(room.read_text())) if room.is_file() else ()
    for node in nodes:
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return defined_in(node.module.removeprefix("hedgerow."), alias.name, package)
    return module, name


def covers(parts: set[str], module: str, name: str) -> bool:
    """Whether parts of a digest hold a name of a module."""
    if module in BY_ENTRY:
        return True
    ancestors = {".".join(module.split(".")[: i + 1]) for i in range(module.count(".") + 1)}
    if parts & ancestors:
        return True
    functions = [part.partition(":")[2] for part in parts if part.startswith(f"{module}:")]
    if not functions:
        return False
    text = (PACKAGE / Path(*module.split("."))).with_suffix(".py").read_text()
    return any(name in bound_in(reachable_source(text, f, module)) for f in functions)


def bound_in(source: str) -> set[str]:
    """Names bound at the top level of a source."""
    return {name for statement in ast.parse(source).body for name in _bound_names(statement)}


def test_every_rule_with_a_script_declares_its_code():
    declared = declared_code()
    scripts = {script.name for _, script in declared.values()}
    made = {file.name for file in (ROOT / "workflow/scripts").glob("*.py")}
    # Merging only joins files; what it does stands in its script, which Snakemake watches.
    assert made - scripts == {"soft_merge.py"}


@pytest.mark.parametrize("rule", sorted(declared_code()))
def test_no_job_runs_code_that_its_digest_leaves_out(rule):
    """Follow the imports of the script; every name of the package on the way must be declared.

    Compiled modules are declared as whole rooms, so the way ends there.
    """
    parts, script = declared_code()[rule]
    pending = used_code(script.read_text())
    seen = set()
    missing = set()
    while pending:
        module, name = pending.pop()
        if (module, name) in seen:
            continue
        seen.add((module, name))
        if not covers(parts, module, name):
            missing.add(f"{module}:{name}")
        place = PACKAGE.joinpath(*module.split("."))
        file = place.with_suffix(".py") if place.with_suffix(".py").is_file() else place
        if file.suffix == ".py":
            try:
                pending |= used_code(reachable_source(file.read_text(), name, module))
            except LookupError:
                pending |= used_code(file.read_text())
    assert not missing


# ------------------------------------------------------------------ edits in a copy of the package


@pytest.fixture(scope="module")
def copy(tmp_path_factory, smoke):
    """A copy of the package that the workflow imports, and the variables that make it do so."""
    folder = tmp_path_factory.mktemp("package")
    environment = copied_package(folder)
    assert smoke.planned(*SMOKE, **environment) == {}, "a copy alone reruns nothing"
    return folder / "hedgerow", environment


@pytest.fixture(scope="module")
def below(smoke) -> dict[str, set[str]]:
    """Every rule, and those that read what it makes, in the graph that Snakemake draws."""
    drawn = smoke.snakemake("--rulegraph", *SMOKE)
    assert drawn.returncode == 0, drawn.stderr
    names = dict(re.findall(r'^\s*(\d+)\[label = "(\w+)"', drawn.stdout, re.MULTILINE))
    assert declared_code().keys() <= set(names.values())
    found = {name: set() for name in names.values()}
    for one, two in re.findall(r"^\s*(\d+) -> (\d+)", drawn.stdout, re.MULTILINE):
        found[names[one]].add(names[two])
    return {name: readers - TARGETS for name, readers in found.items() if name not in TARGETS}


def digests(package: Path) -> dict[str, str]:
    """Digest of the code of every rule."""
    return {rule: digest_of(*code, package=package) for rule, (code, _) in declared_code().items()}


def rerun_by(changed: set[str], below: dict[str, set[str]]) -> set[str]:
    """Rules that run again when some do: these and all that follow."""
    found, pending = set(), set(changed)
    while pending:
        rule = pending.pop()
        found.add(rule)
        pending |= below[rule] - found
    return found


# Part of the entries of synthetic sets only, so that no digest of a rule changes.
OF_ENTRIES = "data/synthetic.py"
# Planned by Snakemake as well, which takes seconds each.
PLANNED = {
    OF_ENTRIES,
    "induction/_growth.pyx",
    "experiments/search_optimum.py",
    "reporting/figures.py",
    "errors.py",
}


@pytest.mark.parametrize(
    ("file", "old", "new", "rerun"),
    [
        ("tree/tree.py", None, "# edited", LEARNERS),
        ("induction/_growth.pyx", None, "# edited", LEARNERS),
        (
            "search/__init__.py",
            None,
            "# edited",
            SEARCH | SEARCH_BEYOND | STRUCTURE | STRUCTURE_BEYOND_RUN | REPORTED,
        ),
        (
            "structure/__init__.py",
            None,
            "# edited",
            STRUCTURE_COMPARED | STRUCTURE_BEYOND_RUN | REPORTED,
        ),
        (
            "experiments/structure.py",
            "100.0 * metrics.macro_f1(table.y[test]",
            "99.0 * metrics.macro_f1(table.y[test]",
            STRUCTURE | STRUCTURE_BEYOND_RUN | REPORTED,
        ),
        (
            "experiments/structure.py",
            'ranked.groupby("criterion").head(1)',
            'ranked.groupby("criterion").tail(1)',
            STRUCTURE_COMPARED | REPORTED,
        ),
        (
            "reporting/structure_claims.py",
            None,
            "# edited",
            {"structure_tables", "structure_section", *REPORTED},
        ),
        (
            "reporting/structure_section.html.j2",
            None,
            "<!-- edited -->",
            {"structure_section", *REPORTED},
        ),
        (
            "experiments/structure_beyond.py",
            "100.0 * right.mean(axis=1)",
            "99.0 * right.mean(axis=1)",
            STRUCTURE_BEYOND_RUN | REPORTED,
        ),
        (
            "experiments/structure_beyond.py",
            'SCORED = ("f1", "accuracy")',
            'SCORED = ("f1",)',
            STRUCTURE_BEYOND_TESTED | REPORTED,
        ),
        (
            "experiments/structure_beyond.py",
            '"random_forest", "c45"',
            '"forest", "c45"',
            {"structure_beyond_forest", "structure_beyond_figures", "structure_beyond_section"}
            | REPORTED,
        ),
        (
            "reporting/structure_beyond.py",
            '"Gain in F1 (points)"',
            '"Gain (points)"',
            {"structure_beyond_figures", "structure_beyond_section", *REPORTED},
        ),
        (
            "reporting/structure_beyond_section.html.j2",
            None,
            "<!-- edited -->",
            {"structure_beyond_section", *REPORTED},
        ),
        (
            "experiments/search.py",
            "100.0 * metrics.macro_f1(part.y_test",
            "99.0 * metrics.macro_f1(part.y_test",
            SEARCH | REPORTED,
        ),
        (
            "experiments/search_optimum.py",
            "TIME_LIMIT = 60.0",
            "TIME_LIMIT = 61.0",
            {"search_beyond_optimum", *SEARCH_BEYOND_TESTED, *REPORTED},
        ),
        (
            "experiments/search_beyond.py",
            "100.0 * metrics.macro_f1(part.table.y[kept]",
            "99.0 * metrics.macro_f1(part.table.y[kept]",
            SEARCH_BEYOND_TUNED | REPORTED,
        ),
        (
            "reporting/search_beyond.py",
            '"Test F1 (%)"',
            '"F1 (%)"',
            (SEARCH_BEYOND_REPORTED | REPORTED) - {"search_beyond_tables"},
        ),
        (
            "reporting/search_beyond_section.html.j2",
            None,
            "<!-- edited -->",
            {"search_beyond_section", *REPORTED},
        ),
        (
            "experiments/search_properties.py",
            None,
            "# edited",
            {"search_properties", "search_tables", "search_section", *REPORTED},
        ),
        (
            "reporting/search.py",
            '"Tests of the deepest state"',
            '"Tests"',
            SEARCH_REPORTED | REPORTED,
        ),
        (
            "reporting/search_claims.py",
            None,
            "# edited",
            {"search_tables", "search_section", *REPORTED},
        ),
        (
            "reporting/search_section.html.j2",
            None,
            "<!-- edited -->",
            {"search_section", *REPORTED},
        ),
        ("uncertainty/noise.py", None, "# edited", BEYOND | ILLUSTRATION | REPORTED),
        ("uncertainty/categories.py", None, "# edited", BEYOND | ILLUSTRATION | REPORTED),
        (
            "uncertainty/soft.py",
            None,
            "# edited",
            ILLUSTRATION | STRUCTURE_BEYOND_RUN | REPORTED,
        ),
        (
            "evaluation/tuning.py",
            None,
            "# edited",
            {"soft_learn", *AFTER_LEARNING, *BEYOND, *SEARCH, *SEARCH_BEYOND_TUNED},
        ),
        ("evaluation/calibration.py", None, "# edited", AFTER_CALIBRATION | BEYOND),
        (
            "evaluation/significance.py",
            None,
            "# edited",
            AFTER_ROWS - {"soft_figures"}
            | BEYOND_TESTED
            | {"search_statistics", "search_tables", "search_section"}
            | SEARCH_BEYOND_TESTED
            | STRUCTURE_BEYOND_TESTED,
        ),
        (
            "data/noise.py",
            None,
            "# edited",
            AFTER_TIDY - {"soft_calibrate"} | GROWN_SWEEP | ILLUSTRATION | BEYOND,
        ),
        (
            "data/readers.py",
            None,
            "# edited",
            {
                "tidy",
                *AFTER_TIDY,
                *GROWN_SWEEP,
                *ILLUSTRATION,
                *BEYOND,
                *SEARCH,
                *SEARCH_BEYOND,
                *STRUCTURE,
                *STRUCTURE_BEYOND,
                "search_properties",
            },
        ),
        (
            "data/synthetic.py",
            None,
            "# edited",
            {
                "fetch",
                "tidy",
                *ILLUSTRATION,
                *SEARCH,
                *SEARCH_BEYOND_TUNED,
                "search_properties",
                *REPORTED,
            },
        ),
        ("reporting/figures.py", None, "# edited", FIGURES),
        ("reporting/macros.html.j2", None, "<!-- edited -->", SECTIONS),
        ("reporting/soft_section.html.j2", None, "<!-- edited -->", SECTION),
        (
            "reporting/soft_illustration.html.j2",
            None,
            "<!-- edited -->",
            {"soft_illustration_section", *REPORTED},
        ),
        (
            "reporting/soft_illustration.py",
            'axes.set_xlabel("Candidate threshold")',
            'axes.set_xlabel("Threshold")',
            ILLUSTRATED | REPORTED,
        ),
        (
            "reporting/soft_sweep_section.summary.html.j2",
            None,
            "<!-- edited -->",
            {"soft_sweep_section", *REPORTED},
        ),
        (
            "reporting/soft_sweep.py",
            "LOW_SETS, HIGH_SETS = 4,",
            "LOW_SETS, HIGH_SETS = 5,",
            {"soft_sweep_section", *REPORTED},
        ),
        (
            "experiments/soft_sweep.py",
            "accuracy(y, tree.predict_proba(X))",
            "accuracy(y, tree.predict_proba(1 * X))",
            SWEEP | REPORTED,
        ),
        (
            "experiments/soft_beyond.py",
            'TESTED = ("accuracy", "brier", "n_leaves")',
            'TESTED = ("accuracy", "n_leaves")',
            BEYOND_TESTED | REPORTED,
        ),
        (
            "reporting/soft_beyond.py",
            '"Probability of replacement"',
            '"Probability"',
            {"soft_beyond_figures", "soft_beyond_section", *REPORTED},
        ),
        (
            "reporting/soft_beyond_section.html.j2",
            None,
            "<!-- edited -->",
            {"soft_beyond_section", *REPORTED},
        ),
        (
            "experiments/soft_scores.py",
            None,
            "# edited",
            {"soft_scores_statistics", *SCORES, *REPORTED},
        ),
        ("reporting/report.html.j2", None, "<!-- edited -->", REPORTED),
        ("reporting/manifest.py", None, "# edited", {"manifest"}),
        (
            "experiments/soft.py",
            'for metric in ("n_leaves", "accuracy"):',
            'for metric in ("accuracy", "n_leaves"):',
            AFTER_TESTS,
        ),
        ("errors.py", None, "# edited", set()),
    ],
)
def test_an_edit_reruns_what_depends_on_it(smoke, copy, below, file, old, new, rerun):
    """What follows from digests and graph, and for some files what Snakemake plans.

    Planned in a project where everything has run, with an edited copy of the package. A compiled
    source that was edited and not built is refused.
    """
    package, environment = copy
    path = package / file
    text = path.read_text()
    edited = f"{text}\n{new}\n" if old is None else text.replace(old, new)
    assert edited != text
    stamp = package / "_core_digest.py"
    stamped, before = stamp.read_text(), digests(package)
    try:
        path.write_text(edited)
        after = digests(package)
        changed = {r for r in before if after[r] != before[r]}
        assert rerun_by(changed, below) == (set() if file == OF_ENTRIES else rerun)
        if file not in PLANNED:
            return
        if path.suffix in COMPILED:
            refused = smoke.snakemake("--dry-run", *SMOKE, **environment)
            assert refused.returncode == 1
            assert "built from other sources" in refused.stderr
            stamp.write_text(f'DIGEST = "{core_digest(package)}"\n')  # as a build does
        assert set(smoke.planned(*SMOKE, **environment)) == rerun
    finally:
        path.write_text(text)
        stamp.write_text(stamped)


def test_the_files_planned_by_snakemake_are_among_the_edits():
    marks = test_an_edit_reruns_what_depends_on_it.pytestmark
    edited = {case[0] for mark in marks if mark.name == "parametrize" for case in mark.args[1]}
    assert edited >= PLANNED
