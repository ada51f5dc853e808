"""Packages with entry points, installed into a folder of a test."""

import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from paranym.extensions import load_installed


def install(
    folder: Path, monkeypatch: pytest.MonkeyPatch, source: str, entry_points: Mapping[str, str], *, name: str = "addon"
) -> None:
    """Put a module and its entry points, `{"paranym.losses": "key = addon:Loss"}`, where Python finds packages."""
    (folder / f"{name}.py").write_text(source, encoding="utf-8")
    metadata = folder / f"{name}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
    text = "\n".join(f"[{group}]\n{lines}" for group, lines in entry_points.items())
    (metadata / "entry_points.txt").write_text(text, encoding="utf-8")
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.delitem(sys.modules, name, raising=False)
    load_installed.cache_clear()
