"""The flow runs one way: every layer imports only layers that are listed for it."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import paranym

ROOT = Path(paranym.__file__).parent

MAY_IMPORT = {
    "errors": "",
    "kernels": "",
    "model": "errors kernels",
    "hierarchies": "errors model",
    "frequency": "errors kernels model",
    "engines": "errors model frequency",
    "measures": "errors kernels model frequency",
    "evaluation": "errors kernels model frequency measures",
    "search": "errors kernels model",
    "choice": "errors model",
    "audits": "errors model hierarchies frequency engines measures",
    "recipe": "errors model",
    "problem": "errors model hierarchies frequency engines measures evaluation recipe",
    "releases": "errors model hierarchies frequency engines measures audits recipe problem",
    "drafting": "errors model hierarchies frequency engines problem",
    "verification": "errors model measures evaluation problem",
    "report": "errors model",
    "reporting": "errors model engines measures audits choice problem releases report",
    "workbench": "errors kernels model frequency measures evaluation search problem releases report reporting",
    "anonymizer": "errors hierarchies choice problem releases workbench",
    "datasets": "",
    "cli": "errors kernels model engines audits choice datasets recipe report reporting workbench drafting hierarchies "
    "releases",
    "__main__": "cli",
}

HOMES = {
    "numba": "kernels",
    "duckdb": "engines",
    "sqlglot": "engines",
    "pydantic": "recipe",
    "python_calamine": "engines",
    "adbc_driver_manager": "engines",
    "adbc_driver_postgresql": "engines",
    "pyspark": "engines",
    "altair": "report",
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
        {"the package root", "__version__"} if path.name == "app.py" else set()
    )

    assert layers <= allowed


@pytest.mark.parametrize("path", SOURCES, ids=name_of)
def test_foreign_libraries_stay_in_their_homes(path: Path) -> None:
    foreign = {name.split(".")[0] for name in imported(path)} & set(HOMES)

    assert [library for library in foreign if layer(path) not in HOMES[library].split()] == []


@pytest.mark.parametrize("package", ["search", "search/full_domain", "engines", "measures/loss", "measures/privacy"])
def test_siblings_do_not_import_each_other(package: str) -> None:
    """An algorithm, an engine or a measure stands on its base alone."""
    members = {path.stem for path in (ROOT / package).glob("*.py")} - {"__init__", "base"}
    allowed = {}
    allowed["engines"] = {
        ("sql_table", "queries"),
        ("sql_table", "rewriting"),
        ("duckdb", "sql_table"),
        ("postgres", "duckdb"),
        ("postgres", "postgres_server"),
        ("postgres", "queries"),
        ("postgres", "rewriting"),
        ("postgres", "sql_table"),
        ("source", "postgres"),
        ("source", "postgres_server"),
        ("source", "spark"),
        ("source", "spark_session"),
        ("spark", "csv_dialect"),
        ("spark", "queries"),
        ("spark", "rewriting"),
        ("spark", "spark_session"),
        ("spark", "spark_workers"),
        ("spark", "sql_table"),
        ("duckdb", "csv_dialect"),
        ("duckdb", "frames"),
        ("duckdb", "queries"),
        ("duckdb", "rewriting"),
        ("duckdb", "standard_input"),
        ("duckdb", "workbooks"),
        ("duckdb", "writing"),
        ("rewriting", "queries"),
        ("source", "csv_dialect"),
        ("source", "duckdb"),
        ("source", "frames"),
        ("source", "standard_input"),
        ("writing", "rewriting"),
    }
    allowed["search"] = {("nsga2", "breeding")}
    allowed["search/full_domain"] = {("climbing", "graph"), ("bottom_up", "climbing"), ("bottom_up", "graph")}
    dotted = f"paranym.{package.replace('/', '.')}"
    found = {
        (path.stem, member)
        for path in (ROOT / package).glob("*.py")
        if path.stem != "__init__"
        for name in imported(path)
        for member in members
        if name == f"{dotted}.{member}"
    }

    assert found <= allowed.get(package, set())


def test_a_module_is_seen_however_it_is_imported(tmp_path: Path) -> None:
    source = tmp_path / "x.py"
    source.write_text("import a.b\nfrom a import c\nfrom a.d import e as f\n")

    assert set(imported(source)) >= {"a.b", "a.c", "a.d", "a.d.e"}


def test_every_layer_is_listed() -> None:
    assert {layer(path) for path in SOURCES} - {"__init__"} == set(MAY_IMPORT)
