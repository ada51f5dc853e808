"""The examples of `docs/extending.md` live outside the package: they run as they stand, and as an installed package."""

import contextlib
import io
import re
import sqlite3
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import paranym as pn
from installing import install
from paranym.errors import BadInput, ParanymError

PAGE = (Path(__file__).parents[2] / "docs" / "extending.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
PEOPLE = pa.table({"age": [31, 34, 38, 52], "sex": ["F", "M", "F", "M"], "illness": ["flu", "cold", "flu", "cold"]})


def test_every_example_prints_what_the_page_says() -> None:
    names: dict[str, Any] = {}
    printed = ""
    said = 0
    for kind, text in BLOCKS:
        if kind == "python" and not text.startswith(">>>"):  # doctests run by themselves
            with contextlib.redirect_stdout(io.StringIO()) as output:
                exec(compile(text, "extending.md", "exec"), names)  # noqa: S102 - our own page
            printed = output.getvalue()
        elif kind == "text":
            assert printed == text
            said += 1

    assert said == 4


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The definitions of the page as a package, with the entry points of the page."""
    parts = [text for kind, text in BLOCKS if kind == "python" and re.search("^(class|def) ", text, re.MULTILINE)]
    definitions = [text for text in parts if "check_" not in text]
    [entry_points] = [text for kind, text in BLOCKS if kind == "toml"]
    groups = dict(re.findall(r'entry-points\."(.*?)"\]\n(.*?)\n(?=\n|\Z)', entry_points + "\n", re.DOTALL))
    source = "import pyarrow as pa\n" + "\n".join(definitions)
    assert len(groups) == 4
    plain = {group: lines.replace('"', "") for group, lines in groups.items()}
    install(tmp_path, monkeypatch, source, plain, name="my_package")
    return tmp_path


def test_installed_losses_and_models_are_found_by_name(installed: Path) -> None:
    problem = pn.Problem(
        PEOPLE, quasi_identifiers=["age", "sex"], sensitive=["illness"], metric="rows-lost", privacy={"others": 1}
    )

    assert (problem.loss.name, problem.demands.requirements[0].model.name) == ("rows-lost", "others")
    assert pn.frontier(problem, method="by-rank").method == "by-rank"
    released = pn.release(problem, pn.frontier(problem)[0], installed / "out.csv", undeclared="drop")
    assert released.verification.holds
    assert pn.verify_release(installed / "out.csv").holds


def test_a_recipe_names_what_is_installed(installed: Path) -> None:
    with contextlib.closing(sqlite3.connect(installed / "people.db")) as connection, connection:
        connection.execute("CREATE TABLE folk (age, sex, illness)")
        connection.executemany("INSERT INTO folk VALUES (?, ?, ?)", zip(*PEOPLE.to_pydict().values(), strict=True))
    recipe = installed / "recipe.toml"
    recipe.write_text(
        f'[data]\nsource = "sqlite://{installed}/people.db"\ntable = "folk"\n'
        '[attributes.age]\nrole = "quasi-identifier"\n[attributes.sex]\nrole = "quasi-identifier"\n'
        '[attributes.illness]\nrole = "sensitive"\n[privacy]\nothers = 1\n[loss]\nmetric = "rows-lost"\n',
        encoding="utf-8",
    )

    problem = pn.Problem.from_recipe(recipe)

    assert (problem.rows, problem.loss.name) == (4, "rows-lost")
    assert str(problem.demands) == "rows with another value of 'illness' at least 1"


def test_a_recipe_may_not_name_another_machine_by_an_installed_engine(installed: Path) -> None:
    recipe = installed / "recipe.toml"
    recipe.write_text(
        '[data]\nsource = "sqlite://elsewhere.example.org/people.db"\ntable = "folk"\n'
        '[attributes.age]\nrole = "quasi-identifier"\n',
        encoding="utf-8",
    )

    with pytest.raises(ParanymError, match=r"elsewhere\.example\.org"):
        pn.Problem.from_recipe(recipe)


@pytest.mark.parametrize(
    ("source", "entry_points", "message"),
    [
        ("x = 1\n", {"paranym.losses": "rows = addon:x"}, "lacks name, title, facts, of, worst"),
        ("import nothing_of_that_name\n", {"paranym.losses": "rows = addon:x"}, "cannot be imported"),
        (
            "from paranym.measures.loss.dcn import Discernibility\nclass Own(Discernibility):\n    name = 'own'\n",
            {"paranym.losses": "rows = addon:Own"},
            "must have the name of what it loads, 'own'",
        ),
    ],
    ids=["no loss", "no module", "another name"],
)
def test_a_broken_entry_point_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, source: str, entry_points: dict[str, str], message: str
) -> None:
    install(tmp_path, monkeypatch, source, entry_points)

    with pytest.raises(BadInput, match=message):
        pn.Problem(PEOPLE, quasi_identifiers=["age"], metric="rows")


def test_a_built_in_name_never_loads_an_entry_point(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(tmp_path, monkeypatch, "raise SystemExit\n", {"paranym.losses": "glm = addon:x"})

    assert pn.Problem(PEOPLE, quasi_identifiers=["age"], metric="glm").loss.title == "general loss"
