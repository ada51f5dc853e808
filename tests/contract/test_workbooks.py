"""Sheets of workbooks are read like any other table."""

import zipfile
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

import paranym as pn
from paranym.engines.duckdb import DuckDBTable
from paranym.errors import AmbiguousColumns, MissingExtra, UnreadableSource

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


PEOPLE: list[list[Cell]] = [
    ["age", "zip", "born", "sex"],
    [31, "00501", (45322, DAY), "F"],
    [34.5, "53715", (1, DAY), None],
    [None, None, None, None],
    [None, 53703, (45322, DAY), "M"],
]


def test_a_sheet_is_read_with_its_types(tmp_path: Path) -> None:
    with DuckDBTable(workbook(tmp_path / "people.xlsx", {"Sheet1": PEOPLE})) as table:
        profile = table.profile(table.columns)

    assert profile.rows == 3
    found = {column.name: (tuple(map(str, column.values)), column.missing) for column in profile.columns}
    assert found["age"] == (("31.0", "34.5"), 1)
    assert found["zip"] == (("00501", "53703", "53715"), 0)
    assert found["born"][0][1].startswith("2024-01-31")
    assert found["sex"] == (("F", "M"), 1)


def test_a_drafted_workbook_runs(tmp_path: Path) -> None:
    rows: list[list[Cell]] = [[20 + i % 40, "FM"[i % 2]] for i in range(60)]
    people: list[list[Cell]] = [["age", "sex"], *rows]
    path = workbook(tmp_path / "people.xlsx", {"Notes": [["x"]], "People": people})
    draft = pn.draft(path, table="People")
    draft.save(tmp_path / "recipe.toml")

    assert draft["age"].hierarchy == {"intervals": [5, 10, 20]}
    assert pn.Problem.from_recipe(tmp_path / "recipe.toml").rows == 60


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (
            None,
            r"several sheets could be meant: name one \(table under \[data\], or --name\); the workbook has 'A', 'B'",
        ),
        ("C", "there is no sheet 'C'; the workbook has 'A', 'B'"),
        ("B", "the sheet is empty"),
    ],
)
def test_a_sheet_that_cannot_be_told_is_asked_for(tmp_path: Path, table: str | None, message: str) -> None:
    path = workbook(tmp_path / "x.xlsx", {"A": PEOPLE, "B": []})

    with pytest.raises(UnreadableSource, match=message):
        DuckDBTable(path, table=table)


def test_two_columns_of_one_name_are_refused(tmp_path: Path) -> None:
    with pytest.raises(AmbiguousColumns):
        DuckDBTable(workbook(tmp_path / "x.xlsx", {"A": [["a", "a"], [1, 2]]}))


def test_a_damaged_workbook_says_so(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.xlsx", "w") as archive:
        archive.writestr("xl/workbook.xml", "<workbook")

    with pytest.raises(UnreadableSource, match="it is a damaged workbook"):
        DuckDBTable(tmp_path / "x.xlsx")


def test_without_its_library_the_install_line_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "python_calamine", None)

    with pytest.raises(MissingExtra, match=r"pip install 'paranym\[excel\]'"):
        DuckDBTable(workbook(tmp_path / "x.xlsx", {"A": PEOPLE}))
