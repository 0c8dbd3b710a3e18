"""`hedgerow survival patients.csv --time T --event E --out sheet`, for a clinician's own table."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.screen import describe
from hedgerow_clinic.answers import add_answers, answers_of

if TYPE_CHECKING:
    from hedgerow_clinic.model import RiskModel

DESCRIPTION = (
    "Divide the patients of a table into risk groups by a tree, and describe them in a folder that "
    "opens in a browser. Nothing leaves this computer."
)
EXAMPLES = """examples:
  hedgerow survival patients.csv --template schema.yaml
  hedgerow survival patients.csv --time months --event died --horizon 5y --out sheet
  hedgerow survival registry.xlsx --start inclusion --end last_seen --event status \\
      --cause "cardiac death" --intervention date_of_surgery --schema schema.yaml --out sheet
"""


#: Seconds after which a run that writes to no terminal says what it does.
LINE_INTERVAL = 30.0
#: Said where --entry was given without --weights.
ENTRY_WEIGHTS_NOTE = (
    "--entry turns --weights on: who had the event before coming under observation is not in the "
    "table, and others stand for them\n"
)


def add_survival(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    describe(parser, DESCRIPTION, EXAMPLES)
    parser.set_defaults(run=run, parser=parser)
    table = add_table(parser)
    table.add_argument("--template", metavar="FILE", help="write such a file from the table, stop")
    add_questions(parser)
    add = parser.add_argument_group("the analysis").add_argument
    add("--horizon", default="6y", metavar="TIME", help="such as 18m or 6y (default: %(default)s)")
    add(
        "--competing",
        choices=["censored", "survived"],
        default="censored",
        help="another event before the horizon: the end of follow-up, as in the thesis (default), "
        "or that the event will not come any more",
    )
    add("--landmark", metavar="TIME", help="treated by then is treated (default: 6m)")
    add(
        "--adjust",
        default="",
        metavar="COLUMNS",
        help="variables of the adjusted Cox models, such as age,sex",
    )
    add(
        "--weights",
        action="store_true",
        help="patients whose class is known stand for those censored before the horizon",
    )
    add(
        "--life-table",
        metavar="FILE",
        help="CSV with age, sex and q (or hazard), and year where it has any",
    )
    add("--age", metavar="COLUMN", help="by which the tree is tested apart")
    add("--sex", metavar="COLUMN", help="the same; both for a life table")
    add("--permutations", type=int, default=0, metavar="N", help="permutations of the outcomes")
    add(
        "--bootstraps",
        type=int,
        metavar="N",
        help="bootstraps of all steps, for what holds of the next patient (default: 200, fewer "
        "with more than 2,500 patients; 0: none)",
    )
    add(
        "--min-followed",
        type=float,
        default=0.2,
        metavar="SHARE",
        help="share of a group that could be followed to the horizon, for a test and a risk "
        "(default: 0.2)",
    )
    add(
        "--max-depth",
        type=int,
        default=4,
        metavar="N",
        help="tests on a path, at most (default: 4)",
    )
    add(
        "--min-patients",
        type=int,
        default=20,
        metavar="N",
        help="patients of a group, at least (default: 20)",
    )
    add(
        "--test-size",
        type=float,
        default=0.25,
        metavar="SHARE",
        help="share of the patients that test the tree (default: 0.25)",
    )
    add("--seed", type=int, default=0, metavar="N", help="default: 0")
    add_out(parser, "the file of --template, or the folder of an earlier run, which is moved aside")


def add_table(parser: Any) -> Any:
    """Add what tells a table with its follow-up; gives the group of these options."""
    parser.add_argument("table", metavar="TABLE", help="a CSV file, or an .xlsx workbook")
    table = parser.add_argument_group("the table")
    table.add_argument("--time", metavar="COLUMN", help="time of follow-up")
    table.add_argument("--start", metavar="COLUMN", help="date of inclusion, in place of --time")
    table.add_argument("--end", metavar="COLUMN", help="date of the event or of last contact")
    table.add_argument(
        "--unit",
        choices=["days", "weeks", "months", "years"],
        help="unit of the times, if neither names nor schema give it",
    )
    table.add_argument("--event", metavar="COLUMN", help="event indicator or event type")
    table.add_argument(
        "--event-is",
        action="append",
        default=[],
        metavar="WORD",
        help="what counts as the event, where it is not 1, yes, true, dead; may be repeated",
    )
    table.add_argument("--cause", metavar="WORD", help="the event that counts, others competing")
    table.add_argument(
        "--intervention",
        metavar="COLUMN",
        help="date or time of a treatment; yes and no tells no time, and biases the comparison",
    )
    table.add_argument(
        "--entry",
        metavar="COLUMN",
        help="date or time at which a patient came under observation, if after the start "
        "(turns --weights on)",
    )
    table.add_argument("--schema", metavar="FILE", help="what the columns are (YAML)")
    table.add_argument(
        "--leave-out-incomplete",
        action="store_true",
        help="leave out patients without time, event or entry, instead of naming them",
    )
    return table


def add_rename(group: Any) -> None:
    """Add other names for columns."""
    group.add_argument(
        "--rename",
        action="append",
        default=[],
        metavar="OLD=NEW",
        help="another name for a column, which all other options then use; may be repeated",
    )


def add_questions(parser: Any) -> None:
    """Add the answers to questions that a table raises."""
    add_answers(
        parser.add_argument_group(
            "answers to questions", "what a table leaves open; each may be given more than once"
        )
    )


def add_out(
    parser: Any,
    replaced: str = "the folder of an earlier run, which is moved aside",
    small_counts: bool = True,
    documents: bool = True,
) -> None:
    """Add where a folder is written, and how."""
    out = parser.add_argument_group("what is written")
    out.add_argument("--out", metavar="FOLDER", help="gets index.html and all else")
    out.add_argument(
        "--title", metavar="TEXT", help="title of the page (default: from the table's name)"
    )
    out.add_argument("--force", action="store_true", help=f"replace what is there: {replaced}")
    if small_counts:
        out.add_argument(
            "--show-small-counts", action="store_true", help="show counts from 1 to 4 as well"
        )
    if documents:
        out.add_argument(
            "--documents", action="store_true", help="each table as .docx as well (python-docx)"
        )
    add_quiet(out)


def add_quiet(group: Any) -> None:
    """Add that nothing is said."""
    group.add_argument("--quiet", action="store_true", help="say nothing but errors")


def run(options: argparse.Namespace) -> int:
    """Run the command."""
    work = _run_analysis if options.template is None else _template
    return run_with_table(options, "`hedgerow survival`", work)


def run_with_table(
    options: argparse.Namespace, command: str, work: Callable[[Any, Any], str]
) -> int:
    """Do what a command does with a table, and say what came of it."""
    # work: gets the options and what tells of progress; gives what is said in the end.
    from hedgerow.optional_imports import import_optional
    from hedgerow_clinic.problems import TableError

    libraries = ["pandas", "lifelines", "statsmodels", "matplotlib", "jinja2", "yaml"]
    for library in libraries + ["docx"] * options.documents:
        import_optional(library, command)
    try:
        with ProgressLine(options.quiet) as tell:
            tell("reading the table")
            summary = work(options, tell)
    except TableError as error:
        print(f"hedgerow: {error}", file=sys.stderr)
        return 1
    if not options.quiet:
        print(summary)
    return 0


def read_table(options: argparse.Namespace, model: RiskModel | None = None):
    """The table, its columns by their new names, and what they seem to be."""
    from dataclasses import replace

    from hedgerow_clinic.number_cells import apply_read_options
    from hedgerow_clinic.placement import real_words, renamed
    from hedgerow_clinic.schema import detect_columns
    from hedgerow_clinic.table import read_texts

    answers = answers_of(options)
    sheet = next(iter(answers.sheet), None)
    renames = getattr(options, "rename", None) or []
    real = real_words(answers.real_value, renames, model)
    real = replace(real, missing_value=answers.missing_value)
    table = renamed(read_texts(options.table, sheet, answers.head_row, real), renames)
    table = apply_read_options(table, answers)
    return table, detect_columns(table, answers)


def _template(options: argparse.Namespace, tell) -> str:
    from hedgerow.files import check_free
    from hedgerow_clinic.schema import write_template

    table, columns = read_table(options)
    check_free(options.template, options.force)
    write_template(options.template, table, columns)
    return f"{options.template}: {len(columns)} columns, to be corrected"


def cohort_of(options: argparse.Namespace, tell: Callable[[str], None] | None = None):
    """The cohort that a command describes."""
    # tell: gets a few words at the start of each step, and `repetition` after each column.
    from hedgerow_clinic.cohort import read_cohort
    from hedgerow_clinic.schema import read_schema

    table, columns = read_table(options)
    outcome = outcome_of(options, options.horizon)
    if options.schema is not None:
        columns = read_schema(options.schema, table, columns)
    return read_cohort(table, outcome, columns, options.min_followed, tell), outcome


def outcome_of(options: argparse.Namespace, horizon: str):
    """The follow-up that a command describes."""
    from hedgerow.errors import InputError
    from hedgerow_clinic.cohort import Outcome

    if options.event is None:
        raise InputError("missing option --event (column of the event)", remedy="give --event")
    return Outcome(
        options.event,
        options.time,
        options.start,
        options.end,
        options.intervention,
        options.unit,
        horizon,
        tuple(options.event_is),
        options.cause,
        options.leave_out_incomplete,
        answers_of(options),
        options.entry,
    )


def _run_analysis(options: argparse.Namespace, tell) -> str:
    from hedgerow_clinic.analysis import Settings, analyse
    from hedgerow_clinic.checklist import no_tree_message
    from hedgerow_clinic.disclosure import MIN_CELL_COUNT
    from hedgerow_clinic.folder import WHAT, write_folder
    from hedgerow_clinic.layout import check_output_folder
    from hedgerow_clinic.missing_options import check_required_options, given_options

    timed = options.time is not None or (options.start is not None and options.end is not None)
    if options.out is None or options.event is None or not timed:
        check_required_options(
            options, *read_table(options), given_options(options, options.parser)
        )
    check_output_folder(options.out, options.force, WHAT)
    path = Path(options.table)
    cohort, outcome = cohort_of(options, tell)
    table = _life_table(options)
    settings = Settings(
        options.max_depth,
        options.min_patients,
        options.test_size,
        _landmark(options.landmark, cohort.unit),
        tuple(name.strip() for name in options.adjust.split(",") if name.strip()),
        options.permutations,
        options.seed,
        options.competing,
        options.bootstraps,
        options.weights or options.entry is not None,
        options.age,
        options.sex,
        None if options.life_table is None else Path(options.life_table).name,
        options.min_followed,
    )
    analysis = analyse(cohort, settings, tell, table)
    written = write_folder(
        options.out,
        analysis,
        path,
        outcome,
        title=options.title or f"Risk groups: {path.stem.replace('_', ' ')}",
        least=0 if options.show_small_counts else MIN_CELL_COUNT,
        force=options.force,
        schema=None if options.schema is None else Path(options.schema),
        documents=options.documents,
        progress=tell,
    )
    where = Path(options.out) / "index.html"
    nothing = "" if analysis.separates_patients else f"{no_tree_message(analysis)}\n"
    groups = f"{len(analysis.numbers)} group{'s' * (len(analysis.numbers) > 1)}"
    return (
        f"{len(cohort)} patients, {groups}; {cohort.taken_as}\n"
        + "".join(
            f"column `{name}`: {words_summary(words)}\n" for name, words in cohort.words.items()
        )
        + ENTRY_WEIGHTS_NOTE * (options.entry is not None and not options.weights)
        + f"{nothing}{where}: open it in a browser ({len(written.files)} files)"
        + (f"\nwhat was there before is now {written.old}" if written.old else "")
    )


def _life_table(options: argparse.Namespace):
    """The life table that a command names; None where it names none."""
    import pandas as pd

    from hedgerow.errors import DataError
    from hedgerow.files import read_bytes

    if options.life_table is None:
        return None
    path = Path(options.life_table)
    content = read_bytes(
        path,
        absent="check its name and folder",
        other="name a CSV file",
        long="leave out ages or years",
        unreadable="close it elsewhere, or copy it",
    )
    try:
        import io

        table = pd.read_csv(io.BytesIO(content), dtype={"sex": str})
    except (ValueError, UnicodeDecodeError):
        raise DataError(f"{path.name} is no CSV table", remedy="export it again") from None
    return table


def words_summary(words) -> str:
    """What each word of a column was taken for, and how often."""
    return ", ".join(word.summary for word in words)


def _landmark(text: str | None, unit: str) -> float | None:
    """The landmark in the unit of the horizon."""
    from hedgerow.errors import InputError
    from hedgerow_clinic.values import DAYS, horizon_of, quoted

    if text is None:
        return None
    try:
        length, text_unit = horizon_of(text)
    except ValueError:
        raise InputError(
            f"the landmark is {quoted(text)}", remedy="write a number and d, w, m or y, such as 6m"
        ) from None
    return length * DAYS[text_unit] / DAYS[unit]


class ProgressLine:
    """What is being done, on a line of the terminal, and how often it was repeated."""

    def __init__(self, quiet: bool):
        from rich.console import Console
        from rich.progress import Progress, SpinnerColumn, TextColumn

        console = Console(stderr=True, markup=False, emoji=False, highlight=False)
        # Into a pipe or a file a line now and then, once it takes long.
        self._lines = not quiet and not console.is_terminal
        self._last, self._print = time.monotonic(), console.print
        self._bars = Progress(
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            console=console,
            transient=True,
            disable=quiet or not console.is_terminal,
        )
        self._task = self._bars.add_task("", total=None)
        self._words, self._count = "", 0

    def __enter__(self) -> Callable[[str], None]:
        self._bars.start()
        return self.tell

    def __exit__(self, *_) -> None:
        self._bars.stop()

    def _counter(self) -> str:
        return f": {self._count}" if self._count else ""

    def tell(self, words: str) -> None:
        """Say what is done now; `repetition`: that it was done once more."""
        if words == "repetition":
            self._count += 1
        else:
            self._words, self._count = words, 0
        if self._lines and time.monotonic() - self._last >= LINE_INTERVAL:
            self._last = time.monotonic()
            self._print(f"{self._words}{self._counter()}", soft_wrap=True)
        self._bars.update(
            self._task, description=self._words + f": {self._count}" * (self._count > 0)
        )
