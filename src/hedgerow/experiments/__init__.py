"""One folder per experiment: a plan in, tidy rows out."""

#: Experiments of the four papers, in the order of the page. Each word names a folder here, rules,
#: results, a target and, where there are settings, a section of the configuration.
PAPERS = (
    "soft",
    "soft_illustration",
    "soft_sweep",
    "soft_scores",
    "search",
    "structure",
    "survival",
    "confidence",
    "evidential",
    "missing",
)
#: Questions of our own, and verdicts on the papers over all analytic choices: `make extensions`.
EXTENSIONS = (
    "soft_beyond",
    "structure_beyond",
    "survival_beyond",
    "optimal",
    "answers",
    "readings",
)
WORDS = (*PAPERS, *EXTENSIONS)
