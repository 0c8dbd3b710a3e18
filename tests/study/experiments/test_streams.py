"""Words that seeds are drawn from stay when an experiment gets another name."""

import importlib

import pytest

from hedgerow.data import seed_sequence
from hedgerow_study.experiments import WORDS, module_of

#: The word of each experiment's streams, and the first 32 bits of the state of one of them.
STREAMS = {
    "soft": ("soft", 1846722552),
    "soft_illustration": ("soft_illustration", 3446135147),
    "search": ("search", 2325253089),
    "structure": ("structure", 971422598),
    "survival": ("survival", 2029752541),
    "confidence": ("confidence", 1475842955),
    "evidential": ("evidential", 320246849),
    "missing": ("missing", 618692329),
    "noise_models": ("soft_beyond", 1448516368),
    "diverse_trees": ("structure_beyond", 796491803),
    "survival_baselines": ("survival_beyond", 1963290471),
    "optimality_gap": ("optimal", 2087720224),
    "uncertainty_benchmark": ("answers", 1872051694),
}


def stream_words():
    """The word of the streams of each experiment that draws."""
    plans = {word: importlib.import_module(module_of(f"{word}.plan")) for word in WORDS}
    return {word: p.EXPERIMENT for word, p in plans.items() if hasattr(p, "EXPERIMENT")}


def test_every_experiment_that_draws_has_a_pinned_stream():
    assert stream_words() == {word: stream for word, (stream, _) in STREAMS.items()}


@pytest.mark.parametrize("word", STREAMS)
def test_an_experiment_draws_as_before(word):
    """Renaming a folder must not change a split: five were renamed, and their draws stayed."""
    stream, state = STREAMS[word]
    assert seed_sequence(0, stream, "wine", 3, "split").generate_state(1)[0] == state
