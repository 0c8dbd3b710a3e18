"""Commands for a clinician's table."""

from hedgerow.screen import Command

COMMANDS = (
    Command(
        "survival",
        "risk groups of a clinician's own patients, in a folder that opens in a browser",
        "hedgerow_clinic.survival_command:add_survival",
    ),
    Command(
        "validate",
        "the risks of a tree tested in another hospital's patients",
        "hedgerow_clinic.validate_command:add_validate",
    ),
    Command(
        "apply",
        "patients of a table placed in the groups of a tree",
        "hedgerow_clinic.validate_command:add_apply",
    ),
)
