"""Every search gives the result that was recorded for it, and no search goes without one."""

import inspect
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib import import_module
from pkgutil import walk_packages
from types import CodeType, FrameType, FunctionType
from typing import Any

import pytest

import paranym.search
from golden_searches import FOLDER, GOLDEN, recorded


@dataclass(frozen=True)
class Runs:
    """The results of all searches, and the code that ran for them."""

    results: dict[str, Any]
    called: set[CodeType]


@pytest.fixture(scope="module")
def runs() -> Runs:
    called: set[CodeType] = set()

    def follow(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            called.add(frame.f_code)

    before = sys.getprofile()
    sys.setprofile(follow)
    try:
        results = {name: run() for name, run in GOLDEN.items()}
    finally:
        sys.setprofile(before)
    return Runs(results, called)


@pytest.mark.parametrize("name", GOLDEN)
def test_a_search_gives_its_recorded_result(name: str, runs: Runs) -> None:
    found, expected = runs.results[name], recorded(name)
    if found.get("pymoo") != expected.get("pymoo"):
        pytest.skip(f"recorded with pymoo {expected['pymoo']}, which bred otherwise")

    assert list(differences(found, expected)) == []


def test_no_result_is_orphaned() -> None:
    assert {file.stem for file in FOLDER.glob("*.json")} == set(GOLDEN)


def test_no_search_goes_without_a_result(runs: Runs) -> None:
    """Whatever yields steps in the room of the searches runs for one of them."""
    found = list(searches())

    assert len(found) > len(GOLDEN) // 2
    assert [name_of(search) for search in found if search.__code__ not in runs.called] == []


def searches() -> Iterator[FunctionType]:
    """All public functions of `paranym.search` that return an iterator."""
    for module in walk_packages(paranym.search.__path__, "paranym.search."):
        for name, value in vars(import_module(module.name)).items():
            if inspect.isfunction(value) and value.__module__ == module.name and not name.startswith("_"):
                returned = inspect.signature(value).return_annotation
                if "Iterator" in str(returned):
                    yield value


def name_of(function: Callable[..., object]) -> str:
    return f"{function.__module__}.{function.__qualname__}"


def differences(found: Any, expected: Any, where: str = "") -> Iterator[str]:
    """Where two results differ; numbers may, by rounding."""
    if isinstance(found, dict) and isinstance(expected, dict):
        if found.keys() != expected.keys():
            yield f"{where}: {sorted(found)} instead of {sorted(expected)}"
        for key in found.keys() & expected.keys():
            yield from differences(found[key], expected[key], f"{where}/{key}")
    elif isinstance(found, list | tuple) and isinstance(expected, list):
        if len(found) != len(expected):
            yield f"{where}: {len(found)} entries instead of {len(expected)}"
        for number, (one, other) in enumerate(zip(found, expected, strict=False)):
            yield from differences(one, other, f"{where}/{number}")
    elif isinstance(found, float) and isinstance(expected, float):
        if found != pytest.approx(expected, rel=1e-9):
            yield f"{where}: {found} instead of {expected}"
    elif found != expected:
        yield f"{where}: {found!r} instead of {expected!r}"
