"""The picture of a front holds whatever columns are named, and nothing that they are named runs."""

import json
import re
import xml.etree.ElementTree as ET
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

from paranym.errors import BadInput
from paranym.model.front import Front
from paranym.problem import Problem
from paranym.report.front_plot import check_plot_format, save_front_plot
from paranym.workbench import frontier

ODD = [
    "</script><script>alert(1)</script>",
    "<!--",
    "&amp;",
    "a\\b",
    'say "c\\',
    "it's",
    "k",
    "title",
    "{{x}}",
    "\x07\n",
]


def front_of(names: Sequence[str]) -> Front:
    return frontier(Problem(pa.table([["x", "y"]] * len(names), names=names), quasi_identifiers=names))


@pytest.fixture(scope="module")
def front() -> Front:
    return front_of(ODD)


def test_no_name_of_a_column_ends_the_script_that_it_stands_in(front: Front, tmp_path: Path) -> None:
    save_front_plot(front, tmp_path / "front.html")

    page = (tmp_path / "front.html").read_text(encoding="utf-8")
    plain = _page_of(["age"], tmp_path)
    assert "<script>alert" not in page
    assert (page.count("<script"), page.count("</script"), page.count("<!--")) == (
        plain.count("<script"),
        plain.count("</script"),
        plain.count("<!--"),
    )


def test_names_reach_the_page_as_they_are(front: Front, tmp_path: Path) -> None:
    save_front_plot(front, tmp_path / "front.html")

    written = re.search("const spec = (.*);", (tmp_path / "front.html").read_text(encoding="utf-8"))
    assert written is not None
    [points] = json.loads(written[1])["datasets"].values()
    assert set(points[0]["told"]) == {
        *("k", "loss", "suppressed rows", "level of   "),
        *(f"level of {name}" for name in ODD[:-1]),
    }


def test_a_drawing_with_odd_names_is_sound(front: Front, tmp_path: Path) -> None:
    save_front_plot(front, tmp_path / "front.svg")

    drawing = ET.parse(tmp_path / "front.svg")  # noqa: S314 - our own drawing
    told = [mark.get("aria-label", "") for mark in drawing.iter() if mark.get("aria-roledescription") == "circle"]
    assert len(told) == len(front)
    assert all("level of </script><script>alert(1)</script>: " in words for words in told)


@pytest.mark.parametrize(
    ("name", "head"),
    [("x.PNG", b"\x89PNG"), ("x.Html", b"<!DOCTYPE html>"), ("x.SVG", b"<svg"), ("x.pdf", b"%PDF")],
)
def test_the_ending_names_the_format_whatever_its_case(tmp_path: Path, name: str, head: bytes) -> None:
    save_front_plot(front_of(["age"]), tmp_path / name)

    assert (tmp_path / name).read_bytes().startswith(head)


@pytest.mark.parametrize("name", ["x", "x.jpg", "png"])
def test_other_endings_are_refused(name: str) -> None:
    with pytest.raises(BadInput, match=r"^A plot is written as \.html, \.png, \.svg, \.pdf; got"):
        check_plot_format(Path(name))


def _page_of(names: Sequence[str], folder: Path) -> str:
    save_front_plot(front_of(names), folder / "plain.html")
    return (folder / "plain.html").read_text(encoding="utf-8")
