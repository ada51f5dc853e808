"""Pages and docstrings use the words of the field, in plain English."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = ROOT / "src" / "paranym"
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    ROOT / "benchmarks" / "README.md",
    *sorted((ROOT / "docs").glob("*.md")),
]

FORBIDDEN = {
    r"no other one beats|\bbeaten\b": "Pareto-optimal, dominated",
    r"\balike\b": "indistinguishable; in an equivalence class",
    r"one of at least": "in an equivalence class of at least k rows",
    r"\bleft out\b": "suppressed (rows), dropped (columns)",
    r"in spite of all": "still",
    r"\braised\b": "generalized",
    r"\breached\b": "achieved",
    r"\bdemand(s|ed)?\b": "privacy requirement",
    r"\bpromise[sd]?\b": "guarantee, claim",
    r"(?<!normalized )certainty penalty": "normalized certainty penalty (NCP)",
    r"one of a kind": "unique record",
    r"\bstrangers\b": "unseen values",
    r"\bare hidden\b|people hidden": "protected",
    r"\ba board\b|those who have to agree": "reviewers (data protection officer, ethics board)",
    r"\bdear\b": "costs much information",
    r"\bwhoever\b": "you; a user who",
    r"\bso many\b": "this many",
    r"(?<!there )\bis none\b|\bis no quasi-identifier\b": "is not one",
    r"goes on on": "spills to",
    r"\btold\b|\btells\b": "reported, shows, reveals",
    r"\bafresh\b|\banew\b": "again",
    r"(^|[.|] )likewise[.|]| likewise \|": "a sentence that says it",
    r"\bfootholds?\b|\bstepping stones?\b": "materialized node",
    r"\byardstick\b": "measure",
}
"""Phrases of our own, as patterns, and the field's term for each."""

FIRST_SCREEN = ["k-anonymity", "Pareto front", "information loss", "equivalence class", "suppression", "utility"]


def prose(text: str) -> str:
    """The words of a page without blocks, code and the breaks of its lines."""
    text = re.sub(r"^(```).*?^\1$", "", text, flags=re.MULTILINE | re.DOTALL)
    text = re.sub(r"^ {4}.*$", "", text, flags=re.MULTILINE)
    return re.sub(r"\s+", " ", re.sub(r"`[^`]*`", "`...`", text))


def forbidden(text: str) -> list[str]:
    """Every forbidden phrase of a text with its surroundings and what to write instead."""
    return [
        f"...{text[max(found.start() - 40, 0) : found.end() + 40]}... (say: {better})"
        for phrase, better in FORBIDDEN.items()
        for found in re.finditer(phrase, text, re.IGNORECASE)
    ]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_page_uses_the_words_of_the_field(page: Path) -> None:
    assert forbidden(prose(page.read_text(encoding="utf-8"))) == []


@pytest.mark.parametrize("term", FIRST_SCREEN)
def test_the_first_screen_names_what_people_search_for(term: str) -> None:
    first_screen = (ROOT / "README.md").read_text(encoding="utf-8").partition("```console")[0]

    assert term in re.sub(r"[\s*]+", " ", first_screen)


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("Whoever finds it", 1),
        ("three of them are alike, and one is left\nout", 2),
        ("the certainty penalty", 1),
        ("the normalized certainty penalty", 0),
        ("the key `strangers`, `promised`", 0),
        ("```console\nRaised to level\n```\n", 0),
        ("Likewise.", 1),
    ],
)
def test_phrases_are_found_in_prose_and_not_in_code(text: str, phrases: int) -> None:
    assert len(forbidden(prose(text))) == phrases


def test_shares_are_formatted_in_one_place() -> None:
    formatted = [
        f"{path.relative_to(SOURCES)}: {line.strip()}"
        for path in sorted(SOURCES.rglob("*.py"))
        for line in path.read_text(encoding="utf-8").splitlines()
        if re.search(r":[^{}]*\.\d%\}", line) and path.parent.name != "wording"
    ]
    length_of_a_bar, rounded_down = "width:", "math.floor("

    assert [line for line in formatted if length_of_a_bar not in line and rounded_down not in line] == []


def docstrings(path: Path) -> Iterator[str]:
    """Return the strings that stand by themselves: of modules, classes, functions, and below constants."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value


@pytest.mark.parametrize("path", sorted(SOURCES.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCES)))
def test_a_docstring_begins_with_a_noun_or_a_verb(path: Path) -> None:
    assert [text.split("\n")[0] for text in docstrings(path) if text.startswith("What ")] == []
