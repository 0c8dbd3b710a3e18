"""`hedgerow apply` and `hedgerow validate`: a model in other hospitals."""

from __future__ import annotations

import argparse
import math
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from hedgerow.screen import describe
from hedgerow_clinic.answers import add_answers, answers_of
from hedgerow_clinic.survival_command import (
    add_out,
    add_questions,
    add_quiet,
    add_rename,
    add_table,
    outcome_of,
    read_table,
    run_with_table,
    words_summary,
)

if TYPE_CHECKING:
    from hedgerow_clinic.model import RiskModel

MODEL = "a folder of `hedgerow survival`, or its tree.json"

# ----------------------------------------------------------------------------------- validate

VALIDATE = (
    "Test the risks of a tree in the patients of another hospital, in a folder that opens in a "
    "browser. Nothing leaves this computer."
)
VALIDATE_EXAMPLES = """examples:
  hedgerow validate sheet second.csv --time months --event died --out second
  hedgerow validate tree.json registry.xlsx --start inclusion --end last_seen --event status \\
      --rename grading=grade --out second
"""


def add_validate(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    describe(parser, VALIDATE, VALIDATE_EXAMPLES)
    parser.set_defaults(run=run_validate)
    parser.add_argument("model", metavar="FOLDER", help=MODEL)
    add_rename(add_table(parser))
    add_questions(parser)
    analysis = parser.add_argument_group("the analysis")
    analysis.add_argument(
        "--resamples",
        type=int,
        default=200,
        metavar="N",
        help="samples by which intervals are found (default: 200)",
    )
    analysis.add_argument("--seed", type=int, default=0, metavar="N", help="default: 0")
    add_out(parser)


def run_validate(options: argparse.Namespace) -> int:
    """Run `hedgerow validate`."""
    return run_with_table(options, "`hedgerow validate`", _run_validation)


def second_cohort(options: argparse.Namespace, model: RiskModel):
    """The cohort that a command describes, its patients in the groups of a model."""
    # X: inputs of the model that the table has; categories as codes.
    import numpy as np
    import pandas as pd

    from hedgerow.errors import InputError
    from hedgerow_clinic.cohort import read_cohort
    from hedgerow_clinic.placement import check_columns, matrix, place_patients, with_levels
    from hedgerow_clinic.schema import read_schema

    table, columns = read_table(options, model)
    outcome = outcome_of(options, f"{model.horizon!r}{model.unit[0]}")
    check_columns(model, table)
    table = with_levels(model, table)
    if options.schema is not None:
        columns = read_schema(options.schema, table, columns)
    if left := [v.name for v in model.tested if v.name in outcome.answers.not_input]:
        raise InputError(
            f"column `{left[0]}` is left out by --not-input, and the tree tests it",
            remedy="mend the table, or say --known-before",
        )
    has_schema = options.schema is not None
    columns = _match_model_columns(model, columns, outcome.columns, has_schema)
    cohort = read_cohort(table, outcome, columns)
    place = {int(row): k for k, row in enumerate(table.rows)}
    subset = table.of(np.array([place[int(row)] for row in cohort.rows]))
    numbers = {n: cohort.X[n] for n in cohort.X if not hasattr(cohort.X[n], "cat")}
    X, issues, unusable = matrix(model, subset, outcome.answers, numbers, everything=True)
    present = [k for k, v in enumerate(model.inputs) if v.name in table.columns]
    frame = pd.DataFrame({model.inputs[k].name: X[:, k] for k in present})
    return cohort, outcome, frame, place_patients(model, X, issues, unusable)


def _match_model_columns(model: RiskModel, columns, outcome, has_schema: bool):
    """Columns of a table as the model takes its inputs; all others are no inputs."""
    from hedgerow.errors import InputError

    inputs, matched = model.columns(), {}
    for name, column in columns.items():
        if name in outcome or (name not in inputs and column.kind in ("id", "date")):
            matched[name] = column
            continue
        if name not in inputs:
            matched[name] = replace(column, kind="ignore", why="no input of the model")
            continue
        first = inputs[name]
        if has_schema and column.unit and first.unit and column.unit != first.unit:
            raise InputError(
                f"column `{name}` is in {column.unit} by the schema, and in {first.unit} in the "
                "model",
                remedy="give the values in the unit of the model",
            )
        levels = first.categories
        if has_schema and column.kind == "category":
            # Levels of this hospital alone are new to the tree.
            levels = tuple(dict.fromkeys([*levels, *column.categories]))
        matched[name] = replace(
            first,
            low=column.low if has_schema and math.isfinite(column.low) else first.low,
            high=column.high if has_schema and math.isfinite(column.high) else first.high,
            categories=levels if first.kind == "category" else (),
            missing=first.missing | column.missing,
        )
    return matched


def _run_validation(options: argparse.Namespace, tell) -> str:
    from hedgerow.errors import InputError
    from hedgerow_clinic.disclosure import MIN_CELL_COUNT
    from hedgerow_clinic.external_validation import validate_model
    from hedgerow_clinic.layout import check_output_folder
    from hedgerow_clinic.model import read_model
    from hedgerow_clinic.validation_folder import WHAT, write_validation
    from hedgerow_clinic.validation_tables import with_interval

    if options.out is None:
        raise InputError("missing option --out (output folder)", remedy="give --out")
    check_output_folder(options.out, options.force, WHAT)
    model = read_model(options.model)
    cohort, outcome, X, placement = second_cohort(options, model)
    validation = validate_model(
        model,
        cohort,
        X,
        placement.node,
        placement.share,
        resamples=options.resamples,
        seed=options.seed,
        least=0 if options.show_small_counts else MIN_CELL_COUNT,
        progress=tell,
    )
    path = Path(options.table)
    written = write_validation(
        options.out,
        validation,
        path,
        outcome,
        title=options.title or f"A second hospital: {path.stem.replace('_', ' ')}",
        model_name=Path(options.model).name,
        rename=tuple(options.rename),
        force=options.force,
        schema=None if options.schema is None else Path(options.schema),
        documents=options.documents,
        progress=tell,
    )
    measures = validation.measures
    return (
        f"{len(validation.cohort)} patients in {len(model.groups)} groups; {cohort.taken_as}\n"
        + "".join(f"column `{n}`: {words_summary(w)}\n" for n, w in cohort.words.items())
        + f"observed over expected {with_interval(measures['ratio'])}, slope "
        f"{with_interval(measures['slope'])}, concordance "
        f"{with_interval(measures['concordance'])}\n"
        f"{Path(options.out) / 'index.html'}: open it in a browser ({len(written.files)} files)"
        + (f"\nwhat was there before is now {written.old}" if written.old else "")
    )


# -------------------------------------------------------------------------------------- apply

APPLY = (
    "Place patients in the risk groups of a tree: a CSV file with the group and the risk of each "
    "row of a table, and why one cannot be placed. Nothing leaves this computer."
)
APPLY_EXAMPLES = """examples:
  hedgerow apply sheet patients.csv --out groups.csv
  hedgerow apply tree.json clinic.xlsx --rename grading=grade --keep patient --out groups.csv
"""


def add_apply(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    describe(parser, APPLY, APPLY_EXAMPLES)
    parser.set_defaults(run=run_apply)
    parser.add_argument("model", metavar="FOLDER", help=MODEL)
    parser.add_argument("table", metavar="TABLE", help="a CSV file, or an .xlsx workbook")
    table = parser.add_argument_group("the table")
    add_rename(table)
    add_answers(table, ("sheet", "head", "hidden_rows", "decimal", "read"))
    out = parser.add_argument_group("what is written")
    out.add_argument("--out", metavar="FILE", help="gets a row for each row of the table (CSV)")
    out.add_argument(
        "--keep",
        action="append",
        default=[],
        metavar="COLUMN",
        help="copy it, such as an identifier; may be repeated",
    )
    out.add_argument("--force", action="store_true", help="write over FILE")
    add_quiet(out)


def run_apply(options: argparse.Namespace) -> int:
    """Run `hedgerow apply`."""
    from hedgerow.errors import InputError
    from hedgerow.files import check_free, for_spreadsheets, write_csv
    from hedgerow.optional_imports import import_optional
    from hedgerow_clinic.model import read_model
    from hedgerow_clinic.placement import groups_of
    from hedgerow_clinic.problems import Problems, TableError
    from hedgerow_clinic.rows import not_hidden

    for library in ("pandas", "lifelines", "statsmodels"):
        import_optional(library, "`hedgerow apply`")
    if options.out is None:
        raise InputError("missing option --out (output file)", remedy="give --out")
    check_free(options.out, options.force)
    model = read_model(options.model)
    answers, problems = answers_of(options), Problems()
    try:
        table, _ = read_table(options, model)
        table = table.of(not_hidden(table, answers, problems))
        problems.check(table.name)
    except TableError as error:
        print(f"hedgerow: {error}", file=sys.stderr)
        return 1
    placements = groups_of(model, table, answers, options.keep)
    write_csv(options.out, for_spreadsheets(placements))
    if not options.quiet:
        lost = int(placements["group"].isna().sum())
        n_uncertain = int((placements["why"] != "").sum()) - lost
        print(
            f"{len(placements)} rows, {len(placements) - lost} placed; risk of the event by "
            f"{model.horizon_text}\n"
            + f"not placed: {lost}, in doubt: {n_uncertain}; column `why` says why\n"
            * bool(lost or n_uncertain)
            + "no risks: the tree does not tell new patients apart\n" * (not model.finds)
            + f"{options.out}"
        )
    return 0
