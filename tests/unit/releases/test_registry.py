"""A table that was released before is recognized wherever, and in whatever form, it is released again."""

import json
import stat
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import paranym as pn
from paranym.engines.source import open_table
from paranym.releases.registry import Registry, portrait_of

PEOPLE = pa.table(
    {
        "age": [31, 34, 38, 52, 55, 58, 31, 34, 38, 52, 55, 58],
        "pay": [10.5, 20.0, 10.5, 30.25, 20.0, 10.5, 7.0, 8.0, 9.0, 7.0, 8.0, 9.0],
        "sex": ["F", "M", "F", "M", "F", "M", "M", "F", None, "F", "M", "F"],
        "job": ["cook", "smith", "cook", "nurse", "smith", "cook", "a", "b", "a", "b", "a", "b"],
    }
)
ROLES = {"quasi_identifiers": {"age": {"intervals": [10, 20]}}}


def release(data: object, to: Path | None, k: int = 6, **options: object) -> pn.Release:
    problem = pn.Problem(data, **ROLES)  # type: ignore[arg-type]
    point = pn.ask(pn.frontier(problem), min_k=k).point
    return pn.release(problem, point, to, undeclared="drop", **options)  # type: ignore[arg-type]


def places(folder: Path, *names: str) -> list[Path]:
    for name in names:
        (folder / name).mkdir()
    return [folder / name / "out.csv" for name in names]


def as_csv(table: pa.Table, folder: Path) -> object:
    pc.write_csv(table, folder / "people.csv")
    return folder / "people.csv"


def as_parquet(table: pa.Table, folder: Path) -> object:
    pq.write_table(table, folder / "people.parquet")
    return folder / "people.parquet"


def shuffled(table: pa.Table, _: Path) -> object:
    return table.take([5, 0, 11, 3, 2, 1, 4, 9, 8, 7, 6, 10]).select(["job", "sex", "age", "pay"])


def renamed(table: pa.Table, _: Path) -> object:
    return table.rename_columns(["age", "wages", "gender", "work"])


def corrected(table: pa.Table, _: Path) -> object:
    return table.set_column(1, "pay", pa.array(range(12))).append_column("new", pa.array(range(12)))


def narrowed(table: pa.Table, _: Path) -> object:
    return table.select(["age", "sex"])


def as_pandas(table: pa.Table, _: Path) -> object:
    return table.to_pandas()


@pytest.mark.parametrize("form", [as_csv, as_parquet, as_pandas, shuffled, renamed, corrected, narrowed])
def test_a_second_release_is_noticed_in_another_folder_and_form(
    tmp_path: Path, form: Callable[[pa.Table, Path], object]
) -> None:
    here, there = places(tmp_path, "here", "there")
    first = release(PEOPLE, here)
    second = release(form(PEOPLE, tmp_path), there, k=12)

    assert not [warning for warning in first.warnings if "before" in warning]
    [warning] = [warning for warning in second.warnings if "before" in warning]
    assert warning.startswith("This table was released before: once elsewhere, last on 2")
    assert second.manifest is not None
    assert warning in second.manifest["warnings"]
    assert str(tmp_path) not in json.dumps(second.manifest["warnings"])


def test_a_frame_is_a_release_like_any_other(tmp_path: Path) -> None:
    release(PEOPLE, None)
    [to] = places(tmp_path, "there")

    assert "released before: once elsewhere" in release(PEOPLE.to_pandas(), to).warnings[-1]
    assert "released before: 2 times elsewhere" in release(PEOPLE, None).warnings[-1]


def test_a_recoding_applied_to_the_same_table_is_a_release_of_it(tmp_path: Path) -> None:
    here, there = places(tmp_path, "here", "there")
    release(PEOPLE, here)
    june = pd.DataFrame({"age": [33, 36, 35] * 4, "pay": range(12), "sex": ["F"] * 12, "job": list("abcdefghijkl")})
    recoding = here.with_name("out.csv.recoding.json")

    assert pn.apply(recoding, june).warnings == ()
    assert "released before: once elsewhere" in pn.apply(recoding, PEOPLE, there).warnings[0]


def test_other_tables_of_the_same_shape_are_not_taken_for_it(tmp_path: Path) -> None:
    release(PEOPLE, None)
    other = PEOPLE.set_column(0, "age", pa.array([31] * 3 + [34, 38, 52, 55, 58, 31, 34, 38, 52]))
    other = other.set_column(2, "sex", pa.array(["F"] * 3 + ["M"] * 9)).set_column(3, "job", pa.array(["cook"] * 12))

    assert release(other, places(tmp_path, "there")[0]).warnings == ()


def test_a_release_that_is_found_as_a_file_is_named_and_counted_once(tmp_path: Path) -> None:
    here, there = places(tmp_path, "here", "there")
    release(as_csv(PEOPLE, tmp_path), here)

    named = release(tmp_path / "people.csv", there, earlier=[here.parent]).warnings[-1]
    both = release(tmp_path / "people.csv", here.with_name("more.csv")).warnings[-1]

    assert named.startswith("This table was released before: out.csv. ")
    assert both.startswith("This table was released before: out.csv and once elsewhere, last on ")


def test_a_release_that_is_replaced_is_forgotten(tmp_path: Path) -> None:
    here, there = places(tmp_path, "here", "there")
    release(PEOPLE, here)

    assert release(PEOPLE, here, overwrite=True).warnings == ()
    assert "released before: once elsewhere" in release(PEOPLE, there).warnings[-1]


def test_the_registry_can_be_turned_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    one, two, three = places(tmp_path, "one", "two", "three")
    release(PEOPLE, one, registry=False)
    assert release(PEOPLE, two).warnings == ()

    assert release(PEOPLE, three, registry=False).warnings == ()
    monkeypatch.setenv("PARANYM_REGISTRY", "off")
    assert release(PEOPLE, three, overwrite=True).warnings == ()


@pytest.mark.parametrize("state", ["/proc/nowhere", "/dev/null/state"])
def test_without_a_place_for_it_the_registry_is_silent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, state: str
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", state)
    here, there = places(tmp_path, "here", "there")

    assert release(PEOPLE, here).warnings == release(PEOPLE, there).warnings == ()


def test_without_a_home_there_is_no_registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "nowhere"))

    assert Registry.of_user() is None
    assert not (tmp_path / "nowhere").exists()


def test_the_registry_is_private_and_holds_nothing_of_the_table() -> None:
    release(PEOPLE.rename_columns(["age", "payment", "gender", "profession"]), None)

    registry = Registry.of_user()
    assert registry is not None
    files = sorted(registry.folder.iterdir())
    text = b"".join(file.read_bytes() for file in files)
    assert [file.name for file in files] == ["key", "released.jsonl"]
    assert [stat.S_IMODE(path.stat().st_mode) for path in (registry.folder, *files)] == [0o700, 0o600, 0o600]
    assert not [word for word in (b"smith", b"nurse", b"30.25", b"payment", b"profession") if word in text]
    with open_table(PEOPLE) as opened:  # without the key nobody can try out guesses
        assert not [digest for digest in portrait_of(opened) if digest.hex()[:32].encode() in text]


def test_lines_that_are_damaged_are_passed_over() -> None:
    registry = Registry.of_user()
    assert registry is not None
    registry.record(frozenset({b"a"}), "first")
    with (registry.folder / "released.jsonl").open("a") as file:
        file.write('{"id": "half\n[]\n7\n{"id": 3}\n')

    assert [entry.identity for entry in registry.earlier(frozenset({b"a"}))] == ["first"]


@pytest.mark.parametrize(
    "damage", [b"[" * 100_000, b"\xff\xfe", b'{"id": "x", "when": "\\u001b[31m", "marks": []}', b"7"]
)
def test_a_damaged_line_hides_no_other(tmp_path: Path, damage: bytes) -> None:
    registry = Registry(tmp_path)
    portrait = frozenset({b"age", b"sex"})
    registry.record(portrait, "first")
    with (tmp_path / "released.jsonl").open("ab") as file:
        file.write(damage + b"\n")
    registry.record(portrait, "second")

    assert [entry.identity for entry in registry.earlier(portrait)] == ["first", "second"]
