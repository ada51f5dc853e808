"""The map in `docs/architecture.md` shows the tree as it is."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "paranym"
MAP = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
ROOMS = sorted(
    f"{path.name}/" if path.is_dir() else path.name
    for path in SOURCES.iterdir()
    if (path / "__init__.py").exists() or (path.suffix == ".py" and not path.name.startswith("__"))
)
PATHS = sorted(set(re.findall(r"`((?:[a-z_]+/)+[a-z_]+\.py)`", MAP)))


@pytest.mark.parametrize("room", ROOMS)
def test_every_room_has_one_line_on_the_map(room: str) -> None:
    assert len(re.findall(rf"^\| `{re.escape(room)}` \|", MAP, re.MULTILINE)) == 1


@pytest.mark.parametrize("path", PATHS)
def test_every_file_on_the_map_exists(path: str) -> None:
    assert any((folder / path).exists() for folder in (SOURCES, ROOT))
