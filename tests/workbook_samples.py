"""The least that is a workbook, of Excel and of OpenDocument."""

import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
PACKAGE = "http://schemas.openxmlformats.org/package/2006"
DAY = 1
"""The style of dates."""

Cell = str | float | tuple[float, int] | None


def workbook(path: Path, sheets: dict[str, list[list[Cell]]]) -> Path:
    """Write the least that is an Excel workbook."""
    numbers = range(1, len(sheets) + 1)
    with zipfile.ZipFile(path, "w") as archive:
        parts = "".join(
            f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="application/vnd.openxmlformats-office'
            "document"
            '.spreadsheetml.worksheet+xml"/>'
            for n in numbers
        )
        archive.writestr("[Content_Types].xml", f'<Types xmlns="{PACKAGE}/content-types">{parts}</Types>')
        archive.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{PACKAGE}/relationships"><Relationship Id="r1" Type="{OFFICE}/officeDocument" '
            'Target="xl/workbook.xml"/></Relationships>',
        )
        listed = "".join(
            f'<sheet name="{escape(name)}" sheetId="{n}" r:id="r{n}"/>' for n, name in zip(numbers, sheets, strict=True)
        )
        archive.writestr(
            "xl/workbook.xml", f'<workbook xmlns="{MAIN}" xmlns:r="{OFFICE}"><sheets>{listed}</sheets></workbook>'
        )
        related = "".join(
            f'<Relationship Id="r{n}" Type="{OFFICE}/worksheet" Target="worksheets/sheet{n}.xml"/>' for n in numbers
        )
        styles = f'<Relationship Id="s" Type="{OFFICE}/styles" Target="styles.xml"/>'
        archive.writestr(
            "xl/_rels/workbook.xml.rels",
            f'<Relationships xmlns="{PACKAGE}/relationships">{related}{styles}</Relationships>',
        )
        archive.writestr(
            "xl/styles.xml",
            f'<styleSheet xmlns="{MAIN}"><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="14"/>'
            "</cellXfs></styleSheet>",
        )
        for n, rows in zip(numbers, sheets.values(), strict=True):
            archive.writestr(f"xl/worksheets/sheet{n}.xml", _sheet(rows))
    return path


def _sheet(rows: list[list[Cell]]) -> str:
    lines = "".join(
        f'<row r="{r}">{"".join(_cell(cell, f"{chr(65 + c)}{r}") for c, cell in enumerate(row))}</row>'
        for r, row in enumerate(rows, start=1)
    )
    return f'<worksheet xmlns="{MAIN}"><sheetData>{lines}</sheetData></worksheet>'


def _cell(cell: Cell, place: str) -> str:
    if cell is None:
        return ""
    if isinstance(cell, str):
        return f'<c r="{place}" t="inlineStr"><is><t>{escape(cell)}</t></is></c>'
    number, style = cell if isinstance(cell, tuple) else (cell, 0)
    return f'<c r="{place}" s="{style}"><v>{number}</v></c>'


OPEN = "urn:oasis:names:tc:opendocument:xmlns"


def open_document(path: Path, rows: list[list[Cell]]) -> Path:
    """Write the least that is an OpenDocument sheet."""
    lines = "".join(f"<table:table-row>{''.join(map(_open_cell, row))}</table:table-row>" for row in rows)
    content = (
        f'<office:document-content xmlns:office="{OPEN}:office:1.0" xmlns:table="{OPEN}:table:1.0" '
        f'xmlns:text="{OPEN}:text:1.0"><office:body><office:spreadsheet><table:table table:name="A">{lines}'
        "</table:table></office:spreadsheet></office:body></office:document-content>"
    )
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("META-INF/manifest.xml", f'<manifest:manifest xmlns:manifest="{OPEN}:manifest:1.0"/>')
        archive.writestr("content.xml", content)
    return path


def _open_cell(cell: Cell) -> str:
    if cell is None:
        return "<table:table-cell/>"
    if isinstance(cell, str):
        return f'<table:table-cell office:value-type="string"><text:p>{escape(cell)}</text:p></table:table-cell>'
    return f'<table:table-cell office:value-type="float" office:value="{cell}"/>'
