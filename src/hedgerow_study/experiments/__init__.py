"""One folder per experiment: a plan in, tidy rows out."""

#: Experiments of the four papers, in the order of the page. Each word names a folder here, rules,
#: results, a target and, where there are settings, a section of the configuration.
PAPERS = (
    "soft",
    "soft_illustration",
    "soft_sweep",
    "search",
    "structure",
    "survival",
    "confidence",
    "evidential",
    "missing",
)
#: Questions of our own, and verdicts on the papers over all analytic choices: `make extensions`.
EXTENSIONS = (
    "noise_models",
    "diverse_trees",
    "survival_baselines",
    "optimality_gap",
    "uncertainty_benchmark",
    "analytic_choices",
)
WORDS = (*PAPERS, *EXTENSIONS)
#: Extensions that work on the samples and the cut of an experiment of a paper.
BUILT_ON = {"noise_models": "soft", "diverse_trees": "structure", "survival_baselines": "survival"}


def base_of(word: str) -> str:
    """The experiment whose samples and cut another one uses; itself where there is none."""
    first = word.partition("_")[0]
    return BUILT_ON.get(word, first if first in PAPERS else word)


def folder_of(word: str) -> str:
    """Folder of an experiment below the package, such as `experiments/soft`."""
    return f"{'extensions' if word in EXTENSIONS else 'experiments'}/{word}"


def module_of(call: str) -> str:
    """Full name of the module of a call such as `soft.tables:thesis_table_3_4`."""
    word, *path = call.partition(":")[0].split(".")
    return ".".join(["hedgerow_study", *folder_of(word).split("/"), *path])
