"""Of every field of a manifest that can be derived, a changed value is noticed; all others are listed as stated."""

import copy
import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import paranym as pn
from paranym.errors import BadInput, ParanymError
from paranym.measures.loss import LOSSES
from paranym.model.cuts import Cut
from paranym.releases.made import read_back

AGES = [31, 34, 38, 39, 52, 55, 58, 90]
PEOPLE = pa.table({
    "name": [f"Person {letter}" for letter in "ABCDEFGH"],
    "age": AGES,
    "sex": ["F", "M", "F", "M", "M", "F", "M", "F"],
    "illness": ["flu", "cold", "flu", "cold", "flu", "cold", "flu", "asthma"],
})  # fmt: skip
STATED = {
    "id",
    "data.name",
    "data.rows",
    "data.fingerprint",
    "recipe.data.source",
    "recipe.data.table",
    "recipe.data.missing",
    "recipe.attributes.name.role",
    "recipe.attributes.age.numeric",
    "recipe.attributes.age.hierarchy.kind",
    "recipe.attributes.sex.numeric",
    "recipe.privacy.suppression_use",
    "gate.findings",
    "gate.accepted",
    "gate.limits",
    "gate.undeclared",
    "software",
    "times",
    "warnings",
}
"""What no file can tell, whatever was released."""


def ask_for(**options: Any) -> pn.Problem:
    asked: dict[str, Any] = {"suppression_rows": 1, "identifiers": ["name"], "sensitive": ["illness"]} | options
    return pn.Problem(PEOPLE, quasi_identifiers={"age": {"intervals": [10, 20]}, "sex": None}, **asked)


def full_domain(path: Path) -> pn.Release:
    problem = ask_for(privacy={"k": 2, "l": [{"value": 2.0, "kind": "distinct"}], "t": 0.6}, suppression_rows=2)
    chosen = {"k": 3, "levels": {"age": 1, "sex": 1}}
    return pn.release(problem, pn.point_at(problem, {"age": 1, "sex": 1}, 3), path, chosen=chosen)


def within_a_loss(path: Path) -> pn.Release:
    problem = ask_for(suppression_rows=None, suppression=0.2, metric="dcn")
    point = pn.ask(pn.frontier(problem), max_loss=0.6).point
    return pn.release(problem, point, path, keep_suppressed=True, chosen={"max_loss": 0.6})


def cuts(path: Path) -> pn.Release:
    problem = ask_for(suppression_rows=3)
    divided = {"age": Cut("1110000", ("31", "34", "38", "39-90")), "sex": Cut("0", ("*",))}
    loss = 5 * 4 / 7 + 5 + 3 * 2
    return pn.release(problem, pn.Point(5, loss, loss / 16, (pn.Solution({}, 3, 3.5, divided),)), path)


def locally(path: Path) -> pn.Release:
    problem = ask_for(privacy={"l": [{"value": 2.0, "kind": "distinct"}]})
    result = pn.recode_locally(problem, k=3, seed=1)
    return pn.release(problem, result, path, chosen={"method": "best", "k": 3, "seed": 1, "rounds": None})


RELEASES = {
    "full-domain.csv": (full_domain, set()),
    "within-a-loss.duckdb": (within_a_loss, set()),
    "cuts.csv": (cuts, {"columns.age.labels[].level"}),
    "locally.csv": (
        locally,
        {
            "columns.age.labels[].level",
            "recipe.loss.metric",
            "chosen.rounds",
            *(f"model.{name}" for name in ("method", "seed", "style", "groups", "seconds")),
            *(f"model.{name}" for name in ("start", "refine", "seconds_limit")),
            *(f"model.labels.{name}.overlapping" for name in ("age", "sex")),
        },
    ),
}
"""What is released, and what else is stated there."""


def leaves(document: object, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The places of all values that are not tables or lists; an empty one is a value itself."""
    if not document or not isinstance(document, dict | list):
        yield path
        return
    for name, value in document.items() if isinstance(document, dict) else enumerate(document):
        yield from leaves(value, (*path, name))


def changed(value: object) -> object:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"{value}x"
        case None:
            return 1
        case list():
            return ["more"]
    return {"more": 1}


def with_change(manifest: dict[str, Any], path: tuple[str | int, ...]) -> dict[str, Any]:
    document = copy.deepcopy(manifest)
    place: Any = document
    for step in path[:-1]:
        place = place[step]
    place[path[-1]] = changed(place[path[-1]])
    return document


def name_of(path: tuple[str | int, ...]) -> str:
    return "".join("[]" if isinstance(step, int) else f".{step}" for step in path).removeprefix(".")


def is_stated(path: str, stated: Sequence[str]) -> bool:
    """Whether a field, or the table that it is in, is listed; what was added to an empty table is listed below it."""
    return any(f"{path}.".startswith((f"{each}.", f"{each}[")) or each.startswith(f"{path}.") for each in stated)


@pytest.fixture
def _read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The release stays as it is, so it need not be read again for the same terms."""
    known: dict[str, Any] = {}

    def remembering(function: Callable[..., Any]) -> Callable[..., Any]:
        def ask(data: object, terms: object, *rest: object, **named: object) -> Any:
            key = repr((function.__name__, data, terms, rest, named))
            return known[key] if key in known else known.setdefault(key, function(data, terms, *rest, **named))

        return ask

    monkeypatch.setattr("paranym.releases.verifying.read_back", remembering(read_back))


@pytest.mark.slow
@pytest.mark.usefixtures("_read_once")
@pytest.mark.parametrize("name", RELEASES)
def test_every_field_that_is_changed_is_noticed_or_listed_as_stated(tmp_path: Path, name: str) -> None:
    make, more = RELEASES[name]
    make(tmp_path / name)
    [file] = tmp_path.glob("*.manifest.json")
    next(tmp_path.glob("*.recoding.json")).unlink()  # whoever has the release has only the manifest
    manifest = json.loads(file.read_text(encoding="utf-8"))
    found = pn.verify_release(tmp_path / name)
    assert found.holds, found.faults
    expected = (STATED | more) - ({"id"} if name.endswith("duckdb") else set())
    assert set(found.stated) == expected

    unnoticed = []
    for path in leaves(manifest):
        file.write_text(json.dumps(with_change(manifest, path)), encoding="utf-8")
        try:
            again = pn.verify_release(tmp_path / name)
        except ParanymError:
            continue
        if again.holds and not is_stated(name_of(path), again.stated):
            unnoticed.append(path)
    assert unnoticed == []


@pytest.mark.parametrize("penalties", [{}, {"sex": 0.125}, {"more": 0.5}])
def test_a_penalty_that_is_missing_or_added_is_noticed(tmp_path: Path, penalties: dict[str, float]) -> None:
    released = locally(tmp_path / "out.csv")
    manifest = json.loads(json.dumps(dict(released.manifest or {})))
    told = manifest["model"]["ncp_per_attribute"]
    manifest["model"]["ncp_per_attribute"] = told | penalties if "more" in penalties else penalties
    (tmp_path / "out.csv.manifest.json").write_text(json.dumps(manifest), encoding="utf-8")

    assert "model.ncp_per_attribute" in " ".join(pn.verify_release(tmp_path / "out.csv").faults)


@pytest.mark.parametrize("metric", LOSSES)
def test_what_no_file_tells_about_a_loss_is_stated(tmp_path: Path, metric: str) -> None:
    problem = ask_for(metric=metric, label="illness", sensitive=[])
    pn.release(problem, pn.point_at(problem, {"age": 1}, 1), tmp_path / "out.csv")
    (tmp_path / "out.csv.recoding.json").unlink()
    found = pn.verify_release(tmp_path / "out.csv")

    losses = {"assessment.loss", "assessment.loss_fraction", "verification.checks[].found"}
    assert found.holds
    assert losses <= set(found.stated) if metric == "entropy" else not losses & set(found.stated)


def test_weighted_k_and_values_are_of_the_published_rows(tmp_path: Path) -> None:
    released = full_domain(tmp_path / "out.csv")
    manifest = dict(released.manifest or {})

    assert manifest["assessment"]["weighted_k"] == pytest.approx((4 * 4 + 3 * 3) / 7)
    assert manifest["values"] == {"age": 2, "sex": 1}  # the row that is left out was the only one of 90-99
    assert "90-99" not in json.dumps(manifest)


@pytest.mark.parametrize("everywhere", [False, True])
def test_a_quasi_identifier_that_is_relabelled_is_noticed(tmp_path: Path, everywhere: bool) -> None:  # noqa: FBT001
    """As in a manifest that says k = 7 of sex alone, where k is 3 of age and sex."""
    full_domain(tmp_path / "out.csv")
    (tmp_path / "out.csv.recoding.json").unlink()
    file = tmp_path / "out.csv.manifest.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    manifest["columns"]["age"] = {"role": "other"}
    if everywhere:
        manifest["recipe"]["attributes"]["age"] = {"role": "other"}
        manifest["assessment"] |= {"k": 7, "weighted_k": 7.0}
        for part in ("levels", "heights", "values"):
            del manifest[part]["age"]
    file.write_text(json.dumps(manifest), encoding="utf-8")
    found = pn.verify_release(tmp_path / "out.csv")

    assert not found.holds
    assert found.quasi_identifiers == ("sex",)


def test_a_label_that_is_not_in_the_file_is_noticed(tmp_path: Path) -> None:
    full_domain(tmp_path / "out.csv")
    file = tmp_path / "out.csv.manifest.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    manifest["columns"]["age"]["labels"].append({"label": "90-99", "level": 1, "leaves": 1})
    manifest["values"]["age"] = 3
    file.write_text(json.dumps(manifest), encoding="utf-8")

    assert "columns.age.labels" in " ".join(pn.verify_release(tmp_path / "out.csv").faults)


@pytest.mark.parametrize("damaged", [None, [0], [None], [[]], {"value": 2}, "2"])
@pytest.mark.parametrize("kind", ["l", "t"])
def test_requirements_that_are_no_list_of_tables_are_damage(tmp_path: Path, kind: str, damaged: object) -> None:
    full_domain(tmp_path / "out.csv")
    file = tmp_path / "out.csv.manifest.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    manifest["recipe"]["privacy"][kind] = damaged
    file.write_text(json.dumps(manifest), encoding="utf-8")

    with pytest.raises(BadInput, match="not a complete manifest"):
        pn.verify_release(tmp_path / "out.csv")


def test_requirements_that_need_private_knowledge_are_stated_without_it(tmp_path: Path) -> None:
    tree = [["flu", "lungs", "*"], ["cold", "lungs", "*"], ["asthma", "lungs", "*"]]
    problem = pn.Problem(
        PEOPLE,
        quasi_identifiers={"age": {"intervals": [10, 20]}, "sex": None},
        identifiers=["name"],
        sensitive={"illness": tree},
        privacy={"alpha": {"value": 0.9, "only": "flu"}, "t": {"value": 0.9, "distance": "hierarchical"}},
        suppression_rows=1,
    )
    released = pn.release(problem, pn.point_at(problem, {"age": 1, "sex": 1}), tmp_path / "out.csv")
    assert [check.holds for check in released.verification.checks] == [True] * 7
    assert "flu" not in (tmp_path / "out.csv.manifest.json").read_text(encoding="utf-8")
    assert "verification.checks[].found" not in pn.verify_release(tmp_path / "out.csv").stated

    (tmp_path / "out.csv.recoding.json").unlink()
    found = pn.verify_release(tmp_path / "out.csv")
    assert found.holds
    assert [check.holds for check in found.checks[5:7]] == [None, None]
    assert "verification.checks[].found" in found.stated


@pytest.mark.parametrize("style", ["range", "label", "set", "mean", "median"])
def test_every_style_of_groups_is_derived(tmp_path: Path, style: str) -> None:
    rng = np.random.default_rng(3)
    table = pa.table({
        "age": [None if n % 17 == 0 else int(n) for n in rng.integers(-5, 60, 120)],
        "zip": rng.choice(["53711", "53712", "53713", "54001"], 120),
    })  # fmt: skip
    problem = pn.Problem(table, quasi_identifiers={"age": {"intervals": [10, 20]}, "zip": {"prefix": [3]}})
    released = pn.release(problem, pn.recode_locally(problem, 4, style=style), tmp_path / "out.parquet")
    found = pn.verify_release(tmp_path / "out.parquet")

    assert released.verification.holds
    assert found.holds, found.faults
    if style in ("range", "label", "set"):
        assert not {"model.ncp", "model.glm"} & set(found.stated)


@pytest.mark.parametrize("part", ["recipe", "columns", "levels", "assessment", "verification"])
def test_a_number_that_no_float_holds_is_damage(tmp_path: Path, part: str) -> None:
    full_domain(tmp_path / "out.csv")
    file = tmp_path / "out.csv.manifest.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    places = list(places_of_numbers(manifest[part]))
    assert places
    for place in places:
        changed = copy.deepcopy(manifest)
        within: Any = changed[part]
        for step in place[:-1]:
            within = within[step]
        within[place[-1]] = 10**400
        file.write_text(json.dumps(changed), encoding="utf-8")

        with pytest.raises(BadInput, match="damaged"):
            pn.verify_release(tmp_path / "out.csv")


def places_of_numbers(document: Any) -> Iterator[list[Any]]:
    """Return the way to every number within a document."""
    inside = document.items() if isinstance(document, dict) else enumerate(document)
    for name, value in inside:
        if isinstance(value, dict | list):
            yield from ([name, *rest] for rest in places_of_numbers(value))
        elif isinstance(value, int | float) and not isinstance(value, bool):
            yield [name]
