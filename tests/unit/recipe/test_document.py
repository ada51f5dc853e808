"""A recipe is read as it is written, and all its faults are reported at once, each with its place."""

from pathlib import Path

import pytest

from paranym.errors import ParanymError, RecipeFault, SeveralFaults
from paranym.model.schema import Role
from paranym.recipe import Recipe

DATA = '[data]\nsource = "people.csv"\n'
AGE = '[attributes.age]\nrole = "quasi-identifier"\n'
SOUND = DATA + AGE


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "recipe.toml"


def faults(file: Path, text: str) -> list[str]:
    """What is said about a recipe, line by line, without the name of the file."""
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ParanymError) as caught:
        Recipe.read(file)
    several = caught.value.faults if isinstance(caught.value, SeveralFaults) else (caught.value,)
    assert all(str(fault).startswith("recipe.toml: ") for fault in several)
    return [str(fault).removeprefix("recipe.toml: ") for fault in several]


def test_a_recipe_says_what_the_design_promises(file: Path) -> None:
    file.write_text(
        SOUND
        + 'hierarchy = "hierarchies/age.csv"\nweight = 2\n'
        + '[attributes.zip]\nrole = "quasi-identifier"\nhierarchy = { intervals = [5, 10] }\n'
        + '[attributes.income]\nrole = "label"\n[attributes.note]\n'
        + '[privacy]\nsuppression = 0.01\nsuppression_use = "all"\n[loss]\nmetric = "dcn"\n',
        encoding="utf-8",
    )

    recipe = Recipe.read(file)

    assert recipe.path(str(recipe.data.source)) == file.parent / "people.csv"
    assert recipe.hierarchy("age") == file.parent / "hierarchies" / "age.csv"
    assert recipe.hierarchy("zip") == {"intervals": [5, 10]}
    assert [(attribute.name, attribute.role, attribute.weight) for attribute in recipe.roles.attributes] == [
        ("age", Role.QUASI_IDENTIFIER, 2.0),
        ("zip", Role.QUASI_IDENTIFIER, 1.0),
        ("income", Role.LABEL, 1.0),
    ]
    assert (recipe.privacy.suppression, recipe.privacy.suppression_use, recipe.loss.metric) == (0.01, "all", "dcn")


def test_what_is_not_written_has_a_default(file: Path) -> None:
    file.write_text(SOUND, encoding="utf-8")

    recipe = Recipe.read(file)

    assert (recipe.privacy.suppression, recipe.privacy.suppression_rows) == (None, None)
    assert (recipe.privacy.suppression_use, recipe.loss.metric, recipe.data.missing) == ("needed", "glm", [])
    assert recipe.hierarchy("age") is None


def test_a_byte_order_mark_does_no_harm(file: Path) -> None:
    file.write_text(SOUND, encoding="utf-8-sig")

    assert Recipe.read(str(file)).roles.names == ("age",)


@pytest.mark.parametrize("name", ["a b", "a.b", "", 'say "a"', "größe", "select", "c0", "a\nb"])
def test_columns_may_have_any_name(name: str) -> None:
    recipe = Recipe.parse({"data": {"source": "x.csv"}, "attributes": {name: {"role": "quasi-identifier"}}})

    assert recipe.roles.names == (name,)


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        pytest.param("", "data: is required and missing", id="empty"),
        pytest.param(AGE, "data: is required and missing", id="no data"),
        pytest.param(DATA, "attributes: is required and missing", id="no attributes"),
        pytest.param("[data]\n" + AGE, "data: source is required and missing", id="no source"),
        pytest.param(DATA + "[attributes]\n", "attributes: no column has the role 'quasi-identifier'", id="no role"),
        pytest.param(
            DATA + '[attributes.age]\nrole = "other"\n',
            "attributes: no column has the role 'quasi-identifier'",
            id="no quasi-identifier",
        ),
        pytest.param(
            SOUND + "wieght = 2\n",
            "attributes.age.wieght: unknown key; known here are role, hierarchy, weight, numeric. "
            "Did you mean 'weight'?",
            id="unknown key",
        ),
        pytest.param(
            SOUND + "[privcy]\n",
            "privcy: unknown key; known here are data, attributes, privacy, loss, evolution, local, choice, output, "
            "gate. Did you mean 'privacy'?",
            id="unknown section",
        ),
        pytest.param(
            DATA + 'seperator = ";"\n' + AGE,
            "data.seperator: unknown key; known here are source, table, views, engine, master, memory, separator, "
            "quote, encoding, missing, person. "
            "Did you mean 'separator'?",
            id="unknown key of data",
        ),
        pytest.param(
            DATA + '[attributes.age]\nrole = "quasi_identifier"\n',
            "attributes.age.role: should be 'identifier', 'quasi-identifier', 'sensitive', 'label', 'keep' or 'drop'; "
            "got 'quasi_identifier'. Did you mean 'quasi-identifier'?",
            id="unknown role",
        ),
        pytest.param(
            SOUND + '[loss]\nmetric = "gml"\n',
            "loss.metric: should be 'glm', 'dcn', 'ce', 'ncp', 'average-class-size', 'c-avg', 'precision', 'height' "
            "or 'entropy'; got 'gml'. Did you mean 'glm'?",
            id="unknown metric",
        ),
        pytest.param(
            DATA + '[attributes]\nage = "quasi-identifier"\n',
            "attributes.age: should be a table, as in [attributes.age]; got 'quasi-identifier'",
            id="no table",
        ),
        pytest.param(
            SOUND + "hierarchy = 5\n",
            "attributes.age.hierarchy: should be a file name or an inline table; got 5",
            id="no hierarchy",
        ),
        pytest.param(SOUND + "weight = 0\n", "attributes.age.weight: should be greater than 0; got 0", id="no weight"),
        pytest.param(
            SOUND + "weight = -1.5\n", "attributes.age.weight: should be greater than 0; got -1.5", id="negative weight"
        ),
        pytest.param(
            SOUND + "weight = nan\n", "attributes.age.weight: should be a finite number; got nan", id="nan weight"
        ),
        pytest.param(
            SOUND + "weight = inf\n", "attributes.age.weight: should be a finite number; got inf", id="infinite weight"
        ),
        pytest.param(
            SOUND + 'weight = "2"\n', "attributes.age.weight: should be a valid number; got '2'", id="text for weight"
        ),
        pytest.param(
            SOUND + "[attributes.zip]\nweight = 2\n",
            "attributes.zip: only a quasi-identifier has a weight; the role is missing",
            id="weight of another role",
        ),
        pytest.param(
            SOUND + '[attributes.zip]\nhierarchy = "zip.csv"\n',
            "attributes.zip: only a quasi-identifier has a hierarchy; the role is missing",
            id="hierarchy of another role",
        ),
        pytest.param(
            SOUND + "[privacy]\nk = 0\n",
            "privacy.k: should be greater than or equal to 1; got 0",
            id="k of nothing",
        ),
        pytest.param(
            SOUND + '[privacy]\nl = { value = 2, sort = "entropy" }\n',
            "privacy.l.0.sort: unknown key; known here are value, attribute, kind, c.",
            id="unknown key of a demand",
        ),
        pytest.param(
            SOUND + "[attributes.zip]\nnumeric = false\n",
            "attributes.zip: only a quasi-identifier says whether it is numeric; the role is missing",
            id="categories of another role",
        ),
        pytest.param(
            SOUND + "[privacy]\nsuppression = -0.1\n",
            "privacy.suppression: should be greater than or equal to 0; got -0.1",
            id="negative share",
        ),
        pytest.param(
            SOUND + "[privacy]\nsuppression = 5\n",
            "privacy.suppression: should be less than or equal to 1; got 5",
            id="percent for share",
        ),
        pytest.param(
            SOUND + '[privacy]\nsuppression = "1%"\n',
            "privacy.suppression: should be a valid number; got '1%'",
            id="text for share",
        ),
        pytest.param(
            SOUND + "[privacy]\nsuppression_rows = -1\n",
            "privacy.suppression_rows: should be greater than or equal to 0; got -1",
            id="negative count",
        ),
        pytest.param(
            SOUND + "[privacy]\nsuppression_rows = 0.5\n",
            "privacy.suppression_rows: should be a valid integer; got 0.5",
            id="share for count",
        ),
        pytest.param(
            SOUND + "[privacy]\nsuppression = 0.1\nsuppression_rows = 5\n",
            "privacy: give either suppression (a share) or suppression_rows (a count), not both",
            id="both limits",
        ),
        pytest.param(
            SOUND + '[privacy]\nsuppression_use = "some"\n',
            "privacy.suppression_use: should be 'needed' or 'all'; got 'some'.",
            id="unknown use",
        ),
        pytest.param(
            SOUND + '[loss]\nmetric = "ce"\n', "loss.metric: 'ce' needs a column with the role 'label'", id="no label"
        ),
        pytest.param(
            SOUND + '[attributes.x]\nrole = "label"\n[attributes.y]\nrole = "label"\n',
            "attributes: only one column can be the label; got x, y",
            id="two labels",
        ),
        pytest.param(
            DATA + 'separator = "||"\n' + AGE,
            "data.separator: should have at most 1 character; got '||'",
            id="long separator",
        ),
        pytest.param(
            DATA + 'missing = "?"\n' + AGE, "data.missing: should be a valid list; got '?'", id="text for tokens"
        ),
        pytest.param(
            SOUND + '[attributes.str]\nrole = "quasi-identifier"\nweight = 0\n',
            "attributes.str.weight: should be greater than 0; got 0",
            id="column named like a type",
        ),
        pytest.param(
            SOUND + '[attributes."a.b"]\nrole = "quasi-identifier"\nweight = 0\n',
            'attributes."a.b".weight: should be greater than 0; got 0',
            id="column with a dot",
        ),
        pytest.param(
            "[data\n",
            "is no valid TOML: Expected ']' at the end of a table declaration (at line 1, column 6).",
            id="bad TOML",
        ),
        pytest.param(
            SOUND + AGE,
            "is no valid TOML: Cannot declare ('attributes', 'age') twice (at line 5, column 16).",
            id="twice",
        ),
    ],
)
def test_a_fault_is_reported_with_its_place(file: Path, text: str, fault: str) -> None:
    assert faults(file, text)[0] == fault


def test_not_a_number_is_no_share(file: Path) -> None:
    assert "privacy.suppression: should be" in faults(file, SOUND + "[privacy]\nsuppression = nan\n")[0]


def test_all_faults_are_reported_at_once(file: Path) -> None:
    text = (
        DATA
        + 'seperator = ";"\n'
        + '[attributes.age]\nrole = "sensitive"\nweigth = 2\n'
        + '[privacy]\nsuppression = 2.0\n[loss]\nmetric = "ce"\n'
    )

    assert [fault.split(":")[0] for fault in faults(file, text)] == [
        "data.seperator",
        "attributes.age.weigth",
        "privacy.suppression",
        "attributes",
        "loss.metric",
    ]


def test_a_misspelt_role_is_not_also_reported_as_missing(file: Path) -> None:
    text = DATA + '[attributes.age]\nrole = "quasi"\n[attributes.x]\nrole = "lable"\n[loss]\nmetric = "ce"\n'

    assert [fault.split(":")[0] for fault in faults(file, text)] == ["attributes.age.role", "attributes.x.role"]


def test_a_recipe_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(RecipeFault, match=r"gone\.toml: cannot be read: No such file or directory\.$"):
        Recipe.read(tmp_path / "gone.toml")


def test_a_folder_is_no_recipe(tmp_path: Path) -> None:
    with pytest.raises(RecipeFault, match="cannot be read"):
        Recipe.read(tmp_path)


def test_a_recipe_is_written_in_utf_8(file: Path) -> None:
    file.write_bytes((SOUND + "# größe\n").encode("cp1252"))

    with pytest.raises(RecipeFault, match=r"^recipe\.toml: is not written in UTF-8\.$"):
        Recipe.read(file)
