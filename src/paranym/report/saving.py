"""Plots as files: pages that work offline, pictures, drawings."""

import json
import re
from pathlib import Path
from typing import Any, Literal

import altair as alt

from paranym.errors import BadInput

_FORMATS: dict[str, Literal["html", "png", "svg", "pdf"]] = {
    ".html": "html",
    ".png": "png",
    ".svg": "svg",
    ".pdf": "pdf",
}
_MENU = {"export": True, "source": False, "compiled": False, "editor": False}
"""What the page's menu offers: saving the picture, and nothing that would carry its data to another site."""
_HEAD = """<html lang="en">
<head>
  <title>paranym</title>
  <meta http-equiv="Content-Security-Policy" content="default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval';\
 style-src 'unsafe-inline'; img-src data: blob:">
  <style>body { margin: 24px; background: #fff; } #vg-tooltip-element { font-size: 13px; }</style>"""
"""The opening of a page that a browser lets fetch nothing and send nothing."""


def save_plot(chart: alt.TopLevelMixin, path: Path) -> None:
    """Write a chart as HTML (self-contained, works offline), PNG, SVG or PDF, by the ending of `path`."""
    check_plot_format(path)
    kind = _FORMATS[path.suffix.lower()]
    if kind == "html":
        page = chart.to_html(inline=True, embed_options={"actions": _MENU}, json_kwds={"cls": _ScriptSafe})
        path.write_text(page.replace("<html>\n<head>", _HEAD, 1), encoding="utf-8")
    else:
        chart.save(str(path), format=kind, scale_factor=2 if kind == "png" else 1)  # others scale by themselves


def check_plot_format(path: Path) -> None:
    """Raise unless the ending of `path` names a format that plots can be written in."""
    if path.suffix.lower() not in _FORMATS:
        raise BadInput(f"A plot is written as {', '.join(_FORMATS)}; got {path.name!r}.")


class _ScriptSafe(json.JSONEncoder):
    """JSON that stays data inside a page: no name of a column can end the script that it stands in."""

    def encode(self, o: Any) -> str:
        return re.sub("[<>&]", lambda mark: f"\\u{ord(mark[0]):04x}", super().encode(o))
