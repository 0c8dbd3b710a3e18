"""Names say what they name: words of the field in place of everyday words that served as terms.

`tests/house_words.csv` lists the names and texts that are left. It may only shrink:

    python tests/test_glossary.py      write what is left, where that is less than before
"""

from __future__ import annotations

import ast
import csv
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
LEFT = ROOT / "tests/house_words.csv"
#: A word that no name has, and what takes its place.
WORDS = {
    "anew": "again, or the verb with re-",
    "behind": "source, provenance",
    "beside": "compared, side_by_side",
    "doubt": "uncertainty",
    "doubted": "noisy, uncertain",
    "doubtful": "uncertain",
    "doubts": "uncertainties; revisions of ConfDTree",
    "forgetting": "reset_fitted_state",
    "found": "the thing itself: tests, means, columns, findings",
    "gaps": "missing",
    "guess": "imputed, proposal",
    "guessed": "imputed, proposed",
    "guesses": "imputed, proposals",
    "known": "observed, available, labelled",
    "lasting": "keep_after_fit",
    "made": "the thing itself",
    "own": "the thing itself: subset, rows_of_part",
    "price": "penalty",
    "promise": "guarantee, coverage",
    "reading": "analytic choice",
    "readings": "analytic choices",
    "said": "message, probabilities, caption_values, formula",
    "sheet": "report",
    "stated": "claims, caption_values",
    "stranger": "untrusted",
    "strangers": "untrusted",
    "there": "available, existing",
    "told": "uncertainty, remedy, printed",
}
#: Names that are someone else's, and terms that contain such a word.
KEPT = {"FileNotFoundError", "ModuleNotFoundError", "PackageNotFoundError", "parse_known_args"}
#: What texts do without.
PROSE = re.compile(r"\b(?:told|anew|whoever|strangers?|for who)\b", re.IGNORECASE)
TEXTS = (".md", ".j2", ".py", ".pyx", ".smk", ".yaml")
#: Folders and files with words of others, of the past, or made from others.
PAST = ("CHANGELOG.md", "data/", "tests/", "src/hedgerow_data/README.md")
MADE = ("docs/_build/", "docs/api/", "docs/gallery/", "reports/")


def parts_of(name: str) -> list[str]:
    """Words of a name, small.

    >>> parts_of("_ReadMade_by")
    ['read', 'made', 'by']
    """
    return [word.lower() for word in re.split(r"_+|(?<=[a-z0-9])(?=[A-Z])", name) if word]


def named(text: str) -> Iterator[str]:
    """What a module defines: functions, classes, parameters, variables and attributes."""
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                yield node.name
            case ast.arg():
                yield node.arg
            case ast.Name(ctx=ast.Store()):
                yield node.id
            case ast.Attribute(ctx=ast.Store()):
                yield node.attr


def left() -> Counter[tuple[str, str, str]]:
    """Names of each package, and words of each text, that are still there: kind, where, what."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for path in sorted(ROOT.glob("src/**/*.py")):
        text = path.read_text(encoding="utf-8")
        package = path.relative_to(ROOT / "src").parts[0]
        for name in (path.stem, *named(text)):
            if name not in KEPT and any(word in WORDS for word in parts_of(name)):
                counts["name", package, name] += 1
    for path in sorted(ROOT.rglob("*")):
        where = path.relative_to(ROOT).as_posix()
        if (
            path.suffix in TEXTS
            and not where.startswith((*PAST, *MADE, ".", "build"))
            and path.is_file()
        ):
            words = PROSE.findall(path.read_text(encoding="utf-8"))
            counts.update(("text", where, word.lower()) for word in words)
    return counts


def allowed() -> Counter[tuple[str, str, str]]:
    """What `tests/house_words.csv` lists."""
    with LEFT.open(encoding="utf-8", newline="") as file:
        lines = list(csv.reader(file))[1:]
    return Counter({(kind, where, what): int(n) for kind, where, what, n in lines})


def test_names_and_texts_use_the_words_of_the_field():
    """`said` was a message, class probabilities, a caption and a formula."""
    more = left() - allowed()
    listed = [f"{what} in {where}" for _, where, what in more]
    assert not more, f"choose other words, WORDS and docs/glossary.md have some: {listed}"


def test_the_list_of_what_is_left_only_shrinks():
    fewer = allowed() - left()
    assert not fewer, "python tests/test_glossary.py takes off what is gone"


if __name__ == "__main__":
    counts = left()
    if LEFT.exists():
        counts &= allowed()
    with LEFT.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["kind", "where", "what", "n"])
        writer.writerows([*key, n] for key, n in sorted(counts.items()))
