"""The attacks that `docs/threats.md` speaks of, carried out: what they find out here, and what they do not."""

import itertools
from collections.abc import Mapping
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pytest

import paranym as pn

ZIPS = ["a", "a", "b", "b", "b", "b"]
"""Of six people whom the adversary knows."""


def least_general(illnesses: list[str], privacy: Mapping[str, object]) -> tuple[str, ...]:
    """The zip codes that are published where as little as possible is lost."""
    table = pa.table({"zip": ZIPS, "ill": illnesses})
    problem = pn.Problem(table, quasi_identifiers=["zip"], sensitive=["ill"], privacy=privacy)
    best = min(pn.frontier(problem), key=lambda point: point.loss)
    return tuple(pn.release(problem, best).table.column("zip").to_pylist())


def worlds() -> list[list[str]]:
    """Every way in which two of the six could be ill."""
    pairs = itertools.combinations(range(6), 2)
    return [["hiv" if person in pair else "flu" for person in range(6)] for pair in pairs]


def test_minimality_tells_about_sensitive_values_where_these_decide_how_much_is_generalized() -> None:
    """Wong, Fu, Wang and Pei, VLDB 2007: so much was generalized because less would have broken the requirement."""
    demanded = {"alpha": {"value": 0.5, "only": "hiv"}}
    published = least_general(["hiv", "hiv", "flu", "flu", "flu", "flu"], demanded)
    possible = [world for world in worlds() if least_general(world, demanded) == published]

    assert set(published) == {"*"}  # a third of all are ill, which is less than was demanded
    assert possible == [["hiv", "hiv", "flu", "flu", "flu", "flu"]]  # and yet the adversary is certain


def test_minimality_tells_nothing_about_sensitive_values_where_k_alone_decides() -> None:
    assert {least_general(world, {"k": 2}) for world in worlds()} == {tuple(ZIPS)}
    assert {least_general(world, {"k": 3}) for world in worlds()} == {("*",) * 6}


def test_minimality_tells_nothing_where_levels_are_fixed_beforehand() -> None:
    """The remedy where that matters: choose levels without looking at the sensitive column, and check them."""
    told = set()
    for world in worlds():
        problem = pn.Problem(pa.table({"zip": ZIPS, "ill": world}), quasi_identifiers=["zip"], sensitive=["ill"])
        told.add(tuple(pn.release(problem, pn.point_at(problem, {"zip": 1})).table.column("zip").to_pylist()))

    assert told == {("*",) * 6}


def ordered(rows: int = 200) -> pa.Table:
    """A table in the order of its people's names, which an adversary can put in order, too."""
    return pa.table({"age": [20 + n % 40 for n in range(rows)], "pay": list(range(rows))})


def test_a_frame_keeps_its_order_so_that_a_place_in_it_points_at_a_person() -> None:
    problem = pn.Problem(ordered(), quasi_identifiers={"age": {"intervals": [20]}}, keep=["pay"])
    released = pn.release(problem, pn.ask(pn.frontier(problem), min_k=50).point)

    assert released.table.column("pay").to_pylist() == ordered().column("pay").to_pylist()


def test_a_file_made_from_a_frame_does_not_keep_its_order(tmp_path: Path) -> None:
    problem = pn.Problem(ordered(), quasi_identifiers={"age": {"intervals": [20]}}, keep=["pay"])
    point = pn.ask(pn.frontier(problem), min_k=50).point
    found = []
    for name in ("one.csv", "two.csv"):
        pn.release(problem, point, tmp_path / name)
        found.append(pa.csv.read_csv(tmp_path / name).column("pay").to_pylist())

    assert sorted(found[0]) == sorted(found[1]) == ordered().column("pay").to_pylist()
    assert found[0] not in (found[1], ordered().column("pay").to_pylist())


def test_two_releases_of_one_table_together_tell_more_than_either(tmp_path: Path) -> None:
    """Each is 2-anonymous. Whoever has both, and knows an age and a zip code, finds one person's illness."""
    people = pa.table({"age": [20, 21, 20, 21], "zip": ["a", "a", "b", "b"], "ill": ["flu", "cold", "hiv", "gout"]})
    problem = pn.Problem(people, quasi_identifiers=["age", "zip"], sensitive=["ill"])
    (tmp_path / "here").mkdir()
    (tmp_path / "there").mkdir()
    by_age = pn.release(problem, pn.point_at(problem, {"zip": 1}, k=2), tmp_path / "here" / "by-age.csv")
    by_zip = pn.release(problem, pn.point_at(problem, {"age": 1}, k=2), tmp_path / "there" / "by-zip.csv")
    ages, zips = (pa.csv.read_csv(tmp_path / name) for name in ("here/by-age.csv", "there/by-zip.csv"))
    of_age = {row["ill"] for row in ages.to_pylist() if row["age"] == 21}
    of_zip = {row["ill"] for row in zips.to_pylist() if row["zip"] == "b"}

    assert (by_age.promise.k, by_zip.promise.k) == (2, 2)
    assert (len(of_age), len(of_zip), of_age & of_zip) == (2, 2, {"gout"})
    assert not [warning for warning in by_age.warnings if "released before" in warning]
    assert [warning for warning in by_zip.warnings if "released before: once elsewhere" in warning]


@pytest.mark.parametrize("k", [2, 3])
def test_who_was_suppressed_is_seen_by_those_who_know_everybody(k: int) -> None:
    """Suppression protects the values of a row, not the fact that it was rare."""
    table = pa.table({"age": [30, 30, 30, 99], "ill": ["flu", "cold", "flu", "hiv"]})
    problem = pn.Problem(table, quasi_identifiers=["age"], sensitive=["ill"], suppression=0.25)
    released = pn.release(problem, pn.ask(pn.frontier(problem), min_k=k, max_loss=0.5).point)

    assert released.table.column("age").to_pylist() == [30, 30, 30]
    assert "hiv" not in released.table.column("ill").to_pylist()
