"""What every engine promises, and a further one would have to: the same counts, fronts, audits and releases."""

import datetime as dt
import json
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq
import pytest

import paranym as pn
from engines_of import Engine, open_in
from paranym.datasets import adult
from paranym.engines.codes import number
from paranym.errors import BadInput, EmptyTable, GateClosed

AGES = [31, 34, 38, 39, 52, 55, 58, 90, None, 31, 34, 52]
PEOPLE = pa.table({
    "name": [f"Person {letter}" for letter in "ABCDEFGHIJKL"],
    "age": pa.array(AGES, pa.int16()),
    'o"dd näme': ["F", "M", "F", "M", "M", "F", "M", "F", "", "M", None, "ü€😀"],
    "height": [1.5, 1.75, float("nan"), 1.5, None, 1.75, 2.0, 1.5, 1.5, 0.0, -0.0, 1.75],
    "single": pa.array([0.1, 0.2, 0.1, None, 0.2, 0.1, 0.1, 0.2, 0.1, 0.3, 0.1, 0.2], pa.float32()),
    "born": [dt.date(1985, 1, 31), None, *[dt.date(1990, 2, day) for day in range(1, 11)]],
    "member": [True, False, None, True, True, False, True, False, True, None, True, False],
    "price": pa.array([Decimal("1.50"), None, *[Decimal(n) / 4 for n in range(10)]], pa.decimal128(7, 2)),
    "seen": pa.array([dt.datetime(2024, 1, 31, 8, 30)] * 6 + [dt.datetime(2024, 2, 1), None] * 3, pa.timestamp("us")),  # noqa: DTZ001
    "illness": ["flu", "cold", "flu", "cold", "flu", "cold", "flu", "asthma", "flu", "cold", None, "NA"],
    "weight": [61, None, 70, 80, 55, 99, 62, 71, 80, 81, 82, 83],
})  # fmt: skip
KEYS = ("age", 'o"dd näme', "height", "single", "born", "member", "price", "seen")


def problem(loaded: dict[str, Any], **options: Any) -> pn.Problem:
    asked: dict[str, Any] = {
        "quasi_identifiers": {"age": {"intervals": [10, 20]}, 'o"dd näme': None},
        "identifiers": ["name"],
        "sensitive": ["illness"],
        "suppression_rows": 3,
    }
    asked |= options
    named = {*asked["quasi_identifiers"], *asked["identifiers"], *asked["sensitive"]}
    return pn.Problem(**loaded, **{"keep": [name for name in PEOPLE.column_names if name not in named]} | asked)


def rows_of(path: Path) -> Counter[tuple[object, ...]]:
    """What stands in a release, in whatever order."""
    if path.name.endswith(".parquet"):
        table = pq.read_table(path)
    else:
        with duckdb.connect() as database:
            if path.name.endswith(".duckdb"):
                database.execute(f"ATTACH '{path}' AS f (READ_ONLY)")
            source = "f.main.release" if path.name.endswith(".duckdb") else f"read_csv('{path}', all_varchar = true)"
            table = database.sql(f"FROM {source}").to_arrow_table()
    return Counter(tuple(str(cell) for cell in row.values()) for row in table.to_pylist())


def same_counts(one: pn.Problem, other: pn.Problem) -> None:
    for array in ("words", "counts"):
        mine, theirs = getattr(one.frequency, array), getattr(other.frequency, array)
        assert mine.tobytes() == theirs.tobytes()
    for array in ("owners", "columns", "amounts"):
        mine, theirs = getattr(one.frequency.histogram, array), getattr(other.frequency.histogram, array)
        assert mine.tobytes() == theirs.tobytes()


def test_columns_of_every_type_are_counted_byte_for_byte_alike(engine: Engine) -> None:
    asked = {"quasi_identifiers": list(KEYS), "privacy": {"l": 1}}

    found = problem(engine.load(PEOPLE), **asked)

    same_counts(found, problem({"data": PEOPLE}, **asked))
    assert [hierarchy.leaves for hierarchy in found.hierarchies] == [
        hierarchy.leaves for hierarchy in problem({"data": PEOPLE}, **asked).hierarchies
    ]


def test_counts_are_those_of_a_loop_over_the_rows(engine: Engine) -> None:
    rows = np.random.default_rng(7).integers(0, 40, (300, 14)) // 20 * 20
    rows[0], rows[1] = np.arange(14), np.arange(20, 34)  # 14 fields of at least 4 values
    table = pa.table({f"q{j}": rows[:, j] for j in range(14)})
    lines = [[str(n), str(n // 20), "*"] for n in range(40)]  # 40 leaves: 6 bits, two words in all

    found = pn.Problem(**engine.load(table), quasi_identifiers={f"q{j}": lines for j in range(14)})

    assert found.frequency.packing.size == 2
    told = zip(map(tuple, found.frequency.codes.tolist()), found.frequency.counts.tolist(), strict=True)
    assert dict(told) == dict(Counter(map(tuple, rows.tolist())))


def test_texts_that_mean_missing_are_missing(engine: Engine) -> None:
    table = pa.table({"a": ["NA", "x", "", None], "n": [-9, 1, 2, None], "d": [dt.date(1900, 1, 1), None, None, None]})

    found = pn.Problem(**engine.load(table), quasi_identifiers=["a", "n", "d"], missing=["NA", "-9", "1900-01-01"])

    assert [hierarchy.leaves for hierarchy in found.hierarchies] == [("x", None), ("1", "2", None), (None,)]


def test_columns_may_have_any_name(engine: Engine) -> None:
    names = ["a b", "ü", "select", 'x"y', "q'u", "a.b", "`tick`", "c0", "w0", "{brace}", "back\\slash", ":colon", "%s"]
    table = pa.table({name: [str(n % 3) for n in range(6)] for name in names})

    found = pn.Problem(**engine.load(table), quasi_identifiers=names)

    assert found.frequency.counts.tolist() == [2, 2, 2]


def test_values_may_be_any_text(engine: Engine) -> None:
    values = [
        "'",
        '"',
        "\\",
        "\\\\'",
        "{a,b}",
        "NULL",
        "null",
        "{}",
        "%s",
        "$1",
        ":x",
        "a\nb",
        "a\tb",
        " a ",
        "ü",
        "😀",
        ",",
    ]

    found = pn.Problem(**engine.load(pa.table({"a": values * 2})), quasi_identifiers=["a"])

    assert sorted(str(leaf) for leaf in found.hierarchies[0].leaves) == sorted(values)
    assert found.frequency.counts.tolist() == [2] * len(values)


def test_a_table_without_rows_is_refused(engine: Engine) -> None:
    with pytest.raises(EmptyTable):
        pn.Problem(**engine.load(pa.table({"a": pa.array([], pa.string())})), quasi_identifiers=["a"])


def test_a_column_without_any_value_is_one_class(engine: Engine) -> None:
    found = pn.Problem(**engine.load(pa.table({"a": pa.array([None] * 3, pa.int64())})), quasi_identifiers=["a"])

    assert found.frequency.counts.tolist() == [3]


def test_parts_are_the_whole_count_and_split_no_combination(engine: Engine, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.random.default_rng(0).integers(0, 4, (400, 4))
    monkeypatch.setattr("paranym.engines.sql.table.PART", 50)
    with open_in(engine, pa.table({name: rows[:, i] for i, name in enumerate("abcd")})) as table:
        *keys, last = [number(column) for column in table.profile("abcd").columns]
        whole = table.count(keys, [last])
        parts = list(table.parts(keys, last))
        groups = table.groups(keys)

    words = np.concatenate([part.words for part in parts])
    order = np.lexsort(words.T)
    assert len(parts) > 1
    assert all(len(part) for part in parts)
    assert np.array_equal(words[order], whole.words)
    assert np.array_equal(np.concatenate([part.counts for part in parts])[order], whole.counts)
    dense = np.concatenate([part.histogram.dense("d", len(part)) for part in parts])
    assert np.array_equal(dense[order], whole.histogram.dense("d", len(whole)))
    assert groups == pytest.approx(len(whole), rel=0.2)


def test_people_and_values_are_counted_without_being_listed(engine: Engine) -> None:
    people = pa.table({"q": [1, 1, 1, 2, 2, 2], "id": ["x", "x", "x", "y", None, None], "u": list(range(6))})
    with open_in(engine, people) as table:
        keys = [number(column) for column in table.profile(["q"]).columns]
        assert table.fewest(keys, "id") == 1
        assert table.fewest([], "id") == 4
        [u, identity] = table.spread(["u", "id"], exactly=["id"])

    assert (u.different, identity.different, identity.missing) == (6, 2, 2)


def test_people_of_every_combination_are_counted(engine: Engine) -> None:
    """u1 has rows in two combinations, u2 two rows in one; a row without a person is one of its own."""
    people = pa.table({
        "q": ["a", "a", "a", "a", "b", "b", "b"],
        "w": [1, 1, 1, 1, 2, 2, 2],
        "id": ["u1", "u2", "u2", None, "u1", None, None],
        "number": [1, 2, 2, None, 1, None, None],
    })  # fmt: skip
    loaded = engine.load(people)
    found = [
        pn.Problem(loaded["data"], table=loaded.get("table"), quasi_identifiers=["q", "w"], person=key)
        for key in ("id", "number")
    ]

    assert [each.counted.sizes.tolist() for each in found] == [[3, 3], [3, 3]]
    assert [each.people for each in found] == [5, 5]
    with found[0].counting_people_in_engine() as count:
        assert (count((0, 0)).tolist(), count((1, 1)).tolist()) == ([3, 3], [5])
    front = pn.frontier(found[0])
    assert [point.k for point in front] == [5, 3]
    assert pn.verify_front(front, found[0], recount="all").faults == ()


def test_values_are_sampled_as_text_and_rows_that_are_alone_are_counted(engine: Engine) -> None:
    long = "x" * 1000
    people = pa.table({
        "q": [1, 1, 2, 2, None, None],
        "note": ["a", "a", "b", long, None, None],
        "day": [dt.date(2024, 1, 31)] * 6,
    })  # fmt: skip
    with open_in(engine, people) as table:
        assert set(table.texts("note", 10)) == {"a", "b", "x" * 400}
        assert len(table.texts("note", 2)) == 2
        assert set(table.texts("q", 10)) == {"1", "2"}
        assert table.texts("day", 10) == ("2024-01-31",)
        assert [column.values for column in table.listed("q")] == [(1, 2)]
        assert (table.unique(["q"]), table.unique(["q", "note"]), table.unique(table.columns)) == (0, 2, 2)


def test_a_gate_stops_and_passes_alike_on_every_engine(engine: Engine, tmp_path: Path) -> None:
    table = pa.table({
        "age": [30 + n % 20 for n in range(40)],
        "code": [f"K{n % 20:02d}" for n in range(40)],
        "contact": [f"p{n}@example.org" for n in range(40)],
    })  # fmt: skip
    asked = pn.Problem(
        **engine.load(table), quasi_identifiers={"age": {"intervals": [10, 20]}}, keep=["code", "contact"]
    )
    point, accept = pn.point_at(asked, {"age": 2}), ["e-mail:contact", "undoes-generalization:code"]
    with pytest.raises(GateClosed) as stopped:
        pn.release(asked, point, tmp_path / "out.parquet")
    assert len(stopped.value.faults) == 2
    assert list(tmp_path.iterdir()) == []
    assert not engine.left()

    released = pn.release(asked, point, tmp_path / "out.parquet", accept=accept)
    assert released.gate is not None
    assert (set(released.gate.accepted), released.gate.unique) == (set(accept), 40)


def test_the_same_rows_have_the_same_digest_and_others_another(engine: Engine) -> None:
    changed = PEOPLE.set_column(10, "weight", pa.array([*PEOPLE["weight"].to_pylist()[:-1], 84]))
    digests = []
    for table in (PEOPLE, PEOPLE, changed):
        with open_in(engine, table) as opened:
            digests.append(opened.digest())

    assert digests[0] == digests[1] != digests[2]


def test_the_front_and_the_audit_of_adult_are_those_of_the_embedded_engine(engine: Engine) -> None:
    folder = adult().parent
    table = pc.read_csv(folder / "adult.csv")
    names = ("age", "education", "marital-status", "race", "sex", "salary-class")
    asked = {name: folder / "hierarchies" / f"{name}.csv" for name in names}

    found = pn.Problem(**engine.load(table), quasi_identifiers=asked, suppression=0.01)
    expected = pn.Problem(table, quasi_identifiers=asked, suppression=0.01)

    same_counts(found, expected)
    assert pn.frontier(found).as_dict() == pn.frontier(expected).as_dict()
    told: dict[str, Any] = {"quasi_identifiers": names[:-1], "sensitive": ["salary-class"]}
    mine, theirs = pn.audit(**engine.load(table), **told).as_dict(), pn.audit(table, **told).as_dict()
    assert mine | {"table": ""} == theirs | {"table": ""}


@pytest.mark.parametrize("keep_suppressed", [False, True])
def test_a_release_has_the_rows_that_the_embedded_engine_publishes(
    engine: Engine, tmp_path: Path, *, keep_suppressed: bool
) -> None:
    expected = problem({"data": PEOPLE})
    point = pn.point_at(expected, {"age": 1, 'o"dd näme': 1})
    loaded = engine.load(PEOPLE)
    for suffix in engine.suffixes:
        pn.release(expected, point, tmp_path / f"a.{suffix}", keep_suppressed=keep_suppressed)

        found = pn.release(problem(loaded), point, tmp_path / f"b.{suffix}", keep_suppressed=keep_suppressed)

        assert found.verification.holds
        assert rows_of(tmp_path / f"b.{suffix}") == rows_of(tmp_path / f"a.{suffix}")
        assert pn.verify_release(tmp_path / f"b.{suffix}").holds
    assert not engine.left()


def test_columns_keep_their_types_in_a_release(engine: Engine, tmp_path: Path) -> None:
    asked = problem(engine.load(PEOPLE), quasi_identifiers={"age": {"intervals": [10, 20]}}, suppression_rows=12)

    pn.release(asked, pn.point_at(asked, {"age": 1}, 2), tmp_path / "b.parquet")

    schema = pq.read_table(tmp_path / "b.parquet").schema
    kinds = {
        "age": pa.string(),
        "height": pa.float64(),
        "single": pa.float32(),
        "born": pa.date32(),
        "member": pa.bool_(),
        "price": pa.decimal128(7, 2),
        "illness": pa.string(),
        "weight": pa.int64(),
    }
    assert {name: schema.field(name).type for name in kinds} == kinds
    assert "name" not in schema.names


def test_a_release_does_not_take_the_place_of_another_unasked(engine: Engine, tmp_path: Path) -> None:
    asked = problem(engine.load(PEOPLE))
    point = pn.point_at(asked, {"age": 1, 'o"dd näme': 1})
    pn.release(asked, point, tmp_path / "b.parquet")

    with pytest.raises(BadInput, match="there already"):
        pn.release(asked, point, tmp_path / "b.parquet")
    again = pn.release(asked, point, tmp_path / "b.parquet", overwrite=True)

    assert again.verification.holds
    assert len(list(tmp_path.iterdir())) == 3
    manifest = json.loads((tmp_path / "b.parquet.manifest.json").read_text())
    assert manifest["data"]["fingerprint"]


@pytest.mark.parametrize("stop", [KeyboardInterrupt, BadInput])
def test_a_release_that_is_stopped_leaves_nothing(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]
) -> None:
    asked = problem(engine.load(PEOPLE))

    def inspect(*_: object, **__: object) -> None:
        raise stop

    monkeypatch.setattr("paranym.releases.made.inspect", inspect)
    with pytest.raises(stop):
        pn.release(asked, pn.point_at(asked, {"age": 1, 'o"dd näme': 1}), tmp_path / "b.parquet")

    assert list(tmp_path.iterdir()) == []
    assert not engine.left()
