"""Lists of names and levels on the command line."""

from pathlib import Path

import pytest

from paranym.cli.app import main
from paranym.cli.options.levels import read_allowed, read_levels, read_names
from paranym.errors import BadInput

TABLE = 'age,"a\nb"\n' + "31,x\n32,y\n" * 4


@pytest.mark.parametrize(
    ("written", "names"),
    [
        ('sex, "city, country" ,age,', ("sex", "city, country", "age")),
        ('age,"a\nb"', ("age", "a\nb")),
        ("age,a\nb", ("age", "a", "b")),
        ("a\r\nb\rc", ("a", "b", "c")),
        ('"never ends', ("never ends",)),
        ("", ()),
    ],
)
def test_names_stand_between_commas_or_on_lines(written: str, names: tuple[str, ...]) -> None:
    assert read_names(written) == names


def test_a_name_longer_than_any_is_refused() -> None:
    with pytest.raises(BadInput, match="longer than 131,072 characters"):
        read_names("a" * 200_000)


@pytest.mark.parametrize("level", ["9" * 5000, "0-99999999999", "1000000", "²", "-1", ""])
def test_no_level_is_as_high_as_that(level: str) -> None:
    with pytest.raises(BadInput, match="takes levels"):
        read_allowed("--levels", [f"age={level}"])
    with pytest.raises(BadInput, match="takes NAME=LEVEL"):
        read_levels("--granularity", f"age={level}")


@pytest.mark.parametrize(
    "arguments",
    [
        ["audit", "t.csv", "--quasi-identifiers", "age,a\nb"],
        ["audit", "t.csv", "--quasi-identifiers", "age", "--sensitive", "a\rb"],
        ["hierarchy", "build", "t.csv", "age", "intervals = [10]", "--missing", "a\nb"],
        ["release", "r.toml", "--levels", "age\nb=1", "--out", "o.csv"],
        ["release", "r.toml", "--levels", f"age={'9' * 5000}", "--out", "o.csv"],
        ["search", "r.toml", "--k", "2", "--prefer", "age\nb"],
        ["search", "r.toml", "--k", "2", "--levels", f"age={'9' * 5000}"],
        ["search", "r.toml", "--k", "2", "--levels", "age=0-99999999999"],
        ["frontier", "r.toml", "--method", "cuts", "--granularity", f"age={'9' * 5000}"],
        ["compare", "r.toml", "--k", "2", "--granularity", f"age={'9' * 5000}"],
        ["search", "r.toml", "--k", "9" * 5000],
    ],
    ids=lambda arguments: " ".join(arguments)[:60],
)
def test_no_list_is_a_traceback(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.csv").write_text(TABLE)
    Path("r.toml").write_text(
        '[data]\nsource = "t.csv"\n[attributes.age]\nrole = "quasi-identifier"\n'
        '[attributes."a\\nb"]\nrole = "quasi-identifier"\n'
    )
    try:
        main(arguments)
    except SystemExit as end:
        assert end.code == 2  # noqa: PT017 - either ending will do
        assert capsys.readouterr().err.startswith("paranym: ")
