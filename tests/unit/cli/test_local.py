"""The commands `local`, `bound` and `compare`, as a user runs them."""

import itertools
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from paranym.cli.app import main
from paranym.results.bound import LowerBound
from paranym.solve import bounds
from paranym.wording.numbers import counted

RECIPE = """
[data]
source = "people.csv"

[attributes.age]
role = "quasi-identifier"
hierarchy = { intervals = [5, 10] }

[attributes.sex]
role = "quasi-identifier"

[privacy]
suppression = 0.2
"""


@pytest.fixture
def recipe(tmp_path: Path) -> Path:
    ages = [24, 25, 30, 30, 32, 32, 47, 48, 51, 52]
    rows = "".join(f"{age},{sex}\n" for age, sex in zip(ages, "FMFFMMFMFM", strict=True))
    (tmp_path / "people.csv").write_text(f"age,sex\n{rows}", encoding="utf-8")
    path = tmp_path / "recipe.toml"
    path.write_text(RECIPE, encoding="utf-8")
    return path


@pytest.mark.parametrize("method", ["best", "top-down", "bottom-up", "mondrian", "mondrian-relaxed"])
def test_local_tells_what_is_lost(recipe: Path, method: str, capsys: pytest.CaptureFixture[str]) -> None:
    target = recipe.with_name("local.json")
    main(["local", str(recipe), "--k", "3", "--method", method, "--queries", "20", "--json", str(target)])
    said, found = capsys.readouterr().out, json.loads(target.read_text(encoding="utf-8"))

    assert "age" in said
    gone = found["suppressed"]
    assert f"{10 - gone} rows in {found['classes']} equivalence class" in " ".join(said.split())
    assert (f"{counted(gone, 'row')} suppressed." if gone else "no rows suppressed.") in " ".join(said.split())
    assert gone <= 2
    assert found["k"] >= 3
    assert found["rows"] == 10
    assert found["count_queries"]["queries"] == 20
    assert set(found["labels"]) == {"age", "sex"}
    assert (found["method"], found["refine"], found["seconds_limit"]) == (method, 6, None)


def test_refinement_is_limited_on_request(recipe: Path) -> None:
    target = recipe.with_name("local.json")
    main(["local", str(recipe), "--k", "3", "--refine", "0", "--seconds", "2.5", "--json", str(target), "--quiet"])
    found = json.loads(target.read_text(encoding="utf-8"))

    assert (found["method"], found["refine"], found["seconds_limit"]) == ("best", 0, 2.5)


def test_local_refuses_what_cannot_be_had(recipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["local", str(recipe), "--k", "11"])
    assert stopped.value.code == 1
    assert "has 10 rows" in capsys.readouterr().err
    with pytest.raises(SystemExit) as stopped:
        main(["local", str(recipe), "--method", "mondrian", "--rounds", "2"])
    assert stopped.value.code == 2


def test_local_releases_what_it_found(
    recipe: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    target, told = recipe.with_name("out.csv"), recipe.with_name("local.json")
    method = ["--method", "top-down", "--refine", "0"]  # refined, no group has an outlier
    main(["local", str(recipe), "--k", "3", *method, "--out", str(target), "--json", str(told), "--style", "set"])
    said, found = capsys.readouterr().out, json.loads(told.read_text(encoding="utf-8"))

    assert "is written and verified: it is k-anonymous with k = 3" in said
    assert "1 of 10 rows (10.0%) is suppressed." in said
    assert found["suppressed"] == found["manifest"]["assessment"]["suppressed"] == 1
    assert found["manifest"]["chosen"]["style"] == "set"
    assert found["manifest"]["model"]["k"] == found["k"] == 3
    main(["verify", str(target)])
    assert "BROKEN" not in capsys.readouterr().out
    classes = Counter(target.read_text(encoding="utf-8").splitlines()[1:])
    assert classes.total() == 9
    assert min(classes.values()) >= 3
    with pytest.raises(SystemExit) as stopped:
        main(["local", str(recipe), "--overwrite"])
    assert stopped.value.code == 2
    assert "--out" in capsys.readouterr().err


def test_compare_sets_models_side_by_side(recipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target, plot = recipe.with_name("compare.json"), recipe.with_name("compare.svg")
    main(["compare", str(recipe), "--k", "2,5,50", "--json", str(target), "--plot", str(plot)])
    said, found = capsys.readouterr().out, json.loads(target.read_text(encoding="utf-8"))

    assert "Least NCP:" in said
    assert "No model achieves k = 50." in said
    assert plot.read_text(encoding="utf-8").startswith("<svg")
    candidates = found["candidates"]
    assert {(each["asked_k"], each["model"]) for each in candidates} == {
        (k, model) for k in (2, 5) for model in ("full-domain", "cuts", "mondrian", "best")
    }  # nothing has k = 50
    assert all(each["k"] >= each["asked_k"] for each in candidates)
    assert {each["model"] for each in candidates if "levels" in each} == {"full-domain"}
    assert {each["model"] for each in candidates if "cuts" in each} == {"cuts"}
    ks = [each["k"] for each in found["points"]]
    assert ks == sorted(set(ks), reverse=True)
    losses = [each["loss_fraction"] for each in found["points"]]
    assert losses == sorted(losses, reverse=True)
    assert all(each in candidates for each in found["points"])


def test_compare_leaves_out_a_model_that_cannot_run_and_says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    recipe = tmp_path / "recipe.toml"
    numbers = "".join(f"{number},{number % 3}\n" for number in range(2049))
    (tmp_path / "people.csv").write_text(f"number,sex\n{numbers}", encoding="utf-8")
    recipe.write_text(
        '[data]\nsource = "people.csv"\n[attributes.sex]\nrole = "quasi-identifier"\n'
        '[attributes.number]\nrole = "quasi-identifier"\nhierarchy = { intervals = [10, 100, 1000] }\n',
        encoding="utf-8",
    )

    main(["compare", str(recipe), "--k", "5", "--models", "full-domain,cuts,mondrian", "--json", str(tmp_path / "c")])
    said, found = " ".join(capsys.readouterr().out.split()), json.loads((tmp_path / "c").read_text(encoding="utf-8"))

    assert {each["model"] for each in found["candidates"]} == {"full-domain", "mondrian"}
    assert "Skipped: cuts. 'number' has 2,049 values to tell apart" in said
    assert "--granularity number=LEVEL" in said
    assert list(found["skipped"]) == ["cuts"]

    main(["compare", str(recipe), "--k", "5", "--models", "cuts", "--granularity", "number=1", "--json", "-"])
    found = json.loads(capsys.readouterr().out)
    assert [each["model"] for each in found["candidates"]] == ["cuts"]
    assert found["skipped"] == {}


@pytest.mark.parametrize("model", ["full-domain", "cuts", "mondrian"])
def test_any_point_of_a_comparison_can_be_released(
    recipe: Path, model: str, capsys: pytest.CaptureFixture[str]
) -> None:
    target, told = recipe.with_name("out.parquet"), recipe.with_name("compare.json")
    asked = ["compare", str(recipe), "--k", "3,5", "--models", model, "--json", str(told)]
    main([*asked, "--release", f"{model}:3", "--out", str(target)])
    said = " ".join(capsys.readouterr().out.split())
    manifest = json.loads(target.with_name("out.parquet.manifest.json").read_text(encoding="utf-8"))
    [point] = [each for each in json.loads(told.read_text(encoding="utf-8"))["candidates"] if each["asked_k"] == 3]

    assert "written and verified" in said
    assert manifest["assessment"]["k"] == point["k"] >= 3
    assert manifest["assessment"]["loss"] == pytest.approx(point["loss"])
    assert manifest["chosen"] == {"model": model, "k": 3, "seed": 0}


@pytest.mark.parametrize(
    ("asked", "code"),
    [
        (["--k", "2,x"], 2),
        (["--models", "topdown"], 2),
        (["--k", "99"], 1),
        (["--k", ""], 2),
        (["--release", "mondrian:2"], 2),
        (["--out", "out.csv"], 2),
        (["--release", "mondrian", "--out", "out.csv"], 2),
        (["--k", "2", "--models", "mondrian", "--release", "mondrian:3", "--out", "out.csv"], 2),
    ],
)
def test_compare_refuses_what_makes_no_sense(recipe: Path, asked: list[str], code: int) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["compare", str(recipe), *asked])
    assert stopped.value.code == code


def test_several_k_give_a_front(recipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = recipe.with_name("local.json")
    main(["local", str(recipe), "--k", "2-4,6", "--no-suppress", "--json", str(target)])
    found = json.loads(target.read_text(encoding="utf-8"))

    assert (found["model"], [point["asked_k"] for point in found["points"]]) == ("local", [2, 3, 4, 6])
    assert all(point["k"] >= point["asked_k"] for point in found["points"])
    losses = [point["ncp"] for point in found["points"]]
    assert losses == sorted(losses)
    assert len(capsys.readouterr().out.splitlines()) == 5
    for wrong in (["--k", "4-2"], ["--k", "x"], ["--k", "2,3", "--queries", "5"]):
        with pytest.raises(SystemExit) as stopped:
            main(["local", str(recipe), *wrong])
        assert stopped.value.code == 2


def test_bound_says_what_no_recoding_can_beat(recipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = recipe.with_name("bound.json")
    main(["bound", str(recipe), "--k", "2,3", "--check", "--json", str(target)])
    said, found = capsys.readouterr().out, json.loads(target.read_text(encoding="utf-8"))
    main(["local", str(recipe), "--k", "3", "--json", str(target), "--quiet"])
    local = json.loads(target.read_text(encoding="utf-8"))

    assert "Checked: no box of the table violates a bound." in " ".join(said.split())
    assert [each["k"] for each in found["bounds"]] == [2, 3]
    assert found["checked"] is True
    assert 0 < found["bounds"][0]["bound"] <= found["bounds"][1]["bound"] <= local["ncp"]
    assert "values" not in found["bounds"][0]


def test_bound_writes_its_certificate_on_request(recipe: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["bound", str(recipe), "--k", "3", "--json", "-", "--certificate"])
    [found] = json.loads(capsys.readouterr().out)["bounds"]

    assert len(found["values"]) == 8  # two of the ten people are like others
    assert 0 < max(found["values"]) <= found["scale"]


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--k", "x"], 2, "--k takes whole numbers"),
        (["--k", ","], 2, "at least one"),
        (["--k", "11"], 1, "has 10 rows"),
        (["--certificate"], 2, "--json FILE"),
        (["--seconds", "-1"], 2, "seconds is a positive number"),
    ],
)
def test_bound_refuses_what_cannot_be_had(
    recipe: Path, options: list[str], code: int, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["bound", str(recipe), *options])
    assert stopped.value.code == code
    assert message in " ".join(capsys.readouterr().err.split())


def test_an_interrupted_bound_keeps_what_it_has(
    recipe: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = bounds.bounds_so_far

    def interrupted(*given: object, **options: object) -> Iterator[LowerBound]:
        steps = whole(*given, **options)  # type: ignore[arg-type]
        yield from itertools.islice(steps, 2)
        raise KeyboardInterrupt

    monkeypatch.setattr(bounds, "bounds_so_far", interrupted)
    main(["bound", str(recipe), "--k", "3", "--json", "-"])
    printed = capsys.readouterr()
    [found] = json.loads(printed.out)["bounds"]

    assert found["passes"] == 1
    assert found["bound"] > 0
    assert "Stopped early" in printed.err
