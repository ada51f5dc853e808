"""The flow runs one way: every layer imports only layers that are listed for it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import paranym

ROOT = Path(paranym.__file__).parent

MAY_IMPORT = {
    "errors": "",
    "extensions": "errors",
    "wording": "errors",
    "files": "errors",
    "kernels": "",
    "model": "errors kernels",
    "results": "errors wording kernels model",
    "hierarchies": "errors files model",
    "frequency": "kernels model",
    "engines": "errors extensions wording model frequency",
    "measures": "errors kernels model results frequency extensions",
    "evaluation": "errors kernels model results frequency measures",
    "search": "errors wording kernels model results",
    "choice": "errors wording model results measures",
    "recipe": "errors wording files model measures",
    "saved": "errors files model results engines recipe",
    "problem": "errors wording model results hierarchies frequency engines measures evaluation recipe",
    "solve": "errors extensions wording kernels model results measures evaluation search problem",
    "proof": "errors kernels model results frequency measures evaluation problem",
    "recognition": "",
    "publishing": "errors wording model results hierarchies frequency engines measures problem recognition",
    "audits": "errors wording model results hierarchies frequency engines measures",
    "releases": "errors wording files model results hierarchies engines measures recipe saved problem publishing "
    "audits",
    "comparison": "errors wording model results frequency measures problem solve publishing plots",
    "plots": "errors wording results measures",
    "report": "errors wording files model results engines measures choice problem publishing audits releases plots",
    "drafting": "errors wording files model results hierarchies frequency engines problem recognition",
    "anonymizer": "errors hierarchies choice problem solve publishing releases",
    "testing": "errors model results engines frequency measures evaluation search problem solve",
    "datasets": "",
    "cli": "errors wording files kernels model results hierarchies engines choice recipe saved problem search solve "
    "measures recognition publishing audits releases comparison plots report drafting datasets proof",
    "__main__": "cli",
}

HOMES = {
    "numba": "kernels",
    "duckdb": "engines",
    "sqlglot": "engines",
    "pydantic": "recipe saved",
    "python_calamine": "engines",
    "adbc_driver_manager": "engines",
    "adbc_driver_postgresql": "engines",
    "pyspark": "engines",
    "altair": "plots",
    "pymoo": "search",
    "cyclopts": "cli",
    "rich": "cli",
}
"""Foreign libraries and the layers that they are at home in."""

SOURCES = sorted(ROOT.rglob("*.py"))


def layer(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").parts[0]


def imported(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text())):
        match node:
            case ast.ImportFrom(module=str(name), names=aliases):
                yield name
                yield from (f"{name}.{alias.name}" for alias in aliases)
            case ast.Import(names=aliases):
                yield from (alias.name for alias in aliases)


def name_of(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_imports_only_what_its_layer_may(path: Path) -> None:
    here = layer(path)
    if here == "__init__":
        return
    names = [name.split(".") for name in imported(path) if name.split(".")[0] == "paranym"]
    layers = {name[1] if len(name) > 1 else "the package root" for name in names}
    allowed = {here, *MAY_IMPORT[here].split()} | (
        {"the package root", "__version__"} if path.name == "registry.py" else set()
    )

    assert layers <= allowed


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_foreign_libraries_stay_in_their_homes(path: Path) -> None:
    foreign = {name.split(".")[0] for name in imported(path)} & set(HOMES)

    assert [library for library in foreign if layer(path) not in HOMES[library].split()] == []


SHARED = {
    "base",
    "graph",
    "breadth_first",
    "table",
    "session",
    "files",
    "queries",
    "rewriting",
    "conversion",
    "compaction",
}
"""Modules that their siblings build on."""


@pytest.mark.parametrize(
    "package", ["search/lattice", "search/fixed_k", "search/cuts/formulations", "measures/loss", "measures/privacy"]
)
def test_siblings_do_not_import_each_other(package: str) -> None:
    """An algorithm or a measure stands on what its package shares, and on no other algorithm or measure."""
    dotted = f"paranym.{package.replace('/', '.')}"
    members = {path.stem for path in (ROOT / package).glob("*.py")} - {"__init__"} - SHARED
    found = {
        (path.stem, member)
        for path in (ROOT / package).glob("*.py")
        if path.stem != "__init__"
        for name in imported(path)
        for member in members
        if name == f"{dotted}.{member}"
    }

    assert found == set()


@pytest.mark.parametrize(("engine", "known"), [("duckdb", ()), ("postgres", ("duckdb",)), ("spark", ("duckdb",))])
def test_engines_do_not_know_each_other(engine: str, known: tuple[str, ...]) -> None:
    """The embedded engine writes files for the others."""
    others = tuple(
        f"paranym.engines.{other}." for other in ("duckdb", "postgres", "spark") if other not in (engine, *known)
    )
    names = {name for path in (ROOT / "engines" / engine).glob("*.py") for name in imported(path)}

    assert [name for name in sorted(names) if name.startswith(others)] == []


def defined(tree: ast.Module) -> Iterator[str]:
    """The names that a module defines itself."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.Assign(targets=targets):
                for target in targets:
                    parts = target.elts if isinstance(target, ast.Tuple) else [target]
                    yield from (part.id for part in parts if isinstance(part, ast.Name))
            case ast.AnnAssign(target=ast.Name(id=name)):
                yield name


def borrowed(path: Path) -> Iterator[str]:
    """Names that a module takes from a module of another room, which took them from elsewhere."""
    for node in ast.walk(ast.parse(path.read_text())):
        if not isinstance(node, ast.ImportFrom) or not (node.module or "").startswith("paranym."):
            continue
        folder = ROOT.parent / str(node.module).replace(".", "/")
        source = folder / "__init__.py" if folder.is_dir() else folder.with_suffix(".py")
        tree = ast.parse(source.read_text())
        room = str(node.module).split(".")[1]
        own = {
            alias.name
            for each in tree.body
            if source.name == "__init__.py"
            and isinstance(each, ast.ImportFrom)
            and str(each.module).startswith(f"paranym.{room}")
            for alias in each.names
        }
        modules = {each.stem for each in folder.glob("*.py")} | {each.name for each in folder.glob("*/")}
        for alias in node.names:
            if alias.name not in {*defined(tree), *own, *modules}:
                yield f"{node.module}.{alias.name}"


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_names_are_imported_from_where_they_are_defined(path: Path) -> None:
    """A package may list names of its own room; a name that was passed on by another module hides an import."""
    assert list(borrowed(path)) == []


def test_a_module_is_seen_however_it_is_imported(tmp_path: Path) -> None:
    source = tmp_path / "x.py"
    source.write_text("import a.b\nfrom a import c\nfrom a.d import e as f\n")

    assert set(imported(source)) >= {"a.b", "a.c", "a.d", "a.d.e"}


def test_every_layer_is_listed() -> None:
    assert {layer(path) for path in SOURCES} - {"__init__"} == set(MAY_IMPORT)
