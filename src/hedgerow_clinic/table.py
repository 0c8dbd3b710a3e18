"""A table of patients as people have it: texts in columns, whichever program wrote them.

Nothing that is read is called, and no cell is taken for a formula.
"""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from hedgerow.errors import DataError
from hedgerow.files import read_bytes
from hedgerow.showing.numbers import count
from hedgerow.texts import legible
from hedgerow_clinic.answers import Answers, option_text
from hedgerow_clinic.problems import Problems
from hedgerow_clinic.workbook import Worksheet, read_worksheet

DELIMITERS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
#: Lines from which the delimiter is found.
LOOKED_AT = 50
#: Rows that hold something, among which the head is looked for.
HEAD_WITHIN = 12
_NUMBER = re.compile(r"[+-]?\d[\d., ]*")
#: Texts, in lower case, that stand for a value which is not there.
MISSING = frozenset(
    {"", "na", "n/a", "n.a.", "nan", "null", "<na>", "#n/a", "missing"}
    | {".", "-", "--", "–", "—", "?"}
)
#: Share of pairs of bytes with a zero in them, above which a text is UTF-16.
ZEROS = 0.8
#: Codes of countries, among which NA is one.
_COUNTRY, FEWEST_CODES = re.compile("[A-Z]{2}"), 4
#: What Excel writes where a formula failed.
EXCEL_ERRORS = frozenset({"#div/0!", "#ref!", "#value!", "#name?", "#num!", "#null!", "#####"})
#: Characters of a field: Python's reader of CSV stops there, and more is an open quotation mark.
MOST_LETTERS = 131_072


@dataclass(frozen=True)
class Texts:
    """A table as it was read.

    Attributes
    ----------
    name : str
        Of the file.
    columns : dict of (n,) object array
        By name, texts without blanks around them; None where there is none. Control characters
        are written out, in names as well (`hedgerow.texts.legible`).
    rows : (n,) int array
        Row of each line as a spreadsheet counts: the head is row 1.
    delimiter : str
        `comma`, `semicolon`, `tab`, `bar` or `sheet` (of a workbook).
    encoding : str
    decimal : str or None
        `comma` or `point`; None where no number tells.
    sheet : str
        Of a workbook.
    hidden : (n,) bool array or None
        Rows of a workbook that are hidden or filtered out.
    notes : tuple of str
        What else has to be known of a workbook.
    """

    name: str
    columns: dict[str, np.ndarray]
    rows: np.ndarray
    delimiter: str
    encoding: str
    decimal: str | None
    sheet: str = ""
    hidden: np.ndarray | None = None
    notes: tuple[str, ...] = ()

    def __len__(self) -> int:
        return len(self.rows)

    def of(self, kept: np.ndarray) -> Texts:
        """The table of some of its rows, `kept` a (n,) bool array."""
        columns = {name: column[kept] for name, column in self.columns.items()}
        hidden = None if self.hidden is None else self.hidden[kept]
        return replace(self, columns=columns, rows=self.rows[kept], hidden=hidden)


def read_texts(
    path: str | Path,
    sheet: str | None = None,
    head: int | None = None,
    answers: Answers | None = None,
) -> Texts:
    """Read a table of patients."""
    # path: comma, semicolon, tab or bar between fields, in UTF-8, UTF-16 with its mark, or
    # Windows-1252; or a workbook of Excel (.xlsx). sheet: of a workbook; by default its only
    # visible one with a table. head: the row that names the columns, as a spreadsheet counts; by
    # default the first one that holds anything, where no later one looks more like it. answers:
    # among them words such as NA that are values of a column.
    path = Path(path)
    content = _bytes_of(path)
    if path.suffix.lower() == ".xlsx" or content[:4] == b"PK\x03\x04":
        return _of_workbook(path, read_worksheet(path, content, sheet), head, answers or Answers())
    elif content[:8] == b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1":
        raise DataError(f"{path.name} is an old workbook", remedy="save it as .xlsx or as CSV")
    else:
        if sheet is not None:
            raise DataError(f"{path.name} is no workbook", remedy="leave out --sheet")
        text, encoding = _decode(path, content)
        records, delimiter = _of_text(path, text)
    columns, rows = _columns(path.name, records, answers or Answers(), head)
    decimal = _decimal(columns, delimiter)
    return Texts(legible(path.name), columns, rows, delimiter, encoding, decimal)


def _of_workbook(path: Path, sheet: Worksheet, head: int | None, answers: Answers) -> Texts:
    columns, rows = _columns(path.name, sheet.records, answers, head)
    hidden = np.isin(rows - 1, list(sheet.hidden))
    name = legible(path.name)
    details = (legible(sheet.name), hidden, sheet.notes)
    return Texts(name, columns, rows, "sheet", "xlsx", "point", *details)


def _bytes_of(path: Path) -> bytes:
    content = read_bytes(
        path,
        absent="check its name and folder",
        other="name a CSV file or an .xlsx workbook",
        long="leave out columns or patients",
        unreadable="close it elsewhere, or copy it",
    )
    if not content.strip():
        raise DataError(f"{path.name} is empty", remedy="export the table again")
    return content


def _decode(path: Path, content: bytes) -> tuple[str, str]:
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        try:
            return content.decode("utf-16"), "UTF-16"
        except UnicodeDecodeError:
            raise DataError(f"{path.name} is damaged UTF-16", remedy="export it again") from None
    # Letters of Europe have a zero in each pair of bytes, which also is where UTF-16 has no mark.
    for form, zeros, letters in (
        ("le", content[1::2], content[::2]),
        ("be", content[::2], content[1::2]),
    ):
        if zeros.count(0) > ZEROS * len(zeros) and not letters.count(0) and len(content) % 2 == 0:
            try:
                return content.decode(f"utf-16-{form}"), "UTF-16 without its mark"
            except UnicodeDecodeError:
                break
    if b"\x00" in content:
        raise DataError(f"{path.name} is no text", remedy="export the table as CSV or .xlsx")
    try:
        return content.decode("utf-8-sig"), "UTF-8"
    except UnicodeDecodeError:
        pass
    try:
        return content.decode("cp1252"), "Windows-1252"
    except UnicodeDecodeError:
        return content.decode("latin-1"), "Latin-1"


def _of_text(path: Path, text: str) -> tuple[list[list[str]], str]:
    """Records of a text, and the name of its delimiter."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    delimiter = None
    head, _, rest = text.partition("\n")
    # A line of Excel's, for Excel, which does not show it.
    if match := re.fullmatch(r'"?sep=(.)"?', head.strip(" "), re.IGNORECASE):
        delimiter, text = match[1], rest
        if delimiter not in DELIMITERS:
            raise DataError(
                f"{path.name}: its first line names {delimiter!r} as what divides fields",
                remedy="export it with commas, semicolons or tabs",
            )
    delimiter = delimiter or _delimiter(text)
    records = []
    reader = csv.reader(io.StringIO(text), delimiter=delimiter)
    try:
        records.extend(reader)
    except csv.Error as error:
        if "field limit" in str(error):
            raise DataError(
                f"{path.name}: a field of row {len(records) + 1} has more than "
                f"{count(MOST_LETTERS)} characters",
                remedy="close a quotation mark in or before it, or shorten it",
            ) from None
        raise DataError(
            f"{path.name}: in row {len(records) + 1} a quotation mark is not closed",
            remedy="close or remove it",
        ) from None
    if records and "\n" in "".join(records[-1]) and text.count('"') % 2:
        raise DataError(
            f"{path.name}: in row {len(records)} a quotation mark is not closed",
            remedy="close or remove it",
        )
    return records, DELIMITERS[delimiter]


def _delimiter(text: str) -> str:
    """What divides the fields: what gives most lines the same number of them, above one."""
    # Titles above the head have fewer fields, or none.
    lines = [line for line in text[:200_000].split("\n") if line.strip()][:LOOKED_AT]
    best, best_delimiter = (0.0, 0), ","
    for delimiter in DELIMITERS:
        try:
            counts = [len(r) for r in csv.reader(lines, delimiter=delimiter)]
        except csv.Error:  # an unclosed field: reading the table reports it
            continue
        several = Counter(count for count in counts if count > 1)
        if several:
            count, lines_alike = max(several.items(), key=lambda pair: (pair[1], pair[0]))
            if (share := (lines_alike / len(counts), count)) > best:
                best, best_delimiter = share, delimiter
    return best_delimiter


def _start(name: str, records: list[list[str]], head: int | None) -> int:
    """Place of the row that names the columns."""
    # Above it may stand a title, or words that stand over several columns each: where the first row
    # leaves columns without a name and a later one names all of them, it is a question.
    filled = [k for k, r in enumerate(records) if any(f.strip() for f in r)]
    if not filled:
        raise DataError(f"{name} holds no table", remedy="its first row names the columns")
    if head is not None:
        if head - 1 not in filled:
            raise DataError(f"{name} has nothing in row {head}", remedy="give another --head")
        return head - 1
    start = filled[0]
    below = [records[k] for k in filled[1 : LOOKED_AT + 1]]
    width = max(Counter(map(_last, below)).items(), key=lambda c: (c[1], c[0]))[0] if below else 0
    if not _names(records[start], width):
        for k in filled[1:HEAD_WITHIN]:
            rest = [records[j] for j in filled if j > k][:LOOKED_AT]
            if _names(records[k], width) and any(map(_has_number, rest)):
                problems = Problems()
                problems.add(
                    "head",
                    f"it does not name {width} columns, and row {k + 1} looks like the head",
                    f"say --head {k + 1}, or --head {start + 1} where it is the head",
                    row=start + 1,
                    asks=True,
                )
                problems.check(name)
    return start


def _last(record: list[str]) -> int:
    """Number of fields up to the last one that holds anything."""
    return max((k + 1 for k, field in enumerate(record) if field.strip()), default=0)


def _names(record: list[str], width: int) -> bool:
    """Whether a row has a word of its own for each column, and no number."""
    fields = [field.strip() for field in record[:width]]
    alone = len(fields) == width and all(fields) and len(set(fields)) == width
    return alone and not _has_number(record)


def _has_number(record: list[str]) -> bool:
    return any(_NUMBER.fullmatch(field.strip()) for field in record)


def _columns(
    name: str, records: list[list[str]], answers: Answers, head_row: int | None = None
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Columns by name, and the row of each line; blank lines and empty columns left out."""
    start = _start(name, records, head_row)
    head = [legible(field.strip()) for field in records[start]]
    width, problems = len(head), Problems()
    kept, rows = _below_head(records, start, width, problems)
    columns, places = {}, {}
    for place, (title, values) in enumerate(
        zip(head, zip(*kept, strict=True) if kept else [()] * width, strict=True)
    ):
        # Blanks and missing words of the many cells that are alike are looked at once.
        texts = {v: legible(v.strip().replace("\u00a0", " ")) for v in set(values)}
        real = set(answers.words("real_value", title))
        gone = {t for t in texts.values() if t.lower() in MISSING} - (real - {""})
        _ask_of_na(title, set(texts.values()) - gone, gone, values, answers, problems)
        texts = {v: None if t in gone else t for v, t in texts.items()}
        column = np.array([texts[value] for value in values], dtype=object)
        if not title:
            if any(text is not None for text in texts.values()):
                problems.add(
                    "no name",
                    f"column {place + 1} ({letters(place)}) has values and no name",
                    "name it in the first row",
                )
            continue
        places.setdefault(title, []).append(place)
        columns[title] = column
    for title, where in places.items():
        if len(where) > 1:
            stands = " and ".join(letters(place) for place in where)
            problems.add(
                "names",
                f"the name stands over the columns {stands}",
                "give each column a name of its own",
                column=title,
            )
    lines = np.array(rows, dtype=np.int64)
    full = np.zeros(len(lines), dtype=bool)
    for title, column in columns.items():
        present = column != None  # noqa: E711  elementwise
        full |= present
        for place in np.flatnonzero(present) if EXCEL_ERRORS & _lower(column) else ():
            if column[place].lower() in EXCEL_ERRORS:
                problems.add(
                    "Excel's errors",
                    f"it holds {column[place]}, the error of a formula",
                    "correct the formula or empty the cell",
                    title,
                    lines[place],
                )
    problems.check(name)
    if not len(lines) or not full.any():
        raise DataError(f"{name} has no row below its head", remedy="export the table again")
    if len(columns) < 2:
        raise DataError(
            f"{name} has one column, `{next(iter(columns), '')}`",
            remedy="divide its fields by commas, semicolons or tabs",
        )
    return {title: column[full] for title, column in columns.items()}, lines[full]


def _below_head(
    records: list[list[str]], start: int, width: int, problems: Problems
) -> tuple[list[list[str]], list[int]]:
    """Records below the head, of as many fields, and the row of each; blank lines left out."""
    kept, rows = [], []
    for row, record in enumerate(records[start + 1 :], start + 2):
        if not any(map(str.strip, record)):
            continue
        if len(record) > width and not any(map(str.strip, record[width:])):
            record = record[:width]
        if len(record) != width:
            problems.add(
                "fields",
                f"it has {len(record)} fields and the head has {width}",
                "look for a line break or a delimiter inside a cell",
                row=row,
            )
            continue
        kept.append(record)
        rows.append(row)
    return kept, rows


def _ask_of_na(
    title: str, codes: set[str], gone: set[str], values: Iterable[str], answers: Answers, problems
) -> None:
    """A question where NA stands among codes of countries, of which it is one."""
    if "NA" not in gone or len(codes) < FEWEST_CODES or not all(map(_COUNTRY.fullmatch, codes)):
        return
    count = sum(value.strip() == "NA" for value in values)
    given = "NA" in answers.words("missing_value", title)
    ways = [option_text(way, f"{title}=NA") for way in ("real_value", "missing_value")]
    if not given:
        problems.add(
            "codes",
            f"it holds NA ({count} times) among codes of two letters such as {min(codes)}: one of "
            "them (Namibia), or a missing value",
            f"say {' or '.join(ways)}",
            title,
            asks=True,
        )


def _lower(column: np.ndarray) -> set[str]:
    return {text.lower() for text in set(column.tolist()) if text is not None and text[0] == "#"}


def letters(place: int) -> str:
    """Letters of a column as a spreadsheet has them.

    >>> letters(0), letters(27)
    ('A', 'AB')
    """
    text = ""
    place += 1
    while place:
        place, rest = divmod(place - 1, 26)
        text = chr(65 + rest) + text
    return text


#: A decimal mark that can be no other: before one, two, or more than three digits, or after a zero.
_ONLY_DECIMAL = {
    "comma": re.compile(r"[+-]?((\d+|\d{1,3}([. '\u2009\u202f]\d{3})+),(\d{1,2}|\d{4,})|0*,\d+)"),
    "point": re.compile(
        r"[+-]?((\d+|\d{1,3}([, '\u2009\u202f]\d{3})+)\.(\d{1,2}|\d{4,})|0*\.\d+)([eE][+-]?\d+)?"
    ),
}


def _decimal(columns: dict[str, np.ndarray], delimiter: str) -> str | None:
    """The decimal mark that most columns have."""
    votes: Counter[str] = Counter()
    for column in columns.values():
        some = [text for text in column[:2000].tolist() if text is not None]
        for mark, pattern in _ONLY_DECIMAL.items():
            votes[mark] += any(map(pattern.fullmatch, some))
    if votes["comma"] == votes["point"]:
        return "comma" if votes["comma"] and delimiter != "comma" else None
    return max(votes, key=votes.__getitem__)
