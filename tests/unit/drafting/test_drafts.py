"""Drafts: roles that a practitioner would accept, hierarchies that suit the values, recipes that run as they are."""

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import paranym as pn
from paranym.datasets import adult
from paranym.drafting.kinds import missing_tokens, recognize
from paranym.errors import BadInput, EmptyTable, Unattainable, UnknownAttribute
from paranym.model.toml_text import to_key, to_toml

ROWS = 400
NAMES = ["Ada", "Bo", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hal", "Ida"]


def cells(choices: Sequence[Any]) -> list[Any]:
    """A column of these values; columns of other values are drawn independently of it."""
    return random.Random(repr(choices)).choices(choices, k=ROWS)  # noqa: S311 - a table, not a secret


def people(**more: list[Any]) -> pa.Table:
    return pa.table({"sex": cells(["F", "M"]), "age": cells(range(18, 90)), **more})


def roles(draft: pn.Draft) -> dict[str, str]:
    return {name: column.role.value for name, column in draft.columns.items()}


def kinds(draft: pn.Draft) -> list[str]:
    return [concern.kind for concern in draft.concerns]


@pytest.fixture(scope="module")
def census() -> pn.Draft:
    return pn.draft(adult().parent / "adult.csv")


def test_adult_is_drafted_as_a_practitioner_would(census: pn.Draft) -> None:
    assert roles(census) == {
        "age": "quasi-identifier",
        "workclass": "quasi-identifier",
        "fnlwgt": "drop",
        "education": "quasi-identifier",
        "education-num": "drop",
        "marital-status": "quasi-identifier",
        "occupation": "quasi-identifier",
        "relationship": "quasi-identifier",
        "race": "quasi-identifier",
        "sex": "quasi-identifier",
        "capital-gain": "sensitive",
        "capital-loss": "sensitive",
        "hours-per-week": "quasi-identifier",
        "native-country": "quasi-identifier",
        "salary-class": "sensitive",
    }
    assert census["age"].hierarchy == {"intervals": [5, 10, 20, 40]}
    assert (census["sex"].hierarchy, census["race"].hierarchy) == (None, None)
    assert [(concern.kind, concern.columns) for concern in census.concerns] == [
        ("nearly-unique", ("fnlwgt",)),
        ("determined", ("education", "education-num")),
    ]


@pytest.mark.parametrize(
    ("name", "column", "hierarchy"),
    [
        ("zip", cells(["53715", "53703", "90210", "00501", "10115"]), {"prefix": [3]}),
        ("zipcode", cells([53715, 53703, 53711, 90210, 10115, 10117]), {"prefix": [4, 3]}),
        ("zip", cells([f"{i:05d}-{1000 + i}" for i in range(2100, 2500)]), {"prefix": [4, 3]}),
        ("zip", cells([f"0{i}-{1000 + j}" for i in range(2100, 2140) for j in range(9)]), {"prefix": [5, 4]}),
        (
            "article",
            cells([f"{c}{i}.{j}" for c in "CJ" for i in range(10, 30) for j in range(4)]),
            {"prefix": [3, 2, 1]},
        ),
        ("hired", cells([f"2020-{m:02d}-{d:02d}" for m in range(1, 13) for d in range(1, 29)]), "dates"),
        ("born", cells([f"{d:02d}.{m:02d}.{y}" for y in range(1890, 2000) for m in (1, 7) for d in (3, 30)]), "dates"),
        ("arrival", cells([f"{h:02d}:{m:02d}" for h in range(24) for m in range(60)]), "times"),
        ("month", cells(["January", "March", "May", "June", "July", "October", "n/k"]), "tree"),
        ("state", cells(["Ohio", "Texas", "Iowa", "Utah", "Maine", "Idaho", "Oregon"]), "tree"),
        ("nationality", cells(["Kenya", "Peru", "Laos", "Malta", "Italy", "Chad", "Fiji", "Utopia"]), "tree"),
        ("country", cells(["KE", "PE", "LA", "MT", "IT", "TD", "FJ", "NA"]), "tree"),
        ("town", cells(["Ely"] * 60 + [f"village {i}" for i in range(40)]), "rare"),
        ("colour", cells(["red", "blue", "green"]), None),
        ("steps", cells(range(100, 20000, 100)), {"intervals": [1000, 2000, 4000, 8000]}),
        ("share", cells([i / 100 for i in range(100)]), {"intervals": [0.05, 0.1, 0.2, 0.4]}),
        ("code", cells([f"A{i:03d}" for i in range(120)]), "prefix"),
        ("points", cells([*range(20), 9999]), "intervals"),
    ],
)
def test_hierarchies_suit_the_values(name: str, column: list[Any], hierarchy: Any) -> None:
    drafted = pn.draft(people(**{name: column}))[name]

    assert drafted.role == "quasi-identifier"
    if isinstance(hierarchy, str):
        assert isinstance(drafted.hierarchy, dict)
        assert hierarchy in drafted.hierarchy
    else:
        assert drafted.hierarchy == hierarchy


def test_a_few_words_among_numbers_stay_apart() -> None:
    ages = cells([*map(str, range(18, 90)), "retired"])
    drafted = pn.draft(pa.table({"age": ages, "sex": cells(["F", "M"])}))

    assert drafted["age"].hierarchy == {"intervals": [5, 10, 20, 40], "apart": ["retired"]}


def test_far_off_nines_are_a_code_for_unknown() -> None:
    drafted = pn.draft(people(visits=cells([*range(12), 99])))

    assert drafted["visits"].hierarchy == {"intervals": [2, 4], "apart": [99]}


def test_a_long_tail_is_one_value() -> None:
    spent = [*cells(range(0, 1000, 10))[1:], 50000]
    hierarchy = pn.draft(people(spent=spent))["spent"].hierarchy

    assert isinstance(hierarchy, dict)
    assert hierarchy["top"] == 1000


@pytest.mark.parametrize(
    ("name", "column", "role", "warning"),
    [
        ("customer_id", list(range(ROWS)), "identifier", "identifier"),
        ("patientID", [i // 2 for i in range(ROWS)], "identifier", "repeated-identifier"),
        ("name", [f"person {i}" for i in range(ROWS)], "identifier", "identifier"),
        ("e-mail", [f"{i}@example.org" for i in range(ROWS)], "identifier", "identifier"),
        ("line", list(range(7, ROWS + 7)), "identifier", "identifier"),
        ("weighting", [i * 7919 % 100003 for i in range(ROWS)], "drop", "nearly-unique"),
        ("remark", [f"{i} long words that say much about somebody" for i in range(ROWS)], "drop", "free-text"),
        ("tags", [[1, 2]] * ROWS, "drop", "left-out"),
        ("diagnosis", cells(["J45", "I10"]), "sensitive", None),
        ("monthly income", cells(range(1000, 1100)), "sensitive", None),
        ("salary", cells(range(1000, 9000)), "sensitive", "nearly-unique"),
        ("iinjury", cells(["a", "b"]), "sensitive", None),
        ("planet", ["Earth"] * ROWS, "keep", "constant"),
        ("nothing", [None] * ROWS, "keep", "mostly-missing"),
        ("region_id", cells(range(8)), "quasi-identifier", None),
        (
            "birth date",
            [f"{1900 + i % 100}-01-{1 + i % 28:02d}" for i in range(ROWS)],
            "quasi-identifier",
            "nearly-unique",
        ),
        ("Vorname", cells(NAMES), "identifier", None),
        ("prénom", cells(NAMES), "identifier", None),
        ("apellidos", cells(NAMES), "identifier", None),
        ("first", cells(NAMES), "identifier", None),
        ("first visit", cells(["yes", "no"]), "quasi-identifier", None),
        ("phone", cells(["yes", "no"]), "quasi-identifier", None),
        ("subject", cells([f"S{i:03d}" for i in range(30)]), "identifier", "repeated-identifier"),
        (
            "subject",
            cells(["Maths", "Arts", "Music", "Latin", "Sport", "Physics", "History"]),
            "quasi-identifier",
            None,
        ),
        ("attending physician", cells([f"Dr {i}" for i in range(90)]), "identifier", "repeated-identifier"),
        ("grade_level", cells(range(1, 13)), "quasi-identifier", None),
        ("to", cells([f"+49 30 {i:06d}" for i in range(30)]), "identifier", "repeated-identifier"),
        ("from", cells([f"10.0.{i}.1" for i in range(30)]), "identifier", "repeated-identifier"),
        ("who", cells([f"{i:08x}-0000-4000-8000-{i:012x}" for i in range(30)]), "identifier", "repeated-identifier"),
        ("Konfession", cells(["ev", "rk"]), "sensitive", None),
        ("height", cells([f"1,{i}" for i in range(50, 99)]), "quasi-identifier", "numbers-as-text"),
        ("hobby", [None] * (ROWS - 40) + ["chess", "golf"] * 20, "quasi-identifier", "mostly-missing"),
    ],
)
def test_roles_follow_names_and_values(name: str, column: list[Any], role: str, warning: str | None) -> None:
    drafted = pn.draft(people(**{name: column}))

    assert drafted[name].role == role
    assert [concern.kind for concern in drafted.concerns if name in concern.columns] == ([warning] if warning else [])


def test_columns_that_determine_each_other_are_told() -> None:
    towns = cells(["Ely", "Ripon", "Wells", "Truro"])
    county = {"Ely": "Cambs", "Ripon": "Yorks", "Wells": "Somerset", "Truro": "Somerset"}
    drafted = pn.draft(people(town=towns, county=[county[town] for town in towns], illness=[town[0] for town in towns]))

    told = [concern.columns for concern in drafted.concerns if concern.kind == "determined"]
    assert told == [("town", "county"), ("town", "illness")]
    assert roles(drafted)["county"] == "quasi-identifier"


def test_tokens_that_mean_missing_are_found() -> None:
    drafted = pn.draft(people(job=cells(["?", "clerk", "cook"]), land=cells(["NA", "US", "DE"])))

    assert drafted.missing == ("?",)
    assert drafted.problem().hierarchies[2].places_missing


def test_no_cell_value_is_told_in_warnings() -> None:
    secret = [f"secret {i}" for i in range(ROWS)]
    drafted = pn.draft(
        people(code=secret, planet=["secret"] * ROWS, note=[f"secret {'x' * 60} {i}" for i in range(ROWS)])
    )

    assert "secret" not in " ".join(concern.says for concern in drafted.concerns)
    assert "secret" not in drafted.toml("x.csv")


def test_what_is_known_already_is_believed() -> None:
    table = people(fnlwgt=[i * 7919 % 100003 for i in range(ROWS)])
    drafted = pn.draft(table, roles={"fnlwgt": "quasi-identifier", "sex": "sensitive", "age": "keep"})

    assert roles(drafted) == {"sex": "sensitive", "age": "keep", "fnlwgt": "quasi-identifier"}
    assert drafted["fnlwgt"].why.startswith("as given; numbers: intervals of")


@pytest.mark.parametrize(
    ("given_roles", "error", "message"),
    [
        ({"sexx": "other"}, UnknownAttribute, "Did you mean 'sex'"),
        ({"sex": "secret"}, BadInput, "The role of 'sex' must be one of identifier"),
        ({"sex": "sensitive", "age": "sensitive"}, Unattainable, "No column can be a quasi-identifier"),
    ],
)
def test_roles_that_cannot_be_are_refused(given_roles: dict[str, str], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        pn.draft(people(), roles=given_roles)


def test_a_draft_can_be_changed_and_run() -> None:
    drafted = pn.draft(people())
    drafted["age"].hierarchy = {"breaks": [30, 60]}
    drafted["sex"].role = pn.draft(people())["age"].role.KEEP

    assert drafted.problem().attributes == ("age",)
    assert "breaks = [30, 60]" in drafted.toml("people.csv")
    with pytest.raises(UnknownAttribute, match="Did you mean 'age'"):
        drafted["aeg"]


def test_a_draft_prints_its_columns_and_concerns(census: pn.Draft) -> None:
    assert "age             quasi-identifier  likely known to others; numbers: intervals of 5" in repr(census)
    assert "Note: fnlwgt has 20,263 distinct values in 30,162 rows" in repr(census)


def test_a_draft_overwrites_nothing_and_finds_its_table_again(tmp_path: Path) -> None:
    (tmp_path / "data").mkdir()
    pd.DataFrame({"sex": cells(["F", "M"]), "age": cells(range(18, 60))}).to_csv(
        tmp_path / "data" / "p.csv", index=False
    )
    drafted = pn.draft(tmp_path / "data" / "p.csv")
    recipe = tmp_path / "recipes" / "first.toml"
    recipe.parent.mkdir()
    drafted.save(recipe)

    assert pn.Recipe.read(recipe).data.source == "../data/p.csv"
    assert pn.Problem.from_recipe(recipe).rows == ROWS
    with pytest.raises(BadInput, match="exists already, and a draft overwrites nothing"):
        drafted.save(recipe)
    with pytest.raises(BadInput, match="this table is in memory"):
        pn.draft(people()).save(tmp_path / "x.toml")


def test_the_reasons_stand_in_the_recipe(census: pn.Draft) -> None:
    text = census.toml("adult.csv")

    assert "# likely known to others; numbers: intervals of 5, 10, 20 and 40\n[attributes.age]\n" in text
    assert "# - fnlwgt has 20,263 distinct values in 30,162 rows: an attacker who knows it finds the person." in text
    assert max(map(len, text.splitlines())) <= 120


def test_wide_tables_get_a_lattice_that_can_be_searched() -> None:
    wide = pa.table({f"c{i}": cells(range(i, i + i % 40 + 1)) for i in range(120)})
    drafted = pn.draft(wide)

    assert len(drafted.having("quasi-identifier")) == 12
    assert drafted.problem().lattice.size <= 300_000
    assert "left-out" in kinds(drafted)


@pytest.mark.parametrize(
    ("table", "error"),
    [
        (pa.table({"a": pa.array([], pa.string())}), EmptyTable),
        (pa.table({"id": list(range(99))}), Unattainable),
        (pa.table({"a": [None, None]}), Unattainable),
    ],
)
def test_where_there_is_nothing_to_draft_it_says_so(table: pa.Table, error: type[Exception]) -> None:
    with pytest.raises(error):
        pn.draft(table)


CELLS = st.one_of(
    st.none(),
    st.integers(-5, 200).map(str),
    st.text(max_size=4),
    st.dates().map(str),
    st.sampled_from(["?", "NA", "*"]),
)


@pytest.mark.slow
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(
    st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), min_size=1, max_size=3, unique=True),
    st.lists(st.tuples(CELLS, CELLS, CELLS), min_size=1, max_size=30),
)
def test_every_draft_runs_as_it_is(tmp_path: Path, names: list[str], rows: list[tuple[Any, Any, Any]]) -> None:
    table = pa.table({name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate(names)})
    try:
        drafted = pn.draft(table)
    except Unattainable:
        return
    recipe = tmp_path / "recipe.toml"
    recipe.unlink(missing_ok=True)
    drafted.save(recipe, source="unused.csv")
    written = pn.Recipe.read(recipe)

    assert drafted.problem().rows == len(rows)
    assert {name: section.role for name, section in written.attributes.items()} == {
        name: column.role for name, column in drafted.columns.items()
    }
    assert {name: written.hierarchy(name) for name in drafted.having("quasi-identifier")} == {
        name: drafted[name].hierarchy for name in drafted.having("quasi-identifier")
    }


@pytest.mark.parametrize(
    ("values", "sort"),
    [
        (["1", "2.5", "-3"], "numbers"),
        (["007", "012", "123"], "codes"),
        (["S100007", "S100014"], "codes"),
        (["J45.0", "I10"], "codes"),
        (["2024-01-31", "2023-02-01 08:00"], "dates"),
        (["20240131", "20230201"], "dates"),
        (["31/12/2024", "01/11/2023"], "dates"),
        (["12/31/2024", "11/21/2023"], "dates"),
        (["08:30", "23:15:59"], "times"),
        (["red", "blue"], "text"),
        (["red", "1"], "text"),
        ([], "no values"),
    ],
)
def test_kinds_are_recognized(values: list[str], sort: str) -> None:
    assert recognize(values).sort == sort


def test_dates_that_could_be_read_both_ways_are_doubtful() -> None:
    assert recognize(["01/02/2024", "03/04/2024"]).is_ambiguous
    assert not recognize(["01/02/2024", "13/04/2024"]).is_ambiguous
    assert recognize(["12/31/2024"]).format == "%m/%d/%Y"


@pytest.mark.parametrize(
    ("values", "tokens"),
    [
        (["?", "a", "b"], ("?",)),
        (["N/A", "a"], ("N/A",)),
        (["NA", "US", "DE"], ()),
        (["NA", "clerk", "cook"], ("NA",)),
        (["None", "mild", "severe"], ()),
        (["None", "1", "2"], ("None",)),
        (["-", "12", "14"], ("-",)),
        ([1, 2], ()),
    ],
)
def test_tokens_are_told_from_values(values: list[object], tokens: tuple[str, ...]) -> None:
    assert missing_tokens(values) == tokens


def test_any_text_can_be_written_as_toml() -> None:
    assert to_key("a-b_1") == "a-b_1"
    assert to_key("a b") == '"a b"'
    assert to_toml('a"\\\n\U0001f600\x00') == '"a\\"\\\\\\u000a\U0001f600\\u0000"'
