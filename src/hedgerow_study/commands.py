"""Commands of the study."""

from hedgerow.screen import Command

COMMANDS = (
    Command(
        "reference",
        "make results at the scale of the papers, in parts, and tables of all parts",
        "hedgerow_study.workflow.references.command:add_reference",
    ),
    Command(
        "status",
        "which results are out of date, and why",
        "hedgerow_study.audit.command:add_status",
    ),
    Command(
        "changes",
        "what the last run changed: edits, claims, tables, figures",
        "hedgerow_study.audit.changes_command:add_changes",
    ),
    Command(
        "verify",
        "are results what their run recorded? every file, its parents, settings, versions",
        "hedgerow_study.audit.command:add_verify",
    ),
    Command(
        "archive",
        "a run as one zip file with an RO-Crate at its root",
        "hedgerow_study.audit.export_command:add_archive",
    ),
    Command(
        "claims",
        "the rows and rules behind all verdicts, for a second judge",
        "hedgerow_study.audit.export_command:add_claims",
    ),
    Command(
        "trace",
        "where a cell of a table comes from",
        "hedgerow_study.audit.trace_command:add_trace",
    ),
    Command(
        "replay",
        "make a row of a table again from its seeds",
        "hedgerow_study.audit.trace_command:add_replay",
    ),
)
