"""From a rule to the function that it names, and back: what `workflow/scripts/step.py` runs.

`step` and `items` serve the rules, by what the decorators of `hedgerow_study.experiments.step`
note. `run` is the job: it reads the inputs by the function's parameters, calls it, and writes what
it returns.
"""

from __future__ import annotations

import functools
import importlib.util
import pickle
import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from hedgerow.data.versions import local_notes
from hedgerow.errors import DataError
from hedgerow.files import (
    read_csv,
    read_parquet,
    read_text,
    read_yaml,
    write_csv,
    write_json,
    write_parquet,
    write_text,
)
from hedgerow.ids import is_published, title_of
from hedgerow_study.experiments import WORDS, folder_of, module_of
from hedgerow_study.experiments.plan import sections
from hedgerow_study.experiments.step import ALL, Declaration, annotations_of
from hedgerow_study.reporting import cells
from hedgerow_study.workflow.jobs.digest import PACKAGE, STUDY, digest_of, script_digest
from hedgerow_study.workflow.jobs.frame import (
    absence,
    declared_plan,
    job,
    present,
)
from hedgerow_study.workflow.settings.config import datasets_of, repeats_of, settings

CAPTIONS = "reports/captions"
#: What the names of outputs end with that lie beside a table or figure.
REPORT_FILES = ("_png", "_csv", "_caption", "_cells")
#: Parameters that hold printed numbers and what the registry says, and no data.
PRINTED = {"published", "sizes"}
#: Parameters that, where no input is called so, get all inputs that the function does not name.
GATHER = ("measured", "results", "tables")
#: How a parameter says that it takes tables by their names.
FRAMES = ("Frames", "Mapping[str, pd.DataFrame]")


# ------------------------------------------------------------------------- for the rules


def step(config: Mapping[str, Any], call: str, **given: Any) -> dict[str, Any]:
    """The `params` of a rule that runs a function of an experiment.

    Returns: `call`; `plan` and the plans of other sections, with the settings that the function
        declares and no others, so that a change elsewhere leaves the job alone; what is given;
        `script`, the digest of the script that runs it, and `code`, that of all that the function
        reaches.
    """
    declared = declarations(call)
    params: dict[str, Any] = {"call": call, **given}
    for declaration in declared:
        section = section_of(declaration.word)
        if declaration.settings and section is not None:
            plan = params.setdefault("plan", {})
            plan |= _settings(config, section, declaration.settings)
        for name, (section, *names) in declaration.plans.items():
            plan = params.setdefault(name, {})
            plan |= _settings(config, section, names)
    word = declared[0].word
    if any(d.kind != "step" and set(d.parameters) - PRINTED for d in declared):
        # Captions tell of local data; nothing is recorded where there is none.
        names = datasets_of(config, section_of(word))
        if notes := local_notes(config["registry"], names):
            params["local_data"] = notes
    params["script"] = script_digest("step")
    params["code"] = code_of(call)
    return params


def code_of(call: str, package: Path = PACKAGE) -> str:
    """Digest of all that the functions of a call reach; see `step` for errors."""
    if call.startswith("workflow."):
        return digest_of(call, package=package)
    return digest_of(*_starts(declarations(call)), package=package)


def items(config: Mapping[str, Any], module: str, *ids: str) -> dict[str, Any]:
    """The outputs of a rule that makes tables or figures: files with captions for both reports.

    Returns: for each id its file (CSV or SVG), flagged for Snakemake's report, the caption that the
        job writes, `<id>_caption`, of a table `<id>_cells`, what each number rests on, and of a
        figure `<id>_png` and the numbers that it shows, `<id>_csv`.
    """
    from snakemake.io import report

    outputs = {}
    for declared in (declaration(f"{module}:{name}") for name in ids):
        caption = f"{CAPTIONS}/{declared.name}.rst"
        outputs[declared.name] = report(
            shown_path(declared),
            caption=str(Path(caption).resolve()),
            category=declared.word,
            labels={
                "table": _label(declared),
                "paper": _paper(declared.name),
                "configuration": config["configuration"],
            },
        )
        if declared.kind == "figure":
            png = Path(shown_path(declared)).with_suffix(".png")
            outputs[f"{declared.name}_png"] = png.as_posix()
            outputs[f"{declared.name}_csv"] = png.with_suffix(".csv").as_posix()
        else:
            outputs[f"{declared.name}_cells"] = cells_path(declared.name)
        outputs[f"{declared.name}_caption"] = caption
    return outputs


def shown_path(declared: Declaration) -> str:
    """File of a table (CSV) or figure (SVG) below the project."""
    suffix = {"table": "csv", "figure": "svg"}[declared.kind]
    return f"reports/{declared.kind}s/{declared.name}.{suffix}"


def cells_path(identifier: str) -> str:
    """File that tells what the cells of a table rest on."""
    return f"{cells.FOLDER}/{identifier}.json"


def _label(declared: Declaration) -> str:
    if is_published(declared.name):
        return f"{title_of(declared.name).lower()} {declared.title}"
    return f"{declared.title} ({declared.kind})"


def _paper(identifier: str) -> str:
    return identifier.partition("_")[0] if is_published(identifier) else "beyond the papers"


def _settings(config: Mapping[str, Any], section: str, names: Sequence[str]) -> dict[str, Any]:
    if ALL in names:
        apart = sections()[section].hidden_settings()
        names = sorted({*config[section], "seed", "configuration"} - apart)
    return settings(config, section, *names)


def _starts(declarations: Sequence[Declaration]) -> list[str]:
    """Where the code of a job begins: its functions, its plans, and what reads, draws and says."""
    starts = [f"{_in_package(d.module)}:{d.name}" for d in declarations]
    for declared in declarations:
        kinds = READ.keys() & declared.parameters.values()
        starts += [f"workflow.jobs.steps:{READ[kind].__name__}" for kind in kinds]
        section = section_of(declared.word) if declared.settings else None
        if section is not None or declared.plans:
            starts.append("schema:normal")
        if declared.kind != "step":
            starts += ["experiments.step:ReportItem", "workflow.jobs.steps:caption_text"]
        if declared.kind == "table":
            starts += ["reporting.cells:document", "reporting.cells:read_source"]
        if declared.module.endswith(".figures"):
            starts += ["showing.figures:save", "showing.figures:figure_data"]
        read = [] if section is None else [section]
        read += [section for section, *_ in declared.plans.values()]
        starts += [f"{_in_package(word)}.plan:{sections()[word].__name__}" for word in read]
    return sorted(set(starts))


def _in_package(module: str) -> str:
    """A module of an experiment without the name of the package, as digests name it."""
    return module_of(module).removeprefix("hedgerow_study.")


# ------------------------------------------------------------------------- what is declared


def declaration(call: str) -> Declaration:
    """What stands at one function; see `step` for errors."""
    module, _, name = call.partition(":")
    functions = _module(module)
    if name not in functions:
        raise LookupError(f"`{module_of(module)}` has no step, table or figure `{name}`")
    return functions[name]


def declarations(call: str, *kinds: str) -> list[Declaration]:
    """What stands at one function, or at those of some kinds of a module: tables and figures.

    Nothing at a function of the workflow itself, such as that of analytic choices.
    """
    if call.startswith("workflow."):
        return []
    if ":" in call:
        return [declaration(call)]
    kinds = kinds or ("table", "figure")
    functions = [d for d in _module(call).values() if d.kind in kinds]
    if not functions:
        raise LookupError(f"`{module_of(call)}` makes no {' and no '.join(kinds)}")
    return functions


def declared_by(word: str) -> list[Declaration]:
    """What stands at all steps, tables and figures of an experiment, by module and name."""
    files = sorted((STUDY / folder_of(word)).glob("*.py"))
    return [d for file in files for d in _module(f"{word}.{file.stem}").values()]


def having(module: str, words: Sequence[str] = WORDS) -> list[str]:
    """Experiments that have a module, such as `claims`, in the order of the page."""
    files = {word: STUDY / folder_of(word) / f"{module}.py" for word in WORDS if word in words}
    return [word for word, file in files.items() if file.is_file()]


def every_id() -> list[str]:
    """Ids of all tables and figures of the experiments, whichever run."""
    return sorted(
        declared.name
        for module in ("figures", "tables")
        for word in having(module)
        for declared in declarations(f"{word}.{module}")
    )


@functools.cache
def call_of(identifier: str) -> str:
    """The function of a table or figure, `soft.tables:thesis_table_3_4`; see `step` for errors."""
    for module in ("figures", "tables"):
        for word in [*having(module), "audit"]:
            if identifier in _module(f"{word}.{module}"):
                return f"{word}.{module}:{identifier}"
    raise LookupError(f"no experiment has a table or figure `{identifier}`")


@functools.cache
def _module(module: str) -> dict[str, Declaration]:
    """What stands at the functions of a module, in their order."""
    name = module_of(module)
    try:
        missing = importlib.util.find_spec(name) is None
    except ModuleNotFoundError:  # nor a folder of its experiment
        missing = True
    if missing:
        raise LookupError(f"there is no module `{name}`")
    functions = (
        getattr(value, "declared", None) for value in vars(importlib.import_module(name)).values()
    )
    return {d.name: d for d in functions if isinstance(d, Declaration) and d.module == module}


@functools.cache
def section_of(word: str) -> str | None:
    """Section of the configuration of an experiment, which is its word.

    None for a folder without a plan: what is above the experiments has no settings.
    """
    return word if (STUDY / folder_of(word) / "plan.py").is_file() else None


# -------------------------------------------------------------------------------- the job


def run(snakemake: Any) -> None:
    """Run the function that a rule names."""
    with job(snakemake):
        perform(snakemake)


def perform(snakemake: Any) -> None:
    """As `run`, without log, record and words of its own after an error."""
    module, _, name = snakemake.params.call.partition(":")
    functions = importlib.import_module(module_of(module))
    arguments = Arguments(snakemake)
    outputs = dict(snakemake.output.items())
    if name:
        function = getattr(functions, name)
        outcome = function(**arguments.of(function))
        write_outputs(list(snakemake.output), outputs, outcome, function.declared.outputs)
        return
    shown = [getattr(functions, n) for n in outputs if not n.endswith(REPORT_FILES)]
    outcome = {function.shown.id: function(**arguments.of(function)) for function in shown}
    arguments.add_tables(outcome)
    local = dict(snakemake.params.items()).get("local_data", ())
    for function in shown:
        name = function.shown.id
        if function.shown.kind == "figure":
            from hedgerow.showing import figures

            # Saving lays a figure out, and once more would move it by a hair.
            write(outputs[f"{name}_png"], pickle.loads(pickle.dumps(outcome[name])))
            write(outputs[f"{name}_csv"], figures.figure_data(outcome[name]))
        else:
            write_json(outputs[f"{name}_cells"], arguments.cell_document(function, outcome[name]))
        write(outputs[name], outcome[name])
        caption = [function.shown.caption_text(arguments.of), *map("{}.".format, local)]
        write(outputs[f"{name}_caption"], " ".join(caption))


def write_outputs(
    paths: Sequence[str], outputs: Mapping[str, str], outcome: Any, names: Sequence[str]
) -> None:
    """Write what a step returned."""
    if not names:
        (path,) = paths
        write(path, outcome)
        return
    if not set(outputs) == set(outcome) == set(names):
        raise KeyError(
            f"the rule asks for {sorted(outputs)}, the step says {sorted(names)} and gives "
            f"{sorted(outcome)}"
        )
    for name, path in outputs.items():
        write(path, outcome[name])


class Arguments:
    """Arguments of the functions of one job: inputs, plans, repeats, what the rule gives.

    Each input is read once for each way in which functions ask for it.
    """

    def __init__(self, snakemake: Any):
        self._inputs = dict(snakemake.input.items())
        self._params = dict(snakemake.params.items())
        self._wildcards = getattr(snakemake, "wildcards", None)
        self._read: dict[tuple[str, str], Any] = {}
        self._sources: dict[str, cells.Source] = {}
        listed = [p for v in self._inputs.values() if not isinstance(v, str) for p in v]
        # Of many data sets some may be absent; that none is there is an error.
        self._available = set(present(listed))

    def add_tables(self, tables: Mapping[str, Any]) -> None:
        """Let the words of captions ask for `tables` that the job has made."""
        if "tables" not in self._inputs:
            self._read |= {("tables", kind): tables for kind in FRAMES}

    def of(self, function: Callable) -> dict[str, Any]:
        """Arguments of a function, by the names and annotations of its parameters."""
        arguments = {}
        for name, kind in annotations_of(function).items():
            if self._gathers(name, kind):
                arguments[name] = self._others(function)
                continue
            if (name, kind) not in self._read:
                self._read[name, kind] = self._argument(name, kind)
            arguments[name] = self._read[name, kind]
        return arguments

    def cell_document(self, function: Callable, table: Any) -> dict[str, Any]:
        """What the cells of a table rest on (`hedgerow_study.reporting.cells.document`)."""
        listed = self.cells(function, table)
        names = {rows.of for cell in listed for rows in cell.rows}
        return cells.document(
            function.shown.id, listed, {name: self.source(name) for name in names}
        )

    def cells(self, function: Callable, table: Any) -> list[cells.Cell]:
        """What the cells of a table rest on, as stands beside its function."""
        shown = function.shown
        available = {"table": table, "identifier": shown.id}
        for name, kind in annotations_of(shown.sources).items():
            if name in available:
                self._read[name, kind] = available[name]
        return list(shown.sources(**self.of(shown.sources)))

    def source(self, name: str) -> cells.Source:
        """An input as rows; `name/stem` is one file of several."""
        if name not in self._sources:
            key, _, stem = name.partition("/")
            paths = [p for p in _listed(self._inputs[key]) if stem in ("", Path(p).stem)]
            self._sources[name] = cells.read_source([p for p in paths if absence(p) is None])
        return self._sources[name]

    def _gathers(self, name: str, kind: str) -> bool:
        available = name in self._inputs or (name, kind) in self._read
        return name in GATHER and kind in FRAMES and not available

    def _others(self, function: Callable) -> dict[str, Any]:
        """Tables of the inputs that no parameter of a function names, by their names."""
        named = annotations_of(function)
        return {
            name: self._read.setdefault(
                (name, "pd.DataFrame"), self._argument(name, "pd.DataFrame")
            )
            for name, paths in self._inputs.items()
            if name not in named and not any("data/tidy/" in path for path in _listed(paths))
        }

    def _argument(self, name: str, kind: str) -> Any:
        if name in self._inputs:
            paths = self._inputs[name]
            if not isinstance(paths, str):
                available = [path for path in paths if path in self._available]
                # A list of frames may be empty where other parts of the experiment are there.
                if not available and kind != "Sequence[pd.DataFrame]":
                    present(paths)  # says why
                return READ[kind](available)
            reason = absence(paths)
            if reason is not None:
                raise DataError(
                    f"the data set of {paths} could not be had: {reason}",
                    remedy="name another one in the configuration",
                )
            return READ[kind]([paths])
        if kind.startswith("Iterable[int]"):
            return repeats_of(self._wildcards.chunk)
        call = self._params["call"]
        others = declaration(call).plans if ":" in call else {}
        if name != "plan" and name not in others:
            return self._params[name]
        word_section = section_of(call.partition(".")[0])
        section = word_section if name == "plan" else others[name][0]
        plan_class = sections()[section]
        given = {key: self._params[key] for key in plan_class.given if key in self._params}
        dataset = getattr(self._wildcards, "dataset", None)
        datasets = None if dataset is None else [dataset]
        return declared_plan(plan_class, {**self._params[name], **given}, datasets)


# ----------------------------------------------------------------------- reading and writing


def _listed(paths: str | Sequence[str]) -> Sequence[str]:
    return [paths] if isinstance(paths, str) else paths


def _frame(path: str):
    return read_csv(path) if path.endswith(".csv") else read_parquet(path)


def _frames(paths: Sequence[str]):
    return [_frame(path) for path in paths]


def _joined(paths: Sequence[str]):
    import pandas as pd

    frames = _frames(paths)
    return frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)


def _frames_by_stem(paths: Sequence[str]) -> dict[str, Any]:
    return {Path(p).stem: _frame(p) for p in paths if p.endswith((".csv", ".parquet"))}


def _printed(paths: Sequence[str]) -> dict[str, Any]:
    return {Path(p).stem: read_csv(p, text=True) for p in paths}


def _tables(paths: Sequence[str]):
    from hedgerow.data import read_tidy

    return [read_tidy(path) for path in paths]


def _table(paths: Sequence[str]):
    return _tables(paths[:1])[0]


def _figures(paths: Sequence[str]) -> dict[str, Path]:
    return {Path(p).stem: Path(p) for p in paths if p.endswith(".svg")}


def _captions(paths: Sequence[str]) -> dict[str, str]:
    return {Path(p).stem: read_caption(p) for p in paths if p.endswith(".rst")}


def _yaml(paths: Sequence[str]) -> dict[str, Any]:
    return read_yaml(paths[0])


#: How an input is read for a parameter, by the parameter's annotation: one data set (the first
#: that is there), all of them, tables one below the other, one by one or by the names of their
#: files, published tables as they are printed, a YAML file, figures and captions by the names of
#: theirs.
READ: dict[str, Callable[[Sequence[str]], Any]] = {
    "TidyTable": _table,
    "Sequence[TidyTable]": _tables,
    "pd.DataFrame": _joined,
    "Sequence[pd.DataFrame]": _frames,
    **dict.fromkeys(FRAMES, _frames_by_stem),
    "Printed": _printed,
    "Mapping[str, Path]": _figures,
    "Mapping[str, Any]": _yaml,
    "Mapping[str, str]": _captions,
}


def write(path: str, content: Any) -> None:
    """Write a table, figure, section or caption whole, by the suffix of its file."""
    suffix = Path(path).suffix
    if suffix == ".parquet":
        write_parquet(path, content)
    elif suffix == ".csv":
        write_csv(path, content)
    elif suffix == ".json":
        write_json(path, content.to_dict())
    elif suffix == ".rst":
        write_text(path, caption_text(content))
    else:
        from hedgerow.showing.figures import save

        save(content, path)


#: Characters that mean something in a caption of Snakemake's report, which reads reStructuredText.
_MARKUP = r"[\\*`|_]"


def caption_text(caption: str) -> str:
    """A caption as Snakemake's report can read it."""
    return re.sub(_MARKUP, r"\\\g<0>", caption) + "\n"


def read_caption(path: str | Path) -> str:
    """A caption as it was before `caption_text`."""
    return re.sub(r"\\(.)", r"\1", read_text(path)).rstrip("\n")
