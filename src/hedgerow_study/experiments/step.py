"""What a function of an experiment reads, writes, depends on and shows, said once, at the function.

A rule of the workflow names one function::

    @step("factors", "window", outputs=("trees", "tuning"))
    def learn(table: TidyTable, calibration: pd.DataFrame, plan, repeats: Iterable[int]): ...

    rule soft_learn:
        input: table=..., calibration=...          # the parameters of the function
        output: trees=..., tuning=...              # what it makes
        params: **step(config, "soft.steps:learn") # the call, its settings, a digest of its code
        script: "../scripts/step.py"

The decorators change nothing: they check what they are given and note it as `function.declared`,
which the workflow reads (`hedgerow_study.workflow.jobs.steps`).

Parameters are files, read by suffix and annotation (`READ`), but for these: `plan`, the settings
of the experiment's own section; one for each section named in `step`; the one that is annotated
`Iterable[int]`, the numbers of the chunk; a mapping of frames called as in `GATHER`, all inputs
that no other parameter names; and what the rule gives by name.
"""

from __future__ import annotations

import inspect
import string
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from hedgerow.ids import is_published, title_of

#: Stands for every setting of a section that a text may state, `seed` and `configuration` among
#: them: all but how the work is cut into jobs.
ALL = "*"


@dataclass(frozen=True)
class ReportItem:
    """A table or figure of the reports; the id names function, files and what the rule makes."""

    id: str
    kind: str  # "table" or "figure"
    title: str  # what it is about
    caption: str  # what is shown and what was run; {names} are filled from `caption_values`
    alt: str = ""  # of a figure: what it shows, for those who cannot see it
    #: Gets inputs of the job by its parameters and returns the words for the caption.
    caption_values: Callable[..., Mapping[str, str]] | None = None
    #: Of a table: gets it, as `table`, its id, as `identifier`, and inputs of the job by its
    #: parameters, and yields a `hedgerow_study.reporting.cells.Cell` for each number: the rows that
    #: it rests on.
    sources: Callable[..., Iterator[Any]] | None = None
    #: Of a table: gets a row that a cell rests on and all rows of its file, and returns what tells
    #: the tree of that row apart, by columns of the table of trees. Without, the columns that rows
    #: and trees have both.
    tree: Callable[[Mapping[str, Any], Any], Mapping[str, Any]] | None = None

    @property
    def heading(self) -> str:
        """What it is called on the page: its number in the paper, or what it is about."""
        return title_of(self.id) if is_published(self.id) else self.title

    def caption_text(self, arguments: Callable[[Callable], Mapping[str, Any]]) -> str:
        """The caption of one run; arguments: gives a function's arguments."""
        if self.caption_values is None:
            return self.caption
        return self.caption.format_map(self.caption_values(**arguments(self.caption_values)))


@dataclass(frozen=True)
class Declaration:
    """What stands at a function of an experiment."""

    function: Callable
    kind: str  # "step", "table" or "figure"
    settings: tuple[str, ...] = (ALL,)  # of the experiment's own section
    #: Of other sections, by parameter: (section, setting, ...).
    plans: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    outputs: tuple[str, ...] = ()
    title: str = ""  # of a table or figure

    @property
    def name(self) -> str:
        """The function's, as in `learn`."""
        return self.function.__name__

    @property
    def module(self) -> str:
        """The function's without package and room, as in `soft.steps`."""
        return self.function.__module__.split(".", 2)[-1]

    @property
    def word(self) -> str:
        """The experiment, which names the section as well."""
        return self.module.partition(".")[0]

    @property
    def parameters(self) -> dict[str, str]:
        """Annotation of each parameter."""
        return annotations_of(self.function)


def annotations_of(function: Callable) -> dict[str, str]:
    """Annotation of each parameter of a function, as it is written."""
    parameters = inspect.signature(function).parameters.items()
    return {name: "" if p.annotation is p.empty else str(p.annotation) for name, p in parameters}


def step(*settings: str, outputs: tuple[str, ...] = (), **plans: tuple[str, ...]):
    """A function that a rule runs."""
    for name, words in plans.items():
        if len(words) < 2 or not all(isinstance(word, str) for word in words):
            raise TypeError(f"`{name}` has to be (section, setting, ...)")

    def noted(function):
        function.declared = Declaration(function, "step", settings, plans, tuple(outputs))
        return function

    return noted


def table(title: str, *, caption: str, sources, caption_values=None, tree=None):
    """A table of the reports: a function that returns a data frame under the name of its id.

    It may read every setting of its section that a text may state.
    """

    def noted(function):
        _check(function, caption, caption_values)
        function.shown = ReportItem(
            function.__name__,
            "table",
            title,
            caption,
            caption_values=caption_values,
            sources=sources,
            tree=tree,
        )
        function.declared = Declaration(function, "table", title=title)
        return function

    return noted


def figure(title: str, *, caption: str, alt: str, caption_values=None):
    """A figure of the reports: a function that returns it under the name of its id."""

    def noted(function):
        _check(function, caption, caption_values)
        function.shown = ReportItem(
            function.__name__, "figure", title, caption, alt, caption_values
        )
        function.declared = Declaration(function, "figure", title=title)
        return function

    return noted


def _check(function: Callable, caption: str, caption_values) -> None:
    fields = [name for _, name, _, _ in string.Formatter().parse(caption) if name is not None]
    if caption_values is None and fields:
        raise TypeError(
            f"the caption of {function.__name__} asks for {fields[0]} and has no caption_values"
        )
