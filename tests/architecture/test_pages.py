"""What the pages show is what happens: commands, files, edits and recipes are tried out in their order.

A block of kind `console` holds commands behind `$ ` and what they print; `…` stands for anything, alone on its line for
any lines. A block of kind `toml` that begins with `# NAME` is written to that file; one of kind `diff` changes the
recipe. Doctests of the pages run by themselves.
"""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from paranym.datasets import adult
from paranym.recipe import Recipe

DOCS = Path(__file__).parents[2] / "docs"
PAGES = ["tutorial.md", "gallery.md", "hierarchies.md", "choosing.md"]
WIDTH = 100


class Block(NamedTuple):
    """A part of a page between fences."""

    kind: str
    text: str
    line: int


def blocks(page: str) -> Iterator[Block]:
    text = (DOCS / page).read_text(encoding="utf-8")
    for found in re.finditer(r"^```(\w+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        yield Block(found[1], found[2], text.count("\n", 0, found.start()) + 1)


def commands(block: Block) -> Iterator[tuple[str, list[str]]]:
    """Every command of a block with the lines that it is said to print."""
    for part in re.split(r"^\$ ", block.text, flags=re.MULTILINE)[1:]:
        command, *printed = part.rstrip("\n").split("\n")
        yield command, printed


def run(command: str, folder: Path) -> str:
    environment = {**os.environ, "COLUMNS": str(WIDTH), "NO_COLOR": "1"}
    environment["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{environment['PATH']}"
    done = subprocess.run(
        ["/bin/sh", "-c", command], cwd=folder, env=environment, capture_output=True, encoding="utf-8", check=False
    )
    return done.stdout + (done.stderr.lstrip("\n") if done.returncode else "")  # progress is no part of a result


def is_as_said(printed: list[str], found: list[str]) -> bool:
    lines = [
        r"(?:.*\n)*" if line.strip() == "…" else re.escape(line.rstrip()).replace("…", ".*") + r"\n" for line in printed
    ]
    return re.fullmatch("".join(lines), "".join(f"{line.rstrip()}\n" for line in found)) is not None


def apply(edit: str, folder: Path) -> None:
    """Change the recipe as a block of kind `diff` says."""
    recipe = folder / "recipe.toml"
    lines = edit.splitlines()
    old = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("+"))
    new = "".join(f"{line[1:]}\n" for line in lines if not line.startswith("-"))
    text = recipe.read_text(encoding="utf-8")
    assert text.count(old) == 1, f"not in the recipe, or not once:\n{old}"
    recipe.write_text(text.replace(old, new), encoding="utf-8")


@pytest.mark.parametrize("page", PAGES)
def test_what_a_page_shows_is_what_happens(page: str, tmp_path: Path) -> None:
    shutil.copy(adult().parent / "adult.csv", tmp_path)
    for block in blocks(page):
        if block.kind == "toml" and (name := re.match(r"# (\S+\.toml)\n", block.text)):
            (tmp_path / name[1]).write_text(block.text, encoding="utf-8")
        elif block.kind == "diff":
            apply(block.text, tmp_path)
        elif block.kind == "console":
            for command, printed in commands(block):
                found = run(command, tmp_path).rstrip("\n").split("\n")
                shown = "\n".join(found)
                assert is_as_said(printed, found if shown else []), f"{page}:{block.line}: $ {command}\n{shown}"


@pytest.mark.parametrize("page", sorted(path.name for path in DOCS.glob("*.md")))
def test_every_recipe_that_a_page_shows_is_sound(page: str) -> None:
    for block in blocks(page):
        if block.kind == "toml":
            document = tomllib.loads(block.text)
            if "attributes" in document:
                Recipe.parse({"data": {"source": "x.csv"}, **document})


@pytest.mark.parametrize(
    ("printed", "found", "same"),
    [
        (["a", "…", "c"], ["a", "b", "b", "c"], True),
        (["a", "…"], ["a"], True),
        (["took … s"], ["took 1.5 s"], True),
        (["a", "c"], ["a", "b", "c"], False),
        ([], [], True),
    ],
)
def test_only_what_is_left_out_may_differ(printed: list[str], found: list[str], same: bool) -> None:  # noqa: FBT001
    assert is_as_said(printed, found) is same
