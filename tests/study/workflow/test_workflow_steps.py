"""Rules and the functions that they name: inputs, outputs and ids of every rule, and the job."""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
from collections.abc import Mapping, Sequence
from types import SimpleNamespace

import pandas as pd
import pytest
from throwaway import ROOT, read_workflow

from hedgerow.errors import DataError
from hedgerow.files import write_csv, write_parquet
from hedgerow.ids import is_published, published_id
from hedgerow_study.experiments import module_of
from hedgerow_study.experiments.step import annotations_of, figure, step, table
from hedgerow_study.workflow.jobs import steps
from hedgerow_study.workflow.jobs.digest import STUDY
from hedgerow_study.workflow.jobs.frame import write_absence

RUNNER = '''"""Run the function that the rule names."""

from hedgerow_study.workflow.jobs.steps import run

run(snakemake)
'''

#: Scripts of rules that belong to no experiment.
APART = {"fetch", "tidy", "analytic_choices", "report", "crate", "manifest"}


@pytest.fixture(scope="module")
def rules():
    """Rules of the smoke configuration that run a step, as Snakemake reads them."""
    with read_workflow() as workflow:
        yield {r.name: r for r in workflow.rules if str(r.script or "").endswith("step.py")}


def functions_of(rule) -> list[steps.Declaration]:
    return steps.declarations(rule.params.call)


def test_the_runner_is_frozen():
    """An edit of it would rerun every job: what it does belongs into `workflow/jobs/steps.py`."""
    assert (ROOT / "workflow/scripts/step.py").read_text() == RUNNER
    there = {file.stem for file in (ROOT / "workflow/scripts").glob("*.py")}
    assert there == {"step", *APART}


def test_inputs_of_each_rule_are_the_parameters_of_its_functions(rules):
    for name, rule in rules.items():
        inputs = set(rule.input.keys())
        asked, gathers = set(), False
        for declared in functions_of(rule):
            parameters = with_words(declared)
            given = {n for n, kind in parameters.items() if n in dict(rule.params.items())}
            chunk = {n for n, kind in parameters.items() if kind.startswith("Iterable[int]")}
            asked |= set(parameters) - given - chunk
        unknown = asked - inputs
        # A mapping that is no input gathers the others, or is what the job has made.
        gathers = bool(unknown & {*steps.GATHER} - {"tables"})
        unknown -= {*steps.GATHER}
        assert not unknown, f"{name}: no input for {sorted(unknown)}"
        assert gathers or not inputs - asked, f"{name}: nobody reads {sorted(inputs - asked)}"


def with_words(declared) -> dict[str, str]:
    """Parameters of a function and of what puts words into its caption."""
    parameters = dict(declared.parameters)
    shown = getattr(declared.function, "shown", None)
    if shown and shown.caption_values:
        parameters |= annotations_of(shown.caption_values)
    return parameters


def test_cells_rest_on_inputs_of_their_rule(rules):
    """A table read its tests from an input that its rule had lost, and failed in the default run;
    the smoke run has too few data sets to test."""
    seen = set()
    for name, rule in rules.items():
        if not name.endswith("_tables"):
            continue
        inputs = set(rule.input.keys())
        module = importlib.import_module(module_of(rule.params.call))
        for call in ast.walk(ast.parse(inspect.getsource(module))):
            function = getattr(getattr(call, "func", None), "id", "")
            if function not in ("Rows", "test_cells"):
                continue
            # `cell_sources.test_cells` reads `statistics` where no input is named.
            place, named = (0, None) if function == "Rows" else (4, ast.Constant("statistics"))
            given = {k.arg: k.value for k in call.keywords}
            named = call.args[place] if len(call.args) > place else given.get("of", named)
            if isinstance(named, ast.Constant):
                seen.add(function)
                assert named.value.partition("/")[0] in inputs, f"{name}: {named.value}"
    assert seen == {"Rows", "test_cells"}


def test_every_step_table_and_figure_has_its_rule(rules):
    """Nothing is made that no rule asks for: every decorated function is called by one rule."""
    called = [f"{d.module}:{d.name}" for rule in rules.values() for d in functions_of(rule)]
    declared = []
    for file in sorted(STUDY.glob("ex[pt]*s/*/*.py")):  # experiments and extensions
        module = f"{file.parent.name}.{file.stem}"
        declared += [f"{module}:{name}" for name in steps._module(module)]
    assert sorted(called) == sorted(declared)


def test_a_rule_leads_to_its_function_by_its_name(rules):
    for name, rule in rules.items():
        word = functions_of(rule)[0].word
        # What stands above the experiments is called by what it is.
        assert name.startswith(f"{word}_") or word == "audit", name


def test_an_id_leads_to_function_rule_and_file():
    """Search for an id: its function, the rule that asks for it, and the published table."""
    shown = [
        declared
        for file in sorted(STUDY.glob("ex[pt]*s/*/*.py"))  # experiments and extensions
        for declared in steps._module(f"{file.parent.name}.{file.stem}").values()
        if declared.kind != "step"
    ]
    ids = [s.name for s in shown]
    assert len(set(ids)) == len(ids) > 60
    for s in shown:
        function = getattr(importlib.import_module(module_of(s.module)), s.name)
        assert inspect.getdoc(function)
        if is_published(s.name):
            assert s.kind == s.name.split("_")[1]
            name = published_id(s.name)
            assert s.kind == "figure" or (ROOT / f"data/published/{name}.csv").is_file()
        else:
            assert s.word == "audit" or s.name.startswith(s.word)


def test_a_caption_that_asks_for_words_has_them():
    with pytest.raises(TypeError, match="has no caption_values"):

        @table("a table", caption="Run: {ran}", sources=lambda table: ())
        def some_table():
            """A table."""

    with pytest.raises(TypeError, match="has to be"):
        step("seed", protocol=("soft",))

    @figure(
        "a figure", caption="Run: {ran}.", alt="a line", caption_values=lambda rows: {"ran": rows}
    )
    def some_figure():
        """A figure."""

    assert some_figure.shown.caption_text(lambda function: {"rows": "all"}) == "Run: all."
    assert some_figure.shown.heading == "a figure"


@pytest.mark.parametrize("call", ["soft.steps:nothing", "soft.nowhere:learn", "soft.plan"])
def test_a_call_that_leads_nowhere_is_an_error(call):
    with pytest.raises(LookupError):
        steps.declarations(call)


def test_captions_survive_their_file(tmp_path):
    said = "N(0, n |mean|) *a* soft_x `c` back\\slash, p < .05, 30 %"
    steps.write(str(tmp_path / "a.rst"), said)
    assert steps.read_caption(tmp_path / "a.rst") == said


# ------------------------------------------------------------------------- a job without snakemake


def job_of(tmp_path, call, inputs, outputs, **params):
    """What Snakemake gives a script."""

    class Named(dict):
        __getattr__ = dict.get

        def __iter__(self):
            for paths in self.values():
                yield from [paths] if isinstance(paths, str) else paths

    return SimpleNamespace(
        rule="some_rule",
        log=[tmp_path / "some.log"],
        input=Named(inputs),
        output=Named(outputs),
        params=Named({"call": call, **params}),
        wildcards=SimpleNamespace(),
    )


@pytest.fixture
def experiment(monkeypatch):
    """A module of steps that lies in no folder."""

    def call(function):
        module = SimpleNamespace(**{function.__name__: function})
        monkeypatch.setitem(sys.modules, "hedgerow_study.experiments.made_up.steps", module)
        monkeypatch.setattr(steps, "declaration", lambda call: function.declared)
        return f"made_up.steps:{function.__name__}"

    return call


def test_files_are_read_by_annotation_and_written_by_name(tmp_path, experiment):
    frame = pd.DataFrame({"a": [1, 2]})
    for i in range(2):
        write_parquet(tmp_path / f"{i}.parquet", frame)
    write_csv(tmp_path / "published.csv", frame)
    paths = [str(tmp_path / f"{i}.parquet") for i in range(2)]
    seen = {}

    @step(outputs=("one", "two"))
    def made(
        rows: pd.DataFrame,
        parts: Sequence[pd.DataFrame],
        published: Mapping[str, pd.DataFrame],
        limit,
    ):
        seen.update(rows=len(rows), parts=len(parts), published=list(published), limit=limit)
        return {"one": rows, "two": parts[0]}

    outputs = {"one": str(tmp_path / "one.csv"), "two": str(tmp_path / "two.parquet")}
    inputs = {"rows": paths, "parts": paths, "published": [str(tmp_path / "published.csv")]}
    steps.run(job_of(tmp_path, experiment(made), inputs, outputs, limit=3))
    assert seen == {"rows": 4, "parts": 2, "published": ["published"], "limit": 3}
    assert len(pd.read_csv(outputs["one"])) == 4 and len(pd.read_parquet(outputs["two"])) == 2


def test_names_that_do_not_match_are_an_error(tmp_path, experiment, capsys):
    @step(outputs=("one",))
    def made():
        return {"other": pd.DataFrame()}

    with pytest.raises(SystemExit):
        steps.run(job_of(tmp_path, experiment(made), {}, {"one": str(tmp_path / "one.csv")}))
    assert "the rule asks for ['one']" in capsys.readouterr().err
    assert not (tmp_path / "one.csv").exists()


def test_an_absent_data_set_is_left_out_of_many_and_named_alone(tmp_path, experiment, capsys):
    write_parquet(tmp_path / "0.parquet", pd.DataFrame({"a": [1]}))
    write_absence(tmp_path / "1.parquet", "no source answered")
    paths = [str(tmp_path / f"{i}.parquet") for i in range(2)]

    @step()
    def many(rows: pd.DataFrame):
        return rows

    out = {"": str(tmp_path / "many.csv")}
    steps.run(job_of(tmp_path, experiment(many), {"rows": paths}, out))
    assert len(pd.read_csv(out[""])) == 1
    with pytest.raises(SystemExit):
        steps.run(job_of(tmp_path, experiment(many), {"rows": paths[1]}, out))
    assert "no source answered" in capsys.readouterr().err
    with pytest.raises(DataError):
        steps.Arguments(job_of(tmp_path, "made_up.steps:many", {"rows": paths[1:]}, out))
