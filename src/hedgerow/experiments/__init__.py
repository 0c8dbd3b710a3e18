"""One folder per experiment: a plan in, tidy rows out."""

#: The experiments in the order of the page. Each word names a folder here, rules, results, a target
#: and, where the experiment has settings of its own, a section of the configuration.
WORDS = (
    "soft",
    "soft_illustration",
    "soft_sweep",
    "soft_scores",
    "soft_beyond",
    "search",
    "structure",
    "structure_beyond",
    "survival",
    "survival_beyond",
    "confidence",
    "evidential",
    "missing",
    "optimal",
    "answers",
    "readings",
)
