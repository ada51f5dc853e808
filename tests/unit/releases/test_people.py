"""A release whose k counts people: no class has fewer, and only the original table can confirm it."""

import json
from collections import defaultdict
from pathlib import Path

import pyarrow.csv
import pyarrow.parquet
import pytest

import paranym as pn
from hospital import AGES, MONTHS, WARDS, stays
from paranym.errors import BadInput
from paranym.releases.releasing import Release

K = 10


@pytest.fixture(scope="module")
def original(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("hospital") / "stays.parquet"
    pyarrow.parquet.write_table(stays(), file)
    return file


def problem_of(original: Path, **options: object) -> pn.Problem:
    return pn.Problem(
        original,
        quasi_identifiers={"age": AGES, "sex": None, "ward": WARDS, "month": MONTHS},
        keep=["days"],
        suppression=0.05,
        person="patient",
        **options,  # type: ignore[arg-type]
    )


@pytest.fixture(scope="module")
def released(original: Path) -> Release:
    problem = problem_of(original)
    point = pn.ask(pn.frontier(problem), min_k=K).point
    return pn.release(problem, point, original.with_name("release.csv"), registry=False)


def people_per_class(original: Path, released: Release) -> dict[tuple[object, ...], tuple[int, int]]:
    """Rows and people of every class of the recoded original, by a loop over its rows."""
    recoding = released.recoding
    published = {each.attribute: each.published() for each in recoding.attributes}  # type: ignore[union-attr]
    rows: dict[tuple[object, ...], int] = defaultdict(int)
    people: dict[tuple[object, ...], set[str]] = defaultdict(set)
    for row in pyarrow.parquet.read_table(original).to_pylist():
        labels = tuple(each[str(row[name])] for name, each in published.items())
        rows[labels] += 1
        people[labels].add(row["patient"])
    return {labels: (rows[labels], len(people[labels])) for labels in rows}


def test_no_published_class_has_fewer_than_k_people(original: Path, released: Release) -> None:
    assert released.path is not None
    known, found = people_per_class(original, released), defaultdict[tuple[object, ...], int](int)
    names = [each.attribute for each in released.recoding.attributes]
    for row in pyarrow.csv.read_csv(released.path).to_pylist():
        found[tuple(str(row[name]) for name in names)] += 1

    assert all(known[labels] == (rows, known[labels][1]) for labels, rows in found.items())
    assert min(known[labels][1] for labels in found) == released.promise.k >= K
    assert all(people < K for labels, (_, people) in known.items() if labels not in found)
    assert "patient" not in pyarrow.csv.read_csv(released.path).column_names


def test_counting_rows_would_have_published_smaller_classes(original: Path) -> None:
    problem = problem_of(original, unit="row")
    made = pn.release(problem, pn.ask(pn.frontier(problem), min_k=K).point, original.with_name("rows.csv"))

    assert min(people for rows, people in people_per_class(original, made).values() if rows >= K) < K
    assert "unit" not in (made.manifest or {})["assessment"]


def test_the_manifest_says_what_was_counted(released: Release) -> None:
    manifest = released.manifest or {}

    assert manifest["assessment"]["unit"] == "person"
    assert "the release alone does not show it" in manifest["assessment"]["note"]
    assert manifest["recipe"]["privacy"]["unit"] == "person"
    assert released.verification.k == released.promise.k


def test_the_file_alone_does_not_show_it_and_the_original_does(original: Path, released: Release) -> None:
    assert released.path is not None

    alone = pn.verify_release(released.path)
    together = pn.verify_release(released.path, original=original)

    assert (alone.holds, alone.k, "assessment.k" in alone.stated) == (True, None, True)
    assert (together.holds, together.k, "assessment.k" in together.stated) == (True, released.promise.k, False)


def test_another_table_is_not_the_original(original: Path, released: Release) -> None:
    assert released.path is not None
    other = original.with_name("other.parquet")
    pyarrow.parquet.write_table(stays(seed=8), other)

    with pytest.raises(BadInput, match="is not the table that was released"):
        pn.verify_release(released.path, original=other)


def test_a_manifest_that_claims_more_people_is_refuted_by_the_original(original: Path, released: Release) -> None:
    assert released.path is not None
    manifest = json.loads(json.dumps(released.manifest))
    manifest["assessment"]["k"] += 1
    forged = original.with_name("forged.csv.manifest.json")
    forged.write_text(json.dumps(manifest))
    recoding = released.path.with_name("release.csv.recoding.json")
    forged.with_name("forged.csv.recoding.json").write_text(recoding.read_text())

    assert not pn.verify_release(released.path, manifest=forged, original=original).holds


def test_a_frame_is_released_by_people_too() -> None:
    table = stays(300, 420)
    problem = pn.Problem(
        table,
        quasi_identifiers={"age": AGES, "ward": WARDS},
        keep=["days"],
        drop=["month", "sex"],
        person="patient",
    )
    made = pn.release(problem, pn.ask(pn.frontier(problem), min_k=5).point, registry=False)

    assert made.verification.k == made.promise.k >= 5
    assert made.verification.counts_people


def test_cuts_are_found_and_released_by_people(original: Path) -> None:
    problem = problem_of(original)
    front = pn.evolve(problem, population=8, generations=2, start="exact")
    made = pn.release(problem, pn.ask(front, min_k=K).point, original.with_name("cuts.csv"), registry=False)

    known = people_per_class(original, made)
    kept = [people for _, people in known.values() if people >= made.promise.k]
    assert (front.unit, min(kept)) == ("person", made.promise.k)
    assert sum(rows for rows, people in known.values() if people < made.promise.k) == made.promise.suppressed
    assert made.verification.k == made.promise.k >= K


def test_what_counts_rows_refuses(original: Path, released: Release) -> None:
    problem = problem_of(original)

    with pytest.raises(BadInput, match="A report counts rows"):
        pn.write_report(problem, pn.frontier(problem), original.with_name("report.html"))
    assert released.path is not None
    with pytest.raises(BadInput, match="counts people"):
        pn.apply(released.path.with_name("release.csv.recoding.json"), original, original.with_name("applied.csv"))
