"""Hierarchy files as other tools write them, and what is said about files that are none."""

from pathlib import Path

import pytest

from paranym.errors import BadHierarchy
from paranym.hierarchies.files import read_hierarchy

LABELS = (("F", "M"), ("*",))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "sex.csv"


@pytest.mark.parametrize(
    "text",
    [
        "F;*\nM;*\n",
        "F,*\nM,*\n",
        "F\t*\nM\t*\n",
        "F|*\nM|*\n",
        "F;*\r\nM;*\r\n",
        "F;*\rM;*\r",
        "F;*\nM;*",
        "\n\nF;*\n\nM;*\n\n",
        '"F";"*"\n"M";"*"\n',
        "\ufeffF;*\nM;*\n",
        "F;*\nM;*\nF;*\n",
    ],
)
def test_separator_line_ends_quotes_and_byte_order_mark_are_recognized(file: Path, text: str) -> None:
    file.write_bytes(text.encode())

    assert read_hierarchy(file, attribute="sex").labels == LABELS


@pytest.mark.parametrize(
    ("text", "leaves"),
    [
        ("a,b;x,y;*\nc;x,y;*\n", ("a,b", "c")),
        ('"a;b";*\nc;*\n', ("a;b", "c")),
        ('"say ""a""";*\nc;*\n', ('say "a"', "c")),
        ('"a\nb";*\nc;*\n', ("a\nb", "c")),
        ("001;*\nNA;*\n1e5;*\n", ("001", "NA", "1e5")),
        ("ä;*\n漢;*\n", ("ä", "漢")),
        (" a;*\nc ;*\n", (" a", "c ")),
    ],
)
def test_leaves_are_read_as_written(file: Path, text: str, leaves: tuple[str, ...]) -> None:
    file.write_text(text, encoding="utf-8")

    assert read_hierarchy(file, attribute="x").leaves == leaves


def test_an_empty_leaf_places_missing_values(file: Path) -> None:
    file.write_text("F;known;*\n;unknown;*\n", encoding="utf-8")

    assert read_hierarchy(file, attribute="sex").rows() == [("F", "known", "*"), (None, "unknown", "*")]


def test_a_given_separator_is_not_guessed(file: Path) -> None:
    file.write_text("a;b:*\nc;d:*\n", encoding="utf-8")

    assert read_hierarchy(file, attribute="x", separator=":").leaves == ("a;b", "c;d")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "Hierarchy of 'sex': in 'sex.csv' there are no lines."),
        (b"\n\n", "Hierarchy of 'sex': in 'sex.csv' there are no lines."),
        ("Fräulein;*".encode("cp1252"), "Hierarchy of 'sex': 'sex.csv' is not written in UTF-8."),
        (b'"F;*\nM;*', "Hierarchy of 'sex': 'sex.csv' cannot be split into fields: unexpected end of data."),
        (
            b"F\nM\n",
            (
                "Hierarchy of 'sex', level 0: in 'sex.csv' lines 1 and 2 have different last values; the last level "
                "needs one value, such as '*'."
            ),
        ),
        (
            b"leaf;top\nF;*\nM;*\n",
            (
                "Hierarchy of 'sex', level 1: in 'sex.csv' lines 1 and 2 have different last values; the last level "
                "needs one value, such as '*'."
            ),
        ),
        (b"F;*;\nM;*;\n", "Hierarchy of 'sex', level 2: in 'sex.csv' line 1 has no value."),
        (
            b"F;x;*\nM;x;*\n\nF;y;*\n",
            (
                "Hierarchy of 'sex', level 1: in 'sex.csv' lines 1 and 4 have the same value at level 0 but not here; "
                "each value must have one value above it."
            ),
        ),
        (
            b"F;x;*\nM;*\n",
            (
                "Hierarchy of 'sex': in 'sex.csv' line 2 has 2 fields where line 1 has 3; each must have one for every "
                "level."
            ),
        ),
    ],
)
def test_a_file_that_is_no_hierarchy_says_what_is_wrong(file: Path, content: bytes, message: str) -> None:
    file.write_bytes(content)

    with pytest.raises(BadHierarchy) as caught:
        read_hierarchy(file, attribute="sex")

    assert str(caught.value) == message


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(
        BadHierarchy, match=r"Hierarchy of 'sex': cannot read '.*gone\.csv': No such file or directory\."
    ):
        read_hierarchy(tmp_path / "gone.csv", attribute="sex")


def test_a_folder_is_no_hierarchy(tmp_path: Path) -> None:
    with pytest.raises(BadHierarchy, match="Hierarchy of 'sex': cannot read"):
        read_hierarchy(tmp_path, attribute="sex")
