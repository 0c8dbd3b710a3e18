"""Digests: what a function reaches, and no more."""

from __future__ import annotations

import ast
import os
import shutil
import sys
from pathlib import Path

import pytest
import yaml
from throwaway import ROOT

from hedgerow.files import read_yaml
from hedgerow_study.workflow.jobs import digest, steps
from hedgerow_study.workflow.jobs.digest import (
    PACKAGE,
    STUDY,
    UntraceableError,
    digest_of,
    entry_digests,
    reached,
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


def test_a_function_brings_what_it_reaches_and_no_more(tmp_path):
    (tmp_path / "module.py").write_text(MODULE)
    source = reached("module:asked", package=tmp_path)["module.py"]
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


# -------------------------------------------------------------------------- what is kept on disk


@pytest.fixture
def parsed_files(monkeypatch):
    """Files that are parsed, in order, in a process that has read none yet."""
    found = []

    def parse(text, file):
        found.append(Path(file).name)
        return tuple(digest._statement(node, file) for node in ast.parse(text).body)

    monkeypatch.setattr(digest, "_statements", parse)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return found


def asked_anew(folder) -> str:
    """The digest as a process that has just begun gives it."""
    digest._parsed.cache_clear()
    digest._sources.cache_clear()
    return digest_of("module:asked", package=folder)


def test_a_source_is_parsed_once_for_all_processes(tmp_path, parsed_files):
    """Each command of Snakemake parsed the package, which took seconds."""
    module = tmp_path / "module.py"
    module.write_text(MODULE)
    before = asked_anew(tmp_path)
    assert asked_anew(tmp_path) == before and parsed_files == ["module.py"]
    # Its text decides, not its time.
    time = module.stat().st_mtime_ns
    module.write_text(MODULE.replace("LIMIT = 3", "LIMIT = 4"))
    os.utime(module, ns=(time, time))
    assert asked_anew(tmp_path) != before and parsed_files == ["module.py"] * 2


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[{", "[1, {"),
        ('"always": ', '"sometimes": '),
        ('"uses": ["', '"uses": [1, "'),
        (" ", " 0"),
        ("}]", ""),
    ],
)
def test_what_was_kept_is_checked_whole(tmp_path, parsed_files, old, new):
    (tmp_path / "module.py").write_text(MODULE)
    before = asked_anew(tmp_path)
    kept = digest.kept_at(str(tmp_path / "module.py"))
    content = kept.read_text()
    assert old in content
    kept.write_text(content.replace(old, new))
    assert asked_anew(tmp_path) == before
    assert parsed_files == ["module.py"] * 2 and kept.read_text() == content


def test_nothing_is_kept_where_python_may_keep_nothing(tmp_path, parsed_files, monkeypatch):
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    (tmp_path / "module.py").write_text(MODULE)
    asked_anew(tmp_path)
    assert [path.name for path in tmp_path.rglob("*")] == ["module.py"]


def test_digests_of_one_plan_are_of_one_state_of_the_sources(tmp_path, monkeypatch):
    """Each of 162 digests of a plan looked at all 467 sources again, which took 0.4 s."""
    monkeypatch.setattr(digest, "_taken", {})
    module = tmp_path / "module.py"
    module.write_text(MODULE)
    digest.take_sources(tmp_path)
    before = digest_of("module:asked", package=tmp_path)
    module.write_text(MODULE.replace("LIMIT = 3", "LIMIT = 40"))
    assert digest_of("module:asked", package=tmp_path) == before
    digest.take_sources(tmp_path)
    assert digest_of("module:asked", package=tmp_path) != before


# ----------------------------------------------------------------- what is reached, by mechanism

PARTS = {
    "start.py": "from hedgerow.room import sub, thing\n\ndef start(x):\n    return thing(x)\n",
    "room/__init__.py": "from hedgerow.room.inner import thing\nfrom hedgerow.room.sub import y\n",
    "room/inner.py": "def thing(x):\n    return x\n\ndef other(x):\n    return x\n",
    "room/sub.py": "y = 1\nz = 2\n",
}


def reach(folder, **files) -> dict[str, str]:
    """What `start` reaches, some files being others; a key is a path with __ for / and _ for ."""
    for name, text in {**PARTS, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return reached("start:start", package=folder)


def test_an_import_is_followed_to_where_a_name_is_defined(tmp_path):
    found = reach(tmp_path)
    assert "def thing" in found["room/inner.py"] and "other" not in found["room/inner.py"]
    assert "room/sub.py" not in found, "an import that is not used brings nothing"


def test_of_a_module_only_the_attributes_that_are_used_count(tmp_path):
    start = "from hedgerow.room import sub\n\ndef start(x):\n    return sub.y\n"
    assert reach(tmp_path, **{"start.py": start})["room/sub.py"] == "y = 1"


def test_a_module_that_is_used_as_a_value_is_taken_whole(tmp_path):
    """A call through `getattr` hid names from an earlier test, and two figures stayed old."""
    start = "from hedgerow.room import sub\n\ndef start(x):\n    return getattr(sub, x)\n"
    assert reach(tmp_path, **{"start.py": start})["room/sub.py"] == "y = 1\nz = 2"


def test_a_variable_that_is_called_like_a_function_does_not_reach_it(tmp_path):
    other = "\ndef other(x):\n    return x\n"
    inner = f"def thing(x):\n    other = x\n    return [other for y in x]\n{other}"
    assert "def other" not in reach(tmp_path, **{"room/inner.py": inner})["room/inner.py"]
    nested = f"def thing(x):\n    def own():\n        return other\n    return own\n{other}"
    assert "def other" in reach(tmp_path, **{"room/inner.py": nested})["room/inner.py"]


def test_steps_of_one_module_have_digests_of_their_own(tmp_path):
    """Once every step of a module belonged to all others, as if a decorator had listed it."""
    steps = (
        "from hedgerow_study.experiments.step import step\n\n@step()\ndef thing(x):\n    return x\n"
    )
    steps += "\n@step()\ndef other(x):\n    return x\n"
    frame = {"experiments/step.py": "def step():\n    return lambda f: f\n"}
    found = reach(tmp_path, **{"room/inner.py": steps, **frame})
    assert "def other" not in found["room/inner.py"] and "experiments/step.py" not in found


def test_imports_inside_functions_and_blocks_are_followed(tmp_path):
    inside = "def start(x):\n    from hedgerow.room.sub import z\n\n    return z\n"
    assert reach(tmp_path, **{"start.py": inside})["room/sub.py"] == "z = 2"
    block = "if True:\n    from hedgerow.room.sub import z\n\ndef start(x):\n    return z\n"
    assert reach(tmp_path, **{"start.py": block})["room/sub.py"] == "z = 2"
    module = "if True:\n    from hedgerow.room import sub\n\ndef start(x):\n    return sub.y\n"
    assert reach(tmp_path, **{"start.py": module})["room/sub.py"] == "y = 1"


def test_the_body_of_a_class_reads_names_of_its_module(tmp_path):
    """There, and there only, the right side of `y = y` is not the left one."""
    start = "from hedgerow.room.sub import y\n\nclass start:\n    y = y\n"
    assert reach(tmp_path, **{"start.py": start})["room/sub.py"] == "y = 1"


def test_what_cannot_be_followed_is_refused_wherever_it_stands(tmp_path):
    setting = "y = 0\n\ndef turn():\n    global y\n    y = 1\n\ndef start(x):\n    return y\n"
    with pytest.raises(UntraceableError, match="`global y`"):
        reach(tmp_path, **{"start.py": setting})


@pytest.mark.parametrize(
    ("call", "file", "source"),
    [
        ("soft.steps:noise", "schema.py", "def normal"),
        ("soft.steps:learn", "workflow/jobs/steps.py", "def _joined"),
        ("soft.steps:learn", "data/tidy.py", "def read_tidy"),
        ("soft.tables", "experiments/step.py", "def caption_text"),
        ("soft.tables", "workflow/jobs/steps.py", "def caption_text"),
        ("soft.figures", "showing/figures.py", "def save"),
        ("soft.page:section", "workflow/jobs/steps.py", "def read_caption"),
    ],
)
def test_how_settings_inputs_and_captions_are_read_belongs_to_the_job(call, file, source):
    """Once none of it was in any digest: settings in another order gave other draws, and the old
    files stayed."""
    found = reached(*steps._starts(steps.declarations(call)))
    assert source in found[file]
    assert "def setting" not in found.get("schema.py", "")


@pytest.mark.parametrize("quote", ["'", '"'])
def test_templates_bring_those_that_they_import(tmp_path, quote):
    parts = {
        "start.py": "def start(x):\n    return render('a.html.j2')\n",
        "a.html.j2": f"{{% from {quote}b.html.j2{quote} import c %}}",
        "b.html.j2": "",
    }
    assert set(reach(tmp_path, **parts)) == {"start.py", "a.html.j2", "b.html.j2"}


def test_a_name_that_a_room_exports_hides_a_module_of_that_name(tmp_path):
    """`from hedgerow.data import tidy` is the function, though there is a module `tidy`."""
    parts = {
        "room/__init__.py": "from hedgerow.room.thing import thing\n",
        "room/thing.py": "def thing(x):\n    return x\n\ndef other(x):\n    return x\n",
        "start.py": "from hedgerow.room import thing\n\ndef start(x):\n    return thing(x)\n",
    }
    assert "other" not in reach(tmp_path, **parts)["room/thing.py"]


def test_a_function_that_a_decorator_may_put_on_a_list_belongs_to_its_module(tmp_path):
    listed = "def thing(x):\n    return x\n\n@listed\ndef other(x):\n    return x\n"
    assert "def other" in reach(tmp_path, **{"room/inner.py": listed})["room/inner.py"]
    pure = listed.replace("@listed", "@lru_cache")
    assert "def other" not in reach(tmp_path, **{"room/inner.py": pure})["room/inner.py"]


def test_compiled_sources_come_with_their_room_and_with_rooms_that_they_import(tmp_path):
    parts = {
        "start.py": "from hedgerow.core._a import grow\n\ndef start(x):\n    return grow(x)\n",
        "core/_a.pyx": "from hedgerow.base._c cimport gate\n",
        "core/_b.h": "#define B 1\n",
        "core/note.py": "x = 1\n",
        "base/_c.pxd": "cdef int gate\n",
        "base/_d.pyx": "cdef int d\n",
    }
    found = set(reach(tmp_path, **parts))
    assert found == {"start.py", "core/_a.pyx", "core/_b.h", "base/_c.pxd", "base/_d.pyx"}


def test_default_meaning_and_bounds_of_a_setting_change_no_digest(tmp_path):
    """A step reads the value that its rule declares; what a list is sorted by does change it."""
    plan = "class P(Plan):\n    n: int = setting({})\n"
    start = "from hedgerow.plan import P\n\ndef start(x):\n    return P\n"

    def found(setting):
        return reach(tmp_path, **{"start.py": start, "plan.py": plan.format(setting)})["plan.py"]

    assert found('3, "Folds.", minimum=2') == found('4, "All folds.", minimum=1')
    assert found('3, "Folds."') != found('3, "Folds.", descending=True')


def test_the_frame_is_left_out(tmp_path):
    parts = {
        "start.py": "from hedgerow.errors import E\n\ndef start(x):\n    raise E\n",
        "errors.py": "class E(Exception):\n    pass\n",
    }
    assert set(reach(tmp_path, **parts)) == {"start.py"}


@pytest.mark.parametrize(
    "line", ["import hedgerow.room", "from hedgerow.room import *", "from .room import thing"]
)
def test_imports_that_cannot_be_followed_are_refused(tmp_path, line):
    """A digest that leaves something out in silence is worse than none."""
    with pytest.raises(UntraceableError, match="cannot be followed"):
        reach(tmp_path, **{"start.py": f"{line}\n\ndef start(x):\n    return x\n"})


def copied(place):
    """Copy the package of the learner to a place, and that of the study beside it."""
    for own in (PACKAGE, STUDY):
        target = place.with_name(f"{place.name}{own.name.removeprefix(PACKAGE.name)}")
        shutil.copytree(own, target, ignore=shutil.ignore_patterns("__pycache__"))


def test_digest_depends_on_content_alone(tmp_path):
    copy = tmp_path / "elsewhere"
    copied(copy)
    parts = ("data.seeds:rng", "experiments.soft.steps:learn")
    assert digest_of(*parts) == digest_of(*reversed(parts), package=copy)


@pytest.mark.parametrize("part", ["nowhere", "tree.nothing:function", "nowhere:function"])
def test_no_source_is_an_error(part):
    """A digest of nothing would never change."""
    with pytest.raises(FileNotFoundError, match="no source"):
        digest_of(part)


def test_an_unknown_function_is_an_error():
    with pytest.raises(LookupError, match="no_such_function"):
        digest_of("experiments.soft.steps:no_such_function")


def test_digest_of_an_entry_leaves_out_what_only_describes(tmp_path):
    from hedgerow.data import load_registry

    content = read_yaml(ROOT / "config/datasets.yaml")
    before = entry_digests(load_registry(ROOT / "config/datasets.yaml"))
    assert len(set(before.values())) == len(before)
    changed = tmp_path / "datasets.yaml"
    content["datasets"]["wine"] |= {"citation": "another", "note": "another", "title": "another"}
    content["datasets"]["gbsg2"]["cohort"]["horizon"] = 730.5
    changed.write_text(yaml.safe_dump(content, sort_keys=False))
    assert entry_digests(load_registry(changed)) == before
    content["datasets"]["wine"]["fingerprint"] = "0" * 64
    changed.write_text(yaml.safe_dump(content, sort_keys=False))
    after = entry_digests(load_registry(changed))
    assert [key for key in before if after[key] != before[key]] == ["wine"]


# ---------------------------------------------------------------------------- prose has no effect

CORE = '''# cython: language_level=3
"""A core."""

cdef extern from *:
    """
    /* Least. */
    #define LEAST 1
    """
    int LEAST


cdef class Box:
    """A box."""
    cdef int n      # how many

    def asked(self, x):
        """Doc.

        More of it.
        """
        names = {
            "key":
                "a value", 'other': "# no comment",
        }
        return x  # the value

    # A remark on its own line.
    cdef int other(self):
        \'\'\'Doc.\'\'\'
        return 1
'''
HEADER = '/* Head. */\n#define A 1 // one\nstatic const char* b = "// no comment";\n'


def core_digest(folder, core=CORE, header=HEADER, start=""):
    """Digest of a function that calls a compiled core."""
    parts = {
        "start.py": "from hedgerow.core._a import asked\n\ndef start(x):\n"
        f"    {start}\n    return asked(x)\n",
        "core/_a.pyx": core,
        "core/_b.h": header,
    }
    for name, text in parts.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return digest_of("start:start", package=folder)


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ('"""A core."""', '"""Another core."""', False),
        ('"""A core."""\n', "", False),
        ('"""A box."""', '"""A chest."""', False),
        ("More of it.", "Less of it.", False),
        ("'''Doc.'''", "'''More.'''", False),
        ("# how many", "# a number", False),
        ("    # A remark on its own line.\n", "", False),
        ("return x  # the value", "return x", False),
        ("return x ", "return x + 1 ", True),
        ("language_level=3", "language_level=2", True),
        ("# cython: ", "# ", True),
        ("#define LEAST 1", "#define LEAST 2", True),
        ('"a value"', '"another"', True),
        ("# no comment", "# a comment", True),
    ],
)
def test_comments_and_docstrings_of_a_core_change_nothing(tmp_path, old, new, changes):
    """A comment in `_growth.pyx` once changed the digest of every learner."""
    before = core_digest(tmp_path)
    assert old in CORE
    assert (core_digest(tmp_path, core=CORE.replace(old, new)) != before) is changes


@pytest.mark.parametrize(
    ("old", "new", "changes"),
    [
        ("/* Head. */", "/* Another. */", False),
        ("/* Head. */\n", "", False),
        (" // one", "", False),
        ("A 1", "A 2", True),
        ("// no comment", "// a comment", True),
    ],
)
def test_comments_of_a_header_change_nothing(tmp_path, old, new, changes):
    before = core_digest(tmp_path)
    assert old in HEADER
    assert (core_digest(tmp_path, header=HEADER.replace(old, new)) != before) is changes


SPOKEN = '''
"""A module."""
from hedgerow.room.inner import thing

class Kind:
    """A kind."""

    def method(self):
        """A method."""
        return 1

def start(x):
    """Doc."""
    def inner():
        """Inner."""
        return READS
    return thing(Kind)
'''


def spoken(folder, old="", new=""):
    """Write a module with docstrings, and one that it imports; `old` becomes `new`."""
    (folder / "room").mkdir(exist_ok=True)
    (folder / "room/inner.py").write_text('def thing(x):\n    """A method."""\n    return x\n')
    (folder / "start.py").write_text(SPOKEN.replace("READS", "0").replace(old or "READS", new))


@pytest.mark.parametrize("text", ["A module.", "A kind.", "A method.", "Doc.", "Inner."])
@pytest.mark.parametrize("part", ["start", "start:start"])
def test_docstrings_do_not_count(tmp_path, text, part):
    """One word in the docstring of `Tree.plot` once made all learners run again."""
    spoken(tmp_path)
    before = digest_of(part, package=tmp_path)
    spoken(tmp_path, text, "Another text.")
    assert digest_of(part, package=tmp_path) == before


@pytest.mark.parametrize(
    "reads", ["Kind.__doc__", "getdoc(Kind)", "inspect.getdoc(Kind)", "__doc__"]
)
def test_code_that_reads_a_docstring_is_refused(tmp_path, reads):
    spoken(tmp_path, "return 0", f"return {reads}")
    with pytest.raises(UntraceableError, match=r"start\.py: code of a job reads a docstring"):
        digest_of("start:start", package=tmp_path)


@pytest.mark.parametrize(
    ("file", "behind", "old", "new"),
    [
        ("tree/tree.py", "def plot(", '"""', '"""Once more: '),
        ("induction/_growth.pyx", "", "\ncdef ", "\n# A remark.\ncdef "),
        ("induction/_growth.pyx", "\ncdef class", '"""', '"""Once more: '),
        ("induction/_kernels.h", "", "/*", "/* Once more: "),
    ],
)
def test_prose_in_the_package_makes_no_learner_run_again(tmp_path, file, behind, old, new):
    """The first two edits were tried and changed the digest of `soft.steps:learn`."""
    copy = tmp_path / "hedgerow"
    copied(copy)
    before = digest_of("experiments.soft.steps:learn", package=copy)
    text = (copy / file).read_text()
    at = text.index(behind)
    assert old in text[at:]
    (copy / file).write_text(text[:at] + text[at:].replace(old, new, 1))
    assert digest_of("experiments.soft.steps:learn", package=copy) == before


def test_what_serves_illustrations_only_belongs_to_no_learner():
    """`_curves.pyx` stood among the cores of induction and made all learners run again."""
    learners = reached("experiments.soft.steps:learn", "experiments.search.steps:run")
    assert not [name for name in learners if "curves" in name]
    assert "uncertainty/_curves.pyx" in reached("experiments.soft_illustration.steps")


def test_a_remark_among_the_generators_draws_no_set_again(tmp_path):
    """Their digest was one of bytes, so that a comment fetched every synthetic set anew."""
    from hedgerow_study.workflow.jobs.digest import generators_digest

    copy = tmp_path / "hedgerow"
    copied(copy)
    before = generators_digest(copy)
    file = copy / "data/synthetic.py"
    text = file.read_text()
    file.write_text(text + "\n# A remark.\n")
    assert generators_digest(copy) == before
    file.write_text(text + "\nprint('at import')\n")
    assert generators_digest(copy) != before
