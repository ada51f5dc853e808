"""The gate stops what names or reaches people, free text, and what undoes a generalization; and nothing else."""

import json
import os
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv as pa_csv
import pytest

import paranym as pn
from paranym.cli.app import main
from paranym.datasets import adult
from paranym.errors import BadInput, GateClosed, RecipeFault, UnknownAttribute
from paranym.publishing.gate import Gate
from planting import LANGUAGES, PLANTS, TRADES, clean, planted

SHARED = Path(__file__).parents[4] / "shared" / "data"
SOAK = "SOAK" in os.environ
SEEDS = range(5) if SOAK else range(1)
SAID = [
    "She called twice about the bill.",
    "Der Kunde war sehr verärgert",
    "Il a deux enfants et travaille la nuit",
    "No contesta, volver a llamar cuando pueda",
]
NOTES = [f"{note} {n}" for n in range(10) for note in SAID]
AGES = [30 + n % 20 for n in range(40)]


def kinds_in(table: pa.Table) -> dict[str, str]:
    """The kind of what is found in each column."""
    found = Gate().examine(table, []).findings
    return {each.columns[0]: each.kind for each in found if each.severity == "stop"}


def problem(table: pa.Table, **options: Any) -> pn.Problem:
    kept = [name for name in table.column_names if name not in ("age", "sex", "outcome")]
    asked = {"age": {"intervals": [10, 20, 40]}, "sex": None}
    known = {name: spec for name, spec in asked.items() if name in table.column_names}
    sensitive = [name for name in ("outcome",) if name in table.column_names]
    return pn.Problem(table, quasi_identifiers=known, sensitive=sensitive, keep=kept, suppression=0.05, **options)


def noted(**options: Any) -> pn.Problem:
    return problem(pa.table({"age": AGES, "notes": NOTES}), **options)


@pytest.mark.parametrize("trade", TRADES)
@pytest.mark.parametrize("rows", [40, 400])
def test_nothing_is_stopped_in_tables_of_ten_trades(trade: str, rows: int) -> None:
    for seed in SEEDS:
        assert kinds_in(clean(trade, seed, rows)) == {}


@pytest.mark.parametrize("rows", [40, 400])
def test_what_is_planted_is_stopped_in_every_language(rows: int) -> None:
    """At least 95% of the columns, whatever they are called, most of them by the kind that they are."""
    stopped, total, same = 0, 0, 0
    for seed in SEEDS:
        for language in LANGUAGES:
            table = pa.table({plant: planted(plant, language, seed, rows) for plant in PLANTS})
            found = kinds_in(table.rename_columns([f"column {n}" for n in range(len(PLANTS))]))
            kinds = [found.get(f"column {n}") for n in range(len(PLANTS))]
            stopped += sum(kind is not None for kind in kinds)
            same += sum(kind == expected for kind, (expected, _) in zip(kinds, PLANTS.values(), strict=True))
            total += len(kinds)

    assert stopped >= 0.95 * total
    assert same >= 0.9 * total


@pytest.mark.slow
@pytest.mark.parametrize("trade", TRADES)
def test_releases_of_ten_trades_pass_and_a_planted_column_stops_them(trade: str) -> None:
    table = clean(trade, 1)
    asked = problem(table)
    released = pn.release(asked, pn.point_at(asked, {"age": 2}))
    assert released.gate is not None
    assert released.gate.stopping == ()

    draw = random.Random(trade)  # noqa: S311
    plant, language = draw.choice(list(PLANTS)), draw.choice(LANGUAGES)
    asked = problem(table.append_column("x", planted(plant, language, 1)))
    with pytest.raises(GateClosed, match="- x holds"):
        pn.release(asked, pn.point_at(asked, {"age": 2}))


def test_the_adult_table_passes(tmp_path: Path) -> None:
    asked = pn.Problem.from_recipe(adult())
    point = pn.point_at(asked, {"age": 4, "education": 2, "native-country": 2})
    released = pn.release(asked, point, tmp_path / "out.parquet")
    assert released.gate is not None
    assert released.gate.stopping == ()
    assert kinds_in(pa_csv.read_csv(adult().parent / "adult.csv")) == {}


@pytest.mark.skipif(not SHARED.exists(), reason="the shared tables are not here")
@pytest.mark.parametrize("table", ["adult_raw_48842.csv", "fars/fars_10093.csv"])
def test_tables_of_others_pass(table: str) -> None:
    assert kinds_in(pa_csv.read_csv(SHARED / table)) == {}


def test_a_finding_is_accepted_by_name_and_recorded(tmp_path: Path) -> None:
    asked, place = noted(), tmp_path / "out.csv"
    point = pn.point_at(asked, {"age": 2})
    with pytest.raises(GateClosed, match="notes holds free text") as stopped:
        pn.release(asked, point, place)
    assert "--accept free-text:notes" in str(stopped.value)
    assert stopped.value.exit_code == 1
    assert not list(tmp_path.iterdir())

    released = pn.release(asked, point, place, accept=["free-text:notes"])
    gate = (released.manifest or {})["gate"]
    assert gate["accepted"] == ["free-text:notes"]
    found = gate["findings"][0]
    assert (found["kind"], found["severity"], found["accepted"]) == ("free-text", "stop", True)
    assert "Accepted by name (free-text:notes): notes holds free text" in " ".join(released.warnings)
    assert not any(note in (tmp_path / "out.csv.manifest.json").read_text(encoding="utf-8") for note in NOTES)


def test_a_recipe_may_accept_too(tmp_path: Path) -> None:
    asked = noted(gate={"accept": ["free-text:notes"]})
    assert pn.release(asked, pn.point_at(asked, {"age": 2}), tmp_path / "out.csv").path is not None


@pytest.mark.parametrize(
    ("accept", "error", "says"),
    [
        (["notes"], BadInput, "such as free-text:notes"),
        (["free-texts:notes"], BadInput, "Did you mean 'free-text'"),
        (["free-text:note"], UnknownAttribute, "Did you mean 'notes'"),
        ("free-text:notes", BadInput, "accept takes a list"),
    ],
)
def test_what_cannot_be_accepted_is_said(accept: Any, error: type[Exception], says: str) -> None:
    asked = noted()
    with pytest.raises(error, match=says):
        pn.release(asked, pn.point_at(asked, {"age": 2}), accept=accept)


def test_other_ways_to_publish_pass_the_same_gate(tmp_path: Path) -> None:
    asked = noted()
    with pytest.raises(GateClosed, match="notes holds free text"):
        pn.release(asked, pn.recode_locally(asked, 5), tmp_path / "local.csv")
    with pytest.raises(GateClosed, match="notes holds free text"):
        pn.Anonymizer({"age": {"intervals": [10, 20]}}, k=3, keep=["notes"]).fit_transform(
            pa.table({"age": AGES, "notes": NOTES})
        )

    quiet = problem(pa.table({"age": AGES, "notes": ["ok", "late"] * 20}))
    pn.release(quiet, pn.point_at(quiet, {"age": 2}), tmp_path / "may.csv")
    june = pa.table({"age": AGES, "notes": NOTES})
    for place in (None, tmp_path / "june.csv"):
        with pytest.raises(GateClosed, match="notes holds free text"):
            pn.apply(tmp_path / "may.csv.recoding.json", june, place)
        done = pn.apply(tmp_path / "may.csv.recoding.json", june, place, accept=["free-text:notes"])
        assert done.gate is not None
        assert done.gate.accepted == ("free-text:notes",)


def test_columns_that_undo_a_generalization_are_found() -> None:
    draw = np.random.default_rng(1)
    age = draw.integers(20, 80, 600)
    table = pa.table({
        "age": age,
        "code": [f"K{(value * 37) % 1000:03d}" for value in age],
        "born": [f"{2020 - value}-{month:02d}-15" for value, month in zip(age, draw.integers(1, 13, 600), strict=True)],
        "decade": [value // 10 for value in age],
        "last digit": [value % 10 for value in age],
        "income": (age * 700 + draw.normal(0, 9000, 600)).astype(int),
        "ward": draw.choice([*"abcdefghijkl"], 600),
    })  # fmt: skip
    asked = problem(table)
    with pytest.raises(GateClosed) as stopped:
        pn.release(asked, pn.point_at(asked, {"age": 3}))

    told = "\n".join(stopped.value.faults)
    assert "code discloses the original values of a generalized column: age." in told
    assert "born discloses" in told
    assert "last digit" in told
    assert not any(name in told for name in ("income", "ward"))
    accepted = ["undoes-generalization:code", "undoes-generalization:born", "undoes-generalization:decade+last digit"]
    assert pn.release(
        asked, pn.point_at(asked, {"age": 3}), accept=[*accepted, "undoes-generalization:last digit+decade"]
    ).table


def born(ages: Any, written: str) -> list[str]:
    """A date of birth for each age, hardly any of them twice."""
    return [written.format(year=2020 - age, month=1 + n % 12, day=1 + n * 7 % 28, rest=n) for n, age in enumerate(ages)]


UNDOING: dict[str, Any] = {
    "dates as text": lambda ages: born(ages, "{year}-{month:02d}-{day:02d}"),
    "dates as in Germany": lambda ages: born(ages, "{day:02d}.{month:02d}.{year}"),
    "dates as in America": lambda ages: born(ages, "{month}/{day}/{year}"),
    "moments": lambda ages: born(ages, "{year}-{month:02d}-{day:02d}T10:00:00.{rest:06d}"),
    "a year that leaves two ages": lambda ages: [2020 - age - n % 2 for n, age in enumerate(ages)],
    "a code that some lack": lambda ages: [None if n % 5 == 0 else f"K{age * 37 % 100}" for n, age in enumerate(ages)],
}


@pytest.mark.parametrize("tell", UNDOING.values(), ids=UNDOING)
@pytest.mark.parametrize("rows", [300, 2000])
def test_what_tells_a_value_in_another_form_is_found(tell: Any, rows: int) -> None:
    ages = np.random.default_rng(2).integers(20, 80, rows)
    asked = problem(pa.table({"age": ages, "told": tell(ages.tolist())}))
    with pytest.raises(GateClosed, match="told discloses the original values of a generalized column: age"):
        pn.release(asked, pn.point_at(asked, {"age": 2}))


def test_a_column_with_a_value_of_its_own_in_each_of_many_rows_is_found() -> None:
    ages = np.random.default_rng(2).integers(20, 80, 60_000)
    asked = problem(pa.table({"age": ages, "told": ages + np.arange(60_000) / 60_000}))
    with pytest.raises(GateClosed, match="told discloses the original values of a generalized column: age"):
        pn.release(asked, pn.point_at(asked, {"age": 2}), registry=False)


def test_dates_and_numbers_that_go_with_a_value_only_roughly_are_no_finding() -> None:
    draw = np.random.default_rng(2)
    ages = draw.integers(20, 80, 600)
    table = pa.table({
        "age": ages,
        "admitted": born(draw.integers(0, 6, 600).tolist(), "{day:02d}.{month:02d}.{year}"),
        "hired": [2020 - age + 20 + years for age, years in zip(ages, draw.integers(0, 12, 600), strict=True)],
    })  # fmt: skip
    asked = problem(table)
    assert pn.release(asked, pn.point_at(asked, {"age": 2})).gate is not None


NAMES = [f"{first} {last}" for first in ("Anna", "Lukas", "Pablo", "Marie") for last in ("Schmidt", "García", "Meyer")]
PACKED = {
    "lists": [[name] for name in NAMES],
    "records": [{"who": name} for name in NAMES],
    "maps": pa.array([[(name, 1)] for name in NAMES], pa.map_(pa.string(), pa.int64())),
    "JSON": [json.dumps({"who": name}) for name in NAMES],
}


@pytest.mark.parametrize("cells", PACKED.values(), ids=PACKED)
def test_names_within_lists_and_records_are_found(cells: Any) -> None:
    assert kinds_in(pa.table({"x": cells})) == {"x": "person-name"}


def test_lists_and_records_of_codes_are_no_finding() -> None:
    codes = [["I10", "E11.9"], ["J45"], ["M54.5", "I10"]] * 20
    marks = [{"a": n % 7, "b": n % 5} for n in range(60)]
    assert kinds_in(pa.table({"codes": codes, "marks": marks})) == {}


def test_an_index_that_is_kept_passes_the_gate_like_a_column(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": AGES, "index": 1}, index=pd.Index([NAMES[n % 12] for n in range(40)]))
    asked = pn.Problem(frame, quasi_identifiers={"age": {"intervals": [10, 20]}}, keep=["index"])
    point = pn.point_at(asked, {"age": 2})
    name = "person-name:index (index)"
    with pytest.raises(GateClosed, match=r"index \(index\) holds what look like names of people"):
        pn.release(asked, point, index="keep")
    released = pn.release(asked, point, index="keep", accept=[name])
    assert released.gate is not None
    assert (released.gate.accepted, released.gate.columns) == ((name,), 3)
    assert list(released.table.index) == list(frame.index)
    assert pn.release(asked, point, index="drop").table is not None

    pn.release(asked, point, tmp_path / "may.csv")
    with pytest.raises(GateClosed, match="names of people"):
        pn.apply(tmp_path / "may.csv.recoding.json", frame, index="keep")
    assert pn.apply(tmp_path / "may.csv.recoding.json", frame, index="keep", accept=[name]).table is not None
    with pytest.raises(GateClosed, match="names of people"):
        pn.Anonymizer({"age": {"intervals": [10, 20]}}, k=3, keep=["index"], index="keep").fit_transform(frame)


def test_limits_of_the_recipe_hold_for_tables_that_its_recoding_is_applied_to(tmp_path: Path) -> None:
    may = pa.table({"age": [31] * 10 + [52] * 10, "outcome": ["ill", "well"] * 10})
    june = pa.table({"age": [31] * 10 + [52] * 10, "outcome": ["ill"] * 10 + ["ill", "well"] * 5})
    asked = problem(may, gate={"certain": "1%"})
    pn.release(asked, pn.point_at(asked, {}), tmp_path / "may.csv")
    for place in (None, tmp_path / "june.csv"):
        with pytest.raises(GateClosed, match=r"outcome: 10 rows \(50\.0%\).* The recipe allows 1%"):
            pn.apply(tmp_path / "may.csv.recoding.json", june, place)
    assert not (tmp_path / "june.csv").exists()

    free = problem(may)
    pn.release(free, pn.point_at(free, {}), tmp_path / "may.csv", overwrite=True)
    for place in (None, tmp_path / "june.csv"):
        done = pn.apply(tmp_path / "may.csv.recoding.json", june, place)
        assert done.gate is not None
        assert done.gate.certain == {"outcome": 10}
        assert "outcome: 10 rows (50.0%) are in classes" in done.warnings[0]


def test_the_first_sentence_of_a_recoded_table_says_what_k_is_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    table = pa.table({"age": [31] * 10 + [52] * 10, "n": [*range(20)]})
    asked = problem(table)
    pn.release(asked, pn.point_at(asked, {}), "may.csv")
    pa_csv.write_csv(table.append_column("x", [[*range(20)]]), "june.csv")
    options = ["--out", "out.csv", "--undeclared", "drop", "--json", "told.json"]
    main(["apply", "may.csv.recoding.json", "june.csv", *options])

    assert " ".join(capsys.readouterr().out.split()).startswith(
        "The guarantee (k = 10) holds: every row is in an equivalence class of at least 10 rows on the "
        "quasi-identifier; but 20 of 20 rows (100%) are unique on all 2 published columns together."
    )
    told = json.loads(Path("told.json").read_text(encoding="utf-8"))
    assert told["gate"]["undeclared"] == {"columns": ["x"], "decision": "drop"}


def test_a_code_beside_a_column_that_is_not_generalized_is_no_finding() -> None:
    table = pa.table({"age": AGES, "sex": [*"FM"] * 20, "code": [{"F": 1, "M": 2}[sex] for sex in [*"FM"] * 20]})
    asked = problem(table)
    assert pn.release(asked, pn.point_at(asked, {"age": 3})).table is not None
    with pytest.raises(GateClosed, match="code discloses"):
        pn.release(asked, pn.point_at(asked, {"age": 3, "sex": 1}))


def test_rows_that_stand_out_are_told_and_stop_a_release_only_beyond_a_limit(tmp_path: Path) -> None:
    table = pa.table({"age": [31] * 10 + [52] * 10, "outcome": ["ill"] * 10 + ["ill", "well"] * 5, "n": [*range(20)]})
    asked = problem(table)
    released = pn.release(asked, pn.point_at(asked, {}), tmp_path / "out.csv")
    gate = (released.manifest or {})["gate"]
    assert gate["unique"] == {"rows": 20, "share": 1.0}
    assert gate["certain"] == {"outcome": 10}
    assert "20 of 20 rows (100%) are unique on all 3 published columns together" in released.warnings[0]
    assert "outcome: 10 rows (50.0%) are in classes that have one value only" in released.warnings[1]
    assert json.loads((tmp_path / "out.csv.manifest.json").read_text())["warnings"] == list(released.warnings)

    for limits, says in (({"unique": "5%"}, "The recipe allows 5%"), ({"certain": 0.01}, "The recipe allows 1%")):
        limited = problem(table, gate=limits)
        with pytest.raises(GateClosed, match=says):
            pn.release(limited, pn.point_at(limited, {}))
    wide = problem(table, gate={"unique": "100%", "certain": 0.5})
    assert pn.release(wide, pn.point_at(wide, {})).gate is not None
    with pytest.raises(RecipeFault, match=r'gate\.unique: is a share such as "5%" or 0\.05'):
        problem(table, gate={"unique": "much"})


def test_the_command_says_what_stops_it_and_what_to_accept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "300")
    pa_csv.write_csv(pa.table({"age": AGES, "notes": NOTES}), "people.csv")
    Path("recipe.toml").write_text(
        '[data]\nsource = "people.csv"\n[attributes.age]\nrole = "quasi-identifier"\n'
        'hierarchy = { intervals = [10, 20] }\n[attributes.notes]\nrole = "keep"\n[choice]\nk = 10\n',
        encoding="utf-8",
    )
    with pytest.raises(SystemExit) as stopped:
        main(["release", "recipe.toml", "--k", "10", "--out", "out.csv", "--quiet"])
    said = capsys.readouterr().err
    assert (stopped.value.code, "notes holds free text" in said, "--accept free-text:notes" in said) == (1, True, True)
    assert not Path("out.csv").exists()

    main(["release", "recipe.toml", "--k", "10", "--out", "out.csv", "--accept", "free-text:notes"])
    shown = " ".join(capsys.readouterr().out.split())
    assert shown.startswith("out.csv is written and verified: it is k-anonymous with k = 20 on the")
    assert "Accepted by name (free-text:notes)" in shown


def test_values_achieved_stand_in_the_verification_as_numbers(tmp_path: Path) -> None:
    table = pa.table({"age": [31] * 10 + [52] * 10, "outcome": ["ill", "well"] * 10})
    asked = problem(table, privacy={"l": {"value": 1.5, "kind": "entropy"}, "t": 0.2})
    released = pn.release(asked, pn.point_at(asked, {}), tmp_path / "out.csv")

    checks = {check.what: check for check in released.verification.checks}
    diversity, closeness = checks["entropy l-diversity (outcome)"], checks["t-closeness with equal distance (outcome)"]
    assert (diversity.promised, diversity.found, diversity.relation, diversity.holds) == (1.5, 2.0, ">=", True)
    assert (closeness.promised, closeness.found, closeness.relation, closeness.holds) == (0.2, 0.0, "<=", True)
    assert pn.verify_release(tmp_path / "out.csv").holds


def test_labels_of_the_tool_and_marks_of_missing_values_are_no_formulas(tmp_path: Path) -> None:
    table = pa.table({"degrees": [-9.0, -8.0, -7.0, -3.0] * 5, "ward": ["-", "a", "--", "b"] * 5})
    asked = pn.Problem(table, quasi_identifiers={"degrees": {"intervals": [5]}}, keep=["ward"], missing=["-", "--"])
    released = pn.release(asked, pn.point_at(asked, {"degrees": 1}), tmp_path / "out.csv")

    assert (released.manifest or {})["release"]["formulas"]["found"] == 0
    assert released.verification.audit is not None
    assert [each.kind for each in released.verification.audit.concerns] == []


def test_tokens_that_the_recipe_names_are_not_reported_as_values(tmp_path: Path) -> None:
    table = pa.table({"age": [31] * 10 + [52] * 10, "outcome": ["?", "ill", "well", "ill"] * 5})
    for missing, kinds in ((["?"], []), ([], ["token"])):
        asked = problem(table, missing=missing)
        released = pn.release(asked, pn.point_at(asked, {}), tmp_path / "out.csv", overwrite=True)
        assert released.verification.audit is not None
        assert [each.kind for each in released.verification.audit.concerns] == kinds


def test_notes_beside_many_equal_cells_are_found_and_answers_of_a_list_are_not() -> None:
    answers = ["stimme voll zu", "stimme eher nicht zu", "stimme gar nicht zu", "weiß nicht / keine Angabe"]
    why = ["far", "late", "early", "long", "dear", "dull"]
    reasons = [f"I did not take part because it was too {word}" for word in why]
    table = pa.table({
        "answer": [answers[n % 4] for n in range(600)],
        "reason": [reasons[n % 6] for n in range(600)],
        "remark": [SAID[n] if n < len(SAID) else "ok" for n in range(600)],
    })  # fmt: skip
    assert kinds_in(table) == {"remark": "free-text"}
    assert kinds_in(table.slice(4, 40)) == {}
