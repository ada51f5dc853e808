"""What others wrote is shown and never obeyed, and what cannot be shown is replaced."""

import io
import json
import sys

import pytest
from rich.table import Table
from rich.text import Text

from paranym.cli import terminal
from paranym.cli.terminal import Terminal, harmless
from paranym.errors import OutputLost

EVIL = "age\x1b]0;gone\x07\x1b[2J\x9b31m\u202eegnahc"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("age\x1b[31m", "age\\x1b[31m"),
        ("a\rb\x08\x7f", "a\\x0db\\x08\\x7f"),
        ("a\u202eb\u2066", "a\\u202eb\\u2066"),
        ("half \ud800", "half \\ud800"),
        ("two\nlines, one\ttab, naïve \U0001f600", "two\nlines, one\ttab, naïve \U0001f600"),
    ],
)
def test_what_terminals_obey_is_escaped(text: str, shown: str) -> None:
    assert harmless(text) == shown


def test_no_way_to_print_lets_a_control_character_through(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table(title=EVIL, caption=EVIL)
    table.add_column(EVIL)
    table.add_row(EVIL)
    table.add_row(Text(EVIL, style="bold"))
    with_spans = Text("fine ", style="bold") + Text(EVIL, style="red") + Text(" end")
    for shown in (EVIL, Text(EVIL), with_spans, table):
        terminal.out.print(shown)
        terminal.notes.print(shown)
    terminal.say(EVIL)
    terminal.print_json({EVIL: EVIL})

    said = "".join(capsys.readouterr())
    assert "\\x1b" in said
    assert not set(said) & set("\x1b\x07\x9b\u202e")


def test_a_name_makes_no_line_of_its_own(capsys: pytest.CaptureFixture[str]) -> None:
    table = Table("found on")
    table.add_row(Text("age\nall checks hold"))
    terminal.out.print(Text("k = 1 on ") + Text("age\nall checks hold", style="bold"))
    terminal.out.print(table)

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == r"k = 1 on age\nall checks hold"
    assert not any(line.strip(" │|").startswith("all checks") for line in lines)


def test_styles_of_our_own_stay() -> None:
    stream = terminal._Stream("stdout", must_arrive=True)
    console = Terminal(stream)
    shown = terminal._harmless_text(Text("ok ") + Text("a\x1bb", style="bold"), terminal._UNSAFE)

    assert shown.plain == "ok a\\x1bb"
    assert {(span.start, span.end) for span in shown.spans if span.style == "bold"} >= {(4, 8)}
    assert console.encoding == "utf-8"


def test_ascii_shows_what_it_can(monkeypatch: pytest.MonkeyPatch) -> None:
    content = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(content, encoding="ascii", write_through=True))

    terminal.out.print(Text("├─ naïve …"))
    terminal.print_json({"naïve": "\x9b"})
    terminal.print_text("naïve\n")

    tree, rest = content.getvalue().split(b"\n", 1)
    assert tree == b"|- na\\xefve ..."
    assert json.loads(rest.removesuffix("naïve\n".encode())) == {"naïve": "\x9b"}
    assert rest.endswith("}\nnaïve\n".encode())  # a file is UTF-8 wherever it goes


@pytest.mark.parametrize("closed", [None, io.StringIO()])
def test_closed_output_is_said_and_lost_remarks_stop_nothing(
    closed: io.StringIO | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if closed is not None:
        closed.close()
    monkeypatch.setattr(sys, "stdout", closed)
    monkeypatch.setattr(sys, "stderr", closed)

    terminal.notes.print("a remark")
    terminal.say("a sentence")
    with pytest.raises(OutputLost, match="Cannot write to standard output: it is closed"):
        terminal.out.print("a result")
    terminal.out._buffer.clear()  # what was not written must not begin the output of the next test
