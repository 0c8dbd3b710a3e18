"""Commands of the learner."""

from hedgerow.screen import Command

COMMANDS = (
    Command("data", "the data sets: list, get, check", "hedgerow.data.command:add_data"),
    Command(
        "explain",
        "why cases in a file are answered as they are, and how sure that is",
        "hedgerow.explanation.command:add_explain",
    ),
    Command(
        "gap",
        "how far a tree is from the best of its depth, with proof",
        "hedgerow.optimal.command:add_gap",
    ),
)
