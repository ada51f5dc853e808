"""Tables as they come: each draft runs through the search unedited, and is one that a practitioner would accept."""

import subprocess
import sys
from pathlib import Path

import pytest

import paranym as pn


def run_through(draft: pn.Draft, folder: Path) -> pn.Front:
    """The front of a draft as it was saved."""
    draft.save(folder / "recipe.toml")
    return pn.frontier(pn.Problem.from_recipe(folder / "recipe.toml"))


@pytest.mark.parametrize("table", ["adult_30162.csv", "adult_raw_48842.csv"])
def test_adult(shared: Path, tmp_path: Path, table: str) -> None:
    draft = pn.draft(shared / "data" / table)

    assert draft["age"].hierarchy == {"intervals": [5, 10, 20, 40]}
    assert (draft["sex"].hierarchy, draft["race"].hierarchy) == (None, None)
    assert draft["fnlwgt"].role == draft["education-num"].role == "drop"
    assert draft.missing == (("?",) if "raw" in table else ())
    assert run_through(draft, tmp_path).complete


def test_fars(shared: Path, tmp_path: Path) -> None:
    draft = pn.draft(shared / "data" / "fars" / "fars_10093.csv")

    assert draft["iage"].hierarchy == {"intervals": [5, 10, 20, 40]}
    assert draft["iinjury"].role == "sensitive"
    assert isinstance(draft["istatenum"].hierarchy, dict)
    assert set(draft["istatenum"].hierarchy["tree"]) == {"Northeast", "Midwest", "South", "West"}
    assert run_through(draft, tmp_path).complete


def test_sales(shared: Path, tmp_path: Path) -> None:
    table = tmp_path / "sales.parquet"
    subprocess.run([sys.executable, shared / "tools" / "make_landsend.py", "20000", table], check=True)
    draft = pn.draft(table)

    assert draft["zipcode"].hierarchy == {"prefix": [4, 3, 2, 1]}
    assert draft["order_date"].hierarchy == {"dates": ["month", "quarter"]}
    assert draft["gender"].hierarchy is None
    assert draft["quantity"].role == "keep"
    assert isinstance(draft["price"].hierarchy, dict)
    assert "intervals" in draft["price"].hierarchy
    assert run_through(draft, tmp_path).complete


@pytest.mark.parametrize(
    "text",
    [
        "age\n31\n",
        "a,b,c\n1,,3\n1,,3\n",
        '"a b","x.y","","say ""hi""","größe","a\nb"\n'
        + "".join(f"{i % 3},{i % 4},,{i},{i % 7},z\n" for i in range(50)),
        'city,note\n"New ""York"", x","line\nbreak"\n"Ely","*"\n',
        "day\n" + "".join(f"{1 + i % 28}/{1 + i % 12}/1899\n" for i in range(60)),
        "n\n" + "".join(f"{10**i}\n-{10**i}.5\n" for i in range(30)),
        "same,other\n" + "x,y\n" * 5,
        "*,NULL\n*,null\nother,(missing)\n",
    ],
    ids=["one row", "all missing", "odd names", "quotes", "dates as text", "extreme", "constant", "stars"],
)
def test_nasty_tables(tmp_path: Path, text: str) -> None:
    (tmp_path / "table.csv").write_text(text, encoding="utf-8")

    assert run_through(pn.draft(tmp_path / "table.csv"), tmp_path).complete


def test_a_thousand_columns(tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(1000)]
    lines = [",".join(str((i * 7 + row * (i + 3)) % (i % 30 + 2)) for i in range(1000)) for row in range(40)]
    (tmp_path / "table.csv").write_text("\n".join([",".join(names), *lines]) + "\n", encoding="utf-8")
    draft = pn.draft(tmp_path / "table.csv")

    assert len(draft.having("quasi-identifier")) == 12
    assert run_through(draft, tmp_path).complete
