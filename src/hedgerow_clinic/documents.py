"""Tables as documents of a word processor, for a report that people go on writing."""

from __future__ import annotations

import io
import zipfile

from hedgerow.optional_imports import import_optional
from hedgerow.texts import legible, unquoted
from hedgerow_clinic.table_format import Table

#: From so many columns on a page lies on its side.
WIDE = 7
#: Of the files in a document, whose bytes would else tell when it was made.
WHEN = (1980, 1, 1, 0, 0, 0)


def document(table: Table) -> bytes:
    """A table as .docx: title, caption, and the cells as the page has them."""
    docx = import_optional("docx", "a table as .docx")
    word_document = docx.Document()
    heads, rows = table.cells()
    if "answer" in table.columns:  # sentences of ours
        rows = [[unquoted(text) for text in row] for row in rows]
    section = word_document.sections[0]
    if len(heads) >= WIDE:
        section.orientation = docx.enum.section.WD_ORIENT.LANDSCAPE
        section.page_width, section.page_height = section.page_height, section.page_width
    word_document.add_heading(legible(table.title), level=2)
    if table.association:
        word_document.add_paragraph().add_run("Association, not effect.").bold = True
    word_document.add_paragraph(legible(unquoted(table.caption)))
    cells = word_document.add_table(rows=1, cols=len(heads), style="Light Grid")
    for cell, text in zip(cells.rows[0].cells, heads, strict=True):
        cell.text = legible(text)
    for row in rows:
        for cell, text in zip(cells.add_row().cells, row, strict=True):
            cell.text = legible(text)
    for row in cells.rows:
        for cell in row.cells:
            for paragraph in cell.paragraphs:
                for run in paragraph.runs:
                    run.font.size = docx.shared.Pt(8)
    # The head stands on each page that the table reaches.
    head = cells.rows[0]._tr.get_or_add_trPr()
    head.append(docx.oxml.parse_xml(f"<w:tblHeader {docx.oxml.ns.nsdecls('w')}/>"))
    out = io.BytesIO()
    word_document.save(out)
    return _without_dates(out.getvalue())


def _without_dates(content: bytes) -> bytes:
    """An archive whose files all bear one date."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w") as new:
        for name in sorted(old.namelist(), key=lambda name: (name != "[Content_Types].xml", name)):
            about = zipfile.ZipInfo(name, WHEN)
            about.compress_type = zipfile.ZIP_DEFLATED
            new.writestr(about, old.read(name))
    return out.getvalue()
