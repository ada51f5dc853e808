r"""The one place where text leaves for standard output or standard error.

Tables, recipes and arguments are untrusted text, which is shown and never interpreted: characters that move the cursor,
change colours, ring the bell or reverse the writing direction appear as escapes such as \x1b. Characters that the
encoding lacks are replaced, and a standard output that cannot be written is reported in a sentence.
"""

import json
import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import IO, Any, TextIO, cast

from rich.console import Console, ConsoleOptions, Group, RenderableType
from rich.segment import Segment
from rich.text import Text

from paranym.errors import OutputLost

_UNSAFE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f"  # all control characters, except for tabs and line ends
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"  # the direction of writing
    "\u2028\u2029\ud800-\udfff\U000e0000-\U000e007f]"  # other line ends, halves of characters, invisible tags
)
_UNSAFE_IN_A_LINE = re.compile(f"{_UNSAFE.pattern}|\n")
_PLAIN = str.maketrans({"├": "|", "└": "`", "│": "|", "─": "-", "…": "..."})
"""Replacements for our own characters where only ASCII can be shown."""


def harmless(text: str) -> str:
    r"""Return untrusted text with its control characters escaped.

    >>> harmless("age\x1b[31m")
    'age\\x1b[31m'
    """
    return _UNSAFE.sub(_escaped, text)


def _escaped(found: re.Match[str]) -> str:
    if found[0] == "\n":
        return r"\n"
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 0x100 else f"\\u{number:04x}" if number < 0x10000 else f"\\U{number:08x}"


def _harmless_text(text: Text, unsafe: re.Pattern[str]) -> Text:
    """Return styled text with its control characters escaped, styles kept."""
    places = [place for found in unsafe.finditer(text.plain) for place in found.span()]
    if not places:
        return text
    shown = text.blank_copy()
    for piece in text.divide(places):
        escaped = Text(unsafe.sub(_escaped, piece.plain))
        for span in piece.spans if escaped != piece else ():
            escaped.stylize(span.style)
        shown.append_text(piece if escaped == piece else escaped)
    return shown


class _Stream:
    """The current standard output or standard error: tests and callers may replace them."""

    def __init__(self, name: str, *, must_arrive: bool) -> None:
        self._name, self._must_arrive = name, must_arrive

    @property
    def _stream(self) -> TextIO | None:
        stream = getattr(sys, self._name)
        return cast("TextIO | None", getattr(stream, "rich_proxied_file", stream))  # rich replaces it during progress

    @property
    def encoding(self) -> str:
        return getattr(self._stream, "encoding", None) or "utf-8"

    def write(self, text: str) -> int:
        self._try(lambda stream: stream.write(self._encodable(text)))
        return len(text)

    def flush(self) -> None:
        self._try(lambda stream: stream.flush())

    def isatty(self) -> bool:
        with suppress(ValueError, AttributeError):
            return cast("TextIO", self._stream).isatty()
        return False

    def fileno(self) -> int:
        return cast("TextIO", self._stream).fileno()

    def write_bytes(self, content: bytes) -> None:
        """Write bytes directly, without encoding."""
        self.flush()
        self._try(lambda stream: stream.buffer.write(content))

    def _encodable(self, text: str) -> str:
        try:
            text.encode(self.encoding)
        except UnicodeEncodeError:
            return text.translate(_PLAIN).encode(self.encoding, "backslashreplace").decode(self.encoding)
        return text

    def _try(self, action: Any) -> None:
        stream = self._stream
        try:
            if stream is None or stream.closed:
                raise OutputLost("it is closed")  # noqa: TRY301 - reported like all other reasons
            action(stream)
        except BrokenPipeError:
            if self._must_arrive:
                raise
        except OutputLost:
            if self._must_arrive:
                raise
        except OSError as error:
            if self._must_arrive:
                raise OutputLost(error.strerror or str(error)) from error


class Terminal(Console):
    """A console that shows untrusted text without interpreting it.

    A `Text` is a line: a name that holds line ends must not look like lines of ours. Only texts that are all our own,
    such as help, may have `lines`.
    """

    def __init__(self, stream: _Stream, *, stderr: bool = False, lines: bool = False) -> None:
        super().__init__(file=cast("IO[str]", stream), stderr=stderr)
        self._unsafe = _UNSAFE if lines else _UNSAFE_IN_A_LINE

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render as rich does, with text escaped: `Text` before its layout, so that widths fit, all else afterwards."""
        shown = _harmless_text(renderable, self._unsafe) if isinstance(renderable, Text) else renderable
        for text, style, control in super().render(shown, options):
            yield Segment(text if control else harmless(text), style, control)


_OUTPUT = _Stream("stdout", must_arrive=True)
_REMARKS = _Stream("stderr", must_arrive=False)

out = Terminal(_OUTPUT)
usage = Terminal(_OUTPUT, lines=True)
"""Help texts, which contain no untrusted text."""
notes = Terminal(_REMARKS, stderr=True)
"""Progress and remarks: standard output is reserved for results, and a lost remark is not an error."""


def stacked(lines: Iterable[str]) -> RenderableType:
    """Return the lines of one table cell, stacked."""
    return Group(*(Text(line) for line in lines))


def say(*lines: str) -> None:
    """Write lines to standard error; if that fails too, only the exit code remains."""
    _REMARKS.write("".join(f"{_UNSAFE_IN_A_LINE.sub(_escaped, line)}\n" for line in lines))
    _REMARKS.flush()


def print_text(text: str) -> None:
    """Write a file to standard output: unchanged and in UTF-8, or escaped if it is a terminal."""
    if _OUTPUT.isatty():
        _OUTPUT.write(harmless(text))
    elif _is_utf8(_OUTPUT.encoding):
        _OUTPUT.write(text)
    else:
        _OUTPUT.write_bytes(text.encode())


def print_json(document: dict[str, Any]) -> None:
    """Write a result to standard output; unsafe characters are escaped, which means the same in JSON."""
    text = json.dumps(document, indent=2, ensure_ascii=not _is_utf8(_OUTPUT.encoding), allow_nan=False)
    _OUTPUT.write(_UNSAFE.sub(lambda found: json.dumps(found[0])[1:-1], text) + "\n")


def finish() -> None:
    """Flush standard output."""
    if sys.stdout is not None:
        _OUTPUT.flush()


def give_up() -> None:
    """Discard the output that is still buffered, so that closing the streams does not fail again."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        with suppress(OSError, ValueError, AttributeError):
            stream.flush()
            continue
        with suppress(OSError, ValueError, AttributeError):
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, stream.fileno())
            os.close(nowhere)


def occupy_closed() -> None:
    """Open the null device for each closed standard stream, so that no other file gets its descriptor."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)


def _is_utf8(encoding: str) -> bool:
    return encoding.lower().replace("-", "").replace("_", "") in ("utf8", "utf8sig")
