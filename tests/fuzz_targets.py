"""Everything that reads files: sound ones to begin with, how they are damaged, and how they are read."""

import gzip
import json
import random
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq

import fuzz_mutations as damage
import paranym as pn
from fuzz_mutations import Mutation
from paranym.engines.source import open_table
from paranym.errors import BadInput
from paranym.hierarchies.files import read_hierarchy
from paranym.recipe import Recipe
from paranym.releases.applying import apply
from paranym.releases.registry import History, Registry
from paranym.saved.front import read_front
from workbook_samples import open_document, workbook

PEOPLE = pa.table(
    {
        "age": [23, 27, 31, 34, 38, 45, 52, 55, 58, 61, None, 33],
        "zip": ["53715", "53703", "53715", "90210", "53703", "90210", "00501", "00501", "53715", "90210", "53703", "?"],
        "sex": ["F", "M", "F", "M", "F", "M", "F", "M", "F", "M", "F", "M"],
        "ill": ["flu", "cold", "flu", "none", "cold", "flu", "none", "flu", "cold", "none", "flu", "flu"],
        "paid": [1.5, 2.25, None, 4.0, 5.5, 6.0, 7.25, 8.5, 9.0, 10.75, 11.0, 12.5],
    }
)
RECIPE = """\
[data]
source = "people.csv"
missing = ["?"]
memory = "1GB"

[attributes.age]
role = "quasi-identifier"
hierarchy = { intervals = [5, 10, 20], bottom = 25, top = 60 }
weight = 2.0

[attributes.zip]
role = "quasi-identifier"
hierarchy = { prefix = [4, 3] }
numeric = false

[attributes.sex]
role = "quasi-identifier"

[attributes.ill]
role = "sensitive"
hierarchy = { tree = { sick = ["flu", "cold"], well = ["none"] } }

[privacy]
k = 2
suppression = 0.5
suppression_use = "needed"
l = { value = 1.5, kind = "entropy" }
t = [{ value = 0.9, attribute = "ill", distance = "hierarchical" }]

[loss]
metric = "glm"

[choice]
k = 2
max_loss = 0.9

[output]
release = "out.csv"
"""
SHORT = """\
[data]
source = "people.csv"
[attributes]
age = { role = "quasi-identifier", hierarchy = { breaks = [[30, 50], [40]] } }
sex.role = "quasi-identifier"
"""
HIERARCHY = "23;20-29;*\n27;20-29;*\n31;30-39;*\n34;30-39;*\n45;40-49;*\n52;50-59;*\n;unknown;*\n"
PORTRAIT = frozenset({b"age", b"sex", b"zip"})
TREE = '[fur]\nsmall = ["cat", "mouse"]\nlarge = ["bear", 7]\n[feathers]\nall = ["wren", "emu"]\n'


@dataclass(frozen=True)
class Target:
    """A kind of file."""

    name: str
    suffix: str
    seeds: Callable[[Path], Sequence[bytes]]
    """Sound files; the folder holds whatever else the reader needs."""
    mutations: tuple[Mutation, ...]
    read: Callable[[Path], object]
    soak: int
    """Cases in a long campaign."""
    sample: int = 40
    """Cases in every test run."""


def make_case(target: Target, seeds: Sequence[bytes], seed: int, number: int) -> bytes:
    """One damaged file, always the same for the same numbers."""
    rng = random.Random(f"{seed}/{target.name}/{number}")  # noqa: S311 - damage, not secrets
    mutate, sound = rng.choice(target.mutations), rng.choice(list(seeds))
    try:
        return mutate(rng, sound)
    except (ValueError, IndexError, OverflowError):  # an earlier change left nothing of the kind to change
        return damage.mutate_bytes(rng, sound)


def look(path: Path) -> None:
    """Read a table as every command does: open, describe, list, count."""
    with open_table(path) as table:
        table.spread(table.columns[:50])
        for name in table.columns[:4]:
            with suppress(BadInput):  # lists and structures are no values of a column
                table.profile([name])
        table.digest()


def _csv(_: Path) -> list[bytes]:
    lines = [
        ",".join(PEOPLE.column_names),
        *(",".join("" if cell is None else str(cell) for cell in row.values()) for row in PEOPLE.to_pylist()),
    ]
    quoted = '"name","no;te"\n' + "".join(f'"a ""{i}""","x\ny{i}"\n' for i in range(20))
    return [
        "\n".join(lines).encode(),
        "\r\n".join(lines).replace(",", ";").encode(),
        quoted.encode(),
        b"a\tb\n1\t2\n\n3\t4\n",
    ]


def _gzip(folder: Path) -> list[bytes]:
    return [gzip.compress(each, mtime=0) for each in _csv(folder)] + [
        gzip.compress(b"a,b\n" + b"1,2\n" * 200_000, mtime=0)
    ]


def _parquet(folder: Path) -> list[bytes]:
    made = []
    nested = PEOPLE.append_column("list", [[[1, 2]] * 12]).append_column(
        "made", [pa.array(range(12), pa.timestamp("us"))]
    )
    for number, (table, options) in enumerate(
        [
            (PEOPLE, {}),
            (PEOPLE, {"compression": "gzip", "use_dictionary": False}),
            (nested, {"compression": "zstd", "data_page_version": "2.0", "row_group_size": 5}),
            (PEOPLE, {"compression": "none", "write_statistics": False}),
        ]
    ):
        pq.write_table(table, folder / f"seed{number}.parquet", **options)
        made.append((folder / f"seed{number}.parquet").read_bytes())
    return made


def _excel(folder: Path) -> list[bytes]:
    rows: list[list[Any]] = [PEOPLE.column_names, *([*row.values()] for row in PEOPLE.to_pylist())]
    return [
        workbook(folder / "seed.xlsx", {"People": rows}).read_bytes(),
        workbook(folder / "two.xlsx", {"A": [["a"], [(45322, 1)], ["x"]]}).read_bytes(),
    ]


def _open_document(folder: Path) -> list[bytes]:
    return [open_document(folder / "seed.ods", [["age", "sex"], [31, "F"], [34.5, None], [None, "M"]]).read_bytes()]


def _duckdb(folder: Path) -> list[bytes]:
    made = []
    for number, statements in enumerate(
        [
            ["CREATE TABLE t AS SELECT range AS a, 'x' || range % 3 AS b FROM range(50)"],
            [
                "CREATE TABLE t (a INTEGER DEFAULT 4, b VARCHAR, c INTEGER GENERATED ALWAYS AS (a + 1))",
                "INSERT INTO t (b) VALUES ('x')",
            ],
            [
                "CREATE TYPE m AS ENUM ('a', 'b')",
                "CREATE TABLE s AS SELECT 'a'::m AS e, [1] AS l, {'x': 1} AS s, 1::HUGEINT AS h",
            ],
            [
                "CREATE TABLE t AS SELECT 1 AS a",
                "CREATE VIEW v AS SELECT * FROM read_csv('/etc/passwd')",
                "CREATE MACRO m(x) AS x + 1",
            ],
        ]
    ):
        path = folder / f"seed{number}.duckdb"
        with duckdb.connect(str(path)) as database:
            for statement in statements:
                database.execute(statement)
        made.append(path.read_bytes())
    return made


def _recipe(folder: Path) -> list[bytes]:
    (folder / "people.csv").write_bytes(_csv(folder)[0])
    return [RECIPE.encode(), SHORT.encode()]


def _read_recipe(path: Path) -> None:
    recipe = Recipe.read(path)
    if path.name.endswith("0.toml"):  # counting takes a hundred times as long as parsing
        pn.Problem.from_recipe(recipe)


def _hierarchy(_: Path) -> list[bytes]:
    return [HIERARCHY.encode(), HIERARCHY.replace(";", ",").encode()]


def _read_hierarchy(path: Path) -> None:
    hierarchy = read_hierarchy(path, attribute="age")
    hierarchy.place([leaf for leaf in hierarchy.leaves if leaf is not None])
    repr(hierarchy)


def _problem() -> pn.Problem:
    return pn.Problem(
        PEOPLE,
        quasi_identifiers={"age": {"intervals": [10, 20]}, "zip": {"prefix": [3]}, "sex": None},
        sensitive={"ill": {"tree": {"sick": ["flu", "cold"], "well": ["none"]}}},
        keep=["paid"],
        suppression=0.3,
        privacy={"t": {"value": 0.9, "distance": "hierarchical"}},
    )


def _front(_: Path) -> list[bytes]:
    plain = pn.Problem(PEOPLE, quasi_identifiers={"age": {"intervals": [10, 20]}, "sex": None})
    fronts = [
        pn.frontier(plain),
        pn.frontier(plain, budget=pn.Budget(evaluations=3)),
        pn.frontier(plain, method="poka"),
    ]
    many = pn.Problem(
        PEOPLE, quasi_identifiers={"age": {"intervals": [10, 20]}}, sensitive=["ill"], objectives=("k", "l", "loss")
    )
    return [json.dumps(front.as_dict()).encode() for front in [*fronts, pn.frontier(many)]]


def _read_front(path: Path) -> None:
    front = read_front(path)
    repr(front)
    front._repr_html_()
    front.to_arrow()
    json.dumps(front.as_dict(), allow_nan=False)
    if front.points:
        pn.describe(front)
        pn.ask(front, min_k=1)


def _released(folder: Path) -> Path:
    problem = _problem()
    pn.release(problem, pn.ask(pn.frontier(problem), min_k=2).point, folder / "release.csv")
    return folder / "release.csv"


def _recoding(folder: Path) -> list[bytes]:
    path = _released(folder)
    return [path.with_name("release.csv.recoding.json").read_bytes()]


def _read_recoding(path: Path) -> None:
    apply(path, PEOPLE, unknown="top", max_suppression=1.0)


def _local_recoding(folder: Path) -> list[bytes]:
    problem = pn.Problem(PEOPLE, quasi_identifiers={"age": {"intervals": [10, 20]}, "sex": None})
    pn.release(problem, pn.recode_locally(problem, k=3), folder / "local.csv", undeclared="drop")
    return [(folder / "local.csv.recoding.json").read_bytes()]


def _read_local_recoding(path: Path) -> None:
    manifest = path.with_name("local.csv.manifest.json").read_bytes()
    aside = path.with_name("x.manifest.json")
    aside.write_bytes(manifest)
    path.replace(path.with_name("x.recoding.json"))
    pn.verify_release(path.with_name("local.csv"), manifest=aside)


def _manifest(folder: Path) -> list[bytes]:
    path = _released(folder)
    return [path.with_name("release.csv.manifest.json").read_bytes()]


def _read_manifest(path: Path) -> None:
    found = pn.verify_release(path.with_name("release.csv"), manifest=path)
    json.dumps([check.as_dict() for check in (*found.checks, *found.asked, *found.fields)], allow_nan=False)
    "".join(check.fault or "" for check in (*found.checks, *found.asked, *found.fields))


def _registry(folder: Path) -> list[bytes]:
    registry = Registry(folder / "state")
    for name in ("first", "second"):
        registry.record(PORTRAIT, name)
    registry.record(PORTRAIT, "third", replaced="first")
    return [(folder / "state" / "released.jsonl").read_bytes()]


def _read_registry(path: Path) -> None:
    registry = Registry(path.parent / "state")
    path.replace(registry.folder / "released.jsonl")
    History(registry, PORTRAIT).warning()
    found = registry.earlier(PORTRAIT)
    json.dumps([(entry.identity, entry.when) for entry in found], ensure_ascii=False).encode()
    if {entry.identity for entry in found} != {"second", "third"}:
        raise BadInput("A line was passed over.")


_BYTES = (damage.mutate_bytes, damage.mutate_tail, damage.mutate_head)
_JSON = (damage.mutate_json, damage.mutate_json, damage.mutate_json, damage.mutate_bytes)
_CELLS = damage.mutate_text(damage.ODD_CELLS)


def _regzipped(rng: random.Random, data: bytes) -> bytes:
    return gzip.compress(_CELLS(rng, gzip.decompress(data)), mtime=0)


_XML = damage.mutate_archive(damage.mutate_xml)
_TOML = (damage.mutate_toml, damage.mutate_toml, damage.mutate_toml, damage.mutate_bytes)
_PARQUET = (damage.mutate_bytes, damage.mutate_tail, damage.mutate_footer, damage.mutate_footer, damage.odd_parquet)
_DUCKDB = (*_BYTES, damage.mutate_blocks, damage.mutate_blocks, damage.odd_database)
_LINES = (damage.mutate_bytes, _CELLS, damage.recode_text)

TARGETS = {
    target.name: target
    for target in (
        Target("csv", ".csv", _csv, (*_LINES, _CELLS), look, soak=5_000),
        Target("gzip", ".csv.gz", _gzip, (*_BYTES, _regzipped), look, soak=1_500, sample=20),
        Target("parquet", ".parquet", _parquet, _PARQUET, look, soak=6_000, sample=80),
        Target("excel", ".xlsx", _excel, (_XML, _XML, _XML, *_BYTES), look, soak=4_000),
        Target("opendocument", ".ods", _open_document, (_XML, _XML, *_BYTES), look, soak=1_500, sample=20),
        Target("duckdb", ".duckdb", _duckdb, _DUCKDB, look, soak=1_500, sample=20),
        Target("recipe", ".toml", _recipe, _TOML, _read_recipe, soak=20_000, sample=80),
        Target("hierarchy", ".csv", _hierarchy, _LINES, _read_hierarchy, soak=20_000, sample=100),
        Target("tree", ".toml", lambda _: [TREE.encode()], _TOML, _read_hierarchy, soak=15_000, sample=100),
        Target("front", ".json", _front, _JSON, _read_front, soak=15_000, sample=100),
        Target("recoding", ".json", _recoding, _JSON, _read_recoding, soak=6_000, sample=40),
        Target("local-recoding", ".json", _local_recoding, _JSON, _read_local_recoding, soak=2_500, sample=20),
        Target("manifest", ".json", _manifest, _JSON, _read_manifest, soak=4_000, sample=40),
        Target(
            "registry", ".jsonl", _registry, (damage.mutate_json_lines, damage.mutate_bytes), _read_registry, soak=4_000
        ),
    )
}
