"""What each word of the columns of events and of treatment is taken for."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from hedgerow.texts import closest
from hedgerow_clinic.answers import Answers, option_text
from hedgerow_clinic.column_names import is_reversed_name
from hedgerow_clinic.problems import Problems
from hedgerow_clinic.table import Texts
from hedgerow_clinic.values import quoted, unique_texts, without_accents

#: Codings of an event, in lower case and without accents: English, then German, French, Portuguese
#: and Spanish.
NO = frozenset(
    {"0", "no", "n", "false", "f", "alive", "living", "censored", "none", "lost", "event-free"}
    | {"lost to follow-up", "lost to follow up", "no event", "event free"}
    | {"nein", "lebt", "lebend", "am leben", "zensiert", "kein ereignis", "non", "vivant"}
    | {"vivante", "censure", "nao", "vivo", "viva", "censurado", "censurada"}
    | {"sem evento", "sin evento", "perda de seguimento", "perdida de seguimiento"}
)
YES = frozenset(
    {"1", "yes", "y", "true", "t", "dead", "died", "deceased", "death", "event"}
    | {"ja", "tot", "verstorben", "gestorben", "tod", "oui", "mort", "morte", "decede", "decedee"}
    | {"sim", "si", "obito", "morto", "morta", "falecido", "falecida", "faleceu"}
    | {"muerto", "muerta", "fallecido", "fallecida", "fallecio", "exitus"}
)
#: Those of them that only say whether the name of their column holds.
SAY_WHETHER = frozenset(
    {"0", "no", "n", "false", "f", "nein", "non", "nao"}
    | {"1", "yes", "y", "true", "t", "ja", "oui", "sim", "si"}
)
UNKNOWN, NONE, EVENT, OTHER = -1, 0, 1, 2
MEANINGS = {NONE: "no event", EVENT: "the event", OTHER: "another event", UNKNOWN: "not known"}
#: The event first, then another one, then none.
ORDER = {EVENT: 0, OTHER: 1, NONE: 2}
#: Of treatment.
TREATED = {0: "not treated", 1: "treated"}
#: Words of so many letters that are so much alike (`hedgerow.texts.closest`) may be one word.
LETTERS, SIMILARITY = 4, 0.75
#: Words that a question lists.
LISTED = 6
_WHOLE = re.compile(r"([+-]?\d+)\.0+")
#: A code before a word: `1:DECEASED`, `0 = vivo`.
_CODED = re.compile(r"\d{1,2} ?[:=.)-] ?(\D.*)")


@dataclass(frozen=True)
class Word:
    """A word of a column, as it was written most often; empty for cells without one.

    Attributes
    ----------
    text : str
    meaning : str
    where : (n,) bool array
        The rows that have it.
    """

    text: str
    meaning: str
    where: np.ndarray

    @property
    def count(self) -> int:
        """Rows that have it."""
        return int(self.where.sum())

    @property
    def summary(self) -> str:
        """What it was taken for, and how often.

        >>> Word("dead", "the event", np.ones(3, dtype=bool)).summary
        "'dead' is the event (3)"
        """
        name = quoted(self.text) if self.text else "an empty cell"
        return f"{name} is {self.meaning} ({self.count})"

    def of(self, kept: np.ndarray) -> Word:
        """The word among some of the rows, `kept` a (n,) bool array."""
        return Word(self.text, self.meaning, self.where[kept])


def plain_word(text: str) -> str:
    """A word as words are compared: lower case, single blanks, whole numbers without decimals.

    >>> plain_word("Lost  to follow-up"), plain_word("1.0")
    ('lost to follow-up', '1')
    """
    text = " ".join(text.lower().split())
    match = _WHOLE.fullmatch(text)
    return match[1] if match else text


def usual_meaning(word: str) -> int | None:
    """Whether a word says that there was an event, in one of its codings; None where it is in none.

    >>> usual_meaning("óbito"), usual_meaning("0:living"), usual_meaning("cancer")
    (1, 0, None)
    """
    word = without_accents(word)
    if coded := _CODED.fullmatch(word):
        word = coded[1].strip()
    return EVENT if word in YES else NONE if word in NO else None


class _Words:
    """Words of a column, each once, with counts, first rows and the place of each cell's word."""

    def __init__(self, table: Texts, name: str):
        texts, codes = unique_texts(table.columns[name])
        self.known = list(dict.fromkeys(plain_word(text) for text in texts))
        place = {word: k for k, word in enumerate(self.known)}
        of = np.array([place[plain_word(text)] for text in texts] + [-1])
        self.codes = of[codes]
        self.counts = {w: int((self.codes == k).sum()) for w, k in place.items()}
        written: dict[str, str] = {}
        for text, count in zip(texts, np.bincount(codes[codes >= 0]), strict=False):
            best = written.get(plain_word(text))
            if best is None or count > (table.columns[name] == best).sum():
                written[plain_word(text)] = text
        self.written = written
        #: The word of empty cells, where there are any.
        self.empty = {""} if (self.codes < 0).any() else set()
        self.rows = {w: int(table.rows[int(np.argmax(self.codes == k))]) for w, k in place.items()}

    def listed(self, words: Iterable[str]) -> str:
        """Words with how many have them and where the first one stands."""
        words = sorted(words)
        some = ", ".join(
            f"{quoted(self.written[w])} ({self.counts[w]}, first in row {self.rows[w]})"
            for w in words[:LISTED]
        )
        return some + ", ..." * (len(words) > LISTED)

    def values(self, meaning: dict[str, int], empty: int) -> np.ndarray:
        """The meaning of each cell, (n,) int."""
        return np.array([*(meaning[word] for word in self.known), empty])[self.codes]

    def all(self, meaning: dict[str, int], texts: dict[int, str], empty: int) -> list[Word]:
        """Each word with its meaning, in the order of the meanings."""
        words = [
            Word(self.written[word], texts[meaning[word]], self.codes == place)
            for place, word in sorted(
                enumerate(self.known), key=lambda pair: (ORDER[meaning[pair[1]]], pair[1])
            )
        ]
        if (self.codes < 0).any():
            words.append(Word("", texts[empty], self.codes < 0))
        return words


def _plain_words(texts: Iterable[str]) -> set[str]:
    return {plain_word(text) for text in texts}


def events(
    table: Texts,
    name: str,
    problems: Problems,
    event_is: tuple[str, ...] = (),
    cause: str | None = None,
    answers: Answers | None = None,
) -> tuple[np.ndarray, list[Word]]:
    """Events, and what each word of their column was taken for."""
    # A word that may be a misspelt other one, and one that nothing tells the meaning of, is a
    # question. event_is: what counts as the event; by default 1, yes, true, dead and the like.
    # cause: the event that counts, all others competing with it. events: 0 none, 1 the event, 2
    # another; -1 where the cell is empty.
    answers, words = answers or Answers(), _Words(table, name)
    given = {
        EVENT: ("--event-is", event_is) if cause is None else ("--cause", [cause]),
        NONE: ("--no-event-is", answers.no_event_is),
        OTHER: ("--other-event-is", answers.other_event_is),
    }
    explicit = _explicit(words, name, given, problems)
    asked = bool(event_is) or cause is not None
    defaults = {word: usual_meaning(word) for word in words.known}
    defaults = {w: v for w, v in defaults.items() if v == NONE or (v == EVENT and not asked)}
    meaning = {word: explicit.get(word, defaults.get(word, UNKNOWN)) for word in words.known}
    unknown = [word for word in words.known if meaning[word] < 0]
    none = [word for word in (*words.known, "") if meaning.get(word, explicit.get(word)) == NONE]
    if cause is not None:
        if not words.empty:  # else an empty cell may say it, which `check_incomplete` asks
            _ask_who_had_none(words, name, unknown, none, problems)
        meaning |= dict.fromkeys(unknown, OTHER)
    elif event_is and len(unknown) == 1 and not none:
        meaning[unknown[0]] = NONE
    elif unknown:
        had = [] if none else [word for word in words.known if meaning[word] == EVENT]
        _ask_unknown(words, name, unknown, had, problems)
        meaning |= dict.fromkeys(unknown, NONE)
    _ask_misspelt(words, name, {*explicit, *defaults}, problems)
    if is_reversed_name(name) and not asked:
        _ask_turned(words, name, meaning, set(explicit), problems)
    empty = explicit.get("", UNKNOWN)
    return words.values(meaning, empty), words.all(meaning, MEANINGS, empty)


def _explicit(words: _Words, name: str, given, problems: Problems) -> dict[str, int]:
    """Meanings that options give to words; `given`: meaning to its option, and its words."""
    explicit: dict[str, int] = {}
    held = [quoted(words.written[word]) for word in sorted(words.known)]
    has = f"it has {', '.join(held[:LISTED])}"
    for meaning, (option, named) in given.items():
        named_words, remedy = _plain_words(named), f"give one of them as {option}"
        for word in sorted(named_words - set(words.known) - words.empty):
            message = f"no row holds {quoted(word)}: {has}" + ", ..." * (len(held) > LISTED)
            problems.add("event", message if word else f"no cell is empty: {has}", remedy, name)
        for word in sorted(named_words):
            if explicit.setdefault(word, meaning) != meaning:
                remedy = f"leave one of {given[explicit[word]][0]} and {option} out"
                problems.add("event", f"{quoted(word)} has two meanings", remedy, name)
    return explicit


def _ask_unknown(
    words: _Words, name: str, unknown: list[str], had: list[str], problems: Problems
) -> None:
    """Words of which nothing tells what they are, beside those (`had`) that would be the event."""
    problems.ask(
        "event",
        f"it holds {words.listed(unknown)}, which may be an event or none"
        + f" (as it is, {words.listed(had)} is the event)" * bool(had),
        "say of each --event-is, --no-event-is or --other-event-is (several causes: --cause)",
        name,
    )


def _ask_turned(
    words: _Words, name: str, meaning: dict[str, int], explicit: set[str], problems: Problems
) -> None:
    """Where 1 stands in a column such as `alive`: it would be taken for the event."""
    had, none = (
        [w for w in words.known if meaning[w] == value and without_accents(w) in SAY_WHETHER]
        for value in (EVENT, NONE)
    )
    had = [word for word in had if word not in explicit]
    if not had:
        return
    empty = int((words.codes < 0).sum())
    other = [words.written[none[0]]] if none else [""] * bool(empty)
    ways = [f"--event-is {shlex.quote(word)}" for word in (*other, words.written[had[0]])]
    problems.ask(
        "event",
        f"by its name it may say who had no event: it holds {words.listed(words.known)}"
        + f", is empty for {empty}" * bool(empty)
        + ", and nothing tells which of them is the event",
        f"say {' or '.join(ways)}",
        name,
    )


def _ask_who_had_none(
    words: _Words, name: str, unknown: list[str], none: list[str], problems: Problems
) -> None:
    """With one cause named, every other word is another cause: then a word has to say none."""
    if none or not unknown:
        return
    problems.ask(
        "event",
        f"no word says that a patient had no event: it holds {words.listed(words.known)}",
        "say which does with --no-event-is, or of each that it is --other-event-is",
        name,
    )


def _ask_misspelt(words: _Words, name: str, settled: set[str], problems: Problems) -> None:
    """Words much like another one that is not rarer, unless an option gives their meaning."""
    order = sorted(words.known, key=lambda w: (-words.counts[w], w))
    for place, word in enumerate(order):
        if word in settled or len(word) < LETTERS or any(c.isdigit() for c in word):
            continue
        held = [w for w in order[:place] if len(w) >= LETTERS]
        codings = sorted(w for w in YES | NO if len(w) >= LETTERS and usual_meaning(word) is None)
        near = closest(word, held, 1, SIMILARITY)
        if near := near or closest(word, codings, 1, SIMILARITY):
            problems.ask(
                "event",
                f"{words.listed([word])} may be {quoted(words.written.get(near[0], near[0]))} "
                "misspelt",
                "correct it, or say what it is with --event-is, --no-event-is or --other-event-is",
                name,
                words.rows[word],
            )


# ---------------------------------------------------------------------------------- treatment

#: So few different whole numbers are codes, not times.
MOST_CODES = 6
#: So many different words are levels of a treatment; more are notes.
MOST_ARMS = 12


def is_yes_no(column: np.ndarray) -> bool:
    """Whether a column says yes or no in one of its codings."""
    words = _plain_words(unique_texts(column)[0])
    return bool(words) and all(usual_meaning(word) is not None for word in words)


def tells_treated(column: np.ndarray) -> bool:
    """Whether a column says who was treated, in words or codes, rather than when."""
    texts = unique_texts(column)[0]
    if is_yes_no(column):
        return True
    if not texts or len(texts) > MOST_ARMS:
        return False
    whole = [re.fullmatch(r"\d{1,2}(\.0+)?", text) for text in texts]
    if all(whole):
        return len(texts) <= MOST_CODES
    return not any(re.search(r"\d", text) and not re.search(r"[a-z]", text, re.I) for text in texts)


def treated(
    table: Texts, name: str, problems: Problems, answers: Answers
) -> tuple[np.ndarray, list[Word]]:
    """Who was treated, (n,) bool, and what each word was taken for; nothing is not treated."""
    words = _Words(table, name)
    named = _plain_words(answers.treated_is)
    for word in sorted(named - set(words.known)):
        held = ", ".join(quoted(words.written[w]) for w in sorted(words.known)[:LISTED])
        problems.add(
            "treatment",
            f"no row holds {quoted(word)}: it has {held}",
            "give one of them as --treated-is",
            name,
        )
    if named:
        meaning = {word: int(word in named) for word in words.known}
        held = ", ".join(quoted(words.written[word]) for word in words.known if word in named)
        problems.decide(name, f"treated: {held}", option_text("treated_is", *answers.treated_is))
    elif all(usual_meaning(word) is not None for word in words.known):
        meaning = {word: int(usual_meaning(word) == EVENT) for word in words.known}
    else:
        meaning = dict.fromkeys(words.known, 0)
        empty = int((words.codes < 0).sum())
        problems.ask(
            "treatment",
            f"it holds {words.listed(words.known)}"
            + f", is empty for {empty}" * bool(empty)
            + ", and nothing tells who was treated",
            "say which count as treated with --treated-is",
            name,
        )
    return words.values(meaning, 0) == 1, words.all(meaning, TREATED, 0)
