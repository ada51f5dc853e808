"""Writing plots as files: HTML pages that work offline, PNG, SVG and PDF."""

import json
import re
from pathlib import Path
from typing import Any, Literal

import altair as alt

from paranym.errors import BadInput, NotEnoughMemory

_FORMATS: dict[str, Literal["html", "png", "svg", "pdf"]] = {
    ".html": "html",
    ".png": "png",
    ".svg": "svg",
    ".pdf": "pdf",
}
_RESERVED = 2**36 + 3 * 10**9
"""Bytes of address space: what the library that draws reserves at once, or aborts the process, and all others."""
_MENU = {"export": True, "source": False, "compiled": False, "editor": False}
"""The menu of the page: it saves the picture, and never sends its data to another site."""
_HEAD = """<html lang="en">
<head>
  <title>paranym</title>
  <meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval';\
 style-src 'unsafe-inline'; img-src data: blob:">
  <style>body { margin: 24px; background: #fff; } #vg-tooltip-element { font-size: 13px; }</style>"""
"""The opening of a page whose policy forbids the browser to fetch or send anything."""


def save_plot(chart: alt.TopLevelMixin, path: Path) -> None:
    """Write a chart as HTML (self-contained, works offline), PNG, SVG or PDF, by the suffix of `path`."""
    check_plot_format(path)
    check_drawing()
    kind = _FORMATS[path.suffix.lower()]
    if kind == "html":
        page = chart.to_html(inline=True, embed_options={"actions": _MENU}, json_kwds={"cls": _ScriptSafe})
        path.write_text(page.replace("<html>\n<head>", _HEAD, 1), encoding="utf-8")
    else:
        chart.save(str(path), format=kind, scale_factor=2 if kind == "png" else 1)  # other formats scale without loss


def check_plot_format(path: Path) -> None:
    """Raise unless the suffix of `path` names a supported format."""
    if path.suffix.lower() not in _FORMATS:
        raise BadInput(f"A plot is written as {', '.join(_FORMATS)}; got {path.name!r}.")


def check_drawing() -> None:
    """Raise if this process may not take the address space that drawing needs."""
    NotEnoughMemory.check_space(_RESERVED, "the library that draws needs")


class _ScriptSafe(json.JSONEncoder):
    """Return JSON that is safe inside a page: no column name can end the script around it."""

    def encode(self, o: Any) -> str:
        return re.sub("[<>&]", lambda mark: f"\\u{ord(mark[0]):04x}", super().encode(o))
