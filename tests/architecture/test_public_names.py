"""What is promised is exported, documented, and shown by an example that runs."""

import ast
import doctest
import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import paranym as pn
from paranym import testing

ROOT = Path(pn.__file__).parent
MODULES = sorted(
    ".".join(["paranym", *path.relative_to(ROOT).with_suffix("").parts]).removesuffix(".__init__")
    for path in ROOT.rglob("*.py")
)


def test_the_list_of_promised_names_is_sorted_and_has_a_home_for_each() -> None:
    assert pn.__all__ == sorted(pn.__all__)
    assert sorted(pn._HOMES) == pn.__all__


@pytest.mark.parametrize("name", pn.__all__)
def test_every_promised_name_is_documented_with_an_example(name: str) -> None:
    promised = getattr(pn, name)
    examples = doctest.DocTestFinder(recurse=True).find(promised, name)

    assert promised.__doc__
    assert issubclass(promised, Exception) if name == "ParanymError" else any(test.examples for test in examples)


@pytest.mark.parametrize("name", testing.__all__)
def test_every_check_for_third_parties_is_documented_with_an_example(name: str) -> None:
    promised = getattr(testing, name)

    assert promised.__doc__
    assert any(test.examples for test in doctest.DocTestFinder(recurse=True).find(promised, name))


def defined() -> Iterator[tuple[str, str, bool]]:
    """Every name that a module defines for others: the module, the name, and whether it is a class."""
    for path in ROOT.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.FunctionDef) and any(
                isinstance(each, ast.Name) and each.id == "overload" for each in node.decorator_list
            ):
                continue  # a signature of what is defined below
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
                yield str(path.relative_to(ROOT)), node.name, isinstance(node, ast.ClassDef)


def test_no_class_and_no_promised_name_is_defined_twice() -> None:
    """A command may be called like the function that it runs: it has the same meaning."""
    homes: dict[str, list[str]] = {}
    for module, name, is_class in defined():
        if (is_class or name in pn.__all__) and not module.startswith("cli/commands/"):
            homes.setdefault(name, []).append(module)

    assert {name: modules for name, modules in homes.items() if len(modules) > 1} == {}


@pytest.mark.parametrize("module", MODULES)
def test_every_module_says_what_it_is_for(module: str) -> None:
    assert importlib.import_module(module).__doc__


def test_importing_the_package_loads_no_heavy_library() -> None:
    heavy = ["numba", "duckdb", "pyarrow", "altair", "pandas", "polars", "pydantic", "rich", "sqlglot"]
    code = f"import paranym, paranym.cli.app, sys; print([name for name in {heavy} if name in sys.modules])"

    answer = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert answer.stdout.strip() == "[]"
