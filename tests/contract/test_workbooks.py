"""Sheets of workbooks are read like any other table."""

import zipfile
from pathlib import Path

import pytest

import paranym as pn
from paranym.engines.duckdb.table import DuckDBTable
from paranym.errors import AmbiguousColumns, MissingExtra, UnreadableSource
from workbook_samples import DAY, Cell, workbook

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


@pytest.mark.parametrize("name", ["people.xlsx", "people.ods"])
def test_an_archive_of_a_version_yet_to_come_is_refused(tmp_path: Path, name: str) -> None:
    """The library of archives raises NotImplementedError where it opens one."""
    path = tmp_path / name
    made = bytearray(workbook(path, {"People": [["a"], ["x"]]}).read_bytes())
    made[made.index(b"PK\x01\x02") + 6] = 222
    path.write_bytes(made)

    with pytest.raises(UnreadableSource):
        pn.audit(path, quasi_identifiers=["a"])
