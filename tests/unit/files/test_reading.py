"""A recipe may name any file: errors never tell what stands in one that is no hierarchy, table, recipe or result."""

import json
from collections.abc import Callable
from pathlib import Path

import duckdb
import pytest

import paranym as pn
from paranym.engines.duckdb.table import _reason
from paranym.errors import BadInput, toml_reason
from paranym.hierarchies.files import read_hierarchy
from paranym.releases.manifest import SavedRecoding
from paranym.saved.front import read_front

SECRET = "hunter2SECRET"  # noqa: S105 - planted

PASSWORDS = f"root:{SECRET}:0:0::/root:/bin/sh\nann:{SECRET}2:1:1::/home/ann:/bin/sh\n"
SETTINGS = f"[server]\nuser = ann, {SECRET}\npassword={SECRET}\n"
KEYS = f"-----BEGIN KEY-----\n{SECRET},{SECRET};\n{SECRET}\n-----END KEY-----\n"
PAIRS = f"ann,{SECRET}\nbob,{SECRET}2\n"
NESTED = f"ann;{SECRET};a\nbob;{SECRET};b\n"
HOLES = f"ann;{SECRET};*\nbob;;*\n"
TREES = [
    f'password = "{SECRET}"\n',
    f'[server]\npasswords = ["a", ["{SECRET}"]]\n',
    f'[server]\na = ["{SECRET}"]\nb = ["{SECRET}"]\n',
    f"[{SECRET}]\na = 1\n[{SECRET}]\n",
    f'a = {{ "{SECRET}" = 1, "{SECRET}" = 2 }}\n',
    f'a = "{SECRET}\n',
    f"{SECRET}\n",
]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        *(("private.txt", text) for text in (PASSWORDS, SETTINGS, KEYS, PAIRS, NESTED, HOLES)),
        *(("private.toml", text) for text in TREES),
    ],
)
def test_a_file_that_is_no_hierarchy_is_not_told(tmp_path: Path, name: str, content: str) -> None:
    file = tmp_path / name
    file.write_text(content, encoding="utf-8")
    with pytest.raises(BadInput, match=name) as caught:
        read_hierarchy(file, attribute="age")
    assert "SECRET" not in everything(caught.value)


@pytest.mark.parametrize(
    "content", [PASSWORDS, SETTINGS, KEYS, SECRET, f"{SECRET}\n1\n", f'a,b\n1,"{SECRET}\n', f"a,b\n{SECRET},2,3\n"]
)
def test_a_file_that_is_no_table_is_not_told(tmp_path: Path, content: str) -> None:
    (tmp_path / "private.csv").write_text(content, encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        pn.Problem(tmp_path / "private.csv", quasi_identifiers=["age"])
    assert "SECRET" not in str(caught.value)


@pytest.mark.parametrize("content", [PASSWORDS, SETTINGS, KEYS, *TREES])
def test_a_file_that_is_no_recipe_is_not_told(tmp_path: Path, content: str) -> None:
    (tmp_path / "private.toml").write_text(content, encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        pn.Problem.from_recipe(tmp_path / "private.toml")
    assert "SECRET" not in str(caught.value)


def test_a_long_value_in_a_recipe_is_not_told_in_full(tmp_path: Path) -> None:
    rows = ", ".join(f'"{SECRET}{n}"' for n in range(99))
    (tmp_path / "recipe.toml").write_text(f"data = [{rows}]\n", encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        pn.Problem.from_recipe(tmp_path / "recipe.toml")
    assert "SECRET98" not in str(caught.value)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize("read", [read_front, SavedRecoding.read, lambda path: pn.apply(path, PAIRS)])
@pytest.mark.parametrize(
    "content",
    [
        PASSWORDS,
        json.dumps({"password": SECRET}),
        json.dumps([SECRET]),
        json.dumps({"format": "paranym recoding 1", "attributes": [{"attribute": SECRET}], "k": SECRET}),
        json.dumps({"method": SECRET, "points": [{"k": SECRET}], "possible": [{SECRET: 1}]}),
    ],
)
def test_a_file_that_is_no_result_is_not_told(tmp_path: Path, read: Callable[[Path], object], content: str) -> None:
    (tmp_path / "private.json").write_text(content, encoding="utf-8")
    with pytest.raises(BadInput) as caught:
        read(tmp_path / "private.json")
    assert "SECRET" not in str(caught.value)


def test_keys_of_a_recipe_are_told_and_those_of_other_files_are_not() -> None:
    error = ValueError(f"Cannot declare ('attributes', '{SECRET}') twice (at line 3, column 5)")
    assert toml_reason(error, ("attributes",)) == str(error)
    assert toml_reason(error) == "Cannot declare a key twice (at line 3, column 5)"


def everything(error: BaseException) -> str:
    """What an error and those that led to it say, as a traceback would show it."""
    told, seen = str(error), error
    while (cause := seen.__cause__) is not None:
        told, seen = f"{told}\n{cause}", cause
    return told


def test_what_the_engine_says_about_a_cell_is_shown_without_the_cell() -> None:
    for query in (
        f"SELECT CAST('{SECRET}' AS INTEGER)",
        f"SELECT CAST('{SECRET}' AS DATE)",
        f"SELECT error('{SECRET}')",
    ):
        with pytest.raises(duckdb.Error) as caught:
            duckdb.execute(query).fetchall()
        assert "SECRET" in str(caught.value)
        assert "SECRET" not in _reason(caught.value)
