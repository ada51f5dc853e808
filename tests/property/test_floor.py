"""However little memory counts may take, what is found is the same."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import paranym as pn
from paranym.cli.app import main
from paranym.errors import BadInput
from paranym.hierarchies.build import HierarchySpec
from paranym.problem.floor import memory_of
from reference import Sample
from samples import SHARES, problem_of, samples

ROWS = np.random.default_rng(3).integers(0, [9, 7, 5], (200, 3))
TABLE = pa.table({
    **{name: ROWS[:, j] for j, name in enumerate("abc")},
    "illness": ["flu" if n % 3 else "cold" for n in range(200)],
})  # fmt: skip
ASKED: dict[str, HierarchySpec] = {"a": {"intervals": [2, 4]}, "b": {"intervals": [3]}, "c": None}


def small(memory: str | int | None, **options: object) -> pn.Problem:
    return pn.Problem(TABLE, quasi_identifiers=ASKED, memory=memory, suppression=0.05, **options)  # type: ignore[arg-type]


def recipe(folder: Path, **data: str) -> None:
    """The table with a recipe for it, as r.toml."""
    pq.write_table(TABLE, folder / "t.parquet")
    section = "".join(f"{key} = '{value}'\n" for key, value in ({"source": "t.parquet"} | data).items())
    asked = {name: "quasi-identifier" if name in "abc" else "keep" for name in TABLE.column_names}
    roles = "".join(f"[attributes.{name}]\nrole = '{role}'\n" for name, role in asked.items())
    (folder / "r.toml").write_text(f"[data]\n{section}{roles}")


def told(front: pn.Front) -> dict[str, object]:
    """What is found; by which nodes it is proved may depend on the floor."""
    return {key: value for key, value in front.as_dict().items() if key not in ("floor", "evaluated_nodes")}


@settings(max_examples=10)
@given(
    samples(most_rows=8, repeats=(1, 3)),
    SHARES,
    st.sampled_from([1, 300, 800, 1500]),
    st.sampled_from(["glm", "dcn", "ce"]),
)
def test_the_front_does_not_depend_on_the_floor(sample: Sample, share: float, memory: int, metric: str) -> None:
    whole = problem_of(sample, metric, share, "needed")
    little = problem_of(sample, metric, share, "needed", memory=memory)

    assert told(pn.frontier(little)) == told(pn.frontier(whole))


@pytest.mark.parametrize("memory", [1, 2_000, 5_000, 10_000])
@pytest.mark.parametrize("method", ["exact", "exhaustive"])
def test_a_floor_is_told_and_changes_nothing(memory: int, method: str) -> None:
    found = pn.frontier(small(memory), method=method)

    assert told(found) == told(pn.frontier(small(None), method=method))
    assert found.floor is not None
    assert any(found.floor.values())


def test_the_floor_is_as_low_as_memory_allows() -> None:
    floors = [small(memory).floor for memory in (1, 2_000, 8_000, 20_000, None)]
    heights = [sum((floor or {"": 0}).values()) for floor in floors]

    assert heights == sorted(heights, reverse=True)
    assert floors[0] == {"a": 3, "b": 2, "c": 1}
    assert floors[-1] is None


def test_demands_and_releases_work_from_a_floor() -> None:
    asked: dict[str, object] = {"sensitive": ["illness"], "privacy": {"l": 1.2}}
    little, whole = small(1, **asked), small(None, **asked)

    front = pn.frontier(little)
    assert told(front) == told(pn.frontier(whole))
    point = pn.ask(front, min_k=3).point
    assert pn.release(little, point).table.equals(pn.release(whole, point).table)
    assert pn.verify_front(front, little).holds


@pytest.mark.parametrize(
    "take",
    [
        lambda problem: pn.generalize(problem, k=2),
        lambda problem: pn.recode_locally(problem, k=2),
        lambda problem: pn.evolve(problem, algorithm="nsga2", generations=2),
        lambda problem: pn.compare(problem, [2]),
        lambda problem: pn.write_report(problem, pn.frontier(problem), "report.html"),
    ],
    ids=["search", "local", "nsga2", "compare", "report"],
)
def test_what_takes_all_combinations_says_so(
    take: Callable[[pn.Problem], object], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(BadInput, match=r"of a, b, c,? .*do not fit into the memory that is allowed.* Allow more"):
        take(small(1))

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "command",
    [
        ["search", "r.toml", "--k", "3"],
        ["local", "r.toml", "--k", "3", "--out", "new.csv"],
        ["frontier", "r.toml", "--method", "nsga2", "--evaluations", "100"],
        ["compare", "r.toml", "--k", "3"],
        ["report", "r.toml", "--k", "3", "--out", "new.html"],
        ["run", "r.toml", "--k", "3", "--out", "new.csv", "--report", "new.html"],
    ],
    ids=lambda command: command[0],
)
def test_commands_that_take_all_combinations_say_so_before_they_begin(
    command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    recipe(tmp_path, memory="2KB")

    with pytest.raises(SystemExit) as refused:
        main([*command, "--quiet"])

    said = capsys.readouterr().err
    assert refused.value.code == 2
    assert "do not fit into the memory that is allowed" in said
    assert "Allow more" in said
    assert not list(tmp_path.glob("*new*"))


@pytest.mark.parametrize("written", ["", "much", "-1GB", "0", "4 XB"])
def test_memory_is_a_number_and_a_unit(written: str) -> None:
    with pytest.raises(BadInput, match="such as '4GB'"):
        memory_of(written)


def test_the_command_says_which_floor_was_used(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    recipe(tmp_path)

    main(["frontier", str(tmp_path / "r.toml"), "--memory", "2KB", "--json", str(tmp_path / "f.json")])

    floor = json.loads((tmp_path / "f.json").read_text())["floor"]
    assert any(floor.values())
    assert "Counted at a" in capsys.readouterr().out
