"""Files that are damaged, or were made to do harm, end in one clear sentence."""

import json
import struct
import zipfile
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import paranym as pn
from paranym.cli.app import main
from paranym.engines.duckdb.table import DuckDBTable
from paranym.engines.files import workbook_bounds
from paranym.errors import BadInput, ParanymError, UnreadableDocument, UnreadableSource
from paranym.hierarchies.files import read_hierarchy
from paranym.recipe import Recipe
from paranym.releases.manifest import SavedRecoding
from paranym.saved.front import read_front
from paranym.saved.manifest import read_manifest
from workbook_samples import Cell, open_document, workbook

PEOPLE = pa.table({"age": [31, 34, 38, 52, 55, 58], "sex": list("FMFMFM"), "ill": list("aabbab")})

Change = Callable[[dict[str, Any]], Any]


def refused(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """What a command says that must end with exit code 2."""
    with pytest.raises(SystemExit) as ended:
        main([*arguments])
    assert ended.value.code == 2
    said = capsys.readouterr().err
    assert "Traceback" not in said
    return said


# workbooks


def rewritten(path: Path, part: str, change: Callable[[str], str]) -> Path:
    """The same archive, packed, with one part changed."""
    with zipfile.ZipFile(path) as archive:
        parts = {name: archive.read(name).decode() for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in parts.items():
            archive.writestr(name, change(text) if name == part else text)
    return path


SHEET = "xl/worksheets/sheet1.xml"


def test_one_cell_in_the_far_corner_is_refused_before_the_sheet_is_laid_out(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = workbook(tmp_path / "far.xlsx", {"A": [["age"], [31]]})
    rewritten(path, SHEET, lambda text: text.replace('r="A2"', 'r="XFD1048576"'))

    assert path.stat().st_size < 3000
    said = refused(capsys, "audit", str(path), "--quasi-identifiers", "age")
    assert "spans 17,179,869,184 cells, and at most 33,554,432 are read" in said


def test_a_workbook_that_unpacks_to_gigabytes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook_bounds, "MOST_BYTES", 2**22)
    path = workbook(tmp_path / "bomb.xlsx", {"A": [["age"], [31]]})
    rewritten(path, "xl/styles.xml", lambda text: text + " " * 2**23)

    with pytest.raises(UnreadableSource, match="it unpacks to more than 4,194,304 bytes"):
        DuckDBTable(path)


def test_an_archive_that_lies_about_its_size_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(workbook_bounds, "MOST_BYTES", 2**22)
    path = workbook(tmp_path / "bomb.xlsx", {"A": [["age"], [31]]})
    rewritten(path, "xl/styles.xml", lambda text: text + " " * 2**23)
    data = path.read_bytes()
    with zipfile.ZipFile(path) as archive:
        size = archive.getinfo("xl/styles.xml").file_size
    path.write_bytes(data.replace(struct.pack("<I", size), struct.pack("<I", 100)))

    with pytest.raises(UnreadableSource, match="it unpacks to more than"):
        DuckDBTable(path)


def test_repeated_cells_of_an_open_document_are_refused(tmp_path: Path) -> None:
    path = open_document(tmp_path / "far.ods", [["age"], [31], [32]])
    rewritten(
        path,
        "content.xml",
        lambda text: text.replace(
            '<table:table-row><table:table-cell office:value-type="float" office:value="32"/>',
            '<table:table-row table:number-rows-repeated="1000000">'
            '<table:table-cell table:number-columns-repeated="999"/>'
            '<table:table-cell office:value-type="float" office:value="32"/>',
        ),
    )

    with pytest.raises(UnreadableSource, match="spans 1,000,002,000 cells"):
        DuckDBTable(path)


def test_empty_cells_that_fill_an_open_document_are_no_table(tmp_path: Path) -> None:
    """Every office writes them: the rest of the sheet."""
    path = open_document(tmp_path / "usual.ods", [["age"], [31], [32]])
    cell = '<table:table-cell table:number-columns-repeated="16384"/>'
    rest = f'<table:table-row table:number-rows-repeated="1048573">{cell}'
    rewritten(
        path, "content.xml", lambda text: text.replace("</table:table>", rest + "</table:table-row></table:table>")
    )

    with DuckDBTable(path) as table:
        assert table.profile(["age"]).rows == 2


def test_a_far_cell_of_a_binary_sheet_is_refused(tmp_path: Path) -> None:
    def record(kind: int, content: bytes) -> bytes:
        return bytes([kind, len(content)]) + content

    sheet = record(0, struct.pack("<I", 1_048_575) + bytes(13)) + record(5, struct.pack("<Id", 16_383, 1.0))
    with zipfile.ZipFile(tmp_path / "far.xlsb", "w") as archive:
        archive.writestr("xl/workbook.bin", b"")
        archive.writestr("xl/worksheets/sheet1.bin", sheet)

    with pytest.raises(UnreadableSource, match="spans 17,179,869,184 cells"):
        DuckDBTable(tmp_path / "far.xlsb")


def test_large_sheets_within_the_bounds_are_read(tmp_path: Path) -> None:
    rows: list[list[Cell]] = [[20 + i % 50, "FM"[i % 2]] for i in range(3000)]

    with DuckDBTable(workbook(tmp_path / "large.xlsx", {"A": [["age", "sex"], *rows]})) as table:
        assert table.profile(["age"]).rows == 3000


# Parquet


def test_no_damage_of_a_parquet_footer_is_a_traceback(tmp_path: Path) -> None:
    pq.write_table(PEOPLE, tmp_path / "sound.parquet")
    sound = (tmp_path / "sound.parquet").read_bytes()
    footer = len(sound) - 8 - int.from_bytes(sound[-8:-4], "little")
    outcomes = set()
    for place in range(footer, len(sound), max(1, (len(sound) - footer) // 150)):
        path = tmp_path / "damaged.parquet"
        path.write_bytes(sound[:place] + bytes([sound[place] ^ 0xFF]) + sound[place + 1 :])
        try:
            with DuckDBTable(path) as table:
                table.profile(table.columns[:1])
            outcomes.add("read")
        except ParanymError as error:
            outcomes.add(type(error).__name__)
    assert "UnreadableSource" in outcomes


# saved files


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A folder with a front, a release, its recoding and its manifest."""
    problem = pn.Problem(
        PEOPLE, quasi_identifiers={"age": {"intervals": [10, 20]}, "sex": None}, sensitive=["ill"], privacy={"l": 1.0}
    )
    front = pn.frontier(problem)
    (tmp_path / "front.json").write_text(json.dumps(front.as_dict()))
    pn.release(problem, pn.ask(front, min_k=3).point, tmp_path / "r.csv")
    return tmp_path


def damaged(path: Path, change: Change) -> Path:
    document = json.loads(path.read_text())
    change(document)
    path.write_text(json.dumps(document))
    return path


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda front: front["points"][0].update(k="2"), r"points.0.k: should be a valid integer"),
        (lambda front: front["points"][0].update(k=-5), r"points.0.k: should be greater than or equal to 1"),
        (lambda front: front["points"][0].update(loss=1e999), r"it is no valid JSON: Infinity is no number"),
        (lambda front: front["points"][0].update(levels=[1, 2]), r"points.0.levels: should be a valid dictionary"),
        (
            lambda front: front["points"][0]["levels"].update(age=99),
            "point 0 has levels that its attributes do not have",
        ),
        (lambda front: front["points"][0].pop("levels"), "neither levels nor cuts"),
        (lambda front: front["points"][0].pop("alternatives"), "points.0.alternatives: is missing"),
        (lambda front: front["points"].reverse(), "do not descend"),
        (lambda front: front.update(rows=0), "rows: should be greater"),
        (lambda front: front.update(heights=None), "heights: should be a valid dictionary"),
        (lambda front: front.update(possible=[{"k": 1}]), "possible.0.loss: is missing"),
        (lambda front: front.update(lattice_nodes=10**4299 * 10**10), "it is no valid JSON"),
        (lambda front: front.update(metric="\ud800"), "text that is no valid Unicode"),
        (lambda front: front.clear(), "method: is missing; complete: is missing; points: is missing; and 11 more"),
    ],
)
def test_a_damaged_front_says_what_is_wrong_with_it(saved: Path, change: Change, message: str) -> None:
    try:
        damaged(saved / "front.json", change)
    except ValueError:
        (saved / "front.json").write_text('{"lattice_nodes": ' + "9" * 4400 + "}")  # Python itself refuses to write it

    with pytest.raises(BadInput, match=message) as caught:
        read_front(saved / "front.json")
    assert "front.json" in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda file: file.update(key="xyz"), "key: "),
        (lambda file: file.update(key=7), "key: "),
        (lambda file: file["guarantee"].update(k=0.5), "guarantee.k"),
        (lambda file: file["guarantee"].update(suppression=float("1e400")), "no number"),
        (lambda file: file["guarantee"].update(privacy={"l": "much"}), "guarantee.privacy"),
        (lambda file: file["guarantee"].update(trees={"ill": "/etc/passwd"}), "guarantee.trees"),
        (lambda file: file["guarantee"].update(other=1, k=None), "guarantee.k"),
        (lambda file: file["recoding"].update(attributes=[]), "attributes"),
        (lambda file: file["recoding"]["attributes"][0].update(height=10**9), "height"),
        (lambda file: file["recoding"]["attributes"][0].update(level=-1), "level"),
        (lambda file: file["recoding"]["attributes"][0].update(weight="NaN"), "weight"),
        (lambda file: file["recoding"]["attributes"][0].update(values=[["a"]]), "values.0"),
        (lambda file: file["recoding"]["attributes"][0].update(values=[["a", "b"], ["a", "b"]]), "listed twice"),
        (lambda file: file["recoding"]["attributes"].append(file["recoding"]["attributes"][0]), "more than one role"),
        (lambda file: file.update(recoding=[1]), "recoding: "),
        (lambda file: file.update(format="x"), "no recoding file that this version"),
    ],
)
def test_a_damaged_recoding_says_what_is_wrong_with_it(saved: Path, change: Change, message: str) -> None:
    path = damaged(saved / "r.csv.recoding.json", change)

    with pytest.raises(BadInput, match=message) as caught:
        SavedRecoding.read(path)
    assert path.name in str(caught.value)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda file: file.pop("assessment"), "assessment: is missing"),
        (lambda file: file["assessment"].update(metric=5), "assessment.metric"),
        (lambda file: file["assessment"].update(rows="many"), "assessment.rows"),
        (lambda file: file["assessment"].update(suppressed=10**6), "at most as many as the rows"),
        (lambda file: file["recipe"]["attributes"]["age"].update(role="x"), "recipe.attributes.age.role"),
        (lambda file: file["recipe"]["attributes"]["age"].update(weight=-1), "recipe.attributes.age.weight"),
        (lambda file: file["recipe"].update(attributes=[]), "recipe.attributes"),
        (lambda file: file["release"].update(columns=None), "release.columns"),
        (lambda file: file["release"].update(formulas=3), "release.formulas"),
        (lambda file: file["release"].update(format="exe"), "release.format"),
        (lambda file: file.update(id=[1]), "id: "),
    ],
)
def test_a_damaged_manifest_says_what_is_wrong_with_it(
    saved: Path, capsys: pytest.CaptureFixture[str], change: Change, message: str
) -> None:
    path = damaged(saved / "r.csv.manifest.json", change)

    with pytest.raises(BadInput, match=message):
        read_manifest(path)
    assert path.name in refused(capsys, "verify", str(saved / "r.csv"))


def test_faults_of_saved_files_do_not_repeat_what_stands_there(saved: Path) -> None:
    path = damaged(saved / "front.json", lambda front: front["points"][0].update(k="hunter2", loss=["hunter2"]))

    with pytest.raises(BadInput) as caught:
        read_front(path)
    assert "hunter2" not in str(caught.value)


def test_a_front_of_more_cuts_than_a_float_holds_is_shown(saved: Path) -> None:
    front = read_front(damaged(saved / "front.json", lambda front: front.update(lattice_nodes=10**400)))

    assert "1.0e+400 nodes" in front.summary()


# nesting and names

DEEP = 100_000


@pytest.mark.parametrize("text", ["[" * DEEP + "]" * DEEP, '{"a":' * DEEP + "1" + "}" * DEEP, "[" * 150 + "]" * 150])
@pytest.mark.parametrize("read", [read_front, SavedRecoding.read, read_manifest])
def test_deep_json_is_refused(tmp_path: Path, text: str, read: Callable[[Path], object]) -> None:
    (tmp_path / "x.json").write_text(text)

    with pytest.raises(BadInput, match="nested more than 100 levels deep"):
        read(tmp_path / "x.json")


@pytest.mark.parametrize(
    "text",
    [
        f"a = {'[' * DEEP}{']' * DEEP}",
        f"a = {'{a=' * 5000}1{'}' * 5000}",
        f"[{'.'.join('a' * 3000)}]\nb = 1",
        f"{'a.' * 3000}a = 1",
    ],
)
def test_deep_toml_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], text: str) -> None:
    (tmp_path / "x.toml").write_text(text)

    with pytest.raises(BadInput, match="nested more than 100 levels deep"):
        Recipe.read(tmp_path / "x.toml")
    with pytest.raises(BadInput, match="nested more than 100 levels deep"):
        read_hierarchy(tmp_path / "x.toml", attribute="a")
    assert "nested more than" in refused(capsys, "frontier", str(tmp_path / "x.toml"))


def test_a_deep_builder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.csv").write_text("age\n31\n")
    builder = f"tree = {'{a=' * 3000}[1]{'}' * 3000}"

    assert "nested more than" in refused(capsys, "hierarchy", "build", str(tmp_path / "t.csv"), "age", builder)


@pytest.mark.parametrize("number", ["9" * 5000, "0x" + "f" * 9000])
def test_numbers_of_thousands_of_digits_are_refused(tmp_path: Path, number: str) -> None:
    (tmp_path / "x.toml").write_text(f"a = {number}")

    with pytest.raises(BadInput):
        Recipe.read(tmp_path / "x.toml")


@pytest.mark.parametrize(
    "key", ["data.source", "attributes.age.hierarchy", "output.release", "output.report", "output.pdf"]
)
def test_a_name_with_a_null_character_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str], key: str) -> None:
    (tmp_path / "t.csv").write_text("age\n" + "31\n32\n" * 5)
    lines = ["[choice]", "k = 5", "[attributes.age]", 'role = "quasi-identifier"', "[data]"]
    table, _, name = key.rpartition(".")
    source = [] if key == "data.source" else ['source = "t.csv"']
    text = "\n".join([*lines, *source])
    header = f"[{table}]"
    written = f'{name} = "a\\u0000b.csv"' if name != "report" else f'{name} = "a\\u0000b.html"'
    written = written.replace(".csv", ".pdf") if name == "pdf" else written
    text = text.replace(header, f"{header}\n{written}") if header in text else f"{text}\n{header}\n{written}"
    (tmp_path / "r.toml").write_text(text)

    assert "\\x00" in refused(capsys, "run", str(tmp_path / "r.toml"), "--quiet")


@pytest.mark.parametrize(
    "read",
    [
        DuckDBTable,
        lambda name: pn.audit(name, quasi_identifiers=["a"]),
        lambda name: pn.Problem(name, quasi_identifiers=["a"]),
        Recipe.read,
        lambda name: read_front(Path(name)),
        lambda name: read_hierarchy(Path(name), attribute="a"),
        lambda name: SavedRecoding.read(Path(name)),
        pn.verify_release,
    ],
)
def test_no_reader_takes_a_name_with_a_null_character(read: Callable[[str], object]) -> None:
    with pytest.raises(BadInput, match=r"there can be no file of this name|There is no file"):
        read("a\0b.csv")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["demo", "--folder", "a\0b"], r"make the folder 'a\x00b': there can be no folder"),
        (["verify", "a\0b.csv"], r"read 'a\x00b.csv': there can be no file"),
    ],
    ids=str,
)
def test_no_command_takes_a_name_with_a_null_character(
    capsys: pytest.CaptureFixture[str], arguments: list[str], said: str
) -> None:
    assert refused(capsys, *arguments) == f"paranym: Cannot {said} of this name.\n"


def test_an_unreadable_document_survives_a_process_pool() -> None:
    import pickle  # noqa: PLC0415 - only here

    error = UnreadableDocument("a.toml", "it is empty.", cannot_open=True)
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own

    assert (str(again), again.cannot_open) == (str(error), True)


def test_a_front_in_which_points_share_a_k_is_described() -> None:
    """Where l is traded off as well, they may; that is no damage."""
    people = pa.table({"age": [1, 1, 2, 2, 3, 3], "ill": list("abcaab")})
    problem = pn.Problem(people, quasi_identifiers=["age"], sensitive=["ill"], objectives=("k", "l", "loss"))
    front = pn.frontier(problem)
    one = front[0]
    shared = replace(front, points=(one, replace(one, loss_fraction=one.loss_fraction / 2)))

    assert pn.describe(shared).sentences()
