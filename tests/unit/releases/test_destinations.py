"""Places: what runs that were killed left there is ended or cleaned away; what lives is left alone."""

import fcntl
import json
import os
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

import paranym as pn
from paranym.errors import BadInput
from paranym.releases import destinations, staging

PROBLEM = pn.Problem(pa.table({"a": ["x", "x", "y", "y"], "n": [1, 2, 3, 4]}), quasi_identifiers=["a"], keep=["n"])
POINT = pn.point_at(PROBLEM, {})


def leave(folder: Path, name: str, **files: str) -> Path:
    """What a killed run leaves."""
    left = folder / f".{name}.paranym-dead"
    left.mkdir()
    (left / "lock").touch()
    for what, content in files.items():
        (left / f"{what}.json").write_text(content, encoding="utf-8")
    return left


def test_what_a_killed_run_left_is_cleaned_away_by_the_next(tmp_path: Path) -> None:
    left = leave(tmp_path, "out.csv", manifest="{", recoding="{}")
    (left / "out.csv").write_text("half", encoding="utf-8")
    pn.release(PROBLEM, POINT, tmp_path / "out.csv")

    assert not left.exists()
    assert pn.verify_release(tmp_path / "out.csv").holds


@pytest.mark.parametrize("name", ["out.csv", "out.parquet", "out.duckdb"])
@pytest.mark.parametrize("moved", [False, True])
def test_a_run_that_was_killed_between_its_steps_is_ended_by_the_next(
    tmp_path: Path,
    name: str,
    moved: bool,  # noqa: FBT001
) -> None:
    pn.release(PROBLEM, POINT, tmp_path / name)
    table = ".release" if name.endswith("duckdb") else ""
    manifest, recoding = (tmp_path / f"{name}{table}.{what}.json" for what in ("manifest", "recoding"))
    told = manifest.read_text(encoding="utf-8"), recoding.read_text(encoding="utf-8")
    manifest.unlink()
    files = {"manifest": told[0]}
    if not moved:
        recoding.unlink()
        files["recoding"] = told[1]
    left = leave(tmp_path, name, **files)

    assert pn.verify_release(tmp_path / name).holds
    assert (manifest.read_text(encoding="utf-8"), recoding.read_text(encoding="utf-8")) == told
    assert not left.exists()


def test_the_manifest_of_a_run_that_had_not_come_to_its_release_is_not_taken(tmp_path: Path) -> None:
    pn.release(PROBLEM, POINT, tmp_path / "out.csv")
    told = (tmp_path / "out.csv.manifest.json").read_text(encoding="utf-8")
    other = json.loads(told)
    other["release"]["sha256"] = "0" * 64
    left = leave(tmp_path, "out.csv", manifest=json.dumps(other), recoding="{}")

    assert pn.verify_release(tmp_path / "out.csv").holds
    assert (tmp_path / "out.csv.manifest.json").read_text(encoding="utf-8") == told
    assert not left.exists()


def test_what_a_living_run_makes_is_left_alone(tmp_path: Path) -> None:
    left = leave(tmp_path, "out.csv")
    fresh = tmp_path / ".out.csv.paranym-fresh"
    fresh.mkdir()
    with (left / "lock").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        pn.release(PROBLEM, POINT, tmp_path / "out.csv")
        assert left.exists()
    assert fresh.exists()  # about to be locked
    os.utime(fresh, (0, 0))
    assert set(staging.leftovers(tmp_path / "out.csv")) == {left, fresh}


def test_tables_of_killed_runs_are_dropped(tmp_path: Path) -> None:
    path = tmp_path / "out.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute("CREATE TABLE paranym_partial_dead AS SELECT 1 AS a")
        database.execute("CREATE TABLE mine AS SELECT 1 AS a")
    pn.release(PROBLEM, POINT, path)

    with duckdb.connect(str(path), read_only=True) as database:
        names = {name for (name,) in database.execute("SELECT table_name FROM duckdb_tables()").fetchall()}
    assert names == {"mine", "release"}


def test_a_release_or_a_manifest_that_was_changed_is_found_out(tmp_path: Path) -> None:
    pn.release(PROBLEM, POINT, tmp_path / "out.csv")
    file = tmp_path / "out.csv"
    file.write_text(file.read_text(encoding="utf-8").replace("x,", "y,", 1), encoding="utf-8")
    found = pn.verify_release(file)

    assert not found.holds
    assert [check.what for check in found.checks if check.holds is False] == ["sha256", "k"]


def test_a_release_is_verified_without_its_recoding(tmp_path: Path) -> None:
    pn.release(PROBLEM, POINT, tmp_path / "out.csv")
    (tmp_path / "out.csv.recoding.json").unlink()
    found = pn.verify_release(tmp_path / "out.csv")

    assert found.holds
    assert [check.what for check in found.checks if check.holds is None] == []


def test_files_that_were_not_released(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="There is no file"):
        pn.verify_release(tmp_path / "x.csv")
    (tmp_path / "x.csv").write_text("a\n1\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"no manifest 'x\.csv\.manifest\.json'"):
        pn.verify_release(tmp_path / "x.csv")
    for content, says in (
        ("{", "no valid JSON"),
        ("{}", "no manifest"),
        ('{"format": "paranym manifest 1"}', "another version of paranym"),
        ('{"format": "paranym manifest 2"}', "damaged"),
    ):
        (tmp_path / "x.csv.manifest.json").write_text(content, encoding="utf-8")
        with pytest.raises(BadInput, match=says):
            pn.verify_release(tmp_path / "x.csv")


def test_a_file_system_without_second_names_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_links(*_: object) -> None:
        raise OSError(1, "not here")

    monkeypatch.setattr(Path, "hardlink_to", no_links)
    pn.release(PROBLEM, POINT, tmp_path / "out.csv")

    assert pn.verify_release(tmp_path / "out.csv").holds
    (tmp_path / "made").touch()
    with pytest.raises(BadInput, match="there already"):
        staging.publish(tmp_path / "made", tmp_path / "out.csv", overwrite=False)


def test_endings_say_what_is_written() -> None:
    assert destinations.target_of(Path("A.CSV")).format.name == "csv"
    assert destinations.target_of(Path("a.csv.gz")).is_packed
    assert destinations.target_of(Path("a.db")).table == "release"


def test_a_folder_that_takes_nothing_is_named_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The system is asked, not the mode: who runs the tests may be allowed everything."""
    access = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path) != tmp_path and access(path, mode))

    with pytest.raises(BadInput, match=r"Cannot write '.*out\.csv': no permission to write in .*Take another folder"):
        pn.release(PROBLEM, POINT, tmp_path / "out.csv")
    assert not list(tmp_path.iterdir())
