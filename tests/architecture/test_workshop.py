"""What keeps the workshop in order: one version, sound fragments, markers that say what a test needs."""

import importlib.util
import re
import subprocess
import sys
import tomllib
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType

import pytest

import paranym as pn

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def project() -> dict[str, dict[str, object]]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def script(name: str) -> ModuleType:
    loader = SourceFileLoader(f"script_{name.partition('.')[0]}", str(ROOT / "scripts" / name))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[loader.name] = module  # dataclasses look their module up
    loader.exec_module(module)
    return module


def test_the_version_is_stated_in_one_place(project: dict[str, dict[str, object]]) -> None:
    stated = [
        file.relative_to(ROOT)
        for file in [*ROOT.glob("*.toml"), *ROOT.glob("src/**/*.py")]
        if re.search(r"^(__)?version(__)? = \"\d", file.read_text(encoding="utf-8"), re.MULTILINE)
    ]

    assert stated == [Path("src/paranym/__init__.py")]
    assert project["project"]["dynamic"] == ["version"]
    assert script("changelog").version() == pn.__version__


def test_fragments_of_the_changelog_are_sound() -> None:
    subprocess.run([sys.executable, ROOT / "scripts" / "changelog", "--check"], check=True, capture_output=True)


def test_fragments_become_a_section_by_kind(tmp_path: Path) -> None:
    changelog = script("changelog")
    fragments = [tmp_path / "b.fixed.md", tmp_path / "a.added.md"]
    fragments[0].write_text("Repaired.\n", encoding="utf-8")
    fragments[1].write_text("One\nand two.\n", encoding="utf-8")

    text = changelog.assembled("# Changelog\n\n## 0.0.1\n\n- Begun.\n", sorted(fragments))

    assert re.sub(r"\(.*\)", "(today)", text) == (
        f"# Changelog\n\n## {pn.__version__} (today)\n\n### Added\n\n- One\n  and two.\n\n### Fixed\n\n- Repaired.\n\n"
        "## 0.0.1\n\n- Begun.\n"
    )
    with pytest.raises(SystemExit, match="has a section"):
        changelog.assembled(text, fragments)


@pytest.mark.parametrize("name", ["a.md", "a.fix.md", "A b.added.md", "empty.added.md"])
def test_a_fragment_that_is_none_is_named(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("" if name.startswith("empty") else "Something.", encoding="utf-8")

    [fault] = script("changelog").faults_of(tmp_path / name)
    assert fault.startswith(name)


def test_every_room_that_is_mutated_is_there() -> None:
    mutants = script("mutants.py")

    for name, room in mutants.ROOMS.items():
        assert sum(1 for _ in mutants.mutants(name)) > 50
        assert [test for test in room.tests if not (ROOT / test).exists()] == []


def test_mutants_are_small_faults() -> None:
    mutants = script("mutants.py")
    text = "def f(a, b):\n    return g(a, b) if a < 1 and min(a, b) else [a - b, -b]\n"

    [expression] = [
        node for node in mutants._expressions(mutants.ast.parse(text)) if isinstance(node, mutants.ast.IfExp)
    ]
    found = {
        mutants.ast.unparse(changed)
        for node in [expression, *mutants._expressions(expression)]
        for changed in mutants.changes(node)
    }

    assert found == {
        "[a - b, -b] if a < 1 and min(a, b) else g(a, b)",
        "g(b, a)",
        "a < 1 or min(a, b)",
        "a <= 1",
        "2",
        "max(a, b)",
        "[-b, a - b]",
        "a + b",
        "b",
    }
