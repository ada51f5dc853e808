"""Hierarchies as trees: what is repeated is drawn once, what is long is cut short, what is odd stays on its line."""

from paranym.model.drawing import draw
from paranym.model.hierarchy import Hierarchy


def tree(rows: list[list[str | None]]) -> Hierarchy:
    return Hierarchy.from_rows(rows, attribute="x")


def test_levels_become_branches() -> None:
    hierarchy = tree([["1", "odd", "number", "*"], ["3", "odd", "number", "*"], ["a", "a", "letter", "*"]])

    assert str(hierarchy) == "*\n├─ number\n│  └─ odd: 1, 3\n└─ letter: a"


def test_a_value_that_stays_the_same_is_drawn_once() -> None:
    assert str(tree([["a", "a", "a", "*"], ["b", "b", "b", "*"]])) == "*: a, b"


def test_missing_values_and_line_breaks_are_shown_on_one_line() -> None:
    assert str(tree([["a\nb", "*"], [None, "*"]])) == "*: 'a\\nb', (missing)"


def test_long_lists_are_cut_short() -> None:
    many = tree([[f"value {i}", f"group {i % 30}", "*"] for i in range(3000)])
    drawn = draw(many, width=60)

    assert max(map(len, drawn.splitlines())) <= 60
    assert drawn.splitlines()[-1] == "└─ … and 19 more"
    assert "group 0: value 0, value 30, value 60 and 97 more" in drawn


def test_of_large_trees_the_finest_values_are_not_drawn() -> None:
    deep = tree([[f"{i}", f"{i // 2} a", f"{i // 8} b", f"{i // 64} c", "*"] for i in range(192)])

    assert draw(deep, width=40, most_lines=10).splitlines() == [
        "*",
        "├─ 0 c: 0 b, 1 b and 6 more",
        "├─ 1 c: 8 b, 9 b and 6 more",
        "└─ 2 c: 16 b, 17 b and 6 more",
        "… finer values are not drawn",
    ]
    assert "finer" not in draw(deep, most_lines=1000)


def test_a_notebook_gets_lists_that_open_and_close() -> None:
    page = tree([["<b>", "x & y", "*"], ["c", "x & y", "*"], ["d", "z", "*"]])._repr_html_()

    assert "<details open><summary>*</summary>" in page
    assert "x &amp; y: &lt;b&gt;, c" in page
    assert "values per level 3 → 2 → 1" in page
