"""What others wrote reaches the terminal through one door."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import paranym

ROOT = Path(paranym.__file__).parent
DOOR = ROOT / "cli" / "terminal.py"
SOURCES = sorted(set(ROOT.rglob("*.py")) - {DOOR})
STREAMS = {"stdout", "stderr", "__stdout__", "__stderr__"}


def bypasses(source: str) -> Iterator[str]:
    """Calls and names by which text could leave without being looked at."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Name(id="print" | "pprint" | "Console" as name)):
                yield f"{node.lineno}: {name}()"
            case ast.Attribute(value=ast.Name(id="sys"), attr=name) if name in STREAMS:
                yield f"{node.lineno}: sys.{name}"
            case ast.ImportFrom(module="sys", names=aliases) if STREAMS & {alias.name for alias in aliases}:
                yield f"{node.lineno}: from sys import"
            case ast.ImportFrom(module="rich.console" | "rich"):
                yield f"{node.lineno}: {ast.unparse(node)}"
            case ast.Attribute(value=ast.Name(id="os"), attr="write"):
                yield f"{node.lineno}: os.write"


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: str(path.relative_to(ROOT)))
def test_nothing_is_printed_past_the_terminal(path: Path) -> None:
    flushes = (
        ["sys.stdout", "sys.stderr"] if path == ROOT / "files" / "writing.py" else []
    )  # before another writes there

    found = [each.partition(": ")[2] for each in bypasses(path.read_text(encoding="utf-8"))]

    assert found == flushes


@pytest.mark.parametrize(
    "source",
    [
        "print(name)",
        "import sys\nsys.stderr.write(name)",
        "from rich.console import Console",
        "import os\nos.write(1, b)",
    ],
)
def test_a_print_past_the_terminal_is_found(source: str) -> None:
    assert list(bypasses(source))
