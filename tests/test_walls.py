"""Walls between rooms: who may import whom, read from the sources."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
import rooms

from hedgerow_study.experiments import EXTENSIONS, PAPERS, WORDS, folder_of
from hedgerow_study.workflow.jobs.digest import PACKAGE, PACKAGES
from hedgerow_study.workflow.jobs.digest import STUDY as STUDY_PACKAGE

#: Rooms from the ground up; a room imports those of its own floor and of lower ones. What lies on
#: one floor stands side by side.
FLOORS = (
    {"errors", "ids", "texts", "_stamp", "_core_digest"},
    {"checks", "schema", "files", "optional_imports", "screen"},
    {"commands"},
    {"tree"},
    {"induction", "data", "evaluation"},
    {"uncertainty"},
    {"search"},
    {"optimal"},
    {"structure", "survival", "confidence", "evidential", "missing"},
    {"drawing", "exchange", "explanation"},
    {"showing"},
    {"reporting"},
    {"experiments", "extensions"},
    {"workflow"},
    {"audit"},
    {"cli", "__main__"},
)
FLOOR = {room: number for number, rooms in enumerate(FLOORS) for room in rooms}
STUDY = {"experiments", "extensions"}
LEARNERS = {
    "tree",
    "induction",
    "uncertainty",
    "search",
    "optimal",
    "structure",
    "confidence",
    "evidential",
    "missing",
}


CLINIC = PACKAGE.with_name("hedgerow_clinic")


def modules(package: Path = PACKAGE) -> dict[str, Path]:
    """Every module of a package by its name below it."""
    found = {}
    for file in sorted(package.rglob("*.py")):
        parts = file.relative_to(package).with_suffix("").parts
        found[".".join(p for p in parts if p != "__init__")] = file
    return found


MODULES = modules() | modules(STUDY_PACKAGE)


def imported(file: Path) -> set[str]:
    """Modules of the package that a module imports, at its head or inside of functions."""
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in PACKAGES:
            module = node.module.partition(".")[2]
            for alias in node.names:
                inner = f"{module}.{alias.name}".lstrip(".")
                found.add(inner if inner in MODULES and module != inner else module)
    return found


IMPORTS = {name: imported(file) for name, file in MODULES.items()}


def room(module: str) -> str:
    return module.partition(".")[0]


@pytest.mark.parametrize("module", sorted(m for m in MODULES if m))
def test_no_room_imports_from_a_higher_floor(module):
    for other in IMPORTS[module]:
        assert FLOOR[room(other)] <= FLOOR[room(module)], f"{module} imports {other}"


#: Rooms of the workflow from the ground up, and the module that stands beside them.
WORKFLOW = ["running", "settings", "jobs", "planning", "run", "showing", "references"]


def test_rooms_of_the_workflow_import_one_another_downwards_only():
    """A room asks those whose question comes before its own, also inside of functions."""
    lies = {m: m.split(".")[1] for m in MODULES if m.startswith("workflow.")}
    assert {*lies.values()} == {*WORKFLOW}
    for module, own in lies.items():
        for other in IMPORTS[module] & lies.keys():
            assert WORKFLOW.index(lies[other]) <= WORKFLOW.index(own), f"{module} imports {other}"


def test_the_picture_of_the_rooms_is_that_of_the_floors():
    assert rooms.FILE.read_text(encoding="utf-8") == rooms.drawn(FLOORS), "call `make generated`"
    page = (PACKAGE.parents[1] / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert re.search(r"!\[[^]]{20,}\]\(docs/img/rooms\.svg\)", page)


def test_a_picture_has_each_room_once_and_higher_floors_above():
    svg = ElementTree.fromstring(rooms.drawn(FLOORS))
    texts = svg.findall("{*}text")
    assert len(texts) == len(FLOOR)
    heights = {each.text: float(each.get("y")) for each in texts}
    assert sorted(FLOOR, key=lambda room: (FLOOR[room], room)) == sorted(
        heights, key=lambda room: (-heights[room], room)
    )
    assert all(0 < float(each.get("x")) < rooms.WIDTH for each in texts)
    with pytest.raises(ValueError, match="no space"):
        rooms.drawn([{f"a_long_name_of_a_room_{n}" for n in range(9)}])


def test_learners_import_no_experiment_report_or_workflow():
    for module, others in IMPORTS.items():
        if room(module) in LEARNERS:
            assert not {room(o) for o in others} & {*STUDY, "reporting", "workflow", "drawing"}


def test_the_clinic_rests_on_the_learner_alone():
    """Whoever makes risk groups got experiments, reports and audit with them."""
    lower = {*FLOOR} - {*STUDY, "reporting", "workflow", "audit", "cli"}
    for module, file in modules(CLINIC).items():
        assert {room(other) for other in imported(file)} <= lower, module


def test_the_kit_of_reports_knows_no_experiment():
    for module, others in IMPORTS.items():
        if room(module) == "reporting":
            assert not STUDY & set(map(room, others))


def test_what_may_have_been_meant_is_looked_up_in_one_place():
    """Six modules did so, and said what they found in four ways."""
    files = MODULES | modules(CLINIC)
    users = [name for name, file in files.items() if "difflib" in file.read_text("utf-8")]
    assert users == ["texts"]


#: Folders of experiments, each after those that it may build on; the last stands above them all.
FOLDERS = (*WORDS, "audit")
#: Modules of an experiment, from the settings to the page: each reads those before it.
ORDER = [
    "plan",
    "errors",
    "samples",
    "learners",
    "properties",
    "coded",
    "steps",
    "sets",
    "repeated_recordings",
    "statistics",
    "rule",
    "comparison",
    "misprints",
    "tables",
    "figures",
    "leaf_report",
    "claims",
    "page",
]


def test_experiments_import_one_another_downwards_only():
    """An experiment may build on those before it on the page, and a module on those before it."""
    for module, others in IMPORTS.items():
        parts = module.split(".")
        if parts[0] not in STUDY or len(parts) < 3:
            continue
        for other in others:
            theirs = other.split(".")
            if theirs[0] not in STUDY or len(theirs) < 3:
                continue
            words = FOLDERS.index(theirs[1]), FOLDERS.index(parts[1])
            assert words[0] <= words[1], f"{module} imports {other}"
            if words[0] == words[1]:
                assert ORDER.index(theirs[2]) < ORDER.index(parts[2]), f"{module} imports {other}"


def test_what_shows_results_needs_no_compiled_core():
    """Tables, figures and pages read files: none waits for the learners to be built or loaded."""
    shows = {"plan", "statistics", "tables", "figures", "claims", "page"}
    wanted = [
        f"hedgerow_study.{module}"
        for module in sorted(MODULES)
        if room(module) in STUDY and module.rpartition(".")[2] in shows
    ]
    look = (
        "import importlib, sys\n"
        "for name in sys.argv[1:]:\n"
        "    importlib.import_module(name)\n"
        "    files = {n: str(getattr(m, '__file__', '')) for n, m in list(sys.modules.items())}\n"
        "    built = [n for n, f in files.items()\n"
        "             if n.startswith('hedgerow.') and f.endswith(('.so', '.pyd'))]\n"
        "    if built:\n"
        "        sys.exit(f'{name} loads {sorted(built)}')\n"
    )
    done = subprocess.run([sys.executable, "-c", look, *wanted], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_no_module_imports_itself_through_others():
    done: set[str] = set()

    def visit(module: str, way: tuple[str, ...]) -> None:
        assert module not in way, " -> ".join([*way[way.index(module) :], module])
        if module in done:
            return
        for other in sorted(IMPORTS.get(module, ())):
            # A room's list of names is no module of its own: what it lists is imported anyway.
            if other != module and not is_list(other):
                visit(other, (*way, module))
        done.add(module)

    for module in sorted(MODULES):
        if not is_list(module):
            visit(module, ())


def is_list(module: str) -> bool:
    """Whether a module only gathers the names of its room."""
    return module not in MODULES or MODULES[module].name == "__init__.py"


def test_every_experiment_has_its_folder_rules_and_plan():
    root = PACKAGE.parents[1]
    for home, words in {"experiments": PAPERS, "extensions": EXTENSIONS}.items():
        assert {f.parent.name for f in (STUDY_PACKAGE / home).glob("*/page.py")} == set(words)
    for word in WORDS:
        assert (STUDY_PACKAGE / folder_of(word) / "plan.py").is_file()
        assert (root / f"workflow/rules/{word}.smk").is_file()


@pytest.mark.parametrize("folder", ["learner", "oracle"])
def test_tests_of_the_learner_know_neither_study_nor_clinic(folder):
    """Four files of them imported steps of an experiment, or risks of the clinic."""
    files = sorted((PACKAGE.parents[1] / "tests" / folder).rglob("*.py"))
    assert files
    for file in files:
        assert not re.search(r"\bhedgerow_(study|clinic)\b", file.read_text(encoding="utf-8")), file
