"""Local recodings do not publish exact extremes unasked for, and leave outliers out where that costs less."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import paranym as pn
from paranym.cli.app import main
from paranym.errors import BadInput, Unattainable
from paranym.solve.local import LOCAL_METHODS

AGES = [*range(20, 60), 17, 103]
CITIES = ["Lyon", "Lyon", "Paris"] * 14
PEOPLE = pa.table({"age": AGES, "city": [*CITIES[:-1], "Quxburg"], "ill": ["flu", "cold"] * 21})
RECIPE = """
[data]
source = "people.parquet"
[attributes.age]
role = "quasi-identifier"
[attributes.city]
role = "quasi-identifier"
[privacy]
suppression = {share}
[local]
open_ends = {ends}
"""


def ask_for(data: object = PEOPLE, suppression: float = 0.0, **terms: object) -> pn.Problem:
    return pn.Problem(
        data,
        quasi_identifiers=["age", "city"],
        sensitive=["ill"],
        suppression=suppression,
        **terms,  # type: ignore[arg-type]
    )


def cells(released: pn.Release, column: str) -> set[str]:
    return set(map(str, released.table.column(column).to_pylist()))


def test_a_release_that_shows_values_of_outliers_warns_without_naming_them() -> None:
    problem = ask_for()
    shown = pn.release(problem, pn.recode_locally(problem, k=5))
    listed = pn.release(problem, pn.recode_locally(problem, k=5, style="set"))

    assert any("103" in cell for cell in cells(shown, "age"))
    assert any("Quxburg" in cell for cell in cells(listed, "city"))
    for released in (shown, listed):
        [warning] = [each for each in released.warnings if "exact values that fewer than" in each]
        assert "age: " in warning
        assert not [value for value in ("103", "Quxburg") if value in warning]
    assert "city: 1" in next(each for each in listed.warnings if "fewer than" in each)


@pytest.mark.parametrize("method", LOCAL_METHODS)
def test_open_ends_hide_the_extremes(method: str, tmp_path: Path) -> None:
    problem = ask_for()
    result = pn.recode_locally(problem, k=5, method=method, open_ends={"age": (25, 50)})
    released = pn.release(problem, result, tmp_path / "out.csv")
    text = (tmp_path / "out.csv").read_text()

    assert released.verification.holds
    assert "103" not in text
    assert "17" not in text
    assert "under 25" in text or "under" in text
    assert "50 and over" in text or " and over" in text


def test_open_ends_are_found_where_few_rows_reach_and_are_round_numbers() -> None:
    ages = [3, *([20, 30, 40, 50, 60, 70] * 4), 91, 93, 97, 103]
    problem = pn.Problem(pa.table({"age": ages}), quasi_identifiers=["age"])
    result = pn.recode_locally(problem, k=4, open_ends=True)
    labels = cells(pn.release(problem, result), "age")

    assert "90 and over" in labels
    assert not [label for label in labels if any(rare in label for rare in ("91", "93", "97", "103"))]
    assert any(label.startswith("under ") for label in labels)
    assert result.assessment.ncp >= pn.recode_locally(problem, k=4).assessment.ncp


def test_ends_that_many_rows_reach_stay_as_they_are() -> None:
    problem = pn.Problem(pa.table({"age": [20, 30, 40] * 5}), quasi_identifiers=["age"])
    result = pn.recode_locally(problem, k=5, open_ends=True)

    assert cells(pn.release(problem, result), "age") == {"20", "30", "40"}


def test_open_ends_are_refused_where_there_are_none() -> None:
    with pytest.raises(BadInput, match="Only ranges have ends"):
        pn.recode_locally(ask_for(), k=5, style="set", open_ends=True)
    with pytest.raises(BadInput, match="'city' is not one"):
        pn.recode_locally(ask_for(), k=5, open_ends={"city": (1, 2)})
    with pytest.raises(BadInput, match="overlap"):
        pn.recode_locally(ask_for(), k=5, open_ends={"age": (60, 20)})
    with pytest.raises(BadInput, match="two numbers"):
        pn.recode_locally(ask_for(), k=5, open_ends={"age": ("old", 20)})


def outliers(far: int = 1) -> pa.Table:
    """Groups of people who are alike, and a few who are far from all others."""
    ages = [30] * 20 + [31] * 20 + [99] * far
    return pa.table({"age": ages, "city": ["Lyon"] * len(ages), "ill": (["flu", "cold"] * len(ages))[: len(ages)]})


@pytest.mark.parametrize("method", LOCAL_METHODS)
@pytest.mark.parametrize("ending", ["csv", "parquet", "duckdb"])
def test_outliers_are_suppressed_within_the_limit_where_that_costs_less(
    method: str, ending: str, tmp_path: Path
) -> None:
    problem = ask_for(outliers(), suppression=0.05)
    kept = pn.recode_locally(problem, k=10, method=method, suppress=False)
    result = pn.recode_locally(problem, k=10, method=method)
    released = pn.release(problem, result, tmp_path / f"out.{ending}")

    assert (kept.assessment.suppressed, result.assessment.suppressed) == (0, 1)
    assert result.assessment.ncp < kept.assessment.ncp
    assert released.manifest is not None
    assert released.manifest["assessment"]["suppressed"] == released.manifest["model"]["suppressed"] == 1
    assert released.verification.audit is not None
    assert (released.verification.holds, released.verification.audit.rows) == (True, 40)
    assert pn.verify_release(tmp_path / f"out.{ending}").holds
    assert b"99" not in (tmp_path / f"out.{ending}").read_bytes() or ending != "csv"


def test_nothing_is_suppressed_beyond_the_limit_or_below_k() -> None:
    assert pn.recode_locally(ask_for(outliers(), suppression=0.0), k=10).assessment.suppressed == 0
    assert pn.recode_locally(ask_for(outliers(3), suppression=0.05), k=10).assessment.suppressed == 0
    assert pn.recode_locally(ask_for(outliers(3), suppression=0.1), k=10).assessment.suppressed == 3
    small = pa.table({"age": [30] * 9 + [99], "city": ["Lyon"] * 10, "ill": ["flu", "cold"] * 5})
    assert pn.recode_locally(ask_for(small, suppression=0.5), k=10).assessment.suppressed == 0


def test_what_is_demanded_of_groups_holds_without_the_suppressed() -> None:
    """Without the outlier, who alone has another illness, everybody else's would be certain."""
    ages = [30] * 10 + [99]
    table = pa.table({"age": ages, "city": ["Lyon"] * 11, "ill": ["flu"] * 10 + ["cold"]})
    problem = ask_for(table, suppression=0.2, privacy={"l": {"value": 2, "kind": "distinct"}})

    assert pn.recode_locally(ask_for(table, suppression=0.2), k=10).assessment.suppressed == 1
    assert pn.recode_locally(problem, k=10).assessment.suppressed == 0


def test_suppressed_rows_of_a_frame_are_left_out_or_marked() -> None:
    frame = outliers().to_pandas()
    problem = ask_for(frame, suppression=0.05)
    result = pn.recode_locally(problem, k=10)

    left = pn.release(problem, result).table
    marked = pn.release(problem, result, keep_suppressed=True).table
    assert (len(left), len(marked)) == (40, 41)
    assert marked.iloc[40][["age", "city"]].tolist() == ["*", "*"]
    assert pd.isna(marked.iloc[40]["ill"])


def test_a_recoding_that_leaves_out_too_many_is_not_released() -> None:
    generous = ask_for(outliers(), suppression=0.05)
    strict = generous.with_suppression(0.0)
    result = pn.recode_locally(generous, k=10)

    with pytest.raises(Unattainable, match="suppresses 1 of 41 rows"):
        pn.release(strict, result)


def test_the_cost_of_suppression_is_counted_by_its_definition() -> None:
    """NCP: a suppressed row costs the sum of all weights."""
    problem = ask_for(outliers(), suppression=0.05, weights={"age": 2.0})
    found = pn.recode_locally(problem, k=10)
    kept = found.recoding
    range_of_age = 99 - 30
    spans = [
        2.0 * (int(kept.axes[0].labels[high]) - int(kept.axes[0].labels[low])) / range_of_age * rows
        for low, high, rows in zip(kept.low[:, 0], kept.high[:, 0], kept.rows, strict=True)
    ]

    assert found.assessment.ncp == pytest.approx(sum(spans) + 1 * (2.0 + 1.0))
    assert np.sum(kept.rows) + kept.left_out == 41


def test_the_command_takes_both_from_the_recipe_or_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    pq.write_table(PEOPLE.drop_columns(["ill"]), "people.parquet")
    Path("recipe.toml").write_text(RECIPE.format(share=0.05, ends="{ age = [25, 50] }"))
    main(["local", "recipe.toml", "--k", "5", "--out", "out.csv", "--json", "told.json"])
    told = json.loads(Path("told.json").read_text())

    assert "103" not in Path("out.csv").read_text()
    assert told["manifest"]["chosen"]["open_ends"] == {"age": [25, 50]}
    gone = {0: "no rows", 1: "1 row"}.get(told["suppressed"], f"{told['suppressed']} rows")
    assert f"{gone} suppressed" in capsys.readouterr().out
    main(["local", "recipe.toml", "--k", "5", "--open-ends", "age=:50", "--no-suppress", "--json", "told.json"])
    assert json.loads(Path("told.json").read_text())["suppressed"] == 0
    with pytest.raises(SystemExit):
        main(["local", "recipe.toml", "--open-ends", "age"])
    assert "--open-ends takes auto" in capsys.readouterr().err
