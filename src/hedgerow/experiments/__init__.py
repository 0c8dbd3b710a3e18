"""One folder per experiment: plan, steps, statistics, tables, figures, claims, page."""

#: The experiments, in the order of the page; a setting names those that a configuration runs.
WORDS = (
    "soft",
    "soft_illustration",
    "soft_sweep",
    "soft_scores",
    "soft_beyond",
    "search",
    "search_beyond",
    "structure",
    "structure_beyond",
)
