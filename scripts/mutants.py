"""Mutation testing of the rooms that only report numbers: how many small faults do the tests of a room let pass?

    python scripts/mutants.py [--sample 150] [--seed 0] [--room choice] [--jobs 2]

A mutant is one change of one expression: a comparison turned, arguments or entries of a list swapped, plus for minus,
a number raised by one, min for max, a condition turned. A sample of all mutants of a room is drawn by the seed; each is
put into a copy of the package, and the tests of its room are run until one fails. The survivors are listed with their
share; a survivor is a missing test, or a change that makes no difference. The tests must first pass without any
mutant, since tests that always fail would notice everything.
"""

import argparse
import ast
import concurrent.futures
import contextlib
import copy
import os
import random
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "src" / "paranym"


@dataclass(frozen=True)
class Room:
    """Sources that are mutated, and the tests that shall notice."""

    sources: tuple[str, ...]
    tests: tuple[str, ...]


ROOMS = {
    "report": Room(("report/*.py", "plots/figures.py"), ("tests/unit/report", "tests/contract/test_report_command.py")),
    "compare": Room(("comparison/models.py",), ("tests/unit/comparison", "tests/unit/plots/test_models.py")),
    "choice": Room(("choice/*.py",), ("tests/unit/choice", "tests/contract/test_ask.py")),
}
"""The one list of what is mutated, relative to the package, and of the tests."""
PATIENCE = 300
"""Seconds after which a mutant counts as noticed: it does not come to an end."""
TURNED: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
COUNTERPART: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
}
EXCHANGED = {"min": "max", "max": "min", "any": "all", "all": "any", "floor": "ceil", "ceil": "floor"}


@dataclass(frozen=True)
class Mutant:
    """One change of one file."""

    room: str
    file: Path
    line: int
    before: str
    after: str
    text: str
    """The whole file as it becomes."""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.before}  ->  {self.after}"


def main() -> int:
    """Draw, try, report."""
    options = _options()
    rooms = [options.room] if options.room else list(ROOMS)
    survived = tried = 0
    for room in rooms:
        if is_noticed(room):
            raise SystemExit(f"The tests of the room {room} fail without any mutant, so they can show nothing.")
        every = list(mutants(room))
        drawn = random.Random(options.seed).sample(every, min(options.sample, len(every)))  # noqa: S311 - no secret
        alive = [mutant for mutant, noticed in zip(drawn, attempts(drawn, options.jobs), strict=True) if not noticed]
        survived, tried = survived + len(alive), tried + len(drawn)
        print(f"{room}: {len(alive)} of {len(drawn)} drawn mutants survive ({len(every)} possible)", flush=True)
        for mutant in sorted(alive, key=str):
            print(f"  {mutant}", flush=True)
    print(f"{survived} of {tried} mutants survive: {survived / max(tried, 1):.1%} (seed {options.seed})")
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sample", type=int, default=150, help="mutants drawn of each room")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--room", choices=list(ROOMS))
    parser.add_argument("--jobs", type=int, default=2)
    return parser.parse_args()


def mutants(room: str) -> Iterator[Mutant]:
    """All mutants of a room, in the order of its sources."""
    for pattern in ROOMS[room].sources:
        files = sorted(PACKAGE.glob(pattern))
        if not files:
            raise SystemExit(f"{pattern} of the room {room} is not there: correct ROOMS in {Path(__file__).name}.")
        for file in files:
            yield from _mutants_of(room, file)


def _mutants_of(room: str, file: Path) -> Iterator[Mutant]:
    text = file.read_text(encoding="utf-8")
    tree = ast.parse(text)
    for node in _expressions(tree):
        for changed in changes(node):
            before, after = ast.unparse(node), ast.unparse(changed)
            yield Mutant(
                room, file.relative_to(PACKAGE), node.lineno, before, after, _replaced(text, node, f"({after})")
            )


def _expressions(tree: ast.AST) -> Iterator[ast.expr]:
    """The expressions that are evaluated: no annotations, no docstrings, nothing within an f-string's text."""
    for name, value in ast.iter_fields(tree):
        if name in {"annotation", "returns", "decorator_list", "type_params"}:
            continue
        for child in value if isinstance(value, list) else [value]:
            if isinstance(child, ast.Assign) and any(getattr(each, "id", "") == "__all__" for each in child.targets):
                continue
            if isinstance(child, ast.expr) and not isinstance(tree, ast.JoinedStr | ast.FormattedValue):
                yield child
            if isinstance(child, ast.AST) and not isinstance(child, ast.JoinedStr):
                yield from _expressions(child)


def changes(node: ast.expr) -> Iterator[ast.expr]:
    """The mutants of one expression."""
    match node:
        case ast.Compare(ops=[operator]) if type(operator) in TURNED:
            yield _with(node, ops=[TURNED[type(operator)]()])
        case ast.BinOp(op=operator, left=left) if type(operator) in COUNTERPART and not _is_text(left):
            yield _with(node, op=COUNTERPART[type(operator)]())
        case ast.BoolOp(op=operator):
            yield _with(node, op=ast.Or() if isinstance(operator, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield operand
        case ast.IfExp():
            yield _with(node, body=node.orelse, orelse=node.body)
        case ast.Constant(value=bool()):
            yield ast.Constant(not node.value)
        case ast.Constant(value=int() | float() as number):
            yield ast.Constant(number + 1)
        case _:
            yield from _exchanges(node)


def _exchanges(node: ast.expr) -> Iterator[ast.expr]:
    """A function for its opposite; the first two arguments, or the last two entries, for one another."""
    match node:
        case ast.Call(func=ast.Name(id=name)) if name in EXCHANGED:
            yield _with(node, func=ast.Name(EXCHANGED[name]))
        case ast.Call(args=[first, second, *rest]) if _move(first, second):
            yield _with(node, args=[second, first, *rest])
        case ast.List(elts=[*most, first, second]) | ast.Tuple(elts=[*most, first, second], ctx=ast.Load()):
            if _move(first, second):
                yield _with(node, elts=[*most, second, first])


def _move(*nodes: ast.expr) -> bool:
    """Whether these may change places: texts stay where they are, since nobody counts on words."""
    return not any(isinstance(node, ast.Starred | ast.Slice) or _is_text(node) for node in nodes)


def _is_text(node: ast.expr) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _with(node: ast.expr, **fields: object) -> ast.expr:
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed


def _replaced(text: str, node: ast.expr, after: str) -> str:
    """The text with another expression in the place of one; columns of the tree count bytes."""
    lines = text.encode().splitlines(keepends=True)
    start = sum(map(len, lines[: node.lineno - 1])) + node.col_offset
    end = sum(map(len, lines[: (node.end_lineno or node.lineno) - 1])) + (node.end_col_offset or 0)
    whole = b"".join(lines)
    return (whole[:start] + after.encode() + whole[end:]).decode()


def attempts(drawn: list[Mutant], jobs: int) -> list[bool]:
    """Whether the tests notice each mutant."""
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(lambda mutant: is_noticed(mutant.room, mutant), drawn))


def is_noticed(room: str, mutant: Mutant | None = None) -> bool:
    """Whether a test of a room fails, or never ends, with the mutant in the place of its file, or without any."""
    with tempfile.TemporaryDirectory(prefix="paranym-mutant-") as name:
        source = Path(name) / "src"
        shutil.copytree(ROOT / "src", source)  # with its compiled kernels, which depend on no path
        if mutant is not None:
            (source / "paranym" / mutant.file).write_text(mutant.text, encoding="utf-8")
        process = get_context("spawn").Process(target=_judge, args=(room, str(source), name))
        process.start()
        process.join(PATIENCE)
        if process.exitcode is None and process.pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.join()
        return process.exitcode != 0


def _judge(room: str, source: str, folder: str) -> None:
    """Run the tests of a room on the package in `source`, silently; leave with their exit code."""
    os.setsid()
    os.environ |= {"PYTHONPATH": source, "PYTHONDONTWRITEBYTECODE": "1", "HYPOTHESIS_STORAGE_DIRECTORY": folder}
    sys.path.insert(0, source)
    os.chdir(ROOT)
    with Path(os.devnull).open("w", encoding="utf-8") as nowhere:
        os.dup2(nowhere.fileno(), 1)
        os.dup2(nowhere.fileno(), 2)
    import pytest  # noqa: PLC0415 - by the mutant's process alone

    options = ["-q", "-x", "-p", "no:cacheprovider", "-o", "addopts=--import-mode=importlib"]
    sys.exit(pytest.main([*options, "-m", "not browser and not slow", *ROOMS[room].tests]))


if __name__ == "__main__":
    sys.exit(main())
