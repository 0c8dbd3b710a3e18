"""What the name of a column tells, in several languages and without accents."""

from __future__ import annotations

import re

from hedgerow_clinic.values import without_accents

#: Words of a column's name after which 1 is no event; those after which it is one; those that turn
#: the others round.
_WITHOUT = frozenset(
    {"alive", "living", "lives", "survived", "survives", "survivor", "survival", "surviving"}
    | {"cnsr", "censor", "censoring", "censura"}  # of CDISC: 0 is the event
    | {"free", "eventfree", "censored", "lebt", "lebend", "lebendig", "uberlebt", "uberlebend"}
    | {"ereignisfrei", "zensiert", "vivo", "viva", "vivos", "vivant", "vivante", "survie"}
    | {"censure", "sobreviveu", "sobrevivio", "sobrevive", "sobrevida", "supervivencia"}
    | {"superviviente", "sobreviviente", "censurado", "censurada", "levend", "overleefd"}
)
_WITH = frozenset({"event", "events", "evento", "ereignis", "death", "dead", "died", "deceased"})
_NOT = frozenset({"not", "no", "non", "nicht", "nao"})
#: Words of names by which columns of events, times and years are known.
EVENT_NAMES = frozenset(
    {"status", "cens", "cnsr", "censor", "dod", "vital", "outcome", "mort", "relapse", "exitus"}
    | {"recurrence", "fustat", "arrest", "obito", "tod", "verstorben", "gestorben", "deces"}
    | {"estado", "failure", *_WITH}
)
TIME_NAMES = frozenset(
    {"time", "times", "days", "weeks", "months", "years", "followup", "follow", "fu", "futime"}
    | {"survtime", "stime", "dtime", "survival", "os", "pfs", "dfs", "duration", "dauer", "zeit"}
    | {"tempo", "tiempo", "temps", "seguimento", "seguimiento", "nachbeobachtung", "surv"}
)
YEARS = frozenset({"year", "yr", "jahr", "annee", "anno", "ano", "jaar"})
#: How words of a name begin that tell of a birth.
_BIRTH = ("birth", "born", "geb", "naiss", "nac", "nasc", "dob", "yob")
#: Units that the name of a column tells, in several languages; the whole word or its end.
_UNIT_WORDS = {
    "days": "days|day|d|tage|jours|dias|dagen",
    "weeks": "weeks|week|wk|wks|wochen|semaines",
    "months": "months|month|mo|mon|mths|monate|mois|meses|maanden",
    "years": "years|year|y|yr|yrs|jahre|ans|annees|anos|jaar",
}


def name_words(name: str) -> set[str]:
    """Words of a column's name, in lower case and without accents.

    >>> sorted(name_words("Óbito_doPaciente (30d)"))
    ['d', 'do', 'obito', 'paciente']
    """
    return set(re.split(r"[^a-z]+", without_accents(re.sub(r"([a-z])([A-Z])", r"\1 \2", name)))) - {
        ""
    }


def unit_in_name(name: str) -> str | None:
    """The unit of time that the name of a column tells; None where it names none, or two.

    >>> unit_in_name("follow_up_days"), unit_in_name("time [months]"), unit_in_name("time")
    ('days', 'months', None)
    >>> unit_in_name("months_since_first_day") is None
    True
    """
    words = name_words(name)
    units = [unit for unit, spellings in _UNIT_WORDS.items() if words & set(spellings.split("|"))]
    return units[0] if len(units) == 1 else None


def time_like(name: str) -> bool:
    """Whether a column's name is that of a time.

    >>> time_like("fu"), time_like("rltime"), time_like("stage")
    (True, True, False)
    """
    words = name_words(name)
    return bool(words & TIME_NAMES) or has_affix_word(name, TIME_NAMES)


def has_affix_word(name: str, words: frozenset[str]) -> bool:
    """Whether a word of the name ends or begins in one of some words: `censdead`, `rectime`."""
    long = [word for word in words if len(word) >= 4]
    return any(part.endswith(w) or part.startswith(w) for part in name_words(name) for w in long)


def is_reversed_name(name: str) -> bool:
    """Whether 1 in a column of this name seems to say that there was no event.

    >>> [is_reversed_name(name) for name in ("alive", "Relapse-free", "os_event", "cens")]
    [True, True, False, False]
    """
    words = name_words(name)
    if words & _NOT or not words & _WITHOUT:
        return False
    return bool(words & {"free"}) or not words & _WITH


def birth_like(name: str) -> bool:
    """Whether a column's name is that of a date or year of birth."""
    return any(word.startswith(_BIRTH) for word in name_words(name))


def sex_like(name: str) -> bool:
    """Whether a column's name is that of a sex."""
    words = {"sex", "gender", "geschlecht", "sexe", "sexo", "genero", "male", "female"}
    return bool(words & name_words(name))


def age_like(name: str) -> bool:
    """Whether a column's name is that of an age."""
    return bool({"age", "alter", "edad", "idade", "leeftijd"} & name_words(name))
