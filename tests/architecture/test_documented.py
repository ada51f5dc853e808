"""What a recipe takes and a result holds is documented."""

from pathlib import Path

import pyarrow as pa
import pytest
from pydantic import BaseModel

import paranym as pn
from paranym.datasets import adult
from paranym.measures.loss import LOSSES
from paranym.recipe import (
    AttributeSection,
    ChoiceSection,
    DataSection,
    GateSection,
    LossSection,
    OutputSection,
    PrivacySection,
)
from paranym.recipe.inline import TABLES, CodingTable
from paranym.report.gathering import account_of

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "recipe.md").read_text(encoding="utf-8")
HIERARCHIES = (DOCS / "hierarchies.md").read_text(encoding="utf-8")
INLINE: list[type[BaseModel]] = [CodingTable, *TABLES.values()]
INLINE_KEYS = sorted({key for table in INLINE for key in table.model_fields})
RELEASES = (DOCS / "release.md").read_text(encoding="utf-8")
KEYS = sorted(
    {
        key
        for section in (
            DataSection,
            AttributeSection,
            PrivacySection,
            LossSection,
            ChoiceSection,
            OutputSection,
            GateSection,
        )
        for key in (PrivacySection.keys() if section is PrivacySection else section.model_fields)
    }
)
REPORTS = (DOCS / "report.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("key", KEYS)
def test_every_key_of_a_recipe_is_documented(key: str) -> None:
    assert f"`{key}`" in PAGE


@pytest.mark.parametrize("key", INLINE_KEYS)
def test_every_key_of_an_inline_hierarchy_is_documented(key: str) -> None:
    assert f"`{key}`" in HIERARCHIES


def test_every_key_of_a_draft_is_documented() -> None:
    draft = pn.draft(adult().parent / "adult.csv").as_dict()

    assert [
        key for part in (draft, draft["columns"][0], draft["warnings"][0]) for key in part if f"`{key}`" not in PAGE
    ] == []


def test_every_key_of_a_report_is_documented() -> None:
    people = pa.table({"age": [31, 34, 38, 90], "sex": ["F", "F", "F", "M"]})
    problem = pn.Problem(people, quasi_identifiers={"age": {"intervals": [10]}, "sex": None}, suppression_rows=1)
    told = account_of(problem, pn.frontier(problem), point=pn.point_at(problem, {"age": 1}, 3)).as_dict()

    parts = (told, told["published"][0], told["queries"], told["left_out"][0], told["left_out"][0]["groups"][0])
    assert [key for part in parts for key in part if f"`{key}`" not in REPORTS] == []


@pytest.mark.parametrize("metric", LOSSES)
def test_every_loss_is_documented(metric: str) -> None:
    assert f"`{metric}`" in PAGE


def test_every_key_of_a_result_is_documented() -> None:
    result = next(pn.approach(pn.Problem.from_recipe(adult()))).as_dict()

    assert [key for key in (*result, *result["points"][0]) if f"`{key}`" not in PAGE] == []


def test_every_key_of_generalizations_is_documented() -> None:
    found = pn.generalize(pn.Problem.from_recipe(adult()), k=5, algorithm="datafly").as_dict()

    assert [key for part in (found, found["best"]) for key in part if f"`{key}`" not in PAGE] == []


def test_every_key_of_an_answer_is_documented() -> None:
    front = pn.frontier(pn.Problem.from_recipe(adult()))
    answer, overview = pn.ask(front, max_loss=0.25).as_dict(), pn.describe(front).as_dict()
    nested = [answer["question"], answer["better"], overview["flat"][0], overview["knee"]]

    assert [key for part in (answer, overview, *nested) for key in part if f"`{key}`" not in PAGE] == []


def test_every_key_of_a_manifest_is_documented(tmp_path: Path) -> None:
    problem = pn.Problem.from_recipe(adult())
    manifest = dict(pn.release(problem, pn.point_at(problem, {"age": 6}), tmp_path / "out.csv").manifest or {})
    nested = [manifest[part] for part in ("release", "data", "assessment", "verification", "gate")]
    checks = manifest["verification"]["checks"]
    verdict = pn.apply(tmp_path / "out.csv.recoding.json", adult().parent / "adult.csv").judgement.as_dict()

    documents = (manifest, *nested, *checks, verdict)
    assert [key for document in documents for key in document if f"`{key}`" not in RELEASES] == []


@pytest.mark.parametrize("case", ["delta-disclosure", "entropy-l", "ten decimals", "Brickell and Shmatikov"])
def test_what_is_defined_otherwise_than_in_arx_is_documented(case: str) -> None:
    page = (DOCS / "privacy.md").read_text(encoding="utf-8")
    section = page.partition("## Where our definitions differ from those of ARX")[2].partition("\n## ")[0]

    assert case in section


@pytest.mark.parametrize("page", ["README.md", "docs/definitions.md", "docs/tutorial.md", "docs/gallery.md"])
def test_what_is_called_complete_is_said_to_be_so_for_one_level_per_column(page: str) -> None:
    text = (DOCS.parent / page).read_text(encoding="utf-8")

    assert "Nothing does better:" not in text
    assert "one level per column" in text.replace("\n", " ")
